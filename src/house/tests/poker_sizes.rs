//! The largest entries of a cash table stay below what an entry may be (spec/log.md): ten seats of Omaha hi-lo, all-in
//! with ten stacks, names as long as names can be, every command signed.

use crate::common;

use common::poker::action;
use common::shared::rules;
use common::*;
use fairshoe_games::{ActionKind, RoundEvent};
use fairshoe_house::{Actor, Command, Event, MAX_ENTRY_BYTES};

const BILLION: u64 = 1_000_000_000;

#[test]
fn ten_hands_of_omaha_all_in_with_the_longest_names_fit_an_entry() {
    let name = |seat: usize| format!("{}{seat:02}", "x".repeat(62));
    let at = "t".repeat(64);
    let hand = r#"{"family":"omaha","hi_lo":true,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true,"rake":{"basis_points":500,"cap":3000000000,"no_flop_no_drop":true}}"#;
    let options = [("hand", hand), ("seats", "10"), ("stake_min", "1000"), ("stake_max", "1000000000000")];
    let mut house = House::new();
    house.open_rules(&at, rules("omaha-hi-lo", &options));
    for seat in 1..=10 {
        let who = name(seat);
        house.add_player(&who, 2_000 * BILLION);
        let key = house.pen(&who, seat as u8);
        house.give(&by(&who), Command::SetKey { player: player(&who), key: Some(key), reason: None }).unwrap();
        house.buy_in(&at, &who, seat as u8, 900 * BILLION + seat as u64).unwrap();
    }
    house.run_due();
    house.deal_hand(&at);
    while let Some((who, offers)) = house.offers(&at) {
        // A player who has more than all before them goes on raising, so that ten stacks make ten pots.
        let raise = offers.iter().find_map(|offer| offer.to).map(|(_, most)| action(&format!("raise {most}")));
        let call = if offers[1].action == ActionKind::Call { action("call") } else { action("check") };
        house.choose(&at, &who, raise.unwrap_or(call)).unwrap();
    }
    house.run_due();
    let longest = house.log.iter().max_by_key(|bytes| bytes.len()).unwrap();
    let entry = fairshoe_house::Entry::decode(longest).unwrap();
    let openings = common::shared::the(&entry, |e| {
        if let Event::ShoeSealed { openings, .. } = e { Some(openings.len()) } else { None }
    });
    let turned = entry.events.iter().filter(|e| matches!(e, Event::Play(RoundEvent::Turned { .. }))).count();
    let (pots, ..) = common::poker::settled(&entry);
    assert_eq!((openings, turned), (45, 40));
    assert!(pots.len() >= 9 && entry.signed.is_some() && entry.before.len() == 10, "{} pots", pots.len());
    eprintln!("the longest entry has {} bytes", longest.len());
    // Half as much again would still fit.
    assert!(longest.len() * 3 / 2 < MAX_ENTRY_BYTES, "{} bytes", longest.len());
    // Ten players who leave together.
    for seat in 1..=10 {
        let _ = house.leave(&at, &name(seat));
    }
    house.now += HOUR;
    house.run_due();
    let _ = house.give(&Actor::Operator, Command::CloseTable { table: table(&at) });
    assert!(house.log.iter().all(|bytes| bytes.len() * 3 / 2 < MAX_ENTRY_BYTES));
}
