#!/usr/bin/python3
"""What clang says of sources that it does not have to compile.

    lint.py tidy BUILD [deep]   clang-tidy on the product's sources
    lint.py syntax BUILD        clang's warnings, as errors, on the tests'

BUILD has the compile_commands.json of clang. clang-tidy passes over files that
it found clean before: those whose text, rules, options and headers of ours are
the same. Half of its time goes into the static analyzer, which walks up to so
many nodes of the paths through a function: NODES, or with "deep" as many as
clang itself allows (225,000).
"""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

NODES = 3000
# Files for one process, whose start costs as much as a small file.
BATCH = 8
PRODUCT = ("proto/", "daemon/", "client/")
JOBS = len(os.sched_getaffinity(0))
# Are about C++ alone: in C they find nothing, and take a third of the time.
ONLY_CPP = (
    "bugprone-copy-constructor-init", "bugprone-dangling-handle",
    "bugprone-exception-escape", "bugprone-fold-init-type",
    "bugprone-forward-declaration-namespace",
    "bugprone-forwarding-reference-overload", "bugprone-inaccurate-erase",
    "bugprone-lambda-function-name", "bugprone-move-forwarding-reference",
    "bugprone-parent-virtual-call", "bugprone-string-constructor",
    "bugprone-string-integer-assignment", "bugprone-stringview-nullptr",
    "bugprone-unchecked-optional-access", "bugprone-throw-keyword-missing",
    "bugprone-undelegated-constructor", "bugprone-unhandled-exception-at-new",
    "bugprone-unhandled-self-assignment", "bugprone-unused-raii",
    "bugprone-use-after-move", "bugprone-virtual-near-miss", "cert-dcl50-cpp",
    "cert-dcl54-cpp", "cert-dcl58-cpp", "cert-err52-cpp", "cert-err58-cpp",
    "cert-err60-cpp", "cert-err61-cpp", "cert-err09-cpp", "cert-mem57-cpp",
    "cert-msc51-cpp", "cert-oop11-cpp", "cert-oop54-cpp", "cert-oop57-cpp",
    "cert-oop58-cpp", "performance-faster-string-find",
    "performance-for-range-copy", "performance-implicit-conversion-in-loop",
    "performance-inefficient-algorithm",
    "performance-inefficient-string-concatenation",
    "performance-inefficient-vector-operation", "performance-move-const-arg",
    "performance-move-constructor-init", "performance-no-automatic-move",
    "performance-noexcept-move-constructor",
    "performance-trivially-destructible",
    "performance-unnecessary-copy-initialization",
    "performance-unnecessary-value-param")


def commands(build, folders):
    """{file: its first entry}; libccfc.so has some of them once more."""
    found = {}
    with open(os.path.join(build, "compile_commands.json"),
              encoding="utf-8") as f:
        for entry in json.load(f):
            name = os.path.relpath(entry["file"])
            if name.startswith(folders):
                found.setdefault(name, entry)
    return found


def without_output(entry, *more):
    """The entry's command, to write no object file."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    return [*words[:at], *words[at + 2:], *more]


def run(words, cwd):
    return subprocess.run(words, cwd=cwd, capture_output=True, check=False)


class Included:
    """The text of a file together with that of all headers of ours that it
    names, whatever the preprocessor would make of them."""

    NAMED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)

    def __init__(self):
        self.read = {}

    def one(self, path):
        """(sum, names) of a file; None: there is none."""
        if path not in self.read:
            self.read[path] = None
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    data = f.read()
                self.read[path] = (hashlib.sha256(data).digest(),
                                   self.NAMED.findall(data))
        return self.read[path]

    def sums(self, path, folders):
        found, left = {}, [path]
        while left:
            path = left.pop()
            if path in found or not self.one(path):
                continue
            found[path], names = self.one(path)
            for name in names:
                left += [os.path.normpath(os.path.join(folder, name.decode()))
                         for folder in (os.path.dirname(path), *folders)]
        return b"".join(k.encode() + found[k] for k in sorted(found))


def key(included, entry, rules):
    """Changes with whatever of ours clang-tidy sees of the file."""
    folders = [w[2:] for w in shlex.split(entry["command"])
               if w.startswith("-I")]
    return hashlib.sha256(b"\0".join(
        [rules, entry["command"].encode(),
         included.sums(entry["file"], folders)])).hexdigest()


def batches(names):
    """All names, those for one process together; not C with C++."""
    for c in (True, False):
        some = [name for name in names if name.endswith(".c") == c]
        count = -(-len(some) // BATCH)
        yield from (some[i::count] for i in range(count))


def tidy(build, deep):
    every = commands(build, PRODUCT)
    once = os.path.join(build, "once")
    clean = os.path.join(build, "clean")
    os.makedirs(once, exist_ok=True)
    os.makedirs(clean, exist_ok=True)
    with open(os.path.join(once, "compile_commands.json"), "w",
              encoding="utf-8") as f:
        json.dump(list(every.values()), f)
    words = ["nice", "clang-tidy", "-p", once, "--quiet",
             "--warnings-as-errors=*"]
    if not deep:
        words += ["--extra-arg=" + w for w in (
            "-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={NODES}")]
    in_c = "--checks=" + ",".join("-" + name for name in ONLY_CPP)
    with open(".clang-tidy", "rb") as f:
        rules = f.read() + repr((words, in_c)).encode() + run(
            ["clang-tidy", "--version"], ".").stdout
    included = Included()
    marks = {name: key(included, every[name], rules) for name in every}
    there = set(os.listdir(clean))

    def look(names):
        more = [in_c] if names[0].endswith(".c") else []
        done = run([*words, *more, *names], ".")
        if done.returncode and len(names) > 1:
            return [text for name in names for text in look([name])]
        if done.returncode:
            return [(done.stdout + done.stderr).decode()]
        for name in names:
            with open(os.path.join(clean, marks[name]), "wb"):
                pass
        return []
    with ThreadPoolExecutor(JOBS) as pool:
        found = list(pool.map(look, batches(sorted(
            name for name in every if marks[name] not in there))))
    for old in there - set(marks.values()):
        os.unlink(os.path.join(clean, old))
    return len(every), [text for texts in found for text in texts]


def syntax(build):
    every = commands(build, ("tests/",))

    def look(name):
        done = run(without_output(every[name], "-fsyntax-only"),
                   every[name]["directory"])
        return done.stderr.decode() if done.returncode else ""
    with ThreadPoolExecutor(JOBS) as pool:
        found = list(pool.map(look, sorted(every)))
    return len(every), [text for text in found if text]


def main():
    what, build, *more = sys.argv[1:]
    count, wrong = tidy(build, more == ["deep"]) if what == "tidy" \
        else syntax(build)
    print("\n".join(wrong))
    print(f"{count} files, {len(wrong)} with complaints")
    # None at all would be a mistake of ours.
    sys.exit(1 if wrong or not count else 0)


if __name__ == "__main__":
    main()
