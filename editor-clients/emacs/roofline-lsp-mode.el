;;; roofline-lsp-mode.el --- roofline-lsp in Emacs, with lsp-mode  -*- lexical-binding: t; -*-

;; Put this file into a folder of `load-path' and (require 'roofline-lsp-mode) into your init file.
;; Runs beside clangd: it is an add-on, so that lsp-mode starts both.

;;; Code:

(require 'lsp-mode)

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

(lsp-register-custom-settings '(("roofline.gpu" roofline-gpu)))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () roofline-command))
  :major-modes '(cuda-mode c++-mode c-mode opencl-mode)
  :add-on? t
  :server-id 'roofline
  :initialization-options (lambda () '(:clientCommands ["roofline.showDetails"]))
  :initialized-fn (lambda (workspace)
                    (with-lsp-workspace workspace
                      (lsp--set-configuration (lsp-configuration-section "roofline"))))
  :action-handlers
  (let ((handlers (make-hash-table :test 'equal)))
    (puthash "roofline.showDetails" (lambda (_action) (lsp-describe-thing-at-point)) handlers)
    handlers)))

(defun roofline-set-gpu (gpu)
  "Judge kernels for GPU in this session.  Asks for one of those that the server knows."
  (interactive
   (list (let ((found (lsp-request "roofline/gpus"
                                   (list :textDocument (lsp--text-document-identifier)))))
           (completing-read (format "GPU (now %s): " (gethash "current" found))
                            (mapcar (lambda (each) (gethash "name" each))
                                    (append (gethash "gpus" found) nil))
                            nil t))))
  (setq roofline-gpu gpu)
  (lsp--set-configuration (lsp-configuration-section "roofline")))

(defun roofline-explain ()
  "Tell how the class of the kernel at point comes about, in a buffer of its own."
  (interactive)
  (let ((found (lsp-request "roofline/explain" (lsp--text-document-position-params))))
    (if (not found)
        (message "There is no kernel at point, and no launch of one")
      (with-current-buffer (get-buffer-create (format "*%s*" (gethash "title" found)))
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert (gethash "text" found)))
        (goto-char (point-min))
        (special-mode)
        (setq truncate-lines t)
        (display-buffer (current-buffer))))))

(add-hook 'cuda-mode-hook #'lsp-deferred)

(provide 'roofline-lsp-mode)
;;; roofline-lsp-mode.el ends here
