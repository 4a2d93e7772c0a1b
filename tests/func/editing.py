"""Files that sessions change while editors have them open: what the tests of
the editors share."""
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
from harness import TOP, eq
from transcript import edit_result, patch
from world import World

PLUGINS = os.path.join(TOP, "client", "editors")

# What may stand in a prompt, a command or a path, and means something to some
# editor, terminal or shell.
HOSTILE = ("\x1b]0;x\x07\x1b[31m' \" \\ | :q! <CR> <Esc>:qa! %sh{touch HURT} "
           "%{ } $(touch HURT) `touch HURT` \r\n:!touch HURT\n"
           "vim: set modeline ft=hurt tw=7: \u202e\u0085 %!touch HURT ''")


class Files(World):
    """As the client does it: first the file, then the transcript."""

    def write(self, session, name, text):
        t, path, old = self.sessions[session], self.path(name), self.get(name)
        self.put(name, text)
        tid = t.call("Write", {"file_path": path, "content": text})
        t.result(tid, {
            "type": "create" if old is None else "update", "filePath": path,
            "content": text, "originalFile": old,
            "structuredPatch": [] if old is None else patch(
                old.splitlines(), text.splitlines())})
        return tid

    def again(self, session, prompt):
        self.sessions[session].prompt(prompt)

    def unhurt(self):
        """No text of a transcript was run by anybody."""
        found = [os.path.join(folder, name)
                 for folder, _, names in os.walk(self.box.top)
                 for name in names if "HURT" in name]
        eq(found, [], "made by a text of the transcript")


# The same for Emacs and for web pages.
ESCAPES = ("%s%n \x1b[31m\x1b]0;x\x07 \u202e \\[kill-emacs] "
           "\"; (setq ccfc-test-evil t) '\n;; Local Variables:\n"
           ";; eval: (setq ccfc-test-evil t)\n;; ccfc-test-evil: t\n;; End:\n"
           "<img src=x onerror='window.ccfcEvil=1'> [x](command:evil) "
           + HOSTILE)


class Around(Files):
    """Two sessions, and a project in which one has changed a.c. An editor asks
    on a socket for what has to happen, as arrays of JSON, each a line: the name
    of a function below and its arguments."""

    def __init__(self):
        super().__init__("a", "b")
        self.put("a.c", "one\n")
        self.change("a", "a.c", "one\ntwo\n", "make two")
        self.ready = threading.Barrier(1)

    def change(self, session, name, text, prompt):
        self.again(session, prompt)
        return self.write(session, name, text)

    def clash(self, name):
        """Session a edits what it read before b changed it."""
        path = self.path(name)
        a = self.sessions["a"]
        read = a.call("Read", {"file_path": path})
        a.result(read, {"type": "text"})
        self.change("b", name, "one\ntwo\nb\n", "p")
        edit = a.call("Edit", {"file_path": path, "old_string": "two",
                               "new_string": "2"})
        self.put(name, "one\n2\nb\n")
        a.result(edit, edit_result(path, "two", "2"))

    def hostile(self, name):
        b = self.sessions["b"]
        b.model = "claude-\x1b[31m%s\n"
        self.change("b", name, "evil\n" + ESCAPES, ESCAPES)
        b.write(self.path("x\n\x1b]0;y\x07%s\".c"))
        b.write("/ssh:evil:/a.c")

    def end(self):
        self.box.ok("stop")

    def running(self):
        env = {**self.box.env, "CCFC_NO_SPAWN": "1"}
        return self.box.run("status", env=env).returncode == 0

    def act(self, what, *args):
        if what == "kill":
            self.box.kill()
        elif what == "start":
            self.box.start()
        elif what == "ready":
            if self.ready.wait(harness.LIMIT) == 0:
                self.change("b", "a.c", "for all\n", "p")
        else:
            return getattr(self, what)(*args)

    def talk(self, server):
        """Does what one editor asks for, until that has ended."""
        with server, server.accept()[0] as peer, peer.makefile("rw") as lines:
            for line in lines:
                lines.write(json.dumps(self.act(*json.loads(line))) + "\n")
                lines.flush()

    def listen(self, n=0):
        """The socket for one editor."""
        path = os.path.join(self.box.top, f"test{n}.sock")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        server.settimeout(harness.LIMIT)
        threading.Thread(target=self.talk, args=(server,),
                         daemon=True).start()
        return path


class Nvim:
    """A headless Neovim, driven through its own API on stdin and stdout."""

    def __init__(self, world, *args, plugin=True, env=None):
        argv = ["nvim", "--headless", "--embed", "--clean", "-n"]
        if plugin:
            argv += ["--cmd", f"set rtp^={PLUGINS}/nvim"]
        self.process = subprocess.Popen(
            [*argv, *args], env={**world.box.env, **(env or {})},
            cwd=world.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False,
                                         unicode_errors="surrogateescape")
        self.next_id = 0

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

    def until(self, condition, *args):
        """Waits inside the editor until the Lua expression is true."""
        done = self.lua(
            "local args, last = {...}, nil\n"
            f"local function test(...) return {condition} end\n"
            f"local ok = vim.wait({int(harness.LIMIT * 1000)}, function()\n"
            "  last = test(unpack(args)); return last end, 10)\n"
            "return {ok, vim.inspect(last)}", *args)
        assert done[0], f"never: {condition}\n{self.messages()}"

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


class Vim:
    """A real Vim on a terminal, driven through a JSON channel: Vim connects to
    a socket of ours, and evaluates what we send."""

    LIB = """
        let g:seen = []
        autocmd User CcfcEvent call add(g:seen, [g:ccfc_event.type,
          \\ get(g:ccfc_event, 'toolUseId', get(g:ccfc_event, 'kind', ''))])
        func! Until(number, what)
          call timer_start(10, {t -> eval(a:what) ? [timer_stop(t),
            \\ ch_sendexpr(g:chan, ['done', a:number])] : 0}, {'repeat': -1})
        endfunc
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

    def expr(self, text):
        """The value of an expression; an error of it is ours."""
        self.number -= 1
        self.send(["expr", text, self.number])
        while (message := self.message())[0] != self.number:
            pass
        eq(message[1] == "ERROR", False, f"vim: {text}")
        return message[1]

    def ex(self, command):
        self.expr("execute('let v:errmsg = \"\"')")
        said = self.expr(f"execute({json.dumps(command)}, '')")
        eq(self.expr("v:errmsg"), "", f":{command}: {said}")

    def until(self, condition):
        """Waits inside the editor until the expression is true."""
        self.number -= 1
        number = self.number
        quoted = condition.replace("'", "''")
        self.send(["expr", f"Until({number}, '{quoted}')"])
        try:
            while self.message()[1] != ["done", number]:
                pass
        except TimeoutError:
            raise AssertionError(
                f"never: {condition}\n{self.messages()}") from None

    def messages(self):
        return self.expr("execute('messages')")


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
        name = buffer.replace("'", "''")
        self.push(f"try %{{ evaluate-commands -draft -buffer '{name}' "
                  f"%{{ {before}; {answer} }} }} catch %{{ "
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
