"""The documentation of the protocol against proto/schema: its tables of
options, methods and types are printed from there. `run schema --write`
writes them again."""
import os
import re
import sys
import textwrap

import harness
import replytypes

MARKDOWN = os.path.join(harness.TOP, "proto", "PROTOCOL.md")
MANUAL = os.path.join(harness.TOP, "packaging", "man", "ccfc-protocol.7.scd")
LARGE = 1 << 60


def types():
    """(name, about, extends, fields) of each type, in order."""
    found = []
    for row in replytypes.schema()["types"]:
        if "type" in row:
            found.append((row["type"], row["about"], [], []))
        elif "extends" in row:
            found[-1][2].append(row["extends"])
        else:
            found[-1][3].append(row)
    return found


def bounds(option):
    """What a number may be, as words behind its meaning."""
    if option["type"] != "int" or not -LARGE < option["most"] < LARGE:
        return ""
    return f"; {option['least']} to {option['most']}"


def limit_of(method):
    if "limit" not in method["optional"] or method["limit"] == 50:
        return ""
    return " (no default)" if method["limit"] > LARGE else \
        f" ({method['limit']})"


def option_word(method, name):
    if name == "limit":
        return limit_of(method)
    return " (default true)" if name == "includeContent" and \
        method["content"] else ""


def markdown_options():
    yield "| option | type | meaning |"
    yield "|---|---|---|"
    for o in replytypes.schema()["options"]:
        about = (o["about"] + bounds(o)).replace("|", "\\|")
        yield f"| `{o['name']}` | {o['type']} | {about} |"


def markdown_methods():
    yield "| method | options | result | what it answers |"
    yield "|---|---|---|---|"
    for m in replytypes.schema()["methods"]:
        words = [f"**`{n}`**" for n in m["required"]]
        words += [f"`{n}`{option_word(m, n)}" for n in m["optional"]]
        yield (f"| `{m['name']}` | {', '.join(words)} | {m['reply']} | "
               f"{m['about']} |")


def markdown_types():
    for name, about, extends, fields in types():
        yield f"### {name}"
        yield ""
        words = [about[0].upper() + about[1:] + "."] if about else []
        if extends:
            words.append("All fields of " + " and ".join(extends) +
                         (", and:" if fields else "."))
        if words:
            yield " ".join(words)
            yield ""
        if not fields:
            continue
        yield "| field | type | meaning |"
        yield "|---|---|---|"
        for f in fields:
            kind = f["is"].replace("|", " or ")
            about = f["about"].replace("|", "\\|")
            field = f["field"]
            if field == "*":
                yield f"| others | {kind} | {about} |"
                continue
            if field.endswith("?"):
                kind += ", may be absent"
            yield f"| `{field.rstrip('?')}` | {kind} | {about} |"
        yield ""


def scd(text):
    """Markdown's code becomes bold; what scdoc obeys is escaped."""
    parts = text.split("`")
    for i, part in enumerate(parts):
        part = re.sub(r"([_*\\<>#])", r"\\\1", part)
        parts[i] = f"*{part}*" if i % 2 else part
    return "".join(parts).replace(".md", "\\.md")


def wrapped(text, indent=""):
    for line in textwrap.wrap(text, 80 - len(indent) * 8,
                              break_long_words=False, break_on_hyphens=False):
        # A line that begins with these would be taken for markup.
        yield indent + (("\\" if line[0] in ".;[|]" else "") + line)


def sentence(text):
    return scd(text[0].upper() + text[1:] + ".") if text else ""


def manual_options():
    for o in replytypes.schema()["options"]:
        yield f"*{o['name']}* ({o['type'].replace('[', '').replace(']', 's')})"
        yield from wrapped(sentence(o["about"] + bounds(o)), "\t")
        yield ""


def manual_methods():
    for m in replytypes.schema()["methods"]:
        words = [f"_{n}_" for n in m["required"] + m["optional"]]
        yield from wrapped(" ".join([f"*{m['name']}*"] + words))
        reply = m["reply"].strip("[]")
        about = sentence(m["about"])
        about += f" Answers {'an array of ' * (m['reply'][0] == '[')}*{reply}*."
        if limit_of(m):
            about += f" The default of *limit*:{limit_of(m)}.".replace(
                "(", "").replace(")", "")
        yield from wrapped(about, "\t")
        yield ""


def manual_types():
    for name, about, extends, fields in types():
        words = [sentence(about)] if about else []
        if extends:
            words.append(f"All fields of {' and '.join(extends)}.")
        yield f"*{name}*"
        names = ", ".join(f"*{f['field'].rstrip('?')}*" for f in fields
                          if f["field"] != "*")
        if names:
            words.append(f"Fields: {names}.")
        yield from wrapped(" ".join(words) or "No fields.", "\t")
        yield ""


PARTS = [
    (MARKDOWN, "<!-- {} -->", {"options": markdown_options,
                               "methods": markdown_methods,
                               "types": markdown_types}),
    (MANUAL, "; {}", {"options": manual_options, "methods": manual_methods,
                      "types": manual_types}),
]


def printed(text, comment, parts):
    """`text` with its tables as they should be."""
    for name, write in parts.items():
        begin = comment.format(f"{name}: printed from proto/schema")
        end = comment.format(f"end of {name}")
        a, b = text.index(begin), text.index(end)
        table = "\n".join(write()).rstrip("\n")
        text = f"{text[:a]}{begin}\n\n{table}\n\n{text[b:]}"
    return text


def test_documents_are_printed_from_the_schema():
    for path, comment, parts in PARTS:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if printed(text, comment, parts) != text:
            raise AssertionError(
                f"{path} is not what proto/schema says: run "
                "tests/func/run schema --write")


def test_every_reply_has_a_type():
    known = set(replytypes.types())
    for method, reply in replytypes.replies().items():
        assert reply.strip("[]") in known, (method, reply)
    for name, fields in replytypes.types().items():
        for field, (kind, _) in fields.items():
            for word in re.findall(r"[A-Z]\w+", kind):
                assert word in known, (name, field, word)


def test_the_check_can_fail():
    good = {"stopping": True}
    replytypes.check("server.stop", good)
    for bad in ({}, {"stopping": 1}, {"stopping": True, "more": 1}, [], None):
        try:
            replytypes.check("server.stop", bad)
        except replytypes.Wrong:
            continue
        raise AssertionError(f"{bad} passed")


def write():
    for path, comment, parts in PARTS:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(printed(text, comment, parts))


if __name__ == "__main__":
    if replytypes.schema() is None:
        sys.exit("schema.py: build first (CCFC_BIN_DIR)")
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        harness.main()
