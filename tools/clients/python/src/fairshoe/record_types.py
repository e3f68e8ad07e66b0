"""Records for auditors and operators, as openapi.yaml has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from .play_types import Bet, RoundResult
from .values import (
    Ahead,
    Chips,
    Hex32,
    JsonObject,
    LogName,
    Name,
    Number,
    PartOutcome,
    Phase,
    Reference,
    RoundId,
    SignedChips,
    Time,
    UtcTime,
    VoidCause,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.


class Finding(TypedDict):
    check: str
    entry: NotRequired[Number]
    table: NotRequired[Name]
    message: str


class JudgedRound(TypedDict):
    id: RoundId
    shoe_no: Number
    rules: Name
    phase: Phase
    cause: NotRequired[VoidCause]
    ahead: NotRequired[Ahead]
    players: list[RoundResult]


class Verdict(TypedDict):
    verdict: Literal["sound", "sound_so_far", "not_sound"]
    findings: list[Finding]
    story: list[str]
    key: str
    key_trusted: bool
    round: NotRequired[JudgedRound]


class BalanceStep(TypedDict):
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
    balances: NotRequired[list[BalanceStep]]


class RecalledWager(TypedDict):
    player: Name
    bets: list[Bet]
    commitment: Hex32
    stack_before: NotRequired[Chips]
    stack_after: NotRequired[Chips]
    staked: Chips
    returned: Chips
    balance_before: Chips
    balance_after: Chips


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
    wagers: list[RecalledWager]
    steps: list[RecallStep]


class PlayerRecall(TypedDict):
    player: Name
    rounds: list[Recall]


class ListedPlayer(TypedDict):
    player: Name
    balance: Chips
    guest: bool
    has_key: bool


class PlayerList(TypedDict):
    players: list[ListedPlayer]
    next: Name | None


class Transaction(TypedDict):
    index: Number
    time: Time
    what: str
    by: str
    table: Name | None
    amount: SignedChips
    balance: Chips


class PartInRound(TypedDict):
    round: RoundId
    rules: str
    begun: Time
    ended: Time | None
    player: Name
    outcome: PartOutcome
    unit: str
    staked: Chips | None
    returned: Chips | None
    net: SignedChips | None
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
