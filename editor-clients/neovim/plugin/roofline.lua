-- roofline-lsp in Neovim 0.11 and newer: the commands beside ../lsp/roofline.lua, which says how the server is started.

if vim.g.loaded_roofline then
  return
end
vim.g.loaded_roofline = true

vim.filetype.add({ extension = { hip = "hip" } })
vim.lsp.enable("roofline")

-- A click on a code lens, or :lua vim.lsp.codelens.run() on its line, shows all about the kernel.
vim.lsp.commands["roofline.showDetails"] = function(command)
  local position = command.arguments[2]
  vim.api.nvim_win_set_cursor(0, { position.line + 1, position.character })
  vim.lsp.buf.hover()
end

local function client_of(buffer)
  local client = vim.lsp.get_clients({ bufnr = buffer, name = "roofline" })[1]
  if not client then
    vim.notify("roofline-lsp does not run in this buffer", vim.log.levels.WARN)
  end
  return client
end

local function document()
  return { uri = vim.uri_from_bufnr(0) }
end

-- Ask the server, and hand on what it answers; what fails is told.
local function ask(client, method, params, answered)
  client:request(method, params, function(failed, found)
    if failed then
      vim.notify(failed.message, vim.log.levels.ERROR)
    else
      answered(found ~= vim.NIL and found or nil)
    end
  end)
end

-- Set a setting in this session; nil leaves it to the settings file.
local function set(client, name, value)
  local settings = vim.deepcopy(client.settings or {})
  settings.roofline = settings.roofline or {}
  settings.roofline[name] = value
  if vim.tbl_isempty(settings.roofline) then
    settings.roofline = vim.empty_dict()
  end
  client.settings = settings
  client.config.settings = settings
  client:notify("workspace/didChangeConfiguration", { settings = settings })
end

-- A window with text that goes when it is closed.
local function show(text, filetype)
  vim.cmd.new()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(text), "\n"))
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = "nofile", "wipe", false
  vim.bo.filetype = filetype or ""
  vim.bo.modifiable, vim.wo.wrap = false, false
end

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, function(given)
    local client = client_of(0)
    if client then
      run(client, given)
    end
  end, options)
end

-- Completion by what the server lists: names of `key` in the answer of `method`, whose texts have what was typed in them.
local function completing(method, key)
  return function(lead)
    local client = client_of(0)
    local answer = client and client:request_sync(method, { textDocument = document() }, 5000)
    local names = vim.tbl_map(function(each)
      return each.name
    end, answer and answer.result and answer.result[key] or {})
    return vim.tbl_filter(function(name)
      return name:lower():find(lead:lower(), 1, true) ~= nil
    end, names)
  end
end

local GPUS, PROFILES = "roofline/gpus", "roofline/settingsProfiles"

-- :RooflineGpu A100, with completion; without a name, a list with the ridges of each; with ! what the settings file says.
command("RooflineGpu", function(client, given)
  if given.bang or given.args ~= "" then
    set(client, "gpu", not given.bang and given.args or nil)
    return
  end
  ask(client, GPUS, { textDocument = document() }, function(found)
    vim.ui.select(found.gpus, {
      prompt = "GPU (now " .. (found.current ~= vim.NIL and found.current or "unknown") .. ")",
      format_item = function(gpu)
        local machine = found.machine ~= vim.NIL and found.machine or {}
        local here = vim.tbl_contains(machine, gpu.name) and "   in this machine" or ""
        return string.format("%s   ridge SP %.3g, DP %.3g op/B%s", gpu.name, gpu.ridge.fp32 or 0, gpu.ridge.fp64 or 0, here)
      end,
    }, function(gpu)
      if gpu then
        set(client, "gpu", gpu.name)
      end
    end)
  end)
end, { nargs = "?", bang = true, desc = "The GPU that kernels are judged for", complete = completing(GPUS, "gpus") })

-- :RooflineSettingsProfile big takes [profiles.big] of roofline.toml; without a name, a list; with ! none.
command("RooflineSettingsProfile", function(client, given)
  if given.bang or given.args ~= "" then
    set(client, "settingsProfile", not given.bang and given.args or nil)
    return
  end
  ask(client, PROFILES, { textDocument = document() }, function(found)
    if #found.profiles == 0 then
      vim.notify("No settings file of this project has profiles: [profiles.NAME] in roofline.toml makes one.")
      return
    end
    vim.ui.select(found.profiles, {
      prompt = "Settings profile (now " .. (found.current ~= vim.NIL and found.current or "none") .. ")",
      format_item = function(profile)
        return profile.name .. "   " .. profile.sets
      end,
    }, function(profile)
      if profile then
        set(client, "settingsProfile", profile.name)
      end
    end)
  end)
end, {
  nargs = "?",
  bang = true,
  desc = "The settings profile that kernels are judged by",
  complete = completing(PROFILES, "profiles"),
})

-- :RooflineExplain tells how the class of the kernel at the cursor comes about, in a window of its own.
command("RooflineExplain", function(client)
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  ask(client, "roofline/explain", at, function(found)
    if not found then
      vim.notify("There is no kernel at the cursor, and no launch of one.")
    else
      show(found.text)
    end
  end)
end, { desc = "How the class of the kernel at the cursor comes about" })

-- What would be sent to a language model: the text that the server's command answers, in a window of its own.
local function show_prompt(client, arguments)
  local command = { command = "roofline.showPrompt", arguments = arguments }
  ask(client, "workspace/executeCommand", command, function(text)
    if text then
      show(text, "markdown")
    end
  end)
end

vim.lsp.commands["roofline.showPrompt"] = function(chosen)
  local client = client_of(0)
  if client then
    show_prompt(client, chosen.arguments)
  end
end

-- :RooflinePrompt shows what a language model is sent about the kernel at the cursor, or would be.
command("RooflinePrompt", function(client)
  local at = vim.lsp.util.make_range_params(0, client.offset_encoding)
  at.context = { diagnostics = {} }
  ask(client, "textDocument/codeAction", at, function(actions)
    for _, action in ipairs(actions or {}) do
      if action.command and action.command.command == "roofline.showPrompt" then
        show_prompt(client, action.command.arguments)
        return
      end
    end
    vim.notify("There is no kernel at the cursor, and no launch of one.")
  end)
end, { desc = "What a language model is sent about the kernel at the cursor, or would be" })

-- Units of time in ns, each for times of so many and more.
local UNITS = {
  { 365.25 * 24 * 3600e9, "years", 2 },
  { 24 * 3600e9, "days", 2 },
  { 3600e9, "h", 2 },
  { 60e9, "min", 2 },
  { 1e9, "s", 0.9995 },
  { 1e6, "ms", 0.9995 },
  { 1e3, "µs", 0.9995 },
  { 1, "ns", 0 },
}

local function duration(nanoseconds)
  if not nanoseconds or nanoseconds == vim.NIL then
    return "time unknown"
  end
  for _, unit in ipairs(UNITS) do
    if nanoseconds >= unit[1] * unit[3] then
      local value = nanoseconds / unit[1]
      return string.format(value < 1000 and "%.3g %s" or "%.0f %s", value, unit[2])
    end
  end
end

local function class_of(prediction)
  local class = prediction.class ~= vim.NIL and prediction.class or "undecided"
  local sure = prediction.confidence
  return sure and sure ~= vim.NIL and string.format("%s, %.0f%% sure", class, 100 * sure) or class
end

-- The reports of files, one after the other, handed on when all are there.
local function reports(client, uris, done)
  local found = {}
  local function next_one(at)
    if at > #uris then
      done(found)
      return
    end
    ask(client, "roofline/report", { textDocument = { uri = uris[at] } }, function(report)
      found[#found + 1] = report
      next_one(at + 1)
    end)
  end
  next_one(1)
end

-- :RooflineKernels lists all kernels of the workspace, the slowest first, in the quickfix window.
command("RooflineKernels", function(client)
  ask(client, "roofline/kernelFiles", vim.empty_dict(), function(files)
    for _, problem in ipairs(files.problems) do
      vim.notify(problem, vim.log.levels.WARN)
    end
    reports(client, files.files, function(all)
      local rows = {}
      for _, report in ipairs(all) do
        for _, file in ipairs(report.files) do
          for _, kernel in ipairs(file.kernels) do
            local time = kernel.prediction.time_ns
            rows[#rows + 1] = {
              time = time ~= vim.NIL and time or -1,
              filename = kernel.path,
              lnum = kernel.name_range.line,
              col = kernel.name_range.column + 1,
              text = string.format("%s  %s  %s", duration(time), class_of(kernel.prediction), kernel.base_name),
            }
          end
        end
      end
      if #rows == 0 then
        vim.notify("No kernel was found below the root of the project, the folder with roofline.toml or .git.")
        return
      end
      table.sort(rows, function(one, other)
        return one.time > other.time
      end)
      for _, row in ipairs(rows) do
        row.time = nil
      end
      vim.fn.setqflist({}, " ", { title = "GPU kernels", items = rows })
      vim.cmd.copen()
    end)
  end)
end, { desc = "All kernels of the workspace, the slowest first" })

-- :RooflineCompareGpus A100, H100 has the kernels of the file on several GPUs, a line each.
command("RooflineCompareGpus", function(client, given)
  local names = vim.tbl_map(vim.trim, vim.split(given.args, ",", { trimempty = true }))
  ask(client, "roofline/compareGpus", { textDocument = document(), gpus = names }, function(found)
    local lines = {}
    for at, report in ipairs(found) do
      if report == vim.NIL then
        vim.notify("There is no GPU '" .. names[at] .. "'; :RooflineGpu completes their names.", vim.log.levels.WARN)
      else
        for _, file in ipairs(report.files) do
          for _, kernel in ipairs(file.kernels) do
            lines[#lines + 1] = string.format(
              "%-24s %-28s %-16s %s",
              kernel.base_name,
              report.gpu.name,
              class_of(kernel.prediction),
              duration(kernel.prediction.time_ns)
            )
          end
        end
      end
    end
    table.sort(lines)
    if #lines > 0 then
      show(table.concat(lines, "\n"))
    end
  end)
end, { nargs = 1, desc = "The kernels of the file on several GPUs, by their names with commas between" })

-- :RooflineCompare HEAD~1 holds the kernel at the cursor against what the file was in a revision, HEAD without one.
command("RooflineCompare", function(client, given)
  local revision = given.args ~= "" and given.args or "HEAD"
  local file = vim.api.nvim_buf_get_name(0)
  local shown = vim
    .system({ "git", "show", revision .. ":./" .. vim.fs.basename(file) }, { cwd = vim.fs.dirname(file), text = true })
    :wait()
  if shown.code ~= 0 then
    vim.notify(vim.trim(shown.stderr), vim.log.levels.ERROR)
    return
  end
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local now = vim.tbl_extend("force", at, { label = "now" })
  local before = { textDocument = document(), text = shown.stdout, label = revision }
  ask(client, "roofline/compare", { variants = { before, now } }, function(found)
    if found.problem then
      vim.notify(found.problem, vim.log.levels.WARN)
    else
      show(found.markdown, "markdown")
    end
  end)
end, { nargs = "?", desc = "The kernel at the cursor beside what it was in a revision of Git" })

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
    if vim.g.roofline_inlay_hints ~= false then
      vim.lsp.inlay_hint.enable(true, { bufnr = attached.buf })
    end
  end,
})
