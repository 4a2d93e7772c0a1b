"""Repositories that want to run programs: none of theirs is ever run.

Each way that git's configuration has to name a program is planted in two
places: in the .git/config of the work tree (as an archive or a shared disk
may bring it), and in a bare repository among the files of an ordinary clone
(as a mere `git clone` brings it). The program leaves a mark. Where plain git
can be made to run it with one command, that is done too: so the trap is known
to work.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess

import harness
from blame_git import Repo
from harness import LIMIT, SANITIZER, Skip, eq

PROMISOR = [("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")]
FILTERED = "*.py filter=evil\n"
DIFFED = "*.py diff=evil\n"
BLAME = ["blame", "{file}"]
DIFF = ["--no-pager", "diff", "HEAD~1", "HEAD", "--"]


class Way:
    """What is in the configuration ("{run}" is the program), in the
    attributes, and the command with which plain git walks into it."""

    def __init__(self, name, *config, attributes="", plain=None, feed="",
                 lose=False):
        self.name, self.config, self.attributes = name, config, attributes
        self.plain, self.feed, self.lose = plain, feed, lose


def remote(name, *config):
    """A lazy fetch of an object that is missing."""
    return Way(name, *PROMISOR, *config, plain=BLAME, lose=True)


WAYS = [
    Way("clean filter", ("filter.evil.clean", "{run}"),
        attributes=FILTERED, plain=BLAME),
    Way("required filter", ("filter.evil.clean", "{run}"),
        ("filter.evil.required", "true"), attributes=FILTERED, plain=BLAME),
    Way("process filter", ("filter.evil.process", "{run}"),
        attributes=FILTERED, plain=BLAME),
    Way("smudge filter", ("filter.evil.smudge", "{run}"),
        attributes=FILTERED,
        plain=["cat-file", "--filters", "HEAD:{name}"]),
    Way("textconv", ("diff.evil.textconv", "{run}"), attributes=DIFFED,
        plain=BLAME),
    Way("diff command", ("diff.evil.command", "{run}"), attributes=DIFFED,
        plain=DIFF),
    Way("external diff", ("diff.external", "{run}"), plain=DIFF),
    Way("merge driver", ("merge.evil.driver", "{run}"),
        attributes="*.py merge=evil\n"),
    Way("included file", ("include.path", "{include}"), attributes=FILTERED,
        plain=BLAME),
    Way("included if", ("includeIf.gitdir:/**.path", "{include}"),
        attributes=FILTERED, plain=BLAME),
    Way("attributes file", ("core.attributesFile", "{attributes}"),
        ("filter.evil.clean", "{run}"), plain=BLAME),
    Way("fsmonitor", ("core.fsmonitor", "{run}"), plain=["status"]),
    Way("fsmonitor version", ("core.fsmonitor", "{run}"),
        ("core.fsmonitorHookVersion", "1"), plain=["status"]),
    Way("hooks", ("core.hooksPath", "{hooks}"),
        plain=["hook", "run", "post-index-change"]),
    remote("ext transport", ("remote.origin.url", "ext::{run} %S x"),
           ("protocol.ext.allow", "always")),
    remote("upload-pack", ("remote.origin.url", "file:///nowhere"),
           ("remote.origin.uploadpack", "{run}")),
    remote("ssh command", ("remote.origin.url", "ssh://localhost/x"),
           ("core.sshCommand", "{run}")),
    remote("git proxy", ("remote.origin.url", "git://localhost/x"),
           ("core.gitProxy", "{run}")),
    remote("every protocol", ("remote.origin.url", "ext::{run} %S x"),
           ("protocol.allow", "always")),
    remote("rewritten url", ("remote.origin.url", "x:y"),
           ("url.ext::{run} .insteadOf", "x:"),
           ("protocol.ext.allow", "always")),
    Way("credential helper", ("credential.helper", "!{run}"),
        plain=["credential", "fill"], feed="protocol=https\nhost=x\n\n"),
    Way("askpass", ("core.askPass", "{run}"),
        plain=["credential", "fill"], feed="protocol=https\nhost=x\n\n"),
    Way("alias", ("alias.blame", "!{run}"), ("alias.rev-parse", "!{run}"),
        ("alias.cat-file", "!{run}"), ("alias.evil", "!{run}"),
        plain=["evil"]),
    Way("editor", ("core.editor", "{run}"), ("sequence.editor", "{run}"),
        plain=["config", "--edit"]),
    Way("pager", ("core.pager", "{run}"), ("pager.blame", "{run}"),
        ("pager.rev-parse", "{run}"), ("interactive.diffFilter", "{run}")),
    Way("signature", ("log.showSignature", "true"), ("gpg.program", "{run}"),
        ("gpg.ssh.program", "{run}"), ("gpg.format", "openpgp")),
    Way("alternates", ("core.alternateRefsCommand", "{run}")),
    Way("pack objects hook", ("uploadpack.packObjectsHook", "{run}")),
    Way("trailer", ("trailer.x.command", "{run}"), ("trailer.x.cmd", "{run}"),
        plain=["interpret-trailers", "--trailer", "x=1"], feed="subject\n"),
    Way("submodule", ("submodule.x.update", "!{run}"),
        ("submodule.x.path", "src")),
    Way("configured hook", ("hook.x.command", "{run}"),
        ("hook.x.event", "post-index-change")),
    Way("blame settings", ("blame.ignoreRevsFile", "{include}"),
        ("blame.markIgnoredLines", "true"), ("mailmap.file", "{include}"),
        ("mailmap.blob", "HEAD:src/a.py")),
]


class Trap(Repo):
    """A repository, a directory for the marks, and a program that sets one.
    """

    def __init__(self):
        super().__init__()
        self.marks = os.path.join(self.top, "marks")
        self.traps = os.path.join(self.top, "traps")
        self.hooks = os.path.join(self.traps, "hooks")
        os.makedirs(self.marks)
        os.makedirs(self.hooks)
        self.program = self.script(os.path.join(self.traps, "run"))
        for name in ("post-index-change", "fsmonitor-watchman",
                     "reference-transaction", "pre-auto-gc"):
            self.script(os.path.join(self.hooks, name))
        self.include = os.path.join(self.traps, "include")
        self.attributes = os.path.join(self.traps, "attributes")
        self.put(self.include,
                 f'[filter "evil"]\n\tclean = "{self.program}"\n')
        self.put(self.attributes, FILTERED)

    def script(self, path):
        self.put(path, f"#!/bin/sh\n: > {self.marks}/ran\nexit 1\n")
        os.chmod(path, 0o755)
        return path

    def marked(self):
        """Whether a trap has run since the last look."""
        found = os.listdir(self.marks)
        for name in found:
            os.unlink(os.path.join(self.marks, name))
        return bool(found)

    @contextlib.contextmanager
    def planted(self, way, git_dir):
        """The way's configuration and attributes, in a git directory."""
        config = os.path.join(git_dir, "config")
        attributes = os.path.join(git_dir, "info", "attributes")
        before = self.get(config)
        os.makedirs(os.path.dirname(attributes), exist_ok=True)
        self.put(attributes, way.attributes)
        for key, value in way.config:
            self.git("config", "--file", config, self.expand(key),
                     self.expand(value))
        lost = lose_objects(git_dir) if way.lose else {}
        try:
            yield
        finally:
            self.put(config, before)
            os.unlink(attributes)
            for path, data in lost.items():
                with open(path, "wb") as f:
                    f.write(data)

    def expand(self, text):
        return text.format(run=self.program, hooks=self.hooks,
                           include=self.include, attributes=self.attributes)

    def plain(self, way, path):
        """Runs git as anybody would, in the file's directory."""
        folder, name = os.path.split(path)
        shown = subprocess.run(
            ["git", "rev-parse", "--show-prefix"], cwd=folder, env=self.env,
            stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
        args = [x.format(file=name, name=shown + name) for x in way.plain]
        env = {**self.env, "GIT_TERMINAL_PROMPT": "0"}
        subprocess.run(["git", *args], cwd=folder, env=env, input=way.feed,
                       text=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=LIMIT)

    def ask(self, path, session, **more):
        """All that ccfc asks git."""
        for args in (["blame", "--git", path],
                     ["blame", "--git", "-w", "-L1,1", path],
                     ["blame", "--format=agent-trace", path],
                     ["log", "--git", session]):
            self.run(*args, **more)

    def walk_in(self, path, git_dir, session):
        """Goes through the table. What ran, and what did not for git."""
        ran, dull = [], []
        for way in WAYS:
            with self.planted(way, git_dir):
                self.ask(path, session)
                if self.marked():
                    ran.append(way.name)
                if way.plain:
                    self.plain(way, path)
                    if not self.marked():
                        dull.append(way.name)
        return ran, dull


def lose_objects(git_dir):
    """Takes away a blob of the file's history; all are loose."""
    env = {**os.environ, "GIT_DIR": git_dir}
    listed = subprocess.run(
        ["git", "rev-list", "--objects", "HEAD~1", "--not", "HEAD~2"],
        env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    lost = {}
    for line in listed.splitlines():
        oid, _, name = line.partition(" ")
        if name.endswith(".py"):
            path = os.path.join(git_dir, "objects", oid[:2], oid[2:])
            with open(path, "rb") as f:
                lost[path] = f.read()
            os.unlink(path)
    assert lost, "nothing to lose"
    return lost


class Embedded(Trap):
    """A clone with a bare repository among its files, which has vendor/e.py.
    """

    def __init__(self):
        super().__init__()
        self.vendor = os.path.join(self.work, "vendor")
        self.file = os.path.join(self.vendor, "e.py")
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main",
                        self.vendor], env=self.env, check=True)
        for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n"):
            self.inner_change = self.write(self.one, self.file, text)
            self.ids.now += 1000
            self.inner("add", "e.py")
            self.inner("commit", "-q", "-m", "inside")
        self.inner("config", "core.bare", "false")
        self.inner("config", "core.worktree", ".")
        self.outer = self.commit("Ann Other", "a clone carries this")
        # The clone is what a victim gets: nothing but what was committed.
        origin = os.path.join(self.top, "origin")
        os.rename(self.work, origin)
        subprocess.run(["git", "clone", "-q", "--no-local", origin,
                        self.work], env=self.env, check=True)

    def inner(self, *args):
        self.git(f"--git-dir={self.vendor}", f"--work-tree={self.vendor}",
                 "-C", self.vendor, *args)


def test_ways_in_the_repository():
    with Trap() as box:
        ran, dull = box.walk_in(box.a, os.path.join(box.work, ".git"),
                                box.one.session)
        eq(dull, [], "traps that do not work for plain git")
        eq(ran, [], "programs of the repository that were run")


def test_ways_in_an_embedded_bare_repository():
    with Embedded() as box:
        ran, dull = box.walk_in(box.file, box.vendor, box.one.session)
        eq(dull, [], "traps that do not work for plain git")
        eq(ran, [], "programs of the clone that were run")


def test_embedded_is_not_believed():
    """The file is the clone's: its commits are those of the clone."""
    with Embedded() as box:
        got = box.json("blame", "--git", box.file)
        eq([x["commit"] for x in got["lines"]], [box.outer] * 3)
        # Without a work tree around it there is none.
        shutil.rmtree(os.path.join(box.work, ".git"))
        done = box.run("blame", "--git", box.file)
        assert "not a git repository" in done.stderr, done.stderr
        done = box.run("log", "--git", box.one.session)
        eq(done.returncode, 1)


def test_git_file_that_leads_to_it():
    """A .git that is a file may lead into the bare repository."""
    with Embedded() as box:
        box.put(os.path.join(box.vendor, ".git"), "gitdir: .\n")
        with box.planted(WAYS[0], box.vendor):
            box.ask(box.file, box.one.session)
            eq(box.marked(), False, "the filter has run")
            box.plain(WAYS[0], box.file)
            eq(box.marked(), True, "git runs it")
        for text in ("gitdir: /nonexistent\n", "gitdir: ..\n", "nonsense",
                     "gitdir: \n", ""):
            box.put(os.path.join(box.vendor, ".git"), text)
            done = box.run("blame", "--git", box.file)
            eq(done.returncode, 0)
            assert "no commits: git: " in done.stderr, done.stderr


def test_environment():
    """Variables that name repositories, configuration and programs."""
    with Trap() as box:
        run = box.program
        hostile = {
            "GIT_DIR": os.path.join(box.work, ".git"),
            "GIT_EXTERNAL_DIFF": run, "GIT_PAGER": run, "GIT_EDITOR": run,
            "GIT_SSH_COMMAND": run, "GIT_SSH": run, "GIT_ASKPASS": run,
            "GIT_PROXY_COMMAND": run, "GIT_EXEC_PATH": box.hooks,
            "GIT_ATTR_SOURCE": "HEAD", "GIT_CONFIG": box.include,
            "GIT_CONFIG_PARAMETERS":
                f"'filter.evil.clean'='{run}' 'core.fsmonitor'='{run}'",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "filter.evil.clean",
            "GIT_CONFIG_VALUE_0": run, "GIT_TRACE": box.marks + "/trace",
            "GIT_TRACE2_EVENT": box.marks + "/trace2",
            "GIT_CEILING_DIRECTORIES": box.work}
        with box.planted(Way("", attributes=FILTERED),
                         os.path.join(box.work, ".git")):
            env = {**box.env, **hostile}
            got = box.run("blame", "--git", "--format=porcelain", box.a,
                          env=env)
            assert box.commit_hand in got.stdout, got
            eq(got.stderr, "")
            box.ask(box.a, box.one.session, env=env)
        eq(box.marked(), False)


def test_git_beside_the_file():
    """A PATH with "." in it finds no git in the work tree."""
    with Trap() as box:
        for folder in (box.work, os.path.dirname(box.a)):
            box.script(os.path.join(folder, "git"))
        for path in (".:", ":", "src:./src:"):
            env = {**box.env, "PATH": path + box.env["PATH"]}
            box.ask(box.a, box.one.session, env=env, cwd=box.work)
            eq(box.marked(), False, f"PATH={path}")
        env = {**box.env, "PATH": "."}
        done = box.run("blame", "--git", box.a, env=env, cwd=box.work)
        assert "not found in PATH" in done.stderr, done.stderr
        eq(box.marked(), False)


def may_trace(box):
    log = os.path.join(box.top, "probe")
    return shutil.which("strace") and subprocess.run(
        ["strace", "-o", log, "/bin/true"], check=False,
        stderr=subprocess.DEVNULL).returncode == 0


def test_what_is_executed():
    """Everything planted at once: the kernel sees ccfc and git start."""
    with Embedded() as box:
        if not may_trace(box):
            raise Skip("no strace, or it may not trace here")
        # Not those that end git before it comes to the others.
        every = Way("all", *(x for w in WAYS if not w.lose for x in w.config
                             if not x[0].startswith(("blame.", "mailmap"))),
                    attributes="*.py filter=evil diff=evil merge=evil\n")
        log = os.path.join(box.top, "strace.log")
        env = {**box.env, "ASAN_OPTIONS": "detect_leaks=0"}
        git_dir = os.path.join(box.work, ".git")
        with box.planted(every, git_dir), box.planted(every, box.vendor):
            # Not what HEAD has: so attributes are asked for too.
            box.put(box.a, "# by hand\r\ndef f():\r\n    return 2\r\n")
            for args in (["blame", "--git", box.a],
                         ["blame", "--git", box.file],
                         ["log", "--git", box.one.session]):
                done = subprocess.run(
                    ["strace", "-f", "-qq", "-s", "4096", "-e",
                     "trace=execve,openat", "-A", "-o", log, box.ccfc, *args],
                    env=env, cwd=box.top, check=False, timeout=LIMIT,
                    stdin=subprocess.DEVNULL, capture_output=True, text=True)
                assert not SANITIZER.search(done.stderr), done.stderr
        started, opened = set(), set()
        for line in box.get(log).splitlines():
            name = line.split('"')[1] if '"' in line else ""
            if "execve(" in line and " = 0" in line:
                started.add(name)
            if "openat(" in line and " = -1" not in line:
                opened.add(name)
        eq(started, {box.ccfc, shutil.which("git", path=box.env["PATH"])},
           "programs")
        eq({x for x in opened if x.startswith(box.vendor + "/")
            and not x.endswith(("e.py", ".gitattributes"))}, set(),
           "files of the bare repository that were opened")
        eq(box.marked(), False)


def test_another_owner():
    """git's own check stays: said, with what to do about it."""
    with Trap() as box:
        if os.geteuid() != 0:
            raise Skip("only root can give files away")
        git_dir = os.path.join(box.work, ".git")
        config = os.path.join(git_dir, "config")
        os.chown(config, 65534, 65534)
        done = box.run("blame", "--git", box.a)
        assert "belongs to another user" in done.stderr, done.stderr
        for path in (box.work, git_dir):
            os.chown(path, 65534, 65534)
        done = box.run("blame", "--git", box.a)
        eq(done.returncode, 0)
        assert "dubious ownership" in done.stderr, done.stderr
        assert "safe.directory" in done.stderr, done.stderr
        done = box.run("log", "--git", box.one.session)
        eq(done.returncode, 1)
        assert "dubious ownership" in done.stderr, done.stderr
        # What the user has allowed is allowed.
        subprocess.run(["git", "config", "--global", "safe.directory",
                        box.work], env=box.env, check=True)
        got = box.json("blame", "--git", box.a)
        eq(got["lines"][1]["commit"], box.commit_one)


def test_missing_objects():
    """A partial clone: said, not fetched, and not taken for uncommitted."""
    with Trap() as box:
        git_dir = os.path.join(box.work, ".git")
        with box.planted(Way("", lose=True), git_dir):
            done = box.run("blame", "--git", box.a)
            eq(done.returncode, 0)
            assert "no commits: git: " in done.stderr, done.stderr
            done = box.run("log", "--git", box.one.session)
            eq(done.returncode, 1)
            assert "not compared with git: 2 lines in 1 file" in done.stderr


def commits(box, path, *more):
    """Per line: what ccfc says, and what plain git says."""
    got = box.json("blame", "--git", *more, path)
    ours = [x["commit"] for x in got["lines"]]
    theirs = []
    said = subprocess.run(
        ["git", "blame", "-l", "-s", "--root", *more,
         os.path.basename(path)],
        cwd=os.path.dirname(path), env=box.env, check=True,
        stdout=subprocess.PIPE).stdout
    for line in said.splitlines():
        commit = line.split()[0].decode()
        theirs.append(None if set(commit) == {"0"} else commit)
    return ours, theirs


def test_the_same_as_git():
    """Work in progress: our comparison has git's own result. All lines are
    different, so that there is only one."""
    rng = random.Random(os.environ.get("CCFC_SEED", "7"))
    with Repo() as box:
        path = os.path.join(box.work, "deep", "er", "r.txt")
        lines, count = [f"line {i}\n" for i in range(60)], 60
        box.write(box.one, path, "".join(lines))
        for turn in range(12):
            for _ in range(rng.randrange(1, 9)):
                at = rng.randrange(len(lines) + 1)
                del lines[at:at + rng.choice((0, 0, 1, 2, 5))]
                for _ in range(rng.choice((0, 1, 1, 3))):
                    lines.insert(at, f"new {count}\n")
                    count += 1
            text = "".join(lines)
            box.put(path, text if turn % 3 else text[:-1])
            if turn % 2 == 0:
                box.commit("Pat Person", f"turn {turn}")
                continue
            ours, theirs = commits(box, path)
            eq(ours, theirs, f"turn {turn}")
            assert None in theirs and len(set(theirs)) > 1
            part = box.json("blame", "--git", "-L5,9", path)["lines"]
            eq([x["commit"] for x in part], theirs[4:9], f"turn {turn}, -L")
            for i in range(0, len(lines), 3):
                lines[i] = " " + lines[i].replace(" ", " \t")
            box.put(path, "".join(lines))
            strict, _ = commits(box, path)
            ours, theirs = commits(box, path, "-w")
            eq(ours, theirs, f"turn {turn}, -w")
            assert strict.count(None) > ours.count(None)


def test_line_ends_as_git_has_them():
    with Repo() as box:
        path = os.path.join(box.work, "ends.txt")
        attributes = os.path.join(box.work, ".gitattributes")
        box.write(box.one, path, "first\n")
        box.git("config", "core.safecrlf", "false")
        met = set()
        for kept in ("one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n",
                     "one\r\ntwo\nthree\n"):
            for attr in ("", "text", "-text", "text=auto", "eol=crlf",
                         "crlf", "-crlf", "text=auto eol=lf"):
                box.put(attributes, "")
                box.git("config", "core.autocrlf", "false")
                box.put(path, kept)
                box.put(os.path.join(box.work, "n"), repr((kept, attr)))
                box.commit("Pat Person", "line ends")
                box.put(path, "one\r\ntwo\r\nnew\r\n")
                box.put(attributes, f"*.txt {attr}\n")
                for auto in ("true", "input", "false"):
                    box.git("config", "core.autocrlf", auto)
                    ours, theirs = commits(box, path)
                    eq(ours, theirs, f"{kept!r} {attr!r} {auto!r}")
                    met.add(tuple(x is None for x in theirs))
        assert len(met) > 2, met


def test_filters_are_not_run_but_said():
    """The user's own filter, with all the right to run: it does not."""
    with Trap() as box:
        subprocess.run(["git", "config", "--global", "filter.up.clean",
                        box.program], env=box.env, check=True)
        box.put(os.path.join(box.work, ".gitattributes"),
                "*.py filter=up\n")
        # What is as git has it is not touched by a filter.
        done = box.run("blame", "--git", box.a)
        eq(done.stderr, "")
        box.edit(box.one, box.a, "    return 1", "    return 2")
        done = box.run("blame", "--git", "--format=jsonl", box.a)
        assert "filter=up applies and is not run" in done.stderr, done.stderr
        assert box.commit_one in done.stdout
        got = box.run("log", "--git", "--format=json", box.one.session)
        assert "1 line in 1 file" in got.stderr, got.stderr
        assert '"notCommitted": 0' in got.stdout, got.stdout
        assert '"notCompared": 1' in got.stdout, got.stdout
        eq(box.marked(), False)
        box.put(os.path.join(box.work, ".gitattributes"),
                "*.py working-tree-encoding=UTF-16\n")
        done = box.run("blame", "--git", box.a)
        assert "working-tree-encoding=UTF-16 applies" in done.stderr


def test_moved_and_staged():
    """What only the index knows: the old name of a file, a new file."""
    with Repo() as box:
        box.git("mv", "src/a.py", "moved.py")
        path = os.path.join(box.work, "moved.py")
        box.write(box.two, path, box.get(path) + "more\n")
        ours, theirs = commits(box, path)
        eq(theirs, [box.commit_hand, box.commit_one, box.commit_two, None])
        eq(ours, theirs)
        new = os.path.join(box.work, "new.py")
        box.write(box.two, new, "x = 1\n")
        box.git("add", "new.py")
        eq(commits(box, new), ([None], [None]))
        # A split index is no reason to fail.
        box.git("update-index", "--split-index")
        eq(box.json("blame", "--git", box.b)["lines"][0]["commit"], box.base)
        eq(box.run("blame", "--git", new).returncode, 0)


def test_no_commit_yet():
    with Repo() as box:
        top = os.path.join(box.top, "young")
        path = os.path.join(top, "x.py")
        box.write(box.two, path, "x = 1\n")
        box.git("-C", top, "init", "-q")
        done = box.run("blame", "--git", path)
        eq(done.returncode, 0)
        assert "no commit yet" in done.stderr, done.stderr
        got = box.json("log", "--git", box.two.session)
        eq((got["commits"], got["notCommitted"]), ([], 2))
        # A file of git's own is in no work tree.
        inside = os.path.join(top, ".git", "info", "note")
        box.write(box.two, inside, "x = 2\n")
        done = box.run("blame", "--git", inside)
        assert "not in a work tree" in done.stderr, done.stderr
        eq(box.json("log", "--git", box.two.session)["notCommitted"], 2)


def test_ident():
    with Repo() as box:
        box.put(os.path.join(box.work, ".gitattributes"), "*.id ident\n")
        path = os.path.join(box.work, "x.id")
        box.write(box.one, path, "a $Id$\nb $Id$ $Id: x$\nc $Idx$\n")
        commit = box.commit("Ann Other", "idents")
        os.unlink(path)
        box.git("checkout", "--", "x.id")
        assert "$Id: " in box.get(path)
        got = box.run("blame", "--git", "--format=json", path)
        eq(got.stderr, "")
        ours = [x["commit"] for x in json.loads(got.stdout)["lines"]]
        eq(ours, [commit] * 3)


def test_kinds_of_repositories():
    """Linked work trees, submodules, shallow clones, SHA-256, mailmaps."""
    with Repo() as box:
        def expect(path, commit, author="Ann Other"):
            box.write(box.one, path, "here\n")
            got = box.run("blame", "--git", "--format=json", path)
            eq(got.stderr, "")
            line, = json.loads(got.stdout)["lines"]
            eq((line["commit"], line["commitAuthor"]), (commit, author))

        box.put(os.path.join(box.work, "h.txt"), "here\n")
        tip = box.commit("Ann Other", "for all")
        linked = os.path.join(box.top, "linked tree")
        box.git("worktree", "add", "-q", "-b", "other", linked)
        expect(os.path.join(linked, "h.txt"), tip)

        shallow = os.path.join(box.top, "shallow")
        box.git("clone", "-q", "--depth=1", "file://" + box.work, shallow)
        expect(os.path.join(shallow, "h.txt"), tip, "Ann Other")

        box.git("-c", "protocol.file.allow=always", "submodule", "--quiet",
                "add", shallow, "sub")
        expect(os.path.join(box.work, "sub", "h.txt"), tip)

        apart = os.path.join(box.top, "apart")
        box.git("clone", "-q", "--separate-git-dir", apart + ".git",
                box.work, apart)
        expect(os.path.join(apart, "h.txt"), tip)

        box.put(os.path.join(box.work, ".mailmap"),
                "Ann Known <who@example.org>\n")
        box.commit("Pat Person", "names")
        expect(os.path.join(box.work, "h.txt"), tip, "Ann Known")

        long = os.path.join(box.top, "sha256")
        os.makedirs(long)
        box.git("-C", long, "init", "-q", "--object-format=sha256")
        box.put(os.path.join(long, "h.txt"), "here\n")
        box.git("-C", long, "add", "-A")
        box.git("-C", long, "commit", "-q", "-m", "long", author="Ann Other")
        head = box.git("-C", long, "rev-parse", "HEAD").decode().strip()
        eq(len(head), 64)
        expect(os.path.join(long, "h.txt"), head)


def test_nothing_is_left_behind():
    """Our own git directory goes, also when the command is interrupted."""
    with Repo() as box:
        tmp = os.path.join(box.top, "tmp")
        slow = os.path.join(box.top, "slow")
        os.makedirs(tmp)
        os.makedirs(slow)
        env = {**box.env, "TMPDIR": tmp}
        box.run("blame", "--git", box.a, env=env)
        eq(os.listdir(tmp), [])
        began, go = (os.path.join(box.top, x) for x in ("began", "go"))
        os.mkfifo(began)
        os.mkfifo(go)
        git = shutil.which("git", path=box.env["PATH"])
        box.put(os.path.join(slow, "git"),
                "#!/bin/sh\ncase \" $* \" in\n*' blame '*)\n"
                f"\techo x > {began}\n\tread x < {go}\nesac\n"
                f"exec {git} \"$@\"\n")
        os.chmod(os.path.join(slow, "git"), 0o755)
        env["PATH"] = slow + ":" + env["PATH"]
        process = subprocess.Popen(
            [box.ccfc, "blame", "--git", box.a], env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        with open(began, encoding="utf-8") as f:
            f.read()
        made, = os.listdir(tmp)
        eq(stat.S_IMODE(os.stat(os.path.join(tmp, made)).st_mode), 0o700)
        process.send_signal(signal.SIGTERM)
        with open(go, "w", encoding="utf-8") as f:
            f.write("go\n")
        eq(process.wait(LIMIT), -signal.SIGTERM)
        eq(os.listdir(tmp), [])
        # One that cannot be made is an error that says so.
        env["TMPDIR"] = os.path.join(box.top, "none")
        done = box.run("blame", "--git", box.a, env=env)
        eq(done.returncode, 0)
        assert "no commits: git: " in done.stderr, done.stderr


if __name__ == "__main__":
    harness.main()
