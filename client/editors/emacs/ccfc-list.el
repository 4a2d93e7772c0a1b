;;; ccfc-list.el --- Lists of changes, sessions and files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tables whose rows lead somewhere.  The files of a session are also places
;; for `next-error'.

;;; Code:

(require 'tabulated-list)
(require 'ccfc-view)

(defvar-local ccfc-list--file nil "The file of a log.")
(defvar-local ccfc-list--session nil "The session whose files are listed.")

(defun ccfc-list--fill (buffer mode columns rows)
  "Fill BUFFER in MODE with COLUMNS and ROWS."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((file ccfc-list--file)
            (session ccfc-list--session))
        (funcall mode)
        (setq ccfc-list--file file
              ccfc-list--session session
              tabulated-list-format columns
              tabulated-list-entries rows)
        (tabulated-list-init-header)
        (tabulated-list-print)
        (goto-char (point-min))))))

(defun ccfc-list--open (name args directory make)
  "Open the buffer NAME for what ccfc answers to ARGS in DIRECTORY.
MAKE fills it: it gets the buffer and the lines of the answer."
  (let ((buffer (get-buffer-create (format "*ccfc %s*" name)))
        (ccfc-process-for-user t))
    (ccfc-process-ask
     args
     (lambda (status output)
       (if (= status 0)
           (funcall make buffer output)
         (ccfc-view-fill buffer output #'special-mode)))
     directory)
    (display-buffer buffer)
    buffer))

(defun ccfc-list--lines (output)
  "Return the objects of OUTPUT, one on a line."
  (delq nil (mapcar #'ccfc-process-parse (split-string output "\n" t))))

(defun ccfc-list--count (row)
  "Return the lines that ROW added and removed."
  (let ((added (ccfc-get row "linesAdded"))
        (removed (ccfc-get row "linesRemoved")))
    (if (and (integerp added) (integerp removed))
        (format "+%d -%d" added removed)
      "-")))

(defun ccfc-list--row ()
  "Return the object of the row at point."
  (or (tabulated-list-get-id)
      (user-error "There is no row here")))

;;; Log

(defvar ccfc-log-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'ccfc-log-diff)
    (define-key map "r" #'ccfc-log-restore)
    (define-key map "f" #'ccfc-log-files)
    map)
  "Keys of `ccfc-log-mode'.")

(define-derived-mode ccfc-log-mode tabulated-list-mode "ccfc-log"
  "Changes of a file, the latest first."
  :group 'ccfc)

(defun ccfc-log-diff ()
  "Show the diff of the change at point."
  (interactive)
  (ccfc-view-change (ccfc-get (ccfc-list--row) "changeId")))

(defun ccfc-log-restore ()
  "Show what the file was before the change at point, and offer it."
  (interactive)
  (let ((change (ccfc-text-id (ccfc-get (ccfc-list--row) "changeId"))))
    (unless change
      (user-error "That is no change of a session"))
    (ccfc-restore-file ccfc-list--file (concat "before:" change))))

(defun ccfc-log-files ()
  "List all files of the session at point."
  (interactive)
  (ccfc-session-files (ccfc-get (ccfc-list--row) "sessionId")))

(defun ccfc-list--step (step)
  "Return STEP of a log as a row."
  (list step
        (vector (ccfc-text-time (or (ccfc-get step "timestamp")
                                    (ccfc-get step "from")))
                (if (ccfc-get step "sessionId")
                    (ccfc-text-short (ccfc-get step "sessionId"))
                  (ccfc-text-line (ccfc-get step "kind") 10))
                (ccfc-text-model (ccfc-get step "model"))
                (ccfc-text-line (ccfc-get step "tool") 12)
                (ccfc-list--count step)
                (ccfc-text-line (ccfc-get step "prompt") 200))))

;;;###autoload
(defun ccfc-log ()
  "List what happened to the file of the current buffer."
  (interactive)
  (let* ((file (ccfc-view--file))
         (buffer (ccfc-list--open
                  (format "log: %s" (buffer-name))
                  (list "log" "--format=jsonl" file)
                  (file-name-directory file)
                  (lambda (buffer output)
                    (ccfc-list--fill
                     buffer #'ccfc-log-mode
                     [("Time" 16 t) ("Session" 10 t) ("Model" 12 t)
                      ("Tool" 10 t) ("Lines" 10 nil) ("Prompt" 0 nil)]
                     (mapcar #'ccfc-list--step (ccfc-list--lines output)))))))
    (with-current-buffer buffer
      (setq ccfc-list--file file))
    buffer))

;;; Files of a session

(defvar ccfc-files-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'ccfc-files-visit)
    (define-key map "d" #'ccfc-files-diff)
    map)
  "Keys of `ccfc-files-mode'.")

(define-derived-mode ccfc-files-mode tabulated-list-mode "ccfc-files"
  "Files that a session changed."
  :group 'ccfc
  (setq next-error-function #'ccfc-list--next-error))

(defun ccfc-files-visit (&optional window)
  "Visit the file at point, at the session's first line; WINDOW: in another."
  (interactive)
  (let ((file (ccfc-text-file (ccfc-get (ccfc-list--row) "path")))
        (session ccfc-list--session))
    (unless (and file (file-exists-p file))
      (user-error "The file is not there any more"))
    (if window
        (pop-to-buffer (find-file-noselect file))
      (find-file file))
    (when (bound-and-true-p ccfc-mode)
      (ccfc-blame-want session))))

(defun ccfc-files-diff ()
  "Show what the session did to the file at point."
  (interactive)
  (let ((path (ccfc-get (ccfc-list--row) "path")))
    (ccfc-view-run "session" (list "diff" ccfc-list--session "--net" path)
                   #'diff-mode)))

(defun ccfc-list--next-error (count &optional reset)
  "Visit the file COUNT rows from here; RESET: from the first one on."
  (if reset
      (goto-char (point-min))
    (forward-line count)
    (when (or (eobp) (not (tabulated-list-get-id)))
      (user-error "No more files")))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point)))
  (ccfc-files-visit t))

(defun ccfc-list--changed (file project)
  "Return FILE of a session in PROJECT as a row."
  (let ((path (ccfc-get file "path")))
    (list file
          (vector (ccfc-text-line
                   (if (and project (stringp path)
                            (string-prefix-p (concat project "/") path))
                       (substring path (1+ (length project)))
                     path)
                   200)
                  (ccfc-text-line (ccfc-get file "operation") 10)
                  (ccfc-list--count file)
                  (ccfc-text-time (ccfc-get file "lastModified"))))))

(defun ccfc-list--session-here ()
  "Return the session of the current line, or the latest one of the file."
  (let ((block (ccfc-blame-block)))
    (ccfc-get (if (ccfc-get block "sessionId")
                  block
                (ccfc-blame-latest (mapcar #'cdr (ccfc-blame-blocks))))
              "sessionId")))

;;;###autoload
(defun ccfc-session-files (session)
  "List the files that SESSION changed, as places for `next-error'.
The default is the session that wrote the current line."
  (interactive
   (list (read-string "Session: " (or (ccfc-list--session-here) "@"))))
  (unless (or (ccfc-text-id session) (string-prefix-p "@" session))
    (user-error "That is no session"))
  (let ((buffer (ccfc-list--open
                 "files" (list "list" session "--format=json")
                 default-directory #'ccfc-list--fill-files)))
    (with-current-buffer buffer
      (setq ccfc-list--session session))
    (setq next-error-last-buffer buffer)
    buffer))

(defun ccfc-list--fill-files (buffer output)
  "Fill BUFFER with the files of the session in OUTPUT."
  ;; Notes may stand before the object.
  (let* ((answer (ccfc-process-parse
                  (if (string-match "^{" output)
                      (substring output (match-beginning 0))
                    output)))
         (project (ccfc-get answer "projectPath")))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (setq ccfc-list--session
              (or (ccfc-text-id (ccfc-get answer "sessionId"))
                  ccfc-list--session))))
    (ccfc-list--fill buffer #'ccfc-files-mode
                     [("File" 50 t) ("Operation" 10 t) ("Lines" 10 nil)
                      ("Last change" 16 t)]
                     (mapcar (lambda (file)
                               (ccfc-list--changed file project))
                             (ccfc-get answer "files")))))

;;; Sessions

(defvar ccfc-sessions-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'ccfc-log-files)
    map)
  "Keys of `ccfc-sessions-mode'.")

(define-derived-mode ccfc-sessions-mode tabulated-list-mode "ccfc-sessions"
  "Sessions of the project, the latest first."
  :group 'ccfc)

(defun ccfc-list--session-row (session)
  "Return SESSION as a row."
  (list session
        (vector (ccfc-text-time (ccfc-get session "endTime"))
                (ccfc-text-short (ccfc-get session "sessionId"))
                (ccfc-text-line (ccfc-get session "status") 10)
                (ccfc-text-model (ccfc-get session "model"))
                (format "%s" (or (ccfc-get session "totalChanges") "-"))
                (ccfc-text-line (ccfc-get session "title") 200))))

;;;###autoload
(defun ccfc-sessions ()
  "List the sessions of the current project."
  (interactive)
  (ccfc-list--open
   "sessions" '("sessions" "--format=jsonl") default-directory
   (lambda (buffer output)
     (ccfc-list--fill
      buffer #'ccfc-sessions-mode
      [("End" 16 t) ("Session" 10 t) ("Status" 10 t) ("Model" 12 t)
       ("Changes" 8 nil) ("Title" 0 nil)]
      (mapcar #'ccfc-list--session-row (ccfc-list--lines output))))))

(provide 'ccfc-list)
;;; ccfc-list.el ends here
