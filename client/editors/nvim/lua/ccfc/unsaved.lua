-- The file changed on disk, and the buffer has changes that are not saved.
-- A notice comes at once. The question waits until the cursor rests in that
-- buffer, so that it never takes a key that was meant for the text.
local text = require("ccfc.text")

local M = {}

local asking = {}

local function name_of(buf)
  return text.line(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":t"))
end

function M.notice(buf)
  local b = require("ccfc.buffers").open[buf]
  local who = b.last and "session " .. text.short(b.last.sessionId)
    or "somebody"
  text.warn(string.format(
    "%s changed %s on disk; yours is not saved (:Ccfc changed)",
    who, name_of(buf)))
end

--- The file on disk beside the buffer, as a diff.
function M.diff(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  local ok, lines = pcall(vim.fn.readfile, path)
  if not ok then
    return text.warn(name_of(buf) .. " cannot be read")
  end
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
  end
  vim.cmd("diffthis")
  vim.cmd("rightbelow vnew")
  local own = vim.api.nvim_get_current_buf()
  vim.bo[own].buftype, vim.bo[own].bufhidden = "nofile", "wipe"
  vim.bo[own].swapfile, vim.bo[own].modeline = false, false
  vim.api.nvim_buf_set_lines(own, 0, -1, false, lines)
  vim.bo[own].modifiable = false
  pcall(vim.api.nvim_buf_set_name, own, "ccfc://disk/" .. own)
  vim.cmd("diffthis")
  vim.keymap.set("n", "q", "<cmd>diffoff! | close<CR>", { buffer = own })
end

local function load(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd("silent! edit!")
  end)
end

local CHOICES = {
  { "Show the differences", M.diff },
  { "Load the file, lose my changes", load },
  { "Keep mine", function() end },
}

function M.ask(buf)
  local b = require("ccfc.buffers").open[buf]
  if asking[buf] or not b then
    return
  end
  asking[buf], b.behind = true, false
  vim.ui.select(CHOICES, {
    prompt = name_of(buf) .. " changed on disk; yours is not saved:",
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    asking[buf] = nil
    if choice and vim.api.nvim_buf_is_loaded(buf) then
      choice[2](buf)
    end
  end)
end

return M
