"""Server-sent events of a table or tournament, with reconnects that lose nothing: `Last-Event-ID` names the last
entry that came.

A stream holds no proofs. `prove` (the default) fetches each entry's receipt and verifies it before the entry is
handed on.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator
from typing import Any, Literal, TypedDict, cast

from .core import Call, name, path
from .errors import ApiError, BadInput, BadReply, NoAnswer, NotProven
from .flow import CloseStream, Emit, Flow, OpenStream, ReadLine, Response, Sleep, Step, Unanswered
from .play import Play

MOST_LINE = 4 * 1024 * 1024
FIRST_PAUSE = 0.2
QUIET_SECONDS = 40.0
"""The service sends a comment every 15 s of silence; after this long without a byte the connection is dead."""


class TableEvent(TypedDict):
    id: int
    """The entry's index on the log."""
    event: Literal["entry", "openings", "own"]
    data: Any
    """Of an `entry` its exact text; of `openings` a list of openings; of `own` the player's own cards."""


class EventParser:
    """Lines of a `text/event-stream` become events."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> TableEvent | None:
        if len(line) > MOST_LINE:
            raise BadReply("a line of the stream is too long")
        if line == "":
            fields, self._fields = self._fields, {}
            return self._event(fields) if "data" in fields else None
        field, _, value = line.partition(":")
        if field:
            value = value.removeprefix(" ")
            before = self._fields.get(field)
            self._fields[field] = f"{before}\n{value}" if field == "data" and before is not None else value
        return None

    @staticmethod
    def _event(fields: dict[str, str]) -> TableEvent | None:
        kind, index = fields.get("event", "message"), fields.get("id", "")
        if kind not in ("entry", "openings", "own"):
            return None
        if not index.isascii() or not index.isdigit():
            raise BadReply("an event of the stream has no index")
        data: Any = fields["data"]
        if kind != "entry":
            try:
                data = json.loads(data)
            except ValueError:
                raise BadReply("an event of the stream is no JSON") from None
        return cast(TableEvent, {"id": int(index), "event": kind, "data": data})


class Streams(Play):
    """Flows that emit events; the drivers iterate over them."""

    def stream_table(
        self, table: str, *, last_event_id: int | None = None, prove: bool = True
    ) -> Generator[Step, Any, None]:
        """A table's entries as they become durable, behind `last_event_id`, or from the next one on.

        It ends after the entry that closes the table. Between connections it waits, and goes on where it was.
        """
        at = path("/v1/tables/{}/events", name(table, "table"))
        return self._stream("streamTable", at, last_event_id, prove, "table_closed")

    def stream_tournament(
        self, tournament: str, *, last_event_id: int | None = None, prove: bool = True
    ) -> Generator[Step, Any, None]:
        """A tournament's own entries as they become durable."""
        at = path("/v1/tournaments/{}/events", name(tournament, "tournament"))
        return self._stream("streamTournament", at, last_event_id, prove, None)

    def _stream(
        self, operation: str, at: str, last: int | None, prove: bool, closing: str | None
    ) -> Generator[Step, Any, None]:
        if last is not None and (type(last) is not int or last < 0):
            raise BadInput("last_event_id is the index of an entry")
        failures, answered = 0, time.monotonic()
        while True:
            call = Call(operation, "GET", at, accept="text/event-stream", timeout=QUIET_SECONDS)
            if last is not None:
                call.headers["Last-Event-ID"] = str(last)
            parser, wait = EventParser(), 0.0
            try:
                response: Response = yield OpenStream(self._request(call, self._at))
                if response.status != 200:
                    wait = self._wait_after(self._error(response), answered)
                else:
                    answered = time.monotonic()
                    while (line := (yield ReadLine())) is not None:
                        event = parser.feed(line)
                        if event is None:
                            continue
                        failures, answered = 0, time.monotonic()
                        yield from self._check_event(event, last, prove)
                        yield Emit(event)
                        if event["event"] == "entry":
                            last = event["id"]
                            if closing is not None and _closes(event["data"], closing):
                                return
            except Unanswered as error:
                if time.monotonic() > answered + self._patience:
                    raise NoAnswer(operation, failures, str(error)) from None
                self._next_address()
            yield CloseStream()
            failures += 1
            yield Sleep(max(wait, min(5.0, FIRST_PAUSE * 2 ** min(failures, 6)) * random.uniform(0.5, 1.0)))

    def _wait_after(self, error: ApiError, answered: float) -> float:
        if error.status == 421:
            self._follow_leader(error.leader)
        elif error.status not in (429, 500, 503) or time.monotonic() > answered + self._patience:
            raise error
        return float(error.retry_after or 0)

    def _check_event(self, event: TableEvent, last: int | None, prove: bool) -> Flow[None]:
        if event["event"] != "entry":
            return
        if last is not None and event["id"] <= last:
            raise NotProven("table_seq", f"entry {event['id']} comes after entry {last}", event["id"])
        if prove:
            yield from self.prove_entry(event["id"], event["data"])


def _closes(entry: str, word: str) -> bool:
    return any(word in event for event in json.loads(entry)["events"])
