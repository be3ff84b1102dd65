" script -qec "vim -T xterm -n -N -u test.vim horner.cu" /dev/null, in the test project, with $ROOFLINE_LSP,
" $ROOFLINE_CLIENT and $RESULT in the environment: what came of it is written into the file $RESULT.
set nocompatible hidden
let g:ale_linters_explicit = 1
let g:ale_linters = {'cuda': ['roofline']}
let g:ale_hover_to_preview = 1
let g:roofline_command = $ROOFLINE_LSP
packadd! ale
filetype plugin indent on

let s:out = []

function! s:Until(name, Condition) abort
  let l:tries = 0
  while !a:Condition()
    if l:tries > 300
      throw a:name . ': not within 30 s'
    endif
    let l:tries += 1
    sleep 100m
  endwhile
  call add(s:out, 'ok ' . a:name)
endfunction

function! s:Preview() abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow')
      return join(getbufline(winbufnr(l:window), 1, '$'), "\n")
    endif
  endfor
  return ''
endfunction

function! s:HoverSays(pattern) abort
  pclose
  call cursor(5, 18)
  ALEHover
  let l:tries = 0
  while empty(s:Preview()) && l:tries < 30
    sleep 100m
    let l:tries += 1
  endwhile
  return s:Preview() =~# a:pattern
endfunction

function! s:Run() abort
  try
    ALELint
    call s:Until('hover explains the kernel', {-> s:HoverSays('Compute-bound')})
    RooflineGpu A100 SXM4 40GB
    call s:Until('another GPU changes the class', {-> s:HoverSays('Bandwidth-bound.*A100')})
    pclose
    edit broken.cu
    ALELint
    call s:Until('what cannot be read is reported', {-> getloclist(0)->filter({_, v -> v.text =~# 'syntax error'})->len() > 0})
  catch
    call add(s:out, 'not ok ' . v:exception . ' ' . v:throwpoint)
  endtry
  call writefile(s:out, $RESULT)
  qall!
endfunction

autocmd VimEnter * execute 'source ' . fnameescape($ROOFLINE_CLIENT) | call timer_start(300, {-> s:Run()})
