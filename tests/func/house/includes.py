"""Who may know whom: checks every #include against the rules of the README;
and that names differ and folders stay small."""
import collections
import itertools
import os
import re

import harness

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
SOURCES = (".c", ".h", ".cpp")

# Folder → the folders that it may include, besides itself.
BASE = {"base", "os"}
MAY = {
    "proto/base": set(),
    "proto/os": {"base"},
    "proto/wire": BASE,
    "proto/diff": BASE,
    "proto/schema": {"base"},
    "daemon/source": BASE,
    "daemon/blobs": BASE,
    "daemon/observe": BASE | {"blobs", "source", "transcript"},
    "daemon/forget": BASE | {"shell", "transcript"},
    "daemon/archive": BASE | {"forget", "source", "blobs"},
    "daemon/transcript": BASE,
    "daemon/shell": {"base"},
    "daemon/index": BASE | {"shell", "source", "transcript"},
    "daemon/store": BASE | {"forget", "transcript", "index"},
    "daemon/history": BASE | {"blobs", "diff", "shell", "source",
                              "transcript", "index"},
    "daemon/search": BASE | {"source", "transcript", "store/texts"},
    "daemon/conversation": BASE | {"source", "transcript", "store/texts"},
    "daemon/serve": BASE | {"conversation", "wire", "schema", "source",
                            "transcript", "index", "store", "history",
                            "search", "observe", "archive", "blobs",
                            "forget"},
    # The way in does not know who asks.
    "daemon/ingest": BASE | {"source", "index", "store", "archive", "forget"},
    "daemon/http": BASE | {"wire", "schema", "transcript"},
    # The daemon's own files put everything together.
    "daemon": BASE | {"http", "ingest", "source", "transcript", "index",
                      "store", "serve", "observe", "archive", "forget"},
    "client/lib": BASE | {"wire", "schema"},
    "client/cli": BASE | {"wire", "diff", "lib", "schema"},
}
# Room of a folder → the rooms beside it that it may include. Every room may
# include the headers that lie in the folder itself, and the files there may
# include every room.
FRAME = {"out", "frame", "words"}
ROOMS = {
    "daemon/archive": {"transfer": set()},
    "daemon/transcript": {"json": set(), "content": {"json"}},
    "daemon/index": {"query": set(), "excerpt": {"query"},
                     "conflict": set(), "disk": {"query"}},
    "daemon/store": {"sql": set(), "texts": set(),
                     "salvage": {"texts"}},
    "daemon/history": {"step": set(), "file": set(),
                       "chain": {"file", "step"},
                       "gap": {"chain", "file", "step"},
                       "plan": {"chain", "file", "step"},
                       "blame": {"chain", "file", "plan", "step"}},
    "daemon/serve": {"net": set(), "rpc": {"net"},
                     "methods": {"net", "rpc"}, "history": {"net", "rpc"},
                     "stats": {"rpc", "methods"}, "upkeep": {"rpc"},
                     "forget": {"net", "rpc", "methods"},
                     "conversation": {"net", "rpc", "methods", "stats"}},
    "client/cli": {"out": set(), "redact": set(), "system": set(),
                   "words": set(), "frame": {"out", "words"},
                   "patch": FRAME, "complete": FRAME,
                   "blame": FRAME | {"system"},
                   "write": FRAME | {"system"},
                   "state": FRAME | {"system"},
                   "undo": FRAME | {"write", "patch", "system"},
                   "conversation": FRAME | {"redact"},
                   "setup": FRAME | {"write", "system"},
                   "doctor": FRAME | {"write", "setup", "system"},
                   "report": FRAME | {"blame", "patch", "write"},
                   "jsonrpc": set(), "mcp": FRAME | {"jsonrpc", "report"},
                   "lsp": FRAME | {"jsonrpc"},
                   "cmd": FRAME | {"blame", "complete", "conversation",
                                   "doctor", "jsonrpc", "lsp", "mcp",
                                   "patch", "redact", "report",
                                   "setup", "state", "system", "undo", "write"}},
}
# Header of a folder that others may only know this one of.
ONLY = {"store/texts": "store/texts/texts.h"}
# Outside header → the only files (or folders) that may see it.
DOORS = {
    r"msgpack(\.h|/.*)": ["proto/wire/"],
    r"nng/.*": ["daemon/serve/net/"],
    r"simdjson\.h": ["daemon/transcript/json/json_simd.cpp"],
    r"sqlite3\.h": ["daemon/store/"],
    r"pcre2\.h": ["daemon/search/"],
    r"sys/inotify\.h": ["daemon/source/watch_inotify.c"],
    r"zstd\.h": ["daemon/blobs/"],
    r"microhttpd\.h": ["daemon/http/mhd.h"],
    r"zlib\.h": ["daemon/http/http_answer.c"],
    r"xxhash\.h": ["proto/base/hash.c"],
}


# Source files of one folder, at most: more want folders of their own.
FOLDER_MAX = 25
# Each program has one.
NAMES_TWICE = {"main.c"}
TAG = re.compile(r"^\t*(?:struct|enum|union) (ccfc_\w+) \{", re.M)


def sources(tops=("include", "proto", "daemon", "client"), endings=SOURCES):
    for top in tops:
        for folder, _, files in os.walk(os.path.join(harness.TOP, top)):
            for name in sorted(files):
                if name.endswith(endings):
                    path = os.path.join(folder, name)
                    yield os.path.relpath(path, harness.TOP), path


def includes(path):
    with open(path, encoding="utf-8") as f:
        for text in f:
            match = INCLUDE.match(text)
            if match:
                yield match.group(1), match.group(2)


def wrong(name, quote, what):
    """Why the file `name` may not include `what`, or None."""
    for pattern, doors in DOORS.items():
        if re.fullmatch(pattern, what):
            if not any(name.startswith(d) for d in doors):
                return f"only {', '.join(doors)} may"
            return None
    if quote == "<" or name.startswith("include/"):
        return None if not name.startswith("include/") or \
            quote == "<" else 'installed headers include <ccfc/…> only'
    folder, room = place(name)
    if folder not in MAY:
        return f"the folder {folder} has no rule"
    if room and room not in ROOMS.get(folder, {}):
        return f"the room {room} of {folder} has no rule"
    target = os.path.dirname(what)
    own = os.path.basename(folder)
    if target == "" and folder == "daemon":
        return None
    if target.split("/")[0] == own:
        return wrong_room(folder, room, target[len(own) + 1:])
    for known in MAY[folder]:
        if target == known or target.startswith(known + "/"):
            only = ONLY.get(known)
            return f"only {only} may be known" \
                if only and what != only else None
    return f"{folder} may know {', '.join(sorted(MAY[folder])) or 'nobody'}"


def place(name):
    """The folder of a file, and the room in it, if it is in one. A room may
    sort its files into folders: they are one room."""
    folder = os.path.dirname(name)
    parts = folder.split("/")
    return "/".join(parts[:2]), "/".join(parts[2:3])


def wrong_room(folder, room, target):
    if not room or target in ("", room):
        return None
    may = ROOMS[folder][room]
    if target in may:
        return None
    return f"{folder}/{room} may know {', '.join(sorted(may)) or 'no room'}"


def test_who_may_know_whom():
    found = []
    count = 0
    for name, path in sources():
        for quote, what in includes(path):
            count += 1
            why = wrong(name, quote, what)
            if why:
                found.append(f"{name} includes {what}: {why}")
    assert count > 100, "nothing read?"
    assert not found, "\n".join(found)


def twice(where):
    return {k: v for k, v in where.items() if len(v) > 1}


def test_one_word_for_one_thing():
    """A tag is defined once; so is the name of a file."""
    tags, names = {}, {}
    for name, path in sources():
        with open(path, encoding="utf-8") as f:
            for tag in TAG.findall(f.read()):
                tags.setdefault(tag, []).append(name)
        names.setdefault(os.path.basename(name), []).append(name)
    assert len(tags) > 100 and len(names) > 100, "nothing read?"
    assert not twice(tags), twice(tags)
    assert set(twice(names)) == NAMES_TWICE, twice(names)


def test_functional_tests_have_names_of_their_own():
    """They import each other by name, whatever their folders."""
    names = collections.Counter(os.path.basename(name) for name, _ in
                                sources(("tests/func",), (".py",)))
    assert len(names) > 100, "nothing read?"
    assert max(names.values()) == 1, names.most_common(3)


def test_a_command_is_a_file():
    """As commands.def says: cmd_NAME.c defines ccfc_cmd_NAME."""
    with open(os.path.join(harness.TOP, "client/cli/commands.def"),
              encoding="utf-8") as f:
        commands = set(re.findall(r"^COMMAND\((\w+)\)", f.read(), re.M))
    found = {}
    for name, path in sources():
        if name.startswith("client/cli/cmd/"):
            with open(path, encoding="utf-8") as f:
                for command in re.findall(r"^const struct ccfc_command "
                                          r"ccfc_cmd_(\w+)", f.read(), re.M):
                    found[command] = os.path.basename(name)
    assert len(commands) > 20 and commands <= set(found), commands
    assert all(v == f"cmd_{k}.c" for k, v in found.items()), found


def crowded(names):
    """Folders with more files than one looks through, each with its count."""
    count = collections.Counter(os.path.dirname(name) for name in names)
    return {folder: n for folder, n in count.items() if n > FOLDER_MAX}


def test_folders_stay_small():
    found = crowded(name for name, _ in itertools.chain(
        sources(), sources(("tests",), (".py", *SOURCES))))
    assert not found, f"over {FOLDER_MAX} files: {found}"
    assert crowded(f"daemon/x/{i}.c" for i in range(FOLDER_MAX + 1))


def test_no_rule_is_stale():
    """Each door, folder and permission is used by somebody."""
    seen = [(place(name), quote, what) for name, path in sources()
            for quote, what in includes(path)]
    outside = {what for _, quote, what in seen}
    for pattern in DOORS:
        assert any(re.fullmatch(pattern, what) for what in outside), pattern
    used = {(folder, os.path.dirname(what)) for (folder, _), quote, what
            in seen if quote == '"'}
    found = []
    for folder, knows in MAY.items():
        found += [f"{folder} does not use {k}" for k in sorted(knows - BASE)
                  if not any(f == folder and (t + "/").startswith(k + "/")
                             for f, t in used)]
    assert not found, "\n".join(found)


def test_the_rules_can_fail():
    bad = [("daemon/index/x.c", '"', "wire/pack.h"),
           ("daemon/index/x.c", "<", "sqlite3.h"),
           ("daemon/index/query/x.c", '"', "index/excerpt/excerpt.h"),
           ("daemon/source/x.c", '"', "index/index.h"),
           ("daemon/shell/x.c", '"', "os/dirs.h"),
           ("daemon/source/tail.c", "<", "sys/inotify.h"),
           ("client/lib/x.c", "<", "msgpack.h"),
           ("client/lib/x.c", '"', "diff/diff.h"),
           ("daemon/search/x.c", '"', "store/store.h"),
           ("daemon/search/x.c", '"', "store/texts/texts_write.h"),
           ("daemon/conversation/x.c", '"', "store/store.h"),
           ("daemon/history/chain/x.c", '"', "store/db.h"),
           ("daemon/store/x.c", '"', "source/tail.h"),
           ("daemon/ingest/ingest.h", '"', "serve/rpc/service.h"),
           ("daemon/serve/net/x.c", '"', "serve/rpc/reply.h"),
           ("daemon/serve/methods/x.c", '"', "serve/stats/stats_rows.h"),
           ("daemon/serve/newroom/x.c", '"', "serve/rpc/reply.h"),
           ("client/cli/out/x.c", '"', "cli/frame/opt.h"),
           ("client/cli/frame/x.c", '"', "cli/system/child.h"),
           ("client/cli/x.c", "<", "nng/nng.h"),
           ("proto/base/x.c", '"', "wire/pack.h"),
           ("proto/base/map.c", "<", "xxhash.h"),
           ("daemon/newfolder/x.c", '"', "base/buf.h")]
    for case in bad:
        assert wrong(*case), case


if __name__ == "__main__":
    harness.main()
