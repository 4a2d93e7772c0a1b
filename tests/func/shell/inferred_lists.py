"""Changes that only the contents of a file tell of, in lists, counts, events
and SQL: the same there as in the file's history, whichever way and whenever
the lines came.

The worlds are those of inferred.py. CCFC_SEED sets the first seed, CCFC_ROUNDS
the number of random worlds.
"""
import collections
import json
import os
import random

import harness
from harness import Box, append, eq
from inferred import LINE, ROUNDS, SCRIPT, SEED, START, Gap, Story
from property import feed
from shell_changes import bash
from shell_states import edit_of


def files_of(w):
    """(path below the Claude directory, all bytes) of each transcript."""
    out = {}
    for folder, _, names in os.walk(w.box.projects):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                out[os.path.relpath(path, w.box.claude)] = f.read()
    return out


def fork(w, rng):
    """A copy of a session with lines of its own behind it."""
    name = rng.choice(sorted(w.sessions))
    t = w.sessions[name]
    copy = w.fork = type(t)(w.box, t.ids, cwd=t.cwd, project="-copies")
    with open(t.path, "rb") as f:
        lines = f.read().splitlines()
    for data in lines[:rng.randint(1, len(lines))]:
        record = json.loads(data)
        record["sessionId"] = copy.session
        append(copy.path, json.dumps(record).encode() + b"\n")
    copy.prompt()


def ids_of(changes):
    return {c["changeId"] for c in changes if c["evidence"] == "inferred"}


def sql_ids(box):
    done = box.run("sql", "SELECT tool_use_id, session_id, lines_added"
                   " FROM changes WHERE evidence = 'inferred'",
                   "--format=json")
    if done.returncode == 1:
        return set()  # none
    return {tuple(row) for row in json.loads(done.stdout)["rows"]}


def told_ids(client):
    """By events: what is told of a change last is what there is."""
    clock = client.call("server.info")["clock"].partition(":")[0]
    events = client.call("events.since", clock=clock + ":0")["events"]
    return {e["changeId"] for e in events
            if e.get("evidence") == "inferred" and not e.get("withdrawn")}


class Views:
    """The inferred changes of a file, by each way to ask for them."""

    def __init__(self, box, path):
        box.until_inferred()
        self.dump = [c for c in box.dump().changes
                     if c["evidence"] == "inferred"]
        with box.rpc() as client:
            log = client.call("file.log", path=path)
            # Behind the last change only the disk tells.
            self.log = ids_of(s for s in log["steps"]
                              if s["kind"] == "change" and s.get("to", 1))
            found = client.call("file.sessions", path=path,
                                evidence=["inferred"])["sessions"] \
                if self.dump else []
            self.search = ids_of(c for s in found for c in s["changes"])
            self.told = told_ids(client)
            self.list = set()
            for session in {c["sessionId"] for c in self.dump}:
                self.list |= self.listed(client, session)
        self.sql = sql_ids(box)

    @staticmethod
    def listed(client, session):
        reply = client.call("session.files", session=session)
        changes = [c for f in reply["files"] for c in f["changes"]]
        eq(reply["shellChanges"],
           sum(c["evidence"] != "result" for c in changes))
        one = client.call("session.files", session=session,
                          evidence=["inferred"], tools=["Bash"])
        eq(ids_of(c for f in one["files"] for c in f["changes"]),
           ids_of(changes))
        diffs = client.call("session.diff", session=session)["diffs"]
        eq(ids_of(diffs) & ids_of(changes), ids_of(changes), "diff")
        for d in diffs:
            for c in changes:
                if c["changeId"] == d["changeId"] and \
                        c["evidence"] == "inferred":
                    eq((c["linesAdded"], c["linesRemoved"]),
                       (d["linesAdded"], d["linesRemoved"]))
        return ids_of(changes)

    def check(self):
        want = {c["changeId"] for c in self.dump}
        for name in ("log", "search", "told", "list"):
            eq(getattr(self, name), want, name)
        eq(self.sql, {(c["changeId"], c["sessionId"], c["linesAdded"])
                      for c in self.dump}, "sql")
        return len(want)


def test_random_worlds_agree():
    """Every way to ask gives what the log gives; a cold scan, too."""
    total = collections.Counter()
    for seed in range(SEED, SEED + ROUNDS):
        with Story(seed) as w:
            w.live()
            views = Views(w.box, w.path("a.txt"))
            total["inferred"] += views.check()
            text = w.box.dump().text
            w.box.restart(hard=True)
            eq(w.box.dump().text, text, f"after a kill, CCFC_SEED={seed}")
            w.box.stop()
            w.box.forget()
            w.box.start()
            eq(w.box.dump().text, text, f"cold, CCFC_SEED={seed}")
    print(dict(total))
    assert total["inferred"] > ROUNDS, total


def test_any_order():
    """In random pieces, with kills in between: as one cold scan."""
    for seed in range(SEED, SEED + ROUNDS):
        rng = random.Random(seed)
        with Story(seed) as w:
            w.live()
            if rng.random() < 0.5:
                fork(w, rng)
            files = files_of(w)
            w.box.stop()
            w.box.forget()
            w.box.start()
            want = w.box.dump().text
        with Box() as box:
            box.start()
            feed(box, files, rng)
            eq(box.dump().text, want, f"CCFC_SEED={seed}")


# --- one thing each ---

def inferred_of(w, session):
    w.box.until_inferred()
    with w.box.rpc() as client:
        reply = client.call("session.files", session=w.id(session),
                            evidence=["inferred"])
    return [c for f in reply["files"] for c in f["changes"]]


def test_withdrawn():
    """A second command that fits comes later: it is one of the two's, and
    whoever was told of the change is told that it is gone."""
    with Gap("a", "b", "c") as w:
        one = w.run_in("a", SCRIPT)
        now = w.sessions["c"].ids.now
        w.found(START + LINE + "\n")
        eq(len(inferred_of(w, "a")), 1)
        with w.box.rpc() as client:
            client.call("events.subscribe", evidence=["inferred"])
            w.sessions["c"].ids.now = now - 1000
            bash(w.sessions["c"], SCRIPT)
            event = client.event()
        eq((event["changeId"].split("#")[0], event["withdrawn"]), (one, True))
        eq(inferred_of(w, "a"), [])
        eq(w.gap()["evidence"], "ambiguous")
        w.box.restart()
        eq(inferred_of(w, "a"), [])


def test_told_when_it_is_known():
    """An event, though late: with its evidence, once."""
    with Gap() as w, w.box.rpc() as client:
        client.call("events.subscribe", evidence=["inferred"])
        tid = w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        event = client.event()
        eq((event["changeId"].split("#")[0], event["evidence"],
            event["sessionId"], event["linesAdded"]),
           (tid, "inferred", w.id("a"), 1))
        w.box.until_inferred()
        eq(client.events, [])


def test_kept_without_transcripts():
    """What was known stays when the lines are gone."""
    with Gap() as w:
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        eq(len(inferred_of(w, "a")), 1)
        for t in w.sessions.values():
            os.unlink(t.path)
        eq(len(inferred_of(w, "a")), 1)
        w.box.restart(hard=True)
        eq(len(inferred_of(w, "a")), 1)
        w.ok("index", "--build")
        eq(len(inferred_of(w, "a")), 1)


def test_more_of_the_command():
    """It still counts among those with unknown effects: it may have changed
    other files as well."""
    with Gap() as w:
        w.run_in("a", SCRIPT)
        w.found(START + LINE + "\n")
        w.box.until_inferred()
        reply = w.box.json("list", w.id("a"))
        eq((reply["shellChanges"], reply["unknownCommands"]), (1, 1))
        assert "Bash, inferred" in w.ok("list", w.id("a"), "--show-changes")
        eq(w.box.json("stats")["totals"]["shellChanges"], 1)


def test_far_from_the_file():
    """A command of a session that never was in a directory above it."""
    with Gap() as w:
        w.sessions["b"].cwd = "/somewhere/else"
        t = type(w.sessions["a"])(w.box, w.sessions["a"].ids,
                                  cwd="/elsewhere", project="-elsewhere")
        bash(t, SCRIPT)
        w.found(START + LINE + "\n")
        w.nobodys()
        w.box.until_inferred()
        eq([c for c in w.box.dump().changes if c["evidence"] == "inferred"],
           [])


def test_two_files():
    """One command, two files: two changes."""
    with Gap() as w:
        w.write("a", "b.txt", START)
        w.run_in("a", "for f in *.txt; do echo '" + LINE + "' >> $f; done")
        text = START + LINE + "\n"
        w.found(text)
        edit_of(w.sessions["b"], w.path("b.txt"), text, "beta", "BETA")
        eq(len(inferred_of(w, "a")), 2)


if __name__ == "__main__":
    harness.main()
