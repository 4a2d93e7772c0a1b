"""The recordings as history sees them: which file had which bytes after
which call, and daemons that look at them.

There are two ways to look. "alone": the transcripts and backups as they are;
the files that they name do not exist here. "disk": a copy whose paths lead to
a scratch directory, where the project lies as it was left at the end.
Scenarios of one version never share a path, so one daemon serves a version.
"""
import datetime
import hashlib
import json
import os
import re
import shutil

from corpus import INVISIBLE, TOOLS, corpus, roots, scenarios
from harness import Box, RpcError

MODES = ("alone", "disk")
STAMP = re.compile(rb'"timestamp":"([0-9T:.-]+)Z"')
RESULT = re.compile(rb'"tool_use_id":"(toolu_[A-Za-z0-9]+)"')


def sha(data):
    return hashlib.sha256(data).hexdigest()


def facts_of(scenario):
    with open(os.path.join(scenario, "truth.json"), encoding="utf-8") as f:
        facts = json.load(f)
    for call in facts["calls"]:
        # Of one that was not packed: see tests/data/pack.
        call.setdefault("changed", None)
        call.setdefault("path", None)
    return facts


def as_called(call, old, base, below):
    """The file as the call named it, which may be by way of a link."""
    given = os.path.normpath(call["file"] or call["path"] or "")
    if given.startswith(old + "/"):
        return base + given[len(old):]
    return os.path.normpath(os.path.join(base, below))


class Case:
    """One applied call of a file tool and the truth about it."""

    def __init__(self, scenario, old, base, call):
        self.scenario = scenario
        self.name = os.path.relpath(scenario, corpus())
        self.id = call["tool_use_id"]
        self.tool = call["tool"]
        (below, self.sha), = call["after"].items()
        self.path = as_called(call, old, base, below)
        self.after_from = call["after_from"]

    def content(self):
        """The bytes of the truth; None: the file was not there."""
        if self.sha is None:
            return None
        blob = os.path.join(self.scenario, "truth-blobs", self.sha)
        with open(blob, "rb") as f:
            return f.read()


def cases(scenario, base=None):
    """Every applied call of which a line was written and the bytes known."""
    facts = facts_of(scenario)
    old = facts["base"]
    for call in facts["calls"]:
        seen = call["outcome"] == "ok" or (
            call["outcome"] != "failed" and call["changed"])
        if (call["tool"] in TOOLS and seen and len(call["after"]) == 1
                and call["tool_use_id"] not in INVISIBLE):
            yield Case(scenario, old, base or old, call)


def by_version():
    """version → its scenarios."""
    out = {}
    for scenario in scenarios():
        out.setdefault(os.path.basename(os.path.dirname(scenario)),
                       []).append(scenario)
    return out


def backup_name(path):
    return sha(path.encode())[:16].encode()


def folder_name(path):
    """The name of a project's directory below projects/."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def seconds(stamp):
    when = datetime.datetime.fromisoformat(stamp.decode())
    return when.replace(tzinfo=datetime.timezone.utc).timestamp()


class Moved:
    """A copy of a scenario whose project is really there, at `base`."""

    def __init__(self, scenario, target):
        facts = facts_of(scenario)
        self.old, self.base = facts["base"], os.path.join(target, "src")
        self.times = {}  # tool_use id → when its result was written
        self.end = 0
        self.names = {}
        below = set(facts["final_tree"])
        below.update(p for c in facts["calls"] for p in c["after"])
        for name in below:
            self.names[backup_name(os.path.join(self.old, name))] = \
                backup_name(os.path.join(self.base, name))
        self.roots = [os.path.join(target, os.path.basename(r))
                      for r in roots(scenario)]
        for old, new in zip(roots(scenario), self.roots):
            self.copy_root(old, new)
        self.copy_project(os.path.join(scenario, "project"))
        self.set_times(scenario, facts["final_tree"])

    def text(self, data):
        base = re.escape(self.old.encode()) + rb"(?![A-Za-z0-9_])"
        data = re.sub(base, lambda _: self.base.encode(), data)
        return re.sub(rb"\b[0-9a-f]{16}(?=@v)",
                      lambda m: self.names.get(m[0], m[0]), data)

    def name(self, path):
        """A relative path below a Claude directory, as it is in the copy."""
        old, new = folder_name(self.old), folder_name(self.base)
        path = os.fsencode(path.replace(old, new))
        return os.fsdecode(re.sub(
            rb"\b[0-9a-f]{16}(?=@v)",
            lambda m: self.names.get(m[0], m[0]), path))

    def copy_root(self, old, new):
        os.makedirs(os.path.join(new, "projects"))
        for folder, _, files in os.walk(old):
            for name in files:
                path = os.path.join(folder, name)
                target = os.path.join(
                    new, self.name(os.path.relpath(path, old)))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(path, "rb") as f:
                    data = f.read()
                if name.endswith(".jsonl"):
                    self.see_times(data)
                    data = self.text(data)
                with open(target, "wb") as f:
                    f.write(data)

    def see_times(self, data):
        for row in data.splitlines():
            stamps = STAMP.findall(row)
            if stamps:
                self.end = max(self.end, seconds(stamps[-1]))
                for tid in RESULT.findall(row):
                    self.times.setdefault(tid.decode(), seconds(stamps[-1]))

    def copy_project(self, project):
        os.makedirs(self.base)
        if os.path.isdir(project):
            shutil.copytree(project, self.base, dirs_exist_ok=True)

    def set_times(self, scenario, final):
        """As on the disk then: a file that a tool wrote last is that old."""
        last = {c.path: c for c in cases(scenario, self.base)}
        for below, content in final.items():
            path = os.path.join(self.base, below)
            if not os.path.exists(path):
                continue
            when = self.end
            if path in last and last[path].sha == content:
                when = self.times.get(last[path].id, self.end)
            # The result is written down a moment later than the file.
            os.utime(path, (when - 0.005, when - 0.005))


def looks(mode):
    """For each version: (box with a running daemon, its cases)."""
    for version, every in by_version().items():
        with Box() as box:
            found = []
            for scenario in every:
                if mode == "alone":
                    box.roots += roots(scenario)
                    found += cases(scenario)
                    continue
                moved = Moved(scenario, os.path.join(
                    box.top, version, os.path.basename(scenario)))
                box.roots += moved.roots
                found += cases(scenario, moved.base)
            box.start()
            yield box, found


def ask(rpc, method, **params):
    """(reply, None) or (None, the error's text)."""
    try:
        return rpc.call(method, **params), None
    except RpcError as error:
        return None, str(error)


def results(scenario):
    """tool_use id → toolUseResult, where it is a map."""
    found = {}
    for root in roots(scenario):
        for folder, _, files in os.walk(os.path.join(root, "projects")):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    for data in f:
                        found.update(result_of(data))
    return found


def result_of(data):
    try:
        record = json.loads(data)
        detail = record["toolUseResult"]
        ids = [b["tool_use_id"] for b in record["message"]["content"]
               if b["type"] == "tool_result"]
    except (ValueError, KeyError, TypeError):
        return {}
    return {i: detail for i in ids} if isinstance(detail, dict) else {}


def written(case):
    """What the result says that the tool wrote."""
    detail = results(case.scenario)[case.id]
    if case.tool == "Write":
        text = detail["content"]
    else:
        text = detail["originalFile"].replace(
            detail["oldString"], detail["newString"], 1)
    return text.encode()
