//! A cash table where players come, go, commit and choose by chance.

use super::rng::Rng;
use super::*;
use fairshoe_games::poker::EntryChoice;
use fairshoe_house::{Actor, Command, DecideError, Reference};

pub const PLAYERS: [&str; 6] = ["alice", "bob", "carol", "dave", "erin", "frank"];

impl House {
    /// A house with the table `t1` of these rules, the first three of all players seated.
    pub fn room(rules: &str, options: &[(&str, &str)]) -> House {
        let mut house = House::poker(rules, options, &PLAYERS);
        house.buy_in_all("t1", &PLAYERS[..3], 10_000);
        house
    }
    pub fn least_buy_in(&self, at: &str) -> u64 {
        self.table(at).rules.table.stake_min.units()
    }
}

/// Something that a player may wish for between two actions of a hand.
fn wish(house: &mut House, rng: &mut Rng) {
    let who = rng.pick(&PLAYERS);
    let command = wish_of(house, rng, "t1");
    match house.give(&by(who), command) {
        Ok(_) | Err(DecideError::Refused(_)) => {}
        other => panic!("{other:?}"),
    }
}

/// A command about a player's seat at this cash table.
pub fn wish_of(house: &House, rng: &mut Rng, name: &str) -> Command {
    let at = || table(name);
    // Somebody waits for a seat where every one is taken.
    if house.table(name).seats.len() == usize::from(house.table(name).rules.table.seats) && rng.one_in(3) {
        return Command::WantSeat { table: at() };
    }
    match rng.below(9) {
        0 => Command::LeaveSeat { table: at() },
        1 => Command::SitOut { table: at() },
        2 | 3 => Command::SitIn {
            table: at(),
            entry: Some(if rng.one_in(2) { EntryChoice::Post } else { EntryChoice::Wait }),
            straddle: Some(rng.one_in(2)),
        },
        4 => Command::AddChips { table: at(), amount: chips(1 + rng.below(20_000) as u64) },
        5 => Command::AddChips { table: at(), amount: chips(0) },
        _ => Command::SitDown {
            table: at(),
            seat: 1 + rng.below(usize::from(house.table(name).rules.table.seats).min(6)) as u8,
            buy_in: chips(house.least_buy_in(name) + rng.below(12_000) as u64),
            client: None,
            entry: Some(if rng.one_in(2) { EntryChoice::Post } else { EntryChoice::Wait }),
        },
    }
}

/// One hand from its call to its end; with `trouble` some do not commit, withhold, crash, are voided.
pub fn one_hand(house: &mut House, rng: &mut Rng, trouble: bool) {
    house.now += 1_000 + rng.below(3_000) as u64;
    house.run_due();
    for _ in 0..rng.below(3) {
        wish(house, rng);
        house.run_due();
    }
    let Some(call) = house.table("t1").call().cloned() else {
        house.now += 20 * MINUTE;
        (0..4).for_each(|_| wish(house, rng));
        return;
    };
    for who in &call.awaited {
        let carried = call.seeds.contains_key(who);
        if !(carried || trouble && rng.one_in(20)) {
            let committed = house.commit_hand("t1", who.as_str());
            assert!(committed.is_ok(), "{committed:?}");
        }
    }
    house.run_due();
    if house.table("t1").live_round().is_none() {
        house.now += 11_000;
        house.run_due();
    }
    for who in house.awaited("t1") {
        if trouble && rng.one_in(60) {
            continue;
        }
        let seed = house.seed_for("t1", &who);
        let round_no = house.seed_number("t1");
        let context = house.context("t1");
        let next = rng.one_in(2).then(|| {
            let seed = house.seed_of("t1", &who, round_no + 1);
            fairshoe_fairness::seed_commitment(&context, round_no + 1, &player(&who), &seed)
        });
        let command = Command::Reveal { table: table("t1"), round_no, player: player(&who), seed, saw: None, next };
        house.give(&by(&who), command).unwrap();
    }
    while house.table("t1").live_round().is_some() {
        if trouble && rng.one_in(150) {
            house.crash();
            house.run_due();
            break;
        }
        if trouble && rng.one_in(200) {
            let round_no = house.table("t1").live_round().unwrap().round_no;
            house
                .give(
                    &Actor::Operator,
                    Command::VoidRound { table: table("t1"), round_no, reason: Reference::parse("test").unwrap() },
                )
                .unwrap();
            break;
        }
        if rng.one_in(8) {
            wish(house, rng);
        }
        house.now += rng.below(30_000) as u64;
        house.run_due();
        if let Some((who, action)) = house.some_action("t1", rng) {
            let acted = house.choose("t1", &who, action.clone());
            assert!(acted.is_ok(), "{who} {action:?}: {acted:?}");
        } else if house.table("t1").live_round().is_some() {
            house.now += 11_000;
            house.run_due();
        }
    }
}
