"""The recordings of the client and random worlds are indexed and asked about;
then everything below the Claude directories goes, and the same is asked again:
at once, after a restart, after a rebuild, and after the index itself was lost.
"""
import os
import shutil

import harness
from archive import BY_DISCOVERY, answers, kept, same
from harness import Box, append, eq
from property import World
from recordings import looks

SOAK = os.environ.get("CCFC_SOAK")


def remove(roots):
    for root in roots:
        for name in ("projects", "file-history"):
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)
        os.makedirs(os.path.join(root, "projects"))


def gone(box, want, share=False):
    """Removes all; the answers must stay. In each of the states all is asked,
    or each question in one of them (`share`): most of the time of these tests
    goes into asking."""
    def again(state, when, skip=()):
        got = answers(box, state if share else None)
        if not share:
            eq(sorted(got), sorted(want), f"{when}: the questions")
        same(got, want, when, skip)
        asked.update(got)

    asked = set()
    dump = box.ok("index", "--dump")
    kept(box)
    remove(box.roots or [box.claude])
    again(0, "deleted")
    box.restart()
    again(1, "after a restart")
    box.ok("index", "--build")
    again(2, "after a rebuild")
    eq(box.ok("index", "--dump"), dump, "the dump")
    box.stop()
    os.remove(os.path.join(box.state, "index.db"))
    box.start()
    eq(box.ok("index", "--dump"), dump, "the dump without the index")
    again(3, "without the index", BY_DISCOVERY)
    eq(sorted(asked), sorted(want), "the questions")


def test_recordings():
    for box, _ in looks("disk"):
        gone(box, answers(box), share=True)


def test_random_worlds():
    for seed in range(4):
        with Box() as box:
            world = World(2000 + seed)
            for t in world.made:
                path = os.path.join(box.claude,
                                    os.path.relpath(t.path, "/claude"))
                append(path, b"".join(t.lines))
            box.start()
            gone(box, answers(box), share=seed and not SOAK)


if __name__ == "__main__":
    harness.main()
