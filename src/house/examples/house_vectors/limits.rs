//! A log of players who set themselves limits: what is counted, in which period, what is refused, what waits a day, and
//! who is shut out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::poker::PLAIN;
use crate::common::shared::rules;
use crate::common::*;
use fairshoe_fairness::PlayerId;
use fairshoe_games::Action;
use fairshoe_house::{
    Actor, Command, LIMIT_DELAY_MS, LimitOf, LimitPeriod, MOST_EXCLUDED_MS, Reference, SITTING_GAP_MS,
};

pub const FILE: &str = "entries-limits.json";

fn set(who: &str, of: LimitOf, per: LimitPeriod, most: Option<u64>) -> Command {
    Command::SetLimit { player: player(who), of, per, most }
}

fn exclude(who: &str, until: u64) -> Command {
    Command::Exclude { player: player(who), until }
}

fn credit(who: &str, amount: u64) -> Command {
    Command::Credit { player: player(who), amount: chips(amount), reference: None }
}

fn sit_down(seat: u8, buy_in: u64) -> Command {
    Command::SitDown { table: table("poker"), seat, buy_in: chips(buy_in), client: None, entry: None }
}

/// The time comes, and what is due until then is done when it is.
fn come(w: &mut Writer, until: u64) {
    w.house.wait(until.saturating_sub(w.house.now));
}

fn count(w: &Writer, who: &str, of: LimitOf) -> i64 {
    let limits = w.house.state.limits_at(&player(who), w.house.now);
    limits.into_iter().find(|limit| limit.of == of).unwrap().count
}

fn deposits(w: &mut Writer) {
    let operator = Actor::Operator;
    let day = |most| set("alice", LimitOf::Deposit, LimitPeriod::Day, most);
    w.refuse(&operator, set("nobody", LimitOf::Deposit, LimitPeriod::Day, Some(1)));
    w.refuse(&operator, set("guest.0", LimitOf::Deposit, LimitPeriod::Day, Some(1)));
    let tomorrow = w.house.now + DAY;
    w.refuse(&operator, exclude("guest.0", tomorrow));
    w.refuse(&operator, exclude("nobody", tomorrow));
    w.refuse(&by("bob"), day(Some(1)));
    w.refuse(&by("alice"), day(None));
    w.tick().give(&by("alice"), day(Some(1_000))).unwrap();
    let begun = w.house.now;
    w.refuse(&by("alice"), day(Some(1_000)));
    w.tick().credit("alice", 600).unwrap();
    w.refuse(&operator, credit("alice", 401));
    w.tick().credit("alice", 400).unwrap();
    // Tighter at once, looser in a day; what waits falls away when the player says the present number again.
    w.tick().give(&by("alice"), day(Some(500))).unwrap();
    w.refuse(&operator, credit("alice", 1));
    w.tick().give(&by("alice"), day(Some(2_000))).unwrap();
    w.refuse(&by("alice"), day(Some(2_000)));
    w.tick().give(&by("alice"), day(Some(500))).unwrap();
    w.tick().give(&by("alice"), day(Some(3_000))).unwrap();
    w.tick().give(&by("alice"), day(Some(1_500))).unwrap();
    let loosened = w.house.now;
    // The period ends a day after it began, to the millisecond.
    come(w, begun + DAY - 1);
    w.refuse(&operator, credit("alice", 1));
    w.house.now += 1;
    w.refuse(&operator, credit("alice", 501));
    w.house.credit("alice", 500).unwrap();
    come(w, loosened + LIMIT_DELAY_MS - 1);
    w.refuse(&operator, credit("alice", 1));
    w.house.now += 1;
    w.refuse(&operator, credit("alice", 1_001));
    w.house.credit("alice", 1_000).unwrap();
    // Without a limit a day later; one that is set then counts from nothing. A month's counts beside a day's.
    w.tick().give(&operator, day(None)).unwrap();
    w.refuse(&operator, day(None));
    come(w, loosened + 2 * LIMIT_DELAY_MS + 10_000);
    w.house.credit("alice", 10_000).unwrap();
    w.tick().give(&by("alice"), day(Some(700))).unwrap();
    w.tick().give(&by("alice"), set("alice", LimitOf::Deposit, LimitPeriod::Month, Some(900))).unwrap();
    w.tick().credit("alice", 700).unwrap();
    w.house.wait(DAY);
    w.refuse(&operator, credit("alice", 201));
    w.tick().credit("alice", 200).unwrap();
}

fn losses(w: &mut Writer) {
    let day = |most| set("alice", LimitOf::Loss, LimitPeriod::Day, most);
    w.tick().give(&by("alice"), day(Some(10))).unwrap();
    let big = w.house.bet_command("t1", "alice", 11, &w.house.any_seed("t1"));
    w.refuse(&by("alice"), big);
    // A double of a round in progress goes past it.
    let seed = w.house.wish("t1", "alice", |v| v[..3] == [5, 6, 6]);
    w.tick().bet("t1", "alice", 7, &seed).unwrap();
    assert_eq!(count(w, "alice", LimitOf::Loss), 7);
    w.tick().reveal("t1", "alice", &seed).unwrap();
    w.tick().act("t1", "alice", Action::Double { amount: None }).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
    let again = w.house.bet_command("t1", "alice", 25, &w.house.any_seed("t1"));
    w.refuse(&by("alice"), again);
    // What is won makes up for what was lost.
    w.tick().give(&by("alice"), set("alice", LimitOf::Loss, LimitPeriod::Week, Some(1_000_000))).unwrap();
    w.house.wait(DAY);
    let seed = w.house.wish("t1", "alice", |v| v[..3] == [1, 6, 10]);
    w.tick().bet("t1", "alice", 10, &seed).unwrap();
    w.tick().reveal("t1", "alice", &seed).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
    assert!(count(w, "alice", LimitOf::Loss) < 0, "she won");
    let more = w.house.any_seed("t1");
    w.tick().bet("t1", "alice", 11, &more).unwrap();
    w.tick().reveal("t1", "alice", &more).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
}

/// At a table with others: bets that are replaced and taken back, and chips before a seat of a cash table.
fn at_tables(w: &mut Writer) {
    w.tick().give(&by("bob"), set("bob", LimitOf::Loss, LimitPeriod::Day, Some(1_000))).unwrap();
    w.tick().sit("wheel", "bob", 1).unwrap();
    w.duties();
    w.refuse(&by("bob"), w.house.place_command("wheel", "bob", &[("red", 1_001)]));
    w.tick().place_bets("wheel", "bob", &[("red", 900)]).unwrap();
    w.refuse(&by("bob"), w.house.place_command("wheel", "bob", &[("red", 1_001)]));
    w.tick().place_bets("wheel", "bob", &[("red", 1_000)]).unwrap();
    w.refuse(&by("bob"), sit_down(1, 4_000));
    w.tick().cancel("wheel", "bob").unwrap();
    assert_eq!(count(w, "bob", LimitOf::Loss), 0);
    w.tick().leave("wheel", "bob").unwrap();
    w.duties();
    w.tick().give(&by("bob"), set("bob", LimitOf::Loss, LimitPeriod::Week, Some(5_000))).unwrap();
    w.refuse(&by("bob"), sit_down(1, 4_000));
    w.tick().give(&by("bob"), set("bob", LimitOf::Loss, LimitPeriod::Day, None)).unwrap();
    w.house.wait(LIMIT_DELAY_MS);
    w.tick().give(&by("bob"), sit_down(1, 4_000)).unwrap();
    w.refuse(&by("bob"), Command::AddChips { table: table("poker"), amount: chips(1_200) });
    w.tick().give(&by("bob"), Command::AddChips { table: table("poker"), amount: chips(1_000) }).unwrap();
    w.duties();
    w.tick().leave("poker", "bob").unwrap();
    w.duties();
}

/// Shut out in the middle of a hand of poker: the seed is taken with the commitment beside it, which the next call passes
/// over.
fn in_a_hand(w: &mut Writer) {
    let players = ["erin", "frank", "grace"];
    for (seat, who) in (1..).zip(players) {
        w.tick().add_player(who, 10_000);
        w.tick().give(&by(who), sit_down(seat, 4_000)).unwrap();
        w.duties();
    }
    for who in players {
        w.tick().commit_hand("poker", who).unwrap();
    }
    w.duties();
    // What she asked for she may take back, and no more.
    let add = |amount| Command::AddChips { table: table("poker"), amount: chips(amount) };
    w.tick().give(&by("erin"), add(1_000)).unwrap();
    let until = w.house.now + HOUR;
    w.tick().give(&by("erin"), exclude("erin", until)).unwrap();
    w.refuse(&by("erin"), add(500));
    w.tick().give(&by("erin"), add(0)).unwrap();
    w.refuse(&by("erin"), add(0));
    let round_no = w.house.seed_number("poker");
    for who in players {
        let seed = w.house.seed_for("poker", who);
        let next = Some(w.house.commitment_of("poker", who, round_no + 1));
        let reveal = Command::Reveal { table: table("poker"), round_no, player: player(who), seed, saw: None, next };
        w.tick().give(&by(who), reveal).unwrap();
    }
    while let Some(who) = w.house.asked("poker").first().cloned() {
        w.tick().choose("poker", &who, Action::Fold).unwrap();
    }
    w.duties();
    let call = w.house.table("poker").call().unwrap();
    assert_eq!(call.seeds.keys().map(PlayerId::as_str).collect::<Vec<_>>(), ["frank", "grace"]);
    let commitment = w.house.commitment_for("poker", "erin");
    let round_no = w.house.seed_number("poker");
    w.refuse(&by("erin"), Command::CommitHandSeed { table: table("poker"), round_no, commitment });
    for who in players {
        w.tick().leave("poker", who).unwrap();
        w.duties();
    }
    w.house.wait(HOUR);
}

fn play_time(w: &mut Writer) {
    w.tick().sit("wheel", "carol", 1).unwrap();
    w.tick().give(&by("carol"), set("carol", LimitOf::PlayTime, LimitPeriod::Day, Some(SITTING_GAP_MS + 2))).unwrap();
    // What was before counts nothing; then the time between two commands, up to ten minutes.
    w.house.now += 5_000;
    w.house.leave("wheel", "carol").unwrap();
    assert_eq!(count(w, "carol", LimitOf::PlayTime), 0);
    w.house.now += 2;
    w.house.sit("wheel", "carol", 1).unwrap();
    assert_eq!(count(w, "carol", LimitOf::PlayTime), 2);
    w.duties();
    w.house.leave("wheel", "carol").unwrap();
    let so_far = count(w, "carol", LimitOf::PlayTime);
    w.house.now += SITTING_GAP_MS + 1;
    w.house.sit("wheel", "carol", 1).unwrap();
    assert_eq!(count(w, "carol", LimitOf::PlayTime), so_far);
    w.house.now += SITTING_GAP_MS;
    w.house.leave("wheel", "carol").unwrap();
    assert_eq!(count(w, "carol", LimitOf::PlayTime), so_far + SITTING_GAP_MS as i64);
    w.refuse(&by("carol"), Command::TakeSeat { table: table("wheel"), seat: 1 });
    w.house.wait(DAY);
    w.tick().sit("wheel", "carol", 1).unwrap();
    w.tick().leave("wheel", "carol").unwrap();
    w.duties();
}

fn exclusions(w: &mut Writer) {
    let operator = Actor::Operator;
    let now = w.house.now;
    w.refuse(&by("alice"), exclude("bob", now + DAY));
    w.refuse(&by("alice"), exclude("alice", now));
    w.refuse(&by("alice"), exclude("alice", now + MOST_EXCLUDED_MS + 1));
    // In a round, which she plays to its end.
    let seed = w.house.wish("t1", "alice", |v| v[..3] == [5, 6, 9]);
    w.tick().bet("t1", "alice", 7, &seed).unwrap();
    w.tick().give(&by("alice"), exclude("alice", now + DAY)).unwrap();
    w.refuse(&by("alice"), exclude("alice", now + DAY));
    w.refuse(&operator, exclude("alice", now + HOUR));
    w.tick().reveal("t1", "alice", &seed).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
    w.refuse(&operator, credit("alice", 1));
    w.refuse(&operator, Command::WalletDeposit { player: player("alice"), amount: chips(1) });
    w.refuse(&by("alice"), w.house.bet_command("t1", "alice", 7, &w.house.any_seed("t1")));
    w.refuse(&by("alice"), Command::TakeSeat { table: table("wheel"), seat: 1 });
    w.refuse(&by("alice"), sit_down(1, 4_000));
    w.tick().withdraw("alice", 5).unwrap();
    w.tick().give(&operator, exclude("alice", now + DAY + HOUR)).unwrap();
    // A restart forgets nothing.
    w.tick().crash();
    w.duties();
    come(w, now + DAY + HOUR - 1);
    w.refuse(&by("alice"), w.house.bet_command("t1", "alice", 7, &w.house.any_seed("t1")));
    w.house.now += 1;
    let seed = w.house.any_seed("t1");
    w.house.bet("t1", "alice", 7, &seed).unwrap();
    w.tick().reveal("t1", "alice", &seed).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
}

/// Whoever has a key loosens by their signature alone; anybody may tighten for them who may set their limits.
fn signers(w: &mut Writer) {
    let operator = Actor::Operator;
    let key = w.house.pen("dave", 0xd1);
    let week = |most| set("dave", LimitOf::Loss, LimitPeriod::Week, most);
    w.tick().give(&by("dave"), Command::SetKey { player: player("dave"), key: Some(key), reason: None }).unwrap();
    w.tick().give(&operator, week(Some(50))).unwrap();
    w.refuse(&operator, week(Some(60)));
    w.refuse(&operator, week(None));
    w.refuse(&by("dave"), week(Some(60)));
    w.tick().give(&by("dave"), week(Some(60))).unwrap();
    w.tick().give(&operator, week(Some(40))).unwrap();
    w.tick().give(&by("dave"), week(None)).unwrap();
    let reason = Reference::parse("card lost").unwrap();
    let tomorrow = w.house.now + DAY;
    w.tick().give(&operator, exclude("dave", tomorrow)).unwrap();
    w.tick().give(&operator, Command::Correct { player: player("dave"), amount: chips(1), reason }).unwrap();
}

fn write() -> Writer {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in ["alice", "bob", "carol", "dave"] {
        w.house.add_player(who, 10_000);
    }
    w.tick().give(&Actor::House, Command::AdmitGuest {}).unwrap();
    w.house.open("t1", &[]);
    for (at, name, options) in [("wheel", "roulette", &[][..]), ("poker", "holdem", &PLAIN[..])] {
        w.tick().open_rules(at, rules(name, options));
        w.duties();
    }
    deposits(&mut w);
    losses(&mut w);
    at_tables(&mut w);
    in_a_hand(&mut w);
    play_time(&mut w);
    exclusions(&mut w);
    signers(&mut w);
    w
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log of players who set themselves limits of deposits, losses and play time, and shut themselves out; spec/limits.md. Fields as in entries-joy.json. Dave's commands are signed from his `set_key` on with the secret key d1, 32 times.";
    write().text(
        FILE,
        about,
        "",
        &["cage", "house", "player:alice", "player:bob", "player:carol", "player:dave", "table:t1"],
    )
}
