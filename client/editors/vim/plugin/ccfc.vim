" Older Vims and Neovim, which has a plugin of its own, read no further.
if !has('vim9script')
  finish
endif
vim9script noclear
# Loaded at each start of Vim: one command, and one autocommand that loads the
# rest with the first file.
if exists('g:loaded_ccfc') || !has('patch-9.0.0067') || !has('job')
    || !has('textprop') || !has('timers')
  finish
endif
g:loaded_ccfc = 1

command! -bar -nargs=* -complete=customlist,ccfc#commands#Complete Ccfc
      \ ccfc#commands#Run([<f-args>])

augroup ccfc_load
  autocmd!
  # After the file is on the screen.
  autocmd BufReadPost,BufNewFile,BufWritePost * {
      autocmd! ccfc_load
      timer_start(0, (_) => ccfc#Start())
    }
augroup END
