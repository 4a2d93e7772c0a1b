"""The page's sources: nothing in them can turn a text into markup or code, the
token is stored nowhere, and they keep to the house's form."""
import os
import re
import shutil
import subprocess

import harness
from harness import eq

WEB = os.path.join(harness.TOP, "client", "web")
# What would make markup or code of a text, or keep something on disk.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|"
    r"createContextualFragment|srcdoc|\beval\b|new Function|importScripts|"
    r"setHTML|parseFromString|execCommand|javascript:|"
    r"localStorage|sessionStorage|indexedDB|document\.cookie|caches\.|"
    r"setTimeout\(\s*[\"'`]|setInterval|\bimport\(|\.(?:href|src|action|on\w+)"
    r"\s*=[^=]|XMLHttpRequest|WebSocket|EventSource|https?://(?!www\.w3\.org)")
# The few that are meant.
ALLOWED = {("base/token.js", "channel.onmessage ="),
           ("diff/paint.js", "worker.onmessage ="),
           ("diff/paint.js", "worker.onerror ="),
           ("colours.js", "self.onmessage =")}
# Where attributes may be set: dom.js checks their names.
SETTERS = re.compile(r"setAttribute|createElement")
IMPORT = re.compile(r"import (?:\* as (\w+)|\{([^}]*)\}|(\w+))\s*from\s*"
                    r"\"([^\"]+)\"")
LINES_MAX = 400


def modules():
    for folder, _, names in os.walk(WEB):
        for name in sorted(names):
            if name.endswith(".js"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as f:
                    yield os.path.relpath(path, WEB), f.read()


def code(text):
    """Without comments that take a whole line."""
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


def test_no_text_becomes_markup():
    wrong = []
    for name, text in modules():
        for number, line in enumerate(code(text).split("\n"), 1):
            if any(name == n and part in line for n, part in ALLOWED):
                continue
            for found in FORBIDDEN.findall(line):
                wrong.append(f"{name}:{number}: {found}")
            if SETTERS.search(line) and name != "base/dom.js" and not \
                    re.search(r"setAttribute\(\"(role|aria-\w+)\"", line):
                wrong.append(f"{name}:{number}: {line.strip()}")
    eq(wrong, [], "what the page must not use")


def test_the_lint_sees():
    """The expression is not so strict that it finds nothing."""
    for line in ("x.innerHTML = y", "eval(x)", "a.href = b", "n.onclick = f",
                 "localStorage.x", "el.insertAdjacentHTML('a', b)",
                 "fetch('http://evil.example')", "document.write(x)"):
        assert FORBIDDEN.search(line), line
    for line in ("a.href === b", "location.hash = x", "history.back()",
                 "props.onclick", '"http://www.w3.org/2000/svg"'):
        assert not FORBIDDEN.search(line), line


def test_form():
    """80 columns, short files, each with its purpose, no idle imports."""
    wrong = []
    for name, text in modules():
        lines = text.split("\n")
        if not text.startswith("// "):
            wrong.append(f"{name}: it does not say what it is for")
        if len(lines) > LINES_MAX:
            wrong.append(f"{name}: {len(lines)} lines")
        wrong += [f"{name}:{i}: {len(line.expandtabs(8))} columns"
                  for i, line in enumerate(lines, 1)
                  if len(line.expandtabs(8)) > 80]
        body = IMPORT.sub("", text)
        for whole, some, one, source in IMPORT.findall(text):
            for word in [w.strip() for w in
                         (whole or some or one).split(",")]:
                if word and not re.search(rf"\b{word}\b", body):
                    wrong.append(f"{name}: {word} of {source} is not used")
            if source.startswith("."):
                path = os.path.join(WEB, os.path.dirname(name), source)
                if not os.path.exists(path):
                    wrong.append(f"{name}: there is no {source}")
    eq(wrong, [], "form")


def test_the_readme_names_all():
    with open(os.path.join(WEB, "README.md"), encoding="utf-8") as f:
        words = set(re.findall(r"`([^`]+)`", f.read()))
    eq([name for name, _ in modules() if name not in words], [],
       "modules that client/web/README.md does not name")


def test_clang_format():
    """As for C, clang-format decides (client/web/.clang-format)."""
    if not shutil.which("clang-format"):
        raise harness.Skip("clang-format is not installed")
    names = [os.path.join(WEB, name) for name, _ in modules()]
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *names],
                          capture_output=True, text=True, check=False)
    eq(done.returncode, 0, done.stderr[:2000])


if __name__ == "__main__":
    harness.main()
