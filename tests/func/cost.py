#!/usr/bin/python3
"""What it cost: as transcripts record it, once each, and as prices tell."""
import datetime
import glob
import json
import os
from collections import defaultdict

import harness
from corpus import roots, scenarios
from harness import Box, Skip, eq
from transcript import Ids, Transcript

MODEL = "claude-opus-4-8"
CENT = 1e-6  # what sums of doubles may differ by


def near(got, want, what=""):
    if got is None or abs(got - want) > CENT:
        raise AssertionError(f"{what}: {got}, not {want}")


def recorded(folders):
    """Counted without ccfc: the greatest cost of each message, and the
    greatest total of each counter (a fork goes on with its parent's)."""
    messages, totals = defaultdict(float), defaultdict(float)
    for folder in folders:
        for path in glob.glob(f"{folder}/projects/**/*.jsonl",
                              recursive=True):
            with open(path, encoding="utf-8", errors="replace") as f:
                for line in f:
                    try:
                        r = json.loads(line)
                    except ValueError:
                        continue
                    if not isinstance(r, dict):
                        continue
                    if r.get("type") == "cost-state":
                        key = r["startTime"]
                        totals[key] = max(totals[key], r["totalCostUSD"])
                    elif r.get("type") == "assistant":
                        key = r["message"].get("id")
                        messages[key] = max(messages[key],
                                            r.get("costUSD") or 0)
    return sum(messages.values()) + sum(totals.values())


def test_recordings():
    """Every version: old clients' messages, newer ones' totals."""
    versions = defaultdict(list)
    for scenario in scenarios():
        versions[os.path.dirname(scenario)] += roots(scenario)
    some = 0
    for version, folders in versions.items():
        want = recorded(folders)
        some += want > 0
        with Box() as box:
            box.env["CLAUDE_CONFIG_DIR"] = ":".join(folders)
            box.start()
            for by in ("session", "model", "project", "day"):
                got = box.json("stats", "--all", f"--by={by}",
                               "--limit=10000")
                near(got["totals"].get("recordedCostUSD", 0), want, version)
                near(sum(r.get("recordedCostUSD", 0) for r in got["rows"]),
                     want, f"{version}: by {by}")
    if not some:
        raise Skip("no recording has a cost")


class Costs(Box):
    """A session of its own, whose lines are given by minute of a day."""

    def __init__(self):
        super().__init__()
        self.ids = Ids(5)
        self.t = Transcript(self, self.ids)

    def __enter__(self):
        super().__enter__()
        return self

    def prices(self, text):
        path = os.path.join(self.env["XDG_CONFIG_HOME"], "ccfc", "prices")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def totals(self, *args):
        t = self.json("stats", *args)["totals"]
        return (t.get("costUSD"), t.get("recordedCostUSD"),
                t.get("unpricedTokens"))

    def rows(self, *args):
        return {r["key"]: (r.get("costUSD"), r.get("unpricedTokens"))
                for r in self.json("stats", *args)["rows"]}


def at(clock, day="2026-03-28"):
    return f"{day}T{clock}:00.000Z"


def ms(when):
    return int(datetime.datetime.fromisoformat(
        when.replace("Z", "+00:00")).timestamp() * 1000)


def said(t, tokens, when, **more):
    return t.blocks({"type": "text", "text": "ok"}, model=MODEL,
                    usage={"input_tokens": tokens, "output_tokens": 0},
                    timestamp=when, **more)


def total(t, since, dollars, tokens, model=MODEL, **more):
    t.emit({"type": "cost-state", "sessionId": t.session,
            "totalCostUSD": dollars, "startTime": ms(since),
            "modelUsage": {model: {"inputTokens": tokens,
                                   "costUSD": dollars}},
            "hasUnknownModelCost": False, **more})


def test_messages_cost_once():
    """A copy has 0, which is no price; the greatest counts, once."""
    with Costs() as box:
        said(box.t, 100, at("10:00"), mid="msg_a", costUSD=0.5)
        said(box.t, 100, at("10:00"), mid="msg_a", costUSD=0.75)
        said(box.t, 50, at("10:01"), mid="msg_b", costUSD=0)
        copy = Transcript(box, box.ids)
        said(copy, 100, at("10:00"), mid="msg_a", costUSD=0)
        box.start()
        eq(box.totals(), (0.75, 0.75, 50))
        assert "$0.75 recorded; not known for 50 tokens" in box.ok("stats")
        box.prices("* input = 10000\n")
        eq(box.totals(), (1.25, 0.75, 0))
        assert "$0.75 recorded, $0.50 by your prices" in box.ok("stats")
        got = box.json("sql", "SELECT cost_usd FROM usage ORDER BY time")
        eq(got["rows"], [[0.75], [None]])


def test_a_total_pays_for_its_messages():
    """Also where they have costs of their own, and after a resume; not for
    those before the client began to count, nor after its last word."""
    with Costs() as box:
        said(box.t, 1, at("09:00"))
        said(box.t, 10, at("10:00"), costUSD=7.0)
        total(box.t, at("09:30"), 1.0, 10)
        said(box.t, 20, at("11:00"))
        total(box.t, at("09:30"), 3.0, 30)
        total(box.t, at("09:30"), 3.0, 30)
        said(box.t, 400, at("12:00"))
        box.start()
        eq(box.totals(), (3.0, 3.0, 401))
        eq(box.rows("--by=hour"), {
            "2026-03-28 09:00": (None, 1), "2026-03-28 10:00": (1.0, 0),
            "2026-03-28 11:00": (2.0, 0), "2026-03-28 12:00": (None, 400)})
        box.prices("* input = 10000\n")
        eq(box.totals(), (7.01, 3.0, 0))
        box.restart()
        eq(box.totals(), (7.01, 3.0, 0))


def test_a_total_over_midnight():
    """Which day cost what is not known: no row guesses, prices tell."""
    with Costs() as box:
        said(box.t, 100, at("23:00"))
        said(box.t, 200, at("01:00", "2026-03-29"))
        total(box.t, at("22:00"), 9.0, 300)
        box.start()
        eq(box.totals(), (9.0, 9.0, 0))
        eq(box.rows("--by=day", "--tz=UTC"),
           {"2026-03-28": (None, 100), "2026-03-29": (None, 200)})
        eq(box.rows("--by=week"), {"2026-03-23": (9.0, 0)})
        eq(box.rows("--by=block"), {"2026-03-28 23:00": (9.0, 0)})
        eq(box.totals("--to=2026-03-28", "--tz=UTC"), (None, None, None))
        text = box.ok("stats", "--by=day")
        assert "COST" in text and "  -     0 " in text, text
        box.prices("* input = 10000\n")
        eq(box.rows("--by=day"),
           {"2026-03-28": (1.0, 0), "2026-03-29": (2.0, 0)})
        eq(box.totals(), (9.0, 9.0, 0))
        eq(box.totals("--to=2026-03-28"), (1.0, None, 0))


def test_forks_and_rivals():
    """A fork's total begins with its parent's; two clients of one session do
    not know of each other."""
    with Costs() as box:
        said(box.t, 100, at("10:00"), mid="msg_1")
        total(box.t, at("09:00"), 1.0, 100)
        fork = Transcript(box, box.ids)
        said(fork, 100, at("10:00"), mid="msg_1")
        said(fork, 300, at("10:10"), mid="msg_2")
        said(box.t, 200, at("10:20"), mid="msg_3")
        total(box.t, at("09:00"), 3.0, 300)
        total(fork, at("09:00"), 4.0, 400)
        rivals = Transcript(box, box.ids)
        said(rivals, 50, at("10:00"))
        said(rivals, 50, at("10:01"))
        total(rivals, at("09:01"), 0.5, 50)
        said(rivals, 7, at("10:02"))
        total(rivals, at("09:01"), 0.5, 50)
        box.start()
        eq(box.rows("--by=session"), {
            box.t.session: (3.0, 0), fork.session: (3.0, 0),
            rivals.session: (0.5, 57)})


def test_models_and_agents():
    """By model as recorded, also of models that no message names; by agent
    it is not known."""
    with Costs() as box:
        said(box.t, 100, at("10:00"))
        agent = Transcript(box, box.ids, session=box.t.session,
                           agent="a1b2c3d")
        said(agent, 20, at("10:01"))
        box.t.prompt("well", timestamp=at("10:02"))
        box.t.emit({
            "type": "cost-state", "sessionId": box.t.session,
            "totalCostUSD": 6.0, "startTime": ms(at("09:00")),
            "modelUsage": {MODEL + "[1m]": {"inputTokens": 120,
                                            "costUSD": 4.0},
                           "claude-haiku-4-5": {"outputTokens": 9,
                                                "costUSD": 1.5}},
            "hasUnknownModelCost": True})
        box.start()
        eq(box.rows("--by=model"), {MODEL: (4.0, 0), "unknown": (0.5, 0),
                                    "claude-haiku-4-5": (1.5, 0)})
        eq(box.rows("--by=agent"), {"main": (None, 100),
                                    "a1b2c3d": (None, 20)})
        got = box.json("stats")
        eq((got["totals"]["costUSD"], got["totals"]["costUnsure"]),
           (6.0, True))
        assert "~$6.00 recorded" in box.ok("stats", "--by=day")
        eq(box.json("sql", "SELECT model, cost_usd, tokens, unsure FROM costs"
                    " ORDER BY cost_usd")["rows"],
           [[None, 0.5, 0, 1], ["claude-haiku-4-5", 1.5, 9, 1],
            [MODEL, 4.0, 120, 1]])


def test_nonsense():
    """Bad numbers are no numbers."""
    with Costs() as box:
        said(box.t, 100, at("10:00"), costUSD="1.0")
        said(box.t, 100, at("10:01"), costUSD=-3)
        said(box.t, 100, at("10:02"), costUSD=1e300)
        box.t.emit({"type": "cost-state", "sessionId": box.t.session,
                    "totalCostUSD": -1, "modelUsage": [1, {}],
                    "startTime": "x"})
        box.t.emit({"type": "cost-state", "sessionId": box.t.session,
                    "totalCostUSD": {}, "modelUsage": {"a": 5, "b": {}}})
        box.start()
        eq(box.totals(), (None, None, None))


if __name__ == "__main__":
    harness.main()
