-- SPDX-License-Identifier: MIT
-- The C tree: what is printed, without punctuation. Bytes and counts stay Exprs until cprint.
--
-- Values: a Lua integer, an Expr, or a node {kind = "id" | "index" | "offset" | "text", ...}.
-- Statements and top-level items are nodes as well.
local ctree = {}

local function node(kind, ...)
  local names = { ... }
  return function(...)
    local out = { kind = kind }
    for i, name in ipairs(names) do out[name] = (select(i, ...)) end
    return out
  end
end

-- values
ctree.id = node("id", "name")
ctree.index = node("index", "base", "at")            -- base[at]
ctree.offset = node("offset", "base", "bytes")       -- base + bytes
ctree.size = node("size", "bytes")                   -- (size_t)bytes
ctree.field = node("field", "base", "name")          -- base->name
ctree.address = node("address", "of")                -- &of
ctree.cast = node("cast", "type", "value")           -- (type)value
ctree.sum = node("sum", "terms")                     -- terms {factor values} added up
ctree.macro = node("macro", "name", "args")
ctree.param = node("param", "name")                  -- a parameter of the description
ctree.member = node("member", "base", "name")        -- base.name
ctree.group = node("group", "value")                 -- (value)
ctree.binary = node("binary", "left", "op", "right") -- left op right; op: + - * / % < <= > >= == != &&

-- statements
ctree.comment = node("comment", "text")
ctree.declare = node("declare", "type", "name", "value")
ctree.compute = node("compute", "factor")            -- const int64_t of a call's name = the call
ctree.assign = node("assign", "to", "value")
ctree.update = node("update", "to", "op", "value")   -- to op value; op: += -= %=
ctree.call = node("call", "name", "args")
ctree.when = node("when", "test", "body")            -- if (test) { body }
ctree.loop = node("loop", "var", "count", "body", "unrolled") -- for (int64_t var = 0; var < count; var++)
ctree.range = node("range", "var", "from", "limit", "step", "body") -- for (; var + step - 1 < limit; var += step); from nil: goes on
ctree.tiles = node("tiles", "var", "count", "size", "body", "from") -- for (int64_t var = from; var < count; var += size); from nil: 0
ctree.while_ = node("while_", "test", "body")
ctree.either = node("either", "test", "body", "other") -- if ... else ...
ctree.leave = node("leave")                          -- return;
ctree.result = node("result", "value")               -- return value;
ctree.blank = node("blank")

-- tests
ctree.present = node("present", "value")             -- value != NULL
ctree.negative = node("negative", "values")          -- any value < 0
ctree.unequal = node("unequal", "one", "other")      -- one != other
ctree.anything = node("anything", "values")          -- any value but 0
ctree.beyond = node("beyond", "terms", "limit")      -- !(sum of magnitudes in double < limit)

-- top level
ctree.func = node("func", "name", "params", "body", "type", "public") -- static unless public; type nil: void
ctree.table = node("table", "type", "name", "shape", "rows") -- static const
ctree.struct = node("struct", "name", "members")     -- typedef struct of members {type, name}
ctree.section = node("section", "text")

return ctree
