//! Tournaments, in which an operator has powers: what stands for prizes, when an event is cancelled and as of when,
//! which guarantee is not paid, who is disqualified, what a fee is.

use crate::common::rng::Rng;
use crate::common::*;
use crate::judged::Evidence;
use crate::list::Played;
use crate::tournament_play::structure;
use crate::worth::Worth;
use fairshoe_house::tournament::{CancelCause, Stage};
use fairshoe_house::{Actor, Command, Reference, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{PayoutRow, Payouts, Places};

/// Events, one after another, of strangers and of players of the house's own.
pub struct Series {
    pub house: House,
    pub rng: Rng,
    pub structure: Structure,
    pub players: Vec<String>,
    /// What the tricks took from the strangers.
    pub taken: i64,
    /// By event, what the strangers paid.
    pub staked: Vec<i64>,
}

pub const FRIEND: &str = "friend";

fn label(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

impl Series {
    pub fn new(structure: Structure, strangers: usize, own: &[&str]) -> Series {
        let mut players: Vec<String> = (0..strangers).map(|n| format!("p{n:02}")).collect();
        players.extend(own.iter().map(|who| (*who).to_owned()));
        let mut house = House::new();
        players.iter().for_each(|who| house.add_player(who, 10_000_000));
        Series { house, rng: Rng(7), structure, players, taken: 0, staked: Vec::new() }
    }

    /// The next event, announced and entered by all.
    pub fn register(&mut self) -> String {
        self.register_after(|_, _| {})
    }

    /// The same, after the operator did something.
    pub fn register_after(&mut self, before: impl FnOnce(&mut Series, &str)) -> String {
        let name = format!("e{}", self.staked.len());
        self.house.announce(&name, &self.structure).unwrap();
        before(self, &name);
        for who in &self.players {
            self.house.register(&name, who).unwrap();
        }
        let terms = &self.structure.entry;
        let strangers = self.players.iter().filter(|who| who.starts_with('p')).count() as i64;
        self.staked.push(strangers * (terms.buy_in + terms.fee) as i64);
        name
    }

    /// The same, and begun.
    pub fn begin(&mut self) -> String {
        let name = self.register();
        self.house.wait(HOUR);
        name
    }

    /// Plays on for as long as this holds, or to the event's end.
    pub fn play_while(&mut self, name: &str, goes_on: impl Fn(&House) -> bool) {
        for _ in 0..20_000 {
            if self.house.event(name).stage == Stage::Ended || !goes_on(&self.house) {
                return;
            }
            self.house.play_event(name, &mut self.rng, 0, 0, 1);
        }
        panic!("the event does not end");
    }

    /// Plays an event that has begun to its end, in which these alone come to their hands.
    pub fn play_with_only(&mut self, name: &str, players: &[&str]) {
        for _ in 0..20_000 {
            self.house.run_due();
            if self.house.event(name).stage == Stage::Ended {
                return;
            }
            self.house.reveal_seats(name, &mut self.rng, 0);
            let called = self.house.state.tables().find_map(|at| at.call().map(|_| at.id.to_string()));
            if let Some(at) = called {
                for who in players {
                    drop(self.house.commit_hand(&at, who));
                }
            }
            let is_called = self.house.state.tables().any(|at| at.call().is_some());
            if is_called || !self.house.play_tables(name, &mut self.rng, 0) {
                let next = self.house.state.next_deadline().unwrap();
                self.house.wait(next.saturating_sub(self.house.now));
            }
            self.house.now += 50;
        }
        panic!("the event does not end");
    }

    pub fn operator(&mut self, command: C) {
        self.house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
        self.house.run_due();
    }

    pub fn played(self) -> Played {
        let worth = Worth::of_events(&self.staked).knowing(self.taken);
        Played { evidence: Evidence::of(self.house.log), worth }
    }
}

/// Small stacks, so that an event is over soon; whoever is left last has all, or the first two share.
pub fn quick(places: &[u64], change: impl FnOnce(&mut Structure)) -> Structure {
    structure("freezeout-6", |structure| {
        (structure.guarantee, structure.late_levels, structure.unregister_ms) = (0, 0, Some(0));
        structure.entry.stack = 600;
        structure.hand_for_hand = 0;
        let of = |(place, share): (usize, &u64)| Places { to: place as u64 + 1, share: *share };
        let from = places.len().max(2) as u64;
        structure.entry.players_min = from;
        let row = PayoutRow { from, places: places.iter().enumerate().map(of).collect() };
        structure.payouts = Payouts::Rows(vec![row]);
        change(structure);
    })
}

pub fn vouchers_for_prizes(events: usize) -> Played {
    let mut series = Series::new(quick(&[1], |_| {}), 4, &[]);
    for _ in 0..events {
        let name = series.begin();
        let value = 4 * series.structure.entry.buy_in;
        series.play_while(&name, |house| house.event(&name).pool.is_none());
        let what = label("a voucher of the house");
        let offer = C::SubstitutePrize { event: table(&name), place: 1, what, value };
        series.operator(offer.clone());
        // None of them has a key: the house gives their commands.
        for who in series.players.clone() {
            drop(series.house.in_event(&who, offer.clone()));
        }
        series.play_while(&name, |_| true);
        series.taken += value as i64;
    }
    series.played()
}

pub fn down_for_the_guarantee(events: usize) -> Played {
    let mut series = Series::new(structure("freezeout-6", |_| {}), 20, &[]);
    for _ in 0..events {
        let name = series.begin();
        let overlay = series.structure.guarantee - 20 * series.structure.entry.buy_in;
        series.house.play_event(&name, &mut series.rng, 0, 0, 20);
        series.house.now += 31 * MINUTE;
        series.house.crash();
        series.house.run_due();
        series.taken += overlay as i64;
    }
    series.played()
}

pub fn as_of_a_friends_best_moment(events: usize) -> Played {
    let mut series = Series::new(quick(&[1], |_| {}), 5, &[FRIEND]);
    while series.staked.len() < events {
        let name = series.begin();
        let is_left = |house: &House| house.event(&name).in_play(&player(FRIEND)).is_some();
        series.play_while(&name, is_left);
        let event = series.house.event(&name);
        if event.stage != Stage::Running || event.is_over() {
            continue;
        }
        let entry_no = event.entrants.get(&player(FRIEND)).unwrap().entries[0];
        let worth = |instant: &u64| {
            let settled = event.settlement(*instant, CancelCause::Operator).ok();
            settled.and_then(|settled| settled.refunds.get(&entry_no).map(|refund| refund.sum())).unwrap_or_default()
        };
        let moments = event.moments(series.house.now);
        let (best, instant) = moments.iter().map(|moment| (worth(moment), *moment)).max().unwrap();
        series.taken += best as i64;
        let reason = Some(label("power cut"));
        series.operator(C::Cancel { event: table(&name), cause: CancelCause::Operator, instant, reason });
    }
    series.played()
}

pub fn half_the_price_is_a_fee(events: usize) -> Played {
    let dear = quick(&[1], |structure| {
        structure.name = "freezeout-6-".to_owned();
        (structure.entry.buy_in, structure.entry.fee) = (500, 500);
    });
    let mut series = Series::new(dear, 4, &[]);
    for _ in 0..events {
        let name = series.begin();
        series.play_while(&name, |_| true);
        series.taken += 4 * (500 - 80);
    }
    series.played()
}

pub fn places_reached_early(events: usize) -> Played {
    let early = quick(&[3, 2, 1], |structure| {
        (structure.guarantee, structure.late_levels, structure.entry.stack) = (20_000, 6, 100);
        structure.levels.iter_mut().for_each(|level| level.ms = 36_000_000);
    });
    let mut series = Series::new(early, 3, &["shill-a", "shill-b", "shill-c"]);
    for _ in 0..events {
        let name = series.begin();
        series.play_while(&name, |_| true);
        // Half of what the house does not add would have been the strangers'.
        series.taken += (20_000 - 6 * series.structure.entry.buy_in) as i64 / 2;
    }
    series.played()
}

pub fn disqualifies_the_last_stranger(events: usize) -> Played {
    let mut series = Series::new(quick(&[3, 2], |_| {}), 3, &[FRIEND]);
    while series.staked.len() < events {
        let name = series.begin();
        series.play_while(&name, |house| house.event(&name).remaining > 2);
        let event = series.house.event(&name);
        if event.stage != Stage::Running || event.in_play(&player(FRIEND)).is_none() {
            continue;
        }
        let last = event.left().find(|(_, entry)| entry.player.as_str() != FRIEND);
        let (who, second) = (last.unwrap().1.player.clone(), 4 * series.structure.entry.buy_in * 2 / 5);
        series.operator(C::Disqualify { event: table(&name), player: who.clone(), reason: label("collusion") });
        series.play_while(&name, |_| true);
        // Where it was noted in a hand, they may have won, or lost, in it.
        let out = series.house.event(&name).entrants.get(&who).is_some_and(|entrant| entrant.is_barred);
        series.taken += if out { second as i64 } else { 0 };
    }
    series.played()
}
