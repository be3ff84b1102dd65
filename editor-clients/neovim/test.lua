-- nvim --headless --clean -c "luafile test.lua" horner.cu, with $ROOFLINE_LSP and $ROOFLINE_CLIENT in the environment.
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

local function run()
  vim.cmd.luafile(vim.env.ROOFLINE_CLIENT)
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

  local names = vim.fn.getcompletion("RooflineGpu a100", "cmdline")
  check("GPUs complete", vim.tbl_contains(names, "A100 SXM4 40GB"), names)
  vim.cmd.RooflineGpu("A100 SXM4 40GB")
  until_true("the class on another GPU", function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(200)
    return (lenses()[1] or ""):match("^Bandwidth%-bound.* A100")
  end)
  check("another GPU changes the class", true, {})

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
