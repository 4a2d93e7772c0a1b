"""The hooks of the plugin ccfc-marks in the real client, which comes from npm:
only with CCFC_NPM=1. A played model has it run one command.
"""
import contextlib
import http.server
import json
import os
import sqlite3
import subprocess
import threading

import harness
from harness import LIMIT, Box, eq
from mcp_npm import CLAUDES, PLUGIN, claude

TID = "toolu_01PlayedModelCallsBash01"


class Model(http.server.BaseHTTPRequestHandler):
    """Asks for a command, and is content with its result."""

    protocol_version = "HTTP/1.1"
    wants = ""  # a command

    def log_message(self, *_):
        pass

    def send(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send("application/json", b"{}")

    def do_HEAD(self):
        self.send("application/json", b"")

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        asked = json.loads(self.rfile.read(length) or b"{}")
        if not asked.get("stream"):
            self.do_GET()
            return
        blocks = [b for m in asked["messages"]
                  if isinstance(m["content"], list) for b in m["content"]]
        done = any(b["type"] == "tool_result" for b in blocks)
        tools = [t["name"] for t in asked.get("tools", ())]
        self.send("text/event-stream",
                  stream(asked["model"], None if done or "Bash" not in tools
                         else self.wants))


def stream(model, command):
    """The events of a message: a call, or a word."""
    block = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "done"}
    if command:
        block = {"type": "tool_use", "id": TID, "name": "Bash", "input": {}}
        delta = {"type": "input_json_delta",
                 "partial_json": json.dumps({"command": command})}
    usage = {"input_tokens": 1, "output_tokens": 1}
    events = [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant",
            "model": model, "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "usage": {"output_tokens": 1}, "delta": {
            "stop_reason": "tool_use" if command else "end_turn",
            "stop_sequence": None}},
        {"type": "message_stop"}]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n"
                   for e in events).encode()


@contextlib.contextmanager
def model(command):
    Model.wants = command
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def marks(box):
    with contextlib.closing(sqlite3.connect(
            os.path.join(box.state, "index.db"))) as db:
        return db.execute(
            "SELECT c_time, began, ended, r_time FROM t_change"
            " WHERE tool_use_id = ?", (TID,)).fetchall()


def test_the_real_client():
    """The marks lie around what the command did, within its lines; also where
    it fails.
    """
    for version, command in zip(CLAUDES, ("echo hello > x.txt",
                                          "echo hello > x.txt; exit 3")):
        program = claude(version)
        with Box() as box, model(command) as url:
            work = os.path.join(box.top, "p")
            os.makedirs(work)
            box.start()
            done = subprocess.run(
                [program, "-p", "go", "--allowedTools", "Bash",
                 "--plugin-dir", os.path.join(PLUGIN, "marks")],
                cwd=work, timeout=LIMIT, capture_output=True, check=False,
                env={**box.env, "HOME": box.home, "ANTHROPIC_BASE_URL": url,
                     "ANTHROPIC_API_KEY": "made-up",
                     "CLAUDE_CONFIG_DIR": box.claude,
                     "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                     "CCFC_PATIENCE": "1000",
                     "PATH": os.path.dirname(box.ccfc) + ":"
                     + os.environ["PATH"]})
            eq(done.returncode, 0, done.stdout + done.stderr)
            box.json("sessions")
            changed = os.stat(os.path.join(work, "x.txt")).st_ctime_ns
            (called, began, ended, result), = marks(box)
            moments = [called, began, changed // 1_000_000, ended, result]
            eq(moments, sorted(moments), version)


if __name__ == "__main__":
    harness.main()
