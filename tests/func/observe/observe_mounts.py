"""Projects on filesystems of other kinds, really mounted, in a mount namespace
of the test's own: those that report all changes are watched, of those that do not
`status` says so, and all else goes on. Skipped where nothing can be mounted.
"""
import contextlib
import functools
import os
import subprocess

import harness
from harness import Skip, eq
from observe_join import Session
from observing import Observed, now
from transcript import edit_result, stamp

def in_namespace(test):
    """Its mounts are nobody else's. Not root: as root of a user namespace."""
    flags = "-m" if os.geteuid() == 0 else "-Urm"

    @functools.wraps(test)
    def run():
        if harness.inside(test.__name__, "unshare", flags):
            test()
    return run


@contextlib.contextmanager
def mounted(where, *command):
    """What the command mounts there, up to the end."""
    os.makedirs(where, exist_ok=True)
    try:
        done = subprocess.run(command, check=False, capture_output=True,
                              text=True)
    except FileNotFoundError as e:
        raise Skip(f"{command[0]} is not installed") from e
    if done.returncode:
        raise Skip(f"{command[0]}: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", where], check=True)


def fuse(behind, where):
    os.makedirs(behind, exist_ok=True)
    return mounted(where, "bindfs", behind, where)


def edit(one, path):
    tid = one.t.call("Edit", {"file_path": path, "old_string": "a",
                              "new_string": "b"}, timestamp=stamp(now()))
    one.t.result(tid, edit_result(path, "a", "b"), timestamp=stamp(now()))


def put(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


@in_namespace
def test_a_project_without_events():
    """Neither the client's edits nor others' are seen: the lines tell."""
    with Observed(git=False) as box, \
            fuse(os.path.join(box.top, "behind"), box.p):
        plain = os.path.join(box.top, "plain")
        os.makedirs(plain)
        path = box.write("a.txt", "a\n")
        box.start()
        one = Session(box, 1)
        box.client(one.t.session)
        box.client("s-2", cwd=plain)
        there, here = sorted(box.watched(2)["projects"],
                             key=lambda p: p["path"] == plain)
        eq(there["problem"],
           "its filesystem (FUSE) does not report all changes")
        assert "problem" not in here, here
        line, = [x for x in box.ok("status").splitlines() if "FUSE" in x]
        eq(line.split(None, 1)[1], f"{box.p}: not watched: its filesystem"
           " (FUSE) does not report all changes")
        # Both ways of changing it, and then a file that is watched.
        put(path, "b\n")
        put(os.path.join(box.top, "behind", "b.txt"), "b\n")
        put(os.path.join(plain, "c.txt"), "c\n")
        eq({os.path.basename(e["path"]) for e in box.saw(1)}, {"c.txt"})
        edit(one, path)
        listed = box.json("list", one.t.session)
        eq([f["path"] for f in listed["files"]], [path])
        eq(box.json("search", path)["sessions"][0]["sessionId"],
           one.t.session)
        assert "Edit" in box.ok("log", path)


@in_namespace
def test_a_part_without_events():
    """A directory of the project is another filesystem: the rest is watched,
    and nothing is said to be seen there."""
    with Observed() as box, \
            fuse(os.path.join(box.top, "behind"),
                 os.path.join(box.p, "far")):
        box.write("far/a.txt", "a\n")
        box.write("near/a.txt", "a\n")
        box.start()
        box.client()
        project, = box.watched()["projects"]
        eq((project["silent"], project["cut"], project["files"]),
           (True, False, 1))
        assert "but for directories on filesystems" in box.ok("status")
        box.write("far/a.txt", "b\n")
        put(os.path.join(box.top, "behind", "a.txt"), "c\n")
        box.write("near/a.txt", "b\n")
        eq([e["path"] for e in box.settle()], ["near/a.txt"])


@in_namespace
def test_an_overlay():
    """As containers have it: files and directories of the lower part, too."""
    with Observed(git=False) as box:
        layers = os.path.join(box.top, "layers")
        with mounted(layers, "mount", "-t", "tmpfs", "none", layers):
            for name in ("lower/d", "upper", "work"):
                os.makedirs(os.path.join(layers, name))
            put(os.path.join(layers, "lower", "a.txt"), "a\n")
            put(os.path.join(layers, "lower", "d", "b.txt"), "b\n")
            options = ",".join(f"{k}dir={os.path.join(layers, k)}"
                               for k in ("lower", "upper", "work"))
            with mounted(box.p, "mount", "-t", "overlay", "none", "-o",
                         options, box.p):
                look_at_overlay(box)


def look_at_overlay(box):
    box.start()
    box.client()
    project, = box.watched()["projects"]
    assert "problem" not in project and not project["silent"], project
    for name in ("a.txt", "d/b.txt"):
        box.write(name, "new\n")
        box.settle()
    os.unlink(os.path.join(box.p, "a.txt"))
    box.settle()
    box.write("d/made.txt", "made\n")
    eq([(e["path"], e["before_size"], e["after_size"])
        for e in box.settle()],
       [("a.txt", 2, 4), ("d/b.txt", 2, 4), ("a.txt", 4, 0),
        ("d/made.txt", 0, 5)])


@in_namespace
def test_a_filesystem_that_goes():
    """Nothing of ours keeps it from being unmounted; then that is said."""
    with Observed(git=False) as box:
        with mounted(box.p, "mount", "-t", "tmpfs", "none", box.p):
            box.write("a.txt", "a\n")
            box.start()
            box.client()
            box.watched()
            box.write("a.txt", "b\n")
            box.saw(1)
            # The client, which is there, goes on elsewhere.
            subprocess.run(["umount", box.p], check=True)
            box.until("gone", lambda o: "removed" in o["projects"][0].get(
                "problem", ""))
            eq(box.ok("status").count("not watched"), 1)
            subprocess.run(["mount", "-t", "tmpfs", "none", box.p],
                           check=True)


if __name__ == "__main__":
    harness.main()
