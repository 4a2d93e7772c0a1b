#!/usr/bin/python3
"""What it costs to observe a project of 50,000 files: CPU and memory when a
session begins, wakeups while nothing happens, CPU and what is cut while a build
writes 10,000 files. CCFC_BIN_DIR says which build.
"""
import glob
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = glob.glob(os.path.join(HERE, "..", "func", "*", ""))
from observing import Observed  # noqa: E402

FILES, PER_DIR, BUILT = 50_000, 50, 10_000
IDLE_S = 5


def status(pid):
    """(CPU seconds, RSS in MiB, times it was woken, of all threads)."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        rss = next(int(row.split()[1]) for row in f if row.startswith("VmRSS"))
    woken = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as f:
            woken += sum(int(row.split()[1]) for row in f
                         if "ctxt_switches" in row)
    return cpu, rss / 1024, woken


def row(what, cpu, rss, more=""):
    print(f"{what:38}{cpu:8.2f} s{rss:9.1f} MiB  {more}")


def main():
    print(f"{'':38}{'CPU':>10}{'memory':>13}")
    with Observed() as box:
        for i in range(FILES):
            box.write(f"d{i // PER_DIR}/f{i % PER_DIR}.c", f"int x{i};\n" * 20)
        pid = box.start().pid
        before = status(pid)
        row("without a session", before[0], before[1])
        box.client()
        now = box.until("watched", lambda o: o["projects"]
                        and not o["reading"])
        begun = status(pid)
        project = now["projects"][0]
        row(f"{FILES} files read", begun[0] - before[0], begun[1],
            f"{project['files']} files, {project['dirs']} directories, "
            f"{now['held'] >> 20} MiB held, cut: {now['cut']}")
        time.sleep(2)  # the last question is over
        idle = status(pid)
        time.sleep(IDLE_S)
        after = status(pid)
        row(f"{IDLE_S} s idle", after[0] - idle[0], after[1],
            f"{after[2] - idle[2]} wakeups")
        subprocess.run(
            ["sh", "-c", f"mkdir out; seq {BUILT} | while read i; do "
             "echo $i > out/$i.o; done"], cwd=box.p, check=True)
        now = box.until("seen", lambda o: o["events"] >= BUILT
                        or o["projects"][0]["cut"])
        built = status(pid)
        row(f"a build of {BUILT} files", built[0] - after[0], built[1],
            f"{now['events']} events, cut: {now['projects'][0]['cut']}, "
            f"{now['keptBytes'] >> 10} KiB kept")
    with Observed("observe-files = 1000\nobserve-dirs = 100\n"
                  "observe-bytes = 64K\n") as box:
        for i in range(5000):
            box.write(f"d{i // PER_DIR}/f{i % PER_DIR}.c", "x\n" * 50)
        pid = box.start().pid
        box.client()
        now = box.until("watched", lambda o: o["projects"]
                        and not o["reading"])
        print("bounds:", *(line.strip() for line in
                           box.ok("status").splitlines()
                           if "bound" in line or "watch" in line), sep="\n  ")


if __name__ == "__main__":
    main()
