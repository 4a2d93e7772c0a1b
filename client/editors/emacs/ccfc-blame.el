;;; ccfc-blame.el --- Who wrote each line, in the margin and behind it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The owners of lines are overlays, one for each run of lines, so that they
;; move along when the user types.  Lines that the user changes lose theirs
;; until the file is saved and ccfc is asked again: nothing is said of lines
;; that ccfc has not seen.
;;
;; Signs and the gutter are a `line-prefix' that is displayed in the left
;; margin: this takes one overlay for a run of lines, not one for each line.

;;; Code:

(require 'ccfc-process)
(require 'ccfc-text)

(defface ccfc-sign '((t :inherit success))
  "Sign at lines that the latest sessions wrote."
  :group 'ccfc)

(defface ccfc-note '((t :inherit shadow :slant italic))
  "What is said behind a line."
  :group 'ccfc)

(defface ccfc-gutter '((t :inherit shadow))
  "Who wrote each line, in the margin."
  :group 'ccfc)

(defcustom ccfc-signs t
  "Whether lines of the latest sessions have a sign and a note."
  :type 'boolean
  :group 'ccfc)

(defcustom ccfc-current-line t
  "Whether the current line shows who wrote it, and for which prompt."
  :type 'boolean
  :group 'ccfc)

(defconst ccfc-blame--debounce 0.1 "Seconds without news before a question.")
(defconst ccfc-blame--gutter-width 32 "Columns of the gutter.")
(defconst ccfc-blame--blocks-max 5000 "Runs of lines that are marked.")

(defvar-local ccfc-blame--timer nil "The timer of the next question.")
(defvar-local ccfc-blame--current nil "The overlay of the current line.")
(defvar-local ccfc-blame--current-timer nil "The timer that moves the overlay.")
(defvar-local ccfc-blame--margin nil
  "What `left-margin-width' was, in a list; nil if it is untouched.")
(defvar-local ccfc-blame--touched nil
  "Sessions that changed the file since the buffer shows it.")
(defvar-local ccfc-blame--wanted nil
  "A session and a position: go from there to the session's first line.")
(defvar-local ccfc-blame-hook nil
  "Run in a buffer when its owners of lines are new.")
(defvar ccfc-blame--notes nil "Notes of changes, while they are shown.")
(defvar ccfc-blame-mode)

;;; Texts

(defun ccfc-blame-text (block width)
  "Return who wrote BLOCK, and why, in WIDTH columns."
  (let ((prompt (ccfc-get block "prompt")))
    (ccfc-text-line
     (mapconcat #'identity
                (delete "" (list (ccfc-text-short (ccfc-get block "sessionId"))
                                 (ccfc-text-model (ccfc-get block "model"))
                                 (ccfc-text-time (ccfc-get block "timestamp"))
                                 (if prompt
                                     (concat "“" (ccfc-text-line prompt 200)
                                             "”")
                                   "")))
                " ")
     width)))

(defun ccfc-blame--label (block)
  "Return the label of BLOCK in the gutter."
  (let ((text (pcase (ccfc-get block "kind")
                ("session"
                 (format "%s %s %s"
                         (ccfc-text-short (ccfc-get block "sessionId"))
                         (substring (concat (ccfc-text-time
                                             (ccfc-get block "timestamp"))
                                            (make-string 16 ?\s))
                                    5 16)
                         (ccfc-text-model (ccfc-get block "model"))))
                ("outside" "outside")
                (_ "unknown"))))
    (truncate-string-to-width text (1- ccfc-blame--gutter-width)
                              nil ?\s "…")))

(defun ccfc-blame--in-margin (text face)
  "Return TEXT with FACE as a string that is displayed in the left margin."
  (propertize " " 'display
              `((margin left-margin) ,(propertize text 'face face))))

;;; The margin

(defun ccfc-blame--set-margin (width)
  "Make the left margin WIDTH columns wide; nil: as it was."
  (unless (eq width (and ccfc-blame--margin left-margin-width))
    (if width
        (progn
          (unless ccfc-blame--margin
            (setq ccfc-blame--margin (list left-margin-width)))
          (setq left-margin-width (max width (car ccfc-blame--margin))))
      (setq left-margin-width (car ccfc-blame--margin)
            ccfc-blame--margin nil))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-margins window left-margin-width
                          (cdr (window-margins window))))))

;;; Overlays

(defun ccfc-blame--overlay (from to &rest properties)
  "Put an overlay of ours with PROPERTIES between FROM and TO."
  (let ((overlay (make-overlay from to nil t nil)))
    (overlay-put overlay 'ccfc t)
    (while properties
      (overlay-put overlay (pop properties) (pop properties)))
    overlay))

(defun ccfc-blame--prefix (overlay text face)
  "Show TEXT with FACE in the margin of OVERLAY's lines.
The prefix of another mode stays."
  (unless (get-text-property (overlay-start overlay) 'line-prefix)
    (overlay-put overlay 'line-prefix (ccfc-blame--in-margin text face))))

(defun ccfc-blame--note (block)
  "Return what stands behind the first line of BLOCK.
A change has many blocks in a long file, and one text."
  (let ((change (ccfc-get block "changeId")))
    (or (gethash change ccfc-blame--notes)
        (puthash change
                 (propertize (concat "  " (ccfc-blame-text block 60))
                             'face 'ccfc-note 'cursor t)
                 ccfc-blame--notes))))

(defun ccfc-blame--mark (block recent)
  "Mark BLOCK from point on; RECENT: by one of the latest sessions.
Leave point behind it."
  (let* ((from (point))
         (first (progn (forward-line 1) (point)))
         (lines (- (or (ccfc-get block "end") 0) (ccfc-get block "start")))
         (end (progn (forward-line lines) (point))))
    (when (> end from)
      (let ((all (ccfc-blame--overlay from end 'ccfc-block block
                                      'evaporate t)))
        (cond (ccfc-blame-mode
               (ccfc-blame--prefix all "│" 'ccfc-gutter)
               (ccfc-blame--prefix
                (ccfc-blame--overlay from first 'priority 1 'evaporate t)
                (ccfc-blame--label block) 'ccfc-gutter))
              ((and recent ccfc-signs)
               (ccfc-blame--prefix all "▎" 'ccfc-sign)))
        (when (and recent ccfc-signs)
          (let ((eol (save-excursion (goto-char from) (line-end-position))))
            (ccfc-blame--overlay
             eol eol 'ccfc-note t 'after-string
             (ccfc-blame--note block))))))))

(defun ccfc-blame-clear ()
  "Take away everything that is shown in the buffer."
  (save-restriction
    (widen)
    (remove-overlays (point-min) (point-max) 'ccfc t))
  (when ccfc-blame--current
    (delete-overlay ccfc-blame--current))
  (ccfc-blame--set-margin nil))

(defun ccfc-blame-block (&optional position)
  "Return the block that owns the line at POSITION, or nil."
  (let (found)
    (dolist (overlay (overlays-at (save-excursion
                                    (goto-char (or position (point)))
                                    (line-beginning-position))))
      (setq found (or found (overlay-get overlay 'ccfc-block))))
    found))

(defun ccfc-blame-blocks ()
  "Return the blocks of the buffer, as (POSITION . BLOCK), by position."
  (save-restriction
    (widen)
    (sort (delq nil (mapcar (lambda (o)
                              (and (overlay-get o 'ccfc-block)
                                   (cons (overlay-start o)
                                         (overlay-get o 'ccfc-block))))
                            (overlays-in (point-min) (point-max))))
          (lambda (a b) (< (car a) (car b))))))

(defun ccfc-blame-latest (blocks)
  "Return the one of BLOCKS that a session wrote last, or nil."
  (let (latest)
    (dolist (block blocks latest)
      (when (and (equal (ccfc-get block "kind") "session")
                 (string< (or (ccfc-get latest "timestamp") "")
                          (or (ccfc-get block "timestamp") "")))
        (setq latest block)))))

(defun ccfc-blame--show (blocks)
  "Show BLOCKS in the buffer."
  (ccfc-blame-clear)
  (let* ((last (ccfc-get (ccfc-blame-latest blocks) "sessionId"))
         (recent (if last (cons last ccfc-blame--touched)
                   ccfc-blame--touched))
         (ccfc-blame--notes (make-hash-table :test #'equal))
         (left ccfc-blame--blocks-max)
         (line 1)
         marks)
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (dolist (block blocks)
          (let ((start (ccfc-get block "start"))
                (is-recent (and (equal (ccfc-get block "kind") "session")
                                (member (ccfc-get block "sessionId") recent)
                                t)))
            (when (and (integerp start) (>= start line)
                       (integerp (ccfc-get block "end"))
                       (>= (setq left (1- left)) 0))
              (forward-line (- start line))
              (ccfc-blame--mark block is-recent)
              (setq marks (or marks is-recent)
                    line (1+ (ccfc-get block "end"))))))))
    (cond (ccfc-blame-mode (ccfc-blame--set-margin ccfc-blame--gutter-width))
          ((and marks ccfc-signs) (ccfc-blame--set-margin 1))))
  (ccfc-blame--goto-wanted)
  (ccfc-blame--move)
  (run-hooks 'ccfc-blame-hook))

(defun ccfc-blame--goto-wanted ()
  "Go to the first line of the wanted session, unless point has moved."
  (pcase-let ((`(,session . ,position) ccfc-blame--wanted))
    (setq ccfc-blame--wanted nil)
    (when (and session (= (point) position))
      (let ((found (seq-find (lambda (entry)
                               (equal (ccfc-get (cdr entry) "sessionId")
                                      session))
                             (ccfc-blame-blocks))))
        (when found
          (goto-char (car found))
          (dolist (window (get-buffer-window-list nil nil t))
            (set-window-point window (car found))))))))

(defun ccfc-blame-want (session)
  "Go to the first line of SESSION when the owners of lines are known."
  (setq ccfc-blame--wanted (cons session (point)))
  (ccfc-blame-refresh))

;;; Questions

(defun ccfc-blame--fits-p (tick)
  "Return non-nil if the buffer is the file as it was at TICK."
  (and (= tick (buffer-chars-modified-tick))
       (not (buffer-modified-p))
       (verify-visited-file-modtime (current-buffer))))

(defun ccfc-blame--ask (buffer)
  "Ask who wrote the lines of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq ccfc-blame--timer nil)
      (let ((tick (buffer-chars-modified-tick))
            (file (and buffer-file-name (expand-file-name buffer-file-name))))
        ;; Otherwise after-save-hook or after-revert-hook will ask.
        (when (and file (not (file-remote-p file)) (ccfc-blame--fits-p tick))
          (ccfc-process-ask
           (list "blame" "--format=jsonl" "--blocks" (file-name-unquote file))
           (lambda (status output)
             (when (buffer-live-p buffer)
               (with-current-buffer buffer
                 (ccfc-blame--take status output tick))))
           (file-name-directory file)))))))

(defun ccfc-blame--take (status output tick)
  "Show the answer OUTPUT, with its STATUS, of the buffer as it was at TICK."
  (cond ((not (bound-and-true-p ccfc-mode)))
        ((not (ccfc-blame--fits-p tick))
         (unless (buffer-modified-p)
           (ccfc-blame-refresh)))
        ((= status 0)
         (ccfc-blame--show
          (delq nil (mapcar #'ccfc-process-parse
                            (split-string output "\n" t)))))
        ((= status 1)
         (ccfc-blame--show nil))))

(defun ccfc-blame-refresh (&rest _)
  "Ask soon who wrote the lines of the current buffer."
  (when ccfc-blame--timer
    (cancel-timer ccfc-blame--timer))
  (setq ccfc-blame--timer
        (run-at-time ccfc-blame--debounce nil #'ccfc-blame--ask
                     (current-buffer))))

(defun ccfc-blame-note-session (session)
  "SESSION changed the file: its lines are among the latest."
  (when (and session (not (member session ccfc-blame--touched)))
    (setq ccfc-blame--touched
          (cons session (seq-take ccfc-blame--touched 7)))))

(defun ccfc-blame-after-change (from to _length)
  "Nothing is known of the changed lines between FROM and TO."
  (save-match-data
    (save-excursion
      (save-restriction
        (widen)
        (remove-overlays (progn (goto-char from) (line-beginning-position))
                         (progn (goto-char to)
                                (min (point-max) (1+ (line-end-position))))
                         'ccfc t)))))

;;; The current line

(defun ccfc-blame--move ()
  "Show who wrote the current line, behind it."
  (when ccfc-blame--current
    (delete-overlay ccfc-blame--current))
  (let ((block (and ccfc-current-line (ccfc-blame-block)))
        (eol (line-end-position)))
    (when (and (equal (ccfc-get block "kind") "session")
               ;; The first line of a marked run has such a text already.
               (not (seq-some (lambda (o) (overlay-get o 'ccfc-note))
                              (overlays-in eol eol))))
      (unless ccfc-blame--current
        (setq ccfc-blame--current (make-overlay eol eol)))
      (move-overlay ccfc-blame--current eol eol (current-buffer))
      (overlay-put ccfc-blame--current 'after-string
                   (propertize (concat "  " (ccfc-blame-text block 100))
                               'face 'ccfc-note 'cursor t)))))

(defun ccfc-blame-post-command ()
  "Show who wrote the current line, a moment later."
  (when ccfc-blame--current-timer
    (cancel-timer ccfc-blame--current-timer))
  (let ((buffer (current-buffer)))
    (setq ccfc-blame--current-timer
          (run-at-time ccfc-blame--debounce nil
                       (lambda ()
                         (when (buffer-live-p buffer)
                           (with-current-buffer buffer
                             (ccfc-blame--move))))))))

(defun ccfc-blame-stop ()
  "Leave nothing behind in the buffer."
  (dolist (timer (list ccfc-blame--timer ccfc-blame--current-timer))
    (when timer
      (cancel-timer timer)))
  (setq ccfc-blame--timer nil
        ccfc-blame--current-timer nil
        ccfc-blame--touched nil)
  (ccfc-blame-clear))

(provide 'ccfc-blame)
;;; ccfc-blame.el ends here
