-- Neovim from 0.7 on: `:luafile nvim.lua`, or copy it into your configuration.
-- Set `vim.g.syncscope` to the program's path if it is not in PATH.
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = { '*.scn', '*.litmus', '*.lower' },
  callback = function()
    vim.bo.filetype = 'syncscope'
  end,
})

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'syncscope',
  callback = function(event)
    local config = {
      name = 'syncscope',
      cmd = { vim.g.syncscope or 'syncscope', 'lsp' },
      root_dir = vim.fn.getcwd(),
    }
    if vim.lsp.start then
      vim.lsp.start(config)
    else
      vim.lsp.buf_attach_client(event.buf, vim.lsp.start_client(config))
    end
    vim.bo[event.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
    vim.bo[event.buf].commentstring = '// %s'
    local map = function(keys, does)
      vim.keymap.set('n', keys, does, { buffer = event.buf })
    end
    map('K', vim.lsp.buf.hover)
    vim.keymap.set('i', '<C-k>', vim.lsp.buf.signature_help, { buffer = event.buf })
    map('gd', vim.lsp.buf.definition)
    map('gr', vim.lsp.buf.references)
    map('<leader>r', vim.lsp.buf.rename)
    map('<leader>a', vim.lsp.buf.code_action)
    map('<leader>f', vim.lsp.buf.formatting or vim.lsp.buf.format)
  end,
})
