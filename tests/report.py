"""Adds up the single cases of a ctest run out of its JUnit file.

Prints failed and skipped cases, then one line "passed failed skipped". A
program that prints no cases counts as one. Exits 1 when there is no file.
"""
import re
import sys
import xml.etree.ElementTree as tree

CASES = {
    "passed": re.compile(r"^(?:\[       OK \]|ok  ) (\S+)", re.M),
    "failed": re.compile(r"^(?:\[  FAILED  \] (?!\d+ test)|FAIL )(\S+)", re.M),
    "skipped": re.compile(r"^(?:\[  SKIPPED \]|skip) (?!\d+ test)(.+)", re.M),
}


def main():
    try:
        suite = tree.parse(sys.argv[1]).getroot()
    except (OSError, tree.ParseError) as error:
        sys.exit(f"report: {error}")
    total = dict.fromkeys(CASES, 0)
    for test in suite.iter("testcase"):
        name = test.get("name")
        out = "".join(x.text or "" for x in test.iter("system-out"))
        found = {k: set(p.findall(out)) for k, p in CASES.items()}
        status = test.get("status")
        if status == "fail" and not found["failed"]:
            found["failed"] = {f"{name} (see its output)"}
            print(out[-3000:])
        elif not any(found.values()):
            key = "passed" if status == "run" else "skipped"
            found[key] = {name}
        elif found["failed"]:
            print(out[-6000:])
        for key, cases in found.items():
            total[key] += len(cases)
            if key != "passed":
                word = "FAIL" if key == "failed" else "skip"
                for case in sorted(cases):
                    print(f"{word} {name}: {case}")
    print(total["passed"], total["failed"], total["skipped"])


if __name__ == "__main__":
    main()
