"""A small log under a key of its own, for tests that need receipts and no service."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairshoe.fairness import sha256, tree_root
from fairshoe.notes import to_base64
from fairshoe.proofs import leaf_hash

NAME = "small.example/log"


def entry(by: str, command: dict[str, Any], events: Any = (), at: tuple[str, int] | None = None) -> str:
    value: dict[str, Any] = {"v": 1, "time": 1_800_000_000_000, "by": by}
    if at is not None:
        value["at"] = {"table": at[0], "seq": at[1]}
    return json.dumps({**value, "command": command, "events": list(events)}, separators=(",", ":"))


def path_to(index: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962, section 2.1.1."""
    if len(leaves) == 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*path_to(index, leaves[:half]), tree_root(leaves[half:])]
    return [*path_to(index - half, leaves[half:]), tree_root(leaves[:half])]


class SmallLog:
    """`receipts` are those of the entries, each under the checkpoint of the whole log."""

    def __init__(self, *entries: str, name: str = NAME) -> None:
        self.name = name
        self._pen = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        public = b"\x01" + self._pen.public_key().public_bytes_raw()
        self._key_id = sha256(name.encode() + b"\n" + public)[:4]
        self.key = f"{name}+{self._key_id.hex()}+{to_base64(public)}"
        self.entries = list(entries)
        self.leaves = [leaf_hash(text.encode()) for text in entries]
        self.checkpoint = self.checkpoint_of(len(entries))
        self.receipts = [self.receipt(index) for index in range(len(entries))]

    def checkpoint_of(self, size: int) -> str:
        return self.sign(f"{self.name}\n{size}\n{to_base64(tree_root(self.leaves[:size]))}\n")

    def note(self, kind: str, *lines: str) -> str:
        """A signed note of these lines: of what was received, or of a refusal."""
        return self.sign("\n".join([f"fairshoe {kind}/v1", self.name, *lines, ""]))

    def sign(self, text: str) -> str:
        signature = to_base64(self._key_id + self._pen.sign(text.encode()))
        return f"{text}\n\u2014 {self.name} {signature}\n"

    def proof(self, index: int, size: int | None = None) -> list[str]:
        return [to_base64(one) for one in path_to(index, self.leaves[:size])]

    def receipt(self, index: int, size: int | None = None) -> dict[str, Any]:
        """The receipt of an entry under the checkpoint of the log's first `size` entries."""
        size = len(self.leaves) if size is None else size
        path = "".join(one + "\n" for one in self.proof(index, size))
        proof = f"c2sp.org/tlog-proof@v1\nindex {index}\n{path}\n{self.checkpoint_of(size)}"
        return {"index": index, "entry": self.entries[index], "proof": proof}

    def tile(self, size: int) -> bytes:
        """The tile of the first `size` entries, of which a small log has 256 at most."""
        return b"".join(self.leaves[:size])
