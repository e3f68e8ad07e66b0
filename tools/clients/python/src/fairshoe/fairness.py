"""The arithmetic of spec/fairness.md: contexts, seeds, streams, shoes, openings, entropy, lanes, wheels.

Every function takes what the log shows and computes what must follow. It owns no state, and reads no clock, file or
socket.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

RANKS, SUITS = "A23456789TJQK", "cdhs"
MOST_HASHES_IN_AN_OPENING = 12
MOST_CONTRIBUTORS = 65_535
NAME = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,63}")
ORIGIN = re.compile(r"[\x21-\x2a\x2c-\x7e]{1,255}")

Item = TypeVar("Item")


class Malformed(ValueError):
    """A value is not in the one form that the specification allows."""


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def label(name: str) -> bytes:
    return b"fairshoe/v1/" + name.encode("ascii") + b"\0"


def number(value: int, width: int) -> bytes:
    """An unsigned integer of `width` bytes, big-endian; a value out of range is refused, never reduced."""
    if type(value) is not int or not 0 <= value < 1 << (8 * width):
        raise Malformed(f"{value!r} is not an integer from 0 to {(1 << (8 * width)) - 1}")
    return value.to_bytes(width, "big")


def length_prefixed(data: bytes) -> bytes:
    return number(len(data), 2) + data


def unhex(text: object, length: int = 32) -> bytes:
    if not isinstance(text, str) or not re.fullmatch(rf"[0-9a-f]{{{2 * length}}}", text):
        raise Malformed(f"not {2 * length} lower-case hexadecimal digits")
    return bytes.fromhex(text)


def name_bytes(text: object) -> bytes:
    """The bytes of a table's or player's name. A name that begins with a dot would be another path."""
    if not isinstance(text, str) or not NAME.fullmatch(text):
        raise Malformed(f"{text!r} is no name: 1 to 64 of a-z 0-9 . _ -, the first no dot")
    return text.encode("ascii")


def origin_bytes(text: object) -> bytes:
    if not isinstance(text, str) or not ORIGIN.fullmatch(text):
        raise Malformed(f"{text!r} is no log's name")
    return text.encode("ascii")


def table_context(origin: str, table: str, epoch: str) -> bytes:
    """`tctx`: what binds seeds to a log, a table and a start of the dealer."""
    return length_prefixed(origin_bytes(origin)) + length_prefixed(name_bytes(table)) + unhex(epoch)


# --- Cards and compositions -----------------------------------------------------------------------


def card_code(text: object) -> int:
    if not isinstance(text, str) or len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        raise Malformed(f"{text!r} is no card")
    return SUITS.index(text[1]) * 13 + RANKS.index(text[0])


def card_text(code: int) -> str:
    return RANKS[code % 13] + SUITS[code // 13]


@dataclass(frozen=True)
class Composition:
    """What lies in a shoe: its canonical text, its number of slots, and the listed card codes; or a wheel's pockets."""

    text: str
    slots: int
    codes: tuple[int, ...]
    pockets: int = 0

    @property
    def is_wheel(self) -> bool:
        return not self.codes

    @staticmethod
    def read(text: object) -> Composition:
        if not isinstance(text, str):
            raise Malformed("a composition is a text")
        if (packs := re.fullmatch(r"52x([1-9][0-9]?)", text)) and int(packs[1]) <= 12:
            codes = tuple(range(52)) * int(packs[1])
            return Composition(text, len(codes), codes)
        if (spins := re.fullmatch(r"wheel(37|216)x([1-9][0-9]{0,3})", text)) and int(spins[2]) <= 4096:
            return Composition(text, int(spins[2]), (), int(spins[1]))
        if not text.startswith("cards:"):
            raise Malformed(f"{text!r} is no composition")
        cards = text[len("cards:") :]
        if len(cards) % 2 or not 2 <= len(cards) <= 2 * 624:
            raise Malformed("a list of 1 to 624 cards is needed")
        codes = tuple(card_code(cards[i : i + 2]) for i in range(0, len(cards), 2))
        if list(codes) != sorted(codes):
            raise Malformed("the listed cards descend")
        return Composition(text, len(codes), codes)


# --- Stream and draws -----------------------------------------------------------------------------


def stream_bytes(key: bytes, length: int) -> bytes:
    """The first bytes of the ChaCha20 key stream with counter and nonce 0."""
    return Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(length))


def stream_words(key: bytes) -> Iterator[int]:
    """The stream as little-endian words of four bytes, without end."""
    encryptor = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor()
    while True:
        block = encryptor.update(bytes(256))
        for i in range(0, 256, 4):
            yield int.from_bytes(block[i : i + 4], "little")


def below(words: Iterator[int], bound: int) -> int:
    """A number under `bound`. Words that would make small results likelier are thrown away."""
    limit = 2**32 - 2**32 % bound
    for word in words:
        if word < limit:
            return word % bound
    raise Malformed("the words are used up")


def shuffled(items: Sequence[Item], words: Iterator[int]) -> list[Item]:
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = below(words, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# --- The house's order, its tree, openings --------------------------------------------------------


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


def slot_leaf(salt: bytes, slot: int, value: int) -> bytes:
    return sha256(b"\x00" + salt + number(slot, 2) + number(value, 1))


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """The Merkle tree hash of RFC 6962, section 2.1: an odd last node of a level goes up as it is."""
    level = list(leaves)
    while len(level) > 1:
        pairs = [node(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


@dataclass(frozen=True, repr=False)
class DerivedShoe:
    """What a published server seed orders: the value of each slot, the salts, and the root over both."""

    values: tuple[int, ...]
    salts: tuple[bytes, ...]
    root: bytes


def derive_shoe(seed: bytes, composition: Composition) -> DerivedShoe:
    text = length_prefixed(composition.text.encode("ascii"))
    words = stream_words(mac(seed, label("house-order") + text))
    if composition.is_wheel:
        values = [below(words, composition.pockets) for _ in range(composition.slots)]
    else:
        values = shuffled(composition.codes, words)
    run = stream_bytes(mac(seed, label("salts") + text), 16 * composition.slots)
    salts = tuple(run[16 * i : 16 * i + 16] for i in range(composition.slots))
    leaves = [slot_leaf(salt, i, value) for i, (salt, value) in enumerate(zip(salts, values))]
    return DerivedShoe(tuple(values), salts, tree_root(leaves))


def check_opening(opening: Mapping[str, Any], root: bytes, composition: Composition) -> tuple[int, int]:
    """The slot and value of an opening that leads to `root`; `Malformed` where it does not.

    The number of slots comes from the committed composition, never from the proof: a path of another length would let
    an inner node pass for a leaf.
    """
    if set(opening) != {"slot", "value", "salt", "path"} or not isinstance(opening["path"], list):
        raise Malformed("an opening has the fields slot, value, salt and path")
    if len(opening["path"]) > MOST_HASHES_IN_AN_OPENING:
        raise Malformed("the path of an opening is too long")
    salt, path = unhex(opening["salt"], 16), [unhex(one) for one in opening["path"]]
    slot, value = opening["slot"], opening["value"]
    hashed = slot_leaf(salt, slot, value)
    if slot >= composition.slots:
        raise Malformed(f"the shoe has no slot {slot}")
    if value >= (composition.pockets or 52):
        raise Malformed(f"{value} is no value of a slot")
    at, width = slot, composition.slots
    for sibling in path:
        while width > 1 and at % 2 == 0 and at + 1 == width:
            at, width = at // 2, (width + 1) // 2
        if width <= 1:
            raise Malformed("the path of an opening is too long")
        hashed = node(sibling, hashed) if at % 2 else node(hashed, sibling)
        at, width = at // 2, (width + 1) // 2
    while width > 1 and at % 2 == 0 and at + 1 == width:
        at, width = at // 2, (width + 1) // 2
    if width > 1:
        raise Malformed("the path of an opening is too short")
    if not hmac.compare_digest(hashed, root):
        raise Malformed("the opening does not lead to the committed root")
    return slot, value


# --- Seeds ----------------------------------------------------------------------------------------


def server_commitment(context: bytes, shoe_no: int, candidate: int, seed: bytes) -> bytes:
    return sha256(label("seed-commitment") + context + number(shoe_no, 8) + number(candidate, 1) + seed)


def committed_bytes(context: bytes, round_no: int, player: str, seed: bytes) -> bytes:
    """What the commitment to a client seed is the hash of."""
    if len(seed) != 32:
        raise Malformed("a client seed has 32 bytes")
    named = length_prefixed(name_bytes(player))
    return label("client-seed") + context + number(round_no, 8) + named + seed


def client_commitment(context: bytes, round_no: int, player: str, seed: bytes) -> bytes:
    """What a player sends with a bet. The player's name in it keeps others from copying commitment and seed."""
    return sha256(committed_bytes(context, round_no, player, seed))


def round_entropy(
    context: bytes,
    shoe_no: int,
    roots: Sequence[bytes],
    round_no: int,
    contributors: Sequence[tuple[str, bytes]],
) -> bytes:
    """E: the hash of all contributors' seeds, in ascending bytes of their names, with the committed roots."""
    if len(roots) not in (1, 2):
        raise Malformed("a shoe has one candidate or two")
    if not 1 <= len(contributors) <= MOST_CONTRIBUTORS:
        raise Malformed("a round has 1 to 65,535 contributors")
    names = [name_bytes(player) for player, _ in contributors]
    if any(left >= right for left, right in zip(names, names[1:])):
        raise Malformed("the contributors do not ascend")
    data = label("round") + context + number(shoe_no, 8) + number(len(roots), 1) + b"".join(roots)
    data += number(round_no, 8) + number(len(contributors), 2)
    return sha256(data + b"".join(length_prefixed(name) + seed for name, (_, seed) in zip(names, contributors)))


def public_shuffle(entropy: bytes, candidates: int, undrawn: Sequence[int]) -> tuple[int, list[int]]:
    """Which candidate is dealt, and the order of the slots that are left. It sees no face."""
    words = stream_words(entropy)
    pick = below(words, candidates) if candidates > 1 else 0
    return pick, shuffled(sorted(undrawn), words)


def wheel_offset(entropy: bytes, pockets: int) -> int:
    return below(stream_words(entropy), pockets)


def lane_slot(order: Sequence[int], lanes: int, lane: int, drawn: int, is_undrawn: Callable[[int], bool]) -> int | None:
    """The slot that draw `drawn` (from 0) of a lane takes, or None where no slot is left."""
    at = drawn * lanes + lane
    if at < len(order) and is_undrawn(order[at]):
        return order[at]
    return next((slot for slot in reversed(order) if is_undrawn(slot)), None)
