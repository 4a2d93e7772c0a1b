"""Why a change was made: the user's prompt that it served.

The recordings are read here in another way than the daemon does it: up from
each call by parentUuid, until there is a prompt. (For an agent's call it is
the last of its session by then.)
"""
import json
import os
import re

import harness
from archive import kept
from corpus import roots
from harness import Box, eq
from recordings import by_version
from transcript import Ids, Transcript, edit_result

P = "/home/dev/p"
# Two processes that go on with one session at the same time: nothing but
# parentUuid tells their prompts apart, which the index does not keep.
TOGETHER = {"concurrent_resume"}
# What the client writes in the user's name.
MACHINE = re.compile(r"<(local-command|bash|task-notification)|"
                     r"\[Request interrupted by user( for tool use)?\]$|"
                     r"This session is being continued|Caveat: The messages")
COMMAND = re.compile(r"<command-name>(.*?)</command-name>.*?"
                     r"<command-args>(.*?)</command-args>", re.S)


def typed(record):
    """The text of a prompt that a person gave, or None."""
    if (record.get("type") != "user" or record.get("isMeta")
            or record.get("isCompactSummary") or record.get("isSidechain")):
        return None
    content = record["message"]["content"]
    if isinstance(content, list):
        if any(b["type"] != "text" for b in content):
            return None
        content = "\n".join(b["text"] for b in content)
    if MACHINE.match(content):
        return None
    command = COMMAND.match(content)
    return " ".join(command.groups()).strip() if command else content.strip()


def records(root):
    """All records that name a session."""
    for folder, _, files in os.walk(os.path.join(root, "projects")):
        for name in files:
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name), "rb") as f:
                for data in f:
                    try:
                        record = json.loads(data)
                    except ValueError:
                        continue
                    if "sessionId" in record:
                        yield record


def calls_of(record):
    if record["type"] != "assistant":
        return []
    return [b["id"] for b in record["message"]["content"]
            if b["type"] == "tool_use"]


class Reading:
    """The prompts of calls, of one Claude directory."""

    def __init__(self, root):
        self.lines, self.calls, self.agents, self.given = {}, {}, {}, {}
        for r in records(root):
            session = r["sessionId"]
            agent = r.get("isSidechain") or r.get("agentId")
            for tid in calls_of(r):
                (self.agents if agent else self.calls)[session, tid] = r
            if agent:
                continue
            self.lines[session, r.get("uuid")] = r
            if typed(r) is not None:
                self.given.setdefault(session, []).append(
                    (r["timestamp"], typed(r)))

    def chain(self, session, record):
        """Up from a call to the prompt that it hangs on."""
        while record:
            if typed(record) is not None:
                return typed(record)
            up = record.get("parentUuid") or record.get("logicalParentUuid")
            record = self.lines.get((session, up))
        return None

    def prompt(self, session, tid):
        if (session, tid) in self.calls:
            return self.chain(session, self.calls[session, tid])
        when = self.agents[session, tid]["timestamp"]
        before = [g for g in self.given.get(session, []) if g[0] <= when]
        return max(before)[1] if before else None


def check_scenarios(every):
    """How many changes have a prompt, and how many are an agent's."""
    seen = agents = 0
    with Box() as box:
        readings = []
        for scenario in every:
            box.roots += roots(scenario)
            readings += [Reading(root) for root in roots(scenario)]
        box.start()
        with box.rpc() as rpc:
            for row in rpc.call("index.dump"):
                if row["kind"] != "change":
                    continue
                key = row["sessionId"], row["toolUseId"]
                want = [r.prompt(*key) for r in readings
                        if key in r.calls or key in r.agents]
                if not want:
                    continue
                got = rpc.call("change.get", change=row["changeId"])
                eq(got["promptFull"], want[0], f"prompt of {key}")
                eq(got["prompt"], want[0], "the same in short")
                seen += want[0] is not None
                agents += got["agentId"] is not None
    return seen, agents


def test_recordings():
    seen = agents = 0
    for every in by_version().values():
        found = check_scenarios([s for s in every
                                 if os.path.basename(s) not in TOGETHER])
        seen, agents = seen + found[0], agents + found[1]
    assert seen > 900 and agents > 20, (seen, agents)


def change(t, name, old="a", new="b"):
    tid = t.call("Edit", {"file_path": f"{P}/{name}", "old_string": old,
                          "new_string": new})
    t.result(tid, edit_result(f"{P}/{name}", old, new))
    return tid


def short(box, tid):
    with box.rpc() as rpc:
        return rpc.call("change.get", change=tid)["prompt"]


def test_short_and_full():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids(3))
        text = "fix\n\n\tthe " + "lögin " * 40
        t.prompt(text + "<system-reminder>no</system-reminder>")
        tid = change(t, "a")
        with box.rpc() as rpc:
            got = rpc.call("change.get", change=tid)
            eq(got["promptFull"], text.strip())
            flat = " ".join(text.split())
            eq(got["prompt"], flat[:199] + "…")
            others = rpc.call("file.log", path=f"{P}/a")["steps"] + \
                rpc.call("file.sessions", path=f"{P}/a", includePrompt=True)[
                    "sessions"][0]["changes"] + \
                rpc.call("file.blame", path=f"{P}/a", at=tid)["lines"]
            eq({x["prompt"] for x in others if x.get("changeId") == tid},
               {flat[:199] + "…"}, "the same everywhere")
            eq(got["truncated"], False)
            t.prompt("é" * 40000)
            got = rpc.call("change.get", change=change(t, "a", "b", "c"))
            eq(got["promptFull"], "é" * 32768)
            eq(got["truncated"], True)


def test_what_is_no_prompt():
    with Box() as box:
        box.start()
        ids = Ids(4)
        t = Transcript(box, ids)
        eq(short(box, change(t, "a")), None)
        t.prompt("<command-name>/fix</command-name>\n"
                 "<command-args>all of it</command-args>")
        tid = change(t, "a", "b", "c")
        t.prompt("[Request interrupted by user]")
        t.prompt("<local-command-stdout>done</local-command-stdout>")
        last = change(t, "a", "c", "d")
        agent = Transcript(
            box, ids, session=t.session, agent="a0123456789abcde",
            path=os.path.join(box.project(), t.session, "subagents",
                              "agent-a0123456789abcde.jsonl"))
        agent.prompt("the agent's task")
        deep = change(agent, "b")
        for one in (tid, last, deep):
            eq(short(box, one), "/fix all of it")


def test_listings():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids(5))
        t.prompt("first")
        change(t, "a")
        change(t, "a", "b", "c")
        t.prompt("second")
        change(t, "a", "c", "d")
        want = ["first", "first", "second"]
        with box.rpc() as rpc:
            file = rpc.call("session.files", session=t.session,
                            includePrompt=True)["files"][0]
            eq([c["prompt"] for c in file["changes"]], want)
            for method, key in (("file.sessions", "path"),
                                ("file.match", "pattern")):
                got = rpc.call(method, includePrompt=True, **{key: P + "/a"})
                got = got[0] if isinstance(got, list) else got
                eq([c["prompt"] for c in got["sessions"][0]["changes"]], want)
            changes = rpc.call("session.file_changes", session=t.session,
                               path=P + "/a", includePrompt=True)
            eq([c["prompt"] for c in changes], want)
            plain = rpc.call("session.file_changes", session=t.session,
                             path=P + "/a")
            assert "prompt" not in plain[0], plain[0]
            steps = rpc.call("file.log", path=P + "/a")["steps"]
            eq([s["prompt"] for s in steps if s["kind"] == "change"],
               want[::-1])
        rows = box.ok("search", P + "/a", "--why").splitlines()
        at = [i for i, row in enumerate(rows) if t.session in row][0]
        eq(rows[at + 1:at + 3], ["    first", "    second"])
        assert "first" not in box.ok("search", P + "/a")


def test_kept():
    """The archive has the line when the transcript is gone."""
    with Box() as box:
        box.start()
        t = Transcript(box, Ids(6))
        t.prompt("keep me")
        tid = change(t, "a")
        eq(short(box, tid), "keep me")
        kept(box)
        box.stop()
        box.start()
        os.unlink(t.path)
        eq(short(box, tid), "keep me")


def test_stored_and_gone():
    with Box() as box:
        box.without_archive()
        box.start()
        t = Transcript(box, Ids(6))
        t.prompt("keep me")
        tid = change(t, "a")
        eq(short(box, tid), "keep me")
        box.stop()
        box.start()
        eq(short(box, tid), "keep me")
        os.unlink(t.path)
        eq(short(box, tid), None)


if __name__ == "__main__":
    harness.main()
