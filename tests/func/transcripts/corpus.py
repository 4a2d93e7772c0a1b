"""Recordings of the real client: what the index says must be what happened.

For every scenario the set of (tool_use id, file, state) of Edit, Write,
MultiEdit and NotebookEdit calls equals the recording's truth.
"""
import json
import os
import posixpath

import harness
from harness import Box, Skip

TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
NOT_APPLIED = {"failed", "denied", "interrupted", "pending"}

STREAM = "the attempt died in the stream, the client kept no line of it"
LONG = "the client could not run in a directory with so long a name"
REWRITE = "the client rewrote its transcript without these lines"
# Calls without a line in any transcript: no reader can see them.
INVISIBLE = {
    "toolu_01M3XyYUHwZJ6mYddGPfuPFm": LONG,
    "toolu_01BBK8K9frpQi5HLZiJLrFX8": LONG,
    "toolu_01CC6pGXkcL5NEeVPjaEBNxQ": LONG,
    "toolu_01DX5qT4ArtJ2MjBKN99LxHP": STREAM,
    "toolu_01QZLfWPCZ1jHieeWR8W9mP9": STREAM,
    "toolu_01cAyG1rAwrL71EjJ6byYihW": STREAM,
    "toolu_0186ouLGcemPqk4BUtJ3tPa6": STREAM,
    "toolu_01XGBsU5KYTe8CUF69XsrpHc": STREAM,
    "toolu_018NejUPTDr1CAqdaFbEn8DW": STREAM,
    "toolu_01JHPsaf5SfqYKyLwU8NZ9wr": STREAM,
    "toolu_01k1iPr3snWRKntUZC2JzpEb": STREAM,
    "toolu_01nMRuqJwJTfwTHELCsfon8N": STREAM,
    "toolu_01bjQMXVYQRsAxxqGMRnhjEt": STREAM,
    "toolu_01qafetPwiiKfcT1Yv546Dqd": STREAM,
    "toolu_01b7Hy32Libqp7DgmRhuVdPy": STREAM,
    "toolu_01jyFwEtzwCiVExGcRffgxvx": STREAM,
    "toolu_01MmXebNhocnbXKFuN73a5FY": STREAM,
    "toolu_01yBifxyd5KATCXyh1mVZTQ5": STREAM,
    "toolu_01MRLfZc63LkWjttCd2Yj9fS": STREAM,
    "toolu_011JuWKf9LkH9cjeHkM4Ugtg": STREAM,
    "toolu_01AmvMXLDUFMYtX9x8yCPiYZ": STREAM,
    "toolu_01fkUyS7zwKgvfYtLbug7AWA": STREAM,
    "toolu_01HqtJRp1xXtNhvpUDouJFpz": STREAM,
    "toolu_01PQLAATfhobaMyH2VFEKh7u": STREAM,
    "toolu_01XnEjMAkrGGxEgCTN6jpogy": STREAM,
    "toolu_017EuEXXY5teWidMXcEgi9wh": STREAM,
    "toolu_01wtFMvMrsXAcjPiykUahCpf": STREAM,
    "toolu_01XQWRp967bZ2PEHfJ52a5xN": STREAM,
    "toolu_01ALgm52Ur4f4dPxhq7hwNpi": REWRITE,
    "toolu_01VtDdgPHb9x3onGxE1QkQrp": REWRITE,
}


def corpus():
    path = os.environ.get("CCFC_CORPUS")
    if not path or not os.path.isdir(path):
        raise Skip("CCFC_CORPUS is not set to the unpacked recordings")
    return path


def scenarios():
    top = corpus()
    for version in sorted(os.listdir(top)):
        if version.startswith("."):
            continue
        for name in sorted(os.listdir(os.path.join(top, version))):
            yield os.path.join(top, version, name)


def roots(scenario):
    return [os.path.join(scenario, d) for d in sorted(os.listdir(scenario))
            if d.startswith("claude")]


def truth(scenario):
    """tool_use id → (set of right states, path or a test of it)."""
    with open(os.path.join(scenario, "truth.json"), encoding="utf-8") as f:
        facts = json.load(f)
    cut = os.path.basename(scenario) == "cut_line"
    for call in facts["calls"]:
        if call["tool"] in TOOLS:
            yield call, right_states(call, cut), right_path(call, facts)


def right_states(call, cut):
    if call["outcome"] == "failed":
        return {"failed", "denied"}
    if call["outcome"] == "ok":
        # cut_line: the crash took the result's line of one call.
        return {"applied", "pending", "interrupted"} if cut else {"applied"}
    return {"applied"} if call["changed"] else NOT_APPLIED


def right_path(call, facts):
    """The absolute file, or None where only the last part is known (~)."""
    given = call["file"] or call["path"]
    if given and given.startswith("/"):
        return posixpath.normpath(given)
    if len(call["after"]) == 1:
        return posixpath.normpath(
            posixpath.join(facts["base"], *call["after"]))
    return None


def problems(scenario, changes):
    """What is wrong with the changes of one scenario, as lines of text."""
    by_id = {}
    for change in changes:
        by_id.setdefault(change["toolUseId"], []).append(change)
    for call, states, path in truth(scenario):
        tid = call["tool_use_id"]
        found = by_id.pop(tid, [])
        if tid in INVISIBLE:
            if found:
                yield f"{tid}: listed as invisible, and seen"
            continue
        if len(found) != 1:
            yield f"{tid}: {call['tool']} {path}: {len(found)} changes"
            continue
        got = found[0]
        if got["state"] not in states:
            yield f"{tid}: {got['state']}, want {sorted(states)}"
        if path and got["path"] != path:
            yield f"{tid}: path {got['path']}, want {path}"
        elif posixpath.basename(got["path"]) != posixpath.basename(
                call["path"] or got["path"]):
            yield f"{tid}: path {got['path']}, want {call['path']}"
        if got["tool"] != call["tool"]:
            yield f"{tid}: tool {got['tool']}, want {call['tool']}"
    for tid, rest in by_id.items():
        if any(c["tool"] in TOOLS for c in rest):
            yield f"{tid}: nobody made this call"


def cut_line_is_not_applied(scenario, changes):
    """In cut_line exactly one call lost its result."""
    left = [c for c in changes if c["state"] in ("pending", "interrupted")]
    if len(left) != 1:
        yield f"{len(left)} calls without a result, want 1"


def ids_of(scenario):
    with open(os.path.join(scenario, "truth.json"), encoding="utf-8") as f:
        return {c["tool_use_id"] for c in json.load(f)["calls"]}


def report(found):
    if found:
        raise AssertionError(f"{len(found)} problems:\n"
                             + "\n".join(found[:40]))


def test_all_scenarios_at_once():
    every = list(scenarios())
    with Box(roots=[r for s in every for r in roots(s)]) as box:
        box.start()
        dump = box.dump()
        owner = {tid: s for s in every for tid in ids_of(s)}
        split = {s: [] for s in every}
        strangers = []
        for change in dump.changes:
            scenario = owner.get(change["toolUseId"])
            if scenario:
                split[scenario].append(change)
            elif change["tool"] in TOOLS:
                strangers.append(f"nobody made {change['toolUseId']}")
        found = [f"{os.path.relpath(s, corpus())}: {p}"
                 for s in every for p in problems(s, split[s])]
        report(strangers + found)
        seen = sum(c["tool"] in TOOLS for c in dump.changes)
        print(f"{len(every)} scenarios, {seen} calls")
        assert seen > 1000, "too few calls: is the archive complete?"


def test_alone():
    """A daemon for each of the scenarios that lean on more than one file."""
    wanted = ("cut_line", "resume", "subagent", "config_dir", "worktree_tool",
              "concurrent_resume", "tui_stream_error")
    found = []
    count = 0
    for scenario in scenarios():
        name = os.path.basename(scenario)
        if name not in wanted:
            continue
        first, *others = roots(scenario)
        with Box(claude=first, roots=[first, *others]) as box:
            box.start()
            changes = box.dump().changes
        found += [f"{os.path.relpath(scenario, corpus())}: {p}"
                  for p in problems(scenario, changes)]
        if name == "cut_line":
            found += [f"{os.path.relpath(scenario, corpus())}: {p}"
                      for p in cut_line_is_not_applied(scenario, changes)]
        count += 1
    report(found)
    assert count >= 7, f"only {count} scenarios"


def test_line_by_line_gives_the_same():
    """Appended line by line while the daemon runs, the dump is the same."""
    for scenario in scenarios():
        if os.path.basename(scenario) not in ("parallel", "subagent"):
            continue
        with Box(claude=roots(scenario)[0]) as box:
            box.start()
            want = box.dump().text
        with Box() as box:
            box.start()
            feed_line_by_line(roots(scenario)[0], box)
            harness.eq(box.dump().text, want, "dump")


def feed_line_by_line(source, box):
    with box.rpc() as rpc:
        for folder, _, files in os.walk(os.path.join(source, "projects")):
            for name in sorted(files):
                path = os.path.join(folder, name)
                target = os.path.join(box.claude,
                                      os.path.relpath(path, source))
                with open(path, "rb") as f:
                    for data in f:
                        harness.append(target, data)
                        rpc.call("server.info")


if __name__ == "__main__":
    harness.main()
