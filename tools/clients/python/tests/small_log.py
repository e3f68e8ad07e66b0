"""A log of one or two entries under a key of its own, for tests that need receipts and no service."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairshoe.fairness import node, sha256
from fairshoe.notes import to_base64
from fairshoe.proofs import leaf_hash

NAME = "small.example/log"


def entry(by: str, command: dict[str, Any]) -> str:
    value = {"v": 1, "time": 1_800_000_000_000, "by": by, "command": command, "events": []}
    return json.dumps(value, separators=(",", ":"))


class SmallLog:
    """`receipts` are those of the entries, all under the one checkpoint that the key signs."""

    def __init__(self, *entries: str) -> None:
        pen = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        public = b"\x01" + pen.public_key().public_bytes_raw()
        key_id = sha256(NAME.encode() + b"\n" + public)[:4]
        self.key = f"{NAME}+{key_id.hex()}+{to_base64(public)}"
        leaves = [leaf_hash(text.encode()) for text in entries]
        root = leaves[0] if len(leaves) == 1 else node(leaves[0], leaves[1])
        text = f"{NAME}\n{len(leaves)}\n{to_base64(root)}\n"
        signature = to_base64(key_id + pen.sign(text.encode()))
        self.checkpoint = f"{text}\n\u2014 {NAME} {signature}\n"
        self.receipts = []
        for index, body in enumerate(entries):
            path = "".join(to_base64(leaf) + "\n" for at, leaf in enumerate(leaves) if at != index)
            proof = f"c2sp.org/tlog-proof@v1\nindex {index}\n{path}\n{self.checkpoint}"
            self.receipts.append({"index": index, "entry": body, "proof": proof})
