#!/usr/bin/env python3
"""Checks tournaments.json, from the text of ../games/tournaments.md, ../games/refunds.md and ../fairness.md alone:
seats, breaks and moves, clock, pools, prizes, ranks, bounties, deals, stakes and refunds are computed again, fractions
with Python's Fraction. Standard library only. Exit 0: all holds. 1: something does not. 2: unreadable file."""

import itertools
import json
import sys
import types
from fractions import Fraction

import tournament_files
from check import FOLDER, Refused, below, label, lp, mac, sha256, shuffle, stream, tctx, u16, u64, unhex

CHECKS = 0
LAST_DRAW = 65535


class Wrong(Exception):
    """Something that does not follow."""


def same(got, want, what):
    global CHECKS
    CHECKS += 1
    if got != want:
        raise Wrong("%s: is %r, follows %r" % (what, want, got))


def fraction(pair):
    if [str(int(text)) for text in pair] != pair:
        raise Wrong("not a fraction: %r" % pair)
    value = Fraction(int(pair[0]), int(pair[1]))
    same([str(value.numerator), str(value.denominator)], pair, "lowest terms")
    return value


# --- Structures -----------------------------------------------------------------------------------

def structure(name):
    return json.loads((FOLDER.parent / "structures" / (name + ".json")).read_text(encoding="utf-8"))


def structures(cases):
    names = sorted(path.stem for path in (FOLDER.parent / "structures").glob("*.json"))
    same([case["name"] for case in cases], names, "shipped")
    for case in cases:
        text = json.dumps(structure(case["name"]), sort_keys=True, separators=(",", ":"))
        same(text, case["canonical"], "canonical text of " + case["name"])
        same(sha256(label("structure") + text.encode("ascii")).hex(), case["digest"], "digest of " + case["name"])
        rules = structure(case["name"])["rules"]
        named = json.loads((FOLDER.parent / "rulesets" / (rules["name"] + ".json")).read_text(encoding="utf-8"))
        text = json.dumps(named, sort_keys=True, separators=(",", ":")).encode("ascii")
        same(sha256(label("rule-set") + text).hex(), rules["digest"], "rule set of " + case["name"])


# --- Draws ----------------------------------------------------------------------------------------

def read_field(given):
    tables = {t["table"]: {"players": dict(t["players"]), "last_big": t["last_big"]} for t in given["tables"]}
    return {"seats": given["seats"], "last_table": given["last_table"], "tables": tables}


def write_field(field):
    return {"seats": field["seats"], "last_table": field["last_table"], "tables": [
        {"table": number, "last_big": table["last_big"],
         "players": [list(item) for item in sorted(table["players"].items())]}
        for number, table in sorted(field["tables"].items())]}


def open_table(field):
    field["last_table"] += 1
    field["tables"][field["last_table"]] = {"players": {}, "last_big": 0}
    return field["last_table"]


def draw_button(words, table):
    occupied = sorted(table["players"])
    button = occupied[below(words, len(occupied))]
    after = [seat for seat in occupied if seat > button] + occupied
    table["last_big"] = button if len(occupied) < 3 else after[0]


def first_seats(words, entrants, field):
    listed = shuffle(sorted(entrants), words)
    count = -(-len(listed) // field["seats"])
    field["tables"] = {}
    for t in range(count):
        seats = shuffle(range(1, field["seats"] + 1), words)
        table = field["tables"][open_table(field)]
        for k, entry_no in enumerate(listed[t::count]):
            table["players"][seats[k]] = entry_no
        draw_button(words, table)


def later_seats(words, entrants, field):
    opened = []
    for entry_no in shuffle(sorted(entrants), words):
        free = {n: t for n, t in field["tables"].items() if len(t["players"]) < field["seats"]}
        if not free:
            number = open_table(field)
            opened.append(number)
            free = {number: field["tables"][number]}
        least = min(len(table["players"]) for table in free.values())
        numbers = sorted(n for n, t in free.items() if len(t["players"]) == least)
        table = free[numbers[below(words, len(numbers))]]
        seats = [seat for seat in range(1, field["seats"] + 1) if seat not in table["players"]]
        table["players"][seats[below(words, len(seats))]] = entry_no
    for number in opened:
        draw_button(words, field["tables"][number])


def draws(cases):
    chains, before = {}, {}
    for case in cases:
        context, event = tctx(case["context"]), case["context"]["table"]
        if event not in chains:
            links = [None] * (LAST_DRAW + 1)
            link = mac(bytes(32), label("draw-seed") + context)
            for d in range(LAST_DRAW, -1, -1):
                links[d] = link
                link = sha256(label("draw-chain") + context + u64(d) + link)
            chains[event] = links
            before[event] = (link, bytes(32))
            same(link.hex(), case["tip"], "tip")
        number, link = case["draw_no"], unhex(case["link"])
        same(chains[event][number].hex(), case["link"], "link from the master")
        last, running = before[event]
        same(sha256(label("draw-chain") + context + u64(number) + link), last, "link before")
        for hand in case["hands"]:
            running = sha256(label("event-entropy") + running + unhex(hand))
        same(running.hex(), case["running"], "running entropy")
        records, count = b"", 0
        for entrant in sorted(case["entrants"], key=lambda e: e["entry_no"]):
            if "seed" in entrant:
                of = u64(entrant["entry_no"])
                named = lp(entrant["player"].encode("ascii")) + unhex(entrant["seed"])
                commitment = sha256(label("seat-seed") + context + u16(entrant["use"]) + named)
                same(commitment.hex(), entrant["commitment"], "commitment")
                records, count = records + of + named, count + 1
        entropy = sha256(label("draw") + context + u64(number) + link + running + u16(count) + records)
        same(entropy.hex(), case["entropy"], "entropy")
        before[event] = (link, entropy)
        field, words = read_field(case["before"]), enumerate(stream(entropy))
        seat = first_seats if case["kind"] in ("first", "final") else later_seats
        seat(words, [entrant["entry_no"] for entrant in case["entrants"]], field)
        same(write_field(field), case["after"], "seats of draw %d of %s" % (number, event))


# --- Tables ---------------------------------------------------------------------------------------

def distance(table, seat, seats):
    """Players who post the big blind before one in this seat would."""
    passed, at = 0, table["last_big"]
    while True:
        at = at % seats + 1
        if at == seat:
            return passed
        passed += at in table["players"]


def due(field):
    tables = field["tables"]
    size = {number: len(table["players"]) for number, table in tables.items()}
    if len(tables) > max(1, -(-sum(size.values()) // field["seats"])):
        return {"break": min(tables, key=lambda n: (size[n], -n))}
    full, empty = max(tables, key=lambda n: (size[n], n)), min(tables, key=lambda n: (size[n], n))
    if size[full] < size[empty] + 2:
        return None
    pairs = []
    for seat, entry_no in tables[full]["players"].items():
        for new in range(1, field["seats"] + 1):
            if new not in tables[empty]["players"]:
                now = distance(tables[full], seat, field["seats"])
                then = distance(tables[empty], new, field["seats"])
                pairs.append((abs(now - then), then, now, new, seat, entry_no))
    _, _, _, new, seat, entry_no = min(pairs)
    return {"move": {"entry_no": entry_no, "from": [full, seat], "to": [empty, new]}}


def seating(cases):
    for case in cases:
        same(due(read_field(case["field"])), case["due"], "due")


# --- Clock ----------------------------------------------------------------------------------------

def synchronised(breaks, at, until):
    """The synchronised breaks that touch a time."""
    if "synchronised" not in breaks:
        return []
    every, begin, length = (breaks["synchronised"][f] for f in ("every_ms", "at_ms", "ms"))
    return [(p * every + begin, p * every + begin + length) for p in range(at // every, until // every + 2)]


def running_time(given, start, stops, now):
    spans = [tuple(stop) for stop in stops] + synchronised(given["breaks"], start, now)
    spans = sorted((max(a, start), min(b, now)) for a, b in spans)
    still, reached = 0, start
    for a, b in spans:
        a = max(a, reached)
        if b > a:
            still, reached = still + b - a, b
    return now - start - still


def parts(given):
    after = {it["level"]: it["ms"] for it in given["breaks"].get("after", [])}
    at, listed = 0, []
    for i, level in enumerate(given["levels"], 1):
        last = i == len(given["levels"])
        listed.append((i, False, at, None if last else at + level["ms"]))
        at += level["ms"]
        if i in after and not last:
            listed.append((i, True, at, at + after[i]))
            at += after[i]
    return listed


def late(given, running, levels):
    return any(i == levels and not pause and end is not None and running < end for i, pause, _, end in parts(given))


def clock(cases):
    for case in cases:
        given, now = structure(case["structure"]), case["now"]
        running = running_time(given, case["start"], case["stops"], now)
        same(running, case["running"], "running time")
        listed = parts(given)
        level, pause, _, _ = next(part for part in listed if part[3] is None or running < part[3])
        same(level, case["level"], "level")
        starts = [begin for i, is_break, begin, _ in listed if i == level + 1 and not is_break]
        same(starts[0] - running if starts else None, case["to_next_level"], "to the next level")
        if "synchronised" in given["breaks"]:
            spans = synchronised(given["breaks"], now, now + given["breaks"]["synchronised"]["every_ms"])
            pause = any(a <= now < b for a, b in spans)
            ahead = min(b if pause else a for a, b in spans if (b if pause else a) > now)
            same(ahead - now, case["to_break"], "to the break")
        else:
            if pause:
                ahead = [end for i, is_break, _, end in listed if is_break and i == level]
            else:
                ahead = [begin for i, is_break, begin, _ in listed if is_break and begin > running]
            same(ahead[0] - running if ahead else None, case["to_break"], "to the break")
        same(pause, case["in_break"], "in a break")
        same(late(given, running, given["late_levels"]), case["late"], "late registration")


# --- Entry and prizes -----------------------------------------------------------------------------

def row_of(given, entries):
    rows = given["payouts"]["rows"]
    return ([row for row in rows if row["from"] <= entries] or rows[:1])[-1]["places"]


def seats_of(given, players, pool):
    terms = given["payouts"]["satellite"]
    value = terms["buy_in"] + terms["fee"]
    seats = min(pool // value, players)
    return seats, pool - seats * value


def prize_table(given, entries, players, pool):
    """Prizes as (seat, cash) and the residual."""
    if "satellite" in given["payouts"]:
        seats, rest = seats_of(given, players, pool)
        if seats < players:
            return [(True, 0)] * seats + [(False, rest)] * (rest > 0), 0
        return [(True, rest // seats)] * seats, rest % seats
    shares = []
    for places in row_of(given, entries):
        shares += [places["share"]] * (places["to"] - len(shares))
    shares = shares[:players]
    cash = [Fraction(pool * share, sum(shares)) for share in shares]
    cash = [exact.numerator // exact.denominator for exact in cash]
    return [(False, part) for part in cash], pool - sum(cash)


def places_paid(given, entries, players, pool):
    return len(prize_table(given, entries, players, pool)[0])


def cuts_short(given, players, open_still):
    return open_still and players < given["entry"]["players_max"]


def pool_for_places(given, collected, cut):
    return collected if cut else max(collected, given["guarantee"])


def registration(cases):
    for case in cases:
        given, entries, players = structure(case["structure"]), case["entries"], case["players"]
        started = case["running"] is not None
        open_still = started and late(given, case["running"], given["late_levels"])
        pool = pool_for_places(given, entries * given["entry"]["buy_in"], cuts_short(given, players, open_still))
        itm = started and case["remaining"] <= places_paid(given, entries, players, pool)
        closed = None
        if started and not open_still:
            closed = "schedule"
        elif players >= given["entry"]["players_max"]:
            closed = "full"
        elif case["was_itm"] or itm:
            closed = "itm"
        same(closed, case["closed"], "registration")


def pools(cases):
    for case in cases:
        given = structure(case["structure"])
        kinds = [(case["entries"], given["entry"], "buy_in", "stack"),
                 (case["rebuys"], given.get("rebuy"), "price", "chips"),
                 (case["add_ons"], given.get("add_on"), "price", "chips")]
        kinds = [(count, terms, price, chips) for count, terms, price, chips in kinds if terms]
        got = {"pool": sum(count * terms[price] for count, terms, price, _ in kinds),
               "fees": sum(count * terms["fee"] for count, terms, _, _ in kinds),
               "chips": sum(count * terms[chips] for count, terms, _, chips in kinds),
               "bounties": case["with_bounty"] * given["entry"]["bounty"]}
        same(got, case["collected"], "collected")
        pool = got["pool"] if case["cut_short"] else max(got["pool"], given["guarantee"])
        same([pool, pool - got["pool"]], [case["pool"], case["overlay"]], "pool")


def prizes(cases):
    for case in cases:
        given = structure(case["structure"])
        table, residual = prize_table(given, case["entries"], case["players"], case["pool"])
        listed = [{"seat": seat, "cash": cash} for seat, cash in table]
        same({"prizes": listed, "residual": residual}, case["table"], "prizes")
        same(len(table), case["places"], "places paid")
        ends = max(1, seats_of(given, case["players"], case["pool"])[0]) if "satellite" in given["payouts"] else 1
        same(ends, case["ends_with"], "ends with")


def ties(cases):
    for case in cases:
        table = [(prize["seat"], prize["cash"]) for prize in case["table"]["prizes"]]
        first, last = case["first"], case["last"]
        of = (table + [(False, 0)] * last)[first - 1:last]
        if len(set(of)) == 1:
            got = of[0], 0
        else:
            total = sum(cash + seat * case["seat_value"] for seat, cash in of)
            got = (False, total // len(of)), total % len(of)
        same([{"seat": got[0][0], "cash": got[0][1]}, got[1]], [case["prize"], case["cut"]], "tie")


def ranks(cases):
    for case in cases:
        groups = {}
        for out in case["eliminations"]:
            groups.setdefault((out["hand"], out["stack"]), []).append(out)
        place, got = case["remaining"], {}
        for key in sorted(groups, reverse=True):
            group = groups[key]
            tie = len({out["table"] for out in group}) > 1
            for k, out in enumerate(sorted(group, key=lambda out: out["distance"])):
                got[out["entry_no"]] = (place + 1, place + len(group)) if tie else (place + 1 + k, place + 1 + k)
            place += len(group)
        same(got, {rank["entry_no"]: (rank["first"], rank["last"]) for rank in case["ranks"]}, "ranks")


# --- Bounties, deals, stakes ----------------------------------------------------------------------

def divide(whole, names):
    """Equal parts, the odd cents one each to the first."""
    return {name: whole // len(names) + (k < whole % len(names)) for k, name in enumerate(names)}


def bounties(cases):
    for case in cases:
        head = dict(enumerate(case["heads"]))
        won, paid, itm = dict.fromkeys(head, 0), {}, False

        def pay(name, cents):
            if cents:
                paid[name] = paid.get(name, 0) + cents

        def pay_all():
            for name in won:
                pay(name, won[name])
                won[name] = 0

        for step in case["steps"]:
            if step == "reach_money":
                itm = True
                pay_all()
            elif step == "end_hand":
                if itm:
                    pay_all()
            elif "stand" in step:
                same([[name, head[name], won[name]] for name in sorted(head)], step["stand"], "bounties")
            elif "disqualify" in step:
                out = step["disqualify"]
                whole = head.pop(out) + won.pop(out)
                for name, part in divide(whole, sorted(head)).items():
                    won[name] += part
            else:
                out = step["eliminate"]
                fallen, total = head.pop(out), won.pop(out)
                for name, part in divide(fallen, step["winners"]).items():
                    cashed = {"none": part, "half": part // 2, "all": 0}[case["onto_head"]]
                    won[name] += cashed
                    head[name] += part - cashed
                if step["paid_place"]:
                    pay(out, total)
                else:
                    for name, part in divide(total, step["winners"]).items():
                        won[name] += part
        pay_all()
        for name in head:
            pay(name, head[name])
        same([list(item) for item in sorted(paid.items())], case["paid"], "paid")
        same(sum(paid.values()), sum(case["heads"]), "all bounties")


def chances(chips, places):
    """p[i][k]: the chance that i finishes k-th, by sets of those who finished before."""
    players, total = range(len(chips)), sum(chips)
    chance, p = {frozenset(): Fraction(1)}, [[Fraction(0)] * places for _ in chips]
    for k in range(places):
        for before in map(frozenset, itertools.combinations(players, k)):
            left = total - sum(chips[j] for j in before)
            for i in players:
                if i not in before:
                    step = chance[before] * chips[i] / left
                    p[i][k] += step
                    chance[before | {i}] = chance.get(before | {i}, 0) + step
    return p


def deal_of(method, chips, prize):
    """What each would get, exactly."""
    if method == "chips":
        rest = sum(prize) - len(prize) * prize[-1]
        return [prize[-1] + Fraction(rest * c, sum(chips)) for c in chips]
    # The last place's prize is everybody's; only what lies above it needs chances.
    above = [amount - prize[-1] for amount in prize if amount > prize[-1]]
    return [prize[-1] + sum(a * q for a, q in zip(above, p)) for p in chances(chips, len(above))]


def deals(cases):
    for case in cases:
        chips, prize = [player["chips"] for player in case["players"]], case["prizes"]
        exact = deal_of(case["method"], chips, prize)
        same(exact, [fraction(share["exact"]) for share in case["shares"]], "exact shares")
        same(sum(exact), sum(prize), "the undistributed pool")
        paid = [share.numerator // share.denominator for share in exact]
        order = sorted(range(len(chips)), key=lambda i: (-chips[i], case["players"][i]["entry_no"]))
        for i in order[:sum(prize) - sum(paid)]:
            paid[i] += 1
        same(paid, [share["paid"] for share in case["shares"]], "deal")
        same(sum(paid), sum(prize), "the undistributed pool")


def stakes(cases):
    for case in cases:
        sold, escrow = case["stakes"], sum(stake["price"] for stake in case["stakes"])
        if case["form"] == "cash":
            buyers = [stake["basis_points"] * case["total"] // 10000 for stake in sold]
            got = {"buyers": buyers, "seller": case["total"] - sum(buyers), "seller_escrow": escrow}
        else:
            got = {"buyers": [stake["price"] for stake in sold], "seller": 0, "seller_escrow": 0}
        same(got, case["division"], "stakes")


# --- Refunds --------------------------------------------------------------------------------------

def refund(given):
    players, pool, prize = given["players"], given["pool"], given["prizes"]
    n, all_chips = len(players), sum(player["chips"] for player in players)
    payments = []
    for player in players:
        c = player["chips"]
        if given["case"] == 1:
            exact = Fraction(0)
        elif given["method"] == "chip_count":
            exact = Fraction(pool * c, all_chips)
        elif given["case"] == 2:
            exact = Fraction(pool, 2) / n + Fraction(pool, 2) * c / all_chips
        else:
            exact = prize[-1] + Fraction((pool - n * prize[-1]) * c, all_chips)
        part = exact.numerator // exact.denominator
        payments.append({"entry_no": player["entry_no"], "pool": part, "fee": player["fee"], "bounty": player["bounty"],
                         "exact": [str(exact.numerator), str(exact.denominator)],
                         "paid": part + player["fee"] + player["bounty"]})
    residual = pool - sum(payment["pool"] for payment in payments)
    if not 0 <= residual < n:
        raise Wrong("residual %d of %d players" % (residual, n))
    total = sum(payment["paid"] for payment in payments)
    return {"case": given["case"], "total": total, "chips": all_chips, "residual": residual, "payments": payments}


def refunds(cases):
    for case in cases:
        same(refund(case["in"]), case["out"], "refund " + case["name"])
        parts = sum(player["fee"] + player["bounty"] for player in case["in"]["players"])
        out = case["out"]
        same(out["total"] + out["residual"], case["in"]["pool"] + parts, "sum of refund " + case["name"])


def held_at(case, instant):
    held = {}
    for record in case["records"]:
        if record["at"] <= instant:
            held[record["entry_no"]] = record
    held = [held[name] for name in sorted(held)]
    return held, len(held), sum(not record["re_entry"] for record in held), sum(record["to_pool"] for record in held)


def money(given, case, instant):
    """None: not in the money. Else whether that cut late registration short."""
    for moment in sorted({case["start"], instant} | {record["at"] for record in case["records"]}):
        if case["start"] <= moment <= instant:
            held, entries, players, collected = held_at(case, moment)
            left = sum(record["chips"] > 0 or record["may_rebuy"] for record in held)
            stops = [[a, min(b, moment)] for a, b in case["stops"] if a < moment]
            running = running_time(given, case["start"], stops, moment)
            cut = cuts_short(given, players, late(given, running, given["late_levels"]))
            if left <= places_paid(given, entries, players, pool_for_places(given, collected, cut)):
                return cut
    return None


def refund_at(given, case, instant):
    held, entries, players, collected = held_at(case, instant)
    left = [record for record in held if record["chips"] > 0]
    method = given["refund_method"]
    if instant < case["start"]:
        paid = [{"entry_no": r["entry_no"], "chips": r["chips"], "fee": r["fee"] + r["bounty"] + r["to_pool"],
                 "bounty": 0} for r in left]
        return refund({"case": 1, "method": method, "pool": 0, "prizes": [], "players": paid})
    remaining = [{"entry_no": r["entry_no"], "chips": r["chips"], "fee": r["fee"], "bounty": r["bounty"]} for r in left]
    cut_short = money(given, case, instant)
    if cut_short is None:
        return refund({"case": 2, "method": method, "pool": collected, "prizes": [], "players": remaining})
    table, _ = prize_table(given, entries, players, collected if cut_short else max(collected, given["guarantee"]))
    terms = given["payouts"].get("satellite")
    value = terms["buy_in"] + terms["fee"] if terms else 0
    listed = ([cash + seat * value for seat, cash in table] + [0] * len(left))[:len(left)]
    kind = 4 if cut_short else 3
    return refund({"case": kind, "method": method, "pool": sum(listed), "prizes": listed, "players": remaining})


def instants(cases):
    for case in cases:
        given = structure(case["structure"])
        times = sorted({case["from"]} | {r["at"] for r in case["records"] if case["from"] <= r["at"] <= case["until"]})
        same([result["instant"] for result in case["results"]], times, "instants")
        for result in case["results"]:
            same(refund_at(given, case, result["instant"]), result["out"], "refund at %d" % result["instant"])


def no_refunds(cases):
    for case in cases:
        given = case["in"]
        players, prize, pool, kind = (given[field] for field in ("players", "prizes", "pool", "case"))
        names = {player["entry_no"] for player in players}
        fits = {1: not prize and not pool, 2: not prize}.get(
            kind, prize == sorted(prize, reverse=True) and len(prize) == len(players) and sum(prize) == pool)
        chips = sum(player["chips"] for player in players)
        # The pool, with a fee on it, and the chips are amounts.
        could = players and len(names) == len(players) and fits and chips < 2**53 and pool + 80 < 2**53
        same(bool(could and (kind == 1 or all(player["chips"] for player in players))), False, "no refund")


def files_with(compute):
    rules = types.SimpleNamespace(structure=structure, money=money, prize_table=prize_table, row_of=row_of,
                                  divide=divide, deal_of=deal_of)

    def check(cases):
        for case in cases:
            try:
                got = {"out": compute(case["in"], rules)}
            except tournament_files.No as no:
                got = {"refused": str(no)}
            same(got, {field: case[field] for field in ("out", "refused") if field in case}, case["name"])
            if "sum" in case.get("out", {}):
                same(case["out"]["sum"]["holds"], True, "sum of " + case["name"])
    return check


refund_files, prize_files = files_with(tournament_files.cancelled), files_with(tournament_files.played)
refund_files.__name__, prize_files.__name__ = "refund_files", "prize_files"


def main():
    path = FOLDER / "tournaments.json"
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print("%s: %s" % (path.name, error))
        return 2
    checks = (structures, draws, seating, clock, registration, pools, prizes, ties, ranks, bounties, deals, stakes,
              refunds, instants, no_refunds, refund_files, prize_files)
    failed = False
    same(sorted(file), sorted(check.__name__ for check in checks), "sections")
    for check in checks:
        before = CHECKS
        try:
            check(file[check.__name__])
            print("%s, %s: %d checks, all as they should be" % (path.name, check.__name__, CHECKS - before))
        except (Wrong, Refused, ArithmeticError, LookupError, TypeError, ValueError) as error:
            failed = True
            print("%s, %s: FAILED: %s: %s" % (path.name, check.__name__, type(error).__name__, str(error)[:600]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
