"""Lies told by a proxy before an honest service, as a house or somebody between could tell them: each is caught."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from conftest import vectors
from house import House, Passing, Proxy

import fairshoe
from fairshoe import Bet, Client, NotProven, Unproven
from fairshoe.bundle import rule_set_digest

MakeProxy = Callable[..., Proxy]
BETS: list[Bet] = [{"spot": "1", "stake": 100}]
CARD = re.compile(r'"card":"([A23456789TJQK])([cdhs])"')


def other_suit(found: re.Match[str]) -> str:
    return f'"card":"{found[1]}{"c" if found[2] != "c" else "d"}"'


def in_view(reply: dict[str, Any]) -> None:
    """Changes the first card that the view of a round shows."""
    text = json.dumps(reply["round"]["game"], separators=(",", ":"))
    reply["round"]["game"] = json.loads(CARD.sub(other_suit, text, count=1))


def in_entry(reply: dict[str, Any]) -> None:
    for receipt in reply["receipts"]:
        receipt["entry"] = CARD.sub(other_suit, receipt["entry"], count=1)


def in_opening(reply: dict[str, Any]) -> None:
    reply["openings"][0]["value"] = (reply["openings"][0]["value"] + 1) % 52


def no_opening(reply: dict[str, Any]) -> None:
    reply["openings"].pop()


def other_salt(reply: dict[str, Any]) -> None:
    reply["openings"][0]["salt"] = "00" * 16


def other_index(reply: dict[str, Any]) -> None:
    reply["receipts"][-1]["index"] -= 1


def other_path(reply: dict[str, Any]) -> None:
    receipt = reply["receipts"][-1]
    lines = receipt["proof"].split("\n")
    lines[2] = "A" * 43 + "="
    receipt["proof"] = "\n".join(lines)


def other_size(reply: dict[str, Any]) -> None:
    receipt = reply["receipts"][-1]
    head, _, checkpoint = receipt["proof"].partition("\n\n")
    origin, size, rest = checkpoint.split("\n", 2)
    receipt["proof"] = f"{head}\n\n{origin}\n{int(size) + 1}\n{rest}"


def other_log(reply: dict[str, Any]) -> None:
    receipt = reply["receipts"][-1]
    receipt["proof"] = vectors("log-receipts.json")["receipts"][0]["receipt"]


def other_offer(reply: dict[str, Any]) -> None:
    for decision in reply["round"]["decisions"]:
        decision["options"][0]["cost"] += 1


def other_seed(reply: dict[str, Any]) -> None:
    reply["round"]["contributors"][0]["commitment"] = "00" * 32


def as_betting(reply: dict[str, Any]) -> None:
    """Before bets are closed nothing binds: a word under which invented cards would be checked by nobody."""
    in_view(reply)
    reply["round"]["phase"] = "betting"


def other_round(reply: dict[str, Any]) -> None:
    reply["round"]["round_no"] += 7
    reply["round"]["id"] = f"{reply['round']['table']}:{reply['round']['round_no']}"


def other_round_by_number_alone(reply: dict[str, Any]) -> None:
    reply["round"]["round_no"] += 7


LIES: list[tuple[Callable[[dict[str, Any]], None], set[str]]] = [
    (in_view, {"view"}),
    (in_entry, {"inclusion"}),
    (in_opening, {"opening"}),
    (no_opening, {"opening_missing"}),
    (other_salt, {"opening"}),
    (other_index, {"receipt"}),
    (other_path, {"inclusion"}),
    (other_size, {"checkpoint"}),
    (other_log, {"receipt", "checkpoint"}),
    (other_offer, {"view"}),
    (other_seed, {"view"}),
    (as_betting, {"view"}),
    (other_round, {"view"}),
    (other_round_by_number_alone, {"view"}),
]


def player_at(between: Proxy, house: House) -> tuple[Client, str]:
    client = Client(between.address, log_key=house.key)
    client.admit_guest()
    table = client.open_table("joy-own", table=f"play.{client.player}.t{uuid.uuid4().hex[:8]}")["table"]
    return client, table


@pytest.mark.parametrize(("lie", "checks"), LIES, ids=[lie.__name__ for lie, _ in LIES])
def test_a_lie_in_a_reply_is_caught(
    house: House, proxy: MakeProxy, lie: Callable[[dict[str, Any]], None], checks: set[str]
) -> None:
    told: list[str] = []

    def rule(passing: Passing) -> None:
        # The reply to the reveal: the first cards, and at this table hardly ever the last ones.
        if passing.path.endswith("/reveals") and passing.status == 200:
            reply = json.loads(passing.body)
            if reply["round"]["phase"] == "open":
                before = json.dumps(reply)
                lie(reply)
                assert json.dumps(reply) != before
                told.append(passing.path)
                passing.body = json.dumps(reply).encode()

    between = proxy(rule)
    client, table = player_at(between, house)
    with client, pytest.raises(NotProven) as caught:
        for _ in range(5):
            client.play_round(table, BETS)
    assert told and caught.value.check in checks, str(caught.value)
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


def bundle_card(bundle: dict[str, Any]) -> None:
    item = next(one for one in bundle["entries"] if CARD.search(one["entry"]))
    item["entry"] = CARD.sub(other_suit, item["entry"], count=1)


def bundle_size(bundle: dict[str, Any]) -> None:
    origin, size, rest = bundle["checkpoint"].split("\n", 2)
    bundle["checkpoint"] = f"{origin}\n{int(size) + 1}\n{rest}"


def bundle_round(bundle: dict[str, Any]) -> None:
    bundle["round"] = bundle["round"].rpartition(":")[0] + ":77777"


def bundle_index(bundle: dict[str, Any]) -> None:
    bundle["entries"][-1]["index"] += 1


def bundle_key(bundle: dict[str, Any]) -> None:
    bundle["vkey"] = vectors("log-tree.json")["log_key"]


def bundle_entry(bundle: dict[str, Any]) -> None:
    bundle["entries"].pop(1)


def bundle_start(bundle: dict[str, Any]) -> None:
    bundle["context"] = [one for one in bundle["context"] if "start_dealer" not in one["entry"]]


BUNDLE_LIES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (bundle_card, "inclusion"),
    (bundle_size, "checkpoint"),
    (bundle_round, "bundle_round"),
    (bundle_index, "inclusion"),
    (bundle_key, "key"),
    (bundle_entry, "table_seq"),
    (bundle_start, "bundle_context"),
]


@pytest.mark.parametrize(("lie", "check"), BUNDLE_LIES, ids=[lie.__name__ for lie, _ in BUNDLE_LIES])
def test_a_changed_bundle_is_caught(
    house: House, proxy: MakeProxy, lie: Callable[[dict[str, Any]], None], check: str
) -> None:
    def rule(passing: Passing) -> None:
        if passing.path.endswith("/bundle"):
            bundle = json.loads(passing.body)
            lie(bundle)
            passing.body = json.dumps(bundle).encode()

    client, table = player_at(proxy(rule), house)
    with client:
        played = client.play_round(table, BETS)
        with pytest.raises(NotProven) as caught:
            client.verify_round(played["round"])
        assert caught.value.check == check, str(caught.value)


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
