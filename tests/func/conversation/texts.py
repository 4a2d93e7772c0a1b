"""What was said is kept: once, whole, whenever the daemon is killed."""
import collections
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import uuid

import corpus
import harness
from harness import Box, Skip, append, eq
from transcript import Ids, Transcript

START = 32
HEAD = struct.Struct("=IIQqQIIIHBB16sII")
MAGIC = 0xfe7ec0ff
TEXT, THINKING, TASKS = range(3)
NOBODY = str(uuid.UUID(int=0))
PLANNING = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskDelete")


def clean(text):
    """Half a pair is no character."""
    return "".join("\ufffd" if 0xd800 <= ord(c) <= 0xdfff else c
                   for c in text)


def blocks(record):
    """(kind, block, text) of what a record says."""
    content = record.get("message", {}).get("content")
    if record.get("type") not in ("user", "assistant"):
        return
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for number, block in enumerate(content or []):
        if block["type"] == "text" and block["text"]:
            yield TEXT, number, clean(block["text"])
        elif block["type"] == "thinking" and block["thinking"]:
            yield THINKING, number, clean(block["thinking"])
        elif block["type"] == "tool_use" and block["name"] in PLANNING:
            yield TASKS, number, json.dumps(block)
        elif block["type"] == "tool_result" and "Task #" in str(block)[:120]:
            yield TASKS, number, json.dumps(block)


def told(record):
    """The record of an agent that its progress has a copy of."""
    data = record.get("data")
    if record.get("type") == "progress" and isinstance(data, dict) \
            and data.get("type") == "agent_progress" and "agentId" in data:
        return data["message"]
    return record


def records(lines):
    """Whole lines that are an object."""
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if line.endswith(b"\n") and isinstance(record, dict):
            yield record


def said(*paths):
    """What the transcripts say, read here."""
    found = collections.Counter()
    for path in paths:
        with open(path, "rb") as f:
            for record in map(told, records(f)):
                name = record.get("uuid", NOBODY)
                found.update((name, *x) for x in blocks(record))
    return found


def texts(box):
    """The texts of the file, up to where the store counts it."""
    db = sqlite3.connect(f"file:{box.state}/index.db?mode=ro", uri=True)
    meta = dict(db.execute("SELECT key, value FROM t_meta"))
    db.close()
    with open(os.path.join(box.state, "texts"), "rb") as f:
        data = f.read()
    eq(len(data), meta["textsLength"], "length")
    eq(struct.unpack_from("=Q", data, 16)[0], meta["texts"], "id")
    at = START
    while at < len(data):
        head = HEAD.unpack_from(data, at)
        eq(head[0], MAGIC, f"magic at {at}")
        text = data[at + HEAD.size:at + HEAD.size + head[1]].decode()
        at += (HEAD.size + head[1] + 7) & ~7
        yield head, text
    eq(at, len(data), "end")


def kept(box):
    box.dump()  # waits for the first scan
    found = collections.Counter()
    for head, text in texts(box):
        kind, block = head[9], head[8]
        if kind == TASKS:
            text = json.dumps(json.loads(text))
        found[(str(uuid.UUID(bytes=head[11])), kind, block, text)] += 1
    return found


def short(found):
    return [(*key[:3], key[3][:20], n) for key, n in sorted(found.items())[:3]]


def compare(box, paths, what):
    got, want = kept(box), said(*paths)
    eq(short(got - want), [], f"{what}: too much")
    eq(short(want - got), [], f"{what}: lost")


class Talk:
    """Transcripts in which all sorts of things are said."""

    def __init__(self, box, seed, files=3):
        ids = Ids(seed)
        self.random = random.Random(seed)
        self.files = [Transcript(box, ids) for _ in range(files)]
        for t in self.files:
            t.live = False
        self.paths = [t.path for t in self.files]

    def words(self, most=400):
        letters = "abc \n\t\"\\/\u00e9\u20ac\U0001f600\ud83d\udc00\x7f\u017f"
        return "".join(self.random.choice(letters)
                       for _ in range(self.random.randrange(1, most)))

    def line(self, big=False):
        """One more line of one of them: (path, bytes)."""
        t = self.random.choice(self.files)
        choice = self.random.randrange(5)
        text = self.words() * (300 if big else 1)
        if choice == 0:
            record = t.record("user", message={"role": "user",
                                               "content": text})
        elif choice == 1:
            record = t.record("user", message={"role": "user", "content": [
                {"type": "image"}, {"type": "text", "text": text},
                {"type": "text", "text": ""}]})
        else:
            record = t.record("assistant", message={
                "id": "m", "role": "assistant", "content": [
                    {"type": "thinking", "thinking": self.words()},
                    {"type": "tool_use", "id": t.ids.tool(),
                     "name": ("TodoWrite", "Bash")[choice % 2],
                     "input": {"todos": [self.words()]}},
                    {"type": "text", "text": text}]})
        # Half pairs can only be written escaped.
        return t.path, json.dumps(record).encode() + b"\n"

    def say(self, count, big=False):
        for _ in range(count):
            append(*self.line(big))


@harness.sanitized
def test_corpus():
    """Recordings of the real client, read here a second time."""
    tops = [root for one in corpus.scenarios() for root in corpus.roots(one)]
    found = [os.path.join(folder, name) for top in tops
             for folder, _, names in os.walk(os.path.join(top, "projects"))
             for name in names
             if name.endswith(".jsonl") and name != "journal.jsonl"]
    assert len(found) > 100, found
    with Box(roots=tops) as box:
        box.start()
        box.ok("index", "--build")
        compare(box, found, "recordings")
        box.ok("index", "--build")
        compare(box, found, "rebuilt")
        print(f"     {sum(kept(box).values())} texts")


def test_killed_while_it_is_written():
    with Box() as box:
        talk = Talk(box, 1)
        for number in range(12):
            box.start()
            talk.say(talk.random.randrange(40), big=number % 4 == 3)
            box.kill()
            talk.say(talk.random.randrange(3))
        box.start()
        compare(box, talk.paths, "killed")
        box.ok("index", "--build")
        compare(box, talk.paths, "rebuilt")
        box.restart()
        compare(box, talk.paths, "restarted")
        eq(box.json("status")["textBytes"],
           os.path.getsize(os.path.join(box.state, "texts")))
        eq(os.stat(os.path.join(box.state, "texts")).st_mode & 0o777, 0o600)


@harness.sanitized
def test_killed_in_a_rebuild():
    with Box() as box:
        talk = Talk(box, 2)
        talk.say(60, big=True)
        box.start()
        compare(box, talk.paths, "at first")
        for _ in range(5):
            with box.rpc() as rpc:
                rpc.post("index.build", {})
                talk.say(2)
            box.restart(hard=True)
        compare(box, talk.paths, "killed")


def test_lost():
    """A file that is missing, short or another's is made good."""
    with Box() as box:
        talk = Talk(box, 3)
        talk.say(50)
        path = os.path.join(box.state, "texts")
        box.start()
        compare(box, talk.paths, "at first")
        box.stop()
        whole = os.path.getsize(path)
        os.unlink(path)
        box.start()
        compare(box, talk.paths, "missing")
        box.stop()
        with open(path, "r+b") as f:
            f.seek(16)
            f.write(b"another")
        box.start()
        compare(box, talk.paths, "another's")
        eq([n.split("-")[0] for n in os.listdir(box.state)
            if n.startswith("texts.")], ["texts.damaged"])
        box.stop()
        os.truncate(path, whole - 1000)
        box.start()
        # What was left of it stays, and all is read once more.
        eq(set(kept(box)), set(said(*talk.paths)), "short")
        for word in ("is missing", "did not fit", "has lost its last texts"):
            assert word in box.log_text(), word


def cursors(box):
    """How far each source was read, as the store has it."""
    db = sqlite3.connect(f"file:{box.state}/index.db?mode=ro", uri=True)
    rows = db.execute("SELECT path, dev, ino, offset, marker, marker_len "
                      "FROM t_source ORDER BY id").fetchall()
    db.close()
    return rows


def put_old_store(box, rows):
    """A store of schema 2, which had no texts, that has read as far."""
    with open(os.path.join(harness.TOP, "tests", "data", "store-2.sql"),
              encoding="utf-8") as f:
        text = f.read().replace("@TOP@", box.top)
    shutil.rmtree(box.state)
    os.mkdir(box.state, 0o700)
    db = sqlite3.connect(os.path.join(box.state, "index.db"))
    db.executescript(text)
    columns = "path = ?, dev = ?, ino = ?, offset = ?, marker = ?, " \
              "marker_len = ?"
    db.execute(f"UPDATE t_source SET {columns} WHERE id = 0", rows[0])
    db.commit()
    db.close()


@harness.sanitized
def test_an_older_store_gets_its_texts():
    for hard in (False, True):
        with Box() as box:
            talk = Talk(box, 5, files=1)
            talk.say(40)
            box.start()
            kept(box)
            box.stop()
            put_old_store(box, cursors(box))
            for turn in range(3):
                box.start()
                if hard:
                    talk.say(5)
                    box.restart(hard=True)
                compare(box, talk.paths, f"brought up, start {turn}")
                box.stop()
            box.start()
            box.ok("index", "--build")
            compare(box, talk.paths, "rebuilt")


@harness.sanitized
def test_torn():
    """What a power cut may leave: zeros, or half of what was written."""
    with Box() as box:
        talk = Talk(box, 6)
        talk.say(50)
        path = os.path.join(box.state, "texts")
        for harm in ("zeros", "half", "more"):
            box.start()
            want = set(said(*talk.paths))
            eq(set(kept(box)) - want, set(), harm)
            box.stop()
            size = os.path.getsize(path)
            if harm == "half":
                os.truncate(path, size - 77)
            with open(path, "r+b") as f:
                f.seek(size if harm == "more" else size - 3000)
                f.write(b"\0" * 3000 if harm == "zeros" else b"")
                f.write(b"more" * 100 if harm == "more" else b"")
            box.start()
            with box.rpc() as rpc:
                got = rpc.call("text.search", pattern="a", limit=10000,
                               **{"in": ["text", "thinking"]})
                assert got["totalMatches"] > 10, got["totalMatches"]
                eq("damaged" in got, harm == "zeros", harm)
                talk.say(3)
                rpc.call("index.dump")
            if harm == "zeros":
                box.stop()
                os.unlink(path)
            else:
                eq(set(kept(box)), set(said(*talk.paths)), harm)
                box.stop()


def test_no_place_to_write():
    """Not even the file can be made: said in one line, and no daemon."""
    if os.geteuid() == 0:
        # Root may write anywhere; a folder in the way stops it, too.
        with Box() as box:
            os.makedirs(os.path.join(box.state, "texts"), 0o700)
            done = box.run("start")
            assert done.returncode != 0, done.stdout
            assert "texts" in done.stderr + box.log_text(), done.stderr
        return
    with Box() as box:
        os.mkdir(box.state, 0o500)
        done = box.run("start")
        os.chmod(box.state, 0o700)
        assert done.returncode != 0, done.stdout


class Sweep:
    """The daemon killed at each of its writes, from the same start."""

    def __init__(self, box, talk):
        if os.environ.get("CCFC_SANITIZE"):
            raise Skip("strace and sanitizers do not go together")
        self.strace = shutil.which("strace")
        if not self.strace or subprocess.run(
                [self.strace, "-o", "/dev/null", "/bin/true"], check=False,
                capture_output=True).returncode:
            raise Skip("no strace, or it may not trace")
        self.box, self.talk = box, talk
        self.start = os.path.join(box.top, "start")
        if os.path.isdir(box.state):
            shutil.copytree(box.state, self.start)

    def kill(self, call, number):
        """True if it was killed there; all has to be right then."""
        shutil.rmtree(self.box.state, ignore_errors=True)
        if os.path.isdir(self.start):
            shutil.copytree(self.start, self.box.state)
        process, ready = self.box.spawn_daemon(
            wrap=(self.strace, "-f", "-o", "/dev/null", "-e", f"trace={call}",
                  "-e", f"inject={call}:signal=KILL:when={number}"))
        killed = os.read(ready, 1) == b""
        os.close(ready)
        try:
            with self.box.rpc() as rpc:
                rpc.call("index.dump")
                rpc.call("server.stop")
        except (OSError, AssertionError):
            killed = True
        process.wait(harness.LIMIT)
        self.box.start()
        compare(self.box, self.talk.paths, f"killed at {call} {number}")
        self.box.stop()
        return killed

    def sweep(self, call, step=1):
        number = 1
        while self.kill(call, number):
            number += step
        return number


def test_killed_at_every_write():
    with Box() as box:
        talk = Talk(box, 4)
        talk.say(20)
        number = Sweep(box, talk).sweep("pwrite64", 3)
        assert number > 10, number
        shutil.rmtree(box.state)
        box.start()
        kept(box)
        box.stop()
        talk.say(6)
        sweep = Sweep(box, talk)
        number = sweep.sweep("pwrite64", 2)
        assert number > 4, number
        sweep.sweep("ftruncate")


def rewrite(t, words):
    """The transcript as a client rewrites it: other bytes at its start, the
    same records behind."""
    lines = b"".join(t.lines)
    extra = ('{"type":"summary","summary":"%s","leafUuid":"x"}\n'
             % words).encode()
    with open(t.path + ".new", "wb") as f:
        f.write(extra + lines)
    os.rename(t.path + ".new", t.path)


def found(box, word):
    with box.rpc() as rpc:
        done = rpc.call("text.search", pattern=word)
        return [(m["sessionId"], m["timestamp"]) for m in done["matches"]]


@harness.sanitized
def test_dead_texts_go():
    """What was written again is there once, whenever the daemon is killed, and
    everything is found as before."""
    for turn in range(4):
        with Box() as box:
            ids = Ids(40 + turn)
            t = Transcript(box, ids)
            for i in range(8):
                t.prompt(f"walnut {i} " + f"{i} of many words " * 20000)
            stays = Transcript(box, ids)
            stays.prompt("hazelnut " * 1000)
            box.start()
            want = {w: sorted(found(box, w)) for w in ("walnut", "hazelnut")}
            eq(len(want["walnut"]), 8)
            texts = os.path.join(box.state, "texts")
            once = box.json("status")["textBytes"]
            for i in range(3):
                rewrite(t, f"again {turn} {i}")
                stays.prompt(f"hazelnut {i}")
                box.ok("status")
                if turn == 1 and os.path.exists(texts + ".next"):
                    break
                if turn == 2:
                    box.restart(hard=True)
            if turn in (1, 3):
                while turn == 3 and \
                        box.json("status")["textDead"] >= 4 << 20:
                    pass
                box.restart(hard=True)
            stays.prompt("hazelnut last")
            while box.json("status")["textDead"] >= 4 << 20:
                pass
            now = box.json("status")["textBytes"]
            assert now < once * 5 // 2, (turn, once, now)
            eq(os.path.getsize(texts), now, "the file")
            eq(sorted(found(box, "walnut")), want["walnut"])
            assert set(want["hazelnut"]) < set(found(box, "hazelnut"))
            box.restart()
            eq(sorted(found(box, "walnut")), want["walnut"], "restarted")
            # Killed between the commit and the renaming.
            box.stop()
            os.rename(texts, texts + ".next")
            append(texts, b"another file " * 1000)
            box.start()
            eq(sorted(found(box, "walnut")), want["walnut"], "put in place")
            assert not os.path.exists(texts + ".next")
            assert "damaged" not in box.run("doctor", "--deep").stdout


if __name__ == "__main__":
    harness.main()
