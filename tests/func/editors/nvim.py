"""Stock Neovim speaks to the daemon with nothing but its own RPC."""
import json
import os
import shutil
import subprocess

import harness
from harness import Box, Skip, eq
from transcript import Ids, Transcript

P = "/home/dev/p"

SCRIPT = r"""
local sock, path, trigger, out, limit = unpack(vim.fn.json_decode(vim.env.CCFC_ARGS))
_G.ccfc_event = nil
local ch = vim.fn.sockconnect('pipe', sock, { rpc = true })
local history = vim.rpcrequest(ch, 'file.sessions', { path = path })
local sub = vim.rpcrequest(ch, 'events.subscribe', {
  notify = { method = 'nvim_exec_lua',
             args = { 'ccfc_event = ...', } },
})
local ok, why = pcall(vim.rpcrequest, ch, 'file.sessions',
                      { path = path, limit = 0 })
vim.fn.writefile({ 'now' }, trigger)
vim.wait(limit, function() return ccfc_event ~= nil end, 10)
vim.fn.writefile({ vim.fn.json_encode({
  history = history, sub = sub, event = ccfc_event, ok = ok,
  why = tostring(why) }) }, out)
vim.cmd('qa!')
"""


def test_neovim_asks_and_is_told():
    nvim = shutil.which("nvim")
    if not nvim:
        raise Skip("no nvim")
    with Box() as box:
        box.start()
        t = Transcript(box, Ids())
        t.prompt()
        one = t.write(P + "/a.c")
        script = os.path.join(box.top, "t.lua")
        trigger = os.path.join(box.top, "trigger")
        out = os.path.join(box.top, "out.json")
        with open(script, "w", encoding="utf-8") as f:
            f.write(SCRIPT)
        os.mkfifo(trigger)
        args = json.dumps([box.socket, P + "/a.c", trigger, out,
                           int(harness.LIMIT * 1000)])
        process = subprocess.Popen(
            [nvim, "--headless", "--clean", "-c", f"luafile {script}",
             "-c", "qa!"],
            env={**box.env, "CCFC_ARGS": args}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=box.top)
        with open(trigger, encoding="ascii") as f:
            f.read()
        two = t.edit(P + "/a.c")
        said = process.communicate(timeout=harness.LIMIT)[0].decode()
        assert os.path.exists(out), f"nvim: {said}"
        with open(out, encoding="utf-8") as f:
            got = json.load(f)
        eq(got["history"]["totalChanges"], 1)
        change = got["history"]["sessions"][0]["changes"][0]
        eq(change["toolUseId"], one)
        assert got["sub"]["subscription"] is not None
        eq((got["event"]["type"], got["event"]["toolUseId"],
            got["event"]["path"]), ("change", two, P + "/a.c"))
        eq(got["ok"], False, "a bad option")
        assert "limit" in got["why"], got["why"]


if __name__ == "__main__":
    harness.main()
