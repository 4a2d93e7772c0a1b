"""Changes that no line tells of, and that a command of a shell is known by: the
text that came stands in the command, or git brought an earlier state back.

One world for each rule, and one for each case in which nobody may be named;
then random ones, and recordings of the real client. CCFC_SEED sets the first
seed, CCFC_ROUNDS the number of random worlds.
"""
import collections
import os
import random
import re

import harness
import terminal
from harness import Box, eq
from shell_changes import SCENARIOS, Truth, bash, corpus
from shell_states import Asked, edit_of
from transcript import stamp
from world import World

SEED = int(os.environ.get("CCFC_SEED", "20251210"))
ROUNDS = int(os.environ.get("CCFC_ROUNDS")
             or ("200" if os.environ.get("CCFC_SOAK") else "6"))
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

    def gap(self):
        """The step between the first change and the last one."""
        steps = self.steps()
        eq(len(steps), 3, "steps")
        return steps[1]

    def steps(self):
        return Asked(self.box, self.path("a.txt")).log()

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
        with w.box.rpc() as client:
            for only in ({"tools": ["Write"]}, {"evidence": ["result"]}):
                got = client.call("session.diff", session=w.id("a"), **only)
                eq([d["tool"] for d in got["diffs"]], ["Write"])
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
        for args in ("log", "a.txt"), ("log",), ("blame", "a.txt"):
            text, _ = terminal.run([w.box.ccfc, *args], w.box.env, w.dir)
            short, = set(re.findall(r"\w{8}#[0-9a-f]{8}(?=[ \x1b])", text))
            assert "+" + LINE in w.ok("diff", short), args
            eq(text_of(w, at="before:" + short)[0], START)


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
        with w.box.rpc() as rpc:
            reply = rpc.call("file.blame", path=w.path("a.txt"))
        for owner in (reply["lines"][3], reply["blocks"][-1]):
            eq([c["changeId"] for c in owner["candidates"]], [one, two])
        eq(reply["lines"][3]["evidence"], "ambiguous")
        assert "candidates" not in reply["lines"][0], reply["lines"][0]
        out = w.ok("blame", "a.txt")
        assert "(one of 2 commands" in out, out


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


# --- random worlds ---

class Story(World):
    """One file, three sessions and a user. Between two Edits that show what
    they find, commands run that change the file, or only look like it."""

    def __init__(self, seed):
        super().__init__("a", "b", "c")
        self.random = random.Random(seed)
        self.text = START
        self.past = [START]
        self.number = 0
        self.write("a", "a.txt", START)
        self.makers = []  # of each gap: the commands that changed the file
        self.count = collections.Counter()

    def any(self):
        return self.random.choice(sorted(self.sessions))

    def line(self):
        self.number += 1
        return f"line number {self.number} of a made up story"

    def run_any(self, command, **more):
        return bash(self.sessions[self.any()], command, **more)

    def script(self, line):
        return self.random.choice([
            f"python3 - <<'EOF'\nopen('a.txt', 'a').write('{line}\\n')\nEOF",
            f"for f in *.txt; do echo '{line}' >> $f; done",
            f"node -e 'append(\"{line}\")'"])

    def add(self, line):
        self.text += line + "\n"

    def by_command(self):
        line = self.line()
        self.add(line)
        return [self.run_any(self.script(line))]

    def by_two(self):
        """Both have the text, and one of them wrote it."""
        line = self.line()
        self.add(line)
        both = [self.run_any(self.script(line)) for _ in range(2)]
        return [self.random.choice(both)]

    def by_user(self):
        self.add(self.line())
        return []

    def short(self):
        """By a command, and nothing that could tell."""
        self.text += "}\n"
        self.run_any(self.script("}"))
        return []

    def decoy(self):
        """Commands that did nothing to the file, with what the user wrote."""
        line = self.line()
        self.add(line)
        self.run_any(self.random.choice([
            f"git commit -q -m '{line}' && make",
            f"grep -c '{line}' a.txt && make",
            f"cat > b.txt <<'EOF'\n{line}\nEOF\nmake"]))
        if self.random.random() < 0.5:
            self.run_any(self.script(line), error=True)
        return []

    def back(self):
        """git brings an earlier state back; the user does, too."""
        past = [t for t in self.past if t != self.text]
        if not past:
            return []
        self.text = self.random.choice(past)
        if self.random.random() < 0.3:
            return []
        return [self.run_any(self.random.choice(
            ["git stash", "git reset --hard -q", "git checkout main",
             "git stash pop"]))]

    def gap(self):
        """What happens before the next Edit, and who did it."""
        before, makers = self.text, []
        for _ in range(self.random.choice([0, 1, 1, 1, 2])):
            makers.append(self.random.choice(
                [self.by_command, self.by_command, self.by_two, self.by_user,
                 self.short, self.decoy, self.back])())
        self.run_any("make")
        return makers if self.text != before else []

    def live(self):
        for _ in range(12):
            self.makers.append(self.gap())
            self.past.append(self.text)
            old = self.text.split("\n")[0]
            edit_of(self.sessions[self.any()], self.path("a.txt"), self.text,
                    old, old + "!")
            self.text = self.text.replace(old, old + "!", 1)
            self.past.append(self.text)
        self.put("a.txt", self.text)

    def steps(self):
        return Asked(self.box, self.path("a.txt")).log()

    def judge(self, steps):
        """steps: oldest first, each gap in front of the Edit behind it."""
        at, found = -1, []
        for step in steps:
            if step.get("evidence") in ("inferred", "ambiguous"):
                self.judge_gap(self.makers[at], step, found)
            elif step["kind"] != "change":
                self.missed(self.makers[at])
            if step["kind"] == "change" and step["evidence"] == "result":
                at += 1
        return found

    def judge_gap(self, makers, step, found):
        self.count[step["evidence"]] += 1
        real = {m for maker in makers for m in maker}
        said = {c["changeId"] for c in step.get("candidates", ())} or {
            step["changeId"].split("#")[0]}
        # What the user brought back while git ran looks the same.
        if "returnedTo" in step and not real:
            return
        if not real & said:
            found.append((step, makers))

    def missed(self, makers):
        """One command alone, whose text tells."""
        self.count["missed"] += len(makers) == 1 and len(makers[0]) == 1


def test_random_worlds():
    total, found = collections.Counter(), []
    for seed in range(SEED, SEED + ROUNDS):
        with Story(seed) as w:
            w.live()
            wrong = w.judge(w.steps())
            total += w.count
            found += [(seed, *x) for x in wrong]
    print(dict(total))
    assert not found, f"{len(found)} wrong, the first: {found[0]}"
    eq(total["missed"], 0, "gaps that a command explains")
    assert total["inferred"] > ROUNDS and total["ambiguous"] > ROUNDS / 4, \
        total


# --- recordings ---

def test_recordings():
    """Nobody is named for what another call did."""
    said, wrong = collections.Counter(), []
    for scenario in SCENARIOS:
        truth = set()
        for path, call in Truth(scenario).changes():
            truth.add((path, call["tool_use_id"]))
        with Box(claude=os.path.join(corpus(), scenario, "claude")) as box:
            box.start()
            paths = {c["path"] for c in box.dump().changes
                     if c["state"] == "applied"}
            for path in sorted(paths):
                for step in Asked(box, path).log():
                    if step.get("evidence") != "inferred":
                        continue
                    said[scenario] += 1
                    if (path, step["changeId"].split("#")[0]) not in truth:
                        wrong.append((scenario, path, step["command"]))
    print(dict(said))
    eq(wrong, [], "wrong")


if __name__ == "__main__":
    harness.main()
