vim9script
# Who wrote the line under the cursor, and for which prompt, behind the line.
import autoload 'ccfc.vim'
import autoload 'ccfc/buffers.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'

const DELAY = 150 # milliseconds after the last move

var timer = -1

# Takes the text away, and puts back the short text of the line.
export def Clear(buf: number)
  if bufloaded(buf) && !empty(prop_find({type: 'ccfc_line', bufnr: buf,
      lnum: 1}))
    prop_remove({type: 'ccfc_line', bufnr: buf, all: true})
    marks.DrawTexts(buf, 0)
  endif
enddef

# One line about an owner, for at most `width` columns.
export def Describe(block: dict<any>, width: number): string
  if block.kind != 'session'
    var what = block.kind == 'outside' ? 'not by a session' : 'origin unknown'
    var [to, from] = [text.Time(block.to), text.Time(block.from)]
    what ..= to != '' ? ', before ' .. to : from != '' ? ', after ' .. from : ''
    return text.Line(what, width)
  endif
  return text.Line(join([text.Short(block.sessionId),
    text.Model(block.model), text.Time(block.timestamp), '·',
    text.Line(block.prompt)]), width)
enddef

def Show()
  var buf = bufnr()
  Clear(buf)
  if mode() =~# '^[iR]' || !ccfc.options.line
    return
  endif
  var row = line('.')
  var block = marks.Owner(buf, row)
  if empty(block)
    return
  endif
  marks.DrawTexts(buf, row)
  prop_add(row, 0, {bufnr: buf, type: 'ccfc_line',
    text: Describe(block, 100), text_align: 'after', text_padding_left: 2})
enddef

# The cursor moved, or the owners changed.
export def Moved()
  if !ccfc.options.line || !buffers.open->has_key(bufnr())
    return
  endif
  timer_stop(timer)
  timer = timer_start(DELAY, (_) => Show())
enddef

export def Toggle()
  ccfc.options.line = !ccfc.options.line
  marks.Draw(bufnr())
  Show()
enddef
