"""A player's own Ed25519 key (spec/entries.md, "Keys by default"): made here, kept in the store, saved to a file and
brought back from one. Its secret half is shown to nobody but the player."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .errors import BadInput
from .flow import Secret

HEX = re.compile(r"[0-9a-f]{64}")
MOST_FILE = 4096
"""A file of a key is not a tenth as long."""
FORM = 1


@dataclass(frozen=True)
class KeyState:
    """How a player's commands go out."""

    state: Literal["signs", "none", "elsewhere"]
    """`signs`: with the key in force, which is here. `none`: they have no key yet. `elsewhere`: the key in force is not
    here, and every command is refused with `signature_missing`, and not sent, until it is."""
    key: str | None
    """The key in force."""
    waits_until: int | None = None
    """When the operator's change of it is in force, in milliseconds; None: none waits."""
    is_next_here: bool = False
    """Whether the key of that change is here."""


def public_half(secret: str) -> str:
    return pen_of(secret).public_key().public_bytes_raw().hex()


def pen_of(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))


def fresh_secret() -> Secret:
    return Secret(Ed25519PrivateKey.generate().private_bytes_raw().hex())


def write_file(origin: str, player: str, secret: str) -> str:
    held = {"fairshoe_player_key": FORM, "log": origin, "player": player, "key": public_half(secret)}
    return json.dumps({**held, "secret": str.__str__(secret)}, indent=2) + "\n"


def read_file(text: str, origin: str, player: str, known: Sequence[str]) -> Secret:
    """The secret half out of the text of a file, which has to be this player's, and of this log where its key is none
    of the known ones."""
    try:
        held: Any = json.loads(text) if len(text) <= MOST_FILE else None
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, dict) or held.get("fairshoe_player_key") != FORM:
        raise BadInput("this is no file of a key")
    if held.get("player") != player or (held.get("log") != origin and held.get("key") not in known):
        raise BadInput(f"the file is of {held.get('player')!r} at {held.get('log')!r}, not of {player} here")
    key, secret = held.get("key"), held.get("secret")
    if not all(isinstance(half, str) and HEX.fullmatch(half) for half in (key, secret)):
        raise BadInput("the file is damaged: its key is none")
    # Attack: a file with another's public half, so that each signature tells of the secret one.
    if public_half(str(secret)) != key:
        raise BadInput("the file is damaged: its two halves are not of one key")
    return Secret(secret)
