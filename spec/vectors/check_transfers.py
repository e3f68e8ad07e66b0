#!/usr/bin/env python3
"""Decides every command of entries-transfers.json again, from the text of ../transfers.md and the pages that it
names alone (../entries.md, ../ledger.md, ../state.md, ../receipts.md, ../log.md), and compares the bytes: policies,
numbers, runs, postings, each claim's receipt (path, signatures, witnesses), the root of the state after every entry.
Receipts, policies, keys and checkpoints of log-receipts.json and log-broken.json are read too.

Of a refused command it finds every reason that stands against it, as ../entries.md leaves open which of several is
told: the vector's code must be among them. `--self-test` then changes the vectors (transfer_changes.py), and wants each
change noticed. Standard library only. Exit 0: all are the same. 1: one is not. 2: unreadable file."""

import collections
import functools
import json
import sys

import receipts
from check import unhex
from check_entries import HALF, read
from entry_forms import MOST, MOVED, NUMBER, ORIGIN, TEXT, entry_of, fields, listed, present, row, whole
from plain_house import FAULTS, Followed, PlainHouse, Reasons, Wrong, follow, said, same, self_test
from receipts import Broken, Policy, hold, unbase64
from transfer_changes import changes, known_lines

FILE = "entries-transfers.json"


# --- Policies and claims --------------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def policy_of(text, log):
    """The policy of a `know_log`."""
    data = unbase64(text, "policy")
    hold(len(data) <= 8192, "policy")
    policy = Policy(data)
    hold([key.name for key in policy.logs] == [log], "policy")
    return policy


@functools.lru_cache(maxsize=None)
def claim(policy, log, here, text, receipt):
    """`(claim, faults)`: index and event, or why it does not hold: what the receipt lacks, and what the entry."""
    faults, shown = [], None
    try:
        data = unbase64(receipt, "base64")
        hold(len(data) <= 16_384, "receipt too long")
        shown = receipts.verify(data, text.encode("ascii"), policy_of(policy, log))
        hold(shown.index <= MOST, "index too high")
    except Broken as fault:
        faults.append(str(fault))
    entry = entry_of(text)
    if len(text) > 4096:
        faults.append("entry too long")
    elif entry is None:
        faults.append("encoding")
    elif "transfer_out" not in entry["command"]:
        faults.append("other command")
    elif not entry["events"] or "transferred_out" not in entry["events"][-1]:
        faults.append("other last event")
    elif entry["events"][-1]["transferred_out"]["to"] != here:
        faults.append("to another log")
    if faults:
        return None, tuple(faults)
    return (shown.index, entry["events"][-1]["transferred_out"]), ()


def runs_of(numbers):
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


# --- The house ------------------------------------------------------------------------------------

class Known:
    """Another log: `policy` is the base64 of the one in force, or None; `claimed` are numbers."""

    def __init__(self):
        self.policy, self.sent, self.claimed = None, 0, set()


class Sender(PlainHouse):
    """A house that sends chips and claims them."""

    def __init__(self, master):
        super().__init__(master)
        self.known = {}

    def in_force(self, log):
        return self.known[log].policy if log in self.known else None

    def know_log(self, c, _, __):
        log, policy, codes = c["log"], c.get("policy"), set()
        if self.by != "operator":
            codes.add("not_allowed")
        if log == self.start["origin"] or log not in self.known and len(self.known) >= 256:
            codes.add("malformed")
        try:
            if policy is not None:
                policy_of(policy, log)
        except Broken:
            codes.add("malformed")
        if policy == self.in_force(log):
            codes.add("nothing_to_do")
        if codes:
            raise Reasons(codes)
        self.known.setdefault(log, Known()).policy = policy
        self.accounts.setdefault("transfers:" + log, 0)
        self.event("log_known", log=log, **({} if policy is None else {"policy": policy}))

    def transfer_out(self, c, _, who):
        to, player, amount, codes = c["to"], c["player"], c["amount"], self.player_faults(c["player"])
        if self.by != "operator" and who != player:
            codes.add("not_allowed")
        if self.in_force(to) is None:
            codes.add("unknown_log")
        if amount > self.accounts.get("player:" + player, MOST):
            codes.add("insufficient_balance")
        if amount < 1 or self.accounts.get("transfers:" + to, 0) + amount > MOST:
            codes.add("amount_out_of_range")
        if self.chips_are_locked(player):
            codes.add("signature_missing")
        if codes:
            raise Reasons(codes)
        log = self.known[to]
        self.before = [[player, self.funds(player)]]
        self.post(("player:" + player, -amount), ("transfers:" + to, amount))
        self.event("transferred_out", to=to, no=log.sent, player=player, amount=amount)
        log.sent += 1

    def transfer_in(self, c, _, who):
        source, codes, faults, held = c["from"], set(), (), None
        if self.by.startswith("player:") and not who:
            codes.add("not_allowed")
        if self.in_force(source) is None:
            codes.add("unknown_log")
        else:
            held, faults = claim(self.in_force(source), source, self.start["origin"], c["entry"], c["receipt"])
        if faults:
            codes.add("claim_refused")
        if held:
            index, sent = held
            player, amount = sent["player"], sent["amount"]
            codes |= self.player_faults(player)
            if sent["no"] in self.known[source].claimed:
                codes.add("already_claimed")
            if self.accounts.get("player:" + player, 0) + amount > HALF or amount < 1:
                codes.add("amount_out_of_range")
            if self.accounts["transfers:" + source] - amount < -MOST:
                codes.add("amount_out_of_range")
        if codes:
            raise Reasons(codes, faults)
        self.before = [[player, self.funds(player)]]
        self.post(("transfers:" + source, -amount), ("player:" + player, amount))
        self.event("transferred_in", **{"from": source}, no=sent["no"], index=index, player=player, amount=amount)
        self.known[source].claimed.add(sent["no"])

    def more_parts(self):
        return {
            "known:" + name: present(
                policy=log.policy,
                balance=self.accounts["transfers:" + name] or None,
                sent=log.sent or None,
                claimed=runs_of(log.claimed) or None,
            )
            for name, log in self.known.items()
        }


def is_known_line(key, part, here):
    """Whether a reader may take this line of another log: ../transfers.md, "In the state"."""
    log = key[len("known:"):]
    runs = listed(row(NUMBER, NUMBER), 1)
    forms = {"policy?": TEXT, "balance?": MOVED, "sent?": whole(1, MOST), "claimed?": runs}
    if not ORIGIN(log) or log == here or not fields(forms)(part) or part.get("balance") == 0:
        return False
    try:
        if "policy" in part:
            policy_of(part["policy"], log)
    except Broken:
        return False
    claimed, balance, sent = part.get("claimed", []), part.get("balance", 0), part.get("sent", 0)
    ends = [end for run in claimed for end in run]
    apart = all(b - a > 1 for a, b in zip(ends[1::2], ends[2::2])) and all(a <= b for a, b in claimed)
    return apart and (sent > 0 or balance <= 0) and (bool(claimed) or balance >= sent)


# --- The file -------------------------------------------------------------------------------------

def check(file, following=None):
    """Counts of what was decided; Wrong where something does not follow. `following` is what follows a file, unless it
    is followed from its beginning."""
    counts = following(file) if following else follow(file, Sender(unhex(file["master"])))
    check_lines(file["state_lines"], origin_of(file))
    return counts


def origin_of(file):
    return json.loads(file["entries"][0])["command"]["start_dealer"]["origin"]


def check_lines(lines, here):
    pairs = [json.loads(line) for line in lines]
    keys = [key for key, _ in pairs]
    same(keys, sorted(set(keys)), "the order of the state's lines")
    known = [(key, part) for key, part in pairs if key.startswith("known:")]
    if len(known) > 256 or not all(is_known_line(key, part, here) for key, part in known):
        raise Wrong("a line of another log that a reader refuses")


def check_receipts():
    """Receipts, policies, checkpoints and keys that hold, and such that do not."""
    good, bad, counts = read("log-receipts.json"), read("log-broken.json"), collections.Counter()
    for case in good["receipts"]:
        shown = receipts.verify(
            case["receipt"].encode("utf-8"), bytes.fromhex(case["entry_hex"]), Policy(case["policy"].encode("utf-8"))
        )
        same([case["index"], case["size"], case["cosigned_at"]], [*shown[:2], shown.cosigned], case["what"])
    for case in good["policies"]:
        Policy(bytes.fromhex(case["hex"]))
    for case in good["own_times"]:
        time = receipts.own_time(case["checkpoint"].encode("utf-8"), receipts.key(case["log_key"].encode("utf-8")))
        same(case["own_time"], None if time is None else str(time), case["what"])
    for case in good["keys"]:
        same(case["name"], receipts.key(case["key"].encode("utf-8")).name, case["what"])
    log = receipts.key(bad["log_key"].encode("utf-8"))

    def checkpoint(case):
        origin, _, _ = receipts.checkpoint(receipts.open_note(case["input"].encode("utf-8"), [log])[0])
        hold(origin == log.name, "origin")

    tries = {
        "receipts": lambda case: receipts.verify(
            case["input"].encode("utf-8"), bytes.fromhex(case["entry_hex"]), Policy(case["policy"].encode("utf-8"))
        ),
        "policies": lambda case: Policy(bytes.fromhex(case["hex"])),
        "checkpoints": checkpoint,
        "keys": lambda case: receipts.key(case["input"].encode("utf-8")),
    }
    for kind, attempt in tries.items():
        for case in bad[kind]:
            try:
                attempt(case)
            except Broken:
                counts[kind] += 1
                continue
            raise Wrong("%s: %s: accepted" % (kind, case["why"]))
    held = {kind: len(good[kind]) for kind in ("receipts", "policies", "own_times", "keys")}
    print("log-receipts.json: " + said(held) + "; log-broken.json refused: " + said(counts))


def tries(file):
    """For the self-test: what was changed, and a call that is false, or raises, where it is noticed."""
    followed, here = Followed(file, Sender(unhex(file["master"]))), origin_of(file)
    for what, other in changes(file):
        yield what, functools.partial(check, other, followed.follow)
    for what, key, part in known_lines(file, here):
        yield "known: " + what, functools.partial(is_known_line, key, part, here)


def main():
    try:
        file = read(FILE)
        counts = check(file)
        claims = {name[7:]: many for name, many in sorted(counts.items()) if name.startswith("claim: ")}
        print("%s: %s" % (FILE, said({name: n for name, n in counts.items() if not name.startswith("claim: ")})))
        print("  claims refused for: " + said(claims))
        check_receipts()
        if "--self-test" in sys.argv[1:]:
            self_test(tries(file))
    except FAULTS as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
