//! Tournaments: a player whose commitments are not heard, and a deal that is accepted in the name of one.

use crate::common::rng::Rng;
use crate::common::*;
use crate::crook::*;
use crate::judged::{Evidence, received};
use crate::list::Played;
use crate::tournament_play::structure;
use crate::worth::Worth;
use fairshoe_fairness::Master;
use fairshoe_house::tournament::{DealMethod, Stage};
use fairshoe_house::{Command, SeedDealer, TournamentCommand as C};
use fairshoe_tournament::EntryNo;

const EVENT: &str = "sunday";

/// What each has at first.
const HAD: u64 = 1_000_000;

/// An event of four players, seated at one table, who pay 10,000 each and a fee.
fn seated() -> Crook {
    let mut crook = Crook::honest(&["alice", "bob", "carol", "friend"], HAD);
    // No card is lied about here, and the draws of seats need a dealer who has their chain.
    crook.house.dealer = Box::new(SeedDealer::new(Master::from_bytes(MASTER)));
    let terms = structure("freezeout-6", |terms| {
        terms.entry.players_min = 4;
        terms.late_levels = 0;
        terms.deal = Some(fairshoe_tournament::structure::DealTerms { most_players: 6 });
    });
    crook.house.announce(EVENT, &terms).unwrap();
    for who in ["alice", "bob", "carol", "friend"] {
        crook.house.register(EVENT, who).unwrap();
    }
    crook.house.wait(HOUR);
    crook.house.reveal_seats(EVENT, &mut Rng(1), 0);
    crook
}

/// Of what alice paid for her entry, how much is gone.
fn played(crook: Crook, price: u64, note: Option<Vec<u8>>) -> Played {
    let worth = Worth::of_one(price as f64, (HAD - crook.house.balance("alice")) as f64);
    let mut evidence = Evidence::of(crook.house.log);
    evidence.files.extend(note.map(|note| ("received.note", note)));
    Played { evidence, worth }
}

/// Alice's commitments never arrive: she is sat out, and blinded out.
pub fn drops_commitments(_: usize) -> Played {
    without_alice(false)
}

/// The same, but she asks for the note with the second one, and keeps it.
pub fn drops_commitments_signed_for(_: usize) -> Played {
    without_alice(true)
}

fn without_alice(signs: bool) -> Played {
    let mut crook = seated();
    let (mut rng, mut note) = (Rng(5), None);
    let price = HAD - crook.house.balance("alice");
    for _ in 0..20_000 {
        crook.house.run_due();
        if crook.house.event(EVENT).stage == Stage::Ended {
            break;
        }
        if let Some((at, round_no)) = open_call(&crook) {
            if signs && note.is_none() && round_no > 0 {
                let commitment = crook.house.commitment_for(&at, "alice");
                let command = Command::CommitHandSeed { table: table(&at), round_no, commitment };
                crook.house.now += 100;
                note = Some(received(crook.house.now, &player("alice"), command));
            }
            for who in ["bob", "carol", "friend"] {
                if crook.house.state.table(&table(&at)).is_some_and(|here| here.call().is_some()) {
                    crook.house.now += 100;
                    let _ = crook.house.commit_hand(&at, who);
                }
            }
        } else if !crook.house.play_tables(EVENT, &mut rng, 0) {
            let next = crook.house.state.next_deadline().unwrap();
            crook.house.wait(next.saturating_sub(crook.house.now));
        }
        crook.house.now += 50;
    }
    played(crook, price, note)
}

/// The table whose hand is called, and its number.
fn open_call(crook: &Crook) -> Option<(String, u64)> {
    crook.house.state.tables().find_map(|at| Some((at.id.to_string(), at.call()?.round_no)))
}

/// All want to deal; the friend proposes to take everything, and the log has it that alice accepts.
pub fn accepts_a_deal(_: usize) -> Played {
    deal(false)
}

/// The same, but alice said no, and keeps the note.
pub fn accepts_a_deal_signed_for(_: usize) -> Played {
    deal(true)
}

fn deal(signs: bool) -> Played {
    let mut crook = seated();
    let price = HAD - crook.house.balance("alice");
    let event = || table(EVENT);
    let called = entries(&crook.house.log).iter().position(|entry| matches!(entry.command, Command::CallHand { .. }));
    crook.house.log.truncate(called.unwrap());
    crook.house.state = fold(&crook.house.log);
    let all = ["alice", "bob", "carol", "friend"];
    for who in all {
        crook.house.in_event(who, C::WantDeal { event: event(), want: true }).unwrap();
    }
    let state = crook.house.event(EVENT);
    let pool = state.pool.unwrap();
    let of_friend = state.in_play(&player("friend")).unwrap().0;
    let shares = |n: u64| if EntryNo(n) == of_friend { pool - 3 } else { 1 };
    let amounts = (0..4).map(|n| (EntryNo(n), shares(n))).collect();
    let propose = C::ProposeDeal { event: event(), method: DealMethod::Amounts, amounts: Some(amounts) };
    crook.house.in_event("friend", propose).unwrap();
    let digest = crook.house.event(EVENT).deal.proposal.clone().unwrap().digest;
    let answer = |accept: bool| C::AnswerDeal { event: event(), digest: digest.clone(), accept };
    crook.house.now += 100;
    let note = signs.then(|| received(crook.house.now, &player("alice"), Command::Tournament(answer(false))));
    for who in ["friend", "bob", "carol", "alice"] {
        crook.house.now += 100;
        crook.house.in_event(who, answer(true)).unwrap();
    }
    for _ in 0..200 {
        crook.house.run_due();
        if crook.house.event(EVENT).stage == Stage::Ended {
            break;
        }
        crook.house.wait(MINUTE);
    }
    crook.house.wait(MINUTE);
    crook.credit("bob", 1);
    played(crook, price, note)
}
