"""What every call shares: addresses, the token, repeats, the log's key and checkpoint, and receipts.

A reply of a call that made an entry is returned only after each of its receipts holds: the key's signature, the
inclusion of exactly these bytes, and one history with the checkpoint kept before.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from . import shape
from .contract import Accepted, JsonObject, LogInfo, PlayerView, Receipt
from .entries import BadEntry, LogEntry, read_entry, signed_command_text
from .errors import (
    AnotherLog,
    ApiError,
    BadInput,
    BadReply,
    BrokenOff,
    FairshoeError,
    NoAnswer,
    NotProven,
    StoreError,
    Unproven,
    api_error,
)
from .fairness import NAME, Malformed
from .flow import Flow, OpenStream, Request, Response, Secret, Sleep, Unanswered, is_of_lines
from .kept import SIGNED_FOR, KeptNotes, Notes, asks_notes, lines_of_notes
from .keys import KeyState, fresh_secret, pen_of, public_half, read_file, write_file
from .notes import BadNote, Checkpoint, HouseNote, LogKey, hash_of, read_house_note
from .owed import Owed, OwedEntry, Proofs, is_later, proof_of
from .proofs import BadProof, Proof, check_inclusion, leaf_hash, root_from_tiles, tile_path, tiles_of
from .store import Store

T = TypeVar("T")
OnNote = Callable[[HouseNote, str], None]
"""Hears of a note of the house that verifies: what it says, and its text, which is the evidence."""

OnKey = Callable[[str], None]
"""Hears of a key that was made, or brought back, and named just now: it has to be saved (`key_file`)."""
SigningKey = bytes | Literal["own"] | None

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
MOST_LEADERS_IN_A_ROW = 8
MOST_REPLY_BYTES = 64 * 1024 * 1024
MOST_RECEIPTS = 2
"""Of one reply (openapi.yaml, `Accepted`)."""
CHECKPOINTS_REMEMBERED = 256
ANSWERS_REMEMBERED = 4_096
LONGEST_RETRY_AFTER = 3_600
MOST_DEPTH = 64
AT_ONCE = frozenset({"recovering", "no_shoe"})
"""Codes of a 409 that openapi.yaml says to try again at once."""
PROVES_ITSELF = frozenset({"reveal", "late_seed"})
"""Commands that anybody may give: the seed in them proves itself."""
NOT_LOGGED = frozenset({"epoch"})
"""Fields of a body that say only when to refuse it: the entry holds none of them, and answers the same without them."""
OPERATOR = "operator"
PEN_CODES = frozenset({"signature_missing", "signature_wrong", "no_key"})
"""These say that another key is in force than the client thinks, or none."""
MOST_SIGNATURES = 4
"""So often a command is signed at most, where others of this player's overtake it."""
SAME_TWICE = frozenset(
    """setKey setLimit exclude openTable closeTable takeSeat leaveSeat sitOut wantSeat placeBet cancelBet commitSeed
    revealSeed handInLateSeed act register unregister revealSeatSeed declineRebuy wantDeal proposeDeal
    answerDeal""".split()
)
"""Calls whose command, logged twice in a row, does what it does once: the second is refused, or changes nothing."""


@dataclass
class Call:
    """One call of openapi.yaml: what is sent, and whether it may be sent again when nothing came back."""

    operation: str
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: JsonObject | None = field(default=None, repr=False)
    repeats: bool = True
    idempotency_key: str | None = None
    is_given_key: bool = False
    """Whether the key is the caller's own, and may have been sent by another run."""
    command: JsonObject | None = field(default=None, repr=False)
    """The command that it makes in the player's name, for players who sign."""
    expects: JsonObject = field(default_factory=dict, repr=False)
    """The commands that its entry may be of, each with fields that it must have; without any, `command` itself."""
    by: str | None = None
    """Who gives its command, where that is not just whoever this client acts for: `operator`, `auditor:`, `*`."""
    repeats_by_content: bool = False
    """Whether an equal request of long ago may be answered by the entry that it made then (openapi.yaml, "Repeats")."""
    subject: str | None = None
    """What it changes, where a later request of another content makes an earlier equal one a thing of the past."""
    signed: JsonObject | None = field(default=None, repr=False)
    """Nonce and signature, as the entry will hold them."""
    later: str | None = None
    """The round that it is about, where its receipts were asked for without their proofs."""
    is_repeat: bool = False
    """Whether its idempotency key was sent before, by this client or another run with the same store."""
    accept: str = "application/json"
    timeout: float = 30.0
    most_bytes: int = MOST_REPLY_BYTES
    takes: frozenset[int] = frozenset()
    """Statuses of 400 and above whose body is the reply all the same."""
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    is_streamed: bool = False
    """Whether its body is left for the flow to read line by line."""
    heard: dict[str, HouseNote] = field(default_factory=dict, repr=False)
    """Notes of the house that came and are kept: their text, and what they say."""
    handed: set[str] = field(default_factory=set, repr=False)
    """Those of them that `on_note` was given."""


def path(template: str, *parts: str | int) -> str:
    return template.format(*(quote(str(part), safe=":") for part in parts))


def name(value: object, what: str) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise BadInput(f"{what} is no name: 1 to 64 of a-z 0-9 . _ -, the first no dot; got {value!r}")
    return value


def amount(value: object, what: str) -> int:
    """Money is a whole number of minor units; a float or a bool would be another amount, or none."""
    if type(value) is not int or not 0 <= value < 2**53:
        raise BadInput(f"{what} is an integer from 0 to 2^53 - 1, never a float; got {value!r}")
    return value


def _in_query(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def holds(fields: object, wanted: object) -> bool:
    """Whether the wanted fields are all there, with these values."""
    if isinstance(fields, dict) and isinstance(wanted, dict):
        return all(name in fields and holds(fields[name], value) for name, value in wanted.items())
    return fields == wanted


def new_key() -> str:
    return uuid.uuid4().hex


def is_too_deep(value: object) -> bool:
    """Whether a reply is nested so deep that whoever walks through it runs out of stack."""
    level: list[object] = [value]
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def retry_after(text: str) -> int | None:
    """The seconds of `Retry-After`, an hour at most; None where it is no such header."""
    if not text.isascii() or not text.isdigit():
        return None
    return int(text) if len(text) <= 4 and int(text) <= LONGEST_RETRY_AFTER else LONGEST_RETRY_AFTER


class Core:
    """The state of a client, and the flows that every call is made of."""

    def __init__(
        self,
        addresses: str | Sequence[str],
        *,
        token: str | None = None,
        player: str | None = None,
        log_key: str | None = None,
        store: Store | None = None,
        signing_key: SigningKey = "own",
        patience: float = 30.0,
        proofs: Proofs | None = None,
        notes: Notes | None = None,
        on_note: OnNote | None = None,
        on_key: OnKey | None = None,
    ) -> None:
        given = [addresses] if isinstance(addresses, str) else list(addresses)
        if not given:
            raise BadInput("an address of the service is needed")
        self.addresses = [self._address(one) for one in given]
        self._at = self.addresses[0]
        self._token = None if token is None else Secret(token)
        self.player = None if player is None else name(player, "player")
        self._store = store if store is not None else Store()
        self._patience = patience
        self._is_later = is_later(proofs)
        self._asks_notes = asks_notes(notes)
        self._on_note = on_note
        self._kept = KeptNotes(self._store)
        self.owed = Owed()
        self._is_own = signing_key == "own"
        self._pen = Ed25519PrivateKey.from_private_bytes(signing_key) if isinstance(signing_key, bytes) else None
        self._is_looked = False
        """Whether the player's own key was looked for: `_pen` is what signs, if anything does."""
        self._is_elsewhere = False
        """Whether the key in force is not here, by the service's word."""
        self._on_key = on_key
        self._nonce: int | None = None
        self._proven_nonce = 0
        """The highest of this player's that is proven to be on the log: nothing signed under a lower one is good."""
        self._consistent: dict[int, bytes] = {}
        self._answered: dict[int, str] = {}
        """index of an entry -> the request that it answered"""
        self._last_of: dict[str, tuple[int, str]] = {}
        """subject -> the newest entry about it, and the request that made it"""
        self.key: LogKey | None = None
        self.key_was_given = log_key is not None
        """False: the key was taken from the log at first use, so that nobody vouched for whose log it is."""
        self.checkpoint: Checkpoint | None = None
        if log_key is not None:
            try:
                self._trust(LogKey.read(log_key))
            except BadNote as error:
                raise BadInput(f"log_key: {error}") from None
        kept = next((found for one in self.addresses if (found := self._store.player(one))), None)
        if token is None and kept is not None:
            self.player, self._token = kept[0], Secret(kept[1])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.addresses!r}, player={self.player!r})"

    @staticmethod
    def _address(text: str) -> str:
        try:
            parts = urlsplit(text)
            is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query + parts.fragment
            is_one = is_one and parts.port != 0 and text.isascii() and text.isprintable() and " " not in text
        except (ValueError, TypeError, AttributeError):
            is_one = False
        if is_one and "@" in parts.netloc:
            # It would stand in logs and reprs; a token is given by its own argument.
            raise BadInput("an address holds no user name or password")
        if not is_one:
            raise BadInput("an address begins with http:// or https:// and a host, and has no query")
        return text.rstrip("/")

    # --- Sending --------------------------------------------------------------------------------

    def _request(self, call: Call, base: str) -> Request:
        headers = {"Accept": call.accept, **call.headers}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {str.__str__(self._token)}"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        body = None
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(call.body, separators=(",", ":"), allow_nan=False).encode()
        query = {key: _in_query(value) for key, value in call.query.items() if value is not None}
        return Request(
            call.method,
            base + call.path + (f"?{urlencode(query)}" if query else ""),
            headers,
            body,
            call.timeout,
            call.most_bytes,
            (lambda line: self._hear_first(call, line)) if "received" in call.query else None,
        )

    def _follow_leader(self, leader: str | None) -> bool:
        """Goes to the address that a follower names. Never from TLS to an address without it: the token goes along."""
        if leader is None:
            return False
        try:
            address = self._address(leader)
        except BadInput:
            return False
        if address == self._at or (self._at.startswith("https:") and not address.startswith("https:")):
            return False
        self._at = address
        return True

    def _next_address(self) -> None:
        others = [one for one in self.addresses if one != self._at]
        if others:
            after = self.addresses.index(self._at) + 1 if self._at in self.addresses else 0
            self._at = self.addresses[after % len(self.addresses)]

    def send(self, call: Call) -> Flow[Response]:
        """Sends until there is an answer, or patience ends. The idempotency key and the body stay the same."""
        yield from self._sign(call)
        until, attempt, leaders, signatures = time.monotonic() + self._patience, 0, 0, 1
        while True:
            attempt += 1
            failure: NoAnswer | ApiError
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempt - 1, 10)) * random.uniform(0.5, 1.0)
            try:
                request = self._request(call, self._at)
                response: Response = yield OpenStream(request) if call.is_streamed else request
                response = self._unfold(call, response)
            except Unanswered as error:
                self._hand_on(call)
                failure = NoAnswer(call.operation, attempt, str(error))
                if not call.repeats:
                    raise failure from None
                self._next_address()
            else:
                if 200 <= response.status < 300 or response.status in call.takes:
                    return response
                if response.status < 400:
                    # No call of the contract redirects: a 302 with a good body would be a success of nobody knows what.
                    raise BadReply(f"{call.operation}: status {response.status}, which no call has")
                failure = self._error(response)
                if failure.status == 421 and leaders < MOST_LEADERS_IN_A_ROW and self._follow_leader(failure.leader):
                    leaders += 1
                    continue
                if failure.code in PEN_CODES:
                    self._look_again()
                if failure.code == "nonce_used":
                    self._nonce = None  # Somebody else signs with this key too: the last nonce is read again.
                    if signatures < MOST_SIGNATURES and self._is_past(call):
                        signatures += 1
                        del call.headers["Fairshoe-Signature"]
                        yield from self._sign(call)
                        continue
                again = failure.code in AT_ONCE or failure.status in (421, 429, 503)
                if not again and not (failure.status >= 500 and call.repeats):
                    yield from self._hear(call, failure.refused_note)
                    raise failure
                if failure.status == 421:
                    leaders = 0
                    self._next_address()
                wait = max(wait, float(failure.retry_after or 0))
            if time.monotonic() + wait > until:
                if isinstance(failure, ApiError):
                    yield from self._hear(call, failure.refused_note)
                raise failure
            yield Sleep(wait)

    def _unfold(self, call: Call, response: Response) -> Response:
        """The reply that stands in the second line of one to `received=first`, as if it had come alone.

        Attack: a note, and no more. Nobody knows what became of the request, and it is sent again.
        """
        self._hand_on(call)
        if "received" not in call.query or not is_of_lines(response.headers.get("content-type")):
            return response
        told: JsonObject = {}
        for line in response.body.split(b"\n"):
            try:
                read = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(read, dict):
                told = {**told, **read}
        status, reply = told.get("status"), told.get("reply")
        if type(status) is not int or not isinstance(reply, dict):
            raise Unanswered("the reply ended before it said what became of the request")
        if status < 400 and "received" in told:
            reply = {**reply, "received": told["received"]}
        return Response(status, response.headers, json.dumps(reply).encode())

    def _hear_first(self, call: Call, line: bytes) -> None:
        """Keeps the note that stands in a reply's first line. One that does not verify shows nothing, and is not kept;
        the second line says what became of the request, whatever is wrong with the first."""
        with contextlib.suppress(FairshoeError, Malformed, ValueError, RecursionError):
            told = json.loads(line)
            if self.key is not None and isinstance(told, dict) and isinstance(told.get("received"), str):
                self._keep_note(call, told["received"])

    def _keep_note(self, call: Call, note: str) -> HouseNote:
        if self.key is None:
            raise BadInput("a note is read under the log's key")
        if (read := call.heard.get(note)) is None:
            read = call.heard[note] = read_house_note(note, self.key)
            self._kept.keep(self.key.name, read, note)
        return read

    def _hand_on(self, call: Call) -> None:
        for note, read in call.heard.items():
            if self._on_note is not None and note not in call.handed:
                call.handed.add(note)
                self._on_note(read, note)

    def _error(self, response: Response) -> ApiError:
        try:
            told = json.loads(response.body)
        except (ValueError, RecursionError):
            told = None
        # A field of another type is none: whatever decides by it must not fail at it.
        fields = told.items() if isinstance(told, dict) else ()
        problem = {field: value for field, value in fields if isinstance(value, str)}
        if not {"code", "detail"} <= set(problem):
            problem = {"code": "internal" if response.status >= 500 else "no_problem", "detail": "no problem document"}
        return api_error(response.status, problem, retry_after(response.headers.get("retry-after", "")))

    def ask(self, call: Call, kind: type[T]) -> Flow[T]:
        """A call whose reply is JSON of this type."""
        response = yield from self.send(call)
        return self._read(response, kind, call.operation)

    def _read(self, response: Response, kind: type[T], operation: str) -> T:
        def no_float(text: str) -> Any:
            raise BadReply(f"{operation}: {text[:20]} is no integer")

        try:
            value = json.loads(response.body, parse_float=no_float, parse_constant=no_float)
        except (ValueError, RecursionError):
            raise BadReply(f"{operation}: the reply is no JSON") from None
        if is_too_deep(value):
            raise BadReply(f"{operation}: the reply is nested deeper than any")
        shape.check(value, kind, operation)
        return cast(T, value)

    def read_lines(self, response: Response, kind: type[T], operation: str) -> list[T]:
        lines = [line for line in response.body.split(b"\n") if line]
        if not response.is_framed or not response.body.endswith(b"\n" if lines else b""):
            raise BrokenOff(operation, len(lines), "it does not say where it ends, or ends within a line")
        return [self._read(Response(response.status, response.headers, line), kind, operation) for line in lines]

    def text(self, call: Call) -> Flow[str]:
        response = yield from self.send(call)
        try:
            return str(response.body, "utf-8")
        except UnicodeDecodeError:
            raise BadReply(f"{call.operation}: not UTF-8") from None

    # --- Calls that make an entry ---------------------------------------------------------------

    def _sign(self, call: Call) -> Flow[None]:
        """`Fairshoe-Signature` of the command, under a nonce of its own, where the player has a key."""
        if call.command is None or "Fairshoe-Signature" in call.headers:
            return
        if (yield from self.pen()) is None:
            if self._is_elsewhere:
                # Attack: a house that speaks of another key, so that no first one is made, and logs what is unsigned.
                self._look_again()
                detail = f"the key of {self.player} is not in this store"
                raise api_error(403, {"code": "signature_missing", "detail": detail}, None)
            return
        if self.player is None:
            raise BadInput("a signing key is for a player: give the player's name too")
        signed = yield from self.signature_of(call.command)
        call.signed = {"nonce": signed["nonce"], "signature": signed["signature"]}
        call.headers["Fairshoe-Signature"] = signed["header"]

    def signature_of(self, command: JsonObject) -> Flow[JsonObject]:
        """Nonce, signature and the `Fairshoe-Signature` of a command of this player's."""
        pen = yield from self.pen(may_name=False)
        if pen is None or self.player is None:
            raise BadInput("a signing key is for a player: give both")
        key = yield from self.log_key()
        if self._nonce is None:
            last = (yield from self._own_view(self.player))["last_nonce"]
            # Another command may have been signed meanwhile.
            self._nonce = max(self._nonce or 0, last)
        # Greater than the last one, also than that of another program of this player's whose clock is right.
        self._nonce = nonce = max(self._nonce + 1, time.time_ns() // 1_000_000)
        signature = pen.sign(signed_command_text(key.name, f"player:{self.player}", nonce, command)).hex()
        return {"nonce": nonce, "signature": signature, "header": f"nonce={nonce}, sig={signature}"}

    def _is_past(self, call: Call) -> bool:
        """Whether a command that was refused for its nonce may be signed anew: it does nothing more when it is logged
        twice, or a later nonce is proven to be on the log. Attack: a house that refuses a payment, gets it signed a
        second time, and logs both."""
        return call.signed is not None and (
            call.operation in SAME_TWICE or int(call.signed["nonce"]) < self._proven_nonce
        )

    # --- The player's own key -------------------------------------------------------------------

    def signs(self) -> Flow[bool]:
        """Whether this player's commands are signed. Their own key is made and named by this, where they have none."""
        return (yield from self.pen()) is not None

    def pen(self, may_name: bool = True) -> Flow[Ed25519PrivateKey | None]:
        """What signs this player's commands. `may_name`: a first key is made and named where there is none."""
        for _ in range(MOST_SIGNATURES):
            if not self._is_own or self._is_looked or self.player is None or self._token is None:
                break
            if not may_name:
                return (yield from self._held(self.player))[2] if self._may_keep(self.player) else None
            yield from self._look(self.player)
        return self._pen

    def _look_again(self) -> None:
        """Looks anew for the player's own key before the next command."""
        if self._is_own:
            self._pen, self._is_looked, self._is_elsewhere = None, False, False

    def _become(self, player: str, token: str) -> None:
        if player != self.player:
            self._look_again()
            self._nonce, self._proven_nonce = None, 0
        self.player, self._token = player, Secret(token)

    def _own_view(self, player: str) -> Flow[PlayerView]:
        return (yield from self.ask(Call("getPlayer", "GET", path("/v1/players/{}", player)), PlayerView))

    def _may_keep(self, player: str) -> bool:
        """A key that is forgotten with the program would lock its player out for a day: none is made then. A guest's
        token is forgotten too."""
        return self._store.is_lasting or player.startswith("guest.") or self._store.has_pens(player)

    def _held(self, player: str) -> Flow[tuple[str, PlayerView, Ed25519PrivateKey | None]]:
        """The log's name, and the key in force, with what signs with it where it is here."""
        origin = (yield from self.log_key()).name
        view = yield from self._own_view(player)
        secret = self._store.find_pen(player, view["key"])
        return origin, view, None if secret is None else pen_of(secret)

    def _look(self, player: str) -> Flow[None]:
        if not self._may_keep(player):
            self._is_looked = True
            return
        origin, view, pen = yield from self._held(player)
        if view["key"] is None:
            # One that was kept, and whose naming was not answered, goes before a new one. Attack: an operator's key
            # that waits for a player without one: their own is in force at once, and takes it back.
            secret = next(iter(self._store.pens(origin, player).values()), None) or fresh_secret()
            pen, key = pen_of(secret), public_half(secret)
            self._store.keep_pen(origin, player, key, secret)
            body = {"key": key}
            call = Call("setKey", "POST", path("/v1/players/{}/key", player), body=body, idempotency_key=new_key())
            call.expects = {"set_key": {"player": player, **body}}
            try:
                yield from self.act_on(call)
            except ApiError as refusal:
                if refusal.code == "signature_missing":
                    return  # Another program was first: its key is here, or elsewhere.
                raise
            if self._on_key is not None:
                self._on_key(key)
        if self.player == player:
            self._pen, self._is_looked, self._is_elsewhere = pen, True, pen is None

    def key_state(self) -> Flow[KeyState]:
        """How this player's commands go out; nothing is made by this."""
        player = self._whose_key()
        _, view, pen = yield from self._held(player)
        waits = view.get("key_waits")
        is_here = waits is not None and self._store.find_pen(player, waits["key"]) is not None
        state: Literal["signs", "none", "elsewhere"] = "signs" if pen else "elsewhere" if view["key"] else "none"
        return KeyState(state, view["key"], waits["from"] if waits else None, is_here)

    def key_file(self) -> Flow[str | None]:
        """The text of a file that holds the key in force, to be saved where it is not lost; None where it is not
        here. Whoever reads it can sign in the player's name."""
        player = self._whose_key()
        origin, view, _ = yield from self._held(player)
        secret = self._store.find_pen(player, view["key"])
        return None if secret is None else write_file(origin, player, secret)

    def take_key_file(self, text: str) -> Flow[KeyState]:
        """Brings a key back, out of the text of such a file: the key in force, one that waits to be, or a first one."""
        player = self._whose_key()
        origin, view, _ = yield from self._held(player)
        waits = view.get("key_waits")
        wanted = [half for half in (view["key"], waits["key"] if waits else None) if half is not None]
        secret = read_file(text, origin, player, wanted)
        key = public_half(secret)
        if view["key"] is not None and key not in wanted:
            raise BadInput("the file holds another key than the one in force")
        self._store.keep_pen(origin, player, key, secret)
        self._look_again()
        if view["key"] is None:
            yield from self.pen()
        return (yield from self.key_state())

    def next_key(self) -> Flow[str]:
        """Makes and keeps another key, and returns its public half, which the operator names in the place of a lost
        one (`set_key` with a reason). It is in force a day later, and signs here from then on."""
        player, secret = self._whose_key(), fresh_secret()
        self._store.keep_pen((yield from self.log_key()).name, player, public_half(secret), secret)
        return public_half(secret)

    def _whose_key(self) -> str:
        if self.player is None:
            raise BadInput("nobody plays: give player and token")
        return self.player

    def act_on(self, call: Call) -> Flow[Accepted]:
        """A call that makes an entry: every receipt of its reply is proven before the reply is returned.

        What goes wrong carries the idempotency key and, where there is one, the reply: from the first byte that is
        sent on, what was asked may have been done.
        """
        reply: Accepted | None = None
        try:
            since = self._begin(call)
            if self._asks_notes and call.operation in SIGNED_FOR:
                call.query = {**call.query, "received": "first"}
            found: Accepted = yield from self.ask(call, Accepted)
            # A million receipts would each be proven, or kept as owed: nothing of such a reply is kept.
            if len(found["receipts"]) > MOST_RECEIPTS:
                raise BadReply(f"{call.operation}: the reply has {len(found['receipts'])} receipts")
            reply = found
            if not reply["receipts"]:
                raise NotProven("receipt", f"{call.operation} was accepted, and no receipt shows it")
            if "token" in reply:
                reply["token"] = Secret(reply["token"])
            yield from self.check_receipts(call, reply["receipts"], since)
            # The note of the first line, put there by `_unfold`: the log's key was not known when it came.
            if isinstance(note := reply.get("received"), str) and note not in call.heard:
                yield from self.house_note(note)
                self._keep_note(call, note)
                self._hand_on(call)
            return reply
        except FairshoeError as error:
            error.idempotency_key, error.reply = call.idempotency_key, reply
            raise

    def check_receipts(self, call: Call, receipts: Sequence[Receipt], since: int) -> Flow[None]:
        """Each receipt holds, and the first is of this request's own entry. `since` is what `_begin` said.

        What came without a proof, and was asked for so, is owed from now on.
        """
        for receipt in receipts:
            if call.later is None or "proof" in receipt:
                yield from self.prove(receipt["index"], receipt["entry"], proof_of(receipt))
        self.check_answers(call, receipts[0], since)
        if "proof" in receipts[0]:
            entry = read_entry(receipts[0]["entry"])
            if entry.signed is not None and entry.by == f"player:{self.player}":
                self._proven_nonce = max(self._proven_nonce, int(entry.signed["nonce"]))
        for receipt in receipts:
            if call.later is not None and "proof" not in receipt:
                told = OwedEntry(receipt["index"], receipt["entry"], call.later)
                if not self.owed.add(told):
                    yield from self.prove_each([told])

    def _begin(self, call: Call) -> int:
        """How long the log was known to be when this request was sent first: its entry cannot be older.

        With an idempotency key that is kept in the store before anything is sent, so that a later run that repeats
        the request knows it too.
        """
        newest = self.checkpoint.size if self.checkpoint else 0
        if call.idempotency_key is None:
            return newest
        asked = self._store.asked(call.idempotency_key)
        call.is_repeat = asked is not None
        if asked is not None:
            return asked
        if not call.is_given_key or self._store.is_lasting:
            self._store.ask(call.idempotency_key, newest)
            return newest
        # A key of the caller's own, and a store that forgets: another run may have sent it first.
        call.is_repeat = True
        self._store.ask(call.idempotency_key, 0)
        return 0

    def check_answers(self, call: Call, receipt: Receipt, since: int) -> None:
        """The entry is the one that this request made, not of another that has a good receipt too (spec/receipts.md).

        An entry does not hold the idempotency key. So that an old entry of an equal request (the same credit,
        yesterday) is not shown in its place, it must not have been on the log before, nor have answered another
        request.
        """
        index = receipt["index"]
        try:
            entry = read_entry(receipt["entry"])
        except BadEntry as error:
            raise NotProven("entry_form", str(error), index) from None
        wanted = (call.expects or call.command or {}).get(entry.command)
        if wanted is None or not holds(entry.fields, wanted):
            raise NotProven("receipt", f"the receipt is of another command than {call.operation}'s", index)
        if not self._gave(call, entry):
            raise NotProven("receipt", f"the command was given by {entry.by}, not by this client", index)
        if call.signed is not None and entry.command not in PROVES_ITSELF:
            is_first = call.idempotency_key is not None and not call.is_repeat and not call.repeats_by_content
            if entry.signed is None or (is_first and entry.signed != call.signed):
                raise NotProven("receipt", "the entry holds another signature than this request's", index)
        if not call.repeats_by_content and index < since:
            raise NotProven("receipt", f"the receipt is of an entry from before {call.operation} was asked", index)
        told = {field: value for field, value in (call.body or {}).items() if field not in NOT_LOGGED}
        content = json.dumps([call.method, call.path, told], sort_keys=True)
        request = call.idempotency_key or content
        if self._answered.setdefault(index, request) != request and not call.repeats_by_content:
            raise NotProven("receipt", "the receipt is of an entry that answered another request", index)
        if call.subject is not None:
            newest, of = self._last_of.get(call.subject, (-1, content))
            if index < newest or (index == newest and of != content):
                raise NotProven("receipt", "the receipt is of a request that a later one replaced", index)
            self._last_of[call.subject] = (index, content)
        for memory in (self._answered, self._last_of):
            while len(memory) > ANSWERS_REMEMBERED:
                memory.pop(next(iter(memory)))  # type: ignore[call-overload]

    def _gave(self, call: Call, entry: LogEntry) -> bool:
        """Whether the entry's command was given by whom this client acts for."""
        if entry.command in PROVES_ITSELF or call.by == "*":
            return True
        if call.by is not None:
            return entry.by == call.by or (call.by.endswith(":") and entry.by.startswith(call.by))
        if self.player is not None:
            return entry.by == f"player:{self.player}"
        # A client that was told no player's name acts for the operator, or for whoever its token is of.
        return entry.by == OPERATOR or entry.by.startswith("player:")

    def prove(self, index: int, entry: str, proof_text: str) -> Flow[None]:
        """spec/receipts.md, "Verifying", with the log's key alone, and "Keeping a checkpoint"."""
        try:
            proof = Proof.read(proof_text)
        except (Malformed, UnicodeError) as error:
            raise NotProven("receipt", str(error), index) from None
        if proof.index != index:
            raise NotProven("receipt", f"the receipt is of entry {proof.index}", index)
        checkpoint = yield from self.hold(proof.checkpoint)
        self.check_included(index, entry, proof.path, checkpoint)

    def check_included(self, index: int, entry: str, hashes: Sequence[bytes], checkpoint: Checkpoint) -> None:
        try:
            check_inclusion(leaf_hash(entry.encode()), index, checkpoint.size, hashes, checkpoint.root)
        except (Malformed, UnicodeError) as error:
            raise NotProven("inclusion", str(error), index) from None
        self.owed.settle(index, entry)
        self._kept.settle(entry)

    def prove_each(self, owed: Sequence[OwedEntry]) -> Flow[None]:
        """Fetches the receipt of each of these, and holds the bytes that were told against it.

        The entry that a service sends along would prove itself, and nothing of what was told.
        """
        for one in owed:
            call = Call("getReceipt", "GET", path("/v1/receipts/{}", one.index), accept="*/*")
            proof = yield from self.text(call)
            yield from self.prove(one.index, one.entry, proof)

    def check_listed(self, index: int, entry: str, proof: Sequence[str], checkpoint: Checkpoint) -> None:
        """The same of an entry in a list, whose proof is a list of hashes."""
        try:
            hashes = [hash_of(one) for one in proof]
        except BadNote as error:
            raise NotProven("inclusion", str(error), index) from None
        self.check_included(index, entry, hashes, checkpoint)

    def house_note(self, note: str) -> Flow[HouseNote]:
        """A note of what the house received or refused, verified under the log's key."""
        key = yield from self.log_key()
        try:
            return read_house_note(note, key)
        except (Malformed, UnicodeError) as error:
            raise NotProven("note", str(error)) from None

    def _hear(self, call: Call, note: str | None) -> Flow[None]:
        """Keeps a note of what was refused, as evidence. One that does not verify shows nothing, and is not kept."""
        if note is None:
            return
        try:
            yield from self.log_key()
            self._keep_note(call, note)
        except (FairshoeError, Malformed, UnicodeError):
            return  # The refusal itself comes out, with the note as it came.
        self._hand_on(call)

    def kept_notes(self) -> Flow[str]:
        """The house's signed notes that are kept, a line for each: of what it received that is not on the log as far as
        is known here, and of what it refused. `fairshoe-audit log --kept` reads a file of them."""
        return lines_of_notes(self._kept.all((yield from self.log_key()).name))

    # --- The log --------------------------------------------------------------------------------

    def _trust(self, key: LogKey) -> None:
        self.key = key
        if kept := self._store.checkpoint(key.text):
            try:
                self.checkpoint = Checkpoint.read(kept, key)
            except BadNote as error:
                raise StoreError(f"the kept checkpoint does not hold: {error}") from None

    def log_key(self) -> Flow[LogKey]:
        """The log's key: given, pinned in the store before, or else taken from the log now and pinned."""
        if self.key is None:
            # Under whichever of the addresses it was pinned: their order says nothing about whose log it is.
            found = {key for one in self.addresses if (key := self._store.pinned(one))}
            if len(found) > 1:
                raise StoreError("these addresses were pinned to different logs: give log_key, or one log's addresses")
            pinned = next(iter(found), None)
            if pinned is None:
                shown: LogInfo = yield from self.ask(Call("getLog", "GET", "/v1/log"), LogInfo)
                pinned = shown["vkey"]
            if self.key is None:
                try:
                    self._trust(LogKey.read(pinned))
                except (BadNote, UnicodeError) as error:
                    raise NotProven("key", str(error)) from None
                self._store.pin(self.addresses, pinned)
        assert self.key is not None
        return self.key

    def hold(self, note: str) -> Flow[Checkpoint]:
        """Verifies a checkpoint and that it is of one history with the kept one; the newer of the two is kept.

        It never goes back: an older checkpoint is accepted only as a proven beginning of the kept one.
        """
        key = yield from self.log_key()
        try:
            shown = Checkpoint.read(note, key)
        except BadNote as error:
            raise NotProven("checkpoint", str(error)) from None
        while True:
            kept = self.checkpoint
            if kept is None:
                return self._keep(shown)
            if self._consistent.get(shown.size, kept.root if shown.size == kept.size else shown.root) != shown.root:
                raise AnotherLog("fork", f"two roots of size {shown.size} are signed", kept.note, shown.note)
            if shown.size == kept.size or shown.size in self._consistent:
                return shown
            older, newer = sorted((kept, shown), key=lambda one: one.size)
            yield from self._check_extends(older, newer, kept, shown)
            # Another call may have kept a newer one meanwhile; this one has to be of one history with that.
            if self.checkpoint is kept:
                return self._keep(shown)

    def _keep(self, shown: Checkpoint) -> Checkpoint:
        self._consistent[shown.size] = shown.root
        while len(self._consistent) > CHECKPOINTS_REMEMBERED:
            self._consistent.pop(next(iter(self._consistent)))
        if self.checkpoint is None or shown.size > self.checkpoint.size:
            self.checkpoint = shown
            if self.key is not None:
                self._store.keep_checkpoint(self.key.text, shown.note)
        return shown

    def _check_extends(self, older: Checkpoint, newer: Checkpoint, kept: Checkpoint, shown: Checkpoint) -> Flow[None]:
        """The newer tree begins with the whole older one: both roots follow from tiles of the newer tree.

        Tiles are not signed. Only those that lead to the newer root show anything: where they do and the older root is
        another, both checkpoints are the proof of a fork. Anything less accuses nobody.
        """
        tiles: dict[tuple[int, int], bytes] = {}
        try:
            for place, width in tiles_of([older.size, newer.size]).items():
                response = yield from self.send(Call("getTile", "GET", tile_path(*place, width), accept="*/*"))
                if len(response.body) != 32 * width:
                    raise BadProof(f"a tile of {width} hashes has {len(response.body)} bytes")
                tiles[place] = response.body
            if root_from_tiles(newer.size, tiles) != newer.root:
                raise BadProof("the tiles do not lead to the newer root")
        except (ApiError, NoAnswer, BadReply, BadProof) as error:
            message = f"no proof that the tree of {newer.size} entries begins with that of {older.size}: {error}"
            raise Unproven(message, kept.note, shown.note) from None
        if root_from_tiles(older.size, tiles) != older.root:
            message = f"the tree of {newer.size} entries does not begin with that of {older.size}: both are signed"
            raise AnotherLog("fork", message, kept.note, shown.note)
