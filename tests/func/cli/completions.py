"""Completions, in the real bash, zsh and fish, and what they are made of."""
import os
import shlex
import socket
import subprocess

import harness
import shells
from harness import Box, eq
from shells import ALL, LIST, SCRIPTS
from transcript import HAIKU, Ids, Transcript

ONE_ID = "11111111-aaaa-4000-8000-000000000001"
TWO_ID = "22222222-bbbb-4000-8000-000000000002"
# What is offered of them.
ONE, TWO = ONE_ID[:8], TWO_ID[:8]
AGENT = "a1b2c3d4e5f60718"
# Files that are gone, in gone/, and files that are there, in here/.
NAMES = ["a b.ts", "c'd.ts", "e$f.ts", "g\"h.ts", "[id].tsx", "i;j&k.ts",
         "l*m?.ts", "n\\o.ts", "(p).ts", "q=r:s.ts", "\u00e9t\u00e9.ts",
         "\u65e5\u672c.ts", "#t.ts", "!u.ts", "~v.ts", "w`x.ts", "{y,z}.ts"]
BAD = ["new\nline.ts", "tab\there.ts", "esc\x1b[31m.ts", "bidi\u202e.ts"]


class Filled(Box):
    """Two sessions whose files are gone, and a directory with files."""

    def __init__(self, start=True):
        super().__init__()
        self.cwd = os.path.join(self.top, "work dir")
        os.makedirs(os.path.join(self.cwd, "here", "sub dir"))
        for name in NAMES:
            with open(os.path.join(self.cwd, "here", name), "w",
                      encoding="utf-8"):
                pass
        ids = Ids(31)
        self.one = Transcript(self, ids, session=ONE_ID, cwd=self.cwd,
                              branch="fix/it's-$HOME")
        self.one.prompt("Say \x1b]0;pwned\x07\tthat: it's $HOME")
        for name in NAMES + BAD:
            self.change = self.one.write(f"{self.cwd}/gone/{name}")
        self.one.write(self.cwd + "/gone/deep/er/x.py")
        self.one.write(self.cwd + "/here/~v.ts")
        task = self.one.call("Task", {"description": "look around",
                                      "prompt": "go",
                                      "subagent_type": "Explore"})
        Transcript(self, ids, session=ONE_ID, agent=AGENT, cwd=self.cwd,
                   path=os.path.join(self.project(), ONE_ID, "subagents",
                                     f"agent-{AGENT}.jsonl")).text("hm")
        self.one.result(task, {"status": "completed", "agentId": AGENT,
                               "agentType": "Explore", "content": []}, "x")
        ids.now += 86_400_000
        self.two = Transcript(self, ids, session=TWO_ID, model=HAIKU)
        self.two.prompt("Second title")
        self.two.edit("/home/dev/p/x.ts")
        self.env["PATH"] = os.path.dirname(self.ccfc) + ":" + self.env["PATH"]
        # No test depends on how fast the machine is.
        self.env["CCFC_COMPLETE_TIMEOUT"] = "60000"
        if start:
            self.start()

    def words(self, *words, env=None):
        """Head and candidates: (files, stem, [(value, about)])."""
        done = self.run("__complete", "words", *words, env=env, cwd=self.cwd)
        eq((done.returncode, done.stderr), (0, ""), "the end")
        lines = done.stdout.split("\n")
        eq(lines.pop(), "", "after the last line")
        files, stem = lines[0].split("\t")
        return files, stem, [tuple((x + "\t").split("\t")[:2])
                             for x in lines[1:]]

    def values(self, *words):
        return [v for v, _ in self.words(*words)[2]]

    def bash(self, source=None):
        return shells.bash(self.env, self.cwd, self.top, source)

    def zsh(self):
        return shells.zsh(self.env, self.cwd, self.top)

    def fish(self, line, escape=False):
        return shells.fish(self.env, self.cwd, line, escape)


# ---- what all shells are told ----

def test_sessions():
    with Filled() as box:
        files, stem, got = box.words("list", "")
        eq((files, stem), ("none", ""))
        eq([v for v, _ in got], [ONE, TWO], "this project's are first")
        eq(got[1][1], "2025-12-11 10:00  Second title")
        assert "^[]0;pwned^G" in got[0][1] and "\x1b" not in got[0][1], got
        eq(box.values("list", TWO_ID[:10]), [TWO_ID], "more than is shown")
        eq(box.values("show", "1"), [ONE])
        eq(box.values("show", "x"), [])
        eq(box.words("grep", "x", "--session=2")[1:],
           ("--session=", [(TWO, "2025-12-11 10:00  Second title")]))
        eq(box.values("watch", "--session", "1"), [ONE])
        eq(box.words("list", "./")[0], "files")  # a transcript's path
        for command in ("export", "diff", "stats", "recover", "revert"):
            eq(box.values(command, "2"), [TWO], command)
        assert ONE in box.values("log", "1")


def test_fifty():
    with Filled(start=False) as box:
        ids = Ids(5)
        for i in range(300):
            ids.now += 1_000_000
            Transcript(box, ids, session=f"{i:08d}-0000-4000-8000-"
                       "000000000000").prompt(f"number {i}")
        box.start()
        eq([v[:8] for v in box.values("list", "")],
           [ONE, *(f"{i:08d}" for i in range(299, 250, -1))])
        # A prefix also finds what is older than those.
        eq([v[:8] for v in box.values("list", "0000000")],
           [f"{i:08d}" for i in range(9, -1, -1)])


def test_known_paths():
    with Filled() as box:
        files, _, got = box.words("search", "gone/")
        eq(files, "files")
        eq(sorted(v for v, _ in got),
           sorted([f"gone/{n}" for n in NAMES] + ["gone/deep/"]))
        eq(box.values("cat", "gone/["), ["gone/[id].tsx"])
        eq(box.values("blame", "go"), ["gone/"])
        eq(box.values("restore", "gone/deep/"), ["gone/deep/er/"])
        eq(box.values("log", "gone/deep/er/"), ["gone/deep/er/x.py"])
        absolute = box.cwd + "/gone/\u00e9"
        eq(box.values("search", absolute), [absolute + "t\u00e9.ts"])
        eq(box.values("search", "here/"), [], "what is there: the shell's")
        eq(box.values("diff", ONE, "gone/{"), ["gone/{y,z}.ts"])
        eq(box.values("sessions", "--touched=gone/#"), ["gone/#t.ts"])


def test_ids():
    with Filled() as box:
        eq(box.values("diff", box.change[:12]), [box.change])
        assert box.change not in box.values("diff", "")
        _, stem, got = box.words("cat", "gone/a b.ts", "--at=")
        eq(stem, "--at=")
        ids = [v for v, _ in got]
        eq((ids[0], ids[2], len(ids)), ("before:", ONE, 3))
        assert ids[1].startswith("toolu_"), ids
        eq(box.words("cat", "gone/a b.ts", "--at=before:1")[1:],
           ("--at=before:", [got[2]]))
        eq(box.values("blame", "--at", "2"), [TWO])
        eq(box.words("show", ONE, "--agent=")[2], [(AGENT, "look around")])
        eq(box.values("show", TWO, "--agent="), [])
        eq(sorted(box.values("sessions", "--branch=")),
           ["fix/it's-$HOME", "main"])
        eq(box.values("sessions", "--model", "claude-h"), [HAIKU])
        eq(box.values("list", ONE, "--tool=Task,W"), ["Write"])
        for command in ("list", "search", "log", "diff", "watch"):
            eq(box.values(command, "--evidence=recorded,pa"), ["parsed"])


def test_no_daemon():
    """None is started, and what the tables know is there all the same."""
    with Filled(start=False) as box:
        mark = os.path.join(box.top, "started")
        fake = os.path.join(box.top, "ccfcd")
        with open(fake, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\ntouch {mark}\n")
        os.chmod(fake, 0o755)
        env = {**box.env, "CCFC_DAEMON": fake, "CCFC_NO_SPAWN": ""}
        eq(box.words("list", "", env=env), ("none", "", []))
        eq(box.words("cat", "--at=", env=env)[2],
           [("before:", "before a session or a change")])
        assert not os.path.exists(mark), "a daemon was started"
        assert not os.path.exists(box.socket), "there is a socket"


def silent(box):
    """A daemon that accepts, and never says a word."""
    os.makedirs(os.path.dirname(box.socket), mode=0o700)
    server = socket.socket(socket.AF_UNIX)
    server.bind(box.socket)
    server.listen(0)
    return server


def test_slow_daemon():
    with Filled(start=False) as box, silent(box):
        env = {**box.env, "CCFC_COMPLETE_TIMEOUT": "20"}
        eq(box.words("cat", "--at=bef", env=env)[2][0][0], "before:")
        # Nor does it wait for a place in the queue.
        queue = []
        try:
            while True:
                queue.append(socket.socket(socket.AF_UNIX))
                queue[-1].setblocking(False)
                queue[-1].connect(box.socket)
        except BlockingIOError:
            pass
        eq(box.words("list", "", env=env), ("none", "", []))
        del env["CCFC_COMPLETE_TIMEOUT"]
        eq(box.words("list", "", env=env), ("none", "", []))
        for each in queue:
            each.close()


def test_nonsense():
    """No line is an error, and none is answered with one."""
    with Filled(start=False) as box:
        for words in ([], ["words"], ["bash"], ["bash", "ccfc"], ["x", "y"],
                      ["bash", "", ""], ["bash", "ccfc", ""],
                      ["words", "nosuch", ""], ["words", "list", "--x=\n"],
                      ["bash", "ccfc list '\"\\", " "],
                      ["words", "list", "--nosuch", "--nosuch=", "-Z", "-"]):
            done = box.run("__complete", *words)
            eq((done.returncode, done.stderr), (0, ""), words)
        eq(box.words("nosuch", ""), ("none", "", []))
        done = box.run("__complete", "words", "list", "--dir=a\n,")
        eq(done.stdout, "", "a newline in what stays")
        assert "__complete" not in box.ok("help")


# ---- the shells ----

TYPED = [
    # typed, completed in bash and zsh, and fish
    ("ccfc sear", "ccfc search "),
    ("ccfc list --form", "ccfc list --format="),
    ("ccfc list --format=d", "ccfc list --format=diff "),
    ("ccfc list --format d", "ccfc list --format diff "),
    ("ccfc sessions --sort=to", "ccfc sessions --sort=tokens "),
    ("ccfc stats --by mod", "ccfc stats --by model "),
    ("ccfc list --state=failed,den", "ccfc list --state=failed,denied "),
    ("ccfc --color=al", "ccfc --color=always "),
    ("ccfc --color al", "ccfc --color always "),
    ("ccfc --color=never sear", "ccfc --color=never search "),
    ("ccfc files sea", "ccfc files search "),
    ("ccfc files list --ex", "ccfc files list --ext="),
    ("ccfc help bla", "ccfc help blame "),
    ("ccfc search -- --re", "ccfc search -- --re"),
    ("ccfc search --re", "ccfc search --reads "),
    ("ccfc list 22", f"ccfc list {TWO} "),
    ("ccfc grep x --session=22", f"ccfc grep x --session={TWO} "),
    ("ccfc cat --at=before:22", f"ccfc cat --at=before:{TWO} "),
    ("ccfc cat --at=bef", "ccfc cat --at=before:"),
    ("ccfc show 11 --agent=", f"ccfc show 11 --agent={AGENT} "),
    ("ccfc search he", "ccfc search here/"),
    ("ccfc search gon", "ccfc search gone/"),
    ("ccfc search gone/dee", "ccfc search gone/deep/"),
    ("ccfc sessions --project=h", "ccfc sessions --project=here/"),
    ("ccfc export 1 -ohere/su", "ccfc export 1 -ohere/sub\\ dir/"),
    ("ccfc export 1 -o here/su", "ccfc export 1 -o here/sub\\ dir/"),
    ("ccfc export 1 --output=here/su", "ccfc export 1 --output=here/sub\\ dir/"),
]


def test_bash_lines():
    with Filled() as box, box.bash() as bash:
        for typed, want in TYPED:
            eq(bash.press(typed), want, typed)
        eq(bash.press("X=1 ccfc sear"), "X=1 ccfc search ")
        eq(bash.press("true; ccfc sear"), "true; ccfc search ")
        os.makedirs(os.path.join(box.home, "at home"))
        eq(bash.press("ccfc search ~/at"), "ccfc search ~/at\\ home/")
        eq(bash.press("ccfc search $HOME/at"), "ccfc search $HOME/at\\ home/")
        eq(bash.press("ccfc list ", ALL), f"ccfc list {ONE} {TWO} ")
        eq(bash.press("ccfc sessions --branch=f"),
           "ccfc sessions --branch=fix/it\\'s-\\$HOME ")
        eq(bash.press("ccfc sessions --branch='f"),
           "ccfc sessions --branch='fix/it'\\''s-$HOME' ")
        eq(bash.press('ccfc sessions --branch="f'),
           'ccfc sessions --branch="fix/it\'s-\\$HOME" ')


def test_zsh_lines():
    with Filled() as box, box.zsh() as zsh:
        for typed, want in TYPED:
            eq(zsh.press(typed), want, typed)
        eq(zsh.press("ccfc list ", ALL), f"ccfc list {ONE} {TWO} ")
        eq(zsh.press("ccfc sessions --branch=f"),
           "ccfc sessions --branch=fix/it\\'s-\\$HOME ")
        # Described, and with nothing in it that moves the cursor.
        zsh.press("ccfc list ", LIST)
        screen = zsh.screen.decode()
        for want in ("Second title", ONE, "^[]0;pwned^G", "2025-12-10"):
            assert want in screen, screen


def test_fish_lines():
    with Filled() as box:
        for typed, want in TYPED:
            got = [v for v, _ in box.fish(typed, escape=True)]
            last = want.split(" ", want.count(" ") - want.count("\\ ") -
                              want.endswith(" "))[-1].rstrip(" ")
            eq(got, [] if want == typed else [last], typed)
        got = box.fish("ccfc list ")
        eq([v for v, _ in got], [ONE, TWO], "this project first")
        eq(got[1][1], "2025-12-11 10:00  Second title")
        assert "^[]0;pwned^G" in got[0][1], got
        eq(box.fish("ccfc sessions --branch=f"),
           [("--branch=fix/it's-$HOME", "")])


def read_back(line, shell):
    """The last word of a line, as the shell itself reads it."""
    done = subprocess.run([shells.need(shell), "-c",
                           line.replace("ccfc", "printf '%s\\n'", 1)],
                          capture_output=True, check=True,
                          stdin=subprocess.DEVNULL,
                          env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
    return done.stdout.decode().split("\n")[1:-1]


def starts(path, shell):
    """Ways to type it: escaped, in an open quote, as a value, quoted."""
    head, first = path[:-1], path[-1]
    escaped = path if first.isalnum() else head + "\\" + first
    yield "search", escaped
    # zsh itself leaves the quote open there.
    if (shell, path) != ("zsh", "here/c"):
        yield "search", "'" + path
    if first != "!":  # history, which read_back has not
        yield "search", '"' + head + (
            "\\" if first in '$`"' else "") + first
    yield "sessions", "--touched=" + escaped
    # zsh itself puts its blank inside.
    if shell == "bash":
        yield "search", shlex.quote(path)


def check_names(box, terminal, shell):
    """Each name, from its first character on."""
    for path in [f"{d}/{n}" for n in NAMES for d in ("gone", "here")]:
        for command, typed in starts(path[:6], shell):
            line = terminal.press(f"ccfc {command} {typed}")
            want = ("--touched=" if typed[0] == "-" else "") + path
            eq(read_back(line, shell), [want], f"{typed} -> {line}")
    # All at once, but for those that would break a line or a terminal.
    for directory, more in (("gone", "deep/"), ("here", "sub dir/")):
        line = terminal.press(f"ccfc search {directory}/", ALL)
        got = [x.rstrip("/") for x in read_back(line, shell)]
        eq(sorted(got), sorted(f"{directory}/{n}".rstrip("/")
                               for n in NAMES + [more]))
    eq(box.values("search", "gone/new"), [])


def test_bash_names():
    with Filled() as box, box.bash() as bash:
        check_names(box, bash, "bash")


def test_zsh_names():
    with Filled() as box, box.zsh() as zsh:
        check_names(box, zsh, "zsh")


def test_fish_names():
    with Filled() as box:
        for directory, more in (("gone", "deep/"), ("here", "sub dir/")):
            plain = [v for v, _ in box.fish(f"ccfc search {directory}/")]
            eq(sorted(plain), sorted(f"{directory}/{n}"
                                     for n in NAMES + [more]))
            quoted = box.fish(f"ccfc search {directory}/", escape=True)
            line = "ccfc " + " ".join(v for v, _ in quoted)
            eq(read_back("ccfc x " + line[5:], "fish")[0:], plain)
        eq([v for v, _ in box.fish("ccfc search 'gone/e$")], ["gone/e$f.ts"])
        eq([v for v, _ in box.fish("ccfc search gone/a\\ ")],
           ["gone/a b.ts"])


def test_loaded_by_name():
    """Where the shells look by themselves, each finds its file."""
    with Filled() as box:
        data = os.path.join(box.top, "data")
        for place, name in (("bash-completion/completions/ccfc", "ccfc.bash"),
                            ("fish/vendor_completions.d/ccfc.fish",
                             "ccfc.fish")):
            os.makedirs(os.path.dirname(os.path.join(data, place)))
            os.symlink(os.path.join(SCRIPTS, name), os.path.join(data, place))
        done = subprocess.run(
            [shells.need("fish"), "-c", "complete -C 'ccfc sear'"],
            env={**box.env, "XDG_DATA_DIRS": data}, cwd=box.cwd,
            stdin=subprocess.DEVNULL, capture_output=True, check=True)
        eq(done.stdout, b"search\tsessions that changed a file\n")
        loader = "/usr/share/bash-completion/bash_completion"
        if not os.path.exists(loader):
            raise harness.Skip("no bash-completion here")
        box.env["XDG_DATA_HOME"] = data
        with box.bash(f"unset BASH_COMPLETION_VERSINFO; . {loader}") as bash:
            eq(bash.press("ccfc sear"), "ccfc search ")
            eq(bash.press("ccfc list --format=d"), "ccfc list --format=diff ")


def test_not_installed():
    """A shell that has the file and no program says nothing."""
    with Filled(start=False) as box:
        box.env["PATH"] = "/usr/bin:/bin"
        with box.bash() as bash:
            eq(bash.press("ccfc sear"), "ccfc sear")
            assert b"not found" not in bash.screen, bash.screen
        with box.zsh() as zsh:
            eq(zsh.press("ccfc sear"), "ccfc sear")
            assert b"not found" not in zsh.screen, zsh.screen
        eq(box.fish("ccfc sear"), [])


if __name__ == "__main__":
    harness.main()
