"""Sessions and statistics of the recordings, against a count that jq made."""
import shutil

import harness
from corpus import roots, scenarios
from counted import TOKENS, Counted
from harness import Box, Skip, eq


def every_session(rpc, **options):
    return {s["id"]: s for s in rpc.call(
        "session.list", limit=100000, **options)["sessions"]}


class Recordings:
    """A daemon over all recordings, and the count of them."""

    def __init__(self):
        if not shutil.which("jq"):
            raise Skip("jq is not installed")
        every = [r for s in scenarios() for r in roots(s)]
        self.box = Box(roots=every)
        self.count = Counted(every)

    def __enter__(self):
        self.box.__enter__()
        self.box.start()
        return self

    def __exit__(self, *exc):
        return self.box.__exit__(*exc)


def same(found, what, got, want):
    if got != want:
        found.append(f"{what}: got {got!r}, want {want!r}")


def report(found):
    if found:
        raise AssertionError(f"{len(found)} differ:\n" + "\n".join(found[:20]))


def iso(when):
    return when and when.strftime("%Y-%m-%dT%H:%M:%S.") + \
        f"{when.microsecond // 1000:03d}Z"


def compare_records(found, sid, got, want):
    """What is a session's whoever owns its messages."""
    same(found, f"{sid} messages", got["messageCount"], want.records[False])
    same(found, f"{sid} agents' messages", got["agents"]["messageCount"],
         want.records[True])
    same(found, f"{sid} agents", got["agents"]["count"], len(want.agents))
    same(found, f"{sid} start", got["startTime"], iso(want.start))
    same(found, f"{sid} end", got["endTime"], iso(want.end))
    for kind in ("custom", "ai", "summary"):
        if kind in want.titles:
            same(found, f"{sid} title", (got["title"], got["titleFrom"]),
                 (want.titles[kind], kind))
            return
    # Commands are shown as they were typed, not as they are written.
    if got["titleFrom"] == "prompt" and got["title"][0] != "/":
        title = got["title"].rstrip("…")
        if not any(p.startswith(title) for p in want.prompts):
            found.append(f"{sid}: title {title!r} is no prompt's")


def compare_spent(found, group, got, want):
    """What sessions that share messages did, together."""
    def total(field, part=None):
        return sum((s[part] if part else s)[field] for s in got)

    def wanted(name, aside):
        return sum(getattr(s, name)[aside] for s in want)

    what = " ".join(sorted(group))
    same(found, f"{what} calls", total("toolCount"), wanted("uses", False))
    same(found, f"{what} errors", total("errorCount"),
         wanted("errors", False))
    same(found, f"{what} agents' calls", total("toolCount", "agents"),
         wanted("uses", True))
    same(found, f"{what} agents' errors", total("errorCount", "agents"),
         wanted("errors", True))
    for kind in TOKENS:
        same(found, f"{what} {kind}", total(kind, "tokenUsage"),
             sum(s.all_tokens()[kind] for s in want))
        same(found, f"{what} agents' {kind}",
             sum(s["agents"]["tokenUsage"][kind] for s in got),
             sum(s.tokens[True][kind] for s in want))


def test_recordings_sessions():
    with Recordings() as r, r.box.rpc() as rpc:
        got, want, found = every_session(rpc), r.count.sessions, []
        same(found, "only one has", set(got) ^ set(want), set())
        report(found)
        alone = 0
        for sid in got:
            compare_records(found, sid, got[sid], want[sid])
        for group in r.count.groups():
            alone += len(group) == 1
            compare_spent(found, group, [got[s] for s in group],
                          [want[s] for s in group])
        report(found)
        titles = [s["titleFrom"] for s in got.values()]
        assert titles.count("prompt") > 300, "few titles are prompts"
        assert alone > 400, f"only {alone} sessions are compared by themselves"
        assert sum(s["messageCount"] for s in got.values()) > 4000
        assert sum(s["agents"]["toolCount"] for s in got.values()) > 10


def test_recordings_one_by_one():
    """session.get says the same of a session as session.list."""
    with Recordings() as r, r.box.rpc() as rpc:
        alone = {s for g in r.count.groups() if len(g) == 1 for s in g}
        for sid, listed in every_session(rpc).items():
            got = rpc.call("session.get", session=sid, includeContent=False)
            eq({k: got.get(k) for k in listed}, listed, sid)
            if sid in alone:
                eq(sum(t["count"] for t in got["tools"]),
                   r.count.sessions[sid].uses[False], f"{sid}: tools")


def test_recordings_reads():
    with Recordings() as r, r.box.rpc() as rpc:
        found, files = [], set()
        alone = {s for g in r.count.groups() if len(g) == 1 for s in g}
        for sid, s in every_session(rpc).items():
            reads = rpc.call("session.reads", session=sid)
            paths = {f["path"] for f in reads["files"]}
            same(found, f"{sid} count", s["filesReadCount"], len(paths))
            same(found, f"{sid} total", reads["totalFiles"], len(paths))
            same(found, f"{sid} reads", reads["totalReads"],
                 sum(f["readCount"] for f in reads["files"]))
            if sid in alone:
                same(found, f"{sid} files", paths, r.count.sessions[sid].read)
            files |= {(p, sid) for p in paths}
        report(found)
        assert len(files) > 100, f"only {len(files)} files were read"
        for path in {p for p, _ in files}:
            readers = rpc.call("file.readers", path=path, limit=100000)
            same(found, path, {s["sessionId"] for s in readers["sessions"]},
                 {s for p, s in files if p == path})
        report(found)


def rows_of(reply):
    return {r["key"]: (r["messages"], r["toolCalls"], r["errors"],
                       r["tokenUsage"]) for r in reply["rows"]}


def test_recordings_statistics():
    with Recordings() as r, r.box.rpc() as rpc:
        days = rpc.call("stats.get", by="day", limit=100000)
        want = r.count.by(lambda m: m.time.strftime("%Y-%m-%d"))
        got = rows_of(days)
        nothing = (0, 0, 0, dict.fromkeys(TOKENS, 0))
        eq({k: v for k, v in got.items() if v != nothing},
           {k: v for k, v in want.items() if v != nothing}, "by day")
        models = rpc.call("stats.get", by="model", limit=100000)
        want = r.count.by(lambda m: m.model if m.model != "<synthetic>"
                          else "unknown")
        eq(rows_of(models), want, "by model")
        tools = rpc.call("stats.get", by="tool", limit=100000)
        eq({t["key"]: (t["toolCalls"], t["errors"]) for t in tools["rows"]
            if t["toolCalls"]}, r.count.tools(), "by tool")
        eq(days["totals"], models["totals"], "totals")
        eq(days["totals"]["sessions"], len(r.count.sessions), "sessions")
        eq(days["totals"]["changes"],
           rpc.call("index.stats")["totalChanges"], "changes")


def test_rows_add_up():
    """Whatever they are by, the rows' sums are the totals."""
    with Recordings() as r, r.box.rpc() as rpc:
        for by in ("day", "project", "model", "tool", "file", "ext"):
            reply = rpc.call("stats.get", by=by, limit=100000)
            rows, totals = reply["rows"], reply["totals"]
            eq(reply["totalRows"], len(rows), f"rows by {by}")
            for field in ("messages", "changes", "linesAdded",
                          "linesRemoved", "toolCalls", "errors"):
                if field in rows[0]:
                    eq(sum(x[field] or 0 for x in rows), totals[field],
                       f"{field} by {by}")
            if "tokenUsage" in rows[0]:
                for kind in TOKENS:
                    eq(sum(x["tokenUsage"][kind] for x in rows),
                       totals["tokenUsage"][kind], f"{kind} by {by}")
        listed = every_session(rpc).values()
        eq(sum(s["totalChanges"] for s in listed), totals["changes"])
        eq(sum(s["tokenUsage"]["output"] for s in listed),
           totals["tokenUsage"]["output"], "tokens of the sessions")
        eq(sum(s["toolCount"] + s["agents"]["toolCount"] for s in listed),
           totals["toolCalls"], "calls of the sessions")


if __name__ == "__main__":
    harness.main()
