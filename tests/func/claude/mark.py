"""Marks: hooks tell when a command began and ended, so that what changed in
between is its, also where the times of lines cannot tell.
"""
import json
import os
import random
import signal
import sqlite3
import subprocess

import harness
from harness import LIMIT, SANITIZER, RpcError, eq
from observe_join import Session, shell_changes, started, until_changes
from observe_sql import sessions
from observing import Observed, now, pause
from sql import as_lists_have_it
from transcript import stamp

SEED = int(os.environ.get("CCFC_SEED", "20261118"))
ROUNDS = 40 if os.environ.get("CCFC_SOAK") else 3
# As for the status line: fifty milliseconds are short on a busy machine.
PATIENT = {"CCFC_PATIENCE": "1000"}


def run(box, given, env=None):
    """Runs ccfc mark, which must end well and say nothing."""
    text = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run([box.ccfc, "mark"], input=text, timeout=LIMIT,
                          env={**box.env, **PATIENT, **(env or {})},
                          capture_output=True, check=False)
    if SANITIZER.search(done.stderr.decode(errors="replace")):
        raise AssertionError(done.stderr.decode(errors="replace"))
    eq((done.returncode, done.stdout, done.stderr), (0, b"", b""), text[:80])


def hook(box, event, session, tid, **more):
    """The input of a hook, as the client gives it."""
    return {"session_id": session, "transcript_path": "/t.jsonl",
            "cwd": box.p, "permission_mode": "default",
            "hook_event_name": event, "tool_name": "Bash",
            "tool_input": {"command": "make"}, "tool_use_id": tid, **more}


def waiting(box):
    """The marks that the store has and whose lines have not come."""
    path = os.path.join(box.state, "index.db")
    db = sqlite3.connect(path)
    rows = db.execute("SELECT tool_use_id FROM t_mark ORDER BY 1").fetchall()
    db.close()
    return [row[0] for row in rows]


class Two:
    """Two sessions whose commands run one after the other, while their lines
    have both run all the time. Nothing is told yet: neither lines nor marks.
    """

    def __init__(self, box):
        self.box = box
        box.write("y.txt", "y\n")
        box.write("z.txt", "z\n")
        started(box)
        self.one = Session(box, 1, late=True)
        self.two = Session(box, 2, late=True)
        self.marks = []
        for s in (self.one, self.two):
            s.tid = s.begin("make")
        self.act(self.one, lambda: box.write("x.txt", "x\n"))
        self.act(self.two, self.change)
        self.one.end(self.one.tid)
        self.two.end(self.two.tid)
        self.want = {("x.txt", self.one.tid): "observed",
                     ("y.txt", self.two.tid): "observed",
                     ("z.txt", self.two.tid): "observed"}

    def change(self):
        self.box.write("y.txt", "yy\n")
        os.unlink(os.path.join(self.box.p, "z.txt"))

    def act(self, session, change):
        # A tick of the clock of files, and the last one was noticed long ago.
        pause()
        began = now() - 15
        change()
        pause(15)
        self.marks.append({"session": session.t.session,
                           "toolUseId": session.tid, "began": began})
        self.marks.append({"session": session.t.session,
                           "toolUseId": session.tid, "ended": now()})
        self.box.settle()

    def mark(self, mark):
        with self.box.rpc() as rpc:
            return rpc.call("command.mark", **mark)["kept"]

    def lines(self):
        """The lines, each as (path, bytes), in the order of each file."""
        return [[(s.t.path, data) for data in s.t.lines[1:]]
                for s in (self.one, self.two)]

    def found(self):
        return {k: c["evidence"] for k, c in shell_changes(self.box).items()
                if not k[0].startswith("settle-")}


def write_all(two):
    for lines in two.lines():
        for path, data in lines:
            harness.append(path, data)


def test_told_apart():
    """Ambiguous by the lines, and each one's by the marks; also in SQL, and
    after the daemon was stopped, killed, and made to read all again.
    """
    with Observed() as box:
        two = Two(box)
        write_all(two)
        names = ("x.txt", "y.txt", "z.txt")
        eq(two.found(), {(name, s.tid): "ambiguous" for name in names
                         for s in (two.one, two.two)})
        as_lists_have_it(box, sessions(box), "without marks")
        for mark in two.marks:
            eq(two.mark(mark), True, str(mark))
        eq(two.found(), two.want)
        as_lists_have_it(box, sessions(box), "with marks")
        for hard in (True, False):
            box.restart(hard=hard)
            eq(two.found(), two.want, f"restarted, hard: {hard}")
            as_lists_have_it(box, sessions(box), "restarted")
        box.ok("index", "--build")
        eq(two.found(), two.want, "built anew")
        eq(waiting(box), [])


def test_any_order():
    """Lines and marks come in any order, with restarts in between."""
    for seed in range(SEED, SEED + ROUNDS):
        rng = random.Random(seed)
        why = f"CCFC_SEED={seed}"
        with Observed() as box:
            two = Two(box)
            left = [list(two.marks)] + two.lines()
            rng.shuffle(left[0])
            while any(left):
                part = rng.choice([p for p in left if p])
                step = part.pop(0)
                if isinstance(step, dict):
                    two.mark(step)
                else:
                    harness.append(*step)
                if rng.random() < .15:
                    box.restart(hard=rng.random() < .5)
                as_lists_have_it(box, sessions(box), why)
            eq(two.found(), two.want, why)
            eq(waiting(box), [], why)


def test_one_end_is_missing():
    """The other end is that of the lines."""
    with Observed() as box:
        two = Two(box)
        write_all(two)
        # The first has ended before the second begins: what the second did.
        two.mark(two.marks[1])
        eq({k: e for k, e in two.found().items() if k[0] == "x.txt"},
           {("x.txt", two.one.tid): "ambiguous",
            ("x.txt", two.two.tid): "ambiguous"})
        eq({k: e for k, e in two.found().items() if k[0] == "y.txt"},
           {("y.txt", two.two.tid): "observed"})
        # It begins after what the first did.
        two.mark(two.marks[2])
        eq(two.found(), two.want)


def test_another_place():
    """A command of another project had not quite ended when something
    changed: it did not do that, marked or not.
    """
    with Observed() as box:
        started(box)
        one = Session(box, 1, cwd=os.path.join(box.top, "elsewhere"))
        tid = one.begin("make")
        pause()
        box.write("x.txt", "x\n")
        changed = box.saw(1)[0]["time"]
        one.ago = now() - changed + 20
        one.end(tid)
        eq(shell_changes(box), {})
        with box.rpc() as rpc:
            eq(rpc.call("command.mark", session=one.t.session, toolUseId=tid,
                        ended=changed + 10)["kept"], True)
        eq(shell_changes(box), {})


def test_a_beginning_that_was_earlier():
    """The widest mark counts, by however much it is wider."""
    with Observed() as box:
        started(box)
        one = Session(box, 1)
        tid = one.begin("make")
        pause()
        begins = now() - 15
        box.write("x.txt", "x\n")
        box.saw(1)
        one.ago = -300_000
        one.end(tid)
        eq(list(until_changes(box, 1)), [("x.txt", tid)])
        with box.rpc() as rpc:
            for began, want in ((now() + 200_000, []),
                                (begins, [("x.txt", tid)])):
                eq(rpc.call("command.mark", session=one.t.session,
                            toolUseId=tid, began=began)["kept"], True)
                eq(list(shell_changes(box)), want, f"began: {began}")


def test_hooks():
    """The command itself, run as the client runs its hooks."""
    with Observed() as box:
        box.write("x.txt", "x\n")
        started(box)
        one, two = Session(box, 1), Session(box, 2)
        a, b = one.begin("make"), two.begin("make")
        run(box, hook(box, "PreToolUse", one.t.session, a))
        box.write("x.txt", "1\n")
        run(box, hook(box, "PostToolUse", one.t.session, a,
                      tool_response={"stdout": "x" * 200_000}))
        box.saw(1)
        run(box, hook(box, "PreToolUse", two.t.session, b))
        run(box, hook(box, "PostToolUseFailure", two.t.session, b, error="x"))
        one.end(a)
        two.end(b)
        eq({k: c["evidence"] for k, c in until_changes(box, 1).items()},
           {("x.txt", a): "observed"})


def test_background():
    """What runs on after its call has ended is not cut off by the mark."""
    with Observed() as box:
        box.write("x.txt", "x\n")
        started(box)
        one = Session(box, 1)
        a = one.begin("make", run_in_background=True)
        run(box, hook(box, "PreToolUse", one.t.session, a))
        run(box, hook(box, "PostToolUse", one.t.session, a))
        one.end(a, {"backgroundTaskId": "b1"})
        pause()
        box.write("x.txt", "1\n")
        box.saw(1)
        one.t.emit(one.t.record(
            "user", message={"role": "user", "content":
                             "<task-notification>\n<task-id>b1</task-id>\n"
                             f"<tool-use-id>{a}</tool-use-id>\n"
                             "<status>completed</status>\n"
                             "</task-notification>"}, timestamp=stamp(now())))
        eq({k: c["evidence"] for k, c in until_changes(box, 1).items()},
           {("x.txt", a): "observed"})


def test_commands_that_change_nothing():
    """Their marks do not wait for ever, whichever comes first."""
    with Observed() as box:
        started(box)
        one = Session(box, 1)
        with box.rpc() as rpc:
            def mark(tid):
                return rpc.call("command.mark", session=one.t.session,
                                toolUseId=tid, began=now())["kept"]
            first = one.t.ids.tool()
            eq(mark(first), True)
            eq(waiting(box), [first])
            one.t.call("Bash", {"command": "ls"}, tid=first)
            rpc.call("server.info")
            eq(waiting(box), [])
            eq(mark(first), False)
            edit = one.t.call("Edit", {"file_path": "/x", "old_string": "a",
                                       "new_string": "b"})
            eq(mark(edit), False)


def test_hostile():
    """Nonsense is refused or of no effect; nothing grows without bound."""
    with Observed() as box:
        two = Two(box)
        write_all(two)
        before = two.found()
        good = dict(two.marks[0])
        with box.rpc() as rpc:
            for bad in ({"toolUseId": "x" * 200}, {"toolUseId": "a b"},
                        {"toolUseId": "é"}, {"session": "a\nb"},
                        {"began": "1"}, {"began": -5}, {"began": None},
                        {"toolUseId": None}, {"other": 1}):
                try:
                    rpc.call("command.mark", **{**good, **bad})
                except RpcError as error:
                    eq(str(error).startswith("invalid"), True, str(error))
                else:
                    raise AssertionError(bad)
            for when in (0, 1, now() - 3_600_000, now() + 3_600_000,
                         2 ** 63 - 1):
                eq(rpc.call("command.mark", **{**good, "began": when})["kept"],
                   False, str(when))
            # An end in front of the beginning is not believed.
            rpc.call("command.mark", **{**good, "began": now() + 60_000})
            rpc.call("command.mark", **{**good, "began": None,
                                        "ended": now() - 60_000})
            eq(two.found(), before)
            kept = [rpc.call("command.mark", session="s", began=now(),
                             toolUseId=f"toolu_{i}")["kept"]
                    for i in range(4200)]
        eq((kept.count(True), len(waiting(box))), (4096, 4096))
        box.restart(hard=True)
        eq(two.found(), before)


def test_in_nobodys_way():
    """Whatever it is given, and whatever the daemon is like."""
    with Observed() as box:
        given = hook(box, "PreToolUse", "s", "toolu_1")
        run(box, given)
        eq(os.path.exists(box.socket), False, "it started the daemon")
        started(box)
        for text in (b"", b"\xff\xfe", b"null", b"[]", b"{", b"{}" * 2,
                     b"[" * 100_000, b'"' + b"x" * 20_000_000 + b'"'):
            run(box, text)
        for key in ("session_id", "tool_use_id", "hook_event_name",
                    "tool_name"):
            for value in (None, 1, "", {}, ["x"], "a\0b", "x" * 70_000):
                run(box, {**given, key: value})
        run(box, {**given, "tool_name": "Edit"})
        run(box, {**given, "hook_event_name": "Stop"})
        run(box, {**given, "cwd": 5, "tool_use_id": "toolu_2"})
        eq(waiting(box), ["toolu_2"])
        # A daemon that does not answer, and a socket that nobody reads.
        os.kill(box.daemon.pid, signal.SIGSTOP)
        try:
            run(box, given, {"CCFC_PATIENCE": "1"})
        finally:
            os.kill(box.daemon.pid, signal.SIGCONT)
        # An input that does not end.
        process = subprocess.Popen(
            [box.ccfc, "mark"], stdin=subprocess.PIPE,
            env={**box.env, "CCFC_PATIENCE": "1"})
        eq(process.wait(LIMIT), 0)
        process.stdin.close()
        # Standard files that are closed.
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            done = subprocess.run(
                ["sh", "-c", f'"$0" mark {closed}', box.ccfc], timeout=LIMIT,
                input=json.dumps(given).encode(), capture_output=True,
                env={**box.env, **PATIENT}, check=False)
            eq((done.returncode, done.stdout, done.stderr), (0, b"", b""),
               closed)


def test_forgotten_and_excluded():
    """Nothing of a forgotten session or an excluded project is kept."""
    with Observed("exclude = */secret\n") as box:
        started(box)
        one = Session(box, 1)
        tid = one.begin("make")
        with box.rpc() as rpc:
            def mark(tid, session=one.t.session, **more):
                return rpc.call("command.mark", session=session, began=now(),
                                toolUseId=tid, **more)["kept"]
            eq((mark(tid), mark("toolu_waits"), mark("toolu_other", "s-2")),
               (True, True, True))
            eq(mark("toolu_x", "s-3", cwd=os.path.join(box.top, "secret")),
               False)
            eq(waiting(box), ["toolu_other", "toolu_waits"])
        one.end(tid)
        box.ok("forget", one.t.session, "--yes")
        eq(waiting(box), ["toolu_other"])
        with box.rpc() as rpc:
            eq(mark("toolu_again"), False)
        box.restart()
        eq(waiting(box), ["toolu_other"])


if __name__ == "__main__":
    harness.main()
