"""A peer of `ccfc mcp` and `ccfc lsp`: JSON-RPC on the pipes of a process."""
import json
import os
import select
import subprocess

from harness import LIMIT, SANITIZER


class Peer:
    """The process; `headers`: Content-Length, else one message a line."""

    def __init__(self, box, *args, headers=False, cwd=None, env=None):
        self.headers = headers
        self.count = 0
        self.rest = b""
        self.process = subprocess.Popen(
            [box.ccfc, *args], stdin=subprocess.PIPE, cwd=cwd,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**box.env, **(env or {})})

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        """The end of the input is the end of the process, and no failure."""
        self.process.stdin.close()
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        said = self.process.stderr.read().decode(errors="replace")
        self.process.stdout.close()
        self.process.stderr.close()
        if SANITIZER.search(said):
            raise AssertionError("sanitizer report:\n" + said[-6000:])
        if kind is None and code:
            raise AssertionError(f"exit {code}: {said}")
        if kind:
            print(said)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def post(self, message):
        text = json.dumps(message).encode()
        if self.headers:
            self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        else:
            self.raw(text + b"\n")

    def more(self):
        out = self.process.stdout.fileno()
        if not select.select([out], [], [], LIMIT)[0]:
            raise AssertionError("no answer")
        data = os.read(out, 65536)
        if not data:
            raise AssertionError("the process has ended")
        self.rest += data

    def message(self):
        """The next message, as it is on the wire, then as JSON."""
        end = b"\r\n\r\n" if self.headers else b"\n"
        while end not in self.rest:
            self.more()
        head, _, self.rest = self.rest.partition(end)
        if not self.headers:
            return json.loads(head)
        length = int(head.lower().partition(b"content-length:")[2].split()[0])
        while len(self.rest) < length:
            self.more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return json.loads(body)

    def request(self, method, params=None):
        """The whole answer to a request; notifications are passed over."""
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method}
        if params is not None:
            message["params"] = params
        self.post(message)
        while True:
            answer = self.message()
            if "method" not in answer:
                break
        if answer["id"] != self.count:
            raise AssertionError(f"answer to {answer['id']}: {answer}")
        return answer

    def result(self, method, params=None):
        answer = self.request(method, params)
        if "result" not in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]

    def code(self, method, params=None):
        """The code of the error that the request must have."""
        return self.request(method, params)["error"]["code"]

    def notify(self, method, params=None):
        self.post({"jsonrpc": "2.0", "method": method,
                   "params": params or {}})
