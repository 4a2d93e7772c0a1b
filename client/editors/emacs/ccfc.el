;;; ccfc.el --- Which Claude Code session wrote which line  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Author: The ccfc authors <ccfc@example.org>
;; URL: https://example.org/ccfc
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: vc, tools

;;; Commentary:

;; ccfc knows which session of Claude Code changed which file.  With
;;
;;     (require 'ccfc)
;;     (global-ccfc-mode)
;;
;; buffers are read again when a session changed their files, lines of the
;; latest session have a sign and say who wrote them, and the current line
;; shows its session and its prompt.  The commands are on C-c %:
;;
;;     l  ccfc-log            what happened to this file
;;     d  ccfc-diff           the change that wrote this line
;;     w  ccfc-why            prompt, answers and change behind this line
;;     r  ccfc-restore        the file as it was
;;     b  ccfc-blame-mode     who wrote each line, in the margin
;;     f  ccfc-session-files  all files of a session, for next-error
;;     s  ccfc-sessions       sessions of the project
;;     =  ccfc-reload-diff    a changed buffer against its changed file
;;
;; There is nothing to set up: "ccfc" starts its daemon.

;;; Code:

(require 'ccfc-list)
(require 'ccfc-reload)

(defvar-local ccfc--names nil "The names of the buffer's file.")
(defvar-local ccfc--conflict nil "The latest conflict about the file.")
(defvar ccfc--buffers nil "Buffers with `ccfc-mode'.")

(defvar ccfc-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "l" #'ccfc-log)
    (define-key map "d" #'ccfc-diff)
    (define-key map "w" #'ccfc-why)
    (define-key map "r" #'ccfc-restore)
    (define-key map "b" #'ccfc-blame-mode)
    (define-key map "f" #'ccfc-session-files)
    (define-key map "s" #'ccfc-sessions)
    (define-key map "=" #'ccfc-reload-diff)
    map)
  "Commands of ccfc.")

(defvar ccfc-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c %") ccfc-command-map)
    map)
  "Keys of `ccfc-mode'.")

;;; Events

(defun ccfc--local-truename (path)
  "Return PATH without links; never ask another machine."
  (let ((file-name-handler-alist nil))
    (file-truename path)))

(defun ccfc--set-names ()
  "Note the names of the buffer's file."
  (let ((file (and buffer-file-name
                   (file-name-unquote (expand-file-name buffer-file-name)))))
    (setq ccfc--names
          (and file (not (file-remote-p buffer-file-name))
               (delete-dups (list file (ccfc--local-truename file)))))))

(defun ccfc--buffers-of (path)
  "Return the buffers that visit PATH."
  (when (and (stringp path) (string-prefix-p "/" path))
    (let ((base (file-name-nondirectory path))
          true found)
      (dolist (buffer ccfc--buffers found)
        (let ((names (and (buffer-live-p buffer)
                          (buffer-local-value 'ccfc--names buffer))))
          (when (or (member path names)
                    ;; Links are resolved only for names of open files.
                    (and (seq-some (lambda (name)
                                     (equal (file-name-nondirectory name)
                                            base))
                                   names)
                         (member (setq true (or true
                                                (ccfc--local-truename path)))
                                 names)))
            (push buffer found)))))))

(defun ccfc--changed (event)
  "EVENT is a change: look at the buffers of its file."
  (let ((session (ccfc-get event "sessionId")))
    (dolist (buffer (ccfc--buffers-of (ccfc-get event "path")))
      (with-current-buffer buffer
        (when (and (equal (ccfc-get event "state") "applied")
                   (not (ccfc-get event "withdrawn")))
          (ccfc-blame-note-session session))
        (ccfc-reload-soon session)))))

(defun ccfc--in-conflict (event)
  "EVENT is a conflict: show it in the buffers of its file."
  (dolist (buffer (ccfc--buffers-of (ccfc-get event "path")))
    (with-current-buffer buffer
      (setq ccfc--conflict (and (not (ccfc-get event "withdrawn")) event))
      (force-mode-line-update)
      (when ccfc--conflict
        (message "%s"
                 (ccfc-text-line
                  (format "%s: %s: session %s and %s"
                          (buffer-name)
                          (replace-regexp-in-string
                           "_" " " (ccfc-text-line (ccfc-get event "kind") 20))
                          (ccfc-text-short (ccfc-get event "sessionId"))
                          (if (ccfc-get event "otherSessionId")
                              (concat "session "
                                      (ccfc-text-short
                                       (ccfc-get event "otherSessionId")))
                            "somebody outside of sessions"))
                  200))))))

(defun ccfc--on-event (event)
  "Take EVENT of the daemon."
  (pcase (ccfc-get event "type")
    ((or "change" "early") (ccfc--changed event))
    ("conflict" (ccfc--in-conflict event))
    ;; The daemon is connected, cannot tell which events were missed, or has
    ;; forgotten something.
    ((or "hello" "fresh" "forgotten")
     (force-mode-line-update t)
     (dolist (buffer ccfc--buffers)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (ccfc-reload-soon nil)))))))

;;; Modes

(defun ccfc--lighter ()
  "Return the text for the mode line."
  (cond ((not (ccfc-process-connected-p)) " ccfc?")
        ((or (ccfc-reload-pending-p) ccfc--conflict) " ccfc!")
        (t " ccfc")))

(defun ccfc--gone ()
  "The buffer does not need events any more."
  (setq ccfc--buffers (seq-filter #'buffer-live-p
                                  (remq (current-buffer) ccfc--buffers)))
  (unless ccfc--buffers
    (remove-hook 'ccfc-event-functions #'ccfc--on-event)
    (ccfc-process-leave)))

(defun ccfc--saved ()
  "The buffer was saved: it is its file again."
  (setq ccfc--conflict nil)
  (ccfc-reload-stop)
  (ccfc-blame-refresh))

(defconst ccfc--hooks
  '((after-save-hook . ccfc--saved)
    (after-revert-hook . ccfc-blame-refresh)
    (after-change-functions . ccfc-blame-after-change)
    (post-command-hook . ccfc-blame-post-command)
    (after-set-visited-file-name-hook . ccfc--set-names)
    (kill-buffer-hook . ccfc--gone)
    (change-major-mode-hook . ccfc-blame-clear))
  "Hooks of a buffer, and what is on them.")

(defun ccfc--on ()
  "Turn `ccfc-mode' on in the buffer."
  (ccfc--set-names)
  (pcase-dolist (`(,hook . ,function) ccfc--hooks)
    (add-hook hook function nil t))
  (unless (memq (current-buffer) ccfc--buffers)
    (push (current-buffer) ccfc--buffers))
  (add-hook 'ccfc-event-functions #'ccfc--on-event)
  (ccfc-process-follow)
  (ccfc-blame-refresh))

(defun ccfc--off ()
  "Turn `ccfc-mode' off in the buffer."
  (pcase-dolist (`(,hook . ,function) ccfc--hooks)
    (remove-hook hook function t))
  (ccfc-reload-stop)
  (ccfc-blame-stop)
  (ccfc--gone))

;;;###autoload
(define-minor-mode ccfc-mode
  "Show which Claude Code session wrote which line.
The buffer is read again when a session changed its file."
  :group 'ccfc
  :lighter (:eval (ccfc--lighter))
  :keymap ccfc-mode-map
  (if ccfc-mode (ccfc--on) (ccfc--off)))

(defun ccfc--maybe ()
  "Turn `ccfc-mode' on in a buffer with a file of this machine."
  (when (and buffer-file-name
             (not (minibufferp))
             (not (file-remote-p buffer-file-name)))
    (ccfc-mode)))

;;;###autoload
(define-globalized-minor-mode global-ccfc-mode ccfc-mode ccfc--maybe
  :group 'ccfc)

;;;###autoload
(define-minor-mode ccfc-blame-mode
  "Show in the margin which session wrote each line."
  :group 'ccfc
  (unless ccfc-mode
    (ccfc-mode))
  (ccfc-blame-refresh))

(provide 'ccfc)
;;; ccfc.el ends here
