#!/usr/bin/env python3
"""Decides every command of entries-joy.json, player-keys.json and entries-ended-in-play.json again, from the text of
../entries.md, ../games/blackjack.md, ../ledger.md and ../recovery.md alone, and compares the bytes, and checks what
players signed; check_shared.py does so with the logs of shared tables. Standard library only. Exit 0: all are the
same. 1: one is not. 2: unreadable file."""

import hashlib
import json
import sys

from check import (
    FOLDER, SUITS, RANKS, client_commitment, derive, entropy, label, server_commitment, server_seed, sha256, shuffle,
    stream, unhex,
)
from ed25519 import usable, verifies

HALF = 2**52 - 1
DAY = 86_400_000


class No(Exception):
    """Refused; the text is the code."""


def need(holds, code):
    if not holds:
        raise No(code)


def tree_root(leaves):
    """The Merkle tree hash of log.md."""
    if len(leaves) < 2:
        return hashlib.sha256(b"\0" + leaves[0] if leaves else b"").hexdigest()
    left = 1
    while 2 * left < len(leaves):
        left *= 2
    return hashlib.sha256(
        b"\1" + bytes.fromhex(tree_root(leaves[:left])) + bytes.fromhex(tree_root(leaves[left:]))
    ).hexdigest()


def text_of(code):
    return RANKS[code % 13] + SUITS[code // 13]


def value(code):
    return min(code % 13 + 1, 10)


def total(cards):
    hard = sum(map(value, cards))
    return hard + 10 if hard <= 11 and any(value(c) == 1 for c in cards) else hard


def compact(thing):
    return json.dumps(thing, separators=(",", ":"))


def signed_text(origin, by, nonce, command):
    return "fairshoe/v1/signed-command\n%s\n%s\n%d\n%s\n" % (origin, by, nonce, command)


class House:
    """The state, and the dealer who knows the master key."""

    def __init__(self, master):
        self.master, self.last = master, 0
        self.start = self.ended = None
        self.accounts = {"cage": 0, "house": 0, "play": 0}
        self.tables, self.used = {}, {}
        self.keys, self.waiting, self.nonces = {}, {}, {}

    # --- Deciding -----------------------------------------------------------------------------

    def decide(self, now, by, command, signed=None):
        """The entry. As the vectors hold no refusal in mid-entry, the state is changed while deciding."""
        need(not self.ended, "log_ended")
        (name, fields), = command.items()
        time = max(now, self.last)
        need(time < 2**52, "malformed")
        self.time, self.by, self.events, self.before, self.at = time, by, [], [], None
        need(self.start or name == "start_dealer", "wrong_start")
        self.check_signature(by, command, signed)
        who = by[7:] if by.startswith("player:") and by in self.accounts else None
        table = None
        if "table" in fields and name != "open_table":
            need(fields["table"] in self.tables, "unknown_table")
            table = self.tables[fields["table"]]
            need(not table["recovering"] or name == "recover", "recovering")
        if table:
            self.guard(name, table, who)
        getattr(self, name)(fields, table, who)
        table = table or self.tables.get(fields.get("table"))
        entry = {"v": 1, "time": time, "by": by}
        if table:
            entry["at"] = {"table": table["id"], "seq": table["seq"]}
            table["seq"] += 1
            table["used"] = time
        if self.before:
            entry["before"] = self.before
        entry["command"] = command
        if signed:
            entry["signed"] = signed
            self.nonces[by[7:]] = signed["nonce"]
        entry["events"] = self.events
        self.last = time
        return entry

    def check_signature(self, by, command, signed):
        key = self.key_of(by[7:]) if by.startswith("player:") else None
        need(key or not signed, "no_key")
        if key:
            need(signed, "signature_missing")
            need(signed["nonce"] > self.nonces.get(by[7:], 0), "nonce_used")
            text = signed_text(self.start["origin"], by, signed["nonce"], compact(command))
            need(verifies(unhex(key), text.encode(), unhex(signed["signature"], 64)), "signature_wrong")

    def guard(self, name, table, who):
        """What a command at a table needs beside its own row: nothing, where there are no shared tables."""

    def waits(self, player):
        """The operator's change of the player's key that is not in force yet: the key, or None, and from when it is."""
        change = self.waiting.get(player)
        return change if change and self.time < change[1] else None

    def key_of(self, player):
        change = self.waiting.get(player)
        return change[0] if change and self.time >= change[1] else self.keys.get(player)

    def event(self, name, **fields):
        self.events.append({name: fields})

    def play(self, name, **fields):
        self.events.append({"play": {name: fields}})

    def post(self, *lines):
        done = []
        for account, amount in lines:
            if amount:
                self.accounts[account] += amount
                done.append([account, amount, self.accounts[account]])
        if done:
            self.event("posted", lines=done)

    def only(self, *actors):
        need(self.by in actors, "not_allowed")

    def funds(self, player):
        return self.accounts["player:" + player]

    def note(self, table):
        self.before = [[table["round"]["player"], self.funds(table["round"]["player"])]]

    # --- Commands without a table -------------------------------------------------------------

    def note_state(self, c, _, __):
        self.only("house")
        need(not any(table["recovering"] for table in self.tables.values()), "recovering")
        need(self.noted < c["size"] == self.size, "malformed")
        self.noted = c["size"]
        self.event("state_noted", size=c["size"], root=self.roots[c["size"] - 1])

    def end_log(self, c, _, __):
        self.only("house")
        need(not any(table["recovering"] for table in self.tables.values()), "recovering")
        need(c["origin"] != self.start["origin"] and usable(unhex(c["key"])), "malformed")
        need(not any(self.in_play(table) for table in self.tables.values()), "log_in_play")
        self.ended = {"origin": c["origin"], "key": c["key"]}
        self.event("log_ended", **self.ended)

    def stop_dealer(self, _, __, ___):
        self.only("house")
        self.event("dealer_stopped")

    def start_dealer(self, c, _, __):
        self.only("house")
        if self.start:
            need(c["origin"] == self.start["origin"] and c["master_id"] == self.start["master_id"], "wrong_start")
            need(c["epoch"] != self.start["epoch"], "wrong_start")
        need(c["master_id"] == sha256(label("master-id") + self.master).hex(), "wrong_start")
        down = self.time - self.last if self.start else 0
        self.start = c
        for table in self.tables.values():
            table["recovering"], table["down"] = True, table["down"] if table["recovering"] else self.time - down
        self.event("dealer_started", origin=c["origin"], epoch=c["epoch"], master_id=c["master_id"], down_ms=down)

    def create_player(self, c, _, __):
        self.only("operator")
        need(not c["player"].startswith("guest."), "malformed")
        need("player:" + c["player"] not in self.accounts, "player_exists")
        need("key" not in c or usable(unhex(c["key"])), "key_refused")
        self.accounts["player:" + c["player"]] = 0
        self.event("player_created", player=c["player"])
        if "key" in c:
            self.new_key(c["player"], c["key"])

    def new_key(self, player, key, waits=False):
        old, named = self.key_of(player), {"key": key} if key else {}
        if waits:
            start = self.time + DAY
            self.keys[player], self.waiting[player] = old, (key, start)
            self.event("key_set", player=player, **named, **{"from": start}, **({"old": old} if old else {}))
        else:
            self.keys[player] = key
            self.waiting.pop(player, None)
            self.event("key_set", player=player, **named)

    def set_key(self, c, _, who):
        if self.by == "operator":
            need("player:" + c["player"] in self.accounts, "unknown_player")
        else:
            need(who and who == c["player"], "not_allowed")
        need((self.by == "operator") == ("reason" in c), "malformed")
        need("key" not in c or usable(unhex(c["key"])), "key_refused")
        change = self.waits(c["player"])
        last = change[0] if change else self.key_of(c["player"])
        need(c.get("key") != last or change and self.by != "operator", "nothing_to_do")
        self.new_key(c["player"], c.get("key"), self.by == "operator")

    def issue_token(self, c, _, who):
        need(self.by == "operator" or who and c["holder"] == "player:" + who, "not_allowed")
        need(c["holder"] in self.accounts or c["holder"].startswith("auditor:"), "unknown_player")
        self.event("token_issued", holder=c["holder"], revoked=c["revoke"])

    def credit(self, c, _, __):
        self.only("operator")
        need(not c["player"].startswith("guest."), "other_chips")
        need("player:" + c["player"] in self.accounts, "unknown_player")
        need(c["amount"] > 0 and self.funds(c["player"]) + c["amount"] <= HALF, "amount_out_of_range")
        self.before = [[c["player"], self.funds(c["player"])]]
        self.post(("cage", -c["amount"]), ("player:" + c["player"], c["amount"]))

    def withdraw(self, c, _, who):
        if self.by == "operator":
            change = self.waits(c["player"])
            need(not self.key_of(c["player"]) and not (change and change[0]), "signature_missing")
        else:
            need(who == c["player"] and self.key_of(who), "not_allowed")
        need(not c["player"].startswith("guest."), "other_chips")
        need("player:" + c["player"] in self.accounts, "unknown_player")
        need(c["amount"] <= self.funds(c["player"]), "insufficient_balance")
        need(c["amount"] > 0, "amount_out_of_range")
        self.before = [[c["player"], self.funds(c["player"])]]
        self.post(("cage", c["amount"]), ("player:" + c["player"], -c["amount"]))

    # --- Tables -------------------------------------------------------------------------------

    def take_name(self, c, who):
        """The table's name, whom it may replace, and what `table_opened` says of both."""
        need(self.by == "operator" or who, "not_allowed")
        need(c["table"] not in self.used, "table_exists")
        need(not who or sum(t["owner"] == who for t in self.tables.values()) < 4, "too_many_tables")
        rules = c["rules"]["table"]
        solo = rules["mode"] == "solo"
        need(solo or not who, "not_allowed")
        need(
            who or not solo or rules["reveal_time_ms"] <= 300_000 and rules["round_time_ms"] <= 1_800_000, "not_allowed"
        )
        if "replaces" in c:
            old = self.used.get(c["replaces"])
            need(old and c["replaces"] not in self.tables and old["owner"] == who and not old["by"], "not_replaceable")
            old["by"] = c["table"]
        self.used[c["table"]] = {"owner": who, "by": None}
        owned = {"owner": who, "idle_ms": 3_600_000} if who else {}
        return {**owned, **({"replaces": c["replaces"]} if "replaces" in c else {})}

    def open_table(self, c, _, who):
        extra = self.take_name(c, who)
        digest = sha256(
            label("rule-set") + json.dumps(c["rules"], separators=(",", ":"), sort_keys=True).encode()
        ).hex()
        self.tables[c["table"]] = {
            "id": c["table"], "rules": c["rules"]["table"], "game": c["rules"]["game"]["blackjack"], "owner": who,
            "seq": 0, "shoes": 0, "rounds": 0, "shoe": None, "round": None, "recovering": False, "down": 0, "voids": [],
        }
        self.accounts["table:" + c["table"]] = 0
        self.event("table_opened", rules=c["rules"], digest=digest, **extra)

    def close_table(self, c, table, who):
        need(self.by in ("operator", "house") or who and who == table["owner"], "not_allowed")
        if self.by == "house":
            need(table["owner"], "not_allowed")
            need(self.time >= table["used"] + 3_600_000, "deadline_ahead")
        need(not table["round"], "round_in_progress")
        self.need_no_late_seeds(table)
        self.retire(table)
        self.event("table_closed")
        del self.tables[table["id"]], self.accounts["table:" + table["id"]]
        # What the entry still needs of it.
        self.tables[table["id"]] = table
        self.closed = table["id"]

    def commit_shoe(self, c, table, _):
        self.only("house")
        need(not table["shoe"] and not table["round"], "nothing_to_do")
        context = {"origin": self.start["origin"], "table": table["id"], "epoch": self.start["epoch"]}
        number, text = table["shoes"], "52x%d" % table["game"]["decks"]
        seed = server_seed(self.master, context, number, 0)
        _, _, faces, _, _, root = derive(seed, text)
        table["shoes"] += 1
        table["shoe"] = {"no": number, "context": context, "seed": seed, "faces": faces, "root": root}
        commitment = server_commitment(context, number, 0, seed).hex()
        self.event(
            "shoe_committed",
            shoe_no=number,
            composition=text,
            candidates=[{"commitment": commitment, "root": root.hex()}],
        )
        self.event("table_noted", next_round=table["rounds"], last_used=table["used"])

    def retire(self, table):
        if table["shoe"]:
            self.event("shoe_revealed", shoe_no=table["shoe"]["no"], seeds=[table["shoe"]["seed"].hex()])
            table["shoe"] = None

    def recover(self, c, table, _):
        self.only("house")
        need(table["recovering"], "nothing_to_do")
        game = table["round"]
        if game:
            self.note(table)
            if table["rules"]["crash"] == "rollback":
                self.void(table, "crash", [])
            elif game["settle_by"] is None:
                # The full time again once, then what the table was away.
                full, away = self.time + table["rules"]["reveal_time_ms"], self.time - table["down"]
                game["reveal_by"] = game["reveal_by"] + away if game.get("resumed") else full
                game["resumed"] = True
                self.event("round_resumed", round_no=game["no"], reveal_by=game["reveal_by"])
            else:
                game["settle_by"] += self.time - table["down"]
                self.event("round_resumed", round_no=game["no"], settle_by=game["settle_by"])
        else:
            self.retire(table)
        table["recovering"], table["down"] = False, 0

    # --- Rounds -------------------------------------------------------------------------------

    def bet(self, c, table, who):
        need(who and table["owner"] in (None, who), "not_allowed")
        need(not table["round"], "round_in_progress")
        need(c["round_no"] == table["rounds"], "wrong_round")
        need(table["shoe"], "no_shoe")
        rules, funds = table["rules"], self.funds(who)
        need(len(c["bets"]) == 1, "bet_count")
        bet, = c["bets"]
        need(bet["spot"] == "1", "unknown_spot")
        if "chips" in bet:
            need(len(bet["chips"]) <= 1000, "malformed")
            for chip in bet["chips"]:
                need(chip in rules["chips"], "unknown_chip")
            need(sum(bet["chips"]) <= funds, "chip_above_balance")
            need(sum(bet["chips"]) == bet["stake"], "chips_differ")
        need(bet["stake"] >= rules["stake_min"], "below_minimum")
        need(bet["stake"] <= rules["stake_max"], "above_maximum")
        need(bet["stake"] % rules["stake_step"] == 0, "off_step")
        need(bet["stake"] <= funds, "insufficient_balance")
        need(funds <= HALF and self.accounts["house"] >= -HALF, "amount_out_of_range")
        self.before = [[who, funds]]
        number, shoe_no = table["rounds"], table["shoe"]["no"]
        placed = {"player": who, "bets": c["bets"], "commitment": c["commitment"]}
        table["rounds"] += 1
        table["round"] = {
            "no": number, "player": who, "commitment": c["commitment"], "stake": bet["stake"], "staked": bet["stake"],
            "returned": 0,
            "reveal_by": self.time + rules["reveal_time_ms"],
            "settle_by": None,
            "hands": [{"cards": [], "stake": bet["stake"], "over": False, "doubled": False}],
            "dealer": [], "hole_down": False, "premium": 0, "asked": False, "playing": False, "peek": None,
            "pending": None, "decisions": 0, "open": None, "dealt": 0,
        }
        self.event("bets_opened", round_no=number, shoe_no=shoe_no)
        self.event("bet_placed", bet=placed)
        self.post(("player:" + who, -bet["stake"]), ("table:" + table["id"], bet["stake"]))
        self.event(
            "bets_closed", round_no=number, shoe_no=shoe_no, contributors=[placed], lanes=1,
            reveal_by=table["round"]["reveal_by"],
        )

    def live(self, c, table):
        need(table["round"] and table["round"]["no"] == c["round_no"], "wrong_round")
        return table["round"]

    def reveal(self, c, table, _):
        game, shoe = self.live(c, table), table["shoe"]
        need(game["settle_by"] is None, "reveals_over")
        need(c["player"] == game["player"], "not_a_contributor")
        seed = unhex(c["seed"])
        need(
            client_commitment(shoe["context"], game["no"], c["player"], seed).hex() == game["commitment"],
            "seed_does_not_open",
        )
        need(self.time < game["reveal_by"], "deadline_passed")
        self.note(table)
        e = entropy(shoe["context"], shoe["no"], [shoe["root"]], game["no"], [(c["player"], seed)])
        game["order"] = shuffle(range(len(shoe["faces"])), enumerate(stream(e)))
        game["settle_by"] = self.time + table["rules"]["round_time_ms"]
        self.event("seed_revealed", player=c["player"], seed=c["seed"])
        self.event("round_opened", entropy=e.hex(), pick=0, others=[], settle_by=game["settle_by"])
        self.course(table)

    # --- Late seeds ---------------------------------------------------------------------------

    def remember(self, table, number, missing):
        """A void round: the seeds that are missing, with what their commitments are bound to."""
        if missing:
            voids = table["voids"] + [
                {"no": number, "time": self.time, "context": table["shoe"]["context"], "missing": missing, "out": set()}
            ]
            fresh = sum(self.time < void["time"] + 3_600_000 for void in voids)
            table["voids"] = voids[-min(max(fresh, 32), 1024):]

    def may_come_late(self, table):
        return any(
            self.time < void["time"] + 3_600_000 and len(void["out"]) < len(void["missing"]) for void in table["voids"]
        )

    def need_no_late_seeds(self, table):
        need(self.by != "operator" or not self.may_come_late(table), "awaiting_reveals")

    def in_play(self, table):
        """What keeps the log from its end: here each round has its own shoe, which comes out with it."""
        return table["round"] or self.may_come_late(table)

    def late_seed(self, c, table, _):
        void = next((void for void in table["voids"] if void["no"] == c["round_no"]), None)
        need(void, "wrong_round")
        need(c["player"] in void["missing"], "not_a_contributor")
        need(c["player"] not in void["out"], "already_revealed")
        opens = client_commitment(void["context"], void["no"], c["player"], unhex(c["seed"])).hex()
        need(opens == void["missing"][c["player"]], "seed_does_not_open")
        void["out"].add(c["player"])
        self.event("seed_late", round_no=c["round_no"], player=c["player"], seed=c["seed"])

    def blackjack(self, game):
        return (
            len(game["hands"]) == 1 and len(game["hands"][0]["cards"]) == 2 and total(game["hands"][0]["cards"]) == 21
        )

    def costs(self, table, game):
        """What each action costs at the open decision, were there money enough."""
        number, question, index = game["open"]
        if question == "insurance":
            return {"insurance": -(-game["stake"] // 2)}
        hand, split = game["hands"][index], len(game["hands"]) > 1
        costs = {"hit": 0, "stand": 0}
        if len(hand["cards"]) == 2 and not self.blackjack(game) and (not split or table["game"]["double_after_split"]):
            costs["double"] = game["stake"]
        if not split and len(hand["cards"]) == 2 and value(hand["cards"][0]) == value(hand["cards"][1]):
            costs["split"] = game["stake"]
        return costs

    def offer(self, table, game, question, index):
        game["open"] = (game["decisions"], question, index)
        options = [
            {"action": word, "cost": cost}
            for word, cost in self.costs(table, game).items()
            if cost <= self.funds(game["player"])
        ]
        self.play(
            "offered",
            decision=game["decisions"],
            player=game["player"],
            place="1/%d" % (index + 1),
            options=options,
            deadline=game["settle_by"],
        )
        game["decisions"] += 1
        game["playing"] |= question == "play"

    def act(self, c, table, who):
        need(who, "not_allowed")
        game = self.live(c, table)
        need(game["settle_by"] is not None, "awaiting_reveals")
        need(game["open"] and game["open"][0] == c["decision"], "decision_not_open")
        need(who == game["player"], "not_your_decision")
        action = c["action"]
        word = action if isinstance(action, str) else next(iter(action))
        costs = self.costs(table, game)
        need(word in costs, "action_not_offered")
        cost = 0 if action == {"insurance": {"take": False}} else costs[word]
        need(word != "double" or action["double"].get("amount", cost) == cost, "extra_stake_refused")
        need(cost <= self.funds(who), "insufficient_balance")
        need(self.time < game["settle_by"], "deadline_passed")
        self.note(table)
        self.take(table, game, action, word, cost, False)
        self.course(table)

    def take(self, table, game, action, word, cost, default):
        number, _, index = game["open"]
        game["open"] = None
        hand = game["hands"][index]
        self.play("acted", decision=number, player=game["player"], action=action, cost=cost, default=default)
        game["staked"] += cost
        self.post(("player:" + game["player"], -cost), ("table:" + table["id"], cost))
        if word == "insurance":
            game["asked"], game["premium"] = True, cost
        elif word == "stand":
            hand["over"] = True
        elif word == "split":
            game["hands"].append(
                {"cards": [hand["cards"].pop()], "stake": game["stake"], "over": False, "doubled": False}
            )
        else:
            game["pending"] = index
            if word == "double":
                hand["stake"], hand["doubled"] = hand["stake"] + cost, True

    def lapse(self, c, table, _):
        self.only("house")
        game = self.live(c, table)
        need((c["lapsed"] == "reveal") == (game["settle_by"] is None), "nothing_to_do")
        need(self.time >= (game["reveal_by"] if c["lapsed"] == "reveal" else game["settle_by"]), "deadline_ahead")
        self.note(table)
        if c["lapsed"] == "reveal":
            return self.void(table, "reveal_missing", [game["player"]])
        while table["round"]:
            asked = game["open"][1]
            action = {"insurance": {"take": False}} if asked == "insurance" else "stand"
            self.take(table, game, action, "insurance" if asked == "insurance" else "stand", 0, True)
            self.course(table)

    def void_round(self, c, table, _):
        self.only("operator")
        game = self.live(c, table)
        need(game["settle_by"] is not None, "awaiting_reveals")
        self.note(table)
        self.void(table, "malfunction", [])

    def void(self, table, cause, missing):
        game = table["round"]
        self.remember(table, game["no"], {game["player"]: game["commitment"]} if game["settle_by"] is None else {})
        back, held = game["staked"] - game["returned"], self.accounts["table:" + table["id"]]
        self.post(("player:" + game["player"], back), ("table:" + table["id"], -held), ("house", held - back))
        self.event(
            "round_voided", round_no=game["no"], cause=cause, missing=missing,
            ahead=self.ahead(game),
            players=[{"player": game["player"], "staked": game["staked"], "returned": game["staked"]}],
        )
        table["round"] = None
        self.retire(table)

    def ahead(self, game):
        if not game["dealer"]:
            return "nobody"
        shown = game["dealer"][:1] if game["hole_down"] or len(game["dealer"]) < 2 else game["dealer"]
        points = total(shown)
        if len(shown) == 1:
            dealer = 22 if value(shown[0]) == 1 else points + 10
        else:
            dealer = 0 if points > 21 else 22 if len(shown) == 2 and points == 21 else points
        lead = 0
        for hand in game["hands"]:
            mine = 22 if self.blackjack(game) else total(hand["cards"])
            if hand["cards"]:
                lead += hand["stake"] * (-1 if total(hand["cards"]) > 21 else (mine > dealer) - (mine < dealer))
        return "players" if lead > 0 else "house" if lead < 0 else "level"

    # --- The course ---------------------------------------------------------------------------

    def draw(self, table, game, to, face_up=True):
        slot = game["order"][game["dealt"]]
        code = table["shoe"]["faces"][slot]
        game["dealt"] += 1
        if face_up:
            self.play("dealt", lane=0, slot=slot, to=to, card=text_of(code))
        else:
            self.play("dealt", lane=0, slot=slot, to=to)
            game["hole"] = slot
        return code

    def paid(self, table, game, lines):
        self.play("paid", lines=lines)
        staked, returned = sum(line["stake"] for line in lines), sum(line["returned"] for line in lines)
        game["returned"] += returned
        won = ("player:" + game["player"], returned)
        self.post(won, ("table:" + table["id"], -staked), ("house", staked - returned))

    def course(self, table):
        game, rules = table["round"], table["game"]
        limit = rules["card_limit"] or 10**6
        order = (
            ["1/1", "dealer", "1/1", "dealer"]
            if rules["deal_order"] == "interleaved"
            else ["1/1", "1/1", "dealer", "dealer"]
        )
        finished = lambda h: (
            h["over"]
            or h["doubled"]
            and len(h["cards"]) > 2
            or total(h["cards"]) > 21
            or len(h["cards"]) >= limit
            or rules["auto_stand_21"] and len(h["cards"]) > 1 and total(h["cards"]) == 21)
        insured = lambda outcome, returned: {
            "player": game["player"], "place": "1/1", "wager": "insurance", "outcome": outcome,
            "stake": game["premium"], "returned": returned,
        }
        while game["dealt"] < 4:
            to = order[game["dealt"]]
            game["hole_down"] = game["dealt"] == 3
            (game["dealer"] if to == "dealer" else game["hands"][0]["cards"]).append(
                self.draw(table, game, to, game["dealt"] < 3)
            )
        while True:
            premium = -(-game["stake"] // 2)
            ace = rules["insurance"] == "stake_back" and value(game["dealer"][0]) == 1
            if ace and not game["playing"] and not game["asked"] and premium <= self.funds(game["player"]):
                return self.offer(table, game, "insurance", 0)
            if game["premium"] and game["peek"] is None:
                game["peek"] = total(game["dealer"]) == 21
                self.play("peeked", slot=game["hole"], blackjack=game["peek"])
                continue
            if game["premium"] and not game["peek"]:
                self.paid(table, game, [insured("loss", 0)])
                game["premium"] = 0
                continue
            if not game["peek"]:
                if game["pending"] is not None:
                    index, game["pending"] = game["pending"], None
                    game["hands"][index]["cards"].append(self.draw(table, game, "1/%d" % (index + 1)))
                    continue
                left = [i for i, hand in enumerate(game["hands"]) if not finished(hand)]
                if left and len(game["hands"][left[0]]["cards"]) == 1:
                    game["hands"][left[0]]["cards"].append(self.draw(table, game, "1/%d" % (left[0] + 1)))
                    continue
                if left:
                    return self.offer(table, game, "play", left[0])
            if game["hole_down"]:
                game["hole_down"] = False
                self.play("turned", slot=game["hole"], card=text_of(game["dealer"][1]))
                continue
            contested = any(total(hand["cards"]) <= 21 for hand in game["hands"])
            if contested and not game["peek"] and total(game["dealer"]) <= 16 and len(game["dealer"]) < limit:
                game["dealer"].append(self.draw(table, game, "dealer"))
                continue
            lines = [insured("win", game["premium"] + game["stake"])] if game["premium"] else []
            lines += [self.line(rules, game, i, hand) for i, hand in enumerate(game["hands"])]
            self.paid(table, game, lines)
            self.event(
                "round_settled", round_no=game["no"], staked=game["staked"], returned=game["returned"],
                players=[{"player": game["player"], "staked": game["staked"], "returned": game["returned"]}],
            )
            table["round"] = None
            return self.retire(table)

    def line(self, rules, game, index, hand):
        split, mine, theirs = len(game["hands"]) > 1, total(hand["cards"]), total(game["dealer"])
        natural = self.blackjack(game)
        strength = 22 if natural else mine
        dealer = 0 if theirs > 21 else 22 if theirs == 21 and len(game["dealer"]) == 2 and not split else theirs
        if mine > 21:
            outcome, returned = "bust", 0
        elif strength < dealer:
            outcome, returned = "loss", 0
        elif strength == dealer:
            outcome, returned = "draw", hand["stake"]
        elif natural:
            n, d = rules["blackjack_pays"]
            win = -(-hand["stake"] * n // d) if rules["blackjack_rounding"] == "up" else hand["stake"] * n // d
            outcome, returned = "blackjack", hand["stake"] + win
        else:
            outcome, returned = "win", 2 * hand["stake"]
        return {
            "player": game["player"],
            "place": "1/%d" % (index + 1),
            "wager": "hand", "outcome": outcome, "stake": hand["stake"], "returned": returned,
        }


def read(name):
    try:
        return json.loads((FOLDER / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print("%s: %s" % (name, error))
        sys.exit(2)


def check_log(name):
    """A log decided again; what is wrong with it, or nothing."""
    file, wrong = read(name), []
    house, refused = House(unhex(file["master"])), 0
    house.roots, house.noted = file["state_roots"], 0
    if tree_root([line.encode() for line in file["state_lines"]]) != house.roots[-1]:
        wrong.append("the last root is not that of the state's lines")
    for index, text in enumerate(file["entries"] + [None]):
        house.size = index
        for case in (case for case in file["refused"] if case["after_entries"] == index):
            refused += 1
            last = house.last
            try:
                house.decide(
                    case["now"],
                    case["by"],
                    json.loads(case["command_text"]) if "signed" in case else case["command"],
                    case.get("signed"),
                )
                wrong.append("refusal after %d: accepted" % index)
            except No as no:
                if str(no) != case["code"] or house.last != last:
                    wrong.append("refusal after %d: %s, not %s" % (index, no, case["code"]))
        if text is None:
            break
        given = json.loads(text)
        try:
            again = compact(house.decide(given["time"], given["by"], given["command"], given.get("signed")))
        except No as no:
            again = "refused: %s" % no
        if "table_closed" in text:
            del house.tables[house.closed]
        if again != text:
            return wrong + ["entry %d:\n  is      %s\n  decided %s" % (index, text, again)]
    wrong += [
        "%s: %s" % (account, balance)
        for account, balance in file["balances"].items()
        if house.accounts.get(account) != balance
    ]
    wrong += ["the accounts do not sum to zero"] if sum(house.accounts.values()) else []
    print("%s: %d entries and %d refusals" % (name, len(file["entries"]), refused))
    return wrong


def check_rule_set():
    file = read("entries-joy.json")
    canonical = json.dumps(json.loads(file["rule_set"]), separators=(",", ":"), sort_keys=True)
    holds = (
        canonical == file["rule_set"]
        and sha256(label("rule-set") + canonical.encode()).hex() == file["rule_set_digest"]
    )
    return [] if holds else ["the rule set, or its digest"]


def check_keys():
    """The keys, and the examples of what is signed."""
    file = read("player-keys.json")
    wrong = ["key: " + case["about"] for case in file["keys"] if usable(unhex(case["key"])) != case["usable"]]
    for case in file["signatures"]:
        text = signed_text(case["origin"], case["by"], case["nonce"], case["command"])
        holds = verifies(unhex(case["key"]), text.encode(), unhex(case["signature"], 64))
        if text != case["text"] or compact(json.loads(case["command"])) != case["command"] or holds != case["holds"]:
            wrong.append("signature: " + case["about"])
    print("player-keys.json: %d keys and %d signatures" % (len(file["keys"]), len(file["signatures"])))
    return wrong


def main():
    logs = ("entries-joy.json", "player-keys.json", "entries-ended-in-play.json")
    wrong = check_rule_set() + [what for name in logs for what in check_log(name)] + check_keys()
    print("\n".join(wrong) or "all as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
