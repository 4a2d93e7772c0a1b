"""The manual pages: they are built, installed and without faults, and they
say what there is and nothing else. That their examples work is examples.py's.
"""
import contextlib
import functools
import os
import re
import shutil
import tempfile

import harness
import install
from harness import Box, RpcError, Skip, TOP, eq
from install import CFLAGS, cache, files_below, installed, sh
from pages import Page, examples, pages, plain

CC = cache("CMAKE_C_COMPILER")


def source(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def code(*path):
    """A C file without its comments."""
    return re.sub(r"/\*.*?\*/", "", source(*path), flags=re.S)


def same(got, want, what):
    """Sets are equal; the message says what is missing and what too much."""
    eq((sorted(set(want) - set(got)), sorted(set(got) - set(want))), ([], []),
       f"{what} (missing, too many)")


def need_pages():
    if not os.path.isabs(cache("CCFC_SCDOC")):
        raise Skip("no scdoc when this was configured: no manual pages")


# ---- the pages as such ----


@functools.cache
def built():
    """page → what was installed of it."""
    need_pages()
    with installed() as prefix:
        top = os.path.join(prefix, cache("CMAKE_INSTALL_MANDIR")
                           or "share/man")
        return {name: install.read(top, name) for name in files_below(top)}


def test_installed():
    same(built(), [f"man{p.section}/{p.name}" for p in pages()], "pages")
    version = cache("CMAKE_PROJECT_VERSION")
    for name, text in built().items():
        assert f'"ccfc {version}"' in text, f"{name}: another version"


@contextlib.contextmanager
def as_files():
    with tempfile.TemporaryDirectory(prefix="ccfc-man-") as top:
        for name, text in built().items():
            path = os.path.join(top, os.path.basename(name))
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        yield [os.path.join(top, n) for n in sorted(os.listdir(top))]


def test_lint():
    """Nothing to say, not even about style."""
    if not shutil.which("mandoc"):
        raise Skip("no mandoc")
    with as_files() as paths:
        for path in paths:
            eq(sh("mandoc", "-T", "lint", "-W", "all", path), "", path)


def test_examples_are_shown_as_they_are():
    """What is run here is what a reader sees and copies."""
    if not shutil.which("mandoc"):
        raise Skip("no mandoc")
    with as_files() as paths:
        shown = {os.path.basename(p): re.sub(
            ".\b", "", sh("mandoc", "-O", "width=200", "-T", "utf8", p))
            for p in paths}
    for page in pages():
        rows = [" ".join(r.split()) for r in shown[page.name].splitlines()]
        for example in page.examples:
            for line in example.text.splitlines():
                if " ".join(line.split()) not in rows:
                    raise AssertionError(f"{example.where}: {line!r}")


def test_references():
    """Pages that a page names are there."""
    ours = {p.name for p in pages()}
    for page in pages():
        found = re.findall(r"\*((?:lib)?ccfc[\w.-]*)\*\((\d)\)", page.text)
        missing = {f"{n}.{s}" for n, s in found} - ours
        eq(sorted(missing), [], f"{page.name} refers to")


# ---- what they say ----


class Help:
    """What `ccfc help COMMAND` prints, taken apart."""

    def __init__(self, text):
        usage = re.search(r"^Usage: (.*(?:\n +ccfc .*)*)", text, re.M)[1]
        self.usage = [" ".join(u.split()) for u in usage.split("\n")]
        self.options = {}
        block = re.search(r"^Options:\n((?: .*\n)*)", text, re.M)
        for row in re.findall(r"^ +(-.*(?:\n {26}.*)?)$",
                              block[1] if block else "", re.M):
            term, _, about = re.sub(r"\n *", "  ", row).partition("  ")
            self.options[term] = about.strip()


def help_of(box, *command):
    return Help(box.ok("help", *command))


def commands_of(box):
    topics = box.ok("help").partition("ccfc help COMMAND")[0]
    return re.findall(r"^  (\w+) +\S", topics, re.M)


def options_in(terms):
    return {t: text for t, text in terms.items() if t.startswith("-")}


def check_values(where, about, text):
    """Words that help names as values stand in the page as well."""
    first = re.match(r"((?:[a-z-]+(?: \(default\))?(?:, | or |,)?)+)"
                     r"(?:$|, for|, also)", about)
    if first and re.search(r"\(default\)|, ", first[1]):
        for word in re.findall(r"[a-z-]+", re.sub(r"\(.*?\)", "", first[1])):
            if word not in ("or", "also"):
                assert re.search(rf"(?<![\w-]){word}(?![\w-])", text), \
                    f"{where}: no word on '{word}'"


def test_commands():
    """ccfc(1) has the commands, usage and options of `ccfc help`, no more."""
    page = Page("ccfc.1")
    with Box() as box:
        common = help_of(box).options
        same(options_in(page.terms("# OPTIONS")), common, "options")
        commands = commands_of(box)
        same(re.findall(r"^## (\S+)$", page.text, re.M), commands, "commands")
        for name in commands:
            told = help_of(box, name)
            first = page.part(f"## {name}").strip().partition("\n\n")[0]
            usage = [plain(u).replace("...", "…").removesuffix("++")
                     for u in first.split("\n")]
            eq(usage, told.usage, f"usage of {name}")
            terms = options_in(page.terms(f"## {name}"))
            same(terms, set(told.options) - set(common), f"ccfc {name}")
            for term, text in terms.items():
                check_values(f"{name} {term}", told.options[term], text)


def test_every_command_has_an_example():
    text = Page("ccfc.1").examples
    shown = " ".join(e.text for e in text if e.kind == "shell")
    with Box() as box:
        for name in commands_of(box):
            assert f"ccfc {name}" in shown, f"no example of ccfc {name}"


def test_environment():
    """Variables that help names are in ccfc(1)."""
    terms = " ".join(Page("ccfc.1").terms("# ENVIRONMENT"))
    with Box() as box:
        block = box.ok("help").partition("\nEnvironment:\n")[2]
    for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b",
                           block.partition("\n\n")[0]):
        assert re.search(rf"\b{name}\b", terms), f"no word on {name}"


def test_sections():
    """What a reader looks for is where it always is."""
    want = {"1": ("OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS"),
            "8": ("OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS"),
            "3": ("RETURN VALUE", "ERRORS", "ENVIRONMENT", "FILES"),
            "5": ("FILES",), "7": ()}
    for page in pages():
        for title in ("NAME", "DESCRIPTION", "SEE ALSO", *want[page.section]):
            page.part(f"# {title}")


def test_daemon_options():
    with Box() as box:
        text = sh(box.ccfcd, "--help", env=box.env)
    words = set(re.findall(r"(?:^  |, )(--[\w-]+(?:=\w+)?)", text, re.M))
    same(options_in(Page("ccfcd.8").terms("# OPTIONS")), words, "ccfcd")


def test_config_keys():
    keys = re.findall(r'strcmp\(key, "([\w-]+)"\)',
                      code("daemon", "config.c"))
    assert len(keys) >= 4, keys
    terms = Page("ccfc.conf.5").terms("# KEYS")
    same([t.split()[0] for t in terms], keys, "keys")


def test_functions():
    """libccfc(3) has the functions, with the types that the headers have."""
    declared = set()
    for name in ("client.h", "error.h", "types.h"):
        declared |= set(re.findall(r"CCFC_API\s[^;{]*?\b(ccfc_\w+)\(",
                                   code("include/ccfc", name)))
    text = "".join(e.text for e in examples("declarations"))
    same(re.findall(r"\b(ccfc_\w+)\(", text), declared, "functions")
    with tempfile.TemporaryDirectory(prefix="ccfc-man-") as top:
        path = os.path.join(top, "all.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#include <ccfc/client.h>\n" + text)
        sh(CC, *CFLAGS, "-fsyntax-only", f"-I{TOP}/include", path)


def test_errors():
    listed = re.findall(r'X\((CCFC_E\w+), (-\d+), "([\w-]+)"',
                        source("include/ccfc/error.h"))
    assert len(listed) >= 12, listed
    same(Page("ccfc-protocol.7").terms("# ERRORS"),
         [name for _, _, name in listed], "errors")
    same(Page("libccfc.3").terms("# ERRORS"),
         [f'{e} ({number}, "{name}")' for e, number, name in listed],
         "errors of libccfc(3)")


def has_option(rpc, method, option):
    """Does the method know it? A map is no value for any but notify."""
    try:
        rpc.call(method, **{option: {"no": "value"}})
    except RpcError as error:
        return f"unknown option '{option}'" not in error.text
    return True


def test_methods():
    """ccfc-protocol(7) has the methods, with the options that each takes."""
    methods = re.findall(r'CCFC_M_\w+\s+"([\w.]+)"',
                         source("include/ccfc/protocol.h"))
    every = re.findall(r'^OPTION\([A-Z_]+, "(\w+)"',
                       source("proto/schema/options.def"), re.M)
    assert len(methods) >= 30 and len(every) >= 40
    terms = [t.split() for t in Page("ccfc-protocol.7").terms("# METHODS")]
    same([t[0] for t in terms], methods, "methods")
    with Box() as box:
        box.start()
        with box.rpc() as rpc:
            for method, *options in terms:
                same(options, [o for o in every
                               if has_option(rpc, method, o)], method)


if __name__ == "__main__":
    harness.main()
