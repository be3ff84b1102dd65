;; emacs --batch -l test-eglot.el, in the test project, with this folder as -L and $ROOFLINE_LSP in the environment.
(require 'package)
(package-initialize) ; where Debian puts ELPA packages is known only then
(setq eglot-sync-connect 30 eglot-connect-timeout 30)
(require 'roofline)
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
(check "the file's mode starts the server" (memq 'roofline-start (append roofline-cuda-mode-hook nil)) major-mode)
(apply #'eglot (eglot--guess-contact))

(defun at (line text)
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text))

(defun hover ()
  (let (said)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq said text)))
    (let ((end (+ (float-time) 5)))
      (while (and (not said) (< (float-time) end)) (accept-process-output nil 0.05)))
    (and said (substring-no-properties said))))

(at 5 "horn")
(eglot--signal-textDocument/didOpen)
(until-true "hover explains the kernel" ; nothing is said before the server is warm
            (lambda () (let ((said (hover))) (and said (string-match-p "Compute-bound" said)))))
(roofline-explain)
(with-current-buffer "*Explanation of horner*"
  (check "the kernel is explained"
         (string-match-p "8  What assumptions are worth" (buffer-string)) (buffer-string)))
(roofline-gpu "A100 SXM4 40GB")
(until-true "another GPU changes the class"
            (lambda () (let ((said (hover))) (and said (string-match-p "Bandwidth-bound.*A100" said)))))
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
(roofline-gpu nil)
(with-temp-file "roofline.toml" (insert "[profiles.other]\ngpu = \"A100\"\n"))
(until-true "no GPU but that of the settings file" (lambda () (let ((said (hover))) (and said (string-match-p "Compute-bound" said)))))
(roofline-settings-profile "other")
(until-true "a profile of the settings file is chosen" (lambda () (let ((said (hover))) (and said (string-match-p "Bandwidth-bound.*A100" said)))))
(check "it is listed" (equal (plist-get (apply #'roofline--ask "roofline/settingsProfiles" (roofline--document)) :current) "other") "another")
(roofline-settings-profile "")
(until-true "and left" (lambda () (let ((said (hover))) (and said (string-match-p "Compute-bound" said)))))
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
(flymake-mode 1)
(eglot--signal-textDocument/didOpen)
(until-true "what cannot be read is reported"
            (lambda () (flymake-start)
              (seq-some (lambda (each) (string-match-p "syntax error" (flymake-diagnostic-text each)))
                        (flymake-diagnostics))))
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(eglot-shutdown (eglot-current-server))
