"""Packages from npm, for tests that are run with `tests/run --npm` only. They
are installed once into build-npm/page; where npm or its registry cannot be reached,
the test is skipped."""
import os
import shutil
import subprocess

import harness

PLACE = os.path.join(harness.TOP, "build-npm", "page")


def need(*packages):
    """Installs name@version each; the folder node_modules."""
    if not os.environ.get("CCFC_NPM"):
        raise harness.Skip("only with tests/run --npm")
    if not shutil.which("npm") or not shutil.which("node"):
        raise harness.Skip("npm is not installed")
    modules = os.path.join(PLACE, "node_modules")
    missing = [p for p in packages if not os.path.isdir(
        os.path.join(modules, p.rpartition("@")[0]))]
    if missing:
        os.makedirs(PLACE, exist_ok=True)
        done = subprocess.run(
            ["npm", "install", "--prefix", PLACE, "--ignore-scripts",
             "--no-audit", "--no-fund", *missing],
            capture_output=True, text=True, check=False, cwd=PLACE)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["?"])[-1]
            raise harness.Skip(f"npm cannot install {missing}: {last}")
    return modules
