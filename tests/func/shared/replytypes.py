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


PLAIN = {
    "any": lambda value: True,
    "map": lambda value: type(value) is dict,
    "nil": lambda value: value is None,
    "str": lambda value: isinstance(value, str),
    "bin": lambda value: isinstance(value, bytes),
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: type(value) is int,
    "num": lambda value: type(value) in (int, float),
    "time": lambda value: isinstance(value, str) and bool(
        TIME.fullmatch(value)),
}


def fits(kind):
    """Does a value look like one plain type? A function that says so."""
    if kind[0] == "[":
        return lambda value: type(value) is list
    return PLAIN["map" if kind[0] == "{" or kind[0].isupper() else kind]


@functools.lru_cache(None)
def alternatives(kind):
    """The parts of "a|b"; a bracketed type is one part."""
    return re.findall(r"\[.*\]|\{.*\}|[^|]+", kind)


def check_value(value, kind, where):
    for one in alternatives(kind):
        if not fits(one)(value):
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


@functools.lru_cache(None)
def good(kind):
    """What check_value finds, without the words for what is wrong: it is asked
    about each value of each reply of each test."""
    parts = [(fits(one), good_inside(one)) for one in alternatives(kind)]

    def is_good(value):
        for fit, inside in parts:
            if fit(value):
                return inside is None or inside(value)
        return False
    return is_good


def good_inside(one):
    if one[0] == "[":
        return lambda value: all(map(good(one[1:-1]), value))
    if one[0] == "{":
        return lambda value: all(map(good(one[1:-1]), value.values()))
    if one[0].isupper():
        return lambda value: good_map(one)(value)
    return None


@functools.lru_cache(None)
def good_map(name):
    fields = types()[name]
    needed = {key for key, (_, absent) in fields.items()
              if not absent and key != "*"}
    inside = {key: good(kind) for key, (kind, _) in fields.items()}
    other = (lambda value: True) if "*" in fields else lambda value: False

    def is_good(value):
        return needed <= value.keys() and all(
            inside.get(key, other)(element) for key, element in value.items())
    return is_good


def check(method, reply):
    """Raises Wrong, where the schema is to be had."""
    if schema() is None:
        return
    kind = replies().get(method)
    if kind and not good(kind)(reply):
        check_value(reply, kind, method)
        raise Wrong(f"{method}: {reply!r:.80} is not {kind}")


def check_event(event):
    if schema() is not None:
        check_map(event, "Event", "event")
