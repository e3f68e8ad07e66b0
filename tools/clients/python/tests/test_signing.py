"""Commands of players with a key: each is spelled as it stands in the entries of the vectors, and a running service
takes it."""

from __future__ import annotations

import inspect
import json
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PACKAGE, vectors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from house import House

import fairshoe
from fairshoe import BadInput, Client
from fairshoe.core import Call
from fairshoe.stream import Streams
from fairshoe.tournament_calls import seat_commitment

EPOCH = "ab" * 32
COMMANDS: dict[str, Any] = json.loads((PACKAGE.parent / "cases/commands.json").read_text())
FILES = ["player-keys", *(f"entries-{name}" for name in COMMANDS["files"].split())]


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


def call_of(call: str, fields: dict[str, Any], word: str = "") -> Callable[[Any], Any]:
    """The flow that makes a command of these fields."""
    it, name = dict(fields), re.sub(r"([A-Z])", r"_\1", call).lower()
    for theirs, mine in (("event", "tournament"), ("id", "round")):
        if theirs in it:
            it[mine] = it.pop(theirs)
    if "holder" in it:
        it["player"] = it.pop("holder").removeprefix("player:")
    if "rules" in it:
        it["rules"] = it["rules"]["name"]
    takes = inspect.signature(getattr(Streams, name)).parameters
    if "round" in takes:
        it["round"] = f"{it.pop('table')}:{it.pop('round_no')}"
    if "epoch" in takes:
        it["epoch"] = EPOCH
    if word == "commit_seed":
        it["for_hand"] = False
    return lambda of: getattr(of, name)(**it)


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
        return {"rules": {"game": {"poker" if self.word in COMMANDS["at_cash"] else "joy": {}}}}
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
        make = call_of(COMMANDS["calls"][word], fields, word)
        assert spelled(player, word, make, fields.get("rules")) == text


@pytest.mark.parametrize(("call", "args", "text"), COMMANDS["cases"])
def test_the_commands_of_which_the_vectors_have_none(call: str, args: Any, text: str) -> None:
    word = "withdraw_hand_seed" if call == "cancelBet" else ""
    assert spelled("alice", word, call_of(call, args)) == text


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
