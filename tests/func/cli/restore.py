"""ccfc restore and ccfc revert: what they change, what they refuse, and that
it can be taken back."""
import fcntl
import os
import re
import resource
import stat
import struct
import subprocess

import harness
from harness import Skip, eq
from transcript import patch
from world import World

LINES = [f"line {n}\n" for n in range(1, 10)]


def text(**changed):
    """Nine lines, some of them changed: text(l1="x")."""
    lines = list(LINES)
    for key, value in changed.items():
        lines[int(key[1:]) - 1] = value + "\n"
    return "".join(lines)


def undo_id(out):
    return re.search(r"^undo with: ccfc restore --undo (\S+)$", out,
                     re.M).group(1)


def three(w, name="f"):
    """A file with three changes; their ids."""
    return [w.write("a", name, "one\n"), w.write("a", name, "two\n"),
            w.write("b", name, "three\n")]


def test_restore_and_undo():
    with World() as w:
        one, two, _ = three(w)
        os.chmod(w.path("f"), 0o750)
        out = w.ok("restore", "f", f"--at={one}")
        eq(w.get("f"), "one\n")
        eq(os.stat(w.path("f")).st_mode & 0o7777, 0o750, "mode")
        assert out.startswith(f"restored f: as after {one} (session "), out
        # it is not what the history has last, but that is our own doing
        w.ok("restore", "f", f"--at={two}")
        eq(w.get("f"), "two\n")
        w.ok("restore", "--undo")
        eq(w.get("f"), "one\n")
        eq(w.ok("restore", "--undo").splitlines()[0], "put back f")
        eq(w.get("f"), "three\n")
        eq(os.stat(w.path("f")).st_mode & 0o7777, 0o750, "mode")
        eq(w.left(), [])
        listing = w.ok("restore", "--list")
        assert undo_id(out) in listing and "undone" in listing, listing
        assert f"restore f --at={one}" in listing, listing


def test_undo_of_an_undo():
    with World() as w:
        one, two, _ = three(w)
        three(w, "g")
        first = w.ok("restore", "f", f"--at={one}")
        second = w.ok("restore", "g", f"--at=before:{w.id('b')}")
        eq((w.get("f"), w.get("g")), ("one\n", "two\n"))
        undone = w.ok("restore", "--undo")
        eq((w.get("f"), w.get("g")), ("one\n", "three\n"))
        # the next one takes back the one before, not the undo
        w.ok("restore", "--undo")
        eq((w.get("f"), w.get("g")), ("three\n", "three\n"))
        w.fails("restore", "--undo", code=1)
        w.ok("restore", "--undo", undo_id(undone))
        eq(w.get("g"), "two\n")
        w.ok("restore", "--undo")
        eq(w.get("g"), "three\n")
        for out in (first, second):
            assert "already undone" in w.fails("restore", "--undo",
                                               undo_id(out))


def test_dry_run():
    with World() as w:
        one, _, _ = three(w)
        out = w.ok("restore", "f", f"--at={one}", "--dry-run")
        eq(out.splitlines()[-3:], ["@@ -1 +1 @@", "-three", "+one"])
        eq(w.get("f"), "three\n")
        eq(w.entries(), [])
        done = subprocess.run(["patch", "-p1"], input=out.encode(),
                              cwd=w.dir, check=True, capture_output=True)
        eq(w.get("f"), "one\n", done.stdout)
        w.put("f", "three\n")
        w.ok("restore", "f", f"--at={one}")
        out = w.ok("restore", "--undo", "--dry-run")
        eq(out.splitlines()[-2:], ["-one", "+three"])
        eq(w.get("f"), "one\n")


def test_changed_outside():
    with World() as w:
        one, _, last = three(w)
        w.put("f", "mine\n")
        said = w.fails("restore", "f", f"--at={one}")
        assert said.startswith(
            f"ccfc: f was changed outside of any session after {last} "
            f"(session {w.id('b')[:8]}, 2025-12-10 10:00"), said
        assert "\nhint: " in said and "--force" in said, said
        eq(w.get("f"), "mine\n")
        done = w.run("restore", "f", f"--at={one}", "--dry-run")
        eq(done.returncode, 2, "dry run")
        assert "-mine\n+one\n" in done.stdout, done.stdout
        w.ok("restore", "f", f"--at={one}", "--force")
        eq(w.get("f"), "one\n")
        w.ok("restore", "--undo")
        eq(w.get("f"), "mine\n")


def test_undo_of_what_was_changed_since():
    with World() as w:
        one, _, _ = three(w)
        w.ok("restore", "f", f"--at={one}")
        w.put("f", "mine\n")
        said = w.fails("restore", "--undo")
        assert "f was changed since 'ccfc restore f" in said, said
        eq(w.get("f"), "mine\n")
        w.ok("restore", "--undo", "--force")
        eq(w.get("f"), "three\n")
        w.ok("restore", "f", f"--at={one}")
        w.put("f", "three\n")  # somebody did it by hand
        assert "nothing to do" in w.ok("restore", "--undo")
        eq([s for _, s in w.entries()], ["undone", "done", "undone"])


def test_absent_and_removed():
    with World() as w:
        w.write("a", "d/e/f", "one\n")
        last = w.write("b", "d/e/f", "two\n")
        w.put("d/e/f", None)
        os.removedirs(w.path("d/e"))
        os.makedirs(w.dir, exist_ok=True)
        w.ok("restore", "d/e/f", f"--at={last}")
        eq(w.get("d/e/f"), "two\n")
        w.ok("restore", "--undo")
        eq(os.listdir(w.dir), [], "what was made for it")
        w.ok("restore", "d/e/f")
        os.chmod(w.path("d/e/f"), 0o600)
        out = w.ok("restore", "d/e/f", f"--at=before:{w.id('a')}")
        assert out.startswith("removed d/e/f: as before"), out
        eq(w.get("d/e/f"), None)
        assert "does not exist" in w.ok("restore", "d/e/f",
                                        f"--at=before:{w.id('a')}")
        w.ok("restore", "--undo")
        eq(w.get("d/e/f"), "two\n")
        eq(os.stat(w.path("d/e/f")).st_mode & 0o7777, 0o600, "mode")


def test_already_so():
    with World() as w:
        _, _, last = three(w)
        assert "already" in w.ok("restore", "f", f"--at={last}")
        eq(w.entries(), [])


def test_times_sessions_and_paths():
    with World() as w:
        three(w)
        w.ok("restore", w.path("f"), f"--at={w.id('a')[:8]}")
        eq(w.get("f"), "two\n")
        w.ok("restore", "--undo")
        w.ok("restore", "./x/../f", f"--at={w.sessions['a'].path}")
        eq(w.get("f"), "two\n")
        w.ok("restore", "--undo")
        w.ok("restore", "f", "--at=2025-12-10T10:00:04.500Z")
        eq(w.get("f"), "one\n")
        w.ok("restore", "--undo")
        w.fails("restore", "f", "--at=2025-12-09", code=1)
        w.fails("restore", "nobody", f"--at={w.id('a')}", code=1)


def test_in_the_way():
    with World() as w:
        three(w)
        os.rename(w.path("f"), w.path("real"))
        os.symlink("real", w.path("f"))
        at = f"--at=before:{w.id('b')}"
        for force in ([], ["--force"]):
            said = w.fails("restore", "f", at, *force)
            assert "f is a symbolic link" in said, said
        eq(w.get("real"), "three\n")
        os.unlink(w.path("f"))
        os.mkdir(w.path("f"))
        assert "is a directory" in w.fails("restore", "f", at, "--force")
        os.rmdir(w.path("f"))
        os.mkfifo(w.path("f"))
        assert "is a named pipe" in w.fails("restore", "f", at, "--force")
        assert stat.S_ISFIFO(os.stat(w.path("f")).st_mode)
        eq((w.left(), w.entries()), ([], []))


def test_directory_by_a_link():
    with World() as w:
        one, _, _ = three(w, "d/f")
        os.symlink("d", w.path("link"))
        w.ok("restore", "link/f", f"--at={one}")
        eq(w.get("d/f"), "one\n")
        assert os.path.islink(w.path("link"))


def test_hard_link():
    with World() as w:
        one, _, _ = three(w)
        os.link(w.path("f"), w.path("g"))
        said = w.fails("restore", "f", f"--at={one}")
        assert "f has 2 names (hard links)" in said, said
        w.ok("restore", "f", f"--at={one}", "--force")
        eq((w.get("f"), w.get("g")), ("one\n", "three\n"))


def acl(perm):
    """One for the user 12345, as the system keeps it."""
    rows = [(1, 6, -1), (2, perm, 12345), (4, 4, -1), (16, 7, -1), (32, 4, -1)]
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHi", *row) for row in rows)


def test_access_control_lists():
    with World() as w:
        one, _, _ = three(w)
        three(w, "g")
        try:
            os.setxattr(w.path("f"), "system.posix_acl_access", acl(6))
            os.setxattr(w.dir, "system.posix_acl_default", acl(7))
        except OSError as error:
            raise Skip(f"no ACLs here: {error}") from error
        modes = [os.stat(w.path(name)).st_mode for name in "fg"]
        w.ok("restore", "f", f"--at={one}")
        w.ok("restore", "g", f"--at={w.id('a')}")
        eq(os.getxattr(w.path("f"), "system.posix_acl_access"), acl(6))
        # nor has the other one got that of its directory
        eq(os.listxattr(w.path("g")), [])
        eq([os.stat(w.path(name)).st_mode for name in "fg"], modes, "modes")


def test_read_only_directory():
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    with World() as w:
        one, _, _ = three(w, "d/f")
        os.chmod(w.path("d"), 0o555)
        try:
            said = w.fails("restore", "d/f", f"--at={one}")
            assert "Permission denied" in said, said
            eq((w.get("d/f"), w.entries()), ("three\n", []))
        finally:
            os.chmod(w.path("d"), 0o755)


def test_limit_on_the_size_of_files():
    """In the place of a full disk: the write fails half-way."""
    with World() as w:
        big = "x" * 99 + "\n"
        w.write("a", "f", "small\n")
        one = w.write("a", "d/g", big * 1000)
        w.write("b", "f", "three\n")
        w.write("b", "d/g", "three\n")
        os.unlink(w.path("d/g"))
        os.rmdir(w.path("d"))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        done = subprocess.run(
            [w.box.ccfc, "restore", "d/g", f"--at={one}"], env=w.box.env,
            cwd=w.dir, capture_output=True, preexec_fn=limit, check=False)
        eq(done.returncode, 2, done.stderr)
        assert b"cannot write" in done.stderr, done.stderr
        assert b"File too large" in done.stderr, done.stderr
        eq(os.listdir(w.dir), ["f"])
        eq(w.entries(), [])


def mount(path):
    """A file system of 256 KiB."""
    os.makedirs(path, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none",
                           path], capture_output=True, check=False)
    if done.returncode != 0:
        raise Skip("may not mount a small file system here")


def test_full_disk():
    with World() as w:
        mount(w.path("d"))
        try:
            one = w.write("a", "d/f", ("x" * 99 + "\n") * 1000)
            w.write("b", "d/f", "three\n")
            with open(w.path("d/fill"), "wb") as f:
                f.write(b"x" * 200000)
            said = w.fails("restore", "d/f", f"--at={one}")
            assert "No space left on device" in said, said
            eq(said.count("\n"), 1, said)
            eq(w.get("d/f"), "three\n")
            eq((w.left(), w.entries()), ([], []))
            os.unlink(w.path("d/fill"))
            w.ok("restore", "d/f", f"--at={one}")
            w.ok("restore", "--undo")
            eq(w.get("d/f"), "three\n")
        finally:
            subprocess.run(["umount", w.path("d")], check=True)


def test_full_undo_area():
    """What cannot be kept is not changed."""
    with World() as w:
        mount(w.undo)
        try:
            one = w.write("a", "f", "one\n")
            big = ("x" * 99 + "\n") * 4000
            w.write("a", "f", big)
            said = w.fails("restore", "f", f"--at={one}")
            assert "cannot keep the present content" in said, said
            assert "No space left on device" in said, said
            eq(w.get("f"), big)
            eq((w.left(), w.entries()), ([], []))
        finally:
            subprocess.run(["umount", w.undo], check=True)


def test_not_known():
    with World() as w:
        three(w, "g")
        w.put("f", "quite other\n")
        edit = w.blind("a", "f", "old words", "new words")
        w.blind("b", "g", "no such words", "others")
        for at in (f"--at={edit}", f"--at=before:{edit}"):
            said = w.fails("restore", "f", at, "--force")
            assert "its content then is" in said, said
        eq(w.get("f"), "quite other\n")
        said = w.fails("restore", "g", f"--at={w.id('a')}")
        assert "the history does not know what g should be now" in said, said
        eq(w.get("g"), "three\n")
        w.ok("restore", "g", f"--at={w.id('a')}", "--force")
        eq(w.get("g"), "two\n")


def test_not_sure():
    """A state that nothing confirms is only written if asked for twice; line
    endings may be assumed."""
    with World() as w:
        w.write("a", "f", "one\ntwo\n")
        blind = w.blind("a", "f", "two", "2")
        w.put("f", "one\n2\nthree\n")
        said = w.fails("restore", "f", f"--at={blind}", "--dry-run")
        assert "is not known exactly" in said, said
        said = w.fails("restore", "f", f"--at={blind}")
        assert "is not known exactly: " in said, said
        assert "--force" in said, said
        eq(w.get("f"), "one\n2\nthree\n", "the file")
        w.ok("restore", "f", f"--at={blind}", "--force")
        eq(w.get("f"), "one\n2\n", "the file by force")
    with World() as w:
        # Of what an Edit found only the text is recorded.
        w.put("g", "one\ntwo\n")
        t = w.sessions["a"]
        tid = t.call("Edit", {"file_path": w.path("g"), "old_string": "one",
                              "new_string": "1"})
        t.result(tid, {"filePath": w.path("g"), "oldString": "one",
                       "newString": "1", "originalFile": "one\ntwo\n",
                       "structuredPatch": patch(
                           ["one", "two"], ["1", "two"])})
        w.put("g", "1\ntwo\n")
        done = w.run("restore", "g", f"--at=before:{tid}")
        eq(done.returncode, 0, done.stderr)
        eq(w.get("g"), "one\ntwo\n", "the file")


def recovered(w, *args):
    """What recover writes: name → text; and what it says."""
    done = w.run("recover", *args, "-o", "out")
    eq(done.returncode, 0, done.stderr)
    found = {}
    top = w.path("out")
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                found[os.path.relpath(path, top)] = f.read()
    found.pop("REPORT.json")
    return found, done.stderr


def test_recover_a_write_without_a_result():
    """A crash took its result: it is offered, beside what is known."""
    with World() as w:
        w.write("a", "f", "one\n")
        t = w.sessions["a"]
        t.call("Write", {"file_path": w.path("f"), "content": "two\n"})
        t.call("Write", {"file_path": w.path("g"), "content": "new\n"})
        t.call("Edit", {"file_path": w.path("h"), "old_string": "a",
                        "new_string": "b"})
        found, said = recovered(w, w.id("a"))
        eq(found.pop("f"), "one\n", "what is known")
        eq(found.pop("g"), "new\n", "the only one")
        eq(list(found.values()), ["two\n"], "the second one")
        eq(said.count("whether the file was written is not known"), 2, said)
        with w.box.rpc() as rpc:
            rows = rpc.call("session.recover", session=w.id("a"))["files"]
        eq([(os.path.basename(r["path"]), r.get("pending", False),
             r["fidelity"]) for r in rows if r.get("pending")],
           [("f", True, "reconstructed"), ("g", True, "reconstructed")],
           "rows that are marked")


def test_recover_a_file_that_became_a_directory():
    """Names are made sure of before anything is written."""
    for first, second in (("a", "a/b"), ("a/b", "a")):
        with World() as w:
            w.write("a", first, "first\n")
            if os.path.isdir(w.path("a")):
                os.unlink(w.path("a/b"))
                os.rmdir(w.path("a"))
            else:
                os.unlink(w.path("a"))
            w.write("a", second, "second\n")
            found, said = recovered(w, w.id("a"))
            eq(sorted(found.values()), ["first\n", "second\n"], said)


def test_waits_for_another():
    with World() as w:
        one, two, _ = three(w)
        w.ok("restore", "f", f"--at={two}")
        w.ok("restore", "--undo")
        with open(os.path.join(w.undo, "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(
                [w.box.ccfc, "restore", "f", f"--at={one}"], env=w.box.env,
                cwd=w.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            assert b"waiting for another" in process.stderr.readline()
            eq(w.get("f"), "three\n")
        process.communicate(timeout=harness.LIMIT)
        eq((process.returncode, w.get("f")), (0, "one\n"))


# ---- revert ----

def test_revert_keeps_what_came_later():
    with World() as w:
        w.put("f", text())
        w.put("g", text())
        w.write("a", "f", text(l1="A"))
        w.write("a", "g", text(l2="A"))
        w.write("b", "f", text(l1="A", l9="B"))
        w.put("g", text(l2="A", l8="mine"))
        out = w.ok("revert", w.id("a"), "--dry-run")
        eq(sorted(x for x in out.splitlines() if re.match("[-+][^-+]", x)),
           ["+line 1", "+line 2", "-A", "-A"])
        eq(w.get("f"), text(l1="A", l9="B"))
        eq(w.entries(), [])
        out = w.ok("revert", w.id("a"))
        eq(w.get("f"), text(l9="B"))
        eq(w.get("g"), text(l8="mine"))
        eq([x[:18] for x in out.splitlines()[:2]],
           ["write     f  +1 -1", "write     g  +1 -1"])
        listing = w.ok("restore", "--list")
        assert f"revert {w.id('a')}" in listing, listing
        assert "and 1 more" in listing, listing
        w.ok("restore", "--undo", undo_id(out))
        eq(w.get("f"), text(l1="A", l9="B"))
        eq(w.get("g"), text(l2="A", l8="mine"))


def test_revert_conflict():
    with World() as w:
        w.put("f", text())
        w.put("g", text())
        w.write("a", "f", text(l5="A"))
        w.write("a", "g", text(l5="A"))
        w.write("b", "g", text(l5="B"))
        before = w.get("f"), w.get("g")
        done = w.run("revert", w.id("a"))
        eq(done.returncode, 2, done.stderr)
        assert "1 of 2 files cannot be taken back" in done.stderr, done.stderr
        assert re.search("^conflict  g.*: ", done.stdout, re.M), done.stdout
        done = w.run("revert", w.id("a"), "--dry-run")
        eq(done.returncode, 2, "dry run")
        assert "+<<<<<<< " in done.stdout, done.stdout
        eq((w.get("f"), w.get("g")), before)
        eq((w.left(), w.entries()), ([], []))
        w.ok("revert", w.id("a"), "f")
        eq((w.get("f"), w.get("g")), (text(), before[1]))
        w.ok("restore", "--undo")
        w.ok("revert", w.id("a"), "--write-conflicts")
        eq(w.get("f"), text())
        assert "<<<<<<< " in w.get("g"), w.get("g")
        assert "\nB\n" in w.get("g"), w.get("g")
        w.ok("restore", "--undo")
        eq((w.get("f"), w.get("g")), before)


def test_revert_of_created_files():
    with World() as w:
        w.write("a", "new", "made\n")
        w.write("a", "d/kept", "made\n")
        w.put("d/kept", "made\nand mine\n")
        done = w.run("revert", w.id("a"))
        eq(done.returncode, 2, done.stderr)
        assert "changed since it was created" in done.stdout, done.stdout
        # there are no markers to write
        w.fails("revert", w.id("a"), "--write-conflicts")
        eq(w.get("new"), "made\n")
        out = w.ok("revert", w.id("a"), "new")
        assert out.startswith("remove    new"), out
        eq((w.get("new"), w.get("d/kept")), (None, "made\nand mine\n"))
        assert "nothing to do" in w.ok("revert", w.id("a"), "new")
        w.ok("restore", "--undo")
        eq(w.get("new"), "made\n")


def test_revert_refuses():
    with World() as w:
        w.put("f", text())
        w.put("g", text())
        w.write("a", "f", text(l1="A"))
        w.write("a", "g", text(l1="A"))
        os.rename(w.path("g"), w.path("real"))
        os.symlink("real", w.path("g"))
        done = w.run("revert", w.id("a"), "--write-conflicts", "--force")
        eq(done.returncode, 2, done.stderr)
        assert "symbolic link" in done.stdout, done.stdout
        eq((w.get("f"), w.get("real")), (text(l1="A"),) * 2)
        w.fails("revert", w.id("a"), "f", "mistyped", code=1)
        w.fails("revert", w.id("a"), "mistyped", code=1)
        w.fails("revert", "0123", code=1)
        os.link(w.path("f"), w.path("again"))
        assert "hard links" in w.fails("revert", w.id("a"), "f")
        eq(w.get("f"), text(l1="A"))
        eq(w.entries(), [])


def test_not_below_the_claude_directory():
    with World() as w:
        plan = os.path.join(w.box.claude, "plans", "x.md")
        one = w.write("a", plan, "one\n")
        w.write("a", plan, "two\n")
        os.symlink(os.path.dirname(plan), w.path("link"))
        for path in (plan, "link/x.md"):
            said = w.fails("restore", path, f"--at={one}", "--force")
            assert "where nothing is written" in said, said
        said = w.fails("revert", w.id("a"))
        assert "where nothing is" in said and "hint: name those" in said, said
        eq((w.get(plan), w.entries()), ("two\n", []))


def test_usage():
    with World() as w:
        for args in (["restore"], ["restore", ""], ["revert"],
                     ["restore", "--undo", "--list"],
                     ["restore", "--list", "x"],
                     ["restore", "--undo", "--at=x"],
                     ["restore", "--undo", "f", "g"],
                     ["restore", "f", "--at="]):
            w.fails(*args)
        for args in (["restore", "--list"], ["restore", "--undo"],
                     ["restore", "--undo", "2026"]):
            w.fails(*args, code=1)
        eq(os.path.exists(w.undo), False, "undo area made for nothing")


if __name__ == "__main__":
    harness.main()
