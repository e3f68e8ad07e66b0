//! What a house, its shills or hostile players could try in a tournament (spec/games/tournaments.md).

mod commands;
mod fixed;
mod noted;

use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::{seat_seed, some_structure, structure};
use fairshoe_fairness::ClientSeed;
use fairshoe_games::poker::{Blinds, EntryPost, Positions, TournamentSeat, tournament_hand};
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::tournament::{DealMethod, DrawKind, Stage, TournamentEvent as E};
use fairshoe_house::{
    Account, Actor, Command, Counted, DecideError, Entry, Event, Reference, Refusal, TournamentCommand as C,
};
use fairshoe_tournament::structure::{BountyOn, Breaks, PayoutRow, Payouts, Places, SatelliteTerms};
use fairshoe_tournament::{EntryNo, Structure};

/// Every player's stack is one big blind, so that each hand is all-in.
fn one_blind(name: &str, change: impl FnOnce(&mut Structure)) -> Structure {
    structure(name, |structure| {
        structure.entry.stack = structure.levels[0].big;
        structure.entry.players_min = 2;
        structure.late_levels = 0;
        structure.guarantee = 0;
        structure.hand_for_hand = 0;
        structure.final_redraw = false;
        change(structure);
    })
}

/// So many places are paid, whoever comes.
fn paid(places: u64) -> Payouts {
    Payouts::Rows(vec![PayoutRow { from: places.max(2), places: vec![Places { to: places, share: 1 }] }])
}

impl House {
    /// An event of players p0, p1 … that has begun; no seat is drawn yet.
    fn begun(&mut self, name: &str, structure: &Structure, players: usize) {
        self.announce(name, structure).unwrap();
        for n in 0..players {
            let who = format!("p{n}");
            if self.state.ledger().player(&player(&who)).is_none() {
                self.add_player(&who, 1_000_000);
            }
            self.register(name, &who).unwrap();
        }
        self.wait(HOUR);
    }

    /// The same, with seats, and hands called.
    fn seated_event(&mut self, name: &str, structure: &Structure, players: usize) {
        self.begun(name, structure, players);
        self.reveal_seats(name, &mut Rng(1), 0);
        assert!(self.event(name).draws.open.is_none());
    }

    /// All commit to the hand that is called there.
    fn commit_all(&mut self, at: &str) {
        for who in self.table(at).seats.values().map(|seat| seat.player.to_string()).collect::<Vec<_>>() {
            let _ = self.commit_hand(at, &who);
        }
    }

    /// The hand that is called at a table, everybody calling; the house does nothing after it.
    fn hand(&mut self, at: &str) {
        self.commit_all(at);
        self.run_due();
        self.show_all(at);
        while let Some((who, offers)) = self.state.table(&table(at)).and_then(|_| self.offers(at)) {
            let of = |kind: ActionKind| offers.iter().any(|offer| offer.action == kind);
            let action = match () {
                () if of(ActionKind::Check) => Action::Check,
                () if of(ActionKind::Call) => Action::Call,
                () => Action::Show,
            };
            self.choose(at, &who, action).unwrap();
        }
    }

    fn operator(&mut self, command: C) -> Result<Entry, DecideError> {
        self.give(&Actor::Operator, Command::Tournament(command))
    }

    fn disqualify(&mut self, name: &str, who: &str) -> Result<Entry, DecideError> {
        let reason = Reference::parse("case 1").unwrap();
        self.operator(C::Disqualify { event: table(name), player: player(who), reason })
    }

    fn reveal_seat(&mut self, name: &str, who: &str) -> Result<Entry, DecideError> {
        let event = self.event(name);
        let (entry_no, entry) = event.in_play(&player(who)).unwrap();
        let (_, seat_use, _) = entry.commitment.unwrap();
        let draw_no = event.draws.next;
        let seed: ClientSeed = seat_seed(who, seat_use);
        self.in_event(who, C::RevealSeatSeed { event: table(name), draw_no, entry_no, seed, next: None })
    }

    /// As it was before the first hand was called.
    fn back_to_the_first_call(&mut self) {
        let log = entries(&self.log);
        let called = log.iter().position(|entry| matches!(entry.command, Command::CallHand { .. })).unwrap();
        self.log.truncate(called);
        self.state = fold(&self.log);
    }

    fn drawn(&self, kind: DrawKind) -> usize {
        let is = |event: &&Event| {
            matches!(event, Event::Tournament(event)
            if matches!(**event, E::DrawCalled { kind: called, .. } if called == kind))
        };
        entries(&self.log).iter().map(|entry| entry.events.iter().filter(is).count()).sum()
    }
}

/// 7.4: all eliminations of one round count as one hand, and those of different rounds do not.
#[test]
fn rounds_of_hand_for_hand_are_hands_of_their_own() {
    let mut rng = Rng(7);
    let mut compared = 0;
    for _ in 0..6 {
        let mut house = House::new();
        let structure = structure("freezeout-6", |structure| {
            structure.entry.stack = 400;
            structure.entry.players_min = 2;
            (structure.seats, structure.late_levels, structure.hand_for_hand) = (3, 0, 10);
            structure.payouts = paid(2);
            structure.levels.iter_mut().for_each(|level| level.ms = 5_000);
        });
        house.whole_event("sunday", &structure, 9, &mut rng);
        let event = house.event("sunday");
        let (mut round, mut out) = (0, Vec::new());
        for event_of in entries(&house.log).iter().flat_map(|entry| &entry.events) {
            let Event::Tournament(of) = event_of else { continue };
            match of.as_ref() {
                E::HandForHand { round: next } => round = *next,
                E::PlayerEliminated { entry_no, .. } if round > 0 => {
                    out.push((round, event.entries.get(entry_no).unwrap().rank.unwrap()));
                }
                _ => {}
            }
        }
        for pair in out.windows(2).filter(|pair| pair[0].0 < pair[1].0) {
            compared += 1;
            assert!(pair[1].1.1 < pair[0].1.0, "who fell in a later round finishes higher: {out:?}");
        }
    }
    assert!(compared > 5);
}

/// 3.7: the hands of strangers come after the seeds of those who are drawn, however these are revealed.
#[test]
fn a_seed_without_a_next_one_does_not_hasten_its_draw() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        (structure.late_levels, structure.draw_hands) = (3, 3);
        structure.payouts = paid(1);
    });
    house.seated_event("sunday", &structure, 4);
    house.hand("sunday.1");
    house.run_due();
    house.add_player("late", 1_000_000);
    house.register("sunday", "late").unwrap();
    house.run_due();
    assert!(house.event("sunday").draws.open.is_some());
    assert!(house.event("sunday").draws.frozen.is_none());
    house.reveal_seat("sunday", "late").unwrap();
    assert!(house.event("sunday").draws.frozen.is_none(), "no hand was opened since the player chose the seed");
    house.run_due();
    assert!(house.event("sunday").draws.open.is_some());
}

/// 11.2, R001.105: a deal is what all who are left accept, whoever was thrown out meanwhile.
#[test]
fn a_disqualification_makes_no_deal() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 4;
        structure.late_levels = 0;
        structure.payouts = paid(2);
        structure.deal = Some(fairshoe_tournament::structure::DealTerms { most_players: 6 });
    });
    house.seated_event("sunday", &structure, 4);
    let event = || table("sunday");
    house.back_to_the_first_call();
    for who in ["p0", "p1", "p2", "p3"] {
        house.in_event(who, C::WantDeal { event: event(), want: true }).unwrap();
    }
    let pool = house.event("sunday").pool.unwrap();
    let shares = [pool - 3, 1, 1, 1];
    let amounts = (0..4).map(|n| (EntryNo(n), shares[n as usize])).collect();
    house
        .in_event("p0", C::ProposeDeal { event: event(), method: DealMethod::Amounts, amounts: Some(amounts) })
        .unwrap();
    let digest = house.event("sunday").deal.proposal.clone().unwrap().digest;
    let yes = |house: &mut House, who: &str| {
        house.in_event(who, C::AnswerDeal { event: event(), digest: digest.clone(), accept: true })
    };
    yes(&mut house, "p0").unwrap();
    yes(&mut house, "p1").unwrap();
    house.disqualify("sunday", "p1").unwrap();
    house.run_due();
    drop(yes(&mut house, "p2"));
    assert!(!house.event("sunday").deal_made, "p3 accepted nothing");
}

/// 3.7: a table whose players are all absent opens no hand, and nobody waits for it for ever.
#[test]
fn a_draw_does_not_wait_for_a_table_of_absent_players() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        (structure.late_levels, structure.draw_hands) = (3, 3);
        structure.payouts = paid(1);
    });
    house.seated_event("sunday", &structure, 4);
    house.add_player("late", 1_000_000);
    house.register("sunday", "late").unwrap();
    let most = 6 * structure.clocks.commit_ms + structure.clocks.reveal_ms;
    house.wait(most);
    assert!(house.event("sunday").draws.open.is_none(), "the newcomer has a seat");
}

/// 6.1: an empty table is closed without a draw.
#[test]
fn an_empty_table_is_closed_without_a_draw() {
    let mut house = House::new();
    let structure = one_blind("freezeout-6", |structure| {
        (structure.seats, structure.draw_hands) = (2, 0);
        structure.payouts = paid(1);
    });
    house.seated_event("sunday", &structure, 3);
    let lonely = house.event("sunday").field().tables[&2].players.values().next().copied().unwrap();
    let who = house.event("sunday").entries.get(&lonely).unwrap().player.to_string();
    house.disqualify("sunday", &who).unwrap();
    house.run_due();
    house.wait(MINUTE);
    assert_eq!(house.drawn(DrawKind::Break), 0);
    assert!(!house.event("sunday").tables.open.contains(&2));
}

/// 9.5: a shared place has no substitute, be it a seller's or not.
/// 9.5. Attack: an operator who replaces every prize by a voucher of the house.
#[test]
fn a_substitute_is_given_to_nobody_who_has_not_accepted_it() {
    for accepts in [false, true] {
        let mut house = House::new();
        let structure = one_blind("freezeout-6", |structure| {
            (structure.seats, structure.late_levels, structure.entry.players_min) = (2, 0, 2);
            structure.payouts = paid(1);
        });
        house.announce("e", &structure).unwrap();
        for who in ["p0", "p1"] {
            house.add_player(who, 1_000_000);
            house.register("e", who).unwrap();
        }
        let pool = 2 * structure.entry.buy_in;
        let offer = |value| {
            let what = Reference::parse("a voucher of the house").unwrap();
            C::SubstitutePrize { event: table("e"), place: 1, what, value }
        };
        house.wait(HOUR);
        house.reveal_seats("e", &mut Rng(1), 0);
        assert_eq!(refusal(house.in_event("p0", offer(pool))).code(), "not_allowed");
        assert_eq!(refusal(house.operator(offer(pool - 1))).code(), "not_allowed");
        house.operator(offer(pool)).unwrap();
        if accepts {
            // The worth is part of what is accepted.
            assert_eq!(refusal(house.in_event("p0", offer(pool + 1))).code(), "not_allowed");
            for who in ["p0", "p1"] {
                house.in_event(who, offer(pool)).unwrap();
                assert_eq!(refusal(house.in_event(who, offer(pool))).code(), "nothing_to_do");
            }
        }
        let before = house.house_balance();
        for _ in 0..200 {
            if house.event("e").stage == Stage::Ended {
                break;
            }
            house.hand("e.1");
            house.run_due();
        }
        assert_eq!(house.event("e").stage, Stage::Ended);
        let price = structure.entry.buy_in + structure.entry.fee;
        let left: u64 = ["p0", "p1"].iter().map(|who| house.balance(who)).sum();
        let paid = if accepts { 0 } else { pool };
        assert_eq!(left, 2 * (1_000_000 - price) + paid);
        let fees = 2 * structure.entry.fee;
        assert_eq!((house.house_balance() - before) as u64, fees + pool - paid);
    }
}

#[test]
fn a_shared_place_with_a_substitute_is_paid_in_cash() {
    let mut house = House::new();
    let structure = one_blind("freezeout-6", |structure| {
        (structure.seats, structure.hand_for_hand, structure.staking) = (2, 10, true);
        structure.entry.players_min = 3;
        structure.payouts = paid(3);
    });
    for n in 0..20 {
        let name = format!("e{n}");
        house.announce(&name, &structure).unwrap();
        for who in ["p0", "p1", "p2", "p3"] {
            if n == 0 {
                house.add_player(who, 1_000_000);
            }
            house.register(&name, who).unwrap();
            house.in_event(who, C::OfferStake { event: table(&name), basis_points: 5_000 }).unwrap();
        }
        for (seller, buyer) in [("p0", "p1"), ("p1", "p2"), ("p2", "p3"), ("p3", "p0")] {
            let command = C::BuyStake { event: table(&name), seller: player(seller), basis_points: 5_000 };
            house.in_event(buyer, command).unwrap();
        }
        house.wait(HOUR);
        house.reveal_seats(&name, &mut Rng(1), 0);
        let what = Reference::parse("a watch").unwrap();
        let offer = C::SubstitutePrize { event: table(&name), place: 3, what, value: 1_000_000 };
        house.operator(offer.clone()).unwrap();
        // Whoever has sold parts of what they win cannot take a watch for it.
        assert_eq!(refusal(house.in_event("p0", offer)).code(), "not_allowed");
        house.run_due();
        house.hand(&format!("{name}.1"));
        house.hand(&format!("{name}.2"));
        house.run_due();
        let shared = house.event(&name).entries.iter().any(|(_, entry)| entry.rank == Some((3, 4)));
        house.wait(HOUR);
        if shared {
            return;
        }
    }
    panic!("nobody tied");
}

/// 7.6, 10.7: nobody is disqualified between a hand and what it comes to.
#[test]
fn nobody_is_disqualified_before_their_tables_hand_is_dealt_with() {
    let mut house = House::new();
    let structure = one_blind("bounty-progressive", |structure| {
        (structure.seats, structure.hand_for_hand) = (2, 10);
        structure.payouts = paid(1);
    });
    house.seated_event("sunday", &structure, 4);
    for _ in 0..20 {
        house.run_due();
        house.hand("sunday.1");
        if house.event("sunday").to_settle.contains_key(&1) {
            break;
        }
        house.hand("sunday.2");
        assert!(!house.event("sunday").to_settle.contains_key(&2), "another seed is needed");
    }
    house.run_due();
    assert!(house.event("sunday").to_settle.contains_key(&1), "the round goes on at the other table");
    let players = house.event("sunday").field().tables[&1].players.clone();
    let winner = players.values().find(|entry_no| house.event("sunday").entries.get(entry_no).unwrap().chips > 0);
    let winner = house.event("sunday").entries.get(winner.unwrap()).unwrap().player.to_string();
    let entry_no = house.event("sunday").in_play(&player(&winner)).unwrap().0;
    house.disqualify("sunday", &winner).unwrap();
    assert!(house.event("sunday").noted.contains_key(&entry_no), "it is noted");
    assert!(house.event("sunday").entries.get(&entry_no).unwrap().is_in_play());
    // Whose head they won is theirs, and then divided, when the round is over.
    house.hand("sunday.2");
    house.run_due();
    let log = entries(&house.log);
    let at = |is: fn(&E) -> bool| {
        let has =
            |entry: &Entry| entry.events.iter().any(|event| matches!(event, Event::Tournament(event) if is(event)));
        log.iter().rposition(has).unwrap()
    };
    let won = at(|event| matches!(event, E::BountyWon { .. }));
    assert!(won < at(|event| matches!(event, E::PlayerDisqualified { .. })));
}

/// R001.19: satellites by chance, with their seats.
#[test]
fn satellites_by_chance_are_played_to_their_ends() {
    let mut rng = Rng(0x5a_71);
    for number in 0..6 * effort() {
        let mut house = House::new();
        let target = structure("freezeout-6", |target| {
            target.late_levels = 3;
            target.entry.buy_in = 4_600;
            target.entry.fee = 400;
            target.entry.bounty = 0;
        });
        let satellite = structure("satellite", |satellite| {
            satellite.entry.stack = rng.pick(&[400, 1_000]);
            satellite.entry.buy_in = 1_000;
            satellite.entry.entries_per_player = rng.pick(&[1, 2]);
            satellite.seats = rng.pick(&[2, 3, 4]);
            satellite.late_levels = rng.pick(&[0, 1]);
            satellite.hand_for_hand = rng.pick(&[0, 0, 3]);
            satellite.guarantee = rng.pick(&[0, 12_000]);
            satellite.levels.iter_mut().for_each(|level| level.ms = 5_000);
            satellite.payouts = Payouts::Satellite(SatelliteTerms {
                target: "main".into(),
                buy_in: 4_600,
                fee: 400,
                non_unregisterable: true,
            });
        });
        let rules = fairshoe_games::RuleSet::shipped(&target.rules.name).unwrap();
        let command = C::Create {
            event: table("main"),
            structure: Box::new(target.clone()),
            rules: Box::new(rules),
            starts_at: house.now + 2 * DAY,
            registration_from: house.now,
        };
        house.operator(command).unwrap();
        let players = 2 + rng.below(20);
        house.whole_event("step", &satellite, players, &mut rng);
        let event = house.event("step");
        assert_eq!(event.stage, Stage::Ended, "{number}");
        assert!(event.tables.open.is_empty(), "{number}: tables stay open: {:?}", event.tables.open);
        let name = event.name().clone();
        for account in [Account::Pool(name.clone()), Account::Fees(name.clone()), Account::Bounties(name)] {
            assert_eq!(house.state.ledger().balance(&account), Some(0), "{number}: {account}");
        }
        let mut paid = std::collections::BTreeMap::new();
        for of in entries(&house.log).iter().flat_map(|entry| &entry.events) {
            if let Event::Tournament(of) = of
                && let E::PrizePaid { entry_no, .. } = of.as_ref()
            {
                *paid.entry(*entry_no).or_insert(0) += 1;
            }
        }
        assert!(paid.values().all(|times| *times == 1), "{number}: {paid:?}");
    }
}

/// 6.6: a void hand has not been: button and big blind are where they were.
#[test]
fn a_void_hand_moves_neither_button_nor_big_blind() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| structure.entry.players_min = 2);
    house.seated_event("sunday", &structure, 4);
    for hands in 0..2 {
        let before = house.event("sunday").field().tables[&1].clone();
        assert_eq!(before.first_button.is_some(), hands == 0);
        house.commit_all("sunday.1");
        house.run_due();
        assert!(house.table("sunday.1").live_round().is_some());
        assert!(house.event("sunday").field().tables[&1].first_button.is_none());
        let by = house.state.next_deadline().unwrap();
        house.now = by;
        house.run_due();
        assert!(house.table("sunday.1").live_round().is_none());
        assert_eq!(house.event("sunday").field().tables[&1], before);
        if hands == 0 {
            house.hand("sunday.1");
            house.run_due();
        }
    }
}

/// What waits for a time while the clock stands has that time afterwards.
#[test]
fn a_crash_takes_no_time_to_reveal_from_anybody() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| structure.entry.players_min = 2);
    house.begun("sunday", &structure, 4);
    assert!(house.event("sunday").draws.open.is_some());
    house.now += structure.clocks.reveal_ms;
    house.crash();
    house.run_due();
    for who in ["p0", "p1", "p2", "p3"] {
        house.reveal_seat("sunday", who).unwrap();
    }
    house.run_due();
    assert!(house.event("sunday").draws.open.is_none());
}

/// The same of the time to rebuy.
#[test]
fn a_crash_takes_no_time_to_rebuy_from_anybody() {
    let mut house = House::new();
    let structure = one_blind("rebuy", |structure| structure.seats = 2);
    house.seated_event("sunday", &structure, 2);
    while house.event("sunday").rebuying.is_empty() {
        house.hand("sunday.1");
        house.run_due();
    }
    let (_, entry_no) = *house.event("sunday").rebuying.first().unwrap();
    let who = house.event("sunday").entries.get(&entry_no).unwrap().player.to_string();
    house.now += structure.rebuy.clone().unwrap().time_ms;
    house.crash();
    house.run_due();
    house.in_event(&who, C::Rebuy { event: table("sunday") }).unwrap();
}

/// 3.9: the last table is drawn anew, whichever it is.
#[test]
fn the_last_table_is_drawn_anew_whichever_it_is() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        structure.entry.stack = 400;
        (structure.seats, structure.late_levels, structure.final_redraw) = (3, 0, true);
        structure.payouts = paid(1);
        structure.levels.iter_mut().for_each(|level| level.ms = 5_000);
    });
    let mut rng = Rng(3);
    let mut finals = 0;
    for n in 0..4 {
        house.whole_event(&format!("e{n}"), &structure, 6, &mut rng);
        finals += 1;
        assert_eq!(house.drawn(DrawKind::Final), finals);
    }
}

/// R001.102, 5.2: once a level or a break has come, no hand is called before the house has said so.
#[test]
fn no_hand_is_called_when_a_break_has_come() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        structure.breaks = Breaks::Synchronised { every_ms: 1_200_000, at_ms: 600_000, ms: 300_000 };
        structure.levels.iter_mut().for_each(|level| level.ms = 3_600_000);
        structure.draw_hands = 0;
    });
    house.seated_event("sunday", &structure, 4);
    // A hand in progress when the break comes: its end and the break fall together.
    let until = house.event("sunday").clock.next_change.unwrap();
    house.commit_all("sunday.1");
    house.now = house.now.max(until - 2_000);
    house.commit_all("sunday.1");
    house.run_due();
    while house.state.table(&table("sunday.1")).unwrap().live_round().is_none() {
        house.commit_all("sunday.1");
        house.run_due();
    }
    house.show_all("sunday.1");
    let (who, _) = house.offers("sunday.1").unwrap();
    house.now = until;
    let mut who = who;
    loop {
        house.choose("sunday.1", &who, Action::Fold).unwrap();
        match house.offers("sunday.1") {
            Some((next, _)) => who = next,
            None => break,
        }
    }
    let done = house.run_due();
    assert!(done.iter().all(|entry| !matches!(entry.command, Command::CallHand { .. })));
    assert!(house.event("sunday").clock.in_break);
}

/// 7.6: of two who are disqualified the second finishes higher, wherever they sit.
#[test]
fn who_is_disqualified_later_finishes_higher() {
    let mut house = House::new();
    let structure = one_blind("freezeout-6", |structure| {
        structure.seats = 2;
        structure.payouts = paid(1);
    });
    house.seated_event("sunday", &structure, 6);
    house.back_to_the_first_call();
    let rank = |house: &House, who: &str| {
        let event = house.event("sunday");
        event.entries.get(&house.entry_of("sunday", who)).unwrap().rank
    };
    let of_table = |house: &House, number: u16| {
        let event = house.event("sunday");
        let entry_no = *event.field().tables[&number].players.values().next().unwrap();
        event.entries.get(&entry_no).unwrap().player.to_string()
    };
    let (one, other) = (of_table(&house, 2), of_table(&house, 1));
    house.disqualify("sunday", &one).unwrap();
    house.disqualify("sunday", &other).unwrap();
    house.wait(MINUTE);
    assert_eq!((rank(&house, &one), rank(&house, &other)), (Some((6, 6)), Some((5, 5))));
}

/// A ticket is worth what the entry costs that it pays.
#[test]
fn a_satellites_target_has_one_price() {
    let mut house = House::new();
    let target = structure("bounty-progressive", |target| target.bounty_on = BountyOn::Some);
    house.announce("main", &target).unwrap();
    let entry = target.entry.clone();
    let satellite = structure("satellite", |satellite| {
        satellite.payouts = Payouts::Satellite(SatelliteTerms {
            target: "main".into(),
            buy_in: entry.buy_in + entry.bounty,
            fee: entry.fee,
            non_unregisterable: true,
        });
    });
    assert!(house.announce("step", &satellite).is_err());
}

/// What costs nothing and could be done for ever is counted.
#[test]
fn wishes_for_a_deal_are_counted() {
    let want = Command::Tournament(C::WantDeal { event: table("sunday"), want: true });
    let (event, amounts) = (table("sunday"), None);
    let propose = Command::Tournament(C::ProposeDeal { event, method: DealMethod::Icm, amounts });
    assert!([want, propose].iter().all(|command| command.facts().counted == Counted::Beginning));
}

/// 11.1: all who are left may wish for a deal while a hand is played; none is called after it.
#[test]
fn a_deal_can_be_wished_for_during_a_hand() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 3;
        structure.late_levels = 0;
        structure.payouts = paid(3);
        structure.deal = Some(fairshoe_tournament::structure::DealTerms { most_players: 6 });
    });
    house.seated_event("sunday", &structure, 3);
    let event = || table("sunday");
    for who in ["p0", "p1", "p2"] {
        house.in_event(who, C::WantDeal { event: event(), want: true }).unwrap();
    }
    let propose = C::ProposeDeal { event: event(), method: DealMethod::Icm, amounts: None };
    assert_eq!(refusal(house.in_event("p0", propose.clone())), Refusal::HandInProgress);
    house.hand("sunday.1");
    house.run_due();
    house.in_event("p0", propose).unwrap();
    let digest = house.event("sunday").deal.proposal.clone().unwrap().digest;
    for who in ["p0", "p1", "p2"] {
        let answer = C::AnswerDeal { event: event(), digest: digest.clone(), accept: true };
        house.in_event(who, answer).unwrap();
    }
    house.run_due();
    assert_eq!(house.event("sunday").stage, Stage::Ended);
    assert_eq!(house.state.ledger().total(), 0);
}

/// 6.6: where a third player waits, the two who play are heads-up.
#[test]
fn two_who_play_are_heads_up_whoever_waits() {
    let blinds = Blinds {
        small: chips(10),
        big: chips(20),
        third: None,
        ante: chips(0),
        straddle: false,
        entry_post: EntryPost::Big,
    };
    let seat = |seat, is_new| TournamentSeat { seat, is_new };
    let before = |small, big| Positions { button: small, small, big, third: None };
    for (last, seats) in [(before(1, 3), [1, 2, 3]), (before(1, 3), [2, 3, 5])] {
        let seats: Vec<TournamentSeat> = seats.iter().map(|number| seat(*number, *number == 2)).collect();
        let next = tournament_hand(&blinds, Some(&last), 1, &seats).unwrap();
        assert_eq!(next.seats.len(), 2);
        assert_eq!(next.positions.button, next.positions.small);
        assert_eq!(next.seats.last().unwrap().seat, next.positions.button);
    }
}

/// refunds.md, 1: after so long a stop play does not go on.
#[test]
fn after_too_long_a_stop_the_clock_is_not_to_be_started() {
    let mut house = House::new();
    let structure = structure("freezeout-6", |structure| structure.entry.players_min = 2);
    house.seated_event("sunday", &structure, 4);
    house.now += structure.cancel_after_ms;
    house.crash();
    while let Some((by, command @ Command::Recover { .. })) = house.state.due(house.now) {
        house.give(&by, command).unwrap();
    }
    let due = house.state.due(house.now);
    assert!(matches!(due, Some((_, Command::Tournament(C::Cancel { .. })))), "{due:?}");
}

/// 3.10, 4.4: who is out while their broken table's seats are drawn is given none.
#[test]
fn nobody_who_is_out_is_drawn_a_seat() {
    let structure = one_blind("rebuy", |structure| structure.seats = 4);
    for n in 0..40 {
        let mut house = House::new();
        let name = format!("e{n}");
        house.seated_event(&name, &structure, 5);
        house.hand(&format!("{name}.2"));
        house.run_due();
        house.hand(&format!("{name}.1"));
        house.run_due();
        let rebuying: Vec<EntryNo> = house.event(&name).rebuying.iter().map(|(_, entry_no)| *entry_no).collect();
        for entry_no in rebuying {
            let entry = house.event(&name).entries.get(&entry_no).unwrap().clone();
            if entry.table() == Some(1) {
                let event = table(&name);
                house.in_event(entry.player.as_str(), C::DeclineRebuy { event, entry_no }).unwrap();
            }
        }
        house.run_due();
        let open = house.event(&name).draws.open.clone();
        let waits = |entry_no: &EntryNo| open.as_ref().is_some_and(|open| open.entrants.contains(entry_no));
        let drawn = house.event(&name).rebuying.iter().map(|(_, entry_no)| *entry_no).find(waits);
        let Some(entry_no) = drawn else { continue };
        let who = house.event(&name).entries.get(&entry_no).unwrap().player.to_string();
        house.in_event(&who, C::DeclineRebuy { event: table(&name), entry_no }).unwrap();
        house.wait(5 * MINUTE);
        house.check_event(&name);
        assert!(!house.event(&name).entries.get(&entry_no).unwrap().is_in_play());
        return;
    }
    panic!("no table broke with somebody who may rebuy");
}
