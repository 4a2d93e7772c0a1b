"""Everyday commands as people use them: states of changes, search, documents,
statistics, names."""
import os
import select
import signal
import time

import harness
import terminal
from harness import Box, eq
from terminal import Terminal
from transcript import Ids, Transcript

P = "/home/dev/p"
DENIAL = ("The user doesn't want to proceed with this tool use. "
          "The tool use was rejected")


def deny(t, path):
    """An Edit that the user did not want."""
    tid = t.call("Edit", {"file_path": path, "old_string": "a",
                          "new_string": "b"})
    t.result(tid, text=DENIAL, error=True)
    return tid


def test_list_of_states():
    """What was denied changed nothing, and is not called a change."""
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        deny(t, P + "/a.ts")
        t.write(P + "/b.ts")
        deny(t, P + "/b.ts")
        out = box.ok("list", t.session, "--state=denied")
        assert "Changed Files" not in out, out
        assert "Files by State (2 files, 2 calls)" in out, out
        assert "STATE" in out and "denied" in out, out
        out = box.ok("list", t.session, "--state=all")
        assert "1 applied, 1 denied" in out, out
        assert "Changed Files (1 file, 1 change)" in box.ok("list", t.session)


def test_list_of_what_was_denied():
    """A session that changed nothing says that it tried."""
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        for wanted in (False, True):
            done = box.run("list", t.session)
            eq(done.returncode, 1, done.stderr)
            eq("--state=all" in done.stderr, wanted, done.stderr)
            deny(t, P + "/a.ts")
        done = box.run("list", t.session, "--state=failed")
        assert "--state=all" not in done.stderr, done.stderr


def test_blame_of_what_was_denied():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        deny(t, P + "/a.ts")
        done = box.run("blame", P + "/a.ts")
        eq(done.returncode, 1, done.stderr)
        assert "no call took effect (1 denied)" in done.stderr, done.stderr
        assert "--state=all" in done.stderr, done.stderr
        assert "git blame" not in done.stderr, done.stderr
        path = os.path.join(box.top, "a.ts")
        with open(path, "w", encoding="utf-8") as f:
            f.write("a\n")
        deny(t, path)
        done = box.run("blame", "--git", path)
        eq(done.returncode, 1, done.stderr)
        assert "1 denied" in done.stderr, done.stderr
        assert "git blame has the commits" in done.stderr, done.stderr


class Talks(Box):
    """Two sessions in which rates and limits were talked about."""

    def __init__(self):
        super().__init__()
        ids = Ids(7)
        self.one = Transcript(self, ids, branch="feature/auth")
        self.one.prompt("Please limit the login\nto a sane\nrate per minute")
        self.one.text("The rate is unlimited now.")
        self.one.text("Nothing about it.")
        self.two = Transcript(self, ids, cwd="/home/dev/shop",
                              project="-home-dev-shop")
        self.two.prompt("rate this cafe\u0301")
        self.two.text("A rate limit, a limit, and a limit on the rate.")
        self.two.text("na\u00efve caf\u00e9")

    def __enter__(self):
        super().__enter__()
        self.start()
        return self


def test_grep_several_words():
    with Talks() as box:
        found = [m["snippet"] for m in
                 box.json("grep", "rate", "limit")["matches"]]
        eq(len(found), 3, found)
        assert found[0].startswith("A rate limit"), "ranked by both words"
        eq(len(box.json("grep", "limit", "rate", "login")["matches"]), 1)
        both = box.json("grep", "rate", "limit", "--role=user")["matches"][0]
        marked = [both["snippet"].encode()[a:b].decode()
                  for a, b in both["matches"]]
        eq(marked, ["limit", "rate"], "marked")
        eq(box.run("grep", "rate", "nosuch").returncode, 1)
        eq(box.run("grep", "rate limit").stdout.count("open: ccfc"), 1)
        assert "the pattern is empty" in box.run("grep", "a", "").stderr


def test_grep_options():
    with Talks() as box:
        eq(sorted(box.ok("grep", "rate", "--format=ids").split()),
           sorted([box.one.session, box.two.session]))
        lines = box.ok("grep", "-l", "rate").splitlines()
        eq(sorted(x.split()[0] for x in lines),
           sorted([box.one.session, box.two.session]))
        counts = {x.split()[1]: x.split()[0] for x in
                  box.ok("grep", "-c", "rate").splitlines()}
        eq(counts, {box.one.session: "2", box.two.session: "2"})
        eq(box.json("grep", "-w", "limit")["totalMatches"], 2)
        eq(box.json("grep", "limit")["totalMatches"], 3)
        eq(box.json("grep", "-E", "r.te", "l[ai]mit")["totalMatches"], 3)
        eq(box.run("grep", "-F", "r.te").returncode, 1)
        eq(box.run("grep", "-F", "-e", "x").returncode, 2)
        match = box.json("grep", "-C1", "to a sane")["matches"][0]
        eq(match["snippet"],
           "Please limit the login\nto a sane\nrate per minute")
        # those of one session stand together
        out = box.ok("grep", "rate")
        order = [x.split()[3] for x in out.splitlines() if "open: " in x]
        eq(order, sorted(order, key=order.index), "grouped")
        eq(len(order), 4)


def test_grep_spellings():
    """One letter, two spellings: composed, and apart."""
    with Talks() as box:
        for word in ("caf\u00e9", "cafe\u0301", "CAF\u00c9"):
            eq(box.json("grep", word)["totalMatches"], 2, ascii(word))
        eq(box.json("grep", "nai\u0308ve", "cafe\u0301")["totalMatches"], 1)
        eq(box.run("grep", "-s", "CAF\u00c9").returncode, 1)


def test_grep_meta():
    with Talks() as box:
        eq(box.run("grep", "feature/auth").returncode, 1)
        got = box.json("grep", "feature/auth", "--in=meta")["matches"]
        eq([(m["sessionId"], m["in"]) for m in got],
           [(box.one.session, "meta")])
        eq(box.ok("grep", "shop", "--in=meta", "--format=ids").split(),
           [box.two.session])
        eq(box.json("grep", "rate", "--in=meta,text")["totalMatches"], 6)


class Edited(Box):
    """A session with an edit, and words that say who worked on it."""

    def __init__(self):
        super().__init__()
        self.t = Transcript(self, Ids(9))
        self.t.prompt("Rename it, see /root/notes/plan.md")
        self.t.edit(P + "/src/a.ts", "let x = 1;\nlet same;",
                    "let y = 1;\nlet same;")
        for n in range(12):
            self.t.result(self.t.call("Bash", {"command": f"echo {n}"}))
        self.t.text("It is renamed.")

    def __enter__(self):
        super().__enter__()
        self.start()
        return self

    def read(self, name):
        with open(os.path.join(self.top, name), encoding="utf-8") as f:
            return f.read()


def test_export_by_ending():
    with Edited() as box:
        for name, begins in (("x.html", "<!DOCTYPE"), ("x.json", "{"),
                             ("x.md", "# "), ("x.txt", "# ")):
            done = box.run("export", box.t.session, "-o", name)
            assert f"wrote {name} (" in done.stderr, done.stderr
            assert box.read(name).startswith(begins), name
        box.ok("export", box.t.session, "-o", "y.html", "--format=json")
        assert box.read("y.html").startswith("{")


def test_export_shows_diffs_and_files():
    with Edited() as box:
        text = box.ok("export", box.t.session)
        assert "```diff\n-let x = 1;\n+let y = 1;\n let same;\n```" in text, \
            text
        assert "old_string" not in text, text
        assert text.index("src/a.ts") < text.index("## Messages"), text
        box.ok("export", box.t.session, "-o", "x.html")
        html = box.read("x.html")
        assert "<del>-let x = 1;\n</del><ins>+let y = 1;" in html, html
        assert html.index("Changed files") < html.index("<main>")
        shown = box.ok("show", box.t.session, "--messages")
        assert "-let x = 1;\n" in shown and "+let y = 1;\n" in shown, shown


def test_export_check():
    with Edited() as box:
        before = sorted(os.listdir(box.top))
        out = box.ok("export", box.t.session, "--check")
        assert "would replace: " in out and "home" in out, out
        eq(sorted(os.listdir(box.top)), before, "nothing is written")
        text = box.ok("export", box.t.session, "--redact")
        assert "~/notes/plan.md" in text and "/root" not in text, text


def test_show_begins_at_a_message():
    with Edited() as box:
        out = box.ok("show", box.t.session)
        said = out[out.index("Rename it"):]
        assert "The last 10 of" in said, "the first prompt comes first"
        assert "It is renamed." in said, "the last answer"
        rest = said[said.index("shows all:"):].splitlines()[1:]
        first = next(x for x in rest if x.strip())
        assert "assistant" in first, rest[:5]


def test_show_only_prompts():
    with Edited() as box:
        out = box.ok("show", box.t.session, "--role=user")
        assert "Rename it" in out and "result" not in out, out
        rows = box.json("show", box.t.session, "--messages", "--role=user")
        eq(len(rows["messages"] if isinstance(rows, dict) else rows), 1)
        tree = box.ok("show", box.t.session, "--tree")
        assert "result 10:00" in tree and tree.count("user 10:00") == 1, tree


def spent(t, tokens, when, **more):
    """A message of the model at a time, with so many tokens."""
    return t.blocks({"type": "text", "text": "ok"}, timestamp=when, usage={
        "input_tokens": tokens, "output_tokens": 0,
        "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
        **more)


class Spent(Box):
    """Messages around midnight, and across a change of the clocks."""

    def __init__(self):
        super().__init__()
        ids = Ids(11)
        self.t = Transcript(self, ids)
        self.t.prompt("go", timestamp="2026-03-28T10:20:00.000Z")
        # Saturday; Sunday, on which the clocks of Berlin change at 01:00 UTC
        spent(self.t, 100, "2026-03-28T10:30:00.000Z")
        spent(self.t, 200, "2026-03-28T15:10:00.000Z")
        spent(self.t, 400, "2026-03-28T23:30:00.000Z")
        spent(self.t, 800, "2026-03-29T22:30:00.000Z")
        spent(self.t, 1600, "2026-04-01T08:00:00.000Z")

    def __enter__(self):
        super().__enter__()
        self.start()
        return self

    def rows(self, *args):
        return {r["key"]: r["tokenUsage"]["input"]
                for r in self.json("stats", *args)["rows"]}


def test_stats_by_local_time():
    with Spent() as box:
        eq(box.rows("--by=day"), {
            "2026-03-28": 700, "2026-03-29": 800, "2026-04-01": 1600})
        eq(box.rows("--by=day", "--tz=Europe/Berlin"), {
            "2026-03-28": 300, "2026-03-29": 400, "2026-03-30": 800,
            "2026-04-01": 1600})
        box.env["TZ"] = "Europe/Berlin"
        eq(box.rows("--by=week"), {"2026-03-23": 700, "2026-03-30": 2400})
        eq(box.rows("--by=month"), {"2026-03": 1500, "2026-04": 1600})
        eq(box.rows("--by=hour")["2026-03-30 00:00"], 800)
        start = {r["key"]: r["start"] for r in
                 box.json("stats", "--by=day")["rows"]}
        eq((start["2026-03-29"], start["2026-03-30"]),
           ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"))
        eq(box.run("stats", "--tz=Nowhere/City").returncode, 2)


def test_stats_windows():
    """Five hours from the hour of the first message, as ccusage has them."""
    with Spent() as box:
        rows = box.json("stats", "--by=block")["rows"]
        eq([(r["start"][:16], r["tokenUsage"]["input"]) for r in rows],
           [("2026-03-28T10:00", 100), ("2026-03-28T15:00", 200),
            ("2026-03-28T23:00", 400), ("2026-03-29T22:00", 800),
            ("2026-04-01T08:00", 1600)])
        assert "WINDOW FROM" in box.ok("stats", "--by=block")


def test_stats_by_session_and_agent():
    with Spent() as box:
        agent = Transcript(box, box.t.ids, session=box.t.session,
                           agent="a1b2c3d")
        spent(agent, 7, "2026-03-28T11:00:00.000Z")
        row, = box.json("stats", "--by=session")["rows"]
        eq((row["key"], row["title"], row["tokenUsage"]["input"]),
           (box.t.session, "go", 3107))
        eq(box.rows("--by=agent"), {"main": 3100, "a1b2c3d": 7})


def test_stats_cost():
    with Spent() as box:
        assert "Cost" not in box.ok("stats")
        path = os.path.join(box.env["XDG_CONFIG_HOME"], "ccfc", "prices")
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as f:
            f.write("# made up\nclaude-opus-* input = 10000\n"
                    "claude-opus-4-5* input = 5000 2026-03-29\n")
        got = box.json("stats", "--by=day")
        eq([round(r["costUSD"], 6) for r in got["rows"]], [7.0, 4.0, 8.0])
        eq((round(got["totals"]["costUSD"], 6),
            got["totals"]["unpricedTokens"]), (19.0, 0))
        text = box.ok("stats", "--by=week")
        assert "$19.00 by your prices" in text and "COST" in text, text
        other = Transcript(box, box.t.ids, session=box.t.session,
                           agent="a1b2c3d", model="unpriced-1")
        spent(other, 7, "2026-03-28T11:00:00.000Z")
        row, = [x.split() for x in box.ok("stats", "--by=agent").splitlines()
                if "a1b2c3d" in x]
        eq(row[4], "-", "nothing of it is known")
        for by in ("block", "hour", "session"):
            text, _ = terminal.run([box.ccfc, "stats", "--by=" + by], box.env,
                                   box.top)
            eq(terminal.too_wide(text), [])
            assert "COST" in text, text
        with open(path, "w", encoding="utf-8") as f:
            f.write("claude-opus-* output = x\n")
        done = box.run("stats")
        eq(done.returncode, 2)
        assert "prices:1: bad value" in done.stderr, done.stderr


def test_names_and_tags():
    """They are kept in our store, and survive reading everything again."""
    with Talks() as box:
        one, two = box.one.session, box.two.session
        eq(box.run("name", one).returncode, 1)
        eq(box.ok("name", one, "the", "login", "limit"), "the login limit\n")
        eq(box.ok("tag", one, "keep", "auth"), "auth\nkeep\n")
        eq(box.ok("tag", two, "keep"), "keep\n")

        def check():
            row = {s["id"]: s for s in box.json("sessions")["sessions"]}[one]
            eq((row["title"], row["titleFrom"], row["name"], row["tags"]),
               ("the login limit", "name", "the login limit",
                ["auth", "keep"]))
            eq(box.ok("sessions", "--tag=auth", "--format=ids").split(),
               [one])
            eq(sorted(box.ok("grep", "keep", "--in=meta",
                             "--format=ids").split()), sorted([one, two]))
            eq(box.json("grep", "login limit", "--in=meta")["totalMatches"],
               1)
            eq(box.ok("sql", "SELECT title FROM sessions WHERE session_id = "
                      f"'{one}'", "--format=csv").split("\r\n")[1],
               "the login limit")

        check()
        box.ok("index", "--build")
        check()
        box.restart()
        check()
        box.restart(hard=True)
        check()
        box.ok("tag", one, "-d", "keep")
        eq(box.ok("tag", one), "auth\n")
        box.ok("name", one, "--clear")
        eq({s["id"]: s["titleFrom"] for s in
            box.json("sessions")["sessions"]}[one], "prompt")
        eq(box.run("sessions", "--tag=nosuch").returncode, 1)
        for bad in (["tag", one, "two words"], ["name", one, "a\nb"],
                    ["name", one, "x" * 201]):
            eq(box.run(*bad).returncode, 2, bad)


def test_resume():
    with Box() as box:
        box.start()
        home = os.path.join(box.top, "it's here")
        os.makedirs(home)
        t = Transcript(box, Ids(), cwd=home)
        t.prompt("go")
        eq(box.ok("resume", t.session, "--print"),
           "cd '" + home.replace("'", "'\\''") +
           f"' && claude --resume '{t.session}'\n")
        tools = os.path.join(box.top, "bin")
        os.makedirs(tools)
        fake = os.path.join(tools, "claude")
        with open(fake, "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\necho "$PWD" "$@"\n')
        os.chmod(fake, 0o755)
        env = {**box.env, "PATH": tools + ":" + box.env["PATH"]}
        eq(box.ok("resume", t.session, env=env),
           f"{home} --resume {t.session}\n")
        os.rmdir(home)
        eq(box.run("resume", t.session, env=env).returncode, 2)


def at_work(box):
    """A session of now, and one that waits for permission."""
    ids = Ids(5)
    ids.now = int(time.time() * 1000) - 60_000
    works = Transcript(box, ids, cwd="/home/dev/shop")
    works.prompt("Make the \x1b[31mlogin\nfaster")
    works.result(works.call("Bash", {"command": "make test"}))
    waits = Transcript(box, ids, cwd="/home/dev/blog")
    waits.prompt("Fix the title")
    waits.call("Edit", {"file_path": "/home/dev/blog/a.md",
                        "old_string": "a", "new_string": "b"})
    return works, waits


def test_top():
    with Box() as box:
        box.start()
        works, _ = at_work(box)
        top = Terminal(box, "top")
        lines = top.wait_for("1 active, 1 waiting for you", "nothing yet")
        row, = [x for x in lines if " shop " in x]
        assert row.startswith("active") and works.session[:8] in row, row
        assert "Bash make test" in row and "Make the ^[[31mlogin" in row, row
        row, = [x for x in lines if " blog " in x]
        assert row.startswith("waiting") and " Edit a.md " in row, row
        assert all(len(x) <= 80 for x in lines), lines
        works.edit("/home/dev/shop/src/a.ts")
        top.wait_for("Edit src/a.ts +1 -1")
        top.resize(30, 120)
        os.kill(top.process.pid, signal.SIGWINCH)
        top.wait_for("Edit src/a.ts +1 -1", "q quit")
        top.key("p")
        top.wait_for("(paused)")
        top.key("q")
        eq(top.end(), 0)


def test_top_shows_conflicts():
    with Box() as box:
        box.start()
        ids = Ids(6)
        ids.now = int(time.time() * 1000) - 60_000
        two = [Transcript(box, ids, cwd="/home/dev/shop") for _ in range(2)]
        for t in two:
            t.prompt("go")
        for text in ("a", "c"):
            for t in two:
                t.edit("/home/dev/shop/src/a.ts", text, text + "b")
        out = box.ok("top", "--once")
        line, = [x for x in out.splitlines() if "conflict: " in x][:1]
        assert "src/a.ts: " in line, line
        assert all(t.session[:8] in line for t in two), line


def test_watch_shows_more():
    """Prompts, commands and states on request; aligned on a terminal."""
    with Box() as box:
        box.start()
        works, _ = at_work(box)
        watch = Terminal(box, "watch", "--prompts", "--commands", "--status",
                         width=100)
        while "watching" not in watch.data:
            assert watch.read(), watch.data
        works.edit("/home/dev/shop/src/a.ts")
        while "src/a.ts" not in watch.data:
            assert watch.read(), watch.data
        line, = [x for x in watch.data.splitlines() if "src/a.ts" in x]
        assert "  shop          applied  Edit   src/a.ts  +1 -1  " in line, line
        # Two rounds: the first one only looks.
        for n in range(100):
            works.prompt(f"go on {n} " + "and on " * 20)
            works.result(works.call("Bash", {"command": f"make {n}"}))
            works.ids.now = int(time.time() * 1000)
            ready = select.select([watch.ours], [], [], 1.5)[0]
            if ready:
                watch.read()
            if "prompt   go on " in watch.data and \
                    "command  make " in watch.data:
                break
        else:
            raise AssertionError(watch.data[-2000:])
        eq(terminal.too_wide(watch.data, 100), [])
        watch.process.terminate()
        watch.process.wait(harness.LIMIT)


def test_top_ends_clean():
    with Box() as box:
        box.start()
        at_work(box)
        top = Terminal(box, "top", rows=10, width=40)
        top.wait_for("ccfc top")
        os.kill(top.process.pid, signal.SIGTERM)
        eq(top.end(), 0)
        done = box.run("top")
        eq(done.returncode, 2)
        assert "not a terminal" in done.stderr, done.stderr
        out = box.ok("top", "--once")
        assert "1 waiting for you" in out and "\x1b" not in out, out


if __name__ == "__main__":
    harness.main()
