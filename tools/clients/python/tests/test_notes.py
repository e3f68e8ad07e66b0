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
from test_sending import TOKEN, Answer, Service, lost, problem

from fairshoe import BadInput, Client, Conflict, NoAnswer
from fairshoe.kept import SIGNED_FOR
from fairshoe.store import MOST_NOTES, Store

TIME = 1_800_000_000_000
ACT = {"act": {"table": "t", "round_no": 0, "decision": 0, "action": "stand"}}
LOG = SmallLog(logged("player:alice", ACT, at=("t", 0)))


def received(time: int = TIME) -> str:
    return LOG.note("received", str(time), "player:alice", json.dumps(ACT, separators=(",", ":")), "-")


def refused(decision: int = 0) -> str:
    command = {"act": {**ACT["act"], "decision": decision}}
    text = json.dumps(command, separators=(",", ":"))
    return LOG.note("refused", str(TIME), "deadline_passed", "player:alice", text, "-")


def lines(*said: Any) -> httpx.Response:
    text = "".join(json.dumps(one) + "\n" for one in said)
    return httpx.Response(200, text=text, headers={"content-type": "application/x-ndjson"})


def second(answer: httpx.Response) -> dict[str, Any]:
    return {"status": answer.status_code, "reply": answer.json()}


DONE = {"status": 200, "reply": {"receipts": LOG.receipts}}


def player(*answers: Answer, **options: Any) -> tuple[Client, Service]:
    service = Service(*answers, log=LOG)
    return service.client(token=TOKEN, player="alice", log_key=LOG.key, signing_key=None, **options), service


def stand(client: Client) -> Any:
    return client.act("t:0", 0, "stand")


def kinds(client: Client) -> list[str]:
    return [next(iter(json.loads(line))) for line in client.kept_notes().splitlines()]


def test_each_command_is_asked_to_be_signed_for() -> None:
    heard: list[str] = []
    client, service = player(lines({"received": received()}, DONE), on_note=lambda _, note: heard.append(note))
    with client:
        reply = stand(client)
        assert reply["received"] == received() and len(reply["receipts"]) == 1
        assert kinds(client) == [], "the log has it"
    assert service.sent[0].url.params["received"] == "first"
    assert heard == [received()]


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


def test_what_ends_behind_the_note_is_no_answer() -> None:
    busy = second(problem(503, "unavailable"))
    client, service = player(
        lines({"received": received()}),
        lines({"received": received()}, busy),
        lines({"received": received()}, DONE),
    )
    with client:
        stand(client)
        assert kinds(client) == []
    assert len([one for one in service.sent if one.method == "POST"]) == 3


@pytest.mark.parametrize(("decision", "kept"), [(0, ["refused"]), (7, ["received", "refused"])])
def test_a_refusal_takes_the_place_of_the_note_of_the_same_command(decision: int, kept: list[str]) -> None:
    no = second(problem(409, "deadline_passed", refused=refused(decision)))
    client, _ = player(lines({"received": received()}, no))
    with client:
        with pytest.raises(Conflict):
            stand(client)
        assert kinds(client) == kept


def test_an_older_entry_does_not_take_the_note_away() -> None:
    client, _ = player(lines({"received": received(TIME + 60_000)}, DONE))
    with client:
        stand(client)
        assert kinds(client) == ["received"]


def test_a_note_that_does_not_verify_is_not_kept() -> None:
    no = second(problem(409, "deadline_passed"))
    client, _ = player(lines({"received": received().replace("stand", "hit")}, no))
    with client:
        with pytest.raises(Conflict):
            stand(client)
        assert kinds(client) == []


def test_of_many_notes_the_newest_are_kept() -> None:
    store = Store()
    for at in range(MOST_NOTES + 3):
        store.keep_note("x", str(at))
    assert store.notes("x") == [str(at) for at in range(3, MOST_NOTES + 3)]
