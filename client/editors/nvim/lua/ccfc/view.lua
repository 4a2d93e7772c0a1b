-- Texts of ccfc in a window of their own, and commands of ccfc in the
-- background.
local text = require("ccfc.text")

local M = {}

--- Shows lines (a string or a list); q closes the window.
function M.show(title, lines, filetype)
  if type(lines) == "string" then
    lines = vim.split((lines:gsub("\n$", "")), "\n", { plain = true })
  end
  for i, line in ipairs(lines) do
    lines[i] = line:gsub("[%z\n]", " ")
  end
  vim.cmd("botright new")
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype, vim.bo[buf].bufhidden = "nofile", "wipe"
  vim.bo[buf].swapfile, vim.bo[buf].modeline = false, false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype or ""
  local name = "ccfc://" .. title:gsub("[^%w_#./-]", "_"):sub(1, 200)
  -- Another window may show the same.
  if not pcall(vim.api.nvim_buf_set_name, buf, name) then
    pcall(vim.api.nvim_buf_set_name, buf, name .. "#" .. buf)
  end
  local most = math.floor(vim.o.lines / 2)
  vim.api.nvim_win_set_height(0, math.max(3, math.min(#lines, most)))
  vim.keymap.set("n", "q", "<cmd>close<CR>", { buffer = buf, nowait = true })
  return buf
end

--- Runs "ccfc …"; callback(code, what it printed, its errors).
function M.run(args, callback)
  local out, err = {}, {}
  local function collect(list)
    return function(_, data)
      vim.list_extend(list, data)
    end
  end
  local argv = { "ccfc" }
  vim.list_extend(argv, args)
  if vim.fn.executable("ccfc") == 0 then
    return text.warn("the command ccfc is not in PATH")
  end
  vim.fn.jobstart(argv, {
    stdin = "null", stdout_buffered = true, stderr_buffered = true,
    on_stdout = collect(out), on_stderr = collect(err),
    on_exit = function(_, code)
      callback(code, table.concat(out, "\n"), table.concat(err, "\n"))
    end,
  })
end

--- The first line of an error, for the user.
function M.complain(err)
  local line = tostring(err):match("^[^\n]*") or ""
  text.warn((line:gsub("^ccfc: ", "")))
end

return M
