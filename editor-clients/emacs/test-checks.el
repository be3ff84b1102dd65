;; What test-eglot.el and test-lsp-mode.el have in common: they ask the server and read its answers in their own ways,
;; and then check the same commands of roofline-commands.el in the test project.

(setq roofline-command (list (getenv "ROOFLINE_LSP") "--stdio"))

(defun check (name good what)
  "Print that NAME holds if GOOD; otherwise print WHAT there is instead, and end Emacs."
  (unless good
    (princ (format "not ok %s: %S\n" name what))
    (kill-emacs 1))
  (princ (format "ok %s\n" name)))

(defun until-true (name condition)
  "Check NAME, whose function CONDITION may take up to 30 s to be true."
  (let ((end (+ (float-time) 30)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (check name (funcall condition) "not within 30 s")))

(defun at (line text)
  "Go behind TEXT on LINE."
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text))

(defun shown (buffer)
  "The text of BUFFER."
  (with-current-buffer buffer (buffer-string)))

(defun visit-project ()
  "Make a repository of the test project, for a revision to compare with, and visit its kernels."
  (dolist (words '(("init" "-q") ("add" ".") ("-c" "user.name=n" "-c" "user.email=e@example.org" "commit" "-qm" "first")))
    (apply #'call-process "git" nil nil nil words))
  (find-file "horner.cu"))

(defun check-commands (set-gpu said-class)
  "Check all commands at the kernel `horner', at which point is.
SET-GPU is the command that chooses a GPU.  SAID-CLASS is called with a pattern that starts with a class: whether what
the client shows of the kernel matches it."
  (roofline-explain)
  (with-current-buffer "*Explanation of horner*"
    (check "the kernel is explained"
           (string-match-p "8  What assumptions are worth" (buffer-string)) (buffer-string)))
  (funcall set-gpu "A100 SXM4 40GB")
  (until-true "another GPU changes the class" (lambda () (funcall said-class "Bandwidth-bound.*A100")))
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
  (check "what would be sent is shown"
         (string-match-p "nothing is sent.*\\(.\\|\n\\)*y\\[i\\] = sum" (shown "*What is sent to the model*"))
         (shown "*What is sent to the model*"))
  (funcall set-gpu nil)
  (with-temp-file "roofline.toml" (insert "[profiles.other]\ngpu = \"A100\"\n"))
  (until-true "no GPU but that of the settings file" (lambda () (funcall said-class "Compute-bound")))
  (roofline-settings-profile "other")
  (until-true "a profile of the settings file is chosen" (lambda () (funcall said-class "Bandwidth-bound.*A100")))
  (check "it is listed"
         (equal (plist-get (apply #'roofline--ask "roofline/settingsProfiles" (roofline--document)) :current) "other")
         "another")
  (roofline-settings-profile "")
  (until-true "and left" (lambda () (funcall said-class "Compute-bound")))
  (at 12 "sum * at")
  (insert " / at")
  (at 5 "horn")
  (roofline-compare "HEAD")
  (check "the kernel stands beside what it was"
         (let ((said (shown "*Comparison of horner*")))
           (and (string-match-p "`HEAD` | +`now` |" said) (string-match-p "sum \\* at / at" said)))
         (shown "*Comparison of horner*"))
  (set-buffer-modified-p nil))

(defun check-broken-file (start messages)
  "Visit a file that cannot be parsed, call START, and check that the function MESSAGES lists the error."
  (find-file "broken.cu")
  (funcall start)
  (until-true "what cannot be read is reported"
              (lambda () (seq-some (lambda (each) (string-match-p "syntax error" each)) (funcall messages))))
  (dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil))))

(provide 'test-checks)
