"""The store in bad times: a system call that fails once at start, and bits
that turned over. What only the store knows, sessions whose transcripts were
deleted, is never lost to an error that passes; what is damaged is told, what
has a transcript is read from it, and nothing wrong is served.

With CCFC_SOAK every call fails once, and many more bits are turned over.
"""
import collections
import glob
import json
import os
import random
import re
import select
import shutil
import tempfile

import harness
from archive import at, files, kept, live, lose_index, rewritten
from harness import Box, eq
from kill import strace
from transcript import Ids, Transcript

SOAK = bool(os.environ.get("CCFC_SOAK"))
FLIPS = int(os.environ.get("CCFC_FLIPS", "1500" if SOAK else "20"))
# Nothing here hangs on a disk.
if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"
CALLS = ("fstat", "newfstatat", "pread64", "fcntl", "openat", "read", "mmap",
         "lseek", "ftruncate", "write", "pwrite64", "fsync", "fdatasync",
         "flock", "unlink", "getdents64", "inotify_add_watch")
EACH = 1000000 if SOAK else 10


class Past:
    """A store that knows more than the transcripts say."""

    def __init__(self, box, rounds=6):
        self.box = box
        ids = Ids(5)
        gone = Transcript(box, ids, branch="gone-branch")
        agent = Transcript(box, ids, session=gone.session, agent="a0ffee1")
        here = Transcript(box, ids, project="-home-dev-q", cwd="/home/dev/q")
        fork = Transcript(box, ids, session=ids.uuid())
        for n in range(rounds):
            for t in (gone, here, agent):
                t.prompt(f"a prompt, the {n}th of {t.session}")
                t.text(f"an answer about walrus {n} " + "long " * 400)
                t.edit(f"/home/dev/p/file-{n}", f"old {n}", f"new {n}")
                tid = t.call("Read", {"file_path": f"/home/dev/p/read-{n}"})
                t.result(tid)
            gone.write(f"/home/dev/p/{'deep/' * 60}made-{n}")
        # A copy of what is deleted, in a session of its own.
        for data in gone.lines[:9]:
            record = json.loads(data)
            record["sessionId"] = fork.session
            fork.emit(record)
        fork.edit("/home/dev/p/forked")
        self.gone, self.here, self.agent, self.fork = gone, here, agent, fork
        box.start()
        box.dump()
        kept(box)
        os.unlink(gone.path)
        os.unlink(agent.path)
        self.truth = self.facts()
        assert gone.session in self.truth.dump
        box.stop()
        # The second time, as any other start finds it.
        box.start()
        self.truth.same(self.facts(), "after a restart")
        box.stop()
        self.kept = os.path.join(box.top, "kept")
        shutil.copytree(box.state, self.kept)

    def reset(self):
        shutil.rmtree(self.box.state)
        shutil.copytree(self.kept, self.box.state)

    def facts(self):
        return Facts(self.box)


class Facts:
    """All that a daemon answers: the index, and what was said."""

    def __init__(self, box):
        self.dump = box.ok("index", "--dump")
        with box.rpc() as rpc:
            found = rpc.call("text.search", pattern="walrus", limit=10000)
            self.info = rpc.call("server.info")
        self.said = sorted(json.dumps(m, sort_keys=True)
                           for m in found["matches"])

    def lines(self):
        return collections.Counter(self.dump.splitlines()) + \
            collections.Counter(self.said)

    def same(self, other, what):
        got, want = other.lines(), self.lines()
        if got != want:
            raise AssertionError(
                f"{what}: too much: {list((got - want).items())[:3]}, "
                f"lost: {list((want - got).items())[:3]}")


def aside(box):
    return sorted(os.path.basename(p)
                  for p in glob.glob(box.state + "/*damaged*"))


class Sweep:
    def __init__(self, past):
        self.past, self.box, self.strace = past, past.box, strace()

    def wrap(self, *options, log="/dev/null"):
        # -D: what we start is the daemon itself, not its tracer.
        return [self.strace, "-D", "-f", "-o", log, *options]

    def calls(self):
        """How often a start makes each call."""
        log = os.path.join(self.box.top, "strace.log")
        self.past.reset()
        self.box.start(wrap=self.wrap(log=log))
        self.past.facts()
        self.box.stop()
        with open(log, encoding="utf-8", errors="replace") as f:
            names = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
        found = collections.Counter(names)
        return {name: found[name] for name in CALLS if found[name]}

    def numbers(self, count):
        """Which of them fail: all, or some, the first ones among them."""
        if count <= EACH:
            return range(1, count + 1)
        few = EACH // 2
        return sorted({*range(1, few + 1),
                       *(1 + i * count // few for i in range(few))})

    def run(self, name, number, error):
        """One start with that failure; True if the daemon came up."""
        box = self.box
        self.past.reset()
        process, ready = box.spawn_daemon(wrap=self.wrap(
            "-e", f"trace={name}", "-e",
            f"inject={name}:error={error}:when={number}"))
        try:
            if not select.select([ready], [], [], harness.LIMIT)[0]:
                process.kill()
                raise AssertionError("hangs")
            up = os.read(ready, 1) != b""
        finally:
            os.close(ready)
        if not up:
            code = process.wait(harness.LIMIT)
            # Without memory the loader is not there to say so.
            assert code > 0 or name == "mmap", f"ended with {code}"
            return False
        box.daemon = process
        return True

    def check(self, name, number, error):
        box, past = self.box, self.past
        up = self.run(name, number, error)
        if up:
            done = box.run("index", "--dump")
            if done.returncode == 0:
                assert past.gone.session in done.stdout, "not served"
            box.stop()
        eq(aside(box), [], "put aside")
        box.start()
        past.truth.same(past.facts(), "the next start")
        box.stop()
        return up

    def sweep(self, names, errors=("EIO",)):
        calls = self.calls()
        runs = ups = 0
        for name in names:
            for number in self.numbers(calls.get(name, 0)):
                for error in errors:
                    try:
                        ups += self.check(name, number, error)
                        runs += 1
                    except Exception as failed:
                        raise AssertionError(
                            f"{error} at {name} {number}: {failed}\n"
                            + self.box.log_text()[-1500:]) from failed
        print(f"     {runs} starts, {ups} of them came up: {calls}")
        assert runs > 3, "nothing fails?"


def sweep(names, **more):
    strace()
    with Box() as box:
        Sweep(Past(box)).sweep(names, **more)


def test_reading_fails():
    sweep(("pread64", "read", "lseek", "mmap"))


def test_stat_fails():
    sweep(("fstat", "newfstatat"))


def test_locks_fail():
    sweep(("fcntl", "flock"))


def test_opening_fails():
    sweep(("openat", "getdents64", "inotify_add_watch", "unlink"))


def test_writing_fails():
    sweep(("pwrite64", "ftruncate", "fsync", "fdatasync"))


def test_bells_fail():
    """write is for bells and the log, not for the store's files. The first of
    a thread may be a bell of libnng, which ends us; nothing is lost by it."""
    strace()
    with Box() as box:
        past = Past(box)
        run = Sweep(past)
        for number in range(1, 9):
            up = run.run("write", number, "EIO")
            assert up, f"write {number}: not up"
            done = box.run("index", "--dump")
            ended = box.daemon.poll() is not None
            if number > 1:
                eq(done.returncode, 0, f"write {number}: {done.stderr}")
                assert past.gone.session in done.stdout, "not served"
            if ended:
                assert "libnng" in box.log_text(), box.log_text()
                box.daemon = None
            else:
                box.kill()
            eq(aside(box), [], "put aside")
            box.start()
            past.truth.same(past.facts(), f"after write {number}")
            box.stop()


def test_other_errors():
    sweep(("openat",), errors=("EMFILE", "EACCES", "ENOMEM"))


def test_no_descriptor_for_old_versions():
    """When the index is lost, transcripts and manifests that cannot be opened
    for want of a descriptor are opened later: no version is left out."""
    with Box() as box:
        box.start()
        t = live(box)
        want = ["one\n", "two\n", "three\n"]
        tids = rewritten(box, t, want)
        kept(box)
        box.stop()
        manifest, = files(os.path.join(box.state, "archive", "sources"))
        for path in t.path, manifest:
            for number in range(1, 9):
                lose_index(box)
                box.start(wrap=[
                    strace(), "-D", "-f", "-o", "/dev/null", "-P", path,
                    "-e", "trace=openat",
                    "-e", f"inject=openat:error=EMFILE:when={number}"])
                kept(box)
                eq([at(box, i) for i in tids], want, (path, number))
                box.stop()


# --- bits ---

def flip(path, rng):
    """Turns one bit over; where."""
    size = os.path.getsize(path)
    at, bit = rng.randrange(size), 1 << rng.randrange(8)
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ bit]))
    return f"{os.path.basename(path)} byte {at} bit {bit}"


def is_told(facts):
    """Does the daemon say that something is lost?"""
    store = facts.info["store"]
    return store.get("lostRows", 0) + store.get("lostTexts", 0) > 0


def alone(lines, session):
    """What is told of a session, but for who was in its way: that goes with
    the other session."""
    found = {}
    for line, n in lines.items():
        if session in line and '"kind":"conflict"' not in line:
            line = re.sub(r',"conflict":"\w+"', "", line)
            found[line] = found.get(line, 0) + n
    return found


def compare(past, where):
    """What is told as lost may be so; nothing else."""
    now = past.facts()
    got, want = now.lines(), past.truth.lines()
    # What has a transcript is as if nothing had happened.
    here = past.here.session
    eq(alone(got, here), alone(want, here), where)
    if got == want:
        return False
    assert is_told(now), (
        where, now.info["store"], list((want - got).items())[:2],
        list((got - want).items())[:2])
    return True


def problems(box):
    """What doctor --deep says of the store."""
    done = box.run("doctor", "--deep", "--format=json")
    return [f for f in json.loads(done.stdout)["findings"]
            if f["check"] == "store" and f["level"] in ("warn", "fail")]


def one_bit(past, name, rng):
    """(the store was put aside, something is lost)"""
    box = past.box
    past.reset()
    where = flip(os.path.join(box.state, name), rng)
    try:
        box.start()
        if name == "texts" and problems(box):
            # Found by looking at all of it: a start mends it.
            box.restart()
            eq(len(aside(box)), 2, "put aside")
        lost = compare(past, where)
        files = aside(box)
        # And it stays so: the next start finds nothing wrong.
        box.restart()
        compare(past, "again")
        eq(aside(box), files, "put aside once")
        eq(problems(box), [])
        box.stop()
    except Exception as failed:
        raise AssertionError(f"{where}: {failed}\n"
                             + box.log_text()[-1500:]) from failed
    return bool(files), lost


def turn_over(name, seed):
    """Bits of a file, one by one; how many did damage."""
    with Box() as box:
        past = Past(box, 3)
        rng = random.Random(seed)
        found = [one_bit(past, name, rng) for _ in range(FLIPS)]
        damaged, lost = (sum(x) for x in zip(*found))
        print(f"     {FLIPS} bits: {damaged} stores put aside, "
              f"{lost} with a loss")
        return damaged


@harness.sanitized
def test_bits_of_the_index():
    assert turn_over("index.db", 1) > FLIPS // 10


@harness.sanitized
def test_bits_of_the_texts():
    assert turn_over("texts", 2) > FLIPS // 10


@harness.sanitized
def test_deep():
    """A bit that turns over while the daemon runs, and SQLite likes it."""
    with Box() as box:
        box.without_archive()
        past = Past(box)
        path = os.path.join(box.state, "index.db")
        with open(path, "rb") as f:
            at = f.read().index(b"gone-branch")
        box.start()
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(b"g\x6e")  # o, with its last bit turned over
        with box.rpc() as rpc:
            eq(rpc.call("store.check")["ok"], True, "SQLite sees nothing")
            deep = rpc.call("store.check", deep=True)
            eq(deep["ok"], False, deep)
            assert "wrong sum" in deep["problems"][0]["problem"], deep
        done = box.run("doctor", "--deep")
        eq(done.returncode, 1, done.stdout)
        assert "index.db is damaged" in done.stdout, done.stdout
        box.restart()
        assert compare(past, "a branch of a session that is gone")
        text = box.ok("status")
        assert "Damage" in text and "1 rows" in text, text
        done = box.run("doctor", "--deep")
        assert "was found damaged" in done.stdout, done.stdout


@harness.sanitized
def test_a_search_finds_damage():
    """A text that is not what was said is left out, which is told; the next
    start saves the others."""
    with Box() as box:
        past = Past(box)
        path = os.path.join(box.state, "texts")
        with open(path, "rb") as f:
            at = f.read().index(b"about walrus 2")
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(b"About")
        box.start()
        done = box.run("grep", "About walrus", "--case-sensitive")
        eq(done.returncode, 1, done.stdout)
        assert "damaged texts were left out" in done.stderr, done.stderr
        done = box.run("grep", "walrus", "--format=jsonl")
        eq(done.returncode, 0, done.stderr)
        assert "damaged texts were left out" in done.stderr, done.stderr
        assert "About" not in done.stdout
        box.restart()
        eq(len(aside(box)), 2, "put aside")
        eq(problems(box), [])
        compare(past, "after a search")


@harness.sanitized
def test_files_that_were_cut():
    """What only a file knew is lost with it; that is told, and stays so."""
    with Box() as box:
        past = Past(box, 3)
        for name in ("index.db", "texts"):
            size = os.path.getsize(os.path.join(past.kept, name))
            for cut in (None, 0, 1, 1000, size // 2, size - 1):
                past.reset()
                path = os.path.join(box.state, name)
                if cut is None:
                    os.unlink(path)
                else:
                    os.truncate(path, cut)
                box.start()
                lost = compare(past, f"{name} cut at {cut}")
                box.restart()
                eq(compare(past, f"{name} cut at {cut}, again"), lost)
                eq("Damage" in box.ok("status"), True, f"{name} at {cut}")
                box.stop()


@harness.sanitized
def test_put_aside_before():
    """A whole store that an older version put aside is taken back."""
    with Box() as box:
        past = Past(box)
        for name in ("index.db", "texts"):
            os.rename(f"{box.state}/{name}",
                      f"{box.state}/{name}.damaged-1700000000000")
        for turn in range(2):
            box.start()
            past.truth.same(past.facts(), f"taken back, start {turn}")
            box.stop()


def damage_the_header(past):
    """What can be mended, and costs no row."""
    with open(os.path.join(past.kept, "index.db"), "r+b") as f:
        f.write(b"X")


def test_reading_fails_while_it_is_saved():
    """Damage that costs nothing, and a call that fails just then: what is
    behind it is not taken for lost."""
    strace()
    with Box() as box:
        past = Past(box, 3)
        damage_the_header(past)
        run = Sweep(past)
        calls = run.calls()
        for name in ("pread64", "read", "pwrite64", "openat"):
            # Of reads of the store more: some read the copy of it.
            every = calls[name] if SOAK else 66 if name == "pread64" else 8
            for number in range(1, calls[name] + 1,
                                -(-calls[name] // every)):
                if run.run(name, number, "EIO"):
                    box.stop()
                box.start()
                past.truth.same(past.facts(), f"{name} {number}")
                box.stop()
                assert len(aside(box)) <= 2, f"{name} {number}: {aside(box)}"


def test_killed_while_it_is_saved():
    """Killed at any call of saving: the next start has all of it."""
    path = strace()
    with Box() as box:
        past = Past(box, 3)
        damage_the_header(past)
        past.reset()
        log = os.path.join(box.top, "strace.log")
        box.start(wrap=[path, "-D", "-f", "-o", log])
        past.truth.same(past.facts(), "saved")
        box.stop()
        with open(log, encoding="utf-8", errors="replace") as f:
            names = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
        counts = collections.Counter(names)
        for name in ("rename", "unlink", "pwrite64", "fsync", "fdatasync"):
            step = 1 if SOAK or name == "rename" else 1 + counts[name] // 6
            for number in range(1, counts[name] + 1, step):
                past.reset()
                process, ready = box.spawn_daemon(wrap=[
                    path, "-D", "-f", "-o", "/dev/null", "-e",
                    f"trace={name}", "-e",
                    f"inject={name}:signal=KILL:when={number}"])
                select.select([ready], [], [], harness.LIMIT)
                os.close(ready)
                process.kill()
                process.wait(harness.LIMIT)
                box.start()
                past.truth.same(past.facts(), f"killed at {name} {number}")
                box.stop()


if __name__ == "__main__":
    harness.main()
