"""Signed notes, proofs, tiles and receipts against spec/vectors/log-*.json and player-keys.json."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import vectors

from fairshoe import ed25519, notes, proofs
from fairshoe.fairness import Malformed

TREE, BROKEN, RECEIPTS, HOUSE = (vectors(f"log-{name}.json") for name in ("tree", "broken", "receipts", "notes"))
KEY = notes.LogKey.read(TREE["log_key"])


def policy_key(policy: str) -> notes.LogKey:
    (line,) = [line for line in policy.splitlines() if line.startswith("log ")]
    return notes.LogKey.read(line.split()[1])


def test_the_y_of_order_8_solves_its_equation() -> None:
    y = ed25519.Y_OF_ORDER_8
    assert (ed25519.D * pow(y, 4, ed25519.FIELD) + 2 * y * y - 1) % ed25519.FIELD == 0


def test_usable_keys_and_signatures() -> None:
    file = vectors("player-keys.json")
    for case in file["keys"]:
        assert ed25519.is_usable_key(bytes.fromhex(case["key"])) is case["usable"], case["about"]
    for case in file["signatures"]:
        key, signature = bytes.fromhex(case["key"]), bytes.fromhex(case["signature"])
        text = f"fairshoe/v1/signed-command\n{case['origin']}\n{case['by']}\n{case['nonce']}\n{case['command']}\n"
        assert ed25519.verifies(key, text.encode(), signature) is case["holds"], case["about"]
    assert {case["holds"] for case in file["signatures"]} == {True, False}


def test_checkpoints() -> None:
    for size, note in enumerate(TREE["checkpoints"]):
        read = notes.Checkpoint.read(note, KEY)
        assert (read.size, notes.to_base64(read.root)) == (size, TREE["roots"][size])


@pytest.mark.parametrize("case", BROKEN["checkpoints"], ids=lambda case: str(case["why"]))
def test_broken_checkpoints(case: dict[str, Any]) -> None:
    with pytest.raises(notes.BadNote):
        notes.Checkpoint.read(case["input"], KEY)


@pytest.mark.parametrize("case", BROKEN["keys"], ids=lambda case: str(case["why"]))
def test_broken_keys(case: dict[str, Any]) -> None:
    with pytest.raises(notes.BadNote):
        notes.LogKey.read(case["input"])


def test_inclusion() -> None:
    roots = [notes.hash_of(root) for root in TREE["roots"]]
    leaves = [proofs.leaf_hash(bytes.fromhex(entry)) for entry in TREE["entries_hex"]]
    assert [notes.to_base64(leaf) for leaf in leaves] == TREE["leaf_hashes"]
    for case in TREE["inclusion"]:
        path = [notes.hash_of(one) for one in case["proof"]]
        proofs.check_inclusion(leaves[case["index"]], case["index"], case["size"], path, roots[case["size"]])
        for other in set(range(case["size"])) - {case["index"]}:
            with pytest.raises(proofs.BadProof):
                proofs.check_inclusion(leaves[case["index"]], other, case["size"], path, roots[case["size"]])


def test_tiles_give_every_root() -> None:
    bytes_of = {"/" + one["path"].lstrip("/"): bytes.fromhex(one["hex"]) for one in TREE["resources"]}
    for case in TREE["paths"]:
        if case["level"] != "entries" and ".p/" not in case["path"]:
            assert proofs.tile_path(int(case["level"]), int(case["index"])) == "/" + case["path"].lstrip("/")
    for newer in range(1, 6):
        for older in range(newer + 1):
            tiles = {
                place: bytes_of[proofs.tile_path(*place, width)]
                for place, width in proofs.tiles_of([older, newer]).items()
            }
            for size in (older, newer):
                assert notes.to_base64(proofs.root_from_tiles(size, tiles)) == TREE["roots"][size]


def test_tiles_of_a_tree_of_70_000() -> None:
    """spec/log.md, "Tiles": 273 full tiles and .p/112 at level 0, one and .p/17 at level 1, tile/2/000.p/1."""
    widths = proofs.tiles_of([70_000])
    assert widths == {(2, 0): 1, (1, 1): 17, (0, 273): 112}
    assert proofs.tile_path(0, 1_234_067) == "/tile/0/x001/x234/067"


def checked(receipt: str, entry: str, policy: str) -> tuple[int, int]:
    """The index and size of a receipt that holds for these bytes."""
    proof = proofs.Proof.read(receipt)
    checkpoint = notes.Checkpoint.read(proof.checkpoint, policy_key(policy))
    leaf = proofs.leaf_hash(bytes.fromhex(entry))
    proofs.check_inclusion(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root)
    return proof.index, checkpoint.size


@pytest.mark.parametrize("case", RECEIPTS["receipts"], ids=lambda case: str(case["what"]))
def test_receipts(case: dict[str, Any]) -> None:
    assert checked(case["receipt"], case["entry_hex"], case["policy"]) == (case["index"], case["size"])


# Cosignatures are not checked by this package, which has no policy but the log's key: README, "What is not checked".
OF_THE_LOG_ALONE = [case for case in BROKEN["receipts"] if "cosignature" not in case["why"]]


@pytest.mark.parametrize("case", OF_THE_LOG_ALONE, ids=lambda case: str(case["why"]))
def test_broken_receipts(case: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        checked(case["input"], case["entry_hex"], case["policy"])


def test_house_notes() -> None:
    key = notes.LogKey.read(HOUSE["log_key"])
    for case in HOUSE["notes"]:
        read = notes.read_house_note(case["note"], key)
        assert read.is_refusal is case["note"].startswith("fairshoe refused/v1"), case["about"]
    for case in HOUSE["refused"]:
        with pytest.raises(Malformed):
            notes.read_house_note(case["note"], key)
            pytest.fail(case["about"])
