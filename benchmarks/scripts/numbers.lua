-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- usage: lua numbers.lua ROUNDS
--
-- Numbers: the interpreter's loop and arrays of floats and integers; hardly an
-- allocation, no strings. A matrix that is never stored, a set in the plane, a
-- Fourier transform, arithmetic of long numbers. Prints a checksum a part.

local rounds = math.tointeger(tonumber(arg and arg[1]))
if not rounds or rounds < 1 then
  io.stderr:write("usage: lua numbers.lua ROUNDS\n")
  os.exit(2)
end

local function checksum(sum, value)
  sum = (sum ~ value) * 0x9E3779B97F4A7C15
  return sum ~ (sum >> 32)
end

local function whole(number)
  return math.floor(number * 1048576)
end

-- The greatest eigenvalue of an endless matrix's corner, by the power method.
local function entry(i, j)
  local diagonal = i + j
  return 1.0 / (diagonal * (diagonal + 1) // 2 + i + 1)
end

local function times(vector, result, transposed)
  local count = #vector
  for i = 1, count do
    local sum = 0.0
    for j = 1, count do
      if transposed then
        sum = sum + entry(j - 1, i - 1) * vector[j]
      else
        sum = sum + entry(i - 1, j - 1) * vector[j]
      end
    end
    result[i] = sum
  end
end

local function spectrum(count, steps)
  local u, v, between = {}, {}, {}
  for i = 1, count do
    u[i], v[i], between[i] = 1.0, 0.0, 0.0
  end
  for _ = 1, steps do
    times(u, between, false)
    times(between, v, true)
    times(v, between, false)
    times(between, u, true)
  end
  local uv, vv = 0.0, 0.0
  for i = 1, count do
    uv, vv = uv + u[i] * v[i], vv + v[i] * v[i]
  end
  return whole(math.sqrt(uv / vv))
end

-- How many steps points of the plane take to leave a circle.
local function plane(side, most)
  local sum = 0
  for row = 0, side - 1 do
    local ci = 2.4 * row / side - 1.2
    for column = 0, side - 1 do
      local cr = 3.0 * column / side - 2.1
      local zr, zi, steps = 0.0, 0.0, 0
      while steps < most and zr * zr + zi * zi < 4.0 do
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        steps = steps + 1
      end
      sum = checksum(sum, steps)
    end
  end
  return sum
end

-- A Fourier transform there and back, in place.
local function transform(re, im, sign)
  local count = #re
  local j = 1
  for i = 1, count do
    if i < j then
      re[i], re[j], im[i], im[j] = re[j], re[i], im[j], im[i]
    end
    local bit = count // 2
    while bit >= 1 and j > bit do
      j, bit = j - bit, bit // 2
    end
    j = j + bit
  end
  local width = 1
  while width < count do
    local angle = sign * math.pi / width
    for k = 0, width - 1 do
      local wr, wi = math.cos(angle * k), math.sin(angle * k)
      for i = k + 1, count, 2 * width do
        local other = i + width
        local tr = wr * re[other] - wi * im[other]
        local ti = wr * im[other] + wi * re[other]
        re[other], im[other] = re[i] - tr, im[i] - ti
        re[i], im[i] = re[i] + tr, im[i] + ti
      end
    end
    width = 2 * width
  end
end

local function waves(count)
  local re, im = {}, {}
  for i = 1, count do
    re[i], im[i] = (i * i) % 17 - 8.0, 0.0
  end
  transform(re, im, 1)
  local sum = 0
  for i = 1, count, 5 do
    sum = checksum(sum, whole(re[i]))
  end
  transform(re, im, -1)
  for i = 1, count do
    sum = checksum(sum, math.floor(re[i] / count + 0.5))
  end
  return sum
end

-- A product of many factors, in limbs of seven digits.
local function product(factors)
  local limbs = { 1 }
  for factor = 2, factors do
    local carry = 0
    for i = 1, #limbs do
      carry = carry + limbs[i] * factor
      limbs[i] = carry % 10000000
      carry = carry // 10000000
    end
    while carry > 0 do
      limbs[#limbs + 1] = carry % 10000000
      carry = carry // 10000000
    end
  end
  local sum = 0
  for i = 1, #limbs do
    sum = checksum(sum, limbs[i])
  end
  return sum
end

local sums = { 0, 0, 0, 0 }
for _ = 1, rounds do
  sums[1] = checksum(sums[1], spectrum(60, 3))
  sums[2] = checksum(sums[2], plane(64, 60))
  sums[3] = checksum(sums[3], waves(4096))
  sums[4] = checksum(sums[4], product(700))
end
for i, name in ipairs({ "spectrum", "plane", "waves", "product" }) do
  print(("%s %016x"):format(name, sums[i]))
end
