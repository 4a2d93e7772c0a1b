"""Every example of the manual pages does what it should; pages.py says what an
example is.

They run as a user would run them: nothing is set but HOME, where ~/.claude is
a recording; they begin in its project, which is a git repository, and one of
its files was deleted. Each has a home of its own.
"""
import os
import re
import shlex
import shutil
import subprocess

import examples_help
import harness
import install
import sql
import terminal
from corpus import corpus
from harness import Box, LIMIT, SANITIZER, eq
from install import CFLAGS, cache, installed, libdir, sh
from pages import examples, pages
from recordings import Moved
from transcript import Ids, Transcript

RECORDING = "2.1.325/subagent"


class World(Box):
    """A user with a recording in ~/.claude, who has set up nothing."""

    def __init__(self):
        super().__init__()
        moved = Moved(os.path.join(corpus(), RECORDING),
                      os.path.join(self.top, "w"))
        self.claude = os.path.join(self.home, ".claude")
        os.rename(moved.roots[0], self.claude)
        self.projects = os.path.join(self.claude, "projects")
        self.project = os.path.join(moved.base, "p")
        self.state = os.path.join(self.home, ".local/state/ccfc")
        self.socket = os.path.join(self.state, "ccfc.sock")
        self.env = {k: v for k, v in self.env.items()
                    if not k.startswith(("CCFC_", "CLAUDE_", "XDG_"))}
        self.play_systemd()
        self.commit()
        os.unlink(os.path.join(self.project, "after.txt"))

    def play_systemd(self):
        fake = os.path.join(self.top, "fake")
        os.makedirs(fake)
        shutil.copy(os.path.join(harness.HERE, "manager.py"),
                    os.path.join(fake, "systemctl"))
        os.chmod(os.path.join(fake, "systemctl"), 0o755)
        self.env.update(FAKE=fake, PATH=":".join((
            fake, os.path.dirname(self.ccfc), os.path.dirname(self.ccfcd),
            "/usr/bin:/bin")))

    def commit(self):
        git = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
            sh(*git, *words, cwd=self.project, env=self.env)

    def __exit__(self, kind, value, trace):
        self.run("stop")
        super().__exit__(kind, value, trace)

    def do(self, argv, status=(0,), where=""):
        """Runs a program in the project; what it printed."""
        done = subprocess.run(
            argv, env=self.env, cwd=self.project, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode not in status or SANITIZER.search(done.stderr):
            raise AssertionError(
                f"{where}: exit {done.returncode}, want {status}\n"
                f"{done.stdout}{done.stderr}")
        return done.stdout


def test_every_example_is_run():
    """Those of SQL by sql.py."""
    kinds = {"shell", "config", "declarations", "c", "python", "request",
             "response", "sql"}
    eq(sorted(text + "\n" for text in sql.queries().values()),
       sorted(e.text for e in examples("sql")), "what sql.py runs")
    for page in pages():
        for example in page.examples:
            assert example.kind in kinds, \
                f"{example.where}: nobody runs an example '{example.kind}'"


def printed_as(pattern, text):
    """Lines, of which "…" is anything; a line of it alone any lines."""
    rows = [r"(?:.*\n)*" if p.strip() == "…" else
            ".*".join(map(re.escape, p.split("…"))) + r"\n" for p in pattern]
    return re.fullmatch("".join(rows), text)


def at_terminal(world, example, run):
    """The same with 80 columns; tables fit, each command for itself."""
    script = "\n".join(f"printf '\\036'\n{command}" for command in run)
    text, status = terminal.run(["bash", "-eo", "pipefail", "-c", script],
                                world.env, world.project)
    assert status in example.status(), f"{example.where}: {status}\n{text}"
    for command, part in zip(run, text.split("\x1e")[1:]):
        examples_help.check_width(command, part)


def test_shell():
    """On a terminal; and elsewhere, if the page shows what is printed."""
    for example in examples("shell"):
        run, printed = example.commands()
        with World() as world:
            at_terminal(world, example, run)
        if not printed:
            continue
        with World() as world:
            text = world.do(
                ["bash", "-eo", "pipefail", "-c", "\n".join(run)],
                example.status(), example.where)
        if not printed_as(printed, text):
            raise AssertionError(f"{example.where}: it printed\n{text}")


def test_config():
    """A daemon starts with it and looks where it says."""
    for example in examples("config"):
        with Box() as box:
            path = os.path.join(box.top, "example.conf")
            with open(path, "w", encoding="utf-8") as f:
                f.write(example.text)
            box.start(f"--config={path}")
            with box.rpc() as rpc:
                roots = [r["path"] for r in rpc.call("server.info")["roots"]]
            named = re.findall(r"^root = (\S+)", example.text, re.M)
            eq(roots, [box.claude, *named], example.where)


def test_c():
    with installed() as prefix:
        flags = install.pkg_config(prefix, "--cflags", "--libs")
        for example in examples("c"):
            with World() as world:
                world.env["LD_LIBRARY_PATH"] = libdir(prefix)
                base = os.path.join(world.top, "example")
                with open(base + ".c", "w", encoding="utf-8") as f:
                    f.write(example.text)
                sh(cache("CMAKE_C_COMPILER"), *CFLAGS, base + ".c", "-o", base, *flags)
                run_program(world, example, base)


def run_program(world, example, program):
    change = re.fullmatch(r"and a change of (\S+)", example.words)
    if not change:
        told = world.do([program, *shlex.split(example.words)],
                        where=example.where)
        assert re.match(r"988ddc0f-\S+ 1 changes\n", told), told
        return
    path = os.path.join(world.project, change[1])
    with subprocess.Popen([program], env=world.env, cwd=world.project,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            eq(process.stdout.readline(), "waiting\n", example.where)
            Transcript(world, Ids()).write(path)
            told, _ = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
    eq((process.returncode, told), (0, path + "\n"), example.where)


def test_python():
    for example in examples("python"):
        with World() as world:
            told = world.do(
                ["/usr/bin/python3", "-c", example.text,
                 *shlex.split(example.words)], where=example.where)
            eq(told, "1\n", example.where)


def bytes_of(example):
    """The bytes of a hexdump; what stands beside them has to be right."""
    data = b""
    for line in example.text.splitlines():
        at, row, text = re.fullmatch(
            r"([0-9a-f]+): ((?:[0-9a-f]{2} )+) +(.*)", line).groups()
        eq(int(at, 16), len(data), example.where)
        part = bytes.fromhex(row)
        beside = "".join(chr(b) if 32 <= b < 127 else "." for b in part)
        eq(text.rstrip(), beside.rstrip(), f"{example.where}, {at}")
        data += part
    return data


def test_bytes():
    """Each response is the one to the request before it, byte for byte."""
    pairs = list(zip(examples("request"), examples("response"), strict=True))
    with Box() as box:
        box.start()
        for request, response in pairs:
            want, got = bytes_of(response), b""
            with box.rpc() as rpc:
                rpc.send(bytes_of(request))
                while len(got) < len(want):
                    part = rpc.sock.recv(65536)
                    assert part, f"{response.where}: {got!r} and then no more"
                    got += part
            eq(got, want, response.where)


if __name__ == "__main__":
    harness.main()
