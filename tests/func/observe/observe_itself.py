"""What clients write by themselves: no edits of the model. Settings are replaced
the way that tools replace files, a rewind writes the backup in place (clients
2.0.30, 2.1.100 and 2.1.326).
"""
import os

import harness
from harness import eq
from observe_killed import Killed, edit
from observing import now, pause
from transcript import stamp

OLD, NEW = "one\ntwo\nthree\n", "one\nTWO\nthree\n"


class Itself(Killed):
    def begin_edit(self):
        """A session that changed the file, with its line; its change."""
        one = self.begin()
        one.t.call("Read", {"file_path": self.path},
                   timestamp=stamp(now() - 4000))
        began = now()
        one.client.replace(self.path, NEW)
        self.saw(1)
        tid = edit(one, self.path, "two", "TWO", began, now())
        self.settle()
        pause()
        return one, tid

    def kinds(self, path=None):
        with self.rpc() as rpc:
            log = rpc.call("file.log", path=path or self.path)
        return [(s["kind"], s.get("changeId")) for s in log["steps"]]

    def conflicts(self):
        with self.rpc() as rpc:
            return [(c["kind"], c["otherParty"]) for c in
                    rpc.call("conflict.list", limit=10)["conflicts"]]


def test_a_rewind():
    """The state came back; the session did not edit, and nobody is in its way
    when it goes on."""
    with Itself(OLD) as box:
        one, tid = box.begin_edit()
        box.write("a.txt", OLD)
        seen = box.settle()[-1]["time"]
        one.t.prompt("again, please", timestamp=stamp(seen + 70_000))
        eq(set(box.changes()), {tid})
        eq(box.conflicts(), [])
        kinds = box.kinds()
        eq([k for k in kinds if k[0] in ("change", "returned")],
           [("returned", None), ("change", tid)], str(kinds))
        edit(one, box.path, "two", "2", seen + 71_000, seen + 71_010)
        eq(box.conflicts(), [])
        blame = box.ok("blame", box.path).splitlines()
        assert all(x.startswith("outside") for x in blame), blame


def test_a_rewind_of_a_new_file():
    """A file that the session made goes."""
    with Itself() as box:
        one = box.begin()
        path = os.path.join(box.p, "new.txt")
        began = now()
        one.client.replace(path, "made\n")
        box.saw(1)
        tid = edit(one, path, "", "made", began, now())
        box.settle()
        pause()
        os.unlink(path)
        seen = box.settle()[-1]["time"]
        one.t.prompt("again", timestamp=stamp(seen + 70_000))
        eq(set(box.changes()), {tid})
        eq(box.conflicts(), [])


def test_not_a_rewind():
    """Another content is a person's."""
    with Itself(OLD) as box:
        one, tid = box.begin_edit()
        box.write("a.txt", OLD + "mine\n")
        seen = box.settle()[-1]["time"]
        one.t.prompt("again, please", timestamp=stamp(seen + 1000))
        eq(box.conflicts(), [("concurrent", "outside")])
        eq(set(box.changes()), {tid})


def test_of_another_session():
    """What takes one session's change back is in another one's way."""
    with Itself(OLD) as box:
        one, _ = box.begin_edit()
        two = box.join(2)
        began = now()
        two.client.replace(box.path, NEW + "more\n")
        box.saw(2)
        edit(two, box.path, "", "more", began, now())
        box.settle()
        pause()
        box.write("a.txt", OLD)
        seen = box.settle()[-1]["time"]
        two.t.prompt("again, please", timestamp=stamp(seen + 1000))
        with box.rpc() as rpc:
            found = rpc.call("conflict.list", limit=10)["conflicts"]
        eq([c["kind"] for c in found if c["otherParty"] == "outside"
            and c["sessionId"] == two.t.session], ["concurrent"])
        one.t.prompt("again, please", timestamp=stamp(seen + 2000))
        with box.rpc() as rpc:
            found = rpc.call("conflict.list", limit=10)["conflicts"]
        eq([c for c in found if c["otherParty"] == "outside"
            and c["sessionId"] == one.t.session], [])


def test_settings():
    """What the user allows is no edit of the session."""
    with Itself() as box:
        names = (".claude/settings.json", ".claude/settings.local.json",
                 ".mcp.json")
        for name in names[:2]:
            box.write(name, "{}\n")
        one = box.begin()
        for name in names:
            one.client.replace(os.path.join(box.p, name), '{"a": 1}\n')
        # The session's own file in between is its edit.
        one.client.replace(box.path, NEW)
        box.saw(4)
        one.client.kill()
        change, = box.until_seen()
        eq(change["path"], box.path)
        eq(set(box.changes()), {change["changeId"]})
        box.restart(hard=True)
        eq(set(box.changes()), {change["changeId"]})


def test_settings_by_a_tool():
    """The call names them: its edit, though its result never came."""
    with Itself() as box:
        path = box.write(".claude/settings.json", "{}\n")
        one = box.begin()
        tid = edit(one, path, "{}", "{1}", now())
        one.client.replace(path, "{1}\n")
        box.saw(1)
        one.client.kill()
        box.until("ended", lambda o: not o["projects"])
        eq({k: c["state"] for k, c in box.changes().items()},
           {tid: "applied"})


if __name__ == "__main__":
    harness.main()
