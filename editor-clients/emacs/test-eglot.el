;; emacs --batch -l test-eglot.el, in the test project, with $ROOFLINE_LSP and $ROOFLINE_CLIENT in the environment.
(require 'package)
(package-initialize) ; where Debian puts ELPA packages is known only then
(setq eglot-sync-connect 30 eglot-connect-timeout 30)
(load (getenv "ROOFLINE_CLIENT"))
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

(find-file "horner.cu")
(check "the file's mode starts the server" (memq 'roofline-start (append roofline-cuda-mode-hook nil)) major-mode)
(apply #'eglot (eglot--guess-contact))

(defun at (line text)
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text))

(defun hover ()
  (let (said)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq said text)))
    (let ((end (+ (float-time) 15)))
      (while (and (not said) (< (float-time) end)) (accept-process-output nil 0.05)))
    (and said (substring-no-properties said))))

(at 5 "horn")
(eglot--signal-textDocument/didOpen)
(let ((said (hover)))
  (check "hover explains the kernel" (and said (string-match-p "Compute-bound" said)) said))
(roofline-explain)
(with-current-buffer "*Explanation of horner*"
  (check "the kernel is explained"
         (string-match-p "8  What assumptions are worth" (buffer-string)) (buffer-string)))
(roofline-gpu "A100 SXM4 40GB")
(until-true "another GPU changes the class"
            (lambda () (let ((said (hover))) (and said (string-match-p "Bandwidth-bound.*A100" said)))))
(find-file "broken.cu")
(flymake-mode 1)
(eglot--signal-textDocument/didOpen)
(until-true "what cannot be read is reported"
            (lambda () (flymake-start)
              (seq-some (lambda (each) (string-match-p "syntax error" (flymake-diagnostic-text each)))
                        (flymake-diagnostics))))
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(eglot-shutdown (eglot-current-server))
