"""The page on the recordings of the real client, and on the fixtures that
others have published, in Debian's chromium: each view of each session, file and
change shows what the API answers, without an error in the console or a request
that fails. CCFC_SOAK=1 takes all recordings."""
import base64
import os
import re
from urllib.parse import quote, unquote, urlsplit

import harness
import page
from harness import Box, eq
from page import path_of
from rest_corpus import SOAK, published, recorded, spread

# A version or two of each kind of recording: every view takes a while.
FEW = {"0.2.126/multiedit", "2.1.325/write_empty", "1.0.128/notebook", "2.0.30/todo_and_misc",
       "2.1.50/hook_formatter", "2.1.150/subagents_parallel",
       "2.1.150/encodings", "2.1.325/cwd_names", "2.1.325/mcp_write",
       "2.1.325/tui_edit_rewind", "2.1.300/shell_bypass"}

# What a view shows, read from the document. Marks that hide controls are as
# base/text.js makes them.
SHOWN = """
const all = (s) => [...document.querySelectorAll("main " + s)];
const texts = (s) => all(s).map((n) => n.textContent);
const row = all(".list > .row")[0];
return {
    title: texts("h1").join(), failures: texts(".failure"),
    rows: all(".list > .row").length,
    size: row ? Number(row.getAttribute("aria-setsize")) : 0,
    main: all(".list > .row [data-main]").map((n) => n.getAttribute("href")),
    paths: all(".list > .row .pathtext").map((n) => n.getAttribute("title")),
    messages: texts(".list .message > .grow"), facts: texts(".facts dd"),
    tabs: texts(".tabs a"), marks: all("svg.timeline .mark").length,
    come: texts(".diff .unified.come > code"),
    gone: texts(".diff .unified.gone > code"),
    lines: texts(".blameline > code"),
    owners: all(".blameline.first > .owner").map((n) => n.textContent),
    agents: all("tbody tr").length};
"""
# Nothing is on its way any more: neither the view nor rows of it.
STILL = ("!document.querySelector('main[aria-busy]') && "
         "document.querySelector('main h1') && "
         "![...document.querySelectorAll('main .faint, main .row')].some("
         "(n) => n.textContent === '…') && "
         "(![...document.querySelectorAll('main .list')].some((n) => "
         "n.offsetHeight > 0 && !n.children.length))")
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f"
                    "\u202a-\u202e\u2060-\u2069\ufeff]")


def clean(text):
    """As base/text.js shows it."""
    def one(match):
        code = ord(match[0])
        return chr(0x2400 + code) if code < 0x20 else \
            "\u2421" if code == 0x7f else f"\\u{code:04x}"
    return UNSEEN.sub(one, text.replace("\r\n", "\n"))


def content(value):
    """Contents that are no UTF-8 come in base64."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"]).decode(errors="replace")
    return value or ""


def marked(diffs, sign):
    """The lines of diffs that begin so, as the page shows the first of them."""
    out = []
    for diff in diffs:
        left = [0, 0]
        for line in content(diff["diff"]).split("\n"):
            hunk = re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
            if left == [0, 0]:
                if hunk:
                    left = [int(n) if n else 1 for n in hunk.groups()]
                continue
            kind = line[:1] or " "
            if kind == "\\":
                continue
            left = [left[0] - (kind != "+"), left[1] - (kind != "-")]
            if kind == sign:
                out.append(clean(line[1:]))
    return out


class Viewer:
    def __init__(self, box):
        self.page = page.Page(box)
        self.web = self.page.web
        self.browser = self.page.browser
        # All rows of a small recording are in sight.
        self.browser.size(1280, 4000)
        self.count = 0

    def see(self, route):
        self.count += 1
        self.browser.run("location.hash = arguments[0]", route)
        self.browser.wait("location.hash === arguments[0] && " + STILL, route,
                          what=f"{route} is there")
        return self.browser.run(SHOWN)

    def failed(self):
        """Requests that failed, and script errors: [(status, path)]."""
        out = []
        for text in self.browser.log():
            found = re.match(r"(http\S+) - Failed to load resource: .* status "
                             r"of (\d+)", text)
            assert found, f"console: {text}"
            parts = urlsplit(found[1])
            out.append((int(found[2]), f"{parts.path}?{parts.query}"))
        return out

    # --- the views ---

    def lists(self):
        shown = self.see("#/now")
        got = self.web.get("/api/sessions?limit=1000")
        eq(shown["size"], got["totalSessions"])
        want = [f"#/session/{s['id']}" for s in got["sessions"]]
        eq(shown["main"], want[:len(shown["main"])], "sessions")
        shown = self.see("#/now?list=changes")
        eq(shown["size"],
           self.web.get("/api/files/index/stats")["totalChanges"])
        rows = self.web.get("/api/sql?limit=1000&query=" + quote(
            "select path from changes where state = 'applied' order by time "
            "desc, id desc limit 1000"))["rows"]
        eq(shown["paths"], [p for p, in rows][:len(shown["paths"])])
        self.see("#/files")
        for by in ("day", "project", "tool"):
            self.see(f"#/stats?by={by}")
        eq(self.failed(), [])
        return got["sessions"]

    def session(self, session):
        sid = session["id"]
        got = self.web.get(f"/api/sessions/{sid}/messages?limit=100"
                           "&includeThinking=true&maxContent=1500")
        shown = self.see(f"#/session/{sid}")
        eq(shown["title"], clean(session["title"] or sid) + " "
           + session["status"])
        eq(shown["tabs"][1], f"Files ({session['filesModifiedCount']})")
        eq(shown["size"], got["totalMessages"], sid)
        said = [(i, m["content"]) for i, m in enumerate(got["messages"])
                if (m["content"] or "").strip()]
        for i, text in said:
            if i < len(shown["messages"]):
                first = clean(text.lstrip().split("\n")[0][:300])
                assert shown["messages"][i].startswith(first[:290]), (
                    sid, i, shown["messages"][i], first)
        got = self.web.get(f"/api/sessions/{sid}/files?includeChanges=false")
        shown = self.see(f"#/session/{sid}?tab=files")
        want = [f["path"] for f in got["files"]]
        eq(shown["paths"], [clean(p) for p in want][:len(shown["paths"])])
        eq(shown["size"], len(want))
        got = self.web.get(f"/api/sessions/{sid}/diff?net=true")
        shown = self.see(f"#/session/{sid}?tab=diff")
        self.same_lines(shown, got["diffs"], sid)
        got = self.web.get(f"/api/stats?session={sid}&by=agent&limit=1000")
        shown = self.see(f"#/session/{sid}?tab=agents")
        eq(shown["agents"], len(got["rows"]), sid)
        eq(self.failed(), [], sid)

    def same_lines(self, shown, diffs, what):
        """Rows beyond the window do not exist: the first ones are compared."""
        for name, sign in (("come", "+"), ("gone", "-")):
            want = marked(diffs, sign)
            got = shown[name]
            if shown["rows"] == shown["size"]:
                eq(len(got), len(want), f"{what} {sign}")
            for a, b in zip(got, want):
                if len(b) < 5000:  # longer ones are cut
                    eq(a, b, f"{what} {sign}")

    def change(self, change):
        got = self.web.get(f"/api/changes/{quote(change, safe='')}"
                           "?context=3&maxContent=0")
        shown = self.see(path_of("#/diff", change=change, layout="unified"))
        eq(shown["title"], clean(os.path.basename(got["path"])))
        self.same_lines(shown, [got], change)
        eq(self.failed(), [], change)

    def file(self, path):
        quoted = quote(path, safe="")
        log = self.web.get(f"/api/files/{quoted}/log?limit=100")
        shown = self.see(path_of("#/file", path=path))
        eq(shown["size"], log["totalSteps"], path)
        eq(shown["marks"], min(log["totalSteps"], 400), path)
        want = [path_of("#/diff", change=s["changeId"])
                for s in log["steps"] if s["kind"] == "change"]
        eq(shown["main"], want[:len(shown["main"])], path)
        eq(self.failed(), [], path)
        self.blame(path, quoted)

    def blame(self, path, quoted):
        shown = self.see(path_of("#/blame", path=path))
        at = re.search(r"at=([^&]+)", self.asked(quoted) or "")
        status, _, _ = self.web.ask(f"/api/files/{quoted}/blame" + (
            f"?at={at[1]}" if at else ""))
        if status != 200 or not self.asked(quoted):
            # Nobody knows the contents, or it is gone: the page says so.
            assert shown["failures"] or not shown["lines"], (path, shown)
            for bad, where in self.failed():
                eq((bad, quoted.lower() in where.lower()), (status, True))
            return
        got = self.web.get(f"/api/files/{quoted}/blame" + (
            f"?at={at[1]}" if at else ""))
        want = [clean(content(line["content"])) for line in got["lines"]]
        eq(shown["size"], got["totalLines"], path)
        for a, b in zip(shown["lines"], want):
            if len(b) < 5000:
                eq(a, b, path)
        eq(self.failed(), [], path)

    def asked(self, quoted):
        """The last question for the lines of this file."""
        names = self.browser.run(
            "return performance.getEntriesByType('resource').map((e) => "
            "e.name).filter((n) => n.includes('/blame?'))")
        mine = [n for n in names if unquote(quoted) in unquote(n)]
        return mine[-1] if mine else None


def check(box, least):
    box.start()
    viewer = Viewer(box)
    # Entries of requests are not dropped.
    viewer.browser.run("performance.setResourceTimingBufferSize(1e6)")
    for session in viewer.lists():
        viewer.session(session)
    rows = viewer.web.get("/api/sql?limit=10000&query=" + quote(
        "select path from files where changes > 0"))["rows"]
    for path, in rows:
        viewer.file(path)
    rows = viewer.web.get("/api/sql?limit=10000&query=" + quote(
        "select tool_use_id from changes"))["rows"]
    for change, in rows:
        viewer.change(change)
    assert viewer.count >= least, viewer.count


def test_recordings():
    page.the_browser()
    with Box() as box:
        recorded(box, [s for s in spread() if SOAK or "/".join(
            s.split(os.sep)[-2:]) in FEW])
        check(box, 200)


def test_published():
    page.the_browser()
    with Box() as box:
        published(box)
        check(box, 30)


if __name__ == "__main__":
    try:
        harness.main()
    finally:
        page.end_browser()
