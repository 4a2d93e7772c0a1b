"""ccfc export: everything is in it, exactly; with --redact no secret is; HTML
is well-formed and runs nothing; files are written whole, private, and never
over another or below a Claude directory."""
import html.parser
import json
import os
import re
import stat

import harness
from harness import Box, append, eq
from transcript import Ids, Transcript

FORMATS = ("markdown", "json", "html")
HOME = "/home/alicia"
P = HOME + "/code/shop"
HOSTILE = ('</div></pre><script>alert(1)</script><img src=x onerror=a()>'
           '"\' &amp; ``` \x1b[31m \u202e ]]> <!-- -->')
SECRETS = {
    "anthropic": "sk-ant-api03-Q1w2E3r4T5y6U7i8O9p0-AbCdEf",
    "openai": "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2",
    "github": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "fine": "github_pat_11ABCDEFG0a1b2c3d4e5f6_g7h8i9j0",
    "gitlab": "glpat-x1Y2z3A4b5C6d7E8f9G0",
    "slack": "xoxb-123456789012-AbCdEfGhIjKl",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "google": "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "npm": "npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "hf": "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz",
    "pem": "MIIEowIBAAKCAQEAtopsecret0123",
    "bearer": "dGhlLWJlYXJlci10b2tlbg0",
    "url": "pa55word-in-url",
    "env": "hunter2-in-env",
    "yaml": "quoted words of a secret",
    "field": "value-of-a-field",
    "mail": "alicia.w@example.org",
}
# Whole words that name somebody.
NAMES = ("alicia",)


def texts():
    """What is said where; between them all secrets."""
    s = SECRETS
    pem = ("-----BEGIN RSA PRIVATE KEY-----\n" + s["pem"]
           + "\n-----END RSA PRIVATE KEY-----")
    return {
        "prompt": f"Use {s['anthropic']} and {s['openai']}, {HOSTILE}\n"
                  f"mail {s['mail']}; I am alicia.",
        "answer": f"```sh\nexport PASSWORD={s['env']}\ncurl -H "
                  f"'Authorization: Bearer {s['bearer']}' x\n",
        "thinking": f"the token {s['github']} of alicia",
        "command": f"git clone https://bot:{s['url']}@git.example.com/x "
                   f"&& echo {s['gitlab']} {s['slack']} {s['fine']}",
        "output": f"     1\u2192{pem}\n     2\u2192{s['aws']} {s['google']}\n"
                  f"total 4\ndrwx alicia alicia {P}\n{HOSTILE}",
        "content": f"api_key: \"{s['yaml']}\"\n{s['npm']}\n{s['hf']}\n",
        "agent": f"jwt {s['jwt']} in {P}/x, {HOSTILE}",
    }


class Filled(Box):
    """One session with an agent, and secrets everywhere."""

    def __init__(self):
        super().__init__()
        self.said = texts()
        ids = Ids(5)
        t = self.t = Transcript(
            self, ids, cwd=P, project="-home-alicia-code-shop",
            branch="alicia/fix", version="2.1.150")
        t.prompt(self.said["prompt"])
        t.blocks({"type": "thinking", "thinking": self.said["thinking"],
                  "signature": "x"})
        t.text(self.said["answer"])
        self.bash = t.call("Bash", {"command": self.said["command"],
                                    "password": SECRETS["field"]})
        t.result(self.bash, {"stdout": "", "stderr": ""},
                 self.said["output"])
        t.write(P + "/conf.yml", self.said["content"])
        bad = t.call("Read", {"file_path": P + "/gone"})
        t.result(bad, "Error: no such file", "no such file", error=True)
        self.task = t.call("Task", {"description": "look around",
                                    "prompt": "go"})
        agent = "a1b2c3d4e5f6a7b8c"
        a = self.a = Transcript(
            self, ids, session=t.session, cwd=P, agent=agent,
            path=os.path.join(self.projects, "-home-alicia-code-shop",
                              t.session, "subagents",
                              f"agent-{agent}.jsonl"), version="2.1.150")
        a.prompt("go")
        a.text(self.said["agent"])
        t.result(self.task, {"status": "completed", "agentId": agent,
                             "content": []}, "found it")
        self.escaped(t)
        self.env["HOME"] = HOME
        self.start()

    def escaped(self, t):
        """The same secrets behind JSON's escapes."""
        record = t.record("user", message={
            "role": "user", "content": "again " + SECRETS["anthropic"]
            + " at " + P + " from " + SECRETS["mail"]})
        data = json.dumps(record).encode()
        for old, new in ((b"sk-ant", b"\\u0073k-\\u0061nt"),
                         (b"/home/alicia", b"\\/home\\/\\u0061licia"),
                         (b"@example", b"\\u0040example")):
            assert old in data
            data = data.replace(old, new)
        append(t.path, data + b"\n")

    def export(self, form, *more):
        done = self.run("export", self.t.session, f"--format={form}", *more)
        eq(done.returncode, 0, done.stderr)
        return done


class Page(html.parser.HTMLParser):
    """A strict reader: every tag is closed in order."""
    VOID = {"meta", "br", "hr", "link", "img", "input"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.tags, self.ids, self.text = [], [], [], []
        self.hrefs = []
        self.feed(text)
        self.close()
        eq(self.stack, [], "open tags")

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        names = [n for n, _ in attrs]
        eq(len(names), len(set(names)), "attributes")
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "srcdoc", "style"), (tag, name)
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.hrefs.append(value)
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        eq(self.stack.pop(), tag, "closing tag")

    def handle_data(self, data):
        self.text.append(data)


def squeezed(text):
    """Without what HTML shows in its own way."""
    text = re.sub("[\u2400-\u241f]", lambda m: chr(ord(m[0]) - 0x2400), text)
    return text.replace("<U+202E>", "\u202e")


def strings(value):
    if isinstance(value, dict):
        for k, v in value.items():
            yield k
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, str):
        yield value


def test_exact():
    """Without --redact every text is in it as it was."""
    with Filled() as box:
        for form in FORMATS:
            out = box.export(form, "--thinking").stdout
            if form == "json":
                out = "\0".join(strings(json.loads(out)))
            elif form == "html":
                out = squeezed("".join(Page(out).text))
            for name, text in box.said.items():
                assert text in out, f"{form}: {name} is not in it"


def test_json_is_the_messages():
    with Filled() as box:
        got = json.loads(box.export("json").stdout)
        eq(got["session"]["sessionId"], box.t.session)
        with box.rpc() as rpc:
            want = rpc.call("session.messages", session=box.t.session,
                            limit=1000)["messages"]
            eq(got["messages"], want, "messages")
            want = rpc.call("session.messages", session=box.t.session,
                            agentId=box.a.agent, limit=1000)["messages"]
        eq([a["agentId"] for a in got["agents"]], [box.a.agent])
        eq(got["agents"][0]["messages"], want, "of the agent")
        eq(got["agents"][0]["toolUseId"], box.task)
        assert "redacted" not in got
        assert "thinking" not in str(got["messages"])


def test_thinking():
    with Filled() as box:
        for form in FORMATS:
            for more, want in (((), False), (("--thinking",), True)):
                out = box.export(form, *more).stdout
                eq(SECRETS["github"] in out, want, f"{form} {more}")


def test_redacted():
    """None of the secrets survives, in whatever format and spelling."""
    with Filled() as box:
        for form in FORMATS:
            done = box.export(form, "--thinking", "--redact")
            out = done.stdout
            everything = [out]
            if form == "json":
                everything += strings(json.loads(out))
            elif form == "html":
                everything.append("".join(Page(out).text))
            for text in everything:
                for name, secret in SECRETS.items():
                    assert secret not in text, f"{form}: {name} survived"
                for name in NAMES:
                    at = re.search(rf"(?i)\b{name}\b", text)
                    assert not at, (form, text[at.start() - 60:at.end() + 20])
            for want in ("[redacted]", "[email]", "/home/user/code/shop"):
                assert want in out, f"{form}: no {want}"
            assert "cannot promise" in out, form
            assert "replaced:" in done.stderr, done.stderr


def test_redacted_keeps_the_rest():
    with Filled() as box:
        plain = json.loads(box.export("json").stdout)
        out = json.loads(box.export("json", "--redact").stdout)
        eq([m["id"] for m in out["messages"]],
           [m["id"] for m in plain["messages"]])
        eq([m["role"] for m in out["messages"]],
           [m["role"] for m in plain["messages"]])
        eq(out["session"]["projectPath"], "/home/user/code/shop")
        eq(out["session"]["gitBranch"], "user/fix")
        assert "-home-user-code-shop" in out["session"]["filePath"]
        counts = out["redacted"]
        for kind in ("homes", "names", "emails", "keys", "privateKeys",
                     "headers", "urls", "values"):
            assert counts.get(kind, 0) > 0, (kind, counts)
        assert "cannot promise" in out["redactedNote"]


def test_html_runs_nothing():
    with Filled() as box:
        text = box.export("html", "--thinking").stdout
        page = Page(text)
        names = {t for t, _ in page.tags}
        assert not names & {"script", "img", "link", "iframe", "object",
                            "base", "form"}, names
        eq([a["content"] for t, a in page.tags
            if a.get("http-equiv") == "Content-Security-Policy"],
           ["default-src 'none'; style-src 'unsafe-inline'"])
        assert any(a.get("name") == "viewport" for _, a in page.tags)
        assert "prefers-color-scheme: dark" in text
        eq(len(page.ids), len(set(page.ids)), "ids")
        assert page.hrefs and all(h[0] == "#" and h[1:] in page.ids
                                  for h in page.hrefs), page.hrefs
        assert "details" in names
        for bad in ("\x1b", "\u202e", "\0"):
            assert bad not in text
        eq(text.count("<style>"), 1)


def test_markdown_fences():
    """Whatever is in a text, the documents after it stay what they are."""
    with Filled() as box:
        out = box.export("markdown").stdout
        fence = None
        for line in out.splitlines():
            match = re.match(r" {0,3}(`{3,}|~{3,})([^`]*)$", line)
            if fence is None and match:
                fence = match[1]
            elif fence and match and not match[2].strip() and \
                    match[1].startswith(fence):
                fence = None
            elif line == "*End of the agent.*":
                eq(fence, None, "fence before the agent's end")
        eq(fence, None, "fence at the end")


def test_heading():
    """The first sentence of a long prompt, which is among the facts."""
    with Box() as box:
        t = Transcript(box, Ids(3))
        t.prompt("Is the login of v1.2 slow? Make it faster, " + "please " * 40)
        box.start()
        text = box.ok("export", t.session)
        assert text.startswith("# Is the login of v1.2 slow?\n"), text
        assert "- Title: Is the login of v1.2 slow? Make it" in text, text
        assert "<h1>Is the login of v1.2 slow?</h1>" in box.ok(
            "export", t.session, "--format=html")


def test_file():
    with Filled() as box:
        path = os.path.join(box.top, "out.html")
        done = box.export("html", "-o", path)
        eq(done.stdout, "")
        eq(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="utf-8", newline="") as f:
            first = f.read()
        eq(first, box.export("html").stdout)
        again = box.run("export", box.t.session, "-o", path)
        eq(again.returncode, 2)
        assert "exists" in again.stderr and "--force" in again.stderr
        with open(path, encoding="utf-8", newline="") as f:
            eq(f.read(), first, "left as it is")
        box.ok("export", box.t.session, "-o", path, "--force")
        with open(path, encoding="utf-8") as f:
            eq(f.read(), first, "the format of the name's ending")
        eq([n for n in os.listdir(box.top) if n.startswith(".ccfc")], [])


def test_not_there():
    """Refused: below a Claude directory, over what is no regular file."""
    with Filled() as box:
        link = os.path.join(box.top, "link")
        os.symlink(box.claude, link)
        os.symlink("/etc/hostname", os.path.join(box.top, "ln"))
        before = sorted(os.listdir(box.claude))
        for name, why in ((box.claude + "/x.md", "nothing is written"),
                          (link + "/x.md", "nothing is written"),
                          (box.projects + "/x.md", "nothing is written"),
                          (box.top + "/ln", "not a regular file"),
                          (box.top, "not a regular file"),
                          (box.top + "/none/x", "No such file")):
            done = box.run("export", box.t.session, "--force", "-o", name)
            eq(done.returncode, 2, name)
            assert why in done.stderr, done.stderr
            eq(done.stdout, "")
        eq(sorted(os.listdir(box.claude)), before)


def test_nothing():
    with Filled() as box:
        path = os.path.join(box.top, "out")
        done = box.run("export", "ffffffff", "-o", path)
        eq(done.returncode, 1, done.stderr)
        assert not os.path.exists(path)
        # Without a name it is the latest session here, and here is none.
        eq(box.run("export").returncode, 1)
        eq(box.run("export", box.t.session, "--format=pdf").returncode, 2)


def test_long():
    """More than a page, and texts longer than one answer has room for."""
    with Box() as box:
        t = Transcript(box, Ids(3))
        t.live = False
        for i in range(450):
            t.prompt(f"prompt {i}")
            t.text(f"answer {i}")
        for i in range(9):
            t.prompt(f"big {i} " + chr(97 + i) * (9 << 20))
        append(t.path, b"".join(t.lines))
        box.start()
        got = json.loads(box.ok("export", t.session, "--format=json"))
        texts = [m["content"] for m in got["messages"]]
        eq(texts[:900], [f"{w} {i}" for i in range(450)
                         for w in ("prompt", "answer")])
        eq([len(x) for x in texts[900:]], [len(f"big {i} ") + (9 << 20)
                                           for i in range(9)])
        assert "truncated" not in got
        out = box.ok("export", t.session)
        eq(len(re.findall(r"^(?:prompt|answer) \d+$", out, re.M)), 900)


if __name__ == "__main__":
    harness.main()
