"""Fixtures published by others, used where they are and never copied.

They are looked for beside the project (../shared/corpus/public, or
$CCFC_PUBLIC); without them the tests are skipped.
"""
import collections
import os

import harness
from harness import Box, Skip, eq


def public(*parts):
    top = os.environ.get("CCFC_PUBLIC") or os.path.join(
        os.path.dirname(harness.TOP), "shared", "corpus", "public")
    path = os.path.join(top, "ai-blame", *parts)
    if not os.path.exists(path):
        raise Skip("the published fixtures are not here")
    return path


def test_simple_example():
    claude = public("examples", "simple-home", ".claude")
    with Box() as box:
        os.rmdir(box.projects)
        os.symlink(os.path.join(claude, "projects"), box.projects)
        box.start()
        check_simple(box)


def test_simple_example_with_original_paths():
    traces = public("data", "mixed-traces", "claude-traces")
    with Box() as box:
        os.symlink(traces, box.project("-traces"))
        box.start()
        check_simple(box)


def check_simple(box):
    dump = box.dump()
    applied = [c for c in dump.changes if c["state"] == "applied"]
    eq(len(applied), 15, "applied changes")
    eq(len({c["path"] for c in applied}), 10, "files")
    eq(collections.Counter(c["tool"] for c in applied),
       {"Write": 6, "Edit": 9}, "tools")
    models = collections.Counter(
        next((m for m in ("opus", "haiku") if m in (c["model"] or "")),
             "unknown") for c in applied)
    eq(models, {"opus": 4, "haiku": 11}, "models")
    eq(len(dump.sessions), 1, "sessions")
    (session,) = dump.sessions
    assert session.startswith("2c965cfd-"), session
    eq({c["sessionId"] for c in applied}, {session}, "owners")
    eq({c["operation"] for c in applied} & {"deleted"}, set(), "deleted")
    got = box.json("list", "2c965cfd")
    eq((got["totalFilesChanged"], got["totalChanges"]), (10, 15))


def test_results_alone():
    traces = public("data", "traces")
    with Box() as box:
        os.symlink(traces, box.project("-traces"))
        box.start()
        dump = box.dump()
        applied = [c for c in dump.changes if c["state"] == "applied"]
        names = collections.Counter(os.path.basename(c["path"])
                                    for c in applied)
        eq(names, {"main.rs": 2, "lib.rs": 1}, "changes")
        eq([c["operation"] for c in applied
            if c["path"].endswith("lib.rs")], ["created"])
        main = [c for c in applied if c["path"].endswith("main.rs")]
        eq(len({c["sessionId"] for c in main}), 2, "sessions of main.rs")


def test_other_tools_logs_are_ignored():
    logs = public("data", "mixed-traces", "codex-sessions")
    with Box() as box:
        os.symlink(logs, box.project("-codex"))
        for folder, _, files in os.walk(logs):
            for name in files:
                os.symlink(os.path.join(folder, name),
                           os.path.join(box.projects, name))
        os.makedirs(box.project("-flat"))
        os.symlink(public("data", "traces", "codex-session1.jsonl"),
                   os.path.join(box.project("-flat"),
                                "codex-session1.jsonl"))
        box.start()
        eq(box.dump().states(), {})
        eq(box.run("status").returncode, 0)


if __name__ == "__main__":
    harness.main()
