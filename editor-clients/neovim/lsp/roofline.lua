-- roofline-lsp for Neovim's own client, as nvim-lspconfig has servers: what is not set here is set by
-- vim.lsp.config("roofline", { ... }), such as cmd, or settings = { roofline = { gpu = "RTX 3080" } }, which go before a
-- project's roofline.toml.
return {
  cmd = { "roofline-lsp", "--stdio" },
  filetypes = { "cuda", "hip", "opencl", "c", "cpp" }, -- silent in files without kernels
  root_markers = { "roofline.toml", "compile_commands.json", ".git" },
  init_options = { clientCommands = { "roofline.showDetails", "roofline.showPrompt" } },
}
