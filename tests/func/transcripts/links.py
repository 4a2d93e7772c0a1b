"""A transcript that is reached by several names is one source.

Symbolic links, hard links, linked projects and roots; made and taken away in
any order, while the daemon runs and while it does not. Whatever the names,
the lines are read once, and the index is that of the file alone.
"""
import itertools
import os
import shutil

import harness
from harness import Box, eq
from transcript import Ids, Transcript

P = "/home/dev/p"
LINES = 3  # of one write with its prompt


def sources(box):
    """Path → further names, of those that are there."""
    with box.rpc() as rpc:
        return {s["path"]: s.get("names", [])
                for s in rpc.call("source.list")["sources"]
                if s["source"] == "present"}


def lines(box):
    with box.rpc() as rpc:
        return rpc.call("index.stats")["lines"]["read"]


def known(box):
    """All that is told of sessions and changes."""
    return box.dump().text


def place(box, project, name):
    folder = box.project(project)
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


class Linked:
    """A transcript, a link to it in the same project and one in another."""

    def __init__(self, box, link=os.symlink, outside=False):
        self.t = Transcript(box, Ids())
        if outside:
            self.t.path = os.path.join(box.top, "far", "t.jsonl")
        self.t.live = False
        self.t.prompt()
        self.tid = self.t.write(P + "/a.c")
        name = self.t.session + ".jsonl"
        self.one = place(box, "-a", name)
        self.two = place(box, "-z", name)
        self.link = link

    def steps(self):
        """Makes the file and its links: three steps for any order."""
        return {"file": self.write,
                "one": lambda: self.tie(self.one),
                "two": lambda: self.tie(self.two)}

    def write(self):
        for data in self.t.lines:
            harness.append(self.t.path, data)

    def tie(self, path):
        self.link(self.t.path, path)


def hard_linked(box):
    """A file and two hard links to it, and the three names in order."""
    linked = Linked(box, os.link)
    linked.write()
    linked.tie(linked.one)
    linked.tie(linked.two)
    return linked, sorted([linked.one, linked.two, linked.t.path])


def check(box, path, names, tid, what):
    eq(sources(box), {path: sorted(names)}, what)
    eq(lines(box), LINES, what + ": lines")
    eq(box.dump().states(), {tid: "applied"}, what)


def test_two_links_and_the_file_in_any_order():
    for order in itertools.permutations(["file", "one", "two"]):
        with Box() as box:
            linked = Linked(box)
            box.start()
            for step in order:
                linked.steps()[step]()
                sources(box)
            want = linked.t.path, [linked.one, linked.two], linked.tid
            check(box, *want, f"{order}")
            text = known(box)
            box.restart()
            check(box, *want, f"{order} restarted")
            box.restart(hard=True)
            check(box, *want, f"{order} killed")
            box.ok("index", "--build")
            check(box, *want, f"{order} rebuilt")
            eq(known(box), text, "dump")
        with Box() as box:
            linked = Linked(box)
            for step in order:
                linked.steps()[step]()
            box.start()
            check(box, linked.t.path, [linked.one, linked.two], linked.tid,
                  f"{order} cold")
            eq(known(box), text, "cold dump")


def test_links_to_a_file_outside():
    """The daemon that met two of these ended, at every start."""
    with Box() as box:
        linked = Linked(box, outside=True)
        linked.write()
        linked.tie(linked.two)
        linked.tie(linked.one)
        for step in ("start", "restart"):
            getattr(box, step)()
            check(box, linked.one, [linked.two], linked.tid, step)
        # What is appended over there is told of.
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            linked.t.live = True
            tid = linked.t.write(P + "/later.c")
            eq(rpc.event()["toolUseId"], tid, "event")
        # A link may be named where a transcript is asked for.
        for path in (linked.one, linked.two):
            eq(box.json("list", path)["sessionId"], linked.t.session, path)


def test_hard_links():
    for order in itertools.permutations(["one", "two"]):
        with Box() as box:
            linked = Linked(box, os.link)
            box.start()
            linked.write()
            sources(box)
            for step in order:
                linked.steps()[step]()
                sources(box)
            names = sorted([linked.one, linked.two, linked.t.path])
            want = names[0], names[1:], linked.tid
            check(box, *want, f"{order}")
            box.restart()
            check(box, *want, "restarted")
            # An append by any of the names is seen.
            for path in names:
                linked.t.path = path
                linked.t.live = True
                tid = linked.t.write(P + "/more.c")
                eq(box.dump().by_id(tid)["state"], "applied", path)
            eq(list(sources(box)), names[:1], "sources")


def test_a_hard_link_that_is_broken():
    for broken in (0, 1, 2):
        with Box() as box:
            linked, names = hard_linked(box)
            box.start()
            sources(box)
            copy = os.path.join(box.top, "copy")
            shutil.copyfile(names[broken], copy)
            os.rename(copy, names[broken])
            rest = [n for n in names if n != names[broken]]
            want = {names[broken]: [], rest[0]: rest[1:]}
            eq(sources(box), want, f"broken {broken}")
            eq(lines(box), 2 * LINES, "lines")
            eq(box.dump().states(), {linked.tid: "applied"}, "changes")
            box.restart()
            eq(sources(box), want, f"broken {broken}, restarted")


def test_names_that_are_removed():
    with Box() as box:
        box.without_archive()
        linked, names = hard_linked(box)
        box.start()
        while len(names) > 1:
            check(box, names[0], names[1:], linked.tid, f"{len(names)} names")
            os.unlink(names.pop(0))
        check(box, names[0], [], linked.tid, "one name")
        linked.t.path, linked.t.live = names[0], True
        tid = linked.t.write(P + "/more.c")
        eq(box.dump().by_id(tid)["state"], "applied", "read on")
        os.unlink(names[0])
        eq(sources(box), {}, "no name")
        eq(box.json("list", linked.t.session)["source"], "gone", "list")


def test_the_file_is_removed_while_the_daemon_is_away():
    with Box() as box:
        linked, names = hard_linked(box)
        box.start()
        check(box, names[0], names[1:], linked.tid, "all")
        box.stop()
        os.unlink(names[0])
        box.start()
        check(box, names[1], names[2:], linked.tid, "restarted")


def test_a_link_that_is_pointed_elsewhere():
    with Box() as box:
        ids = Ids()
        first, second = Transcript(box, ids), Transcript(box, ids)
        one, two = first.write(P + "/1.c"), second.write(P + "/2.c")
        link = place(box, "-z", first.session + ".jsonl")
        os.symlink(first.path, link)
        box.start()
        eq(sources(box), {first.path: [link], second.path: []}, "first")

        def point(to):
            os.symlink(to, link + ".new")
            os.rename(link + ".new", link)
        point(second.path)
        eq(sources(box), {first.path: [], second.path: [link]}, "second")
        # To a file of its own, and back.
        far = Transcript(box, ids, path=os.path.join(box.top, "far.jsonl"))
        three = far.write(P + "/3.c")
        point(far.path)
        want = {first.path: [], second.path: [], link: []}
        eq(sources(box), want, "outside")
        point(first.path)
        want = {first.path: [link], second.path: []}
        eq(sources(box), want, "back")
        states = {one: "applied", two: "applied", three: "applied"}
        eq(box.dump().states(), states, "changes")
        box.restart()
        eq(sources(box), want, "restarted")
        eq(box.dump().states(), states, "changes")
        os.unlink(link)
        eq(sources(box), {first.path: [], second.path: []}, "removed")


def test_loops():
    with Box() as box:
        t = Transcript(box, Ids())
        t.prompt()
        tid = t.write(P + "/a.c")
        folder = os.path.dirname(t.path)
        a, b = (os.path.join(folder, n) for n in ("a.jsonl", "b.jsonl"))
        os.symlink(b, a)
        os.symlink(a, b)
        os.symlink("self.jsonl", os.path.join(folder, "self.jsonl"))
        os.symlink("nowhere", os.path.join(folder, "none.jsonl"))
        os.symlink("..", os.path.join(folder, "up"))
        os.symlink(".", os.path.join(folder, "here"))
        os.symlink(".", os.path.join(box.projects, "-all"))
        for step in ("start", "restart"):
            getattr(box, step)()
            check(box, t.path, [], tid, step)
        # A loop that comes to lead somewhere.
        os.unlink(b)
        os.symlink(t.path, b)
        check(box, t.path, [a, b], tid, "led")
        os.unlink(b)
        os.symlink(a, b)
        check(box, t.path, [], tid, "loop again")


def test_a_linked_project():
    """By name the link comes first; the directory is what counts."""
    for late in (False, True):
        with Box() as box:
            t = Transcript(box, Ids(), project="-p")
            t.prompt()
            tid = t.write(P + "/a.c")
            link = box.project("-a")
            name = os.path.basename(t.path)
            if late:
                box.start()
                sources(box)
            os.symlink("-p", link)
            if not late:
                box.start()
            want = t.path, [os.path.join(link, name)], tid
            check(box, *want, f"late: {late}")
            box.restart()
            check(box, *want, "restarted")
            os.unlink(link)
            check(box, t.path, [], tid, "no link")


def test_a_root_that_is_reached_twice():
    with Box() as box:
        t = Transcript(box, Ids())
        t.prompt()
        tid = t.write(P + "/a.c")
        again = os.path.join(box.top, "again")
        os.symlink(box.claude, again)
        other = os.path.join(again, os.path.relpath(t.path, box.claude))
        for roots in ([box.claude, again], [again, box.claude]):
            box.roots = roots
            box.start()
            check(box, t.path, [other], tid, f"{roots}")
            box.stop()


def test_doctor_says_so():
    with Box() as box:
        linked = Linked(box)
        linked.write()
        linked.tie(linked.one)
        box.start()
        text = box.run("doctor").stdout
        assert (f"1 transcript has several names, first {linked.t.path}, "
                f"also {linked.one}") in text, text


if __name__ == "__main__":
    harness.main()
