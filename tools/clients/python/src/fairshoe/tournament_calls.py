"""The calls of openapi.yaml about tournaments, each described once, as a flow.

Seats are drawn from seeds of the entrants: `seat_commitment` is what goes with a registration
(spec/games/tournaments.md, 3). The caller keeps these seeds; hands at a tournament's table are played like those of a
cash table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .calls import hex32, without_none
from .contract import (
    Accepted,
    DealMethod,
    EventTableList,
    JsonObject,
    Pay,
    Standings,
    StructureList,
    StructureView,
    TableEntries,
    TournamentList,
    TournamentView,
)
from .core import OPERATOR, amount, name, path
from .entries import read_entry
from .errors import NotProven, Unproven
from .fairness import Malformed, label, length_prefixed, name_bytes, number, sha256, table_context
from .flow import Flow
from .lists import Lists

LISTED_AT_ONCE = 256
PAYS = frozenset({"rebuy", "add_on", "buy_stake"})
"""Words of which each request is another one, though it has the same content."""


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

    def _in_event(
        self,
        operation: str,
        tournament: str,
        rest: str,
        body: JsonObject | None,
        *,
        key: str | bool | None,
        word: str | None = None,
        operators_word: str | None = None,
        fields: JsonObject | None = None,
        method: str = "POST",
    ) -> Flow[Accepted]:
        """`word`: the player's command of the tournament, whose fields are the event and `fields`, or else the body.

        `operators_word`: the operator's, which nobody signs.
        """
        at = path("/v1/tournaments/{}", name(tournament, "tournament")) + rest
        inner = {"event": tournament, **(body or {} if fields is None else fields)}
        command = None if operators_word is not None else {"tournament": {word: inner}}
        expects = None if operators_word is None else {"tournament": {operators_word: inner}}
        by = OPERATOR if operators_word is not None else None
        if word == "reveal_seat_seed" and "next" not in inner:
            by = "*"  # Anybody's to give: the seed proves itself.
        # What was said before of the same thing (a bounty of this player, registration) is over with what is said now.
        subject = f"{tournament}{rest}/{inner.get('player', '')}" if word not in PAYS else None
        return (
            yield from self._do(
                operation,
                at,
                body,
                key=key,
                command=command,
                expects=expects,
                method=method,
                by=by,
                repeats_by_content=word not in PAYS,
                subject=subject,
            )
        )

    def list_structures(self) -> Flow[list[StructureView]]:
        reply = yield from self._get("listStructures", StructureList, "/v1/structures")
        return reply["structures"]

    def get_structure(self, structure: str) -> Flow[StructureView]:
        at = path("/v1/structures/{}", name(structure, "structure"))
        return (yield from self._get("getStructure", StructureView, at))

    def list_tournaments(self, *, cursor: str | None = None, limit: int | None = None) -> Flow[TournamentList]:
        return (yield from self._get("listTournaments", TournamentList, "/v1/tournaments", cursor=cursor, limit=limit))

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

    def get_tournament(self, tournament: str) -> Flow[TournamentView]:
        at = path("/v1/tournaments/{}", name(tournament, "tournament"))
        return (yield from self._get("getTournament", TournamentView, at))

    def list_standings(
        self, tournament: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Flow[Standings]:
        at = path("/v1/tournaments/{}/standings", name(tournament, "tournament"))
        return (yield from self._get("listStandings", Standings, at, cursor=cursor, limit=limit))

    def list_tournament_tables(
        self, tournament: str, *, cursor: int | None = None, limit: int | None = None
    ) -> Flow[EventTableList]:
        at = path("/v1/tournaments/{}/tables", name(tournament, "tournament"))
        return (yield from self._get("listTournamentTables", EventTableList, at, cursor=cursor, limit=limit))

    def list_tournament_entries(
        self, tournament: str, *, from_seq: int = 0, limit: int | None = None, wait_ms: int | None = None
    ) -> Flow[TableEntries]:
        """The tournament's own entries, each proven to be on the log under the reply's checkpoint."""
        at = path("/v1/tournaments/{}/entries", name(tournament, "tournament"))
        query: dict[str, Any] = {"from_seq": from_seq, "limit": limit, "wait_ms": wait_ms, "proofs": True}
        reply = yield from self._get("listTournamentEntries", TableEntries, at, **query)
        yield from self.prove_listed(reply, tournament, from_seq)
        return reply

    def register(
        self, tournament: str, commitment: str, pay: Pay = "cash", *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"commitment": hex32(commitment, "commitment"), "pay": pay}
        return (
            yield from self._in_event(
                "register", tournament, "/registration", body, key=idempotency_key, word="register"
            )
        )

    def unregister(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        return (
            yield from self._in_event(
                "unregister",
                tournament,
                "/registration",
                None,
                key=idempotency_key,
                word="unregister",
                method="DELETE",
            )
        )

    def reveal_seat_seed(
        self, tournament: str, draw_no: int, entry_no: int, seed: str, *, next: str | None = None
    ) -> Flow[Accepted]:
        """Reveals a seat's seed, once the log is proven to have called this draw after the entry was made."""
        body = without_none(entry_no=entry_no, seed=hex32(seed, "seed"), next=next)
        yield from self.prove_draw(tournament, draw_no, entry_no)
        rest = path("/draws/{}/reveals", draw_no)
        fields = {"draw_no": draw_no, **body}
        return (
            yield from self._in_event(
                "revealSeatSeed", tournament, rest, body, key=False, word="reveal_seat_seed", fields=fields
            )
        )

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

    def rebuy(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        return (yield from self._in_event("rebuy", tournament, "/rebuy", {}, key=idempotency_key, word="rebuy"))

    def decline_rebuy(self, tournament: str, entry_no: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body = {"entry_no": entry_no}
        return (
            yield from self._in_event(
                "declineRebuy", tournament, "/decline_rebuy", body, key=idempotency_key, word="decline_rebuy"
            )
        )

    def add_on(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        return (yield from self._in_event("addOn", tournament, "/add_on", {}, key=idempotency_key, word="add_on"))

    def offer_stake(self, tournament: str, basis_points: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body = {"basis_points": basis_points}
        return (
            yield from self._in_event(
                "offerStake", tournament, "/stakes", body, key=idempotency_key, word="offer_stake"
            )
        )

    def buy_stake(
        self, tournament: str, seller: str, basis_points: int, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"basis_points": basis_points}
        rest, fields = path("/stakes/{}", name(seller, "seller")), {"seller": seller, **body}
        return (
            yield from self._in_event(
                "buyStake", tournament, rest, body, key=idempotency_key, word="buy_stake", fields=fields
            )
        )

    def want_deal(self, tournament: str, want: bool, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body = {"want": want}
        return (
            yield from self._in_event("wantDeal", tournament, "/deal/wish", body, key=idempotency_key, word="want_deal")
        )

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
        return (
            yield from self._in_event(
                "proposeDeal", tournament, "/deal/proposals", body, key=idempotency_key, word="propose_deal"
            )
        )

    def answer_deal(
        self, tournament: str, digest: str, accept: bool, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"digest": hex32(digest, "digest"), "accept": accept}
        return (
            yield from self._in_event(
                "answerDeal", tournament, "/deal/answers", body, key=idempotency_key, word="answer_deal"
            )
        )

    # --- The operator's -------------------------------------------------------------------------

    def set_bounty(
        self, tournament: str, player: str, has: bool, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"player": name(player, "player"), "has": has}
        return (
            yield from self._in_event(
                "setBounty", tournament, "/bounties", body, operators_word="set_bounty", key=idempotency_key
            )
        )

    def disqualify(
        self, tournament: str, player: str, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"player": name(player, "player"), "reason": reason}
        return (
            yield from self._in_event(
                "disqualify", tournament, "/disqualify", body, operators_word="disqualify", key=idempotency_key
            )
        )

    def substitute_prize(
        self, tournament: str, place: int, what: str, value: int, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        """The operator offers it for a prize; a player who is left accepts it by naming the same."""
        body = {"place": place, "what": what, "value": amount(value, "value")}
        return (
            yield from self._in_event(
                "substitutePrize",
                tournament,
                "/substitutes",
                body,
                word="substitute_prize",
                key=idempotency_key,
            )
        )

    def change_registration(
        self,
        tournament: str,
        late_levels: int,
        reason: str,
        *,
        unregister_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        body = without_none(late_levels=late_levels, unregister_ms=unregister_ms, reason=reason)
        return (
            yield from self._in_event(
                "changeRegistration",
                tournament,
                "/registration_times",
                body,
                operators_word="change_registration",
                key=idempotency_key,
            )
        )

    def postpone(
        self, tournament: str, starts_at: int, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = {"starts_at": starts_at, "reason": reason}
        return (
            yield from self._in_event(
                "postpone", tournament, "/postpone", body, operators_word="postpone", key=idempotency_key
            )
        )

    def cancel_tournament(
        self, tournament: str, reason: str, *, instant: int | None = None, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body = without_none(instant=instant, reason=reason)
        return (
            yield from self._in_event(
                "cancelTournament", tournament, "/cancel", body, operators_word="cancel", key=idempotency_key
            )
        )
