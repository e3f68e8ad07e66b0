"""Events in files, from the text of ../games/refunds.md, section 9: what check_tournaments.py holds the sections
`refund_files` and `prize_files` against. Whole structures are taken as they are."""

import re
from fractions import Fraction

MOST = 2**53 - 1
NAME = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,63}\Z")
SHORT = ("buy_in fee bounty bounty_onto_head stack players_max guarantee late rebuy add_on payouts refund_method")
ENTRY = ("count player at unregistered pay t_dollars chips hands may_rebuy rebuys add_on has_bounty head won stakes")
PLAYED = "chips hands may_rebuy rebuys add_on head won".split()


class No(Exception):
    """Refused, by a code."""


def need(code, holds):
    if not holds:
        raise No(code)


def amount(value):
    need("amount_out_of_range", 0 <= value <= MOST)
    return value


def total(values):
    value = 0
    for each in values:
        value = amount(value + each)
    return value


def pair(value):
    value = Fraction(value)
    return [str(value.numerator), str(value.denominator)]


def floor(value):
    return value.numerator // value.denominator


def read_structure(given, shipped):
    """A structure's figures, and the sum of prizes in cents."""
    if isinstance(given, str):
        try:
            return shipped(given), None
        except OSError:
            raise No("structure") from None
    need("structure", isinstance(given, dict))
    if "levels" in given:
        return given, None
    need("structure", set(given) <= set(SHORT.split()) and 1 <= given.get("buy_in", 0) <= 10**12)
    payouts, late = given.get("payouts", {"shares": [1]}), given.get("late", 0)
    (kind, of), = payouts.items()
    need("structure", not (given.get("bounty") and given.get("rebuy")))
    fixed = None
    if kind in ("prizes", "shares"):
        need("structure", 1 <= len(of) <= 10000 and of == sorted(of, reverse=True) and of[-1] > 0)
        payouts = {"rows": [{"from": 1, "places": [{"to": i, "share": n} for i, n in enumerate(of, 1)]}]}
        fixed = total(of) if kind == "prizes" else None
    entry = {"buy_in": given["buy_in"], "fee": given.get("fee", 0), "bounty": given.get("bounty", 0),
             "stack": given.get("stack", 0), "players_max": given.get("players_max", 20000)}
    full = {"entry": entry, "guarantee": given.get("guarantee", 0), "late_levels": int(late > 0), "payouts": payouts,
            "levels": [{"ms": late}, {"ms": 1}], "breaks": {"after": []}, "staking": kind != "satellite",
            "bounty_on": "some", "bounty_onto_head": given.get("bounty_onto_head", "none"),
            "refund_method": given.get("refund_method", "document")}
    if "rebuy" in given:
        full["rebuy"] = dict(given["rebuy"], most=100)
    if "add_on" in given:
        full["add_on"] = given["add_on"]
    return full, fixed


def sold_stakes(given, file, form, at, price):
    stakes, sold = [], 0
    if "stakes" in form:
        need("stakes", given["staking"] and ("start" not in file or at <= file["start"]))
    for buyer, part in form.get("stakes", []):
        sold += part
        need("stakes", buyer != form.get("player") and part and sold <= 10000 and len(stakes) < 100)
        need("stakes", part * price % 10000 == 0)
        stakes.append((buyer, part, part * price // 10000))
    return stakes


def read_entry(given, file, form, start, instant):
    terms, need_entry = given["entry"], lambda holds: need("entry", holds)
    at = form.get("at", start if start is not None else instant)
    gone, after = form.get("unregistered", False), at > instant
    played = [name for name in PLAYED if name in form]
    need_entry(not played or (start is not None and not after and not gone))
    need_entry("has_bounty" not in form or (terms["bounty"] and given["bounty_on"] == "some"))
    bounty = terms["bounty"] if form.get("has_bounty", True) else 0
    price = terms["buy_in"] + terms["fee"] + bounty
    pay = form.get("pay", "cash")
    need_entry("t_dollars" not in form or (pay == "t_dollars" and 1 <= form["t_dollars"] <= price))
    one = {"player": form.get("player"), "pay": pay, "price": price, "bounty_paid": bounty, "since": [0, 0],
           "t_dollars": form.get("t_dollars", price) if pay == "t_dollars" else 0, "again": False, "records": [],
           "stakes": sold_stakes(given, file, form, at, price), "place": "unregistered" if gone else "after_instant"}
    if gone or after:
        return one
    hands, rebuys, extra = form.get("hands", []), form.get("rebuys", []), [form["add_on"]] if "add_on" in form else []
    need_entry(not ("chips" in form and "hands" in form))
    for times in ([hand["at"] for hand in hands], rebuys, extra):
        need_entry(times == sorted(times) and all(time >= at for time in times))
    need_entry(len({hand["at"] for hand in hands}) == len(hands))
    need_entry(not rebuys or ("rebuy" in given and len(rebuys) <= given["rebuy"]["most"]))
    need_entry(not extra or "add_on" in given)
    says = [hand for hand in hands + [form] if "head" in hand or "won" in hand]
    need_entry(not says or terms["bounty"])
    need_entry(not ("hands" in form and ("head" in form or "won" in form)))
    need_entry("may_rebuy" not in form or ("rebuy" in given and form.get("chips") == 0))
    now = {"at": at, "chips": terms["stack"] or None, "pending": False, "head": bounty, "won": 0,
           "fee": terms["fee"], "pool": terms["buy_in"]}
    steps = [(hand["at"], 0, hand) for hand in hands]
    steps += [(time, 1, given["rebuy"]) for time in rebuys] + [(time, 1, given["add_on"]) for time in extra]
    one["records"].append(dict(now))
    for time, bought, what in sorted(steps, key=lambda step: step[:2]):
        if time > instant:
            if bought:
                one["since"] = [one["since"][0] + what["price"], one["since"][1] + what["fee"]]
            continue
        if bought:
            chips = None if now["chips"] is None else now["chips"] + what["chips"]
            now.update(at=time, chips=chips, fee=now["fee"] + what["fee"], pool=now["pool"] + what["price"])
        else:
            now.update(at=time, chips=what["chips"])
            now.update((name, what[name]) for name in ("head", "won") if name in what)
        one["records"].append(dict(now))
    now.update(head=form.get("head", now["head"]), won=form.get("won", now["won"]), at=instant)
    if "chips" in form:
        now.update(chips=form["chips"], pending=form.get("may_rebuy", False))
    one["records"].append(dict(now))
    need("no_chips", start is None or now["chips"] is not None)
    one["place"] = "eliminated" if now["chips"] == 0 else "remaining" if start is not None else "registered"
    return one


def read_entries(given, file, start, instant):
    entries, last, parts = [], {}, 0
    for form in file["entries"]:
        need("entry", len(entries) + form.get("count", 1) <= 65534 and form.get("count", 1) >= 1)
        need("entry", "player" not in form or form.get("count", 1) == 1)
        parts += form.get("count", 1) * sum(len(form.get(name, [])) for name in ("hands", "rebuys", "stakes"))
        need("entry", parts <= 300000)
        one = read_entry(given, file, form, start, instant)
        if one["player"] and one["place"] != "unregistered":
            before = last.get(one["player"])
            last[one["player"]] = one
            if before:
                one["again"] = True
                need("stakes", not one["stakes"])
                if one["place"] != "after_instant":
                    one["stakes"], before["stakes"] = before["stakes"], []
        entries += [one] + [dict(one) for _ in range(form.get("count", 1) - 1)]
    names = [one["player"] for one in entries if one["player"] and one["place"] in ("remaining", "registered")]
    need("entry", len(names) == len(set(names)))
    return entries


def payment(number, one, part, given):
    """What an entry gets; `part` is (exact, pool) of the pool, of who remains in an event that has started."""
    terms, stands = given["entry"], one["records"][-1] if one["records"] else None
    got = {"entry_no": number, "why": one["place"], "chips": 0, "buy_in": 0, "fee": 0, "bounty": 0, "pool": 0,
           "exact": ["0", "1"], "t_dollars": 0, "ticket": 0}
    if one["player"]:
        got["player"] = one["player"]
    whole = not part and one["place"] != "eliminated"
    if part:
        got.update(chips=stands["chips"], fee=stands["fee"], bounty=stands["head"] + stands["won"], pool=part[1],
                   exact=pair(part[0]))
        paid_by = {"cash": 0, "ticket": terms["fee"], "t_dollars": one["t_dollars"] - terms["buy_in"]}[one["pay"]]
        got["t_dollars"] = max(0, min(terms["fee"], paid_by))
    elif whole:
        got.update(buy_in=terms["buy_in"], fee=terms["fee"], bounty=one["bounty_paid"], t_dollars=one["t_dollars"],
                   ticket=one["price"] if one["pay"] == "ticket" else 0)
    shared = got["buy_in"] + got["fee"] + got["bounty"] + got["pool"]
    got["buy_in"] += one["since"][0]
    got["fee"] += one["since"][1]
    got["total"] = shared + sum(one["since"])
    got["cash"] = got["total"] - got["t_dollars"] - got["ticket"]
    if one["stakes"]:
        back = one["place"] == "unregistered" or (
            one["pay"] != "cash" if whole else got["t_dollars"] > 0 and got["t_dollars"] == shared)
        escrow = sum(price for _, _, price in one["stakes"])
        exact = [Fraction(price) if back else Fraction(bp * shared, 10000) for _, bp, price in one["stakes"]]
        buyers = [{"buyer": buyer, "basis_points": bp, "price": price, "exact": pair(of), "paid": floor(of)}
                  for (buyer, bp, price), of in zip(one["stakes"], exact)]
        out = sum(buyer["paid"] for buyer in buyers)
        got["stakes"] = {"form": "escrow_back" if back else "divided", "of": shared, "escrow": escrow, "buyers": buyers,
                         "seller": shared if back else shared - out, "seller_escrow": 0 if back else escrow,
                         "seller_cash": got["cash"] + escrow - out}
    return got


LEFT = {"document": "the next prize, the rest of the prizes left by chips", "chip_count": "the prizes left by chips"}
CASE_2 = {"document": "half of the pool in equal parts, half by chips", "chip_count": "the pool by chips"}


def words(case, method):
    return {1: "not started: all that was paid comes back",
            2: "started, not in the money: fee and bounty, " + CASE_2[method],
            3: "in the money: fee and bounty, " + LEFT[method],
            4: "in the money while late registration was open: prizes of what was collected; fee and bounty, "
               + LEFT[method]}[case]


def cancelled(file, rules):
    need("malformed", set(file) <= {"structure", "start", "stops", "instant", "entries"})
    for form in file["entries"]:
        need("malformed", set(form) <= set(ENTRY.split()) and NAME.match(form.get("player", "x")))
    given, fixed = read_structure(file["structure"], rules.structure)
    start, instant, stops = file.get("start"), file["instant"], file.get("stops", [])
    need("times", start is None or instant >= start)
    entries = read_entries(given, file, start, instant)
    counted = [one for one in entries if one["records"]]
    last = [one["records"][-1] for one in counted]
    collected = {"pool": total(r["pool"] for r in last), "fees": total(r["fee"] for r in last),
                 "bounties": total(one["bounty_paid"] for one in counted)}
    left = [one for one in counted if one["place"] == "remaining"]
    now = [one["records"][-1] for one in left]
    players, n = sum(not one["again"] for one in counted), len(left)

    # The records as `instants` has them.
    held = [{"at": r["at"], "entry_no": i, "re_entry": one["again"], "chips": 1 if r["chips"] is None else r["chips"],
             "may_rebuy": r["pending"], "to_pool": r["pool"]}
            for i, one in enumerate(counted) for r in one["records"]]
    held.sort(key=lambda r: r["at"])
    cut = rules.money(given, {"start": start, "stops": stops, "records": held}, instant) if start is not None else None
    case = 1 if start is None else 2 if cut is None else 4 if cut else 3
    missing = max(0, given["guarantee"] - collected["pool"])
    used = missing if case == 3 else 0
    pool, prizes, fees_out = 0, [], sum(r["fee"] for r in now)
    rest = {"fees_to_house": 0, "awarded": 0, "cut_of_prizes": 0, "bounties_paid": 0}
    need("nobody", case == 1 or n)
    if case > 1:
        bounties = sum(r["head"] + r["won"] for r in now)
        need("bounties", bounties <= collected["bounties"])
        rest.update(fees_to_house=collected["fees"] - fees_out, bounties_paid=collected["bounties"] - bounties)
        pool = collected["pool"]
    if case > 2:
        whole = collected["pool"] + used
        table, cut_off = rules.prize_table(given, len(counted), players, whole)
        seats = sum(seat for seat, _ in table)
        need("over", sum(r["chips"] != 0 or r["pending"] for r in last) > max(1, seats))
        need("prizes", fixed in (None, whole) or case == 4)
        terms = given["payouts"].get("satellite")
        worth = [cash + (terms["buy_in"] + terms["fee"] if seat else 0) for seat, cash in table]
        prizes = (worth + [0] * n)[:n]
        pool = sum(prizes)
        rest.update(awarded=whole - pool - cut_off, cut_of_prizes=cut_off)
    chips = total(r["chips"] for r in now) if case > 1 else 0
    payments, of_pool = [], 0
    for number, one in enumerate(entries):
        part = None
        if case > 1 and one["place"] == "remaining":
            own = one["records"][-1]["chips"]
            if given["refund_method"] == "chip_count":
                exact = Fraction(pool * own, chips)
            elif case == 2:
                exact = Fraction(pool, 2 * n) + Fraction(pool * own, 2 * chips)
            else:
                exact = prizes[-1] + Fraction((pool - n * prizes[-1]) * own, chips)
            part = exact, floor(exact)
            of_pool += part[1]
        payments.append(payment(number, one, part, given))
    residual = pool - of_pool
    sums = {name: sum(p[key] for p in payments) for name, key in
            (("payments", "total"), ("buy_ins", "buy_in"), ("fees", "fee"), ("bounties", "bounty"))}
    both = sums["payments"] + residual, pool + sums["buy_ins"] + sums["fees"] + sums["bounties"]
    method = given["refund_method"]
    return {"case": case, "rule": "R001.%d" % (26 + case), "words": words(case, method), "method": method,
            "instant": instant, "entries": len(counted), "players": players,
            "remaining": n if case > 1 else sum(one["place"] == "registered" for one in counted), "chips": chips,
            "collected": collected, "overlay": {"used": used, "unused": missing - used if case > 1 else 0},
            "pool": pool, "prizes": prizes, "residual": residual, "rest": rest, "payments": payments,
            "sum": dict(sums, pool=pool, residual=residual, holds=both[0] == both[1])}


def played(file, rules):
    given, fixed = read_structure(file["structure"], rules.structure)
    sold, terms = file["sold"], given["entry"]
    entries, rebuys, add_ons = sold["entries"], sold.get("rebuys", 0), sold.get("add_ons", 0)
    players, with_bounty = sold.get("players", entries), sold.get("with_bounty", entries)
    need("entry", 1 <= entries <= 65534 and 1 <= players <= entries and with_bounty <= entries >= add_ons)
    extra = {name: sum(count * given[kind][name] for count, kind in ((rebuys, "rebuy"), (add_ons, "add_on")) if count)
             for name in ("price", "fee")}
    collected = {"pool": entries * terms["buy_in"] + extra["price"], "fees": entries * terms["fee"] + extra["fee"],
                 "bounties": with_bounty * terms["bounty"]}
    pool = collected["pool"] if file.get("cut_short") else max(collected["pool"], given["guarantee"])
    need("prizes", fixed in (None, pool) or file.get("cut_short"))
    table, residual = rules.prize_table(given, entries, players, pool)
    seat = given["payouts"].get("satellite")
    if seat:
        value, count = seat["buy_in"] + seat["fee"], sum(has for has, _ in table)
        rest = pool - count * value
        exact = [Fraction(rest, count)] * count if count == players else [Fraction(cash) for _, cash in table]
    else:
        shares = []
        for places in rules.row_of(given, entries):
            shares += [places["share"]] * (places["to"] - len(shares))
        shares = shares[:players]
        exact = [Fraction(pool * share, sum(shares)) for share in shares]
    out = {"collected": collected, "overlay": pool - collected["pool"], "pool": pool, "residual": residual,
           "prizes": [{"place": k, "seat": has, "exact": pair(of), "cash": cash}
                      for k, ((has, cash), of) in enumerate(zip(table, exact), 1)]}
    if seat:
        out["seat"] = {"ticket": value, "further_t_dollars": seat["buy_in"], "further_to_house": seat["fee"],
                       "closed_t_dollars": value}
    if "bounty" in file:
        won, names = file["bounty"], range(file["bounty"]["winners"])
        need("won", 1 <= won["winners"] <= 9)
        heads, totals = rules.divide(won["head"], names), rules.divide(won.get("total", 0), names)
        cashed = [{"none": heads[i], "half": heads[i] // 2, "all": 0}[given["bounty_onto_head"]] for i in names]
        out["bounty"] = [{"to_total": cashed[i] + totals[i], "onto_head": heads[i] - cashed[i]} for i in names]
    if "deal" in file:
        chips = file["deal"]["chips"]
        need("deal", not seat and 2 <= len(chips) <= 10 and all(chips))
        prizes = ([cash for _, cash in table] + [0] * len(chips))[:len(chips)]
        exact = rules.deal_of(file["deal"]["method"], chips, prizes)
        paid = [floor(of) for of in exact]
        for i in sorted(range(len(chips)), key=lambda i: (-chips[i], i))[:sum(prizes) - sum(paid)]:
            paid[i] += 1
        out["deal"] = [{"chips": own, "exact": pair(of), "paid": cents} for own, of, cents in zip(chips, exact, paid)]
    return out
