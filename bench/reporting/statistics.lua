-- SPDX-License-Identifier: MIT
-- Order statistics, as in bench/harness/stats.c.
local statistics = {}

--- Linear interpolation between the two nearest values.
function statistics.quantile(sorted, q)
  local at = q * (#sorted - 1)
  local i = math.floor(at)
  if i + 1 >= #sorted then return sorted[#sorted] end
  return sorted[i + 1] + (at - i) * (sorted[i + 2] - sorted[i + 1])
end

--- Ranks (1-based) of n sorted values that enclose the median with probability >= 0.95 whatever the
--- distribution is; 1 and n below 6 values.
function statistics.median_ranks(n)
  local log_term = -n * math.log(2)
  local tail, low = math.exp(log_term), 0
  if tail <= 0.025 then
    for k = 1, math.floor(n / 2) - 1 do
      log_term = log_term + math.log(n - k + 1) - math.log(k)
      tail = tail + math.exp(log_term)
      if tail > 0.025 then break end
      low = k
    end
  end
  return low + 1, n - low
end

--- Of a list that is not empty: count, min, q1, median, q3, max, low .. high (95 % of the median).
function statistics.of(values)
  local sorted = {}
  for i, x in ipairs(values) do sorted[i] = x end
  table.sort(sorted)
  local low, high = statistics.median_ranks(#sorted)
  return { count = #sorted, min = sorted[1], max = sorted[#sorted],
    q1 = statistics.quantile(sorted, 0.25), median = statistics.quantile(sorted, 0.5),
    q3 = statistics.quantile(sorted, 0.75), low = sorted[low], high = sorted[high] }
end

return statistics
