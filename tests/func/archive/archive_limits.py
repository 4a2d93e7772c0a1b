"""Budget and age of the archive: what was written longest ago goes, whenever it
came in; what makes room stays away; `status` says what is kept, and what goes
next.
"""
import os
import time

import harness
from archive import at, files, kept, live, read, wait_for, write
from harness import Box, eq

DAY = 24 * 3600


def settings(box, text):
    path = os.path.join(box.top, "config", "ccfc", "config")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def session(n):
    return f"5e550000-0000-4000-8000-{n:012}"


def written(box, n, days, size=20000):
    """A transcript that was last written some days ago, and its change."""
    t = live(box, session=session(n))
    tid = write(t, f"/home/dev/p/{n}", os.urandom(size // 2).hex())
    then = int(time.time() - days * DAY)
    os.utime(t.path, (then, then))
    return t.path, tid


def settled(box):
    """What server.info says of the archive, once it rests."""
    with box.rpc() as rpc:
        while True:
            info = rpc.call("server.info")
            if not info.get("indexing") and not info["archive"]["waiting"] \
                    and not info["archive"].get("counting"):
                return info["archive"]


def sources(box):
    """Path of a transcript → how much of it is kept."""
    with box.rpc() as rpc:
        return {r["path"]: r["kept"] for r in
                rpc.call("source.list", limit=1000)["sources"]}


def manifests(box):
    top = os.path.join(box.state, "archive", "sources")
    return {os.path.basename(p): (int(os.stat(p).st_mtime), read(p))
            for p in files(top)}


def test_oldest_go():
    """By the age of the transcripts, not by the order in which they came in.
    Those that only the archive has stay, start after start."""
    with Box() as box:
        made = [written(box, n, days) for n, days in
                enumerate((40, 5, 60, 10, 50, 20, 30, 70), 1)]
        box.start()
        kept(box)
        times = sorted(t for t, _ in manifests(box).values())
        eq(times, sorted(int(os.stat(p).st_mtime) for p, _ in made), "times")
        box.stop()
        gone = [made[1], made[3], made[5]]
        for path, _ in gone:
            os.remove(path)
        used = sum(os.stat(p).st_blocks * 512
                   for p in files(os.path.join(box.state, "archive")))
        settings(box, f"archive-budget = {used * 5 // 8}\n")
        box.start()
        while settled(box)["bytes"] > used * 5 // 8:
            pass
        after = manifests(box)
        for _ in range(2):
            box.restart()
            eq(settled(box)["purged"], 0, "made room at a start")
            eq(manifests(box), after, "what is kept")
            for path, tid in gone:
                eq(len(at(box, tid)), 20000, path)
        box.stop()
        # When there is room again they are kept.
        settings(box, "")
        box.start()
        kept(box)
        eq(len(manifests(box)), len(made), "with room")


def test_young_one_enters():
    """A full archive takes what is younger, and the oldest goes for it."""
    with Box() as box:
        made = [written(box, n, 50 - n) for n in range(1, 9)]
        box.start()
        kept(box)
        used = settled(box)["bytes"]
        box.stop()
        for path, _ in made:
            os.remove(path)
        settings(box, f"archive-budget = {used}\n")
        box.start()
        eq(settled(box)["transcripts"], len(made))
        t = live(box, session=session(100))
        young = write(t, "/home/dev/p/young", os.urandom(10000).hex())
        wait_for(box, path=t.path, kept=os.path.getsize(t.path))
        with box.rpc() as rpc:
            while not rpc.call("server.info")["archive"]["purged"]:
                pass
        eq(at(box, made[0][1]), None, "the oldest")
        os.remove(t.path)
        eq(len(at(box, young)), 20000)
        eq(len(at(box, made[-1][1])), 20000)


def test_age_while_it_runs():
    """What becomes too old goes without a restart, its backups with it, and
    does not come back as long as the client has it."""
    with Box() as box:
        gone, gone_id = written(box, 1, 1)
        there, _ = written(box, 2, 1)
        young, young_id = written(box, 3, 0)
        history = os.path.join(box.claude, "file-history", session(1))
        harness.append(os.path.join(history, "0123456789abcdef@v1"), b"x\n")
        os.utime(os.path.join(history, "0123456789abcdef@v1"), (1, 1))
        box.start()
        kept(box)
        box.stop()
        os.remove(gone)
        soon = int(time.time()) - 10 * DAY + 2
        for path in files(os.path.join(box.state, "archive", "sources")) + \
                files(os.path.join(box.state, "archive", "files")):
            if time.time() - os.stat(path).st_mtime > DAY / 2:
                os.utime(path, (soon, soon))
        os.utime(there, (soon, soon))
        settings(box, "archive-age = 10\n")
        box.start()
        wait_for(box, path=gone, source="gone")
        eq(at(box, gone_id), None)
        eq(files(os.path.join(box.state, "archive", "files")), [], "backups")
        for _ in range(2):
            settled(box)
            eq(sources(box)[there], 0, "one that the client still has")
            eq(len(at(box, young_id)), 20000)
            eq(len(manifests(box)), 1)
            box.restart()
        wait_for(box, path=young, kept=os.path.getsize(young))


def test_status_says():
    """What is kept is counted also where nothing is added, and status and
    doctor say what goes next."""
    with Box() as box:
        made = [written(box, n, 50 - n) for n in range(1, 9)]
        box.start()
        kept(box)
        info = settled(box)
        eq(("leaves" in info, "next" in info), (False, False))
        box.stop()
        for path, _ in made:
            os.remove(path)
        for text in ("", "archive = off\n"):
            settings(box, text)
            box.start()
            again = settled(box)
            eq((again["transcripts"], again["bytes"], again["lineBytes"]),
               (8, info["bytes"], info["lineBytes"]), text)
            assert "8 transcripts (" in box.ok("status"), box.ok("status")
            box.stop()
        settings(box, f"archive-budget = {info['bytes'] * 2}\n"
                      "archive-age = 60\n")
        box.start()
        said = settled(box)
        oldest = min(t for t, _ in manifests(box).values())
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(oldest))
        leaves = time.strftime("%Y-%m-%dT%H:%M:%S.000Z",
                               time.gmtime(oldest + 60 * DAY))
        eq((said["oldest"], said["leaves"]), (stamp, leaves))
        # A tenth of the budget: two of these eight.
        eq(said["next"], 2)
        for text in (box.ok("status"), box.run("doctor").stdout):
            assert "; the oldest goes on 20" in text, text
            assert "; when full, 2 transcripts go, written up to 20" in text, \
                text


def test_moved_times():
    """What is exported and imported is as old as before."""
    with Box() as box:
        for n in range(1, 5):
            written(box, n, 10 * n)
        box.start()
        kept(box)
        want = sorted(t for t, _ in manifests(box).values())
        box.ok("export", "--all", os.path.join(box.top, "export"))
        with Box() as other:
            other.start()
            other.ok("import", os.path.join(box.top, "export"))
            eq(sorted(t for t, _ in manifests(other).values()), want)


if __name__ == "__main__":
    harness.main()
