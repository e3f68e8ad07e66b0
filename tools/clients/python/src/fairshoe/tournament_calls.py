"""The calls of openapi.yaml about tournaments, each described once, as a flow.

Seats are drawn from seeds of the entrants: `seat_commitment` is what goes with a registration
(spec/games/tournaments.md, 3). The caller keeps these seeds; hands at a tournament's table are played like those of a
cash table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .asking import hex32, without_none
from .contract import Accepted, DealMethod, JsonObject, StructureList, StructureView, TableEntries
from .core import OPERATOR, amount, name, path
from .entries import read_entry
from .errors import NotProven, Unproven
from .fairness import Malformed, label, length_prefixed, name_bytes, number, sha256, table_context
from .flow import Flow
from .lists import Lists

LISTED_AT_ONCE = 256


def seat_commitment(origin: str, tournament: str, epoch: str, use: int, player: str, seed: bytes) -> bytes:
    """The commitment of a seat's seed; `use` is `next_use` of the tournament's `own`, 0 at first."""
    context = table_context(origin, tournament, epoch)
    return sha256(label("seat-seed") + context + number(use, 2) + length_prefixed(name_bytes(player)) + seed)


def _tournament_events(entry: str, index: int) -> list[tuple[str, JsonObject]]:
    try:
        events = read_entry(entry).events
    except Malformed as error:
        raise NotProven("entry_form", str(error), index) from None
    nested = [event.fields for event in events if event.word == "tournament"]
    return [(word, fields) for one in nested for word, fields in one.items() if isinstance(fields, dict)]


class TournamentCalls(Lists):
    """The flows of the tournaments' calls."""

    def list_structures(self) -> Flow[list[StructureView]]:
        reply = yield from self._get("listStructures", StructureList, "/v1/structures")
        return reply["structures"]

    def create_tournament(
        self,
        tournament: str,
        structure: str | JsonObject,
        starts_at: int,
        *,
        registration_from: int | None = None,
        options: JsonObject | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        body = without_none(
            tournament=name(tournament, "tournament"),
            structure=structure,
            options=options,
            starts_at=starts_at,
            registration_from=registration_from,
        )
        wanted: JsonObject = without_none(event=tournament, starts_at=starts_at, registration_from=registration_from)
        if isinstance(structure, str):
            wanted["structure"] = {"name": structure}
        elif options is None:
            wanted["structure"] = structure
        return (
            yield from self._do(
                "createTournament",
                "/v1/tournaments",
                body,
                key=idempotency_key,
                by=OPERATOR,
                expects={"tournament": {"create": wanted}},
            )
        )

    def list_tournament_entries(
        self, tournament: str, *, from_seq: int = 0, limit: int | None = None, wait_ms: int | None = None
    ) -> Flow[TableEntries]:
        """The tournament's own entries, each proven to be on the log under the reply's checkpoint."""
        at = path("/v1/tournaments/{}/entries", name(tournament, "tournament"))
        query: dict[str, Any] = {"from_seq": from_seq, "limit": limit, "wait_ms": wait_ms, "proofs": True}
        reply = yield from self._get("listTournamentEntries", TableEntries, at, **query)
        yield from self.prove_listed(reply, tournament, from_seq)
        return reply

    def reveal_seat_seed(
        self, tournament: str, draw_no: int, entry_no: int, seed: str, *, next: str | None = None
    ) -> Flow[Accepted]:
        """Reveals a seat's seed, once the log is proven to have called this draw after the entry was made."""
        body = without_none(entry_no=entry_no, seed=hex32(seed, "seed"), next=next)
        yield from self.prove_draw(tournament, draw_no, entry_no)
        rest = path("/draws/{}/reveals", draw_no)
        command = {"reveal_seat_seed": {"event": tournament, "draw_no": draw_no, **body}}
        by = "*" if next is None else None  # Anybody's to give: the seed proves itself.
        return (yield from self._in_event("revealSeatSeed", tournament, rest, body, command, by=by))

    def prove_draw(self, tournament: str, draw_no: int, entry_no: int) -> Flow[None]:
        """The log called this draw, has not drawn yet, and this entry was there before: `Unproven` where it does not.

        A view alone may name a draw that nobody called, or another's entry: a seed that is out early lets the house
        choose what the draw comes to. Who of a broken table is drawn for is the house's word still.
        """
        is_in = is_called = False
        from_seq, is_more = 0, True
        while is_more:
            listed = yield from self.list_tournament_entries(tournament, from_seq=from_seq, limit=LISTED_AT_ONCE)
            for item in listed["entries"]:
                for word, fields in _tournament_events(item["entry"], item["index"]):
                    if word in ("registered", "unregistered") and fields.get("entry_no") == entry_no:
                        is_in = word == "registered"
                        if is_in and self.player is not None and fields.get("player") != self.player:
                            raise Unproven(f"entry {entry_no} of {tournament} is not of {self.player}")
                    elif word in ("draw_called", "seats_drawn") and fields.get("draw_no") == draw_no:
                        is_called = is_in and word == "draw_called"
            from_seq += len(listed["entries"])
            is_more = bool(listed["entries"])
        if not is_called:
            raise Unproven(f"no open draw {draw_no} of {tournament} for entry {entry_no} is on the log: the seed stays")

    def propose_deal(
        self,
        tournament: str,
        method: DealMethod,
        amounts: Sequence[Sequence[int]] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        listed = None if amounts is None else [[entry, amount(chips, "an amount")] for entry, chips in amounts]
        body = without_none(method=method, amounts=listed)
        command = {"propose_deal": {"event": tournament, **body}}
        asked: Any = ("proposeDeal", tournament, "/deal/proposals", body, command)
        return (yield from self._in_event(*asked, key=idempotency_key))
