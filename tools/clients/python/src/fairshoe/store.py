"""What a client must not lose: seeds that are committed and not out yet, the log's key and newest checkpoint, its
token.

A file store is one small JSON file, readable by its owner alone. It is written whole, synced and renamed before the
commitment that it is about is sent, so that a killed bot can still reveal.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from .errors import StoreError
from .fairness import client_commitment, table_context
from .flow import Secret

try:
    import fcntl
except ImportError:  # Not on Windows: there nothing keeps two programs from one file.
    fcntl = None  # type: ignore[assignment]

MOST_SEEDS = 4_096
"""Seeds whose round never came are forgotten, the oldest first."""


class Store:
    """Seeds and pins, in memory; in a file too where a path is given."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._lock: IO[bytes] | None = None
        self._state: dict[str, Any] = {"version": 1, "logs": {}, "seeds": [], "players": {}}
        if self._path is not None:
            self._open(self._path)

    def __repr__(self) -> str:
        return f"Store({str(self._path)!r}, {len(self._state['seeds'])} seeds)"

    def _open(self, path: Path) -> None:
        try:
            self._lock = open(path.with_name(path.name + ".lock"), "ab")
            if fcntl is not None:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists():
                state = json.loads(path.read_text("utf-8"))
                if not isinstance(state, dict) or state.get("version") != 1:
                    raise StoreError(f"{path} is no store of this version")
                self._state = state
        except BlockingIOError:
            raise StoreError(f"another program uses {path}") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{path} cannot be read: {type(error).__name__}") from None

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _save(self) -> None:
        if self._path is None:
            return
        temporary = self._path.with_name(self._path.name + ".new")
        try:
            file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump(self._state, out)
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, self._path)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {type(error).__name__}") from None

    # --- The log --------------------------------------------------------------------------------

    def pinned(self, address: str) -> str | None:
        """The key that was pinned for this address, or None."""
        found = self._state["logs"].get(address, {}).get("key")
        return found if isinstance(found, str) else None

    def pin(self, address: str, key: str) -> None:
        self._state["logs"].setdefault(address, {})["key"] = key
        self._save()

    def checkpoint(self, key: str) -> str | None:
        found = self._state.get("checkpoints", {}).get(key)
        return found if isinstance(found, str) else None

    def keep_checkpoint(self, key: str, note: str) -> None:
        self._state.setdefault("checkpoints", {})[key] = note
        self._save()

    # --- Who plays ------------------------------------------------------------------------------

    def player(self, address: str) -> tuple[str, str] | None:
        found = self._state["players"].get(address)
        return (found["player"], Secret(found["token"])) if found else None

    def keep_player(self, address: str, player: str, token: str) -> None:
        self._state["players"][address] = {"player": player, "token": str(token)}
        self._save()

    # --- Seeds ----------------------------------------------------------------------------------

    def _find(self, place: Sequence[Any]) -> dict[str, Any] | None:
        return next((one for one in self._state["seeds"] if one["for"] == list(place)), None)

    def commit(
        self, origin: str, table: str, epoch: str, round_no: int, player: str, bets: Sequence[Any] | None
    ) -> str:
        """The commitment of the seed for this round: made of the operating system's randomness, and kept, at first.

        One round has one seed: its commitment may be sent again, with other bets too, until it is revealed.
        """
        place = [origin, table, epoch, round_no, player]
        if (found := self._find(place)) is None:
            found = {"for": place, "seed": secrets.token_hex(32)}
            self._state["seeds"] = [*self._state["seeds"][-MOST_SEEDS + 1 :], found]
        found["bets"] = None if bets is None else [dict(bet) for bet in bets]
        self._save()
        context = table_context(origin, table, epoch)
        return client_commitment(context, round_no, player, bytes.fromhex(found["seed"])).hex()

    def committed(
        self, origin: str, table: str, epoch: str, round_no: int, player: str
    ) -> tuple[str, list[Any] | None] | None:
        """The seed (hexadecimal) and the bets that went with its commitment, or None."""
        found = self._find([origin, table, epoch, round_no, player])
        return (Secret(found["seed"]), found["bets"]) if found else None

    def forget(self, origin: str, table: str, epoch: str, round_no: int, player: str) -> None:
        """The seed is out, and proven to be on the log: nobody needs it any more."""
        place = [origin, table, epoch, round_no, player]
        if self._find(place):
            self._state["seeds"] = [one for one in self._state["seeds"] if one["for"] != place]
            self._save()
