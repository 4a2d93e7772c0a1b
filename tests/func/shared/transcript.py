"""Builds transcripts line by line, in the client's old and new style.

Records are made from scratch here, with made-up texts; the shapes are those
that the client writes. All ids come from a seeded generator, so that a test
gives the same bytes each time.
"""
import json
import os
import random
import re
import uuid

from harness import append

OPUS = "claude-opus-4-5-20251101"
HAIKU = "claude-haiku-4-5-20251001"

# From about 2.1.78 on these stand behind message and toolUseResult.
LATE = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch")
HEAD = ("parentUuid", "isSidechain", "userType", "cwd", "sessionId",
        "version", "gitBranch", "agentId")


class Ids:
    """Seeded ids and a clock that only the test moves."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.now = 1_765_360_800_000  # 2025-12-10T10:00:00Z, in ms

    def uuid(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def tool(self):
        letters = ("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
                   "abcdefghijkmnopqrstuvwxyz")
        return "toolu_01" + "".join(
            self.random.choice(letters) for _ in range(22))

    def time(self, step=1000):
        self.now += step
        return stamp(self.now)


def stamp(ms):
    """RFC 3339 in UTC with milliseconds."""
    import datetime
    when = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def line(record, style="old"):
    """The record as the client of that style writes it."""
    if style == "new":
        late = {k: v for k, v in record.items() if k in LATE}
        early = {k: v for k, v in record.items() if k not in LATE}
        record = {**early, **late}
    else:
        first = {k: record[k] for k in HEAD if k in record}
        record = {**first, **{k: v for k, v in record.items()
                              if k not in first}}
    return json.dumps(record, ensure_ascii=False,
                      separators=(",", ":")).encode() + b"\n"


def patch(old, new, start=1):
    """A structuredPatch that replaces `old` by `new` (lists of lines)."""
    return [{"oldStart": start, "oldLines": len(old), "newStart": start,
             "newLines": len(new),
             "lines": ["-" + x for x in old] + ["+" + x for x in new]}]


def folder(directory):
    """The name of the folder in which the client keeps its transcripts."""
    return re.sub("[^A-Za-z0-9]", "-", directory)


def edit_result(path, old, new, **more):
    return {"filePath": path, "oldString": old, "newString": new,
            "originalFile": old + "\n", "structuredPatch": patch([old], [new]),
            "userModified": False, "replaceAll": False, **more}


def write_result(path, content, kind="create", **more):
    return {"type": kind, "filePath": path, "content": content,
            "structuredPatch": [], **more}


class Transcript:
    """One file. Every method appends its line at once, and returns it."""

    def __init__(self, box, ids, session=None, project="-home-dev-p",
                 cwd="/home/dev/p", style="old", version="2.1.50",
                 branch="main", agent=None, path=None, model=OPUS):
        self.ids = ids
        self.session = session or ids.uuid()
        self.cwd = cwd
        self.style = style
        self.version = version
        self.branch = branch
        self.agent = agent
        self.model = model
        self.parent = None
        self.live = True
        name = f"agent-{agent}.jsonl" if agent else f"{self.session}.jsonl"
        self.path = path or os.path.join(box.projects, project, name)
        self.lines = []

    def emit(self, record):
        data = line(record, self.style)
        self.lines.append(data)
        if self.live:
            append(self.path, data)
        return data

    def record(self, kind, **more):
        record = {"parentUuid": self.parent, "isSidechain": bool(self.agent),
                  "userType": "external", "cwd": self.cwd,
                  "sessionId": self.session, "version": self.version,
                  "gitBranch": self.branch, "type": kind, **more}
        if self.agent:
            record["agentId"] = self.agent
        record.setdefault("uuid", self.ids.uuid())
        record.setdefault("timestamp", self.ids.time())
        self.parent = record["uuid"]
        return record

    def prompt(self, text="please", **more):
        return self.emit(self.record(
            "user", message={"role": "user", "content": text}, **more))

    def blocks(self, *content, model=None, mid=None, usage=None, **more):
        """An assistant record with these content blocks."""
        message = {"id": mid or "msg_" + self.ids.tool()[6:],
                   "type": "message",
                   "role": "assistant", "model": model or self.model,
                   "content": list(content),
                   "usage": usage or {"input_tokens": 1, "output_tokens": 1}}
        return self.emit(self.record("assistant", message=message,
                                     requestId="req_1", **more))

    def text(self, text="ok", **more):
        return self.blocks({"type": "text", "text": text}, **more)

    def call(self, tool, given, tid=None, **more):
        """An assistant record that calls `tool`; returns the tool_use id."""
        tid = tid or self.ids.tool()
        self.blocks({"type": "tool_use", "id": tid, "name": tool,
                     "input": given}, **more)
        return tid

    def result(self, tid, detail=None, text="done", error=False, **more):
        """The user record with a result; detail None: no toolUseResult."""
        block = {"tool_use_id": tid, "type": "tool_result", "content": text}
        if error:
            block["is_error"] = True
        if detail is not None:
            more["toolUseResult"] = detail
        return self.emit(self.record(
            "user", message={"role": "user", "content": [block]}, **more))

    def edit(self, path, old="a", new="b", tid=None, **more):
        """A whole Edit: call and result."""
        tid = self.call("Edit", {"file_path": path, "old_string": old,
                                 "new_string": new}, tid, **more)
        self.result(tid, edit_result(path, old, new))
        return tid

    def write(self, path, content="one\n", tid=None, **more):
        """A whole Write that creates a file."""
        tid = self.call("Write", {"file_path": path, "content": content},
                        tid, **more)
        self.result(tid, write_result(path, content))
        return tid
