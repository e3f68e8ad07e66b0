"""The types of openapi.yaml: made by scripts/generate.py. Change the contract, and run that again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.

JsonObject = dict[str, Any]
"""A document of its own whose fields stand in spec/: an entry's command and events, a rule set, a structure."""

Action = Union[str, Mapping[str, Any]]
"""`"hit"`, `{"raise": {"to": 400}}` and so on: spec/entries.md, "Actions"."""

Number = int

Time = int

WitnessFailure = Literal[
    "unreachable",
    "timeout",
    "answer_too_long",
    "refused",
    "conflict",
    "ahead",
    "other_tree",
    "bad_answer",
    "bad_signature",
    "wrong_clock",
    "no_proof",
]

NodeAddress = str

Name = str

Origin = str

VerifierKey = str

SignedCheckpoint = str

Hex32 = str

EntryText = str

ProofText = str

Chips = int

RoundId = str

Phase = Literal["betting", "called", "awaiting_reveals", "open", "settled", "voided"]

Place = str

ActionKind = Literal[
    "hit",
    "stand",
    "double",
    "split",
    "insurance",
    "even_money",
    "surrender",
    "face_down",
    "change",
    "accept",
    "reject",
    "open",
    "discard",
    "pass",
    "fold",
    "check",
    "call",
    "bet",
    "raise",
    "show",
    "muck",
]

VoidCause = Literal["reveal_missing", "crash", "malfunction", "shoe_exhausted", "abandoned"]

Ahead = Literal["nobody", "level", "players", "house"]

Slot = int

Card = str

Outcome = Literal["blackjack", "win", "draw", "loss", "bust", "surrender", "even_money"]

SafeOutCause = Literal["bust", "face_down", "absent"]

SafeWonBy = Literal["last_alive", "survived", "last_free_player", "last_opened", "last_round"]

SeatNumber = int

Token = str

LimitOf = Literal["deposit", "loss", "play_time"]

LimitPer = Literal["day", "week", "month"]

Ticket = str

LogName = str

WalletStyle = Literal["chips", "rounds"]

WalletCall = Literal["reserve", "commit", "cancel", "pay"]

Reference = str

Composition = str

ComeIn = Literal["post", "wait"]

Hash = str

RetireCause = Literal[
    "threshold",
    "newcomer",
    "full",
    "idle",
    "restart",
    "exhausted",
    "house_shuffle",
    "closed",
    "pile_used",
    "pile_unused",
]

HouseNote = str

ErrorCode = Literal[
    "malformed",
    "unauthorized",
    "not_allowed",
    "guests_not_offered",
    "ticket_refused",
    "not_your_decision",
    "signature_missing",
    "signature_wrong",
    "not_found",
    "unknown_player",
    "unknown_table",
    "unknown_round",
    "unknown_shoe",
    "unknown_entry",
    "not_witnessed",
    "unknown_ruleset",
    "unknown_structure",
    "unknown_tournament",
    "unknown_log",
    "unknown_operation",
    "method_not_allowed",
    "request_timeout",
    "wrong_round",
    "wrong_epoch",
    "round_in_progress",
    "no_shoe",
    "recovering",
    "insufficient_balance",
    "claim_refused",
    "already_claimed",
    "too_many_operations",
    "no_wallet",
    "amount_out_of_range",
    "spot_taken",
    "player_count",
    "solo_table",
    "seat_not_free",
    "not_seated",
    "chips_needed",
    "cooldown",
    "excluded",
    "limit_reached",
    "bets_not_open",
    "newcomer_waits",
    "no_bet",
    "nothing_to_do",
    "player_exists",
    "nonce_used",
    "no_key",
    "table_exists",
    "too_many_tables",
    "not_replaceable",
    "too_many_waiting",
    "too_many_tokens",
    "not_a_contributor",
    "seed_does_not_open",
    "already_revealed",
    "reveals_over",
    "saw_other",
    "awaiting_reveals",
    "deadline_passed",
    "decision_not_open",
    "action_not_offered",
    "extra_stake_refused",
    "idempotency_key_reused",
    "registration_closed",
    "field_full",
    "not_registered",
    "wrong_draw",
    "not_an_entrant",
    "hand_in_progress",
    "tournament_table",
    "other_chips",
    "deadline_ahead",
    "too_many_seats",
    "level_blocked",
    "sitting_out",
    "is_a_cash_table",
    "hand_not_called",
    "not_a_cash_table",
    "shoe_not_sealed",
    "bundle_too_large",
    "log_ended",
    "body_too_large",
    "unsupported_media_type",
    "bet_count",
    "unknown_spot",
    "spot_twice",
    "below_minimum",
    "above_maximum",
    "off_step",
    "unknown_chip",
    "chip_above_balance",
    "chips_differ",
    "rule_set_refused",
    "structure_refused",
    "stake_refused",
    "deal_refused",
    "instant_out_of_range",
    "buy_in_out_of_range",
    "raise_out_of_range",
    "key_refused",
    "too_many_guests",
    "rate_limited",
    "too_many_changes",
    "not_leader",
    "head_too_large",
    "internal",
    "unavailable",
    "busy",
    "stopping",
    "wallet_unavailable",
    "disk_full",
    "unwitnessed",
]

Stage = Literal["registering", "running", "cancelled", "ended"]

StandCause = Literal["crash", "deal"]

EntryNo = int

DrawKind = Literal["first", "late", "break", "final"]

Noted = Literal["rebuy", "add_on", "disqualification"]

RegistrationEnd = Literal["schedule", "full", "itm"]

UtcTime = str

PartOutcome = Literal["won", "lost", "even", "void", "in_play"]

SumUnit = str

ClientKind = Literal["desktop", "mobile", "browser"]

DealMethod = Literal["chips", "icm", "amounts"]

Pay = Literal["cash", "t_dollars", "ticket"]


class WitnessStateWitness(TypedDict):
    name: str
    cosigned_size: Number | None
    cosigned_at: Time | None
    error: WitnessFailure | None
    failures: Number
    alarm: bool


class WitnessState(TypedDict):
    unwitnessed: bool
    size: Number | None
    age: Number | None
    limit: Number | None
    witnesses: list[WitnessStateWitness]


class Ready(TypedDict):
    ready: bool
    bets: bool
    size: Number
    reason: str | None
    witnessed: NotRequired[WitnessState]


class ShardView(TypedDict):
    shard: str
    node: str | None
    address: NodeAddress
    key: str
    size: Number
    until: Number
    tables: list[Name]
    has_more_tables: bool


class ClusterView(TypedDict):
    shard: str | None
    node: str | None
    leads: bool
    is_reached: bool
    leader: NodeAddress | None
    shards: list[ShardView]


class LogInfoEnded(TypedDict):
    origin: Origin
    vkey: VerifierKey


class Currency(TypedDict):
    code: str
    decimals: int


class LogInfo(TypedDict):
    origin: Origin
    vkey: VerifierKey
    checkpoint: SignedCheckpoint
    size: Number
    epoch: Hex32
    started_at: Time
    guests: NotRequired[bool]
    ended: NotRequired[LogInfoEnded]
    currency: NotRequired[Currency]


class EntryAt(TypedDict):
    table: Name
    seq: Number


class EntrySigned(TypedDict):
    nonce: int
    signature: str


class Entry(TypedDict):
    v: Literal[1]
    time: Time
    by: str
    at: NotRequired[EntryAt]
    before: NotRequired[list[BalanceBefore]]
    command: JsonObject
    signed: NotRequired[EntrySigned]
    events: list[JsonObject]


class Receipt(TypedDict):
    index: Number
    entry: EntryText
    proof: NotRequired[ProofText]


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


class Offer(TypedDict):
    action: ActionKind
    cost: Chips
    to: NotRequired[list[Chips]]


class Decision(TypedDict):
    decision: int
    player: Name
    place: Place
    spot: int
    hand: int
    options: list[Offer]
    bank_from: NotRequired[Time]
    deadline: Time


class PileViewPlayer(TypedDict):
    player: Name
    commitment: Hex32 | None
    seed: Hex32 | None


class PileView(TypedDict):
    round_no: Number
    shoe_no: Number
    awaits: Literal["commitments", "seeds"]
    deadline: Time
    players: list[PileViewPlayer]


class VoidView(TypedDict):
    cause: VoidCause
    ahead: Ahead


class InsuranceView(TypedDict):
    premium: Chips
    returned: Chips | None


class CardView(TypedDict):
    slot: Slot
    card: Card | None


class BlackjackHand(TypedDict):
    cards: list[CardView]
    total: int
    soft: bool
    stake: Chips
    stood: bool
    doubled: bool
    surrendered: NotRequired[bool]
    even_money: NotRequired[bool]
    blackjack: bool
    outcome: Outcome | None
    returned: Chips | None


class BlackjackBox(TypedDict):
    spot: int
    player: Name
    stake: Chips
    insurance: None | InsuranceView
    hands: list[BlackjackHand]


class BlackjackViewDealer(TypedDict):
    cards: list[CardView]
    total: int
    soft: bool


class BlackjackView(TypedDict):
    kind: Literal["blackjack"]
    boxes: list[BlackjackBox]
    dealer: BlackjackViewDealer


class BaccaratViewPlayerCard(TypedDict):
    slot: Slot
    card: Card


class BaccaratViewPlayer(TypedDict):
    cards: list[BaccaratViewPlayerCard]
    points: int


class BaccaratViewBankerCard(TypedDict):
    slot: Slot
    card: Card


class BaccaratViewBanker(TypedDict):
    cards: list[BaccaratViewBankerCard]
    points: int


class SpotBetView(TypedDict):
    player: Name
    spot: Place
    stake: Chips
    outcome: Outcome | None
    returned: Chips | None


class BaccaratView(TypedDict):
    kind: Literal["baccarat"]
    player: BaccaratViewPlayer
    banker: BaccaratViewBanker
    outcome: Literal["player", "banker", "tie"] | None
    bets: list[SpotBetView]


class SpinView(TypedDict):
    slot: Slot
    value: int
    pocket: int
    colour: Literal["red", "black", "green"]


class RouletteView(TypedDict):
    kind: Literal["roulette"]
    spin: SpinView | None
    bets: list[SpotBetView]


class PileCardView(TypedDict):
    pile: int
    slot: Slot
    card: Card | None


class SafeHand(TypedDict):
    place: Place | None
    cards: list[PileCardView]
    total: int
    soft: bool


class SafeViewPlayer(TypedDict):
    seat: int
    player: Name
    alive: bool
    out: SafeOutCause | None
    hand: SafeHand | None
    finished: bool
    change_used: bool
    face_down: list[SafeHand]


class SafeWinner(TypedDict):
    player: Name | None
    by: SafeWonBy


class SafeView(TypedDict):
    kind: Literal["safe"]
    round: int
    pile: int
    pile_left: int
    shuffling: bool
    turn: int | None
    players: list[SafeViewPlayer]
    face_down_order: list[Place]
    shown: PileCardView | None
    discard: list[Card]
    winner: SafeWinner | None


class Positions(TypedDict):
    button: SeatNumber
    small: SeatNumber
    big: SeatNumber
    third: NotRequired[SeatNumber]


class PokerCard(TypedDict):
    slot: Slot
    card: Card | None


class PokerViewSeat(TypedDict):
    seat: SeatNumber
    player: Name
    started_with: Chips
    stack: Chips
    bet: Chips
    put_in: Chips
    folded: bool
    all_in: bool
    hole: list[PokerCard]


class PokerEventSettledPotWon(TypedDict):
    seat: SeatNumber
    amount: Chips
    low: NotRequired[bool]


class PokerEventSettledPot(TypedDict):
    amount: Chips
    rake: Chips
    seats: list[SeatNumber]
    won: list[PokerEventSettledPotWon]


class SeatChips(TypedDict):
    seat: SeatNumber
    amount: Chips


class PokerEventSettledSeat(TypedDict):
    seat: SeatNumber
    player: Name
    put_in: Chips
    got: Chips
    stack: Chips


class PokerEventSettled(TypedDict):
    pots: list[PokerEventSettledPot]
    uncalled: NotRequired[SeatChips]
    seats: list[PokerEventSettledSeat]


class PokerEvent(TypedDict):
    settled: PokerEventSettled


class PokerView(TypedDict):
    kind: Literal["poker"]
    positions: Positions
    street: Literal["preflop", "flop", "turn", "river"]
    pot: Chips
    level: Chips
    board: list[PokerCard]
    burnt: list[Slot]
    turn: SeatNumber | None
    showdown: bool
    seats: list[PokerViewSeat]
    result: PokerEvent | None


class LaidCard(TypedDict):
    slot: Slot
    card: Card


class DragonTigerView(TypedDict):
    kind: Literal["dragon_tiger"]
    dragon: LaidCard | None
    tiger: LaidCard | None
    outcome: Literal["dragon", "tiger", "tie", "suited_tie"] | None
    bets: list[SpotBetView]


class ThrowView(TypedDict):
    slot: Slot
    value: int
    pocket: int
    dice: list[int]
    total: int


class SicBoView(TypedDict):
    kind: Literal["sic_bo"]
    throw: ThrowView | None
    bets: list[SpotBetView]


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
    void: None | VoidView
    staked: Chips
    returned: Chips
    game: GameView | None


class Opening(TypedDict):
    slot: Slot
    value: int
    salt: str
    path: list[Hex32]
    shoe_no: NotRequired[Number]


class OwnCards(TypedDict):
    round: RoundId
    shoe_no: Number
    candidate: int
    cards: list[Card]
    openings: list[Opening]


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


class DisplayNames(TypedDict):
    names: dict[str, str]


class PlayerListPlayer(TypedDict):
    player: Name
    balance: Chips
    guest: bool
    has_key: bool


class PlayerList(TypedDict):
    players: list[PlayerListPlayer]
    next: Name | None


class PlayerViewCashSeat(TypedDict):
    table: Name
    seat: SeatNumber
    stack: Chips


KeyWaits = TypedDict("KeyWaits", {"key": "Hex32 | None", "from": "Time"})


LimitWaits = TypedDict("LimitWaits", {"most": "NotRequired[Chips]", "from": "Time"})


class PlayerLimit(TypedDict):
    of: LimitOf
    per: LimitPer
    most: Chips
    count: int
    until: Time
    waiting: NotRequired[LimitWaits]


class PlayerView(TypedDict):
    player: Name
    guest: NotRequired[bool]
    balance: Chips
    cash_seats: list[PlayerViewCashSeat]
    key: Hex32 | None
    key_waits: NotRequired[KeyWaits | None]
    limits: NotRequired[list[PlayerLimit]]
    excluded: NotRequired[Time]
    last_nonce: int
    t_dollars: Chips
    tickets: list[Name]


class Transaction(TypedDict):
    index: Number
    time: Time
    what: str
    by: str
    table: Name | None
    amount: int
    balance: Chips


class LoginTicket(TypedDict):
    ticket: Ticket
    until: Time
    link: str


class KnownLogClaimed(TypedDict):
    first: Number
    last: Number


class KnownLog(TypedDict):
    log: LogName
    policy: str | None
    balance: int
    sent: Number
    claimed: list[KnownLogClaimed]


class KnownLogList(TypedDict):
    logs: list[KnownLog]


class WalletOperation(TypedDict):
    no: Number
    kind: Literal["deposit", "withdrawal"]
    player: Name
    amount: Chips
    state: Literal["open", "done", "refused", "cancelled"]
    waits_for: NotRequired[WalletCall]
    reason: NotRequired[Reference]
    asked: Number
    answered: NotRequired[Number]


class PlayerWallet(TypedDict):
    player: Name
    style: WalletStyle | None
    open: list[WalletOperation]


class RuleSetView(TypedDict):
    name: Name
    digest: Hex32
    rules: JsonObject


class RuleSetList(TypedDict):
    rulesets: list[RuleSetView]


class Committed(TypedDict):
    commitment: Hex32
    root: Hex32


class ShoeView(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    undrawn: int
    entry: Number | None
    seq: Number | None


class TableViewSeat(TypedDict):
    seat: int
    player: Name
    misses: int
    asks: bool
    waits_for_shoe: bool


class CashViewSeatOwes(TypedDict):
    entry: bool
    small: bool
    big: bool
    third: bool


class CashViewSeat(TypedDict):
    seat: SeatNumber
    player: Name
    stack: Chips
    sitting_out: bool
    leaving: bool
    top_up: Chips
    hands: int
    away: int
    bank_ms: int
    owes: CashViewSeatOwes
    entry: ComeIn
    straddle: bool


class CallView(TypedDict):
    round_no: Number
    shoe_no: Number
    closes_at: Time
    awaited: list[Name]


class StandingView(TypedDict):
    left_early: int
    blocked_until: Time | None


class CashView(TypedDict):
    level: str
    positions: Positions | None
    seats: list[CashViewSeat]
    call: CallView | None
    committed: list[Name]
    own: StandingView | None


class PlacedBet(TypedDict):
    player: Name
    bets: list[Bet]
    commitment: Hex32


class WindowView(TypedDict):
    round_no: Number
    shoe_no: Number
    closes_at: Time | None
    bets: list[PlacedBet]
    expected: list[Name]


class OfTournament(TypedDict):
    level: int
    tournament: Name


class TableView(TypedDict):
    chips: NotRequired[Literal["credited", "play"]]
    table: Name
    rules: JsonObject
    digest: Hex32
    owner: Name | None
    origin: Origin
    epoch: Hex32
    shoe: None | ShoeView
    next_round: Number
    round: RoundId | None
    seats: list[TableViewSeat]
    cash: CashView | None
    window: WindowView | None
    waiting: NotRequired[list[Name]]
    last_hand: bool
    withheld_in_last_100: int
    tournament: OfTournament | None
    notices: list[str]


class TableList(TypedDict):
    tables: list[TableView]
    next: Name | None


class CurrentShoe(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    epoch: Hex32
    receipt: Receipt


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


class TableEntriesEntry(TypedDict):
    index: Number
    seq: Number
    entry: EntryText
    openings: NotRequired[list[Opening]]
    proof: NotRequired[list[Hash]]


class TableEntries(TypedDict):
    table: Name
    entries: list[TableEntriesEntry]
    next_seq: Number
    closed: bool
    size: Number
    checkpoint: SignedCheckpoint


class ShoeHistory(TypedDict):
    shoe_no: Number
    composition: Composition
    candidates: list[Committed]
    seeds: list[Hex32] | None
    committed: Receipt
    revealed: Receipt | None
    sealed: Receipt | None
    cause: RetireCause | None


class Disclosure(TypedDict):
    receipt: Receipt
    table: Name
    shoe_no: Number
    round: RoundId
    epoch: Hex32
    composition: Composition
    pick: int
    seeds: list[Hex32]


class RoundSummaryOwn(TypedDict):
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
    own: NotRequired[RoundSummaryOwn]


class RoundList(TypedDict):
    rounds: list[RoundSummary]
    next: str | None


class SeedReceived(TypedDict):
    received: HouseNote


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: ErrorCode
    replaced_by: NotRequired[Name]
    leader: NotRequired[NodeAddress]
    refused: NotRequired[HouseNote]


class SeedReply(TypedDict):
    status: int
    reply: Accepted | Problem


class TrialCommitment(TypedDict):
    commitment: Hex32
    hashed: str
    origin: Origin
    table: Name
    epoch: Hex32
    round_no: Number
    player: Name


class RoundRead(TypedDict):
    round: RoundView
    openings: list[Opening]
    own: NotRequired[OwnCards]
    entries: list[Number]


class DecisionList(TypedDict):
    decisions: list[Decision]


class BundleVerdictFinding(TypedDict):
    check: str
    entry: NotRequired[Number]
    table: NotRequired[Name]
    message: str


class BundleVerdictRoundPlayer(TypedDict):
    player: Name
    staked: Chips
    returned: Chips


class BundleVerdictRound(TypedDict):
    id: RoundId
    shoe_no: Number
    rules: Name
    phase: Phase
    cause: NotRequired[VoidCause]
    ahead: NotRequired[Ahead]
    players: list[BundleVerdictRoundPlayer]


class BundleVerdict(TypedDict):
    verdict: Literal["sound", "sound_so_far", "not_sound"]
    findings: list[BundleVerdictFinding]
    story: list[str]
    key: str
    key_trusted: bool
    round: NotRequired[BundleVerdictRound]


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


class BlindLevel(TypedDict):
    small: Chips
    big: Chips
    third: NotRequired[Chips]
    ante: Chips
    ms: Number


class StandsView(TypedDict):
    cause: StandCause
    since: Time
    until: Time | None


class ClockView(TypedDict):
    blinds: BlindLevel | None
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


class EntryView(TypedDict):
    at: Literal["waiting", "seated", "out", "disqualified"]
    bounty: Chips
    bounty_won: Chips
    chips: Chips
    entry_no: EntryNo
    noted: Noted | None
    offered: int
    player: Name
    rank: Rank | None
    re_entry: bool
    rebuys: int
    received: Chips
    seat: SeatNumber | None
    sold: int
    table: Name | None


class OwnStanding(TypedDict):
    entry: EntryView | None
    next_use: int
    rebuy_until: Time | None
    reveals_use: int | None
    t_dollars: Chips
    ticket: bool


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
    {"closed": "RegistrationEnd | None", "from": "Time", "late_levels": "int", "unregister_until": "Time | None"},
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


class RecallWager(TypedDict):
    player: Name
    bets: list[Bet]
    commitment: Hex32
    stack_before: NotRequired[Chips]
    stack_after: NotRequired[Chips]
    staked: Chips
    returned: Chips
    balance_before: Chips
    balance_after: Chips


class RecallStepBalance(TypedDict):
    player: Name
    before: Chips
    after: Chips


class RecallStep(TypedDict):
    step: int
    index: Number
    table_seq: Number
    time: UtcTime
    by: str
    kind: Literal["command", "event"]
    word: str
    content: JsonObject
    line: str
    balances: NotRequired[list[RecallStepBalance]]


class Recall(TypedDict):
    id: RoundId
    table: Name
    round_no: Number
    shoe_no: Number
    rules: Name
    digest: Hex32
    phase: Phase
    cause: VoidCause | None
    bets_closed_at: UtcTime
    ended_at: UtcTime | None
    staked: Chips
    returned: Chips
    wagers: list[RecallWager]
    steps: list[RecallStep]


class PlayerRecall(TypedDict):
    player: Name
    rounds: list[Recall]


class PartInRound(TypedDict):
    round: RoundId
    rules: str
    begun: Time
    ended: Time | None
    player: Name
    outcome: PartOutcome
    unit: SumUnit
    staked: Chips | None
    returned: Chips | None
    net: int | None
    cause: VoidCause | None
    first_entry: Number
    last_entry: Number | None


class SignificantEvent(TypedDict):
    sequence: int
    index: Number
    time: UtcTime
    kind: Literal[
        "start",
        "stop",
        "start_refused",
        "void",
        "malfunction",
        "correction",
        "tokens_revoked",
        "key_replaced",
        "house_shuffle",
        "unseated",
        "shoe_disclosed",
        "tournament_cancelled",
        "tournament_changed",
        "disqualified",
        "prize_substituted",
        "log_known",
        "withheld_reveals",
    ]
    by: str
    table: NotRequired[Name]
    round: NotRequired[RoundId]
    cause: NotRequired[str]
    missing: NotRequired[list[Name]]
    ahead: NotRequired[Ahead]
    reason: NotRequired[Reference]
    player: NotRequired[Name]
    amount: NotRequired[Chips]
    holder: NotRequired[str]
    epoch: NotRequired[Hex32]
    software: NotRequired[Reference]
    down_ms: NotRequired[Number]
    clean: NotRequired[bool]
    refused_at: NotRequired[UtcTime]
    shoe_no: NotRequired[Number]
    log: NotRequired[LogName]
    count: NotRequired[int]


class SignificantList(TypedDict):
    events: list[SignificantEvent]
    next: str | None


class SeenCheckpoint(TypedDict):
    size: Number
    root: Hash


BalanceBefore = list[Any]

GameView = Union[BlackjackView, BaccaratView, RouletteView, SafeView, PokerView, DragonTigerView, SicBoView]

SeedLine = Union[SeedReceived, SeedReply]

EntryAmount = list[Any]

Amounts = list[EntryAmount]

Rank = list[Number]
