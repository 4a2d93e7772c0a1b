-- Loaded at each start of Neovim: one command, and one autocommand that loads
-- the rest with the first file.
if vim.g.loaded_ccfc or vim.fn.has("nvim-0.7") == 0 then
  return
end
vim.g.loaded_ccfc = 1

vim.api.nvim_create_user_command("Ccfc", function(args)
  require("ccfc.commands").run(args.fargs)
end, {
  nargs = "*",
  bar = true,
  desc = "which Claude Code session changed this",
  complete = function(lead, line)
    return require("ccfc.commands").complete(lead, line)
  end,
})

local group = vim.api.nvim_create_augroup("ccfc_load", { clear = true })
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufWritePost" }, {
  group = group,
  callback = function()
    vim.api.nvim_del_augroup_by_id(group)
    -- After the file is on the screen.
    vim.schedule(function()
      require("ccfc").start()
    end)
  end,
})
