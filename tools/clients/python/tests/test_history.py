"""Tables followed entry by entry: every log of spec/vectors, and every bundle, sound or not."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import pytest
from conftest import PACKAGE, REPOSITORY, vectors

from fairshoe import LogKey, NotProven, check_bundle
from fairshoe.entries import read_entry
from fairshoe.fairness import Malformed
from fairshoe.history import TableHistory

LOGS = sorted(path.name for path in (REPOSITORY / "spec" / "vectors").glob("entries-*.json")) + ["player-keys.json"]
BUNDLES = vectors("bundles.json")["cases"]
NOT_DECIDED_HERE = frozenset(
    {
        "balance_before",
        "epoch_reused",
        "event_extra",
        "offer",
        "overdue",
        "payout",
        "refused",
        "resume",
        "seat",
        "table_noted",
        "table_seq",
        "time",
        "void",
    }
)
"""Checks of spec/audit.md that need the rules of a game or of the house, or the whole log: README.md says that this
client has none of them."""

DECIDED_IN_PART = frozenset({"cooldown", "event_order", "posting"})
"""Those of which it has all but what a bundle states of before and of elsewhere: in the cases of "exactly"."""


def is_decided_here(case: dict[str, Any]) -> bool:
    """Whether a client that has no rules of the house convicts this bundle, or finds it sound."""
    check, states = case.get("check"), str(case["about"]).startswith("exactly ")
    return check not in NOT_DECIDED_HERE and not (check in DECIDED_IN_PART and states)


def follow(entries: list[str]) -> dict[str, TableHistory]:
    """Follows every table of a whole log, as a client does of one table."""
    opened: dict[str, Any] = {}
    found: dict[str, TableHistory] = {}
    origin = epoch = ""
    for index, text in enumerate(entries):
        entry = read_entry(text)
        for event in entry.events:
            if event.word == "dealer_started":
                origin, epoch = event.fields["origin"], event.fields["epoch"]
            elif event.word == "table_opened" and entry.table:
                opened[entry.table] = event.fields
        if entry.table not in opened:
            continue
        table = str(entry.table)
        if table not in found:
            rules = opened[table]
            found[table] = TableHistory(origin, table, rules["rules"], epoch, is_event="event" in rules)
        found[table].learn_epoch(epoch)
        found[table].take(index, text)
    return found


@functools.cache
def followed(log: str) -> dict[str, TableHistory]:
    return follow(vectors(log)["entries"])


@pytest.mark.parametrize("log", LOGS)
def test_a_log_is_followed_to_its_end(log: str) -> None:
    file, found = vectors(log), followed(log)
    seeds = {(one["table"], one["round_no"], one["player"]): one["seed"] for one in file.get("client_seeds", [])}
    for history in found.values():
        for number, one in history.rounds.items():
            for player, seed in one.seeds.items():
                assert seeds.get((history.table, number, player), seed.hex()) == seed.hex()
    for account, stands in file.get("balances", {}).items():
        for history in found.values():
            if account == f"table:{history.table}" and not history.is_private:
                assert history._postings._stands[account] == stands


def test_the_logs_hold_rounds_of_every_game() -> None:
    games = {next(iter(history.rules["game"])) for log in LOGS for history in followed(log).values() if history.rounds}
    assert games == {"blackjack", "baccarat", "roulette", "safe", "poker", "dragon_tiger", "sic_bo"}


def judged(text: str) -> tuple[str, str | None]:
    try:
        key = LogKey.read(json.loads(text)["vkey"])
    except (ValueError, KeyError, TypeError):
        key = LogKey.read(json.loads(BUNDLES[0]["bundle"])["vkey"])
    try:
        checked, _ = check_bundle(text, key, key_was_given=False)
    except NotProven as refusal:
        return "not_sound", refusal.check
    except Malformed as refusal:
        pytest.fail(f"a bundle ends in {refusal!r} and not in a verdict")
    return ("sound" if checked["is_complete"] else "sound_so_far"), None


@pytest.mark.parametrize(
    "case",
    [case for case in BUNDLES if is_decided_here(case)],
    ids=lambda case: str(case["about"])[:60],
)
def test_bundles(case: dict[str, Any]) -> None:
    verdict, check = judged(case["bundle"])
    assert verdict == case["verdict"], check


def test_what_is_not_decided_here_is_what_passes() -> None:
    """Each check that a lie passes here is on the lists, and the README has them."""
    passed = {
        case["check"] for case in BUNDLES if case["verdict"] == "not_sound" and judged(case["bundle"])[0] != "not_sound"
    }
    assert len(passed) > 4 and passed <= NOT_DECIDED_HERE | DECIDED_IN_PART
    readme = (PACKAGE / "README.md").read_text()
    line = readme.split("By the auditor's names", 1)[1].split("is checked here", 1)[0]
    assert set(re.findall(r"`([a-z_]+)`", line)) == NOT_DECIDED_HERE | DECIDED_IN_PART


def test_a_bundle_of_another_log_is_refused() -> None:
    sound = next(case["bundle"] for case in BUNDLES if case["verdict"] == "sound")
    stranger = LogKey.read(vectors("log-tree.json")["log_key"])
    with pytest.raises(NotProven, match="not of") as refusal:
        check_bundle(sound, stranger, key_was_given=True)
    assert refusal.value.check == "key"


def changed(text: str, old: str, new: str) -> str:
    assert old in text, f"{old} is not in the entry"
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("log", "old", "new", "check"),
    [
        ("entries-joy.json", '"lanes":1', '"lanes":2', "lanes"),
        ("entries-joy.json", '"pick":0', '"pick":1', "round_opened"),
        (
            "entries-shared.json",
            '"round_no":1,"shoe_no":0,"closes_at"',
            '"round_no":2,"shoe_no":0,"closes_at"',
            "round_no",
        ),
        ("entries-wheel.json", '"spun":{"slot":0', '"spun":{"slot":1', "spin"),
        ("entries-joy.json", '"composition":"52x1"', '"composition":"52x2"', "composition"),
        ("entries-joy.json", '"default":false', '"default":true', "action"),
        ("entries-safe.json", '"composition":"cards:Ac', '"composition":"cards:AcAc', "composition"),
        ("entries-poker.json", '"shoe_sealed":{"shoe_no":', '"shoe_sealed":{"shoe_no":9', "shoe_revealed"),
    ],
)
def test_one_change_is_found(log: str, old: str, new: str, check: str) -> None:
    entries = list(vectors(log)["entries"])
    at = next(i for i, text in enumerate(entries) if old in text)
    entries[at] = changed(entries[at], old, new)
    with pytest.raises(NotProven) as refusal:
        follow(entries)
    assert (refusal.value.check, refusal.value.entry) == (check, at)
