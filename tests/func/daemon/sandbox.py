"""The limits of the systemd unit against what the daemon does: each of its
system calls is watched with strace and has to be one that the unit allows. No
service manager runs here that would enforce it.
"""
import os
import re
import shutil
import subprocess

import harness
from harness import Box, Skip, TOP, eq
from transcript import Ids, Transcript

FILE = "/home/dev/p/a.py"


def needed(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"no {name}")
    return path


def settings():
    """Of the unit's [Service]; the last of a name counts."""
    with open(os.path.join(TOP, "packaging/systemd/ccfcd.service.in"),
              encoding="utf-8") as f:
        return dict(re.findall(r"^(\w+)=(.*)$", f.read(), re.M))


def calls_of(name, seen=None):
    """The system calls of a set such as @system-service."""
    seen = set() if seen is None else seen
    text = subprocess.run(
        [needed("systemd-analyze"), "syscall-filter", "--no-pager", name],
        capture_output=True, text=True, check=True).stdout
    for word in re.findall(r"^ +([@\w-]+)$", text, re.M):
        if word.startswith("@") and word not in seen:
            seen.add(word)
            calls_of(word, seen)
        seen.add(word)
    return seen


def traced(box, *more):
    """A daemon's life, as strace saw it; with more questions at its end."""
    log = os.path.join(box.top, "trace")
    box.start(wrap=[needed("strace"), "-f", "-qq", "-I2", "-o", log])
    Transcript(box, Ids()).write(FILE)
    for question in (["search", FILE], ["sessions"], ["blame", FILE],
                     ["grep", "please"], ["grep", "-e", "pl.ase"],
                     ["stats"], ["log"], ["index", "--build"],
                     ["search", FILE], *more):
        done = box.run(*question)
        assert done.returncode in (0, 1, 2), question
    box.ok("stop")
    eq(box.daemon.wait(harness.LIMIT), 0, "exit of the daemon")
    box.daemon = None
    with open(log, encoding="utf-8", errors="replace") as f:
        return f.read()


def families(text):
    return set(re.findall(r"\bsocket(?:pair)?\((\w+)", text))


def test_the_daemon_fits_its_unit():
    if os.environ.get("CCFC_SANITIZE"):
        raise Skip("sanitizers make calls of their own")
    allowed = settings()
    eq(allowed["SystemCallFilter"], "@system-service", "filter")
    eq(allowed["RestrictAddressFamilies"], "AF_UNIX AF_INET", "families")
    names = calls_of("@system-service")
    assert "inotify_add_watch" in names and "mount" not in names
    with Box() as box:
        text = traced(box)
    # No network unless it is asked for.
    eq(families(text), {"AF_UNIX"}, "families of sockets")
    with Box() as box:
        text += traced(box, ["web", "--no-open"])
    eq(families(text), {"AF_UNIX", "AF_INET"}, "families of sockets")
    # A negative number is no call: strace looked at a thread that was ending.
    used = set(re.findall(r"^\d+ +(?!syscall_0xf)(\w+)\(", text, re.M))
    assert {"inotify_add_watch", "pread64", "listen"} <= used, used
    eq(sorted(used - names), [], "calls that the unit does not allow")
    # What strace shows of the other limits.
    for pattern in (r"CLONE_NEW", r"S_ISUID|S_ISGID",
                    r"SCHED_(FIFO|RR)", r"\bpersonality\("):
        assert not re.search(pattern, text), pattern


if __name__ == "__main__":
    harness.main()
