;;; roofline.el --- roofline-lsp in Emacs, with eglot  -*- lexical-binding: t; -*-

;; Put this file and roofline-commands.el into a folder of `load-path', and (require 'roofline) into
;; your init file.  Works with the eglot of Emacs 29 and newer, and with eglot 1.9 from ELPA in Emacs 28.
;; If eglot shall start some other server for CUDA, leave `roofline-start' out of the hook below and
;; call it, M-x roofline-start, when you want this one.

;;; Code:

(require 'eglot)
(require 'roofline-commands)

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

(setq roofline-ask-function
      (lambda (method params)
        (eglot--signal-textDocument/didChange) ; what was typed a moment ago, too
        (jsonrpc-request (eglot--current-server-or-lose) (intern (concat ":" method))
                         (or params (make-hash-table)) :timeout 60))
      roofline-document-function #'eglot--TextDocumentIdentifier
      roofline-position-function #'eglot--TextDocumentPositionParams
      roofline-set-function
      (lambda (name value)
        (let* ((all (default-value 'eglot-workspace-configuration))
               (all (and (listp all) (keywordp (car all)) (copy-sequence all)))
               (own (plist-get all :roofline))
               (kept (and value (list name value))))
          (while (consp own)
            (unless (eq (car own) name) (setq kept (append kept (list (car own) (cadr own)))))
            (setq own (cddr own)))
          (setq-default eglot-workspace-configuration
                        (plist-put all :roofline (or kept (make-hash-table))))
          (eglot-signal-didChangeConfiguration (eglot--current-server-or-lose)))))

;; What the server answers to this command is a text to show, which eglot itself would drop.
(cl-defmethod eglot-execute-command (_server (_command (eql roofline.showPrompt)) arguments)
  "Show what would be sent, by the ARGUMENTS of the code action."
  (roofline-show-prompt (append arguments nil)))

(defalias 'roofline-gpu #'roofline-set-gpu)

(defun roofline-start ()
  "Start roofline-lsp for this buffer."
  (interactive)
  (eglot-ensure))

(add-hook 'cuda-mode-hook #'roofline-start)
(add-hook 'roofline-cuda-mode-hook #'roofline-start)

(provide 'roofline)
;;; roofline.el ends here
