"""What diff, list, revert and recover do with changes that commands of a shell
made, and what they say of those that nobody knows."""
import harness
from harness import eq
from shell_states import hunk, noted, run
from world import World


def shell(w, session, command, *files, disk=None, **more):
    """A command, with what it does to the disk: {name: text or None}."""
    tid = run(w.sessions[session], command, *files, **more)
    for name, text in (disk or {}).items():
        w.put(name, text)
    return tid


def reads(w, session, name):
    """A Read that shows the whole file."""
    t, path, text = w.sessions[session], w.path(name), w.get(name)
    tid = t.call("Read", {"file_path": path})
    lines = text.count("\n") + 1
    t.result(tid, {"type": "text", "file": {
        "filePath": path, "content": text, "numLines": lines,
        "startLine": 1, "totalLines": lines}})


def test_a_deleted_file_comes_back():
    with World() as w:
        w.write("b", "README.md", "read\nme\n")
        shell(w, "a", "rm README.md", disk={"README.md": None})
        diff = w.ok("diff", w.id("a"))
        assert "deleted file" in diff and "-me" in diff, diff
        out = w.ok("revert", w.id("a"))
        assert out.startswith("create    README.md"), out
        eq(w.get("README.md"), "read\nme\n")
        w.ok("restore", "--undo")
        eq(w.get("README.md"), None)


def test_nothing_known_of_a_deleted_file():
    """Never without a word."""
    with World() as w:
        shell(w, "a", "rm README.md")
        said = w.fails("revert", w.id("a"))
        assert "README.md: stays as it is: " in said, said
        assert "nothing can be taken back: not known: 1 file" in said, said
        eq(w.entries(), [])
        said = w.fails("diff", w.id("a"))
        assert "README.md: no diff: the content" in said, said
        assert "README.md" in w.ok("list", w.id("a"))


def test_a_file_that_was_read_comes_back():
    with World() as w:
        w.put("a.txt", "one\ntwo\n")
        reads(w, "a", "a.txt")
        shell(w, "a", "rm a.txt", disk={"a.txt": None})
        w.ok("recover", w.id("a"), "--output=" + w.path("out"))
        eq(w.get("out/a.txt"), "one\ntwo\n")


def test_recover_all_that_is_gone():
    """A file that a command deleted is one that may be missed."""
    with World() as w:
        w.write("a", "a.txt", "one\n")
        shell(w, "a", "rm a.txt b.txt", disk={"a.txt": None})
        w.ok("recover", "--deleted", "--project=.",
             "--output=" + w.path("out"))
        eq((w.get("out/a.txt"), w.get("out/b.txt")), ("one\n", None))


def test_revert_of_noted_lines():
    """What others did since stays."""
    with World() as w:
        w.write("b", "f", "one\ntwo\nthree\nfour\nfive\n")
        shell(w, "a", "make fmt", noted(w.path("f"), hunk(
            "-one", "+1", " two", " three", " four")),
            noted(w.path("new"), hunk("+x", "+y"), created=True),
            disk={"f": "1\ntwo\nthree\nfour\n5\n", "new": "x\ny\n"})
        out = w.ok("revert", w.id("a"))
        eq((w.get("f"), w.get("new")), ("one\ntwo\nthree\nfour\n5\n", None))
        eq(out.splitlines()[0], "write     f  +1 -1: " + out.splitlines()[0]
           .partition(": ")[2])


def test_what_stays_is_said_first_and_last():
    with World() as w:
        w.write("a", "f", "one\n")
        shell(w, "a", "sed -i s/x/y/ g", disk={"g": "y\n"})
        shell(w, "a", "python3 gen.py")
        done = w.run("revert", w.id("a"), "--dry-run")
        eq(done.returncode, 0, done.stderr)
        assert "the effects of 1 command" in done.stderr, done.stderr
        done = w.run("revert", w.id("a"))
        eq(done.returncode, 0, done.stderr)
        assert "g: stays as it is: " in done.stderr, done.stderr
        eq(done.stdout.splitlines()[-1],
           "not taken back, since it is not known: 1 file and the effects of "
           "1 command")
        eq((w.get("f"), w.get("g")), (None, "y\n"))


def test_commands_alone():
    """Commands whose effects are not known are never "no changes" alone."""
    with World() as w:
        shell(w, "a", "python3 gen.py")
        shell(w, "a", "make")
        for command in ("diff", "list", "revert", "log"):
            said = w.fails(command, w.id("a"), code=1)
            assert "effects of 2 commands" in said, said
        with w.box.rpc() as client:
            for method in ("session.diff", "session.revert"):
                reply = client.call(method, session=w.id("a"))
                eq(reply["unknownCommands"], 2, method)


def test_diff_says_what_is_not_shown():
    with World() as w:
        w.write("a", "f", "one\n")
        shell(w, "a", "make")
        done = w.run("diff", w.id("a"))
        eq(done.returncode, 0)
        assert "the effects of 1 command are not known: ccfc show " in \
            done.stderr, done.stderr
        log = w.run("log", w.id("a"))
        assert "the effects of 1 command are not known: " in log.stderr, log
        net = w.run("diff", w.id("a"), "--net")
        assert "the effects of 1 command" in net.stderr, net.stderr


def test_revert_leaves_ambiguous_changes_alone():
    with World() as w:
        w.write("b", "f", "one\n")
        a, b = w.sessions["a"], w.sessions["b"]
        lines = noted(w.path("f"), hunk("-one", "+1"))
        here = a.call("Bash", {"command": "make"})
        there = b.call("Bash", {"command": "make"})
        run(a, None, lines, tid=here)
        run(b, None, lines, tid=there)
        w.put("f", "1\n")
        said = w.fails("revert", w.id("a"))
        assert "another session may have changed it" in said, said
        eq(w.get("f"), "1\n")


def test_blame_names_the_command():
    with World() as w:
        w.write("b", "f", "one\ntwo\n")
        shell(w, "a", "make fmt", noted(w.path("f"), hunk("-one", "+1",
                                                         " two")),
              disk={"f": "1\ntwo\n"})
        with w.box.rpc() as client:
            lines = client.call("file.blame", path=w.path("f"))["lines"]
        eq([(x["sessionId"], x["evidence"], x["command"]) for x in lines],
           [(w.id("a"), "recorded", "make fmt"), (w.id("b"), "result", None)])
        out = w.ok("blame", "--format=porcelain", "f")
        assert "\nccfc-command make fmt\n" in out, out


if __name__ == "__main__":
    harness.main()
