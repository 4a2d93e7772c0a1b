;;; ccfc-reload.el --- Buffers whose files a session changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer without changes is read again at once.  One with changes stays: the
;; difference is shown beside it, and the user decides in his own time.
;; Nothing here prompts, since news come while the user types.

;;; Code:

(require 'diff)
(require 'ccfc-blame)

(defvar-local ccfc-reload--pending nil
  "The session that changed the file under a changed buffer, or nil.")
(defvar-local ccfc-reload--timer nil "The timer of the next look.")
(defvar-local ccfc-reload--of nil "In a diff: the buffer that it is about.")

(declare-function vc-refresh-state "vc-hooks" ())

(defun ccfc-reload-pending-p ()
  "Return non-nil if the user has to choose between buffer and file."
  (and ccfc-reload--pending t))

(defun ccfc-reload--done ()
  "The buffer and its file are the same again."
  (setq ccfc-reload--pending nil)
  (let ((diff (get-buffer (ccfc-reload--diff-name))))
    ;; The buffer stays: diff may still be writing to it.
    (when diff
      (quit-windows-on diff)))
  (force-mode-line-update))

(defun ccfc-reload--revert ()
  "Read the file again; modes, point and undo stay."
  (let ((inhibit-message t))
    (revert-buffer t t t))
  (when (and (bound-and-true-p vc-mode) (fboundp 'vc-refresh-state))
    (vc-refresh-state))
  (ccfc-reload--done))

(defun ccfc-reload--diff-name ()
  "Return the name of the buffer with the difference."
  (format "*ccfc changed: %s*" (buffer-name)))

(defvar ccfc-reload-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-r") #'ccfc-reload-take)
    (define-key map (kbd "C-c C-k") #'ccfc-reload-keep)
    map)
  "Keys of `ccfc-reload-mode'.")

(define-minor-mode ccfc-reload-mode
  "Decide between a changed buffer and its changed file."
  :group 'ccfc
  (setq header-line-format
        (and ccfc-reload-mode
             (substitute-command-keys
              (concat "Your buffer (+) and the file that a session changed (-)"
                      "  \\[ccfc-reload-take]: take the file"
                      "  \\[ccfc-reload-keep]: keep the buffer")))))

(defun ccfc-reload--target ()
  "Return the buffer to decide about."
  (let ((buffer (if (buffer-live-p ccfc-reload--of)
                    ccfc-reload--of
                  (current-buffer))))
    (unless (buffer-local-value 'ccfc-reload--pending buffer)
      (user-error "No session changed this file under the buffer"))
    buffer))

(defun ccfc-reload-take ()
  "Take the file as the session left it, and lose what was typed."
  (interactive)
  (with-current-buffer (ccfc-reload--target)
    (ccfc-reload--revert)))

(defun ccfc-reload-keep ()
  "Keep the buffer; saving it will overwrite what the session wrote."
  (interactive)
  (with-current-buffer (ccfc-reload--target)
    (set-visited-file-modtime)
    (ccfc-reload--done)))

(defun ccfc-reload-diff ()
  "Show how the buffer and its file on disk differ.
Return the buffer with the difference; its text comes a moment later."
  (interactive)
  (let* ((of (current-buffer))
         (buffer (get-buffer-create (ccfc-reload--diff-name))))
    (unless buffer-file-name
      (user-error "This buffer has no file"))
    (when (get-buffer-process buffer)
      (delete-process (get-buffer-process buffer)))
    (diff-no-select buffer-file-name of nil nil buffer)
    (with-current-buffer buffer
      (setq ccfc-reload--of of)
      (ccfc-reload-mode))
    (display-buffer buffer)
    buffer))

(defun ccfc-reload--who (session)
  "Return words for SESSION, which may be nil."
  (if session
      (concat "session " (ccfc-text-short session))
    "somebody"))

(defun ccfc-reload--ask (session)
  "SESSION changed the file of a modified buffer: let the user choose."
  (setq ccfc-reload--pending (or session "?"))
  (force-mode-line-update)
  (when (get-buffer-window nil 'visible)
    (ccfc-reload-diff))
  (message "%s"
           (ccfc-text-line
            (format "%s has changes, and %s changed the file: %s"
                    (buffer-name) (ccfc-reload--who session)
                    "ccfc-reload-diff, ccfc-reload-take, ccfc-reload-keep")
            200)))

(defun ccfc-reload--check (buffer session)
  "SESSION changed the file of BUFFER: read it again, or ask."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq ccfc-reload--timer nil)
      (cond ((not (bound-and-true-p ccfc-mode)))
            ((verify-visited-file-modtime buffer)
             (ccfc-blame-refresh))
            ((not (file-readable-p buffer-file-name))
             (message "%s" (ccfc-text-line
                            (format "%s: the file is gone, by %s"
                                    (buffer-name) (ccfc-reload--who session))
                            200)))
            ((buffer-modified-p)
             (ccfc-reload--ask session))
            (t
             (ccfc-reload--revert)
             (ccfc-blame-refresh))))))

(defun ccfc-reload-soon (session)
  "SESSION changed the file of the current buffer: look soon."
  (when ccfc-reload--timer
    (cancel-timer ccfc-reload--timer))
  (setq ccfc-reload--timer
        (run-at-time ccfc-blame--debounce nil #'ccfc-reload--check
                     (current-buffer) session)))

(defun ccfc-reload-stop ()
  "Forget what was pending in the buffer."
  (when ccfc-reload--timer
    (cancel-timer ccfc-reload--timer))
  (setq ccfc-reload--timer nil
        ccfc-reload--pending nil))

(provide 'ccfc-reload)
;;; ccfc-reload.el ends here
