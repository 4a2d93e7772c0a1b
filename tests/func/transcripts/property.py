"""Whatever way the bytes come in, the index is that of one cold scan.

A seeded generator makes a set of transcripts: all tools, several sessions
and agents, resumed and forked copies, failures, torn lines. They are fed in
random pieces, interleaved over the files, with queries, restarts and kill -9
in between, and with links to them that come, go and are pointed elsewhere.
Then `ccfc index --dump` must be, byte for byte, that of a daemon
that sees the finished files for the first time; and so must the rows about
backups, which no dump shows, and what the store's views say.

CCFC_SEED sets the first seed, CCFC_ROUNDS the number of rounds, CCFC_SOAK=1
runs many more.
"""
import difflib
import json
import os
import random
import re
import sqlite3

import harness
from harness import Box, append
from transcript import (HAIKU, OPUS, Ids, Transcript, edit_result, line, patch,
                        stamp, write_result)

SEED = int(os.environ.get("CCFC_SEED", "20251210"))
ROUNDS = int(os.environ.get("CCFC_ROUNDS")
             or ("300" if os.environ.get("CCFC_SOAK") else "12"))


class World:
    """Transcripts in the making: path below the Claude directory → lines."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ids = Ids(seed)
        self.claude = "/claude"
        self.projects = "/claude/projects"
        self.made = []
        for _ in range(self.random.randint(1, 4)):
            self.session()
        for _ in range(self.random.randint(0, 2)):
            self.fork(self.random.choice(self.made))
        for _ in range(self.random.randint(0, 2)):
            self.resume(self.random.choice(self.made))

    def new(self, **more):
        rng = self.random
        folder = rng.choice(["-home-dev-p", "-home-dev-q"])
        t = Transcript(
            self, self.ids, project=folder,
            cwd=rng.choice(["/home/dev/p", "/home/dev/q", "/home/dev/p/sub"]),
            style=rng.choice(["old", "new"]),
            branch=rng.choice(["main", "topic", "HEAD", ""]),
            model=rng.choice([OPUS, HAIKU]),
            version=rng.choice(["1.0.60", "2.0.30", "2.1.50", "2.1.325"]),
            **more)
        t.live = False
        self.made.append(t)
        return t

    def file(self):
        name = self.random.choice("abcdefgh")
        return self.random.choice(
            [f"/home/dev/p/{name}.c", f"/home/dev/q/{name}.py", f"{name}.h",
             f"./sub/../{name}.md"])

    def session(self):
        t = self.new()
        t.prompt()
        for _ in range(self.random.randint(3, 25)):
            self.step(t)
        for number in range(self.random.choice([0, 0, 1, 2])):
            self.agent(t, number)

    def agent(self, t, number):
        name = f"a{self.random.getrandbits(60):016x}"
        folder = os.path.dirname(t.path)
        path = self.random.choice([
            f"{folder}/agent-{name}.jsonl",
            f"{folder}/{t.session}/subagents/agent-{name}.jsonl",
            f"{folder}/{t.session}/subagents/workflows/w{number}/"
            f"agent-{name}.jsonl"])
        agent = self.new(session=t.session, agent=name, path=path)
        agent.prompt("task")
        for _ in range(self.random.randint(1, 10)):
            self.step(agent)
        self.tell(t, agent)

    def tell(self, t, agent):
        """Copies of an agent's records in its parent's transcript; of some
        agents there is nothing else."""
        if self.random.random() < 0.4:
            return
        for data in agent.lines:
            try:
                record = json.loads(data)
                message = {k: record[k] for k in (
                    "type", "message", "uuid", "timestamp", "requestId")}
            except (ValueError, TypeError, KeyError):
                continue
            if self.random.random() < 0.9:
                t.emit(t.record("progress", data={
                    "message": message, "type": "agent_progress",
                    "agentId": agent.agent}, parentToolUseID="toolu_x"))
        if self.random.random() < 0.4:
            self.made.remove(agent)

    def step(self, t):
        rng = self.random
        kind = rng.choice(["edit", "write", "multi", "notebook", "parallel",
                           "bash", "text", "prompt", "early", "none",
                           "noise", "torn", "snapshot", "backwards",
                           "message", "message", "read", "read", "reads",
                           "title", "summary", "aside", "question",
                           "glued", "compacted", "hook", "pull_request"])
        getattr(self, "do_" + kind)(t)

    def outcome(self, t, tid, detail):
        """A result of one of the many kinds."""
        rng = self.random
        kind = rng.choice(["full", "full", "full", "bare", "failed",
                           "denied", "interrupted", "staged", "twice"])
        if kind in ("full", "twice"):
            t.result(tid, detail)
        if kind in ("bare", "twice"):
            t.result(tid)
        if kind == "staged":
            t.result(tid, {**detail, "staged": True})
        texts = {
            "failed": "<tool_use_error>String not found</tool_use_error>",
            "denied": "The user doesn't want to proceed with this tool use.",
            "interrupted": "[Request interrupted by user for tool use]"}
        if kind in texts:
            t.result(tid, "Error: " + texts[kind], texts[kind], error=True)

    def edit_parts(self):
        path = self.file()
        old = "x" * self.random.randint(0, 50)
        new = "\n".join("y" * 5 for _ in range(self.random.randint(0, 5)))
        given = {"file_path": path, "old_string": old, "new_string": new}
        detail = edit_result(path, old, new, structuredPatch=patch(
            old.split("\n"), new.split("\n")))
        return given, detail

    def do_edit(self, t):
        given, detail = self.edit_parts()
        self.outcome(t, t.call("Edit", given), detail)

    def do_write(self, t):
        path = self.file()
        text = "line \u2603\n" * self.random.randint(0, 400)
        tid = t.call("Write", {"file_path": path, "content": text})
        kind = self.random.choice(["create", "update"])
        self.outcome(t, tid, write_result(path, text, kind))

    def do_multi(self, t):
        path = self.file()
        edits = [{"old_string": "a", "new_string": "b"}] * 2
        tid = t.call("MultiEdit", {"file_path": path, "edits": edits})
        self.outcome(t, tid, {
            "filePath": path, "edits": edits, "originalFileContents": "aa",
            "structuredPatch": patch(["aa"], ["bb"]), "userModified": False})

    def do_notebook(self, t):
        tid = t.call("NotebookEdit", {"notebook_path": self.file(),
                                      "new_source": "1", "cell_id": "c"})
        self.outcome(t, tid, {
            "new_source": "1", "cell_type": "code", "language": "python",
            "edit_mode": "replace", "cell_id": "c",
            "error": self.random.choice(["", "no such cell"])})

    def do_parallel(self, t):
        calls = []
        for _ in range(self.random.randint(2, 5)):
            given, detail = self.edit_parts()
            tid = t.call("Edit", given,
                         model=self.random.choice([OPUS, HAIKU]))
            calls.append((tid, detail))
        self.random.shuffle(calls)
        for tid, detail in calls:
            self.outcome(t, tid, detail)

    def do_early(self, t):
        given, detail = self.edit_parts()
        tid = self.ids.tool()
        self.outcome(t, tid, detail)
        t.text()
        t.call("Edit", given, tid)

    def do_none(self, t):
        t.call("Write", {"file_path": self.file(), "content": "1"})

    def do_bash(self, t):
        rng = self.random
        a, b = self.file(), self.file()
        command = rng.choice([
            "make", "ls -l", f"rm {a}", f"echo x > {a} && rm {b}",
            f"mv {a} {b}", f"sed -i s/a/b/ {a}; ls", f"if x; then rm {a}; fi",
            f"cat > {a} <<'E'\nx\nE", "x" * 300 + f" > {a}", "'"])
        tid = t.call("Bash", {"command": command,
                              "run_in_background": rng.random() < 0.2})
        if rng.random() < 0.3:
            t.result(tid, "Error: Exit code 2", "Exit code 2", error=True)
            return
        detail = {"stdout": "z" * rng.randint(0, 3000),
                  "stderr": "", "interrupted": rng.random() < 0.1}
        if rng.random() < 0.2:
            detail["backgroundTaskId"] = "b1"
        if rng.random() < 0.5:
            detail["bashEditDiff"] = self.noted()
        t.result(tid, detail)
        if rng.random() < 0.3:
            t.emit({"type": "queue-operation", "operation": "enqueue",
                    "sessionId": t.session, "timestamp": self.ids.time(),
                    "content": f"<task-notification>\n<tool-use-id>{tid}"
                               "</tool-use-id>\n</task-notification>"})

    def noted(self):
        """What the client saw change while a command ran."""
        rng = self.random
        names = [f"/home/dev/{rng.choice('pq')}/{rng.choice('abcdefgh')}"
                 f"{rng.choice(['.c', '.py', '.h'])}"
                 for _ in range(rng.randint(0, 4))]
        return {"files": [{"filePath": n, "hunks": patch(["a"], ["b"]),
                           **rng.choice([{}, {"created": True},
                                         {"deleted": True}])}
                          for n in names[:2]],
                "moreFiles": rng.randint(0, 3), "changedFiles": names,
                **rng.choice([{}, {}, {"shared": True}, {"skipped": True}])}

    def do_message(self, t):
        """One message on several lines; the last one's usage counts."""
        rng = self.random
        mid = "msg_" + self.ids.tool()[6:]
        calls = []
        for _ in range(rng.randint(1, 4)):
            usage = {"input_tokens": rng.randint(0, 9),
                     "output_tokens": rng.choice([7, 5_000_000_000, -1, 1.5]),
                     "cache_creation_input_tokens": rng.randint(0, 999),
                     "cache_read_input_tokens": rng.choice([None, 40, "x"])}
            more = {} if rng.random() < 0.8 else {
                "timestamp": stamp(self.ids.now - rng.randint(0, 9000))}
            if rng.random() < 0.5:
                t.blocks({"type": "text", "text": "so"}, mid=mid, usage=usage,
                         **more)
            else:
                calls.append(t.call(
                    "Grep", {"pattern": "x"}, mid=mid, usage=usage, **more))
        for tid in calls:
            t.result(tid, error=rng.random() < 0.2)

    def do_read(self, t):
        path = self.file()
        tid = t.call("Read", {"file_path": path})
        if self.random.random() < 0.2:
            t.result(tid, "Error: no such file", "no", error=True)
        elif self.random.random() < 0.8:
            t.result(tid, {"type": "text", "file": {"filePath": path}})

    def do_reads(self, t):
        t.result(t.call("mcp__filesystem__read_multiple_files",
                        {"paths": [self.file(), self.file()]}))

    def do_title(self, t):
        kind, key = self.random.choice([("custom-title", "customTitle"),
                                        ("ai-title", "aiTitle")])
        text = self.random.choice(["", "one", "two", "three \u2603 " * 90])
        t.lines.append(line({"type": kind, key: text,
                             "sessionId": t.session}))

    def do_summary(self, t):
        """Names a message of any transcript that was begun before."""
        of = self.random.choice(self.made)
        uuids = [x for x in re.findall(rb'"uuid":"([^"]*)"',
                                       b"".join(of.lines))]
        if uuids:
            t.lines.append(line({
                "type": "summary",
                "summary": f"sum {self.random.randint(0, 9)}",
                "leafUuid": self.random.choice(uuids).decode()}))

    def do_aside(self, t):
        """A sidechain in the session's own file."""
        t.prompt("task", isSidechain=True)
        tid = t.call("Read", {"file_path": self.file()}, isSidechain=True)
        t.result(tid, isSidechain=True)

    def do_question(self, t):
        t.text(self.random.choice(["Shall I?", "**Shall I?**\n", "No."]))

    def do_text(self, t):
        t.text("words " * self.random.randint(1, 200))

    def do_prompt(self, t):
        t.branch = self.random.choice([t.branch, "main", "other"])
        t.prompt("and now?")

    def do_backwards(self, t):
        given, detail = self.edit_parts()
        tid = self.ids.tool()
        back = stamp(self.ids.now - self.random.randint(0, 100_000))
        t.call("Edit", given, tid, timestamp=back)
        t.result(tid, detail, timestamp=back)

    def do_noise(self, t):
        t.lines.append(self.random.choice([
            b"\n", b"   \n", b"null\n", b"[1,2]\n", b"\0" * 40 + b"\n",
            b'{"type":"new-thing","x":1}\n', b"not json\n",
            b'{"type":"progress","data":{}}\n', b"\xff\xfe\n",
            b'{"type":"user","message":7}\n', b"{}{}\n"]))

    def do_torn(self, t):
        """One record cut in two, with another inside."""
        self.do_edit(t)
        if len(t.lines) >= 2:
            inner, outer = t.lines.pop(), t.lines.pop()
            at = self.random.randrange(1, len(outer))
            t.lines.append(outer[:at] + inner + outer[at:])

    def do_compacted(self, t):
        """A compaction, now and then right behind a call."""
        if self.random.random() < 0.7:
            tid = t.call("Write", {"file_path": self.file(), "content": "1"})
            if self.random.random() < 0.3:
                self.do_hook(t, tid)
        t.emit(t.record("system", subtype="compact_boundary", content="c"))
        if self.random.random() < 0.8:
            t.prompt("continued", isCompactSummary=True)

    def do_hook(self, t, tid=None):
        if not tid:
            given, detail = self.edit_parts()
            tid = t.call("Edit", given)
            if self.random.random() < 0.5:
                self.outcome(t, tid, detail)
        t.emit(t.record("progress", toolUseID=tid, data={
            "type": "hook_progress", "hookEvent": self.random.choice(
                ["PostToolUse", "PostToolUse", "PreToolUse"])}))

    def do_pull_request(self, t):
        t.lines.append(line({
            "type": "pr-link", "sessionId": t.session,
            "prUrl": f"https://x/pull/{self.random.randint(1, 9)}"}))

    def do_glued(self, t):
        """Several records in one line, or one and the start of another."""
        first = len(t.lines)
        self.do_edit(t)
        lines = t.lines[first:]
        del t.lines[first:]
        space = self.random.choice([b"", b"", b" ", b"\t "])
        data = b"".join(x[:-1] + space for x in lines)
        if self.random.random() < 0.3:
            data = data[:self.random.randrange(1, len(data))]
        t.lines.append(data + self.random.choice([b"\n", b"}\n", b"{}\n"]))

    def do_snapshot(self, t):
        name = self.file()
        t.lines.append(line({
            "type": "file-history-snapshot", "messageId": self.ids.uuid(),
            "snapshot": {"messageId": self.ids.uuid(),
                         "trackedFileBackups": {name: {
                             "backupFileName": self.random.choice(
                                 [None, "0123456789abcdef@v2"]),
                             "version": self.random.randint(1, 3),
                             "backupTime": self.ids.time()}},
                         "timestamp": self.ids.time()},
            "isSnapshotUpdate": False}))

    def fork(self, t):
        """Same uuids, times and tool_use ids; sessionId rewritten."""
        copy = self.new()
        old, new = t.session.encode(), copy.session.encode()
        cut = self.random.randint(1, len(t.lines))
        copy.lines = [x.replace(old, new) for x in t.lines[:cut]]
        for _ in range(self.random.randint(0, 8)):
            self.step(copy)

    def resume(self, t):
        """New uuids and times, no toolUseResult, as old clients copy."""
        copy = self.new()
        for data in t.lines:
            try:
                record = json.loads(data)
                record["sessionId"] = copy.session
                record["uuid"] = self.ids.uuid()
                record["timestamp"] = self.ids.time()
                record.pop("toolUseResult", None)
            except (ValueError, TypeError):
                continue
            copy.lines.append(line(record, copy.style))
        for _ in range(self.random.randint(0, 8)):
            self.step(copy)

    def files(self):
        """(path below the Claude directory, all bytes) of each file."""
        out = {}
        for t in self.made:
            name = os.path.relpath(t.path, self.claude)
            data = b"".join(t.lines)
            end = self.random.random()
            if end < 0.2:
                data += b'{"type":"user","partial'
            elif end < 0.4:
                data = data[:-1]
            elif end < 0.5:
                data += b'{"type":"user","partial'[:-1] * 5000
            out[name] = out.get(name, b"") + data
        return out


def piece(rng, data, at):
    """How far the next write goes."""
    kind = rng.random()
    if kind < 0.2:
        return min(len(data), at + rng.randint(1, 40))
    if kind < 0.6:
        end = data.find(b"\n", at)
        return len(data) if end < 0 else end + 1
    return min(len(data), at + rng.randint(1, 20_000))


LINKED = ("projects/-a", "projects/-z")  # before and after the others


def tie(box, name, rng):
    """Makes, takes away or moves one more name of a transcript.

    What the name says of its session stays, so that nothing may change.
    """
    parts = name.split("/")
    link = os.path.join(box.claude, rng.choice(LINKED), *parts[2:])
    file = os.path.join(box.claude, name)
    if not os.path.exists(file):
        return
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if os.path.lexists(link) and rng.random() < 0.4:
        os.unlink(link)
        return
    new = os.path.join(box.top, "new-link")
    rng.choice([os.symlink, os.link])(file, new)
    os.replace(new, link)
    if os.path.lexists(new):  # both were names of one file already
        os.unlink(new)


def feed(box, files, rng):
    at = dict.fromkeys(files, 0)
    left = [n for n in files if files[n]]
    steps = 0
    while left:
        name = rng.choice(left)
        end = piece(rng, files[name], at[name])
        append(os.path.join(box.claude, name), files[name][at[name]:end])
        at[name] = end
        if end == len(files[name]):
            left.remove(name)
        steps += 1
        if rng.random() < 0.1:
            tie(box, name, rng)
        act = rng.random()
        if act < 0.15:
            with box.rpc() as rpc:
                rpc.call("server.info")
        elif act < 0.17:
            box.restart(hard=True)
        elif act < 0.18:
            box.restart()
    return steps


TOKENS = ("input_tokens, output_tokens, cache_creation_input_tokens,"
          " cache_read_input_tokens")
VIEWS = {
    "backup": "SELECT uuid, key, version, b.name, made, first, last"
              " FROM t_backup b JOIN t_session s ON s.id = b.session",
    "usage": "SELECT session_id, project_path, model, time, agent_id,"
             f" {TOKENS} FROM usage",
    "tool": "SELECT session_id, tool, model, time, agent_id, error"
            " FROM tools",
    "read": "SELECT path, session_id, tool, time, agent_id, error FROM reads",
    "sum": "SELECT session_id, messages, agent_messages, title IS NULL,"
           f" {TOKENS} FROM sessions",
}


def seen(box):
    """The dump, and a line for each backup and row of the store's views."""
    text = box.dump().text
    path = os.path.join(box.state, "index.db")
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    lines = []
    for name, sql in VIEWS.items():
        rows = db.execute(sql)
        lines += sorted(json.dumps([name, *map(str, row)]) for row in rows)
    db.close()
    return text + "\n".join(lines)


def cold_dump(files):
    with Box() as box:
        for name, data in files.items():
            append(os.path.join(box.claude, name), data)
        box.start()
        return seen(box)


def one_round(seed):
    files = World(seed).files()
    rng = random.Random(seed + 1)
    with Box() as box:
        box.start()
        feed(box, files, rng)
        got = seen(box)
        box.restart(hard=rng.random() < 0.5)
        again = seen(box)
        box.ok("index", "--build")
        rebuilt = seen(box)
    want = cold_dump(files)
    for name, text in (("fed", got), ("restarted", again),
                       ("rebuilt", rebuilt)):
        if text != want:
            diff = "\n".join(list(difflib.unified_diff(
                want.splitlines(), text.splitlines(), "cold", name,
                lineterm="", n=0))[:40])
            raise AssertionError(f"CCFC_SEED={seed}: {name}\n{diff}")
    return [len(re.findall(what, want, re.M)) for what in COUNTED]


# The generator must make some of each.
COUNTED = ['"toolUseId"', '^."backup"', '^."usage"', '^."tool"', '^."read"',
           '"titleFrom":"custom"', '"titleFrom":"ai"',
           '"titleFrom":"summary"', '"titleFrom":"prompt"',
           '"evidence":"recorded"', '"evidence":"parsed"',
           '"evidence":"ambiguous"', '"kind":"command"', '"renamedTo"',
           '"status":"waiting"', '"status":"failed"', '"of":"sidechain"']


def test_any_order_gives_the_cold_scan():
    total = [0] * len(COUNTED)
    print(f"CCFC_SEED={SEED}, {ROUNDS} rounds")
    for number in range(ROUNDS):
        more = one_round(SEED + number * 1000)
        total = [a + b for a, b in zip(total, more)]
    print(f"{total[0]} changes and {total[1]} backups compared")
    for what, n in zip(COUNTED, total):
        assert n or ROUNDS < 20, f"the generator makes no {what}"
    assert total[0] > ROUNDS, "the generator makes no changes"


if __name__ == "__main__":
    harness.main()
