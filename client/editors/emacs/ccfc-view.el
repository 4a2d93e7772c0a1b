;;; ccfc-view.el --- Why, diff and restore  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands that show what ccfc prints.  The answer comes into its buffer when
;; it is there; Emacs never waits for it.

;;; Code:

(require 'diff-mode)
(require 'ccfc-blame)

(defvar-local ccfc-view--write nil "In a preview: what writes it.")

(defun ccfc-view--file ()
  "Return the file of the current buffer, or signal an error."
  (let ((file (and buffer-file-name (expand-file-name buffer-file-name))))
    (when (or (not file) (file-remote-p file))
      (user-error "This buffer has no file on this machine"))
    (file-name-unquote file)))

(defun ccfc-view-fill (buffer output mode)
  "Fill BUFFER with OUTPUT in MODE, as text and nothing else."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((inhibit-read-only t)
            ;; The text may name variables, as a file may.
            (enable-local-variables nil)
            (enable-local-eval nil))
        (funcall mode)
        (erase-buffer)
        (insert output)
        (goto-char (point-min))
        (set-buffer-modified-p nil)
        (setq buffer-read-only t)))))

(defun ccfc-view-run (name args mode &optional directory then)
  "Show what ccfc prints for ARGS, in DIRECTORY, in the buffer NAME in MODE.
THEN, if given, is called in that buffer.  Return the buffer."
  (let ((buffer (get-buffer-create (format "*ccfc %s*" name)))
        (ccfc-process-for-user t))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer))
      (special-mode))
    (ccfc-process-ask
     args
     (lambda (status output)
       (ccfc-view-fill buffer output (if (= status 0) mode #'special-mode))
       (when (and then (= status 0) (buffer-live-p buffer))
         (with-current-buffer buffer (funcall then))))
     (or directory default-directory))
    (display-buffer buffer)
    buffer))

(defun ccfc-view--clean ()
  "Signal an error unless the buffer is the file."
  (when (buffer-modified-p)
    (user-error "Save the buffer first: ccfc knows the file on disk")))

;;;###autoload
(defun ccfc-why ()
  "Show what is behind the current line: prompt, answers and change."
  (interactive)
  (ccfc-view--clean)
  (ccfc-view-run
   (format "why: %s" (buffer-name))
   (list "why" (format "%s:%d" (ccfc-view--file)
                       (line-number-at-pos nil t)))
   #'diff-mode))

(defun ccfc-view-change (change)
  "Show the diff of CHANGE."
  (unless (ccfc-text-id change)
    (user-error "That is no change of a session"))
  (ccfc-view-run "change" (list "diff" change) #'diff-mode))

;;;###autoload
(defun ccfc-diff ()
  "Show the change that wrote the current line.
In a buffer without owners of lines, show the latest change of the file."
  (interactive)
  (let ((block (ccfc-blame-block)))
    (unless (equal (ccfc-get block "kind") "session")
      (setq block (ccfc-blame-latest (mapcar #'cdr (ccfc-blame-blocks)))))
    (unless block
      (user-error "No session is known to have written a line here"))
    (ccfc-view-change (ccfc-get block "changeId"))))

;;; Restore

(defvar ccfc-restore-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'ccfc-restore-write)
    map)
  "Keys of `ccfc-restore-mode'.")

(define-minor-mode ccfc-restore-mode
  "Look at what a restore would do, and do it."
  :group 'ccfc
  (setq header-line-format
        (and ccfc-restore-mode
             (substitute-command-keys
              "Nothing is written yet.  \\[ccfc-restore-write]: write it"))))

(defun ccfc-restore-write ()
  "Write the content of the preview.
\"ccfc restore --undo\" takes it back."
  (interactive)
  (let ((args ccfc-view--write)
        (ccfc-process-for-user t)
        (preview (current-buffer)))
    (unless args
      (user-error "Nothing to write here"))
    (ccfc-process-ask
     args
     (lambda (status output)
       (when (and (= status 0) (buffer-live-p preview))
         (quit-windows-on preview t))
       (message "%s" (ccfc-text-line output 300)))
     default-directory)))

(defun ccfc-restore-file (file at)
  "Show what FILE would be at AT; a key then writes it."
  (let ((buffer (find-buffer-visiting file)))
    (when (and buffer (buffer-modified-p buffer))
      (user-error "Save the buffer first")))
  (let ((args (list "restore" file (concat "--at=" at))))
    (ccfc-view-run (format "restore: %s" (file-name-nondirectory file))
                   (append args '("--dry-run")) #'diff-mode
                   (file-name-directory file)
                   (lambda ()
                     (setq ccfc-view--write args)
                     (ccfc-restore-mode)))))

;;;###autoload
(defun ccfc-restore (at)
  "Show what the file was AT a change, a session or a time, and offer it.
\"before:CHANGE\" is the default: before the change of the current line."
  (interactive
   (let* ((block (or (ccfc-blame-block)
                     (ccfc-blame-latest (mapcar #'cdr (ccfc-blame-blocks)))))
          (change (ccfc-text-id (ccfc-get block "changeId"))))
     (list (read-string "Restore as at (change, session, time, before:…): "
                        (and change (concat "before:" change))))))
  (ccfc-restore-file (ccfc-view--file) at))

(provide 'ccfc-view)
;;; ccfc-view.el ends here
