"""ccfc restore, revert and undo killed at every system call: each file is old
or new and never part of one, and after the next command all are old, or all
are new and can be undone. And the same calls failing one by one. And setup,
which has a record in place of a journal.

With CCFC_SOAK the next command is killed at every call, too, after each kill.
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import tempfile

import harness
from harness import Skip, eq
from setup import Home
from world import World

SOAK = bool(os.environ.get("CCFC_SOAK"))
# A kill loses nothing that was written: there is no need to wait for a disk.
if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"
FAIL = ("openat", "read", "write", "fsync", "renameat", "renameat2", "rename",
        "linkat", "unlinkat", "mkdirat", "mkdir", "fchmod", "fchown", "flock",
        "fstat", "newfstatat", "getdents64", "flistxattr")


def strace():
    if os.environ.get("CCFC_SANITIZE"):
        raise Skip("strace and sanitizers do not go together")
    path = shutil.which("strace")
    if not path:
        raise Skip("no strace")
    probe = subprocess.run([path, "-f", "-o", "/dev/null", "/bin/true"],
                           check=False, capture_output=True)
    if probe.returncode != 0:
        raise Skip("strace may not trace here")
    return path


class Sweep:
    """One command, killed again and again from the same start."""

    def __init__(self, world, args, before, after, status=0):
        self.strace = strace()
        self.world, self.args = world, args
        self.before, self.after = before, after  # name → text
        self.status = status  # of a run that is not killed
        self.kept = os.path.join(world.box.top, "kept")
        self.runs = self.killed = self.rolled_back = 0

    def keep(self):
        """What is there now is what every run starts from."""
        shutil.copytree(self.world.dir, os.path.join(self.kept, "p"))
        if os.path.isdir(self.world.undo):
            shutil.copytree(self.world.undo, os.path.join(self.kept, "undo"))

    def reset(self):
        for part, path in (("p", self.world.dir), ("undo", self.world.undo)):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.isdir(os.path.join(self.kept, part)):
                shutil.copytree(os.path.join(self.kept, part), path)

    def trace(self, *options):
        # The directory was made anew: enter it by its name.
        done = subprocess.run(
            [self.strace, "-f", *options, self.world.box.ccfc, *self.args],
            env=self.world.box.env, cwd=self.world.dir, capture_output=True,
            check=False, timeout=harness.LIMIT)
        # Before it starts the program, strace tries what the kernel can do
        # on a child of its own, and on a busy machine that may go wrong.
        if b"strace: Unexpected wait status" in done.stderr:
            return self.trace(*options)
        return done

    def ended(self, done):
        if self.status is not None:
            eq(done.returncode, self.status, done.stderr)

    def calls(self):
        """System calls of a whole run, with how often each is made."""
        log = os.path.join(self.world.box.top, "strace.log")
        self.reset()
        done = self.trace("-o", log)
        self.ended(done)
        with open(log, encoding="utf-8", errors="replace") as f:
            names = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
        found = collections.Counter(names)
        del found["execve"]  # that was strace
        return found

    def kill(self, name, number):
        """Runs it; True if it was killed before that call."""
        self.reset()
        done = self.trace("-o", "/dev/null", "-e", f"trace={name}", "-e",
                          f"inject={name}:signal=KILL:when={number}")
        self.runs += 1
        if done.returncode == -signal.SIGKILL:
            return True
        self.ended(done)
        return False

    def state(self):
        """"old", "new" or "mixed"; fails on anything that is neither."""
        now = {name: self.world.get(name) for name in self.before}
        for name, text in now.items():
            if text not in (self.before[name], self.after[name]):
                raise AssertionError(f"{name} is {text!r}")
        if now == self.before:
            return "old"
        return "new" if now == self.after else "mixed"

    def check(self, finish):
        """After a kill: first each file, then the next command."""
        mixed = self.state() == "mixed"
        done = self.world.run("restore", "--list")
        assert done.returncode in (0, 1), done.stderr
        state = self.state()
        assert state != "mixed", "still mixed after the next command"
        assert not (mixed and state == "new"), "rolled forward?"
        self.rolled_back += "was interrupted" in done.stderr
        eq(self.world.left(), [], "temporary files")
        for _, entry in self.world.entries():
            assert entry in ("done", "undone"), entry
        finish(state)

    def sweep(self, finish):
        calls = self.calls()
        for name, count in sorted(calls.items()):
            for number in range(1, count + 1):
                try:
                    self.killed += self.kill(name, number)
                    self.check(finish)
                except AssertionError as error:
                    raise AssertionError(
                        f"killed at {name} {number}: {error}") from error
        print(f"     {' '.join(self.args)[:40]}: {self.runs} runs, "
              f"{self.killed} killed, {self.rolled_back} rolled back")
        assert self.killed > 20, "strace kills nothing?"
        return calls


def undo_all(world, sweep, empty):
    """What has to hold after a change that was killed."""
    def finish(state):
        if state == "old":
            eq(world.entries(), [], "entries")
            # Directories that were made for it are gone again.
            eq(sorted(os.listdir(world.dir)), empty, "what is there")
            return
        eq([s for _, s in world.entries()], ["done"], "entries")
        world.ok("restore", "--undo")
        eq(sweep.state(), "old", "after undo")
        eq(sorted(os.listdir(world.dir)), empty, "what is there")
    return finish


def test_restore():
    with World() as w:
        one = w.write("a", "f", "one\n" * 2000)
        w.write("b", "f", "three\n")
        sweep = Sweep(w, ["restore", "f", f"--at={one}"],
                      {"f": "three\n"}, {"f": "one\n" * 2000})
        sweep.keep()
        calls = sweep.sweep(undo_all(w, sweep, ["f"]))
        for name in ("openat", "write", "fsync", "flock", "close"):
            assert name in calls, calls
        assert sweep.rolled_back > 5, sweep.rolled_back


def test_restore_of_a_deleted_file():
    """With its directories: they are made, and taken back."""
    with World() as w:
        w.write("a", "d/e/f", "one\n")
        w.put("d/e/f", None)
        shutil.rmtree(w.path("d"))
        sweep = Sweep(w, ["restore", "d/e/f", f"--at={w.id('a')}"],
                      {"d/e/f": None}, {"d/e/f": "one\n"})
        sweep.keep()
        calls = sweep.sweep(undo_all(w, sweep, []))
        assert "mkdirat" in calls and "linkat" in calls, calls


def two_files(w):
    """A revert that writes two files and removes one."""
    for name in "fg":
        w.put(name, "1\n2\n3\n4\n5\n6\n")
        w.write("a", name, "A\n2\n3\n4\n5\n6\n")
    w.write("a", "h", "made\n")
    w.write("b", "f", "A\n2\n3\n4\n5\nB\n")
    old = {name: w.get(name) for name in "fgh"}
    new = {"f": "1\n2\n3\n4\n5\nB\n", "g": "1\n2\n3\n4\n5\n6\n", "h": None}
    return old, new


def test_revert():
    with World() as w:
        old, new = two_files(w)
        sweep = Sweep(w, ["revert", w.id("a")], old, new)
        sweep.keep()
        sweep.sweep(undo_all(w, sweep, ["f", "g", "h"]))
        assert sweep.rolled_back > 10, sweep.rolled_back


def test_undo():
    with World() as w:
        old, new = two_files(w)
        w.ok("revert", w.id("a"))
        sweep = Sweep(w, ["restore", "--undo"], new, old)
        sweep.keep()

        def finish(state):
            states = [s for _, s in w.entries()]
            if state == "old":
                eq(states, ["done"], "entries")
                w.ok("restore", "--undo")
                eq(sweep.state(), "new", "after another try")
            eq([s for _, s in w.entries()], ["undone", "done"], "entries")
            # and the undo can be undone
            w.ok("restore", "--undo", w.entries()[1][0])
            eq(sweep.state(), "old", "after undo of the undo")
        sweep.sweep(finish)


def test_recovery():
    """Putting back what was left is killed in its turn."""
    with World() as w:
        old, new = two_files(w)
        first = Sweep(w, ["revert", w.id("a")], old, new)
        first.keep()
        # The last rename is that of the manifest: all files are new.
        # (Files change places with renameat2, which may be its name too.)
        name = min(n for n in first.calls() if n.startswith("rename"))
        assert first.kill(name, first.calls()[name])
        eq(first.state(), "new")
        shutil.rmtree(first.kept)
        # With nothing left to list it ends with 1.
        sweep = Sweep(w, ["restore", "--list"], old, new, status=1)
        sweep.keep()

        def finish(state):
            eq((state, w.entries()), ("old", []))
        sweep.sweep(finish)


def recover_killed(w, first, name, number):
    """Kills recovery from this kill at each of its calls."""
    first.kill(name, number)
    shutil.rmtree(first.kept)
    second = Sweep(w, ["restore", "--list"], first.before, first.after, None)
    second.keep()
    for call, count in sorted(second.calls().items()):
        for again in range(1, count + 1):
            second.kill(call, again)
            try:
                second.check(lambda state: None)
            except AssertionError as error:
                raise AssertionError(
                    f"killed at {name} {number} and in recovery at {call} "
                    f"{again}: {error}") from error
    shutil.rmtree(first.kept)
    return second.runs


def test_recovery_from_every_kill():
    if not SOAK:
        raise Skip("only with CCFC_SOAK")
    with World() as w:
        old, new = two_files(w)
        sweep = Sweep(w, ["revert", w.id("a")], old, new)
        sweep.keep()
        start = os.path.join(w.box.top, "start")
        shutil.copytree(sweep.kept, start)
        runs = 0
        for name, count in sorted(sweep.calls().items()):
            for number in range(1, count + 1):
                runs += recover_killed(w, sweep, name, number)
                shutil.copytree(start, sweep.kept)
        print(f"     {runs} runs")


class Gap:
    """Stops the command between its last look and the exchange of files."""

    def __init__(self, world, *args):
        self.strace, self.world, self.args = strace(), world, args
        self.log = os.path.join(world.box.top, "gap.log")
        self.before, self.after = self.calls()
        os.unlink(self.log)
        os.mkfifo(self.log)

    def run(self, *options):
        return subprocess.Popen(
            [self.strace, "-f", "-o", self.log, *options, self.world.box.ccfc,
             *self.args], env=self.world.box.env, cwd=self.world.dir,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def calls(self):
        """The calls before and after the exchange, as (name, number)."""
        self.run().communicate(timeout=harness.LIMIT)
        with open(self.log, encoding="utf-8", errors="replace") as f:
            calls = re.findall(r"^\d+ +(\w+)\((.*)$", f.read(), re.M)
        names = [name for name, _ in calls]
        for i, (_, rest) in enumerate(calls):
            if "RENAME_EXCHANGE" not in rest:
                continue
            if " = 0" not in rest:
                raise Skip("this file system has no exchange")
            return [(names[k], names[:k + 1].count(names[k]))
                    for k in (i - 1, i + 1)]
        raise AssertionError("the files do not change places")

    def meddle(self, act, kill=False):
        """Runs it and calls act() in the gap; (exit status, stderr)."""
        # As at the first time, or the numbers are others.
        shutil.rmtree(self.world.undo)
        options = ["-e", "inject=%s:signal=STOP:when=%d" % self.before]
        if kill:
            options += ["-e", "inject=%s:signal=KILL:when=%d" % self.after]
        child = self.run(*options)
        with open(self.log, encoding="utf-8", errors="replace") as f:
            for line in f:
                if "stopped by SIGSTOP" in line:
                    act()
                    os.kill(int(line.split()[0]), signal.SIGCONT)
        _, said = child.communicate(timeout=harness.LIMIT)
        return child.returncode, said


def test_a_writer_in_the_gap():
    """Who writes between the last look and the exchange loses nothing."""
    with World() as w:
        one = w.write("a", "f", "one\n")
        w.write("b", "f", "two\n")
        gap = Gap(w, "restore", "f", f"--at={one}")
        eq(w.get("f"), "one\n", "without a writer")

        def replace():
            w.put("new", "mine\n")
            os.rename(w.path("new"), w.path("f"))
        for act in (lambda: w.put("f", "mine\n"), replace):
            w.put("f", "two\n")
            status, said = gap.meddle(act)
            eq((status, w.get("f")), (2, "mine\n"), said)
            assert "changed by somebody else" in said, said
            eq(w.left(), [], "temporary files")


def test_a_writer_in_the_gap_and_a_kill():
    """Then it is not at its name any more, but it is there."""
    with World() as w:
        one = w.write("a", "f", "one\n")
        w.write("b", "f", "two\n")
        gap = Gap(w, "restore", "f", f"--at={one}")
        w.put("f", "two\n")
        status, _ = gap.meddle(lambda: w.put("f", "mine\n"), kill=True)
        eq((status, w.get("f")), (-signal.SIGKILL, "one\n"))
        said = w.run("restore", "--list").stderr
        eq(w.get("f"), "two\n", said)
        (path,) = w.left()
        eq(w.get(path), "mine\n")
        assert os.path.basename(path) in said, said


class Failing(Sweep):
    """The call fails instead, and the command goes on."""

    def kill(self, name, number):
        self.reset()
        done = self.trace("-o", "/dev/null", "-e", f"trace={name}", "-e",
                          f"inject={name}:error=EIO:when={number}")
        self.runs += 1
        assert 0 <= done.returncode <= 3, (done.returncode, done.stderr)
        state = self.state()
        assert state != "mixed", "mixed"
        if done.returncode == 0:
            eq(state, "new", "after success")
        return done.returncode != 0

    def calls(self):
        found = super().calls()
        return {name: found[name] for name in found if name in FAIL}


def test_failing_calls():
    with World() as w:
        old, new = two_files(w)
        sweep = Failing(w, ["revert", w.id("a")], old, new)
        sweep.keep()
        sweep.sweep(undo_all(w, sweep, ["f", "g", "h"]))


def test_failing_calls_of_a_new_file():
    with World() as w:
        w.write("a", "d/e/f", "one\n")
        shutil.rmtree(w.path("d"))
        sweep = Failing(w, ["restore", "d/e/f", f"--at={w.id('a')}"],
                        {"d/e/f": None}, {"d/e/f": "one\n"})
        sweep.keep()
        sweep.sweep(undo_all(w, sweep, []))


def kill_setup(home, call, nth):
    """`ccfc setup` ended by the nth such call; True if it came to that."""
    done = subprocess.run(
        [strace(), "-o", "/dev/null", "-e", f"trace={call}",
         "-e", f"inject={call}:signal=KILL:when={nth}",
         home.ccfc, "setup", "--yes"], env=home.env, capture_output=True,
        check=False, timeout=harness.LIMIT)
    return done.returncode != 0


def test_setup():
    """Killed anywhere, it is undone all the same, or done the next time: a
    first one, and one that replaces files."""
    strace()
    calls = ["linkat", "unlinkat", "renameat", "renameat2", "wait4"]
    if SOAK:
        calls += ["fsync", "mkdirat", "write", "close"]
    kills = 0
    for call in calls:
        for first, again in ((True, False), (False, True)):
            nth = 1
            while one_setup(call, nth, first, again):
                nth += 1
            kills += nth - 1
    assert kills > 15, kills


def one_setup(call, nth, first, again):
    with Home(shells=["bash"]) as home:
        home.use_prefix()
        before = home.tree()
        if not first:
            home.ok("setup", "--yes")
            append = home.top + "/prefix/share/ccfc/completions/ccfc.bash"
            harness.append(append, b"# more\n")
            home.env["CLAUDE_CONFIG_DIR"] = "/elsewhere"
        killed = kill_setup(home, call, nth)
        if again:
            home.ok("setup", "--yes")
            eq(home.ok("setup", "--yes"), "nothing to do: all is set up\n",
               f"after {call} {nth}")
        home.ok("setup", "--remove", "--yes")
        eq((home.tree(), home.record()), (before, None), f"{call} {nth}")
        return killed


if __name__ == "__main__":
    harness.main()
