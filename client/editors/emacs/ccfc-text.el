;;; ccfc-text.el --- Safe texts for ccfc  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Prompts, paths and ids come from transcripts, so anything may be in them.
;; Whatever is shown in one line passes through `ccfc-text-line'; whatever
;; becomes an argument of the command passes through `ccfc-text-id'.

;;; Code:

(require 'subr-x)

(defconst ccfc-text--unsafe
  "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+"
  "Characters that are no part of one visible line.")

(defun ccfc-text-line (text width)
  "Return TEXT as one line of at most WIDTH columns, without properties.
Anything but a string is empty."
  (if (stringp text)
      (truncate-string-to-width
       (string-trim
        (replace-regexp-in-string ccfc-text--unsafe " "
                                  (substring-no-properties text)))
       width nil nil "…")
    ""))

(defun ccfc-text-id (id)
  "Return ID if it can be the id of a session or a change, else nil."
  (and (stringp id)
       (string-match-p "\\`[[:alnum:]_][-[:alnum:]_#.]\\{0,199\\}\\'" id)
       id))

(defun ccfc-text-short (id)
  "Return the first characters of the session's ID."
  (if (ccfc-text-id id) (substring id 0 (min 8 (length id))) "?"))

(defun ccfc-text-model (model)
  "Return MODEL without its maker and its date."
  (let ((name (ccfc-text-line model 40)))
    (setq name (replace-regexp-in-string "\\`claude-" "" name))
    (replace-regexp-in-string "-[0-9]\\{8\\}\\'" "" name)))

(defun ccfc-text-time (stamp)
  "Return the time STAMP of the daemon as local time, or an empty string."
  (if (and (stringp stamp)
           (string-match
            (concat "\\`\\([0-9]\\{4\\}\\)-\\([0-9][0-9]\\)-\\([0-9][0-9]\\)"
                    "T\\([0-9][0-9]\\):\\([0-9][0-9]\\):\\([0-9][0-9]\\)")
            stamp))
      (let ((part (lambda (n) (string-to-number (match-string n stamp)))))
        (format-time-string
         "%Y-%m-%d %H:%M"
         (encode-time (list (funcall part 6) (funcall part 5) (funcall part 4)
                            (funcall part 3) (funcall part 2) (funcall part 1)
                            nil nil t))))
    ""))

(defun ccfc-text-file (path)
  "Return PATH as the name of a local file, or nil.
A transcript may name a file as another machine's files are named here."
  (and (stringp path)
       (string-prefix-p "/" path)
       (not (string-match-p "\0" path))
       (if (or (file-remote-p path) (string-prefix-p "/:" path))
           (concat "/:" path)
         path)))

(provide 'ccfc-text)
;;; ccfc-text.el ends here
