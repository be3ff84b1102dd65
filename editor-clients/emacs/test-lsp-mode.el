;; emacs --batch -l test-lsp-mode.el, in the test project, with this folder as -L, and $ROOFLINE_LSP and $WORK in the
;; environment.
(require 'package)
(package-initialize)
(setq lsp-enable-snippet nil
      lsp-enable-suggest-server-download nil
      lsp-session-file (expand-file-name "lsp-session" (getenv "WORK"))
      lsp-restart 'ignore
      lsp-keep-workspace-alive nil
      lsp-response-timeout 30
      lsp-warn-no-matched-clients nil
      lsp-auto-guess-root t
      lsp-guess-root-without-session t
      lsp-diagnostics-provider :none ; flymake would run a compiler as well
      lsp-disabled-clients '(clangd ccls))
(require 'roofline-lsp-mode)
(require 'test-checks)

(visit-project)
(lsp-workspace-folders-add default-directory)
(lsp)
(until-true "the server is ready"
            (lambda () (and (lsp-workspaces)
                            (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))

(defun lenses ()
  (mapcar (lambda (lens) (gethash "title" (gethash "command" lens)))
          (append (lsp-request "textDocument/codeLens" (list :textDocument (lsp--text-document-identifier))) nil)))

(defun first-lens-matches (class)
  (string-match-p (concat "^" class) (or (car (lenses)) "")))

(defun hover ()
  (let ((said (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
    (and said (gethash "value" (gethash "contents" said)))))

(at 5 "horn")
(check "hover explains the kernel" (string-match-p "Compute-bound" (or (hover) "")) (hover))
(check "lenses say the class" (first-lens-matches "Compute-bound, [0-9]+% sure.* | DP 1.5") (lenses))
(let ((actions (mapcar (lambda (each) (gethash "title" each))
                       (append (lsp-request "textDocument/codeAction" (lsp--text-document-code-action-params)) nil))))
  (check "the lens has a twin among the actions" (string-match-p "^Roofline: Compute-bound" (or (car actions) "")) actions))
(check-commands #'roofline-set-gpu #'first-lens-matches)
(check-broken-file #'lsp
                   (lambda ()
                     (let (messages)
                       (maphash (lambda (_ all) (dolist (each all) (push (gethash "message" each) messages)))
                                (lsp-diagnostics))
                       messages)))
(kill-emacs 0)
