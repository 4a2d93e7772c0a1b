"""`ccfc web` as people use it: on a terminal, with and without a browser, on a
port that is taken, twice, and across restarts of the daemon."""
import os
import re
import socket

import harness
import page
import terminal
from harness import eq
from rest import Web
from world import World

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#token=[0-9a-f]{64}")


class Typed:
    """A person at a terminal; `opener` is what xdg-open does there."""

    def __init__(self, world, opener=None):
        self.world = world
        folder = os.path.join(world.box.top, "bin")
        self.env = {**world.box.env, "DISPLAY": ":9",
                    "PATH": f"{folder}:{world.box.env['PATH']}"}
        os.makedirs(folder, exist_ok=True)
        if opener is not None:
            path = os.path.join(folder, "xdg-open")
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\n{opener}\n")
            os.chmod(path, 0o755)

    def web(self, *args, **env):
        """(the lines on the terminal, exit status)."""
        given = {k: v for k, v in {**self.env, **env}.items()
                 if v is not None}
        text, status = terminal.run([self.world.box.ccfc, "web", *args],
                                    given, self.world.dir)
        return list(terminal.lines(text))[:-1], status


def test_a_browser_is_opened():
    """It gets a private file, since others see a program's arguments."""
    with World() as w:
        w.write("a", "f", "x\n")
        seen = os.path.join(w.box.top, "seen")
        shown, status = Typed(w, f'echo "$@" > {seen}; cat "$1" >> {seen}; '
                              'echo noise').web()
        eq((len(shown), status), (1, 0), shown)
        assert ADDRESS.fullmatch(shown[0]), shown
        with open(seen, encoding="utf-8") as f:
            path, page_text = f.read().split("\n", 1)
        assert shown[0] not in path and shown[0] in page_text, page_text
        eq(os.stat(path).st_mode & 0o777, 0o600)
        # Twice: the same address; and nothing is opened if nobody wants it.
        os.unlink(seen)
        eq(Typed(w).web("--no-open"), (shown, 0))
        assert not os.path.exists(seen)


def test_no_browser():
    """The address stands first, then one line."""
    with World() as w:
        w.write("a", "f", "x\n")
        typed = Typed(w, "echo bad >&2; exit 3")
        shown, status = typed.web()
        assert ADDRESS.fullmatch(shown[0]), shown
        eq((shown[1:], status), (["ccfc: note: no browser could be opened; "
                                  "open the address by hand"], 0))
        shown, status = typed.web(DISPLAY=None)
        port = ADDRESS.fullmatch(shown[0])[1]
        eq((" ".join(shown[1:]), status), (
            "ccfc: note: there is no display here; from another machine: ssh "
            f"-L {port}:127.0.0.1:{port}", 0))


def test_mistakes_are_one_line_and_a_hint():
    with World() as w:
        w.write("a", "f", "x\n")
        typed = Typed(w, "exit 0")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            eq(typed.web(f"--port={port}"), (
                [f"ccfc: 127.0.0.1:{port}: another program has this port",
                 "hint: --port=0 takes any free one"], 2))
        eq(typed.web("--port=70000"), (
            ["ccfc: web: --port=70000: out of range",
             "hint: give a number from 0 to 65535"], 2))
        eq(typed.web("please"), (
            ["ccfc: web: one argument too many: 'please'",
             "hint: usage: ccfc web [--port=N] [--no-open]"], 2))
        eq(typed.web("--stop"), (["not served"], 1))
        typed.web()
        eq(typed.web("--stop"), (["stopped"], 0))
        w.box.stop()
        shown, status = typed.web("--stop")
        eq(status, 3, shown)


def configure(w, value):
    folder = os.path.join(w.box.top, "config", "ccfc")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config"), "w", encoding="ascii") as f:
        f.write(f"web = {value}\n")


def test_the_address_stays():
    """After a restart the port is the same if it is free, and the token."""
    with World() as w:
        w.write("a", "f", "x\n")
        configure(w, "on")
        w.box.restart()
        first = Web(w.box)
        w.box.restart()
        again = Web(w.box)
        eq((again.base, again.token), (first.base, first.token))
        w.box.stop()
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", first.port))
            taken.listen()
            w.box.start()
            other = Web(w.box)
            assert other.port != first.port
            eq(other.ask("/api/status")[0], 200)
        # A port of the config that is taken: the daemon runs, and says so.
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            configure(w, port)
            w.box.restart()
            assert "webPort" not in w.box.json("status")
            assert f"the web is off: 127.0.0.1:{port}" in w.box.log_text()


def test_an_open_page_finds_the_next_daemon():
    page.the_browser()
    with World() as w:
        w.write("a", "f.txt", "one\n")
        configure(w, "on")
        w.box.restart()
        tab = page.Page(w.box, "#/now?list=changes", ".list .row")
        tab.browser.run("window.stayed = true")
        w.box.stop()
        tab.browser.wait_text("not connected", "header")
        w.box.start()
        w.write("a", "later.txt", "two\n")
        tab.browser.wait_text("later.txt", ".list")
        tab.browser.wait("!document.getElementById('lost').firstChild")
        eq(tab.browser.run("return window.stayed"), True, "no reload")
        eq(tab.browser.text(".failure"), "")


if __name__ == "__main__":
    try:
        harness.main()
    finally:
        page.end_browser()
