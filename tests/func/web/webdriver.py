"""Drives a real Chromium by W3C WebDriver: chromedriver over HTTP, with the
standard library only. One browser for all tests of a file."""
import base64
import http.client
import json
import os
import shutil
import subprocess
import time

import harness

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015",
        "ArrowUp": "\ue013", "ArrowLeft": "\ue012", "ArrowRight": "\ue014",
        "End": "\ue010", "Home": "\ue011", "Tab": "\ue004"}


def missing():
    """The programs that are needed and are not there."""
    return [name for name in ("chromium", "chromedriver")
            if not shutil.which(name)]


class Browser:
    """One window of a headless browser in a scratch directory."""

    def __init__(self, folder):
        self.folder = folder
        self.port = None
        self.session = None
        log = os.path.join(folder, "chromedriver.log")
        # The driver takes a free port and says which.
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0", f"--log-path={log}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "HOME": folder, "TMPDIR": folder,
                 "TZ": "UTC"},
            start_new_session=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rstrip(". \n").rpartition(" ")[2])
                break
        args = ["--headless=new", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--hide-scrollbars",
                "--force-color-profile=srgb", "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update", "--disable-sync",
                # It stops a page that goes on 200 times in ten seconds.
                "--disable-ipc-flooding-protection",
                f"--user-data-dir={os.path.join(folder, 'profile')}"]
        got = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": args,
                                   "binary": shutil.which("chromium")}}}})
        self.session = got["sessionId"]
        self.command("POST", "/timeouts", {"script": harness.LIMIT * 1000})

    def close(self):
        try:
            if self.session:
                self.command("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def call(self, verb, path, body=None):
        conn = http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=harness.LIMIT)
        try:
            conn.request(verb, path, json.dumps(body) if body is not None
                         else None, {"Content-Type": "application/json"})
            value = json.loads(conn.getresponse().read())["value"]
        finally:
            conn.close()
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{path}: {value['error']}: "
                                 f"{value['message'][:500]}")
        return value

    def command(self, verb, path, body=None):
        return self.call(verb, f"/session/{self.session}{path}",
                         {} if verb == "POST" and body is None else body)

    def chrome(self, name, **params):
        """A command of the browser's own protocol."""
        return self.command("POST", "/goog/cdp/execute",
                            {"cmd": name, "params": params})

    # --- where it is ---

    def open(self, url):
        self.command("POST", "/url", {"url": url})

    def url(self):
        return self.command("GET", "/url")

    def back(self):
        self.command("POST", "/back")

    def windows(self):
        return self.command("GET", "/window/handles")

    def new_tab(self):
        handle = self.command("POST", "/window/new", {"type": "tab"})["handle"]
        self.to_window(handle)
        return handle

    def to_window(self, handle):
        self.command("POST", "/window", {"handle": handle})

    def close_tab(self):
        self.command("DELETE", "/window")

    def size(self, width, height, mobile=False):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width,
                    height=height, deviceScaleFactor=1, mobile=mobile)

    def media(self, **features):
        self.chrome("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value}
            for name, value in features.items()])

    # --- what it shows ---

    def run(self, script, *args):
        return self.command("POST", "/execute/sync",
                            {"script": script, "args": list(args)})

    def wait(self, script, *args, what=None):
        """Waits until the expression is true; its value."""
        end = time.monotonic() + harness.LIMIT
        while True:
            got = self.run("return " + script, *args)
            if got:
                return got
            if time.monotonic() > end:
                text = self.run("return document.body.innerText")
                raise AssertionError(f"never {what or script}:\n{text[:3000]}"
                                     f"\n{self.log()}")

    def text(self, selector="main"):
        return self.run("return (document.querySelector(arguments[0]) ||"
                        " {innerText: ''}).innerText", selector)

    def wait_text(self, text, selector="main"):
        return self.wait("[...document.querySelectorAll(arguments[0])].some("
                         "(n) => n.innerText.includes(arguments[1]))",
                         selector, text, what=f"{text!r} in {selector}")

    def click(self, selector, text=""):
        """Clicks the first element that has the text, when it is there."""
        self.wait("(() => { const n = [...document.querySelectorAll("
                  "arguments[0])].find((n) => n.textContent.includes("
                  "arguments[1])); if (n) n.click(); return Boolean(n); })()",
                  selector, text, what=f"{selector} with {text!r}")

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value},
                        {"type": "keyUp", "value": value}]
        self.command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def log(self):
        """What the page wrote to the console since the last time."""
        return [entry["message"] for entry in
                self.command("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.command("GET", "/screenshot")))
