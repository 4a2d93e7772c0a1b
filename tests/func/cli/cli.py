"""The command line: formats, exit codes, arguments, and what a terminal sees."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import harness
from harness import Box, append, eq
from transcript import HAIKU, Ids, Transcript

P = "/home/dev/p"


class Filled(Box):
    """A box with two sessions in it, and a daemon."""

    def __init__(self):
        super().__init__()
        ids = Ids(11)
        self.one = Transcript(self, ids, session="11111111-aaaa-4000-8000-"
                              "000000000001", branch="feature/auth")
        self.one.prompt()
        self.one.write(P + "/src/auth/login.ts", "one\ntwo\n")
        self.one.edit(P + "/src/auth/login.ts", "one", "uno")
        self.one.edit(P + "/README.md", "a", "b")
        ids.now += 5 * 86_400_000
        self.two = Transcript(self, ids, session="11111111-bbbb-4000-8000-"
                              "000000000002", cwd="/home/dev/q",
                              project="-home-dev-q", model=HAIKU)
        self.two.prompt()
        self.two.edit(P + "/src/auth/login.ts", "two", "due")
        self.two.write("/home/dev/q/\u65e5\u672c.py", "x\n")
        failed = self.two.call("Edit", {"file_path": P + "/bad.ts",
                                        "old_string": "a",
                                        "new_string": "b"})
        self.two.result(failed, "Error: x", "x", error=True)
        self.start()


def rows(text):
    return [json.loads(x) for x in text.splitlines()]


def test_list_table():
    with Filled() as box:
        text = box.ok("list", box.one.session)
        for want in (box.one.session, "Session:", "Project:", P, "Branch:",
                     "feature/auth", "Period:", "2 files", "3 changes",
                     "PATH", "CHANGES", "TOOLS", "src/auth/login.ts",
                     "Write, Edit", "By Extension:", ".ts (1)", ".md (1)",
                     "By Directory:", "src/auth/ (1)"):
            assert want in text, f"{want!r} is not in\n{text}"
        assert "\x1b" not in text, "colour without a terminal"


def test_search_table():
    with Filled() as box:
        text = box.ok("search", P + "/src/auth/login.ts")
        for want in ("File:", "2 sessions", "SESSION", "PROJECT", "BRANCH",
                     "CHANGES", "LAST MODIFIED", "feature/auth",
                     "3 changes"):
            assert want in text, f"{want!r} is not in\n{text}"
        at_two = text.index(box.two.session[:13])
        assert at_two < text.index(box.one.session[:13]), "most recent first"


def test_show_changes():
    with Filled() as box:
        text = box.ok("list", box.one.session, "--show-changes")
        for want in ("[1]", "[2]", "- one", "+ uno", "(Edit)", "(Write)"):
            assert want in text, f"{want!r} is not in\n{text}"
        text = box.ok("search", P + "/src/auth/login.ts", "--show-changes")
        for want in ("- two", "+ due", "[1]"):
            assert want in text, f"{want!r} is not in\n{text}"


def test_json_formats():
    with Filled() as box:
        got = box.json("list", box.one.session)
        eq((got["sessionId"], got["totalFilesChanged"], got["totalChanges"],
            got["gitBranch"], got["projectPath"]),
           (box.one.session, 2, 3, "feature/auth", P))
        eq(got["byExtension"], {".ts": 1, ".md": 1})
        eq(got["byDirectory"], {"src/auth/": 1, "./": 1})
        assert "newContent" not in got["files"][0]["changes"][0]
        got = box.json("list", box.one.session, "--show-changes")
        eq(got["files"][0]["changes"][1]["oldContent"], "one")
        eq(got["files"][0]["changes"][1]["newContent"], "uno")
        got = box.json("search", P + "/src/auth/login.ts")
        eq((got["totalSessions"], got["totalChanges"]), (2, 3))
        for value in (got["firstModified"], got["lastModified"]):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                                value), value
        assert rows(box.ok("list", box.one.session, "--format=jsonl"))
        assert rows(box.ok("search", P + "/**", "--format=jsonl"))
        assert rows(box.ok("index", "--dump"))


def test_paths_and_zero():
    with Filled() as box:
        eq(box.ok("list", box.one.session, "--format=paths").splitlines(),
           [P + "/src/auth/login.ts", P + "/README.md"])
        eq(box.ok("list", box.one.session, "--format=paths", "-0"),
           f"{P}/src/auth/login.ts\0{P}/README.md\0")
        eq(box.ok("search", "/home/dev/q/*.py",
                  "--format=paths").splitlines(),
           ["/home/dev/q/\u65e5\u672c.py"])


def test_filters():
    with Filled() as box:
        def paths(*args):
            done = box.run("list", box.one.session, "--format=paths", *args)
            return [os.path.basename(x) for x in done.stdout.splitlines()]
        eq(paths("--ext=.ts"), ["login.ts"])
        eq(paths("--ext=.ts,.md"), ["login.ts", "README.md"])
        eq(paths("--dir=src/"), ["login.ts"])
        eq(paths("--dir=" + P + "/src"), ["login.ts"])
        eq(paths("--tool=Write"), ["login.ts"])
        eq(paths("--ext=.py"), [])
        eq(box.run("list", box.one.session, "--ext=.py").returncode, 1)
        eq(box.run("search", P + "/bad.ts").returncode, 1)
        eq(box.run("list", box.two.session, "--state=failed",
                   "--format=paths").stdout, P + "/bad.ts\n")
        eq(box.json("search", P + "/src/auth/login.ts",
                    "--project=" + P)["totalSessions"], 1)
        got = box.json("search", P + "/src/auth/login.ts", "--limit=1")
        eq((len(got["sessions"]), got["totalSessions"], got["truncated"]),
           (1, 2, True))
        got = box.json("search", P + "/src/auth/login.ts", "--limit=1",
                       "--offset=1")
        eq(got["sessions"][0]["sessionId"], box.one.session)


def test_dates():
    with Filled() as box:
        def sessions(*args):
            done = box.run("search", P + "/src/auth/login.ts",
                           "--format=json", *args)
            return len(json.loads(done.stdout)["sessions"]) \
                if done.returncode == 0 else -done.returncode
        eq(sessions("--from=2025-12-10", "--to=2025-12-10"), 1)
        eq(sessions("--from=2025-12-11"), 1)
        eq(sessions("--to=2025-12-09"), -1)
        eq(sessions("--from=2025-12-10T09:59:00Z",
                    "--to=2025-12-10T10:30:00Z"), 1)
        eq(sessions("--from=2025-12-10T12:00:00+01:00"), 1)
        eq(sessions("--from=2025-13-45"), -2)
        eq(sessions("--from=2025-12-31", "--to=2025-01-01"), -2)


def test_session_arguments():
    with Filled() as box:
        eq(box.json("list", "11111111-a")["sessionId"], box.one.session)
        eq(box.json("list", box.two.path)["sessionId"], box.two.session)
        done = box.run("list", "1111")
        eq(done.returncode, 2, "ambiguous")
        for want in ("11111111-a", "11111111-b"):
            assert want in done.stderr, done.stderr
        done = box.run("list", "ffff")
        eq(done.returncode, 1, "unknown session")
        assert done.stderr.startswith("ccfc: "), done.stderr
        eq(done.stdout, "")


def test_path_arguments():
    with Filled() as box:
        home = os.path.join(box.top, "work")
        t = Transcript(box, Ids(12), cwd=home, project="-work")
        t.write(home + "/src/a.c")
        t.write(home + "/src/deep/er/b.c")
        t.write(home + "/src/od[d].c")
        os.makedirs(home + "/src")
        os.symlink(home, os.path.join(box.top, "link"))

        def found(what, cwd=home):
            done = box.run("search", what, "--format=paths", cwd=cwd)
            assert done.returncode in (0, 1), done.stderr
            return sorted(os.path.relpath(x, home)
                          for x in done.stdout.splitlines())
        eq(found("src/a.c"), ["src/a.c"])
        eq(found("./src/../src/a.c"), ["src/a.c"])
        eq(found("a.c", home + "/src"), ["src/a.c"])
        eq(found("../a.c"), [])
        eq(found("a.c"), ["src/a.c"], "the only one of that name")
        eq(found("src/*.c"), ["src/a.c", "src/od[d].c"])
        eq(found("src/**/*.c"), ["src/a.c", "src/deep/er/b.c",
                                 "src/od[d].c"])
        eq(found("**/b.c"), ["src/deep/er/b.c"])
        eq(found("src/{a,deep/er/b}.c"), ["src/a.c", "src/deep/er/b.c"])
        eq(found("src/[ab].c"), ["src/a.c"])
        eq(found("src/[!a].c"), [])
        eq(found("src/?.c"), ["src/a.c"])
        eq(found("src/od\\[d\\].c"), ["src/od[d].c"])
        eq(found(os.path.join(box.top, "link", "src", "a.c")), ["src/a.c"],
           "a symlink on the query side")


def test_exit_codes():
    with Filled() as box:
        table = [
            (["search", P + "/README.md"], 0),
            (["search", P + "/none"], 1),
            (["search", "**/none"], 1),
            (["search"], 2),
            (["search", ""], 2),
            (["search", "a", "b"], 2),
            (["search", "x", "--format=yaml"], 2),
            (["search", "x", "--limit=0"], 2),
            (["search", "x", "--limit=many"], 2),
            (["search", "x", "--offset=-1"], 2),
            (["search", "--bogus", "x"], 2),
            (["list"], 1),  # the latest session here: there is none
            (["revert"], 2),
            (["serach", "x"], 2),
            ([], 0),
            (["--help"], 0),
            (["--version"], 0),
            (["help"], 0),
            (["search", "--help"], 0),
            (["status"], 0),
            (["index", "--stats"], 0),
            (["files", "search", P + "/README.md"], 0),
            (["files", "list", "11111111-a"], 0),
            (["files", "index", "--stats"], 0),
            (["search", "--", "--format=json"], 1),
        ]
        for args, want in table:
            done = box.run(*args)
            eq(done.returncode, want, f"ccfc {args}: {done.stderr}")
            if want == 2:
                assert done.stderr.startswith("ccfc: ") or not args, \
                    done.stderr
                assert "\n" in done.stderr
        assert "search" in box.run("serach", "x").stderr, "did you mean"
        assert "format" in box.run("search", "x", "--fromat=json").stderr


def test_what_cannot_be_done_is_an_error():
    """Not "nothing found", whatever the system says."""
    with Filled() as box:
        blocked = os.path.join(box.top, "a-file")
        with open(blocked, "w", encoding="ascii"):
            pass
        below = os.path.join(blocked, "x")
        done = box.run("recover", "11111111-a", "-o", blocked)
        eq(done.returncode, 2, done.stderr)
        assert blocked in done.stderr, done.stderr
        env = dict(box.env, CCFC_STATE_DIR=below, CCFC_SOCKET=box.top + "/s",
                   CCFC_NO_SPAWN="0")
        done = subprocess.run([box.ccfc, "list", "11111111-a"], env=env,
                              capture_output=True, text=True, check=False)
        eq(done.returncode, 2, done.stderr)
        assert "CCFC_STATE_DIR" in done.stderr, done.stderr
        gone = os.path.join(box.top, "gone")
        os.mkdir(gone)
        done = subprocess.run(
            ["sh", "-c", 'rmdir "$PWD" && exec "$0" search x', box.ccfc],
            env=box.env, cwd=gone, capture_output=True, text=True, check=False)
        eq(done.returncode, 2, done.stderr)


def test_hints():
    with Filled() as box:
        here = os.path.join(box.top, "dir")
        os.mkdir(here)
        for command in ("search", "cat", "blame"):
            done = box.run(command, here)
            eq(done.returncode, 1, done.stderr)
            assert "it is a directory" in done.stderr, done.stderr
        for command in ("list", "diff", "revert", "recover"):
            done = box.run(command, "")
            eq(done.returncode, 2, done.stderr)
            assert "session is empty" in done.stderr, done.stderr
        # Three files match, each with a change or more.
        done = box.run("log", "/home/dev/**", "--limit=1")
        assert done.stdout.endswith("\nmore: --offset=1\n"), done.stdout
        assert f"search '{here}/**'" in box.run("search", here).stderr
        done = box.run("log", "/home/dev/**", "--limit=5")
        assert "more:" not in done.stdout, "all of them"


def test_a_note_is_made_once():
    with Filled() as box:
        for text in ("one", "two", "three"):
            box.one.edit(P + "/notes.md", text, text + "!")
        done = box.run("diff", "11111111-a", "--ext=.md", "--stat")
        notes = [x for x in done.stderr.splitlines() if "notes.md" in x]
        eq(len(notes), 1, done.stderr)


def test_the_seeds_spelling_is_the_same():
    with Filled() as box:
        for args in (["list", box.one.session], ["search", P + "/README.md"]):
            eq(box.ok("files", *args), box.ok(*args))


def test_status_and_stats():
    with Filled() as box:
        text = box.ok("status")
        assert box.socket in text and str(box.daemon.pid) in text, text
        stats = box.json("index", "--stats")
        eq((stats["totalSessions"], stats["totalFiles"],
            stats["totalChanges"]), (2, 3, 5))
        eq(stats["changesByState"]["failed"], 1)
        built = box.json("index", "--build")
        eq(built["totalChanges"], 5)


def on_terminal(box, *args, columns=80, more=None):
    """What ccfc writes to a terminal of that width."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        raise harness.Skip(f"no terminal to be had: {error}") from None
    fcntl.ioctl(slave, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [box.ccfc, *args], stdin=slave, stdout=slave, stderr=slave,
        cwd=box.top, env={**box.env, "TERM": "xterm-256color",
                          **(more or {})})
    os.close(slave)
    text = b""
    deadline = time.monotonic() + harness.LIMIT
    while select.select([master], [], [], deadline - time.monotonic())[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    os.close(master)
    process.wait(harness.LIMIT)
    return text


def test_control_characters_on_a_terminal():
    with Filled() as box:
        t = Transcript(box, Ids(13), session="22222222-0000-4000-8000-"
                       "000000000003", branch="x\x1b]0;pwned\x07")
        path = P + "/e\x1b[31mvil\x07\r.c"
        t.write(path, "a\x1b]0;pwned\x07b\u009b31m\n")
        for args in (["list", t.session, "--show-changes"],
                     ["search", path, "--show-changes"],
                     ["list", t.session, "--format=paths"]):
            text = on_terminal(box, *args, "--no-pager",
                               more={"NO_COLOR": "1"})
            for bad in (b"\x1b]", b"\x1b[31m", b"\x07", "\u009b".encode()):
                assert bad not in text, (args, text)
            assert b"^[" in text, (args, text)
        got = box.json("list", t.session)
        eq(got["files"][0]["path"], path, "exact in JSON")
        eq(box.ok("list", t.session, "--format=paths", "-0"), path + "\0")


def width(text):
    """Columns that a line takes, for the wide letters used here."""
    return sum(2 if ord(c) >= 0x1100 else 1 for c in text)


def test_width_of_the_terminal():
    with Filled() as box:
        for columns in (24, 40, 60, 80, 200):
            text = on_terminal(box, "list", box.two.session, "--no-pager",
                               columns=columns, more={"NO_COLOR": "1"})
            for line in text.decode().split("\n"):
                got = width(line.rstrip("\r"))
                if line.startswith("  "):
                    assert got <= columns, (columns, got, line)


def test_colour():
    with Filled() as box:
        assert b"\x1b[" in on_terminal(box, "list", box.one.session,
                                       "--no-pager")
        plain = on_terminal(box, "list", box.one.session, "--no-pager",
                            more={"NO_COLOR": "1"})
        assert b"\x1b[" not in plain, plain
        assert "\x1b[" in box.ok("list", box.one.session, "--color=always")


def start_watch(box, *args):
    return subprocess.Popen([box.ccfc, "watch", *args], env=box.env,
                            cwd=box.top, stdin=subprocess.DEVNULL, bufsize=0,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def next_line(process):
    assert select.select([process.stdout], [], [], harness.LIMIT)[0], \
        "nothing in time"
    return process.stdout.readline()


def test_watch():
    with Filled() as box:
        watch = start_watch(box, "--format=jsonl", "--path=/**/*.c")
        hello = json.loads(next_line(watch))
        clock = hello["clock"]
        tid = box.one.write(P + "/new.c")
        box.one.write(P + "/new.h")
        event = json.loads(next_line(watch))
        eq((event["toolUseId"], event["path"]), (tid, P + "/new.c"))
        last = box.one.edit(P + "/new.c")
        eq(json.loads(next_line(watch))["toolUseId"], last)
        again = start_watch(box, "--format=jsonl", f"--since={clock}",
                            "--path=/**/*.c")
        next_line(again)
        eq([json.loads(next_line(again))["toolUseId"] for _ in range(2)],
           [tid, last], "since")
        again.stdout.close()
        box.one.write(P + "/more.c")
        eq(again.wait(harness.LIMIT), 0, "exit code on EPIPE")
        eq(again.stderr.read(), b"", "stderr on EPIPE")
        again.stderr.close()
        next_line(watch)
        box.stop()
        eq(watch.wait(harness.LIMIT), 3, "exit code when the daemon goes")
        watch.stdout.close()
        watch.stderr.close()


def test_stdout_is_a_closed_pipe():
    with Filled() as box:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([box.ccfc, "list", box.one.session],
                              env=box.env, stdout=writer, check=False,
                              stderr=subprocess.PIPE, cwd=box.top,
                              timeout=harness.LIMIT)
        os.close(writer)
        assert done.returncode in (0, -13), done.returncode
        eq(done.stderr, b"")


def test_big_and_binary_content():
    with Filled() as box:
        t = Transcript(box, Ids(14))
        t.write(P + "/big", "x" * 200_000)
        t.write(P + "/nul", "a\0b")
        got = box.json("list", t.session, "--show-changes")
        files = {f["path"]: f["changes"][0] for f in got["files"]}
        eq(files[P + "/big"].get("truncated"), True)
        eq(len(files[P + "/big"]["newContent"]), 65536)
        eq(files[P + "/nul"].get("binary"), True)
        assert "newContent" not in files[P + "/nul"]


def test_lone_surrogates_and_bad_bytes():
    with Filled() as box:
        t = Transcript(box, Ids(15))
        t.live = False
        t.write(P + "/SURR.c", "text SURR\n")
        data = b"".join(t.lines).replace(b"SURR", b"\\ud800x")
        append(t.path, data)
        got = box.json("list", t.session, "--show-changes")
        eq(got["files"][0]["path"], P + "/\ufffdx.c")


if __name__ == "__main__":
    harness.main()
