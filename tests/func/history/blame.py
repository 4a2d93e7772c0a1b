"""file.blame says who wrote each line.

- Published sessions: the tables that come with them, every line.
- Recordings of the real client: every line of every file as it was left,
  against the owners that follow from the contents after each call.
- The made-up worlds of replay.py: against the owners that the generator's own
  steps give; of some all transcripts and backups are deleted before.
"""
import collections
import json
import os
import random
import re
import shutil

import harness
import owners
import world
from archive import kept
from archive_gone import remove
from client import fold
from corpus import INVISIBLE, TOOLS, roots
from harness import Box, RpcError, append, eq
from history import CUT, EARLY, LATER, MISSED
from madeup import World
from public import public
from recordings import Moved, by_version, cases, facts_of, results
from replay import GONE, Chain, feed

OUTSIDE, UNKNOWN = "outside", "unknown"
SEED = int(os.environ.get("CCFC_SEED", "20251210"))
ROUNDS = int(os.environ.get("CCFC_ROUNDS")
             or ("200" if os.environ.get("CCFC_SOAK") else "6"))


def owner(line):
    """The change of a line, or its kind; checks that all fields fit."""
    names = ("changeId", "sessionId", "model", "tool", "timestamp")
    if line["kind"] == "session":
        for key in ("from", "to"):
            eq(line[key], None, key)
        assert line["changeId"] and line["sessionId"], line
        return line["changeId"]
    for key in (*names, "agentId", "agentType", "prompt", "messageUuid"):
        eq(line[key], None, f"{key} of a line that is {line['kind']}")
    return line["kind"]


def check_form(reply, data):
    """Lines and blocks say the same, and hold the file's bytes."""
    lines = reply["lines"]
    eq(reply["totalLines"], len(lines), "lines")
    eq([x["line"] for x in lines], list(range(1, len(lines) + 1)), "numbers")
    want = [x.removesuffix(b"\n") for x in owners.split(data)]
    eq([x["content"] for x in lines], want, "content")
    spans = [(b["start"], b["end"], b["kind"], b["changeId"])
             for b in reply["blocks"]]
    at = 1
    for start, end, kind, change in spans:
        eq(start, at, "start of a block")
        at = end + 1
        for line in lines[start - 1:end]:
            eq((line["kind"], line["changeId"]), (kind, change), "owner")
    eq(at, len(lines) + 1, "end of the blocks")


# --- published sessions ---

ROW = re.compile(r"^(\S+) +(\d.*)$")
PART = re.compile(r"^(\d+)(?:-(\d+))? (\S+)(?: (\S+))?$")


def tables():
    """file → [(owner's last characters or None, model)] of its lines."""
    top = os.path.dirname(public())
    with open(os.path.join(top, "EXPECTED.md"), encoding="utf-8") as f:
        text = f.read()
    text = text[text.index("Line owners"):].split("```")[1]
    for row in text.strip().splitlines():
        name, parts = ROW.match(row).groups()
        lines = []
        for part in parts.split("; "):
            first, last, who, model = PART.match(part).groups()
            eq(int(first), len(lines) + 1, f"first line of a row of {name}")
            who = None if who == "none" else who
            lines += [(who, model)] * (int(last or first) + 1 - int(first))
        yield name, lines


def recorded_as(box, name):
    found = [p for p in box.dump().files if os.path.basename(p) == name]
    eq(len(found), 1, f"files called {name}")
    return found[0]


def table_of(reply):
    for line in reply["lines"]:
        if line["kind"] == "session":
            yield line["changeId"][-6:], next(
                m for m in ("opus", "haiku") if m in line["model"])
        else:
            eq(line["kind"], OUTSIDE, "kind")
            yield None, None


def test_published_tables():
    claude = public("examples", "simple-home", ".claude")
    count = 0
    with Box() as box:
        os.rmdir(box.projects)
        os.symlink(os.path.join(claude, "projects"), box.projects)
        box.start()
        with box.rpc() as rpc:
            for name, want in tables():
                path = recorded_as(box, name)
                last = rpc.call("file.log", path=path)["steps"]
                at = next(s["changeId"] for s in last
                          if s["kind"] == "change")
                reply = rpc.call("file.blame", path=path, at=at)
                eq(list(table_of(reply)), want, f"owners in {name}")
                with open(public("examples", "simple", name), "rb") as f:
                    check_form(reply, f.read())
                count += len(want)
    print(f"{count} lines")
    assert count > 100, "too few lines: is the table whole?"


# --- recordings ---

def hooked(scenario):
    """Calls after which, as the client notes, a hook changed the file."""
    found = set()
    for root in roots(scenario):
        for folder, _, files in os.walk(os.path.join(root, "projects")):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    for data in f:
                        if b'"hook_additional_context"' in data:
                            note = json.loads(data)["attachment"]
                            found.add(note["toolUseID"])
    return found


class Truth:
    """One file of a scenario: the owners of its lines in the end."""

    def __init__(self, scenario, path, below):
        self.scenario, self.path, self.below = scenario, path, below
        self.noted = hooked(scenario)
        self.lines = owners.Lines()
        self.last = None  # (visible change, owners right after it)

    def blob(self, sha):
        if sha is None:
            return None
        with open(os.path.join(self.scenario, "truth-blobs", sha),
                  "rb") as f:
            return f.read()

    def outside(self, data):
        self.lines.again(owners.split(data), {OUTSIDE})

    def before(self, call, detail, after):
        """To what the call found."""
        original = detail.get("originalFile", detail.get(
            "originalFileContents", detail.get("original_file")))
        if detail.get("type") == "create":
            self.outside(None)
        elif isinstance(original, str):
            self.outside(original.encode())
        elif not self.leads(detail, after):
            return self.lead_back(detail, after)
        return True

    def lead_back(self, detail, after):
        """What was there before, by the strings, where that is clear."""
        text = b"".join(owners.split(after))
        old, new = detail.get("oldString"), detail.get("newString")
        if not isinstance(old, str) or not new or detail.get("replaceAll") \
                or text.count(new.encode()) != 1:
            return False
        self.outside(text.replace(new.encode(), old.encode()))
        return True

    def leads(self, detail, after):
        """Do the call's strings make the truth of what is in hand?"""
        text = b"".join(self.lines.text)
        old, new = detail.get("oldString"), detail.get("newString")
        if not isinstance(old, str) or not isinstance(new, str):
            return False
        count = -1 if detail.get("replaceAll") else 1
        return text.replace(old.encode(), new.encode(), count) \
            == b"".join(owners.split(after))

    def call(self, call, detail):
        after = self.blob(call["after"][self.below])
        tid = call["tool_use_id"]
        if call["tool"] not in TOOLS:
            mine = {OUTSIDE}
            if call["tool"].startswith("mcp__"):
                mine.add(tid)
            self.lines.step(owners.split(after), mine)
        elif tid in INVISIBLE or MISSED.get(tid) == CUT:
            self.outside(after)
        else:
            mine = {tid}
            wrote = written_by(tid, detail) if tid in LATER else after
            if not self.before(call, detail, wrote):
                mine |= {OUTSIDE, UNKNOWN}
            self.lines.step(owners.split(wrote), mine, moves=True)
            self.last = tid, list(self.lines.owners)
            if tid in self.noted:
                self.lines.again(owners.split(after), {tid})
            elif LATER.get(tid) != EARLY:
                self.outside(after)


def written_by(tid, detail):
    if "content" in detail:
        return detail["content"].encode()
    return detail["originalFile"].replace(
        detail["oldString"], detail["newString"], 1).encode()


def applied(call):
    return call["outcome"] == "ok" or (
        call["outcome"] != "failed" and call["changed"])


def truths(scenario, base):
    """The files that are there in the end and that a call changed."""
    facts, details = facts_of(scenario), results(scenario)
    named = {c.id: c.path for c in cases(scenario, base)
             if MISSED.get(c.id) != CUT}
    for below, sha in facts["final_tree"].items():
        calls = [c for c in facts["calls"]
                 if below in c["after"] and applied(c)]
        paths = [named[c["tool_use_id"]] for c in calls
                 if c["tool_use_id"] in named]
        if not paths or sha is None:
            continue
        truth = Truth(scenario, paths[-1], below)
        for call in calls:
            truth.call(call, details.get(call["tool_use_id"], {}))
        truth.data = truth.blob(sha)
        truth.outside(truth.data)
        yield truth


class Verdicts:
    def __init__(self):
        self.counts = collections.Counter()
        self.wrong = []
        self.shell, self.paths = {}, set()

    def note_shell(self, box):
        """Changes that commands made. What one left may not be known, and
        then neither is who came after it."""
        self.shell = {c["changeId"]: c for c in box.dump().changes
                      if c["evidence"] != "result"}
        self.paths = {c["path"] for c in self.shell.values()}

    def has_written(self, who, line):
        """Is the text of the line in the command?"""
        words = [w for w in self.shell[who]["command"].split("/")
                 if len(w) > 3]
        return any(w in line["content"].decode() for w in words)

    def line(self, truth, line, may):
        who = owner(line)
        self.counts["lines"] += 1
        self.counts["strict" if len(may) == 1 else "ambiguous"] += 1
        if who in may or owners.ANY in may:
            self.counts["right"] += 1
            return
        if who == UNKNOWN and may == {OUTSIDE} and truth.path in self.paths:
            self.counts["right, behind a command"] += 1
            return
        if may == {OUTSIDE} and who in self.shell and \
                self.has_written(who, line):
            self.counts["right, by a command"] += 1
            return
        kind = "unknown" if who == UNKNOWN else "wrong"
        self.counts[kind] += 1
        self.wrong.append(
            f"{kind}: {truth.path}:{line['line']}: {who}, not "
            f"{sorted(may)}: {line['content'][:60]!r}")

    def file(self, truth, reply, want):
        self.counts["files"] += 1
        eq(len(reply["lines"]), len(want), f"lines of {truth.path}")
        for line, may in zip(reply["lines"], want):
            self.line(truth, line, may)

    def check(self, strict):
        """No line is wrong, and at least so many could only be right."""
        print(", ".join(f"{n} {k}" for k, n in sorted(self.counts.items())))
        if self.wrong:
            raise AssertionError(f"{len(self.wrong)} problems:\n"
                                 + "\n".join(self.wrong[:60]))
        assert self.counts["strict"] > strict, "too few lines are strict"


def link(truth, base):
    """The archive has no links: makes the one that the call went by."""
    way = os.path.dirname(truth.path)
    if not os.path.exists(way):
        os.symlink(os.path.dirname(os.path.join(base, truth.below)), way)


def test_recordings():
    """Every line of every file, as it was left."""
    seen = Verdicts()
    for version, every in by_version().items():
        with Box() as box:
            found = []
            for scenario in every:
                moved = Moved(scenario, os.path.join(
                    box.top, version, os.path.basename(scenario)))
                box.roots += moved.roots
                for truth in truths(scenario, moved.base):
                    link(truth, moved.base)
                    found.append(truth)
            box.start()
            seen.note_shell(box)
            with box.rpc() as rpc:
                for truth in found:
                    reply = rpc.call("file.blame", path=truth.path)
                    check_form(reply, truth.data)
                    seen.file(truth, reply, truth.lines.owners)
    seen.check(strict=90_000)


def test_recordings_alone():
    """Right after the last call, from transcripts and backups alone: what is
    not known is said to be so."""
    seen = Verdicts()
    for every in by_version().values():
        with Box() as box:
            found = []
            for scenario in every:
                box.roots += roots(scenario)
                found += truths(scenario, facts_of(scenario)["base"])
            box.start()
            seen.note_shell(box)
            with box.rpc() as rpc:
                for truth in found:
                    tid, want = truth.last
                    try:
                        reply = rpc.call("file.blame", path=truth.path,
                                         at=tid)
                    except RpcError as error:
                        eq(error.code, "io", "error")
                        seen.counts["files not known"] += 1
                        continue
                    seen.file(truth, reply, want)
    seen.check(strict=65_000)


class Calls:
    """What the transcripts say of each call, and of each agent's type."""

    def __init__(self, tops):
        self.models, self.agents = {}, {}
        self.notes = {}     # agent → the type that the note beside it names
        self.launches = {}  # call → (type, prompt), by a session
        self.started = {}   # agent → calls that started it
        self.prompts = {}   # agent → its first prompt
        for root in tops:
            for folder, _, files in os.walk(root):
                for name in files:
                    path = os.path.join(folder, name)
                    if name.endswith(".meta.json"):
                        agent = name[len("agent-"):-len(".meta.json")]
                        with open(path, encoding="utf-8") as f:
                            self.notes[agent] = json.load(f)["agentType"]
                    elif name.endswith(".jsonl"):
                        self.read(path)
        self.types = {a: self.type_of(a) for a in self.prompts}

    def read(self, path):
        with open(path, "rb") as f:
            for data in f:
                try:
                    record = json.loads(data)
                    content = record["message"]["content"]
                except (ValueError, KeyError, TypeError):
                    continue
                if record["type"] not in ("assistant", "user"):
                    continue
                if isinstance(content, str):
                    content = [{"type": "text", "text": content}]
                for block in content:
                    self.take(record, block)

    def take(self, record, block):
        agent, result = record.get("agentId"), record.get("toolUseResult")
        if block["type"] == "tool_use":
            tid, given = block["id"], block["input"]
            self.models.setdefault(tid, set()).add(record["message"]["model"])
            self.agents.setdefault(tid, set()).add(agent)
            if "subagent_type" in given and not agent:
                self.launches[tid] = given["subagent_type"], given["prompt"]
        elif block["type"] == "tool_result":
            if isinstance(result, dict) and "agentId" in result:
                self.started.setdefault(result["agentId"], set()).add(
                    block["tool_use_id"])
        elif agent and record["type"] == "user":
            self.prompts.setdefault(agent, block["text"])

    def type_of(self, agent):
        """By its note, else by the call that started it."""
        if agent in self.notes:
            return self.notes[agent]
        if agent in self.started:
            found = {self.launches[t][0] for t in self.started[agent]}
        else:
            others = set().union(*self.started.values())
            found = {kind for t, (kind, prompt) in self.launches.items()
                     if prompt == self.prompts[agent] and t not in others}
        return found.pop() if len(found) == 1 else None

    def has_agents(self):
        """Did an agent call a tool?"""
        return any(a for of in self.agents.values() for a in of)

    def check(self, line, counts):
        tid, agent = line["changeId"], line["agentId"]
        assert line["model"] in self.models[tid], line
        assert agent in self.agents[tid], line
        if agent is None:
            eq(line["agentType"], None, "type of no agent")
            return
        eq(line["agentType"], self.types[agent], f"type of {agent}")
        counts["lines"] += 1
        counts["with a type"] += line["agentType"] is not None
        counts["by the note" if agent in self.notes
               else "by the result" if agent in self.started
               else "by the prompt"] += 1
        counts[line["agentType"]] += 1


def without(root, target, ways):
    """A copy of a Claude directory that does not tell agents' types in these
    ways."""
    shutil.copytree(root, target)
    for folder, _, files in os.walk(target):
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(".meta.json"):
                os.unlink(path)
            elif "result" in ways and name.endswith(".jsonl") \
                    and not name.startswith("agent-"):
                with open(path, "rb") as f:
                    data = f.read()
                with open(path, "wb") as f:
                    f.write(data.replace(b'"agentId":', b'"agentNo":'))


def check_agents(ways=()):
    """The lines of all agents there are, with notes and results taken away."""
    counts = collections.Counter()
    for every in by_version().values():
        with Box() as box:
            found = []
            for number, scenario in enumerate(every):
                calls = Calls(roots(scenario))
                if not calls.has_agents():
                    continue
                tops, types = roots(scenario), calls.types
                if ways:
                    copy = os.path.join(box.top, f"copy{number}-")
                    for i, root in enumerate(tops):
                        without(root, copy + str(i), ways)
                    tops = [copy + str(i) for i in range(len(tops))]
                    calls = Calls(tops)
                    eq(calls.types, types, f"types in {scenario}")
                box.roots += tops
                found += [(calls, truth) for truth in truths(
                    scenario, facts_of(scenario)["base"])]
            if not found:
                continue
            box.start()
            with box.rpc() as rpc:
                for calls, truth in found:
                    reply = rpc.call("file.blame", path=truth.path,
                                     at=truth.last[0])
                    for line in reply["lines"]:
                        if line["kind"] == "session":
                            calls.check(line, counts)
    print(dict(counts))
    eq(counts["with a type"], counts["lines"], "agents' lines with a type")
    assert counts["writer"] and counts["general-purpose"], "kinds of agents"
    return counts


def test_agents():
    """An agent's lines name it, its type and the model that it ran with."""
    counts = check_agents()
    assert counts["by the note"] > 10 and counts["by the result"] > 10


def test_agents_without_notes():
    counts = check_agents(["note"])
    assert counts["by the result"] == counts["lines"] > 20


def test_agents_by_prompts():
    """Without a result, only its prompt joins an agent with its call."""
    counts = check_agents(["note", "result"])
    assert counts["by the prompt"] == counts["lines"] > 20


# --- made-up worlds ---

class Unique(World):
    """Most lines are no other's, so that their owners can be told."""

    def line(self):
        self.count = getattr(self, "count", 0) + 1
        text = super().line()
        if self.random.random() < 0.1:
            return text
        return f"{text} #{self.count}"


def test_blocks_alone():
    """by=block: the same blocks, and not one line."""
    with world.World("a") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with w.box.rpc() as rpc:
            whole = rpc.call("file.blame", path=w.path("a.c"), by="line")
            short = rpc.call("file.blame", path=w.path("a.c"), by="block",
                             to=2)
            eq(len(whole["lines"]), 3, "lines")
            eq((short["lines"], short["truncated"]), ([], False), "no lines")
            eq([(b["start"], b["end"], b["changeId"])
                for b in short["blocks"]],
               [(line["line"], line["line"], line["changeId"])
                for line in whole["lines"][:2]], "blocks")
            try:
                rpc.call("file.blame", path=w.path("a.c"), by="day")
                raise AssertionError("by=day was taken")
            except RpcError as error:
                eq(error.code, "invalid", "by=day")


def folded(a, b):
    """The client compares lines with their leading tabs shown as spaces."""
    return owners.blocks([fold(x.decode()) for x in a],
                         [fold(x.decode()) for x in b])


class Story:
    """The owners of a file's lines as the generator's own steps give them."""

    def __init__(self, path, events, now):
        self.path = path
        self.chain = Chain(path, events, now)
        self.lines = owners.Lines()
        self.owned = {}  # change → owners and text right after it
        # What others did is seen between two changes, not step by step.
        other = OUTSIDE
        for event in self.chain.changes:
            self.lines.again(owners.split(event.before), {other})
            other = event.change if event.noted else OUTSIDE
            self.lines.step(owners.split(event.after), {event.change},
                            moves=True, patch=folded)
            self.owned[event.change] = (list(self.lines.owners),
                                        self.lines.text)
        self.lines.again(owners.split(now), {other})
        self.clear = self.is_clear()

    def is_clear(self):
        """Do the records show all that happened?"""
        chain = self.chain
        return all(p.must for p in chain.points) and all(
            chain.shows(g) for g in range(1, len(chain.changes) + 1)
            if text_of(chain.points[2 * g - 1]) != text_of(chain.points[2 * g]))

    def judge(self, seen, reply, want):
        for line, may in zip(reply["lines"], want):
            who = owner(line)
            if not self.clear and who in (OUTSIDE, UNKNOWN):
                seen.counts["lines not clear"] += 1
            elif not self.clear and who not in may \
                    and reply["fidelity"] != "exact":
                seen.counts["lines wrong, and said to be unsure"] += 1
            else:
                seen.line(self, line, may)


def text_of(point):
    return owners.split(point.data)


def look(rpc, story, seen):
    """The file now, and right after each change."""
    asked = [(None, story.lines.owners, story.lines.text)] \
        if story.chain.points[-1].data is not None else []
    asked += [(c.change, *story.owned[c.change])
              for c in story.chain.changes[-3:]]
    for at, want, text in asked:
        try:
            reply = rpc.call("file.blame", path=story.path, at=at)
        except RpcError as error:
            if story.clear:
                seen.wrong.append(f"{story.path} at {at}: {error}")
            continue
        seen.counts["files"] += 1
        got = [x["content"] for x in reply["lines"]]
        if got == [x.removesuffix(b"\n") for x in text]:
            story.judge(seen, reply, want)
        elif reply["fidelity"] == "exact":
            seen.wrong.append(f"{story.path} at {at}: other lines, exact")
        else:
            seen.counts["files of other content, said to be unsure"] += 1


def one_world(seed, seen):
    rng = random.Random(seed + 1)
    before = len(seen.wrong)
    with Box() as box:
        world = Unique(seed, os.path.join(box.top, "src"))
        world.put(box.claude)
        stories = [Story(p, world.events[p], world.disk[p])
                   for p in world.disk if any(
                       e.change for e in world.events[p])]
        files = world.transcripts()
        box.start()
        feed(box, files, rng, Asked(stories))
        if rng.random() < GONE:
            kept(box)
            remove([box.claude])
        with box.rpc() as rpc:
            for story in stories:
                look(rpc, story, seen)
    seen.wrong[before:] = [f"CCFC_SEED={seed}: {x}"
                           for x in seen.wrong[before:]]


class Asked:
    """What replay.feed asks in between, so that much is remembered."""

    def __init__(self, stories):
        self.chains = [s.chain for s in stories]


def test_made_up_worlds():
    print(f"CCFC_SEED={SEED}, {ROUNDS} rounds")
    seen = Verdicts()
    for number in range(ROUNDS):
        one_world(SEED + number * 1000, seen)
    seen.check(strict=100 * ROUNDS)
    assert seen.counts["lines wrong, and said to be unsure"] \
        < seen.counts["lines"] / 50, "too many are unsure"


if __name__ == "__main__":
    harness.main()
