"""The text of an entry, read in its one spelling (spec/entries.md, "Encoding").

This reader refuses white space, repeated fields, numbers that are not plain integers, unknown and missing fields,
another order. It does not check the form of every value in a field: what is followed (history.py) is checked where it
is used.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .contract import JsonObject
from .fairness import Malformed
from .forms import COMMANDS, EVENTS, PLAY_EVENTS

MOST_ENTRY_BYTES = 65_535
MOST_NUMBER = 2**53 - 1
# Words whose value is a document of its own, which this package takes as it stands.
NESTED = frozenset({"tournament", "poker", "safe"})
ENTRY_FIELDS = ("v", "time", "by", "at", "before", "command", "signed", "events")


class BadEntry(Malformed):
    """A text is not an entry, or not in its one spelling."""


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadEntry("a field stands twice")
    return fields


def _integer(text: str) -> int:
    if text == "-0" or abs(value := int(text)) > MOST_NUMBER:
        raise BadEntry(f"{text[:30]} is no number of the log")
    return value


def _no_number(text: str) -> Any:
    raise BadEntry(f"{text[:30]} is no integer")


def canonical(text: str) -> Any:
    """The JSON value of a text that is written in its one spelling."""
    if not all(" " <= char <= "~" for char in text):
        raise BadEntry("a byte outside of 0x20 to 0x7e")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
        )
        spelt = json.dumps(value, separators=(",", ":"))
    except BadEntry:
        raise
    except (ValueError, RecursionError):  # A ValueError of thousands of digits, too.
        raise BadEntry("not JSON") from None
    if spelt != text:
        raise BadEntry("not in its one spelling")
    return value


def _in_order(fields: JsonObject, known: tuple[str, ...]) -> bool:
    places = [known.index(name) if name in known else -1 for name in fields]
    return -1 not in places and places == sorted(places)


def _word(value: object, forms: dict[str, tuple[tuple[str, ...], frozenset[str]]]) -> tuple[str, JsonObject]:
    """The word and fields of a command or event, which stand as spec/entries.md lists them."""
    if not isinstance(value, dict) or len(value) != 1:
        raise BadEntry("a command or event is an object of one field")
    ((word, fields),) = value.items()
    if not isinstance(fields, dict):
        raise BadEntry(f"the fields of {word} are no object")
    if word in NESTED:
        return word, fields
    if word not in forms:
        raise BadEntry(f"there is no {word}")
    known, optional = forms[word]
    if not _in_order(fields, known) or not set(known) - optional <= set(fields):
        raise BadEntry(f"the fields of {word} are others, or stand in another order")
    return word, fields


def read_command(text: str) -> tuple[str, JsonObject]:
    return _word(canonical(text), COMMANDS)


def read_signed(text: str) -> JsonObject:
    value = canonical(text)
    if not isinstance(value, dict) or list(value) != ["nonce", "signature"]:
        raise BadEntry("a signature has the fields nonce and signature")
    if not isinstance(value["nonce"], int) or isinstance(value["nonce"], bool) or value["nonce"] < 1:
        raise BadEntry("a nonce is 1 or more")
    if not isinstance(value["signature"], str) or not re.fullmatch(r"[0-9a-f]{128}", value["signature"]):
        raise BadEntry("a signature has 128 hexadecimal digits")
    return value


@dataclass(frozen=True)
class Event:
    """One event: its word, its fields, and whether it stands in `play`."""

    word: str
    fields: JsonObject
    in_play: bool


@dataclass(frozen=True)
class LogEntry:
    """One entry of the log, parsed; `text` is exactly what is hashed."""

    text: str
    time: int
    by: str
    table: str | None
    seq: int | None
    before: dict[str, int]
    command: str
    fields: JsonObject
    events: tuple[Event, ...]
    signed: JsonObject | None = None

    def signed_text(self, origin: str) -> bytes:
        """What the player's signature is of: spec/entries.md, "Signed commands"."""
        return signed_command_text(origin, self.by, (self.signed or {})["nonce"], {self.command: self.fields})


def signed_command_text(origin: str, by: str, nonce: int, command: JsonObject) -> bytes:
    text = json.dumps(command, separators=(",", ":"))
    return f"fairshoe/v1/signed-command\n{origin}\n{by}\n{nonce}\n{text}\n".encode("ascii")


def read_entry(text: str) -> LogEntry:
    if len(text) > MOST_ENTRY_BYTES:
        raise BadEntry("the entry is too long")
    value = canonical(text)
    if not isinstance(value, dict) or not _in_order(value, ENTRY_FIELDS):
        raise BadEntry("the entry has other fields, or in another order")
    if type(value.get("v")) is not int or value["v"] != 1:
        raise BadEntry("another version: a field that one does not know can change what all others mean")
    time, by = value.get("time"), value.get("by")
    if type(time) is not int or not 0 <= time < 2**52 or not isinstance(by, str):
        raise BadEntry("time or actor is none")
    at = value.get("at", {"table": None, "seq": None})
    is_place = isinstance(at, dict) and list(at) == ["table", "seq"]
    if not is_place or ("at" in value and not (isinstance(at["table"], str) and type(at["seq"]) is int)):
        raise BadEntry("the place at a table has the fields table and seq")
    before: dict[str, int] = {}
    if not isinstance(value.get("before", []), list):
        raise BadEntry("balances before are a list")
    for pair in value.get("before", []):
        if not isinstance(pair, list) or len(pair) != 2 or type(pair[1]) is not int or not isinstance(pair[0], str):
            raise BadEntry("a balance before is a player and an amount")
        before[pair[0]] = pair[1]
    signed = read_signed(json.dumps(value["signed"], separators=(",", ":"))) if "signed" in value else None
    word, fields = _word(value.get("command"), COMMANDS)
    if not isinstance(value.get("events"), list):
        raise BadEntry("events are a list")
    events = []
    for item in value["events"]:
        in_play = isinstance(item, dict) and list(item) == ["play"]
        name, inner = _word(item["play"], PLAY_EVENTS) if in_play else _word(item, EVENTS)
        events.append(Event(name, inner, in_play))
    return LogEntry(text, time, by, at["table"], at["seq"], before, word, fields, tuple(events), signed)
