-- roofline-lsp in Neovim 0.11 and newer.
-- Put this file into ~/.config/nvim/plugin/ (Neovim then reads it at start), or :source it.

local METHOD_GPUS = "roofline/gpus"
local METHOD_EXPLAIN = "roofline/explain"

vim.filetype.add({ extension = { hip = "hip" } })

vim.lsp.config("roofline", {
  cmd = { "roofline-lsp", "--stdio" }, -- or the full path of the command
  filetypes = { "cuda", "hip", "opencl", "c", "cpp" }, -- silent in files without kernels
  root_markers = { "roofline.toml", "compile_commands.json", ".git" },
  init_options = { clientCommands = { "roofline.showDetails" } },
  -- Settings given here go before a project's roofline.toml:
  -- settings = { roofline = { gpu = "RTX 3080" } },
})
vim.lsp.enable("roofline")

-- A click on a code lens, or :lua vim.lsp.codelens.run() on its line, shows all about the kernel.
vim.lsp.commands["roofline.showDetails"] = function(command)
  local position = command.arguments[2]
  vim.api.nvim_win_set_cursor(0, { position.line + 1, position.character })
  vim.lsp.buf.hover()
end

local function client_of(buffer)
  return vim.lsp.get_clients({ bufnr = buffer, name = "roofline" })[1]
end

-- Judge kernels for another GPU, in this session.
local function set_gpu(client, gpu)
  local settings = vim.tbl_deep_extend("force", client.settings or {}, { roofline = { gpu = gpu } })
  client.settings = settings
  client.config.settings = settings
  client:notify("workspace/didChangeConfiguration", { settings = settings })
end

local function names_of(gpus)
  return vim.tbl_map(function(gpu)
    return gpu.name
  end, gpus)
end

-- :RooflineGpu A100, with completion; without a name, a list with the ridges of each.
vim.api.nvim_create_user_command("RooflineGpu", function(given)
  local client = client_of(0)
  if not client then
    vim.notify("roofline-lsp does not run in this buffer", vim.log.levels.WARN)
    return
  end
  if given.args ~= "" then
    set_gpu(client, given.args)
    return
  end
  client:request(METHOD_GPUS, { textDocument = { uri = vim.uri_from_bufnr(0) } }, function(failed, found)
    if failed then
      vim.notify(failed.message, vim.log.levels.ERROR)
      return
    end
    vim.ui.select(found.gpus, {
      prompt = "GPU (now " .. (found.current or "unknown") .. ")",
      format_item = function(gpu)
        return string.format("%s   ridge SP %.3g, DP %.3g op/B", gpu.name, gpu.ridge.fp32 or 0, gpu.ridge.fp64 or 0)
      end,
    }, function(gpu)
      if gpu then
        set_gpu(client, gpu.name)
      end
    end)
  end)
end, {
  nargs = "?",
  desc = "The GPU that kernels are judged for",
  complete = function(lead)
    local client = client_of(0)
    local answer = client and client:request_sync(METHOD_GPUS, vim.empty_dict(), 5000)
    local names = answer and answer.result and names_of(answer.result.gpus) or {}
    return vim.tbl_filter(function(name)
      return name:lower():find(lead:lower(), 1, true) ~= nil
    end, names)
  end,
})

-- :RooflineExplain tells how the class of the kernel at the cursor comes about, in a window of its own.
vim.api.nvim_create_user_command("RooflineExplain", function()
  local client = client_of(0)
  if not client then
    vim.notify("roofline-lsp does not run in this buffer", vim.log.levels.WARN)
    return
  end
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  client:request(METHOD_EXPLAIN, at, function(failed, found)
    if failed then
      vim.notify(failed.message, vim.log.levels.ERROR)
      return
    end
    if not found or found == vim.NIL then
      vim.notify("There is no kernel at the cursor, and no launch of one.")
      return
    end
    vim.cmd.new()
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(found.text), "\n"))
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = "nofile", "wipe", false
    vim.bo.modifiable, vim.wo.wrap = false, false
  end)
end, { desc = "How the class of the kernel at the cursor comes about" })

-- Neovim 0.11 asks for code lenses only when told to; inlay hints give each line's share.
vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("roofline", {}),
  callback = function(attached)
    local client = vim.lsp.get_client_by_id(attached.data.client_id)
    if not client or client.name ~= "roofline" then
      return
    end
    local group = vim.api.nvim_create_augroup("roofline-lens-" .. attached.buf, {})
    vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, {
      group = group,
      buffer = attached.buf,
      callback = function()
        vim.lsp.codelens.refresh({ bufnr = attached.buf })
      end,
    })
    vim.lsp.codelens.refresh({ bufnr = attached.buf })
    vim.lsp.inlay_hint.enable(true, { bufnr = attached.buf }) -- leave this line out for none
  end,
})
