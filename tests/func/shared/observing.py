"""A project with a live client, for the tests of what is seen on disk."""
import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import time

from harness import Box, LIMIT, append


# An event of a command may be late by so many ms, and some to spare.
LATE = 130

# The states of a side of an event.
UNKNOWN, ABSENT, THERE = range(3)


def now():
    return int(time.time() * 1000)


def pause(ms=LATE):
    """Lets time pass that the windows of calls are made of; LATE: what is
    written next is not taken for a command's that has ended.
    """
    until = now() + ms
    while now() < until:
        time.sleep(0.002)


class Client:
    """A process with the note that the real client keeps of itself."""

    def __init__(self, box, session, cwd, command=("cat",), **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = self.process.pid
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as f:
            start = f.read().rpartition(")")[2].split()[19]
        self.note = os.path.join(box.claude, "sessions", f"{self.pid}.json")
        append(self.note, json.dumps({
            "pid": self.pid, "sessionId": session, "cwd": cwd,
            "startedAt": int(time.time() * 1000), "procStart": start,
            "status": "busy", **more}).encode())

    def end(self, leave_note=False):
        if not leave_note:
            os.unlink(self.note)
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Observed(Box):
    """A box with a project, `self.p`, which git knows."""

    def __init__(self, settings="", git=True):
        super().__init__()
        self.p = os.path.join(self.top, "p")
        os.makedirs(self.p)
        if git:
            subprocess.run(["git", "init", "-q", self.p], check=True)
        config = os.path.join(self.top, "config", "ccfc", "config")
        append(config, settings.encode())
        self.clients = []

    def __exit__(self, *exc):
        for client in self.clients:
            if client.process.poll() is None:
                client.end(leave_note=True)
        return super().__exit__(*exc)

    def client(self, session="s-1", cwd=None, **more):
        client = Client(self, session, cwd or self.p, **more)
        self.clients.append(client)
        return client

    def observe(self):
        with self.rpc() as rpc:
            return rpc.call("server.info")["observe"]

    def until(self, what, condition):
        """Asks again and again, until it is so."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            now = self.observe()
            if condition(now):
                return now
        raise AssertionError(f"never so: {what}: {now}")

    def watched(self, n=1):
        return self.until(f"{n} watched", lambda o: len(o["projects"]) == n
                          and not o["reading"])

    def watching(self):
        """What is written from now on is seen."""
        self.until("watched", lambda o: o["projects"] and not o["reading"])

    def write(self, name, text, mode="w"):
        """A file that is there is never empty in between."""
        path = os.path.join(self.p, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if mode == "w" and os.path.isfile(path):
            mode = "r+"
        with open(path, mode, encoding="utf-8") as f:
            f.write(text)
            f.truncate()
        return path

    def is_passing(self, event):
        """A new file may be seen before anything is written to it."""
        path = os.path.join(self.p, event["path"])
        return (event["before"] == 1 and event["after"] == 2
                and not event["after_size"]
                and not (os.path.isfile(path) and not os.path.getsize(path)))

    def events(self):
        """All that the store has, oldest first; paths below the project."""
        path = os.path.join(self.state, "index.db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.row_factory = sqlite3.Row
            rows = db.execute(
                "SELECT CAST(f.path AS TEXT) AS path, e.* FROM t_disk_event e"
                " JOIN t_file f ON f.id = e.file ORDER BY time").fetchall()
        made, found = {}, []
        for row in rows:
            event = dict(row, path=os.path.relpath(row["path"], self.p))
            if self.is_passing(event):
                made[event["path"]] = event
                continue
            first = made.pop(event["path"], event)
            event.update((k, v) for k, v in first.items()
                         if k.startswith("before") or k in ("since", "held"))
            found.append(event)
        return found

    def saw(self, n):
        """The events, once there are that many."""
        self.until(f"{n} events", lambda o: o["events"] >= n
                   and len(self.events()) >= n)
        return self.events()

    def settle(self):
        """What was written before this has been looked at: a file that is
        written last is seen last.
        """
        name = f"settle-{time.monotonic_ns()}"
        self.write(name, name)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.observe()
            if any(e["path"] == name for e in self.events()):
                return [e for e in self.events()
                        if not e["path"].startswith("settle-")]
        raise AssertionError("never seen")

    def kept(self, key):
        """Is a content of that hash in the state directory?"""
        return os.path.exists(os.path.join(self.state, "blobs", key[:2],
                                           key[2:]))


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def short(event):
    return (event["path"], event["before"], event["after"],
            event["before_key"], event["after_key"])
