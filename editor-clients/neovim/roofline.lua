-- roofline-lsp in Neovim 0.11 and newer.
-- Put this file into ~/.config/nvim/plugin/ (Neovim then reads it at start), or :source it.

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

-- Neovim 0.11 asks for code lenses only when told to.
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
  end,
})
