#!/usr/bin/env python3
"""Receipts, policies, checkpoints and keys that hold (log-receipts.json), and such that do not (log-broken.json), from
the text of ../receipts.md and ../log.md alone. Standard library only. Exit 0: all are as they should be. 1: one is
not. 2: unreadable file."""

import json
import pathlib
import sys

import receipts
from receipts import Broken, Policy, hold


class Wrong(Exception):
    """A case that does not come out as its file says."""


def read(name):
    return json.loads((pathlib.Path(__file__).parent / name).read_text(encoding="utf-8"))


def octets(text):
    return text.encode("utf-8")


def same(expected, found, what):
    if expected != found:
        raise Wrong("%s: %r expected, %r found" % (what, expected, found))


def verify(case, receipt):
    return receipts.verify(octets(receipt), bytes.fromhex(case["entry_hex"]), Policy(octets(case["policy"])))


def check_good(good):
    for case in good["receipts"]:
        shown = verify(case, case["receipt"])
        same([case["index"], case["size"], case["cosigned_at"]], [*shown[:2], shown.cosigned], case["what"])
    for case in good["policies"]:
        Policy(bytes.fromhex(case["hex"]))
    for case in good["own_times"]:
        time = receipts.own_time(octets(case["checkpoint"]), receipts.key(octets(case["log_key"])))
        same(case["own_time"], None if time is None else str(time), case["what"])
    for case in good["keys"]:
        same(case["name"], receipts.key(octets(case["key"])).name, case["what"])
    return {kind: len(good[kind]) for kind in ("receipts", "policies", "own_times", "keys")}


def check_bad(bad):
    log = receipts.key(octets(bad["log_key"]))

    def checkpoint(case):
        origin, _, _ = receipts.checkpoint(receipts.open_note(octets(case["input"]), [log])[0])
        hold(origin == log.name, "origin")

    tries = {
        "receipts": lambda case: verify(case, case["input"]),
        "policies": lambda case: Policy(bytes.fromhex(case["hex"])),
        "checkpoints": checkpoint,
        "keys": lambda case: receipts.key(octets(case["input"])),
    }
    for kind, attempt in tries.items():
        for case in bad[kind]:
            try:
                attempt(case)
            except Broken:
                continue
            raise Wrong("%s: %s: accepted" % (kind, case["why"]))
    return {kind: len(bad[kind]) for kind in tries}


def main():
    try:
        good, bad = read("log-receipts.json"), read("log-broken.json")
    except (OSError, ValueError) as fault:
        print("unreadable: %s" % fault)
        return 2
    try:
        for name, counts in (("log-receipts.json", check_good(good)), ("log-broken.json, refused", check_bad(bad))):
            print("%s: %s" % (name, ", ".join("%d %s" % (count, kind) for kind, count in counts.items())))
    except (Wrong, Broken) as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
