vim9script
# The file changed on disk, and the buffer has changes that are not saved.
# A notice comes at once. The question waits until the cursor rests in that
# buffer, so that it never takes a key that was meant for the text.
import autoload 'ccfc/buffers.vim'
import autoload 'ccfc/text.vim'
import autoload 'ccfc/view.vim'

def Name(buf: number): string
  return text.Line(fnamemodify(bufname(buf), ':t'))
enddef

export def Notice(buf: number)
  var last = buffers.open[buf].last
  text.Warn(printf(
    '%s changed %s on disk; yours is not saved (:Ccfc changed)',
    empty(last) ? 'somebody' : 'session ' .. text.Short(last->get('sessionId')),
    Name(buf)))
enddef

# The file on disk beside the buffer, as a diff.
def Diff(buf: number)
  var path = buffers.Path(buf)
  if !filereadable(path)
    text.Warn(Name(buf) .. ' cannot be read')
    return
  endif
  win_gotoid(bufwinid(buf))
  diffthis
  rightbelow vnew
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodeline nobuflisted
  setline(1, readfile(path))
  setlocal nomodifiable
  diffthis
  nnoremap <buffer> <nowait> q <Cmd>diffoff! <Bar> close<CR>
enddef

export def Ask(buf: number)
  if !buffers.open->has_key(buf)
    return
  endif
  buffers.open[buf].behind = false
  view.Pick(Name(buf) .. ' changed on disk; yours is not saved',
    ['Show the differences', 'Load the file, lose my changes', 'Keep mine'],
    (n) => {
      if n == 0 && bufloaded(buf)
        Diff(buf)
      elseif n == 1 && bufloaded(buf)
        buffers.Load(buf)
      endif
    })
enddef
