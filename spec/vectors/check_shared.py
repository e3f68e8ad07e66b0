#!/usr/bin/env python3
"""Decides every command of the logs of shared tables (FILES) again, from the text of ../entries.md,
../games/shared-tables.md, ../ledger.md and ../recovery.md alone, and compares the bytes.

What a game's rules choose (who is dealt a card next, what is offered, who won a hand) is read from the entry, stripped
of all that the house decides: slots, faces, answers about hidden cards, deadlines, pockets, money, seats, shoes, piles.
A wheel's payouts are decided too. Standard library only. Exit 0: all are the same. 1: one is not. 2: unreadable
file."""

import json
import sys

from check import (
    RANKS, SUITS, card, client_commitment, derive, draw, entropy, label, server_commitment, server_seed, sha256,
    shuffle, stream, below, unhex,
)
from check_entries import HALF, House, No, compact, need, read, text_of, total

FILES = (
    "entries-shared.json",
    "entries-seats.json",
    "entries-wheel.json",
    "entries-safe.json",
    "entries-sets.json",
    "entries-readings.json",
    "entries-guests.json",
)
LADDER = (0, 5, 15, 30, 60)
HOURS_12 = 12 * 3_600_000
RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}


def composition_of(rules):
    (word, game), = rules["game"].items()
    return "wheel37x%d" % game["spins"] if word == "roulette" else "52x%d" % game.get("decks", 1)


def is_play(table):
    return table.startswith("play.")


def house_of(table):
    """The account that a table's rounds settle against (../ledger.md, "Play chips")."""
    return "play" if is_play(table["id"]) else "house"


def covers(spot):
    """The pockets of a roulette spot, and the key of what it pays."""
    word, _, rest = spot.partition(":")
    numbers = {int(n) for n in rest.split("-")} if rest else set()
    if word in ("straight", "split", "street", "corner"):
        return numbers, word
    if word == "line":
        return set(range(min(numbers), max(numbers) + 1)), word
    if word == "column":
        return {n for n in range(1, 37) if n % 3 == min(numbers) % 3}, word
    if word == "dozen":
        return set(range(12 * min(numbers) - 11, 12 * min(numbers) + 1)), word
    chance = {
        "red": RED,
        "black": set(range(1, 37)) - RED,
        "odd": set(range(1, 37, 2)),
        "even": set(range(2, 37, 2)),
        "low": set(range(1, 19)),
        "high": set(range(19, 37)),
    }
    return chance[word], "even_chance"


# Changes of seat and bets, and those that take one back.
MADE = ("bet", "take_seat", "ask_to_play", "want_seat", "add_chips")
TAKEN_BACK = ("cancel_bet", "leave_seat", "sit_out")
HOUR = 3_600_000


class Shared(House):
    """A house with shared tables. `plays` are the game's choices in the entry being decided, as the rules of the game
    give them."""

    def __init__(self, master):
        super().__init__(master)
        self.offences, self.until = {}, {}
        # Guests: since when each is idle, how many came; the table that this entry closed.
        self.idle_since, self.admitted, self.gone = {}, 0, None

    def decide_with(self, entry):
        self.plays = [event["play"] for event in entry["events"] if "play" in event]
        self.stated = {name: fields for event in entry["events"] for name, fields in event.items()}
        again = self.decide(entry["time"], entry["by"], entry["command"])
        need(not self.plays, "the game's choices do not fit")
        return again

    # --- What stands at a table ---------------------------------------------------------------

    def open_table(self, c, _, who):
        extra = self.take_name(c, who)
        digest = sha256(
            label("rule-set") + json.dumps(c["rules"], separators=(",", ":"), sort_keys=True).encode()
        ).hex()
        (word, game), = c["rules"]["game"].items()
        self.tables[c["table"]] = {
            "id": c["table"], "rules": c["rules"]["table"], "word": word, "game": game,
            "composition": composition_of(c["rules"]),
            "owner": who, "seq": 0, "shoes": 0, "rounds": 0, "shoe": None, "round": None, "last": [],
            "recovering": False, "down": 0, "window": None, "seats": {}, "asked": set(), "newcomers": set(),
            "bettors": None, "goes_on": False, "last_hand": False, "shuffle_asked": False,
            "voids": [], "from": 0, "bytes": 0, "ended": None, "uses": {}, "wishes": {}, "changes": {}}
        self.accounts["table:" + c["table"]] = 0
        self.event("table_opened", rules=c["rules"], digest=digest, **extra)

    def seat_of(self, table, who):
        return next((seat for seat, (player, _) in table["seats"].items() if player == who), None)

    def may_bet(self, table, who):
        return table["word"] == "roulette" or table["bettors"] is None or who in table["bettors"]

    def regulars(self, table):
        return [who for who in table["last"] if self.seat_of(table, who)]

    def free(self, who):
        need(self.time >= self.until.get(who, 0), "cooldown")

    def note(self, table):
        who = (
            sorted(table["round"]["players"])
            if table["round"]
            else sorted(table["window"]["bets"]) if table["window"] else []
        )
        self.before = [[player, self.funds(player)] for player in who]

    def commit(self, table, text):
        context = {"origin": self.start["origin"], "table": table["id"], "epoch": self.start["epoch"]}
        number, table["shoes"] = table["shoes"], table["shoes"] + 1
        seed = server_seed(self.master, context, number, 0)
        _, _, faces, _, _, root = derive(seed, text)
        table["shoe"] = {
            "no": number, "context": context, "seed": seed, "faces": faces, "root": root,
            "undrawn": list(range(len(faces))),
        }
        commitment = server_commitment(context, number, 0, seed).hex()
        self.event(
            "shoe_committed",
            shoe_no=number,
            composition=text,
            candidates=[{"commitment": commitment, "root": root.hex()}],
        )

    def commit_shoe(self, c, table, _):
        self.only("house")
        need(not table["shoe"] and not table["round"] and not table["window"], "nothing_to_do")
        self.commit(table, table["composition"])
        table["from"], table["bytes"], table["ended"] = table["seq"], 0, None
        table["bettors"], table["last_hand"], table["shuffle_asked"] = None, False, False
        self.event("table_noted", next_round=table["rounds"], last_used=table["used"], **self.noted(table))

    def noted(self, table):
        """What entries.md, "The table as it stands", says of a shared table's seats."""
        if table["rules"]["mode"] == "solo":
            return {}
        seats = [
            {"seat": seat, "player": who, "used": table["uses"][who], "misses": misses}
            for seat, (who, misses) in sorted(table["seats"].items())
        ]
        waiting = [[who, since] for who, since in sorted(table["wishes"].items()) if table["used"] < since + 600_000]
        return {
            "betting": {
                "seats": seats,
                "asked": sorted(table["asked"]),
                "newcomers": sorted(table["newcomers"]),
                "last": sorted(table["last"]),
                "goes_on": table["goes_on"],
                "waiting": waiting,
            }
        }

    def reveal_shoe(self, shoe, cause):
        self.event(
            "shoe_revealed", shoe_no=shoe["no"], seeds=[shoe["seed"].hex()], **({"cause": cause} if cause else {})
        )

    def retire(self, table, cause, piles=()):
        if cause in ("newcomer", "house_shuffle"):
            table["newcomers"] = {who for who in table["asked"] if not self.may_bet(table, who)}
        if cause == "restart":
            table["newcomers"] = set()
        for pile in piles:
            self.reveal_shoe(pile, "pile_used")
        if table["shoe"]:
            self.reveal_shoe(table["shoe"], cause)
            table["shoe"] = None

    def lasting(self, table, cause):
        return None if table["rules"]["reshuffle"] == "every_round" else cause

    def retire_if_due(self, table, cause, piles):
        rule, shoe = table["rules"]["reshuffle"], table["shoe"]
        if rule == "every_round":
            return self.retire(table, None, piles)
        if not cause and table["shuffle_asked"]:
            cause = "house_shuffle"
        if not cause and shoe["context"]["epoch"] != self.start["epoch"]:
            cause = "restart"
        (word, count), = rule.items()
        left = len(shoe["undrawn"])
        if not cause and (left <= count if word == "left_at_most" else left < count):
            cause = "threshold"
        if not cause and self.full(table, table["seq"] + 1):
            cause = "full"
        if cause:
            self.retire(table, cause, piles)

    def full(self, table, seq):
        return seq - table["from"] >= 6_000 or table["bytes"] >= 8_388_608

    def idle_shoe(self, table):
        return table["ended"] is not None and self.time >= table["ended"] + 1_800_000

    def retire_shoe(self, c, table, _):
        if self.by == "house":
            need("reason" not in c, "malformed")
            need(table["shoe"], "no_shoe")
            due = {"newcomer": any(not self.may_bet(table, who) for who in table["asked"]),
                   "full": self.full(table, table["seq"]), "idle": self.idle_shoe(table)}
            cause = next((cause for cause in due if due[cause]), None)
            need(cause, "nothing_to_do")
        else:
            self.only("operator")
            need(table["rules"]["house_shuffle"], "not_allowed")
            need("reason" in c, "malformed")
            cause = "house_shuffle"
        need(table["shoe"], "no_shoe")
        if not table["round"] and not table["window"]:
            return self.retire(table, self.lasting(table, cause))
        need(cause == "house_shuffle", "round_in_progress")
        need(not table["shuffle_asked"], "nothing_to_do")
        table["shuffle_asked"] = True
        self.event("shuffle_asked")

    def close_table(self, c, table, who):
        need(self.by == "operator" or who and who == table["owner"], "not_allowed")
        need(not table["round"], "round_in_progress")
        self.need_no_late_seeds(table)
        if table["window"]:
            self.note(table)
            self.lapse_window(table, "closed", False)
        self.retire(table, self.lasting(table, "closed"))
        self.event("table_closed")
        del self.accounts["table:" + table["id"]]
        self.closed = table["id"]

    # --- Seats --------------------------------------------------------------------------------

    def take_seat(self, c, table, who):
        need(who, "not_allowed")
        self.free(who)
        need(
            not self.seat_of(table, who)
            and 1 <= c["seat"] <= table["rules"]["seats"]
            and c["seat"] not in table["seats"],
            "seat_not_free",
        )
        lying = {bet["spot"] for placed in (table["window"] or {"bets": {}})["bets"].values() for bet in placed["bets"]}
        need(table["word"] not in ("blackjack", "safe") or str(c["seat"]) not in lying, "seat_not_free")
        need(self.funds(who) >= table["rules"]["stake_min"], "chips_needed")
        self.before = [[who, self.funds(who)]]
        table["seats"][c["seat"]] = [who, 0]
        table["wishes"].pop(who, None)
        self.event("seat_taken", player=who, seat=c["seat"])
        self.ask(table, who)

    def ask(self, table, who):
        table["asked"].add(who)
        table["uses"][who] = self.time
        if table["window"] and self.may_bet(table, who):
            table["window"]["expected"].add(who)
        self.event("play_asked", player=who)

    def ask_to_play(self, c, table, who):
        need(who, "not_allowed")
        self.free(who)
        need(self.seat_of(table, who), "not_seated")
        need(
            who not in table["asked"] and not (table["window"] and who in table["window"]["expected"]), "nothing_to_do"
        )
        self.ask(table, who)

    def guard(self, name, table, who):
        """Changes without a round are counted; those that take one back are never refused."""
        if not who or name not in MADE + TAKEN_BACK or name == "bet" and table["rules"]["mode"] == "solo":
            return
        since, count = table["changes"].get(who, (self.time, 0))
        if self.time >= since + HOUR:
            since, count = self.time, 0
        need(count < 64 or name in TAKEN_BACK, "too_many_changes")
        # Only an accepted command counts.
        self.counted = (who, since, count + 1)

    def decide(self, now, by, command, signed=None):
        self.counted, self.gone = None, None
        self.check_chips(by, command)
        (_, fields), = command.items()
        guests = self.guests_at(self.tables.get(fields.get("table")))
        entry = super().decide(now, by, command, signed)
        self.note_idle(guests, entry)
        if "at" in entry:
            table = self.tables[entry["at"]["table"]]
            table["bytes"] = table.get("bytes", 0) + len(compact(entry))
        if self.counted:
            who, since, count = self.counted
            self.tables[entry["at"]["table"]]["changes"][who] = (since, count)
        return entry

    def idle(self, table, time):
        """The seats that have become idle from the table's last entry to this time."""
        if table["round"] or table["window"] or table["rules"]["mode"] == "solo":
            return []
        wishes_end = max([wished + 600_000 for wished in table["wishes"].values()], default=0)
        seats = []
        for seat, (who, _) in sorted(table["seats"].items()):
            wanted = max(table["uses"][who] + 300_000, table["used"])
            start = table["uses"][who] + 1_800_000
            if wanted < wishes_end:
                start = min(start, wanted)
            if who not in table["asked"] and start <= time:
                seats.append(seat)
        return seats

    def tidy_seats(self, c, table, _):
        self.only("house")
        idle = self.idle(table, self.time)
        need(idle, "nothing_to_do")
        self.free_seats(table, [table["seats"][seat][0] for seat in idle])

    def want_seat(self, c, table, who):
        need(who, "not_allowed")
        need(table["rules"]["mode"] == "shared", "solo_table")
        self.free(who)
        wishes = {name: at for name, at in table["wishes"].items() if self.time < at + 600_000}
        need(
            not self.seat_of(table, who) and len(table["seats"]) == table["rules"]["seats"] and who not in wishes,
            "nothing_to_do",
        )
        need(len(wishes) < table["rules"]["seats"], "too_many_waiting")
        need(self.funds(who) >= table["rules"]["stake_min"], "chips_needed")
        table["wishes"] = {**wishes, who: self.time}
        self.event("seat_wanted", player=who)

    def unseat(self, c, table, _):
        self.only("operator")
        self.leave_seat(c, table, c["player"])
        table["newcomers"].discard(c["player"])

    def leave_seat(self, c, table, who):
        need(who and self.seat_of(table, who), "not_seated")
        if table["window"] and who in table["window"]["bets"]:
            need(self.time < table["window"]["closes_at"], "deadline_passed")
            self.before = [[who, self.funds(who)]]
            self.take_back(table, who)
        self.free_seats(table, [who])

    def free_seats(self, table, players):
        for who in players:
            seat = self.seat_of(table, who)
            if seat:
                del table["seats"][seat]
                table["asked"].discard(who)
                table["uses"].pop(who, None)
                if table["window"]:
                    table["window"]["expected"].discard(who)
                self.event("seat_left", player=who, seat=seat)

    def cool_down(self, players, offence):
        for who in players:
            times = [at for at in self.offences.get(who, []) if self.time - at < HOURS_12] + [self.time]
            until = max(self.time + LADDER[min(len(times), len(LADDER)) - 1] * 60_000, self.until.get(who, 0))
            self.offences[who], self.until[who] = times, until
            self.event("cooldown", player=who, offence=offence, offences=len(times), until=until)

    # --- Windows ------------------------------------------------------------------------------

    def open_bets(self, c, table, _):
        self.only("house")
        need(table["shoe"], "no_shoe")
        wanted = table["asked"] or table["goes_on"] and self.regulars(table)
        need(not table["round"] and not table["window"] and wanted, "nothing_to_do")
        need(all(self.may_bet(table, who) for who in table["asked"]), "nothing_to_do")
        need(
            not self.full(table, table["seq"]) and not self.idle_shoe(table) and not self.idle(table, table["used"]),
            "nothing_to_do",
        )
        closes_at = self.time + table["rules"]["bet_time_ms"]
        table["window"] = {
            "no": table["rounds"],
            "closes_at": closes_at,
            "bets": {},
            "expected": table["asked"] | set(self.regulars(table)),
        }
        table["asked"], table["goes_on"] = set(), False
        self.event("bets_opened", round_no=table["rounds"], shoe_no=table["shoe"]["no"], closes_at=closes_at)

    def window(self, c, table):
        need(table["window"] or not table["round"], "round_in_progress")
        need(table["window"], "bets_not_open")
        need(table["window"]["no"] == c["round_no"], "wrong_round")
        return table["window"]

    def staked(self, placed):
        return sum(bet["stake"] for bet in placed["bets"])

    def bet(self, c, table, who):
        need(who, "not_allowed")
        window, rules = self.window(c, table), table["rules"]
        self.free(who)
        need(self.seat_of(table, who), "not_seated")
        need(self.may_bet(table, who), "newcomer_waits")
        need(self.time < window["closes_at"], "deadline_passed")
        lying = self.staked(window["bets"][who]) if who in window["bets"] else 0
        funds, bets = self.funds(who) + lying, c["bets"]
        need(1 <= len(bets) <= rules["bets_per_player"], "bet_count")
        for bet in bets:
            need(bet["stake"] >= rules["stake_min"], "below_minimum")
            need(bet["stake"] <= rules["stake_max"], "above_maximum")
            need(bet["stake"] % rules["stake_step"] == 0, "off_step")
        need(sum(bet["stake"] for bet in bets) <= funds, "insufficient_balance")
        need(funds <= HALF and self.accounts[house_of(table)] >= -HALF, "amount_out_of_range")
        if table["word"] in ("blackjack", "safe"):
            others = {
                bet["spot"] for player, placed in window["bets"].items() if player != who for bet in placed["bets"]
            }
            others |= {str(seat) for seat, (player, _) in table["seats"].items() if player != who}
            need(not others & {bet["spot"] for bet in bets}, "spot_taken")
        self.before = [[who, self.funds(who)]]
        window["bets"][who] = {"player": who, "bets": bets, "commitment": c["commitment"]}
        table["uses"][who] = self.time
        self.event("bet_placed", bet=window["bets"][who])
        more = self.staked(window["bets"][who]) - lying
        self.post(("player:" + who, -more), ("table:" + table["id"], more))

    def take_back(self, table, who):
        stake = self.staked(table["window"]["bets"].pop(who))
        self.event("bet_cancelled", player=who)
        self.post(("player:" + who, stake), ("table:" + table["id"], -stake))

    def cancel_bet(self, c, table, who):
        window = self.window(c, table)
        need(self.time < window["closes_at"], "deadline_passed")
        need(who in window["bets"], "no_bet")
        self.before = [[who, self.funds(who)]]
        self.take_back(table, who)

    def close_bets(self, c, table, _):
        window, rules = self.window(c, table), table["rules"]
        need(self.by in ("house", "operator"), "not_allowed")
        bets = {who: window["bets"][who] for who in sorted(window["bets"])}
        least = 2 if table["word"] == "safe" else 1
        early = rules["close_early"] and len(bets) >= least and bets and window["expected"] <= set(bets)
        need(self.by == "operator" or self.time >= window["closes_at"] or early, "deadline_ahead")
        announced = self.by == "operator" and self.time < window["closes_at"]
        late = [
            who
            for who in sorted(table["newcomers"])
            if who not in bets and not announced and self.time >= self.until.get(who, 0)
        ]
        self.note(table)
        if len(bets) < least:
            self.lapse_window(table, "too_few_players" if bets else "no_bets", announced)
        else:
            self.bind(table, bets, announced)
        self.cool_down(late, "no_bet")
        self.free_seats(table, [who for _, (who, misses) in sorted(table["seats"].items()) if misses >= 3])

    def misses(self, table, bets, announced):
        table["newcomers"] = {who for who in table["newcomers"] if announced and who not in bets}
        for seat in table["seats"].values():
            seat[1] = 0 if seat[0] in bets else seat[1] + (not announced)

    def lapse_window(self, table, cause, announced):
        window, table["window"] = table["window"], None
        table["changes"].update(
            {
                who: (table["changes"][who][0], max(0, table["changes"][who][1] - 2))
                for who in window["bets"]
                if who in table["changes"]
            }
        )
        bets = {who: self.staked(window["bets"][who]) for who in sorted(window["bets"])}
        self.post(
            *[("player:" + who, stake) for who, stake in bets.items()], ("table:" + table["id"], -sum(bets.values()))
        )
        self.event("bets_lapsed", round_no=window["no"], cause=cause, **({"announced": True} if announced else {}))
        if cause in ("no_bets", "too_few_players") and not announced:
            self.misses(table, bets, False)
        elif cause != "closed":
            table["asked"] |= {who for who in set(bets) | window["expected"] if self.seat_of(table, who)}

    def bind(self, table, bets, announced):
        number, rules = table["window"]["no"], table["rules"]
        boxes = {bet["spot"] for placed in bets.values() for bet in placed["bets"]}
        lanes = len(boxes) + 1 if rules["dealing"] == "lanes" else 1
        reveal_by = self.time + rules["reveal_time_ms"]
        self.event(
            "bets_closed",
            round_no=number,
            shoe_no=table["shoe"]["no"],
            contributors=list(bets.values()),
            lanes=lanes,
            reveal_by=reveal_by,
            **({"announced": True} if announced else {}),
        )
        players = {
            who: {
                "commitment": placed["commitment"],
                "seed": None,
                "staked": self.staked(placed),
                "returned": 0,
                "pending": self.staked(placed),
                "bets": placed["bets"],
            }
            for who, placed in bets.items()
        }
        table["round"] = {
            "no": number, "players": players, "lanes": lanes, "reveal_by": reveal_by, "open": False, "exposed": False,
            "floor": 0, "decisions": {}, "hidden": {}, "up": None, "piles": [], "pile": None, "wants": None,
            "absent": [], "out": set(), "order": None, "taken": None, "counts": None,
        }
        table["window"], table["rounds"] = None, number + 1
        self.misses(table, bets, announced)
        table["newcomers"] = set()
        table["asked"] -= set(bets)
        table["bettors"] = set(bets)
        for who in bets:
            table["uses"][who] = self.time
            table["changes"].pop(who, None)

    # --- Rounds -------------------------------------------------------------------------------

    def live(self, c, table):
        need(table["round"] and table["round"]["no"] == c["round_no"], "wrong_round")
        return table["round"]

    def reveal(self, c, table, _):
        pile = table["round"] and table["round"]["pile"]
        if pile:
            need(pile["no"] == c["round_no"], "wrong_round")
            need(pile["closed"], "nothing_to_do")
            by, part, number = pile["by"], pile["parts"].get(c["player"]), pile["no"]
        else:
            game = self.live(c, table)
            need(not game["open"], "reveals_over")
            by, part, number = game["reveal_by"], game["players"].get(c["player"]), game["no"]
        need(part, "not_a_contributor")
        need(part["seed"] is None, "already_revealed")
        seed, shoe = unhex(c["seed"]), table["shoe"]
        need(
            client_commitment(shoe["context"], number, c["player"], seed).hex() == part["commitment"],
            "seed_does_not_open",
        )
        need(self.time < by, "deadline_passed")
        self.note(table)
        part["seed"] = seed
        self.event("seed_revealed", player=c["player"], seed=c["seed"])
        parts = pile["parts"] if pile else table["round"]["players"]
        if any(part["seed"] is None for part in parts.values()):
            return
        e = entropy(
            shoe["context"], shoe["no"], [shoe["root"]], number, [(who, parts[who]["seed"]) for who in sorted(parts)]
        )
        game = table["round"]
        if pile:
            self.event("pile_shuffled", round_no=number, entropy=e.hex(), pick=0)
            game["piles_seen"] = game.get("piles_seen", [0]) + [len(game["piles"])]
            game["pile"] = None
        else:
            self.event("round_opened", entropy=e.hex(), pick=0, others=[])
            game["open"] = True
        game["entropy"] = e
        if table["word"] != "roulette":
            game["order"] = shuffle(shoe["undrawn"], enumerate(stream(e)))
            game["taken"], game["counts"] = set(), [0] * game["lanes"]
        self.course(table)

    def act(self, c, table, who):
        need(who, "not_allowed")
        game = self.live(c, table)
        need(game["open"], "awaiting_reveals")
        need(c["decision"] in game["decisions"], "decision_not_open")
        player, deadline = game["decisions"][c["decision"]]
        need(player == who, "not_your_decision")
        need(self.time < max(deadline, game["floor"]), "deadline_passed")
        self.note(table)
        self.course(table, 1)

    def lapse(self, c, table, _):
        self.only("house")
        game = self.live(c, table)
        if c["lapsed"] == "reveal":
            need(not game["open"], "nothing_to_do")
            need(self.time >= game["reveal_by"], "deadline_ahead")
            self.note(table)
            missing = [who for who in sorted(game["players"]) if game["players"][who]["seed"] is None]
            self.void(table, "reveal_missing", missing)
            self.cool_down(missing, "reveal_missing")
            return self.free_seats(table, missing)
        if c["lapsed"] == "turn":
            need(game["open"] and not game["pile"] and game["decisions"], "nothing_to_do")
            need(self.time >= min(max(by, game["floor"]) for _, by in game["decisions"].values()), "deadline_ahead")
            self.note(table)
            return self.course(table)
        need(c["lapsed"] == "pile" and game["pile"], "nothing_to_do")
        pile = game["pile"]
        need(self.time >= pile["by"], "deadline_ahead")
        self.note(table)
        waits = "seed" if pile["closed"] else "commitment"
        game["absent"] = [who for who in sorted(pile["parts"]) if pile["parts"][who][waits] is None]
        self.event("pile_failed", round_no=pile["no"], missing=game["absent"])
        self.reveal_shoe(table["shoe"], "pile_unused")
        game["pile"], table["shoe"] = None, None
        self.course(table)

    def commit_seed(self, c, table, who):
        need(who, "not_allowed")
        game = table["round"]
        pile = game and game["pile"]
        need(pile and not pile["closed"], "nothing_to_do")
        need(pile["no"] == c["round_no"], "wrong_round")
        need(who in pile["parts"], "not_a_contributor")
        need(pile["parts"][who]["commitment"] is None, "nothing_to_do")
        need(self.time < pile["by"], "deadline_passed")
        pile["parts"][who]["commitment"] = c["commitment"]
        self.event("seed_committed", player=who, commitment=c["commitment"])
        if all(part["commitment"] for part in pile["parts"].values()):
            pile["closed"], pile["by"] = True, self.time + table["rules"]["reveal_time_ms"]
            contributors = [
                {"player": who, "commitment": pile["parts"][who]["commitment"]} for who in sorted(pile["parts"])
            ]
            self.event(
                "pile_closed", round_no=pile["no"], shoe_no=table["shoe"]["no"], contributors=contributors,
                reveal_by=pile["by"],
            )

    # --- The game's course, slots, faces and money by the house --------------------------------

    def face(self, shoe, slot):
        return text_of(shoe["faces"][slot])

    def pile_shoe(self, table, pile):
        """The shoe of a game's pile; without a number, of the one that the game is on."""
        game = table["round"]
        if pile is not None:
            return game["piles"][pile]
        return table["shoe"] or game["piles"][-1]

    def course(self, table, most=None):
        game = table["round"]
        while self.plays:
            (name, fields), = self.plays.pop(0).items()
            getattr(self, "on_" + name)(table, game, dict(fields))
        if not any(part["pending"] for part in game["players"].values()):
            sums = [sum(part[what] for part in game["players"].values()) for what in ("staked", "returned")]
            players = [
                {"player": who, "staked": part["staked"], "returned": part["returned"]}
                for who, part in sorted(game["players"].items())
            ]
            self.event("round_settled", round_no=game["no"], staked=sums[0], returned=sums[1], players=players)
            self.over(table)
            return self.retire_if_due(table, None, game["piles"])
        if game["wants"] and not game["pile"]:
            self.open_pile(table, game)

    def over(self, table):
        game, shoe = table["round"], table["shoe"]
        table["round"], table["goes_on"], table["last"], table["ended"] = None, True, sorted(game["players"]), self.time
        table["uses"].update({who: self.time for who in game["players"] if who in table["uses"]})
        if shoe and table["word"] == "roulette":
            shoe["undrawn"] = shoe["undrawn"][1:]
        elif shoe and game["order"] is not None and not game["pile"]:
            shoe["undrawn"] = [slot for slot in shoe["undrawn"] if slot not in game["taken"]]

    def on_dealt(self, table, game, f):
        slot = draw(game["order"], game["lanes"], game["taken"], game["counts"], f["lane"])
        need(slot is not None, "shoe_exhausted")
        shown = {"card": self.face(table["shoe"], slot)} if "card" in f else {}
        if shown and f["to"] == "dealer" and game["up"] is None:
            game["up"] = card(shown["card"])
        if not shown:
            game["hidden"][table["shoe"]["no"], slot] = True
        game["exposed"] |= bool(shown)
        self.play("dealt", lane=f["lane"], slot=slot, to=f["to"], **shown)
        rule = table["rules"]["reshuffle"]
        left = len(game["order"]) - len(game["taken"])
        if isinstance(rule, dict) and "cut_back" in rule and left < rule["cut_back"] and not table["last_hand"]:
            table["last_hand"] = True
            self.event("last_hand", shoe_no=table["shoe"]["no"])

    def on_turned(self, table, game, f):
        shoe = self.pile_shoe(table, f.get("pile"))
        need(game["hidden"].pop((shoe["no"], f["slot"]), None), "not face-down")
        game["exposed"] = True
        self.play(
            "turned", **({"pile": f["pile"]} if "pile" in f else {}), slot=f["slot"], card=self.face(shoe, f["slot"])
        )

    def on_peeked(self, table, game, f):
        need((table["shoe"]["no"], f["slot"]) in game["hidden"], "not face-down")
        self.play("peeked", slot=f["slot"], blackjack=total([game["up"], table["shoe"]["faces"][f["slot"]]]) == 21)

    def on_offered(self, table, game, f):
        need(
            f["decision"] == game.setdefault("next", 0)
            and all(option["cost"] <= self.funds(f["player"]) for option in f["options"]),
            "offer",
        )
        game["next"] += 1
        deadline = self.time + table["rules"]["turn_time_ms"]
        game["decisions"][f["decision"]] = (f["player"], deadline)
        self.play("offered", **{**f, "deadline": deadline})

    def on_acted(self, table, game, f):
        player, by = game["decisions"].pop(f["decision"])
        need(player == f["player"] and f["cost"] <= self.funds(player), "action")
        need(not f["default"] or self.time >= max(by, game["floor"]) and f["cost"] == 0, "a default before its time")
        self.play("acted", **f)
        game["players"][player]["staked"] += f["cost"]
        game["players"][player]["pending"] += f["cost"]
        self.post(("player:" + player, -f["cost"]), ("table:" + table["id"], f["cost"]))

    def on_paid(self, table, game, f):
        if table["word"] == "roulette":
            for line in f["lines"]:
                pockets, key = covers(line["place"])
                won = game["pocket"] in pockets
                line["outcome"] = "win" if won else "loss"
                line["returned"] = line["stake"] * (table["game"]["pays"][key] + 1) if won else 0
        amounts, staked = {}, 0
        for line in f["lines"]:
            part = game["players"][line["player"]]
            amounts["player:" + line["player"]] = amounts.get("player:" + line["player"], 0) + line["returned"]
            part["returned"] += line["returned"]
            part["pending"] -= line["stake"]
            staked += line["stake"]
            need(part["pending"] >= 0, "paid twice")
        self.play("paid", lines=f["lines"])
        to_house = staked - sum(amounts.values())
        self.post(*amounts.items(), ("table:" + table["id"], -staked), (house_of(table), to_house))

    def on_spun(self, table, game, f):
        slot = table["shoe"]["undrawn"][0]
        value = table["shoe"]["faces"][slot]
        game["pocket"] = (value + below(enumerate(stream(game["entropy"])), 37)) % 37
        game["exposed"] = True
        self.play("spun", slot=slot, value=value, pocket=game["pocket"])

    def on_safe(self, table, game, f):
        (name, fields), = f.items()
        if name == "out":
            game["out"].add(fields["player"])
        if name == "collected":
            game["wants"] = (fields["pile"], fields["cards"])
        self.play("safe", **f)

    def on_shuffled(self, table, game, f):
        number, _ = game["wants"]
        game["wants"] = None
        self.play("shuffled", pile=number)

    def on_absent(self, table, game, f):
        who = next(who for who in game["absent"] if who not in game["out"])
        game["wants"] = None
        self.play("absent", player=who)

    def open_pile(self, table, game):
        _, cards = game["wants"]
        codes = sorted(card(text) for text in cards)
        if table["shoe"]:
            game["piles"].append(table["shoe"])
        self.commit(table, "cards:" + "".join(RANKS[code % 13] + SUITS[code // 13] for code in codes))
        number, table["rounds"] = table["rounds"], table["rounds"] + 1
        players = [who for who in sorted(game["players"]) if who not in game["out"]]
        by = self.time + table["rules"]["reveal_time_ms"]
        game["pile"] = {
            "no": number,
            "by": by,
            "closed": False,
            "parts": {who: {"commitment": None, "seed": None} for who in players},
        }
        game["absent"] = []
        self.event("pile_opened", round_no=number, shoe_no=table["shoe"]["no"], players=players, commit_by=by)

    # --- Voids, starts ------------------------------------------------------------------------

    def void(self, table, cause, missing):
        game, lines, kept = table["round"], [], []
        self.remember(
            table,
            game["no"],
            {who: part["commitment"] for who, part in game["players"].items() if part["seed"] is None},
        )
        for who in sorted(game["players"]):
            part = game["players"][who]
            owed = part["staked"] - part["returned"]
            amount = max(owed, -self.funds(who))
            if amount > owed:
                kept.append({"player": who, "amount": amount - owed})
            lines.append(("player:" + who, amount))
        pending = sum(part["pending"] for part in game["players"].values())
        to_house = pending - sum(amount for _, amount in lines)
        self.post(*lines, ("table:" + table["id"], -pending), (house_of(table), to_house))
        ahead = self.stated["round_voided"]["ahead"] if game["exposed"] else "nobody"
        stays = {one["player"]: one["amount"] for one in kept}
        players = [
            {"player": who, "staked": part["staked"], "returned": part["staked"] + stays.get(who, 0)}
            for who, part in sorted(game["players"].items())
        ]
        self.event(
            "round_voided", round_no=game["no"], cause=cause, missing=missing, ahead=ahead, players=players,
            **({"kept": kept} if kept else {}),
        )
        self.over(table)
        self.retire_if_due(table, self.lasting(table, {"crash": "restart"}.get(cause)), game["piles"])

    def void_round(self, c, table, _):
        self.only("operator")
        self.note(table)
        if table["window"] and table["window"]["no"] == c["round_no"]:
            return self.lapse_window(table, "malfunction", False)
        game = self.live(c, table)
        need(
            not game["pile"] and all(part["seed"] is not None for part in game["players"].values()), "awaiting_reveals"
        )
        self.void(table, "malfunction", [])

    def time_again(self, table, full, stood):
        """The deadline of what the round waits for: its full time again once, then what the table was away."""
        game = table["round"]
        wait = (
            ("pile", game["pile"]["no"], game["pile"]["closed"])
            if game["pile"]
            else ("turn", min(game["decisions"], default=0)) if game["open"] else ("seeds",)
        )
        again = game.get("resumed") == wait
        game["resumed"] = wait
        return stood + self.time - table["down"] if again else self.time + full

    def recover(self, c, table, _):
        self.only("house")
        need(table["recovering"], "nothing_to_do")
        self.note(table)
        game, rules = table["round"], table["rules"]
        if table["window"]:
            self.lapse_window(table, "restart", False)
        if not game:
            self.retire(table, self.lasting(table, "restart"))
        elif rules["crash"] == "rollback":
            self.void(table, "crash", [])
        elif not game["open"] or game["pile"]:
            by = self.time_again(
                table, rules["reveal_time_ms"], game["pile"]["by"] if game["pile"] else game["reveal_by"]
            )
            (game["pile"] or game)["by" if game["pile"] else "reveal_by"] = by
            self.event("round_resumed", round_no=game["no"], reveal_by=by)
        else:
            ends = [max(by, game["floor"]) for _, by in game["decisions"].values()]
            game["floor"] = self.time_again(table, rules["turn_time_ms"], max(ends, default=0))
            self.event("round_resumed", round_no=game["no"], turn_by=game["floor"])
        table["recovering"], table["down"] = False, 0
        table["uses"] = {who: self.time for who in table["uses"]}

    def correct(self, c, _, __):
        self.only("operator")
        need(not c["player"].startswith("guest."), "other_chips")
        need(0 < c["amount"], "amount_out_of_range")
        need(c["amount"] <= self.funds(c["player"]), "insufficient_balance")
        self.before = [[c["player"], self.funds(c["player"])]]
        self.post(("player:" + c["player"], -c["amount"]), ("house", c["amount"]))

    # --- Guests: ../ledger.md, "Play chips" ------------------------------------------------------

    def guests_at(self, table):
        """Who has a place at a table for play chips."""
        if not table or not is_play(table["id"]) or table["id"] == self.gone:
            return set()
        seated = {who for who, _ in table["seats"].values()}
        placed = set(table["window"]["bets"]) if table["window"] else set()
        in_round = set(table["round"]["players"]) if table["round"] else set()
        return ({table["owner"]} if table["owner"] else set()) | seated | placed | in_round

    def has_place(self, who):
        return any(who in self.guests_at(table) for table in self.tables.values())

    def check_chips(self, by, command):
        (name, fields), = command.items()
        if by.startswith("player:") and name in ("open_table", "take_seat", "want_seat", "bet"):
            need(by[7:].startswith("guest.") == is_play(fields["table"]), "other_chips")

    def note_idle(self, before, entry):
        """After an entry at whose table these guests had a place: who has none any more, and who gave it."""
        self.gone = entry["at"]["table"] if {"table_closed": {}} in entry["events"] else None
        gone = [guest for guest in before if not self.has_place(guest)]
        for guest in [*gone, entry["by"][7:]]:
            if guest in self.idle_since:
                self.idle_since[guest] = entry["time"]

    def admit_guest(self, c, _, __):
        self.only("house")
        guest, self.admitted = "guest.%d" % self.admitted, self.admitted + 1
        self.accounts["player:" + guest], self.idle_since[guest] = 0, self.time
        self.event("guest_admitted", player=guest)
        self.post(("play", -100_000), ("player:" + guest, 100_000))

    def dismiss_guest(self, c, _, __):
        self.only("house")
        guest = c["player"]
        need(guest in self.idle_since, "unknown_player")
        need(not self.has_place(guest), "nothing_to_do")
        need(self.time >= self.idle_since[guest] + 300_000, "deadline_ahead")
        left = self.funds(guest)
        self.before = [[guest, left]]
        self.post(("play", left), ("player:" + guest, -left))
        self.event("guest_dismissed", player=guest)
        del self.idle_since[guest], self.accounts["player:" + guest]

    def note_refused_start(self, c, _, __):
        self.only("house")
        need(c["at"] <= self.time, "malformed")
        self.event("start_refused", at=c["at"], reason=c["reason"])


def check(name, file):
    """Whether every entry and refusal of a file comes out; says so."""
    house, failed, refused = Shared(unhex(file["master"])), False, 0
    for index, text in enumerate(file["entries"]):
        for case in (case for case in file["refused"] if case["after_entries"] == index):
            refused += 1
            last, house.plays = house.last, []
            try:
                house.decide(case["now"], case["by"], case["command"])
                failed, why = True, "accepted"
            except No as no:
                why = str(no)
                failed |= why != case["code"] or house.last != last
            if why != case["code"]:
                print("%s: refusal after %d: %s, not %s" % (name, index, why, case["code"]))
        given = json.loads(text)
        try:
            again = compact(house.decide_with(given))
        except No as no:
            again = "refused: %s" % no
        if again != text:
            print("%s: entry %d:\n  is      %s\n  decided %s" % (name, index, text, again))
            return False
        if '{"table_closed":{}}' in text:
            del house.tables[house.closed]
    for account, balance in file["balances"].items():
        failed |= house.accounts.get(account) != balance
    failed |= sum(house.accounts.values()) != 0
    print(
        "%s: %d entries and %d refusals%s"
        % (name, len(file["entries"]), refused, ", something FAILED" if failed else ", all as they should be")
    )
    return not failed


def main():
    sound = [check(name, read(name)) for name in FILES]
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main())
