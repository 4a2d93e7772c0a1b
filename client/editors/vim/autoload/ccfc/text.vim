vim9script
# Text from outside (prompts, names, commands) for one line of the screen.
# Nothing in it may begin a line, move the cursor, change the direction of
# writing or be longer than its place.

# Control characters, separators of lines, zero-width characters and marks of
# direction.
const HIDDEN = '[\x00-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e'
      .. '\u2060-\u2069\ufeff]\+'

# A value of JSON as text; '' for null and what is no text.
export def Known(value: any): string
  if type(value) == v:t_string
    return value
  endif
  return type(value) == v:t_number ? string(value) : ''
enddef

# One line of printable text, at most `width` columns if given.
export def Line(value: any, width: number = 0): string
  # Most of a long text is cut off anyway.
  var text = Known(value)->strpart(0, 4096)->substitute(HIDDEN, ' ', 'g')
  if width == 0 || strdisplaywidth(text) <= width
    return text
  endif
  while text != '' && strdisplaywidth(text) > width - 1
    var over = strdisplaywidth(text) - (width - 1)
    # No character has more than two columns.
    text = text->strcharpart(0, strchars(text) - max([1, over / 2]))
  endwhile
  return text .. '…'
enddef

# The first characters of a session's id.
export def Short(id: any): string
  return Line(id)->strpart(0, 8)
enddef

# "claude-opus-4-5-20251101": "opus-4-5".
export def Model(name: any): string
  return Line(name, 40)->substitute('^claude-', '', '')
      ->substitute('-\d\{8}$', '', '')
enddef

# RFC 3339 in UTC as seconds since 1970, or -1. strptime() knows local time
# only.
export def Seconds(stamp: any): number
  var m = Known(stamp)->matchlist(
      '^\(\d\{4}\)-\(\d\d\)-\(\d\d\)T\(\d\d\):\(\d\d\):\(\d\d\)')
  if empty(m)
    return -1
  endif
  var [y, mo, d] = [str2nr(m[1]), str2nr(m[2]), str2nr(m[3])]
  if mo <= 2
    y -= 1
    mo += 12
  endif
  var days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * (mo - 3) + 2) / 5
      + d - 719469
  return ((days * 24 + str2nr(m[4])) * 60 + str2nr(m[5])) * 60 + str2nr(m[6])
enddef

# Local time: "03:00" today, else "2026-11-16 03:00".
export def Time(stamp: any): string
  var at = Seconds(stamp)
  if at < 0
    return ''
  endif
  var day = strftime('%Y-%m-%d', at)
  return (day == strftime('%Y-%m-%d') ? '' : day .. ' ')
      .. strftime('%H:%M', at)
enddef

# A message on one line: a longer one would wait for a key.
def Message(message: string, group: string)
  var line = Line('ccfc: ' .. message, max([20, &columns - 14]))
  execute 'echohl' group
  echomsg line
  echohl None
enddef

export def Say(message: string)
  Message(message, 'None')
enddef

export def Warn(message: string)
  Message(message, 'WarningMsg')
enddef
