"""What breaks a naive indexer: one test per oddity of the client's files.

Numbers in the names follow the list of known oddities: t01 is "agent files
without toolUseResult", and so on. Each runs with records in the client's old
and new key order.
"""
import json
import os

import harness
from harness import Box, append, eq
from transcript import (HAIKU, OPUS, Ids, Transcript, edit_result, line,
                        patch, write_result)

P = "/home/dev/p"


def both(test):
    """Runs a test in both styles, each in its own box with a daemon."""
    def run():
        for style in ("old", "new"):
            with Box() as box:
                box.start()
                test(box, Ids(7), style)
    return run


def agent_path(box, session, agent):
    return os.path.join(box.project(), session, "subagents",
                        f"agent-{agent}.jsonl")


@both
def test_t01_agent_results_without_detail(box, ids, style):
    main = Transcript(box, ids, style=style)
    main.prompt()
    agent = Transcript(box, ids, session=main.session, agent="a0123456789abcde",
                       style=style, path=agent_path(box, main.session,
                                                    "a0123456789abcde"))
    good = agent.call("Edit", {"file_path": P + "/x.c", "old_string": "a",
                               "new_string": "b\nc"})
    agent.result(good, text="The file has been updated.")
    bad = agent.call("Write", {"file_path": P + "/y.c", "content": "1\n"})
    agent.result(bad, detail="Error: no space", text="no space", error=True)
    dump = box.dump()
    change = dump.by_id(good)
    eq(change["state"], "applied")
    eq(change["path"], P + "/x.c")
    eq(change["sessionId"], main.session)
    eq(change["agentId"], "a0123456789abcde")
    eq((change["linesAdded"], change["linesRemoved"]), (2, 1))
    eq(dump.by_id(bad)["state"], "failed")
    eq(list(dump.sessions), [main.session], "sessions")


@both
def test_t02_original_file_null(box, ids, style):
    t = Transcript(box, ids, style=style)
    tid = t.call("Edit", {"file_path": P + "/big", "old_string": "x",
                          "new_string": "y"})
    t.result(tid, edit_result(P + "/big", "x", "y", originalFile=None,
                              structuredPatch=patch(["x1", "x2"],
                                                    ["y1", "y2", "y3"])))
    change = box.dump().by_id(tid)
    eq((change["state"], change["linesAdded"], change["linesRemoved"]),
       ("applied", 3, 2))


@both
def test_t03_the_patch_is_right(box, ids, style):
    t = Transcript(box, ids, style=style)
    tid = t.call("Edit", {"file_path": P + "/a", "old_string": "gone",
                          "new_string": ""})
    # An empty new string takes the line's newline with it: nothing is added.
    t.result(tid, edit_result(P + "/a", "gone", "",
                              structuredPatch=patch(["gone"], [])))
    change = box.dump().by_id(tid)
    eq((change["linesAdded"], change["linesRemoved"]), (0, 1))


@both
def test_t04_the_result_wins_over_the_call(box, ids, style):
    t = Transcript(box, ids, style=style)
    tid = t.call("Write", {"file_path": P + "/asked", "content": "asked\n"})
    t.result(tid, write_result(P + "/written", "written\n"))
    eq(box.dump().by_id(tid)["path"], P + "/written")
    with box.rpc() as rpc:
        got = rpc.call("file.sessions", path=P + "/written",
                       includeContent=True)
    change = got["sessions"][0]["changes"][0]
    eq(change["newContent"], "written\n")
    assert "oldContent" not in change, "a Write has no old content"
    eq(box.run("search", P + "/asked").returncode, 1, "exit code")


@both
def test_t05_result_before_call(box, ids, style):
    t = Transcript(box, ids, style=style, model=HAIKU)
    t.prompt()
    tid = ids.tool()
    t.result(tid, edit_result(P + "/a", "a", "b"))
    for _ in range(8):
        t.text()
    t.call("Edit", {"file_path": P + "/a", "old_string": "a",
                    "new_string": "b"}, tid)
    change = box.dump().by_id(tid)
    eq((change["state"], change["tool"], change["model"]),
       ("applied", "Edit", HAIKU))


@both
def test_t06_no_result_is_pending_then_interrupted(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    dead = t.call("Write", {"file_path": P + "/a", "content": "1"})
    eq(box.dump().by_id(dead)["state"], "pending")
    t.prompt("go on")
    eq(box.dump().by_id(dead)["state"], "interrupted")
    eq(box.run("search", P + "/a").returncode, 1, "exit code")


@both
def test_t06_made_up_errors_are_interrupted(box, ids, style):
    t = Transcript(box, ids, style=style)
    texts = ["[Request interrupted by user for tool use]",
             "Error: session ended before this tool call returned"]
    tids = []
    for number, text in enumerate(texts):
        tid = t.call("Write", {"file_path": f"{P}/{number}", "content": "1"})
        t.result(tid, detail=text, text=text, error=True)
        tids.append(tid)
    dump = box.dump()
    for tid, text in zip(tids, texts):
        eq(dump.by_id(tid)["state"], "interrupted", text)


@both
def test_t06_a_late_result_still_counts(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    tid = t.call("Write", {"file_path": P + "/a", "content": "1"})
    t.prompt("queued while the tool runs")
    t.result(tid, write_result(P + "/a", "1"))
    eq(box.dump().by_id(tid)["state"], "applied")


@both
def test_t07_result_without_call(box, ids, style):
    t = Transcript(box, ids, style=style)
    tid = ids.tool()
    t.result(tid, edit_result(P + "/orphan", "a", "b"))
    made = ids.tool()
    t.result(made, write_result(P + "/made", "x\n"))
    nothing = ids.tool()
    t.result(nothing, {"stdout": "", "stderr": "", "interrupted": False})
    dump = box.dump()
    eq((dump.by_id(tid)["state"], dump.by_id(tid)["path"],
        dump.by_id(tid)["tool"]), ("applied", P + "/orphan", "Edit"))
    eq((dump.by_id(made)["operation"], dump.by_id(made)["tool"]),
       ("created", "Write"))
    eq(nothing in dump.states(), False, "a result of Bash is a change")


def lines_of(box):
    with box.rpc() as rpc:
        return rpc.call("index.stats")["lines"]


@both
def test_t08_torn_lines(box, ids, style):
    t = Transcript(box, ids, style=style)
    first = t.write(P + "/first")
    t.live = False
    t.call("Write", {"file_path": P + "/torn", "content": "x" * 4000})
    inner = t.text()
    cut = t.lines[-2][:2000]
    rest = t.lines[-2][2000:]
    append(t.path, cut + inner + rest)
    t.live = True
    after = t.write(P + "/after")
    states = box.dump().states()
    eq(states, {first: "applied", after: "applied"})
    eq(lines_of(box)["malformed"], 2, "malformed lines")


@both
def test_t09_partial_last_line(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.live = False
    t.write(P + "/a")
    call, result = t.lines
    append(t.path, call + result[:-20])
    eq(list(box.dump().states().values()), ["pending"])
    append(t.path, result[-20:-1])
    eq(list(box.dump().states().values()), ["applied"], "without newline")
    before = box.dump().text
    append(t.path, b"\n")
    lines = lines_of(box)
    eq((lines["malformed"], lines["blank"]), (0, 0), "lines")
    eq(box.dump().text, before, "nothing new by the newline")
    box.ok("index", "--build")
    eq(box.dump().text, before, "nor by reading it anew")


@both
def test_t09_glued_to_a_stump(box, ids, style):
    t = Transcript(box, ids, style=style)
    append(t.path, b'{"parentUuid":null,"isSidech')
    t.prompt("glued to the stump, and lost with it")
    one = t.write(P + "/one")
    append(t.path, b'{"type":"user","mess')
    append(t.path, b"\n")
    two = t.write(P + "/two")
    eq(box.dump().states(), {one: "applied", two: "applied"})
    eq(lines_of(box)["malformed"], 2, "malformed lines")


@both
def test_t09_two_records_in_one_line(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.live = False
    glued = t.write(P + "/glued", "of glued\n")
    append(t.path, t.lines[0][:-1] + t.lines[1])
    t.live = True
    good = t.write(P + "/good")
    eq(box.dump().states(), {glued: "applied", good: "applied"})
    eq(lines_of(box)["malformed"], 0, "malformed lines")
    eq(box.ok("cat", P + "/glued"), "of glued\n")
    assert "of glued" in box.ok("grep", "of glued", "--in=tool")
    assert "Write glued" in box.ok("show", t.session, "--messages")


@both
def test_t09_what_follows_a_whole_record(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.live = False
    whole = t.write(P + "/whole")
    append(t.path, t.lines[0] + t.lines[1][:-1] + b'{"type":"user","mess\n')
    eq(box.dump().states(), {whole: "applied"})
    eq(lines_of(box)["malformed"], 1, "malformed lines")


@both
def test_t10_shrinks_in_place(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    kept = t.write(P + "/kept")
    lost = t.write(P + "/lost")
    eq(len(box.dump().changes), 2)
    with open(t.path, "r+b") as f:
        f.truncate(0)
        f.write(b"".join(t.lines[:3]))
    more = t.write(P + "/more")
    eq(box.dump().states(),
       {kept: "applied", lost: "applied", more: "applied"})


@both
def test_t11_moves_to_another_directory(box, ids, style):
    t = Transcript(box, ids, style=style)
    one = t.write(P + "/one")
    agent = Transcript(box, ids, session=t.session, agent="a1", style=style,
                       path=agent_path(box, t.session, "a1"))
    two = agent.write(P + "/two")
    eq(len(box.dump().changes), 2)
    other = box.project("-home-dev-p--worktrees-w")
    os.makedirs(other)
    moved = os.path.join(other, t.session + ".jsonl")
    os.rename(t.path, moved)
    os.rename(os.path.join(box.project(), t.session),
              os.path.join(other, t.session))
    t.path = moved
    agent.path = os.path.join(other, t.session, "subagents", "agent-a1.jsonl")
    three = t.write(P + "/three")
    four = agent.write(P + "/four")
    append(moved + ".superseded-1765360800000",
           line({"type": "user", "sessionId": ids.uuid(), "message": {
               "role": "user", "content": "not a transcript"}}, style))
    dump = box.dump()
    eq(dump.states(), dict.fromkeys([one, two, three, four], "applied"))
    eq(list(dump.sessions), [t.session], "sessions")
    eq(box.json("list", t.session)["source"], "present")


@both
def test_t12_resumed_copy_under_new_ids(box, ids, style):
    first = Transcript(box, ids, style=style)
    first.prompt()
    tid = first.write(P + "/a", "1\n")
    copy = Transcript(box, ids, style=style)
    copy.prompt()
    copy.call("Write", {"file_path": P + "/a", "content": "1\n"}, tid)
    copy.result(tid)
    own = copy.edit(P + "/a", "1", "2")
    dump = box.dump()
    eq(dump.by_id(tid)["sessionId"], first.session, "owner")
    eq(dump.by_id(own)["sessionId"], copy.session, "owner")
    eq(len(dump.changes), 2, "changes")


def fork_of(box, t, ids):
    """All lines of `t` under another sessionId, as --fork-session copies."""
    fork = Transcript(box, ids, style=t.style)
    for data in t.lines:
        data = data.replace(t.session.encode(), fork.session.encode())
        fork.lines.append(data)
    return fork


@both
def test_t12_fork_copies(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    tid = t.write(P + "/a")
    fork = fork_of(box, t, ids)
    append(fork.path, b"".join(fork.lines))
    t.prompt("goes on")
    ids.time(60_000)
    fork.prompt("goes another way")
    own = fork.edit(P + "/a")
    dump = box.dump()
    eq(dump.by_id(own)["sessionId"], fork.session)
    eq(len(dump.changes), 2, "changes")
    eq(dump.by_id(tid)["sessionId"], t.session, "owner")


@both
def test_t12_fork_of_a_session_that_ended(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    tid = t.write(P + "/a")
    fork = fork_of(box, t, ids)
    append(fork.path, b"".join(fork.lines))
    fork.prompt("goes another way")
    own = fork.edit(P + "/a")
    dump = box.dump()
    eq(dump.by_id(tid)["sessionId"], t.session, "owner")
    eq(dump.by_id(own)["sessionId"], fork.session, "owner")


def test_t12_owner_does_not_depend_on_the_order():
    texts = []
    for swap in (False, True):
        with Box() as box:
            ids = Ids(3)
            box.start()
            t = Transcript(box, ids)
            t.live = False
            t.prompt()
            t.write(P + "/a")
            copy = Transcript(box, ids)
            copy.live = False
            copy.prompt()
            tid = ids_in(t)[0]
            copy.call("Write", {"file_path": P + "/a", "content": "1"}, tid)
            copy.result(tid)
            for one in ((copy, t) if swap else (t, copy)):
                append(one.path, b"".join(one.lines))
                box.dump()
            texts.append(box.dump().text)
            eq(box.dump().changes[0]["sessionId"], t.session, "owner")
    eq(texts[0], texts[1], "dump")


def ids_in(t):
    """tool_use ids of a transcript, in order."""
    found = []
    for data in t.lines:
        content = json.loads(data).get("message", {}).get("content")
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                found.append(block["id"])
    return found


@both
def test_t12_two_sessions_in_one_file(box, ids, style):
    """A fork may keep the old sessionId in a file of another name."""
    t = Transcript(box, ids, style=style)
    name = ids.uuid()
    t.path = os.path.join(box.project(), name + ".jsonl")
    tid = t.write(P + "/a")
    eq(box.dump().by_id(tid)["sessionId"], t.session)


def snapshot(message_id, backups, update=False,
             time="2025-12-10T10:00:00.000Z"):
    return {"type": "file-history-snapshot", "messageId": message_id,
            "snapshot": {"messageId": message_id,
                         "trackedFileBackups": backups,
                         "timestamp": time},
            "isSnapshotUpdate": update}


def backup(name, version):
    return {"backupFileName": name, "version": version,
            "backupTime": "2025-12-10T10:00:00.000Z"}


@both
def test_t13_rewind_leaves_no_record(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    back = t.parent
    t.emit(snapshot(back, {"a.c": backup(None, 1)}))
    one = t.write(P + "/a.c")
    t.prompt("more")
    t.emit(snapshot(t.parent, {"a.c": backup("0123456789abcdef@v2", 2),
                               "/etc/x": backup("fedcba9876543210@v1", 1)}))
    two = t.edit(P + "/a.c")
    three = t.edit("/etc/x")
    t.parent = back
    t.prompt("after the rewind")
    t.emit(snapshot(t.parent, {"a.c": backup(None, 1)},
                    time="2025-12-10T11:00:00.000Z"))
    eq(box.dump().states(), dict.fromkeys([one, two, three], "applied"))
    files = {f["path"]: f for f in box.json("list", t.session)["files"]}
    eq(files["/etc/x"].get("backupFileName"), "fedcba9876543210@v1")
    eq(files["/etc/x"].get("version"), 1)
    eq(files[P + "/a.c"].get("version"), 1)
    eq(files[P + "/a.c"].get("backupFileName"), None)


@both
def test_t14_api_request_blob(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    tid = ids.tool()
    t.emit(t.record("api-request-blob", message={
        "role": "assistant", "content": [
            {"type": "tool_use", "id": tid, "name": "Write",
             "input": {"file_path": P + "/copy", "content": "1"}},
            {"type": "tool_result", "tool_use_id": tid, "content": "ok"}]},
        toolUseResult=write_result(P + "/copy", "1")))
    eq(box.dump().states(), {})


@both
def test_t15_an_error_of_bash_is_not_no_effect(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    for error in (False, True):
        tid = t.call("Bash", {"command": f"echo 1 > {P}/a"})
        t.result(tid, {"stdout": "", "stderr": "", "interrupted": False},
                 error=error)
    dump = box.dump()
    eq(sorted((c["path"], c["state"], c["evidence"]) for c in dump.changes),
       [(P + "/a", "applied", "parsed"), (P + "/a", "failed", "parsed")])
    eq({c["state"]: c["unknown"] for c in dump.commands},
       {"applied": False, "failed": True})
    eq(lines_of(box)["malformed"], 0)


@both
def test_t16_branches(box, ids, style):
    t = Transcript(box, ids, style=style, branch="main")
    t.prompt()
    t.branch = "topic"
    tid = t.write(P + "/a")
    got = box.json("list", t.session)
    eq(got["gitBranch"], "topic")
    eq(sorted(got["gitBranches"]), ["main", "topic"])
    eq(box.dump().sessions[t.session]["gitBranch"], "topic")
    eq(box.dump().by_id(tid)["state"], "applied")


@both
def test_t17_times_are_not_monotonic(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt(timestamp="2025-12-10T10:00:05.000Z")
    late = t.call("Write", {"file_path": P + "/a", "content": "2"},
                  timestamp="2025-12-10T10:00:09.000Z")
    early = t.call("Write", {"file_path": P + "/a", "content": "1"},
                   timestamp="2025-12-10T10:00:01.000Z")
    for tid in (late, early):
        t.result(tid, write_result(P + "/a", "x"),
                 timestamp="2025-12-10T10:00:07.000Z")
    got = box.json("list", t.session)
    eq((got["sessionStart"], got["sessionEnd"]),
       ("2025-12-10T10:00:01.000Z", "2025-12-10T10:00:09.000Z"))
    eq([c["toolUseId"] for c in got["files"][0]["changes"]], [early, late])


@both
def test_t18_empty_and_warmup_files(box, ids, style):
    empty = os.path.join(box.project(), ids.uuid() + ".jsonl")
    append(empty, b"")
    t = Transcript(box, ids, style=style)
    t.prompt()
    tid = t.write(P + "/a")
    warm = Transcript(box, ids, session=t.session, agent="0a1b2c3d",
                      style=style)
    warm.prompt("Warmup")
    warm.text("ready")
    dump = box.dump()
    eq(dump.states(), {tid: "applied"})
    eq(dump.by_id(tid)["agentId"], None, "agentId")
    eq(list(dump.sessions), [t.session], "sessions")


@both
def test_t19_parallel_calls(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    models = [OPUS, HAIKU, OPUS, HAIKU]
    tids = [t.call("Write", {"file_path": f"{P}/{n}", "content": "1"},
                   model=model) for n, model in enumerate(models)]
    # Each result's parent is the last call or the result before it.
    for number in (2, 0, 3, 1):
        t.result(tids[number], write_result(f"{P}/{number}", "1"))
    dump = box.dump()
    eq([dump.by_id(tid)["model"] for tid in tids], models)
    eq([dump.by_id(tid)["path"] for tid in tids],
       [f"{P}/{n}" for n in range(4)])


@both
def test_t20_staged_and_notebook_error(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    staged = t.call("Write", {"file_path": P + "/s", "content": "1"})
    t.result(staged, write_result(P + "/s", "1", staged=True))
    book = {"notebook_path": P + "/n.ipynb", "new_source": "1",
            "cell_id": "c", "edit_mode": "replace"}
    bad = t.call("NotebookEdit", book)
    t.result(bad, {"new_source": "1", "cell_type": "code",
                   "language": "python", "edit_mode": "replace",
                   "cell_id": "c", "error": "no such cell"})
    good = t.call("NotebookEdit", book)
    t.result(good, {"new_source": "1", "cell_type": "code",
                    "language": "python", "edit_mode": "replace",
                    "cell_id": "c", "error": ""})
    dump = box.dump()
    eq(dump.states(), {staged: "staged", bad: "failed", good: "applied"})
    eq(dump.by_id(good)["path"], P + "/n.ipynb")


@both
def test_t21_session_without_file_tools(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    t.result(t.call("Bash", {"command": "make"}),
             {"stdout": "", "stderr": "", "interrupted": False})
    done = box.run("list", t.session)
    eq(done.returncode, 1, "exit code")
    assert "nothing found" in done.stderr, done.stderr
    eq(list(box.dump().sessions), [t.session])


@both
def test_denied_and_failed_texts(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    table = [
        ("The user doesn't want to proceed with this tool use. The tool use "
         "was rejected.", {}, "denied"),
        ("User rejected tool use", {}, "denied"),
        ("Claude requested permissions to write to /x, but you haven't "
         "granted it yet.", {}, "denied"),
        ("blocked", {"toolDenialKind": "permission-rule"}, "denied"),
        ("<tool_use_error>String to replace not found in file."
         "</tool_use_error>", {}, "failed"),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", {},
         "failed"),
    ]
    want = {}
    for text, more, state in table:
        tid = t.call("Edit", {"file_path": P + "/a", "old_string": "a",
                              "new_string": "b"})
        t.result(tid, detail="Error: " + text, text=text, error=True, **more)
        want[tid] = state
    eq(box.dump().states(), want)


@both
def test_progress_copies_and_other_tools(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    inner = {"type": "assistant", "message": {
        "role": "assistant", "model": OPUS, "content": [
            {"type": "tool_use", "id": ids.tool(), "name": "Write",
             "input": {"file_path": P + "/copy", "content": "1"}}]}}
    t.emit(t.record("progress", data={"type": "agent_progress",
                                      "message": inner},
                    toolUseID="agent_1", parentToolUseID="toolu_x"))
    plan = t.call("ExitPlanMode", {"plan": "x"})
    t.result(plan, {"plan": "x", "isAgent": False,
                    "filePath": "/home/dev/.claude/plans/x.md"})
    read = t.call("Read", {"file_path": P + "/a"})
    t.result(read, {"type": "text", "file": {"filePath": P + "/a",
                                             "content": "x"}})
    eq(box.dump().states(), {})


@both
def test_multi_edit_shapes(box, ids, style):
    t = Transcript(box, ids, style=style)
    t.prompt()
    edits = [{"old_string": "a", "new_string": "b"},
             {"old_string": "c", "new_string": "d"}]
    one = t.call("MultiEdit", {"file_path": P + "/a", "edits": edits})
    t.result(one, {"filePath": P + "/a", "edits": edits,
                   "originalFileContents": "a\nc\n",
                   "structuredPatch": patch(["a", "c"], ["b", "d"]),
                   "userModified": False})
    many = t.call("MultiEdit", {"edits": [
        {"file_path": P + "/b", "old_string": "a", "new_string": "b"},
        {"file_path": P + "/c", "old_string": "a", "new_string": "b"}]})
    t.result(many)
    changes = box.dump().changes
    eq(sorted((c["toolUseId"] == one, c["path"], c["state"])
              for c in changes),
       [(False, P + "/b", "applied"), (False, P + "/c", "applied"),
        (True, P + "/a", "applied")])


@both
def test_relative_and_dotted_paths(box, ids, style):
    t = Transcript(box, ids, style=style, cwd="/home/dev/p/sub")
    rel = t.write("./x//y/../z.c")
    up = t.edit("../w.c")
    odd = t.write('/home/dev/p/tab\there "q" \u2603.c')
    dump = box.dump()
    eq(dump.by_id(rel)["path"], P + "/sub/x/z.c")
    eq(dump.by_id(up)["path"], P + "/w.c")
    eq(dump.by_id(odd)["path"], '/home/dev/p/tab\there "q" \u2603.c')


@both
def test_unknown_types_are_counted(box, ids, style):
    t = Transcript(box, ids, style=style)
    for _ in range(3):
        t.emit({"type": "brand-new-record", "sessionId": t.session})
    append(t.path, b"\n   \n[1]\n\"x\"\nnull\n\0\0\0\0\n{\n")
    tid = t.write(P + "/a")
    eq(box.dump().states(), {tid: "applied"})
    with box.rpc() as rpc:
        stats = rpc.call("index.stats")
    eq(stats["unknownTypes"], {"brand-new-record": 3})
    eq(stats["lines"]["unknown"], 3)
    eq(stats["lines"]["blank"], 2)
    eq(stats["lines"]["malformed"], 5)
    assert "brand-new-record" in box.ok("status") + box.ok("index", "--stats")


@both
def test_who_started_a_turn(box, ids, style):
    """A notification is nobody's prompt, whatever it looks like."""
    t = Transcript(box, ids, style=style)
    for text, origin, asked in (
            ("mend it", "human", "mend it"), ("go on", "sdk", "go on"),
            ("The task has ended", "task_notification", "go on"),
            ("and that", "something_new", "and that")):
        t.prompt(text, turnOrigin=origin)
        tid = t.write(P + "/" + ids.uuid())
        with box.rpc() as rpc:
            eq(rpc.call("change.get", change=tid)["prompt"], asked)


@both
def test_notes_of_a_call(box, ids, style):
    """Who allowed it, for which model, and what git said."""
    t = Transcript(box, ids, style=style)
    t.prompt()
    given = {"file_path": P + "/a", "content": "x"}
    tid = t.call("Write", given, requestedModel="opus-9",
                 attributionAgent="writer")
    t.result(tid, permissionDecision={"decision": "accept",
                                      "source": "user_temporary",
                                      "reasonCode": "unknown"})
    names = ("requestedModel", "agentType", "permission", "commit")

    def notes(change):
        with box.rpc() as rpc:
            reply = rpc.call("change.get", change=change)
        return tuple(reply[n] for n in names)

    eq(notes(tid), ("opus-9", "writer",
                    {"decision": "accept", "source": "user_temporary",
                     "reason": "unknown"}, None))
    run = t.call("Bash", {"command": "echo x > b && git commit -am b"})
    t.result(run, {"stdout": "", "gitOperation": {"commit": {
        "sha": "ad34146", "kind": "committed", "branch": "main"}}},
        permissionDecision={"decision": "accept", "source": "config",
                            "reasonType": "mode"})
    eq(notes(run), (None, None,
                    {"decision": "accept", "source": "config",
                     "reason": "mode"},
                    {"sha": "ad34146", "branch": "main",
                     "kind": "committed"}))
    for change, said in (
            (tid, "permission: accept, by user_temporary, "
             "requested model: opus-9"),
            (run, "permission: accept, by config, commit: ad34146, "
             "branch: main")):
        note = box.run("diff", change).stderr.splitlines()[0]
        eq(note, "ccfc: note: " + said)
    for odd in ({"permissionDecision": "yes"}, {"permissionDecision": {}},
                {"toolUseResult": {"gitOperation": {"commit": "x"}}}):
        tid = t.call("Write", given)
        t.result(tid, **odd)
        eq(notes(tid), (None,) * 4, odd)


if __name__ == "__main__":
    harness.main()
