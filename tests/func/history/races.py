"""Sessions that change one file at the same time, and states that come back.

Each line that is changed carries the tag of the change that wrote it, so the
file itself says whose its lines are, and the disk is kept at every step: the
log has the changes in the order in which they were written, no outside step
that nobody made, and each state is right or said to be unsure.

- Made-up races: results in another order than the writes, updates that were
  lost, in small files and in ones that are too large for results to show.
- The recording of eight clients at once (../shared/corpus/client, or
  $CCFC_RECORDINGS; skipped where it is not).
"""
import collections
import os
import random
import re

import harness
import recordings
from client import structured_patch
from harness import Box, RpcError, Skip, eq
from transcript import Ids, Transcript

TAG = re.compile(rb"<(c[0-9]+\.[0-9x]+)>")
SEED = int(os.environ.get("CCFC_SEED", "20251210"))
ROUNDS = int(os.environ.get("CCFC_ROUNDS")
             or ("100" if os.environ.get("CCFC_SOAK") else "6"))


class Change:
    """An edit of one line, on its way: called, read, written, noted."""

    def __init__(self, client, tag, old, new, tid):
        self.client, self.tag, self.tid = client, tag, tid
        self.old, self.new = old, new
        self.before = self.after = None


class Race:
    """A file, the clients that change it, and what they note."""

    def __init__(self, box, lines, clients=2, bare=()):
        self.box = box
        self.ids = Ids(len(lines))
        self.cwd = os.path.join(box.top, "p")
        self.path = os.path.join(self.cwd, "f.txt")
        self.clients = [
            Transcript(box, self.ids, cwd=self.cwd, style="new",
                       version="2.1.325", project="-p",
                       agent=f"a{i:016x}" if i in bare else None)
            for i in range(clients)]
        self.bare = set(bare)
        self.count = 0
        self.data = "".join(lines)
        self.start = self.data
        self.done = []
        self.maker = None
        for client in self.clients:
            client.prompt()

    def call(self, number, line, more=""):
        """A client means to change the line that begins so."""
        self.count += 1
        tag = f"c{number}.{self.count}"
        old = next(x for x in self.data.split("\n") if x.startswith(line))
        new = f"{line} <{tag}>" + more.replace("TAG", f"<{tag}>")
        tid = self.clients[number].call("Edit", {
            "file_path": self.path, "old_string": old, "new_string": new,
            "replace_all": False}, timestamp=self.ids.time(20))
        return Change(number, tag, old, new, tid)

    def read(self, change):
        change.before = self.data
        assert change.before.count(change.old) == 1, change.old
        change.after = change.before.replace(change.old, change.new)

    def write(self, change):
        self.ids.time(5)
        self.data = change.after
        self.done.append(change)

    def note(self, change):
        """The result: of a large file it does not show what was there."""
        detail = None
        if change.client not in self.bare:
            detail = {"filePath": self.path, "oldString": change.old,
                      "newString": change.new, "userModified": False,
                      "originalFile": change.before
                      if len(change.before) <= 10_000 else None,
                      "structuredPatch": structured_patch(
                          change.before, change.after),
                      "replaceAll": False}
        self.clients[change.client].result(
            change.tid, detail, timestamp=self.ids.time(5))

    def edit(self, number, line, more=""):
        """All of it at once."""
        change = self.call(number, line, more)
        self.read(change)
        self.write(change)
        self.note(change)
        return change

    def create(self):
        """A client has made the file as it is; its lines have no tag."""
        tid = self.clients[0].write(self.path, self.data)
        self.maker = tid

    def put(self):
        os.makedirs(self.cwd, exist_ok=True)
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(self.data)
        when = self.ids.now / 1000 - 0.006
        os.utime(self.path, (when, when))

    def owners(self):
        return {c.tag: c.tid for c in self.done}


def steps_of(rpc, path):
    return rpc.call("file.log", path=path, limit=10_000)["steps"][::-1]


def check_owners(rpc, race):
    """Whose each line is, its tag says; without one it is nobody's."""
    reply = rpc.call("file.blame", path=race.path)
    for line in reply["lines"]:
        tags = TAG.findall(line["content"])
        want = race.owners()[tags[-1].decode()] if tags else race.maker
        eq(line["changeId"], want, f"owner of {line['content'][:60]!r}")
    return len(reply["lines"])


def check_states(rpc, race, counts):
    for change in race.done:
        reply = rpc.call("change.get", change=change.tid,
                         includeContent=True)
        for side in ("before", "after"):
            state = reply[side]
            counts[state["fidelity"]] += 1
            right = state.get("content") == getattr(change, side).encode()
            counts["right"] += right
            if state["fidelity"] == "exact" and not right:
                raise AssertionError(f"{side} {change.tid}: wrong as exact")
            counts["states"] += 1


def check_race(race, kinds, counts=None):
    """`kinds`: of the steps that are no changes, from the oldest on."""
    counts = collections.Counter() if counts is None else counts
    race.put()
    race.box.start()
    with race.box.rpc() as rpc:
        steps = steps_of(rpc, race.path)
        eq([s["changeId"] for s in steps if s["kind"] == "change"],
           [c.tid for c in race.done], "order of the changes")
        eq([s["kind"] for s in steps if s["kind"] != "change"], kinds,
           "steps between them")
        check_owners(rpc, race)
        check_states(rpc, race, counts)
    return steps, counts


def numbered(count, width=10):
    return [f"line{i:03d}. {'x' * width}\n" for i in range(count)]


# --- made-up races ---

def test_results_in_another_order():
    """The change that an agent made last, and that nothing shows, was noted
    first."""
    with Box() as box:
        race = Race(box, numbered(20), clients=3, bare=[2])
        race.edit(0, "line001.")
        first, second = race.call(1, "line005."), race.call(2, "line012.")
        for change in (first, second):
            race.read(change)
            race.write(change)
        race.note(second)
        race.note(first)
        race.edit(0, "line003.")
        check_race(race, [])


def test_two_results_that_show_what_they_found():
    with Box() as box:
        race = Race(box, numbered(20), clients=3)
        several = [race.call(i, f"line{i:03d}.") for i in range(3)]
        for change in several:
            race.read(change)
            race.write(change)
        for change in reversed(several):
            race.note(change)
        check_race(race, [])


def test_lost_update():
    """Both were made from the same state: the second took the first away."""
    with Box() as box:
        race = Race(box, numbered(20))
        race.edit(0, "line001.")
        lost, last = race.call(0, "line005."), race.call(1, "line012.")
        race.read(lost)
        race.read(last)
        race.write(lost)
        race.write(last)
        race.note(lost)
        race.note(last)
        race.edit(0, "line003.")
        steps, _ = check_race(race, ["overwritten"])
        step = next(s for s in steps if s["kind"] == "overwritten")
        eq(step["returnedTo"], race.done[0].tid, "the state that it read")
        eq(step["returnedSide"], "after", "side")
        eq(step["overwrittenBy"], last.tid, "the change that overwrote")
        text = box.ok("log", race.path)
        assert (f"overwritten by {race.clients[1].session[:8]}, which had "
                f"read the state of {race.done[0].tid}") in text, text


def test_lost_update_that_is_noted_first():
    with Box() as box:
        race = Race(box, numbered(20))
        race.edit(0, "line001.")
        lost, last = race.call(0, "line005."), race.call(1, "line012.")
        race.read(last)
        race.read(lost)
        race.write(lost)
        race.write(last)
        race.note(last)
        race.note(lost)
        race.edit(0, "line003.")
        check_race(race, ["overwritten"])


def test_two_races_in_a_row():
    """What tells the order of the first pair was noted late itself."""
    with Box() as box:
        race = Race(box, numbered(20))
        lost, last = race.call(0, "line005."), race.call(1, "line012.")
        race.read(lost)
        race.read(last)
        race.write(lost)
        race.write(last)
        race.note(last)
        race.note(lost)
        third, fourth = race.call(0, "line001."), race.call(1, "line003.")
        for change in (third, fourth):
            race.read(change)
            race.write(change)
        race.note(fourth)
        race.note(third)
        check_race(race, ["overwritten"])


def lose(race, rng, number):
    """Two of the clients, one of which does not see the other's change."""
    one, two = rng.sample(range(len(race.clients)), 2)
    lines = rng.sample(range(400), 2)
    lost = race.call(one, f"line{lines[0]:03d}.")
    last = race.call(two, f"line{lines[1]:03d}.",
                     "\nand TAG" if rng.random() < 0.3 else "")
    race.read(lost)
    race.read(last)
    race.write(lost)
    race.write(last)
    for change in rng.sample([lost, last], 2):
        race.note(change)


def test_lost_updates_of_a_large_file():
    """No result shows the file. The disk is what the last one left, and from
    there each state follows, also those in front of a lost update."""
    counts = collections.Counter()
    for number in range(ROUNDS):
        rng = random.Random(SEED + number)
        with Box() as box:
            race = Race(box, numbered(400, 40), clients=4)
            if number % 2:
                race.create()
            lost = 0
            for _ in range(30):
                if rng.random() < 0.1:
                    lose(race, rng, number)
                    lost += 1
                else:
                    race.edit(rng.randrange(4),
                              f"line{rng.randrange(400):03d}.")
            check_large(race, lost, counts)
    print(dict(counts))
    assert counts["right"] > counts["states"] * 0.97, "too few are right"


def check_large(race, lost, counts):
    race.put()
    race.box.start()
    with race.box.rpc() as rpc:
        steps = steps_of(rpc, race.path)
        kinds = collections.Counter(s["kind"] for s in steps)
        eq(kinds["outside"], 0, "outside steps")
        eq(kinds["overwritten"], lost, "lost updates")
        check_owners(rpc, race)
        check_states(rpc, race, counts)


# --- states that come back ---

def test_checkout():
    """A person puts an old state back: its lines are whose they were."""
    with Box() as box:
        race = Race(box, numbered(20))
        race.edit(0, "line001.")
        old = race.data
        race.edit(1, "line005.")
        race.edit(0, "line001.", " again")
        race.ids.time(60_000)
        race.data = old
        race.edit(1, "line009.")
        steps, _ = check_race(race, ["returned"])
        step = next(s for s in steps if s["kind"] == "returned")
        eq(step["returnedTo"], race.done[0].tid, "the state")
        assert f"returned to {race.done[0].tid}" in box.ok("log", race.path)


def test_checkout_in_the_end():
    with Box() as box:
        race = Race(box, numbered(20))
        race.edit(0, "line001.")
        race.edit(1, "line005.")
        race.ids.time(60_000)
        race.data = race.start
        steps, _ = check_race(race, ["returned"])
        eq(steps[-1]["returnedTo"], race.done[0].tid, "the state")
        eq(steps[-1]["returnedSide"], "before", "its side")


def test_hook():
    """What a hook changed after a call is the hook's of that call, not what
    any hook only said."""
    for words, kind in (("PostToolUse hook modified F after your edit", "hook"),
                        ("remember to run the tests", "outside")):
        with Box() as box:
            race = Race(box, numbered(5))
            first = race.edit(0, "line001.")
            client = race.clients[0]
            client.emit(client.record("attachment", attachment={
                "type": "hook_additional_context", "content": [words],
                "hookName": "PostToolUse:Edit", "toolUseID": first.tid,
                "hookEvent": "PostToolUse"}))
            race.data += "# formatted\n"
            race.edit(1, "line003.")
            race.put()
            box.start()
            with box.rpc() as rpc:
                step = steps_of(rpc, race.path)[1]
                line = rpc.call("file.blame", path=race.path)["lines"][-1]
            eq(step["kind"], kind, "the step")
            eq(step.get("hookOf"), first.tid if kind == "hook" else None,
               "its call")
            eq((line["changeId"], line.get("hook", False)),
               (first.tid, True) if kind == "hook" else (None, False),
               "owner of the line")
            said = f"a hook after {first.tid}" in box.ok("log", race.path)
            eq(said, kind == "hook", "words of the log")


# --- the recording ---

def recording(version, name):
    top = os.environ.get("CCFC_RECORDINGS") or os.path.join(
        os.path.dirname(harness.TOP), "shared", "corpus", "client")
    path = os.path.join(top, version, name)
    if not os.path.exists(path):
        raise Skip(f"the recording {version}/{name} is not here")
    return path


class Recorded:
    """One file of the recording: its replacements, in their true order."""

    def __init__(self, facts, below):
        self.below = below
        made = collections.defaultdict(list)
        for call in facts["calls"]:
            if call["tool"] in ("Edit", "Write") and below in call["after"] \
                    and call["outcome"] != "failed":
                made[call["after"][below]].append(call["tool_use_id"])
        self.order = [made[r["sha256"]].pop(0) for r in facts["renames"]
                      if r["path"] == below]
        self.after = {c["tool_use_id"]: c["after"].get(below)
                      for c in facts["calls"]}


def tags_of(facts):
    """tag → the call that wrote it."""
    out = {}
    for call in facts["calls"]:
        given = call["input"] if isinstance(call["input"], dict) else {}
        new = given.get("new_string") or given.get("content") or ""
        old = given.get("old_string") or ""
        for tag in set(TAG.findall(new.encode())) - set(
                TAG.findall(old.encode())):
            out[tag.decode()] = call["tool_use_id"]
    return out


def check_recorded(rpc, base, file, tags, counts):
    path = os.path.join(base, file.below)
    steps = steps_of(rpc, path)
    got = [s["changeId"] for s in steps if s["kind"] == "change"]
    seen = [tid for tid in file.order if tid in got]
    eq(got, seen, f"order of {file.below}")
    counts["not in any transcript"] += len(file.order) - len(seen)
    for step in steps:
        counts[step["kind"]] += 1
    for tid in got:
        state = rpc.call("change.get", change=tid)["after"]
        eq(state["sha256"], file.after[tid],
           f"{file.below} after {tid}, {state['fidelity']}")
        counts[state["fidelity"]] += 1
    for line in rpc.call("file.blame", path=path)["lines"]:
        tag = TAG.findall(line["content"])
        if tag and tags[tag[-1].decode()] in got:
            eq(line["changeId"], tags[tag[-1].decode()],
               f"owner of {line['content']!r}")
            counts["lines"] += 1


def test_eight_clients():
    scenario = recording("2.1.325", "st6")
    facts = recordings.facts_of(scenario)
    counts = collections.Counter()
    with Box() as box:
        moved = recordings.Moved(scenario, os.path.join(box.top, "st6"))
        last = {r["path"]: r["t"] for r in facts["renames"]}
        for below, when in last.items():
            os.utime(os.path.join(moved.base, below), (when, when))
        box.roots = moved.roots
        box.start()
        with box.rpc() as rpc:
            for below in last:
                try:
                    check_recorded(rpc, moved.base, Recorded(facts, below),
                                   tags_of(facts), counts)
                except RpcError as error:
                    raise AssertionError(f"{below}: {error}") from None
    print(dict(counts))
    # A client was killed in a message: its two edits stand nowhere.
    eq(counts["not in any transcript"], 2, "edits without a line")
    eq(counts["outside"], counts["not in any transcript"], "outside steps")
    assert counts["lines"] > 380 and counts["change"] > 270


if __name__ == "__main__":
    harness.main()
