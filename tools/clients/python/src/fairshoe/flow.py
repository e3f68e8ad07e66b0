"""Calls as generators: what is asked, awaited and decided is written once, and two drivers carry it out.

A flow yields steps and is sent what came of them. It does no input or output of its own, so that the plain and the
async driver (drivers.py) carry out the same flows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


class Unanswered(Exception):
    """Thrown into a flow: the connection failed, or no whole reply came in time."""


@dataclass(frozen=True)
class Request:
    """Send this; the flow is sent a `Response`. Its headers hold the token, so its repr shows none of them."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)
    body: bytes | None = field(repr=False, default=None)
    timeout: float = 30.0
    """Seconds for the whole reply, to its last byte."""
    most_bytes: int = 64 * 1024 * 1024
    first_line: Callable[[bytes], None] | None = field(repr=False, default=None)
    """Is given the first line of a reply in lines as it comes: the second may never do. It raises nothing."""


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    is_framed: bool = True
    """Whether it says where it ends, so that one that broke off can be told from a whole one."""


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class OpenStream:
    """Send this and leave the body unread; the flow is sent a `Response` whose body is empty where the status is
    200. A stream that is open is closed first."""

    request: Request


@dataclass(frozen=True)
class ReadLine:
    """Read a line of the open stream; the flow is sent the line, or None where the stream has ended."""

    timeout: float
    most_bytes: int
    is_list: bool = False
    """Every line of it ends: where the last one does not, the stream broke off."""


@dataclass(frozen=True)
class CloseStream:
    """Close the open stream, if there is one."""


@dataclass(frozen=True)
class Emit:
    """Hand a value to whoever iterates over the flow."""

    value: Any


Step = Request | Sleep | OpenStream | ReadLine | CloseStream | Emit
Flow = Generator[Step, Any, T]


def is_of_lines(media: str | None) -> bool:
    """Whether the reply to `received=first` came: the note, and then what became of the request."""
    return (media or "").partition(";")[0].strip() == "application/x-ndjson"


class Secret(str):
    """A text whose repr does not show it: a token in a reply that somebody prints or logs."""

    def __repr__(self) -> str:
        return "'(secret)'"
