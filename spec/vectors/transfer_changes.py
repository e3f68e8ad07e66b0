"""Changes of entries-transfers.json that a checker must notice: check_transfers.py makes them for its self-test."""

import base64
import json

from check_entries import compact

MOST = 2**53 - 1


def places(thing, path=()):
    """Where integers are in a parsed text."""
    if type(thing) is int:
        yield path
    elif isinstance(thing, (dict, list)):
        for at in thing if isinstance(thing, dict) else range(len(thing)):
            yield from places(thing[at], (*path, at))


def raised(text, path):
    thing = json.loads(text)
    at = thing
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] += 1
    return compact(thing)


def flipped(text, at):
    """Another letter or digit in the place of one."""
    return text[:at] + ("B" if text[at] == "A" else "A") + text[at + 1:]


def respelled(text):
    thing = json.loads(text)
    yield "a blank", text.replace(",", ", ", 1)
    yield "fields in another order", compact(dict(reversed(thing.items())))
    yield "a field twice", text.replace('{"v":1,', '{"v":1,"v":1,')
    by = thing["by"]
    yield "a letter escaped", text.replace('"by":"%s"' % by, '"by":"\\u%04x%s"' % (ord(by[0]), by[1:]), 1)
    yield "one more field", text[:-1] + ',"note":1}'
    yield "no events", compact({**thing, "events": []})
    yield "by a stranger", compact({**thing, "by": "player:nobody"})


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

    def with_(**other):
        return compact({**entry, "command": {"transfer_in": {**given, **other}}})

    receipt = base64.b64decode(given["receipt"]).decode("utf-8")
    for what, other in receipts_changed(receipt, has_quorum):
        yield what, with_(receipt=base64.b64encode(other.encode("utf-8")).decode())
    yield "a receipt with a blank", with_(receipt=given["receipt"] + " ")
    yield "no receipt", with_(receipt="")
    yield "another player on the other log", with_(entry=given["entry"].replace('"player":"', '"player":"x'))
    yield "another amount on the other log", with_(entry=given["entry"].replace('}}]}', '0}}]}'))
    yield "an entry with a blank", with_(entry=given["entry"] + " ")
    yield "of another log", with_(**{"from": "fairshoe.example/c"})


def changes(file):
    """Changed copies of the file, of which each must be noticed; with what was changed."""
    def with_(key, at, value):
        return {**file, key: file[key][:at] + value + file[key][at + 1:]}

    def rooted(at, end, order):
        """Entries from `at` to `end` in another order, or fewer or more, and their roots with them."""
        roots = file["state_roots"]
        return {
            **file,
            "entries": file["entries"][:at] + [file["entries"][i] for i in order] + file["entries"][end:],
            "state_roots": roots[:at] + [roots[i] for i in order] + roots[end:],
        }

    quorums = {}
    for at, text in enumerate(file["entries"]):
        entry = json.loads(text)
        (name, given), = entry["command"].items()
        for path in places(entry):
            yield "entry: a number raised", with_("entries", at, [raised(text, path)])
        for what, other in respelled(text):
            yield "entry: " + what, with_("entries", at, [other])
        yield "entry: left out", rooted(at, at + 1, [])
        yield "entry: twice", rooted(at, at + 1, [at, at])
        if at + 1 < len(file["entries"]):
            yield "entries: two swapped", rooted(at, at + 2, [at + 1, at])
        yield "root: another", with_("state_roots", at, [file["state_roots"][at - 1]])
        case = {"after_entries": at, "by": entry["by"], "command": entry["command"], "now": entry["time"]}
        if "signed" in entry:
            case["signed"] = entry["signed"]
        for code in ("malformed", "claim_refused", "amount_out_of_range"):
            yield "refusal: accepted", {**file, "refused": [*file["refused"], {**case, "code": code}]}
        if name == "know_log" and "policy" in given:
            policy = base64.b64decode(given["policy"])
            quorums[given["log"]] = b"quorum none" not in policy
            other = base64.b64encode(b"# \n" + policy).decode()
            yield "policy: one more line", with_("entries", at, [text.replace(given["policy"], other)])
            other = text.replace(given["policy"], flipped(given["policy"], 80))
            yield "policy: a letter changed", with_("entries", at, [other])
        if name == "know_log":
            other = text.replace('{"log_known"', '{"log_unknown"')
            yield "policy: an event by another name", with_("entries", at, [other])
        if name == "transfer_in":
            for what, other in claims_changed(text, quorums[given["from"]]):
                yield "claim: " + what, with_("entries", at, [other])
    for at, case in enumerate(file["refused"]):
        for code in sorted({"not_allowed", "claim_refused", "unknown_log", "already_claimed"} - {case["code"]})[:2]:
            yield "refusal: another code", with_("refused", at, [{**case, "code": code}])
        yield "refusal: after no entry", with_("refused", at, [{**case, "after_entries": 99}])
        yield "refusal: by nobody", with_("refused", at, [{**case, "by": "somebody"}])
    for name, balance in file["balances"].items():
        yield "balance: raised", {**file, "balances": {**file["balances"], name: balance + 1}}
        yield "balance: left out", {**file, "balances": {n: b for n, b in file["balances"].items() if n != name}}
    yield "balance: one more", {**file, "balances": {**file["balances"], "transfers:nowhere": 0}}
    for at, line in enumerate(file["state_lines"]):
        for path in places(json.loads(line)):
            yield "line: a number raised", with_("state_lines", at, [raised(line, path)])
        yield "line: left out", with_("state_lines", at, [])
        yield "line: twice", with_("state_lines", at, [line, line])


def known_lines(file, here):
    """Lines of another log that this log, `here`, does not leave, made of those in the file."""
    def with_(part, **other):
        part = {**part, **other}
        return {name: part[name] for name in ("policy", "balance", "sent", "claimed") if name in part}

    for key, part in map(json.loads, file["state_lines"]):
        if key.startswith("known:"):
            bare = {name: it for name, it in part.items() if name == "policy"}
            if bare:
                yield "of the log itself", "known:" + here, part
                yield "a policy of another", "known:other", part
                yield "a policy that is none", key, with_(part, policy="")
            yield "a log without a name", "known:", {}
            yield "a balance of 0, said", key, with_(part, balance=0)
            yield "nothing sent, said", key, with_(part, sent=0)
            yield "no run, said", key, with_(part, claimed=[])
            yield "less than the number sent", key, with_(bare, sent=1)
            yield "less than the number sent", key, with_(bare, balance=1, sent=2)
            yield "above 0, nothing sent", key, with_(bare, balance=1, claimed=[[0, 0]])
            yield "below 0, nothing claimed", key, with_(bare, balance=-1)
            for runs in ([[0, 1], [2, 3]], [[0, 0], [0, 1]], [[5, 5], [1, 1]], [[2, 1]], [[0, MOST + 1]], [[-1, 0]]):
                yield "runs", key, with_(bare, balance=-9, claimed=runs)
