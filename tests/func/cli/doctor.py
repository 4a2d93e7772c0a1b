"""ccfc doctor: each thing that it looks at is broken for real, and then mended
by the very command that it printed.
"""
import contextlib
import json
import os
import pty
import shutil
import signal
import stat
import subprocess
import time

import harness
from harness import Box, LIMIT, Skip, eq, inside, without_rights
from skew import INFO, Fake
from transcript import Ids, Transcript

FILE = "/home/dev/p/a.py"
DAY = 86400
CHECKS = ["archive", "daemon", "permissions", "retention", "service", "space",
          "store", "transcripts", "version", "watches"]
UNIT = """\
LoadState={load}
UnitFileState={enabled}
ActiveState={active}
FragmentPath=
"""
# A manager that does what it is told with a few files.
SYSTEMCTL = """\
#!/bin/sh
cd "$(dirname "$0")" || exit 1
shift
case $1 in
show) cat unit ;;
unmask) sed -i s/=masked/=loaded/ unit ;;
enable) sed -i s/=disabled/=enabled/ unit ;;
daemon-reload) ;;
start) grep -q =active unit || { sed -i s/=inactive/=active/ unit; ccfc start; } ;;
restart) sed -i s/=inactive/=active/ unit; ccfc start ;;
stop) sed -i s/=active/=inactive/ unit; ccfc stop ;;
esac
case "$*" in
*--now*) sed -i s/=inactive/=active/ unit; ccfc start ;;
esac
"""
SUDO = """\
#!/bin/sh
here=$(dirname "$0")
case $1 in
tee) cat >> "$here/sysctl" ;;
sysctl) sed 's/ = / /; s/\\./\\//g' "$here/sysctl" | while read -r name value
	do echo "$value" > "/proc/sys/$name"; done ;;
*) exec "$@" ;;
esac
"""


def script(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, 0o755)


class Patient(Box):
    """A box with programs of its own in PATH, and one transcript."""

    def __init__(self):
        super().__init__()
        self.bin = os.path.join(self.top, "bin")
        os.mkdir(self.bin)
        os.symlink(self.ccfc, os.path.join(self.bin, "ccfc"))
        script(os.path.join(self.bin, "systemctl"), SYSTEMCTL)
        script(os.path.join(self.bin, "sudo"), SUDO)
        self.env["PATH"] = self.bin + ":" + self.env["PATH"]
        self.unit("not-found", "", "inactive")
        self.config = os.path.join(self.top, "config", "ccfc", "config")
        self.transcript = Transcript(self, Ids())
        self.transcript.write(FILE)

    def __exit__(self, kind, value, trace):
        if not self.daemon:
            self.run("stop")
        return super().__exit__(kind, value, trace)

    def unit(self, load, enabled, active):
        with open(os.path.join(self.bin, "unit"), "w",
                  encoding="utf-8") as f:
            f.write(UNIT.format(load=load, enabled=enabled, active=active))

    def doctor(self):
        """Findings, after a look at what holds for all of them."""
        done = self.run("doctor", "--format=json")
        eq(done.stderr, "", "stderr")
        reply = json.loads(done.stdout)
        found = reply["findings"]
        bad = [f for f in found if f["level"] in ("warn", "fail")]
        eq(done.returncode, 1 if bad else 0, "exit status")
        eq(reply["ok"], not bad, "ok")
        for f in bad:
            assert f["fix"], f"no command: {f}"
        return found

    def find(self, check, *words):
        """The one finding of that check that has these words."""
        found = [f for f in self.doctor() if f["check"] == check
                 and all(w in text(f) for w in words)]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} of {check} with {words}:\n"
                                 + self.run("doctor").stdout)
        return found[0]

    def shell(self, command):
        """Types it at a terminal, and yes to what is asked."""
        pid, fd = pty.fork()
        if not pid:
            os.chdir(self.top)
            os.execve("/bin/sh", ["sh", "-c", command], self.env)
        os.write(fd, b"y\n")
        said = b""
        with contextlib.suppress(OSError):
            while data := os.read(fd, 4096):
                said += data
        os.close(fd)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code:
            raise AssertionError(f"{command}: {code}: {said.decode()}")

    def mended(self, check, level, *words):
        """Breaks are found, their command is run, and they are gone."""
        found = self.find(check, *words)
        eq(found["level"], level, "level")
        was = self.daemon
        self.shell(found["fix"])
        if was and was.poll() is not None or "ccfc st" in found["fix"]:
            self.daemon = None
        if was and not self.daemon:
            was.wait(LIMIT)
        left = [f for f in self.doctor() if f["check"] == check
                and f["level"] not in ("ok", "note")]
        eq(left, [], f"after {found['fix']}")
        return found


def text(finding):
    return finding["what"] + ": " + (finding["why"] or "")


def levels(found):
    return {f["check"]: f["level"] for f in found}


def test_all_is_fine():
    with Patient() as box:
        box.unit("loaded", "enabled", "active")
        box.start()
        found = box.doctor()
        eq(levels(found), dict.fromkeys(CHECKS, "ok"), "levels")
        eq([f["fix"] for f in found], [None] * len(found), "commands")
        said = box.ok("doctor")
        eq(len(said.splitlines()), len(found), "lines")
        assert f"ok    daemon: pid {box.daemon.pid} at {box.socket}" in said, \
            said


def test_text_and_exit_status():
    with Patient() as box:
        done = box.run("doctor")
        eq(done.returncode, 1, "exit status")
        assert ("warn  daemon: none is running: transcripts deleted before "
                "the next start are not indexed\n"
                "      ccfc start\n"
                ) in done.stdout, done.stdout
        assert not os.path.exists(box.socket), "a daemon was started"
        eq(box.run("doctor", "--nonsense").returncode, 2, "exit status")


def test_no_daemon():
    with Patient() as box:
        found = box.mended("daemon", "warn", "none is running")
        eq(found["fix"], "ccfc start", "command")
        assert FILE in box.ok("search", FILE, "--format=paths")


def test_a_socket_was_left():
    with Patient() as box:
        box.start()
        box.kill()
        assert stat.S_ISSOCK(os.lstat(box.socket).st_mode)
        box.mended("daemon", "warn", "the last one left its socket")


def test_something_is_in_the_way():
    with Patient() as box:
        os.makedirs(os.path.dirname(box.socket), 0o700)
        with open(box.socket, "w", encoding="utf-8") as f:
            f.write("mine")
        box.mended("daemon", "fail", "is not a socket")
        with open(box.socket + ".old", encoding="utf-8") as f:
            eq(f.read(), "mine", "what was there")


def test_the_socket_was_removed():
    with Patient() as box:
        box.start()
        os.unlink(box.socket)
        # Asked by the doctor as by every command, it listens again.
        eq(box.find("daemon", f"pid {box.daemon.pid} at")["level"], "ok",
           "level")


def test_a_daemon_elsewhere():
    with Patient() as box:
        box.start()
        box.env["CCFC_SOCKET"] = os.path.join(box.top, "other", "ccfc.sock")
        box.mended("daemon", "fail", f"one runs (pid {box.daemon.pid})")


def test_permissions():
    with Patient() as box:
        box.start()
        os.makedirs(os.path.dirname(box.config))
        with open(box.config, "w", encoding="utf-8") as f:
            f.write("log-level = info\n")
        folder = os.path.dirname(box.socket)
        for path, mode, level, good in (
                (box.state, 0o755, "warn", 0o700),
                (box.state, 0o770, "fail", 0o700),
                (folder, 0o777, "fail", 0o755),
                (box.socket, 0o666, "warn", 0o600),
                (box.config, 0o666, "warn", 0o644)):
            os.chmod(path, mode)
            box.mended("permissions", level, path + " ")
            eq(stat.S_IMODE(os.stat(path).st_mode), good, path)


def test_what_cannot_be_read():
    if not without_rights("test_what_cannot_be_read"):
        return
    with Patient() as box:
        project = os.path.dirname(box.transcript.path)
        os.chmod(project, 0)
        box.mended("transcripts", "fail", "1 cannot be read", project)
        os.chmod(box.transcript.path, 0)
        box.mended("transcripts", "fail", "1 cannot be read",
                   box.transcript.path)
        os.makedirs(os.path.dirname(box.config))
        with open(box.config, "w", encoding="utf-8"):
            os.chmod(box.config, 0)
        box.mended("permissions", "fail", box.config)
        os.chmod(os.path.dirname(project), 0)
        box.start()
        # It is polled, but not for lack of watches.
        eq([f["level"] for f in box.doctor() if f["check"] == "watches"],
           ["ok"], "watches")
        box.mended("transcripts", "fail", "1 cannot be read")
        box.stop()
        path = os.path.join(box.state, "index.db")
        os.chmod(path, 0o400)
        box.mended("permissions", "fail", path + " cannot be written")
        os.chmod(box.state, 0o500)
        box.mended("permissions", "fail", box.state + " cannot be written")


@contextlib.contextmanager
def answered_by(info, methods=()):
    """A fake daemon that is gone once it was told to stop."""
    with Patient() as box:
        fake = Fake(box.socket, {"stateDir": box.state, **INFO, **info,
                                 "roots": [{"path": box.claude}]},
                    dict(methods))
        serve = fake.reply

        def reply(method):
            if method == "server.stop":
                fake.close()
            return serve(method)
        fake.reply = reply
        yield box


def test_versions():
    for info, level in (({"version": "0.0.9"}, "warn"),
                        ({"version": "9.0.0", "protocol": 2}, "fail")):
        with answered_by(info) as box:
            found = box.find("version", info["version"])
            eq(found["level"], level, "level")
            eq(levels(box.doctor())["store"], "note", "store")
            box.mended("version", level)


def test_the_program_was_replaced():
    with Patient() as box:
        program = os.path.join(box.bin, "old-ccfcd")
        shutil.copy(box.ccfcd, program)
        box.ccfcd, was = program, box.ccfcd
        box.start()
        box.ccfcd = was
        eq(levels(box.doctor())["version"], "ok", "before")
        os.unlink(program)
        box.mended("version", "warn", "was replaced")


def test_another_directory_of_claude_code():
    with Patient() as box:
        box.start()
        other = os.path.join(box.top, "other")
        os.mkdir(other)
        box.env["CLAUDE_CONFIG_DIR"] = f"{box.claude}:{other}"
        box.mended("daemon", "warn", f"it does not read {other}")
        box.env["CLAUDE_CONFIG_DIR"] = os.path.join(box.top, "none")
        box.ok("stop")
        found = box.find("transcripts", "there is no")
        eq(found["level"], "note", "level")


def stored(box):
    """The store on disk, all in its file, and a daemon over it."""
    box.start()
    box.ok("search", FILE)
    box.restart()
    box.ok("search", FILE)


def overwrite(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


def test_a_damaged_index():
    with Patient() as box:
        stored(box)
        for page in (5, 20):
            overwrite(os.path.join(box.state, "index.db"), page * 1024,
                      b"\xff" * 1024)
        found = box.mended("store", "fail", "index.db is damaged")
        assert "gone" not in text(found), found
        eq(box.ok("search", FILE, "--format=paths"), f"{FILE}\n", "search")
        aside = [n.partition(".damaged-")[0] for n in os.listdir(box.state)
                 if ".damaged-" in n]
        eq(sorted(aside), ["index.db", "texts"], "put aside")


def test_damaged_texts():
    with Patient() as box:
        gone = Transcript(box, Ids(2))
        gone.prompt("a word of a transcript that goes")
        box.transcript.prompt("another word")
        stored(box)
        os.unlink(gone.path)
        path = os.path.join(box.state, "texts")
        with open(path, "rb") as f:
            at = f.read().index(b"another")
        overwrite(path, at, b"A")
        found = box.find("store", "texts is damaged", "1 transcript")
        assert "damaged in 1 place;" in text(found), found
        box.mended("store", "fail", "texts is damaged")
        assert "another word" in box.ok("grep", "another word")
        # What has no transcript any more was carried over.
        assert "that goes" in box.ok("grep", "a word of a transcript")


def test_services():
    for load, enabled, active, level, words in (
            ("not-found", "", "inactive", "note", "is not set up"),
            ("loaded", "disabled", "inactive", "note", "is not enabled"),
            ("loaded", "enabled", "inactive", "warn", "does not run")):
        with Patient() as box:
            box.unit(load, enabled, active)
            found = box.mended("service", level, words)
            if load == "loaded":
                eq(levels(box.doctor())["service"], "ok", found["fix"])
            else:
                unit = os.path.join(box.top, "config", "systemd", "user",
                                    "ccfcd.service")
                assert os.path.exists(unit), found["fix"]


def test_a_service_that_runs_elsewhere():
    with Patient() as box:
        box.unit("loaded", "enabled", "active")
        box.mended("daemon", "warn", "none is running")


def test_a_daemon_beside_the_service():
    with Patient() as box:
        box.start()
        box.unit("loaded", "enabled", "inactive")
        found = box.mended("service", "warn", "another daemon is running")
        assert found["fix"].startswith("ccfc stop && systemctl"), found


def test_a_masked_service():
    with Patient() as box:
        box.unit("masked", "masked", "inactive")
        found = box.mended("service", "note", "is masked")
        eq(found["fix"], "systemctl --user unmask ccfcd.service", "command")
        eq([f for f in box.doctor() if "masked" in text(f)], [], "masked")


def test_no_manager_answers():
    with Patient() as box:
        script(os.path.join(box.bin, "systemctl"),
               "#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n")
        found = box.find("service", "Failed to connect to bus")
        eq(found["level"], "note", "level")


def test_few_watches():
    """A user namespace has a limit of its own."""
    if not inside("test_few_watches", "unshare", "-Ur"):
        return
    limit = "/proc/sys/user/max_inotify_watches"
    try:
        with open(limit, "w", encoding="utf-8") as f:
            f.write("4")
    except OSError as error:
        raise Skip(f"{limit}: {error}") from None
    with Patient() as box:
        for i in range(5):
            Transcript(box, Ids(i + 5), project=f"-home-dev-{i}").write(FILE)
        box.start()
        found = box.mended("watches", "warn", "directories are polled",
                           "user.max_inotify_watches is 4")
        assert "sudo tee -a /etc/sysctl.d/60-ccfc.conf" in found["fix"], found
        with box.rpc() as rpc:
            eq(rpc.call("server.info")["watch"]["polled"], 0, "polled")


def test_little_room():
    if not inside("test_little_room", "unshare", "-Urm"):
        return
    with Patient() as box:
        os.mkdir(box.state, 0o700)
        mount = ["mount", "-t", "tmpfs", "-o"]
        for size, level in (("8M", "fail"), ("100M", "warn")):
            done = subprocess.run([*mount, f"size={size}", "none", box.state],
                                  capture_output=True, check=False)
            if done.returncode:
                raise Skip(done.stderr.decode())
            os.chmod(box.state, 0o700)
            eq(box.find("space", "are free")["level"], level, size)
            subprocess.run(["umount", box.state], check=True)
        eq(box.find("space")["level"], "ok", "level")


def test_lines():
    with Patient() as box:
        os.makedirs(os.path.dirname(box.config))
        with open(box.config, "w", encoding="utf-8") as f:
            f.write("max-line = 64K\n")
        box.start()
        box.transcript.write(FILE, "x" * 200_000)
        harness.append(box.transcript.path, b"{ torn\n")
        found = box.find("transcripts", "1 line is not JSON")
        eq(found["level"], "note", "level")
        found = box.mended("transcripts", "warn", "2 lines are too long",
                           box.transcript.path)
        assert "max-line = " in found["fix"], found


# --- retention ---

def aged(box, days):
    """Makes the transcript look as if it had last been written then."""
    when = time.time() - days * DAY
    os.utime(box.transcript.path, (when, when))


def settings(box, content, name="settings.json"):
    path = os.path.join(box.claude, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content)
    return path


def test_retention_by_default():
    with Patient() as box:
        box.start()
        found = box.find("retention", "30 days after", "(the default)")
        eq(found["level"], "ok", "level")
        when = time.gmtime(os.stat(box.transcript.path).st_mtime + 30 * DAY)
        assert time.strftime("on %Y-%m-%d %H:%M", when) in found["what"], found
        assert box.transcript.path in found["what"], found
        eq(found["fix"], None, "command")


def test_what_goes_soon():
    with Patient() as box:
        aged(box, 25)
        Transcript(box, Ids(3)).write(FILE)
        box.start()
        found = box.find("retention", "1 of 2 within 7 days",
                         "all of them are indexed")
        eq(found["level"], "note", "level")
        box.shell(found["fix"])
        found = box.find("retention", "3650 days", "settings.json")
        eq((found["level"], found["fix"]), ("ok", None), "after it")
        aged(box, 5000)
        assert "when Claude Code starts next " + box.transcript.path in \
            text(box.find("retention")), box.ok("doctor")


def test_what_goes_soon_and_is_not_indexed():
    with Patient() as box:
        aged(box, 25)
        found = box.mended("retention", "warn", "is not known without")
        eq(found["fix"], "ccfc start", "command")
        assert "all of them are indexed" in text(box.find("retention"))


def test_a_daemon_that_missed_something():
    with answered_by({}, {"source.list": (None, {"sources": []})}) as box:
        aged(box, 25)
        found = box.find("retention", "1 of them is not indexed",
                         box.transcript.path)
        eq((found["level"], found["fix"]), ("warn", "ccfc index --build"),
           "finding")


def test_a_line_that_never_ended():
    with Patient() as box:
        harness.append(box.transcript.path, b'{"type":"us')
        aged(box, 25)
        box.start()
        box.find("retention", "all of them are indexed")


def test_settings_are_mended():
    """Whatever they look like, what else they say stays."""
    for before, more in (
            ('{"cleanupPeriodDays": 7}', {}),
            ('{\n  "model": "opus",\n  "cleanupPeriodDays": 7,\n'
             '  "env": {"cleanupPeriodDays": "x"}\n}\n',
             {"model": "opus", "env": {"cleanupPeriodDays": "x"}}),
            ('{"a": {}, "cleanupPeriodDays":7, "b": [1, "}"]}',
             {"a": {}, "b": [1, "}"]}),
            ('\n{\n  "model": "it\'s {"\n}', {"model": "it's {"}),
            ("{}", {}), ("{ \n }\n", {})):
        with Patient() as box:
            path = settings(box, before)
            aged(box, 25)
            box.start()
            box.shell(box.find("retention")["fix"])
            with open(path, encoding="utf-8") as f:
                eq(json.load(f), {"cleanupPeriodDays": 3650, **more}, before)
            box.find("retention", "3650 days", path)


def test_nothing_is_kept():
    with Patient() as box:
        path = settings(box, '{ "cleanupPeriodDays": 0 }')
        box.start()
        box.mended("retention", "fail", "no transcripts are kept", path)


def test_settings_that_win():
    with Patient() as box:
        settings(box, '{ "cleanupPeriodDays": 90 }')
        box.find("retention", "90 days", "/settings.json")
        settings(box, '{ "cleanupPeriodDays": 60 }', "settings.local.json")
        box.find("retention", "60 days", "/settings.local.json")


def test_settings_that_are_none():
    for content, words in (
            ("{ // mine\n}", "line 1: is not JSON"),
            ('{\n"cleanupPeriodDays": -1}', "line 2: cleanupPeriodDays is no"),
            ('{"cleanupPeriodDays": "30"}', "line 1: cleanupPeriodDays is"),
            ("[" * 100_000, "line 1: is no"), ("", "line 1: is not JSON")):
        with Patient() as box:
            path = settings(box, content)
            found = box.find("retention", f"{path}: {words}")
            eq(found["level"], "note", "level")
            box.find("retention", "30 days", "(the default)")
            script(os.path.join(box.bin, "edit"), "#!/bin/sh\necho {} > $1\n")
            box.env["EDITOR"] = "edit"
            box.shell(found["fix"])
            eq([f for f in box.doctor() if path in text(f)], [], "after it")


def test_names_that_need_quotes():
    with Patient() as box:
        odd = os.path.join(box.top, "it's $HOME; `x`")
        os.mkdir(odd, 0o755)
        box.env["CCFC_STATE_DIR"] = odd
        box.mended("permissions", "warn", "is open to others")
        eq(stat.S_IMODE(os.stat(odd).st_mode), 0o700, "mode")


def test_a_daemon_that_hangs():
    with Patient() as box:
        box.start()
        box.daemon.send_signal(signal.SIGSTOP)
        box.env["CCFC_PATIENCE"] = "1"
        found = box.mended("daemon", "fail", "does not answer")
        assert f"kill -9 {found['fix'].split()[2].rstrip(';')};" in \
            found["fix"], found


# --- the methods ---

def test_store_check():
    with Patient() as box:
        stored(box)
        with box.rpc() as rpc:
            whole = rpc.call("store.check")
            eq((whole["ok"], whole["problems"], whole["damagedTexts"]),
               (True, [], 0), "store.check")
            assert whole["bytes"] > 1024 and whole["schema"] > 2, whole
            stats = rpc.call("index.stats")
            eq(whole["textBytes"], stats["textBytes"], "textBytes")
            eq(whole["clock"], stats["clock"], "clock")
            overwrite(os.path.join(box.state, "index.db"), 0, b"\0" * 100)
            broken = rpc.call("store.check")
            eq(broken["ok"], False, "ok")
            eq(broken["problems"][0]["file"], "index.db", "file")
            # The daemon goes on from memory.
            eq(rpc.call("index.stats")["totalChanges"], 1, "changes")
        box.kill()


def test_source_list():
    with Patient() as box:
        box.start()
        harness.append(box.transcript.path, b"no\n")
        with box.rpc() as rpc:
            got = rpc.call("source.list")
            eq(got["totalSources"], 1, "totalSources")
            eq(got["sources"], [{
                "path": box.transcript.path,
                "sessionId": box.transcript.session, "agentId": None,
                "source": "present",
                "bytes": os.path.getsize(box.transcript.path),
                "kept": got["sources"][0]["kept"],
                "malformed": 1, "tooLong": 0}], "sources")
            os.unlink(box.transcript.path)
            assert rpc.call("source.list")["sources"][0]["source"] in \
                ("archived", "gone")
            eq(rpc.call("source.list", offset=1)["sources"], [], "page")


if __name__ == "__main__":
    harness.main()
