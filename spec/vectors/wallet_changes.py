"""Changes of entries-wallet.json and wallet.json that a checker must notice: check_wallet.py makes them for its
self-test."""

import copy
import json

from check_entries import compact
from entry_forms import CALLS, MOST
from file_changes import log_changes, places, raised, with_

CODES = ("unknown_operation", "too_many_operations", "other_chips", "nothing_to_do")
STATES = ("reserved", "committed", "cancelled", "paid", "refused")


def events_changed(entry, players):
    """Other events of the same command, or the command and its events together another."""
    (name, given), = entry["command"].items()
    events = entry["events"]

    def instead(at, *others):
        return {**entry, "events": events[:at] + list(others) + events[at + 1:]}

    for at, event in enumerate(events):
        yield "an event twice", instead(at, event, event)
        yield "an event left out", instead(at)
        if at:
            yield "events swapped", {**entry, "events": events[:at - 1] + [event, events[at - 1]] + events[at + 1:]}
        (kind, it), = event.items()
        if kind in ("wallet_asked", "wallet_answered"):
            for call in sorted(set(CALLS) - {it["call"]}):
                yield "another call in an event", instead(at, {kind: {**it, "call": call}})
        if kind == "wallet_asked":
            for player in sorted(set(players) - {it["player"]})[:2]:
                yield "another player in an event", instead(at, {kind: {**it, "player": player}})
        if kind == "wallet_answered":
            answer = {"accepted": "refused", "refused": "accepted"}[it["answer"]]
            yield "another answer in an event", instead(at, {kind: {**it, "answer": answer}})
            yield "another reason in an event", instead(at, {kind: {**it, "reason": "another"}})
            yield "no reason in an event", instead(at, {kind: {n: v for n, v in it.items() if n != "reason"}})
    yield "the answer's event alone", {**entry, "events": [e for e in events if "wallet_answered" in e]}
    if events and "posted" in events[0]:
        swapped = {"posted": {"lines": events[0]["posted"]["lines"][::-1]}}
        yield "lines of a posting swapped", instead(0, swapped)

    def both(**other):
        """The same field, of another value, in the command and in each event that has it."""
        changed = copy.deepcopy(entry)
        for it in (changed["command"][name], *(next(iter(event.values())) for event in changed["events"])):
            it.update({field: value for field, value in other.items() if field in it})
        return changed

    if name == "wallet_answer":
        for call in sorted(set(CALLS) - {given["call"]}):
            yield "of another call", both(call=call)
        yield "another answer", both(answer={"accepted": "refused", "refused": "accepted"}[given["answer"]])
        if given["answer"] == "accepted":
            changed = json.loads(compact(entry).replace('"answer":"accepted"', '"answer":"accepted","reason":"x"'))
            yield "a reason to accept", changed
    if "no" in given:
        yield "of another operation", both(no=given["no"] + 1)
    if "amount" in given:
        yield "another amount", both(amount=given["amount"] + 1)
        for player in sorted(set(players) - {given["player"]})[:3]:
            yield "of another player", both(player=player)
    # Operator and player may both ask, and which of them did leaves the same state where the player has no key.
    asked = next((event["wallet_asked"] for event in events if "wallet_asked" in event), {})
    either = {"operator", "player:" + asked["player"]} if asked and name != "wallet_answer" else set()
    for by in ("operator", "house", "anyone", *("player:" + player for player in players)):
        if by != entry["by"] and not {by, entry["by"]} <= either:
            yield "by another", {**entry, "by": by}


def changes(log):
    """Changed copies of the log's file, of which each must be noticed; with what was changed."""
    yield from log_changes(log, CODES)
    players = [json.loads(line)[0][7:] for line in log["state_lines"] if line.startswith('["player:')]
    for at, text in enumerate(log["entries"]):
        entry = json.loads(text)
        if next(iter(entry["command"])).startswith("wallet_"):
            for what, other in events_changed(entry, players):
                other = compact(other)
                if other != text:
                    yield "wallet: " + what, with_(log, "entries", at, [other])


def refused_states(lines):
    """Lines of a state that no reader takes, made of those in the file."""
    pairs = [json.loads(line) for line in lines]
    parts = dict(pairs)
    log = parts["log"]
    many = log.get("operations", 0)
    guests = [key[7:] for key in parts if key.startswith("player:guest.")]
    others = [key[7:] for key in parts if key.startswith("player:") and not key.startswith("player:guest.")]
    bare = {key: part for key, part in parts.items() if not key.startswith("wallet:")}

    def written(parts):
        return [compact([key, parts[key]]) for key in sorted(parts)]

    def line(no="0", **other):
        return written({**bare, "wallet:" + no: {"call": "reserve", "player": others[0], "amount": 5, **other}})

    yield "a number that there was not", line(str(many))
    yield "a number far beyond", line(str(MOST + 1))
    for no in ("00", "01", "", "-1", "+1", "1.0", " 0", "one"):
        yield "a number in another spelling", line(no)
    for guest in guests:
        yield "a guest", line(player=guest)
    yield "a guest who is not there", line(player="guest.999")
    yield "a player who is not there", line(player="nobody-at-all")
    yield "an amount of 0", line(amount=0)
    yield "an amount below 0", line(amount=-1)
    yield "an amount out of range", line(amount=MOST + 1)
    yield "another call", line(call="ask")
    yield "one more field", line(reason="x")
    part = {"call": "reserve", "player": others[0], "amount": 5}
    for name in part:
        yield "a field missing", written({**bare, "wallet:0": {n: v for n, v in part.items() if n != name}})
    yield "fields in another order", written({**bare, "wallet:0": dict(reversed(part.items()))})
    nine = {"wallet:%d" % no: part for no in range(9)}
    yield "nine of one player", written({**bare, "log": {**log, "operations": max(many, 9)}, **nine})
    some = {"player:p%d" % no: {"balance": 0} for no in range(8193)}
    too_many = {"wallet:%d" % no: {**part, "player": "p%d" % (no // 8)} for no in range(65_537)}
    yield "too many of all", written({**bare, "log": {**log, "operations": 65_537}, **some, **too_many})
    yield "no operation, said", written({**bare, "log": {**log, "operations": 0}})
    yield "an account of 0, said", written({**bare, "log": {**log, "wallet": 0}})
    yield "an account out of range", written({**bare, "log": {**log, "wallet": -MOST - 1}})
    lines = line()
    yield "a line twice", lines[:-1] + [lines[-1]] * 2
    yield "lines in another order", lines[::-1]


# --- Statements -----------------------------------------------------------------------------------

def lines_changed(case):
    """Other statements, of which none may give what this one gives."""
    gives, lines = case["gives"], case["statement"]
    listed = {it["no"] for name in ("under_way", "differs") for it in gives[name]}
    later = {it["no"] for it in gives["later"]}
    for at, line in enumerate(lines):
        it = json.loads(line)

        def instead(*others):
            return [*lines[:at], *others, *lines[at + 1:]]

        # What nobody holds against a log is not said of an operation: that the wallet knows of one that moved nothing,
        # and of a later one whose it is and, where it moved nothing, how much.
        moved_nothing = it["state"] in ("refused", "cancelled")
        open_to_both = moved_nothing and it["no"] not in listed | later
        for path in places(it):
            if not (path == ("amount",) and it["no"] in later and moved_nothing):
                yield "a number raised", instead(raised(line, path))
        for state in STATES:
            if state != it["state"] and not (open_to_both and state in ("refused", "cancelled")):
                yield "another state", instead(compact({**it, "state": state}))
        if not open_to_both:
            yield "a line left out", instead()
        if it["no"] not in later:
            kind = {"deposit": "withdrawal", "withdrawal": "deposit"}[it["kind"]]
            yield "another kind", instead(compact({**it, "kind": kind}))
            yield "another player", instead(compact({**it, "player": it["player"] + "x"}))
        yield "a line twice", instead(line, line)
        if at:
            yield "two swapped", [*lines[:at - 1], line, lines[at - 1], *lines[at + 1:]]
        yield "another log's", instead(compact({**it, "log": it["log"] + "x"}))
        for name in ("log", "no", "kind", "player", "amount", "state"):
            yield "a field missing", instead(compact({n: v for n, v in it.items() if n != name}))
            yield "a field that is none", instead(compact({**it, name: None}))
            yield "a field of another form", instead(compact({**it, name: -1}))
            yield "a field of another form", instead(compact({**it, name: "?"}))
            yield "a field twice", instead(line[:-1] + ',%s:%s}' % (compact(name), compact(it[name])))
        yield "no line", instead("", line)
        yield "half a line", instead(line[:-1])
        yield "two on one line", instead(line + line)
        yield "a list", instead("[%s]" % line)
        yield "another word", instead("null")


def statement_changes(case):
    """Changed copies of a case of wallet.json, of which each must be noticed; with what was changed."""
    origin = {**case, "origin": case["origin"] + "x"}
    yield "another origin", origin
    yield "one more field", {**case, "note": 1}
    if "gives" not in case:
        told = {name: it for name, it in case.items() if name != "unreadable"}
        yield "unreadable, not said", told
        yield "unreadable, denied", {**case, "unreadable": False}
        yield "unreadable, read", {**told, "gives": {}}
        return
    gives = case["gives"]
    yield "readable, denied", {**{n: it for n, it in case.items() if n != "gives"}, "unreadable": True}
    for what, lines in lines_changed(case):
        yield what, {**case, "statement": lines}
    for path in places(gives):
        yield "gives: a number raised", {**case, "gives": json.loads(raised(compact(gives), path))}
    for verdict in ("differs", "overdue", "under_way", "reconciled"):
        if verdict != gives["verdict"]:
            yield "gives: another verdict", {**case, "gives": {**gives, "verdict": verdict}}
    if gives["verdict"] == "under_way" and gives["under_way"]:
        yield "gives: a later time", {**case, "now": gives["under_way"][0]["since"] + 259_200_001}
    for name in gives:
        yield "gives: a field missing", {**case, "gives": {n: it for n, it in gives.items() if n != name}}
    for name in ("under_way", "later", "differs"):
        them = gives[name]
        for at, it in enumerate(them):
            def instead(*others):
                return {**case, "gives": {**gives, name: [*them[:at], *others, *them[at + 1:]]}}

            yield "gives: one left out", instead()
            yield "gives: one twice", instead(it, it)
            for field in it:
                yield "gives: a part missing", instead({n: v for n, v in it.items() if n != field})
                if type(it[field]) is str:
                    yield "gives: another word", instead({**it, field: it[field] + "x"})
        if len(them) > 1:
            yield "gives: in another order", {**case, "gives": {**gives, name: them[::-1]}}
