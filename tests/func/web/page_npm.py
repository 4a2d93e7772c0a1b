"""With packages from npm (`tests/run --npm`): axe-core finds nothing serious in
any view, and the description of the REST API is valid and good enough for a
real generator of clients."""
import json
import os
import subprocess
import tempfile
import time

import harness
import npm
import page
from harness import Box, eq
from rest import Web
from world import World

AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then((r) => done(
    r.violations.map((v) => [v.id, v.impact, v.nodes.length,
        v.nodes[0].html, v.nodes[0].failureSummary])),
    (e) => done([["failed", "critical", 1, String(e), ""]]));
"""
VIEWS = [*page.VIEWS, f"#/session/{page.SESSION}?tab=files",
         f"#/session/{page.SESSION}?tab=agents",
         f"#/diff?change={page.CHANGE}&layout=unified"]


def check(browser, source, where):
    """The violations that matter, for a message."""
    browser.run(source)
    found = browser.command("POST", "/execute/async",
                            {"script": AXE, "args": []})
    return [(where, *v) for v in found if v[1] in ("serious", "critical")]


def test_axe_finds_nothing_serious():
    modules = npm.need("axe-core@4")
    with open(os.path.join(modules, "axe-core", "axe.min.js"),
              encoding="utf-8") as f:
        source = f.read()
    found = []
    with page.sample() as box:
        box.start()
        tab = page.Page(box)
        for theme in ("light", "dark"):
            tab.browser.media(prefers_color_scheme=theme)
            for route in VIEWS:
                tab.go(route, "", "main h1")
                page.settle(tab.browser)
                found += check(tab.browser, source, f"{theme} {route}")
        tab.go(f"#/session/{page.SESSION}", "The imports are tidy", ".list")
        tab.browser.click(".message.call", "Edit")
        tab.browser.wait("document.querySelector('.messagebody .diff')")
        found += check(tab.browser, source, "an opened message")
        tab.browser.press("?")
        found += check(tab.browser, source, "the keys")
        tab.browser.open("about:blank")
        tab.browser.open(tab.web.base + "/")
        tab.browser.wait_text("This page needs its token")
        found += check(tab.browser, source, "without a token")
    assert not found, "\n".join(map(str, found))


def test_axe_on_live_sessions():
    """Cards with conflicts, a file's history with many marks, a lost daemon."""
    modules = npm.need("axe-core@4")
    with open(os.path.join(modules, "axe-core", "axe.min.js"),
              encoding="utf-8") as f:
        source = f.read()
    with World() as w:
        for t in w.sessions.values():
            t.ids.now = int(time.time() * 1000) - 60000
            t.prompt("make it faster")
        for text in ("1", "2", "3"):
            w.write("a", "src/f.py", f"def f():\n    return {text}\n")
            w.write("b", "src/f.py", f"def g():\n    return '{text}'\n")
        tab = page.Page(w.box)
        tab.browser.wait_text("Conflict", ".card.clash")
        found = check(tab.browser, source, "cards")
        for route in (page.path_of("#/file", path=w.path("src/f.py")),
                      page.path_of("#/blame", path=w.path("src/f.py")),
                      f"#/session/{w.id('a')}"):
            tab.go(route, "", "main h1")
            page.settle(tab.browser)
            found += check(tab.browser, source, route)
        w.box.ok("web", "--stop")
        tab.browser.wait_text("not connected", "header")
        found += check(tab.browser, source, "without the daemon")
    assert not found, "\n".join(map(str, found))


def described(folder):
    """The description, as a file there."""
    with Box() as box:
        box.start()
        status, _, body = Web(box).ask("/api/openapi.json")
        eq(status, 200)
    path = os.path.join(folder, "openapi.json")
    with open(path, "wb") as f:
        f.write(body)
    return path


def node(modules, *argv):
    done = subprocess.run(["node", *argv], capture_output=True, text=True,
                          check=False, cwd=os.path.dirname(modules))
    assert not done.returncode, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


VALIDATE = """
import {Validator} from "@seriousme/openapi-schema-validator";
const got = await new Validator().validate(process.argv[1]);
console.log(JSON.stringify(got));
"""


def test_the_description_is_valid():
    modules = npm.need("@seriousme/openapi-schema-validator@2")
    with tempfile.TemporaryDirectory() as folder:
        path = described(folder)

        def validate():
            return json.loads(node(modules, "--input-type=module", "-e",
                                   VALIDATE, path))

        got = validate()
        assert got["valid"], got
        with open(path, encoding="utf-8") as f:
            broken = json.load(f)
        del broken["info"]["title"]
        with open(path, "w", encoding="utf-8") as f:
            json.dump(broken, f)
        assert not validate()["valid"], "the validator accepts anything"


CLIENT = """
import type {components, paths} from "./api";
type Answer = paths["/api/sessions"]["get"]["responses"]["200"]["content"];
type Sessions = Answer["application/json"];
export function titles(list: Sessions): (string | null)[] {
    return list.sessions.map((s: components["schemas"]["SessionSummary"]) =>
        s.title);
}
"""


def test_a_client_is_generated():
    """Types for TypeScript; a program that uses them compiles."""
    modules = npm.need("openapi-typescript@7", "typescript@5")
    with tempfile.TemporaryDirectory() as folder:
        node(modules, os.path.join(modules, "openapi-typescript", "bin",
                                   "cli.js"), described(folder), "-o",
             os.path.join(folder, "api.ts"))
        program = os.path.join(folder, "client.ts")
        with open(program, "w", encoding="utf-8") as f:
            f.write(CLIENT)
        node(modules, os.path.join(modules, "typescript", "bin", "tsc"),
             "--noEmit", "--strict", program)


if __name__ == "__main__":
    try:
        harness.main()
    finally:
        page.end_browser()
