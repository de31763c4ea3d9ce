-- SPDX-License-Identifier: MIT
-- A user's mistake: raised as a table with its place, shown as one line.
local diag = {}

--- Raises a user error at `where` ({file, line}, or nil: the line of the description being run).
function diag.fail(where, fmt, ...)
  error({ kind = "user", where = where, message = select("#", ...) > 0 and fmt:format(...) or fmt }, 0)
end

function diag.is(e) return type(e) == "table" and e.kind == "user" end

--- "file:line: error: message", in one line.
function diag.text(e)
  local where = e.where or {}
  local place = (where.file or "cartgen") .. (where.line and (":%d"):format(where.line) or "")
  return (("%s: error: %s"):format(place, e.message):gsub("[\r\n]+", " "))
end

return diag
