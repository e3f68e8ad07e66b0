//! The cases of events in files: the rows of the house rules as a person would type them, more files, and refused
//! files.

use fairshoe_tournament::file::{FileError, cancelled, prizes_of};
use fairshoe_tournament::refund::{Case, RefundIn, RefundPlayer, refund};
use fairshoe_tournament::structure::RefundMethod;
use fairshoe_tournament::{EntryNo, Structure};
use serde::Serialize;
use serde_json::{Value, json};

fn said<T: Serialize>(name: &str, given: &Value, out: Result<T, FileError>) -> Value {
    match out {
        Ok(out) => json!({"name": name, "in": given, "out": out}),
        Err(error) => json!({"name": name, "in": given, "refused": error.code()}),
    }
}

/// An event of 46 + 4 in which seven of twelve are left; `entry` is the one with 20000 chips.
fn t2(mut entry: Value) -> Value {
    entry["chips"] = json!(20_000);
    json!({
        "structure": {"buy_in": 4_600, "fee": 400, "guarantee": 100_000}, "start": 0, "instant": 90,
        "entries": [{"chips": 31_415}, {"chips": 26_535}, entry, {"chips": 17_050}, {"chips": 12_500},
            {"chips": 8_000}, {"chips": 4_500}, {"chips": 0, "count": 5}],
    })
}

/// Thirty entries at 9.20 + 0.80, four of them left; the fifth went out at 80. Late registration lasts until 60.
fn t3(instant: u64, change: impl FnOnce(&mut Value)) -> Value {
    let mut event = json!({
        "structure": {"buy_in": 920, "fee": 80, "stack": 3_000, "guarantee": 40_000, "late": 60,
            "payouts": {"prizes": [16_000, 10_000, 6_400, 4_400, 3_200]}},
        "start": 0, "instant": instant,
        "entries": [{"chips": 41_000}, {"chips": 29_500}, {"chips": 12_250}, {"chips": 7_250},
            {"hands": [{"at": 80, "chips": 0}]}, {"chips": 0, "count": 25}],
    });
    change(&mut event);
    event
}

fn one(entry: Value) -> Value {
    json!({"structure": {"buy_in": 4_600, "fee": 400}, "instant": 0, "entries": [entry]})
}

/// Cancelled events.
pub fn cancelled_events() -> Vec<Value> {
    let stakes = || json!([["b1", 2_500], ["b2", 1_500]]);
    let full = Structure::shipped("rebuy").unwrap();
    let mut whole = serde_json::to_value(&full).unwrap();
    whole["refund_method"] = json!("chip_count");
    let rich = json!({"buy_in": 1_000, "fee": 100, "stack": 1_000, "rebuy": {"price": 500, "fee": 50, "chips": 700},
        "add_on": {"price": 300, "fee": 0, "chips": 400}, "late": 50, "payouts": {"shares": [7, 2, 1]}});
    let heads = json!({"buy_in": 1_000, "fee": 100, "bounty": 500, "bounty_onto_head": "half", "stack": 1_000});
    let seats = json!({"buy_in": 5_000, "fee": 300, "payouts": {"satellite": {"buy_in": 9_000, "fee": 1_000}}});
    let mut cases = vec![
        ("T1", json!({"structure": {"buy_in": 920, "fee": 80}, "instant": 0, "entries": [{"count": 7}]})),
        ("T2", t2(json!({}))),
        ("T2 by the shipped structure", {
            let mut event = t2(json!({}));
            event["structure"] = json!("freezeout-9");
            event
        }),
        ("T3", t3(90, |_| {})),
        (
            "T3, the fifth out while one could enter: case 4",
            t3(90, |event| {
                event["entries"][4]["hands"][0]["at"] = json!(40);
                event["entries"][5]["hands"] = json!([{"at": 30, "chips": 0}]);
                event["entries"][5].as_object_mut().unwrap().remove("chips");
            }),
        ),
        ("T3, the fifth out after the instant", t3(75, |_| {})),
        (
            "T4b, a full field in the money before late registration ended: case 3",
            json!({
                "structure": {"buy_in": 900, "guarantee": 100_000, "players_max": 100, "late": 60,
                    "payouts": {"shares": [50, 30, 20]}},
                "start": 0, "instant": 30, "entries": [{"chips": 7_000}, {"chips": 3_000}, {"chips": 0, "count": 98}],
            }),
        ),
        ("T5", t2(json!({"player": "seller", "stakes": stakes()}))),
        ("T5b", one(json!({"player": "seller", "pay": "ticket", "stakes": stakes()}))),
        ("T5c", one(json!({"player": "seller", "unregistered": true, "stakes": stakes()}))),
        ("T6", one(json!({"player": "seller", "stakes": stakes()}))),
        (
            "A001.l",
            json!({"structure": {"buy_in": 1, "guarantee": 500, "payouts": {"shares": [1]}}, "start": 0,
            "instant": 0, "entries": [{"chips": 2}, {"chips": 1}, {"chips": 0, "count": 101}]}),
        ),
        (
            "the example of case 2",
            json!({"structure": {"buy_in": 9_000, "fee": 300}, "start": 0, "instant": 9,
            "entries": [{"chips": 37_500}, {"chips": 164_500}, {"chips": 1_000, "count": 98}]}),
        ),
        (
            "the example of case 3",
            json!({
            "structure": {"buy_in": 10_000, "payouts": {"prizes": [50_000, 30_000, 20_000]}}, "start": 0,
            "instant": 9, "entries": [{"chips": 7_000}, {"chips": 3_000}, {"chips": 0, "count": 8}]}),
        ),
        ("by chips", t3(90, |event| event["structure"]["refund_method"] = json!("chip_count"))),
        ("a ticket in case 2: the fee as T$", t2(json!({"pay": "ticket", "stakes": stakes()}))),
        ("T$ for a part: buy-in first", t2(json!({"pay": "t_dollars", "t_dollars": 4_750, "stakes": stakes()}))),
        ("T$ for all of it, case 1", one(json!({"pay": "t_dollars", "stakes": stakes()}))),
        ("T$ and cash, case 1", one(json!({"pay": "t_dollars", "t_dollars": 1, "stakes": stakes()}))),
        (
            "all that comes back is T$",
            json!({
                "structure": {"buy_in": 1, "fee": 99, "payouts": {"shares": [1]}}, "start": 0, "instant": 5,
                "entries": [{"pay": "ticket", "chips": 1, "stakes": [["b1", 5_000]]}, {"chips": 99_999}],
            }),
        ),
        (
            "entries, rebuys and add-ons after the instant",
            json!({"structure": rich, "start": 0, "instant": 40, "entries": [
                {"player": "ann", "hands": [{"at": 10, "chips": 0}, {"at": 30, "chips": 1_900}], "rebuys": [10, 45]},
                {"player": "bob", "hands": [{"at": 20, "chips": 250}], "rebuys": [20], "add_on": 60},
                {"player": "cyd", "hands": [{"at": 39, "chips": 0}], "rebuys": [41]}, {"at": 41, "pay": "ticket"},
                {"chips": 0, "may_rebuy": true}, {"chips": 900, "rebuys": [5, 6]}, {},
            ]}),
        ),
        (
            "who may rebuy keeps an event out of the money",
            json!({"structure": rich, "start": 0, "instant": 60, "entries": [
                {"chips": 900}, {"chips": 800}, {"chips": 700}, {"chips": 0, "may_rebuy": true},
            ]}),
        ),
        (
            "a re-entry carries its seller's stakes",
            json!({"structure": {"buy_in": 1_000, "fee": 100, "stack": 500},
            "start": 0, "instant": 40, "entries": [
                {"player": "ann", "stakes": [["bob", 5_000]], "hands": [{"at": 7, "chips": 0}]},
                {"player": "bob"}, {"player": "ann", "at": 9, "hands": [{"at": 20, "chips": 1_333}]}, {"count": 2},
            ]}),
        ),
        (
            "progressive bounties",
            json!({"structure": heads, "start": 0, "instant": 40, "entries": [
                {"hands": [{"at": 10, "chips": 2_000, "head": 750, "won": 250}, {"at": 50, "chips": 0}]},
                {"hands": [{"at": 10, "chips": 0}]}, {"chips": 900, "has_bounty": false}, {"chips": 1_100},
            ]}),
        ),
        ("the clock stood still", t3(90, |event| event["stops"] = json!([[10, 30], [85, 95]]))),
        (
            "a satellite, not in the money",
            json!({"structure": seats, "start": 0, "instant": 1, "entries": [
            {"chips": 10}, {"chips": 20}, {"chips": 30}, {"chips": 40}, {"chips": 0}]}),
        ),
        (
            "a satellite, one above the seats",
            json!({"structure": seats, "start": 0, "instant": 1, "entries": [
            {"chips": 10}, {"chips": 20}, {"chips": 30}, {"chips": 0, "count": 2}]}),
        ),
        (
            "a whole structure",
            json!({"structure": whole, "start": 1_800_000_000_000_u64, "instant": 1_800_000_060_000_u64,
            "entries": [{"chips": 31_000}, {"chips": 7_777, "rebuys": [1_800_000_030_000_u64]}, {"chips": 20_000},
                {"chips": 0, "count": 3}]}),
        ),
    ];
    let mut case4 = t3(50, |_| {});
    case4["entries"][4] = json!({"chips": 0});
    cases.push(("case 4 by the instant", case4));
    cases.extend(refused(&rich, &heads));
    cases.iter().map(|(name, given)| said(name, given, cancelled(given.to_string().as_bytes()))).collect()
}

fn refused(rich: &Value, heads: &Value) -> Vec<(&'static str, Value)> {
    let started = |structure: &Value, entries: Value| json!({"structure": structure, "start": 0, "instant": 9, "entries": entries});
    let plain = json!({"buy_in": 1_000, "fee": 100});
    let stakes = |stakes: Value| one(json!({"player": "seller", "stakes": stakes}));
    let out_but_two = || json!([{"chips": 0, "count": 9_006}, {"chips": 1, "count": 2}]);
    vec![
        ("an unknown field", one(json!({"chip": 1}))),
        ("a name that is none", one(json!({"player": "Ann"}))),
        ("no such structure", json!({"structure": "freezeout", "instant": 0, "entries": [{}]})),
        ("no buy-in", json!({"structure": {"buy_in": 0}, "instant": 0, "entries": [{}]})),
        (
            "prizes that rise",
            json!({"structure": {"buy_in": 1, "payouts": {"prizes": [1, 2]}}, "instant": 0, "entries": [{}]}),
        ),
        (
            "an instant before the start",
            json!({"structure": plain, "start": 2, "instant": 1, "entries": [{"chips": 1}]}),
        ),
        ("chips before the start", one(json!({"chips": 5}))),
        ("chips and hands", started(&plain, json!([{"chips": 5, "hands": []}]))),
        ("hands that go back", started(&plain, json!([{"hands": [{"at": 5, "chips": 5}, {"at": 5, "chips": 6}]}]))),
        ("rebuys that there are not", started(&plain, json!([{"chips": 5, "rebuys": [3]}]))),
        ("two entries in play", started(&plain, json!([{"chips": 5, "player": "ann"}, {"chips": 5, "player": "ann"}]))),
        ("bounties that there are not", started(&plain, json!([{"chips": 5, "head": 3}]))),
        ("a crowd of one name", started(&plain, json!([{"chips": 5, "player": "ann", "count": 2}]))),
        ("too many entries", started(&plain, json!([{"chips": 5, "count": 65_534}, {"chips": 5}]))),
        (
            "too many hands",
            started(
                &plain,
                json!([{"count": 50_001, "hands": (1..=6).map(|at| json!({"at": at, "chips": 9})).collect::<Vec<_>>()}]),
            ),
        ),
        ("more T$ than it cost", one(json!({"pay": "t_dollars", "t_dollars": 5_001}))),
        (
            "rebuys that there are, on a bounty",
            started(
                &{
                    let mut both = rich.clone();
                    both["bounty"] = json!(5);
                    both
                },
                json!([{"chips": 5}]),
            ),
        ),
        ("stakes of more than all", stakes(json!([["b1", 6_000], ["b2", 4_500]]))),
        ("a stake whose price is not whole", stakes(json!([["b1", 1]]))),
        ("a stake in oneself", stakes(json!([["seller", 1_000]]))),
        ("stakes after the start", started(&plain, json!([{"at": 1, "chips": 5, "stakes": [["b1", 5_000]]}]))),
        ("chips that nothing says", started(&plain, json!([{"chips": 5}, {}]))),
        ("nobody is left", started(&plain, json!([{"chips": 0, "count": 3}]))),
        ("more bounties than were paid", started(heads, json!([{"chips": 5, "won": 501}, {"chips": 5}]))),
        ("one is left: it is over", started(&plain, json!([{"chips": 5}, {"chips": 0}]))),
        (
            "prizes that are not the pool",
            started(
                &json!({"buy_in": 1_000, "payouts": {"prizes": [2_000, 999]}}),
                json!([{"chips": 5}, {"chips": 6}, {"chips": 0}]),
            ),
        ),
        (
            "more than an amount",
            started(&json!({"buy_in": 1_000_000_000_000_u64}), json!([{"chips": 1, "count": 9_008}])),
        ),
        (
            "more fees than an amount, of players who are out",
            started(&json!({"buy_in": 1, "fee": 1_000_000_000_000_u64}), out_but_two()),
        ),
        (
            "more bounties than an amount, of players who are out",
            started(&json!({"buy_in": 1, "bounty": 1_000_000_000_000_u64}), out_but_two()),
        ),
        ("more chips than an amount", started(&plain, json!([{"chips": 9_007_199_254_740_991_u64}, {"chips": 1}]))),
    ]
}

/// Events played to their end.
pub fn played_events() -> Vec<Value> {
    let shares = json!({"shares": [50, 30, 20]});
    let of = |structure: Value, sold: Value| json!({"structure": structure, "sold": sold});
    let with = |mut event: Value, name: &str, value: Value| {
        event[name] = value;
        event
    };
    let t4b = of(
        json!({"buy_in": 900, "guarantee": 100_000, "players_max": 100, "payouts": shares}),
        json!({"entries": 100}),
    );
    let seats = json!({"buy_in": 5_000, "payouts": {"satellite": {"buy_in": 9_000, "fee": 1_000}}});
    let heads =
        |onto: &str| of(json!({"buy_in": 1_000, "bounty": 501, "bounty_onto_head": onto}), json!({"entries": 5}));
    let three = of(json!({"buy_in": 10_000, "payouts": shares}), json!({"entries": 10}));
    let cases = [
        ("T4b", t4b.clone()),
        ("T4b, but cut short", with(t4b, "cut_short", json!(true))),
        ("T7, a prize of 409.6", of(json!({"buy_in": 512, "payouts": {"shares": [60, 40]}}), json!({"entries": 2}))),
        ("T7, a second seat", of(seats.clone(), json!({"entries": 5}))),
        ("T7, a bounty of 501 among two", with(heads("none"), "bounty", json!({"head": 501, "winners": 2}))),
        ("half of it onto the head", with(heads("half"), "bounty", json!({"head": 501, "total": 7, "winners": 2}))),
        ("all of it onto the head", with(heads("all"), "bounty", json!({"head": 501, "total": 7, "winners": 3}))),
        ("a seat each, and the rest", of(seats.clone(), json!({"entries": 7, "players": 3}))),
        ("rebuys and add-ons", of(json!("rebuy"), json!({"entries": 10, "rebuys": 17, "add_ons": 4}))),
        (
            "some with a bounty",
            of(json!("bounty-progressive"), json!({"entries": 30, "players": 22, "with_bounty": 20})),
        ),
        ("a deal by chips", with(three.clone(), "deal", json!({"method": "chips", "chips": [7_000, 3_000]}))),
        ("a deal by chances", with(three.clone(), "deal", json!({"method": "icm", "chips": [5_000, 3_000, 2_000, 1]}))),
        (
            "prizes in cents",
            of(
                json!({"buy_in": 920, "guarantee": 40_000,
            "payouts": {"prizes": [16_000, 10_000, 6_400, 4_400, 3_200]}}),
                json!({"entries": 30}),
            ),
        ),
        (
            "prizes that are not the pool",
            of(json!({"buy_in": 920, "payouts": {"prizes": [2_000]}}), json!({"entries": 2})),
        ),
        ("nothing sold", of(json!({"buy_in": 920}), json!({"entries": 0}))),
        ("a bounty among nobody", with(heads("none"), "bounty", json!({"head": 5, "winners": 0}))),
        ("a deal of one", with(three, "deal", json!({"method": "chips", "chips": [7_000]}))),
        (
            "a deal in a satellite",
            with(of(seats, json!({"entries": 5})), "deal", json!({"method": "icm", "chips": [1, 2]})),
        ),
    ];
    cases.iter().map(|(name, given)| said(name, given, prizes_of(given.to_string().as_bytes()))).collect()
}

/// The refusals of section 8.
pub fn no_refunds() -> Vec<Value> {
    let of = |case: u8, pool: u64, prizes: &[u64], players: &[(u64, u64)]| RefundIn {
        case: Case::try_from(case).unwrap(),
        method: RefundMethod::Document,
        pool,
        prizes: prizes.to_vec(),
        players: players
            .iter()
            .map(|&(no, chips)| RefundPlayer { entry_no: EntryNo(no), chips, fee: 80, bounty: 0 })
            .collect(),
    };
    let most = (1 << 53) - 1;
    let cases = [
        of(1, 0, &[], &[]),
        of(2, 5, &[], &[(0, 1), (1, 0)]),
        of(2, 5, &[], &[(0, 1), (0, 1)]),
        of(1, 0, &[], &[(0, 0), (0, 0)]),
        of(1, 5, &[], &[(0, 0)]),
        of(2, 5, &[5], &[(0, 1)]),
        of(3, 5, &[5], &[(0, 1), (1, 1)]),
        of(3, 5, &[2, 3], &[(0, 1), (1, 1)]),
        of(4, 6, &[3, 2], &[(0, 1), (1, 1)]),
        of(2, 5, &[], &[(0, most), (1, 1)]),
        of(2, most, &[], &[(0, 1)]),
    ];
    cases
        .into_iter()
        .map(|given| {
            assert!(refund(&given).is_err(), "{given:?}");
            json!({"in": given})
        })
        .collect()
}
