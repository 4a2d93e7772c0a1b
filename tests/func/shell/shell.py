"""What the reader of shell commands says, held against what bash did.

tests/data/shell.txt has the commands and what the reader says of each. Every
command is run by a real bash in a scratch directory of its own, always with the
same files. Effects that are said to have happened are carried out on a copy of
these files in memory: what they touch must then be on the disk to the byte. A
file that changed without being named must be covered by an unsure part.

    run shell --record    writes down what the reader says now
    run shell --table     prints each command with what it says
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import Skip, eq

TABLE = os.path.join(harness.TOP, "tests", "data", "shell.txt")
UNKNOWN = "unknown"  # there, with any content
MAYBE = "maybe"      # there or not
LEAST = 200          # commands that the table must have
SKIPPED_DIRS = {".git"}

FILES = {
    "p/a.txt": "one\ntwo\nthree\n",
    "p/b.txt": "bee\n",
    "p/c.txt": "sea\n",
    "p/sp ace.txt": "space\nsecond\nthird\n",
    "p/staged.txt": "staged\n",
    "p/sub/d.txt": "dee\n",
    "p/sub/e.txt": "eee\n",
    "p/dir/x.txt": "ex\n",
    "p/script.sh": "echo made > made.new\n",
    "p/fix.patch": "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-sea\n+SEA\n",
    "p/list.in": "c.txt\n",
    "home/h.txt": "home\n",
}
SETUP = """
set -e
git init -q -b main .
git config user.email dev@example.com; git config user.name dev
echo first > a.txt.now; cp a.txt a.txt.now; echo first > a.txt
echo first > dir/x.txt
git add .; git rm -q --cached a.txt.now; git commit -q -m one
mv a.txt.now a.txt; echo ex > dir/x.txt
git add .; git commit -q -m two
echo changed >> b.txt
echo changed >> staged.txt; git add staged.txt; echo again >> staged.txt
mkdir empty
"""


# ---- the reader ----

def program():
    build = os.environ.get("CCFC_BIN_DIR", os.path.join(harness.TOP, "build"))
    return os.path.join(build, "tests", "shell_print")


def latin(value):
    """What the program printed as characters of Latin-1, as text."""
    return value.encode("latin-1").decode("utf-8", "surrogateescape")


def read(commands, cwd="/w", home="/home/dev", *args):
    """What the reader says of each command."""
    data = b"".join(os.fsencode(part) + b"\0" for command in commands
                    for part in (cwd, home, command.replace("\0", "")))
    done = subprocess.run([program(), *args], input=data, check=True,
                          stdout=subprocess.PIPE)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    eq(len(said), len(commands), "answers")
    for one in said:
        one["first"] = latin(one["first"])
        for effect in one["effects"]:
            for key in ("path", "from", "source"):
                effect[key] = latin(effect[key])
            if "content" in effect:
                effect["content"] = effect["content"].encode("latin-1")
    return said


def ran(effect, ok):
    return effect["reach"] == "always" or (ok and effect["reach"] == "ifOk")


def happened(effect, ok):
    return ok and effect["checked"] and ran(effect, ok)


def in_words(said, top):
    """What the reader says, as the table has it."""
    def name(path):
        return os.path.relpath(path, top) if path.startswith(top) else path

    lines = []
    for e in said["effects"]:
        words = [e["op"]]
        if e["from"]:
            words += [name(e["from"]), "to"]
        words.append(name(e["path"]))
        if e["source"]:
            words += ["from", e["source"]]
        notes = [e["reach"]] if e["reach"] != "always" else []
        notes += [] if e["checked"] else ["unchecked"]
        notes += [key for key in ("tree", "into") if e[key]]
        if "content" in e:
            text = e["content"].replace(os.fsencode(top), b"TOP")
            notes.append(ascii(text.decode("utf-8", "replace")))
        lines.append(" ".join(words) + (": " + ", ".join(notes)
                                        if notes else ""))
    why = [f"{key} {n}" for key, n in said["why"].items() if n]
    if why:
        lines.append("unsure: " + ", ".join(why))
    if said["writesNothing"]:
        lines.append("nothing")
    return lines


# ---- the table ----

def load_table():
    """(line, flags, command, what it says) for each entry."""
    with open(TABLE, encoding="utf-8") as f:
        blocks = ("\n" + f.read()).split("\n===")[1:]
    line = 1
    for block in blocks:
        flags, rest = block.split("\n", 1)
        command, says = ("\n" + rest).split("\n---", 1)
        yield line, flags.split(), command[1:], says.strip("\n").splitlines()
        line += block.count("\n") + 1


def store_table(entries):
    with open(TABLE, "w", encoding="utf-8") as f:
        for flags, command, says in entries:
            f.write(" ".join(["===", *flags]) + "\n" + command + "\n---\n")
            f.writelines(line + "\n" for line in says)


# ---- the disk ----

class Scratch:
    """Directories that all begin with the same files."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="ccfc-shell-")
        self.first = os.path.join(self.top, "first")
        for name, text in FILES.items():
            path = os.path.join(self.first, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        os.chmod(os.path.join(self.first, "p/script.sh"), 0o755)
        self.bash(self.first, SETUP, check=True)
        self.files = tree(self.first)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        shutil.rmtree(self.top)

    def work(self):
        return os.path.join(self.top, "w")

    def renew(self):
        shutil.rmtree(self.work(), ignore_errors=True)
        shutil.copytree(self.first, self.work(), symlinks=True)

    @staticmethod
    def bash(top, command, check=False):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
               "HOME": os.path.join(top, "home"),
               "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["bash", "-c", command], cwd=os.path.join(top, "p"), env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=check).returncode

    def show(self, source, path):
        """git's content of a path: of a revision, or of the index."""
        done = subprocess.run(
            ["git", "-C", os.path.join(self.first, "p"), "show",
             f"{source}:{path}"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False)
        return done.stdout if not done.returncode else None

    def tracked(self, source, path):
        """The files at or below a path that git has."""
        where = ["ls-files"] if not source else \
            ["ls-tree", "-r", "--name-only", source]
        done = subprocess.run(
            ["git", "-C", os.path.join(self.first, "p"), *where, "--", path],
            stdout=subprocess.PIPE, check=False, text=True)
        return done.stdout.splitlines()


def tree(top):
    """Every file below, with its content; a link is its target."""
    found = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [d for d in folders if d not in SKIPPED_DIRS]
        links = [d for d in folders if os.path.islink(os.path.join(folder, d))]
        for name in names + links:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found[os.path.relpath(path, top)] = \
                    b"link " + os.fsencode(os.readlink(path))
            else:
                with open(path, "rb") as f:
                    found[os.path.relpath(path, top)] = f.read()
    return found


# ---- the model ----

class Model:
    """The files as they must be if what was said has happened."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.top = scratch.work()
        self.files = dict(scratch.files)
        self.doubt = {}  # path → an unsure part came after its last effect
        self.outside = False

    def below(self, path):
        return [p for p in self.files if p == path or
                p.startswith(path + "/")]

    def target(self, effect):
        path = self.name(effect["path"])
        is_dir = os.path.isdir(os.path.join(self.top, path))
        if effect["into"] and is_dir and \
                not (effect["tree"] and self.moved_whole(effect, path)):
            path = os.path.join(path, os.path.basename(effect["from"]))
        elif effect["tree"] and effect["from"] and not is_dir and \
                self.below(self.name(effect["from"])) != \
                [self.name(effect["from"])] and \
                not os.path.lexists(os.path.join(self.top, path)):
            path = os.path.dirname(path)  # mv dir new/
        return path

    def moved_whole(self, effect, path):
        """A directory got the name of one that was not there before."""
        return not os.path.isdir(os.path.join(self.scratch.first, path)) and \
            self.below(self.name(effect["from"])) != \
            [self.name(effect["from"])]

    def name(self, path):
        return os.path.relpath(path, self.top)

    def put(self, path, content, late):
        self.files[path] = content
        self.doubt[path] = late

    def apply(self, effect, unsure):
        late = effect["unsureBefore"] < unsure
        if not effect["path"].startswith(self.top + "/"):
            self.outside = True
            return
        getattr(self, "do_" + effect["op"])(effect, late)

    def do_write(self, e, late):
        self.put(self.name(e["path"]), e.get("content", UNKNOWN), late)

    def do_append(self, e, late):
        path = self.name(e["path"])
        old = self.files.get(path, b"")
        known = isinstance(old, bytes) and "content" in e
        self.put(path, old + e["content"] if known else UNKNOWN, late)

    def do_modify(self, e, late):
        self.put(self.name(e["path"]), UNKNOWN, late)

    def do_touch(self, e, late):
        path = self.name(e["path"])
        self.put(path, self.files.get(path, b""), late)

    def do_delete(self, e, late):
        path = self.name(e["path"])
        for name in self.below(path) if e["tree"] else [path]:
            self.files.pop(name, None)
            self.doubt[name] = late

    def do_copy(self, e, late, keeps=True):
        source, path = self.name(e["from"]), self.target(e)
        names = self.below(source) if e["tree"] else [source]
        for name in names or [source]:
            self.put(path + name[len(source):],
                     self.files.get(name, UNKNOWN), late)
            if not keeps:
                self.files.pop(name, None)
                self.doubt[name] = late

    def do_rename(self, e, late):
        self.do_copy(e, late, keeps=False)

    def do_link(self, e, late):
        self.put(self.target(e), UNKNOWN, late)

    def do_restore(self, e, late):
        path = os.path.relpath(e["path"], os.path.join(self.top, "p"))
        for name in self.scratch.tracked(e["source"], path):
            content = self.scratch.show(e["source"], name)
            self.put("p/" + name, UNKNOWN if content is None else content,
                     late)

    def doubt_all(self, e):
        """It may have happened: anything may be at these paths."""
        for path in {self.name(e["path"]), self.name(e["from"])
                     if e["from"] else self.name(e["path"])}:
            for name in [*self.below(path), path]:
                self.put(name, MAYBE, False)
        if e["into"] or e["tree"]:
            base = os.path.basename(e["from"] or e["path"])
            self.put(os.path.join(self.name(e["path"]), base), MAYBE, False)


def compare(model, said, first, last):
    """What is wrong with what was said, as lines; and what was not said."""
    wrong, missed = [], 0
    for path in sorted({*model.files, *last, *first}):
        want = model.files.get(path)
        got = last.get(path)
        if want == MAYBE or want == got or (want == UNKNOWN and
                                            got is not None):
            continue
        if model.doubt.get(path):
            continue  # something that is not known came later
        if path in model.doubt:
            wrong.append(f"{path}: {want!r} was said, {got!r} is there")
        elif said["unsure"]:
            missed += 1
        else:
            wrong.append(f"{path}: changed to {got!r}, nothing was said")
    if said["writesNothing"] and first != last:
        wrong.append("files changed though it writes nothing")
    return wrong, missed


def check_command(scratch, flags, command, said):
    scratch.renew()
    ok = scratch.bash(scratch.work(), command) == 0
    model = Model(scratch)
    fails = "fails" in flags
    strict = [happened(e, ok) for e in said["effects"]]
    wrong = []
    for effect, surely in zip(said["effects"], strict):
        if surely or (ran(effect, ok) and not fails):
            model.apply(effect, said["unsure"])
        else:
            model.doubt_all(effect)
    if fails and all(strict) and strict:
        wrong.append("all is said to have happened, and something failed")
    last = tree(scratch.work())
    if "cd" in flags:  # assumed to have worked: the one thing that is
        last = {p: c for p, c in last.items() if p in scratch.files}
    more, missed = compare(model, said, scratch.files, last)
    return wrong + more, missed, last != scratch.files


# ---- tests ----

def test_table():
    wrong = []
    counts = collections.Counter()
    with Scratch() as scratch:
        top = scratch.work()
        entries = list(load_table())
        assert len(entries) >= LEAST, len(entries)
        said = read([command for _, _, command, _ in entries],
                    os.path.join(top, "p"), os.path.join(top, "home"))
        for (line, flags, command, says), one in zip(entries, said):
            where = f"{os.path.basename(TABLE)}:{line}: {command!r}"
            if in_words(one, top) != says:
                wrong.append(f"{where} says\n    " +
                             "\n    ".join(in_words(one, top)))
            problems, missed, changed = check_command(scratch, flags, command,
                                                      one)
            wrong += [f"{where}: {problem}" for problem in problems]
            count(counts, one)
            counts["changed files"] += changed
            counts["files not named, covered by unsure"] += missed
    print(", ".join(f"{key} {n}" for key, n in counts.items()))
    assert not wrong, "\n".join(wrong)


def count(counts, said):
    effects = said["effects"]
    counts["commands"] += 1
    counts["effects"] += len(effects)
    counts["with content"] += sum("content" in e for e in effects)
    counts["conditional"] += sum(e["reach"] == "maybe" for e in effects)
    counts["sure"] += bool(effects) and not said["unsure"]
    counts["sure and unsure parts"] += bool(effects) and bool(said["unsure"])
    counts["unsure only"] += not effects and bool(said["unsure"])
    counts["read-only"] += bool(said["writesNothing"])


def test_the_check_can_fail():
    """A reader that says something false, or too little, is found out."""
    lies = {
        "echo x > new.txt": lambda s: s["effects"][0].update(content=b"y\n"),
        "rm a.txt": lambda s: s["effects"][0].update(op="touch"),
        "rm b.txt": lambda s: s["effects"].clear(),
        "touch new.txt": lambda s: s["effects"][0].update(
            path=s["effects"][0]["path"] + "x"),
        "true || rm a.txt": lambda s: s["effects"][0].update(reach="ifOk"),
        "./script.sh": lambda s: s.update(unsure=0),
        "mv a.txt b.txt": lambda s: s["effects"][0].update(op="copy"),
    }
    with Scratch() as scratch:
        said = read(list(lies), os.path.join(scratch.work(), "p"),
                    os.path.join(scratch.work(), "home"))
        for (command, lie), one in zip(lies.items(), said):
            eq(check_command(scratch, [], command, one)[0], [], command)
            lie(one)
            assert check_command(scratch, [], command, one)[0], command


def shell_calls(top):
    """(tool, cwd, command) of every call of a shell in transcripts below."""
    for folder, _, names in os.walk(top):
        for name in names:
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8",
                      errors="surrogateescape") as f:
                for line in f:
                    if '"Bash"' in line or '"PowerShell"' in line:
                        yield from calls_of(line)


def calls_of(line):
    try:
        record = json.loads(line)
        content = record["message"]["content"]
    except (ValueError, KeyError, TypeError):
        return
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        command = (block.get("input") or {}).get("command")
        if block.get("name") in ("Bash", "PowerShell") and \
                isinstance(command, str):
            yield block["name"], record.get("cwd") or "", command


def test_recordings():
    """All shell commands of the recordings and of published transcripts."""
    top = os.environ.get("CCFC_SHELL_CORPUS") or os.path.join(
        os.path.dirname(harness.TOP), "shared", "corpus")
    if not os.path.isdir(top):
        raise Skip("the recordings are not here")
    for part in sorted(os.listdir(top)):
        calls = sorted(set(shell_calls(os.path.join(top, part))))
        if calls:
            read_calls(part, calls)


def read_calls(part, calls):
    counts = collections.Counter()
    programs = collections.Counter()
    for tool, args in (("Bash", ()), ("PowerShell", ("powershell",))):
        for cwd in sorted({cwd for t, cwd, _ in calls if t == tool}):
            commands = [c for t, d, c in calls if t == tool and d == cwd]
            for said in read(commands, cwd, "", *args):
                count(counts, said)
                for why, n in said["why"].items():
                    counts["why " + why] += bool(n)
                if said["first"]:
                    programs[said["first"]] += 1
    eq(counts["commands"], len(calls), "commands read")
    print(part + ": " + ", ".join(f"{key} {n}" for key, n in counts.items()))
    print("  unsure first of: " + ", ".join(
        f"{name[:40]!r} {n}" for name, n in programs.most_common(15)))


def record(show):
    with Scratch() as scratch:
        entries = list(load_table())
        said = read([command for _, _, command, _ in entries],
                    os.path.join(scratch.work(), "p"),
                    os.path.join(scratch.work(), "home"))
        lines = [(flags, command, in_words(one, scratch.work()))
                 for (_, flags, command, _), one in zip(entries, said)]
    if show:
        for _, command, says in lines:
            print("$ " + command + "\n    " + "\n    ".join(says))
    else:
        store_table(lines)


if __name__ == "__main__":
    if "--record" in sys.argv or "--table" in sys.argv:
        record("--table" in sys.argv)
    else:
        harness.main()
