//! Used shoes come out, and what the house lets pass is found (spec/recovery.md, "Deadlines"; spec/audit.md,
//! "Overdue").

use crate::audit_common;
use crate::common;

use audit_common::{Archive, audit};
use common::shared::*;
use common::*;
use fairshoe_games::Bet;
use fairshoe_house::{
    Actor, Command, Entry, Event, OVERDUE_GRACE_MS, RetireCause, SHOE_BYTES, SHOE_ENTRIES, SHOE_IDLE_MS,
};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::bundle::{MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, Soundness};

/// A table that alice has played a round at and left; the house has done what was due.
fn left(name: &str, options: &[(&str, &str)], bets: &[(&str, u64)]) -> House {
    let mut house = House::shared(name, options, &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", bets).unwrap();
    house.run_due();
    house.show_all("t1");
    house.play_out("t1");
    house.leave("t1", "alice").unwrap();
    house.run_due();
    house
}

fn causes(entries: &[Entry]) -> Vec<RetireCause> {
    let cause = |event: &Event| if let Event::ShoeRevealed { cause, .. } = event { *cause } else { None };
    entries.iter().flat_map(|entry| &entry.events).filter_map(cause).collect()
}

#[test]
fn a_shoe_that_was_played_from_comes_out_thirty_minutes_after_its_last_round() {
    for (name, bets) in [("live-blackjack", [("1", 100)]), ("baccarat", [("tie", 100)]), ("roulette", [("red", 100)])] {
        let mut house = left(name, &[], &bets);
        let ended = house.table("t1").shoe_use.unwrap().last_round_at.unwrap();
        assert_eq!(house.state.next_deadline(), Some(ended + SHOE_IDLE_MS), "{name}");
        house.now = ended + SHOE_IDLE_MS - 1;
        assert!(house.run_due().is_empty());
        house.now += 1;
        let entries = house.run_due();
        assert_eq!(causes(&entries), [RetireCause::Idle], "{name}");
        // The next one lies there unused, for ever.
        house.now += DAY;
        assert!(house.run_due().is_empty() && house.table("t1").shoe.is_some());
        let report = audit(&house.log);
        assert_eq!((report.first_failure, report.used_shoes, report.open_shoes), (None, 0, 1));
        assert!(report.shoes_by_cause["idle"] == 1);
    }
}

#[test]
fn windows_that_lapse_do_not_keep_an_idle_shoe() {
    let mut house = left("roulette", &[], &[("red", 100)]);
    let ended = house.table("t1").shoe_use.unwrap().last_round_at.unwrap();
    house.now = ended + SHOE_IDLE_MS - 1_000;
    house.sit("t1", "bob", 2).unwrap();
    house.run_due();
    let closes_at = house.table("t1").window().unwrap().closes_at.unwrap();
    assert!(closes_at > ended + SHOE_IDLE_MS);
    // Bob asks for the next one already; the shoe comes out first all the same.
    house.now = closes_at - 1;
    assert!(house.run_due().is_empty(), "while the window stands the shoe waits");
    house.leave("t1", "bob").unwrap();
    house.sit("t1", "bob", 2).unwrap();
    house.now = closes_at;
    let names: Vec<String> = house.run_due().iter().flat_map(names_of).collect();
    assert_eq!(names, ["bets_lapsed", "shoe_revealed", "shoe_committed", "table_noted", "bets_opened"]);
    let open = Command::OpenBets { table: table("t1") };
    assert_eq!(refusal(house.give(&Actor::House, open)).code(), "nothing_to_do");
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn a_shoe_with_a_long_history_comes_out_between_rounds() {
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    let from = house.table("t1").shoe_use.unwrap().from_seq;
    let mut entries = Vec::new();
    while causes(&entries).is_empty() {
        assert!(house.table("t1").next_seq - from < SHOE_ENTRIES);
        // An announced close asks everybody again.
        house.close("t1", &Actor::Operator).unwrap();
        entries = house.run_due();
    }
    assert_eq!(causes(&entries), [RetireCause::Full]);
    let at = entries.iter().find(|entry| !causes(std::slice::from_ref(entry)).is_empty()).unwrap().at.clone().unwrap();
    assert_eq!(at.seq - from, SHOE_ENTRIES);
    assert_eq!(audit(&house.log).first_failure, None);
}

/// A bet as long as can be: 25 spots, and on each of them so many chips that no more may be listed.
fn longest_bet(house: &House, who: &str, nth: u64) -> Command {
    let corners = (1..=32).filter(|x| x % 3 != 0).map(|x| format!("corner:{x}-{}-{}-{}", x + 1, x + 3, x + 4));
    let splits = [31, 32, 33].map(|x| format!("split:{x}-{}", x + 3));
    let bet = |spot: String| {
        let list: Vec<_> = (0..20).map(|chip| chips(if chip == nth % 20 { 1 } else { 1_000 })).collect();
        Bet { spot, stake: chips(list.iter().map(|chip| chip.units()).sum()), chips: Some(list) }
    };
    let bets = corners.chain(splits).map(bet).collect();
    Command::Bet {
        table: table("t1"),
        round_no: house.seed_number("t1"),
        bets,
        commitment: house.commitment_for("t1", who),
    }
}

#[test]
fn a_shoe_of_the_longest_bets_comes_out_while_a_bundle_can_hold_it() {
    let players = &NAMES[..8];
    let mut house = House::shared("roulette", &[("chips", "[1,1000]")], players);
    house.sit_all("t1", players);
    let from = house.table("t1").shoe_use.unwrap().from_seq;
    let (mut entries, mut rounds) = (Vec::new(), 0);
    while causes(&entries).is_empty() {
        let bytes = house.table("t1").shoe_use.unwrap().bytes;
        assert!(bytes < SHOE_BYTES && house.table("t1").next_seq - from < SHOE_ENTRIES);
        // No more than 64 changes, of which taking the seat was one.
        for nth in 0..60 {
            for who in players {
                let command = longest_bet(&house, who, nth);
                house.give(&by(who), command).unwrap();
            }
        }
        house.close("t1", &Actor::Operator).unwrap();
        house.show_all("t1");
        rounds += 1;
        entries = vec![fairshoe_house::Entry::decode(house.log.last().unwrap()).unwrap()];
        entries.extend(house.run_due());
    }
    assert_eq!(causes(&entries), [RetireCause::Full], "after {rounds} rounds");
    let bundle =
        Archive::new(&house.log).bundle_at(&format!("t1:{}", rounds - 1).parse().unwrap(), house.log.len()).unwrap();
    assert_eq!(bundle.verify(None).verdict, Soundness::Sound);
    // In a log of 2^32 entries every proof has 32 hashes.
    let (held, text) = (bundle.entries.len() + bundle.context.len(), bundle.to_json().unwrap());
    assert!(
        held <= MAX_BUNDLE_ENTRIES && text.len() + held * 32 * 47 < MAX_BUNDLE_BYTES,
        "{held} entries, {} bytes",
        text.len()
    );
}

#[test]
fn the_house_retires_no_shoe_without_a_cause_and_gives_no_reason() {
    let mut house = left("roulette", &[], &[("red", 100)]);
    let retire = |reason: Option<&str>| {
        let reason = reason.and_then(fairshoe_house::Reference::parse);
        Command::RetireShoe { table: table("t1"), reason }
    };
    assert_eq!(refusal(house.give(&Actor::House, retire(None))).code(), "nothing_to_do");
    house.now += SHOE_IDLE_MS;
    assert_eq!(refusal(house.give(&Actor::House, retire(Some("idle")))).code(), "malformed");
    house.give(&Actor::House, retire(None)).unwrap();
}

/// Any entry that has nothing to do with the table.
fn something(house: &mut House) {
    let credit = Command::Credit { player: player("bob"), amount: chips(1), reference: None };
    house.give_late(&Actor::Operator, None, credit).unwrap();
}

fn found(house: &House) -> Option<Finding> {
    audit(&house.log).first_failure
}

/// What is due now, and waits since `since`, may wait for a minute and no longer; the entry that shows it is named.
#[track_caller]
fn must_come(mut house: House, since: u64, what: &str) {
    assert_eq!(found(&house), None, "{what}");
    let kept = house.log.clone();
    house.now = since + OVERDUE_GRACE_MS;
    something(&mut house);
    assert_eq!(found(&house), None, "{what}: a minute is for a busy machine");
    house.now += 1;
    something(&mut house);
    let finding = found(&house).unwrap_or_else(|| panic!("{what} can be left out"));
    assert_eq!((finding.check, finding.entry), (Check::Overdue, Some(kept.len() as u64 + 1)), "{what}: {finding}");
    assert_eq!(finding.table, Some(table("t1")));
    // Performed late it is no better.
    let mut late = House { log: kept.clone(), state: fold(&kept), ..house };
    late.now = since + OVERDUE_GRACE_MS + 1;
    let (by, command) = late.state.due(late.now).expect("something is due");
    late.give(&by, command).unwrap();
    assert_eq!(found(&late).map(|finding| finding.check), Some(Check::Overdue), "{what}, performed late");
    // A start says that the house was away: then nothing was due.
    let mut away = House { log: kept.clone(), state: fold(&kept), ..late };
    away.now = since + DAY;
    away.start().unwrap();
    away.run_due();
    something(&mut away);
    assert_eq!(found(&away), None, "{what}, after a start");
}

#[test]
fn every_deadline_that_the_house_lets_pass_is_found() {
    let seated = || {
        let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        house
    };
    let next = |house: &House| house.state.next_deadline().unwrap();
    let mut window = seated();
    window.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    let since = next(&window);
    must_come(window, since, "the end of a window");

    let mut reveal = seated();
    reveal.place_all("t1", &["alice", "bob"], 100);
    reveal.run_due();
    reveal.show("t1", "alice").unwrap();
    let since = next(&reveal);
    must_come(reveal, since, "the end of a round whose seeds are missing");

    let mut turn = seated();
    turn.wish_for("t1", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && (0..2).all(|l| d.value(l, 0) == 5 && d.value(l, 1) < 9)
    });
    turn.deal_all("t1", &["alice", "bob"], 100);
    let since = next(&turn);
    must_come(turn, since, "a turn");

    let idle = left("roulette", &[], &[("red", 100)]);
    let since = next(&idle);
    must_come(idle, since, "an idle shoe");

    let mut solo = House::with_table(&[], 1_000);
    solo.add_player("bob", 1_000);
    solo.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 7);
    let since = next(&solo);
    must_come(solo, since, "the settlement of a solo round");

    let pile = common::safe::at_pile_like(&[], 1, |house| common::safe::alive(house).len() >= 3);
    let since = next(&pile);
    must_come(pile, since, "a pile");
}

#[test]
fn every_duty_that_the_house_leaves_undone_is_found() {
    let mut shoe = House::shared("roulette", &[], &["alice", "bob"]);
    shoe.give(
        &Actor::Operator,
        Command::OpenTable { table: table("t2"), rules: rules("baccarat", &[]), replaces: None },
    )
    .unwrap();
    let since = shoe.now;
    shoe.now += OVERDUE_GRACE_MS + 1;
    something(&mut shoe);
    let finding = found(&shoe).unwrap();
    assert_eq!(
        (finding.check, finding.table.as_ref().map(ToString::to_string).as_deref()),
        (Check::Overdue, Some("t2"))
    );
    assert!(finding.message.contains(&fairshoe_judge::utc(since)), "{finding}");

    let mut open = House::shared("roulette", &[], &["alice", "bob"]);
    open.sit("t1", "alice", 1).unwrap();
    let since = open.now;
    must_come(open, since, "a window that somebody waits for");

    let mut early = House::shared("roulette", &[("bet_time_ms", "600000")], &["alice", "bob"]);
    early.sit_all("t1", &["alice"]);
    early.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    let since = early.now;
    must_come(early, since, "an early close");

    let mut newcomer = House::shared("baccarat", &[], &["alice", "bob"]);
    newcomer.sit_all("t1", &["alice"]);
    newcomer.place_bets("t1", "alice", &[("tie", 100)]).unwrap();
    newcomer.run_due();
    newcomer.sit("t1", "bob", 2).unwrap();
    newcomer.show_all("t1");
    let since = newcomer.now;
    must_come(newcomer, since, "a newcomer's shoe");
}

#[test]
fn what_is_due_is_not_put_off_by_other_entries_of_the_table() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    // The seed is due in ten seconds, and bob comes and goes.
    let reveal_by = house.state.next_deadline().unwrap();
    for n in 0..4 {
        let command = match n % 2 {
            0 => Command::TakeSeat { table: table("t1"), seat: 2 },
            _ => Command::LeaveSeat { table: table("t1") },
        };
        house.now += 20_000;
        house.give_late(&by("bob"), None, command).unwrap();
    }
    assert!(house.now > reveal_by + OVERDUE_GRACE_MS);
    let finding = found(&house).unwrap();
    assert_eq!((finding.check, finding.entry), (Check::Overdue, Some(house.log.len() as u64 - 1)));
}

#[test]
fn the_report_names_what_is_due_and_what_is_open_where_the_log_ends() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    for _ in 0..2 {
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.run_due();
        house.show_all("t1");
        house.run_due();
    }
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    let mut book = fairshoe_judge::audit::Book::new(Default::default());
    for (index, bytes) in (0u64..).zip(&house.log) {
        book.feed(index, bytes).unwrap();
    }
    let due = house.state.next_deadline().unwrap();
    assert!(book.overdue(due + OVERDUE_GRACE_MS).is_empty());
    let late = book.overdue(due + OVERDUE_GRACE_MS + 1);
    assert_eq!((late.len(), late[0].since, late[0].table.as_ref().unwrap().as_str()), (1, due, "t1"));
    assert!(matches!(late[0].command, Command::Lapse { .. }));
    let report = book.finish();
    assert!(report.is_sound() && !report.is_complete());
    let shoe = &report.open_shoes_listed[0];
    assert_eq!((shoe.rounds, shoe.cards_shown, shoe.live_round, report.used_shoes), (3, 2, Some(2), 1));
    assert_eq!(shoe.since, T0);
    house.show_all("t1");
    house.run_due();
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    assert!(audit(&house.log).is_complete());
}
