"""What was exported and imported is answered on another machine as on the
first; a damaged export changes nothing; a copied Claude directory is a source
that is gone."""
import hashlib
import os
import random
import select
import shutil

import harness
from archive import (BY_DISCOVERY, answers, files, kept, live, read,
                     rewritten, same, write)
from forget import holders
from harness import Box, append, eq
from property import World
from recordings import looks
from transcript import edit_result, patch, stamp


def settled(box):
    """Waits until all that was imported is indexed."""
    with box.rpc() as rpc:
        while rpc.call("index.stats").get("indexing"):
            pass


def killed_in_import(box, path, n):
    """Kills the daemon when an import has made n files, or is over: files that
    are there for a moment only may not have been seen."""
    archive = os.path.join(box.state, "archive")
    with box.rpc() as rpc:
        rpc.post("archive.import", {"path": path})
        while len(files(archive)) < n and \
                not select.select([rpc.sock], [], [], 0)[0]:
            pass
        box.kill()


def export(box, name="export", *more):
    path = os.path.join(box.top, name)
    box.ok("export", "--all", path, *more)
    return path


def modes(top):
    for folder, _, names in os.walk(top):
        eq(os.stat(folder).st_mode & 0o777, 0o700, folder)
        for name in names:
            eq(os.stat(os.path.join(folder, name)).st_mode & 0o777, 0o600,
               name)


def where(box):
    with box.rpc() as rpc:
        return {r["source"] for r in
                rpc.call("source.list", limit=100000)["sources"]}


def dump_of(box):
    return box.ok("index", "--dump")


def test_recordings():
    """Another machine has the same answers, after the first one is gone."""
    for box, _ in looks("disk"):
        want, dump = answers(box, 2), dump_of(box)
        path = export(box)
        modes(path)
        for root in box.roots or [box.claude]:
            shutil.rmtree(root)
        with Box() as other:
            # A path that begins with "~" is one of the reader's home.
            other.env["HOME"] = box.env["HOME"]
            other.start()
            other.ok("import", path)
            eq(dump_of(other), dump, "the dump")
            eq(where(other), {"archived"}, "source")
            for when in ("imported", "restarted"):
                same(answers(other, 2), want, when, BY_DISCOVERY)
                other.restart()
            again = other.ok("import", path)
            assert "imported 0 transcripts" in again, again
            eq(dump_of(other), dump, "imported twice")


def test_backups():
    """What only the client's backups tell is known on another machine, whose
    Claude directory is another one."""
    with Box() as box, Box() as other:
        t = live(box)
        path = "/home/dev/p/a"
        name = hashlib.sha256(path.encode()).hexdigest()[:16] + "@v1"
        backup = os.path.join(box.claude, "file-history", t.session, name)
        append(backup, b"one\r\ntwo\r\n")
        uuid, when = t.ids.uuid(), stamp(t.ids.now)
        t.emit({"type": "file-history-snapshot", "messageId": uuid,
                "isSnapshotUpdate": False,
                "snapshot": {"messageId": uuid, "timestamp": when,
                             "trackedFileBackups": {path: {
                                 "backupFileName": name, "version": 1,
                                 "backupTime": when}}}})
        tid = t.call("Edit", {"file_path": path, "old_string": "two",
                              "new_string": "three"})
        t.result(tid, edit_result(
            path, "two", "three", originalFile=None,
            structuredPatch=patch(["one", "two"], ["one", "three"])))
        box.start()
        kept(box)
        want = answers(box)
        assert "'backup'" in repr(want), "the backup says nothing"
        made = export(box)
        shutil.rmtree(box.claude)
        other.start()
        other.ok("import", made)
        for when in ("imported", "restarted"):
            same(answers(other), want, when)
            other.restart()


def test_rewritten():
    """Lines that the client took back move as well."""
    with Box() as box, Box() as other:
        box.start()
        rewritten(box, live(box), ["one\n", "two\n", "three\n"])
        kept(box)
        want, dump = answers(box), dump_of(box)
        path = export(box)
        other.start()
        other.ok("import", path)
        for when in ("imported", "restarted"):
            eq(dump_of(other), dump, when)
            same(answers(other), want, when)
            other.restart()


def world(box, seed):
    made = World(seed).made
    for t in made:
        append(os.path.join(box.claude, os.path.relpath(t.path, "/claude")),
               b"".join(t.lines))


def test_copied_directory():
    """The same as the index of the original, archived and not watched."""
    for seed in (31, 32):
        with Box() as box, Box() as other:
            world(box, seed)
            copy = os.path.join(other.top, "old", ".claude")
            shutil.copytree(box.claude, copy)
            box.start()
            want, dump = answers(box), dump_of(box)
            other.start()
            other.ok("import", copy)
            eq(dump_of(other), dump, "the dump")
            eq(where(other), {"archived"}, "source")
            same(answers(other), want, "imported", BY_DISCOVERY)
            # It is not looked at again, and need not be there.
            for path in files(os.path.join(copy, "projects")):
                append(path, b"{}\n")
            other.ok("index", "--build")
            eq(dump_of(other), dump, "rebuilt")
            shutil.rmtree(copy)
            other.restart()
            eq(dump_of(other), dump, "without the copy")
            same(answers(other), want, "without the copy", BY_DISCOVERY)


def test_copy_of_what_is_watched():
    """Nothing is doubled; what the copy has more is added."""
    with Box() as box:
        world(box, 33)
        copy = os.path.join(box.top, "old", ".claude")
        shutil.copytree(box.claude, copy)
        box.start()
        kept(box)
        dump = dump_of(box)
        with box.rpc() as rpc:
            rows = len(rpc.call("source.list", limit=1000)["sources"])
        assert "imported 0 transcripts" in box.ok("import", copy)
        with box.rpc() as rpc:
            eq(len(rpc.call("source.list", limit=1000)["sources"]), rows)
        eq(dump_of(box), dump)


def test_longer_wins():
    """Of two exports of one session, in any order, the longer one."""
    with Box() as box:
        box.start()
        t = live(box)
        write(t, "/home/dev/p/a", "one\n")
        kept(box)
        short = export(box, "short")
        write(t, "/home/dev/p/a", "two\n")
        kept(box)
        full = export(box, "full")
        dump = dump_of(box)
        os.remove(t.path)
        for order in ((short, full), (full, short)):
            with Box() as other:
                other.start()
                for path in order:
                    other.ok("import", path)
                eq(dump_of(other), dump)
                eq(where(other), {"archived"})
                with other.rpc() as rpc:
                    eq(len(rpc.call("source.list")["sources"]), 1)


def test_one_project():
    """Nothing of another project is in it."""
    with Box() as box:
        box.start()
        t = live(box)
        write(t, "/home/dev/p/a", "planted-p\n")
        write(t, "/home/dev/p/b", os.urandom(400000).hex())
        u = live(box, session="5e550000-0000-4000-8000-000000000002")
        u.cwd = "/home/dev/q"
        u.path = os.path.join(box.project("-home-dev-q"),
                              os.path.basename(u.path))
        os.remove(t.path.replace(t.session, u.session))
        u.prompt("planted-q")
        write(u, "/home/dev/q/a", os.urandom(400000).hex())
        box.ok("status")
        kept(box)
        path = export(box, "p", "--project=/home/dev/p")
        with Box() as other:
            other.start()
            other.ok("import", path)
            with other.rpc() as rpc:
                eq([s["sessionId"] for s in
                    rpc.call("session.list")["sessions"]], [t.session])
            for name in files(other.state):
                assert b"planted-q" not in read(name), name
                assert u.session.encode() not in read(name), name


def test_forgotten_stays_out():
    """What was forgotten does not come back with an older export."""
    with Box() as box:
        box.start()
        t, u = live(box), live(
            box, session="5e550000-0000-4000-8000-000000000002")
        for one, word in ((t, "planted-t"), (u, "planted-u")):
            write(one, f"/home/dev/p/{word}", os.urandom(400000).hex())
            one.prompt(word)
        box.ok("status")
        kept(box)
        path = export(box)
        os.remove(u.path)
        box.ok("forget", u.session, "--yes")
        # None is new, and the user hears why.
        done = box.ok("import", path)
        assert ", 1 left out as forgotten" in done, done
        with box.rpc() as rpc:
            eq([s["sessionId"] for s in rpc.call("session.list")["sessions"]],
               [t.session])
        eq(holders(box, "planted-u"), [])
        assert holders(box, "planted-t")


def small_export(box):
    box.start()
    t = live(box)
    rng = random.Random(1)
    for i in range(12):
        write(t, f"/home/dev/p/{i}",
              "".join(rng.choices("abcdefgh \n", k=60000)))
    history = os.path.join(box.claude, "file-history", t.session)
    append(os.path.join(history, "0123456789abcdef@v1"), b"a backup\n" * 900)
    append(os.path.join(history, "0123456789abcdef@v2"), b"small\n")
    kept(box)
    box.ok("name", t.session, "the", "first")
    box.ok("tag", t.session, "keep", "this")
    return t, export(box)


def test_damage():
    """A byte flipped, missing or added anywhere, and a missing file: refused,
    and nothing has changed."""
    rng = random.Random(7)
    with Box() as box, Box() as other:
        t, path = small_export(box)
        kinds = {os.path.relpath(p, path).split("/")[0] for p in files(path)}
        eq(kinds, {"ccfc-export", "sources", "files", "blobs", "labels"})
        other.start()
        dump = dump_of(other)
        victims = {}
        for p in files(path):
            victims.setdefault(os.path.relpath(p, path).split("/")[0], p)
        for name in victims.values():
            whole = read(name)
            at = rng.randrange(len(whole))
            flipped = (whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)])
                       + whole[at + 1:])
            for data in (flipped, whole[:-1], whole + b"x", None):
                os.remove(name)
                if data is not None:
                    append(name, data)
                done = other.run("import", path)
                eq(done.returncode, 2, name)
                assert os.path.basename(name) in done.stderr or \
                    "ccfc-export" in done.stderr, done.stderr
                eq(dump_of(other), dump)
                eq(files(os.path.join(other.state, "archive")), [])
                if data is not None:
                    os.remove(name)
                append(name, whole)
        other.ok("import", path)
        eq(other.ok("name", t.session), "the first\n")
        eq(other.ok("tag", t.session), "keep\nthis\n")
        assert "archive is damaged" not in \
            other.run("doctor", "--deep").stdout


def test_kill():
    """Killed at any moment of an import: nothing, or all of it."""
    with Box() as box:
        t, path = small_export(box)
        want = dump_of(box)
        empty = None
        archive = None
        for n in range(6):
            with Box() as other:
                other.start()
                empty = empty or dump_of(other)
                archive = os.path.join(other.state, "archive")
                killed_in_import(other, path, n)
                other.start()
                other.ok("status")
                while any(os.path.exists(os.path.join(archive, x))
                          for x in ("import.new", "import.ready")):
                    live(other)  # the archive's thread starts with work
                    other.ok("status")
                settled(other)
                done = other.run("import", path)
                eq(done.returncode, 0, done.stderr)
                with other.rpc() as rpc:
                    found = [s for s in rpc.call("session.list")["sessions"]
                             if s["sessionId"] == t.session]
                eq(len(found), 1)
                eq(found[0]["totalChanges"], 12)
        assert want != empty


def test_refusals():
    with Box() as box:
        box.start()
        t = live(box)
        write(t, "/home/dev/p/a", "x\n")
        kept(box)
        full = os.path.join(box.top, "full")
        append(os.path.join(full, "mine"), b"mine")
        done = box.run("export", "--all", full)
        eq(done.returncode, 2)
        assert "is not empty" in done.stderr, done.stderr
        eq(files(full), [os.path.join(full, "mine")])
        inside = os.path.join(box.claude, "export")
        eq(box.run("export", "--all", inside).returncode, 2)
        assert not os.path.exists(inside)
        for bad in (full, os.path.join(box.top, "nothing")):
            done = box.run("import", bad)
            eq(done.returncode, 2 if bad == full else 1, done.stderr)
            assert "neither" in done.stderr, done.stderr
        eq(box.run("export", "--all", full, "--redact").returncode, 2)
        eq(box.run("export", t.session, "--project=/x").returncode, 2)


if __name__ == "__main__":
    harness.main()
