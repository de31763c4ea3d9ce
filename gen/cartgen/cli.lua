-- SPDX-License-Identifier: MIT
-- The command line.
local argparse = require "argparse"
local diag = require "cartgen.diag"
local emit = require "cartgen.emit"
local pipeline = require "cartgen.pipeline"
local util = require "cartgen.util"

local cli = {}

local EXIT = { ok = 0, user = 1, usage = 2, bug = 3 }

local function parser()
  local p = argparse("cartgen", "Generates C for neighbourhood exchanges on Cartesian grids.",
    "Exit status: 0 done, 1 a mistake in the description or a file, 2 wrong usage, 3 a bug of cartgen.")
  p:add_help { "-h --help", description = "Show this text and exit." }
  p:argument("description", "The description (Lua), or - for standard input.")
  p:option("--set", "Give a parameter a value: it becomes a constant (k=v, or k=v,v,... for a list). "
    .. "Or an option of the transport: zero_copy=auto|always|never."):args(1):count("*"):argname("<k=v>")
  p:option("--algorithm", "Override: auto, direct, combining, partial, partial:{0}{1,2}."):argname("<name>")
  p:option("--transport", "Override: mpi, mpi:persistent, mpi:blocking."):argname("<name>")
  p:option("--kernel", "Thresholds of kernels, for tuning: plain, or tile=32,ahead=16,... (docs/tuning.md)."):argname("<thresholds>")
  p:option("--schedule", "Only the schedule or layout of this name."):argname("<name>")
  p:option("--emit", "What to print."):choices(pipeline.forms):default "c"
  p:option("-o --output", "Write to a file instead of standard output."):argname("<file>")
  p:option("--header", "Write the declarations to this file and include it."):argname("<file>")
  p:flag("--list", "List the schedules, a line each.")
  p:flag("--check", "Prove and lower everything, print a line each, write nothing.")
  p:flag("--version", "Print the version and exit."):action(function()
    io.stdout:write("cartgen ", emit.version, "\n")
    os.exit(EXIT.ok)
  end)
  return p
end

local function read_all(name)
  if name == "-" then return io.read "*a" or "" end
  local file, message = io.open(name, "rb")
  local text = file and file:read "*a"
  if file then file:close() end
  if not text then diag.fail({ file = name }, "cannot read the description: %s", (message or "not a file"):gsub("^.*: ", "")) end
  return text
end

-- All of the files {name, text} or none: temporaries beside them, then renames.
local function write_all(files)
  local function give_up(name, message)
    for _, file in ipairs(files) do os.remove(file.name .. ".cartgen-tmp") end
    diag.fail({ file = name }, "cannot write: %s", (message or "disk full?"):gsub("^.*: ", ""))
  end
  for _, file in ipairs(files) do
    local handle, message = io.open(file.name .. ".cartgen-tmp", "wb")
    if not (handle and handle:write(file.text) and handle:close()) then give_up(file.name, message) end
  end
  for _, file in ipairs(files) do
    local ok, message = os.rename(file.name .. ".cartgen-tmp", file.name)
    if not ok then give_up(file.name, message) end
  end
end

-- Lists of integers for parameters and words for options of the transport, by name; or nil and what is wrong.
local function parse_sets(list)
  local sets, words = {}, {}
  for _, text in ipairs(list) do
    local name, values = text:match "^([A-Za-z_][A-Za-z0-9_]*)=(.+)$"
    if not name then return nil, ("--set got '%s', expected k=v"):format(text) end
    if pipeline.is_option(name) and values:match "^%a" then
      words[name] = values
    else
      sets[name] = {}
      for value in (values .. ","):gmatch "([^,]*)," do
        local n = value:match "^[+-]?%d+$" and tonumber(value)
        if not n or not util.is_int(n) then return nil, ("--set %s: '%s' is not an integer below 2^53 in size"):format(name, value) end
        table.insert(sets[name], n)
      end
    end
  end
  return sets, words
end

local function basename(path) return path:match "([^/]+)$" or path end

local function quoted(text)
  if text:match "^[A-Za-z0-9_=:,./-]+$" then return text end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The command that regenerates the file, without folders.
local function command_of(options, sets, words)
  local out = { "cartgen" }
  for _, name in ipairs(util.sorted_keys(sets)) do
    local values = {}
    for i, n in ipairs(sets[name]) do values[i] = util.int(n) end
    out[#out + 1] = "--set " .. quoted(name .. "=" .. table.concat(values, ","))
  end
  for _, name in ipairs(util.sorted_keys(words)) do out[#out + 1] = "--set " .. quoted(name .. "=" .. words[name]) end
  for _, name in ipairs { "algorithm", "transport", "kernel", "schedule" } do
    if options[name] then out[#out + 1] = ("--%s %s"):format(name, quoted(options[name])) end
  end
  if options.header then out[#out + 1] = "--header " .. quoted(basename(options.header)) end
  out[#out + 1] = quoted(basename(options.description))
  return table.concat(out, " ")
end

local function run(options, sets, words)
  local name = options.description == "-" and "stdin" or options.description
  local args = { file = basename(name), text = read_all(options.description), sets = sets, words = words, algorithm = options.algorithm,
    transport = options.transport, kernel = options.kernel, only = options.schedule, emit = options.emit,
    header = options.header and basename(options.header), command = command_of(options, sets, words) }
  if options.list then
    io.stdout:write(pipeline.list(args))
  elseif options.check then
    io.stdout:write(pipeline.check(args))
  else
    local result = pipeline.generate(args)
    local files = {}
    if options.header then files[1] = { name = options.header, text = result.header } end
    if options.output then files[#files + 1] = { name = options.output, text = result.source } end
    write_all(files)
    if not options.output then io.stdout:write(result.source) end
  end
end

--- Runs the command line; returns the exit status.
function cli.main(argv, root)
  util.root(root)
  local ok, options = parser():pparse(argv)
  if not ok then
    local text = tostring(options):gsub("\nDid", "; did"):gsub("%s*\n%s*", " ")
    io.stderr:write("cartgen: ", text, " (try cartgen --help)\n")
    return EXIT.usage
  end
  local sets, words = parse_sets(options.set)
  if not sets then
    io.stderr:write("cartgen: ", words, "\n")
    return EXIT.usage
  end
  if options.header and options.emit ~= "c" then
    io.stderr:write("cartgen: --header goes with --emit c\n")
    return EXIT.usage
  end
  local fine, e = xpcall(function() run(options, sets, words) end, function(e)
    return type(e) == "table" and e or { kind = "bug", message = debug.traceback(tostring(e), 2) }
  end)
  if fine then return EXIT.ok end
  if diag.is(e) then
    io.stderr:write(diag.text(e), "\n")
    return EXIT.user
  end
  io.stderr:write("cartgen: internal error, please report it: ", tostring(e.message), "\n")
  return EXIT.bug
end

return cli
