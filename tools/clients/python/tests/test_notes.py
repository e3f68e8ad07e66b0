"""What the house signs beside the log: asked for with each command, kept before the answer is there, until the log has
the command (spec/receipts.md, "Received and refused")."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml
from conftest import REPOSITORY
from small_log import SmallLog
from small_log import entry as logged
from test_sending import TOKEN, Answer, Service, lost

from fairshoe import BadInput, Client, NoAnswer
from fairshoe.kept import SIGNED_FOR
from fairshoe.store import MOST_NOTES, Store

TIME = 1_800_000_000_000
ACT = {"act": {"table": "t", "round_no": 0, "decision": 0, "action": "stand"}}
LOG = SmallLog(logged("player:alice", ACT, at=("t", 0)))


def received(time: int = TIME) -> str:
    return LOG.note("received", str(time), "player:alice", json.dumps(ACT, separators=(",", ":")), "-")


def lines(*said: Any) -> httpx.Response:
    text = "".join(json.dumps(one) + "\n" for one in said)
    return httpx.Response(200, text=text, headers={"content-type": "application/x-ndjson"})


DONE = {"status": 200, "reply": {"receipts": LOG.receipts}}


def player(*answers: Answer, **options: Any) -> tuple[Client, Service]:
    service = Service(*answers, log=LOG)
    return service.client(token=TOKEN, player="alice", log_key=LOG.key, signing_key=None, **options), service


def stand(client: Client) -> Any:
    return client.act("t:0", 0, "stand")


def kinds(client: Client) -> list[str]:
    return [next(iter(json.loads(line))) for line in client.kept_notes().splitlines()]


def test_those_are_all_that_can_be_signed_for() -> None:
    contract = yaml.safe_load((REPOSITORY / "openapi.yaml").read_text())
    wanted = {f"#/components/parameters/{name}" for name in ("Received", "SignedFor")}
    found = {
        operation["operationId"]
        for methods in contract["paths"].values()
        for operation in methods.values()
        if isinstance(operation, dict) and wanted & {one.get("$ref") for one in operation.get("parameters", [])}
    }
    assert found == SIGNED_FOR


def test_whoever_says_so_is_not_signed_for() -> None:
    client, service = player(httpx.Response(200, json=DONE["reply"]), notes="asked-for")
    with client:
        stand(client)
    assert "received" not in service.sent[0].url.params
    with pytest.raises(BadInput):
        player(notes="never")


def test_a_note_is_kept_before_the_answer_is_there(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "store.json"

    class Dying(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield json.dumps({"received": received()}).encode() + b"\n"
            assert received() in json.loads(path.read_text())["notes"][0]["note"]
            raise httpx.ReadError("the service died")

    dying = httpx.Response(200, stream=Dying(), headers={"content-type": "application/x-ndjson"})
    client, _ = player(dying, *[lost() for _ in range(99)], store=path)
    with client, pytest.raises(NoAnswer):
        stand(client)
    again, _ = player(store=path)
    with again:
        assert again.kept_notes() == json.dumps({"received": received()}) + "\n"


def test_of_many_notes_the_newest_are_kept() -> None:
    store = Store()
    for at in range(MOST_NOTES + 3):
        store.keep_note("x", str(at))
    assert store.notes("x") == [str(at) for at in range(3, MOST_NOTES + 3)]
