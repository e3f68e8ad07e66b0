"""One committed shoe as the log shows it: what is drawn, which faces are shown, and what proves each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .contract import JsonObject
from .errors import NotProven
from .fairness import (
    Composition,
    Malformed,
    card_code,
    card_text,
    check_opening,
    derive_shoe,
    server_commitment,
    table_context,
    unhex,
)

RANK_ACE, RANK_TEN = 0, 9


class Shoe:
    """A shoe of a table, from its `shoe_committed` to its `shoe_revealed` or `shoe_sealed`.

    `epoch` is None while it is not known yet: a start of the dealer changes it, and no entry of the table tells it.
    """

    def __init__(self, origin: str, table: str, epoch: str | None, fields: JsonObject, entry: int) -> None:
        self.origin, self.table, self.epoch, self.entry = origin, table, epoch, entry
        self.no: int = fields["shoe_no"]
        self.composition = Composition.read(fields["composition"])
        self.commitments = [unhex(one["commitment"]) for one in fields["candidates"]]
        self.roots = [unhex(one["root"]) for one in fields["candidates"]]
        self.pick: int | None = 0 if len(self.roots) == 1 else None
        self.undrawn = set(range(self.composition.slots))
        self.hidden: set[int] = set()
        self.values: dict[int, int] = {}
        """slot -> the card code or wheel value that the log shows there"""
        self.shown_in: dict[int, int] = {}
        self.opened: set[int] = set()
        """slots whose face an opening proves"""
        self.places: dict[int, str] = {}
        self.peeks: list[tuple[int, int, bool, int]] = []
        self.last_players: frozenset[str] | None = None
        self.state = "in use"
        self.is_epoch_proven = False
        """Whether a seed opened its commitment under this epoch, which no seed does under another."""
        if len(set(self.roots)) < len(self.roots) or len(set(self.commitments)) < len(self.commitments):
            raise NotProven("root_reused", "both candidates are one deck, whose seed comes out with the hand", entry)
        self._left = Counter(self.composition.codes)

    @property
    def context(self) -> bytes:
        if self.epoch is None:
            raise NotProven("start", f"the epoch of shoe {self.no} is not known")
        return table_context(self.origin, self.table, self.epoch)

    def root(self, entry: int | None) -> bytes:
        """The root of the candidate that is dealt."""
        if self.pick is None:
            raise NotProven("round_opened", f"no candidate of shoe {self.no} is picked yet", entry)
        return self.roots[self.pick]

    def face(self, slot: int) -> str:
        value = self.values[slot]
        return str(value) if self.composition.is_wheel else card_text(value)

    def draw(self, slot: int, place: str, card: object, entry: int) -> None:
        self.undrawn.discard(slot)
        self.places[slot] = place
        if card is None:
            self.hidden.add(slot)
        else:
            self.show(slot, card_code(card), entry)

    def turn_up(self, slot: int, card: object, entry: int) -> None:
        if slot not in self.hidden:
            raise NotProven("turned", f"slot {slot} of shoe {self.no} does not lie face-down", entry)
        self.hidden.discard(slot)
        self.show(slot, card_code(card), entry)

    def show(self, slot: int, value: int, entry: int) -> None:
        if not self.composition.is_wheel:
            self._left[value] -= 1
            if self._left[value] < 0:
                raise NotProven("face_false", f"{card_text(value)} is shown more often than the shoe holds it", entry)
        self.values[slot], self.shown_in[slot] = value, entry

    def open(self, given: Mapping[str, Any], entry: int | None = None) -> int:
        """Checks an opening of a face that the log shows, and returns its slot."""
        bare = {name: value for name, value in given.items() if name != "shoe_no"}
        try:
            slot, value = check_opening(bare, self.root(entry), self.composition)
        except Malformed as error:
            raise NotProven("opening", f"shoe {self.no}: {error}", entry) from None
        if slot not in self.values:
            raise NotProven("opening_extra", f"slot {slot} of shoe {self.no} is opened and was never shown", entry)
        if self.values[slot] != value:
            raise NotProven(
                "face_false",
                f"slot {slot} of shoe {self.no} is shown as {self.face(slot)} and holds another value",
                self.shown_in[slot],
            )
        self.opened.add(slot)
        return slot

    def unproven(self) -> list[int]:
        """Slots whose faces rest on the house's word: no opening, and no seed that orders the shoe."""
        return [] if self.state != "in use" else sorted(set(self.values) - self.opened)

    def check_candidate(self, candidate: int, seed_text: object, entry: int) -> tuple[int, ...]:
        """A published seed opens its commitment and orders a proper shoe of the committed root; the values by slot."""
        seed = unhex(seed_text)
        if server_commitment(self.context, self.no, candidate, seed) != self.commitments[candidate]:
            raise NotProven("seed_opens", f"the seed of shoe {self.no} does not open its commitment", entry)
        self.is_epoch_proven = True
        derived = derive_shoe(seed, self.composition)
        if derived.root != self.roots[candidate]:
            raise NotProven(
                "shoe_root", f"the shoe that the seed orders has not the committed root of {self.no}", entry
            )
        return derived.values

    def reveal(self, seeds: Sequence[object], entry: int) -> None:
        """`shoe_revealed`: levels 7 to 9 of spec/fairness.md, "What a verifier checks"."""
        if len(seeds) != len(self.roots):
            raise NotProven("shoe_revealed", f"shoe {self.no} has {len(self.roots)} seeds", entry)
        ordered = [self.check_candidate(k, seed, entry) for k, seed in enumerate(seeds)]
        if self.pick is not None:
            values = ordered[self.pick]
            for slot, value in self.values.items():
                if values[slot] != value:
                    what = f"slot {slot} of shoe {self.no} is shown as {self.face(slot)} and held another value"
                    raise NotProven("face_false", what, self.shown_in[slot])
            for up, slot, answer, at in self.peeks:
                if (sorted(min(values[one] % 13, RANK_TEN) for one in (up, slot)) == [RANK_ACE, RANK_TEN]) != answer:
                    raise NotProven("peek", f"the peek at slot {slot} of shoe {self.no} was answered falsely", at)
        self.state = "revealed"

    def seal(self, openings: Sequence[Mapping[str, Any]], entry: int) -> None:
        """`shoe_sealed`: just the openings of what was turned up, each of which holds."""
        self.opened.clear()
        for opening in openings:
            before = len(self.opened)
            self.open(opening, entry)
            if len(self.opened) == before:
                raise NotProven("opening_extra", f"a slot of shoe {self.no} is opened twice", entry)
        if missing := set(self.values) - self.opened:
            raise NotProven("opening_missing", f"slot {min(missing)} of shoe {self.no} was shown and not opened", entry)
        self.state = "sealed"
