"""Tournaments, as openapi.yaml has them."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .values import (
    Amounts,
    Chips,
    DrawKind,
    EntryNo,
    Hex32,
    JsonObject,
    Name,
    Noted,
    Number,
    Origin,
    RegistrationEnd,
    SeatNumber,
    Stage,
    StandCause,
    Time,
)


class StructureView(TypedDict):
    digest: Hex32
    name: Name
    structure: JsonObject


class StructureList(TypedDict):
    structures: list[StructureView]


class TournamentSummary(TypedDict):
    bounty: Chips
    buy_in: Chips
    entries: Number
    fee: Chips
    guarantee: Chips
    level: int
    open: bool
    players: Number
    players_max: Number
    pool: Chips
    remaining: Number
    rules: Name
    seats: int
    stage: Stage
    starts_at: Time
    structure: Name
    tournament: Name


class TournamentList(TypedDict):
    next: Name | None
    tournaments: list[TournamentSummary]


class StandsView(TypedDict):
    cause: StandCause
    since: Time
    until: Time | None


class ClockView(TypedDict):
    blinds: JsonObject | None
    in_break: bool
    level: int
    next_break: Time | None
    next_change: Time | None
    running_ms: Number
    stands: StandsView | None


class ProposalView(TypedDict):
    accepted: list[EntryNo]
    amounts: Amounts
    answer_by: Time
    digest: Hex32


class DealView(TypedDict):
    proposal: ProposalView | None
    since: Time | None
    wanted: list[EntryNo]


class DrawView(TypedDict):
    awaited: Number
    draw_no: int
    entrants: Number
    kind: DrawKind
    link: Hex32
    reveal_by: Time
    table: Name | None


class OwnStanding(TypedDict):
    entry: EntryView | None
    next_use: int
    rebuy_until: Time | None
    reveals_use: int | None
    t_dollars: Chips
    ticket: bool


class EntryView(TypedDict):
    at: Literal["waiting", "seated", "out", "disqualified"]
    bounty: Chips
    bounty_won: Chips
    chips: Chips
    entry_no: EntryNo
    noted: Noted | None
    offered: int
    player: Name
    rank: list[Any] | None
    re_entry: bool
    rebuys: int
    received: Chips
    seat: SeatNumber | None
    sold: int
    table: Name | None


class PayoutView(TypedDict):
    cash: Chips
    first: Number
    last: Number
    seat: bool


class PoolView(TypedDict):
    collected: Chips
    is_final: bool
    overlay: Chips
    pool: Chips


RegistrationView = TypedDict(
    "RegistrationView",
    {
        "closed": "RegistrationEnd | None",
        "from": "Time",
        "late_levels": "int",
        "unregister_until": "Time | None",
    },
)


class TournamentView(TypedDict):
    average_stack: Chips
    clock: ClockView | None
    deal: DealView | None
    digest: Hex32
    draw: DrawView | None
    epoch: Hex32
    hand_for_hand: Number | None
    own: OwnStanding | None
    origin: Origin
    payouts: list[PayoutView]
    places: Number
    prizes: PoolView
    registration: RegistrationView
    structure: JsonObject
    summary: TournamentSummary
    tables: Number
    table_rules: JsonObject


class Standings(TypedDict):
    entries: list[EntryView]
    next: str | None


class EventSeatView(TypedDict):
    chips: Chips
    entry_no: EntryNo
    player: Name
    seat: SeatNumber


class EventTableView(TypedDict):
    number: int
    open: bool
    seats: list[EventSeatView]
    table: Name | None


class EventTableList(TypedDict):
    next: str | None
    tables: list[EventTableView]
