"""The replies of the calls that play, as openapi.yaml has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .game_types import Decision, GameView, Positions
from .values import (
    Ahead,
    Card,
    Chips,
    ComeIn,
    Composition,
    EntryText,
    Hash,
    Hex32,
    HouseNote,
    JsonObject,
    LimitOf,
    LimitPer,
    Name,
    Number,
    Origin,
    Phase,
    ProofText,
    RetireCause,
    RoundId,
    SeatNumber,
    SignedCheckpoint,
    Slot,
    Time,
    Token,
    VerifierKey,
    VoidCause,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.


class Currency(TypedDict):
    """What chips stand for, for display alone: `format_chips` shows an amount in it."""

    code: str
    decimals: int


class DisplayNames(TypedDict):
    names: dict[Name, str]


class LogEnded(TypedDict):
    origin: Origin
    vkey: VerifierKey


class LogInfo(TypedDict):
    origin: Origin
    vkey: VerifierKey
    checkpoint: SignedCheckpoint
    size: Number
    epoch: Hex32
    started_at: Time
    guests: NotRequired[bool]
    ended: NotRequired[LogEnded]
    currency: NotRequired[Currency]


class Receipt(TypedDict):
    index: Number
    entry: EntryText
    proof: NotRequired[ProofText]


class Accepted(TypedDict):
    receipts: list[Receipt]
    player: NotRequired[Name]
    balance: NotRequired[Chips]
    round: NotRequired[RoundView]
    openings: NotRequired[list[Opening]]
    own: NotRequired[OwnCards]
    token: NotRequired[Token]
    token_until: NotRequired[Time]
    table: NotRequired[Name]
    received: NotRequired[HouseNote]


class Opening(TypedDict):
    slot: Slot
    value: int
    salt: str
    path: list[Hex32]
    shoe_no: NotRequired[Number]


class Bet(TypedDict):
    spot: str
    stake: Chips
    chips: NotRequired[list[Chips]]


class Contributor(TypedDict):
    player: Name
    bets: list[Bet]
    commitment: Hex32
    seed: Hex32 | None
    staked: Chips
    returned: Chips


class VoidView(TypedDict):
    cause: VoidCause
    ahead: Ahead


class RoundView(TypedDict):
    id: RoundId
    table: Name
    round_no: Number
    shoe_no: Number
    shoes: NotRequired[list[Number]]
    phase: Phase
    closes_at: NotRequired[Time]
    reveal_by: Time | None
    settle_by: Time | None
    contributors: list[Contributor]
    entropy: Hex32 | None
    pick: int
    decisions: list[Decision]
    pile: NotRequired[PileView]
    void: VoidView | None
    staked: Chips
    returned: Chips
    game: GameView | None


class PilePlayer(TypedDict):
    player: Name
    commitment: Hex32 | None
    seed: Hex32 | None


class PileView(TypedDict):
    round_no: Number
    shoe_no: Number
    awaits: Literal["commitments", "seeds"]
    deadline: Time
    players: list[PilePlayer]


class Committed(TypedDict):
    commitment: Hex32
    root: Hex32


class RoundResult(TypedDict):
    player: Name
    staked: Chips
    returned: Chips


class OwedBlinds(TypedDict):
    entry: bool
    small: bool
    big: bool
    third: bool


class CashSeat(TypedDict):
    seat: SeatNumber
    player: Name
    stack: Chips
    sitting_out: bool
    leaving: bool
    top_up: Chips
    hands: int
    away: int
    bank_ms: int
    owes: OwedBlinds
    entry: ComeIn
    straddle: bool


class HandCall(TypedDict):
    round_no: Number
    shoe_no: Number
    closes_at: Time
    awaited: list[Name]


class OwnCashView(TypedDict):
    left_early: int
    blocked_until: Time | None


class CashView(TypedDict):
    level: str
    positions: Positions | None
    seats: list[CashSeat]
    call: HandCall | None
    committed: list[Name]
    own: OwnCashView | None


class OwnCards(TypedDict):
    round: RoundId
    shoe_no: Number
    candidate: int
    cards: list[Card]
    openings: list[Opening]


class Disclosure(TypedDict):
    receipt: Receipt
    table: Name
    shoe_no: Number
    round: RoundId
    epoch: Hex32
    composition: Composition
    pick: int
    seeds: list[Hex32]


class RuleSetView(TypedDict):
    name: Name
    digest: Hex32
    rules: JsonObject


class ShoeInUse(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    undrawn: int
    entry: Number | None
    seq: Number | None


class TableSeat(TypedDict):
    seat: int
    player: Name
    misses: int
    asks: bool
    waits_for_shoe: bool


class BettingWindow(TypedDict):
    round_no: Number
    shoe_no: Number
    closes_at: Time | None
    bets: list[PlacedBet]
    expected: list[Name]


class TableView(TypedDict):
    chips: NotRequired[Literal["credited", "play"]]
    table: Name
    rules: JsonObject
    digest: Hex32
    owner: Name | None
    origin: Origin
    epoch: Hex32
    shoe: ShoeInUse | None
    next_round: Number
    round: RoundId | None
    seats: list[TableSeat]
    cash: CashView | None
    window: BettingWindow | None
    waiting: NotRequired[list[Name]]
    last_hand: bool
    withheld_in_last_100: int
    tournament: OfTournament | None
    notices: list[str]


class RuleSetList(TypedDict):
    rulesets: list[RuleSetView]


class TableList(TypedDict):
    tables: list[TableView]
    next: Name | None


class CurrentShoe(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    epoch: Hex32
    receipt: Receipt


class ShoeHistory(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    seeds: list[Hex32] | None
    committed: Receipt
    revealed: Receipt | None
    sealed: Receipt | None
    cause: RetireCause | None


class PlayerCashSeat(TypedDict):
    table: Name
    seat: SeatNumber
    stack: Chips


WaitingKey = TypedDict("WaitingKey", {"key": "Hex32 | None", "from": "Time"})


LimitWaits = TypedDict("LimitWaits", {"most": "NotRequired[Chips]", "from": Time})


class PlayerLimit(TypedDict):
    of: LimitOf
    per: LimitPer
    most: Chips
    count: int
    until: Time
    waiting: NotRequired[LimitWaits]


class LoginTicket(TypedDict):
    link: str
    ticket: Token
    until: Time


class PlayerView(TypedDict):
    player: Name
    guest: NotRequired[bool]
    balance: Chips
    cash_seats: list[PlayerCashSeat]
    key: Hex32 | None
    key_waits: NotRequired[WaitingKey | None]
    limits: NotRequired[list[PlayerLimit]]
    excluded: NotRequired[Time]
    last_nonce: int
    t_dollars: Chips
    tickets: list[Name]


class RoundList(TypedDict):
    rounds: list[RoundSummary]
    next: str | None


class OwnSums(TypedDict):
    staked: Chips
    returned: Chips


class RoundSummary(TypedDict):
    id: RoundId
    time: Time
    shoe_no: Number
    phase: Phase
    staked: Chips
    returned: Chips
    cause: VoidCause | None
    own: NotRequired[OwnSums]


class RoundRead(TypedDict):
    round: RoundView
    openings: list[Opening]
    own: NotRequired[OwnCards]
    entries: list[Number]


class DecisionList(TypedDict):
    decisions: list[Decision]


class Proven(TypedDict):
    index: Number
    entry: EntryText
    proof: list[Hash]


class Bundle(TypedDict):
    fairshoe_bundle: Literal[1]
    round: RoundId
    vkey: VerifierKey
    checkpoint: SignedCheckpoint
    context: list[Proven]
    entries: list[Proven]
    openings: list[Opening]


class EntryPlace(TypedDict):
    table: Name
    seq: Number


class EntrySignature(TypedDict):
    nonce: int
    signature: str


class Entry(TypedDict):
    v: Literal[1]
    time: Time
    by: str
    at: NotRequired[EntryPlace]
    before: NotRequired[list[list[Any]]]
    command: JsonObject
    signed: NotRequired[EntrySignature]
    events: list[JsonObject]


class PlacedBet(TypedDict):
    player: Name
    bets: list[Bet]
    commitment: Hex32


class TrialCommitment(TypedDict):
    commitment: Hex32
    hashed: str
    origin: Origin
    table: Name
    epoch: Hex32
    round_no: Number
    player: Name


class SeenCheckpoint(TypedDict):
    size: Number
    root: Hash


class TableEntry(TypedDict):
    index: Number
    seq: Number
    entry: EntryText
    openings: NotRequired[list[Opening]]
    proof: NotRequired[list[Hash]]


class TableEntries(TypedDict):
    table: Name
    entries: list[TableEntry]
    next_seq: Number
    closed: bool
    size: Number
    checkpoint: SignedCheckpoint


class OfTournament(TypedDict):
    level: int
    tournament: Name
