-- The open files: which buffer has which path, whether the buffer is what is on
-- disk, and who wrote its lines. Only these are asked about, 100 ms after the
-- last event.
local text = require("ccfc.text")
local rpc = require("ccfc.rpc")

local uv = vim.uv or vim.loop
local M = {}

M.DEBOUNCE = 100

--[[ By the number of the buffer:
names    its path, and the path without symbolic links
stat     of the file when the buffer last had its content; nil: there was none
seen     sessions whose lines have signs, as keys
last     the last event of a change
behind   true: the file changed and the buffer has changes that are not saved
blame    the blocks of file.blame, and the lines they were about
]]
M.open = {}
local by_path = {}
local timers = {}

local function stat_of(path)
  local s = uv.fs_stat(path)
  return s and table.concat({ s.mtime.sec, s.mtime.nsec, s.size, s.ino }, " ")
end

local function is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == ""
    and vim.api.nvim_buf_get_name(buf):match("^/") ~= nil
end

local function forget(buf)
  local b = M.open[buf]
  for _, name in ipairs(b and b.names or {}) do
    by_path[name][buf] = nil
    if not next(by_path[name]) then
      by_path[name] = nil
    end
  end
  M.open[buf] = nil
  if timers[buf] then
    timers[buf]:stop()
    timers[buf]:close()
    timers[buf] = nil
  end
end

--- The buffers that show the file.
function M.of_path(path)
  local found = {}
  for buf in pairs(type(path) == "string" and by_path[path] or {}) do
    found[#found + 1] = buf
  end
  return found
end

local function add(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local b = { names = { name }, seen = {}, stat = stat_of(name) }
  local real = uv.fs_realpath(name)
  if real and real ~= name then
    b.names[2] = real
  end
  for _, path in ipairs(b.names) do
    by_path[path] = by_path[path] or {}
    by_path[path][buf] = true
  end
  M.open[buf] = b
  return b
end

--- What every question about the file has.
function M.names(buf)
  local b = M.open[buf]
  return { path = b.names[1], alternatives = { b.names[2] } }
end

-- Calls soon(buf) once, some time after the last of these calls.
local function debounce(buf, soon)
  timers[buf] = timers[buf] or uv.new_timer()
  timers[buf]:start(M.DEBOUNCE, 0, vim.schedule_wrap(function()
    if M.open[buf] and vim.api.nvim_buf_is_loaded(buf) then
      soon(buf)
    end
  end))
end

local function ask_blame(buf)
  local b = M.open[buf]
  local stat, tick = b.stat, vim.api.nvim_buf_get_changedtick(buf)
  local options = M.names(buf)
  options.by = "block"
  rpc.ask("file.blame", options, function(err, reply)
    -- Another file, or other lines, than were asked about?
    if M.open[buf] ~= b or not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    if b.stat ~= stat or stat_of(b.names[1]) ~= stat
      or vim.api.nvim_buf_get_changedtick(buf) ~= tick then
      return
    end
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    local n = reply and reply.totalLines
    -- An empty file has a line in a buffer, and none on disk.
    if err and err:match("^unreachable") then
      return
    end
    if err or (n ~= #lines and not (n == 0 and #lines == 1)) then
      b.blame = nil
    else
      b.blame = { blocks = reply.blocks, lines = lines }
    end
    require("ccfc.marks").draw(buf)
  end)
end

local function told(b, verb)
  local e = b.last
  local name = vim.fn.fnamemodify(b.names[1], ":t")
  if not e then
    return text.say(name .. " " .. verb)
  end
  local lines = ""
  if type(e.linesAdded) == "number" and type(e.linesRemoved) == "number" then
    lines = string.format(" (+%d -%d)", e.linesAdded, e.linesRemoved)
  end
  text.say(string.format("%s %s: %s by session %s%s", name, verb,
    text.line(text.known(e.tool) or "changed", 20),
    text.short(e.sessionId), lines))
end

-- Gives a clean buffer the content of the file. Neovim finds out whether that
-- is new, and does not ask, since autoread is set.
local function reload(buf, b)
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local now = stat_of(b.names[1])
  if not now then
    if b.stat then
      b.stat = nil
      told(b, "was deleted")
    end
    return
  end
  if b.stat then
    b.stat = now
    vim.cmd("silent! checktime " .. buf)
  else
    -- The file did not exist: checktime would ask.
    vim.api.nvim_buf_call(buf, function()
      vim.cmd("silent! edit")
    end)
  end
  b = M.open[buf]
  if b and vim.api.nvim_buf_get_changedtick(buf) ~= tick then
    told(b, "reloaded")
  end
end

local function wants_reload(buf)
  return require("ccfc").options.reload and vim.bo[buf].autoread
end

-- Brings the buffer and its marks up to date with the file.
local function sync(buf)
  local b = M.open[buf]
  local clean = not vim.bo[buf].modified
  if clean and wants_reload(buf) then
    reload(buf, b)
  elseif stat_of(b.names[1]) ~= b.stat then
    if not b.behind then
      b.behind = true
      require("ccfc.unsaved").notice(buf)
    end
    return
  end
  -- After a reload this function is called once more.
  if clean and M.open[buf] == b then
    ask_blame(buf)
  end
end

--- A session changed the file; `event` says so.
function M.changed(buf, event)
  local b = M.open[buf]
  if event.type == "change" and not text.known(event.withdrawn) then
    b.last = event
    if text.known(event.sessionId) then
      b.seen[event.sessionId] = true
    end
  end
  debounce(buf, sync)
end

--- The file may have changed.
function M.look(buf)
  if M.open[buf] then
    debounce(buf, sync)
  end
end

function M.refresh_all()
  for buf in pairs(M.open) do
    debounce(buf, sync)
  end
end

-- The buffer was just read from the file, or written to it.
local function arrived(buf)
  local old = M.open[buf]
  forget(buf)
  if not is_file(buf) then
    return
  end
  local b = add(buf)
  if old and old.names[1] == b.names[1] then
    -- The old owners hold for lines that stayed.
    b.seen, b.last, b.blame = old.seen, old.last, old.blame
    require("ccfc.marks").draw(buf)
  end
  if rpc.connected() then
    debounce(buf, sync)
  end
end

--- Follows all buffers from now on.
function M.watch()
  local group = vim.api.nvim_create_augroup("ccfc", { clear = true })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, {
      group = group,
      callback = function(args)
        callback(args.buf)
      end,
    })
  end
  on({ "BufReadPost", "BufNewFile", "BufWritePost", "BufFilePost",
    "FileChangedShellPost" }, arrived)
  on({ "BufUnload", "BufDelete" }, forget)
  on({ "TextChanged", "InsertLeave" }, function(buf)
    if M.open[buf] then
      require("ccfc.marks").draw_later(buf)
    end
  end)
  on({ "CursorMoved", "BufEnter" }, function(buf)
    require("ccfc.line").moved(buf)
  end)
  on({ "InsertEnter", "BufLeave" }, function(buf)
    require("ccfc.line").clear(buf)
  end)
  on({ "CursorHold" }, function(buf)
    if M.open[buf] and M.open[buf].behind then
      require("ccfc.unsaved").ask(buf)
    end
  end)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_file(buf) then
      add(buf)
    end
  end
end

return M
