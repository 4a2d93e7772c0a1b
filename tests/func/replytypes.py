"""The types of replies, as proto/schema says them: `check` raises what is
wrong with a reply. harness.py calls it for every reply of every test."""
import functools
import json
import os
import re
import subprocess

TIME = re.compile(r"\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Wrong(AssertionError):
    """A reply is not of the type that the schema has."""


@functools.lru_cache(None)
def schema():
    """The schema, or None where the build has no printer."""
    build = os.environ.get("CCFC_BIN_DIR", "build")
    program = os.path.join(build, "proto", "ccfc_schema_print")
    if not os.access(program, os.X_OK):
        return None
    return json.loads(subprocess.run([program], check=True,
                                     stdout=subprocess.PIPE).stdout)


@functools.lru_cache(None)
def replies():
    return {m["name"]: m["reply"] for m in schema()["methods"]}


@functools.lru_cache(None)
def types():
    """Name → {field: (type, may be absent)}, inherited fields included."""
    found = {}
    for row in schema()["types"]:
        if "type" in row:
            fields = found[row["type"]] = {}
        elif "extends" in row:
            fields.update(found[row["extends"]])
        else:
            name = row["field"]
            fields[name.rstrip("?")] = (row["is"], name.endswith("?"))
    return found


def fits(value, kind, where):
    """None, or what is wrong with `value` as one plain type."""
    if kind == "any":
        return None
    if kind[0] == "[":
        return type(value) is list or "is no array"
    if kind[0] == "{" or kind == "map" or kind[0].isupper():
        return type(value) is dict or "is no map"
    return {
        "nil": value is None,
        "str": isinstance(value, str),
        "bin": isinstance(value, bytes),
        "bool": isinstance(value, bool),
        "int": type(value) is int,
        "num": type(value) in (int, float),
        "time": isinstance(value, str) and bool(TIME.fullmatch(value)),
    }[kind]


def alternatives(kind):
    """The parts of "a|b"; a bracketed type is one part."""
    return re.findall(r"\[.*\]|\{.*\}|[^|]+", kind)


def check_value(value, kind, where):
    for one in alternatives(kind):
        if fits(value, one, where) not in (True, None):
            continue
        if one[0] == "[":
            for i, element in enumerate(value):
                check_value(element, one[1:-1], f"{where}[{i}]")
        elif one[0] == "{":
            for key, element in value.items():
                check_value(element, one[1:-1], f"{where}.{key}")
        elif one[0].isupper():
            check_map(value, one, where)
        return
    raise Wrong(f"{where}: {value!r:.80} is not {kind}")


def check_map(value, name, where):
    fields = types()[name]
    for key, (_, absent) in fields.items():
        if key not in value and not absent and key != "*":
            raise Wrong(f"{where}: {name} without {key}")
    for key, element in value.items():
        if key in fields:
            check_value(element, fields[key][0], f"{where}.{key}")
        elif "*" not in fields:
            raise Wrong(f"{where}: {name} has no field {key}")


def check(method, reply):
    """Raises Wrong, where the schema is to be had."""
    if schema() is None:
        return
    if method in replies():
        check_value(reply, replies()[method], method)


def check_event(event):
    if schema() is not None:
        check_map(event, "Event", "event")
