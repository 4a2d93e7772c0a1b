#!/usr/bin/python3
"""What clang says of sources that it does not have to compile.

    lint.py tidy BUILD [deep]   clang-tidy on the product's sources
    lint.py syntax BUILD        clang's warnings, as errors, on the tests'

BUILD has the compile_commands.json of clang. clang-tidy passes over files that
it found clean before: those whose text after the preprocessor (comments kept),
rules and options are the same. Nearly all of its time goes into the static
analyzer, which walks up to so many nodes of the paths through a function:
NODES, or with "deep" as many as clang itself allows (225,000).
"""
import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

NODES = 20000
PRODUCT = ("proto/", "daemon/", "client/")
JOBS = len(os.sched_getaffinity(0))


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


def key(name, entry, rules):
    """Changes with whatever clang-tidy sees of the file."""
    words = [w for w in without_output(entry, "-E", "-C") if w != "-c"]
    done = run(words, entry["directory"])
    return hashlib.sha256(b"\0".join(
        [rules, name.encode(), entry["command"].encode(), done.stdout,
         done.stderr])).hexdigest()


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
    with open(".clang-tidy", "rb") as f:
        rules = f.read() + repr(words).encode() + run(
            ["clang-tidy", "--version"], ".").stdout

    def look(name):
        mark = key(name, every[name], rules)
        path = os.path.join(clean, mark)
        if not os.path.exists(path):
            done = run([*words, name], ".")
            if done.returncode:
                return mark, (done.stdout + done.stderr).decode()
            with open(path, "wb"):
                pass
        return mark, ""
    with ThreadPoolExecutor(JOBS) as pool:
        found = list(pool.map(look, sorted(every)))
    for old in set(os.listdir(clean)) - {mark for mark, _ in found}:
        os.unlink(os.path.join(clean, old))
    return len(every), [text for _, text in found if text]


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
