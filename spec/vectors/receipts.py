"""Keys, signed notes, policies and receipts, read and verified as ../log.md and ../receipts.md want it, from these
pages alone. Standard library only. What is refused raises Broken: its text is the kind of fault, for the reader."""

import base64
import binascii
import hashlib
import re
import unicodedata
from collections import namedtuple

from ed25519 import usable, verifies

LOG, WITNESS = 1, 4

Key = namedtuple("Key", "name id type public")
Shown = namedtuple("Shown", "index size root log cosigned")


class Broken(ValueError):
    """What is no key, note, policy or receipt, or shows nothing."""


def hold(holds, kind):
    if not holds:
        raise Broken(kind)


def unbase64(text, kind, length=None):
    """RFC 4648 section 4 in its one spelling: padded, unused bits zero."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, binascii.Error):
        raise Broken(kind) from None
    hold(base64.b64encode(data).decode() == text and length in (None, len(data)), kind)
    return data


def decimal(text, kind):
    hold(re.fullmatch("0|[1-9][0-9]{0,19}", text) and int(text) < 2**64, kind)
    return int(text)


def utf8(data, kind):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Broken(kind) from None


def is_name(text):
    bad = lambda c: c == "+" or c.isspace() or unicodedata.category(c) == "Cc"
    return 1 <= len(text.encode("utf-8")) <= 255 and not any(map(bad, text))


# --- Keys ---------------------------------------------------------------------------------------

def key(data):
    parts = utf8(data, "key").split("+", 2)
    hold(len(parts) == 3 and is_name(parts[0]), "key")
    raw = unbase64(parts[2], "key", 33)
    number = hashlib.sha256(parts[0].encode("utf-8") + b"\n" + raw).digest()[:4]
    hold(parts[1] == number.hex() and raw[0] in (LOG, WITNESS) and usable(raw[1:]), "key")
    return Key(parts[0], number, raw[0], raw[1:])


# --- Policies -----------------------------------------------------------------------------------

class Policy:
    """`logs`, `witnesses` by name, `groups` by name: how many of which members; `quorum`, a name or None."""

    def __init__(self, data):
        self.logs, self.witnesses, self.groups, self.quorum = [], {}, {}, None
        self.taken, self.quorums = set(), 0
        allowed = set(b"\t\n") | set(range(0x20, 0x7F)) | set(range(0x80, 0x100))
        hold(len(data) <= 131_072 and data.endswith(b"\n") and set(data) <= allowed, "policy")
        for line in data[:-1].split(b"\n"):
            items = [item for item in re.split(b"[ \t]+", line) if item]
            if items and not items[0].startswith(b"#"):
                read = {b"log": self.log, b"witness": self.witness, b"group": self.group, b"quorum": self.only_quorum}
                hold(items[0] in read, "policy")
                read[items[0]](items[1:])
        hold(self.quorums == 1 and max(map(len, (self.logs, self.witnesses, self.groups))) <= 64, "policy")

    def log(self, items):
        hold(len(items) in (1, 2), "policy")
        new = key(items[0])
        hold(new.type == LOG and new.public not in self.publics(), "policy")
        self.logs.append(new)

    def publics(self):
        return [old.public for old in [*self.logs, *self.witnesses.values()]]

    def new_name(self, name):
        hold(name != b"none" and name not in self.witnesses and name not in self.groups, "policy")

    def witness(self, items):
        hold(len(items) in (2, 3), "policy")
        self.new_name(items[0])
        new = key(items[1])
        hold(new.type == WITNESS and new.public not in self.publics(), "policy")
        self.witnesses[items[0]] = new

    def group(self, items):
        hold(len(items) >= 3, "policy")
        name, many, members = items[0], items[1], items[2:]
        self.new_name(name)
        for member in members:
            hold((member in self.witnesses or member in self.groups) and member not in self.taken, "policy")
            self.taken.add(member)
        words = {b"any": 1, b"all": len(members)}
        count = words[many] if many in words else decimal(utf8(many, "policy"), "policy")
        hold(1 <= count <= len(members), "policy")
        self.groups[name] = count, members

    def only_quorum(self, items):
        hold(len(items) == 1, "policy")
        hold(items[0] == b"none" or items[0] in self.witnesses or items[0] in self.groups, "policy")
        self.quorum = None if items[0] == b"none" else items[0]
        self.quorums += 1

    def is_met(self, cosigners, name):
        if name in self.witnesses:
            return self.witnesses[name] in cosigners
        count, members = self.groups[name]
        return sum(self.is_met(cosigners, member) for member in members) >= count

    def keys(self):
        return [*self.logs, *self.witnesses.values()]


# --- Notes and checkpoints ----------------------------------------------------------------------

def is_signed(known, text, signature):
    """Whether a key signed a note's text; of a witness, and when."""
    if known.type == LOG:
        return verifies(known.public, text, signature)
    time = int.from_bytes(signature[:8], "big")
    signed = b"cosignature/v1\ntime %d\n" % time + text
    return len(signature) == 72 and time < 2**63 and verifies(known.public, signed, signature[8:])


def open_note(data, keys):
    """The text, and by whom of these keys it is signed: `[key, signature]` of each line."""
    hold(len(data) <= 262_144, "note")
    hold(not any(byte < 0x20 and byte != 0x0A for byte in data), "note")
    whole = utf8(data, "note")
    text, empty, tail = whole.rpartition("\n\n")
    hold(empty and tail.endswith("\n"), "note")
    text, lines, signed = (text + "\n").encode("utf-8"), tail[:-1].split("\n"), []
    hold(len(lines) <= 128, "note")
    for line in lines:
        parts = line.split(" ")
        hold(len(parts) == 3 and parts[0] == "\u2014" and is_name(parts[1]), "note")
        raw = unbase64(parts[2], "note")
        hold(len(raw) > 4, "note")
        signed.append((parts[1], raw[:4], raw[4:]))
    found = []
    for name, number, signature in signed:
        known = {it for it in keys if (it.name, it.id) == (name, number)}
        hold(len(known) < 2, "two keys of one name and ID")
        for it in known:
            hold(is_signed(it, text, signature), "signature")
            found.append((it, signature))
    hold(found, "no known signature")
    return text, found


def checkpoint(text):
    """Origin, size and root of a note's text."""
    lines = utf8(text, "checkpoint")[:-1].split("\n")
    hold(len(lines) >= 3 and all(lines), "checkpoint")
    return lines[0], decimal(lines[1], "checkpoint"), unbase64(lines[2], "checkpoint", 32)


def own_time(data, log):
    """When the log said last, by this note, that it had nothing more (../log.md, "The log's own time"); or None."""
    raw = bytes([WITNESS]) + log.public
    own = Key(log.name, hashlib.sha256(log.name.encode("utf-8") + b"\n" + raw).digest()[:4], WITNESS, log.public)
    text, _, tail = utf8(data, "note").rpartition("\n\n")
    times = []
    for line in tail[:-1].split("\n"):
        name, signed = line.split(" ")[1:]
        raw = unbase64(signed, "note")
        if (name, raw[:4]) == (own.name, own.id) and is_signed(own, (text + "\n").encode("utf-8"), raw[4:]):
            times.append(int.from_bytes(raw[4:12], "big"))
    return max(times, default=None)


def includes(leaf, index, size, path, root):
    hold(index < size, "index")
    f, s, r = index, size - 1, leaf
    node = lambda left, right: hashlib.sha256(b"\1" + left + right).digest()
    for h in path:
        hold(s, "path")
        if f % 2 or f == s:
            r = node(h, r)
            while f and not f % 2:
                f, s = f // 2, s // 2
        else:
            r = node(r, h)
        f, s = f // 2, s // 2
    hold(s == 0 and r == root, "path")


# --- Receipts -----------------------------------------------------------------------------------

def receipt(data):
    """Index, path, and the signed checkpoint's bytes."""
    hold(len(data) <= 357_716, "receipt")
    head, empty, note = data.partition(b"\n\n")
    hold(empty, "receipt")
    lines = utf8(head, "receipt").split("\n")
    hold(lines.pop(0) == "c2sp.org/tlog-proof@v1" and lines, "receipt")
    if lines[0].startswith("extra "):
        extra = unbase64(lines.pop(0)[len("extra "):], "receipt")
        hold(1 <= len(extra) <= 65_536 and lines, "receipt")
    hold(lines[0].startswith("index ") and len(lines) <= 65, "receipt")
    index = decimal(lines[0][len("index "):], "receipt")
    return index, [unbase64(line, "receipt", 32) for line in lines[1:]], note


def verify(data, entry, policy):
    """What a receipt shows of an entry's bytes under a policy; refused as early as receipts.md says."""
    index, path, note = receipt(data)
    text, signed = open_note(note, policy.keys())
    origin, size, root = checkpoint(text)
    logs = [it for it, _ in signed if it.type == LOG]
    hold(logs, "no log's signature")
    logs = [it for it in logs if it.name == origin]
    hold(logs, "origin")
    cosigned = {it for it, _ in signed if it.type == WITNESS}
    hold(policy.quorum is None or policy.is_met(cosigned, policy.quorum), "quorum")
    includes(hashlib.sha256(b"\0" + entry).digest(), index, size, path, root)
    times = [int.from_bytes(signature[:8], "big") for it, signature in signed if it.type == WITNESS]
    return Shown(index, size, root, logs[0], times)
