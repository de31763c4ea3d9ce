-- SPDX-License-Identifier: MIT
-- Datatypes as MPI defines them, reduced to a canonical strided block.
--
-- segment: {start, counts, strides, elem}: `elem` bytes in a run, counts[j] of them strides[j] bytes
-- apart, outermost first; no counts: one run. Unit counts are dropped and runs that touch are merged,
-- so that equal layouts are equal segments.
local record = require "cartgen.record"
local expr = require "cartgen.expr"
local diag = require "cartgen.diag"
local util = require "cartgen.util"

local datatype = {}

local make = record.define("Datatype", { kind = "required", basic = "required", size = "required", extent = "required",
  lb = "required", true_lb = "required", true_extent = "required", align = "required", segment = "required" })

--- Is v a datatype?
function datatype.is(v) return record.type(v) == "Datatype" end

--- v, or an error that says what it should have been.
function datatype.need(v, what)
  if not datatype.is(v) then diag.fail(nil, "%s is %s, expected a datatype (int, contiguous(n, double), ...)", what, util.show(v)) end
  return v
end

--- A count or displacement: integer or expression; constants may not be negative when `low` is 0.
function datatype.count(v, what, low)
  if not (expr.is(v) or util.is_int(v)) then
    diag.fail(nil, "%s is %s, expected an integer or an expression of parameters", what, util.show(v))
  end
  if low and expr.is_const(v) and expr.value(v) < low then
    diag.fail(nil, "%s is %s, expected %d or more", what, util.int(expr.value(v)), low)
  end
  return expr.of(v)
end

local ONE, ZERO = expr.of(1), expr.of(0)

local function is_number(e, n) return expr.is_const(e) and expr.value(e) == n end

-- Drops unit counts, merges a dimension into the one inside it where they touch.
local function canonical(start, counts, strides, elem)
  if is_number(elem, 0) then return { start = ZERO, counts = {}, strides = {}, elem = ZERO } end
  local c, s = {}, {}
  for j = #counts, 1, -1 do
    if is_number(counts[j], 0) then return { start = ZERO, counts = {}, strides = {}, elem = ZERO } end
    if not is_number(counts[j], 1) then
      if #c == 0 and expr.equal(strides[j], elem) then
        elem = expr.mul(counts[j], elem)
      elseif #c > 0 and expr.equal(strides[j], expr.mul(c[1], s[1])) then
        c[1] = expr.mul(counts[j], c[1])
      else
        table.insert(c, 1, counts[j])
        table.insert(s, 1, strides[j])
      end
    end
  end
  return { start = start, counts = c, strides = s, elem = elem }
end

-- From the first to one past the last byte touched, for strides that are not negative.
local function span_of(segment)
  local span = segment.elem
  for j, count in ipairs(segment.counts) do
    span = expr.add(span, expr.mul(expr.sub(count, ONE), segment.strides[j]))
  end
  return span
end

--- Datatype from a strided block of `counts` and `strides` around `inner`, starting at `start`.
--- extent and lb as MPI gives them; nil: those of the touched bytes.
function datatype.strided(kind, inner, start, counts, strides, extent)
  local seg = inner.segment
  local all_counts, all_strides = {}, {}
  local size = inner.size
  for j, count in ipairs(counts) do
    all_counts[j], all_strides[j] = count, strides[j]
    size = expr.mul(count, size)
  end
  for j, count in ipairs(seg.counts) do
    all_counts[#counts + j], all_strides[#counts + j] = count, seg.strides[j]
  end
  local segment = canonical(expr.add(start, seg.start), all_counts, all_strides, seg.elem)
  local span = is_number(size, 0) and ZERO or span_of(segment)
  return make { kind = kind, basic = inner.basic, size = size, extent = extent or span, lb = ZERO,
    true_lb = segment.start, true_extent = span, align = inner.align, segment = segment }
end

--- A basic type of `bytes`.
function datatype.basic(name, bytes, align)
  local size = expr.of(bytes)
  return make { kind = "basic", basic = name, size = size, extent = size, lb = ZERO, true_lb = ZERO, true_extent = size,
    align = align or bytes, segment = { start = ZERO, counts = {}, strides = {}, elem = size } }
end

--- Stable text: kind, size and layout.
function datatype.text(t)
  local s = t.segment
  local out = {}
  for j, count in ipairs(s.counts) do out[j] = ("%s step %s of "):format(expr.text(count), expr.text(s.strides[j])) end
  return ("%s bytes of %s: %s%s bytes at %s"):format(expr.text(t.size), t.basic, table.concat(out), expr.text(s.elem),
    expr.text(s.start))
end

return datatype
