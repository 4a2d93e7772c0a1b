"""Changes that commands of a shell made.

First on recordings of the real client, against what really happened on disk:
whether each change is named, with the right session and command; then on
transcripts made for one thing each.
"""
import collections
import json
import os
import posixpath

import harness
from harness import Box, Skip, eq
from transcript import Ids, Transcript, patch, stamp

P = "/home/dev/p"


# --- recordings ---

def corpus():
    path = os.environ.get("CCFC_CORPUS", "") + "-shell"
    if not os.path.isdir(path):
        raise Skip("the recordings of commands are not unpacked")
    return path


class Truth:
    """What changed on disk in one recording, and who did it."""

    def __init__(self, scenario):
        with open(os.path.join(corpus(), scenario, "truth.json"),
                  encoding="utf-8") as f:
            self.facts = json.load(f)
        self.calls = sorted(self.facts["calls"], key=lambda c: c["t"])
        self.requests = [
            (look["t"], look["why"].split()[1].split("#")[0])
            for look in self.facts["disk_timeline"]
            if look["why"].startswith("request")]
        self.user = {e["path"]: e["t"] for e in self.facts["externals"]}

    def under_way(self, when):
        """Calls whose client has not asked on since."""
        return [c for c in self.calls if c["t"] < when and not any(
            c["t"] < t < when and script == c["script"]
            for t, script in self.requests)]

    def owner(self, path, when):
        """The call that changed the file; "user"; None: not a call's."""
        name = posixpath.basename(path)
        if self.user.get(path, when) < when:
            return "user"
        calls = self.under_way(when)
        named = [c for c in calls if name in json.dumps(c["input"])]
        if len(named) == 1:
            return named[0]
        late = [c for c in self.calls
                if c["t"] < when and c["input"].get("run_in_background")
                and name in c["input"].get("command", "")]
        if late:
            return late[-1]
        shell = [c for c in calls if c["tool"] == "Bash"]
        return shell[0] if len(shell) == 1 else None

    def after(self):
        """(absolute path, the call, SHA-256 or None) of each change that a
        command made.
        """
        for look in self.facts["disk_timeline"]:
            if look["why"] == "set up":
                continue
            for change in look["changes"]:
                call = self.owner(change["path"], look["t"])
                if call and call != "user" and call["tool"] == "Bash":
                    yield (posixpath.join(self.facts["base"], change["path"]),
                           call, change["after"])

    def changes(self):
        for path, call, _ in self.after():
            yield path, call

    def wrote_at_all(self, path):
        """The calls that ever changed the file."""
        return {c["tool_use_id"] for p, c in self.changes() if p == path}


class Score:
    """How the changes that are said compare with those that were."""

    def __init__(self, scenario):
        self.truth = Truth(scenario)
        with Box(claude=os.path.join(corpus(), scenario, "claude")) as box:
            box.start()
            self.dump = box.dump()
        self.said = [c for c in self.dump.changes if c["evidence"] != "result"]
        self.real = list(self.truth.changes())
        self.kinds = collections.Counter()
        self.right = collections.Counter()
        self.wrong = []
        used = set()
        by_call = {(c["path"], c["toolUseId"]): c for c in self.said}
        for path, call in self.real:
            c = by_call.get((path, call["tool_use_id"]))
            if c:
                self.right[c["evidence"]] += 1
                used.add(c["changeId"])
        for c in self.said:
            self.kinds[c["evidence"]] += 1
            if c["changeId"] not in used:
                self.judge(c)

    def judge(self, c):
        """A change that no look at the disk shows as this call's."""
        owners = self.truth.wrote_at_all(c["path"])
        if c["evidence"] == "ambiguous":
            rivals = {r["changeId"].split("#")[0] for r in c["candidates"]}
            if owners and not owners & (rivals | {c["toolUseId"]}):
                self.wrong.append(("not among the candidates", c))
        elif owners and c["toolUseId"] not in owners and \
                c["state"] == "applied" and self.is_other_session(c, owners):
            self.wrong.append(("another session's", c))

    def is_other_session(self, c, owners):
        whose = {d["sessionId"] for d in self.said if d["toolUseId"] in owners}
        return bool(whose) and c["sessionId"] not in whose

    def row(self):
        found = sum(self.right.values())
        return {"changes": len(self.real), "named": found,
                **{k: f"{self.right[k]}/{self.kinds[k]}"
                   for k in ("recorded", "parsed", "ambiguous")}}


SCENARIOS = {  # → does its client note what commands change?
    "2.1.300/shell_accept": False, "2.1.300/shell_bypass": True,
    "2.1.300/tui_shell": False, "2.1.300/tui_shell_diff": True,
    "2.1.325/shell_two": True, "2.1.325/tui_sub_bash": True}


def test_recordings():
    """Of each kind of evidence: right of all that are said."""
    print(f"{'':25}{'changes':>9}{'named':>9}{'recorded':>10}{'parsed':>10}"
          f"{'ambiguous':>11}")
    wrong, recorded = [], [0, 0]
    for scenario, noted in SCENARIOS.items():
        score = Score(scenario)
        row = score.row()
        print(f"{scenario:25}{row['changes']:9}{row['named']:9}"
              f"{row['recorded']:>10}{row['parsed']:>10}"
              f"{row['ambiguous']:>11}")
        wrong += [(scenario, why, c["changeId"], c["path"], c["command"])
                  for why, c in score.wrong]
        if noted:
            recorded[0] += row["named"]
            recorded[1] += row["changes"]
        assert row["changes"] > 2, f"{scenario}: nothing happened"
    eq(wrong, [], "wrong sessions")
    share = 100 * recorded[0] / recorded[1]
    print(f"where clients note them: {share:.1f} % of {recorded[1]} named")
    assert share >= 82, share


def test_two_sessions_at_once():
    """Each session's client notes the other's files, too."""
    score = Score("2.1.325/shell_two")
    for c in score.said:
        mine = score.truth.wrote_at_all(c["path"])
        if c["evidence"] == "ambiguous":
            eq([r["changeId"].split("#")[0] for r in c["candidates"]],
               sorted(mine), c["path"])
        else:
            eq({c["toolUseId"]}, mine, c["path"])
    eq(score.kinds, {"recorded": 12, "ambiguous": 12})


# --- made ---

def bash(t, command, *files, error=False, tid=None, **more):
    """A whole command; files: what the client noted, as bashEditDiff."""
    given = {"command": command}
    if "background" in more:
        given["run_in_background"] = more["background"]
    tid = t.call("Bash", given, tid)
    if error:
        t.result(tid, "Error: Exit code 1", error=True)
        return tid
    detail = {"stdout": "", "stderr": "", "interrupted": False}
    if more.get("background"):
        detail["backgroundTaskId"] = "b1"
    if files or more.get("noted"):
        detail["bashEditDiff"] = {
            "files": [{"filePath": f, "hunks": patch(["a"], ["b", "c"])}
                      for f in files],
            "moreFiles": 0, "changedFiles": list(files),
            **more.get("diff", {})}
    t.result(tid, detail)
    return tid


def files_of(box, t, **options):
    with box.rpc() as client:
        return client.call("session.files", session=t.session, **options)


def listed(box, t, **options):
    """(name, operation, evidence, state) of a session's changes."""
    reply = files_of(box, t, **options)
    return sorted((posixpath.basename(f["path"]), c["operation"],
                   c["evidence"], c["state"])
                  for f in reply["files"] for c in f["changes"])


class Sessions(Box):
    def __init__(self, n=1):
        super().__init__()
        self.ids = Ids(5)
        self.t = [Transcript(self, self.ids) for _ in range(n)]
        for t in self.t:
            t.prompt()


def test_targets_of_the_text():
    with Sessions() as box:
        t, = box.t
        bash(t, "echo x > a.txt && mv b.txt c.txt && rm d.txt")
        bash(t, "sed s/x/y/ e.txt > tmp.txt && mv tmp.txt e.txt")
        bash(t, "grep x a.txt; ls | wc -l")
        bash(t, "if make; then rm f.txt; fi")
        bash(t, "rm g.txt; false", error=True)
        box.start()
        eq(listed(box, t), [
            ("a.txt", "modified", "parsed", "applied"),
            ("b.txt", "deleted", "parsed", "applied"),
            ("c.txt", "renamed", "parsed", "applied"),
            ("d.txt", "deleted", "parsed", "applied"),
            ("e.txt", "modified", "parsed", "applied")])
        eq([r for r in listed(box, t, states=["all"]) if r[3] != "applied"],
           [("g.txt", "deleted", "parsed", "failed")])
        reply = files_of(box, t)
        eq((reply["totalChanges"], reply["shellChanges"],
            reply["unknownCommands"]), (5, 5, 2))
        by = {posixpath.basename(f["path"]): f["changes"][0]
              for f in reply["files"]}
        eq(by["b.txt"]["renamedTo"], P + "/c.txt")
        eq(by["c.txt"]["renamedFrom"], P + "/b.txt")
        eq(by["c.txt"]["command"],
           "echo x > a.txt && mv b.txt c.txt && rm d.txt")
        eq(by["c.txt"]["tool"], "Bash")
        eq("renamedFrom" in by["e.txt"], False)


def test_a_copy_says_of_what():
    with Sessions() as box:
        t, = box.t
        bash(t, "cp a.txt b.txt")
        box.start()
        change, = files_of(box, t)["files"][0]["changes"]
        eq((change["operation"], change["copiedFrom"]),
           ("modified", P + "/a.txt"))
        out = box.run("list", t.session, "--show-changes").stdout
        assert f"copied from {P}/a.txt" in out, out


def test_what_the_client_noted():
    with Sessions() as box:
        t, = box.t
        bash(t, "python3 gen.py", P + "/a.txt", P + "/b.txt")
        bash(t, "make", noted=True)
        bash(t, "git stash", noted=True, diff={"skipped": True})
        t.edit(P + "/a.txt")
        box.start()
        eq(listed(box, t), [
            ("a.txt", "modified", "recorded", "applied"),
            ("a.txt", "modified", "result", "applied"),
            ("b.txt", "modified", "recorded", "applied")])
        reply = files_of(box, t)
        eq((reply["totalChanges"], reply["shellChanges"],
            reply["unknownCommands"]), (3, 2, 1))
        eq([(c["linesAdded"], c["linesRemoved"])
            for c in reply["files"][1]["changes"]], [(2, 1)])
        eq(listed(box, t, evidence=["result"]),
           [("a.txt", "modified", "result", "applied")])
        eq(len(listed(box, t, tools=["Bash"])), 2)
        eq(len(listed(box, t, evidence=["parsed", "ambiguous"])), 0)
        # With content a worker answers: it knows as much.
        eq(listed(box, t, includeContent=True), listed(box, t))
        eq(files_of(box, t, includeContent=True)["unknownCommands"], 1)


def test_result_before_its_call():
    """The text and the result name one change, whichever comes first."""
    rows = []
    for swap in (False, True):
        with Sessions() as box:
            t, = box.t
            t.live = False
            tid = bash(t, "echo x > a.txt", P + "/a.txt")
            head, call, result = t.lines
            lines = [head, result, call] if swap else t.lines
            harness.append(t.path, b"".join(lines))
            box.start()
            rows.append(listed(box, t))
            eq([c["changeId"].split("#")[0] for c in box.dump().changes],
               [tid])
    eq(rows, [[("a.txt", "modified", "recorded", "applied")]] * 2)


def test_a_fork_counts_once():
    with Sessions() as box:
        t, = box.t
        bash(t, "rm a.txt", P + "/a.txt")
        fork = Transcript(box, box.ids)
        for line in t.lines:
            record = json.loads(line)
            record["sessionId"] = fork.session
            fork.emit(record)
        fork.prompt("on")
        bash(fork, "rm b.txt")
        box.start()
        eq(listed(box, t), [("a.txt", "modified", "recorded", "applied")])
        eq(listed(box, fork), [("b.txt", "deleted", "parsed", "applied")])
        eq(len(box.dump().commands), 2)


def test_another_sessions_write_in_the_window():
    """What a file tool of another session explains is not sure."""
    with Sessions(2) as box:
        a, b = box.t
        tid = a.call("Bash", {"command": "make fmt"})
        edit = b.edit(P + "/a.txt")
        a.result(tid, {"stdout": "", "bashEditDiff": {
            "files": [], "moreFiles": 2,
            "changedFiles": [P + "/a.txt", P + "/b.txt"]}})
        box.start()
        eq(listed(box, a), [("a.txt", "modified", "ambiguous", "applied"),
                            ("b.txt", "modified", "recorded", "applied")])
        change, = [c for f in files_of(box, a)["files"] for c in f["changes"]
                   if c["evidence"] == "ambiguous"]
        eq([(c["sessionId"], c["changeId"], c["command"])
            for c in change["candidates"]], [(b.session, edit, None)])
        eq(listed(box, b), [("a.txt", "modified", "result", "applied")])
        full = files_of(box, a, includeContent=True)
        eq([len(c["candidates"]) for f in full["files"]
            for c in f["changes"] if "candidates" in c], [1])


def test_another_sessions_client_that_notes_nothing():
    """Its command may have done it, if the text does not tell."""
    for mine, theirs, apart, want in (
            ("make", "python3 gen.py", False, "ambiguous"),
            ("make", "python3 gen.py a.txt", False, "ambiguous"),
            ("prettier -w a.txt", "python3 gen.py", False, "recorded"),
            ("prettier -w a.txt", "python3 gen.py a.txt", False, "ambiguous"),
            ("make", "ls -l", False, "recorded"),
            ("make", "python3 gen.py", True, "recorded")):
        with Sessions(2) as box:
            a, b = box.t
            if apart:
                other = bash(b, theirs)
                box.ids.time(60_000)
            tid = a.call("Bash", {"command": mine})
            if not apart:
                other = bash(b, theirs)
            a.result(tid, {"stdout": "", "bashEditDiff": {
                "files": [], "moreFiles": 1, "changedFiles": [P + "/a.txt"]}})
            box.start()
            eq(listed(box, a), [("a.txt", "modified", want, "applied")],
               f"{mine}, {theirs}")
            change, = files_of(box, a)["files"][0]["changes"]
            eq([c["changeId"] for c in change.get("candidates", ())],
               [other] if want == "ambiguous" else [], theirs)


def test_background_windows_end_with_the_note():
    with Sessions(2) as box:
        a, b = box.t
        tid = bash(a, "./serve.sh", P + "/log.txt", background=True)
        first = b.call("Bash", {"command": "make"})
        detail = {"stdout": "", "bashEditDiff": {
            "files": [], "moreFiles": 1, "changedFiles": [P + "/log.txt"]}}
        b.result(first, detail)
        a.emit({"type": "queue-operation", "operation": "enqueue",
                "timestamp": box.ids.time(), "sessionId": a.session,
                "content": "<task-notification>\n<tool-use-id>" + tid +
                "</tool-use-id>\n<status>completed</status>\n"
                "<summary>Background command \"x\" completed</summary>\n"
                "</task-notification>"})
        second = b.call("Bash", {"command": "make"})
        b.result(second, detail)
        box.start()
        eq({c["toolUseId"]: c["evidence"] for c in box.dump().changes},
           {tid: "ambiguous", first: "ambiguous", second: "recorded"})


def test_events_and_restart():
    """Live, a change is told of once; a restart knows what it knew."""
    with Sessions() as box:
        t, = box.t
        box.start()
        with box.rpc() as client:
            client.call("events.subscribe", states=["all"])
            tid = bash(t, "rm a.txt", P + "/b.txt")
            told = {}
            while len(told) < 2:
                event = client.event()
                change = event["change"] if "change" in event else event
                eq(change["changeId"] in told, False)
                told[change["changeId"]] = (change["evidence"],
                                            change["command"])
        eq(sorted(told.values()),
           [("parsed", "rm a.txt"), ("recorded", "rm a.txt")])
        eq({i.split("#")[0] for i in told}, {tid})
        before = box.dump().text
        box.stop()
        box.start()
        eq(box.dump().text, before)


def test_one_command_is_asked_for_by_its_id():
    with Sessions() as box:
        t, = box.t
        one = bash(t, "rm a.txt")
        two = bash(t, "rm b.txt c.txt")
        box.start()
        with box.rpc() as client:
            eq(client.call("change.get", change=one)["path"], P + "/a.txt")
            try:
                client.call("change.get", change=two)
                raise AssertionError("two files, one answer")
            except harness.RpcError as e:
                eq("ambiguous" in str(e), True, str(e))


def test_content_after_a_command_is_not_called_exact():
    """What only the text of a command says is not sure."""
    with Sessions() as box:
        t, = box.t
        t.write(P + "/a.txt", "one\n")
        bash(t, "echo two > a.txt")
        bash(t, "cat a.txt")
        box.start()
        with box.rpc() as client:
            state = client.call("file.at", path=P + "/a.txt")["state"]
            eq(state["fidelity"] == "exact", False)
            log = client.call("file.log", path=P + "/a.txt")
            eq([(s["tool"], s["evidence"], s["after"]["fidelity"])
                for s in log["steps"] if s["kind"] == "change"],
               [("Bash", "parsed", "reconstructed"),
                ("Write", "result", "exact")])


if __name__ == "__main__":
    harness.main()
