//! The table of cheats at shared tables, in Safe's piles, at the wheel and with refunds: each caught by the check
//! named, at the entry at fault.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use audit_common::crooked::{Crooked, Trick};
use audit_common::edit::*;
use common::safe::{alive, at_pile_like, commit_all, finish};
use common::shared::*;
use common::*;
use fairshoe_fairness::{Composition, RoundEntropy, SeedCommitment, ServerSeed, Slot};
use fairshoe_games::{Action, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, LapseCause, Lapsed, RetireCause, SeedDealer, VoidCause};
use fairshoe_judge::audit::Check;
use std::sync::OnceLock;

/// An honest book: Safe with two new piles and a player missing from one shuffle; live blackjack with a time-out, a
/// newcomer who does not bet, a withheld seed, a cut card, a restart; a wheel; refunds up to the cap.
fn book() -> &'static (Vec<Vec<u8>>, SeedDealer) {
    static BOOK: OnceLock<(Vec<Vec<u8>>, SeedDealer)> = OnceLock::new();
    BOOK.get_or_init(|| {
        let mut house = at_pile_like(&[], 1, |house| alive(house).len() >= 3);
        let missing = alive(&house)[1].clone();
        for who in alive(&house).into_iter().filter(|who| *who != missing) {
            common::safe::commit(&mut house, &who).unwrap();
        }
        house.now += MINUTE;
        house.run_due();
        commit_all(&mut house);
        house.show_all("t1");
        finish(&mut house, &mut common::rng::Rng(3));
        for act in [live, wheel, refunds] {
            // Windows that nobody wants any more end first.
            for _ in 0..2 {
                house.run_due();
                house.now += MINUTE;
            }
            house.run_due();
            act(&mut house);
        }
        (house.log, SeedDealer::new(fairshoe_fairness::Master::from_bytes(MASTER)))
    })
}

fn live(house: &mut House) {
    house
        .open_rules("live", rules("live-blackjack", &[("reshuffle", r#"{"cut_back":390}"#), ("bet_time_ms", "60000")]));
    house.sit_all("live", &["alice", "bob"]);
    house.place_bets("live", "alice", &[("1", 300)]).unwrap();
    house.place_bets("live", "bob", &[("2", 300)]).unwrap();
    house.place_bets("live", "alice", &[("1", 100)]).unwrap();
    house.cancel("live", "bob").unwrap();
    house.wish_for("live", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && (0..2).all(|l| d.value(l, 0) == 5 && d.value(l, 1) < 9)
    });
    house.place_bets("live", "alice", &[("1", 100)]).unwrap();
    house.place_bets("live", "bob", &[("2", 100)]).unwrap();
    house.run_due();
    house.show_all("live");
    house.choose("live", "alice", Action::Hit).unwrap();
    house.now += 21 * SECOND;
    house.run_due();
    house.play_out("live");
    house.run_due();
    // Carol asks for a shoe and does not bet on it.
    house.sit("live", "carol", 3).unwrap();
    house.whole_round("live", &["alice", "bob"], 100);
    house.place_all("live", &["alice", "bob"], 100);
    house.now += MINUTE;
    house.run_due();
    // Bob's seed stays away.
    house.show("live", "alice").unwrap();
    house.now += 11 * SECOND;
    house.run_due();
    // Alice plays alone until the cut card comes and the shoe is changed; carol loses her seat.
    for _ in 0..8 {
        house.place_all("live", &["alice"], 100);
        house.now += MINUTE;
        house.run_due();
        house.show_all("live");
        house.play_out("live");
        house.run_due();
    }
    // A restart while alice is asked, and one while bets are open.
    house.wish_for("live", &["alice"], 2, |d| d.value(1, 0) == 6 && d.value(0, 0) == 5 && d.value(0, 1) < 9);
    house.deal_all("live", &["alice"], 100);
    house.crash();
    house.run_due();
    house.play_out("live");
    house.run_due();
    house.place_all("live", &["alice"], 100);
    house.crash();
    house.run_due();
    house.now += MINUTE;
    house.run_due();
}

fn wheel(house: &mut House) {
    house.open_rules("wheel", rules("roulette", &[("spins", "3")]));
    house.sit_all("wheel", &["alice", "dave"]);
    for _ in 0..4 {
        for who in ["alice", "dave"] {
            house.place_bets("wheel", who, &[("straight:17", 100), ("red", 100)]).unwrap();
        }
        house.run_due();
        house.show_all("wheel");
        house.run_due();
    }
}

fn refunds(house: &mut House) {
    // Nobody plays at the shared tables any more: their seats are freed first.
    house.now += HOUR;
    house.run_due();
    for name in ["rng-1", "rng-2", "rng-3"] {
        house
            .give(
                &by("dave"),
                Command::OpenTable { table: table(name), rules: rules("rng-blackjack", &[]), replaces: None },
            )
            .unwrap();
        house.run_due();
        house.wish_for(name, &["dave"], 1, |d| (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (10, 6, 5));
        let bet = house.place_command(name, "dave", &[("1", 1000)]);
        house.give(&by("dave"), bet).unwrap();
        house.show(name, "dave").unwrap();
        house.now += DAY;
        house.run_due();
    }
}

fn at(entry: &Entry, name: &str) -> bool {
    entry.at.as_ref().is_some_and(|at| at.table.as_str() == name)
}

fn closes(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::BetsClosed { .. }))
}

fn on_time(entry: &Entry) -> bool {
    at(entry, "live") && entry.by == Actor::House && matches!(entry.command, Command::CloseBets { .. }) && closes(entry)
}

fn withheld(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::RoundVoided { cause: VoidCause::RevealMissing, .. }))
}

fn no_bet(entry: &Entry) -> bool {
    matches!(entry.command, Command::CloseBets { .. }) && has(entry, |e| matches!(e, Event::Cooldown { .. }))
}

fn spins(entry: &Entry) -> bool {
    plays(entry).any(|play| matches!(play, RoundEvent::Spun { .. }))
}

fn refunded(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::RoundVoided { cause: VoidCause::Abandoned, .. }))
}

fn drop_event(book: &mut [Entry], what: Find, which: fn(&Event) -> bool) -> usize {
    edit_with(book, what, |entry| {
        let place = entry.events.iter().position(which).expect("no such event");
        entry.events.remove(place);
    })
}

fn edit_with(book: &mut [Entry], what: Find, change: impl FnOnce(&mut Entry)) -> usize {
    let at = find(book, what);
    change(&mut book[at]);
    at
}

/// Sets the time of such an entry a millisecond back, as far as the entry before it allows.
fn early(book: &mut [Entry], what: Find) -> usize {
    let at = (1..book.len()).find(|n| what(&book[*n]) && book[n - 1].time < book[*n].time).unwrap();
    book[at].time -= 1;
    at
}

/// Cuts the book off before this entry and goes on with another one in its place.
fn instead(book: &mut Vec<Entry>, at: usize, by: Actor, command: Command, events: Vec<Event>) -> usize {
    let mut entry = book[at].clone();
    (entry.by, entry.command, entry.events, entry.before) = (by, command, events, Vec::new());
    book.truncate(at);
    book.push(entry);
    at
}

fn retires(entry: &Entry, with: RetireCause) -> bool {
    entry.events.iter().any(|e| matches!(e, Event::ShoeRevealed { cause: Some(cause), .. } if *cause == with))
}

#[rustfmt::skip]
const CHEATS: &[(&str, Check, Change)] = &[
    // Seats, windows, bets.
    ("gives a seat to another", Check::Seat, |book| edit(book, |e| at(e, "live") && matches!(e.command, Command::TakeSeat { .. }), |entry| {
        if let Event::SeatTaken { player, .. } = &mut entry.events[0] { *player = "zoe".parse().unwrap(); }
    })),
    ("seats two players on one seat", Check::Refused, |book| {
        let place = (0..book.len()).filter(|n| at(&book[*n], "live") && matches!(book[*n].command, Command::TakeSeat { .. })).nth(1).unwrap();
        if let Command::TakeSeat { seat, .. } = &mut book[place].command { *seat = 1; }
        if let Event::SeatTaken { seat, .. } = &mut book[place].events[0] { *seat = 1; }
        place
    }),
    ("keeps an absent player's seat", Check::EventMissing, |book| {
        drop_event(book, |e| on_time(e) && has(e, |e| matches!(e, Event::SeatLeft { .. })), |e| matches!(e, Event::SeatLeft { .. }))
    }),
    ("takes a seat from one who bet", Check::EventExtra, |book| edit(book, |e| at(e, "live") && closes(e), |entry| {
        entry.events.push(Event::SeatLeft { player: "bob".parse().unwrap(), seat: 2 });
    })),
    ("closes bets early against the rule", Check::Refused, |book| early(book, on_time)),
    ("shortens a betting window", Check::Deadline, |book| edit(book, |e| matches!(e.command, Command::OpenBets { .. }), |entry| {
        if let Event::BetsOpened { closes_at, .. } = &mut entry.events[0] { *closes_at = closes_at.map(|by| by - 1); }
    })),
    ("takes a bet when the time is over", Check::Refused, |book| {
        let close = find(book, |e| on_time(e) && no_bet(e));
        let bet = (0..close).rev().find(|n| matches!(book[*n].command, Command::Bet { .. })).unwrap();
        book[bet].time = book[close].time;
        bet
    }),
    ("lets a bet be cancelled when the time is over", Check::Refused, |book| {
        let close = find(book, |e| on_time(e) && no_bet(e));
        let mut entry = book[close].clone();
        entry.by = by("alice");
        entry.command = Command::CancelBet { table: table("live"), round_no: entry.command.round_no().unwrap() };
        entry.events = vec![Event::BetCancelled { player: player("alice") }];
        book.insert(close, entry);
        close
    }),
    ("opens bets while a round is in play", Check::Refused, |book| {
        let place = find(book, |e| matches!(&e.command, Command::Reveal { .. }) && at(e, "live"));
        instead(book, place, Actor::House, Command::OpenBets { table: table("live") }, vec![Event::BetsOpened { round_no: 1, shoe_no: 0, closes_at: Some(0) }])
    }),
    ("states another stake in bets_closed", Check::Bets, |book| edit(book, |e| at(e, "live") && closes(e), |entry| {
        if let Event::BetsClosed { contributors, .. } = event_mut(entry, |e| matches!(e, Event::BetsClosed { .. })) { contributors[0].bets[0].stake = chips(5000); }
    })),
    ("adds a contributor nobody saw", Check::Bets, |book| edit(book, |e| at(e, "live") && closes(e), |entry| {
        if let Event::BetsClosed { contributors, .. } = event_mut(entry, |e| matches!(e, Event::BetsClosed { .. })) { let mut shill = contributors[0].clone(); shill.player = player("zoe"); contributors.push(shill); }
    })),
    ("deals from other lanes", Check::Bets, |book| edit(book, |e| at(e, "live") && closes(e), |entry| {
        if let Event::BetsClosed { lanes, .. } = event_mut(entry, |e| matches!(e, Event::BetsClosed { .. })) { *lanes = 1; }
    })),
    ("shortens the reveal window", Check::Deadline, |book| edit(book, |e| at(e, "live") && closes(e), |entry| {
        if let Event::BetsClosed { reveal_by, .. } = event_mut(entry, |e| matches!(e, Event::BetsClosed { .. })) { *reveal_by -= 1; }
    })),
    ("returns one unit too little of a cancelled bet", Check::Posting, |book| edit(book, |e| matches!(e.command, Command::CancelBet { .. }), |entry| {
        if let Event::Posted { lines } = &mut entry.events[1] { lines[0].1 -= 1; lines[0].2 -= 1; }
    })),
    ("debits a replaced bet in full again", Check::Posting, |book| edit(book, |e| at(e, "live") && matches!(e.command, Command::Bet { .. }) && has(e, |e| matches!(e, Event::Posted { lines } if lines[0].1 > 0)), |entry| {
        if let Event::Posted { lines } = &mut entry.events[1] { lines[0].1 = -100; }
    })),
    ("keeps bets that a restart sends back", Check::EventOrder, |book| {
        drop_event(book, |e| has(e, |e| matches!(e, Event::BetsLapsed { cause: LapseCause::Restart, .. })) && has(e, |e| matches!(e, Event::Posted { .. })), |e| matches!(e, Event::Posted { .. }))
    }),
    ("blames the players for a window that the restart ended", Check::Void, |book| edit(book, |e| has(e, |e| matches!(e, Event::BetsLapsed { cause: LapseCause::Restart, .. })), |entry| {
        if let Event::BetsLapsed { cause, .. } = event_mut(entry, |e| matches!(e, Event::BetsLapsed { .. })) { *cause = LapseCause::NoBets; }
    })),
    // Newcomers, shoes.
    ("lets a newcomer bet on a played shoe", Check::Refused, |book| {
        let carol = find(book, |e| at(e, "live") && matches!(e.command, Command::TakeSeat { .. }) && e.by == by("carol"));
        let bet = (carol..book.len()).find(|n| matches!(book[*n].command, Command::Bet { .. })).unwrap();
        book[bet].by = by("carol");
        bet
    }),
    ("changes a shoe that favours the players, with no newcomer", Check::Refused, |book| {
        let place = (0..book.len()).filter(|n| at(&book[*n], "live") && matches!(book[*n].command, Command::OpenBets { .. })).nth(1).unwrap();
        let seeds = vec![ServerSeed::from_bytes([0; 32])];
        instead(book, place, Actor::House, Command::RetireShoe { table: table("live"), reason: None }, vec![Event::ShoeRevealed { shoe_no: 0, seeds, cause: Some(RetireCause::Newcomer) }])
    }),
    ("shuffles at its discretion where the rules have none", Check::Refused, |book| edit(book, |e| retires(e, RetireCause::Newcomer), |entry| {
        entry.by = Actor::Operator;
        if let Command::RetireShoe { reason, .. } = &mut entry.command { *reason = fairshoe_house::Reference::parse("worn cards"); }
    })),
    ("calls a newcomer's shoe change a threshold", Check::ShoeRevealed, |book| edit(book, |e| retires(e, RetireCause::Newcomer), |entry| {
        if let Event::ShoeRevealed { cause, .. } = &mut entry.events[0] { *cause = Some(RetireCause::Threshold); }
    })),
    ("keeps a shoe past its threshold", Check::EventMissing, |book| {
        drop_event(book, |e| at(e, "live") && retires(e, RetireCause::Threshold), |e| matches!(e, Event::ShoeRevealed { .. }))
    }),
    ("does not say that it is the last hand", Check::EventOrder, |book| {
        drop_event(book, |e| has(e, |e| matches!(e, Event::LastHand { .. })), |e| matches!(e, Event::LastHand { .. }))
    }),
    ("shows a card instead of saying that it is the last hand", Check::EventOrder, |book| edit(book, |e| has(e, |e| matches!(e, Event::LastHand { .. })), |entry| {
        let shown = entry.events.iter().find(|e| matches!(e, Event::Play(RoundEvent::Dealt { card: Some(_), .. }))).unwrap().clone();
        *event_mut(entry, |e| matches!(e, Event::LastHand { .. })) = shown;
    })),
    ("keeps a resumed round's shoe", Check::EventMissing, |book| {
        drop_event(book, |e| at(e, "live") && has(e, |e| matches!(e, Event::RoundSettled { .. })) && retires(e, RetireCause::Restart), |e| matches!(e, Event::ShoeRevealed { .. }))
    }),
    // The ladder.
    ("lets a newcomer off who did not bet", Check::EventMissing, |book| drop_event(book, no_bet, |e| matches!(e, Event::Cooldown { .. }))),
    ("lets a withholder off", Check::EventOrder, |book| drop_event(book, |e| at(e, "live") && withheld(e), |e| matches!(e, Event::Cooldown { .. }))),
    ("shortens or lengthens a cooldown", Check::Cooldown, |book| edit(book, |e| at(e, "live") && withheld(e), |entry| {
        if let Event::Cooldown { until, .. } = event_mut(entry, |e| matches!(e, Event::Cooldown { .. })) { *until += 60_000; }
    })),
    ("miscounts offences", Check::Cooldown, |book| edit(book, |e| at(e, "live") && withheld(e), |entry| {
        if let Event::Cooldown { offences, .. } = event_mut(entry, |e| matches!(e, Event::Cooldown { .. })) { *offences += 1; }
    })),
    ("lets a withholder keep his seat", Check::EventMissing, |book| drop_event(book, |e| at(e, "live") && withheld(e), |e| matches!(e, Event::SeatLeft { .. }))),
    ("names the wrong player as missing", Check::Void, |book| edit(book, |e| at(e, "live") && withheld(e), |entry| {
        if let Event::RoundVoided { missing, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *missing = vec![player("alice")]; }
    })),
    ("calls a reveal missing before its time", Check::Refused, |book| edit(book, |e| at(e, "live") && withheld(e), |entry| entry.time -= 5_000)),
    // The turn clock.
    ("times a player out early", Check::Refused, |book| edit(book, |e| matches!(e.command, Command::Lapse { lapsed: Lapsed::Turn, .. }), |entry| entry.time -= 2_000)),
    ("passes a default off as the player's choice", Check::Action, |book| edit(book, |e| matches!(e.command, Command::Lapse { lapsed: Lapsed::Turn, .. }), |entry| {
        if let RoundEvent::Acted { default, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Acted { .. })) { *default = false; }
    })),
    ("hits for a player whose time is over", Check::Action, |book| edit(book, |e| matches!(e.command, Command::Lapse { lapsed: Lapsed::Turn, .. }), |entry| {
        if let RoundEvent::Acted { action, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Acted { .. })) { *action = Action::Hit; }
    })),
    ("gives a resumed turn less time", Check::Resume, |book| edit(book, |e| has(e, |e| matches!(e, Event::RoundResumed { turn_by: Some(_), .. })), |entry| {
        if let Event::RoundResumed { turn_by, .. } = event_mut(entry, |e| matches!(e, Event::RoundResumed { .. })) { *turn_by = turn_by.map(|by| by - 1); }
    })),
    ("shows a deadline on a shared round", Check::Deadline, |book| edit(book, |e| at(e, "live") && has(e, |e| matches!(e, Event::RoundOpened { .. })), |entry| {
        if let Event::RoundOpened { settle_by, .. } = event_mut(entry, |e| matches!(e, Event::RoundOpened { .. })) { *settle_by = Some(9); }
    })),
    // The wheel.
    ("spins another slot", Check::Spin, |book| edit(book, spins, |entry| {
        if let RoundEvent::Spun { slot, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Spun { .. })) { *slot = Slot(2); }
    })),
    ("moves the ball to another pocket", Check::Spin, |book| edit(book, spins, |entry| {
        if let RoundEvent::Spun { pocket, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Spun { .. })) { *pocket = (*pocket + 1) % 37; }
    })),
    ("moves value and pocket together", Check::Spin, |book| edit(book, spins, |entry| {
        if let RoundEvent::Spun { value, pocket, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Spun { .. })) { *value = (*value + 1) % 37; *pocket = (*pocket + 2) % 37; }
    })),
    ("spins a number that no wheel has", Check::Spin, |book| edit(book, spins, |entry| {
        if let RoundEvent::Spun { value, pocket, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Spun { .. })) { *pocket = (*pocket + 37 - *value) % 37; *value = 37; }
    })),
    ("pays a bet that lost", Check::Payout, |book| edit(book, spins, |entry| {
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) { let line = lines.iter_mut().find(|line| line.returned == fairshoe_games::Chips::ZERO).unwrap(); line.returned = chips(200); }
    })),
    // Refunds.
    ("does not count a refund", Check::Void, |book| edit(book, refunded, |entry| {
        if let Event::RoundVoided { refunds, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *refunds = None; }
    })),
    ("counts a refund as the first again", Check::Void, |book| edit(book, |e| refunded(e) && at(e, "rng-2"), |entry| {
        if let Event::RoundVoided { refunds, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *refunds = Some(1); }
    })),
    ("refunds beyond the cap", Check::EventOrder, |book| {
        let model = book[find(book, |e| refunded(e) && at(e, "rng-2"))].clone();
        edit_with(book, |e| at(e, "rng-3") && matches!(e.command, Command::Lapse { .. }), |entry| entry.events = model.events)
    }),
    ("refunds before the day is over", Check::Refused, |book| early(book, refunded)),
    ("takes a lost hand where a refund is due", Check::EventOrder, |book| {
        let model = book[find(book, |e| at(e, "rng-3") && matches!(e.command, Command::Lapse { .. }))].clone();
        edit_with(book, |e| refunded(e) && at(e, "rng-1"), |entry| entry.events = model.events)
    }),
    // Piles.
    ("lays a pile of other cards", Check::ShoeCommitted, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileOpened { .. })), |entry| {
        if let Event::ShoeCommitted { composition, .. } = event_mut(entry, |e| matches!(e, Event::ShoeCommitted { .. })) { *composition = Composition::parse("52x1").unwrap(); }
    })),
    ("collects other cards than lie there", Check::EventOrder, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileOpened { .. })), |entry| {
        if let RoundEvent::Safe(fairshoe_games::safe::SafeEvent::Collected { cards, .. }) = play_mut(entry, |play| matches!(play, RoundEvent::Safe(fairshoe_games::safe::SafeEvent::Collected { .. }))) { cards.pop(); }
    })),
    ("leaves a player out of a shuffle", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileOpened { .. })), |entry| {
        if let Event::PileOpened { players, .. } = event_mut(entry, |e| matches!(e, Event::PileOpened { .. })) { players.pop(); }
    })),
    ("gives less time to commit", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileOpened { .. })), |entry| {
        if let Event::PileOpened { commit_by, .. } = event_mut(entry, |e| matches!(e, Event::PileOpened { .. })) { *commit_by -= 1; }
    })),
    ("swallows a commitment", Check::TableSeq, |book| {
        let place = find(book, |e| matches!(e.command, Command::CommitSeed { .. }));
        book.remove(place);
        (place..book.len()).find(|n| at(&book[*n], "t1")).unwrap()
    }),
    ("writes another commitment than came", Check::Pile, |book| edit(book, |e| matches!(e.command, Command::CommitSeed { .. }), |entry| {
        if let Event::SeedCommitted { commitment, .. } = &mut entry.events[0] { *commitment = SeedCommitment::from_bytes([1; 32]); }
    })),
    ("replaces a commitment in pile_closed", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileClosed { .. })), |entry| {
        if let Event::PileClosed { contributors, .. } = event_mut(entry, |e| matches!(e, Event::PileClosed { .. })) { contributors[0].commitment = SeedCommitment::from_bytes([1; 32]); }
    })),
    ("commits for a player", Check::Refused, |book| edit(book, |e| matches!(e.command, Command::CommitSeed { .. }), |entry| entry.by = Actor::House)),
    ("shuffles a pile with another entropy", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileShuffled { .. })), |entry| {
        if let Event::PileShuffled { entropy, .. } = event_mut(entry, |e| matches!(e, Event::PileShuffled { .. })) { *entropy = RoundEntropy::from_bytes([1; 32]); }
    })),
    ("invents an absent player", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileFailed { .. })), |entry| {
        if let Event::PileFailed { missing, .. } = event_mut(entry, |e| matches!(e, Event::PileFailed { .. })) { missing.push(player("zoe")); }
    })),
    ("puts another player out for the one who was missing", Check::Pile, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileFailed { .. })), |entry| {
        let present = alive_in(entry);
        if let RoundEvent::Absent { player } = play_mut(entry, |play| matches!(play, RoundEvent::Absent { .. })) { *player = present; }
    })),
    ("fails a shuffle before its time", Check::Refused, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileFailed { .. })), |entry| entry.time -= 50_000)),
    ("does not show the pile that was not used", Check::EventOrder, |book| {
        drop_event(book, |e| has(e, |e| matches!(e, Event::PileFailed { .. })), |e| matches!(e, Event::ShoeRevealed { .. }))
    }),
    ("publishes a pile's seed in mid-game", Check::EventExtra, |book| edit(book, |e| has(e, |e| matches!(e, Event::PileOpened { .. })), |entry| {
        entry.events.push(Event::ShoeRevealed { shoe_no: 0, seeds: vec![ServerSeed::from_bytes([0; 32])], cause: Some(RetireCause::PileUsed) });
    })),
    ("keeps a used pile's seed for itself", Check::ShoeRevealed, |book| {
        drop_event(book, |e| has(e, |e| matches!(e, Event::ShoeRevealed { cause: Some(RetireCause::PileUsed), .. })), |e| matches!(e, Event::ShoeRevealed { .. }))
    }),
    ("publishes another seed for a pile", Check::SeedOpens, |book| edit(book, |e| has(e, |e| matches!(e, Event::ShoeRevealed { cause: Some(RetireCause::PileUsed), .. })), |entry| {
        if let Event::ShoeRevealed { seeds, .. } = event_mut(entry, |e| matches!(e, Event::ShoeRevealed { .. })) { seeds[0] = ServerSeed::from_bytes([3; 32]); }
    })),
];

/// Somebody who is in the shuffle that comes next.
fn alive_in(entry: &Entry) -> fairshoe_fairness::PlayerId {
    the(entry, |e| if let Event::PileOpened { players, .. } = e { Some(players[0].clone()) } else { None })
}

#[test]
fn the_honest_book_is_sound() {
    assert_eq!(audit(&book().0).first_failure, None);
}

#[test]
fn each_cheat_is_caught_by_its_check() {
    let mut missed = Vec::new();
    for (name, check, change) in CHEATS {
        let mut book = entries(&book().0);
        let at = change(&mut book);
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let Some(finding) = audit(&log).first_failure else {
            missed.push(format!("{name}: nothing found"));
            continue;
        };
        if (finding.check, finding.entry) != (*check, Some(at as u64)) {
            missed.push(format!("{name}: wanted {check} at {at}: {finding}"));
        }
        assert!(finding.message.len() > 20, "{name}: {finding}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(CHEATS.len() >= 55, "{}", CHEATS.len());
}

/// A house that frees seats before their time, leaves one out, or opens bets over an idle seat.
type Alter = fn(&mut Entry);

#[test]
fn seats_that_are_not_idle_are_not_freed_and_those_that_are_all_are() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.now += 16 * SECOND;
    house.run_due();
    let before = house.log.len();
    let sat = house.now;
    house.now = sat + 30 * MINUTE;
    house.run_due();
    let book = entries(&house.log);
    assert!(matches!(book[before].command, Command::TidySeats { .. }) && book[before].events.len() == 2);
    let changes: [(Alter, Check); 4] = [
        (|entry| entry.time -= 20 * MINUTE, Check::Refused),
        (|entry| drop(entry.events.pop()), Check::EventMissing),
        (|entry| entry.by = Actor::Operator, Check::Refused),
        (
            |entry| {
                if let Some(Event::SeatLeft { seat, .. }) = entry.events.last_mut() {
                    *seat = 3;
                }
            },
            Check::Seat,
        ),
    ];
    for (change, check) in changes {
        let mut entry = book[before].clone();
        change(&mut entry);
        let log: Vec<_> = house.log[..before].iter().cloned().chain([entry.encode().unwrap()]).collect();
        let finding = audit(&log).first_failure.unwrap();
        assert_eq!((finding.check, finding.entry), (check, Some(before as u64)), "{finding}");
    }
}

/// A player who changes bets without end, and whose house lets it happen.
#[test]
fn one_change_too_many_is_found() {
    let mut house = House::shared("live-blackjack", &[("bet_time_ms", "604800000")], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for _ in 0..63 {
        house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    }
    let mut entry = entries(&house.log).pop().unwrap();
    entry.at.as_mut().unwrap().seq += 1;
    entry.before[0].1 = chips(house.balance("alice"));
    entry.events.retain(|event| matches!(event, Event::BetPlaced { .. }));
    let log: Vec<_> = house.log.iter().cloned().chain([entry.encode().unwrap()]).collect();
    let finding = audit(&log).first_failure.unwrap();
    assert_eq!(finding.check, Check::Refused);
    assert!(finding.message.contains("too_many_changes"), "{finding}");
}

#[test]
fn a_wheel_that_lies_is_found_when_its_seed_comes_out() {
    let mut house = House::shared("roulette", &[("spins", "2")], &["alice"]);
    house.dealer = Box::new(Crooked::new(Trick::MovesTheWheel));
    house.sit_all("t1", &["alice"]);
    for _ in 0..2 {
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.run_due();
        house.show_all("t1");
        house.run_due();
    }
    let finding = audit(&house.log).first_failure.unwrap();
    assert_eq!(finding.check, Check::FaceFalse);
    let entry = &entries(&house.log)[finding.entry.unwrap() as usize];
    let said = plays(entry)
        .find_map(|play| if let RoundEvent::Spun { value, .. } = play { Some(*value) } else { None })
        .unwrap();
    let (shown, truth) = (format!("was shown as {said},"), format!("the revealed seed has {} there", (said + 36) % 37));
    assert!(finding.message.contains(&shown) && finding.message.ends_with(&truth), "{finding}");
}
