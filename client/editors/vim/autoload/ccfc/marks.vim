vim9script
# Signs and short texts at the lines of the last sessions, and the way from a
# line of the buffer to its owner.
#
# Owners are those of the file on disk. A line that was edited or added since
# has none until it is saved: the lines of both are compared.
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

# Between the lines that are the same at the top and at the end: a line that
# both have once is the same line, and so are equal ones beside it.
def Between(old: list<string>, new: list<string>, top: number,
    end: number): list<list<number>>
  var [olds, news] = [len(old) - end, len(new) - end]
  var places: dict<number> = {} # -1: several
  var counts: dict<number> = {}
  for i in range(top, olds - 1)
    var key = '=' .. old[i]
    places[key] = places->has_key(key) ? -1 : i
  endfor
  for i in range(top, news - 1)
    var key = '=' .. new[i]
    counts[key] = get(counts, key) + 1
  endfor
  var runs: list<list<number>> = []
  var [after, row, free] = [top, top, top]
  while row < news
    var there = get(places, '=' .. new[row], -1)
    if there < after || counts['=' .. new[row]] > 1
      row += 1
      continue
    endif
    while row > free && there > after && old[there - 1] ==# new[row - 1]
      row -= 1
      there -= 1
    endwhile
    var n = 1
    while there + n < olds && row + n < news && old[there + n] ==# new[row + n]
      n += 1
    endwhile
    runs->add([there + 1, row + 1, n])
    after = there + n
    row += n
    free = row
  endwhile
  return runs
enddef

# The lines of the blame that are in the buffer, in order, as runs: line there,
# row here, how many.
def Compare(old: list<string>, new: list<string>): list<list<number>>
  var most = min([len(old), len(new)])
  var top = 0
  while top < most && new[top] ==# old[top]
    top += 1
  endwhile
  var end = 0
  while end < most - top && new[-1 - end] ==# old[-1 - end]
    end += 1
  endwhile
  return [[1, 1, top]] + Between(old, new, top, end)
    + [[len(old) - end + 1, len(new) - end + 1, end]]
enddef

def Same(buf: number): list<list<number>>
  var b = buffers.open[buf]
  var tick = getbufvar(buf, 'changedtick')
  if get(b, 'tick', -1) != tick || get(b, 'of', []) isnot b.blocks
    var lines = getbufline(buf, 1, '$')
    b.same = Compare(b.lines, lines)
    b.total = len(lines)
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
  for [there, first, n] in Same(buf)
    if row >= first && row < first + n
      return row - first + there
    endif
  endfor
  return 0
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

# Calls Visit(block, first row, last row) for all rows with an owner, in order.
# For all rows this is much faster than Owner.
export def Each(buf: number, Visit: func(dict<any>, number, number))
  var blocks: list<any> = buffers.open[buf].blocks
  var i = 0
  for [there, row, n] in Same(buf)
    while i < len(blocks) && blocks[i].end < there
      i += 1
    endwhile
    # The last one may go on in the next run.
    for block in blocks[i :]
      if block.start >= there + n
        break
      endif
      Visit(block, max([block.start, there]) - there + row,
        min([block.end, there + n - 1]) - there + row)
    endfor
  endfor
enddef

# How many rows the buffer has.
export def Total(buf: number): number
  Same(buf)
  return buffers.open[buf].total
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

# Draws the marks once, after the last key.
export def DrawLater(buf: number)
  timer_stop(get(timers, buf, -1))
  timers[buf] = timer_start(DEBOUNCE, (_) => {
    if bufloaded(buf)
      Draw(buf)
    endif
  })
enddef
