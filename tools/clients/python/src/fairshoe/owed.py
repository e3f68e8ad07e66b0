"""Entries that came without their proofs, which were asked for later (spec/receipts.md, "Proofs that come later").

Until one is proven it is the service's word, and nothing that it signed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .contract import Receipt
from .errors import BadInput, BadReply, NotProven

MOST_OWED = 4_096
"""So many entries are owed at most: past them the client asks with proofs again."""

Proofs: TypeAlias = Literal["later"]


@dataclass(frozen=True)
class OwedEntry:
    """An entry of a reply as it came, whose proof is still owed."""

    index: int
    entry: str
    round: str
    """The round that was asked about."""

    @property
    def table(self) -> str:
        return self.round.rpartition(":")[0]


def is_later(proofs: object) -> bool:
    if proofs not in (None, "later"):
        raise BadInput(f"proofs come with the reply, or 'later'; got {proofs!r}")
    return proofs == "later"


def proof_of(receipt: Receipt) -> str:
    """The proof of a receipt that has to have one."""
    if "proof" not in receipt:
        raise BadReply(f"the receipt of entry {receipt['index']} has no proof")
    return receipt["proof"]


class Owed:
    def __init__(self) -> None:
        self._entries: dict[int, OwedEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def all(self) -> list[OwedEntry]:
        return list(self._entries.values())

    @property
    def is_full(self) -> bool:
        return len(self._entries) >= MOST_OWED

    def add(self, told: OwedEntry) -> bool:
        """Keeps an entry that came without a proof, where that was asked for.

        False where as many are owed as may be (calls that went out at once, or a second receipt): then it is not kept,
        and is to be proven at once.
        """
        if told.index < 0:
            raise BadReply(f"no entry is at the place {told.index}")
        before = self._entries.get(told.index)
        if before is None:
            if self.is_full:
                return False
            self._entries[told.index] = told
        elif before.entry != told.entry:
            raise NotProven("receipt", "the service told two entries at this place, and signed neither", told.index)
        return True

    def settle(self, index: int, entry: str) -> None:
        """An entry that is proven to be on the log: one that was owed there has to be the same, and is owed no more.

        What differs stays: these bytes are all that there is of the lie.
        """
        owed = self._entries.get(index)
        if owed is None:
            return
        if owed.entry != entry:
            raise NotProven("receipt", "the log has another entry than the one that the service told", index)
        del self._entries[index]
