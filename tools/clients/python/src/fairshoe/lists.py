"""The calls whose replies are lists: players in pages, a player's transactions and parts in rounds line by line.

A list of lines has no end that is known before, and is sent as it is made: each line is bounded, read and handed on as
it comes, and nothing is kept. One that breaks off raises; what came before is not the whole. All of it is the service's
word. What contradicts itself, or is not what was asked for, is refused.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

from . import shape
from .calls import Calls
from .contract import JsonObject, PartInRound, PartOutcome, Transaction
from .core import Call, amount, name, path
from .errors import BadInput, BadReply, BrokenOff
from .flow import Emit, Flow, ReadLine, Response, Unanswered

MOST_ROW = 64 * 1024
"""Bytes of a line; the longest of its kind has less than 1 KiB."""
ROW_SECONDS = 600.0
"""Between two lines the service may have a long log to look through, and sends nothing meanwhile."""
FORMULA = ("=", "+", "@", "\t")
"""What makes a spreadsheet run a cell."""


def net_amount(value: object, what: str) -> int | None:
    if value is not None and (type(value) is not int or abs(value) >= 2**53):
        raise BadInput(f"{what} is an integer of less than 2^53, never a float; got {value!r}")
    return value


def check_part(part: PartInRound, asked: JsonObject) -> None:
    """A part in a round agrees with itself, and is one that was asked for."""
    staked, returned, net = part["staked"], part["returned"], part["net"]
    is_over = part["outcome"] != "in_play"
    if any((one is not None) is not is_over for one in (part["ended"], staked, returned, net, part["last_entry"])):
        raise BadReply(f"findRounds: {part['round']} is over, or it is not, and the sums say otherwise")
    if staked is not None and returned is not None and net is not None:
        won = "void" if part["cause"] is not None else "won" if net > 0 else "lost" if net < 0 else "even"
        if net != returned - staked or part["outcome"] != won:
            raise BadReply(f"findRounds: {part['round']}: {returned} for {staked} is not {net}, {part['outcome']}")
    told = {"player": part["player"], "table": part["round"].rpartition(":")[0], "rules": part["rules"]}
    if any(asked[field] not in (None, told) for field, told in [*told.items(), ("outcome", part["outcome"])]):
        raise BadReply(f"findRounds: the part of {part['player']} in {part['round']} was not asked for")


class _Balance:
    """Postings to one account follow from each other."""

    def __init__(self) -> None:
        self._index, self._balance = -1, 0

    def post(self, one: Transaction) -> None:
        is_next = self._index < 0 or self._balance + one["amount"] == one["balance"]
        if one["index"] < self._index or not is_next or one["balance"] < 0:
            raise BadReply(f"listTransactions: the posting of entry {one['index']} does not follow the one before")
        self._index, self._balance = one["index"], one["balance"]


class _Table:
    """Lines of RFC 4180 that have the columns of a type, each of one record."""

    def __init__(self, operation: str, kind: type) -> None:
        self._operation, self._wanted = operation, set(shape._fields(kind))
        self.columns: list[str] | None = None

    def read(self, line: str) -> str:
        try:
            (fields,) = csv.reader([line], strict=True)
        except (csv.Error, ValueError) as error:
            raise BadReply(f"{self._operation}: a line is no CSV ({type(error).__name__})") from None
        if self.columns is None:
            self.columns = fields
            if not self._wanted <= set(fields):
                raise BadReply(f"{self._operation}: no column {min(self._wanted - set(fields))}")
        if len(fields) != len(self.columns) or any(field.startswith(FORMULA) for field in fields):
            raise BadReply(f"{self._operation}: a line has other columns than the first, or a formula in one")
        return line


class Lists(Calls):
    """Flows that emit what they list."""

    def list_transactions(self, player: str, *, since: str | None = None, until: str | None = None) -> Flow[None]:
        """All that moved a player's balance, in the order of the log, as it comes."""
        balance = _Balance()

        def read(line: str) -> Transaction:
            one: Transaction = self._row(line, Transaction, "listTransactions")
            balance.post(one)
            return one

        yield from self._lines(self._transactions(player, since, until), read)

    def list_transactions_csv(self, player: str, *, since: str | None = None, until: str | None = None) -> Flow[None]:
        """The same as lines of CSV, the columns' names first, without their ends; for a spreadsheet."""
        yield from self._csv(self._transactions(player, since, until), Transaction)

    def find_rounds(
        self,
        *,
        player: str | None = None,
        table: str | None = None,
        rules: str | None = None,
        outcome: PartOutcome | None = None,
        since: str | None = None,
        until: str | None = None,
        min_staked: int | None = None,
        min_net: int | None = None,
        max_net: int | None = None,
    ) -> Flow[None]:
        """Each player's part in each round that is as asked for, as it comes; a player's own with `player`."""
        call = self._rounds(player, table, rules, outcome, since, until, min_staked, min_net, max_net)

        def read(line: str) -> PartInRound:
            part: PartInRound = self._row(line, PartInRound, "findRounds")
            check_part(part, dict(call.query))
            return part

        yield from self._lines(call, read)

    def find_rounds_csv(
        self,
        *,
        player: str | None = None,
        table: str | None = None,
        rules: str | None = None,
        outcome: PartOutcome | None = None,
        since: str | None = None,
        until: str | None = None,
        min_staked: int | None = None,
        min_net: int | None = None,
        max_net: int | None = None,
    ) -> Flow[None]:
        """The same as lines of CSV, the columns' names first, without their ends; for a spreadsheet."""
        call = self._rounds(player, table, rules, outcome, since, until, min_staked, min_net, max_net)
        yield from self._csv(call, PartInRound)

    # --- What they share ------------------------------------------------------------------------

    def _transactions(self, player: str, since: str | None, until: str | None) -> Call:
        at = path("/v1/players/{}/transactions", name(player, "player"))
        return _streamed("listTransactions", at, {"from": since, "to": until})

    def _rounds(
        self,
        player: str | None,
        table: str | None,
        rules: str | None,
        outcome: PartOutcome | None,
        since: str | None,
        until: str | None,
        min_staked: int | None,
        min_net: int | None,
        max_net: int | None,
    ) -> Call:
        query = {
            "player": None if player is None else name(player, "player"),
            "table": None if table is None else name(table, "table"),
            "rules": None if rules is None else name(rules, "rules"),
            "outcome": outcome,
            "from": since,
            "to": until,
            "min_staked": None if min_staked is None else amount(min_staked, "min_staked"),
            "min_net": net_amount(min_net, "min_net"),
            "max_net": net_amount(max_net, "max_net"),
        }
        return _streamed("findRounds", "/v1/rounds", query)

    def _row(self, line: str, kind: type[Any], operation: str) -> Any:
        return self._read(Response(200, {}, line.encode()), kind, operation)

    def _csv(self, call: Call, kind: type) -> Flow[None]:
        call.query, call.accept = {**call.query, "format": "csv"}, "text/csv"
        table = _Table(call.operation, kind)
        yield from self._lines(call, table.read)
        if table.columns is None:
            raise BadReply(f"{call.operation}: the columns' names are missing")

    def _lines(self, call: Call, read: Callable[[str], Any]) -> Flow[None]:
        response: Response = yield from self.send(call)
        if not response.is_framed:
            raise BadReply(f"{call.operation}: the reply does not say where it ends: none could tell that it broke off")
        count = 0
        while True:
            try:
                line: str | None = yield ReadLine(ROW_SECONDS, MOST_ROW, is_list=True)
            except Unanswered as error:
                raise BrokenOff(call.operation, count, str(error)) from None
            if line is None:
                return
            count += 1
            yield Emit(read(line))


def _streamed(operation: str, at: str, query: JsonObject) -> Call:
    call = Call(operation, "GET", at, query, accept="application/x-ndjson", timeout=ROW_SECONDS)
    call.is_streamed = True
    return call
