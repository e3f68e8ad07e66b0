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
import re
import sys

import receipts
from check import Refused, name as player_name, origin as origin_name, unhex
from check_entries import HALF, House, No, compact, read, tree_root
from receipts import Broken, Policy, hold, unbase64
from transfer_changes import changes, known_lines

MOST = 2**53 - 1
FILE = "entries-transfers.json"
# What no file of vectors may lead to without being told of it.
FAULTS = (No, Refused, Broken, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


# --- Entries in their one encoding: ../entries.md, "Encoding" -------------------------------------

class Unread(Exception):
    """A command or event that this program has no form for, and other pages may have."""


def form(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def accepted_by(parse):
    def holds(value):
        try:
            return isinstance(value, str) and parse(value) is not None
        except Refused:
            return False
    return holds


def whole(least, most):
    return lambda value: type(value) is int and least <= value <= most


def listed(item, least=0):
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(item, value))


def row(*forms):
    return lambda value: (
        isinstance(value, list) and len(value) == len(forms) and all(f(it) for f, it in zip(forms, value))
    )


PLAYER, ORIGIN = accepted_by(player_name), accepted_by(origin_name)
TEXT, LABEL = form(r"[\x20-\x7e]*"), form(r"[A-Za-z0-9._/ -]{1,64}")
HASH, SIGNATURE = form("[0-9a-f]{64}"), form("[0-9a-f]{128}")
NUMBER, MOVED = whole(0, MOST), whole(-MOST, MOST)
BARE = ("operator", "house", "anyone")
NAMED = ("player", "table", "pool", "fees", "bounties", "stakes", "tdollars")


def actor(value):
    if not isinstance(value, str):
        return False
    kind, _, who = value.partition(":")
    return value in BARE or kind in ("player", "auditor") and PLAYER(who)


def account(value):
    if not isinstance(value, str):
        return False
    kind, _, of = value.partition(":")
    if kind == "seat":
        table, _, number = of.rpartition("/")
        return PLAYER(table) and form("[1-9][0-9]{0,2}")(number) and int(number) <= 255
    if kind == "transfers":
        return ORIGIN(of)
    return value in ("cage", "house", "rake", "play", "tickets", "rounding_residual") or kind in NAMED and PLAYER(of)


# A name with a question mark is of a field that may be left out.
COMMANDS = {
    "start_dealer": {"origin": ORIGIN, "epoch": HASH, "master_id": HASH, "software": LABEL},
    "note_state": {"size": NUMBER, "root": HASH},
    "create_player": {"player": PLAYER, "key?": HASH},
    "admit_guest": {},
    "set_key": {"player": PLAYER, "key?": HASH, "reason?": LABEL},
    "credit": {"player": PLAYER, "amount": NUMBER, "reference?": LABEL},
    "know_log": {"log": ORIGIN, "policy?": TEXT},
    "transfer_out": {"to": ORIGIN, "player": PLAYER, "amount": NUMBER},
    "transfer_in": {"from": ORIGIN, "entry": TEXT, "receipt": TEXT},
}
EVENTS = {
    "dealer_started": {"origin": ORIGIN, "epoch": HASH, "master_id": HASH, "down_ms": NUMBER},
    "state_noted": {"size": NUMBER, "root": HASH},
    "player_created": {"player": PLAYER},
    "guest_admitted": {"player": PLAYER},
    "key_set": {"player": PLAYER, "key?": HASH, "from?": NUMBER, "old?": HASH},
    "posted": {"lines": listed(row(account, MOVED, MOVED))},
    "log_known": {"log": ORIGIN, "policy?": TEXT},
    "transferred_out": {"to": ORIGIN, "no": NUMBER, "player": PLAYER, "amount": NUMBER},
    "transferred_in": {"from": ORIGIN, "no": NUMBER, "index": NUMBER, "player": PLAYER, "amount": NUMBER},
}


def fields(forms):
    """An object with these fields in this order."""
    def holds(value):
        if not isinstance(value, dict):
            return False
        wanted = [name for name in forms if not name.endswith("?") or name[:-1] in value]
        return [name.rstrip("?") for name in wanted] == list(value) and all(
            forms[name](value[name.rstrip("?")]) for name in wanted
        )
    return holds


def one_of(known):
    def holds(value):
        if not isinstance(value, dict) or len(value) != 1:
            return False
        (name, content), = value.items()
        if name not in known:
            raise Unread(name)
        return fields(known[name])(content)
    return holds


ENTRY = fields({
    "v": whole(1, 1),
    "time": NUMBER,
    "by": actor,
    "at?": fields({"table": PLAYER, "seq": NUMBER}),
    "before?": listed(row(PLAYER, NUMBER), 1),
    "command": one_of(COMMANDS),
    "signed?": fields({"nonce": whole(1, MOST), "signature": SIGNATURE}),
    "events": listed(one_of(EVENTS)),
})


def entry_of(text):
    """The entry of a text in its one encoding, or None."""
    if len(text) > 65_535 or not re.fullmatch(r"[\x20-\x7e]*", text):
        return None
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    # Twice the same field, white space, and another spelling of a value are seen by writing it again.
    return entry if ENTRY(entry) and json.dumps(entry, separators=(",", ":")) == text else None


def in_order(command):
    """A command with its fields as an entry has them: the vectors hold refused ones by name."""
    (name, content), = command.items()
    forms = COMMANDS[name]
    order = [field.rstrip("?") for field in forms]
    command = {name: {field: content[field] for field in sorted(content, key=order.index)}}
    if not one_of(COMMANDS)(command):
        raise ValueError("no command: " + compact(command)[:200])
    return command


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

class Reasons(No):
    """Refused; `codes` are all the reasons, `faults` what a claim lacks."""

    def __init__(self, codes, faults=()):
        super().__init__("/".join(sorted(codes)))
        self.codes, self.faults = codes, faults


class Known:
    """Another log: `policy` is the base64 of the one in force, or None; `claimed` are numbers."""

    def __init__(self):
        self.policy, self.sent, self.claimed = None, 0, set()


class Sender(House):
    """A house that sends chips and claims them. `roots` are those of the states so far, as they follow."""

    def __init__(self, master):
        super().__init__(master)
        self.known, self.idle_since, self.admitted = {}, {}, 0
        self.accounts.update(rake=0, tickets=0, rounding_residual=0)
        self.roots, self.noted, self.size, self.started = [], 0, 0, 0

    def decide(self, now, by, command, signed=None):
        entry = super().decide(now, by, command, signed)
        if by[7:] in self.idle_since:
            self.idle_since[by[7:]] = self.time
        if "start_dealer" in command:
            self.started = self.time
        return entry

    def admit_guest(self, _, __, ___):
        self.only("house")
        guest, self.admitted = "guest.%d" % self.admitted, self.admitted + 1
        self.accounts["player:" + guest], self.idle_since[guest] = 0, self.time
        self.event("guest_admitted", player=guest)
        self.post(("play", -100_000), ("player:" + guest, 100_000))

    def note_state(self, c, _, __):
        super().note_state(c, _, __)
        if c["root"] != self.roots[c["size"] - 1]:
            raise ValueError("the state noted is another")

    def in_force(self, log):
        return self.known[log].policy if log in self.known else None

    def player_faults(self, player):
        codes = {"unknown_player"} if "player:" + player not in self.accounts else set()
        return codes | ({"other_chips"} if player.startswith("guest.") else set())

    def key_waits(self, player):
        change = self.waits(player)
        return change is not None and change[0] is not None

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
        key, waits = self.key_of(player), self.key_waits(player)
        if self.by == "operator" and (key or waits) or self.by != "operator" and waits and not key:
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

    # --- The state's lines: ../state.md ---------------------------------------------------------

    def lines(self):
        parts = {"log": self.log_part()}
        for account in self.accounts:
            if account.startswith("player:"):
                parts[account] = self.player_part(account[7:])
        for name, log in self.known.items():
            parts["known:" + name] = present(
                policy=log.policy,
                balance=self.accounts["transfers:" + name] or None,
                sent=log.sent or None,
                claimed=runs_of(log.claimed) or None,
            )
        return [compact([key, parts[key]]) for key in sorted(parts)]

    def log_part(self):
        accounts = {name: self.accounts[name] for name in ("cage", "house", "rake")}
        rest = {name: self.accounts[name] or None for name in ("tickets", "rounding_residual", "play")}
        said = {name: self.start[name] for name in ("origin", "epoch", "master_id")}
        times = {"time": self.last, "started": self.started, "ready": self.started, "noted": self.noted or None}
        return present(**said, **times, **accounts, **rest, admitted=self.admitted or None)

    def player_part(self, player):
        change = self.waits(player)
        return present(
            balance=self.funds(player),
            idle_since=self.idle_since.get(player),
            key=self.key_of(player),
            waiting=present(key=change[0], **{"from": change[1]}) if change else None,
            nonce=self.nonces.get(player),
        )


def present(**parts):
    return {name: part for name, part in parts.items() if part is not None}


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

class Wrong(Exception):
    """Something that does not follow."""


def same(got, follows, what):
    if got != follows:
        raise Wrong("%s:\n  is      %s\n  follows %s" % (what, str(got)[:2000], str(follows)[:2000]))


def refuses(house, case, counts):
    """One refused command, on the state as it is."""
    what = "refusal after %d (%s)" % (case["after_entries"], case["code"])
    if set(case) - {"signed"} != {"after_entries", "by", "code", "command", "now"} or not actor(case["by"]):
        raise Wrong(what + ": its fields")
    try:
        house.decide(case["now"], case["by"], in_order(case["command"]), case.get("signed"))
    except No as no:
        codes = getattr(no, "codes", {str(no)})
        if case["code"] not in codes:
            raise Wrong("%s: %s" % (what, no)) from None
        counts["refusals"] += 1
        counts["with one reason"] += len(codes) == 1
        counts.update("claim: " + fault for fault in getattr(no, "faults", ()))
        return
    raise Wrong(what + ": accepted")


def check(file):
    """Counts of what was decided; Wrong where something does not follow."""
    counts, house = collections.Counter(), Sender(unhex(file["master"]))
    same(len(file["state_roots"]), len(file["entries"]), "roots")
    cases = collections.defaultdict(list)
    for case in file["refused"]:
        cases[case["after_entries"]].append(case)
    for index in range(len(file["entries"]) + 1):
        house.size = index
        for case in cases.pop(index, []):
            refuses(house, case, counts)
        if index == len(file["entries"]):
            break
        text = file["entries"][index]
        given = entry_of(text)
        if given is None:
            raise Wrong("entry %d is not in its one encoding" % index)
        if given["time"] < house.last:
            raise Wrong("entry %d is before the one before it" % index)
        try:
            again = compact(house.decide(given["time"], given["by"], given["command"], given.get("signed")))
        except Reasons as no:
            again = "refused: %s %s" % (no, no.faults)
        except No as no:
            again = "refused: %s" % no
        same(text, again, "entry %d" % index)
        (name, _), = given["command"].items()
        counts.update(["entries", name])
        check_ledger(house)
        house.roots.append(tree_root([line.encode("ascii") for line in house.lines()]))
        same(file["state_roots"][index], house.roots[-1], "root of the state after entry %d" % index)
    same(sorted(cases), [], "refusals after entries that there are not")
    same(file["balances"], house.accounts, "balances")
    same(file["state_lines"], house.lines(), "the state's lines")
    check_lines(file["state_lines"], house.start["origin"])
    return counts


def check_ledger(house):
    """../ledger.md, "Invariants", and what transfers: accounts are by the numbers alone."""
    play = lambda account: account == "play" or account.startswith("player:guest.")
    same(sum(house.accounts.values()), 0, "the sum of all accounts")
    same(sum(balance for name, balance in house.accounts.items() if play(name)), 0, "the sum of play chips")
    for name, balance in house.accounts.items():
        negative = name in ("cage", "house", "play") or name.startswith("transfers:")
        if not (-MOST if negative else 0) <= balance <= MOST:
            raise Wrong("%s: %d" % (name, balance))


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
    held = {kind: len(good[kind]) for kind in ("receipts", "policies")}
    print("log-receipts.json: " + said(held) + "; log-broken.json refused: " + said(counts))


def said(counts):
    return ", ".join("%d %s" % (many, what) for what, many in counts.items())


# --- The self-test --------------------------------------------------------------------------------

def self_test(file):
    noticed, missed = collections.Counter(), []
    for what, other in changes(file):
        try:
            check(other)
            missed.append(what)
        except (Wrong, Unread, *FAULTS):
            noticed[what] += 1
    here = json.loads(file["entries"][0])["command"]["start_dealer"]["origin"]
    for what, key, part in known_lines(file, here):
        if is_known_line(key, part, here):
            missed.append("known: " + what)
        else:
            noticed["known: " + what] += 1
    print("self-test: %d changes noticed of %d, of %d kinds" % (
        sum(noticed.values()), sum(noticed.values()) + len(missed), len(noticed)))
    if missed:
        raise Wrong("not noticed: " + said(collections.Counter(missed)))


def main():
    try:
        file = read(FILE)
        counts = check(file)
        claims = {name[7:]: many for name, many in sorted(counts.items()) if name.startswith("claim: ")}
        print("%s: %s" % (FILE, said({name: n for name, n in counts.items() if not name.startswith("claim: ")})))
        print("  claims refused for: " + said(claims))
        check_receipts()
        if "--self-test" in sys.argv[1:]:
            self_test(file)
    except (Wrong, Unread, *FAULTS) as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
