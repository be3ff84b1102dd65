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
(setq roofline-command (list (getenv "ROOFLINE_LSP") "--stdio"))

(defun check (name good what)
  (unless good
    (princ (format "not ok %s: %S\n" name what))
    (kill-emacs 1))
  (princ (format "ok %s\n" name)))

(defun until-true (name condition)
  (let ((end (+ (float-time) 30)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (check name (funcall condition) "not within 30 s")))

(dolist (words '(("init" "-q") ("add" ".") ("-c" "user.name=n" "-c" "user.email=e@example.org" "commit" "-qm" "first")))
  (apply #'call-process "git" nil nil nil words))
(find-file "horner.cu")
(lsp-workspace-folders-add default-directory)
(lsp)
(until-true "the server is ready"
            (lambda () (and (lsp-workspaces)
                            (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))

(defun at (line text)
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text))

(defun lenses ()
  (mapcar (lambda (lens) (gethash "title" (gethash "command" lens)))
          (append (lsp-request "textDocument/codeLens" (list :textDocument (lsp--text-document-identifier))) nil)))

(defun hover ()
  (let ((said (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
    (and said (gethash "value" (gethash "contents" said)))))

(at 5 "horn")
(check "hover explains the kernel" (string-match-p "Compute-bound" (or (hover) "")) (hover))
(check "lenses say the class" (string-match-p "^Compute-bound, [0-9]+% sure.* | DP 1.5" (or (car (lenses)) "")) (lenses))
(let ((actions (mapcar (lambda (each) (gethash "title" each))
                       (append (lsp-request "textDocument/codeAction" (lsp--text-document-code-action-params)) nil))))
  (check "the lens has a twin among the actions" (string-match-p "^Roofline: Compute-bound" (or (car actions) "")) actions))
(roofline-explain)
(with-current-buffer "*Explanation of horner*"
  (check "the kernel is explained"
         (string-match-p "8  What assumptions are worth" (buffer-string)) (buffer-string)))
(roofline-set-gpu "A100 SXM4 40GB")
(until-true "another GPU changes the class" (lambda () (string-match-p "^Bandwidth-bound.*A100" (or (car (lenses)) ""))))
(defun shown (buffer) (with-current-buffer buffer (buffer-string)))
(roofline-compare-gpus '("A100 SXM4 40GB" "RTX 3080 10GB"))
(check "each kernel has a line for each GPU"
       (string-match-p "\\`copy +A100 SXM4 40GB +BB, [0-9]+% sure .*\ncopy +GeForce RTX 3080.*\nhorner +A100.* BB, .*\nhorner +GeForce RTX 3080.* CB, .* [0-9.]+ µs\\'"
                       (shown "*Kernels on GPUs*"))
       (shown "*Kernels on GPUs*"))
(roofline-kernels)
(check "all kernels are listed, also of headers and OpenMP"
       (and (= 8 (length (split-string (shown "*GPU kernels*") "\n")))
            (string-match-p "\\`GPU kernels, the slowest first\n/.*:[0-9]+:[0-9]+: [0-9.]+ .?s  [CB]B, [0-9]+% sure  " (shown "*GPU kernels*")))
       (shown "*GPU kernels*"))
(at 5 "horn")
(roofline-show-prompt)
(check "what would be sent is shown" (string-match-p "nothing is sent.*\\(.\\|\n\\)*y\\[i\\] = sum" (shown "*What is sent to the model*"))
       (shown "*What is sent to the model*"))
(roofline-set-gpu nil)
(with-temp-file "roofline.toml" (insert "[profiles.other]\ngpu = \"A100\"\n"))
(until-true "no GPU but that of the settings file" (lambda () (string-match-p "^Compute-bound" (or (car (lenses)) ""))))
(roofline-settings-profile "other")
(until-true "a profile of the settings file is chosen" (lambda () (string-match-p "^Bandwidth-bound.*A100" (or (car (lenses)) ""))))
(check "it is listed" (equal (plist-get (apply #'roofline--ask "roofline/settingsProfiles" (roofline--document)) :current) "other") "another")
(roofline-settings-profile "")
(until-true "and left" (lambda () (string-match-p "^Compute-bound" (or (car (lenses)) ""))))
(at 12 "sum * at")
(insert " / at")
(at 5 "horn")
(roofline-compare "HEAD")
(check "the kernel stands beside what it was"
       (let ((said (shown "*Comparison of horner*")))
         (and (string-match-p "`HEAD` | +`now` |" said) (string-match-p "sum \\* at / at" said)))
       (shown "*Comparison of horner*"))
(set-buffer-modified-p nil)
(find-file "broken.cu")
(lsp)
(until-true "what cannot be read is reported"
            (lambda ()
              (let (found)
                (maphash (lambda (_ all)
                           (dolist (each all)
                             (when (string-match-p "syntax error" (gethash "message" each)) (setq found t))))
                         (lsp-diagnostics))
                found)))
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs 0)
