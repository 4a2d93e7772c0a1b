#!/usr/bin/python3
"""Stands in for systemctl and launchctl, by whose name it is called: notes
down each call and plays the states that a real one would have, in files in
$FAKE. A verb that is named in $FAKE/fails does fail, with the words there. A
command in $FAKE/meanwhile is run once, at the first call that changes something.
"""
import json
import os
import subprocess
import sys

FAKE = os.environ["FAKE"]
UNIT = "ccfcd.service"


def path(name):
    return os.path.join(FAKE, name)


def is_set(name):
    return os.path.exists(path(name))


def put(name, value=True):
    if value:
        with open(path(name), "w", encoding="utf-8") as f:
            f.write("" if value is True else value)
    elif is_set(name):
        os.unlink(path(name))


def unit_file():
    """The user's comes before the package's."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(
        os.environ["HOME"], ".config")
    for file in (os.path.join(config, "systemd/user", UNIT),
                 path("packaged/" + UNIT)):
        if os.path.exists(file):
            return file
    return ""


def loaded():
    """What was there when the manager last looked."""
    if not is_set("loaded"):
        put("loaded", unit_file() or True)
    with open(path("loaded"), encoding="utf-8") as f:
        return f.read()


def show():
    file = loaded()
    if is_set("masked"):
        print("LoadState=masked")
        return
    print("LoadState=" + ("loaded" if file else "not-found"))
    print("UnitFileState=" + ("" if not file else "enabled"
                              if is_set("enabled") else "disabled"))
    print("ActiveState=" + ("active" if is_set("active") else "inactive"))
    print(f"FragmentPath={file}")


def systemctl(words):
    assert words.pop(0) == "--user", "not the user's manager"
    verb, now = words.pop(0), "--now" in words
    if verb == "show":
        show()
    elif verb == "daemon-reload":
        put("loaded", False)
        loaded()
    elif not loaded() and verb != "disable":
        sys.exit(f"Failed to {verb} unit: Unit file {UNIT} does not exist.")
    if verb in ("enable", "disable"):
        put("enabled", verb == "enable")
    if verb in ("start", "restart", "stop") or now:
        put("active", verb not in ("stop", "disable"))


def launchctl(words):
    verb = words[0]
    if verb == "print":
        sys.exit(0 if is_set("active") else 113)
    if verb == "bootstrap" and is_set("active"):
        sys.exit("Bootstrap failed: 5: Input/output error")
    put("active", verb == "bootstrap")


def main():
    words = sys.argv[1:]
    name = os.path.basename(sys.argv[0])
    with open(path("calls"), "a", encoding="utf-8") as f:
        f.write(json.dumps([name, *words]) + "\n")
    if is_set("fails"):
        with open(path("fails"), encoding="utf-8") as f:
            fails = json.load(f)
        for verb, why in fails.items():
            if verb in words:
                sys.exit(why)
    if is_set("meanwhile") and not {"show", "print"} & set(words):
        with open(path("meanwhile"), encoding="utf-8") as f:
            command = json.load(f)
        put("meanwhile", False)
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        put("said", f"{done.returncode} {done.stderr}")
    (systemctl if name == "systemctl" else launchctl)(words)


main()
