"""What no transcript tells is exported and imported, too: what was seen on
disk, marks of commands, edits of killed clients."""
import contextlib
import hashlib
import os
import shutil
import sqlite3

import harness
from archive import BY_DISCOVERY, answers, files, kept, read, same
from forget import holders
from harness import Box, append, eq
from mark import Two
from move import export, killed_in_import, settled
from observe_join import Session
from observe_killed import Killed
from observing import Observed, now
from transcript import stamp

QUERIES = ("SELECT tool_use_id, path, session_id, tool, state, operation, time,"
           " lines_added, lines_removed, evidence, command FROM changes"
           " ORDER BY tool_use_id, path",
           "SELECT tool_use_id, path, other_tool_use_id FROM candidates"
           " ORDER BY 1, 2, 3")
EVENTS = """SELECT CAST(f.path AS TEXT), time, since, held, client, before,
    before_size, before_mtime, before_key, after, after_size, after_mtime,
    after_key, session, ended, own_time FROM t_disk_event e
    JOIN t_file f ON f.id = e.file ORDER BY 1, 2, 3"""


def commands(box, paths, changes):
    """What the commands answer, by their words."""
    asked = [("stats",), ("list",), ("index", "--dump")]
    asked += [("list", s, "--show-changes")
              for s in sorted({c["sessionId"] for c in changes})]
    asked += [("search", f) for f in paths]
    asked += [("log", f) for f in paths]
    asked += [("blame", f) for f in paths]
    asked += [("diff", c["changeId"]) for c in changes]
    asked += [("cat", c["path"], "--at=" + w + c["changeId"])
              for c in changes for w in ("", "before:")]
    asked += [("sql", q) for q in QUERIES]
    found = {}
    for words in asked:
        done = box.run(*words, cwd="/")
        found[words] = done.returncode, done.stdout
    return found


def events(box):
    path = os.path.join(box.state, "index.db")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute(EVENTS).fetchall()


class Known:
    """All that a machine knows, and how another one's answers differ."""

    def __init__(self, box):
        changes = box.dump().changes
        self.of = sorted({c["path"] for c in changes}), changes
        self.rpc = answers(box)
        self.cli = commands(box, *self.of)
        self.events = events(box)
        for query in QUERIES:
            assert self.cli["sql", query][0] < 2, query  # 1: no rows

    def check(self, box, when, by_words=True):
        """The commands put the answers into words: that is looked at where
        `by_words` says so, the answers always."""
        settled(box)
        eq(events(box), self.events, when)
        same(answers(box), self.rpc, when, BY_DISCOVERY)
        got = commands(box, *self.of) if by_words else self.cli
        for words, want in self.cli.items():
            eq(got[words], want, f"{when}: {words}")


def both_ways(box, path, known):
    """An empty state has the same answers, and one whose transcripts are
    there; twice, after a restart, and after everything was read again."""
    for copied in (False, True):
        with Box() as other:
            if copied:
                shutil.copytree(os.path.join(box.claude, "projects"),
                                os.path.join(other.claude, "projects"),
                                dirs_exist_ok=True)
            other.start()
            other.ok("import", path)
            known.check(other, f"imported, copied: {copied}")
            other.ok("import", path)
            known.check(other, "twice", by_words=False)
            other.restart()
            known.check(other, "restarted", by_words=False)
            other.ok("index", "--build")
            known.check(other, "read again")


def test_killed_client():
    with Killed() as box:
        one = box.begin()
        one.client.replace(box.path, "one\nTWO\nthree\n")
        one.client.kill()
        change, = box.until_seen()
        box.ok("name", one.t.session, "killed")
        box.ok("tag", one.t.session, "odd")
        kept(box)
        known = Known(box)
        assert "TWO" in known.cli[("diff", change["changeId"])][1]
        both_ways(box, export(box), known)


def test_marks():
    """Only the marks tell whose the changes are."""
    with Observed() as box:
        two = Two(box)
        for mark in two.marks:
            two.mark(mark)
        for path, data in [x for lines in two.lines() for x in lines]:
            harness.append(path, data)
        while two.found() != two.want:
            pass
        kept(box)
        both_ways(box, export(box), Known(box))


def killed(box):
    """A session whose client was killed after an edit that has no line."""
    one = box.begin()
    one.client.replace(box.path, "one\nplanted-word\nthree\n")
    one.client.kill()
    change, = box.until_seen()
    kept(box)
    return one, change


def seen(box):
    settled(box)
    return [c["changeId"] for c in box.dump().changes
            if c["changeId"].startswith("seen_")]


def test_one_project():
    """What was seen of another project is not in it."""
    with Killed() as box:
        one, change = killed(box)
        for project, want in ((box.p, [change["changeId"]]),
                              (os.path.join(box.top, "q"), [])):
            path = export(box, os.path.basename(project) + "-only",
                          "--project=" + project)
            names = {os.path.relpath(p, path).split("/")[0]
                     for p in files(path)}
            eq("seen" in names, bool(want), project)
            eq("observed" in names, bool(want), project)
            with Box() as other:
                other.start()
                other.ok("import", path)
                eq(seen(other), want, project)
                eq(bool(events(other)), bool(want), project)
        eq(one.t.session, change["sessionId"])


def test_forgotten_stays_out():
    """By whatever it was forgotten; and nothing of its contents stays."""
    for how in ("session", "project", "path", "before"):
        with Killed() as box:
            one, _ = killed(box)
            path = export(box)
            assert holders(box, "planted-word"), how
            words = {"session": [one.t.session], "project": [box.p],
                     "path": ["--path=" + box.path],
                     "before": ["--before=" + stamp(now() + 60_000)]}[how]
            box.ok("forget", *words, "--yes")
            eq(seen(box), [], how)
            for when in ("at once", "restarted"):
                box.ok("import", path)
                eq(seen(box), [], f"{how}, {when}")
                eq([e for e in events(box) if e[0] == box.path], [],
                   f"{how}, {when}")
                eq(holders(box, "planted-word"), [], f"{how}, {when}")
                box.restart()


def test_forgotten_part_of_a_session():
    """What the disk told before a date stays out, although its session went on
    and stays."""
    with Killed() as box:
        one, change = killed(box)
        # Elsewhere, and older as a whole: without one nothing would go.
        Session(box, 2, cwd=os.path.join(box.top, "q"))
        one.t.prompt("go on", timestamp=stamp(now() + 120_000))
        box.ok("status")
        kept(box)
        path = export(box)
        box.ok("forget", "--before=" + stamp(now() + 60_000), "--yes")
        for _ in range(2):
            eq(seen(box), [])
            eq([e for e in events(box) if e[0] == box.path], [])
            eq(holders(box, "planted-word"), [])
            assert one.t.session in box.ok("sessions"), change
            box.ok("import", path)


def sum_up(path):
    """Writes the list of an export anew: its sums are right."""
    text = b"ccfc-export 1\n"
    for name in sorted(os.path.relpath(p, path) for p in files(path)):
        data = read(os.path.join(path, name))
        if name != "ccfc-export":
            text += (f"{hashlib.sha256(data).hexdigest()} {len(data)} "
                     f"{name}\n").encode()
    text += f"end {hashlib.sha256(text).hexdigest()}\n".encode()
    os.remove(os.path.join(path, "ccfc-export"))
    append(os.path.join(path, "ccfc-export"), text)


def with_field(line, n, value):
    fields = line.split(b"\t")
    fields[n] = value
    return b"\t".join(fields)


def hostile_lines(event, mark):
    """Lines that no ccfc has written, and whether each is taken in."""
    huge = str(1 << 62).encode()
    yield from ((with_field(event, n, value), False)
                for n in (1, 2, 4, 5, 6, 8, 9, 12, 13)
                for value in (b"", b"-", b"x", huge, b"1e3", b"- 1"))
    yield from ((with_field(event, n, b"../../../../etc/passwd"), False)
                for n in (11, 15))
    yield from ((with_field(event, 17, value), False)
                for value in (b"-", b"", b"a.txt", b"/a%00b"))
    yield from ((line, False) for line in (
        event + b"\tmore", event.rpartition(b"\t")[0], b"event", b"\t" * 17,
        mark + b"\t-", b"mark\t-\t-\t-\t-", b"\0" + event, b"\xff" * 300,
        b"/" * (5 << 20), with_field(event, 17, b"/" + b"a" * (1 << 20))))
    yield with_field(event, 17, b"/odd/%0a%1b[31m"), True
    yield with_field(event, 11, b"0" * 64), True


def test_hostile_lines():
    """A line that makes no sense costs only itself."""
    with Killed() as box, Box() as other:
        _, change = killed(box)
        path = export(box)
        name = os.path.join(path, "seen")
        whole = read(name)
        event = next(x for x in whole.split(b"\n") if b"a.txt" in x)
        mark = b"mark\ttoolu_1\ts-1\t1\t2"
        made = list(hostile_lines(event, mark))
        os.remove(name)
        # Those that are taken in come first: the real one is not changed.
        made.sort(key=lambda x: not x[1])
        append(name, whole + b"\n".join(x for x, _ in made))
        sum_up(path)
        other.start()
        other.ok("import", path)
        eq(len(seen(other)), 2)  # that one, and the one with an odd name
        assert change["changeId"] in seen(other)
        eq([e for e in events(other) if e[0] == box.path],
           [e for e in events(box) if e[0] == box.path])
        eq({e[0] for e in events(other)} - {e[0] for e in events(box)},
           {"/odd/\n\x1b[31m"})
        assert f"{sum(not ok for _, ok in made)} invalid lines" in \
            other.log_text()


def test_hostile_contents():
    """A content that is not what its name says is not shown."""
    with Killed() as box, Box() as other:
        _, change = killed(box)
        path = export(box)
        names = [p for p in files(path) if "/observed/" in p]
        texts = [read(p) for p in names]
        for name, text in zip(names, texts[1:] + texts[:1]):
            os.remove(name)
            append(name, text)
        sum_up(path)
        other.start()
        other.ok("import", path)
        eq(seen(other), [change["changeId"]])
        done = other.run("cat", box.path, "--at=" + change["changeId"])
        eq((done.returncode, done.stdout), (2, ""), done.stderr)
        eq(done.stderr.count("\n"), 1, done.stderr)


def test_damage():
    """Refused as a whole, with one line that names the file."""
    with Killed() as box, Box() as other:
        killed(box)
        path = export(box)
        other.start()
        names = [os.path.join(path, "seen")]
        names += [p for p in files(path) if "/observed/" in p][:1]
        for name in names:
            whole = read(name)
            for data in (whole[:-1], whole + b"x", None):
                os.remove(name)
                if data is not None:
                    append(name, data)
                done = other.run("import", path)
                eq(done.returncode, 2, name)
                eq(done.stderr.count("\n"), 1, done.stderr)
                assert os.path.basename(name) in done.stderr, done.stderr
                eq(events(other), [])
                eq(files(os.path.join(other.state, "archive")), [])
                if data is not None:
                    os.remove(name)
                append(name, whole)


def test_kill():
    """Killed at any moment of an import: the next start has nothing, or goes
    on with all."""
    with Killed() as box:
        killed(box)
        path = export(box)
        known = Known(box)
        for n in range(8):
            with Box() as other:
                other.start()
                archive = os.path.join(other.state, "archive")
                killed_in_import(other, path, n % 6)
                other.start()
                other.ok("status")
                other.ok("import", path)
                known.check(other, f"killed after {n}", by_words=n == 6)
                eq([x for x in os.listdir(archive)
                    if x.startswith("import.")], [], n)


if __name__ == "__main__":
    harness.main()
