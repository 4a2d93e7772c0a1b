"""What transcripts hold, counted without ccfc: jq takes the lines apart, and
what is left here is adding up. For the tests of sessions and statistics.

A message of the model is known by its message.id; of its lines in a
transcript the last usage counts, and the earliest time is its time. It is
counted in the session whose transcript has it first.
"""
import json
import os
import posixpath
import subprocess
from collections import Counter, defaultdict
from datetime import datetime, timezone

from harness import LIMIT

# One array of facts for each line that is JSON, null for any other.
JQ = r"""
def blocks($type): [.message.content? | arrays | .[] | objects
                    | select(.type == $type)];
(fromjson? // null) | if type != "object" then null else {
  file: .ccfcFile, type, session: .sessionId, side: (.isSidechain == true),
  time: .timestamp, uuid, cwd, leaf: .leafUuid,
  custom: .customTitle, ai: .aiTitle, summary,
  prompt: (if .type == "user" and .isMeta != true then .message.content? |
    if type == "array" then map(objects | .text // "") | join("\n")
    else . // "" end else null end),
  id: .message.id?, model: .message.model?,
  usage: (.message.usage? | if type == "object" then
    [.input_tokens, .output_tokens, .cache_read_input_tokens,
     .cache_creation_input_tokens] | map(. // 0) else null end),
  uses: (if .type == "assistant" then
    blocks("tool_use") | map([.id, .name, (.input | objects
                              | .file_path // .notebook_path)])
    else [] end),
  results: (if .type == "user" then
    blocks("tool_result") | map([.tool_use_id, .is_error == true])
    else [] end)
} end
"""
READERS = ("Read", "NotebookRead")
TOKENS = ("input", "output", "cacheRead", "cacheWrite")


def transcripts(roots):
    """(path, is it an agent's) of each."""
    for root in roots:
        for folder, _, names in os.walk(os.path.join(root, "projects")):
            for name in sorted(names):
                if name.endswith(".jsonl") and name != "journal.jsonl":
                    yield (os.path.join(folder, name),
                           name.startswith("agent-"))


def lines(roots):
    """The facts of all whole lines, with `file`, `agent_file`, `aside`."""
    files = list(transcripts(roots))
    given = bytearray()
    for n, (path, _) in enumerate(files):
        with open(path, "rb") as f:
            data = f.read()
        given += b'{"ccfcFile":%d}\n' % n
        given += data[:data.rfind(b"\n") + 1]
    done = subprocess.run(["jq", "-R", "-c", JQ], input=bytes(given),
                          capture_output=True, timeout=LIMIT, check=True)
    at = None
    for text in done.stdout.splitlines():
        fact = json.loads(text)
        if fact is None:
            continue
        if fact["file"] is not None:
            at = files[fact["file"]]
            continue
        fact.update(file=at[0], agent_file=at[1], aside=at[1] or fact["side"])
        yield fact


def parse(text):
    """A time, which without a zone is UTC."""
    if not text:
        return None
    when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


class Message:
    """As one transcript shows it, of one session."""

    def __init__(self, fact):
        self.session = fact["session"]
        self.time = None
        self.aside = True
        self.model = None
        self.usage = (0, 0, 0, 0)

    def add(self, fact):
        when = parse(fact["time"])
        if when and (self.time is None or when < self.time):
            self.time = when
        self.aside = self.aside and fact["aside"]
        self.model = fact["model"] or self.model
        if fact["usage"]:
            self.usage = tuple(fact["usage"])


class Session:
    def __init__(self):
        self.records = Counter()  # by aside
        # uuids of the main thread by folder: forks have copies, and a folder
        # may be a copy of another
        self.seen = defaultdict(set)
        self.uses = Counter()
        self.errors = Counter()
        self.tokens = {False: Counter(), True: Counter()}
        self.read = set()
        self.start = self.end = None
        self.agents = set()
        self.titles = {}
        self.prompts = []

    def all_tokens(self):
        return {k: self.tokens[False][k] + self.tokens[True][k]
                for k in TOKENS}


class Counted:
    """Sessions, and sums by day and model."""

    def __init__(self, roots):
        self.sessions = defaultdict(Session)
        self.messages = {}  # message.id → its owner's Message
        self.tied = defaultdict(set)  # session → those of the same times
        self.uses = {}  # tool_use id → (message, name, path)
        self.views = defaultdict(dict)
        self.results = defaultdict(set)
        self.summaries = {}  # leaf → title
        self.leaves = {}  # uuid → session
        for fact in lines(roots):
            self.take(fact)
        self.own()
        self.sum()

    def take(self, fact):
        if fact["type"] == "summary" and fact["summary"]:
            self.summaries[fact["leaf"]] = fact["summary"]
        if not fact["session"]:
            return
        session = self.sessions[fact["session"]]
        when = parse(fact["time"])
        if when:
            session.start = min(session.start or when, when)
            session.end = max(session.end or when, when)
        if fact["agent_file"]:
            session.agents.add(fact["file"])
        for kind in ("custom", "ai"):
            if fact[kind] and fact["type"] == f"{kind}-title":
                session.titles[kind] = fact[kind]
        if fact["type"] not in ("user", "assistant"):
            return
        if fact["aside"]:
            session.records[True] += 1
        else:
            folder = posixpath.dirname(fact["file"])
            session.seen[folder].add(fact["uuid"])
            session.records[False] = max(map(len, session.seen.values()))
        self.leaves[fact["uuid"]] = fact["session"]
        if fact["prompt"] and not fact["aside"]:
            session.prompts.append(" ".join(fact["prompt"].split()))
        for tid, error in fact["results"]:
            self.results[tid].add(error)
        if fact["type"] == "assistant":
            self.say(fact)

    def say(self, fact):
        key = fact["id"] or fact["uuid"]
        view = self.views[key].setdefault(
            (fact["file"], fact["session"]), Message(fact))
        view.add(fact)
        for tid, name, path in fact["uses"]:
            if path and not path.startswith("/"):
                path = posixpath.join(fact["cwd"], path)
            self.uses.setdefault(tid, (key, name, path))

    def own(self):
        for key, views in self.views.items():
            order = sorted(views.values(), key=lambda m: (
                m.time or datetime.max.replace(tzinfo=timezone.utc), m.aside))
            first = order[0]
            self.messages[key] = first
            for other in order:
                if other.time == first.time:
                    self.tied[first.session].add(other.session)

        for leaf, title in self.summaries.items():
            if leaf in self.leaves:
                self.sessions[self.leaves[leaf]].titles["summary"] = title

    def sum(self):
        for m in self.messages.values():
            self.sessions[m.session].tokens[m.aside].update(
                dict(zip(TOKENS, m.usage)))
        for tid, (key, name, path) in self.uses.items():
            m = self.messages[key]
            s = self.sessions[m.session]
            s.uses[m.aside] += 1
            failed = self.results[tid] == {True}
            s.errors[m.aside] += failed
            if name in READERS and path and not failed:
                s.read.add(posixpath.normpath(path))

    def groups(self):
        """Sessions that share messages of the same time: only together is
        it plain what they spent. Most are alone."""
        seen = set()
        near = defaultdict(set)
        for a, others in self.tied.items():
            for b in others:
                near[a].add(b)
                near[b].add(a)
        for start in self.sessions:
            group, todo = set(), [start]
            while todo:
                at = todo.pop()
                if at not in group and at not in seen:
                    group.add(at)
                    todo += near[at]
            seen |= group
            if group:
                yield group

    def by(self, key):
        """{key of a message: (messages, calls, errors, tokens)}."""
        rows = defaultdict(lambda: [0, 0, 0, Counter()])
        for m in self.messages.values():
            row = rows[key(m)]
            row[0] += 1
            row[3].update(dict(zip(TOKENS, m.usage)))
        for tid, (mid, _, _) in self.uses.items():
            row = rows[key(self.messages[mid])]
            row[1] += 1
            row[2] += self.results[tid] == {True}
        return {k: (a, b, c, {t: d[t] for t in TOKENS})
                for k, (a, b, c, d) in rows.items()}

    def tools(self):
        """{tool: (calls, errors)}."""
        rows = defaultdict(lambda: [0, 0])
        for tid, (_, name, _) in self.uses.items():
            rows[name][0] += 1
            rows[name][1] += self.results[tid] == {True}
        return {k: tuple(v) for k, v in rows.items()}
