-- Work for the interpreter: calls, closures, tables, strings and garbage, the same at every run.

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function queens(size)
    local solutions, columns, rising, falling = 0, {}, {}, {}
    local function place(row)
        if row > size then solutions = solutions + 1 return end
        for column = 1, size do
            if not columns[column] and not rising[row + column] and not falling[row - column + size] then
                columns[column], rising[row + column], falling[row - column + size] = true, true, true
                place(row + 1)
                columns[column], rising[row + column], falling[row - column + size] = nil, nil, nil
            end
        end
    end
    place(1)
    return solutions
end

local Account = {}
Account.__index = Account
function Account.new(balance) return setmetatable({balance = balance, log = {}}, Account) end
function Account:deposit(amount)
    self.balance = self.balance + amount
    self.log[#self.log + 1] = string.format("%+d", amount)
end

local function accounts(count)
    local all, seed = {}, 42
    for i = 1, count do all[i] = Account.new(i) end
    for i = 1, count * 10 do
        seed = (seed * 1103515245 + 12345) % 2147483648
        all[seed % count + 1]:deposit(seed % 100 - 50)
    end
    table.sort(all, function(a, b)
        if a.balance ~= b.balance then return a.balance < b.balance end
        return #a.log < #b.log
    end)
    return all[1].balance .. ".." .. all[count].balance .. " " .. table.concat(all[1].log, ",")
end

local function words(text)
    local count, order = {}, {}
    for word in text:gmatch("%a+") do
        word = word:lower()
        if not count[word] then count[word] = 0; order[#order + 1] = word end
        count[word] = count[word] + 1
    end
    table.sort(order, function(a, b) return count[a] > count[b] or (count[a] == count[b] and a < b) end)
    return order[1] .. "=" .. count[order[1]]
end

local function failures(count)
    local failed = 0
    for i = 1, count do
        if not pcall(function() if i % 3 == 0 then error({code = i}) end end) then failed = failed + 1 end
    end
    return failed
end

local function generator(limit)
    return coroutine.wrap(function() for i = 1, limit do coroutine.yield(i) end end)
end

print("fib", fib(29))
print("queens", queens(9))
print("accounts", accounts(8000))
local text = {}
for i = 1, 60000 do text[i] = ({"the", "quick", "brown", "Fox", "jumps", "over", "the", "lazy", "dog"})[i * 7 % 9 + 1] end
print("words", words(table.concat(text, " ")))
print("failures", failures(30000))
local sum = 0
for i in generator(30000) do sum = sum + i end
print("generator", sum)
