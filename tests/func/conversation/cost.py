"""What it cost: as transcripts record it, once each, and as prices tell."""
import datetime
import glob
import json
import os
import random
from collections import defaultdict

import harness
from archive import kept
from corpus import roots, scenarios
from harness import Box, Skip, eq
from transcript import Ids, Transcript, stamp

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
        assert "COST" in text and "  -     +0 -0 " in text, text
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


def test_a_fork_between():
    """The session goes on after it was forked: what both have counts for the
    fork, whose own lines are older, and was paid by the session's client."""
    with Costs() as box:
        box.t.prompt("first", timestamp=at("09:59"))
        said(box.t, 100, at("10:00"), mid="msg_1")
        fork = Transcript(box, box.ids)
        for data in box.t.lines:
            fork.emit({**json.loads(data), "sessionId": fork.session})
        total(box.t, at("09:00"), 1.0, 100)
        fork.prompt("aside", timestamp=at("10:10"))
        said(fork, 300, at("10:11"))
        total(fork, at("09:00"), 4.0, 400)
        box.t.prompt("on", timestamp=at("10:20"))
        said(box.t, 200, at("10:21"))
        total(box.t, at("09:00"), 3.0, 300)
        box.start()
        eq(box.totals(), (6.0, 6.0, 0))
        eq(box.rows("--by=hour"), {"2026-03-28 10:00": (6.0, 0)})
        eq(box.rows("--by=session"), {
            box.t.session: (2.0, 0), fork.session: (3.0, 100)})
        eq(box.totals(fork.session), (3.0, 3.0, 100))
        box.prices("* input = 10000\n")
        eq(box.totals(), (6.0, 6.0, 0))
        eq(box.totals(fork.session), (4.0, 3.0, 0))


def test_a_client_within_the_time_of_another():
    """The second began later and ended before; each has its own counter."""
    with Costs() as box:
        said(box.t, 100, at("10:00"))
        said(box.t, 20, at("10:15"))
        said(box.t, 3, at("10:16"), mid="msg_first")
        total(box.t, at("10:10"), 0.2, 20)
        said(box.t, 400, at("10:30"))
        total(box.t, at("09:00"), 5.03, 503)
        box.start()
        eq(box.totals(), (5.23, 5.23, 0))
        box.prices("* input = 10000\n")
        eq(box.totals(), (5.23, 5.23, 0))


def test_fewer_counted_than_said():
    """Tokens of one model are not paid by what another one cost."""
    with Costs() as box:
        said(box.t, 100, at("10:00"))
        box.t.emit({
            "type": "cost-state", "sessionId": box.t.session,
            "totalCostUSD": 1.1, "startTime": ms(at("09:00")),
            "modelUsage": {MODEL: {"inputTokens": 40, "costUSD": 0.4},
                           "claude-haiku-4-5": {"inputTokens": 70,
                                                "costUSD": 0.7}}})
        box.start()
        eq(box.totals(), (1.1, 1.1, 60))
        eq(box.rows("--by=model"), {MODEL: (0.4, 60),
                                    "claude-haiku-4-5": (0.7, 0)})


def test_kept_as_other_rows():
    """After the transcript is gone, a rebuild, a move to another machine;
    not after it is forgotten."""
    def rows(who, query):
        done = who.run("sql", query, "--format=json")
        if done.returncode == 1:
            return []
        return json.loads(done.stdout)["rows"]

    def answers(who):
        return (who.json("stats", "--all", "--by=session")["totals"]
                .get("recordedCostUSD"),
                rows(who, "SELECT session_id, cost_usd, tokens FROM costs "
                     "ORDER BY cost_usd"),
                rows(who, "SELECT cost_usd FROM usage WHERE cost_usd "
                     "IS NOT NULL ORDER BY cost_usd"))

    with Costs() as box, Box() as other:
        box.t.prompt("first", timestamp=at("09:59"))
        said(box.t, 100, at("10:00"))
        total(box.t, at("09:00"), 1.0, 100)
        old = Transcript(box, box.ids)
        old.prompt("old", timestamp=at("08:59"))
        said(old, 50, at("09:00"), costUSD=0.25)
        box.start()
        want = answers(box)
        eq(want, (1.25, [[box.t.session, 1.0, 100]], [[0.25]]))
        kept(box)
        os.remove(box.t.path)
        os.remove(old.path)
        box.restart()
        eq(answers(box), want, "without transcripts")
        box.ok("index", "--build")
        eq(answers(box), want, "rebuilt")
        box.ok("export", "--all", os.path.join(box.top, "all"))
        other.start()
        other.ok("import", os.path.join(box.top, "all"))
        eq(answers(other), want, "imported")
        other.ok("import", os.path.join(box.top, "all"))
        eq(answers(other), want, "imported twice")
        box.ok("forget", box.t.session, "--yes")
        eq(answers(box), (0.25, [], [[0.25]]), "forgotten")
        box.restart()
        eq(answers(box), (0.25, [], [[0.25]]), "forgotten, restarted")


class Client:
    """A client at work in a session. What it counts goes on from the last
    total that its transcript has."""

    def __init__(self, world, story):
        self.story = story
        self.since, self.spent = world.now, {}
        if story["totals"]:
            self.since, spent = story["totals"][-1]
            self.spent = dict(spent)
        self.before = sum(self.spent.values())


class Spending:
    """Random sessions in which every token costs the same, PRICE dollars:
    then what is known of the cost, and the tokens whose cost is not known,
    make up all tokens, in every row, whatever the rows are of."""

    PRICE = 0.01
    MODELS = (MODEL, "claude-haiku-4-5")

    def __init__(self, box, seed, crowded):
        self.box, self.ids, self.crowded = box, box.ids, crowded
        self.random = random.Random(seed)
        self.now = ms(at("20:00"))
        self.stories, self.clients = [], []
        self.tokens = self.paid = 0
        self.begin()
        for _ in range(60):
            self.random.choice((self.say, self.say, self.say, self.end,
                                self.crash, self.begin, self.resume,
                                self.fork))()
        for client in list(self.clients):
            if self.random.random() < 0.7:
                self.leave(client)

    def later(self):
        self.now += self.random.choice((1, 1000, 60_000, 3_600_000))
        return stamp(self.now)

    def story(self):
        t = Transcript(self.box, self.ids, cwd="/home/dev/"
                       + self.random.choice("pq"))
        return {"t": t, "totals": []}

    def enter(self, story):
        self.clients.append(Client(self, story))

    def begin(self):
        self.later()
        self.stories.append(self.story())
        self.stories[-1]["t"].prompt(timestamp=self.later())
        self.enter(self.stories[-1])

    def resume(self):
        """In a crowd also while another client is at work in it."""
        story = self.random.choice(self.stories)
        if self.crowded or all(c.story is not story for c in self.clients):
            self.later()
            self.enter(story)

    def fork(self):
        """The copy has the same lines, with a cost of 0, and goes on."""
        parent, story = self.random.choice(self.stories), self.story()
        for data in parent["t"].lines:
            record = json.loads(data)
            if record["type"] == "cost-state":
                continue
            record["sessionId"] = story["t"].session
            if "costUSD" in record:
                record["costUSD"] = 0
            story["t"].emit(record)
        story["totals"] = list(parent["totals"])
        self.stories.append(story)
        story["t"].prompt(timestamp=self.later())
        self.enter(story)

    def put(self, story, message, agent=None):
        t = story["t"]
        if agent:
            t = Transcript(self.box, self.ids, session=t.session, cwd=t.cwd,
                           agent=agent)
        t.blocks({"type": "text", "text": "ok"}, **message)

    def say(self):
        """Some messages have a cost of their own, as old clients wrote."""
        if not self.clients:
            return
        client = self.random.choice(self.clients)
        model, n = self.random.choice(self.MODELS), self.random.randint(1, 99)
        message = {"model": model, "mid": "msg_" + self.ids.uuid(),
                   "usage": {"input_tokens": n, "output_tokens": 0},
                   "timestamp": self.later()}
        if self.random.random() < 0.2:
            message["costUSD"] = n * self.PRICE
        agent = self.random.random() < 0.2
        self.put(client.story, message,
                 f"a{self.random.getrandbits(28):07x}" if agent else None)
        if agent:
            client.story["t"].prompt("it says", timestamp=self.later())
        client.spent[model] = client.spent.get(model, 0) + n
        self.tokens += n

    def leave(self, client):
        self.clients.remove(client)
        if not client.spent:
            return
        self.paid += sum(client.spent.values()) - client.before
        client.story["totals"].append((client.since, dict(client.spent)))
        t = client.story["t"]
        t.emit({"type": "cost-state", "sessionId": t.session,
                "totalCostUSD": sum(client.spent.values()) * self.PRICE,
                "startTime": client.since, "hasUnknownModelCost": False,
                "modelUsage": {m: {"inputTokens": n,
                                   "costUSD": n * self.PRICE}
                               for m, n in client.spent.items()}})

    def end(self):
        if self.clients:
            self.leave(self.random.choice(self.clients))

    def crash(self):
        if self.clients:
            self.clients.remove(self.random.choice(self.clients))

    def days(self):
        """From the first to the last."""
        first, last = (datetime.datetime.fromtimestamp(
            when / 1000, datetime.timezone.utc).date()
            for when in (ms(at("20:00")), self.now))
        while first <= last:
            yield first.isoformat()
            first += datetime.timedelta(days=1)

    def check(self, what):
        """Every way to ask. Clients that are at work in one session at a time
        do not know of each other: then less is known in all, and which row
        it belongs to is not."""
        for by in ("day", "week", "month", "hour", "block", "session",
                   "agent", "project", "model"):
            got = self.box.json("stats", "--all", f"--by={by}",
                                "--limit=100000")
            eq(counted(got["totals"]), self.tokens, f"{what}: tokens")
            if self.crowded:
                self.bounds(got["totals"], f"{what}: by {by}")
                continue
            known = got["totals"].get("recordedCostUSD", 0)
            assert known > self.paid * self.PRICE - CENT, (what, known)
            for row in [got["totals"], *got["rows"]]:
                self.whole(row, f"{what}: by {by}: {row.get('key')}")
        for day in () if self.crowded else self.days():
            done = self.box.run("stats", "--all", f"--from={day}",
                                f"--to={day}", "--format=json")
            if done.returncode == 0:
                self.whole(json.loads(done.stdout)["totals"],
                           f"{what}: {day}")
        for story in () if self.crowded else self.stories:
            done = self.box.run("stats", story["t"].session,
                                "--format=json")
            self.whole(json.loads(done.stdout)["totals"], what)

    def whole(self, row, what):
        """Nothing is there twice, nothing is left out."""
        left = row.get("unpricedTokens", counted(row))
        near(row.get("costUSD", 0) + left * self.PRICE,
             counted(row) * self.PRICE, what)

    def bounds(self, row, what):
        left = row.get("unpricedTokens", counted(row)) * self.PRICE
        cost, truth = row.get("costUSD", 0), counted(row) * self.PRICE
        assert cost < truth + CENT < cost + left + 2 * CENT, (what, row)


def counted(row):
    return sum(row["tokenUsage"][k] for k in
               ("input", "output", "cacheRead", "cacheWrite"))


def test_random_spending():
    """Resumes, forks, copies, crashes, agents; two clients at a time."""
    for seed in range(int(os.environ.get(
            "CCFC_SEEDS", "30" if os.environ.get("CCFC_SOAK") else "3"))):
        with Costs() as box:
            world = Spending(box, seed, crowded=seed % 2)
            box.start()
            world.check(f"seed {seed}")
            box.prices(f"* input = {world.PRICE * 1e6}\n")
            world.check(f"seed {seed}, with prices")
            box.restart()
            world.check(f"seed {seed}, restarted")


if __name__ == "__main__":
    harness.main()
