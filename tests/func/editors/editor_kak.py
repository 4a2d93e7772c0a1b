"""The commands for Kakoune, in a real Kakoune on a terminal, against the real
daemon and transcripts that are being written."""
import contextlib
import os
import select
import shutil
import signal

import harness
from editing import HOSTILE, Files
from editor_drivers import Kak, quoted
from harness import Skip, eq


# All follow one daemon at the same time.
MANY = 50 if os.environ.get("CCFC_SOAK") else 8


def start(world, name, folder=None):
    """With the ccfc under test, or that in the folder."""
    if not shutil.which("kak"):
        raise Skip("no kak")
    folder = folder or world.box.ccfc.rpartition("/")[0]
    kak = Kak(world, world.path(name),
              env={"PATH": f"{folder}:{world.box.env['PATH']}"})
    kak.push("declare-option str-list seen\n"
             "hook global User ccfc %{ set-option -add global seen "
             "%sh{ eval set -- \"$kak_quoted_opt_ccfc_event\"; "
             "printf %s \"${2##*/}\" } }")
    return kak


def flags(kak, name):
    """The lines with a mark; the first word is a time stamp."""
    got = kak.ask("%opt{ccfc_flags}", name).split()
    return [int(word.partition("|")[0]) for word in got[1:]]


def do(kak, commands):
    """In the window."""
    kak.push(f"evaluate-commands -client client0 %{{ {commands} }}")


def shown(kak, buffer, want):
    """Waits for a text in a buffer that a command opens."""
    return kak.until(lambda got: want in got, lambda: kak.text(buffer))


def seen(kak, name):
    got = kak.ask("%opt{seen}", name)
    return [] if got.startswith("error: ") else got.split()


def watching(world, kak, name):
    """Returns when the first event came: the watcher is there. Events of
    before are not told."""
    n = 0

    def one():
        nonlocal n
        n += 1
        world.write("a", f"first{n}.c", "x\n")
        return seen(kak, name)
    kak.until(lambda got: got, one)
    return kak.until(lambda got: got[-1:] == [f"first{n}.c"],
                     lambda: seen(kak, name))


def test_buffer_and_marks_follow():
    with Files("a", "b") as w:
        w.put("a.c", "one\ntwo\n")
        w.again("a", "add a third line")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as kak:
            kak.until(lambda got: got == [3], lambda: flags(kak, "a.c"))
            text = kak.ask("%opt{ccfc_texts}", "a.c")
            assert f" 3.6+0|{{comment}}{{\\\\}}  {w.id('a')[:8]} add a third" \
                in text, text
            watching(w, kak, "a.c")
            w.again("b", "rename the first")
            w.write("b", "a.c", "uno\ntwo\nthree\nfour\n")
            kak.until(lambda got: got == [1, 3, 4], lambda: flags(kak, "a.c"))
            eq(kak.text("a.c"), "uno\ntwo\nthree\nfour", "reloaded")
            said = kak.ask("%opt{ccfc_message}", "a.c")
            assert w.id("b")[:8] in said and "a.c" in said, said
            owners = kak.ask("%opt{ccfc_owners}", "a.c")
            assert f" 3|{{\\\\}}{w.id('a')[:8]} opus-4-5 4|" in owners, owners
            assert " 2|{\\\\}outside " in owners, owners
            # The gutter, on and off.
            do(kak, "ccfc-blame; ccfc-blame; ccfc-blame")


def test_the_line_under_the_cursor():
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as kak:
            kak.until(lambda got: got == [2, 3], lambda: flags(kak, "a.c"))

            def line():
                return kak.ask("%opt{ccfc_line}", "a.c").partition(" ")[2]
            do(kak, "execute-keys 3g; ccfc-line")
            text = kak.until(lambda got: got, line)
            assert text.startswith("3.6+0|") and text.endswith(
                f"{w.id('a')[:8]} opus-4-5 · more numbers"), text
            do(kak, "execute-keys gg; ccfc-line")
            kak.until(lambda got: not got, line)
            # Nothing stands between a line and what is typed at its end.
            do(kak, "execute-keys 3g; ccfc-line")
            kak.until(lambda got: got, line)
            do(kak, "execute-keys -with-hooks 'Ax<esc>'")
            for text in ("texts", "line"):
                kak.until(lambda got: "|" not in got, lambda: kak.ask(
                    f"%opt{{ccfc_{text}}}", "a.c"))
            do(kak, "execute-keys u; ccfc-line")
            kak.until(lambda got: "|" in got,
                      lambda: kak.ask("%opt{ccfc_texts}", "a.c"))


def answered(kak):
    """Returns when no answer is on its way to the editor."""
    want = f"kak\0-p\0{kak.session}\0".encode()

    def under_way():
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), \
                    open(f"/proc/{pid}/cmdline", "rb") as f:
                if f.read() == want:
                    return True
        return False
    kak.until(lambda still: not still, under_way)


def test_an_answer_that_comes_late_is_not_shown():
    """The user typed while ccfc was asked."""
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        for command, option in (("ccfc-line", "ccfc_line"),
                                ("ccfc-mark", "ccfc_texts")):
            with start(w, "a.c") as kak:
                def shown_texts():
                    return kak.ask(f"%opt{{{option}}}", "a.c").count("|")
                kak.until(lambda got: got == [2, 3], lambda: flags(kak, "a.c"))
                answered(kak)
                w.box.daemon.send_signal(signal.SIGSTOP)
                try:
                    do(kak, f"execute-keys 3g; {command}")
                    do(kak, "execute-keys -with-hooks 'Ax<esc>'")
                    eq(shown_texts(), 0, option)
                finally:
                    w.box.daemon.send_signal(signal.SIGCONT)
                answered(kak)
                eq(shown_texts(), 0, option)


def test_commands():
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.again("a", "make two")
        w.write("a", "a.c", "one\ntwo\n")
        w.write("a", "b.c", "b\n")
        w.write("b", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as kak:
            kak.until(lambda got: got == [3], lambda: flags(kak, "a.c"))
            do(kak, "execute-keys 2g; ccfc-why")
            shown(kak, "*ccfc*", "make two")
            do(kak, "buffer a.c; ccfc-diff")
            shown(kak, "*ccfc*", "+two")
            do(kak, "buffer a.c; ccfc-log")
            shown(kak, "*ccfc*", "+three")
            # All files of the session, as places to go to.
            do(kak, "buffer a.c; ccfc-files")
            eq(shown(kak, "*ccfc-files*", "b.c").splitlines(),
               [w.path("a.c"), w.path("b.c")])
            do(kak, "execute-keys gg; ccfc-open-file; ccfc-next-file; "
               f"echo -to-file {kak.pipe} %val{{buffile}} {kak.END}")
            eq(kak.read(), w.path("b.c"), "the second")
            # Nothing is written before it is wanted.
            do(kak, f"buffer a.c; ccfc-restore before:{w.id('b')}")
            shown(kak, "*ccfc-restore*", "-three")
            eq(w.get("a.c"), "one\ntwo\nthree\n")
            do(kak, "ccfc-restore-write")
            shown(kak, "*ccfc*", "restored")
            eq(w.get("a.c"), "one\ntwo\n")


def test_conflicts_are_told():
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as kak:
            watching(w, kak, "a.c")
            # b writes the whole file and has never seen it.
            w.write("b", "a.c", "three\n")
            want = (f"ccfc: a.c: lost update: session {w.id('b')[:8]} and "
                    f"session {w.id('a')[:8]}")
            kak.until(lambda got: got == want,
                      lambda: kak.ask("%opt{ccfc_message}", "a.c"))


def test_what_is_forgotten_has_no_mark():
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as kak:
            watching(w, kak, "a.c")
            kak.until(lambda got: got == [2], lambda: flags(kak, "a.c"))
            w.box.ok("forget", w.id("a"), "--yes")
            kak.until(lambda got: got == [], lambda: flags(kak, "a.c"))


def test_the_daemon_is_started():
    """One that crashed, too; not one that was stopped."""
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        w.box.stop()
        folder = os.path.join(w.box.top, "bin")
        calls = os.path.join(w.box.top, "calls")
        os.mkdir(folder)
        with open(os.path.join(folder, "ccfc"), "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n'{w.box.ccfc}' \"$@\"\ncode=$?\n"
                    f"echo $1 $code >>'{calls}'\nexit $code\n")
            os.fchmod(f.fileno(), 0o755)
        env = {**w.box.env}
        del w.box.env["CCFC_NO_SPAWN"]

        def called():
            with open(calls, encoding="utf-8") as f:
                return f.read().splitlines()
        try:
            with start(w, "a.c", folder) as kak:
                kak.until(lambda got: got == [2], lambda: flags(kak, "a.c"))
                os.kill(w.box.json("status")["pid"], signal.SIGKILL)
                w.write("a", "a.c", "three\n")
                shown(kak, "a.c", "three")
                # The editor may have seen the new text on disk before that.
                kak.until(lambda code: code == 0,
                          lambda: w.box.run("status", env=env).returncode)
                w.box.ok("stop")
                before = len(called())
                do(kak, "write")
                kak.until(lambda got: "blame 3" in got[before:], called)
                eq(w.box.run("status", env=env).returncode, 3, "runs")
                do(kak, "ccfc-log")
                shown(kak, "*ccfc*", "+three")
        finally:
            w.box.run("stop")
            w.box.env = env


def test_many_at_once():
    with Files("a") as w:
        w.put("a.c", "one\n")
        with contextlib.ExitStack() as stack:
            editors = [stack.enter_context(start(w, "a.c"))
                       for _ in range(MANY)]
            for kak in editors:
                watching(w, kak, "a.c")
            w.write("a", "a.c", "one\ntwo\n")
            for kak in editors:
                shown(kak, "a.c", "two")
                kak.until(lambda got: got == [2], lambda: flags(kak, "a.c"))


def test_unsaved_changes_stay():
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as kak:
            watching(w, kak, "a.c")
            kak.until(lambda got: got == "yes",
                      lambda: kak.ask("%opt{autoreload}", "a.c"))
            kak.push("evaluate-commands -client client0 %{ "
                     "execute-keys -with-hooks 'imine<esc>' }")
            kak.until(lambda got: got == "mineone", lambda: kak.text("a.c"))
            kak.until(lambda got: got == "ask",
                      lambda: kak.ask("%opt{autoreload}", "a.c"))
            w.write("a", "a.c", "theirs\n")
            kak.until(lambda got: got == "yes",
                      lambda: kak.ask("%opt{ccfc_behind}", "a.c"))
            eq(kak.text("a.c"), "mineone", "not reloaded")
            # Lines of the buffer are not those that ccfc knows.
            for command in ("why", "diff", "files", "restore x"):
                said = kak.ask("x", "a.c", f"ccfc-{command}")
                assert said.startswith("error: ") and "write" in said, said
            kak.push("evaluate-commands -client client0 ccfc-changed")
            shown = kak.until(lambda got: "+mineone" in got,
                              lambda: kak.text("*ccfc*"))
            assert "-theirs" in shown, shown


def test_a_restart_loses_no_event():
    with Files("a") as w:
        w.put("a.c", "0\n")
        with start(w, "a.c") as kak:
            before = watching(w, kak, "a.c")
            w.box.stop()
            want = [f"{n}.c" for n in range(4)]
            for name in want[:3]:
                w.write("a", name, "x\n")
            w.box.start()
            w.write("a", want[3], "x\n")
            got = kak.until(lambda got: got[-1] == "3.c",
                            lambda: seen(kak, "a.c"))
            eq(got, before + want)


def test_a_daemon_that_hangs_is_not_waited_for():
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.put("b.c", "b\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as kak:
            kak.until(lambda got: got == [2], lambda: flags(kak, "a.c"))
            w.box.daemon.send_signal(signal.SIGSTOP)
            try:
                for command in ("why", "blame", "log"):
                    kak.push("evaluate-commands -client client0 %{ "
                             f"edit {w.path('a.c')}; ccfc-{command} }}")
                kak.push("evaluate-commands -client client0 %{ "
                         f"edit {w.path('b.c')} }}")
                kak.until(lambda got: got == "b",
                          lambda: kak.text(w.path("b.c")))
            finally:
                w.box.daemon.send_signal(signal.SIGCONT)
            kak.until(lambda got: "+two" in got, lambda: kak.text("*ccfc*"))


def test_hostile_texts():
    # A block of commands would end at the first brace.
    breaks = "} } nop %sh{touch HURT} "
    name = "x y',|\n%sh{touch HURT}$(touch HURT) 'q" + breaks + ".c"
    with Files("a", "b") as w:
        w.put(name, "one\n")
        with start(w, name) as kak:
            kak.push("edit -scratch s")
            kak.push(f"declare-option str hostile {quoted(name)}")
            watching(w, kak, "s")
            w.again("a", breaks + HOSTILE)
            w.write("a", name, "one\n{Error}two\n")
            t = w.sessions["a"]
            t.call("Bash", {"command": HOSTILE})
            w.write("a", "last.c", "x\n")
            kak.until(lambda got: "last.c" in got, lambda: seen(kak, "s"))
            events = kak.ask("%opt{ccfc_event}", "s")
            assert events.startswith("change "), events
            # Behind its line, as what it is.
            text = kak.until(lambda got: "|" in got,
                             lambda: kak.ask("%opt{ccfc_texts}", name))
            assert text.isprintable() and "%sh{touch HURT}" in text, text
            for command in ("blame", "why", "log", "diff", "files"):
                do(kak, "buffer %opt{hostile}; execute-keys 2g; "
                   f"ccfc-{command}")
            shown(kak, "*ccfc-files*", "last.c")
            eq(kak.ask("%val{session}", "s"), kak.session, "still the same")
            w.put(name, None)
            w.unhurt()


def test_nothing_is_left():
    """The watcher ends with the editor."""
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as kak:
            watching(w, kak, "a.c")
            pid = int(kak.ask("%opt{ccfc_watcher}", "a.c"))
        wait_gone(pid)
        # Nor does it wait for a daemon when the editor was killed.
        kak = start(w, "a.c")
        watching(w, kak, "a.c")
        pid = int(kak.ask("%opt{ccfc_watcher}", "a.c"))
        w.box.stop()
        kak.__exit__("killed")
        wait_gone(pid)


def wait_gone(pid):
    """Returns when there is no such process."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([fd], [], [], harness.LIMIT)[0], "still there"
    finally:
        os.close(fd)


if __name__ == "__main__":
    harness.main()
