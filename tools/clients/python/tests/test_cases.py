"""The cases that both clients have (tools/clients/cases, which says what each kind of them is)."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from conftest import PACKAGE
from small_log import SmallLog
from small_log import entry as logged
from test_sending import TOKEN, problem

import fairshoe
from fairshoe import BadInput, BadReply, BrokenOff, Client, FairshoeError, NoAnswer, NotProven, format_chips

KINDS: dict[str, type[Exception]] = {"lie": NotProven, "bad_reply": BadReply, "no_answer": NoAnswer}
KINDS |= {"broken_off": BrokenOff, "bad_input": BadInput, "error": FairshoeError}
NAMES = {"id": "round", "from": "sender"}
"""What an argument is called here, where that is not what the contract calls it."""
LINES = "application/x-ndjson"


def cases(name: str) -> list[Any]:
    listed: list[Any] = json.loads((PACKAGE.parent / f"cases/{name}.json").read_text())["cases"]
    return [one for one in listed if not isinstance(one, dict) or one.get("only") != "typescript"]


pytestmark = pytest.mark.usefixtures("no_waiting")


def text_of(given: Any) -> str:
    return given if isinstance(given, str) else "".join(text * times for text, times in given)


def entry_of(given: Any) -> str:
    if not isinstance(given, list):
        return text_of(given["text"] if isinstance(given, dict) else given)
    by, command = given[:2]
    events, at = given[2] if len(given) > 2 else [], given[3] if len(given) > 3 else None
    return logged(by, command, events, None if at is None else (at["table"], at["seq"]))


def spoilt(text: Any, how: Any) -> Any:
    return text.replace(*how, 1) if isinstance(how, list) else how


class Case:
    """A service that answers as a case says, one after another and then as before, and the client before it."""

    def __init__(self, one: Any) -> None:
        self.one, self.at = one, 0
        self.log = SmallLog(*[entry_of(entry) for entry in one.get("log", ["{}"])])
        self.sent: list[httpx.Request] = []
        self.heard: list[str] = []
        options = {"notes": one.get("asks_notes"), "proofs": one.get("proofs"), "signing_key": None}
        options["on_note"] = lambda read, _: self.heard.append("refused" if read.is_refusal else "received")
        http = httpx.Client(transport=httpx.MockTransport(self.answer))
        addresses = one.get("addresses", "http://a.example")
        who = {"player": one.get("player"), "token": TOKEN, "log_key": self.log.key}
        self.client = Client(addresses, http=http, patience=5.0, **who, **options)

    def receipts(self, told: Any) -> list[Any]:
        found = []
        for n, index in enumerate(told["receipts"]):
            one = self.log.receipt(index, told.get("size"))
            if told.get("bare"):
                del one["proof"]
            found.append({**one, "index": index + n if told.get("counted") else index})
        for field, how in told.get("spoil", {}).items():
            if field == "proof_of":
                found[0]["proof"] = self.log.receipts[how]["proof"]
            else:
                found[0][field] = spoilt(found[0].get(field), how)
        return found

    def line(self, line: Any) -> Any:
        def note(kind: str, decision: int, *words: str) -> str:
            command = {"act": {"table": "t", "round_no": 0, "decision": decision, "action": "stand"}}
            text = json.dumps(command, separators=(",", ":"))
            return self.log.note(kind, str(1_800_000_000_000 + line.get("ms", 0)), *words, "player:alice", text, "-")

        if "received" in line:
            return {"received": spoilt(note("received", line["received"]), line.get("spoil", ["", ""]))}
        if "reply" in line:
            return {"status": line["status"], "reply": {"receipts": self.receipts(line["reply"])}}
        code = line["problem"]
        more: Any = {"refused": note("refused", line["refused"], code)} if "refused" in line else {}
        return {"status": line["status"], "reply": problem(line["status"], code, **more).json()}

    def answer(self, request: httpx.Request) -> httpx.Response:
        if found := re.fullmatch(r"/tile/0/000\.p/(\d+)", request.url.path):
            return httpx.Response(200, content=self.log.tile(int(found[1])))
        self.sent.append(request)
        assert len(self.sent) < 999, "it is asked for ever"
        told = self.one["told"][min(self.at, len(self.one["told"]) - 1)]
        self.at += 1
        if told == "lost":
            raise httpx.ReadTimeout("no answer")
        status, headers = told.get("status", 200), told.get("headers", {})
        if "code" in told:
            return problem(
                status, told["code"], **{name: told[name] for name in told if name not in ("status", "code")}
            )
        if "lines" in told:
            text = "".join(json.dumps(self.line(line)) + "\n" for line in told["lines"])
            return httpx.Response(200, text=text, headers={"content-type": LINES})
        if "proof" in told:
            # Signed with the same key, where it is of another log.
            log = SmallLog(*map(entry_of, told["of"])) if "of" in told else self.log
            return httpx.Response(200, text=spoilt(log.receipts[told["proof"]]["proof"], told.get("spoil", ["", ""])))
        if "hex" in told or "text" in told:
            content = bytes.fromhex(told["hex"]) if "hex" in told else text_of(told["text"]).encode()
            return httpx.Response(status, content=content, headers=headers)
        body = told.get("body")
        if "receipts" in told:
            more = {name: told[name] for name in told if name not in ("receipts", "size", "bare", "counted", "spoil")}
            body = {"receipts": self.receipts(told), **more}
        # A lone surrogate is in the text as the other client has it: as an escape.
        return httpx.Response(status, content=json.dumps(body).encode(), headers=headers)

    def ask(self, call: Any) -> Any:
        args = {NAMES.get(name, name): value for name, value in call["args"].items()}
        if call["call"] == "createAuditor":
            args["auditor"] = args.pop("name")
        if "key" in call:
            args["idempotency_key"] = call["key"]
        return getattr(self.client, re.sub(r"([A-Z])", r"_\1", call["call"]).lower())(**args)

    def line_of(self, request: httpx.Request) -> str:
        query = str(request.url.params.remove("received"))
        return f"{request.method} {request.url.path}" + (f"?{query}" if query else "")

    def carry_out(self) -> None:
        one = self.one
        for call in one["calls"]:
            if "fails" not in call:
                reply = self.ask(call)
                assert "heard" not in one or reply["received"].startswith("fairshoe received")
                continue
            error = thrown(lambda call=call: self.ask(call), call["fails"])
            if one.get("tells_key"):
                assert error.idempotency_key == self.sent[0].headers["Idempotency-Key"]
        if keys := one.get("keys"):
            told = [request.headers["Idempotency-Key"] for request in self.sent]
            assert [key if key in keys else keys[told.index(key)] for key in told] == keys
            assert len(set(told)) == len(set(keys)) and len({request.content for request in self.sent}) == 1
        hosts = [request.url.host for request in self.sent]
        found = {"sent": [self.line_of(request) for request in self.sent], "times": len(self.sent), "hosts": hosts}
        found |= {"only_host": hosts[0] if len(set(hosts)) == 1 else hosts}
        found |= {"owed": [left.index for left in self.client.owed], "heard": self.heard}
        if "notes" in one:
            found["notes"] = [next(iter(json.loads(line))) for line in self.client.kept_notes().splitlines()]
        if "query" in one:
            found["query"] = str(self.sent[0].url.params)
        for name, value in found.items():
            assert name not in one or one[name] == value, name


def thrown(ask: Any, fails: Any) -> Any:
    with pytest.raises(FairshoeError) as caught:
        ask()
    error = caught.value
    for kind in [fails] if isinstance(fails, str) else fails:
        if isinstance(error, KINDS[kind]) if kind in KINDS else getattr(error, "code", None) == kind:
            return error
    raise AssertionError(f"{fails}, not {error!r}") from error


@pytest.mark.parametrize(
    "one", [one for name in ("sending", "owed", "notes") for one in cases(name)], ids=lambda one: one["about"]
)
def test_what_a_service_answers(one: Any) -> None:
    Case(one).carry_out()


@pytest.mark.parametrize("one", cases("asked"), ids=lambda one: f"{one['call']} {one['args']}")
def test_an_entry_is_what_was_asked_for(one: Any) -> None:
    for entries, fails in ((one["right"], {}), (one["wrong"], {"fails": "lie"})):
        for entry in entries:
            if entry[3:] == ["typescript"]:
                continue
            told = {"receipts": [0], **one.get("reply", {})}
            call = {"call": one["call"], "args": one["args"], **fails}
            Case({"player": one.get("player"), "log": [entry[:3]], "told": [told], "calls": [call]}).carry_out()


PART = {"round": "t:3", "rules": "joy", "begun": 1, "ended": 2, "player": "alice", "outcome": "won", "unit": "money"}
PART |= {"staked": 5, "returned": 9, "net": 4, "cause": None, "first_entry": 7, "last_entry": 9}
POSTED = {"time": 5, "what": "bet", "by": "player:alice", "table": None}


@pytest.mark.parametrize("one", cases("lists"), ids=str)
def test_a_list(one: Any) -> None:
    rows = [{**PART, **one.get("change", {})}]
    if "transactions" in one:
        named = [dict(zip(("index", "amount", "balance"), posted)) for posted in one["transactions"]]
        rows = [{**POSTED, **posted} for posted in named]
    body = "".join(json.dumps(row) + "\n" for row in rows) + text_of(one.get("raw", ""))
    answer = httpx.Response(200, text=body, headers={"content-type": LINES})
    http = httpx.Client(transport=httpx.MockTransport(lambda request: answer))
    found: list[Any] = []
    with Client("http://a.example", http=http, patience=0.0) as client:

        def read() -> None:
            listed: Any = client.list_transactions("alice") if "transactions" in one else None
            for row in listed if listed is not None else client.find_rounds(**one["rounds"]):
                found.append(row)

        if "fails" in one:
            thrown(read, one["fails"])
        else:
            read()
    assert "count" not in one or found == rows[: one["count"]]


@pytest.mark.parametrize(("chips", "currency", "shown"), [one for one in cases("chips") if one[3:] != ["typescript"]])
def test_chips_are_shown_exactly(chips: Any, currency: Any, shown: Any) -> None:
    if shown is not None:
        assert format_chips(chips, currency) == shown
        return
    with pytest.raises(fairshoe.BadInput):
        format_chips(chips, currency)


def events_of(given: Any) -> str:
    """The events of a stream."""
    found = []
    for piece in [] if isinstance(given, dict) else given.split():
        index, seq = re.split(r"[/.]", piece)
        if "/" in piece:
            events: list[Any] = [{"table_closed": {}}] if piece.endswith("!") else []
            entry = {"at": {"table": "t", "seq": int(seq.rstrip("!"))}, "command": {}, "events": events}
            found.append(f"id: {index}\nevent: entry\ndata: {json.dumps(entry)}\n\n")
        else:
            found.append(f"id: {index}.1\nevent: openings\ndata: []\n\n")
    return "".join(found)


@pytest.mark.parametrize("one", cases("streams"), ids=lambda one: one["about"])
def test_a_stream(one: Any) -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        assert len(sent) < 99, "it is asked for ever"
        told = one["streams"][min(len(sent), len(one["streams"])) - 1]
        if told == "lost":
            raise httpx.ReadTimeout("no answer")
        if isinstance(told, int):
            return problem(told, {404: "unknown_table", 503: "busy"}[told])
        return httpx.Response(200, text=events_of(told))

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with Client("http://a.example", http=http, patience=5.0) as client:
        stream = client.stream_table("t", last_event_id=one.get("behind"), prove=False)
        if "fails" in one:
            thrown(lambda: list(stream), one["fails"])
        else:
            assert " ".join(event["event_id"] for event in stream) == one["got"]
    asked = [request.headers.get("Last-Event-ID") for request in sent]
    assert asked == one.get("asked", asked) and (one["streams"] or not sent)
