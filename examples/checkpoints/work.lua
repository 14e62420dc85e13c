-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- A script that knows nothing of checkpoints: accounts, their histories, and
-- what can be said of them. It has no end.

local state = 12345
local function random(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 % n + 1
end

local accounts, by_name = {}, {}
for i = 1, 20000 do
  local account = {name = ("account %05d"):format(i), balance = 100, last = ""}
  accounts[i] = account
  by_name[account.name] = account
end

-- A coroutine of the script's own.
local pairs_of_accounts = coroutine.wrap(function()
  while true do
    -- Most of it is among a few.
    local from = random(10) > 1 and random(500) or random(#accounts)
    coroutine.yield(accounts[from], accounts[random(500)])
  end
end)

local steps = 0
local sample = {}

function result()
  local lines, digest = {}, 7
  for name, account in pairs(by_name) do -- in the order of the heap's hashes
    for i, byte in ipairs({(name .. account.balance .. account.last):byte(1, -1)}) do
      digest = (digest * 31 + byte * i) % 1000000007
    end
  end
  return ("step %d, digest %d, sample %s, accounts used %d"):format(
    steps, digest, sample[1] and sample[1].name or "none",
    select(2, pcall(function()
      local used = 0
      for _, account in ipairs(accounts) do
        if account.last ~= "" then used = used + 1 end
      end
      return used
    end)))
end

while true do
  steps = steps + 1
  local from, to = pairs_of_accounts()
  local amount = random(20)
  from.balance = from.balance - amount
  to.balance = to.balance + amount
  to.last = ("%d from %s"):format(amount, from.name)
  if steps % 500 == 0 then
    -- Functions of C that call the script.
    sample = {table.unpack(accounts, 1, 200)}
    table.sort(sample, function(a, b)
      if a.balance ~= b.balance then return a.balance > b.balance end
      return a.name < b.name
    end)
    sample[1].last = sample[1].last:gsub("%d+", function(digits)
      return tostring(tonumber(digits) % 97)
    end)
  end
end
