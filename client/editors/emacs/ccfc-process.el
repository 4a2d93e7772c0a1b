;;; ccfc-process.el --- The command of ccfc, asked and followed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One "ccfc watch" for the whole Emacs, started again with growing delays
;; when it ends; it goes on after the last clock that was seen, so that no
;; event is lost.  Questions are processes of their own, a few at a time.
;; Nothing here waits.
;;
;; "ccfc" starts the daemon if there is none.  A daemon that the user has
;; stopped stays so until a command of the user needs it; a crashed daemon is
;; started again.

;;; Code:

(require 'json)
(require 'ccfc-text)

(defgroup ccfc nil
  "Which Claude Code session wrote which line."
  :group 'vc
  :prefix "ccfc-")

(defcustom ccfc-program "ccfc"
  "The command of ccfc."
  :type 'string)

(defvar ccfc-event-functions nil
  "Functions that are called with each event, a hash table.
PROTOCOL.md of ccfc has its fields.")

(defconst ccfc-process--delay-first 0.2 "Seconds before the first new try.")
(defconst ccfc-process--delay-last 10.0 "The longest delay in seconds.")
(defconst ccfc-process--line-max (* 4 1024 1024)
  "Characters of an event; longer ones are not the daemon's.")
(defconst ccfc-process--answer-max (* 32 1024 1024)
  "Characters of an answer.")
(defconst ccfc-process--asking-max 4 "Questions under way at a time.")

(defvar ccfc-process--watch nil "The process that prints events, or nil.")
(defvar ccfc-process--met nil "Non-nil after the daemon has answered once.")
(defvar ccfc-process-for-user nil
  "Bound to t by commands, which may start a daemon that was stopped.")
(defvar ccfc-process--wanted nil "Non-nil while somebody wants events.")
(defvar ccfc-process--timer nil "The timer of the next try.")
(defvar ccfc-process--delay ccfc-process--delay-first "Of the next try.")
(defvar ccfc-process--clock nil "Of the last event; where to go on.")
(defvar ccfc-process--hello nil "When the daemon answered, or nil.")
(defvar ccfc-process--said nil "The last complaint; it is not repeated.")
(defvar ccfc-process--asking 0 "Number of questions under way.")
(defvar ccfc-process--queue nil "Questions that wait.")

(defun ccfc-get (object &rest keys)
  "Return what OBJECT, a hash table, has at KEYS; nil if there is nothing."
  (while (and keys object)
    (setq object (and (hash-table-p object) (gethash (pop keys) object))))
  object)

(defun ccfc-process-parse (text)
  "Return the JSON object TEXT as a hash table, or nil if it is none."
  (let ((value
         (condition-case nil
             (if (fboundp 'json-parse-string)
                 (json-parse-string text :object-type 'hash-table
                                    :array-type 'list :null-object nil
                                    :false-object nil)
               (let ((json-object-type 'hash-table) (json-array-type 'list)
                     (json-key-type 'string) (json-null nil)
                     (json-false nil))
                 (json-read-from-string text)))
           (error nil))))
    (and (hash-table-p value) value)))

(defun ccfc-process-connected-p ()
  "Return non-nil while events of the daemon arrive."
  (and ccfc-process--hello (process-live-p ccfc-process--watch)))

;;; Events

(defun ccfc-process--take (event)
  "Note the clock of EVENT and hand it on."
  (let ((type (ccfc-get event "type"))
        (clock (ccfc-get event "clock")))
    (pcase type
      ;; The clock of a hello is newer than the missed events after it.
      ("hello" (setq ccfc-process--hello (float-time)
                     ccfc-process--met t
                     ccfc-process--said nil
                     ccfc-process--clock (or ccfc-process--clock clock)))
      ("early" nil)
      (_ (when (and (stringp clock)
                    (string-match-p "\\`[0-9]+:[0-9]+\\'" clock))
           (setq ccfc-process--clock clock))))
    (with-demoted-errors "ccfc: %S"
      (run-hook-with-args 'ccfc-event-functions event))))

(defun ccfc-process--filter (process text)
  "Take the lines of PROCESS that TEXT completes."
  (let ((all (concat (process-get process 'ccfc-rest) text))
        (start 0))
    (while (string-match "\n" all start)
      (let* ((end (match-beginning 0))
             (line (substring all start end))
             (event (ccfc-process-parse line)))
        (setq start (1+ end))
        (if event
            (ccfc-process--take event)
          (process-put process 'ccfc-said line))))
    (if (> (- (length all) start) ccfc-process--line-max)
        (delete-process process)
      (process-put process 'ccfc-rest (substring all start)))))

(defun ccfc-process--complain (text)
  "Say TEXT, unless it was the last thing said."
  (unless (equal text ccfc-process--said)
    (setq ccfc-process--said text)
    (message "%s" (ccfc-text-line text 200))))

(defun ccfc-process--again ()
  "Try again later, each time a little later."
  (when (and ccfc-process--hello
             (> (- (float-time) ccfc-process--hello)
                ccfc-process--delay-last))
    (setq ccfc-process--delay ccfc-process--delay-first))
  (setq ccfc-process--hello nil)
  (when ccfc-process--timer
    (cancel-timer ccfc-process--timer))
  (setq ccfc-process--timer
        (run-at-time ccfc-process--delay nil #'ccfc-process--start)
        ccfc-process--delay (min ccfc-process--delay-last
                                 (* 2 ccfc-process--delay)))
  (force-mode-line-update t))

(defun ccfc-process--sentinel (process _state)
  "Start again when PROCESS, which printed events, has ended."
  (unless (process-live-p process)
    (when (eq process ccfc-process--watch)
      (setq ccfc-process--watch nil)
      (when ccfc-process--wanted
        (unless ccfc-process--hello
          (ccfc-process--complain
           (or (process-get process 'ccfc-said)
               (format "ccfc: %s watch ended" ccfc-program))))
        (ccfc-process--again)))))

(defun ccfc-process--make (directory args &rest more)
  "Run ccfc with ARGS in DIRECTORY, and MORE arguments of `make-process'."
  (let ((process-environment
         (append (and ccfc-process--met (not ccfc-process-for-user)
                      (not (getenv "CCFC_NO_SPAWN"))
                      '("CCFC_NO_SPAWN=stopped"))
                 (default-value 'process-environment)))
        (exec-path (default-value 'exec-path))
        ;; Only an existing directory of this machine.
        (default-directory (if (and directory
                                    (not (file-remote-p directory))
                                    (file-directory-p directory))
                               directory
                             "/")))
    (apply #'make-process :command (cons ccfc-program args)
           :connection-type 'pipe :coding 'utf-8-unix :noquery t more)))

(defun ccfc-process--start ()
  "Follow the events after the last one."
  (setq ccfc-process--timer nil)
  (when (and ccfc-process--wanted (not ccfc-process--watch))
    (condition-case why
        (setq ccfc-process--watch
              (ccfc-process--make
               nil
               `("watch" "--format=jsonl"
                 ,@(and ccfc-process--clock
                        (list (concat "--since=" ccfc-process--clock))))
               :name "ccfc-watch" :buffer nil
               :filter #'ccfc-process--filter
               :sentinel #'ccfc-process--sentinel))
      (error
       (ccfc-process--complain
        (concat "ccfc: " (error-message-string why)))
       (ccfc-process--again)))))

(defun ccfc-process-follow ()
  "Make sure that events arrive."
  (setq ccfc-process--wanted t)
  (unless (or ccfc-process--watch ccfc-process--timer)
    (ccfc-process--start)))

(defun ccfc-process-leave ()
  "Events are not needed any more."
  (setq ccfc-process--wanted nil
        ccfc-process--hello nil
        ccfc-process--met nil
        ccfc-process--clock nil
        ccfc-process--delay ccfc-process--delay-first)
  (when ccfc-process--timer
    (cancel-timer ccfc-process--timer)
    (setq ccfc-process--timer nil))
  (when ccfc-process--watch
    (delete-process (prog1 ccfc-process--watch
                      (setq ccfc-process--watch nil)))))

;;; Questions

(defun ccfc-process--answered (process callback)
  "Give what PROCESS printed to CALLBACK, and begin the next question."
  (let* ((buffer (process-buffer process))
         (output (if (buffer-live-p buffer)
                     (with-current-buffer buffer (buffer-string))
                   "")))
    (when (buffer-live-p buffer)
      (kill-buffer buffer))
    (setq ccfc-process--asking (1- ccfc-process--asking))
    (ccfc-process--next)
    (when (and ccfc-process--timer (eq (process-status process) 'exit)
               (memq (process-exit-status process) '(0 1)))
      ;; There is a daemon: no need to wait.
      (cancel-timer ccfc-process--timer)
      (ccfc-process--start))
    (with-demoted-errors "ccfc: %S"
      (funcall callback (if (eq (process-status process) 'exit)
                            (process-exit-status process)
                          2)
               output))))

(defun ccfc-process--collect (process text)
  "Add TEXT to what PROCESS printed, up to a limit."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (goto-char (point-max))
      (insert text)
      (when (> (buffer-size) ccfc-process--answer-max)
        (delete-process process)))))

(defun ccfc-process--run (args callback directory for-user)
  "Ask now: run ccfc with ARGS in DIRECTORY for CALLBACK.
FOR-USER is the value of `ccfc-process-for-user'."
  (setq ccfc-process--asking (1+ ccfc-process--asking))
  (let ((buffer (generate-new-buffer " *ccfc answer*"))
        (ccfc-process-for-user for-user))
    (condition-case why
        (ccfc-process--make
         directory args :name "ccfc" :buffer buffer
         :filter #'ccfc-process--collect
         :sentinel (lambda (process _state)
                     (unless (process-live-p process)
                       (ccfc-process--answered process callback))))
      (error
       (kill-buffer buffer)
       (setq ccfc-process--asking (1- ccfc-process--asking))
       (funcall callback 2 (concat "ccfc: " (error-message-string why)))))))

(defun ccfc-process--next ()
  "Begin questions that wait, as many as may be under way."
  (while (and ccfc-process--queue
              (< ccfc-process--asking ccfc-process--asking-max))
    (apply #'ccfc-process--run (pop ccfc-process--queue))))

(defun ccfc-process-ask (args callback &optional directory)
  "Run ccfc with ARGS in DIRECTORY.
CALLBACK gets its exit status and what it printed, notes and errors included."
  (setq ccfc-process--queue
        (append ccfc-process--queue
                (list (list args callback directory ccfc-process-for-user))))
  (ccfc-process--next))

(provide 'ccfc-process)
;;; ccfc-process.el ends here
