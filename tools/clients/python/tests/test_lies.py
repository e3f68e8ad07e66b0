"""Lies told by a proxy before an honest service, as a house or somebody between could tell them: each is caught."""

from __future__ import annotations

import functools
import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PACKAGE, vectors
from house import House, Passing, Proxy

import fairshoe
from fairshoe import Bet, Client, NotProven, Unproven
from fairshoe.bundle import rule_set_digest

MakeProxy = Callable[..., Proxy]
BETS: list[Bet] = [{"spot": "1", "stake": 100}]
CARD = re.compile(r'(card\\*": ?\\*"[A23456789TJQK])([cdhs])')


LIES: dict[str, Any] = json.loads((PACKAGE.parent / "cases/lies.json").read_text())


def changed(old: Any, what: str, *by: Any) -> Any:
    """What stands in the place of something, by one of the ways of cases/lies.json."""
    if what == "suit":
        text = CARD.sub(lambda found: found[1] + ("c" if found[2] != "c" else "d"), json.dumps(old), count=1)
        return json.loads(text)
    if what == "vector":
        return functools.reduce(lambda value, name: value[name], by[0][1:], vectors(f"{by[0][0]}.json"))
    if what == "add":
        return (old + by[0]) % by[1] if by[1:] else old + by[0]
    if what == "drop":
        del old[by[0]]
        return old
    if what == "without":
        return [one for one in old if by[0] not in json.dumps(one)]
    if what == "line":
        return "\n".join(by[1] if at == by[0] else line for at, line in enumerate(old.split("\n")))
    if what in ("grow", "tail"):
        number = r"(?m)^\d+$" if what == "grow" else r"\d+$"
        return re.sub(number, lambda found: str(int(found[0]) + by[0]), old, count=1)
    return by[0]


def edit(reply: Any, edits: list[Any]) -> None:
    for path, *how in edits:
        *names, last = (int(name) if re.fullmatch(r"-?\d+", name) else name for name in path.split("."))
        inner = functools.reduce(lambda value, name: value[name], names, reply)
        before = json.dumps(inner[last])
        inner[last] = changed(inner[last], *how)
        assert json.dumps(inner[last]) != before


def player_at(between: Proxy, house: House) -> tuple[Client, str]:
    client = Client(between.address, log_key=house.key)
    client.admit_guest()
    table = client.open_table("joy-own", table=f"play.{client.player}.t{uuid.uuid4().hex[:8]}")["table"]
    return client, table


@pytest.mark.parametrize("lie", LIES["reveals"], ids=lambda lie: lie["about"])
def test_a_lie_in_a_reply_is_caught(house: House, proxy: MakeProxy, lie: Any) -> None:
    told: list[str] = []

    def rule(passing: Passing) -> None:
        # The reply to the reveal: the first cards, and at this table hardly ever the last ones.
        if passing.path.endswith("/reveals") and passing.status == 200:
            reply = json.loads(passing.body)
            if reply["round"]["phase"] == "open":
                edit(reply, lie["edits"])
                told.append(passing.path)
                passing.body = json.dumps(reply).encode()

    between = proxy(rule)
    client, table = player_at(between, house)
    with client, pytest.raises(NotProven) as caught:
        for _ in range(5):
            client.play_round(table, BETS)
    assert told and caught.value.check in lie["python"], str(caught.value)
    assert isinstance(caught.value, fairshoe.FairshoeError)


def test_a_table_is_followed_by_the_rules_that_it_was_opened_with(house: House, proxy: MakeProxy) -> None:
    """Other rules with a digest of their own: by them another composition, or another deadline, would be due."""

    def rule(passing: Passing) -> None:
        if passing.method == "GET" and re.fullmatch(r"/v1/tables/[^/?]+", passing.path):
            reply = json.loads(passing.body)
            reply["rules"]["table"]["reveal_time_ms"] += 1
            passing.body = json.dumps({**reply, "digest": rule_set_digest(reply["rules"])}).encode()

    between = proxy(rule)
    client, table = player_at(between, house)
    with client, pytest.raises(NotProven) as caught:
        client.play_round(table, BETS)
    assert caught.value.check == "rule_set"
    assert not [path for method, path in between.seen if path.endswith("/bets")]


def test_nobody_buys_in_twice_by_a_view_without_their_seat(house: House, proxy: MakeProxy) -> None:
    def rule(passing: Passing) -> None:
        if passing.method == "GET" and passing.path == "/v1/tables/play.omaha-1":
            reply = json.loads(passing.body)
            reply["cash"]["seats"] = []
            passing.body = json.dumps(reply).encode()

    between = proxy(rule)
    with Client(between.address, log_key=house.key) as client:
        client.admit_guest()
        with pytest.raises(fairshoe.NoRound):
            client.play_hand("play.omaha-1", buy_in=20_000, wait=0.1)
        with pytest.raises(NotProven) as caught:
            client.play_hand("play.omaha-1", buy_in=20_000, wait=0.1)
        client.leave_seat("play.omaha-1")
    assert caught.value.check == "seat"
    assert len([path for method, path in between.seen if method == "POST" and path.endswith("/seat")]) == 1


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        (r'"bets":\[\{"spot":"1","stake":100', '"bets":[{"spot":"1","stake":200', "inclusion"),
        (r'"commitment":"[0-9a-f]', '"commitment":"x', "view"),
    ],
)
def test_a_bet_that_is_bound_otherwise_is_not_revealed_for(
    house: House, proxy: MakeProxy, old: str, new: str, check: str
) -> None:
    """fairness.md, "What a client does", 2: no seed goes out for a bet that the log does not hold as it was sent."""

    def rule(passing: Passing) -> None:
        if passing.path.endswith("/bets"):
            text = passing.body.decode()
            quoted = old.replace('"', r"\\*\"") if check == "inclusion" else old
            passing.body = re.sub(quoted, lambda found: change(found[0], new, check), text, count=1).encode()

    between = proxy(rule)
    client, table = player_at(between, house)
    with client, pytest.raises(NotProven) as caught:
        client.play_round(table, BETS)
    assert caught.value.check == check
    assert not [path for _, path in between.seen if path.endswith("/reveals")]


def change(found: str, new: str, check: str) -> str:
    if check == "inclusion":
        return found[:-3] + "200"
    return found[:-1] + ("0" if found[-1] != "0" else "1")


def test_a_list_of_entries_without_one_is_caught(house: House, proxy: MakeProxy) -> None:
    def rule(passing: Passing) -> None:
        if "/entries?" in passing.path:
            reply = json.loads(passing.body)
            if len(reply["entries"]) > 2:
                reply["entries"].pop(1)
                passing.body = json.dumps(reply).encode()

    client, table = player_at(proxy(lambda passing: None), house)
    with client:
        client.play_round(table, BETS)
        between = proxy(rule)
        with Client(between.address, log_key=house.key) as reader, pytest.raises(NotProven) as caught:
            follow_from_start(reader, table)
        assert caught.value.check == "table_seq"


def follow_from_start(reader: Client, table: str) -> None:
    """Follows a table from its first entry on."""
    from fairshoe.history import TableHistory

    view = reader.get_table(table)
    history = TableHistory(view["origin"], table, view["rules"], view["epoch"])
    for item in reader.list_table_entries(table)["entries"]:
        history.take(item["index"], item["entry"])


@pytest.mark.parametrize("lie", LIES["bundles"], ids=lambda lie: lie["about"])
def test_a_changed_bundle_is_caught(house: House, proxy: MakeProxy, lie: Any) -> None:
    def rule(passing: Passing) -> None:
        if passing.path.endswith("/bundle"):
            bundle = json.loads(passing.body)
            edit(bundle, lie["edits"])
            passing.body = json.dumps(bundle).encode()

    client, table = player_at(proxy(rule), house)
    with client:
        played = client.play_round(table, BETS)
        with pytest.raises(NotProven) as caught:
            client.verify_round(played["round"])
        assert caught.value.check == lie["check"], str(caught.value)


def test_the_bundle_of_another_round_is_caught(house: House, proxy: MakeProxy) -> None:
    kept: list[bytes] = []

    def rule(passing: Passing) -> None:
        if passing.path.endswith("/bundle"):
            kept.append(passing.body)
            passing.body = kept[0]

    client, table = player_at(proxy(rule), house)
    with client:
        first, second = client.play_round(table, BETS), client.play_round(table, BETS)
        assert client.verify_round(first["round"])["is_complete"]
        with pytest.raises(NotProven) as caught:
            client.verify_round(second["round"])
        assert caught.value.check == "bundle_round"


def test_own_cards_that_were_not_dealt_are_caught(house: House, proxy: MakeProxy) -> None:
    """The house tells a player better hole cards than those in the committed deck, or the ones of another slot."""
    import asyncio

    def rule(passing: Passing) -> None:
        if passing.status == 200 and "/rounds/" in passing.path and b'"own":{' in passing.body:
            reply = json.loads(passing.body)
            reply["own"]["cards"][0] = "As" if reply["own"]["cards"][0] != "As" else "Ks"
            passing.body = json.dumps(reply).encode()

    between = proxy(rule)

    async def play(address: str) -> Any:
        async with fairshoe.AsyncClient(address, log_key=house.key) as client:
            await client.admit_guest()
            try:
                return await client.play_hand("play.omaha-1", buy_in=20_000, wait=60)
            except NotProven as caught:
                await client.sit_out("play.omaha-1")
                return caught

    async def both() -> list[Any]:
        return list(await asyncio.gather(play(between.address), play(house.address)))

    lied_to, _ = asyncio.run(both())
    assert isinstance(lied_to, NotProven) and lied_to.check == "opening"


def test_tiles_that_prove_nothing_are_no_proof(house: House, proxy: MakeProxy) -> None:
    """receipts.md, "Keeping a checkpoint": what is kept is not replaced where the log brings no proof that holds."""

    def rule(passing: Passing) -> None:
        if passing.path.startswith("/tile/"):
            passing.body = bytes(len(passing.body))

    between = proxy(rule)
    with Client(between.address, log_key=house.key) as client:
        client.get_checkpoint()
        kept = client.checkpoint
        with Client(house.address, log_key=house.key) as other:
            other.admit_guest()
        # Tiles are not signed: these show nothing, of the log neither.
        with pytest.raises(Unproven) as caught:
            client.admit_guest()
        assert client.checkpoint == kept and caught.value.kept_checkpoint == (kept.note if kept else None)


def test_a_stream_with_another_entry_is_caught(house: House, proxy: MakeProxy) -> None:
    client, table = player_at(proxy(lambda passing: None), house)
    with client:
        first = client.list_table_entries(table)["entries"][-1]["index"]
        client.play_round(table, BETS)
        client.close_table(table)

    def rule(passing: Passing) -> None:
        if passing.path.endswith("/events"):
            passing.replace(b'"stake":100', b'"stake":900')

    with Client(proxy(rule).address, log_key=house.key) as reader, pytest.raises(NotProven) as caught:
        list(reader.stream_table(table, last_event_id=first))
    assert caught.value.check == "inclusion"


def test_a_key_that_somebody_gave_is_not_replaced_by_the_logs(house: House) -> None:
    stranger = vectors("log-tree.json")["log_key"]
    with Client(house.address, log_key=stranger) as client, pytest.raises(NotProven) as caught:
        client.get_log()
    assert caught.value.check == "checkpoint"


def test_a_key_is_pinned_at_first_use(house: House, proxy: MakeProxy, tmp_path: Any) -> None:
    stranger = vectors("log-tree.json")["log_key"]
    lying: list[bool] = []

    def rule(passing: Passing) -> None:
        if lying and passing.path == "/v1/log":
            reply = json.loads(passing.body)
            passing.body = json.dumps({**reply, "vkey": stranger}).encode()

    between = proxy(rule)
    with Client(between.address, store=tmp_path / "pins.json") as client:
        client.get_log()
        assert not client.key_was_given and client.log_key == house.key
    lying.append(True)
    with Client(between.address, store=tmp_path / "pins.json") as client:
        client.get_checkpoint()
        assert client.log_key == house.key
    with Client(between.address) as fresh, pytest.raises(NotProven):
        fresh.get_log()
