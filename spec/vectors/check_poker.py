#!/usr/bin/env python3
"""Follows entries-poker.json, entries-hands.json and entries-cash.json from the text of ../games/poker-table.md,
../games/poker.md, ../fairness.md and ../ledger.md alone.

What players choose, and who is dealt in for which posts, is taken from the log. Everything that is to follow is
computed: both decks from the master, every commitment, the entropy, which deck is picked and that the other one is
proper, the slot and face of each card, every opening of a sealed shoe, contributions, pots, rake, who wins what, stacks
and postings. Standard library only. Exit 0: all holds. 1: something does not. 2: unreadable file."""

import itertools
import json
import sys

from check import (
    Refused, below, card, check_opening, client_commitment, derive, entropy, server_commitment, server_seed, shuffle,
    stream, unhex,
)
from check_entries import compact, read, text_of

FILES = ("entries-poker.json", "entries-hands.json", "entries-cash.json")
STRAIGHTS = {"short_deck": (14, 9, 8, 7, 6)}
WHEEL = (14, 5, 4, 3, 2)
# Categories from the high card up, by how often each rank occurs; a straight and a flush stand between.
SHAPES = {(1, 1, 1, 1, 1): 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}


class Wrong(Exception):
    """Something that does not follow from what came before."""


def same(got, want, what):
    if got != want:
        raise Wrong("%s: is %r, follows %r" % (what, got, want))


def worth(cards, family):
    """What five cards are worth, to be compared with others."""
    ranks = sorted((code % 13 + 1 if code % 13 else 14 for code in cards), reverse=True)
    counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    low_straight = STRAIGHTS.get(family, WHEEL)
    run = tuple(ranks) == low_straight or (len(counts) == 5 and ranks[0] - ranks[4] == 4)
    flush = len({code // 13 for code in cards}) == 1
    order = [low_straight[1]] if tuple(ranks) == low_straight else [ranks[0]] if run else [rank for _, rank in counts]
    category = 8 if run and flush else 4 if run else 5 if flush else SHAPES[tuple(count for count, _ in counts)]
    if family == "short_deck":
        category = {5: 6, 6: 5}.get(category, category)
    return [category] + order


def fives(hole, board, family):
    if family == "omaha":
        return [two + three for two in itertools.combinations(hole, 2) for three in itertools.combinations(board, 3)]
    return list(itertools.combinations(hole + board, 5))


def best_high(hole, board, family):
    return max(worth(five, family) for five in fives(hole, board, family))


def best_low(hole, board, family):
    """The best low of eight or better, less being better, or None."""
    lows = [sorted((code % 13 + 1 for code in five), reverse=True) for five in fives(hole, board, family)]
    return min((low for low in lows if low[0] <= 8 and len(set(low)) == 5), default=None)


def pots_of(seats):
    """The pots, from the main pot up, as [amount, numbers of seats that contest it]; what nobody called, as (seat,
    amount) or None."""
    layered = {seat["seat"]: seat["layered"] for seat in seats}
    top = sorted(layered.values())[-2:]
    uncalled = None
    if top[1] > top[0]:
        seat = max(layered, key=layered.get)
        uncalled, layered[seat] = (seat, top[1] - top[0]), top[0]
    contesting = [seat["seat"] for seat in seats if not seat["folded"]]
    pots, below_it = [[sum(seat["flat"] for seat in seats), contesting]], 0
    for height in sorted(set(layered.values()) - {0}):
        amount = sum(max(0, min(put, height) - below_it) for put in layered.values())
        filled = [seat for seat in contesting if layered[seat] >= height]
        if not filled or filled == pots[-1][1]:
            pots[-1][0] += amount
        else:
            pots.append([amount, filled])
        below_it = height
    return [pot for pot in pots if pot[0]], uncalled


def shares(amount, seats, odd_chips):
    each, odd = divmod(amount, len(seats))
    return [
        (seat, each + (int(i < odd) if odd_chips == "one_each" else odd * (i == 0))) for i, seat in enumerate(seats)
    ]


def settlement(options, seats, board):
    """The event `settled`."""
    pots, uncalled = pots_of(seats)
    rake, family = options.get("rake"), options["family"]
    left = rake["cap"] if rake and (board or not rake["no_flop_no_drop"]) else 0
    got, lines = {seat["seat"]: 0 for seat in seats}, []
    hole = {seat["seat"]: [code for _, code in seat["cards"]] for seat in seats}
    for amount, contesting in pots:
        taken = min(left, amount * rake["basis_points"] // 10_000) if rake else 0
        left, rest, halves = left - taken, amount - taken, []
        if len(contesting) == 1:
            halves = [(rest, contesting, False)]
        else:
            highs = {seat: best_high(hole[seat], board, family) for seat in contesting}
            lows = {seat: best_low(hole[seat], board, family) for seat in contesting} if options["hi_lo"] else {}
            lowest = min((low for low in lows.values() if low), default=None)
            half = rest // 2 if lowest else 0
            halves = [(rest - half, [seat for seat in contesting if highs[seat] == max(highs.values())], False)]
            if lowest:
                halves.append((half, [seat for seat in contesting if lows[seat] == lowest], True))
        won = []
        for part, winners, low in halves:
            for seat, share in shares(part, winners, options["odd_chips"]):
                got[seat] += share
                if share:
                    won.append({"seat": seat, "amount": share, **({"low": True} if low else {})})
        lines.append({"amount": amount, "rake": taken, "seats": contesting, "won": won})
    if uncalled:
        got[uncalled[0]] += uncalled[1]
    results = [
        {
            "seat": s["seat"], "player": s["player"], "put_in": s["put"], "got": got[s["seat"]],
            "stack": s["stack"] + got[s["seat"]],
        }
        for s in seats
    ]
    return {
        "pots": lines,
        **({"uncalled": {"seat": uncalled[0], "amount": uncalled[1]}} if uncalled else {}),
        "seats": results,
    }


class Hand:
    """A hand from its `hand_begun` on."""

    def __init__(self, table, closed):
        poker, self.shoe, self.no = table.rules["game"]["poker"], table.shoe, closed["round_no"]
        step = next((step for step in poker["rake_by_players"] if len(closed["hand"]["seats"]) <= step["players"]), {})
        self.options = {**poker["hand"]}
        if step:
            self.options["rake"] = {**self.options["rake"], "basis_points": step["basis_points"], "cap": step["cap"]}
        self.commitments = {c["player"]: c["commitment"] for c in closed["contributors"]}
        self.seeds, self.order, self.faces, self.dealt = {}, None, None, 0
        self.board, self.shown, self.hidden, self.seats = [], [], {}, []
        for seat in closed["hand"]["seats"]:
            due, put = seat["due"], []
            for owed in (due["ante"], due["dead"], due["live"]):
                put.append(min(owed, seat["stack"] - sum(put)))
            ante, dead, live = put
            layers = self.options["ante_layers"]
            self.seats.append(
                {
                    "seat": due["seat"],
                    "player": seat["player"],
                    "stack": seat["stack"] - sum(put),
                    "put": sum(put),
                    "folded": False,
                    "cards": [],
                    "layered": live + ante * layers, "flat": dead + ante * (not layers)})

    def open(self, context, opened):
        """The players' seeds pick one of the two decks and order its slots; the other one is shown, and proper."""
        roots = [unhex(c["root"]) for c in self.shoe["candidates"]]
        e = entropy(context, self.shoe["shoe_no"], roots, self.no, sorted(self.seeds.items()))
        words = enumerate(stream(e))
        pick = below(words, 2)
        self.order = shuffle(range(len(self.shoe["faces"][pick])), words)
        self.faces, self.root = self.shoe["faces"][pick], roots[pick]
        same(opened, {"entropy": e.hex(), "pick": pick, "others": [self.shoe["seeds"][1 - pick].hex()]}, "round_opened")

    def deal(self, event):
        slot = self.order[self.dealt]
        self.dealt += 1
        held = text_of(self.faces[slot])
        own = event["to"] not in ("board", "burn")
        same(
            event,
            {"lane": 0, "slot": slot, "to": event["to"], **({"card": held} if event["to"] == "board" else {})},
            "dealt",
        )
        if event["to"] == "board":
            self.board.append(card(held))
            self.shown.append(slot)
        elif own:
            round_of_cards, position = divmod(len(self.hidden), len(self.seats))
            seat = self.seats[position]
            same((event["to"], len(seat["cards"])), ("%d/1" % seat["seat"], round_of_cards), "whose card")
            seat["cards"].append((slot, self.faces[slot]))
            self.hidden[slot] = False

    def turn(self, event):
        same(event["card"], text_of(self.faces[event["slot"]]), "turned")
        if self.hidden.get(event["slot"]) is not False:
            raise Wrong("slot %d was not dealt face-down to a player, or is up already" % event["slot"])
        self.hidden[event["slot"]] = True
        self.shown.append(event["slot"])

    def act(self, event):
        seat = next(seat for seat in self.seats if seat["player"] == event["player"])
        seat["folded"] |= event["action"] in ("fold", "muck")
        seat["put"], seat["layered"], seat["stack"] = (
            seat["put"] + event["cost"],
            seat["layered"] + event["cost"],
            seat["stack"] - event["cost"],
        )
        if seat["stack"] < 0 or seat["folded"] and event["cost"]:
            raise Wrong("%s has not so much" % event["player"])

    def standing(self):
        open_hands = [
            seat
            for seat in self.seats
            if not seat["folded"] and seat["cards"] and all(self.hidden[slot] for slot, _ in seat["cards"])
        ]
        leading = []
        if len(open_hands) > 1 and len(self.board) >= 3:
            highs = [
                best_high([code for _, code in seat["cards"]], self.board, self.options["family"])
                for seat in open_hands
            ]
            leading = [seat["seat"] for seat, high in zip(open_hands, highs) if high == max(highs)]
        return {"put_in": [{"seat": seat["seat"], "amount": seat["put"]} for seat in self.seats], "leading": leading}


def by_player(seats, staked, returned):
    return [
        {"player": seat["player"], "staked": seat[staked], "returned": seat[returned]}
        for seat in sorted(seats, key=lambda seat: seat["player"])
    ]


class Table:
    def __init__(self, rules):
        self.rules, self.shoe, self.hand, self.carried, self.laid = rules, None, None, {}, {}
        self.used, self.rounds, self.seats, self.positions, self.pause = 0, 0, {}, None, 0


class Log:
    """What the entries say, one after another."""

    def __init__(self, master):
        self.master, self.context, self.accounts, self.tables, self.sealed = (
            master,
            {},
            {"cage": 0, "house": 0, "rake": 0},
            {},
            [],
        )
        self.checks = {}

    def count(self, what):
        self.checks[what] = self.checks.get(what, 0) + 1

    def entry(self, entry):
        name = entry.get("at", {}).get("table")
        if "open_table" in entry["command"]:
            self.tables[name] = Table(entry["command"]["open_table"]["rules"])
        table = self.tables.get(name)
        for place, event in enumerate(entry["events"]):
            (what, fields), = event.items()
            if what == "play":
                (what, fields), = fields.items()
            if what in ("round_settled", "round_voided"):
                table.pause = entry["time"] + table.rules["table"].get("between_hands_ms", 0)
            check = getattr(self, "on_" + what, None)
            if check:
                check(table, fields, entry["events"][place + 1:], name)
                self.count(what)
        if table:
            table.used = entry["time"]

    def of(self, name):
        return {**self.context, "table": name}

    def on_dealer_started(self, _, e, __, ___):
        self.context = {"origin": e["origin"], "epoch": e["epoch"]}
        for table in self.tables.values():
            table.carried.clear()

    def on_posted(self, table, e, _, __):
        same(sum(line[1] for line in e["lines"]), 0, "sum of a posting")
        for account, amount, after in e["lines"]:
            self.accounts[account] = self.accounts.get(account, 0) + amount
            same(after, self.accounts[account], account)
            if after < 0 and account not in ("cage", "house"):
                raise Wrong("%s stands at %d" % (account, after))

    def on_chips_added(self, _, e, later, name):
        same(
            later[0],
            {
                "posted": {
                    "lines": [
                        ["player:" + e["player"], -e["amount"], self.accounts["player:" + e["player"]] - e["amount"]],
                        ["seat:%s/%d" % (name, e["seat"]), e["amount"], e["stack"]]]}}, "a buy-in")

    def on_shoe_committed(self, table, e, _, name):
        seeds = [server_seed(self.master, self.of(name), e["shoe_no"], k) for k in (0, 1)]
        derived = [derive(seed, e["composition"]) for seed in seeds]
        own = [
            {
                "commitment": server_commitment(self.of(name), e["shoe_no"], k, seeds[k]).hex(),
                "root": derived[k][5].hex(),
            }
            for k in (0, 1)
        ]
        same(e["candidates"], own, "candidates")
        table.shoe = {**e, "seeds": seeds, "faces": [d[2] for d in derived], "context": self.of(name)}

    def on_table_noted(self, table, e, later, name):
        """Numbers, seats, stacks, button and commitments; the rest of a seat's state is not followed here."""
        cash = e["cash"]
        own = {"next_round": table.rounds, "last_used": table.used}
        if table.pause > table.used:
            own["pause_until"] = table.pause
        same({word: e[word] for word in e if word != "cash"}, own, "the table's numbers and its pause")
        seats = [
            {"seat": seat, "player": player, "stack": self.accounts["seat:%s/%d" % (name, seat)]}
            for seat, player in sorted(table.seats.items())
        ]
        same(
            [{word: seat[word] for word in ("seat", "player", "stack")} for seat in cash["seats"]],
            seats,
            "seats and stacks",
        )
        same(cash.get("positions"), table.positions, "the button")
        same(cash["carried"], [list(pair) for pair in sorted(table.carried.items())], "commitments for the hand")

    def on_seat_taken(self, table, e, _, __):
        table.seats[e["seat"]] = e["player"]

    def on_seat_left(self, table, e, _, __):
        del table.seats[e["seat"]]
        table.carried.pop(e["player"], None)

    def on_leave_asked(self, table, e, _, __):
        table.carried.pop(e["player"], None)

    def on_hand_called(self, table, _, later, __):
        table.laid = {}
        carried = [event["hand_seed_committed"] for event in later]
        same(
            [bet["commitment"] for bet in carried],
            [table.carried[bet["player"]] for bet in carried],
            "carried commitments",
        )
        table.carried = {}

    def on_next_committed(self, table, e, _, __):
        table.carried[e["player"]] = e["commitment"]

    def on_sat_out(self, table, e, _, __):
        table.carried.pop(e["player"], None)

    def on_hand_seed_committed(self, table, e, _, __):
        table.laid[e["player"]] = e

    def on_hand_seed_withdrawn(self, table, e, _, __):
        del table.laid[e["player"]]

    def on_hand_begun(self, table, e, _, name):
        dealt_in = sorted(seat["player"] for seat in e["hand"]["seats"])
        same(e["contributors"], [table.laid[player] for player in dealt_in], "contributors")
        for seat in e["hand"]["seats"]:
            same(seat["stack"], self.accounts["seat:%s/%d" % (name, seat["due"]["seat"])], "stack")
        table.hand = Hand(table, e)
        table.hand.before, table.positions, table.rounds = table.positions, e["hand"]["positions"], e["round_no"] + 1

    def on_seed_revealed(self, table, e, _, name):
        hand, seed = table.hand, unhex(e["seed"])
        same(
            client_commitment(hand.shoe["context"], hand.no, e["player"], seed).hex(),
            hand.commitments[e["player"]],
            "a player's seed",
        )
        hand.seeds[e["player"]] = seed

    def on_round_opened(self, table, e, _, __):
        same(sorted(table.hand.seeds), sorted(table.hand.commitments), "seeds that are out")
        table.hand.open(table.hand.shoe["context"], e)

    def on_dealt(self, table, e, _, __):
        table.hand.deal(e)

    def on_turned(self, table, e, _, __):
        table.hand.turn(e)

    def on_acted(self, table, e, _, __):
        table.hand.act(e)

    def on_poker(self, table, e, later, name):
        hand = table.hand
        own = settlement(hand.options, hand.seats, hand.board)
        same(e, {"settled": own}, "settled")
        before = {s["seat"]: self.accounts["seat:%s/%d" % (name, s["seat"])] for s in own["seats"]}
        rake = sum(pot["rake"] for pot in own["pots"])
        lines = [["seat:%s/%d" % (name, s["seat"]), s["got"] - s["put_in"], s["stack"]] for s in own["seats"]] + [
            ["rake", rake, self.accounts["rake"] + rake]
        ]
        for s in own["seats"]:
            same(before[s["seat"]] + s["got"] - s["put_in"], s["stack"], "stack after the hand")
        posted = [line for line in lines if line[1]]
        end = [{"posted": {"lines": posted}}] if posted else []
        end.append(
            {
                "round_settled": {
                    "round_no": hand.no,
                    "staked": sum(s["put_in"] for s in own["seats"]),
                    "returned": sum(s["got"] for s in own["seats"]),
                    "players": by_player(own["seats"], "put_in", "got"),
                }
            }
        )
        same(later[:len(end)], end, "the end of a hand")
        if "shoe_sealed" not in later[len(end)]:
            raise Wrong("a hand that was dealt is not sealed")

    def on_round_voided(self, table, e, later, name):
        hand = table.hand
        same(e["standing"], hand.standing(), "standing")
        same(e["players"], by_player(hand.seats, "put", "put"), "what the void is to its players")
        table.positions = hand.before
        same("shoe_sealed" if hand.dealt else "shoe_revealed", next(iter(later[0])), "what becomes of the shoe")
        same([event for event in later if "posted" in event], [], "money moved by a void hand")
        by_house = hand.dealt and e["cause"] in ("crash", "malfunction", "shoe_exhausted")
        told = [{"shoe_disclosed": {"table": name, "shoe_no": later[0]["shoe_sealed"]["shoe_no"]}}] if by_house else []
        same(
            [event for event in later[1:2] if "shoe_disclosed" in event],
            told,
            "the disclosure of a hand that the house ended",
        )

    def on_shoe_sealed(self, table, e, _, __):
        hand = table.hand
        same([opening["slot"] for opening in e["openings"]], hand.shown, "slots opened")
        for opening in e["openings"]:
            try:
                slot, value = check_opening(opening, hand.root, hand.shoe["composition"])
            except Refused as why:
                raise Wrong("an opening: %s" % why) from why
            same(value, hand.faces[slot], "face opened")
            self.count("opening")
        self.sealed.append(hand.shoe["seeds"][hand.shoe["faces"].index(hand.faces)].hex())
        table.shoe = table.hand = None

    def on_shoe_revealed(self, table, e, _, __):
        same(e["seeds"], [seed.hex() for seed in table.shoe["seeds"]], "both seeds")
        if table.hand and table.hand.dealt:
            raise Wrong("the seed of a deck that was dealt is shown")
        table.shoe = table.hand = None


def check(name):
    file = read(name)
    log = Log(unhex(file["master"]))
    for index, text in enumerate(file["entries"]):
        entry = json.loads(text)
        try:
            same(compact(entry), text, "the encoding")
            log.entry(entry)
        except (Wrong, KeyError, IndexError, StopIteration) as why:
            print("%s: entry %d: %s" % (name, index, why))
            return 1
    wrong = [seed for seed in log.sealed if any(seed in text for text in file["entries"])]
    wrong += [name for name, balance in file["balances"].items() if log.accounts[name] != balance]
    wrong += ["sum"] if sum(log.accounts.values()) else []
    told = ", ".join("%d %s" % (count, what) for what, count in sorted(log.checks.items()))
    print("%s: %s%s" % (name, told, "; WRONG: %s" % ", ".join(wrong) if wrong else ": all as they should be"))
    return 1 if wrong else 0


def main():
    return max(check(name) for name in FILES)


if __name__ == "__main__":
    sys.exit(main())
