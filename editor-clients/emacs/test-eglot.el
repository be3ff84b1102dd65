;; emacs --batch -l test-eglot.el, in the test project, with this folder as -L and $ROOFLINE_LSP in the environment.
(require 'package)
(package-initialize) ; where Debian puts ELPA packages is known only then
(setq eglot-sync-connect 30 eglot-connect-timeout 30)
(require 'roofline)
(require 'test-checks)

(visit-project)
(check "the file's mode starts the server" (memq 'roofline-start (append roofline-cuda-mode-hook nil)) major-mode)
(apply #'eglot (eglot--guess-contact))

(defun hover ()
  (let (said)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq said text)))
    (let ((end (+ (float-time) 5)))
      (while (and (not said) (< (float-time) end)) (accept-process-output nil 0.05)))
    (and said (substring-no-properties said))))

(defun hover-matches (class)
  (let ((said (hover)))
    (and said (string-match-p class said))))

(at 5 "horn")
(eglot--signal-textDocument/didOpen)
(until-true "hover explains the kernel" ; nothing is said before the server is warm
            (lambda () (hover-matches "Compute-bound")))
(check-commands #'roofline-gpu #'hover-matches)
(check-broken-file (lambda ()
                     (flymake-mode 1)
                     (eglot--signal-textDocument/didOpen))
                   (lambda ()
                     (flymake-start)
                     (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
(eglot-shutdown (eglot-current-server))
