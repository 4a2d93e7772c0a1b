"""A session of 500,000 lines pages within a bound of memory, and a page of it
costs what it shows.

The first only where there is no sanitizer: those have memory of their own.
"""
import datetime
import os

import harness
from harness import Skip, eq
from rest import Web
from talk import P, made_box, settle

LONG = 500000


def write_long(m, lines=LONG):
    """Prompts and answers; after each 1000 lines it goes another way."""
    os.makedirs(os.path.dirname(m.path), exist_ok=True)
    start = datetime.datetime(2025, 12, 10, 10)
    prev = "null"
    with open(m.path, "w", encoding="utf-8") as f:
        for i in range(lines):
            stamp = (start + datetime.timedelta(milliseconds=i * 10)
                     ).isoformat(timespec="milliseconds")
            key = f'"{i:08x}-0000-4000-8000-000000000000"'
            head = (f'{{"parentUuid":{prev},"isSidechain":false,'
                    f'"cwd":"{P}","sessionId":"{m.id}","version":"2.1.0",'
                    f'"uuid":{key},"timestamp":"{stamp}Z",')
            if i % 2 == 0:
                f.write(head + '"type":"user","message":{"role":"user",'
                        f'"content":"line {i} {"x" * 200}"}}}}\n')
            else:
                f.write(head + '"type":"assistant","message":{"id":"m%d",'
                        '"content":[{"type":"text","text":"line %d"}]}}\n'
                        % (i, i))
            if i % 1000 != 999:
                prev = key


def memory(pid):
    out = {}
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        for text in f:
            if text.startswith(("VmHWM", "VmRSS")):
                out[text[:5]] = int(text.split()[1]) << 10
    return out["VmRSS"], out["VmHWM"]


def test_long_session_pages_within_a_bound():
    if os.environ.get("CCFC_SANITIZE"):
        raise Skip("sanitizers have memory of their own")
    box, m = made_box()
    with box:
        write_long(m)
        box.start()
        with box.rpc() as rpc, box.rpc() as other:
            settle(rpc)
            with open(f"/proc/{box.daemon.pid}/clear_refs", "w",
                      encoding="ascii") as f:
                f.write("5")
            before = memory(box.daemon.pid)[0]
            for offset in (0, 123456, LONG - 5):
                got = rpc.call("session.messages", session=m.id, limit=5,
                               offset=offset)
                eq(got["totalMessages"], LONG)
                eq([x["content"].split()[1] for x in got["messages"]],
                   [str(offset + i) for i in range(5)])
            got = rpc.call("session.messages", session=m.id, limit=9,
                           message="0003e8ab")
            eq(got["messages"][4]["id"][:8], "0003e8ab")
            got = rpc.call("session.timeline", session=m.id, offset=400000)
            eq(got["events"][0]["content"].split()[1], "400000")
            got = rpc.call("session.tree", session=m.id, offset=250000)
            eq((got["totalNodes"], len(got["nodes"])), (LONG, 1000))
            eq(got["branches"], LONG // 1000 - 1)
            # A page reads the lines that it shows, not the transcript.
            assert got["scannedBytes"] < 1 << 20, got["scannedBytes"]
            # While a page is made, others are answered.
            late = rpc.post("session.get", {"session": m.id})
            eq(other.call("session.files", session=m.id)["files"], [])
            eq(rpc.reply(late)["totalMessages"], LONG)
            # What the last answer took is given back behind it.
            rpc.call("server.info")
            now, peak = memory(box.daemon.pid)
        print(f"  before {before >> 20} MiB, peak {peak >> 20}, "
              f"after {now >> 20}")
        assert peak - before <= 64 << 20, (before, peak)
        assert now - before <= 8 << 20, (before, now)


def test_a_jump_of_the_page_reads_what_it_shows():
    """Other questions of the browser come in between."""
    box, m = made_box()
    with box:
        write_long(m, 260000)
        box.start()
        with box.rpc() as rpc:
            settle(rpc)
        web = Web(box)
        read = []
        for offset in (0, 200000, 130000, 259990):
            page = web.get(f"/api/sessions/{m.id}/messages"
                           f"?limit=5&offset={offset}")
            eq([x["content"].split()[1] for x in page["messages"]],
               [str(offset + i) for i in range(5)])
            read.append(page["scannedBytes"])
            web.get("/api/status")
        # A link to a message: by its whole id, and by the beginning of it.
        want = page["messages"][2]
        for uuid in (want["id"], want["id"][:10]):
            page = web.get(f"/api/sessions/{m.id}/messages?limit=1"
                           f"&message={uuid}")
            eq((page["messages"], page["offset"]), ([want], 259992))
            read.append(page["scannedBytes"])
        eq(web.error(f"/api/sessions/{m.id}/messages?message={'0' * 36}")[0],
           404)
        assert read[0] > 50 << 20, read
        assert max(read[1:-1]) < 1 << 20, read


if __name__ == "__main__":
    harness.main()
