-- Writes a scene of two queues from an empty file: every word of the language is one that completion offers, and what is missing
-- comes from a quick fix. Names and numbers are typed.
vim.g.syncscope = os.getenv('SYNCSCOPE')
dofile(os.getenv('CONFIG'))
vim.cmd('edit ' .. os.getenv('SCENE'))

local function fail(why)
  io.stderr:write(why .. '\n')
  vim.cmd('cquit 1')
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  for _, answer in pairs(answers or {}) do
    if answer.error then fail(method .. ': ' .. answer.error.message) end
    return answer.result
  end
  fail(method .. ': no answer')
end

-- Types text at the end.
local function type_text(text)
  local last = vim.api.nvim_buf_line_count(0)
  local line = vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1]
  local lines = vim.split(line .. text, '\n', { plain = true })
  vim.api.nvim_buf_set_lines(0, last - 1, last, false, lines)
  last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { last, #vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1] })
end

local function offered()
  local params = vim.lsp.util.make_position_params()
  local last = vim.api.nvim_buf_line_count(0)
  params.position = { line = last - 1, character = #vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1] }
  local words = {}
  for _, item in ipairs(request('textDocument/completion', params).items) do
    words[item.label] = true
  end
  return words
end

-- Takes a word from what is offered.
local function take(word)
  if not offered()[word] then
    fail('`' .. word .. '` is not offered after: ' .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
  end
  type_text(word)
end

-- Text in angle brackets is taken from completion; the rest is typed.
local function write(text)
  for typed, word in (text .. '<>'):gmatch('(.-)<(.-)>') do
    if typed ~= '' then type_text(typed) end
    if word ~= '' then take(word) end
  end
end

local function clients_ready()
  for _, client in pairs(vim.lsp.buf_get_clients(0)) do
    return client.initialized ~= nil
  end
  return false
end
if not vim.wait(20000, clients_ready, 20) then fail('the server does not start') end

write('<buffer> data : 64KiB { <flags> <UNORDERED_ACCESS> }\n')
write('<queue> gfx : <direct>\n<queue> async : <compute>\n<fence> done\n')
write('<list> produce : <compute> {\n  <dispatch> 64x1x1 { <UNORDERED_ACCESS> <data> <writes> }\n}\n')
write('<list> consume : <direct> {\n  <draw> { <SHADER_RESOURCE> <data> }\n}\n')
write('<timeline> {\n  <async> <execute> <produce>\n  <gfx> <execute> <consume>\n}\n')

local function worst()
  local all = vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
  return all[1]
end
-- What was shown of the text while it was written goes; the hazard comes.
local function shows_hazard()
  local found = worst()
  return found ~= nil and found.message:find('unexpected') == nil
end
if not vim.wait(20000, shows_hazard, 20) then
  fail('no hazard is shown: ' .. (worst() and worst().message or 'nothing'))
end

for _ = 1, 5 do
  local found = worst()
  if not found then break end
  local place = { line = found.lnum, character = found.col }
  local actions = request('textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = place, ['end'] = place },
    context = { diagnostics = {} },
  })
  local fix
  for _, action in ipairs(actions) do
    if action.edit and action.kind == 'quickfix' and not fix then fix = action end
  end
  if not fix then fail('no quick fix for: ' .. found.message) end
  vim.lsp.util.apply_workspace_edit(fix.edit, 'utf-16')
  local before = found.message
  vim.wait(20000, function()
    local now = worst()
    return now == nil or now.message ~= before
  end, 20)
end
if worst() then fail('left: ' .. worst().message) end

local edits = request('textDocument/formatting', {
  textDocument = vim.lsp.util.make_text_document_params(),
  options = { tabSize = 2, insertSpaces = true },
})
vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), 'utf-16')
vim.cmd('write')
vim.cmd('quitall!')
