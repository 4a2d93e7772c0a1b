"""Who wrote each line of a long file with many changes: file.blame, cold and
warm and after one more change, against `git blame` of the same history.
"""
import os
import random
import statistics
import subprocess
import sys
import time

CHANGES = 2_000
LINES = 20_000
AGAIN = 20
NAME = "long.c"


def line_text(number, version):
    return f"\tvalue_{number:05d} = step({version}); /* line {number} */"


class History:
    """Transcript lines and git's stream, made side by side."""

    def __init__(self, out, path, seed):
        self.random = random.Random(seed)
        self.out, self.path = out, path
        self.lines = [line_text(n, 0) for n in range(LINES)]
        self.made = LINES

    def data(self):
        return ("\n".join(self.lines) + "\n").encode()

    def first(self):
        self.out.prompt("make it")
        self.out.write(self.path, self.data().decode())

    def edit(self, number):
        """Replaces a line by itself changed, two new ones, or none."""
        at = self.random.randrange(len(self.lines))
        old, new = self.lines[at], [line_text(at, number)]
        kind = self.random.random()
        if kind < 0.2:
            new.append(line_text(self.made, number))
            self.made += 1
        elif kind < 0.3:
            new = []
        first, last = max(0, at - 3), min(len(self.lines), at + 4)
        body = [" " + x for x in self.lines[first:at]] + ["-" + old]
        body += ["+" + x for x in new]
        body += [" " + x for x in self.lines[at + 1:last]]
        hunk = {"oldStart": first + 1, "oldLines": last - first,
                "newStart": first + 1,
                "newLines": last - first - 1 + len(new),
                "lines": [x.replace("\t", "  ") for x in body]}
        texts = (old + "\n", "".join(x + "\n" for x in new))
        tid = self.out.call("Edit", {
            "replace_all": False, "file_path": self.path,
            "old_string": texts[0], "new_string": texts[1]})
        self.out.result(tid, {
            "filePath": self.path, "oldString": texts[0],
            "newString": texts[1], "originalFile": None,
            "structuredPatch": [hunk], "userModified": False,
            "replaceAll": False})
        self.lines[at:at + 1] = new
        return tid


class Repository:
    def __init__(self, folder):
        self.folder = folder
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        self.load = subprocess.Popen(
            ["git", "-C", folder, "fast-import", "--quiet"],
            stdin=subprocess.PIPE)

    def commit(self, mark, data):
        note = mark.encode()
        self.load.stdin.write(
            b"commit refs/heads/main\ncommitter x <x@example.org> "
            b"1735689600 +0000\ndata %d\n%s\nM 100644 inline %s\ndata %d\n"
            % (len(note), note, NAME.encode(), len(data)))
        self.load.stdin.write(data + b"\n")

    def close(self):
        self.load.stdin.close()
        if self.load.wait() != 0:
            sys.exit("bench: git fast-import failed")
        for command in (["gc", "-q"], ["reset", "-q", "--hard"]):
            subprocess.run(["git", "-C", self.folder, *command], check=True)

    def blame(self):
        """The change that each line is of, as the commits' notes say."""
        out = subprocess.run(
            ["git", "-C", self.folder, "blame", "--line-porcelain", NAME],
            check=True, capture_output=True).stdout
        return [x[8:].decode() for x in out.split(b"\n")
                if x.startswith(b"summary ")]


def timed(call):
    began = time.monotonic()
    got = call()
    return (time.monotonic() - began) * 1e3, got


def put(path, data):
    """As the client writes a file: another one in its place."""
    with open(path + ".tmp", "wb") as f:
        f.write(data)
    os.replace(path + ".tmp", path)


def make(box, seed, git):
    from transcript import Ids, Transcript
    folder = os.path.join(box.top, "repo")
    path = os.path.join(folder, NAME)
    repo = Repository(folder) if git else os.makedirs(folder)
    out = Transcript(box, Ids(seed), project="-bench", cwd=folder, style="new",
                     version="2.1.325")
    out.live = False
    history = History(out, path, seed)
    history.first()
    tid = "first"
    for number in range(CHANGES):
        if number:
            tid = history.edit(number)
        if git:
            repo.commit(tid, history.data())
    if git:
        repo.close()
    os.makedirs(os.path.dirname(out.path))
    with open(out.path, "wb") as f:
        f.writelines(out.lines)
    put(path, history.data())
    out.live = True
    return history, repo


def check(lines, owners):
    """Both name the same change for each line."""
    if len(lines) != len(owners):
        sys.exit("bench: blame: other lines than git's")
    first = lines[0]["changeId"]
    ids = {"first": None}
    wrong = 0
    for line, owner in zip(lines, owners):
        got = line["changeId"]
        if owner == "first":
            ids["first"] = ids["first"] or got
            wrong += got != ids["first"]
        else:
            wrong += got != owner
    if wrong:
        sys.exit(f"bench: blame: {wrong} lines have other owners than git's "
                 f"(the first line's is {first})")


def rows(table, until_indexed, seed, git=True):
    from harness import Box
    with Box() as box:
        history, repo = make(box, seed, git)
        box.start()
        until_indexed(box)
        with box.rpc() as rpc:
            def ask(**more):
                return timed(lambda: rpc.call("file.blame", path=history.path,
                                              **more))
            cold, reply = ask()
            # All figures include the unpacking by the test's client.
            unpack, _ = ask()
            warm = [ask()[0] for _ in range(AGAIN)]
            part = [ask(to=60, includeContent=False)[0]
                    for _ in range(AGAIN)]
            theirs = 1.0
            if git:
                theirs, owners = timed(repo.blame)
                check(reply["lines"], owners)
            more = []
            for number in range(AGAIN):
                history.edit(CHANGES + number)
                put(history.path, history.data())
                more.append(ask(to=60, includeContent=False)[0])
        for what, took in (
                ("cold", cold), ("again", statistics.median(warm)),
                ("again, 60 lines of it", statistics.median(part)),
                ("after one more change, 60 lines", statistics.median(more))):
            table.add(f"file.blame, {LINES} lines, {CHANGES} changes: {what}",
                      f"{took:.1f} ms", "git blame", f"{theirs:.0f} ms",
                      took / theirs)
