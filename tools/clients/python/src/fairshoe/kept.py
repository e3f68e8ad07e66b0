"""Signed notes of what the house received or refused (spec/receipts.md, "Received and refused"): evidence, kept until
the log has what was asked for."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from .entries import BadEntry, read_entry
from .errors import BadInput
from .notes import HouseNote
from .store import Store

Notes: TypeAlias = Literal["asked-for"]

SIGNED_FOR = frozenset(
    """placeBet cancelBet commitSeed revealSeed act register unregister revealSeatSeed rebuy addOn answerDeal""".split()
)
"""Calls that the service signs for before it decides them, where that is asked for."""

Said: TypeAlias = tuple[str, str, str | None]
"""Who gave which command under which signature: what a note and an entry both say."""


def asks_notes(notes: object) -> bool:
    if notes not in (None, "asked-for"):
        raise BadInput(f"notes are asked for with each call, or only where 'asked-for'; got {notes!r}")
    return notes is None


class KeptNotes:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[str, tuple[Said, int]] = {}
        """Of this run what was received, and is neither on the log nor refused as far as is known here."""

    def __len__(self) -> int:
        return len(self._open)

    def keep(self, origin: str, read: HouseNote, note: str) -> None:
        """Keeps a note that this log's key signed. A refusal of what was received takes the place of the note of
        that."""
        said = (read.by, read.command, read.signed)
        if read.is_refusal:
            self._forget([one for one, (what, _) in self._open.items() if what == said])
        else:
            self._open[note] = (said, read.time)
        self._store.keep_note(origin, note)

    def settle(self, text: str) -> None:
        """An entry is proven to be on the log: what was received of it no longer needs its note.

        Attack: an older entry with the same command, in the place of the one that was signed for.
        """
        if not self._open:
            return
        try:
            entry = read_entry(text)
        except BadEntry:
            return  # It is said where the entry is used.
        command = json.dumps({entry.command: entry.fields}, separators=(",", ":"))
        signed = None if entry.signed is None else json.dumps(entry.signed, separators=(",", ":"))
        said = (entry.by, command, signed)
        self._forget([one for one, (what, time) in self._open.items() if what == said and time <= entry.time])

    def _forget(self, notes: list[str]) -> None:
        for note in notes:
            del self._open[note]
        if notes:
            self._store.drop_notes(notes)

    def all(self, origin: str) -> list[str]:
        return self._store.notes(origin)


def lines_of_notes(notes: list[str]) -> str:
    """Notes as a file that `fairshoe-audit log --kept` and the second verifier read: a line for each."""

    def kind(note: str) -> str:
        return "refused" if note.startswith("fairshoe refused/") else "received"

    return "".join(json.dumps({kind(note): note}) + "\n" for note in notes)
