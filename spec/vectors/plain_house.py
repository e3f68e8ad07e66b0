"""A house without tables, its state's lines, and a file of vectors held against it entry by entry: what
check_transfers.py, check_wallet.py and check_ended.py have in common. From ../entries.md, ../ledger.md and ../state.md
alone, standard library only."""

import collections
import copy
import functools
import itertools

from check import Refused
from check_entries import DAY, House, No, compact, need, tree_root
from entry_forms import MOST, Unread, actor, entry_of, in_order, present


class Wrong(Exception):
    """Something that does not follow."""


# What no file of vectors may lead to without being told of it.
FAULTS = (
    Wrong, Unread, No, Refused, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)


class Reasons(No):
    """Refused; `codes` are all the reasons, `faults` what a claim lacks."""

    def __init__(self, codes, faults=()):
        super().__init__("/".join(sorted(codes)))
        self.codes, self.faults = codes, faults


@functools.lru_cache(maxsize=None)
def root_of(lines):
    """Of a tuple of lines: a self-test comes to the same states again and again."""
    return tree_root([line.encode("ascii") for line in lines])


class PlainHouse(House):
    """Players, guests and keys. `roots` are those of the states so far, as they follow."""

    def __init__(self, master):
        super().__init__(master)
        self.idle_since, self.admitted = {}, 0
        self.accounts.update(rake=0, tickets=0, rounding_residual=0)
        self.roots, self.noted, self.size, self.started = [], 0, 0, 0

    def decide(self, now, by, command, signed=None):
        entry = super().decide(now, by, command, signed)
        if by[7:] in self.idle_since:
            self.idle_since[by[7:]] = self.time
        if "start_dealer" in command:
            self.started = self.time
        return entry

    def admit_guest(self, _, __, ___):
        self.only("house")
        guest, self.admitted = "guest.%d" % self.admitted, self.admitted + 1
        self.accounts["player:" + guest], self.idle_since[guest] = 0, self.time
        self.event("guest_admitted", player=guest)
        self.post(("play", -100_000), ("player:" + guest, 100_000))

    def dismiss_guest(self, c, _, __):
        guest = c["player"]
        self.only("house")
        need(guest in self.idle_since, "unknown_player")
        need(self.time >= self.idle_since[guest] + 300_000, "deadline_ahead")
        self.before = [[guest, self.funds(guest)]]
        self.post(("play", self.funds(guest)), ("player:" + guest, -self.funds(guest)))
        self.event("guest_dismissed", player=guest)
        for kept in (self.keys, self.waiting, self.nonces, self.idle_since):
            kept.pop(guest, None)
        del self.accounts["player:" + guest]

    def note_state(self, c, _, __):
        super().note_state(c, _, __)
        if c["root"] != self.roots[c["size"] - 1]:
            raise ValueError("the state noted is another")

    def player_faults(self, player):
        codes = {"unknown_player"} if "player:" + player not in self.accounts else set()
        return codes | ({"other_chips"} if player.startswith("guest.") else set())

    def key_waits(self, player):
        change = self.waits(player)
        return change is not None and change[0] is not None

    def chips_are_locked(self, player):
        """Whether chips may not leave at this actor's word, as there is a key, or one waits."""
        key, waits = self.key_of(player), self.key_waits(player)
        return (key or waits) if self.by == "operator" else (waits and not key)

    # --- The state's lines: ../state.md ---------------------------------------------------------

    def lines(self):
        parts = {"log": self.log_part(), **self.more_parts()}
        for account in self.accounts:
            if account.startswith("player:"):
                parts[account] = self.player_part(account[7:])
        return [compact([key, parts[key]]) for key in sorted(parts)]

    def more_parts(self):
        return {}

    def log_part(self):
        accounts = {name: self.accounts[name] for name in ("cage", "house", "rake")}
        rest = {name: self.accounts[name] or None for name in ("tickets", "rounding_residual", "play")}
        said = {name: self.start[name] for name in ("origin", "epoch", "master_id")}
        times = {"time": self.last, "started": self.started, "ready": self.started, "noted": self.noted or None}
        return present(**said, **times, ended=self.ended, **accounts, **rest, admitted=self.admitted or None)

    def player_part(self, player):
        change = self.waits(player)
        return present(
            balance=self.funds(player),
            idle_since=self.idle_since.get(player),
            key=self.key_of(player),
            waiting=present(key=change[0], **{"from": change[1]}) if change else None,
            nonce=self.nonces.get(player),
        )


# --- A file of vectors ----------------------------------------------------------------------------

def same(got, follows, what):
    if got != follows:
        raise Wrong("%s:\n  is      %s\n  follows %s" % (what, str(got)[:2000], str(follows)[:2000]))


def refuses(house, case, counts):
    """One refused command, on the state as it is."""
    what = "refusal after %d (%s)" % (case["after_entries"], case["code"])
    if set(case) - {"signed"} != {"after_entries", "by", "code", "command", "now"} or not actor(case["by"]):
        raise Wrong(what + ": its fields")
    try:
        house.decide(case["now"], case["by"], in_order(case["command"]), case.get("signed"))
    except No as no:
        codes = getattr(no, "codes", {str(no)})
        if case["code"] not in codes:
            raise Wrong("%s: %s" % (what, no)) from None
        counts["refusals"] += 1
        counts["with one reason"] += len(codes) == 1
        counts.update("claim: " + fault for fault in getattr(no, "faults", ()))
        return
    raise Wrong(what + ": accepted")


def follow(file, house, begin=0, kept=None):
    """Counts of what was decided; Wrong where something does not follow. `house` is as it stands before the entry at
    `begin`; it is copied to `kept` before each."""
    counts = collections.Counter()
    same(len(file["state_roots"]), len(file["entries"]), "roots")
    cases = collections.defaultdict(list)
    for case in file["refused"]:
        if not 0 <= case["after_entries"] < begin:
            cases[case["after_entries"]].append(case)
    for index in range(begin, len(file["entries"]) + 1):
        house.size = index
        if kept is not None:
            kept.append(copy.deepcopy(house))
        for case in cases.pop(index, []):
            refuses(house, case, counts)
        if index == len(file["entries"]):
            break
        text = file["entries"][index]
        given = entry_of(text)
        if given is None:
            raise Wrong("entry %d is not in its one encoding" % index)
        if given["time"] < house.last:
            raise Wrong("entry %d is before the one before it" % index)
        try:
            again = compact(house.decide(given["time"], given["by"], given["command"], given.get("signed")))
        except Reasons as no:
            again = "refused: %s %s" % (no, no.faults)
        except No as no:
            again = "refused: %s" % no
        same(text, again, "entry %d" % index)
        (name, _), = given["command"].items()
        counts.update(["entries", name])
        check_ledger(house)
        house.roots.append(root_of(tuple(house.lines())))
        same(file["state_roots"][index], house.roots[-1], "root of the state after entry %d" % index)
    same(sorted(cases), [], "refusals after entries that there are not")
    same(file["balances"], house.accounts, "balances")
    same(file["state_lines"], house.lines(), "the state's lines")
    return counts


class Followed:
    """A file that holds, and the house before each of its entries: the self-tests have thousands of copies with one
    change each, and a copy need only be followed from its change on."""

    def __init__(self, file, house):
        self.file, self.kept = file, []
        follow(file, house, kept=self.kept)

    def follow(self, other):
        """Of a copy with other entries, roots, refusals, balances or lines, and nothing else."""
        begin = len(self.kept) - 1
        for name in ("entries", "state_roots"):
            pairs = enumerate(zip(self.file[name], other[name]))
            begin = min(begin, len(other[name]), next((at for at, (old, new) in pairs if old != new), begin))
        for old, new in itertools.zip_longest(self.file["refused"], other["refused"]):
            if old != new:
                begin = min(begin, *(case["after_entries"] for case in (old, new) if case))
        begin = max(begin, 0)
        return follow(other, copy.deepcopy(self.kept[begin]), begin)


def check_ledger(house):
    """../ledger.md, "Invariants", and "Postings", 3."""
    play = lambda account: account == "play" or account.startswith("player:guest.")
    same(sum(house.accounts.values()), 0, "the sum of all accounts")
    same(sum(balance for name, balance in house.accounts.items() if play(name)), 0, "the sum of play chips")
    for name, balance in house.accounts.items():
        negative = name in ("cage", "house", "play", "wallet") or name.startswith("transfers:")
        if not (-MOST if negative else 0) <= balance <= MOST:
            raise Wrong("%s: %d" % (name, balance))


def said(counts):
    return ", ".join("%d %s" % (many, what) for what, many in counts.items())


def self_test(tries):
    """Each try is what was changed, and a call that is false, or raises, where the change is noticed."""
    noticed, missed = collections.Counter(), []
    for what, holds in tries:
        try:
            held = holds()
        except FAULTS:
            held = False
        if held:
            missed.append(what)
        else:
            noticed[what] += 1
    print("self-test: %d changes noticed of %d, of %d kinds" % (
        sum(noticed.values()), sum(noticed.values()) + len(missed), len(noticed)))
    if missed:
        raise Wrong("not noticed: " + said(collections.Counter(missed)))
