"""A proving stream against a service that leaves out, mixes in, or invents. Its log is spec/vectors/entries-joy.json,
signed anew by small_log.py, with the openings that its own seeds give."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import vectors
from small_log import SmallLog, path_to
from test_sending import problem

from fairshoe import AsyncClient, BadReply, Client, NotProven, TooMany, Unproven
from fairshoe.fairness import Composition, card_code, derive_shoe, slot_leaf

TEXTS = vectors("entries-joy.json")["entries"]
ENTRIES = [json.loads(text) for text in TEXTS]
LOG = SmallLog(*TEXTS[:200])
TABLE = "t1"
OWN = [i for i, entry in enumerate(ENTRIES[:200]) if entry.get("at", {}).get("table") == TABLE]
FIRST_DEAL = next(i for i in OWN if '"dealt"' in TEXTS[i])
Change = Callable[[list[tuple[int, str, Any]]], None]


pytestmark = pytest.mark.usefixtures("no_waiting")


def of_events(word: str, index: int) -> list[Any]:
    events = [event.get("play", event) for event in ENTRIES[index]["events"]]
    return [event[word] for event in events if word in event]


def committed_in(shoe_no: int) -> int:
    return next(i for i in OWN for one in of_events("shoe_committed", i) if one["shoe_no"] == shoe_no)


def openings_of(index: int) -> list[Any]:
    """The openings of the faces that an entry shows, made from the seed that comes out later."""
    shown = [one for one in of_events("dealt", index) + of_events("turned", index) if "card" in one]
    if not shown:
        return []
    shoe_no = max(one["shoe_no"] for i in OWN if i <= index for one in of_events("shoe_committed", i))
    revealed = [one for i in OWN for one in of_events("shoe_revealed", i) if one["shoe_no"] == shoe_no]
    composition = Composition.read(of_events("shoe_committed", committed_in(shoe_no))[0]["composition"])
    derived = derive_shoe(bytes.fromhex(revealed[0]["seeds"][0]), composition)
    leaves = [slot_leaf(salt, slot, value) for slot, (salt, value) in enumerate(zip(derived.salts, derived.values))]
    found = []
    for one in shown:
        slot, value = one["slot"], card_code(one["card"])
        assert derived.values[slot] == value
        path, salt = [hashed.hex() for hashed in path_to(slot, leaves)], derived.salts[slot].hex()
        # From the leaf up, as an inclusion proof has it.
        found.append({"shoe_no": shoe_no, "slot": slot, "value": value, "salt": salt, "path": path})
    return found


def sound(first: int = 0, count: int = 12) -> list[tuple[int, str, Any]]:
    """Events of the table: its entries from the `first` on, with their openings."""
    events: list[tuple[int, str, Any]] = []
    for index in OWN[first : first + count]:
        events.append((index, "entry", TEXTS[index]))
        if openings := openings_of(index):
            events.append((index, "openings", openings))
    return events


def text_of(events: list[tuple[int, str, Any]]) -> str:
    told = [(i, kind, data if kind == "entry" else json.dumps(data)) for i, kind, data in events]
    part = {"entry": "", "openings": ".1", "own": ".2"}
    return "".join(f"id: {i}{part[kind]}\nevent: {kind}\ndata: {data}\n\n" for i, kind, data in told)


class Service:
    """Answers for LOG, honestly but for the stream."""

    def __init__(self, events: list[tuple[int, str, Any]]) -> None:
        self.streams = [httpx.Response(200, text=text_of(events))]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path, query = request.url.path, request.url.params
        if path.endswith("/events"):
            return self.streams.pop(0) if self.streams else problem(404, "unknown_table")
        if found := re.fullmatch(r"/v1/entries/(\d+)", path):
            return httpx.Response(200, text=TEXTS[int(found[1])])
        if found := re.fullmatch(r"/v1/receipts/(\d+)", path):
            return httpx.Response(200, text=LOG.receipt(int(found[1]))["proof"])
        if found := re.fullmatch(r"/v1/shoes/t1/(\d+)", path):
            at = committed_in(int(found[1]))
            shoe = of_events("shoe_committed", at)[0]
            more = {"seeds": None, "committed": LOG.receipt(at), "revealed": None, "sealed": None, "cause": None}
            return httpx.Response(200, json={**shoe, **more})
        if path.endswith("/entries"):
            seq = int(query["from_seq"])
            items = [
                {"index": i, "seq": seq + n, "entry": TEXTS[i], "proof": LOG.proof(i)}
                for n, i in enumerate(OWN[seq : seq + int(query["limit"])])
            ]
            told = {"table": TABLE, "entries": items, "next_seq": seq + len(items), "closed": False, "size": 200}
            return httpx.Response(200, json={**told, "checkpoint": LOG.checkpoint})
        return problem(404, "not_found")

    def client(self, **options: Any) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Client("http://a.example", log_key=LOG.key, patience=3.0, http=http, **options)


def read(events: list[tuple[int, str, Any]], **options: Any) -> list[Any]:
    got = []
    with Service(events).client() as client, pytest.raises((NotProven, BadReply)) as caught:
        for event in client.stream_table(TABLE, **options):
            got.append(event)
    raise caught.value


def test_a_sound_stream_is_handed_on() -> None:
    events = sound()
    with Service(events).client() as client:
        stream = client.stream_table(TABLE)
        assert [(one["id"], one["event"]) for one in itertools.islice(stream, len(events))] == [
            (i, kind) for i, kind, _ in events
        ]
    with Service(sound(3)).client() as client:
        assert next(iter(client.stream_table(TABLE, last_event_id=OWN[2])))["id"] == OWN[3]


def test_a_stream_that_was_left_behind_an_entry_goes_on_with_its_openings() -> None:
    events = sound()
    at = next(n for n, event in enumerate(events) if event[1] == "openings")
    behind = str(events[at][0])
    with Service(events[at:]).client() as client:
        stream = client.stream_table(TABLE, last_event_id=behind)
        told = [one["event_id"] for one in itertools.islice(stream, 2)]
    assert told == [f"{behind}.1", str(events[at + 1][0])]
    with Service(events[at + 1 :]).client() as client:
        assert next(iter(client.stream_table(TABLE, last_event_id=f"{behind}.1")))["id"] == events[at + 1][0]
    # The openings of an entry that shows cards may not be left out, and are held to it.
    for rest, check in ((events[at + 1 :], "opening_missing"), (events[at:], "opening")):
        if check == "opening":
            other_value(rest)
        with pytest.raises(NotProven) as caught:
            read(rest, last_event_id=behind)
        assert caught.value.check == check


def leave_out(events: list[tuple[int, str, Any]]) -> None:
    del events[2]


def mix_in(events: list[tuple[int, str, Any]]) -> None:
    events.insert(0, (4, "entry", TEXTS[4]))


def at_deal(events: list[tuple[int, str, Any]]) -> list[Any]:
    opened: list[Any] = next(data for _, kind, data in events if kind == "openings")
    return opened


def other_value(events: list[tuple[int, str, Any]]) -> None:
    at_deal(events)[0]["value"] = (at_deal(events)[0]["value"] + 1) % 52


def one_less(events: list[tuple[int, str, Any]]) -> None:
    at_deal(events).pop()


def none_at_all(events: list[tuple[int, str, Any]]) -> None:
    events[:] = [event for event in events if event[1] != "openings"]


def of_no_entry(events: list[tuple[int, str, Any]]) -> None:
    events.insert(0, next(event for event in events if event[1] == "openings"))


def own_cards(events: list[tuple[int, str, Any]]) -> None:
    opened = [{**one, "shoe_no": 0} for one in openings_of(FIRST_DEAL)[:1]]
    own = {"round": "t1:0", "shoe_no": 0, "candidate": 0, "cards": ["As"], "openings": opened}
    at = next(n for n, event in enumerate(events) if event[1] == "openings")
    events.insert(at + 1, (events[at][0], "own", own))


def no_openings(events: list[tuple[int, str, Any]]) -> None:
    at = next(n for n, event in enumerate(events) if event[1] == "openings")
    events[at] = (events[at][0], "openings", {"slot": 1})


LIES: list[tuple[Change, str]] = [
    (leave_out, "table_seq"),
    (mix_in, "bundle_order"),
    (other_value, "opening"),
    (one_less, "opening_missing"),
    (none_at_all, "opening_missing"),
    (of_no_entry, "opening_extra"),
    (own_cards, "opening"),
]


@pytest.mark.parametrize(("lie", "check"), LIES, ids=[lie.__name__ for lie, _ in LIES])
def test_a_lie_in_a_stream_is_caught(lie: Change, check: str) -> None:
    events = sound()
    lie(events)
    with pytest.raises(NotProven) as caught:
        read(events)
    assert caught.value.check == check, str(caught.value)


def test_a_good_opening_of_another_card_is_caught() -> None:
    events = sound()
    derived = openings_of(FIRST_DEAL)
    shown = {one["slot"] for one in derived}
    hidden = next(one["slot"] for one in of_events("dealt", FIRST_DEAL) if "card" not in one)
    assert hidden not in shown
    turned = next(i for i in OWN if i > FIRST_DEAL and of_events("turned", i))
    at_deal(events)[0] = next(one for one in openings_of(turned) if one["slot"] == hidden)
    with pytest.raises(NotProven) as caught:
        read(events)
    assert caught.value.check == "face_false"


def test_entries_between_the_last_event_and_the_first_of_the_stream() -> None:
    with pytest.raises(NotProven) as caught:
        read(sound(4), last_event_id=OWN[1])
    assert caught.value.check == "table_seq"


def test_openings_of_another_form() -> None:
    events = sound()
    no_openings(events)
    with pytest.raises(BadReply):
        read(events)


def test_the_list_of_another_tables_entries_is_caught() -> None:
    """Each of them is on the log."""
    service = Service([])

    def lie(request: httpx.Request) -> httpx.Response:
        reply = service(request)
        if request.url.path.endswith("/entries"):
            told = json.loads(reply.content)
            told["table"] = "t2"
            return httpx.Response(200, json=told)
        return reply

    http = httpx.Client(transport=httpx.MockTransport(lie))
    with Client("http://a.example", log_key=LOG.key, http=http) as client:
        for table in ("t1", "t2"):
            with pytest.raises(NotProven):
                client.list_table_entries(table, limit=5)


def test_a_wait_of_a_stream_is_bounded_by_patience(no_waiting: list[float]) -> None:
    service = Service([])
    service.streams = [problem(429, "rate_limited", {"Retry-After": "999999"})]
    with service.client() as client, pytest.raises(TooMany):
        list(client.stream_table(TABLE))
    assert sum(no_waiting) <= 3.0


def test_an_async_stream_is_proven_too() -> None:
    events = sound()
    leave_out(events)

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(Service(events)))
        async with AsyncClient("http://a.example", log_key=LOG.key, http=http) as client:
            async for _ in client.stream_table(TABLE):
                pass

    with pytest.raises(NotProven):
        asyncio.run(run())


# --- The seed of a seat ---------------------------------------------------------------------------


CUP = [i for i, text in enumerate(vectors("entries-tournament.json")["entries"]) if '"at":{"table":"sat",' in text]


def cup(without: str = "") -> Client:
    """A service of the tournament "sat" of the vectors, in whose log the entries with a word are not there yet."""
    texts = [vectors("entries-tournament.json")["entries"][i] for i in CUP]
    end = next((n for n, text in enumerate(texts) if without and without in text), len(texts))
    log = SmallLog(*texts[:end])
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        if request.method == "POST":
            return problem(409, "wrong_draw")
        seq = int(request.url.params["from_seq"])
        listed = range(seq, min(end, seq + 256))
        items = [{"index": n, "seq": n, "entry": texts[n], "proof": log.proof(n, end)} for n in listed]
        told = {"table": "sat", "entries": items, "next_seq": seq + len(items), "closed": False, "size": end}
        return httpx.Response(200, json={**told, "checkpoint": log.checkpoint})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    client = Client("http://a.example", log_key=log.key, player="p0", token="5" * 64, http=http)
    client.sent = sent  # type: ignore[attr-defined]
    return client


@pytest.mark.parametrize(
    ("without", "entry_no", "goes_out"),
    [("draw_called", 0, False), ("seats_drawn", 9, False), ("", 0, False), ("seats_drawn", 0, True)],
    ids=["not called", "no such entry", "drawn already", "called"],
)
def test_a_seats_seed_stays_until_its_draw_is_proven(without: str, entry_no: int, goes_out: bool) -> None:
    from fairshoe import Conflict

    players = [json.loads(vectors("entries-tournament.json")["entries"][i])["by"] for i in CUP]
    first = next(one for one in players if one.startswith("player:"))
    client = cup(without)
    client._flows.player = first.removeprefix("player:")
    with client, pytest.raises(Conflict if goes_out else Unproven):
        client.reveal_seat_seed("sat", 0, entry_no, "ab" * 32)
    sent = client.sent  # type: ignore[attr-defined]
    assert any(request.method == "POST" for request in sent) is goes_out
