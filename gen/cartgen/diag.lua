-- SPDX-License-Identifier: MIT
-- A user's mistake: raised as a table with its place, shown as one line.
local diag = {}

--- Raises a user error at `where` ({file, line}, or nil: the line of the description being run).
function diag.fail(where, fmt, ...)
  error({ kind = "user", where = where, message = select("#", ...) > 0 and fmt:format(...) or fmt }, 0)
end

--- Runs f; a user error of it begins with `prefix`. where: {file, line} of what f is part of; line_now(): the line of the
--- description being run, or nil.
function diag.within(prefix, where, line_now, f)
  local ok, e = xpcall(f, function(e)
    if diag.is(e) then
      e.message = prefix .. e.message
      e.where = e.where or { file = where.file, line = line_now() or where.line }
    end
    return e
  end)
  if not ok then error(e, 0) end
end

function diag.is(e) return type(e) == "table" and e.kind == "user" end

--- "file:line: error: message", in one line.
function diag.text(e)
  local where = e.where or {}
  local place = (where.file or "cartgen") .. (where.line and (":%d"):format(where.line) or "")
  return (("%s: error: %s"):format(place, e.message):gsub("[\r\n]+", " "))
end

return diag
