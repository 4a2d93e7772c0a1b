#!/usr/bin/python3
"""Changes that no line tells of, and that a command of a shell is known by: the
text that came stands in the command, or git brought an earlier state back.

One world for each rule, and one for each case in which nobody may be named.
"""
import os

import harness
from harness import eq
from shell_changes import bash
from shell_states import Asked, edit_of
from transcript import stamp
from world import World

START = "alpha\nbeta\ngamma\n"
LINE = "the quick brown fox jumps over it"
SCRIPT = ("python3 - <<'EOF'\ns = open('a.txt').read()\n"
          f"open('a.txt', 'w').write(s + '{LINE}\\n')\nEOF")


class Gap(World):
    """A file that session a wrote, then something, then session b's Edit,
    which shows what it found."""

    def __init__(self, *sessions):
        super().__init__(*(sessions or ("a", "b")))
        self.first = self.write("a", "a.txt", START)

    def run_in(self, session, command, **more):
        return bash(self.sessions[session], command, **more)

    def found(self, text, session="b"):
        """The Edit behind the gap."""
        old = text.split("\n")[0]
        tid = edit_of(self.sessions[session], self.path("a.txt"), text, old,
                      old + "!")
        self.put("a.txt", text.replace(old, old + "!", 1))
        return tid

    def steps(self):
        return Asked(self.box, self.path("a.txt")).log()

    def gap(self):
        """The step between the first change and the last one."""
        steps = self.steps()
        eq(len(steps), 3, "steps")
        return steps[1]

    def nobodys(self, kind="outside"):
        step = self.gap()
        eq(step["kind"], kind)
        assert "evidence" not in step and "changeId" not in step, step

    def blame(self, *more):
        with self.box.rpc() as client:
            reply = client.call("file.blame", path=self.path("a.txt"))
        return [(x["content"].decode(), x["kind"], x["sessionId"],
                 x["evidence"]) for x in reply["lines"]]


def test_text_in_a_command():
    with Gap() as w:
        tid = w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        step = w.gap()
        eq(step["kind"], "change")
        eq(step["evidence"], "inferred")
        eq(step["sessionId"], w.id("a"))
        assert step["changeId"].startswith(tid + "#"), step
        assert step["command"].startswith("python3 - <<'EOF'"), step
        eq((step["tool"], step["operation"]), ("Bash", "modified"))
        eq((step["linesAdded"], step["linesRemoved"]), (1, 0))
        eq(w.blame()[3], (LINE, "session", w.id("a"), "inferred"))


def test_a_target_that_is_not_plain():
    with Gap() as w:
        w.run_in("a", 'for f in *.txt; do echo "' + LINE + '" >> "$f"; done')
        w.found(START + LINE + "\n")
        eq(w.gap()["evidence"], "inferred")


def test_git_brings_a_state_back():
    with Gap() as w:
        edit_of(w.sessions["b"], w.path("a.txt"), START, "beta", "BETA")
        tid = w.run_in("a", "git stash")
        w.found(START)
        steps = w.steps()
        eq([s["kind"] for s in steps], ["change"] * 4)
        eq(steps[2]["evidence"], "inferred")
        assert steps[2]["changeId"].startswith(tid + "#"), steps[2]
        eq(steps[2]["returnedTo"], w.first)
        # Its lines are those who wrote them.
        eq({x[2] for x in w.blame()[1:]}, {w.id("a")})


def test_the_disk_behind_the_last_change():
    with Gap() as w:
        tid = w.run_in("b", SCRIPT)
        w.put("a.txt", START + LINE + "\n")
        when = w.sessions["b"].ids.now / 1000 - 0.5
        os.utime(w.path("a.txt"), (when, when))
        steps = w.steps()
        eq([s["kind"] for s in steps], ["change"] * 2)
        eq(steps[1]["evidence"], "inferred")
        assert steps[1]["changeId"].startswith(tid + "#"), steps[1]
        # Written at another time: by somebody else.
        os.utime(w.path("a.txt"), (when + 60, when + 60))
        eq([s["kind"] for s in w.steps()], ["change", "outside"])


# --- known as other changes are ---

def text_of(w, **at):
    with w.box.rpc() as client:
        reply = client.call("file.at", path=w.path("a.txt"), **at)
    return reply["state"]["content"].decode(), reply


def test_cat_and_diff():
    with Gap() as w:
        tid = w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        made = w.gap()["changeId"]
        eq(text_of(w, at=made)[0], START + LINE + "\n")
        eq(text_of(w, at=made)[1]["changeId"], made)
        eq(text_of(w, at="before:" + made)[0], START)
        eq(text_of(w, at=w.id("a"))[0], START + LINE + "\n")
        with w.box.rpc() as client:
            got = client.call("change.get", change=made)
        eq((got["evidence"], got["sessionId"]), ("inferred", w.id("a")))
        assert "+" + LINE in got["diff"].decode(), got
        diff = w.ok("diff", w.id("a"))
        eq(diff.count("+" + LINE), 1)
        diff = w.ok("diff", w.id("a"), "--net")
        eq(diff.count("+" + LINE), 1)
        assert "+" + LINE not in w.ok("diff", w.id("b")), "b's"
        w.fails("diff", tid + "#00000000", code=1)


def test_time():
    """By the end of the command it was there, and that is not sure."""
    with Gap() as w:
        w.run_in("a", SCRIPT)
        end = w.sessions["a"].ids.now
        w.sessions["a"].ids.now += 60_000
        w.found(START + LINE + "\n")
        text, reply = text_of(w, at=stamp(end + 5000))
        eq(text, START + LINE + "\n")
        eq(reply["state"]["fidelity"], "reconstructed")
        assert "while a command ran" in reply["state"]["why"], reply
        eq(text_of(w, at=stamp(end - 1500))[0], START)


def test_revert():
    with Gap() as w:
        w.run_in("b", SCRIPT)
        w.found(START + LINE + "\n")
        w.ok("revert", w.id("b"))
        eq(w.get("a.txt"), START)


def test_log_names_it():
    with Gap() as w:
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        out = w.ok("log", "a.txt")
        assert "Bash, inferred" in out and "$ python3 -" in out, out


# --- nobody may be named ---

def test_short_lines_mean_nothing():
    with Gap() as w:
        w.run_in("a", "python3 - <<'EOF'\nopen('a.txt', 'a').write('''\n"
                 "return None\n}\n''')\nEOF")
        w.found(START + "return None\n}\n")
        w.nobodys()


def test_a_line_that_was_only_moved():
    with Gap() as w:
        text = LINE + "\n" + START
        w.write("a", "a.txt", text)
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        eq([s["kind"] for s in w.steps()],
           ["change", "change", "outside", "change"])


def test_all_lines_have_to_stand_there():
    with Gap() as w:
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\nand another line that somebody wrote\n")
        w.nobodys()


def test_two_sessions():
    with Gap() as w:
        one = w.run_in("a", SCRIPT)
        two = w.run_in("b", SCRIPT)
        w.found(START + LINE + "\n")
        step = w.gap()
        eq((step["kind"], step["evidence"]), ("outside", "ambiguous"))
        eq([c["changeId"] for c in step["candidates"]], [one, two])
        eq([c["sessionId"] for c in step["candidates"]],
           [w.id("a"), w.id("b")])
        eq(w.blame()[3][1], "outside")


def test_not_in_the_gap():
    with Gap() as w:
        w.found(START.replace("alpha", "alpha"))
        w.found(START.replace("alpha", "alpha!") + LINE + "\n")
        w.run_in("a", SCRIPT)
        eq([s["kind"] for s in w.steps()],
           ["change", "change", "outside", "change"])


def test_before_the_gap():
    with World() as w:
        bash(w.sessions["a"], SCRIPT)
        w.write("a", "a.txt", START)
        text = START + LINE + "\n"
        edit_of(w.sessions["b"], w.path("a.txt"), text, "beta", "BETA")
        w.put("a.txt", text.replace("beta", "BETA"))
        steps = Asked(w.box, w.path("a.txt")).log()
        eq([s["kind"] for s in steps], ["change", "outside", "change"])


def test_a_command_that_failed():
    with Gap() as w:
        w.run_in("a", SCRIPT, error=True)
        w.found(START + LINE + "\n")
        w.nobodys()


def test_failed_and_tried_again():
    """Either may have written it."""
    with Gap() as w:
        w.run_in("a", SCRIPT, error=True)
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        eq(w.gap()["evidence"], "ambiguous")


def test_a_text_for_somebody_else():
    """Of another file, a commit's message, a pattern: not written here."""
    for command in (f"cat > other.txt <<'EOF'\n{LINE}\nEOF\nmake",
                    f"git commit -q -m '{LINE}' && make",
                    f"grep -q '{LINE}' a.txt && make",
                    f"gh pr create --body '{LINE}'",
                    "make"):
        with Gap() as w:
            w.run_in("a", command)
            w.found(START + LINE + "\n")
            w.nobodys()


def test_a_name_alone():
    with Gap() as w:
        w.run_in("a", "python3 fix.py a.txt")
        w.found(START + LINE + "\n")
        w.nobodys()


def test_git_elsewhere_or_there_and_back():
    for command in ("cd /somewhere/else && git stash",
                    "git stash && make; git stash pop",
                    "git commit -q -a -m x",
                    "make"):
        with Gap() as w:
            edit_of(w.sessions["b"], w.path("a.txt"), START, "beta", "BETA")
            w.run_in("a", command)
            w.found(START)
            eq([s["kind"] for s in w.steps()],
               ["change", "change", "returned", "change"])


if __name__ == "__main__":
    harness.main()
