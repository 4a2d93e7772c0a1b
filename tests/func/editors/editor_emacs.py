"""The real Emacs with client/editors/emacs, against the real daemon, while
transcripts are being written. editor_emacs.el has what happens inside; it asks
for what happens around it on a socket."""
import glob
import os
import re
import shutil
import subprocess
import threading

import harness
from editing import PLUGINS, Around, Files
from harness import Skip, eq

LISP = os.path.join(PLUGINS, "emacs")
INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "editor_emacs.el")


def emacs(*args, **more):
    program = shutil.which("emacs")
    if not program:
        raise Skip("no emacs")
    return subprocess.Popen(
        [program, "-Q", "--batch", *args], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


class Emacsen(Around):
    """Sessions, and Emacsen that run tests."""

    def emacs(self, test, n=0, **env):
        """Starts an Emacs that runs the test."""
        return emacs(
            "-L", LISP, "-l", INSIDE, "--eval",
            f"(ert-run-tests-batch-and-exit 'ccfc-test-{test})",
            cwd=self.dir, env={
                **self.box.env, "CCFC_TEST_DIR": self.dir + "/",
                "CCFC_TEST_SOCKET": self.listen(n),
                "CCFC_TEST_LIMIT": str(harness.LIMIT),
                "PATH": os.path.dirname(self.box.ccfc) + ":/usr/bin:/bin",
                **env})

    def passes(self, test, **env):
        said(self.emacs(test, **env))


def said(process):
    """The Emacs has to end well; what it said."""
    text = process.communicate(timeout=harness.LIMIT)[0].decode(
        errors="replace")
    assert process.returncode == 0, text[-6000:]
    assert not harness.SANITIZER.search(text), text
    return text


def test_a_change_is_seen():
    with Emacsen() as w:
        w.passes("change")


def test_commands():
    with Emacsen() as w:
        w.passes("commands")


def test_unsaved_buffer():
    with Emacsen() as w:
        w.passes("unsaved")


def test_restart_loses_nothing():
    with Emacsen() as w:
        w.passes("restart")


def test_a_daemon_that_hangs_is_not_waited_for():
    with Emacsen() as w:
        w.passes("hang")


def test_conflict():
    with Emacsen() as w:
        w.passes("conflict")


def test_hostile():
    with Emacsen() as w:
        w.passes("hostile")
        w.unhurt()


def test_auto_revert_and_vc():
    with Emacsen() as w:
        for args in (["init", "-q"], ["add", "."], [
                "-c", "user.name=x", "-c", "user.email=x@example.org",
                "commit", "-qm", "x"]):
            subprocess.run(["git", *args], cwd=w.dir, env=w.box.env,
                           check=True)
        w.passes("vc")


def test_several_at_once():
    with Emacsen() as w:
        n = 50 if os.environ.get("CCFC_SOAK") else 4
        w.ready = threading.Barrier(n)
        for process in [w.emacs("several", i) for i in range(n)]:
            said(process)


def test_daemon_is_started():
    with Emacsen() as w:
        w.box.stop()
        env = {k: v for k, v in w.box.env.items() if k != "CCFC_NO_SPAWN"}
        w.box.env = env
        w.passes("autostart")
        w.box.ok("stop")


def test_no_program():
    with Emacsen() as w:
        w.passes("missing-program")


def compiled(top):
    """A copy of the files in which Emacs may write."""
    folder = os.path.join(top, "lisp")
    shutil.copytree(LISP, folder)
    return folder, sorted(glob.glob(os.path.join(folder, "*.el")))


def test_no_warnings():
    with Files() as w:
        folder, files = compiled(w.box.top)
        eq(said(emacs("-L", folder, "--eval",
                      "(setq byte-compile-error-on-warn t)",
                      "-f", "batch-byte-compile", *files)).strip(), "")
        eq(said(emacs("--eval", "(mapc #'checkdoc-file "
                      "command-line-args-left)", *files)).strip(), "")


def test_package_lint():
    """As the archives of Emacs packages ask for it."""
    places = glob.glob("/usr/share/emacs/site-lisp/elpa-src/*")
    if not any("package-lint" in p for p in places):
        raise Skip("no elpa-package-lint")
    load = [word for p in places for word in ("-L", p)]
    with Files() as w:
        folder, files = compiled(w.box.top)
        eq(said(emacs(*load, "-l", "package-lint", "--eval",
                      "(setq package-lint-main-file "
                      f"\"{folder}/ccfc.el\")",
                      "-f", "package-lint-batch-and-exit",
                      *files)).strip(), "")


def test_version():
    with open(os.path.join(harness.TOP, "CMakeLists.txt"),
              encoding="utf-8") as f:
        version = re.search(r"project\(ccfc VERSION (\S+)", f.read())[1]
    with open(os.path.join(LISP, "ccfc.el"), encoding="utf-8") as f:
        eq(re.search(r"^;; Version: (.*)$", f.read(), re.M)[1], version)


if __name__ == "__main__":
    harness.main()
