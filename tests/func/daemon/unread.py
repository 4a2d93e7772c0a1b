"""Peers that ask for much and do not read: what waits for them is bounded,
others are answered, and who reads gets all of it."""
import os
import select
import time

import harness
import msgpack
from harness import LIMIT, Box, RpcError, eq
from transcript import Ids, Transcript

P = "/home/dev/p"
MIB = 1 << 20
# Of all answers that wait, and of one connection before it is not served on.
MEMORY, QUEUE = 64 * MIB, 8 * MIB
# Beside it: two queries of one connection with 64 MiB each for SQLite, a MiB
# of rows, and what the allocator keeps.
PEAK = MEMORY + 2 * 64 * MIB + 64 * MIB
# How many do not read: what they ask for is well above MEMORY. Nobody looks at
# the peak under sanitizers, which take ten times as long for each byte.
PEERS, CHANGES, EDITS = (3, 25, 3600) if os.environ.get("CCFC_SANITIZE") \
    else (8, 48, 5000)
NUMBERS = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT ")
# 64 MiB, and then it is cut.
LARGE = NUMBERS + "hex(zeroblob(400000)) FROM n"


def peak(box):
    """The most bytes that were resident; 0 where that says nothing."""
    if os.environ.get("CCFC_SANITIZE"):
        return 0
    with open(f"/proc/{box.daemon.pid}/status", encoding="ascii") as f:
        for text in f:
            if text.startswith("VmHWM:"):
                return int(text.split()[1]) * 1024
    raise AssertionError("no VmHWM")


def unsent(rpc):
    return rpc.call("server.info")["unsent"]


def until_unsent(rpc, least):
    """Asks until that many bytes wait; each time the bound holds."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        now = unsent(rpc)
        eq(now["memory"] <= MEMORY, True, str(now))
        if now["bytes"] >= least:
            return now
    raise AssertionError(f"{now} in the end, not {least}")


def until_sent(rpc):
    """Asks until nothing waits: a peer may have read before it is known."""
    deadline = time.monotonic() + LIMIT
    while unsent(rpc)["bytes"]:
        eq(time.monotonic() < deadline, True, "nothing waits in the end")


def is_served(rpc, session):
    """Questions of all kinds; none is refused."""
    for _ in range(10):
        eq(rpc.call("text.search", pattern="needle")["totalMatches"], 1)
        eq(rpc.call("sql.query", query="SELECT count(*) FROM sessions")
           ["rows"], [[1]])
        eq(rpc.call("file.sessions", path=f"{P}/a.py")
           ["sessions"][0]["sessionId"], session)


def read_all(rpcs, n):
    """`n` messages of each, all read at the same pace; then the bytes."""
    left, got = dict.fromkeys(rpcs, n), {r: [] for r in rpcs}
    socks = {r.sock: r for r in rpcs}
    while socks:
        ready = select.select(list(socks), [], [], LIMIT)[0]
        eq(bool(ready), True, "something to read")
        for sock in ready:
            rpc = socks[sock]
            data = sock.recv(MIB)
            eq(bool(data), True, "still open")
            rpc.unpacker.feed(data)
            for message in rpc.unpacker:
                got[rpc].append(message)
                left[rpc] -= 1
            if not left[rpc]:
                del socks[sock]
    return [got[r] for r in rpcs]


def story(box):
    t = Transcript(box, Ids())
    t.prompt("a needle")
    t.edit(f"{P}/a.py")
    return t


def test_sql():
    """66 answers of 64 MiB, and nobody reads."""
    with Box() as box:
        t = story(box)
        box.start()
        with box.rpc() as one, box.rpc() as other:
            for _ in range(66):
                one.post("sql.query", {"query": LARGE, "limit": 100000})
            until_unsent(other, 64 * MIB)
            is_served(other, t.session)
            now = unsent(other)
            # Two answers were begun when it became full, not more.
            eq(now["bytes"] < QUEUE + 2 * 65 * MIB, True, str(now))
            eq(now["memory"] <= MEMORY, True, str(now))
            most = peak(box)
            eq(most < PEAK, True, f"{most >> 20} MiB")
            print(f"  {most >> 20} MiB at most, {now}")
            one.close()
            is_served(other, t.session)


def test_sql_is_whole():
    """Who reads late gets every row of every answer."""
    with Box() as box:
        story(box)
        box.start()
        query = NUMBERS + ("printf('%d-%0100000d', {0}, i) FROM n LIMIT 200")
        with box.rpc() as one, box.rpc() as other:
            for n in range(5):
                one.post("sql.query", {"query": query.format(n)})
            until_unsent(other, QUEUE)
            replies = {m[1]: m for m in read_all([one], 5)[0]}
            for n in range(5):
                eq(replies[n + 1][2], None, "error")
                reply = replies[n + 1][3]
                eq((reply["truncated"], len(reply["columns"])), (False, 1))
                eq("clock" in reply, True)
                eq(reply["rows"],
                   [[f"{n}-{i:0100000d}"] for i in range(1, 201)])
            eq(one.call("sql.query", query="SELECT 1")["rows"], [[1]])
            until_sent(other)


def test_dump():
    """Several that do not read their index.dump."""
    with Box() as box:
        box.start()
        t = story(box)
        folder = "/".join("d" * 250 for _ in range(14))
        for n in range(EDITS):
            t.edit(f"{P}/{folder}/{n}")
        with box.rpc() as other:
            whole = other.call("index.dump")
            size = len(msgpack.packb(whole))
            eq(PEERS * (size - MIB) > MEMORY, True, f"{size >> 20} MiB")
            many = [box.rpc() for _ in range(PEERS)]
            for rpc in many:
                rpc.post("index.dump")
                eq(unsent(other)["memory"] <= MEMORY, True)
            until_unsent(other, PEERS * (size - MIB))
            is_served(other, t.session)
            for messages in read_all(many, 1):
                eq(messages[0][:3], [1, 1, None])
                eq(messages[0][3] == whole, True, "the whole dump")
            until_sent(other)
            for rpc in many:
                rpc.close()


def test_content():
    """The same for answers that are made in memory."""
    with Box() as box:
        t = story(box)
        for _ in range(CHANGES):
            t.write(f"{P}/big", "x" * MIB)
        box.start()
        ask = {"path": f"{P}/big", "includeContent": True, "maxContent": MIB}
        with box.rpc() as other:
            many = [box.rpc() for _ in range(PEERS)]
            for rpc in many:
                rpc.post("file.sessions", ask)
            until_unsent(other, PEERS * (CHANGES - 1) * MIB)
            is_served(other, t.session)
            for messages in read_all(many, 1):
                eq(messages[0][:3], [1, 1, None])
                found = messages[0][3]["sessions"][0]["changes"]
                eq([len(c["newContent"]) for c in found], [MIB] * CHANGES)
            for rpc in many:
                rpc.close()


def test_no_room():
    """A state directory that takes no file: the answer says so."""
    with Box() as box:
        t = story(box)
        box.start()
        with box.rpc() as one, box.rpc() as other:
            os.chmod(box.state, 0o500)
            try:
                if os.access(box.state, os.W_OK):
                    raise harness.Skip("nothing is denied to root")
                try:
                    one.call("sql.query", query=LARGE, limit=100000)
                except RpcError as e:
                    eq((e.code, "no room" in e.text), ("denied", True),
                       str(e))
                else:
                    raise AssertionError("it was answered")
                is_served(other, t.session)
            finally:
                os.chmod(box.state, 0o700)


if __name__ == "__main__":
    harness.main()
