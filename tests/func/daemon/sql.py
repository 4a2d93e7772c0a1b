"""Users' own SQL: the queries of ccfc-sql(7) against what other commands say,
the formats, and queries that mean no good."""
import csv
import ctypes
import io
import json
import os
import random
import re
import signal
import subprocess

import harness
from corpus import roots, scenarios
from harness import LIMIT, Box, RpcError, eq
from shell_changes import SCENARIOS
from shell_changes import corpus as commands
from shell_states import hunk, noted
from transcript import Ids, Transcript, stamp

PAGE = os.path.join(harness.TOP, "packaging", "man", "ccfc-sql.7.scd")
ENDLESS = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT count(*) FROM n")


def page():
    with open(PAGE, encoding="utf-8") as f:
        return f.read()


def queries():
    """The page's queries, by what it says of each."""
    found = re.findall(r"^([^\n]+):\n\n; example: sql\n```\n(.*?)\n```$", page(),
                       re.M | re.S)
    return dict(found)


class Recordings(Box):
    def __init__(self):
        super().__init__(
            roots=[r for s in scenarios() for r in roots(s)] +
            [os.path.join(commands(), s, "claude") for s in SCENARIOS])

    def __enter__(self):
        super().__enter__()
        self.start()
        return self

    def sql(self, query):
        """The names of the columns, and a map for each row."""
        reply = self.json("sql", query, "--limit=100000")
        eq(reply["truncated"], False, "truncated")
        return reply["columns"], [dict(zip(reply["columns"], r, strict=True))
                                  for r in reply["rows"]]

    def stats(self, **options):
        with self.rpc() as rpc:
            return rpc.call("stats.get", limit=100000, **options)


def by(rows, key, *fields):
    return {r[key] or "unknown": tuple(r[f] or 0 for f in fields)
            for r in rows}


# What each query of the page has to say: its columns, and a check.

def most_changed(box, rows):
    want = box.stats(by="file")["rows"]
    want.sort(key=lambda r: (-r["changes"], r["key"]))
    eq([(r["path"], r["changes"], r["sessions"]) for r in rows],
       [(r["key"], r["changes"], r["sessions"]) for r in want[:10]])


def each_day(box, rows):
    want = [r for r in box.stats(by="day")["rows"] if r["changes"]]
    eq(by(rows, "day", "changes", "added", "removed"),
       by(want, "key", "changes", "linesAdded", "linesRemoved"))
    eq([r["day"] for r in rows],
       sorted((r["day"] for r in rows), reverse=True), "newest first")


def tokens_by_model(box, rows):
    want = {r["key"]: (r["messages"], r["tokenUsage"]["input"],
                       r["tokenUsage"]["output"], r["tokenUsage"]["cacheRead"])
            for r in box.stats(by="model")["rows"] if r["messages"]}
    eq(by(rows, "model", "messages", "input", "output", "cached"), want)


def tokens_by_project(box, rows):
    stats = box.stats(by="project")
    want = {r["key"]: r["tokenUsage"]["output"]
            for r in stats["rows"] if r["messages"]}
    eq({r["project_path"] or "unknown": r["output"] for r in rows}, want)
    eq(sum(r["agents"] or 0 for r in rows),
       stats["totals"]["agents"]["tokenUsage"]["output"], "of agents")


def failing_tools(box, rows):
    want = [r for r in box.stats(by="tool")["rows"] if r["toolCalls"]]
    eq(by(rows, "tool", "calls", "errors"),
       by(want, "key", "toolCalls", "errors"))
    for r in rows:
        eq(r["percent"], round(100 * r["errors"] / r["calls"], 1), r["tool"])


def longest(box, rows):
    every = box.json("sessions", "--limit=100000")["sessions"]
    known = {s["id"]: s for s in every}
    eq(len(rows), 10)
    eq(rows[0]["minutes"],
       int(max(s["durationSeconds"] or 0 for s in every)) // 60)
    for r in rows:
        s = known[r["session_id"]]
        eq((r["messages"], r["changes"]),
           (s["messageCount"], s["totalChanges"]), r["session_id"])


def several_sessions(box, rows):
    want = {r["key"]: r["sessions"] for r in box.stats(by="file")["rows"]
            if r["sessions"] > 1}
    eq({r["path"]: r["sessions"] for r in rows}, want)
    for r in rows:
        eq(len(r["who"].split(",")), r["sessions"], r["path"])


def never_changed(box, rows):
    changed = {r["key"] for r in box.stats(by="file")["rows"]}
    with box.rpc() as rpc:
        for r in rows:
            if r["path"] in changed:
                raise AssertionError(f"{r['path']} was changed")
            readers = rpc.call("file.readers", path=r["path"], limit=100000)
            eq((r["reads"], r["sessions"]),
               (readers["totalReads"], readers["totalSessions"]), r["path"])


def no_effect(box, rows):
    want = {}
    for change in box.dump().changes:
        if change["state"] != "applied":
            key = change["state"]
            want[key] = want.get(key, 0) + 1
    got = {}
    for r in rows:
        got[r["state"]] = got.get(r["state"], 0) + r["changes"]
    eq(got, want)


def last_changes(box, rows):
    want = {}
    for change in box.dump().changes:
        if change["state"] == "applied":
            was = want.get(change["path"], "")
            want[change["path"]] = max(was, change["timestamp"])
    eq({r["path"]: r["time_utc"] for r in rows}, want)


def how_known(box, rows):
    want = {}
    for c in box.dump().changes:
        if c["state"] == "applied":
            want.setdefault(c["evidence"], []).append(c["path"])
    eq(by(rows, "evidence", "changes", "files"),
       {k: (len(v), len(set(v))) for k, v in want.items()})
    eq({r["evidence"] for r in rows},
       {"result", "recorded", "parsed", "ambiguous"})


def ambiguous(box, rows):
    want = []
    for s in box.json("sessions", "--limit=1000")["sessions"]:
        for f in told(box, s["id"]):
            want += [(f["path"], s["id"][:8], c["command"],
                      o["sessionId"][:8], o["command"])
                     for c in f["changes"] for o in c.get("candidates", ())]
    eq(sorted(tuple(r.values()) for r in rows), sorted(want))


CHECKS = {
    "The files that were changed most":
        (most_changed, "path changes sessions last_modified_utc"),
    "What was changed on each day": (each_day, "day changes added removed"),
    "Tokens by model":
        (tokens_by_model, "model messages input output cached"),
    "Tokens by project, those of subagents apart":
        (tokens_by_project, "project_path sessions output agents"),
    "How often each tool fails":
        (failing_tools, "tool calls errors percent"),
    "The longest sessions":
        (longest, "session_id title minutes messages changes"),
    "Files that more than one session changed":
        (several_sessions, "path sessions who"),
    "Files that are read again and again, and never changed":
        (never_changed, "path reads sessions"),
    "Changes that did not take effect": (no_effect, "state tool changes"),
    "The last change of each file, and who made it":
        (last_changes, "path time_utc tool session_id model"),
    "Changes by tools and by commands of shells, by how they are known":
        (how_known, "evidence changes files commands"),
    "Ambiguous changes, and the commands that may have made them":
        (ambiguous, "path session command other other_command"),
}


def test_queries():
    found = queries()
    eq(sorted(found), sorted(CHECKS), "queries of the page")
    with Recordings() as box:
        for title, query in found.items():
            check, names = CHECKS[title]
            columns, rows = box.sql(query)
            eq(columns, names.split(), title)
            if not rows:
                raise AssertionError(f"{title}: no row")
            try:
                check(box, rows)
            except AssertionError as e:
                raise AssertionError(f"{title}: {e}") from e


def test_page_has_the_views():
    """Each view, each column, its type and what it is, in order."""
    text = page()
    views = re.split(r"^## ", text[text.index("# VIEWS"):
                                   text.index("# QUERIES")], flags=re.M)
    got = []
    for view in views[1:]:
        name, about, rest = view.split("\n\n", 2)
        got.append({"name": name, "about": about, "columns": [
            {"name": n, "type": t, "about": a} for n, t, a in
            re.findall(r"^\*(\w+)\* \((\w+)\)\n\t(.+)$", rest, re.M)]})
    with Box() as box:
        box.start()
        want = box.json("sql", "--schema")
        lines = box.ok("sql", "--schema", "--format=jsonl").splitlines()
        human = box.ok("sql", "--schema")
    eq([json.loads(x) for x in lines], want["views"])
    for view in want["views"]:
        if f"{view['name']}: {view['about']}\n" not in human:
            raise AssertionError(human)
        view["about"] = view["about"][0].upper() + view["about"][1:] + "."
    eq(got, want["views"])


def test_views_are_as_sessions():
    """The view of sessions says what session.list says."""
    with Recordings() as box:
        _, rows = box.sql("SELECT * FROM sessions")
        want = {s["id"]: s for s in
                box.json("sessions", "--limit=100000")["sessions"]}
        eq(sorted(r["session_id"] for r in rows), sorted(want))
        for r in rows:
            s = want[r["session_id"]]
            u = s["tokenUsage"]
            # A listing has titles on one line.
            title = r["title"] and " ".join(r["title"].split())
            eq([title, r["project_path"] or None, r["start_utc"],
                r["end_utc"],
                r["changes"], r["messages"], r["agent_messages"],
                r["input_tokens"], r["output_tokens"],
                r["cache_creation_input_tokens"],
                r["cache_read_input_tokens"]],
               [s["title"], s["projectPath"], s["startTime"], s["endTime"],
                s["totalChanges"], s["messageCount"],
                s["agents"]["messageCount"], u["input"], u["output"],
                u["cacheWrite"], u["cacheRead"]], r["session_id"])


def test_titles():
    """The title of a session's own transcript, whatever others call it."""
    with Box() as box:
        ids = Ids()
        own = Transcript(box, ids)
        other = Transcript(box, ids, path=os.path.join(
            box.projects, "-home-dev-p", ids.uuid() + ".jsonl"),
            session=own.session)
        for t, title in ((own, "aaa"), (other, "zzz")):
            t.prompt("first")
            t.emit({"type": "custom-title", "customTitle": title,
                    "sessionId": own.session})
        box.start()
        eq(box.json("sessions")["sessions"][0]["title"], "aaa")
        eq(box.json("sql", "SELECT title FROM sessions")["rows"], [["aaa"]])


def test_titles_of_the_same_time():
    """Neither of the transcripts is the session's own, and both say when."""
    with Box() as box:
        ids = Ids()
        folder = os.path.join(box.projects, "-home-dev-p")
        session = ids.uuid()
        for title in ("aaa", "zzz", "mmm"):
            t = Transcript(box, Ids(), session=session,
                           path=os.path.join(folder, ids.uuid() + ".jsonl"))
            t.prompt("first")
            t.emit({"type": "custom-title", "customTitle": title,
                    "sessionId": session})
        box.start()
        eq(box.json("sessions")["sessions"][0]["title"], "zzz")
        eq(box.json("sql", "SELECT title FROM sessions")["rows"], [["zzz"]])


def test_views_are_as_the_dump():
    """The view of changes says what index.dump says."""
    with Recordings() as box:
        _, rows = box.sql("SELECT * FROM changes ORDER BY id")
        want = {}
        for c in box.dump().changes:
            want[c["toolUseId"], c["path"]] = [
                c["sessionId"], c["tool"], c["state"], c["operation"],
                c["agentId"], c["model"], c["timestamp"], c["linesAdded"],
                c["linesRemoved"]]
        got = {(r["tool_use_id"].split("#")[0], r["path"]): [
            r["session_id"], r["tool"], r["state"], r["operation"],
            r["agent_id"], r["model"], r["time_utc"], r["lines_added"],
            r["lines_removed"]] for r in rows}
        eq(len(got) > 900, True, f"{len(got)} changes")
        differ = [(k, got.get(k), v) for k, v in want.items()
                  if got.get(k) != v]
        eq(differ[:3], [])
        eq(len(got), len(want))


def told(box, session):
    """The files of a session, with all of its changes."""
    with box.rpc() as rpc:
        return rpc.call("session.files", session=session,
                        states=["all"])["files"]


# Commands that have the name of a.txt, and some that only seem to.
TEXTS = ("make a.txt", "make", "./a.txt.sh", "./xa.txt", "./gen 'a.txt'.",
         "./gen a.txt.bak", "./gen é a.txt", "./gen éa.txt", "./a.txté",
         "./gen xa.txt a.txt", "./gen d/a.txt", "./gen .a.txt", "./gen a-txt",
         "echo x > a.txt", "./gen -a.txt", "./gen a.txt-", "./gen b.txt",
         "./gen " + "x" * 300 + " a.txt", "sleep 1")


class Crowd(Box):
    """Sessions, and agents of one, whose commands run at the same time."""

    def __init__(self, seed):
        super().__init__()
        ids = Ids(seed)
        self.random = random.Random(seed)
        self.spread = self.random.choice((20000, 20000, 4000000, 40000000))
        one, two = Transcript(self, ids), Transcript(self, ids)
        agent = Transcript(self, ids, session=one.session, agent="abc123")
        self.threads = [one, two, agent]
        for t in self.threads:
            t.prompt()
        for _ in range(self.random.randrange(2, 30)):
            self.act(self.random.choice(self.threads))

    def act(self, t):
        pick = self.random.random
        # Close together; or hours apart, and some of them as long.
        start = 1765000000000 + self.random.randrange(self.spread)
        end = start + self.random.randrange(-50, self.spread // 4)
        path = t.cwd + self.random.choice(("/a.txt", "/d/a.txt", "/b.txt"))
        at = {"timestamp": stamp(start)} if pick() < 0.95 else \
            {"timestamp": None}
        if pick() < 0.1:
            tid = t.call("Write", {"file_path": path, "content": "x"}, **at)
            t.result(tid, {"type": "create", "filePath": path, "content": "x",
                           "structuredPatch": []}, timestamp=stamp(end))
            return
        tid = t.call("Bash", {"command": self.random.choice(TEXTS)}, **at)
        if pick() < 0.1:
            return
        detail = {"stdout": "", "stderr": "", "interrupted": False}
        if pick() < 0.7:
            detail["bashEditDiff"] = {
                "files": [noted(path, hunk("-x", "+y"))], "moreFiles": 0,
                "changedFiles": [path], "shared": pick() < 0.2}
        if pick() < 0.1:
            detail["backgroundTaskId"] = "b1"
        t.result(tid, detail, error=pick() < 0.1, timestamp=stamp(end))


def as_lists_have_it(box, sessions, why):
    """The views have each change with the evidence and the candidates of the
    lists. Returns the evidence of each change.
    """
    want, others = {}, []
    for session in sessions:
        for f in told(box, session):
            for c in f["changes"]:
                want[c["changeId"]] = (c["evidence"], c["command"])
                others += [(c["changeId"], o["changeId"], o["sessionId"],
                            o["agentId"], o["tool"], o["command"],
                            o["timestamp"])
                           for o in c.get("candidates", ())]
    with box.rpc() as rpc:
        got = rpc.call("sql.query", query="SELECT tool_use_id, evidence, "
                       "command FROM changes")["rows"]
        eq({r[0]: tuple(r[1:]) for r in got}, want, why)
        got = rpc.call(
            "sql.query", query="SELECT tool_use_id, other_tool_use_id, "
            "other_session_id, other_agent_id, other_tool, other_command, "
            "other_time_utc FROM candidates")["rows"]
    eq(sorted(map(str, map(tuple, got))), sorted(map(str, others)), why)
    return [evidence for evidence, _ in want.values()]


def test_whose_else_it_may_be():
    """The views know ambiguous changes by the same rules as the index."""
    seen = set()
    for seed in range(12):
        with Crowd(seed) as box:
            box.start()
            seen |= set(as_lists_have_it(
                box, [t.session for t in box.threads[:2]], seed))
    eq(sorted(seen), ["ambiguous", "parsed", "recorded", "result"])


ODD = ("SELECT 'a,b' AS \"x,y\", 'say \"hi\"' AS q, 'two' || char(13, 10) || "
       "'lines' AS n, NULL AS none, '' AS empty, 2.5 AS real, "
       "9007199254740993 AS big, x'00ff' AS bytes, char(27) || '[2J' AS esc, "
       "1 AS q")


def test_formats():
    with Box() as box:
        box.start()
        raw = box.run("sql", ODD, "--format=csv", text=False)
        eq(raw.stdout.count(b"\r\n"), 3)
        eq(raw.stdout.endswith(b",1\r\n"), True)
        eq(b',,"",2.5,' in raw.stdout, True, "NULL and empty differ")
        text = io.StringIO(raw.stdout.decode(), newline="")
        eq(list(csv.reader(text)),
           [["x,y", "q", "n", "none", "empty", "real", "big", "bytes", "esc",
             "q"],
            ["a,b", 'say "hi"', "two\r\nlines", "", "", "2.5",
             "9007199254740993", "x'00ff'", "\x1b[2J", "1"]])
        row = json.loads(box.ok("sql", ODD, "--format=jsonl"))
        eq(row, {"x,y": "a,b", "q": 'say "hi"', "n": "two\r\nlines",
                 "none": None, "empty": "", "real": 2.5,
                 "big": 9007199254740993, "bytes": {"base64": "AP8="},
                 "esc": "\x1b[2J", "q_2": 1})
        reply = box.json("sql", ODD)
        eq(reply["rows"], [[*row.values()]])
        eq(reply["columns"].count("q"), 2)
        table = box.ok("sql", ODD)
        eq("\x1b" in table, False, "control characters")
        eq("^[[2J" in table and "two^M^Jlines" in table, True, table)
        evil = box.ok("sql", "SELECT 1 AS \"\x1b[31mred\"")
        eq("\x1b" in evil, False, "in names of columns")


def test_command_line():
    with Box() as box:
        box.start()
        none = box.run("sql", "SELECT 1 WHERE 0")
        eq((none.returncode, none.stdout, none.stderr), (1, "", ""))
        eq(box.run("sql", "SELECT 1 AS a WHERE 0", "--format=csv").stdout,
           "a\r\n")
        bad = box.run("sql", "SELEC 1")
        eq((bad.returncode, bad.stdout), (2, ""))
        eq('near "SELEC": syntax error' in bad.stderr, True, bad.stderr)
        bad = box.run("sql", "SELECT * FROM t_meta")
        eq("hint: ccfc sql --schema" in bad.stderr, True, bad.stderr)
        for args in ([], ["--schema", "SELECT 1"], ["SELECT 1", "x"],
                     ["SELECT 1", "--limit=0"], ["--schema", "--format=csv"]):
            eq(box.run("sql", *args).returncode, 2, str(args))
        more = box.run("sql", "--limit=2", "SELECT 1 UNION SELECT 2 UNION "
                       "SELECT 3", "--format=jsonl")
        eq((more.returncode, len(more.stdout.splitlines())), (0, 2))
        eq("more than these 2 rows" in more.stderr, True, more.stderr)
        done = subprocess.run(
            [box.ccfc, "sql", "-", "--format=csv"], env=box.env, check=True,
            input=b"-- of a file\nSELECT 7 AS n;\n", capture_output=True,
            timeout=LIMIT)
        eq(done.stdout, b"n\r\n7\r\n")


def test_sees_what_was_written():
    with Box() as box:
        box.start()
        s = Transcript(box, Ids())
        for n in range(1, 4):
            s.edit(f"/home/dev/p/f{n}.py")
            eq(box.json("sql", "SELECT count(*) FROM changes "
                        "WHERE state = 'applied'")["rows"], [[n]])


HOSTILE = (
    "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1",
    "ATTACH 'evil.db' AS e", "VACUUM INTO 'evil.db'", "DELETE FROM t_change",
    "DROP VIEW sessions", "INSERT INTO t_meta VALUES('x', 1)",
    "CREATE TEMP TABLE e(x)", "SELECT 1; DELETE FROM t_change",
    "SELECT load_extension('evil')", "SELECT readfile('/etc/passwd')",
    "SELECT writefile('evil', 'x')", "SELECT * FROM fsdir('/')",
    "SELECT * FROM t_source", "SELECT * FROM sqlite_master",
    "WITH sessions AS (SELECT * FROM t_source) SELECT * FROM sessions",
    "SELECT zeroblob(2000000000)", "SELECT randomblob(1000000000)",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000, "SELECT \0", b"\x80\xff",
    "SELECT 1" + ", 1" * 5000,
    "SELECT 1" + " UNION ALL SELECT 1" * 3000, "x" * 900000,
    "SELECT printf('%.*c', 2147483647, 'x')",
    "SELECT format('" + "%.2147483647c" * 2000 + "', 'x')",
    "SELECT printf('%2147483647d%-2147483647s', 1, 2)",
    ENDLESS.replace("count(*)", "randomblob(500000)") + " ORDER BY 1",
)


def everything(top):
    return sorted(os.path.join(d, f) for d, _, names in os.walk(top)
                  for f in names)


def test_hostile():
    with Box() as box:
        # Whose files come when there is time.
        box.without_archive()
        box.start()
        Transcript(box, Ids()).edit("/home/dev/p/a.py")
        before = box.ok("index", "--dump")
        files = everything(box.top)
        with box.rpc() as rpc:
            for query in HOSTILE:
                try:
                    rpc.call("sql.query", query=query)
                except RpcError as e:
                    if e.code not in ("invalid", "too-big"):
                        raise AssertionError(f"{query[:60]}: {e}") from e
                else:
                    raise AssertionError(f"{query[:60]}: was answered")
            eq(rpc.call("sql.query", query="SELECT 1")["rows"], [[1]])
            for wrong in ({}, {"query": ""}, {"query": 1},
                          {"query": "SELECT 1", "limit": 0},
                          {"query": "SELECT 1", "path": "/"}):
                try:
                    rpc.call("sql.query", **wrong)
                except RpcError as e:
                    eq(e.code, "invalid", str(wrong))
                else:
                    raise AssertionError(f"{wrong} was taken")
        eq(everything(box.top), files, "files")
        eq(box.ok("index", "--dump"), before)
        box.restart()
        eq(box.ok("index", "--dump"), before)


def test_large_answer_is_cut():
    with Box() as box:
        box.start()
        with box.rpc() as rpc:
            reply = rpc.call(
                "sql.query", limit=100000, query=ENDLESS.replace(
                    "count(*)", "hex(zeroblob(400000))"))
            eq(reply["truncated"], True)
            size = sum(len(r[0]) for r in reply["rows"])
            eq(63 << 20 < size <= 64 << 20, True, str(size))
        query = ENDLESS.replace("count(*)", "hex(zeroblob(400000))")
        for limit, word in ((), "LIMIT and OFFSET"), (["--limit=2"], "--limit=N"):
            done = box.run("sql", "--format=jsonl", *limit, query)
            eq((done.returncode, word in done.stderr), (0, True), done.stderr)


def test_goes_on_beside_a_long_query():
    """Two that never end: others are answered, and files are taken in."""
    with Box() as box:
        box.start()
        s = Transcript(box, Ids())
        with box.rpc() as one, box.rpc() as two, box.rpc() as other:
            one.post("sql.query", {"query": ENDLESS})
            two.post("sql.query", {"query": ENDLESS})
            s.edit("/home/dev/p/a.py")
            eq(other.call("file.sessions", path="/home/dev/p/a.py")
               ["totalSessions"], 1)
            waits = other.post("sql.query",
                               {"query": "SELECT path FROM changes"})
            # Nobody waits for the time limit of a query, which is longer
            # than the harness waits (CCFC_PATIENCE).
            one.close()
            eq(other.reply(waits)["rows"], [["/home/dev/p/a.py"]])
            box.stop()
        box.start()


# Numbers of a million digits: SQLite is seldom anywhere else.
DIGITS = ("WITH RECURSIVE t(a) AS MATERIALIZED (SELECT hex(zeroblob(500000))),"
          " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) "
          "FROM t, n WHERE max(" + ", ".join(["-a"] * 31) + ") > i")
ONE_ROW = ("WITH t(a) AS MATERIALIZED (SELECT hex(zeroblob(500000))) SELECT "
           + ", ".join(["max(" + ", ".join(["-a"] * 31) + ")"] * 50)
           + " FROM t")


def test_leaves_a_worker():
    """Many that never end, of several clients: a grep is answered, and so
    is a regex; and the daemon ends."""
    with Box() as box:
        box.start()
        s = Transcript(box, Ids())
        s.prompt("a needle")
        asking = [box.rpc() for _ in range(6)]
        for rpc in asking:
            for _ in range(3):
                rpc.post("sql.query", {"query": ENDLESS})
            # All three are taken when this is answered.
            rpc.post("server.info")
            eq(rpc.message()[2], None)
        with box.rpc() as other:
            for _ in range(20):
                eq(other.call("text.search", pattern="needle")
                   ["totalMatches"], 1)
                eq(other.call("session.messages", session=s.session)
                   ["totalMessages"], 1)
        box.stop()
        for rpc in asking:
            rpc.close()


def worker_of(pid):
    """The thread that has worked the most."""
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/stat", encoding="ascii") as f:
            name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
        found.append((int(rest.split()[11]), name, int(tid)))
    return max(found)


def hold(tid):
    """Stops one thread of another process; a Skip where that is forbidden."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, tid, None, None):  # PTRACE_ATTACH
        raise harness.Skip("no ptrace here: " + os.strerror(
            ctypes.get_errno()))
    os.waitpid(tid, 0x40000000)  # __WALL


def is_in_sqlite(pid, tid):
    """Where a thread that is held stands: in SQLite's own code?"""
    with open(f"/proc/{pid}/task/{tid}/syscall", encoding="ascii") as f:
        place = int(f.read().split()[-1], 16)
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        for line in f:
            low, high = line.split()[0].split("-")
            if int(low, 16) <= place < int(high, 16):
                return "libsqlite3" in line
    return False


def answers(box, tid):
    """Is another's question answered while the thread is held? Else the thread
    has a lock that others wait for, of SQLite or of the allocator."""
    with box.rpc() as rpc:
        rpc.post("sql.query", {"query": "SELECT count(*) FROM changes"})
        try:
            rpc.message(limit=5)
            return True
        except AssertionError:
            release(tid)
            rpc.message()
            return False


def release(tid):
    ctypes.CDLL(None).ptrace(17, tid, None, None)  # PTRACE_DETACH


def hold_without_lock(box, tid):
    """Holds the thread in SQLite's own code, where it has no lock: a program
    cannot end without those."""
    while True:
        hold(tid)
        if not is_in_sqlite(box.daemon.pid, tid):
            release(tid)
        elif answers(box, tid):
            return


def too_late(*_):
    raise AssertionError("the daemon waits for a worker that is stuck")


def test_ends_with_a_worker_that_is_stuck():
    """Nothing can call it back: the daemon closes its store and ends."""
    with Box() as box:
        box.start()
        Transcript(box, Ids()).edit("/home/dev/p/a.py")
        before = box.ok("index", "--dump")
        with box.rpc() as rpc:
            rpc.post("sql.query", {"query": DIGITS})
            ticks, tid = 0, 0
            while ticks < 20:
                ticks, _, tid = worker_of(box.daemon.pid)
            if tid == box.daemon.pid:
                raise AssertionError("the core is busier than the worker")
            hold_without_lock(box, tid)
            signal.signal(signal.SIGALRM, too_late)
            signal.setitimer(signal.ITIMER_REAL, LIMIT)
            try:
                box.daemon.send_signal(signal.SIGTERM)
                os.waitpid(tid, 0x40000000)
            except AssertionError:
                box.daemon.kill()
                os.waitpid(tid, 0x40000000)
                raise
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            eq(box.daemon.wait(LIMIT), 0, "exit code")
        eq(os.path.exists(box.socket), False, "the socket is removed")
        box.start()
        eq(box.ok("index", "--dump"), before)


def test_ends_within_one_row():
    """A row of long numbers, in which SQLite does not look up."""
    with Box() as box:
        box.start()
        with box.rpc() as rpc, box.rpc() as other:
            rpc.post("sql.query", {"query": ONE_ROW})
            rpc.post("server.info")
            rpc.message()
            eq(other.call("sql.query", query="SELECT 1")["rows"], [[1]])
            box.stop()
        box.start()


if __name__ == "__main__":
    harness.main()
