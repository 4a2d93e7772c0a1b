"""What all functional tests share: scratch directories, the real processes,
an independent msgpack-RPC client, and a small runner.

A test file defines test_* functions and calls harness.main(). Nothing here
sleeps: a query sees all that was written before it, and everything else is
waited for on a file descriptor with a time limit.
"""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import msgpack

import replytypes

LIMIT = float(os.environ.get("CCFC_TEST_LIMIT", "300"))
HERE = os.path.dirname(os.path.abspath(__file__))
FUNC = os.path.dirname(HERE)
TOP = os.path.dirname(os.path.dirname(FUNC))
SANITIZER = re.compile(
    r"(AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:"
    r"|UndefinedBehaviorSanitizer)")


class Skip(Exception):
    """Raised by a test that cannot run here; its text says why."""


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error)
        self.code, _, self.text = error.partition(": ")


def binary(name, folder):
    """The program under test: $CCFCD, $CCFC, or below $CCFC_BIN_DIR."""
    path = os.environ.get(name.upper())
    if not path:
        build = os.environ.get("CCFC_BIN_DIR", os.path.join(TOP, "build"))
        path = os.path.join(build, folder, name)
    if not os.access(path, os.X_OK):
        sys.exit(f"harness: no program at {path}: build first")
    return os.path.abspath(path)


def append(path, data):
    """What the client does: open for append, one write, close."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view):]
    finally:
        os.close(fd)


def eq(got, want, what="value"):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def traced(path):
    """The lines of `strace -f -o path`, each call whole: what a call of another
    thread interrupted ("<unfinished ...>") is put together again."""
    begun = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            pid, _, text = line.partition(" ")
            if " <unfinished ...>" in text:
                begun[pid] = line.partition(" <unfinished ...>")[0]
            elif text.lstrip().startswith("<... ") and pid in begun:
                yield begun.pop(pid) + text.partition(" resumed>")[2]
            else:
                yield line
    yield from begun.values()  # those that it ended in


class Rpc:
    """One connection; written from PROTOCOL.md, shares no code with ccfc."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Without a time limit yet: with one, a full backlog is an error.
        self.sock.connect(path)
        self.sock.settimeout(LIMIT)
        self.unpacker = msgpack.Unpacker(
            raw=False, max_buffer_size=1 << 30, strict_map_key=False)
        self.next_id = 1
        self.asked = {}
        self.events = []

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def send(self, data):
        self.sock.sendall(data)

    def message(self, limit=LIMIT):
        """The next message, or None when the peer closed."""
        deadline = time.monotonic() + limit
        while True:
            for message in self.unpacker:
                return message
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self.sock], [], [], left)[0]
            if not ready:
                raise AssertionError("no message in time")
            try:
                data = self.sock.recv(1 << 16)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self.unpacker.feed(data)

    def post(self, method, *params):
        msgid = self.next_id
        self.next_id += 1
        self.asked[msgid] = method
        self.send(msgpack.packb([0, msgid, method, list(params)]))
        return msgid

    def reply(self, msgid):
        while True:
            message = self.message()
            if message is None:
                raise AssertionError("the daemon closed the connection")
            if message[0] == 2:
                self.events.append(message)
                continue
            eq(message[:2], [1, msgid], "reply")
            if message[2] is not None:
                raise RpcError(message[2])
            replytypes.check(self.asked.pop(msgid, None), message[3])
            return message[3]

    def call(self, method, **params):
        return self.reply(self.post(method, params))

    def event(self, limit=LIMIT):
        """The next pushed event map."""
        message = self.events.pop(0) if self.events else self.message(limit)
        if message is None:
            raise AssertionError("the daemon closed the connection")
        eq(message[0], 2, "kind of message")
        return message[2][-1]

    def closed(self):
        """True when the peer closes without another word."""
        while True:
            message = self.message()
            if message is None:
                return True
            if message[0] == 1 and message[2] is None:
                return False


class Box:
    """Scratch directories and everything started in them."""

    def __init__(self, claude=None, roots=()):
        self.top = tempfile.mkdtemp(prefix="ccfc-test-")
        self.claude = claude or os.path.join(self.top, "claude")
        self.projects = os.path.join(self.claude, "projects")
        if claude is None:
            os.makedirs(self.projects)
        self.roots = list(roots)
        self.state = os.path.join(self.top, "state")
        self.socket = os.path.join(self.top, "run", "ccfc.sock")
        self.home = os.path.join(self.top, "home")
        os.makedirs(self.home)
        self.ccfcd = binary("ccfcd", "daemon")
        self.ccfc = binary("ccfc", "client")
        self.logs = os.path.join(self.top, "log")
        self.daemon = None
        self.env = self.environment()

    def environment(self):
        """CCFC_PATIENCE: no test depends on how fast the machine is; one that
        is about a time that runs out sets it to 1."""
        keep = ("LANG", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                "TSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR")
        env = {k: os.environ[k] for k in keep if k in os.environ}
        env.setdefault("LC_ALL", "C.UTF-8")
        env.update(
            PATH=os.path.dirname(self.ccfcd) + ":/usr/bin:/bin",
            HOME=self.home, TZ="UTC",
            CLAUDE_CONFIG_DIR=self.claude,
            CCFC_STATE_DIR=self.state, CCFC_SOCKET=self.socket,
            XDG_CONFIG_HOME=os.path.join(self.top, "config"),
            XDG_RUNTIME_DIR=os.path.join(self.top, "xdg-run"),
            CCFC_DAEMON=self.ccfcd, CCFC_NO_SPAWN="1", CCFC_PATIENCE="100")
        return env

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if self.daemon:
                if kind:
                    self.kill()
                else:
                    self.stop()
            self.check_logs()
        finally:
            if kind and os.environ.get("CCFC_KEEP"):
                print(f"kept {self.top}")
            else:
                shutil.rmtree(self.top, ignore_errors=True)

    def log_text(self):
        """What our daemons said, and those that the client started."""
        text = ""
        for path in (self.logs, os.path.join(self.state, "ccfcd.log")):
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    text += f.read()
        return text

    def check_logs(self):
        """Fails on any sanitizer report of any process of this box."""
        text = self.log_text()
        if SANITIZER.search(text):
            raise AssertionError("sanitizer report:\n" + text[-6000:])

    def spawn_daemon(self, *args, env=None, wrap=()):
        """Starts ccfcd in the foreground; returns (process, ready fd)."""
        if self.roots:
            # The client looks whether the daemon reads what it would.
            self.env["CLAUDE_CONFIG_DIR"] = ":".join(self.roots)
        ready, theirs = os.pipe()
        argv = [*wrap, self.ccfcd, "--foreground", f"--ready-fd={theirs}"]
        argv += [f"--root={r}" for r in self.roots]
        with open(self.logs, "ab") as log:
            process = subprocess.Popen(
                [*argv, *args], env=env or self.env, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, pass_fds=[theirs])
        os.close(theirs)
        return process, ready

    def start(self, *args, env=None, wrap=()):
        """Starts the daemon and returns once it listens."""
        process, ready = self.spawn_daemon(*args, env=env, wrap=wrap)
        try:
            if not select.select([ready], [], [], LIMIT)[0]:
                process.kill()
                raise AssertionError("ccfcd is not ready in time")
            if os.read(ready, 1) == b"":
                process.wait(LIMIT)
                raise AssertionError(
                    f"ccfcd ended with {process.returncode}:\n"
                    + self.log_text()[-4000:])
        finally:
            os.close(ready)
        self.daemon = process
        return process

    def stop(self):
        """SIGTERM; a clean end is exit code 0."""
        process, self.daemon = self.daemon, None
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError("ccfcd did not end on SIGTERM") from None
        if code != 0:
            raise AssertionError(f"ccfcd ended with {code}:\n"
                                 + self.log_text()[-6000:])

    def kill(self):
        process, self.daemon = self.daemon, None
        process.kill()
        process.wait()

    def restart(self, *args, hard=False):
        if hard:
            self.kill()
        else:
            self.stop()
        self.start(*args)

    def forget(self):
        """What the daemon knew is gone; it does not run."""
        shutil.rmtree(self.state)

    def without_archive(self):
        """For tests of what is known when nothing else has the lines."""
        path = os.path.join(self.top, "config", "ccfc", "config")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as f:
            f.write("archive = off\n")

    def rpc(self):
        return Rpc(self.socket)

    def run(self, *args, env=None, cwd=None, text=True):
        """Runs ccfc to its end: CompletedProcess with stdout and stderr."""
        done = subprocess.run(
            [self.ccfc, *args], env=env or self.env, cwd=cwd or self.top,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
            check=False)
        err = done.stderr.decode(errors="replace")
        if SANITIZER.search(err):
            raise AssertionError(f"ccfc {args}: sanitizer report:\n{err}")
        if text:
            done.stdout = done.stdout.decode(errors="surrogateescape")
        done.stderr = err
        return done

    def ok(self, *args, **more):
        """Runs ccfc, which must succeed; its stdout."""
        done = self.run(*args, **more)
        if done.returncode != 0:
            raise AssertionError(
                f"ccfc {' '.join(args)}: exit {done.returncode}: "
                f"{done.stderr}")
        return done.stdout

    def json(self, *args):
        return json.loads(self.ok(*args, "--format=json"))

    def until_inferred(self):
        """Returns when all inferred changes are known."""
        with self.rpc() as client:
            while client.call("server.info")["inferring"]:
                pass

    def dump(self):
        if self.daemon:
            self.until_inferred()
        return Dump(self.ok("index", "--dump"))

    def project(self, name="-home-dev-p"):
        return os.path.join(self.projects, name)


class Dump:
    """`ccfc index --dump`, taken apart."""

    def __init__(self, text):
        self.text = text
        rows = [json.loads(line) for line in text.splitlines()]
        self.sessions = {}
        self.files = {}
        self.changes = []
        self.commands = []  # of shells
        self.facts = []  # messages of models, calls, looks
        for row in rows:
            if row.get("kind") == "command":
                self.commands.append(row)
            elif "toolUseId" in row:
                self.changes.append(row)
            elif "path" in row:
                self.files[row["path"]] = row
            elif row["kind"] == "session":
                self.sessions[row["sessionId"]] = row
            else:
                self.facts.append(row)

    def by_id(self, tool_use_id):
        """The one change of that id."""
        found = [c for c in self.changes if c["toolUseId"] == tool_use_id]
        if len(found) != 1:
            raise AssertionError(
                f"{len(found)} changes with id {tool_use_id}")
        return found[0]

    def states(self):
        return {c["toolUseId"]: c["state"] for c in self.changes}


def inside(name, *wrap):
    """Runs a test of the file again, wrapped; True: this is that one."""
    if os.environ.get("CCFC_INSIDE"):
        return True
    theme = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    done = subprocess.run(
        [*wrap, "/usr/bin/python3", "-B", os.path.join(FUNC, "run"), theme,
         name],
        env={**os.environ, "CCFC_INSIDE": "1", "TMPDIR": "/tmp"},
        capture_output=True, timeout=LIMIT, check=False)
    said = (done.stdout + done.stderr).decode()
    if done.returncode == 77 or "test_" not in said:
        raise Skip(said.strip().splitlines()[-1] if said else wrap[0])
    assert done.returncode == 0, said
    return False


def without_rights(name):
    """Root may read everything: the test runs as somebody who may not."""
    return os.geteuid() != 0 or inside(
        name, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def sanitized(function):
    """A test of which a build without sanitizers shows nothing more: it is left
    out where only those are wanted that do (CCFC_PLAIN)."""
    function.sanitized = True
    return function


def main():
    """Runs the test_* functions of the calling file (or those named)."""
    # A job in the background ignores Ctrl-C, and so would what tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    module = sys.modules["__main__"]
    tests = [(n, f) for n, f in vars(module).items() if n.startswith("test_")]
    only = sys.argv[1:]
    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    for name, function in tests:
        if only and not any(o in name for o in only):
            continue
        if os.environ.get("CCFC_PLAIN") and hasattr(function, "sanitized"):
            continue
        began, spent = time.monotonic(), sum(os.times()[:4])
        why = ""
        try:
            function()
            verdict = "ok"
        except Skip as skip:
            verdict, why = "skip", f": {skip}"
        except Exception:
            traceback.print_exc(file=sys.stdout)
            verdict = "FAIL"
        counts[verdict] += 1
        took = time.monotonic() - began
        spent = sum(os.times()[:4]) - spent
        print(f"{verdict:4} {name} ({took:.1f} s, CPU {spent:.1f} s){why}",
              flush=True)
    if counts["FAIL"]:
        sys.exit(1)
    sys.exit(77 if counts["skip"] and not counts["ok"] else 0)
