"""Postings: that lines sum to zero, that balances go on from each other, and what a round was to each player.

What a balance was before an entry is the log's word where the entry names it (`before`), as it is in a bundle. That a
payout is what the game's rules give is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence

from .contract import JsonObject
from .entries import LogEntry
from .errors import NotProven

OVERDRAWN = ("cage", "house", "play", "wallet", "transfers:")
"""Accounts that may stand below 0 (spec/ledger.md)."""


class Postings:
    """The money of one table's entries, in their order."""

    def __init__(self, table: str, has_stacks: bool) -> None:
        self.escrow = f"table:{table}"
        self.seats = f"seat:{table}/"
        self._stands: dict[str, int] = {} if has_stacks else {self.escrow: 0}
        self.nets: dict[str, int] = {}
        """player -> what came to them less what they paid at this table, since `begin`"""
        self._in_entry: dict[str, int] = {}

    def begin(self) -> None:
        self.nets = {}

    def enter(self, entry: LogEntry) -> None:
        self._in_entry = {f"player:{name}": amount for name, amount in entry.before.items()}

    def post(self, lines: Sequence[Sequence[object]], entry: int) -> None:
        total = 0
        for line in lines:
            account, moved, after = line
            if not isinstance(account, str) or type(moved) is not int or type(after) is not int:
                raise NotProven("posting", "a line is an account, an amount moved and a balance", entry)
            total += moved
            lasting = account == self.escrow or account.startswith(self.seats)
            if account.startswith("player:") and account not in self._in_entry:
                raise NotProven("balance_before", f"the entry does not say what {account} had before", entry)
            known = (self._stands if lasting else self._in_entry).get(account)
            if known is not None and known + moved != after:
                raise NotProven(
                    "posting", f"{account} had {known}, {moved} moved, and it is said to have {after}", entry
                )
            if after < 0 and not account.startswith(OVERDRAWN):
                raise NotProven("posting", f"{account} stands at {after}", entry)
            (self._stands if lasting else self._in_entry)[account] = after
            if account.startswith("player:"):
                player = account[len("player:") :]
                self.nets[player] = self.nets.get(player, 0) + moved
        if total:
            raise NotProven("posting", f"the lines come to {total}, not 0", entry)

    def check_results(self, fields: JsonObject, nets: dict[str, int], entry: int) -> None:
        """`round_settled` and `round_voided`: what each player staked and got is what moved."""
        for one in fields["players"]:
            moved = nets.get(one["player"], 0)
            if one["returned"] - one["staked"] != moved:
                what = (
                    f"{one['player']} is said to have staked {one['staked']} and got {one['returned']}, {moved} moved"
                )
                raise NotProven("settlement", what, entry)
        if "staked" in fields:
            for side in ("staked", "returned"):
                if sum(one[side] for one in fields["players"]) != fields[side]:
                    raise NotProven("settlement", f"what the players {side} does not come to {fields[side]}", entry)

    def check_staked(self, stakes: int, entry: int) -> None:
        if self._stands.get(self.escrow, 0) != stakes:
            raise NotProven(
                "posting", f"bets of {stakes} are closed, {self._stands[self.escrow]} is on the table", entry
            )

    def check_empty(self, entry: int) -> None:
        if self._stands.get(self.escrow, 0):
            raise NotProven("posting", f"the round is over and {self.escrow} holds {self._stands[self.escrow]}", entry)
