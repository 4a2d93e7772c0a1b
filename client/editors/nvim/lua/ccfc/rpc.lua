-- The connection to the daemon: msgpack-RPC on its socket (PROTOCOL.md).
--
-- Neovim's own channel (sockconnect() with rpc) cannot ask without waiting for
-- the answer, and runs whatever the peer sends. So the bytes go through a pipe
-- of libuv, and vim.mpack takes them apart: questions have callbacks, and what
-- comes in is data.
local text = require("ccfc.text")

local uv = vim.uv or vim.loop
local M = {}

M.FIRST_WAIT = 200 -- milliseconds until the first new attempt
M.LAST_WAIT = 10000
M.on_connect = function() end
M.on_event = function() end

local pipe -- nil: not connected
local connecting, starting, ended = false, false, false
local started = false -- once a daemon was there, or was to be started
local tried = false -- a daemon was started just now
local wait = M.FIRST_WAIT
local timer
local waiting = {} -- callbacks by the number of their request
local next_id = 1
M.status = "not connected yet"

function M.socket()
  local env = vim.env
  local function under(dir, tail)
    return dir and dir ~= "" and dir .. tail or nil
  end
  return under(env.CCFC_SOCKET, "")
    or under(env.CCFC_STATE_DIR, "/ccfc.sock")
    or under(env.XDG_RUNTIME_DIR, "/ccfc/ccfc.sock")
    or under(env.XDG_STATE_HOME, "/ccfc/ccfc.sock")
    or uv.os_homedir() .. "/.local/state/ccfc/ccfc.sock"
end

function M.connected()
  return pipe ~= nil
end

local function again()
  if ended or timer then
    return
  end
  timer = vim.defer_fn(function()
    timer = nil
    M.connect()
  end, wait)
  wait = math.min(wait * 2, M.LAST_WAIT)
end

-- The connection is gone: nobody will answer any more.
local function lost(why)
  local old, left = pipe, waiting
  pipe, waiting = nil, {}
  M.status = why
  if old and not old:is_closing() then
    old:close()
  end
  for _, callback in pairs(left) do
    callback("unreachable: " .. why)
  end
  again()
end

local function take(message)
  if type(message) ~= "table" then
    return lost("the daemon sent what is no message")
  end
  if message[1] == 2 and message[2] == "event" then
    M.on_event(message[3][1])
  elseif message[1] == 1 and waiting[message[2]] then
    local callback = waiting[message[2]]
    waiting[message[2]] = nil
    callback(text.known(message[3]), text.known(message[4]))
  end
end

-- Puts messages together from pieces; runs in libuv's callback.
local function reader(mine)
  local unpack = vim.mpack.Unpacker()
  local ready, scheduled = {}, false
  local function deliver()
    local messages = ready
    ready, scheduled = {}, false
    for _, message in ipairs(messages) do
      if pipe ~= mine then
        return
      end
      -- A message that fails does not keep the others away.
      local ok, why = pcall(take, message)
      if not ok then
        text.warn(tostring(why))
      end
    end
  end
  local function later()
    if not scheduled then
      scheduled = true
      vim.schedule(deliver)
    end
  end
  return function(err, data)
    if err or not data then
      vim.schedule(function()
        deliver()
        if pipe == mine then
          lost(err or "the daemon has ended")
        end
      end)
      return
    end
    local at = 1
    while at <= #data do
      local ok, message, after = pcall(unpack, data, at)
      if not ok then
        mine:read_stop()
        ready[#ready + 1] = false
        break
      end
      at = after
      if message ~= nil then
        ready[#ready + 1] = message
      end
    end
    later()
  end
end

-- Only a socket of this user is connected to.
local function is_own(path)
  local stat = uv.fs_stat(path)
  return not stat or stat.uid == uv.getuid()
end

-- Runs "ccfc start", then connects once more.
local function start_daemon()
  if starting or vim.env.CCFC_NO_SPAWN
    or vim.fn.executable("ccfc") == 0 then
    return again()
  end
  starting, started = true, true
  local ok = pcall(vim.fn.jobstart, { "ccfc", "start" }, {
    stdin = "null",
    on_exit = function(_, code)
      starting, tried = false, true
      if code == 0 then
        M.connect()
      else
        again()
      end
    end,
  })
  if not ok then
    starting = false
    again()
  end
end

-- A stopped daemon has removed its socket and stays stopped; a crashed daemon
-- has left its socket, and is started again.
local function refused(err)
  M.status = "no daemon: " .. err
  local start = not started or err:find("ECONNREFUSED", 1, true)
  if start and not tried then
    return start_daemon()
  end
  tried = false
  again()
end

function M.connect()
  if pipe or connecting or starting or ended then
    return
  end
  local path = M.socket()
  if not is_own(path) then
    M.status = path .. " belongs to somebody else"
    return again()
  end
  local mine = uv.new_pipe(false)
  connecting = true
  local function connected(err)
    connecting = false
    if err then
      mine:close()
      return refused(err)
    end
    pipe, started, tried, wait = mine, true, false, M.FIRST_WAIT
    M.status = "connected to " .. path
    mine:read_start(reader(mine))
    M.on_connect()
  end
  local ok, err = pcall(mine.connect, mine, path,
    vim.schedule_wrap(connected))
  if not ok then
    connecting = false
    mine:close()
    M.status = tostring(err)
    again()
  end
end

--- Connects now, and starts a daemon if there is none: a command was given.
function M.wake()
  started, wait = false, M.FIRST_WAIT
  M.connect()
end

--- callback(error, result), later; error is the text of PROTOCOL.md.
function M.ask(method, options, callback)
  if not pipe then
    return vim.schedule(function()
      callback("unreachable: " .. M.status)
    end)
  end
  local id = next_id
  next_id = next_id % 0xffffffff + 1
  waiting[id] = callback
  pipe:write(vim.mpack.encode({ 0, id, method, { options } }))
end

--- Neovim ends.
function M.close()
  ended = true
  if pipe and not pipe:is_closing() then
    pipe:close()
  end
  pipe = nil
end

return M
