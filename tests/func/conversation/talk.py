"""What was said in a session: messages, timeline, tree and tasks.

The recordings are read here with nothing but json, in another way than the
daemon does it, and both have to agree. Made-up sessions show order, branches
and damage; talk_long.py has a session of great length.
"""
import collections
import datetime
import glob
import json
import os
import re
import uuid

import harness
from corpus import roots
from harness import Box, RpcError, append, eq
from recordings import by_version

P = "/home/dev/p"
ALL = 100000
WHOLE = 64 << 20


# --- an independent reading ---

def when(text):
    """Milliseconds; a time without a zone is UTC; None: none."""
    try:
        t = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return None
    if t.tzinfo is None:
        t = t.replace(tzinfo=datetime.timezone.utc)
    return round(t.timestamp() * 1000)


def lines_of(path):
    """(record or None, time) of each line; blank ones are nothing."""
    time = None
    with open(path, "rb") as f:
        data = f.read()
    for raw in data[:data.rfind(b"\n") + 1].split(b"\n"):
        if not raw.strip():
            continue
        try:
            record = json.loads(raw)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            record = None
        else:
            time = when(record.get("timestamp")) or time
        yield record, time


class Reading:
    """All sessions below some Claude directories."""

    def __init__(self, *found):
        self.rows = collections.defaultdict(list)  # session: (record, t, agent)
        self.types = collections.defaultdict(collections.Counter)
        self.notes = {}
        for root in found:
            for path in sorted(glob.glob(root + "/projects/**/*.jsonl",
                                         recursive=True)):
                self.read(path)

    def read(self, path):
        name = os.path.basename(path)[:-len(".jsonl")]
        if name == "journal":
            return
        agent = name[6:] if name.startswith("agent-") else None
        own = name
        if agent:
            around = re.search(r"/([^/]+)/subagents/", path)
            own = around and around.group(1)
            note = path[:-len(".jsonl")] + ".meta.json"
            if os.path.exists(note):
                with open(note, encoding="utf-8") as f:
                    self.notes[agent] = json.load(f)
        last = None
        lines = list(lines_of(path))
        # A file that never names its session has only titles of others.
        if not any(r and r.get("sessionId") == own for r, _ in lines):
            own = None
        for record, time in lines:
            named = record and record.get("sessionId")
            last = named or last
            session = named or own or last
            kind = (record.get("type") or "(none)") if record \
                else "(malformed)"
            self.types[session][kind] += 1
            if record:
                self.rows[session].append((record, time, agent))


def is_message(record):
    return record.get("type") in ("user", "assistant")


def thread(rows, agent=None):
    """The messages of a thread by time, each uuid once."""
    seen, out = set(), []
    for record, time, whose in rows:
        aside = "sidechain" if record.get("isSidechain") else None
        if not is_message(record) or (whose or aside) != agent:
            continue
        if record.get("uuid") in seen:
            continue
        seen.add(record.get("uuid"))
        out.append((record, time))
    return sorted(out, key=lambda x: x[1] or 0)


def said(record):
    """The Message that a record is, as far as the test compares it."""
    content = record["message"]["content"]
    out = {"role": record["type"], "id": record["uuid"],
           "type": record["type"], "content": content}
    if isinstance(content, str):
        return out
    out["content"] = "\n".join(
        b.get("text", "") for b in content if b["type"] == "text")
    calls = [{"id": b["id"], "name": b["name"], "input": b["input"]}
             for b in content if b["type"] == "tool_use"]
    results = [(b["tool_use_id"], b.get("content", ""),
                bool(b.get("is_error")))
               for b in content if b["type"] == "tool_result"]
    if calls:
        out["toolCalls"] = calls
    if results:
        out["toolResults"] = results
    return out


def shown(message):
    out = {k: message[k] for k in ("role", "id", "type", "content")}
    if "toolCalls" in message:
        out["toolCalls"] = [{k: c[k] for k in ("id", "name", "input")}
                            for c in message["toolCalls"]]
    if "toolResults" in message:
        out["toolResults"] = [
            (r["id"], r["output"], r["isError"])
            for r in message["toolResults"]]
    return out


def same_message(got, want, where):
    """Outputs that are blocks are given as JSON."""
    got = shown(got)
    for i, (tid, output, error) in enumerate(want.get("toolResults", [])):
        if not isinstance(output, str):
            g = got["toolResults"][i]
            got["toolResults"][i] = (g[0], json.loads(g[1]), g[2])
    eq(got, want, where)


def worlds(name=""):
    """The Claude directories of each version; of one scenario, if named."""
    for version, found in by_version().items():
        yield version, [r for s in found for r in roots(s)
                        if name in os.path.basename(s)]


# --- the recordings ---

def check_messages(rpc, session, rows, where, agent=None):
    want = thread(rows, agent)
    given = {"agentId": agent} if agent else {}
    got = rpc.call("session.messages", session=session, limit=ALL,
                   maxContent=WHOLE, **given)
    eq(got["totalMessages"], len(want), f"{where}: messages")
    eq(got["truncated"], False, where)
    by_id = {m["id"]: m for m in got["messages"]}
    for record, _ in want:
        same_message(by_id[record["uuid"]], said(record),
                     f"{where} {record['uuid']}")
    times = [when(m.get("timestamp")) for m in got["messages"]]
    eq(times, sorted(times, key=lambda t: t or 0), f"{where}: order")
    return len(want)


def parents(rows, notes):
    """uuid: (uuid of the parent or None, is it an agent's first)."""
    nodes, calls, links, prompts = {}, {}, {}, {}
    for record, time, agent in rows:
        content = (record.get("message") or {}).get("content")
        for b in content if isinstance(content, list) else ():
            if b["type"] == "tool_use" and b["name"] in ("Task", "Agent"):
                calls[b["id"]] = record["uuid"]
                prompts[b["input"].get("prompt")] = b["id"]
            detail = record.get("toolUseResult")
            if b["type"] == "tool_result" and isinstance(detail, dict) \
                    and "agentId" in detail:
                links[detail["agentId"]] = b["tool_use_id"]
        if record.get("uuid"):
            nodes.setdefault(record["uuid"], (record, time, agent))
    out = {}
    for key, (record, _, agent) in nodes.items():
        parent = record.get("parentUuid")
        if record.get("subtype") == "compact_boundary":
            parent = record.get("logicalParentUuid") or parent
        first = parent not in nodes and (agent or record.get("isSidechain"))
        if first:
            call = notes.get(agent, {}).get("toolUseId") or links.get(agent)
            content = (record.get("message") or {}).get("content")
            parent = calls.get(call or prompts.get(
                content if isinstance(content, str) else None))
        out[key] = (parent if parent in nodes else None,
                    bool(first) and parent in nodes)
    return nodes, out


def check_tree(rpc, session, rows, notes, where):
    nodes, up = parents(rows, notes)
    got = rpc.call("session.tree", session=session, limit=ALL)
    eq(got["totalNodes"], len(nodes), f"{where}: nodes")
    children = collections.Counter(p for p, _ in up.values() if p)
    ways = collections.Counter(
        p for key, (p, first) in up.items() if p and not first
        and (children[key] or nodes[key][0]["type"]
             in ("user", "assistant", "system")))
    eq(got["branches"], sum(n > 1 for n in ways.values()),
       f"{where}: branches")
    depth, hang = {}, collections.defaultdict(list)
    for node in got["nodes"]:
        parent, first = up[node["id"]]
        eq(node.get("ways", 1), max(ways[node["id"]], 1), f"{where}: ways")
        eq("after" in node, bool(parent and (ways[parent] > 1 or first)),
           f"{where}: {node['id']} hangs")
        if "after" in node:
            hang[parent].append(node["after"])
        eq(node.get("parent"), parent, f"{where}: parent of {node['id']}")
        eq(node["children"], children[node["id"]], f"{where}: children")
        deep = depth[parent] + (ways[parent] > 1 or first) if parent else 0
        eq(node["depth"], deep, f"{where}: depth of {node['id']}")
        depth[node["id"]] = deep
    for after in hang.values():
        eq(after, list(range(len(after)))[::-1], f"{where}: siblings to come")
    return got["branches"], sum(first for _, first in up.values())


def events_of(rows):
    """How many events of each type, without thinking."""
    seen, n = set(), collections.Counter()
    for record, _, _ in rows:
        if record.get("uuid") in seen and record.get("uuid"):
            continue
        seen.add(record.get("uuid"))
        kind = record.get("type")
        if kind == "system":
            n["compaction" if record["subtype"] == "compact_boundary"
              else "system"] += 1
        elif kind == "summary":
            n["system"] += 1
        if not is_message(record):
            continue
        content = record["message"]["content"]
        if isinstance(content, str):
            n["text"] += bool(content)
            continue
        types = collections.Counter(b["type"] for b in content)
        n["tool_call"] += types["tool_use"]
        n["tool_result"] += types["tool_result"]
        n["text"] += types["text"] if kind == "assistant" else (
            types["text"] > 0 or not types["tool_result"])
    return +n


def check_timeline(rpc, session, rows, where):
    got = rpc.call("session.timeline", session=session, limit=ALL)
    n = collections.Counter(e["type"] for e in got["events"])
    n["text"] += n.pop("prompt", 0) + n.pop("agent", 0)
    eq(+n, events_of(rows), f"{where}: events")
    eq(got["totalEvents"], len(got["events"]), where)
    for a, b in zip(got["events"], got["events"][1:]):
        x, y = a.get("timestamp"), b.get("timestamp")
        assert not x or not y or x <= y, (where, x, y)


def test_recordings():
    total = collections.Counter()
    for version, found in worlds():
        reading = Reading(*found)
        with Box(roots=found) as box:
            box.start()
            with box.rpc() as rpc:
                for session, rows in reading.rows.items():
                    if session and any(is_message(r) for r, _, _ in rows):
                        check_session(rpc, reading, session, rows, version,
                                      total)
    assert total["messages"] > 3000, total
    assert total["branches"] and total["agents"] and total["threads"], total


def check_session(rpc, reading, session, rows, version, total):
    where = f"{version} {session}"
    total["messages"] += check_messages(rpc, session, rows, where)
    threads = {a or "sidechain" for r, _, a in rows
               if a or r.get("isSidechain")}
    for agent in threads:
        check_messages(rpc, session, rows, f"{where} {agent}", agent)
        total["threads"] += 1
    branches, agents = check_tree(rpc, session, rows, reading.notes, where)
    total["branches"] += branches
    total["agents"] += agents
    check_timeline(rpc, session, rows, where)
    got = rpc.call("session.get", session=session)
    eq(got["types"], dict(reading.types[session]), f"{where}: types")
    eq(got["totalMessages"], len(thread(rows)), where)
    eq(got["compactions"], len({
        r["uuid"] for r, _, _ in rows
        if r.get("subtype") == "compact_boundary"}), where)


def test_tasks_of_recordings():
    found = 0
    for root, roots_of in worlds("todo_and_misc"):
        with Box(roots=roots_of) as box:
            box.start()
            for session in Reading(*roots_of).rows:
                with box.rpc() as rpc:
                    tasks = rpc.call("session.get", session=session)["tasks"]
                for task in tasks:
                    found += 1
                    eq(task["content"], "do it", root)
                    assert task["status"] in ("in_progress", "pending"), task
                    if "description" in task:
                        eq((task["id"], task["description"],
                            task["activeForm"]),
                           ("1", "do it now", "Doing it"), root)
    assert found >= 2, found


# --- made-up sessions ---

class Made:
    """A session of records as they are given."""

    def __init__(self, box, name="-home-dev-p"):
        self.id = str(uuid.uuid4())
        self.path = os.path.join(box.projects, name, self.id + ".jsonl")
        self.n = 0

    def record(self, **fields):
        return {"type": "user", "sessionId": self.id, "cwd": P,
                "version": "2.1.0", **fields}

    def user(self, key, text, parent=None, **more):
        return self.record(uuid=key, parentUuid=parent,
                           message={"role": "user", "content": text}, **more)

    def assistant(self, key, blocks, parent=None, **more):
        return self.record(
            type="assistant", uuid=key, parentUuid=parent,
            message={"role": "assistant", "id": "m-" + key,
                     "model": "claude-x", "content": blocks,
                     "usage": {"input_tokens": 3, "output_tokens": 4}},
            **more)

    def call(self, tool, given, error=False, text="ok", detail=None):
        """A call and its result."""
        self.n += 1
        tid, t = f"toolu_{self.id[:6]}{self.n}", f"2025-12-10T10:{self.n:02d}"
        out = self.record(
            uuid=f"r{self.n}-{self.id}", timestamp=t + ":01Z",
            message={"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": tid, "content": text,
                 "is_error": error}]})
        if detail is not None:
            out["toolUseResult"] = detail
        self.write(self.assistant(
            f"c{self.n}-{self.id}",
            [{"type": "tool_use", "id": tid, "name": tool, "input": given}],
            timestamp=t + ":00Z"), out)

    def write(self, *records):
        append(self.path, b"".join(
            r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n"
            for r in records))


def made_box():
    box = Box()
    return box, Made(box)


def test_naive_times_are_utc():
    box, m = made_box()
    with box:
        m.write(m.user("u2", "second", timestamp="2025-12-10T10:00:02"),
                m.user("u3", "third", timestamp="2025-12-10T10:00:03.000Z"),
                m.user("u1", "first", timestamp="2025-12-10 10:00:01"))
        box.start()
        with box.rpc() as rpc:
            got = rpc.call("session.messages", session=m.id)["messages"]
            eq([g["content"] for g in got], ["first", "second", "third"])
            got = rpc.call("session.timeline", session=m.id)["events"]
            eq([g["content"] for g in got], ["first", "second", "third"])
            eq({g["type"] for g in got}, {"prompt"})


def test_order_copies_and_no_uuid():
    box, m = made_box()
    with box:
        none = m.user(None, "no uuid, no time")
        del none["uuid"]
        m.write(m.user("a", "one", timestamp="2025-12-10T10:00:05Z"), none,
                m.user("b", "two", timestamp="2025-12-10T10:00:04Z"),
                m.user("a", "a copy", timestamp="2025-12-10T10:00:09Z"),
                b"{broken\n", b'{"a":1}{"b":2}\n', b"\n")
        box.start()
        with box.rpc() as rpc:
            got = rpc.call("session.messages", session=m.id)
            eq([g["content"] for g in got["messages"]],
               ["two", "one", "no uuid, no time"])
            eq([g.get("id") for g in got["messages"]], ["b", "a", None])
            eq(rpc.call("session.get", session=m.id)["types"],
               {"user": 4, "(malformed)": 1, "(none)": 2})
            # What comes later is in the next answer.
            m.write(m.user("c", "new", timestamp="2025-12-10T10:00:06Z"))
            eq(rpc.call("session.messages", session=m.id)["totalMessages"], 4)


def test_message_fields():
    box, m = made_box()
    with box:
        deep = 1
        for _ in range(60):
            deep = [deep]
        given = {"n": 1, "big": 2 ** 63, "f": 1.5, "neg": -7, "t": True,
                 "nil": None, "text": "é\ud83d\ude00 \udc00x", "list": [1, {}],
                 "deep": deep}
        m.write(m.user("prompt-1", [{"type": "text", "text": "a"},
                                    {"type": "text", "text": "b"}],
                       timestamp="2025-12-10T10:00:00Z"),
                m.assistant("answer-1", [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "é" * 40000},
                    {"type": "tool_use", "id": "toolu_1", "name": "X",
                     "input": given}], "prompt-1",
                    timestamp="2025-12-10T10:00:01Z"),
                m.user("result-1", [
                    {"type": "tool_result", "tool_use_id": "toolu_1",
                     "content": [{"type": "text", "text": "x"}],
                     "is_error": True}], timestamp="2025-12-10T10:00:02Z"))
        box.start()
        with box.rpc() as rpc:
            got = rpc.call("session.messages", session=m.id, maxContent=1001)
            eq(got["messages"][0]["content"], "a\nb")
            a = got["messages"][1]
            eq(a["content"], "é" * 500)
            eq((a["truncated"], a["model"], a["messageId"]),
               (True, "claude-x", "m-answer-1"))
            eq(a["tokenUsage"], {"input": 3, "output": 4, "cacheRead": 0,
                                 "cacheWrite": 0})
            assert "thinking" not in a, a
            call = a["toolCalls"][0]["input"]
            assert "[[" in str(call.pop("deep")), call
            del given["deep"]
            given["text"] = "é😀 \ufffdx"
            eq(call, given)
            r = got["messages"][2]["toolResults"]
            eq(r, [{"id": "toolu_1", "output": '[{"type":"text","text":"x"}]',
                    "isError": True}])
            eq(rpc.call("session.messages", session=m.id, role="tool")
               ["totalMessages"], 1)
            got = rpc.call("session.messages", session=m.id,
                           includeThinking=True, includeContent=False,
                           role="assistant")["messages"]
            eq((len(got), got[0]["thinking"]), (1, "hm"))
            assert "input" not in got[0]["toolCalls"][0], got


def fails(rpc, code, method, **given):
    try:
        rpc.call(method, **given)
    except RpcError as e:
        eq(e.code, code)
        return
    raise AssertionError(f"{method} {given} did not fail")


def test_pages_and_errors():
    box, m = made_box()
    with box:
        m.write(*(m.user(f"aaaaaa{i:02d}", str(i),
                         timestamp=f"2025-12-10T10:00:{i:02d}Z")
                  for i in range(40)))
        box.start()
        with box.rpc() as rpc:
            def texts(**given):
                got = rpc.call("session.messages", session=m.id, **given)
                return [x["content"] for x in got["messages"]], got["offset"]

            eq(texts(limit=3, offset=20), (["20", "21", "22"], 20))
            eq(texts(limit=10, message="aaaaaa20")[1], 15)
            eq(texts(limit=10, message="aaaaaa02")[1], 0)
            fails(rpc, "not-found", "session.messages", session=m.id,
                  offset=40)
            fails(rpc, "not-found", "session.tree", session=m.id, offset=40)
            fails(rpc, "not-found", "session.timeline", session=m.id,
                  offset=40)
            fails(rpc, "ambiguous", "session.messages", session=m.id,
                  message="aaaaaa2")
            fails(rpc, "invalid", "session.messages", session=m.id,
                  message="aaa")
            fails(rpc, "not-found", "session.messages", session=m.id,
                  message="nosuchmessage")
            fails(rpc, "invalid", "session.messages", session=m.id,
                  role="nobody")
            fails(rpc, "not-found", "session.messages", session=m.id,
                  agentId="x")
            fails(rpc, "not-found", "session.get", session="ffffffff-no")


def test_tree_of_branches():
    box, m = made_box()
    with box:
        t = "2025-12-10T10:00:%02dZ"
        m.write(m.user("a", "a", timestamp=t % 1),
                m.user("b", "b", "a", timestamp=t % 2),
                m.user("c", "c", "b", timestamp=t % 3),
                m.user("d", "d", "b", timestamp=t % 4),
                m.user("e", "e", "d", timestamp=t % 5),
                m.record(type="system", subtype="compact_boundary", uuid="s",
                         parentUuid=None, logicalParentUuid="e",
                         content="compacted", timestamp=t % 6),
                m.user("f", "f", "s", timestamp=t % 7),
                m.user("o", "orphan", "gone", timestamp=t % 8))
        box.start()
        with box.rpc() as rpc:
            got = rpc.call("session.tree", session=m.id)
            eq([(n["id"], n.get("parent"), n["depth"], n.get("branch"))
                for n in got["nodes"]],
               [("a", None, 0, None), ("b", "a", 0, None), ("c", "b", 1, 1),
                ("d", "b", 1, 2), ("e", "d", 1, None), ("s", "e", 1, None),
                ("f", "s", 1, None), ("o", None, 0, None)])
            eq(got["branches"], 1)
            eq([n["id"] for n in got["nodes"] if n.get("boundary")], ["s"])
            part = rpc.call("session.tree", session=m.id, offset=2, limit=3)
            eq([(n["id"], n.get("branch")) for n in part["nodes"]],
               [("c", 1), ("d", 2), ("e", None)])


def test_todo_and_task_tools():
    box, m = made_box()
    with box:
        m.call("TodoWrite", {"todos": [
            {"content": "old", "status": "pending", "activeForm": "x"}]})
        m.call("TodoWrite", {"todos": [
            {"content": "one", "status": "in_progress",
             "activeForm": "Doing"}]})
        m.call("TodoWrite", {"todos": []}, error=True)
        box.start()
        with box.rpc() as rpc:
            def tasks():
                return rpc.call("session.get", session=m.id)["tasks"]

            one = [{"content": "one", "status": "in_progress",
                    "activeForm": "Doing"}]
            eq(tasks(), one)
            m.call("TaskCreate", {"subject": "failed"}, error=True)
            eq(tasks(), one)
            m.call("TaskCreate", {"subject": "A", "description": "d",
                                  "activeForm": "Aing"},
                   detail={"task": {"id": "1", "subject": "A"}})
            m.call("TaskCreate", {"subject": "B"},
                   text="Task #2 created successfully: B")
            m.call("TaskCreate", {"subject": "C"},
                   detail={"task": {"id": "3"}}, text="Task #3 created")
            m.call("TaskUpdate", {"taskId": "1", "status": "completed",
                                  "addBlocks": ["2"]},
                   text="Updated task #1 status")
            m.call("TaskUpdate", {"taskId": "3", "status": "deleted"})
            m.call("TaskUpdate", {"taskId": "2", "status": "completed"},
                   text="Task not found", detail={"success": False})
            m.call("TaskList", {})
            eq(tasks(), [
                {"id": "1", "content": "A", "status": "completed",
                 "activeForm": "Aing", "description": "d"},
                {"id": "2", "content": "B", "status": "pending",
                 "blockedBy": ["1"]}])
            m.call("TodoWrite", {"todos": one})
            eq(tasks(), one)


def test_gone():
    """Without transcripts there is what was said, and the plan."""
    box, m = made_box()
    with box:
        box.without_archive()
        ids = [str(uuid.uuid4()) for _ in range(3)]
        m.write(m.user(ids[0], "ask", timestamp="2025-12-10T10:00:00Z"),
                m.assistant(ids[1], [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "one"},
                    {"type": "text", "text": "two"}], ids[0],
                    timestamp="2025-12-10T10:00:01Z"))
        m.call("TaskCreate", {"subject": "A"},
               text="Task #7 created successfully: A",
               detail={"task": {"id": "7"}})
        m.call("TaskUpdate", {"taskId": "7", "status": "in_progress"})
        m.write(m.user(ids[2], "again", timestamp="2025-12-10T11:00:00Z"))
        box.start()
        with box.rpc() as rpc:
            settle(rpc)
            was = rpc.call("session.get", session=m.id)
            os.unlink(m.path)
            got = rpc.call("session.get", session=m.id, includeThinking=True)
            eq(got["source"], "gone")
            eq(got["tasks"], was["tasks"], "tasks")
            eq(got["tasks"], [{"id": "7", "content": "A",
                               "status": "in_progress"}])
            eq([(g["id"], g["role"], g["content"], g["timestamp"])
                for g in got["messages"]],
               [(w["id"], w["role"], w["content"], w["timestamp"])
                for w in was["messages"] if w["content"]])
            eq(got["messages"][1]["thinking"], "hm")
            got = rpc.call("session.messages", session=m.id, limit=1,
                           message=ids[1][:8])
            eq((got["source"], [g["content"] for g in got["messages"]]),
               ("gone", ["one\ntwo"]))
            got = rpc.call("session.timeline", session=m.id)
            eq([e["type"] for e in got["events"]],
               ["prompt", "text", "prompt"])
            eq(rpc.call("session.tree", session=m.id)["nodes"], [])


def settle(rpc):
    """Waits until the first scan is done."""
    while "indexing" in rpc.call("index.stats"):
        pass


def test_hostile():
    box, m = made_box()
    with box:
        chain = [m.user(f"k{i}", "x", f"k{i - 1}") for i in range(1, 100001)]
        m.write(m.user("self", "s", "self"), m.user("x", "x", "z"),
                m.user("y", "y", "x"), m.user("z", "z", "y"),
                b'{"type":"user","uuid":"nul","sessionId":"%s","message":'
                b'{"content":"a\\u0000b"}}\n' % m.id.encode(),
                b"\0" * 100 + b"\n",
                m.record(uuid=5, message={"content": {"a": 1}}),
                m.record(uuid="n", message=None),
                m.record(type="assistant", uuid="odd", message={
                    "content": [1, None, {"type": "tool_use"},
                                {"type": "text"}, {"type": "tool_use",
                                                   "id": 1, "input": 3}]}),
                m.user("huge", "h" * (20 << 20)), *chain)
        box.start()
        with box.rpc() as rpc:
            settle(rpc)
            got = rpc.call("session.tree", session=m.id, limit=100000)
            eq(got["totalNodes"], 100009)
            ids = [n["id"] for n in got["nodes"] if "id" in n]
            eq(len(ids), len(set(ids)), "each once")
            parent = {n.get("id"): n.get("parent") for n in got["nodes"]}
            eq([parent[k] for k in ("self", "x", "y", "z")],
               [None, None, "x", "y"])
            last = rpc.call("session.tree", session=m.id, limit=20,
                            offset=100009 - 20)["nodes"]
            eq({n["depth"] for n in last}, {0})
            got = rpc.call("session.messages", session=m.id, limit=12)
            eq(got["totalMessages"], 100009)
            text = {g.get("id"): g["content"] for g in got["messages"]}
            eq(text["nul"], "a\0b")
            eq(len(text["huge"]), 65536)
            rpc.call("session.timeline", session=m.id, offset=50000)


if __name__ == "__main__":
    harness.main()
