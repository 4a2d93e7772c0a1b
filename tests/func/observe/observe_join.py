"""What was seen on disk, held against the times of the lines: whose it was."""
import os
import subprocess
import time

import harness
from harness import eq
from observing import Observed, now, pause
from transcript import Ids, Transcript, patch, stamp


class Session:
    """A transcript whose lines have the time at which they are made. What
    `run` runs is really run; its lines come at once, or when `flush` is called,
    as those of a message with several calls do.
    """

    def __init__(self, box, seed, late=False, agent=None, session=None,
                 cwd=None):
        self.box = box
        ids = Ids(seed)
        ids.now = now() - 5000
        self.t = Transcript(box, ids, cwd=cwd or box.p, agent=agent,
                            session=session)
        self.t.prompt("please", timestamp=stamp(now() - 20_000))
        self.t.live = not late
        self.ago = 0  # by how much its clock goes after

    def flush(self):
        for data in self.t.lines[1:]:
            harness.append(self.t.path, data)
        self.t.lines = self.t.lines[:1]

    def begin(self, command, **given):
        return self.t.call("Bash", {"command": command, **given},
                           timestamp=stamp(now() - self.ago))

    def end(self, tid, detail=None, **more):
        self.t.result(tid, {"stdout": "", "stderr": "", "interrupted": False,
                            **(detail or {})},
                      timestamp=stamp(now() - self.ago), **more)
        return tid

    def run(self, command, **more):
        tid = self.begin(command)
        subprocess.run(["sh", "-c", command], cwd=self.box.p, check=False)
        return self.end(tid, **more)


def shell_changes(box):
    return {(os.path.relpath(c["path"], box.p), c["toolUseId"]):
            c for c in box.dump().changes if c["evidence"] != "result"}


def until_changes(box, n):
    end = time.monotonic() + harness.LIMIT
    while time.monotonic() < end:
        found = shell_changes(box)
        if len(found) >= n:
            return found
    raise AssertionError(f"never {n} changes: {found}")


def started(box, names="s-1"):
    box.start()
    for name in names.split():
        box.client(name)
    box.watching()


def test_a_command_that_does_not_say_what_it_does():
    """The text does not tell, the client noted nothing; the disk does."""
    with Observed() as box:
        box.write("old.txt", "old\n")
        box.write("gone.txt", "gone\n")
        box.write("go.sh", "echo new > new.txt; echo more >> old.txt\n"
                  "rm gone.txt; echo x > passing; rm passing\n")
        started(box)
        one = Session(box, 1)
        tid = one.run("sh ./go.sh")
        found = until_changes(box, 3)
        eq({(path, c["operation"], c["evidence"], c["state"])
            for (path, _), c in found.items()},
           {("new.txt", "created", "observed", "applied"),
            ("old.txt", "modified", "observed", "applied"),
            ("gone.txt", "deleted", "observed", "applied")})
        eq({t for _, t in found}, {tid})
        # It is all there after a restart, and a search finds it.
        before = box.dump().text
        box.restart(hard=True)
        eq(box.dump().text, before)
        found = box.json("search", os.path.join(box.p, "new.txt"))
        eq(found["sessions"][0]["sessionId"], one.t.session)


def test_lines_that_come_late():
    """Events wait for the lines: those of a message come at its end."""
    with Observed() as box:
        box.write("go.sh", "echo $1 > $1.txt\n")
        started(box)
        one = Session(box, 1, late=True)
        first = one.run("sh ./go.sh a")
        box.saw(1)
        second = one.run("sh ./go.sh b")
        box.saw(2)
        eq(shell_changes(box), {})
        one.flush()
        eq({k: c["evidence"] for k, c in until_changes(box, 2).items()},
           {("a.txt", first): "observed", ("b.txt", second): "observed"})


def test_a_persons_edit_is_nobodys():
    with Observed() as box:
        box.write("a.txt", "1\n")
        started(box)
        one = Session(box, 1)
        one.ago = 10_000
        one.run("python3 -c pass")
        box.write("a.txt", "2\n")
        box.saw(1)
        one.ago = -10_000
        one.run("python3 -c pass")
        eq(shell_changes(box), {})
        eq(len(box.dump().commands), 2, "commands")


def test_two_sessions_at_once():
    """Both ran when it changed: both are named, unless one text has it."""
    with Observed() as box:
        box.write("go.sh", "echo $1 > $2$3\n")
        started(box, "s-1 s-2")
        one, two = Session(box, 1), Session(box, 2)
        a, b = one.begin("sh ./go.sh"), two.begin("./other program")
        box.write("x.txt", "x\n")
        box.saw(1)
        one.end(a)
        # The other one still runs: it may be its.
        found = until_changes(box, 1)
        eq({k: c["evidence"] for k, c in found.items()},
           {("x.txt", a): "ambiguous"})
        two.end(b)
        found = until_changes(box, 2)
        eq({k: c["evidence"] for k, c in found.items()},
           {("x.txt", a): "ambiguous", ("x.txt", b): "ambiguous"})
        eq([r["changeId"].split("#")[0]
            for r in found["x.txt", a]["candidates"]], [b])
        a, b = one.begin("sh ./go.sh y .txt y.txt"), two.begin("./other")
        box.write("y.txt", "y\n")
        box.saw(2)
        one.end(a)
        two.end(b)
        found = until_changes(box, 4)
        eq({k: c["evidence"] for k, c in found.items() if k[0] == "y.txt"},
           {("y.txt", a): "observed", ("y.txt", b): "ambiguous"})


def test_a_session_and_its_agent():
    with Observed() as box:
        started(box)
        one = Session(box, 1)
        agent = Session(box, 2, agent="a1", session=one.t.session)
        a, b = one.begin("./main"), agent.begin("./agent")
        box.write("x.txt", "x\n")
        box.saw(1)
        one.end(a)
        agent.end(b)
        eq({c["evidence"] for c in until_changes(box, 2).values()},
           {"ambiguous"})


def test_calls_of_one_message():
    """Both calls are made at once and run one after the other."""
    with Observed() as box:
        started(box)
        one = Session(box, 1)
        a, b = one.begin("./first"), one.begin("./second")
        box.write("a.txt", "a\n")
        one.end(a)
        # It takes a while, as a command does to start.
        box.saw(1)
        box.write("b.txt", "b\n")
        box.saw(2)
        one.end(b)
        eq({k: c["evidence"] for k, c in until_changes(box, 2).items()},
           {("a.txt", a): "observed", ("b.txt", b): "observed"})


def test_what_a_tool_wrote_is_no_commands():
    """A client renames its files into place; an older one does not."""
    with Observed() as box:
        path = box.write("a.txt", "a\n")
        started(box, "s-1 s-2")
        one, two = Session(box, 1), Session(box, 2)
        a = one.begin("./long")
        name = box.write(f"a.txt.tmp.{box.clients[1].pid}.0123ab", "b\n")
        os.rename(name, path)
        box.saw(1)
        b = two.t.call("Edit", {"file_path": path, "old_string": "b",
                                "new_string": "c"}, timestamp=stamp(now()))
        box.write("a.txt", "c\n")
        box.saw(2)
        two.t.result(b, {"filePath": path, "oldString": "b", "newString": "c",
                         "originalFile": "b\n", "structuredPatch": []},
                     timestamp=stamp(now()))
        one.end(a)
        eq(shell_changes(box), {})


def test_failed_and_in_the_background():
    with Observed() as box:
        box.write("go.sh", "echo $1 > $1.txt; exit 1\n")
        started(box)
        one = Session(box, 1)
        one.run("sh ./go.sh failed", error=True, text="Exit code 1")
        tid = one.begin("sh ./go.sh later", run_in_background=True)
        one.end(tid, {"backgroundTaskId": "b1"})
        subprocess.run(["sh", "./go.sh", "later"], cwd=box.p, check=False)
        box.saw(2)
        one.t.emit(one.t.record(
            "user", message={"role": "user", "content":
                             "<task-notification>\n<task-id>b1</task-id>\n"
                             f"<tool-use-id>{tid}</tool-use-id>\n"
                             "<status>completed</status>\n"
                             "</task-notification>"}, timestamp=stamp(now())))
        found = until_changes(box, 2)
        eq({(path, c["evidence"], c["state"])
            for (path, _), c in found.items()},
           {("failed.txt", "observed", "applied"),
            ("later.txt", "observed", "applied")})


def test_one_change_with_both():
    """What the text says and what was seen is one change."""
    with Observed() as box:
        started(box)
        one = Session(box, 1)
        tid = one.run("echo x > a.txt")
        box.saw(1)
        end = time.monotonic() + harness.LIMIT
        while time.monotonic() < end:
            found = shell_changes(box)
            if found["a.txt", tid]["evidence"] == "observed":
                break
        eq(len(found), 1, "changes")
        eq(found["a.txt", tid]["evidence"], "observed")
        eq(found["a.txt", tid]["allEvidence"], ["observed", "parsed"])
        # And what the client noted.
        b = one.begin("echo y > a.txt; ./more")
        box.write("a.txt", "y\n")
        box.saw(2)
        path = os.path.join(box.p, "a.txt")
        one.end(b, {"bashEditDiff": {
            "files": [{"filePath": path, "hunks": patch(["x"], ["y"])}],
            "moreFiles": 0, "changedFiles": [path]}})
        found = until_changes(box, 2)
        eq((found["a.txt", b]["evidence"], found["a.txt", b]["allEvidence"]),
           ("recorded", ["recorded", "observed", "parsed"]))


# --- before the line comes ---

def test_early():
    """A client replaced a file: that is told before its line is there."""
    with Observed() as box:
        path = box.write("a.txt", "a\n")
        box.start()
        one = Session(box, 1)
        box.client(one.t.session)
        box.watching()
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            began = now()
            name = box.write(f"a.txt.tmp.{box.clients[0].pid}.00ff", "b\n")
            os.rename(name, path)
            early = rpc.event()
            eq({k: early[k] for k in ("type", "path", "sessionId", "pid",
                                      "operation")},
               {"type": "early", "path": path, "sessionId": one.t.session,
                "pid": box.clients[0].pid, "operation": "modified"})
            tid = one.t.call("Write", {"file_path": path, "content": "b\n"},
                             timestamp=stamp(began))
            one.t.result(tid, {"type": "update", "filePath": path,
                               "content": "b\n", "originalFile": "a\n",
                               "structuredPatch": []}, timestamp=stamp(now()))
            change = rpc.event()
            eq({k: change[k] for k in ("type", "path", "sessionId", "seenAt")},
               {"type": "change", "path": path, "sessionId": one.t.session,
                "seenAt": early["seenAt"]})


# --- content ---

def put(box, name, data):
    with open(os.path.join(box.p, name), "wb") as f:
        f.write(data)


def at(box, name, point):
    """The bytes there, which have to be exact; None: no file."""
    with box.rpc() as rpc:
        state = rpc.call("file.at", path=os.path.join(box.p, name), at=point,
                         includeContent=True)["state"]
    eq((state["fidelity"], state["why"]), ("exact", None), (name, point))
    return state["content"] if state["exists"] else None


def test_content_of_what_a_command_did():
    """Whatever the bytes are: before and after are those of the disk."""
    cases = {"plain.txt": (b"one\ntwo\n", b"one\n2\nthree\n"),
             "crlf.txt": (b"a\r\nb\r\n", b"a\r\nB\r\n"),
             "mixed.txt": (b"a\r\nb\n", b"a\nb\r\nc"),
             "bytes.bin": (b"\x00\xff\xfe\n", b"\xff\x00\r\n\x80"),
             "utf16.txt": ("\ufeffx\n".encode("utf-16le"),
                           "\ufeffy\n".encode("utf-16le")),
             "open.txt": (b"no newline", b"no newline\nyet"),
             "empty.txt": (b"", b"x"),
             "new.txt": (None, b"made\n"),
             "gone.txt": (b"old\n", None)}
    with Observed() as box:
        for name, (before, after) in cases.items():
            if before is not None:
                put(box, name, before)
            if after is not None:
                put(box, ".git/" + name, after)
        started(box)
        one = Session(box, 1)
        tid = one.run("for f in .git/*.*; do cp $f .; done; rm gone.txt")
        found = until_changes(box, len(cases))
        eq({k[0] for k in found}, set(cases), "files")
        for name, (before, after) in cases.items():
            change = found[name, tid]["changeId"]
            eq(at(box, name, f"before:{change}"), before, name)
            eq(at(box, name, change), after, name)
        # A further edit by somebody does not touch that.
        pause()
        put(box, "plain.txt", b"else\n")
        box.settle()
        eq(at(box, "plain.txt",
              found["plain.txt", tid]["changeId"]),
           cases["plain.txt"][1])


def test_what_commands_make_of_it():
    with Observed() as box:
        path = box.write("a.txt", "one\ntwo\nthree\n")
        box.write("fmt.py", "t = open('a.txt').read().replace('two', 'TWO')\n"
                  "open('a.txt', 'w').write(t)\n")
        started(box)
        one = Session(box, 1)
        tid = one.run("python3 fmt.py")
        change = until_changes(box, 1)["a.txt", tid]["changeId"]
        diff = box.ok("diff", change)
        assert "-two\n+TWO\n" in diff, diff
        assert "observed" in box.ok("log", path), box.ok("log", path)
        listed = box.json("list", one.t.session, "--show-changes")
        got = {(os.path.basename(f["path"]), c.get("oldContent"),
                c.get("newContent"))
               for f in listed["files"] for c in f["changes"]}
        assert ("a.txt", "two\n", "TWO\n") in got, got
        blame = box.ok("blame", path).splitlines()
        assert blame[0].startswith("outside"), blame
        assert blame[1].startswith(tid[:14]), blame
        eq(box.ok("cat", path, f"--at=before:{change}"),
           "one\ntwo\nthree\n")
        pause()
        box.write("a.txt", "one\nTWO\nthree\nfour\n")
        box.settle()
        box.ok("revert", one.t.session, "--outside")
        with open(path, encoding="utf-8") as f:
            eq(f.read(), "one\ntwo\nthree\nfour\n")


def test_two_commands_one_change():
    """Of two that may have made it, one has the lines; both are named."""
    with Observed() as box:
        box.write("a.txt", "one\n")
        started(box, "s-1 s-2")
        one, two = Session(box, 1), Session(box, 2)
        a, b = one.begin("./first"), two.begin("./second")
        box.write("a.txt", "two\n")
        box.saw(1)
        one.end(a)
        two.end(b)
        found = until_changes(box, 2)
        for tid in (a, b):
            eq(at(box, "a.txt", found["a.txt", tid]["changeId"]),
               b"two\n")
        with box.rpc() as rpc:
            log = rpc.call("file.log", path=os.path.join(box.p, "a.txt"))
        eq([s for s in log["steps"] if s.get("kind") == "outside"], [], log)


# --- what a person did in between ---

def moment(ms):
    return stamp(ms)


def exact(box, at):
    """The file at that moment, which has to be known for sure."""
    with box.rpc() as rpc:
        reply = rpc.call("file.at", path=os.path.join(box.p, "a.txt"), at=at,
                         includeContent=True)
    state = reply["state"]
    eq((state["fidelity"], state["why"]), ("exact", None), at)
    return state["content"].decode()


def test_exact_across_a_persons_edits():
    """A session writes, a person edits twice, the session edits again."""
    with Observed() as box:
        path = box.write("a.txt", "one\n")
        started(box)
        one = Session(box, 1)
        tid = one.t.call("Write", {"file_path": path, "content": "two\n"},
                         timestamp=stamp(now()))
        name = box.write(f"a.txt.tmp.{box.clients[0].pid}.ab12", "two\n")
        os.rename(name, path)
        one.t.result(tid, {"type": "update", "filePath": path,
                           "content": "two\n", "originalFile": "one\n",
                           "structuredPatch": []}, timestamp=stamp(now()))
        box.saw(1)
        box.write("a.txt", "three\n")
        box.saw(2)
        box.write("a.txt", "four\n")
        events = box.saw(3)
        times = [e["time"] for e in events]
        # It was surely as before until then; never so late as the event.
        held = [min(e["held"], e["time"]) for e in events]
        eq(exact(box, moment(times[1])), "three\n")
        if held[2] > times[1]:
            eq(exact(box, moment(held[2] - 1)), "three\n")
        eq(exact(box, moment(times[2])), "four\n")
        if held[1] > times[0] + 200:
            eq(exact(box, moment(held[1] - 1)), "two\n")
        # And it stays so behind a further change.
        tid = one.t.call("Edit", {"file_path": path, "old_string": "four",
                                  "new_string": "five"},
                         timestamp=stamp(now()))
        name = box.write(f"a.txt.tmp.{box.clients[0].pid}.ab13", "five\n")
        os.rename(name, path)
        one.t.result(tid, {
            "filePath": path, "oldString": "four", "newString": "five",
            "originalFile": "four\n", "userModified": False,
            "replaceAll": False, "structuredPatch": [
                {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
                 "lines": ["-four", "+five"]}]}, timestamp=stamp(now()))
        box.saw(4)
        for at, want in ((times[1], "three\n"), (times[2], "four\n")):
            eq(exact(box, moment(at)), want, at)
        eq(box.ok("cat", path, "--at=" + moment(times[1])), "three\n")
        # A person's edits have the time at which they were seen.
        with box.rpc() as rpc:
            steps = rpc.call("file.log", path=path)["steps"]
        eq([s["seenAt"] for s in steps if s["kind"] == "outside"],
           [stamp(t) for t in (times[2], times[1])])
        rows = [row for row in box.ok("log", path).splitlines()
                if " outside " in row]
        eq([">" in row for row in rows], [False, False], rows)
        # What is kept no more is not known, and nothing else is said.
        for folder, _, names in os.walk(os.path.join(box.state, "blobs")):
            for name in names:
                os.unlink(os.path.join(folder, name))
        with box.rpc() as rpc:
            reply = rpc.call("file.at", path=path, at=moment(times[1]))
        eq((reply["state"]["fidelity"], reply["state"]["why"]),
           ("unknown", "its content at that moment was not kept"))


if __name__ == "__main__":
    harness.main()
