"""Text search against ripgrep, both warm, over the same transcripts."""
import json
import os
import resource
import shutil
import subprocess
import time

# A phrase that some lines have, a word that most have, and one that none has.
PHRASE, WORD, NOWHERE = "value index buffer", "import", "zebraquux"
PLACES = ["text", "thinking", "tool", "result"]
CALLS = ["tool", "result"]
RUNS = 9
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def quickest(run, cpu):
    """Seconds and CPU seconds, each the best of some runs; what it gave."""
    best = [float("inf"), float("inf")]
    for _ in range(RUNS):
        used, began = cpu(), time.monotonic()
        got = run()
        best[0] = min(best[0], time.monotonic() - began)
        best[1] = min(best[1], cpu() - used)
    return *best, got


def rg_argv(box, pattern, *more):
    return ["rg", "-i", "--no-filename", "--no-ignore", "--hidden", *more,
            pattern, box.projects]


def rg(box, pattern, *more):
    wall, cpu, done = quickest(lambda: subprocess.run(
        rg_argv(box, pattern, "-c", *more), capture_output=True, text=True,
        check=False), cpu_of_children)
    return wall, cpu, sum(map(int, done.stdout.split()))


def find(rpc, pattern, places, **more):
    from harness import RpcError
    try:
        return rpc.call("text.search", pattern=pattern, **{"in": places},
                        **more)
    except RpcError as error:
        if error.code != "not-found":
            raise
        return {"totalMatches": 0, "matches": []}


def strings(value):
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else \
            value if isinstance(value, list) else ():
        yield from strings(item)


def said(record):
    """All that a record says, does and was told."""
    if record.get("type") not in ("user", "assistant"):
        return
    content = record["message"]["content"]
    for block in [{"type": "text", "text": content}] \
            if isinstance(content, str) else content:
        if block["type"] in ("text", "thinking"):
            yield block[block["type"]]
        yield from strings(block.get("input"))
        inner = block.get("content")
        yield from [inner] if isinstance(inner, str) else \
            (b.get("text", "") for b in inner or ())


def check_same_lines(box, rpc):
    """Of the lines that rg finds, we find all that say it, and no others."""
    want, others = set(), 0
    with subprocess.Popen(rg_argv(box, PHRASE),
                          stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            record = json.loads(line)
            if any(PHRASE in text.lower() for text in said(record)):
                want.add(record["uuid"])
            else:
                others += 1
    found = find(rpc, PHRASE, PLACES, limit=100000)
    got = {m["messageUuid"] for m in found["matches"]}
    assert want and got == want, (len(got), len(want), len(got ^ want))
    return len(want), others


def rows(table, box):
    if not shutil.which("rg"):
        return
    with box.rpc() as rpc:
        lines, others = check_same_lines(box, rpc)
        table.add("text search, records with the phrase", str(lines),
                  "rg, the same", str(lines), 1,
                  f"{others} lines have it elsewhere")
        for pattern, places, target in (
                (PHRASE, ["text"], "0.2 x"), (WORD, ["text"], "0.2 x"),
                (PHRASE, CALLS, ""), (WORD, CALLS, ""), (NOWHERE, CALLS, ""),
                (PHRASE, PLACES, "")):
            wall, cpu, got = quickest(lambda: find(rpc, pattern, places),
                                      lambda: cpu_of(box.daemon.pid))
            what = f"text search, {'+'.join(places)}, " \
                   f"{got['totalMatches']} texts"
            for more in (["-j1"], []):
                theirs, rg_cpu, count = rg(box, pattern, *more)
                table.add(what, f"{wall * 1e3:.1f} ms" if what else "",
                          " ".join(["rg -c -i", *more, f"({count} lines)"]),
                          f"{theirs * 1e3:.0f} ms", wall / theirs, target)
                what = ""
            table.add("  CPU", f"{cpu * 1e3:.0f} ms", "rg -c -i",
                      f"{rg_cpu * 1e3:.0f} ms", cpu / rg_cpu)
