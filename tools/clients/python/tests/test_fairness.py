"""The arithmetic of spec/fairness.md against all of spec/vectors/fairness-*.json."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import vectors

from fairshoe import fairness as f

MASTER_FILE = vectors("fairness-shoes.json")


def context(of: dict[str, str]) -> bytes:
    return f.table_context(of["origin"], of["table"], of["epoch"])


def refuses(what: Any, *args: Any) -> bool:
    try:
        what(*args)
    except f.Malformed:
        return True
    return False


def test_streams_and_draws() -> None:
    file = vectors("fairness-draws.json")
    for case in file["streams"]:
        words = f.stream_words(bytes.fromhex(case["key"]))
        assert [next(words) for _ in case["words"]] == case["words"]
    for case in file["below_words"]:
        words = iter(case["words"])
        assert [f.below(words, case["m"]) for _ in case["draws"]] == case["draws"]
        assert refuses(f.below, words, case["m"])
    for case in file["below_key"]:
        words = f.stream_words(bytes.fromhex(case["key"]))
        assert [f.below(words, case["m"]) for _ in case["draws"]] == case["draws"]
    assert next(f.stream_words(bytes(32))) == 2917185654


@pytest.mark.parametrize("case", MASTER_FILE["shoes"], ids=lambda case: str(case["name"]))
def test_shoes(case: dict[str, Any]) -> None:
    master, tctx = bytes.fromhex(MASTER_FILE["master"]), context(case["context"])
    composition = f.Composition.read(case["composition"])
    assert tctx.hex() == case["tctx"] and composition.slots == case["slots"]
    for k, candidate in enumerate(case["candidates"]):
        named = f.label("server-seed") + tctx + f.number(case["shoe_no"], 8) + f.number(k, 1)
        seed = f.mac(master, named)
        assert seed.hex() == candidate["server_seed"]
        assert f.server_commitment(tctx, case["shoe_no"], k, seed).hex() == candidate["commitment"]
        derived = f.derive_shoe(seed, composition)
        assert list(derived.values) == candidate["order"]
        assert [salt.hex() for salt in derived.salts] == candidate["salts"]
        assert derived.root.hex() == candidate["root"]


@pytest.mark.parametrize("session", vectors("fairness-rounds.json")["sessions"], ids=lambda one: str(one["name"]))
def test_rounds(session: dict[str, Any]) -> None:
    tctx, composition = context(session["context"]), f.Composition.read(session["composition"])
    roots, undrawn = [bytes.fromhex(root) for root in session["roots"]], set(range(composition.slots))
    for case in session["rounds"]:
        if "burnt" in case:
            assert min(undrawn) == case["burnt"]
            undrawn.discard(case["burnt"])
            continue
        seeds = []
        for one in case["contributors"]:
            seed = bytes.fromhex(one["seed"])
            assert f.client_commitment(tctx, case["round_no"], one["player"], seed).hex() == one["commitment"]
            seeds.append((one["player"], seed))
        entropy = f.round_entropy(tctx, session["shoe_no"], roots, case["round_no"], seeds)
        assert entropy.hex() == case["entropy"]
        if composition.is_wheel:
            drawn, pick = [min(undrawn)], 0
            assert drawn == [case["slot"]] and f.wheel_offset(entropy, composition.pockets) == case["offset"]
            assert (case["openings"][0]["value"] + case["offset"]) % composition.pockets == case["pocket"]
            undrawn -= set(drawn)
        else:
            pick, order = f.public_shuffle(entropy, len(roots), sorted(undrawn))
            assert (pick, order) == (case["pick"], case["order"])
            counts, drawn = [0] * case["lanes"], []
            for lane in case["draws"]:
                slot = f.lane_slot(order, case["lanes"], lane, counts[lane], undrawn.__contains__)
                assert slot is not None
                counts[lane] += 1
                undrawn.discard(slot)
                drawn.append(slot)
            assert drawn == case["drawn"]
        assert [f.check_opening(one, roots[pick], composition)[0] for one in case["openings"]] == drawn


def test_openings() -> None:
    def check(case: dict[str, Any]) -> None:
        f.check_opening(case["opening"], bytes.fromhex(case["root"]), f.Composition.read(case["composition"]))

    cases = vectors("fairness-openings.json")["cases"]
    for case in cases:
        assert refuses(check, case) is not case["holds"], case["name"]
    assert {case["holds"] for case in cases} == {True, False}


def test_refusals() -> None:
    file = vectors("fairness-refusals.json")
    readers = {
        "origin": f.origin_bytes,
        "table": f.name_bytes,
        "player": f.name_bytes,
        "composition": f.Composition.read,
        "card": f.card_code,
        "hash": f.unhex,
    }
    for case in file["texts"]:
        assert refuses(readers[case["kind"]], case["text"]) is not case["valid"], case["text"]
    for case in file["server_commitments"]:
        seed = bytes.fromhex(case["server_seed"])
        got = f.server_commitment(context(case["context"]), case["shoe_no"], case["candidate"], seed)
        assert (got.hex() == case["commitment"]) is case["opens"], case["name"]
    for case in file["client_commitments"]:
        seed = bytes.fromhex(case["seed"])
        got = f.client_commitment(context(case["context"]), case["round_no"], case["player"], seed)
        assert (got.hex() == case["commitment"]) is case["opens"], case["name"]
    tctx = context(file["server_commitments"][0]["context"])
    for case in file["contributor_lists"]:
        roots = [bytes.fromhex(root) for root in case["roots"]]
        seeds = [(one["player"], bytes.fromhex(one["seed"])) for one in case["contributors"]]
        assert refuses(f.round_entropy, tctx, 0, roots, 0, seeds) is not case["valid"], case["name"]
