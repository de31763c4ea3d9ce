-- SPDX-License-Identifier: MIT
-- Names of schedules and layouts as C identifiers, and what is made from them.
local diag = require "cartgen.diag"
local util = require "cartgen.util"

local identifiers = {}

-- What generated names end with, as lists of words and of patterns.
local ENDINGS = {
  schedule = {
    words = { "_init", "_start", "_test", "_wait", "_run", "_free", "_params", "_plan", "_schedule", "_open", "_layout",
      "_programs", "_periods", "_dims", "_vectors", "_offsets", "_need_first", "_need_rows", "_kernels", "_rounds", "_messages",
      "_local", "_locals", "_copies", "_transfer_send", "_transfer_recv", "_param_table", "_send_refs", "_recv_refs",
      "_limits", "_limit_names", "_state", "_prepare", "_release",
      "_send_needs", "_recv_needs", "_temp_blocks", "_send_layout", "_recv_layout" },
    patterns = { "_p%d+$", "_p%d+_.*$", "_pack%d+$", "_unpack%d+$", "_shape%d+_.*$", "_values%d+$" },
  },
  layout = {
    words = { "_init", "_free", "_params", "_layout", "_arrays", "_size", "_lb", "_extent", "_true_lb", "_true_extent", "_pack",
      "_unpack", "_copy", "_pack_range", "_unpack_range", "_pack_all", "_unpack_all", "_copy_all", "_pack_part", "_unpack_part" },
    patterns = { "_pack_range%d+$", "_unpack_range%d+$", "_part%d+_.*$", "_places%d+$", "_pieces%d+$", "_reduce_.*$" },
  },
}

-- And of schedules over several arrays.
local ARRAYS = { "_send", "_recv", "_send_arrays", "_recv_arrays" }

--- A name of a schedule or layout (what): a C identifier that is not the runtime's.
function identifiers.check_name(name, what, where)
  local bad = util.bad_identifier(name)
  if bad then diag.fail(where, "the %s's name %s %s", what, util.show(name), bad) end
  if name:lower():match "^cartgen_" then
    diag.fail(where, "the %s's name '%s' begins with cartgen_, which is the runtime's", what, name)
  end
end

local function words_of(item)
  local out = {}
  for _, list in ipairs { ENDINGS[item.what].words, item.arrays and ARRAYS or {} } do
    for _, word in ipairs(list) do out[#out + 1] = word end
  end
  return out
end

--- Names of one file must not meet in C: neither equal nor one an identifier of another. list: {name, where, what, arrays:
--- is it a schedule over several arrays?}.
function identifiers.check_clashes(list)
  local seen = {}
  for _, item in ipairs(list) do
    local first = seen[item.name]
    if first then
      diag.fail(item.where, "a second %s '%s' (the first is on line %d)", first.what == item.what and item.what
        or "schedule or layout", item.name, first.where.line)
    end
    seen[item.name] = item
  end
  for _, item in ipairs(list) do
    for _, word in ipairs(words_of(item)) do
      local other = seen[item.name .. word]
      if other then
        diag.fail(other.where, "%s '%s' clashes in C with the %s of %s '%s'", other.what, other.name, word, item.what, item.name)
      end
    end
    for _, what in ipairs { "layout", "schedule" } do
      for _, pattern in ipairs(ENDINGS[what].patterns) do
        local head = item.name:match("^(.-)" .. pattern) or item.name:match("^(.*)" .. pattern)
        local other = head and seen[head]
        if other and other.what == what then
          diag.fail(item.where, "%s '%s' clashes in C with identifiers of %s '%s'", item.what, item.name, what, head)
        end
      end
    end
  end
end

return identifiers
