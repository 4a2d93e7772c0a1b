"""Files on disk together with the sessions that changed them: what the tests
of restore and revert start from."""
import os

from harness import Box
from transcript import Ids, Transcript, folder, patch


class World:
    """A box with a project directory and sessions in it. The daemon runs."""

    def __init__(self, *sessions):
        self.box = Box()
        self.dir = os.path.join(self.box.top, "p")
        os.makedirs(self.dir)
        self.undo = os.path.join(self.box.state, "undo")
        ids = Ids()
        self.sessions = {
            name: Transcript(self.box, ids, cwd=self.dir,
                             project=folder(self.dir))
            for name in sessions or ("a", "b")}
        for t in self.sessions.values():
            t.prompt()

    def __enter__(self):
        self.box.__enter__()
        self.box.start()
        return self

    def __exit__(self, *exc):
        return self.box.__exit__(*exc)

    def id(self, session):
        return self.sessions[session].session

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, name, text):
        """Somebody writes the file, no session; None removes it."""
        path = self.path(name)
        if text is None:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text.encode())

    def get(self, name):
        """The text of the file, None if there is none."""
        try:
            with open(self.path(name), "rb") as f:
                return f.read().decode()
        except FileNotFoundError:
            return None

    def write(self, session, name, text):
        """A Write by the session, on disk too; returns the change's id."""
        t, path, old = self.sessions[session], self.path(name), self.get(name)
        tid = t.call("Write", {"file_path": path, "content": text})
        detail = {"type": "create" if old is None else "update",
                  "filePath": path, "content": text, "originalFile": old,
                  "structuredPatch": [] if old is None else patch(
                      old.splitlines(), text.splitlines())}
        t.result(tid, detail)
        self.put(name, text)
        return tid

    def blind(self, session, name, old, new):
        """An Edit of which no content but its own words is known."""
        t = self.sessions[session]
        tid = t.call("Edit", {"file_path": self.path(name), "old_string": old,
                              "new_string": new})
        t.result(tid)
        return tid

    def run(self, *args, **more):
        return self.box.run(*args, cwd=self.dir, **more)

    def ok(self, *args):
        return self.box.ok(*args, cwd=self.dir)

    def fails(self, *args, code=2):
        """The command must fail so; what it said on stderr."""
        done = self.run(*args)
        if done.returncode != code:
            raise AssertionError(f"ccfc {args}: exit {done.returncode}, "
                                 f"{done.stdout!r} {done.stderr!r}")
        if not done.stderr.startswith("ccfc: "):
            raise AssertionError(f"ccfc {args}: said {done.stderr!r}")
        return done.stderr

    def left(self):
        """Temporary files that were left anywhere in the project."""
        return [os.path.join(folder, name)
                for folder, _, names in os.walk(self.dir)
                for name in names if name.startswith(".ccfc-")]

    def entries(self):
        """Ids in the undo area with their states, oldest first."""
        if not os.path.isdir(self.undo):
            return []
        found = []
        for name in sorted(os.listdir(self.undo)):
            if name == "lock":
                continue
            states = {"begun", "done", "undone"} & set(
                os.listdir(os.path.join(self.undo, name)))
            found.append((name, states.pop() if states else None))
        return found
