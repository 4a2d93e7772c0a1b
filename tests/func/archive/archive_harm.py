"""What damage and kills do to the archive: it is found, and costs only what it
holds; nothing names what is not there."""
import os
import random

import harness
from archive import at, files, kept, live, read, write
from harness import Box, append, eq
from observing import Observed
from transcript import Ids, Transcript, folder

SOAK = os.environ.get("CCFC_SOAK")


def test_damage():
    """A flipped or cut byte costs only what it holds, and is found."""
    with Box() as box:
        box.start()
        t = live(box)
        rng = random.Random(5)
        tids = {}
        for i in range(40):
            text = "".join(rng.choices("abcdefgh \n", k=30000))
            tids[write(t, f"/home/dev/p/{i}", text)] = text
        other = live(box, session="5e550000-0000-4000-8000-000000000002")
        small = write(other, "/home/dev/p/small", "small\n")
        kept(box)
        os.remove(t.path)
        os.remove(other.path)
        eq({i: at(box, i) for i in tids}, tids)
        box.stop()
        blobs = files(os.path.join(box.state, "archive", "blobs"))
        assert len(blobs) > 2, blobs
        for path, cut in ((blobs[0], False), (blobs[1], True)):
            harm(path, cut, rng)
            box.start()
            good = readable(box, tids)
            assert 0 < len(good) < len(tids), len(good)
            eq({i: at(box, i) for i in good}, {i: tids[i] for i in good})
            eq(at(box, small), "small\n")
            done = box.run("doctor", "--deep")
            assert "archive is damaged" in done.stdout, done.stdout
            box.stop()
        for path in files(os.path.join(box.state, "archive", "sources")):
            harm(path, False, rng)
        box.start()
        for i in readable(box, tids):
            eq(at(box, i), tids[i])
        assert "archive is damaged" in box.run("doctor", "--deep").stdout


def test_every_file():
    """One bit flipped in any file of the archive, at its start, at its end and
    anywhere: doctor --deep says so, and only then."""
    with Box() as box:
        rng = random.Random(6)
        box.start()
        t = live(box)
        for i in range(25):
            write(t, f"/home/dev/p/{i}",
                  "".join(rng.choices("abcdefgh \n", k=30000)))
        short = live(box, session="5e550000-0000-4000-8000-000000000002")
        write(short, "/home/dev/p/small", "small\n")
        history = os.path.join(box.claude, "file-history", t.session)
        append(os.path.join(history, "0123456789abcdef@v1"),
               bytes(rng.choices(range(256), k=9000)))
        append(os.path.join(history, "0123456789abcdef@v2"), b"small\n")
        agent = os.path.join(os.path.dirname(t.path), t.session, "subagents",
                             "agent-a1234567.jsonl")
        append(agent, t.lines[0].replace(b'"isSidechain":false',
                                         b'"isSidechain":true'))
        append(agent.replace(".jsonl", ".meta.json"), b'{"agentType":"x"}')
        kept(box)
        top = os.path.join(box.state, "archive")
        kinds = [os.path.relpath(p, top).split("/")[0] for p in files(top)]
        eq({k: kinds.count(k) > 1 for k in kinds},
           {"blobs": True, "files": True, "sources": True}, "kinds")
        sound = "archive is damaged"
        assert sound not in box.run("doctor", "--deep").stdout
        for path in files(top):
            whole = read(path)
            places = {0, len(whole) - 1}
            places |= {rng.randrange(len(whole))
                       for _ in range(20 if SOAK else 1)}
            for place in places:
                data = bytearray(whole)
                data[place] ^= 1 << rng.randrange(8)
                put(path, data)
                done = box.run("doctor", "--deep")
                assert sound in done.stdout, (path, place, len(whole))
            put(path, whole)
        assert sound not in box.run("doctor", "--deep").stdout


def test_seen_on_disk():
    """doctor --deep reads the contents that were seen on disk as well."""
    with Observed() as box:
        ids = Ids(5)
        s = Transcript(box, ids, project=folder(box.p), cwd=box.p)
        client = box.client(s.session)
        box.write("a.txt", "one\n")
        box.start()
        box.watched()
        box.write("a.txt", "two\n" * 50)
        while not files(os.path.join(box.state, "blobs")):
            box.ok("status")
        sound = "blobs is damaged"
        assert sound not in box.run("doctor", "--deep").stdout
        for path in files(os.path.join(box.state, "blobs")):
            whole = read(path)
            for data in (whole[:-1], whole[:16] + whole[17:],
                         bytes([whole[0] ^ 1]) + whole[1:]):
                put(path, data)
                assert sound in box.run("doctor", "--deep").stdout
            put(path, whole)
        assert sound not in box.run("doctor", "--deep").stdout
        client.end()


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def harm(path, cut, rng):
    data = bytearray(read(path))
    if cut:
        data = data[:len(data) // 2]
    else:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    put(path, data)


def readable(box, tids):
    return {i for i in tids if at(box, i) is not None}


def test_kill():
    """Killed at any moment of archiving: nothing names what is not there."""
    rng = random.Random(11)
    for n in (range(5) if SOAK else (0, 1, 3)):
        with Box() as box:
            t = live(box)
            tids = {}
            for i in range(30):
                text = "".join(rng.choices("abcdefgh \n", k=60000))
                tids[write(t, f"/home/dev/p/{i}", text)] = text
            box.start()
            while len(files(os.path.join(box.state, "archive",
                                         "blobs"))) < n:
                box.ok("status")
            box.restart(hard=True)
            kept(box)
            assert "archive is damaged" not in \
                box.run("doctor", "--deep").stdout
            os.remove(t.path)
            eq({i: at(box, i) for i in tids}, tids)


if __name__ == "__main__":
    harness.main()
