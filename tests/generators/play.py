"""One hand of each game with the client that openapi-python-client makes of openapi.yaml, against a running service.

Usage: play.py URL OPERATOR_TOKEN
"""

import hashlib
import json
import secrets
import sys
import time

from fairshoe_client import AuthenticatedClient
from fairshoe_client.api.players import create_player, credit_player
from fairshoe_client.api.rounds import act, commit_seed, get_round, place_bet, reveal_seed
from fairshoe_client.api.tables import get_table, open_table, take_seat
from fairshoe_client.models import (
    Accepted, Act, BaccaratView, Bet, BetAction, BetTo, BlackjackView, ChangeAction, ChangeActionChange, Commit,
    Decision, DiscardAction, DiscardActionDiscard, Entry, ErrorCode, EvenMoneyAction, EvenMoneyActionEvenMoney,
    InsuranceAction, InsuranceActionInsurance, Movement, BetRequest, NewPlayer, NewTable, Offer, OpenAction,
    OpenActionOpen, Phase, PileViewAwaits, PlainAction, PokerView, Problem, RaiseAction, Reveal, RouletteView,
    RoundRead, RoundView, SafeView, SeatWish, TableRulesMode, TableView,
)
from fairshoe_client.types import Unset

# The rules of a table, how many sit at it, what its game shows, where a bet is placed.
HANDS = [
    ("joy", 1, BlackjackView, "1"),
    ("rng-baccarat", 1, BaccaratView, "player"),
    ("rng-roulette", 1, RouletteView, "red"),
    ("safe", 2, SafeView, None),
    ("holdem", 2, PokerView, None),
    ("omaha", 2, PokerView, None),
]
PATIENCE = 60
# What ends a hand soonest comes first.
QUIET = ["stand", "check", "call", "show", "muck", "accept", "pass", "fold"]


def told(reply, kind):
    """The body of a reply, which is of this kind and no problem."""
    if not isinstance(reply.parsed, kind):
        raise SystemExit(f"{reply.status_code} and not a {kind.__name__}: {reply.parsed or reply.content}")
    return reply.parsed


def lines_up(text):
    raw = text.encode()
    return len(raw).to_bytes(2, "big") + raw


class Player:
    def __init__(self, url, operator, name):
        made = told(create_player.sync_detailed(client=operator, body=NewPlayer(player=name)), Accepted)
        credit, key = Movement(amount=1_000_000), f"credit-{name}"
        told(credit_player.sync_detailed(name, client=operator, body=credit, idempotency_key=key), Accepted)
        self.name, self.client, self.seeds = name, AuthenticatedClient(base_url=url, token=made.token), {}

    def commitment(self, view, number):
        """The commitment to a client seed (spec/fairness.md, "Client seed")."""
        seed = self.seeds.setdefault((view.table, number), secrets.token_bytes(32))
        table = lines_up(view.origin) + lines_up(view.table) + bytes.fromhex(view.epoch)
        bound = table + number.to_bytes(8, "big") + lines_up(self.name) + seed
        return hashlib.sha256(b"fairshoe/v1/client-seed\0" + bound).hexdigest()

    def view(self, table):
        return told(get_table.sync_detailed(table, client=self.client), TableView)

    def sit(self, table):
        view = self.view(table)
        wish = SeatWish(buy_in=view.rules.table.stake_min) if view.cash else SeatWish()
        check_entries(told(take_seat.sync_detailed(table, client=self.client, body=wish), Accepted))

    def turn(self, table, spot):
        """One look at the table: whatever is this player's to do is done."""
        view = self.view(table)
        if view.round_:
            self.play(view)
        elif view.cash and view.cash.call:
            number = view.cash.call.round_no
            if self.name in view.cash.call.awaited and (table, number) not in self.seeds:
                self.commit(view, number)
        elif view.rules.table.mode == TableRulesMode.SOLO:
            if view.shoe and not self.seeds:
                self.bet(view, view.next_round, spot)
        elif view.window and (table, view.window.round_no) not in self.seeds:
            seat = next(one.seat for one in view.seats if one.player == self.name)
            self.bet(view, view.window.round_no, spot or str(seat))

    def bet(self, view, number, spot):
        placed = Bet(spot=spot, stake=view.rules.table.stake_min)
        body = BetRequest(round_no=number, bets=[placed], commitment=self.commitment(view, number))
        check_entries(told(place_bet.sync_detailed(view.table, client=self.client, body=body), Accepted))

    def commit(self, view, number):
        body = Commit(commitment=self.commitment(view, number))
        reply = commit_seed.sync_detailed(f"{view.table}:{number}", client=self.client, body=body)
        check_entries(told(reply, Accepted))

    def reveal(self, table, number):
        body = Reveal(player=self.name, seed=self.seeds[table, number].hex())
        check_entries(told(reveal_seed.sync_detailed(f"{table}:{number}", client=self.client, body=body), Accepted))

    def play(self, view):
        round_ = told(get_round.sync_detailed(view.round_, client=self.client), RoundRead).round_
        own = next((one for one in round_.contributors if one.player == self.name), None)
        if round_.phase == Phase.AWAITING_REVEALS and own and own.seed is None:
            return self.reveal(view.table, round_.round_no)
        if round_.pile:
            return self.shuffle(view, round_.pile)
        decision = next((one for one in round_.decisions if one.player == self.name), None)
        if decision:
            body = Act(decision=decision.decision, action=choose(decision, round_, self.name))
            check_entries(told(act.sync_detailed(round_.id, client=self.client, body=body), Accepted))

    def shuffle(self, view, pile):
        """A new pile in mid-game."""
        own = next((one for one in pile.players if one.player == self.name), None)
        if own and own.commitment is None:
            self.commit(view, pile.round_no)
        elif own and own.seed is None and pile.awaits == PileViewAwaits.SEEDS:
            self.reveal(view.table, pile.round_no)


def least(offer: Offer):
    assert not isinstance(offer.to, Unset), offer
    return BetTo(to=offer.to[0])


def choose(decision: Decision, round_: RoundView, name: str):
    """What is quiet, else what is least."""
    offered = {option.action.value: option for option in decision.options}
    for word in QUIET:
        if word in offered:
            return PlainAction(word)
    if "insurance" in offered:
        return InsuranceAction(insurance=InsuranceActionInsurance(take=False))
    if "even_money" in offered:
        return EvenMoneyAction(even_money=EvenMoneyActionEvenMoney(take=False))
    if "change" in offered and isinstance(round_.game, SafeView):
        hand = next(one for one in round_.game.players if one.player == name).hand
        seen = [card.card for card in hand.cards if card.card] if hand else []
        if seen:
            return ChangeAction(change=ChangeActionChange(card=seen[0]))
    if "open" in offered:
        return OpenAction(open_=OpenActionOpen())
    if "discard" in offered:
        return DiscardAction(discard=DiscardActionDiscard())
    if "bet" in offered:
        return BetAction(bet=least(offered["bet"]))
    if "raise" in offered:
        return RaiseAction(raise_=least(offered["raise"]))
    return PlainAction.HIT


def check_entries(accepted):
    """Every entry of a reply is read as what it is: its command and its events have their own types."""
    for receipt in accepted.receipts:
        entry = Entry.from_dict(json.loads(receipt.entry))
        for one in [entry.command, *entry.events]:
            assert type(one).__module__.startswith("fairshoe_client.models."), one
        assert entry.to_dict() == json.loads(receipt.entry), f"not the same again: {receipt.entry}"


def hand(url, operator, rules, count, game, spot):
    players = [Player(url, operator, f"py-{rules}-{number}") for number in range(count)]
    if count == 1:
        # A table for one is that player's own, and has a name that the house gives it.
        table = told(open_table.sync_detailed(client=players[0].client, body=NewTable(rules=rules)), Accepted).table
    else:
        table = f"py-{rules}"
        told(open_table.sync_detailed(client=operator, body=NewTable(table=table, rules=rules)), Accepted)
        for player in players:
            player.sit(table)
    first = players[0].view(table).next_round
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for player in players:
            player.turn(table, spot)
        read = get_round.sync_detailed(f"{table}:{first}", client=players[0].client)
        if isinstance(read.parsed, RoundRead) and read.parsed.round_.phase in (Phase.SETTLED, Phase.VOIDED):
            round_ = read.parsed.round_
            assert round_.phase == Phase.SETTLED and isinstance(round_.game, game), round_
            refused = act.sync_detailed(
                round_.id, client=players[0].client, body=Act(decision=999, action=PlainAction.STAND)
            )
            assert told(refused, Problem).code == ErrorCode.WRONG_ROUND, refused.parsed
            staked, returned = round_.staked, round_.returned
            print(f"{rules}: settled, {staked} staked, {returned} returned; {len(read.parsed.openings)} openings")
            return
        time.sleep(0.02)
    raise SystemExit(f"{rules}: not settled in {PATIENCE} seconds")


def main():
    url, token = sys.argv[1:]
    operator = AuthenticatedClient(base_url=url, token=token)
    for rules, count, game, spot in HANDS:
        hand(url, operator, rules, count, game, spot)


if __name__ == "__main__":
    main()
