"""The daemon as a process: one of it, its socket, signals, and manners."""
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess

import harness
from harness import Box, Skip, eq
from transcript import Ids, Transcript

P = "/home/dev/p"


def spawning(box):
    """The environment of a client that may start the daemon."""
    env = dict(box.env)
    del env["CCFC_NO_SPAWN"]
    return env


def pids_of(box):
    """Daemons that use this box's state directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                environ = f.read().split(b"\0")
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                program = f.read().split(b"\0")[0]
        except OSError:
            continue
        mine = f"CCFC_STATE_DIR={box.state}".encode()
        if mine in environ and program.endswith(b"ccfcd"):
            found.append(int(pid))
    return found


def wait_end(pid):
    """Waits for a process that is not our child."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([fd], [], [], harness.LIMIT)[0], "still running"
    finally:
        os.close(fd)


def test_second_daemon_says_so():
    with Box() as box:
        box.start()
        second, ready = box.spawn_daemon()
        eq(second.wait(harness.LIMIT), 0, "exit code")
        os.close(ready)
        assert re.search("already|another", box.log_text()), box.log_text()
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["pid"], box.daemon.pid)


def test_second_daemon_with_another_socket():
    with Box() as box:
        box.start()
        other = os.path.join(box.top, "run", "other.sock")
        second, ready = box.spawn_daemon(f"--socket={other}")
        eq(second.wait(harness.LIMIT), 0, "exit code")
        os.close(ready)
        assert not os.path.exists(other), "one daemon per state directory"


def test_stale_socket_is_replaced():
    with Box() as box:
        os.makedirs(os.path.dirname(box.socket), 0o700)
        dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dead.bind(box.socket)
        dead.close()
        box.start()
        box.restart(hard=True)
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["name"], "ccfcd")


def test_another_daemons_socket_is_left_alone():
    with Box() as box:
        box.start()
        before = os.lstat(box.socket)
        env = dict(box.env, CCFC_STATE_DIR=os.path.join(box.top, "state2"))
        second, ready = box.spawn_daemon(env=env)
        eq(second.wait(harness.LIMIT), 2, "exit code")
        os.close(ready)
        assert f"{box.socket}: another daemon" in box.log_text()
        eq(os.lstat(box.socket).st_ino, before.st_ino, "socket")
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["pid"], box.daemon.pid)


def test_anything_else_at_the_path_is_refused():
    def regular(path):
        with open(path, "w", encoding="ascii") as f:
            f.write("precious")

    def link(path):
        os.symlink("precious", path)

    for make in (regular, link, os.mkdir):
        with Box() as box:
            os.makedirs(os.path.dirname(box.socket), 0o700)
            make(box.socket)
            before = os.lstat(box.socket)
            process, ready = box.spawn_daemon()
            code = process.wait(harness.LIMIT)
            os.close(ready)
            assert code not in (0, None) and code > 0, f"exit code {code}"
            assert box.socket in box.log_text(), box.log_text()
            after = os.lstat(box.socket)
            eq((after.st_ino, after.st_mode, after.st_size, after.st_mtime_ns),
               (before.st_ino, before.st_mode, before.st_size,
                before.st_mtime_ns), make.__name__)


def test_modes():
    with Box() as box:
        old = os.umask(0)
        try:
            box.start()
        finally:
            os.umask(old)
        eq(stat.S_IMODE(os.stat(box.socket).st_mode), 0o600, "socket")
        eq(stat.S_IMODE(os.stat(os.path.dirname(box.socket)).st_mode), 0o700,
           "its directory")
        eq(stat.S_IMODE(os.stat(box.state).st_mode), 0o700, "state directory")
        for name in os.listdir(box.state):
            mode = os.stat(os.path.join(box.state, name)).st_mode
            eq(stat.S_IMODE(mode) & 0o077, 0, name)


def test_signals_end_it_cleanly():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Box() as box:
            process = box.start()
            with box.rpc() as rpc:
                rpc.call("events.subscribe")
                process.send_signal(number)
                eq(rpc.message(), None, "message")
            eq(process.wait(harness.LIMIT), 0, f"exit code on {number}")
            box.daemon = None
            assert not os.path.exists(box.socket), "the socket is left"


def test_server_stop():
    with Box() as box:
        process = box.start()
        with box.rpc() as rpc:
            eq(rpc.call("server.stop"), {"stopping": True})
        eq(process.wait(harness.LIMIT), 0, "exit code")
        box.daemon = None
        done = box.run("search", "/x")
        eq(done.returncode, 3, "exit code without a daemon")


def test_notify():
    with Box() as box:
        path = os.path.join(box.top, "notify")
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sock.bind(path)
        sock.settimeout(harness.LIMIT)
        box.start(env={**box.env, "NOTIFY_SOCKET": path})
        said = ""
        while not ("READY=1" in said and "STATUS=" in said):
            said += sock.recv(4096).decode() + "\n"
        box.stop()
        while "STOPPING=1" not in said:
            said += sock.recv(4096).decode() + "\n"
        sock.close()


def test_30_first_clients_start_one_daemon():
    with Box() as box:
        t = Transcript(box, Ids())
        t.write(P + "/a.c")
        env = spawning(box)
        clients = [subprocess.Popen(
            [box.ccfc, "search", P + "/a.c", "--format=json"], env=env,
            cwd=box.top, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) for _ in range(30)]
        answers = [(c.communicate(timeout=harness.LIMIT), c.returncode)
                   for c in clients]
        running = pids_of(box)
        try:
            for (out, err), code in answers:
                eq(code, 0, f"exit code: {err.decode()}")
                assert t.session.encode() in out, out
            eq(len(running), 1, "daemons")
            log = box.log_text()
            assert not re.search("already|another", log), log
            eq(box.run("stop").returncode, 0, "ccfc stop")
        finally:
            for pid in running:
                wait_end(pid)
        eq(pids_of(box), [])


def test_client_starts_a_daemon_that_outlives_it():
    with Box() as box:
        env = spawning(box)
        eq(box.run("start", env=env).returncode, 0)
        (pid,) = pids_of(box)
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            eq(int(fields[3]) != os.getsid(0), True, "a session of its own")
            eq(box.run("start", env=env).returncode, 0, "again")
            eq(pids_of(box), [pid])
        finally:
            box.run("stop")
            wait_end(pid)


def test_client_finds_the_daemon_of_its_build():
    with Box() as box:
        env = spawning(box)
        env.pop("CCFC_DAEMON", None)
        env["PATH"] = "/nonexistent"
        folder = os.path.dirname(os.path.realpath(box.ccfc))
        if not os.path.exists(os.path.join(folder, "../daemon/ccfcd")):
            raise harness.Skip("not in a build")
        done = box.run("start", env=env)
        eq(done.returncode, 0, done.stderr)
        (pid,) = pids_of(box)
        box.run("stop")
        wait_end(pid)


def test_no_spawn():
    with Box() as box:
        done = box.run("search", "/x")
        eq(done.returncode, 3)
        assert done.stderr.startswith("ccfc: "), done.stderr
        eq(pids_of(box), [])


def test_kill_keeps_everything():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        want = {}
        for number in range(60):
            want[t.write(f"{P}/{number}")] = "applied"
            if number % 10 == 0:
                before = box.dump().text
                box.restart(hard=True)
                eq(box.dump().text, before, "dump after kill -9")
        eq(box.dump().states(), want)
        box.kill()
        # Now only the store can know.
        os.unlink(t.path)
        box.start()
        eq(box.dump().states(), want)


def snapshot(top):
    """Everything about a tree but access times."""
    found = {}
    for folder, dirs, files in os.walk(top):
        for name in [".", *dirs, *files]:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            found[path] = (info.st_ino, info.st_mode, info.st_size,
                           info.st_mtime_ns, info.st_ctime_ns)
    return found


def test_never_writes_below_the_claude_directory():
    with Box() as box:
        ids = Ids()
        t = Transcript(box, ids)
        t.prompt()
        t.write(P + "/a")
        before = snapshot(box.claude)
        box.start()
        box.ok("search", P + "/a", "--show-changes")
        box.ok("list", t.session, "--show-changes")
        box.ok("index", "--build")
        box.ok("status")
        box.restart()
        box.dump()
        eq(snapshot(box.claude), before, "the tree")


def test_transcripts_are_opened_read_only_and_never_mapped():
    strace = shutil.which("strace")
    if not strace:
        raise Skip("no strace")
    if os.environ.get("CCFC_SANITIZE"):
        raise Skip("strace and sanitizers do not go together")
    with Box() as box:
        t = Transcript(box, Ids())
        t.prompt()
        t.write(P + "/a")
        log = os.path.join(box.top, "strace.log")
        probe = subprocess.run([strace, "-o", log, "/bin/true"], check=False,
                               capture_output=True)
        if probe.returncode != 0:
            raise Skip("strace may not trace here")
        box.start(wrap=[strace, "-f", "-y", "-o", log, "-e",
                        "trace=openat,open,creat,mmap,unlink,unlinkat,"
                        "rename,renameat,mkdir,truncate"])
        t.write(P + "/b")
        box.ok("search", P + "/b", "--show-changes")
        with box.rpc() as rpc:
            rpc.call("server.stop")
        eq(box.daemon.wait(harness.LIMIT), 0)
        box.daemon = None
        ours = [x for x in harness.traced(log) if box.claude in x]
        opened = [x for x in ours if ".jsonl" in x and "open" in x]
        assert opened, "no transcript was opened?"
        for text in ours:
            assert "O_RDONLY" in text or "O_PATH" in text, text
            assert not re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", text), text
            assert "mmap(" not in text, text


@harness.sanitized
def test_content_of_many_calls_in_one_line():
    """What is read for one reply is bounded."""
    with Box() as box:
        t = Transcript(box, Ids())
        calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Write",
                  "input": {"file_path": f"{P}/{n}", "content": "x"}}
                 for n in range(100)]
        t.blocks({"type": "text", "text": "y" * (8 << 20)}, *calls)
        box.start()
        with box.rpc() as rpc:
            got = rpc.call("session.files", session=t.session,
                           states=["all"], includeContent=True)
            changes = [f["changes"][0] for f in got["files"]]
            eq(len(changes), 100)
            eq([c.get("newContent") for c in changes],
               ["x"] * 64 + [None] * 36, "texts")
            assert "full" in changes[64]["contentUnavailable"], changes[64]


def test_options():
    with Box() as box:
        for args in (["--bogus"], ["--root"], ["--log-level=loud"],
                     ["--socket=" + "x" * 200], ["extra"], ["--root="]):
            done = subprocess.run([box.ccfcd, *args], env=box.env,
                                  capture_output=True, check=False,
                                  timeout=harness.LIMIT)
            eq(done.returncode, 2, f"exit code of {args}")
            assert done.stderr.startswith(b"ccfcd: "), done.stderr
        for word in ("--help", "--version"):
            done = subprocess.run([box.ccfcd, word], env=box.env,
                                  capture_output=True, check=False,
                                  timeout=harness.LIMIT)
            eq(done.returncode, 0, word)
            assert b"ccfcd" in done.stdout, done.stdout


def test_config_makes_no_sense():
    """A root without a name (a fuzzer found it), sizes that wrap around."""
    with Box() as box:
        path = os.path.join(box.top, "config")
        for text in ("root =", "max-line = 17179869185G", "max-line = -1",
                     "max-line = 18446744073709551615K", "tool = a"):
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"# first\n{text}\n")
            # With a state that it cannot have, it ends in any case.
            done = subprocess.run(
                [box.ccfcd, f"--config={path}", "--state-dir=/dev/null/x"],
                env=box.env, capture_output=True, check=False,
                timeout=harness.LIMIT)
            eq(done.returncode, 2, f"exit code with {text}")
            want = f"ccfcd: config {path}:2: bad value for"
            assert done.stderr.startswith(want.encode()), done.stderr


def test_options_name_the_places():
    with Box() as box:
        env = {k: v for k, v in box.env.items()
               if k not in ("CLAUDE_CONFIG_DIR", "CCFC_STATE_DIR",
                            "CCFC_SOCKET")}
        state = os.path.join(box.top, "elsewhere")
        box.socket = os.path.join(box.top, "s", "x.sock")
        box.start(f"--root={box.claude}", f"--state-dir={state}",
                  f"--socket={box.socket}", env=env)
        with box.rpc() as rpc:
            info = rpc.call("server.info")
        eq((info["stateDir"], info["socket"]), (state, box.socket))
        assert box.claude in [r["path"] for r in info["roots"]], info
        assert os.listdir(state), "nothing in the state directory"


if __name__ == "__main__":
    harness.main()
