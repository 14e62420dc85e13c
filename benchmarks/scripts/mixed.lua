-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- usage: lua mixed.lua ROUNDS
--
-- What Lua programs spend their time on: tables as arrays, as records and as
-- dictionaries, strings built and taken apart, closures, coroutines, and the
-- collector behind them all. Prints a checksum a part; nothing depends on the
-- order that pairs() happens to have.

local rounds = math.tointeger(tonumber(arg and arg[1]))
if not rounds or rounds < 1 then
  io.stderr:write("usage: lua mixed.lua ROUNDS\n")
  os.exit(2)
end

local function checksum(sum, value)
  sum = (sum ~ value) * 0x9E3779B97F4A7C15
  return sum ~ (sum >> 32)
end

local state = 1
local function random(bound)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % bound
end

-- Arrays: a sieve, and a sort with a function.
local function arrays(size)
  local composite, primes = {}, {}
  for i = 2, size do
    if not composite[i] then
      primes[#primes + 1] = i
      for j = i * i, size, i do
        composite[j] = true
      end
    end
  end
  for i = 1, #primes do
    local j = 1 + random(#primes)
    primes[i], primes[j] = primes[j], primes[i]
  end
  table.sort(primes, function(a, b)
    return a % 1000 < b % 1000 or a % 1000 == b % 1000 and a < b
  end)
  local sum = 0
  for i = 1, #primes, 7 do
    sum = checksum(sum, primes[i])
  end
  return sum
end

-- Records: bodies that attract each other, in floating point.
local function records(count, steps)
  local bodies = {}
  for i = 1, count do
    bodies[i] = { x = random(1000), y = random(1000), vx = 0.0, vy = 0.0,
                  mass = 1.0 + random(10) }
  end
  for _ = 1, steps do
    for _, a in ipairs(bodies) do
      for _, b in ipairs(bodies) do
        local dx, dy = b.x - a.x, b.y - a.y
        local pull = b.mass / (dx * dx + dy * dy + 100.0)
        a.vx, a.vy = a.vx + pull * dx, a.vy + pull * dy
      end
    end
    for _, a in ipairs(bodies) do
      a.x, a.y = a.x + a.vx * 0.01, a.y + a.vy * 0.01
    end
  end
  local sum = 0
  for _, a in ipairs(bodies) do
    sum = checksum(sum, math.floor(a.x * 1024 + a.y))
  end
  return sum
end

-- Strings and dictionaries: words made, joined, split again and counted.
local function words(count)
  local parts = {}
  for i = 1, count do
    parts[i] = string.char(97 + random(26), 97 + random(6)) .. random(200)
  end
  local seen, distinct = {}, {}
  for letters, digits in table.concat(parts, " "):gmatch("(%a+)(%d+)") do
    local word = letters:upper() .. "-" .. digits
    if not seen[word] then
      seen[word] = 0
      distinct[#distinct + 1] = word
    end
    seen[word] = seen[word] + #word
  end
  table.sort(distinct)
  local sum = 0
  for _, word in ipairs(distinct) do
    sum = checksum(sum, seen[word] + word:byte(1))
  end
  return sum
end

-- Objects that die young and some that live: trees through a coroutine.
local Tree = {}
Tree.__index = Tree

function Tree.new(depth)
  local tree = setmetatable({ value = random(1000) }, Tree)
  if depth > 0 then
    tree.left, tree.right = Tree.new(depth - 1), Tree.new(depth - 1)
  end
  return tree
end

function Tree:each(visit)
  if self.left then
    self.left:each(visit)
  end
  visit(self.value)
  if self.right then
    self.right:each(visit)
  end
end

local function objects(depth, count)
  local sum, kept = 0, {}
  for i = 1, count do
    local tree = Tree.new(depth)
    kept[i % 4 + 1] = tree
    for value in coroutine.wrap(function()
      tree:each(coroutine.yield)
    end) do
      sum = checksum(sum, value)
    end
  end
  return sum
end

local sums = { 0, 0, 0, 0 }
for _ = 1, rounds do
  sums[1] = checksum(sums[1], arrays(20000))
  sums[2] = checksum(sums[2], records(40, 20))
  sums[3] = checksum(sums[3], words(8000))
  sums[4] = checksum(sums[4], objects(10, 8))
end
for i, name in ipairs({ "arrays", "records", "words", "objects" }) do
  print(("%s %016x"):format(name, sums[i]))
end
