"""Changes of entries-transfers.json that a checker must notice: check_transfers.py makes them for its self-test."""

import base64
import json

from check_entries import compact
from entry_forms import MOST
from file_changes import flipped, log_changes, with_


def receipts_changed(text, has_quorum):
    head, _, note = text.partition("\n\n")
    lines, signed, own = [line for line in head.split("\n") if not line.startswith("extra ")], note.split("\n"), 4
    yield "another version", text.replace("@v1", "@v2", 1)
    yield "another index", text.replace(lines[1], "index %d" % (int(lines[1][6:]) + 1), 1)
    yield "the last newline missing", text[:-1]
    yield "a hash too many", text.replace("\n\n", "\n" + "A" * 43 + "=\n\n", 1)
    yield "another size", text.replace("\n%s\n" % signed[1], "\n%d\n" % (int(signed[1]) + 1), 1)
    yield "another root", text.replace(signed[2], flipped(signed[2], 7), 1)
    yield "another origin", text.replace("\n\n" + signed[0], "\n\n" + signed[0] + "x", 1)
    yield "the log's signature changed", text.replace(signed[own], flipped(signed[own], len(signed[own]) - 9), 1)
    yield "the log's signature missing", text.replace(signed[own] + "\n", "", 1)
    for hash_ in lines[2:]:
        yield "another hash", text.replace(hash_, flipped(hash_, 11), 1)
        yield "a hash missing", text.replace(hash_ + "\n", "", 1)
    if has_quorum:
        for line in signed[own + 1:-1]:
            yield "a cosignature changed", text.replace(line, flipped(line, len(line) - 9), 1)
        while len(signed) > own + 3:
            del signed[own + 2]
        yield "one cosignature alone", head + "\n\n" + "\n".join(signed)


def claims_changed(text, has_quorum):
    """A `transfer_in` that is accepted, with another claim; all that it says of it stays."""
    entry = json.loads(text)
    given = entry["command"]["transfer_in"]

    def claiming(**other):
        return compact({**entry, "command": {"transfer_in": {**given, **other}}})

    receipt = base64.b64decode(given["receipt"]).decode("utf-8")
    for what, other in receipts_changed(receipt, has_quorum):
        yield what, claiming(receipt=base64.b64encode(other.encode("utf-8")).decode())
    yield "a receipt with a blank", claiming(receipt=given["receipt"] + " ")
    yield "no receipt", claiming(receipt="")
    yield "another player on the other log", claiming(entry=given["entry"].replace('"player":"', '"player":"x'))
    yield "another amount on the other log", claiming(entry=given["entry"].replace('}}]}', '0}}]}'))
    yield "an entry with a blank", claiming(entry=given["entry"] + " ")
    yield "of another log", claiming(**{"from": "fairshoe.example/c"})


def changes(file):
    """Changed copies of the file, of which each must be noticed; with what was changed."""
    yield from log_changes(file, ("claim_refused", "unknown_log", "already_claimed"))
    quorums = {}
    for at, text in enumerate(file["entries"]):
        (name, given), = json.loads(text)["command"].items()
        if name == "know_log" and "policy" in given:
            policy = base64.b64decode(given["policy"])
            quorums[given["log"]] = b"quorum none" not in policy
            other = base64.b64encode(b"# \n" + policy).decode()
            yield "policy: one more line", with_(file, "entries", at, [text.replace(given["policy"], other)])
            other = text.replace(given["policy"], flipped(given["policy"], 80))
            yield "policy: a letter changed", with_(file, "entries", at, [other])
        if name == "know_log":
            other = text.replace('{"log_known"', '{"log_unknown"')
            yield "policy: an event by another name", with_(file, "entries", at, [other])
        if name == "transfer_in":
            for what, other in claims_changed(text, quorums[given["from"]]):
                yield "claim: " + what, with_(file, "entries", at, [other])


def known_lines(file, here):
    """Lines of another log that this log, `here`, does not leave, made of those in the file."""
    def having(part, **other):
        part = {**part, **other}
        return {name: part[name] for name in ("policy", "balance", "sent", "claimed") if name in part}

    for key, part in map(json.loads, file["state_lines"]):
        if key.startswith("known:"):
            bare = {name: it for name, it in part.items() if name == "policy"}
            if bare:
                yield "of the log itself", "known:" + here, part
                yield "a policy of another", "known:other", part
                yield "a policy that is none", key, having(part, policy="")
            yield "a log without a name", "known:", {}
            yield "a balance of 0, said", key, having(part, balance=0)
            yield "nothing sent, said", key, having(part, sent=0)
            yield "no run, said", key, having(part, claimed=[])
            yield "less than the number sent", key, having(bare, sent=1)
            yield "less than the number sent", key, having(bare, balance=1, sent=2)
            yield "above 0, nothing sent", key, having(bare, balance=1, claimed=[[0, 0]])
            yield "below 0, nothing claimed", key, having(bare, balance=-1)
            for runs in ([[0, 1], [2, 3]], [[0, 0], [0, 1]], [[5, 5], [1, 1]], [[2, 1]], [[0, MOST + 1]], [[-1, 0]]):
                yield "runs", key, having(bare, balance=-9, claimed=runs)
