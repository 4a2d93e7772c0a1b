"""Versions that do not fit: a client and a daemon of different ages, and
stores of older and newer ones. Each gets an answer that says what to do.
"""
import contextlib
import json
import os
import re
import socket
import sqlite3
import subprocess
import threading

import msgpack

import harness
import sums
from harness import Box, TOP, eq
from transcript import Ids, Transcript

FILE = "/home/dev/p/a.py"
INFO = {"name": "ccfcd", "version": "0.1.0", "protocol": 1, "pid": 1}


class Fake:
    """A daemon that knows server.info, its roots, server.stop and little
    else."""
    knows_roots = True

    def __init__(self, path, info, methods):
        self.info = info
        self.methods = methods
        self.asked = []
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=[peer],
                             daemon=True).start()

    def reply(self, method):
        """(error, result)."""
        if method == "server.info" and self.info:
            return None, self.info
        if method == "server.roots" and self.info and self.knows_roots:
            return None, self.info.get("roots", [])
        if method == "server.stop":
            return None, {"stopping": True}
        answer = self.methods.get(
            method, (f"no-method: no method '{method}'", None))
        # A list has one answer for each time that it is asked.
        return answer.pop(0) if isinstance(answer, list) else answer

    def serve(self, peer):
        unpacker = msgpack.Unpacker(raw=False)
        with peer:
            while True:
                data = peer.recv(4096)
                if not data:
                    return
                unpacker.feed(data)
                for _, msgid, method, _ in unpacker:
                    self.asked.append(method)
                    peer.sendall(msgpack.packb(
                        [1, msgid, *self.reply(method)]))
                    if method == "server.stop":
                        return

    def close(self):
        # A thread that is in accept() keeps the socket alive without this.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Patient(Fake):
    """Answers server.roots only when the next question has come; then that
    question first, as a daemon may."""

    def __init__(self, path, info, methods, held=("server.roots",)):
        self.held = held
        super().__init__(path, info, methods)

    def serve(self, peer):
        unpacker = msgpack.Unpacker(raw=False)
        waiting = []
        with peer:
            while data := peer.recv(4096):
                unpacker.feed(data)
                for _, msgid, method, _ in unpacker:
                    self.asked.append(method)
                    waiting.insert(0, [1, msgid, *self.reply(method)])
                    if method in self.held:
                        continue
                    for answer in waiting:
                        peer.sendall(msgpack.packb(answer))
                    waiting.clear()


@contextlib.contextmanager
def against(info, methods=()):
    """A box in which a fake daemon answers."""
    with Box() as box:
        # Where it is set, the client asks which directories are read.
        del box.env["CLAUDE_CONFIG_DIR"]
        fake = Fake(box.socket, info, dict(methods))
        try:
            yield box, fake
        finally:
            fake.close()


def refused(box, *words):
    done = box.run("search", FILE)
    eq(done.returncode, 2, "exit status")
    eq(done.stdout, "", "stdout")
    for word in words:
        assert word in done.stderr, f"{word!r} is not in {done.stderr!r}"
    return done.stderr


def test_an_older_daemon_lacks_a_method():
    with against({**INFO, "version": "0.0.9"}) as (box, fake):
        said = refused(
            box, "ccfc: no method 'file.sessions'\n",
            "hint: the daemon is version 0.0.9, this ccfc is ",
            ": ccfc stop, and ask again\n")
        eq(said.count("\n"), 2, "lines")
        eq(fake.asked, ["file.sessions", "server.info"], "asked")


def test_an_older_daemon_of_the_same_version():
    """As between two builds: the numbers say nothing, the method does."""
    version = box_version()
    with against({**INFO, "version": version}) as (box, _):
        refused(box, "hint: the daemon is older than this ccfc: "
                     "ccfc stop, and ask again\n")


def box_version():
    with Box() as box:
        return box.ok("--version").split()[1]


def test_an_older_daemon_lacks_an_option():
    error = "invalid: file.sessions: unknown option 'includePrompts'"
    with against({**INFO, "version": "0.0.9"},
                 {"file.sessions": (error, None)}) as (box, _):
        refused(box, "unknown option 'includePrompts'",
                "hint: the daemon is version 0.0.9")


def test_an_older_daemon_knows_no_less_than_all():
    """An option that only asks for less is not worth an error."""
    error = "invalid: file.sessions: unknown option 'includeChanges'"
    found = {"path": FILE, "totalSessions": 0, "totalChanges": 0,
             "sessions": [], "truncated": False, "clock": "1:1"}
    with against({**INFO, "version": "0.0.9"},
                 {"file.sessions": [(error, None), (None, found)]}
                 ) as (box, fake):
        assert f"File: {FILE}" in box.ok("search", FILE)
        eq(fake.asked, ["file.sessions"] * 2, "asked")


def test_options_of_the_command_line_are_no_matter_of_the_daemon():
    with against(INFO) as (box, fake):
        done = box.run("search", "--nonsense", FILE)
        assert "unknown option '--nonsense'" in done.stderr, done.stderr
        assert "daemon" not in done.stderr, done.stderr
        eq(fake.asked, [], "asked")


def test_a_daemon_of_a_newer_protocol():
    error = "protocol: this daemon speaks protocol 2"
    with against({**INFO, "version": "9.1.0", "protocol": 2},
                 {"file.sessions": (error, None)}) as (box, _):
        said = refused(
            box, "ccfc: the daemon is version 9.1.0 and speaks protocol 2; ",
            "speaks protocol 1\n",
            "hint: upgrade ccfc; or ccfc stop, and ask again\n")
        eq(said.count("\n"), 2, "lines")
        # What the hint says can be done.
        eq(box.ok("stop"), "stopped\n", "stop")


def test_a_daemon_of_an_older_protocol():
    with against({**INFO, "version": "0.0.1", "protocol": 0}) as (box, _):
        refused(box, "speaks protocol 0; ",
                "hint: ccfc stop, and ask again\n")


def test_what_the_daemon_calls_itself_is_not_believed():
    with against({**INFO, "version": "1\x1b[2J" + "9" * 9999}) as (box, _):
        said = refused(box, "1^[[2J")
        assert len(said) < 300 and "\x1b" not in said, said


def test_something_that_is_no_daemon():
    with against(None) as (box, fake):
        eq(refused(box), "ccfc: no method 'file.sessions'\n", "stderr")
        eq(fake.asked, ["file.sessions", "server.info"], "asked")


def test_other_errors_are_not_looked_into():
    with against({**INFO, "version": "0.0.9"}, {
            "file.sessions": ("io: disk: broken", None)}) as (box, fake):
        eq(refused(box), "ccfc: disk: broken\n", "stderr")
        eq(fake.asked, ["file.sessions"], "asked")


FOUND = {"path": FILE, "totalSessions": 0, "sessions": [], "totalChanges": 0}


def test_hooks_have_nothing_to_say_about_it():
    """What Claude Code runs beside its work ends well with any daemon."""
    given = json.dumps({
        "session_id": "s", "tool_use_id": "toolu_1", "tool_name": "Bash",
        "hook_event_name": "PreToolUse", "workspace": {"current_dir": "/p"}})
    refusal = "protocol: this daemon speaks protocol 2", None
    odd = None, {"sessions": 7, "totalFilesChanged": "\x1b[2J"}
    for info, answer in (({**INFO, "version": "0.0.1", "protocol": 0}, None),
                         ({**INFO, "version": "9.1.0", "protocol": 2}, refusal),
                         (None, (None, None)), (None, odd)):
        methods = [] if answer is None else [
            (method, answer) for method in ("command.mark", "session.files",
                                            "session.list", "conflict.list")]
        for command, asks in (("mark", "command.mark"),
                              ("statusline", "session.files")):
            with against(info, methods) as (box, fake):
                done = subprocess.run(
                    [box.ccfc, command], input=given, text=True,
                    env={**box.env, "CCFC_PATIENCE": "1000"},
                    timeout=harness.LIMIT, capture_output=True, check=False)
                eq((done.returncode, done.stdout, done.stderr), (0, "", ""),
                   f"{command}, {info}, {answer}")
                assert asks in fake.asked, fake.asked


def test_what_a_daemon_reads_costs_no_wait():
    """With CLAUDE_CONFIG_DIR the daemon is asked what it reads, together with
    the question: neither answer comes before both are there."""
    with Box() as box:
        info = {**INFO, "roots": [{"path": box.claude}]}
        fake = Patient(box.socket, info, {"file.sessions": (None, FOUND)})
        done = box.run("search", FILE)
        eq(fake.asked, ["server.roots", "file.sessions"], done.stderr)
        eq(done.returncode, 0, done.stderr)
        fake.info["roots"] = [{"path": "/elsewhere"}]
        done = box.run("search", FILE)
        eq((done.returncode, done.stdout), (2, ""), done.stderr)
        assert f"does not read {box.claude}" in done.stderr, done.stderr
        fake.close()


def test_an_older_daemon_cannot_say_what_it_reads():
    """It may read other directories: nothing is asked or changed there."""
    info = {**INFO, "version": "0.0.9"}
    for args, asked in ((("search", FILE), ["server.roots", "file.sessions"]),
                        (("name", "1a", "a name"), ["server.roots"])):
        with against(info, {"file.sessions": (None, FOUND)}) as (box, fake):
            fake.knows_roots = False
            box.env["CLAUDE_CONFIG_DIR"] = box.claude
            done = box.run(*args)
            eq((done.returncode, done.stdout), (2, ""), done.stderr)
            assert "hint: the daemon is version 0.0.9, this ccfc is " in \
                done.stderr, done.stderr
            eq(fake.asked, [*asked, "server.info"], args)
            # What the hint says can be done.
            eq(box.ok("stop"), "stopped\n", "stop")


def test_nothing_is_changed_in_the_wrong_daemon():
    """A call that changes something waits until it is clear."""
    with Box() as box:
        info = {**INFO, "roots": [{"path": "/elsewhere"}]}
        fake = Fake(box.socket, info, {})
        done = box.run("name", "1a", "a name")
        eq(done.returncode, 2, done.stderr)
        assert "does not read" in done.stderr, done.stderr
        eq(fake.asked, ["server.roots"])
        fake.close()


def sql(box, text):
    path = os.path.join(box.state, "index.db")
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.create_function("row_sum", -1, sums.row_sum)
        return db.execute(text).fetchall()


@contextlib.contextmanager
def stored():
    """A box with a store and no daemon."""
    with Box() as box:
        t = Transcript(box, Ids())
        t.write(FILE)
        box.start()
        box.ok("search", FILE)
        box.stop()
        yield box


def test_a_newer_store_is_refused():
    with stored() as box:
        sql(box, "UPDATE t_meta SET value = 99, "
            "sum = row_sum('t_meta', key, 99) WHERE key = 'schema'")
        rows = sql(box, "SELECT * FROM t_change")
        env = {k: v for k, v in box.env.items() if k != "CCFC_NO_SPAWN"}
        done = box.run("search", FILE, env=env)
        eq(done.returncode, 3, "exit status")
        assert "index.db: was made by a newer version" in done.stderr, \
            done.stderr
        assert "hint: upgrade, or set another CCFC_STATE_DIR" in \
            box.log_text(), box.log_text()
        eq(sql(box, "SELECT * FROM t_change"), rows, "rows")
        assert not [n for n in os.listdir(box.state) if "damaged" in n]


def schema_now():
    with stored() as box:
        return sql(box, "SELECT value FROM t_meta WHERE key = 'schema'")[0][0]


def old_stores():
    """(schema, SQL) of all that tests/data has."""
    folder = os.path.join(TOP, "tests", "data")
    for name in sorted(os.listdir(folder)):
        found = re.fullmatch(r"store-(\d+)\.sql", name)
        if found:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                yield int(found[1]), f.read()


def put_old(box, text, name):
    os.mkdir(box.state, 0o700)
    path = os.path.join(box.state, name)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size=1024")  # as all of ours
        db.executescript(text.replace("@TOP@", box.top))


def check_old(box, schema):
    """What it knows of a transcript that is gone is known."""
    found = box.json("search", FILE)
    eq(found["totalSessions"], 1, "sessions")
    eq(found["sessions"][0]["changeCount"], 2, "changes")
    with box.rpc() as rpc:
        plan = rpc.call("session.revert",
                        session=found["sessions"][0]["sessionId"])
    # The others are in stores since schema 4.
    eq(plan["origin"]["directories"],
       ["/home/dev/p", *["/home/dev/q"] * (schema > 3)], "directories")
    # And what was seen on disk since schema 8.
    with box.rpc() as rpc:
        eq(rpc.call("server.info")["observe"]["events"], int(schema > 7),
           "seen on disk")


def test_older_stores_are_brought_up():
    now = schema_now()
    for schema, text in old_stores():
        with Box() as box:
            put_old(box, text, "index.db")
            box.start()
            check_old(box, schema)
            said = f"upgrading it to schema {now}"
            eq(box.log_text().count(said), int(schema < now), said)
            box.restart()
            eq(box.json("search", FILE)["totalSessions"], 1, "sessions")
            eq(box.log_text().count(said), int(schema < now), "said again")


def test_a_wrong_sum_is_not_made_right_by_bringing_it_up():
    for schema, text in old_stores():
        if schema < 5:
            continue  # there were none
        with Box() as box:
            put_old(box, text, "index.db")
            path = os.path.join(box.state, "index.db")
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.execute("UPDATE t_change SET c_added = 99 WHERE id = 0")
                db.commit()
            box.start()
            # The row alone is lost.
            found = box.json("search", FILE)
            eq(found["sessions"][0]["changeCount"], 1, "changes")
            assert "rows are inconsistent (t_change)" in box.log_text()


def test_older_stores_that_were_put_aside():
    """Older versions put a whole store aside when a disk had failed once."""
    for schema, text in old_stores():
        with Box() as box:
            put_old(box, text, "index.db.damaged-1700000000000")
            for _ in range(2):
                box.start()
                check_old(box, schema)
                box.stop()


def test_the_reading_of_an_older_version_is_done_anew():
    with stored() as box:
        sql(box, "UPDATE t_meta SET value = value - 1, "
            "sum = row_sum('t_meta', key, value - 1) WHERE key = 'reader'")
        box.start()
        eq(box.ok("search", FILE, "--format=paths"), f"{FILE}\n", "search")
        said = "the index was made by another version: all transcripts are read again"
        eq(box.log_text().count(said), 1, "said")
        box.restart()
        box.ok("search", FILE)
        eq(box.log_text().count(said), 1, "said, after a second start")


if __name__ == "__main__":
    harness.main()
