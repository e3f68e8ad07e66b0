"""Proofs of the log's tree: inclusion, consistency, tiles and receipts, as spec/log.md and spec/receipts.md have
them."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .fairness import Malformed, node, sha256
from .notes import BadNote, decimal, hash_of, unbase64

MOST_PROOF_BYTES = 357_716
MOST_EXTRA_BYTES = 65_536
MOST_HASHES = 64
EMPTY_ROOT = sha256(b"")
TILE_WIDTH = 256


class BadProof(Malformed):
    """A proof does not lead where it has to."""


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry)


def _is(left: bytes, right: bytes) -> bool:
    return hmac.compare_digest(left, right)


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """spec/log.md, "Proofs": the leaf is at `index` of the tree of `size` entries under `root`."""
    if not 0 <= index < size:
        raise BadProof(f"index {index} is not below size {size}")
    if len(path) > MOST_HASHES:
        raise BadProof("the proof is too long")
    first, last, hashed = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            raise BadProof("the proof is too long")
        if first % 2 or first == last:
            hashed = node(sibling, hashed)
            while first % 2 == 0 and first:
                first, last = first // 2, last // 2
        else:
            hashed = node(hashed, sibling)
        first, last = first // 2, last // 2
    if last or not _is(hashed, root):
        raise BadProof("the proof does not lead to the root")


# --- Tiles ----------------------------------------------------------------------------------------


def tile_path(level: int, tile: int, width: int = TILE_WIDTH) -> str:
    """`/tile/<L>/<N>[.p/<W>]` in its one spelling."""
    digits = f"{tile % 1000:03}"
    while tile >= 1000:
        tile //= 1000
        digits = f"x{tile % 1000:03}/{digits}"
    return f"/tile/{level}/{digits}" + ("" if width == TILE_WIDTH else f".p/{width}")


def complete_subtrees(size: int) -> list[tuple[int, int]]:
    """The complete subtrees of a tree, largest first, as (height, number of the subtree at that height)."""
    found, before = [], 0
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            found.append((height, before >> height))
            before += 1 << height
    return found


def tiles_of(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Which tiles show the roots of these trees: (level, tile) -> the widest width that the largest tree has."""
    largest, widths = max(sizes), {}
    for size in sizes:
        for height, number in complete_subtrees(size):
            level, spread = height // 8, 1 << height % 8
            tile = number * spread // TILE_WIDTH
            widths[level, tile] = min((largest >> 8 * level) - tile * TILE_WIDTH, TILE_WIDTH)
    return widths


def root_from_tiles(size: int, tiles: Mapping[tuple[int, int], bytes]) -> bytes:
    """The root of the first `size` entries, from tiles of a tree that has at least as many."""
    if size == 0:
        return EMPTY_ROOT
    roots = []
    for height, number in complete_subtrees(size):
        level, spread = height // 8, 1 << height % 8
        first = number * spread
        data = tiles[level, first // TILE_WIDTH]
        at = first % TILE_WIDTH * 32
        hashes = [data[i : i + 32] for i in range(at, at + 32 * spread, 32)]
        while len(hashes) > 1:
            hashes = [node(hashes[i], hashes[i + 1]) for i in range(0, len(hashes), 2)]
        roots.append(hashes[0])
    folded = roots[-1]
    for root in reversed(roots[:-1]):
        folded = node(root, folded)
    return folded


# --- Receipts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proof:
    """A `.tlog-proof` file. What stood in its `extra` line is under no signature and is not kept."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str

    @staticmethod
    def read(text: str) -> Proof:
        if len(text.encode()) > MOST_PROOF_BYTES:
            raise BadProof("the receipt is too long")
        head, empty, checkpoint = text.partition("\n\n")
        lines = head.split("\n")
        if not empty or lines[0] != "c2sp.org/tlog-proof@v1" or len(lines) < 2:
            raise BadProof("not a tlog-proof of version 1")
        rest = lines[1:]
        try:
            if rest[0].startswith("extra "):
                if not 1 <= len(unbase64(rest[0][len("extra ") :])) <= MOST_EXTRA_BYTES:
                    raise BadProof("the extra data is empty or too long")
                rest = rest[1:]
            if not rest or not (named := re.fullmatch(r"index (\S+)", rest[0])):
                raise BadProof("no index")
            if len(rest) - 1 > MOST_HASHES:
                raise BadProof("too many hashes")
            return Proof(decimal(named[1]), tuple(hash_of(line) for line in rest[1:]), checkpoint)
        except BadNote as error:
            raise BadProof(str(error)) from None
