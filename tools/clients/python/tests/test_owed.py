"""Proofs that come later (spec/receipts.md): what was told without a proof is held against the one that comes."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import vectors
from house import House, Passing, Proxy
from small_log import SmallLog
from small_log import entry as logged
from test_sending import TOKEN, Answer, Service

from fairshoe import AsyncClient, BadInput, BadReply, Client, NotProven, owed

MakeProxy = Callable[..., Proxy]
SEED = "ab" * 32


def act_of(decision: int, table: str = "t") -> str:
    fields = {"table": table, "round_no": 0, "decision": decision, "action": "stand"}
    return logged("player:alice", {"act": fields}, at=(table, decision))


LOG = SmallLog(act_of(0), act_of(1), act_of(2, "other"))


def without(receipt: Any, **changed: Any) -> httpx.Response:
    bare = {name: receipt[name] for name in ("index", "entry")}
    return httpx.Response(200, json={"receipts": [{**bare, **changed}]})


def whole(receipt: Any) -> httpx.Response:
    return httpx.Response(200, json={"receipts": [receipt]})


def proof(receipt: Any) -> httpx.Response:
    return httpx.Response(200, text=receipt["proof"])


def player(*answers: Answer, log: SmallLog = LOG, **options: Any) -> tuple[Client, Service]:
    service = Service(*answers, log=log)
    options = {"proofs": "later", "notes": "asked-for", **options}
    return service.client(token=TOKEN, player="alice", log_key=log.key, **options), service


def stand(client: Client, decision: int, table: str = "t", **options: Any) -> Any:
    return client.act(f"{table}:0", decision, "stand", **options)


def paths(service: Service) -> list[str]:
    return [str(request.url).removeprefix("http://a.example") for request in service.sent]


def test_the_async_client_does_the_same() -> None:
    one = LOG.receipts[0]
    service = Service(without(one), proof(one), log=LOG)

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service))
        options: Any = {"token": TOKEN, "player": "alice", "log_key": LOG.key, "http": http}
        async with AsyncClient("http://a.example", proofs="later", **options) as client:
            await client.act("t:0", 0, "stand")
            assert len(client.owed) == 1
            await client.prove_owed()
            assert client.owed == []

    asyncio.run(run())


def test_a_reply_without_a_proof_that_was_not_asked_for_is_refused() -> None:
    client, service = player(without(LOG.receipts[0]), proofs=None)
    with pytest.raises(BadReply, match="no proof"):
        stand(client, 0)
    assert client.owed == [] and paths(service) == ["/v1/rounds/t:0/actions"]
    shoe = {"shoe_no": 0, "composition": {"deck": 1}, "candidates": [], "epoch": SEED}
    shown = {"index": 0, "entry": LOG.entries[0]}
    client, _ = player(httpx.Response(200, json={**shoe, "receipt": shown}))
    with pytest.raises(BadReply):
        client.get_table_shoe("t")


def test_a_client_that_is_owed_enough_asks_with_proofs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owed, "MOST_OWED", 1)
    one, two = LOG.receipts[:2]
    client, service = player(without(one), without(two), whole(two))
    stand(client, 0)
    with pytest.raises(BadReply, match="no proof"):
        stand(client, 1)
    stand(client, 1, proofs="later")
    asked = "/v1/rounds/t:0/actions"
    assert paths(service) == [asked + "?proofs=later", asked, asked]


@pytest.mark.parametrize("holds", [True, False])
def test_what_is_past_the_most_that_are_owed_is_proven_at_once(monkeypatch: pytest.MonkeyPatch, holds: bool) -> None:
    monkeypatch.setattr(owed, "MOST_OWED", 1)
    one, two = LOG.receipts[:2]
    bare = [{name: receipt[name] for name in ("index", "entry")} for receipt in (one, two)]
    client, service = player(httpx.Response(200, json={"receipts": bare}), proof(two if holds else one))
    if holds:
        stand(client, 0)
    else:
        with pytest.raises(NotProven):
            stand(client, 0)
    assert [left.index for left in client.owed] == [0]
    assert paths(service)[1:] == ["/v1/receipts/1"]


def test_proofs_come_later_or_with_the_reply() -> None:
    wrong: Any = "never"
    with pytest.raises(BadInput):
        Client("http://a.example", proofs=wrong)
    with pytest.raises(BadInput):
        stand(player()[0], 0, proofs=wrong)


# --- By a round's bundle --------------------------------------------------------------------------


TEXT: str = next(one["bundle"] for one in vectors("bundles.json")["cases"] if one["about"] == "baccarat, settled")
BUNDLE: dict[str, Any] = json.loads(TEXT)
"""Of a round that is over, with the seed of the one player in it."""


def revealed(change: Callable[[str], str] = str, index: int | None = None) -> tuple[Client, Service]:
    """A client that has revealed its seed, and holds no proof of it; the service has the round's bundle."""
    item = next(one for one in BUNDLE["entries"] if '"command":{"reveal"' in one["entry"])
    fields = json.loads(item["entry"])["command"]["reveal"]
    place = item["index"] if index is None else index
    told = without({"index": place, "entry": change(item["entry"])})
    service = Service(told, httpx.Response(200, content=TEXT.encode()))
    options: Any = {"token": TOKEN, "player": fields["player"], "log_key": BUNDLE["vkey"], "proofs": "later"}
    client = service.client(**options)
    client.reveal_seed(BUNDLE["round"], fields["player"], fields["seed"], saw=fields.get("saw"))
    assert [left.index for left in client.owed] == [place]
    return client, service


def test_a_bundle_proves_what_is_owed_of_its_round() -> None:
    client, service = revealed()
    client.verify_round(BUNDLE["round"])
    assert client.owed == [] and len(service.sent) == 2


def test_a_bundle_with_another_entry_convicts_what_was_told() -> None:
    client, _ = revealed(lambda entry: entry.replace('"time":1', '"time":2', 1))
    with pytest.raises(NotProven, match="another entry") as caught:
        client.verify_round(BUNDLE["round"])
    assert caught.value.check == "receipt" and len(client.owed) == 1


def test_of_an_entry_that_the_bundle_does_not_have_its_own_receipt_decides() -> None:
    client, service = revealed(index=9_999)
    service.answers.append(httpx.Response(200, text=LOG.receipts[0]["proof"]))
    with pytest.raises(NotProven):
        client.verify_round(BUNDLE["round"])
    assert service.sent[-1].url.path == "/v1/receipts/9999" and len(client.owed) == 1


# --- Against the service --------------------------------------------------------------------------


def at_table(address: str, house: House) -> tuple[Client, str]:
    client = Client(address, log_key=house.key, proofs="later")
    client.admit_guest()
    table = client.open_table("joy-own", table=f"play.{client.player}.t{uuid.uuid4().hex[:8]}")["table"]
    return client, table


def test_a_round_is_played_with_its_proofs_later(house: House, proxy: MakeProxy) -> None:
    replies: list[dict[str, Any]] = []

    def rule(passing: Passing) -> None:
        if passing.method == "POST" and passing.path.endswith("?proofs=later") and passing.status == 200:
            replies.append(json.loads(passing.body))

    client, table = at_table(proxy(rule).address, house)
    for _ in range(3):
        played = client.play_round(table, [{"spot": "1", "stake": 1}])
        assert played["phase"] == "settled" and client.owed == []
        client.verify_round(played["round"])
    assert replies and not any("proof" in one for reply in replies for one in reply["receipts"])


def test_a_reply_without_proofs_that_lies_is_found_before_the_round_is_given_out(
    house: House, proxy: MakeProxy
) -> None:
    def rule(passing: Passing) -> None:
        if passing.method == "POST" and passing.path.endswith("/reveals?proofs=later"):
            reply = json.loads(passing.body)
            entry = reply["receipts"][0]["entry"]
            time = json.loads(entry)["time"]
            reply["receipts"][0]["entry"] = entry.replace(f'"time":{time}', f'"time":{time + 1}', 1)
            passing.body = json.dumps(reply).encode()

    client, table = at_table(proxy(rule).address, house)
    with pytest.raises(NotProven) as caught:
        client.play_round(table, [{"spot": "1", "stake": 1}])
    # The rules may find it first, where the time shows in a deadline.
    assert caught.value.check in {"receipt", "deadline"} and client.owed
