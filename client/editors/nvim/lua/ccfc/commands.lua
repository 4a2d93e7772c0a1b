-- :Ccfc NAME …, all without waiting: each asks, and shows the answer when it
-- is there.
local text = require("ccfc.text")
local rpc = require("ccfc.rpc")
local view = require("ccfc.view")

local M = {}
local commands = {}

-- The current buffer if it is a file, else nil and a message.
local function file()
  require("ccfc").start()
  local buf = vim.api.nvim_get_current_buf()
  if require("ccfc.buffers").open[buf] then
    return buf
  end
  text.warn("this buffer is not a file")
  return nil
end

local function ask(method, options, callback)
  local function answer(err, reply)
    if err then
      return view.complain(err)
    end
    callback(reply)
  end
  if rpc.connected() then
    return rpc.ask(method, options, answer)
  end
  -- A daemon may have to be started first: it has ten seconds.
  rpc.wake()
  local left = 100
  local function try()
    left = left - 1
    if rpc.connected() or left == 0 then
      return rpc.ask(method, options, answer)
    end
    vim.defer_fn(try, 100)
  end
  try()
end

local function owner_here(buf)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local block, line = require("ccfc.marks").owner(buf, row)
  if block and block.kind == "session" then
    return block, line
  end
  return nil, line
end

-- The last change of the file; callback(step).
local function last_change(buf, callback)
  local options = require("ccfc.buffers").names(buf)
  options.limit = 50
  ask("file.log", options, function(reply)
    for _, step in ipairs(reply.steps) do
      if step.kind == "change" then
        return callback(step)
      end
    end
    text.warn("no session changed this file, as far as is known")
  end)
end

-- Calls act(id) with the given id, or else with the field `key` of the line's
-- change, or else of the file's last change.
local function with_id(args, key, act)
  if args[1] then
    return act(args[1])
  end
  local buf = file()
  local block = buf and owner_here(buf)
  if block then
    act(block[key])
  elseif buf then
    last_change(buf, function(step)
      act(step[key])
    end)
  end
end

-- Runs the command "ccfc"; callback(its output), unless it fails.
local function run(args, callback)
  view.run(args, function(code, out, err)
    if code ~= 0 then
      return view.complain(err)
    end
    callback(out)
  end)
end

-- A row of a picker.
local function row_text(format, ...)
  return text.line(string.format(format, ...),
    math.max(40, vim.o.columns - 8))
end

local function show_change(id)
  ask("change.get", { change = id }, function(change)
    local diff = text.known(change.diff)
    local head = {
      "# " .. text.line(change.changeId),
      "# session " .. text.line(change.sessionId) .. ", "
        .. text.line(change.tool) .. ", "
        .. text.time(change.timestamp),
      "# " .. text.line(change.promptFull, 500),
    }
    local lines = vim.split(diff or "# the content is not known", "\n",
      { plain = true })
    view.show("diff/" .. id, vim.list_extend(head, lines), "diff")
  end)
end

--- The change of a line of the buffer.
function M.diff_line(buf, row)
  local block = require("ccfc.marks").owner(buf, row)
  if not block or block.kind ~= "session" then
    return text.say("no session wrote this line, as far as is known")
  end
  show_change(block.changeId)
end

function commands.diff(args)
  with_id(args, "changeId", show_change)
end

local function step_text(step)
  local lines = ""
  if type(step.linesAdded) == "number"
    and type(step.linesRemoved) == "number" then
    lines = string.format("+%d -%d", step.linesAdded, step.linesRemoved)
  end
  local when = text.known(step.timestamp) or text.known(step.to)
    or text.known(step.from)
  return row_text("%-16s %-8s %-8s %-8s %s", text.time(when),
    text.line(step.kind == "change" and step.tool or step.kind),
    text.short(step.sessionId), lines, text.line(step.prompt))
end

-- A picker over the file's history; callback(step).
local function pick_step(prompt, only_changes, callback)
  local buf = file()
  if not buf then
    return
  end
  local options = require("ccfc.buffers").names(buf)
  options.limit = 200
  ask("file.log", options, function(reply)
    local steps = vim.tbl_filter(function(step)
      return not only_changes or text.known(step.changeId) ~= nil
    end, reply.steps)
    vim.ui.select(steps, { prompt = prompt, format_item = step_text },
      function(step)
        if step then
          callback(step, buf)
        end
      end)
  end)
end

function commands.log()
  pick_step("History, newest first:", false, function(step)
    if text.known(step.changeId) then
      show_change(step.changeId)
    else
      text.say("no change of a session: " .. text.line(step.kind))
    end
  end)
end

-- Shows what "ccfc restore" would do, then asks.
local function restore(buf, point)
  local path = vim.api.nvim_buf_get_name(buf)
  local args = { "restore", path, "--at=" .. point, "--color=never" }
  local dry = vim.list_extend({ "--no-pager" }, args)
  dry[#dry + 1] = "--dry-run"
  run(dry, function(out)
    local shown = view.show("restore", out, "diff")
    vim.ui.select({ "No", "Yes, restore" }, {
      prompt = "Restore " .. text.line(vim.fn.fnamemodify(path, ":t"))
        .. " as shown?",
    }, function(choice)
      pcall(vim.api.nvim_buf_delete, shown, { force = true })
      if choice ~= "Yes, restore" then
        return
      end
      run(args, function()
        text.say("restored; ccfc restore --undo brings it back")
        require("ccfc.buffers").look(buf)
      end)
    end)
  end)
end

function commands.restore(args)
  local buf = file()
  if not buf then
    return
  end
  if vim.bo[buf].modified then
    return text.warn("the buffer has changes that are not saved")
  end
  if args[1] then
    return restore(buf, args[1])
  end
  pick_step("Restore the file as it was before:", true, function(step)
    restore(buf, "before:" .. step.changeId)
  end)
end

function commands.why()
  local buf = file()
  if not buf then
    return
  end
  local _, line = owner_here(buf)
  if not line then
    return text.warn("not known: this line is not saved, or no session "
      .. "changed the file")
  end
  local path = vim.api.nvim_buf_get_name(buf)
  run({ "why", path .. ":" .. line, "--color=never", "--no-pager" },
    function(out)
      view.show("why", out, "diff")
    end)
end

local function session_files(id)
  ask("session.files", { session = id, includeChanges = false },
    function(reply)
      local items = {}
      for _, f in ipairs(reply.files) do
        items[#items + 1] = { filename = f.path, lnum = 1,
          text = text.line(string.format("%d changes, +%s -%s",
            f.changeCount or 0, text.line(f.linesAdded),
            text.line(f.linesRemoved)), 200) }
      end
      vim.fn.setqflist({}, " ", { items = items,
        title = "ccfc: files of session "
          .. text.short(reply.sessionId) })
      vim.cmd("botright copen")
    end)
end

function commands.session(args)
  with_id(args, "sessionId", session_files)
end

function commands.sessions()
  require("ccfc").start()
  ask("session.list", { here = vim.fn.getcwd() }, function(reply)
    vim.ui.select(reply.sessions, {
      prompt = "Files of which session?",
      format_item = function(s)
        return row_text("%-16s %s  %s", text.time(s.endTime),
          text.short(s.sessionId),
          text.line(text.known(s.title) or s.firstPrompt))
      end,
    }, function(s)
      if s then
        session_files(s.sessionId)
      end
    end)
  end)
end

function commands.blame()
  if file() then
    require("ccfc.gutter").toggle()
  end
end

function commands.line()
  require("ccfc").start()
  require("ccfc.line").toggle()
end

function commands.signs()
  require("ccfc").start()
  local options = require("ccfc").options
  local on = not options.signs
  options.signs, options.text = on, on
  for buf in pairs(require("ccfc.buffers").open) do
    require("ccfc.marks").draw(buf)
  end
end

function commands.changed()
  local buf = file()
  if buf then
    require("ccfc.unsaved").ask(buf)
  end
end

function M.run(args)
  local name = table.remove(args, 1)
  if commands[name] then
    return commands[name](args)
  end
  if name then
    return text.warn("no command " .. name)
  end
  vim.ui.select(M.complete("", "Ccfc "), { prompt = "ccfc:" },
    function(choice)
      if choice then
        commands[choice]({})
      end
    end)
end

function M.complete(lead, line)
  if not line:match("^%s*%S+%s+%S*$") then
    return {}
  end
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(commands))
  table.sort(names)
  return names
end

return M
