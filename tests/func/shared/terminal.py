"""A terminal of 80 columns, and what stands on it at the end."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import unicodedata

from harness import LIMIT, SANITIZER, eq

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


def draw(data, rows=24, width=80):
    """What a terminal shows after these bytes: its lines."""
    screen = [[" "] * width for _ in range(rows)]
    y = x = 0
    for part in re.finditer(r"\x1b\[([?0-9;]*)([A-Za-z])|(.)", data, re.S):
        code, char = part.group(2), part.group(3)
        if code == "H":
            y = x = 0
        elif code == "K":
            screen[y][x:] = [" "] * (width - x)
        elif code == "J":
            screen[y][x:] = [" "] * (width - x)
            screen[y + 1:] = [[" "] * width for _ in screen[y + 1:]]
        elif char == "\r":
            x = 0
        elif char == "\n":
            y = min(y + 1, rows - 1)
        elif char is not None:
            assert x < width, f"wider than {width} columns"
            screen[y][x] = char
            x += 1
    return ["".join(row).rstrip() for row in screen]


class Terminal:
    """ccfc in a terminal of its own."""

    def __init__(self, box, *args, rows=24, width=80):
        self.ours, theirs = pty.openpty()
        self.resize(rows, width)
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.process = subprocess.Popen(
            [box.ccfc, *args], env={**box.env, "TERM": "xterm"},
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=box.top,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.data = ""

    def resize(self, rows, width):
        self.rows, self.width = rows, width
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, width, 0, 0))

    def read(self):
        ready = select.select([self.ours], [], [], LIMIT)[0]
        assert ready, self.data[-3000:]
        try:
            self.data += os.read(self.ours, 1 << 16).decode(errors="replace")
        except OSError:
            return False
        return True

    def wait_for(self, *words):
        """Until a whole frame shows all of them; its lines."""
        while True:
            frames = self.data.split("\x1b[H")
            if len(frames) > 2:
                shown = draw("\x1b[H" + frames[-2], self.rows, self.width)
                if all(any(w in x for x in shown) for w in words):
                    return shown
            assert self.read(), self.data[-3000:]

    def line_with(self, word):
        """The line that has this word, once it is whole: of a command that
        prints one line after another."""
        while True:
            for row in lines(self.data.replace("\r\n", "\n")[::-1]
                             .partition("\n")[2][::-1]):
                if word in row:
                    return row
            assert self.read(), self.data[-3000:]

    def key(self, text):
        os.write(self.ours, text.encode())

    def end(self):
        """Its exit status; the terminal is as it was before."""
        code = self.process.wait(LIMIT)
        while select.select([self.ours], [], [], 0)[0] and self.read():
            pass
        assert self.data.endswith("\x1b[?25h\x1b[?1049l"), \
            repr(self.data[-60:])
        eq(termios.tcgetattr(self.theirs)[3], self.before[3], "its modes")
        os.close(self.theirs)
        os.close(self.ours)
        return code
