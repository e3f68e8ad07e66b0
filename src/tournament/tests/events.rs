//! Random whole events: every decision of this crate in turn, with hands that only move chips. 300 events;
//! FAIRSHOE_SLOW=1: 100,000. FAIRSHOE_EVENT=n plays event n alone.

use crate::common::shipped;
use fairshoe_fairness::{EventEntropy, RoundEntropy, Stream};
use fairshoe_tournament::bounty::Bounties;
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::entry::{self, Sold, collected, hand_for_hand, itm_now, pool, registration, would_cut_short};
use fairshoe_tournament::prize::{Prize, ends_with, in_cash, places_paid, prizes, shared};
use fairshoe_tournament::rank::{Elimination, ranks};
use fairshoe_tournament::refund::{Case, Event, Held, refund};
use fairshoe_tournament::seating::{Due, Field};
use fairshoe_tournament::structure::Payouts;
use fairshoe_tournament::{EntryNo, Structure};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;

const START: u64 = 1_800_000_000_000;

struct Play {
    structure: Structure,
    chance: Stream,
    entropy: EventEntropy,
    field: Field,
    chips: BTreeMap<EntryNo, u64>,
    bounties: Bounties,
    entries: u64,
    records: Vec<Held>,
    now: u64,
    hand: u64,
    out: Vec<Elimination>,
    was_itm: bool,
    cut_short: bool,
}

impl Play {
    fn upto(&mut self, most: usize) -> usize {
        usize::from(self.chance.below(NonZeroU16::new(u16::try_from(most).unwrap()).unwrap()))
    }

    fn record(&mut self, entry_no: EntryNo) {
        let bounty = self.bounties.of.get(&entry_no).map_or(0, |bounty| bounty.current().unwrap());
        let terms = &self.structure.entry;
        self.records.push(Held {
            at: self.now,
            entry_no,
            re_entry: false,
            chips: self.chips[&entry_no],
            may_rebuy: false,
            bounty,
            fee: terms.fee,
            to_pool: terms.buy_in,
        });
    }

    fn enter(&mut self, count: u64) -> Vec<EntryNo> {
        let new: Vec<EntryNo> = (self.entries..self.entries + count).map(EntryNo).collect();
        self.entries += count;
        for entry_no in &new {
            self.chips.insert(*entry_no, self.structure.entry.stack);
            self.bounties.enter(*entry_no, self.structure.entry.bounty);
            self.record(*entry_no);
        }
        new
    }

    fn stands(&self, running: Option<u64>) -> entry::Field {
        let sold = Sold { entries: self.entries, with_bounty: self.entries, ..Sold::default() };
        let remaining = u64::try_from(self.field.players()).unwrap();
        entry::Field { sold, players: self.entries, remaining, running, was_itm: self.was_itm }
    }

    fn look_for_money(&mut self, running: u64) {
        if !self.was_itm && itm_now(&self.structure, &self.stands(Some(running))).unwrap() {
            self.cut_short = would_cut_short(&self.structure, self.entries, running);
            self.was_itm = true;
            self.bounties.reach_money().unwrap();
        }
    }

    /// The pool by which places are counted and, in the end, paid.
    fn pool(&self) -> u64 {
        let brought = collected(&self.structure, &self.stands(None).sold).unwrap();
        let open = !self.was_itm && would_cut_short(&self.structure, self.entries, self.now.saturating_sub(START));
        pool(brought.pool, self.structure.guarantee, self.cut_short || open).unwrap().pool
    }

    fn settle(&mut self) {
        while let Some(due) = self.field.due() {
            match due {
                Due::Break(table) => {
                    let out = self.field.break_table(table);
                    if !out.is_empty() {
                        later_seats(&self.entropy, &out, &mut self.field).unwrap();
                    }
                }
                Due::Move(step) => assert!(self.field.make(&step)),
            }
        }
        let sizes: Vec<usize> = self.field.tables.values().map(|table| table.players.len()).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
    }

    /// One hand at one table: one or two players lose all or some of their chips to another. Returns the eliminated.
    fn hand_at(&mut self, table: u16) -> Vec<Elimination> {
        let seats: Vec<(u8, EntryNo)> = self.field.tables[&table].players.iter().map(|(s, n)| (*s, *n)).collect();
        if seats.len() < 2 {
            return Vec::new();
        }
        let winner = self.upto(seats.len());
        let losers: Vec<usize> = (0..seats.len()).filter(|at| *at != winner).take(1 + self.upto(2)).collect();
        let (mut out, mut won) = (Vec::new(), 0);
        for at in losers {
            let (seat, entry_no) = seats[at];
            let stack = self.chips[&entry_no];
            let lost = if self.upto(2) == 0 { stack } else { stack.div_ceil(4) };
            won += lost;
            self.chips.insert(entry_no, stack - lost);
            if lost == stack {
                out.push(Elimination { entry_no, hand: self.hand, table, stack, distance: seat });
            }
        }
        *self.chips.get_mut(&seats[winner].1).unwrap() += won;
        // From the lowest place upwards.
        out.sort_by_key(|out| (out.stack, std::cmp::Reverse(out.distance)));
        let left = u64::try_from(self.field.players()).unwrap();
        let brought = self.pool();
        let places = places_paid(&self.structure, self.entries, self.entries, brought);
        for (elimination, place) in out.iter().zip((0..=left).rev()) {
            self.bounties.eliminate(elimination.entry_no, &[seats[winner].1], self.was_itm && place <= places).unwrap();
            self.field.leave(elimination.entry_no);
        }
        for (_, entry_no) in seats {
            self.record(entry_no);
        }
        out
    }
}

fn play(number: u64) {
    let name = ["freezeout-6", "freezeout-9", "bounty-progressive", "satellite", "heads-up", "sit-and-go"]
        [usize::try_from(number % 6).unwrap()];
    let mut structure = shipped(name);
    // Every other satellite has four seats guaranteed.
    if name == "satellite" && number % 4 == 1 {
        structure.guarantee = 40_000;
    }
    let mut key = [0; 32];
    key[..8].copy_from_slice(&number.to_be_bytes());
    let mut play = Play {
        chance: Stream::new(key),
        entropy: EventEntropy::from_bytes(key),
        field: Field::new(structure.seats, 0),
        chips: BTreeMap::new(),
        bounties: Bounties::new(structure.bounty_onto_head),
        entries: 0,
        records: Vec::new(),
        now: START - 1_000,
        hand: 0,
        out: Vec::new(),
        was_itm: false,
        cut_short: false,
        structure,
    };
    let terms = play.structure.entry.clone();
    let first = terms.players_min.max(2) + u64::try_from(play.upto(40)).unwrap();
    let entrants = play.enter(first.min(terms.players_max));
    play.field = first_seats(&play.entropy, &entrants, play.structure.seats, 0).unwrap();
    play.now = START;
    play.look_for_money(0);
    let ends = |play: &Play| ends_with(&play.structure, play.entries, play.pool());
    while u64::try_from(play.field.players()).unwrap() > ends(&play) {
        play.now += 30_000;
        play.hand += 1;
        play.entropy = play.entropy.after_hand(&RoundEntropy::from_bytes([7; 32]));
        let running = play.now - START;
        if play.upto(8) == 0 && registration(&play.structure, &play.stands(Some(running))).unwrap().is_ok() {
            let late = play.enter(1);
            later_seats(&play.entropy, &late, &mut play.field).unwrap();
        }
        play.settle();
        let places = places_paid(&play.structure, play.entries, play.entries, play.pool());
        let over = registration(&play.structure, &play.stands(Some(running))).unwrap().is_err();
        let (left, tables) = (u64::try_from(play.field.players()).unwrap(), play.field.tables.len());
        let all_tables: Vec<u16> = play.field.tables.keys().copied().collect();
        if hand_for_hand(&play.structure, left, places, tables, over) {
            for table in all_tables {
                let out = play.hand_at(table);
                play.out.extend(out);
            }
        } else {
            let table = all_tables[play.upto(all_tables.len())];
            let out = play.hand_at(table);
            play.out.extend(out);
        }
        play.look_for_money(running);
        play.bounties.end_hand().unwrap();
        assert_eq!(play.chips.values().sum::<u64>(), play.entries * terms.stack, "event {number}: chips");
        assert_eq!(play.bounties.total().unwrap(), play.entries * terms.bounty, "event {number}: bounties");
        assert!(play.hand < 100_000, "event {number} does not end");
    }
    check_prizes(number, &mut play);
    check_refunds(number, &mut play);
}

/// Ranks fill the places; prizes and cut fractions add up to the pool, bounties to the amount collected.
fn check_prizes(number: u64, play: &mut Play) {
    let remaining = u64::try_from(play.field.players()).unwrap();
    let given = ranks(remaining, &play.out);
    assert_eq!(remaining + u64::try_from(given.len()).unwrap(), play.entries, "event {number}: ranks");
    let named: BTreeSet<EntryNo> = given.iter().map(|rank| rank.entry_no).collect();
    assert_eq!(named.len(), given.len());
    let pool = play.pool();
    let seat = match &play.structure.payouts {
        Payouts::Rows(_) => 0,
        Payouts::Satellite(terms) => terms.value(),
    };
    let table = prizes(&play.structure, play.entries, play.entries, pool).unwrap();
    let value = |prize: Prize| prize.cash + if prize.seat { seat } else { 0 };
    let mut paid: u64 = (1..=remaining).map(|place| in_cash(&table, place, seat).unwrap()).sum();
    let mut cut = table.residual;
    for tied in given.chunk_by(|one, other| one.first == other.first) {
        let (prize, of_tie) = shared(&table, tied[0].first, tied[0].last, seat).unwrap();
        paid += value(prize) * u64::try_from(tied.len()).unwrap();
        cut += of_tie;
    }
    assert_eq!(paid + cut, pool, "event {number}: prizes");
    play.bounties.finish().unwrap();
    let bounties: u64 = play.bounties.paid.values().sum();
    assert_eq!(bounties, play.entries * play.structure.entry.bounty, "event {number}: bounties");
}

/// At any time the chips are those of all entrants, and the payments are the money collected.
fn check_refunds(number: u64, play: &mut Play) {
    let whole = play.now - START + 2_000;
    for _ in 0..3 {
        let instant = START - 1_000 + u64::try_from(play.upto(60_000)).unwrap() * whole / 60_000;
        let event = Event { structure: &play.structure, start: START, stops: &[], records: &play.records };
        let given = event.refund_in(instant).unwrap();
        let out = refund(&given).unwrap();
        let entered: BTreeSet<EntryNo> =
            play.records.iter().filter(|held| held.at <= instant).map(|held| held.entry_no).collect();
        let entered = u64::try_from(entered.len()).unwrap();
        assert_eq!(out.chips, entered * play.structure.entry.stack, "event {number}: chips at {instant}");
        let apart: u64 = given.players.iter().map(|player| player.fee + player.bounty).sum();
        assert_eq!(out.total + out.residual, given.pool + apart, "event {number}: refund at {instant}");
        assert!(out.residual < u64::try_from(given.players.len()).unwrap());
        if given.case == Case::Unpaid {
            assert_eq!(given.pool, entered * play.structure.entry.buy_in, "event {number}: pool at {instant}");
        }
        assert!(given.case != Case::CutShort || play.cut_short, "event {number}: case at {instant}");
    }
}

#[test]
fn whole_events_pay_what_they_took() {
    if let Some(number) = std::env::var("FAIRSHOE_EVENT").ok().and_then(|number| number.parse().ok()) {
        return play(number);
    }
    let slow = std::env::var("FAIRSHOE_SLOW").is_ok_and(|value| value == "1");
    (0..if slow { 100_000 } else { 300 }).for_each(play);
}
