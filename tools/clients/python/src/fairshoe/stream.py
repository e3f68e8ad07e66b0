"""Server-sent events of a table or tournament, with reconnects that lose nothing: `Last-Event-ID` names the last
entry that came.

A stream holds no proofs. `prove` (the default) fetches each entry's receipt and verifies it before the entry is
handed on: it is of this table, none was left out before it, and the openings and own cards behind it are those of
what it shows, under the committed root.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, cast

from . import shape
from .contract import Opening, OwnCards
from .core import Call, is_too_deep, name, path
from .entries import LogEntry, read_entry
from .errors import ApiError, BadInput, BadReply, NoAnswer, NotProven
from .fairness import Composition, Malformed, card_text, check_opening, unhex
from .flow import CloseStream, Emit, Flow, OpenStream, ReadLine, Response, Sleep, Step, Unanswered
from .play import Play

MOST_LINE = 4 * 1024 * 1024
FIRST_PAUSE = 0.2
QUIET_SECONDS = 40.0
"""The service sends a comment every 15 s of silence; after this long without a byte the connection is dead."""


PARTS = ("entry", "openings", "own")
"""What a stream tells of an entry, in the order in which it is told: `80`, `80.1`, `80.2`."""


class TableEvent(TypedDict):
    id: int
    """The entry's index on the log."""
    event_id: str
    """The event's own id: as `last_event_id` a later stream goes on behind it."""
    event: Literal["entry", "openings", "own"]
    data: Any
    """Of an `entry` its exact text; of `openings` a list of openings; of `own` the player's own cards."""


class EventParser:
    """Lines of a `text/event-stream` become events."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> TableEvent | None:
        if line == "":
            fields, self._fields = self._fields, {}
            return self._event(fields) if "data" in fields else None
        field, _, value = line.partition(":")
        if field in ("id", "event", "data"):
            value = value.removeprefix(" ")
            before = self._fields.get(field)
            self._fields[field] = f"{before}\n{value}" if field == "data" and before is not None else value
            if len(self._fields[field]) > MOST_LINE:
                raise BadReply("an event of the stream is too long")
        return None

    @staticmethod
    def _event(fields: dict[str, str]) -> TableEvent | None:
        kind, index = fields.get("event", "message"), fields.get("id", "")
        if kind not in ("entry", "openings", "own"):
            return None
        at = place_of(index)
        if at is None or PARTS[at[1]] != kind:
            raise BadReply(f"an event of the stream, {kind}, has no id of its own")
        data: Any = fields["data"]
        if kind != "entry":
            try:
                data = json.loads(data)
            except (ValueError, RecursionError):
                raise BadReply("an event of the stream is no JSON") from None
            if is_too_deep(data):
                raise BadReply("an event of the stream is nested deeper than any")
            shape.check(data, list[Opening] if kind == "openings" else OwnCards, kind)
        return cast(TableEvent, {"id": at[0], "event_id": index, "event": kind, "data": data})


def place_of(event_id: str) -> tuple[int, int] | None:
    """Of which entry an event is, and which part of it."""
    found = re.fullmatch(r"(0|[1-9][0-9]{0,15})(?:\.([12]))?", event_id, re.ASCII)
    return (int(found[1]), int(found[2] or 0)) if found else None


@dataclass
class _Followed:
    """What a proving stream knows of its table or tournament."""

    of: str
    is_table: bool
    seq: int | None = None
    """The place of the newest entry in the table's own sequence."""
    entry: LogEntry | None = None
    index: int = -1
    unopened: set[tuple[int, str]] = field(default_factory=set)
    """(slot, face) that the newest entry shows, and no opening proves yet"""
    shoes: dict[int, _Committed] = field(default_factory=dict)


@dataclass
class _Committed:
    """A shoe as its proven commitment has it, and the hand that is dealt from it."""

    composition: Composition
    roots: list[bytes]
    pick: int
    seats: dict[str, int]
    """player -> seat of a hand of poker"""

    def opened(self, opening: Opening, candidate: int) -> tuple[int, str]:
        """The slot and face of an opening that leads to this candidate's root."""
        bare = {name: value for name, value in opening.items() if name != "shoe_no"}
        try:
            slot, value = check_opening(bare, self.roots[candidate], self.composition)
        except (Malformed, IndexError) as error:
            raise NotProven("opening", str(error)) from None
        return slot, str(value) if self.composition.is_wheel else card_text(value)


class Streams(Play):
    """Flows that emit events; the drivers iterate over them."""

    def stream_table(
        self, table: str, *, last_event_id: int | str | None = None, prove: bool = True
    ) -> Generator[Step, Any, None]:
        """A table's entries as they become durable, behind `last_event_id`, or from the next one on.

        That is an event's `event_id`; a number is an entry of which all is known, its openings and own cards too.
        It ends after the entry that closes the table. Between connections it waits, and goes on where it was.
        """
        at = path("/v1/tables/{}/events", name(table, "table"))
        followed = _Followed(table, True) if prove else None
        return self._stream("streamTable", at, last_event_id, followed, "table_closed")

    def stream_tournament(
        self, tournament: str, *, last_event_id: int | str | None = None, prove: bool = True
    ) -> Generator[Step, Any, None]:
        """A tournament's own entries as they become durable."""
        at = path("/v1/tournaments/{}/events", name(tournament, "tournament"))
        followed = _Followed(tournament, False) if prove else None
        return self._stream("streamTournament", at, last_event_id, followed, None)

    def _stream(
        self, operation: str, at: str, given: int | str | None, followed: _Followed | None, closing: str | None
    ) -> Generator[Step, Any, None]:
        behind = _event_id(given)
        last = None if behind is None else place_of(behind)
        if followed is not None and last is not None and last[1] < PARTS.index("own"):
            yield from self._take_up(followed, last)
        failures, answered = 0, time.monotonic()
        while True:
            call = Call(operation, "GET", at, accept="text/event-stream", timeout=QUIET_SECONDS)
            if behind is not None:
                call.headers["Last-Event-ID"] = behind
            parser, wait = EventParser(), 0.0
            try:
                response: Response = yield OpenStream(self._request(call, self._at))
                if response.status != 200:
                    wait = self._wait_after(operation, response, answered)
                else:
                    answered = time.monotonic()
                    while (line := (yield ReadLine(QUIET_SECONDS, MOST_LINE))) is not None:
                        event = parser.feed(line)
                        if event is None:
                            continue
                        failures, answered = 0, time.monotonic()
                        place = (event["id"], PARTS.index(event["event"]))
                        if last is not None and place <= last:
                            raise NotProven("table_seq", f"event {event['event_id']} comes after {behind}", event["id"])
                        if followed is not None:
                            yield from self._check_event(followed, event, None if last is None else last[0])
                        # Whoever leaves the loop here has had this event.
                        last, behind = place, event["event_id"]
                        yield Emit(event)
                        if event["event"] == "entry":
                            if closing is not None and _closes(event["data"], closing):
                                return
            except Unanswered as error:
                if time.monotonic() > answered + self._patience:
                    raise NoAnswer(operation, failures, str(error)) from None
                self._next_address()
            yield CloseStream()
            failures += 1
            yield Sleep(max(wait, min(5.0, FIRST_PAUSE * 2 ** min(failures, 6)) * random.uniform(0.5, 1.0)))

    def _wait_after(self, operation: str, response: Response, answered: float) -> float:
        if response.status < 400:
            raise BadReply(f"{operation}: status {response.status}, which no call has")
        error: ApiError = self._error(response)
        wait = float(error.retry_after or 0)
        # As with any call: a wait that is longer than the patience that is left is not begun.
        if error.status not in (421, 429, 500, 503) or time.monotonic() + wait > answered + self._patience:
            raise error
        if error.status == 421 and not self._follow_leader(error.leader):
            self._next_address()
        return wait

    # --- What a proving stream checks -----------------------------------------------------------

    def _take_up(self, followed: _Followed, last: tuple[int, int]) -> Flow[None]:
        """Goes on behind an event of which more may come: what the entry shows is known again, to hold it to that."""
        index, part = last
        text = yield from self.text(Call("getEntry", "GET", path("/v1/entries/{}", index)))
        try:
            entry = read_entry(text)
        except Malformed as error:
            raise NotProven("entry_form", str(error), index) from None
        yield from self.prove_entry(index, text)
        if entry.table != followed.of or entry.seq is None:
            raise BadInput(f"entry {index} is not of {followed.of}")
        followed.seq, followed.entry, followed.index = entry.seq, entry, index
        if PARTS[part] == "entry":
            followed.unopened = _to_open(entry, index)

    def _check_event(self, followed: _Followed, event: TableEvent, last: int | None) -> Flow[None]:
        if event["event"] == "entry":
            yield from self._check_entry(followed, event["id"], event["data"], last)
            return
        if followed.entry is None or event["id"] != followed.index:
            raise NotProven("opening_extra", "openings or cards that are not of the entry before them", event["id"])
        if event["event"] == "openings":
            yield from self._check_openings(followed, event["data"])
        else:
            yield from self._check_own(followed, event["data"])

    def _check_entry(self, followed: _Followed, index: int, text: str, last: int | None) -> Flow[None]:
        if followed.unopened:
            slot, face = min(followed.unopened)
            raise NotProven("opening_missing", f"{face} was shown in slot {slot} without an opening", followed.index)
        yield from self.prove_entry(index, text)
        try:
            entry = read_entry(text)
        except Malformed as error:
            raise NotProven("entry_form", str(error), index) from None
        if entry.table != followed.of or entry.seq is None:
            raise NotProven("bundle_order", f"an entry of {entry.table}, not of {followed.of}", index)
        if followed.seq is None and last is not None and entry.seq > 0:
            # Whoever goes on behind an entry is told all that came since: the one before this is not after that one.
            before = yield from self._list_own(followed, entry.seq - 1, 1)
            if not before or before[0][0] > last:
                raise NotProven("table_seq", f"entries between entry {last} and this one were left out", index)
        elif followed.seq is not None and entry.seq != followed.seq + 1:
            raise NotProven("table_seq", f"place {entry.seq} follows place {followed.seq}", index)
        followed.seq, followed.entry, followed.index = entry.seq, entry, index
        followed.unopened = _to_open(entry, index)

    def _list_own(self, followed: _Followed, from_seq: int, limit: int) -> Flow[list[tuple[int, str]]]:
        ask = self.list_table_entries if followed.is_table else self.list_tournament_entries
        reply = yield from ask(followed.of, from_seq=from_seq, limit=limit)
        return [(item["index"], item["entry"]) for item in reply["entries"]]

    def _committed(self, followed: _Followed, shoe_no: int) -> Flow[_Committed]:
        """The shoe's commitment, proven, and of a hand of poker which candidate its seeds picked and who sits where."""
        known = followed.shoes.get(shoe_no)
        if known is not None:
            return known
        shoe = yield from self.get_shoe(followed.of, shoe_no)
        try:
            composition = Composition.read(shoe["composition"])
            roots = [unhex(one["root"]) for one in shoe["candidates"]]
        except Malformed as error:
            raise NotProven("shoe_committed", str(error), shoe["committed"]["index"]) from None
        made = _Committed(composition, roots, 0, {})
        if len(roots) > 1:
            start = read_entry(shoe["committed"]["entry"]).seq or 0
            while (listed := (yield from self._list_own(followed, start, 256))) and listed[0][0] <= followed.index:
                for index, text in listed:
                    if index <= followed.index:
                        _learn_hand(made, read_entry(text))
                start += len(listed)
        followed.shoes.clear()
        followed.shoes[shoe_no] = made
        return made

    def _check_openings(self, followed: _Followed, openings: list[Opening]) -> Flow[None]:
        assert followed.entry is not None
        shown = _faces(followed.entry, followed.index)
        for opening in openings:
            if "shoe_no" not in opening:
                raise NotProven("opening_extra", "an opening of no shoe", followed.index)
            shoe = yield from self._committed(followed, opening["shoe_no"])
            face = shoe.opened(opening, shoe.pick)
            if face not in shown:
                raise NotProven("face_false", f"slot {face[0]} holds {face[1]}, which the entry does not show there")
            followed.unopened.discard(face)

    def _check_own(self, followed: _Followed, own: OwnCards) -> Flow[None]:
        """A player's hole cards: the committed values of just the slots that this entry dealt to them."""
        assert followed.entry is not None
        shoe = yield from self._committed(followed, own["shoe_no"])
        place = f"{shoe.seats.get(self.player or '')}/1"
        dealt = [event.fields for event in followed.entry.events if event.word == "dealt" and event.in_play]
        slots = sorted(one["slot"] for one in dealt if one["to"] == place)
        if own["candidate"] != shoe.pick or sorted(one["slot"] for one in own["openings"]) != slots or not slots:
            raise NotProven("opening", "own cards in other slots than those dealt to this player", followed.index)
        if [shoe.opened(one, shoe.pick)[1] for one in own["openings"]] != own["cards"]:
            raise NotProven("opening", "own cards other than those opened", followed.index)


def _event_id(given: int | str | None) -> str | None:
    """The event that a caller goes on behind: of an entry that is named by its number the last that there can be."""
    if given is None:
        return None
    behind = f"{given}.2" if type(given) is int else given
    if not isinstance(behind, str) or place_of(behind) is None:
        raise BadInput("last_event_id is the id of an event, or the index of an entry")
    return behind


def _to_open(entry: LogEntry, index: int) -> set[tuple[int, str]]:
    """The faces of an entry that openings have to prove: none where its own seeds do."""
    is_out = any(event.word in ("shoe_revealed", "shoe_sealed") for event in entry.events)
    return set() if is_out else _faces(entry, index)


def _faces(entry: LogEntry, index: int) -> set[tuple[int, str]]:
    """(slot, face) of each card or spin that an entry shows."""
    found = set()
    try:
        for event in entry.events:
            if event.word in ("dealt", "turned") and "card" in event.fields:
                found.add((event.fields["slot"], event.fields["card"]))
            elif event.word == "spun":
                found.add((event.fields["slot"], str(event.fields["value"])))
    except (KeyError, TypeError):
        raise NotProven("entry_form", "an event's fields are not of their form", index) from None
    return found


def _learn_hand(shoe: _Committed, entry: LogEntry) -> None:
    try:
        for event in entry.events:
            if event.word == "round_opened":
                shoe.pick = range(len(shoe.roots)).index(event.fields["pick"])
            elif event.word == "hand_begun":
                shoe.seats = {one["player"]: one["due"]["seat"] for one in event.fields["hand"]["seats"]}
    except (KeyError, TypeError, ValueError):
        raise NotProven("entry_form", "an event's fields are not of their form") from None


def _closes(entry: str, word: str) -> bool:
    try:
        return any(word in event for event in json.loads(entry)["events"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadReply("an entry of the stream cannot be read") from None
