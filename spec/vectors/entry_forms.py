"""Entries of a log without tables in their one encoding, ../entries.md, "Encoding": the forms of values, commands and
events, for check_transfers.py, check_wallet.py, check_limits.py and check_ended.py. Standard library only."""

import json
import re

from check import Refused, name as player_name, origin as origin_name
from check_entries import compact

MOST = 2**53 - 1


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
TEXT, LABEL = form(r"[\x20-\x7e]*"), form(r"[\x20-\x7e]{1,200}")
HASH, SIGNATURE = form("[0-9a-f]{64}"), form("[0-9a-f]{128}")
NUMBER, MOVED = whole(0, MOST), whole(-MOST, MOST)
BARE = ("operator", "house", "anyone")
SINGLE = ("cage", "house", "rake", "play", "tickets", "rounding_residual", "wallet")
NAMED = ("player", "table", "pool", "fees", "bounties", "stakes", "tdollars")
CALLS = ("reserve", "commit", "cancel", "pay")
LIMITS_OF, LIMITS_PER = ("deposit", "loss", "play_time"), ("day", "week", "month")
LIMIT_OF, LIMIT_PER = LIMITS_OF.__contains__, LIMITS_PER.__contains__
CALL, ANSWER = CALLS.__contains__, ("accepted", "refused").__contains__


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
    return value in SINGLE or kind in NAMED and PLAYER(of)


# A name with a question mark is of a field that may be left out.
COMMANDS = {
    "start_dealer": {"origin": ORIGIN, "epoch": HASH, "master_id": HASH, "software": LABEL},
    "stop_dealer": {},
    "note_state": {"size": NUMBER, "root": HASH},
    "end_log": {"origin": ORIGIN, "key": HASH},
    "create_player": {"player": PLAYER, "key?": HASH},
    "admit_guest": {},
    "dismiss_guest": {"player": PLAYER},
    "set_key": {"player": PLAYER, "key?": HASH, "reason?": LABEL},
    "set_limit": {"player": PLAYER, "of": LIMIT_OF, "per": LIMIT_PER, "most?": NUMBER},
    "exclude": {"player": PLAYER, "until": NUMBER},
    "credit": {"player": PLAYER, "amount": NUMBER, "reference?": LABEL},
    "withdraw": {"player": PLAYER, "amount": NUMBER, "reference?": LABEL},
    "know_log": {"log": ORIGIN, "policy?": TEXT},
    "transfer_out": {"to": ORIGIN, "player": PLAYER, "amount": NUMBER},
    "transfer_in": {"from": ORIGIN, "entry": TEXT, "receipt": TEXT},
    "wallet_deposit": {"player": PLAYER, "amount": NUMBER},
    "wallet_withdraw": {"player": PLAYER, "amount": NUMBER},
    "wallet_cancel": {"no": NUMBER},
    "wallet_answer": {"no": NUMBER, "call": CALL, "answer": ANSWER, "reason?": LABEL},
}
EVENTS = {
    "dealer_started": {"origin": ORIGIN, "epoch": HASH, "master_id": HASH, "down_ms": NUMBER},
    "dealer_stopped": {},
    "state_noted": {"size": NUMBER, "root": HASH},
    "log_ended": {"origin": ORIGIN, "key": HASH},
    "player_created": {"player": PLAYER},
    "guest_admitted": {"player": PLAYER},
    "guest_dismissed": {"player": PLAYER},
    "key_set": {"player": PLAYER, "key?": HASH, "from?": NUMBER, "old?": HASH},
    "limit_set": {"player": PLAYER, "of": LIMIT_OF, "per": LIMIT_PER, "most?": NUMBER, "from?": NUMBER},
    "excluded": {"player": PLAYER, "until": NUMBER},
    "posted": {"lines": listed(row(account, MOVED, MOVED))},
    "log_known": {"log": ORIGIN, "policy?": TEXT},
    "transferred_out": {"to": ORIGIN, "no": NUMBER, "player": PLAYER, "amount": NUMBER},
    "transferred_in": {"from": ORIGIN, "no": NUMBER, "index": NUMBER, "player": PLAYER, "amount": NUMBER},
    "wallet_asked": {"no": NUMBER, "call": CALL, "player": PLAYER, "amount": NUMBER},
    "wallet_answered": {"no": NUMBER, "call": CALL, "answer": ANSWER, "reason?": LABEL},
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


def present(**parts):
    """An object of these fields, without those that have no value."""
    return {name: part for name, part in parts.items() if part is not None}
