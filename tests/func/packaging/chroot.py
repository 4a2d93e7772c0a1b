"""A fresh Debian in a directory, to install packages in.

Everything in it runs in mount and process namespaces of its own, which end
with one process that waits for the end of its input. So no mount and no daemon
is left behind, however a test ends.
"""
import glob
import os
import shutil
import subprocess
import tempfile
import urllib.request

from harness import Skip

SUITE = "bookworm"
MIRROR = os.environ.get("CCFC_DEBIAN_MIRROR", "http://deb.debian.org/debian")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def sh(*argv, **more):
    """Runs a command that must succeed; its stdout and stderr."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(argv)}: exit {done.returncode}:\n"
                             + done.stdout[-6000:])
    return done.stdout


def possible():
    if os.geteuid() != 0:
        raise Skip("a chroot needs root")
    for program in ("debootstrap", "unshare", "nsenter"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"],
                      capture_output=True, check=False).returncode:
        raise Skip("no namespaces are to be had here")
    try:
        with urllib.request.urlopen(f"{MIRROR}/dists/{SUITE}/Release",
                                    timeout=30) as reply:
            reply.read(1)
    except OSError as error:
        raise Skip(f"{MIRROR} does not answer: {error}") from None


class Chroot:
    def __init__(self, below):
        possible()
        self.top = tempfile.mkdtemp(prefix="debian-", dir=below)
        os.chmod(self.top, 0o755)
        self.holder = None

    def path(self, inside):
        return self.top + inside

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        # What it mounts is gone with its namespace.
        sh("unshare", "--mount", "debootstrap", "--variant=minbase", SUITE,
           self.top, MIRROR)
        self.borrow()
        # pylint: disable=consider-using-with # ends in __exit__
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child",
             f"--mount-proc={self.path('/proc')}",
             "sh", "-c", "echo; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.holder.stdout.readline():
            raise AssertionError("unshare: no namespaces")
        self.apt("update")

    def borrow(self):
        """The way to the network is that of the machine."""
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.path("/etc"))
        for path in glob.glob("/etc/apt/apt.conf.d/*"):
            with open(path, encoding="utf-8") as f:
                if "Acquire::" in f.read():
                    shutil.copy(path, self.path("/etc/apt/apt.conf.d"))

    def __exit__(self, *exc):
        if self.holder:
            self.holder.stdin.close()
            self.holder.wait()
            self.holder.stdout.close()
        # Never into something that is mounted still.
        if self.mounts():
            raise AssertionError(f"mounts are left below {self.top}")
        shutil.rmtree(self.top)

    def mounts(self):
        with open("/proc/self/mounts", encoding="utf-8") as f:
            return [line for line in f if f" {self.top}/" in line]

    def run(self, *argv, user="root", **env):
        """A command in there that must succeed; its output."""
        home = "/root" if user == "root" else f"/home/{user}"
        space = f"/proc/{self.holder.pid}/ns"
        return sh("nsenter", f"--mount={space}/mnt",
                  f"--pid={space}/pid_for_children", "chroot",
                  f"--userspec={user}:{user}", self.top, "env", "-i",
                  f"--chdir={home}", f"HOME={home}", f"PATH={PATH}",
                  f"USER={user}", "TZ=UTC", "LC_ALL=C.UTF-8",
                  "DEBIAN_FRONTEND=noninteractive",
                  *(f"{k}={v}" for k, v in env.items()), *argv)

    def apt(self, *args):
        return self.run("apt-get", "-q", "-y", "--no-install-recommends",
                        *args)

    def files(self):
        """All that is in there, by name."""
        found = set()
        for folder, folders, names in os.walk(self.top):
            for name in folders + names:
                found.add(os.path.join(folder, name)[len(self.top):])
        return found
