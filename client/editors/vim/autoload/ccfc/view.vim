vim9script
# Texts of ccfc in a window of their own, and choices.
import autoload 'ccfc/text.vim'

# Shows lines; q closes the window. Returns the buffer.
export def Show(lines: list<string>, filetype: string): number
  botright new
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodeline nobuflisted
  setline(1, lines)
  setlocal nomodifiable
  &l:filetype = filetype
  execute 'resize' max([3, min([len(lines), &lines / 2])])
  nnoremap <buffer> <nowait> q <Cmd>close<CR>
  return bufnr()
enddef

# A menu that does not wait; Callback(index), or nothing if none was chosen.
export def Pick(title: string, items: list<string>, Callback: func(number))
  var width = max([30, &columns - 8])
  popup_menu(mapnew(items, (_, item) => text.Line(item, width)), {
    title: ' ' .. text.Line(title, width - 2) .. ' ',
    maxheight: max([5, &lines - 6]),
    callback: (_, n) => {
      if n >= 1
        Callback(n - 1)
      endif
    }})
enddef
