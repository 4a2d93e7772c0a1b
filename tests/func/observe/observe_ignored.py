"""What .gitignore files, git's own lists and the settings exclude is neither
seen nor kept.
"""
import os
import signal
import subprocess

import harness
from harness import eq
from observing import THERE, Observed, pause, sha, short


def test_ignored_is_never_kept():
    with Observed("observe-exclude = *.secret\n"
                  "observe-exclude = /private/\n") as box:
        box.write(".gitignore", "*.log\n/build/\n!keep.log\n")
        box.write("sub/.gitignore", "!*.log\n*.tmp\n")
        box.write(".git/info/exclude", "mine.txt\n")
        for name in ("build/x", "private/y"):
            box.write(name, "before\n")
        box.start()
        box.client()
        box.watched()
        for name in ("a.log", "keep.log", "build/x", "build/z", "sub/b.log",
                     "sub/c.tmp", "mine.txt", "my.secret", "private/y",
                     ".git/HEAD2", "seen.txt"):
            box.write(name, f"{name}\n")
        eq({e["path"] for e in box.settle()},
           {"keep.log", "sub/b.log", "seen.txt"})
        for name in ("a.log", "build/x", "mine.txt", "my.secret"):
            assert not box.kept(sha(f"{name}\n")), name


def test_lists_of_git_itself():
    """core.excludesFile, of the user or of the repository; linked trees."""
    with Observed() as box:
        box.write(".git/info/exclude", "inner.txt\n")
        harness.append(os.path.join(box.home, "my ignores"), b"*.user\n")
        harness.append(os.path.join(box.home, ".gitconfig"),
                       b'[user]\n\tname = x\n[Core]\n'
                       b'  excludesFile = "~/my ignores" ; mine\n')
        box.start()
        box.client()
        box.watched()
        for name in ("a.user", "inner.txt", "seen.txt"):
            box.write(name, "x\n")
        eq({e["path"] for e in box.settle()}, {"seen.txt"})
        assert subprocess.run(
            ["git", "check-ignore", "-q", "a.user"], cwd=box.p,
            env={**os.environ, "HOME": box.home}, check=False).returncode == 0
    with Observed() as box:
        tree = os.path.join(box.top, "tree")
        git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", box.p]
        for more in (["commit", "-q", "--allow-empty", "-m", "x"],
                     ["worktree", "add", "-q", tree],
                     ["config", "core.excludesFile", box.top + "/list"]):
            subprocess.run(git + more, check=True)
        harness.append(box.top + "/list", b"*.own\n")
        box.write(".git/info/exclude", "inner.txt\n")
        box.p = tree
        box.start()
        box.client()
        box.watched()
        for name in ("a.own", "inner.txt", "seen.txt"):
            box.write(name, "x\n")
        eq({e["path"] for e in box.settle()}, {"seen.txt"})


def test_included_configurations():
    """What a configuration includes counts, also on a condition of git's; one
    that includes itself does no harm.
    """
    for condition, meant in ((None, True), ("gitdir:{top}/", True),
                             ("gitdir:p/.git", True),
                             ("gitdir/i:{TOP}/P/", True),
                             ("gitdir:{top}/other/", False),
                             ("onbranch:nothing", False)):
        with Observed() as box:
            head = "[include]"
            if condition:
                text = condition.format(top=box.top, TOP=box.top.upper())
                head = f'[includeIf "{text}"]'
            harness.append(os.path.join(box.home, ".gitconfig"),
                           f"{head}\n\tpath = more\n".encode())
            harness.append(os.path.join(box.home, "more"),
                           b"[core]\n\texcludesFile = ~/list\n"
                           b"[include]\n\tpath = ~/more\n")
            harness.append(os.path.join(box.home, "list"), b"*.user\n")
            box.start()
            box.client()
            box.watched()
            for name in ("a.user", "seen.txt"):
                box.write(name, "x\n")
            eq({e["path"] for e in box.settle()},
               {"seen.txt"} | (set() if meant else {"a.user"}), condition)


def test_patterns_that_change():
    with Observed() as box:
        box.write("a.log", "1\n")
        box.write("d/b.log", "1\n")
        box.start()
        box.client()
        box.watched()
        box.write(".gitignore", "*.log\n")
        box.settle()
        box.write("a.log", "2\n")
        box.write("d/b.log", "2\n")
        eq({e["path"] for e in box.settle()}, {".gitignore"})


def test_patterns_that_go():
    """What was ignored and is not any more is not new."""
    with Observed() as box:
        box.write(".gitignore", "*.log\n/out/\n")
        for name in ("a.log", "out/b", "out/deep/c"):
            box.write(name, "1\n")
        pause()
        box.start()
        box.client()
        box.watched()
        box.write(".gitignore", "\n")
        eq({e["path"] for e in box.settle()}, {".gitignore"})
        box.until("read", lambda o: o["projects"][0]["files"] >= 4)
        box.write("a.log", "2\n")
        box.write("out/deep/c", "2\n")
        eq({short(e) for e in box.settle() if e["path"] != ".gitignore"},
           {(name, THERE, THERE, sha("1\n"), sha("2\n"))
            for name in ("a.log", "out/deep/c")})


def test_patterns_that_have_just_changed():
    """Files that change at the same moment are seen with the new patterns,
    however many directories are to be read again.
    """
    with Observed() as box:
        for i in range(200):
            box.write(f"d{i}/a.log", "1\n")
            box.write(f"d{i}/private/b", "1\n")
        pid = box.start().pid
        box.client()
        box.watched()
        os.kill(pid, signal.SIGSTOP)
        box.write(".gitignore", "*.log\nprivate/\n")
        for i in range(200):
            box.write(f"d{i}/a.log", "2\n")
            box.write(f"d{i}/private/b", "2\n")
        os.kill(pid, signal.SIGCONT)
        eq({e["path"] for e in box.settle()}, {".gitignore"})
        assert not box.kept(sha("2\n"))


def test_patterns_of_the_home_directory():
    """It is not watched, but what its repository excludes is excluded."""
    for patterns, seen in (("*.log\n/w/p/own\n", {"seen.txt"}), ("/w/\n", None),
                           ("*\n", None)):
        with Observed() as box:
            subprocess.run(["git", "init", "-q", box.home], check=True)
            harness.append(box.home + "/.gitignore", patterns.encode())
            harness.append(box.home + "/w/.gitignore", b"*.tmp\n")
            box.p = os.path.join(box.home, "w", "p")
            os.makedirs(box.p)
            box.start()
            box.client()
            project = box.watched()["projects"][0]
            eq(project["path"], box.p)
            if seen is None:
                eq(project["problem"], "git ignores it")
                continue
            for name in ("a.log", "own", "b.tmp", "seen.txt"):
                box.write(name, "x\n")
            eq({e["path"] for e in box.settle()}, seen)


def test_lists_that_are_links():
    """As git does: its own lists may be links, a .gitignore may not."""
    with Observed() as box:
        lists = {box.env["XDG_CONFIG_HOME"] + "/git/ignore": "*.user",
                 box.p + "/.git/info/exclude": "*.own",
                 box.p + "/.gitignore": "*.linked"}
        for i, (path, pattern) in enumerate(lists.items()):
            real = os.path.join(box.home, f"dotfiles/{i}")
            harness.append(real, f"{pattern}\n".encode())
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.exists(path):
                os.unlink(path)
            os.symlink(real, path)
        box.start()
        box.client()
        box.watched()
        names = ("a.user", "a.own", "a.linked")
        for name in names:
            box.write(name, "x\n")
        eq({e["path"] for e in box.settle()}, {"a.linked"})
        for name in names:
            eq(subprocess.run(["git", "check-ignore", "-q", name], cwd=box.p,
                              env=box.env, check=False,
                              stderr=subprocess.DEVNULL).returncode,
               1 if name == "a.linked" else 0, name)


if __name__ == "__main__":
    harness.main()
