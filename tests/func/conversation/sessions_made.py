"""Sessions and statistics of made-up transcripts: states, filters, orders,
copies, agents, days, and ten thousand of them."""
import json
import os
import time

import harness
from harness import Box, RpcError, eq
from sessions import every_session
from transcript import HAIKU, OPUS, Ids, Transcript, stamp

MINUTE = 60_000


class Made:
    """A box whose sessions end so many minutes ago."""

    def __init__(self):
        self.box = Box()
        self.ids = Ids()

    def __enter__(self):
        self.box.__enter__()
        self.box.start()
        return self

    def __exit__(self, *exc):
        return self.box.__exit__(*exc)

    def begin(self, minutes_ago=0, **more):
        """A session with a prompt; later lines are a second apart."""
        self.ids.now = int(time.time() * 1000) - minutes_ago * MINUTE
        t = Transcript(self.box, self.ids, **more)
        t.prompt()
        return t


def tokens(n, out):
    return {"input_tokens": n, "output_tokens": out,
            "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def say(t, mid, usage, *content, model=OPUS, **more):
    """A line of the message `mid`."""
    return t.emit(t.record("assistant", message={
        "id": mid, "type": "message", "role": "assistant", "model": model,
        "content": list(content) or [{"type": "text", "text": "ok"}],
        "usage": usage}, **more))


def ids(rpc, **options):
    return [s["id"] for s in rpc.call("session.list", **options)["sessions"]]


def refused(rpc, method, **options):
    try:
        rpc.call(method, **options)
    except RpcError as error:
        return error.code
    raise AssertionError(f"{method} {options}: no error")


def test_titles_are_short():
    """One line of at most 200 characters, wherever a title is given."""
    with Made() as m, m.box.rpc() as rpc:
        t = m.begin()
        t.emit({"type": "custom-title", "sessionId": t.session,
                "customTitle": " two\n lines\t" + "é" * 300})
        t.result(t.call("Read", {"file_path": "/home/dev/p/a"}), {
            "type": "text", "file": {"filePath": "/home/dev/p/a",
                                     "content": "one", "numLines": 1,
                                     "startLine": 1, "totalLines": 1}})
        t.text("a word to find")
        want = "two lines " + "é" * 189 + "…"
        eq(rpc.call("session.list")["sessions"][0]["title"], want)
        eq(rpc.call("session.get", session=t.session)["title"], want)
        eq(rpc.call("file.readers", path="/home/dev/p/a")["sessions"][0][
            "title"], want)
        eq(rpc.call("text.search", pattern="word to find")["matches"][0][
            "title"], want)


def test_states():
    with Made() as m, m.box.rpc() as rpc:
        asks = m.begin(60)
        asks.call("AskUserQuestion", {"questions": []})
        fails = m.begin(50)
        fails.result(fails.call("Bash", {"command": "false"}), error=True)
        ends = m.begin(40)
        ends.result(ends.call("Bash", {"command": "false"}), error=True)
        ends.result(ends.call("Bash", {"command": "true"}))
        ends.text("That is all.")
        works = m.begin(1)
        works.result(works.call("Bash", {"command": "false"}), error=True)
        want = {asks.session: "waiting", fails.session: "failed",
                ends.session: "completed", works.session: "active"}
        got = every_session(rpc)
        eq({k: s["status"] for k, s in got.items()}, want, "states")
        for sid, status in want.items():
            eq(ids(rpc, status=status), [sid], status)
        # What the client puts in does not answer the question, …
        asks.ids.now = int(time.time() * 1000) - 40 * MINUTE
        asks.prompt("Caveat: these were commands", isMeta=True)
        eq(every_session(rpc)[asks.session]["status"], "waiting")
        # … and the answer to it ends the waiting.
        asks.ids.now = int(time.time() * 1000) - 30 * MINUTE
        asks.text("Thanks.")
        eq(every_session(rpc)[asks.session]["status"], "completed")


def test_states_as_a_person_says():
    """An edit that was denied is no failure if an answer follows; one without
    a result waits for permission."""
    with Made() as m, m.box.rpc() as rpc:
        denied = m.begin(60)
        denied.result(denied.call("Edit", {
            "file_path": "/home/dev/p/a", "old_string": "a",
            "new_string": "b"}), text="The user doesn't want to proceed with "
            "this tool use. The tool use was rejected", error=True)
        eq(every_session(rpc)[denied.session]["status"], "completed")
        failed = m.begin(50)
        failed.result(failed.call("Bash", {"command": "false"}), error=True)
        eq(every_session(rpc)[failed.session]["status"], "failed")
        failed.text("It cannot be done; I stopped.")
        eq(every_session(rpc)[failed.session]["status"], "completed")
        waits = m.begin(3)
        tid = waits.call("Write", {"file_path": "/home/dev/p/b",
                                   "content": "x"})
        eq(every_session(rpc)[waits.session]["status"], "waiting")
        m.box.restart()
        # and so it is read from the store
        with m.box.rpc() as again:
            eq(every_session(again)[waits.session]["status"], "waiting")
            waits.result(tid)
            eq(every_session(again)[waits.session]["status"], "active")


def test_messages_of_a_session_count_once():
    """A fork shows the messages of its original under their session's id."""
    with Made() as m, m.box.rpc() as rpc:
        first = m.begin(100)
        first.text("one")
        first.text("two")
        fork = Transcript(m.box, m.ids)
        for data in first.lines:
            fork.emit(json.loads(data))
        fork.prompt("and on")
        got = every_session(rpc)
        eq((got[first.session]["messageCount"],
            got[fork.session]["messageCount"]), (len(first.lines), 1))
        rows = rpc.call("sql.query", query="SELECT session_id, messages "
                        "FROM sessions")["rows"]
        eq({r[0]: r[1] for r in rows},
           {k: s["messageCount"] for k, s in got.items()})
        os.unlink(first.path)
        eq(every_session(rpc)[first.session]["messageCount"],
           len(first.lines))


def test_copies_count_once():
    """A resumed and a forked session have the messages of the first one; the
    last line of a message says what it cost."""
    with Made() as m, m.box.rpc() as rpc:
        first = m.begin(100)
        say(first, "msg_1", tokens(5, 1))
        say(first, "msg_1", tokens(5, 40),
            {"type": "tool_use", "id": "toolu_1", "name": "Read",
             "input": {"file_path": "/home/dev/p/a"}})
        first.result("toolu_1")
        for n in (1, 2):
            fork = Transcript(m.box, m.ids)
            for data in first.lines:
                fork.emit(copied(data, fork.session, n == 1, m.ids))
            fork.prompt("go on")
            say(fork, f"msg_own{n}", tokens(0, n))
        got = every_session(rpc)
        eq(len(got), 3, "sessions")
        mine = got.pop(first.session)
        eq((mine["tokenUsage"]["output"], mine["toolCount"],
            mine["filesReadCount"]), (40, 1, 1), "the first one's")
        eq(sorted((s["tokenUsage"]["output"], s["toolCount"])
                  for s in got.values()), [(1, 0), (2, 0)], "the others'")
        eq({s["messageCount"] for s in got.values()}, {6},
           "messages as the transcripts hold them")
        totals = rpc.call("stats.get")["totals"]
        eq((totals["messages"], totals["toolCalls"],
            totals["tokenUsage"]["output"]), (3, 1, 43), "totals")


def copied(data, session, later, ids_):
    """The record of a line, copied into another session."""
    record = json.loads(data)
    record["sessionId"] = session
    if later:
        record["timestamp"] = ids_.time()
    return record


def test_one_row_with_agents():
    """Agents' files carry the parent's id, and add to its row."""
    with Made() as m, m.box.rpc() as rpc:
        t = m.begin(60)
        say(t, "msg_1", tokens(1, 2))
        folder = os.path.join(m.box.project(), t.session, "subagents")
        for n, path in enumerate((
                os.path.join(folder, "agent-a1.jsonl"),
                os.path.join(m.box.project(), "agent-a2.jsonl"))):
            agent = Transcript(m.box, m.ids, session=t.session,
                               agent=f"a{n + 1}", path=path)
            agent.prompt()
            say(agent, f"msg_a{n}", tokens(10, 20), model=HAIKU)
            agent.write(f"/home/dev/p/{n}")
        eq(len(every_session(rpc)), 1, "rows")
        got = every_session(rpc)[t.session]
        eq((got["messageCount"], got["toolCount"], got["model"]),
           (2, 0, OPUS), "its own")
        agents = got["agents"]
        eq((agents["count"], agents["messageCount"], agents["toolCount"]),
           (2, 8, 2), "its agents'")
        eq((got["tokenUsage"]["output"], agents["tokenUsage"]["output"]),
           (2 + 2 * 21, 2 * 21), "tokens")
        eq((got["filesModifiedCount"], got["totalChanges"]), (2, 2))
        sizes = [os.path.getsize(p) for p in (
            t.path, os.path.join(folder, "agent-a1.jsonl"),
            os.path.join(m.box.project(), "agent-a2.jsonl"))]
        eq((got["fileSizeBytes"], agents["bytes"], got["totalBytes"]),
           (sizes[0], sizes[1] + sizes[2], sum(sizes)), "sizes")
        eq(got["filePath"], t.path)


def test_filters_and_orders():
    with Made() as m, m.box.rpc() as rpc:
        a = m.begin(300, branch="main", cwd="/home/dev/p")
        a.write("/home/dev/p/src/[id].ts")
        a.write("/home/dev/p/src/i.ts")
        b = m.begin(200, branch="topic", cwd="/home/dev/p/sub", model=HAIKU)
        b.edit("/home/dev/p/README.md")
        b.ids.now += 50 * MINUTE
        say(b, "msg_b", tokens(1000, 1000), model=HAIKU)
        c = m.begin(100, branch="main", cwd="/home/dev/q")
        say(c, "msg_c", tokens(1, 5000))
        a, b, c = a.session, b.session, c.session
        for options, want in (
                ({}, [c, b, a]),
                ({"projectPath": "/home/dev/p"}, [b, a]),
                ({"projectPath": "q", "cwd": "/home/dev"}, [c]),
                ({"branch": "main"}, [c, a]),
                ({"model": "haiku"}, [b]),
                ({"model": OPUS, "branch": "main"}, [c, a]),
                ({"touched": "/home/dev/p/src/[id].ts"}, [a]),
                ({"touched": "src/?.ts", "cwd": "/home/dev/p"}, [a]),
                ({"touched": "**/*.md"}, [b]),
                ({"touched": ".", "cwd": "/home/dev/p"}, [b, a]),
                ({"sort": "changes"}, [a, b, c]),
                ({"sort": "tokens"}, [c, b, a]),
                ({"sort": "duration"}, [b, a, c]),
                ({"sort": "duration", "limit": 1, "offset": 1}, [a]),
                ({"fromDate": ago(190)}, [c, b]),
                ({"toDate": ago(190)}, [b, a]),
                ({"fromDate": ago(190), "toDate": ago(160)}, [b])):
            eq(ids(rpc, **options), want, str(options))
        eq(rpc.call("session.list", limit=1)["totalSessions"], 3, "total")
        for options, code in (
                ({"branch": "x"}, "not-found"), ({"offset": 3}, "not-found"),
                ({"sort": "x"}, "invalid"), ({"status": "x"}, "invalid"),
                ({"touched": "x"}, "invalid"), ({"by": "day"}, "invalid")):
            eq(refused(rpc, "session.list", **options), code, str(options))


def ago(minutes):
    return stamp(int(time.time() * 1000) - minutes * MINUTE)


def test_zones_in_order():
    """Two times without a zone and one in UTC, and one with an offset."""
    with Made() as m, m.box.rpc() as rpc:
        made = []
        for when in ("2025-12-10T10:00:00.000", "2025-12-10T10:30:00.000Z",
                     "2025-12-10T11:00:00.000", "2025-12-10T09:15:00-02:00"):
            t = Transcript(m.box, m.ids)
            t.prompt(timestamp=when)
            made.append(t.session)
        eq(ids(rpc), made[::-1], "most recent first")
        eq([s["endTime"] for s in rpc.call("session.list")["sessions"]],
           [f"2025-12-10T{x}:00.000Z"
            for x in ("11:15", "11:00", "10:30", "10:00")], "times")


def test_days_and_period():
    """Tokens are of their message's day in UTC."""
    with Made() as m, m.box.rpc() as rpc:
        t = Transcript(m.box, m.ids)
        t.prompt(timestamp="2025-12-10T23:59:00Z")
        say(t, "msg_1", tokens(0, 1), timestamp="2025-12-10T23:59:59.999Z")
        say(t, "msg_1", tokens(0, 5), timestamp="2025-12-11T00:00:00.001Z")
        say(t, "msg_2", tokens(0, 7), timestamp="2025-12-11T01:30:00+02:00")
        say(t, "msg_3", tokens(0, 9), timestamp="2025-12-11T00:00:00Z")
        reply = rpc.call("stats.get")
        eq([(r["key"], r["messages"], r["tokenUsage"]["output"])
            for r in reply["rows"]],
           [("2025-12-10", 2, 12), ("2025-12-11", 1, 9)], "days")
        eq(reply["days"],
           [{"day": "2025-12-10", "changes": 0, "shellChanges": 0,
             "tokens": 12},
            {"day": "2025-12-11", "changes": 0, "shellChanges": 0,
             "tokens": 9}])
        part = rpc.call("stats.get", fromDate="2025-12-11")["totals"]
        eq((part["sessions"], part["tokenUsage"]["output"]), (1, 9))
        eq(refused(rpc, "stats.get", fromDate="2025-12-12"), "not-found")


def test_after_a_restart():
    """What is listed and counted survives, also when the file is gone."""
    with Made() as m:
        m.box.without_archive()
        m.box.restart()
        t = m.begin(60)
        t.write("/home/dev/p/a")
        t.result(t.call("Read", {"file_path": "/home/dev/p/b"}))
        size = os.path.getsize(t.path)

        def answers():
            with m.box.rpc() as rpc:
                replies = [rpc.call("session.list"), rpc.call("stats.get"),
                           rpc.call("session.reads", session=t.session)]
                for reply in replies:
                    reply.pop("clock")
                return replies

        before = answers()
        m.box.restart()
        eq(answers(), before, "after a restart")
        os.unlink(t.path)
        after = answers()
        got = after[0]["sessions"][0]
        eq((got["source"], got["fileSizeBytes"]), ("gone", size))
        eq(after[1:], before[1:], "without the transcript")


def test_ten_thousand():
    """Pages of many; says what they took, which is for the reader."""
    with Box() as box:
        box.start()
        made = Ids()
        for n in range(200):
            batch = b""
            for _ in range(50):
                t = Transcript(box, made, cwd=f"/home/dev/{n}")
                t.live = False
                t.prompt()
                t.write(f"/home/dev/{n}/x")
                batch += b"".join(t.lines)
            # A file may hold many sessions; which it is, the lines say.
            harness.append(os.path.join(box.project(), f"{made.uuid()}.jsonl"),
                           batch)
        with box.rpc() as rpc:
            eq(rpc.call("session.list")["totalSessions"], 10000, "sessions")
            for options in ({}, {"sort": "tokens"}, {"touched": "**/x"},
                            {"status": "completed", "offset": 9950}):
                began = time.monotonic()
                reply = rpc.call("session.list", **options)
                took = time.monotonic() - began
                eq(len(reply["sessions"]), 50, str(options))
                print(f"session.list {options}: {took * 1000:.1f} ms")
            began = time.monotonic()
            eq(rpc.call("stats.get", by="project")["totalRows"], 200, "rows")
            took = time.monotonic() - began
            print(f"stats.get: {took * 1000:.1f} ms")


if __name__ == "__main__":
    harness.main()
