"""Backups are states: each snapshot of the recordings says what a file was
when the user sent a prompt, by the backup that it names, or that it was not
there. `file.at` and `session.recover` say the same, also behind the last change
of the file, of files that no session changed, and where a snapshot names an
older backup again (a rewind).

The recordings are those of the archive, and those beside the project
(../shared/corpus/client, or $CCFC_RECORDINGS) where they are. `run backups
--table` prints a row for each file with a state behind its last change.
"""
import collections
import datetime
import json
import os
import shutil
import sys
import tempfile

import harness
from corpus import TOOLS, corpus, roots
from harness import Box, RpcError, eq
from recordings import backup_name
from transcript import Ids, Transcript, line, stamp


def ms(text):
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(when.timestamp() * 1000)


def scenarios():
    """Those of the archive, and those that are only beside the project."""
    beside = os.environ.get("CCFC_RECORDINGS") or os.path.join(
        os.path.dirname(harness.TOP), "shared", "corpus", "client")
    seen = {}
    for top in (beside, corpus()):
        if not os.path.isdir(top):
            continue
        for version in sorted(os.listdir(top)):
            if not version.startswith("."):
                for name in sorted(os.listdir(os.path.join(top, version))):
                    seen[f"{version}/{name}"] = os.path.join(
                        top, version, name)
    return seen


class Sighting:
    """What one snapshot says of one file."""

    def __init__(self, time, session, root, backup):
        self.time, self.session = time, session
        self.kind, self.data = "gone", None
        if backup["backupFileName"]:
            path = os.path.join(root, "file-history", session,
                                backup["backupFileName"])
            self.kind = "missing"
            if os.path.exists(path):
                self.kind = "bytes"
                with open(path, "rb") as f:
                    self.data = f.read()


def records(path):
    with open(path, "rb") as f:
        for data in f:
            try:
                record = json.loads(data)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


class Scenario:
    """Changes and sightings of each file, by reading the transcripts."""

    def __init__(self, path):
        self.path = path
        self.changes = collections.defaultdict(list)    # file → times
        self.seen = collections.defaultdict(list)       # file → sightings
        for root in roots(path):
            for folder, _, files in os.walk(os.path.join(root, "projects")):
                for name in files:
                    if name.endswith(".jsonl"):
                        self.read(root, os.path.join(folder, name))
        for found in self.seen.values():
            found.sort(key=lambda s: s.time)

    def read(self, root, path):
        rows = list(records(path))
        cwd = next((r["cwd"] for r in rows if r.get("cwd")), None)
        session = os.path.basename(path).removesuffix(".jsonl")
        calls = {}
        for row in rows:
            self.calls(row, calls, cwd)
            for key, when, backup in snapshots(row):
                if cwd is None:
                    continue
                file = os.path.normpath(os.path.join(cwd, key))
                self.seen[file].append(Sighting(
                    when, session, root, backup))

    def calls(self, row, calls, cwd):
        message = row.get("message")
        if row.get("type") not in ("user", "assistant") \
                or not isinstance(message, dict) \
                or not isinstance(message.get("content"), list):
            return
        for block in message["content"]:
            if block.get("type") == "tool_use" and block["name"] in TOOLS:
                given = block["input"].get("file_path") \
                    or block["input"].get("notebook_path")
                calls[block["id"]] = given
            elif block.get("type") == "tool_result" \
                    and not block.get("is_error") \
                    and calls.get(block["tool_use_id"]):
                file = os.path.join(cwd, calls[block["tool_use_id"]])
                self.changes[os.path.normpath(file)].append(
                    ms(row["timestamp"]))


def snapshots(row):
    """(key, when the file was so, backup) of each file that it names."""
    if row.get("type") == "file-history-delta":
        backup = row["backup"]
        when = backup.get("backupTime") or row["timestamp"]
        yield row["trackingPath"], ms(when), backup
    elif row.get("type") == "file-history-snapshot":
        when = ms(row["snapshot"]["timestamp"])
        for key, backup in row["snapshot"]["trackedFileBackups"].items():
            made = backup.get("backupTime")
            yield key, max(when, ms(made)) if made else when, backup


def verdict(state, want):
    """right, wrong, unknown; with what is claimed of it."""
    fidelity = state["fidelity"]
    if fidelity not in ("exact", "reconstructed"):
        return "right" if want.kind == "missing" else "unknown"
    if want.kind == "missing":
        return f"wrong ({fidelity})"
    if want.kind == "gone":
        right = not state["exists"]
    else:
        right = state["exists"] and state.get("content") == want.data
    return "right" if right else f"wrong ({fidelity})"


def ask(rpc, path, **more):
    return rpc.call("file.at", path=path, includeContent=True, **more)["state"]


def recovered(rpc, path, want):
    rows = rpc.call("session.recover", session=want.session,
                    limit=1000)["files"]
    row = next((r for r in rows if r["path"] == path), None)
    if row is None:
        return "not offered"
    if want.kind == "gone":
        return "right" if row.get("goneSince") else "gone missed"
    if want.kind == "missing":
        return "right" if row["fidelity"] == "unknown" else "wrong"
    state = rpc.call("file.at", path=path, at=row["at"],
                     includeContent=True)["state"]
    same = (state["sha256"], state["fidelity"]) == (
        row["sha256"], row["fidelity"])
    return verdict(state, want) if same else "another content than listed"


def cases():
    """For each scenario with snapshots: (name, its Scenario, a connection)."""
    for name, path in scenarios().items():
        found = Scenario(path)
        if not found.seen:
            continue
        with Box(roots=roots(path)) as box:
            box.start()
            with box.rpc() as rpc:
                yield name, found, rpc


def last_rows():
    """Files with a state behind their last change, and what is said of it."""
    for name, found, rpc in cases():
        for path, seen in found.seen.items():
            last = max(found.changes.get(path, [0]))
            if seen[-1].time <= last:
                continue
            want = seen[-1]
            try:
                cat = verdict(ask(rpc, path), want)
                then = verdict(ask(rpc, path, at=stamp(want.time)), want)
                back = recovered(rpc, path, want)
            except RpcError as error:
                cat = then = back = str(error)
            yield (name, os.path.basename(path), want.kind,
                   "only snapshots" if not last else "", cat, then, back)


def table():
    rows = list(last_rows())
    head = ("recording", "file", "is", "", "cat", "cat --at", "recover")
    print(f"{len(rows)} files with a state behind their last change")
    for row in (head, *rows):
        print("  ".join(f"{cell:{width}}" for cell, width in zip(
            row, (24, 20, 8, 15, 12, 12, 12))).rstrip())
    return rows


def test_states_behind_the_last_change():
    rows = table()
    wrong = [r for r in rows if set(r[4:]) != {"right"}]
    assert len(rows) > 25, "too few: is the archive complete?"
    eq(wrong, [], "files that are not right")
    assert any(r[2] == "gone" for r in rows), "no file was removed"


# The index has the first and the last snapshot that names a backup. A rewind
# between them, to that backup, is not seen; that it may have been is said.
BETWEEN = {f"{v}/tui_edit_rewind": "new.txt"
           for v in ("2.0.30", "2.1.50", "2.1.150", "2.1.325")}


def test_every_snapshot():
    """At each moment of a snapshot the file is what it names."""
    counts = collections.Counter()
    wrong = []
    for name, found, rpc in cases():
        for path, seen in found.seen.items():
            for want in seen:
                if want.kind == "missing":
                    continue
                try:
                    got = verdict(ask(rpc, path, at=stamp(want.time)), want)
                except RpcError as error:
                    got = str(error)
                counts[got.split(":")[0]] += 1
                if got == "wrong (reconstructed)" \
                        and BETWEEN.get(name) == os.path.basename(path):
                    counts["listed"] += 1
                elif got != "right":
                    wrong.append((name, path, stamp(want.time), got))
    print(dict(counts))
    eq(wrong, [], "moments that are not right")
    assert counts["right"] > 150, "too few"
    eq(counts["listed"], len(BETWEEN), "moments that are listed as wrong")


def without_calls(path, top):
    """A copy of a recording whose transcripts have no call of a tool."""
    for root in roots(path):
        copy = os.path.join(top, os.path.basename(root))
        shutil.copytree(root, copy, symlinks=True)
        for folder, _, files in os.walk(os.path.join(copy, "projects")):
            for name in files:
                if name.endswith(".jsonl"):
                    strip(os.path.join(folder, name))


def strip(path):
    kept = [r for r in records(path)
            if "tool_use" not in json.dumps(r) and "toolUse" not in r]
    with open(path, "wb") as f:
        f.writelines(line(r) for r in kept)


def test_every_snapshot_of_files_without_changes():
    """The same snapshots say the same where nothing else names the files."""
    counts = collections.Counter()
    wrong = []
    for name, path in scenarios().items():
        if not Scenario(path).seen:
            continue
        with tempfile.TemporaryDirectory() as top:
            without_calls(path, top)
            found = Scenario(top)
            eq(found.changes, {}, "changes")
            with Box(roots=roots(top)) as box:
                box.start()
                with box.rpc() as rpc:
                    for file, seen in found.seen.items():
                        for want in seen:
                            got = verdict(ask(rpc, file, at=stamp(want.time)),
                                          want)
                            counts[want.kind, got] += 1
                            if got != "right":
                                wrong.append((name, file, want.time, got))
    print(dict(counts))
    eq(wrong, [], "moments that are not right")
    assert sum(counts.values()) > 150, "too few"


# --- made up ---

class Backed:
    """A session that backs one file up, as the client does."""

    def __init__(self, box, ids=None):
        self.box, self.ids = box, ids or Ids(7)
        self.cwd = os.path.join(box.top, "p")
        self.path = os.path.join(self.cwd, "f.txt")
        self.out = Transcript(box, self.ids, cwd=self.cwd, style="new",
                              version="2.1.325")
        self.out.prompt()

    def back_up(self, version, data):
        name = f"{backup_name(self.path).decode()}@v{version}"
        folder = os.path.join(self.box.claude, "file-history",
                              self.out.session)
        os.makedirs(folder, exist_ok=True)
        if data is not None:
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        return {"backupFileName": name, "version": version,
                "backupTime": self.ids.time(10)}

    def snapshot(self, backup):
        harness.append(self.out.path, line({
            "type": "file-history-snapshot", "messageId": self.ids.uuid(),
            "snapshot": {"messageId": self.ids.uuid(), "timestamp":
                         self.ids.time(10),
                         "trackedFileBackups": {"f.txt": backup}},
            "isSnapshotUpdate": False}))
        return stamp(self.ids.now)


def state_now(box, path, at=None):
    with box.rpc() as rpc:
        return rpc.call("file.at", path=path, at=at, includeContent=True)


def test_rewind_behind_the_last_change():
    with Box() as box:
        world = Backed(box)
        world.out.write(world.path, "one\n")
        v2 = world.back_up(2, b"one\n")
        world.snapshot(v2)
        world.out.edit(world.path, "one", "two")
        world.ids.time(5000)
        when = world.snapshot(v2)
        box.start()
        reply = state_now(box, world.path)
        eq(reply["state"]["content"], b"one\n", "content")
        eq(reply["state"]["fidelity"], "exact", "fidelity")
        eq(reply["seenAt"], when, "moment")
        eq(reply["latest"]["sha256"], reply["state"]["sha256"], "latest")
        with box.rpc() as rpc:
            steps = rpc.call("file.log", path=world.path)["steps"]
        # There is no such file on this disk.
        eq([s["kind"] for s in steps],
           ["outside", "returned", "change", "change"], "steps")
        eq(steps[1]["returnedTo"], steps[3]["changeId"], "the state")
        eq(steps[1]["to"], when, "when it was so")
        eq(box.ok("cat", world.path), "one\n", "cat")
        eq(box.ok("recover", world.out.session, "-o", "out").count("exact"),
           1, "recovered")
        with open(os.path.join(box.top, "out", "f.txt"), "rb") as f:
            eq(f.read(), b"one\n", "recovered content")


def test_a_backup_that_is_not_there():
    """The state is not known: what the change left may be gone."""
    with Box() as box:
        world = Backed(box)
        world.out.write(world.path, "one\n")
        world.ids.time(5000)
        world.snapshot(world.back_up(2, None))
        box.start()
        reply = state_now(box, world.path)
        eq(reply["state"]["fidelity"], "unknown", "fidelity")
        assert "backup" in reply["state"]["why"], reply["state"]
        tid = reply["changeId"]
        eq(state_now(box, world.path, tid)["state"]["content"], b"one\n",
           "what the change left")


def test_a_backup_for_another_call():
    """It was made for a call that failed, behind what an agent wrote."""
    with Box() as box:
        world = Backed(box)
        world.out.write(world.path, "one\n")
        agent = Transcript(box, world.ids, cwd=world.cwd, style="new",
                           version="2.1.325", session=world.out.session,
                           agent="a1")
        mine = agent.call("Write", {"file_path": world.path,
                                    "content": "two\n"})
        failed = world.out.call("Edit", {
            "file_path": world.path, "old_string": "x", "new_string": "y"})
        world.snapshot(world.back_up(2, b"two\n"))
        world.out.result(failed, "Error: not found", "not found", error=True)
        agent.result(mine)
        box.start()
        with box.rpc() as rpc:
            before = rpc.call("change.get", change=mine,
                              includeContent=True)["before"]
        eq(before["content"], b"one\n", "what the agent found")


def test_a_file_that_was_removed():
    with Box() as box:
        world = Backed(box)
        world.out.write(world.path, "one\n")
        world.ids.time(5000)
        when = world.snapshot({"backupFileName": None, "version": 2,
                               "backupTime": world.ids.time(10)})
        box.start()
        reply = state_now(box, world.path)
        eq((reply["state"]["exists"], reply["state"]["fidelity"]),
           (False, "exact"), "state")
        eq(box.run("cat", world.path).returncode, 1, "exit of cat")
        done = box.run("recover", world.out.session, "-o", "out")
        eq(done.returncode, 0, "exit of recover")
        assert "the file did not exist any more" in done.stderr, done.stderr
        with open(os.path.join(box.top, "out", "f.txt"), "rb") as f:
            eq(f.read(), b"one\n", "last content")
        with box.rpc() as rpc:
            row, = rpc.call("session.recover",
                            session=world.out.session)["files"]
        assert row["goneSince"] <= when, row


# --- files that only snapshots name ---

def refuse(world):
    """A call that fails: the client backs the file up for it."""
    call = world.out.call("Edit", {"file_path": world.path, "old_string": "x",
                                   "new_string": "y"})
    world.out.result(call, "Error: not found", "not found", error=True)


def test_only_snapshots_name_it():
    """Each backup is a state of the file, with the session that has it."""
    with Box() as box:
        world = Backed(box)
        v1 = world.back_up(1, b"one\n")
        first = world.snapshot(v1)
        world.ids.time(5000)
        v2 = world.back_up(2, b"two\r\n")
        second = world.snapshot(v2)
        world.ids.time(5000)
        between = stamp(world.ids.now)
        world.ids.time(5000)
        last = world.snapshot(v2)
        box.start()
        reply = state_now(box, world.path)
        eq(reply["state"]["content"], b"two\r\n", "content")
        eq((reply["state"]["fidelity"], reply["state"]["knownBy"]),
           ("exact", "backup"), "how it is known")
        eq((reply["changeId"], reply["side"]), (None, None), "change")
        eq((reply["sessionId"], reply["seenBySession"]),
           (world.out.session,) * 2, "session")
        eq((reply["timestamp"], reply["seenAt"]), (last, last), "moment")
        eq(reply["latest"]["sha256"], reply["state"]["sha256"], "latest")
        assert reply["origin"]["directories"], reply
        for when, want in ((first, b"one\n"), (second, b"two\r\n"),
                           (last, b"two\r\n")):
            state = state_now(box, world.path, when)["state"]
            eq((state["content"], state["fidelity"]), (want, "exact"), when)
        state = state_now(box, world.path, between)["state"]
        eq((state["content"], state["fidelity"]), (b"two\r\n", "exact"),
           "a backup that is named before and after")
        refused = box.run("cat", world.path, "--at=2001-01-01T00:00:00Z")
        eq(refused.returncode, 1, "before the first backup")
        assert "before its first backup" in refused.stderr, refused.stderr
        with box.rpc() as rpc:
            steps = rpc.call("file.log", path=world.path)["steps"]
        # There is no such file on this disk.
        eq([s["kind"] for s in steps], ["outside", "backup", "backup"],
           "steps")
        eq([s["timestamp"] for s in steps[1:]],
           [v2["backupTime"], v1["backupTime"]], "moments")
        eq([s["sessionId"] for s in steps[1:]], [world.out.session] * 2,
           "sessions")
        eq((steps[1]["linesAdded"], steps[2]["linesAdded"]), (1, None),
           "lines")
        eq(box.ok("cat", world.path), "two\r\n", "cat")
        assert f"a backup of session {world.out.session[:8]}" in box.ok(
            "log", world.path)
        box.ok("recover", world.out.session, "-o", "out")
        with open(os.path.join(box.top, "out", "f.txt"), "rb") as f:
            eq(f.read(), b"two\r\n", "recovered content")


def test_only_snapshots_name_it_by_session():
    """A session is what its backups show, and the file may be missed."""
    with Box() as box:
        world = Backed(box)
        world.snapshot(world.back_up(1, b"one\n"))
        world.ids.time(5000)
        world.snapshot(world.back_up(2, b"two\n"))
        box.start()
        session = world.out.session
        eq(box.ok("cat", world.path, "--at=" + session), "two\n", "after")
        eq(box.ok("cat", world.path, "--at=before:" + session), "one\n",
           "before")
        with box.rpc() as rpc:
            row, = rpc.call("session.recover", deleted=True)["files"]
        eq((row["path"], row["sessionId"], row["exists"]),
           (world.path, session, False), "row")
        box.ok("recover", "--deleted", "--project=" + world.cwd, "-o", "out")
        with open(os.path.join(box.top, "out", "f.txt"), "rb") as f:
            eq(f.read(), b"two\n", "recovered content")
        eq(box.run("recover", "--deleted", "--project=/elsewhere")
           .returncode, 1, "another project")
        os.makedirs(world.cwd)
        with open(world.path, "wb") as f:
            f.write(b"here\n")
        eq(box.run("recover", "--deleted").returncode, 1, "it is there")


def test_only_snapshots_name_it_and_no_change():
    """What counts changes does not know the file; nor does blame."""
    with Box() as box:
        world = Backed(box)
        world.snapshot(world.back_up(1, b"one\n"))
        refuse(world)
        box.start()
        eq(box.run("blame", world.path).returncode, 1, "blame")
        eq(box.run("list", world.path).returncode, 1, "list")
        other = os.path.join(box.top, "q", "f.txt")
        refused = box.run("cat", other)
        eq(refused.returncode, 1, "a file of the same name elsewhere")
        assert "no session changed it" in refused.stderr, refused.stderr
        os.makedirs(world.cwd)
        eq(box.ok("cat", "f.txt", cwd=world.cwd), "one\n", "cat")
        # The rows are the same when they come from the store.
        box.stop()
        box.start()
        eq(box.ok("cat", world.path), "one\n", "cat, after a restart")


def test_only_snapshots_name_it_and_it_is_gone():
    with Box() as box:
        world = Backed(box)
        kept = world.snapshot(world.back_up(1, b"one\n"))
        world.ids.time(5000)
        gone = {"backupFileName": None, "version": 2,
                "backupTime": world.ids.time(10)}
        when = world.snapshot(gone)
        box.start()
        reply = state_now(box, world.path)
        eq((reply["state"]["exists"], reply["state"]["fidelity"]),
           (False, "exact"), "state")
        eq(reply["seenAt"], when, "moment")
        done = box.run("cat", world.path)
        eq(done.returncode, 1, "exit of cat")
        assert "did not exist" in done.stderr, done.stderr
        with box.rpc() as rpc:
            row, = rpc.call("session.recover",
                            session=world.out.session)["files"]
        eq((row["changeId"], row["sessionId"], row["fidelity"]),
           (None, world.out.session, "exact"), "row")
        assert row["at"] <= kept < row["goneSince"] <= when, row
        box.ok("recover", world.out.session, "-o", "out")
        with open(os.path.join(box.top, "out", "f.txt"), "rb") as f:
            eq(f.read(), b"one\n", "last content")


def test_only_snapshots_name_it_and_the_backup_is_not_there():
    with Box() as box:
        world = Backed(box)
        kept = world.snapshot(world.back_up(1, b"one\n"))
        world.ids.time(5000)
        world.snapshot(world.back_up(2, None))
        box.start()
        state = state_now(box, world.path)["state"]
        eq((state["fidelity"], state["exists"]), ("unknown", None), "state")
        assert "backup" in state["why"], state
        eq(state_now(box, world.path, kept)["state"]["content"], b"one\n",
           "the one before")
        with box.rpc() as rpc:
            row, = rpc.call("session.recover",
                            session=world.out.session)["files"]
        eq(row["fidelity"], "unknown", "recover")
        done = box.run("recover", world.out.session, "-o", "out")
        assert "f.txt: not written" in done.stderr, done.stderr


def test_only_snapshots_name_what_is_restored():
    with Box() as box:
        world = Backed(box)
        kept = world.snapshot(world.back_up(1, b"one\n"))
        world.ids.time(5000)
        world.snapshot(world.back_up(2, b"two\n"))
        os.makedirs(world.cwd)
        with open(world.path, "wb") as f:
            f.write(b"other\n")
        box.start()
        words = ("restore", world.path, f"--at={kept}", "--outside")
        done = box.run(*words, cwd=world.cwd)
        eq(done.returncode, 2, "exit: somebody else wrote the file")
        assert "a backup (session " in done.stderr, done.stderr
        with open(world.path, "wb") as f:
            f.write(b"two\n")
        assert "as a backup shows it" in box.ok(*words, cwd=world.cwd)
        with open(world.path, "rb") as f:
            eq(f.read(), b"one\n", "restored content")


def test_two_sessions_name_it():
    """The last one counts; each recovers what it has seen."""
    with Box() as box:
        first = Backed(box)
        first.snapshot(first.back_up(1, b"one\n"))
        first.ids.time(5000)
        second = Backed(box, first.ids)
        second.snapshot(second.back_up(1, b"two\n"))
        box.start()
        eq(state_now(box, first.path)["seenBySession"], second.out.session,
           "session")
        for world, want in ((first, b"one\n"), (second, b"two\n")):
            out = world.out.session[:8]
            box.ok("recover", world.out.session, "-o", out)
            with open(os.path.join(box.top, out, "f.txt"), "rb") as f:
                eq(f.read(), want, "recovered content")


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        table()
    else:
        harness.main()
