"""The REST API on the recordings of the real client, and on the fixtures that
others have published: each route, for each session, file and change, says what
the method says, and that fits the description. CCFC_SOAK=1 takes all
recordings; otherwise it is some of each version."""
import http.client
import json
import os
from urllib.parse import quote

import jsonschema

import harness
import public
import shell_changes
from archive import kept
from corpus import scenarios
from harness import Box, RpcError, eq
from recordings import Moved
from rest import MOVES, Web, plain, without

# Every version has these; and what is only in the newer ones.
SPREAD = {"encodings", "multiedit", "notebook", "subagents_parallel",
          "todo_and_misc", "compact_auto", "concurrent", "cwd_names",
          "hook_formatter", "mcp_write", "edit_denied", "big_file",
          "tui_edit_rewind", "write_empty"}
SOAK = bool(os.environ.get("CCFC_SOAK"))
OF_SESSION = [
    ("/api/sessions/{session}", "session.get", {}),
    ("/api/sessions/{session}?includeContent=false", "session.get",
     {"includeContent": False}),
    ("/api/sessions/{session}/files", "session.files", {}),
    ("/api/sessions/{session}/files?includeContent=true&states=all", "session.files",
     {"includeContent": True, "states": ["all"]}),
    ("/api/sessions/{session}/messages", "session.messages", {}),
    ("/api/sessions/{session}/messages?limit=3&offset=2&includeThinking=true",
     "session.messages", {"limit": 3, "offset": 2, "includeThinking": True}),
    ("/api/sessions/{session}/timeline", "session.timeline", {}),
    ("/api/sessions/{session}/tree", "session.tree", {}),
    ("/api/sessions/{session}/reads", "session.reads", {}),
    ("/api/sessions/{session}/diff", "session.diff", {}),
    ("/api/sessions/{session}/diff?net=true", "session.diff", {"net": True})]
OF_FILE = [
    ("/api/files/search?path={path}", "file.sessions", {}),
    ("/api/files/{path}/sessions", "file.sessions", {}),
    ("/api/files/{path}/log", "file.log", {}),
    ("/api/files/{path}/blame", "file.blame", {}),
    ("/api/files/{path}/at", "file.at", {}),
    ("/api/files/{path}/readers", "file.readers", {}),
    ("/api/conflicts?path={path}", "conflict.list", {})]
OF_CHANGE = [("/api/changes/{change}", "change.get", {}),
             ("/api/changes/{change}?context=0&maxContent=0", "change.get",
              {"context": 0, "maxContent": 0})]
OF_BOTH = [("/api/sessions/{session}/files/{path}/changes",
            "session.file_changes", {})]
OF_ALL = [
    ("/api/sessions?limit=1000", "session.list", {"limit": 1000}),
    ("/api/files/match?pattern=%2F**&limit=1000", "file.match",
     {"pattern": "/**", "limit": 1000}),
    ("/api/files/index/stats", "index.stats", {}),
    ("/api/conflicts", "conflict.list", {}),
    ("/api/grep?pattern=e&limit=100", "text.search",
     {"pattern": "e", "limit": 100}),
    ("/api/grep?pattern=%5Ba-f%5D%2B&regex=true&in=tool,result", "text.search",
     {"pattern": "[a-f]+", "regex": True, "in": ["tool", "result"]}),
    *((f"/api/stats?by={by}", "stats.get", {"by": by})
      for by in ("day", "week", "month", "project", "model", "tool", "ext",
                 "session")),
    ("/api/sql?query=" + quote("select * from changes order by id limit 500"),
     "sql.query", {"query": "select * from changes order by id limit 500"}),
    ("/api/sql/schema", "sql.schema", {}),
    ("/api/status", "server.info", {})]


def spread():
    """The recordings that are looked at."""
    for scenario in scenarios():
        name = os.path.basename(scenario)
        if SOAK or name in SPREAD:
            yield scenario
    top = shell_changes.corpus()
    for folder, names, _ in os.walk(top):
        if "truth.json" in os.listdir(folder):
            names.clear()
            yield folder


def recorded(box, wanted=None):
    """Puts the recordings, with their files on disk, into the box."""
    for i, scenario in enumerate(wanted or spread()):
        box.roots += Moved(scenario, os.path.join(box.top, f"r{i}")).roots


def published(box):
    """The fixtures of others, in place."""
    claude = public.public("examples", "simple-home", ".claude")
    box.roots.append(claude)
    for name, parts in (("-mixed", ("data", "mixed-traces", "claude-traces")),
                        ("-traces", ("data", "traces"))):
        os.symlink(public.public(*parts), box.project(name))


class Asker:
    """One connection of each kind, and the description of the replies."""

    def __init__(self, box):
        self.web = Web(box)
        self.http = http.client.HTTPConnection("127.0.0.1", self.web.port,
                                               timeout=harness.LIMIT)
        self.rpc = box.rpc()
        described = self.web.get("/api/openapi.json")
        self.paths = described["paths"]
        self.components = described["components"]
        self.seen = set()
        self.count = 0

    def close(self):
        self.http.close()
        self.rpc.close()

    def rest(self, path):
        """(status, value)."""
        self.http.request("GET", path, headers={
            "Authorization": f"Bearer {self.web.token}"})
        reply = self.http.getresponse()
        return reply.status, json.loads(reply.read())

    def compare(self, path, method, options):
        status, got = self.rest(path)
        self.count += 1
        try:
            want = plain(self.rpc.call(method, **options))
        except RpcError as error:
            said = got["error"]
            eq((said["code"], "\n".join(filter(None, (
                said["message"], said.get("hint"))))),
               (error.code, error.text), path)
            assert 400 <= status < 500, (path, status, got)
            return None
        eq(status, 200, f"{path}: {got}")
        eq(without(got, *MOVES), without(want, *MOVES), path)
        self.fits(path, got)
        return got

    def fits(self, path, got):
        """The first reply of each kind against its schema: a validator in
        Python is slow."""
        kind = (self.template(path), frozenset(got)
                if isinstance(got, dict) else None)
        if kind in self.seen:
            return
        self.seen.add(kind)
        schema = self.paths[kind[0]]["get"]["responses"]["200"]["content"][
            "application/json"]["schema"]
        jsonschema.validate(got, {**schema, "components": self.components})

    def template(self, path):
        """The most exact route that is this path."""
        parts = path.partition("?")[0].split("/")
        found = [p for p in self.paths if len(p.split("/")) == len(parts)
                 and all(a == b or a.startswith("{")
                         for a, b in zip(p.split("/"), parts))]
        return min(found, key=lambda p: p.count("{"))

    def each(self, routes, **places):
        """The routes with "{name}" filled in, which is an option as well."""
        for path, method, more in routes:
            for name, value in places.items():
                path = path.replace("{%s}" % name, quote(value, safe=""))
            self.compare(path, method, {**places, **more})

    def rows(self, query):
        return self.web.get("/api/sql?limit=10000&query="
                            + quote(query))["rows"]


def check(box, least):
    """Everything that is in the box; at least so many questions."""
    box.start()
    kept(box)
    asker = Asker(box)
    try:
        asker.each(OF_ALL)
        for session in asker.web.get("/api/sessions?limit=1000")["sessions"]:
            asker.each(OF_SESSION, session=session["id"])
        for path, in asker.rows("select path from files"):
            asker.each(OF_FILE, path=path)
        for change, in asker.rows("select tool_use_id from changes"):
            asker.each(OF_CHANGE, change=change)
        for session, path in asker.rows("select distinct session_id, path "
                                        "from changes where state='applied'"):
            asker.each(OF_BOTH, session=session, path=path)
        assert asker.count >= least, asker.count
    finally:
        asker.close()


def test_recordings():
    with Box() as box:
        recorded(box)
        check(box, 3000)


def test_published():
    with Box() as box:
        published(box)
        check(box, 100)


if __name__ == "__main__":
    harness.main()
