-- SPDX-License-Identifier: MIT
-- Who may require whom: the layers of docs/architecture.md against the `require` lines.
local command = require "command"

-- Layers of the page, lowest first: lists of names, "folder/*" for what no other entry names.
local function layers_of(page)
  local chain = assert(page:match "\n## Layers of `gen/cartgen`\n\n(.-)\n\n", "no chain of layers")
  local out = {}
  for layer in chain:gmatch "`([^`]*)`" do
    out[#out + 1] = {}
    for name in layer:gmatch "%S+" do table.insert(out[#out], name) end
  end
  return out
end

local function rank_of(layers, module)
  local wild
  for rank, layer in ipairs(layers) do
    for _, name in ipairs(layer) do
      if name == module then return rank end
      if name == module:gsub("[^/]+$", "*") then wild = rank end
    end
  end
  return wild
end

local function required(text)
  local out = {}
  for name in text:gmatch 'require%s*%(?%s*"cartgen%.([%w_.]+)"' do out[#out + 1] = (name:gsub("%.", "/")) end
  return out
end

-- What is wrong, as a list of texts; read: module -> its source.
local function faults(layers, sources)
  local out = {}
  for module, text in pairs(sources) do
    local rank = rank_of(layers, module)
    if not rank then out[#out + 1] = module .. " is in no layer" end
    for _, other in ipairs(required(text)) do
      local lower = rank_of(layers, other)
      if rank and not (lower and lower < rank) then
        out[#out + 1] = ("%s requires %s, which is not in a layer to its left"):format(module, other)
      end
    end
  end
  table.sort(out)
  return out
end

local function sources()
  local out = {}
  local function take(folder)
    for name in command.names("gen/cartgen/" .. folder):gmatch "%S+" do
      local module = name:match "^(.*)%.lua$"
      if module then out[folder .. module] = command.read("gen/cartgen/" .. folder .. name)
      else take(folder .. name .. "/") end
    end
  end
  take ""
  return out
end

describe("layers", function()
  local layers = layers_of(command.read "docs/architecture.md")

  it("every module requires only what is to its left", function()
    assert.same({}, faults(layers, sources()))
  end)

  it("every name of the page is a module", function()
    local all = sources()
    for _, layer in ipairs(layers) do
      for _, name in ipairs(layer) do
        local found = name:find "%*" ~= nil
        assert.is_true(found or all[name] ~= nil, name .. " is not there")
      end
    end
  end)

  it("a require that goes up is found", function()
    assert.same({ "expr requires lower, which is not in a layer to its left" },
      faults(layers, { expr = 'local lower = require "cartgen.lower"\n' }))
    assert.same({ "extra is in no layer" }, faults(layers, { extra = "return {}" }))
    assert.same({ "lower requires nothing, which is not in a layer to its left" },
      faults(layers, { lower = 'local x = require("cartgen.nothing")' }))
  end)
end)
