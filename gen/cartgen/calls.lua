-- SPDX-License-Identifier: MIT
-- Values of the calls that expressions may hold (module expr), for given numbers.

-- Least or greatest place of the items of a list: index[i] * scale + place, and where lengths[i] copies `stride`
-- apart are there, of the last copy; items without copies have no place. 0 without items.
local function extreme_place(better)
  return function(args, index, lengths)
    local count, scale, stride, place = args[1], args[2], args[3], args[4]
    local best
    for i = 1, count do
      local n = lengths and lengths[i] or 1
      if n > 0 then
        local at = index[i] * scale + place
        best = better(best or at, at, at + (n - 1) * stride)
      end
    end
    return best or 0
  end
end

-- Least or greatest of args[2], args[4], ... whose args[1], args[3], ... is above 0; 0 where none is.
local function extreme_present(better)
  return function(args)
    local best
    for i = 1, #args, 2 do
      if args[i] > 0 then best = better(best or args[i + 1], args[i + 1]) end
    end
    return best or 0
  end
end

--- op -> value of a call. args: numbers; then the lists.
return {
  min = function(args) return math.min(args[1], args[2]) end,
  max = function(args) return math.max(args[1], args[2]) end,
  total = function(args, list)
    local sum = 0
    for i = 1, args[1] do sum = sum + list[i] end
    return sum
  end,
  low = extreme_place(math.min), high = extreme_place(math.max),
  lowest = extreme_present(math.min), highest = extreme_present(math.max),
  choose = function(args) return args[1] > 0 and args[2] or args[3] end,
  round_up = function(args) return args[1] + (-args[1]) % math.max(1, args[2]) end,
}
