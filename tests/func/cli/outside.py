"""What revert, restore and recover do not write just because a transcript says
so: files outside of the session's project, files that other programs run or
believe, and anything of a session that is not the user's own."""
import fcntl
import json
import os
import shutil
import socket
import subprocess
import threading

import harness
from harness import Skip, eq
from transcript import Ids, Transcript, folder, patch
from world import World


def craft(w, session, path, old="evil\n", now="mine\n"):
    """A transcript says that `path` was `old` once; it is `now`."""
    t = w.sessions[session]
    path = w.path(path)
    tid = t.call("Write", {"file_path": path, "content": now})
    t.result(tid, {"type": "update", "filePath": path, "content": now,
                   "originalFile": old,
                   "structuredPatch": patch([old[:-1]], [now[:-1]])})
    w.put(path, now)
    return tid


def session(w, name, cwd, project=None, **more):
    """One more session, in a directory of its own."""
    t = Transcript(w.box, w.sessions["a"].ids, cwd=cwd,
                   project=project or folder(cwd), **more)
    t.prompt()
    w.sessions[name] = t
    return t


def refused(w, *args, why, name):
    """The command says why it does not write that file."""
    done = w.run(*args)
    eq(done.returncode, 2, done.stderr)
    said = done.stdout + done.stderr
    assert why in said and name in said, said
    assert "--outside" in done.stderr, done.stderr
    eq((w.left(), w.entries()), ([], []), "nothing is left")
    return done


def test_a_made_up_transcript():
    with World() as w:
        rc = os.path.join(w.box.home, ".bashrc")
        craft(w, "a", rc)
        revert = ["revert", w.id("a")]
        restore = ["restore", rc, f"--at=before:{w.id('a')}"]
        for args in (revert, restore):
            for more in ([], ["--outside"], ["--force"],
                         [f"--outside={rc}.other"],
                         [f"--outside={w.box.home}"],
                         ["--outside", "--force", "--dry-run"]):
                done = refused(w, *args, *more, name=".bashrc",
                               why="a start-up file of a shell")
                eq(w.get(rc), "mine\n")
                assert f"--outside={rc}" in done.stderr, done.stderr
            w.ok(*args, f"--outside={rc}")
            eq(w.get(rc), "evil\n")
            w.ok("restore", "--undo")
            eq(w.get(rc), "mine\n")
            shutil.rmtree(w.undo)
        # named as one does from there
        done = w.box.run(*revert, "--outside=.bashrc", cwd=w.box.home)
        eq((done.returncode, w.get(rc)), (0, "evil\n"), done.stderr)


def test_outside_of_the_project():
    with World() as w:
        notes = os.path.join(w.box.top, "other", "notes.txt")
        craft(w, "a", notes)
        craft(w, "a", "f")
        why = "outside of the session's project"
        done = refused(w, "revert", w.id("a"), why=why, name="notes.txt")
        lines = [x.split()[0] for x in done.stdout.splitlines()]
        eq(lines, ["outside", "write"])
        assert "1 of 2 files" in done.stderr, done.stderr
        eq((w.get(notes), w.get("f")), ("mine\n", "mine\n"))
        # the dry run has the diffs, the status and the reason
        done = refused(w, "revert", w.id("a"), "--dry-run", why=why,
                       name="notes.txt")
        eq(done.stdout.count("+evil"), 2, done.stdout)
        refused(w, "restore", notes, f"--at=before:{w.id('a')}", why=why,
                name="notes.txt")
        # what is inside can be named
        w.ok("revert", w.id("a"), "f")
        eq((w.get(notes), w.get("f")), ("mine\n", "evil\n"))
        for word in ("--outside", f"--outside={notes}"):
            w.ok("restore", notes, f"--at=before:{w.id('a')}", word)
            eq(w.get(notes), "evil\n")
            w.ok("restore", "--undo")
        w.put("f", "mine\n")
        w.ok("revert", w.id("a"), "--outside", "--dry-run")
        w.ok("revert", w.id("a"), "--outside")
        eq((w.get(notes), w.get("f")), ("evil\n", "evil\n"))


# In a project, or in the home directory for "~/".
SENSITIVE = """
~/.bashrc ~/.bash_login ~/.bash_profile ~/.bash_aliases ~/.profile ~/.zshrc
~/.zshenv ~/.config/fish/config.fish ~/.inputrc sub/.envrc dotfiles/.zshrc
~/.ssh/authorized_keys ~/.ssh/deep/er ~/.gnupg/gpg.conf ~/.netrc
~/.gitconfig ~/.config/git/config .git/hooks/pre-commit .git/config
sub/.git/info/attributes .git/modules/m/config .GIT/hooks/x .husky/pre-push
~/.claude/settings.json .claude/settings.json .claude/commands/x.md .mcp.json
~/.config/autostart/x.desktop ~/.config/systemd/user/x.service
~/Library/LaunchAgents/x.plist ~/.xprofile etc/crontab
~/.npmrc .npmrc .pypirc ~/.cargo/config.toml ~/.config/pip/pip.conf
.vimrc ~/.config/nvim/init.lua ~/.emacs ~/.emacs.d/init.el .exrc
.vscode/tasks.json .vscode/settings.json ~/.local/bin/ls ~/.gdbinit
.dir-locals.el ~/.something/else ~/.hidden .claude/worktrees/file
.claude/worktrees/w/.git lib.git/hooks/update lib.git/config .cursor/mcp.json
.idea/workspace.xml mise.toml
""".split()

ORDINARY = """
f src/bashrc .gitignore .github/workflows/ci.yml .gitattributes git/hooks/x
claude/settings.json .claude/worktrees/w/src/f .vscode/extensions.json
ssh/config .env.example docs/.profile.md etc/passwd bin/tool CLAUDE.md
my.ssh/x .sshx/y
""".split()


def in_world(w, name):
    return name.replace("~", w.box.home) if name[0] == "~" else w.path(name)


def test_each_kind_of_file():
    with World("a", "b", "h") as w:
        # One session that was in both places: nothing is outside.
        t = w.sessions["a"]
        t.cwd = w.box.home
        t.prompt()
        t.cwd = w.dir
        for name in SENSITIVE:
            craft(w, "a", in_world(w, name))
        done = w.run("revert", w.id("a"), "--outside", "--dry-run")
        eq(done.returncode, 2, done.stderr)
        n = len(SENSITIVE)
        assert f"{n} of {n} files" in done.stderr, done.stderr
        notes = [x for x in done.stderr.splitlines() if ": outside: " in x]
        eq(len(notes), n, notes)
        # all of them by name
        named = [f"--outside={in_world(w, name)}" for name in SENSITIVE]
        w.fails("revert", w.id("a"), *named[1:])
        w.ok("revert", w.id("a"), *named)
        for name in SENSITIVE:
            eq(w.get(in_world(w, name)), "evil\n", name)
        for name in ORDINARY:
            craft(w, "b", name)
        craft(w, "h", os.path.join(w.box.home, "notes"))
        w.ok("revert", w.id("b"))
        for name in ORDINARY:
            eq(w.get(name), "evil\n", name)


def test_programs_and_own_files():
    with World() as w:
        tools = os.path.join(w.box.top, "p", "tools")
        w.box.env["PATH"] += f":{tools}"
        craft(w, "a", "tools/ls")
        refused(w, "revert", w.id("a"), "--outside", name="ls",
                why="in a directory of $PATH")
        t = session(w, "state", w.box.top)
        craft(w, "state", os.path.join(w.box.state, "undo-x"))
        done = w.run("revert", t.session, "--outside")
        eq(done.returncode, 2, done.stderr)
        assert "ccfc's own" in done.stdout, done.stdout


def test_the_root_is_no_project():
    """A session that went to / for a moment has not got all files."""
    with World() as w:
        for away in ("/", os.path.dirname(w.box.home)):
            w.sessions["a"].cwd = away
            w.sessions["a"].prompt()
        w.sessions["a"].cwd = w.dir
        other = os.path.join(w.box.top, "x")
        craft(w, "a", other)
        refused(w, "revert", w.id("a"), name="x",
                why="outside of the session's project")


def test_a_home_as_a_project():
    with World() as w:
        session(w, "h", w.box.home)
        craft(w, "h", os.path.join(w.box.home, "notes"))
        w.ok("revert", w.id("h"))
        session(w, "c", os.path.join(w.box.home, ".dotfiles"))
        path = os.path.join(w.box.home, ".dotfiles", "x")
        craft(w, "c", path)
        w.ok("revert", w.id("c"))
        eq(w.get(path), "evil\n")


def test_programs_own_directories():
    """A session that says that it was in one gets nothing from that."""
    with World() as w:
        for n, (cwd, name) in enumerate((
                (".config", ".config/wm/config"),
                (".config/wm", ".config/wm/config"),
                (".local", ".local/share/x"),
                (".local/share", ".local/share/y"))):
            session(w, str(n), os.path.join(w.box.home, cwd))
            path = os.path.join(w.box.home, name)
            craft(w, str(n), path)
            refused(w, "revert", w.id(str(n)), "--outside", name=name,
                    why="hidden in your home directory")
            eq(w.get(path), "mine\n")
        for n, cwd in enumerate((".local/share/dots", ".configs")):
            session(w, "o" + str(n), os.path.join(w.box.home, cwd))
            path = os.path.join(w.box.home, cwd, "f")
            craft(w, "o" + str(n), path)
            w.ok("revert", w.id("o" + str(n)))
            eq(w.get(path), "evil\n")


# ---- where the transcript is from ----

def test_a_copied_transcript():
    with World() as w:
        session(w, "c", w.dir, project="-home-somebody-else")
        craft(w, "c", "f")
        why = "lies in the folder of another project"
        refused(w, "revert", w.id("c"), why=why, name="f")
        refused(w, "restore", "f", f"--at=before:{w.id('c')}", why=why,
                name="f")
        eq(w.get("f"), "mine\n")
        w.ok("revert", w.id("c"), "--outside")
        eq(w.get("f"), "evil\n")
        shutil.rmtree(w.undo)
        # what it says of a file counts for nobody else either
        craft(w, "a", "f", "evil\n", "ours\n")
        refused(w, "revert", w.id("a"), why=why, name="f")
        w.ok("revert", w.id("a"), "--outside")


def test_a_copy_beside_the_transcript():
    """A session of the user's, and a copied file that adds to it."""
    with World() as w:
        craft(w, "a", "g")
        session(w, "c", w.dir, project="-home-somebody-else",
                session=w.id("a"))
        craft(w, "c", "f")
        refused(w, "revert", w.id("a"), name="f",
                why="lies in the folder of another project")
        eq(w.get("f"), "mine\n")


def test_ordinary_places():
    """Subdirectories, worktrees, links and moves bother nobody."""
    with World() as w:
        t = w.sessions["a"]
        t.cwd = w.path("sub")
        t.prompt()
        craft(w, "a", "f")
        w.ok("revert", w.id("a"))
        tree = w.path(".claude/worktrees/w")
        session(w, "tree", tree)
        craft(w, "tree", os.path.join(tree, "src", "f"))
        w.ok("revert", w.id("tree"))
        link = os.path.join(w.box.top, "link")
        os.symlink(w.dir, link)
        session(w, "link", link, project=folder(w.dir))
        craft(w, "link", os.path.join(link, "g"))
        w.ok("revert", w.id("link"))
        eq(w.get("g"), "evil\n")
        deep = os.path.join(w.dir, "x" * 120, "y" * 120)
        session(w, "deep", deep, project=folder(deep)[:200] + "-b1ox2q")
        craft(w, "deep", os.path.join(deep, "f"))
        w.ok("revert", w.id("deep"))
        odd = w.path("ä €😀.b")
        session(w, "odd", odd, project=folder(w.dir) + "-------b")
        craft(w, "odd", os.path.join(odd, "f"))
        w.ok("revert", w.id("odd"))
        # a project that was moved, and resumed there
        moved = session(w, "moved", w.path("old"), project=folder(
            w.path("new")))
        moved.cwd = w.path("new")
        moved.prompt()
        craft(w, "moved", "new/f")
        w.ok("revert", w.id("moved"))


def test_whose_it_is():
    with World() as w:
        craft(w, "a", "f")
        path = w.sessions["a"].path
        top = os.path.dirname(path)

        def check(why):
            refused(w, "revert", w.id("a"), why=why, name="f")
            eq(w.get("f"), "mine\n")
        os.chmod(path, 0o666)
        check("can be written by everybody")
        os.chmod(path, 0o600)
        for part in (top, w.box.projects, w.box.claude):
            os.chmod(part, 0o777)
            check("can be written by everybody")
            os.chmod(part, 0o755)
        os.chmod(path, 0o660)  # of a group that is one's own
        w.ok("revert", w.id("a"), "--dry-run")
        if os.geteuid() != 0:
            raise Skip("only root can give files away")
        os.chown(path, -1, 12345)
        check("by a group that is not yours")
        os.chmod(path, 0o640)
        w.ok("revert", w.id("a"), "--dry-run")
        os.chown(path, 12345, -1)
        check("belongs to another user")
        os.chown(path, 0, 0)
        os.chown(top, 12345, -1)
        check("belongs to another user")
        w.ok("revert", w.id("a"), "--outside", "--dry-run")
        os.chown(top, 0, -1)
        w.ok("revert", w.id("a"))


def test_what_the_daemon_says():
    with World() as w:
        w.box.without_archive()
        w.box.restart()
        craft(w, "a", "f")
        other = os.path.join(w.box.top, "other")
        t = w.sessions["a"]
        t.cwd = w.path("sub")
        t.prompt()
        with w.box.rpc() as rpc:
            def origins():
                plan = rpc.call("session.revert", session=w.id("a"))
                at = rpc.call("file.at", path=w.path("f"))
                eq(plan["origin"], at["origin"])
                eq(plan["files"][0]["foreign"], at["foreign"])
                return plan["origin"], at["foreign"]
            dirs = [w.dir, w.path("sub")]
            eq(origins(), ({"directories": dirs, "own": True, "why": None},
                           None))
            os.makedirs(other)
            os.rename(t.path, os.path.join(other, "x.jsonl"))
            origin, _ = origins()
            eq((origin["own"], origin["directories"]), (None, dirs))
            assert "gone" in origin["why"], origin
            w.box.restart()
        with w.box.rpc() as rpc:
            origin = rpc.call("session.revert", session=w.id("a"))["origin"]
            eq((origin["own"], origin["directories"]), (None, dirs))


def test_added_directories():
    """As new clients tell of them, and as /add-dir says it."""
    with World() as w:
        top = w.box.top
        t = w.sessions["a"]
        dirs = [os.path.join(top, name) for name in ("x", "y z", "no", "s")]
        for n, name in enumerate(dirs):
            craft(w, "a", os.path.join(name, "f"))
        t.emit(t.record("attachment", attachment={
            "type": "environment", "snapshot": {
                "workingDirectory": w.dir,
                "additionalWorkingDirectories": [dirs[0], 7, "rel", None]}}))
        t.emit(t.record("attachment", attachment={
            "type": "other", "snapshot": {
                "additionalWorkingDirectories": [dirs[2]]}}))
        bold = f"\x1b[1m{dirs[1]}\x1b[22m"
        t.prompt("<local-command-stdout>Added " + bold + " as a working "
                 "directory for this session \x1b[2m· /permissions to manage"
                 "\x1b[22m</local-command-stdout>")
        t.prompt(f"<local-command-stdout>Did not add \x1b[1m{dirs[2]}\x1b[22m"
                 " as a working directory.</local-command-stdout>")
        t.emit(t.record("system", subtype="local_command", content=(
            f"<local-command-stdout>Added {dirs[3]} as a working directory "
            "and saved to local settings</local-command-stdout>")))
        done = refused(w, "revert", w.id("a"), name="no/f",
                       why="outside of the session's project")
        eq(sorted(x.split()[0] for x in done.stdout.splitlines()),
           ["outside", "write", "write", "write"])
        w.box.restart()  # and out of the store
        refused(w, "revert", w.id("a"), name="no/f",
                why="outside of the session's project")
        inside = [os.path.join(name, "f") for name in dirs if name != dirs[2]]
        w.ok("revert", w.id("a"), *inside)
        for path in inside:
            eq(w.get(path), "evil\n", path)


# ---- links ----

def outside_dir(w, text="mine\n"):
    other = os.path.join(w.box.top, "other")
    os.makedirs(other)
    w.put(os.path.join(other, "f"), text)
    return other


def test_a_link_out_of_the_project():
    with World() as w:
        other = outside_dir(w)
        os.symlink(other, w.path("link"))
        os.symlink("../other", w.path("relative"))
        craft(w, "a", "link/f")
        craft(w, "b", "relative/f")
        why = "a link leads out of the project, to " + other
        for name, who in (("link/f", "a"), ("relative/f", "b")):
            refused(w, "revert", w.id(who), why=why, name=name)
            refused(w, "restore", name, f"--at=before:{w.id(who)}", why=why,
                    name=name)
            eq(w.get(other + "/f"), "mine\n")
            w.ok("revert", w.id(who), "--outside")
            eq(w.get(other + "/f"), "evil\n")
            w.ok("restore", "--undo")
            eq(w.get(other + "/f"), "mine\n")
            shutil.rmtree(w.undo)
        # one to what is sensitive, under a name that is not
        ssh = os.path.join(w.box.home, ".ssh")
        os.makedirs(ssh)
        os.symlink(ssh, w.path("data"))
        t = session(w, "c", w.dir)
        craft(w, "c", "data/config")
        refused(w, "revert", t.session, "--outside", name="data/config",
                why="keys, passwords")
        # and one that stays inside
        w.put("real/f", "mine\n")
        os.symlink(w.path("real"), w.path("inner"))
        t = session(w, "d", w.dir)
        craft(w, "d", "inner/f")
        w.ok("revert", t.session)
        eq(w.get("real/f"), "evil\n")


def test_a_directory_of_the_session_that_is_a_link():
    """It was a directory when the session went there."""
    with World() as w:
        other = outside_dir(w)
        t = w.sessions["a"]
        t.cwd = w.path("sub")
        t.prompt()
        craft(w, "a", "sub/f")
        t.cwd = w.dir
        t.prompt()
        swap(w, other, "sub")
        why = "a link leads out of the project, to " + other
        refused(w, "revert", w.id("a"), why=why, name="sub/f")
        refused(w, "restore", "sub/f", f"--at=before:{w.id('a')}", why=why,
                name="sub/f")
        eq(w.get(other + "/f"), "mine\n")


class Late:
    """Stands between client and daemon; holds the undo area's lock from when
    the client has asked, so that it has decided before it comes to write."""

    def __init__(self, w):
        self.w = w
        self.path = os.path.join(w.box.top, "late.sock")
        self.lock = None

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o600)
        self.listener.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        if self.lock:
            self.lock.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.lock:
                os.makedirs(self.w.undo, mode=0o700, exist_ok=True)
                self.lock = open(os.path.join(self.w.undo, "lock"), "wb")
                fcntl.flock(self.lock, fcntl.LOCK_EX)
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self.w.box.socket)
            for pair in ((client, daemon), (daemon, client)):
                threading.Thread(target=self.pump, args=pair,
                                 daemon=True).start()

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def run(self, act, *args):
        """The command, with act() between decision and deed."""
        env = dict(self.w.box.env, CCFC_SOCKET=self.path)
        child = subprocess.Popen(
            [self.w.box.ccfc, *args], env=env, cwd=self.w.dir, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = ""
        while "waiting for another" not in said:
            line = child.stderr.readline()
            assert line, f"it did not wait: {said}"
            said += line
        act()
        lock, self.lock = self.lock, None
        lock.close()
        out, err = child.communicate(timeout=harness.LIMIT)
        return child.returncode, out + err


def swap(w, other, name="d"):
    """The directory is a link to another one from now on."""
    os.rename(w.path(name), w.path(name + ".aside"))
    os.symlink(other, w.path(name))


def test_a_link_that_is_swapped_in():
    for command in ("revert", "restore"):
        with World() as w:
            other = outside_dir(w)
            craft(w, "a", "d/f")
            args = [command, w.id("a")] if command == "revert" else [
                command, "d/f", f"--at=before:{w.id('a')}"]
            with Late(w) as late:
                status, said = late.run(lambda: swap(w, other), *args)
            eq((status, w.get(other + "/f")), (2, "mine\n"), said)
            assert "a symbolic link or a file" in said, said
            eq(os.listdir(other), ["f"], "what is there")
            eq((w.get("d.aside/f"), w.left()), ("mine\n", []))


def test_a_link_in_place_of_a_missing_directory():
    with World() as w:
        other = outside_dir(w)
        craft(w, "a", "d/new", "evil\n")
        shutil.rmtree(w.path("d"))
        with Late(w) as late:
            status, said = late.run(
                lambda: os.symlink(other, w.path("d")), "restore", "d/new",
                f"--at=before:{w.id('a')}")
        eq((status, os.listdir(other)), (2, ["f"]), said)


def test_undo_follows_no_link():
    with World() as w:
        other = outside_dir(w, "evil\n")
        craft(w, "a", "d/f")
        w.ok("revert", w.id("a"))
        eq(w.get("d/f"), "evil\n")
        swap(w, other)
        for more in ([], ["--force"], ["--dry-run"]):
            said = w.fails("restore", "--undo", *more)
            assert "a symbolic link or a file" in said, said
            eq(w.get(other + "/f"), "evil\n")
        os.unlink(w.path("d"))
        os.rename(w.path("d.aside"), w.path("d"))
        w.ok("restore", "--undo")
        eq(w.get("d/f"), "mine\n")


def test_recovery_after_a_kill_follows_no_link():
    with World() as w:
        other = outside_dir(w, "evil\n")
        craft(w, "a", "d/f")
        w.ok("revert", w.id("a"))
        (entry, _), = w.entries()
        place = os.path.join(w.undo, entry)
        # as if it had been killed before it was done
        os.rename(os.path.join(place, "done"), os.path.join(place, "begun"))
        swap(w, other)
        said = w.run("restore", "--list").stderr
        eq(w.get(other + "/f"), "evil\n", said)
        eq(os.listdir(other), ["f"])
        assert "not touched" in said, said
        with open(os.path.join(place, "0"), encoding="utf-8") as f:
            eq(f.read(), "mine\n", "what it was is still there")


# ---- recover ----

def test_recover_without_a_directory_writes_nothing():
    with World() as w:
        other = outside_dir(w)
        os.symlink(other, w.path("ccfc-recovered"))
        craft(w, "a", "new/file")
        said = w.ok("recover", w.id("a"))
        assert "nothing was written" in said and "-o DIR" in said, said
        eq(os.listdir(other), ["f"])
        w.ok("recover", w.id("a"), "-o", "ccfc-recovered")
        eq(w.get(other + "/new/file"), "mine\n")


def test_recover_stays_below():
    with World() as w:
        other = outside_dir(w)
        top = os.path.join(w.box.top, "out")
        os.makedirs(top)
        os.symlink(other, os.path.join(top, "link"))
        os.symlink(other + "/made", os.path.join(top, "dangling"))
        craft(w, "a", "link/f")
        craft(w, "a", "link/new")
        craft(w, "a", "dangling")
        craft(w, "a", "ok")
        craft(w, "a", w.dir + "/../../../../x/../escaped/g")
        craft(w, "a", "/" + "../" * 20 + w.box.top[1:] + "/other/h")
        before = sorted(os.listdir(other))
        done = w.run("recover", w.id("a"), "-o", top, "--format=json")
        eq(done.returncode, 2, done.stderr)
        report = {x["file"]: x["result"]
                  for x in json.loads(done.stdout)["files"]}
        eq([report[x] for x in ("link/f", "link/new", "dangling", "ok")],
           ["failed", "failed", "exists", "written"], report)
        eq((sorted(os.listdir(other)), w.get(other + "/f")),
           (before, "mine\n"))
        for name, result in report.items():
            path = os.path.normpath(os.path.join(top, name))
            assert path.startswith(top + "/"), name
            if result == "written":
                eq(os.path.realpath(path), path, "by no link")
                eq(w.get(path), "mine\n")


def test_recover_of_what_is_run():
    with World() as w:
        for name in (".git/hooks/post-checkout", ".envrc", "src/f"):
            craft(w, "a", name)
        args = ["recover", w.id("a"), "-o", "out", "--format=json"]
        done = w.run(*args, "--outside")
        eq(done.returncode, 2, done.stderr)
        report = {x["file"]: x for x in json.loads(done.stdout)["files"]}
        eq({k: v["result"] for k, v in report.items()},
           {".git/hooks/post-checkout": "refused", ".envrc": "refused",
            "src/f": "written"})
        assert "git" in report[".git/hooks/post-checkout"]["why"], report
        assert f"--outside={w.path('out/.envrc')}" in done.stderr, done.stderr
        eq(sorted(os.listdir(w.path("out"))), ["REPORT.json", "src"])
        done = w.run(*args, "--outside=out/.envrc")
        eq(w.get("out/.envrc"), "mine\n", done.stderr)
        eq(os.path.exists(w.path("out/.git")), False)


def test_recover_never_below_a_claude_directory():
    with World() as w:
        t = session(w, "t", w.box.top)
        target = os.path.join(w.box.claude, "commands", "x.md")
        craft(w, "t", target)
        os.unlink(target)
        for more in ([], ["--outside", f"--outside={target}"]):
            done = w.run("recover", t.session, "-o", w.box.top, *more)
            eq(done.returncode, 2, done.stderr)
            assert "where nothing is written" in done.stderr, done.stderr
            eq(os.path.exists(target), False)
        w.put(target, "mine\n")
        for args in (["revert", t.session],
                     ["restore", target, f"--at=before:{t.session}"]):
            said = w.fails(*args, "--outside", f"--outside={target}")
            assert "where nothing is written" in said, said
        eq(w.get(target), "mine\n")


def test_usage():
    with World() as w:
        for args in (["restore", "--undo", "--outside"],
                     ["restore", "--list", "--outside=x"],
                     ["revert", w.id("a"), "--outside="]):
            w.fails(*args)
        # an argument behind it is none of its own
        said = w.fails("revert", "--outside", w.id("a"), code=1)
        assert "has no such changes" in said, said


if __name__ == "__main__":
    harness.main()
