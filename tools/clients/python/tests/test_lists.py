"""Lists that come line by line: what breaks off, has no end, contradicts itself, or is not what was asked for."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from test_bounds import HEAD, Drip, Pieces, drip, forever
from test_sending import TOKEN, Service, lost, problem

import fairshoe.lists
from fairshoe import AsyncClient, BadInput, BadReply, BrokenOff, Client, Unavailable, format_chips
from fairshoe.lists import MOST_ROW

__all__ = ["drip"]

STEPS = [(10, 100, 100), (11, -30, 70), (11, 5, 75), (20, -75, 0)]
TRANSACTIONS: list[dict[str, Any]] = [
    {"index": i, "time": 5, "what": "bet", "by": "player:alice", "table": None, "amount": moved, "balance": after}
    for i, moved, after in STEPS
]
PART: dict[str, Any] = {
    "round": "t:3",
    "rules": "joy",
    "begun": 1,
    "ended": 2,
    "player": "alice",
    "outcome": "won",
    "unit": "money",
    "staked": 5,
    "returned": 9,
    "net": 4,
    "cause": None,
    "first_entry": 7,
    "last_entry": 9,
}


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def told(content: bytes) -> httpx.Response:
    return httpx.Response(200, content=content, headers={"Content-Length": str(len(content))})


def transactions(*answers: Any, **options: Any) -> list[Any]:
    with Service(*answers).client(token=TOKEN, patience=0.0, **options) as client:
        return list(client.list_transactions("alice"))


def test_lines_become_transactions() -> None:
    service = Service(told(lines(*TRANSACTIONS)), told(b""))
    with service.client(token=TOKEN) as client:
        assert list(client.list_transactions("alice", since="1", until="2026-01-31T12:00:00Z")) == TRANSACTIONS
        assert list(client.list_transactions("alice")) == []
    first = service.sent[0]
    assert first.url.path == "/v1/players/alice/transactions" and first.headers["Accept"] == "application/x-ndjson"
    assert dict(first.url.params) == {"from": "1", "to": "2026-01-31T12:00:00Z"}


def test_what_is_asked_of_rounds() -> None:
    service = Service(told(lines(PART, {**PART, "round": "t:4", "outcome": "won"})))
    with service.client(token=TOKEN) as client:
        found = client.find_rounds(player="alice", table="t", outcome="won", min_staked=5, min_net=-3, max_net=4)
        assert [one["round"] for one in found] == ["t:3", "t:4"]
    wanted = {"player": "alice", "table": "t", "outcome": "won", "min_staked": "5", "min_net": "-3", "max_net": "4"}
    assert dict(service.sent[0].url.params) == wanted


def test_the_async_client_lists_the_same() -> None:
    service = Service(told(lines(*TRANSACTIONS)), told(b"round,a\r\n"), told(lines(PART)[:-1]))

    async def run() -> Any:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service))
        async with AsyncClient("http://a.example", token=TOKEN, http=http) as client:
            assert [one async for one in client.list_transactions("alice")] == TRANSACTIONS
            with pytest.raises(BadReply, match="no column"):
                [one async for one in client.find_rounds_csv()]
            with pytest.raises(BrokenOff):
                [one async for one in client.find_rounds()]

    asyncio.run(run())


def test_players_come_in_pages() -> None:
    one = {"player": "alice", "balance": 5, "guest": False, "has_key": True}
    pages = [{"players": [one], "next": "alice"}, {"players": [], "next": "mallory"}, {"players": [], "next": None}]
    service = Service(*[httpx.Response(200, json=page) for page in pages])
    with service.client(token=TOKEN) as client:
        page = client.list_players(search="a.b", limit=1)
        while page["next"]:  # A page of nobody is not the last one.
            page = client.list_players(search="a.b", cursor=page["next"], limit=1)
    cursors = [request.url.params.get("cursor") for request in service.sent]
    assert cursors == [None, "alice", "mallory"] and service.sent[0].url.params["search"] == "a.b"


# --- What breaks off, or has no end ---------------------------------------------------------------


def broken(*pieces: bytes) -> Any:
    """A body whose connection fails after these pieces."""

    def read() -> Iterator[bytes]:
        yield from pieces
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    return httpx.Response(200, content=read())


def test_a_connection_that_fails_between_two_lines() -> None:
    with pytest.raises(BrokenOff) as caught:
        transactions(broken(lines(TRANSACTIONS[0]), lines(TRANSACTIONS[1])))
    assert caught.value.lines == 2


CHUNKED = HEAD % 200 + b"Transfer-Encoding: chunked\r\n\r\n"
ROW = lines(TRANSACTIONS[0])
CHUNK = b"%x\r\n%s\r\n" % (len(ROW), ROW)


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([CHUNKED + CHUNK], BrokenOff),
        ([HEAD % 200 + b"Content-Length: 9999\r\n\r\n" + ROW], BrokenOff),
        ([HEAD % 200 + b"\r\n" + ROW], BadReply),
        ([CHUNKED + CHUNK + b"0\r\n\r\n"], None),
    ],
    ids=["chunks", "a length", "neither", "whole"],
)
def test_a_connection_that_ends_early(drip: Callable[[Pieces, float], Drip], pieces: Any, kind: Any) -> None:
    """Where a reply does not say where it ends, nobody can tell that it broke off between two lines."""
    address = drip(lambda: pieces, 0.0).address

    async def run() -> list[Any]:
        async with AsyncClient(address, patience=0.0) as client:
            return [one async for one in client.list_transactions("alice")]

    def plain() -> list[Any]:
        with Client(address, patience=0.0) as client:
            return list(client.list_transactions("alice"))

    for read in (plain, lambda: asyncio.run(run())):
        if kind is None:
            assert read() == TRANSACTIONS[:1]
        else:
            with pytest.raises(kind):
                read()


def test_an_export_that_breaks_off_between_two_lines(drip: Callable[[Pieces, float], Drip]) -> None:
    for pieces in ([HEAD % 200 + b"\r\n"], [HEAD % 200 + b"Content-Length: 2\r\n\r\n{}"]):
        with Client(drip(lambda pieces=pieces: pieces, 0.0).address, patience=0.0) as client:  # type: ignore[misc]
            with pytest.raises(BrokenOff):
                client.export_rounds()


def test_lines_without_end_are_handed_on_one_by_one(drip: Callable[[Pieces, float], Drip]) -> None:
    """Nothing is kept of them, and whoever has enough leaves."""
    row = lines({**TRANSACTIONS[0], "amount": 0})
    endless = drip(forever(CHUNKED, then=b"%x\r\n%s\r\n" % (len(row) * 50, row * 50)), 0.0)
    with Client(endless.address, patience=0.0) as client:
        assert len(list(itertools.islice(client.list_transactions("alice"), 5_000))) == 5_000


def test_a_line_without_an_end_is_not_kept(drip: Callable[[Pieces, float], Drip]) -> None:
    endless = drip(forever(CHUNKED, then=b"%x\r\n%s\r\n" % (1 << 14, b" " * (1 << 14))), 0.0)
    for csv in (False, True):
        with Client(endless.address, patience=0.0) as client, pytest.raises(BrokenOff, match="too long"):
            list(client.find_rounds_csv() if csv else client.find_rounds())
    assert endless.sent < 8 << 20
    with pytest.raises(BrokenOff, match="too long"):
        transactions(told(b" " * MOST_ROW + lines(TRANSACTIONS[0])))


def test_a_line_that_comes_a_byte_at_a_time(
    drip: Callable[[Pieces, float], Drip], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairshoe.lists, "ROW_SECONDS", 0.4)
    address = drip(forever(CHUNKED, then=b"1\r\n \r\n"), 0.05).address

    async def run() -> None:
        async with AsyncClient(address, patience=0.0) as client:
            async for _ in client.find_rounds():
                pass

    def plain() -> None:
        with Client(address, patience=0.0) as client:
            list(client.find_rounds())

    for read in (plain, lambda: asyncio.run(run())):
        began = time.monotonic()
        with pytest.raises(BrokenOff):
            read()
        assert time.monotonic() - began < 5.0


def test_before_the_first_line_it_is_asked_again(no_waiting: list[float]) -> None:
    busy = problem(503, "busy", {"Retry-After": "2"})
    service = Service(lost(), busy, told(lines(*TRANSACTIONS)))
    with service.client(token=TOKEN, patience=5.0) as client:
        assert list(client.list_transactions("alice")) == TRANSACTIONS
    assert len(service.sent) == 3 and 2.0 in no_waiting
    with pytest.raises(Unavailable):
        transactions(*[problem(503, "busy", {"Retry-After": "2"}) for _ in range(9)])


def test_a_line_that_is_no_text() -> None:
    with pytest.raises(BrokenOff):
        transactions(told(b"\xff\n"))


# --- CSV ------------------------------------------------------------------------------------------

COLUMNS = b"index,time,what,by,table,amount,balance"


def as_csv(content: bytes) -> list[str]:
    with Service(told(content)).client(token=TOKEN) as client:
        return list(client.list_transactions_csv("alice"))


def test_csv_is_handed_on_as_it_is() -> None:
    row = b"10,2026-01-31T12:00:00.000Z,bet,player:alice,'-t,-30,70"
    assert as_csv(COLUMNS + b"\r\n" + row + b"\r\n") == [COLUMNS.decode(), row.decode()]
    assert as_csv(COLUMNS + b",later\r\n") == [COLUMNS.decode() + ",later"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"index,time\r\n",
        COLUMNS + b"\r\n1,2,3\r\n",
        COLUMNS + b'\r\n1,2,"bet,4,5,6,7\r\n',
        COLUMNS + b"\r\n1,2,=cmd|' /C calc'!A0,4,5,6,7\r\n",
        COLUMNS + b'\r\n1,2,"@SUM(A1)",4,5,6,7\r\n',
        COLUMNS + b"\r\n\r\n",
    ],
    ids=["nothing", "no columns", "fewer", "an open quote", "a formula", "one in quotes", "an empty line"],
)
def test_csv_that_is_none(content: bytes) -> None:
    with pytest.raises(BadReply):
        as_csv(content)


def test_csv_that_breaks_off() -> None:
    with pytest.raises(BrokenOff):
        as_csv(COLUMNS + b"\r\n10,2026")


# --- Chips as people read them --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chips", "currency"),
    [
        (12.5, None),
        (True, None),
        (1, {"code": "EUR", "decimals": 9}),
        (1, {"code": "EUR", "decimals": -1}),
        (1, {"code": "EUR", "decimals": 10**9}),
        (1, {"code": "EUR", "decimals": True}),
        (1, {"code": "eur", "decimals": 2}),
        (1, {"code": "EUR\n", "decimals": 2}),
        (1, {"code": "<b>", "decimals": 2}),
    ],
)
def test_chips_that_cannot_be_shown(chips: Any, currency: Any) -> None:
    with pytest.raises(BadInput):
        format_chips(chips, currency)
