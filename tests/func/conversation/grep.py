"""text.search against a reference that reads the same transcripts with json
and compares characters one by one."""
import collections
import json
import os
import random
import re
import shutil
import subprocess

import harness
from harness import Box, RpcError, append, eq
from transcript import Ids, stamp

SOAK = bool(os.environ.get("CCFC_SOAK"))
# Letters that are the same but for case, where lower() does not say so.
SAME = {"ſ": "s", "ς": "σ", "µ": "μ", "\u212b": "å", "ϑ": "θ"}
LETTERS = ("aAbBkKsSéÉßẞσΣς\u212aſıİI1 .\\\"/\n\t中😀\U00010428\U00010400"
           "µμå\u212b\x1b\ud83d\udc00")
PLACES = ("text", "thinking", "tool", "result")


def fold(text):
    """Character by character, so that offsets stay as they are."""
    out = []
    for c in text:
        low = c.lower()
        out.append(SAME.get(c, low if len(low) == 1 else c))
    return "".join(out)


def joined(text):
    """Surrogates that stand alone are replaced; pairs are characters."""
    text = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda m: m.group().encode(
        "utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


# Names, which the client writes as they are.
PLAIN = {"type", "uuid", "timestamp", "sessionId", "cwd", "version", "role",
         "id", "tool_use_id", "name", "agentId"}


class Spelling:
    """Writes texts as JSON strings in many ways."""

    def __init__(self, rng, often):
        self.rng, self.often = rng, often

    def char(self, c):
        if c not in "\"\\" and ord(c) >= 0x20 and \
                not 0xd800 <= ord(c) < 0xe000 and \
                self.rng.random() >= self.often:
            return c
        short = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\",
                 "/": "\\/"}
        if c in short and self.rng.random() < 0.7:
            return short[c]
        raw = c.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{raw[i]:02x}{raw[i + 1]:02x}"
                       for i in range(0, len(raw), 2))

    def dump(self, value):
        if isinstance(value, str):
            return '"' + "".join(map(self.char, value)) + '"'
        if isinstance(value, list):
            return "[" + ",".join(map(self.dump, value)) + "]"
        if isinstance(value, dict):
            return "{" + ",".join(
                f'"{k}":{json.dumps(v) if k in PLAIN else self.dump(v)}'
                for k, v in value.items()) + "}"
        return json.dumps(value)


def strings(value):
    if isinstance(value, str):
        yield value
    for v in value.values() if isinstance(value, dict) else \
            value if isinstance(value, list) else ():
        yield from strings(v)


def texts_of(record):
    """(place, text) of all that the record says."""
    content = record["message"]["content"]
    if isinstance(content, str):
        yield "text", content
        return
    for block in content:
        kind = block["type"]
        if kind in ("text", "thinking"):
            yield kind, block[kind]
        elif kind == "tool_use":
            yield "tool", "\n".join(x for x in strings(block["input"]) if x)
        elif kind == "tool_result":
            inner = block["content"]
            yield "result", inner if isinstance(inner, str) else "\n".join(
                b["text"] for b in inner if b.get("text"))


Item = collections.namedtuple(
    "Item", "session project agent uuid time role place text tool")


class World:
    """Transcripts, and what the reference knows of them."""

    def __init__(self, box, seed=1, often=0.1, letters=LETTERS):
        self.box = box
        self.rng = random.Random(seed)
        self.ids = Ids(seed)
        self.spelling = Spelling(self.rng, often)
        self.letters = letters
        self.items = []
        self.files = []

    def text(self, most=40):
        return "".join(self.rng.choice(self.letters)
                       for _ in range(self.rng.randrange(1, most)))

    def path(self, project, session, agent=None):
        folder = os.path.join(self.box.projects, project.replace("/", "-"))
        if agent:
            return os.path.join(folder, session, "subagents",
                                f"agent-{agent}.jsonl")
        return os.path.join(folder, session + ".jsonl")

    def say(self, session, kind, content, project="/home/dev/p", agent=None,
            time=None, uuid=None, **more):
        record = {"parentUuid": None, "isSidechain": bool(agent),
                  "cwd": project, "sessionId": session, "version": "2.1.50",
                  "type": kind, "uuid": uuid or self.ids.uuid(),
                  "timestamp": time or self.ids.time(), **more,
                  "message": {"role": kind, "content": content}}
        if agent:
            record["agentId"] = agent
        path = self.path(project, session, agent)
        append(path, self.spelling.dump(record).encode() + b"\n")
        if path not in self.files:
            self.files.append(path)
        self.note(record, project, agent)
        return record

    def note(self, record, project, agent):
        names = [b["name"] for b in record["message"]["content"]
                 if isinstance(b, dict) and b["type"] == "tool_use"]
        for place, text in texts_of(record):
            if text:
                self.items.append(Item(
                    record["sessionId"], project, agent, record["uuid"],
                    record["timestamp"], record["type"], place, joined(text),
                    names.pop(0) if place == "tool" else None))

    def any(self, session, **more):
        """A random record."""
        which = self.rng.randrange(6)
        if which == 0:
            return self.say(session, "user", self.text(), **more)
        if which == 1:
            return self.say(session, "user", [
                {"type": "text", "text": self.text()},
                {"type": "text", "text": self.text()}], **more)
        if which == 2:
            return self.say(session, "assistant", [
                {"type": "thinking", "thinking": self.text(),
                 "signature": self.text()},
                {"type": "text", "text": self.text()}], **more)
        if which == 3:
            return self.say(session, "assistant", [
                {"type": "tool_use", "id": self.ids.tool(),
                 "name": self.rng.choice(("Bash", "Read")),
                 "input": {"a": self.text(), "n": 3,
                           "more": [{"b": self.text()}, self.text()]}}
                for _ in range(self.rng.randrange(1, 3))], **more)
        content = self.text(400) if which == 4 else [
            {"type": "text", "text": self.text()},
            {"type": "image", "source": {"data": self.text()}},
            {"type": "text", "text": self.text()}]
        return self.say(session, "user", [
            {"type": "tool_result", "tool_use_id": self.ids.tool(),
             "content": content}], toolUseResult=self.text(), **more)

    def fork(self, session, project="/home/dev/p"):
        """A session that begins with all that another one said."""
        new = self.ids.uuid()
        with open(self.path(project, session), "rb") as f:
            data = f.read().replace(session.encode(), new.encode())
        append(self.path(project, new), data)
        self.files.append(self.path(project, new))
        for item in [i for i in self.items
                     if i.session == session and not i.agent]:
            self.items.append(item._replace(session=new))
        return new

    def want(self, pattern, places=("text",), regex=False, exact=False,
             keep=lambda item: True):
        """What has to be found: {(uuid, place, text): (session, count)}."""
        found = {}
        for item in self.items:
            if item.place not in places or not keep(item):
                continue
            text = item.text
            if regex:
                flags = re.M | (0 if exact else re.I)
                n = sum(1 for m in re.finditer(pattern, text, flags)
                        if m.group())
            elif exact:
                n = text.count(pattern)
            else:
                n = fold(text).count(fold(pattern))
            key = (item.uuid, item.place, text)
            if n and (key not in found or item.session < found[key][0]):
                found[key] = (item.session, n, item.time, item.role)
        return found


def search(rpc, pattern, **more):
    try:
        return rpc.call("text.search", pattern=pattern,
                        **{"limit": 100000, **more})
    except RpcError as error:
        if error.code != "not-found":
            raise
        return {"matches": [], "totalMatches": 0, "totalSessions": 0,
                "truncated": False, "scannedTexts": 1}


def check(rpc, world, pattern, places=("text",), regex=False, exact=False,
          keep=lambda item: True, **more):
    want = world.want(pattern, places, regex, exact, keep)
    got = search(rpc, pattern, **{"in": list(places)}, regex=regex,
                 caseSensitive=exact, **more)
    what = f"{pattern!r} in {places}"
    eq(sorted((m["messageUuid"], m["in"], m["sessionId"], m["count"],
               m["timestamp"], m["role"]) for m in got["matches"]),
       sorted((u, p, s, n, t, r)
              for (u, p, _), (s, n, t, r) in want.items()), what)
    eq(got["totalMatches"], len(want), what)
    eq(got["totalSessions"], len({s for s, *_ in want.values()}), what)
    eq(got["truncated"], False, what)
    times = [m["timestamp"] for m in got["matches"]]
    eq(times, sorted(times, reverse=True), "newest first")
    for m in got["matches"]:
        check_snippet(m, world, pattern, regex, exact)
    return got


def check_snippet(m, world, pattern, regex, exact):
    raw = m["snippet"].encode()
    assert any(m["snippet"] in i.text for i in world.items
               if i.uuid == m["messageUuid"]), m
    assert len(raw) <= 210 and m["matches"], m
    last = 0
    for start, end in m["matches"]:
        assert last <= start < end <= len(raw), m
        last = end
        part = raw[start:end].decode()
        if regex:
            assert re.search(pattern, m["snippet"],
                             re.M | (0 if exact else re.I)), m
        elif exact:
            eq(part, pattern)
        else:
            eq(fold(part), fold(pattern))


def build(box, seed, often=0.1, letters=LETTERS, records=120):
    world = World(box, seed, often, letters)
    sessions = [world.ids.uuid() for _ in range(4)]
    for n in range(records):
        session = world.rng.choice(sessions)
        project = f"/home/dev/p{sessions.index(session) % 2}"
        agent = "a1b2c3d" if world.rng.random() < 0.2 else None
        if n == records // 2:
            world.fork(sessions[0], "/home/dev/p0")
        world.any(session, project=project, agent=agent)
    for session in sessions:
        world.say(session, "user", "the end",
                  project=f"/home/dev/p{sessions.index(session) % 2}")
    return world


@harness.sanitized
def test_random_texts():
    for seed, often in ((1, 0.0), (2, 0.1), (3, 0.6)):
        with Box() as box:
            world = build(box, seed, often)
            box.start()
            with box.rpc() as rpc:
                for _ in range(600 if SOAK else 60):
                    pattern = joined(world.text(4))
                    places = world.rng.sample(PLACES,
                                              world.rng.randrange(1, 5))
                    check(rpc, world, pattern, places,
                          exact=world.rng.random() < 0.3)


@harness.sanitized
def test_regular_expressions():
    letters = "aAbBxX1 2\né_-"
    with Box() as box:
        world = build(box, 5, 0.2, letters)
        box.start()
        with box.rpc() as rpc:
            for pattern in ("a+b", "^a", "b$", r"\bx\w+", "[ab]{2,3}",
                            "(a|b)x", r"\d\s", "a.b", "(?:é|1)+", "x(?=1)",
                            r"(\w)\1", "[^a-z\\s]b", "a*?b"):
                for exact in (False, True):
                    check(rpc, world, pattern, PLACES, regex=True,
                          exact=exact)


def test_escapes_and_line_ends():
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        folder = os.path.dirname(world.path("/home/dev/p", session))
        path = os.path.join(folder, session + ".jsonl")

        def say(n, text, kind="user"):
            append(path, (
                '{"type":"%s","uuid":"%08d-0000-4000-8000-000000000000",'
                '"sessionId":"%s","cwd":"/home/dev/p","timestamp":"%s",'
                '"message":{"role":"%s","content":%s}}\n' % (
                    kind, n, session, world.ids.time(), kind, text)).encode())
        say(1, r'"caf\u00e9 one"')
        say(2, '"CAFÉ two"')
        say(3, r'"smile \ud83d\ude00!"')
        say(4, '"smile 😀!"')
        say(5, r'"split\nover\tlines"')
        say(6, r'"\u0063\u0061\u0066\u00C9 six"')
        say(7, r'[{"type":"tool_result","tool_use_id":"t",'
               r'"content":"\u0043af\u00e9 7"}]')
        say(8, r'[{"type":"tool_use","id":"t","name":"Bash","input":'
               r'{"command":"cat\ncaf\u00e9"}}]', "assistant")
        say(9, r'"half \ud83d of one"')
        for n, text in ((10, b'"bad \xff byte"'), (
                11, b'[{"type":"tool_result","tool_use_id":"t",'
                    b'"content":"bad \xff byte"}]')):
            say(n, "@")
            with open(path, "rb") as f:
                data = f.read()
            with open(path, "wb") as f:
                f.write(data.replace(b"@", text))
        # Other records may quote messages: they count for nothing.
        append(path, json.dumps({
            "type": "progress", "sessionId": session, "data": {
                "message": {"type": "user", "message": {
                    "role": "user", "content": "café quoted"}}}}).encode()
            + b"\n")
        box.start()

        def found(pattern, **more):
            got = search(rpc, pattern, **more)
            return sorted(int(m["messageUuid"][:8]) for m in got["matches"])
        with box.rpc() as rpc:
            every = {"in": list(PLACES)}
            eq(found("café"), [1, 2, 6])
            eq(found("café", caseSensitive=True), [1])
            eq(found("café", **every), [1, 2, 6, 7, 8])
            eq(found("😀"), [3, 4])
            eq(found("E 😀!"), [3, 4])
            eq(found("split\nover"), [5])
            eq(found("over\tlines"), [5])
            eq(found("^over", regex=True), [5])
            eq(found("cat\ncafé", **every), [8])
            eq(found("half \ufffd of"), [9])
            eq(found("bad \ufffd byte", **every), [10, 11])
            eq(found("d . b", regex=True, **every), [10, 11])
            eq(found("u00e9", **every), [])
            eq(found("command", **every), [], "a key is no text")
            got = search(rpc, "over")["matches"][0]
            eq((got["snippet"], got["matches"], got["count"]),
               ("split\nover\tlines", [[6, 10]], 1))
            got = search(rpc, "cat", **every)["matches"][0]
            eq((got["toolName"], got["role"], got["in"]),
               ("Bash", "assistant", "tool"))


def test_filters():
    with Box() as box:
        world = build(box, 7)
        box.start()
        session = world.items[-1].session
        times = sorted(i.time for i in world.items)
        low, high = times[len(times) // 4], times[len(times) // 2]
        with box.rpc() as rpc:
            for pattern in ("a", "s", "中"):
                for role in ("user", "assistant"):
                    check(rpc, world, pattern, PLACES, role=role,
                          keep=lambda i, r=role: i.role == r)
                check(rpc, world, pattern, PLACES, session=session[:13],
                      keep=lambda i: i.session == session)
                check(rpc, world, pattern, PLACES, projectPath="/home/dev/p1",
                      keep=lambda i: i.project == "/home/dev/p1")
                check(rpc, world, pattern, PLACES, projectPath="p0",
                      cwd="/home/dev",
                      keep=lambda i: i.project == "/home/dev/p0")
                check(rpc, world, pattern, PLACES, fromDate=low, toDate=high,
                      keep=lambda i: low <= i.time <= high)
                check(rpc, world, pattern, PLACES, fromDate=high,
                      keep=lambda i: i.time >= high)
            agents = {m["messageUuid"]: m.get("agentId")
                      for m in search(rpc, "a")["matches"]}
            eq(agents, {i.uuid: i.agent for i in world.items
                        if i.uuid in agents}, "agents")


def test_copies_are_one_match():
    with Box() as box:
        world = World(box)
        first = "bbbbbbbb-0000-4000-8000-000000000000"
        world.say(first, "user", "a needle in a haystack")
        world.say(first, "assistant", [{"type": "tool_use", "id": "t",
                                        "name": "Bash",
                                        "input": {"command": "needle"}}])
        forks = {world.fork(first) for _ in range(3)}
        own = sorted(forks)[0]
        world.say(own, "user", "another needle")
        box.start()
        with box.rpc() as rpc:
            got = check(rpc, world, "needle", PLACES)
            eq(got["totalMatches"], 3)
            for fork in forks | {first}:
                check(rpc, world, "needle", PLACES, session=fork,
                      keep=lambda i, f=fork: i.session == f)


def test_what_is_gone_is_still_found():
    with Box() as box:
        box.without_archive()
        world = World(box)
        gone, kept = world.ids.uuid(), world.ids.uuid()
        for session in (gone, kept):
            world.say(session, "user", "a Needle")
            world.say(session, "assistant", [
                {"type": "thinking", "thinking": "needle?"},
                {"type": "tool_use", "id": "t" + session, "name": "Bash",
                 "input": {"command": "needle"}}])
        box.start()
        with box.rpc() as rpc:
            check(rpc, world, "needle", PLACES)
            os.unlink(world.path("/home/dev/p", gone))
            world.items = [i for i in world.items
                           if i.session == kept or i.place != "tool"]
            for _ in range(2):
                got = check(rpc, world, "needle", PLACES)
                eq({(m["sessionId"], m["source"]) for m in got["matches"]},
                   {(gone, "gone"), (kept, "present")})
                box.restart()
                rpc.close()
                rpc = box.rpc()
            rpc.close()


def test_what_was_just_said_is_found():
    with Box() as box:
        box.start()
        world = World(box)
        session = world.ids.uuid()
        with box.rpc() as rpc:
            for n in range(50):
                world.say(session, "user", f"word {n} word")
                world.say(session, "user", [
                    {"type": "tool_result", "tool_use_id": "t",
                     "content": f"line {n} of it"}])
                got = check(rpc, world, f"D {n} w")
                eq(got["matches"][0]["count"], 1)
                check(rpc, world, f"line {n} ", PLACES)


def test_pages_and_snippets():
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        for n in range(40):
            world.say(session, "user", "é" * 300 + f" needle {n} " * (n + 1))
        long_one = "x" * 5000
        world.say(session, "user", long_one)
        box.start()
        with box.rpc() as rpc:
            everything = check(rpc, world, "needle")["matches"]
            pages = [rpc.call("text.search", pattern="needle", limit=7,
                              offset=at)["matches"] for at in
                     range(0, 40, 7)]
            eq([m["messageUuid"] for p in pages for m in p],
               [m["messageUuid"] for m in everything])
            eq(len(rpc.call("text.search", pattern="needle")["matches"]), 40)
            got = everything[0]
            assert got["snippet"].startswith("éé"), got
            assert 150 < len(got["snippet"].encode()) <= 200
            eq(got["count"], 40)
            got = search(rpc, "x{4000,}", regex=True)["matches"][0]
            eq((len(got["snippet"]), got["matches"], got["count"]),
               (200, [[0, 200]], 1))
            try:
                rpc.call("text.search", pattern="needle", offset=40)
                raise AssertionError("a page behind the last")
            except RpcError as error:
                eq(error.code, "not-found")
                assert "only 40 matches" in error.text


def test_rank():
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        now = world.ids.now

        def say(text, kind="user", days=0, uuid=None):
            return world.say(session, kind, text,
                             time=stamp(now - days * 86_400_000))["uuid"]
        often = say("needle " * 20)
        prompt = say("needle here")
        answer = say([{"type": "text", "text": "needle here"}], "assistant")
        old = say("needle here", days=400)
        lengthy = say("needle " + "hay " * 20000, days=400)
        thought = say([{"type": "thinking", "thinking": "needle here"}],
                      "assistant", days=400)
        box.start()
        with box.rpc() as rpc:
            got = search(rpc, "needle", sort="rank", **{"in": list(PLACES)})
            eq([m["messageUuid"] for m in got["matches"]],
               [often, prompt, answer, old, thought, lengthy])


def refused(rpc, code, *words, **options):
    try:
        rpc.call("text.search", **options)
    except RpcError as error:
        eq(error.code, code, options)
        for word in words:
            assert word in error.text, error.text
        return
    raise AssertionError(f"{options}: accepted")


def test_what_is_refused():
    with Box() as box:
        world = World(box)
        world.say(world.ids.uuid(), "user", "a" * 5000)
        box.start()
        with box.rpc() as rpc:
            refused(rpc, "invalid", "pattern")
            refused(rpc, "invalid", "at byte 4", "parenthesis",
                    pattern="a(b", regex=True)
            refused(rpc, "not-found", "nothing matches 'a(b'", pattern="a(b")
            refused(rpc, "invalid", "4096", pattern="x" * 4097)
            refused(rpc, "invalid", "'recent', 'rank'", pattern="x", sort="up")
            refused(rpc, "invalid", "'user', 'assistant'", pattern="x",
                    role="tool")
            refused(rpc, "invalid", "'thinking'", pattern="x",
                    **{"in": ["text", "title"]})
            refused(rpc, "not-found", "session", pattern="x", session="ffff")
            refused(rpc, "too-big", "too many steps",
                    pattern="(a+)+[^a]", regex=True)
            # And all goes on as before.
            eq(search(rpc, "aaa")["totalMatches"], 1)


def endless(world, session):
    """Says what ENDLESS takes an hour for: all of it, at each place."""
    world.say(session, "user", "a" * 1_000_000)


ENDLESS = {"pattern": "a+[^a]", "regex": True}


@harness.sanitized
def test_nobody_waits_for_a_long_search():
    """Two searches that take for ever, and the rest of the daemon."""
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        endless(world, session)
        world.say(session, "assistant", [
            {"type": "text", "text": "short"}])
        box.start()
        with box.rpc() as long_one, box.rpc() as another, box.rpc() as rpc, \
                box.rpc() as watcher:
            watcher.call("events.subscribe")
            for peer in (long_one, another):
                peer.post("text.search", ENDLESS)
            eq(rpc.call("index.stats")["totalSessions"], 1)
            tool = "toolu_000000000000000000000001"
            world.say(session, "assistant", [
                {"type": "tool_use", "id": tool, "name": "Write",
                 "input": {"file_path": "/home/dev/p/f", "content": "x"}}])
            world.say(session, "user", [
                {"type": "tool_result", "tool_use_id": tool,
                 "content": "ok"}],
                toolUseResult={"type": "create", "content": "x",
                               "filePath": "/home/dev/p/f"})
            eq(watcher.event()["toolUseId"], tool)
            # Who goes away is not searched for any more: the next one runs,
            # though both would have taken the time there is.
            long_one.close()
            another.close()
            eq(search(rpc, "short")["totalMatches"], 1)


@harness.sanitized
def test_who_hangs_up_and_who_stops():
    """Nothing is left of searches that nobody waits for."""
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        endless(world, session)
        box.start()
        for _ in range(40):
            with box.rpc() as peer:
                peer.post("text.search", ENDLESS)
                peer.post("text.search", {**ENDLESS, "in": list(PLACES)})
        with box.rpc() as rpc:
            eq(search(rpc, "aaa")["totalMatches"], 1)
            # The daemon ends while searches run and wait.
            for _ in range(5):
                rpc.post("text.search", ENDLESS)
            rpc.call("index.stats")
            box.stop()


@harness.sanitized
def test_many_at_once():
    """Each of 200 questions gets its answer, or is told to ask again."""
    with Box() as box:
        world = build(box, 13, 0.1)
        box.start()
        want = [{}, {}]
        with box.rpc() as rpc:
            for n, places in enumerate((["text"], list(PLACES))):
                want[n] = search(rpc, "s", **{"in": places})["totalMatches"]
            peers = [box.rpc() for _ in range(20)]
            which = {(peer, peer.post("text.search", {
                "pattern": "s", "in": list(PLACES) if n % 2 else ["text"]})):
                n % 2 for n in range(10) for peer in peers}
            answered = 0
            for peer in peers:
                for _ in range(10):  # in any order
                    _, number, error, got = peer.message()
                    if error:
                        assert "wait already" in str(error), error
                        continue
                    eq(got["totalMatches"], want[which.pop((peer, number))])
                    answered += 1
            assert answered >= 64, answered
            for peer in peers:
                peer.close()


@harness.sanitized
def test_several_threads():
    """Transcripts that are worth a thread each: all is found, once."""
    with Box() as box:
        world = World(box, often=0.0)
        sessions = [world.ids.uuid() for _ in range(5)]
        filler = "hay é \n" * 330_000 + "a" * 5000
        for n in range(20):
            session = sessions[n % 5]
            world.say(session, "user", [
                {"type": "tool_result", "tool_use_id": "t",
                 "content": f"a needle {n} needle"}])
            record = json.dumps({
                "type": "user", "uuid": world.ids.uuid(), "sessionId": session,
                "message": {"content": [{
                    "type": "tool_result", "tool_use_id": "t",
                    "content": filler}]}} if n < 5 else {"type": "mode"})
            append(world.path("/home/dev/p", session),
                   record.encode() + b"\n")
        world.fork(sessions[0])
        box.start()
        box.dump()
        with box.rpc() as rpc:
            for _ in range(2):
                eq(check(rpc, world, "needle", ("result",))["totalMatches"],
                   20)
                check(rpc, world, "n.{4}e", ("result",), regex=True)
            refused(rpc, "too-big", "too many steps", regex=True,
                    pattern="(a+)+[^ay]", **{"in": ["result"]})


def rss_peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(x.split()[1]) << 10 for x in f
                    if x.startswith("VmHWM"))


def test_a_word_that_is_everywhere():
    """More texts match than are kept: bounded, counted, the newest first."""
    if os.environ.get("CCFC_SANITIZE"):
        raise harness.Skip("sanitizers take memory of their own")
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        path = world.path("/home/dev/p", session)
        for n in range(300):
            append(path, json.dumps({
                "type": "user", "uuid": f"{n:08}-0000-4000-8000-000000000000",
                "sessionId": session, "cwd": "/home/dev/p",
                "timestamp": world.ids.time(), "message": {
                    "role": "user", "content": [
                        {"type": "text", "text": "word"}] * 1000}}).encode()
                   + b"\n")
        box.start()
        box.dump()  # all has been read
        with box.rpc() as rpc:
            search(rpc, "nothing of that kind")
            before = rss_peak(box.daemon.pid)
            got = search(rpc, "word", limit=2001)
            eq([int(m["messageUuid"][:8]) for m in got["matches"]],
               [299] * 1000 + [298] * 1000 + [297])
            eq((got["totalMatches"], got["totalSessions"], got["truncated"]),
               (300_000, 1, True))
            grown = rss_peak(box.daemon.pid) - before
            assert grown < 40 << 20, grown
            print(f"     {grown / 2**20:.1f} MiB")


def test_bytes_that_are_no_text():
    """A raw byte of another encoding: the rest of the line is there."""
    with Box() as box:
        world = World(box)
        session = world.ids.uuid()
        path = world.path("/home/dev/p", session)
        for content in ("caf@ word", [{"type": "tool_result",
                                       "tool_use_id": "t",
                                       "content": "caf@ word"}]):
            world.say(session, "user", content)
        world.say(session, "assistant", [
            {"type": "thinking", "thinking": "caf@ word"},
            {"type": "tool_use", "id": "t", "name": "Bash",
             "input": {"command": "caf@ word"}}])
        with open(path, "rb") as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data.replace(b"@", b"\xe9"))
        box.start()
        text = "caf\ufffd word"
        with box.rpc() as rpc:
            for pattern, regex in (("word", False), ("\ufffd WORD", False),
                                   ("caf. w", True)):
                got = search(rpc, pattern, regex=regex,
                             **{"in": list(PLACES)})
                eq(sorted((m["in"], m["snippet"]) for m in got["matches"]),
                   sorted((place, text) for place in PLACES), pattern)
            got = rpc.call("session.messages", session=session,
                           includeThinking=True)["messages"]
            eq([m.get("content") for m in got if m.get("content")], [text])
            eq([r["output"] for m in got for r in m.get("toolResults", [])],
               [text])
            eq([c["input"] for m in got for c in m.get("toolCalls", [])],
               [{"command": text}])
            eq([m["thinking"] for m in got if "thinking" in m], [text])
        out = box.ok("grep", "word", "--in=text,result", "--format=jsonl")
        eq([json.loads(x)["snippet"] for x in out.splitlines()], [text] * 2)


def test_ripgrep_finds_the_same_lines():
    if not shutil.which("rg"):
        raise harness.Skip("no rg")
    with Box() as box:
        world = build(box, 11, 0.0, "abcdefgh ", records=300)
        box.start()
        with box.rpc() as rpc:
            for pattern in ("ab", "fga", "h b"):
                done = subprocess.run(
                    ["rg", "-j1", "-i", "--no-filename", "--hidden",
                     "--no-ignore", pattern, box.projects],
                    capture_output=True, text=True, check=False)
                lines = {json.loads(x)["uuid"]
                         for x in done.stdout.splitlines()}
                got = check(rpc, world, pattern, PLACES)
                found = {m["messageUuid"] for m in got["matches"]}
                assert found and found <= lines, pattern


if __name__ == "__main__":
    harness.main()
