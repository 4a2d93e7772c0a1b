"""Every change of the recordings: before + diff = after with the real
`patch` and `git apply`, and after - diff = before, byte for byte.
"""
import os
import re
import shutil
import subprocess

import harness
from harness import LIMIT, Skip, eq
from recordings import ask, looks, sha

KNOWN = ("exact", "reconstructed")
# How many changes have both sides known and are not binary.
AT_LEAST = 880

TOOLS = {
    "patch": ("patch", "-p1", "--fuzz=0", "-i"),
    "patch -R": ("patch", "-p1", "--fuzz=0", "-R", "-i"),
    "git apply": ("git", "apply"),
    "git apply -R": ("git", "apply", "-R"),
}


class Tree:
    """A directory with at most one file, on which diffs are tried."""

    def __init__(self, box, name):
        self.top = os.path.join(box.top, "tree")
        self.diff = os.path.join(box.top, "one.diff")
        self.file = os.path.join(self.top, name)
        # Never a repository, whatever the scratch directory lies in.
        self.env = {**box.env, "GIT_CEILING_DIRECTORIES": box.top,
                    "GIT_CONFIG_NOSYSTEM": "1"}

    def put(self, content):
        shutil.rmtree(self.top, ignore_errors=True)
        os.makedirs(os.path.dirname(self.file))
        if content is not None:
            with open(self.file, "wb") as f:
                f.write(content)

    def get(self):
        try:
            with open(self.file, "rb") as f:
                return f.read()
        except FileNotFoundError:
            return None

    def others(self):
        """Names of files that should not be there (.orig, .rej)."""
        return [n for d, _, files in os.walk(self.top) for n in files
                if os.path.join(d, n) != self.file]

    def run(self, how):
        done = subprocess.run(
            [*TOOLS[how], self.diff], cwd=self.top, env=self.env,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
            check=False)
        return done.returncode, (done.stdout + done.stderr).decode(
            errors="replace")


def content(state):
    return state["content"] if state["exists"] else None


def tried(tree, how, start, goal):
    """What went wrong when `how` was to lead from start to goal, or None."""
    tree.put(start)
    code, said = tree.run(how)
    if code != 0:
        return f"{how}: exit {code}: {said[:300]}"
    if re.search("offset|fuzz", said):
        return f"{how}: not at its line: {said[:300]}"
    got = tree.get()
    if got != goal:
        return f"{how}: got {(got or b'')[:80]!r}, want {(goal or b'')[:80]!r}"
    return f"{how}: left {tree.others()}" if tree.others() else None


def counts(diff):
    """(added, removed) lines of a diff with one file."""
    body = diff[diff.find(b"\n@@ "):] if b"\n@@ " in diff else b""
    lines = body.split(b"\n")
    return (sum(x.startswith(b"+") for x in lines),
            sum(x.startswith(b"-") for x in lines))


def problems(box, reply):
    before, after = content(reply["before"]), content(reply["after"])
    diff = reply["diff"]
    if before == after:
        if diff:
            yield "a diff, and nothing changed"
        return
    diff = diff.encode() if isinstance(diff, str) else diff
    tree = Tree(box, reply["name"])
    with open(tree.diff, "wb") as f:
        f.write(diff)
    for how in TOOLS:
        start, goal = (after, before) if "-R" in how else (before, after)
        wrong = tried(tree, how, start, goal)
        if wrong:
            yield wrong
    added, removed = counts(diff)
    if not reply["binary"] and (
            reply["linesAdded"], reply["linesRemoved"]) != (added, removed):
        yield (f"{reply['linesAdded']} added, {reply['linesRemoved']} removed "
               f"is said, {added} and {removed} are shown")


def binary(reply):
    return any(b"\0" in (content(reply[s]) or b"")
               for s in ("before", "after"))


def known(reply):
    return all(reply[s]["fidelity"] in KNOWN for s in ("before", "after"))


def check_hashes(reply):
    for side in ("before", "after"):
        state = reply[side]
        if state["exists"] and state.get("content") is not None:
            eq(state["sha256"], sha(state["content"]), f"SHA-256 {side}")


def test_every_change_of_the_recordings():
    for program in ("patch", "git"):
        if not shutil.which(program):
            raise Skip(f"no {program}")
    found, count, total = [], 0, 0
    for box, _ in looks("alone"):
        ids = [c["changeId"] for c in box.dump().changes
               if c["state"] == "applied"]
        with box.rpc() as rpc:
            for tid in ids:
                total += 1
                reply, error = ask(rpc, "change.get", change=tid,
                                   includeContent=True)
                if error:
                    found.append(f"{tid}: {error}")
                    continue
                check_hashes(reply)
                if known(reply) and (reply["diff"] or not binary(reply)):
                    count += 1
                    found += [f"{tid}: {reply['path']}: {p}"
                              for p in problems(box, reply)]
    print(f"{count} of {total} changes have both sides")
    if found:
        raise AssertionError(f"{len(found)} problems:\n"
                             + "\n".join(found[:40]))
    assert count >= AT_LEAST, f"only {count} changes with both sides"


if __name__ == "__main__":
    harness.main()
