"""Subscribers: each event once and in order; bad peers harm only themselves."""
import os
import socket
import struct

import msgpack

import harness
from harness import Box, RpcError, eq
from transcript import Ids, Transcript

P = "/home/dev/p"
EINVAL, EMETHOD = "invalid", "no-method"


def rss(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for text in f:
            if text.startswith("VmRSS:"):
                return int(text.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def seq(clock):
    return int(clock.split(":")[1])


def test_each_event_once_and_in_order():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        before = t.write(P + "/before")
        box.dump()
        with box.rpc() as one, box.rpc() as two:
            for rpc in (one, two):
                got = rpc.call("events.subscribe")
                assert isinstance(got["subscription"], int)
            want = [t.write(f"{P}/{n}") for n in range(300)]
            for rpc in (one, two):
                events = [rpc.event() for _ in want]
                eq([e["toolUseId"] for e in events], want, "events")
                clocks = [seq(e["clock"]) for e in events]
                eq(clocks, sorted(set(clocks)), "clocks")
                eq({e["type"] for e in events}, {"change"})
                eq({e["state"] for e in events}, {"applied"})
            last = t.write(P + "/last")
            for rpc in (one, two):
                event = rpc.event()
                eq(event["toolUseId"], last, "nothing twice")
                eq((event["path"], event["projectPath"],
                    event["sessionId"], event["gitBranch"]),
                   (P + "/last", P, t.session, "main"))
            assert before not in want


def test_state_changes_are_events():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        with box.rpc() as rpc, box.rpc() as every:
            rpc.call("events.subscribe")
            every.call("events.subscribe", states=["all"])
            tid = t.call("Write", {"file_path": P + "/a", "content": "1"})
            t.prompt("again")
            event = every.event()
            eq((event["toolUseId"], event["state"]), (tid, "interrupted"))
            event = rpc.event()
            eq((event["toolUseId"], event["state"]), (tid, "interrupted"))


def test_filters():
    with Box() as box:
        ids = Ids()
        box.start()
        one = Transcript(box, ids, cwd="/home/dev/one", project="-one")
        two = Transcript(box, ids, cwd="/home/dev/two", project="-two")
        one.prompt()
        two.prompt()
        box.dump()
        cases = [
            ({"path": "/home/dev/one/*.c"}, ["/home/dev/one/a.c"]),
            ({"path": "/home/dev/two/b.h"}, ["/home/dev/two/b.h"]),
            ({"path": "*.c", "cwd": "/home/dev/one"}, ["/home/dev/one/a.c"]),
            ({"projectPath": "/home/dev/two"}, ["/home/dev/two/b.h"]),
            ({"session": one.session}, ["/home/dev/one/a.c"]),
        ]
        peers = []
        for params, _ in cases:
            rpc = box.rpc()
            rpc.call("events.subscribe", **params)
            peers.append(rpc)
        one.write("/home/dev/one/a.c")
        two.write("/home/dev/two/b.h")
        with box.rpc() as rpc:
            rpc.call("server.info")
        for rpc, (params, want) in zip(peers, cases):
            eq([rpc.event()["path"] for _ in want], want, str(params))
            rpc.call("server.info")
            eq(rpc.events, [], f"more events for {params}")
            rpc.close()


def test_unsubscribe():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        with box.rpc() as rpc:
            number = rpc.call("events.subscribe")["subscription"]
            eq(rpc.call("events.unsubscribe", subscription=number), {})
            t.write(P + "/a")
            rpc.call("server.info")
            eq(rpc.events, [])
            try:
                rpc.call("events.unsubscribe", subscription=number)
                raise AssertionError("unsubscribed twice")
            except RpcError:
                pass


def test_since_fills_the_gap():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        with box.rpc() as rpc:
            t.write(P + "/old")
            # server.info would not wait for the first scan.
            box.dump()
            clock = rpc.call("server.info")["clock"]
            want = [t.write(f"{P}/{n}") for n in range(20)]
            got = rpc.call("events.since", clock=clock)
            eq(got["fresh"], False)
            eq([e["toolUseId"] for e in got["events"]], want)
            eq(rpc.call("events.since", clock=got["clock"])["events"], [])
            box.restart()
        with box.rpc() as rpc:
            got = rpc.call("events.since", clock=clock)
            eq(got["fresh"], False, "fresh after a restart")
            eq([e["toolUseId"] for e in got["events"]], want, "restarted")
            got = rpc.call("events.subscribe", since=clock)
            eq([e["toolUseId"] for e in got["events"]], want, "subscribe")
            eq(rpc.call("events.since", clock="1:999999999")["fresh"], True)
            for bad in ("", "x", "1", "1:", ":1", "1:-1", "1:2:3"):
                try:
                    rpc.call("events.since", clock=bad)
                    raise AssertionError(f"clock {bad!r} was taken")
                except RpcError as error:
                    eq(error.code, EINVAL, bad)


def test_owner_found_later_is_told():
    with Box() as box:
        ids = Ids()
        box.start()
        first = Transcript(box, ids)
        first.live = False
        first.prompt()
        tid = first.write(P + "/a")
        copy = Transcript(box, ids)
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            copy.prompt()
            copy.call("Write", {"file_path": P + "/a", "content": "x"}, tid)
            copy.result(tid)
            event = rpc.event()
            eq(event["sessionId"], copy.session)
            harness.append(first.path, b"".join(first.lines))
            event = rpc.event()
            eq((event["toolUseId"], event["sessionId"],
                event.get("previousSessionId")),
               (tid, first.session, copy.session))


def burst(t, good, rounds, per):
    """Many events on a few files; each must reach `good`."""
    for _ in range(rounds):
        want = [t.edit(f"{P}/deaf/{k % 10}") for k in range(per)]
        flush(t)
        eq([good.event()["toolUseId"] for _ in want], want, "others")


def test_a_subscriber_that_never_reads():
    rounds, per = 40, 500
    measured = not os.environ.get("CCFC_SANITIZE")
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        t.live = False
        with box.rpc() as deaf, box.rpc() as good:
            good.call("events.subscribe")
            burst(t, good, 4, per)
            # What the index itself takes for as many changes.
            start = rss(box.daemon.pid)
            if measured:
                burst(t, good, rounds, per)
            middle = rss(box.daemon.pid)
            clock = good.call("server.info")["clock"]
            deaf.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.call("events.subscribe")
            burst(t, good, rounds, per)
            cost = rss(box.daemon.pid) - middle - (middle - start)
            print(f"{rounds * per} unread events cost {cost >> 10} KiB")
            if measured and cost > 6 << 20:
                raise AssertionError(f"{cost} bytes, more than 4 MiB")
            events = []
            while not events or events[-1]["type"] != "resync":
                events.append(deaf.event())
            changes = [e for e in events if e["type"] == "change"]
            last = changes[-1]["clock"] if changes else clock
            got = good.call("events.since", clock=last, limit=100000)
            eq(got["fresh"], False)
            eq(len(changes) + len(got["events"]), rounds * per,
               "events read and filled in")


def flush(t):
    harness.append(t.path, b"".join(t.lines))
    t.lines.clear()


@harness.sanitized
def test_connect_and_close_storms():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        with box.rpc() as rpc:
            rpc.call("events.subscribe")
            for number in range(500):
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                sock.connect(box.socket)
                if number % 3 == 1:
                    sock.send(msgpack.packb([0, 1, "server.info", []]))
                if number % 5 == 2:
                    sock.send(b"\x94\x00")
                if number % 7 == 3:
                    linger = struct.pack("ii", 1, 0)
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                    linger)
                sock.close()
            tid = t.write(P + "/a")
            eq(rpc.event()["toolUseId"], tid)
            eq(rpc.call("server.info")["name"], "ccfcd")


HOSTILE = [
    ("array of 4 G", b"\xdd\xff\xff\xff\xff"),
    ("map of 4 G", b"\xdf\xff\xff\xff\xff"),
    ("string of 4 G", b"\xdb\xff\xff\xff\xff"),
    ("bin of 4 G", b"\xc6\xff\xff\xff\xff"),
    ("ext of 4 G", b"\xc9\xff\xff\xff\xff\x01"),
    ("string of 4 G inside", b"\x94\x00\x01\xdb\xff\xff\xff\xff"),
    ("array of 4 G inside", b"\x94\x00\x01\xa1x\xdd\xff\xff\xff\xff"),
    ("deep nesting", b"\x91" * 200_000),
    ("deep maps", b"\x81\x01" * 200_000),
    ("never used byte", b"\xc1"),
    ("an HTTP request", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ("zeros", b"\0" * 4096),
    ("0xff", b"\xff" * 4096),
    ("not an array", msgpack.packb({"a": 1})),
    ("empty array", msgpack.packb([])),
    ("2 MiB", msgpack.packb([0, 1, "server.info", [{"x": "y" * (2 << 20)}]])),
]


def test_hostile_bytes_close_that_connection_only():
    with Box() as box:
        box.start()
        with box.rpc() as good:
            before = rss(box.daemon.pid)
            for name, data in HOSTILE:
                with box.rpc() as bad:
                    try:
                        bad.send(data)
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    if not bad.closed():
                        raise AssertionError(f"{name}: not closed")
                eq(good.call("server.info")["name"], "ccfcd", name)
            grown = rss(box.daemon.pid) - before
            if not os.environ.get("CCFC_SANITIZE") and grown > (32 << 20):
                raise AssertionError(f"grew by {grown}")


# Sound msgpack that is no request: an error or the end, never an answer.
NO_REQUEST = [
    ("wrong type", msgpack.packb([7, 1, "server.info", []])),
    ("method is no string", msgpack.packb([0, 1, 2, []])),
    ("id is no number", msgpack.packb([0, "x", "server.info", []])),
    ("too few", msgpack.packb([0, 1])),
    ("too many", msgpack.packb([0, 1, "server.info", [], 1])),
]


def test_no_request_gets_no_answer():
    with Box() as box:
        box.start()
        with box.rpc() as good:
            for name, data in NO_REQUEST:
                with box.rpc() as bad:
                    bad.send(data)
                    reply = bad.message()
                    if reply is not None and reply[2] is None:
                        raise AssertionError(f"{name}: answered {reply}")
                eq(good.call("server.info")["name"], "ccfcd", name)


def test_half_messages_wait():
    with Box() as box:
        box.start()
        with box.rpc() as rpc:
            data = msgpack.packb([0, 5, "server.info", []])
            for at in range(len(data)):
                rpc.send(data[at:at + 1])
            eq(rpc.message()[:3], [1, 5, None])
            both = msgpack.packb([0, 6, "server.info", []])
            rpc.send(both + both.replace(b"\x06", b"\x07", 1))
            eq([rpc.message()[1] for _ in range(2)], [6, 7])


BAD_PARAMS = [
    ("no.such.method", {}, EMETHOD, "no.such.method"),
    ("session.files", {"foo": 1, "session": "x"}, EINVAL, "foo"),
    ("session.files", {}, EINVAL, "session"),
    ("session.files", {"session": 1}, EINVAL, "session"),
    ("file.sessions", {"path": ""}, EINVAL, "path"),
    ("file.sessions", {"path": "/a", "limit": 0}, EINVAL, "limit"),
    ("file.sessions", {"path": "/a", "limit": 100001}, EINVAL, "limit"),
    ("file.sessions", {"path": "/a", "limit": "1"}, EINVAL, "limit"),
    ("file.sessions", {"path": "/a", "offset": -1}, EINVAL, "offset"),
    ("file.sessions", {"path": "/a", "fromDate": "soon"}, EINVAL, "fromDate"),
    ("file.sessions", {"path": "/a", "fromDate": "2025-02-01",
                       "toDate": "2025-01-01"}, EINVAL, "Date"),
    ("file.sessions", {"path": "/a", "states": ["done"]}, EINVAL, "states"),
    ("file.sessions", {"path": "/a", "includeContent": 1}, EINVAL,
     "includeContent"),
    ("events.subscribe", {"since": 1}, EINVAL, "since"),
    ("events.subscribe", {"notify": "x"}, EINVAL, "notify"),
    ("index.stats", {"x": 1}, EINVAL, "x"),
]


def test_errors_name_the_option():
    with Box() as box:
        box.start()
        Transcript(box, Ids()).write("/a")
        with box.rpc() as rpc:
            for method, params, code, word in BAD_PARAMS:
                try:
                    rpc.call(method, **params)
                    raise AssertionError(f"{method} {params} was taken")
                except RpcError as error:
                    eq(error.code, code, f"{method} {params}")
                    if word not in error.text:
                        raise AssertionError(
                            f"{method} {params}: {error.text}") from None
            for odd in ([1], [{}, {}], ["x"]):
                rpc.send(msgpack.packb([0, 900, "server.info", odd]))
                eq(rpc.message()[2].split(":")[0], EINVAL, str(odd))
            eq(rpc.call("server.info")["protocol"], 1)


if __name__ == "__main__":
    harness.main()
