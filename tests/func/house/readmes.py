"""What READMEs and comments say: each README of a folder names all files of the
folder, nobody names a file that does not exist, and the examples of the first
README are what ccfc prints."""
import ast
import fnmatch
import os
import re
import shutil
import subprocess
import tempfile

import harness

TOPS = ("include", "proto", "daemon", "client")
SOURCES = (".c", ".h", ".cpp", ".def", ".lua", ".vim", ".kak", ".el",
           ".ts")
QUOTED = re.compile(r"`([^`\n]+)`")
# A file of ours in running text. What stands before decides that it is not
# part of a longer name or of <system.h>.
FILE = re.compile(r"(?<![\w/.<*-])((?:[A-Za-z_][\w-]*/)*[A-Za-z_]\w*"
                  r"\.(?:c|h|cpp|def|py))(?!\w|\.\w|[>(])")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Names that are not ours: another project's header, made-up files of examples,
# and what the build makes.
FOREIGN = {"msgpack.h", "src/a.c", "src/main.c", "cmd_NAME.c",
           "cmd/cmd_NAME.c", "modules.def", "harnesses.def",
           "service_text.c"}
NAME = re.compile(r"(?<![\w<])ccfc_\w+")
# The tables of tests/README.md, by what their second column says.
THEMES, OTHERS = "what it tests", "does"


def tracked():
    """All files that belong to the project, also those not yet added."""
    out = subprocess.run(
        ["git", "-C", harness.TOP, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], capture_output=True, check=False)
    names = out.stdout.decode().split("\0") if out.returncode == 0 else []
    if not names:
        names = [os.path.relpath(os.path.join(folder, name), harness.TOP)
                 for top in TOPS + ("tests", "packaging")
                 for folder, _, files in os.walk(os.path.join(harness.TOP, top))
                 for name in files]
        names += [n for n in os.listdir(harness.TOP) if n.endswith(".md")]
    return sorted(n for n in names
                  if n and os.path.exists(os.path.join(harness.TOP, n)))


def read(name):
    with open(os.path.join(harness.TOP, name), encoding="utf-8") as f:
        return f.read()


def endings(files):
    """Each file by its name and by all ends of its path."""
    out = set()
    for name in files:
        parts = name.split("/")
        out.update("/".join(parts[i:]) for i in range(len(parts)))
    return out


def home(name, readmes):
    """The README that has to name a file: the nearest one above it."""
    folder = os.path.dirname(name)
    while folder and folder not in readmes:
        folder = os.path.dirname(folder)
    return folder


def quoted(text):
    """The words in backquotes, single names out of lists in one pair."""
    return {word for group in QUOTED.findall(text)
            for word in re.split(r"[\s,]+", group)}


def rows_of_files(text, heads=("| file |", "| header |")):
    """What the first column of each table of files names."""
    inside = False
    for line in text.split("\n"):
        if line.startswith(heads):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            yield from quoted(line.split("|")[1])


def stem(name):
    return os.path.splitext(os.path.basename(name))[0]


def unnamed(text, files):
    """The files that a README does not name: neither whole, nor without their
    ending, nor by the source that a header belongs to, nor by a pattern."""
    words = {os.path.basename(w) for w in quoted(text)}
    words |= {stem(w) for w in words if w.endswith((".c", ".cpp"))}
    patterns = [w for w in words if "*" in w]
    return [f for f in files
            if os.path.basename(f) not in words and stem(f) not in words and
            not any(fnmatch.fnmatch(os.path.basename(f), p) for p in patterns)]


def missing(text, known):
    """The files that a text names and that do not exist."""
    return [n for n in FILE.findall(text)
            if n not in known and n not in FOREIGN]


def near(name, files):
    """What a comment of a file may name without a folder: files of its own
    folder and rooms, and those on top of the daemon or the client."""
    parts = name.split("/")
    own = "/".join(parts[:2]) + "/"
    return {os.path.basename(f) for f in files
            if parts[0] == "tests" or f.startswith(own) or
            os.path.dirname(f) == parts[0]}


def wrong_readme(text, own, known):
    stems = {stem(f) for f in own}
    names = {os.path.basename(f) for f in own}
    found = [f"does not name {f}" for f in unnamed(text, own)]
    found += [f"names {n}, which does not exist" for n in missing(text, known)]
    found += [f"has a row for {w}, which is no file of it"
              for w in rows_of_files(text)
              if os.path.basename(w) not in stems | names and "*" not in w and
              not (w.endswith(".map") and w in known)]
    return found


def test_readmes():
    files = tracked()
    known = endings(files)
    readmes = {os.path.dirname(f) for f in files
               if f.startswith(TOPS) and f.endswith("/README.md")}
    own = {folder: [] for folder in readmes}
    for name in files:
        if name.startswith(TOPS) and name.endswith(SOURCES):
            folder = home(name, readmes)
            assert folder, f"{name}: no README above it"
            own[folder].append(name)
    found = [f"{folder}/README.md {why}"
             for folder in sorted(readmes)
             for why in wrong_readme(read(f"{folder}/README.md"),
                                     own[folder], known)]
    assert len(readmes) > 10, "no READMEs?"
    assert not found, "\n".join(found)


def test_other_documents():
    files = tracked()
    known = endings(files)
    found = [f"{name} names {n}, which does not exist"
             for name in files
             if name.endswith(".md") and not name.startswith(TOPS) or
             name == "proto/PROTOCOL.md"
             for n in missing(" ".join(QUOTED.findall(read(name))), known)]
    assert not found, "\n".join(found)


def comments(text):
    # A name may be cut at the end of a line, behind a slash.
    return [re.sub(r"/\n\s*\*\s*", "/", c) for c in COMMENT.findall(text)]


def test_comments():
    files = tracked()
    paths = {e for e in endings(files) if "/" in e}
    found, count = [], 0
    for name in files:
        if not name.endswith(SOURCES):
            continue
        known = paths | near(name, files)
        for comment in comments(read(name)):
            count += 1
            found += [f"{name}: a comment names {n}, which is not there"
                      for n in missing(comment, known)]
    assert count > 1000, "no comments?"
    assert not found, "\n".join(sorted(set(found)))


def test_functions_in_comments():
    """A comment may name a function, or how several of them begin."""
    said, begins = [], set()
    for name in tracked():
        if not name.endswith(SOURCES):
            continue
        text = read(name)
        said += [(name, n) for c in comments(text) for n in NAME.findall(c)]
        for n in set(NAME.findall(COMMENT.sub(" ", text))):
            begins.update(n[:i + 1] for i in range(len(n)))
    found = [f"{name}: a comment names {n}" for name, n in said
             if n not in begins and n != "ccfc_cmd_NAME"]
    assert len(begins) > 1000 and len(said) > 100, "nothing read?"
    assert not found, "\n".join(found)


def test_functional_tests():
    """tests/README.md has tables for each folder of tests/func, which name its
    themes and its other files; their docstrings are true."""
    files = tracked()
    known = endings(files)
    parts = re.split(r"^### (\w+)$", read("tests/README.md"), flags=re.M)
    parts = dict(zip(parts[1::2], parts[2::2]))
    rows = {(folder, head): set(rows_of_files(text, f"| file | {head} |"))
            for folder, text in parts.items() for head in (THEMES, OTHERS)}
    found = []
    for name in files:
        match = re.fullmatch(r"tests/func/(\w+)/([^/]+)", name)
        if not match:
            continue
        folder, base = match.groups()
        heads = (THEMES, OTHERS)  # those that Python does not read: in either
        if base.endswith(".py"):
            source = read(name)
            text = ast.get_docstring(ast.parse(source)) or ""
            found += [f"{name} names {n}, which does not exist"
                      for n in missing(text, known)]
            heads = (THEMES if re.search(r"^ +harness\.main\(", source, re.M)
                     else OTHERS,)
        named = [h for h in heads if base in rows.get((folder, h), ())]
        if not named:
            found.append(f"tests/README.md does not name {name} in a table of "
                         f"{folder} with {' or '.join(heads)!r}")
        for head in named:
            rows[folder, head].remove(base)
    found += [f"tests/README.md has a row for {n} in {folder}"
              for (folder, _), names in rows.items() for n in sorted(names)]
    assert len(parts) > 10, "no folders?"
    assert not found, "\n".join(found)


def examples():
    """The commands of the README and what they print, "…" for anything."""
    found = []
    for line in read("README.md").split("\n## ")[0].split("\n"):
        if line.startswith("    $ "):
            found.append((line[6:], []))
        elif line.startswith("    ") and found:
            found[-1][1].append(line[4:])
        elif not line and found:
            found[-1][1].append("")
    return [(c, "\n".join(out).rstrip("\n")) for c, out in found]


def fits(want, got):
    """Is `got` the text, with anything in the place of each "…"?"""
    parts = [re.escape(p) for p in want.split("…")]
    return re.fullmatch(".*".join(parts), got.rstrip("\n"), re.S)


class Sample:
    """The sample transcripts; their project is a scratch directory with a name
    of the same length, so that tables are as wide."""

    PROJECT = "/home/dev/src/demo"

    def __init__(self):
        self.box = harness.Box()
        self.project = tempfile.mkdtemp(prefix="ccfc-", dir="/tmp")
        harness.eq(len(self.project), len(self.PROJECT), "length of the name")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        shutil.rmtree(self.project, ignore_errors=True)
        return self.box.__exit__(*exc)

    def add(self, name):
        """One session, with its agents."""
        folder = "packaging/sample/projects/-home-dev-src-demo/"
        for path in tracked():
            if not path.startswith(folder + name):
                continue
            target = os.path.join(
                self.box.projects, re.sub(r"[^A-Za-z0-9]", "-", self.project),
                path[len(folder):])
            harness.append(target, read(path).replace(
                self.PROJECT, self.project).encode())

    def run(self, command):
        args = command.replace(self.PROJECT, self.project).split()[1:]
        return self.box.ok(*args, cwd=self.project).replace(
            self.project, self.PROJECT)

    def watch(self, name):
        """What `ccfc watch` says, and prints first when that session comes."""
        watch = subprocess.Popen(
            [self.box.ccfc, "watch"], env=self.box.env, cwd=self.project,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        with watch:
            said = watch.stdout.readline()
            self.add(name)
            said += watch.stdout.readline()
            watch.kill()
        return said.decode()


def test_examples_of_the_readme():
    shown = examples()
    assert len(shown) == 6, shown
    with Sample() as sample:
        sample.box.start()
        sample.add("34fc")
        first = sample.watch("1dc3")
        sample.add("42d0")
        for command, want in shown:
            got = first if command == "ccfc watch" else sample.run(command)
            assert fits(want, got), f"$ {command}\n{got}"


def test_the_readme_is_short():
    size = len(read("README.md").encode())
    assert size <= 7 * 1024, f"{size} bytes"


def test_the_checks_can_fail():
    known = endings(["daemon/index/merge.c", "daemon/index/index.h"])
    own = ["daemon/index/merge.c", "daemon/index/index.h"]
    good = "| file | does |\n|---|---|\n| `merge` | x |\n| `index.h` | y |\n"
    harness.eq(wrong_readme(good, own, known), [])
    for bad in ("| file | does |\n|---|---|\n| `merge` | x |\n",
                good + "| `tally` | z |\n",
                good + "\nsee `index/parts.h`\n"):
        assert wrong_readme(bad, own, known), bad
    harness.eq(missing("/* see index/merge.c, <stdio.h> */", known), [])
    harness.eq(missing("/* see store/merge.c */", known), ["store/merge.c"])
    harness.eq(missing("/* (part.c) */", known), ["part.c"])
    assert fits("a …\nc", "a b\nc\n") and not fits("a …\nc", "a b\nd\n")


if __name__ == "__main__":
    harness.main()
