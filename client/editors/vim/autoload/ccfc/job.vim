vim9script
# Runs the command ccfc without waiting: "ccfc watch" for events, and others
# for questions.
import autoload 'ccfc/text.vim'

const FIRST_WAIT = 200 # milliseconds until the first new attempt
const LAST_WAIT = 10000

var watching: job
var running = false
var ended = false
var wait = FIRST_WAIT
var retry = -1
var met = false # a daemon was there, or was to be started
var OnEvent: func(dict<any>)
export var clock = '' # of the last event

export def Connected(): bool
  return running && clock != ''
enddef

def TakeLine(line: string)
  var event: any
  try
    event = json_decode(line)
  catch
    return
  endtry
  if type(event) != v:t_dict
    return
  endif
  if event->get('type', '') != 'early' && event->has_key('clock')
    # "hello" has the clock of now: the events since the last one follow.
    if event.type != 'hello' || clock == ''
      clock = text.Known(event.clock)
    endif
    wait = FIRST_WAIT
  endif
  # An event that fails does not keep the others away.
  try
    OnEvent(event)
  catch
    text.Warn(v:exception)
  endtry
enddef

def Ended(_: job, _: number)
  running = false
  if ended
    return
  endif
  retry = timer_start(wait, (_) => Connect())
  wait = min([wait * 2, LAST_WAIT])
enddef

# A stopped daemon stays so, unless the user wants to know something; a crashed
# daemon is started again.
def Environment(for_user: bool): dict<string>
  return met && !for_user && $CCFC_NO_SPAWN == ''
    ? {CCFC_NO_SPAWN: 'stopped'} : {}
enddef

def Connect()
  if running || ended || !executable('ccfc')
    return
  endif
  var argv = ['ccfc', 'watch', '--format=jsonl', '--state=applied']
  if clock != ''
    argv += ['--since=' .. clock]
  endif
  var env = Environment(false)
  met = true
  running = true
  # From the root: files of every project.
  watching = job_start(argv, {
    in_io: 'null', err_io: 'null', out_mode: 'nl', cwd: '/', env: env,
    out_cb: (_, line) => TakeLine(line), exit_cb: Ended, stoponexit: 'term'})
  if job_status(watching) == 'fail'
    Ended(watching, 1)
  endif
enddef

# Follows events from now on.
export def Watch(Callback: func(dict<any>))
  OnEvent = Callback
  Connect()
enddef

# Connects at once, and may start a daemon: a command was given.
export def Wake()
  met = false
  wait = FIRST_WAIT
  timer_stop(retry)
  Connect()
enddef

export def Close()
  ended = true
  if running
    job_stop(watching)
  endif
enddef

# Runs "ccfc …"; Callback(exit status, lines, lines of errors).
export def Run(args: list<string>,
    Callback: func(number, list<string>, list<string>),
    for_user: bool = true)
  if !executable('ccfc')
    text.Warn('the command ccfc is not in PATH')
    return
  endif
  var out: list<string> = []
  var err: list<string> = []
  # Both have to come, in any order: the end of the output and of the command.
  var state = {code: -1, closed: false}
  def Finish()
    if state.closed && state.code >= 0
      Callback(state.code, out, err)
    endif
  enddef
  var started = job_start(['ccfc'] + args, {
    in_io: 'null', mode: 'nl', env: Environment(for_user),
    out_cb: (_, line) => add(out, line), err_cb: (_, line) => add(err, line),
    close_cb: (_) => {
      state.closed = true
      Finish()
    },
    exit_cb: (_, code) => {
      state.code = code
      Finish()
    }})
  if job_status(started) == 'fail'
    Callback(2, [], ['ccfc cannot be run'])
  endif
enddef

# As Run, for an answer in JSON; errors are shown.
export def Ask(args: list<string>, Callback: func(any))
  Run(args + ['--format=json'], (code, out, err) => {
    if code != 0
      Complain(err)
      return
    endif
    var reply: any = null
    try
      reply = json_decode(join(out, "\n"))
    catch
      Complain(['what ccfc printed is not JSON'])
      return
    endtry
    Callback(reply)
  })
enddef

# The first line of an error, for the user.
export def Complain(err: list<string>)
  text.Warn(substitute(get(err, 0, 'nothing found'), '^ccfc: ', '', ''))
enddef
