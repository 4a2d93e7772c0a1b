"""Real shells on a terminal: types a line, presses a key, and hears from the
shell itself what the line became. Each shell writes to a pipe that it
inherits, so that nothing is read off the screen and nobody has to wait.
"""
import os
import pty
import select
import shutil
import subprocess
import time

from harness import LIMIT, Skip, TOP

SCRIPTS = os.path.join(TOP, "packaging", "completions")

BASH = """
PS1='> ' HISTFILE= TERM=dumb
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind '"\\C-x\\C-a": insert-completions'
dump() {
	printf '%s\\0' "$READLINE_LINE" >&FD
	READLINE_LINE= READLINE_POINT=0
}
bind -x '"\\C-x\\C-l": dump'
SOURCE
printf '\\0' >&FD
"""

ZSH = """
PS1='> ' HISTFILE= TERM=dumb
unsetopt beep zle_bracketed_paste 2>/dev/null
LISTMAX=9999
fpath=(SCRIPTS $fpath)
autoload -Uz compinit
compinit -u -D
dump() { print -rn -- "$BUFFER"$'\\0' >&FD; BUFFER= }
zle -N dump
bindkey -e
bindkey '^X^L' dump
bindkey '^X^K' list-choices
zle -C all-matches complete-word _generic
bindkey '^X^A' all-matches
zstyle ':completion:all-matches:*' insert true
zstyle ':completion:all-matches::::' completer _all_matches _complete
zle-line-init() { print -n $'\\0' >&FD; zle -D zle-line-init }
zle -N zle-line-init
"""

TAB = b"\t"
ALL = b"\x18\x01"
LIST = b"\x18\x0b"
DUMP = b"\x18\x0c"


def need(name):
    path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin")
    if not path:
        raise Skip(f"no {name} here")
    return path


class Terminal:
    """A shell with `rc` as its start file."""

    def __init__(self, argv, env, cwd):
        self.pipe, self.theirs = os.pipe()
        self.master, slave = pty.openpty()
        self.screen = b""
        self.said = b""
        self.process = subprocess.Popen(
            argv(self.theirs), env=env, cwd=cwd, stdin=slave, stdout=slave,
            stderr=slave, pass_fds=[self.theirs], start_new_session=True)
        os.close(slave)
        os.close(self.theirs)
        self.hear()

    def hear(self):
        """What the shell says next; the screen is read meanwhile."""
        end = time.monotonic() + LIMIT
        while b"\0" not in self.said:
            ready = select.select([self.pipe, self.master], [], [],
                                  max(0, end - time.monotonic()))[0]
            if not ready:
                raise AssertionError(f"silence; screen: {self.screen!r}")
            if self.master in ready:
                self.screen += os.read(self.master, 1 << 16)
            if self.pipe in ready:
                data = os.read(self.pipe, 1 << 16)
                if not data:
                    raise AssertionError(f"it ended: {self.screen!r}")
                self.said += data
        text, _, self.said = self.said.partition(b"\0")
        return text.decode(errors="surrogateescape")

    def press(self, line, key=TAB):
        """The line after the key; the screen meanwhile is in `screen`."""
        self.screen = b""
        os.write(self.master, line.encode() + key + DUMP)
        return self.hear()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.pipe)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def bash(env, cwd, top, source=None):
    """`source` are lines that load the completions."""
    program = need("bash")
    source = source or f". {SCRIPTS}/ccfc.bash"

    def argv(fd):
        rc = os.path.join(top, "bashrc")
        with open(rc, "w", encoding="utf-8") as f:
            f.write(BASH.replace("SOURCE", source).replace("FD", str(fd)))
        return [program, "--noprofile", "--rcfile", rc, "-i"]
    return Terminal(argv, env, cwd)


def zsh(env, cwd, top):
    program = need("zsh")

    def argv(fd):
        with open(os.path.join(top, ".zshrc"), "w", encoding="utf-8") as f:
            f.write(ZSH.replace("SCRIPTS", SCRIPTS).replace("FD", str(fd)))
        return [program, "-d", "-i"]
    return Terminal(argv, {**env, "ZDOTDIR": top}, cwd)


def fish(env, cwd, line, escape=False):
    """What fish would offer: (value, description) in its order."""
    done = subprocess.run(
        [need("fish"), "--no-config", "-c",
         f"source {SCRIPTS}/ccfc.fish; "
         f"complete {'--escape' if escape else ''} -C $argv[1]", line],
        env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=LIMIT, check=False)
    assert not done.stderr, done.stderr
    lines = done.stdout.decode(errors="surrogateescape").split("\n")[:-1]
    return [tuple((x + "\t").split("\t")[:2]) for x in lines]
