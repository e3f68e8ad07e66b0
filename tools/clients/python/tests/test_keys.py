"""Players have keys by default: one is made at the first command, kept in the store's file, signs everything, and is
saved to a file and brought back from it (spec/entries.md, "Keys by default")."""

from __future__ import annotations

import asyncio
import json
import pathlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import vectors
from house import House, Passing

import fairshoe
from fairshoe import AsyncClient, BadInput, Client, Forbidden, keys

STAKE: list[fairshoe.Bet] = [{"spot": "1", "stake": 10}]


def player_of(house: House, who: tuple[str, str], store: pathlib.Path | None, **options: Any) -> Client:
    return Client(house.address, player=who[0], token=who[1], log_key=house.key, store=store, **options)


def commands(client: Client, table: str) -> list[dict[str, Any]]:
    """What the client's player gave at the table, as the log has it."""
    listed = client.list_table_entries(table, limit=256)["entries"]
    entries = [json.loads(one["entry"]) for one in listed]
    return [entry for entry in entries if entry["by"] == f"player:{client.player}"]


def test_a_guest_signs_all_that_they_do(house: House) -> None:
    named: list[str] = []
    with Client(house.address, log_key=house.key, on_key=named.append) as guest:
        guest.admit_guest()
        table = guest.open_table("joy")["table"]
        assert table.startswith("play.")
        played = guest.play_round(table, STAKE)
        assert guest.verify_round(played["round"])["is_complete"]
        given = commands(guest, table)
        assert len(given) >= 3 and all("signed" in entry for entry in given)
        state = guest.key_state()
        assert state.state == "signs" and [state.key] == named


def test_a_key_outlives_the_program_and_its_owner_alone_reads_it(house: House, tmp_path: pathlib.Path) -> None:
    who, path = house.new_player(), tmp_path / "bot.json"
    with player_of(house, who, path) as first:
        assert first.key_state().state == "none"
        first.set_limit(who[0], "loss", "day", 50_000)
        key = first.key_state().key
    assert key is not None and path.stat().st_mode & 0o077 == 0
    with player_of(house, who, path) as again:
        table = again.open_table("joy-own")["table"]
        again.play_round(table, STAKE)
        given = commands(again, table)
        assert len(given) >= 3 and all("signed" in entry for entry in given)
        assert again.key_state().key == key
    with player_of(house, who, None, signing_key=None) as bare, pytest.raises(Forbidden) as refusal:
        bare.close_table(table)
    assert refusal.value.code == "signature_missing"


def test_no_key_is_made_where_it_would_be_lost_or_none_is_wanted(house: House, tmp_path: pathlib.Path) -> None:
    for store, options in [(None, {}), (tmp_path / "bot.json", {"signing_key": None})]:
        who = house.new_player()
        with player_of(house, who, store, **options) as client:
            client.open_table("joy-own")
            assert not client.signs()
            assert client.get_player(who[0])["key"] is None


def test_a_key_is_saved_and_brought_back(house: House, tmp_path: pathlib.Path) -> None:
    who = house.new_player()
    with player_of(house, who, tmp_path / "home.json") as home:
        assert home.key_file() is None
        assert home.signs()
        text = home.key_file()
        assert text is not None
    with player_of(house, house.new_player(), tmp_path / "other.json") as other:
        assert other.signs()
        theirs = other.key_file()
        assert theirs is not None
    held, other_held = json.loads(text), json.loads(theirs)
    with player_of(house, who, tmp_path / "away.json") as away:
        assert away.key_state().state == "elsewhere" and away.key_file() is None
        with pytest.raises(Forbidden) as refusal:
            away.open_table("joy-own")
        assert refusal.value.code == "signature_missing"
        for changed, words in [
            ("", "no file of a key"),
            ("[]", "no file of a key"),
            (" " * 5000, "no file of a key"),
            (json.dumps({**held, "fairshoe_player_key": 2}), "no file of a key"),
            (json.dumps({**other_held, "player": who[0], "log": "other.example/log"}), "other.example"),
            (theirs, "not of"),
            (json.dumps({**held, "secret": held["secret"][1:]}), "damaged"),
            (json.dumps({**held, "key": other_held["key"]}), "not of one key"),
            (json.dumps({**held, "key": other_held["key"], "secret": other_held["secret"]}), "another key"),
        ]:
            with pytest.raises(BadInput, match=words):
                away.take_key_file(changed)
        assert away.key_state().state == "elsewhere"
        # Of a log that goes on under another name, with its players' keys.
        assert away.take_key_file(json.dumps({**held, "log": "before.example/log"})).state == "signs"
        away.open_table("joy-own")


def test_the_file_of_a_key_of_the_vectors_is_the_same_for_every_program() -> None:
    held = vectors("player-keys.json")
    secret = next(pen["secret"] for pen in held["pens"] if pen["player"] == "alice")
    signed = next(one for one in held["signatures"] if one["holds"] and one["by"] == "player:alice")
    file = {
        "fairshoe_player_key": 1,
        "log": signed["origin"],
        "player": "alice",
        "key": signed["key"],
        "secret": secret,
    }
    assert json.loads(keys.write_file(signed["origin"], "alice", secret)) == file
    assert str.__str__(keys.read_file(json.dumps(file), signed["origin"], "alice", [])) == secret
    assert keys.pen_of(secret).sign(signed["text"].encode()).hex() == signed["signature"]


def test_a_house_that_speaks_of_another_key_gets_nothing_unsigned(
    house: House, proxy: Callable[..., Any], tmp_path: pathlib.Path
) -> None:
    who, posted = house.new_player(), []

    def lie(passing: Passing) -> None:
        if passing.method == "POST":
            posted.append(passing.path)
        if passing.path == f"/v1/players/{who[0]}":
            passing.replace(b'"key":null', b'"key":"' + b"ab" * 32 + b'"')

    between = proxy(lie)
    path = tmp_path / "bot.json"
    with Client(between.address, player=who[0], token=who[1], log_key=house.key, store=path) as client:
        with pytest.raises(Forbidden) as refusal:
            client.open_table("joy-own")
        assert refusal.value.code == "signature_missing" and posted == []


def test_another_key_for_one_who_lost_it_waits_for_a_day(house: House, tmp_path: pathlib.Path) -> None:
    who = house.new_player()
    with (
        player_of(house, who, tmp_path / "home.json") as home,
        player_of(house, who, tmp_path / "away.json") as away,
        Client(house.address, token=house.operator, log_key=house.key) as operator,
    ):
        assert home.signs()
        key = away.next_key()
        operator.set_key(who[0], key, "lost")
        state = away.key_state()
        assert state.state == "elsewhere" and state.is_next_here
        assert (state.waits_until or 0) > time.time() * 1000 + 80_000_000
        # Whoever still has the old one takes it back.
        home.set_key(who[0], home.next_key())
        state = home.key_state()
        assert state.state == "signs" and state.waits_until is None and state.key != key
        home.open_table("joy-own")


def test_a_key_by_the_operator_gives_way_to_the_first_one_of_the_player(house: House, tmp_path: pathlib.Path) -> None:
    who = house.new_player()
    key = Client(house.address, player=who[0], token=who[1], log_key=house.key).next_key()
    with Client(house.address, token=house.operator, log_key=house.key) as operator:
        operator.set_key(who[0], key, "asked")
    with player_of(house, who, tmp_path / "bot.json") as client:
        client.open_table("joy-own")
        state = client.key_state()
        assert state.state == "signs" and state.waits_until is None and state.key != key


def test_two_programs_with_one_key_overtake_each_other(house: House, tmp_path: pathlib.Path) -> None:
    who = house.new_player()
    with (
        player_of(house, who, tmp_path / "one.json") as one,
        player_of(house, who, tmp_path / "two.json") as two,
    ):
        assert one.signs()
        two.take_key_file(one.key_file() or "")
        tables = [client.open_table("joy-own")["table"] for client in (one, two)]
        # The other one's clock is a day ahead.
        two._flows._nonce = int(time.time() * 1000) + 86_400_000
        two.play_round(tables[1], STAKE)
        one.play_round(tables[0], STAKE)


def test_commands_at_once_are_all_done(house: House, tmp_path: pathlib.Path) -> None:
    who = house.new_player()

    async def play() -> list[Any]:
        store = tmp_path / "bot.json"
        client = AsyncClient(house.address, player=who[0], token=who[1], log_key=house.key, store=store)
        async with client:
            limits: list[Any] = [(of, per) for of in ("loss", "deposit") for per in ("day", "week", "month")]
            await asyncio.gather(*(client.set_limit(who[0], of, per, 90_000) for of, per in limits))
            view: Any = await client.get_player(who[0])
            return [view["limits"], view["key"]]

    limits, key = asyncio.run(play())
    assert len(limits) == 6 and key is not None


def test_a_payment_is_not_signed_again_because_the_house_says_so(
    house: House, proxy: Callable[..., Any], tmp_path: pathlib.Path
) -> None:
    who, sent = house.new_player(), []

    def refuse(passing: Passing) -> None:
        if passing.path.endswith("/transfers"):
            sent.append(passing)
            if len(sent) in (1, 2):
                code = {"code": "nonce_used", "detail": "too low", "status": 409, "title": "", "type": ""}
                passing.status, passing.body = 409, json.dumps(code).encode()
                passing.headers = {"content-type": "application/problem+json"}

    between = proxy(refuse)
    with Client(between.address, player=who[0], token=who[1], log_key=house.key, store=tmp_path / "bot.json") as client:
        assert client.signs()
        with pytest.raises(fairshoe.ApiError) as refusal:
            client.send_transfer(who[0], "b.example/log", 5)
        assert refusal.value.code == "nonce_used" and len(sent) == 1
        # A later command of theirs is proven to be on the log: what was signed before is good for nothing any more.
        client._flows._proven_nonce = 2**52
        with pytest.raises(fairshoe.ApiError) as refusal:
            client.send_transfer(who[0], "b.example/log", 5)
        assert refusal.value.code == "unknown_log" and len(sent) == 3
