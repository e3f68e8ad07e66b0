"""The service, its shards, its wallet, as openapi.yaml has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from .values import (
    Chips,
    LogName,
    Name,
    NodeAddress,
    Number,
    Reference,
    Time,
    WalletCall,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.


class ClusterView(TypedDict):
    shard: str | None
    node: str | None
    leads: bool
    is_reached: bool
    leader: NodeAddress | None
    shards: list[ShardView]


class ShardView(TypedDict):
    shard: str
    node: str | None
    address: NodeAddress
    key: str
    size: Number
    until: Number
    tables: list[Name]
    has_more_tables: bool


class Ready(TypedDict):
    ready: bool
    bets: bool
    size: Number
    reason: str | None
    witnessed: NotRequired[WitnessState]


class WitnessView(TypedDict):
    name: str
    cosigned_size: Number | None
    cosigned_at: Time | None
    error: Literal[
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
        None,
    ]
    failures: Number
    alarm: bool


class WitnessState(TypedDict):
    unwitnessed: bool
    size: Number | None
    age: Number | None
    limit: Number | None
    witnesses: list[WitnessView]


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
    style: Literal["chips", "rounds", None]
    open: list[WalletOperation]


class KnownLogList(TypedDict):
    logs: list[KnownLog]


class ClaimedRange(TypedDict):
    first: Number
    last: Number


class KnownLog(TypedDict):
    log: LogName
    policy: str | None
    balance: int
    sent: Number
    claimed: list[ClaimedRange]
