-- SPDX-License-Identifier: MIT
-- Which targets are met, per configuration.
local targets = {}

local function contains(list, x)
  for _, y in ipairs(list) do
    if x == y then return true end
  end
  return false
end

local function belongs(target, cell)
  return cell.collective == target.collective and cell.np == target.np
    and (target.transport == nil or cell.transport == target.transport)
    and (target.d == nil or contains(target.d, cell.d))
    and (target.n == nil or cell.n == target.n)
    and (target.m == nil or cell.m <= target.m)
end

function targets.same_place(a, b)
  return a.library == b.library and a.np == b.np and a.transport == b.transport
end

local function judge_one(target, configuration, cells)
  local row = { target = target, configuration = configuration, cells = {}, short = {} }
  for _, cell in ipairs(cells) do
    local own = cell.functions["Cart_neighbor_" .. cell.collective]
    if targets.same_place(cell, configuration) and belongs(target, cell) and own and own.ratio then
      row.cells[#row.cells + 1] = { cell = cell, ratio = own.ratio }
    end
  end
  table.sort(row.cells, function(a, b) return a.ratio.median < b.ratio.median end)
  for _, entry in ipairs(row.cells) do
    if entry.ratio.median < target.least then row.short[#row.short + 1] = entry end
  end
  return row
end

--- A row for every target and configuration that has cells of it: { target, configuration, cells,
--- short }, lists of { cell, ratio } with the worst first; a target is met when short is empty.
function targets.judge(list, configurations, cells)
  local rows = {}
  for _, target in ipairs(list) do
    for _, configuration in ipairs(configurations) do
      local row = judge_one(target, configuration, cells)
      if #row.cells > 0 then rows[#rows + 1] = row end
    end
  end
  return rows
end

return targets
