"""One hand of each game with the client that openapi-generator makes of openapi.yaml, against a running service; and
entries of every kind, from the vectors, read and written again.

Usage: play_openapi_generator.py URL OPERATOR_TOKEN VECTORS
"""

import hashlib
import json
import secrets
import sys
import time
from pathlib import Path

import openapi_client as made
from openapi_client.api.players_api import PlayersApi
from openapi_client.api.rounds_api import RoundsApi
from openapi_client.api.tables_api import TablesApi

# The rules of a table, how many sit at it, what its game shows, where a bet is placed.
HANDS = [
    ("joy", 1, made.BlackjackView, "1"),
    ("rng-baccarat", 1, made.BaccaratView, "player"),
    ("rng-roulette", 1, made.RouletteView, "red"),
    ("safe", 2, made.SafeView, None),
    ("holdem", 2, made.PokerView, None),
    ("omaha", 2, made.PokerView, None),
]
PATIENCE = 60
# What ends a hand soonest comes first.
QUIET = ["stand", "check", "call", "show", "muck", "accept", "pass", "fold"]


class Calls:
    """The calls of one holder of a token."""

    def __init__(self, url, token):
        client = made.ApiClient(made.Configuration(host=url, access_token=token))
        self.players, self.rounds, self.tables = PlayersApi(client), RoundsApi(client), TablesApi(client)


def lines_up(text):
    raw = text.encode()
    return len(raw).to_bytes(2, "big") + raw


class Player:
    def __init__(self, url, operator, name):
        token = operator.players.create_player(made.NewPlayer(player=name)).token
        operator.players.credit_player(name, f"credit-{name}", made.Movement(amount=1_000_000))
        self.name, self.calls, self.seeds = name, Calls(url, token), {}

    def commitment(self, view, number):
        """The commitment to a client seed (spec/fairness.md, "Client seed")."""
        seed = self.seeds.setdefault((view.table, number), secrets.token_bytes(32))
        table = lines_up(view.origin) + lines_up(view.table) + bytes.fromhex(view.epoch)
        bound = table + number.to_bytes(8, "big") + lines_up(self.name) + seed
        return hashlib.sha256(b"fairshoe/v1/client-seed\0" + bound).hexdigest()

    def view(self, table):
        return self.calls.tables.get_table(table)

    def sit(self, table):
        view = self.view(table)
        wish = made.SeatWish(buy_in=view.rules.table.stake_min) if view.cash else made.SeatWish()
        check_entries(self.calls.tables.take_seat(table, wish))

    def turn(self, table, spot):
        """One look at the table: whatever is this player's to do is done."""
        view = self.view(table)
        if view.round:
            self.play(view)
        elif view.cash and view.cash.call:
            number = view.cash.call.round_no
            if self.name in view.cash.call.awaited and (table, number) not in self.seeds:
                self.commit(view, number)
        elif view.rules.table.mode == "solo":
            if view.shoe and not self.seeds:
                self.bet(view, view.next_round, spot)
        elif view.window and (table, view.window.round_no) not in self.seeds:
            seat = next(one.seat for one in view.seats if one.player == self.name)
            self.bet(view, view.window.round_no, spot or str(seat))

    def bet(self, view, number, spot):
        placed = made.Bet(spot=spot, stake=view.rules.table.stake_min)
        body = made.BetRequest(round_no=number, bets=[placed], commitment=self.commitment(view, number))
        check_entries(self.calls.rounds.place_bet(view.table, body))

    def commit(self, view, number):
        body = made.Commit(commitment=self.commitment(view, number))
        check_entries(self.calls.rounds.commit_seed(f"{view.table}:{number}", body))

    def reveal(self, table, number):
        body = made.Reveal(player=self.name, seed=self.seeds[table, number].hex())
        check_entries(self.calls.rounds.reveal_seed(f"{table}:{number}", body))

    def play(self, view):
        shown = self.calls.rounds.get_round(view.round).round
        own = next((one for one in shown.contributors if one.player == self.name), None)
        if shown.phase == made.Phase.AWAITING_REVEALS and own and own.seed is None:
            return self.reveal(view.table, shown.round_no)
        if shown.pile:
            return self.shuffle(view, shown.pile)
        decision = next((one for one in shown.decisions if one.player == self.name), None)
        if decision:
            body = made.Act(decision=decision.decision, action=made.Action(choose(decision, shown, self.name)))
            check_entries(self.calls.rounds.act(shown.id, body))

    def shuffle(self, view, pile):
        """A new pile in mid-game."""
        own = next((one for one in pile.players if one.player == self.name), None)
        if own and own.commitment is None:
            self.commit(view, pile.round_no)
        elif own and own.seed is None and pile.awaits == "seeds":
            self.reveal(view.table, pile.round_no)


def choose(decision, shown, name):
    """What is quiet, else what is least."""
    offered = {option.action.value: option for option in decision.options}
    for word in QUIET:
        if word in offered:
            return made.PlainAction(word)
    no = made.InsuranceActionInsurance(take=False)
    if "insurance" in offered:
        return made.InsuranceAction(insurance=no)
    if "even_money" in offered:
        return made.EvenMoneyAction(even_money=no)
    game = shown.game.actual_instance
    if "change" in offered and isinstance(game, made.SafeView):
        hand = next(one for one in game.players if one.player == name).hand
        seen = [card.card for card in hand.cards if card.card] if hand else []
        if seen:
            return made.ChangeAction(change=made.ChangeActionChange(card=seen[0]))
    if "open" in offered:
        return made.OpenAction(open=made.OpenActionOpen())
    if "discard" in offered:
        return made.DiscardAction(discard=made.DiscardActionDiscard())
    if "bet" in offered:
        return made.BetAction(bet=made.BetTo(to=offered["bet"].to[0]))
    if "raise" in offered:
        return made.RaiseAction(var_raise=made.BetTo(to=offered["raise"].to[0]))
    return made.PlainAction.HIT


def check_entries(accepted):
    """Every entry of a reply is read as what it is: its command and its events have their own types."""
    for receipt in accepted.receipts:
        check_entry(receipt.entry)


def check_entry(text):
    entry = made.Entry.from_json(text)
    for one in [entry.command, *entry.events]:
        assert type(one.actual_instance).__module__.startswith("openapi_client.models."), one
    assert json.loads(entry.to_json()) == json.loads(text), f"not the same again: {text}"


def places(value, at=""):
    """Where something stands in a value."""
    if isinstance(value, dict):
        return {at}.union(*(places(one, f"{at}.{name}") for name, one in value.items()))
    if isinstance(value, list):
        return {at}.union(*(places(one, f"{at}[]") for one in value))
    return {at}


def read_vectors(folder):
    """Of the vectors' logs each entry that has something at a place where none before it had."""
    seen, count = set(), 0
    for path in sorted(folder.glob("entries-*.json")):
        vectors = json.loads(path.read_text())
        for text in vectors.get("entries", []):
            found = places(json.loads(text))
            if not found <= seen:
                seen |= found
                check_entry(text)
                count += 1
    assert count > 100, count
    print(f"{count} entries of the vectors are the same again")


def hand(url, operator, rules, count, game, spot):
    players = [Player(url, operator, f"og-{rules}-{number}") for number in range(count)]
    if count == 1:
        # A table for one is that player's own, and has a name that the house gives it.
        table = players[0].calls.tables.open_table(made.NewTable(rules=rules)).table
    else:
        table = f"og-{rules}"
        operator.tables.open_table(made.NewTable(table=table, rules=rules))
        for player in players:
            player.sit(table)
    first, rounds = players[0].view(table).next_round, players[0].calls.rounds
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for player in players:
            player.turn(table, spot)
        try:
            read = rounds.get_round(f"{table}:{first}")
        except made.ApiException as problem:
            # It has not begun.
            assert problem.data.code == made.ErrorCode.UNKNOWN_ROUND, problem
            continue
        if read.round.phase in (made.Phase.SETTLED, made.Phase.VOIDED):
            shown = read.round
            assert shown.phase == made.Phase.SETTLED and isinstance(shown.game.actual_instance, game), shown
            try:
                rounds.act(shown.id, made.Act(decision=999, action=made.Action(made.PlainAction.STAND)))
                raise SystemExit(f"{rules}: a decision of a round that is over was accepted")
            except made.ApiException as problem:
                assert problem.data.code == made.ErrorCode.WRONG_ROUND, problem
            print(f"{rules}: settled, {shown.staked} staked, {shown.returned} returned; {len(read.openings)} openings")
            return
        time.sleep(0.02)
    raise SystemExit(f"{rules}: not settled in {PATIENCE} seconds")


def main():
    url, token, vectors = sys.argv[1:]
    read_vectors(Path(vectors))
    operator = Calls(url, token)
    for rules, count, game, spot in HANDS:
        hand(url, operator, rules, count, game, spot)


if __name__ == "__main__":
    main()
