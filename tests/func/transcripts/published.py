"""Shapes of records that published transcripts have and that the recordings
of the client lack. The records are made up here; only their shape is theirs.
"""
import json
import os
import re

import harness
from harness import Box, append, eq
from transcript import Ids, Transcript, line, write_result

P = "/home/dev/p"


def agent_path(box, session, agent):
    return os.path.join(box.project(), session, "subagents",
                        f"agent-{agent}.jsonl")


def test_log_of_a_file_that_is_called_like_a_transcript():
    with Box() as box:
        t = Transcript(box, Ids(1))
        t.prompt()
        tid = t.write(P + "/data.jsonl", "{}\n")
        box.start()
        rows = box.ok("log", P + "/data.jsonl", "--format=jsonl")
        assert tid in rows, rows
        assert "data.jsonl" in box.ok("log", t.path), "its own transcript"
        done = box.run("log", P + "/other.jsonl")
        eq(done.returncode, 1, "exit code")


def test_at_a_time_that_was_shown():
    with Box() as box:
        ids = Ids(2)
        t = Transcript(box, ids)
        t.prompt()
        path = P + "/a.txt"
        made = t.write(path, "one\n")
        edit = t.edit(path, "one", "two")
        box.start()
        for tid, want in ((made, "one\n"), (edit, "two\n")):
            time = box.json("diff", tid)["timestamp"]
            eq(box.ok("cat", path, f"--at={time}"), want)
            second = time[:19] + "Z"
            eq(box.ok("cat", path, f"--at={second}"), want)


def test_teammates_belong_to_their_calls():
    with Box() as box:
        ids = Ids(3)
        t = Transcript(box, ids, version="2.1.88")
        t.prompt("build a team")
        names = ("architect", "tester")
        calls = [t.call("Agent", {
            "description": "d " + name, "prompt": "do " + name,
            "subagent_type": "general-purpose", "name": name,
            "team_name": "crew"}) for name in names]
        for name, tid in zip(names, calls):
            t.result(tid, {"status": "teammate_spawned",
                           "prompt": "do " + name, "name": name,
                           "agent_id": f"{name}@crew",
                           "teammate_id": f"{name}@crew",
                           "team_name": "crew"})
        # Of the first the note tells, of the second its own lines.
        for number, name in reversed(list(enumerate(names))):
            agent = f"a{number}b2c3d4e5f6a7b8"
            path = agent_path(box, t.session, agent)
            a = Transcript(box, ids, session=t.session, agent=agent,
                           path=path, version="2.1.88")
            more = {} if number == 0 else {"agentName": name,
                                           "teamName": "crew"}
            a.prompt(f'<teammate-message teammate_id="lead">\ndo {name}\n'
                     "</teammate-message>", **more)
            a.text("I am the " + name, **more)
            if number == 0:
                note = json.dumps({"agentType": name}).encode()
                append(path.replace(".jsonl", ".meta.json"), note)
        box.start()
        text = box.ok("show", t.session, "--messages")
        for name in names:
            assert "I am the " + name in text, text


def test_type_of_an_agent_by_its_lines():
    with Box() as box:
        ids = Ids(4)
        t = Transcript(box, ids, version="2.1.325")
        t.prompt()
        t.call("Task", {"description": "look", "prompt": "go"})
        a = Transcript(box, ids, session=t.session, agent="a1b2c3d4",
                       path=agent_path(box, t.session, "a1b2c3d4"))
        a.prompt("go")
        a.text("here", attributionAgent="code-reviewer")
        box.start()
        text = box.ok("show", t.session, "--messages")
        assert "agent a1b2c3d4 (code-reviewer)" in text, text


def test_sessions_are_not_called_after_their_teammates():
    with Box() as box:
        t = Transcript(box, Ids(5))
        t.prompt('<teammate-message teammate_id="lead" color="blue">hello'
                 "</teammate-message>")
        t.prompt("and what I want")
        box.start()
        eq([x["title"] for x in box.json("sessions")["sessions"]],
           ["and what I want"])


def usage(output, read=0):
    return {"input_tokens": 3, "output_tokens": output,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": read}


def spent(box):
    """Output tokens of all sessions, by session and by SQL."""
    of = {x["id"]: x["tokenUsage"]["output"]
          for x in box.json("sessions")["sessions"]}
    sql = box.ok("sql", "--format=jsonl",
                 "SELECT sum(output_tokens) AS n FROM usage")
    eq(json.loads(sql)["n"], sum(of.values()), "the same by SQL")
    return of


def orders(box, *files):
    """Starts with the files in every order, and yields each time."""
    texts = {}
    for path in files:
        with open(path, "rb") as f:
            texts[path] = f.read()
        os.unlink(path)
    for some in (files, files[::-1]):
        box.start()
        for path in some:
            append(path, texts[path])
            box.dump()
        yield
        box.stop()
        for path in files:
            os.unlink(path)
        box.forget()


def test_tokens_of_the_most_complete_line():
    with Box() as box:
        ids = Ids(6)
        t = Transcript(box, ids, version="2.1.88")
        t.prompt()
        t.text("a", mid="msg_01a", usage=usage(8))
        # Lines out of order: the last one is not the most complete.
        t.text("b", mid="msg_01b", usage=usage(900))
        t.text("b", mid="msg_01b", usage=usage(2))
        copy = Transcript(
            box, ids, session=t.session, agent="acompact-0123456789abcdef",
            path=agent_path(box, t.session, "acompact-0123456789abcdef"))
        record = json.loads(t.lines[1])
        record.update(isSidechain=True, agentId=copy.agent)
        record["message"]["usage"] = usage(3035)
        copy.emit(record)
        # The session changes within a message.
        agent = Transcript(box, ids, session=t.session, agent="a3dd0f6",
                           path=agent_path(box, t.session, "a3dd0f6"))
        agent.text("c", mid="msg_01c", usage=usage(1))
        agent.session = other = ids.uuid()
        agent.text("c", mid="msg_01c", usage=usage(4624))
        for _ in orders(box, t.path, copy.path, agent.path):
            got = spent(box)
            eq(got[t.session] + got.get(other, 0), 3035 + 900 + 4624)


def test_ids_that_are_only_a_second_long():
    with Box() as box:
        ids = Ids(7)
        t = Transcript(box, ids)
        t.prompt()
        second = "msg_20260213060303"
        paths = [t.path]
        for number in range(3):
            agent = f"a{number}b2c3d4"
            a = Transcript(box, ids, session=t.session, agent=agent,
                           path=agent_path(box, t.session, agent))
            paths.append(a.path)
            for n in (1, 10):
                record = a.record("assistant", message={
                    "id": second, "type": "message", "role": "assistant",
                    "model": "m", "content": [{"type": "text", "text": "x"}],
                    "usage": usage(n * 10 ** number)})
                # One provider gives no id of the request, either.
                if number:
                    record["requestId"] = f"req_{number}"
                a.emit(record)
        for _ in orders(box, *paths):
            eq(spent(box), {t.session: 10 + 100 + 1000})


def test_windows_projects():
    with Box() as box:
        ids = Ids(8)
        t = Transcript(box, ids, project="C--Users-dev-p",
                       cwd="c:\\Users\\dev\\p")
        t.prompt()
        one = t.edit("C:\\Users\\dev\\p\\src\\a.c", "a", "b")
        two = t.edit("/c/Users/dev/p/src/a.c", "b", "c")
        three = t.edit("C:/users/Dev/p/src/a.c", "c", "d")
        t.cwd = "C:/Users/dev/p"
        four = t.edit("src/a.c", "d", "e")
        box.start()
        dump = box.dump()
        eq({dump.by_id(x)["path"] for x in (one, two, three, four)},
           {"C:/Users/dev/p/src/a.c"})
        eq([x["projectPath"] for x in box.json("sessions")["sessions"]],
           ["C:/Users/dev/p"])
        diff = box.ok("diff", t.session)
        assert "--- a/src/a.c\n+++ b/src/a.c\n" in diff, diff
        below = box.json("sessions", "--project=c:\\Users\\dev")
        eq(len(below["sessions"]), 1, "sessions below a directory")


def test_a_question_that_was_left():
    with Box() as box:
        ids = Ids(9)
        day = 24 * 3600 * 1000
        sessions = []
        for late in (0, day // 2, day * 40):
            ids.now += late
            t = Transcript(box, ids)
            t.prompt()
            t.text("Shall I?")
            sessions.append(t.session)
        box.start()

        def waiting():
            return {x["id"] for x in
                    box.json("sessions", "--status=waiting")["sessions"]}
        eq(waiting(), {sessions[2]}, "nobody came back to the others")
        box.restart()
        eq(waiting(), {sessions[2]}, "after a restart")
        # Who gives an answer and is asked again is waited for.
        t = Transcript(box, ids, session=sessions[0])
        t.prompt("yes")
        t.text("And now?")
        eq(waiting(), {sessions[0], sessions[2]})


def boundary(t):
    """A compaction, and the summary that the conversation goes on with."""
    t.emit(t.record("system", subtype="compact_boundary", content="Compacted",
                    compactMetadata={"trigger": "auto", "preTokens": 9}))
    t.prompt("This session is being continued from a previous conversation",
             isCompactSummary=True)


def hook(t, tid, event="PostToolUse"):
    t.emit(t.record("progress", data={
        "type": "hook_progress", "hookEvent": event,
        "hookName": event + ":Edit", "command": "callback"},
        parentToolUseID=tid, toolUseID=tid))


def hook_attachment(t, tid):
    t.emit(t.record("attachment", attachment={
        "type": "hook_success", "hookName": "PostToolUse:Edit",
        "hookEvent": "PostToolUse", "toolUseID": tid, "content": ""}))


def test_results_that_a_compaction_swallowed():
    given = {"file_path": P + "/a.txt", "old_string": "one",
             "new_string": "two"}
    with Box() as box:
        ids = Ids(10)
        box.start()
        t = Transcript(box, ids, version="2.1.39")
        t.prompt()
        t.write(P + "/a.txt", "one\n")
        dead = t.call("Edit", given)
        t.prompt("go on")
        unknown = t.call("Edit", given)
        eq(box.dump().by_id(unknown)["state"], "pending")
        boundary(t)
        told = t.call("Edit", given)
        hook(t, told)
        boundary(t)
        newer = t.call("Edit", given)
        hook_attachment(t, newer)
        boundary(t)
        not_run = t.call("Edit", given)
        hook(t, not_run, "PreToolUse")
        t.text("and more")
        t.prompt("go on")
        want = {dead: "interrupted", unknown: "pending", told: "applied",
                newer: "applied", not_run: "interrupted"}
        for step in ("read", "restarted", "read anew"):
            got = box.dump().states()
            eq({x: got[x] for x in want}, want, step)
            if step == "read":
                box.restart()
            else:
                box.ok("index", "--build")
        eq(box.ok("cat", P + "/a.txt", f"--at={told}"), "two\n")
        # A result counts more than a hook.
        t.result(told, "Error: no", "no", error=True)
        eq(box.dump().by_id(told)["state"], "failed")


def told(t, a, data):
    """The progress of agent `a` in its parent's transcript: a copy of its
    record `data`, without where and in which session."""
    record = json.loads(data)
    message = {k: record[k] for k in ("type", "message", "uuid", "timestamp",
                                      "requestId") if k in record}
    t.emit(t.record("progress", data={
        "message": message, "normalizedMessages": [],
        "type": "agent_progress", "prompt": "go", "agentId": a.agent},
        toolUseID="agent_msg_1", parentToolUseID=a.call_id))


def parent_and_agent(box, ids):
    """A session that tells of its agent; the agent, not written."""
    t = Transcript(box, ids, version="2.1.50")
    t.prompt()
    call = t.call("Task", {"description": "d", "prompt": "go",
                           "subagent_type": "Explore"})
    a = Transcript(box, ids, session=t.session, agent="a948948fc5eb3e267",
                   path=agent_path(box, t.session, "a948948fc5eb3e267"))
    a.live = False
    a.call_id = call
    a.prompt("go")
    a.text("I begin", mid="msg_01g", usage=usage(5))
    tid = a.call("Write", {"file_path": P + "/made.txt", "content": "x\n"},
                 mid="msg_01h", usage=usage(70))
    a.result(tid, text="File created successfully at: /home/dev/p/made.txt")
    for data in a.lines:
        told(t, a, data)
    t.result(call, {"status": "completed", "content": []}, "found it")
    t.text("all done", usage=usage(0))
    return t, a, tid


def test_agents_that_have_no_transcript():
    with Box() as box:
        t, a, tid = parent_and_agent(box, Ids(11))
        box.start()
        change = box.dump().by_id(tid)
        eq((change["state"], change["path"], change["agentId"],
            change["sessionId"]),
           ("applied", P + "/made.txt", a.agent, t.session))
        eq(box.ok("cat", P + "/made.txt"), "x\n")
        eq(spent(box), {t.session: 76})
        info = box.json("sessions")["sessions"][0]
        eq((info["agents"]["count"], info["agents"]["messageCount"],
            info["messageCount"]), (1, 4, 4))
        text = box.ok("show", t.session, "--messages")
        for want in ("agent a948948fc5eb3e267 (Explore)", "I begin",
                     "Write made.txt"):
            assert want in text, f"{want!r} is not in\n{text}"
        eq(len(box.json("show", t.session,
                        f"--agent={a.agent}")["messages"]), 4)
        assert "I begin" in box.ok("grep", "I begin")
        eq(box.json("index", "--stats")["lines"]["unknown"], 0, "unknown")


def test_agents_that_are_told_of_count_once():
    texts = []
    with Box() as box:
        t, a, tid = parent_and_agent(box, Ids(12))
        append(a.path, b"".join(a.lines))
        for _ in orders(box, t.path, a.path):
            eq(spent(box), {t.session: 76})
            info = box.json("sessions")["sessions"][0]
            eq((info["agents"]["count"], info["agents"]["messageCount"]),
               (1, 4))
            eq(box.json("show", t.session,
                        f"--agent={a.agent}")["totalMessages"], 4)
            eq(len(box.json("grep", "I begin")["matches"]), 1, "matches")
            eq(box.dump().by_id(tid)["isSidechain"], True)
            texts.append(box.dump().text)
    eq(texts[0], texts[1], "the index in both orders")


def test_agents_that_begin_as_a_copy():
    with Box() as box:
        ids = Ids(13)
        t = Transcript(box, ids, version="2.1.88")
        t.prompt()
        t.text("one")
        t.edit(P + "/a.txt", "a", "b")
        t.text("two")
        name = "acompact-0123456789abcdef"
        copy = Transcript(box, ids, session=t.session, agent=name,
                          path=agent_path(box, t.session, name))
        for data in t.lines:
            record = json.loads(data)
            record.update(isSidechain=True, agentId=name)
            copy.emit(record)
        copy.prompt("summarise it")
        copy.text("a summary")
        for _ in orders(box, t.path, copy.path):
            info = box.json("sessions")["sessions"][0]
            eq((info["messageCount"], info["agents"]["messageCount"]), (5, 2))
            sql = box.ok("sql", "--format=jsonl",
                         "SELECT messages, agent_messages AS n FROM sessions")
            eq(json.loads(sql), {"messages": 5, "n": 2})


def test_pull_requests_of_a_session():
    with Box() as box:
        t = Transcript(box, Ids(14))
        t.prompt()
        box.start()
        eq(box.json("sessions")["sessions"][0]["pullRequests"], [])
        assert not re.search(r"\bPR\b", box.ok("sessions"))
        url = "https://example.com/o/r/pull/"
        for number in (12, 7, 12):
            append(t.path, line({
                "type": "pr-link", "sessionId": t.session,
                "prNumber": number, "prRepository": "o/r",
                "prUrl": f"{url}{number}",
                "timestamp": "2026-01-01T00:00:00.000Z"}))
        for _ in range(2):
            eq(box.json("sessions")["sessions"][0]["pullRequests"],
               [url + "12", url + "7"])
            assert "#12, #7" in box.ok("sessions")
            assert url + "7" in box.ok("show", t.session)
            box.restart()


def test_net_in_several_diffs_says_so():
    with Box() as box:
        ids = Ids(15)
        a, b = (Transcript(box, ids, version="2.1.325") for _ in range(2))
        path = P + "/a.txt"
        old = None
        for t, new in ((a, "one\n"), (b, "two\n"), (a, "three\n")):
            t.prompt()
            tid = t.call("Write", {"file_path": path, "content": new})
            t.result(tid, write_result(path, new, "update" if old else
                                       "create", originalFile=old))
            old = new
        box.start()
        done = box.run("diff", a.session, path, "--net")
        eq(done.returncode, 0, "exit code")
        eq(done.stdout.count("diff --git"), 2, "diffs")
        eq(done.stderr.count("there are several diffs"), 1,
           "notes")
        eq(box.run("diff", b.session, path, "--net").stderr, "", "one diff")


def test_agents_whose_session_is_gone():
    """What the agent was told is why it changed something."""
    with Box() as box:
        box.without_archive()
        ids = Ids(16)
        main = Transcript(box, ids)
        agent, other = (Transcript(box, ids, session=main.session, agent=a)
                        for a in ("a1b2c3d", "b1b2c3d"))
        agent.emit({"type": "summary", "summary": "x", "leafUuid": "y"})
        tids = []
        for t, told in ((agent, "look\n  around"), (other, "and there")):
            t.prompt(told)
            t.text("yes")
            t.prompt("later words")
            tids += [t.write(P + "/a"), t.edit(P + "/a", "one", "two")]
        box.start()
        with box.rpc() as rpc:
            full = [rpc.call("change.get", change=tid) for tid in tids]
            eq([c["prompt"] for c in full],
               ["look around"] * 2 + ["and there"] * 2)
            eq(full[0]["promptFull"], "look\n  around")
            steps = rpc.call("file.log", path=P + "/a")["steps"]
            eq([s["prompt"] for s in steps if s["kind"] == "change"],
               ["and there"] * 2 + ["look around"] * 2)
        box.restart()
        main.prompt("the user's own", timestamp="2020-01-01T00:00:00.000Z")
        with box.rpc() as rpc:
            eq({rpc.call("change.get", change=tid)["prompt"] for tid in tids},
               {"the user's own"})
        os.unlink(main.path)
        with box.rpc() as rpc:
            eq(rpc.call("change.get", change=tids[0])["prompt"],
               "look around", "gone since")


if __name__ == "__main__":
    harness.main()
