"""One file with very many changes, in the newer client's style: only the
first record holds the file, all others a string and a patch. What it costs to
get the file back as it was after any of them, against the same history in a
packed git repository.
"""
import os
import random
import statistics
import subprocess
import sys
import time

CHANGES = 10_000
LINES = 600
ASKED = 200
PATH = "/home/dev/bench/chain.c"
CWD = os.path.dirname(PATH)


def line_text(number, version):
    return (f"\tvalue_{number:03d} = step({version}); "
            f"/* what line {number} is for */")


class Chain:
    """Transcript lines and git's stream, made side by side."""

    def __init__(self, transcript, seed):
        self.random = random.Random(seed)
        self.out = transcript
        self.lines = [line_text(n, 0) for n in range(LINES)]
        self.ids = []

    def text(self):
        return "\n".join(self.lines) + "\n"

    def hunk(self, at, new):
        first, last = max(0, at - 3), min(LINES, at + 4)
        body = [" " + x for x in self.lines[first:at]]
        body += ["-" + self.lines[at], "+" + new]
        body += [" " + x for x in self.lines[at + 1:last]]
        body = [x.replace("\t", "  ") for x in body]
        size = last - first
        return {"oldStart": first + 1, "oldLines": size,
                "newStart": first + 1, "newLines": size, "lines": body}

    def first(self):
        self.out.prompt()
        self.ids.append(self.out.write(PATH, self.text()))

    def edit(self, number):
        at = self.random.randrange(LINES)
        old, new = self.lines[at], line_text(at, number)
        tid = self.out.call("Edit", {
            "replace_all": False, "file_path": PATH, "old_string": old,
            "new_string": new})
        self.out.result(tid, {
            "filePath": PATH, "oldString": old, "newString": new,
            "originalFile": None, "structuredPatch": [self.hunk(at, new)],
            "userModified": False, "replaceAll": False})
        self.lines[at] = new
        self.ids.append(tid)


def commit(out, number, text):
    data = text.encode()
    note = f"{number}\n".encode()
    out.write(b"commit refs/heads/main\n"
              b"committer x <x@example.org> %d +0000\n"
              b"data %d\n%s" % (1735689600 + number, len(note), note))
    out.write(b"M 100644 inline chain.c\ndata %d\n%s\n" % (len(data), data))


def make(box, seed):
    """Fills the Claude directory and a repository; the changes' ids."""
    from transcript import Ids, Transcript
    out = Transcript(box, Ids(seed), project="-home-dev-bench", cwd=CWD,
                     style="new", version="2.1.325")
    out.live = False
    chain = Chain(out, seed)
    git = ("git", "-C", box.top)
    subprocess.run([*git, "init", "-q", "--bare", "repo"], check=True)
    repo = os.path.join(box.top, "repo")
    load = subprocess.Popen(["git", "-C", repo, "fast-import", "--quiet"],
                            stdin=subprocess.PIPE)
    chain.first()
    commit(load.stdin, 0, chain.text())
    for number in range(1, CHANGES):
        chain.edit(number)
        commit(load.stdin, number, chain.text())
    load.stdin.close()
    if load.wait() != 0:
        sys.exit("bench: git fast-import failed")
    subprocess.run(["git", "-C", repo, "gc", "-q"], check=True)
    os.makedirs(os.path.dirname(out.path))
    with open(out.path, "wb") as f:
        f.writelines(out.lines)
    return chain.ids, blobs(repo), repo


def blobs(repo):
    """The blob's name after each change, in order."""
    done = subprocess.run(
        ["git", "-C", repo, "log", "--reverse", "--format=", "--raw",
         "--no-abbrev", "main"], check=True, capture_output=True, text=True)
    return [x.split()[3] for x in done.stdout.splitlines() if x]


def peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(x.split()[1]) * 1024 for x in f
                    if x.startswith("VmHWM"))


def timed(call, *args):
    began = time.monotonic()
    got = call(*args)
    return (time.monotonic() - began) * 1e6, got


class Batch:
    """A git that stays, as our daemon does."""

    def __init__(self, repo):
        self.git = subprocess.Popen(
            ["git", "-C", repo, "cat-file", "--batch"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def get(self, name):
        self.git.stdin.write(name.encode() + b"\n")
        self.git.stdin.flush()
        size = int(self.git.stdout.readline().split()[2])
        return self.git.stdout.read(size + 1)[:-1]

    def close(self):
        self.git.stdin.close()
        self.git.wait()


def ask(box, ids, names, repo, asked):
    """Microseconds of the first and the other answers; git's."""
    batch = Batch(repo)
    ours, theirs = [], []
    with box.rpc() as rpc:
        for i in asked:
            took, reply = timed(lambda i=i: rpc.call(
                "file.at", path=PATH, at=ids[i]))
            ours.append(took)
            took, blob = timed(batch.get, names[i])
            theirs.append(took)
            if reply["state"]["content"] != blob:
                sys.exit(f"bench: change {i} of the chain: other bytes than "
                         f"git's ({reply['state']['fidelity']})")
    batch.close()
    return ours, theirs


def rows(table, measure, until_indexed, seed, runs):
    from harness import Box
    with Box() as box:
        ids, names, repo = make(box, seed)
        box.start()
        until_indexed(box)
        asked = [random.Random(seed).randrange(CHANGES) for _ in range(ASKED)]
        before = peak(box.daemon.pid)
        ours, theirs = ask(box, ids, names, repo, asked)
        grown = peak(box.daemon.pid) - before
        table.add(f"file.at, 1 of {CHANGES} changes: first",
                  f"{ours[0] / 1e3:.1f} ms", "git cat-file --batch",
                  f"{theirs[0] / 1e3:.1f} ms", ours[0] / theirs[0])
        us, git_us = map(statistics.median, (ours[1:], theirs[1:]))
        table.add("  then, p50", f"{us:.0f} us", "git cat-file --batch",
                  f"{git_us:.0f} us", us / git_us)
        processes(table, measure, box, (ids, names, repo), asked, runs)
        size = os.path.getsize(os.path.join(
            box.project("-home-dev-bench"),
            os.listdir(box.project("-home-dev-bench"))[0]))
        table.add("  memory for it, at most", f"{grown / 2**20:.1f} MiB",
                  "the transcript", f"{size / 2**20:.1f} MiB", grown / size)


def processes(table, measure, box, made, asked, runs):
    """Whole processes, with another change each time."""
    lists = []
    for name, every in (("ids", made[0]), ("blobs", made[1])):
        lists.append(os.path.join(box.top, name))
        with open(lists[-1], "w", encoding="ascii") as f:
            f.writelines(every[i] + "\n" for i in asked)
    os.environ.update(box.env)
    ours, git = measure(
        "exec", min(runs, 500), box.ccfc, "cat", PATH, f"--at=@{lists[0]}",
        "--", "/usr/bin/git", "-C", made[2], "cat-file", "blob",
        f"@{lists[1]}")
    table.add("ccfc cat --at, p50 / p99", f"{ours[0]:.0f} / {ours[1]:.0f} us",
              "git cat-file blob", f"{git[0]:.0f} / {git[1]:.0f} us",
              ours[0] / git[0])
