;;; roofline.el --- roofline-lsp in Emacs, with eglot  -*- lexical-binding: t; -*-

;; Put this file into a folder of `load-path' and (require 'roofline) into your init file, or just
;; load-file it.  Works with the eglot of Emacs 29 and newer, and with eglot 1.9 from ELPA in Emacs 28.
;; If eglot shall start some other server for CUDA, leave `roofline-start' out of the hook below and
;; call it, M-x roofline-start, when you want this one.

;;; Code:

(require 'eglot)

(defgroup roofline nil
  "Whether GPU kernels are compute-bound or bandwidth-bound."
  :group 'tools)

(defcustom roofline-command '("roofline-lsp" "--stdio")
  "The command that starts the server; its first word may be a full path."
  :type '(repeat string))

;; Emacs has no mode for CUDA of its own; a `cuda-mode' from ELPA is used where it is installed.
(define-derived-mode roofline-cuda-mode c++-mode "CUDA"
  "C++ in files that hold GPU kernels.")

(unless (fboundp 'cuda-mode)
  (add-to-list 'auto-mode-alist '("\\.cuh?\\'" . roofline-cuda-mode)))

(dolist (mode '(cuda-mode roofline-cuda-mode))
  (add-to-list 'eglot-server-programs
               (cons (list mode :language-id "cuda-cpp")
                     (lambda (&rest _) roofline-command))))

;; Settings given here go before a project's roofline.toml:
;; (setq-default eglot-workspace-configuration '(:roofline (:gpu "RTX 3080")))

(defun roofline-gpu (gpu)
  "Judge kernels for GPU in this session.  Asks for one of those that the server knows."
  (interactive
   (list (let ((found (jsonrpc-request (eglot--current-server-or-lose) :roofline/gpus
                                       (list :textDocument (eglot--TextDocumentIdentifier)))))
           (completing-read (format "GPU (now %s): " (plist-get found :current))
                            (mapcar (lambda (each) (plist-get each :name))
                                    (plist-get found :gpus))
                            nil t))))
  (setq-default eglot-workspace-configuration `(:roofline (:gpu ,gpu)))
  (eglot-signal-didChangeConfiguration (eglot--current-server-or-lose)))

(defun roofline-explain ()
  "Tell how the class of the kernel at point comes about, in a buffer of its own."
  (interactive)
  (let ((found (jsonrpc-request (eglot--current-server-or-lose) :roofline/explain
                                (eglot--TextDocumentPositionParams) :timeout 60)))
    (if (not found)
        (message "There is no kernel at point, and no launch of one")
      (with-current-buffer (get-buffer-create (format "*%s*" (plist-get found :title)))
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert (plist-get found :text)))
        (goto-char (point-min))
        (special-mode)
        (setq truncate-lines t)
        (display-buffer (current-buffer))))))

(defun roofline-start ()
  "Start roofline-lsp for this buffer."
  (interactive)
  (eglot-ensure))

(add-hook 'cuda-mode-hook #'roofline-start)
(add-hook 'roofline-cuda-mode-hook #'roofline-start)

(provide 'roofline)
;;; roofline.el ends here
