"""`ccfc mcp` and the plugin with real clients, which come from npm: with
CCFC_NPM=1 only (tests/run --npm). Modules are kept in CCFC_NPM_DIR. No client
is logged in, and each has a home of its own."""
import json
import os
import shutil
import subprocess

import harness
from harness import LIMIT, Skip, eq
from world import World

KEPT = os.path.join(os.path.abspath(os.environ.get(
    "CCFC_NPM_DIR", os.path.join(harness.TOP, "build-npm"))), "mcp")
PLUGIN = os.path.join(harness.TOP, "packaging", "claude-plugin")
# The first speaks the old era only, the second both.
MODULES = ("@modelcontextprotocol/sdk@1.32.2",
           "@modelcontextprotocol/client@2.4.0",
           "@modelcontextprotocol/inspector@2.12.0", "node@22")
CLAUDES = ("2.1.197", "2.1.325")

# What both libraries are made to do; they differ in how they begin.
TALK = """
await c.connect(new StdioClientTransport({ command: process.env.CCFC,
  args: ['mcp'], env: process.env, cwd: process.env.WHERE }))
const told = { tools: (await c.listTools()).tools.map(t => t.name),
  server: c.getServerVersion().name }
told.history = (await c.callTool({ name: 'file_history',
  arguments: { path: 'f.txt' } })).structuredContent
told.wrong = (await c.callTool({ name: 'file_history',
  arguments: {} })).isError
try { await c.callTool({ name: 'nothing', arguments: {} }) }
catch (e) { told.code = e.code }
told.version = c.getNegotiatedProtocolVersion?.()
console.log(JSON.stringify(told))
await c.close()
"""
OLD = """
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
const c = new Client({ name: 'test', version: '0' })
"""
NEW = """
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
const c = new Client({ name: 'test', version: '0' },
  { versionNegotiation: { mode: process.env.MODE } })
"""


def npm(folder, *modules):
    """Installs them once; of their scripts none runs."""
    if not os.environ.get("CCFC_NPM"):
        raise Skip("needs npm: tests/run --npm")
    if not shutil.which("npm") or not shutil.which("node"):
        raise Skip("no npm")
    where = os.path.join(KEPT, folder)
    ready = os.path.join(where, "ready")
    if not os.path.exists(ready):
        os.makedirs(where, exist_ok=True)
        done = subprocess.run(
            ["npm", "install", "--prefix", where, "--ignore-scripts",
             "--no-audit", "--no-fund", *modules], cwd=where, check=False,
            capture_output=True, text=True)
        if done.returncode:
            raise Skip("npm: " + done.stderr[-300:])
        with open(ready, "w", encoding="ascii") as f:
            f.write(" ".join(modules) + "\n")
    return where


def run(w, words, where, **env):
    """A client to its end: what it printed."""
    path = os.path.dirname(w.box.ccfc) + ":" + os.environ["PATH"]
    done = subprocess.run(
        words, cwd=where, stdin=subprocess.DEVNULL, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
        env={**w.box.env, "PATH": path, "CCFC": w.box.ccfc, "WHERE": w.dir,
             **env})
    eq(done.returncode, 0, f"{words}: {done.stdout}")
    return done.stdout


def filled(w):
    w.sessions["a"].prompt("write it")
    return w.write("a", "f.txt", "one\n")


def talk(w, text, change, version, **env):
    where = npm("clients", *MODULES)
    script = os.path.join(where, "talk.mjs")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text + TALK)
    told = json.loads(run(w, ["node", script], where, **env))
    eq((told["server"], len(told["tools"]), told["wrong"], told["code"]),
       ("ccfc", 8, True, -32602))
    eq([s["changeId"] for s in told["history"]["steps"]], [change])
    eq(told.get("version", version), version)


def test_sdk():
    npm("clients", *MODULES)
    with World() as w:
        talk(w, OLD, filled(w), "2025-11-25")


def test_client_in_both_eras():
    npm("clients", *MODULES)
    with World() as w:
        change = filled(w)
        talk(w, NEW, change, "2026-07-28", MODE="auto")
        talk(w, NEW, change, "2025-11-25", MODE="legacy")


def node22(where):
    """The inspector wants a newer node than Debian's."""
    path = os.path.join(where, "node_modules", "node", "bin")
    if not os.path.exists(path):
        subprocess.run(["npm", "rebuild", "--foreground-scripts", "node"],
                       cwd=where, check=False, capture_output=True)
    if not os.path.exists(path):
        raise Skip("no node 22")
    return path


def test_inspector():
    where = npm("clients", *MODULES)
    with World() as w:
        change = filled(w)
        words = [os.path.join(where, "node_modules", ".bin", "mcp-inspector"),
                 "--cli"]
        # It keeps its own environment to itself.
        for key, value in w.box.env.items():
            if key.startswith(("CCFC_", "CLAUDE_", "XDG_")):
                words += ["-e", f"{key}={value}"]
        words += [w.box.ccfc, "mcp"]
        path = node22(where) + ":" + os.environ["PATH"]
        told = run(w, [*words, "--method", "tools/list"], w.dir, PATH=path)
        eq(len(json.loads(told)["tools"]), 8)
        told = run(w, [*words, "--method", "tools/call", "--tool-name",
                       "file_history", "--tool-arg", "path=f.txt"], w.dir,
                   PATH=path)
        steps = json.loads(told)["structuredContent"]["steps"]
        eq([s["changeId"] for s in steps], [change])


def claude(version):
    where = npm(version, f"@anthropic-ai/claude-code@{version}")
    folder = os.path.join(where, "node_modules", "@anthropic-ai",
                          "claude-code")
    # It puts the program in its place; nothing is fetched.
    subprocess.run(["node", "install.cjs"], cwd=folder, check=False,
                   capture_output=True)
    return os.path.join(where, "node_modules", ".bin", "claude")


def test_claude():
    """The server is added and found to work; the plugin is valid, and brings
    the server with it."""
    for version in CLAUDES:
        program = claude(version)
        with World() as w:
            filled(w)
            own = {"CLAUDE_CONFIG_DIR": os.path.join(w.box.home, ".claude")}
            run(w, [program, "mcp", "add", "ccfc", "-s", "user", "--",
                    w.box.ccfc, "mcp"], w.dir, **own)
            told = run(w, [program, "mcp", "list"], w.dir, **own)
            eq("ccfc" in told and "Connected" in told, True, told)
            for part in (PLUGIN, os.path.join(PLUGIN, "marks")):
                told = run(w, [program, "plugin", "validate", part], w.dir,
                           **own)
                eq("Validation passed" in told, True, told)
            run(w, [program, "mcp", "remove", "ccfc", "-s", "user"], w.dir,
                **own)
            copy = os.path.join(w.box.top, "plugin")
            shutil.copytree(PLUGIN, copy)
            run(w, [program, "plugin", "marketplace", "add", copy], w.dir,
                **own)
            for name in ("ccfc@ccfc", "ccfc-marks@ccfc"):
                run(w, [program, "plugin", "install", name], w.dir, **own)
            told = run(w, [program, "mcp", "list"], w.dir, **own)
            eq("plugin:ccfc:ccfc" in told and "Connected" in told, True, told)


if __name__ == "__main__":
    harness.main()
