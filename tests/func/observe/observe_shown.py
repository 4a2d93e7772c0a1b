"""What `ccfc watch` and `ccfc top` show of what was seen on disk: writes that no
line tells of yet, edits of killed clients, persons and conflicts with them.
"""
import os
import signal

import harness
from harness import eq
from observe_killed import Killed
from observing import now, pause
from terminal import Terminal
from transcript import edit_result, stamp


def edit(one, path, when, result):
    """The lines of an edit of one line."""
    tid = one.t.call("Edit", {"file_path": path, "old_string": "x",
                              "new_string": "y"}, timestamp=stamp(when))
    one.t.result(tid, edit_result(path, "x", "y"), timestamp=stamp(result))


class Shown(Killed):
    """A session's project of now, and the two commands on a terminal each."""

    def __enter__(self):
        super().__enter__()
        self.one = self.begin()
        # The session is at work: its last line is of now.
        self.one.t.text("I am here", timestamp=stamp(now()))
        self.watch = Terminal(self, "watch", width=100)
        self.watch.line_with("watching")
        self.top = Terminal(self, "top")
        self.top.wait_for("1 active", "nothing yet")
        return self

    def __exit__(self, *exc):
        if exc[0] is None:
            self.top.key("q")
            eq(self.top.end(), 0)
        for terminal in (self.watch, self.top):
            if terminal.process.poll() is None:
                terminal.process.send_signal(signal.SIGKILL)
                terminal.process.wait()
        return super().__exit__(*exc)

    def id(self):
        return self.one.t.session[:8]

    def person(self, text, name="a.txt"):
        """Somebody saves a file; when."""
        self.write(name, text)
        self.settle()
        return [e for e in self.events() if e["path"] == name][-1]["time"]

    def mark(self, name):
        """An edit that is shown after all that was done before it."""
        path = os.path.join(self.p, name)
        when = now()
        edit(self.one, path, when, when + 1)

    def watched_words(self, word):
        """Its words behind the time; aligned below those of changes."""
        line = self.watch.line_with(word)
        eq(line[8:12] + line[22:24], "  p   ", line)
        return line.split()[1:]

    def just_changed(self, *words):
        """The rows of top below the heading, without their times."""
        shown = self.top.wait_for(*words)
        at = shown.index("CHANGED JUST NOW")
        return [x[9:] for x in shown[at + 1:-1] if x and "q quit" not in x]


def test_a_person():
    """Nobody's edit is no change of a session: not a line, not a row."""
    with Shown() as box:
        box.person("one\nmine\nthree\n")
        box.person("new\n", "new.txt")
        pause()
        box.mark("mark.txt")
        eq(box.watched_words("mark.txt"),
           ["p", "applied", "Edit", "mark.txt", "+1", "-1", box.id()])
        for word in ("a.txt", "new.txt", "early", "conflict"):
            assert word not in box.watch.data, box.watch.data
        eq(box.just_changed("mark.txt"),
           ["p            Edit mark.txt +1 -1"])
        assert "conflict" not in box.top.data


def test_a_conflict_with_a_person():
    """Told once, with who it was with; the row of top is of the present."""
    with Shown() as box:
        tid = box.one.t.call("Read", {"file_path": box.path},
                             timestamp=stamp(now() - 2000))
        box.one.t.result(tid, {"type": "text"}, timestamp=stamp(now() - 1990))
        when = box.person("one\nmine\nthree\n")
        edit(box.one, box.path, when + 5000, when + 5010)
        eq(box.watched_words("conflict"),
           ["p", "conflict", "stale", "a.txt", box.id(), "with", "outside"])
        box.mark("mark.txt")
        box.watch.line_with("mark.txt")
        eq(box.watch.data.count("conflict"), 1)
        shown = box.top.wait_for("conflict: ", "mark.txt")
        eq([x for x in shown if "conflict" in x],
           [f"conflict: stale a.txt: {box.id()} and outside"])


def test_a_write_before_its_line():
    """It is shown at once, and is one row when its change comes."""
    with Shown() as box:
        began = now()
        box.one.client.replace(box.path, "one\nTWO\nthree\n")
        eq(box.watched_words("early"),
           ["p", "early", "modified", "a.txt", box.id()])
        eq(box.just_changed("a.txt"), ["p            writing a.txt"])
        edit(box.one, box.path, began, now())
        eq(box.watched_words("Edit"),
           ["p", "applied", "Edit", "a.txt", "+1", "-1", box.id()])
        eq(box.just_changed("Edit"), ["p            Edit a.txt +1 -1"])


def test_a_killed_client():
    """The edit is a change without a tool; a line that comes late has it."""
    with Shown() as box:
        box.one.client.replace(box.path, "one\nTWO\nthree\n")
        seen = box.saw(1)[0]["time"]
        box.one.client.kill()
        eq(box.watched_words("observed"),
           ["p", "applied", "-", "a.txt", "-", box.id(), "observed"])
        eq(box.just_changed("unknown tool"),
           ["p            unknown tool a.txt"])
        edit(box.one, box.path, seen - 5, seen + 5)
        eq(box.watched_words("withdrawn"),
           ["p", "withdrawn", "-", "a.txt", "-", box.id(), "observed"])
        # If the call was read before its result, it is observed.
        eq(box.watched_words("Edit")[:7],
           ["p", "applied", "Edit", "a.txt", "+1", "-1", box.id()])
        eq(box.just_changed("Edit"), ["p            Edit a.txt +1 -1"])


def test_both_at_once():
    """A client is killed, and somebody goes on with its file."""
    with Shown() as box:
        box.one.client.replace(box.path, "one\nTWO\nthree\n")
        box.saw(1)
        two = box.join(2)
        box.one.client.kill()
        box.watch.line_with("observed")
        pause()
        box.person("one\nTWO\nmine\n")
        when = now()
        edit(two, os.path.join(box.p, "b.txt"), when, when + 1)
        box.watch.line_with("b.txt")
        eq(box.just_changed("b.txt"),
           ["p            Edit b.txt +1 -1",
            "p            unknown tool a.txt"])
        assert "conflict" not in box.watch.data, box.watch.data


if __name__ == "__main__":
    harness.main()
