vim9script
# The open files: which buffer has which path, whether the buffer is what is on
# disk, and who wrote its lines. Only these are asked about, 100 ms after the
# last event.
import autoload 'ccfc.vim'
import autoload 'ccfc/gutter.vim'
import autoload 'ccfc/job.vim'
import autoload 'ccfc/here.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'
import autoload 'ccfc/unsaved.vim'

const DEBOUNCE = 100
const HASHED = 1 << 20 # bytes

# By the number of the buffer:
# names   its path, and the path without symbolic links
# disk    what the file was when the buffer last had its content
# seen    sessions whose lines have signs, as keys
# last    the last event of a change; {}: none
# behind  true: the file changed and the buffer has changes that are not saved
# blocks  of "ccfc blame"; []: not known
# lines   that the blocks are about
export var open: dict<dict<any>> = {}
var timers: dict<number> = {}

# Times have whole seconds only, so the content of a small file counts, too.
def Disk(path: string): string
  if !filereadable(path)
    return ''
  endif
  var size = getfsize(path)
  var sum = size > HASHED ? '' : sha256(join(readfile(path, 'b'), "\n"))
  return printf('%d %d %s', getftime(path), size, sum)
enddef

def IsFile(buf: number): bool
  return bufloaded(buf) && getbufvar(buf, '&buftype') == ''
      && bufname(buf) != '' && fnamemodify(bufname(buf), ':p') =~ '^/'
enddef

def Forget(buf: number)
  if open->has_key(buf)
    remove(open, buf)
  endif
  if timers->has_key(buf)
    timer_stop(remove(timers, buf))
  endif
enddef

# The buffers that show the file.
export def OfPath(path: string): list<number>
  return open->keys()->filter((_, buf) => open[buf].names->index(path) >= 0)
      ->mapnew((_, buf) => str2nr(buf))
enddef

def Add(buf: number): dict<any>
  var name = fnamemodify(bufname(buf), ':p')
  var names = [name]
  if resolve(name) != name
    names += [resolve(name)]
  endif
  open[buf] = {names: names, disk: Disk(name), seen: {}, last: {},
    behind: false, blocks: [], lines: []}
  return open[buf]
enddef

export def Path(buf: number): string
  return open[buf].names[0]
enddef

# Calls Sync once, some time after the last of these calls.
def Soon(buf: number)
  timer_stop(get(timers, buf, -1))
  timers[buf] = timer_start(DEBOUNCE, (_) => {
    if open->has_key(buf) && bufloaded(buf)
      Sync(buf)
    endif
  })
enddef

def TakeBlame(buf: number, out: list<string>)
  var b = open[buf]
  var blocks: list<any> = []
  try
    blocks = mapnew(out, (_, row) => json_decode(row))
  catch
  endtry
  var lines = getbufline(buf, 1, '$')
  var n = empty(blocks) ? 0 : blocks[-1].end
  b.blocks = n == len(lines) ? blocks : []
  b.lines = lines
enddef

def AskBlame(buf: number)
  var b = open[buf]
  var disk = b.disk
  var tick = getbufvar(buf, 'changedtick')
  job.Run(['blame', '--blocks', '--format=jsonl', b.names[0]],
    (code, out, _) => {
      # Another file, or other lines, than were asked about?
      if get(open, buf, {}) isnot b || !bufloaded(buf) || b.disk != disk
          || getbufvar(buf, 'changedtick') != tick
          || Disk(b.names[0]) != disk || code > 1
        return
      endif
      TakeBlame(buf, code == 0 ? out : [])
      marks.Draw(buf)
    }, false)
enddef

def Told(b: dict<any>, verb: string)
  var name = fnamemodify(b.names[0], ':t')
  var e = b.last
  if empty(e)
    text.Say(name .. ' ' .. verb)
    return
  endif
  var lines = type(e->get('linesAdded')) == v:t_number
        && type(e->get('linesRemoved')) == v:t_number
    ? printf(' (+%d -%d)', e.linesAdded, e.linesRemoved) : ''
  var tool = text.Line(e->get('tool', ''), 20)
  text.Say(printf('%s %s: %s by session %s%s', name, verb,
    tool == '' ? 'changed' : tool, text.Short(e->get('sessionId')), lines))
enddef

# Gives a clean buffer the content of the file. Vim finds out whether that is
# new, and does not ask, since autoread is set.
def Reload(buf: number)
  var b = open[buf]
  var tick = getbufvar(buf, 'changedtick')
  if !filereadable(b.names[0])
    if b.disk != ''
      b.disk = ''
      Told(b, 'was deleted')
    endif
    return
  endif
  if b.disk == ''
    # The file did not exist: checktime would ask.
    Load(buf)
  else
    var autoread = &g:autoread
    &g:autoread = true
    execute 'silent! checktime' buf
    &g:autoread = autoread
  endif
  if open->has_key(buf) && getbufvar(buf, 'changedtick') != tick
    Told(open[buf], 'reloaded')
  endif
enddef

# Reads the file anew, in a window of the buffer or in none.
export def Load(buf: number)
  var win = bufwinid(buf)
  if win >= 0
    win_execute(win, 'silent! edit!')
    return
  endif
  # The file is read when the buffer is shown.
  execute 'silent! bunload!' buf
enddef

# Brings the buffer and its marks up to date with the file.
def Sync(buf: number)
  var b = open[buf]
  var clean = !getbufvar(buf, '&modified')
  if clean && ccfc.options.reload
    Reload(buf)
  elseif Disk(b.names[0]) != b.disk
    if !b.behind
      b.behind = true
      unsaved.Notice(buf)
    endif
    return
  endif
  # After a reload this function is called once more.
  if clean && get(open, buf, {}) is b
    AskBlame(buf)
  endif
enddef

# A session changed the file; `event` says so.
export def Changed(buf: number, event: dict<any>)
  var b = open[buf]
  if event.type == 'change' && event->get('withdrawn', false) != true
    b.last = event
    b.seen[text.Known(event->get('sessionId'))] = true
  endif
  Soon(buf)
enddef

# The file may have changed.
export def Look(buf: number)
  if open->has_key(buf)
    Soon(buf)
  endif
enddef

export def RefreshAll()
  for buf in keys(open)
    Soon(str2nr(buf))
  endfor
enddef

# The buffer was just read from the file, or written to it.
def Arrived(buf: number)
  var old = get(open, buf, {})
  Forget(buf)
  if !IsFile(buf)
    return
  endif
  var b = Add(buf)
  if !empty(old) && old.names[0] == b.names[0]
    # The old owners hold for lines that stayed.
    extend(b, {seen: old.seen, last: old.last, blocks: old.blocks,
      lines: old.lines})
    marks.Draw(buf)
  endif
  if job.Connected()
    Soon(buf)
  endif
enddef

def Hold()
  var buf = bufnr()
  if get(open, buf, {behind: false}).behind
    unsaved.Ask(buf)
  endif
enddef

def Edited(buf: number)
  if open->has_key(buf)
    marks.DrawLater(buf)
  endif
enddef

# Follows all buffers from now on.
export def Watch()
  augroup ccfc
    autocmd!
    autocmd BufReadPost,BufNewFile * Arrived(expand('<abuf>')->str2nr())
    autocmd BufWritePost,BufFilePost * Arrived(expand('<abuf>')->str2nr())
    autocmd FileChangedShellPost * Arrived(expand('<abuf>')->str2nr())
    autocmd BufUnload,BufDelete * Forget(expand('<abuf>')->str2nr())
    autocmd TextChanged,InsertLeave * Edited(bufnr())
    autocmd CursorMoved,BufEnter * here.Moved()
    autocmd InsertEnter,BufLeave * here.Clear(bufnr())
    autocmd CursorHold * Hold()
    autocmd BufWinEnter,WinClosed * gutter.FollowSoon()
  augroup END
  for info in getbufinfo({bufloaded: 1})
    if IsFile(info.bufnr)
      Add(info.bufnr)
    endif
  endfor
enddef
