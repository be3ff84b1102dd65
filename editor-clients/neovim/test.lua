-- nvim --headless --clean --cmd "set rtp^=FOLDER" -c "luafile test.lua" horner.cu, with $ROOFLINE_LSP in the environment and
-- this file's folder as FOLDER: as a plugin manager puts it on the runtimepath.
local function check(name, value, what)
  if not value then
    error(name .. ": " .. vim.inspect(what))
  end
  print("ok " .. name .. "\n")
end

local function until_true(name, condition)
  if not vim.wait(30000, condition, 50) then
    error(name .. ": not within 30 s")
  end
end

local function lenses()
  return vim.tbl_map(function(lens)
    return lens.command.title
  end, vim.lsp.codelens.get(0))
end

local said = {}
vim.lsp.handlers["window/showMessage"] = function(_, message)
  said[#said + 1] = message.message
end

local function run()
  vim.fn.writefile({ "# the root of the project" }, "roofline.toml")
  vim.lsp.config("roofline", { cmd = { vim.env.ROOFLINE_LSP, "--stdio" } })
  vim.cmd.doautoall("FileType")
  until_true("the client", function()
    local client = vim.lsp.get_clients({ name = "roofline" })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ name = "roofline" })[1]

  until_true("lenses", function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(200)
    return #lenses() == 2
  end)
  check("the lens says the class", lenses()[1]:match("^Compute%-bound, %d%d%% sure.* | DP 1%.5 flop/B"), lenses())

  vim.api.nvim_win_set_cursor(0, { 5, 18 })
  vim.lsp.buf.hover()
  local float
  until_true("the hover's window", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        float = window
        return true
      end
    end
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), "\n")
  check("the hover explains it", text:find("Compute-bound", 1, true), text)
  vim.api.nvim_win_close(float, true)

  until_true("inlay hints", function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  check("inlay hints give shares", vim.lsp.inlay_hint.get({ bufnr = 0 })[1].inlay_hint.label:find("DP"), {})

  local source = vim.api.nvim_get_current_win()
  vim.cmd.RooflineExplain()
  until_true("the explanation", function()
    return vim.api.nvim_get_current_win() ~= source
  end)
  local steps = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  check("the kernel is explained", steps:find("8  What assumptions are worth", 1, true), steps)
  check("the explanation cannot be changed", not vim.bo.modifiable, {})
  vim.api.nvim_win_close(0, true)

  vim.cmd.RooflinePrompt()
  until_true("the prompt", function()
    return vim.api.nvim_get_current_win() ~= source
  end)
  local prompt = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  check("what would be sent is shown", prompt:find("nothing is sent", 1, true) and prompt:find("y[i] = sum", 1, true), prompt)
  vim.api.nvim_win_close(0, true)

  local names = vim.fn.getcompletion("RooflineGpu a100", "cmdline")
  check("GPUs complete", vim.tbl_contains(names, "A100 SXM4 40GB"), names)
  vim.cmd.RooflineGpu("A100 SXM4 40GB")
  until_true("the class on another GPU", function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(200)
    return (lenses()[1] or ""):match("^Bandwidth%-bound.* A100")
  end)
  check("another GPU changes the class", true, {})

  vim.cmd.RooflineGpu("RTX 308O")
  until_true("what is wrong with a GPU's name", function()
    return #said > 0
  end)
  check("the nearest GPU is told", said[1]:find("RTX 308O", 1, true) and said[1]:find("RTX 3080", 1, true), said)

  vim.cmd.RooflineCompareGpus("A100 SXM4 40GB, RTX 3080 10GB")
  until_true("the comparison of GPUs", function()
    return vim.api.nvim_get_current_win() ~= source
  end)
  local judged = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  check("each kernel has a line for each GPU", #judged == 4 and judged[3]:match("^horner +A100.* BB, %d+%% sure +%d[%d.]* %S+$"), judged)
  check("and another class on the other", judged[4]:match("^horner +GeForce RTX 3080.* CB, "), judged)
  vim.api.nvim_win_close(0, true)

  vim.fn.writefile({ "[profiles.other]", 'gpu = "RTX 3080"' }, "roofline.toml")
  vim.cmd.RooflineSettingsProfile("other")
  vim.cmd("RooflineGpu!")
  until_true("the class by the profile", function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(200)
    return (lenses()[1] or ""):match("^Compute%-bound.* RTX 3080")
  end)
  check("profiles complete", vim.deep_equal(vim.fn.getcompletion("RooflineSettingsProfile o", "cmdline"), { "other" }), {})
  vim.cmd("RooflineSettingsProfile!")
  check("no profile is chosen any more", client.settings.roofline.settingsProfile == nil, client.settings)

  vim.cmd.RooflineKernels()
  until_true("the kernels of the workspace", function()
    return vim.bo.buftype == "quickfix"
  end)
  local rows = vim.fn.getqflist()
  check("all kernels are listed, also of headers and OpenMP", #rows == 7, rows)
  check("with time and class", rows[1].text:match("^%S+ %S+  %u%u, %d+%% sure  %S"), rows[1])
  vim.cmd.cclose()
  vim.api.nvim_set_current_win(source)

  local git = { "git", "-c", "user.name=n", "-c", "user.email=e@example.org" }
  for _, words in ipairs({ { "init", "-q" }, { "add", "." }, { "commit", "-qm", "first" } }) do
    vim.system(vim.list_extend(vim.list_extend({}, git), words)):wait()
  end
  vim.api.nvim_buf_set_lines(0, 8, 9, true, { "        double sum = c[12] + x[i] / at;" })
  vim.api.nvim_win_set_cursor(0, { 5, 18 })
  vim.cmd.RooflineCompare()
  until_true("the comparison with the last commit", function()
    return vim.api.nvim_get_current_win() ~= source
  end)
  local beside = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  check("the kernel stands beside what it was", beside:match("`HEAD` | +`now` |"), beside)
  check("alone, as the cursor is in it", not beside:find("copy", 1, true), beside)
  check("with the line that differs", beside:find("x[i] / at", 1, true), beside)
  vim.api.nvim_win_close(0, true)

  vim.api.nvim_win_set_cursor(0, { 18, 18 })
  local actions = client:request_sync("textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    range = { start = { line = 17, character = 18 }, ["end"] = { line = 17, character = 18 } },
    context = { diagnostics = {} },
  }, 10000, 0)
  check("the lens has a twin among the actions", actions.result[1].title:match("^Roofline: Bandwidth%-bound"), actions)

  vim.cmd.edit("broken.cu")
  until_true("diagnostics", function()
    return #vim.diagnostic.get(0) > 0
  end)
  check("what cannot be read is reported", vim.diagnostic.get(0)[1].message:find("syntax error"), {})
  client:stop(true)
end

local fine, failure = pcall(run)
if not fine then
  print("not ok " .. tostring(failure) .. "\n")
  vim.cmd("cquit 1")
end
vim.cmd("qa!")
