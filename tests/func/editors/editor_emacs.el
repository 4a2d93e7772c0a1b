;;; editor_emacs.el --- Inside Emacs, for editor_emacs.py  -*- lexical-binding: t; -*-

;;; Commentary:

;; Each test runs in an Emacs of its own.  What happens around it (sessions,
;; files, the daemon) it asks of editor_emacs.py, on a socket; it waits for what
;; it wants to see, never for a time.

;;; Code:

(require 'ert)
(require 'seq)
(require 'ccfc)

(defvar ccfc-test-dir (getenv "CCFC_TEST_DIR") "The project.")
(defvar ccfc-test-limit (string-to-number (getenv "CCFC_TEST_LIMIT")))
(defvar ccfc-test-messages nil "What was said, the latest first.")
(defvar ccfc-test-events nil "What was told, the latest first.")
(defvar ccfc-test-reply nil)
(defvar ccfc-test-evil nil "Set by texts that must not do anything.")
(defvar ccfc-test-socket
  (make-network-process
   :name "test" :family 'local :service (getenv "CCFC_TEST_SOCKET")
   :noquery t :coding 'utf-8-unix
   :filter (lambda (_process text)
             (setq ccfc-test-reply (concat ccfc-test-reply text)))))

(advice-add 'message :before
            (lambda (&optional format &rest args)
              (when format
                (push (apply #'format-message format args)
                      ccfc-test-messages))))
(add-hook 'ccfc-event-functions (lambda (e) (push e ccfc-test-events)))

(defmacro ccfc-test-until (what &rest body)
  "Wait until BODY is non-nil; WHAT says what that is.  Return its value."
  (declare (indent 1))
  `(let ((end (+ (float-time) ccfc-test-limit)) value)
     (while (not (setq value (progn ,@body)))
       (when (> (float-time) end)
         (error "Waited too long for %s; said: %S" ,what
                (seq-take ccfc-test-messages 5)))
       (accept-process-output nil 0.05))
     value))

(defun ccfc-test-do (&rest words)
  "Have WORDS done outside; return what came back."
  (setq ccfc-test-reply nil)
  (process-send-string ccfc-test-socket
                       (concat (json-serialize (vconcat words)) "\n"))
  (ccfc-test-until words
    (and ccfc-test-reply (string-suffix-p "\n" ccfc-test-reply)))
  (json-parse-string ccfc-test-reply :null-object nil :false-object nil))

(defun ccfc-test-open (name)
  "Visit the file NAME with `ccfc-mode'; wait until ccfc has answered."
  (switch-to-buffer
   (find-file-noselect (expand-file-name name ccfc-test-dir)))
  (let (shown)
    (add-hook 'ccfc-blame-hook (lambda () (setq shown t)) nil t)
    (unless ccfc-mode
      (ccfc-mode))
    (ccfc-test-until "the answer" shown)
    (ccfc-test-until "the daemon" (ccfc-process-connected-p)))
  (current-buffer))

(defun ccfc-test-owner (text)
  "Return the session that owns the line with TEXT, or what it is else."
  (save-excursion
    (goto-char (point-min))
    (and (search-forward text nil t)
         (let ((block (ccfc-blame-block)))
           (or (ccfc-get block "sessionId") (ccfc-get block "kind"))))))

(defun ccfc-test-shown (text property)
  "Return the values of PROPERTY of overlays in the line with TEXT."
  (save-excursion
    (goto-char (point-min))
    (search-forward text)
    (delq nil (mapcar (lambda (o) (overlay-get o property))
                      (overlays-in (line-beginning-position)
                                   (1+ (line-end-position)))))))

(defun ccfc-test-margin (text)
  "Return what stands in the margin beside the line with TEXT."
  (save-excursion
    (goto-char (point-min))
    (search-forward text)
    (let ((prefix (get-char-property (line-beginning-position)
                                     'line-prefix)))
      (and prefix
           (substring-no-properties
            (cadr (get-text-property 0 'display prefix)))))))

(defun ccfc-test-text (buffer)
  "Wait until BUFFER has a text; return it."
  (ccfc-test-until buffer
    (with-current-buffer buffer
      (and (> (buffer-size) 0) (not (get-buffer-process buffer))
           (buffer-substring-no-properties (point-min) (point-max))))))

(defun ccfc-test-told ()
  "Return the changes that were told, in order."
  (reverse (delq nil (mapcar (lambda (e)
                               (and (equal (ccfc-get e "type") "change")
                                    (ccfc-get e "toolUseId")))
                             ccfc-test-events))))

;;; Tests

(ert-deftest ccfc-test-change ()
  (let* ((a (ccfc-test-do "id" "a")) (b (ccfc-test-do "id" "b"))
         (buffer (ccfc-test-open "a.c"))
         (tick (buffer-modified-p)))
    (should-not tick)
    ;; The latest session's line has a sign and a note; others do not.
    (should (equal (ccfc-test-owner "one") "outside"))
    (should (equal (ccfc-test-owner "two") a))
    (should (equal (ccfc-test-margin "two") "▎"))
    (should-not (ccfc-test-margin "one"))
    (should (= left-margin-width 1))
    (should (string-match-p "opus-4-5 .*“make two”"
                            (car (ccfc-test-shown "two" 'after-string))))
    ;; A session changes the file while the buffer is open.
    (ccfc-test-do "change" "b" "a.c" "one\ntwo\nthree\nfour\n" "go on")
    (ccfc-test-until "the text" (string-match-p "four" (buffer-string)))
    (should-not (buffer-modified-p))
    (ccfc-test-until "its owner" (equal (ccfc-test-owner "three") b))
    (should (equal (ccfc-test-owner "four") b))
    (should (equal (ccfc-test-margin "four") "▎"))
    (should (ccfc-test-shown "three" 'ccfc-note))
    (should-not (ccfc-test-shown "four" 'ccfc-note))
    ;; The current line.
    (goto-char (point-max))
    (forward-line -1)
    (ccfc-blame-post-command)
    (ccfc-test-until "the current line"
      (seq-some (lambda (text) (string-match-p "“go on”" text))
                (ccfc-test-shown "four" 'after-string)))
    ;; What the user types is nobody's until it is saved.
    (goto-char (point-min))
    (search-forward "three")
    (insert "!")
    (should-not (ccfc-test-owner "three!"))
    (should (equal (ccfc-test-owner "four") b))
    (save-buffer)
    (ccfc-test-until "an answer" (equal (ccfc-test-owner "three!") "outside"))
    ;; The gutter.
    (ccfc-blame-mode)
    (ccfc-test-until "the gutter"
      (string-prefix-p (substring b 0 8)
                       (or (ccfc-test-margin "four") "")))
    (should (string-prefix-p "outside" (ccfc-test-margin "one")))
    (ccfc-blame-mode -1)
    (ccfc-test-until "no gutter" (equal (ccfc-test-margin "four") "▎"))
    (ccfc-mode -1)
    (should-not (seq-filter (lambda (o) (overlay-get o 'ccfc))
                            (overlays-in (point-min) (point-max))))
    (should (= left-margin-width 0))
    (should-not ccfc-process--watch)
    (should (eq buffer (current-buffer)))))

(ert-deftest ccfc-test-commands ()
  (let ((a (ccfc-test-do "id" "a")))
    (ccfc-test-do "change" "a" "sub/b.c" "x\nfrom a\n" "more")
    (ccfc-test-open "a.c")
    (goto-char (point-min))
    (search-forward "two")
    (let ((text (ccfc-test-text (ccfc-why))))
      (should (string-match-p "make two" text))
      (should (string-match-p "^\\+two" text)))
    (should (string-match-p "^\\+two" (ccfc-test-text (ccfc-diff))))
    ;; All files of the session, as places to go to.
    (with-current-buffer (ccfc-session-files (substring a 0 8))
      (ccfc-test-until "the files" (derived-mode-p 'ccfc-files-mode))
      (should (equal (mapcar (lambda (row) (aref (cadr row) 0))
                             tabulated-list-entries)
                     '("a.c" "sub/b.c"))))
    (next-error 1 t)
    (set-buffer (window-buffer))
    (should (string-suffix-p "/a.c" buffer-file-name))
    (next-error)
    (set-buffer (window-buffer))
    (should (string-suffix-p "/sub/b.c" buffer-file-name))
    (ccfc-mode)
    (ccfc-blame-want a)
    (ccfc-test-until "the session's line" (looking-at-p "x\\|from a"))
    (should-error (next-error) :type 'user-error)
    (with-current-buffer (ccfc-sessions)
      (ccfc-test-until "sessions" (derived-mode-p 'ccfc-sessions-mode))
      (should (= (length tabulated-list-entries) 2)))
    ;; The log, and from there back to what was.
    (switch-to-buffer "a.c")
    (with-current-buffer (ccfc-log)
      (ccfc-test-until "the log" (derived-mode-p 'ccfc-log-mode))
      (should (equal (length tabulated-list-entries) 1))
      (goto-char (point-min))
      (should (string-match-p "^\\+two" (ccfc-test-text (ccfc-log-diff))))
      (with-current-buffer (ccfc-log-restore)
        (ccfc-test-until "the preview" ccfc-restore-mode)
        (should (string-match-p "^-two" (buffer-string)))
        (should (equal (ccfc-test-do "get" "a.c") "one\ntwo\n"))
        (ccfc-restore-write)
        (ccfc-test-until "what was" (equal (ccfc-test-do "get" "a.c")
                                           "one\n"))))))

(ert-deftest ccfc-test-unsaved ()
  (let ((b (ccfc-test-do "id" "b")))
    (ccfc-test-open "a.c")
    (goto-char (point-min))
    (insert "mine\n")
    (ccfc-test-do "change" "b" "a.c" "one\ntwo\nthree\n" "go on")
    (ccfc-test-until "the question" (ccfc-reload-pending-p))
    (should (equal (buffer-string) "mine\none\ntwo\n"))
    (should (buffer-modified-p))
    (should (equal (ccfc--lighter) " ccfc!"))
    (should (seq-some (lambda (m) (string-match-p (substring b 0 8) m))
                      ccfc-test-messages))
    (let* ((diff (get-buffer "*ccfc changed: a.c*"))
           (text (ccfc-test-text diff)))
      (should (get-buffer-window diff))
      (should (string-match-p "^\\+mine$" text))
      (should (string-match-p "^-three$" text))
      ;; To keep it, and to take the file.
      (with-current-buffer diff (ccfc-reload-keep)))
    (should-not (ccfc-reload-pending-p))
    (should (equal (buffer-string) "mine\none\ntwo\n"))
    (should (verify-visited-file-modtime (current-buffer)))
    (ccfc-test-do "change" "b" "a.c" "one\ntwo\nthree\nfour\n" "go on")
    (ccfc-test-until "the question" (ccfc-reload-pending-p))
    (ccfc-reload-take)
    (should (equal (buffer-string) "one\ntwo\nthree\nfour\n"))
    (should-not (buffer-modified-p))
    (ccfc-test-until "the owners" (equal (ccfc-test-owner "four") b))))

(ert-deftest ccfc-test-restart ()
  (ccfc-test-open "a.c")
  (let ((want (list (ccfc-test-do "change" "b" "a.c" "one\ntwo\n3\n" "p"))))
    (ccfc-test-until "the first" (equal (ccfc-test-told) want))
    (ccfc-test-do "kill")
    (ccfc-test-until "the end" (not (ccfc-process-connected-p)))
    (should (equal (ccfc--lighter) " ccfc?"))
    (setq want (append want
                       (list (ccfc-test-do "change" "b" "a.c" "1\n2\n" "p")
                             (ccfc-test-do "change" "a" "sub/c.c" "c\n" "p"))))
    (ccfc-test-do "start")
    (ccfc-test-until "the rest" (>= (length (ccfc-test-told)) 3))
    (setq want (append want
                       (list (ccfc-test-do "change" "a" "a.c" "last\n" "p"))))
    (ccfc-test-until "the last" (equal (buffer-string) "last\n"))
    (should (equal (sort (ccfc-test-told) #'string<) (sort want #'string<)))))

(ert-deftest ccfc-test-hang ()
  (ccfc-test-open "a.c")
  (ccfc-test-do "hang")
  (let (asked)
    (unwind-protect
        (progn
          (goto-char (point-min))
          (search-forward "two")
          (dolist (command '(ccfc-why ccfc-log ccfc-sessions))
            (with-current-buffer "a.c"
              (push (funcall command) asked)))
          (with-current-buffer "a.c"
            (goto-char (point-max))
            (insert "mine\n")
            (save-buffer))
          (should (equal (ccfc-test-do "get" "a.c") "one\ntwo\nmine\n")))
      (ccfc-test-do "resume"))
    (with-current-buffer (car asked)
      (ccfc-test-until "sessions" (derived-mode-p 'ccfc-sessions-mode)))
    (with-current-buffer (cadr asked)
      (ccfc-test-until "the log" (derived-mode-p 'ccfc-log-mode)))))

(ert-deftest ccfc-test-several ()
  (ccfc-test-open "a.c")
  (ccfc-test-do "ready")
  (ccfc-test-until "the text" (equal (buffer-string) "for all\n"))
  (let ((b (ccfc-test-do "id" "b")))
    (ccfc-test-until "its owner" (equal (ccfc-test-owner "for all") b))))

(ert-deftest ccfc-test-autostart ()
  (ccfc-test-do "change" "a" "sub/b.c" "from a\n" "more")
  (ccfc-test-open "a.c")
  (should (equal (ccfc-test-owner "two") (ccfc-test-do "id" "a")))
  ;; Stopped, it is not started behind the user's back; a command starts it.
  (ccfc-test-do "end")
  (ccfc-test-until "the end" (not (ccfc-process-connected-p)))
  (ccfc-test-until "a try" (> ccfc-process--delay 1.0))
  (set-buffer-modified-p t)
  (save-buffer)
  (should-not (ccfc-test-do "running"))
  ;; A file that is opened meanwhile has its owners as soon as there is one.
  (find-file "sub/b.c")
  (ccfc-mode)
  (ccfc-log)
  (ccfc-test-until "the daemon" (ccfc-process-connected-p))
  (ccfc-test-until "an answer"
    (equal (ccfc-test-owner "from a") (ccfc-test-do "id" "a")))
  ;; One that crashed is started again by itself.
  (ccfc-test-do "crash")
  (ccfc-test-do "change" "b" "sub/b.c" "after the crash\n" "p")
  (ccfc-test-until "the text" (equal (buffer-string) "after the crash\n"))
  ;; Emacs may have seen the new text on disk before that.
  (ccfc-test-until "a daemon again" (ccfc-test-do "running")))

(ert-deftest ccfc-test-missing-program ()
  (let ((ccfc-program "/no/such/ccfc"))
    (switch-to-buffer
     (find-file-noselect (expand-file-name "a.c" ccfc-test-dir)))
    (ccfc-mode)
    (ccfc-test-until "a few tries" (> ccfc-process--delay 1.0))
    (should (= 1 (seq-count (lambda (m) (string-match-p "/no/such/ccfc" m))
                            ccfc-test-messages)))
    (ccfc-mode -1)))

(ert-deftest ccfc-test-vc ()
  (require 'autorevert)
  (setq auto-revert-verbose nil)
  (global-auto-revert-mode)
  (ccfc-test-open "a.c")
  (should (eq (vc-state buffer-file-name) 'up-to-date))
  (should (string-prefix-p " Git-" vc-mode))
  (ccfc-test-do "change" "b" "a.c" "one\ntwo\nthree\n" "go on")
  (ccfc-test-until "the text" (string-match-p "three" (buffer-string)))
  (ccfc-test-until "the state of vc" (string-prefix-p " Git:" vc-mode))
  (should-not (buffer-modified-p)))

(ert-deftest ccfc-test-conflict ()
  (ccfc-test-open "a.c")
  (ccfc-test-do "clash" "a.c")
  (ccfc-test-until "the notice"
    (seq-some (lambda (m)
                (string-match-p
                 (format "\\`a.c: stale: session %s and session %s\\'"
                         (substring (ccfc-test-do "id" "a") 0 8)
                         (substring (ccfc-test-do "id" "b") 0 8))
                 m))
              ccfc-test-messages))
  (should (equal (ccfc--lighter) " ccfc!")))

(defun ccfc-test-harmless (text)
  "TEXT, which is shown, does nothing and is one line."
  (should-not (string-match-p "[\0-\x1f\x7f\x9b\u202e]" text))
  (should-not (text-properties-at 0 (substring-no-properties text))))

(ert-deftest ccfc-test-hostile ()
  (let ((buffer (ccfc-test-open "a.c"))
        (others (buffer-list)))
    (ccfc-test-do "hostile" "a.c")
    (ccfc-test-until "the text" (string-match-p "evil" (buffer-string)))
    (ccfc-test-until "its owner" (ccfc-test-shown "evil" 'ccfc-note))
    (dolist (text (ccfc-test-shown "evil" 'after-string))
      (ccfc-test-harmless text)
      (should (string-match-p (regexp-quote "“%s%n") text)))
    (ccfc-test-until "the last event"
      (seq-some (lambda (e) (equal (ccfc-get e "path") "/ssh:evil:/a.c"))
                ccfc-test-events))
    (ccfc-blame-mode)
    (ccfc-test-until "the gutter" (> left-margin-width 1))
    (dolist (view (list (ccfc-why) (ccfc-diff)))
      (ccfc-test-text view)
      (with-current-buffer view
        (should-not (local-variable-p 'ccfc-test-evil))))
    (goto-char (point-min))
    (with-current-buffer (ccfc-session-files (ccfc-list--session-here))
      (ccfc-test-until "the files" (derived-mode-p 'ccfc-files-mode))
      (should (= (length tabulated-list-entries) 3))
      (goto-char (point-min))
      (while (tabulated-list-get-id)
        (let ((path (ccfc-get (tabulated-list-get-id) "path")))
          (unless (string-suffix-p "/a.c" path)
            (should-error (ccfc-files-visit) :type 'user-error))
          (should-not (file-remote-p (ccfc-text-file path))))
        (forward-line 1)))
    (with-current-buffer (ccfc-log)
      (ccfc-test-until "the log" (derived-mode-p 'ccfc-log-mode)))
    (mapc #'ccfc-test-harmless ccfc-test-messages)
    (should-not ccfc-test-evil)
    (should-not (seq-filter (lambda (b) (and (buffer-file-name b)
                                             (not (memq b others))))
                            (buffer-list)))
    (should (buffer-live-p buffer))))

;;; editor_emacs.el ends here
