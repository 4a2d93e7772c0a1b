"""What happens around an editor, the same for Neovim and for Vim: scenes, played
with a driver (editor_drivers.py) that knows how its editor shows things. What is asked
in a scene is an expression of Vim, which both understand.

`define` makes them tests of the calling file: "test_" and the scene's name.
"""
import os
import signal

from editing import HOSTILE, Files
from harness import eq

# All follow one daemon at the same time.
MANY = 50 if os.environ.get("CCFC_SOAK") else 8
# A name of a file that does something if it is run.
NAME = "x\n| touch HURT '.c"


def three_lines(world):
    """a.c, whose lines 2 and 3 are the session's."""
    world.put("a.c", "one\n")
    world.again("a", "more numbers")
    world.write("a", "a.c", "one\ntwo\nthree\n")


def buffer_signs_and_texts_follow(start):
    with Files("a", "b") as w:
        w.put("a.c", "one\ntwo\n")
        w.again("a", "add a third line")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as editor:
            editor.wait_for([3], editor.signs)
            (line, text), = editor.texts()
            eq(line, 3)
            assert w.id("a")[:8] in text and "third line" in text, text
            w.again("b", "rename the first")
            tid = w.write("b", "a.c", "uno\ntwo\nthree\nfour\n")
            editor.wait_for(["uno", "two", "three", "four"], editor.lines)
            editor.wait_for([1, 3, 4], editor.signs)
            assert ["change", tid] in editor.seen(), "no event"
            said = editor.said()
            assert "reloaded" in said and w.id("b")[:8] in said, said


def the_line_under_the_cursor(start):
    with Files("a") as w:
        three_lines(w)
        with start(w, "a.c") as editor:
            editor.wait_for([2, 3], editor.signs)
            editor.cursor(2)
            editor.wait_for([2], lambda: [x for x, _ in editor.line_text()])
            (_, text), = editor.line_text()
            assert "opus-4-5" in text and "more numbers" in text, text
            eq(editor.texts(), [], "one text on a line")
            # A line that the user changes has no owner any more.
            editor.type(2, "mine", "new")
            editor.wait_for([4], editor.signs)
            editor.wait_for([], editor.line_text)


def lines_between_changes_keep_their_owner(start):
    with Files("a") as w:
        w.put("a.c", "0\n")
        text = "0\n{\n1\n}\n{\n2\n}\n{\n3\n}\n"
        w.write("a", "a.c", text)
        with start(w, "a.c") as editor:
            editor.wait_for(list(range(2, 11)), editor.signs)
            editor.type(3, "mine")
            editor.type(9, "mine", "and mine")
            editor.wait_for([2, 4, 5, 6, 7, 8, 11], editor.signs)
            # Line 2 is deleted and comes back.
            editor.ex("2delete _")
            editor.type(1, "0")
            editor.wait_for([3, 4, 5, 6, 7, 10], editor.signs)
            editor.ex("1put ='{'")
            editor.type(1, "0")
            editor.wait_for([2, 4, 5, 6, 7, 8, 11], editor.signs)


def gutter(start):
    with Files("a") as w:
        three_lines(w)
        with start(w, "a.c") as editor:
            editor.wait_for([2, 3], editor.signs)
            editor.ex("Ccfc blame | wincmd h")
            shown = editor.lines()
            eq(len(shown), 3)
            assert shown[0].startswith("not by a session"), shown
            assert shown[1].startswith(w.id("a")[:8]), shown
            eq(shown[2], "│")
            # Lines that are not saved.
            editor.ex("wincmd l")
            editor.type(2, "mine", "new")

            def beside():
                return [text.split()[0] for text in editor.value(
                    "getbufline(winbufnr(1), 1, '$')")]
            editor.wait_for(["not", "not", "not", w.id("a")[:8]], beside)
            editor.ex("edit! | Ccfc blame")
            eq(editor.value("[winnr('$'), &scrollbind]"), [1, 0], "closed")
            # It goes with its file.
            editor.wait_for([2, 3], editor.signs)
            editor.ex("Ccfc blame | edit b.c")
            editor.wait_for([1, 0, "b.c"], lambda: editor.value(
                "[winnr('$'), &scrollbind, bufname()]"))
            editor.ex("edit a.c")
            editor.wait_for([2, 3], editor.signs)
            eq(editor.value("[&scrollbind, &wrap]"), [0, 1], "as before")
            editor.ex("split b.c | wincmd j | Ccfc blame | close")
            editor.wait_for([1, "b.c"], lambda: editor.value(
                "[winnr('$'), bufname()]"))


def unsaved_changes_are_asked_about(start):
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as editor:
            editor.ready()
            editor.type(1, "mine")
            w.write("a", "a.c", "theirs\n")
            editor.wait_for(True, lambda: "not saved" in editor.said())
            assert w.id("a")[:8] in editor.said(), editor.said()
            eq((editor.lines(), editor.menu()), (["mine"], []),
               "nothing is asked while somebody types")
            editor.ex("doautocmd <nomodeline> CursorHold")
            eq(len(editor.menu()), 3, "choices")
            editor.choose(1)
            eq((editor.lines(), editor.value("[&diff, winnr('$')]")),
               (["theirs"], [1, 2]), "the diff")
            editor.ex("close | Ccfc changed")
            editor.choose(2)
            editor.wait_for(["theirs"], editor.lines)
            eq(editor.value("&modified"), 0, "loaded")


def a_restart_loses_no_event(start):
    with Files("a", "b") as w:
        w.put("a.c", "0\n")
        with start(w, "a.c") as editor:
            editor.ready()

            def ids():
                return [tid for _, tid in editor.seen()]
            want = [w.write("a", "a.c", "1\n")]
            editor.wait_for(want, ids)
            w.box.stop()
            want += [w.write("a", f"{n}.c", "x\n") for n in range(3)]
            want.append(w.write("a", "a.c", "2\n"))
            w.box.start()
            want.append(w.write("a", "a.c", "3\n"))
            editor.wait_for(True, lambda: len(ids()) >= 6)
            editor.wait_for(["3"], editor.lines)
            eq(ids(), want)
            w.box.restart(hard=True)
            want.append(w.write("a", "a.c", "4\n"))
            editor.wait_for(True, lambda: len(ids()) >= 7)
            editor.wait_for(["4"], editor.lines)
            eq(ids(), want)


def files_come_and_go(start):
    """By another name than the session's, too."""
    with Files("a") as w:
        os.symlink(w.dir, os.path.join(w.box.top, "link"))
        with start(w, "../link/new.c") as editor:
            editor.ready()
            w.write("a", "new.c", "one\ntwo\n")
            editor.wait_for(["one", "two"], editor.lines)
            editor.wait_for([1, 2], editor.signs)
            eq(editor.value("&modified"), 0)
            w.put("new.c", None)
            tid = w.sessions["a"].call("Bash", {"command": "rm new.c"})
            w.sessions["a"].result(tid, {"stdout": "", "stderr": "",
                                         "interrupted": False})
            editor.wait_for(True, lambda: "deleted" in editor.said())
            eq(editor.lines(), ["one", "two"], "the buffer stays")


def it_starts_the_daemon(start):
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        w.box.stop()
        env = {**w.box.env}
        del w.box.env["CCFC_NO_SPAWN"]
        try:
            with start(w, "a.c") as editor:
                editor.wait_for([2], editor.signs)
                # One that crashed is started again.
                os.kill(w.box.json("status")["pid"], signal.SIGKILL)
                w.write("a", "a.c", "three\n")
                editor.wait_for(["three"], editor.lines)
                # One that was stopped is started by a command.
                w.box.run("stop")
                w.write("a", "a.c", "four\n")
                editor.ex("Ccfc log")
                editor.wait_for(3, lambda: len(editor.menu()))
                editor.wait_for(["four"], editor.lines)
        finally:
            w.box.run("stop")
            w.box.env = env


def commands(start):
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.again("a", "first")
        one = w.write("a", "a.c", "one\ntwo\n")
        w.write("a", "b.c", "b\n")
        two = w.write("b", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as editor:
            editor.wait_for([3], editor.signs)
            editor.ex("call cursor(2, 1) | Ccfc session")
            editor.wait_for(
                ["a.c", "b.c"], lambda: editor.value(
                    "map(getqflist(), {_, q -> bufname(q.bufnr)})"))
            editor.ex("cclose | Ccfc diff")
            editor.wait_for(True, lambda: is_diff(editor, one))
            assert "+two" in editor.lines(), editor.lines()
            editor.ex("close | Ccfc log")
            editor.wait_for(2, lambda: len(editor.menu()))
            editor.choose(1)
            editor.wait_for(True, lambda: is_diff(editor, two))
            editor.ex("close | Ccfc why")
            editor.wait_for("diff", lambda: editor.value("&filetype"))
            assert "first" in "\n".join(editor.lines()), editor.lines()
            editor.ex("close | Ccfc restore")
            editor.wait_for(2, lambda: len(editor.menu()))
            editor.choose(1)
            editor.wait_for("No", lambda: (editor.menu() or [""])[0])
            editor.choose(2)
            editor.wait_for(["one", "two"], editor.lines)
            eq(w.get("a.c"), "one\ntwo\n", "restored")
            editor.ex("Ccfc sessions")
            editor.wait_for(2, lambda: len(editor.menu()))
            eq(editor.value("getcompletion('Ccfc s', 'cmdline')"),
               ["session", "sessions", "signs"])


def a_daemon_that_hangs_is_not_waited_for(start):
    with Files("a") as w:
        three_lines(w)
        w.put("b.c", "b\n")
        with start(w, "a.c") as editor:
            editor.wait_for([2, 3], editor.signs)
            w.box.daemon.send_signal(signal.SIGSTOP)
            try:
                editor.ex("call cursor(2, 1)")
                for command in ("blame", "log", "diff", "why", "session"):
                    editor.ex("call win_gotoid(bufwinid('a.c')) "
                              f"| Ccfc {command}")
                editor.type(1, "mine")
                editor.ex("update | edit b.c")
                eq(editor.lines(), ["b"])
                eq(w.get("a.c"), "mine\ntwo\nthree\n", "written")
            finally:
                w.box.daemon.send_signal(signal.SIGCONT)
            editor.wait_for(
                ["a.c"], lambda: editor.value(
                    "map(getqflist(), {_, q -> bufname(q.bufnr)})"))


def is_diff(editor, tid):
    """Is the change what is shown?"""
    return editor.value("&filetype") == "diff" and tid in editor.lines()[0]


def conflicts_are_told(start):
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as editor:
            editor.ready()
            # b writes the whole file and has never seen it.
            w.write("b", "a.c", "three\n")
            editor.wait_for(True, lambda: "lost update" in editor.said())


def what_is_forgotten_has_no_sign(start):
    with Files("a", "b") as w:
        three_lines(w)
        with start(w, "a.c") as editor:
            editor.wait_for([2, 3], editor.signs)
            w.box.ok("forget", w.id("a"), "--yes")
            editor.wait_for([], editor.signs)


def hostile_texts(start):
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as editor:
            editor.ready()
            before = editor.value("&columns")
            w.again("a", HOSTILE)
            w.write("a", "a.c",
                    "one\ntwo\n" + HOSTILE.replace("\r", "") + "\n")
            w.write("a", NAME, "x\n")
            editor.wait_for(True, lambda: len(editor.seen()) >= 2
                            and bool(editor.signs()))
            editor.cursor(2)
            editor.wait_for(1, lambda: len(editor.line_text()))
            for text in editor.own_texts(2):
                assert text.isprintable(), repr(text)
            (_, text), = editor.line_text()
            assert "<CR> <Esc>:qa!" in text and "^[" not in text, text
            for command in ("blame", "log", "diff", "why", "session"):
                # The answers to the others open windows meanwhile.
                editor.ex("call win_gotoid(bufwinid('a.c')) "
                          f"| Ccfc {command}")
            editor.wait_for(
                NAME, lambda: (editor.value(
                    "map(getqflist(), {_, q -> bufname(q.bufnr)})")
                    or [""])[-1])
            editor.wait_for(True, lambda: bool(editor.menu()))
            eq(editor.value("[&columns, &textwidth, exists('b:hurt')]"),
               [before, 0, 0], "options")
            w.put(NAME, None)
            w.unhurt()


def many_at_once(start):
    with Files("a") as w:
        w.put("a.c", "one\n")
        editors = []
        try:
            for _ in range(MANY):
                editors.append(start(w, "a.c"))
            for editor in editors:
                editor.ready()
            w.write("a", "a.c", "one\ntwo\n")
            for editor in editors:
                editor.wait_for(["one", "two"], editor.lines)
                editor.wait_for([2], editor.signs)
        finally:
            for editor in editors:
                editor.kill()


SCENES = (buffer_signs_and_texts_follow, the_line_under_the_cursor,
          lines_between_changes_keep_their_owner, gutter,
          unsaved_changes_are_asked_about, a_restart_loses_no_event,
          files_come_and_go, it_starts_the_daemon, commands,
          a_daemon_that_hangs_is_not_waited_for,
          conflicts_are_told, what_is_forgotten_has_no_sign, hostile_texts,
          many_at_once)


def define(module, need, start):
    """Tests of a module's names; `need` skips without the editor, and
    `start(world, name)` opens a file."""
    def test_of(scene):
        def run():
            need()
            scene(start)
        return run
    module.update(("test_" + scene.__name__, test_of(scene))
                  for scene in SCENES)
