"""The REST API under load, beside a session that never stops writing: wrk on
/api/files/search against a bare handler of the same library that answers with
the same bytes, and 500 readers of events."""
import contextlib
import http.client
import multiprocessing
import os
import re
import resource
import selectors
import shutil
import socket
import subprocess
import time
from urllib.parse import quote

SECONDS = 5
CONNECTIONS = 16
READERS = 500
BATCH = 40  # changes at a time, until all readers have them
WARM, ROUNDS = 20, 60
PAUSE = 0.002  # between two changes of the writer


class Changes:
    """A session that changes one file after the other."""

    def __init__(self, folder, seed):
        from transcript import Ids, Transcript
        self.projects = folder
        self.transcript = Transcript(self, Ids(seed))
        self.transcript.prompt()
        self.number = 0

    def more(self, n):
        for _ in range(n):
            self.transcript.edit(f"/home/dev/p/live{self.number % 50}.txt",
                                 f"a{self.number}", f"b{self.number}")
            self.number += 1
        self.transcript.lines.clear()


def write_on(folder, ready):
    """Changes, for ever."""
    changes = Changes(folder, 77)
    while True:
        changes.more(1)
        ready.set()
        time.sleep(PAUSE)


@contextlib.contextmanager
def writer(box):
    ready = multiprocessing.Event()
    process = multiprocessing.Process(
        target=write_on, args=(box.projects, ready), daemon=True)
    process.start()
    ready.wait()
    try:
        yield
    finally:
        process.kill()
        process.join()


def wrk(url, token):
    """(requests a second, p99 in us, errors)"""
    out = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-H",
         f"Authorization: Bearer {token}", url],
        check=True, text=True, capture_output=True).stdout
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    scale = {"us": 1, "ms": 1e3, "s": 1e6}[unit]
    errors = sum(int(n) for line in re.findall(
        r"Socket errors.*|Non-2xx.*", out) for n in re.findall(r"\d+", line)
        if not line.startswith("Non-2xx") or n != "2")
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]),
            float(number) * scale, errors)


def get(port, token, path):
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    conn.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    reply = conn.getresponse()
    body = reply.read()
    conn.close()
    if reply.status != 200:
        raise RuntimeError(f"{path}: {reply.status} {body[:200]}")
    return body


class Readers:
    """Streams of events, all of them read."""

    def __init__(self, port, token, n):
        self.counts = {}
        self.poll = selectors.DefaultSelector()
        for _ in range(n):
            sock = socket.create_connection(("127.0.0.1", port))
            sock.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}"
                         f"\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            got = b""
            while b"event: ready" not in got:
                got += sock.recv(1 << 16)
            self.poll.register(sock, selectors.EVENT_READ)
            self.counts[sock] = 0

    def until(self, events):
        """Reads until each has had so many."""
        left = {s for s, n in self.counts.items() if n < events}
        while left:
            for key, _ in self.poll.select(60):
                data = key.fileobj.recv(1 << 16)
                if not data:
                    raise RuntimeError("a reader was cut off")
                self.counts[key.fileobj] += data.count(b"event: change")
                if self.counts[key.fileobj] >= events:
                    left.discard(key.fileobj)

    def close(self):
        for sock in self.counts:
            sock.close()


def load_rows(table, box, port, token, path, rss):
    api = f"/api/files/search?path={quote(path, safe='')}"
    body = get(port, token, api)
    with subprocess.Popen([os.path.join(os.environ["CCFC_BIN_DIR"], "tests",
                                        "bench_http")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as bare:
        bare.stdin.write(body)
        bare.stdin.close()
        other = int(bare.stdout.readline())
        with writer(box):
            wrk(f"http://127.0.0.1:{port}{api}", token)  # warm
            before = rss(box.daemon.pid)
            ours = wrk(f"http://127.0.0.1:{port}{api}", token)
            theirs = wrk(f"http://127.0.0.1:{other}/", token)
            after = rss(box.daemon.pid)
        bare.kill()
    table.add("REST, requests a second, beside a writer", f"{ours[0]:.0f}",
              "bare handler", f"{theirs[0]:.0f}", ours[0] / theirs[0])
    table.add("  p99", f"{ours[1]:.0f} us", "bare handler",
              f"{theirs[1]:.0f} us", ours[1] / theirs[1])
    table.add("  errors", str(ours[2]), target="0")
    table.add("  resident, before and after", f"{after / 1e6:.1f} MB",
              "before", f"{before / 1e6:.1f} MB", after / before)


def reader_rows(table, box, port, token, rss):
    readers = Readers(port, token, READERS)
    changes = Changes(box.projects, 78)
    try:
        for number in range(1, ROUNDS + 1):
            changes.more(BATCH)
            readers.until(number * BATCH)
            if number == WARM:
                before, began = rss(box.daemon.pid), time.monotonic()
        took = time.monotonic() - began
        after = rss(box.daemon.pid)
    finally:
        readers.close()
    table.add(f"{READERS} readers of events, events a second to each",
              f"{(ROUNDS - WARM) * BATCH / took:.0f}")
    table.add("  resident, before and after", f"{after / 1e6:.1f} MB",
              "before", f"{before / 1e6:.1f} MB", after / before)


def rows(table, until_indexed, folder, rss):
    from harness import Box
    if not shutil.which("wrk"):
        table.add("REST under load", "skipped: wrk is not installed")
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)),
                                                hard))
    with Box() as box:
        box.roots = [box.claude, folder]
        box.start()
        until_indexed(box)
        path = box.ok("search", "/**", "--limit=1",
                      "--format=paths").splitlines()[0]
        url = box.ok("web", "--no-open").strip()
        token = url.partition("token=")[2]
        port = int(re.search(r":(\d+)/", url)[1])
        load_rows(table, box, port, token, path, rss)
        reader_rows(table, box, port, token, rss)
