#!/usr/bin/env python3
"""Decides the limits of entries-limits.json again, from the text of ../limits.md and the pages that it names alone
(../entries.md, ../state.md): each `set_limit` and `exclude` to its bytes, its signature among them; what every other
entry counts, by its postings and times; that none of them breaks a limit or an exclusion; and what the players' lines
of the state say of both at the end. What an entry posts is taken from it: the other checkers decide that.

Of a refused `set_limit` or `exclude` it finds every reason that stands against it, and the vector's code must be among
them; what was refused with `excluded` or `limit_reached` has to be. `--self-test` then changes the file, and wants each
change noticed; another word is another file of this form. Standard library only. Exit 0: all are the same. 1: one is
not. 2: unreadable file."""

import collections
import copy
import functools
import json
import sys

from check import unhex
from check_entries import DAY, compact, read, signed_text
from ed25519 import verifies
from entry_forms import LIMITS_OF, LIMITS_PER, MOST, actor, entry_of, in_order, present
from file_changes import places, raised, with_
from plain_house import FAULTS, Wrong, said, same, self_test

LOG = "entries-limits.json"
LENGTH = dict(zip(LIMITS_PER, (DAY, 7 * DAY, 30 * DAY)))
GAP, EXCLUSION = 600_000, 3650 * DAY
BEGINS = ("take_seat", "ask_to_play", "bet", "sit_down", "sit_in")
BEGINS_AT_EVENT = ("register", "rebuy", "add_on", "buy_stake")
PAID_IN = ("credit", "wallet_deposit")


# --- A player's limits ----------------------------------------------------------------------------

class Limit:
    """One that is in force: its period begins at `begin`. `waiting` is None, or what it is to be and from when."""

    def __init__(self, of, per, most, begin):
        self.of, self.per, self.most, self.begin, self.count, self.waiting = of, per, most, begin, 0, None

    def ripen(self, now):
        """Whether it is still in force, with what waited, in the period of now."""
        if self.waiting and self.waiting[1] <= now:
            self.most, self.waiting = self.waiting[0], None
        periods = (now - self.begin) // LENGTH[self.per]
        if periods:
            self.begin, self.count = self.begin + periods * LENGTH[self.per], 0
        return self.most is not None

    def add(self, amount):
        self.count = max(-MOST, min(MOST, self.count + amount))

    def loosened_by(self, most):
        return most is None or most > self.most

    def part(self):
        waiting = present(most=self.waiting[0], **{"from": self.waiting[1]}) if self.waiting else None
        until = self.begin + LENGTH[self.per]
        return present(of=self.of, per=self.per, most=self.most, count=self.count, until=until, waiting=waiting)


class Limits:
    """All limits of the players of a log, as its entries come."""

    def __init__(self):
        self.origin, self.now, self.players, self.event_tables = None, 0, set(), set()
        self.keys, self.waiting, self.nonces = {}, {}, {}
        self.limits = collections.defaultdict(dict)
        self.played, self.shut_out = {}, {}
        self.lying = collections.Counter()

    def at(self, time):
        """All that changes with the time alone."""
        self.now = time
        for player, own in self.limits.items():
            for name in [name for name, limit in own.items() if not limit.ripen(time)]:
                del own[name]
            if not self.of(player, "play_time"):
                self.played.pop(player, None)
        for player in [player for player, (_, start) in self.waiting.items() if start <= time]:
            self.keys[player] = self.waiting.pop(player)[0]

    def of(self, player, kind):
        return [limit for (of, _), limit in self.limits[player].items() if of == kind]

    def is_shut_out(self, player):
        return self.shut_out.get(player, 0) > self.now

    # --- Set ------------------------------------------------------------------------------------

    def signature_faults(self, by, command, signed):
        key = self.keys.get(by[7:]) if by.startswith("player:") else None
        if not key:
            return {"no_key"} if signed else set()
        if not signed:
            return {"signature_missing"}
        codes = {"nonce_used"} if signed["nonce"] <= self.nonces.get(by[7:], 0) else set()
        text = signed_text(self.origin, by, signed["nonce"], compact(command))
        holds = verifies(unhex(key), text.encode(), unhex(signed["signature"], 64))
        return codes if holds else codes | {"signature_wrong"}

    def player_faults(self, by, player):
        codes = set() if player in self.players else {"unknown_player"}
        if by not in ("operator", "player:" + player):
            codes.add("not_allowed")
        return codes | ({"other_chips"} if player.startswith("guest.") else set())

    def set_limit(self, by, c):
        """Why it is refused; and what it does, as an event."""
        player, most, limit = c["player"], c.get("most"), self.limits[c["player"]].get((c["of"], c["per"]))
        codes = self.player_faults(by, player)
        stands = None if limit is None else limit.waiting[0] if limit.waiting else limit.most
        if most == stands:
            codes.add("nothing_to_do")
        loosens = limit is not None and limit.loosened_by(most)
        if loosens and by == "operator" and (self.keys.get(player) or player in self.waiting):
            codes.add("signature_missing")
        return codes, {"limit_set": present(**c, **{"from": self.now + DAY if loosens else None})}

    def exclude(self, by, c):
        codes = self.player_faults(by, c["player"])
        if not self.now < c["until"] <= self.now + EXCLUSION:
            codes.add("malformed")
        if self.is_shut_out(c["player"]) and c["until"] <= self.shut_out[c["player"]]:
            codes.add("nothing_to_do")
        return codes, {"excluded": c}

    def take(self, event):
        """What such an event does to the state."""
        (name, it), = event.items()
        if name == "excluded":
            self.shut_out[it["player"]] = it["until"]
            return
        own, at, most = self.limits[it["player"]], (it["of"], it["per"]), it.get("most")
        if "from" in it:
            own[at].waiting = (most, it["from"])
        elif at in own:
            own[at].most, own[at].waiting = most, None
        else:
            own[at] = Limit(*at, most, self.now)

    # --- Refused --------------------------------------------------------------------------------

    def breaks(self, by, command, takes):
        """The codes with which limits refuse a command that would take so much, None where nobody can say."""
        (name, c), = command.items()
        codes, who = set(), by[7:] if by.startswith("player:") else None
        if name in PAID_IN:
            if self.is_shut_out(c["player"]):
                codes.add("excluded")
            if name == "credit" and any(it.count + c["amount"] > it.most for it in self.of(c["player"], "deposit")):
                codes.add("limit_reached")
            return codes
        word = next(iter(c)) if name == "tournament" else None
        of_hand = name == "commit_hand_seed" and c["table"] not in self.event_tables
        more = name == "add_chips" and c["amount"] > 0
        begins = name in BEGINS or word in BEGINS_AT_EVENT or of_hand or more
        if who is None or not begins:
            return codes
        if self.is_shut_out(who):
            codes.add("excluded")
        if any(it.count >= it.most for it in self.of(who, "play_time")):
            codes.add("limit_reached")
        if any(takes is None or takes > 0 and it.count + takes > it.most for it in self.of(who, "loss")):
            codes.add("limit_reached")
        return codes

    def would_take(self, by, command):
        """What a refused command would have taken; None: that takes more of the rules than is here."""
        (name, c), = command.items()
        if name == "bet":
            return sum(bet["stake"] for bet in c["bets"]) - self.lying[c["table"], by[7:]]
        return c.get("buy_in", c.get("amount", 0)) if name != "tournament" else None

    # --- Counted --------------------------------------------------------------------------------

    def count(self, entry):
        (name, c), = entry["command"].items()
        by, has_place, moved = entry["by"], "at" in entry, collections.Counter()
        for event in entry["events"]:
            for account, amount, _ in event.get("posted", {}).get("lines", ()):
                moved[account] += amount
        if name == "credit":
            for limit in self.of(c["player"], "deposit"):
                limit.add(c["amount"])
        for account in moved if has_place else ():
            kind, _, player = account.partition(":")
            for limit in self.of(player, "loss") if kind == "player" else ():
                limit.add(-moved[account])
        if has_place and by.startswith("player:") and self.of(by[7:], "play_time"):
            since = entry["time"] - self.played.get(by[7:], -GAP - 1)
            for limit in self.of(by[7:], "play_time") if since <= GAP else ():
                limit.add(since)
            self.played[by[7:]] = entry["time"]
        return moved

    def note(self, entry):
        """What else of an entry has to be known: players, keys, and the bets that lie."""
        for event in entry["events"]:
            (name, it), = event.items()
            if name in ("player_created", "guest_admitted"):
                self.players.add(it["player"])
            elif name == "guest_dismissed":
                self.players.discard(it["player"])
            elif name == "key_set":
                player = it["player"]
                self.waiting.pop(player, None)
                if "from" in it:
                    self.waiting[player] = (it.get("key"), it["from"])
                else:
                    self.keys[player] = it.get("key")
            elif name == "bet_placed":
                self.lying[entry["at"]["table"], it["bet"]["player"]] = sum(bet["stake"] for bet in it["bet"]["bets"])
            elif name == "bet_cancelled":
                self.lying[entry["at"]["table"], it["player"]] = 0
            elif name in ("bets_closed", "bets_lapsed"):
                for table, player in [at for at in self.lying if at[0] == entry["at"]["table"]]:
                    del self.lying[table, player]
        if "signed" in entry:
            self.nonces[entry["by"][7:]] = entry["signed"]["nonce"]
        if "open_event_table" in entry["command"]:
            self.event_tables.add(entry["command"]["open_event_table"]["table"])
        self.origin = entry["command"].get("start_dealer", {}).get("origin", self.origin)

    def part(self, player):
        """Of a `player:` line what follows `nonce`."""
        own, played, until = self.limits[player], self.played.get(player), self.shut_out.get(player)
        order = [(of, per) for of in LIMITS_OF for per in LIMITS_PER]
        limits = [own[at].part() for at in order if at in own]
        return present(
            limits=limits or None,
            played=played if played is not None and self.now - played <= GAP else None,
            excluded=until if self.is_shut_out(player) else None,
        )


# --- A file of vectors ----------------------------------------------------------------------------

def check_refusal(limits, case, counts):
    """The codes of which any may be given."""
    (name, c), = case["command"].items()
    what = "refusal after %d (%s)" % (case["after_entries"], case["code"])
    if set(case) - {"signed"} != {"after_entries", "by", "code", "command", "now"} or not actor(case["by"]):
        raise Wrong(what + ": its fields")
    if case["now"] > limits.now:
        limits.at(case["now"])
    if name in ("set_limit", "exclude"):
        command = in_order(case["command"])
        (_, c), = command.items()
        codes, _ = getattr(limits, name)(case["by"], c)
        codes |= limits.signature_faults(case["by"], command, case.get("signed"))
    elif case["code"] in ("excluded", "limit_reached"):
        codes = limits.breaks(case["by"], case["command"], limits.would_take(case["by"], case["command"]))
    else:
        return set()
    if case["code"] not in codes:
        raise Wrong("%s: %s" % (what, "/".join(sorted(codes)) or "accepted"))
    counts["refusals"] += 1
    return codes


def check_entry(limits, text, index, counts):
    entry, what = json.loads(text), "entry %d" % index
    (name, c), = entry["command"].items()
    if entry["time"] < limits.now and index:
        raise Wrong(what + ": before the one before it")
    limits.at(entry["time"])
    if name in ("set_limit", "exclude"):
        given = entry_of(text)
        if given is None:
            raise Wrong(what + " is not in its one encoding")
        codes, event = getattr(limits, name)(entry["by"], c)
        codes |= limits.signature_faults(entry["by"], entry["command"], entry.get("signed"))
        if codes:
            raise Wrong("%s: refused with %s" % (what, "/".join(sorted(codes))))
        head = {field: entry[field] for field in ("v", "time", "by")}
        signed = {"signed": entry["signed"]} if "signed" in entry else {}
        same(text, compact({**head, "command": entry["command"], **signed, "events": [event]}), what)
        limits.take(event)
        counts[name] += 1
    else:
        same(text, compact(entry), what)
        lines = [line for event in entry["events"] for line in event.get("posted", {}).get("lines", ())]
        takes = -sum(amount for account, amount, _ in lines if account == entry["by"])
        takes = max(takes, c["amount"]) if name == "add_chips" else takes
        codes = limits.breaks(entry["by"], entry["command"], takes)
        if codes:
            raise Wrong("%s: refused with %s" % (what, "/".join(sorted(codes))))
        limits.count(entry)
    limits.note(entry)
    counts["entries"] += 1


def check_lines(limits, lines):
    """What the players' lines say of limits, and where; and what a reader takes."""
    told = [json.loads(line) for line in lines]
    for key, part in told:
        if key.startswith("player:"):
            names = ("limits", "played", "excluded")
            same(compact({n: part[n] for n in part if n in names}), compact(limits.part(key[7:])), key)
            order = ("balance", "t_dollars", "idle_since", "key", "waiting", "nonce", *names)
            same([n for n in part if n in order], [n for n in order if n in part], key + ": its order")
    same({key[7:] for key, _ in told if key.startswith("player:")}, limits.players, "players")


def check_log(file, said_of=None):
    """Counts of what was decided; Wrong where something does not follow. `said_of` takes each refusal's codes."""
    limits, counts, cases = Limits(), collections.Counter(), collections.defaultdict(list)
    for case in file["refused"]:
        cases[case["after_entries"]].append(case)
    for index, text in enumerate([*file["entries"], None]):
        for case in cases.pop(index, []):
            # It is judged at its own time; the entries go on from theirs.
            codes = check_refusal(copy.deepcopy(limits), case, counts)
            if said_of is not None:
                said_of.append((case, codes))
        if text is not None:
            check_entry(limits, text, index, counts)
    same(sorted(cases), [], "refusals after entries that there are not")
    check_lines(limits, file["state_lines"])
    return counts


# --- The self-test --------------------------------------------------------------------------------

def changed(file):
    """Changed copies of the file, of which each must be noticed; with what was changed."""
    for at, text in enumerate(file["entries"]):
        entry = json.loads(text)
        if next(iter(entry["command"])) not in ("set_limit", "exclude"):
            continue

        def instead(**other):
            return with_(file, "entries", at, [compact({**entry, **other})])

        events = entry["events"]
        for path in places(events):
            yield "a number of an event raised", instead(events=json.loads(raised(compact(events), path)))
        (kind, it), = events[0].items()
        for field in it:
            rest = {n: v for n, v in it.items() if n != field}
            yield "a field of an event left out", instead(events=[{kind: rest}])
        yield "no event", instead(events=[])
        yield "an event twice", instead(events=events * 2)
        yield "by a stranger", instead(by="player:nobody")
        yield "at a table", instead(at={"table": "t", "seq": 0})
        yield "twice", with_(file, "entries", at, [text, text])
    judged = []
    check_log(file, judged)
    for at, case in enumerate(file["refused"]):
        # Where several reasons stand against it, any is right.
        several = any(other is case and len(codes) > 1 for other, codes in judged)
        if not several and case["code"] in ("excluded", "limit_reached"):
            other = {"excluded": "limit_reached", "limit_reached": "excluded"}[case["code"]]
            yield "a refusal's code", with_(file, "refused", at, [{**case, "code": other}])
        if next(iter(case["command"])) in ("set_limit", "exclude"):
            yield "a refusal's code", with_(file, "refused", at, [{**case, "code": "deadline_ahead"}])
    for at, line in enumerate(file["state_lines"]):
        key, part = json.loads(line)
        for name in ("limits", "played", "excluded") if key.startswith("player:") else ():
            if name in part:
                without = compact([key, {n: v for n, v in part.items() if n != name}])
                yield "a part of a line left out", with_(file, "state_lines", at, [without])
                for path in places(part[name], (1, name)):
                    yield "a number of a line raised", with_(file, "state_lines", at, [raised(line, path)])


def main():
    words = sys.argv[1:]
    try:
        # An absolute path stays what it is; another is one beside this program.
        file = read(words[-1] if words and not words[-1].startswith("--") else LOG)
        print("%s: %s" % (LOG, said(check_log(file))))
        if "--self-test" in words:
            self_test((what, functools.partial(check_log, other)) for what, other in changed(file))
    except FAULTS as fault:
        print("FAILED: %s: %s" % (type(fault).__name__, fault))
        return 1
    print("all as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
