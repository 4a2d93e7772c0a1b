-- :checkhealth ccfc
local rpc = require("ccfc.rpc")
local text = require("ccfc.text")

local M = {}

function M.check()
  local health = vim.health or require("health")
  local start = health.start or health.report_start
  local ok = health.ok or health.report_ok
  local warn = health.warn or health.report_warn
  local error = health.error or health.report_error

  start("ccfc")
  if vim.mpack and vim.mpack.Unpacker and vim.diff then
    ok("this Neovim has all that is needed")
  else
    error("this Neovim is too old: 0.7 is needed")
  end
  if vim.fn.executable("ccfc") == 1 then
    ok("ccfc: " .. text.line(vim.fn.exepath("ccfc"), 200))
  else
    error("the command ccfc is not in PATH",
      { "install ccfc, or add its directory to PATH" })
  end
  require("ccfc").start()
  vim.wait(5000, rpc.connected, 20)
  if not rpc.connected() then
    return warn(text.line(rpc.status, 200), { "run: ccfc doctor" })
  end
  ok(text.line(rpc.status, 200))
  local done
  rpc.ask("server.info", {}, function(err, info)
    done = true
    if err then
      return warn(text.line(err, 200))
    end
    ok("the daemon is version " .. text.line(info.version, 40))
  end)
  vim.wait(5000, function()
    return done
  end, 20)
end

return M
