#!/usr/bin/env python3
"""Decides every command of entries-wallet.json again, from the text of ../wallet.md and the pages that it names alone
(../entries.md, ../ledger.md, ../state.md, ../log.md), and compares the bytes: numbers, postings, what is asked of the
wallet, signatures, the lines and the root of the state after every entry. Then holds that log, as far as each case of
wallet.json has it, against the case's statement of the wallet, and compares the whole of what comes out.

Of a refused command it finds every reason that stands against it, as ../entries.md leaves open which of several is
told: the vector's code must be among them. `--self-test` then changes both files (wallet_changes.py), and wants each
change noticed. Standard library only. Exit 0: all are the same. 1: one is not. 2: unreadable file."""

import collections
import functools
import json
import re
import sys

from check import unhex
from check_entries import HALF, read
from entry_forms import CALL, MOST, MOVED, NUMBER, ORIGIN, PLAYER, fields, present, whole
from plain_house import FAULTS, Followed, PlainHouse, Reasons, Wrong, follow, said, same, self_test
from wallet_changes import changes, refused_states, statement_changes

LOG, STATEMENTS = "entries-wallet.json", "wallet.json"
OF_ONE, OF_ALL = 8, 65_536
BEGINS = {"reserve": "deposit", "pay": "withdrawal"}
LATE = 259_200_000  # What is under way for longer is overdue.


# --- The house ------------------------------------------------------------------------------------

Open = collections.namedtuple("Open", "kind player amount call")


class Banked(PlainHouse):
    """A house whose operator has a wallet. `open` are the open operations by their number."""

    def __init__(self, master):
        super().__init__(master)
        self.accounts["wallet"] = 0
        self.open, self.operations = {}, 0

    def of_player(self, player):
        return [it for it in self.open.values() if it.player == player]

    def wants(self, player, who, kind):
        """What deposits and withdrawals are both refused for."""
        codes = self.player_faults(player)
        if self.by != "operator" and who != player:
            codes.add("not_allowed")
        alike = [it for it in self.open.values() if it.kind == kind]
        if sum(it.player == player for it in alike) >= OF_ONE or len(alike) >= OF_ALL:
            codes.add("too_many_operations")
        return codes

    def ask(self, no, call, player, amount):
        kind = BEGINS[call] if call in BEGINS else self.open[no].kind
        self.open[no] = Open(kind, player, amount, call)
        self.operations = max(self.operations, no + 1)
        self.event("wallet_asked", no=no, call=call, player=player, amount=amount)

    def wallet_deposit(self, c, _, who):
        player, amount, codes = c["player"], c["amount"], self.wants(c["player"], who, "deposit")
        asked = sum(it.amount for it in self.of_player(player) if it.kind == "deposit")
        if amount < 1 or self.accounts.get("player:" + player, 0) + asked + amount > HALF:
            codes.add("amount_out_of_range")
        if codes:
            raise Reasons(codes)
        self.before = [[player, self.funds(player)]]
        self.ask(self.operations, "reserve", player, amount)

    def wallet_withdraw(self, c, _, who):
        player, amount, codes = c["player"], c["amount"], self.wants(c["player"], who, "withdrawal")
        if amount > self.accounts.get("player:" + player, MOST):
            codes.add("insufficient_balance")
        if amount < 1 or self.accounts["wallet"] + amount > MOST:
            codes.add("amount_out_of_range")
        if self.chips_are_locked(player):
            codes.add("signature_missing")
        if codes:
            raise Reasons(codes)
        self.before = [[player, self.funds(player)]]
        self.post(("player:" + player, -amount), ("wallet", amount))
        self.ask(self.operations, "pay", player, amount)

    def wallet_cancel(self, c, _, who):
        it, codes = self.open.get(c["no"]), set()
        # Whose an operation was that is not open nobody can say: for a player who is there this is then no reason.
        if self.by != "operator" and (who is None or it and it.player != who):
            codes.add("not_allowed")
        if not it:
            codes.add("unknown_operation")
        elif it.call != "reserve":
            codes.add("nothing_to_do")
        if codes:
            raise Reasons(codes)
        self.before = [[it.player, self.funds(it.player)]]
        self.ask(c["no"], "cancel", it.player, it.amount)

    def wallet_answer(self, c, _, __):
        no, call, is_yes = c["no"], c["call"], c["answer"] == "accepted"
        it, codes, lines = self.open.get(no), set(), ()
        if self.by != "house":
            codes.add("not_allowed")
        if not is_yes and call not in BEGINS or is_yes and "reason" in c:
            codes.add("malformed")
        if not it:
            codes.add("unknown_operation")
        elif it.call != call:
            codes.add("nothing_to_do")
        else:
            funds = self.funds(it.player)
            has_room = funds + it.amount <= HALF
            if (call, is_yes) == ("reserve", True) and has_room or (call, is_yes) == ("pay", False):
                lines = ("wallet", -it.amount), ("player:" + it.player, it.amount)
                if self.accounts["wallet"] - it.amount < -MOST or funds + it.amount > MOST:
                    codes.add("amount_out_of_range")
        if codes:
            raise Reasons(codes)
        self.before = [[it.player, funds]]
        self.post(*lines)
        self.event("wallet_answered", **c)
        if call == "reserve" and is_yes:
            self.ask(no, "commit" if has_room else "cancel", it.player, it.amount)
        else:
            del self.open[no]

    # --- The state's lines: ../wallet.md, "In the state" ----------------------------------------

    def log_part(self):
        rest = present(wallet=self.accounts["wallet"] or None, operations=self.operations or None)
        return {**super().log_part(), **rest}

    def more_parts(self):
        return {
            "wallet:%d" % no: {"call": it.call, "player": it.player, "amount": it.amount}
            for no, it in self.open.items()
        }


def takes_state(lines):
    """Whether a reader may take what these lines say of the wallet."""
    pairs = [json.loads(line) for line in lines]
    keys, parts = [key for key, _ in pairs], dict(pairs)
    many, balance = parts["log"].get("operations"), parts["log"].get("wallet")
    if keys != sorted(set(keys)) or many is not None and not whole(1, MOST)(many):
        return False
    if balance is not None and (balance == 0 or not MOVED(balance) or many is None):
        return False
    held, form = collections.Counter(), fields({"call": CALL, "player": PLAYER, "amount": whole(1, MOST)})
    for key, part in pairs:
        if key.startswith("wallet:"):
            no = key[len("wallet:"):]
            if not re.fullmatch("0|[1-9][0-9]{0,15}", no) or int(no) >= (many or 0) or not form(part):
                return False
            if part["player"].startswith("guest.") or "player:" + part["player"] not in parts:
                return False
            held[part["player"], part["call"] == "pay"] += 1
    of_all = [sum(many for (_, kind), many in held.items() if kind == pays) for pays in (False, True)]
    return max(held.values(), default=0) <= OF_ONE and max(of_all) <= OF_ALL


def check_log(file, following=None):
    """Counts of what was decided; Wrong where something does not follow. `following` is what follows a file, unless it
    is followed from its beginning."""
    counts = following(file) if following else follow(file, Banked(unhex(file["master"])))
    if not takes_state(file["state_lines"]):
        raise Wrong("a line of the wallet that a reader refuses")
    return counts


# --- Reconciliation: ../wallet.md, "Reconciliation" -----------------------------------------------

STATES = ("reserved", "committed", "cancelled", "paid", "refused")
# What an operation that stands so on the log may be at the wallet; None: it knows none.
FITS = {
    "waits for reserve": (None, "reserved", "committed", "cancelled", "refused"),
    "waits for commit": ("reserved", "committed"),
    "waits for cancel": (None, "reserved", "cancelled", "refused"),
    "waits for pay": (None, "paid", "refused"),
    "commit accepted": ("committed",),
    "pay accepted": ("paid",),
    "reserve refused": (None, "refused"),
    "pay refused": (None, "refused"),
    "cancel accepted": (None, "cancelled", "refused"),
}


class Unreadable(Exception):
    """A text that is no statement of this log."""


class Told:
    """An operation as the log, or the wallet, has it: of whom and how much, and how it stands."""

    def __init__(self, kind, player, amount, stands, since=None):
        self.of, self.stands, self.since = (kind, player, amount), stands, since

    def said(self, in_full):
        return self.stands + (", %s of %s, %d" % self.of if in_full else "")


def operations_of(entries):
    """Those of a log by its events alone, in the order of their numbers, and what its account `wallet` is."""
    found, balance = [], 0
    for entry in map(json.loads, entries):
        for event in entry["events"]:
            (name, it), = event.items()
            if name == "wallet_asked" and it["call"] in BEGINS:
                told = Told(BEGINS[it["call"]], it["player"], it["amount"], "waits for " + it["call"], entry["time"])
                found.append(told)
            elif name == "wallet_asked":
                found[it["no"]].stands = "waits for " + it["call"]
            elif name == "wallet_answered":
                found[it["no"]].stands = "%s %s" % (it["call"], it["answer"])
            elif name == "posted":
                balance += sum(amount for account, amount, _ in it["lines"] if account == "wallet")
    return found, balance


def once(pairs):
    """An object in which no name stands twice."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def whole_number(text):
    """A number in plain decimal."""
    if not re.fullmatch("0|-?[1-9][0-9]*", text) or abs(int(text)) > MOST:
        raise ValueError("no whole number")
    return int(text)


def statement_of(lines, origin):
    """The wallet's operations by their numbers. Fields stand in any order, and such as no page names may be there."""
    found, last = {}, -1
    for line in lines:
        if not re.fullmatch(r"[ -~]*", line) or "\\" in line:
            raise Unreadable("other bytes")
        try:
            it = json.loads(line, object_pairs_hook=once, parse_int=whole_number, parse_float=whole_number)
        except (ValueError, RecursionError):
            raise Unreadable("no JSON") from None
        form = {
            "log": ORIGIN, "no": NUMBER, "kind": tuple(BEGINS.values()).__contains__, "player": PLAYER,
            "amount": whole(1, MOST), "state": STATES.__contains__,
        }
        if not isinstance(it, dict) or not all(type(value) in (str, int) for value in it.values()):
            raise Unreadable("no flat object")
        if not all(name in it and holds(it[name]) for name, holds in form.items()):
            raise Unreadable("no operation")
        if it["log"] != origin or it["no"] <= last:
            raise Unreadable("of another log, twice or out of order")
        last = it["no"]
        found[last] = Told(it["kind"], it["player"], it["amount"], it["state"])
    return found


def reconcile(entries, origin, lines, now):
    """What the wallet's statement says of a log that shows all up to a time, as JSON."""
    on_log, balance = operations_of(entries)
    at_wallet = statement_of(lines, origin)
    lists, agree = {"under_way": [], "later": [], "differs": []}, 0
    for no, log in enumerate(on_log):
        wallet = at_wallet.get(no)
        others = wallet is not None and wallet.of != log.of
        element = present(no=no, log=log.said(others), wallet=wallet.said(others) if wallet else None)
        if others or (wallet and wallet.stands) not in FITS[log.stands]:
            lists["differs"].append(element)
        elif log.stands.startswith("waits"):
            lists["under_way"].append({**element, "since": log.since})
        else:
            agree += 1
    for no, wallet in at_wallet.items():
        if no >= len(on_log):
            lists["later"].append({"no": no, "wallet": wallet.stands})

    def total(operations, holds):
        return sum(it.of[2] for it in operations if holds(it))

    def in_json(amount):
        return amount if amount <= MOST else str(amount)

    came = total(on_log, lambda it: it.stands in ("waits for commit", "commit accepted"))
    went = total(on_log, lambda it: it.of[0] == "withdrawal" and it.stands != "pay refused")
    same(balance, went - came, "the account of the wallet")
    held = {
        state: total(at_wallet.values(), lambda it: it.stands == state) for state in ("committed", "reserved", "paid")
    }
    if lists["differs"]:
        verdict = "differs"
    elif any(now > one["since"] + LATE for one in lists["under_way"]):
        verdict = "overdue"
    elif lists["under_way"] or lists["later"]:
        verdict = "under_way"
    else:
        verdict = "reconciled"
        same(held, {"committed": came, "reserved": 0, "paid": went}, "the sums of what is reconciled")
    return {
        "log": origin, "verdict": verdict, "agree": agree,
        "on_log": {"deposits": in_json(came), "withdrawals": in_json(went)},
        "at_wallet": {state: in_json(amount) for state, amount in held.items()}, **lists,
    }


def check_statement(log, case):
    """What a case comes to; Wrong where the case says otherwise."""
    what = "statement (%s)" % case["about"]
    asked = ["about", "entries", "origin", "statement", "gives" if "gives" in case else "unreadable"]
    same(sorted(case), sorted(asked + (["now"] if "now" in case else [])), what + ": its fields")
    if not whole(1, len(log["entries"]))(case["entries"]):
        raise Wrong(what + ": entries that there are not")
    entries = log["entries"][:case["entries"]]
    same(case["origin"], json.loads(entries[0])["command"]["start_dealer"]["origin"], what + ": the log")
    now = case.get("now", json.loads(entries[-1])["time"])
    if not NUMBER(now):
        raise Wrong(what + ": no time")
    try:
        given = reconcile(entries, case["origin"], case["statement"], now)
    except Unreadable as fault:
        same(case.get("unreadable"), True, "%s is unreadable: %s" % (what, fault))
        return "unreadable"
    # As text, for 1 and true are the same in Python; of the order of an object's fields no page says anything here.
    same(*(json.dumps(it, sort_keys=True) for it in (case.get("gives"), given)), what)
    return given["verdict"]


def check_statements(log, file):
    return collections.Counter(check_statement(log, case) for case in file["cases"])


# --- The self-test --------------------------------------------------------------------------------

def tries(log, statements):
    """What was changed, and a call that is false, or raises, where it is noticed."""
    followed = Followed(log, Banked(unhex(log["master"])))
    for what, other in changes(log):
        yield what, functools.partial(check_log, other, followed.follow)
    for what, lines in refused_states(log["state_lines"]):
        yield "state: " + what, functools.partial(takes_state, lines)
    for case in statements["cases"]:
        for what, other in statement_changes(case):
            yield "statement: " + what, functools.partial(check_statement, log, other)


def main():
    try:
        log, statements = read(LOG), read(STATEMENTS)
        print("%s: %s" % (LOG, said(check_log(log))))
        print("%s: %s" % (STATEMENTS, said(check_statements(log, statements))))
        if "--self-test" in sys.argv[1:]:
            self_test(tries(log, statements))
    except FAULTS as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
