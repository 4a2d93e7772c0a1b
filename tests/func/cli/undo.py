"""Undo in the sizes that people need: several files, a directory, single
changes; and a look before files are recovered."""
import datetime
import os

import harness
from harness import eq
from restore import text, three, undo_id
from world import World


def test_restore_several_all_or_none():
    with World() as w:
        one, _, _ = three(w, "f")
        three(w, "d/g")
        three(w, "d/h")
        before = f"--at=before:{w.id('b')}"
        out = w.ok("restore", "f", "d/g", before)
        eq((w.get("f"), w.get("d/g"), w.get("d/h")),
           ("two\n", "two\n", "three\n"))
        eq(len(w.entries()), 1, "one entry")
        w.ok("restore", "--undo", undo_id(out))
        eq((w.get("f"), w.get("d/g")), ("three\n", "three\n"))
        # one of them cannot be: none is touched, and it is named
        w.put("d/g", "mine\n")
        said = w.fails("restore", "f", "d/g", before)
        assert "d/g was changed outside" in said, said
        assert "1 of 2 files cannot be restored: nothing was written" in said
        eq((w.get("f"), w.get("d/g")), ("three\n", "mine\n"))
        said = w.fails("restore", "f", "nosuch", before, code=1)
        assert "nosuch" in said, said
        eq(w.get("f"), "three\n")


def test_restore_a_directory():
    with World() as w:
        three(w, "d/g")
        three(w, "d/e/h")
        w.write("a", "d/only-a", "x\n")
        w.write("b", "d/new", "new\n")
        three(w, "outside")
        w.put("d/e/h", None)
        dry = w.ok("restore", "d", f"--at=before:{w.id('b')}", "--dry-run")
        eq(dry.count("\n+two\n"), 2, dry)
        said = w.run("restore", "d", f"--at=before:{w.id('b')}",
                     "--dry-run").stderr
        assert "1 file has no known state then and stays: d/only-a\n" in \
            said, said
        eq(w.get("d/g"), "three\n")
        out = w.ok("restore", "d/", f"--at=before:{w.id('b')}")
        eq([w.get(n) for n in ("d/g", "d/e/h", "d/only-a", "d/new")],
           ["two\n", "two\n", "x\n", None])
        eq(w.get("outside"), "three\n")
        w.ok("restore", "--undo", undo_id(out))
        eq([w.get(n) for n in ("d/g", "d/e/h", "d/new")],
           ["three\n", None, "new\n"])
        w.ok("restore", "d", f"--at=before:{w.id('b')}")
        assert "3 files are so already" in w.ok(
            "restore", "d", f"--at=before:{w.id('b')}")


def test_revert_of_single_changes():
    with World() as w:
        w.write("a", "f", text())
        first = w.write("a", "f", text(l1="A"))
        second = w.write("a", "f", text(l1="A", l5="B"))
        other = w.write("a", "g", "new\n")
        last = w.write("b", "f", text(l1="A", l5="B", l9="C"))
        out = w.ok("revert", second)
        eq(w.get("f"), text(l1="A", l9="C"), out)
        w.ok("revert", "--undo")
        eq(w.get("f"), text(l1="A", l5="B", l9="C"))
        w.ok("revert", first, second, other)
        eq((w.get("f"), w.get("g")), (text(l9="C"), None))
        listing = w.ok("restore", "--list")
        assert f"revert {first} {second} {other}" in listing, listing
        w.ok("revert", "--undo", undo_id(
            "undo with: ccfc restore --undo " + w.entries()[-1][0]))
        eq((w.get("f"), w.get("g")),
           (text(l1="A", l5="B", l9="C"), "new\n"))
        said = w.fails("revert", first, last)
        assert "is of another session" in said and "hint: " in said, said
        dry = w.ok("revert", last, "--dry-run")
        eq(dry.splitlines()[-2:], ["-C", "+line 9"])
        assert "which session, or which change?" in w.fails("revert")
        w.fails("revert", "toolu_nosuch", code=1)


def test_revert_of_a_change_that_did_nothing():
    with World() as w:
        w.write("a", "f", "one\n")
        t = w.sessions["a"]
        tid = t.call("Write", {"file_path": w.path("f"), "content": "x\n"})
        assert "did not take effect (pending)" in w.fails("revert", tid)


def test_revert_of_a_live_session_says_so():
    with World() as w:
        w.write("a", "f", "one\n")
        w.write("b", "g", "one\n")
        now = datetime.datetime.now(datetime.timezone.utc)
        w.sessions["a"].prompt("go on", timestamp=now.strftime(
            "%Y-%m-%dT%H:%M:%S.000Z"))
        done = w.run("revert", w.id("a"))
        eq(done.returncode, 0, done.stderr)
        assert f"session {w.id('a')[:8]} is still at work (active)" in \
            done.stderr, done.stderr
        done = w.run("revert", w.id("b"))
        assert "at work" not in done.stderr, done.stderr


def test_recover_lists_first():
    with World() as w:
        w.write("a", "f", "one\n")
        w.write("b", "g", "two\n")
        w.put("f", None)
        before = sorted(os.listdir(w.dir))
        out = w.ok("recover", "--deleted")
        assert w.path("f") in out and w.path("g") not in out, out
        assert "nothing was written" in out, out
        out = w.ok("recover", w.id("b"), "--list", "-o", "out")
        assert w.path("g") in out, out
        eq(sorted(os.listdir(w.dir)), before)
        rows = w.box.json("recover", "--deleted")
        eq((rows["directory"], rows["written"], rows["total"]), (None, 0, 1))


if __name__ == "__main__":
    harness.main()
