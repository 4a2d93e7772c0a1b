"""Transcripts as they grow, tear, shrink, move, vanish and come back."""
import os

import harness
from harness import Box, Skip, append, eq
from transcript import Ids, Transcript

P = "/home/dev/p"


def shown(box, path):
    """Does the next `ccfc search` show the file?"""
    done = box.run("search", path, "--format=json")
    if done.returncode not in (0, 1):
        raise AssertionError(f"search: {done.returncode}: {done.stderr}")
    return done.returncode == 0


def test_the_next_search_shows_what_was_written():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        for number in range(30):
            eq(shown(box, f"{P}/{number}.c"), False)
            t.write(f"{P}/{number}.c")
            eq(shown(box, f"{P}/{number}.c"), True, f"write {number}")


def test_one_byte_at_a_time():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.live = False
        tid = t.write(P + "/sn\u00f6w\u2603\U0001f600.c", "\u2603\n")
        with box.rpc() as rpc:
            for data in t.lines:
                for at in range(len(data)):
                    append(t.path, data[at:at + 1])
                    if at % 16 == 0:
                        rpc.call("server.info")
        change = box.dump().by_id(tid)
        eq((change["path"], change["state"]),
           (P + "/sn\u00f6w\u2603\U0001f600.c", "applied"))


def test_many_lines_in_one_write():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.live = False
        tids = [t.write(f"{P}/{n}") for n in range(200)]
        append(t.path, b"".join(t.lines))
        eq(box.dump().states(), dict.fromkeys(tids, "applied"))


def test_truncated_and_rewritten():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        tids = [t.write(f"{P}/{n}") for n in range(4)]
        eq(len(box.dump().changes), 4)
        with open(t.path, "r+b") as f:
            f.truncate(0)
        eq(len(box.dump().changes), 4, "changes after truncate")
        append(t.path, b"".join(t.lines[:2]))
        tids.append(t.write(P + "/new"))
        eq(box.dump().states(), dict.fromkeys(tids, "applied"))
        box.restart()
        eq(box.dump().states(), dict.fromkeys(tids, "applied"), "restarted")


def test_rewritten_with_other_bytes_of_the_same_size():
    with Box() as box:
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        old = t.write(P + "/aaaa")
        box.dump()
        size = os.path.getsize(t.path)
        new = ids.tool()
        with open(t.path, "rb") as f:
            data = f.read().replace(b"/aaaa", b"/bbbb")
        data = data.replace(old.encode(), new.encode())
        eq(len(data), size)
        with open(t.path, "r+b") as f:
            f.write(data)
        last = t.write(P + "/last")
        dump = box.dump()
        eq(dump.by_id(new)["path"], P + "/bbbb")
        eq(set(dump.states()), {old, new, last})


def test_renamed_to_another_project():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        one = t.write(P + "/one")
        box.dump()
        os.makedirs(box.project("-elsewhere"))
        moved = os.path.join(box.project("-elsewhere"), t.session + ".jsonl")
        os.rename(t.path, moved)
        t.path = moved
        eq(box.json("list", t.session)["source"], "present")
        two = t.write(P + "/two")
        eq(box.dump().states(), {one: "applied", two: "applied"})


def test_deleted_stays():
    with Box() as box:
        box.without_archive()
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        t.prompt()
        tid = t.write(P + "/kept", "text\n")
        other = Transcript(box, ids)
        other.write(P + "/other")
        before = box.dump().text
        os.unlink(t.path)
        for step in ("deleted", "restarted", "killed", "rebuilt"):
            if step == "restarted":
                box.restart()
            elif step == "killed":
                box.restart(hard=True)
            elif step == "rebuilt":
                box.ok("index", "--build")
            eq(box.dump().by_id(tid)["state"], "applied", step)
            eq(box.json("list", t.session)["source"], "gone", step)
            eq(box.json("list", other.session)["source"], "present", step)
        eq(box.dump().text, before, "dump")
        with box.rpc() as rpc:
            got = rpc.call("file.sessions", path=P + "/kept",
                           includeContent=True)
            change = got["sessions"][0]["changes"][0]
            assert change.get("contentUnavailable"), change


def test_deleted_while_the_daemon_was_away():
    with Box() as box:
        box.without_archive()
        box.start()
        t = Transcript(box, Ids())
        tid = t.write(P + "/kept")
        box.dump()
        box.stop()
        os.unlink(t.path)
        os.rmdir(box.project())
        box.start()
        eq(box.dump().states(), {tid: "applied"})
        eq(box.json("list", t.session)["source"], "gone")


def test_recreated_under_the_same_name():
    with Box() as box:
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        old = t.write(P + "/old")
        box.dump()
        inode = os.stat(t.path).st_ino
        os.unlink(t.path)
        again = Transcript(box, ids, session=t.session)
        again.prompt("x" * 3000)
        new = again.write(P + "/new")
        if os.stat(again.path).st_ino != inode:
            print("note: this file system gave another inode")
        eq(box.dump().states(), {old: "applied", new: "applied"})


def test_replaced_by_rename():
    with Box() as box:
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        old = t.write(P + "/old")
        box.dump()
        again = Transcript(box, ids, session=t.session,
                           path=os.path.join(box.top, "tmp.jsonl"))
        new = again.write(P + "/new")
        os.rename(again.path, t.path)
        eq(box.dump().states(), {old: "applied", new: "applied"})


def test_new_directories_while_running():
    with Box() as box:
        ids = Ids()
        box.start()
        want = {}
        for number in range(20):
            t = Transcript(box, ids, project=f"-home-dev-q{number}")
            want[t.write(f"{P}/{number}")] = "applied"
            agent = Transcript(
                box, ids, session=t.session, agent=f"a{number}",
                path=os.path.join(box.projects, f"-home-dev-q{number}",
                                  t.session, "subagents",
                                  f"agent-a{number}.jsonl"))
            want[agent.write(f"{P}/a{number}")] = "applied"
            flow = Transcript(
                box, ids, session=t.session, agent=f"b{number}",
                path=os.path.join(box.projects, f"-home-dev-q{number}",
                                  t.session, "subagents", "workflows",
                                  "wf1", f"agent-b{number}.jsonl"))
            want[flow.write(f"{P}/b{number}")] = "applied"
        dump = box.dump()
        eq(dump.states(), want)
        eq(len(dump.sessions), 20, "sessions")


def test_root_appears_later():
    with Box() as box:
        os.rmdir(box.projects)
        os.rmdir(box.claude)
        box.start()
        eq(box.dump().states(), {})
        t = Transcript(box, Ids())
        tid = t.write(P + "/a")
        eq(box.dump().states(), {tid: "applied"})


def test_what_is_not_a_transcript():
    with Box() as box:
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        tid = t.write(P + "/a")
        copy = Transcript(box, ids)
        copy.live = False
        copy.write(P + "/copy")
        data = b"".join(copy.lines)
        session = os.path.join(box.project(), t.session)
        for name in ("subagents/workflows/wf1/journal.jsonl",
                     "subagents/agent-a1.meta.json",
                     "tool-results/x.txt", "tool-results/x.jsonl",
                     "custom-title.json"):
            append(os.path.join(session, name), data)
        append(os.path.join(box.project(), "sessions-index.json"), data)
        append(os.path.join(box.project(), "memory", "m.jsonl"), data)
        append(os.path.join(box.claude, "history.jsonl"), data)
        eq(box.dump().states(), {tid: "applied"})


def test_symlink_loops_end():
    with Box() as box:
        os.makedirs(box.project())
        os.symlink(box.projects, os.path.join(box.project(), "loop"))
        os.symlink(box.claude, box.project("-loop"))
        os.symlink("self", box.project("self"))
        t = Transcript(box, Ids())
        tid = t.write(P + "/a")
        box.start()
        eq(box.dump().states(), {tid: "applied"})


def test_no_permission():
    if os.geteuid() == 0:
        raise Skip("root may read everything")
    with Box() as box:
        ids = Ids()
        box.start()
        t = Transcript(box, ids)
        one = t.write(P + "/one")
        box.dump()
        os.chmod(t.path, 0)
        other = Transcript(box, ids)
        two = other.write(P + "/two")
        eq(box.dump().states(), {one: "applied", two: "applied"})
        os.chmod(t.path, 0o600)
        three = t.write(P + "/three")
        eq(box.dump().states(),
           dict.fromkeys([one, two, three], "applied"))


def test_odd_things_in_the_way():
    with Box() as box:
        os.makedirs(box.project())
        ids = Ids()
        os.mkfifo(os.path.join(box.project(), ids.uuid() + ".jsonl"))
        os.makedirs(os.path.join(box.project(), ids.uuid() + ".jsonl"))
        os.symlink("/nowhere", os.path.join(box.project(),
                                            ids.uuid() + ".jsonl"))
        os.symlink("/dev/zero", os.path.join(box.project(),
                                             ids.uuid() + ".jsonl"))
        t = Transcript(box, ids)
        tid = t.write(P + "/a")
        box.start()
        eq(box.dump().states(), {tid: "applied"})


def test_too_long_lines_are_skipped_and_counted():
    with Box() as box:
        config = os.path.join(box.top, "ccfc.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write("max-line = 65536\n")
        box.start(f"--config={config}")
        t = Transcript(box, Ids())
        one = t.write(P + "/one")
        t.write(P + "/big", "x" * 200_000)
        two = t.write(P + "/two")
        states = box.dump().states()
        eq((states.get(one), states.get(two)), ("applied", "applied"))
        with box.rpc() as rpc:
            eq(rpc.call("index.stats")["lines"]["tooLong"], 2)


def test_restart_reads_on():
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        want = {}
        for number in range(6):
            want[t.write(f"{P}/{number}")] = "applied"
            box.restart(hard=number % 2 == 1)
            want[t.write(f"{P}/{number}b")] = "applied"
            eq(box.dump().states(), want)
        box.stop()
        want[t.write(P + "/away")] = "applied"
        box.start()
        eq(box.dump().states(), want)


if __name__ == "__main__":
    harness.main()
