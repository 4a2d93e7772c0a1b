"""What is seen on disk while a session is live, and what is not."""
import os
import random
import shutil
import subprocess
import time

import harness
from harness import Skip, eq
from observing import ABSENT, THERE, UNKNOWN, Observed, sha, short
from transcript import Ids, Transcript


def test_a_file_changes():
    """Before and after, with their content, and when."""
    with Observed() as box:
        box.write("a.txt", "one\n")
        box.start()
        box.client()
        box.watched()
        began = time.time() * 1000
        box.write("a.txt", "two\n")
        event = box.saw(1)[0]
        eq(short(event), ("a.txt", THERE, THERE, sha("one\n"), sha("two\n")))
        eq((event["before_size"], event["after_size"]), (4, 4), "sizes")
        assert began - 20 < min(event["time"], event["since"]), event
        assert event["since"] <= event["time"] + 10, event
        assert event["time"] <= time.time() * 1000, event
        assert box.kept(sha("one\n")) and box.kept(sha("two\n"))
        box.write("a.txt", "three\n")
        eq(short(box.saw(2)[1]), ("a.txt", THERE, THERE, sha("two\n"),
                                  sha("three\n")))


def test_files_come_and_go():
    with Observed() as box:
        box.write("old.txt", "old\n")
        box.start()
        box.client()
        box.watched()
        box.write("new.txt", "new\n")
        os.unlink(os.path.join(box.p, "old.txt"))
        box.write("d/e/deep.txt", "deep\n")
        seen = {short(e) for e in box.saw(3)}
        eq(seen, {("new.txt", ABSENT, THERE, "", sha("new\n")),
                  ("old.txt", THERE, ABSENT, sha("old\n"), ""),
                  ("d/e/deep.txt", ABSENT, THERE, "", sha("deep\n"))})


def test_directories_move():
    with Observed() as box:
        box.write("d/a.txt", "a\n")
        box.start()
        box.client()
        box.watched()
        os.rename(os.path.join(box.p, "d"), os.path.join(box.p, "e"))
        eq({short(e) for e in box.saw(2)},
           {("d/a.txt", THERE, ABSENT, sha("a\n"), ""),
            ("e/a.txt", ABSENT, THERE, "", sha("a\n"))})
        box.write("e/a.txt", "b\n")
        eq(short(box.saw(3)[2]),
           ("e/a.txt", THERE, THERE, sha("a\n"), sha("b\n")))
        shutil.rmtree(os.path.join(box.p, "e"))
        eq(short(box.saw(4)[3]), ("e/a.txt", THERE, ABSENT, sha("b\n"), ""))


def test_no_change_is_no_event():
    """Touched, or written with what was there: nothing happened."""
    with Observed() as box:
        path = box.write("a.txt", "one\n")
        box.start()
        box.client()
        box.watched()
        os.utime(path)
        os.chmod(path, 0o600)
        box.write("a.txt", "one\n")
        eq(box.settle(), [])


def test_only_regular_files_are_opened():
    with Observed() as box:
        os.mkfifo(os.path.join(box.p, "fifo"))
        os.symlink("/etc/passwd", os.path.join(box.p, "link"))
        box.start()
        box.client()
        box.watched()
        os.mkfifo(os.path.join(box.p, "fifo2"))
        os.symlink("/etc/passwd", os.path.join(box.p, "link2"))
        eq(box.settle(), [])
        # A file that becomes a link is gone.
        path = box.write("a.txt", "a\n")
        box.settle()
        os.unlink(path)
        os.symlink("/etc/passwd", path)
        eq([e["after"] for e in box.settle() if e["path"] == "a.txt"],
           [THERE, ABSENT])


def test_large_files_are_named_only():
    with Observed() as box:
        box.start()
        box.client()
        box.watched()
        big = "x" * (1 << 20)
        box.write("fits", big)
        box.write("big", big + "x")
        seen = {e["path"]: e for e in box.saw(2)}
        eq(seen["fits"]["after_key"], sha(big))
        eq((seen["big"]["after_key"], seen["big"]["after_size"]),
           ("", len(big) + 1))


def test_paths_only():
    with Observed("observe = paths\n") as box:
        box.write("a.txt", "one\n")
        box.start()
        box.client()
        box.watched()
        box.write("a.txt", "two!\n")
        event = box.saw(1)[0]
        eq(short(event), ("a.txt", THERE, THERE, "", ""))
        eq((event["before_size"], event["after_size"]), (4, 5))
        eq(os.listdir(os.path.join(box.state, "blobs")), [])


def test_off():
    with Observed("observe = off\n") as box:
        box.start()
        box.client()
        eq(box.observe(), {"mode": "off", "events": 0, "projects": []})
        assert not os.path.exists(os.path.join(box.state, "blobs"))


def test_off_after_all():
    """What was kept before goes when it is too old, and not before."""
    with Observed() as box:
        box.write("a.txt", "1\n")
        box.start()
        box.client()
        box.watched()
        box.write("a.txt", "2\n")
        box.saw(1)
        harness.append(os.path.join(box.top, "config", "ccfc", "config"),
                       b"observe = off\n")
        old = os.path.join(box.state, "blobs", sha("1\n")[:2],
                           sha("1\n")[2:])
        os.utime(old, (time.time() - 31 * 86400,) * 2)
        box.restart()
        box.until("removed", lambda _: not os.path.exists(old))
        assert box.kept(sha("2\n"))
        eq((box.observe()["mode"], box.observe()["projects"]), ("off", []))
        box.write("a.txt", "3\n")
        box.restart()
        eq(len(box.events()), 1)


def test_settings_that_make_no_sense():
    for line in ("observe = yes", "observe-dirs = 0", "keep-days = x",
                 "keep-bytes = 1"):
        with Observed(line + "\n") as box:
            process, ready = box.spawn_daemon()
            os.close(ready)
            eq(process.wait(harness.LIMIT), 2, line)
            assert "config" in box.log_text(), box.log_text()


# --- who is live ---

def test_the_watch_ends_with_the_session():
    with Observed() as box:
        box.start()
        client = box.client()
        box.watched()
        client.end()
        box.watched(0)
        box.write("a.txt", "one\n")
        client = box.client()
        box.watched()
        eq(box.observe()["projects"][0]["files"], 1, "files")
        # One that was killed leaves its note.
        client.end(leave_note=True)
        box.watched(0)
        eq(box.events(), [])


def test_notes_that_lie():
    """A number that another process has now, and notes that are none."""
    with Observed() as box:
        day_ago = int(time.time() * 1000) - 86400_000
        one = box.client("s-1", startedAt=day_ago, procStart="12345")
        two = box.client("s-2", startedAt=day_ago, procStart=None)
        notes = os.path.dirname(one.note)
        for name, text in (("77.json", "{"), ("1.json", "[]"),
                           (f"{os.getpid()}.json", "x" * 100_000),
                           (f"{two.pid}.key", "secret")):
            harness.append(os.path.join(notes, name), text.encode())
        os.symlink(two.note, os.path.join(notes, f"{os.getppid()}.json"))
        box.start()
        three = box.client("s-3")
        box.watched()
        eq(box.observe()["projects"][0]["sessions"], 1, "live")
        three.end()
        box.watched(0)


def test_two_sessions_of_one_project():
    with Observed() as box:
        os.makedirs(os.path.join(box.p, "sub"))
        box.start()
        one = box.client("s-1")
        two = box.client("s-2", cwd=os.path.join(box.p, "sub"))
        now = box.until("two live", lambda o: [
            p["sessions"] for p in o["projects"]] == [2])
        eq([p["path"] for p in now["projects"]], [box.p])
        one.end()
        box.until("one live", lambda o: [
            p["sessions"] for p in o["projects"]] == [1])
        box.write("a.txt", "a\n")
        box.saw(1)
        two.end()
        box.watched(0)


def test_a_project_inside_of_another():
    """A submodule, say: whoever comes or goes first, both are watched, and a
    file is not new because another project has it now.
    """
    for first, second in ((".", "sub"), ("sub", ".")):
        with Observed() as box:
            roots = {".": box.p, "sub": os.path.join(box.p, "sub")}
            for name in ("a.txt", "sub/b.txt", "sub/d/c.txt"):
                box.write(name, "1\n")
            subprocess.run(["git", "init", "-q", roots["sub"]], check=True)
            box.write("sub/.git/info/exclude", "own.txt\n")
            box.start()
            one = box.client("s-1", cwd=roots[first])
            box.watched(1)
            two = box.client("s-2", cwd=roots[second])
            now = box.watched(2)
            eq({(p["path"], p["files"], p.get("problem"))
                for p in now["projects"]},
               {(roots["."], 1, None), (roots["sub"], 2, None)})
            for name in ("a.txt", "sub/b.txt", "sub/own.txt"):
                box.write(name, "2\n")
            eq({short(e) for e in box.settle()},
               {(name, THERE, THERE, sha("1\n"), sha("2\n"))
                for name in ("a.txt", "sub/b.txt")})
            (one if first == "." else two).end()
            box.watched(1)
            box.write("sub/d/c.txt", "2\n")
            eq(short(box.saw(4)[-1]), ("sub/d/c.txt", THERE, THERE,
                                       sha("1\n"), sha("2\n")))
    with Observed() as box:
        sub = os.path.dirname(box.write("sub/b.txt", "1\n"))
        subprocess.run(["git", "init", "-q", sub], check=True)
        box.start()
        box.client("s-1")
        box.watched(1)
        inner = box.client("s-2", cwd=sub)
        box.watched(2)
        inner.end()
        box.until("one", lambda o: [p["files"] for p in o["projects"]] == [1])
        box.write("sub/b.txt", "2\n")
        eq([short(e) for e in box.settle()],
           [("sub/b.txt", THERE, THERE, sha("1\n"), sha("2\n"))])


def test_clients_that_come_together():
    """A note that appears while another one is taken up is not forgotten."""
    with Observed() as box:
        box.start()
        for i in range(40):
            directory = os.path.join(box.top, f"p{i}")
            os.makedirs(directory)
            box.client(f"s-{i}", cwd=directory)
            if i % 2:
                box.watched(i + 1)


def test_live_by_its_lines():
    """A client without notes: its last line is recent."""
    with Observed() as box:
        box.start()
        ids = Ids()
        ids.now = int(time.time() * 1000)
        Transcript(box, ids, cwd=box.p).prompt("hello")
        box.watched()
        box.write("a.txt", "a\n")
        box.saw(1)


def test_old_lines_do_not_count():
    with Observed() as box:
        box.start()
        Transcript(box, Ids(), cwd=box.p).prompt("hello")
        eq(box.observe()["projects"], [])


def test_projects_that_are_too_much():
    with Observed() as box:
        box.start()
        box.client("s-1", cwd=box.home)
        now = box.watched()
        assert "home" in now["projects"][0]["problem"], now
        box.client("s-2", cwd=box.top)
        now = box.watched(2)
        assert all("problem" in p for p in now["projects"]), now
        assert "not watched" in box.ok("status")
    with Observed() as box:
        box.start()
        box.client("s-3", cwd=box.claude)
        assert "problem" in box.watched()["projects"][0]


def test_a_project_that_is_removed():
    with Observed() as box:
        box.write("d/a.txt", "a\n")
        box.start()
        box.client()
        box.watched()
        shutil.rmtree(box.p)
        eq([short(e) for e in box.saw(1)],
           [("d/a.txt", THERE, ABSENT, sha("a\n"), "")])
        box.until("removed", lambda o: "removed" in o["projects"][0].get(
            "problem", ""))


def test_bounds_are_said():
    with Observed("observe-dirs = 5\nobserve-files = 10\n"
                  "observe-bytes = 20\n") as box:
        for i in range(20):
            box.write(f"f{i}", "12345")
            box.write(f"d{i}/x", "12345")
        box.start()
        box.client()
        now = box.watched()
        project = now["projects"][0]
        eq((project["cut"], now["cut"]), (True, True))
        assert project["dirs"] <= 5 and project["files"] <= 10, project
        assert now["held"] <= 20, now
        said = box.ok("status")
        for bound in ("observe-dirs, observe-files", "observe-bytes"):
            eq(said.count(f"a bound is hit ({bound}"), 1, said)
        # What was not known before is not said to have been absent.
        for i in range(20):
            box.write(f"f{i}", "changed")
        for event in box.saw(1):
            assert event["before"] in (UNKNOWN, THERE), event


# --- what stays ---

def test_a_restart_keeps_what_was_seen():
    with Observed() as box:
        box.write("a.txt", "one\n")
        box.start()
        box.client()
        box.watched()
        box.write("a.txt", "two\n")
        before = box.saw(1)
        for hard in (False, True):
            box.restart(hard=hard)
            eq(box.observe()["events"], 1, "events")
            eq(box.events(), before)
        box.watched()
        box.write("a.txt", "three\n")
        eq(short(box.saw(2)[1]), ("a.txt", THERE, THERE, sha("two\n"),
                                  sha("three\n")))
        eq(box.run("doctor", "--deep").returncode, 0)


def test_nothing_is_written_in_the_project():
    if os.environ.get("CCFC_SANITIZE"):
        raise Skip("strace and sanitizers do not go together")
    if not shutil.which("strace"):
        raise Skip("no strace")
    with Observed() as box:
        box.write("a.txt", "one\n")
        trace = os.path.join(box.top, "trace")
        box.start(wrap=["strace", "-D", "-f", "-qq", "-o", trace, "-e",
                        "trace=openat,open,creat,rename,renameat,renameat2,"
                        "unlink,unlinkat,mkdir,mkdirat,utimensat,chmod"])
        box.client()
        box.watched()
        box.write("a.txt", "two\n")
        box.saw(1)
        box.stop()
        for line in harness.traced(trace):
            if f'"{box.p}' not in line and f'"{box.claude}' not in line:
                continue
            assert "O_WRONLY" not in line and "O_RDWR" not in line and \
                "O_CREAT" not in line and " open" in line, line


def switches(pid):
    """How often the threads of a process have been put to sleep or back."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as f:
            total += sum(int(row.split()[1]) for row in f
                         if "ctxt_switches" in row)
    return total


def test_idle_costs_nothing():
    """While a session is live and nothing changes, no thread ever wakes."""
    if "thread" in os.environ.get("CCFC_SANITIZE", ""):
        raise Skip("the sanitizer has a thread of its own that wakes")
    with Observed() as box:
        for i in range(300):
            box.write(f"d{i % 20}/f{i}", "1\n")
        pid = box.start().pid
        box.client()
        box.watched()
        box.write("d0/f0", "2\n")
        box.saw(1)
        end = time.monotonic() + harness.LIMIT
        while time.monotonic() < end:
            before = switches(pid)
            time.sleep(3)  # there is nothing to wait for: that is the test
            if switches(pid) == before:
                break
        else:
            raise AssertionError("it is never idle")


def test_the_clients_passing_names():
    """name.tmp.<pid>.<hex>, renamed: one event, with the process."""
    with Observed() as box:
        box.write("a.txt", "one\n")
        box.start()
        client = box.client()
        box.watched()
        name = box.write(f"a.txt.tmp.{client.pid}.0a1b2c", "two\n")
        os.rename(name, os.path.join(box.p, "a.txt"))
        event = box.saw(1)[0]
        eq(short(event), ("a.txt", THERE, THERE, sha("one\n"), sha("two\n")))
        eq((event["client"], event["session"]), (client.pid, "s-1"), "client")
        box.write("a.txt", "three\n")
        event = box.saw(2)[1]
        eq((event["client"], event["session"]), (0, ""), "client")
        eq({e["path"] for e in box.settle()}, {"a.txt"})


def test_old_content_goes():
    with Observed("keep-bytes = 1M\n") as box:
        box.start()
        box.client()
        box.watched()
        for i in range(12):
            box.write("a.bin", random.Random(i).randbytes(150_000).hex())
            box.saw(i + 1)
        now = box.observe()
        assert now["keptBytes"] <= 1 << 20, now
        first, last = box.events()[0], box.events()[-1]
        assert not box.kept(first["after_key"])
        assert box.kept(last["after_key"])


def test_a_build():
    """Very many files at once: all are seen, and questions are answered."""
    with Observed() as box:
        box.start()
        box.client()
        box.watched()
        subprocess.run(
            ["sh", "-c", "mkdir out; for d in 1 2 3 4; do mkdir out/$d; "
             "seq 500 | while read i; do echo $i > out/$d/$i; done; done"],
            cwd=box.p, check=True)
        events = box.saw(2000)
        eq(len({e["path"] for e in events}), 2000)
        eq({e["after"] for e in events}, {THERE})


if __name__ == "__main__":
    harness.main()
