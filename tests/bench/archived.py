"""What the archive costs: bytes and CPU, and answers from it against those
from the transcripts, which are deleted for that."""
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time

SIZE = 200 << 20
RUNS = 15
FILES = 12


def transcripts(folder):
    return [os.path.join(top, name)
            for top, _, names in os.walk(os.path.join(folder, "projects"))
            for name in names]


def until_kept(box):
    with box.rpc() as rpc:
        while True:
            rows = rpc.call("source.list", limit=100000)["sources"]
            if rows and all(r["kept"] >= r["bytes"] for r in rows):
                return rpc.call("server.info")["archive"]
            time.sleep(0.1)


def zstd_cpu(files):
    before = os.times()
    with subprocess.Popen(["cat", *files], stdout=subprocess.PIPE) as cat:
        subprocess.run(["zstd", "-3", "-q", "-c"], stdin=cat.stdout,
                       stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user + after.children_system
            - before.children_user - before.children_system)


def blamed(box, session):
    """Of the files whose content is known, the one with most changes."""
    from harness import RpcError
    with box.rpc() as rpc:
        files = rpc.call("session.files", session=session)["files"]
        for f in sorted(files, key=lambda f: -f["changeCount"]):
            try:
                rpc.call("file.blame", path=f["path"], at=session)
                return f["path"]
            except RpcError:
                pass
    return None


def blames(box, sessions, most):
    """A question for each of up to `most` sessions, in this order."""
    found = []
    for session in sessions:
        path = blamed(box, session)
        if path and len(found) < most:
            found.append(("file.blame", {"path": path, "at": session}))
    return found


def questions(box, seed):
    """Name → calls that read lines again: of the largest session, of the
    session and the file with most changes, and of files of any sessions."""
    with box.rpc() as rpc:
        sessions = rpc.call("session.list", limit=100000)["sessions"]
    changing = sorted((s for s in sessions if s["totalChanges"]),
                      key=lambda s: (-s["totalChanges"], s["sessionId"]))
    largest = max(sessions, key=lambda s: s["totalBytes"])["sessionId"]
    busy = changing[0]["sessionId"]
    any_of = [s["sessionId"] for s in changing]
    random.Random(seed).shuffle(any_of)
    return {"show": [("session.messages", {"session": largest, "limit": 50})],
            "diff": [("session.diff", {"session": busy})],
            "blame": blames(box, [busy], 1),
            f"blame of {FILES} files": blames(box, any_of[:3 * FILES], FILES)}


def time_of(box, method, params, runs):
    """The median, by a daemon that was just started and asked nothing else:
    what another question left in memory would be compared as well."""
    found = []
    for _ in range(runs):
        box.restart()
        box.ok("status")
        with box.rpc() as rpc:
            began = time.monotonic()
            rpc.call(method, **params)
            found.append(time.monotonic() - began)
    return statistics.median(found)


def times(box, asked):
    return {name: sum(time_of(box, *call, RUNS if len(calls) == 1 else 5)
                      for call in calls)
            for name, calls in asked.items()}


def thread_cpu(pid, name):
    """The CPU of a thread so far; other threads do not archive."""
    tick = os.sysconf("SC_CLK_TCK")
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as f:
            head, _, rest = f.read().rpartition(") ")
        if head.endswith("(" + name):
            return sum(map(int, rest.split()[11:13])) / tick
    raise SystemExit(f"no thread {name}")


def cpu_of(box):
    shutil.rmtree(box.state, ignore_errors=True)
    box.start()
    kept = until_kept(box)
    cpu = thread_cpu(box.daemon.pid, "archive")
    box.stop()
    return cpu, kept


def rows(table, gen, seed):
    from harness import Box
    folder = tempfile.mkdtemp(prefix="ccfc-bench-")
    subprocess.run([gen, folder, str(SIZE), str(seed)], check=True,
                   stdout=subprocess.DEVNULL)
    files = transcripts(folder)
    size = sum(map(os.path.getsize, files))
    peer = min(zstd_cpu(files) for _ in range(3))
    with Box(claude=folder) as box:
        cpu, kept = min((cpu_of(box) for _ in range(3)),
                        key=lambda pair: pair[0])
        table.add("archive, bytes kept", f"{kept['bytes'] / 2**20:.1f} MiB",
                  "the transcripts", f"{size / 2**20:.0f} MiB",
                  kept["bytes"] / size, "0.12 x")
        table.add("archive, CPU", f"{cpu:.2f} s", "zstd -3",
                  f"{peer:.2f} s", cpu / peer)
        box.start()
        asked = questions(box, seed)
        there = times(box, asked)
        for path in files:
            os.remove(path)
        gone = times(box, asked)
        for name in asked:
            table.add(f"{name} from the archive", f"{gone[name] * 1e3:.1f} ms",
                      "from the transcript", f"{there[name] * 1e3:.1f} ms",
                      gone[name] / there[name], "2 x")
    shutil.rmtree(folder)
