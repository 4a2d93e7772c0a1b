vim9script
# The owners of all lines, in a narrow window at the left that scrolls with the
# file. Enter shows the change of a line, q closes the window.
import autoload 'ccfc/commands.vim'
import autoload 'ccfc/here.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'

const WIDTH = 44

var gutters: dict<number> = {} # by the file's buffer: the window's buffer

def Lines(buf: number): list<string>
  var lines: list<string> = []
  var last: dict<any> = {}
  for row in range(1, len(getbufline(buf, 1, '$')))
    var block = marks.Owner(buf, row)
    lines->add(empty(block) ? 'not saved' : block is last ? '│'
      : here.Describe(block, WIDTH))
    last = block
  endfor
  return lines
enddef

# Writes it again, if there is one.
export def Update(buf: number)
  var own = get(gutters, buf, -1)
  if own < 0 || !bufloaded(own)
    return
  endif
  setbufvar(own, '&modifiable', true)
  deletebufline(own, 1, '$')
  setbufline(own, 1, Lines(buf))
  setbufvar(own, '&modifiable', false)
enddef

def Bind()
  setlocal scrollbind cursorbind nowrap nofoldenable
enddef

def Close(buf: number): bool
  var own = get(gutters, buf, -1)
  if own < 0 || !bufexists(own)
    return false
  endif
  execute 'bwipeout!' own
  return true
enddef

# Puts back the options of the file's window.
def Closed(buf: number, win: number, old: dict<any>)
  if gutters->has_key(buf)
    remove(gutters, buf)
  endif
  for [name, value] in items(old)
    setwinvar(win, name, value)
  endfor
enddef

export def Enter(buf: number)
  commands.DiffLine(buf, line('.'))
enddef

export def Toggle()
  var buf = bufnr()
  var win = win_getid()
  if Close(buf)
    return
  endif
  if !marks.Known(buf)
    text.Warn('no session changed this file, as far as is known')
    return
  endif
  var old = {'&scrollbind': &scrollbind, '&cursorbind': &cursorbind,
    '&wrap': &wrap, '&foldenable': &foldenable}
  var top = line('w0')
  execute 'leftabove vertical :' .. WIDTH .. 'new'
  var own = bufnr()
  gutters[buf] = own
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodeline nobuflisted
  setlocal nonumber norelativenumber signcolumn=no winfixwidth
  execute 'nnoremap <buffer> <nowait> <CR> <Cmd>call ccfc#gutter#Enter('
    .. buf .. ')<CR>'
  nnoremap <buffer> <nowait> q <Cmd>close<CR>
  Update(buf)
  Bind()
  winrestview({topline: top})
  autocmd_add([{event: 'BufWipeout', bufnr: own, group: 'ccfc', once: true,
    cmd: printf('call ccfc#gutter#After(%d, %d)', buf, win)}])
  saved[win] = old
  win_gotoid(win)
  Bind()
  syncbind
enddef

var saved: dict<dict<any>> = {}

export def After(buf: number, win: number)
  if saved->has_key(win)
    Closed(buf, win, remove(saved, win))
  endif
enddef
