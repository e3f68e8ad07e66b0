"""Replies without an end: too long, too slow, or both. A socket of its own answers, since httpx's mock has no time."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import fairshoe.core
import fairshoe.stream
from fairshoe import AsyncClient, BadReply, Client, FairshoeError, NoAnswer

HEAD = b"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\n"
SLOW = 0.05
SECONDS = 0.6
"""The time that the tests give a reply; a drip goes on for much longer."""
Pieces = Callable[[], Iterable[bytes]]


class Drip:
    """Answers each connection with pieces, at a pace, until they end or the other side has gone."""

    def __init__(self, pieces: Pieces, pace: float) -> None:
        self._pieces, self._pace = pieces, pace
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.sent = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                for piece in self._pieces():
                    connection.sendall(piece)
                    self.sent += len(piece)
                    time.sleep(self._pace)
            except OSError:
                pass

    def close(self) -> None:
        self._listening.close()


def forever(*first: bytes, then: bytes) -> Pieces:
    return lambda: itertools.chain(first, itertools.repeat(then))


SLOW_REPLIES = {
    "a head": forever(HEAD % 200, then=b"x"),
    "a body": forever(HEAD % 200 + b"\r\n", then=b" "),
    "an error": forever(HEAD % 503 + b"\r\n", then=b" "),
    "a chunk": forever(HEAD % 200 + b"Transfer-Encoding: chunked\r\n\r\n", then=b"1\r\n \r\n"),
}


@pytest.fixture
def drip() -> Iterator[Callable[[Pieces, float], Drip]]:
    made: list[Drip] = []

    def make(pieces: Pieces, pace: float) -> Drip:
        made.append(Drip(pieces, pace))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def seconds() -> float:
    return SECONDS


NO_HURRY = pytest.mark.parametrize("seconds", [60.0], ids=[""])
"""Of what is bounded by its length: on a busy machine the time must not end it first."""


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(fairshoe.stream, "QUIET_SECONDS", seconds)
    real = fairshoe.core.Call.__init__

    def made(call: Any, *given: Any, **options: Any) -> None:
        real(call, *given, **options)
        call.timeout, call.most_bytes = seconds, 2 << 20

    monkeypatch.setattr(fairshoe.core.Call, "__init__", made)


def in_time(what: Callable[[], Any]) -> None:
    began = time.monotonic()
    with pytest.raises(FairshoeError):
        what()
    assert time.monotonic() - began < 8 * SECONDS


async def list_tables(address: str) -> None:
    async with AsyncClient(address, patience=0.0) as client:
        await client.list_tables()


async def stream(address: str) -> None:
    async with AsyncClient(address, patience=0.0) as client:
        async for _ in client.stream_table("t"):
            pass


@pytest.mark.parametrize("what", SLOW_REPLIES)
def test_a_byte_now_and_then_is_no_reply(drip: Callable[[Pieces, float], Drip], what: str) -> None:
    address = drip(SLOW_REPLIES[what], SLOW).address
    with Client(address, patience=0.0) as client:
        in_time(client.list_tables)
    in_time(lambda: asyncio.run(list_tables(address)))


@pytest.mark.parametrize("what", ["a head", "an error", "a line"], ids=["a head", "an error", "a line"])
def test_a_stream_of_a_byte_now_and_then(drip: Callable[[Pieces, float], Drip], what: str) -> None:
    pieces = {**SLOW_REPLIES, "a line": forever(HEAD % 200 + b"\r\n", then=b"x")}[what]
    address = drip(pieces, SLOW).address
    with Client(address, patience=0.0) as client:
        in_time(lambda: list(client.stream_table("t")))
    in_time(lambda: asyncio.run(stream(address)))


@NO_HURRY
@pytest.mark.parametrize("status", [200, 500])
def test_what_is_longer_than_any_of_its_kind_is_not_kept(drip: Callable[[Pieces, float], Drip], status: int) -> None:
    """An error is bounded by less than a reply."""
    endless = drip(forever(HEAD % status + b"\r\n", then=bytes(1 << 16)), 0.0)
    with Client(endless.address, patience=0.0) as client, pytest.raises(NoAnswer, match="longer than any"):
        client.list_tables()
    assert endless.sent < 8 << 20


@NO_HURRY
def test_a_line_of_a_stream_without_an_end_is_not_kept(drip: Callable[[Pieces, float], Drip]) -> None:
    endless = drip(forever(HEAD % 200 + b"\r\ndata: ", then=b"x" * (1 << 16)), 0.0)
    with Client(endless.address, patience=0.0) as client, pytest.raises(NoAnswer, match="too long"):
        list(client.stream_table("t"))

    async def run() -> None:
        with pytest.raises(NoAnswer, match="too long"):
            await stream(endless.address)

    asyncio.run(run())


def test_an_event_of_lines_without_end_is_refused(drip: Callable[[Pieces, float], Drip]) -> None:
    endless = drip(forever(HEAD % 200 + b"\r\n", then=b"data: " + b"x" * 65_000 + b"\n"), 0.0)
    with Client(endless.address, patience=0.0) as client, pytest.raises(BadReply, match="too long"):
        list(client.stream_table("t"))


PACKED = gzip.compress(bytes(64 << 20))
PACKED_REPLIES = {
    "once": (b"gzip", PACKED),
    "twice": (b"gzip, gzip", gzip.compress(PACKED)),
}


@NO_HURRY
@pytest.mark.parametrize("what", PACKED_REPLIES)
def test_a_packed_reply_is_unpacked_a_little_at_a_time(drip: Callable[[Pieces, float], Drip], what: str) -> None:
    encoding, body = PACKED_REPLIES[what]
    address = drip(lambda: iter([HEAD % 200 + b"Content-Encoding: " + encoding + b"\r\n\r\n" + body]), 0).address
    tracemalloc.start()
    with Client(address, patience=0.0) as client, pytest.raises(FairshoeError):
        client.list_tables()
    with pytest.raises(FairshoeError):
        asyncio.run(list_tables(address))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
