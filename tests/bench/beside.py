"""What a lookup waits for while another client asks the dearest questions:
p99 of `file.sessions` on one connection, beside one question after another in
a loop on a second one. A question that ran on the core thread would make the
lookup wait until that question ends.

The scheduler's share is measured with busy loops instead of questions: one, and
one for each CPU, because a question keeps more than one thread busy (workers,
the threads of a search, the client that reads the answer).
"""
import contextlib
import multiprocessing
import os
import signal
import socket

import chain

EDITS = 2_000
LINES = 2_000
TARGET = "3 x, or as the busy loops"


def spin(ready):
    ready.set()
    while True:
        pass


class Replies:
    """Whole messages of a connection, not looked at."""

    def __init__(self, path):
        import msgpack
        self.packb = msgpack.packb
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(path)
        self.unpacker = msgpack.Unpacker(max_buffer_size=1 << 30)
        self.out_of_data = msgpack.OutOfData

    def ask(self, method, options):
        self.sock.sendall(self.packb([0, 1, method, [options]]))
        while True:
            try:
                self.unpacker.skip()
                return
            except self.out_of_data:
                self.unpacker.feed(self.sock.recv(1 << 20))


def ask_on(path, questions, ready):
    """The questions in turn, for ever; ready with the first answer."""
    replies = Replies(path)
    while True:
        for method, options in questions:
            replies.ask(method, options)
            ready.set()


class Beside:
    """A process that does something meanwhile."""

    def __init__(self, target, *args):
        ready = multiprocessing.Event()
        self.process = multiprocessing.Process(
            target=target, args=(*args, ready), daemon=True)
        self.process.start()
        ready.wait()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()


def make_chain(box, seed):
    from transcript import Ids, Transcript
    out = Transcript(box, Ids(seed), project="-home-dev-bench",
                     cwd=chain.CWD, style="new", version="2.1.325")
    out.live = False
    chain.LINES, kept = LINES, chain.LINES
    made = chain.Chain(out, seed)
    made.first()
    for number in range(1, EDITS):
        made.edit(number)
    chain.LINES = kept
    os.makedirs(os.path.dirname(out.path))
    with open(out.path, "wb") as f:
        f.writelines(out.lines)
    return out.session, made.ids


def questions_of(session, ids, clock):
    """Name → requests that no cache makes much cheaper."""
    path = {"path": chain.PATH}
    session = {"session": session}
    return {
        "file.blame": [("file.blame", dict(path, at=x))
                       for x in ids[::-97]],
        "session.diff": [("session.diff", session)],
        "file.log": [("file.log", dict(path, limit=EDITS))],
        "session.recover": [("session.recover", {"deleted": True}),
                            ("session.recover", session)],
        "index.dump": [("index.dump", {})],
        "text.search": [("text.search", {"pattern": "no such thing at all",
                                         "in": ["tool", "result"]})],
        "sql.query": [("sql.query", {
            "query": "SELECT count(*) FROM changes a, changes b "
                     "WHERE a.rowid < b.rowid"})],
        "stats.get": [("stats.get", {"by": "file", "limit": 100})],
        "file.match": [("file.match", {"pattern": "/**", "limit": 50}),
                       ("file.match", {"pattern": "/**/*a*",
                                       "includeChanges": False})],
        "session.list": [("session.list", {"sort": "tokens"})],
        "file.sessions, long": [("file.sessions", path)],
        "events.since": [("events.since", {"clock": clock})],
        "index.build": [("index.build", {})],
    }


def rows(table, measure, until_indexed, folder, seed, runs):
    from harness import Box
    with Box() as box:
        session, ids = make_chain(box, seed)
        box.roots = [box.claude, folder]
        box.start()
        until_indexed(box)
        with box.rpc() as rpc:
            epoch = rpc.call("index.stats")["clock"].split(":")[0]
        asked = box.ok("search", "/**", "--limit=2",
                       "--format=paths").splitlines()
        lookup = next(x for x in asked if x != chain.PATH)

        def probe():
            return measure("rpc", runs, box.socket, lookup)[0]

        def text(pair):
            return f"{pair[0]:.0f} / {pair[1]:.0f} us"
        idle = probe()
        table.add("file.sessions alone, p50 / p99", text(idle))
        for loops in sorted({1, os.cpu_count()}):
            with contextlib.ExitStack() as stack:
                for _ in range(loops):
                    stack.enter_context(Beside(spin))
                busy = probe()
            table.add(f"  beside {loops} busy loops" if loops > 1 else
                      "  beside a busy loop", text(busy), "alone, p99",
                      f"{idle[1]:.0f} us", busy[1] / idle[1])
        for what, requests in questions_of(session, ids, epoch + ":0").items():
            with Beside(ask_on, box.socket, requests):
                got = probe()
            table.add(f"  beside {what}", text(got), "alone, p99",
                      f"{idle[1]:.0f} us", got[1] / idle[1], TARGET)
