"""A table's entries, followed from the commitment of a shoe on: levels 1 to 9 of spec/fairness.md, "What a verifier
checks".

It computes every commitment, entropy, pick, order, slot, face and pocket again, and refuses the entry in which one
differs. It does not decide a game: which decisions are offered, what the dealer does and what a hand is paid are the
log's word here, and `fairshoe-verify` and `fairshoe-audit` decide them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from . import shape
from .contract import JsonObject, Name, Offer, Place, Time
from .entries import BadEntry, Event, LogEntry, read_entry
from .errors import BadReply, NotProven
from .fairness import (
    Malformed,
    client_commitment,
    lane_slot,
    name_bytes,
    public_shuffle,
    round_entropy,
    unhex,
    wheel_offset,
)
from .money import Postings
from .shoes import Shoe

if TYPE_CHECKING:
    from typing_extensions import NotRequired  # For Python 3.10; never imported when the program runs.

MOST_ROUNDS_KEPT = 256
SHOES_KEPT = 64
"""Of a table that is followed for long; a game of Safe never has so many piles in play."""

MOST_WAIT_FOR_PLAY_CHIPS = 600_000
"""Milliseconds; seeds, commitments and rounds at a table for play chips (spec/ledger.md, "Play chips", 5)."""


@dataclass(repr=False)
class Pile:
    """A shoe that a game of Safe makes in its middle, until it is shuffled or fails."""

    no: int
    shoe: Shoe
    players: list[str]
    deadline: int
    commitments: dict[str, str] = field(default_factory=dict)
    seeds: dict[str, bytes] = field(default_factory=dict)
    is_closed: bool = False


@dataclass(repr=False)
class Round:
    """A round from its `bets_closed`, or a hand from its `hand_begun`, as the log shows it."""

    no: int
    shoe: Shoe
    contributors: dict[str, JsonObject]
    lanes: int
    reveal_by: int
    nets: dict[str, int]
    entry: int
    hand: JsonObject | None = None
    seeds: dict[str, bytes] = field(default_factory=dict)
    entropy: bytes = b""
    order: list[int] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)
    piles: list[Shoe] = field(default_factory=list)
    pile: Pile | None = None
    decisions: dict[int, JsonObject] = field(default_factory=dict)
    offered: dict[int, JsonObject] = field(default_factory=dict)
    """every decision of the round; `decisions` holds those that are open"""
    acted: dict[int, JsonObject] = field(default_factory=dict)
    dealer: list[int] = field(default_factory=list)
    faces: list[tuple[Shoe, int]] = field(default_factory=list)
    spun: JsonObject | None = None
    end: JsonObject | None = None
    phase: str = "awaiting_reveals"

    def seat_of(self, player: str) -> int | None:
        seats = self.hand["seats"] if self.hand else []
        return next((one["due"]["seat"] for one in seats if one["player"] == player), None)


class TableRules(TypedDict):
    mode: str
    seats: int
    dealing: str
    bet_time_ms: int
    reveal_time_ms: int
    round_time_ms: int


class Offered(TypedDict):
    """A decision as its entry opens it."""

    decision: int
    player: Name
    place: Place
    options: list[Offer]
    bank_from: NotRequired[Time]
    deadline: Time


class RuleSet(TypedDict):
    table: TableRules
    game: JsonObject


def word_of(action: object) -> object:
    return next(iter(action), None) if isinstance(action, dict) else action


def expected_composition(rules: Mapping[str, Any]) -> str:
    """The composition of the first shoe of a round, by the rule set."""
    ((game, options),) = rules["game"].items()
    if "spins" in options:
        return f"wheel{216 if game == 'sic_bo' else 37}x{options['spins']}"
    if game == "poker" and options["hand"]["family"] == "short_deck":
        return "cards:" + "".join(rank + suit for suit in "cdhs" for rank in "A6789TJQK")
    return f"52x{options['decks'] if 'decks' in options else 1}"


def is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**53


def check_rules(rules: object) -> None:
    """A rule set has what is read of it here; whether it is a good one is the auditor's to decide."""
    try:
        shape.check(rules, RuleSet, "the rule set")
        assert isinstance(rules, dict)
        expected_composition(rules)
    except (BadReply, KeyError, TypeError, ValueError) as error:
        raise NotProven("rule_set", f"not a rule set that this client can follow: {error}") from None


class TableHistory:
    """What a table's entries show, one after another; `take` refuses with `NotProven` what does not follow."""

    def __init__(
        self, origin: str, table: str, rules: Mapping[str, Any], epoch: str | None, *, is_event: bool = False
    ) -> None:
        self.origin, self.table, self.rules, self.epoch = origin, table, rules, epoch
        self.is_private = "poker" in rules["game"]
        self.is_event = is_event
        """Whether a tournament owns the table: its chips are no money, and nothing is posted for a hand."""
        self.shoes: dict[int, Shoe] = {}
        self.shoe: Shoe | None = None
        self.next_seq: int | None = None
        self.next_round: int | None = None
        self.window: dict[str, JsonObject] | None = None
        self.window_no: int | None = None
        self.live: Round | None = None
        self.rounds: dict[int, Round] = {}
        self.recovered_in: int | None = None
        """the entry that put the table in order after the last start"""
        self.last_index = -1
        self.last_time = 0
        self._collected: list[str] | None = None
        self.balances: dict[str, int] = {}
        """player -> what they had after the last posting of theirs at this table"""
        self.seated: set[str] = set()
        """who took a seat while the table was followed, and did not leave it"""
        self._roots: set[bytes] = set()
        self._postings = Postings(table, self.is_private)
        self._now = 0

    # --- What callers do ------------------------------------------------------------------------

    def take(self, index: int, text: str) -> LogEntry:
        """Follows the next entry of the table. Its inclusion in the log was checked before."""
        try:
            entry = read_entry(text)
        except BadEntry as error:
            raise NotProven("entry_form", str(error), index) from None
        if entry.table != self.table or entry.fields.get("table", entry.table) != entry.table:
            raise NotProven("bundle_order", "the entry is not of this table", index)
        if self.next_seq is not None and entry.seq != self.next_seq:
            raise NotProven("table_seq", f"place {entry.seq} follows place {self.next_seq - 1}", index)
        if index <= self.last_index or entry.time < self.last_time:
            raise NotProven("time", "the entry is not after the one before it", index)
        if (
            self.live
            and entry.command in ("reveal", "act", "lapse")
            and list(entry.before) != sorted(self.live.contributors)
        ):
            raise NotProven("balance_before", "not the balances of just the round's contributors", index)
        self._postings.enter(entry)
        self._now = entry.time
        awaited = self.live if self.live and self.live.phase == "awaiting_reveals" else None
        try:
            for event in entry.events:
                self._follow(event, index)
            if entry.command == "act":
                self._check_choice(entry, index)
            if entry.command == "lapse" and entry.fields["lapsed"] == "reveal" and awaited:
                is_over = self.live is not awaited or awaited.phase != "awaiting_reveals"
                self._need(is_over, "event_missing", "the wait for seeds is over, and the round waits on", index)
        except Malformed as error:
            raise NotProven("entry_form", str(error), index) from None
        except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError):
            raise NotProven("entry_form", "an event's fields are not of their form", index) from None
        self.next_seq = (entry.seq or 0) + 1
        self.last_index, self.last_time = index, entry.time
        if entry.command == "recover":
            # The dealer was started anew under another epoch, which only the log's entry of that start tells.
            self.epoch, self.recovered_in = None, index
        return entry

    def learn_epoch(self, epoch: str, *, is_proven: bool = False) -> None:
        self.epoch = epoch
        for shoe in self.shoes.values():
            shoe.is_epoch_proven = shoe.is_epoch_proven or (is_proven and shoe.epoch is None)
            shoe.epoch = shoe.epoch or epoch

    @property
    def binding_epoch(self) -> str | None:
        """The epoch that the next commitment at this table is bound to: that of the shoe in use, if there is one."""
        return self.shoe.epoch if self.shoe else self.epoch

    def change_epoch(self, epoch: str) -> None:
        """The house says now that another epoch binds than it said before. What seeds have proven stands."""
        if self.shoe is None:
            self.epoch = epoch
        elif self.shoe.epoch != epoch:
            what = f"another epoch is told of shoe {self.shoe.no} than the one under which seeds opened commitments"
            self._need(not self.shoe.is_epoch_proven, "start", what, self.shoe.entry)
            # Under which one the next shoe will be is read when it is there.
            self.shoe.epoch, self.epoch = epoch, None

    @property
    def needs_epoch(self) -> bool:
        return any(shoe.epoch is None for shoe in self.shoes.values())

    def take_openings(self, openings: Iterable[Mapping[str, Any]]) -> None:
        """Openings of faces that were shown; each leads to the committed root of the shoe that it names."""
        for opening in openings:
            shoe = self.shoes.get(opening.get("shoe_no", -1))
            if shoe is None:
                raise NotProven("opening_extra", f"an opening of shoe {opening.get('shoe_no')}, which is not known")
            if shoe.state == "in use":
                shoe.open(opening)

    def check_all_opened(self) -> None:
        """Every face shown has its opening, or a seed that orders the shoe: else the house could have invented it."""
        for shoe in self.shoes.values():
            for slot in shoe.unproven():
                what = f"{shoe.face(slot)} is shown in slot {slot} of shoe {shoe.no}, without an opening"
                raise NotProven("opening_missing", what, shoe.shown_in[slot])

    def check_own_cards(self, own: Mapping[str, Any], player: str) -> list[str]:
        """A player's hole cards: the committed values of just the slots that were dealt to them."""
        live = self.live if self.live else self.rounds.get(max(self.rounds, default=-1))
        if live is None or own["round"] != f"{self.table}:{live.no}" or own["shoe_no"] != live.shoe.no:
            raise NotProven("opening", "own cards of another round")
        if own["candidate"] != live.shoe.pick:
            raise NotProven("opening", "own cards of the candidate that is not dealt")
        place = f"{live.seat_of(player)}/1"
        mine = [slot for slot, to in live.shoe.places.items() if to == place]
        if sorted(one["slot"] for one in own["openings"]) != sorted(mine):
            raise NotProven("opening", "own cards in other slots than those dealt")
        cards = []
        for opening in own["openings"]:
            view = Shoe.__new__(Shoe)
            view.__dict__.update(live.shoe.__dict__, values={opening["slot"]: opening["value"]}, opened=set())
            view.open(opening)
            cards.append(view.face(opening["slot"]))
        if cards != own["cards"]:
            raise NotProven("opening", "own cards other than those opened")
        return cards

    def round(self, number: int) -> Round | None:
        return self.live if self.live and self.live.no == number else self.rounds.get(number)

    # --- Following ------------------------------------------------------------------------------

    def _follow(self, event: Event, index: int) -> None:
        follower: Callable[[JsonObject, int], None] | None = getattr(self, f"_on_{event.word}", None)
        if event.word in PLAYED and (not self.live or self.live.phase != "open"):
            raise NotProven("event_order", f"{event.word} without an open round", index)
        if follower:
            follower(event.fields, index)

    def _check_choice(self, entry: LogEntry, index: int) -> None:
        """A choice that a player gave is the one that was taken, in the player's name and not by default."""
        acted = next((event.fields for event in entry.events if event.word == "acted"), {})
        fields = entry.fields
        is_theirs = (
            acted.get("decision") == fields["decision"]
            and f"player:{acted.get('player')}" == entry.by
            and acted.get("default") is False
            and (acted.get("action") == fields["action"] or word_of(acted.get("action")) == "double")
        )
        self._need(is_theirs, "action", "another choice was taken than the player gave", index)

    def _is_due(self, at: object, clock: str, index: int) -> None:
        wait = self.rules["table"][clock]
        if self.table.startswith("play.") and clock in ("reveal_time_ms", "round_time_ms"):
            wait = min(wait, MOST_WAIT_FOR_PLAY_CHIPS)
        wanted = self._now + wait
        self._need(at == wanted, "deadline", f"the deadline by {clock} is {wanted}, not {at}", index)

    def _need(self, holds: bool, check: str, message: str, index: int) -> None:
        if not holds:
            raise NotProven(check, message, index)

    def _on_shoe_committed(self, fields: JsonObject, index: int) -> None:
        shoe = Shoe(self.origin, self.table, self.epoch, fields, index)
        self._need(len(shoe.roots) == (2 if self.is_private else 1), "shoe_committed", "other candidates", index)
        if self.live:
            wanted = "cards:" + "".join(self._collected or [])
        else:
            wanted = expected_composition(self.rules)
            self._need(self.shoe is None, "shoe_committed", "a shoe is in use", index)
        self._need(shoe.composition.text == wanted, "composition", f"{wanted} was to be committed", index)
        before = max(self.shoes, default=None)
        self._need(before is None or shoe.no == before + 1, "shoe_committed", "a shoe number was passed over", index)
        self._need(not self._roots & set(shoe.roots), "root_reused", "the root of another shoe", index)
        self._roots.update(shoe.roots)
        self.shoes[shoe.no] = self.shoe = shoe
        old = self.shoes.get(shoe.no - SHOES_KEPT)
        if old is not None and old.state != "in use":
            del self.shoes[old.no]

    def _on_table_noted(self, fields: JsonObject, index: int) -> None:
        self._need(is_count(fields["next_round"]), "table_noted", "the next round is no number", index)
        if self.next_round is not None:
            self._need(fields["next_round"] == self.next_round, "table_noted", "another next round", index)
        self.next_round = fields["next_round"]

    def _on_seat_taken(self, fields: JsonObject, index: int) -> None:
        self.seated.add(fields["player"])

    def _on_seat_left(self, fields: JsonObject, index: int) -> None:
        self.seated.discard(fields["player"])

    def _on_bets_opened(self, fields: JsonObject, index: int) -> None:
        self._need(self.live is None and self.window is None, "event_order", "a round or window stands", index)
        self._open_window(fields, index)

    def _open_window(self, fields: JsonObject, index: int) -> None:
        self._need(is_count(fields["round_no"]), "round_no", "the round's number is none", index)
        self._need(self.next_round in (None, fields["round_no"]), "round_no", "another round's number", index)
        self._need(self.shoe is not None and self.shoe.no == fields["shoe_no"], "shoe", "not of the shoe in use", index)
        if self.rules["table"]["mode"] == "shared":
            self._is_due(fields.get("closes_at"), "bet_time_ms", index)
        self.next_round = self.window_no = fields["round_no"]
        self.window = {}
        self._postings.begin()

    _on_hand_called = _on_bets_opened

    def _on_bet_placed(self, fields: JsonObject, index: int) -> None:
        if self.window is not None:
            self.window[fields["bet"]["player"]] = fields["bet"]

    def _on_hand_seed_committed(self, fields: JsonObject, index: int) -> None:
        if self.window is not None:
            self.window[fields["player"]] = fields

    def _on_bet_cancelled(self, fields: JsonObject, index: int) -> None:
        if self.window is not None:
            self.window.pop(fields["player"], None)

    _on_hand_seed_withdrawn = _on_bet_cancelled

    def _on_bets_lapsed(self, fields: JsonObject, index: int) -> None:
        self.window = None

    _on_call_lapsed = _on_bets_lapsed

    def _on_bets_closed(self, fields: JsonObject, index: int) -> None:
        placed = fields["contributors"]
        self._need(self.window is not None, "event_order", "no window stands", index)
        self._need(
            {one["player"]: one for one in placed} == self.window, "bets", "not just the bets that were placed", index
        )
        boxes = {bet["spot"] for one in placed for bet in one["bets"]}
        lanes = len(boxes) + 1 if self.rules["table"]["dealing"] == "lanes" else 1
        self._postings.check_staked(sum(bet["stake"] for one in placed for bet in one["bets"]), index)
        self._need(fields["lanes"] == lanes, "lanes", f"{lanes} lanes were to be fixed", index)
        self._begin(fields, lanes, index, None)

    def _on_hand_begun(self, fields: JsonObject, index: int) -> None:
        window = self.window if self.window is not None else {}
        for one in fields["contributors"]:
            committed = window.get(one["player"], {}).get("commitment")
            self._need(committed == one["commitment"], "bets", f"{one['player']} did not commit this", index)
        self._begin(fields, 1, index, fields["hand"])

    def _begin(self, fields: JsonObject, lanes: int, index: int, hand: JsonObject | None) -> None:
        shoe, names = self.shoe, [one["player"] for one in fields["contributors"]]
        if shoe is None or fields["shoe_no"] != shoe.no:
            raise NotProven("shoe", "a round of another shoe than the one in use", index)
        self._need(self.live is None, "event_order", "a round is live", index)
        self._need(fields["round_no"] == self.window_no == self.next_round, "round_no", "another number", index)
        encoded = [name_bytes(name) for name in names]
        ascends = all(left < right for left, right in zip(encoded, encoded[1:]))
        self._need(bool(names) and ascends, "contributors", "contributors do not ascend", index)
        if shoe.last_players is not None and not shoe.composition.is_wheel:
            joined = set(names) - shoe.last_players
            self._need(not joined, "contributors", f"{sorted(joined)} came to a shoe in use", index)
        shoe.last_players = frozenset(names)
        self._is_due(fields["reveal_by"], "reveal_time_ms", index)
        by_name = {one["player"]: one for one in fields["contributors"]}
        nets = self._postings.nets if hand is None else {}
        self.live = Round(fields["round_no"], shoe, by_name, lanes, fields["reveal_by"], nets, index, hand)
        self.live.piles = [shoe]
        self.next_round, self.window = fields["round_no"] + 1, None

    def _on_seed_revealed(self, fields: JsonObject, index: int) -> None:
        live, player, seed = self.live, fields["player"], unhex(fields["seed"])
        part: Round | Pile | None = live.pile if live and live.pile else live
        if part is None or (isinstance(part, Pile) and not part.is_closed):
            raise NotProven("event_order", "a seed before its commitments are fixed", index)
        if isinstance(part, Round):
            self._need(part.phase == "awaiting_reveals", "event_order", "a seed after the round was opened", index)
            commitment = part.contributors.get(player, {}).get("commitment")
        else:
            commitment = part.commitments.get(player)
        self._need(commitment is not None and player not in part.seeds, "seed_revealed", "not awaited", index)
        opens = client_commitment(part.shoe.context, part.no, player, seed).hex() == commitment
        self._need(opens, "seed_revealed", f"the seed of {player} does not open the commitment", index)
        part.shoe.is_epoch_proven = True
        part.seeds[player] = seed

    def _entropy(self, part: Round | Pile, players: Iterable[str], fields: JsonObject, index: int) -> bytes:
        order = sorted(players, key=lambda name: name.encode())
        missing = [player for player in order if player not in part.seeds]
        self._need(not missing, "round_opened", f"the seeds of {missing} are not out", index)
        seeds = [(player, part.seeds[player]) for player in order]
        entropy = round_entropy(part.shoe.context, part.shoe.no, part.shoe.roots, part.no, seeds)
        self._need(entropy.hex() == fields["entropy"], "round_opened", "another entropy than the seeds give", index)
        return entropy

    def _shuffle(self, live: Round, shoe: Shoe, entropy: bytes, fields: JsonObject, index: int) -> None:
        pick = 0
        if not shoe.composition.is_wheel:
            pick, live.order = public_shuffle(entropy, len(shoe.roots), sorted(shoe.undrawn))
            live.drawn = [0] * live.lanes
        self._need(fields["pick"] == pick, "round_opened", "another candidate than the seeds pick", index)
        shoe.pick = pick

    def _on_round_opened(self, fields: JsonObject, index: int) -> None:
        live = self.live
        if live is None or live.phase != "awaiting_reveals":
            raise NotProven("event_order", "no round awaits its seeds", index)
        live.entropy = self._entropy(live, live.contributors, fields, index)
        self._shuffle(live, live.shoe, live.entropy, fields, index)
        others = fields["others"]
        self._need(len(others) == len(live.shoe.roots) - 1, "round_opened", "other seeds than the game has", index)
        for seed in others:
            # An improper deck behind a sealed seed is found out here, with chance 1/2 each hand.
            live.shoe.check_candidate(1 - fields["pick"], seed, index)
        if self.rules["table"]["mode"] == "solo":
            self._is_due(fields.get("settle_by"), "round_time_ms", index)
        live.phase = "open"

    # --- The course of a round ------------------------------------------------------------------

    def _open_round(self) -> Round:
        assert self.live is not None  # `_follow` refused the event otherwise.
        return self.live

    def _on_dealt(self, fields: JsonObject, index: int) -> None:
        live = self._open_round()
        shoe, lane = live.piles[-1], fields["lane"]
        self._need(type(lane) is int and 0 <= lane < live.lanes, "dealt_place", "no such lane", index)
        slot = lane_slot(live.order, live.lanes, lane, live.drawn[lane], shoe.undrawn.__contains__)
        self._need(slot == fields["slot"], "dealt_slot", f"slot {slot} was to be dealt, not {fields['slot']}", index)
        live.drawn[lane] += 1
        shoe.draw(fields["slot"], fields["to"], fields.get("card"), index)
        if fields["to"] == "dealer":
            live.dealer.append(fields["slot"])
        if "card" in fields:
            live.faces.append((shoe, fields["slot"]))

    def _on_turned(self, fields: JsonObject, index: int) -> None:
        live = self._open_round()
        at = fields.get("pile", len(live.piles) - 1)
        self._need(type(at) is int and 0 <= at < len(live.piles), "turned", "no such pile", index)
        live.piles[at].turn_up(fields["slot"], fields["card"], index)
        live.faces.append((live.piles[at], fields["slot"]))

    def _on_peeked(self, fields: JsonObject, index: int) -> None:
        live = self._open_round()
        self._need(fields["slot"] in live.shoe.hidden and bool(live.dealer), "peek", "nothing to peek at", index)
        up = next((slot for slot in live.dealer if slot != fields["slot"]), live.dealer[0])
        live.shoe.peeks.append((up, fields["slot"], fields["blackjack"], index))

    def _on_spun(self, fields: JsonObject, index: int) -> None:
        live, slot, value = self._open_round(), fields["slot"], fields["value"]
        shoe, pockets = live.shoe, live.shoe.composition.pockets
        self._need(bool(shoe.undrawn) and slot == min(shoe.undrawn), "spin", "not the wheel's next slot", index)
        self._need(type(value) is int and 0 <= value < pockets and live.spun is None, "spin", "no such spin", index)
        pocket = (value + wheel_offset(live.entropy, pockets)) % pockets
        self._need(fields["pocket"] == pocket, "spin", f"the wheel stops at {pocket}", index)
        live.spun = fields
        shoe.show(slot, value, index)
        live.faces.append((shoe, slot))

    def _on_offered(self, fields: JsonObject, index: int) -> None:
        live = self._open_round()
        try:
            shape.check(fields, Offered, "the offer")
        except BadReply as error:
            raise NotProven("entry_form", str(error), index) from None
        self._need(bool(fields["options"]), "offer", "a decision with nothing to choose", index)
        self._need(fields["decision"] == len(live.decisions) + len(live.acted), "offer", "another number", index)
        live.decisions[fields["decision"]] = live.offered[fields["decision"]] = fields

    def _on_acted(self, fields: JsonObject, index: int) -> None:
        live = self._open_round()
        offered = live.decisions.pop(fields["decision"], None)
        self._need(offered is not None and offered["player"] == fields["player"], "action", "not offered", index)
        live.acted[fields["decision"]] = fields

    def _on_posted(self, fields: JsonObject, index: int) -> None:
        self._postings.post(fields["lines"], index)
        for account, _, after in fields["lines"]:
            if account.startswith("player:"):
                self.balances[account[len("player:") :]] = after
        if self.live and self.live.hand:
            # Of a hand the chips move between seats; the balances of players are not touched.
            for account, moved, _ in fields["lines"]:
                for one in self.live.hand["seats"]:
                    if account == f"seat:{self.table}/{one['due']['seat']}":
                        self.live.nets[one["player"]] = self.live.nets.get(one["player"], 0) + moved

    # --- New piles in mid-game ------------------------------------------------------------------

    def _on_safe(self, fields: JsonObject, index: int) -> None:
        if "collected" in fields:
            self._collected = fields["collected"]["cards"]

    def _on_pile_opened(self, fields: JsonObject, index: int) -> None:
        live, shoe = self.live, self.shoe
        if live is None or live.pile or shoe is None or shoe.no != fields["shoe_no"] or shoe in live.piles:
            raise NotProven("event_order", "no new pile was committed", index)
        self._need(fields["round_no"] == self.next_round, "round_no", "another number for the shuffle", index)
        self._is_due(fields["commit_by"], "reveal_time_ms", index)
        live.pile = Pile(fields["round_no"], shoe, fields["players"], fields["commit_by"])
        self.next_round = fields["round_no"] + 1

    def _pile(self, number: object, index: int) -> tuple[Round, Pile]:
        if not self.live or not self.live.pile or (number is not None and self.live.pile.no != number):
            raise NotProven("event_order", "no such pile is being shuffled", index)
        return self.live, self.live.pile

    def _on_seed_committed(self, fields: JsonObject, index: int) -> None:
        _, pile = self._pile(None, index)
        self._need(not pile.is_closed and fields["player"] in pile.players, "pile", "not awaited", index)
        pile.commitments[fields["player"]] = fields["commitment"]

    def _on_pile_closed(self, fields: JsonObject, index: int) -> None:
        _, pile = self._pile(fields["round_no"], index)
        fixed = {one["player"]: one["commitment"] for one in fields["contributors"]}
        self._need(fixed == pile.commitments and set(fixed) == set(pile.players), "pile", "other commitments", index)
        self._is_due(fields["reveal_by"], "reveal_time_ms", index)
        pile.is_closed, pile.deadline = True, fields["reveal_by"]

    def _on_pile_shuffled(self, fields: JsonObject, index: int) -> None:
        live, pile = self._pile(fields["round_no"], index)
        entropy = self._entropy(pile, pile.players, fields, index)
        live.pile = None
        live.piles.append(pile.shoe)
        self._shuffle(live, pile.shoe, entropy, fields, index)

    def _on_pile_failed(self, fields: JsonObject, index: int) -> None:
        live, _ = self._pile(fields["round_no"], index)
        live.pile = None

    # --- Ends -----------------------------------------------------------------------------------

    def _over(self, fields: JsonObject, phase: str, index: int) -> None:
        live = self.live
        if live is None or fields["round_no"] != live.no:
            raise NotProven("event_order", "another round than the live one is over", index)
        if phase == "settled":
            self._need(live.phase == "open", "event_order", "a round is settled that was not opened", index)
        self._need(
            {one["player"] for one in fields["players"]} == set(live.contributors), "settlement", "others", index
        )
        for one in fields["players"]:
            self._need(is_count(one["staked"]) and is_count(one["returned"]), "settlement", "no amounts", index)
        if not self.is_event:
            self._postings.check_results(fields, live.nets, index)
        self._postings.check_empty(index)
        if live.shoe.composition.is_wheel and live.shoe.undrawn:
            live.shoe.undrawn.discard(min(live.shoe.undrawn))
        live.phase, live.end = phase, fields
        live.decisions.clear()
        self.rounds[live.no] = live
        self.rounds.pop(live.no - MOST_ROUNDS_KEPT, None)
        self.live = None

    def _on_round_settled(self, fields: JsonObject, index: int) -> None:
        self._over(fields, "settled", index)

    def _on_round_voided(self, fields: JsonObject, index: int) -> None:
        self._over(fields, "voided", index)

    def _retired(self, number: object, index: int) -> Shoe:
        shoe = self.shoes.get(number) if isinstance(number, int) else None
        if shoe is None or shoe.state != "in use":
            raise NotProven("shoe_revealed", f"shoe {number} is not in use", index)
        if self.live and shoe in self.live.piles:
            raise NotProven("shoe_revealed", f"cards of shoe {number} are in play", index)
        if shoe is self.shoe:
            self.shoe = None
        return shoe

    def _on_shoe_revealed(self, fields: JsonObject, index: int) -> None:
        self._retired(fields["shoe_no"], index).reveal(fields["seeds"], index)

    def _on_shoe_sealed(self, fields: JsonObject, index: int) -> None:
        self._retired(fields["shoe_no"], index).seal(fields["openings"], index)

    def _on_seed_late(self, fields: JsonObject, index: int) -> None:
        known = self.rounds.get(fields["round_no"])
        if known and fields["player"] in known.contributors:
            seed = unhex(fields["seed"])
            got = client_commitment(known.shoe.context, known.no, fields["player"], seed).hex()
            wanted = known.contributors[fields["player"]]["commitment"]
            self._need(got == wanted, "seed_revealed", "the late seed does not open the commitment", index)


PLAYED = frozenset({"dealt", "turned", "peeked", "spun", "offered", "acted"})
