-- Who wrote the line under the cursor, and for which prompt, behind the line.
local text = require("ccfc.text")
local marks = require("ccfc.marks")

local M = {}

M.DELAY = 150 -- milliseconds after the last move

local space = vim.api.nvim_create_namespace("ccfc_line")
local timer
local hidden = {} -- short texts that a text of the current line hides
M.space = space

--- Takes the text away, and puts back the short text of the line.
function M.clear(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    hidden[buf] = nil
    return
  end
  local shown = vim.api.nvim_buf_get_extmarks(buf, space, 0, -1, {})[1]
  if shown and hidden[buf] then
    vim.api.nvim_buf_set_extmark(buf, marks.texts, shown[2], 0, {
      virt_text = hidden[buf], hl_mode = "combine" })
  end
  hidden[buf] = nil
  vim.api.nvim_buf_clear_namespace(buf, space, 0, -1)
end

--- One line about an owner, for at most `width` columns.
function M.describe(block, width)
  if block.kind ~= "session" then
    local what = block.kind == "outside" and "not by a session"
      or "origin unknown"
    local to, from = text.time(block.to), text.time(block.from)
    if to ~= "" then
      what = what .. ", before " .. to
    elseif from ~= "" then
      what = what .. ", after " .. from
    end
    return text.line(what, width)
  end
  local parts = { text.short(block.sessionId), text.model(block.model),
    text.time(block.timestamp) }
  return text.line(table.concat(parts, " ") .. " · "
    .. text.line(block.prompt), width)
end

local function show()
  local buf = vim.api.nvim_get_current_buf()
  M.clear(buf)
  if vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local block = marks.owner(buf, row)
  if not block then
    return
  end
  local short = vim.api.nvim_buf_get_extmarks(buf, marks.texts,
    { row - 1, 0 }, { row - 1, -1 }, { details = true })[1]
  if short then
    hidden[buf] = short[4].virt_text
    vim.api.nvim_buf_del_extmark(buf, marks.texts, short[1])
  end
  vim.api.nvim_buf_set_extmark(buf, space, row - 1, 0, {
    virt_text = { { "  " .. M.describe(block, 100), "CcfcLine" } },
    hl_mode = "combine" })
end

--- The cursor moved, or the owners changed.
function M.moved(buf)
  if not require("ccfc").options.line
    or not require("ccfc.buffers").open[buf] then
    return
  end
  timer = timer or (vim.uv or vim.loop).new_timer()
  timer:start(M.DELAY, 0, vim.schedule_wrap(show))
end

function M.toggle()
  local options = require("ccfc").options
  options.line = not options.line
  local buf = vim.api.nvim_get_current_buf()
  M.clear(buf)
  M.moved(buf)
end

return M
