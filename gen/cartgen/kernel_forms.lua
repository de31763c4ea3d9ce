-- SPDX-License-Identifier: MIT
-- Which form a kernel takes: thresholds in one table, `--kernel` changes them for tuning.
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local util = require "cartgen.util"

local forms = {}

--- Thresholds in bytes or counts. Measured with bench/ddtbench --kernel-only; docs/tuning.md says how.
forms.default = {
  inline = 256,    -- longest run of known length that is moved by the compiler's own instructions
  unroll = 4,      -- most moves of a loop that are written out
  tile = 32,       -- items a side of a tile, where the layout runs across the packed stream; 0: no tiles
  line = 64,       -- bytes of a cache line: neighbours in the layout that are moved together in a tile
  past = 8388608,  -- layouts of more bytes are written past the caches where tiles write whole lines of them; 0: never
  wide = 16,       -- runs that are not a power of two are packed by one move of the next one, up to this; 0: never
  turns = 32,      -- longest runs of blocks that are copied by turns within a rank; 0: never
  words = 5,       -- runs in loops of up to this many words of 8 bytes are moved word by word; 0: none
  short = 32,      -- longest run whose loop is unrolled (by the compiler: CARTGEN_UNROLL); 0: none
  near = 256,      -- steps up to this are left to the hardware's prefetcher
  ahead = 0,       -- items between a prefetch and its use; 0: no prefetch, which was no slower where data was in a cache
}

--- Largest values: lists are readable that far behind their end (runtime/src/list.c); a tile is one statement a neighbour.
forms.most = { ahead = 64, line = 256 }

--- Thresholds from the text of --kernel: "tile=64,ahead=0" or "plain" (no tiles, no prefetch, nothing written out or by turns).
function forms.parse(text, file)
  local out = {}
  for key, value in pairs(forms.default) do out[key] = value end
  if text == nil then return out end
  for word in (text .. ","):gmatch "([^,]*)," do
    local key, value = word:match "^(%a+)=(%d+)$"
    if word == "plain" then
      out.tile, out.ahead, out.unroll, out.wide, out.words, out.short, out.turns = 0, 0, 1, 0, 0, 0, 0
    elseif not key then
      diag.fail({ file = file }, "--kernel got '%s', expected plain or THRESHOLD=NUMBER with %s", word,
        util.any_of(util.sorted_keys(forms.default)))
    elseif forms.default[key] == nil then
      diag.fail({ file = file }, "--kernel: unknown threshold '%s'%s", key, util.hint(key, util.sorted_keys(forms.default)))
    else
      out[key] = tonumber(value)
      local most = forms.most[key]
      if most and out[key] > most then
        diag.fail({ file = file }, "--kernel: %s is %s, expected at most %d", key, value, most)
      end
    end
  end
  return out
end

-- e: an Expr, or a variable of C.
local function constant(e) return expr.is(e) and expr.is_const(e) and expr.value(e) or nil end

--- Is a loop of moves written out?
function forms.unrolled(options, loop)
  local count = constant(loop.count)
  return count and count <= options.unroll and loop.body.kind == "move" and constant(loop.body.bytes) ~= nil
    and constant(loop.body.bytes) <= options.inline
end

--- Is a copy between two layouts, loops around short runs, worth a form for two blocks by turns? Where two blocks have
--- each other's cache lines, as the rims on two sides of an array and the cells next to them, each line is then met once.
function forms.by_turns(options, k)
  if k.kind == "loop" and forms.tiled(options, k, true) then return false end
  local inner = k.kind == "loop" and k.body.kind == "loop" and k.body or k
  local bytes = inner.kind == "loop" and inner.body.kind == "move" and constant(inner.body.bytes)
  return bytes and bytes <= options.turns
end

--- Is a run of `bytes` in a loop of runs moved word by word? Words of 4 bytes: three at most.
function forms.in_words(options, bytes)
  if options.words == 0 or bytes <= 8 or bytes % 4 ~= 0 then return false end
  return bytes % 8 == 0 and bytes <= 8 * options.words or bytes == 12
end

--- Bytes of one move that packs a run of a loop and what follows it, which the next move writes over, or nil. What is
--- read between two runs lies inside the layout, as when compilers vectorise such a loop. Second: the least step for
--- which that is so, where a parameter decides it.
function forms.widened(options, loop)
  local bytes, step = constant(loop.body.bytes), constant(loop.step.l)
  if not bytes or bytes >= options.wide then return nil end
  local wide = 1
  while wide < bytes do wide = 2 * wide end
  if wide == bytes or wide > options.wide then return nil end
  if step then
    if math.abs(step) <= options.line and forms.in_words(options, bytes) then return nil end
    return step + bytes >= wide and wide or nil
  end
  return wide, wide - bytes
end

--- Are loops of runs of `bytes` (Expr) unrolled?
function forms.short(options, bytes) return constant(bytes) ~= nil and constant(bytes) <= options.short end

--- Items ahead that are prefetched in a loop of moves, or nil. Steps that are parameters are taken to be large.
function forms.prefetched(options, loop)
  local step, count, bytes = constant(loop.step.l), constant(loop.count), constant(loop.body.size)
  if options.ahead == 0 or (count and count < 2 * options.ahead) or not bytes or bytes > options.line then return nil end
  if step and math.abs(step) <= options.near then return nil end
  return options.ahead
end

-- Is |a| certainly larger than |b|? A product of parameters is larger than its factors.
local function larger(a, b)
  local ca, cb = constant(a), constant(b)
  if ca and cb then return math.abs(ca) > math.abs(cb) end
  if cb then return true end
  local quotient = expr.divide(a, b)
  return quotient ~= nil and not expr.equal(quotient, expr.of(1))
end

-- Does side `a` gain from the outer loop's neighbours, by steps of less than a line inside steps that are larger? Returns
-- its step.
local function crosses(options, a, outer)
  local inner = outer.body
  local near = constant(outer.step[a])
  if not near or near == 0 or math.abs(near) > options.line / 2 then return nil end
  return larger(inner.step[a], outer.step[a]) and math.abs(near) or nil
end

-- Are the neighbours on side `b` those of the inner loop?
local function runs_along(options, b, outer)
  local near = constant(outer.body.step[b])
  return near and math.abs(near) <= options.line / 2 and larger(outer.step[b], outer.body.step[b])
end

--- Two nested loops, the inner one of moves: do both sides gain from tiles? One side's neighbours are then those of the
--- outer loop, the other's those of the inner one; where the other side is a packed stream (copies: no) that is always
--- so. What is one tile at most needs none. Returns how many neighbours fill a line, or nil.
function forms.tiled(options, outer, copies)
  local inner = outer.body
  if options.tile == 0 or inner.kind ~= "loop" or inner.body.kind ~= "move" then return nil end
  local bytes, count = constant(inner.body.bytes), constant(outer.count)
  if not bytes or bytes > options.line / 2 or (count and count < 2) then return nil end
  if count and constant(inner.count) and math.max(count, constant(inner.count)) <= options.tile then return nil end
  local near = crosses(options, "l", outer)
  if copies then
    near = near and runs_along(options, "p", outer) and near
      or runs_along(options, "l", outer) and crosses(options, "p", outer)
  end
  return near and math.max(2, math.floor(options.line / near)) or nil
end

--- Do tiles of the loops `outer`, `line` neighbours at a time, write whole lines of side `to`?
function forms.past(options, outer, to, line)
  local bytes, near = constant(outer.body.body.bytes), constant(outer.step[to])
  return options.past > 0 and bytes == near and (bytes == 8 or bytes == 16 or bytes == 32) and bytes * line == options.line
end

return forms
