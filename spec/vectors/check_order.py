#!/usr/bin/env python3
"""Reads order.json by spec/cluster.md alone: messages open at their place with the shard's key, and nowhere else."""

import base64
import hashlib
import hmac
import json
import pathlib
import struct
import sys

MAGIC = b"fairshoe-order 1\n"


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        if self.at + length > len(self.data):
            raise ValueError("it ends too early")
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]


def opened(key, expected, message):
    """The message's fields as the vectors write them; raises where it is none."""
    if not len(MAGIC) + 32 <= len(message) <= 1 << 20:
        raise ValueError("its length")
    body, tag = message[:-32], message[-32:]
    if not hmac.compare_digest(mac(key, struct.pack(">Q", expected), body), tag):
        raise ValueError("its tag")
    rest = Reader(body)
    if rest.take(len(MAGIC)) != MAGIC:
        raise ValueError("its first line")
    found = {}
    for size, root in [("size", "root"), ("size_after", "root_after")]:
        found[size] = rest.number(">Q")
        found[root] = base64.b64encode(rest.take(32)).decode()
    count = rest.number(">H")
    found["entries"] = [rest.take(rest.number(">H")).decode() for _ in range(count)]
    writes = rest.number(">H")
    found["writes"] = []
    for _ in range(writes):
        name = rest.take(rest.number(">B")).hex()
        kind = rest.number(">B")
        if kind > 1 or not name:
            raise ValueError("a write")
        found["writes"].append([name, rest.take(rest.number(">H")).hex() if kind else None])
    if not 1 <= count <= 256 or writes > 4096 or rest.at != len(body):
        raise ValueError("its counts")
    if found["size"] + count != found["size_after"]:
        raise ValueError("its sizes")
    return found


def root_of(leaves):
    """The root of RFC 6962."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


def main():
    told = json.loads((pathlib.Path(__file__).parent / "order.json").read_text())
    key = mac(bytes.fromhex(told["log_seed"]), MAGIC, told["stream"].encode())
    log, whole, refused = [], 0, 0
    for case in told["cases"]:
        message = bytes.fromhex(case["bytes"])
        try:
            found = opened(key, case["expected"], message)
        except ValueError:
            assert "entries" not in case, f"{case['about']} is refused"
            refused += 1
            continue
        assert "entries" in case, f"{case['about']} is taken"
        assert found == {name: case[name] for name in found}, case["about"]
        # The roots are those of the log's tree.
        for size, root in [("size", "root"), ("size_after", "root_after")]:
            if size == "size_after":
                log += [entry.encode() for entry in found["entries"]]
            assert found[size] == len(log), case["about"]
            assert found[root] == base64.b64encode(root_of(log)).decode(), case["about"]
        for at in range(len(message)):
            changed = bytearray(message)
            changed[at] ^= 1
            try:
                opened(key, case["expected"], bytes(changed))
            except ValueError:
                continue
            sys.exit(f"{case['about']}: byte {at} may be changed")
        whole += 1
    assert whole >= 3 and refused >= 12, (whole, refused)
    print(f"order.json: {whole} messages opened, {refused} refused, every byte of each counts")


if __name__ == "__main__":
    main()
