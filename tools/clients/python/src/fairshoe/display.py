"""Chips as people read them. Amounts stay integers: nothing here is computed with floats, and nothing reads it back."""

from __future__ import annotations

import re

from .contract import Currency
from .errors import BadInput

MOST_DECIMALS = 8


def format_chips(chips: int, currency: Currency | None = None) -> str:
    """An amount in the house's currency, exactly: 1250 of `{"code": "EUR", "decimals": 2}` is `12.50 EUR`.

    `currency`: the field of that name in `get_log()`; without it (the house says nothing) chips are whole numbers.
    """
    if type(chips) is not int:
        raise BadInput(f"an amount is an integer, never a float; got {chips!r}")
    if currency is None:
        return str(chips)
    code, decimals = currency["code"], currency["decimals"]
    if type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS or not re.fullmatch(r"[A-Z0-9]{2,8}", code):
        raise BadInput(f"a currency has a code of 2 to 8 of A-Z 0-9 and 0 to 8 decimals; got {currency!r}")
    whole, part = divmod(abs(chips), 10**decimals)
    sign, rest = "-" if chips < 0 else "", f".{part:0{decimals}}" if decimals else ""
    return f"{sign}{whole}{rest} {code}"
