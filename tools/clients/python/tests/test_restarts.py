"""Starts of the dealer at the worst moments, and somebody between who tells a wrong epoch, at a running service."""

from __future__ import annotations

import asyncio
import json
import pathlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from house import House, Passing, Proxy
from test_sending import problem
from test_service import STAKE, guest, new_joy_table

import fairshoe
from fairshoe import AsyncClient, Client, Conflict, NoAnswer, PlayedRound
from fairshoe.fairness import client_commitment, table_context
from fairshoe.play import MOST_WRONG_EPOCHS

MakeProxy = Callable[..., Proxy]
BETS: list[fairshoe.Bet] = [{"spot": "1", "stake": STAKE}]


class Before:
    """Does something once, before the first request of a kind goes out, and keeps the bodies of all of them."""

    def __init__(self, end: str, act: Callable[[], None]) -> None:
        self._end, self._act = end, act
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> None:
        if request.method == "POST" and request.url.path.endswith(self._end):
            if not self.bodies:
                self._act()
            self.bodies.append(json.loads(request.content))

    def http(self) -> httpx.Client:
        return httpx.Client(event_hooks={"request": [self]})


@pytest.mark.parametrize(("table", "spot"), [("own", "1"), ("play.six-deck-1", "1"), ("play.roulette-1", "even")])
def test_the_dealer_is_started_anew_between_the_commitment_and_the_bet(own: House, table: str, spot: str) -> None:
    """Without `epoch` in the bet it was taken, and its seed opened nothing."""
    before = Before("/bets", lambda: own.kill())
    with guest(own, http=before.http()) as client:
        at = new_joy_table(client) if table == "own" else table
        played = client.play_round(at, [{"spot": spot, "stake": STAKE}])
        assert played["phase"] == "settled" and client.verify_round(played["round"])["round"] == played["round"]
    epochs = [body["epoch"] for body in before.bodies]
    assert len(set(epochs)) == 2 and len({body["commitment"] for body in before.bodies}) == 2
    assert client._store._state["seeds"] == []


def test_several_starts_while_nobody_looked_convict_no_house(own: House) -> None:
    """The story: the shoe between two starts was held against the epoch of the last one, and its seed opened
    nothing under that."""
    with guest(own) as client:
        tables = [(new_joy_table(client), "1"), ("play.six-deck-1", "1")]
        for table, spot in tables:
            client.play_round(table, [{"spot": spot, "stake": STAKE}])
        for _ in range(3):
            own.kill()
        for table, spot in tables:
            played = client.play_round(table, [{"spot": spot, "stake": STAKE}])
            assert played["phase"] == "settled"


def test_a_bet_that_was_taken_before_a_start_is_played_on(own: House, tmp_path: pathlib.Path) -> None:
    """Its answer was lost, and the bot killed. The later run finds it by the log, under the epoch of before."""
    store = tmp_path / "bot.json"
    with guest(own, store=store) as client:
        table = new_joy_table(client)

    def lose(passing: Passing) -> None:
        passing.is_lost = passing.path.endswith("/bets")

    between = Proxy(own.address, lose)
    try:
        options: Any = {"store": store, "token": token_of(store), "player": player_of(store), "patience": 0.0}
        with Client(between.address, log_key=own.key, **options) as bot:
            with pytest.raises(NoAnswer):
                bot.play_round(table, BETS)
    finally:
        between.close()
    bound = json.loads(store.read_text())["seeds"][0]["for"][2]
    own.kill()
    with Client(own.address, log_key=own.key, store=store) as bot:
        assert bot.get_log()["epoch"] != bound
        played = bot.play_round(table, BETS)
        assert played["is_resumed"] and played["phase"] == "settled" and played["round"] == f"{table}:0"
        assert bot.verify_round(played["round"])["is_complete"]
    assert json.loads(store.read_text())["seeds"] == []


def token_of(store: pathlib.Path) -> str:
    (kept,) = json.loads(store.read_text())["players"].values()
    return str(kept["token"])


def player_of(store: pathlib.Path) -> str:
    (kept,) = json.loads(store.read_text())["players"].values()
    return str(kept["player"])


def test_a_repeat_after_a_start_gets_its_own_entry(own: House) -> None:
    """The service looks for the repeat before it looks at the epoch."""
    with guest(own) as client:
        table = new_joy_table(client)
        view = client.get_table(table)
        context = table_context(view["origin"], table, view["epoch"])
        commitment = client_commitment(context, 0, str(client.player), bytes(32)).hex()
        first = client.place_bet(table, 0, BETS, commitment, view["epoch"])
        own.kill()
        again = client.place_bet(table, 0, BETS, commitment, view["epoch"])
        assert again["receipts"][0]["index"] == first["receipts"][0]["index"]
        with pytest.raises(Conflict) as refusal:
            client.place_bet(table, 1, BETS, commitment, view["epoch"])
        assert refusal.value.code in ("wrong_epoch", "wrong_round", "round_in_progress")


def test_an_epoch_that_was_told_wrong_once(house: House, proxy: MakeProxy) -> None:
    told: list[str] = []

    def rule(passing: Passing) -> None:
        if passing.method == "GET" and passing.path.startswith("/v1/tables/play.guest") and "?" not in passing.path:
            reply = json.loads(passing.body)
            if "rules" in reply and not told:
                told.append(reply["epoch"])
                passing.body = json.dumps({**reply, "epoch": "ee" * 32}).encode()

    # Their key is in the first client's memory alone.
    with guest(house, signing_key=None) as client:
        table = new_joy_table(client)
        token = client._flows._token
        player = client.player
    before = Before("/bets", lambda: None)
    between = proxy(rule)
    with Client(between.address, log_key=house.key, token=token, player=player, http=before.http()) as client:
        assert client.play_round(table, BETS)["phase"] == "settled"
    assert [body["epoch"] for body in before.bodies] == ["ee" * 32, told[0]]


class Refusing(httpx.AsyncHTTPTransport):
    """Stands before a house and refuses every commitment for its epoch, without passing it on."""

    refused = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path.endswith("/commitments"):
            self.refused += 1
            return problem(409, "wrong_epoch")
        return await super().handle_async_request(request)


def test_a_hand_for_which_the_epoch_is_refused_for_ever(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairshoe.play.LONGEST_WAIT", 0.3)
    between = Refusing()

    async def play(http: httpx.AsyncClient) -> PlayedRound:
        async with AsyncClient(house.address, log_key=house.key, http=http) as client:
            await client.admit_guest()
            try:
                return await client.play_hand("play.omaha-1", buy_in=20_000, wait=60)
            finally:
                await client.leave_seat("play.omaha-1")

    async def both() -> None:
        honest = asyncio.ensure_future(play(httpx.AsyncClient()))
        try:
            with pytest.raises(Conflict) as refusal:
                await play(httpx.AsyncClient(transport=between))
            assert refusal.value.code == "wrong_epoch"
        finally:
            honest.cancel()
            await asyncio.gather(honest, return_exceptions=True)

    asyncio.run(both())
    assert between.refused == MOST_WRONG_EPOCHS


def test_the_dry_run_of_a_running_service_agrees(house: House) -> None:
    with guest(house) as client:
        for table in (new_joy_table(client), "play.safe-1", "play.holdem-1"):
            found = client.try_commitment(table, 7)
            assert found["epoch"] == client.get_table(table)["epoch"] == client.get_log()["epoch"]
            assert client.try_commitment(table, player="somebody-else")["player"] == "somebody-else"
        with pytest.raises(fairshoe.NotFound):
            client.try_commitment("no-such-table")
    with Client(house.address, log_key=house.key) as stranger:
        assert stranger.try_commitment("play.joy-1", player="alice")["table"] == "play.joy-1"
