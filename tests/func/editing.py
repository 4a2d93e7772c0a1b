"""Files that sessions change while editors have them open: what the tests of
the editors share."""
import os
import select
import subprocess

import msgpack

import harness
from harness import TOP, eq
from transcript import patch
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
