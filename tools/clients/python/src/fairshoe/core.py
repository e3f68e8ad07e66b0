"""What every call shares: addresses, the token, repeats, the log's key and checkpoint, and receipts.

A reply of a call that made an entry is returned only after each of its receipts holds: the key's signature, the
inclusion of exactly these bytes, and one history with the checkpoint kept before.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from . import shape
from .entries import BadEntry, read_entry, signed_command_text
from .errors import AnotherLog, ApiError, BadInput, BadReply, NoAnswer, NotProven, StoreError, api_error
from .fairness import NAME, Malformed
from .flow import Flow, Request, Response, Secret, Sleep, Unanswered
from .notes import BadNote, Checkpoint, HouseNote, LogKey, hash_of, read_house_note
from .play_types import Accepted, LogInfo, Receipt
from .proofs import BadProof, Proof, check_inclusion, leaf_hash, root_from_tiles, tile_path, tiles_of
from .store import Store
from .values import JsonObject

T = TypeVar("T")

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
MOST_LEADERS_IN_A_ROW = 8
MOST_REPLY_BYTES = 64 * 1024 * 1024
CHECKPOINTS_REMEMBERED = 256
AT_ONCE = frozenset({"recovering", "no_shoe"})
"""Codes of a 409 that openapi.yaml says to try again at once."""
PROVES_ITSELF = frozenset({"reveal", "late_seed"})
"""Commands that anybody may give: the seed in them proves itself."""


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
    command: JsonObject | None = field(default=None, repr=False)
    """The command that it makes in the player's name, for players who sign."""
    expects: JsonObject = field(default_factory=dict, repr=False)
    """The commands that its entry may be of, each with fields that it must have; without any, `command` itself."""
    accept: str = "application/json"
    timeout: float = 30.0
    most_bytes: int = MOST_REPLY_BYTES
    takes: frozenset[int] = frozenset()
    """Statuses of 400 and above whose body is the reply all the same."""
    headers: dict[str, str] = field(default_factory=dict, repr=False)


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


def holds(fields: object, wanted: object) -> bool:
    """Whether the wanted fields are all there, with these values."""
    if isinstance(fields, dict) and isinstance(wanted, dict):
        return all(name in fields and holds(fields[name], value) for name, value in wanted.items())
    return fields == wanted


def new_key() -> str:
    return uuid.uuid4().hex


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
        signing_key: bytes | None = None,
        patience: float = 30.0,
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
        self._pen = None if signing_key is None else Ed25519PrivateKey.from_private_bytes(signing_key)
        self._nonce: int | None = None
        self._consistent: dict[int, bytes] = {}
        self.key: LogKey | None = None
        self.key_was_given = log_key is not None
        """False: the key was taken from the log at first use, so that nobody vouched for whose log it is."""
        self.checkpoint: Checkpoint | None = None
        if log_key is not None:
            try:
                self._trust(LogKey.read(log_key))
            except BadNote as error:
                raise BadInput(f"log_key: {error}") from None
        if token is None and (kept := self._store.player(self.addresses[0])):
            self.player, self._token = kept[0], Secret(kept[1])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.addresses!r}, player={self.player!r})"

    @staticmethod
    def _address(text: str) -> str:
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise BadInput(f"an address begins with http:// or https:// and a host; got {text!r}")
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
        query = {key: str(value).lower() for key, value in call.query.items() if value is not None}
        return Request(
            call.method, base + call.path + (f"?{urlencode(query)}" if query else ""), headers, body, call.timeout
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
        until, attempt, leaders = time.monotonic() + self._patience, 0, 0
        while True:
            attempt += 1
            failure: NoAnswer | ApiError
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempt - 1, 10)) * random.uniform(0.5, 1.0)
            try:
                response: Response = yield self._request(call, self._at)
            except Unanswered as error:
                failure = NoAnswer(call.operation, attempt, str(error))
                if not call.repeats:
                    raise failure from None
                self._next_address()
            else:
                if response.status < 400 or response.status in call.takes:
                    return response
                failure = self._error(response)
                if failure.status == 421 and leaders < MOST_LEADERS_IN_A_ROW and self._follow_leader(failure.leader):
                    leaders += 1
                    continue
                if failure.code == "nonce_used":
                    self._nonce = (
                        None  # Somebody else signs with this key too: the next call reads the last nonce again.
                    )
                again = failure.code in AT_ONCE or failure.status in (421, 429, 503)
                if not again and not (failure.status >= 500 and call.repeats):
                    raise failure
                if failure.status == 421:
                    leaders = 0
                    self._next_address()
                wait = max(wait, float(failure.retry_after or 0))
            if time.monotonic() + wait > until:
                raise failure
            yield Sleep(wait)

    def _error(self, response: Response) -> ApiError:
        try:
            problem = json.loads(response.body)
            if not isinstance(problem, dict) or not all(isinstance(problem.get(f), str) for f in ("code", "detail")):
                raise ValueError
        except ValueError:
            problem = {"code": "internal" if response.status >= 500 else "no_problem", "detail": "no problem document"}
        after = response.headers.get("retry-after", "")
        return api_error(response.status, problem, int(after) if after.isdigit() else None)

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
        shape.check(value, kind, operation)
        return cast(T, value)

    def read_lines(self, response: Response, kind: type[T], operation: str) -> list[T]:
        lines = [line for line in response.body.split(b"\n") if line]
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
        if self._pen is None or call.command is None or "Fairshoe-Signature" in call.headers:
            return
        if self.player is None:
            raise BadInput("a signing key is for a player: give the player's name too")
        key = yield from self.log_key()
        if self._nonce is None:
            view = yield from self.ask(Call("getPlayer", "GET", path("/v1/players/{}", self.player)), JsonObject)
            self._nonce = view["last_nonce"]
        self._nonce += 1
        text = signed_command_text(key.name, f"player:{self.player}", self._nonce, call.command)
        call.headers["Fairshoe-Signature"] = f"nonce={self._nonce}, sig={self._pen.sign(text).hex()}"

    def act_on(self, call: Call) -> Flow[Accepted]:
        """A call that makes an entry: every receipt of its reply is proven before the reply is returned."""
        reply: Accepted = yield from self.ask(call, Accepted)
        if not reply["receipts"]:
            raise NotProven("receipt", f"{call.operation} was accepted, and no receipt shows it")
        for receipt in reply["receipts"]:
            yield from self.prove(receipt["index"], receipt["entry"], receipt["proof"])
        self.check_answers(call, reply["receipts"][0])
        if "token" in reply:
            reply["token"] = Secret(reply["token"])
        if "received" in reply:
            yield from self.house_note(reply["received"])
        return reply

    def check_answers(self, call: Call, receipt: Receipt) -> None:
        """The entry is of this call's command, and of no other that has a good receipt too (spec/receipts.md)."""
        try:
            entry = read_entry(receipt["entry"])
        except BadEntry as error:
            raise NotProven("entry_form", str(error), receipt["index"]) from None
        wanted = (call.expects or call.command or {}).get(entry.command)
        if wanted is None or not holds(entry.fields, wanted):
            raise NotProven("receipt", f"the receipt is of another command than {call.operation}'s", receipt["index"])
        is_mine = call.command is not None and entry.command not in PROVES_ITSELF
        if is_mine and self.player is not None and entry.by != f"player:{self.player}":
            raise NotProven("receipt", f"the command was given by {entry.by}, not {self.player}", receipt["index"])

    def prove(self, index: int, entry: str, proof_text: str) -> Flow[None]:
        """spec/receipts.md, "Verifying", with the log's key alone, and "Keeping a checkpoint"."""
        try:
            proof = Proof.read(proof_text)
        except Malformed as error:
            raise NotProven("receipt", str(error), index) from None
        if proof.index != index:
            raise NotProven("receipt", f"the receipt is of entry {proof.index}", index)
        checkpoint = yield from self.hold(proof.checkpoint)
        self.check_included(index, entry, proof.path, checkpoint)

    def check_included(self, index: int, entry: str, hashes: Sequence[bytes], checkpoint: Checkpoint) -> None:
        try:
            check_inclusion(leaf_hash(entry.encode()), index, checkpoint.size, hashes, checkpoint.root)
        except (BadProof, Malformed) as error:
            raise NotProven("inclusion", str(error), index) from None

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
        except Malformed as error:
            raise NotProven("note", str(error)) from None

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
            pinned = self._store.pinned(self.addresses[0])
            if pinned is None:
                shown: LogInfo = yield from self.ask(Call("getLog", "GET", "/v1/log"), LogInfo)
                pinned = shown["vkey"]
            if self.key is None:
                try:
                    self._trust(LogKey.read(pinned))
                except BadNote as error:
                    raise NotProven("key", str(error)) from None
                self._store.pin(self.addresses[0], pinned)
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
        """The newer tree begins with the whole older one: both roots follow from tiles of the newer tree."""
        tiles: dict[tuple[int, int], bytes] = {}
        try:
            for place, width in tiles_of([older.size, newer.size]).items():
                response = yield from self.send(Call("getTile", "GET", tile_path(*place, width), accept="*/*"))
                if len(response.body) != 32 * width:
                    raise BadProof(f"a tile of {width} hashes has {len(response.body)} bytes")
                tiles[place] = response.body
            if root_from_tiles(newer.size, tiles) != newer.root:
                raise BadProof("the tiles do not lead to the newer root")
        except (ApiError, BadProof) as error:
            message = f"no proof that the tree of {newer.size} entries begins with that of {older.size}: {error}"
            raise AnotherLog("consistency", message, kept.note, shown.note) from None
        if root_from_tiles(older.size, tiles) != older.root:
            message = f"the tree of {newer.size} entries does not begin with that of {older.size}: both are signed"
            raise AnotherLog("fork", message, kept.note, shown.note)
