"""ccfc show: its sections and formats, on made-up sessions and on all of the
recordings."""
import json
import os
import re

import harness
from cli import on_terminal
from corpus import roots
from export import Page
from harness import Box, append, eq
from recordings import by_version
from transcript import Ids, Transcript

P = "/home/dev/p"
AGENT = "a1b2c3d4e5f6a7b8c"
SECTIONS = ("--messages", "--timeline", "--tools", "--files", "--tasks",
            "--tree")
TODOS = [{"content": "look", "status": "completed", "activeForm": "Looking"},
         {"content": "fix it", "status": "in_progress", "activeForm": "Fixing"},
         {"content": "test", "status": "pending", "activeForm": "Testing"}]


class Filled(Box):
    """A session with tools, tasks, an agent, an error and two branches."""

    def __init__(self):
        super().__init__()
        ids = Ids(8)
        t = self.t = Transcript(self, ids, version="2.1.150")
        t.prompt("please fix\nthe \x1b[31mparser")
        t.blocks({"type": "thinking", "thinking": "hm, a parser",
                  "signature": "x"})
        t.text("I look first.")
        read = t.call("Read", {"file_path": P + "/src/a.ts"})
        t.result(read, {"type": "text", "file": {
            "filePath": P + "/src/a.ts", "content": "x", "numLines": 1,
            "startLine": 1, "totalLines": 1}},
            "\n".join(f"line {i}" for i in range(1, 129)))
        t.edit(P + "/src/a.ts", "old", "new")
        bad = t.call("Bash", {"command": "make test\nmake more"})
        t.result(bad, "Error: boom", "boom", error=True)
        todo = t.call("TodoWrite", {"todos": TODOS})
        t.result(todo, {"oldTodos": [], "newTodos": TODOS})
        task = t.call("Task", {"description": "look around", "prompt": "go",
                               "subagent_type": "Explore"})
        a = self.a = Transcript(
            self, ids, session=t.session, agent=AGENT, version="2.1.150",
            path=os.path.join(self.project(), t.session, "subagents",
                              f"agent-{AGENT}.jsonl"))
        a.prompt("go")
        a.text("the agent speaks")
        t.result(task, {"status": "completed", "agentId": AGENT,
                        "agentType": "Explore", "content": []}, "found it")
        self.fork = t.parent
        t.prompt("first way")
        t.text("one")
        t.parent = self.fork
        self.second = json.loads(t.prompt("second way"))["uuid"]
        t.text("two")
        self.start()

    def show(self, *more):
        return self.ok("show", self.t.session, *more)


def rows(text):
    return [json.loads(x) for x in text.splitlines()]


def test_overview():
    with Filled() as box:
        text = box.show()
        for want in (box.t.session, "Project:", P, "Branch:", "main",
                     "Period:", "Work:", "1 agent", "1 error",
                     "[x] look", "[~] fix it", "[ ] test", "TOOL", "CALLS",
                     "Edit", "Modified (1 file)", "src/a.ts", "1 change",
                     "Read (1 file)", "messages shows all", "second way"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert "\x1b" not in text


def test_messages():
    with Filled() as box:
        text = box.show("--messages")
        for want in ("── user 2025-12-10 10:00:01 ──\nplease fix\n",
                     "the \x1b[31mparser", "I look first.",
                     "  Read src/a.ts\n    line 1\n",
                     "    … 120 more lines\n", "  Edit src/a.ts\n",
                     "  Bash make test …\n  error:\n    boom\n",
                     "  TodoWrite 3 tasks", "  Task look around\n",
                     "    agent " + AGENT + " (Explore): look around\n",
                     "    the agent speaks\n"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert "hm, a parser" not in text
        assert text.index("Task look") < text.index("the agent speaks") < \
            text.index("found it"), "the agent is below its call"
        assert "  hm, a parser\n" in box.show("--messages", "--thinking")
        eq(len(re.findall("^── user", text, re.M)), 3, "heads of prompts")


def test_narrowed():
    with Filled() as box:
        text = box.show("--role=user", "--limit=1")
        assert "please fix" in text and "I look" not in text
        text = box.show("--messages", "--limit=2", "--offset=2")
        assert "I look first." in text and "please fix" not in text
        text = box.show(f"--agent={AGENT}")
        assert "the agent speaks" in text and "please" not in text
        text = box.show(f"--message={box.second[:8]}", "--limit=3")
        assert ">>── user" in text and "second way" in text
        assert "please fix" not in text
        got = box.json("show", box.t.session, f"--message={box.second}",
                       "--limit=3")
        assert box.second in [m["id"] for m in got["messages"]]
        eq(len(got["messages"]), 3)


def test_timeline():
    with Filled() as box:
        text = box.show("--timeline")
        for want in ("2025-12-10\n", "  10:00:01  prompt      please fix …\n",
                     "tool_call   Read src/a.ts\n",
                     "tool_result error: boom\n", f"[{AGENT[:8]}] "):
            assert want in text, f"{want!r} is not in\n{text}"
        eq(len(rows(box.show("--timeline", "--format=jsonl"))),
           box.json("show", box.t.session, "--timeline")["totalEvents"])


def test_tree():
    with Filled() as box:
        text = box.show("--tree")
        for want in ("(2 branches)", "├─ user 10:00", "└─ user 10:00",
                     "first way", "second way"):
            assert want in text, f"{want!r} is not in\n{text}"
        env = dict(box.env, LC_ALL="C")
        text = box.ok("show", box.t.session, "--tree", env=env)
        assert "|- user" in text and "`- user" in text and "├" not in text


def test_tree_of_agents_and_branches():
    """Agents hang beside branches; the corner is the last one's."""
    with Box() as box:
        t = Transcript(box, Ids())
        t.prompt("start")
        t.blocks({"type": "tool_use", "id": "toolu_1", "name": "Task",
                  "input": {"prompt": "one"}},
                 {"type": "tool_use", "id": "toolu_2", "name": "Task",
                  "input": {"prompt": "two"}})
        call = t.parent
        for name, text in (("a1", "one"), ("a2", "two")):
            agent = Transcript(box, t.ids, session=t.session, agent=name)
            agent.prompt(text)
            agent.text(f"{text} done")
        t.prompt("left")
        t.parent = call
        t.prompt("right")
        late = Transcript(box, t.ids, session=t.session)
        late.call("Task", {"prompt": "three"}, parentUuid=t.parent)
        late.prompt("on")
        agent = Transcript(box, t.ids, session=t.session, agent="a3")
        agent.prompt("three")
        box.start()
        drawn = re.sub(r" \d\d:\d\d:\d\d", "",
                       box.ok("show", t.session, "--tree"))
        eq(drawn.splitlines(), [
            "user start", "assistant [Task, Task] (2 branches)",
            "├─ user agent a1 one", "│  assistant agent a1 one done",
            "├─ user agent a2 two", "│  assistant agent a2 two done",
            "├─ user left", "└─ user right", "   assistant [Task]",
            "   user on", "   └─ user agent a3 three"], "tree")


def test_files():
    with Filled() as box:
        both = box.show("--files")
        assert "Modified (1 file)" in both and "Read (1 file)" in both
        eq(box.show("--files=all"), both)
        assert "Read (" not in box.show("--files=modified")
        assert "Modified (" not in box.show("--files=read")
        got = box.json("show", box.t.session, "--files")
        eq(got["modified"]["files"][0]["path"], P + "/src/a.ts")
        eq(got["read"]["files"][0]["readCount"], 1)
        eq(box.json("show", box.t.session, "--files=read")["totalReads"], 1)
        eq(len(rows(box.show("--files", "--format=jsonl"))), 2)


def test_json_is_the_reply():
    with Filled() as box, box.rpc() as rpc:
        sid = box.t.session
        drop = ("clock", "scannedBytes", "offset")

        def same(got, want):
            for key in drop:
                got.pop(key, None)
                want.pop(key, None)
            eq(got, want)

        same(box.json("show", sid), rpc.call("session.get", session=sid))
        for option, method in (("--messages", "session.messages"),
                               ("--timeline", "session.timeline"),
                               ("--tree", "session.tree")):
            same(box.json("show", sid, option),
                 rpc.call(method, session=sid, limit=1000))
        info = rpc.call("session.get", session=sid)
        eq(box.json("show", sid, "--tasks"),
           {"sessionId": sid, "tasks": info["tasks"]})
        several = box.json("show", sid, "--tasks", "--tools", "--messages")
        eq(sorted(several), ["messages", "tasks", "tools"])
        eq(several["tools"]["tools"], info["tools"])
        eq(several["messages"]["totalMessages"], info["totalMessages"])


def test_markdown():
    with Filled() as box:
        text = box.show("--format=markdown")
        for want in ("# ", "## Tasks\n\n- [x] look\n", "## Tools",
                     "| Edit | 1 | 0 |", "## Messages", "### user, 2025-"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert box.show("--tree", "--format=markdown").count("```") == 2


def test_nothing():
    with Box() as box:
        t = Transcript(box, Ids(2))
        t.prompt("hello")
        box.start()
        for option in ("--tasks", "--tools", "--files", "--role=tool"):
            done = box.run("show", t.session, option)
            eq(done.returncode, 1, option)
            eq(done.stdout, "", option)
            assert "nothing found" in done.stderr, done.stderr
        eq(box.run("show", "ffffff").returncode, 1)
        eq(box.run("show", t.session, "--agent=nobody").returncode, 1)
        eq(box.run("show", t.session, "--message=ffffffff").returncode, 1)
        eq(box.run("show", t.session, "--files=some").returncode, 2)
        eq(box.run("show", t.session, "--role=x").returncode, 2)
        assert "hello" in box.ok("show", t.session[:6])
        assert "hello" in box.ok("show", t.path)


BAD = "\x1b]0;pwned\x07 \x1b[31m \u009b31m \u202e \r"


def test_control_characters_on_a_terminal():
    with Box() as box:
        t = Transcript(box, Ids(6), branch="b" + BAD)
        t.prompt("prompt " + BAD)
        t.blocks({"type": "thinking", "thinking": BAD, "signature": "x"})
        tid = t.call("Bash" + BAD, {"command": "ls " + BAD, BAD: BAD})
        t.result(tid, None, "out\n" + BAD, error=True)
        t.edit(P + "/a" + BAD, "x", "y" + BAD)
        todo = t.call("TodoWrite", {"todos": [
            {"content": BAD, "status": "pending", "activeForm": BAD}]})
        t.result(todo, {})
        box.start()
        every = [["show", t.session, *SECTIONS, "--thinking", f"--format={f}"]
                 for f in ("text", "markdown", "json", "jsonl")]
        every += [["export", t.session, "--thinking", f"--format={f}"]
                  for f in ("markdown", "json", "html")]
        for args in [["show", t.session], *every]:
            text = on_terminal(box, *args, "--no-pager",
                               more={"NO_COLOR": "1"})
            assert b"prompt" in text, (args, text)
            for bad in (b"\x1b", b"\x07", "\u009b".encode(),
                        "\u202e".encode(), b"\r "):
                assert bad not in text, (args, bad, text)
        assert BAD in box.ok("show", t.session, "-m"), "exact elsewhere"
        got = box.json("show", t.session, "-m")
        eq(got["messages"][0]["content"], "prompt " + BAD)


def test_pager():
    """A long answer goes to the pager page by page, and may be left."""
    with Box() as box:
        t = Transcript(box, Ids(9))
        t.live = False
        for i in range(500):
            t.prompt(f"number {i} " + "x" * 400)
        append(t.path, b"".join(t.lines))
        box.start()
        text = on_terminal(box, "show", t.session, "-m",
                           more={"CCFC_PAGER": "sed 's/number/NUMBER/'"})
        eq(len(re.findall(rb"NUMBER \d+", text)), 500)
        text = on_terminal(box, "show", t.session, "-m",
                           more={"CCFC_PAGER": "head -n 3"})
        assert b"number 0" in text and b"number 9" not in text
        assert b"ccfc:" not in text, text


def test_long():
    """Many pages come in order, each message once."""
    with Box() as box:
        t = Transcript(box, Ids(4))
        t.live = False
        for i in range(701):
            t.prompt(f"number {i}")
        append(t.path, b"".join(t.lines))
        box.start()
        want = [f"number {i}" for i in range(701)]
        for form in ("text", "markdown"):
            text = box.ok("show", t.session, "-m", f"--format={form}")
            eq(re.findall(r"^number \d+$", text, re.M), want, form)
        got = box.json("show", t.session, "-m")
        eq([m["content"] for m in got["messages"]], want)
        got = rows(box.ok("show", t.session, "-m", "--format=jsonl",
                          "--offset=10", "--limit=450"))
        eq([m["content"] for m in got], want[10:460])
        eq(len(rows(box.ok("show", t.session, "-t", "--format=jsonl"))), 701)
        eq(len(rows(box.ok("show", t.session, "--tree", "--format=jsonl"))),
           701)
        assert "number 690\n" not in box.ok("show", t.session)
        assert "number 691\n" in box.ok("show", t.session)


def test_recordings():
    """Every section of recorded sessions in every format: each eighth of a
    version, all of them in a soak."""
    step = 1 if os.environ.get("CCFC_SOAK") else 8
    for every in by_version().values():
        with Box() as box:
            for scenario in every:
                box.roots += roots(scenario)
            box.start()
            for sid in sorted(box.dump().sessions)[::step]:
                check(box, sid)


def check(box, sid):
    assert sid in box.ok("show", sid, *SECTIONS, "--format=json")
    for form in ("text", "markdown"):
        done = box.run("show", sid, *SECTIONS, f"--format={form}")
        assert done.returncode in (0, 1), done.stderr
    got = json.loads(box.ok("export", sid, "--format=json", "--redact"))
    eq(len(got["messages"]), got["session"]["totalMessages"], sid)
    assert len(got["agents"]) >= got["session"]["agents"]["count"], sid
    Page(box.ok("export", sid, "--format=html", "--thinking"))


if __name__ == "__main__":
    harness.main()
