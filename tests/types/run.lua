-- SPDX-License-Identifier: MIT
-- run.lua: random types through a generator, its C through a compiler, its functions through the harness.
--
--   --seed N, --count N        which random cases (CARTGEN_SEED, else the clock; 200), behind those of corners.lua
--   --generator CMD            CMD FILE.lua -o FILE.c --header FILE.h; none: only the MPI library is checked
--   --harness EXE              types_harness
--   --launch CMD               put before it (an MPI launcher)
--   --mpi                      check the MPI library too
--   --cc CC, --cflags FLAGS    the compiler; --cflags is added to -std=c11 -Wall -Wextra -Werror -O1
--   --sources FILES            more C to link, and libraries
--   --root DIR                 of cartgen: its runtime/include is on the path
--   --work DIR                 everything is written here
--   --without A,B              features of trees.lua to leave out
--   --fault NAME               given to the generator: one fault planted
--   --faults                   every fault of `CMD --list-faults` planted in turn; each must be found
--   --exchange                 the types in schedules, whose exchanges are checked
--   --with-lists               only those with lists that are known at run time
--   --found                    there must be a fault, which is not made small; then the status is 0
--   --shrinks-to N             there must be a failure that shrinks to N constructors; then the status is 0
--   --random-only              without corners.lua
--   --print                    print the description of all cases; nothing is run
--
-- Status 0: no fault; 1: a fault, its case made small and printed as a description; 2: trouble.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local corners = require "corners"
local emit = require "emit"
local measure = require "measure"
local shrink = require "shrink"
local tree = require "tree"
local trees = require "trees"

local FLAGS = { mpi = true, faults = true, print = true, ["random-only"] = true, exchange = true, ["with-lists"] = true,
  found = true }
local MOST_CANDIDATES, MOST_ROUNDS, MOST_STOPS = 40, 40, 3

local function fail(...)
  io.stderr:write(("run.lua: %s\n"):format(string.format(...)))
  os.exit(2)
end

local function read_options()
  local o = { count = "200", cc = "cc", cflags = "", sources = "", launch = "", work = "types.work", root = "." }
  o.seed = os.getenv "CARTGEN_SEED" or tostring(os.time() % 100000)
  local i = 1
  while arg[i] do
    local name = arg[i]:match "^%-%-([%a%-]+)$"
    if not name then fail("what is %s?", arg[i]) end
    if FLAGS[name] then o[name], i = true, i + 1 else o[name], i = arg[i + 1], i + 2 end
    if o[name] == nil then fail("--%s needs a value", name) end
  end
  if not (o.harness or o.print) then fail "--harness is missing" end
  return o
end

local options = read_options()
local seed = tonumber(options.seed)

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function in_work(name) return options.work .. "/" .. name end

local function write(name, text)
  local file = io.open(in_work(name), "w") or fail("cannot write %s", in_work(name))
  file:write(text)
  file:close()
end

local function read(name)
  local file = io.open(in_work(name))
  if not file then return "" end
  local text = file:read "*a"
  file:close()
  return text
end

-- Runs a command; did it succeed, and what it printed.
local function run(log, format, ...)
  local a, _, c = os.execute(format:format(...) .. " >" .. quote(in_work(log)) .. " 2>&1")
  return (a == true or a == 0) and (c or 0) == 0, read(log)
end

-- ---------------------------------------------------------------- judging

local function generate()
  return run("generator.log", "%s %s -o %s --header %s%s", options.generator, quote(in_work "batch.lua"), quote(in_work "batch.c"),
    quote(in_work "batch.h"), options.fault and " --fault " .. options.fault or "")
end

local function compile()
  return run("compiler.log", "%s -std=c11 -Wall -Wextra -Werror -O1 %s -fPIC -shared -I%s -I%s -I%s -o %s %s %s %s", options.cc,
    options.cflags, quote(options.root .. "/runtime/include"), quote(here), quote(options.work), quote(in_work "batch.so"),
    quote(in_work "batch.c"), quote(in_work "subjects.c"), options.sources)
end

local function execute(with_library, environment)
  return run("harness.log", "%s %s %s --seed %d %s %s %s", environment or "", options.launch, quote(options.harness), seed,
    options.mpi and "--mpi" or options.exchange and "--exchange" or "", quote(in_work "cases.txt"),
    with_library and quote(in_work "batch.so") or "")
end

local function write_batch(cases)
  write("batch.lua", (options.exchange and emit.exchange_description or emit.description)(cases))
  write("cases.txt", emit.table(cases))
  write("subjects.c", (options.exchange and emit.exchanges or emit.subjects)(cases, "batch.h"))
end

local function first_line(text) return text:match "[^\n]*error[^\n]*" or text:match "[^\n]+" or "it says nothing" end

-- First fault of every case in the harness's output; the case it stopped in, if it did.
local function read_verdicts(text, verdicts)
  local at
  for line in text:gmatch "[^\n]+" do
    at = line:match "^at (%S+)" or at
    local name, what = line:match "^fault (%S+) (.*)$"
    if name and not verdicts[name] then verdicts[name] = "set " .. what end
  end
  if text:find "\ndone: " or text:find "^done: " then return nil end
  return at or "?"
end

local judge

local function judge_parts(cases, verdicts, what)
  if #cases == 1 then
    verdicts[cases[1].name] = what
    return
  end
  for part = 0, 1 do
    local half, middle = {}, math.floor(#cases / 2)
    for i = part == 0 and 1 or middle + 1, part == 0 and middle or #cases do half[#half + 1] = cases[i] end
    judge(half, verdicts)
  end
end

local stops -- how often the program stopped in this judgement; what follows the last stop is not judged

-- What the harness compared in this judgement.
local compared

-- "done: 3 cases, 40 comparisons, ..." added to what was compared.
local function count_compared(log)
  local n, comparisons = log:match "done: (%d+) cases, (%d+) comparisons"
  compared.cases = compared.cases + tonumber(n or 0)
  compared.comparisons = compared.comparisons + tonumber(comparisons or 0)
end

--- Sets verdicts[name] to what is wrong with a case.
function judge(cases, verdicts)
  write_batch(cases)
  local ok, log = generate()
  if not ok then return judge_parts(cases, verdicts, "the generator refuses it: " .. first_line(log)) end
  ok, log = compile()
  if not ok then return judge_parts(cases, verdicts, "it does not compile: " .. first_line(log)) end
  ok, log = execute(true)
  local stopped = read_verdicts(log, verdicts)
  if stopped then
    local rest, found = {}, false
    for _, case in ipairs(cases) do
      if found then rest[#rest + 1] = case end
      found = found or case.name == stopped
    end
    if not found then fail("the harness stopped: %s", log:sub(1, 2000)) end
    verdicts[stopped] = "the program stops: " .. first_line(log:match "\nat [^\n]*\n([^\n].*)$" or log)
    stops = stops + 1
    if #rest > 0 and stops < MOST_STOPS then return judge(rest, verdicts) end
  elseif not ok and next(verdicts) == nil then
    io.write(log)
    fail "MPI differs too often"
  end
  count_compared(log)
end

-- ---------------------------------------------------------------- cases

local function has_lists(case)
  local found = false
  for _, root in ipairs { case.type, case.to } do
    tree.walk(root, function(node) tree.run_time_lists(node, function() found = true end) end)
  end
  return found
end

-- Lengths of all lists of places of a type, and which of them are known at run time only, as a text.
local function lengths_of(root)
  local out = {}
  tree.walk(root, function(node)
    if node.displs then out[#out + 1] = node.displs.list and "list of " .. tree.num_text(node.displs.n) or tostring(#node.displs) end
  end)
  return table.concat(out, ",")
end

-- The sizes of both ends of a transfer must be one expression: of types with lists of other lengths the second is left out,
-- or the case (false), where the first overlaps itself.
local function is_exchangeable(case)
  if case.to and lengths_of(case.type) ~= lengths_of(case.to) then
    case.to = nil
    for _, values in ipairs(case.sets) do
      if trees.bad_case(case, values) then return false end
    end
    trees.settle(case)
  end
  for _, values in ipairs(case.sets) do
    if measure.overlaps(measure.map(case.to or case.type, values)) then return false end
  end
  return not options["with-lists"] or has_lists(case)
end

local function make_cases()
  local without = {}
  for name in (options.without or ""):gmatch "[^,]+" do without[#without + 1] = name end
  local ok, features = pcall(trees.with, without)
  if not ok then fail("%s", features) end
  trees.places_only = options.exchange or false
  local cases = {}
  for i, case in ipairs(options["random-only"] and {} or corners.cases(features)) do
    case.name = "k" .. i
    if options.exchange then trees.settle(case) end
    if not options.exchange or is_exchangeable(case) then cases[#cases + 1] = case end
  end
  local i, wanted = 0, #cases + tonumber(options.count)
  while #cases < wanted do
    i = i + 1
    local case = trees.case(seed, i, features)
    case.name = "t" .. i
    if not options.exchange or is_exchangeable(case) then cases[#cases + 1] = case end
  end
  return cases
end

local function first_failed(cases, verdicts)
  for _, case in ipairs(cases) do if verdicts[case.name] then return case end end
end

-- Rounds of smaller cases, a batch each, until none of them fails.
local function make_small(case, what)
  for round = 1, MOST_ROUNDS do
    local batch, verdicts = {}, {}
    for i, candidate in ipairs(shrink.candidates(case)) do
      if i > MOST_CANDIDATES then break end
      candidate.name = ("s%d_%d"):format(round, i)
      batch[i] = candidate
    end
    if #batch == 0 then break end
    stops = 0
    judge(batch, verdicts)
    local smaller = first_failed(batch, verdicts)
    if not smaller then break end
    case, what = smaller, verdicts[smaller.name]
  end
  return case, what
end

local function print_case(case, what)
  print(emit.layout(case))
  for i, values in ipairs(case.sets) do
    local out = {}
    for _, p in ipairs(case.params) do
      local v = values[p.name]
      out[#out + 1] = p.name .. " = " .. (type(v) == "table" and "{ " .. table.concat(v, ", ") .. " }" or tostring(v))
    end
    if #out > 0 then print(("set %d: %s"):format(i - 1, table.concat(out, ", "))) end
  end
  print("fault: " .. what)
end

local function report_failures(cases, verdicts)
  local count = 0
  for _, case in ipairs(cases) do
    if verdicts[case.name] then
      count = count + 1
      if count <= 10 then print(("%s: %s"):format(case.name, verdicts[case.name])) end
    end
  end
  local case = first_failed(cases, verdicts)
  print(("%d of %d cases fail; %s made small:\n"):format(count, #cases, case.name))
  local small, what = make_small(case, verdicts[case.name])
  print_case(small, what)
  return tree.size(small.type)
end

-- ---------------------------------------------------------------- what is run

-- Cases of one description: a longer one passes the steps that a description may take.
local MOST_IN_BATCH = 60

local function check_random(cases)
  local verdicts = {}
  stops, compared = 0, { cases = 0, comparisons = 0 }
  for first = 1, #cases, MOST_IN_BATCH do
    local batch = {}
    for i = first, math.min(first + MOST_IN_BATCH - 1, #cases) do batch[#batch + 1] = cases[i] end
    judge(batch, verdicts)
  end
  if next(verdicts) == nil then
    print(("%d cases, %d comparisons, no fault"):format(compared.cases, compared.comparisons))
    if compared.cases ~= #cases then fail("%d of %d cases were compared", compared.cases, #cases) end
    return (options["shrinks-to"] or options.found) and 1 or 0
  end
  if options.found then
    local case = first_failed(cases, verdicts)
    print(("found: %s: %s"):format(case.name, verdicts[case.name]))
    return 0
  end
  local size = report_failures(cases, verdicts)
  print(("\nrepeat with --seed %d --count %s"):format(seed, options.count))
  if options["shrinks-to"] then return size <= tonumber(options["shrinks-to"]) and 0 or 1 end
  return 1
end

local function check_library(cases)
  write("cases.txt", emit.table(cases))
  local ok, log = execute(false)
  for line in log:gmatch "[^\n]+" do if not line:find "^at " and not line:find "^mpi%-" then print(line) end end
  return ok and 0 or 1
end

local function check_faults(cases)
  write_batch(cases)
  local ok, log = generate()
  if not ok then fail("%s", log) end
  local missed, names = 0, { "none" }
  local listed, text = run("faults.log", "%s --list-faults", options.generator)
  if not listed then fail("%s", text) end
  for name in text:gmatch "%S+" do names[#names + 1] = name end
  ok, log = compile()
  if not ok then fail("%s", log) end
  for _, name in ipairs(names) do
    execute(true, "REFERENCE_FAULT=" .. name)
    local verdicts, found = {}, 0
    local stopped = read_verdicts(read "harness.log", verdicts)
    for _ in pairs(verdicts) do found = found + 1 end
    if (found > 0 or stopped ~= nil) == (name == "none") then
      missed = missed + 1
      print(("MISSED: %s"):format(name))
    else
      print(("%-14s %d cases"):format(name, found))
    end
  end
  print(("%d faults planted, %d missed"):format(#names - 1, missed))
  return missed == 0 and 0 or 1
end

local cases = make_cases()
if options.print then
  io.write(emit.description(cases), emit.table(cases))
  os.exit(0)
end
print(("[types: CARTGEN_SEED=%d]"):format(seed))
os.execute("mkdir -p " .. quote(options.work))
if not options.generator then os.exit(check_library(cases)) end
os.exit((options.faults and check_faults or check_random)(cases))
