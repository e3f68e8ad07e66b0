"""Commands of players with a key: each is spelled as it stands in the entries of the vectors, and a running service
takes it."""

from __future__ import annotations

import functools
import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from conftest import vectors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from house import House

import fairshoe
from fairshoe import BadInput, Client
from fairshoe.core import Call
from fairshoe.stream import Streams
from fairshoe.tournament_calls import seat_commitment

EPOCH = "ab" * 32
FILES = ["player-keys", "entries-cash", "entries-limits", "entries-poker", "entries-seats", "entries-shared"]
FILES += ["entries-transfers", "entries-tournament", "entries-wallet"]


def commands(name: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Each command of a player in a file of vectors: who gave it, its text as it stands in the entry, and its value."""
    found = []
    for text in vectors(f"{name}.json")["entries"]:
        entry = json.loads(text)
        if entry["by"].startswith("player:") and "transfer_in" not in entry["command"]:
            spelled = json.dumps(entry["command"], separators=(",", ":"))
            assert f'"command":{spelled},"' in text
            found.append((entry["by"].removeprefix("player:"), spelled, entry["command"]))
    return found


def at_round(fields: dict[str, Any]) -> str:
    return f"{fields['table']}:{fields['round_no']}"


def rest(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


CALLS: dict[str, Callable[..., Any]] = {
    "issue_token": lambda of, it: of.issue_token(it["holder"].removeprefix("player:"), revoke=it["revoke"]),
    "set_limit": lambda of, it: of.set_limit(**it),
    "exclude": lambda of, it: of.exclude(**it),
    "set_key": lambda of, it: of.set_key(**it),
    "transfer_out": lambda of, it: of.send_transfer(it["player"], it["to"], it["amount"]),
    "wallet_deposit": lambda of, it: of.deposit_from_wallet(it["player"], it["amount"]),
    "wallet_withdraw": lambda of, it: of.withdraw_to_wallet(it["player"], it["amount"]),
    "wallet_cancel": lambda of, it: of.cancel_deposit(it["no"]),
    "open_table": lambda of, it: of.open_table(it["rules"]["name"], table=it["table"], replaces=it.get("replaces")),
    "close_table": lambda of, it: of.close_table(**it),
    "take_seat": lambda of, it: of.take_seat(**it),
    "ask_to_play": lambda of, it: of.take_seat(**it),
    "sit_down": lambda of, it: of.take_seat(**it),
    "sit_in": lambda of, it: of.take_seat(**it),
    "sit_out": lambda of, it: of.sit_out(**it),
    "add_chips": lambda of, it: of.add_chips(it["table"], it["amount"]),
    "want_seat": lambda of, it: of.want_seat(**it),
    "leave_seat": lambda of, it: of.leave_seat(**it),
    "bet": lambda of, it: of.place_bet(**it, epoch=EPOCH),
    "cancel_bet": lambda of, it: of.cancel_bet(**it),
    "withdraw_hand_seed": lambda of, it: of.cancel_bet(**it),
    "commit_seed": lambda of, it: of.commit_seed(at_round(it), it["commitment"], EPOCH, for_hand=False),
    "commit_hand_seed": lambda of, it: of.commit_seed(at_round(it), it["commitment"], EPOCH),
    "reveal": lambda of, it: of.reveal_seed(at_round(it), **rest(it, "table", "round_no")),
    "late_seed": lambda of, it: of.hand_in_late_seed(at_round(it), it["player"], it["seed"]),
    "act": lambda of, it: of.act(at_round(it), it["decision"], it["action"]),
    "register": lambda of, it: of.register(it["event"], it["commitment"], it["pay"]),
    "unregister": lambda of, it: of.unregister(it["event"]),
    "rebuy": lambda of, it: of.rebuy(it["event"]),
    "offer_stake": lambda of, it: of.offer_stake(it["event"], it["basis_points"]),
    "buy_stake": lambda of, it: of.buy_stake(it["event"], it["seller"], it["basis_points"]),
    "reveal_seat_seed": lambda of, it: of.reveal_seat_seed(it["event"], **rest(it, "event")),
}
AT_CASH = frozenset({"sit_in", "withdraw_hand_seed"})


class Made(Exception):
    """The call that would be sent."""

    def __init__(self, call: Call) -> None:
        self.call = call


class Flows(Streams):
    """Flows that end with the call that they would send."""

    word, rules = "", None

    def act_on(self, call: Call) -> Any:
        raise Made(call)
        yield

    def get_rule_set(self, rules: str) -> Any:
        return {"rules": self.rules}
        yield

    def get_table(self, table: str) -> Any:
        return {"rules": {"game": {"poker" if self.word in AT_CASH else "joy": {}}}}
        yield

    def prove_draw(self, tournament: str, draw_no: int, entry_no: int) -> Any:
        return None
        yield


def spelled(player: str, word: str, flow: Callable[[Flows], Any], rules: Any = None) -> str:
    flows = Flows("http://a.example", player=player, token="0" * 64, signing_key=bytes(32))
    flows.word, flows.rules = word, rules
    with pytest.raises(Made) as made:
        next(flow(flows))
    return json.dumps(made.value.call.command, separators=(",", ":"))


@pytest.mark.parametrize("name", FILES)
def test_every_command_of_the_vectors_is_spelled_as_in_its_entry(name: str) -> None:
    listed = commands(name)
    assert listed
    for player, text, command in listed:
        ((word, fields),) = command.items()
        if word == "tournament":
            ((word, fields),) = fields.items()
        if word == "withdraw":
            continue  # The operator's call: `test_chips_out_are_signed_by_the_player`.
        make = functools.partial(CALLS[word], it=fields)
        assert spelled(player, word, make, fields.get("rules")) == text


@pytest.mark.parametrize(
    ("flow", "text"),
    [
        (lambda of: of.decline_rebuy("e", 3), '"decline_rebuy":{"event":"e","entry_no":3}'),
        (lambda of: of.add_on("e"), '"add_on":{"event":"e"}'),
        (lambda of: of.want_deal("e", False), '"want_deal":{"event":"e","want":false}'),
        (
            lambda of: of.propose_deal("e", "amounts", [[0, 5]]),
            '"propose_deal":{"event":"e","method":"amounts","amounts":[[0,5]]}',
        ),
        (
            lambda of: of.answer_deal("e", EPOCH, True),
            f'"answer_deal":{{"event":"e","digest":"{EPOCH}","accept":true}}',
        ),
    ],
)
def test_the_commands_of_which_the_vectors_have_none(flow: Any, text: str) -> None:
    assert spelled("alice", "", flow) == f'{{"tournament":{{{text}}}}}'
    taken = spelled("alice", "withdraw_hand_seed", lambda of: of.cancel_bet("holdem-1", 2))
    assert taken == '{"withdraw_hand_seed":{"table":"holdem-1","round_no":2}}'


class Signer:
    """A player with a key and chips at a running service."""

    def __init__(self, house: House, chips: int = 100_000) -> None:
        pen = Ed25519PrivateKey.generate()
        self.name, self.secret = f"k-{uuid.uuid4().hex[:12]}", pen.private_bytes_raw()
        with Client(house.address, token=house.operator, log_key=house.key) as operator:
            self.token = operator.create_player(self.name, key=pen.public_key().public_bytes_raw().hex())["token"]
            operator.credit_player(self.name, chips)
        self.client = Client(
            house.address, token=self.token, player=self.name, log_key=house.key, signing_key=self.secret
        )


def test_chips_out_are_signed_by_the_player(house: House) -> None:
    signer = Signer(house)
    with signer.client as client, Client(house.address, token=house.operator, log_key=house.key) as operator:
        with pytest.raises(fairshoe.Forbidden) as refusal:
            operator.withdraw_chips(signer.name, 100)
        assert refusal.value.code == "signature_missing"
        signature = client.sign_withdrawal(100, "desk 4")
        reply = operator.withdraw_chips(signer.name, 100, "desk 4", signature=signature)
        assert json.loads(reply["receipts"][0]["entry"])["by"] == f"player:{signer.name}"
        with pytest.raises(BadInput):
            operator.sign_withdrawal(100)
    both = Client(house.address, token=house.operator, player=signer.name, log_key=house.key, signing_key=signer.secret)
    with both:
        both.withdraw_chips(signer.name, 50)
        assert both.get_player(signer.name)["balance"] == 100_000 - 150


def test_a_player_with_a_key_enters_a_tournament(house: House) -> None:
    signer, event = Signer(house), f"cup-{uuid.uuid4().hex[:8]}"
    with signer.client as client, Client(house.address, token=house.operator, log_key=house.key) as operator:
        operator.create_tournament(event, "heads-up", int(time.time() * 1000) + 3_600_000)
        view = client.get_tournament(event)
        assert view["own"] is not None
        commitment = seat_commitment(view["origin"], event, view["epoch"], 0, signer.name, bytes(32)).hex()
        client.register(event, commitment)
        client.unregister(event)
        operator.cancel_tournament(event, "over")


def test_a_player_with_a_key_sits_at_poker(house: House) -> None:
    """At a cash table the same calls make other commands."""
    signer = Signer(house)
    with signer.client as client, Client(house.address, token=house.operator, log_key=house.key) as operator:
        table = operator.open_table("holdem", table=f"k-{uuid.uuid4().hex[:8]}")["table"]
        assert client.sit(table, buy_in=10_000) is not None
        client.sit_out(table)
        client.take_seat(table)
        assert client.sit(table, buy_in=10_000) is None
        client.leave(table)
