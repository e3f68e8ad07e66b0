"""The two transports: what a flow asks for is carried out over httpx, plainly or with `await`.

Nothing of the protocol is here: a request goes out, a reply or `Unanswered` goes back into the flow.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

import httpx

from .flow import CloseStream, Emit, Flow, OpenStream, ReadLine, Request, Response, Sleep, Step, Unanswered
from .stream import Streams, TableEvent

T = TypeVar("T")


def _response(reply: httpx.Response, body: bytes) -> Response:
    return Response(reply.status_code, {key.lower(): value for key, value in reply.headers.items()}, body)


def _unanswered(error: httpx.HTTPError) -> Unanswered:
    return Unanswered(type(error).__name__)


def _options(request: Request) -> dict[str, Any]:
    timeout = httpx.Timeout(request.timeout, connect=min(request.timeout, 10.0))
    return {"headers": dict(request.headers), "content": request.body, "timeout": timeout}


class _Body:
    """A reply's body as it comes, bounded before it is kept."""

    def __init__(self, most: int) -> None:
        self._most, self._length = most, 0
        self._chunks: list[bytes] = []

    def add(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length > self._most:
            raise Unanswered("the reply is longer than any of its kind")
        self._chunks.append(chunk)

    def whole(self) -> bytes:
        return b"".join(self._chunks)


class PlainDriver:
    """Carries flows out one step after another."""

    _flows: Streams
    _http: httpx.Client

    def _carry_out(self, flow: Flow[T]) -> T:
        answer: Any = None
        failure: Unanswered | None = None
        with contextlib.closing(flow):
            while True:
                try:
                    step: Step = flow.send(answer) if failure is None else flow.throw(failure)
                except StopIteration as done:
                    result: T = done.value
                    return result
                answer, failure = None, None
                try:
                    answer = self._perform(step)
                except httpx.HTTPError as error:
                    failure = _unanswered(error)
                except Unanswered as error:
                    failure = error

    def _perform(self, step: Step) -> Response | None:
        if isinstance(step, Request):
            with self._http.stream(step.method, step.url, **_options(step)) as reply:
                body = _Body(step.most_bytes)
                for chunk in reply.iter_bytes():
                    body.add(chunk)
                return _response(reply, body.whole())
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
        return None

    def _iterate(self, flow: Flow[None]) -> Iterator[TableEvent]:
        answer: Any = None
        failure: Unanswered | None = None
        lines: Iterator[str] = iter(())
        with contextlib.closing(flow), contextlib.ExitStack() as stack:
            while True:
                try:
                    step: Step = flow.send(answer) if failure is None else flow.throw(failure)
                except StopIteration:
                    return
                answer, failure = None, None
                try:
                    if isinstance(step, Emit):
                        yield step.value
                    elif isinstance(step, OpenStream):
                        request = step.request
                        opened = self._http.stream(request.method, request.url, **_options(request))
                        reply = stack.enter_context(opened)
                        answer = _response(reply, b"" if reply.status_code == 200 else reply.read())
                        lines = reply.iter_lines()
                    elif isinstance(step, ReadLine):
                        answer = next(lines, None)
                    elif isinstance(step, CloseStream):
                        stack.close()
                    else:
                        answer = self._perform(step)
                except httpx.HTTPError as error:
                    failure = _unanswered(error)
                except Unanswered as error:
                    failure = error


class AsyncDriver:
    """The same with `await`."""

    _flows: Streams
    _http: httpx.AsyncClient

    async def _carry_out(self, flow: Flow[T]) -> T:
        answer: Any = None
        failure: Unanswered | None = None
        with contextlib.closing(flow):
            while True:
                try:
                    step: Step = flow.send(answer) if failure is None else flow.throw(failure)
                except StopIteration as done:
                    result: T = done.value
                    return result
                answer, failure = None, None
                try:
                    answer = await self._perform(step)
                except httpx.HTTPError as error:
                    failure = _unanswered(error)
                except Unanswered as error:
                    failure = error

    async def _perform(self, step: Step) -> Response | None:
        if isinstance(step, Request):
            async with self._http.stream(step.method, step.url, **_options(step)) as reply:
                body = _Body(step.most_bytes)
                async for chunk in reply.aiter_bytes():
                    body.add(chunk)
                return _response(reply, body.whole())
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
        return None

    async def _iterate(self, flow: Flow[None]) -> AsyncIterator[TableEvent]:
        answer: Any = None
        failure: Unanswered | None = None
        lines: AsyncIterator[str] | None = None
        with contextlib.closing(flow):
            async with contextlib.AsyncExitStack() as stack:
                while True:
                    try:
                        step: Step = flow.send(answer) if failure is None else flow.throw(failure)
                    except StopIteration:
                        return
                    answer, failure = None, None
                    try:
                        if isinstance(step, Emit):
                            yield step.value
                        elif isinstance(step, OpenStream):
                            request = step.request
                            opened = self._http.stream(request.method, request.url, **_options(request))
                            reply = await stack.enter_async_context(opened)
                            answer = _response(reply, b"" if reply.status_code == 200 else await reply.aread())
                            lines = reply.aiter_lines()
                        elif isinstance(step, ReadLine):
                            answer = await anext(lines, None) if lines is not None else None
                        elif isinstance(step, CloseStream):
                            await stack.aclose()
                        else:
                            answer = await self._perform(step)
                    except httpx.HTTPError as error:
                        failure = _unanswered(error)
                    except Unanswered as error:
                        failure = error
