#!/usr/bin/python3
"""The plugin for Neovim, in a real headless Neovim, against the real daemon
and transcripts that are being written."""
import os
import shutil
import signal

import harness
from editing import HOSTILE, Files, Nvim
from harness import Skip, eq

# What is drawn: {line = {sign, text}}, and the lines of the buffer.
LIB = """
function _G.drawn(ns)
  local out = {}
  local id = vim.api.nvim_create_namespace('ccfc_' .. ns)
  for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1,
                                                   {details = true})) do
    local d = m[4]
    out[#out + 1] = {m[2] + 1, d.virt_text and d.virt_text[1][1] or
                     d.sign_text or 'sign'}
  end
  return out
end
function _G.lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
_G.seen, _G.said, _G.asked = {}, {}, {}
vim.notify = function(m) said[#said + 1] = m end
vim.ui.select = function(items, options, done)
  local shown = vim.tbl_map(options.format_item or tostring, items)
  asked[#asked + 1] = {prompt = options.prompt, items = shown}
  _G.choose = function(n) done(items[n], n) end
end
vim.cmd([[autocmd User CcfcEvent lua
  \\ local e = require('ccfc').event
  \\ seen[#seen + 1] = {e.type, e.toolUseId or e.kind}]])
"""

# All follow one daemon at the same time.
MANY = 50 if os.environ.get("CCFC_SOAK") else 20


def need():
    if not shutil.which("nvim"):
        raise Skip("no nvim")


def start(world, name, **more):
    nvim = Nvim(world, world.path(name), **more)
    nvim.lua(LIB)
    return nvim


def ready(nvim):
    """Subscribed, and the first answers are there."""
    nvim.until("require('ccfc').clock")


def test_buffer_signs_and_texts_follow():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\ntwo\n")
        w.again("a", "add a third line")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as nvim:
            nvim.until("#drawn('signs') == 1")
            eq(nvim.lua("return drawn('signs')[1][1]"), 3, "signed line")
            text = nvim.lua("return drawn('texts')[1][2]")
            assert w.id("a")[:8] in text and "third line" in text, text
            w.again("b", "rename the first")
            tid = w.write("b", "a.c", "uno\ntwo\nthree\nfour\n")
            nvim.until("lines()[1] == 'uno' and #drawn('signs') == 3")
            eq(nvim.lua("return lines()"), ["uno", "two", "three", "four"])
            eq([row[0] for row in nvim.lua("return drawn('signs')")],
               [1, 3, 4], "lines of both sessions")
            assert ["change", tid] in nvim.lua("return seen"), "no event"
            said = nvim.lua("return said")
            assert any("reloaded" in s and w.id("b")[:8] in s
                       for s in said), said


def test_the_line_under_the_cursor():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as nvim:
            nvim.until("#drawn('signs') == 2")
            nvim.lua("vim.api.nvim_win_set_cursor(0, {2, 0}) "
                     "require('ccfc.line').moved(0 + vim.fn.bufnr())")
            nvim.until("#drawn('line') == 1")
            (line, text), = nvim.lua("return drawn('line')")
            eq(line, 2)
            assert "opus-4-5" in text and "more numbers" in text, text
            eq(nvim.lua("return drawn('texts')"), [], "one text on a line")
            # A line that the user changes has no owner any more.
            nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, {'mine', "
                     "'new'}) require('ccfc.marks').draw_later(1)")
            nvim.until("#drawn('signs') == 1")
            eq(nvim.lua("return drawn('signs')[1][1]"), 4, "three moved")
            nvim.until("#drawn('line') == 0")


def test_gutter():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.again("a", "more numbers")
        w.write("a", "a.c", "one\ntwo\nthree\n")
        with start(w, "a.c") as nvim:
            nvim.until("#drawn('signs') == 2")
            nvim.lua("vim.cmd('Ccfc blame') vim.cmd('wincmd h')")
            lines = nvim.lua("return lines()")
            eq(len(lines), 3)
            assert lines[0].startswith("not by a session"), lines
            assert lines[1].startswith(w.id("a")[:8]), lines
            eq(lines[2], "│")
            nvim.lua("vim.cmd('wincmd l') vim.cmd('Ccfc blame')")
            eq(nvim.lua("return #vim.api.nvim_list_wins()"), 1, "closed")


def test_unsaved_changes_are_asked_about():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as nvim:
            ready(nvim)
            nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, {'mine'})")
            w.write("a", "a.c", "theirs\n")
            nvim.until("#said > 0")
            eq(nvim.lua("return {lines(), #asked}"), [["mine"], 0],
               "nothing is asked while somebody types")
            said = nvim.lua("return said[1]")
            assert "not saved" in said and w.id("a")[:8] in said, said
            nvim.lua("vim.cmd('doautocmd <nomodeline> CursorHold')")
            eq(nvim.lua("return #asked[1].items"), 3, "choices")
            nvim.lua("choose(1)")
            eq(nvim.lua("return {lines(), vim.wo.diff, "
                        "#vim.api.nvim_list_wins()}"),
               [["theirs"], True, 2], "the diff")
            nvim.lua("vim.cmd('close') vim.cmd('Ccfc changed') choose(2)")
            nvim.until("lines()[1] == 'theirs'")
            eq(nvim.lua("return vim.bo.modified"), False, "loaded")


def test_a_restart_loses_no_event():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "0\n")
        with start(w, "a.c") as nvim:
            ready(nvim)
            want = [w.write("a", "a.c", "1\n")]
            nvim.until("#seen == 1")
            w.box.stop()
            want += [w.write("a", f"{n}.c", "x\n") for n in range(3)]
            want.append(w.write("a", "a.c", "2\n"))
            w.box.start()
            want.append(w.write("a", "a.c", "3\n"))
            nvim.until("#seen >= 6 and lines()[1] == '3'")
            eq([tid for _, tid in nvim.lua("return seen")], want)
            w.box.restart(hard=True)
            want.append(w.write("a", "a.c", "4\n"))
            nvim.until("#seen >= 7 and lines()[1] == '4'")
            eq([tid for _, tid in nvim.lua("return seen")], want)


def test_files_come_and_go():
    """By another name than the session's, too."""
    need()
    with Files("a") as w:
        os.symlink(w.dir, os.path.join(w.box.top, "link"))
        with Nvim(w, os.path.join(w.box.top, "link", "new.c")) as nvim:
            nvim.lua(LIB)
            ready(nvim)
            w.write("a", "new.c", "one\ntwo\n")
            nvim.until("#lines() == 2 and #drawn('signs') == 2")
            eq(nvim.lua("return vim.bo.modified"), False)
            w.put("new.c", None)
            tid = w.sessions["a"].call("Bash", {"command": "rm new.c"})
            w.sessions["a"].result(tid, {"stdout": "", "stderr": "",
                                         "interrupted": False})
            nvim.until("table.concat(said):find('deleted')")
            eq(nvim.lua("return #lines()"), 2, "the buffer stays")


def test_it_starts_the_daemon():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        w.box.stop()
        env = {**w.box.env}
        del w.box.env["CCFC_NO_SPAWN"]
        path = w.box.ccfc.rpartition("/")[0] + ":" + env["PATH"]
        try:
            with start(w, "a.c", env={"PATH": path}) as nvim:
                nvim.until("#drawn('signs') == 1")
                # One that crashed is started again.
                os.kill(w.box.json("status")["pid"], signal.SIGKILL)
                w.write("a", "a.c", "three\n")
                nvim.until("lines()[1] == 'three'")
        finally:
            w.box.run("stop")
            w.box.env = env


def test_commands():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.again("a", "first")
        one = w.write("a", "a.c", "one\ntwo\n")
        w.write("a", "b.c", "b\n")
        two = w.write("b", "a.c", "one\ntwo\nthree\n")
        env = {"PATH": w.box.ccfc.rpartition("/")[0] + ":/usr/bin:/bin"}
        with start(w, "a.c", env=env) as nvim:
            nvim.until("#drawn('signs') == 1")
            nvim.lua("vim.api.nvim_win_set_cursor(0, {2, 0}) "
                     "vim.cmd('Ccfc session')")
            nvim.until("#vim.fn.getqflist() == 2")
            eq(nvim.lua("return vim.tbl_map(function(q) return "
                        "vim.fn.bufname(q.bufnr) end, vim.fn.getqflist())"),
               ["a.c", "b.c"], "files of the line's session")
            nvim.lua("vim.cmd('cclose') vim.cmd('Ccfc diff')")
            nvim.until("vim.bo.filetype == 'diff'")
            lines = nvim.lua("return lines()")
            assert one in lines[0] and "+two" in lines, lines
            nvim.lua("vim.cmd('close') vim.cmd('Ccfc log')")
            nvim.until("#asked == 1")
            eq(len(nvim.lua("return asked[1].items")), 2, "steps")
            nvim.lua("choose(1)")
            nvim.until("vim.bo.filetype == 'diff' and lines()[1]:find(...)",
                       two)
            nvim.lua("vim.cmd('close') vim.cmd('Ccfc why')")
            nvim.until("vim.bo.filetype == 'diff'")
            assert "first" in "\n".join(nvim.lua("return lines()"))
            nvim.lua("vim.cmd('close') vim.cmd('Ccfc restore')")
            nvim.until("#asked == 2")
            nvim.lua("choose(1)")
            nvim.until("#asked == 3")
            nvim.lua("choose(2)")
            nvim.until("#lines() == 2")
            eq(w.get("a.c"), "one\ntwo\n", "restored")
            nvim.lua("vim.cmd('Ccfc sessions')")
            nvim.until("#asked == 4")
            eq(len(nvim.lua("return asked[4].items")), 2, "sessions")
            eq(nvim.lua("return require('ccfc.commands').complete('s', "
                        "'Ccfc s')"), ["session", "sessions", "signs"])


def test_conflicts_are_told():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        w.write("a", "a.c", "one\ntwo\n")
        with start(w, "a.c") as nvim:
            ready(nvim)
            # b writes the whole file and has never seen it.
            w.write("b", "a.c", "three\n")
            nvim.until("vim.tbl_filter(function(s) return s:find('lost update')"
                       " end, said)[1]")


def flat(value):
    """All texts in lists of lists."""
    if isinstance(value, str):
        return [value]
    return [t for v in value for t in flat(v)] if isinstance(value, list) \
        else []


def test_hostile_texts():
    need()
    with Files("a", "b") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as nvim:
            ready(nvim)
            before = nvim.lua("return vim.o.columns")
            w.again("a", HOSTILE)
            w.write("a", "a.c", "one\n" + HOSTILE.replace("\r", "") + "\n")
            w.write("a", "x\n| touch HURT '.c", "x\n")
            nvim.until("#seen >= 2 and #drawn('signs') > 0")
            nvim.lua("vim.api.nvim_win_set_cursor(0, {2, 0}) "
                     "require('ccfc.line').moved(vim.fn.bufnr())")
            nvim.until("#drawn('line') == 1")
            texts = nvim.lua("return {drawn('line')[1][2], drawn('texts'), "
                             "said}")
            for text in flat(texts):
                assert text.isprintable(), repr(text)
            for command in ("blame", "log", "diff", "why", "session"):
                # The answers to the others open windows meanwhile.
                nvim.lua("vim.api.nvim_set_current_win(1000) "
                         "vim.cmd('Ccfc ' .. ...)", command)
            nvim.until("#asked > 0 and #vim.fn.getqflist() == 2")
            eq(nvim.lua("return vim.fn.bufname(vim.fn.getqflist()[2].bufnr)"),
               "x\n| touch HURT '.c", "its name is taken as it is")
            eq(nvim.lua("return {vim.o.columns, vim.o.textwidth}"),
               [before, 0], "options")
            w.put("x\n| touch HURT '.c", None)
            w.unhurt()


def test_many_at_once():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        editors = []
        try:
            for _ in range(MANY):
                editors.append(start(w, "a.c"))
            for nvim in editors:
                ready(nvim)
            w.write("a", "a.c", "one\ntwo\n")
            for nvim in editors:
                nvim.until("#lines() == 2 and #drawn('signs') == 1")
        finally:
            for nvim in editors:
                nvim.process.kill()
                nvim.process.wait()


def test_health_and_help():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        env = {"PATH": w.box.ccfc.rpartition("/")[0] + ":/usr/bin:/bin"}
        with start(w, "a.c", env=env) as nvim:
            ready(nvim)
            nvim.lua("vim.cmd('checkhealth ccfc')")
            text = "\n".join(nvim.lua("return lines()"))
            assert "ERROR" not in text and "connected to" in text, text
            nvim.lua("vim.cmd('help :Ccfc')")
            assert nvim.lua("return vim.fn.expand('%:t')") == "ccfc.txt"


if __name__ == "__main__":
    harness.main()
