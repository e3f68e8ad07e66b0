#!/usr/bin/env python3
"""Checks the fairness vectors, from the text of ../fairness.md alone: standard library only, its own
ChaCha20 and its own Merkle tree. Exit 0: every vector comes out. 1: one does not. 2: unreadable file."""

import hashlib
import hmac as hmac_module
import json
import pathlib
import re
import struct
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
RANKS, SUITS = "A23456789TJQK", "cdhs"


class Refused(Exception):
    """The input must be refused; the text says why."""


# --- Notation -------------------------------------------------------------------------------------

def sha256(data):
    return hashlib.sha256(data).digest()


def mac(key, data):
    return hmac_module.new(key, data, hashlib.sha256).digest()


def label(name):
    return b"fairshoe/v1/" + name.encode("ascii") + b"\0"


def u8(n):
    return struct.pack(">B", n)


def u16(n):
    return struct.pack(">H", n)


def u64(n):
    return struct.pack(">Q", n)


def lp(data):
    return u16(len(data)) + data


def unhex(text, length=32):
    if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{%d}" % (2 * length), text):
        raise Refused("not %d lower-case hexadecimal digits" % (2 * length))
    return bytes.fromhex(text)


def whole(value, limit):
    if type(value) is not int or not 0 <= value < limit:
        raise Refused("not an integer from 0 to %d" % (limit - 1))
    return value


# --- Context, cards, compositions -----------------------------------------------------------------

def origin(text):
    if not re.fullmatch(r"[\x21-\x2a\x2c-\x7e]{1,255}", text):
        raise Refused("origin")
    return text.encode("ascii")


def name(text):
    if not re.fullmatch(r"[a-z0-9_-][a-z0-9._-]{0,63}", text):
        raise Refused("name")
    return text.encode("ascii")


def tctx(context):
    return lp(origin(context["origin"])) + lp(name(context["table"])) + unhex(context["epoch"])


def card(text):
    if not re.fullmatch(r"[A2-9TJQK][cdhs]", text):
        raise Refused("card")
    return SUITS.index(text[1]) * 13 + RANKS.index(text[0])


def composition(text):
    """Returns (pockets of a wheel or 0, slots, listed codes)."""
    number = r"([1-9][0-9]{0,3})"
    if match := re.fullmatch("52x" + number, text):
        packs = int(match[1])
        if packs > 12:
            raise Refused("packs")
        return 0, 52 * packs, list(range(52)) * packs
    if match := re.fullmatch("wheel(37|216)x" + number, text):
        spins = int(match[2])
        if spins > 4096:
            raise Refused("spins")
        return int(match[1]), spins, []
    if not text.startswith("cards:"):
        raise Refused("composition")
    codes = text[len("cards:"):]
    if len(codes) % 2 or not 2 <= len(codes) <= 2 * 624:
        raise Refused("list of cards")
    codes = [card(codes[i:i + 2]) for i in range(0, len(codes), 2)]
    if codes != sorted(codes):
        raise Refused("list of cards descends")
    return 0, len(codes), codes


# --- Stream and draws -----------------------------------------------------------------------------

def chacha20_block(key, counter):
    start = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", key))
    start += [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    s = start[:]

    def quarter(a, b, c, d):
        for left, right, into, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[left] = (s[left] + s[right]) & 0xFFFFFFFF
            x = s[into] ^ s[left]
            s[into] = (x << turn | x >> (32 - turn)) & 0xFFFFFFFF

    for _ in range(10):
        quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15)
        quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(s, start)))


def stream(key):
    """The words of a key's stream, without end."""
    counter = 0
    while True:
        yield from struct.unpack("<16I", chacha20_block(key, counter))
        counter += 1


def stream_bytes(key, length):
    blocks = -(-length // 64)
    return b"".join(chacha20_block(key, i) for i in range(blocks))[:length]


def below(words, m, thrown=None):
    for position, word in words:
        if word < 2**32 - 2**32 % m:
            return word % m
        if thrown is not None:
            thrown.append(position)
    return None


def shuffle(items, words, thrown=None):
    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = below(words, i + 1, thrown)
        items[i], items[j] = items[j], items[i]
    return items


# --- House order and openings ---------------------------------------------------------------------

def leaf(salt, slot, value):
    return sha256(b"\0" + salt + u16(slot) + u8(value))


def node(left, right):
    return sha256(b"\1" + left + right)


def tree(leaves):
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return node(tree(leaves[:split]), tree(leaves[split:]))


def derive(seed, text):
    """Returns (house key, thrown away, order, salt key, salts, root)."""
    wheel, slots, listed = composition(text)
    house_key = mac(seed, label("house-order") + lp(text.encode("ascii")))
    salt_key = mac(seed, label("salts") + lp(text.encode("ascii")))
    words, thrown = enumerate(stream(house_key)), []
    if wheel:
        order = [below(words, wheel, thrown) for _ in range(slots)]
    else:
        order = shuffle(listed, words, thrown)
    run = stream_bytes(salt_key, 16 * slots)
    salts = [run[16 * i:16 * i + 16] for i in range(slots)]
    root = tree([leaf(salts[i], i, order[i]) for i in range(slots)])
    return house_key, thrown, order, salt_key, salts, root


def check_opening(opening, root, text):
    """Returns (slot, value), or refuses; the reason is the vectors' `refused_for`."""
    try:
        if set(opening) != {"slot", "value", "salt", "path"} or len(opening["path"]) > 12:
            raise Refused("fields")
        slot, value = whole(opening["slot"], 2**16), whole(opening["value"], 2**8)
        salt, path = unhex(opening["salt"], 16), [unhex(h) for h in opening["path"]]
    except Refused as error:
        raise Refused("form") from error
    try:
        wheel, slots, _ = composition(text)
    except Refused as error:
        raise Refused("composition") from error
    if slot >= slots:
        raise Refused("slot")
    if value >= (wheel or 52):
        raise Refused("value")
    h, i, width = leaf(salt, slot, value), slot, slots
    while width > 1:
        if i % 2 == 1 or i + 1 < width:
            if not path:
                raise Refused("path length")
            sibling = path.pop(0)
            h = node(sibling, h) if i % 2 else node(h, sibling)
        i, width = i // 2, (width + 1) // 2
    if path:
        raise Refused("path length")
    if h != root:
        raise Refused("root")
    return slot, value


# --- Seeds, entropy, lanes ------------------------------------------------------------------------

def server_seed(master, context, shoe_no, k):
    return mac(master, label("server-seed") + tctx(context) + u64(shoe_no) + u8(k))


def server_commitment(context, shoe_no, k, seed):
    return sha256(label("seed-commitment") + tctx(context) + u64(shoe_no) + u8(k) + seed)


def client_commitment(context, round_no, player, seed):
    return sha256(label("client-seed") + tctx(context) + u64(round_no) + lp(name(player)) + seed)


def client_seed(secret, context, round_no):
    return mac(secret, label("client-derive") + tctx(context) + u64(round_no))


def entropy(context, shoe_no, roots, round_no, contributors):
    if len(roots) not in (1, 2):
        raise Refused("candidates")
    if not 1 <= len(contributors) <= 65535:
        raise Refused("contributors")
    names = [name(player) for player, _ in contributors]
    if any(a >= b for a, b in zip(names, names[1:])):
        raise Refused("contributors do not ascend")
    data = label("round") + tctx(context) + u64(shoe_no) + u8(len(roots)) + b"".join(roots)
    data += u64(round_no) + u16(len(contributors))
    return sha256(data + b"".join(lp(n) + seed for n, (_, seed) in zip(names, contributors)))


def draw(order, lanes, taken, counts, lane):
    at = counts[lane] * lanes + lane
    if at >= len(order) or order[at] in taken:
        at = max(i for i, slot in enumerate(order) if slot not in taken)
    counts[lane] += 1
    taken.add(order[at])
    return order[at]


# --- The files ------------------------------------------------------------------------------------

CHECKS = 0


def expect(got, want, what):
    global CHECKS
    CHECKS += 1
    if got != want:
        raise AssertionError("%s: got %r, the vector says %r" % (what, got, want))


def accepts(check, *args):
    try:
        check(*args)
    except Refused:
        return False
    return True


def draws(file):
    for case in file["streams"]:
        words = stream(unhex(case["key"]))
        expect([next(words) for _ in case["words"]], case["words"], "stream")
    for case in file["below_words"]:
        words, got = enumerate([whole(word, 2**32) for word in case["words"]]), []
        while (value := below(words, case["m"])) is not None:
            got.append(value)
        expect(got, case["draws"], "below(%d) of words" % case["m"])
    for case in file["below_key"]:
        words = enumerate(stream(unhex(case["key"])))
        expect([below(words, case["m"]) for _ in case["draws"]], case["draws"], "below of key")
        words = stream(unhex(case["key"]))
        refused = [i for i in range(8) if next(words) >= 2**32 - 2**32 % case["m"]]
        expect(refused, case["thrown_away"], "words thrown away")


def shoes(file):
    master = unhex(file["master"])
    expect(sha256(label("master-id") + master).hex(), file["master_id"], "master id")
    for case in file["shoes"]:
        context, shoe_no, what = case["context"], case["shoe_no"], case["name"]
        expect(tctx(context).hex(), case["tctx"], what)
        expect(composition(case["composition"])[1], case["slots"], what)
        for k, it in enumerate(case["candidates"]):
            seed = server_seed(master, context, shoe_no, k)
            expect(k, it["candidate"], what)
            expect(seed.hex(), it["server_seed"], what)
            expect(server_commitment(context, shoe_no, k, seed).hex(), it["commitment"], what)
            house_key, thrown, order, salt_key, salts, root = derive(seed, case["composition"])
            expect(house_key.hex(), it["house_key"], what)
            expect(thrown, it["thrown_away"], what)
            expect(order, it["order"], what)
            expect(salt_key.hex(), it["salt_key"], what)
            expect([salt.hex() for salt in salts], it["salts"], what)
            expect(root.hex(), it["root"], what)


def rounds(file):
    for case in file["sessions"]:
        context, what, text = case["context"], case["name"], case["composition"]
        wheel, slots, _ = composition(text)
        roots = [unhex(root) for root in case["roots"]]
        shoes = [derive(unhex(seed), text) for seed in case["server_seeds"]]
        expect([shoe[5] for shoe in shoes], roots, what)
        undrawn = list(range(slots))
        numbers = [it["round_no"] for it in case["rounds"]]
        expect(sorted(set(numbers)), numbers, what)
        for it in case["rounds"]:
            if "burnt" in it:
                expect(undrawn.pop(0), it["burnt"], what)
                continue
            contributors = []
            for who in it["contributors"]:
                seed = unhex(who["seed"])
                if "client_secret" in who:
                    derived = client_seed(unhex(who["client_secret"]), context, it["round_no"])
                    expect(derived, seed, what)
                got = client_commitment(context, it["round_no"], who["player"], seed)
                expect(got.hex(), who["commitment"], what)
                contributors.append((who["player"], seed))
            e = entropy(context, case["shoe_no"], roots, it["round_no"], contributors)
            expect(e.hex(), it["entropy"], what)
            words, thrown = enumerate(stream(e)), []
            pick = below(words, len(roots)) if len(roots) > 1 else 0
            expect(pick, it["pick"], what)
            if wheel:
                drawn = [undrawn.pop(0)]
                expect(drawn, [it["slot"]], what)
                expect(below(words, wheel), it["offset"], what)
                expect((it["openings"][0]["value"] + it["offset"]) % wheel, it["pocket"], what)
            else:
                expect(undrawn, it["undrawn"], what)
                order = shuffle(undrawn, words, thrown)
                expect(order, it["order"], what)
                expect(bool(thrown), what.startswith("forced"), what)
                taken, counts = set(), [0] * it["lanes"]
                drawn = [draw(order, it["lanes"], taken, counts, lane) for lane in it["draws"]]
                expect(drawn, it["drawn"], what)
                undrawn = [slot for slot in undrawn if slot not in taken]
            expect(len(it["openings"]), len(drawn), what)
            for slot, opening in zip(drawn, it["openings"]):
                expect(check_opening(opening, roots[pick], text), (slot, shoes[pick][2][slot]), what)


def openings(file):
    for case in file["cases"]:
        refused_for = None
        try:
            check_opening(case["opening"], unhex(case["root"]), case["composition"])
        except Refused as error:
            refused_for = str(error)
        expect(refused_for, case.get("refused_for"), case["name"])
        expect(refused_for is None, case["holds"], case["name"])


def refusals(file):
    kinds = {"origin": origin, "table": name, "player": name, "composition": composition,
             "card": card, "hash": unhex}
    for case in file["texts"]:
        expect(accepts(kinds[case["kind"]], case["text"]), case["valid"], repr(case["text"]))
    for case in file["server_commitments"]:
        seed = unhex(case["server_seed"])
        got = server_commitment(case["context"], case["shoe_no"], case["candidate"], seed).hex()
        expect(got == case["commitment"], case["opens"], case["name"])
    for case in file["client_commitments"]:
        seed = unhex(case["seed"])
        got = client_commitment(case["context"], case["round_no"], case["player"], seed).hex()
        expect(got == case["commitment"], case["opens"], case["name"])
    context = file["server_commitments"][0]["context"]
    for case in file["contributor_lists"]:
        roots = [unhex(root) for root in case["roots"]]
        contributors = [(it["player"], unhex(it["seed"])) for it in case["contributors"]]
        expect(accepts(entropy, context, 0, roots, 0, contributors), case["valid"], case["name"])


def main():
    failed = False
    for check in (draws, shoes, rounds, openings, refusals):
        path = FOLDER / ("fairness-%s.json" % check.__name__)
        try:
            file = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print("%s: %s" % (path.name, error))
            return 2
        before = CHECKS
        try:
            check(file)
            print("%s: %d checks, all as they should be" % (path.name, CHECKS - before))
        except (AssertionError, Refused, ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
            failed = True
            print("%s: FAILED: %s: %s" % (path.name, type(error).__name__, error))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
