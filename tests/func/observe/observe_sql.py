"""What was seen on disk, in SQL: the views say of each change what the lists
say, whatever came in which order.
"""
import os
import random

import harness
from harness import RpcError, eq
from observe_join import started
from observing import Observed, now
from shell_states import hunk, noted
from sql import as_lists_have_it
from transcript import Ids, Transcript, edit_result, stamp

SEED = int(os.environ.get("CCFC_SEED", "20261118"))
ROUNDS = 60 if os.environ.get("CCFC_SOAK") else 4

TEXTS = ("make a.txt", "make", "./gen d/a.txt", "./gen b.txt", "echo x > a.txt",
         "./gen xa.txt")
FILES = ("a.txt", "b.txt", "d/a.txt")


class Crowd:
    """Files that change, and threads whose commands claim to have run about
    then; marks of some. Lines come late, in pieces, in any order of the
    transcripts.
    """

    def __init__(self, box, seed):
        self.box = box
        self.rng = random.Random(seed)
        ids = Ids(seed)
        self.began = ids.now = now()
        one, two, three = (Transcript(box, ids, cwd=box.p) for _ in range(3))
        three.cwd = self.rng.choice((box.p, box.p + "/d", "/elsewhere"))
        agent = Transcript(box, ids, cwd=box.p, session=one.session,
                           agent="abc123")
        self.threads = [one, two, three, agent]
        for t in self.threads:
            t.live = False
            t.prompt(timestamp=stamp(self.began - 600_000))
        self.moments = []
        self.marks = []

    def change_files(self):
        """Changes that are seen, with the moments around each."""
        for i in range(self.rng.randrange(3, 8)):
            name = self.rng.choice(FILES)
            before = now()
            self.box.write(name, f"{name} {i}\n")
            self.box.saw(i + 1)
            self.moments.append((name, before, now()))

    def near(self, index):
        return self.moments[index][1] + self.rng.randrange(-40, 40)

    def act(self):
        """A call that ran over some of the moments, or nearly."""
        t, pick = self.rng.choice(self.threads), self.rng.random
        first = self.rng.randrange(len(self.moments))
        last = self.rng.randrange(first, len(self.moments))
        at = {"timestamp": stamp(self.near(first))}
        end = {"timestamp": stamp(self.near(last)
                                  + self.rng.randrange(-90, 30))}
        path = f"{self.box.p}/{self.moments[first][0]}"
        if pick() < .1:
            tid = t.call("Edit", {"file_path": path, "old_string": "x",
                                  "new_string": "y"}, **at)
            t.result(tid, edit_result(path, "x", "y"), **end)
            return
        tid = t.call("Bash", {"command": self.rng.choice(TEXTS)}, **at)
        for end_of, index in (("began", first), ("ended", last)):
            if pick() < .3:
                self.marks.append({"session": t.session, "toolUseId": tid,
                                   end_of: self.near(index)})
        if pick() < .1:
            return
        detail = {"stdout": "", "stderr": "", "interrupted": False}
        if pick() < .3:
            detail["bashEditDiff"] = {
                "files": [noted(path, hunk("-x", "+y"))], "moreFiles": 0,
                "changedFiles": [path], "shared": pick() < .2}
        if pick() < .1:
            detail["backgroundTaskId"] = "b1"
        t.result(tid, detail, error=pick() < .1, **end)

    def tell_some(self):
        """Some lines of one transcript, or a mark; False: none is left."""
        left = [t for t in self.threads if t.lines]
        if self.marks and (not left or self.rng.random() < .5):
            with self.box.rpc() as rpc:
                rpc.call("command.mark", **self.marks.pop(
                    self.rng.randrange(len(self.marks))))
            return True
        if not left:
            return False
        t = self.rng.choice(left)
        n = self.rng.randrange(1, len(t.lines) + 1)
        harness.append(t.path, b"".join(t.lines[:n]))
        del t.lines[:n]
        return True


def sessions(box):
    """Those that are known; a mark may come before all lines."""
    with box.rpc() as rpc:
        try:
            found = rpc.call("session.list")["sessions"]
        except RpcError:
            return []
    return [s["sessionId"] for s in found]


def test_random_crowds():
    seen = set()
    for seed in range(SEED, SEED + ROUNDS):
        why = f"CCFC_SEED={seed}"
        with Observed() as box:
            for name in FILES:
                box.write(name, "x\n")
            started(box)
            crowd = Crowd(box, seed)
            crowd.change_files()
            for _ in range(crowd.rng.randrange(4, 25)):
                crowd.act()
            while crowd.tell_some():
                if crowd.rng.random() < .2:
                    box.restart(hard=crowd.rng.random() < .5)
                seen |= set(as_lists_have_it(box, sessions(box), why))
            box.ok("index", "--build")
            seen |= set(as_lists_have_it(box, sessions(box), why))
    eq({"ambiguous", "observed"} <= seen, True, str(seen))


if __name__ == "__main__":
    harness.main()
