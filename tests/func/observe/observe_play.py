"""Recorded timelines, played onto a real directory while the lines are
appended: whose was each change on disk?

The order of what happened is that of the recording. Pauses that tell commands
apart from what came later are kept, up to a little more than the time that an
event may be late.
"""
import collections
import glob
import json
import os
import posixpath
import time

import harness
from harness import eq
from observing import Observed
from shell_changes import SCENARIOS, Truth, corpus
from transcript import stamp

PAUSE = 0.12
KINDS = ("observed", "recorded", "parsed", "ambiguous")


def read_time(text):
    whole, _, rest = text.rstrip("Z").partition(".")
    seconds = time.mktime(time.strptime(whole, "%Y-%m-%dT%H:%M:%S"))
    return seconds - time.timezone + float("0." + (rest or "0"))


class Line:
    def __init__(self, path, data):
        self.path = path
        self.record = json.loads(data)
        given = self.record.get("timestamp")
        self.time = read_time(given) if given else None
        content = (self.record.get("message") or {}).get("content")
        blocks = content if isinstance(content, list) else []
        self.calls = [b["id"] for b in blocks if b.get("type") == "tool_use"]
        self.results = [b["tool_use_id"] for b in blocks
                        if b.get("type") == "tool_result"]

    def data(self, played):
        if self.time is not None:
            self.record["timestamp"] = stamp(int(played * 1000))
        return json.dumps(self.record).encode() + b"\n"


class Play(Observed):
    """One recording, on the way."""

    def __init__(self, scenario):
        super().__init__(git=False)
        self.folder = os.path.join(corpus(), scenario)
        self.truth = Truth(scenario)
        self.base = self.truth.facts["base"]
        self.p = self.here(self.truth.facts["project_root"])
        self.lines = self.read_lines()
        self.window, self.ended = {}, {}
        for line in self.lines:
            for tid in line.calls:
                self.window.setdefault(tid, [line.time, None])
            for tid in line.results:
                self.window[tid][1] = line.time
                self.ended[line.time] = line.path
        self.held = []
        self.results = 0
        self.now = time.time()
        self.pids = {}

    def here(self, path):
        """Where a path of the recording is played."""
        return os.path.join(self.top, "src") + path[len(self.base):] \
            if path.startswith(self.base) else path

    def read_lines(self):
        lines = []
        root = os.path.join(self.folder, "claude")
        for path in sorted(glob.glob(root + "/projects/**/*.jsonl",
                                     recursive=True)):
            with open(path, "rb") as f:
                last = None
                for data in f:
                    data = data.replace(self.base.encode(),
                                        self.here(self.base).encode())
                    line = Line(os.path.join(self.claude,
                                             os.path.relpath(path, root)),
                                data)
                    if line.time is None:
                        line.after = last
                    last = line.time if line.time is not None else last
                    line.order = last or 0
                    lines.append(line)
        return lines

    def content(self, sha):
        with open(os.path.join(self.folder, "truth-blobs", sha), "rb") as f:
            return f.read()

    def put(self, change, client=None):
        path = self.here(posixpath.join(self.base, change["path"]))
        if change["after"] is None:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        name = f"{path}.tmp.{client}.0a1b2c3d" if client else path
        with open(name, "wb") as f:
            f.write(self.content(change["after"]))
        if client:
            os.rename(name, path)

    # --- when ---

    def thread(self, what):
        """The transcript of a call, or of the result of that time."""
        if isinstance(what, float):
            return self.ended[what]
        return self.line_of(what).path

    def moment(self, change, look, before):
        """When it happened, as far as the recording tells; and whose."""
        owner = self.truth.owner(change["path"], look["t"])
        if owner == "user":
            return self.truth.user[change["path"]], owner
        if owner is None:
            return (before + look["t"]) / 2, owner
        begin, end = self.window.get(owner["tool_use_id"], (before, None))
        # Commands of one message are called together, and run in turn.
        begin = max([begin, *(e for _, e in self.window.values()
                              if e and end and e < end
                              and self.thread(owner) == self.thread(e))])
        if owner["input"].get("run_in_background") or end is None:
            end = look["t"]
        return (max(begin, min(before, end)) + min(end, look["t"])) / 2, owner

    def steps(self):
        """(time, number, what, payload), in the order in which to play."""
        for n, line in enumerate(self.lines):
            yield line.order, n, "line", line
        before = 0
        for n, look in enumerate(self.truth.facts["disk_timeline"]):
            for change in look["changes"]:
                if look["why"] != "set up":
                    when, owner = self.moment(change, look, before)
                    yield when, n, "disk", (change, owner)
            before = look["t"]

    # --- playing ---

    def set_up(self):
        for look in self.truth.facts["disk_timeline"]:
            if look["why"] == "set up":
                for change in look["changes"]:
                    self.put(change)
        os.makedirs(os.path.join(self.p, ".git", "info"), exist_ok=True)
        self.start()
        for session in {os.path.basename(line.path)[:-6]
                        for line in self.lines
                        if "/subagents/" not in line.path}:
            self.pids[session] = self.client(session).pid
        self.watching()

    def wait(self, pause):
        """The clock itself is what is played against."""
        until = self.now + pause
        while time.time() < until:
            time.sleep(0.005)
        self.now = time.time()

    def flush(self):
        for path, data in self.held:
            harness.append(path, data)
        self.held = []

    def play_line(self, line):
        self.held.append((line.path, line.data(self.now)))
        self.results += len(line.results)
        # Lines of a message with several calls come together.
        if not line.calls and self.results % 3 == 0:
            self.flush()

    def play(self):
        self.set_up()
        last = None
        for _, _, what, payload in sorted(self.steps(), key=lambda s: s[:3]):
            # A command that ended, and what came after it; and so on.
            near = what == last or (what == "line" and not payload.calls
                                    and not payload.results)
            self.wait(0.001 if near else PAUSE)
            if what == "line":
                self.play_line(payload)
                last = what if payload.calls or payload.results else last
                continue
            change, owner = payload
            tool = isinstance(owner, dict) and owner["tool"] in (
                "Write", "Edit", "MultiEdit")
            self.put(change, self.pids[self.session_of(owner)] if tool
                     else None)
            last = what
        self.wait(PAUSE)
        self.flush()
        self.settle()

    def line_of(self, call):
        for line in self.lines:
            if call["tool_use_id"] in line.calls:
                return line
        raise AssertionError(call)

    def session_of(self, call):
        return self.line_of(call).record["sessionId"]


class Judge:
    def __init__(self, play):
        self.play = play
        self.said = [c for c in play.dump().changes
                     if c["evidence"] != "result"]
        self.real = [(play.here(p), c, sha)
                     for p, c, sha in play.truth.after()]
        self.kinds = collections.Counter(c["evidence"] for c in self.said)
        self.right = collections.Counter()
        self.missing, self.wrong = [], []
        self.persons = []
        by_call = {(c["path"], c["toolUseId"]): c for c in self.said}
        used = set()
        for path, call, _ in self.real:
            c = by_call.get((path, call["tool_use_id"]))
            if c:
                used.add(c["changeId"])
                self.right[c["evidence"]] += 1
            elif not self.is_candidate(path, call["tool_use_id"]):
                self.missing.append((path, call["input"]["command"]))
        for c in self.said:
            if c["changeId"] not in used:
                self.judge(c)

    def is_candidate(self, path, tid):
        """Is an ambiguous change of the file said to be possibly its?"""
        return any(r["changeId"].split("#")[0] == tid
                   for c in self.said if c["path"] == path
                   and c["evidence"] == "ambiguous"
                   for r in c["candidates"])

    def owners(self, path):
        return {c["tool_use_id"] for p, c, _ in self.real if p == path}

    def judge(self, c):
        owners = self.owners(c["path"])
        persons = {self.play.here(posixpath.join(self.play.base, p))
                   for p in self.play.truth.user}
        if c["path"] in persons:
            # "while the command ran": nobody can tell.
            self.persons.append(c)
        elif c["evidence"] == "ambiguous":
            rivals = {r["changeId"].split("#")[0] for r in c["candidates"]}
            if owners and not owners & (rivals | {c["toolUseId"]}):
                self.wrong.append((c["path"], c["command"], "candidates"))
        elif c["evidence"] in ("observed", "recorded") and \
                c["toolUseId"] not in owners:
            self.wrong.append((c["path"], c["command"], c["evidence"]))


def contents(play, judge):
    """Of each change that was seen: is the content after it the one that the
    recording has?
    """
    good = bad = 0
    by_call = {(c["path"], c["toolUseId"]): c for c in judge.said}
    last = {(p, c["tool_use_id"]): sha for p, c, sha in judge.real}
    with play.rpc() as rpc:
        for key, sha in last.items():
            c = by_call.get(key)
            if not c or c["evidence"] not in ("observed", "recorded"):
                continue
            state = rpc.call("file.at", path=key[0], at=c["changeId"])["state"]
            if state["fidelity"] == "exact":
                eq(state["sha256"], sha, key)
                good += 1
            else:
                bad += 1
    return good, bad


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_kinds(total):
    """A person's write while a command ran is said to be the command's, and
    not right; a parsed change may have changed nothing.
    """
    print(f"{'evidence':12}{'said':>6}{'right':>7}{'precision':>11}"
          f"{'recall':>9}")
    for kind in KINDS:
        said = total["said", kind]
        print(f"{kind:12}{said:6}{total[kind]:7}"
              f"{share(total[kind], said):>11}"
              f"{share(total[kind], total['real']):>9}")


def test_timelines():
    """Each change on disk is named with the right session, or called ambiguous
    with that session among the candidates; no wrong one is called observed.
    """
    print(f"{'':25}{'changes':>8}{'named':>7}" + "".join(
        f"{k:>10}" for k in KINDS) + f"{'persons':>9}{'exact':>9}")
    total = collections.Counter()
    wrong, missing = [], []
    for scenario in SCENARIOS:
        with Play(scenario) as play:
            play.play()
            judge = Judge(play)
            good, bad = contents(play, judge)
        named = sum(judge.right.values())
        print(f"{scenario:25}{len(judge.real):8}{named:7}" + "".join(
            f"{judge.right[k]}/{judge.kinds[k]}".rjust(10) for k in KINDS)
            + f"{len(judge.persons):9}" + f"{good}/{good + bad}".rjust(9))
        for path, command in judge.missing:
            missing.append((scenario, os.path.relpath(path, play.p), command))
        wrong += [(scenario, *w) for w in judge.wrong]
        total["real"] += len(judge.real)
        total["named"] += named
        total["exact"] += good
        total["open"] += bad
        for kind in KINDS:
            total[kind] += judge.right[kind]
            total["said", kind] += judge.kinds[kind]
    print_kinds(total)
    print(f"named: {share(total['named'], total['real'])} of {total['real']}")
    eq(wrong, [], "wrong")
    eq(missing, [], "neither named nor ambiguous")
    eq(total["open"], 0, "not exact")


if __name__ == "__main__":
    harness.main()
