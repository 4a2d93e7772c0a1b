"""Recordings of the real client: after every applied call of a file tool
`file.at` and `ccfc cat` give the bytes that were on the disk.

`run history --report [alone|disk]` prints each miss with its details.
"""
import collections
import sys

import harness
from harness import eq
from recordings import MODES, ask, looks, sha, written
from transcript import patch
from world import World

# The truth is the disk when the client next asked, which is not what the tool
# left behind here. Judged by what its result says that it wrote.
FORMATTER = "a hook formatted the file right after the tool"
EARLY = "the look at the disk came before this call of another process"
LATER = {
    "toolu_01DraHUgSJsTNJJutMEXKThN": FORMATTER,
    "toolu_01qxZ6j2PDstF6ru2JmpPJo6": FORMATTER,
    "toolu_01HGVCS2rkHot8YaEu7qKJKQ": FORMATTER,
    "toolu_01fZdj5dUGe5Wvp6aVG8hSpN": FORMATTER,
    "toolu_01RqPVbFEWghK1beeWzUGipj": FORMATTER,
    "toolu_01sztve2H8UYaCd685NgwvTe": FORMATTER,
    "toolu_01p8WjjDLg7M3EcJugwBja9D": FORMATTER,
    "toolu_01WZNhaA1GHFrncZdY2dGWxp": FORMATTER,
    "toolu_01Gx2Sp65sYVS69Ju4VMdBnK": EARLY,
}
CUT = "the crash took the line with the result: nobody knows that it applied"
CELL = "old clients show the cell, not the file, which stands nowhere else"
OVER = "an old client kept the line endings of the file that it wrote over"
ENDINGS = "texts have no line endings"
UTF16 = "texts have no encoding"
BIG = "the text of a big file is left out, and there is no backup"
# Bytes that are not known or not right, with the reason: always,
MISSED = {
    "toolu_01cufaod2pKFempmATLc9CY8": CELL,
    "toolu_01VpGDwh6ZQCujQ7bPtAVDKn": CELL,
    "toolu_01jrwQcNpw7r7gnYKppQQJJV": CELL,
    "toolu_01jQQvJCzR2kbfxVse54vuci": CELL,
    "toolu_01YRRW8s9CohGsg45XgT2L9u": CELL,
    "toolu_01CkJYJCNJkEL1GMXd9bK14v": CELL,
    "toolu_01Wrqdgo7jFKaZdbskpqNoxp": CELL,
    "toolu_012PzZ8CkoLf6vV5VqrtSkkQ": CELL,
    "toolu_016TtFr3rsThcTaSDT6shwP3": CUT,
    "toolu_01Yrwi7j3wX1fsRyJcaLAFp8": CUT,
    "toolu_012ZAtTuum8ZjNXbCpzRL1sf": CUT,
    "toolu_017vtQzHTyw92qcbodTcNnpz": CUT,
}
# and when only the records are there.
MISSED_ALONE = {
    "toolu_01JFnWe9mfsVPnvEtsTpDNbn": ENDINGS,
    "toolu_015qHFWMAqJFNPNhvUGxS9pV": ENDINGS,
    "toolu_01FHP6bVXUzTUsXmG2wy6K4M": ENDINGS,
    "toolu_01CCAiRjCuLcz19A63aytjb5": ENDINGS,
    "toolu_01MwdxAU8gq74bEwHTAsuHtu": ENDINGS,
    "toolu_01YTA7ko5Sg6bWmQ7HgQTUXs": ENDINGS,
    "toolu_015Br2p2g6KfWM2VKjRAdCq2": ENDINGS,
    "toolu_01yUgg28MgYXy54HTp5UrLiG": ENDINGS,
    "toolu_01Kw9dqqf9qqLZSvHxfDyHhR": ENDINGS,
    "toolu_01YPrbH3izvqL1kDRv5hvEtN": ENDINGS,
    "toolu_01YTvjq16bvGFcKQs7mzD9in": ENDINGS,
    "toolu_01faQemb9ZLPAMekUkLkPntK": ENDINGS,
    "toolu_01GKrQt7hAoqsdc2NXh6grTF": UTF16,
    "toolu_01wXQjwojq444AaRjcazw7aW": UTF16,
    "toolu_01zKLbbjPDgthvsRQFPA3EiY": UTF16,
    "toolu_01XM3wtPCo9iiAqJuhJrvHL8": UTF16,
    "toolu_01RgdvSCoT3BdZHkTVGPAjSF": UTF16,
    "toolu_01fxYyqguaD2vav3oTDaj9AZ": UTF16,
    "toolu_012YRUdVwD18gJVjHf2MF6SW": OVER,
    "toolu_01kWJvcfXh6CmiackMThUj7b": OVER,
    "toolu_01u7Gpwy7fTojP1WrdvpLzaz": OVER,
    "toolu_01ayensz7aHs7bzW1ZtnHvqm": OVER,
    "toolu_01B64smQM9HHuPkNnsRn4Deb": OVER,
    "toolu_01NuP5EcPDG6S43oV7PkZdAw": CELL,
    "toolu_01wqSe96T5xBnZMXwEXeM8CU": CELL,
    "toolu_01iw3wy77A3ByQiEp7WtXhbe": CELL,
    "toolu_01eaVgH6FaL3SZBmfCs7XAkt": CELL,
    "toolu_018ta6CNX2kcrsZXsgn9YQTx": BIG,
    "toolu_01wTkC3ReRFAiCQ5mmU1tYpG": BIG,
    "toolu_01zKLLoTJBRQyrcJT5WFQmFF": BIG,
    "toolu_01jdqds24t8FBwtfwVCn9b1A": BIG,
    "toolu_01WtPFs1qrERQhvmWj32qZ47": BIG,
    "toolu_01u9e1MKcmgPUf9Dk4FuNa7E": BIG,
    "toolu_017ZzoFwzVj4x1n3QGHETewm": BIG,
    "toolu_01rfvpKUeQny1azHQKB7XjfA": BIG,
    "toolu_01D5FfeQhhGo1bdVdGBMA6K9": BIG,
    "toolu_01G2HZEWYTHkBAX97CkyXMsx": BIG,
    "toolu_01wZKXLgxG37xyNYKKW8PcbZ": BIG,
    "toolu_01WrD2nk6heqvcNNU1xvAFfX": BIG,
    "toolu_01JF8zotzizfYZoV7mRqPDmf": BIG,
    "toolu_013Ck9wxy5pTwANj1PeRnKPc": BIG,
    "toolu_01vgNBc68u5xMSRnrTZht2R8": BIG,
}
# That many are exact, at least.
EXACT = {"alone": 500, "disk": 600}
MISSES = {"alone": {**MISSED, **MISSED_ALONE}, "disk": MISSED}


class Verdict:
    """What the daemon said of one case: right, wrong, unknown or error."""

    def __init__(self, case, reply, error):
        self.case, self.error = case, error
        self.state = reply["state"] if reply else {}
        self.fidelity = self.state.get("fidelity")
        self.got = self.state.get("content")
        self.want = written(case) if case.id in LATER else case.content()
        self.kind = self.judge()

    def judge(self):
        if self.error:
            return "error"
        if self.fidelity not in ("exact", "reconstructed"):
            return "unknown"
        if self.state["exists"] != (self.want is not None):
            return "wrong"
        return "right" if self.got == self.want else "wrong"

    def lies(self):
        """Is what is said of the state at odds with itself or the truth?"""
        if self.kind == "wrong" and self.fidelity == "exact":
            yield "wrong bytes as exact"
        if self.got is not None and self.state["exists"]:
            if self.state["sha256"] != sha(self.got):
                yield "the SHA-256 is not that of the content"
            if self.state["size"] != len(self.got):
                yield "the size is not that of the content"
        if self.fidelity in ("reconstructed", "partial", "unknown") \
                and not self.state.get("why"):
            yield f"{self.fidelity} without a reason"

    def first_difference(self):
        got, want = self.got or b"", self.want or b""
        a, b = got.splitlines(True), want.splitlines(True)
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                  min(len(a), len(b)))
        return (f"line {at + 1} of {len(a)}/{len(b)}: "
                f"got {b''.join(a[at:at + 1])[:100]!r}, "
                f"want {b''.join(b[at:at + 1])[:100]!r}")

    def text(self):
        case, state = self.case, self.state
        out = f"{self.kind}: {case.id} {case.name} {case.tool} {case.path}"
        if self.error:
            return f"{out}\n    {self.error}"
        out += (f"\n    {self.fidelity}, source {state.get('source')}, "
                f"why {state.get('why')!r}, exists {state.get('exists')}; "
                f"truth from {case.after_from}")
        if self.kind == "wrong":
            out += "\n    " + self.first_difference()
        return out


def look(rpc, case):
    return Verdict(case, *ask(rpc, "file.at", path=case.path, at=case.id))


def verdicts(mode):
    for box, found in looks(mode):
        with box.rpc() as rpc:
            for case in found:
                yield look(rpc, case)


def problems(mode, seen):
    listed = MISSES[mode]
    for v in seen:
        yield from (f"{v.case.id}: {lie}\n{v.text()}" for lie in v.lies())
        if v.kind != "right" and v.case.id not in listed:
            yield v.text()
        if v.kind == "right" and v.case.id in listed:
            yield f"{v.case.id}: listed as a miss, and right"
    gone = set(listed) - {v.case.id for v in seen}
    yield from (f"{i}: listed as a miss, and not in the corpus" for i in gone)


def check(mode):
    seen = list(verdicts(mode))
    found = list(problems(mode, seen))
    right = sum(v.kind == "right" for v in seen)
    exact = sum(v.kind == "right" and v.fidelity == "exact" for v in seen)
    print(f"{mode}: {right} of {len(seen)} right, {exact} of them exact")
    if found:
        raise AssertionError(f"{len(found)} problems:\n"
                             + "\n".join(found[:40]))
    assert len(seen) > 880, "too few calls: is the archive complete?"
    assert exact >= EXACT[mode], f"only {exact} are exact"


def test_from_transcripts_and_backups_alone():
    check("alone")


def test_with_the_project_on_disk():
    check("disk")


def some(found):
    """One case of each tool and scenario family: a handful."""
    chosen = {}
    for case in found:
        family = case.name.split("/")[1].split("_")[0]
        if case.id not in LATER and case.id not in MISSES["alone"]:
            chosen.setdefault((case.tool, family), case)
    return list(chosen.values())[:8]


def test_cat():
    """The command gives the same bytes, and says when it is not sure."""
    count = 0
    for box, found in looks("alone"):
        for case in some(found):
            with box.rpc() as rpc:
                v = look(rpc, case)
            done = box.run("cat", case.path, f"--at={case.id}", text=False)
            eq(done.returncode, 0, f"exit of cat of {case.id}")
            eq(done.stdout, case.content(), f"cat of {case.id}")
            eq(done.stderr == "", v.fidelity == "exact",
               f"a note for {case.id}, {v.fidelity}: {done.stderr!r}")
            count += 1
    assert count >= 40, f"only {count} calls"


def report(modes):
    for mode in modes:
        kinds = collections.Counter()
        for v in verdicts(mode):
            kinds[f"{v.kind} ({v.fidelity or 'error'})"] += 1
            for lie in v.lies():
                print(f"{mode}: LIE: {lie}: {v.case.id}")
            if v.kind != "right":
                print(f"{mode}: {v.text()}", flush=True)
        print(f"{mode}: {sum(kinds.values())} calls: "
              + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))


# --- made up ---

def test_a_guess_that_the_disk_refutes():
    """How the client wrote quotes is not recorded: that is nobody's step."""
    with World() as w:
        w.write("a", "f.txt", "say \u201cso\u201d now\n")
        w.blind("a", "f.txt", 'say "so" now', 'say "no" now')
        w.put("f.txt", "say \u201cno\u201d now\n")
        with w.box.rpc() as rpc:
            steps = rpc.call("file.log", path=w.path("f.txt"))["steps"]
        kinds = [s["kind"] for s in steps]
        assert "outside" not in kinds, kinds


def test_made_or_filled():
    """A call with an empty old text may have filled an empty file."""
    for tool, given, detail in (
            ("Edit", {"old_string": "", "new_string": "x\n"},
             {"oldString": "", "newString": "x\n", "originalFile": ""}),
            ("MultiEdit", {"edits": [{"old_string": "",
                                      "new_string": "x\n"}]},
             {"edits": [{"old_string": "", "new_string": "x\n"}],
              "originalFileContents": ""})):
        with World() as w:
            t, path = w.sessions["a"], w.path("f.txt")
            tid = t.call(tool, {"file_path": path, **given})
            t.result(tid, {"filePath": path, "userModified": False,
                           "structuredPatch": patch([], ["x"]), **detail})
            w.put("f.txt", "x\n")
            with w.box.rpc() as rpc:
                before = rpc.call("change.get", change=tid)["before"]
            eq(before["fidelity"], "reconstructed", tool)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--report"]:
        report(sys.argv[2:] or MODES)
    else:
        harness.main()
