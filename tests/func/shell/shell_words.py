"""How the commands show changes that commands of a shell made: filters, counts,
operations, contents, and the commands whose effects nobody knows."""
import json
import subprocess

import harness
import terminal
from harness import eq
from shell_states import hunk, noted, run
from shell_undo import shell
from transcript import Transcript, folder
from world import World


def fill(w):
    """a: a Write, what was noted, what only the text says; b: a Write."""
    w.write("a", "f", "one\ntwo\n")
    shell(w, "a", "make fmt", noted(w.path("f"), hunk("-one", "+1", " two")),
          disk={"f": "1\ntwo\n"})
    shell(w, "a", "echo new > n.txt", disk={"n.txt": "new\n"})
    w.write("b", "g", "other\n")


def rows(text):
    """Lines of a table below its heading."""
    return text.splitlines()[1:]


def test_log_by_tool_and_evidence():
    with World() as w:
        fill(w)
        eq(len(rows(w.ok("log"))), 4)
        for given, found in ((w.id("a"), 2), (".", 2), ("f", 1),
                             ("n.txt", 1), ("*", 2)):
            got = rows(w.ok("log", given, "--tool=Bash"))
            eq((len(got), all("$ " in x for x in got)), (found, True), given)
        got = rows(w.ok("log", "f", "--evidence=recorded,parsed"))
        assert len(got) == 1 and "Bash, recorded" in got[0], got
        got = rows(w.ok("log", "f", "--evidence=result"))
        assert len(got) == 1 and "Write" in got[0], got
        for kind in ("observed", "inferred", "ambiguous"):
            said = w.fails("log", "f", "--evidence=" + kind, code=1)
            assert "f has no such changes" in said, said
        said = w.fails("log", "f", "--evidence=parsd")
        assert "did you mean 'parsed'?" in said, said
        with w.box.rpc() as client:
            reply = client.call("file.log", path=w.path("f"),
                                evidence=["recorded"])
            eq((reply["totalSteps"], [s["tool"] for s in reply["steps"]]),
               (1, ["Bash"]))
            reply = client.call("file.log", path=w.path("f"), tools=["Edit"])
            eq((reply["totalSteps"], reply["steps"], reply["truncated"]),
               (0, [], False))


def test_steps_of_others_are_no_such_changes():
    with World() as w:
        fill(w)
        w.put("f", "1\ntwo\nthree\n")
        eq(["outside" in x for x in rows(w.ok("log", "f"))],
           [True, False, False])
        eq(["outside" in x for x in rows(w.ok("log", "f", "--tool=Bash"))],
           [False])


def test_diff_by_evidence():
    with World() as w:
        fill(w)
        out = w.ok("diff", w.id("a"), "--evidence=recorded")
        assert "+1" in out and "n.txt" not in out, out
        tid = w.write("a", "h", "x\n")
        said = w.fails("diff", tid, "--evidence=recorded")
        assert "--evidence go with a session" in said, said


def test_events_by_tool_and_evidence():
    with World() as w:
        with w.box.rpc() as client:
            clock = client.call("index.stats")["clock"]
            sub = client.call("events.subscribe", tools=["Bash"],
                              evidence=["parsed"])["subscription"]
            fill(w)
            event = client.event()
            eq((event["path"], event["evidence"], event["command"],
                event["subscription"]),
               (w.path("n.txt"), "parsed", "echo new > n.txt", sub))
            for more, found in (({"tools": ["Bash"]}, 2),
                                ({"tools": ["Write"]}, 2),
                                ({"evidence": ["result"]}, 2),
                                ({"evidence": ["recorded"]}, 1)):
                eq(len(client.call("events.since", clock=clock,
                                   **more)["events"]), found, more)


def watched(w, n, *args):
    """The first lines of watch, without that of the clock."""
    with subprocess.Popen([w.box.ccfc, "watch", *args], env=w.box.env,
                          cwd=w.dir, stdout=subprocess.PIPE,
                          text=True) as watch:
        lines = [watch.stdout.readline().rstrip("\n") for _ in range(n + 1)]
        watch.terminate()
    return lines[1:]


def test_watch_tells_the_command():
    with World() as w:
        with w.box.rpc() as client:
            clock = client.call("index.stats")["clock"]
        fill(w)
        shell(w, "a", "mv n.txt m.txt", disk={"n.txt": None, "m.txt": "new\n"})
        shell(w, "a", "rm f", disk={"f": None})
        w.ok("status")
        got = [x.split("  ", 1)[1] for x in
               watched(w, 5, "--since=" + clock, "--tool=Bash")]
        eq(got, [
            f"applied  Bash  f  +1 -1  {w.id('a')}  recorded: $ make fmt",
            f"applied  Bash  n.txt  -  {w.id('a')}  parsed: $ echo new > n.txt",
            f"applied  Bash  m.txt  -  {w.id('a')}  parsed, renamed from n.txt: "
            "$ mv n.txt m.txt",
            f"applied  Bash  n.txt  -  {w.id('a')}  parsed, renamed to m.txt: "
            "$ mv n.txt m.txt",
            f"applied  Bash  f  -  {w.id('a')}  parsed, deleted: $ rm f"])
        got = watched(w, 1, "--since=" + clock, "--evidence=result",
                      "--session=" + w.id("b"))
        assert got[0].endswith(f"Write  g  +1 -0  {w.id('b')}"), got


def test_stats_keep_them_apart():
    with World() as w:
        fill(w)
        shell(w, "a", "python3 gen.py")
        out = w.ok("stats")
        assert "4 in 3 files, +4 -1; 2 of them while commands ran\n" in out, out
        assert "Not known: the effects of 1 command on files\n" in out, out
        head = [x for x in out.splitlines() if "CHANGES" in x]
        assert all(" SHELL " in x for x in head), head
        with w.box.rpc() as client:
            reply = client.call("stats.get")
            eq([(x["changes"], x["shellChanges"]) for x in
                (reply["totals"], *reply["days"])], [(4, 2)] * 2)
            eq(reply["totals"]["unknownCommands"], 1)
            eq({x["path"][-1]: x["shellChanges"] for x in reply["files"]},
               {"f": 1, "g": 0, "t": 1})
            for by in ("day", "project", "model", "tool", "file", "ext"):
                got = client.call("stats.get", by=by)["rows"]
                eq(sum(x["shellChanges"] for x in got), 2, by)
                if by not in ("file", "ext"):
                    eq(sum(x["unknownCommands"] for x in got), 1, by)
            tools = {x["key"]: x["shellChanges"] for x in
                     client.call("stats.get", by="tool")["rows"]}
            eq(tools, {"Bash": 2, "Write": 0})
        for command in (("index", "--stats"), ("status",)):
            out = w.ok(*command)
            assert "2 of the changes; 3 commands that may change files, the " \
                "effects of 1 are not known\n" in out, out


def test_stats_without_a_shell():
    with World() as w:
        w.write("a", "f", "one\n")
        for out in (w.ok("stats"), w.ok("index", "--stats")):
            assert "SHELL" not in out and "ommand" not in out, out


def test_blame_shows_the_command():
    with World() as w:
        w.write("b", "f", "one\ntwo\n")
        command = "python3 \x1b[31m\x07 fmt.py --all --really --quick"
        shell(w, "a", command, noted(w.path("f"), hunk("-one", "+1", " two")),
              disk={"f": "1\ntwo\n"})
        first, second = w.ok("blame", "f").splitlines()
        assert " $ python3 ^[[31m^G fmt.… " in first, first
        assert first.endswith(" 1) 1") and "$" not in second, second
        eq(len(first.partition(")")[0]), len(second.partition(")")[0]))
        out = w.ok("blame", "--show=command", "f")
        assert w.id("a")[:8] not in out and "$ python3" in out, out
        out = w.ok("blame", "--blocks", "f")
        assert " COMMAND " in out.splitlines()[0], out
        assert "fmt.py --all --really --quick" in out and "\x1b" not in out, out
        out = w.ok("blame", "--format=json", "f")
        eq([x["command"] for x in json.loads(out)["lines"]], [command, None])


def test_deleted_and_renamed():
    with World() as w:
        w.write("a", "f", "one\n")
        w.write("a", "n.txt", "new\n")
        assert "OPERATION" not in w.ok("list", w.id("a"))
        shell(w, "b", "rm f", disk={"f": None})
        shell(w, "b", "mv n.txt m.txt", disk={"n.txt": None, "m.txt": "new\n"})
        out = w.ok("list", w.id("b"))
        ends = [x.split()[-2:] for x in out.splitlines() if " Bash" in x]
        eq(ends, [["Bash", "deleted"], ["Bash", "renamed"],
                  ["Bash", "deleted"]])
        out = w.ok("list", w.id("b"), "--show-changes")
        assert "(Bash, parsed, deleted)" in out, out
        assert f"(Bash, parsed, renamed from {w.path('n.txt')})" in out, out
        assert f"(Bash, parsed, renamed to {w.path('m.txt')})" in out, out
        out = w.ok("log", w.id("b"))
        eq([x.count(", deleted") for x in rows(out)], [0, 1, 1])
        assert "Bash, parsed, renamed" in rows(out)[0], out
        out = w.ok("show", "--files", w.id("b"))
        assert "  f  1 change, deleted\n" in out, out
        assert "  m.txt  1 change, renamed\n" in out, out
        with w.box.rpc() as client:
            files = client.call("session.files", session=w.id("b"))["files"]
        eq([x["operation"] for x in files], ["deleted", "renamed", "deleted"])
        w.write("b", "m.txt", "newer\n")
        with w.box.rpc() as client:
            files = client.call("session.files", session=w.id("b"))["files"]
        eq(files[1]["operation"], "renamed", "and written since")


def test_ids_stay_short():
    """A command that changed two files makes no id long; what is shown is
    taken, and the id of the command means both."""
    with World() as w:
        w.write("a", "f", "one\n")
        w.write("a", "n.txt", "new\n")
        call = shell(w, "b", "rm f n.txt", disk={"f": None, "n.txt": None})
        text, status = terminal.run([w.box.ccfc, "log"], w.box.env, w.dir)
        eq((status, terminal.too_wide(text)), (0, []))
        ids = [x.split()[2] for x in list(terminal.lines(text))[1:5]]
        eq([len(x) for x in ids], [12, 12, 8, 8], text)
        eq({x[:8] for x in ids[:2]}, {call[8:16]}, text)
        diffs = "".join(w.ok("diff", x) for x in ids[:2])
        assert "-one" in diffs and "-new" in diffs, diffs
        said = w.fails("diff", ids[0][:8])
        assert "2 changes start with that" in said, said
        for whole in call, call[8:16]:
            out = w.ok("revert", whole, "--dry-run")
            assert "+one" in out and "+new" in out, out
        out = w.ok("revert", ids[0], "--dry-run")
        eq(out.count("diff --git"), 1)
        said = w.fails("revert", "toolu_", "--dry-run")
        assert "3 changes start with that" in said, said


def test_contents():
    with World() as w:
        fill(w)
        shell(w, "a", "sed -i s/x/y/ g")
        shell(w, "a", "echo x > z; ./tidy z")
        shell(w, "a", "echo more >> g")
        out = w.ok("list", w.id("a"), "--show-changes")
        assert "(while it ran: make fmt)\n  - one\n  + 1\n" in out, out
        assert "(while it ran: echo new > n.txt)\n  + new\n" in out, out
        assert "(while it ran: echo more >> g)\n  + more\n" in out, out
        for command in ("sed -i s/x/y/ g", "echo x > z; ./tidy z"):
            assert f"(while it ran: {command})\n  (content unavailable: what " \
                "the command made of it is not recorded)\n" in out, out
        with w.box.rpc() as client:
            one = client.call("session.file_changes", session=w.id("a"),
                              path=w.path("f"))[1]
        eq((one["oldContent"], one["newContent"]), ("one\n", "1\n"))


def test_commands_are_named():
    with World() as w:
        fill(w)
        shell(w, "a", "python3 gen.py \x1b[1m")
        for i in range(11):
            shell(w, "a", f"./build {i}")
        out = w.ok("list", w.id("a"))
        tail = out[out.index("Not Known: the effects of 12 commands\n"):]
        lines = tail.splitlines()
        eq((len(lines), lines[-1]), (12, "  and 2 more"))
        assert lines[1].endswith("  $ python3 gen.py ^[[1m"), lines
        eq(w.ok("list", w.id("a"), "--show-changes").count("  $ "), 10)
        out = w.ok("show", "--files", w.id("a"))
        assert "\nEffects on files not known (12 commands):\n" in out, out
        eq(out.count("  $ ./build "), 11)
        out = w.ok("show", w.id("a"))
        assert "Not known: the effects of 12 commands on files\n" in out, out
        for flags in (["--dry-run"], []):
            done = w.run("revert", w.id("a"), *flags)
            eq(done.returncode, 0, done.stderr)
            eq(done.stderr.count("what this changed stays: $ "), 10)
            assert "and 2 more: ccfc show --files " + w.id("a") in \
                done.stderr, done.stderr
        with w.box.rpc() as client:
            for method in ("session.files", "session.diff", "session.revert",
                           "session.get"):
                reply = client.call(method, session=w.id("a"))
                eq([(c["command"], c["state"]) for c in
                    reply["commands"]][1:3],
                   [("./build 0", "applied"), ("./build 1", "applied")],
                   method)
                eq(len(reply["commands"]), 12, method)


def test_show_of_commands_alone():
    with World() as w:
        shell(w, "a", "make")
        out = w.ok("show", "--files", w.id("a"))
        assert out.startswith("Effects on files not known (1 command):\n"), out


def test_revert_says_while_what():
    """Somebody else's write during a command looks the same."""
    with World() as w:
        for name, command in (("mine", "sleep 1"), ("his", "make")):
            shell(w, "a", command, noted(w.path(name), hunk("+x"),
                                         created=True), disk={name: "x\n"})
        w.write("a", "f", "one\n")
        out = w.ok("revert", w.id("a"))
        eq(out.splitlines()[:3],
           ["remove    mine  +0 -1 (recorded while a command ran)",
            "remove    his  +0 -1 (recorded while it ran: $ make)",
            "remove    f  +0 -1"])


def test_who_noted_it_only():
    """Both clients noted a file that one of the commands surely made."""
    with World() as w:
        a, b = w.sessions["a"], w.sessions["b"]
        made = noted(w.path("x"), hunk("+new"), created=True)
        there = b.call("Bash", {"command": "make"})
        here = a.call("Bash", {"command": "echo new > x"})
        run(b, None, made, tid=there)
        run(a, None, made, tid=here)
        w.put("x", "new\n")
        with w.box.rpc() as client:
            lines = client.call("file.blame", path=w.path("x"))["lines"]
            eq([x["sessionId"] for x in lines], [w.id("a")])
        got = rows(w.ok("log", "x"))
        assert "Bash, ambiguous" in got[0] and " +0 -0 " in got[0], got
        assert "Bash, recorded" in got[1] and " +1 -0 " in got[1], got
        done = w.run("diff", w.id("b"))
        assert "x: ambiguous: another session or agent may have changed it" in \
            done.stderr, done.stderr
        assert "+new" in w.ok("diff", w.id("a"))
        w.ok("revert", w.id("a"))
        eq(w.get("x"), None)


def test_a_candidate_may_be_an_agent():
    with World() as w:
        a = w.sessions["a"]
        agent = Transcript(w.box, a.ids, session=a.session, agent="a1b2c3d",
                           cwd=w.dir, project=folder(w.dir))
        agent.prompt()
        made = noted(w.path("x"), hunk("+new"), created=True)
        here = a.call("Bash", {"command": "make"})
        there = agent.call("Bash", {"command": "make all"})
        run(a, None, made, tid=here)
        run(agent, None, made, tid=there)
        out = w.ok("list", a.session, "--show-changes")
        assert f"(or session {a.session}, agent a1b2c3d: make all)\n" in out, out
        assert f"(or session {a.session}: make)\n" in out, out


def test_notes_of_a_diff_are_said_once():
    with World() as w:
        for _ in range(3):
            shell(w, "a", "./gen f g", named=[w.path("f"), w.path("g")])
        done = w.run("diff", w.id("a"))
        eq(done.stderr.count("f: no diff: "), 1, done.stderr)
        eq(done.stderr.count("g: no diff: "), 1, done.stderr)


if __name__ == "__main__":
    harness.main()
