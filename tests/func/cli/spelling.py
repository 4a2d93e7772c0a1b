"""Errors use the words of the command line: every text that the daemon can
send is taken from its sources, and ccfc prints it without a name of the
protocol."""
import os
import re

import harness
from harness import Box, TOP, eq
from skew import INFO, against
from transcript import Ids, Transcript

CALL = re.compile(r"ccfc_err_(?:set|hint)\(")
SKIPPED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'|/\*.*?\*/", re.S)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def table(path, pattern):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return re.findall(pattern, f.read(), re.M)


OPTIONS = table("proto/schema/options.def", r'^OPTION\(\w+, "(\w+)"')
METHODS = table("include/ccfc/protocol.h", r'CCFC_M_\w+\s+"([\w.]+)"')


def sources():
    for folder, _, files in os.walk(os.path.join(TOP, "daemon")):
        for name in files:
            if name.endswith(".c"):
                yield os.path.join(folder, name)


def end_of(text, at):
    """Where the parenthesis that opens before `at` closes."""
    depth = 1
    while depth:
        skipped = SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def texts():
    """(file, text) of each error and hint of the daemon."""
    for path in sources():
        with open(path, encoding="utf-8") as f:
            code = f.read()
        for call in CALL.finditer(code):
            inside = code[call.end():end_of(code, call.end())]
            # Choices of a conditional stand one after another: all of them.
            for run in re.finditer(rf"(?:{LITERAL.pattern}\s*)+", inside):
                yield os.path.relpath(path, TOP), "".join(
                    m[1] for m in LITERAL.finditer(run[0]))


def test_texts_name_options_in_one_way():
    """ "option 'at'", so that a client can find and replace the name."""
    assert len(list(texts())) > 150, "they are not found any more"
    for path, text in texts():
        for name in re.finditer(r"(?<!option )'(\w+)'", text):
            assert name[1] not in OPTIONS, f"{path}: {text}"
        for word in re.findall(r"\b[a-z]+\.[a-z_]+\b", text):
            assert word not in METHODS or text.startswith(word + ": "), \
                f"{path}: {text}"


def test_every_option_has_a_word():
    have = dict(table("client/cli/frame/spelling.c",
                      r'^\t\{ "(\w+)", "([^"]+)" \},'))
    eq(sorted(set(OPTIONS) - set(have)), [], "options without a word")
    eq(sorted(set(have) - set(OPTIONS)), [], "words without an option")


def said(box, fake, text, *command):
    """What ccfc prints where the daemon answers with this error."""
    fake.methods = {m: (f"invalid: {text}", None) for m in METHODS}
    done = box.run(*(command or ("search", "/home/dev/p/a.py")))
    eq(done.returncode, 2, done.stderr)
    return done.stderr


def filled(text, option):
    """The text as the daemon sends it."""
    text = re.sub(r"option '%(?:\.\*)?s'", f"option '{option}'", text)
    text = re.sub(r"^%(?:\.\*)?s: ", "file.sessions: ", text)
    return re.sub(r"%[-.*\d]*(?:ll|z)?[sdu]", "7", text).replace('\\"', '"')


def test_all_texts():
    with against(INFO) as (box, fake):
        for path, text in texts():
            if "unknown option" in text:
                continue
            out = said(box, fake, filled(text, "fromDate"))
            assert "option '" not in out, f"{path}: {out}"
            assert not re.search(r"\b(file|session)\.\w+:", out), out


def test_words_of_the_command():
    """The row of the command that asks decides."""
    with against(INFO) as (box, fake):
        eq(said(box, fake, "x.y: option 'fromDate' is later than "
                "option 'toDate'"),
           "ccfc: x.y: --from is later than --to\n")
        eq(said(box, fake, "text.search: option 'session' is missing",
                "grep", "x"), "ccfc: grep: --session is missing\n")
        eq(said(box, fake, "session.files: option 'session' is missing",
                "list", "x"), "ccfc: list: SESSION is missing\n")
        # Words of the caller are not the daemon's.
        eq(said(box, fake, "text.search: nothing has 'option 'at''", "grep",
                "option 'at'"), "ccfc: grep: nothing has 'option 'at''\n")


def test_a_file_that_is_gone():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        path = os.path.join(box.top, "gone.c")
        t.write(path)
        done = box.run("blame", path)
        eq(done.returncode, 1, done.stderr)
        assert "hint: give --at for the file as it was" in done.stderr, \
            done.stderr
        empty = os.path.join(box.top, "empty")
        os.makedirs(empty)
        for at in ("@", "before:@", "@-3", "@/x/"):
            done = box.run("cat", path, "--at=" + at, cwd=empty)
            eq(done.returncode, 1, done.stderr)
            word = at.removeprefix("before:")
            eq(done.stderr.splitlines()[0], f"ccfc: session {word}: no "
               f"session worked in {empty}", at)


if __name__ == "__main__":
    harness.main()
