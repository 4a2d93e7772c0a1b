"""Sessions and persons in each other's way: each conflict is one event. In
random worlds, with real edits on disk, the generator knows the conflicts.
"""
import collections
import json
import os
import random

import harness
from conflicts import MINUTE, SEED, RandomWorld, Two, feed
from harness import eq
from observe_join import started
from observe_killed import ms
from observing import LATE, Observed, now, pause
from transcript import Ids, Transcript, edit_result, stamp, write_result

# Files at once, each with sessions of its own; and how long they are played.
FILES = int(os.environ.get("CCFC_ROUNDS") or "24")
TURNS = 14


class Person(Two):
    """A project that is watched, and somebody who edits its file. Lines have
    times of their own: they tell what came before an edit, and what after it.
    """

    def __init__(self, n=1, name="f.c"):
        self.box = Observed()
        self.name = name
        self.path = self.box.write(name, "0\n")
        self.t = [Transcript(self.box, Ids(i + 1), cwd=self.box.p)
                  for i in range(n)]
        self.saved = 0

    def __enter__(self):
        self.box.__enter__()
        started(self.box)
        for t in self.t:
            t.prompt(timestamp=stamp(now() - 30 * MINUTE))
        return self

    def events(self):
        return [e for e in self.box.events() if e["path"] == self.name]

    def save(self):
        """Somebody edits the file; when."""
        self.box.watching()  # it may just have been started again
        self.saved += 1
        self.box.write(self.name, f"{self.saved}\n", "a")
        self.box.settle()
        return self.events()[-1]["time"]

    def use(self, when, tool, given, detail, n=0):
        tid = self.t[n].call(tool, given, timestamp=stamp(when))
        self.t[n].result(tid, detail, timestamp=stamp(when + 10))
        return tid

    def read(self, when, n=0):
        self.use(when, "Read", {"file_path": self.path}, {"type": "text"}, n)

    def edit(self, when, n=0):
        return self.use(when, "Edit", {
            "file_path": self.path, "old_string": "a", "new_string": "b"},
            edit_result(self.path, "a", "b"), n)

    def overwrite(self, when, n=0):
        return self.use(when, "Write", {
            "file_path": self.path, "content": "x"},
            write_result(self.path, "x", kind="update"), n)

    def command(self, begin, end, n):
        tid = self.t[n].call("Bash", {"command": "sh ./go.sh"},
                             timestamp=stamp(begin))
        self.t[n].result(tid, {"stdout": "", "stderr": ""},
                         timestamp=stamp(end))

    def text(self, when):
        self.t[0].text("I go on", timestamp=stamp(when))

    def expect(self, *want):
        """These conflicts, (kind, change, time of the edit), each told
        once."""
        for name, got in (("events", self.told()), ("list", self.found())):
            eq(sorted((c["kind"], c["changeId"], c["otherTimestamp"])
                      for c in got),
               sorted((kind, change, stamp(time))
                      for kind, change, time in want), name)
            for c in got:
                eq((c["otherParty"], c["otherSessionId"], c["otherChangeId"],
                    c["sessionId"]),
                   ("outside", None, None, self.t[0].session), name)


def test_person_stale():
    """However often somebody saves the file in between."""
    with Person() as w:
        w.read(now() - 5000)
        time = w.save()
        last = w.save()
        w.expect()
        change = w.edit(last + 5000)
        w.expect(("stale", change, time))
        w.text(last + 6000)
        w.expect(("stale", change, time))
        # What follows is on the basis of its own change.
        w.edit(last + 7000)
        w.expect(("stale", change, time))
        before = w.found()
        w.box.restart(hard=True)
        eq(w.found(), before)


def test_person_lost_update():
    with Person() as w:
        w.read(now() - 5000)
        time = w.save()
        w.expect(("lost_update", w.overwrite(time + 5000), time))


def test_person_concurrent():
    """Told when the session goes on, and once for what it left there."""
    with Person() as w:
        change = w.edit(now() - 5000)
        time = w.save()
        w.expect()
        w.box.restart(hard=True)
        w.expect()
        w.text(time + 1000)
        w.expect(("concurrent", change, time))
        last = w.save()
        w.text(last + 2000)
        w.expect(("concurrent", change, time))
        # It is the same conflict when the session goes on there.
        stale = w.edit(last + 5000)
        w.expect(("stale", stale, time))
        w.box.restart()
        w.expect(("stale", stale, time))


def test_person_in_nobodys_way():
    with Person() as w:
        # The session has seen what somebody did.
        w.read(now() - 5000)
        time = w.save()
        w.read(time + 1000)
        w.edit(time + 2000)
        w.expect()
    with Person() as w:
        w.edit(now() - 11 * MINUTE)
        w.text(w.save() + 1000)
        w.expect()
    with Person() as w:
        # It looked at the file after its change.
        w.edit(now() - 5000)
        w.read(now() - 4000)
        w.text(w.save() + 1000)
        w.expect()
    with Person() as w:
        # It never knew the file.
        w.edit(w.save() + 5000)
        w.expect()


def test_commands_are_no_persons():
    """Of the session, and of another one; lines that come late take back what
    was told."""
    for n in (0, 1):
        with Person(2) as w:
            w.read(now() - 5000)
            time = w.save()
            w.command(time - 1000, time + 1000, n)
            w.edit(time + 5000)
            w.text(time + 6000)
            w.expect()
    with Person(2) as w:
        w.read(now() - 5000)
        time = w.save()
        change = w.edit(time + 5000)
        w.expect(("stale", change, time))
        w.command(time - 1000, time + 1000, 1)
        eq(w.found(), [])
        told = w.told()
        eq([(e["kind"], e["withdrawn"]) for e in told], [("none", True)])
        w.box.restart(hard=True)
        eq(w.found(), [])


def test_a_command_that_had_ended():
    """As long as its end is not known, a command may have done it."""
    with Person(2) as w:
        w.read(now() - 5000)
        other = w.t[1].call("Bash", {"command": "sh ./go.sh"},
                            timestamp=stamp(now() - 4000))
        time = w.save()
        change = w.edit(time + 5000)
        w.expect()
        w.t[1].result(other, {"stdout": "", "stderr": ""},
                      timestamp=stamp(time - 2000))
        w.expect(("stale", change, time))


def test_ignored_files_have_no_persons():
    with Person(name="f.o") as w:
        w.box.write(".gitignore", "*.o\n")
        w.box.settle()
        w.read(now() - 5000)
        w.box.write(w.name, "more\n", "a")
        w.box.settle()
        w.edit(now() + 5000)
        w.text(now() + 6000)
        eq(w.events(), [])
        w.expect()


def test_persons_in_commands():
    with Person() as w:
        w.read(now() - 5000)
        time = w.save()
        stale = w.edit(time + 5000)
        text = w.box.ok("conflicts")
        for word in ("stale", "f.c", w.t[0].session, stale, "outside"):
            assert word in text, (word, text)
        eq(len(w.box.json("conflicts", "--live")["conflicts"]), 1)
        eq(w.box.json("show", w.t[0].session)["conflictCount"], 1)
        assert "Edit, conflict: stale" in w.box.ok("log", w.path)
        sql = w.box.ok("sql", "--format=jsonl",
                       "SELECT kind, session_id, tool_use_id,"
                       " other_session_id, other_tool_use_id, outside_time"
                       " FROM conflicts")
        eq(list(json.loads(sql).values()),
           ["stale", w.t[0].session, stale, None, None, time])


class Clock(Ids):
    """Lines have the time at which they are made, and one each."""

    def __init__(self, seed):
        super().__init__(seed)
        self.now = 0
        self.ago = 0  # by how much it goes after

    def time(self, step=1):
        self.now = max(self.now + step, now() - self.ago)
        return stamp(self.now)


class Place:
    """A project that is watched, in which a person saves files, and a session
    of its own runs commands that do, beside the sessions of the worlds.
    """

    def __init__(self, rng, live):
        self.rng = rng
        self.live = live
        self.box = Observed()
        self.clock = Clock(rng.randrange(1 << 30))
        self.runner = self.transcript()
        self.saved = 0

    def transcript(self):
        t = Transcript(self.box, self.clock, cwd=self.box.p)
        t.live = self.live
        if not self.live:
            return t
        emit = t.emit

        def emit_and_look(record):
            """Lines of two transcripts are read in the order of writing."""
            data = emit(record)
            self.box.observe()
            return data
        t.emit = emit_and_look
        return t

    def wait(self):
        """What is done next on disk is none of the calls before, and what is
        said next is after it."""
        pause(max(self.clock.now - now(), 0) + LATE)

    def save(self, names, by_command):
        """These files are saved; when each was. None: a command did it."""
        self.wait()
        tid = by_command and self.runner.call("Bash",
                                              {"command": "sh ./go.sh"})
        self.saved += 1
        for name in names:
            self.box.write(name, f"{self.saved}\n", "a")
        when = {e["path"]: e["time"] for e in self.box.settle()
                if e["before_key"] != e["after_key"]}
        self.wait()
        if tid:
            self.runner.result(tid, {"stdout": "", "stderr": ""})
        return {name: None if by_command else when[name] for name in names}


def said(t):
    """What a session did to its file, as its lines say: (time, what, id)."""
    for data in t.lines:
        record = json.loads(data)
        when = ms(record["timestamp"])
        if record["type"] == "attachment":
            yield when, "look", None
        for block in record.get("message", {}).get("content", ()):
            if isinstance(block, dict) and block["type"] == "tool_use":
                what = {"Read": "look", "Edit": "stale",
                        "Write": "lost_update"}[block["name"]]
                yield when, what, block["id"]


def with_person(t, saves):
    """The conflicts of a session with a person who saved the file then, by
    the definitions of the protocol: (kind, change, time)."""
    steps = list(said(t))
    end = ms(json.loads(t.lines[-1])["timestamp"])
    found = {}
    changes = [s for s in steps if s[1] != "look"]
    for i, (time, kind, change) in enumerate(changes):
        known = max((s[0] for s in steps if s[0] < time), default=None)
        unseen = [s for s in saves if known and known < s < time]
        if unseen:
            found[unseen[0]] = (kind, change, unseen[0])
        following = [s[0] for s in changes[i + 1:i + 2]]
        after = [s for s in saves if time < s and
                 (not following or s < following[0])]
        if after and after[0] - time < 10 * MINUTE and end >= after[0] and \
                not any(s[1] == "look" and time < s[0] < after[0]
                        for s in steps):
            found[after[0]] = ("concurrent", change, after[0])
    return set(found.values())


class PersonWorld(RandomWorld):
    """Sessions that read and change one file, which a person saves, too."""

    def __init__(self, place, number):
        self.rng = random.Random(place.rng.random())
        self.place, self.box = place, place.box
        self.name = f"f{number}.c"
        self.path = place.box.write(self.name, "0\n")
        self.t = [place.transcript() for _ in range(self.rng.randint(1, 3))]
        self.version, self.seen, self.last = 0, {}, None
        self.pairs, self.want = set(), set()
        self.changed_at = 0
        self.saves = []
        self.left = set(range(len(self.t)))  # sessions that go on

    def step_race(self, n):
        if len(self.left) == len(self.t) > 1:
            super().step_race(n)

    def changed(self, n, change, kind=None, other=None):
        super().changed(n, change, kind, other)
        self.changed_at = self.place.clock.now

    def is_recent(self):
        return self.place.clock.now - self.changed_at < 10 * MINUTE

    def long_ago(self):
        """A session may have known the file long before all that follows."""
        n = self.rng.randrange(len(self.t))
        if self.rng.random() < 0.5:
            self.step_edit(n)

    def turn(self):
        for _ in range(self.rng.randint(0, 3)):
            if self.left:
                self.step(self.rng.choice(sorted(self.left)))
        if self.left and self.rng.random() < 0.05:
            self.left.discard(self.rng.choice(sorted(self.left)))

    def end(self):
        for n in self.left:
            self.t[n].text("that is all")

    def conflicts(self):
        """(kind, change, other change or time of the edit)."""
        of = {change: (t, time) for t in self.t
              for time, _, change in said(t) if change}
        for kind, change, other in self.want:
            # The other session has to be alive.
            end = ms(json.loads(of[other][0].lines[-1])["timestamp"])
            if kind != "concurrent" or end >= of[change][1]:
                yield kind, change, other
        for t in self.t:
            for kind, change, time in with_person(t, self.saves):
                yield kind, change, stamp(time)


def play(place, worlds):
    """Sessions and the person take turns; commands are nobody's edits."""
    place.clock.ago = 11 * MINUTE
    for t in [place.runner, *(t for w in worlds for t in w.t)]:
        t.prompt()
    for w in worlds:
        w.long_ago()
    place.clock.ago = 0
    for _ in range(TURNS):
        for w in worlds:
            w.turn()
        some = [w for w in worlds if w.rng.random() < 0.4]
        when = place.save([w.name for w in some], place.rng.random() < 0.25)
        for w in some:
            if when[w.name]:
                w.saves.append(when[w.name])
    for w in worlds:
        w.end()


def brief(c):
    return (c["kind"], c["changeId"],
            c["otherChangeId"] or c["otherTimestamp"])


def check_worlds(place, worlds, seed):
    total = collections.Counter()
    for w in worlds:
        found = w.found(path=w.path)
        want = sorted(w.conflicts())
        eq(sorted(map(brief, found)), want, f"{w.name}, CCFC_SEED={seed}")
        told = [e for e in w.told() if e["path"] == w.path]
        eq(sorted(brief(e) for e in told if not e.get("withdrawn")), want,
           f"events of {w.name}, CCFC_SEED={seed}")
        total.update((c["kind"], c["otherParty"]) for c in found)
    print(f"{len(worlds)} worlds: {dict(total)}")
    assert len({kind for kind, party in total if party == "outside"}) == 3


def test_random_worlds_as_they_happen():
    """A subscriber gets each conflict once. One with a person may become
    worse, when the session goes on; none is taken back."""
    place = Place(random.Random(SEED), live=True)
    with place.box as box:
        worlds = [PersonWorld(place, i) for i in range(FILES)]
        started(box)
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            play(place, worlds)
            want = sorted(c for w in worlds for c in w.conflicts())
            check_worlds(place, worlds, SEED)
            told = conflicts_told(rpc, place)
        eq([e for e in told if e.get("withdrawn")], [])
        last = {}
        for e in told:
            key = e["sessionId"], e["path"], \
                e["otherChangeId"] or e["otherTimestamp"], \
                e["otherChangeId"] and e["changeId"]
            if key in last:
                eq((e["otherParty"], last[key]["kind"]),
                   ("outside", "concurrent"), str(e))
                assert e["kind"] != "concurrent", e
            last[key] = e
        eq(sorted(map(brief, last.values())), want)


def conflicts_told(rpc, place):
    """All events up to one that is made now."""
    tid = place.runner.edit(os.path.join(place.box.p, "last"))
    told = []
    while True:
        event = rpc.event()
        if event.get("changeId") == tid:
            return told
        if event["type"] == "conflict":
            told.append(event)


def test_random_worlds_told_late():
    """The lines come when all is over, in an order of their own, with
    restarts: the edits on disk are known long before."""
    seed = SEED + 1
    place = Place(random.Random(seed), live=False)
    with place.box as box:
        worlds = [PersonWorld(place, i) for i in range(FILES)]
        started(box)
        play(place, worlds)
        transcripts = [place.runner, *(t for w in worlds for t in w.t)]
        feed(place.rng, transcripts, worlds[0].found, box.restart)
        check_worlds(place, worlds, seed)


if __name__ == "__main__":
    harness.main()
