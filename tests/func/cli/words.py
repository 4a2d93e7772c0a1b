"""The words people type: sessions by @ and title, the current project, names
that are no paths, and what is asked where a word means several things."""
import json
import os
import pty
import re
import select
import sys

import harness
import shop
import terminal
from harness import Box, RpcError, eq
from transcript import Ids, Transcript, folder

HOUR = 3_600_000


class Shop(Box):
    """Two projects; `shop` is a git repository with three sessions, one of
    them in a directory below, and `blog` has one."""

    def __init__(self):
        super().__init__()
        self.ids = Ids(5)
        self.shop = os.path.join(self.home, "src", "shop")
        self.blog = os.path.join(self.home, "src", "blog")
        os.makedirs(os.path.join(self.shop, ".git"))
        os.makedirs(os.path.join(self.shop, "src", "auth"))
        os.makedirs(os.path.join(self.shop, "api"))
        os.makedirs(self.blog)
        self.first = self.session("1a", self.shop, "Please add a login form")
        self.first.write(self.shop + "/src/auth/login.ts", "one\n")
        self.first.write(self.shop + "/src/index.ts", "index\n")
        self.second = self.session("1b", self.shop, "Fix the Login redirect")
        self.second.edit(self.shop + "/src/auth/login.ts", "one", "uno")
        self.third = self.session("2c", self.shop + "/api", "Rate limits")
        self.third.write(self.shop + "/api/index.ts", "api\n")
        self.other = self.session("3d", self.blog, "Write a post on logins")
        self.other.write(self.blog + "/post.md", "post\n")
        with open(self.shop + "/src/auth/login.ts", "w",
                  encoding="utf-8") as f:
            f.write("uno\ntwo\n")
        self.start()

    def session(self, start, cwd, prompt):
        self.ids.now += HOUR
        t = Transcript(self, self.ids, cwd=cwd, project=folder(cwd),
                       session=start + "000000-aaaa-4000-8000-00000000000"
                       + start[0])
        t.prompt(prompt)
        return t


def session_of(box, *args, cwd):
    """Which session `ccfc list` takes."""
    done = box.run("list", *args, "--format=json", cwd=cwd)
    if done.returncode:
        return done.stderr
    return re.search(r'"sessionId": "(..)', done.stdout).group(1)


def at_terminal(box, *args, cwd, typed, columns=80):
    """What stands on a terminal of that width where somebody types, with the
    exit status."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(box.env, TERM="xterm-256color", PWD=cwd,
                          COLUMNS=str(columns), CCFC_PAGER="cat",
                          NO_COLOR="1")
        os.execv(box.ccfc, [box.ccfc, *args])
    text = b""
    sent = False
    while select.select([fd], [], [], harness.LIMIT)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
        if b"which?" in text and not sent:
            sent = True
            os.write(fd, typed.encode())
    os.close(fd)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return text.decode().replace("\r\n", "\n"), status


def test_latest_sessions_of_the_project():
    """From any directory of the repository; the blog's is later, but it is
    another project."""
    with Shop() as box:
        for below in ("", "/src", "/src/auth", "/api"):
            cwd = box.shop + below
            eq(session_of(box, "@", cwd=cwd), "2c", cwd)
            eq(session_of(box, cwd=cwd), "2c", "left out")
            eq(session_of(box, "@-1", cwd=cwd), "1b", cwd)
            eq(session_of(box, "@-2", cwd=cwd), "1a", cwd)
        eq(session_of(box, cwd=box.blog), "3d")
        said = session_of(box, "@-3", cwd=box.shop)
        assert "there are only 3 sessions" in said, said
        assert ":/" not in said, said
        said = session_of(box, "@", cwd="/")
        eq(session_of(box, "@", cwd=box.home), "3d", "all are below")
        assert "not a word for a session" in session_of(
            box, "@x", cwd=box.shop)
        with box.rpc() as rpc:
            eq(rpc.call("session.files", session="@")["sessionId"][:2], "3d")
            eq(rpc.call("session.files", session="@-1:" + box.shop + "/src")[
                "sessionId"][:2], "1b", "its project is above")


def test_other_words_for_the_latest():
    with Shop() as box:
        for word in ("last", "latest", "HEAD"):
            eq(session_of(box, word, cwd=box.shop), "2c", word)
            eq(session_of(box, word, cwd=box.blog), "3d", word)


def test_errors_have_local_times():
    """But for a time that the caller wrote."""
    with Shop() as box:
        box.env["TZ"] = "America/New_York"
        done = box.run("cat", "login.ts", "--at=2020-01-01", cwd=box.shop)
        assert "2020-01-01 23:59:59 is before" in done.stderr, done.stderr
        assert re.search(r" of 2025-12-10 0\d:\d\d:\d\d;", done.stderr), \
            done.stderr
        given = "2020-01-01T00:00:00.000Z"
        done = box.run("cat", "login.ts", "--at=" + given, cwd=box.shop)
        assert given + " is before" in done.stderr, done.stderr
        done = box.run("cat", "login.ts", "--at=zzz", cwd=box.shop)
        assert "yesterday, 10:00, '2 days ago'" in done.stderr, done.stderr


def test_no_session_worked_there():
    with Shop() as box:
        empty = os.path.join(box.top, "empty")
        os.makedirs(empty)
        done = box.run("list", "@", cwd=empty)
        eq(done.returncode, 1)
        assert f"no session worked in {empty}" in done.stderr, done.stderr
        assert "sessions --all" in done.stderr, done.stderr


def test_part_of_a_title():
    with Shop() as box:
        eq(session_of(box, "@/redirect/", cwd=box.shop), "1b")
        eq(session_of(box, "@/RATE/", cwd=box.shop), "2c")
        eq(session_of(box, "@/rate", cwd=box.shop), "2c", "the last / is free")
        said = session_of(box, "@/login/", cwd=box.shop)
        assert "2 sessions have that in their title" in said, said
        for word in ("1a000000", "1b000000", "Please add a login form"):
            assert word in said, said
        assert "3d" not in said, "that is another project"
        assert "no title has that" in session_of(
            box, "@/nothing/", cwd=box.shop)


def test_other_names_of_a_session():
    with Shop() as box:
        agent = Transcript(box, box.ids, cwd=box.shop,
                           project=folder(box.shop),
                           session=box.first.session, agent="a7f3e9d1")
        agent.prompt("do it")
        for name in ("a7f3e9d1", "agent-a7f3e9d1", "a7f3"):
            eq(session_of(box, name, cwd=box.blog), "1a", name)
        eq(session_of(box, box.second.path, cwd=box.blog), "1b")


def test_ambiguous_names_are_listed():
    """With id, time and title; on a terminal one can be chosen."""
    with Shop() as box:
        done = box.run("list", "1", cwd=box.shop)
        eq(done.returncode, 2)
        assert "2 sessions start with that" in done.stderr, done.stderr
        assert "Fix the Login redirect" in done.stderr, done.stderr
        assert "-aaaa-" not in done.stderr, "short ids"
        eq(done.stdout, "")
        text, status = at_terminal(box, "list", "1", cwd=box.shop,
                                   typed="2\n")
        eq(status, 0, text)
        assert "1a000000-" in text.split("which?")[1], text
        text, status = at_terminal(box, "list", "1", cwd=box.shop, typed="\n")
        eq(status, 2, text)
        text, status = at_terminal(
            box, "cat", "src/auth/login.ts", "--at=before:1", cwd=box.shop,
            typed="1\n")
        eq(status, 0, text)
        assert text.endswith("\none\n"), text


def test_missing_arguments_can_be_chosen():
    with Shop() as box:
        done = box.run("blame", cwd=box.shop)
        eq(done.returncode, 2)
        assert "blame: FILE is missing" in done.stderr, done.stderr
        text, status = at_terminal(box, "blame", cwd=box.shop, typed="2\n")
        eq(status, 0, text)
        assert "1  api/index.ts" in re.sub(" +", " ", text).replace(
            " 1 ", "1  "), text
        assert "uno" in text, text
        done = box.run("revert", cwd=box.shop)
        eq(done.returncode, 2)
        assert "revert: which session" in done.stderr, done.stderr


def test_current_project_is_the_scope():
    with Shop() as box:
        def starts(*args, cwd):
            done = box.run("sessions", "--format=ids", *args, cwd=cwd)
            return sorted(x[:2] for x in done.stdout.split()), done.stderr

        every = ["1a", "1b", "2c", "3d"]
        eq(starts(cwd=box.shop), (["1a", "1b", "2c"], ""))
        found, said = starts(cwd=box.shop + "/src/auth")
        eq(found, ["1a", "1b", "2c"])
        assert "note: project" in said and box.shop in said, said
        eq(starts("--all", cwd=box.shop), (every, ""))
        eq(starts(cwd=box.top)[0], every, "in no project")
        for name in (".", "shop", box.shop, "..", box.shop + "/"):
            eq(starts("--project=" + name, cwd=box.shop + "/src"),
               (["1a", "1b", "2c"], ""), name)
        eq(starts("--project=blog", cwd=box.shop), (["3d"], ""))
        eq(starts("--project=api", cwd=box.blog), (["2c"], ""))
        done = box.run("sessions", "--project=nothing", cwd=box.shop)
        eq(done.returncode, 1)
        assert "project nothing" in done.stderr, done.stderr
        done = box.run("sessions", "--project=" + box.top + "/run",
                       cwd=box.shop)
        eq(done.returncode, 1, "a directory where nobody worked")


def test_scope_of_other_commands():
    with Shop() as box:
        for cwd, want in ((box.shop + "/src", 3), (box.blog, 1), (box.top, 4)):
            done = box.run("stats", "--format=json", cwd=cwd)
            eq(json.loads(done.stdout)["totals"]["sessions"], want, cwd)
            done = box.run("stats", "--format=json", "--all", cwd=cwd)
            eq(json.loads(done.stdout)["totals"]["sessions"], 4, cwd)
        eq(box.run("stats", "3d", cwd=box.shop).returncode, 0,
           "a session may be anywhere")
        done = box.run("grep", "login", "--format=jsonl", cwd=box.shop)
        eq(len(done.stdout.splitlines()), 2)
        done = box.run("grep", "login", "--all", "--format=jsonl",
                       cwd=box.shop)
        eq(len(done.stdout.splitlines()), 3)
        done = box.run("grep", "post", "--session=3d", cwd=box.shop)
        eq(done.returncode, 0, done.stderr)
        for args in ("--list",), ("--deleted",):
            out = box.ok("recover", *args, cwd=box.shop + "/src")
            assert "index.ts" in out and "post.md" not in out, out
            out = box.ok("recover", *args, "--all", cwd=box.shop + "/src")
            assert "index.ts" in out and "post.md" in out, out
        assert "post.md" in box.ok("recover", "3d", cwd=box.shop)


def test_a_project_that_is_told_is_no_column():
    with Shop() as box:
        for args, cwd, want in (((), box.blog, False), ((), box.shop, True),
                                (("--all",), box.blog, True)):
            text, _ = terminal.run([box.ccfc, "sessions", *args], box.env, cwd,
                                   columns=160)
            eq(" PROJECT " in text, want, text)
        assert " PROJECT " in box.ok("sessions", cwd=box.blog)


def test_scope_of_conflicts():
    """Of the current project; an argument may be about any."""
    with Shop() as box:
        late = box.session("4e", box.blog, "Another post")
        late.edit(box.blog + "/post.md", "post", "mail")
        box.other.edit(box.blog + "/post.md", "post", "letter")
        eq(box.run("conflicts", cwd=box.shop).returncode, 1)
        for args, cwd in ((("--all",), box.shop), (("4e",), box.shop),
                          (("--project=blog",), box.shop), ((), box.blog)):
            done = box.run("conflicts", *args, cwd=cwd)
            assert "post.md" in done.stdout, (args, done)
        text, status = terminal.run([box.ccfc, "conflicts"], box.env, box.shop)
        eq(status, 1)
        assert "--all is about every project" in text, text
        text, status = terminal.run([box.ccfc, "conflicts", "--all"], box.env,
                                    box.shop)
        eq((status, terminal.too_wide(text)), (0, []))
        assert "~/src/blog/post.md" in text, text
        assert "2025-12-10 1" not in text, text


def test_fields_for_fzf():
    with Shop() as box:
        box.first.emit({"type": "custom-title", "customTitle": "a\tb\nc",
                        "sessionId": box.first.session})
        rows = [x.split("\t") for x in box.ok(
            "sessions", "--format=tsv", cwd=box.shop).splitlines()]
        eq([len(x) for x in rows], [5, 5, 5])
        eq(rows[2][0], box.first.session)
        eq(rows[2][3:], [box.shop, "a b c"])


def test_two_projects_of_one_name():
    with Shop() as box:
        again = os.path.join(box.home, "old", "blog")
        t = box.session("4e", again, "The old one")
        t.write(again + "/a.md", "a\n")
        done = box.run("sessions", "--project=blog", cwd=box.top)
        eq(done.returncode, 2)
        assert again in done.stderr and box.blog in done.stderr, done.stderr


def test_names_that_are_no_paths():
    """The only file of that name in the project; it says which one."""
    with Shop() as box:
        for cwd in (box.shop, box.shop + "/api"):
            for args in (("search",), ("log",), ("cat",), ("blame",)):
                done = box.run(*args, "login.ts", cwd=cwd)
                eq(done.returncode, 0, done.stderr)
                assert "login.ts is " in done.stderr, done.stderr
                assert "auth/login.ts" in done.stderr, done.stderr
        done = box.run("cat", "auth/login.ts", cwd=box.shop)
        eq(done.stdout, "uno\n")
        done = box.run("search", "index.ts", cwd=box.shop)
        eq(done.returncode, 2)
        assert "2 files have that name" in done.stderr, done.stderr
        for name in ("src/index.ts", "api/index.ts"):
            assert name in done.stderr, done.stderr
        done = box.run("search", "index.ts", cwd=box.shop + "/src")
        eq((done.returncode, done.stderr), (0, ""), "a path")
        done = box.run("search", "login.ts", cwd=box.blog)
        eq(done.returncode, 1, "another project's")
        done = box.run("search", "ogin.ts", cwd=box.shop)
        eq(done.returncode, 1, "not a whole name")
        with open(box.shop + "/post.md", "w", encoding="utf-8"):
            pass
        done = box.run("search", "post.md", cwd=box.shop)
        eq(done.returncode, 1, "that file is there, and nobody changed it")


def test_one_of_several_files_can_be_chosen():
    with Shop() as box:
        text, status = at_terminal(box, "search", "index.ts", cwd=box.shop,
                                   typed="2\n")
        eq(status, 0, text)
        first, chosen = text.split("which?")
        assert "api/index.ts" in first and "src/index.ts" in first, text
        assert "File: src/index.ts\n" in chosen, text
        text, status = at_terminal(box, "cat", "./index.ts:1", cwd=box.shop,
                                   typed="1\n")
        eq(status, 0, text)
        assert text.endswith("\napi\n"), text
        text, status = at_terminal(box, "search", "index.ts", cwd=box.shop,
                                   typed="\n")
        eq(status, 2, text)


def test_file_and_line():
    with Shop() as box:
        for name in ("src/auth/login.ts:2", "login.ts:2", "login.ts:2:7",
                     box.shop + "/src/auth/login.ts:2"):
            done = box.run("blame", name, cwd=box.shop)
            eq(done.returncode, 0, done.stderr)
            eq(len(done.stdout.splitlines()), 1, name)
            assert done.stdout.endswith("2) two\n"), done.stdout
        eq(box.run("cat", "login.ts:2", cwd=box.shop).stdout, "uno\n")
        eq(box.run("search", "login.ts:1", cwd=box.shop).returncode, 0)
        odd = box.shop + "/odd:3"
        box.first.write(odd, "x\n")
        with open(odd, "w", encoding="utf-8") as f:
            f.write("x\n")
        assert "odd:3" in box.ok("search", "odd:3", cwd=box.shop)


def lines_of(text):
    return [x for x in text.splitlines() if x and "ccfc: note" not in x]


def test_log_as_git_users_expect():
    with Shop() as box:
        def rows(*args, cwd=box.shop):
            done = box.run("log", "--format=jsonl", *args, cwd=cwd)
            return [json.loads(x) for x in done.stdout.splitlines()]

        every = rows()
        eq(len(every), 4, "of the project")
        eq(rows(cwd=box.shop + "/src/auth"), every, "from anywhere in it")
        eq(len(rows("--all")), 5)
        eq(len(rows("--project=blog")), 1)
        eq(rows("-n", "2"), every[:2])
        eq(rows("-n2", "--offset=1"), every[1:3])
        eq(rows("--offset=4"), [])
        eq(rows("--until=2025-12-10 11:30"), every[2:])
        eq(rows("--since=2025-12-10 11:30", "--to=2025-12-10 12:30"),
           every[1:2])
        file = rows("login.ts")
        eq(len(file), 3, "with the step outside")
        eq(rows("login.ts", "--since=2025-12-10 11:30",
                "--until=2025-12-10 11:59"), [])
        eq([x["changeId"] for x in rows("1a")],
           [x["changeId"] for x in every[2:]])
        eq(rows("1a", "--until=2025-12-09"), [])
        box.second.result(box.second.call("Edit", {
            "file_path": box.shop + "/src/auth/login.ts", "old_string": "x",
            "new_string": "y"}), error=True)
        eq(len(rows()), 4)
        eq(len(rows("--state=all")), 5)
        eq([x["state"] for x in rows("login.ts", "--state=failed")],
           ["failed"])
        assert "STATE" not in box.ok("log", "login.ts", cwd=box.shop)
        for args in (), ("login.ts",), ("1b",):
            text = box.ok("log", "--state=all", *args, cwd=box.shop)
            row, = [x for x in text.splitlines() if " failed " in x]
            assert "Fix the Login" in row and " -  " in row, row
            assert " applied " in text, text
            text = box.ok("log", "--state=all", "--oneline", *args,
                          cwd=box.shop)
            row, = [x for x in text.splitlines() if "  failed  " in x]
            assert "+0" not in row, row
        text = box.ok("log", "-p", "-n1", "--until=2025-12-10 12:30",
                      cwd=box.shop)
        assert text.startswith("change toolu_01"), text
        assert "Prompt:  Fix the Login redirect" in text, text
        assert "\n-one\n+uno\n" in text, text
        text = box.ok("log", "--stat", cwd=box.shop)
        assert "src/auth/login.ts | 2 +-" in text, text
        text = box.ok("log", "--oneline", cwd=box.shop)
        eq(len(text.splitlines()), 4)
        text = box.ok("log", "-n", "3", cwd=box.shop)
        assert text.endswith("\nmore: --offset=3\n"), text


def test_short_ids_of_changes():
    """As a terminal shows them, they are understood."""
    with Shop() as box:
        for columns in (60, 80, 140):
            text, _ = at_terminal(box, "log", cwd=box.shop, typed="",
                                  columns=columns)
            assert "toolu_" not in text, text
            row = [x for x in lines_of(text) if "1b000000" in x][0]
            change = row.split()[2]
            eq(len(change), 8, row)
            done = box.run("diff", change, cwd=box.shop)
            assert "+uno" in done.stdout, done.stderr
            eq(box.ok("cat", "login.ts", "--at=before:" + change,
                      cwd=box.shop), "one\n")
            for line in lines_of(text):
                assert len(line) <= columns, (columns, line)
        text, _ = at_terminal(box, "blame", "login.ts", cwd=box.shop, typed="")
        assert lines_of(text)[0].startswith(change + " (1b000000 "), text


def test_blame_fits_the_terminal():
    """Owners once for their lines; long lines end where the terminal does."""
    with Shop() as box:
        path = box.shop + "/long.ts"
        body = "a" * 200 + "\n\t" + "b" * 200 + "\n"
        box.first.write(path, body)
        with open(path, "w", encoding="utf-8") as f:
            f.write(body)
        text, _ = at_terminal(box, "blame", "long.ts", cwd=box.shop, typed="")
        rows = lines_of(text)
        eq(len(rows), 2, text)
        for row in rows:
            eq(len(row), 80, row)
            assert row.endswith("\u2026"), row
        assert "1a000000" in rows[0] and "1a000000" not in rows[1], rows
        eq(box.ok("blame", "long.ts", cwd=box.shop).count("b"), 200,
           "all of it elsewhere")


def test_prompts_and_only_those():
    with Shop() as box:
        box.first.prompt("And now\nthe other thing")
        eq(box.ok("prompts", "1a", "--oneline", cwd=box.blog),
           "2025-12-10 11:00  Please add a login form\n"
           "2025-12-10 14:00  And now\n")
        text = box.ok("prompts", "1a")
        assert text.endswith("\n  And now\n  the other thing\n"), text
        eq([x["content"] for x in json.loads(
            box.ok("prompts", "1a", "--format=json"))][1],
           "And now\nthe other thing")
        assert "the other thing" in box.ok("prompts", cwd=box.shop)
        long = "words of a long prompt " * 9 + "and\n" + "x" * 90
        box.first.prompt(long)
        assert "\n  " + long.replace("\n", "\n  ") in box.ok("prompts", "1a")
        text, _ = terminal.run([box.ccfc, "prompts", "1a"], box.env, box.shop)
        eq(terminal.too_wide(text), ["  " + "x" * 90], "no word is broken")
        eq(" ".join(text.split())[-len(long):], " ".join(long.split()))
        text = box.ok("show", "1a", "--role=user")
        assert "result" not in text and "login form" in text, text
        with box.rpc() as rpc:
            roles = [rpc.call("session.messages", session="1a", role=r)[
                "totalMessages"] for r in ("user", "tool")]
            eq(roles, [3, 2])


def test_why_a_line_is_there():
    with Shop() as box:
        t = box.session("5f", box.shop, "Make it\nlouder, please")
        t.text("I will shout.")
        t.edit(box.shop + "/src/auth/login.ts", "two", "TWO")
        t.text("It is loud now.")
        with open(box.shop + "/src/auth/login.ts", "w",
                  encoding="utf-8") as f:
            f.write("TWO\nthree\n")
        text = box.ok("why", "login.ts:1", cwd=box.shop)
        for part in ("src/auth/login.ts:1: TWO\n", "5f000000-",
                     "Prompt:\n  Make it\n  louder, please\n",
                     "Answer:\n  I will shout.\n",
                     "Afterwards:\n  It is loud now.\n", "+TWO\n"):
            assert part in text, (part, text)
        done = box.run("why", "login.ts:2", cwd=box.shop)
        eq(done.returncode, 1)
        assert "login.ts:2: " in done.stderr, done.stderr
        done = box.run("why", "login.ts", cwd=box.shop)
        eq(done.returncode, 2)
        assert "which line" in done.stderr, done.stderr


def test_other_spellings():
    with Shop() as box:
        def same(a, b):
            eq(box.ok(*a, cwd=box.shop), box.ok(*b, cwd=box.shop), a)

        same(("history",), ("log",))
        same(("usage",), ("stats",))
        same(("session", "list"), ("sessions",))
        same(("session", "show", "1a"), ("show", "1a"))
        same(("version",), ("--version",))
        same(("--help", "search"), ("help", "search"))
        same((), ("--help",))
        for word, hint in (("undo", "ccfc revert SESSION"),
                           ("share", "ccfc export"), ("last", "ccfc show"),
                           ("session", "session list")):
            done = box.run(word)
            eq(done.returncode, 2, word)
            assert hint in done.stderr, done.stderr
        for word in ("resto", "revet", "recove", "setpu", "stpo"):
            said = box.run(word).stderr
            for name in ("restore", "revert", "recover", "setup", "stop"):
                assert f"ccfc {name}'" not in said, said


def test_commands_stand_with_their_kind():
    """The folder of a command below cmd/ says which part of the help has it."""
    with Box() as box:
        parts = dict(re.findall(r"^(\w[\w ]+):\n((?:  \w.*\n)+)",
                                box.ok("help"), re.M))
        for name in ("name", "tag", "forget", "resume", "top", "sessions"):
            assert f"\n  {name} " in "\n" + parts["Sessions"], (name, parts)
        for name in ("web", "doctor", "import"):
            assert f"\n  {name} " in "\n" + parts["Index and daemon"], name


def test_models_have_short_names():
    """As in sessions and log; unless two are called the same then."""
    long = "claude-sonnet-4-5-20250929"

    def models(box, *names):
        ids = Ids(7)
        for name in names:
            t = Transcript(box, ids, session=ids.uuid(), model=name)
            t.prompt("a")
            t.text("b")
        box.start()
        rows = box.ok("stats", "--by=model").split("SESSIONS", 1)[1]
        return [line.split()[0] for line in rows.splitlines()[1:]
                if line.startswith("  ")]

    with Box() as box:
        eq(sorted(models(box, long, "claude-opus-4-5-20251101")),
           ["opus-4-5", "sonnet-4-5"])
    with Box() as box:
        eq(sorted(models(box, long, "claude-sonnet-4-5")),
           ["claude-sonnet-4-5", long])


def test_no_unicode_without_utf8():
    with Shop() as box:
        box.env["LC_ALL"] = "C"
        for args in (("log", "login.ts"), ("sessions",), ("blame", "login.ts"),
                     ("search", "login.ts")):
            text, _ = at_terminal(box, *args, cwd=box.shop, typed="",
                                  columns=60)
            assert text.isascii(), text


def test_another_claude_directory():
    """Never the answer of the other one."""
    with Shop() as box:
        other = os.path.join(box.top, "other")
        os.makedirs(other + "/projects")
        done = box.run("sessions", "--all",
                       env={**box.env, "CLAUDE_CONFIG_DIR": other})
        eq((done.returncode, done.stdout), (2, ""), done.stderr)
        assert f"does not read {other}" in done.stderr, done.stderr
        assert "ccfc stop" in done.stderr, done.stderr
        env = {**box.env, "CLAUDE_CONFIG_DIR": box.claude + "/"}
        eq(box.run("sessions", "--all", env=env).returncode, 0)
        with box.rpc() as rpc:
            eq(rpc.call("server.roots"), rpc.call("server.info")["roots"])
            eq(rpc.call("server.roots"), [{"path": box.claude, "exists": True}])


def test_no_claude_directory():
    with Box() as box:
        os.rmdir(box.projects)
        box.start()
        for args in (("sessions",), ("stats",), ("log",), ("search", "x.c")):
            done = box.run(*args)
            eq(done.returncode, 1, done.stderr)
            assert f"{box.projects} does not exist" in done.stderr, done.stderr


def test_errors_use_the_words_of_the_command_line():
    with Shop() as box:
        for args in (("grep", "nosuchword"), ("sql", "SELECT nosuch"),
                     ("show", "1a", "--message=nosuch1"),
                     ("sessions", "--offset=99"), ("log", "--offset=99")):
            done = box.run(*args, cwd=box.shop)
            assert done.returncode in (1, 2), args
            assert not re.search(r"\b(text|sql|session|file|stats)\.[a-z]+:",
                                 done.stderr), done.stderr
        for word in ("--since", "--from", "--until"):
            done = box.run("log", word + "=nosuch", cwd=box.shop)
            assert f"log: {word}=nosuch: not a date" in done.stderr, \
                done.stderr


def test_names_in_restore_and_diff():
    """As in blame and cat; what names several files is refused."""
    with shop.Shop() as box:
        box.start()
        done = box.run("diff", "@", "login.ts", cwd=box.dir)
        assert "+const limit = 5;" in done.stdout, done
        assert "login.ts is src/auth/login.ts" in done.stderr, done.stderr
        done = box.run("restore", "login.ts", "--at=before:@", cwd=box.dir)
        eq(done.returncode, 0, done.stderr)
        eq(box.read("src/auth/login.ts"), shop.LOGIN)
        box.put(box.last, "api/app.ts", "one\n")
        for args in (("restore", "app.ts", "--at=before:@"),
                     ("diff", "@", "app.ts")):
            done = box.run(*args, cwd=box.dir)
            eq(done.returncode, 2, done)
            assert "2 files have that name" in done.stderr, done.stderr


def test_choosing_what_to_undo():
    """Without arguments, on a terminal; elsewhere that is an error."""
    with shop.Shop() as box:
        box.start()
        text, status = terminal.run([box.ccfc, "revert"], box.env, box.dir,
                                    [("which?", "1\n")])
        eq(status, 0, text)
        eq(box.read("src/auth/login.ts"), shop.LOGIN)
        text, status = terminal.run([box.ccfc, "revert", "--undo"], box.env,
                                    box.dir)
        eq(status, 0, text)
        assert "which?" not in text, text
        assert "limit = 5" in box.read("src/auth/login.ts")
        text, status = terminal.run(
            [box.ccfc, "restore", "--at=before:@", "--dry-run"], box.env,
            box.dir, [("which?", "1\n")])
        eq(status, 0, text)
        text, status = terminal.run([box.ccfc, "restore", "--list"], box.env,
                                    box.dir)
        assert "which?" not in text, text
        for args in (("revert",), ("restore",)):
            eq(box.run(*args, cwd=box.dir).returncode, 2)


def test_build_of_no_project():
    with Shop() as box:
        done = box.run("index", "--build", "--project=/nonexistent")
        eq((done.returncode, done.stdout), (1, ""), done.stderr)
        assert "no session worked there" in done.stderr, done.stderr
        box.ok("index", "--build", f"--project={box.blog}")


STARTS = """#!/usr/bin/python3
import os, sys, threading
sys.path = {path!r}
import skew
info = dict(skew.INFO, roots=[])
busy = dict(info, indexing=dict(running=True, filesDone=3, filesTotal=12,
                                bytesDone=3 << 20, bytesTotal=12 << 20))
left, end = [busy, info], threading.Event()

class Starts(skew.Fake):
    def reply(self, method):
        if method == "server.stop":
            end.set()
        if method == "server.info" and left:
            return None, left.pop(0)
        return super().reply(method)

Starts({socket!r}, info, {{"session.list": (None, dict(
    sessions=[], totalSessions=0))}})
os.write(int(sys.argv[1].partition("=")[2]), b"x")
end.wait()
"""


def test_first_run_says_how_far_it_is():
    """The daemon is played: what it has read does not depend on time."""
    with Box() as box:
        program = os.path.join(box.top, "starts")
        with open(program, "w", encoding="utf-8") as f:
            f.write(STARTS.format(path=sys.path, socket=box.socket))
        os.chmod(program, 0o755)
        os.makedirs(os.path.dirname(box.socket), 0o700)
        env = {**box.env, "CCFC_DAEMON": program, "CCFC_NO_SPAWN": "0"}
        text, status = terminal.run([box.ccfc, "sessions"], env, box.top)
        eq(status, 0, text)
        assert "the daemon starts, and reads" in text, text
        assert "25%  3 of 12 transcripts" in text, text
        with box.rpc() as rpc:
            rpc.post("server.stop", {})


def test_words_in_requests():
    """Clients that are not ccfc have them too."""
    with Shop() as box, box.rpc() as rpc:
        got = rpc.call("session.list", here=box.shop + "/src/auth")
        eq(got["scope"], box.shop)
        eq(got["totalSessions"], 3)
        got = rpc.call("session.list", here=box.shop)
        eq((got["scope"], got["totalSessions"]), (box.shop, 3))
        got = rpc.call("session.list", here=box.top + "/run")
        eq((got.get("scope"), got["totalSessions"]), (None, 4))
        eq(rpc.call("session.list", projectPath="@blog")["totalSessions"], 1)
        eq(rpc.call("session.list", session="1")["totalSessions"], 2)
        eq(rpc.call("session.list", session="@-1:" + box.shop)["sessions"][0][
            "id"], box.second.session)
        got = rpc.call("file.sessions", path=box.shop + "/login.ts",
                       name="login.ts", here=box.shop)
        eq(got["path"], box.shop + "/src/auth/login.ts")
        eq(got["totalSessions"], 2)
        got = rpc.call("file.at", path=got["path"], at="before:@/redirect/")
        eq(got["state"]["content"], b"one\n")
        try:
            rpc.call("session.list", here="relative")
            raise AssertionError("a relative path was taken")
        except RpcError as error:
            eq(error.code, "invalid")


if __name__ == "__main__":
    harness.main()
