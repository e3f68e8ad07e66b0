"""What calls are made of: a read, and a request that makes an entry."""

from __future__ import annotations

from typing import Any, TypeVar

from .contract import Accepted, JsonObject
from .core import OPERATOR, Call, Core, name, new_key, path
from .errors import BadInput
from .fairness import Malformed, unhex
from .flow import Flow

T = TypeVar("T")

PAYS = frozenset({"rebuy", "add_on", "buy_stake"})
"""Words of which each request is another one, though it has the same content."""


def without_none(**fields: Any) -> JsonObject:
    """What is not said is left out: the service refuses `null` for a field."""
    return {key: value for key, value in fields.items() if value is not None}


def hex32(value: object, what: str) -> str:
    try:
        return unhex(value).hex()
    except Malformed as error:
        raise BadInput(f"{what} is {error}") from None


def round_id(value: object) -> tuple[str, int]:
    """`TABLE:NUMBER` as its two parts."""
    table, _, number = value.rpartition(":") if isinstance(value, str) else ("", "", "")
    if not number.isascii() or not number.isdigit() or (len(number) > 1 and number[0] == "0"):
        raise BadInput(f"a round is TABLE:NUMBER; got {value!r}")
    return name(table, "the round's table"), int(number)


class Asking(Core):
    """Flows that ask, each for one call."""

    def _get(self, operation: str, kind: type[T], at: str, **query: Any) -> Flow[T]:
        wait = query.get("wait_ms") or 0
        return (yield from self.ask(Call(operation, "GET", at, query, timeout=30.0 + wait / 1000), kind))

    def _do(
        self,
        operation: str,
        at: str,
        body: JsonObject | None,
        *,
        key: str | bool | None = False,
        command: JsonObject | None = None,
        expects: JsonObject | None = None,
        method: str = "POST",
        repeats: bool = True,
        by: str | None = None,
        repeats_by_content: bool = False,
        subject: str | None = None,
        later: str | None = None,
    ) -> Flow[Accepted]:
        """`key`: a text that the caller gave, None to make one, False where the call takes none.

        `expects`: the commands that the entry may be of, where that is not just `command`. `by`, `repeats_by_content`,
        `subject` and `later` are those of `Call`.
        """
        made = new_key() if key is None else key
        call = Call(operation, method, at, body=body, repeats=repeats, command=command, expects=expects or {})
        call.idempotency_key = made if isinstance(made, str) else None
        call.is_given_key = isinstance(key, str)
        call.by, call.repeats_by_content, call.subject = by, repeats_by_content, subject
        if later is not None and not self.owed.is_full:
            call.later, call.query = later, {"proofs": "later"}
        return (yield from self.act_on(call))

    def _in_event(
        self,
        operation: str,
        tournament: str,
        rest: str,
        body: JsonObject | None,
        command: JsonObject,
        *,
        key: str | bool | None = False,
        by: str | None = None,
        method: str = "POST",
    ) -> Flow[Accepted]:
        """`command`: the tournament's; where it is the operator's (`by`), nobody signs it."""
        ((word, inner),) = command.items()
        # What was said before of the same thing (a bounty of this player, registration) is over with what is said now.
        repeats = word not in PAYS
        subject = f"{tournament}{rest}/{inner.get('player', '')}" if repeats else None
        at = path("/v1/tournaments/{}", name(tournament, "tournament")) + rest
        options: Any = {"key": key, "by": by, "method": method, "repeats_by_content": repeats, "subject": subject}
        options["expects" if by == OPERATOR else "command"] = {"tournament": command}
        return (yield from self._do(operation, at, body, **options))
