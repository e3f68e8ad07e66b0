//! Whole tournaments before the judges: honest ones are sound, entry by entry and hand by hand; and cheats of a house
//! that holds all keys.

use crate::audit_common;
use crate::common;
use crate::tournament_play::{some_structure, structure};

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_house::tournament::{CancelCause, DealMethod};
use fairshoe_house::{Actor, Command, Entry, Event, Reference, TournamentCommand, TournamentEvent};
use fairshoe_judge::audit::Events;
use fairshoe_judge::bundle::Soundness;
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{DealTerms, PayoutRow, Payouts, Places};

#[test]
fn whole_tournaments_are_sound() {
    let mut rng = Rng(0x006a_7564);
    for number in 0..2 * effort() {
        let structure = some_structure(&mut rng);
        let players =
            (structure.entry.players_min as usize).max(3 + rng.below(12)).min(structure.entry.players_max as usize);
        let mut house = House::new();
        house.whole_event("sunday", &structure, players, &mut rng);
        let report = audit(&house.log);
        assert!(report.is_sound(), "{number}: {:?}", report.first_failure);
        let settled: Vec<(String, u64)> = entries(&house.log)
            .iter()
            .filter_map(|entry| {
                let at = entry.at.as_ref()?.table.to_string();
                entry.events.iter().find_map(|event| match event {
                    Event::RoundSettled { round_no, .. } => Some((at.clone(), *round_no)),
                    _ => None,
                })
            })
            .collect();
        for (at, round_no) in settled.iter().step_by(17) {
            let id = format!("{at}:{round_no}");
            let bundle = bundle(&house, &house.log, &id).to_json().unwrap();
            let verdict = verify(bundle.as_bytes(), Some(signer().verifier_key()));
            assert_eq!(verdict.verdict, Soundness::Sound, "{id}: {:?}", verdict.findings);
        }
    }
}

#[test]
fn a_structure_of_a_shipped_name_that_is_another_is_told_and_its_tables_are_not() {
    let played = |structure: &Structure| {
        let mut house = House::new();
        house.whole_event("sunday", structure, 2, &mut Rng(3));
        let report = audit(&house.log);
        assert!(report.is_sound(), "{:?}", report.first_failure);
        assert!(report.tables > 0);
        let told = |renamed: &fairshoe_judge::audit::Renamed| (renamed.table.to_string(), renamed.rules.clone());
        (report.renamed, report.own_rules, report.renamed_listed.iter().map(told).collect::<Vec<_>>())
    };
    assert_eq!(played(&Structure::shipped("heads-up").unwrap()), (0, 0, vec![]));
    let other = structure("heads-up", |structure| structure.entry.stack = 2_000);
    assert_eq!(played(&other), (1, 0, vec![("sunday".into(), "heads-up".into())]));
}

#[test]
fn what_an_operator_did_to_tournaments_is_told() {
    let structure = structure("freezeout-6", |structure| {
        structure.name = "freezeout-6-".into();
        (structure.guarantee, structure.entry.fee) = (40_000, 500);
    });
    let mut house = House::new();
    house.announce("sunday", &structure).unwrap();
    for who in 0..8 {
        house.add_player(&format!("p{who}"), 1_000_000);
        house.register("sunday", &format!("p{who}")).unwrap();
    }
    let (event, reason) = (|| table("sunday"), || Reference::parse("power cut").unwrap());
    let starts_at = house.now + HOUR + 1_000;
    let operator = |house: &mut House, command| house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
    let late_levels = structure.late_levels + 1;
    let change = TournamentCommand::ChangeRegistration {
        event: event(),
        late_levels,
        unregister_ms: structure.unregister_ms,
        reason: reason(),
    };
    operator(&mut house, change);
    operator(&mut house, TournamentCommand::Postpone { event: event(), starts_at, reason: reason() });
    house.wait(HOUR + 1_000);
    house.play_event("sunday", &mut Rng(3), 0, 0, 30);
    let (cause, instant, reason) = (CancelCause::Operator, house.now, Some(reason()));
    operator(&mut house, TournamentCommand::Cancel { event: event(), cause, instant, reason });
    house.run_due();
    let report = audit(&house.log);
    assert!(report.is_sound(), "{:?}", report.first_failure);
    let told = Events {
        announced: 1,
        begun: 1,
        cancelled: [("operator".to_owned(), 1)].into(),
        cancelled_in_play: 1,
        postponed: 1,
        times_changed: 1,
        overlay: (40_000 - 8 * 920).into(),
        ..Events::default()
    };
    assert_eq!(report.events, told);
    let own = &report.own_structures_listed[0];
    assert_eq!((report.own_structures, own.structure.as_str(), own.has_shipped_name), (1, "freezeout-6-", false));
    assert_eq!((own.buy_in, own.fee, own.bounty, own.of_events), (920, 500, 0, 1));
    let of = &report.leans.events;
    assert!(of.len() == 8 && of.values().all(|of| of.events == 1 && of.due == 125_000));
    let got: i64 = of.values().map(|of| of.got).sum();
    assert!((40_000 - 8..=40_000 + 8 * 500).contains(&got), "{got}");
    assert!(of.values().map(|of| of.excess).sum::<i64>().abs() <= 8);
}

#[test]
fn a_deal_of_players_is_told() {
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 3;
        structure.late_levels = 0;
        let places = vec![Places { to: 3, share: 1 }];
        structure.payouts = Payouts::Rows(vec![PayoutRow { from: 3, places }]);
        structure.deal = Some(DealTerms { most_players: 6 });
    });
    let mut house = House::new();
    house.announce("sunday", &structure).unwrap();
    let players = ["p0", "p1", "p2"];
    for who in players {
        house.add_player(who, 1_000_000);
        house.register("sunday", who).unwrap();
    }
    house.wait(HOUR);
    let event = || table("sunday");
    let mut tries = 0;
    let digest = loop {
        house.play_event("sunday", &mut Rng(3), 0, 0, 1);
        for who in players {
            let _ = house.in_event(who, TournamentCommand::WantDeal { event: event(), want: true });
        }
        let method = DealMethod::Chips;
        let _ = house.in_event("p0", TournamentCommand::ProposeDeal { event: event(), method, amounts: None });
        if let Some(proposal) = &house.event("sunday").deal.proposal {
            break proposal.digest.clone();
        }
        tries += 1;
        assert!(tries < 500, "nobody could propose a deal");
    };
    for who in players {
        let digest = digest.clone();
        house.in_event(who, TournamentCommand::AnswerDeal { event: event(), digest, accept: true }).unwrap();
    }
    house.run_due();
    let report = audit(&house.log);
    assert!(report.is_sound(), "{:?}", report.first_failure);
    assert_eq!(report.events.deals, 1);
}

#[test]
fn of_an_own_structure_ten_events_are_named() {
    let own = structure("heads-up", |structure| structure.name = "ours".into());
    let mut house = House::new();
    for n in 0..11 {
        house.announce(&format!("e{n}"), &own).unwrap();
    }
    let report = audit(&house.log);
    let listed = &report.own_structures_listed;
    assert_eq!((listed.len(), listed[0].of_events, listed[0].events.len()), (1, 11, 10));
}

/// A bounty event of eleven at tables of four, with everything that a crooked house could touch.
fn a_bounty_event() -> House {
    let structure = structure("bounty-progressive", |structure| {
        structure.entry.stack = 2_000;
        structure.seats = 4;
        structure.guarantee = 1_000_000;
        structure.late_levels = 0;
        structure.hand_for_hand = 3;
        structure.levels.iter_mut().for_each(|level| level.ms = 4_000);
    });
    let mut house = House::new();
    house.whole_event("sunday", &structure, 11, &mut Rng(11));
    house
}

/// What a crooked house changes of its own entry, where that says what it is about.
type Lie = fn(&mut TournamentEvent) -> bool;

/// The log in which the first entry of an event that the lie is about is changed.
fn told(log: &[Vec<u8>], lie: Lie) -> Option<Vec<Vec<u8>>> {
    let mut log = log.to_vec();
    for bytes in &mut log {
        let mut entry = Entry::decode(bytes).unwrap();
        let lied =
            entry.events.iter_mut().any(|event| if let Event::Tournament(event) = event { lie(event) } else { false });
        if lied {
            *bytes = entry.encode().unwrap();
            return Some(log);
        }
    }
    None
}

#[test]
fn a_house_with_all_keys_that_bends_a_tournament_is_found_out() {
    let house = a_bounty_event();
    assert!(audit_at_once(&house.log).is_sound());
    let lies: [(&str, Lie); 12] = [
        ("another number for a draw", |event| match event {
            TournamentEvent::SeatsDrawn { link, .. } => {
                *link = fairshoe_fairness::DrawLink::from_bytes([7; 32]);
                true
            }
            _ => false,
        }),
        ("another entropy of a draw", |event| match event {
            TournamentEvent::SeatsDrawn { entropy, .. } => {
                *entropy = fairshoe_fairness::EventEntropy::from_bytes([7; 32]);
                true
            }
            _ => false,
        }),
        ("a seed that was out is said to be withheld", |event| match event {
            TournamentEvent::SeatsDrawn { withheld, .. } => {
                *withheld += 1;
                true
            }
            _ => false,
        }),
        ("a player moves elsewhere", |event| match event {
            TournamentEvent::PlayerMoved { to, .. } => {
                to.1 = to.1 % 4 + 1;
                true
            }
            _ => false,
        }),
        ("a level is left out", |event| match event {
            TournamentEvent::LevelBegun { level } => {
                *level += 1;
                true
            }
            _ => false,
        }),
        ("a head falls to somebody else", |event| match event {
            TournamentEvent::BountyWon { winners, .. } => {
                winners[0].to_total += 1;
                true
            }
            _ => false,
        }),
        ("an eliminated player had more chips", |event| match event {
            TournamentEvent::PlayerEliminated { stack, .. } => {
                *stack += 1;
                true
            }
            _ => false,
        }),
        ("fewer places are paid", |event| match event {
            TournamentEvent::RegistrationEnded { places, .. } => {
                *places -= 1;
                true
            }
            _ => false,
        }),
        ("the guarantee is not kept", |event| match event {
            TournamentEvent::PoolFinal { pool, overlay } => {
                (*pool, *overlay) = (*pool - *overlay, 0);
                true
            }
            _ => false,
        }),
        ("a prize goes with another place", |event| match event {
            TournamentEvent::PrizePaid { rank, .. } => {
                (rank.0, rank.1) = (rank.0 + 1, rank.1 + 1);
                true
            }
            _ => false,
        }),
        ("a bounty is paid short", |event| match event {
            TournamentEvent::BountyPaid { amount, .. } => {
                *amount -= 1;
                true
            }
            _ => false,
        }),
        ("more is cut off", |event| match event {
            TournamentEvent::Ended { residual } => {
                *residual += 1;
                true
            }
            _ => false,
        }),
    ];
    for (what, lie) in lies {
        let log = told(&house.log, lie).unwrap_or_else(|| panic!("nothing to lie about: {what}"));
        let report = audit_at_once(&log);
        assert!(!report.is_sound(), "{what}");
    }
}

/// The log without an entry, and what comes after it in its table or event renumbered: a duty that is left out.
fn without(log: &[Vec<u8>], what: impl Fn(&Entry) -> bool) -> Vec<Vec<u8>> {
    let mut entries: Vec<Entry> = log.iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let at = entries.iter().position(what).unwrap();
    let left = entries.remove(at);
    for entry in entries.iter_mut().skip(at).filter_map(|entry| entry.at.as_mut()) {
        if Some(&entry.table) == left.at.as_ref().map(|at| &at.table) {
            entry.seq -= 1;
        }
    }
    entries.iter().map(|entry| entry.encode().unwrap()).collect()
}

/// An event in which somebody asks for a rebuy in the middle of a hand, played to its end.
fn a_noted_rebuy() -> House {
    let structure = structure("rebuy", |structure| {
        structure.rebuy.as_mut().unwrap().stack_at_most = 1_000_000_000;
        structure.entry.stack = 800;
    });
    let mut house = House::new();
    house.announce("sunday", &structure).unwrap();
    let players = structure.entry.players_min as usize;
    for n in 0..players {
        house.add_player(&format!("p{n}"), 1_000_000);
        house.register("sunday", &format!("p{n}")).unwrap();
    }
    house.wait(HOUR);
    let mut rng = Rng(5);
    while house.event("sunday").noted.is_empty() {
        house.play_event("sunday", &mut rng, 0, 0, 1);
        let rebuy = TournamentCommand::Rebuy { event: table("sunday") };
        house.in_event("p0", rebuy).unwrap();
    }
    house.play_event("sunday", &mut rng, 0, 0, 40_000);
    house
}

#[test]
fn a_house_that_leaves_a_tournaments_duty_out_is_found_out() {
    let house = a_bounty_event();
    let is = |entry: &Entry, name: &str| {
        serde_json::to_value(&entry.command).unwrap()["tournament"].as_object().is_some_and(|of| of.contains_key(name))
    };
    for duty in [
        "start",
        "call_draw",
        "draw_seats",
        "settle_hand",
        "move_player",
        "next_level",
        "end_registration",
        "pay_places",
        "pay_bounties",
    ] {
        let log = without(&house.log, |entry| is(entry, duty));
        assert!(!audit_at_once(&log).is_sound(), "{duty}");
    }
    let noted = a_noted_rebuy();
    assert!(audit_at_once(&noted.log).is_sound());
    let log = without(&noted.log, |entry| is(entry, "carry_out"));
    assert!(!audit_at_once(&log).is_sound(), "carry_out");
    let log = without(&house.log, |entry| matches!(entry.command, Command::SetSeats { .. }));
    assert!(!audit_at_once(&log).is_sound(), "set_seats");
}
