#!/usr/bin/python3
"""The commands for Kakoune, in a real Kakoune on a terminal, against the real
daemon and transcripts that are being written."""
import os
import select
import shutil
import signal

import harness
from editing import HOSTILE, Files
from editor_drivers import Kak
from harness import Skip, eq


def start(world, name):
    if not shutil.which("kak"):
        raise Skip("no kak")
    folder = world.box.ccfc.rpartition("/")[0]
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
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as kak:
            kak.until(lambda got: got == [3], lambda: flags(kak, "a.c"))
            watching(w, kak, "a.c")
            w.write("b", "a.c", "uno\ntwo\nthree\nfour\n")
            kak.until(lambda got: got == [1, 3, 4], lambda: flags(kak, "a.c"))
            eq(kak.text("a.c"), "uno\ntwo\nthree\nfour", "reloaded")
            said = kak.ask("%opt{ccfc_message}", "a.c")
            assert w.id("b")[:8] in said and "a.c" in said, said
            kak.push("evaluate-commands -client client0 %{ execute-keys gjk; "
                     "ccfc-why }")
            kak.until(lambda got: "please" in got,
                      lambda: kak.text("*ccfc*"))


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
    name = "x y',|\n%sh{touch HURT}$(touch HURT) 'q.c"
    with Files("a", "b") as w:
        w.put(name, "one\n")
        with start(w, name) as kak:
            kak.push("edit -scratch s")
            watching(w, kak, "s")
            w.again("a", HOSTILE)
            w.write("a", name, "one\n{Error}two\n")
            t = w.sessions["a"]
            t.call("Bash", {"command": HOSTILE})
            w.write("a", "last.c", "x\n")
            kak.until(lambda got: "last.c" in got, lambda: seen(kak, "s"))
            events = kak.ask("%opt{ccfc_event}", "s")
            assert events.startswith("change "), events
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
