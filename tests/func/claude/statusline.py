"""`ccfc statusline`: one line about the session, or nothing at all, and never
a failure."""
import json
import os
import signal
import subprocess
import time

import harness
from harness import LIMIT, SANITIZER, eq
from world import World


# Fifty milliseconds are short: the usual patience of tests would not do on a
# busy machine.
PATIENT = {"CCFC_PATIENCE": "1000"}


def line(w, given, env=None):
    """What it prints; it must end well and say nothing else."""
    text = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run([w.box.ccfc, "statusline"], input=text, timeout=LIMIT,
                          env={**w.box.env, **PATIENT, **(env or {})},
                          capture_output=True, check=False)
    if SANITIZER.search(done.stderr.decode(errors="replace")):
        raise AssertionError(done.stderr.decode(errors="replace"))
    eq((done.returncode, done.stderr), (0, b""), text[:80])
    return done.stdout.decode()


def about(w, session, **more):
    return {"hook_event_name": "Status", "session_id": w.id(session),
            "model": {"id": "opus"}, "version": "2.1.325",
            "workspace": {"current_dir": w.dir, "project_dir": w.dir}, **more}


def test_what_a_session_did():
    with World() as w:
        eq(line(w, about(w, "a")), "", "nothing to say")
        w.write("a", "f.txt", "one\ntwo\n")
        eq(line(w, about(w, "a")), "1 file +2 -0\n")
        w.write("a", "g.txt", "x\n")
        w.write("a", "f.txt", "one\n2\n")
        eq(line(w, about(w, "a")), "2 files +5 -2\n")
        eq(line(w, about(w, "b")), "")
        t = w.sessions["b"]
        t.result(t.call("Bash", {"command": "make all"}))
        eq(line(w, about(w, "b")), "1 command of unknown effect\n")


def test_other_sessions():
    """As the daemon says who is live now."""
    with World() as w:
        w.sessions["a"].ids.now = int(time.time() * 1000)
        w.write("a", "f.txt", "one\n")
        w.write("b", "f.txt", "two\n")
        w.write("a", "f.txt", "three\n")
        text = line(w, about(w, "a"))
        with w.box.rpc() as client:
            live = [s for s in client.call("session.list")["sessions"]
                    if s["status"] in ("active", "waiting")
                    and s["sessionId"] != w.id("a")]
            known = client.call("conflict.list", session=w.id("a"),
                                live=True)["totalConflicts"]
        eq(("1 other session here" in text, "conflict" in text),
           (len(live) == 1, known > 0), text)


def test_nothing_to_read():
    with World() as w:
        w.write("a", "f.txt", "one\n")
        for given in (b"", b"\n", b"nonsense", b"[]", b"7", b"{}", b"\xff",
                      b'{"session_id": 7}', b"[" * 100000,
                      b'{"session_id": "' + b"x" * (2 << 20) + b'"}',
                      b'{"session_id": "not one"}',
                      b'{"session_id": "\\u0000"}'):
            eq(line(w, given), "", given[:40])
        given = about(w, "a")
        for workspace in (7, [], {"current_dir": 7}, {"current_dir": "no"}):
            eq(line(w, {**given, "workspace": workspace}), "1 file +1 -0\n")


def test_no_daemon():
    with World() as w:
        w.write("a", "f.txt", "one\n")
        w.box.stop()
        eq(line(w, about(w, "a"), {"CCFC_NO_SPAWN": ""}), "")
        eq(os.path.exists(w.box.socket), False, "a daemon was started")
        w.box.start()
        eq(line(w, about(w, "a")), "1 file +1 -0\n")


def test_nobody_to_tell():
    """A line that cannot be written is no failure."""
    with World() as w:
        w.write("a", "f.txt", "one\n")
        for where in (">&-", ">/dev/full", ">&- 2>&-"):
            done = subprocess.run(
                ["sh", "-c", f'"$0" statusline {where}', w.box.ccfc],
                input=json.dumps(about(w, "a")).encode(), timeout=LIMIT,
                env={**w.box.env, **PATIENT}, capture_output=True, check=False)
            eq((done.returncode, done.stdout, done.stderr), (0, b"", b""),
               where)


def test_it_does_not_wait():
    """Neither for the daemon nor for its input; the time is the product's."""
    hurry = {"CCFC_PATIENCE": "1"}
    with World() as w:
        w.write("a", "f.txt", "one\n")
        eq(line(w, about(w, "a")), "1 file +1 -0\n")
        w.box.daemon.send_signal(signal.SIGSTOP)
        try:
            eq(line(w, about(w, "a"), hurry), "")
        finally:
            w.box.daemon.send_signal(signal.SIGCONT)
        with subprocess.Popen(
                [w.box.ccfc, "statusline"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**w.box.env, **hurry}) as process:
            eq((process.stdout.read(), process.stderr.read(),
                process.wait(LIMIT)), (b"", b"", 0))


if __name__ == "__main__":
    harness.main()
