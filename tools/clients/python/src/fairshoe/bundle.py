"""A round checked from one file: spec/audit.md, "The bundle", as far as a client checks it.

Checked: the checkpoint's signature, each entry's inclusion, what the context must hold, and all that `TableHistory`
follows. Not checked: that the events are those which the rules of the game and of the house give (`fairshoe-verify`
decides them).
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, TypedDict

from .contract import JsonObject
from .ed25519 import verifies
from .entries import LogEntry, read_entry
from .errors import NotProven
from .fairness import NAME, Malformed, label
from .history import TableHistory, check_rules
from .notes import BadNote, Checkpoint, LogKey, hash_of
from .proofs import BadProof, check_inclusion, leaf_hash

MOST_BUNDLE_BYTES = 32 * 1024 * 1024
MOST_ENTRIES = 10_000
MOST_OPENINGS = 4_096
BUNDLE_FIELDS = {"fairshoe_bundle", "round", "vkey", "checkpoint", "context", "entries", "openings"}


class CheckedPlayer(TypedDict):
    player: str
    staked: int
    returned: int


class CheckedFace(TypedDict):
    shoe_no: int
    slot: int
    face: str
    """A card such as `As`, or a wheel's value before its offset."""


class CheckedRound(TypedDict):
    """What the check of a bundle found. There is one only where nothing was refused."""

    round: str
    key: str
    key_was_given: bool
    """False: the key came from the log itself, so that nobody vouched for whose log it is."""
    phase: str
    is_complete: bool
    """True: the round is over and every shoe of it revealed or sealed. False: ask again when the shoe is out."""
    shoes: list[int]
    faces: list[CheckedFace]
    players: list[CheckedPlayer]
    cause: str | None
    """Why the round is void; None where it is settled."""


class _Twofold(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    if len(fields := dict(pairs)) != len(pairs):
        raise _Twofold("a field stands twice")
    return fields


def _integer(text: str) -> int:
    if text == "-0":
        raise _Twofold("-0 is another spelling of 0")
    return int(text)


def _fraction(text: str) -> Any:
    raise _Twofold(f"{text[:20]} is no integer in its one spelling")


def read_bundle(text: str) -> JsonObject:
    """The bundle's JSON within its bounds. A repeated field or 1496.0 would let two readers read two bundles."""

    def wrong(message: str) -> NotProven:
        return NotProven("bundle_form", message)

    if len(text.encode()) > MOST_BUNDLE_BYTES:
        raise wrong("a bundle has at most 32 MiB")
    try:
        bundle = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_fraction
        )
    except (ValueError, RecursionError) as error:
        raise wrong(f"not a bundle's JSON ({error})") from None
    if not isinstance(bundle, dict) or set(bundle) != BUNDLE_FIELDS:
        raise wrong("a bundle has the fields " + ", ".join(sorted(BUNDLE_FIELDS)))
    if type(bundle["fairshoe_bundle"]) is not int or bundle["fairshoe_bundle"] != 1:
        raise wrong("another version of the bundle")
    named = re.fullmatch(rf"({NAME.pattern}):(0|[1-9][0-9]{{0,15}})", str(bundle["round"]))
    if not named or not isinstance(bundle["round"], str) or int(named[2]) >= 2**53:
        raise wrong("round is not TABLE:NUMBER")
    if not isinstance(bundle["vkey"], str) or not isinstance(bundle["checkpoint"], str):
        raise wrong("vkey and checkpoint are texts")
    if not all(isinstance(bundle[part], list) for part in ("context", "entries", "openings")):
        raise wrong("context, entries and openings are lists")
    if len(bundle["context"]) + len(bundle["entries"]) > MOST_ENTRIES or len(bundle["openings"]) > MOST_OPENINGS:
        raise wrong("more entries or openings than a bundle holds")
    for item in bundle["context"] + bundle["entries"]:
        if not isinstance(item, dict) or set(item) != {"index", "entry", "proof"} or not isinstance(item["entry"], str):
            raise wrong("an entry has the fields index, entry and proof")
        if type(item["index"]) is not int or not 0 <= item["index"] < 2**53 or not isinstance(item["proof"], list):
            raise wrong("an entry's index or proof is malformed")
        if len(item["proof"]) > 64 or not all(isinstance(one, str) for one in item["proof"]):
            raise wrong("a proof has at most 64 hashes")
    if not all(isinstance(one, dict) for one in bundle["openings"]):
        raise wrong("an opening is an object")
    return bundle


def _check_entries(bundle: JsonObject, key: LogKey) -> Checkpoint:
    """Steps 1 to 3: whose log it is, and that each entry is on it."""
    if bundle["vkey"] != key.text:
        raise NotProven("key", f"the bundle is of the log with the key {bundle['vkey'][:100]!r}, not of {key.text}")
    try:
        checkpoint = Checkpoint.read(bundle["checkpoint"], key)
    except BadNote as error:
        raise NotProven("checkpoint", str(error)) from None
    for item in bundle["context"] + bundle["entries"]:
        try:
            path = [hash_of(one) for one in item["proof"]]
            check_inclusion(leaf_hash(item["entry"].encode()), item["index"], checkpoint.size, path, checkpoint.root)
        except (BadNote, BadProof, UnicodeError) as error:
            raise NotProven("inclusion", f"not under the checkpoint: {error}", item["index"]) from None
    return checkpoint


def rule_set_digest(rules: JsonObject) -> str:
    text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(label("rule-set") + text.encode()).hexdigest()


def _context(
    bundle: JsonObject, table: str, origin: str
) -> tuple[JsonObject, list[tuple[int, str]], list[tuple[int, LogEntry]]]:
    """Step 4: the table's `table_opened`, the starts of the dealer, and every entry of the context."""
    for part in ("context", "entries"):
        indices = [item["index"] for item in bundle[part]]
        for before, after in zip(indices, indices[1:]):
            if before >= after:
                raise NotProven("bundle_order", "indices do not ascend", after)
    if not bundle["entries"]:
        raise NotProven("bundle_order", "no entry of the table")
    first, last = bundle["entries"][0]["index"], bundle["entries"][-1]["index"]
    twice = {item["index"] for item in bundle["context"]} & {item["index"] for item in bundle["entries"]}
    if twice:
        raise NotProven("bundle_order", "an entry is held twice", min(twice))
    opened: list[JsonObject] = []
    starts: list[tuple[int, str]] = []
    read = []
    for item in bundle["context"]:
        index = item["index"]
        try:
            entry = read_entry(item["entry"])
        except Malformed as error:
            raise NotProven("entry_form", str(error), index) from None
        read.append((index, entry))
        events = [event.fields for event in entry.events if event.word in ("table_opened", "dealer_started")]
        if entry.command in ("open_table", "open_event_table"):
            if entry.fields.get("table") != table or index > first or not events:
                raise NotProven("bundle_context", "the opening of another table, or after the first entry", index)
            opened.append(events[0])
            if rule_set_digest(events[0]["rules"]) != events[0]["digest"]:
                raise NotProven("rule_set", "the digest is not the one of the rules", index)
            if entry.fields["rules"] != events[0]["rules"]:
                raise NotProven("rule_set", "other rules than the command's", index)
        elif entry.command == "start_dealer":
            if entry.fields["origin"] != origin:
                raise NotProven("origin", "a start of another log", index)
            same = ("origin", "epoch", "master_id")
            if not events or any(events[0][name] != entry.fields[name] for name in same):
                raise NotProven("start", "the dealer started with something else than the command says", index)
            if index > last:
                raise NotProven("bundle_context", "a start after the last entry", index)
            starts.append((index, entry.fields["epoch"]))
        elif entry.command not in ("create_player", "set_key"):
            raise NotProven("bundle_context", f"{entry.command} does not belong into the context", index)
    if len(opened) != 1:
        raise NotProven("bundle_context", "the opening of the table is needed, once")
    if sum(index < first for index, _ in starts) != 1:
        raise NotProven("bundle_context", "exactly one start before the shoe is needed")
    return opened[0], starts, read


class PlayerKeys:
    """The keys of players that a bundle's context shows, and the signatures of their commands under them."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._set: dict[str, JsonObject] = {}
        self._nonces: dict[str, int] = {}

    def learn(self, entry: LogEntry) -> None:
        for event in entry.events:
            if event.word == "key_set":
                self._set[event.fields["player"]] = event.fields

    def check(self, entry: LogEntry, index: int) -> None:
        player = entry.by.removeprefix("player:") if entry.by.startswith("player:") else ""
        fields = self._set.get(player, {})
        key = fields.get("old") if entry.time < fields.get("from", 0) else fields.get("key")
        if not entry.signed:
            if key is not None:
                raise NotProven("signature", f"{player} has a key, and the command is not signed", index)
            return
        nonce, signature = entry.signed["nonce"], bytes.fromhex(entry.signed["signature"])
        if nonce <= self._nonces.get(player, 0):
            raise NotProven("signature", "the nonce was used before", index)
        self._nonces[player] = nonce
        if key is None or not verifies(bytes.fromhex(key), entry.signed_text(self.origin), signature):
            raise NotProven("signature", "the command is not signed by the player's key", index)


def check_bundle(text: str, key: LogKey, *, key_was_given: bool) -> tuple[CheckedRound, Checkpoint]:
    """Checks a bundle; `NotProven` names what does not hold. The second value is the checkpoint it stands under."""
    bundle = read_bundle(text)
    checkpoint = _check_entries(bundle, key)
    table, _, number = bundle["round"].rpartition(":")
    opened, starts, context = _context(bundle, table, checkpoint.origin)
    keys = PlayerKeys(checkpoint.origin)
    check_rules(opened["rules"])
    history = TableHistory(checkpoint.origin, table, opened["rules"], None, is_event="event" in opened)
    is_over = False
    for item in bundle["entries"]:
        if is_over:
            raise NotProven("bundle_order", "an entry comes after the reveal of the shoe", item["index"])
        while context and context[0][0] < item["index"]:
            keys.learn(context.pop(0)[1])
        history.learn_epoch(next(epoch for index, epoch in reversed(starts) if index < item["index"]))
        is_first = not history.shoes
        entry = history.take(item["index"], item["entry"])
        if is_first and (entry.command not in ("commit_shoe", "call_hand") or not history.shoes):
            raise NotProven("bundle_order", "the first entry does not commit the shoe", item["index"])
        keys.check(entry, item["index"])
        is_over = next(iter(history.shoes.values())).state != "in use"
    found = history.round(int(number))
    if found is None:
        raise NotProven("bundle_round", f"round {number} is not among the entries")
    _check_openings(history, bundle["openings"])
    return describe(history, int(number), key, key_was_given), checkpoint


def _check_openings(history: TableHistory, openings: list[JsonObject]) -> None:
    """Step 8: an opening is of the shoe to whose root it leads; each face of a shoe whose seed is not out has one."""
    opened: set[tuple[int, int]] = set()
    for opening in openings:
        fault: NotProven | None = None
        for shoe in history.shoes.values():
            try:
                place = (shoe.no, shoe.open(opening))
            except NotProven as error:
                fault = error if fault is None or fault.check == "opening" else fault
                continue
            if place in opened:
                raise NotProven("opening_extra", f"slot {place[1]} of shoe {place[0]} is opened twice")
            opened.add(place)
            break
        else:
            raise fault or NotProven("opening_extra", "an opening of no shoe")
    history.check_all_opened()


def describe(history: TableHistory, number: int, key: LogKey, key_was_given: bool) -> CheckedRound:
    found = history.round(number)
    if found is None:
        raise NotProven("bundle_round", f"round {number} was not followed")
    end = found.end or {}
    return {
        "round": f"{history.table}:{number}",
        "key": key.text,
        "key_was_given": key_was_given,
        "phase": found.phase,
        "is_complete": found.end is not None and all(shoe.state != "in use" for shoe in found.piles),
        "shoes": [shoe.no for shoe in found.piles],
        "faces": [{"shoe_no": shoe.no, "slot": slot, "face": shoe.face(slot)} for shoe, slot in found.faces],
        "players": [
            {"player": one["player"], "staked": one["staked"], "returned": one["returned"]}
            for one in end.get("players", [])
        ],
        "cause": end.get("cause"),
    }
