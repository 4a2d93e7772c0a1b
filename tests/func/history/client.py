"""How the client changes a file and what it writes about it: results with
their patches, backups and snapshots, in the styles of several ages. Used by
madeup.py, which keeps the disk.
"""
import difflib
import hashlib
import json
import re

from transcript import Transcript, line

BIG = 10_000


class Fail(Exception):
    """The tool refuses; the text is what the client says."""


class Style:
    """What a client of some age writes."""

    def __init__(self, version, keys, *, multi=False, write_original=True,
                 leaves_out=False, agent=None, backups=None, curly=False,
                 keeps_crlf=True, notebooks=False, notes_hooks=False):
        self.version = version
        self.keys = keys
        self.multi = multi                    # MultiEdit
        self.write_original = write_original  # originalFile of a Write
        self.leaves_out = leaves_out          # originalFile of big files
        self.agent = agent                    # None, "detail", "bare"
        self.backups = backups                # None, "whole", "delta"
        self.curly = curly                    # curly quotes stay curly
        self.keeps_crlf = keeps_crlf          # a Write over CRLF
        self.notebooks = notebooks            # the whole file in the result
        self.notes_hooks = notes_hooks        # what a hook changed


STYLES = [
    Style("1.0.128", "old", multi=True, write_original=False),
    Style("2.0.60", "old", agent="detail", backups="whole"),
    Style("2.1.325", "new", leaves_out=True, agent="bare", backups="delta",
          curly=True, keeps_crlf=False, notebooks=True, notes_hooks=True),
]


def units(text):
    """Length as the client counts it."""
    return len(text.encode("utf-16-le")) // 2


def decode(data):
    """(text as the client sees it, does the file have CRLF)."""
    text = data.decode()
    return text.replace("\r\n", "\n"), "\r\n" in text


def encode(text, crlf):
    return (text.replace("\n", "\r\n") if crlf else text).encode()


def lines_of(text):
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def fold(text):
    return re.sub(r"^\t+", lambda m: "  " * len(m[0]), text, flags=re.M)


def marked(mark, one):
    if one.endswith("\n"):
        return [mark + one[:-1]]
    return [mark + one, "\\ No newline at end of file"]


def structured_patch(before, after):
    """Hunks with three lines of context; leading tabs shown as spaces."""
    a, b = lines_of(fold(before)), lines_of(fold(after))
    match = difflib.SequenceMatcher(None, a, b, autojunk=False)
    hunks = []
    for group in match.get_grouped_opcodes(3):
        if all(op[0] == "equal" for op in group):
            continue
        i, j = group[0][1], group[0][3]
        body = []
        for op, i1, i2, j1, j2 in group:
            if op == "equal":
                body += [x for one in a[i1:i2] for x in marked(" ", one)]
                continue
            body += [x for one in a[i1:i2] for x in marked("-", one)]
            body += [x for one in b[j1:j2] for x in marked("+", one)]
        hunks.append({"oldStart": i + 1, "oldLines": group[-1][2] - i,
                      "newStart": j + 1, "newLines": group[-1][4] - j,
                      "lines": body})
    return hunks


def straight(text):
    return text.replace("“", '"').replace("”", '"')


def curled(text):
    """Straight double quotes as the newer client turns them."""
    return re.sub(
        r'"', lambda m: "“" if m.start() == 0
        or text[m.start() - 1] in " \t\n\r([{—–" else "”", text)


def replaced(text, old, new, every):
    """The client's own way to replace."""
    if old == "":
        if text:
            raise Fail("Cannot create new file - file already exists.")
        return new
    if new == "" and not old.endswith("\n") and old + "\n" in text:
        old += "\n"
    return text.replace(old, new, -1 if every else 1)


def matched(text, old, new, every, curly):
    """(old as it stands in the file, new as it will be written)."""
    if old == new:
        raise Fail("No changes to make: old_string and new_string are "
                   "exactly the same.")
    actual = old
    if old not in text and straight(old) in straight(text):
        at = straight(text).index(straight(old))
        actual = text[at:at + len(old)]
        if curly and re.search("[“”]", actual):
            new = curled(new)
    if actual not in text:
        raise Fail("String to replace not found in file.")
    if actual and text.count(actual) > 1 and not every:
        raise Fail(f"Found {text.count(actual)} matches of the string to "
                   "replace, but replace_all is false.")
    return actual, new


class Writer:
    """A session's or an agent's transcript and the client's backups."""

    def __init__(self, world, style, session=None, agent=None, path=None):
        self.world, self.style = world, style
        self.out = Transcript(
            world, world.ids, session=session, agent=agent, path=path,
            project=world.folder, cwd=world.cwd, style=style.keys,
            version=style.version)
        self.out.live = False
        self.bare = bool(agent) and style.agent == "bare"
        self.backs_up = (style.backups and not agent
                         and world.random.random() < 0.5)
        self.formats = world.random.random() < 0.15
        self.tracked = {}  # path → [version, bytes or None, backup map]
        self.turns = []    # `tracked` at each prompt
        self.first = {}    # path → as the first version has it
        self.turn = None

    def prompt(self):
        self.out.prompt("go on")
        self.turn = self.out.parent
        if self.backs_up:
            for path in self.tracked:
                self.back_up(path)
            self.snapshot(self.turn, False)
            self.turns.append(dict(self.tracked))

    def go_back(self, turn):
        """To what was tracked then: path → bytes that the file gets."""
        then = self.turns[turn]
        files = {path: then[path][1] if path in then else self.first[path]
                 for path in self.tracked}
        self.tracked = dict(then)
        del self.turns[turn + 1:]
        return files

    def resume(self, kind):
        """Goes on in a copy of the transcript, as another session.

        anew: other uuids and times, no details; again: other times; fork:
        all the same.
        """
        old = self.out
        self.out = Transcript(
            self.world, self.world.ids, project=self.world.folder,
            cwd=self.world.cwd, style=self.style.keys,
            version=self.style.version)
        self.out.live = False
        self.out.parent = old.parent
        self.backs_up, self.tracked, self.turns = False, {}, []
        for data in old.lines:
            record = json.loads(data)
            if "sessionId" not in record:
                continue
            record["sessionId"] = self.out.session
            if kind != "fork":
                record["timestamp"] = self.world.ids.time(1)
            if kind == "anew":
                record["uuid"] = self.world.ids.uuid()
                record.pop("toolUseResult", None)
            self.out.emit(record)
        # What only one of two has tells which was first.
        old.prompt("go on here")
        self.out.prompt("go on there")

    def key(self, path):
        below = self.world.cwd + "/"
        return path[len(below):] if path.startswith(below) else path

    def back_up(self, path):
        data = self.world.disk[path]
        last = self.tracked.get(path)
        if last and last[1] == data:
            return
        version = last[0] + 1 if last else 1
        self.first.setdefault(path, data)
        name = None
        if data is not None:
            name = (hashlib.sha256(path.encode()).hexdigest()[:16]
                    + f"@v{version}")
            self.world.backups[f"file-history/{self.out.session}/{name}"] = \
                (data, self.world.ids.now)
        self.tracked[path] = [version, data, {
            "backupFileName": name, "version": version,
            "backupTime": self.world.ids.time(1)}]

    def snapshot(self, message, update):
        """An update is of the time of the prompt's snapshot."""
        tracked = {self.key(p): t[2] for p, t in self.tracked.items()}
        if not update:
            self.told = self.world.ids.time(1)
        self.out.lines.append(line({
            "type": "file-history-snapshot", "messageId": message,
            "snapshot": {"messageId": self.turn, "trackedFileBackups": tracked,
                         "timestamp": self.told},
            "isSnapshotUpdate": update}))

    def before_edit(self, path):
        if not self.backs_up or path in self.tracked:
            return
        self.back_up(path)
        if self.style.backups == "whole":
            self.snapshot(self.out.parent, True)
            return
        self.out.lines.append(line({
            "type": "file-history-delta", "messageId": self.out.parent,
            "snapshotMessageId": self.turn, "trackingPath": self.key(path),
            "backup": self.tracked[path][2],
            "timestamp": self.world.ids.time(1)}))


class Op:
    """A call that was made; its effect comes with finish()."""

    def __init__(self, writer, path, tool, given, every=False):
        self.writer, self.path, self.tool = writer, path, tool
        self.given, self.every = given, every
        self.id = writer.out.call(tool, given)
        self.start = writer.world.ids.now
        self.event = None

    def text(self):
        data = self.writer.world.disk[self.path]
        return decode(data) if data is not None else ("", False)

    def original(self, text):
        """originalFile of a result."""
        if self.writer.style.leaves_out and units(text) > BIG:
            return None
        return text

    def finish(self):
        """(bytes after, detail of the result, flags of the event)."""
        return getattr(self, "do_" + self.tool)()

    def do_Edit(self):
        style = self.writer.style
        text, crlf = self.text()
        old, proposed = self.given["old_string"], self.given["new_string"]
        actual, new = matched(text, old, proposed, self.every, style.curly)
        after = replaced(text, actual, new, self.every)
        original = self.original(text)
        detail = {"filePath": self.given["file_path"], "oldString": actual,
                  "newString": proposed, "originalFile": original,
                  "structuredPatch": structured_patch(text, after),
                  "userModified": False, "replaceAll": self.every}
        # An empty original is that of a new file, too.
        flags = {"proves_before": bool(original), "empty": not text,
                 "proves_after": original is not None,
                 "replays": actual == old and new == proposed
                 or not self.writer.bare}
        return encode(after, crlf), detail, flags

    def do_MultiEdit(self):
        text, crlf = self.text()
        after = text
        for edit in self.given["edits"]:
            every = edit.get("replace_all", False)
            actual, new = matched(after, edit["old_string"],
                                  edit["new_string"], every, False)
            after = replaced(after, actual, new, every)
        edits = [{"replace_all": False, **e} for e in self.given["edits"]]
        detail = {"filePath": self.given["file_path"], "edits": edits,
                  "originalFileContents": text,
                  "structuredPatch": structured_patch(text, after),
                  "userModified": False}
        return encode(after, crlf), detail, {
            "proves_before": bool(text), "proves_after": True,
            "empty": not text}

    def do_Write(self):
        style = self.writer.style
        text, crlf = self.text()
        after = self.given["content"]
        # To fill an empty file is to create it, for the client.
        fresh = not text
        original = None if fresh else self.original(text)
        detail = {"type": "create" if fresh else "update",
                  "filePath": self.given["file_path"], "content": after,
                  "structuredPatch": [] if fresh
                  else structured_patch(text, after)}
        if style.write_original:
            detail["originalFile"] = original
        return encode(after, crlf and style.keeps_crlf), detail, {
            "proves_before": fresh or (style.write_original
                                       and original is not None),
            "proves_after": True, "empty": fresh}

    def do_NotebookEdit(self):
        text, _ = self.text()
        try:
            book = json.loads(text)
            at = [c["id"] for c in book["cells"]].index(self.given["cell_id"])
        except (ValueError, KeyError, TypeError):
            raise Fail("Cell with ID not found in notebook.") from None
        mode = self.given["edit_mode"]
        self.edit_cells(book["cells"], at, mode)
        after = json.dumps(book, indent=1, ensure_ascii=False)
        detail = {"new_source": self.given["new_source"],
                  "cell_type": self.given["cell_type"], "language": "python",
                  "edit_mode": mode, "cell_id": self.given["cell_id"],
                  "error": "", "notebook_path": self.path,
                  "original_file": text, "updated_file": after}
        return after.encode(), detail, {
            "proves_before": True, "proves_after": True, "replays": False}

    def edit_cells(self, cells, at, mode):
        if mode == "delete":
            del cells[at]
        elif mode == "insert":
            fresh = f"{self.writer.world.random.getrandbits(32):08x}"
            cells.insert(at + 1, {"cell_type": "markdown", "id": fresh,
                                  "source": self.given["new_source"],
                                  "metadata": {}})
        else:
            cells[at]["source"] = self.given["new_source"]
            if cells[at]["cell_type"] == "code":
                cells[at]["execution_count"] = None
                cells[at]["outputs"] = []
