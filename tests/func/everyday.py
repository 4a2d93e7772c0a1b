#!/usr/bin/python3
"""Everyday commands as people use them: states of changes, search, documents,
statistics, names."""
import harness
from harness import Box, eq
from transcript import Ids, Transcript

P = "/home/dev/p"
DENIAL = ("The user doesn't want to proceed with this tool use. "
          "The tool use was rejected")


def deny(t, path):
    """An Edit that the user did not want."""
    tid = t.call("Edit", {"file_path": path, "old_string": "a",
                          "new_string": "b"})
    t.result(tid, text=DENIAL, error=True)
    return tid


def test_list_of_states():
    """What was denied changed nothing, and is not called a change."""
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        deny(t, P + "/a.ts")
        t.write(P + "/b.ts")
        deny(t, P + "/b.ts")
        out = box.ok("list", t.session, "--state=denied")
        assert "Changed Files" not in out, out
        assert "Files by State (2 files, 2 calls)" in out, out
        assert "STATE" in out and "denied" in out, out
        out = box.ok("list", t.session, "--state=all")
        assert "1 applied, 1 denied" in out, out
        assert "Changed Files (1 file, 1 change)" in box.ok("list", t.session)


def test_blame_of_what_was_denied():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        deny(t, P + "/a.ts")
        done = box.run("blame", P + "/a.ts")
        eq(done.returncode, 1, done.stderr)
        assert "no call took effect (1 denied)" in done.stderr, done.stderr
        assert "--state=all" in done.stderr, done.stderr


if __name__ == "__main__":
    harness.main()
