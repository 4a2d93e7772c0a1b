"""Ten tasks of somebody who has used ccfc for a day, each with the number of
commands that it needs. They are typed on a terminal of 80 columns, in a
directory of the project, with nothing copied from an earlier answer. And what
such a terminal shows."""
import os
import re
import time

import harness
import terminal
from harness import Box, eq
from shop import LOGIN, Shop


class Typed:
    """A terminal in src/; counts the commands."""

    def __init__(self, box, where="src"):
        self.box = box
        self.where = box.path(where)
        self.count = 0

    def type(self, *words, status=0, answers=()):
        """What one sees after this command; no line of a table is too long."""
        self.count += 1
        text, got = terminal.run(
            [self.box.ccfc, *words], {**self.box.env, "NO_COLOR": "1"},
            self.where, answers)
        eq(got, status, f"{words}\n{text}")
        wide = [row for row in terminal.too_wide(text)
                if not row.startswith(("ccfc: note: ", "unknown   "))]
        eq(wide, [], f"{words}: lines of more than 80 columns")
        return "\n".join(terminal.lines(text))


def shop(needs, now=None):
    """A test that works in the shop, and needs so many commands."""
    def wrap(function):
        def test():
            with Shop(now and now()) as box:
                box.start()
                at = Typed(box)
                function(box, at)
                eq(at.count, needs, "commands")
        test.__name__, test.__doc__ = function.__name__, function.__doc__
        return test
    return wrap


def has(text, *patterns):
    for pattern in patterns:
        assert re.search(pattern, text), f"{pattern!r} is not in\n{text}"


def this_moment():
    return int(time.time() * 1000)


@shop(1)
def test_who_changed_this_file_and_why(_, at):
    """By its name, from another directory."""
    text = at.type("search", "login.ts", "--why")
    has(text, "login.ts is auth/login.ts", "Modified by 2 sessions",
        r"3f2a91c4", r"42d011e9", "Please slow the login down",
        "Set up the shop")


@shop(2)
def test_what_did_my_last_session_do(_, at):
    text = at.type("show")
    has(text, "3f2a91c4", "Please slow the login down",
        r"Project: +~/src/shop", "The login has a rate limit now")
    text = at.type("diff", "--net")
    has(text, r"\n-const step17 = 17;\n\+const limit = 5;\n", "run\\(2\\)")
    assert "deleted.py" not in text, text


@shop(1)
def test_get_back_the_file_i_had_before(box, at):
    at.type("restore", "auth/login.ts", "--at=before:@")
    eq(box.read("src/auth/login.ts"), LOGIN)


@shop(1)
def test_undo_that_session(box, at):
    text = at.type("revert", "@")
    eq([box.read(n) for n in ("src/auth/login.ts", "src/app.ts", "notes.md")],
       [LOGIN, "import './b';\nrun(1);\n", "# Notes\n"])
    has(text, "undo with: ccfc restore --undo")


@shop(1)
def test_which_prompt_produced_this_line(_, at):
    """The whole prompt, as an editor prints the place."""
    text = at.type("why", "login.ts:17")
    has(text, r"const limit = 5;", "TODO: a rate limit for each address")


@shop(1)
def test_find_where_we_discussed_it(_, at):
    text = at.type("grep", "limit", "rate")
    has(text, "3f2a91c4", "five tries a minute", r"ccfc show \S+ --message=")


@shop(1, now=this_moment)
def test_what_is_happening_right_now(_, at):
    text = at.type("top", answers=[("3f2a91c4", "q")])
    has(text, "shop", "Please slow the login")


@shop(1, now=this_moment)
def test_how_many_tokens_this_week(box, at):
    """By weeks; the last row is this one, whatever the day."""
    box.last.text("One more", usage={"input_tokens": 7_000_000,
                                     "output_tokens": 1})
    text = at.type("stats", "--by=week")
    has(text, "TOKENS|tokens", r"7\.0M")


@shop(1)
def test_share_this_session(box, at):
    text = at.type("export", "@", "--redact", "-o", "session.html")
    has(text, "session.html")
    page = box.read("src/session.html")
    has(page, "^<!DOCTYPE html>", "const limit = 5;", "notes.md")
    assert box.home not in page, "the home directory is in there"


def test_first_run_with_an_empty_home():
    """Each command says why it has nothing to say."""
    with Box() as box:
        os.rmdir(box.projects)
        box.start()
        for words in (["sessions"], ["stats"], ["log"], ["search", "x.c"],
                      ["grep", "x"], ["list"]):
            text, status = terminal.run([box.ccfc, *words], box.env, box.home)
            eq(status, 1, f"{words}\n{text}")
            has(text, re.escape(box.projects) + " does not exist")


LINK = re.compile(r"\x1b\]8;;file://[^/]*(/[^\x1b]*)\x1b\\([^\x1b]*)"
                  r"\x1b\]8;;\x1b\\")


@shop(8)
def test_80_columns_have_what_matters(_, at):
    """Prompts in the log, the status of sessions where the project is known,
    whole times, titles, and the home directory as ~."""
    has(at.type("log"), r"b\.ts +Please slow", r"~/\S+notes\.md +Please slow")
    for option in "--oneline", "--stat":
        has(at.type("log", option), r"  ~/src/shop/notes\.md  Please slow")
    has(at.type("search", "notes.md"), r"notes\.md is ~/src/shop/notes\.md",
        r"File: ~/src/shop/notes\.md")
    has(at.type("sessions"), r"TITLE +LAST +MSGS +CHANGES +STATUS",
        r"3f2a91c4 .* completed")
    has(at.type("stats", "--by=session"), r"3f2a91c4 +\d+ +Please")
    for by in "hour", "block":
        has(at.type("stats", "--by=" + by), r"2025-12-10 \d\d:00 ")


def test_paths_are_links_where_the_terminal_has_them():
    with Shop() as box:
        box.put(box.last, "a b.ts", "one\n")
        box.start()
        for env, option, want in (
                ({}, [], False), ({"VTE_VERSION": "6800"}, [], True),
                ({"TERM": "xterm-kitty"}, ["--hyperlink=never"], False),
                ({}, ["--hyperlink=always"], True)):
            for words in (["list"], ["log"], ["sessions", "--all"]):
                text, status = terminal.run(
                    [box.ccfc, *words, *option], {**box.env, **env}, box.dir)
                eq(status, 0, text)
                links = dict(LINK.findall(text))
                eq(bool(links), want, f"{words} {env} {option}\n{text}")
                eq(terminal.too_wide(text), [], str(words))
                if want and words[0] != "sessions":
                    eq(links[box.dir + "/a%20b.ts"], "a b.ts")
        assert "\x1b" not in box.ok("list", cwd=box.dir)


if __name__ == "__main__":
    harness.main()
