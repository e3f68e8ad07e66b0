"""What a client must not lose: seeds that are committed and not out yet, the player's own key, the log's key and
newest checkpoint, its token, which requests it sent under which key, and what the house signed for beside the log.

A file store is one small JSON file, readable by its owner alone. It is written whole, synced and renamed before the
commitment that it is about is sent, so that a killed bot can still reveal.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from .errors import StoreError
from .fairness import client_commitment, table_context
from .flow import Secret

MOST_SEEDS = 4_096
"""Seeds whose round never came are forgotten, the oldest first."""
MOST_ASKED = 4_096
MOST_NOTES = 256
"""Of what the house signed; the oldest go first."""

PARTS: dict[str, type] = {
    "logs": dict,
    "seeds": list,
    "players": dict,
    "checkpoints": dict,
    "asked": dict,
    "pens": list,
    "notes": list,
}


if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Store:
    """Seeds and pins, in memory; in a file too where a path is given."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        # Resolved, so that two names of one file are one lock, and a link is not replaced by a file.
        self._path = None if path is None else Path(path).resolve()
        self._lock: IO[bytes] | None = None
        self._state: dict[str, Any] = {"version": 1, **{name: kind() for name, kind in PARTS.items()}}
        if self._path is not None:
            self._open(self._path)

    def __repr__(self) -> str:
        return f"Store({None if self._path is None else str(self._path)!r}, {len(self._state['seeds'])} seeds)"

    @property
    def is_lasting(self) -> bool:
        """Whether a later run finds what this one keeps."""
        return self._path is not None

    def _open(self, path: Path) -> None:
        try:
            self._lock = open(path.with_name(path.name + ".lock"), "ab")
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {type(error).__name__}") from None
        try:
            lock(self._lock)
        except OSError:
            self.close()
            raise StoreError(f"another program uses {path}") from None
        try:
            if path.exists():
                self._state = self._read(path)
        except StoreError:
            self.close()
            raise

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            state = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{path} cannot be read: {type(error).__name__}") from None
        if not isinstance(state, dict) or state.get("version") != 1:
            raise StoreError(f"{path} is no store of this version")
        for name, kind in PARTS.items():
            if not isinstance(state.setdefault(name, kind()), kind):
                raise StoreError(f"{path} is no store: {name}")
        return state

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _save(self) -> None:
        if self._path is None:
            return
        if self._lock is None:
            # Another program may have the file by now, and what it keeps would be overwritten.
            raise StoreError(f"{self._path} was closed")
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
        try:
            file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump(self._state, out)
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, self._path)
            sync_folder(self._path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise StoreError(f"{self._path} cannot be written: {type(error).__name__}") from None

    # --- The log --------------------------------------------------------------------------------

    def pinned(self, address: str) -> str | None:
        """The key that was pinned for this address, or None."""
        found = self._state["logs"].get(address)
        key = found.get("key") if isinstance(found, dict) else None
        return key if isinstance(key, str) else None

    def pin(self, addresses: Sequence[str], key: str) -> None:
        """Pins the key for each of the addresses: another order of them, or one alone, is the same log."""
        for address in addresses:
            self._state["logs"][address] = {"key": key}
        self._save()

    def checkpoint(self, key: str) -> str | None:
        found = self._state["checkpoints"].get(key)
        return found if isinstance(found, str) else None

    def keep_checkpoint(self, key: str, note: str) -> None:
        self._state["checkpoints"][key] = note
        self._save()

    # --- What was asked -------------------------------------------------------------------------

    def asked(self, idempotency_key: str) -> int | None:
        """How long the log was known to be when this key was sent first; None where it was not sent yet."""
        found = self._state["asked"].get(idempotency_key)
        return found if type(found) is int else None

    def ask(self, idempotency_key: str, size: int) -> None:
        asked = self._state["asked"]
        asked[idempotency_key] = size
        while len(asked) > MOST_ASKED:
            asked.pop(next(iter(asked)))
        self._save()

    # --- What the house signed ------------------------------------------------------------------

    def notes(self, origin: str) -> list[str]:
        """The house's notes of what it received or refused, the oldest first."""
        return [one["note"] for one in self._state["notes"] if one.get("log") == origin]

    def keep_note(self, origin: str, note: str) -> None:
        notes = [one for one in self._state["notes"] if one.get("note") != note]
        self._state["notes"] = [*notes[-MOST_NOTES + 1 :], {"log": origin, "note": note}]
        self._save()

    def drop_notes(self, notes: Sequence[str]) -> None:
        """The file forgets them with the next thing that it keeps: one too many does no harm."""
        self._state["notes"] = [one for one in self._state["notes"] if one.get("note") not in notes]

    # --- Who plays ------------------------------------------------------------------------------

    def player(self, address: str) -> tuple[str, str] | None:
        found = self._state["players"].get(address)
        if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in ("player", "token")):
            return None
        return found["player"], Secret(found["token"])

    def keep_player(self, addresses: Sequence[str], player: str, token: str) -> None:
        for address in addresses:
            self._state["players"][address] = {"player": player, "token": str(token)}
        self._save()

    # --- Players' keys --------------------------------------------------------------------------

    def pens(self, origin: str, player: str) -> dict[str, str]:
        """The keys of a player that were made or brought here: the secret half by the public one."""
        found = [one for one in self._state["pens"] if one.get("for") == [origin, player]]
        return {one["key"]: Secret(one["secret"]) for one in found}

    def find_pen(self, player: str, key: str | None) -> str | None:
        """The secret half, also of a log before this one: under a new name a log goes on with its players' keys."""
        found = (one for one in self._state["pens"] if one.get("for", [None])[-1] == player and one["key"] == key)
        return next((Secret(one["secret"]) for one in found), None)

    def has_pens(self, player: str) -> bool:
        return any(one.get("for", [None])[-1] == player for one in self._state["pens"])

    def keep_pen(self, origin: str, player: str, key: str, secret: str) -> None:
        """One that may have been named stays: it may be the one in force."""
        if key not in self.pens(origin, player):
            kept = {"for": [origin, player], "key": key, "secret": str.__str__(secret)}
            self._state["pens"] = [*self._state["pens"], kept]
        self._save()

    # --- Seeds ----------------------------------------------------------------------------------

    def _find(self, place: Sequence[Any]) -> dict[str, Any] | None:
        return next((one for one in self._state["seeds"] if one.get("for") == list(place)), None)

    def commit(
        self, origin: str, table: str, epoch: str, round_no: int, player: str, bets: Sequence[Any] | None
    ) -> str:
        """The commitment of the seed for this round: made of the operating system's randomness, and kept, at first.

        One round has one seed under an epoch: its commitment may be sent again, with other bets too, until it is
        revealed. One that was refused for its epoch stays, since an earlier sending of it may have been taken. All bets
        that went with it are kept: those that were refused may have been bound by a sending whose answer was lost, and
        it is the log that says which of them binds.
        """
        place = [origin, table, epoch, round_no, player]
        context = table_context(origin, table, epoch)
        if (found := self._find(place)) is None:
            found = {"for": place, "seed": secrets.token_hex(32), "sent": []}
            self._state["seeds"] = [*self._state["seeds"][-MOST_SEEDS + 1 :], found]
        sent = None if bets is None else [dict(bet) for bet in bets]
        if sent not in found.setdefault("sent", [found.get("bets")]):
            found["sent"].append(sent)
        self._save()
        return client_commitment(context, round_no, player, bytes.fromhex(found["seed"])).hex()

    def committed(
        self, origin: str, table: str, epoch: str, round_no: int, player: str
    ) -> tuple[str, list[list[Any] | None]] | None:
        """The seed (hexadecimal) and all bets that went with its commitment, or None."""
        found = self._find([origin, table, epoch, round_no, player])
        return (Secret(found["seed"]), found.get("sent", [found.get("bets")])) if found else None

    def forget(self, origin: str, table: str, round_no: int, player: str) -> None:
        """The seed is out, and proven to be on the log: nobody needs it any more, nor one for the same round that was
        bound to another epoch."""

        def is_of_round(one: dict[str, Any]) -> bool:
            place = one.get("for")
            return isinstance(place, list) and [*place[:2], *place[3:]] == [origin, table, round_no, player]

        left = [one for one in self._state["seeds"] if not is_of_round(one)]
        if len(left) < len(self._state["seeds"]):
            self._state["seeds"] = left
            self._save()


def sync_folder(folder: Path) -> None:
    """Makes the file's new name last over a power cut; Windows has no such call."""
    if sys.platform != "win32":
        at = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(at)
        finally:
            os.close(at)
