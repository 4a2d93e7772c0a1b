"""The REST API: every route gives what the method gives, events arrive as they
happen, and no request without the token, or of another site, gets anything."""
import base64
import gzip
import http.client
import json
import os
import re
import select
import signal
import socket
import stat
import time
from urllib.parse import quote

import jsonschema

import harness
from harness import eq
from shell_states import hunk, noted
from shell_undo import shell
from world import World


class Web:
    """One way to ask: a connection for each request."""

    def __init__(self, box, *args):
        url = box.ok("web", "--no-open", *args).strip()
        self.base, _, self.token = url.partition("/#token=")
        self.port = int(self.base.rpartition(":")[2])

    def ask(self, path, verb="GET", body=None, token=True, **headers):
        """(status, headers, body) of one request."""
        conn = http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=harness.LIMIT)
        given = {k.replace("_", "-"): v for k, v in headers.items()}
        if token:
            given.setdefault("Authorization", f"Bearer {self.token}")
        try:
            conn.request(verb, path, body=body, headers=given)
            reply = conn.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            conn.close()

    def get(self, path):
        status, _, body = self.ask(path)
        eq(status, 200, f"{path}: {body[:300]}")
        return json.loads(body)

    def error(self, path, **more):
        status, _, body = self.ask(path, **more)
        return status, json.loads(body)["error"]


def fill(w):
    w.write("a", "src/f.txt", "one\ntwo\n")
    w.write("b", "src/f.txt", "one\n2\n")
    shell(w, "a", "make fmt", noted(w.path("src/f.txt"),
                                    hunk("-one", "+1", " 2")),
          disk={"src/f.txt": "1\n2\n"})
    w.write("a", "src/[id].txt", "page\n")
    t = w.sessions["b"]
    t.result(t.call("Read", {"file_path": w.path("src/f.txt")}))


def plain(value):
    """What msgpack gave, as JSON shows it."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def without(value, *names):
    return {k: v for k, v in value.items() if k not in names} \
        if isinstance(value, dict) else value


# Route → method and options; "F" is the file, "S" the session, "C" a change.
ROUTES = [
    ("/api/sessions", "session.list", {}),
    ("/api/sessions?limit=1&offset=1", "session.list",
     {"limit": 1, "offset": 1}),
    ("/api/sessions/{S}", "session.get", {"session": "S"}),
    ("/api/sessions/{S}?includeContent=false", "session.get",
     {"session": "S", "includeContent": False}),
    ("/api/sessions/{S}/files", "session.files", {"session": "S"}),
    ("/api/sessions/{S}/files?extensions=.txt,md&directories=src",
     "session.files", {"session": "S", "extensions": [".txt", "md"],
                       "directories": ["src"]}),
    ("/api/sessions/{S}/files?includeContent=true", "session.files",
     {"session": "S", "includeContent": True}),
    ("/api/sessions/{S}/files/{F}/changes", "session.file_changes",
     {"session": "S", "path": "F"}),
    ("/api/sessions/{S}/messages", "session.messages", {"session": "S"}),
    ("/api/sessions/{S}/timeline", "session.timeline", {"session": "S"}),
    ("/api/sessions/{S}/tree", "session.tree", {"session": "S"}),
    ("/api/sessions/{S}/reads", "session.reads", {"session": "S"}),
    ("/api/sessions/{S}/diff?net=true", "session.diff",
     {"session": "S", "net": True}),
    ("/api/files/search?path={F}", "file.sessions", {"path": "F"}),
    ("/api/files/search?path={F}&from=2020-01-01&to=2040-01-01&limit=1",
     "file.sessions", {"path": "F", "fromDate": "2020-01-01",
                       "toDate": "2040-01-01", "limit": 1}),
    ("/api/files/search?path=src/f.txt&project={P}", "file.sessions",
     {"path": "F", "projectPath": "P"}),
    ("/api/files/search?path={P}/src/*.txt", "file.match",
     {"pattern": "P/src/*.txt"}),
    ("/api/files/match?pattern={P}/**&states=all", "file.match",
     {"pattern": "P/**", "states": ["all"]}),
    ("/api/files/index/stats", "index.stats", {}),
    ("/api/files/{F}/sessions", "file.sessions", {"path": "F"}),
    ("/api/files/{F}/log", "file.log", {"path": "F"}),
    ("/api/files/{F}/blame", "file.blame", {"path": "F"}),
    ("/api/files/{F}/blame?from=1&to=1", "file.blame",
     {"path": "F", "from": 1, "to": 1}),
    ("/api/files/{F}/at", "file.at", {"path": "F"}),
    ("/api/files/{F}/readers", "file.readers", {"path": "F"}),
    ("/api/changes/{C}", "change.get", {"change": "C"}),
    ("/api/conflicts", "conflict.list", {}),
    ("/api/conflicts?path={F}&live=true", "conflict.list",
     {"path": "F", "live": True}),
    ("/api/grep?pattern=please", "text.search", {"pattern": "please"}),
    ("/api/stats?by=tool", "stats.get", {"by": "tool"}),
    ("/api/sql?query=select%20count(*)%20from%20changes", "sql.query",
     {"query": "select count(*) from changes"}),
    ("/api/sql/schema", "sql.schema", {}),
    ("/api/status", "server.info", {}),
]
PLACES = {"S": "{session}", "F": "{path}", "C": "{change}"}
# What is not the same a moment later.
MOVES = ("memory", "clients", "unsent", "subscribers", "jobs", "indexSize",
         "lastIndexed", "scannedBytes", "clock")


def places(w):
    change = w.box.json("log", w.path("src/f.txt"))["steps"][-1]["changeId"]
    return {"F": w.path("src/f.txt"), "S": w.id("a"), "C": change,
            "P": w.dir}


def filled(value, at):
    if isinstance(value, str):
        return at.get(value, value.replace("P/", at["P"] + "/")
                      if value.startswith("P/") else value)
    return value


def test_routes_are_methods():
    with World() as w:
        fill(w)
        web = Web(w.box)
        at = places(w)
        with w.box.rpc() as client:
            for route, method, options in ROUTES:
                path = route
                for name, text in at.items():
                    path = path.replace("{%s}" % name, quote(text, safe=""))
                want = client.call(method, **{k: filled(v, at) for k, v
                                              in options.items()})
                eq(without(web.get(path), *MOVES),
                   without(plain(want), *MOVES), route)
        eq({r[1] for r in ROUTES} | {"index.build", "events.subscribe",
                                     "events.since"},
           methods_of(web), "methods that have a route")


def methods_of(web):
    """The methods behind the routes, as the description says."""
    return {operation["x-method"]
            for path in web.get("/api/openapi.json")["paths"].values()
            for operation in path.values()}


def test_replies_are_as_described():
    """Every reply fits the schema that the description has of it."""
    with World() as w:
        fill(w)
        web = Web(w.box)
        described = web.get("/api/openapi.json")
        eq(described["openapi"], "3.1.0")
        ids = [o["operationId"] for p in described["paths"].values()
               for o in p.values()]
        eq(len(ids), len(set(ids)), "each operation has its own id")
        at = places(w)
        for route, method, _ in ROUTES:
            path = route
            for name, text in at.items():
                path = path.replace("{%s}" % name, quote(text, safe=""))
            template = re.sub(r"\{(.)\}", lambda m: PLACES.get(m[1], m[1]),
                              route.partition("?")[0])
            operation = described["paths"][template]["get"]
            eq(operation["x-method"] in (method, "file.sessions"), True, route)
            schema = operation["responses"]["200"]["content"][
                "application/json"]["schema"]
            jsonschema.validate(web.get(path), {
                **schema, "components": described["components"]})
        broken = {**web.get("/api/sessions"), "sessions": "none"}
        try:
            jsonschema.validate(broken, {
                "$ref": "#/components/schemas/SessionList",
                "components": described["components"]})
        except jsonschema.ValidationError:
            pass
        else:
            raise AssertionError("the schema allows anything")


def test_defaults_are_as_described():
    """A parameter that is not given counts as its default."""
    with World() as w:
        fill(w)
        for n in range(60):
            w.write("a", f"many/{n}", "x\n")
        web = Web(w.box)
        described = web.get("/api/openapi.json")["paths"]
        at, found = places(w), {}
        for route, _, _ in ROUTES:
            path, _, query = route.partition("?")
            template = re.sub(r"\{(.)\}", lambda m: PLACES.get(m[1], m[1]),
                              path)
            given = {p["name"]: p["schema"]["default"]
                     for p in described[template]["get"]["parameters"]
                     if "default" in p["schema"]
                     and p["name"] + "=" not in query}
            if not given:
                continue
            found.setdefault(path, given)
            path = route
            for name, text in at.items():
                path = path.replace("{%s}" % name, quote(text, safe=""))
            told = path + ("&" if query else "?") + "&".join(
                f"{k}={v}" for k, v in given.items())
            eq(without(web.get(path), *MOVES), without(web.get(told), *MOVES),
               route)
        eq(found["/api/files/search"], {"limit": 50, "offset": 0})
        glob = quote(w.dir + "/many/*", safe="")
        eq(len(web.get(f"/api/files/search?path={glob}")), 50)
        eq(len(web.get(f"/api/files/match?pattern={glob}")),
           found["/api/files/match"]["limit"])


def test_names_that_look_like_globs():
    with World() as w:
        fill(w)
        web = Web(w.box)
        got = web.get("/api/files/search?path="
                      + quote(w.path("src/[id].txt"), safe=""))
        eq(got["path"], w.path("src/[id].txt"))
        got = web.get("/api/files/search?path="
                      + quote(w.path("src/[f]*.txt"), safe=""))
        eq([f["path"] for f in got], [w.path("src/f.txt")])


def test_build_and_json():
    with World() as w:
        fill(w)
        web = Web(w.box)
        for body in (None, "{}", json.dumps({"projectPath": w.dir})):
            status, _, answer = web.ask("/api/files/index/build", "POST", body,
                                        Content_Type="application/json")
            eq(status, 200, answer)
            eq(json.loads(answer)["totalSessions"], 2)
        for body in ("[]", "{", '{"projectPath": 7}', '{"nonsense": true}',
                     '{"projectPath": {"a": 1}}', "\0", '{"a":"\\ud800"}'):
            status, error = web.error("/api/files/index/build", verb="POST",
                                      body=body,
                                      Content_Type="application/json")
            eq((status, error["code"]), (400, "invalid"), body)


def test_errors():
    with World() as w:
        fill(w)
        web = Web(w.box)
        for path, status, code in (
                ("/api/nothing", 404, "not-found"),
                ("/api/sessions/ffffffff", 404, "not-found"),
                ("/api/files/search?path=/no/such", 404, "not-found"),
                ("/api/files/search", 400, "invalid"),
                ("/api/files/search?path=%2Fx&limit=many", 400, "invalid"),
                ("/api/files/search?path=%2Fx&limit=0", 400, "invalid"),
                ("/api/files/search?path=%2Fx&colour=red", 400, "invalid"),
                ("/api/files/search?path=%2Fx&path=%2Fy", 400, "invalid"),
                ("/api/sessions?status=odd", 400, "invalid"),
                ("/api/stats?by=moon", 400, "invalid"),
                ("/api/sql?query=drop%20table%20x", 400, "invalid"),
                ("/elsewhere", 404, "not-found")):
            got, error = web.error(path)
            eq((got, error["code"]), (status, code), path)
            assert error["message"] and "\n" not in error["message"], error
        status, headers, _ = web.ask("/api/sessions", "DELETE")
        eq((status, headers["Allow"]), (405, "GET"))
        status, headers, _ = web.ask("/api/files/index/build")
        eq((status, headers["Allow"]), (405, "POST"))


def test_codes_of_refusals():
    """Each says whether the request is wrong, or who asks, or the moment."""
    with World() as w:
        fill(w)
        web = Web(w.box)
        build = {"verb": "POST", "Content_Type": "application/json"}
        for status, code, path, more in (
                (401, "denied", "/api/status", {"token": False}),
                (401, "denied", "/api/status", {"Authorization": "Bearer x"}),
                (403, "denied", "/api/status", {"Host": "evil.example"}),
                (403, "denied", "/api/status", {"Origin": "null"}),
                (403, "denied", "/api/status",
                 {"Sec_Fetch_Site": "cross-site"}),
                (405, "invalid", "/api/status", {"verb": "PUT"}),
                (413, "too-big", "/api/files/index/build",
                 {"body": "x" * 70000, **build}),
                (415, "invalid", "/api/files/index/build",
                 {"verb": "POST", "body": "{}"})):
            got, error = web.error(path, **more)
            eq((got, error["code"]), (status, code), f"{path} {more}")


CLIENTS_MAX = 256  # proto/PROTOCOL.md


def test_a_daemon_without_room():
    """503 as long as the daemon has as many clients as it takes."""
    with World() as w:
        w.write("a", "f", "x\n")
        web = Web(w.box)
        with w.box.rpc() as client:
            wait_for(lambda: client.call("server.info")["clients"] == 1)
            crowd = [socket.socket(socket.AF_UNIX) for _ in range(CLIENTS_MAX)]
            for sock in crowd:
                sock.connect(w.box.socket)
            # One of them hears that there are too many.
            assert select.select(crowd, [], [], harness.LIMIT)[0]
            status, headers, body = web.ask("/api/status")
            eq((status, headers["Retry-After"]), (503, "1"), body)
            eq(json.loads(body)["error"]["hint"], "try again")
            for sock in crowd:
                sock.close()
        wait_for(lambda: web.ask("/api/status")[0] == 200)


def test_as_many_streams_as_there_can_be():
    with World() as w:
        w.write("a", "f", "x\n")
        web = Web(w.box)
        streams = [Stream(web) for _ in range(512)]
        eq({s.status for s in streams}, {200})
        status, headers, body = web.ask("/api/events")
        eq((status, headers["Retry-After"]), (429, "1"), body)
        eq(web.ask("/api/status")[0], 200, "others are answered")
        w.write("a", "f", "y\n")
        for stream in streams:
            eq([stream.next()[0], stream.next()[0]], ["ready", "change"])
            stream.close()
        wait_for(lambda: subscribers(w) == 0)
        stream = Stream(web)
        eq(stream.status, 200)
        stream.close()


def test_not_sent_twice():
    with World() as w:
        fill(w)
        web = Web(w.box)
        _, headers, body = web.ask("/api/sessions")
        tag = headers["ETag"]
        assert json.loads(body)["clock"] in tag, (tag, body[:200])
        status, again, body = web.ask("/api/sessions", If_None_Match=tag)
        eq((status, body, again["ETag"]), (304, b"", tag))
        strong = tag.removeprefix("W/")
        for tags, want in (("*", 304), (strong, 304), (f'"x", {tag}', 304),
                           ('"x"', 200), (strong[:-2] + '"', 200), ("", 200)):
            eq(web.ask("/api/sessions", If_None_Match=tags)[0], want, tags)
        w.write("b", "new", "x\n")
        status, again, _ = web.ask("/api/sessions", If_None_Match=tag)
        eq((status, again["ETag"] == tag), (200, False))
        status, headers, packed = web.ask("/api/sessions",
                                          Accept_Encoding="br, gzip")
        eq(headers["Content-Encoding"], "gzip")
        eq(json.loads(gzip.decompress(packed)), web.get("/api/sessions"))
        for taken, spellings in (
                (True, ("GZIP", "gzip;q=0.001", "br;q=1,gzip ; Q=1, x",
                        "deflate;q=0, gzip")),
                (False, ("gzip;q=0", "gzip; q=0.000, *", "xgzip", "gzip2, br",
                         "GZIP ;Q=0.0", "br;q=gzip", "identity", ", ;"))):
            for spelling in spellings:
                _, headers, _ = web.ask("/api/sessions",
                                        Accept_Encoding=spelling)
                eq("Content-Encoding" in headers, taken, spelling)
        status, headers, body = web.ask("/api/sessions", "HEAD")
        eq((status, body), (200, b""))


# --- events ---


class Stream:
    """Server-sent events, read as a browser reads them."""

    def __init__(self, web, query="", **headers):
        self.sock = socket.create_connection(("127.0.0.1", web.port),
                                             harness.LIMIT)
        head = [f"GET /api/events{query} HTTP/1.1",
                f"Host: 127.0.0.1:{web.port}",
                f"Authorization: Bearer {web.token}"]
        head += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
        self.sock.sendall("\r\n".join([*head, "", ""]).encode())
        self.file = self.sock.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass
        self.text = b""

    def chunk(self):
        size = int(self.file.readline() or b"0", 16)
        self.text += self.file.read(size)
        self.file.readline()
        return size

    def next(self):
        """(event, id, data)."""
        while b"\n\n" not in self.text:
            if not self.chunk():
                return None
        one, _, self.text = self.text.partition(b"\n\n")
        fields = dict(line.split(": ", 1) for line in one.decode().split("\n"))
        return fields["event"], fields["id"], json.loads(fields["data"])

    def close(self):
        # The file holds the socket open as well.
        self.file.close()
        self.sock.close()


def test_events_as_they_happen():
    with World() as w:
        w.write("a", "f", "one\n")
        web = Web(w.box)
        stream = Stream(web)
        kind, clock, _ = stream.next()
        eq(kind, "ready")
        w.write("a", "f", "1\n")
        kind, clock, event = stream.next()
        eq((kind, event["path"], event["tool"], event["clock"]),
           ("change", w.path("f"), "Write", clock))
        stream.close()
        # What came while nobody listened is not lost.
        w.write("a", "f", "2\n")
        stream = Stream(web, Last_Event_ID=clock)
        kind, _, event = stream.next()
        eq((kind, event["path"]), ("change", w.path("f")))
        eq(stream.next()[0], "ready")
        stream.close()
        stream = Stream(web, "?path=" + quote(w.path("g"), safe=""))
        eq(stream.next()[0], "ready")
        w.write("a", "f", "3\n")
        w.write("a", "g", "other\n")
        eq(stream.next()[2]["path"], w.path("g"))
        stream.close()
        eq(web.error("/api/events?states=odd")[0], 400)


def subscribers(w):
    with w.box.rpc() as client:
        return client.call("server.info")["subscribers"]


def wait_for(check):
    end = time.monotonic() + harness.LIMIT
    while not check():
        assert time.monotonic() < end, "not in time"
        select.select([], [], [], 0.02)


def test_readers_that_leave():
    """Who hung up is not subscribed any more, though nothing happened."""
    with World() as w:
        w.write("a", "f", "one\n")
        web = Web(w.box)
        streams = [Stream(web) for _ in range(70)]
        for stream in streams:
            eq(stream.next()[0], "ready")
        eq(subscribers(w), 70)
        for stream in streams:
            stream.close()
        wait_for(lambda: subscribers(w) == 0)
        eq(web.get("/api/status")["subscribers"], 0)


def test_a_reader_that_does_not_read():
    with World() as w:
        w.write("a", "f", "0\n")
        web = Web(w.box)
        slow = Stream(web)
        eq(slow.next()[0], "ready")
        quick = Stream(web)
        eq(quick.next()[0], "ready")
        count = 0
        while subscribers(w) == 2 and count < 40000:
            for i in range(count, count + 500):
                w.write("a", f"d/{i}-{'x' * 120}", "text\n")
            for i in range(500):
                eq(quick.next()[0], "change")
            count += 500
        eq(subscribers(w), 1, f"after {count} events")
        eq(web.ask("/api/status")[0], 200)
        slow.close()
        quick.close()


# --- who may ask ---


def raw(web, text):
    """The answer to these bytes; empty if there is none."""
    with socket.create_connection(("127.0.0.1", web.port),
                                  harness.LIMIT) as sock:
        got = b""
        try:
            sock.sendall(text if isinstance(text, bytes) else text.encode())
            sock.shutdown(socket.SHUT_WR)
            while chunk := sock.recv(65536):
                got += chunk
        except OSError:
            pass  # it has heard enough, and hung up
    return got


def hostile(web):
    """(what, request): each must be refused."""
    host, port = "127.0.0.1", web.port
    good = f"Host: {host}:{port}\r\nAuthorization: Bearer {web.token}\r\n"
    bare = f"Host: {host}:{port}\r\n"

    def get(path, head):
        return f"GET {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n"

    for name in (host, f"{host}:{port + 1}", f"localhost.evil.example:{port}",
                 f"evil.example:{port}", "evil.example", f"{host}:{port}.",
                 f"127.0.0.1.evil.example:{port}", f"[::1]:{port}", "",
                 f"LOCALHOST.:{port}", f"0.0.0.0:{port}", f"{host}:{port}0",
                 f"127.1:{port}", f"user@{host}:{port}", f"{host}:0{port}"):
        yield f"Host {name}", get("/api/sessions", f"Host: {name}\r\n"
                                  f"Authorization: Bearer {web.token}\r\n")
    yield "no Host", get("/api/sessions",
                         f"Authorization: Bearer {web.token}\r\n")
    yield "two Hosts", get("/api/sessions", f"Host: evil.example\r\n{good}")
    for origin in ("null", "https://evil.example", f"http://evil.example:{port}",
                   f"https://{host}:{port}", f"http://{host}:{port + 1}",
                   f"http://{host}", f"http://{host}:{port}/", "",
                   f"http://{host}:{port}.evil.example", "file://",
                   f"HTTP://{host}:{port}", f" http://x@{host}:{port}"):
        yield f"Origin {origin}", get("/api/sessions",
                                      f"{good}Origin: {origin}\r\n")
    yield "two Origins", get("/api/sessions", f"{good}Origin: http://{host}:"
                             f"{port}\r\nOrigin: null\r\n")
    for site in ("cross-site", "same-site", "", "SAME-ORIGIN"):
        yield f"site {site}", get("/api/sessions",
                                  f"{good}Sec-Fetch-Site: {site}\r\n")
    for token in ("", "x", web.token[:-1], web.token + "0", web.token.upper()
                  if web.token.upper() != web.token else "y", "0" * 64,
                  " " + web.token[1:], web.token[:32] + "\t" + web.token[33:]):
        yield f"token {token}", get("/api/sessions", bare +
                                    f"Authorization: Bearer {token}\r\n")
    for scheme in ("Basic", "Token", "Digest", ""):
        yield f"scheme {scheme}", get("/api/sessions", bare + "Authorization: "
                                      f"{scheme} {web.token}\r\n")
    yield "no token", get("/api/sessions", bare)
    yield "token in the query", get(f"/api/sessions?token={web.token}", bare)
    yield "token in a cookie", get("/api/sessions",
                                   f"{bare}Cookie: token={web.token}\r\n")
    yield "two tokens", get("/api/sessions", good +
                            f"Authorization: Bearer {web.token}\r\n")
    for path in ("/../../etc/passwd", "/api/../etc/passwd", "/%2e%2e/etc/passwd",
                 "//etc/passwd", "/api//sessions", "/api/sessions/",
                 "/api/sessions/%00", "/api/sessions/a%00b",
                 "/api/sessions/%zz", "/api/sessions/%", "/api/sessions/%1",
                 "/api/files/..%2f..%2fetc%2fpasswd/at",
                 "/api/files/%2fetc%2fpasswd/at",
                 "/api/files/%2f..%2fetc%2fpasswd/at",
                 "/api/files/%252fetc%252fpasswd/at",
                 "/api/files/%2fetc%2fshadow/blame",
                 "/api/files/file:%2f%2f%2fetc%2fpasswd/at",
                 "/api/files/search?path=/etc/passwd",
                 "/api/files/search?path=../../etc/passwd",
                 "/api/files/search?path=%2e%2e%2fetc",
                 "/api/files/search?path=%00", "/api/files/search?path=",
                 "/api/files/search?path=/x&cwd=/../etc",
                 "/api/files/search?path=/x&notify=1",
                 "/api/files/search?path=/x&limit=99999999999999999999",
                 "/api/files/search?path=/x&limit=-1",
                 "/api/files/search?path=/x&limit=1e3",
                 "/api/files/search?path=/x&limit=%31%00",
                 "/api/files/search?path=/x&includeContent=yes",
                 "/api/files/match?pattern=" + "*" * 2000 + "x" * 300,
                 "/api/files/match?pattern=..%2f*",
                 "/api/sql?query=" + quote("attach 'x' as y"),
                 "/api/sql?query=" + quote("delete from t_change"),
                 "/api/sql?query=" + quote("pragma writable_schema=1"),
                 "/api/sql?query=" + quote("select load_extension('x')"),
                 "/api/sql?query=" + quote("select readfile('/etc/passwd')"),
                 "/api/grep?pattern=(&regex=true",
                 "/api/events?notify=x", "/api/events?since=nonsense",
                 "/api/events/since?clock=1", "/api/server/stop",
                 "/api/web/stop", "/api/index/dump", "/api/store/check",
                 "/web-token", "/index.db", "/api", "/api/", "*", "/API/status",
                 "/api/status?x=1", "/api/changes/%2e%2e%2f%2e%2e",
                 "/api/sessions/" + "a" * 5000, "http://evil.example/api/status",
                 "/api/sessions/..", "/api/sessions/%2e%2e/files",
                 "/api/sessions/*", "/api/sessions/%0d%0aX-A:%20b"):
        yield path[:60], get(path, good)
    for path in (f"http://{host}:{port}/api/sessions",
                 "http:/api/sessions", "/api\\sessions", "/api/sessions;x=1",
                 "/api/files/%25%32%66etc%25%32%66passwd/at",
                 "/api/files/%c0%afetc%c0%afpasswd/at",
                 "/api/files/%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd/at",
                 "/api/files/%2fproc%2fself%2fenviron/at",
                 "/api/sessions%3flimit=1", "/api/sessions\t", "/api/sessions "
                 "HTTP/1.1", f"/api/sessions?access_token={web.token}",
                 f"/{web.token}/api/sessions"):
        yield path[:60], get(path, good)
    yield "token in the query alone", get(
        f"/api/sessions?access_token={web.token}", bare)
    for name in ("X-HTTP-Method-Override", "X-Method-Override"):
        yield name, get("/api/files/index/build", f"{good}{name}: POST\r\n"
                        "Content-Type: application/json\r\n")
    for name in ("X-Forwarded-Host", "X-Original-Host", "Forwarded"):
        yield name, get("/api/sessions", "Host: evil.example\r\n"
                        f"Authorization: Bearer {web.token}\r\n"
                        f"{name}: {host}:{port}\r\n")
    yield "space before the colon", get(
        "/api/sessions", f"{bare}Authorization : Bearer {web.token}\r\n")
    yield "folded token", get(
        "/api/sessions", f"{bare}Authorization:\r\n Bearer {web.token}\r\n")
    yield "folded Host", get("/api/sessions", f"{good}\r\n".replace(
        f"{host}:{port}\r\n", f"{host}:{port}\r\n .evil.example\r\n"))
    yield "preflight", (
        f"OPTIONS /api/sessions HTTP/1.1\r\n{bare}Origin: https://evil.example"
        "\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-"
        "Headers: authorization\r\nConnection: close\r\n\r\n")
    yield "preflight of a private network", (
        f"OPTIONS /api/sessions HTTP/1.1\r\n{bare}Origin: http://{host}:{port}"
        "\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-"
        "Private-Network: true\r\nConnection: close\r\n\r\n")
    yield "rebound name", get("/api/sessions", f"Host: rebind.example:{port}\r\n"
                              f"Origin: http://rebind.example:{port}\r\n"
                              f"Authorization: Bearer {web.token}\r\n")
    for verb in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
                 "CONNECT", "get", "PROPFIND", "G" * 3000):
        yield verb[:20], (f"{verb} /api/sessions HTTP/1.1\r\n{good}"
                          "Content-Length: 0\r\nConnection: close\r\n\r\n")
    for kind in ("text/plain", "application/x-www-form-urlencoded",
                 "multipart/form-data; boundary=x", "", "application/jsonp",
                 "text/json"):
        yield f"type {kind}", (
            f"POST /api/files/index/build HTTP/1.1\r\n{good}Content-Type: "
            f"{kind}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}")
    json_head = (f"POST /api/files/index/build HTTP/1.1\r\n{good}"
                 "Content-Type: application/json\r\nConnection: close\r\n")
    yield "long body", (json_head + "Content-Length: 70000\r\n\r\n"
                        + "x" * 70000)
    yield "huge length", json_head + "Content-Length: 99999999999999999\r\n\r\n"
    yield "negative length", json_head + "Content-Length: -1\r\n\r\n{}"
    yield "two lengths", (json_head + "Content-Length: 2\r\nContent-Length: 3"
                          "\r\n\r\n{}x")
    yield "long chunks", (json_head + "Transfer-Encoding: chunked\r\n\r\n"
                          + f"{70000:x}\r\n" + "x" * 70000 + "\r\n0\r\n\r\n")
    yield "length and chunks", (
        json_head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\n{}\r\n0\r\n\r\n")
    yield "other encoding", (json_head + "Transfer-Encoding: gzip, chunked\r\n"
                             "\r\n2\r\n{}\r\n0\r\n\r\n")
    yield "chunks without end", (
        f"GET /api/sessions HTTP/1.1\r\n{good}Transfer-Encoding: chunked\r\n"
        "\r\n" + ("ffff\r\n" + "x" * 0xffff + "\r\n") * 40)
    yield "no JSON", json_head + "Content-Length: 3\r\n\r\n{}}"
    yield "deep JSON", (json_head + "Content-Length: 20000\r\n\r\n"
                        + '{"a":' + "[" * 19995)
    yield "long header", get("/api/sessions", good + "X: " + "y" * 40000
                             + "\r\n")
    for n in (3000, 10000):
        yield f"{n} headers", get("/api/sessions", good + "".join(
            f"X{i}: y\r\n" for i in range(n)))
    yield "not HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20
    yield "NULs", b"\0" * 500
    yield "half a line", "GET /api/sess"
    yield "old HTTP", "GET /api/sessions\r\n\r\n"
    yield "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield "HTTP/9.9", f"GET /api/sessions HTTP/9.9\r\n{good}\r\n"


def test_nobody_else_gets_in():
    with World() as w:
        fill(w)
        web = Web(w.box)
        count = 0
        for what, request in hostile(web):
            got = raw(web, request)
            line = got.split(b"\r\n", 1)[0].decode(errors="replace")
            status = int(line.split()[1]) if line.startswith("HTTP/") else 0
            assert status in (0, 505) or 400 <= status < 500, (
                what, got[:500])
            assert b"Access-Control" not in got, (what, got[:500])
            head = got.split(b"\r\n\r\n", 1)[0]
            assert b"root:" not in got and b"X-A" not in head, (what, got)
            assert w.id("a").encode() not in got, (what, got[:500])
            count += 1
        assert count >= 150, count
        # And it is still there for who may ask.
        eq(len(web.get("/api/sessions")["sessions"]), 2)
        for name in ("127.0.0.1", "localhost"):
            eq(web.ask("/api/status", Host=f"{name}:{web.port}",
                       Origin=f"http://{name}:{web.port}",
                       Sec_Fetch_Site="same-origin")[0], 200, name)


def answers(web, text):
    """The status of each answer to several requests on one connection."""
    return [int(s) for s in re.findall(rb"^HTTP/1.1 (\d+) ", raw(web, text),
                                       re.M)]


def test_one_connection_many_requests():
    """Each request is judged alone, and what is not offered is not done."""
    with World() as w:
        fill(w)
        web = Web(w.box)
        host = f"Host: 127.0.0.1:{web.port}\r\n"
        good = f"{host}Authorization: Bearer {web.token}\r\n"
        ask = "GET /api/status HTTP/1.1\r\n"
        end = f"{ask}{good}Connection: close\r\n\r\n"
        eq(answers(web, f"{ask}{good}\r\n{ask}{good}\r\n{end}"),
           [200, 200, 200], "pipelined")
        got = raw(web, f"{ask}{good}\r\n{ask.replace('status', 'sessions')}"
                  f"{host}\r\n{end}")
        assert w.id("a").encode() not in got, got
        # No other protocol, no parts of a file.
        head = f"{good}Connection: Upgrade, close\r\nUpgrade: "
        for name in ("websocket\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "h2c"):
            eq(answers(web, f"{ask}{head}{name}\r\n\r\n"), [200], name)
        eq(web.ask("/api/status", Range="bytes=0-3")[0], 200)
        # HEAD says what GET would, and opens no stream.
        status, headers, body = web.ask("/api/sessions", "HEAD")
        eq((status, body), (200, b""))
        eq(headers["Content-Type"], "application/json; charset=utf-8")
        web.ask("/api/events", "HEAD")
        wait_for(lambda: subscribers(w) == 0)


def test_requests_that_never_come():
    """Who sends a byte now and then is hung up on, and others are served."""
    with World() as w:
        fill(w)
        web = Web(w.box)
        head = f"Host: 127.0.0.1:{web.port}\r\n"
        post = (f"POST /api/files/index/build HTTP/1.1\r\n{head}Authorization: "
                f"Bearer {web.token}\r\nContent-Type: application/json\r\n"
                "Content-Length: 60000\r\n\r\n{")
        slow = {}
        for text, more in ((f"GET / HTTP/1.1\r\n{head}", b"X-A: b\r\n"),
                           ("", b"\r\n"), (post, b" ")):
            sock = socket.create_connection(("127.0.0.1", web.port))
            sock.sendall(text.encode())
            slow[sock] = more
        while slow:
            ready, _, _ = select.select(list(slow), [], [], 1)
            eq(web.ask("/api/status")[0], 200)
            for sock, more in list(slow.items()):
                try:
                    if sock in ready and not sock.recv(4096):
                        raise ConnectionResetError
                    sock.sendall(more)
                except OSError:
                    sock.close()
                    del slow[sock]
        eq(web.ask("/api/status")[0], 200)


def at_once(w, web, path, n):
    """The statuses of n requests that are all there before one is read."""
    socks = [socket.create_connection(("127.0.0.1", web.port), harness.LIMIT)
             for _ in range(n)]
    os.kill(w.box.daemon.pid, signal.SIGSTOP)
    for sock in socks:
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
                     f"Authorization: Bearer {web.token}\r\n"
                     "Connection: close\r\n\r\n".encode())
    os.kill(w.box.daemon.pid, signal.SIGCONT)
    found = []
    for sock in socks:
        with sock, sock.makefile("rb") as file:
            found.append(int(file.read().split()[1]))
    return found


def test_crowds_leave_room():
    """Questions of one kind, as many as can be under way, are in nobody's way
    when they have been answered."""
    with World() as w:
        fill(w)
        web = Web(w.box)
        messages = f"/api/sessions/{w.id('a')}/messages"
        for path in ("/api/status", messages, "/api/sessions", messages):
            found = at_once(w, web, path, 240)
            eq(set(found) <= {200, 429}, True, f"{path}: {set(found)}")
            eq(found.count(200) >= 192, True, f"{path}: {found.count(200)}")
            eq(web.ask("/api/status")[0], 200, f"after {path}")
            eq(web.ask(messages)[0], 200, f"after {path}")
            stream = Stream(web)
            eq(stream.status, 200, f"after {path}")
            stream.close()


def test_every_answer_has_the_headers():
    with World() as w:
        fill(w)
        web = Web(w.box)
        for path, more in (("/api/sessions", {}), ("/api/none", {}),
                           ("/api/sessions", {"token": False}), ("/x", {})):
            _, headers, _ = web.ask(path, **more)
            eq(headers["X-Content-Type-Options"], "nosniff")
            policy = headers["Content-Security-Policy"]
            assert "default-src 'self'" in policy, policy
            assert "frame-ancestors 'none'" in policy, policy
            assert not [k for k in headers
                        if k.lower().startswith("access-control")], headers


def test_token_and_address():
    with World() as w:
        w.write("a", "f", "x\n")
        web = Web(w.box)
        path = os.path.join(w.box.state, "web-token")
        eq(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="ascii") as f:
            eq(f.read().strip(), web.token)
        again = Web(w.box)
        eq((again.port, again.token), (web.port, web.token), "the same server")
        eq(w.box.json("status")["webPort"], web.port)
        # Only loopback is listened on.
        with open("/proc/net/tcp", encoding="ascii") as f:
            ours = [x.split()[1] for x in f if f":{web.port:04X} " in
                    x.split()[1] + " "]
        eq({x.split(":")[0] for x in ours}, {"0100007F"})
        eq(w.box.ok("web", "--stop"), "stopped\n")
        eq(w.box.run("web", "--stop").returncode, 1)
        try:
            web.ask("/api/status")
        except ConnectionRefusedError:
            pass
        else:
            raise AssertionError("it is still served")
        assert "webPort" not in w.box.json("status")
        # A token that others could read is not used again.
        os.chmod(path, 0o644)
        assert Web(w.box).token != web.token


def test_ports():
    with World() as w:
        w.write("a", "f", "x\n")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = w.box.run("web", "--no-open", f"--port={port}")
            assert done.returncode == 2, done
            assert "another program has this port" in done.stderr, done.stderr
            free = Web(w.box)
        moved = Web(w.box, f"--port={port}")
        eq(moved.port, port)
        eq(moved.ask("/api/status")[0], 200)
        assert free.port != port


def test_from_the_config():
    with World() as w:
        w.write("a", "f", "x\n")
        os.makedirs(os.path.join(w.box.top, "config", "ccfc"))
        path = os.path.join(w.box.top, "config", "ccfc", "config")
        with open(path, "w", encoding="ascii") as f:
            f.write("web = on\n")
        w.box.restart()
        port = w.box.json("status")["webPort"]
        web = Web(w.box)
        eq(web.port, port)
        with open(path, "w", encoding="ascii") as f:
            f.write("web = maybe\n")
        process, ready = w.box.spawn_daemon()
        os.close(ready)
        eq(process.wait(harness.LIMIT), 2)


def test_the_library_is_loaded_when_needed():
    """A daemon that serves no HTTP has neither libmicrohttpd nor gnutls."""
    def libraries(box):
        with open(f"/proc/{box.daemon.pid}/maps", encoding="utf-8") as f:
            return set(re.findall(r"/lib(microhttpd|gnutls)\.so", f.read()))

    with World() as w:
        w.write("a", "f", "x\n")
        w.ok("list", w.id("a"))
        eq(libraries(w.box), set())
        web = Web(w.box)
        eq(web.ask("/api/status")[0], 200)
        eq("microhttpd" in libraries(w.box), True)
        w.box.ok("web", "--stop")
        eq(Web(w.box).ask("/api/status")[0], 200, "once more")


def test_the_library_is_missing():
    with World() as w:
        w.write("a", "f", "x\n")
        w.box.stop()
        fake = os.path.join(w.box.top, "fake")
        os.makedirs(fake)
        with open(os.path.join(fake, "libmicrohttpd.so.12"), "wb"):
            pass  # too short for a library
        w.box.start(env={**w.box.environment(), "LD_LIBRARY_PATH": fake})
        done = w.box.run("web", "--no-open")
        eq(done.returncode, 2, done.stderr)
        assert "libmicrohttpd.so.12 cannot be loaded" in done.stderr, done
        assert "install libmicrohttpd" in done.stderr, done
        w.ok("list", w.id("a"))


def test_the_daemon_ends_with_streams():
    """Readers do not keep the daemon, or its web, from ending."""
    with World() as w:
        w.write("a", "f", "x\n")
        web = Web(w.box)
        streams = [Stream(web) for _ in range(3)]
        for stream in streams:
            eq(stream.next()[0], "ready")
        w.box.ok("web", "--stop")
        for stream in streams:
            eq(stream.next(), None)
            stream.close()
        web = Web(w.box)
        stream = Stream(web)
        eq(stream.next()[0], "ready")
        w.box.stop()
        eq(stream.next(), None)
        stream.close()
        w.box.start()


if __name__ == "__main__":
    harness.main()
