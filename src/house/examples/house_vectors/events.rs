//! A log of events for what the other logs leave open: names, entries and postponed starts, rebuys, heads, tickets,
//! deals, disqualifications and substitute prizes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::rng::Rng;
use crate::common::shared::rules;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_games::{Action, ActionKind, RuleSet};
use fairshoe_house::tournament::{CancelCause, DealMethod, Pay, Stage, Whereabouts};
use fairshoe_house::{Actor, Command, DecideError, Entry, Reference, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BountyOn, BreakAfter, Breaks, PayoutRow, Payouts, Places};

pub const FILE: &str = "entries-events.json";

const WEEK: u64 = 7 * DAY;

fn words(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

/// The operator's word in an event.
fn operate(w: &mut Writer, command: C) {
    w.tick().give(&Actor::Operator, Command::Tournament(command)).unwrap();
}

/// A command that is refused, by the operator or by a player.
fn refuse_operator(w: &mut Writer, command: C) {
    w.refuse(&Actor::Operator, Command::Tournament(command));
}

fn refuse(w: &mut Writer, who: &str, command: C) {
    w.refuse(&by(who), Command::Tournament(command));
}

fn register(w: &Writer, event: &str, who: &str, pay: Pay) -> C {
    C::Register { event: table(event), commitment: w.house.seat_commitment(event, who), pay }
}

fn enter(w: &mut Writer, event: &str, players: &[&str]) {
    for who in players {
        w.tick().register(event, who).unwrap();
    }
}

fn give(w: &mut Writer, who: &str, command: C) -> Result<Entry, DecideError> {
    w.tick().in_event(who, command)
}

fn quick(structure: &mut Structure) {
    structure.entry.stack = 300;
    structure.entry.players_min = 2;
    structure.late_levels = 0;
    structure.guarantee = 0;
    structure.levels.iter_mut().for_each(|level| level.ms = 30_000);
}

/// Two places are paid, however few have entered.
fn two_places(structure: &mut Structure) {
    let places = [(1, 65), (2, 35)].map(|(to, share)| Places { to, share }).to_vec();
    structure.payouts = Payouts::Rows(vec![PayoutRow { from: 2, places }]);
}

/// Steps of an event, until this is so.
fn play_until(w: &mut Writer, event: &str, rng: &mut Rng, enough: impl Fn(&House) -> bool) {
    for _ in 0..20_000 {
        if enough(&w.house) {
            return;
        }
        w.house.play_event(event, rng, 0, 0, 1);
    }
    panic!("{event} does not come so far");
}

fn play_out(w: &mut Writer, event: &str, rng: &mut Rng) {
    play_until(w, event, rng, |house| house.event(event).stage == Stage::Ended);
}

/// Everybody's seed for the draw of seats, which is made.
fn draw(w: &mut Writer, event: &str) {
    w.duties();
    w.house.reveal_seats(event, &mut Rng(1), 0);
    w.duties();
}

fn names(w: &mut Writer) {
    w.tick().open_rules("closed", rules("roulette", &[]));
    w.duties();
    w.tick().give(&Actor::Operator, Command::CloseTable { table: table("closed") }).unwrap();
    w.duties();
    let structure = structure("freezeout-6", quick);
    let create = C::Create {
        event: table("closed"),
        structure: Box::new(structure.clone()),
        rules: Box::new(RuleSet::shipped(&structure.rules.name).unwrap()),
        starts_at: w.house.now + HOUR,
        registration_from: w.house.now,
    };
    refuse_operator(w, create);
    let starts_at = w.house.now + HOUR;
    let create = C::Create {
        event: table("backwards"),
        structure: Box::new(structure.clone()),
        rules: Box::new(RuleSet::shipped(&structure.rules.name).unwrap()),
        starts_at,
        registration_from: starts_at + 1,
    };
    refuse_operator(w, create);
}

/// Entries of one event: twice at once, given back at the last moment, sold; its start is put off three times.
fn entries(w: &mut Writer) {
    let event = || table("first");
    w.tick().announce("first", &structure("freezeout-6", quick)).unwrap();
    enter(w, "first", &["alice", "bob", "carol"]);
    let again = register(w, "first", "alice", Pay::Cash);
    refuse(w, "alice", again);
    let offer = |points| C::OfferStake { event: event(), basis_points: points };
    give(w, "alice", offer(5_000)).unwrap();
    give(w, "dave", C::BuyStake { event: event(), seller: player("alice"), basis_points: 2_500 }).unwrap();
    refuse(w, "alice", offer(2_000));
    let start = w.house.event("first").starts_at;
    w.house.now = start - 300_001;
    w.house.in_event("bob", C::Unregister { event: event() }).unwrap();
    w.house.now += 1;
    refuse(w, "carol", C::Unregister { event: event() });
    let postpone = |by: u64| C::Postpone { event: event(), starts_at: start + by, reason: words("storm") };
    refuse_operator(w, postpone(0));
    operate(w, postpone(HOUR));
    refuse_operator(w, postpone(WEEK + 1));
    operate(w, postpone(2 * HOUR));
    operate(w, postpone(3 * HOUR));
    refuse_operator(w, postpone(4 * HOUR));
    w.house.wait(start + 3 * HOUR - w.house.now);
}

/// A deal at that event: the last wish waits for the seats, one proposal stands, and an answer has its time.
fn deal(w: &mut Writer, rng: &mut Rng) {
    let event = || table("first");
    w.duties();
    let late_levels = 1;
    refuse_operator(
        w,
        C::ChangeRegistration { event: event(), late_levels, unregister_ms: None, reason: words("late bus") },
    );
    let want = || C::WantDeal { event: event(), want: true };
    give(w, "alice", want()).unwrap();
    refuse(w, "carol", want());
    draw(w, "first");
    give(w, "carol", want()).unwrap();
    play_until(w, "first", rng, |house| {
        let mut tables =
            house.event("first").tables.open.iter().filter_map(|number| house.event("first").table_name(*number));
        tables
            .all(|id| house.state.table(&id).is_none_or(|table| table.call().is_none() && table.live_round().is_none()))
    });
    let propose = || C::ProposeDeal { event: event(), method: DealMethod::Chips, amounts: None };
    give(w, "alice", propose()).unwrap();
    refuse(w, "carol", propose());
    let proposal = w.house.event("first").deal.proposal.clone().unwrap();
    w.house.now = proposal.answer_by;
    refuse(w, "carol", C::AnswerDeal { event: event(), digest: proposal.digest, accept: true });
    play_out(w, "first", rng);
}

/// Rebuys with a stack of just as much as may be, and in a hand with any. Of somebody without the money none is awaited.
fn rebuys(w: &mut Writer, rng: &mut Rng) {
    let event = || table("again");
    let rebuys = structure("rebuy", |structure| {
        quick(structure);
        structure.late_levels = 1;
        structure.levels.iter_mut().for_each(|level| level.ms = HOUR);
        (structure.breaks, structure.add_on) = (Breaks::After(Vec::new()), None);
        let Some(rebuy) = &mut structure.rebuy else { return };
        (rebuy.levels, rebuy.chips, rebuy.stack_at_most) = (6, 300, 300);
    });
    w.tick().announce("again", &rebuys).unwrap();
    enter(w, "again", &["erin", "frank"]);
    w.house.wait(HOUR);
    w.duties();
    give(w, "erin", C::Rebuy { event: event() }).unwrap();
    refuse(w, "erin", C::WantDeal { event: event(), want: true });
    draw(w, "again");
    play_until(w, "again", rng, |house| house.offers("again.1").is_some());
    give(w, "erin", C::Rebuy { event: event() }).unwrap();
    for who in ["erin", "frank"] {
        let left = w.house.balance(who);
        w.tick().withdraw(who, left).unwrap();
    }
    play_out(w, "again", rng);
}

/// Heads of odd cents, half of which goes onto the winner's; a total that falls in a place that is paid.
fn heads(w: &mut Writer) {
    let terms = structure("bounty-progressive", |structure| {
        quick(structure);
        two_places(structure);
        structure.entry.bounty = 1_001;
    });
    w.tick().announce("heads", &terms).unwrap();
    enter(w, "heads", &["alice", "bob", "carol", "dave"]);
    w.house.wait(HOUR);
    // With this chance two fall in the last hand, and one of them had won a head before.
    play_out(w, "heads", &mut Rng(9));
    let some = structure("bounty-progressive", |structure| {
        quick(structure);
        structure.bounty_on = BountyOn::Some;
    });
    w.tick().announce("some", &some).unwrap();
    let set = |has| C::SetBounty { event: table("some"), player: player("alice"), has };
    operate(w, set(true));
    enter(w, "some", &["alice"]);
    give(w, "alice", C::Unregister { event: table("some") }).unwrap();
    refuse_operator(w, set(false));
}

/// Of two seats for one event the second is paid as T$, which pay a part of an entry; and a seat is not given back.
fn tickets(w: &mut Writer, rng: &mut Rng) {
    let target = structure("freezeout-9", |structure| {
        quick(structure);
        (structure.entry.buy_in, structure.entry.fee) = (9_000, 1_000);
    });
    for name in ["big", "other"] {
        let create = C::Create {
            event: table(name),
            structure: Box::new(target.clone()),
            rules: Box::new(RuleSet::shipped(&target.rules.name).unwrap()),
            starts_at: w.house.now + DAY,
            registration_from: w.house.now,
        };
        operate(w, create);
    }
    let satellite = structure("satellite", |structure| {
        quick(structure);
        structure.entry.buy_in = 5_000;
        let Payouts::Satellite(terms) = &mut structure.payouts else { return };
        (terms.target, terms.buy_in, terms.fee) = ("big".into(), 9_000, 1_000);
    });
    // Of three one wins two.
    let mut winners: Vec<String> = Vec::new();
    for name in ["step-a", "step-b", "step-c"] {
        w.tick().announce(name, &satellite).unwrap();
        enter(w, name, &["alice", "bob"]);
        w.house.wait(HOUR);
        play_out(w, name, rng);
        let won =
            |(_, entry): &(_, &fairshoe_house::tournament::EventEntry)| entry.rank.is_some_and(|rank| rank.0 == 1);
        winners.push(w.house.event(name).entries.iter().find(won).unwrap().1.player.to_string());
    }
    let twice = winners.iter().find(|who| winners.iter().filter(|one| one == who).count() > 1).unwrap().clone();
    let seat = register(w, "big", &twice, Pay::Ticket);
    give(w, &twice, seat).unwrap();
    refuse(w, &twice, C::Unregister { event: table("big") });
    let part = register(w, "other", &twice, Pay::TDollars);
    give(w, &twice, part).unwrap();
}

/// A substitute that nobody who came to its place has accepted, and a place whose player was disqualified.
fn prizes(w: &mut Writer, rng: &mut Rng) {
    let event = || table("prize");
    let terms = structure("freezeout-6", |structure| {
        quick(structure);
        two_places(structure);
        structure.entry.buy_in = 1_000;
    });
    w.tick().announce("prize", &terms).unwrap();
    enter(w, "prize", &["alice", "bob"]);
    w.house.wait(HOUR);
    w.duties();
    let offer = |what: &str, value| C::SubstitutePrize { event: event(), place: 1, what: words(what), value };
    refuse_operator(w, offer("boat", 1_299));
    operate(w, offer("boat", 1_300));
    refuse_operator(w, offer("bigger boat", 1_400));
    refuse(w, "alice", offer("bigger boat", 1_300));
    refuse(w, "alice", offer("boat", 1_400));
    give(w, "alice", offer("boat", 1_300)).unwrap();
    draw(w, "prize");
    play_until(w, "prize", rng, |house| house.offers("prize.1").is_some());
    let disqualify = |who| C::Disqualify { event: event(), player: player(who), reason: words("soft play") };
    operate(w, disqualify("alice"));
    while w.house.event("prize").entries.iter().all(|(_, entry)| entry.at != Whereabouts::Disqualified) {
        match w.house.state.due(w.house.now) {
            Some((by, command)) => drop(w.house.give(&by, command).unwrap()),
            None => {
                let (who, offers) = w.house.offers("prize.1").unwrap();
                let fold = offers.iter().any(|offer| offer.action == ActionKind::Fold);
                let action = if fold { Action::Fold } else { Action::Check };
                w.tick().choose("prize.1", &who, action).unwrap();
            }
        }
    }
    refuse_operator(w, disqualify("bob"));
    play_out(w, "prize", rng);
}

/// Whoever has sold stakes of an entry that is out accepts no substitute with the next one either.
fn seller(w: &mut Writer, rng: &mut Rng) {
    let event = || table("resold");
    let terms = structure("freezeout-6", |structure| {
        quick(structure);
        (structure.late_levels, structure.entry.entries_per_player) = (1, 2);
        structure.levels.iter_mut().for_each(|level| level.ms = 180_000);
    });
    w.tick().announce("resold", &terms).unwrap();
    let players = ["alice", "bob", "carol"];
    enter(w, "resold", &players);
    for who in players {
        give(w, who, C::OfferStake { event: event(), basis_points: 5_000 }).unwrap();
        give(w, "dave", C::BuyStake { event: event(), seller: player(who), basis_points: 2_500 }).unwrap();
    }
    w.house.wait(HOUR);
    let plays = |house: &House, who: &str| house.event("resold").in_play(&player(who)).is_some();
    play_until(w, "resold", rng, |house| players.iter().any(|who| !plays(house, who)));
    let out = *players.iter().find(|who| !plays(&w.house, who)).unwrap();
    enter(w, "resold", &[out]);
    // Nobody plays until registration is over.
    while w.house.event("resold").pool.is_none() {
        let next = w.house.state.next_deadline().unwrap();
        w.house.wait(next - w.house.now);
    }
    assert!(plays(&w.house, out), "another chance is wanted");
    let offer = C::SubstitutePrize { event: event(), place: 1, what: words("boat"), value: 1_000_000 };
    operate(w, offer.clone());
    refuse(w, out, offer);
}

fn write() -> Writer {
    let (mut w, rng) = (Writer::new(), &mut Rng(3));
    w.house.start().unwrap();
    for who in ["alice", "bob", "carol", "dave", "erin", "frank"] {
        w.house.add_player(who, 100_000);
    }
    names(&mut w);
    heads(&mut w);
    entries(&mut w);
    deal(&mut w, rng);
    rebuys(&mut w, rng);
    tickets(&mut w, rng);
    prizes(&mut w, rng);
    late(&mut w);
    seller(&mut w, &mut Rng(3));
    add_ons(&mut w);
    w
}

/// More chips are sold to each entry once, in the break after the named level. Bob asks for them, and for a rebuy, and
/// the house does not hear it for a minute: spec/vectors/log-notes.json.
fn add_ons(w: &mut Writer) {
    let terms = structure("rebuy", |structure| {
        quick(structure);
        let rebuy = structure.rebuy.as_mut().unwrap();
        (rebuy.levels, rebuy.chips, rebuy.stack_at_most) = (2, 300, 300);
        structure.breaks = Breaks::After(vec![BreakAfter { level: 1, ms: 300_000 }]);
        structure.add_on.as_mut().unwrap().after_level = 1;
    });
    w.tick().announce("tops", &terms).unwrap();
    enter(w, "tops", &["alice", "bob"]);
    w.house.wait(HOUR);
    let add_on = || C::AddOn { event: table("tops") };
    draw(w, "tops");
    refuse(w, "alice", add_on());
    w.house.wait(60_000);
    give(w, "alice", add_on()).unwrap();
    refuse(w, "alice", add_on());
    refuse(w, "carol", add_on());
    w.house.wait(90_000);
    w.tick().credit("bob", 1).unwrap();
    w.house.wait(240_000);
    refuse(w, "bob", add_on());
    let cause = CancelCause::Operator;
    let cancel = C::Cancel { event: table("tops"), cause, instant: w.tick().now, reason: Some(words("power cut")) };
    operate(w, cancel);
    w.duties();
}

/// The same command is due again when the house has given it: each time it has a minute.
fn late(w: &mut Writer) {
    let terms = structure("freezeout-6", |structure| {
        (structure.entry.players_min, structure.late_levels, structure.guarantee) = (2, 0, 0);
    });
    w.tick().announce("late", &terms).unwrap();
    let (event, starts_at) = (table("late"), w.house.now + HOUR);
    for who in ["alice", "bob"] {
        w.tick().register("late", who).unwrap();
    }
    w.house.now = starts_at;
    let give = |w: &mut Writer, command| w.house.give(&Actor::House, Command::Tournament(command)).unwrap();
    give(w, C::Start { event: event.clone() });
    for _ in 0..2 {
        w.house.now += 40_000;
        give(w, C::EndRegistration { event: event.clone() });
    }
    w.duties();
    let reason = Some(Reference::parse("power cut").unwrap());
    let cancel = C::Cancel { event, cause: CancelCause::Operator, instant: w.tick().now, reason };
    w.house.give(&Actor::Operator, Command::Tournament(cancel)).unwrap();
    w.duties();
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log of events for what the others leave open: names, entries, postponed starts, rebuys, heads, tickets, deals, disqualifications, substitutes; spec/games/tournaments.md. Fields as in entries-joy.json.";
    write().text(FILE, about, "", &["cage", "house", "tickets", "rounding_residual", "player:alice", "player:bob"])
}
