-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- usage: lua text.lua ROUNDS
--
-- Text: records written as nested text and read back by a parser that goes byte
-- by byte, templates filled in, lines split by patterns, long strings built bit
-- by bit. Nearly all it touches are strings, made once and dropped soon. Prints
-- a checksum a part.

local rounds = math.tointeger(tonumber(arg and arg[1]))
if not rounds or rounds < 1 then
  io.stderr:write("usage: lua text.lua ROUNDS\n")
  os.exit(2)
end

local function checksum(sum, value)
  sum = (sum ~ value) * 0x9E3779B97F4A7C15
  return sum ~ (sum >> 32)
end

local function checksum_text(sum, text)
  sum = checksum(sum, #text)
  for at = 1, #text, 97 do
    sum = checksum(sum, text:byte(at))
  end
  return sum
end

local state = 9
local function random(bound)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % bound
end

local function word()
  local letters = {}
  for i = 1, 2 + random(7) do
    letters[i] = string.char(97 + random(26))
  end
  return table.concat(letters)
end

-- Nested values: written, then read again.
local function value(depth)
  local kind = random(depth > 0 and 5 or 3)
  if kind == 0 then
    return random(1000000) / 64
  elseif kind == 1 then
    return word() .. (random(4) == 0 and '"\\\n' or " ") .. word()
  elseif kind == 2 then
    return random(2) == 0
  end
  local list = {}
  for i = 1, 2 + random(5) do
    list[i] = kind == 3 and value(depth - 1)
      or { name = word(), value = value(depth - 1) }
  end
  return list
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n" }

local function write(out, item)
  local kind = type(item)
  if kind == "string" then
    out[#out + 1] = '"' .. item:gsub('["\\\n]', escapes) .. '"'
  elseif kind == "number" then
    out[#out + 1] = ("%.6f"):format(item)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(item)
  elseif item.name then
    out[#out + 1] = "{" .. item.name .. ":"
    write(out, item.value)
    out[#out + 1] = "}"
  else
    out[#out + 1] = "["
    for i = 1, #item do
      if i > 1 then
        out[#out + 1] = ","
      end
      write(out, item[i])
    end
    out[#out + 1] = "]"
  end
end

local unescaped = { n = "\n" }
local read

local function read_string(text, at)
  local parts = {}
  while true do
    local byte = text:sub(at, at)
    if byte == '"' then
      return table.concat(parts), at + 1
    elseif byte == "\\" then
      local escaped = text:sub(at + 1, at + 1)
      parts[#parts + 1] = unescaped[escaped] or escaped
      at = at + 2
    else
      parts[#parts + 1] = byte
      at = at + 1
    end
  end
end

local function read_list(text, at)
  local list = {}
  while true do
    list[#list + 1], at = read(text, at)
    local byte = text:sub(at, at)
    at = at + 1
    if byte == "]" then
      return list, at
    end
  end
end

function read(text, at)
  local byte = text:sub(at, at)
  if byte == '"' then
    return read_string(text, at + 1)
  elseif byte == "[" then
    return read_list(text, at + 1)
  elseif byte == "{" then
    local name, after = text:match("^(%a+):()", at + 1)
    local item, ends = read(text, after)
    return { name = name, value = item }, ends + 1
  end
  local plain, after = text:match("^([%w.]+)()", at)
  if plain == "true" or plain == "false" then
    return plain == "true", after
  end
  return tonumber(plain), after
end

local function nested(count)
  local sum = 0
  for _ = 1, count do
    local out = {}
    write(out, value(6))
    local text = table.concat(out)
    local again = {}
    write(again, (read(text, 1)))
    if table.concat(again) ~= text then
      error("what was read is not what was written")
    end
    sum = checksum_text(sum, text)
  end
  return sum
end

-- Templates with names to be replaced, wrapped to lines.
local function letters(count)
  local template = ("Dear $name, your order of $amount $thing is %s; "):rep(4)
  local sum = 0
  for i = 1, count do
    local fields = { name = word(), amount = i, thing = word() .. "s" }
    local text = template:format("late", "here", "sent", "lost")
    text = text:gsub("%$(%a+)", fields)
    local lines, width = {}, 0
    for part in text:gmatch("%S+") do
      if width + #part > 60 then
        lines[#lines + 1], width = "\n", 0
      end
      lines[#lines + 1], width = part, width + #part + 1
    end
    sum = checksum_text(sum, table.concat(lines, " "):upper())
  end
  return sum
end

-- A table of fields in lines: built as one string, split, added up.
local function lines(count)
  local parts = {}
  for i = 1, count do
    parts[i] = ("%d;%s;%5.2f;%x"):format(i, word(), random(100000) / 100, i * i)
  end
  local sum, total = 0, 0
  for number, name, price, hex in
    table.concat(parts, "\n"):gmatch("(%d+);(%a+);%s*([%d.]+);(%x+)")
  do
    total = total + math.floor(tonumber(price) * 100 + 0.5)
    sum = checksum(sum, tonumber(hex, 16) - tonumber(number))
    sum = checksum_text(sum, name:reverse())
  end
  return checksum(sum, total)
end

-- A string that grows by its end, then is turned about in small pieces.
local function growth(count)
  local text = ""
  for i = 1, count do
    text = text .. string.char(32 + (i * 7 + random(9)) % 90)
  end
  local turned = text:gsub("(.)(.)(.)", "%3%1%2")
  return checksum_text(checksum_text(0, text), turned)
end

local sums = { 0, 0, 0, 0 }
for _ = 1, rounds do
  sums[1] = checksum(sums[1], nested(12))
  sums[2] = checksum(sums[2], letters(250))
  sums[3] = checksum(sums[3], lines(2500))
  sums[4] = checksum(sums[4], growth(2500))
end
for i, name in ipairs({ "nested", "letters", "lines", "growth" }) do
  print(("%s %016x"):format(name, sums[i]))
end
