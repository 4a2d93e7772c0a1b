#!/usr/bin/python3
"""Draws what Neovim and Vim show, as SVG: a session has changed a file, and the
cursor is on one of its lines.

    client/editors/capture.py BUILD

runs the real editors in tmux, with a daemon of BUILD and a scratch directory,
and writes nvim/screen.svg and vim/screen.svg beside this file.
"""
import glob
import html
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = glob.glob(os.path.join(HERE, "..", "..", "tests", "func", "*",
                                      ""))

COLUMNS, ROWS = 124, 14
CELL_W, CELL_H = 8.4, 18
PALETTE = ["#1c1c1c", "#d75f5f", "#5faf5f", "#d7af5f", "#5f87d7", "#af5faf",
           "#5fafaf", "#bcbcbc", "#767676", "#ff8787", "#87d787", "#ffd787",
           "#87afff", "#ff87ff", "#87ffff", "#ffffff"]
BEFORE = """import sys


def main(argv):
    for name in argv[1:]:
        print(name)


main(sys.argv)
"""
AFTER = BEFORE.replace("        print(name)\n", """        with open(name) as f:
            print(name, sum(1 for _ in f))
""")
LAST = AFTER.replace("        with open", """        if name == "-":
            continue
        with open""")


def colour(codes):
    """The colour behind 38 or 48, taken from the list."""
    kind = codes.pop(0)
    if kind == 2:
        return "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
    n = codes.pop(0)
    if n < 16:
        return PALETTE[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    n -= 16
    return "#%02x%02x%02x" % (steps[n // 36], steps[n // 6 % 6], steps[n % 6])


def style_of(codes, style):
    codes = [int(c or 0) for c in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code in (38, 48):
            style = {**style, "fg" if code == 38 else "bg": colour(codes)}
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = {**style, "fg": PALETTE[code % 10 + (8 if code > 89
                                                         else 0)]}
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = {**style, "bg": PALETTE[code % 10 + (8 if code > 99
                                                         else 0)]}
        elif code in (39, 49):
            style = {k: v for k, v in style.items()
                     if k != ("fg" if code == 39 else "bg")}
        elif code == 7:
            style = {**style, "reverse": True}
        elif code == 1:
            style = {**style, "bold": True}
    return style


def runs(line, style):
    """(text, style) of a captured line; a style goes on in the next one."""
    at = 0
    for m in re.finditer(r"\x1b\[([0-9;]*)m", line):
        if m.start() > at:
            yield line[at:m.start()], style
        style, at = style_of(m[1], style), m.end()
    yield line[at:], style


def svg(lines):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" '
           f'width="{COLUMNS * CELL_W + 16:.0f}" '
           f'height="{ROWS * CELL_H + 16}" font-family="monospace" '
           f'font-size="14">',
           '<rect width="100%" height="100%" fill="#1c1c1c"/>']
    style = {}
    for row, line in enumerate(lines):
        column = 0
        for text, style in runs(line, style):
            fg = style.get("fg", "#d0d0d0")
            bg = style.get("bg")
            if style.get("reverse"):
                fg, bg = bg or "#1c1c1c", fg
            x, y = 8 + column * CELL_W, 8 + row * CELL_H
            width = len(text) * CELL_W
            if bg:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
                           f'height="{CELL_H}" fill="{bg}"/>')
            if text.strip():
                bold = ' font-weight="bold"' if style.get("bold") else ""
                out.append(
                    f'<text x="{x:.1f}" y="{y + 14}" fill="{fg}"{bold} '
                    f'textLength="{width:.1f}" xml:space="preserve">'
                    f'{html.escape(text)}</text>')
            column += len(text)
    return "\n".join([*out, "</svg>", ""])


def tmux(socket, *args):
    return subprocess.run(["tmux", "-S", socket, *args], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def capture(world, argv, keys, wanted):
    """The screen of the editor, once the text is on it; the keys are sent when
    the owner of the line is."""
    socket = os.path.join(world.box.top, "tmux")
    env = {**world.box.env, "TERM": "screen-256color",
           "PATH": os.path.dirname(world.box.ccfc) + ":/usr/bin:/bin"}
    subprocess.run(
        ["tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d",
         "-x", str(COLUMNS), "-y", str(ROWS + 1), *argv],
        env=env, cwd=world.dir, check=True)
    try:
        deadline = time.monotonic() + 30
        while wanted not in (screen := tmux(
                socket, "capture-pane", "-p", "-e")):
            if time.monotonic() > deadline:
                sys.exit(f"never shown: {wanted}\n{screen}")
            if "opus-4-5" in screen and keys:
                tmux(socket, "send-keys", *keys)
                keys = ()
        return screen.split("\n")[:ROWS]
    finally:
        tmux(socket, "kill-server")


def story(world):
    world.put("count.py", BEFORE)
    world.again("a", "Print how many lines each file has")
    world.write("a", "count.py", AFTER)
    world.again("b", "Skip standard input for now")
    t = world.sessions["b"]
    tid = t.call("Read", {"file_path": world.path("count.py")})
    t.result(tid, {"type": "text", "file": {
        "filePath": world.path("count.py"), "content": AFTER,
        "numLines": 11, "startLine": 1, "totalLines": 11}})
    world.write("b", "count.py", LAST)


def main(build):
    os.environ["CCFC_BIN_DIR"] = build
    import editing
    colours = ("set termguicolors background=dark laststatus=0 "
               "| highlight SignColumn guibg=NONE guifg=#5fafaf "
               "| highlight VertSplit gui=NONE guifg=#767676 guibg=NONE")
    editors = {
        "nvim": ["nvim", "--clean", "-n", "--cmd",
                 f"set rtp^={editing.PLUGINS}/nvim", "-c", colours],
        "vim": ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "--cmd",
                f"set rtp^={editing.PLUGINS}/vim encoding=utf-8",
                "--cmd", "runtime plugin/ccfc.vim", "-c", "filetype on",
                "-c", f"syntax on | {colours}"],
    }
    for name, argv in editors.items():
        with editing.Files("a", "b") as world:
            story(world)
            screen = capture(
                world, [*argv, "+6", world.path("count.py")],
                (":Ccfc blame", "Enter"), "not by a session")
        with open(os.path.join(HERE, name, "screen.svg"), "w",
                  encoding="utf-8") as f:
            f.write(svg(screen))
        print("\n".join(re.sub(r"\x1b\[[0-9;]*m", "", x) for x in screen))


if __name__ == "__main__":
    main(sys.argv[1])
