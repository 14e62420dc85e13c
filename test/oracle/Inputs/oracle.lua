-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- A little of everything, small enough for QEMU.
local seen = {}
for i = 1, 400 do
  local n, steps = i, 0
  while n ~= 1 do
    n = n % 2 == 0 and n // 2 or 3 * n + 1
    steps = steps + 1
  end
  seen[steps] = (seen[steps] or 0) + 1
end
local keys = {}
for steps in pairs(seen) do
  keys[#keys + 1] = steps
end
table.sort(keys, function(a, b)
  return seen[a] > seen[b] or (seen[a] == seen[b] and a < b)
end)
for i = 1, 5 do
  print(keys[i], seen[keys[i]])
end

local words = {}
for word in string.rep("the quick brown fox ", 200):gmatch("%a+") do
  words[#words + 1] = word:upper():reverse()
end
print(#words, table.concat(words, "-", 1, 8))

local function numbers()
  for i = 1, 300 do
    coroutine.yield({ value = i, text = ("%05d %g"):format(i, i / 7) })
  end
end
local sum, text = 0, ""
for item in coroutine.wrap(numbers) do
  sum = sum + item.value
  text = item.text
end
print(sum, text, math.sin(sum), string.pack("<i4z", sum, text):byte(1, -1))

print(pcall(function()
  return nil + 1
end))
collectgarbage("generational")
local live = {}
for i = 1, 4000 do
  live[i % 100] = { tostring(i), live[(i + 1) % 100] and i }
end
collectgarbage()
print(load("return select('#', ...)")(1, 2, 3), os.time() > 0)
