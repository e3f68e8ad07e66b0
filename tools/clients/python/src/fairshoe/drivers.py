"""The two transports: what a flow asks for is carried out over httpx, plainly or with `await`.

Nothing of the protocol is here: a request goes out, a reply or `Unanswered` goes back into the flow. Size and time of
whatever comes are bounded here: a reply that never ends, or comes a byte at a time, would hold a client for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

import httpx

from .errors import BadReply
from .fairness import Malformed
from .flow import CloseStream, Emit, Flow, OpenStream, ReadLine, Request, Response, Sleep, Step, Unanswered, is_of_lines
from .stream import Streams

T = TypeVar("T")

MOST_ERROR_BYTES = 1024 * 1024
"""Of the body of a refusal; the longest, with a signed note, has an eighth of it."""


MOST_UNPACKED = 64 * 1024
"""Bytes of a packed reply that are unpacked at once."""


def _options(request: Request) -> dict[str, Any]:
    timeout = httpx.Timeout(request.timeout, connect=min(request.timeout, 10.0))
    # A redirect is not followed, whatever the httpx client that was given does: the token would go where it leads.
    return {
        "headers": {**request.headers, "accept-encoding": "gzip"},
        "content": request.body,
        "timeout": timeout,
        "follow_redirects": False,
    }


class _Running(Generic[T]):
    """A flow under way: the next step comes out, and what came of it goes in."""

    def __init__(self, flow: Flow[T]) -> None:
        self._flow = flow
        self.answer: Any = None
        self._failure: Unanswered | None = None
        self.result: T

    def next_step(self) -> Step | None:
        """The next step, or None when the flow is over and `result` is there."""
        answer, failure = self.answer, self._failure
        self.answer = self._failure = None
        try:
            return self._flow.send(answer) if failure is None else self._flow.throw(failure)
        except StopIteration as done:
            self.result = done.value
            return None
        except (Malformed, UnicodeError, RecursionError) as error:
            # What no check before has caught: a reply made to trip whoever reads it.
            raise BadReply(f"a reply cannot be read: {type(error).__name__}") from None

    @contextlib.contextmanager
    def performing(self) -> Iterator[None]:
        """What fails while a step is performed goes into the flow as `Unanswered`.

        A hostile head or address makes httpx raise more than its own HTTPError: InvalidURL, a ValueError of a codec.
        """
        try:
            yield
        except Unanswered as error:
            self._failure = error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError, TimeoutError) as error:
            self._failure = Unanswered(type(error).__name__)
        except asyncio.TimeoutError:  # Another class than TimeoutError in Python 3.10.
            self._failure = Unanswered("TimeoutError")


class _Body:
    """A reply's body as it comes, bounded before it is kept."""

    def __init__(self, reply: httpx.Response, most: int, first_line: Callable[[bytes], None] | None = None) -> None:
        self._reply = reply
        is_lines = reply.status_code == 200 and is_of_lines(reply.headers.get("content-type"))
        self._first_line = first_line if is_lines else None
        self._most = most if reply.status_code < 400 else min(most, MOST_ERROR_BYTES)
        self._length = 0
        self._chunks: list[bytes] = []

    def add(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length > self._most:
            raise Unanswered("the reply is longer than any of its kind")
        self._chunks.append(chunk)
        if self._first_line is not None and b"\n" in chunk:
            self._first_line(b"".join(self._chunks).partition(b"\n")[0])
            self._first_line = None

    def response(self) -> Response:
        headers = {key.lower(): value for key, value in self._reply.headers.items()}
        # Of HTTP/1 a body without either lasts until the connection ends, for whatever reason.
        is_framed = "content-length" in headers or "transfer-encoding" in headers
        is_framed = is_framed or not self._reply.http_version.startswith("HTTP/1")
        return Response(self._reply.status_code, headers, b"".join(self._chunks), is_framed)


class _Unpacking:
    """A reply's bytes, unpacked a little at a time.

    httpx unpacks each chunk whole, and one of 64 KiB may stand for gigabytes.
    """

    def __init__(self, reply: httpx.Response) -> None:
        # A transport that is not a network's has read it already.
        self.is_read = reply.is_stream_consumed
        encoding = "identity" if self.is_read else reply.headers.get("content-encoding", "identity")
        if encoding not in ("identity", "gzip"):
            raise Unanswered("the reply is packed in a way that was not asked for")
        self._gzip = zlib.decompressobj(31) if encoding == "gzip" else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        if self._gzip is None:
            yield chunk
            return
        while chunk:
            try:
                yield self._gzip.decompress(chunk, MOST_UNPACKED)
            except zlib.error:
                raise Unanswered("the reply cannot be unpacked") from None
            chunk = self._gzip.unconsumed_tail


def _chunks(reply: httpx.Response) -> Iterator[bytes]:
    unpacking = _Unpacking(reply)
    for chunk in reply.iter_bytes() if unpacking.is_read else reply.iter_raw():
        yield from unpacking.pieces(chunk)


async def _chunks_async(reply: httpx.Response) -> AsyncIterator[bytes]:
    unpacking = _Unpacking(reply)
    async for chunk in reply.aiter_bytes() if unpacking.is_read else reply.aiter_raw():
        for piece in unpacking.pieces(chunk):
            yield piece


class _Lines:
    """The bytes of a stream as lines. One that does not end is given up before it fills the memory."""

    def __init__(self) -> None:
        self._left = bytearray()

    def add(self, chunk: bytes) -> None:
        self._left += chunk

    def end(self, step: ReadLine) -> None:
        if step.is_list and self._left:
            raise Unanswered("it ends within a line")

    def next_line(self, most: int) -> str | None:
        end = self._left.find(b"\n")
        if end > most or (end < 0 and len(self._left) > most):
            raise Unanswered("a line of the stream is too long")
        if end < 0:
            return None
        line = bytes(self._left[:end]).removesuffix(b"\r")
        del self._left[: end + 1]
        return line.decode()


class _Watch:
    """Ends the connections of a plain client when a step takes too long.

    httpx bounds each read and not their sum, and a plain read cannot be ended but by its socket. httpcore tells of
    each connection that it makes.
    """

    def __init__(self) -> None:
        self._open: list[socket.socket] = []

    def trace(self, event: str, info: dict[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            made = info["return_value"].get_extra_info("socket")
            if isinstance(made, socket.socket):
                self._open = [one for one in self._open if one.fileno() >= 0] + [made]

    def _end(self) -> None:
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[Callable[[], None]]:
        """Within it everything has to be done in time; the value raises when it is over."""
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        until = time.monotonic() + seconds

        def check() -> None:
            if time.monotonic() > until:
                raise Unanswered("the reply did not end in time")

        timer.start()
        try:
            yield check
        finally:
            timer.cancel()


class PlainDriver:
    """Carries flows out one step after another."""

    _flows: Streams
    _http: httpx.Client

    @functools.cached_property
    def _watch(self) -> _Watch:
        return _Watch()

    def _carry_out(self, flow: Flow[T]) -> T:
        running = _Running(flow)
        with contextlib.closing(flow):
            while (step := running.next_step()) is not None:
                with running.performing():
                    running.answer = self._perform(step)
        return running.result

    def _opened(self, request: Request) -> contextlib.AbstractContextManager[httpx.Response]:
        options = {**_options(request), "extensions": {"trace": self._watch.trace}}
        return self._http.stream(request.method, request.url, **options)

    def _perform(self, step: Step) -> Response | None:
        if isinstance(step, Request):
            with self._watch.limit(step.timeout) as check, self._opened(step) as reply:
                return self._read(reply, step, check)
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
        return None

    def _read(self, reply: httpx.Response, request: Request, check: Callable[[], None]) -> Response:
        body = _Body(reply, request.most_bytes, request.first_line)
        for chunk in _chunks(reply):
            check()
            body.add(chunk)
        check()  # A connection that the watch ended looks like a body that ends.
        return body.response()

    def _iterate(self, flow: Flow[None]) -> Iterator[Any]:
        running = _Running(flow)
        chunks: Iterator[bytes] = iter(())
        lines = _Lines()
        with contextlib.closing(flow), contextlib.ExitStack() as stack:
            while (step := running.next_step()) is not None:
                if isinstance(step, Emit):
                    yield step.value
                    continue
                with running.performing():
                    if isinstance(step, OpenStream):
                        stack.close()
                        with self._watch.limit(step.request.timeout) as check:
                            reply = stack.enter_context(self._opened(step.request))
                            if reply.status_code == 200:
                                running.answer = _Body(reply, 0).response()
                            else:
                                running.answer = self._read(reply, step.request, check)
                        chunks, lines = _chunks(reply), _Lines()
                    elif isinstance(step, ReadLine):
                        # Of a list many lines come at once; a watch for each of them would be a thread for each.
                        line = lines.next_line(step.most_bytes)
                        running.answer = line if line is not None else self._next_line(step, lines, chunks)
                    elif isinstance(step, CloseStream):
                        stack.close()
                    else:
                        running.answer = self._perform(step)

    def _next_line(self, step: ReadLine, lines: _Lines, chunks: Iterator[bytes]) -> str | None:
        with self._watch.limit(step.timeout) as check:
            while (line := lines.next_line(step.most_bytes)) is None:
                chunk = next(chunks, None)
                check()
                if chunk is None:
                    lines.end(step)
                    break
                lines.add(chunk)
        return line


class AsyncDriver:
    """The same with `await`."""

    _flows: Streams
    _http: httpx.AsyncClient

    async def _carry_out(self, flow: Flow[T]) -> T:
        running = _Running(flow)
        with contextlib.closing(flow):
            while (step := running.next_step()) is not None:
                with running.performing():
                    running.answer = await self._perform(step)
        return running.result

    def _opened(self, request: Request) -> contextlib.AbstractAsyncContextManager[httpx.Response]:
        return self._http.stream(request.method, request.url, **_options(request))

    async def _perform(self, step: Step) -> Response | None:
        if isinstance(step, Request):
            return await asyncio.wait_for(self._request(step), step.timeout)
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
        return None

    async def _request(self, request: Request) -> Response:
        async with self._opened(request) as reply:
            return await self._read(reply, request)

    async def _read(self, reply: httpx.Response, request: Request) -> Response:
        body = _Body(reply, request.most_bytes, request.first_line)
        async for chunk in _chunks_async(reply):
            body.add(chunk)
        return body.response()

    async def _iterate(self, flow: Flow[None]) -> AsyncIterator[Any]:
        running = _Running(flow)
        chunks: AsyncIterator[bytes] | None = None
        lines = _Lines()

        async def open_stream(request: Request) -> Response:
            nonlocal chunks, lines
            await stack.aclose()
            reply = await stack.enter_async_context(self._opened(request))
            chunks, lines = _chunks_async(reply), _Lines()
            return _Body(reply, 0).response() if reply.status_code == 200 else await self._read(reply, request)

        async def read_line(step: ReadLine) -> str | None:
            while (line := lines.next_line(step.most_bytes)) is None:
                if chunks is None or (chunk := await anext(chunks, None)) is None:
                    lines.end(step)
                    break
                lines.add(chunk)
            return line

        with contextlib.closing(flow):
            async with contextlib.AsyncExitStack() as stack:
                while (step := running.next_step()) is not None:
                    if isinstance(step, Emit):
                        yield step.value
                        continue
                    with running.performing():
                        if isinstance(step, OpenStream):
                            running.answer = await asyncio.wait_for(open_stream(step.request), step.request.timeout)
                        elif isinstance(step, ReadLine):
                            line = lines.next_line(step.most_bytes)
                            if line is None:
                                line = await asyncio.wait_for(read_line(step), step.timeout)
                            running.answer = line
                        elif isinstance(step, CloseStream):
                            await stack.aclose()
                        else:
                            running.answer = await self._perform(step)
