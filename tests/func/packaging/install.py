"""What `cmake --install` puts where, and that others can build with it: a
program (tests/consumer) is made with pkg-config and with find_package, shared
and static, and asks a daemon that it or the installed ccfc has started.
"""
import atexit
import contextlib
import functools
import os
import re
import shutil
import subprocess
import tempfile

import harness
from harness import Box, Skip, TOP, eq
from transcript import Ids, Transcript

FILE = "/home/dev/p/a.py"
BUILD = os.path.abspath(
    os.environ.get("CCFC_BIN_DIR", os.path.join(TOP, "build")))
SANITIZE = os.environ.get("CCFC_SANITIZE", "")
CFLAGS = ["-Wall", "-Wextra", "-Werror"]
if SANITIZE:
    CFLAGS.append(f"-fsanitize={SANITIZE}")


def sh(*argv, **more):
    """Runs a command that must succeed; its stdout."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(argv)}:\n{done.stdout[-4000:]}")
    return done.stdout


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def cache(name):
    """A variable of the build under test."""
    found = re.search(rf"^{name}:\w+=(.*)$", read(BUILD, "CMakeCache.txt"),
                      re.M)
    return found[1] if found else ""


VERSION = cache("CMAKE_PROJECT_VERSION")


@functools.cache
def prefixes():
    """Where everything is installed: one place, and one that was moved after
    that. Nobody changes them, so all tests share them."""
    top = tempfile.mkdtemp(prefix="ccfc-install-")
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    stays, moves, moved = (os.path.join(top, name)
                           for name in ("prefix", "moves", "moved"))
    sh("cmake", "--install", BUILD, "--prefix", stays)
    sh("cmake", "--install", BUILD, "--prefix", moves)
    os.rename(moves, moved)
    return stays, moved


@contextlib.contextmanager
def installed(moved=False):
    """A prefix with everything in it; `moved` after it was installed."""
    yield prefixes()[moved]


def libdir(prefix):
    return os.path.join(prefix, cache("CMAKE_INSTALL_LIBDIR"))


def files_below(top):
    found = set()
    for folder, _, names in os.walk(top):
        found |= {os.path.relpath(os.path.join(folder, name), top)
                  for name in names}
    return found


def write_history(box):
    Transcript(box, Ids()).write(FILE)


class Installed(Box):
    """A box whose programs are the installed ones, and may start a daemon."""

    def __init__(self, prefix):
        super().__init__()
        self.ccfc = os.path.join(prefix, "bin", "ccfc")
        self.ccfcd = os.path.join(prefix, "bin", "ccfcd")
        self.env = self.environment()
        del self.env["CCFC_NO_SPAWN"], self.env["CCFC_DAEMON"]
        self.env["LD_LIBRARY_PATH"] = libdir(prefix)

    def __exit__(self, kind, value, trace):
        self.run("stop")
        super().__exit__(kind, value, trace)


def ask(box, program):
    """The program finds the one session, and a daemon of its own if asked."""
    eq(sh(program, FILE, env=box.env), "1 sessions\n", program)


def exe_of_daemon(box):
    pid = box.json("status")["pid"]
    return os.readlink(f"/proc/{pid}/exe")


def test_everything_is_in_its_place():
    lib = cache("CMAKE_INSTALL_LIBDIR")
    want = {f"{lib}/libccfc.so", f"{lib}/libccfc.so.1", f"{lib}/libccfc.a",
            f"{lib}/libccfc.so.{VERSION}", "bin/ccfc", "bin/ccfcd",
            f"{lib}/pkgconfig/ccfc.pc", f"{lib}/cmake/ccfc/ccfcConfig.cmake",
            f"{lib}/cmake/ccfc/ccfcConfigVersion.cmake",
            f"{lib}/cmake/ccfc/ccfcTargets.cmake",
            "lib/systemd/user/ccfcd.service",
            "share/bash-completion/completions/ccfc",
            "share/zsh/site-functions/_ccfc",
            "share/fish/vendor_completions.d/ccfc.fish"}
    want |= {f"share/ccfc/completions/{name}" for name in (
        "ccfc.bash", "_ccfc", "ccfc.fish")}
    want |= {"share/nvim/site/pack/ccfc/start/ccfc/" + name for name in (
        "plugin/ccfc.lua", "lua/ccfc/init.lua", "doc/ccfc.txt", "doc/tags")}
    want |= {f"share/emacs/site-lisp/ccfc/{name}" for name in (
        "ccfc.el", "ccfc-process.el")}
    want |= {"share/vim/vimfiles/pack/ccfc/start/ccfc/" + name for name in (
        "plugin/ccfc.vim", "autoload/ccfc.vim", "autoload/ccfc/job.vim",
        "doc/ccfc.txt", "doc/tags")}
    want.add("share/kak/rc/tools/ccfc.kak")
    want |= {f"share/ccfc/claude-plugin/{name}" for name in (
        ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json",
        ".mcp.json", "skills/who-changed-what/SKILL.md")}
    want |= {f"share/doc/ccfc/{name}" for name in (
        "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "PROTOCOL.md")}
    want |= {f"include/ccfc/{name}"
             for name in os.listdir(os.path.join(TOP, "include", "ccfc"))}
    with installed() as prefix:
        there = files_below(prefix)
        eq(sorted(want - there), [], "missing")
        unit = read(prefix, "lib/systemd/user/ccfcd.service")
        assert f"ExecStart={prefix}/bin/ccfcd " in unit, unit
        eq(os.readlink(f"{libdir(prefix)}/libccfc.so.1"),
           f"libccfc.so.{VERSION}", "libccfc.so.1")


def test_neovim_finds_its_plugin():
    if not shutil.which("nvim"):
        raise Skip("no nvim")
    with installed() as prefix, Box() as box:
        said = sh("nvim", "--headless", "--clean", "-c",
                  "echo exists(':Ccfc') luaeval('require(\"ccfc\").clock')",
                  "-c", "qa!",
                  env={**box.env, "XDG_DATA_DIRS": f"{prefix}/share"})
        eq(said.strip(), "2 v:null", "the command and the modules")


def test_emacs_finds_its_package():
    if not shutil.which("emacs"):
        raise Skip("no emacs")
    with installed() as prefix:
        sh("emacs", "-Q", "--batch", "-L",
           f"{prefix}/share/emacs/site-lisp/ccfc", "-l", "ccfc",
           "--eval", "(unless (fboundp 'global-ccfc-mode) (kill-emacs 1))")


def test_vim_finds_its_plugin():
    if not shutil.which("vim"):
        raise Skip("no vim")
    with installed() as prefix, Box() as box:
        said = sh("vim", "-N", "-i", "NONE", "-u", "NONE", "-es", "-V1",
                  "--cmd", f"set packpath^={prefix}/share/vim/vimfiles",
                  "-c", "packloadall",
                  "-c", "echo exists(':Ccfc')", "-c", "qa!",
                  env=box.env, stdin=subprocess.DEVNULL)
        if "E319" in said:
            raise Skip("this vim can do too little")
        eq(said.split()[-1], "2", "the command")


def test_destdir():
    """Files go below it, and nothing in them knows of it."""
    with tempfile.TemporaryDirectory(prefix="ccfc-install-") as stage:
        sh("cmake", "--install", BUILD, "--prefix", "/opt/ccfc",
           env={**os.environ, "DESTDIR": stage})
        eq(os.listdir(stage), ["opt"], "top of DESTDIR")
        prefix = f"{stage}/opt/ccfc"
        unit = read(prefix, "lib/systemd/user/ccfcd.service")
        assert "ExecStart=/opt/ccfc/bin/ccfcd " in unit, unit
        for name in files_below(prefix):
            with open(f"{prefix}/{name}", "rb") as f:
                if stage.encode() in f.read():
                    raise AssertionError(f"{name} names DESTDIR")


def test_one_version():
    with installed() as prefix, Installed(prefix) as box:
        assert re.fullmatch(rf"ccfc {re.escape(VERSION)} \(protocol \d+\)\n",
                            box.ok("--version"))
        eq(sh(box.ccfcd, "--version", env=box.env), f"ccfcd {VERSION}\n",
           "ccfcd")
        pc = read(libdir(prefix), "pkgconfig/ccfc.pc")
        assert f"\nVersion: {VERSION}\n" in pc, pc
        log = read(prefix, "share/doc/ccfc/CHANGELOG.md")
        assert f"## [{VERSION}]" in log, "CHANGELOG.md has no such version"


def listed():
    """The names in the export map."""
    text = re.sub(r"#.*", "", read(TOP, "client/lib/libccfc.map"))
    return set(re.findall(r"^\t(ccfc_\w+);$", text, re.M))


def test_exports():
    """The map is what the headers say and what the library has."""
    declared = set()
    for name in os.listdir(os.path.join(TOP, "include", "ccfc")):
        text = re.sub(r"/\*.*?\*/", "", read(TOP, "include/ccfc", name),
                      flags=re.S)
        declared |= set(re.findall(r"CCFC_API\s[^;{]*?\b(ccfc_\w+)\(", text))
    eq(sorted(declared - listed()), [], "add to client/lib/libccfc.map")
    eq(sorted(listed() - declared), [], "in the map, in no header")
    with installed() as prefix:
        lines = sh("nm", "-D", "--defined-only",
                   f"{libdir(prefix)}/libccfc.so").splitlines()
        # "address T name@@VERSION"; A is the version itself.
        rows = [line.split() for line in lines]
        names = {row[2].partition("@")[0] for row in rows if row[1] != "A"}
        if SANITIZE:
            names = {n for n in names if n.startswith("ccfc_")}
        eq(sorted(listed() - names), [], "no longer exported")
        eq(sorted(names - listed()), [], "exported, not in the map")
        needed = sh("objdump", "-p", f"{libdir(prefix)}/libccfc.so")
        assert re.search(r"SONAME\s+libccfc\.so\.1$", needed, re.M), needed


def test_the_archive_keeps_to_its_names():
    """A program that links libccfc.a gets no names but ours into its way."""
    with installed() as prefix:
        lines = sh("nm", "-g", "--defined-only",
                   f"{libdir(prefix)}/libccfc.a").splitlines()
        names = {line.split()[2] for line in lines if line.count(" ") == 2}
        eq(sorted(listed() - names), [], "missing")
        foreign = sorted(n for n in names if not n.startswith("ccfc_")
                         and not (SANITIZE and n.startswith("__")))
        eq(foreign, [], "foreign names")


def pkg_config(prefix, *args):
    env = {**os.environ, "PKG_CONFIG_PATH": f"{libdir(prefix)}/pkgconfig"}
    return sh("pkg-config", *args, "ccfc", env=env).split()


def test_pkg_config():
    """From a prefix that was moved, since nothing in the file names it."""
    main = os.path.join(TOP, "tests", "consumer", "main.c")
    cc = cache("CMAKE_C_COMPILER")
    with installed(moved=True) as prefix, Installed(prefix) as box:
        write_history(box)
        eq(pkg_config(prefix, "--modversion"), [VERSION], "version")
        shared = os.path.join(box.top, "shared")
        sh(cc, *CFLAGS, main, "-o", shared,
           *pkg_config(prefix, "--cflags", "--libs"))
        assert "libccfc.so.1" in sh("ldd", shared, env=box.env)
        ask(box, shared)
        # No ccfcd beside the program: it is the one in PATH.
        eq(exe_of_daemon(box), os.path.realpath(box.ccfcd), "daemon")
        if SANITIZE or not cache("CCFC_CAN_STATIC"):
            return
        static = os.path.join(box.top, "static")
        sh(cc, *CFLAGS, "-static", main, "-o", static,
           *pkg_config(prefix, "--static", "--cflags", "--libs"))
        ask(box, static)


def test_find_package():
    with installed(moved=True) as prefix, Installed(prefix) as box:
        write_history(box)
        build = os.path.join(box.top, "consumer")
        sh("cmake", "-S", os.path.join(TOP, "tests", "consumer"), "-B", build,
           f"-DCMAKE_PREFIX_PATH={prefix}",
           f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}",
           f"-DCMAKE_C_FLAGS={' '.join(CFLAGS)}")
        sh("cmake", "--build", build)
        box.env.pop("LD_LIBRARY_PATH")
        loaded = sh("ldd", f"{build}/shared", env=box.env)
        assert f"{libdir(prefix)}/libccfc.so.1" in loaded, loaded
        ask(box, f"{build}/shared")
        loaded = sh("ldd", f"{build}/static", env=box.env)
        assert "libccfc" not in loaded, loaded
        ask(box, f"{build}/static")


def test_find_package_wants_a_version_that_fits():
    with installed() as prefix, \
            tempfile.TemporaryDirectory(prefix="ccfc-install-") as top:
        with open(f"{top}/CMakeLists.txt", "w", encoding="utf-8") as f:
            f.write("cmake_minimum_required(VERSION 3.25)\n"
                    "project(p LANGUAGES NONE)\n"
                    "find_package(ccfc 99 QUIET)\n"
                    "if(ccfc_FOUND)\nmessage(FATAL_ERROR fits)\nendif()\n")
        sh("cmake", "-S", top, "-B", f"{top}/b",
           f"-DCMAKE_PREFIX_PATH={prefix}")


def test_client_finds_the_installed_daemon():
    """Beside itself, whatever PATH says."""
    with installed() as prefix, Installed(prefix) as box:
        write_history(box)
        box.env["PATH"] = "/usr/bin:/bin"
        found = box.ok("search", FILE, "--format=paths")
        eq(found, FILE + "\n", "search")
        eq(exe_of_daemon(box), os.path.realpath(box.ccfcd), "daemon")


def test_static_client():
    """It is what the build says, and links nothing that loads at run time."""
    if cache("CCFC_STATIC_CLIENT") != "ON":
        raise Skip("ccfc is not static in this build")
    with installed() as prefix:
        ccfc = f"{prefix}/bin/ccfc"
        assert "INTERP" not in sh("readelf", "-lW", ccfc)
        names = set(sh("nm", ccfc).split())
        # NSS would dlopen libraries of exactly the C library linked with.
        eq(sorted(names & {"getpwnam", "getpwuid", "getpwuid_r", "getgrgid",
                           "getaddrinfo", "gethostbyname"}), [],
           "calls that load libraries")


def test_client_only():
    """The command alone; with musl, where that is installed."""
    cc = shutil.which("musl-gcc") or cache("CMAKE_C_COMPILER")
    with Box() as box:
        write_history(box)
        # Kept, as the rest of the build is: the next time little is compiled.
        build = os.path.join(BUILD, "client-only")
        sh("cmake", "-S", TOP, "-B", build, "-DCCFC_CLIENT_ONLY=ON",
           f"-DCMAKE_C_COMPILER={cc}", "-DCMAKE_BUILD_TYPE=None")
        sh("cmake", "--build", build, "-j", "2")
        sh("cmake", "--install", build, "--prefix", f"{box.top}/prefix")
        eq(files_below(f"{box.top}/prefix"), {"bin/ccfc"}, "installed")
        box.ccfc = f"{box.top}/prefix/bin/ccfc"
        box.start()
        eq(box.ok("search", FILE, "--format=paths"), f"{FILE}\n", "search")


def test_unit_is_valid():
    if not shutil.which("systemd-analyze"):
        raise Skip("no systemd-analyze")
    with installed() as prefix, Installed(prefix) as box:
        sh("systemd-analyze", "verify", "--user", "--man=no",
           f"{prefix}/lib/systemd/user/ccfcd.service",
           env={**box.env, "XDG_RUNTIME_DIR": box.top})


if __name__ == "__main__":
    harness.main()
