#!/usr/bin/python3
"""The plugin for Vim, in a real Vim on a terminal, against the real daemon and
transcripts that are being written."""
import os
import shutil
import signal
import subprocess

import harness
from editing import HOSTILE, PLUGINS, Files, Vim
from harness import Skip, eq

# All follow one daemon at the same time.
MANY = 50 if os.environ.get("CCFC_SOAK") else 20


def need():
    if not shutil.which("vim"):
        raise Skip("no vim")
    said = subprocess.run(["vim", "--version"], capture_output=True,
                          check=False).stdout.decode()
    if "+channel" not in said or "Vi IMproved 9" not in said:
        raise Skip("vim is not version 9 with +channel")


def start(world, name):
    """With the ccfc under test."""
    folder = world.box.ccfc.rpartition("/")[0]
    return Vim(world, world.path(name),
               env={"PATH": f"{folder}:{world.box.env['PATH']}"})


def ready(vim):
    vim.until("ccfc#job#Connected()")


def lines(vim):
    return vim.expr("getline(1, '$')")


def test_buffer_signs_and_texts_follow():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\ntwo\n")
        w.again("a", "add a third line")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as vim:
            vim.until("Signs() == [3]")
            (line, text), = vim.expr("Texts('ccfc_text')")
            eq(line, 3)
            assert w.id("a")[:8] in text and "third line" in text, text
            tid = w.write("b", "a.c", "uno\ntwo\nthree\nfour\n")
            vim.until("getline(1) == 'uno' && Signs() == [1, 3, 4]")
            eq(lines(vim), ["uno", "two", "three", "four"])
            assert ["change", tid] in vim.expr("g:seen"), "no event"
            said = vim.messages()
            assert "a.c reloaded: Write by session " + w.id("b")[:8] in said, \
                said


def test_the_line_under_the_cursor():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as vim:
            vim.until("Signs() == [2, 3]")
            vim.ex("call cursor(2, 1) | doautocmd CursorMoved")
            vim.until("len(Texts('ccfc_line')) == 1 "
                      "&& Texts('ccfc_line')[0][0] == 2")
            text = vim.expr("Texts('ccfc_line')[0][1]")
            assert "opus-4-5" in text and "more numbers" in text, text
            eq(vim.expr("Texts('ccfc_text')"), [], "one text on a line")
            # A line that the user changes has no owner any more.
            vim.ex("call setline(2, 'mine') | call append(2, 'new') "
                   "| doautocmd TextChanged")
            vim.until("Signs() == [4] && empty(Texts('ccfc_line'))")
            vim.until("Texts('ccfc_text')[0][0] == 4")


def test_gutter():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as vim:
            vim.until("Signs() == [2, 3]")
            vim.ex("Ccfc blame | wincmd h")
            shown = lines(vim)
            eq(len(shown), 3)
            assert shown[0].startswith("not by a session"), shown
            assert shown[1].startswith(w.id("a")[:8]), shown
            eq(shown[2], "│")
            vim.ex("wincmd l | Ccfc blame")
            eq(vim.expr("[winnr('$'), &scrollbind]"), [1, 0], "closed")


def test_unsaved_changes_are_asked_about():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as vim:
            ready(vim)
            vim.ex("call setline(1, 'mine')")
            w.write("a", "a.c", "theirs\n")
            vim.until("execute('messages') =~ 'not saved'")
            eq((lines(vim), vim.expr("Menu()")), (["mine"], 0),
               "nothing is asked while somebody types")
            vim.ex("doautocmd CursorHold")
            eq(len(vim.expr("Menus()")), 3, "choices")
            vim.ex("call popup_close(Menu(), 1)")
            eq((lines(vim), vim.expr("[&diff, winnr('$')]")),
               (["theirs"], [1, 2]), "the diff")
            vim.ex("close | Ccfc changed")
            vim.ex("call popup_close(Menu(), 2)")
            vim.until("getline(1) == 'theirs'")
            eq(vim.expr("&modified"), 0, "loaded")


def test_a_restart_loses_no_event():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "0\n")
        with start(w, "a.c") as vim:
            ready(vim)
            want = [w.write("a", "a.c", "1\n")]
            vim.until("len(g:seen) == 1")
            w.box.stop()
            want += [w.write("a", f"{n}.c", "x\n") for n in range(3)]
            want.append(w.write("a", "a.c", "2\n"))
            w.box.start()
            want.append(w.write("a", "a.c", "3\n"))
            vim.until("len(g:seen) >= 6 && getline(1) == '3'")
            eq([tid for _, tid in vim.expr("g:seen")], want)
            w.box.restart(hard=True)
            want.append(w.write("a", "a.c", "4\n"))
            vim.until("len(g:seen) >= 7 && getline(1) == '4'")
            eq([tid for _, tid in vim.expr("g:seen")], want)


def test_commands():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.again("a", "first")
        one = w.write("a", "a.c", "one\ntwo\n")
        w.write("a", "b.c", "b\n")
        two = w.write("b", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as vim:
            vim.until("Signs() == [3]")
            vim.ex("call cursor(2, 1) | Ccfc session")
            vim.until("len(getqflist()) == 2")
            eq(vim.expr("map(getqflist(), {_, q -> bufname(q.bufnr)})"),
               ["a.c", "b.c"], "files of the line's session")
            vim.ex("cclose | Ccfc diff")
            vim.until("&filetype == 'diff'")
            assert one in lines(vim)[0] and "+two" in lines(vim), lines(vim)
            vim.ex("close | Ccfc log")
            vim.until("len(Menus()) == 2")
            vim.ex("call popup_close(Menu(), 1)")
            vim.until(f"&filetype == 'diff' && getline(1) =~ '{two}'")
            vim.ex("close | Ccfc why")
            vim.until("&filetype == 'diff'")
            assert "first" in "\n".join(lines(vim))
            vim.ex("close | Ccfc restore")
            vim.until("Menu()")
            vim.ex("call popup_close(Menu(), 1)")
            vim.until("len(Menus()) == 2 && Menus()[0] == 'No'")
            vim.ex("call popup_close(Menu(), 2)")
            vim.until("line('$') == 2")
            eq(w.get("a.c"), "one\ntwo\n", "restored")
            vim.ex("Ccfc sessions")
            vim.until("len(Menus()) == 2")
            eq(vim.expr("ccfc#commands#Complete('s', 'Ccfc s', 0)"),
               ["session", "sessions", "signs"])


def test_conflicts_are_told():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as vim:
            ready(vim)
            # b writes the whole file and has never seen it.
            w.write("b", "a.c", "three\n")
            vim.until("execute('messages') =~ 'lost update'")


def test_hostile_texts():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as vim:
            ready(vim)
            w.again("a", HOSTILE)
            w.write("a", "a.c", "one\ntwo\n")
            w.write("a", "x\n| touch HURT '.c", "x\n")
            vim.until("len(g:seen) >= 2 && !empty(Signs())")
            vim.ex("call cursor(2, 1) | doautocmd CursorMoved")
            vim.until("len(Texts('ccfc_line')) == 1")
            owner = "(ccfc#marks#Owner(bufnr(), 2))"
            for text in vim.expr(f"[ccfc#marks#Short{owner}, "
                                 f"ccfc#here#Describe({owner}, 100)]"):
                assert text.isprintable() and "<CR>" in text, repr(text)
            shown = vim.expr("Texts('ccfc_line')[0][1]")
            assert "<CR> <Esc>:qa!" in shown and "^[" not in shown, shown
            for command in ("blame", "log", "diff", "why", "session"):
                # The answers to the others open windows meanwhile.
                vim.ex(f"call win_gotoid(bufwinid('a.c')) | Ccfc {command}")
            vim.until("Menu() && len(getqflist()) == 2")
            eq(vim.expr("bufname(getqflist()[1].bufnr)"),
               "x\n| touch HURT '.c", "its name is taken as it is")
            eq(vim.expr("[&textwidth, exists('b:hurt')]"), [0, 0], "options")
            w.put("x\n| touch HURT '.c", None)
            w.unhurt()


def test_files_come_and_go():
    """By another name than the session's, too."""
    need()
    with Files("a") as w:
        os.symlink(w.dir, os.path.join(w.box.top, "link"))
        with start(w, "../link/new.c") as vim:
            ready(vim)
            w.write("a", "new.c", "one\ntwo\n")
            vim.until("line('$') == 2 && Signs() == [1, 2]")
            eq(vim.expr("&modified"), 0)
            w.put("new.c", None)
            tid = w.sessions["a"].call("Bash", {"command": "rm new.c"})
            w.sessions["a"].result(tid, {"stdout": "", "stderr": "",
                                         "interrupted": False})
            vim.until("execute('messages') =~ 'deleted'")
            eq(vim.expr("line('$')"), 2, "the buffer stays")


def test_it_starts_the_daemon():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        w.box.stop()
        env = {**w.box.env}
        del w.box.env["CCFC_NO_SPAWN"]
        try:
            with start(w, "a.c") as vim:
                vim.until("Signs() == [2]")
                # One that crashed is started again.
                os.kill(w.box.json("status")["pid"], signal.SIGKILL)
                w.write("a", "a.c", "three\n")
                vim.until("getline(1) == 'three'")
        finally:
            w.box.run("stop")
            w.box.env = env


def test_neovim_passes_over_it():
    if not shutil.which("nvim"):
        raise Skip("no nvim")
    with Files("a") as w:
        done = subprocess.run(
            ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c",
             f"source {PLUGINS}/vim/plugin/ccfc.vim",
             "-c", "echo exists(':Ccfc')", "-c", "qa!"], env=w.box.env,
            cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True,
            check=False)
        eq(done.stderr.decode().strip(), "0", "no command, no error")


def test_many_at_once():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        editors = []
        try:
            for _ in range(MANY):
                editors.append(start(w, "a.c"))
            for vim in editors:
                ready(vim)
            w.write("a", "a.c", "one\ntwo\n")
            for vim in editors:
                vim.until("line('$') == 2 && Signs() == [2]")
        finally:
            for vim in editors:
                vim.kill()


if __name__ == "__main__":
    harness.main()
