"""Makes the pictures of client/web/pictures from the sample: `run pictures`
with $CCFC_BIN_DIR. The sessions are moved to the present, so that they live."""
import datetime
import os
import re
import shutil
import sys
import tempfile
from urllib.parse import quote

import harness
from harness import Box
from rest import Web
from webdriver import Browser

SAMPLE = os.path.join(harness.TOP, "packaging", "sample", "projects")
TO = os.path.join(harness.TOP, "client", "web", "pictures")
STAMP = re.compile(r"2026-11-16T[0-9:.]+Z")
SESSION = "42d011e9-35ac-4c9f-8cd0-2c585596d3b8"
FILE = "/home/dev/src/demo/app.py"
SHOTS = (("now", "#/now", "extra.txt", ".card", None),
         ("session", f"#/session/{SESSION}", "The imports are tidy", ".list",
          "Edit app.py"),
         ("blame", f"#/blame?path={quote(FILE, safe='')}&at={SESSION}",
          "after rewind", ".blame", None))


def moment(stamp):
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))


def read_sample():
    """Name below projects → text."""
    for folder, _, names in os.walk(SAMPLE):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                yield os.path.relpath(path, SAMPLE), f.read()


def copy_sample(box):
    """The sample with its last line written just now."""
    files = dict(read_sample())
    last = max(s for text in files.values() for s in STAMP.findall(text))
    by = datetime.datetime.now(datetime.timezone.utc) - moment(last) \
        - datetime.timedelta(seconds=20)
    for name, text in files.items():
        path = os.path.join(box.projects, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(STAMP.sub(lambda m: (moment(m[0]) + by).isoformat(
                timespec="milliseconds").replace("+00:00", "Z"), text))


def take(browser, web):
    for name, route, text, selector, press in SHOTS:
        browser.open("about:blank")
        browser.open(f"{web.base}/{route}{'&' if '?' in route else '?'}"
                     f"token={web.token}")
        browser.wait_text(text, selector)
        if press:
            browser.click(".message", press)
            browser.wait("document.querySelector('.messagebody .diff')")
        if name == "blame":
            browser.wait("document.querySelector('.c-keyword')")
            browser.run("document.querySelectorAll('.blameline')[4].focus()")
        browser.picture(os.path.join(TO, f"{name}.png"))


def main():
    os.makedirs(TO, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix="ccfc-pictures-")
    with Box() as box:
        copy_sample(box)
        box.start()
        browser = Browser(scratch)
        try:
            browser.size(1200, 640)
            take(browser, Web(box))
        finally:
            browser.close()
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
