"""Transcripts and backups that were deleted: every question is answered from
the archive as it was from them, but for the field `source`.

This is about single transcripts; archive_gone.py has whole recordings and
worlds, archive_harm.py damage and kills.
"""
import json
import os
import random
import time

import harness
from harness import Box, append, eq
from recordings import ask
from transcript import Ids, Transcript, write_result

# What a deletion does change.
FIELDS = {"source", "clock", "filePath", "scannedBytes", "indexing"}


def kept(box):
    """Waits until the archive has everything, if there is one; what
    server.info says of it."""
    end = time.monotonic() + harness.LIMIT
    with box.rpc() as rpc:
        while True:
            info = rpc.call("server.info")
            assert time.monotonic() < end, f"not kept: {info['archive']}"
            if info["archive"]["mode"] == "off":
                return info["archive"]
            if not info["archive"]["waiting"] and \
                    not info["archive"].get("counting") and \
                    not info.get("indexing"):
                # One may be under way: it is told when it is done.
                rows = rpc.call("source.list", limit=100000)["sources"]
                if all(r.get("kept", 0) >= r["bytes"] for r in rows):
                    return info["archive"]
            # The archive's thread has the lowest priority: who asks without a
            # pause takes its time from it.
            time.sleep(0.005)


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in FIELDS}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


STATES = 4


def answers(box, state=None):
    """Everything that can be asked, with its answers; or, of what is asked in
    several states, the share of one of them."""
    found = {}
    asked = 0

    def put(method, **params):
        nonlocal asked
        asked += 1
        if state is None or asked % STATES == state:
            key = method + " " + json.dumps(params, sort_keys=True)
            found[key] = plain(ask(rpc, method, **params))

    with box.rpc() as rpc:
        dump = box.dump()
        sessions = sorted({c["sessionId"] for c in dump.changes})
        files = sorted({c["path"] for c in dump.changes})
        everyone = [s["sessionId"] for s in
                    rpc.call("session.list", limit=100000)["sessions"]]
        for places in (["text", "thinking"], ["tool"], ["result"]):
            put("text.search", pattern="e", limit=200, **{"in": places})
        for s in everyone:
            put("session.get", session=s)
            put("session.messages", session=s, limit=1000)
            put("session.timeline", session=s, limit=1000)
            put("session.tree", session=s, limit=1000)
        for s in sessions:
            put("session.diff", session=s)
            put("session.revert", session=s)
            put("session.recover", session=s)
        for f in files:
            put("file.blame", path=f)
            put("file.log", path=f, limit=1000)
        for c in dump.changes:
            put("change.get", change=c["changeId"])
            put("file.at", path=c["path"], at=c["changeId"])
            put("file.at", path=c["path"], at="before:" + c["changeId"])
    return found


def difference(got, want, where=""):
    """The first place where two answers differ."""
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(set(got) | set(want)):
            if got.get(key) != want.get(key):
                return difference(got.get(key), want.get(key),
                                  f"{where}.{key}")
    if isinstance(got, list) and isinstance(want, list) \
            and len(got) == len(want):
        for i, pair in enumerate(zip(got, want)):
            if pair[0] != pair[1]:
                return difference(*pair, f"{where}[{i}]")
    return f"{where}: {repr(got)[:300]} instead of {repr(want)[:300]}"


# What happened at the same moment is in the order in which the transcripts
# were found.
BY_DISCOVERY = ("session.timeline", "session.tree", "file.log", "text.search")


def same(got, want, when, skip=()):
    eq(sorted(set(got) - set(want)), [], f"{when}: further questions")
    want = {k: want[k] for k in got if not k.startswith(tuple(skip))}
    wrong = [key for key in want if got[key] != want[key]]
    for key in wrong[:20]:
        print(f"{when}: {key}: {difference(got[key], want[key])}")
    assert not wrong, f"{when}: {len(wrong)} of {len(want)} answers differ"


def live(box, session="5e550000-0000-4000-8000-000000000001"):
    t = Transcript(box, Ids(int(session[-4:])), project="-home-dev-p",
                   session=session, cwd="/home/dev/p")
    t.prompt("please")
    return t


def write(t, path, content):
    tid = t.call("Write", {"file_path": path, "content": content})
    t.result(tid, write_result(path, content, "create"))
    return tid


def at(box, tid):
    """The file after a change; None: not known."""
    with box.rpc() as rpc:
        state = rpc.call("change.get", change=tid,
                         includeContent=True)["after"] or {}
    content = state.get("content")
    return content if content is None else content.decode()


def wait_for(box, **fields):
    """Until a source has these fields."""
    end = time.monotonic() + harness.LIMIT
    with box.rpc() as rpc:
        while True:
            assert time.monotonic() < end, f"never {fields}"
            for row in rpc.call("source.list", limit=1000)["sources"]:
                if all(row[k] == v for k, v in fields.items()):
                    return row


def watched(box):
    """A transcript that the daemon knows: one that is only found, not written
    before its eyes, is read for the archive later."""
    t = live(box)
    wait_for(box, path=t.path, source="present")
    kept(box)
    return t


def test_deleted_right_after_it_was_written():
    """What the daemon has read is not lost, however soon the file goes."""
    with Box() as box:
        box.start()
        t = watched(box)
        tid = write(t, "/home/dev/p/a", "kept all the same\n")
        box.ok("status")  # it was read
        os.remove(t.path)
        wait_for(box, source="archived")
        eq(at(box, tid), "kept all the same\n")
        box.restart(hard=True)
        eq(at(box, tid), "kept all the same\n")


def test_stopped_right_after_it_was_written():
    with Box() as box:
        box.start()
        t = watched(box)
        tid = write(t, "/home/dev/p/a", "x\n")
        box.ok("status")
        box.stop()
        os.remove(t.path)
        box.start()
        eq(at(box, tid), "x\n")


def test_rewritten_in_place():
    """Lines that the client took back stay readable, in each version."""
    with Box() as box:
        box.start()
        t = watched(box)
        tids = [write(t, "/home/dev/p/a", "one\n")]
        box.ok("status")
        start = read(t.path)
        head = start[:start.index(b"\n") + 1]
        for text in ("two\n", "three\n"):
            with open(t.path, "r+b") as f:
                f.truncate(0)
                f.write(head)
            box.ok("status")
            tids.append(write(t, "/home/dev/p/a", text))
            box.ok("status")
        want = ["one\n", "two\n", "three\n"]
        kept(box)
        eq([at(box, i) for i in tids], want)
        os.remove(t.path)
        eq([at(box, i) for i in tids], want, "gone")
        box.restart()
        eq([at(box, i) for i in tids], want, "restarted")
        box.ok("index", "--build")
        eq([at(box, i) for i in tids], want, "rebuilt")


def rewritten(box, t, texts):
    """Writes a file, and as often again after all but the first line of the
    transcript was taken back; the changes."""
    tids = []
    for text in texts:
        if tids:
            # What was only found is read for the archive later.
            kept(box)
            keep_first_line(t)
        tids.append(write(t, "/home/dev/p/a", text))
        box.ok("status")
    return tids


def keep_first_line(t):
    start = read(t.path)
    with open(t.path, "r+b") as f:
        f.truncate(0)
        f.write(start[:start.index(b"\n") + 1])


def lose_index(box):
    for path in files(box.state):
        if os.path.basename(path).startswith("index"):
            os.remove(path)


def test_rewritten_while_the_index_was_lost():
    """Only the manifest's checksum of the last bytes shows that the file is
    another one than what is kept."""
    with Box() as box:
        t = live(box)
        want = ["one\n", "two\n"]
        tids = [write(t, "/home/dev/p/a", want[0])]
        box.start()
        kept(box)
        box.stop()
        lose_index(box)
        keep_first_line(t)
        tids.append(write(t, "/home/dev/p/a", want[1]))
        box.start()
        kept(box)
        eq([at(box, i) for i in tids], want)
        os.remove(t.path)
        box.restart()
        eq([at(box, i) for i in tids], want, "gone")


def test_index_lost():
    """All versions of each transcript come back, whenever the daemon ends
    while it reads them; what is written later is kept as well."""
    rng = random.Random(3)
    with Box() as box:
        box.start()
        texts = ["".join(rng.choices("abc \n", k=100000)) for _ in range(3)]
        live_ones = [live(box, f"5e550000-0000-4000-8000-{i:012}")
                     for i in range(1, 5)]
        tids = [rewritten(box, t, texts[:n + 1])
                for t, n in zip(live_ones, (0, 1, 2, 2))]
        kept(box)
        os.remove(live_ones[0].path)
        os.remove(live_ones[2].path)
        box.ok("status")
        want = answers(box)
        for kills in range(4):
            box.stop()
            lose_index(box)
            for _ in range(kills):
                box.start()
                with box.rpc() as rpc:
                    for _ in range(kills):
                        rpc.call("server.info")
                box.kill()
            box.start()
            kept(box)
            same(answers(box), want, f"killed {kills} times", BY_DISCOVERY)
        tids[1].append(write(live_ones[1], "/home/dev/p/a", "later\n"))
        box.ok("status")
        kept(box)
        for t in live_ones:
            if os.path.exists(t.path):
                os.remove(t.path)
        box.restart()
        eq([at(box, i) for i in tids[1]], [*texts[:2], "later\n"])


def test_moved():
    with Box() as box:
        box.start()
        t = live(box)
        tid = write(t, "/home/dev/p/a", "x\n")
        kept(box)
        other = box.project("-home-dev-q")
        os.makedirs(other)
        path = os.path.join(other, os.path.basename(t.path))
        os.rename(t.path, path)
        wait_for(box, path=path, source="present")
        box.restart()
        kept(box)
        os.remove(path)
        box.restart()
        eq(at(box, tid), "x\n")


def test_settings():
    with Box() as box:
        config = os.path.join(box.top, "config", "ccfc", "config")
        os.makedirs(os.path.dirname(config))
        append(config, b"archive = off\n")
        t = live(box)
        tid = write(t, "/home/dev/p/a", "x\n")
        quiet = live(box, session="5e550000-0000-4000-8000-000000000002")
        box.start()
        wait_for(box, path=t.path)
        os.remove(t.path)
        wait_for(box, source="gone")
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["archive"]["transcripts"], 0)
        box.stop()
        t = live(box)
        write(t, "/home/dev/p/a", "x\n")
        with open(config, "w", encoding="utf-8") as f:
            f.write("archive = changes\narchive-budget = 1M\n"
                    "archive-age = 30\n")
        box.start()
        wait_for(box, path=t.path, kept=os.path.getsize(t.path))
        with box.rpc() as rpc:
            info = rpc.call("server.info")["archive"]
            eq((info["mode"], info["budget"], info["age"]),
               ("changes", 1 << 20, 30))
        row = wait_for(box, path=quiet.path)
        eq(row["kept"], 0, "a session without changes")
        assert "1 transcript" in box.ok("status")
        with open(config, "w", encoding="utf-8") as f:
            f.write("archive = some\n")
        assert box.spawn_daemon()[0].wait(60) == 2
        assert tid


def test_budget_and_age():
    with Box() as box:
        config = os.path.join(box.top, "config", "ccfc", "config")
        os.makedirs(os.path.dirname(config))
        append(config, b"archive-age = 10\n")
        t = live(box)
        tid = write(t, "/home/dev/p/a", "x\n")
        box.start()
        kept(box)
        os.remove(t.path)
        wait_for(box, source="archived")
        box.stop()
        for path in files(os.path.join(box.state, "archive")):
            os.utime(path, (1, 1))
        other = live(box, session="5e550000-0000-4000-8000-000000000002")
        write(other, "/home/dev/p/b", os.urandom(300000).hex())
        box.start()
        wait_for(box, path=other.path, kept=os.path.getsize(other.path))
        wait_for(box, path=t.path, source="gone")
        eq(at(box, tid), None)
        box.stop()
        with open(config, "w", encoding="utf-8") as f:
            f.write("archive-budget = 100K\n")
        box.start()
        with box.rpc() as rpc:
            while not rpc.call("server.info")["archive"]["purged"]:
                box.ok("status")
                append(other.path, b"{}\n")
            rpc.call("server.info")
        wait_for(box, path=other.path, kept=0)


def files(top):
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(top) for name in names)


def test_copies_are_kept_once():
    """A fork has the lines of its original but for the session's id."""
    with Box() as box:
        first = "5e550000-0000-4000-8000-000000000001"
        second = "5e550000-0000-4000-8000-000000000002"
        t = live(box, session=first)
        rng = random.Random(3)
        for i in range(40):
            write(t, f"/home/dev/p/{i}",
                  "".join(rng.choices("abcdefgh \n", k=30000)))
        box.start()
        kept(box)
        blobs = files(os.path.join(box.state, "archive", "blobs"))
        data = read(t.path).replace(first.encode(), second.encode())
        fork = os.path.join(os.path.dirname(t.path), second + ".jsonl")
        append(fork, data)
        kept(box)
        eq(files(os.path.join(box.state, "archive", "blobs")), blobs)
        os.remove(t.path)
        os.remove(fork)
        want = box.ok("export", second, "--format=json")
        assert second in want and first not in want
        box.restart()
        eq(box.ok("export", second, "--format=json"), want)


def read(path):
    with open(path, "rb") as f:
        return f.read()


if __name__ == "__main__":
    harness.main()
