" roofline-lsp in Vim 9 with ALE. Put this file into ~/.vim/after/plugin/, or :source it once ALE is loaded.
" :ALEHover on a kernel's name shows what the server says of it.

let g:roofline_command = get(g:, 'roofline_command', 'roofline-lsp')

function! RooflineRoot(buffer) abort
  for l:marker in ['roofline.toml', 'compile_commands.json']
    let l:file = ale#path#FindNearestFile(a:buffer, l:marker)
    if !empty(l:file)
      return fnamemodify(l:file, ':h')
    endif
  endfor
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return empty(l:git) ? expand('#' . a:buffer . ':p:h') : fnamemodify(l:git, ':h:h')
endfunction

call ale#linter#Define('cuda', {
\   'name': 'roofline',
\   'lsp': 'stdio',
\   'executable': {-> g:roofline_command},
\   'command': '%e --stdio',
\   'project_root': function('RooflineRoot'),
\   'language': 'cuda-cpp',
\})
