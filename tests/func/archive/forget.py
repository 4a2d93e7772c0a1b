"""ccfc forget: after it, no byte of the state directory has what was forgotten,
also within compressed frames, and nothing brings it back. What others know is
as before.
"""
import contextlib
import hashlib
import json
import os
import random
import select
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import time

import harness
from archive import kept, plain
from harness import Box, append, eq
from observing import Observed
from transcript import Ids, Transcript, folder, stamp

FRAME = b"\x28\xb5\x2f\xfd"
PARTS = b"ccfcblb3"  # daemon/blobs/blobs_internal.h
WORD = "zuckerhut"  # in all that is to be forgotten, and nowhere else


def frames(data):
    """The contents of all zstd frames in the bytes."""
    at = data.find(FRAME)
    while at >= 0:
        done = subprocess.run(["zstd", "-dcq"], input=data[at:],
                              capture_output=True, check=False)
        yield done.stdout
        at = data.find(FRAME, at + 4)


def expanded(frame, prefix):
    """The content of a frame that was compressed with that prefix."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(prefix)
        f.flush()
        more = ["-D", f.name] if prefix else []
        return subprocess.run(["zstd", "-dcq", *more], input=frame,
                              capture_output=True, check=False).stdout


def in_parts(data):
    """The contents in parts in the bytes, whose frames need each other."""
    at = data.find(PARTS)
    while at >= 0:
        n = int.from_bytes(data[at + 16:at + 24], "little")
        frames_at, begin, content = at + 24 + 16 * n, 0, b""
        if frames_at > len(data):
            return  # a kill left the begin of a file
        table = list(struct.iter_unpack("<IIQ", data[at + 24:frames_at]))
        for i, (_, end, _) in enumerate(table):
            known = content if i == n - 1 else content[:table[0][0]]
            content += expanded(data[frames_at:][begin:end], known)
            begin = end
        yield content
        at = data.find(PARTS, at + 8)


def holders(box, word=WORD):
    """The files below the state directory that have the word."""
    found = []
    for top, dirs, files in os.walk(box.state):
        found += [os.path.join(top, d) for d in dirs if word in d.lower()]
        for name in files:
            path = os.path.join(top, name)
            try:
                with open(path, "rb") as f:
                    data = f.read()
            except (FileNotFoundError, OSError):
                continue
            texts = [name.encode(), data, *frames(data), *in_parts(data)]
            if any(word.encode() in t.lower() for t in texts):
                found.append(os.path.relpath(path, box.state))
    return sorted(found)


def said(box, sessions):
    """All that is answered about these sessions."""
    with box.rpc() as rpc:
        return {s: [plain(rpc.call(m, session=s)) for m in (
            "session.get", "session.messages", "session.files",
            "session.diff", "session.timeline")] for s in sessions}


def changes(box):
    return [c["changeId"] for c in box.dump().changes]


class Told:
    """A session to be forgotten and others, one of them with its lines."""

    def __init__(self, box, cwd=None, seed=1):
        self.ids = ids = Ids(seed)
        self.box = box
        cwd = cwd or "/home/dev/" + WORD
        name = folder(cwd)
        self.s = s = Transcript(box, ids, project=name, cwd=cwd)
        s.prompt(f"{WORD} prompt")
        s.text(f"an answer with {WORD}")
        s.write(f"{cwd}/{WORD}.txt", f"content {WORD}\n")
        s.edit(f"{cwd}/{WORD}.txt", f"content {WORD}", f"more {WORD}")
        tid = s.call("Bash", {"command": f"echo {WORD} > {WORD}.log"})
        s.result(tid, {"stdout": WORD, "stderr": "", "interrupted": False})
        tid = s.call("Read", {"file_path": f"{cwd}/{WORD}.read"})
        s.result(tid, {"type": "text", "file": {
            "filePath": f"{cwd}/{WORD}.read", "content": WORD}})
        self.agent = Transcript(
            box, ids, session=s.session, cwd=cwd, agent="a1234567",
            path=os.path.join(box.projects, name, s.session, "subagents",
                              "agent-a1234567.jsonl"))
        self.agent.prompt(f"{WORD} for the agent")
        self.agent.write(f"{cwd}/{WORD}.agent", f"{WORD}\n")
        append(self.agent.path.replace(".jsonl", ".meta.json"),
               json.dumps({"description": WORD}).encode())
        backup = os.path.join(box.claude, "file-history", s.session,
                              "0123456789abcdef@v1")
        append(backup, f"backup {WORD}\n".encode() * 400)
        # Another project, with lines of the first session at its start.
        self.t = t = Transcript(box, ids, project="-home-dev-p")
        for old in s.lines[:3]:
            append(t.path, old)
        t.prompt("what stays")
        t.write("/home/dev/p/stays.txt", "stays\n")
        t.text("done")
        self.u = u = Transcript(box, ids, project="-home-dev-q",
                                cwd="/home/dev/q")
        u.prompt("other")
        u.write("/home/dev/q/q.txt", "q\n")
        u.edit("/home/dev/q/q.txt", "q", "r")
        self.others = [t.session, u.session]

    def grow(self):
        self.s.prompt(f"again {WORD}")
        self.s.write(f"/home/dev/{WORD}/late.txt", f"{WORD}\n")


def forgotten(told, want, when):
    box = told.box
    with box.rpc() as rpc:
        ids = [s["sessionId"] for s in rpc.call("session.list")["sessions"]]
    eq(sorted(ids), sorted(told.others), f"{when}: the sessions")
    eq(said(box, told.others), want, f"{when}: what others say")
    kept(box)
    eq(holders(box), [], f"{when}: files with the word")


def test_session():
    """Everywhere, and it does not come back."""
    with Box() as box:
        told = Told(box)
        s = told.s.session
        box.start()
        kept(box)
        box.ok("name", s, WORD)
        box.ok("tag", s, WORD)
        want = said(box, told.others)
        held = holders(box)
        assert {"texts"} < set(held) and any(
            "archive/blobs" in h for h in held) and any(
            "archive/sources" in h for h in held) and any(
            "archive/files" in h for h in held), held
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            listed = box.json("forget", s, "--dry-run")
            eq([x["sessionId"] for x in listed["sessions"]], [s])
            eq(listed["totalChanges"], 4)
            eq(holders(box), held, "after a dry run")
            done = json.loads(box.ok("forget", s, "--yes", "--format=json"))
            eq((done["sessionIds"], done["totalChanges"]), ([s], 4))
            assert done["freedBytes"] > 0, done
            event = rpc.event()
            eq((event["type"], event["sessionIds"]), ("forgotten", [s]))
            # The subscription goes on.
            told.u.edit("/home/dev/q/q.txt", "r", "s")
            while event["type"] != "change" or "sessionId" not in event \
                    or event["sessionId"] != told.u.session \
                    or event["timestamp"] != stamp(told.ids.now - 1000):
                event = rpc.event()
        want[told.u.session] = said(box, [told.u.session])[told.u.session]
        forgotten(told, want, "at once")
        told.grow()
        forgotten(told, want, "grown")
        box.restart()
        forgotten(told, want, "after a restart")
        box.ok("index", "--build")
        forgotten(told, want, "after a rebuild")
        box.stop()
        os.remove(os.path.join(box.state, "index.db"))
        told.grow()
        box.start()
        forgotten(told, want, "without the index")


def test_line_across_pieces():
    """Another session's copy of a line, in two pieces in the archive: the end
    of the line is behind the last segment."""
    with Box() as box:
        told = Told(box)
        told.s.prompt(f"{WORD} " + "x" * 1_200_000 + f" {WORD}")
        append(told.t.path, told.s.lines[-1])
        box.start()
        kept(box)
        want = said(box, told.others)
        box.ok("forget", told.s.session, "--yes")
        forgotten(told, want, "at once")
        os.remove(told.t.path)
        forgotten(told, want, "from the archive")


def test_project_and_before():
    with Box() as box:
        told = Told(box)
        late = Transcript(box, told.ids, project="-home-dev-q",
                          cwd="/home/dev/q")
        told.ids.now += 100 * 24 * 3600 * 1000
        late.prompt("much later")
        late.write("/home/dev/q/late.txt", "late\n")
        told.others.append(late.session)
        box.start()
        kept(box)
        want = said(box, told.others)
        done = box.run("forget", f"/home/dev/{WORD}")
        eq(done.returncode, 2, "without --yes")
        assert "to be forgotten: 1 session, 4 changes" in done.stdout, \
            done.stdout
        box.ok("forget", f"/home/dev/{WORD}", "--yes")
        forgotten(told, want, "a project")
        eq(box.run("forget", f"/home/dev/{WORD}", "--yes").returncode, 1,
           "again")
        box.ok("forget", "--before=2026-01-01", "--yes")
        with box.rpc() as rpc:
            eq([s["sessionId"] for s in rpc.call("session.list")["sessions"]],
               [late.session])
        eq(said(box, [late.session]),
           {late.session: want[late.session]}, "what is younger")
        for bad in (["forget"], ["forget", "@", "--path=x"],
                    ["forget", "abcd", "--before=yesterday"],
                    ["forget", "nosuchsession", "--yes"]):
            assert box.run(*bad).returncode in (1, 2), bad


def test_fork():
    """What another session has as well stays, as its own."""
    with Box() as box:
        ids = Ids(3)
        a = Transcript(box, ids)
        a.prompt(f"{WORD} " * 30)
        a.write("/home/dev/p/a.txt", f"{WORD}\n" * 50)
        b = Transcript(box, ids)
        for old in a.lines:
            append(b.path, old.replace(a.session.encode(),
                                       b.session.encode()))
        b.prompt("the fork's own")
        b.write("/home/dev/p/b.txt", "b\n")
        box.start()
        kept(box)
        # The first session owns what both have: it is the fork's then.
        box.ok("forget", a.session, "--yes")
        with box.rpc() as rpc:
            before = plain(rpc.call("session.messages", session=b.session))
        assert before["messages"][0]["content"].startswith(WORD)
        for _ in range(2):
            with box.rpc() as rpc:
                eq(plain(rpc.call("session.messages", session=b.session)),
                   before)
                eq([f["path"] for f in rpc.call(
                    "session.files", session=b.session)["files"]],
                   ["/home/dev/p/a.txt", "/home/dev/p/b.txt"])
            kept(box)
            os.rename(b.path, b.path + ".away")
            with box.rpc() as rpc:
                eq(plain(rpc.call("session.messages", session=b.session)),
                   before, "from the archive")
            os.rename(b.path + ".away", b.path)
            eq(holders(box, a.session), [], "its id")
            box.restart()
        box.ok("forget", b.session, "--yes")
        eq(holders(box), [], "when nobody has it")


def test_observed_and_undo():
    """Contents that were seen on disk, and those of the undo area."""
    with Observed() as box:
        ids = Ids(5)
        ids.now = int(time.time() * 1000) - 60000
        s = Transcript(box, ids, project=folder(box.p), cwd=box.p)
        client = box.client(s.session)
        path = box.write("a.txt", "one\n")
        box.start()
        box.watched()
        s.prompt("please")
        s.write(path, "one\n")
        box.write("a.txt", f"{WORD}\n")
        s.edit(path, "one", WORD)
        box.saw(1)
        box.write(f"{WORD}.txt", f"{WORD} of a person\n")
        box.saw(2)
        box.ok("restore", "--force", "a.txt", "--at=before:" + s.session,
               cwd=box.p)
        held = holders(box)
        for part in ("blobs/", "undo/", "index.db"):
            assert any(part in h for h in held), (part, held)
        listed = box.json("forget", s.session, "--dry-run")
        eq(listed["totalSessions"], 1)
        done = json.loads(box.ok("forget", s.session, "--yes",
                                 "--format=json"))
        eq(done["undoEntries"], 1)
        eq(holders(box), [], "at once")
        # Its client runs still: nobody looks at its project any more.
        s.prompt(f"{WORD} again")
        box.write(f"{WORD}2.txt", f"{WORD}\n")
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["observe"]["projects"], [])
        box.restart()
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["observe"]["projects"], [])
        eq(holders(box), [], "after a restart")
        client.end()


def test_killed():
    """Killed anywhere, the next start finishes it."""
    chance = random.Random(11)
    signs = ("forgotten", "index.db.forget", "texts.forget")
    for turn in range(4):
        with Box() as box:
            told = Told(box, seed=turn)
            box.start()
            kept(box)
            want = said(box, told.others)
            with box.rpc() as rpc:
                rpc.post("forget.run", {"session": told.s.session})
                # Somewhere in it, or behind it.
                sign = os.path.join(box.state, signs[turn % len(signs)])
                for _ in range(20000):
                    if os.path.exists(sign):
                        break
                for _ in range(chance.randrange(500)):
                    os.stat(box.state)
                box.kill()
            begun = os.path.exists(os.path.join(box.state, "forgotten"))
            box.start()
            if not begun:
                box.ok("forget", told.s.session, "--yes")
            forgotten(told, want, f"killed, turn {turn}")


def test_files():
    """The changes and the contents of some files, and their sessions stay."""
    with Box() as box:
        ids = Ids(7)
        p = "/home/dev/p"
        s = Transcript(box, ids)
        s.prompt("please")
        s.write(f"{p}/stays.txt", "stays\n")
        s.write(f"{p}/.env", f"KEY={WORD}\n")
        s.edit(f"{p}/.env", f"KEY={WORD}", f"KEY={WORD}2")
        for command in (f"echo {WORD} > .env", "cat .env", f"cd {p}; cat .env",
                        f"sed -i s/x/{WORD}/ {p}/.env"):
            tid = s.call("Bash", {"command": command})
            s.result(tid, {"stdout": WORD, "stderr": "",
                           "interrupted": False}, text=WORD)
        tid = s.call("Read", {"file_path": f"{p}/.env"})
        s.result(tid, {"type": "text", "file": {
            "filePath": f"{p}/.env", "content": WORD}}, text=WORD)
        s.edit(f"{p}/stays.txt", "stays", "remains")
        s.text("done")
        far = Transcript(box, ids, project="-home-dev-q", cwd="/home/dev/q")
        far.prompt("look")
        tid = far.call("Read", {"file_path": f"{p}/.env"})
        far.result(tid, {"type": "text", "file": {
            "filePath": f"{p}/.env", "content": WORD}}, text=WORD)
        far.write("/home/dev/q/q.txt", "q\n")
        box.start()
        kept(box)
        held = holders(box)
        assert held, "nothing was there"
        listed = box.json("forget", "--path=/home/dev/**/.env*", "--dry-run")
        eq((listed["files"], listed["totalSessions"]), ([f"{p}/.env"], 0))
        eq(listed["totalChanges"], 4)
        eq(holders(box), held)
        box.ok("forget", "--path=/home/dev/**/.env*", "--yes")
        for when in ("at once", "restarted", "built", "without the index"):
            if when == "restarted":
                box.restart()
            elif when == "built":
                box.ok("index", "--build")
            elif when != "at once":
                box.stop()
                os.remove(os.path.join(box.state, "index.db"))
                box.start()
            kept(box)
            eq(holders(box), [], when)
            eq(sorted(c["path"] for c in box.dump().changes),
               [f"{p}/stays.txt"] * 2 + ["/home/dev/q/q.txt"], when)
            with box.rpc() as rpc:
                eq(sorted(x["sessionId"] for x in
                          rpc.call("session.list")["sessions"]),
                   sorted([s.session, far.session]), when)
        os.rename(s.path, s.path + ".away")
        eq(box.ok("cat", f"{p}/stays.txt", "--at=" + s.session), "remains\n",
           "from the archive")
        # What comes later is new.
        os.rename(s.path + ".away", s.path)
        ids.now = int(time.time() * 1000) + 60000
        s.write(f"{p}/.env", "KEY=new\n")
        assert f"{p}/.env" in [c["path"] for c in box.dump().changes]


def test_names_of_files():
    """The name of a file and its content, in whatever calls and results have
    them, in snapshots and backups; what was said stays."""
    name, p = "quittenbaum", "/home/dev/p"
    path = f"{p}/{name}.env"
    with Box() as box:
        ids = Ids(8)
        s = Transcript(box, ids)
        s.prompt("please")
        s.write(f"{p}/stays.txt", "stays\n")
        s.write(path, f"KEY={WORD}\n")
        history = os.path.join(box.claude, "file-history", s.session)
        made = {}
        for n, one in enumerate((f"{name}.env", "stays.txt", "third.txt")):
            made[one] = {"backupFileName": f"{n:016x}@v1", "version": 1,
                         "backupTime": stamp(ids.now)}
            append(os.path.join(history, f"{n:016x}@v1"),
                   (f"{WORD}\n" if not n else "stays\n").encode() * 900)
        for tracked in (made, dict(reversed(made.items())),
                        {f"{name}.env": {"backupFileName": None,
                                         "version": 0}}):
            s.emit({"type": "file-history-snapshot", "messageId": ids.uuid(),
                    "isSnapshotUpdate": False,
                    "snapshot": {"messageId": ids.uuid(),
                                 "timestamp": stamp(ids.now),
                                 "trackedFileBackups": tracked}})
        for tool, given, told in (
                ("Grep", {"pattern": "KEY", "path": p},
                 f"{path}:1:KEY={WORD}"),
                ("Glob", {"pattern": "*.env"}, path),
                ("Bash", {"command": "ls"}, f"a.txt\n{name}.env\nstays.txt"),
                ("Bash", {"command": f"git diff -- {name}.env"}, WORD),
                ("Read", {"file_path": path}, WORD)):
            tid = s.call(tool, given)
            s.result(tid, {"stdout": told, "filenames": [path]}, text=told)
        s.text("the walnut is done")
        box.start()
        kept(box)
        for word in (WORD, name):
            held = " ".join(holders(box, word))
            assert "archive/sources" in held and "index.db" in held or \
                word == WORD and "archive/" in held, (word, held)
        box.ok("forget", f"--path=/**/{name}*", "--yes")
        for when in ("at once", "restarted", "built", "without the index"):
            if when == "restarted":
                box.restart()
            elif when == "built":
                box.ok("index", "--build")
            elif when != "at once":
                box.stop()
                os.remove(os.path.join(box.state, "index.db"))
                box.start()
            kept(box)
            for word in (WORD, name):
                eq(holders(box, word), [], f"{when}: {word}")
            assert holders(box, "walnut"), when
            # Other files of the same snapshots have theirs.
            with box.rpc() as rpc:
                eq(rpc.call("server.info")["archive"]["transcripts"], 1, when)
        os.remove(s.path)
        box.restart()
        eq(holders(box, "third.txt") != [], True, "a file beside it")
        eq(box.ok("cat", f"{p}/stays.txt", "--at=" + s.session), "stays\n")


def flip(path, rng):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    with open(path, "wb") as f:
        f.write(data)


def test_damaged_list():
    """The list outlives a flipped bit, a cut and its own loss."""
    with Box() as box:
        told = Told(box)
        box.start()
        kept(box)
        want = said(box, told.others)
        box.ok("forget", told.s.session, "--yes")
        assert "forgotten is damaged" not in box.run("doctor").stdout
        first = os.path.join(box.state, "forgotten")
        rng = random.Random(3)
        for n in range(6):
            path = (first, first + ".copy")[n % 2]
            if n < 4:
                flip(path, rng)
            elif n == 4:
                os.remove(path)
            else:
                os.truncate(path, 40)
            assert "forgotten is damaged" in box.run("doctor").stdout, n
            box.stop()
            os.remove(os.path.join(box.state, "index.db"))
            box.start()
            forgotten(told, want, f"damage {n}")
            assert "forgotten is damaged" not in box.run("doctor").stdout, n
        # A list of before has no checksum.
        box.stop()
        os.remove(first + ".copy")
        with open(first, "rb") as f:
            lines = f.read().splitlines(keepends=True)
        with open(first, "wb") as f:
            f.writelines(lines[:-1])
        box.start()
        forgotten(told, want, "an older list")
        assert os.path.exists(first + ".copy")


def test_lost_directory():
    """Who removes the state directory does not get back what was forgotten,
    and the archive is filled again."""
    with Box() as box:
        told = Told(box)
        box.start()
        kept(box)
        want = said(box, told.others)
        box.ok("forget", told.s.session, "--yes")
        kept(box)
        os.rename(box.state, box.state + ".away")
        shutil.rmtree(box.state + ".away")
        while not os.path.exists(os.path.join(box.state, "forgotten")):
            box.ok("status")
        forgotten(told, want, "removed")
        with box.rpc() as rpc:
            while rpc.call("server.info")["archive"]["transcripts"] != 2:
                pass
        box.restart()
        forgotten(told, want, "restarted")
        os.remove(told.u.path)
        eq(box.ok("cat", "/home/dev/q/q.txt", "--at=" + told.u.session),
           "r\n", "from the archive")


def test_excluded():
    """A project that is excluded never enters, and what was in is told of."""
    with Observed("exclude = ~/secret\nexclude = zucker*\n") as box:
        told = Told(box)
        ids = told.ids
        home = Transcript(box, ids, project="-secret",
                          cwd=box.home + "/secret/deep")
        # The first line does not say where it is.
        home.emit({"type": "file-history-snapshot", "messageId": ids.uuid(),
                   "snapshot": {"trackedFileBackups": {}}})
        box.start()
        home.prompt(f"{WORD} at home")
        home.write(f"{box.home}/secret/a.txt", f"{WORD}\n")
        os.makedirs(box.home + "/secret")
        client = box.client(home.session, cwd=box.home + "/secret")
        with box.rpc() as rpc:
            found = {s["sessionId"] for s in
                     rpc.call("session.list")["sessions"]}
            last = rpc.call("session.get",
                            session=told.u.session)["endTime"]
            info = rpc.call("server.info")
            eq((info["excluded"], info["observe"]["projects"]), ([], []))
        # One that begins with lines of an excluded project is, too.
        eq(found, {told.u.session}, "the sessions")
        kept(box)
        eq(holders(box), [])
        box.ok("index", "--build")
        eq(holders(box), [], "after a rebuild")
        client.end()
        box.stop()
        config = os.path.join(box.top, "config", "ccfc", "config")
        append(config, b"exclude = /home/dev/q\n")
        box.start()
        told.u.prompt("does not grow")
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["excluded"],
               [{"projectPath": "/home/dev/q", "sessions": 1}])
            eq(rpc.call("session.get", session=told.u.session)["endTime"],
               last, "its last line")
        assert "'ccfc forget /home/dev/q' removes it" in box.ok("status")
        box.ok("forget", "/home/dev/q", "--yes")
        assert "forget" not in box.ok("status")
        eq(holders(box, told.u.session), [])


def replies(rpc, asked):
    """The answers to all of them, in whatever order they come."""
    found = {}
    while len(found) < len(asked):
        kind, number, error, result = rpc.message()
        eq((kind, error), (1, None), "a reply")
        found[number] = plain(result)
    eq(sorted(found), sorted(asked))
    return [found[a] for a in asked]


def test_questions_go_on():
    """Questions that run meanwhile are answered, and so are those that come
    while it is done."""
    with Box() as box:
        told = Told(box)
        long = Transcript(box, told.ids, project="-home-dev-r",
                          cwd="/home/dev/r")
        for i in range(300):
            long.write(f"/home/dev/r/{i % 20}.txt", f"{i}\n" * 50)
        box.start()
        kept(box)
        with box.rpc() as one, box.rpc() as two, box.rpc() as three:
            asked = [one.post("session.diff", {"session": long.session})
                     for _ in range(4)]
            run = two.post("forget.run", {"session": told.s.session})
            more = [three.post("session.diff", {"session": long.session})
                    for _ in range(4)]
            answers = replies(one, asked)
            eq(two.reply(run)["sessionIds"], [told.s.session])
            answers += replies(three, more)
            for answer in answers:
                assert answer == answers[0] and answer["diffs"], "an answer"


def test_answers_meanwhile():
    """Another client is answered, and lines are read, while the new store is
    being made: it is there before the question and after the answer."""
    with Box() as box:
        ids = Ids(21)
        going = [Transcript(box, ids, project="-home-dev-g", cwd="/home/dev/g")
                 for _ in range(12)]
        for n, s in enumerate(going):
            for i in range(150):
                s.write(f"/home/dev/g/{n}-{i}.txt", f"{WORD} {i}\n" * 20)
        stays = Transcript(box, ids, project="-home-dev-h", cwd="/home/dev/h")
        stays.write("/home/dev/h/first.txt", "first\n")
        box.start()
        kept(box)
        fresh = os.path.join(box.state, "index.db.forget")
        count, proven = 1, 0
        with box.rpc() as one, box.rpc() as two:
            for s in going:
                run = two.post("forget.run", {"session": s.session})
                with box.rpc() as third:
                    while not os.path.exists(fresh) and not \
                            third.call("index.stats").get("indexing"):
                        pass
                while os.path.exists(fresh):
                    stays.write(f"/home/dev/h/{count}.txt", "more\n")
                    count += 1
                    files = one.call("session.files",
                                     session=stays.session)["files"]
                    eq(len(files), count, "with all that was written")
                    proven += os.path.exists(fresh)
                eq(two.reply(run)["sessionIds"], [s.session])
        assert proven, "nobody was answered"
        with box.rpc() as rpc:
            eq(rpc.call("session.list")["sessions"][0]["sessionId"],
               stays.session)
            eq(len(rpc.call("session.files",
                            session=stays.session)["files"]), count)
        kept(box)
        eq(holders(box), [])


def test_seen_meanwhile():
    """What is seen on disk while something is forgotten is not lost, nor is
    its content."""
    with Observed() as box:
        ids = Ids(22)
        ids.now = int(time.time() * 1000) - 24 * 3600 * 1000
        going = [Transcript(box, ids, project="-home-dev-g", cwd="/home/dev/g")
                 for _ in range(12)]
        for n, s in enumerate(going):
            for i in range(150):
                s.write(f"/home/dev/g/{n}-{i}.txt", f"{WORD} {i}\n" * 20)
        ids.now = int(time.time() * 1000) - 60000
        s = Transcript(box, ids, project=folder(box.p), cwd=box.p)
        client = box.client(s.session)
        s.prompt("please")
        box.start()
        box.watched()
        fresh = os.path.join(box.state, "index.db.forget")
        seen = []
        with box.rpc() as one, box.rpc() as two:
            for n, g in enumerate(going):
                before = one.call("server.info")["observe"]["events"]
                run = two.post("forget.run", {"session": g.session})
                box.write(f"{n}.txt", f"content {n}\n")
                while not select.select([two.sock], [], [], 0)[0]:
                    now = one.call("server.info")["observe"]["events"]
                    if now > before and os.path.exists(fresh):
                        seen.append(n)
                        break
                eq(two.reply(run)["sessionIds"], [g.session])
                if len(seen) > 1:
                    break
        assert seen, "nothing was seen meanwhile"
        keys = {e["path"]: e["after_key"] for e in box.events()}
        for n in seen:
            key = keys[f"{n}.txt"]
            eq(key, hashlib.sha256(f"content {n}\n".encode()).hexdigest())
            assert os.path.exists(os.path.join(box.state, "blobs", key[:2],
                                               key[2:])), keys
        client.end()


def marked(box):
    """The calls of which the store knows when they began."""
    path = os.path.join(box.state, "index.db")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return {str(row[0]) for row in db.execute(
            "SELECT tool_use_id FROM t_mark UNION"
            " SELECT CAST(tool_use_id AS TEXT) FROM t_change"
            " WHERE began IS NOT NULL")}


def test_marked_meanwhile():
    """When a command began, told while something is forgotten, is not lost:
    no transcript has it."""
    with Box() as box:
        ids = Ids(23)
        ids.now = int(time.time() * 1000) - 60_000
        going = [Transcript(box, ids, project="-home-dev-g", cwd="/home/dev/g")
                 for _ in range(12)]
        for n, s in enumerate(going):
            for i in range(150):
                s.write(f"/home/dev/g/{n}-{i}.txt", f"{WORD} {i}\n" * 20)
        s = Transcript(box, ids, project="-home-dev-h", cwd="/home/dev/h")
        commands = [s.call("Bash", {"command": "make"}) for _ in range(200)]
        box.start()
        kept(box)
        fresh = os.path.join(box.state, "index.db.forget")
        left, told = [], []
        for i, tid in enumerate(commands):
            left += [tid, f"toolu_waits{i}"]

        def mark(rpc, session, tid):
            return rpc.call("command.mark", session=session, toolUseId=tid,
                            began=int(time.time() * 1000))["kept"]

        with box.rpc() as one, box.rpc() as two:
            for g in going:
                run = two.post("forget.run", {"session": g.session})
                meanwhile = 0
                while not select.select([two.sock], [], [], 0)[0]:
                    if os.path.exists(fresh) and left:
                        told.append(left.pop())
                        eq(mark(one, s.session, told[-1]), True)
                        meanwhile += os.path.exists(fresh)
                eq(two.reply(run)["sessionIds"], [g.session])
                eq(mark(one, g.session, "toolu_forgotten"), False)
                if meanwhile > 1:
                    break
        assert meanwhile > 1, "nothing was told meanwhile"
        for hard in (False, True):
            eq([t for t in told if t not in marked(box)], [], "lost")
            box.restart(hard=hard)


if __name__ == "__main__":
    harness.main()
