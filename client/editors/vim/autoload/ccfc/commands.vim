vim9script
# :Ccfc NAME …, all without waiting: each asks, and shows the answer when it is
# there.
import autoload 'ccfc.vim'
import autoload 'ccfc/buffers.vim'
import autoload 'ccfc/gutter.vim'
import autoload 'ccfc/job.vim'
import autoload 'ccfc/here.vim'
import autoload 'ccfc/marks.vim'
import autoload 'ccfc/text.vim'
import autoload 'ccfc/unsaved.vim'
import autoload 'ccfc/view.vim'

# The current buffer if it is a file, else 0 and a message.
def File(): number
  if buffers.open->has_key(bufnr())
    return bufnr()
  endif
  text.Warn('this buffer is not a file')
  return 0
enddef

# The block of the line under the cursor, if a session wrote it.
def OwnerHere(buf: number): dict<any>
  var block = marks.Owner(buf, line('.'))
  return get(block, 'kind', '') == 'session' ? block : {}
enddef

def Log(buf: number, Callback: func(list<any>))
  job.Ask(['log', buffers.Path(buf), '--limit=200'], (reply) => {
    Callback(reply.steps)
  })
enddef

def LastChange(buf: number, Callback: func(dict<any>))
  Log(buf, (steps) => {
    for step in steps
      if step.kind == 'change'
        Callback(step)
        return
      endif
    endfor
    text.Warn('no session changed this file, as far as is known')
  })
enddef

def ShowOutput(args: list<string>, head: list<string>)
  job.Run(args + ['--color=never', '--no-pager'], (code, out, err) => {
    if code != 0
      job.Complain(err)
    else
      view.Show(head + out, 'diff')
    endif
  })
enddef

def ShowChange(id: string)
  ShowOutput(['diff', id], ['# ' .. text.Line(id)])
enddef

# The change of a line of the buffer.
export def DiffLine(buf: number, row: number)
  var block = marks.Owner(buf, row)
  if get(block, 'kind', '') != 'session'
    text.Say('no session wrote this line, as far as is known')
  else
    ShowChange(block.changeId)
  endif
enddef

def Diff(args: list<string>)
  if !empty(args)
    ShowChange(args[0])
    return
  endif
  var buf = File()
  var block = buf > 0 ? OwnerHere(buf) : {}
  if !empty(block)
    ShowChange(block.changeId)
  elseif buf > 0
    LastChange(buf, (step) => ShowChange(step.changeId))
  endif
enddef

def StepText(step: dict<any>): string
  var when = ''
  for field in ['timestamp', 'to', 'from']
    when = when == '' ? text.Time(step->get(field)) : when
  endfor
  var lines = type(step->get('linesAdded')) == v:t_number
        && type(step->get('linesRemoved')) == v:t_number
    ? printf('+%d -%d', step.linesAdded, step.linesRemoved) : ''
  return printf('%-16S %-8S %-8S %-8S %S', when, step.kind == 'change'
    ? text.Line(step->get('tool')) : text.Line(step.kind),
    text.Short(step->get('sessionId')), lines, text.Line(step->get('prompt')))
enddef

# A menu of the file's history.
def PickStep(title: string, changes: bool, Callback: func(dict<any>))
  var buf = File()
  if buf == 0
    return
  endif
  Log(buf, (all) => {
    var steps = all->copy()->filter((_, step) =>
      !changes || text.Known(step->get('changeId')) != '')
    view.Pick(title, mapnew(steps, (_, step) => StepText(step)), (n) =>
      Callback(steps[n]))
  })
enddef

def History()
  PickStep('History, newest first', false, (step) => {
    if text.Known(step->get('changeId')) != ''
      ShowChange(step.changeId)
    else
      text.Say('no change of a session: ' .. text.Line(step.kind))
    endif
  })
enddef

# Shows what "ccfc restore" would do, then asks.
def RestoreTo(buf: number, point: string)
  var args = ['restore', buffers.Path(buf), '--at=' .. point, '--color=never']
  job.Run(args + ['--dry-run', '--no-pager'], (code, out, err) => {
    if code != 0
      job.Complain(err)
      return
    endif
    var shown = view.Show(out, 'diff')
    view.Pick('Restore the file as shown?', ['No', 'Yes, restore'], (n) => {
      execute 'silent! bwipeout!' shown
      if n == 1
        job.Run(args, (c, _, e) => {
          if c != 0
            job.Complain(e)
          else
            text.Say('restored; ccfc restore --undo brings it back')
            buffers.Look(buf)
          endif
        })
      endif
    })
  })
enddef

def Restore(args: list<string>)
  var buf = File()
  if buf == 0
    return
  endif
  if &modified
    text.Warn('the buffer has changes that are not saved')
  elseif !empty(args)
    RestoreTo(buf, args[0])
  else
    PickStep('Restore the file as it was before', true, (step) =>
      RestoreTo(buf, 'before:' .. step.changeId))
  endif
enddef

def Why()
  var buf = File()
  var there = buf > 0 ? marks.There(buf, line('.')) : 0
  if there > 0
    ShowOutput(['why', buffers.Path(buf) .. ':' .. there], [])
  elseif buf > 0
    text.Warn('not known: this line is not saved, or no session changed '
      .. 'the file')
  endif
enddef

def SessionFiles(id: string)
  job.Ask(['list', id], (reply) => {
    var items = mapnew(reply.files, (_, f) => ({filename: f.path, lnum: 1,
      text: printf('%s changes, +%s -%s', text.Line(f->get('changeCount')),
        text.Line(f->get('linesAdded')), text.Line(f->get('linesRemoved')))}))
    setqflist([], ' ', {items: items,
      title: 'ccfc: files of session ' .. text.Short(reply.sessionId)})
    botright copen
  })
enddef

def Session(args: list<string>)
  if !empty(args)
    SessionFiles(args[0])
    return
  endif
  var buf = File()
  var block = buf > 0 ? OwnerHere(buf) : {}
  if !empty(block)
    SessionFiles(block.sessionId)
  elseif buf > 0
    LastChange(buf, (step) => SessionFiles(step.sessionId))
  endif
enddef

def Sessions()
  job.Ask(['sessions'], (reply) => {
    view.Pick('Files of which session?', mapnew(reply.sessions, (_, s) =>
      printf('%-16S %S  %S', text.Time(s.endTime), text.Short(s.sessionId),
        text.Line(s.title))), (n) => SessionFiles(reply.sessions[n].sessionId))
  })
enddef

def Signs()
  ccfc.options.signs = !ccfc.options.signs
  ccfc.options.text = ccfc.options.signs
  for buf in keys(buffers.open)
    marks.Draw(str2nr(buf))
  endfor
enddef

def Blame()
  if File() > 0
    gutter.Toggle()
  endif
enddef

def AskChanged()
  if File() > 0
    unsaved.Ask(bufnr())
  endif
enddef

const NAMES: dict<func> = {
  blame: (_) => Blame(),
  changed: (_) => AskChanged(),
  diff: (args) => Diff(args),
  line: (_) => here.Toggle(),
  log: (_) => History(),
  restore: (args) => Restore(args),
  session: (args) => Session(args),
  sessions: (_) => Sessions(),
  signs: (_) => Signs(),
  why: (_) => Why(),
}

export def Run(args: list<string>)
  ccfc.Start()
  if !job.Connected()
    job.Wake()
  endif
  if empty(args)
    var names = sort(keys(NAMES))
    view.Pick('ccfc', names, (n) => NAMES[names[n]]([]))
  elseif NAMES->has_key(args[0])
    NAMES[args[0]](args[1 :])
  else
    text.Warn('no command ' .. args[0])
  endif
enddef

export def Complete(lead: string, line: string, _: number): list<string>
  if line !~ '^\s*\S\+\s\+\S*$'
    return []
  endif
  return sort(keys(NAMES))->filter((_, name) => stridx(name, lead) == 0)
enddef
