vim9script
# The owners of all lines, in a narrow window at the left that scrolls with the
# file. Enter shows the change of a line, q closes the window.
import autoload 'ccfc/commands.vim'
import autoload 'ccfc/here.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'

const WIDTH = 44

var gutters: dict<number> = {} # by the file's buffer: the window's buffer
var windows: dict<number> = {} # by the file's buffer: its window
var saved: dict<dict<any>> = {} # … and options that it had

def Lines(buf: number): list<string>
  var lines = repeat(['not saved'], marks.Total(buf))
  marks.Each(buf, (block, first, last) => {
    lines[first - 1] = here.Describe(block, WIDTH)
    for row in range(first + 1, last)
      lines[row - 1] = '│'
    endfor
  })
  return lines
enddef

# Writes the gutter of the buffer again, if there is one.
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

export def Enter(buf: number)
  commands.DiffLine(buf, line('.'))
enddef

# Closes a gutter when its file's window is closed or shows another file.
def Follow()
  for [buf, win] in items(windows)
    if winbufnr(win) == str2nr(buf)
      continue
    endif
    if winnr('$') == 1 && tabpagenr('$') == 1
      silent! quit
    endif
    Close(str2nr(buf))
  endfor
enddef

export def FollowSoon()
  if !empty(windows)
    timer_start(0, (_) => Follow())
  endif
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
  windows[buf] = win
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodeline nobuflisted
  setlocal nonumber norelativenumber signcolumn=no winfixwidth
  execute 'nnoremap <buffer> <nowait> <CR> <Cmd>call ccfc#gutter#Enter('
    .. buf .. ')<CR>'
  nnoremap <buffer> <nowait> q <Cmd>close<CR>
  Update(buf)
  Bind()
  winrestview({topline: top})
  autocmd_add([{event: 'BufWipeout', bufnr: own, group: 'ccfc', once: true,
    cmd: printf('call ccfc#gutter#After(%d)', buf)}])
  saved[buf] = old
  win_gotoid(win)
  Bind()
  syncbind
enddef

export def PutBack(buf: number, win: number)
  for [name, value] in items(get(saved, buf, {}))
    setwinvar(win, name, value)
  endfor
  if win == 0 || winbufnr(win) == buf
    remove(saved, buf)
  endif
enddef

export def After(buf: number)
  if !gutters->has_key(buf)
    return
  endif
  remove(gutters, buf)
  PutBack(buf, remove(windows, buf))
  # A window that showed the file remembers its options for the file.
  if saved->has_key(buf) && bufexists(buf)
    autocmd_add([{event: 'BufWinEnter', bufnr: buf, group: 'ccfc',
      once: true, cmd: printf('call ccfc#gutter#PutBack(%d, 0)', buf)}])
  endif
enddef
