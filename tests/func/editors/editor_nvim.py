"""The plugin for Neovim, in a real headless Neovim, against the real daemon
and transcripts that are being written."""
import shutil

import editor_scenes
import harness
from editing import Files
from editor_drivers import Nvim
from harness import Skip


def need():
    if not shutil.which("nvim"):
        raise Skip("no nvim")


def start(world, name):
    """With the ccfc under test."""
    folder = world.box.ccfc.rpartition("/")[0]
    return Nvim(world, world.path(name),
                env={"PATH": f"{folder}:{world.box.env['PATH']}"})


editor_scenes.define(globals(), need, start)


def test_health_and_help():
    need()
    with Files("a") as w:
        w.put("a.c", "one\n")
        with start(w, "a.c") as nvim:
            nvim.ready()
            nvim.ex("checkhealth ccfc")
            text = "\n".join(nvim.lines())
            assert "ERROR" not in text and "connected to" in text, text
            nvim.ex("help :Ccfc")
            assert nvim.value("expand('%:t')") == "ccfc.txt"


if __name__ == "__main__":
    harness.main()
