"""Checks a running log with the PyPI package aics-tlog: every tile and bundle, every entry, consistency.

    check_log.py URL KEY_FILE ENTRIES_FILE OLD_NOTE...

ENTRIES_FILE holds the log's entries as somebody else read them, each after its length as four bytes. Prints one JSON
object; what does not hold is an exception, so that the exit code is not 0.
"""

import json
import struct
import sys

from aics_tlog import (
    HttpTileReader,
    VerifiedTileReader,
    audit_tiles,
    consistency_proof_from_tiles,
    inclusion_proof_from_tiles,
    parse_checkpoint,
    parse_note,
    parse_vkey,
    verify_checkpoint,
    verify_consistency,
    verify_leaf_inclusion,
)


def verified(note_bytes, key):
    note = parse_note(note_bytes.decode("utf-8"))
    result = verify_checkpoint(note, key, expected_origin=key.name)
    if not result.ok:
        raise SystemExit(f"the checkpoint does not verify: {result.error}")
    return parse_checkpoint(note.text)


def read_entries(path):
    with open(path, "rb") as file:
        data = file.read()
    at, entries = 0, []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        entries.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return entries


def must(holds, what):
    if not holds:
        raise SystemExit(f"does not hold: {what}")


def main(url, key_file, entries_file, *old_notes):
    with open(key_file, encoding="utf-8") as file:
        key = parse_vkey(file.read().strip())
    entries = read_entries(entries_file)
    http = HttpTileReader([url], proxies={})
    head = verified(http.read_checkpoint(), key)
    must(head.size >= len(entries), "the log is as long as it was read")

    audit_tiles(http, head.size, head.root)
    tiles = VerifiedTileReader(http, head.size, head.root)
    refused = 0
    for index, entry in enumerate(entries):
        must(tiles.entry(index) == entry, f"entry {index} is the one that was read")
        proof = inclusion_proof_from_tiles(tiles, index, head.size)
        must(verify_leaf_inclusion(entry, index, head.size, proof, head.root), f"inclusion of entry {index}")
        forged = bytes([entry[0] ^ 1]) + entry[1:]
        must(
            not verify_leaf_inclusion(forged, index, head.size, proof, head.root), f"a forged entry {index} is refused"
        )
        refused += 1

    for path in old_notes:
        with open(path, "rb") as file:
            old = verified(file.read(), key)
        proof = consistency_proof_from_tiles(tiles, old.size, head.size)
        must(verify_consistency(old.size, head.size, old.root, head.root, proof), f"consistency from {old.size}")
        other = bytes([old.root[0] ^ 1]) + old.root[1:]
        must(
            not verify_consistency(old.size, head.size, other, head.root, proof),
            f"another tree of {old.size} is refused",
        )
        refused += 1

    print(
        json.dumps({"size": head.size, "inclusions": len(entries), "consistencies": len(old_notes), "refused": refused})
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
