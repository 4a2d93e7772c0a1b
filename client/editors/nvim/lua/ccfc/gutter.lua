-- The owners of all lines, in a narrow window at the left that scrolls with the
-- file. Enter shows the change of a line, q closes the window.
local text = require("ccfc.text")
local marks = require("ccfc.marks")

local M = {}

M.WIDTH = 44

local gutters = {} -- by the file's buffer: the buffer of the window

local function lines_of(buf)
  local lines, last = {}, nil
  for row = 1, vim.api.nvim_buf_line_count(buf) do
    local block = marks.owner(buf, row)
    if not block then
      lines[row] = "not saved"
    elseif block == last then
      lines[row] = "│"
    else
      lines[row] = require("ccfc.line").describe(block, M.WIDTH)
    end
    last = block
  end
  return lines
end

--- Writes the gutter of the buffer again, if there is one.
function M.update(buf)
  local own = gutters[buf]
  if not own or not vim.api.nvim_buf_is_valid(own) then
    gutters[buf] = nil
    return
  end
  vim.bo[own].modifiable = true
  vim.api.nvim_buf_set_lines(own, 0, -1, false, lines_of(buf))
  vim.bo[own].modifiable = false
end

local function keys(own, buf)
  local function map(key, callback)
    vim.keymap.set("n", key, callback, { buffer = own, nowait = true })
  end
  map("q", function()
    vim.cmd("close")
  end)
  map("<CR>", function()
    local row = vim.api.nvim_win_get_cursor(0)[1]
    require("ccfc.commands").diff_line(buf, row)
  end)
end

local function bind(win)
  vim.wo[win].scrollbind = true
  vim.wo[win].cursorbind = true
  vim.wo[win].wrap = false
  vim.wo[win].foldenable = false
end

local function close(buf)
  local own = gutters[buf]
  gutters[buf] = nil
  if own and vim.api.nvim_buf_is_valid(own) then
    vim.api.nvim_buf_delete(own, { force = true })
    return true
  end
  return false
end

-- Closes the gutter when the file's window is closed or shows another file.
local function follow(buf, own, win)
  if gutters[buf] ~= own or (vim.api.nvim_win_is_valid(win)
    and vim.api.nvim_win_get_buf(win) == buf) then
    return
  end
  if #vim.api.nvim_list_wins() > 1 or not pcall(vim.cmd, "quit") then
    close(buf)
  end
end

function M.toggle()
  local buf = vim.api.nvim_get_current_buf()
  local win = vim.api.nvim_get_current_win()
  if close(buf) then
    return
  end
  if not marks.map(buf) then
    return text.warn("no session changed this file, as far as is known")
  end
  local old = { bind = vim.wo.scrollbind, cursor = vim.wo.cursorbind,
    wrap = vim.wo.wrap, fold = vim.wo.foldenable }
  local top = vim.fn.line("w0")
  vim.cmd("leftabove " .. M.WIDTH .. "vnew")
  local own = vim.api.nvim_get_current_buf()
  local side = vim.api.nvim_get_current_win()
  gutters[buf] = own
  vim.bo[own].buftype, vim.bo[own].bufhidden = "nofile", "wipe"
  vim.bo[own].swapfile, vim.bo[own].modeline = false, false
  vim.wo[side].number, vim.wo[side].relativenumber = false, false
  vim.wo[side].signcolumn, vim.wo[side].winfixwidth = "no", true
  keys(own, buf)
  M.update(buf)
  bind(side)
  vim.fn.winrestview({ topline = top })
  vim.api.nvim_set_current_win(win)
  bind(win)
  vim.cmd("syncbind")
  local function put_back(where)
    vim.wo[where].scrollbind, vim.wo[where].cursorbind = old.bind, old.cursor
    vim.wo[where].wrap, vim.wo[where].foldenable = old.wrap, old.fold
  end
  local group = vim.api.nvim_create_augroup("ccfc_gutter_" .. own, {})
  vim.api.nvim_create_autocmd({ "BufWinEnter", "WinClosed" }, { group = group,
    callback = vim.schedule_wrap(function()
      follow(buf, own, win)
    end) })
  vim.api.nvim_create_autocmd("BufWipeout", { buffer = own, once = true,
    callback = function()
      gutters[buf] = nil
      vim.api.nvim_del_augroup_by_id(group)
      if vim.api.nvim_win_is_valid(win) then
        put_back(win)
      end
      -- A window that showed the file remembers its options for the file.
      if vim.fn.bufwinid(buf) == -1 and vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_create_autocmd("BufWinEnter", { buffer = buf,
          once = true, callback = function()
            put_back(0)
          end })
      end
    end })
end

return M
