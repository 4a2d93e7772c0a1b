"""What the first question costs, in CPU seconds of a daemon that has just
started: the history of a file with 2,000 edits and 2,000 lines, and the tree of
a session with many lines, from the first page to the last.
"""
import os
import subprocess

import beside
import chain

TREE_LINES = 200_000
SESSION = "11111111-1111-4111-8111-111111111111"
WORDS = "some words " * 20


def cpu(pid):
    """Seconds that all threads of a process ran."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(x.split()[1]) * 1024 for x in f
                    if x.startswith("VmHWM"))


def ask_first(table, until_indexed, seed):
    from harness import Box
    with Box() as box:
        session, ids = beside.make_chain(box, seed)
        for what, options in (
                ("session.diff", {"session": session}),
                ("file.log", {"path": chain.PATH, "limit": beside.EDITS}),
                ("file.blame", {"path": chain.PATH, "at": ids[-1]})):
            process = box.start()
            until_indexed(box)
            before = cpu(process.pid)
            beside.Replies(box.socket).ask(what, options)
            took = cpu(process.pid) - before
            box.stop()
            table.add(f"{what}, {beside.EDITS} edits x {beside.LINES} lines: "
                      "cold, CPU", f"{took:.2f} s", target="1 s")


def make_long(path):
    """A line of the user, a line of the model, and so on: one thread."""
    import json
    parent = None
    with open(path, "w", encoding="utf-8") as f:
        for i in range(TREE_LINES):
            text = f"{i} {WORDS}"
            said = {"role": "user", "content": text} if i % 2 == 0 else {
                "role": "assistant", "id": f"msg_{i}", "type": "message",
                "model": "claude-opus-4-1",
                "content": [{"type": "text", "text": text}]}
            uuid = f"{i:08x}-0000-4000-8000-000000000000"
            f.write(json.dumps({
                "parentUuid": parent, "isSidechain": False,
                "cwd": chain.CWD, "sessionId": SESSION, "version": "2.1.50",
                "type": said["role"], "message": said, "uuid": uuid,
                "timestamp": f"2026-01-02T{i // 3600 % 24:02d}:"
                             f"{i // 60 % 60:02d}:{i % 60:02d}.000Z"}) + "\n")
            parent = uuid


def walk_tree(table, until_indexed):
    from harness import Box
    with Box() as box:
        folder = os.path.join(box.projects, "-home-dev-bench")
        os.makedirs(folder)
        path = os.path.join(folder, SESSION + ".jsonl")
        make_long(path)
        process = box.start()
        until_indexed(box)
        before = cpu(process.pid)
        done = subprocess.run([box.ccfc, "show", SESSION, "--tree"],
                              env=box.env, check=True, capture_output=True)
        took = cpu(process.pid) - before
        lines = done.stdout.count(b"\n")
        table.add(f"ccfc show --tree, {lines} lines: daemon, CPU",
                  f"{took:.2f} s", "a line", f"{took / lines * 1e6:.1f} us")
        table.add("  memory for it, at most",
                  f"{peak(process.pid) / 2**20:.1f} MiB", "the transcript",
                  f"{os.path.getsize(path) / 2**20:.1f} MiB",
                  peak(process.pid) / os.path.getsize(path))


def rows(table, until_indexed, seed):
    ask_first(table, until_indexed, seed)
    walk_tree(table, until_indexed)
