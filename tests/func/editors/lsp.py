"""`ccfc lsp`: hovers, hints, lenses and actions against the replies of the
daemon; buffers that are not saved; hostile texts and messages; Neovim's own
client."""
import os
import shutil
import signal
import subprocess
from urllib.parse import quote

import harness
from harness import LIMIT, Skip, eq
from jsonrpc import Peer
from world import World

NVIM = """
local attached = false
local cmd, path, where = unpack(vim.g.given)
vim.cmd('edit ' .. vim.fn.fnameescape(path))
local id = vim.lsp.start_client({ cmd = { cmd, 'lsp' }, name = 'ccfc',
  root_dir = where, on_attach = function() attached = true end })
vim.lsp.buf_attach_client(0, id)
vim.wait(tonumber(vim.env.CCFC_TEST_WAIT), function() return attached end, 10)
local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params()
  local got = vim.lsp.buf_request_sync(0, method, params, tonumber(
    vim.env.CCFC_TEST_WAIT))
  for _, answer in pairs(got or {}) do
    return answer.result
  end
end
local out = {}
local function hover(line)
  local got = ask('textDocument/hover',
    { position = { line = line, character = 0 } })
  table.insert(out, got and got ~= vim.NIL and got.contents.value or 'nothing')
end
hover(0)
hover(1)
vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'new' })
hover(0)
hover(2)
local actions = ask('textDocument/codeAction', { range = {
  start = { line = 2, character = 0 }, ['end'] = { line = 2, character = 0 } },
  context = { diagnostics = {} } })
for _, action in ipairs(actions) do
  if action.command.command == 'ccfc.restore' then
    ask('workspace/executeCommand', action.command)
  end
end
vim.wait(tonumber(vim.env.CCFC_TEST_WAIT), function()
  return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] ~= 'new'
end, 10)
vim.list_extend(out, vim.api.nvim_buf_get_lines(0, 0, -1, false))
vim.fn.writefile(vim.split(table.concat(out, '\\n---\\n'), '\\n'),
  vim.g.given[4])
vim.cmd('qa!')
"""


class Lsp(Peer):
    def __init__(self, w, **more):
        super().__init__(w.box, "lsp", cwd=w.dir, headers=True, **more)

    def begin(self, **capabilities):
        got = self.result("initialize", {
            "processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized")
        return got

    def open(self, path, text):
        self.uri = "file://" + quote(path)
        self.version = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "text", "version": 1,
            "text": text}})

    def change(self, *changes):
        self.version += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": list(changes)})

    def about(self, method, **params):
        return self.result("textDocument/" + method, {
            "textDocument": {"uri": self.uri}, **params})

    def hover(self, line):
        got = self.about("hover", position={"line": line, "character": 0})
        return got and got["contents"]["value"]

    def actions(self, line, **context):
        at = {"line": line, "character": 0}
        return self.about("codeAction", range={"start": at, "end": at},
                          context={"diagnostics": [], **context})

    def hints(self, first, last):
        return self.about("inlayHint", range={
            "start": {"line": first, "character": 0},
            "end": {"line": last, "character": 0}})

    def end(self):
        eq(self.result("shutdown"), None)
        self.notify("exit")


def filled(w):
    w.sessions["a"].prompt("write the numbers")
    one = w.write("a", "f \u00e4.txt", "one\ntwo\nthree\n")
    w.sessions["b"].prompt("say it with digits")
    two = w.write("b", "f \u00e4.txt", "one\n2\nthree\n")
    w.put("f \u00e4.txt", "zero\none\n2\nthree\n")
    return w.path("f \u00e4.txt"), one, two


def test_life():
    with World() as w:
        with Lsp(w) as p:
            eq(p.code("textDocument/hover", {}), -32002)
            got = p.begin()
            eq(got["serverInfo"]["name"], "ccfc")
            eq(got["capabilities"]["textDocumentSync"]["change"], 1)
            eq(p.code("initialize", {}), -32600)
            eq(p.code("textDocument/rename", {}), -32601)
            eq(p.result("shutdown"), None)
            eq(p.code("textDocument/hover", {}), -32600)
            p.notify("exit")
            eq(p.process.wait(LIMIT), 0)
        p = Lsp(w)
        p.begin()
        p.notify("exit")
        eq(p.process.wait(LIMIT), 1, "exit without shutdown")
        try:
            p.__exit__(None, None, None)
        except AssertionError:
            pass


def test_hover():
    with World() as w:
        path, one, two = filled(w)
        with Lsp(w) as p:
            p.begin()
            p.open(path, w.get("f \u00e4.txt"))
            eq(p.hover(0).startswith("not by a session"), True)
            for line, change, session, prompt in [
                    (1, one, "a", "write the numbers"),
                    (2, two, "b", "say it with digits")]:
                text = p.hover(line)
                eq([part in text for part in (change, w.id(session), prompt)],
                   [True] * 3, text)
            eq(p.hover(40).startswith("not known"), True)
            p.open("/nothing/of/ours.txt", "x\n")
            eq(p.hover(0), None)
            eq(p.about("codeLens"), [])
            eq(p.actions(0), [])
            p.uri = "untitled:1"
            eq(p.hover(0), None)
            p.end()


def test_lines_that_are_not_saved():
    with World() as w:
        path, one, two = filled(w)
        with Lsp(w) as p:
            p.begin()
            p.open(path, w.get("f \u00e4.txt"))
            p.change({"text": "mine\r\nzero\r\n2\r\nTHREE"})
            eq(p.hover(0).startswith("not known: this line was changed"), True)
            eq(p.hover(1).startswith("not by a session"), True)
            eq(two in p.hover(2), True)
            eq(p.hover(3).startswith("not known: this line was changed"), True)
            # A piece of a text was not asked for: nothing is known then.
            p.change({"range": {"start": {"line": 0, "character": 0},
                                "end": {"line": 0, "character": 0}},
                      "text": "x"})
            eq(p.hover(2).startswith("not known"), True)
            p.change({"text": "one"})
            eq(one in p.hover(0), True)
            # What a session writes meanwhile is in the next answer.
            w.write("a", "f \u00e4.txt", "two\n")
            eq(p.hover(0).startswith("not known"), True)
            p.end()


def test_lens_hint_actions():
    with World() as w:
        path, one, two = filled(w)
        with Lsp(w) as p:
            p.begin(workspace={"inlayHint": {"refreshSupport": True}})
            p.open(path, w.get("f \u00e4.txt"))
            lens = p.about("codeLens")
            eq([(x["range"]["start"]["line"], x["command"]["command"])
                for x in lens], [(0, "ccfc.log")])
            eq(lens[0]["command"]["title"].startswith(
                "2 changes by 2 sessions, the last "), True)
            eq(p.hints(0, 10), [], "no cursor was seen yet")
            hint = p.hints(2, 2)
            eq([(h["position"]["line"], h["position"]["character"])
                for h in hint], [(2, 1)])
            eq(hint[0]["label"].endswith(" say it with digits"), True)
            p.hover(2)
            eq(p.hints(0, 10), hint, "of the line of the cursor")
            eq(p.hints(3, 10), [])
            eq(p.actions(0), [], "not by a session")
            got = {a["command"]["command"]: a for a in p.actions(2)}
            eq(sorted(got), ["ccfc.diff", "ccfc.restore"])
            eq(len(p.actions(2, only=["source"])), 2)
            eq(p.actions(2, only=["source.organizeImports"]), [],
               "an editor would run them before it saves")
            text = p.result("workspace/executeCommand",
                            got["ccfc.diff"]["command"])
            eq("-two\n+2\n" in text, True, text)
            log = p.result("workspace/executeCommand", lens[0]["command"])
            eq(len(log.splitlines()), 3)
            eq(w.get("f \u00e4.txt"), "zero\none\n2\nthree\n")
            p.end()


def applied(p, command):
    """The request to edit that a command leads to, and the answer."""
    p.count += 1
    p.post({"jsonrpc": "2.0", "id": p.count,
            "method": "workspace/executeCommand", "params": command})
    asked = None
    while True:
        m = p.message()
        if m.get("method") == "workspace/applyEdit":
            asked = m
            p.post({"jsonrpc": "2.0", "id": m["id"],
                    "result": {"applied": True}})
        elif m.get("id") == p.count and "method" not in m:
            return asked, m


def test_restore_is_an_edit_of_the_buffer():
    with World() as w:
        path, one, two = filled(w)
        with Lsp(w) as p:
            p.begin()
            p.open(path, "zero\none\n2\nthr\U0001f600")
            command = {a["command"]["command"]: a["command"]
                       for a in p.actions(2)}["ccfc.restore"]
            asked, answer = applied(p, command)
            eq(answer["result"], None)
            edits = asked["params"]["edit"]["changes"][p.uri]
            eq([(e["range"]["start"], e["range"]["end"], e["newText"])
                for e in edits],
               [({"line": 0, "character": 0}, {"line": 3, "character": 5},
                 "one\ntwo\nthree\n")])
            eq(w.get("f \u00e4.txt"), "zero\none\n2\nthree\n",
               "nothing was written")
            # Before its first change there was no file.
            asked, answer = applied(p, {
                "command": "ccfc.restore", "arguments": [p.uri, one]})
            eq((asked, answer["result"]), (None, None))
            for bad in ({}, {"command": "rm"}, {"command": "ccfc.diff"},
                        {"command": "ccfc.restore", "arguments": [7, 8]},
                        {"command": "ccfc.restore",
                         "arguments": ["file:///etc/passwd", two]},
                        {"command": "ccfc.diff", "arguments": ["a\0b"]}):
                eq(applied(p, bad)[0], None)
            p.end()


def test_hostile_texts():
    """No text of a transcript has a control character in the editor."""
    with World() as w:
        w.sessions["a"].prompt("a\x1b[2J\x07 \u202e `rm` [x](command:y)\u2028b")
        w.write("a", "f.txt", "x\x1b]0;t\x07\n")
        with Lsp(w) as p:
            p.begin()
            p.open(w.path("f.txt"), w.get("f.txt"))
            got = p.about("hover", position={"line": 0, "character": 0})
            eq(got["contents"]["kind"], "plaintext")
            texts = [got["contents"]["value"], p.hints(0, 0)[0]["label"],
                     p.about("codeLens")[0]["command"]["title"],
                     p.result("workspace/executeCommand", {
                         a["command"]["command"]: a["command"]
                         for a in p.actions(0)}["ccfc.diff"])]
            for text in texts:
                bad = [c for c in text if c in "\x1b\x07\u202e\u2028\x7f"]
                eq(bad, [], text)
            p.end()


def test_bad_messages():
    with World() as w:
        with Lsp(w) as p:
            p.begin()
            for text, code in [(b"nonsense", -32700), (b"[]", -32600),
                               (b"", -32700), (b'{"jsonrpc":"2.0"}', -32600)]:
                p.raw(b"content-length: %d\r\nX: y\r\n\r\n%s"
                      % (len(text), text))
                eq(p.message()["error"]["code"], code, text)
            size = (16 << 20) + 1
            p.raw(b"Content-Length: %d\r\n\r\n" % size)
            eq(p.message()["error"]["code"], -32600, "too long")
            p.raw(b"x" * size)
            for params in ({}, {"textDocument": 7}, [], {
                    "textDocument": {"uri": 5}, "position": {"line": "x"}}):
                eq(p.result("textDocument/hover", params), None)
                p.notify("textDocument/didChange", params)
                p.notify("textDocument/didOpen", params)
            p.open(w.path("x"), "")
            eq([p.about("hover", position={"line": n, "character": 0})
                for n in (-1, 1 << 40, 1.5)], [None] * 3)
            p.end()
        with Lsp(w) as p:
            p.begin()
            p.raw(b"X: y\r\n\r\n")  # nothing behind it can be found
            eq(p.process.wait(LIMIT), 0)


def test_no_daemon():
    with World() as w:
        path, _, two = filled(w)
        w.box.stop()
        with Lsp(w) as p:
            p.begin()
            p.open(path, w.get("f \u00e4.txt"))
            eq(p.hover(2), None)
            w.box.start()
            eq(two in p.hover(2), True)
            w.box.restart()
            eq(two in p.hover(2), True)
            p.end()


def test_a_daemon_that_hangs():
    """The server answers, and ends when its editor is gone. It waits for half a
    minute first: a long question is no reason to give up."""
    with World() as w:
        path, _, two = filled(w)
        with Lsp(w, env={"CCFC_PATIENCE": "1"}) as p:
            p.begin()
            p.open(path, w.get("f \u00e4.txt"))
            w.box.daemon.send_signal(signal.SIGSTOP)
            try:
                eq(p.hover(2), None)
            finally:
                w.box.daemon.send_signal(signal.SIGCONT)
            eq(two in p.hover(2), True)
            p.end()


def test_neovim():
    if not shutil.which("nvim"):
        raise Skip("no nvim")
    with World() as w:
        w.sessions["a"].prompt("first")
        w.write("a", "f.txt", "one\ntwo\n")
        w.sessions["b"].prompt("then\x1b[2J digits")
        two = w.write("b", "f.txt", "one\n2\n")
        script = os.path.join(w.box.top, "t.lua")
        out = os.path.join(w.box.top, "out")
        with open(script, "w", encoding="utf-8") as f:
            f.write(NVIM)
        given = ", ".join(f"'{x}'" for x in (
            w.box.ccfc, w.path("f.txt"), w.dir, out))
        done = subprocess.run(
            ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n",
             "--cmd", f"let g:given = [{given}]", "-c", f"luafile {script}",
             "-c", "qa!"], env={**w.box.env, "TERM": "dumb",
                                "CCFC_TEST_WAIT": str(LIMIT * 1000)},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
            check=False)
        if not os.path.exists(out):
            raise AssertionError(done.stdout + done.stderr)
        with open(out, encoding="utf-8") as f:
            told = f.read().rstrip("\n").split("\n---\n")
        eq(("first" in told[0], two in told[1], "then^[[2J digits" in told[1]),
           (True, True, True), told)
        eq(told[2].startswith("not known"), True, told)
        eq(told[3], told[1])
        eq(told[4:], ["one", "two"], "restored in the buffer")
        eq(w.get("f.txt"), "one\n2\n", "and nowhere else")


if __name__ == "__main__":
    harness.main()
