"""What cannot be opened for a moment is said, and read when it can be.

No write tells that the cause is gone: the next question has to try, and where
nobody asks, the daemon by itself.
"""
import os
import resource

import harness
from harness import Box, RpcError, eq, without_rights
from transcript import Ids, Transcript

P = "/home/dev/p"


class Starved:
    """A daemon that may open no further file, while connections go on.

    Made when nothing is to be read, and good for several times.
    """

    def __init__(self, box, *connections):
        self.pid = box.daemon.pid
        self.more = []
        # poll() needs a limit above the number of what it polls: further
        # connections take the low numbers that are free.
        while self.free() < 32:
            self.more.append(box.rpc())
            self.more[-1].call("server.info")
        for rpc in connections:
            rpc.call("server.info")

    def free(self):
        """The number that the next file would get."""
        used = set(map(int, os.listdir(f"/proc/{self.pid}/fd")))
        return min(set(range(len(used) + 1)) - used)

    def __enter__(self):
        self.was = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE,
                         (self.free(), self.was[1]))
        return self

    def __exit__(self, *exc):
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, self.was)


def unread(rpc):
    got = rpc.call("server.info")["unread"]
    eq(got["total"], len(got["paths"]), "total")
    for row in got["paths"]:
        assert row["since"] < row["nextTry"], row
        assert row["tries"] > 0, row
    return {row["path"]: row["error"] for row in got["paths"]}


def appear(box, ids, project):
    """A project comes with its transcript in one step: no event tells of
    the transcript."""
    made = os.path.join(box.top, "made")
    t = Transcript(box, ids, path=os.path.join(made, ids.uuid() + ".jsonl"))
    t.write(P + "/appeared.c")
    os.rename(made, box.project(project))
    t.path = os.path.join(box.project(project), os.path.basename(t.path))
    return t


def changes(rpc):
    return rpc.call("index.stats")["totalChanges"]


def test_no_descriptor_is_left_and_then_one_is():
    with Box() as box:
        # Its thread opens files, too, when there is time.
        box.without_archive()
        ids = Ids()
        t = Transcript(box, ids)
        t.write(P + "/1.c")
        box.start()
        with box.rpc() as rpc:
            eq(changes(rpc), 1, "changes")
            with Starved(box, rpc):
                t.write(P + "/2.c")
                fresh = Transcript(box, ids)
                fresh.write(P + "/3.c")
                other = appear(box, ids, "-new")
                want = dict.fromkeys(
                    [t.path, fresh.path, os.path.dirname(other.path)],
                    "Too many open files")
                eq(unread(rpc), want, "unread")
                eq(changes(rpc), 1, "changes meanwhile")
                eq(unread(rpc), want, "unread still")
            # Nothing is written: the question is what tries again.
            eq(changes(rpc), 4, "changes after")
            eq(unread(rpc), {}, "unread after")


def test_no_descriptor_for_what_was_said():
    """That it cannot be read does not mean that nothing was."""
    with Box() as box:
        box.without_archive()
        t = Transcript(box, Ids())
        t.prompt("a needle")
        box.start()
        box.dump()
        with box.rpc() as rpc:
            asked = (
                ("text.search", {"pattern": "needle"}, "totalMatches"),
                ("session.messages", {"session": t.session}, "totalMessages"))

            def answered():
                for method, args, total in asked:
                    eq(rpc.call(method, **args)[total], 1, method)
            os.unlink(t.path)
            answered()
            with Starved(box, rpc):
                for method, args, _ in asked:
                    try:
                        got = rpc.call(method, **args)
                    except RpcError as e:
                        assert "cannot be read" in e.text, e.text
                        assert "Too many open files" in e.text, e.text
                    else:
                        raise AssertionError(f"{method}: {got}")
            answered()


def test_no_descriptor_for_what_is_archived():
    """That it cannot be read now does not mean that nothing is kept."""
    with Box() as box:
        t = Transcript(box, Ids())
        t.prompt("a needle")
        t.write(P + "/1.c")
        box.start()
        with box.rpc() as rpc:
            asked = (
                ("text.search", {"pattern": "needle"}, "totalMatches"),
                ("text.search", {"pattern": "/1.c", "in": ["tool"]},
                 "totalMatches"),
                ("session.messages", {"session": t.session},
                 "totalMessages"))
            want = [rpc.call(m, **args)[total] for m, args, total in asked]
            while any(r["kept"] < r["bytes"] for r in
                      rpc.call("source.list")["sources"]):
                pass
            os.unlink(t.path)
            eq([rpc.call(m, **args)[total] for m, args, total in asked], want,
               "from the archive")
            with Starved(box, rpc):
                for method, args, _ in asked:
                    try:
                        got = rpc.call(method, **args)
                    except RpcError as e:
                        assert "Too many open files" in e.text or \
                            "not everything" in e.text, e.text
                    else:
                        raise AssertionError(f"{method}: {got}")
            eq([rpc.call(m, **args)[total] for m, args, total in asked], want,
               "afterwards")


def test_nobody_asks():
    with Box() as box:
        # Its thread opens files, too, when there is time.
        box.without_archive()
        t = Transcript(box, Ids())
        t.write(P + "/1.c")
        box.start()
        with box.rpc() as rpc, box.rpc() as asks:
            rpc.call("events.subscribe")
            with Starved(box, rpc, asks):
                tid = t.write(P + "/2.c")
                eq(unread(asks), {t.path: "Too many open files"}, "unread")
            eq(rpc.event()["toolUseId"], tid, "event")
            eq(unread(asks), {}, "unread after")


def test_it_is_gone_before_it_was_read():
    with Box() as box:
        # Its thread opens files, too, when there is time.
        box.without_archive()
        box.start()
        with box.rpc() as rpc:
            starved = Starved(box, rpc)
            with starved:
                t = appear(box, Ids(), "-new")
                eq(list(unread(rpc)), [os.path.dirname(t.path)], "directory")
            eq(unread(rpc), {}, "read")
            with starved:
                t.write(P + "/2.c")
                eq(list(unread(rpc)), [t.path], "transcript")
                os.unlink(t.path)
                eq(unread(rpc), {}, "gone")


def test_status_and_doctor_say_it():
    if not without_rights("test_status_and_doctor_say_it"):
        return
    with Box() as box:
        t = Transcript(box, Ids())
        t.write(P + "/1.c")
        box.start()
        box.dump()
        eq("Unread" in box.ok("status"), False, "status")
        os.chmod(t.path, 0o200)
        t.write(P + "/2.c")
        told = f"{t.path}: Permission denied, since "
        status = box.ok("status")
        assert "Unread" in status and told in status, status
        doctor = box.run("doctor")
        eq(doctor.returncode, 1, "doctor")
        assert "the daemon could not read 1: " + told in doctor.stdout, \
            doctor.stdout
        eq(len(box.dump().changes), 1, "meanwhile")
        box.restart()
        assert told in box.ok("status"), "restarted"
        os.chmod(t.path, 0o600)
        eq(len(box.dump().changes), 2, "changes")
        eq("Unread" in box.ok("status"), False, "status after")
        assert "could not read" not in box.run("doctor").stdout, "doctor after"


def test_a_directory_that_may_not_be_searched():
    """Its names are known, and not what they are."""
    if not without_rights("test_a_directory_that_may_not_be_searched"):
        return
    with Box() as box:
        t = Transcript(box, Ids())
        t.write(P + "/1.c")
        os.makedirs(os.path.join(os.path.dirname(t.path), t.session))
        folder = os.path.dirname(t.path)
        os.chmod(folder, 0o400)
        box.start()
        with box.rpc() as rpc:
            eq(unread(rpc), dict.fromkeys([t.path, folder],
                                          "Permission denied"), "unread")
            os.chmod(folder, 0o700)
            eq(changes(rpc), 1, "changes")
            eq(unread(rpc), {}, "unread after")


if __name__ == "__main__":
    harness.main()
