" roofline-lsp in Vim 9 with ALE. Put this file into ~/.vim/after/plugin/, or :source it once ALE is loaded.
" :ALEHover on a kernel's name shows what the server says of it.

let g:roofline_command = get(g:, 'roofline_command', 'roofline-lsp')

" The GPU that kernels are judged for; empty leaves it to the project's roofline.toml.
let g:roofline_gpu = get(g:, 'roofline_gpu', '')

" :RooflineGpu A100 takes another one in this session.
function! s:SetGpu(gpu) abort
  let g:roofline_gpu = a:gpu
  ALEStopAllLSPs
  ALELint
endfunction
command! -nargs=1 RooflineGpu call s:SetGpu(<q-args>)

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

function! RooflineConfig(buffer) abort
  return empty(g:roofline_gpu) ? {} : {'roofline': {'gpu': g:roofline_gpu}}
endfunction

for [s:filetype, s:language] in items({'cuda': 'cuda-cpp', 'opencl': 'opencl', 'hip': 'hip', 'cpp': 'cpp', 'c': 'c'})
  call ale#linter#Define(s:filetype, {
  \   'name': 'roofline',
  \   'lsp': 'stdio',
  \   'executable': {-> g:roofline_command},
  \   'command': '%e --stdio',
  \   'project_root': function('RooflineRoot'),
  \   'language': s:language,
  \   'lsp_config': function('RooflineConfig'),
  \})
endfor
