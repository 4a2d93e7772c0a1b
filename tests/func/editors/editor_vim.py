"""The plugin for Vim, in a real Vim on a terminal, against the real daemon and
transcripts that are being written."""
import shutil
import subprocess

import editor_scenes
import harness
from editing import PLUGINS, Files
from editor_drivers import Vim
from harness import Skip, eq


def need():
    if not shutil.which("vim"):
        raise Skip("no vim")
    said = subprocess.run(["vim", "--version"], capture_output=True,
                          check=False).stdout.decode()
    if "+channel" not in said or "Vi IMproved 9" not in said:
        raise Skip("vim is not version 9 with +channel")


def start(world, name):
    """With the ccfc under test."""
    folder = world.box.ccfc.rpartition("/")[0]
    return Vim(world, world.path(name),
               env={"PATH": f"{folder}:{world.box.env['PATH']}"})


editor_scenes.define(globals(), need, start)


def test_neovim_passes_over_it():
    if not shutil.which("nvim"):
        raise Skip("no nvim")
    with Files("a") as w:
        done = subprocess.run(
            ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c",
             f"source {PLUGINS}/vim/plugin/ccfc.vim",
             "-c", "echo exists(':Ccfc')", "-c", "qa!"], env=w.box.env,
            cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True,
            check=False)
        eq(done.stderr.decode().strip(), "0", "no command, no error")


if __name__ == "__main__":
    harness.main()
