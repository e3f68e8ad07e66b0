"""Calls of operators, auditors and tournaments at a running service: each entry is of the command that was asked."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest
from house import House

import fairshoe
from fairshoe import Client, Conflict
from fairshoe.tournament_calls import seat_commitment


def fresh(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def operator(house: House) -> Any:
    with Client(house.address, token=house.operator, log_key=house.key) as client:
        yield client


def new_player(house: House) -> Client:
    name, token = house.new_player(100_000)
    return Client(house.address, token=token, player=name, log_key=house.key)


def test_chips_keys_and_tokens(house: House, operator: Client) -> None:
    with new_player(house) as player:
        name = str(player.player)
        operator.withdraw_chips(name, 100, "paid out")
        operator.correct_player(name, 50, "case 17")
        # A sentence of 200 characters of printable ASCII; the entry is read in its one spelling all the same.
        sentence = 'He said: "it\'s a \\ in <the> log"; 50% of 100, see case #17 & 18 ~ @desk (4)'.ljust(200, "!")
        reply = operator.correct_player(name, 1, sentence)
        assert json.loads(reply["receipts"][0]["entry"])["command"]["correct"]["reason"] == sentence
        operator.credit_player(name, 3, sentence)
        for refused in (sentence + "!", "", "caf\u00e9", "two\nlines"):
            with pytest.raises(fairshoe.Invalid):
                operator.correct_player(name, 1, refused)
        operator.withdraw_chips(name, 2, sentence)
        assert player.get_player(name)["balance"] == 100_000 - 150
        key = "bc7cbcb5636375fa1d82434d466724d92377f53b980695dd49d26d0ce12205a5"
        operator.set_key(name, key, "lost the old one")
        assert player.get_player(name).get("key_waits")
        assert operator.issue_token(name, revoke=True)["token"]
        with pytest.raises(fairshoe.Unauthorized):
            player.get_player(name)
        again = operator.credit_player(name, 7, idempotency_key="only-once-" + name)
        assert (
            operator.credit_player(name, 7, idempotency_key="only-once-" + name)["receipts"][0]["index"]
            == (again["receipts"][0]["index"])
        )
        with pytest.raises(Conflict) as refusal:
            operator.credit_player(name, 8, idempotency_key="only-once-" + name)
        assert refusal.value.code == "idempotency_key_reused"
        assert operator.get_player(name)["balance"] == 100_000 - 150 + 7


def test_a_ticket_makes_a_player_of_a_client(house: House, operator: Client) -> None:
    with new_player(house) as player, Client(house.address, log_key=house.key) as browser:
        ticket = operator.issue_ticket(str(player.player), seconds=60)
        assert ticket["ticket"] not in repr(ticket)
        reply = browser.exchange_ticket(ticket["ticket"])
        assert (browser.player, reply["player"]) == (player.player, player.player)
        assert browser.get_player(str(player.player))["balance"] == 100_000
        with pytest.raises(fairshoe.Forbidden) as refusal:
            browser.exchange_ticket(ticket["ticket"])
        assert refusal.value.code == "ticket_refused"


def test_a_table_of_the_operators(house: House, operator: Client) -> None:
    table = operator.open_table("six-deck", table=fresh("t"), options={"house_shuffle": True})["table"]
    with new_player(house) as player, new_player(house) as other:
        other.take_seat(table, 3)  # Expected, and silent: the window stays open.
        player.take_seat(table, 2)
        window = None
        while window is None:
            window = player.get_table(table)["window"]
        epoch = player.get_table(table)["epoch"]
        player.place_bet(table, window["round_no"], [{"spot": "2", "stake": 100}], "ab" * 32, epoch)
        player.cancel_bet(table, window["round_no"])
        operator.shuffle(table, "worn cards")
        operator.close_bets(table, window["round_no"])
        operator.unseat(table, 2, "left the room")
        assert [one["seat"] for one in player.get_table(table)["seats"]] == [3]
    operator.close_table(table)
    with pytest.raises(fairshoe.NotFound):
        operator.get_table(table)


def test_a_round_that_the_operator_voids(house: House, operator: Client) -> None:
    with new_player(house) as player:
        table = player.open_table("joy-own", table=fresh("own"))["table"]

        def stop(decision: Any, situation: Any) -> Any:
            raise KeyboardInterrupt

        while True:
            try:
                played = player.play_round(table, [{"spot": "1", "stake": 10}], stop)
            except KeyboardInterrupt:
                break
            assert played["phase"] == "settled"
        number = player.get_table(table)["next_round"] - 1
        operator.void_round(f"{table}:{number}", "power supply")
        voided = player.play_round(table, [{"spot": "1", "stake": 10}])
        assert voided["round"] != f"{table}:{number}" or voided["phase"] == "voided"
        checked = player.verify_round(f"{table}:{number}")
        assert (checked["phase"], checked["cause"], checked["is_complete"]) == ("voided", "malfunction", True)
        assert checked["players"][0]["staked"] == checked["players"][0]["returned"]


def test_transfers_and_the_wallet(house: House, operator: Client) -> None:
    log = f"other.example/{fresh('log')}+df1c0a35+"
    with pytest.raises(fairshoe.ApiError):
        operator.know_log(log, "log nonsense\nquorum none\n")
    with new_player(house) as player:
        name = str(player.player)
        with pytest.raises(fairshoe.ApiError) as refusal:
            player.send_transfer(name, "nowhere.example/log", 5)
        assert refusal.value.code == "unknown_log"
        with pytest.raises(Conflict) as refusal:
            player.deposit_from_wallet(name, 5)
        assert refusal.value.code == "no_wallet"
        with pytest.raises(Conflict) as refusal:
            player.withdraw_to_wallet(name, 5)
        assert refusal.value.code == "no_wallet"
        assert player.get_player_wallet(name)["style"] is None


def test_an_auditor_gets_a_sealed_shoe(house: House, operator: Client) -> None:
    token = operator.create_auditor(fresh("a"))["token"]
    with Client(house.address, token=token, log_key=house.key) as auditor, pytest.raises(Conflict) as refusal:
        auditor.disclose_shoe("holdem-1", 99_999, "a complaint")
    assert refusal.value.code == "shoe_not_sealed"


def test_a_tournament_before_it_begins(house: House, operator: Client) -> None:
    name = fresh("cup")
    start = int(time.time() * 1000) + 3_600_000
    structure = operator.list_structures()[0]
    operator.create_tournament(name, "heads-up", start)
    view = operator.get_tournament(name)
    assert view["structure"]["name"] == "heads-up" and structure["digest"]
    with new_player(house) as player:
        me, seed = str(player.player), bytes(range(32))
        own = player.get_tournament(name)["own"]
        assert own is not None
        commitment = seat_commitment(view["origin"], name, view["epoch"], own["next_use"], me, seed).hex()
        player.register(name, commitment)
        entries = player.list_tournament_entries(name)["entries"]
        assert any(commitment in item["entry"] for item in entries)
        assert player.list_standings(name)["entries"][0]["player"] == me
        assert player.list_tournament_tables(name)["tables"] == []
        player.unregister(name)
        player.register(name, commitment)
        with pytest.raises(fairshoe.Unproven, match="the seed stays"):
            player.reveal_seat_seed(name, 0, 0, seed.hex())
        operator.postpone(name, start + 60_000, "the room is full")
        with pytest.raises(fairshoe.Forbidden, match="while the event is played"):
            operator.disqualify(name, me, "two accounts")
    operator.cancel_tournament(name, "too few players")
    assert operator.get_tournament(name)["summary"]["stage"] in ("cancelled", "ended")
