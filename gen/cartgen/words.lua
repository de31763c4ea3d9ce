-- SPDX-License-Identifier: MIT
-- Words of the description language: none takes more arguments than it has parameters.
local diag = require "cartgen.diag"

local words = {}

--- f, which refuses surplus arguments. skip: leading arguments that the user does not write (self).
function words.exact(name, f, skip)
  local info = debug.getinfo(f, "u")
  if info.isvararg then return f end
  skip = skip or 0
  local most = info.nparams - skip
  return function(...)
    local count = select("#", ...) - skip
    if count > most then
      diag.fail(nil, "%s got %d arguments, expected %s%d", name, count, most > 1 and "at most " or "", most)
    end
    return f(...)
  end
end

return words
