"""A terminal of 80 columns, and what stands on it at the end."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import unicodedata

from harness import LIMIT, SANITIZER

COLUMNS = 80
ROWS = 50
# Colours, cursor movements, titles and links: what takes no place.
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
                    r"|\x1b[=>78M(][B0]?")


def run(argv, env, cwd, answers=(), columns=COLUMNS):
    """Runs a program to its end; (what stood on the terminal, exit status).
    `answers` are pairs: what is typed, when the text has come."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ,
                    struct.pack("HHHH", ROWS, columns, 0, 0))
        os.chdir(cwd)
        os.execvpe(argv[0], argv, {"TERM": "xterm-256color",
                                   "CCFC_PAGER": "cat", **env, "PWD": cwd})
    try:
        text = talk(fd, list(answers))
    finally:
        os.close(fd)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    text = text.decode(errors="replace").replace("\r\n", "\n")
    if SANITIZER.search(text):
        raise AssertionError(f"{argv}: sanitizer report:\n{text}")
    return text, status


def talk(fd, answers):
    text, seen = b"", 0
    while select.select([fd], [], [], LIMIT)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            return text  # the last one has closed it
        if not data:
            return text
        text += data
        while answers and answers[0][0].encode() in text[seen:]:
            seen = len(text)
            os.write(fd, answers.pop(0)[1].encode())
    raise AssertionError(f"it does not end:\n{text.decode(errors='replace')}")


def lines(text):
    """The lines as one sees them: a carriage return begins anew."""
    for row in text.split("\n"):
        yield ESCAPE.sub("", row).rstrip("\r").rpartition("\r")[2]


def width(text):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def too_wide(text, columns=COLUMNS):
    return [row for row in lines(text) if width(row) > columns]
