"""The page, in a real browser (Debian's chromium, headless): every view on the
sample, live changes, links, keys, dark, a phone's width, and transcripts that
try to be more than text. One browser serves all tests."""
import gzip
import json
import os
import shutil
import tempfile
import time
from urllib.parse import quote

import harness
import webdriver
from harness import Box, eq
from rest import Web
from transcript import Ids, Transcript
from world import World

SAMPLE = os.path.join(harness.TOP, "packaging", "sample", "projects")
SESSION = "42d011e9-35ac-4c9f-8cd0-2c585596d3b8"
FILE = "/home/dev/src/demo/app.py"
CHANGE = "toolu_01tB"

browser = None


def the_browser():
    global browser
    gone = webdriver.missing()
    if gone:
        raise harness.Skip(f"{', '.join(gone)}: not installed")
    if not browser:
        browser = webdriver.Browser(tempfile.mkdtemp(prefix="ccfc-page-"))
        browser.size(1280, 800)
    return browser


class Page:
    """A tab with the page of a box, opened as `ccfc web` opens it."""

    def __init__(self, box, route="#/now", wait="h1"):
        self.web = Web(box)
        if not has_page(self.web):
            raise harness.Skip("this build has no page")
        self.browser = the_browser()
        self.browser.size(1280, 800)
        self.browser.media(prefers_color_scheme="light")
        self.browser.open("about:blank")
        self.browser.log()
        join = "&" if "?" in route else "?"
        self.browser.open(f"{self.web.base}/{route}{join}token="
                          f"{self.web.token}")
        self.browser.wait("document.querySelector(arguments[0])", wait)

    def go(self, route, text, selector="main"):
        self.browser.run("location.hash = arguments[0]", route)
        self.browser.wait_text(text, selector)

    def healthy(self, allow=()):
        """No error was shown, or written to the console."""
        eq(self.browser.text(".failure"), "")
        eq([m for m in self.browser.log()
            if not any(a in m for a in allow)], [], "console")


def has_page(web):
    """Is the page in this build?"""
    return web.ask("/", token=False)[0] == 200


def sample():
    box = Box()
    shutil.copytree(SAMPLE, box.projects, dirs_exist_ok=True)
    return box


def path_of(route, **query):
    return route + ("?" + "&".join(f"{k}={quote(v, safe='')}"
                                   for k, v in query.items()) if query else "")


# --- the files ---


def test_files_are_served():
    """Types, compression, tags; without the token, since they hold nothing."""
    with Box() as box:
        box.start()
        web = Web(box)
        if not has_page(web):
            raise harness.Skip("this build has no page")
        for path, kind in (("/", "text/html"), ("/app.js", "text/javascript"),
                           ("/colours.js", "text/javascript"),
                           ("/page.css", "text/css"),
                           ("/icon.svg", "image/svg+xml")):
            status, headers, body = web.ask(path, token=False)
            eq((status, headers["Content-Type"]),
               (200, kind + "; charset=utf-8"), path)
            assert "default-src 'self'" in headers["Content-Security-Policy"]
            assert body and "Content-Encoding" not in headers
            status, packed, small = web.ask(path, token=False,
                                            Accept_Encoding="gzip")
            eq(packed["Content-Encoding"], "gzip", path)
            eq(gzip.decompress(small), body, path)
            status, _, empty = web.ask(path, token=False,
                                       If_None_Match=headers["ETag"])
            eq((status, empty), (304, b""), path)
            eq(web.ask(path, verb="POST", token=False)[0], 405, path)
        for path in ("/app.js/", "/page_files.c", "/index.html", "/..", "/.",
                     "/app.js%00", "/APP.JS", "/views/now.js"):
            eq(web.ask(path, token=False)[0], 404, path)
        eq(web.ask("/", token=False, Host="evil.example")[0], 403)


# --- the views ---


def test_views_on_the_sample():
    with sample() as box:
        box.start()
        page = Page(box)
        b = page.browser
        b.wait_text("Please tidy up the imports")
        page.go("#/now?list=changes", "extra.txt")
        page.go("#/files", "app.py")
        eq(b.run("return document.querySelectorAll('.heat').length > 5"), True)
        b.run("const f = document.querySelector('[data-search]');"
              "f.value = 'sub/**'; f.dispatchEvent(new Event('input'))")
        b.wait_text("2 of 10 files")
        page.go(path_of("#/file", path=FILE), "42d011e9", ".list")
        b.wait("document.querySelectorAll('svg.timeline .mark').length >= 8")
        b.wait_text("outside of all sessions", ".list")
        page.go(f"#/session/{SESSION}", "The imports are tidy", ".list")
        b.wait_text("Asked")
        b.click(".message.call", "Edit app.py")
        b.wait_text("import sys", ".messagebody .diff")
        eq("message=" in b.url(), True, "an opened message has a link")
        page.go(f"#/session/{SESSION}?tab=files", "new.txt", ".list")
        page.go(f"#/session/{SESSION}?tab=diff", "after rewind", ".diff")
        page.go(f"#/session/{SESSION}?tab=agents", "the session itself")
        page.go(f"#/diff?change={CHANGE}", "print('after rewind')", ".split")
        eq(b.run("return document.querySelector('.come .word').innerText"),
           "after rewind")
        b.wait("document.querySelector('.diff .c-keyword')",
               what="colours of Python")
        b.click("main button", "Unified")
        b.wait("document.querySelector('.diff .unified.come')")
        b.click("main button", "Whole file")
        b.wait_text("import", ".diff .same")
        eq("context=all" in b.url() and "layout=unified" in b.url(), True)
        page.go(path_of("#/blame", path=FILE, at=SESSION), "after rewind",
                ".blame")
        b.run("document.querySelectorAll('.blameline')[4].focus()")
        b.wait_text("Edit", ".foot")
        page.go("#/search?q=imports", "The imports are tidy", ".snippet")
        eq(b.text(".snippet .found"), "imports")
        b.click(".match a")
        b.wait("location.hash.startsWith('#/session/') && "
               "document.querySelector('.row.open')")
        page.go("#/stats", "18")
        b.wait("document.querySelector('svg.plot rect')")
        page.go("#/stats?by=tool", "Write", ".lying")
        page.healthy()


def test_slider_through_time():
    with World() as w:
        w.write("a", "f.txt", "one\n")
        w.write("b", "f.txt", "one\ntwo\n")
        w.write("a", "f.txt", "one\ntwo\nthree\n")
        page = Page(w.box, path_of("#/blame", path=w.path("f.txt")))
        b = page.browser
        b.wait_text("three", ".blame")
        b.press("[", "[", "[")
        b.wait("document.querySelectorAll('.blameline').length === 1")
        eq("at=toolu" in b.url(), True)
        b.press("]")
        b.wait("document.querySelectorAll('.blameline').length === 2")
        # The file is gone: its last known state is shown.
        w.put("f.txt", None)
        page.go("#/now", "Now", "h1")
        page.go(path_of("#/blame", path=w.path("f.txt")), "three", ".blame")
        b.press("]")
        b.wait_text("The file is not there now.")
        page.healthy()


def test_from_change_to_change():
    """The keys [ and ] lead through the changes of a file."""
    with World() as w:
        ids = [w.write(s, "f.txt", t) for s, t in
               (("a", "one\n"), ("b", "one\ntwo\n"), ("a", "1\n2\n"))]
        page = Page(w.box, f"#/diff?change={ids[1]}", ".diff")
        b = page.browser
        b.wait_text("earlier change", ".ways")
        b.press("[")
        b.wait("location.hash.includes(arguments[0])", ids[0])
        b.wait("document.querySelector('.ways')?.innerText === "
               "'later change ›'")
        b.press("]")
        b.wait("location.hash.includes(arguments[0])", ids[1])
        # Which the first change has not.
        b.wait_text("earlier change", ".ways")
        b.press("]")
        b.wait("location.hash.includes(arguments[0])", ids[2])
        b.back()
        b.wait("location.hash.includes(arguments[0])", ids[1])
        page.healthy()


def test_days_without_changes_are_drawn():
    with World() as w:
        w.write("a", "f.txt", "one\n")
        w.sessions["a"].ids.now += 9 * 24 * 3600 * 1000
        w.write("a", "f.txt", "two\n")
        page = Page(w.box, "#/stats", "svg.plot rect")
        eq(page.browser.run(
            "return document.querySelector('svg.plot')"
            ".querySelectorAll('rect').length"), 10)
        eq(page.browser.text(".plotbox .scale"), "2\n1\n0")
        page.healthy()


def found_by(page, text):
    """The files that the view Files finds."""
    b = page.browser
    b.run("const f = document.querySelector('[data-search]'); f.value = "
          "arguments[0]; f.dispatchEvent(new Event('input'))", text)
    return b.wait(
        "new Promise((done) => requestAnimationFrame(() => requestAnimation"
        "Frame(() => done({found: [...document.querySelectorAll('.list .row "
        "a')].map((a) => a.title)}))))")["found"]


def test_globs_are_those_of_the_daemon():
    with World() as w:
        for name in ("a.ts", "b.tsx", "src/a.ts", "src/deep/a.ts",
                     "src/deep/ab.ts", "src/xa.ts", "src/[id].ts", "src/i.ts",
                     "src/a{b.c", "src/b.c", "src/!.c", "x+(y).c"):
            w.write("a", name, "x\n")
        page = Page(w.box, "#/files", ".list .row")
        for glob in ("*.ts", "*.{ts,tsx}", "src/**", "src/**/a.ts", "src/*.ts",
                     "**/deep/*", "src/[!a-h].*", "src/[ab].{c,ts}",
                     "src/{deep/{a,ab},i}.ts", "src/?.c", "x+(*).c",
                     "src/\\[id].t*", "none*", "src/[]!]*"):
            glob = f"{w.dir}/{glob}"
            status, _, body = page.web.ask(
                f"/api/files/match?pattern={quote(glob, safe='')}")
            want = [f["path"] for f in json.loads(body)] if status == 200 \
                else []
            eq(sorted(found_by(page, glob)), sorted(want), glob)
        # A name that looks like a glob, also before it is whole.
        for text, name in (("[id].ts", "src/[id].ts"), ("src/[", "src/[id].ts"),
                           ("a{b", "src/a{b.c")):
            eq(w.path(name) in found_by(page, text), True, text)
        page.healthy()


# --- live ---


def test_a_live_edit_appears():
    with World() as w:
        w.sessions["a"].ids.now = int(time.time() * 1000) - 60000
        w.sessions["a"].prompt("make it faster")
        w.write("a", "src/f.txt", "one\n")
        page = Page(w.box)
        b = page.browser
        b.wait_text("make it faster", ".card")
        b.wait_text("src/f.txt", ".card")
        b.run("window.stayed = true;"
              "document.querySelector('.card h3 a').focus()")
        w.write("a", "src/new file.txt", "two\n")
        b.wait_text("src/new file.txt", ".card")
        eq(b.run("return document.activeElement.getAttribute('href')"),
           f"#/session/{w.id('a')}", "the focus stays")
        # The other session was not live: now it is, and in the way.
        w.sessions["b"].prompt("me too")
        w.write("b", "src/f.txt", "1\n")
        b.wait_text("me too", ".card")
        b.wait_text("Conflict", ".card.clash")
        page.go(f"#/session/{w.id('b')}", "1 conflict", "details")
        page.go("#/now?list=changes", "f.txt", ".list")
        w.write("a", "src/late.txt", "x\n")
        b.wait_text("late.txt", ".list")
        page.go(path_of("#/file", path=w.path("src/f.txt")), "Write", ".list")
        w.write("a", "src/f.txt", "2\n3\n")
        b.wait("document.querySelectorAll('.list .step.change').length === 3")
        eq(b.run("return window.stayed"), True, "no reload")
        page.healthy(allow=("404",))


def test_the_stream_comes_back():
    with World() as w:
        w.sessions["a"].ids.now = int(time.time() * 1000) - 60000
        w.sessions["a"].prompt("go on")
        w.write("a", "f.txt", "one\n")
        page = Page(w.box)
        b = page.browser
        b.wait_text("f.txt", ".card")
        w.box.ok("web", "--stop")
        w.write("a", "while-away.txt", "two\n")
        w.box.ok("web", "--no-open", f"--port={page.web.port}")
        w.write("a", "afterwards.txt", "three\n")
        b.wait_text("while-away.txt", ".card")
        b.wait_text("afterwards.txt", ".card")


# --- links ---


def test_links_back_and_token():
    with sample() as box:
        box.start()
        page = Page(box, f"#/diff?change={CHANGE}", ".diff")
        b, web = page.browser, page.web
        # A deep link works, and the token is out of the address at once.
        b.wait_text("after rewind", ".diff")
        eq(web.token in b.url(), False, b.url())
        eq(b.run("return [sessionStorage.length, localStorage.length, "
                 "document.cookie, JSON.stringify(history.state)]"),
           [0, 0, "", "null"])
        b.click("main a", "42d011e9")
        b.wait_text("Asked")
        b.click(".tabs a", "Files")
        b.wait_text("new.txt", ".list")
        b.back()
        b.wait_text("The imports are tidy", ".list")
        b.back()
        b.wait_text("after rewind", ".diff")
        link = b.url()
        # In another tab the link works without a token, as long as one tab has
        # it.
        first = b.windows()[0]
        b.new_tab()
        b.open(link)
        b.wait_text("after rewind", ".diff")
        eq(web.token in b.url(), False)
        b.close_tab()
        b.to_window(first)
        # A reload forgets it; what ccfc web prints brings it back.
        b.command("POST", "/refresh")
        b.wait_text("This page needs its token")
        eq(b.run("return document.querySelectorAll('.diff').length"), 0)
        b.run("const f = document.querySelector('input');"
              "f.value = arguments[0]; f.form.requestSubmit()",
              f"{web.base}/#token={web.token}")
        b.wait_text("after rewind", ".diff")
        # A wrong token shows nothing.
        b.open("about:blank")
        b.open(f"{web.base}/#token={'0' * 64}")
        b.wait_text("This page needs its token")
        eq(b.text(".card") + b.text(".list"), "")


def test_back_to_where_one_was():
    with World() as w:
        for n in range(300):
            change = w.write("a", f"f{n}.txt", "x\n" * (n == 299) * 400 + "y")
        page = Page(w.box)
        b = page.browser
        for route, rows in (("#/now?list=changes", 300), ("#/files?q=f", 300),
                            (f"#/session/{w.id('a')}", 600),
                            (f"#/session/{w.id('a')}?tab=files", 300),
                            (f"#/diff?change={change}&layout=unified", 400),
                            (path_of("#/blame", path=w.path("f299.txt")), 400)):
            page.go(route, "", ".list .row")
            b.wait("Number(document.querySelector('.list .row').ariaSetSize) "
                   ">= arguments[0]", rows)
            b.run("window.scrollTo(0, 3000)")
            b.wait("scrollY === 3000 && !/^…$/m.test(document.querySelector("
                   "'main').innerText)")
            page.go("#/stats", "Stats", "h1")
            b.back()
            b.wait("scrollY === 3000", what=f"{route} where it was")
        page.healthy()


# --- ways to use it ---


def test_keys():
    with sample() as box:
        box.start()
        page = Page(box)
        b = page.browser
        b.wait_text("Please tidy up the imports")
        b.press("?")
        b.wait("document.querySelector('dialog[open]')")
        b.press("Escape")
        b.wait("!document.querySelector('dialog[open]')")
        b.press("ArrowDown")
        b.press("ArrowDown")
        eq(b.run("return document.activeElement.dataset.index"), "1")
        b.press("Enter")
        b.wait_text("Change the greeting", "h1")
        b.press("/")
        b.wait_text("Search", "h1")
        b.wait("document.activeElement.type === 'search'")
        b.press(*"imports")
        b.wait_text("imports", ".snippet .found")
        b.press("ArrowDown")
        b.wait("document.activeElement.classList.contains('row')")
        b.press("2")
        b.wait_text("Files", "h1")
        b.wait_text("app.py")
        b.press("/")
        b.press(*"app")
        b.wait_text("1 of 10 files")
        b.press("Escape")
        b.press("t")
        eq(b.run("return document.documentElement.dataset.theme"), "dark")
        # Each row in reach, and only one stop of the tabulator.
        eq(b.run("return document.querySelectorAll('.row[tabindex=\"0\"]')"
                 ".length"), 1)
        page.healthy()


VIEWS = ["#/now", "#/now?list=changes", "#/files",
         path_of("#/file", path=FILE), f"#/session/{SESSION}",
         f"#/session/{SESSION}?tab=diff", f"#/diff?change={CHANGE}",
         path_of("#/blame", path=FILE, at=SESSION), "#/search?q=imports",
         "#/stats", "#/stats?by=project"]


def settle(b):
    b.wait("document.querySelector('main h1') && !/^…$/m.test("
           "document.querySelector('main').innerText)")


def test_dark_and_phone():
    with sample() as box:
        box.start()
        page = Page(box)
        b = page.browser

        def paper():
            return b.run("return getComputedStyle(document.body)"
                         ".backgroundColor")

        light = paper()
        b.media(prefers_color_scheme="dark")
        assert paper() != light, light
        b.size(360, 740, mobile=True)
        for route in VIEWS:
            page.go(route, "", "main h1")
            settle(b)
            wide = b.run("return [document.documentElement.scrollWidth, "
                         "innerWidth]")
            assert wide[0] <= wide[1], (route, wide)
        page.healthy()


def tab_places(b):
    return b.run("return [...document.querySelectorAll('.tabs a')].map((a) => "
                 "a.getBoundingClientRect().x)")


def test_names_tell_things_apart():
    """Projects of one name, a change on its own page, times of a short
    history, a match at the end of a line on a phone."""
    with Box() as box:
        ids = Ids()
        for folder in ("/x/one/app/src", "/x/two/app/src", "/x/own"):
            t = Transcript(box, ids, cwd=folder)
            t.prompt("word " * 12 + f"needle in {folder}")
            change = t.write(f"{folder}/f.txt", "x\n")
        box.start()
        page = Page(box, "#/stats?by=project", ".lying .name")
        b = page.browser
        eq(sorted(set(b.run("return [...document.querySelectorAll("
                            "'.lying .name')].map((n) => n.innerText)"))),
           ["one/app/src", "two/app/src", "x/own"])
        page.go(path_of("#/file", path="/x/none"), "no session changed",
                ".failure")
        b.wait("!document.querySelector('main').innerText.includes('…')")
        b.size(360, 740, mobile=True)
        page.go("#/search?q=needle", "needle", ".snippet .found")
        right = b.run("return document.querySelector('.found')"
                      ".getBoundingClientRect().right")
        assert right < 360, right
        page.go(f"#/session/{t.session}", "Write f.txt", ".message")
        before = tab_places(b)
        page.go(f"#/session/{t.session}?tab=files", "f.txt", ".list")
        eq(tab_places(b), before)
        page.go(path_of("#/diff", change=change), "x", ".diff")
        eq(b.run("return [...document.querySelectorAll('main a')].filter((a) "
                 "=> a.hash === location.hash).length"), 0, "to itself")
        b.click("main a", "In the session")
        b.wait("document.querySelector('.row.open .call')")
        page.healthy(allow=("404",))


def test_times_below_a_history_differ():
    with World() as w:
        for n in range(3):
            w.write("a", "f.txt", f"{n}\n")
        page = Page(w.box, path_of("#/file", path=w.path("f.txt")),
                    "svg.timeline")
        texts = page.browser.run(
            "return [...document.querySelectorAll('svg.timeline text')].map("
            "(n) => n.textContent).filter((t) => t.includes(':'))")
        eq(len(texts), len(set(texts)), texts)


def test_long_lines_side_by_side():
    """Both halves are in sight, and move together."""
    with World() as w:
        long = "x = '" + "longer_word " * 90
        w.write("a", "f.py", f"import os\nprint(old)\n{long}'\n")
        change = w.write("a", "f.py", f"import os\nprint(new)\n{long}end'\n")
        page = Page(w.box, f"#/diff?change={change}&layout=split",
                    ".split .come")
        b = page.browser
        places = ("return [...document.querySelectorAll('.split .come .word')]"
                  ".map((n) => Math.round(n.getBoundingClientRect().x))")
        first, last = b.run(places)
        assert 640 < first < 1280 < last, (first, last)
        eq(b.run("return document.documentElement.scrollWidth <= innerWidth"),
           True)
        b.run("const s = document.querySelector('.sideways'); s.scrollLeft = "
              "s.scrollWidth")
        b.wait("(() => { const x = [...document.querySelectorAll('.split .come "
               ".word')].pop().getBoundingClientRect().x; return x > 640 && "
               "x < 1280; })()", what="the end of the line in sight")
        b.click("main button", "Unified")
        b.wait("document.querySelector('.sideways').offsetHeight === 0")
        page.healthy()


def test_colours_of_what_only_comes():
    with World() as w:
        change = w.write("a", "f.py", "import os\n")
        page = Page(w.box, f"#/session/{w.id('a')}", ".message.call")
        b = page.browser
        b.click(".message.call", "f.py")
        b.wait("document.querySelector('.messagebody .come .c-keyword')")
        page.go(f"#/diff?change={change}", "import", ".diff")
        b.wait("document.querySelector('.diff .come .c-keyword')")
        page.healthy()


# --- text is text ---

SCRIPT = "<script>window.pwned = 1</script>"
IMAGE = "<img src=x onerror='window.pwned = 2'>"
LINK = "[click](javascript:window.pwned=3) javascript:window.pwned=4"
ESCAPES = "\x1b[31mred\x1b]0;title\x07\x1b[2J \u202egnp.exe"
EVIL = f"{SCRIPT}{IMAGE} {LINK} \"'><svg onload=window.pwned=5> {ESCAPES}"
NAME = "<img src=x onerror=window.pwned=6>\".js"


def test_transcripts_are_text():
    with World() as w:
        t = w.sessions["a"]
        t.ids.now = int(time.time() * 1000) - 60000
        t.prompt(EVIL)
        t.blocks({"type": "text", "text": EVIL},
                 {"type": "thinking", "thinking": EVIL, "signature": "x"})
        w.write("a", NAME, f"{EVIL}\n`${{window.pwned = 7}}`\n")
        w.write("a", NAME, f"// {EVIL}\n`${{window.pwned = 8}}`\n")
        tid = t.call("Bash", {"command": EVIL, "description": EVIL})
        t.result(tid, text=EVIL)
        t.emit({"type": "custom-title", "customTitle": EVIL,
                "sessionId": t.session})
        path = w.path(NAME)
        change = w.box.json("log", path)["steps"][-1]["changeId"]
        page = Page(w.box)
        b = page.browser
        b.wait_text("pwned", ".card")
        for route, selector in (
                ("#/now?list=changes", ".list"), ("#/files", ".list"),
                (path_of("#/file", path=path), ".list"),
                (f"#/session/{t.session}", ".list"),
                (f"#/session/{t.session}?tab=files", ".list"),
                (f"#/session/{t.session}?tab=diff", ".diff"),
                (f"#/diff?change={change}", ".diff"),
                (path_of("#/blame", path=path, at=change), ".blame"),
                ("#/search?q=pwned", ".snippet"), ("#/stats?by=session", "main")):
            page.go(route, "onerror" if "files" in route else "pwned"
                    if "stats" not in route else "", selector)
            settle(b)
            if route == f"#/session/{t.session}":
                # Rows that are fetched again are no buttons meanwhile.
                for at in range(3):
                    b.wait("(() => { const row = document.querySelectorAll("
                           "'.list .plainbutton')[arguments[0]]; if (row) "
                           "row.click(); return Boolean(row); })()", at)
                b.wait_text("javascript:window.pwned=4", ".messagebody")
            no_markup(b, route)
        page.go(f"#/session/{t.session}", "\u241b[31mred")
        assert "\x1b" not in b.text() and "\u202e" not in b.text()
        page.healthy(allow=("404",))


def no_markup(b, route):
    got = json.loads(b.run("""
        const bad = [...document.querySelectorAll("main script, main img, " +
            "main iframe, main object, main embed, main form[action], " +
            "[onerror], [onload], [onclick], [style*=url]")];
        const links = [...document.querySelectorAll("a[href]")].filter((a) =>
            !a.getAttribute("href").startsWith("#"));
        return JSON.stringify([window.pwned || 0, bad.length, links.length,
            document.title.includes("\\u001b")]);"""))
    eq(got, [0, 0, 0, False], route)


# --- long ---


def test_long_lists_are_windowed():
    """20,000 messages: a few rows exist at a time, and the end is a key away."""
    with Box() as box:
        t = Transcript(box, Ids())
        t.live = False
        t.prompt("begin")
        for i in range(20000):
            t.prompt(f"message number {i}")
        os.makedirs(os.path.dirname(t.path), exist_ok=True)
        with open(t.path, "wb") as f:
            f.writelines(t.lines)
        box.start()
        page = Page(box, f"#/session/{t.session}", ".list .message")
        b = page.browser
        rows = "return document.querySelectorAll('.list .row').length"
        assert b.run(rows) < 100, b.run(rows)
        b.run("window.scrollTo(0, document.body.scrollHeight)")
        b.wait_text("message number 19999", ".list")
        assert b.run(rows) < 100, b.run(rows)
        b.run("window.scrollTo(0, document.body.scrollHeight / 2)")
        b.wait_text("message number 99", ".list")
        b.run("document.querySelector('.list .row').focus()")
        b.press("End")
        b.wait_text("message number 19999", ".list")
        eq(b.run("return document.activeElement.dataset.index"), "20000")
        left_behind(b)
        in_turn(b)
        # A link into the middle of it, which comes before a frame is drawn.
        b.run("window.requestAnimationFrame = (act) => setTimeout(act, 500)")
        some = json.loads(t.lines[15001])["uuid"]
        page.go(f"#/session/{t.session}?message={some}",
                "message number 15000", ".row.open")
        page.healthy()


def left_behind(b):
    """Requests for rows that were scrolled past are ended."""
    b.run("""
        window.asked = [];
        window.real = window.fetch;
        window.fetch = (url, more) => {
            if (!String(url).includes("/messages?"))
                return window.real(url, more);
            asked.push(more.signal);
            return new Promise((done, failed) => more.signal.addEventListener(
                "abort", () => failed(new DOMException("", "AbortError"))));
        };""")
    b.run("window.scrollTo(0, document.body.scrollHeight / 4)")
    first = b.wait("asked.length")
    b.run("window.scrollTo(0, document.body.scrollHeight / 3)")
    b.wait("asked.length > arguments[0]", first)
    eq(b.run("return asked.slice(0, arguments[0]).every((s) => s.aborted)",
             first), True)
    eq(b.run("return asked[asked.length - 1].aborted"), False)
    b.run("window.fetch = window.real")
    b.run("window.scrollTo(0, document.body.scrollHeight / 4)")
    b.wait_text("message number 49", ".list")


def in_turn(b):
    """A jump to where two pages meet asks for both in one request: the daemon
    reads a long session again for a page that is asked for meanwhile."""
    b.run("""
        window.asked = [];
        window.most = window.open = 0;
        window.fetch = async (url, more) => {
            if (!String(url).includes("/messages?"))
                return window.real(url, more);
            asked.push(url);
            most = Math.max(most, ++open);
            try {
                return await window.real(url, more);
            } finally {
                open--;
            }
        };
        const list = document.querySelector(".list");
        const top = list.getBoundingClientRect().top + scrollY;
        window.scrollTo(0, top + 12000 * list.offsetHeight / 20001
            - innerHeight / 2);""")
    b.wait_text("message number 11995", ".list")
    b.wait_text("message number 12005", ".list")
    eq(b.run("return [asked.length, most]"), [1, 1])
    b.run("window.fetch = window.real")


def end_browser():
    if browser:
        browser.close()
        shutil.rmtree(browser.folder, ignore_errors=True)


if __name__ == "__main__":
    try:
        harness.main()
    finally:
        end_browser()
