vim9script
# Signs and short texts at the lines of the last sessions, and the way from a
# line of the buffer to its owner.
#
# Owners are those of the file on disk. Where the buffer differs, the lines
# before the first and behind the last difference keep their owners; lines in
# between have none until they are saved.
import autoload 'ccfc.vim'
import autoload 'ccfc/buffers.vim'
import autoload 'ccfc/gutter.vim'
import autoload 'ccfc/here.vim'
import autoload 'ccfc/text.vim'

const DEBOUNCE = 100
const MOST_SIGNS = 10000 # in a buffer
const TEXT_WIDTH = 60

var timers: dict<number> = {}

export def Define()
  highlight default link CcfcSign SignColumn
  highlight default link CcfcText Comment
  highlight default link CcfcLine Comment
  sign_define('CcfcSign', {text: &encoding == 'utf-8' ? '▎' : '|',
    texthl: 'CcfcSign'})
  for [name, group] in [['ccfc_text', 'CcfcText'], ['ccfc_line', 'CcfcLine']]
    if empty(prop_type_get(name))
      prop_type_add(name, {highlight: group, combine: true})
    endif
  endfor
enddef

# How many lines at the top and at the end are those of the blame.
def Compare(b: dict<any>, buf: number)
  var lines = getbufline(buf, 1, '$')
  var [old, n] = [b.lines, len(lines)]
  var most = min([n, len(old)])
  var top = 0
  while top < most && lines[top] ==# old[top]
    top += 1
  endwhile
  var end = 0
  while end < most - top && lines[-1 - end] ==# old[-1 - end]
    end += 1
  endwhile
  b.same = {top: top, end: end, total: n}
enddef

def Same(buf: number): dict<any>
  var b = buffers.open[buf]
  var tick = getbufvar(buf, 'changedtick')
  if get(b, 'tick', -1) != tick || get(b, 'of', []) isnot b.blocks
    Compare(b, buf)
    b.tick = tick
    b.of = b.blocks
  endif
  return b.same
enddef

# Is it known who wrote the lines?
export def Known(buf: number): bool
  return buffers.open->has_key(buf) && !empty(buffers.open[buf].blocks)
enddef

# The line in the blame of a line of the buffer, or 0.
export def There(buf: number, row: number): number
  if !Known(buf)
    return 0
  endif
  var same = Same(buf)
  if row <= same.top
    return row
  endif
  return row > same.total - same.end
    ? row - same.total + len(buffers.open[buf].lines) : 0
enddef

# The block of a line of the buffer, or {}.
export def Owner(buf: number, row: number): dict<any>
  var there = There(buf, row)
  if there == 0
    return {}
  endif
  var blocks = buffers.open[buf].blocks
  var [low, high] = [0, len(blocks) - 1]
  while low <= high
    var mid = (low + high) / 2
    if there < blocks[mid].start
      high = mid - 1
    elseif there > blocks[mid].end
      low = mid + 1
    else
      return blocks[mid]
    endif
  endwhile
  return {}
enddef

# The rows of the buffer that are lines of a block, as runs: [first, last] of
# each. For all rows this is much faster than Owner.
def Runs(same: dict<any>, old: number, block: dict<any>): list<list<number>>
  var runs: list<list<number>> = []
  var shift: number = same.total - old
  var below: number = max([block.start, old - same.end + 1])
  if block.start <= same.top
    runs->add([block.start, min([block.end, same.top])])
  endif
  if below <= block.end
    runs->add([below + shift, block.end + shift])
  endif
  return runs
enddef

# Calls Visit(block, first row, last row) for all rows with an owner, in order.
export def Each(buf: number, Visit: func(dict<any>, number, number))
  var b = buffers.open[buf]
  var same = Same(buf)
  for block in b.blocks
    for [first, last] in Runs(same, len(b.lines), block)
      Visit(block, first, last)
    endfor
  endfor
enddef

# How many rows the buffer has.
export def Total(buf: number): number
  return Same(buf).total
enddef

# The session that wrote last when the file was opened, and those that wrote
# since.
def Recent(b: dict<any>): dict<any>
  var last: dict<any> = {}
  for block in b.blocks
    if block.kind == 'session'
        && text.Known(block.timestamp) ># text.Known(get(last, 'timestamp'))
      last = block
    endif
  endfor
  if !empty(last)
    b.seen[last.sessionId] = true
  endif
  return b.seen
enddef

# "42d011e9 03:00 Make it faster"
export def Short(block: dict<any>): string
  return text.Line(printf('◂ %s %s %s', text.Short(block.sessionId),
    text.Time(block.timestamp), text.Line(block.prompt)), TEXT_WIDTH)
enddef

# Draws the short texts, but for the line that has a longer one.
export def DrawTexts(buf: number, but: number)
  prop_remove({type: 'ccfc_text', bufnr: buf, all: true})
  if !buffers.open->has_key(buf) || !ccfc.options.text
    return
  endif
  for [row, short] in get(buffers.open[buf], 'texts', [])
    if row != but
      prop_add(row, 0, {bufnr: buf, type: 'ccfc_text', text: short,
        text_align: 'after', text_padding_left: 2})
    endif
  endfor
enddef

# Draws all marks of the buffer anew.
export def Draw(buf: number)
  sign_unplace('ccfc', {buffer: buf})
  prop_remove({type: 'ccfc_line', bufnr: buf, all: true})
  if !Known(buf)
    prop_remove({type: 'ccfc_text', bufnr: buf, all: true})
    return
  endif
  var sessions = Recent(buffers.open[buf])
  var signs: list<dict<any>> = []
  var texts: list<list<any>> = []
  var drawn: dict<any> = {}
  Each(buf, (block, first, last) => {
    if block.kind != 'session' || !sessions->has_key(block.sessionId)
      return
    endif
    for row in range(first, min([last, first + MOST_SIGNS - len(signs) - 1]))
      signs->add({buffer: buf, group: 'ccfc', name: 'CcfcSign', lnum: row,
        priority: 5})
    endfor
    if block isnot drawn && len(texts) < MOST_SIGNS
      if !block->has_key('short')
        block.short = Short(block)
      endif
      texts->add([first, block.short])
    endif
    drawn = block
  })
  if ccfc.options.signs
    sign_placelist(signs)
  endif
  buffers.open[buf].texts = texts
  DrawTexts(buf, 0)
  gutter.Update(buf)
  here.Moved()
enddef

# The same, once, after the last key.
export def DrawLater(buf: number)
  timer_stop(get(timers, buf, -1))
  timers[buf] = timer_start(DEBOUNCE, (_) => {
    if bufloaded(buf)
      Draw(buf)
    endif
  })
enddef
