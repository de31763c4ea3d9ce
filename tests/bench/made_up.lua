-- SPDX-License-Identifier: MIT
-- Launches that were made up, for the specs of the reports.
local made_up = {}

local files = {}

local function write(text)
  local path = os.tmpname()
  files[#files + 1] = path
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

function made_up.remove()
  for _, path in ipairs(files) do os.remove(path) end
  files = {}
end

--- A launch of one cell, d = 3, n = 3: times[function] = list of microseconds. place: library, np, transport, m (10
-- unless told); `wrong`: the function whose data were.
function made_up.launch(number, times, place, wrong)
  local raw, log = { "func;nrep;np;d;m;em;N;triv;block;time" }, { "# library: Some MPI 1.0" }
  local names, m = {}, place.m or 10
  for name in pairs(times) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    for i, x in ipairs(times[name]) do
      raw[#raw + 1] = ("  %s; %d; %d; 3; %d; 270; 3; 0; 0; %.3f"):format(name, i - 1, place.np, m, x)
    end
    log[#log + 1] = ("%s; %d; 3; %d; 270; 3; 0; 0; 1; 3; 1; 1; 1; 1; 1; 1; 1; %s; 1; some/1"):format(name,
      place.np, m, wrong == name and "wrong" or "right")
  end
  return { raw = write(table.concat(raw, "\n")), log = write(table.concat(log, "\n")),
    launch = number, library = place.library, transport = place.transport }
end

--- A file that keeps what is written in its field text.
function made_up.file()
  local file = { text = "" }
  function file:write(...) self.text = self.text .. table.concat { ... } end
  return file
end

return made_up
