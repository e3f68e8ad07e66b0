//! Small tournaments played by chance: late entries, rebuys, stakes, deals, disqualifications, crashes, satellites,
//! cancellations.

use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_games::RuleSet;
use fairshoe_house::tournament::{CancelCause, DealMethod, Pay, Stage, StandCause};
use fairshoe_house::{Actor, Command, Reference, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BountyOn, Breaks, DealTerms, PayoutRow, Payouts, Places, RefundMethod};

fn reason() -> Reference {
    Reference::parse("a reason").unwrap()
}

const KINDS: [&str; 8] = [
    "freezeout-6",
    "freezeout-9",
    "rebuy",
    "rebuy",
    "bounty-progressive",
    "bounty-progressive",
    "sit-and-go",
    "heads-up",
];

/// A structure of one of the kinds, quick and small.
fn some_structure(kind: &str, rng: &mut Rng) -> Structure {
    structure(kind, |structure| {
        structure.entry.stack = rng.pick(&[800, 2_000, 5_000]);
        structure.entry.entries_per_player = rng.pick(&[1, 2, 3]);
        structure.guarantee = rng.pick(&[0, 10_000]);
        structure.final_redraw = rng.one_in(2);
        structure.hand_for_hand = rng.pick(&[0, 3, 6]);
        structure.seats = structure.seats.min(rng.pick(&[2, 3, 4, 6, 9]));
        structure.late_levels = rng.pick(&[0, 1, 3]).min(structure.levels.len() as u16 - 1);
        structure.draw_hands = rng.pick(&[0, 1, 2]);
        structure.cancel_after_ms = rng.pick(&[0, 30_000, 1_800_000, 1_800_000, 5_400_000]);
        structure.refund_method = rng.pick(&[RefundMethod::Document, RefundMethod::Document, RefundMethod::ChipCount]);
        let quick = rng.pick(&[10, 60, 240]);
        structure.levels.iter_mut().for_each(|level| level.ms = (level.ms / quick).max(1_000));
        if let Breaks::After(after) = &mut structure.breaks {
            after.iter_mut().for_each(|pause| pause.ms = (pause.ms / quick).max(1_000));
        }
        if structure.add_on.is_none() && rng.one_in(3) {
            structure.breaks = Breaks::Synchronised { every_ms: 60_000, at_ms: 30_000, ms: 5_000 };
        }
        if let Some(rebuy) = &mut structure.rebuy {
            rebuy.levels = rebuy.levels.min(3);
        }
        if matches!(structure.payouts, Payouts::Rows(_)) {
            structure.staking = rng.one_in(2);
            structure.deal = rng.one_in(2).then_some(DealTerms { most_players: rng.pick(&[2, 4, 8]) });
        }
        if rng.one_in(2) {
            many_places(structure, rng);
        }
        if structure.entry.bounty > 0 && rng.one_in(3) {
            structure.bounty_on = BountyOn::Some;
        }
    })
}

/// Many paid places, so that they are reached early: while players enter, or at the start.
fn many_places(structure: &mut Structure, rng: &mut Rng) {
    let least = structure.entry.players_min;
    let row = |from: u64, last: u64| {
        let places = [(1, 50), (2, 30), (last, 10)].into_iter().filter(|(to, _)| *to <= last);
        let mut places: Vec<Places> = places.map(|(to, share)| Places { to, share }).collect();
        places.dedup_by_key(|range| range.to);
        PayoutRow { from, places }
    };
    let most = rng.pick(&[least, least / 2 + 1]);
    structure.payouts = Payouts::Rows(vec![row(least, most), row(least + 3, most + 2)]);
}

/// One event, or a satellite and its target, from the announcement to the end.
pub fn play(house: &mut House, rng: &mut Rng) {
    if rng.one_in(4) {
        play_satellite(house, rng);
        if rng.one_in(2) {
            play_another(house, rng);
        }
        return;
    }
    let kind = rng.pick(&KINDS);
    let structure = some_structure(kind, rng);
    house.announce_at("sunday", &structure, HOUR);
    house.fill("sunday", rng);
    house.play_to_end("sunday", rng);
}

/// A satellite, and the event that its seats are for.
fn play_satellite(house: &mut House, rng: &mut Rng) {
    let target = structure("freezeout-9", |structure| {
        (structure.entry.buy_in, structure.entry.fee) = (9_000, 1_000);
        structure.entry.entries_per_player = rng.pick(&[1, 2, 3]);
        structure.entry.players_min = 2;
        structure.late_levels = rng.pick(&[0, 3]);
        structure.entry.stack = 2_000;
        structure.staking = rng.one_in(2);
        structure.levels.iter_mut().for_each(|level| level.ms /= 60);
    });
    house.announce_at("sunday", &target, 3 * HOUR);
    let satellite = structure("satellite", |structure| {
        structure.entry.buy_in = rng.pick(&[3_000, 5_000]);
        structure.seats = rng.pick(&[3, 6, 9]);
        structure.late_levels = rng.pick(&[0, 2]);
        structure.hand_for_hand = rng.pick(&[0, 1, 4]);
        structure.levels.iter_mut().for_each(|level| level.ms /= 60);
        let Payouts::Satellite(terms) = &mut structure.payouts else { return };
        (terms.buy_in, terms.fee, terms.non_unregisterable) = (9_000, 1_000, rng.one_in(2));
    });
    house.announce_at("sat", &satellite, HOUR);
    for n in 0..2 + rng.below(2) {
        house.enter_event("sunday", &format!("p{n}"), Pay::Cash);
    }
    house.fill("sat", rng);
    if rng.one_in(8) {
        house.call_off("sunday", CancelCause::Operator, rng);
    }
    house.play_to_end("sat", rng);
    for n in 0..12 {
        let who = format!("p{n}");
        house.enter_event("sunday", &who, rng.pick(&[Pay::Ticket, Pay::Ticket, Pay::TDollars]));
        house.sell_stakes("sunday", &who, rng);
    }
    if rng.one_in(5) {
        house.call_off("sunday", CancelCause::Operator, rng);
    }
    house.wait(3 * HOUR);
    house.play_to_end("sunday", rng);
}

/// One more event, for those who have T$.
fn play_another(house: &mut House, rng: &mut Rng) {
    let mut structure = some_structure("freezeout-9", rng);
    (structure.entry.buy_in, structure.entry.fee) = (rng.pick(&[4_000, 9_500]), 1_000);
    house.announce_at("monday", &structure, HOUR);
    house.fill("monday", rng);
    house.play_to_end("monday", rng);
}

impl House {
    fn announce_at(&mut self, name: &str, structure: &Structure, ahead: u64) {
        let rules = RuleSet::shipped(&structure.rules.name).unwrap();
        let command = C::Create {
            event: table(name),
            structure: Box::new(structure.clone()),
            rules: Box::new(rules),
            starts_at: self.now + ahead,
            registration_from: self.now,
        };
        self.give(&Actor::Operator, Command::Tournament(command)).unwrap();
    }

    fn operator(&mut self, command: C) {
        drop(self.give(&Actor::Operator, Command::Tournament(command)));
    }

    fn exists(&mut self, who: &str) {
        if self.state.ledger().player(&player(who)).is_none() {
            self.add_player(who, 1_000_000);
        }
    }

    fn enter_event(&mut self, name: &str, who: &str, pay: Pay) {
        self.exists(who);
        let commitment = self.seat_commitment(name, who);
        drop(self.in_event(who, C::Register { event: table(name), commitment, pay }));
    }

    /// Players register, some give their entry back, some sell parts of it; the event begins.
    fn fill(&mut self, name: &str, rng: &mut Rng) {
        let event = || table(name);
        let terms = self.event(name).structure().entry.clone();
        let most = terms.players_max.min(16) as usize;
        let least = terms.players_min as usize;
        let too_few = rng.one_in(16);
        let players = if too_few { rng.below(least) } else { least + rng.below(most + 1 - least) };
        for n in 0..players {
            let who = format!("p{n}");
            self.exists(&who);
            if self.event(name).structure().bounty_on == BountyOn::Some && rng.one_in(2) {
                self.operator(C::SetBounty { event: event(), player: player(&who), has: !rng.one_in(5) });
            }
            self.now += 100;
            self.enter_event(name, &who, rng.pick(&[Pay::Cash, Pay::TDollars]));
            self.sell_stakes(name, &who, rng);
            if rng.one_in(8) {
                drop(self.in_event(&who, C::Unregister { event: event() }));
                self.enter_event(name, &who, Pay::Cash);
            }
        }
        if rng.one_in(6) {
            let starts_at = self.event(name).starts_at + 1_000;
            self.operator(C::Postpone { event: event(), starts_at, reason: reason() });
        }
        match rng.below(24) {
            0 => self.call_off(name, CancelCause::Operator, rng),
            // The start is slept through.
            1 | 2 => {
                self.now += HOUR - 1_000;
                self.down(name, rng);
            }
            _ => {}
        }
        self.wait(HOUR + 1_000);
    }

    /// By chance parts of an entry are sold.
    fn sell_stakes(&mut self, name: &str, who: &str, rng: &mut Rng) {
        if !rng.one_in(4) {
            return;
        }
        let (event, seller) = (|| table(name), || player(who));
        let basis_points = rng.pick(&[1_000, 5_000, 10_000]);
        drop(self.in_event(who, C::OfferStake { event: event(), basis_points }));
        for buyer in 0..rng.below(3) {
            let basis_points = rng.pick(&[500, 1_000, 2_500, 5_000]);
            let command = C::BuyStake { event: event(), seller: seller(), basis_points };
            drop(self.in_event(&format!("p{buyer}"), command));
        }
    }

    fn play_to_end(&mut self, name: &str, rng: &mut Rng) {
        let (withhold, absent) = (rng.pick(&[0, 3, 9]), rng.pick(&[0, 4, 12]));
        let trouble = rng.pick(&[0, 100, 400]);
        // Cancelled at any time, or when the paid places are reached, or when prizes and bounties are paid already.
        let (off, when) = (rng.one_in(2), rng.below(3));
        for _ in 0..6_000 {
            self.play_event(name, rng, withhold, absent, 1);
            if self.event(name).stage == Stage::Ended {
                return;
            }
            if rng.one_in(6) {
                self.something(name, rng);
            }
            if self.event(name).clock.in_break {
                self.in_break(name, rng);
            }
            if trouble > 0 && rng.one_in(trouble) {
                self.down(name, rng);
            }
            let event = self.event(name);
            let is_likely = match when {
                0 => rng.one_in(60),
                1 => event.itm.is_some() && rng.one_in(8),
                _ => event.entries.iter().any(|(_, entry)| entry.received > 0) && rng.one_in(3),
            };
            if off && is_likely {
                self.call_off(name, CancelCause::Operator, rng);
            }
        }
        panic!("the event does not end: {:?}", self.state.due(self.now));
    }

    /// In a break no hand is played: that is the time for add-ons and deals.
    fn in_break(&mut self, name: &str, rng: &mut Rng) {
        for n in 0..16 {
            let who = format!("p{n}");
            if rng.one_in(2) && self.state.ledger().player(&player(&who)).is_some() {
                drop(self.in_event(&who, C::AddOn { event: table(name) }));
            }
        }
        if rng.one_in(2) {
            self.talk_of_deal(name, rng);
        }
        self.run_due();
    }

    /// Something that nobody has to do.
    fn something(&mut self, name: &str, rng: &mut Rng) {
        let who = format!("p{}", rng.below(20));
        self.exists(&who);
        let event = table(name);
        match rng.below(10) {
            0 => self.enter_event(name, &who, rng.pick(&[Pay::Cash, Pay::TDollars, Pay::Ticket])),
            1 | 2 => drop(self.in_event(&who, C::Rebuy { event })),
            3 => drop(self.in_event(&who, C::AddOn { event })),
            4 => {
                let rebuying = self.event(name).rebuying.first().map(|(_, entry_no)| *entry_no);
                if let Some(entry_no) = rebuying {
                    let who = self.event(name).entries.get(&entry_no).unwrap().player.to_string();
                    drop(self.in_event(&who, C::DeclineRebuy { event, entry_no }));
                }
            }
            5 if rng.one_in(6) => self.operator(C::Disqualify { event, player: player(&who), reason: reason() }),
            6 if rng.one_in(3) => {
                let (place, value) = (1 + rng.below(3) as u64, 10_000_000);
                let offer = C::SubstitutePrize { event, place, what: reason(), value };
                self.operator(offer.clone());
                // Whoever is left accepts it, if they may.
                let mut left: Vec<String> =
                    self.event(name).left().map(|(_, entry)| entry.player.to_string()).collect();
                left.sort_unstable();
                left.into_iter().for_each(|who| drop(self.in_event(&who, offer.clone())));
            }
            7 if rng.one_in(3) => {
                let (late_levels, unregister_ms) = (rng.pick(&[0, 1, 2, 5]), Some(1_000));
                self.operator(C::ChangeRegistration { event, late_levels, unregister_ms, reason: reason() });
            }
            8 => self.take_away(&who, rng),
            _ => self.talk_of_deal(name, rng),
        }
        self.run_due();
    }

    /// Those who are left talk of a deal.
    fn talk_of_deal(&mut self, name: &str, rng: &mut Rng) {
        let event = || table(name);
        let left = |house: &House| -> Vec<String> {
            house.event(name).left().map(|(_, entry)| entry.player.to_string()).collect()
        };
        let mut players = left(self);
        players.sort();
        for who in &players {
            drop(self.in_event(who, C::WantDeal { event: event(), want: true }));
        }
        if !matches!(self.event(name).clock.stands, Some((_, StandCause::Deal))) {
            return;
        }
        if rng.one_in(8) {
            drop(self.in_event(&players[0], C::WantDeal { event: event(), want: false }));
            return;
        }
        let method = rng.pick(&[DealMethod::Chips, DealMethod::Icm, DealMethod::Amounts]);
        let amounts = (method == DealMethod::Amounts).then(|| {
            let table = self.event(name).prizes().unwrap();
            let all: u64 = table.prizes.iter().take(players.len()).map(|prize| prize.cash).sum();
            let mut of: Vec<_> = self.event(name).left().map(|(entry_no, _)| (*entry_no, 0)).collect();
            of.sort();
            of[0].1 = all;
            of
        });
        drop(self.in_event(&players[0], C::ProposeDeal { event: event(), method, amounts }));
        let proposal = self.event(name).deal.proposal.clone();
        for who in &players {
            let Some(digest) = proposal.as_ref().map(|one| one.digest.clone()) else { return };
            let accept = !rng.one_in(9);
            drop(self.in_event(who, C::AnswerDeal { event: event(), digest, accept }));
        }
    }
}
