-- Text from outside (prompts, names, commands) for one line of the screen.
-- Nothing in it may begin a line, move the cursor, change the direction of
-- writing or be longer than its place.
local M = {}

-- C0 and DEL are bytes; C1, line separators, zero-width characters and marks of
-- direction are two or three bytes of UTF-8.
local HIDDEN = {
  "[%z\1-\31\127]+",
  "\194[\128-\159]",
  "\226\128[\139-\143\168-\174]",
  "\226\129[\160-\169]",
  "\239\187\191",
}

--- nil for an absent value and for msgpack's nil.
function M.known(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- One line of printable text, at most `width` columns if given.
function M.line(value, width)
  local text = M.known(value)
  if text == nil then
    return ""
  end
  text = tostring(text)
  -- Most of a long text is cut off anyway.
  text = text:sub(1, 4096)
  for _, pattern in ipairs(HIDDEN) do
    text = text:gsub(pattern, " ")
  end
  if not width or vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  while text ~= "" and vim.fn.strdisplaywidth(text) > width - 1 do
    local n = vim.fn.strchars(text)
    local over = vim.fn.strdisplaywidth(text) - (width - 1)
    -- No character has more than two columns.
    text = vim.fn.strcharpart(
      text, 0, n - math.max(1, math.floor(over / 2)))
  end
  return text .. "…"
end

--- The first characters of a session's id.
function M.short(id)
  return M.line(id):sub(1, 8)
end

--- "claude-opus-4-5-20251101": "opus-4-5".
function M.model(name)
  local short = M.line(name, 40):gsub("^claude%-", "")
  return (short:gsub("%-%d%d%d%d%d%d%d%d$", ""))
end

--- RFC 3339 in UTC as seconds since 1970, or nil.
function M.seconds(stamp)
  local y, mo, d, h, mi, s = M.line(stamp):match(
    "^(%d%d%d%d)%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)")
  if not y then
    return nil
  end
  -- Days since 1970 of the civil calendar; os.time() knows local time only.
  y, mo = tonumber(y), tonumber(mo)
  if mo <= 2 then
    y, mo = y - 1, mo + 12
  end
  local days = 365 * y + math.floor(y / 4) - math.floor(y / 100)
    + math.floor(y / 400) + math.floor((153 * (mo - 3) + 2) / 5)
    + tonumber(d) - 719469
  return ((days * 24 + tonumber(h)) * 60 + tonumber(mi)) * 60 + tonumber(s)
end

--- Local time: "03:00" today, else "2026-11-16 03:00".
function M.time(stamp)
  local at = M.seconds(stamp)
  if not at then
    return ""
  end
  local day = os.date("%Y-%m-%d", at)
  if day == os.date("%Y-%m-%d") then
    return os.date("%H:%M", at)
  end
  return day .. os.date(" %H:%M", at)
end

--- A message on one line: a longer one would wait for a key.
function M.say(message, level)
  local width = math.max(20, vim.o.columns - 14)
  vim.notify(M.line("ccfc: " .. message, width),
    level or vim.log.levels.INFO)
end

function M.warn(message)
  M.say(message, vim.log.levels.WARN)
end

return M
