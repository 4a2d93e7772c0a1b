vim9script
# ccfc in Vim: follows "ccfc watch" and keeps the buffers up to date.
import autoload 'ccfc/buffers.vim'
import autoload 'ccfc/job.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'

# g:ccfc may turn parts off.
export var options = {reload: true, signs: true, text: true, line: true}
# The last event, for "autocmd User CcfcEvent".
g:ccfc_event = {}

var started = false

def Conflict(event: dict<any>)
  if event->get('withdrawn', false) == true
    return
  endif
  var other = text.Known(event->get('otherSessionId'))
  text.Warn(printf('%s: %s: session %s and %s',
    text.Line(fnamemodify(text.Known(event.path), ':t')),
    text.Line(event.kind)->substitute('_', ' ', 'g'),
    text.Short(event.sessionId), other == ''
      ? 'somebody outside of sessions' : 'session ' .. text.Short(other)))
enddef

def Take(event: dict<any>)
  var kind = event->get('type', '')
  if kind == 'hello' || kind == 'fresh'
    buffers.RefreshAll()
    return
  elseif kind == 'forgotten'
    buffers.RefreshAll()
  endif
  var open = buffers.OfPath(text.Known(event->get('path', '')))
  if kind == 'conflict' && !empty(open)
    Conflict(event)
  elseif kind == 'change' || kind == 'early'
    for buf in open
      buffers.Changed(buf, event)
    endfor
  endif
  g:ccfc_event = event
  if exists('#User#CcfcEvent')
    doautocmd <nomodeline> User CcfcEvent
  endif
enddef

# Called with the first file; does nothing the second time.
export def Start()
  if started
    return
  endif
  started = true
  if type(get(g:, 'ccfc', 0)) == v:t_dict
    extend(options, g:ccfc)
  endif
  marks.Define()
  buffers.Watch()
  autocmd ccfc VimLeavePre * ccfc#job#Close()
  job.Watch(Take)
enddef
