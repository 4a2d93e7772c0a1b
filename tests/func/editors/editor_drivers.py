"""Real editors that a test drives, each through what it has for that."""
import contextlib
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import tempfile
import termios
import textwrap
import threading
import time

import msgpack

import harness
from editing import PLUGINS
from harness import eq


class Asked:
    """An editor that is asked until the answer is what is wanted."""

    def wait_for(self, want, question):
        deadline = time.monotonic() + harness.LIMIT
        while (got := question()) != want:
            assert time.monotonic() < deadline, \
                f"never {want!r}; at last {got!r}\n{self.messages()}"

    def lines(self):
        return self.value("getline(1, '$')")


class Nvim(Asked):
    """A headless Neovim, driven through its own API on stdin and stdout."""

    # What is drawn: {line = {sign, text}}; and what the user was told.
    LIB = """
        function _G.drawn(ns)
          local out = {}
          local id = vim.api.nvim_create_namespace('ccfc_' .. ns)
          for _, m in ipairs(vim.api.nvim_buf_get_extmarks(
              0, id, 0, -1, {details = true})) do
            local d = m[4]
            out[#out + 1] = {m[2] + 1, d.virt_text and d.virt_text[1][1] or
                             d.sign_text or 'sign'}
          end
          return out
        end
        _G.seen, _G.said, _G.menu = {}, {}, {}
        vim.notify = function(m) said[#said + 1] = m end
        vim.ui.select = function(items, options, done)
          menu = vim.tbl_map(options.format_item or tostring, items)
          _G.choose = function(n) menu = {}; done(items[n], n) end
        end
        vim.cmd([[autocmd User CcfcEvent lua
          \\ local e = require('ccfc').event
          \\ seen[#seen + 1] = {e.type, e.toolUseId or e.kind}]])
    """

    def __init__(self, world, *args, env=None):
        argv = ["nvim", "--headless", "--embed", "--clean", "-n",
                "--cmd", f"set rtp^={PLUGINS}/nvim"]
        self.process = subprocess.Popen(
            [*argv, *args], env={**world.box.env, **(env or {})},
            cwd=world.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False,
                                         unicode_errors="surrogateescape")
        self.next_id = 0
        self.lua(self.LIB)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
        else:
            self.lua("vim.schedule(function() vim.cmd('qa!') end)")
        self.process.stdin.close()
        self.process.wait(harness.LIMIT)
        self.process.stdout.close()

    def post(self, code, *args):
        self.next_id += 1
        self.process.stdin.write(msgpack.packb(
            [0, self.next_id, "nvim_exec_lua", [code, list(args)]]))
        self.process.stdin.flush()
        return self.next_id

    def reply(self, number):
        out = self.process.stdout
        while True:
            for message in self.unpacker:
                if message[0] == 1 and message[1] == number:
                    if message[2]:
                        raise AssertionError(f"nvim: {message[2]}")
                    return message[3]
            if not select.select([out], [], [], 2 * harness.LIMIT)[0]:
                raise AssertionError("nvim does not answer")
            data = os.read(out.fileno(), 1 << 16)
            if not data:
                raise AssertionError("nvim ended")
            self.unpacker.feed(data)

    def lua(self, code, *args):
        return self.reply(self.post(code, *args))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def value(self, expression):
        return self.lua("return vim.api.nvim_eval(...)", expression)

    def ex(self, command):
        self.lua("vim.cmd(...)", command)

    def ready(self):
        """Subscribed."""
        self.wait_for(True, lambda: self.lua(
            "return require('ccfc').clock ~= nil"))

    def signs(self):
        return [line for line, _ in self.lua("return drawn('signs')")]

    def texts(self):
        return self.lua("return drawn('texts')")

    def line_text(self):
        """That of the line under the cursor."""
        return self.lua("return drawn('line')")

    def own_texts(self, _):
        """All that was made of texts of the transcripts."""
        shown = [*self.texts(), *self.line_text()]
        return [text for _, text in shown] + self.lua("return said")

    def seen(self):
        return self.lua("return seen")

    def said(self):
        return self.lua("return table.concat(said, '\\n')")

    def cursor(self, line):
        self.ex(f"call cursor({line}, 1)")
        self.lua("require('ccfc.line').moved(vim.fn.bufnr())")

    def type(self, line, *texts):
        """In place of a line."""
        self.lua("local line, texts = ...\n"
                 "vim.api.nvim_buf_set_lines(0, line - 1, line, false, texts)"
                 "\nrequire('ccfc.marks').draw_later(vim.fn.bufnr())",
                 line, texts)

    def menu(self):
        return self.lua("return menu")

    def choose(self, n):
        self.lua("choose(...)", n)

    def messages(self):
        return self.lua("return vim.fn.execute('messages')")


class Terminal:
    """A program on a terminal whose screen nobody looks at."""

    def __init__(self, argv, env, cwd):
        self.master, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            argv, env={"TERM": "xterm", **env}, cwd=cwd, stdin=theirs,
            stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.screen = b""
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 1 << 16):
                self.screen = (self.screen + data)[-(1 << 16):]

    def wait(self):
        self.process.wait(harness.LIMIT)

    def kill(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


class Vim(Asked):
    """A real Vim on a terminal, driven through a JSON channel: Vim connects to
    a socket of ours, and evaluates what we send."""

    LIB = """
        let g:seen = []
        autocmd User CcfcEvent call add(g:seen, [g:ccfc_event.type,
          \\ get(g:ccfc_event, 'toolUseId', get(g:ccfc_event, 'kind', ''))])
        func! Signs()
          return map(sign_getplaced('%', {'group': 'ccfc'})[0].signs,
            \\ {_, s -> s.lnum})
        endfunc
        func! Texts(type)
          return map(prop_list(1, {'end_lnum': -1, 'types': [a:type]}),
            \\ {_, p -> [p.lnum, Row(p.lnum)]})
        endfunc
        func! Row(line)
          redraw
          let row = screenpos(0, a:line, 1).row
          return join(map(range(1, &columns), {_, c ->
            \\ screenstring(row, c)}), '')
        endfunc
        func! Menu()
          let found = filter(popup_list(), {_, id ->
            \\ popup_getoptions(id).filter != v:null && popup_getoptions(id)
            \\ ->get('cursorline')})
          return get(found, 0, 0)
        endfunc
        func! Menus()
          return Menu() ? getbufline(winbufnr(Menu()), 1, '$') : []
        endfunc
        let g:chan = ch_open('unix:' .. $TEST_SOCKET, {'mode': 'json'})
    """

    def __init__(self, world, *args, env=None):
        self.top = tempfile.mkdtemp(dir=world.box.top, prefix="vim-")
        path = os.path.join(self.top, "s")
        script = os.path.join(self.top, "lib.vim")
        with open(script, "w", encoding="utf-8") as f:
            f.write(textwrap.dedent(self.LIB))
        listener = socket.socket(socket.AF_UNIX)
        listener.settimeout(harness.LIMIT)
        with listener:
            listener.bind(path)
            listener.listen(1)
            self.start(world, args, script,
                       {"TEST_SOCKET": path, **(env or {})})
            self.sock = listener.accept()[0]
        self.sock.settimeout(harness.LIMIT)
        self.data = b""
        self.number = 0

    def start(self, world, args, script, env):
        self.terminal = Terminal(
            ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n",
             "--cmd", f"set rtp^={PLUGINS}/vim encoding=utf-8",
             "--cmd", "runtime plugin/ccfc.vim",
             "--cmd", "set updatetime=100000",
             *args, "-S", script], {**world.box.env, **env}, world.dir)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not kind:
            self.send(["ex", "qa!"])
            self.terminal.wait()
        self.kill()

    def kill(self):
        self.terminal.kill()
        self.sock.close()

    def send(self, message):
        self.sock.sendall(json.dumps(message).encode() + b"\n")

    def message(self):
        decoder = json.JSONDecoder()
        while True:
            text = self.data.decode(errors="surrogateescape")
            with contextlib.suppress(ValueError):
                value, end = decoder.raw_decode(text.lstrip())
                text = text.lstrip()[end:]
                self.data = text.encode(errors="surrogateescape")
                return value
            data = self.sock.recv(1 << 16)
            if not data:
                raise AssertionError(
                    f"vim ended: {self.terminal.screen[-2000:]!r}")
            self.data += data

    def value(self, text):
        """The value of an expression; an error of it is ours."""
        self.number -= 1
        self.send(["expr", text, self.number])
        while (message := self.message())[0] != self.number:
            pass
        eq(message[1] == "ERROR", False, f"vim: {text}")
        return message[1]

    def ex(self, command):
        self.value("execute('let v:errmsg = \"\"')")
        said = self.value(f"execute({json.dumps(command)}, '')")
        eq(self.value("v:errmsg"), "", f":{command}: {said}")

    def ready(self):
        """Subscribed."""
        self.wait_for(1, lambda: self.value("ccfc#job#Connected()"))

    def signs(self):
        return self.value("Signs()")

    def texts(self):
        return self.value("Texts('ccfc_text')")

    def line_text(self):
        """That of the line under the cursor."""
        return self.value("Texts('ccfc_line')")

    def own_texts(self, line):
        """All that was made of texts of the transcripts."""
        owner = f"(ccfc#marks#Owner(bufnr(), {line}))"
        return self.value(f"[ccfc#marks#Short{owner}, "
                          f"ccfc#here#Describe({owner}, 100)]")

    def seen(self):
        return self.value("g:seen")

    def said(self):
        return self.messages()

    def cursor(self, line):
        self.ex(f"call cursor({line}, 1) | doautocmd CursorMoved")

    def type(self, line, *texts):
        """In place of a line."""
        self.value(f"setline({line}, {json.dumps(texts[0])})")
        self.value(f"append({line}, {json.dumps(texts[1:])})")
        self.ex("doautocmd TextChanged")

    def menu(self):
        return self.value("Menus()")

    def choose(self, n):
        self.ex(f"call popup_close(Menu(), {n})")

    def messages(self):
        return self.value("execute('messages')")


def quoted(text):
    """For Kakoune."""
    return "'" + text.replace("'", "''") + "'"


class Kak:
    """A real Kakoune with a window, drawn as JSON that nobody looks at.
    Commands go through "kak -p", answers come through a pipe with a name."""

    END = "\1end"

    def __init__(self, world, *args, env=None):
        self.env = {**world.box.env, **(env or {})}
        top = tempfile.mkdtemp(dir=world.box.top, prefix="kak-")
        self.session = os.path.basename(top)
        self.env["XDG_RUNTIME_DIR"] = top
        self.pipe = os.path.join(top, "answers")
        os.mkfifo(self.pipe)
        # Open for both: no end of file between answers.
        self.answers = os.open(self.pipe, os.O_RDWR)
        self.terminal = Terminal(
            ["kak", "-n", "-ui", "json", "-s", self.session, "-E",
             f"source {PLUGINS}/kakoune/ccfc.kak\nccfc-enable", *args],
            self.env, world.dir)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not kind:
            self.push("kill!")
            self.terminal.wait()
        self.terminal.kill()
        os.close(self.answers)

    def push(self, command):
        """The server may not listen yet, but its process is there."""
        while subprocess.run(
                ["kak", "-p", self.session], input=command.encode(),
                env=self.env, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=harness.LIMIT,
                check=False).returncode:
            eq(self.terminal.process.poll(), None, "kak ended")

    def read(self):
        data = b""
        while not data.rstrip().endswith(self.END.encode()):
            if not select.select([self.answers], [], [], harness.LIMIT)[0]:
                raise AssertionError("kak does not answer")
            data += os.read(self.answers, 1 << 16)
        return data.decode().rstrip()[:-len(self.END)].rstrip("\n ")

    def ask(self, expression, buffer, before=""):
        """The expansion, in that buffer; "error: …" if that fails."""
        answer = f"echo -to-file {self.pipe} -- {expression} {self.END}"
        # A name in "-buffer" would end at a comma, and a block at a brace.
        inside = quoted(f"buffer {quoted(buffer)}; {before}; {answer}")
        self.push("try " + quoted("evaluate-commands -draft -buffer *debug* "
                                  + inside) + " catch %{ "
                  f"echo -to-file {self.pipe} -- error: %val{{error}} "
                  f"{self.END} }}")
        return self.read()

    def text(self, buffer):
        return self.ask("%val{selection}", buffer, "execute-keys '%'")

    def until(self, want, question):
        """Asks until the answer is what is wanted."""
        deadline = time.monotonic() + harness.LIMIT
        while not want(got := question()):
            assert time.monotonic() < deadline, f"never; at last {got!r}"
        return got
