"""Signed notes and checkpoints, as spec/log.md has them: one spelling of everything, one signature rule."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from .ed25519 import is_usable_key, verifies
from .fairness import Malformed, sha256

LOG_KEY = 1
MOST_NOTE_BYTES = 262_144
MOST_SIGNATURES = 128
MOST_HOUSE_NOTE_BYTES = 131_072
MOST_COUNT = 2**64
MOST_NUMBER = 2**53
KEY_NAME = re.compile(r"[^\s+\x00-\x1f\x7f-\x9f]+")
ACTOR = re.compile(r"operator|house|anyone|(?:player|auditor):[a-z0-9_-][a-z0-9._-]{0,63}")
SIGNED_FOR = frozenset(
    {
        *("reveal", "late_seed", "act", "bet", "cancel_bet", "commit_seed", "commit_hand_seed", "withdraw_hand_seed"),
        *("reveal_seat_seed", "register", "unregister", "rebuy", "add_on", "answer_deal"),
    }
)


class BadNote(Malformed):
    """A note, key or checkpoint is not of its form, or its signature does not verify."""


def unbase64(text: str) -> bytes:
    """Standard base64 in its one spelling: padded, with unused bits zero."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        raise BadNote("not base64") from None
    if base64.b64encode(data).decode("ascii") != text:
        raise BadNote("base64 in another spelling")
    return data


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def decimal(text: str, limit: int = MOST_COUNT) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,19}", text) or (value := int(text)) >= limit:
        raise BadNote(f"{text[:30]!r} is no decimal number below {limit}")
    return value


def hash_of(text: str) -> bytes:
    data = unbase64(text)
    if len(data) != 32:
        raise BadNote("a hash has 32 bytes")
    return data


@dataclass(frozen=True)
class LogKey:
    """A log's public key under its name: `NAME+hex8+BASE64`. Get it by a way you trust, not from the log it
    verifies."""

    name: str
    key_id: bytes
    public: bytes
    text: str

    @staticmethod
    def read(text: str) -> LogKey:
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise BadNote("a key is NAME+hex8+BASE64")
        name, key_id, encoded = parts
        if not KEY_NAME.fullmatch(name) or len(name.encode()) > 255:
            raise BadNote("the key's name is none")
        data = unbase64(encoded)
        if len(data) != 33 or data[0] != LOG_KEY:
            raise BadNote("not a log's key: type 0x01 and 32 bytes")
        computed = sha256(name.encode() + b"\n" + data)[:4]
        if computed.hex() != key_id:
            raise BadNote(f"the key ID is {computed.hex()}, not {key_id[:8]!r}")
        if not is_usable_key(data[1:]):
            raise BadNote("a key under which anybody could sign")
        return LogKey(name, computed, data[1:], text)


def open_note(note: str | bytes, key: LogKey) -> str:
    """The text of a note that `key` signed, its last newline included.

    A line of the key that does not verify refuses the note, beside one that does too: a log that signs two texts would
    otherwise show each reader both lines.
    """
    try:
        raw = note.encode() if isinstance(note, str) else note
        text_of_all = raw.decode()
    except UnicodeError:
        raise BadNote("a note is UTF-8") from None
    if len(raw) > MOST_NOTE_BYTES:
        raise BadNote("the note is too long")
    if any(byte < 0x20 and byte != 0x0A for byte in raw):
        raise BadNote("a control character in a note")
    split = text_of_all.rfind("\n\n")
    if split < 0 or not text_of_all.endswith("\n"):
        raise BadNote("no signatures")
    text, tail = text_of_all[: split + 1], text_of_all[split + 2 : -1]
    lines = tail.split("\n")
    if not tail or len(lines) > MOST_SIGNATURES:
        raise BadNote("no signature, or too many")
    is_signed = False
    for line in lines:
        signed = re.fullmatch(r"\u2014 (\S+) (\S+)", line)
        if not signed or not KEY_NAME.fullmatch(signed[1]):
            raise BadNote("a line among the signatures is none")
        data = unbase64(signed[2])
        if len(data) < 5:
            raise BadNote("a signature of nothing")
        if signed[1] != key.name or data[:4] != key.key_id:
            continue
        if not verifies(key.public, text.encode(), data[4:]):
            raise BadNote(f"the signature of {key.name} does not verify")
        is_signed = True
    if not is_signed:
        raise BadNote(f"{key.text} did not sign it")
    return text


@dataclass(frozen=True)
class Checkpoint:
    """A log's signed word for its size and root; `note` is the text with its signatures, as it came."""

    origin: str
    size: int
    root: bytes
    note: str

    @staticmethod
    def read(note: str, key: LogKey) -> Checkpoint:
        lines = open_note(note, key)[:-1].split("\n")
        if len(lines) < 3 or not all(lines):
            raise BadNote("a checkpoint has at least three lines, none empty")
        if lines[0] != key.name:
            raise BadNote(f"the checkpoint is of {lines[0]}, the key of {key.name}")
        return Checkpoint(lines[0], decimal(lines[1]), hash_of(lines[2]), note)


@dataclass(frozen=True)
class HouseNote:
    """What the house signed for beside the log: a command it received, or refused (spec/receipts.md)."""

    is_refusal: bool
    time: int
    code: str | None
    by: str
    command: str
    signed: str | None


def read_house_note(note: str, key: LogKey) -> HouseNote:
    """A note that shows something; `BadNote` where it accuses nobody."""
    from .entries import BadEntry, read_command, read_signed

    if len(note.encode()) > MOST_HOUSE_NOTE_BYTES:
        raise BadNote("the note is too long")
    lines = open_note(note, key)[:-1].split("\n")
    is_refusal = lines[0] == "fairshoe refused/v1"
    if not is_refusal and lines[0] != "fairshoe received/v1":
        raise BadNote("neither received nor refused")
    if len(lines) != (7 if is_refusal else 6):
        raise BadNote("the note has another number of lines")
    if lines[1] != key.name:
        raise BadNote("the note is of another log")
    code = lines[3] if is_refusal else None
    if code is not None and not re.fullmatch(r"[a-z0-9_]{1,64}", code):
        raise BadNote("no code of a refusal")
    by, command, signed = lines[-3:]
    if not ACTOR.fullmatch(by):
        raise BadNote("nobody who can give a command")
    try:
        word, fields = read_command(command)
        if signed != "-":
            read_signed(signed)
    except BadEntry as error:
        raise BadNote(str(error)) from None
    if word == "tournament":
        word = next(iter(fields), "")
    if not is_refusal and word not in SIGNED_FOR:
        raise BadNote("received, and no command for which a house signs")
    return HouseNote(is_refusal, decimal(lines[2], MOST_NUMBER), code, by, command, None if signed == "-" else signed)
