"""Random worlds: sessions with file tools and commands, a person and builds in
one project. The generator knows what each file held at each moment and who
wrote it; what is said for sure has to be that.
"""
import os
import random
import time

import harness
from harness import eq
from observe_join import Session, started
from observing import Observed, now, pause
from transcript import patch, stamp

WORLDS = int(os.environ.get("CCFC_WORLDS")
             or ("30" if os.environ.get("CCFC_SOAK") else "3"))
FILES = ("a.txt", "b.txt", "d/c.txt")
# The times of files come from a clock that ticks.
TICK = 12


class World:
    """A project, what happens in it, and what is true."""

    def __init__(self, box, seed, settled):
        self.box = box
        self.rng = random.Random(seed)
        self.settled = settled
        self.sessions = []
        self.was = {}  # name → [(before ms, after ms, content, who)]
        self.count = 0
        for name in FILES:
            text = "".join(f"{name} {i}\n" for i in range(8))
            box.write(name, text)
            self.was[name] = [(0, now(), text, "outside")]
        box.write(".gitignore", "/build/\n")
        self.seen = 0

    def begin(self):
        self.sessions = [Session(self.box, k + 1) for k in range(3)]
        started(self.box, " ".join(s.t.session for s in self.sessions))
        for session, client in zip(self.sessions, self.box.clients):
            session.pid = client.pid

    def present(self, name):
        return self.was[name][-1][2]

    def changed(self, text):
        """Another text: lines added, changed, removed."""
        lines = (text or "").splitlines()
        self.count += 1
        at = self.rng.randrange(len(lines) + 1)
        new = f"line {self.count} {self.rng.random()}"
        kind = self.rng.randrange(3)
        if kind == 0 or not lines:
            lines.insert(at, new)
        elif kind == 1:
            lines[at % len(lines)] = new
        else:
            del lines[at % len(lines)]
            lines.append(new)
        return "\n".join(lines) + "\n"

    def put(self, name, text, who, client=None):
        """Writes, as this one does; the truth is noted."""
        path = os.path.join(self.box.p, name)
        before = now()
        if text is None:
            os.unlink(path)
        elif client:
            passing = self.box.write(f"{name}.tmp.{client}.0f1e2d", text)
            os.rename(passing, path)
        elif self.rng.random() < .5:
            self.box.write(name, text)
        else:
            # As many editors do.
            os.rename(self.box.write(name + "~", text), path)
        self.was[name].append((before, now(), text, who))
        self.seen += 1
        if self.settled:
            self.wait_seen(name, text)

    def wait_seen(self, name, text):
        """It has been looked at, before anything else happens to it."""
        end = time.monotonic() + harness.LIMIT
        while time.monotonic() < end:
            self.box.observe()
            last = [e for e in self.box.events() if e["path"] == name]
            if last and last[-1]["time"] >= self.was[name][-1][0] - TICK and \
                    last[-1]["after"] == (1 if text is None else 2):
                break
        else:
            raise AssertionError(f"never seen: {name}")
        pause(2 * TICK)

    def goes(self, name, moment, until):
        """Is the next thing that happens that it is deleted, soon? When that
        was is not always known.
        """
        return any(s[2] is None and until <= s[0] < until + 1500
                   for s in self.was[name])

    # --- what happens ---

    def person(self):
        name = self.rng.choice(FILES)
        text = self.present(name)
        pause()
        self.put(name, None if text and self.rng.random() < .1
                 else self.changed(text), "outside")

    def tool(self):
        one = self.rng.choice(self.sessions)
        name = self.rng.choice(FILES)
        path = os.path.join(self.box.p, name)
        old = self.present(name)
        new = self.changed(old)
        tid = one.t.call("Write", {"file_path": path, "content": new},
                         timestamp=stamp(now()))
        self.put(name, new, tid, one.pid)
        detail = {"type": "update" if old is not None else "create",
                  "filePath": path, "content": new, "structuredPatch": []}
        if old is not None:
            detail["originalFile"] = None if self.rng.random() < .4 else old
            detail["structuredPatch"] = patch(old.splitlines(),
                                              new.splitlines())
        one.t.result(tid, detail, timestamp=stamp(now()))
        if self.settled:
            pause(TICK)

    def end(self, one, tid):
        """What is written next may be taken for the command's as long as an
        event of it may be late: two states then are one change, and a moment
        between them is not exact.
        """
        one.end(tid)
        if self.settled:
            pause()

    def command(self):
        one = self.rng.choice(self.sessions)
        tid = one.begin(f"./run {self.count}")
        for name in self.rng.sample(FILES, self.rng.randint(0, 2)):
            text = self.present(name)
            self.put(name, None if text and self.rng.random() < .1
                     else self.changed(text), tid)
        self.end(one, tid)

    def build(self):
        one = self.rng.choice(self.sessions)
        tid = one.begin("make")
        for i in range(30):
            self.box.write(f"build/{i}.o", f"{self.count} {i}")
        self.put(f"gen{self.count}.txt", f"made {self.count}\n", tid) \
            if self.was.setdefault(f"gen{self.count}.txt",
                                   [(0, 0, None, "outside")]) else None
        self.end(one, tid)

    def live(self, steps):
        for _ in range(steps):
            self.rng.choices([self.person, self.tool, self.command,
                              self.build], [4, 4, 4, 1])[0]()
        self.box.settle()


class Tally:
    def __init__(self):
        self.exact = self.open = 0


def check_moments(world, tally):
    """Each moment between two writes, and each side of each change."""
    box = world.box
    with box.rpc() as rpc:
        for name, states in world.was.items():
            for k, (_, after, text, _) in enumerate(states):
                until = states[k + 1][0] if k + 1 < len(states) else now()
                if k == 0 or until - after < 2 * TICK:
                    continue
                # A whole second stands for all of it.
                when = min(after + TICK, until - TICK)
                moment = stamp(when + (when % 1000 == 0))
                try:
                    state = rpc.call(
                        "file.at", path=os.path.join(box.p, name), at=moment,
                        includeContent=True)["state"]
                except harness.RpcError as error:
                    # What nobody saw in time is not known.
                    eq((error.code, world.settled), ("not-found", False))
                    tally.open += 1
                    continue
                if state["fidelity"] != "exact":
                    tally.open += 1
                    if world.settled and not world.goes(name, moment, until):
                        raise AssertionError(
                            f"{name} at {moment}, state {k}: {state}; "
                            f"{[(s[0], s[1], s[3]) for s in states]}")
                    continue
                tally.exact += 1
                got = state["content"].decode() if state["exists"] else None
                eq(got, text, (name, moment, k))


def check_lines(world):
    """Who wrote each line that is there now: that one, or it is not known for
    sure (several commands may have).
    """
    box = world.box
    sure = {c["changeId"] for c in box.dump().changes
            if c["evidence"] in ("result", "observed")}
    n = 0
    for name, states in world.was.items():
        if states[-1][2] is None or not sure:
            continue
        wrote = {}
        for _, _, text, who in states:
            for row in (text or "").splitlines():
                wrote.setdefault(row, who)
        with box.rpc() as rpc:
            try:
                reply = rpc.call("file.blame",
                                 path=os.path.join(box.p, name))
            except harness.RpcError as error:
                eq(error.code, "not-found")
                continue
        lines = states[-1][2].splitlines()
        for owner in reply["lines"]:
            if owner["changeId"] in sure:
                eq(wrote[lines[owner["line"] - 1]],
                   owner["changeId"].split("#")[0], (name, owner["line"]))
                n += 1
    return n


def check_restore(world):
    """Back to what a person left, behind which others wrote."""
    box = world.box
    for name, states in world.was.items():
        for k, (_, after, text, who) in enumerate(states[:-1]):
            until = states[k + 1][0]
            if not k or who != "outside" or text is None or \
                    until - after < 4 * TICK or \
                    world.goes(name, None, until):
                continue
            path = os.path.join(box.p, name)
            moment = stamp(after + 2 * TICK)
            eq(box.ok("cat", path, f"--at={moment}"), text)
            box.ok("restore", path, f"--at={moment}", "--outside", "--force")
            with open(path, encoding="utf-8") as f:
                eq(f.read(), text, name)
            break


def test_kills_are_never_wrong():
    """The daemon is killed again and again: what it did not see is not known,
    and nothing else is said.
    """
    tally = Tally()
    for seed in range(WORLDS):
        with Observed() as box:
            world = World(box, 200 + seed, settled=False)
            world.begin()
            for _ in range(5):
                world.live(8)
                world.person()
                box.restart(hard=True)
                box.watching()
            check_moments(world, tally)
            eq(box.run("doctor", "--deep").returncode, 0)
    print(f"{tally.exact} moments exact, {tally.open} not known")


def test_moments_are_exact():
    """Each write is seen before the next one: every moment is exact."""
    tally, lines = Tally(), 0
    for seed in range(WORLDS):
        with Observed() as box:
            world = World(box, seed, settled=True)
            world.begin()
            world.live(25)
            check_moments(world, tally)
            lines += check_lines(world)
            before = [c["evidence"] for c in box.dump().changes]
            box.restart(hard=True)
            check_moments(world, tally)
            eq([c["evidence"] for c in box.dump().changes], before, "restart")
            check_restore(world)
    print(f"{tally.exact} moments exact, {tally.open} just before a file was "
          f"gone; {lines} lines with the right owner")


def test_a_race_is_never_wrong():
    """Nobody waits: what is called exact is right all the same."""
    tally = Tally()
    for seed in range(WORLDS):
        with Observed() as box:
            world = World(box, 100 + seed, settled=False)
            world.begin()
            world.live(40)
            check_moments(world, tally)
    print(f"{tally.exact} moments exact, {tally.open} not known")


if __name__ == "__main__":
    harness.main()
