-- Tables, closures, strings, coroutines, errors, the collector.
local function collatz(n)
  local steps = 0
  while n ~= 1 do
    n = n % 2 == 0 and n // 2 or 3 * n + 1
    steps = steps + 1
  end
  return steps
end

local seen = {}
for i = 1, 20000 do
  local steps = collatz(i)
  seen[steps] = (seen[steps] or 0) + 1
end
local keys = {}
for steps in pairs(seen) do
  keys[#keys + 1] = steps
end
table.sort(keys, function(a, b)
  return seen[a] > seen[b] or (seen[a] == seen[b] and a < b)
end)
for i = 1, 10 do
  print(keys[i], seen[keys[i]])
end

local words = {}
for word in string.rep("the quick brown fox ", 2000):gmatch("%a+") do
  words[#words + 1] = word:upper():reverse()
end
print(#words, table.concat(words, "-", 1, 8))

local function numbers()
  for i = 1, 5000 do
    coroutine.yield({ value = i, text = ("%05d"):format(i) })
  end
end
local sum, text = 0, ""
for item in coroutine.wrap(numbers) do
  sum = sum + item.value
  text = item.text
end
print(sum, text)

print(pcall(function()
  return nil + 1
end))
print(select(2, pcall(error, { code = 7 })).code)

collectgarbage("generational")
local list
for i = 1, 200000 do
  list = { i, next = i % 1000 ~= 0 and list or nil }
end
collectgarbage()
print(list[1], string.pack("<i4d", 7, 0.1):byte(1, -1))
os.exit(3, true)
