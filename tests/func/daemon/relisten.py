"""A daemon whose socket, runtime directory or state directory is removed while
it runs, as at logout: it goes on, at the same place, and nothing is lost."""
import json
import os
import queue
import shutil
import signal
import socket
import stat
import subprocess
import threading

import harness
from daemon import pids_of, spawning, wait_end
from harness import Box, Skip, eq
from transcript import Ids, Transcript

FILE = "/home/dev/p/a.c"


class House(Box):
    """A box whose daemon tells what it does, as it tells systemd."""

    def __init__(self):
        super().__init__()
        self.ids = Ids()
        self.run_dir = os.path.dirname(self.socket)
        path = os.path.join(self.top, "notify")
        self.heard = queue.Queue()
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(path)
        threading.Thread(target=self.listen, daemon=True).start()
        self.env["NOTIFY_SOCKET"] = path
        self.first = Transcript(self, self.ids)
        self.first.prompt("please")
        self.first.write(FILE)

    def __exit__(self, *exc):
        super().__exit__(*exc)
        self.ear.shutdown(socket.SHUT_RDWR)

    def listen(self):
        """What nobody hears is not said: the daemon does not wait."""
        while said := self.ear.recv(4096):
            self.heard.put(said.decode())
        self.ear.close()

    def wait(self, what):
        """Until the daemon has said so."""
        said = ""
        while what not in said:
            said = self.heard.get(timeout=harness.LIMIT)
        return said

    def serves(self):
        """Every way in leads to the same daemon, and it goes on reading."""
        pid = self.daemon.pid
        eq(self.json("status")["pid"], pid, "pid")
        eq(self.ok("start"), f"already running (pid {pid})\n", "start")
        name = f"/home/dev/p/{self.ids.uuid()}.c"
        self.first.write(name)
        eq(self.ok("search", name, "--format=paths"), name + "\n", "search")
        eq(stat.S_IMODE(os.stat(self.socket).st_mode), 0o600, "socket")
        eq(stat.S_IMODE(os.stat(self.run_dir).st_mode), 0o700, "directory")
        eq(pids_of(self), [pid], "daemons")

    def ends(self):
        """`stop` reaches it, and leaves nothing of it."""
        eq(self.ok("stop"), "stopped\n", "stop")
        eq(self.daemon.wait(harness.LIMIT), 0, "exit code")
        self.daemon = None
        assert not os.path.lexists(self.socket), "its socket is left"

    def paused(self):
        return Paused(self.daemon)


class Paused:
    """The daemon does not run meanwhile, so that it is not too quick."""

    def __init__(self, process):
        self.process = process

    def __enter__(self):
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def __exit__(self, *exc):
        self.process.send_signal(signal.SIGCONT)


def gone(box):
    with box.paused():
        os.unlink(box.socket)


def all_gone(box):
    with box.paused():
        shutil.rmtree(box.run_dir)


def moved(box):
    os.rename(box.run_dir, box.run_dir + ".old")


def stale(box):
    """Another socket, that nobody listens on."""
    with box.paused():
        os.unlink(box.socket)
        dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dead.bind(box.socket)
        dead.close()


LOSSES = (gone, all_gone, moved, stale)


def test_it_notices_by_itself():
    """Others than ccfc cannot poke it."""
    for lose in LOSSES:
        with House() as box:
            box.start()
            box.wait("READY=1")
            lose(box)
            box.wait("STATUS=listening again on " + box.socket)
            with box.rpc() as rpc:
                eq(rpc.call("server.info")["pid"], box.daemon.pid)
            assert "the socket was gone" in box.log_text()
            box.serves()
            box.ends()


def test_commands_reach_it_at_once():
    """Whatever comes first, also one that never starts a daemon."""
    for lose in LOSSES:
        for first in (["status"], ["start"], ["search", FILE], ["doctor"]):
            with House() as box:
                box.start()
                lose(box)
                done = box.run(*first)
                if first == ["doctor"]:
                    assert f"pid {box.daemon.pid} at" in done.stdout, done
                else:
                    eq(done.returncode, 0,
                       f"{lose.__name__}: {first}: {done.stderr}")
                box.serves()
                box.ends()


def test_stop_reaches_it():
    for lose in LOSSES:
        with House() as box:
            box.start()
            lose(box)
            box.ends()


def test_a_client_that_may_start_one_does_not():
    with House() as box:
        box.start()
        env = spawning(box)
        all_gone(box)
        clients = [subprocess.Popen(
            [box.ccfc, "search", FILE, "--format=paths"], env=env,
            cwd=box.top, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) for _ in range(8)]
        for c in clients:
            out, err = c.communicate(timeout=harness.LIMIT)
            eq((c.returncode, out), (0, FILE.encode() + b"\n"), err.decode())
        assert "already running" not in box.log_text(), box.log_text()
        box.serves()


def test_a_second_daemon_wakes_the_first():
    with House() as box:
        box.start()
        all_gone(box)
        second, ready = box.spawn_daemon()
        eq(second.wait(harness.LIMIT), 0, "exit code")
        os.close(ready)
        assert f"already running (pid {box.daemon.pid})" in box.log_text()
        box.serves()


def test_subscribers_stay():
    with House() as box:
        box.start()
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            for lose in (gone, all_gone, stale):
                lose(box)
                box.wait("STATUS=listening again")
                name = f"/home/dev/p/{lose.__name__}.c"
                box.first.write(name)
                eq(rpc.event()["path"], name, "event")
            eq(rpc.call("server.info")["subscribers"], 1, "subscribers")
        box.serves()


def test_what_is_in_the_way_stays():
    """Nobody reaches it then, and everybody is told why."""
    with House() as box:
        box.start()
        with box.paused():
            os.unlink(box.socket)
            with open(box.socket, "w", encoding="ascii") as f:
                f.write("precious")
        before = os.lstat(box.socket)
        box.wait("STATUS=not reachable")
        for env in (box.env, spawning(box)):
            for command in ("status", "start", "stop", "search"):
                args = [command, FILE] if command == "search" else [command]
                done = box.run(*args, env=env)
                eq(done.returncode, 2, command)
                assert f"{box.socket}: in the way" in done.stderr, done.stderr
                assert f"kill {box.daemon.pid}" in done.stderr, done.stderr
        eq(levels(box, "is not a socket"), ["fail"], "doctor")
        after = os.lstat(box.socket)
        eq((after.st_ino, after.st_mtime_ns, after.st_size),
           (before.st_ino, before.st_mtime_ns, 8), "what is in the way")
        with open(box.socket, encoding="ascii") as f:
            eq(f.read(), "precious", "content")
        os.unlink(box.socket)
        box.wait("STATUS=listening again")
        box.serves()
        box.ends()


def test_anothers_socket_stays():
    """One that listens is never removed, not even when we end."""
    with House() as box:
        box.start()
        with box.paused():
            os.unlink(box.socket)
            other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            other.bind(box.socket)
            other.listen(8)
        inode = os.lstat(box.socket).st_ino
        box.wait("STATUS=not reachable")
        box.stop()
        eq(os.lstat(box.socket).st_ino, inode, "inode")
        other.close()


def test_moved_back():
    """The socket that is back is the one that we listen on."""
    with House() as box:
        box.start()
        inode = os.lstat(box.socket).st_ino
        with box.paused():
            moved(box)
            with open(box.run_dir, "w", encoding="ascii"):
                pass
        box.wait("STATUS=not reachable")
        with box.paused():
            os.unlink(box.run_dir)
            os.rename(box.run_dir + ".old", box.run_dir)
        box.wait("STATUS=listening again")
        eq(os.lstat(box.socket).st_ino, inode, "inode")
        box.serves()


def test_a_runtime_directory_that_comes_back_later():
    """Its parent cannot be written to, as /run/user: a file is there."""
    with House() as box:
        run = os.path.join(box.top, "user", "1000")
        box.env["CCFC_SOCKET"] = box.socket = os.path.join(
            run, "ccfc", "ccfc.sock")
        box.run_dir = os.path.dirname(box.socket)
        os.makedirs(run)
        box.start()
        box.serves()
        with box.paused():
            shutil.rmtree(run)
            with open(run, "w", encoding="ascii"):
                pass
        box.wait("STATUS=not reachable")
        done = box.run("status")
        eq(done.returncode, 2, "exit code")
        assert run in done.stderr, done.stderr
        with box.paused():
            os.unlink(run)
            os.mkdir(run)
        box.wait("STATUS=listening again")
        box.serves()
        box.ends()


def test_another_mount():
    """A new tmpfs over the old directory: inotify does not tell of it."""
    with House() as box:
        os.mkdir(box.run_dir)
        wrap = ["unshare", "--user", "--map-current-user", "--mount",
                "--propagation=private"]
        if not shutil.which("unshare") or subprocess.run(
                [*wrap, "true"], capture_output=True, check=False).returncode:
            raise Skip("no user namespaces here")
        box.start(wrap=wrap)
        enter = ["nsenter", "--user", "--mount", "--preserve-credentials",
                 f"--target={box.daemon.pid}"]
        if subprocess.run([*enter, "mount", "-t", "tmpfs", "-o", "mode=0700",
                           "none", box.run_dir], capture_output=True,
                          check=False).returncode:
            raise Skip("no mounts here")
        box.wait("STATUS=listening again")
        # In that namespace: here the old directory is still to be seen.
        done = subprocess.run(
            [*enter, box.ccfc, "status", "--format=json"], env=box.env,
            capture_output=True, check=False, timeout=harness.LIMIT)
        eq(done.returncode, 0, done.stderr.decode())


def test_nobody_else_is_signalled():
    """A lock's file that names a process which does not hold the lock."""
    with House() as box:
        bystander = subprocess.Popen(["sleep", "1000"])
        try:
            os.makedirs(box.state, 0o700)
            path = os.path.join(box.state, "ccfcd.lock")
            with open(path, "w", encoding="ascii") as f:
                f.write(f"{bystander.pid}\n{box.socket}\n1\n\n")
            eq(box.run("status").returncode, 3, "exit code")
            eq(box.run("search", FILE).returncode, 3, "exit code")
            box.start()
            eq(bystander.poll(), None, "the other process")
            box.serves()
        finally:
            bystander.kill()
            bystander.wait()


def test_a_daemon_at_another_socket_is_left_alone():
    with House() as box:
        box.start()
        other = os.path.join(box.top, "other", "ccfc.sock")
        done = box.run("status", env={**box.env, "CCFC_SOCKET": other})
        eq(done.returncode, 3, "exit code")
        assert not os.path.exists(os.path.dirname(other)), "it was made"
        box.serves()


def levels(box, words):
    """Of the doctor's findings that say so."""
    found = json.loads(box.run("doctor", "--format=json").stdout)["findings"]
    return [f["level"] for f in found if words in f["what"]]


def known(box):
    """All that is known, and all that was said."""
    return (box.dump().text,
            sorted(box.ok("grep", "please", "--format=jsonl").splitlines()))


def no_index(box):
    os.unlink(os.path.join(box.state, "index.db"))


def no_texts(box):
    os.unlink(os.path.join(box.state, "texts"))


def no_lock(box):
    os.unlink(os.path.join(box.state, "ccfcd.lock"))


def no_files(box):
    shutil.rmtree(box.state)


def other_name(box):
    os.rename(box.state, box.state + ".old")


def test_the_state_directory_was_removed():
    for lose in (no_index, no_texts, no_lock, no_files, other_name):
        with House() as box:
            box.without_archive()
            other = Transcript(box, box.ids)
            other.prompt("please do")
            other.write("/home/dev/p/gone.c")
            box.start()
            known(box)
            os.unlink(other.path)  # only the store has it from here on
            before = known(box)
            assert "gone.c" in before[0] and before[1], before
            with box.paused():
                lose(box)
            box.wait("STATUS=the store was removed, and written again")
            eq(known(box), before, f"{lose.__name__}: what is known")
            said = box.ok("status")
            assert "written again" in said, said
            eq(levels(box, "written again"), ["note"], "doctor")
            assert "were removed while" in box.log_text(), box.log_text()
            eq(box.json("sql", "SELECT count(*) AS n FROM changes"
                        " WHERE path LIKE '%gone.c'")["rows"], [[1]],
               "rows")
            box.serves()
            before = known(box)
            eq(stat.S_IMODE(os.stat(box.state).st_mode), 0o700, "mode")
            box.restart(hard=lose is no_files)
            eq(known(box), before, f"{lose.__name__}: after a restart")
            second, ready = box.spawn_daemon()
            eq(second.wait(harness.LIMIT), 0, "the lock is held")
            os.close(ready)


def test_what_was_lost_before_is_still_told():
    """A store that was damaged once, and whose file is removed later."""
    with House() as box:
        box.start()
        known(box)
        box.stop()
        path = os.path.join(box.state, "index.db")
        with open(path, "r+b") as f:
            at = f.read().index(b"/home/dev/p")
            f.seek(at)
            f.write(b"/hone")
        box.start()
        before = known(box)
        with box.rpc() as rpc:
            past = rpc.call("server.info")["store"]
        assert past["lostRows"] > 0, past
        with box.paused():
            no_index(box)
        box.wait("STATUS=the store was removed, and written again")
        for _ in range(2):
            eq(known(box), before, "what is known")
            with box.rpc() as rpc:
                eq(rpc.call("server.info")["store"], past, "its past")
                eq(rpc.call("store.check", deep=True)["ok"], True, "sums")
            box.restart()


def test_a_state_directory_that_cannot_be_made():
    """Answers go on, out of memory, and it is said that nothing is stored."""
    with House() as box:
        box.start()
        before = known(box)[0]
        with box.paused():
            shutil.rmtree(box.state)
            with open(box.state, "w", encoding="ascii"):
                pass
        box.wait("STATUS=nothing is stored")
        eq(box.dump().text, before, "what is known")
        said = box.ok("status")
        assert "nothing is stored" in said, said
        eq(levels(box, "nothing is stored"), ["fail"], "doctor")
        name = "/home/dev/p/later.c"
        box.first.write(name)
        eq(box.ok("search", name, "--format=paths"), name + "\n", "search")
        os.unlink(box.state)
        box.wait("STATUS=the store was removed, and written again")
        assert "nothing is stored" not in box.ok("status")
        before = known(box)
        box.restart(hard=True)
        eq(known(box), before, "after a restart")


def test_another_store_is_there():
    """It is neither written to nor removed; the next daemon reads it."""
    with House() as box:
        box.start()
        known(box)
        copy = box.state + ".copy"
        box.stop()
        shutil.copytree(box.state, copy)
        process = box.start()
        name = "/home/dev/p/later.c"
        box.first.write(name)
        box.ok("search", name)
        with box.paused():
            os.rename(box.state, box.state + ".old")
            os.rename(copy, box.state)
        files = {n: os.lstat(os.path.join(box.state, n)).st_ino
                 for n in os.listdir(box.state)}
        eq(process.wait(harness.LIMIT), 2, "exit code")
        box.daemon = None
        assert "the store was replaced" in box.log_text(), box.log_text()
        eq({n: os.lstat(os.path.join(box.state, n)).st_ino
            for n in os.listdir(box.state)}, files, "files")
        box.start()
        eq(box.ok("search", name, "--format=paths"), name + "\n", "search")


def test_another_daemon_was_quicker():
    """The state directory is that one's, and we end."""
    with House() as box:
        process = box.start()
        with box.paused():
            os.rename(box.state, box.state + ".old")
            os.rename(box.run_dir, box.run_dir + ".old")
            second, ready = box.spawn_daemon()
            eq(os.read(ready, 1), b"1", "ready")
            os.close(ready)
        eq(process.wait(harness.LIMIT), 2, "exit code of the first")
        box.daemon = second
        assert "another daemon has it" in box.log_text(), box.log_text()
        box.serves()
        box.ends()


if __name__ == "__main__":
    harness.main()
