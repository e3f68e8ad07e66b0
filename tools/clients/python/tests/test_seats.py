"""Seats at a running service: whoever sits already sits, also after a crash of either side; whoever leaves reveals the
seed that they owe."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from house import House, Passing, Proxy

from fairshoe import BadReply, Client, Conflict
from fairshoe.entries import read_entry

MakeProxy = Callable[..., Proxy]


def new_player(house: House, address: str | None = None, **options: Any) -> Client:
    name, token = house.new_player()
    return Client(address or house.address, token=token, player=name, log_key=house.key, **options)


def anew(house: House, client: Client) -> Client:
    """The same player in another program, which knows nothing of what was before."""
    token = str.__str__(client._flows._token or "")
    return Client(house.address, token=token, player=client.player, log_key=house.key)


def new_table(house: House, rules: str, **options: Any) -> str:
    with Client(house.address, token=house.operator, log_key=house.key) as operator:
        return operator.open_table(rules, table=f"t-{uuid.uuid4().hex[:10]}", options=options or None)["table"]


def seat_of(client: Client, table: str) -> Any:
    view = client.get_table(table)
    seats = [*(view["cash"]["seats"] if view["cash"] else []), *view["seats"]]
    return next((one for one in seats if one["player"] == client.player), None)


def said(client: Client, table: str, word: str) -> list[Any]:
    """The events of this name at a table."""
    listed = client.list_table_entries(table, limit=256)["entries"]
    return [event.fields for item in listed for event in read_entry(item["entry"]).events if event.word == word]


def is_again(reply: Any, first: Any) -> bool:
    """Nothing was left to do, or the reply is that of before."""
    return reply is None or [one["entry"] for one in reply["receipts"]] == [one["entry"] for one in first["receipts"]]


def test_sitting_again_at_a_window_is_done_already(own: House) -> None:
    table = new_table(own, "roulette")
    with new_player(own) as client, new_player(own) as other:
        first = client.sit(table, 2)
        assert first is not None
        for reply in (client.sit(table, 2), client.sit(table)):
            assert is_again(reply, first)
        own.kill()
        for again in (client, anew(own, client)):
            again.sit(table, 2)
            assert seat_of(again, table)["seat"] == 2
        with pytest.raises(Conflict) as refusal:
            client.sit(table, 3)
        assert refusal.value.code == "seat_not_free"
        with pytest.raises(Conflict) as refusal:
            other.sit(table, 2)
        assert refusal.value.code == "seat_not_free"
        client.leave(table)
        assert seat_of(client, table) is None


def test_who_sits_at_poker_sits_again_with_what_they_have(own: House) -> None:
    table = new_table(own, "holdem")
    with new_player(own) as client:
        me = str(client.player)
        first = client.sit(table, 4, buy_in=10_000)
        assert first is not None
        own.kill()
        for again in (client, anew(own, client)):
            assert is_again(again.sit(table, 4, buy_in=10_000), first)
            assert again.sit(table, buy_in=20_000) is None
            assert is_again(again.sit(table), first)
        client.sit_out(table)
        assert client.sit(table, 4, buy_in=10_000) is not None, "they come back"
        assert (seat_of(client, table)["sitting_out"], client.get_player(me)["balance"]) == (False, 990_000)
        with pytest.raises(Conflict) as refusal:
            client.sit(table, 5, buy_in=10_000)
        assert refusal.value.code == "seat_not_free"
        client.leave(table)
        assert client.get_player(me)["balance"] == 1_000_000
        assert client.sit(table, 4, buy_in=10_000) is not None, "who left sits down anew"


def test_the_entry_by_which_they_sat_down_before_is_believed_if_they_sit(house: House, proxy: MakeProxy) -> None:
    """As a service may answer that repeats a seat by its content."""
    table = new_table(house, "holdem")
    told: dict[str, Any] = {"is_on": False, "body": b""}

    def repeat(passing: Passing) -> None:
        if passing.method == "POST" and passing.path.endswith("/seat"):
            if told["is_on"]:
                passing.status, passing.headers = 200, {"Content-Type": "application/json"}
                passing.body = told["body"]
                told["is_on"] = not told.get("is_once")
            told["body"] = passing.body

    with new_player(house, proxy(repeat).address) as client:
        first = client.sit(table, 1, buy_in=10_000)
        sat_down, told["is_on"] = told["body"], True
        again = client.sit(table, 1, buy_in=10_000)
        assert first and again and again["receipts"][0]["index"] == first["receipts"][0]["index"]
        # Of one who sits out since it says nothing: they come back.
        client.sit_out(table)
        told["is_once"] = True
        assert client.sit(table, 1, buy_in=10_000) is not None
        assert seat_of(client, table)["sitting_out"] is False
        client.leave(table)
        assert json.loads(sat_down)["receipts"]
        # The house is never asked for this one, so that nobody sits: what it shows is of before.
        with pytest.raises(BadReply, match="nobody sits"):
            with_old_answer(house, client, sat_down, table)


def with_old_answer(house: House, client: Client, body: bytes, table: str) -> None:
    def answer(passing: Passing) -> None:
        if passing.method == "POST" and passing.path.endswith("/seat"):
            passing.status, passing.headers = 200, {"Content-Type": "application/json"}
            passing.body = body
            with anew(house, client) as other:
                if seat_of(other, table):
                    other.leave_seat(table)

    liar = Proxy(house.address, answer)
    try:
        token = str.__str__(client._flows._token or "")
        with Client(liar.address, token=token, player=client.player, log_key=house.key) as lied_to:
            lied_to.get_checkpoint()
            lied_to.sit(table, 1, buy_in=10_000)
    finally:
        liar.close()


def called(house: House) -> tuple[str, Client, Client, int]:
    """A table of poker at which two sit, and the number of the hand that is called."""
    table = new_table(house, "holdem", reveal_time_ms=4_000)
    first, second = new_player(house), new_player(house)
    for one in (first, second):
        one.sit(table, buy_in=10_000)
    view = first.get_table(table)
    while not view["cash"] or not view["cash"]["call"]:
        view = first.get_table(table)
    return table, first, second, view["cash"]["call"]["round_no"]


def commit(client: Client, table: str, number: int) -> None:
    """What `play_hand` does before it waits for the others."""

    def flow() -> Any:
        play = client._flows
        history = yield from play.follow_table(table)
        commitment, epoch = play._commitment(history, number, None)
        yield from play.commit_seed(f"{table}:{number}", commitment, epoch)

    client._carry_out(flow())


def test_who_leaves_when_the_hand_has_begun_reveals_though_they_did_not_know_it(house: House) -> None:
    table, leaver, stays, number = called(house)
    with leaver, stays:
        commit(leaver, table, number)
        commit(stays, table, number)
        leaver.leave(table)
        assert [one["player"] for one in said(leaver, table, "seed_revealed")] == [leaver.player]
        played = stays.play_hand(table)
        assert played["phase"] == "settled" and said(stays, table, "cooldown") == []
        stays.leave(table)
        elsewhere = new_table(house, "holdem")
        assert leaver.sit(elsewhere, buy_in=10_000) is not None
        leaver.leave(elsewhere)


def test_who_left_and_was_cut_off_reveals_when_they_leave_again(house: House) -> None:
    table, leaver, stays, number = called(house)
    with leaver, stays:
        commit(leaver, table, number)
        commit(stays, table, number)
        leaver.leave_seat(table)
        assert leaver.leave(table) is None
        assert [one["player"] for one in said(leaver, table, "seed_revealed")] == [leaver.player]
        assert leaver.leave(table) is None, "they leave when the hand is over"
        assert stays.play_hand(table)["phase"] == "settled"
        with pytest.raises(Conflict) as refusal:
            leaver.leave(table)
        assert refusal.value.code == "not_seated"
        stays.leave(table)


def test_who_leaves_while_the_hand_is_called_takes_the_commitment_back(house: House) -> None:
    table, leaver, stays, number = called(house)
    with leaver, stays:
        commit(leaver, table, number)
        leaver.leave(table)
        assert len(said(stays, table, "hand_seed_withdrawn")) == 1 and said(stays, table, "hand_begun") == []
        stays.leave(table)


def test_bets_whose_window_is_closed_are_played_out(house: House) -> None:
    """The bot stops between its bet and its reveal, and leaves."""
    table = new_table(house, "roulette")
    with new_player(house) as client:
        client.sit(table)

        def flow() -> Any:
            play = client._flows
            history = yield from play.follow_table(table)
            while history.window is None:
                yield from play._pull(history, 500)
            assert (yield from play._place(history, history.next_round or 0, [{"spot": "even", "stake": 100}]))
            while history.live is None:
                yield from play._pull(history, 500)

        client._carry_out(flow())
        client.leave(table)
        assert [one["player"] for one in said(client, table, "seed_revealed")] == [client.player]
        assert seat_of(client, table) is None


def test_a_hand_called_while_a_table_is_read_is_followed_from_its_deck(house: House, proxy: MakeProxy) -> None:
    """The table is shown without a deck. The hand is called before its newest entry is found, and lapses later."""
    table = new_table(house, "holdem")
    with new_player(house) as first, new_player(house) as second:
        first.sit(table, buy_in=10_000)
        done: list[str] = []

        def call(passing: Passing) -> None:
            if passing.path.endswith(f"/tables/{table}") and not done:
                done.append(passing.path)
                second.sit(table, buy_in=10_000)
                while not said(second, table, "shoe_committed"):
                    pass

        with Client(proxy(call).address, log_key=house.key) as watcher:
            history = watcher._carry_out(watcher._flows.follow_table(table))
            assert done and history.shoe and history.shoe.no == 0
            second.leave(table)
            while history.shoe:
                watcher._carry_out(watcher._flows.follow_table(table))
            assert history.shoes[0].state == "revealed"
        first.leave(table)
