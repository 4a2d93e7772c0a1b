"""The shop: a git repository in which three sessions worked, with every name,
id and word that the examples of `ccfc help` use. Its files are on disk."""
import difflib
import os
import re
import shutil
import subprocess

import harness
from harness import Box
from transcript import Ids, Transcript, folder

LOGIN = "".join(f"const step{i} = {i};\n" for i in range(1, 25))
PARSER = "class Parser:\n    pass\n"
CHANGE = "toolu_01A2b3C4d5E6f7G8h9J1k2L3"
MESSAGE = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"


def hunks(old, new):
    """The structuredPatch from one text to the other."""
    out = []
    for row in difflib.unified_diff(old.splitlines(), new.splitlines(), n=3):
        head = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", row)
        if head:
            a, b, c, d = (int(x or 1) for x in head.groups())
            out.append({"oldStart": a, "oldLines": b, "newStart": c,
                        "newLines": d, "lines": []})
        elif out:
            out[-1]["lines"].append(row)
    return out


class Shop(Box):
    """`now` is the time of the last session, in ms; None: December 2025."""

    def __init__(self, now=None):
        super().__init__()
        self.ids = Ids(9)
        if now:
            self.ids.now = now - 3 * 3_600_000
        self.dir = os.path.join(self.home, "src", "shop")
        os.makedirs(self.dir)
        self.claude_stub()
        self.files = {}
        self.git("init", "-q", "-b", "main")
        self.first = self.session("42d011e9", "Set up the shop")
        self.put(self.first, "src/auth/login.ts", LOGIN)
        self.put(self.first, "src/app.ts", "import './b';\nrun(1);\n")
        self.put(self.first, "src/b.ts", "export const b = 1;\n")
        self.put(self.first, "src/main.c", "int main(void);\n")
        self.put(self.first, "deleted.py", PARSER, tid=CHANGE)
        self.put(self.first, "notes.md", "# Notes\n")
        self.last = self.session("3f2a91c4", "Please slow the login down, "
                                 "TODO: a rate limit for each address")
        self.work()
        other = Transcript(self, self.ids, cwd="/home/me/project",
                           project="-home-me-project")
        other.prompt("Something else")
        other.write("/home/me/project/x.c")
        os.unlink(os.path.join(self.dir, "deleted.py"))
        del self.files["deleted.py"]
        with open(self.path("report.sql"), "w", encoding="utf-8") as f:
            f.write("SELECT path, changes FROM files\n")
        self.git("add", ".")
        self.git("commit", "-qm", "a rate limit")

    def work(self):
        """What the last session did."""
        t = self.last
        t.blocks({"type": "text", "text": "I shall migrate the rate limit."},
                 uuid=MESSAGE)
        t.result(t.call("Read", {"file_path": self.path("src/auth/login.ts")}),
                 text="const step1 = 1;")
        t.result(t.call("Bash", {"command": "cat /etc/shadow"}),
                 text="EACCES: permission denied", error=True)
        t.result(t.call("Bash", {"command": "echo 5 > limit.txt"}))
        with open(self.path("limit.txt"), "w", encoding="utf-8") as f:
            f.write("5\n")
        self.put(t, "src/auth/login.ts",
                 LOGIN.replace("step17 = 17", "limit = 5"))
        self.put(t, "src/app.ts", "import './b';\nrun(2);\n")
        self.put(t, "src/b.ts", "export const b = 2;\n")
        self.put(t, "notes.md", "# Notes\n\nFive tries a minute.\n")
        t.text("The login has a rate limit now: five tries a minute.")

    def claude_stub(self):
        """Programs that ccfc runs, or asks: claude, and systemctl."""
        fake = os.path.join(self.top, "fake")
        os.makedirs(fake)
        shutil.copy(os.path.join(harness.HERE, "manager.py"),
                    os.path.join(fake, "systemctl"))
        with open(os.path.join(fake, "claude"), "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\necho "claude $*"\n')
        for name in os.listdir(fake):
            os.chmod(os.path.join(fake, name), 0o755)
        self.env.update(FAKE=fake, PATH=":".join((
            fake, os.path.dirname(self.ccfc), self.env["PATH"])))

    def session(self, start, prompt):
        self.ids.now += 3_600_000
        t = Transcript(self, self.ids, cwd=self.dir, project=folder(self.dir),
                       session=start + "-aaaa-4000-8000-000000000001")
        t.prompt(prompt)
        return t

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, t, name, text, tid=None):
        """A Write by the session, on disk too."""
        old = self.files.get(name)
        tid = t.call("Write", {"file_path": self.path(name), "content": text},
                     tid=tid)
        t.result(tid, {"type": "update" if old else "create",
                       "filePath": self.path(name), "content": text,
                       "originalFile": old,
                       "structuredPatch": hunks(old, text) if old else []})
        self.files[name] = text
        self.reset(name)
        return tid

    def reset(self, *names):
        """The files are again as the sessions left them."""
        for name in names or self.files:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(self.files[name])

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def git(self, *words):
        subprocess.run(
            ["git", "-c", "user.name=me", "-c", "user.email=me@example.org",
             *words], cwd=self.dir, env=self.env, check=True,
            capture_output=True)
