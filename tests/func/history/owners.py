"""Who owns each line, worked out from the texts after each step: the truth
that blame is held against. Shares nothing with ccfc.

A step keeps a longest common subsequence of the lines. Where there are
several, as with repeated or blank lines, a line has every owner that one of
them gives it, and is ambiguous if these are more than one. A change that
takes a line away and puts the same one down elsewhere may have moved it. A text
that comes back as a whole has the owners that it had.
"""
import difflib

# Lines around what differs that a block of changes could slide over.
MARGIN = 40
# Comparisons of lines in one step: beyond, its lines may have any owner.
MOST = 2_000_000
ANY = "*"


def split(data):
    """Lines with their newlines, whatever the line endings."""
    if data is None:
        return []
    if data.startswith(b"\xff\xfe"):
        data = data.decode("utf-16-le").encode()
    parts = data.replace(b"\r\n", b"\n").split(b"\n")
    lines = [p + b"\n" for p in parts[:-1]]
    return lines + [parts[-1]] if parts[-1] else lines


def table(a, b):
    """lengths[i][j] of a longest common subsequence of a[i:], b[j:]."""
    rows = [[0] * (len(b) + 1)]
    for x in reversed(a):
        below, row = rows[-1], [0]
        for j in range(len(b) - 1, -1, -1):
            row.append(below[j + 1] + 1 if x == b[j]
                       else max(below[j], row[-1]))
        row.reverse()
        rows.append(row)
    rows.reverse()
    return rows


def alignments(a, b):
    """For each line of b: the lines of a that it may be, and whether it may
    be new; for each line of a whether it may be gone."""
    tail = table(a, b)
    head = table(a[::-1], b[::-1])
    best = tail[0][0]
    n, m = len(a), len(b)
    same = [set() for _ in b]
    fresh = [False] * m
    gone = [False] * n
    for i in range(n + 1):
        before = head[n - i]
        for j in range(m + 1):
            done = before[m - j]
            if i < n and j < m and a[i] == b[j] \
                    and done + 1 + tail[i + 1][j + 1] == best:
                same[j].add(i)
            if j < m and done + tail[i][j + 1] == best:
                fresh[j] = True
            if i < n and done + tail[i + 1][j] == best:
                gone[i] = True
    return same, fresh, gone


def middle(a, b):
    """(first, end in a, end in b) of what differs, with its margin."""
    n = min(len(a), len(b))
    first = next((i for i in range(n) if a[i] != b[i]), n)
    last = next((i for i in range(n - first) if a[-1 - i] != b[-1 - i]),
                n - first)
    first = max(0, first - MARGIN)
    last = max(0, last - MARGIN)
    return first, len(a) - last, len(b) - last


class Lines:
    """A file's lines, each with the set of owners that it may have."""

    def __init__(self, text=(), owner=None):
        self.text = list(text)
        self.owners = [{owner} for _ in self.text]
        self.past = {}  # text → owners, as it was last

    def again(self, text, owners):
        """To a text that somebody else put there: an earlier one, maybe."""
        text = list(text)
        if text != self.text and text and tuple(text) in self.past:
            self.text = text
            self.owners = list(self.past[tuple(text)])
        else:
            self.step(text, owners)

    def step(self, text, owners, moves=False, patch=None):
        """To another text; new lines may be of any of `owners`. patch: the
        alignment that the client showed, where it is not a longest one."""
        a, b = self.text, list(text)
        if a == b:
            return
        self.past[tuple(a)] = list(self.owners)
        first, enda, endb = middle(a, b)
        old, new = a[first:enda], b[first:endb]
        if len(old) * len(new) > MOST:
            found = [set(owners) | {ANY} for _ in new]
        else:
            found = self.match(old, new, first, set(owners), moves)
        if patch:
            self.shown(found, a, b, first, set(owners), patch)
        self.owners[first:enda] = found
        self.text = b
        self.past[tuple(b)] = list(self.owners)

    def match(self, old, new, first, owners, moves):
        same, fresh, gone = alignments(old, new)
        found = []
        for j, line in enumerate(new):
            may = set().union(*(self.owners[first + i] for i in same[j]))
            if fresh[j]:
                may |= owners
                for i, other in enumerate(old):
                    if moves and gone[i] and other == line:
                        may |= self.owners[first + i]
            found.append(may)
        return found

    def shown(self, found, a, b, first, owners, patch):
        """Adds what another alignment gives."""
        kept = {j + k: i + k for i, j, n in patch(a, b) for k in range(n)}
        gone = {}
        for i in set(range(len(a))) - set(kept.values()):
            gone.setdefault(a[i], set()).update(self.owners[i])
        for k, may in enumerate(found):
            if first + k in kept:
                may |= self.owners[kept[first + k]]
            else:
                may |= owners | gone.get(b[first + k], set())


def blocks(a, b):
    """Matching blocks as difflib finds them, which need not be the most."""
    return difflib.SequenceMatcher(
        None, a, b, autojunk=False).get_matching_blocks()
