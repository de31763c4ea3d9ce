-- SPDX-License-Identifier: MIT
-- What the report programs share: their command line, and running launches.
local launch = require "reporting.launch"

local session = {}

local function program_name() return arg[0]:match "[^/]+/[^/]+$" or arg[0] end

--- Says why on stderr and ends.
function session.fail(status, format, ...)
  io.stderr:write(program_name(), ": error: ", format:format(...), "\n")
  os.exit(status)
end

--- The command line. defaults: option -> value (a number: the option takes one); flags: option -> true.
-- The programs and launchers of both libraries have their options everywhere (program: path below the
-- build folder).
function session.parse(defaults, flags, program)
  defaults.openmpi, defaults.mpich = "build/openmpi/bench/" .. program, "build/mpich/bench/" .. program
  defaults["openmpi-run"], defaults["mpich-run"] = "mpirun.openmpi", "mpirun.mpich"
  local o, i = {}, 1
  while arg[i] do
    local name = arg[i]:match "^%-%-(.+)"
    if flags[name] then
      o[name] = true
    elseif name and defaults[name] and arg[i + 1] then
      i = i + 1
      o[name] = arg[i]
      if type(defaults[name]) == "number" then o[name] = tonumber(arg[i]) end
      if not o[name] then session.fail(2, "--%s %s is not a number", name, arg[i]) end
    else
      session.fail(2, "unknown or incomplete option %s; --help tells them all", arg[i])
    end
    i = i + 1
  end
  return setmetatable(o, { __index = defaults })
end

function session.exists(path)
  local file = path ~= "" and io.open(path)
  if file then file:close() end
  return file and true or false
end

function session.open(path)
  local file, why = io.open(path, "w")
  if not file then session.fail(1, "%s", why) end
  return file
end

--- Facts of the machine and the libraries (libraries[name] = version), a line each.
function session.facts(libraries)
  local facts = launch.facts()
  for _, name in ipairs { "openmpi", "mpich" } do
    if libraries[name] then facts[#facts + 1] = "library: " .. libraries[name] end
  end
  return facts
end

--- Fails when there is neither program nor --again; makes DIR/raw.
function session.prepare(o)
  if not o.again and not session.exists(o.openmpi) and not session.exists(o.mpich) then
    session.fail(2, "neither %s nor %s exists", o.openmpi, o.mpich)
  end
  if not launch.make_directory(o.out .. "/raw") then session.fail(1, "%s cannot be made", o.out) end
end

--- Gives a run (library, np, transport, name, arguments, limit, launch) its programs and files. What is named
-- "{raw}" in the arguments is the file of repetitions.
function session.complete(run, o)
  run.programs = { openmpi = o.openmpi, mpich = o.mpich }
  run.launchers = { openmpi = o["openmpi-run"], mpich = o["mpich-run"] }
  run.raw, run.log = o.out .. "/raw/" .. run.name .. ".csv", o.out .. "/raw/" .. run.name .. ".log"
  return run
end

local function measure(run, cores, failures)
  local start = os.time()
  os.remove(run.raw)
  local ok, why = launch.run(run, cores)
  local verdict = ok and "ok" or "FAILED: " .. why
  io.stderr:write(("%s: %s, %d s\n"):format(run.name, verdict, os.time() - start))
  if not ok then failures[#failures + 1] = run.name .. ": " .. why end
end

--- Measures what can be (with --again nothing). The runs that left a log, and the lines of those that failed.
function session.run_all(list, o)
  local runs, failures, cores = {}, {}, launch.cores()
  for _, run in ipairs(list) do
    session.complete(run, o)
    if not o.again and session.exists(o[run.library]) then measure(run, cores, failures) end
    if session.exists(run.log) then runs[#runs + 1] = run end
  end
  return runs, failures
end

return session
