"""`ccfc setup`: the service, the completions and the loaders of editors, against
managers that are played (manager.py); and the service files of packaging/ as far as they can be
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
import terminal
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


# Of each editor: its folder of the sources, where the plugin is below share,
# and what setup writes, below the home directory.
EDITORS = {
    "nvim": ("nvim", "nvim/site/pack/ccfc/start/ccfc",
             [".local/share/nvim/site/pack/ccfc/start/ccfc/plugin/ccfc.lua"]),
    "vim": ("vim", "vim/vimfiles/pack/ccfc/start/ccfc",
            [".vim/pack/ccfc/start/ccfc/plugin/ccfc.vim"]),
    "emacs": ("emacs", "emacs/site-lisp/ccfc",
              [".emacs.d/elpa/ccfc-0/ccfc-pkg.el",
               ".emacs.d/elpa/ccfc-0/ccfc-autoloads.el"]),
    "kak": ("kakoune", "kak/rc/tools", [".config/kak/autoload/ccfc.kak"])}
# How the real editor is asked whether it has the plugin: it writes 2 to the
# file "found".
ASK = {
    "nvim": ["--headless", "-i", "NONE", "-c",
             "call writefile([exists(':Ccfc')], 'found')", "-c", "qa!"],
    "vim": ["-es", "-N", "-i", "NONE", "-u", "/dev/null", "-c",
            "packloadall", "-c",
            "call writefile([exists(':Ccfc')], 'found')", "-c", "qa!"],
    # As a user starts it: in a batch there are no packages.
    "emacs": ["-nw", "--eval", "(unwind-protect"
              " (progn (global-ccfc-mode) (when (featurep 'ccfc)"
              " (write-region \"2\" nil \"found\"))) (kill-emacs))"],
    "kak": ["-ui", "dummy", "-e",
            "try %{ ccfc-enable; ccfc-disable; echo -to-file found 2 }"
            "; quit!"]}


def has_plugin(box, editor):
    """What the real editor of this user says; None: it is not there."""
    program = shutil.which(editor, path="/usr/bin:/bin")
    if not program:
        return None
    terminal.run([program, *ASK[editor]],
                 {**box.env, "PATH": box.bin + ":/usr/bin:/bin",
                  "NVIM_LOG_FILE": os.devnull}, box.home)
    found = os.path.join(box.home, "found")
    if not os.path.exists(found):
        return False
    said = read(found).strip()
    os.unlink(found)
    return said == "2"


class Edits(Home):
    """Somebody with some editors, and a prefix with all plugins."""

    def __init__(self, *editors):
        super().__init__(shells=editors)
        self.prefix = self.use_prefix()
        # The command is found by what runs in the editors.
        os.symlink(self.ccfc, os.path.join(self.bin, "ccfc"))
        for folder, place, _ in EDITORS.values():
            shutil.copytree(os.path.join(TOP, "client/editors", folder),
                            f"{self.prefix}/share/{place}")

    def find(self, editor):
        os.symlink("/bin/true", os.path.join(self.bin, editor))

    def notes(self, *args):
        return lines_of(self.ok("setup", *args), "note")


def test_plugins_for_editors_that_are_there():
    """Real editors load what setup wrote, from the prefix, and do without when
    the prefix is gone."""
    with Edits("nvim") as box:
        os.makedirs(os.path.join(box.home, ".config/kak/autoload"))
        before = box.tree()
        planned = box.ok("setup", "--dry-run")
        eq(box.tree(), before, "files")
        assert "the plugin for Neovim" in planned, planned
        box.ok("setup", "--yes")
        there = {editor: os.path.exists(os.path.join(box.home, tails[0]))
                 for editor, (_, _, tails) in EDITORS.items()}
        eq(there, {"nvim": True, "vim": False, "emacs": False, "kak": False})
        for editor in ("vim", "emacs", "kak"):
            box.find(editor)
        notes = box.notes("--yes")
        eq([n.split(":")[0] for n in notes], ["Emacs", "Kakoune"])
        asked = {}
        for editor, (_, place, tails) in EDITORS.items():
            for tail in tails:
                assert f"{box.prefix}/share/{place}" in read(box.home, tail)
            asked[editor] = has_plugin(box, editor)
        assert False not in asked.values(), asked
        eq(box.notes("--yes"), [], "told again")
        os.rename(f"{box.prefix}/share", f"{box.prefix}/away")
        for editor in asked:
            assert not has_plugin(box, editor), editor
        os.rename(f"{box.prefix}/away", f"{box.prefix}/share")
        drop_traces(box)
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


def drop_traces(box):
    """What the editors themselves leave."""
    for name in (".config/nvim", ".local/state/nvim", ".cache",
                 ".emacs.d/auto-save-list", ".emacs.d/eln-cache"):
        shutil.rmtree(os.path.join(box.home, name), ignore_errors=True)


def test_emacs_chooses_its_directory():
    for there, place in (([], ".emacs.d"), ([".config/emacs/"],
                                            ".config/emacs"),
                         ([".config/emacs/", ".emacs"], ".emacs.d"),
                         ([".config/emacs/", ".emacs.d/"], ".emacs.d")):
        with Edits("emacs") as box:
            for name in there:
                path = os.path.join(box.home, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if not name.endswith("/"):
                    write(path, "")
            box.ok("setup", "--yes")
            path = os.path.join(box.home, place, "elpa/ccfc-0/ccfc-pkg.el")
            assert os.path.exists(path), (there, box.tree())
            program = shutil.which("emacs", path="/usr/bin:/bin")
            if program:
                done = subprocess.run(
                    [program, "--batch", "--eval",
                     "(princ (expand-file-name user-emacs-directory))"],
                    env={**box.env, "PATH": "/usr/bin:/bin"},
                    capture_output=True, text=True, check=True)
                eq(done.stdout.rstrip("/"), os.path.join(box.home, place))


def test_kakoune_without_its_own_directory():
    """One that setup made would take that of the system out of use."""
    with Edits("kak") as box:
        before = box.tree()
        note, = box.notes("--dry-run")
        assert f"{box.prefix}/share/kak/rc/tools/ccfc.kak" in note, note
        box.ok("setup", "--yes")
        assert not os.path.exists(os.path.join(box.config, "kak"))
        # What the note says, as the real editor takes it.
        line = re.search("(source '.*?') and (ccfc-enable)", note)
        write(os.path.join(box.config, "kak/kakrc"),
              f"{line[1]}\n{line[2]}\n")
        eq(box.notes("--dry-run"), [])
        assert has_plugin(box, "kak") is not False
        shutil.rmtree(os.path.join(box.config, "kak"))
        box.ok("setup", "--remove", "--yes")
        eq(box.tree(), before, "all files")


def test_vs_code_is_only_told_of():
    """Nothing is run, and nothing written."""
    with Edits("code", "code-server") as box:
        notes = box.notes("--dry-run")
        eq([n.split("; then ")[1].split()[:2] for n in notes],
           [["code", "--install-extension"],
            ["code-server", "--install-extension"]])
        os.makedirs(os.path.join(box.home,
                                 ".vscode/extensions/ccfc.ccfc-0.1.0"))
        note, = box.notes("--yes")
        assert "code-server" in note, note


def test_own_files_of_editors_stay():
    with Edits(*EDITORS) as box:
        mine = {os.path.join(box.home, tail): f"mine {i}\n"
                for i, tail in enumerate(
                    t for _, _, tails in EDITORS.values() for t in tails)}
        for path, text in mine.items():
            write(path, text)
        notes = box.notes("--yes")
        eq({path: read(path) for path in mine}, mine)
        for path in mine:
            assert any(path in note for note in notes), (path, notes)
        box.ok("setup", "--remove", "--yes")
        eq({path: read(path) for path in mine}, mine)


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
