;;; roofline-commands.el --- what roofline-lsp can be asked, in Emacs  -*- lexical-binding: t; -*-

;; The commands that roofline.el (eglot) and roofline-lsp-mode.el (lsp-mode) share.  Each of them says how the server is
;; asked and told; answers are plists here, whichever client they came by.

;;; Code:

(require 'seq)
(require 'subr-x)

(defvar roofline-ask-function nil
  "Function of METHOD, a string, and PARAMS, a plist: asks the server, and returns its answer as a plist.")
(defvar roofline-document-function nil
  "Function without arguments: the text document of this buffer, as the protocol has it.")
(defvar roofline-position-function nil
  "Function without arguments: document and position of point, as the protocol has them.")
(defvar roofline-set-function nil
  "Function of NAME, a keyword, and VALUE: sets a setting in this session, and tells the server.  Nil sets none.")

(defun roofline--ask (method &rest params)
  "Ask METHOD of the server about PARAMS, a plist."
  (funcall roofline-ask-function method params))

(defun roofline--document ()
  "The parameter that names this buffer's document."
  (list :textDocument (funcall roofline-document-function)))

(defun roofline--show (title text &optional mode)
  "Show TEXT in a buffer of its own called TITLE, in MODE."
  (with-current-buffer (get-buffer-create (format "*%s*" title))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min))
      (funcall (or mode #'special-mode))
      (setq truncate-lines t buffer-read-only t))
    (display-buffer (current-buffer))))

(defun roofline--duration (nanoseconds)
  "NANOSECONDS as people write them."
  (if (not (numberp nanoseconds))
      "time unknown"
    ;; Units of time in ns, each for times of so many and more.
    (let ((unit (seq-find (lambda (each) (>= nanoseconds (* (car each) (nth 2 each))))
                          '((31557600e9 "years" 2) (86400e9 "days" 2) (3600e9 "h" 2) (60e9 "min" 2)
                            (1e9 "s" 0.9995) (1e6 "ms" 0.9995) (1e3 "µs" 0.9995) (1.0 "ns" 0)))))
      (let ((value (/ nanoseconds (car unit))))
        (format (if (< value 1000) "%.3g %s" "%.0f %s") value (nth 1 unit))))))

(defun roofline--class (kernel)
  "The class of KERNEL and how sure it is."
  (let* ((prediction (plist-get kernel :prediction))
         (class (plist-get prediction :class))
         (sure (plist-get prediction :confidence)))
    (cond ((not (stringp class)) "undecided")
          ((numberp sure) (format "%s, %.0f%% sure" class (* 100 sure)))
          (t class))))

(defun roofline--kernels (report)
  "The kernels of REPORT."
  (seq-mapcat (lambda (file) (append (plist-get file :kernels) nil)) (plist-get report :files)))

;;;###autoload
(defun roofline-set-gpu (gpu)
  "Judge kernels for GPU in this session.  Asks for one of those that the server knows."
  (interactive
   (list (let* ((found (apply #'roofline--ask "roofline/gpus" (roofline--document)))
                (machine (append (plist-get found :machine) nil))
                (completion-extra-properties
                 (list :annotation-function
                       (lambda (name) (and (member name machine) "  in this machine")))))
           (completing-read (format "GPU (now %s): " (plist-get found :current))
                            (mapcar (lambda (each) (plist-get each :name)) (plist-get found :gpus))
                            nil t))))
  (funcall roofline-set-function :gpu gpu))

;;;###autoload
(defun roofline-settings-profile (name)
  "Judge kernels by the settings profile NAME of roofline.toml; by none where it is empty."
  (interactive
   (list (let* ((found (apply #'roofline--ask "roofline/settingsProfiles" (roofline--document)))
                (profiles (append (plist-get found :profiles) nil))
                (completion-extra-properties
                 (list :annotation-function
                       (lambda (name)
                         (let ((one (seq-find (lambda (each) (equal name (plist-get each :name))) profiles)))
                           (concat "  " (plist-get one :sets)))))))
           (if (not profiles)
               (user-error "No settings file of this project has [profiles.NAME]")
             (completing-read (format "Settings profile (now %s, empty for none): "
                                      (or (plist-get found :current) "none"))
                              (mapcar (lambda (each) (plist-get each :name)) profiles) nil nil)))))
  (funcall roofline-set-function :settingsProfile (and (not (string-empty-p name)) name)))

;;;###autoload
(defun roofline-explain ()
  "Tell how the class of the kernel at point comes about, in a buffer of its own."
  (interactive)
  (let ((found (apply #'roofline--ask "roofline/explain" (funcall roofline-position-function))))
    (if (not found)
        (message "There is no kernel at point, and no launch of one")
      (roofline--show (plist-get found :title) (plist-get found :text)))))

;;;###autoload
(defun roofline-show-prompt (&optional arguments)
  "Show what a language model is sent about the kernel at point, or would be.  Nothing is sent by this.
ARGUMENTS are those of the code action that was chosen."
  (interactive)
  (let* ((at (funcall roofline-position-function))
         (here (plist-get at :position))
         (actions (and (not arguments)
                       (roofline--ask "textDocument/codeAction" :textDocument (plist-get at :textDocument)
                                      :range (list :start here :end here) :context (list :diagnostics []))))
         (commands (mapcar (lambda (action) (plist-get action :command)) actions))
         (chosen (seq-find (lambda (each) (equal "roofline.showPrompt" (plist-get each :command))) commands))
         (arguments (or arguments (plist-get chosen :arguments))))
    (if (not arguments)
        (message "There is no kernel at point, and no launch of one")
      (let ((text (roofline--ask "workspace/executeCommand" :command "roofline.showPrompt"
                                 :arguments (vconcat arguments))))
        (when text (roofline--show "What is sent to the model" text))))))

;;;###autoload
(defun roofline-kernels ()
  "List all kernels of the workspace, the slowest first; RET on a line goes to the kernel."
  (interactive)
  (let* ((files (plist-get (roofline--ask "roofline/kernelFiles") :files))
         (reports (mapcar (lambda (uri) (roofline--ask "roofline/report" :textDocument (list :uri uri))) files))
         (time (lambda (kernel)
                 (let ((found (plist-get (plist-get kernel :prediction) :time_ns))) (if (numberp found) found -1))))
         (kernels (sort (seq-mapcat #'roofline--kernels reports)
                        (lambda (one other) (> (funcall time one) (funcall time other))))))
    (if (not kernels)
        (message "There is no kernel below the root of the project")
      (roofline--show
       "GPU kernels"
       (concat
        "GPU kernels, the slowest first\n" ; a line before the first, from which `next-error' goes to it
        (mapconcat
         (lambda (kernel)
           (let ((at (plist-get kernel :name_range)))
             (format "%s:%d:%d: %s  %s  %s" (plist-get kernel :path) (plist-get at :line) (1+ (plist-get at :column))
                     (roofline--duration (plist-get (plist-get kernel :prediction) :time_ns))
                     (roofline--class kernel) (plist-get kernel :base_name))))
         kernels "\n"))
       (lambda () (require 'grep) (grep-mode))))))

;;;###autoload
(defun roofline-compare-gpus (names)
  "Show the kernels of this buffer on the GPUs of NAMES, a list."
  (interactive
   (list (let ((known (mapcar (lambda (each) (plist-get each :name))
                              (plist-get (apply #'roofline--ask "roofline/gpus" (roofline--document)) :gpus))))
           (completing-read-multiple "GPUs, with commas between: " known nil t))))
  (let (lines)
    (seq-mapn
     (lambda (name report)
       (if (not report)
           (message "There is no GPU '%s'" name)
         (dolist (kernel (roofline--kernels report))
           (push (format "%-24s %-28s %-16s %s" (plist-get kernel :base_name)
                         (plist-get (plist-get report :gpu) :name) (roofline--class kernel)
                         (roofline--duration (plist-get (plist-get kernel :prediction) :time_ns)))
                 lines))))
     names
     (apply #'roofline--ask "roofline/compareGpus" :gpus (vconcat names) (roofline--document)))
    (when lines
      (roofline--show "Kernels on GPUs" (string-join (sort lines #'string<) "\n")))))

;;;###autoload
(defun roofline-compare (revision)
  "Hold the kernel at point against what it was in REVISION of Git."
  (interactive (list (read-string "Compare with revision: " nil nil "HEAD")))
  (let* ((file (file-name-nondirectory (buffer-file-name)))
         (text (with-temp-buffer
                 (if (zerop (call-process "git" nil t nil "show" (format "%s:./%s" revision file)))
                     (buffer-string)
                   (user-error "%s" (string-trim (buffer-string))))))
         (before (append (roofline--document) (list :text text :label revision)))
         (now (append (funcall roofline-position-function) (list :label "now")))
         (found (roofline--ask "roofline/compare" :variants (vector before now))))
    (if (plist-get found :problem)
        (message "%s" (plist-get found :problem))
      (roofline--show (plist-get found :title) (plist-get found :markdown)))))

(provide 'roofline-commands)
;;; roofline-commands.el ends here
