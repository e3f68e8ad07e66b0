"""Repeats, leaders, idempotency keys, secrets and streams, over a transport in memory that answers as it is told."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import vectors
from small_log import SmallLog
from small_log import entry as logged

from fairshoe import (
    AsyncClient,
    BadInput,
    BadReply,
    Client,
    Conflict,
    NoAnswer,
    NotFound,
    NotLeader,
    TooMany,
    Unavailable,
)
from fairshoe.stream import EventParser

TOKEN = "5" * 64
TABLES: dict[str, Any] = {"tables": [], "next": None}
CREDIT = SmallLog(logged("operator", {"credit": {"player": "alice", "amount": 10}}))
CREATED = SmallLog(
    logged("operator", {"create_player": {"player": "alice"}}),
    logged("operator", {"issue_token": {"holder": "player:alice", "revoke": True}}),
)
Answer = httpx.Response | Exception


def problem(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    body = {"type": "about:blank", "title": code, "status": status, "detail": f"it is {code}", "code": code, **more}
    return httpx.Response(status, json=body, headers=headers)


class Service:
    """Answers with what it was given, one after another, and keeps what it was sent."""

    def __init__(self, *answers: Answer, log: SmallLog | None = None) -> None:
        """`log`: whose tiles it has."""
        self.answers = list(answers)
        self.log = log
        self.sent: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        if self.log is not None and request.url.path.startswith("/tile/0/000.p/"):
            return httpx.Response(200, content=self.log.tile(int(request.url.path.rpartition("/")[2])))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, addresses: Any = "http://a.example", **options: Any) -> Client:
        options.setdefault("patience", 5.0)
        return Client(addresses, http=httpx.Client(transport=httpx.MockTransport(self)), **options)


pytestmark = pytest.mark.usefixtures("no_waiting")


def accepted(receipt: Any, **more: Any) -> httpx.Response:
    return httpx.Response(200, json={"receipts": [receipt], **more})


def credited() -> httpx.Response:
    return accepted(CREDIT.receipts[0])


def lost() -> Exception:
    return httpx.ReadTimeout("no answer")


def test_retry_after_is_kept(no_waiting: list[float]) -> None:
    service = Service(
        problem(503, "busy", {"Retry-After": "2"}),
        problem(429, "rate_limited", {"Retry-After": "1"}),
        problem(409, "recovering"),
        httpx.Response(200, json=TABLES),
    )
    assert service.client().list_tables() == TABLES
    assert no_waiting[0] == 2 and no_waiting[1] == 1 and 0 < no_waiting[2] < 1


def test_patience_ends(no_waiting: list[float]) -> None:
    with pytest.raises(TooMany) as limited:
        Service(problem(429, "too_many_guests", {"Retry-After": "3600"})).client().list_tables()
    assert (limited.value.retry_after, no_waiting) == (3600, [])
    with pytest.raises(Unavailable):
        Service(*[problem(503, "busy", {"Retry-After": "2"}) for _ in range(9)]).client().list_tables()
    with pytest.raises(NoAnswer, match="listTables: no answer after"):
        Service(*[lost() for _ in range(99)]).client().list_tables()


def test_a_created_player_whose_token_was_lost_gets_another() -> None:
    """A repeat brings the entry without the token (openapi.yaml, "Repeats")."""
    service = Service(
        lost(),
        accepted(CREATED.receipt(0, 1), player="alice"),
        accepted(CREATED.receipt(1, 2), token=TOKEN),
        log=CREATED,
    )
    reply = service.client(token=TOKEN, log_key=CREATED.key).create_player("alice")
    assert reply["token"] == TOKEN
    assert json.loads(service.sent[2].content) == {"revoke": True}


def test_two_followers_that_name_each_other_end() -> None:
    other = {"a.example": "http://b.example", "b.example": "http://a.example"}
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.host)
        return problem(421, "not_leader", {"Retry-After": "1"}, leader=other[request.url.host])

    with pytest.raises(NotLeader):
        Client("http://a.example", patience=3, http=httpx.Client(transport=httpx.MockTransport(answer))).list_tables()
    assert 9 <= len(sent) <= 99


@pytest.mark.parametrize(
    "call",
    [
        lambda client: next(client.find_rounds(min_net=-1.5)),
        lambda client: next(client.find_rounds(max_net=2**53)),
        lambda client: next(client.find_rounds_csv(min_staked=True)),
        lambda client: next(client.find_rounds(player="..")),
        lambda client: next(client.list_transactions("../alice")),
        lambda client: next(client.list_transactions_csv("Alice")),
        lambda client: client.play_round("t", [{"spot": "1", "stake": 1}]),
    ],
)
def test_bad_input_is_not_sent(call: Callable[[Client], Any]) -> None:
    service = Service()
    with pytest.raises(BadInput):
        call(service.client())
    assert service.sent == []


@pytest.mark.parametrize("address", ["house.example", "ftp://a.example", "", "http://"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(BadInput):
        Client(address)


def test_no_secret_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    created = {"receipts": CREATED.receipts[:1], "player": "alice", "token": TOKEN}
    service = Service(lost(), httpx.Response(201, json=created))
    client = service.client(token=TOKEN, log_key=CREATED.key)
    reply = client.create_player("alice")
    shown = [repr(client), repr(client._flows), repr(reply), repr(client._store), caplog.text]
    with pytest.raises(NoAnswer) as failure:
        Service(*[lost() for _ in range(99)]).client(token=TOKEN).list_tables()
    shown.append(repr(failure.value))
    assert reply["token"] == TOKEN and not any(TOKEN in text for text in shown)


def test_notes_of_the_house_are_handed_on_once_they_verify() -> None:
    notes = vectors("log-notes.json")
    refused = next(one["note"] for one in notes["notes"] if one["note"].startswith("fairshoe refused"))
    heard: list[tuple[bool, str]] = []
    service = Service(
        problem(409, "cooldown", refused=refused),
        problem(409, "cooldown", refused=refused.replace("fairshoe refused", "fairshoe Refused")),
        problem(409, "cooldown"),
    )
    with service.client(
        token=TOKEN, log_key=notes["log_key"], on_note=lambda read, note: heard.append((read.is_refusal, note))
    ) as client:
        for _ in range(3):
            with pytest.raises(Conflict):
                client.take_seat("t", 1)
    assert heard == [(True, refused)]


def test_the_async_client_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    async def passes(seconds: float) -> None:
        await real(0)

    real = asyncio.sleep
    monkeypatch.setattr("fairshoe.drivers.asyncio.sleep", passes)
    service = Service(lost(), problem(503, "busy"), httpx.Response(200, json=TABLES))

    async def run() -> Any:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service))
        async with AsyncClient("http://a.example", http=http) as client:
            return await client.list_tables()

    assert asyncio.run(run()) == TABLES and len(service.sent) == 3


# --- Streams --------------------------------------------------------------------------------------


def entries_of(*indexes: int) -> bytes:
    """A stream of these entries, the last of which closes the table."""
    said: list[Any] = [(i, [{"table_closed": {}}] if i == indexes[-1] else []) for i in indexes]
    return b": hello\n\n" + b"".join(
        f"id: {i}\nevent: entry\ndata: {json.dumps({'events': events})}\n\n".encode() for i, events in said
    )


def test_an_async_stream_is_the_same() -> None:
    service = Service(httpx.Response(200, content=entries_of(3, 4)))

    async def run() -> list[int]:
        client = AsyncClient("http://a.example", http=httpx.AsyncClient(transport=httpx.MockTransport(service)))
        return [one["id"] async for one in client.stream_table("t", prove=False)]

    assert asyncio.run(run()) == [3, 4]


def test_a_stream_that_nobody_answers_ends() -> None:
    with pytest.raises(NoAnswer, match="streamTable"):
        list(Service(*[lost() for _ in range(99)]).client().stream_table("t"))
    with pytest.raises(NotFound):
        list(Service(problem(404, "unknown_table")).client().stream_table("t"))


def test_a_stream_may_be_left() -> None:
    service = Service(httpx.Response(200, content=entries_of(7, 8)))
    for event in service.client().stream_table("t", prove=False):
        assert event["id"] == 7
        break


def test_lines_become_events() -> None:
    parser = EventParser()
    lines = ["", ": comment", "retry: 5", "data: one", "data: two", "id: 4", "event: entry"]
    assert [parser.feed(line) for line in lines] == [None] * len(lines)
    assert parser.feed("") == {"id": 4, "event_id": "4", "event": "entry", "data": "one\ntwo"}
    for line in ("event: entry", "data: x"):
        parser.feed(line)
    with pytest.raises(BadReply):
        parser.feed("")
