"""A round as a reply tells it, held against the entries that prove it: nothing is shown to the player that the log
does not say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .contract import RoundView
from .errors import NotProven
from .history import Round, TableHistory

OFFER_FIELDS = ("decision", "player", "place", "options")


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _differs(what: str) -> NotProven:
    return NotProven("view", f"the reply tells {what} otherwise than the log")


def is_proven(history: TableHistory, view: RoundView, own: dict[int, str]) -> bool:
    """Whether the followed entries show all that the view tells. False: it tells of entries that were not followed yet.

    `own` are cards of this player's that openings proved, by slot. `NotProven` where view and log differ.
    """
    if view["id"] != f"{history.table}:{view['round_no']}" or view["table"] != history.table:
        raise _differs("the round's name")
    try:
        return _is_proven(history, view, own)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise NotProven("view", "the reply's round is not of its form") from None


def _is_proven(history: TableHistory, view: RoundView, own: dict[int, str]) -> bool:
    found = history.round(view["round_no"])
    if view["phase"] in ("betting", "called"):
        # Nothing of it binds yet; what does is said by `bets_closed` or `hand_begun`. So it can show nothing either:
        # cards or choices under this word would be checked by nobody.
        if view["entropy"] is not None or view["decisions"] or any("slot" in one for one in _objects(view["game"])):
            raise _differs("of cards or choices before bets are closed, which is")
        return found is not None or view["round_no"] == history.window_no or view["round_no"] == history.next_round
    if found is None:
        return False
    if view["entropy"] is not None:
        if not found.entropy:
            return False
        if view["entropy"] != found.entropy.hex():
            raise _differs("the entropy")
    if view["shoe_no"] != found.shoe.no:
        raise _differs("the shoe")
    if {one["player"] for one in view["contributors"]} != set(found.contributors):
        raise _differs("who plays")
    if not _are_contributors(found, view):
        return False
    cards = [_card_is_known(found, one, own) for one in _objects(view["game"]) if "slot" in one]
    for offer in view["decisions"]:
        known = found.offered.get(offer["decision"])
        if known is None:
            return False
        if any(known.get(name) != offer.get(name) for name in OFFER_FIELDS):
            raise _differs(f"decision {offer['decision']}")
        if f"{offer['spot']}/{offer['hand']}" != offer["place"]:
            raise _differs(f"the hand of decision {offer['decision']}")
    if view["phase"] in ("settled", "voided") and found.end is None:
        return False
    return all(cards)


def _are_contributors(found: Round, view: RoundView) -> bool:
    for one in view["contributors"]:
        logged = found.contributors.get(one["player"])
        if logged is None or one["commitment"] != logged["commitment"]:
            raise _differs(f"the commitment of {one['player']}")
        if "bets" in logged and one["bets"] != logged["bets"]:
            raise _differs(f"the bets of {one['player']}")
        seed = found.seeds.get(one["player"])
        if one["seed"] is not None and one["seed"] != (seed.hex() if seed is not None else None):
            if seed is None:
                return False  # Of an entry that was not followed yet, or of none.
            raise _differs(f"the seed of {one['player']}")
    if found.end and view["phase"] in ("settled", "voided"):
        told = {one["player"]: (one["staked"], one["returned"]) for one in view["contributors"]}
        for one in found.end["players"]:
            if told.get(one["player"]) != (one["staked"], one["returned"]):
                raise _differs(f"what {one['player']} staked and got")
    return True


def _card_is_known(found: Round, shown: dict[str, Any], own: dict[int, str]) -> bool:
    slot = shown["slot"]
    if "pocket" in shown:
        if found.spun is None:
            return False
        if any(shown[name] != found.spun[name] for name in ("slot", "value", "pocket")):
            raise _differs("where the wheel stopped")
        return True
    if shown.get("card") is None:
        return True
    at = shown.get("pile", 0)
    if not 0 <= at < len(found.piles):
        return False
    shoe = found.piles[at]
    if slot not in shoe.values:
        if own.get(slot) == shown["card"]:
            return True
        # A card that nobody but the dealer may know, or one of an entry that was not followed yet.
        return False
    if shoe.face(slot) != shown["card"]:
        raise _differs(f"the card in slot {slot}")
    return True
