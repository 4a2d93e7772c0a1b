"""Adds up the single cases of a ctest run out of its JUnit file.

Prints failed and skipped cases, then one line "passed failed skipped". A
program that prints no cases counts as one, and one that was not built has
failed. A second file is of the programs that failed and were run again, alone:
these results count, and what failed only the first time is printed as unsteady.
Exits 1 when there is no file.
"""
import re
import sys
import xml.etree.ElementTree as tree

CASES = {
    "passed": re.compile(r"^(?:\[       OK \]|ok  ) (\S+)", re.M),
    "failed": re.compile(r"^(?:\[  FAILED  \] (?!\d+ test)|FAIL )(\S+)", re.M),
    "skipped": re.compile(r"^(?:\[  SKIPPED \]|skip) (?!\d+ test)(.+)", re.M),
}


def programs(path):
    """name → its JUnit element."""
    return {t.get("name"): t for t in tree.parse(path).getroot().iter(
        "testcase")}


def cases_of(test):
    """What each case came to, and what the program printed."""
    name, status = test.get("name"), test.get("status")
    out = "".join(x.text or "" for x in test.iter("system-out"))
    found = {k: set(p.findall(out)) for k, p in CASES.items()}
    if status == "fail" and not found["failed"]:
        found["failed"] = {f"{name} (see its output)"}
    elif out.startswith("Unable to find executable"):
        found["failed"] = {f"{name} (its program was not built)"}
    elif not any(found.values()):
        found["passed" if status == "run" else "skipped"] = {name}
    return found, out


def print_cases(word, name, cases):
    for case in sorted(cases):
        print(f"{word} {name}: {case}")


def main():
    try:
        first = programs(sys.argv[1])
        again = programs(sys.argv[2]) if len(sys.argv) > 2 else {}
    except (OSError, tree.ParseError) as error:
        sys.exit(f"report: {error}")
    total = dict.fromkeys(CASES, 0)
    for name, test in first.items():
        found, out = cases_of(test)
        if found["failed"]:
            print(out[-6000:])
        if name in again:
            failed = found["failed"]
            found, out = cases_of(again[name])
            if found["failed"]:
                print(out[-6000:])
            print_cases("unsteady", name, failed - found["failed"])
        for key, cases in found.items():
            total[key] += len(cases)
        print_cases("FAIL", name, found["failed"])
        print_cases("skip", name, found["skipped"])
    print(total["passed"], total["failed"], total["skipped"])


if __name__ == "__main__":
    main()
