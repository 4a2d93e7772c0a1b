-- Signs and short texts at the lines of the last sessions, and the way from a
-- line of the buffer to its owner.
--
-- Owners are those of the file on disk. A line that was edited or added since
-- has none: the lines of both are compared, as in a diff.
local text = require("ccfc.text")

local M = {}

M.MOST_SIGNS = 10000 -- in a buffer
M.TEXT_WIDTH = 60

local signs = vim.api.nvim_create_namespace("ccfc_signs")
local texts = vim.api.nvim_create_namespace("ccfc_texts")
M.signs, M.texts = signs, texts

function M.highlights()
  local function link(name, to)
    vim.api.nvim_set_hl(0, name, { default = true, link = to })
  end
  link("CcfcSign", "DiagnosticSignInfo")
  link("CcfcText", "Comment")
  link("CcfcLine", "Comment")
end

local function same_lines(old, new)
  if #old ~= #new then
    return false
  end
  for i = 1, #old do
    if old[i] ~= new[i] then
      return false
    end
  end
  return true
end

-- For each line of the buffer its line in the blame, or nil.
local function compare(old, new)
  local map, at = {}, 1
  local hunks = vim.diff(table.concat(old, "\n") .. "\n",
    table.concat(new, "\n") .. "\n", { result_type = "indices" })
  local function keep(from, upto)
    for i = from, upto do
      map[i + (at - from)] = i
    end
    at = at + math.max(0, upto - from + 1)
  end
  local from = 1
  for _, h in ipairs(hunks) do
    local start, count, nstart, ncount = unpack(h)
    -- A hunk without lines stands behind its line.
    keep(from, count == 0 and start or start - 1)
    from = (count == 0 and start + 1 or start + count)
    at = (ncount == 0 and nstart + 1 or nstart + ncount)
  end
  keep(from, #old)
  return map
end

--- The blame, with `same` if its lines are the buffer's, else with `map`, the
--- line in the blame of each line of the buffer; nil: there is no blame.
function M.map(buf)
  local b = require("ccfc.buffers").open[buf]
  if not b or not b.blame then
    return nil
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local blame = b.blame
  if blame.tick ~= tick then
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    blame.same = same_lines(blame.lines, lines)
    blame.map = not blame.same and compare(blame.lines, lines) or nil
    blame.tick = tick
  end
  return blame
end

local function block_of(blocks, line)
  local low, high = 1, #blocks
  while low <= high do
    local mid = math.floor((low + high) / 2)
    if line < blocks[mid].start then
      high = mid - 1
    elseif line > blocks[mid]["end"] then
      low = mid + 1
    else
      return blocks[mid]
    end
  end
  return nil
end

--- The block of a line of the buffer (from 1) and its line there, or nil.
function M.owner(buf, line)
  local blame = M.map(buf)
  if not blame then
    return nil
  end
  local there = blame.same and line or blame.map and blame.map[line]
  if not there then
    return nil
  end
  return block_of(blame.blocks, there), there
end

-- The session that wrote last when the file was opened, and those that wrote
-- since.
local function recent(b)
  local last
  for _, block in ipairs(b.blame.blocks) do
    if block.kind == "session" and text.known(block.timestamp)
      and (not last or block.timestamp > last.timestamp) then
      last = block
    end
  end
  if last then
    b.seen[last.sessionId] = true
  end
  return b.seen
end

--- "42d011e9 03:00 Make it faster"
function M.short(block)
  return text.line(string.format("◂ %s %s %s",
    text.short(block.sessionId), text.time(block.timestamp),
    text.line(block.prompt)), M.TEXT_WIDTH)
end

local function mark(buf, row, block, first, options)
  if options.signs then
    vim.api.nvim_buf_set_extmark(buf, signs, row, 0, {
      sign_text = "▎", sign_hl_group = "CcfcSign", priority = 5 })
  end
  if first and options.text then
    vim.api.nvim_buf_set_extmark(buf, texts, row, 0, {
      virt_text = { { M.short(block), "CcfcText" } },
      hl_mode = "combine" })
  end
end

--- Draws all marks of the buffer anew.
function M.draw(buf)
  vim.api.nvim_buf_clear_namespace(buf, signs, 0, -1)
  vim.api.nvim_buf_clear_namespace(buf, texts, 0, -1)
  local b = require("ccfc.buffers").open[buf]
  local blame = M.map(buf)
  if not blame then
    return
  end
  local sessions, options = recent(b), require("ccfc").options
  local count, drawn = 0, nil
  for row = 1, vim.api.nvim_buf_line_count(buf) do
    local block = M.owner(buf, row)
    if block and block.kind == "session"
      and sessions[block.sessionId] and count < M.MOST_SIGNS then
      mark(buf, row - 1, block, block ~= drawn, options)
      count, drawn = count + 1, block
    end
  end
  require("ccfc.gutter").update(buf)
  require("ccfc.line").moved(buf)
end

local later = {}

--- Draws the marks once, after the last key.
function M.draw_later(buf)
  later[buf] = (later[buf] or 0) + 1
  local mine = later[buf]
  vim.defer_fn(function()
    if later[buf] == mine and vim.api.nvim_buf_is_loaded(buf) then
      later[buf] = nil
      M.draw(buf)
    end
  end, require("ccfc.buffers").DEBOUNCE)
end

return M
