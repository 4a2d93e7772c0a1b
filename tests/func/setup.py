#!/usr/bin/python3
"""`ccfc setup`: the service and the completions, against managers that are
played (manager.py); and the service files of packaging/ as far as they can be
judged here.
"""
import contextlib
import json
import os
import plistlib
import pty
import re
import select
import shutil
import subprocess

import harness
from harness import Box, LIMIT, Skip, TOP, eq

MANAGER = os.path.join(harness.HERE, "manager.py")
UNIT = "systemd/user/ccfcd.service"
DROP_IN = UNIT + ".d/ccfc-setup.conf"
NO_BUS = "Failed to connect to bus: No medium found"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Home(Box):
    """A user with a service manager, and nothing else in PATH."""

    def __init__(self, manager="systemctl", shells=()):
        super().__init__()
        self.fake = os.path.join(self.top, "fake")
        self.bin = os.path.join(self.top, "path")
        os.makedirs(self.fake)
        os.makedirs(self.bin)
        if manager:
            shutil.copy(MANAGER, os.path.join(self.bin, manager))
            os.chmod(os.path.join(self.bin, manager), 0o755)
        for shell in shells:
            os.symlink("/bin/true", os.path.join(self.bin, shell))
        self.config = os.path.join(self.home, ".config")
        self.share = os.path.join(self.home, ".local/share")
        self.env.update(PATH=self.bin, FAKE=self.fake, SHELL="/bin/sh")
        # As in a shell where nothing was set.
        self.plain = dict(self.env)
        for name in ("CLAUDE_CONFIG_DIR", "CCFC_STATE_DIR", "CCFC_SOCKET",
                     "XDG_CONFIG_HOME"):
            del self.plain[name]
        self.settings, self.env = self.env, self.plain

    def use_prefix(self, completions=True):
        """As if it were installed, outside of /usr."""
        prefix = os.path.join(self.top, "prefix")
        for name in ("ccfc", "ccfcd"):
            os.makedirs(f"{prefix}/bin", exist_ok=True)
            shutil.copy(getattr(self, name), f"{prefix}/bin/{name}")
        for name in ("ccfc.bash", "_ccfc", "ccfc.fish"):
            if completions:
                write(f"{prefix}/share/ccfc/completions/{name}",
                      f"# {name}\n")
        os.makedirs(f"{prefix}/share/ccfc", exist_ok=True)
        self.ccfc = f"{prefix}/bin/ccfc"
        del self.env["CCFC_DAEMON"]
        return prefix

    def package(self):
        """A unit that systemd finds by itself."""
        write(os.path.join(self.fake, "packaged", "ccfcd.service"), "")

    def set(self, *names):
        for name in names:
            write(os.path.join(self.fake, name), "")

    def fail(self, **verbs):
        write(os.path.join(self.fake, "fails"), json.dumps(
            {verb.replace("_", "-"): why for verb, why in verbs.items()}))

    def calls(self):
        """What was run since the last time, besides looking."""
        path = os.path.join(self.fake, "calls")
        if not os.path.exists(path):
            return []
        rows = [json.loads(line) for line in read(path).splitlines()]
        os.unlink(path)
        return [" ".join(row[1:] if row[0] == "launchctl" else row[2:])
                for row in rows if not {"show", "print"} & set(row)]

    def tree(self):
        """All files and directories of the user, and what is in them."""
        found = {}
        for folder, _, names in os.walk(self.home):
            found[folder] = None
            for name in names:
                found[os.path.join(folder, name)] = read(folder, name)
        return {os.path.relpath(k, self.home): v for k, v in found.items()
                if not k.startswith(f"{self.home}/.local/state")
                and k != f"{self.home}/.local"}

    def record(self):
        path = os.path.join(self.home, ".local/state/ccfc/setup")
        return read(path) if os.path.exists(path) else None

    def fails(self, *args):
        done = self.run(*args)
        eq(done.returncode, 2, f"exit of {args}")
        return done


def lines_of(text, verb):
    """Those lines of a plan."""
    return re.findall(rf"^  {verb} +(.*)$", text, re.M)


def test_all_and_back():
    with Home() as box:
        before = box.tree()
        said = box.ok("setup", "--yes")
        unit = read(box.config, UNIT)
        assert f"\nExecStart={box.ccfcd} --foreground\n" in unit, unit
        eq(box.calls(), ["daemon-reload", "enable --now ccfcd.service"],
           "commands")
        for line in (f"wrote {box.config}/{UNIT}",
                     "ran systemctl --user daemon-reload",
                     "ran systemctl --user enable --now ccfcd.service"):
            assert f"\n{line}\n" in said, said
        after = box.tree()
        assert "nothing to do" in box.ok("setup", "--yes")
        eq((box.calls(), box.tree()), ([], after), "a second run")
        box.ok("setup", "--remove", "--yes")
        eq(box.calls(), ["disable --now ccfcd.service", "daemon-reload"],
           "commands of --remove")
        eq(box.tree(), before, "all files")
        eq(box.record(), None, "record")
        assert "nothing to remove" in box.ok("setup", "--remove", "--yes")
        eq(box.calls(), [], "a second --remove")


def test_the_plan_comes_first():
    with Home() as box:
        before = box.tree()
        said = box.ok("setup", "--dry-run")
        eq(lines_of(said, "write"), [f"{box.config}/{UNIT}  (the service)"],
           "files")
        eq(lines_of(said, "run"),
           ["systemctl --user daemon-reload",
            "systemctl --user enable --now ccfcd.service"], "commands")
        done = box.fails("setup")
        assert "--yes" in done.stderr, done.stderr
        assert lines_of(done.stdout, "write"), done.stdout
        eq((box.tree(), box.calls(), box.record()), (before, [], None),
           "nothing done")


def on_terminal(box, answer, meanwhile=None):
    """Runs setup on one and answers; (exit status, what was shown)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(box.ccfc, [box.ccfc, "setup"], box.env)
    shown, sent = b"", False
    with contextlib.suppress(OSError):  # EIO at the end
        while select.select([fd], [], [], LIMIT)[0]:
            data = os.read(fd, 4096)
            if not data:
                break
            shown += data
            if b"[y/N] " in shown and not sent:
                if meanwhile:
                    meanwhile()
                os.write(fd, answer)
                sent = True
    os.close(fd)
    assert sent, shown
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


def test_it_asks():
    with Home() as box:
        before = box.tree()
        for answer in (b"\n", b"n\n", b"maybe\n"):
            code, shown = on_terminal(box, answer)
            eq((code, box.tree()), (1, before), f"answer {answer}")
            assert "nothing was done" in shown, shown
        code, shown = on_terminal(box, b"y\n")
        eq(code, 0, shown)
        assert os.path.exists(f"{box.config}/{UNIT}")


def test_two_at_the_same_time():
    with Home() as box:
        before = box.tree()
        write(f"{box.fake}/meanwhile",
              json.dumps([box.ccfc, "setup", "--remove", "--yes"]))
        box.ok("setup", "--yes")
        said = read(box.fake, "said")
        assert said.startswith("2 ccfc: setup: another setup is running\n"), \
            said
        assert os.path.exists(f"{box.config}/{UNIT}")
        box.ok("setup", "--remove", "--yes")
        eq((box.tree(), box.record()), (before, None), "after --remove")


def test_one_after_the_question_of_another():
    with Home(shells=["fish"]) as box:
        box.use_prefix()
        before = box.tree()
        code, shown = on_terminal(box, b"y\n",
                                  lambda: box.ok("setup", "--yes"))
        eq(code, 2, shown)
        assert "another setup ran meanwhile" in shown, shown
        box.ok("setup", "--remove", "--yes")
        eq((box.tree(), box.record()), (before, None), "after --remove")


def test_changed_files_stay():
    with Home() as box:
        path = f"{box.config}/{UNIT}"
        box.ok("setup", "--yes")
        write(path, "# mine\n")
        box.calls()
        assert f"{path} stays as it is" in box.ok("setup", "--yes")
        eq((read(path), box.calls()), ("# mine\n", []), "setup again")
        said = box.ok("setup", "--remove", "--yes")
        assert f"left {path}\n" in said, said
        eq(read(path), "# mine\n", "after --remove")
        eq(box.calls(), ["disable --now ccfcd.service"], "commands")
        eq(box.record(), None, "record")


def test_old_files_are_brought_up_to_date():
    """One that setup wrote for another daemon is setup's to change."""
    with Home() as box:
        before = box.tree()
        box.ok("setup", "--yes")
        box.use_prefix(completions=False)
        box.calls()
        box.ok("setup", "--yes")
        assert f"ExecStart={box.top}/prefix/bin/ccfcd " in read(
            box.config, UNIT)
        eq(box.calls(), ["daemon-reload", "restart ccfcd.service"],
           "commands")
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


def test_a_packaged_unit_is_used():
    with Home() as box:
        box.package()
        before = box.tree()
        box.ok("setup", "--yes")
        eq(box.tree(), before, "no file is written")
        eq(box.calls(), ["enable --now ccfcd.service"], "commands")
        box.ok("setup", "--remove", "--yes")
        eq(box.calls(), ["disable --now ccfcd.service"], "--remove")


def test_only_its_own_is_undone():
    """What ran or was enabled before stays so."""
    for was, does, undoes in (
            (["enabled"], ["start ccfcd.service"], ["stop ccfcd.service"]),
            (["active"], ["enable ccfcd.service"], ["disable ccfcd.service"]),
            (["enabled", "active"], [], [])):
        with Home() as box:
            box.package()
            box.set(*was)
            box.ok("setup", "--yes")
            eq(box.calls(), does, f"setup, {was} before")
            box.ok("setup", "--remove", "--yes")
            eq(box.calls(), undoes, f"--remove, {was} before")


def test_the_unit_is_gone():
    """The package was removed first: links go, nothing can be stopped."""
    with Home() as box:
        box.package()
        box.ok("setup", "--yes")
        box.calls()
        shutil.rmtree(os.path.join(box.fake, "packaged"))
        os.unlink(os.path.join(box.fake, "loaded"))
        box.ok("setup", "--remove", "--yes")
        eq((box.calls(), box.record()), (["disable ccfcd.service"], None),
           "--remove")


def test_environment():
    """What the shell says about places, the service has to be told."""
    with Home() as box:
        box.package()
        box.env = dict(box.settings)
        box.env["CCFC_STATE_DIR"] = f'{box.top}/a "b" 50% \\c'
        box.env["XDG_STATE_HOME"] = "/not/used"
        box.ok("setup", "--yes")
        config = box.env["XDG_CONFIG_HOME"]
        text = read(config, DROP_IN)
        assert text.splitlines()[1:] == [
            "[Service]",
            f'Environment="CLAUDE_CONFIG_DIR={box.claude}"',
            f'Environment="CCFC_STATE_DIR={box.top}/a \\"b\\" 50%% \\\\c"',
            f'Environment="CCFC_SOCKET={box.socket}"',
            'Environment="XDG_STATE_HOME=/not/used"',
            f'Environment="XDG_CONFIG_HOME={config}"'], text
        eq(box.calls(), ["daemon-reload", "enable --now ccfcd.service"],
           "commands")
        # The usual places need not be said; then the file is not needed.
        del box.env["CCFC_SOCKET"], box.env["XDG_STATE_HOME"]
        del box.env["CLAUDE_CONFIG_DIR"]
        box.ok("setup", "--yes")
        assert "CCFC_SOCKET" not in read(config, DROP_IN)
        eq(box.calls(), ["daemon-reload", "restart ccfcd.service"], "again")
        box.ok("setup", "--remove", "--yes")
        eq(os.listdir(box.top).count("config"), 0, "directories made for it")


def test_drop_in_goes_when_nothing_is_set():
    with Home() as box:
        box.env["CLAUDE_CONFIG_DIR"] = box.claude
        box.ok("setup", "--yes")
        assert os.path.exists(f"{box.config}/{DROP_IN}")
        del box.env["CLAUDE_CONFIG_DIR"]
        box.ok("setup", "--yes")
        assert not os.path.exists(f"{box.config}/{DROP_IN}")
        assert os.path.exists(f"{box.config}/{UNIT}")


def test_bytes_that_no_unit_can_have():
    with Home() as box:
        box.env["CLAUDE_CONFIG_DIR"] = "/a\nExecStartPre=/bin/rm"
        before = box.tree()
        done = box.fails("setup", "--yes")
        assert "CLAUDE_CONFIG_DIR" in done.stderr, done.stderr
        eq((box.tree(), box.calls()), (before, []), "nothing done")


def test_a_running_daemon_makes_room():
    with Home() as box:
        box.env = dict(box.settings)
        box.start()
        pid = box.daemon.pid
        said = box.ok("setup", "--yes")
        assert f"stopped the daemon, pid {pid}\n" in said, said
        eq(box.daemon.wait(LIMIT), 0, "exit of the daemon")
        box.daemon = None
        assert "nothing to do" in box.ok("setup", "--yes")


def test_no_bus():
    """What needs no manager is done; the rest is one line and what to do."""
    with Home(shells=["bash"]) as box:
        box.use_prefix()
        box.fail(show=NO_BUS)
        done = box.fails("setup", "--yes")
        said = done.stderr.splitlines()
        eq(len(said), 2, done.stderr)
        assert said[0].endswith(NO_BUS), said
        assert "loginctl enable-linger" in said[1], said
        path = f"{box.share}/bash-completion/completions/ccfc"
        assert f"wrote {path}\n" in done.stdout, done.stdout
        eq(box.calls(), [], "commands")
        box.ok("setup", "--remove", "--yes")
        assert not os.path.exists(path)


def test_a_command_fails():
    with Home() as box:
        before = box.tree()
        box.fail(enable="Failed to enable unit: no room")
        done = box.fails("setup", "--yes")
        assert f"wrote {box.config}/{UNIT}\n" in done.stdout, done.stdout
        said = done.stderr.splitlines()
        eq((len(said), said[0]),
           (2, "ccfc: systemctl --user enable --now ccfcd.service: "
               "Failed to enable unit: no room"), "stderr")
        box.calls()
        # It is known what was done, and that enabling was not.
        box.ok("setup", "--remove", "--yes")
        eq((box.calls(), box.tree()), (["daemon-reload"], before),
           "--remove")


def test_remove_that_fails_can_be_repeated():
    with Home() as box:
        before = box.tree()
        box.ok("setup", "--yes")
        box.fail(disable=NO_BUS)
        done = box.fails("setup", "--remove", "--yes")
        assert "enable-linger" in done.stderr, done.stderr
        assert os.path.exists(f"{box.config}/{UNIT}"), "still its unit"
        box.fail()
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


def test_masked():
    with Home() as box:
        box.set("masked")
        done = box.fails("setup", "--yes")
        assert "systemctl --user unmask" in done.stderr, done.stderr
        eq(box.calls(), [], "commands")


def test_never_below_a_claude_directory():
    with Home() as box:
        os.makedirs(f"{box.home}/.claude")
        os.symlink(f"{box.home}/.claude", f"{box.home}/.config")
        done = box.fails("setup", "--yes")
        assert "where nothing is written" in done.stderr, done.stderr
        eq(os.listdir(f"{box.home}/.claude"), [], "the directory")
        # One that only the config file names.
        os.unlink(f"{box.home}/.config")
        write(f"{box.config}/ccfc/config", f"root = {box.config}/systemd\n")
        done = box.fails("setup", "--yes")
        assert "where nothing is written" in done.stderr, done.stderr
        assert not os.path.exists(f"{box.config}/systemd")


def test_a_linked_directory_is_the_users_own():
    """~/.config may be a link to where somebody keeps such files."""
    with Home() as box:
        os.makedirs(f"{box.home}/dotfiles")
        os.symlink(f"{box.home}/dotfiles", f"{box.home}/.config")
        box.ok("setup", "--yes")
        assert os.path.exists(f"{box.home}/dotfiles/{UNIT}")
        box.ok("setup", "--remove", "--yes")
        assert not os.path.exists(f"{box.home}/dotfiles/{UNIT}")


def test_links_stay():
    """A unit that is a link into somebody's dotfiles is theirs."""
    with Home() as box:
        os.makedirs(os.path.dirname(f"{box.config}/{UNIT}"))
        os.symlink("/nowhere", f"{box.config}/{UNIT}")
        said = box.ok("setup", "--dry-run")
        assert "stays as it is" in said, said
        eq(lines_of(said, "write"), [], "files")


def test_damaged_record():
    with Home() as box:
        box.ok("setup", "--yes")
        path = os.path.join(box.home, ".local/state/ccfc/setup")
        text = read(path)
        for bad in ("", text[:-3], text.replace("sha256 ", "sha256 x"),
                    text.replace("service 3", "service 99"),
                    text.replace("file /", "file ")):
            write(path, bad)
            done = box.fails("setup", "--remove", "--yes")
            assert "damaged" in done.stderr, done.stderr
        assert os.path.exists(f"{box.config}/{UNIT}")


def test_not_with_sudo():
    if os.geteuid():
        raise Skip("not root")
    with Home() as box:
        box.env["SUDO_UID"] = "1000"
        done = box.fails("setup", "--yes")
        assert "without sudo" in done.stderr, done.stderr
        eq(box.calls(), [], "commands")


def test_without_a_manager():
    with Home(manager=None) as box:
        before = box.tree()
        said = box.ok("setup", "--yes")
        assert "neither systemd nor launchd" in said, said
        assert "starts the daemon when it needs one" in said, said
        eq(box.tree(), before, "nothing written")


# ---- completions ----

def test_completions():
    with Home(shells=["bash", "zsh", "fish"]) as box:
        box.use_prefix()
        box.package()
        before = box.tree()
        said = box.ok("setup", "--yes")
        places = {"ccfc.bash": f"{box.share}/bash-completion/completions/ccfc",
                  "_ccfc": f"{box.share}/zsh/site-functions/_ccfc",
                  "ccfc.fish": f"{box.config}/fish/completions/ccfc.fish"}
        for name, place in places.items():
            eq(read(place), f"# {name}\n", place)
        assert f"fpath=({box.share}/zsh/site-functions $fpath)" in said, said
        assert "nothing to do: all is set up\n" == box.ok("setup")
        # A newer version has others; one that the user changed is kept.
        write(f"{box.top}/prefix/share/ccfc/completions/ccfc.bash", "# new\n")
        write(places["ccfc.fish"], "# mine\n")
        box.ok("setup", "--yes")
        eq(read(places["ccfc.bash"]), "# new\n", "bash")
        eq(read(places["ccfc.fish"]), "# mine\n", "fish")
        os.unlink(places["ccfc.fish"])
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


EDITORS = {
    "nvim": ("nvim/site/pack/ccfc/start/ccfc",
             ".local/share/nvim/site/pack/ccfc/start/ccfc/plugin/ccfc.lua"),
    "vim": ("vim/vimfiles/pack/ccfc/start/ccfc",
            ".vim/pack/ccfc/start/ccfc/plugin/ccfc.vim")}


def commands_of(box, editor):
    """What an editor of this user says of :Ccfc; 2: there is one."""
    program = shutil.which(editor, path="/usr/bin:/bin")
    if not program:
        return "2"
    argv = [program, "--headless", "-i", "NONE"] if editor == "nvim" else [
        program, "-es", "-V1", "-N", "-i", "NONE", "-u",
        "/dev/null", "-c", "packloadall"]
    done = subprocess.run(
        [*argv, "-c", "echo exists(':Ccfc')", "-c", "qa!"],
        env={**box.env, "NVIM_LOG_FILE": os.devnull},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
    return done.stdout.decode().split()[-1]


def test_plugins_for_editors_that_are_there():
    """Real editors load what setup wrote, from the prefix."""
    with Home(shells=["nvim"]) as box:
        prefix = box.use_prefix()
        for editor, (place, _) in EDITORS.items():
            shutil.copytree(os.path.join(TOP, "client/editors", editor),
                            f"{prefix}/share/{place}")
        before = box.tree()
        box.ok("setup", "--yes")
        nvim, vim = (os.path.join(box.home, tail)
                     for _, tail in EDITORS.values())
        assert os.path.exists(nvim) and not os.path.exists(vim), box.tree()
        os.symlink("/bin/true", os.path.join(box.bin, "vim"))
        box.ok("setup", "--yes")
        for editor, (place, tail) in EDITORS.items():
            assert f"{prefix}/share/{place}" in read(box.home, tail)
            eq(commands_of(box, editor), "2", editor)
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


def test_completions_for_shells_that_are_there():
    with Home(shells=["zsh"]) as box:
        box.use_prefix()
        box.env["SHELL"] = "/opt/bin/fish"
        eq([line.split("  ")[1] for line in
            lines_of(box.ok("setup", "--dry-run"), "write")],
           ["(completions for zsh)", "(completions for fish)",
            "(the service)"], "files")


def test_completions_that_are_not_installed():
    with Home(shells=["bash"]) as box:
        prefix = box.use_prefix(completions=False)
        said = box.ok("setup", "--yes")
        assert f"{prefix}/share/ccfc/completions: completions are not " \
            "installed" in said, said


# ---- launchd ----

def test_launchd():
    with Home(manager="launchctl") as box:
        before = box.tree()
        box.env["CLAUDE_CONFIG_DIR"] = f"{box.claude}<&>"
        box.ok("setup", "--yes")
        path = f"{box.home}/Library/LaunchAgents/ccfc.ccfcd.plist"
        with open(path, "rb") as f:
            agent = plistlib.load(f)
        eq(agent["ProgramArguments"], [box.ccfcd, "--foreground"], "program")
        eq(agent["Label"] + ".plist", os.path.basename(path), "label")
        eq(agent["EnvironmentVariables"],
           {"CLAUDE_CONFIG_DIR": f"{box.claude}<&>"}, "environment")
        eq(agent["KeepAlive"], {"SuccessfulExit": False}, "restarts")
        eq(agent["Umask"], 0o77, "umask")
        eq(agent["StandardErrorPath"],
           f"{box.home}/.local/state/ccfc/ccfcd.log", "log")
        domain = f"gui/{os.getuid()}"
        load = f"bootstrap {domain} {path}"
        eq(box.calls(), [load], "commands")
        assert "nothing to do" in box.ok("setup")
        del box.env["CLAUDE_CONFIG_DIR"]
        box.ok("setup", "--yes")
        unload = f"bootout {domain}/ccfc.ccfcd"
        eq(box.calls(), [unload, load], "after a change")
        box.ok("setup", "--remove", "--yes")
        eq((box.calls(), box.tree()), ([unload], before), "--remove")


# ---- the files of packaging ----

def test_units_are_valid():
    """Also with a path that needs quotes."""
    if not shutil.which("systemd-analyze"):
        raise Skip("no systemd-analyze")
    with Home() as box:
        odd = f"{box.top}/a b%c;d"
        os.makedirs(odd)
        shutil.copy("/bin/true", f"{odd}/ccfcd")
        box.env["CCFC_DAEMON"] = f"{odd}/ccfcd"
        box.env["CLAUDE_CONFIG_DIR"] = '/x "y" %z'
        box.ok("setup", "--yes")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no",
             f"{box.config}/{UNIT}"], capture_output=True, text=True,
            check=False, env={**os.environ, "XDG_RUNTIME_DIR": box.top})
        eq((done.returncode, done.stderr), (0, ""), "systemd-analyze")


def test_a_path_that_no_unit_can_have():
    with Home() as box:
        shutil.copy("/bin/true", f"{box.top}/it's")
        box.env["CCFC_DAEMON"] = f"{box.top}/it's"
        done = box.fails("setup", "--yes")
        assert f"{box.top}/it's: a unit cannot" in done.stderr, done.stderr
        eq(box.record(), None, "nothing done")


def test_rc_script():
    text = read(TOP, "packaging/freebsd/ccfcd.in")
    eq(re.findall(r"@\w+@", text), ["@CCFC_BINDIR@"], "to be filled in")
    subprocess.run(["sh", "-n"], input=text, text=True, check=True)
    for line in ("# PROVIDE: ccfcd", "name=ccfcd", "rcvar=ccfcd_enable",
                 "load_rc_config $name", 'run_rc_command "$1"'):
        assert f"\n{line}\n" in text, line
    # It runs, with an rc.subr that does what it is told.
    with Home(manager=None) as box:
        write(f"{box.top}/rc.subr", """
load_rc_config() { ccfcd_user=$RC_USER; ccfcd_env=A=1; }
err() { shift; echo "$*" >&2; exit 1; }
run_rc_command() { $start_precmd && $start_cmd; }
""")
        write(f"{box.bin}/daemon", '#!/bin/sh\necho "$A" "$@"\n')
        os.chmod(f"{box.bin}/daemon", 0o755)
        script = text.replace("/etc/rc.subr", f"{box.top}/rc.subr").replace(
            "/usr/sbin/daemon", f"{box.bin}/daemon").replace(
                "@CCFC_BINDIR@", "/usr/local/bin")

        def start(user):
            return subprocess.run(
                ["/bin/sh", "-c", script, "rc", "start"], check=False,
                capture_output=True, text=True, env={"RC_USER": user})
        said = start("dev").stdout.splitlines()[-1]
        eq(said, "1 -f -t ccfcd -p /var/run/ccfcd.pid -o /var/log/ccfcd.log "
           "-u dev /usr/local/bin/ccfcd --foreground", "command")
        eq(start("").returncode, 1, "without a user")


def test_formula():
    """The build has filled it in, and its blocks end."""
    build = os.environ.get("CCFC_BIN_DIR", os.path.join(TOP, "build"))
    text = read(build, "packaging/ccfc.rb")
    version = re.search(r"project\(ccfc VERSION (\S+)",
                        read(TOP, "CMakeLists.txt"))[1]
    assert f'  version "{version}"\n' in text, text
    assert not re.search(r"@\w+@", text), text
    opens = re.findall(r"^ *(?:class|def|begin|.* do)\b", text, re.M)
    eq(len(opens), len(re.findall(r"^ *end$", text, re.M)), "ends")
    packages = set(re.findall(r'(?:depends_on|uses_from_macos) "([^"]+)"',
                              text))
    eq(packages, {"cmake", "pkgconf", "xxhash", "msgpack", "nng", "pcre2",
                  "simdjson", "sqlite", "libinotify-kqueue", "zstd",
                  "libmicrohttpd"}, "packages")


if __name__ == "__main__":
    harness.main()
