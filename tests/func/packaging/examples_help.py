"""Every example of `ccfc help` and of the first README on a terminal of 80
columns: it does what it should, and tables fit."""
import os
import re
import shlex
import shutil

import harness
import readmes
import terminal
from harness import eq
from shop import Shop

# What waits for somebody: (what is waited for, what is typed).
ENDS = {"watch": ("clock", "\x03"), "top": ("q quit", "q"),
        "setup": ("[y/N]", "y\n"), "forget": ("[y/N]", "n\n")}
# Where it is no fault to find nothing.
OTHER_STATUS = {"conflicts": (0, 1), "doctor": (0, 1), "forget": (0, 1, 2),
                "watch": (-2, 130)}
# Formats of other programs, and texts of files and sessions, are whole.
WHOLE = re.compile(r"--format|-0|[|>]|-o |--schema|--messages?\b|--dry-run| -p\b"
                   r"|ccfc (?:cat|diff|why|setup|doctor|resume|sql|revert|web)\b")
# Words to people stand on one line, however long.
PROSE = re.compile(r"ccfc: |hint: ")


def check_width(command, text):
    if WHOLE.search(command) or not command.startswith("ccfc "):
        return
    wide = [r for r in terminal.too_wide(text) if not PROSE.match(r)]
    eq(wide, [], f"{command}: lines of more than {terminal.COLUMNS} columns")


def examples(box):
    """(command, example) of all commands, in the order of the help."""
    names = re.findall(r"^  (\w+) +\S",
                       box.ok("help").partition("ccfc help COMMAND")[0], re.M)
    for name in names:
        block = re.search(r"^Examples:\n((?:  .*\n)+)", box.ok("help", name),
                          re.M)
        for row in block[1].splitlines() if block else ():
            # What stands behind some blanks explains it.
            yield name, re.split(r" {3,}", row.strip())[0]


def run_example(box, name, example):
    here = example.replace("/tmp/old", os.path.join(box.top, "old")).replace(
        "/media/usb", os.path.join(box.top, "usb"))
    text, status = terminal.run(
        ["bash", "-o", "pipefail", "-c", here], box.env, box.dir,
        [ENDS[name]] if name in ENDS and "--once" not in example else ())
    allowed = OTHER_STATUS.get(name, (0,))
    if "yesterday" in example:
        allowed = (1,)  # the shop's sessions are of 2025
    assert status in allowed, f"{example}: exit {status}\n{text}"
    check_width(example, text)


def test_help():
    with Shop() as box:
        os.mkdir(os.path.join(box.top, "usb"))
        shutil.copytree(box.claude,
                        os.path.join(box.env["HOME"], "backup", ".claude"))
        box.start()
        count = 0
        for name, example in examples(box):
            assert shlex.split(example), example
            # What undoes needs something to undo.
            if "--undo" not in example:
                box.reset()
            run_example(box, name, example)
            count += 1
        assert count > 100, f"{count} examples"


def test_readme():
    """Their text is compared where nobody cuts it, in readmes.py."""
    with readmes.Sample() as sample:
        sample.box.start()
        for name in ("34fc", "1dc3", "42d0"):
            sample.add(name)
        for command, _ in readmes.examples():
            words = command.replace(sample.PROJECT, sample.project).split()
            text, status = terminal.run(
                [sample.box.ccfc, *words[1:]], sample.box.env, sample.project,
                [ENDS["watch"]] if words[1] == "watch" else ())
            eq(status, -2 if words[1] == "watch" else 0,
               f"{command}\n{text}")
            check_width(command, text)


if __name__ == "__main__":
    harness.main()
