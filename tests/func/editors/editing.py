"""Files that sessions change while editors have them open: what the tests of
the editors share."""
import json
import os
import signal
import socket
import threading

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

    def attempt(self, session, name):
        """An edit that changes nothing."""
        t = self.sessions[session]
        tid = t.call("Edit", {"file_path": self.path(name),
                              "old_string": "no such text",
                              "new_string": "x"})
        t.result(tid, "Error: no such text", error=True)

    def crash(self):
        """Of a daemon that was started by nobody here."""
        os.kill(self.box.json("status")["pid"], signal.SIGKILL)

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
        elif what == "hang":
            self.box.daemon.send_signal(signal.SIGSTOP)
        elif what == "resume":
            self.box.daemon.send_signal(signal.SIGCONT)
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
