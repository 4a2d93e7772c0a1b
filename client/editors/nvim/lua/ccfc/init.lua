-- ccfc in Neovim: follows the daemon's events and keeps the buffers up to date.
-- The events after a lost connection are asked for by the clock of the last
-- one, so none is missed or seen twice.
local text = require("ccfc.text")
local rpc = require("ccfc.rpc")

local M = {}

-- vim.g.ccfc, or setup(), may turn parts off.
M.options = { reload = true, signs = true, text = true, line = true }
M.event = nil -- the last event, for "autocmd User CcfcEvent"
M.clock = nil

local running = false

local function announce(event)
  M.event = event
  vim.api.nvim_exec_autocmds("User", {
    pattern = "CcfcEvent", modeline = false })
end

local function conflict(event)
  if text.known(event.withdrawn) then
    return
  end
  local other = text.known(event.otherSessionId)
  text.warn(string.format("%s: %s: session %s and %s",
    vim.fn.fnamemodify(text.line(event.path), ":t"),
    text.line(event.kind):gsub("_", " "),
    text.short(event.sessionId),
    other and "session " .. text.short(other)
      or "somebody outside of sessions"))
end

local function take(event)
  local buffers = require("ccfc.buffers")
  if type(event) ~= "table" then
    return
  end
  if event.type == "resync" then
    return M.catch_up()
  end
  if event.type ~= "early" then
    M.clock = event.clock
  end
  local open = buffers.of_path(event.path)
  if event.type == "forgotten" then
    buffers.refresh_all()
  elseif event.type == "conflict" then
    if #open > 0 then
      conflict(event)
    end
  else
    for _, buf in ipairs(open) do
      buffers.changed(buf, event)
    end
  end
  announce(event)
end

local function take_reply(reply)
  for _, event in ipairs(text.known(reply.events) or {}) do
    take(event)
  end
  M.clock = reply.clock
end

-- Events that were dropped because Neovim was busy.
function M.catch_up()
  rpc.ask("events.since", { clock = M.clock, states = { "applied" } },
    function(err, reply)
      if err then
        return
      end
      take_reply(reply)
      if reply.fresh == true then
        require("ccfc.buffers").refresh_all()
      end
    end)
end

local function subscribe()
  local options = { states = { "applied" }, since = M.clock }
  rpc.ask("events.subscribe", options, function(err, reply)
    if err then
      -- The next connection may be to a daemon that can.
      return
    end
    take_reply(reply)
    require("ccfc.buffers").refresh_all()
  end)
end

function M.setup(options)
  M.options = vim.tbl_extend("force", M.options, options or {})
end

--- Called with the first file; does nothing the second time.
function M.start()
  if running then
    return
  end
  running = true
  if type(vim.g.ccfc) == "table" then
    M.setup(vim.g.ccfc)
  end
  require("ccfc.marks").highlights()
  require("ccfc.buffers").watch()
  rpc.on_connect = subscribe
  rpc.on_event = take
  vim.api.nvim_create_autocmd("VimLeavePre", { callback = rpc.close })
  rpc.connect()
end

return M
