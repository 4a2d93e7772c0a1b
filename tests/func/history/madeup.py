"""A made-up world for replay.py: files on a disk, sessions and subagents that
change them with every tool, several at once (also from what they read before
another one wrote), formatters right behind them, people who change them in
between or check an old state out, sessions that are rewound or go on in another
file, and the transcripts and backups that clients of several ages
write about it.

The disk is simulated byte for byte, so the truth is known at every step; the
records are made from it as the client makes them (client.py). One thing is
left out: line endings that change between two changes while the text stays.
Texts in records have no line endings, so no reader can see it.
"""
import json
import os
import random
import re

from client import STYLES, Fail, Op, Writer, decode, encode, fold, straight
from transcript import Ids

WORDS = ["alpha", "beta", "gamma", "delta", "x = 1", "return", "é", "漢字",
         "😀", "“so”", "“not so”", "{", "}", "if (a)", "\\n", "$1", "$&",
         "//", "a\tb", "'q'", '"q"', "ß…", "end"]


class Event:
    """One step of a file's history. A change has an id; others are outside.

    The flags say what the records prove by themselves: the content before
    and after, and whether the strings alone lead from one to the other.
    empty: there was nothing before, an empty file or none. group: of changes
    that were under way at the same time, whose results came in any order.
    start, late: when the call and its result were noted, by which writer.
    noted: the client noted that a hook changed the file after the change.
    """

    def __init__(self, before, after, change=None, session=None, agent=None,
                 proves_before=False, proves_after=False, replays=True,
                 empty=False, tool=None):
        self.before, self.after = before, after
        self.change, self.session, self.agent = change, session, agent
        self.proves_before = proves_before
        self.proves_after = proves_after
        self.replays = replays
        self.empty = empty
        self.tool = tool
        self.group = None
        self.writer = self.start = self.late = None
        self.noted = False

    def overlaps(self, other):
        """May either have come first, as far as the records tell?"""
        return (self.writer is not other.writer
                and self.start <= other.late and other.start <= self.late)


class World:
    def __init__(self, seed, base):
        self.random = random.Random(seed)
        self.ids = Ids(seed)
        self.claude, self.projects = "/claude", "/claude/projects"
        self.cwd = base + "/p"
        self.folder = re.sub(r"[^A-Za-z0-9]", "-", self.cwd)
        self.disk, self.mtime = {}, {}
        self.events, self.backups = {}, {}
        self.make_files()
        self.writers, self.left = [], []
        self.groups = 0
        for _ in range(self.random.choice([2, 2, 3])):
            self.make_session()
        self.waiting = []
        for _ in range(self.random.randint(20, 60)):
            self.step()
        while self.waiting:
            self.finish(self.waiting.pop(0))
        self.end()

    # What there is to begin with.

    def make_files(self):
        names = ["a.txt", "b c.py", "é.md", "d.go", "e/f.c", "../out.txt"]
        for name in self.random.sample(names, self.random.randint(2, 4)):
            path = os.path.normpath(os.path.join(self.cwd, name))
            self.disk[path] = self.random.choice([None, self.content()])
        if self.random.random() < 0.5:
            self.disk[self.cwd + "/n.ipynb"] = self.notebook()
        for path in self.disk:
            self.events[path] = []
            self.mtime[path] = self.ids.now

    def notebook(self):
        cells = [{"cell_type": kind, "id": f"c{i}", "metadata": {},
                  **({"execution_count": 3, "outputs": []}
                     if kind == "code" else {}),
                  "source": [self.line() + "\n", self.line()]}
                 for i, kind in enumerate(["markdown", "code", "code"])]
        book = {"cells": cells, "metadata": {}, "nbformat": 4,
                "nbformat_minor": 5}
        return json.dumps(book, indent=self.random.choice([1, 2])).encode()

    def make_session(self):
        style = self.random.choice(STYLES)
        main = Writer(self, style)
        main.prompt()
        self.writers += [main, main]
        if not style.agent:
            return
        name = f"a{self.random.getrandbits(64):016x}"
        place = os.path.join(self.projects, self.folder)
        path = (f"{place}/agent-{name[:8]}.jsonl" if style.agent == "detail"
                else f"{place}/{main.out.session}/subagents/"
                f"agent-{name}.jsonl")
        agent = name[:8] if style.agent == "detail" else name
        self.writers.append(Writer(self, style, session=main.out.session,
                                   agent=agent, path=path))
        self.writers[-1].out.prompt("task")

    def end(self):
        """All files removed, or some with other line endings, or neither."""
        gone = self.random.random() < 0.4
        for path, data in self.disk.items():
            if gone:
                self.outside(path, None)
            elif data is not None and self.random.random() < 0.1:
                text, crlf = decode(data)
                self.outside(path, encode(text, not crlf))

    # Texts.

    def line(self):
        count = self.random.randint(0, 5)
        words = " ".join(self.random.choice(WORDS) for _ in range(count))
        return self.random.choice(["", "", "\t", "\t\t", "  ", "    "]) \
            + words if words else ""

    def lines(self, most=4):
        return "\n".join(self.line().rstrip()
                         for _ in range(self.random.randint(1, most)))

    def content(self):
        """Bytes of a file of one of the many kinds."""
        rng = self.random
        kind = rng.choice(["small", "small", "big", "empty", "one"])
        count = {"small": rng.randint(2, 30), "empty": 0, "one": 1,
                 "big": rng.randint(700, 900)}[kind]
        text = "".join(self.line() + "\n" for _ in range(count))
        if rng.random() < 0.3:
            text = text[:-1]
        if rng.random() < 0.1:
            text = "\ufeff" + text
        return encode(text, rng.random() < 0.2)

    # Steps.

    def step(self):
        kind = self.random.random()
        if kind < 0.13:
            self.outside_step()
        elif kind < 0.22:
            self.random.choice(self.writers).prompt()
        elif kind < 0.24:
            self.rewind(self.random.choice(self.writers))
        elif kind < 0.25:
            self.resume(self.random.choice(self.writers))
        elif kind < 0.28:
            self.race()
        elif kind < 0.31:
            self.contend()
        elif kind < 0.33:
            self.check_out()
        elif kind < 0.36:
            self.random.choice(self.writers).out.text("so " * 20)
        else:
            op = self.make_op(self.random.choice(self.writers),
                              self.random.choice(list(self.disk)))
            self.waiting.append(op)
        while self.waiting and self.random.random() < 0.75:
            at = self.random.randrange(len(self.waiting))
            self.finish(self.waiting.pop(at))

    def outside_step(self):
        path = self.random.choice(list(self.disk))
        data = self.disk[path]
        kind = self.random.random()
        if path.endswith(".ipynb"):
            self.outside(path, self.notebook())
        elif data is None or kind < 0.3:
            self.outside(path, self.content())
        elif kind < 0.5:
            self.outside(path, None)
        else:
            text, crlf = decode(data)
            lines = text.split("\n")
            lines.insert(self.random.randint(0, len(lines)), self.line())
            self.outside(path, encode("\n".join(lines),
                                      crlf != (kind < 0.58)))

    def race(self):
        """Several at one file at once, a millisecond apart."""
        path = self.random.choice(list(self.disk))
        ops = [self.make_op(self.random.choice(self.writers), path)
               for _ in range(self.random.randint(2, 4))]
        self.random.shuffle(ops)
        for op in ops:
            self.finish(op, step=1)

    def contend(self):
        """Several sessions at one file, none of which waits for the others:
        each reads the file and writes it a moment later, so what another one
        wrote in between is lost; and their results are noted in any order."""
        path = self.random.choice(list(self.disk))
        if path.endswith(".ipynb") or self.disk[path] is None:
            return
        some = {id(w.out): w for w in self.writers}
        some = self.random.sample(list(some.values()),
                                  min(len(some), self.random.randint(2, 4)))
        ops = [self.make_op(w, path) for w in some]
        self.groups += 1
        done = {}
        for op, writes in self.schedule(ops):
            if not writes:
                done[op] = self.read_for(op)
            elif done[op]:
                self.write_for(op, *done[op])
        self.random.shuffle(ops)
        for op in ops:
            detail = done[op] and done[op][2]
            self.note_result(op, detail, done[op])

    def schedule(self, ops):
        """(op, False: it reads, True: it writes), in the order of time."""
        todo = [[op, False] for op in ops]
        while todo:
            one = self.random.choice(todo)
            yield tuple(one)
            if one[1]:
                todo.remove(one)
                continue
            one[1] = True
            if self.random.random() < 0.6:  # at once
                yield tuple(one)
                todo.remove(one)

    def read_for(self, op):
        """What it will write, by what is there now; None: it fails."""
        op.writer.before_edit(op.path)
        try:
            after, detail, flags = op.finish()
        except Fail as fail:
            op.failed = str(fail)
            return None
        return self.disk[op.path], after, detail, flags

    def write_for(self, op, before, after, _, flags):
        self.ids.time(self.random.choice([1, 3, 10]))
        self.disk[op.path] = after
        self.mtime[op.path] = self.ids.now
        event = self.event_of(op, before, after, flags)
        event.group = self.groups

    def note_result(self, op, detail, done):
        if done is None:
            op.writer.out.result(
                op.id, f"Error: {op.failed}",
                f"<tool_use_error>{op.failed}</tool_use_error>", error=True)
            return
        op.writer.out.result(op.id, None if op.writer.bare else detail,
                             f"The file {op.path} has been updated.",
                             timestamp=self.ids.time(1))
        op.event.late = self.ids.now

    def check_out(self):
        """A file is as it was some time ago; no line tells."""
        path = self.random.choice(list(self.disk))
        past = [d for e in self.events[path] for d in (e.before, e.after)
                if d]
        if past:
            self.outside(path, self.random.choice(past))

    def rewind(self, writer):
        """Files go back to an earlier prompt; no line tells."""
        if not writer.backs_up or not writer.turns:
            return
        at = self.random.randrange(len(writer.turns))
        for path, data in writer.go_back(at).items():
            self.outside(path, data)

    def resume(self, writer):
        """The session goes on in a file with copies of all its lines."""
        if writer.out.agent or any(op.writer is writer
                                   for op in self.waiting):
            return
        self.left.append(writer.out)
        writer.resume(self.random.choice(["anew", "again", "fork"]))

    def outside(self, path, data, step=1000):
        self.ids.time(step)
        if data != self.disk[path]:
            self.events[path].append(Event(self.disk[path], data))
            self.disk[path] = data
            self.mtime[path] = self.ids.now

    def make_op(self, writer, path):
        data = self.disk[path]
        if path.endswith(".ipynb"):
            if writer.style.notebooks:
                return self.notebook_op(writer, path)
            path = next(p for p in self.disk if not p.endswith(".ipynb"))
            data = self.disk[path]
        kind = self.random.random()
        if kind < 0.25 or data is None and kind < 0.8:
            return self.write_op(writer, path)
        if writer.style.multi and kind < 0.45:
            edits = [self.edit(path) for _ in
                     range(self.random.randint(1, 3) if data else 1)]
            return Op(writer, path, "MultiEdit",
                      {"file_path": path, "edits": edits})
        return self.edit_op(writer, path)

    def notebook_op(self, writer, path):
        mode = self.random.choice(["replace", "replace", "insert", "delete"])
        cell = self.random.choice(["c0", "c1", "c2"])
        plain = mode == "insert" or cell == "c0"
        return Op(writer, path, "NotebookEdit", {
            "notebook_path": path, "new_source": self.lines(),
            "cell_id": cell, "cell_type": "markdown" if plain else "code",
            "edit_mode": mode})

    def write_op(self, writer, path):
        text, _ = decode(self.content())
        return Op(writer, path, "Write", {"file_path": self.spelt(path),
                                          "content": text})

    def spelt(self, path):
        """Now and then not in its plain form."""
        if self.random.random() < 0.1:
            return os.path.dirname(path) + "/x/../" + os.path.basename(path)
        return path

    def edit_op(self, writer, path):
        edit = self.edit(path)
        every = edit.pop("replace_all", False)
        given = {"file_path": self.spelt(path), **edit}
        if every or writer.style.keys == "new":
            given = {"replace_all": every, **given}
        return Op(writer, path, "Edit", given, every)

    def edit(self, path):
        """old_string, new_string, replace_all for the file as it is now."""
        rng = self.random
        text, _ = decode(self.disk[path] or b"")
        if not text:
            return {"old_string": "", "new_string": self.lines(8) + "\n"}
        rows = text.split("\n")
        at = rng.randrange(len(rows))
        old = "\n".join(rows[at:at + rng.choice([1, 1, 2, 3])])
        if rng.random() < 0.2 and old.split():
            old = rng.choice(old.split())
        if not old:
            old = text[:rng.randint(1, len(text))]
        new = self.changed(old)
        if rng.random() < 0.6 and straight(old) not in text:
            old = straight(old)
        out = {"old_string": old, "new_string": new}
        if text.count(old) > 1 and rng.random() < 0.7:
            out["replace_all"] = True
        return out

    def changed(self, old):
        rng = self.random
        kind = rng.random()
        if kind < 0.15:
            return ""
        if kind < 0.25:
            return fold(old)
        if kind < 0.35:
            return re.sub(r"^(  )+", lambda m: "\t" * (len(m[0]) // 2), old,
                          flags=re.M)
        if kind < 0.6:
            return old + "\n" + self.lines()
        return self.lines() or "."

    def hook(self, writer, path):
        """A formatter that the client runs after each change."""
        data = self.disk[path]
        if not writer.formats or path.endswith(".ipynb") or data is None:
            return
        text, crlf = decode(data)
        kind = self.random.random()
        if kind < 0.4:
            text = re.sub(r"[ \t]+$", "", text, flags=re.M)
        elif kind < 0.6:
            text = text.rstrip("\n") + "\n"
        elif kind < 0.8:
            text = fold(text)
        self.outside(path, encode(text, crlf),
                     step=self.random.choice([1, 1, 40, 2000]))
        return data != self.disk[path]

    def finish(self, op, step=1000):
        out, path = op.writer.out, op.path
        if self.random.random() < 0.08:
            text = ("The user doesn't want to proceed with this tool use. "
                    "The tool use was rejected")
            out.result(op.id, "Error: " + text, text, error=True)
            return
        try:
            after, detail, flags = op.finish()
        except Fail as fail:
            out.result(op.id, f"Error: {fail}",
                       f"<tool_use_error>{fail}</tool_use_error>", error=True)
            return
        op.writer.before_edit(path)
        before, self.disk[path] = self.disk[path], after
        self.mtime[path] = self.ids.now
        event = self.event_of(op, before, after, flags)
        text = (f"The file {path} has been updated." if before
                else f"File created successfully at: {path}")
        early = self.random.random() < 0.5
        changed = early and self.hook(op.writer, path)
        out.result(op.id, None if op.writer.bare else detail, text,
                   timestamp=self.ids.time(step))
        event.late = self.ids.now
        if not early:
            changed = self.hook(op.writer, path)
        if changed and op.writer.style.notes_hooks:
            event.noted = True
            out.emit(out.record("attachment", attachment={
                "type": "hook_additional_context",
                "content": [f"PostToolUse hook modified {path} after your "
                            "edit"],
                "hookName": f"PostToolUse:{op.tool}", "toolUseID": op.id,
                "hookEvent": "PostToolUse"}))

    def event_of(self, op, before, after, flags):
        if op.writer.bare:
            flags = {"proves_before": False,
                     "proves_after": op.tool == "Write",
                     "replays": flags.get("replays", True),
                     "empty": flags.get("empty", False)}
        self.events[op.path].append(Event(
            before, after, op.id, op.writer.out.session, op.writer.out.agent,
            tool=op.tool, **flags))
        event = op.event = self.events[op.path][-1]
        event.writer, event.start = op.writer, op.start
        return event

    # What is left of it.

    def transcripts(self):
        """path below the Claude directory → bytes."""
        return {os.path.relpath(out.path, self.claude):
                b"".join(out.lines)
                for out in [w.out for w in self.writers] + self.left}

    def put(self, claude):
        """Writes the backups and the disk as it is in the end."""
        for name, (data, when) in self.backups.items():
            # Newer clients remove some of them again.
            if self.random.random() < 0.8:
                write(os.path.join(claude, name), data, when)
        for path, data in self.disk.items():
            if data is not None:
                write(path, data, self.mtime[path])


def write(path, data, when):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.utime(path, (when / 1000, when / 1000))
