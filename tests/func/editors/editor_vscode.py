"""The extension for VS Code in the real VS Code: code-server, driven by
Chromium, against the real daemon while transcripts are being written. Needs
npm, so it runs with CCFC_NPM=1 only (tests/run --npm); modules are kept in
CCFC_NPM_DIR. editor_vscode.js has what happens in the page.
`run editor_vscode --picture=FILE` also leaves a picture."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import harness
from editing import PLUGINS, Around
from harness import Skip, eq

SOURCE = os.path.join(PLUGINS, "vscode")
INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "editor_vscode.js")
KEPT = os.path.abspath(os.environ.get(
    "CCFC_NPM_DIR", os.path.join(harness.TOP, "build-npm")))
MODULES = os.path.join(KEPT, "code-server")
SERVER = "code-server@4.100.3"
DRIVER = "playwright-core@1.65.1"
# Modules of code-server that have to be compiled.
NATIVE = ("@vscode/spdlog", "node-pty", "native-watchdog", "@parcel/watcher")
SETTINGS = {
    "files.autoSave": "off", "workbench.startupEditor": "none",
    "editor.minimap.enabled": False, "extensions.autoUpdate": False,
    "workbench.tips.enabled": False, "telemetry.telemetryLevel": "off",
    "security.workspace.trust.enabled": False, "editor.hover.delay": 100,
    "remote.autoForwardPorts": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
}
picture = ""


def npm(*args, cwd, check=True):
    done = subprocess.run(
        ["npm", *args, "--no-audit", "--no-fund"], cwd=cwd, check=False,
        capture_output=True, text=True, env={
            **os.environ, "npm_config_nodedir": "/usr",
            "npm_config_build_from_source": "true"})
    if check and done.returncode:
        raise Skip("npm: " + (done.stderr.strip() or "failed")[-300:])


def modules():
    """What comes from npm; made once. Scripts of modules do not run, but for
    those few that compile something."""
    if not os.environ.get("CCFC_NPM"):
        raise Skip("needs npm: tests/run --npm")
    for program in ("npm", "node", "chromium"):
        if not shutil.which(program):
            raise Skip(f"no {program}")
    ready = os.path.join(MODULES, "ready")
    if not os.path.exists(ready):
        os.makedirs(MODULES, exist_ok=True)
        npm("install", "--prefix", MODULES, "--ignore-scripts", SERVER,
            DRIVER, cwd=MODULES)
        inside = os.path.join(MODULES, "node_modules", "code-server", "lib",
                              "vscode")
        npm("install", "--omit=dev", "--ignore-scripts", cwd=inside)
        # It reports an error of one of them, which is not needed.
        npm("rebuild", *NATIVE, cwd=inside, check=False)
        npm("rebuild", "argon2", cwd=MODULES)
        with open(ready, "w", encoding="ascii") as f:
            f.write(f"{SERVER} {DRIVER}\n")


def vsix(folder):
    path = os.path.join(folder, "ccfc.vsix")
    done = subprocess.run(
        [os.path.join(SOURCE, "build"), path], capture_output=True, text=True,
        env={**os.environ, "CCFC_NPM_DIR": os.path.join(KEPT, "vsce")},
        check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return path


class Scene(Around):
    """With something to look at, for the picture."""

    def scene(self):
        first = ("import time\n\n\ndef greet():\n"
                 "    hour = int(time.strftime('%H'))\n"
                 "    when = 'morning' if hour < 12 else 'day'\n"
                 "    print(f'Good {when}!')\n\n\ngreet()\n")
        second = first.replace("def greet():", "def greet(name):").replace(
            "!')", ", {name}!')").replace(
            "import time", "import sys\nimport time").replace(
            "\ngreet()", "\ngreet(sys.argv[1])")
        for name, text, prompt, title in (
                ("a", first, "greet by the time of day", "A greeting"),
                ("b", second, "greet by name",
                 "Greet by name")):
            t = self.sessions[name]
            t.model = "claude-opus-4-5-20251101"
            t.emit({"type": "custom-title", "customTitle": title,
                    "sessionId": t.session})
            read = t.call("Read", {"file_path": self.path("greet.py")})
            t.result(read, {"type": "text"})
            self.change(name, "greet.py", text, prompt)


class Server:
    """code-server with the extension, as somebody with no settings has it."""

    def __init__(self, world):
        self.top = os.path.join(world.box.top, "vscode")
        self.write("User", SETTINGS)
        # It takes PATH from the user's login shell, which has another ccfc.
        self.write("Machine", {"ccfc.program": world.box.ccfc})
        os.makedirs(world.box.env["XDG_RUNTIME_DIR"])
        # The daemon is started by the extension.
        self.box = world.box
        self.box.stop()
        del self.box.env["CCFC_NO_SPAWN"]
        self.env = {**world.box.env, "PATH": os.environ["PATH"]}
        self.run("--install-extension", vsix(self.top)).communicate()
        self.process = self.run(
            "--auth=none", "--bind-addr=127.0.0.1:0", "--disable-telemetry",
            "--disable-update-check", "--disable-workspace-trust")
        self.url = None
        for line in self.process.stdout:
            found = re.search(r"listening on (http://[\d.:]+)", line)
            if found:
                self.url = found[1] + "/"
                break

    def write(self, folder, settings):
        folder = os.path.join(self.top, "data", folder)
        os.makedirs(folder)
        with open(os.path.join(folder, "settings.json"), "w",
                  encoding="utf-8") as f:
            json.dump(settings, f)

    def run(self, *args):
        return subprocess.Popen(
            [os.path.join(MODULES, "node_modules", ".bin", "code-server"),
             "--user-data-dir", os.path.join(self.top, "data"),
             "--extensions-dir", os.path.join(self.top, "extensions"),
             "--config", os.path.join(self.top, "config.yaml"), *args],
            env=self.env, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        assert self.url, "code-server does not listen"
        return self

    def __exit__(self, *exc):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.communicate()
        self.box.run("stop")


def test_in_code_server():
    modules()
    with Scene() as w, Server(w) as server:
        path = w.listen()
        done = subprocess.run(
            ["node", INSIDE], capture_output=True, text=True, check=False,
            env={**os.environ, "CCFC_TEST_URL": server.url,
                 "NODE_PATH": os.path.join(MODULES, "node_modules"),
                 "CCFC_TEST_DIR": w.dir, "CCFC_TEST_SOCKET": path,
                 "CCFC_TEST_LIMIT": str(harness.LIMIT),
                 "CCFC_TEST_PICTURE": picture})
        print(done.stdout, end="")
        assert done.returncode == 0, done.stderr
        w.unhurt()


def test_manifest():
    with open(os.path.join(SOURCE, "package.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    with open(os.path.join(harness.TOP, "CMakeLists.txt"),
              encoding="utf-8") as f:
        version = re.search(r"project\(ccfc VERSION (\S+)", f.read())[1]
    eq(manifest["version"], version, "version")
    assert "dependencies" not in manifest
    eq("^" + manifest["devDependencies"]["@types/vscode"],
       manifest["engines"]["vscode"], "the interface that is used")
    # A workspace must not choose what is run.
    eq(manifest["contributes"]["configuration"]["properties"]
       ["ccfc.program"]["scope"], "machine", "scope")


if __name__ == "__main__":
    for arg in sys.argv[1:]:
        if arg.startswith("--picture="):
            picture = os.path.abspath(arg.partition("=")[2])
            sys.argv.remove(arg)
    harness.main()
