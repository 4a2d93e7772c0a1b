"""Edits of clients that no transcript tells of: changes of their sessions."""
import datetime
import os
import sys
import time

import harness
from harness import eq
from observe_join import Session, now
from observing import Client, Observed
from transcript import stamp

# Replaces files the way the real client does, as it is told.
WRITER = """
import os, sys
for line in sys.stdin:
    path, text = eval(line)
    name = f"{path}.tmp.{os.getpid()}.00ff"
    with open(name, "w") as f:
        f.write(text)
    os.rename(name, path)
    print("done", flush=True)
"""


def ms(text):
    """The time that `stamp` gave."""
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(when.timestamp() * 1000)


class Writer(Client):
    def __init__(self, box, session):
        super().__init__(box, session, box.p, [sys.executable, "-c", WRITER])

    def replace(self, path, text):
        self.process.stdin.write(repr((path, text)).encode() + b"\n")
        self.process.stdin.flush()
        eq(self.process.stdout.readline(), b"done\n")

    def kill(self, wait=True):
        """As nothing can be done about; its note stays."""
        self.process.kill()
        if wait:
            self.process.wait()


class Killed(Observed):
    """A project in which a session edits a.txt, and its client is killed."""

    def __init__(self, text="one\ntwo\nthree\n"):
        super().__init__()
        self.path = self.write("a.txt", text)

    def begin(self, seed=1, **more):
        self.start()
        return self.join(seed, **more)

    def join(self, seed, **more):
        one = Session(self, seed, **more)
        one.client = Writer(self, one.t.session)
        self.clients.append(one.client)
        self.until("watched", lambda o: o["projects"] and not o["reading"] and
                   o["projects"][0]["sessions"] == len(self.clients))
        return one

    def changes(self):
        return {c["changeId"]: c for c in self.dump().changes}

    def until_seen(self, n=1):
        """The changes that only the disk tells of, once there are `n`."""
        end = time.monotonic() + harness.LIMIT
        while time.monotonic() < end:
            found = [c for c in self.changes().values()
                     if c["changeId"].startswith("seen_")]
            if len(found) == n:
                return sorted(found, key=lambda c: c["timestamp"])
        raise AssertionError(f"never {n}: {found}")

    def rows(self, query):
        return self.json("sql", query)


def edit(one, path, old, new, when, result=None):
    """The lines of an edit, as they come when the client is not killed."""
    tid = one.t.call("Edit", {"file_path": path, "old_string": old,
                              "new_string": new}, timestamp=stamp(when))
    if result:
        done(one, tid, path, old, new, result)
    return tid


def until_later(box):
    """Returns when a file that is written now has a later time than now: the
    clock of a filesystem goes in steps."""
    path, began, written = os.path.join(box.top, "clock"), now(), 0
    while written <= began + 1:
        with open(path, "w", encoding="utf-8") as f:
            f.write("x")
        written = os.path.getmtime(path) * 1000


def done(one, tid, path, old, new, when):
    one.t.result(tid, {"filePath": path, "oldString": old, "newString": new,
                       "originalFile": None, "structuredPatch": []},
                 timestamp=stamp(when))


def test_a_killed_client():
    """All answers have the edit that its client did not live to write down."""
    with Killed() as box:
        one = box.begin()
        began = now()
        one.client.replace(box.path, "one\nTWO\nthree\n")
        one.client.kill()
        change, = box.until_seen()
        eq({k: change[k] for k in ("path", "sessionId", "tool", "evidence",
                                   "state", "operation", "command")},
           {"path": box.path, "sessionId": one.t.session, "tool": None,
            "evidence": "observed", "state": "applied",
            "operation": "modified", "command": None})
        assert stamp(began - 50) <= change["timestamp"] <= stamp(now()), change
        answers(box, one.t.session, change["changeId"])
        before = box.dump().text
        box.restart(hard=True)
        eq(box.dump().text, before)
        box.ok("index", "--build")
        eq(box.dump().text, before)
        os.unlink(box.path)


def answers(box, session, change):
    listed = box.ok("list", session, "--show-changes")
    assert "unknown tool, observed" in listed and "+ TWO" in listed, listed
    found = box.json("search", box.path)
    eq([(s["sessionId"], s["changeCount"]) for s in found["sessions"]],
       [(session, 1)])
    log = box.ok("log", box.path)
    assert "observed" in log and "unknown tool" in log, log
    diff = box.ok("diff", change)
    assert "-two\n+TWO\n" in diff, diff
    assert "-two\n+TWO\n" in box.ok("diff", session)
    blame = box.ok("blame", box.path).splitlines()
    assert blame[0].startswith("outside"), blame
    assert blame[1].startswith(change[:14]), blame
    eq(box.ok("cat", box.path, f"--at=before:{change}"), "one\ntwo\nthree\n")
    eq(box.ok("cat", box.path, f"--at={change}"), "one\nTWO\nthree\n")
    eq(box.json("stats")["totals"]["changes"], 1)
    row, = box.rows("SELECT tool_use_id, session_id, path, tool, state,"
                    " operation, evidence, time IS NOT NULL AS timed,"
                    " command FROM changes")["rows"]
    eq(row, [change, session, box.path, None, "applied", "modified",
             "observed", 1, None])
    box.ok("revert", session, "--outside")
    with open(box.path, encoding="utf-8") as f:
        eq(f.read(), "one\ntwo\nthree\n")


def test_events_of_it():
    """Early, then the change; nobody waited for its process yet."""
    with Killed() as box:
        one = box.begin()
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            new = os.path.join(box.p, "new.txt")
            one.client.replace(new, "made\n")
            early = rpc.event()
            eq(early["type"], "early")
            one.client.kill(wait=False)
            change = rpc.event()
            eq({k: change[k] for k in ("type", "path", "sessionId", "tool",
                                       "operation", "evidence", "seenAt")},
               {"type": "change", "path": new, "sessionId": one.t.session,
                "tool": None, "operation": "created", "evidence": "observed",
                "seenAt": early["seenAt"]})
            # The line was on its way after all: the two are one.
            when = ms(early["seenAt"])
            tid = edit(one, new, "", "made", when - 5, when + 5)
            told = [rpc.event(), rpc.event()]
            eq({(e["changeId"], e.get("withdrawn", False)) for e in told},
               {(tid, False), (change["changeId"], True)})
            eq({e["seenAt"] for e in told if not e.get("withdrawn")},
               {early["seenAt"]})
        eq(set(box.changes()), {tid})
        box.restart(hard=True)
        eq(set(box.changes()), {tid})


def test_a_call_without_a_result():
    """The call is there, its result is not: it took effect, as was seen."""
    with Killed() as box:
        one = box.begin()
        other = edit(one, os.path.join(box.p, "b.txt"), "x", "y", now())
        tid = edit(one, box.path, "two", "TWO", now())
        one.client.replace(box.path, "one\nTWO\nthree\n")
        box.saw(1)
        eq(box.changes()[tid]["state"], "pending")
        one.client.kill()
        end = time.monotonic() + harness.LIMIT
        while time.monotonic() < end and \
                box.changes()[tid]["state"] == "pending":
            pass
        found = box.changes()
        eq({k: (c["state"], c["evidence"], c["tool"])
            for k, c in found.items()},
           {tid: ("applied", "observed", "Edit"),
            other: ("interrupted", "result", "Edit")})
        assert "-two\n+TWO\n" in box.ok("diff", tid)
        eq(box.ok("cat", box.path, f"--at={tid}"), "one\nTWO\nthree\n")
        before = box.dump().text
        box.restart(hard=True)
        eq(box.dump().text, before)
        # And now the result.
        done(one, tid, box.path, "two", "TWO", now())
        eq({k: (c["state"], c["evidence"]) for k, c in box.changes().items()},
           {tid: ("applied", "result"), other: ("interrupted", "result")})


def test_two_calls_and_one_event():
    """Which of the two it was is not known: it is a change of its own."""
    with Killed() as box:
        one = box.begin()
        calls = [edit(one, box.path, w, w.upper(), now())
                 for w in ("one", "two")]
        one.client.replace(box.path, "one\nTWO\nthree\n")
        one.client.kill()
        change, = box.until_seen()
        found = box.changes()
        eq({found[c]["state"] for c in calls}, {"interrupted", "pending"})
        eq(len(found), 3)
        done(one, calls[1], box.path, "two", "TWO", now())
        found = box.changes()
        eq({found[c]["state"] for c in calls}, {"interrupted", "applied"})
        assert change["changeId"] not in found, found


def test_a_session_that_goes_on():
    """Its client lives, and has said nothing for a minute of its lines."""
    with Killed() as box:
        one = box.begin()
        one.client.replace(box.path, "new\n")
        seen = box.saw(1)[0]
        one.t.prompt("go on", timestamp=stamp(seen["time"] + 59_000))
        eq(box.changes(), {})
        one.t.prompt("and on", timestamp=stamp(seen["time"] + 60_000))
        change, = box.until_seen()
        eq(change["timestamp"], stamp(seen["time"]))


def test_while_the_daemon_is_down():
    """The client ends when nobody looks; the next start finds it out."""
    with Killed() as box:
        one = box.begin()
        one.client.replace(box.path, "new\n")
        box.saw(1)
        box.restart(hard=True)
        box.watched()
        eq(box.changes(), {})
        box.stop()
        one.client.kill()
        box.start()
        change, = box.until_seen()
        eq(change["sessionId"], one.t.session)


def test_with_its_lines():
    """Clients that end with all lines written leave nothing."""
    with Killed() as box:
        one, two = box.begin(), box.join(2)
        for i in range(3):
            for who in (one, two):
                began = now()
                who.client.replace(box.path, f"{i} {who.t.session}\n")
                box.saw(1)
                edit(who, box.path, "x", "y", began, now())
                box.settle()
        one.client.kill()
        two.client.end()
        box.until("left", lambda o: not o["projects"])
        found = box.changes()
        eq(len(found), 6)
        eq({c["evidence"] for c in found.values()}, {"result"})


def test_one_of_many_has_no_line():
    """Of several edits the one that no line tells of is found."""
    with Killed() as box:
        one = box.begin()
        ids = set()
        for i in range(4):
            began = now()
            one.client.replace(box.path, f"{i}\n")
            box.settle()
            if i != 2:
                ids.add(edit(one, box.path, "x", "y", began, now()))
            until_later(box)
        one.client.kill()
        change, = box.until_seen()
        eq(set(box.changes()), ids | {change["changeId"]})
        eq(box.ok("cat", box.path, f"--at={change['changeId']}"), "2\n")


if __name__ == "__main__":
    harness.main()
