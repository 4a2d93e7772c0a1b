"""The Debian packages. What is quick is always checked: that versions and
lists of packages agree. With CCFC_DEB=1 (tests/run --deb) they are built three
times, handed to lintian, and held against each other byte by byte; and in a
fresh Debian (chroot.py) they are installed, used, upgraded and purged.
"""
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

import harness
from chroot import Chroot, sh
from harness import TOP, eq

RECORDING = "2.1.325"
FILE = "/home/dev/src/edit/p/app.py"
SESSION = "5418d62c-d53a-4f1a-9f06-11c987a48f91"
CLAUDE = "/home/dev/.claude"
STATE = "/home/dev/.local/state/ccfc"
NOBODY = 65534  # who needs no packages installed any more, and is not root
# What apt and the loader write for themselves, whatever is installed.
NOT_OURS = re.compile(
    r"/(var/(cache|log|lib/(apt|dpkg))|home|proc|dev|sys|tmp|run|debs)(/|$)"
    r"|/etc/ld\.so\.cache$")


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def version():
    return re.search(r"^project\(ccfc VERSION (\S+)", read("CMakeLists.txt"),
                     re.M)[1]


def test_version_is_one():
    newest = re.match(r"ccfc \((\S+)\) ", read("packaging/debian/changelog"))
    eq(newest[1], version(), "version of packaging/debian/changelog")


def test_versions_that_differ_are_refused():
    with tempfile.TemporaryDirectory(prefix="ccfc-deb-") as top:
        shutil.copytree(os.path.join(TOP, "packaging"),
                        os.path.join(top, "packaging"))
        with open(os.path.join(top, "CMakeLists.txt"), "w",
                  encoding="utf-8") as f:
            f.write("project(ccfc VERSION 7.8.9 LANGUAGES C)\n")
        done = subprocess.run([os.path.join(top, "packaging/build-deb")],
                              capture_output=True, text=True, check=False)
        eq(done.returncode, 2, "exit")
        if f"version 7.8.9 and packaging/debian/changelog {version()}:" \
                not in done.stderr:
            raise AssertionError(done.stderr)
        eq(os.listdir(top).count("build-deb"), 0, "packages")


def test_build_deb_installs_what_control_asks_for():
    """Everything but the compilers, which any build has."""
    control = read("packaging/debian/control")
    wanted = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M)[1]
    wanted = set(re.findall(r"^ ([a-z0-9.+-]+)", wanted, re.M))
    lists = read("packaging/packages")
    have = " ".join(re.findall(r"^(?:BUILD|DEB)_PACKAGES='([^']*)'", lists,
                               re.M)).split()
    wanted = {"debhelper" if w == "debhelper-compat" else w for w in wanted}
    eq(wanted - set(have), set(), "only in control")
    eq(set(have) - wanted, {"gcc", "g++", "make", "build-essential"},
       "only in packaging/packages")


# What follows takes minutes.

def copy_source(to):
    """The tree without what .gitignore names."""
    def ignore(folder, names):
        return {n for n in names if n == "__pycache__" or (
            folder == TOP and (n == ".git" or n.startswith("build")))}
    shutil.copytree(TOP, to, ignore=ignore, symlinks=True)


def build(source, out, *options, as_user=None, umask=0o022, **env):
    who = {}
    if as_user:
        who = {"user": as_user, "group": as_user, "extra_groups": []}
    sh(os.path.join(source, "packaging/build-deb"), *options, out,
       env={**os.environ, **env}, umask=umask, **who)
    return {name: os.path.join(out, name) for name in sorted(os.listdir(out))
            if name.endswith(".deb")}


def once(function):
    """Calls it once only, also when it fails."""
    @functools.lru_cache
    def outcome():
        try:
            return function(), None
        except AssertionError as error:
            return None, error

    def call():
        value, error = outcome()
        if error:
            raise error
        return value
    return call


@functools.lru_cache
def scratch():
    return tempfile.mkdtemp(prefix="ccfc-deb-")


@once
def first():
    """The packages and the source package of the tree: {name: path}."""
    return build(TOP, os.path.join(scratch(), "first"), "--source")


@once
def newer():
    """The packages of a version that is one higher."""
    source = os.path.join(scratch(), "newer-source")
    copy_source(source)
    old = version()
    start, last = old.rsplit(".", 1)
    new = f"{start}.{int(last) + 1}"
    cmake = os.path.join(source, "CMakeLists.txt")
    changelog = os.path.join(source, "packaging/debian/changelog")
    text = read(cmake).replace(f"VERSION {old} ", f"VERSION {new} ", 1)
    with open(cmake, "w", encoding="utf-8") as f:
        f.write(text)
    text = read(changelog)
    with open(changelog, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new, 1) + "\n" + text)
    return new, build(source, os.path.join(scratch(), "newer"))


def slow_packages_are_those_of_control():
    names = {n.split("_")[0] for n in first() if "-dbgsym" not in n}
    control = read("packaging/debian/control")
    eq(names, set(re.findall(r"^Package: (\S+)", control, re.M)), "packages")


def slow_lintian_has_nothing_to_say():
    """No error, no warning, of the packages and of the source package."""
    packages = first()
    out = os.path.join(scratch(), "first")
    source = [os.path.join(out, n) for n in os.listdir(out)
              if n.endswith(".dsc")]
    eq(len(source), 1, "source packages")
    root = ["--allow-root"] if os.geteuid() == 0 else []
    print(sh("lintian", "-i", "--pedantic", "--fail-on=error,warning", *root,
             *source, *packages.values()))


def slow_two_builds_are_the_same():
    """Another directory, user, time zone, language, umask, settings."""
    def sums(packages):
        found = {}
        for name, path in packages.items():
            with open(path, "rb") as f:
                found[name] = hashlib.sha256(f.read()).hexdigest()
        return found
    want = sums(first())
    other = os.path.join(scratch(), "another-and-much-longer-directory")
    copy_source(os.path.join(other, "source"))
    tmp = os.path.join(other, "tmp")
    os.mkdir(tmp)
    user = NOBODY if os.geteuid() == 0 else None
    if user:
        sh("chown", "-R", f"{user}:{user}", other)
        os.chmod(scratch(), 0o755)
    again = build(
        os.path.join(other, "source"), os.path.join(other, "out"),
        as_user=user, umask=0o077, TMPDIR=tmp, HOME=other,
        TZ="Pacific/Kiritimati", LC_ALL="C.UTF-8", USER="somebody",
        CFLAGS="-O0", SOURCE_DATE_EPOCH="1")
    eq(sums(again), want, "packages of the second build")
    eq(os.listdir(tmp), [], "left in TMPDIR")


def slow_library_is_found_and_linked():
    """libccfc-dev and libccfc1, unpacked: a program is built with them."""
    top = os.path.join(scratch(), "unpacked")
    for path in first().values():
        sh("dpkg-deb", "-x", path, top)
    lib = os.path.dirname(sh("find", top, "-name", "ccfc.pc").strip())
    env = {**os.environ, "PKG_CONFIG_PATH": lib}
    flags = sh("pkg-config", "--cflags", "--libs", "ccfc", env=env).split()
    program = os.path.join(scratch(), "consumer")
    sources = os.path.join(TOP, "tests/consumer")
    sh("gcc", "-o", program,
       *(os.path.join(sources, n) for n in os.listdir(sources)
         if n.endswith(".c")), *flags)
    needed = sh("readelf", "-d", program)
    if "[libccfc.so.1]" not in needed:
        raise AssertionError(needed)


def tree_sums(top):
    """{path below top: what is in it}, for files and links."""
    found = {}
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found[path] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as f:
                    found[path] = hashlib.sha256(f.read()).hexdigest()
    return found


def recording(root):
    """Puts all scenarios of one version of the client into ~/.claude."""
    corpus = os.path.join(scratch(), "corpus")
    sh("cmake", f"-DARCHIVE={TOP}/tests/data/client.tar.zst",
       f"-DTARGET={corpus}", "-P", f"{TOP}/tests/data/unpack.cmake")
    version_dir = os.path.join(corpus, RECORDING)
    for scenario in sorted(os.listdir(version_dir)):
        claude = os.path.join(version_dir, scenario, "claude")
        if os.path.isdir(claude):
            shutil.copytree(claude, root.path(CLAUDE), dirs_exist_ok=True)
    root.run("chown", "-R", "dev:dev", "/home/dev")


def install(root, packages):
    os.makedirs(root.path("/debs"), exist_ok=True)
    inside = []
    for name, path in packages.items():
        if "-dbgsym" not in name:
            shutil.copy(path, root.path("/debs"))
            inside.append("/debs/" + name)
    root.apt("install", *inside)


def ccfc(root, *args):
    return root.run("ccfc", *args, user="dev")


def answers(root):
    """What must not change; of a daemon that is started if none runs."""
    return {what: ccfc(root, *what.split()) for what in (
        f"search {FILE}", "sessions --format=ids --limit=1000",
        "search /** --format=paths --limit=1000", "index --dump",
        "stats --format=json")}


def daemon_version(root):
    return re.search(r"\d+\.\d+\.\d+", ccfc(root, "status"))[0]


def no_trace(root, before):
    """Nothing of the packages is left, but for what is the user's."""
    after = root.files()
    skip = NOT_OURS.match
    eq({p for p in after - before if not skip(p)}, set(), "left behind")
    eq({p for p in before - after if not skip(p)}, set(), "taken away")
    named = {p for p in after if "ccfc" in p
             and not p.startswith(("/home/", "/debs/", "/var/cache/"))}
    eq(named, set(), "files with our name")
    listed = root.run("dpkg-query", "-W", "-f=${Package} ${Status}\n")
    if "ccfc" in listed:
        raise AssertionError(listed)


def slow_installed_used_upgraded_purged():
    with Chroot(scratch()) as root:
        root.run("useradd", "--create-home", "--user-group", "dev")
        recording(root)
        transcripts = tree_sums(root.path(CLAUDE))
        before = root.files()

        install(root, first())
        found = answers(root)
        for what in (f"search {FILE}", "sessions --format=ids --limit=1000"):
            if SESSION not in found[what]:
                raise AssertionError(f"{what}:\n{found[what]}")
        eq(daemon_version(root), version(), "version of the daemon")
        eq(tree_sums(root.path(CLAUDE)), transcripts, "transcripts")
        # There is no service to be had in there, but what shells find is said.
        said = root.run("sh", "-c", "ccfc setup --dry-run; true", user="dev",
                        SHELL="/bin/zsh")
        if "completions" in said:
            raise AssertionError(said)
        for page in ("1/ccfc.1", "5/ccfc.conf.5", "8/ccfcd.8",
                     "7/ccfc-sql.7", "7/ccfc-protocol.7", "3/libccfc.3"):
            path = root.path(f"/usr/share/man/man{page}.gz")
            eq(os.path.exists(path), True, page)

        # From here on the store is the only one that knows.
        shutil.rmtree(root.path(CLAUDE + "/projects"))
        found = answers(root)
        new, packages = newer()
        install(root, packages)
        eq(ccfc(root, "--version").split()[1], new, "version of ccfc")
        eq(answers(root), found, "the old daemon's answers")
        eq(daemon_version(root), version(), "version of the old daemon")
        ccfc(root, "stop")
        eq(answers(root), found, "the new daemon's answers")
        eq(daemon_version(root), new, "version of the new daemon")

        ccfc(root, "stop")
        state = tree_sums(root.path(STATE))
        root.apt("purge", "ccfc", "libccfc1", "libccfc-dev")
        root.apt("autoremove", "--purge")
        no_trace(root, before)
        eq(bool(state), True, "store")
        eq(tree_sums(root.path(STATE)), state, "the user's store")


def main():
    if os.environ.get("CCFC_DEB"):
        for name, function in list(globals().items()):
            if name.startswith("slow_"):
                globals()["test_" + name[len("slow_"):]] = function
    try:
        harness.main()
    finally:
        if scratch.cache_info().currsize:
            shutil.rmtree(scratch())


if __name__ == "__main__":
    main()
