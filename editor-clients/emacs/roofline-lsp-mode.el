;;; roofline-lsp-mode.el --- roofline-lsp in Emacs, with lsp-mode  -*- lexical-binding: t; -*-

;; Put this file and roofline-commands.el into a folder of `load-path', and (require 'roofline-lsp-mode)
;; into your init file.
;; Runs beside clangd: it is an add-on, so that lsp-mode starts both.

;;; Code:

(require 'lsp-mode)
(require 'roofline-commands)

(defgroup roofline nil
  "Whether GPU kernels are compute-bound or bandwidth-bound."
  :group 'lsp-mode)

(defcustom roofline-command '("roofline-lsp" "--stdio")
  "The command that starts the server; its first word may be a full path."
  :type '(repeat string))

(defcustom roofline-gpu nil
  "The GPU that kernels are judged for; nil leaves it to the project's roofline.toml."
  :type '(choice (const nil) string))

;; Emacs has no mode for CUDA of its own; a `cuda-mode' from ELPA is used where it is installed.
(unless (fboundp 'cuda-mode)
  (define-derived-mode cuda-mode c++-mode "CUDA"
    "C++ in files that hold GPU kernels.")
  (add-to-list 'auto-mode-alist '("\\.cuh?\\'" . cuda-mode)))
(add-to-list 'lsp-language-id-configuration '(cuda-mode . "cuda-cpp"))

(defvar roofline-settings-profile-name nil
  "The settings profile of the project's roofline.toml to use; nil leaves it to the file.")

(lsp-register-custom-settings '(("roofline.gpu" roofline-gpu)
                                ("roofline.settingsProfile" roofline-settings-profile-name)))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () roofline-command))
  :major-modes '(cuda-mode c++-mode c-mode opencl-mode)
  :add-on? t
  :server-id 'roofline
  :initialization-options (lambda () '(:clientCommands ["roofline.showDetails" "roofline.showPrompt"]))
  :initialized-fn (lambda (workspace)
                    (with-lsp-workspace workspace
                      (lsp--set-configuration (lsp-configuration-section "roofline"))))
  :action-handlers
  (let ((handlers (make-hash-table :test 'equal)))
    (puthash "roofline.showDetails" (lambda (_action) (lsp-describe-thing-at-point)) handlers)
    (puthash "roofline.showPrompt"
             (lambda (action) (roofline-show-prompt (append (gethash "arguments" action) nil)))
             handlers)
    handlers)))

(defun roofline--plist (value)
  "VALUE, an answer of the server as lsp-mode reads it, with plists for its tables."
  (cond ((hash-table-p value)
         (let (found)
           (maphash (lambda (key each)
                      (setq found (append found (list (intern (concat ":" key)) (roofline--plist each)))))
                    value)
           found))
        ((vectorp value) (mapcar #'roofline--plist value))
        ((consp value) (mapcar #'roofline--plist value))
        (t value)))

(setq roofline-ask-function
      (lambda (method params)
        (roofline--plist (lsp-request method (or params (make-hash-table)))))
      roofline-document-function #'lsp--text-document-identifier
      roofline-position-function #'lsp--text-document-position-params
      roofline-set-function
      (lambda (name value)
        (set (if (eq name :gpu) 'roofline-gpu 'roofline-settings-profile-name) value)
        (lsp--set-configuration (lsp-configuration-section "roofline"))))

(add-hook 'cuda-mode-hook #'lsp-deferred)

(provide 'roofline-lsp-mode)
;;; roofline-lsp-mode.el ends here
