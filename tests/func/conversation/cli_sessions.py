"""sessions, stats, grep and search --reads, as the command shows them."""
import json
import os
import re
import unicodedata

import harness
from cli import on_terminal
from corpus import roots
from harness import Box, eq
from recordings import by_version
from transcript import HAIKU, Ids, Transcript

P = "/home/dev/p"
BARS = re.compile("[\u2581-\u258f]")
DAY = 86_400_000


def said(transcript, text, tokens, **more):
    """A message of the model that cost something."""
    message = {"id": "msg_" + transcript.ids.tool()[6:], "type": "message",
               "role": "assistant", "model": transcript.model,
               "content": [{"type": "text", "text": text}],
               "usage": {"input_tokens": 0, "output_tokens": tokens,
                         "cache_read_input_tokens": 0,
                         "cache_creation_input_tokens": 0}}
    return transcript.emit(transcript.record("assistant", message=message,
                                             **more))


def read(transcript, path):
    tid = transcript.call("Read", {"file_path": path})
    transcript.result(tid, {"type": "text", "file": {
        "filePath": path, "content": "x\n", "numLines": 1, "startLine": 1,
        "totalLines": 1}})


class Filled(Box):
    """Two sessions in two projects, five days apart."""

    def __init__(self):
        super().__init__()
        ids = Ids(21)
        self.one = Transcript(self, ids, branch="feature/auth",
                              session="11111111-aaaa-4000-8000-000000000001")
        self.one.prompt("Please add a caf\u00e9 login")
        self.one.write(P + "/src/login.ts", "one\ntwo\n")
        self.one.edit(P + "/src/login.ts", "one", "uno")
        read(self.one, P + "/README.md")
        said(self.one, "The login page is done.", 12_000)
        ids.now += 5 * DAY
        self.two = Transcript(self, ids, cwd="/home/dev/q", model=HAIKU,
                              project="-home-dev-q",
                              session="22222222-bbbb-4000-8000-000000000002")
        self.two.prompt("Say \x1b]0;pwned\x07 something")
        read(self.two, P + "/README.md")
        read(self.two, P + "/README.md")
        self.two.edit(P + "/README.md", "a", "b")
        said(self.two, "Nothing to do with that page.", 500)
        self.start()


def width(text):
    """Columns that a line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def rows(text):
    return [json.loads(x) for x in text.splitlines()]


def ids_of(box, *args):
    done = box.run("sessions", "--format=ids", *args)
    assert done.returncode in (0, 1), done.stderr
    return [x[0] for x in done.stdout.splitlines()]


def plain(box, *args, columns=80, **env):
    """What a terminal shows, without colour, as lines."""
    text = on_terminal(box, *args, "--no-pager", columns=columns,
                       more={"NO_COLOR": "1", **env})
    return text.decode().replace("\r\n", "\n")


def test_sessions_table():
    with Filled() as box:
        text = box.ok("sessions")
        for want in ("SESSION", "TITLE", "PROJECT", "BRANCH", "LAST", "MSGS",
                     "MOD/READ", "CHANGES", "TOKENS", "MODEL", "STATUS",
                     box.one.session, "Please add a caf\u00e9 login", P,
                     "feature/auth", "2025-12-10 10:00", "12.0k", "opus-4-5",
                     "haiku-4-5", "completed", "Total: 2 sessions",
                     "3 changes"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert text.index("22222222") < text.index("11111111"), text
        one = next(x for x in text.splitlines() if "1111" in x).split()
        assert "1/1" in one, one
        assert "\x1b" not in text, text


def test_sessions_filters():
    with Filled() as box:
        eq(ids_of(box), ["2", "1"])
        eq(ids_of(box, "--project=" + P), ["1"])
        eq(ids_of(box, "--branch=feature/auth"), ["1"])
        eq(ids_of(box, "--model=haiku"), ["2"])
        eq(ids_of(box, "--status=completed"), ["2", "1"])
        eq(ids_of(box, "--status=active"), [])
        eq(ids_of(box, "--touched=/home/**/*.ts"), ["1"])
        eq(ids_of(box, "--touched=" + P + "/README.md"), ["2"])
        eq(ids_of(box, "--from=2025-12-12"), ["2"])
        eq(ids_of(box, "--to=2025-12-12"), ["1"])
        eq(ids_of(box, "--sort=tokens"), ["1", "2"])
        eq(ids_of(box, "--limit=1", "--offset=1"), ["1"])
        done = box.run("sessions", "--branch=none")
        eq((done.returncode, done.stdout), (1, ""), done.stderr)
        text = box.ok("sessions", "--limit=1")
        assert "1 of 2 sessions" in text and "--offset=1" in text, text


def test_sessions_touched_from_a_link():
    """A relative name is meant as the shell sees it, or as it really is."""
    with Filled() as box:
        real = os.path.join(box.top, "real")
        os.makedirs(real)
        os.symlink(real, os.path.join(box.top, "link"))
        Transcript(box, Ids(22), cwd=real, session="33333333-0000-4000-8000-"
                   "000000000003").write(real + "/a.c")
        done = box.run("sessions", "--touched=*.c", "--format=ids",
                       cwd=os.path.join(box.top, "link"),
                       env={**box.env, "PWD": os.path.join(box.top, "link")})
        eq(done.stdout[:8], "33333333", done.stderr)


def test_sessions_formats():
    with Filled() as box:
        got = box.json("sessions")
        eq(got["totalSessions"], 2)
        lines = rows(box.ok("sessions", "--format=jsonl"))
        eq(lines, got["sessions"], "jsonl has what json has")
        one = lines[1]
        eq((one["title"], one["totalChanges"], one["filesReadCount"]),
           ("Please add a caf\u00e9 login", 2, 1))
        eq(box.ok("sessions", "--format=paths").splitlines(),
           [box.two.path, box.one.path])
        eq(box.ok("sessions", "-0"), f"{box.two.path}\0{box.one.path}\0")


def test_narrow_terminals():
    with Filled() as box:
        seen = []
        for columns in (24, 40, 60, 80, 120, 240):
            text = plain(box, "sessions", columns=columns)
            table = [x for x in text.split("\n") if x.startswith("  ")]
            eq(len(table), 3, text)
            for line in table:
                assert width(line) <= columns, (columns, line)
            seen.append(len(table[0].split()))
        eq(seen, sorted(seen), "a wider terminal has no fewer columns")
        assert seen[0] < 4 and seen[-1] == 13, seen
        assert "2025-12-10 " in text and "ago" not in text, text
        for columns in (24, 40, 60, 80, 120):
            for args in (["stats"], ["stats", "--by=file"],
                         ["search", "--reads", P + "/README.md"]):
                text = plain(box, *args, columns=columns)
                for line in text.split("\n"):
                    if line.startswith("  "):
                        assert width(line) <= columns, (columns, line)


def test_stats():
    with Filled() as box:
        text = box.ok("stats")
        for want in ("Sessions:  2", "Changes:   3 in 2 files",
                     "2025-12-10 10:00 - 2025-12-15", "Most used tools:",
                     "Read", "Most changed files:", P + "/src/login.ts",
                     "Models:", " opus-4-5 ", "12.0k"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert not BARS.search(text) and "#" not in text, text
        got = box.json("stats")
        eq((got["totals"]["sessions"], got["totals"]["changes"]), (2, 3))
        got = box.json("stats", "1111", "--by=file")
        eq([(r["key"], r["changes"]) for r in got["rows"]],
           [(P + "/src/login.ts", 2)])
        got = box.json("stats", "--by=day", "--from=2025-12-12")
        eq([r["key"] for r in got["rows"]], ["2025-12-15"])
        text = box.ok("stats", "--by=project", "--limit=1")
        assert "PROJECT" in text and "more: --offset=1" in text, text
        assert "Most used" not in text, text
        eq(box.run("stats", "--from=2030-01-01").returncode, 1)
        eq(box.run("stats", "ffff").returncode, 1)


def test_bars():
    with Filled() as box:
        for by in ("day", "project", "model", "tool", "file", "ext"):
            text = plain(box, "stats", f"--by={by}", columns=100)
            assert "\u2588" in text, text
        text = plain(box, "stats", columns=100)
        # Six days, two of them with changes: the first has the most.
        want = "  Changes: \u2588    [\u2581-\u2587]\u2595"
        assert re.search(want, text), text
        text = plain(box, "stats", columns=100, LC_ALL="C")
        assert "####" in text and not BARS.search(text), text


def test_grep():
    with Filled() as box:
        text = box.ok("grep", "LOGIN")
        for want in (box.one.session, "2025-12-10 10:00", "user",
                     "Please add a caf\u00e9 login", "assistant",
                     "The login page is done.",
                     f"open: ccfc show {box.one.session} --message=",
                     "2 matches in 1 session", "searched"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert text.index("The login page") < text.index("    Please"), text
        assert "\x1b" not in text, text

        def found(*args):
            done = box.run("grep", "--format=jsonl", *args)
            assert done.returncode in (0, 1), done.stderr
            return [x["snippet"] for x in rows(done.stdout)]
        page = "The login page is done."
        eq(len(found("page")), 2)
        eq(found("page", "--project=" + P), [page])
        eq(found("page", "--session=1111"), [page])
        eq(found("page", "--to=2025-12-12"), [page])
        eq(found("login", "--role=assistant"), [page])
        eq(found("-s", "LOGIN"), [])
        eq(found("-s", "login", "--role=assistant"), [page])
        eq(found("-i", "CAF\u00c9"), ["Please add a caf\u00e9 login"])
        eq(found("l.gin p"), [], "plain text")
        eq(found("-e", "l.gin p"), [page])
        eq(len(found("page", "--limit=1", "--offset=1")), 1)
        assert found("login.ts", "--in=tool"), "what tools were given"
        eq(found("login.ts"), [])
        done = box.run("grep", "no such words")
        eq((done.returncode, done.stdout), (1, ""), done.stderr)
        got = box.json("grep", "page", "--limit=1")
        eq((got["totalMatches"], len(got["matches"])), (2, 1))
        start, end = got["matches"][0]["matches"][0]
        eq(got["matches"][0]["snippet"].encode()[start:end], b"page")


def test_grep_on_a_terminal():
    with Filled() as box:
        text = on_terminal(box, "grep", "page", "--no-pager").decode()
        assert "\x1b[1;31mpage\x1b[m" in text, text
        assert re.search(r"open: ccfc show 11111111 --message=[0-9a-f]{8}\x1b",
                         text), text
        text = plain(box, "grep", "something")
        assert "Say ^[]0;pwned^G something" in text, text
        assert "\x1b" not in text and "\x07" not in text, text
        text = plain(box, "sessions", columns=200)
        assert "\x1b" not in text and "\x07" not in text, text
        long = "A needle " + "and words of a long prompt, " * 6
        box.two.prompt(long)
        text = plain(box, "grep", "needle")
        eq([x for x in text.split("\n") if width(x) > 80], [])
        found = " ".join(x.strip() for x in text.split("\n")
                         if x.startswith("    "))
        assert long.startswith(found) and len(found) > 150, text
        assert "  2025-12-15  user" in text, text


def test_grep_without_matches():
    """In the words of the caller, and where else to look."""
    with Filled() as box:
        for args, words in ((("-w", "pag"), "pag"),
                            (("page", "nowhere"), "page nowhere"),
                            (("-e", "z{3}", "-w"), "z{3}")):
            done = box.run("grep", *args)
            eq(done.returncode, 1)
            assert f"nothing matches '{words}'\n" in done.stderr, done.stderr
            assert "--in=tool,result" in done.stderr, done.stderr
            assert "--all every project" in done.stderr, done.stderr
        done = box.run("grep", "--all", "--in=meta", "nowhere")
        assert "hint" not in done.stderr, done.stderr


def test_grep_in_names():
    """Only the title, project or branch that matches is shown."""
    with Filled() as box:
        text = box.ok("grep", "--in=meta", "feature/auth")
        eq([x for x in text.split("\n") if x.startswith("    ")],
           ["    feature/auth"])


def test_how_to_open_works():
    """The line that grep shows is one that show takes."""
    with Filled() as box:
        if box.run("help", "show").returncode:
            raise harness.Skip("there is no show yet")
        agent = Transcript(box, box.one.ids, session=box.one.session,
                           agent="a1b2c3d")
        agent.prompt("look around")
        agent.text("I looked around everywhere")
        for words, want in (("is done", "The login page is done."),
                            ("everywhere", "I looked around everywhere")):
            line = re.search("open: ccfc (.*)", plain(box, "grep", words))[1]
            assert want in box.ok(*line.split()), line


def test_search_reads():
    with Filled() as box:
        text = box.ok("search", "--reads", P + "/README.md")
        for want in ("Read by 2 sessions", "READS", "LAST READ",
                     box.two.session, box.one.session,
                     "3 reads across 2 sessions"):
            assert want in text, f"{want!r} is not in\n{text}"
        got = box.json("search", P + "/README.md", "--reads")
        eq([(s["sessionId"], s["readCount"], s["changeCount"])
            for s in got["sessions"]],
           [(box.two.session, 2, 1), (box.one.session, 1, 0)])
        eq(box.ok("search", P + "/README.md", "--reads", "--format=paths"),
           P + "/README.md\n")
        eq(len(rows(box.ok("files", "search", P + "/README.md", "--reads",
                           "--format=jsonl", "--project=" + P))), 1)
        eq(box.run("search", P + "/src/login.ts", "--reads").returncode, 1)


def test_exit_codes():
    with Filled() as box:
        table = [
            (["sessions", "x"], 2), (["sessions", "--sort=size"], 2),
            (["sessions", "--status=dead"], 2),
            (["sessions", "--format=yaml"], 2),
            (["sessions", "-0", "--format=json"], 2),
            (["sessions", "--from=2025-12-31", "--to=2025-01-01"], 2),
            (["grep"], 2), (["grep", ""], 2), (["grep", "a", ""], 2),
            (["grep", "-e", "("], 2), (["grep", "-is", "a"], 2),
            (["grep", "a", "--in=title"], 2),
            (["grep", "a", "--session=ffff"], 1),
            (["stats", "a", "b"], 2), (["stats", "--by=hours"], 2),
            (["search", "--reads"], 2),
            (["search", "--reads", "a", "--state=all"], 2),
            (["search", "--reads", "a", "--show-changes"], 2),
        ]
        for args, want in table:
            done = box.run(*args)
            eq(done.returncode, want, f"ccfc {args}: {done.stderr}")
            assert done.stderr.startswith("ccfc: "), done.stderr
            eq(done.stdout, "", args)
        for name in ("sessions", "grep", "stats"):
            assert "Examples:" in box.ok(name, "--help")
            assert f"  {name} " in box.ok("help")
        box.stop()
        for args in (["sessions"], ["stats"], ["grep", "x"]):
            eq(box.run(*args).returncode, 3)


def check_recordings(scenarios):
    """The texts say what the JSON says; returns the sessions."""
    with Box(roots=[r for s in scenarios for r in roots(s)]) as box:
        box.start()
        got = box.json("sessions", "--limit=100000")
        text = box.ok("sessions", "--limit=100000")
        for s in got["sessions"]:
            assert s["sessionId"] in text, s
        assert f"Total: {got['totalSessions']} session" in text, text[-200:]
        stats = box.json("stats")
        text = box.ok("stats")
        for key, label in (("sessions", "Sessions:  "),
                           ("messages", "Messages:  "),
                           ("toolCalls", "Tools:     "),
                           ("changes", "Changes:   ")):
            assert f"{label}{stats['totals'][key]}" in text, text
        for tool in stats["tools"]:
            assert f"  {tool['name']} " in text, text
        hits = box.json("grep", "the", "--in=text,tool,result", "--limit=1000")
        text = box.ok("grep", "the", "--in=text,tool,result", "--limit=1000")
        eq(text.count("open: ccfc show "), len(hits["matches"]))
        for hit in hits["matches"]:
            # The last may be cut where the snippet ends.
            start, end = hit["matches"][0]
            eq(hit["snippet"].encode()[start:end].lower(), b"the")
        return got["totalSessions"]


def test_recordings():
    seen = sum(check_recordings(every) for every in by_version().values())
    assert seen > 50, seen


if __name__ == "__main__":
    harness.main()
