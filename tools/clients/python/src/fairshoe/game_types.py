"""Views of a round's cards and choices, as openapi.yaml has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

from .values import (
    ActionKind,
    Card,
    Chips,
    Name,
    Outcome,
    Place,
    SafeOutCause,
    SafeWonBy,
    SeatNumber,
    Slot,
    Time,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.


class CardView(TypedDict):
    slot: Slot
    card: Card | None


class SpotBetView(TypedDict):
    player: Name
    spot: Place
    stake: Chips
    outcome: Outcome | None
    returned: Chips | None


class BlackjackInsurance(TypedDict):
    premium: Chips
    returned: Chips | None


class BlackjackHand(TypedDict):
    cards: list[CardView]
    total: int
    soft: bool
    stake: Chips
    stood: bool
    doubled: bool
    surrendered: NotRequired[Literal[True]]
    even_money: NotRequired[Literal[True]]
    blackjack: bool
    outcome: Outcome | None
    returned: Chips | None


class BlackjackBox(TypedDict):
    spot: int
    player: Name
    stake: Chips
    insurance: BlackjackInsurance | None
    hands: list[BlackjackHand]


class BlackjackDealer(TypedDict):
    cards: list[CardView]
    total: int
    soft: bool


class BlackjackView(TypedDict):
    kind: Literal["blackjack"]
    boxes: list[BlackjackBox]
    dealer: BlackjackDealer


class BaccaratCard(TypedDict):
    slot: Slot
    card: Card


class BaccaratHand(TypedDict):
    cards: list[BaccaratCard]
    points: int


class BaccaratView(TypedDict):
    kind: Literal["baccarat"]
    player: BaccaratHand
    banker: BaccaratHand
    outcome: Literal["player", "banker", "tie"] | None
    bets: list[SpotBetView]


class RouletteSpin(TypedDict):
    slot: Slot
    value: int
    pocket: int
    colour: Literal["red", "black", "green"]


class RouletteView(TypedDict):
    kind: Literal["roulette"]
    spin: RouletteSpin | None
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


class SafePlayer(TypedDict):
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
    players: list[SafePlayer]
    face_down_order: list[Place]
    shown: PileCardView | None
    discard: list[Card]
    winner: SafeWinner | None


class PokerCard(TypedDict):
    slot: Slot
    card: Card | None


class PokerSeat(TypedDict):
    seat: SeatNumber
    player: Name
    started_with: Chips
    stack: Chips
    bet: Chips
    put_in: Chips
    folded: bool
    all_in: bool
    hole: list[PokerCard]


class SeatChips(TypedDict):
    seat: SeatNumber
    amount: Chips


class PotWon(TypedDict):
    seat: SeatNumber
    amount: Chips
    low: NotRequired[Literal[True]]


class Pot(TypedDict):
    amount: Chips
    rake: Chips
    seats: list[SeatNumber]
    won: list[PotWon]


class SettledSeat(TypedDict):
    seat: SeatNumber
    player: Name
    put_in: Chips
    got: Chips
    stack: Chips


class SettledHand(TypedDict):
    pots: list[Pot]
    uncalled: NotRequired[SeatChips]
    seats: list[SettledSeat]


class PokerResult(TypedDict):
    settled: SettledHand


class Positions(TypedDict):
    button: SeatNumber
    small: SeatNumber
    big: SeatNumber
    third: NotRequired[SeatNumber]


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
    seats: list[PokerSeat]
    result: PokerResult | None


class Offer(TypedDict):
    action: ActionKind
    to: NotRequired[list[Chips]]
    cost: Chips


class Decision(TypedDict):
    decision: int
    player: Name
    place: Place
    spot: int
    hand: int
    options: list[Offer]
    bank_from: NotRequired[Time]
    deadline: Time


GameView = Union[BlackjackView, BaccaratView, RouletteView, SafeView, PokerView]
