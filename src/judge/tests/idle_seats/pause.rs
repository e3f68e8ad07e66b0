//! The pause after a round (spec/games/shared-tables.md, "The pause"), and the seat of a player who is away.

use super::*;
use crate::common::poker::action;
use crate::poker_second::{judged, texts, write_log};
use fairshoe_house::Offence;
use fairshoe_judge::audit::AuditReport;

const PAUSE: u64 = 4 * SECOND;
const PAUSED: [(&str, &str); 1] = [("between_hands_ms", "4000")];
const THREE: [&str; 3] = ["alice", "bob", "carol"];

/// The time of the last entry with this event.
fn last(house: &House, is: fn(&Event) -> bool) -> u64 {
    let entry = entries(&house.log).into_iter().rev().find(|entry| entry.events.iter().any(is));
    entry.expect("no such event").time
}

/// A hand that all but one give up; the time of its end.
fn played(house: &mut House) -> u64 {
    house.deal_hand("t1");
    while let Some((who, _)) = house.offers("t1") {
        house.choose("t1", &who, action("fold")).unwrap();
    }
    let ended = last(house, |event| matches!(event, Event::RoundSettled { .. }));
    assert!(house.run_due().is_empty(), "nothing is called in the pause");
    ended
}

fn room(options: &[(&str, &str)]) -> House {
    let mut house = House::poker("holdem", options, &["alice", "bob", "carol", "dave"]);
    house.buy_in_all("t1", &THREE, 10_000);
    house
}

/// The one entry of what is due at a time, which comes no millisecond earlier.
fn due_at(house: &mut House, time: u64) -> Entry {
    assert_eq!(house.state.next_deadline(), Some(time));
    house.now = time - 1;
    assert!(house.run_due().is_empty(), "a millisecond too early");
    house.now = time;
    let mut done = house.run_due();
    assert_eq!(done.len(), 1, "{done:?}");
    done.remove(0)
}

#[test]
fn no_hand_is_called_before_the_pause_is_over() {
    let mut house = room(&PAUSED);
    let ended = played(&mut house);
    let call = Command::CallHand { table: table("t1") };
    assert_eq!(refusal(house.give(&Actor::House, call.clone())).code(), "nothing_to_do");
    // Meanwhile people sit down, which moves nothing.
    house.now = ended + PAUSE / 2;
    house.buy_in("t1", "dave", 4, 10_000).unwrap();
    assert!(house.run_due().is_empty());
    assert_eq!(due_at(&mut house, ended + PAUSE).command, call);
    // A call that lapses brings no pause.
    house.now += MINUTE;
    house.run_due();
    for who in &THREE {
        house.ask("t1", who).unwrap();
    }
    assert_eq!(house.run_due()[0].command, call);
    assert_eq!(finding(&house), None);
}

#[test]
fn no_bets_are_opened_before_the_pause_is_over() {
    let mut house = House::shared("live-blackjack", &PAUSED, &THREE[..2]);
    house.sit_all("t1", &THREE[..2]);
    house.deal_all("t1", &THREE[..2], 100);
    while let Some(open) = house.open_decisions("t1").first().cloned() {
        house.now = open.deadline;
        house.run_due();
    }
    let ended = last(&house, |event| matches!(event, Event::RoundSettled { .. }));
    let opened = due_at(&mut house, ended + PAUSE);
    assert_eq!(opened.command, Command::OpenBets { table: table("t1") });
    assert_eq!(finding(&house), None);
}

/// The same log with the last call of a hand so many milliseconds earlier.
fn earlier(log: &[String], by: u64) -> Vec<String> {
    let at = log.iter().rposition(|text| text.contains("\"command\":{\"call_hand\"")).unwrap();
    let entry: Entry = serde_json::from_str(&log[at]).unwrap();
    let closes_at =
        |event: &Event| if let Event::HandCalled { closes_at, .. } = event { Some(*closes_at) } else { None };
    let closes_at = entry.events.iter().find_map(closes_at).unwrap();
    let moved = |time: u64| (time - by).to_string();
    let mut log = log[..=at].to_vec();
    log[at] = log[at]
        .replacen(&format!("\"time\":{}", entry.time), &format!("\"time\":{}", moved(entry.time)), 1)
        .replacen(&format!("\"closes_at\":{closes_at}"), &format!("\"closes_at\":{}", moved(closes_at)), 1);
    log
}

#[test]
fn a_hand_that_is_called_in_the_pause_is_found_by_both_verifiers() {
    let mut house = room(&PAUSED);
    let ended = played(&mut house);
    due_at(&mut house, ended + PAUSE);
    let honest = texts(&house);
    let folder = tempfile::tempdir().unwrap();
    let logs = [honest.clone(), earlier(&honest, 1), earlier(&honest, PAUSE)];
    let verdict = |log: &[String]| -> AuditReport {
        let bytes: Vec<Vec<u8>> = log.iter().map(|text| text.clone().into_bytes()).collect();
        crate::audit_common::audit(&bytes)
    };
    assert_eq!(logs.each_ref().map(|log| verdict(log).first_failure.is_none()), [true, false, false]);
    let files: Vec<_> = (0..).zip(&logs).map(|(n, log)| write_log(folder.path(), &format!("log-{n}"), log)).collect();
    let Some(reports) = judged("log", &files) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    let sound: Vec<bool> = reports.iter().map(|report| report["verdict"] != "not_sound").collect();
    assert_eq!(sound, [true, false, false], "{reports:#?}");
}

#[test]
fn a_state_in_the_pause_goes_on_as_the_log_does() {
    let mut house = room(&PAUSED);
    let ended = played(&mut house);
    let lines = house.state.lines().unwrap();
    let text = lines.iter().find(|line| line.contains("\"pause_until\"")).expect("the pause stands in the state");
    assert!(text.contains(&format!("\"pause_until\":{}", ended + PAUSE)), "{text}");
}

fn offences(house: &House, from: usize) -> Vec<(String, Offence)> {
    let told = |event: &Event| match event {
        Event::Cooldown { player, offence, .. } => Some((player.to_string(), *offence)),
        _ => None,
    };
    entries(&house.log[from..]).iter().flat_map(|entry| &entry.events).filter_map(told).collect()
}

#[test]
fn whoever_is_away_from_a_hands_start_is_not_named_a_withholder() {
    let mut house = room(&PAUSED);
    let sit_out = |house: &mut House, who: &str| house.give(&by(who), Command::SitOut { table: table("t1") }).unwrap();
    let begin = |house: &mut House| {
        for who in &THREE {
            let _ = house.ask("t1", who);
        }
        house.now = house.now.max(house.state.next_deadline().unwrap_or_default());
        house.run_due();
        for who in &THREE {
            house.commit_hand("t1", who).unwrap();
        }
        house.run_due();
        assert!(house.table("t1").live_round().is_some());
    };
    // A tab is closed when the hand has just begun: its player knows nothing of it.
    house.run_due();
    for who in &THREE {
        house.commit_hand("t1", who).unwrap();
    }
    house.run_due();
    let from = house.log.len();
    sit_out(&mut house, "bob");
    house.show("t1", "alice").unwrap();
    house.show("t1", "carol").unwrap();
    house.now += MINUTE;
    house.run_due();
    assert_eq!(offences(&house, from), [("bob".to_owned(), Offence::WentAway)]);
    // With a seed of another out, theirs is withheld.
    begin(&mut house);
    let from = house.log.len();
    house.show("t1", "alice").unwrap();
    sit_out(&mut house, "bob");
    house.show("t1", "carol").unwrap();
    house.now += MINUTE;
    house.run_due();
    assert_eq!(offences(&house, from), [("bob".to_owned(), Offence::RevealMissing)]);
    assert_eq!(finding(&house), None);
    let folder = tempfile::tempdir().unwrap();
    let file = write_log(folder.path(), "away", &texts(&house));
    if let Some(reports) = judged("log", &[file]) {
        assert_ne!(reports[0]["verdict"], "not_sound", "{:#}", reports[0]);
    }
}

#[test]
fn the_seat_of_a_player_who_is_away_is_free_in_the_rule_sets_time_while_somebody_waits() {
    let mut house = House::poker("holdem", &[("seats", "2"), ("away_ms", "90000")], &THREE);
    house.buy_in_all("t1", &THREE[..2], 10_000);
    house.deal_hand("t1");
    while let Some((who, _)) = house.offers("t1") {
        house.choose("t1", &who, action("fold")).unwrap();
    }
    let used = last(&house, |event| matches!(event, Event::RoundSettled { .. }));
    // Neither answers the next call; alice comes back.
    house.run_due();
    let waits = |house: &mut House, until: u64| left(&wait(house, until));
    assert!(waits(&mut house, used + 30 * SECOND).is_empty());
    house.ask("t1", "alice").unwrap();
    house.give(&by("carol"), want("t1")).unwrap();
    assert_eq!(waits(&mut house, used + 90 * SECOND), [(used + 90 * SECOND, vec!["bob".to_owned()])]);
    assert_eq!(house.table("t1").seats.len(), 1);
    assert_eq!(finding(&house), None);
}
