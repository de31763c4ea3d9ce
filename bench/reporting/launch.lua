-- SPDX-License-Identifier: MIT
-- Runs one launch of a program. The table of repetitions goes to a file of its own.
local launch = {}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Runs a command; true when it succeeded (Lua 5.4 and LuaJIT).
function launch.shell(command)
  local ok = os.execute(command)
  return ok == true or ok == 0
end

function launch.make_directory(path) return launch.shell("mkdir -p " .. quote(path)) end

-- Processes beyond the cores must yield. The transports are named, so that none is taken silently.
local function openmpi(run, cores)
  local words = { "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    run.launchers.openmpi, "--oversubscribe", "--mca pml ob1", "-n " .. run.np,
    run.transport == "tcp" and "--mca btl tcp,self" or "--mca btl vader,self" }
  if run.np > cores then words[#words + 1] = "--mca mpi_yield_when_idle 1 --bind-to none" end
  return words
end

local function mpich(run) return { run.launchers.mpich, "-n " .. run.np } end

local function output_of(command)
  local pipe = io.popen(command)
  local text = pipe and pipe:read "*a" or ""
  if pipe then pipe:close() end
  return text
end

function launch.cores() return tonumber(output_of("nproc 2>/dev/null"):match "%d+") or 1 end

--- Facts of the machine, one line each; nothing that names it.
function launch.facts()
  local model = output_of("grep -m1 'model name' /proc/cpuinfo"):match ":%s*([^\n]*)"
  return {
    ("processor: %s, %d cores"):format(model or "unknown", launch.cores()),
    "kernel: " .. (output_of("uname -sr"):match "[^\n]+" or "unknown"),
    "compiler: " .. (output_of("cc --version 2>/dev/null"):match "[^\n]+" or "unknown"),
  }
end

--- The command of a run: library, np, transport, programs and launchers by library, arguments (list of
-- words; "{raw}" is the file of repetitions), limit (seconds), raw and log (files).
function launch.command(run, cores)
  local words = run.library == "mpich" and mpich(run) or openmpi(run, cores)
  words[#words + 1] = quote(run.programs[run.library])
  for _, word in ipairs(run.arguments) do
    words[#words + 1] = quote(word == "{raw}" and run.raw or tostring(word))
  end
  local line = quote(table.concat(words, " "))
  return ("timeout %d sh -c %s > %s 2>&1"):format(run.limit, line, quote(run.log))
end

--- true, or false and the line that says why.
function launch.run(run, cores)
  if launch.shell(launch.command(run, cores)) then return true end
  local why = "no result within the time limit, or a crash"
  for line in io.lines(run.log) do
    local wrong = line:find "data wrong" or line:find "data failed" or line:find "wrong data, "
    if line:find "error" or (wrong and not line:find "^MPI") then why = line end
  end
  return false, why
end

return launch
