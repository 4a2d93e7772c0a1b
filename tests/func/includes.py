#!/usr/bin/python3
"""Who may know whom: checks every #include against the rules of the README."""
import os
import re

import harness

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
SOURCES = (".c", ".h", ".cpp")

# Folder → the folders that it may include, besides itself.
BASE = {"base"}
MAY = {
    "proto/base": set(),
    "proto/wire": BASE,
    "proto/text": BASE | {"wire"},
    "daemon/source": BASE,
    "daemon/transcript": BASE,
    "daemon/index": BASE | {"source", "transcript"},
    "daemon/store": BASE | {"source", "transcript", "index"},
    "daemon/history": BASE | {"text", "source", "transcript", "index",
                              "store"},
    # Of the store it knows texts.h only, which knows nothing of the index.
    "daemon/search": BASE | {"source", "transcript", "store"},
    "daemon/talk": BASE | {"source", "transcript", "store"},
    "daemon/serve": BASE | {"talk", "wire", "text", "source",
                            "transcript", "index", "store", "history", "search"},
    # The daemon's own files put everything together.
    "daemon": BASE | {"wire", "text", "source", "transcript", "index",
                      "store", "history", "serve", "search"},
    "client/lib": BASE | {"wire"},
    "client/cli": BASE | {"wire", "text", "lib"},
}
# Outside header → the only files (or folders) that may see it.
DOORS = {
    r"msgpack(\.h|/.*)": ["proto/wire/"],
    r"nng/.*": ["daemon/serve/"],
    r"simdjson\.h": ["daemon/transcript/json_simd.cpp"],
    r"sqlite3\.h": ["daemon/store/"],
    r"pcre2\.h": ["daemon/search/"],
    r"sys/inotify\.h": ["daemon/source/watch_inotify.c"],
    r"xxhash\.h": ["proto/base/hash.c"],
    r"microhttpd\.h": ["daemon/serve/http.c"],
    r"zstd\.h": ["daemon/store/"],
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
    folder = os.path.dirname(name)
    allowed = MAY.get(folder)
    if allowed is None:
        return f"the folder {folder} has no rule"
    target = os.path.dirname(what)
    if target == "" and folder == "daemon":
        return None
    if target in allowed or target == os.path.basename(folder):
        return None
    return f"{folder} may know {', '.join(sorted(allowed)) or 'nobody'}"


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
           ("daemon/source/tail.c", "<", "sys/inotify.h"),
           ("client/lib/x.c", "<", "msgpack.h"),
           ("client/lib/x.c", '"', "text/json.h"),
           ("client/cli/x.c", "<", "nng/nng.h"),
           ("proto/base/x.c", '"', "wire/pack.h"),
           ("proto/base/map.c", "<", "xxhash.h"),
           ("daemon/newfolder/x.c", '"', "base/buf.h")]
    for case in bad:
        assert wrong(*case), case


if __name__ == "__main__":
    harness.main()
