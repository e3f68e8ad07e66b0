"""Rounds played to their end: the client's part of spec/fairness.md, "What a client does", for every game of the house.

It makes the seed, sends the commitment, holds the proofs that its bet binds and that the shoe was committed before,
and only then reveals. Each entry that follows is proven and followed before the player is asked for a choice.
With `proofs="later"` those that answer this client's own seeds and choices are followed at once, and proven before the
next seed goes out and before the round is handed out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from .asking import round_id
from .bundle import CheckedRound, check_bundle, describe, read_bundle, rule_set_digest
from .calls import bet_list, check_epoch, place_of
from .contract import (
    Accepted,
    Action,
    Bet,
    CashView,
    ClientKind,
    ComeIn,
    Decision,
    JsonObject,
    OwnCards,
    RoundRead,
    RoundView,
    SeenCheckpoint,
    TableEntries,
    TableView,
)
from .core import FIRST_WAIT, LONGEST_WAIT, Call, amount, name, path
from .entries import Event, read_entry
from .errors import BadInput, BadReply, Conflict, FairshoeError, NotFound, NotProven, StoreError, Unproven
from .fairness import client_commitment
from .flow import Flow, Sleep
from .history import Pile, Round, TableHistory, check_rules, word_of
from .notes import to_base64
from .tournament_calls import LISTED_AT_ONCE, TournamentCalls
from .views import is_proven

LONG_PULL_MS = 5_000
NEAR_THE_BOUND = 900_000
"""Bytes of entries from which on a list may have ended early (openapi.yaml, listTableEntries: 1 MiB)."""
NOT_NOW = frozenset(
    {
        "wrong_round",
        "round_in_progress",
        "no_shoe",
        "recovering",
        "bets_not_open",
        "newcomer_waits",
        "not_seated",
        "deadline_passed",
        "nothing_to_do",
        "hand_not_called",
        "sitting_out",
    }
)
"""Codes that say: not as the table stands now. The table is read again."""
MOST_RECOVERIES = 256
"""Tables that are put in order before one at a start, and that are looked at for it."""
MOST_WRONG_EPOCHS = 8
"""Of one round that is played; the service needs a moment to put a table in order after a start, and no more."""
SITS_ALREADY = frozenset({"seat_not_free", "nothing_to_do"})
"""What the service answers to one who sits already."""
SEATS_TRIED = 8
"""Of those that this client chooses, for a player who signs: others take them meanwhile."""
LEFT_ALREADY = frozenset({"not_seated", "nothing_to_do"})
"""And to one who left, or does as soon as the hand is over."""
MOST_TRIES = 8
"""How often a seed that is due is tried, or a window that is about to close is waited for."""
RACED = frozenset(
    {"wrong_round", "already_revealed", "reveals_over", "deadline_passed", "decision_not_open", "awaiting_reveals"}
    | {"nothing_to_do", "recovering", "not_a_contributor", "not_your_decision"}
)


class Situation(TypedDict):
    """What a player knows when asked for a choice: all of it is proven, but what the cards are worth."""

    player: str
    round: RoundView
    own: list[str]
    """The player's own hole cards of a hand of poker; empty in other games."""


Choose = Callable[[Decision, Situation], Action]


class PlayedRound(CheckedRound):
    """A round that this client took part in. `staked` and `returned` are the player's, `balance` what the log says
    they have."""

    player: str
    staked: int
    returned: int
    balance: int | None
    is_resumed: bool
    """True: the round was open already, of an earlier call or run; new bets were not placed."""


class NoRound(FairshoeError):
    """No round of the table took the player in the time given."""


def cautious(decision: Decision, situation: Situation) -> Action:
    """A choice that risks nothing more: no insurance, stand, check, pass, else fold, else the first that costs
    nothing."""
    offered = [option["action"] for option in decision["options"]]
    for action in ("insurance", "even_money"):
        if action in offered:
            return {action: {"take": False}}
    for word in ("stand", "check", "pass", "face_down", "accept", "show", "fold", "reject", "hit"):
        if word in offered:
            return word
    word = offered[0]
    return {word: {}} if word in ("open", "discard") else word


def _shows(view: RoundView, found: Round, mine: JsonObject) -> bool:
    """Whether a proven view is of this round, in play, with this decision open."""
    is_open = mine["decision"] in {one["decision"] for one in view["decisions"]}
    return view["round_no"] == found.no and view["phase"] == "open" and is_open


def _seat_in(events: Sequence[Event], player: str) -> int | None:
    """Where these events of a table leave a player."""
    seat: int | None = None
    try:
        for event in events:
            fields = event.fields
            if event.word == "table_noted":
                seats = (fields.get("cash") or fields.get("betting") or {}).get("seats", [])
                seat = next((one["seat"] for one in seats if one["player"] == player), None)
            elif event.word == "seat_taken" and fields["player"] == player:
                seat = fields["seat"]
            elif event.word == "seat_left" and fields["player"] == player:
                seat = None
    except (KeyError, TypeError, AttributeError):
        raise NotProven("entry_form", "an event's fields are not of their form") from None
    return seat


class Play(TournamentCalls):
    """Flows that play and check whole rounds."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._histories: dict[str, TableHistory] = {}
        self._busy: set[str] = set()
        self._own: dict[str, dict[int, str]] = {}
        self._wrong_epochs: dict[str, int] = {}
        """table -> how often the epoch of the round that is played there was refused"""

    # --- Following a table ----------------------------------------------------------------------

    def _me(self) -> str:
        if self.player is None:
            raise BadInput("who plays? Give player and token, or call admit_guest first")
        return self.player

    def _read_table(self, table: str) -> Flow[TableView]:
        view = yield from self.get_table(table)
        key = yield from self.log_key()
        if view["origin"] != key.name or view["table"] != table:
            raise NotProven("origin", f"the table is of {view['origin']}, the key of {key.name}")
        check_rules(view["rules"])
        if rule_set_digest(view["rules"]) != view["digest"]:
            raise NotProven("rule_set", "the digest is not the one of the rules")
        check_epoch(view["epoch"])
        return view

    def _opening_of(self, table: str) -> Flow[JsonObject]:
        """`table_opened`, proven: whose rules hold at this table, and whether a tournament owns it."""
        first = (yield from self._list(table, 0, 1, 0))["entries"]
        opened = [event.fields for item in first for event in read_entry(item["entry"]).events]
        found = next((fields for fields in opened if "digest" in fields and "rules" in fields), None)
        if found is None:
            raise NotProven("bundle_context", "the first entry of the table does not open it")
        check_rules(found["rules"])
        if rule_set_digest(found["rules"]) != found["digest"]:
            raise NotProven("rule_set", "the digest is not the one of the rules", first[0]["index"])
        return found

    def follow_table(self, table: str) -> Flow[TableHistory]:
        """The table's entries from the commitment of its shoe on, each proven, up to the newest."""
        history = self._histories.get(name(table, "table"))
        if history is None:
            view = yield from self._read_table(table)
            opened = yield from self._opening_of(table)
            if opened["rules"] != view["rules"]:
                raise NotProven("rule_set", "the table is shown with other rules than it was opened with")
            view, begins = yield from self._place_to_begin(view)
            # Before the first shoe it is read when that is committed: until then another may come to be in force.
            epoch = view["epoch"] if view["shoe"] else None
            history = TableHistory(view["origin"], table, opened["rules"], epoch, is_event="event" in opened)
            history.next_seq = begins
            self._histories[table] = history
        try:
            yield from self._pull(history, 0)
        except NotProven:
            self._histories.pop(table, None)
            raise
        return history

    def _place_to_begin(self, view: TableView) -> Flow[tuple[TableView, int]]:
        """Where a table is followed from, and how it was shown: from the commitment of its shoe on, or from its end.

        A shoe may be committed after a view without one, and before the end that is found next: both are read anew.
        """
        table = view["table"]
        for _ in range(MOST_TRIES):
            if (shoe := view["shoe"]) and shoe["seq"] is not None:
                return view, shoe["seq"]
            end = yield from self._end_of(table)
            view = yield from self._read_table(table)
            is_known = view["shoe"] and view["shoe"]["seq"] is not None
            if not is_known and not (yield from self._list(table, end, 1, 0))["entries"]:
                return view, end
        raise Unproven(f"{table} goes on faster than it is read: follow it again")

    def _list(self, table: str, from_seq: int, limit: int, wait_ms: int) -> Flow[TableEntries]:
        return (yield from self.list_table_entries(table, from_seq=from_seq, limit=limit, wait_ms=wait_ms))

    def _end_of(self, table: str) -> Flow[int]:
        """The place of the table's next entry, found by halving: the list of entries has no end mark of its own."""
        low, high = 0, 1
        while (yield from self._list(table, high - 1, 1, 0))["entries"]:
            low, high = high, high * 2
        while low < high - 1:
            middle = (low + high) // 2
            if (yield from self._list(table, middle - 1, 1, 0))["entries"]:
                low = middle
            else:
                high = middle
        return low

    def _pull(self, history: TableHistory, wait_ms: int) -> Flow[bool]:
        """Takes in what is new at the table; whether there was anything."""
        any_new = False
        while True:
            reply = yield from self._list(
                history.table, history.next_seq or 0, LISTED_AT_ONCE, 0 if any_new else wait_ms
            )
            for item in reply["entries"]:
                yield from self._take(history, item["index"], item["entry"], item.get("openings", []))
            any_new = any_new or bool(reply["entries"])
            size = sum(len(item["entry"]) for item in reply["entries"])
            if len(reply["entries"]) < LISTED_AT_ONCE and size < NEAR_THE_BOUND:
                return any_new

    def _take(self, history: TableHistory, index: int, entry: str, openings: Sequence[Any]) -> Flow[None]:
        read = history.take(index, entry)
        if history.needs_epoch:
            yield from self._learn_epoch(history)
        history.take_openings(openings)
        history.check_all_opened()
        for event in read.events:
            if event.word == "seed_revealed" and event.fields["player"] == self.player:
                self._store.forget(history.origin, history.table, read.fields["round_no"], self._me())

    def _learn_epoch(self, history: TableHistory) -> Flow[None]:
        """The epoch after a restart. A false one is found out by the first seed that does not open its commitment."""
        try:
            shoe = yield from self.get_table_shoe(history.table)
        except (Conflict, NotFound):
            shown = epoch = None
        else:
            shown, epoch = shoe["shoe_no"], shoe["epoch"]
        if epoch is not None and history.shoe is not None and shown == history.shoe.no:
            check_epoch(epoch)
            history.learn_epoch(epoch)
        else:
            # By now another shoe is in use, perhaps after another start: its epoch would convict an honest house.
            epoch = yield from self._epoch_of_start(history)
            history.learn_epoch(epoch, is_proven=True)

    def _epoch_of_start(self, history: TableHistory) -> Flow[str]:
        """The epoch of the start that the table was put in order after, proven: between that start and the table's
        `recover` the log has those of other tables alone (spec/recovery.md, "A start")."""
        first = history.recovered_in or 0
        for index in range(first - 1, max(-1, first - 1 - MOST_RECOVERIES), -1):
            ((word, fields),) = (yield from self.get_entry(index))["command"].items()
            if word == "start_dealer" and fields["origin"] == history.origin:
                epoch: str = fields["epoch"]
                check_epoch(epoch)
                return epoch
            if word != "recover":
                break
        self._histories.pop(history.table, None)
        raise Unproven(f"{history.table} was started anew since, under an epoch that is not found: follow it again")

    def _read_epoch_anew(self, history: TableHistory, refusal: Conflict) -> Flow[None]:
        """After `wrong_epoch`: the table's new entries, and the epoch where they tell nothing of a start.

        So often that a service may be starting meanwhile, and not for ever; the refusal itself comes out then.
        """
        refused = self._wrong_epochs[history.table] = self._wrong_epochs.get(history.table, 0) + 1
        if refused >= MOST_WRONG_EPOCHS:
            raise refusal
        before = history.binding_epoch
        yield from self._pull(history, 0)
        if self._is_bound(history):
            return  # Whatever the reply was: the bet was taken, under the epoch that it was sent with.
        if history.binding_epoch == before:
            view = yield from self._read_table(history.table)
            shown = view["shoe"]["shoe_no"] if view["shoe"] else None
            if shown == (history.shoe.no if history.shoe else None):
                history.change_epoch(view["epoch"])
        if history.binding_epoch == before:
            yield Sleep(min(LONGEST_WAIT, FIRST_WAIT * 2.0**refused))

    def _is_bound(self, history: TableHistory) -> bool:
        """Whether the log holds a commitment of this player's that is not opened yet."""
        live, me = history.live, self.player
        in_window = history.window is not None and me in history.window
        return in_window or (live is not None and me in (live.pile.commitments if live.pile else live.contributors))

    def _take_reply(self, history: TableHistory, reply: Accepted, number: int | None = None) -> Flow[RoundView | None]:
        """What a call's reply tells, taken in: its entries are proven; where one is missing before them the list is
        read. `number`: of the round that was asked about."""
        view = reply.get("round")
        if view is not None and number is not None and view["round_no"] != number:
            raise NotProven("view", f"the reply tells of round {view['round_no']}, {number} was asked about")
        # An opening that names no shoe is of the round's own (openapi.yaml, "Openings").
        own_shoe = {"shoe_no": view["shoe_no"]} if view is not None else {}
        openings = [{**own_shoe, **opening} for opening in reply.get("openings", [])]
        for receipt in sorted(reply["receipts"], key=lambda one: one["index"]):
            table, seq = place_of(receipt["entry"], receipt["index"])
            if table == history.table and seq is not None and seq > (history.next_seq or 0):
                yield from self._pull(history, 0)
            elif table == history.table and seq == history.next_seq:
                yield from self._take(history, receipt["index"], receipt["entry"], openings)
        if view is not None:
            yield from self._prove_view(history, view, reply.get("own"))
        return view

    def _prove_view(self, history: TableHistory, view: RoundView, own: OwnCards | None) -> Flow[None]:
        if own is not None and own["round"] == view["id"]:
            if history.round(view["round_no"]) is None or history.live is None:
                yield from self._pull(history, 0)
            history.check_own_cards(own, self._me())
            values = {one["slot"]: card for one, card in zip(own["openings"], own["cards"])}
            self._own = {view["id"]: values}
        mine = self._own.get(view["id"], {})
        if is_proven(history, view, mine):
            return
        # The view may tell of entries that were made since the last one that was followed.
        for wait_ms in (0, 250):
            yield from self._pull(history, wait_ms)
            if is_proven(history, view, mine):
                return
        raise NotProven("view", "the reply tells of a round, cards or decisions that no entry shows")

    # --- Before a round -------------------------------------------------------------------------

    def _commitment(self, history: TableHistory, round_no: int, bets: Sequence[Any] | None) -> tuple[str, str]:
        """The commitment for a round, and the epoch that it is bound to; its seed is in the store by now."""
        epoch = history.binding_epoch
        if epoch is None:
            raise BadReply("the service tells of no epoch at a table that is played")
        return self._store.commit(history.origin, history.table, epoch, round_no, self._me(), bets), epoch

    def _ask_to_play(self, table: str, seat: int | None, view: TableView) -> Flow[None]:
        is_seated = any(one["player"] == self.player for one in view["seats"])
        wanted = seat
        if wanted is None:
            wanted = yield from self._seat_to_sign(view, [one["seat"] for one in view["seats"]])
        try:
            reply = yield from self.take_seat(table, None if is_seated else wanted)
        except Conflict as refusal:
            # Somebody else took the seat that this client chose: it asks again.
            is_taken = refusal.code == "seat_not_free" and seat is None and wanted is not None
            if refusal.code not in NOT_NOW and not is_taken:
                raise
        else:
            yield from self._take_reply(self._histories[table], reply)

    def _seat_to_sign(self, view: TableView, taken: list[int]) -> Flow[int | None]:
        """A free seat for a player who signs, and so has to name one; others leave the choice to the service."""
        if (yield from self.pen()) is None:
            return None
        return next((seat for seat in range(1, view["rules"]["table"]["seats"] + 1) if seat not in taken), None)

    def _may_bet(self, history: TableHistory) -> bool:
        shoe = history.shoe
        return shoe is not None and (
            shoe.last_players is None or shoe.composition.is_wheel or self.player in shoe.last_players
        )

    def play_round(
        self,
        table: str,
        bets: Sequence[Bet],
        choose: Choose = cautious,
        *,
        seat: int | None = None,
        wait: float = 180.0,
    ) -> Flow[PlayedRound]:
        """Plays one round of a table that takes bets, and checks it as it goes.

        A round that the player is in already, from a run that was killed, is played to its end instead. At a shared
        table the client takes a seat (`seat`, or the first free one), waits for a betting window, and asks again
        where a round did not come about. `wait` is how many seconds it waits for a round that takes the bets.
        """
        placed = bet_list(bets)
        return (yield from self._alone(table, self._play_round(table, placed, choose, seat, time.monotonic() + wait)))

    def _alone(self, table: str, flow: Flow[PlayedRound]) -> Flow[PlayedRound]:
        if name(table, "table") in self._busy:
            raise BadInput(f"this client plays at {table} already; one client plays one round of a table at a time")
        self._busy.add(table)
        self._wrong_epochs.pop(table, None)
        try:
            return (yield from flow)
        except NotProven:
            # What was refused is not built upon: the next call follows the table from its shoe's commitment again.
            self._histories.pop(table, None)
            raise
        finally:
            self._busy.discard(table)

    def _play_round(
        self, table: str, bets: list[Bet], choose: Choose, seat: int | None, until: float
    ) -> Flow[PlayedRound]:
        me = self._me()
        history = yield from self.follow_table(table)
        if history.is_private:
            raise BadInput(f"{table} deals hands of poker: call play_hand")
        if history.live and me in history.live.contributors:
            return (yield from self._finish(history, history.live, choose, True))
        is_shared = history.rules["table"]["mode"] == "shared"
        asked = False
        while time.monotonic() < until:
            number = history.next_round
            is_open = history.window is not None if is_shared else history.shoe is not None and history.live is None
            if is_open and self._may_bet(history) and number is not None:
                if is_shared and history.window and me in history.window:
                    asked = True
                elif (yield from self._place(history, number, bets)):
                    asked = True
                    continue
                elif is_shared:
                    asked = False
            found = history.live
            if found and me in found.contributors:
                return (yield from self._finish(history, found, choose, False))
            if is_shared and not asked and not (history.window is not None and self._may_bet(history)):
                view = yield from self._read_table(table)
                yield from self._ask_to_play(table, seat, view)
                asked = True
            if not (yield from self._pull(history, LONG_PULL_MS if is_shared else 250)):
                asked = asked and history.window is not None and me in history.window
                yield Sleep(0.02)
        raise NoRound(f"no round of {table} took the bets in time")

    def _place(self, history: TableHistory, number: int, bets: list[Bet]) -> Flow[bool]:
        """Bets with the commitment of a seed of this client's; False where the table is not as it was a moment ago."""
        commitment, epoch = self._commitment(history, number, bets)
        try:
            reply = yield from self.place_bet(history.table, number, bets, commitment, epoch)
        except Conflict as refusal:
            if refusal.code == "wrong_epoch":
                yield from self._read_epoch_anew(history, refusal)
                return False
            if refusal.code not in NOT_NOW:
                raise
            yield from self._pull(history, 100)
            return False
        yield from self._take_reply(history, reply, number)
        return True

    # --- A round to its end ---------------------------------------------------------------------

    def _finish(self, history: TableHistory, found: Round, choose: Choose, is_resumed: bool) -> Flow[PlayedRound]:
        view: RoundView | None = None
        me = self._me()
        while found.end is None:
            reply: Accepted | None = None
            pile, mine = found.pile, self._next_decision(found)
            try:
                if pile is not None and me in pile.players and me not in pile.seeds:
                    reply = yield from self._serve_pile(history, pile)
                elif found.phase == "awaiting_reveals" and me not in found.seeds:
                    reply = yield from self._reveal(history, found, found.contributors[me])
                elif mine is not None:
                    if view is None or not _shows(view, found, mine):
                        view = yield from self._view(history, found, mine)
                    reply = yield from self._choose(history, found, mine, view, choose)
            except Conflict as refusal:
                if refusal.code == "wrong_epoch":
                    yield from self._read_epoch_anew(history, refusal)
                    continue
                if refusal.code not in RACED:
                    raise
                yield from self._pull(history, 250)
                continue
            view = yield from self._settle_reply(history, found, reply)
        yield from self._prove_owed_at(history.table)
        return self._played(history, found, is_resumed)

    def _settle_reply(self, history: TableHistory, found: Round, reply: Accepted | None) -> Flow[RoundView | None]:
        if reply is not None:
            return (yield from self._take_reply(history, reply, found.no))
        yield from self._pull(history, LONG_PULL_MS)
        return None

    def _next_decision(self, found: Round) -> JsonObject | None:
        return next((one for one in found.decisions.values() if one["player"] == self.player), None)

    def _view(self, history: TableHistory, found: Round, mine: JsonObject) -> Flow[RoundView]:
        """The round with this decision open, all of it proven: a player chooses, and stakes, by nothing else."""
        read: RoundRead = yield from self.get_round(f"{history.table}:{found.no}")
        yield from self._prove_view(history, read["round"], read.get("own"))
        if not _shows(read["round"], found, mine) and mine["decision"] in found.decisions:
            raise NotProven("view", f"the round is not shown as the log has it: decision {mine['decision']} is open")
        return read["round"]

    def _seed(self, history: TableHistory, part: Round | Pile, logged: str, bets: object) -> str:
        """The seed of this client's commitment, if what the log fixed is what this client sent."""
        me = self._me()
        kept = self._store.committed(history.origin, history.table, part.shoe.epoch or "", part.no, me)
        if kept is None:
            raise StoreError(f"the seed of {me} for {history.table}:{part.no} is not in this client's store")
        seed, sent = kept
        if client_commitment(part.shoe.context, part.no, me, bytes.fromhex(seed)).hex() != logged:
            raise NotProven("bets", "the log holds another commitment than this client's")
        if bets not in sent and None not in sent:
            raise NotProven("bets", "the log holds other bets than this client's")
        return seed

    def _reveal(self, history: TableHistory, part: Round | Pile, logged: JsonObject) -> Flow[Accepted]:
        """Reveals: by now `shoe_committed` and the binding commitments are proven under the kept checkpoint."""
        yield from self._prove_owed_at(history.table)
        seed = self._seed(history, part, logged["commitment"], logged.get("bets"))
        kept = self.checkpoint
        saw: SeenCheckpoint | None = None if kept is None else {"size": kept.size, "root": to_base64(kept.root)}
        return (yield from self.reveal_seed(f"{history.table}:{part.no}", self._me(), seed, saw=saw))

    def _prove_owed_at(self, table: str) -> Flow[None]:
        """Proves what came of this table without a proof: its list of entries proves many at once, under one
        checkpoint. What the list does not have is proven by its own receipt."""
        while owed := [one for one in self.owed.all() if one.table == table]:
            seqs = [seq for one in owed if (seq := place_of(one.entry, one.index)[1]) is not None]
            if seqs:
                yield from self._list(table, min(seqs), min(max(seqs) - min(seqs) + 1, LISTED_AT_ONCE), 0)
            if len(left := [one for one in self.owed.all() if one.table == table]) >= len(owed):
                return (yield from self.prove_each(left))

    def _serve_pile(self, history: TableHistory, pile: Pile) -> Flow[Accepted | None]:
        me = self._me()
        if pile.is_closed:
            return (yield from self._reveal(history, pile, {"commitment": pile.commitments[me]}))
        if me in pile.commitments:
            return None
        commitment, epoch = self._commitment(history, pile.no, None)
        return (yield from self.commit_seed(f"{history.table}:{pile.no}", commitment, epoch, for_hand=False))

    def _choose(
        self, history: TableHistory, found: Round, offered: JsonObject, view: RoundView, choose: Choose
    ) -> Flow[Accepted]:
        own = list(self._own.get(view["id"], {}).values())
        spot, hand = map(int, str(offered["place"]).split("/"))
        decision: Any = {key: value for key, value in offered.items() if key != "extra_ms"}
        decision |= {"spot": spot, "hand": hand}
        action = choose(decision, {"player": self._me(), "round": view, "own": own})
        if word_of(action) not in {option["action"] for option in offered["options"]}:
            raise BadInput(f"{action!r} is not among what is offered: {offered['options']}")
        reply = yield from self.act(f"{history.table}:{found.no}", offered["decision"], action)
        return reply

    def _played(self, history: TableHistory, found: Round, is_resumed: bool) -> PlayedRound:
        assert self.key is not None
        checked = describe(history, found.no, self.key, self.key_was_given)
        mine = next((one for one in checked["players"] if one["player"] == self.player), None)
        return {
            **checked,
            "player": self._me(),
            "staked": mine["staked"] if mine else 0,
            "returned": mine["returned"] if mine else 0,
            "balance": history.balances.get(self._me()),
            "is_resumed": is_resumed,
        }

    # --- Poker ----------------------------------------------------------------------------------

    def play_hand(
        self, table: str, choose: Choose = cautious, *, buy_in: int | None = None, wait: float = 180.0
    ) -> Flow[PlayedRound]:
        """Plays one hand at a cash table or a tournament's table, and checks it as it goes.

        `buy_in` is what the player sits down with, where they have no seat. One who sits out comes back. A hand of
        poker needs two players; `wait` is how many seconds to wait for one that deals this player in.
        """
        if buy_in is not None:
            amount(buy_in, "buy_in")
        return (yield from self._alone(table, self._play_hand(table, choose, buy_in, time.monotonic() + wait)))

    def _play_hand(self, table: str, choose: Choose, buy_in: int | None, until: float) -> Flow[PlayedRound]:
        me = self._me()
        history = yield from self.follow_table(table)
        if not history.is_private:
            raise BadInput(f"{table} takes bets: call play_round")
        if history.live and me in history.live.contributors:
            return (yield from self._finish(history, history.live, choose, True))
        if not history.is_event:
            yield from self._sit_down(history, buy_in)
        while time.monotonic() < until:
            if history.window is not None and me not in history.window and history.next_round is not None:
                commitment, epoch = self._commitment(history, history.next_round, None)
                try:
                    reply = yield from self.commit_seed(f"{table}:{history.next_round}", commitment, epoch)
                    yield from self._take_reply(history, reply, history.next_round)
                except Conflict as refusal:
                    if refusal.code == "wrong_epoch":
                        yield from self._read_epoch_anew(history, refusal)
                        continue
                    if refusal.code not in NOT_NOW:
                        raise
                    if refusal.code in ("sitting_out", "not_seated"):
                        yield from self._sit_down(history, buy_in)
            if history.live and me in history.live.contributors:
                return (yield from self._finish(history, history.live, choose, False))
            any_new = yield from self._pull(history, LONG_PULL_MS)
            if not any_new and history.window is None and history.live is None and not history.is_event:
                yield from self._come_back(history)
        raise NoRound(f"no hand of {table} dealt the player in in time")

    def _come_back(self, history: TableHistory) -> Flow[None]:
        """Asks to play again for one who sits out: too late for a hand once, they would wait for ever for another."""
        view = yield from self._read_table(history.table)
        seats = view["cash"]["seats"] if view["cash"] else []
        if any(one["player"] == self.player and one["sitting_out"] for one in seats):
            try:
                reply = yield from self.take_seat(history.table)
            except Conflict as refusal:
                if refusal.code not in NOT_NOW:
                    raise
            else:
                yield from self._take_reply(history, reply)

    def _sit_down(self, history: TableHistory, buy_in: int | None) -> Flow[None]:
        for left in reversed(range(SEATS_TRIED)):
            view = yield from self._read_table(history.table)
            cash: CashView | None = view["cash"]
            mine = next((one for one in cash["seats"] if one["player"] == self.player), None) if cash else None
            if mine is None and self._me() in history.seated:
                yield from self._pull(history, 250)
                if self._me() in history.seated:
                    # The player would buy in once more, as often as they are told that they have no seat.
                    raise NotProven("seat", "the table is shown without this player, who sits there by the log")
            if mine is None and buy_in is None:
                raise BadInput("the player has no seat here: give buy_in")
            if mine is None or mine["sitting_out"]:
                taken = [one["seat"] for one in cash["seats"]] if cash else []
                seat = (yield from self._seat_to_sign(view, taken)) if mine is None else None
                try:
                    reply = yield from self.take_seat(history.table, seat, buy_in=buy_in if mine is None else None)
                except Conflict as refusal:
                    # Somebody else took the seat that this client chose.
                    if refusal.code != "seat_not_free" or seat is None or not left:
                        raise
                    continue
                yield from self._take_reply(history, reply)
            return

    # --- Seats ----------------------------------------------------------------------------------

    def sit(
        self,
        table: str,
        seat: int | None = None,
        *,
        buy_in: int | None = None,
        client: ClientKind | None = None,
        entry: ComeIn | None = None,
        straddle: bool | None = None,
    ) -> Flow[Accepted | None]:
        """Takes a seat, or asks to play the next round; at a cash table with `buy_in`.

        Where the player sits already, by proven entries, as after a crash, they play on with what they have there.
        None: there was nothing left to do. `play_round` and `play_hand` take a seat by themselves.
        """
        me = self._me()
        known = self.checkpoint.size if self.checkpoint else 0
        reply: Accepted | None
        try:
            reply = yield from self._take_free(table, seat, buy_in, client, entry, straddle)
        except Conflict as refusal:
            if refusal.code not in SITS_ALREADY:
                raise
            own = yield from self._own_seat(table)
            if own is None or seat not in (None, own):
                raise refusal
            view = yield from self._read_table(table)
            mine = next((one for one in view["cash"]["seats"] if one["player"] == me), None) if view["cash"] else None
            # Another seat than theirs, or one without chips, is not what was asked for.
            if view["cash"] and (mine is None or mine["leaving"] or mine["stack"] + mine["top_up"] == 0):
                raise refusal
            if refusal.code == "nothing_to_do" or (mine is not None and not mine["sitting_out"]):
                return None
            reply = yield from self._play_on(table, entry, straddle)
        else:
            if reply["receipts"][0]["index"] < known:
                # Attack: the entry of an earlier time at this table, for a seat that was never given.
                if (yield from self._own_seat(table)) is None:
                    raise BadReply("takeSeat: the reply is an entry of before, and by the log nobody sits there for it")
                view = yield from self._read_table(table)
                seats = view["cash"]["seats"] if view["cash"] else []
                # They sit out since, for a hand that was called and never began, as while their program was away.
                if any(
                    one["player"] == me and one["sitting_out"] and not one["leaving"] and one["stack"] + one["top_up"]
                    for one in seats
                ):
                    reply = yield from self._play_on(table, entry, straddle)
        if reply is None:
            return None
        if table in self._histories and table not in self._busy:
            yield from self._take_reply(self._histories[table], reply)
        return reply

    def _take_free(
        self,
        table: str,
        seat: int | None,
        buy_in: int | None,
        client: ClientKind | None,
        entry: ComeIn | None,
        straddle: bool | None,
    ) -> Flow[Accepted]:
        """Takes the seat, or one that is chosen for a player who signs: another where somebody took it meanwhile."""
        named = seat if (yield from self.pen()) is None else (yield from self._seat_to_name(table, seat, buy_in))
        tried = 1
        while True:
            try:
                return (
                    yield from self.take_seat(
                        table, named, buy_in=buy_in, client=client, entry=entry, straddle=straddle
                    )
                )
            except Conflict as refusal:
                if refusal.code != "seat_not_free" or seat is not None or named is None or tried >= SEATS_TRIED:
                    raise
                other = yield from self._seat_to_name(table, None, buy_in)
                # The same again is their own, or none is free.
                if other in (named, None):
                    raise
                named, tried = other, tried + 1

    def _play_on(self, table: str, entry: ComeIn | None, straddle: bool | None) -> Flow[Accepted | None]:
        """What is left of the wish of one who has the seat."""
        try:
            return (yield from self.take_seat(table, entry=entry, straddle=straddle))
        except Conflict as refusal:
            if refusal.code != "nothing_to_do":
                raise
            return None

    def _seat_to_name(self, table: str, seat: int | None, buy_in: int | None) -> Flow[int | None]:
        """Who signs names the seat that they take: their own, or the first free one by the service's word."""
        if seat is not None:
            return seat
        view = yield from self._read_table(table)
        taken = {one["seat"]: one["player"] for one in view["seats"]}
        taken.update({one["seat"]: one["player"] for one in (view["cash"]["seats"] if view["cash"] else [])})
        own = next((at for at, player in taken.items() if player == self.player), None)
        # One who sits and brings no chips asks to play, and names none.
        if own is not None:
            return own if buy_in is not None else None
        return (yield from self._seat_to_sign(view, list(taken)))

    def _own_seat(self, table: str) -> Flow[int | None]:
        """Where the player sits, by proven entries: from the newest one on that says who sits there."""
        end = yield from self._end_of(table)
        later: list[Event] = []
        while end > 0:
            start = at = max(0, end - LISTED_AT_ONCE)
            events: list[Event] = []
            while at < end:
                listed = (yield from self._list(table, at, end - at, 0))["entries"]
                if not listed:
                    raise Unproven(f"the entries of {table} are not shown: from {at} on there were more")
                events += [event for item in listed for event in read_entry(item["entry"]).events]
                at += len(listed)
            later, end = [*events, *later], start
            if any(event.word == "table_noted" for event in events):
                break
        return _seat_in(later, self._me())

    def leave(self, table: str) -> Flow[Accepted | None]:
        """Leaves the seat, and reveals the seed that a hand or round in play still awaits of the player.

        A commitment to a hand that is only called is taken back by leaving. Once the hand has begun it goes on without
        the player, but for their seed: who withholds it is named for it, and from the second time on has a cooldown.
        `leave_seat` alone reveals nothing.

        None: the player had left already, or leaves when the hand is over; a seed that was still owed is revealed.
        """
        if name(table, "table") in self._busy:
            return (yield from self.leave_seat(table))  # What plays there reveals it.
        history = yield from self.follow_table(table)
        reply: Accepted | None = None
        left_before: Conflict | None = None
        try:
            reply = yield from self._leave_when_closed(history)
        except Conflict as refusal:
            if refusal.code not in LEFT_ALREADY:
                raise
            left_before = refusal
            yield from self._pull(history, 0)
        else:
            yield from self._take_reply(history, reply)
        tries = 0
        while (owed := self._owed_seed(history)) is not None:
            tries += 1
            try:
                answer = yield from self._reveal(history, *owed)
            except Conflict as refusal:
                if refusal.code not in RACED or tries >= MOST_TRIES:
                    raise
                yield from self._pull(history, 250)
            else:
                yield from self._take_reply(history, answer)
        yield from self._prove_owed_at(table)
        if left_before and left_before.code != "nothing_to_do" and tries == 0:
            raise left_before
        return reply

    def _leave_when_closed(self, history: TableHistory) -> Flow[Accepted]:
        """Bets whose time is over come back no more: the window closes by itself, and then the seat can be left."""
        for tries in range(MOST_TRIES):
            try:
                return (yield from self.leave_seat(history.table))
            except Conflict as refusal:
                if refusal.code != "deadline_passed" or tries == MOST_TRIES - 1:
                    raise
            yield from self._pull(history, 250)
        raise AssertionError("unreachable")

    def _owed_seed(self, history: TableHistory) -> tuple[Round | Pile, JsonObject] | None:
        live, me = history.live, self._me()
        if live is None:
            return None
        if live.pile is not None:
            pile = live.pile
            is_due = pile.is_closed and me in pile.commitments and me not in pile.seeds
            return (pile, {"commitment": pile.commitments[me]}) if is_due else None
        is_due = live.phase == "awaiting_reveals" and me in live.contributors and me not in live.seeds
        return (live, live.contributors[me]) if is_due else None

    # --- Checking afterwards --------------------------------------------------------------------

    def verify_round(self, round: str) -> Flow[CheckedRound]:
        """Fetches a round's bundle and checks it under the log's key; `is_complete` says whether all is out.

        It trusts nothing of what was followed before: every entry, seed, shoe and face is checked again, and the
        bundle's checkpoint has to be of one history with the kept one. What is owed of the round (`proofs="later"`) is
        proven by it, or else by its own receipt.
        """
        table, number = round_id(round)
        call = Call("getBundle", "GET", path("/v1/rounds/{}/bundle", round), timeout=120.0)
        text = yield from self.text(call)
        key = yield from self.log_key()
        checked, checkpoint = check_bundle(text, key, key_was_given=self.key_was_given)
        if checked["round"] != f"{table}:{number}":
            raise NotProven("bundle_round", f"the bundle is of {checked['round']}")
        yield from self.hold(checkpoint.note)
        if self.owed or self._kept:
            for item in read_bundle(text)["entries"]:
                self.owed.settle(item["index"], item["entry"])
                self._kept.settle(item["entry"])
            yield from self.prove_owed(round)
        return checked
