"""Questions about history are the workers', and a dump is made in slices: the
core thread answers others meanwhile, and a client that hangs up takes its
question with it.

Nothing is timed. Two requests that reach the daemon in one write are read in
one turn: a core that answers by itself answers them in their order, so that a
reply which overtakes another shows that the other one is a worker's.
"""
import concurrent.futures
import os
import select

import harness
import msgpack
from harness import Box, eq
from transcript import Ids, Transcript

LINES = 300
CWD = "/home/dev/p"
PATH = CWD + "/long.c"


def line_text(number, version):
    return f"value_{number:04d} = step({version});"


def long_chain(box, edits):
    """One session, one file, only the first record has its content."""
    out = Transcript(box, Ids(1), cwd=CWD, style="new", version="2.1.325")
    out.live = False
    lines = [line_text(n, 0) for n in range(LINES)]
    out.prompt("make it")
    ids = [out.write(PATH, "\n".join(lines) + "\n")]
    for number in range(1, edits):
        at = number * 7 % LINES
        old, new = lines[at], line_text(at, number)
        tid = out.call("Edit", {"file_path": PATH, "old_string": old,
                                "new_string": new, "replace_all": False})
        out.result(tid, {
            "filePath": PATH, "oldString": old, "newString": new,
            "originalFile": None, "userModified": False, "replaceAll": False,
            "structuredPatch": [{
                "oldStart": at + 1, "oldLines": 1, "newStart": at + 1,
                "newLines": 1, "lines": ["-" + old, "+" + new]}]})
        lines[at] = new
        ids.append(tid)
    harness.append(out.path, b"".join(out.lines))
    return out, ids, "\n".join(lines) + "\n"


def post_pair(rpc, method, options):
    """Both requests in one write; their ids."""
    first, second = rpc.next_id, rpc.next_id + 1
    rpc.next_id += 2
    rpc.send(msgpack.packb([0, first, method, [options]])
             + msgpack.packb([0, second, "server.info", []]))
    return first, second


def pair(rpc, method, options):
    """Both requests in one write; (is the first overtaken, its result)."""
    first, second = post_pair(rpc, method, options)
    order, results = [], {}
    while len(order) < 2:
        message = rpc.message()
        order.append(message[1])
        eq(message[2], None, f"{method}: error")
        results[message[1]] = message[3]
    return order == [second, first], results[first]


def test_overtaken():
    """Every method that reads lines again lets the next question pass."""
    with Box() as box:
        out, ids, text = long_chain(box, 20)
        box.start()
        session = {"session": out.session}
        path = {"path": PATH}
        asked = [
            ("file.at", path), ("file.log", path),
            ("file.blame", dict(path, at=ids[-1])),
            ("file.sessions", dict(path, includeContent=True)),
            ("file.sessions", dict(path, includePrompt=True)),
            ("file.match", {"pattern": "/**", "includeContent": True}),
            ("change.get", {"change": ids[3], "includeContent": True}),
            ("session.diff", session), ("session.diff",
                                        dict(session, net=True)),
            ("session.revert", session), ("session.recover", session),
            ("session.recover", {"deleted": True}),
            ("session.files", dict(session, includeContent=True)),
            ("session.file_changes", dict(session, **path)),
        ]
        with box.rpc() as rpc:
            rpc.call("index.stats")
            for method, options in asked:
                overtaken, result = pair(rpc, method, options)
                eq(overtaken, True, f"{method}: the next one passes it")
                if method == "file.at":
                    eq(result["state"]["content"], text.encode(), "content")
            # And what the index knows by itself is not handed on.
            overtaken, _ = pair(rpc, "file.sessions", path)
            eq(overtaken, False, "file.sessions: a lookup")


def seen_running(asker, other):
    """Asks until the job of `asker` runs: the daemon answers meanwhile."""
    while not other.call("server.info")["jobs"]["running"]:
        if select.select([asker.sock], [], [], 0)[0]:
            raise AssertionError("the answer came before the job was seen")


def all_ended(rpc):
    """Asks until no job runs or waits."""
    while any(rpc.call("server.info")["jobs"].values()):
        pass


def test_core_is_free():
    """Another client is answered, and ingest goes on, within a long diff."""
    with Box() as box:
        out, ids, _ = long_chain(box, 1500)
        box.start()
        with box.rpc() as asker, box.rpc() as other:
            other.call("index.stats")
            sub = other.call("events.subscribe")
            msgid = asker.post("session.diff", {"session": out.session})
            seen_running(asker, other)
            out.live = True
            tid = append_change(out, CWD + "/new")
            eq(other.event()["changeId"], tid, "event of a change")
            found = other.call("file.sessions", path=CWD + "/new")
            eq(found["totalChanges"], 1, "changes")
            reply = asker.reply(msgid)
            # As of when it was asked.
            eq(len(reply["diffs"]), len(ids), "diffs")
            assert reply["clock"] == sub["clock"], (reply["clock"], sub)


def append_change(out, path):
    out.lines.clear()
    tid = out.call("Write", {"file_path": path, "content": ""})
    out.result(tid, {"type": "create", "filePath": path, "content": "",
                     "structuredPatch": []})
    return tid


def test_dump_in_slices():
    """The next question passes a long dump, and ingest goes on; the dump is
    that of one moment, and in the end that of a cold scan."""
    with Box() as box:
        out, _, _ = long_chain(box, 4000)
        out.live = True
        box.start()
        with box.rpc() as asker, box.rpc() as other:
            other.call("index.stats")
            before = other.call("index.dump")
            for number in range(3):
                path = f"{CWD}/new{number}"
                dump, info = post_pair(asker, "index.dump", {})
                running = asker.reply(info)["jobs"]["running"]
                eq(running, 1, "the dump when the next one is answered")
                append_change(out, path)
                found = other.call("file.sessions", path=path)
                eq(found["totalChanges"], 1, "changes")
                got = asker.reply(dump)
                after = other.call("index.dump")
                assert got in (before, after), "neither before nor after"
                before = after
            asker.post("index.dump")
        with box.rpc() as rpc:
            all_ended(rpc)
        with Box(claude=box.claude) as cold:
            cold.start()
            with cold.rpc() as rpc:
                rpc.call("index.stats")
                eq(rpc.call("index.dump") == before, True, "as a cold scan")


def test_listings_in_slices():
    """The next question passes what goes over much of the index, by the
    number of rows and not by the time that they take."""
    edits = 4500
    with Box() as box:
        out, ids, _ = long_chain(box, edits)
        box.start()
        with box.rpc() as rpc:
            clock = rpc.call("index.stats")["clock"].split(":")[0] + ":0"
            session = {"session": out.session}
            for method, options, count in (
                    ("stats.get", {}, lambda x: x["totals"]["changes"]),
                    ("stats.get", {"by": "file"},
                     lambda x: x["rows"][0]["changes"]),
                    ("session.list", {},
                     lambda x: x["sessions"][0]["totalChanges"]),
                    ("file.match", {"pattern": "/**"},
                     lambda x: len(x[0]["sessions"][0]["changes"])),
                    ("file.sessions", {"path": PATH},
                     lambda x: len(x["sessions"][0]["changes"])),
                    ("session.files", session,
                     lambda x: len(x["files"][0]["changes"])),
                    ("events.since", {"clock": clock},
                     lambda x: len(x["events"])),
                    ("events.subscribe", {"since": clock},
                     lambda x: len(x["events"]))):
                overtaken, result = pair(rpc, method, options)
                eq(overtaken, True, f"{method}: the next one passes it")
                eq(count(result), len(ids), f"{method}: changes")


def test_excerpts_in_slices():
    """The rows for a long history are copied in slices, of one moment: what
    is written meanwhile is in the answer as a whole, or not at all."""
    with Box() as box:
        edits = 3000
        out, ids, _ = long_chain(box, edits)
        out.live = True
        box.start()
        with box.rpc() as asker, box.rpc() as other:
            clock = other.call("index.stats")["clock"]
            for method, options, count in (
                    ("session.diff", {"session": out.session},
                     lambda x: len(x["diffs"])),
                    ("session.recover", {"session": out.session},
                     lambda x: edits + x["total"] - 1),
                    ("session.files",
                     {"session": out.session, "includePrompt": True},
                     lambda x: x["totalChanges"])):
                for number in range(2):
                    asked, info = post_pair(asker, method, options)
                    running = asker.reply(info)["jobs"]["running"]
                    eq(running, 1, f"{method} when the next one is answered")
                    path = f"{CWD}/{method}{number}"
                    tid = append_change(out, path)
                    found = other.call("file.sessions", path=path)
                    eq(found["totalChanges"], 1, "changes")
                    got = asker.reply(asked)
                    before, clock = clock, found["clock"]
                    expected = {before: len(ids), clock: len(ids) + 1}
                    ids.append(tid)
                    assert got["clock"] in expected, (method, got["clock"])
                    eq(count(got), expected[got["clock"]], method)
            deleted = asker.call("session.recover", deleted=True)
            eq(edits + deleted["total"] - 1, len(ids), "files that are gone")


def test_hang_up():
    """Nobody waits for it: the work ends, and its chain is not kept."""
    with Box() as box:
        out, ids, text = long_chain(box, 1500)
        box.start()
        with box.rpc() as other:
            other.call("index.stats")
            for method, options in (
                    ("session.diff", {"session": out.session}),
                    ("file.log", {"path": PATH, "limit": 5000}),
                    ("file.blame", {"path": PATH, "at": ids[-1]})):
                with box.rpc() as asker:
                    asker.post(method, options)
                    seen_running(asker, other)
                all_ended(other)
            reply = other.call("file.at", path=PATH)
            eq(reply["state"]["content"], text.encode(), "content")


def test_together():
    """Many clients at once about the same file: all get the same answer."""
    with Box() as box:
        out, ids, text = long_chain(box, 120)
        box.start()
        wrong = []

        def ask(nth):
            with box.rpc() as rpc:
                for k in range(6):
                    i = (nth * 17 + k * 31) % len(ids)
                    before = rpc.call("file.at", path=PATH,
                                      at="before:" + ids[i])
                    got = rpc.call("change.get", change=ids[i],
                                   includeContent=True)
                    if i and got["before"]["content"] != \
                            before["state"]["content"]:
                        wrong.append(i)
                    lines = rpc.call("file.blame", path=PATH,
                                     at=ids[-1])["lines"]
                    if len(lines) != LINES:
                        wrong.append("blame")
                    diffs = rpc.call("session.diff",
                                     session=out.session)["diffs"]
                    if len(diffs) != len(ids):
                        wrong.append("diff")
                last = rpc.call("file.at", path=PATH)["state"]["content"]
                if last != text.encode():
                    wrong.append("at")

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(ask, n) for n in range(6)]:
                done.result()
        eq(wrong, [], "wrong answers")


def niceness(pid):
    """Name of a thread → its nice values, of all threads."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/stat", encoding="ascii") as f:
            name, _, rest = f.read().partition("(")[2].rpartition(")")
        found.setdefault(name, set()).add(int(rest.split()[16]))
    return found


def test_core_first():
    """Where CPUs are scarce, the core thread goes before the workers."""
    with Box() as box:
        out, _, _ = long_chain(box, 20)
        pid = box.start().pid
        with box.rpc() as rpc:
            rpc.call("session.diff", session=out.session)
        threads = niceness(pid)
        core = max(threads["ccfcd"])
        eq(threads["worker"], {min(core + 5, 19)}, "workers' nice value")


def test_less():
    """Without `changes` a listing says the same, and reads no lines."""
    with Box() as box:
        out, ids, _ = long_chain(box, 20)
        box.start()
        with box.rpc() as rpc:
            rpc.call("index.stats")
            for method, options in (
                    ("file.sessions", {"path": PATH}),
                    ("file.match", {"pattern": "/**"}),
                    ("session.files", {"session": out.session})):
                whole = rpc.call(method, **options)
                passed, less = pair(rpc, method, dict(
                    options, includeChanges=False, includeContent=True))
                eq(passed, False, f"{method}: a lookup")
                for reply in whole if isinstance(whole, list) else [whole]:
                    for group in reply.get("sessions", reply.get("files")):
                        eq([c["changeId"] for c in group.pop("changes")], ids,
                           f"{method}: changes")
                eq(less, whole, f"{method} without changes")


if __name__ == "__main__":
    harness.main()
