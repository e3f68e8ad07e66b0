#!/usr/bin/env python3
"""Decides entries-ended.json again, from the text of ../recovery.md ("The end of a log"), ../entries.md and ../state.md
alone: each entry to its bytes, the state's lines and root after it, every refusal before the end and behind it.

`--self-test` then changes the file, one thing at a time, and wants each change noticed. Standard library only. Exit 0:
all are the same. 1: one is not. 2: unreadable file."""

import functools
import json
import sys

from check import unhex
from check_entries import compact, read
from file_changes import log_changes, with_
from plain_house import FAULTS, Followed, PlainHouse, Wrong, follow, said, self_test

FILE = "entries-ended.json"


def check(file):
    """Counts of what was decided; Wrong where something does not follow, or nothing is refused behind the end."""
    counts = follow(file, PlainHouse(unhex(file["master"])))
    if not counts["end_log"] or not any(case["code"] == "log_ended" for case in file["refused"]):
        raise Wrong("no log that has ended")
    return counts


def changes(file):
    """What is changed of the end, and of any log, with copies of the file."""
    at = len(file["entries"]) - 1
    entry, root = json.loads(file["entries"][at]), file["state_roots"][at]
    ended = entry["events"][0]["log_ended"]
    for what, other in (
        ("another name", {**ended, "origin": "another.example/log"}),
        ("another key", {**ended, "key": "0" * 64}),
        ("no key", {"origin": ended["origin"]}),
        ("its fields in another order", dict(reversed(ended.items()))),
        ("a field more", {**ended, "size": at}),
    ):
        for about, said_so in (
            ("event", {"events": [{"log_ended": other}]}),
            ("command", {"command": {"end_log": other}}),
            ("both", {"command": {"end_log": other}, "events": [{"log_ended": other}]}),
        ):
            yield "end: %s, %s" % (what, about), with_(file, "entries", at, [compact({**entry, **said_so})])
    for by in ("operator", "anyone", "player:ben"):
        yield "end: by another", with_(file, "entries", at, [compact({**entry, "by": by})])
    # What comes behind the end, with whatever root: an entry that the rules refuse is found before it is asked for.
    for name, event in (("stop_dealer", "dealer_stopped"), ("admit_guest", "guest_admitted")):
        behind = compact({**entry, "command": {name: {}}, "events": [{event: {}}]})
        yield "an entry behind the end", {
            **file,
            "entries": [*file["entries"], behind],
            "state_roots": [*file["state_roots"], root],
        }
    for number, line in enumerate(file["state_lines"]):
        key, part = json.loads(line)
        if key != "log":
            continue
        for what, other in (
            ("left out", {name: value for name, value in part.items() if name != "ended"}),
            ("behind the others", {**{n: v for n, v in part.items() if n != "ended"}, "ended": ended}),
            ("another name", {**part, "ended": {**ended, "origin": "another.example/log"}}),
        ):
            yield "line: the end " + what, with_(file, "state_lines", number, [compact([key, other])])
    yield from log_changes(file, ("log_ended", "recovering"))


def main():
    try:
        file = read(FILE)
        print("%s: %s" % (FILE, said(check(file))))
        if "--self-test" in sys.argv[1:]:
            followed = Followed(file, PlainHouse(unhex(file["master"])))
            self_test((what, functools.partial(followed.follow, other)) for what, other in changes(file))
    except FAULTS as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
