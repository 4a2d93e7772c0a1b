"""The content of files before and after what commands of a shell changed.

First on recordings of the real client, against the bytes that were on disk;
then on transcripts made for one thing each.
"""
import collections
import hashlib
import os

import harness
from harness import Box, eq
from shell_changes import SCENARIOS, Sessions, Truth, corpus
from transcript import edit_result

P = "/home/dev/p"
KNOWN = ("exact", "reconstructed")


# --- recordings ---

def sha(state):
    if not state["exists"]:
        return None
    content = state["content"]
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


class Looks:
    """What is said of each change of a command, and what was there."""

    def __init__(self, scenario):
        self.truth = Truth(scenario)
        self.kinds = collections.Counter()
        self.wrong = []
        with Box(claude=os.path.join(corpus(), scenario, "claude")) as box:
            box.start()
            said = {(c["path"], c["toolUseId"]): c for c in box.dump().changes}
            with box.rpc() as client:
                for path, call, after in self.truth.after():
                    c = said.get((path, call["tool_use_id"]))
                    if c and c["state"] == "applied":
                        self.look(client, c, after)

    def look(self, client, c, after):
        state = client.call("file.at", path=c["path"],
                            at=c["changeId"])["state"]
        fidelity = state["fidelity"]
        right = fidelity in KNOWN and sha(state) == after
        self.kinds[fidelity] += 1
        self.kinds[fidelity + ", right"] += right
        if fidelity == "exact" and not right:
            self.wrong.append((c["path"], c["changeId"], c["command"]))


def test_recordings():
    """No bytes that are called exact are wrong."""
    total = collections.Counter()
    wrong = []
    for scenario in SCENARIOS:
        looks = Looks(scenario)
        print(f"{scenario:25}", dict(sorted(looks.kinds.items())))
        wrong += looks.wrong
        total += looks.kinds
    print(dict(sorted(total.items())))
    eq(wrong, [], "wrong bytes")
    eq(total["reconstructed"], total["reconstructed, right"], "guesses")
    assert total["exact, right"] + total["reconstructed, right"] >= 100, total


# --- made ---

def hunk(*lines, old=1, new=1):
    """A hunk with those lines, from those numbers on."""
    return {"oldStart": old, "newStart": new, "lines": list(lines),
            "oldLines": sum(x[0] in " -" for x in lines),
            "newLines": sum(x[0] in " +" for x in lines)}


def noted(path, *hunks, **more):
    return {"filePath": path, "hunks": list(hunks), **more}


def run(t, command, *files, named=(), tid=None):
    """A command, with what its client noted."""
    tid = tid or t.call("Bash", {"command": command})
    detail = {"stdout": "", "stderr": "", "interrupted": False}
    if files or named:
        detail["bashEditDiff"] = {
            "files": list(files), "moreFiles": len(named),
            "changedFiles": [f["filePath"] for f in files] + list(named)}
    t.result(tid, detail)
    return tid


def edit_of(t, path, text, old, new, tid=None):
    """An Edit whose result shows the whole text."""
    tid = tid or t.call("Edit", {"file_path": path, "old_string": old,
                                 "new_string": new})
    lines = text.split("\n")
    at = lines.index(old)
    detail = edit_result(path, old, new, originalFile=text)
    detail["structuredPatch"] = [hunk("-" + old, "+" + new, old=at + 1,
                                      new=at + 1)]
    t.result(tid, detail)
    return tid


class Asked:
    """What the daemon of a box says of one file."""

    def __init__(self, box, path):
        self.box, self.path = box, path

    def log(self):
        with self.box.rpc() as client:
            return client.call("file.log", path=self.path)["steps"][::-1]

    def steps(self):
        """(kind, tool, fidelity of what was left)."""
        return [(s["kind"], s.get("tool"), s["after"]["fidelity"])
                for s in self.log()]

    def at(self, word=None):
        """(fidelity, bytes) at a point; None: there was no file."""
        with self.box.rpc() as client:
            more = {"at": word} if word else {}
            state = client.call("file.at", path=self.path, **more)["state"]
        content = state["content"].decode() if state["exists"] else None
        return state["fidelity"], content

    def owners(self, word):
        """Whose each line of a state is: a change, or why nobody's."""
        with self.box.rpc() as client:
            reply = client.call("file.blame", path=self.path, at=word)
        return [(x["content"].decode(), x["changeId"] or x["kind"])
                for x in reply["lines"]]


def test_text_of_a_command():
    """What is written, added to and deleted by the text is a state."""
    with Sessions() as box:
        t, = box.t
        first = run(t, "cat > a.txt <<'EOF'\none\n\ttwo\nEOF")
        second = run(t, "echo three >> a.txt")
        third = run(t, "rm a.txt")
        run(t, "printf 'x' > a.txt && echo y >> a.txt")
        box.start()
        a = Asked(box, P + "/a.txt")
        eq(a.at(first), ("reconstructed", "one\n\ttwo\n"))
        eq(a.at(second), ("reconstructed", "one\n\ttwo\nthree\n"))
        eq(a.at(third), ("reconstructed", None))
        eq(a.at(), ("reconstructed", "xy\n"))
        eq([k for k, _, _ in a.steps()][:4], ["change"] * 4)


def test_a_later_state_confirms_the_text():
    with Sessions() as box:
        t, = box.t
        first = run(t, "printf 'one\\ntwo\\n' > a.txt")
        edit_of(t, P + "/a.txt", "one\ntwo\n", "two", "2")
        box.start()
        a = Asked(box, P + "/a.txt")
        eq(a.at(first), ("exact", "one\ntwo\n"))
        eq(a.at(), ("exact", "one\n2\n"))


def test_what_is_not_sure_is_not_known():
    """Programs, conditions and edits in place leave no content."""
    commands = {
        "sed -i s/one/two/ a.txt": "unknown",
        "if x; then echo two > a.txt; fi; echo x > b.txt; rm c.txt": None,
        "echo two > a.txt; sed -i s/t/T/ a.txt": "unknown",
        "mv b.txt a.txt": "unknown",
        "cp b.txt a.txt": "unknown",
        "echo two > a.txt; ./fix": "reconstructed",
        "echo two > a.txt; git checkout a.txt": "unknown",
        "git stash; echo two > a.txt": "reconstructed",
        "echo $(date) > a.txt": "unknown",
        "printf 'two\\n' > t.txt && mv t.txt a.txt": "reconstructed"}
    for command, fidelity in commands.items():
        with Sessions() as box:
            t, = box.t
            write = t.write(P + "/a.txt", "one\n")
            run(t, command)
            box.start()
            a = Asked(box, P + "/a.txt")
            if fidelity is None:
                eq(len(a.steps()), 2, command)  # the Write, and what is now
                continue
            eq(a.steps()[1], ("change", "Bash", fidelity), command)
            eq(a.at(write), ("exact", "one\n"), command)
            if fidelity != "unknown":
                eq(a.at()[1], "two\n", command)


def test_noted_lines():
    """Lines that the client noted lead on, tabs and all."""
    path = P + "/a.c"
    text = "int a;\n\tint b;\n  int c;\nend\n"
    with Sessions() as box:
        t, = box.t
        t.write(path, text)
        mid = run(t, "make fmt", noted(path, hunk(
            " int a;", "-\tint b;", "+  int b;", "   int c;", old=1, new=1)))
        run(t, "make more", noted(path, hunk(
            "   int c;", "-end", "+END", old=3, new=3)))
        box.start()
        a = Asked(box, path)
        eq(a.at(mid), ("reconstructed", "int a;\n  int b;\n  int c;\nend\n"))
        # Whether the last line ends in a newline nobody has noted.
        eq(a.at()[1], "int a;\n  int b;\n  int c;\nEND\n")
        eq(a.log()[2]["after"]["fidelity"], "reconstructed")
        edit_of(t, path, "int a;\n  int b;\n  int c;\nEND\n", "int a;", "x")
        eq(a.at(mid), ("exact", "int a;\n  int b;\n  int c;\nend\n"))
        eq([s[2] for s in a.steps()][:4], ["exact"] * 4)


def test_no_newline_at_the_end():
    """A missing newline is kept, and one that nobody saw is not exact."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        t.write(path, "one\ntwo\nthree")
        kept = run(t, "x", noted(path, hunk("-one", "+1", " two", " three")))
        said = run(t, "y", noted(path, hunk(
            " 1", " two", "-three", "+3", "\\ No newline at end of file")))
        lost = run(t, "z", noted(path, hunk(" 1", " two", "-3", "+4")))
        box.start()
        a = Asked(box, path)
        eq(a.at(kept)[1], "1\ntwo\nthree")
        eq(a.at(said)[1], "1\ntwo\n3")
        eq(a.at(lost), ("reconstructed", "1\ntwo\n4\n"))
        # It is a guess: what is found next is nobody else's work for sure.
        edit_of(t, path, "1\ntwo\n4", "two", "2")
        eq([s[0] for s in a.steps()][:5],
           ["change"] * 4 + ["unknown"])


def test_created_and_deleted():
    new, old = P + "/new.txt", P + "/old.txt"
    with Sessions() as box:
        t, = box.t
        run(t, "python3 gen.py", noted(new, hunk("+a", "+b"), created=True),
            noted(old, hunk("-x", "-y", "\\ No newline at end of file"),
                  deleted=True))
        both = run(t, "echo hi > new2.txt", noted(
            P + "/new2.txt", hunk("+hi"), created=True))
        empty = run(t, ": > e.txt", noted(P + "/e.txt", created=True))
        box.start()
        a = Asked(box, new)
        eq(a.at(), ("reconstructed", "a\nb\n"))
        eq(a.log()[0]["operation"], "created")
        gone = Asked(box, old)
        eq(gone.at(), ("exact", None))
        eq(gone.at("before:" + gone.log()[0]["changeId"])[1], "x\ny")
        # The text of the command says the same, and how it ends.
        eq(Asked(box, P + "/new2.txt").at(both), ("exact", "hi\n"))
        eq(Asked(box, P + "/e.txt").at(empty), ("exact", ""))


def test_line_endings_of_noted_lines():
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        t.version = "2.1.300"
        t.write(path, "one\r\ntwo\r\n")
        crlf = run(t, "x", noted(path, hunk(" one\r", "-two\r", "+2\r")))
        mixed = run(t, "y", noted(path, hunk(" one\r", "-2\r", "+3")))
        box.start()
        a = Asked(box, path)
        eq(a.at(crlf)[1], "one\r\n2\r\n")
        eq(a.at(mixed)[0] != "exact", True)


def test_unknown_content_is_found_next():
    """What the next change finds is what the command left."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        t.write(path, "one\ntwo\n")
        sed = run(t, "sed -i s/two/zwei/ a.txt")
        edit = edit_of(t, path, "one\nzwei\n", "one", "eins")
        box.start()
        a = Asked(box, path)
        eq(a.at(sed), ("reconstructed", "one\nzwei\n"))
        eq([(k, tool) for k, tool, _ in a.steps()][:3],
           [("change", "Write"), ("change", "Bash"), ("change", "Edit")])
        step = a.log()[1]
        eq((step["linesAdded"], step["linesRemoved"]), (1, 1))
        eq(step["command"], "sed -i s/two/zwei/ a.txt")
        eq(a.owners(edit), [("eins", edit), ("zwei", step["changeId"])])


def test_what_a_command_brought_back():
    """Lines that a checkout brings back are those who wrote them first."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        write = t.write(path, "one\ntwo\n")
        edit_of(t, path, "one\ntwo\n", "two", "2")
        run(t, "git checkout -- a.txt")
        last = edit_of(t, path, "one\ntwo\n", "one", "1")
        box.start()
        a = Asked(box, path)
        eq(a.owners(last), [("1", last), ("two", write)])
        eq([k for k, _, _ in a.steps()][:4], ["change"] * 4)


def test_a_recorded_command_brought_it_back():
    """Also where the client noted the lines that came back."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        write = t.write(path, "one\ntwo\n")
        edit_of(t, path, "one\ntwo\n", "two", "2")
        reset = run(t, "git reset --hard -q",
                    noted(path, hunk(" one", "-2", "+two")))
        run(t, "git stash -u", noted(path, hunk("-one", "-two"),
                                     deleted=True))
        pop = run(t, "git stash pop", noted(path, hunk("+one", "+two"),
                                            created=True))
        box.start()
        a = Asked(box, path)
        for word in (reset, pop):
            eq(a.owners(word), [("one", write), ("two", write)], word)
        eq([(s["kind"], s.get("returnedTo"), s.get("returnedSide"))
            for s in a.log()[2:5]],
           [("change", write, "after"), ("change", None, None),
            ("change", a.log()[2]["changeId"], "after")])
        out = box.run("log", path).stdout
        assert f"returned to {write}: $ git reset --hard -q" in out, out


def test_an_earlier_state_behind_what_is_not_known():
    """Its lines are those who wrote them, whoever brought them back."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        write = t.write(path, "one\ntwo\n")
        edit_of(t, path, "one\ntwo\n", "two", "2")
        run(t, "git checkout -- a.txt")
        run(t, "make")
        last = edit_of(t, path, "one\ntwo\n", "one", "1")
        box.start()
        a = Asked(box, path)
        eq(a.owners(last), [("1", last), ("two", write)])
        eq([(s["kind"], s.get("returnedTo")) for s in a.log()[3:5]],
           [("unknown", write), ("change", None)])


def test_a_command_with_the_lines_wrote_them():
    """Who writes the same text once more has written it."""
    path = P + "/a.txt"
    for command in ("printf 'one\\ntwo\\n' > a.txt",
                    "echo two >> a.txt", "sed -i '$atwo' a.txt",
                    "git add a.txt && echo two >> a.txt"):
        with Sessions() as box:
            t, = box.t
            write = t.write(path, "one\ntwo\n")
            run(t, "./x", noted(path, hunk(" one", "-two")))
            last = run(t, command, noted(path, hunk(" one", "+two")))
            box.start()
            a = Asked(box, path)
            eq(a.owners(last), [("one", write), (
                "two", a.log()[2]["changeId"])], command)
            eq("returnedTo" in a.log()[2], False, command)


def test_other_commands_may_have_done_it():
    """With another command in between nobody knows whose lines they are."""
    path = P + "/a.txt"
    for other in ("make", "grep x b.txt"):
        with Sessions() as box:
            t, = box.t
            t.write(path, "one\ntwo\n")
            sed = run(t, "sed -i s/two/zwei/ a.txt")
            run(t, other)
            edit = edit_of(t, path, "one\nzwei\n", "one", "eins")
            box.start()
            a = Asked(box, path)
            sure = other != "make"
            eq(a.at(sed)[0], "reconstructed" if sure else "unknown")
            eq(a.owners(edit)[1][1] == "unknown", not sure)


def test_a_file_that_was_moved():
    """It is what the other one was, also over several names."""
    with Sessions() as box:
        t, = box.t
        t.write(P + "/a.txt", "one\ntwo\n")
        run(t, "mv a.txt b.txt")
        run(t, "mv b.txt sub/c.txt")
        box.start()
        for name in ("b.txt", "sub/c.txt"):
            asked = Asked(box, f"{P}/{name}")
            word = asked.log()[0]["changeId"]
            eq(asked.at(word), ("reconstructed", "one\ntwo\n"), name)
            eq(asked.log()[0]["operation"], "renamed")
        # A later state confirms it.
        edit_of(t, P + "/sub/c.txt", "one\ntwo\n", "two", "2")
        eq(asked.at(word), ("exact", "one\ntwo\n"))
        eq([s["kind"] for s in asked.log()[:2]], ["change", "change"])
        # Who moved the lines did not write them.
        eq(asked.owners(word), [("one", "unknown"), ("two", "unknown")])


def test_line_endings_of_a_moved_file():
    """What is assumed of the one is not sure of the other."""
    with Sessions() as box:
        t, = box.t
        edit_of(t, P + "/a.txt", "one\ntwo\n", "two", "2")
        run(t, "mv a.txt b.txt")
        edit_of(t, P + "/b.txt", "one\n2\n", "2", "3")
        box.start()
        asked = Asked(box, P + "/b.txt")
        eq(asked.at(asked.log()[0]["changeId"])[0], "reconstructed")


def test_a_moved_file_that_was_another():
    """What is found next counts, and is nobody's step."""
    with Sessions() as box:
        t, = box.t
        t.write(P + "/a.txt", "one\n")
        run(t, "mv a.txt b.txt")
        edit_of(t, P + "/b.txt", "ONE\n", "ONE", "2")
        box.start()
        asked = Asked(box, P + "/b.txt")
        eq([s["kind"] for s in asked.log()[:3]],
           ["change", "unknown", "change"])


def test_a_file_that_was_copied():
    """It is what the other one was then, whatever that became later."""
    with Sessions() as box:
        t, = box.t
        t.write(P + "/a.txt", "one\ntwo\n")
        first = run(t, "cp a.txt b.txt")
        edit_of(t, P + "/a.txt", "one\ntwo\n", "two", "2")
        run(t, "cp a.txt a.bak && sed -i s/one/1/ a.txt")
        run(t, "cp b.txt x.tmp && mv x.tmp c.txt")
        box.start()
        asked = Asked(box, P + "/b.txt")
        eq(asked.at(first), ("reconstructed", "one\ntwo\n"))
        eq(asked.log()[0]["copiedFrom"], P + "/a.txt")
        eq(asked.log()[0]["operation"], "modified")
        # Who copied the lines did not write them.
        eq(asked.owners(first), [("one", "unknown"), ("two", "unknown")])
        kept = Asked(box, P + "/a.bak")
        eq(kept.at(kept.log()[0]["changeId"]),
           ("reconstructed", "one\n2\n"))
        other = Asked(box, P + "/c.txt")
        eq(other.at(other.log()[0]["changeId"])[1], "one\ntwo\n")
        # A later state confirms it.
        edit_of(t, P + "/b.txt", "one\ntwo\n", "two", "zwei")
        eq(asked.at(first), ("exact", "one\ntwo\n"))


def test_a_copy_of_what_is_not_known():
    """Not known is what was changed before, meanwhile or by somebody."""
    for command in ("sed -i s/one/1/ a.txt && cp a.txt b.txt",
                    "sed -i s/one/1/ a.txt && mv a.txt b.txt",
                    "cp a.txt b.txt && sed -i s/one/1/ b.txt",
                    "cp a.txt b.txt && git checkout b.txt"):
        with Sessions() as box:
            t, = box.t
            t.write(P + "/a.txt", "one\n")
            run(t, command)
            box.start()
            asked = Asked(box, P + "/b.txt")
            eq(asked.at(asked.log()[0]["changeId"])[0], "unknown", command)
    with Sessions(2) as box:
        s, t = box.t
        s.write(P + "/a.txt", "one\n")
        s.write(P + "/c.txt", "one\n")
        here = s.call("Bash", {"command": "cp a.txt b.txt"})
        edit_of(t, P + "/a.txt", "one\n", "one", "1")
        run(s, None, tid=here)
        other = run(s, "cp c.txt d.txt")
        edit_of(t, P + "/c.txt", "uno\n", "uno", "1")
        box.start()
        eq(Asked(box, P + "/b.txt").at(here)[0], "unknown")
        eq(Asked(box, P + "/d.txt").at(other)[0], "unknown")


def test_a_copy_that_comes_back():
    """The lines of a backup are those who wrote them."""
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        write = t.write(path, "one\ntwo\n")
        run(t, "cp a.txt a.bak")
        edit_of(t, path, "one\ntwo\n", "two", "2")
        back = run(t, "cp a.bak a.txt")
        box.start()
        a = Asked(box, path)
        eq(a.at(back), ("reconstructed", "one\ntwo\n"))
        eq(a.owners(back), [("one", write), ("two", write)])
        eq(a.log()[2].get("returnedTo"), write)
        run(t, "cp a.txt b.txt && cp a.bak a.txt")
        eq(a.at()[1], "one\ntwo\n")


def test_moved_there_and_back():
    with Sessions() as box:
        t, = box.t
        t.write(P + "/a.txt", "one\n")
        for _ in range(6):
            run(t, "mv a.txt b.txt")
            run(t, "mv b.txt a.txt")
        box.start()
        asked = Asked(box, P + "/a.txt")
        fidelity, text = asked.at(asked.log()[1]["changeId"])
        assert text in (None, "one\n"), (fidelity, text)
        eq(asked.log()[-2]["operation"], "renamed")


def test_two_commands_between_are_not_told_apart():
    path = P + "/a.txt"
    with Sessions() as box:
        t, = box.t
        t.write(path, "one\ntwo\n")
        first = run(t, "sed -i s/two/zwei/ a.txt")
        run(t, "sed -i s/one/1/ a.txt")
        edit = edit_of(t, path, "1\nzwei\n", "1", "eins")
        box.start()
        a = Asked(box, path)
        eq(a.at(first)[0], "unknown")
        eq(a.owners(edit), [("eins", edit), ("zwei", "unknown")])


def test_one_change_noted_by_two_sessions():
    """Each client notes what the other one does: it happened once."""
    path = P + "/a.txt"
    with Sessions(2) as box:
        s, t = box.t
        s.write(path, "one\ntwo\n")
        here = s.call("Bash", {"command": "sed -i s/two/2/ a.txt"})
        there = t.call("Bash", {"command": "make"})
        lines = noted(path, hunk(" one", "-two", "+2"))
        run(s, None, lines, tid=here)
        run(t, None, lines, tid=there)
        box.start()
        a = Asked(box, path)
        eq([k for k, _, _ in a.steps()][:3], ["change"] * 3)
        eq(a.at()[1], "one\n2\n")
        eq((a.log()[2]["linesAdded"], a.log()[2]["linesRemoved"]), (0, 0))


def test_an_edit_that_a_command_noted():
    """An Edit of another session is not done a second time, or taken back."""
    path = P + "/a.txt"
    for late in (False, True):
        with Sessions(2) as box:
            s, t = box.t
            s.write(path, "one\ntwo\n")
            make = t.call("Bash", {"command": "make"})
            edit = s.call("Edit", {"file_path": path, "old_string": "two",
                                   "new_string": "2"})
            lines = noted(path, hunk(" one", "-two", "+2"))
            if late:
                edit_of(s, path, "one\ntwo\n", "two", "2", tid=edit)
            run(t, None, lines, tid=make)
            if not late:
                edit_of(s, path, "one\ntwo\n", "two", "2", tid=edit)
            box.start()
            a = Asked(box, path)
            eq([(k, tool) for k, tool, _ in a.steps()][:3],
               [("change", "Write"), ("change", "Edit"), ("change", "Bash")])
            eq(a.at()[1], "one\n2\n")


if __name__ == "__main__":
    harness.main()
