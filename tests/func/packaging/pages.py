"""The sources of the manual pages, taken apart.

An example is a literal block. One that begins with "$ " is for the shell: its
other lines are more of a command (in quotes, or behind a backslash) or what it
prints, "…" for anything. Every other block has a comment right above it,
which says what it is:

    ; example: exit 3          shell; the status in place of 0 ("0 or 1" too)
    ; example: config          a file of settings
    ; example: declarations    prototypes, as in the header
    ; example: c ARGUMENTS     a program; "c and a change of NAME": one that
                               says that it waits, and ends after the change
    ; example: python ARGUMENTS
    ; example: sql             a query, which sql.py runs
    ; example: request         bytes that are sent, as a hexdump
    ; example: response        what comes back
"""
import os
import re
import shlex

from harness import TOP

FOLDER = os.path.join(TOP, "packaging", "man")
FENCE = "```"
MARK = "; example: "


class Example:
    """One block: what it is, what it says, and where."""

    def __init__(self, page, number, mark, lines):
        self.where = f"{page}.scd:{number}"
        self.text = "\n".join(unescape(line) for line in lines) + "\n"
        if self.text.startswith("$ ") and (
                not mark or mark.startswith("exit ")):
            self.kind, self.words = "shell", mark
        else:
            self.kind, _, self.words = mark.partition(" ")

    def status(self):
        """The right ones, of a shell example."""
        numbers = re.findall(r"\d", self.words or "0")
        return [int(n) for n in numbers]

    def commands(self):
        """(the commands, the lines that they print)"""
        run, printed = [], []
        for line in self.text.splitlines():
            if run and not complete(run[-1]):
                run[-1] += "\n" + line
            elif line.startswith("$ "):
                run.append(line[2:])
            else:
                printed.append(line)
        return run, printed


def complete(command):
    if command.endswith("\\"):
        return False
    try:
        shlex.split(command)
        return True
    except ValueError:
        return False


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text)


def plain(text):
    """A line without its markup."""
    return re.sub(r"\\(.)|[*_](?=\W|$)|(?:(?<=\W)|^)[*_]",
                  lambda m: m[1] or "", text)


class Page:
    def __init__(self, name):
        self.name = name  # "ccfc.1"
        self.section = name.rpartition(".")[2]
        with open(os.path.join(FOLDER, name + ".scd"),
                  encoding="utf-8") as f:
            self.text = f.read()
        self.examples = list(self.find_examples())

    def find_examples(self):
        rows = self.text.splitlines()
        begin = None
        for i, row in enumerate(rows):
            if row.strip() != FENCE:
                continue
            if begin is None:
                begin = i
                continue
            above = rows[begin - 1]
            mark = above[len(MARK):] if above.startswith(MARK) else ""
            yield Example(self.name, begin + 1, mark, rows[begin + 1:i])
            begin = None

    def prose(self):
        """All but the examples and the comments."""
        parts = self.text.split("\n" + FENCE + "\n")
        return re.sub(r"^;.*\n", "", "\n".join(parts[::2]), flags=re.M)

    def part(self, title):
        """What stands below a heading, up to the next of its level."""
        level = "##?" if title.startswith("## ") else "#"
        found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^{level} |\Z)",
                          self.prose(), re.M | re.S)
        if not found:
            raise AssertionError(f"{self.name}: no heading '{title}'")
        return found[1]

    def terms(self, title):
        """The definition list below a heading: term → text, both plain."""
        out = {}
        for block in self.part(title).split("\n\n"):
            rows = block.strip("\n").split("\n")
            body = [r for r in rows if r.startswith("\t")]
            head = [r for r in rows if not r.startswith(("\t", "#"))]
            if body and head:
                out[plain(" ".join(head))] = plain(
                    " ".join(r.strip() for r in body))
        return out


def names():
    return sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".scd"))


def pages():
    return [Page(name) for name in names()]


def examples(kind):
    """Those of all pages; there are some of each kind."""
    found = [e for page in pages() for e in page.examples if e.kind == kind]
    assert found, f"no example of the kind {kind}"
    return found
