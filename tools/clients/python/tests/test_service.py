"""The client against a running service: every game of the house, lost answers, leaders, kills, wrong inputs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import re
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from house import House, Passing, Proxy

import fairshoe
from fairshoe import (
    AsyncClient,
    BadInput,
    Client,
    Conflict,
    Decision,
    Invalid,
    NoAnswer,
    NotFound,
    PlayedRound,
    Situation,
)

MakeProxy = Callable[..., Proxy]
STAKE = 100
HOUSE_TABLES = [
    ("play.joy-1", "1"),
    ("play.live-blackjack-1", "1"),
    ("play.six-deck-1", "1"),
    ("play.study-group-1", "1"),
    ("play.baccarat-1", "banker"),
    ("play.roulette-1", "straight:17"),
]


def guest(house: House, **options: Any) -> Client:
    client = Client(house.address, log_key=house.key, **options)
    if client.player is None:
        client.admit_guest()
    return client


def new_joy_table(client: Client) -> str:
    """A solo table of the client's own, where nobody else holds a round up."""
    return client.open_table("joy-own", table=f"play.{client.player}.t{uuid.uuid4().hex[:8]}")["table"]


def net(played: PlayedRound) -> int:
    return played["returned"] - played["staked"]


@pytest.mark.parametrize(("table", "spot"), HOUSE_TABLES, ids=[table for table, _ in HOUSE_TABLES])
def test_a_round_of_each_house_game(house: House, table: str, spot: str) -> None:
    with guest(house) as client:
        before = client.get_player(str(client.player))["balance"]
        played = client.play_round(table, [{"spot": spot, "stake": STAKE}])
        after = client.get_player(str(client.player))["balance"]
        assert played["phase"] == "settled" and played["staked"] >= STAKE and played["faces"]
        assert (after, played["balance"]) == (before + net(played), after)
        checked = client.verify_round(played["round"])
        assert checked["faces"] == played["faces"] and checked["key_was_given"]
        assert checked["is_complete"] is (client.get_table(table)["rules"]["table"]["reshuffle"] == "every_round")
        if client.get_table(table)["seats"]:
            client.leave_seat(table)


def call_or_check(decision: Decision, situation: Situation) -> fairshoe.Action:
    offered = [option["action"] for option in decision["options"]]
    return next((word for word in ("check", "call", "show") if word in offered), "fold")


@pytest.mark.parametrize("table", ["play.holdem-1", "play.omaha-1"])
def test_a_hand_of_poker(house: House, table: str) -> None:
    hole: dict[str, list[str]] = {}

    def choose(decision: Decision, situation: Situation) -> fairshoe.Action:
        hole[situation["player"]] = situation["own"]
        return call_or_check(decision, situation)

    async def play() -> PlayedRound:
        async with AsyncClient(house.address, log_key=house.key) as client:
            await client.admit_guest()
            played = await client.play_hand(table, choose, buy_in=20_000)
            checked = await client.verify_round(played["round"])
            assert checked["is_complete"] and checked["faces"] == played["faces"]
            await client.leave_seat(table)
            return played

    async def both() -> list[PlayedRound]:
        return list(await asyncio.gather(play(), play()))

    first, second = asyncio.run(both())
    assert first["round"] == second["round"] and first["phase"] == "settled"
    assert first["staked"] == second["staked"] > 0
    cards = [card for own in hole.values() for card in own]
    assert len(hole) == 2 and len(set(cards)) == len(cards) == (4 if "holdem" in table else 8)


def test_a_player_who_was_made_to_sit_out_comes_back(house: House) -> None:
    """With one player who is ready no hand is called: who waits for a call to learn of it waits for ever."""

    async def play(is_first: bool) -> PlayedRound:
        async with AsyncClient(house.address, log_key=house.key) as client:
            await client.admit_guest()
            await asyncio.sleep(0.0 if is_first else 3.0)
            playing = asyncio.ensure_future(client.play_hand("play.omaha-1", call_or_check, buy_in=20_000, wait=60))
            if is_first:
                await asyncio.sleep(1.5)
                await client.sit_out("play.omaha-1")
            played = await playing
            await client.leave_seat("play.omaha-1")
            return played

    async def both() -> list[PlayedRound]:
        return list(await asyncio.gather(play(True), play(False)))

    first, second = asyncio.run(both())
    assert first["round"] == second["round"]


def test_a_game_of_safe(house: House) -> None:
    """Face-down hands and, by chance of the cards, new piles in mid-game with commitments and seeds of their own."""

    def hide(decision: Decision, situation: Situation) -> fairshoe.Action:
        offered = [option["action"] for option in decision["options"]]
        return next((word for word in ("face_down", "hit") if word in offered), fairshoe.cautious(decision, situation))

    async def play_all() -> list[PlayedRound]:
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(AsyncClient(house.address, log_key=house.key)) for _ in "123"]
            for seat, client in enumerate(clients, start=1):
                await client.admit_guest()
                await client.take_seat("play.safe-1", seat)
            played = await asyncio.gather(
                *(
                    client.play_round("play.safe-1", [{"spot": str(seat), "stake": STAKE}], hide)
                    for seat, client in enumerate(clients, start=1)
                )
            )
            for client in clients:
                assert (await client.verify_round(played[0]["round"]))["is_complete"]
                await client.leave_seat("play.safe-1")
            return list(played)

    rounds = asyncio.run(play_all())
    assert len({played["round"] for played in rounds}) == 1
    assert sum(played["returned"] for played in rounds) == 3 * STAKE


# --- Lost answers, leaders, kills -----------------------------------------------------------------


def test_lost_answers_are_repeated_and_work_is_done_once(house: House, proxy: MakeProxy) -> None:
    lost: list[str] = []

    def swallow_first(passing: Passing) -> None:
        what = re.sub(r"\d+|guest\S*?(?=[/:])", "", passing.path)
        if passing.method == "POST" and "guests" not in passing.path and what not in lost:
            lost.append(what)
            passing.is_lost = True

    between = proxy(swallow_first)
    with Client(between.address, log_key=house.key) as client:
        client.admit_guest()
        table = new_joy_table(client)
        before = client.get_player(str(client.player))["balance"]
        played = client.play_round(table, [{"spot": "1", "stake": STAKE}])
        assert client.get_player(str(client.player))["balance"] == before + net(played)
        assert client.list_table_rounds(table)["rounds"][0]["id"] == played["round"]
        assert len(client.list_table_rounds(table)["rounds"]) == 1
    assert len(lost) >= 4, lost
    with Client(between.address, token=house.operator, log_key=house.key) as operator:
        name = f"p-{uuid.uuid4().hex[:12]}"
        created = operator.create_player(name)
        operator.credit_player(name, 500)
        assert operator.get_player(name)["balance"] == 500
        with Client(house.address, token=created["token"], player=name, log_key=house.key) as player:
            assert player.get_player(name)["balance"] == 500
    assert any("credit" in what for what in lost) and any(what.endswith("/players") for what in lost)


def hold_reveals_back(request: httpx.Request) -> None:
    if request.url.path.endswith("/reveals"):
        raise httpx.ConnectError("held back")


def test_a_killed_bot_goes_on_with_its_store(house: House, tmp_path: pathlib.Path) -> None:
    """Killed between bet and reveal, then in the middle of a hand."""
    store = tmp_path / "bot.json"
    bets: list[fairshoe.Bet] = [{"spot": "1", "stake": STAKE}]
    with guest(house, store=store) as client:
        table = new_joy_table(client)
        player = client.player
    http = httpx.Client(event_hooks={"request": [hold_reveals_back]})
    with Client(house.address, log_key=house.key, store=store, patience=1.0, http=http) as client:
        with pytest.raises(NoAnswer):
            client.play_round(table, bets)
    assert len(json.loads(store.read_text())["seeds"]) == 1 and store.stat().st_mode & 0o077 == 0

    def die(decision: Decision, situation: Situation) -> fairshoe.Action:
        raise KeyboardInterrupt

    with Client(house.address, log_key=house.key, store=store) as client, pytest.raises(KeyboardInterrupt):
        client.play_round(table, bets, die)
    with Client(house.address, log_key=house.key, store=store) as client:
        assert client.player == player
        played = client.play_round(table, bets)
        assert played["is_resumed"] and played["phase"] == "settled" and played["round"] == f"{table}:0"
        assert json.loads(store.read_text())["seeds"] == []
        assert not client.play_round(table, bets)["is_resumed"]


def test_two_programs_do_not_share_a_store(tmp_path: pathlib.Path, house: House) -> None:
    with guest(house, store=tmp_path / "bot.json"), pytest.raises(fairshoe.StoreError, match="another program"):
        Client(house.address, store=tmp_path / "bot.json")


def test_a_round_goes_on_over_a_killed_service(own: House) -> None:
    """kill -9 in the middle of a hand; the service starts again under another epoch, and the hand is resumed."""
    killed: list[int] = []

    def kill_once(decision: Decision, situation: Situation) -> fairshoe.Action:
        if not killed:
            killed.append(decision["decision"])
            own.kill()
        return fairshoe.cautious(decision, situation)

    with guest(own) as client:
        table = new_joy_table(client)
        while not killed:
            played = client.play_round(table, [{"spot": "1", "stake": STAKE}], kill_once)
        assert played["phase"] == "settled"
        assert client.verify_round(played["round"])["is_complete"]
        later = client.play_round(table, [{"spot": "1", "stake": STAKE}])
        assert client.verify_round(later["round"])["is_complete"]


def test_a_log_put_back_from_an_old_copy_is_refused(own: House, tmp_path: pathlib.Path) -> None:
    """receipts.md, "Keeping a checkpoint": yesterday's folder goes on as if the day had not been."""
    store = tmp_path / "bot.json"
    with guest(own, store=store) as client:
        table = new_joy_table(client)
        own.stop()
        own.copy_to(tmp_path / "copy")
        own.start()
        for _ in range(3):
            client.play_round(table, [{"spot": "1", "stake": STAKE}])
        kept = client.checkpoint
    assert kept is not None
    own.stop()
    own.put_back(tmp_path / "copy")
    own.start()
    with Client(own.address, log_key=own.key, store=store) as client:
        # Until the log is as long again nothing signed shows which of the two was put back.
        with pytest.raises(fairshoe.Unproven):
            client.play_round(table, [{"spot": "1", "stake": STAKE}])
        assert client.checkpoint == kept
        with Client(own.address, log_key=own.key) as other:
            other.admit_guest()
            elsewhere = new_joy_table(other)
            for _ in range(9):
                other.play_round(elsewhere, [{"spot": "1", "stake": STAKE}])
        with pytest.raises(fairshoe.AnotherLog) as caught:
            client.play_round(table, [{"spot": "1", "stake": STAKE}])
        assert caught.value.kept_checkpoint == kept.note and caught.value.shown_checkpoint != kept.note
        assert client.checkpoint == kept


# --- Players, operators, streams ------------------------------------------------------------------


def test_a_stream_of_a_table(house: House, proxy: MakeProxy) -> None:
    """Every entry once and proven, over a connection that is cut after each read."""
    with guest(house) as client:
        table = new_joy_table(client)
        first = client.list_table_entries(table)["entries"][-1]["index"]
        client.play_round(table, [{"spot": "1", "stake": STAKE}])
        client.close_table(table)
        wanted = [(one["index"], one["entry"]) for one in client.list_table_entries(table)["entries"]]
        wanted = [pair for pair in wanted if pair[0] > first]
        got = list(client.stream_table(table, last_event_id=first))
        assert [(one["id"], one["data"]) for one in got if one["event"] == "entry"] == wanted
        opened = [opening for one in got if one["event"] == "openings" for opening in one["data"]]
        assert opened and all("shoe_no" in opening for opening in opened)

    async def read() -> list[int]:
        async with AsyncClient(house.address, log_key=house.key) as reader:
            return [one["id"] async for one in reader.stream_table(table, last_event_id=first)]

    assert asyncio.run(read()) == [one["id"] for one in got]


def test_a_stream_that_was_left_goes_on(house: House) -> None:
    with guest(house) as client:
        table = new_joy_table(client)
        first = client.list_table_entries(table)["entries"][-1]["index"]
        seen: list[int] = []
        stream = client.stream_table(table, last_event_id=first)
        for _ in range(2):
            client.play_round(table, [{"spot": "1", "stake": STAKE}])
            seen.append(next(stream)["id"])
        stream.close()  # type: ignore[attr-defined]
        client.close_table(table)
        seen += [one["id"] for one in client.stream_table(table, last_event_id=seen[-1]) if one["event"] == "entry"]
        listed = [one["index"] for one in client.list_table_entries(table)["entries"]]
        assert set(seen) <= set(listed) and seen == sorted(seen) and seen[-1] == listed[-1]


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda c: c.get_table("no-such-table"), NotFound, "unknown_table"),
        (lambda c: c.get_round("play.joy-1:999999"), NotFound, "unknown_round"),
        (lambda c: c.get_receipt(999_999_999), NotFound, "unknown_entry"),
        (lambda c: c.get_rule_set("none"), NotFound, "unknown_ruleset"),
        (lambda c: c.create_player("eve"), fairshoe.Forbidden, "not_allowed"),
        (lambda c: c.get_player("guest.999999"), fairshoe.Forbidden, "not_allowed"),
        (lambda c: c.play_round(new_joy_table(c), [{"spot": "1", "stake": 10**9}]), Invalid, "above_maximum"),
        (lambda c: c.play_round(new_joy_table(c), [{"spot": "purple", "stake": 100}]), Invalid, "unknown_spot"),
        (lambda c: c.play_round("joy-1", [{"spot": "1", "stake": 10}]), Conflict, "other_chips"),
        (lambda c: c.take_seat("play.joy-1"), Conflict, "solo_table"),
        (
            lambda c: c.place_bet("play.holdem-1", 0, [{"spot": "1", "stake": 1}], "ab" * 32, c.get_log()["epoch"]),
            Conflict,
            "is_a_cash_table",
        ),
        (lambda c: c.act("play.roulette-1:999999", 0, "stand"), Conflict, "wrong_round"),
    ],
)
def test_a_refusal_has_its_kind_and_code(house: House, call: Any, kind: type[fairshoe.ApiError], code: str) -> None:
    with guest(house, patience=2.0) as client:
        with pytest.raises(kind) as refusal:
            call(client)
        assert refusal.value.code == code and refusal.value.what_to_do in str(refusal.value)
        if code in ("other_chips", "is_a_cash_table", "wrong_round", "above_maximum"):
            note = client.house_note(str(refusal.value.refused_note))
            assert note.is_refusal and (note.code, note.by) == (code, f"player:{client.player}")


def test_the_wrong_method_for_a_table(house: House) -> None:
    with guest(house) as client:
        with pytest.raises(BadInput, match="play_hand"):
            client.play_round("play.holdem-1", [{"spot": "1", "stake": 1}])
        with pytest.raises(BadInput, match="play_round"):
            client.play_hand("play.roulette-1")
        with pytest.raises(BadInput, match="buy_in"):
            client.play_hand("play.holdem-1")


def test_a_choice_that_is_not_offered(house: House) -> None:
    with guest(house) as client:
        table = new_joy_table(client)
        with pytest.raises(BadInput, match="not among what is offered"):
            client.play_round(table, [{"spot": "1", "stake": STAKE}], lambda decision, situation: "raise")
        assert client.play_round(table, [{"spot": "1", "stake": STAKE}])["is_resumed"]


def test_records_and_reads(house: House) -> None:
    with guest(house) as client:
        table = new_joy_table(client)
        played = client.play_round(table, [{"spot": "1", "stake": STAKE}])
        assert client.get_ready()["ready"] and client.get_health().strip() == "ok"
        assert client.get_entry(0)["command"]["start_dealer"]["origin"] == client.get_log()["origin"]
        assert client.recall_round(played["round"])["staked"] == played["staked"]
        assert client.get_round(played["round"])["round"]["phase"] == "settled"
        assert client.get_shoe(table, 0)["seeds"]
        assert client.verify_bundle(client.get_bundle(played["round"]))["verdict"] == "sound"
        assert client.list_player_rounds(str(client.player))["rounds"][0]["id"] == played["round"]
        assert {one["name"] for one in client.list_rule_sets()} >= {"joy", "safe", "holdem"}
        assert client.list_structures() and "tournaments" in client.list_tournaments()
        assert client.get_checkpoint().startswith(client.get_log()["origin"])
        assert len(client.get_tile(0, 0, 1)) == 32 and client.get_entry_bundle(0, 1)
        assert not client.get_cluster()["shards"] and client.list_logs()["logs"] == []
    with Client(house.address, token=house.operator, log_key=house.key) as operator:
        assert any(one["round_no"] == 0 for one in operator.export_rounds())
        assert operator.list_significant()["events"][0]["kind"] == "start"
        assert "fairshoe_" in operator.get_metrics() and "\nopenapi:" in operator.get_contract()


def test_what_moved_a_balance_and_which_rounds_there_were(house: House) -> None:
    with guest(house) as client:
        me, table = str(client.player), new_joy_table(client)
        played = [client.play_round(table, [{"spot": "1", "stake": STAKE}]) for _ in range(3)]
        posted = list(client.list_transactions(me))
        assert (posted[0]["what"], posted[0]["by"]) == ("admit_guest", "house")
        assert posted[-1]["balance"] == client.get_player(me)["balance"] == sum(one["amount"] for one in posted)
        assert sum(one["amount"] for one in posted if one["table"] == table) == sum(map(net, played))
        lines = list(client.list_transactions_csv(me))
        assert len(lines) == len(posted) + 1 and lines[1].startswith(f"{posted[0]['index']},")
        assert list(client.list_transactions(me, until=str(posted[0]["time"]))) == []
        assert list(client.list_transactions(me, since="2020-01-31T12:00:00Z")) == posted

        found = list(client.find_rounds(player=me))
        assert [(one["round"], one["net"]) for one in found] == [(one["round"], net(one)) for one in played]
        assert all(one["table"] is None or one["table"] == table for one in posted)
        some = client.find_rounds(player=me, table=table, outcome=found[0]["outcome"], min_staked=STAKE)
        assert found[0] in list(some)
        assert list(client.find_rounds(player=me, min_net=net(played[0]), max_net=net(played[0])))[0] == found[0]
        assert list(client.find_rounds(player=me, rules="no-such-rules")) == []
        assert len(list(client.find_rounds_csv(player=me))) == 4
        listed = client.list_player_rounds(me)["rounds"]
        assert [one.get("own") for one in listed] == [
            {"staked": one["staked"], "returned": one["returned"]} for one in reversed(played)
        ]
        with pytest.raises(fairshoe.Forbidden):
            list(client.find_rounds())
        with pytest.raises(fairshoe.Forbidden):
            client.list_players()
    with Client(house.address, token=house.operator, log_key=house.key) as operator:
        assert [one["round"] for one in operator.find_rounds(table=table)] == [one["round"] for one in played]
        assert {one["round"] for one in operator.find_rounds()} >= {one["round"] for one in played}
        names, cursor = [], None
        while True:
            page = operator.list_players(search="guest.", cursor=cursor, limit=2)
            names += [one["player"] for one in page["players"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert me in names and names == sorted(set(names), key=str.encode)

    async def read() -> list[Any]:
        async with AsyncClient(house.address, token=house.operator, log_key=house.key) as operator:
            return [one async for one in operator.list_transactions(me)]

    assert asyncio.run(read()) == posted


def test_chips_in_the_currency_of_the_house(house: House, tmp_path: pathlib.Path) -> None:
    with guest(house) as client:
        assert fairshoe.format_chips(1250, client.get_log().get("currency")) == "1250"
    own = House(tmp_path, "--currency", "EUR:2").start()
    try:
        with guest(own) as client:
            assert fairshoe.format_chips(-1250, client.get_log()["currency"]) == "-12.50 EUR"
    finally:
        own.stop()
