"""Whether a reply has the shape that its type says: money and counts are integers, fields are there.

Fields that the type does not name are let through: a newer service may say more.
"""

from __future__ import annotations

import functools
import types
import typing
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from .errors import BadReply


class _Optional:
    """Stands for NotRequired while hints are evaluated; Python 3.10 has none."""

    def __class_getitem__(cls, item: Any) -> Any:
        return Annotated[item, _Optional]


@functools.cache
def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """field -> (its type, whether it may be absent)."""
    found = {}
    for name, hint in get_type_hints(kind, localns={"NotRequired": _Optional}, include_extras=True).items():
        may_be_absent = get_origin(hint) is Annotated and _Optional in hint.__metadata__
        found[name] = (hint.__origin__ if may_be_absent else hint, may_be_absent)
    return found


def check(value: Any, kind: Any, where: str = "the reply") -> None:
    """`BadReply` where `value` is not of this type."""
    fault = _fault(value, kind, where)
    if fault:
        raise BadReply(fault)


def _fault(value: Any, kind: Any, where: str) -> str | None:
    if kind is Any:
        return None
    if kind is None or kind is type(None):
        return None if value is None else f"{where} is not null"
    if kind in (int, str, bool):
        return None if type(value) is kind else f"{where} is no {kind.__name__}"
    if typing.is_typeddict(kind):
        return _fault_in_object(value, kind, where)
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return None if value in args else f"{where} is none of its words"
    if origin in (Union, types.UnionType):
        faults = [_fault(value, one, where) for one in args]
        return None if None in faults else next(fault for fault in faults if fault)
    if origin is list:
        if not isinstance(value, list):
            return f"{where} is no list"
        return next((fault for i, one in enumerate(value) if (fault := _fault(one, args[0], f"{where}[{i}]"))), None)
    if origin is dict:
        return None if isinstance(value, dict) else f"{where} is no object"
    raise TypeError(f"no rule for {kind}")


def _fault_in_object(value: Any, kind: type, where: str) -> str | None:
    if not isinstance(value, dict):
        return f"{where} is no object"
    for name, (hint, may_be_absent) in _fields(kind).items():
        if name not in value:
            if may_be_absent:
                continue
            return f"{where} has no {name}"
        if fault := _fault(value[name], hint, f"{where}.{name}"):
            return fault
    return None
