-- SPDX-License-Identifier: MIT
-- A generator of random numbers that is the same in every interpreter (Park and Miller, "minimal
-- standard": x' = 16807 x mod 2^31 - 1; exact in doubles).
local random = {}
random.__index = random

function random.new(seed)
  local r = setmetatable({ x = seed % 2147483646 + 1 }, random)
  for _ = 1, 4 do r:next() end
  return r
end

function random:next()
  self.x = self.x * 16807 % 2147483647
  return self.x
end

--- An integer from low to high.
function random:int(low, high) return low + self:next() % (high - low + 1) end

--- True with probability p.
function random:chance(p) return self:next() < p * 2147483647 end

function random:pick(list) return list[self:int(1, #list)] end

--- The list in random order, in place.
function random:shuffle(list)
  for i = #list, 2, -1 do
    local j = self:int(1, i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

return random
