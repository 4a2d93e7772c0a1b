"""What .gitignore excludes, against git itself (git check-ignore)."""
import os
import random
import subprocess
import tempfile

import harness
from harness import eq

SOAK = bool(os.environ.get("CCFC_SOAK"))
PRINT = os.path.join(os.environ.get("CCFC_BIN_DIR", ""), "tests",
                     "ignore_print")

# Patterns with something to get wrong, each tried alone.
PATTERNS = r"""
a
/a
a/
/a/
a/b
a/b/
/a/b
**/a
**/a/b
a/**
a/**/
a/**/b
a/**/**/b
**
**/
**/**
/**
/**/a
a**
a**b
**a
a/**b
a/b**/c
a**/b
*/a
*/*/a
*/
*
?
??
a?
?/a
*.txt
*.t?t
.*
a*
*a
*a*
a*b*c
[ab]
[a-c]
[!a]
[^a]
[!a-c]
[]a]
[]-a]
[a-]
[-a]
[a\]b]
[\\]
[[:alpha:]]
[[:digit:][:upper:]]
[[:foo:]]
[[:alpha:]
[a
a[
a[b/c]d
a[/]b
[a/]
\a
\*
\?
\[a]
a\
a\\
\!a
\#a
#a
!a
a/\*
a\/b
\/a
a b
a\ 
a  
a \ 
 a
a/ 
//a
a//b
/
//
./a
../a
a/.
a/./b
A
*.TXT
{a,b}
~
a~
a.b.c
a-b
*-*
x/y/z
x/*/z
x/**
x/y
y
z
/x/
x/y/
*/y
**/y/
**/z
""".split("\n")

NAMES = ["a", "b", "c", "d", "ab", "abc", "aab", "A", "a.txt", "b.TXT", ".a",
         "*", "?", "[", "]", "-", "\\", "!a", "#a", "a b", "a ", " a", "a~",
         "~", "a-b", "x", "y", "z", "{a,b}", "é", "a.b.c", "[a]", "a[", "0"]


def ask_git(top, asked):
    text = "".join(path + "\0" for _, path in asked)
    done = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore",
         "--no-index", "--stdin", "-z", "-v", "-n"], cwd=top, text=True,
        input=text, capture_output=True, check=False,
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1"})
    assert done.returncode in (0, 1), done.stderr
    fields = done.stdout.split("\0")[:-1]
    rows = [fields[i:i + 4] for i in range(0, len(fields), 4)]
    eq(len(rows), len(asked), "answers of git")
    return ["1" if pattern and not pattern.startswith("!") else "0"
            for _, _, pattern, _ in rows]


def ask_ccfc(top, asked):
    done = subprocess.run(
        [PRINT], cwd=top, text=True, check=True, capture_output=True,
        input="".join(f"{kind} {path}\n" for kind, path in asked))
    return done.stdout.split()


class Tree:
    """A repository with the directories that are asked for: git looks what a
    path is.
    """

    def __init__(self, asked):
        self.asked = asked
        self.scratch = tempfile.TemporaryDirectory()

    def __enter__(self):
        self.top = self.scratch.__enter__()
        subprocess.run(["git", "init", "-q", self.top], check=True)
        for kind, path in self.asked:
            if kind == "d":
                os.makedirs(os.path.join(self.top, path), exist_ok=True)
        return self

    def __exit__(self, *exc):
        self.scratch.__exit__(*exc)

    def compare(self, lists):
        """`lists`: directory → the text of its .gitignore."""
        for where, text in lists.items():
            os.makedirs(os.path.join(self.top, where), exist_ok=True)
            with open(os.path.join(self.top, where, ".gitignore"), "w",
                      encoding="utf-8", newline="") as f:
                f.write(text)
        git, ours = ask_git(self.top, self.asked), \
            ask_ccfc(self.top, self.asked)
        wrong = [(q, "git " + g) for q, g, o in zip(self.asked, git, ours)
                 if g != o]
        assert not wrong, f"{lists!r}: {wrong[:5]}"
        return git.count("1")


def some_paths(rng, n):
    """Names of directories and of files differ, so that both can be there."""
    asked, dirs, files = [], set(), set()
    while len(asked) < n:
        names = [rng.choice(NAMES) for _ in range(rng.randint(1, 4))]
        path = "/".join(names)
        above = {"/".join(names[:i]) for i in range(1, len(names))}
        if above & files or path in dirs or path in files:
            continue
        dirs |= above
        kind = rng.choice("df")
        (dirs if kind == "d" else files).add(path)
        asked.append((kind, path))
    return asked


def test_each_pattern():
    rng = random.Random(1)
    asked = some_paths(rng, 400)
    excluded = 0
    with Tree(asked) as tree:
        for pattern in PATTERNS:
            excluded += tree.compare({"": pattern + "\n"})
    assert excluded > 1000, excluded


def test_lists_in_directories():
    """Several patterns, negated ones, lists in directories below."""
    rng = random.Random(2)
    excluded = 0
    for _ in range(200 if SOAK else 20):
        lists = {}
        for where in ["", "a", "a/b", "x", "b"]:
            lines = [rng.choice(["", "", "!", "/"]) + rng.choice(PATTERNS)
                     for _ in range(rng.randint(0, 4))]
            lists[where] = "\n".join(lines) + rng.choice(["\n", ""])
        asked = [q for q in some_paths(rng, 120)
                 if q not in (("f", "a"), ("f", "b"), ("f", "x"),
                              ("f", "a/b"))]
        with Tree(asked) as tree:
            excluded += tree.compare(lists)
    assert excluded > 50, excluded


def test_made_patterns():
    rng = random.Random(3)
    asked = some_paths(rng, 200)
    pieces = ["a", "b", "*", "**", "?", "/", "/", "[ab]", "[!a]", "\\a",
              ".", "c", "x", "y", "***", "[a-c]", "!", " "]
    excluded = 0
    with Tree(asked) as tree:
        for _ in range(2000 if SOAK else 120):
            pattern = "".join(rng.choice(pieces)
                              for _ in range(rng.randint(1, 6)))
            excluded += tree.compare({"": pattern + "\n"})
    assert excluded > 100, excluded


def test_forms_of_the_file():
    asked = [("f", "a"), ("f", "b"), ("f", "c"), ("f", "a\r")]
    with Tree(asked) as tree:
        for text in ["a\r\nb\r\n", "\ufeffa\nb", "a", "", "\n\n\n", "# a\n\\#a\n",
                     "a\r", "b\n\r\nc"]:
            tree.compare({"": text})


def test_takes_no_more_time_than_its_length():
    """Stars upon stars, held against a name that nearly fits."""
    with tempfile.TemporaryDirectory() as top:
        with open(os.path.join(top, ".gitignore"), "w",
                  encoding="utf-8") as f:
            f.write("*a" * 400 + "b\n" + "**/a/" * 400 + "b\n")
        asked = [("f", "a" * 2000), ("f", "a/" * 1000 + "a")]
        eq(ask_ccfc(top, asked), ["0", "0"])


if __name__ == "__main__":
    harness.main()
