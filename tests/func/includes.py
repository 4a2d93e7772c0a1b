#!/usr/bin/python3
"""Who may know whom: checks every #include against the rules of the README."""
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
    "daemon/transcript": BASE,
    "daemon/shell": {"base"},
    "daemon/index": BASE | {"shell", "source", "transcript"},
    "daemon/store": BASE | {"transcript", "index"},
    "daemon/history": BASE | {"diff", "shell", "source", "transcript",
                              "index"},
    "daemon/search": BASE | {"source", "transcript", "store"},
    "daemon/conversation": BASE | {"source", "transcript", "store"},
    "daemon/serve": BASE | {"conversation", "wire", "diff", "schema", "source",
                            "transcript", "index", "store", "history",
                            "search"},
    # The daemon's own files put everything together.
    "daemon": BASE | {"wire", "source", "transcript", "index", "store",
                      "history", "serve", "search"},
    "client/lib": BASE | {"wire", "schema"},
    "client/cli": BASE | {"wire", "diff", "lib"},
}
# Room of a folder → the rooms beside it that it may include. Every room may
# include the headers that lie in the folder itself, and the files there may
# include every room.
FRAME = {"out", "frame"}
ROOMS = {
    "daemon/transcript": {"json": set(), "content": {"json"}},
    "daemon/store": {"sql": set(), "texts": set(),
                     "salvage": {"texts"}},
    "daemon/history": {"step": set(), "chain": {"step"},
                       "plan": {"chain", "step"},
                       "blame": {"chain", "plan", "step"}},
    "daemon/serve": {"net": set(), "rpc": {"net"},
                     "methods": {"net", "rpc"}, "history": {"net", "rpc"},
                     "conversation": {"net", "rpc", "methods"}},
    "client/cli": {"out": set(), "redact": set(),
                   # cli.c has the table of commands, and completes them.
                   "frame": {"out", "complete"},
                   "patch": FRAME, "blame": FRAME, "complete": FRAME,
                   "write": FRAME,
                   "undo": FRAME | {"write", "patch"},
                   "conversation": FRAME | {"redact"},
                   "setup": FRAME | {"write"},
                   "doctor": FRAME | {"write", "setup"},
                   "report": FRAME | {"blame", "write"},
                   "cmd": FRAME | {"blame", "complete", "conversation",
                                   "doctor", "patch", "redact", "report",
                                   "setup", "undo", "write"}},
}
# Outside header → the only files (or folders) that may see it.
DOORS = {
    r"msgpack(\.h|/.*)": ["proto/wire/"],
    r"nng/.*": ["daemon/serve/net/"],
    r"simdjson\.h": ["daemon/transcript/json/json_simd.cpp"],
    r"sqlite3\.h": ["daemon/store/"],
    r"pcre2\.h": ["daemon/search/"],
    r"sys/inotify\.h": ["daemon/source/watch_inotify.c"],
    r"xxhash\.h": ["proto/base/hash.c"],
}


def sources():
    for top in ("include", "proto", "daemon", "client"):
        for folder, _, files in os.walk(os.path.join(harness.TOP, top)):
            for name in sorted(files):
                if name.endswith(SOURCES):
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
            return None
    return f"{folder} may know {', '.join(sorted(MAY[folder])) or 'nobody'}"


def place(name):
    """The folder of a file, and the room in it, if it is in one."""
    folder = os.path.dirname(name)
    parts = folder.split("/")
    return "/".join(parts[:2]), "/".join(parts[2:])


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


def test_the_rules_can_fail():
    bad = [("daemon/index/x.c", '"', "wire/pack.h"),
           ("daemon/index/x.c", "<", "sqlite3.h"),
           ("daemon/source/x.c", '"', "index/index.h"),
           ("daemon/shell/x.c", '"', "os/dirs.h"),
           ("daemon/source/tail.c", "<", "sys/inotify.h"),
           ("client/lib/x.c", "<", "msgpack.h"),
           ("client/lib/x.c", '"', "diff/diff.h"),
           ("daemon/serve/net/x.c", '"', "serve/rpc/reply.h"),
           ("daemon/serve/newroom/x.c", '"', "serve/rpc/reply.h"),
           ("daemon/history/chain/x.c", '"', "store/db.h"),
           ("daemon/store/x.c", '"', "source/tail.h"),
           ("client/cli/out/x.c", '"', "cli/frame/opt.h"),
           ("client/cli/x.c", "<", "nng/nng.h"),
           ("proto/base/x.c", '"', "wire/pack.h"),
           ("proto/base/map.c", "<", "xxhash.h"),
           ("daemon/newfolder/x.c", '"', "base/buf.h")]
    for case in bad:
        assert wrong(*case), case


if __name__ == "__main__":
    harness.main()
