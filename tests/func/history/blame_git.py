"""Blame together with git: commits next to sessions, and a repository that is
only read.

Every test makes a repository of its own, with files that people and sessions
wrote. The porcelain is read by a parser like those of editors' gutters, which
has never heard of ccfc.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import uuid

import harness
from harness import Box, Skip, eq
from transcript import HAIKU, OPUS, Ids, Transcript, edit_result, write_result

DAY = 86_400_000


class Repo(Box):
    """A box with a daemon, a repository and two sessions in it.

    a.py is the first session's, but for a line of a person's; b.py is a
    person's with one line of the second session's, not committed yet.
    """

    def __init__(self):
        super().__init__()
        if not shutil.which("git", path=self.env["PATH"]):
            raise Skip("no git")
        self.work = os.path.join(self.top, "work")
        self.ids = Ids(41)
        os.makedirs(self.work)
        self.git("init", "-q", "-b", "main")
        self.a, self.b = (os.path.join(self.work, "src", n)
                          for n in ("a.py", "b py.txt"))
        self.one = self.session(1, OPUS)
        self.two = self.session(2, HAIKU)
        self.put(self.b, "top\nmiddle\nbottom\n")
        self.base = self.commit("Pat Person", "the base")
        self.fill()
        self.start()

    def session(self, n, model):
        folder = re.sub(r"[^A-Za-z0-9]", "-", self.work)
        return Transcript(self, self.ids, cwd=self.work, project=folder,
                          session=f"{n * 11111111}-aaaa-4000-8000-00000000000"
                          f"{n}", model=model)

    def fill(self):
        self.one.prompt("write a first version")
        self.first = self.write(self.one, self.a, "def f():\n    pass\n")
        self.commit_one = self.commit("Ann Other", "session one, part 1")
        self.put(self.a, "# by hand\ndef f():\n    pass\n")
        self.commit_hand = self.commit("Pat Person", "a comment")
        self.one.prompt("return something")
        self.second = self.edit(self.one, self.a, "    pass", "    return 1")
        self.commit_two = self.commit("Ann Other", "session one, part 2")
        self.two.prompt("shout")
        self.third = self.edit(self.two, self.b, "middle", "MIDDLE")

    def git(self, *args, author="Pat Person"):
        env = {**self.env, "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_AUTHOR_NAME": author, "GIT_COMMITTER_NAME": "Carl C",
               "GIT_AUTHOR_EMAIL": "who@example.org",
               "GIT_COMMITTER_EMAIL": "c@example.org"}
        date = f"@{self.ids.now // 1000} +0100"
        env.update(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
        return subprocess.run(["git", *args], cwd=self.work, env=env,
                              check=True, stdout=subprocess.PIPE).stdout

    def commit(self, author, subject):
        self.ids.now += DAY
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject, author=author)
        return self.git("rev-parse", "HEAD").decode().strip()

    def put(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def get(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()

    def write(self, session, path, text):
        tid = session.call("Write", {"file_path": path, "content": text})
        self.put(path, text)
        session.result(tid, write_result(path, text))
        return tid

    def edit(self, session, path, old, new):
        tid = session.call("Edit", {"file_path": path, "old_string": old,
                                    "new_string": new})
        before = self.get(path)
        at = before[:before.index(old)].count("\n") + 1
        self.put(path, before.replace(old, new, 1))
        detail = edit_result(path, old, new)
        detail["originalFile"] = before
        detail["structuredPatch"] = hunk(before, at, old, new)
        session.result(tid, detail)
        return tid


def hunk(before, at, old, new):
    """The patch that replaces line `at`, with all other lines around it."""
    lines = before.splitlines()
    changed = lines[at - 1]
    body = [" " + x for x in lines[:at - 1]]
    body += ["-" + changed, "+" + changed.replace(old, new, 1)]
    body += [" " + x for x in lines[at:]]
    return [{"oldStart": 1, "oldLines": len(lines), "newStart": 1,
             "newLines": len(lines), "lines": body}]


def snapshot(top):
    """Every file and directory below: its times, size and content."""
    found = {}
    for folder, dirs, files in os.walk(top):
        for name in [".", *dirs, *files]:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            data = b""
            if name in files and not os.path.islink(path):
                with open(path, "rb") as f:
                    data = hashlib.sha256(f.read()).digest()
            found[path] = (st.st_mtime_ns, st.st_ctime_ns, st.st_size,
                           st.st_ino, data)
    return found


HEADER = re.compile(r"^([0-9a-f]{40}) (\d+) (\d+)(?: (\d+))?$")
WANTED = ("author", "author-mail", "author-time", "author-tz", "committer",
          "committer-time", "summary", "filename")


def gutter(text):
    """Porcelain as editors read it: header, facts about new ids, the text."""
    commits, lines, current = {}, [], None
    for line in text.split("\n")[:-1]:
        header = HEADER.match(line)
        if line.startswith("\t"):
            lines.append((current, line[1:]))
            current = None
        elif current is None:
            assert header, f"no header: {line!r}"
            current = header.group(1)
            commits.setdefault(current, {})
            eq(int(header.group(3)), len(lines) + 1, "line number")
        else:
            key, _, value = line.partition(" ")
            commits[current][key] = value
    for commit, facts in commits.items():
        for key in WANTED:
            assert key in facts, f"{commit}: no {key}"
        assert re.fullmatch(r"\d+", facts["author-time"])
        assert re.fullmatch(r"[+-]\d{4}", facts["author-tz"])
        assert re.fullmatch(r"<.*>", facts["author-mail"])
    return commits, lines


def our_id(change):
    return hashlib.sha256(change.encode()).hexdigest()[:40]


def test_json():
    with Repo() as box:
        got = box.json("blame", "--git", box.a)
        lines = [(x["kind"], x["changeId"], x["commit"], x["commitAuthor"],
                  x["content"]) for x in got["lines"]]
        eq(lines, [
            ("outside", None, box.commit_hand, "Pat Person", "# by hand"),
            ("session", box.first, box.commit_one, "Ann Other", "def f():"),
            ("session", box.second, box.commit_two, "Ann Other",
             "    return 1")])
        assert all(x["commitTime"].endswith("Z") for x in got["lines"])
        plain = box.json("blame", box.a)
        assert "commit" not in plain["lines"][0]
        for line in got["lines"]:
            for key in ("commit", "commitAuthor", "commitTime"):
                del line[key]
        eq(got["lines"], plain["lines"], "the rest is the reply")
        eq(got["blocks"], plain["blocks"])


def test_not_committed():
    with Repo() as box:
        got = box.json("blame", "--git", box.b)
        eq([(x["kind"] == "session", x["commit"]) for x in got["lines"]],
           [(False, box.base), (True, None), (False, box.base)])


def test_table():
    with Repo() as box:
        rows = box.ok("blame", "--git", box.a).splitlines()
        eq(len(rows), 3)
        assert rows[0].startswith("outside ") and "(Pat Person" in rows[0]
        assert box.commit_hand[:8] in rows[0]
        assert rows[1].startswith(box.first[:14])
        assert box.commit_one[:8] in rows[1] and "opus-4-5" in rows[1]
        assert rows[2].endswith("3)     return 1")
        eq(len({x.index(")") for x in rows}), 1, "columns")
        text = box.ok("blame", "--blocks", "--git", box.a)
        assert "return something" in text and box.commit_two[:8] in text


def test_range():
    with Repo() as box:
        got = box.json("blame", "--git", "-L2,2", box.a)
        eq([(x["line"], x["commit"]) for x in got["lines"]],
           [(2, box.commit_one)])


def test_porcelain():
    with Repo() as box:
        for more in ([], ["--git"]):
            commits, lines = gutter(
                box.ok("blame", "--format=porcelain", *more, box.a))
            eq([x for _, x in lines],
               ["# by hand", "def f():", "    return 1"])
            first = commits[our_id(box.first)]
            eq((first["summary"], first["author"], first["ccfc-session"]),
               ("write a first version", OPUS, box.one.session))
            hand = commits[box.commit_hand if more else "0" * 40]
            eq(hand["author"], "Pat Person" if more else "outside")
            eq(hand["ccfc-kind"], "outside")
        theirs = box.git("blame", "--porcelain", "src/a.py").decode()
        commits, lines = gutter(theirs)
        eq(len(commits), 3, "the parser reads git too")


def test_log():
    with Repo() as box:
        got = box.json("log", "--git", box.one.session)
        eq([(x["commit"], x["subject"], x["commitAuthor"], x["lines"],
             x["files"]) for x in got["commits"]],
           [(box.commit_two, "session one, part 2", "Ann Other", 1, [box.a]),
            (box.commit_one, "session one, part 1", "Ann Other", 1,
             [box.a])])
        eq(got["notCommitted"], 0)
        got = box.json("log", "--git", box.two.session)
        eq((got["commits"], got["notCommitted"]), ([], 1))
        text = box.ok("log", "--git", box.one.session)
        for want in (box.commit_one[:8], "SUBJECT", "session one, part 2",
                     "Not committed yet: 0 lines"):
            assert want in text, f"{want!r} is not in\n{text}"
        text = box.ok("log", "--git", box.two.session)
        eq(text, "Not committed yet: 1 line in 1 file\n")


def test_timeline():
    with Repo() as box:
        steps = box.json("log", box.a)["steps"]
        eq([s["kind"] for s in steps], ["change", "outside", "change"])
        rows = box.ok("log", box.work, "--format=jsonl").splitlines()
        eq([json.loads(x)["changeId"] for x in rows],
           [box.third, box.second, box.first])
        text = box.ok("log", box.one.session)
        assert "src/a.py" in text and "opus-4-5" in text
        eq(box.run("log", box.work + "/none").returncode, 1)


def test_agent_trace():
    with Repo() as box:
        got = json.loads(box.ok("blame", "--format=agent-trace", box.a))
        assert re.fullmatch(r"[0-9]+\.[0-9]+", got["version"])
        uuid.UUID(got["id"])
        eq(got["vcs"], {"type": "git", "revision": box.commit_two})
        eq(got["tool"]["name"], "ccfc")
        file, = got["files"]
        eq(file["path"], "src/a.py")
        owners = {}
        for talk in file["conversations"]:
            for r in talk["ranges"]:
                for line in range(r["start_line"], r["end_line"] + 1):
                    owners[line] = talk["contributor"]
        ai = {"type": "ai", "model_id": "anthropic/" + OPUS}
        eq(owners, {1: {"type": "human"}, 2: ai, 3: ai})
        first = file["conversations"][0]["ranges"][0]["content_hash"]
        eq(first, "sha256:" + hashlib.sha256(b"# by hand\n").hexdigest())


def test_nothing_is_written():
    with Repo() as box:
        # Stat data in the index that is stale tempts git to write it anew.
        os.utime(box.a, ns=(1, 1))
        hooks = os.path.join(box.work, ".git", "hooks")
        os.makedirs(hooks, exist_ok=True)
        trap = os.path.join(box.top, "trap")
        for name in ("post-index-change", "fsmonitor", "textconv"):
            box.put(os.path.join(hooks, name),
                    f"#!/bin/sh\ntouch {trap}-{name}\ncat \"$1\"\n")
            os.chmod(os.path.join(hooks, name), 0o755)
        box.git("config", "core.fsmonitor", ".git/hooks/fsmonitor")
        box.git("config", "diff.trap.textconv", hooks + "/textconv")
        box.put(os.path.join(box.work, ".git", "info", "attributes"),
                "*.py diff=trap\n")
        before = snapshot(box.work)
        for args in (["blame", "--git", box.a], ["blame", "--git", box.b],
                     ["blame", "--format=agent-trace", box.a],
                     ["log", "--git", box.one.session]):
            box.ok(*args)
        after = snapshot(box.work)
        eq({p for p in before if before[p] != after.get(p)}, set(), "changed")
        eq(set(after) - set(before), set(), "new")
        eq([x for x in os.listdir(box.top) if x.startswith("trap")], [])


def test_another_repository_in_the_environment():
    with Repo() as box:
        env = {**box.env, "GIT_DIR": "/nonexistent", "GIT_WORK_TREE": "/",
               "GIT_INDEX_FILE": "/nonexistent"}
        done = box.run("blame", "--git", "--format=json", box.a, env=env)
        eq(done.stderr, "")
        eq(json.loads(done.stdout)["lines"][1]["commit"], box.commit_one)


def test_without_a_repository():
    with Repo() as box:
        plain = box.json("blame", box.a)
        shutil.rmtree(os.path.join(box.work, ".git"))
        done = box.run("blame", "--git", "--format=json", box.a)
        eq(done.returncode, 0)
        assert "not a git repository" in done.stderr, done.stderr
        got = json.loads(done.stdout)
        eq([x["commit"] for x in got["lines"]], [None] * 3)
        eq([x["changeId"] for x in got["lines"]],
           [x["changeId"] for x in plain["lines"]])
        done = box.run("log", "--git", box.one.session)
        eq((done.returncode, done.stdout), (1, ""))
        assert "no git work tree" in done.stderr, done.stderr


def test_without_git():
    with Repo() as box:
        env = {**box.env, "PATH": os.path.join(box.top, "none")}
        done = box.run("blame", "--git", box.a, env=env)
        eq(done.returncode, 0)
        assert "not found in PATH" in done.stderr, done.stderr
        done = box.run("log", "--git", box.one.session, env=env)
        eq(done.returncode, 2)


def test_untracked_file():
    with Repo() as box:
        path = os.path.join(box.work, "new.py")
        box.write(box.two, path, "x = 1\n")
        done = box.run("blame", "--git", "--format=json", path)
        eq(json.loads(done.stdout)["lines"][0]["commit"], None)
        assert "no such path" in done.stderr, done.stderr
        got = box.json("log", "--git", box.two.session)
        eq((got["commits"], got["notCommitted"]), ([], 2))


def test_line_ends_and_names():
    """CRLF in the work tree, LF in the repository; a name with blanks."""
    with Repo() as box:
        box.git("config", "core.autocrlf", "true")
        box.git("config", "core.safecrlf", "false")
        path = os.path.join(box.work, "-L 1 \u00e9.txt")
        box.write(box.one, path, "one\r\ntwo\r\n")
        commit = box.commit("Ann Other", "line ends")
        got = box.json("blame", "--git", path)
        eq([x["commit"] for x in got["lines"]], [commit] * 2)


def test_symbolic_link_to_the_work_tree():
    with Repo() as box:
        link = os.path.join(box.top, "link")
        os.symlink(box.work, link)
        got = box.json("blame", "--git", os.path.join(link, "src", "a.py"))
        eq(got["lines"][1]["commit"], box.commit_one)


if __name__ == "__main__":
    harness.main()
