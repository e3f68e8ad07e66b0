//! What the service told its clients in signed notes, against the log (spec/audit.md, "Received and refused").

use crate::{common, tournament_play};

use common::shared::*;
use common::*;
use fairshoe_games::Action;
use fairshoe_house::{
    Actor, Command, Entry, HouseNote, OVERDUE_GRACE_MS, ReceivedNote, Reference, RefusedNote, Signed, TournamentCommand,
};
use fairshoe_judge::audit::{Book, Check, Finding, Limits, Told, ToldResult};

/// The notes against a log that is right in itself.
fn told(log: &[Vec<u8>], notes: Vec<HouseNote>) -> ToldResult {
    let (mut told, mut book) = (Told::new(notes), Book::new(Limits::default()));
    for (index, bytes) in log.iter().enumerate() {
        let reading = Book::read(index as u64, bytes);
        told.before(&book, index as u64, reading.entry().unwrap());
        book.feed_read(reading).unwrap();
    }
    told.finish(&book)
}

/// The one thing that a note of the only ones contradicts.
#[track_caller]
fn contradicted(log: &[Vec<u8>], note: HouseNote) -> Finding {
    let ToldResult { judged, not_judged, mut findings, .. } = told(log, vec![note]);
    assert_eq!((judged, not_judged, findings.len()), (1, 0, 1), "{findings:?}");
    findings.remove(0).1
}

/// It was held against the log, and there is nothing to say.
#[track_caller]
fn agrees(log: &[Vec<u8>], note: HouseNote) {
    let ToldResult { judged, not_judged, findings, .. } = told(log, vec![note]);
    assert_eq!((judged, not_judged, findings), (1, 0, Vec::new()));
}

fn received_of(time: u64, by: Actor, command: Command, signed: Option<Signed>) -> HouseNote {
    HouseNote::Received(ReceivedNote { origin: ORIGIN.parse().unwrap(), time, by, command, signed })
}

fn received(time: u64, by: Actor, command: Command) -> HouseNote {
    received_of(time, by, command, None)
}

fn refused(time: u64, by: Actor, command: Command) -> HouseNote {
    let (origin, code) = (ORIGIN.parse().unwrap(), "deadline_passed".into());
    HouseNote::Refused(RefusedNote { origin, time, code, by, command, signed: None })
}

/// Two solo tables with a minute for the seed, each with its player.
fn two_tables() -> House {
    let mut house = House::new();
    for (who, at) in [("alice", "t1"), ("bob", "t2")] {
        house.add_player(who, 10_000);
        house.open(at, &[("reveal_time_ms", "60000")]);
    }
    house.now += MINUTE;
    house
}

/// Alice's bet is placed, and her seed may come until the minute is over; the command that brings it.
fn awaiting() -> (House, Command) {
    let mut house = two_tables();
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    let right = house.reveal_command("t1", "alice", &seed);
    (house, right)
}

/// Bob plays a hand at their own table: entries that say nothing of the other one.
fn hand_of_bob(house: &mut House) {
    let seed = house.any_seed("t2");
    house.bet("t2", "bob", 10, &seed).unwrap();
    house.reveal("t2", "bob", &seed).unwrap();
    house.finish("t2", "bob");
    house.run_due();
}

#[test]
fn a_seed_that_is_on_the_log_contradicts_nothing_be_it_written_later() {
    let (mut house, right) = awaiting();
    let placed = house.now;
    house.now += 10_000;
    hand_of_bob(&mut house);
    house.now += 10_000;
    house.give(&Actor::Anyone, right.clone()).unwrap();
    house.finish("t1", "alice");
    house.run_due();
    house.now += 1;
    house.credit("bob", 1).unwrap();
    for time in [placed + 1, placed + 10_000, placed + 20_000] {
        agrees(&house.log, received(time, Actor::Anyone, right.clone()));
    }
}

#[test]
fn what_the_log_allowed_and_the_service_refused_contradicts_it_at_the_last_entry_before() {
    let mut house = House::shared("live-blackjack", &[("close_early", "off")], &["alice", "bob"]);
    house.open("t2", &[]);
    house.sit_all("t1", &["alice", "bob"]);
    let mut notes: Vec<(HouseNote, u64, &str)> = Vec::new();
    let mut note = |house: &mut House, who: Actor, command: Command, word: &'static str| {
        house.now += 100;
        notes.push((refused(house.now, who, command), house.log.len() as u64 - 1, word));
        house.now += 100;
    };
    let place_bets = house.place_command("t1", "alice", &[("1", 100)]);
    note(&mut house, by("alice"), place_bets.clone(), "a bet");
    house.place_all("t1", &["alice", "bob"], 100);
    let round_no = house.seed_number("t1");
    note(&mut house, by("alice"), Command::CancelBet { table: table("t1"), round_no }, "a bet's return");
    house.now += 15_000;
    house.run_due();
    let seed = house.seed_for("t1", "alice");
    let reveal = Command::Reveal { table: table("t1"), round_no, player: player("alice"), seed, saw: None, next: None };
    note(&mut house, Actor::Anyone, reveal.clone(), "a seed");
    house.show_all("t1");
    while house.offered("t1").contains(&fairshoe_games::ActionKind::Insurance) {
        let who = house.asked("t1").remove(0);
        house.choose("t1", &who, Action::Insurance { take: false }).unwrap();
    }
    let open = house.open_decisions("t1").remove(0);
    let act = Command::Act { table: table("t1"), round_no, decision: open.number, action: Action::Stand };
    note(&mut house, Actor::Player(open.player.clone()), act.clone(), "a choice");
    house.now += 100;
    house.choose("t1", open.player.as_str(), Action::Stand).unwrap();
    for (note, at, word) in &notes {
        let Finding { check, entry, table: place, message } = contradicted(&house.log, note.clone());
        assert_eq!((check, entry, place), (Check::RefusedWrongly, Some(*at), Some(table("t1"))), "{message}");
        assert!(
            message.starts_with(&format!("the service refused {word} to {} (deadline_passed)", note.by())),
            "{message}"
        );
    }
    // All of them together say the same, each under its place among those given.
    let given: Vec<HouseNote> = notes.iter().rev().map(|(note, _, _)| note.clone()).collect();
    let all = told(&house.log, given);
    let found: Vec<_> = all.findings.iter().map(|(number, finding)| (*number, finding.entry.unwrap())).collect();
    assert_eq!((all.judged, all.not_judged), (4, 0));
    assert_eq!(found, notes.iter().enumerate().map(|(n, (_, at, _))| (3 - n, *at)).collect::<Vec<_>>());
    // What the log did not allow then, or what no note is about, was refused rightly: a bet after the bets, a seat.
    let late = house.log.len();
    house.now += 1_000;
    let time = house.now;
    house.now += 1_000;
    house.credit("bob", 1).unwrap();
    for (who, command) in [
        (by("alice"), place_bets),
        (Actor::Anyone, reveal),
        (by("alice"), Command::CancelBet { table: table("t1"), round_no }),
        (Actor::Player(open.player), act),
        (by("bob"), Command::LeaveSeat { table: table("t1") }),
    ] {
        agrees(&house.log, refused(time, who, command));
    }
    assert_eq!(late, house.log.len() - 1);
}

/// At one time the log has several states: what one of them forbade was rightly refused.
#[test]
fn a_note_contradicts_the_log_only_where_every_state_at_its_time_allowed_the_command() {
    let (mut house, right) = awaiting();
    let placed = house.now;
    house.credit("bob", 1).unwrap();
    house.now += 10;
    let before = house.log.len() as u64 - 1;
    house.credit("bob", 1).unwrap();
    house.now += 10;
    // The seed is taken, and something else is written, at one time.
    house.credit("bob", 1).unwrap();
    house.give(&Actor::Anyone, right.clone()).unwrap();
    house.now += 10;
    house.credit("bob", 1).unwrap();
    // At the time of the bet there was no round yet, and at that of the seed it was there already.
    for time in [placed, placed + 20] {
        agrees(&house.log, refused(time, Actor::Anyone, right.clone()));
    }
    for (time, at) in [(placed + 1, before), (placed + 10, before), (placed + 11, before + 1)] {
        assert_eq!(
            contradicted(&house.log, refused(time, Actor::Anyone, right.clone())).entry,
            Some(at),
            "{}",
            time - placed
        );
    }
}

#[test]
fn a_note_later_than_every_entry_or_before_a_restart_is_not_judged() {
    let (mut house, right) = awaiting();
    let placed = house.now;
    let last = |log: &[Vec<u8>], time: u64| {
        let ToldResult { judged, not_judged, findings, .. } =
            told(log, vec![received(time, Actor::Anyone, right.clone())]);
        assert_eq!(findings, Vec::new());
        (judged, not_judged)
    };
    assert_eq!((last(&house.log, placed), last(&house.log, placed + 1)), ((0, 1), (0, 1)));
    let two =
        vec![received(placed + 5, Actor::Anyone, right.clone()), refused(placed + 5, Actor::Anyone, right.clone())];
    assert_eq!(told(&house.log, two.clone()).not_judged, 2);
    house.now += 10_000;
    hand_of_bob(&mut house);
    assert_eq!(last(&house.log, placed + 5), (1, 0));
    // Owed when the dealer is started anew: it may be lost. A refusal was judged before.
    house.now += 10_000;
    house.crash();
    house.run_due();
    assert_eq!((last(&house.log, placed + 5), last(&house.log, placed + 15_000)), ((0, 1), (0, 1)));
    let all = told(&house.log, two);
    assert_eq!((all.judged, all.not_judged, all.findings.len()), (1, 1, 1));
    let refusal = told(&house.log, vec![refused(placed + 15_000, Actor::Anyone, right.clone())]);
    assert_eq!((refusal.judged, refusal.not_judged, refusal.findings), (0, 1, Vec::new()));
    house.now += HOUR;
    house.run_due();
    hand_of_bob(&mut house);
    assert_eq!(last(&house.log, placed + 5), (0, 1));
}

/// A shared table with bob's turn, and the command of bob's hit with the time at which it came.
fn turn_of_bob(with_key: bool) -> (House, Command, u64) {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    if with_key {
        let key = house.pen("bob", 5);
        house.give(&by("bob"), Command::SetKey { player: player("bob"), key: Some(key), reason: None }).unwrap();
    }
    house.sit_all("t1", &["alice", "bob"]);
    house.wish_for("t1", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && (d.value(0, 0), d.value(0, 1), d.value(1, 0), d.value(1, 1)) == (10, 6, 10, 4)
    });
    house.deal_all("t1", &["alice", "bob"], 100);
    house.choose("t1", "alice", Action::Stand).unwrap();
    assert_eq!(house.asked("t1"), ["bob"]);
    let open = house.open_decisions("t1").remove(0);
    house.now += 2_000;
    let command = Command::Act { table: table("t1"), round_no: 0, decision: open.number, action: Action::Hit };
    (house, command, open.deadline)
}

#[test]
fn a_choice_that_came_in_time_and_is_played_by_default_contradicts_the_log() {
    for with_key in [false, true] {
        let (mut house, hit, deadline) = turn_of_bob(with_key);
        let (time, last) = (house.now, house.state.last_nonce(&player("bob")));
        let signed = with_key.then(|| house.sign("bob", last + 1, &hit));
        house.now = deadline;
        house.run_due();
        let lapse =
            entries(&house.log).iter().rposition(|entry| matches!(entry.command, Command::Lapse { .. })).unwrap()
                as u64;
        house.now += MINUTE;
        house.credit("alice", 1).unwrap();
        let Finding { check, entry, table: at, message } =
            contradicted(&house.log, received_of(time, by("bob"), hit.clone(), signed));
        assert_eq!((check, entry, at), (Check::ReceivedIgnored, Some(lapse), Some(table("t1"))));
        assert!(message.contains(" of bob in round 0 is played by default"), "{message}");
        // Not in the name of another, and not by a player who has a key and did not sign.
        agrees(&house.log, received(time, by("alice"), hit.clone()));
        if with_key {
            agrees(&house.log, received(time, by("bob"), hit.clone()));
            let used = house.sign("bob", last, &hit);
            agrees(&house.log, received_of(time, by("bob"), hit, Some(used)));
        }
    }
}

#[test]
fn a_choice_that_another_one_of_the_player_s_overtook_contradicts_nothing() {
    let (mut house, hit, deadline) = turn_of_bob(false);
    let time = house.now;
    house.now += 10;
    house.credit("alice", 1).unwrap();
    house.now += 10;
    house.choose("t1", "bob", Action::Hit).unwrap();
    house.now = deadline;
    while house.table("t1").live_round().is_some() {
        house.now += MINUTE;
        house.run_due();
    }
    agrees(&house.log, received(time, by("bob"), hit));
}

/// Of several decisions that lapse together each is named that was chosen.
#[test]
fn of_decisions_that_lapse_together_the_one_is_named_whose_choice_came() {
    let players = ["alice", "bob"];
    let mut house = House::shared("live-blackjack", &[], &players);
    house.sit_all("t1", &players);
    house.wish_for("t1", &players, 3, |d| {
        d.value(2, 0) == 1 && (0..2).all(|lane| d.value(lane, 0) + d.value(lane, 1) == 15)
    });
    house.deal_all("t1", &players, 100);
    let open = house.open_decisions("t1");
    assert_eq!(
        open.iter().map(|open| open.player.as_str()).collect::<Vec<_>>(),
        players,
        "both are asked for insurance"
    );
    house.now += 1_000;
    let (time, by_when) = (house.now, open[0].deadline);
    let take = |n: usize| Command::Act {
        table: table("t1"),
        round_no: 0,
        decision: open[n].number,
        action: Action::Insurance { take: true },
    };
    house.now = by_when;
    house.run_due();
    let lapse = house.log.len();
    house.now += MINUTE;
    house.run_due();
    for (n, who) in players.into_iter().enumerate() {
        let message = contradicted(&house.log, received(time, by(who), take(n))).message;
        assert!(message.starts_with(&format!("decision {} of {who} ", open[n].number)), "{message}");
    }
    let both = told(&house.log, vec![received(time, by("bob"), take(1)), received(time, by("alice"), take(0))]);
    let found: Vec<_> =
        both.findings.iter().map(|(number, finding)| (*number, finding.entry.unwrap() < lapse as u64)).collect();
    assert_eq!(found, [(1, true), (0, true)]);
}

#[test]
fn a_seed_that_came_in_time_and_for_want_of_which_the_round_ends_contradicts_the_log() {
    let (mut house, right) = awaiting();
    let time = house.now + 1_000;
    house.now += 2_000;
    hand_of_bob(&mut house);
    house.now = house.state.next_deadline().unwrap();
    house.run_due();
    let void =
        entries(&house.log).iter().position(|entry| names_of(entry).contains(&"round_voided".to_owned())).unwrap()
            as u64;
    house.now += MINUTE;
    house.credit("bob", 1).unwrap();
    let Finding { check, entry, message, .. } = contradicted(&house.log, received(time, Actor::Anyone, right));
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(void)));
    assert!(message.starts_with("round 0 ends for want of the seed of alice; "), "{message}");
}

/// A round that is void for want of alice's seed, which the service receives a second later; that time, and what brings
/// the seed.
fn comes_late() -> (House, u64, Command) {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("player", 500)]).unwrap();
    house.run_due();
    let late = Command::LateSeed {
        table: table("t1"),
        round_no: house.seed_number("t1"),
        player: player("alice"),
        seed: house.seed_for("t1", "alice"),
    };
    house.now = house.state.next_deadline().unwrap();
    house.run_due();
    let time = house.now + 1_000;
    house.now += 2_000;
    house.credit("bob", 1).unwrap();
    (house, time, late)
}

#[test]
fn a_late_seed_that_is_left_lying_contradicts_the_log() {
    let (mut house, time, late) = comes_late();
    let note = received(time, Actor::Anyone, late.clone());
    house.now = time + OVERDUE_GRACE_MS;
    house.credit("bob", 1).unwrap();
    agrees(&house.log, note.clone());
    house.now += 1;
    // It was written, if slowly; the entry after it says nothing of it any more.
    let mut slow = House { now: house.now, log: house.log.clone(), state: fold(&house.log), ..House::unstarted() };
    slow.give(&Actor::Anyone, late).unwrap();
    slow.now += MINUTE;
    slow.credit("bob", 1).unwrap();
    agrees(&slow.log, note.clone());
    // What a crash may have lost is not judged.
    let mut crashed = House {
        now: house.now,
        starts: house.starts,
        log: house.log.clone(),
        state: fold(&house.log),
        ..House::unstarted()
    };
    crashed.crash();
    let ToldResult { judged, not_judged, lost, findings } = told(&crashed.log, vec![note.clone()]);
    assert_eq!((judged, not_judged, lost, findings), (0, 1, 1, Vec::new()));
    house.credit("bob", 1).unwrap();
    let Finding { check, entry, message, .. } = contradicted(&house.log, note);
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(house.log.len() as u64 - 1)));
    assert!(message.contains("that it received the late seed of alice in round 0; "), "{message}");
}

#[test]
fn a_commitment_that_the_log_allowed_and_the_service_refused_contradicts_it() {
    let players = ["alice", "bob"];
    let mut house = House::poker("holdem", &[], &players);
    house.buy_in_all("t1", &players, 20_000);
    let (round_no, commitment) = (house.table("t1").next_round, house.commitment_for("t1", "alice"));
    let note =
        refused(house.now + 100, by("alice"), Command::CommitHandSeed { table: table("t1"), round_no, commitment });
    house.now += 200;
    house.credit("bob", 1).unwrap();
    let Finding { check, message, .. } = contradicted(&house.log, note);
    assert_eq!(check, Check::RefusedWrongly);
    assert!(message.contains("refused a seed's commitment to player:alice"), "{message}");
}

/// A round of a table where a player who walks away gets the stake back, alice having a key; the command of her choice.
fn walks_away(key_set_ms_after: Option<u64>) -> (House, Command, u64) {
    let mut house = House::new();
    house.add_player("alice", 100_000);
    house.add_player("bob", 100);
    let key = house.pen("alice", 5);
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key: Some(key), reason: None }).unwrap();
    house.open_own("alice", "own", rules("rng-blackjack", &[]));
    house.wish_for("own", &["alice"], 1, |d| (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (10, 6, 5));
    house.place_bets("own", "alice", &[("1", 1_000)]).unwrap();
    house.now += MINUTE;
    house.show("own", "alice").unwrap();
    let settle_by = house.open_decisions("own")[0].deadline;
    assert_eq!(settle_by, house.now + DAY);
    let command = house.act_command("own", Action::Stand);
    if let Some(after) = key_set_ms_after {
        house.now += after;
        let reason = Reference::parse("case 9");
        house.give(&Actor::Operator, Command::SetKey { player: player("alice"), key: None, reason }).unwrap();
    }
    (house, command, settle_by)
}

#[test]
fn a_choice_that_came_before_the_round_was_abandoned_contradicts_the_log_unless_another_key_came_into_force_meanwhile()
{
    // An operator's change waits for a day: none, one that comes into force after the round's end, and one just as it
    // ends.
    for (key_set, contradicts) in [(None, true), (Some(1_000), true), (Some(0), false)] {
        let (mut house, stand, settle_by) = walks_away(key_set);
        let signed = house.sign("alice", house.state.last_nonce(&player("alice")) + 1, &stand);
        let time = settle_by - 5_000;
        for entry_between in [false, true] {
            if entry_between {
                house.now = settle_by - 1_000;
                house.credit("bob", 1).unwrap();
            }
            let mut house =
                House { now: settle_by, log: house.log.clone(), state: fold(&house.log), ..House::unstarted() };
            house.run_due();
            let lapse = house.log.len() as u64 - 1;
            house.now += MINUTE;
            house.credit("bob", 1).unwrap();
            let note = received_of(time, by("alice"), stand.clone(), Some(signed));
            if contradicts {
                let Finding { check, entry, table: at, message } = contradicted(&house.log, note);
                assert_eq!((check, entry, at), (Check::ReceivedIgnored, Some(lapse), Some(table("own"))));
                assert!(
                    message.starts_with("round 0 is abandoned; ") && message.contains("the choice of player:alice"),
                    "{message}"
                );
            } else {
                agrees(&house.log, note);
            }
        }
    }
}

/// What came is on the log with another choice in the player's name, after it came.
#[test]
fn a_choice_that_came_before_another_one_is_logged_in_the_player_s_name_contradicts_the_log() {
    for with_key in [false, true] {
        let (mut house, hit, _) = turn_of_bob(with_key);
        let (time, last) = (house.now, house.state.last_nonce(&player("bob")));
        let stand = match &hit {
            Command::Act { table, round_no, decision, .. } => {
                Command::Act { table: table.clone(), round_no: *round_no, decision: *decision, action: Action::Stand }
            }
            other => panic!("{other:?}"),
        };
        let signed = with_key.then(|| house.sign("bob", last + 1, &stand));
        house.now += 1_000;
        house.choose("t1", "bob", Action::Hit).unwrap();
        let at = house.log.len() as u64 - 1;
        let decided = house.now;
        house.now += MINUTE;
        house.credit("alice", 1).unwrap();
        let Finding { check, entry, message, .. } =
            contradicted(&house.log, received_of(time, by("bob"), stand.clone(), signed));
        assert_eq!((check, entry), (Check::ReceivedIgnored, Some(at)));
        assert!(message.contains("is logged with another choice"), "{message}");
        // The one that was taken; one that came when it was taken; one in another's name.
        agrees(&house.log, received(time, by("bob"), hit));
        agrees(&house.log, received_of(decided, by("bob"), stand.clone(), signed));
        agrees(&house.log, received(time, by("alice"), stand));
    }
}

#[test]
fn bets_that_came_in_time_and_stand_in_no_round_contradict_the_log() {
    let players = ["alice", "bob"];
    let opened = || {
        let mut house = House::shared("baccarat", &[("close_early", "off")], &players);
        house.sit_all("t1", &players);
        house.place_bets("t1", "bob", &[("player", 500)]).unwrap();
        house.now += 1_000;
        house
    };
    let ends = |mut house: House| {
        house.now = house.state.next_deadline().unwrap();
        house.run_due();
        let closed =
            entries(&house.log).iter().rposition(|entry| matches!(entry.command, Command::CloseBets { .. })).unwrap();
        house.now += MINUTE;
        house.run_due();
        house.credit("bob", 1).unwrap();
        (house.log, closed as u64)
    };
    let house = opened();
    let (time, by_alice) = (house.now, by("alice"));
    let bet = house.place_command("t1", "alice", &[("player", 500)]);
    let other = house.place_command("t1", "alice", &[("banker", 500)]);
    let back = Command::CancelBet { table: table("t1"), round_no: house.seed_number("t1") };
    let (log, closed) = ends(house);
    let Finding { check, entry, message, .. } = contradicted(&log, received(time, by_alice.clone(), bet.clone()));
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(closed)));
    assert!(message.starts_with("round 0 is closed without a bet of player:alice"), "{message}");
    // There was nothing to take back for her; for bob there was.
    agrees(&log, received(time, by_alice.clone(), back.clone()));
    assert_eq!(contradicted(&log, received(time, by("bob"), back.clone())).entry, Some(closed));

    // Another bet in her name does not stand for the one that came.
    let mut house = opened();
    house.now += 100;
    house.give(&by_alice, other.clone()).unwrap();
    let (log, closed) = ends(house);
    assert_eq!(contradicted(&log, received(time, by_alice.clone(), bet.clone())).entry, Some(closed));
    agrees(&log, received(time, by_alice.clone(), other.clone()));
    // The one that came, and she thought better of it; the same bets once more, which get the same receipt.
    let mut house = opened();
    house.now += 100;
    house.give(&by_alice, bet.clone()).unwrap();
    let (placed, again) = (house.now, house.now + 50);
    house.now += 100;
    house.credit("bob", 1).unwrap();
    house.now += 100;
    house.give(&by_alice, other).unwrap();
    let (log, _) = ends(house);
    for time in [time, placed, again] {
        agrees(&log, received(time, by_alice.clone(), bet.clone()));
    }
    // The one that came, and another one at the same millisecond.
    let mut house = opened();
    house.give(&by_alice, bet.clone()).unwrap();
    house.give(&by_alice, house.place_command("t1", "alice", &[("tie", 500)])).unwrap();
    agrees(&ends(house).0, received(time, by_alice.clone(), bet.clone()));
    // What is closed later than it came, and was lost in a crash before.
    let mut house = opened();
    house.crash();
    house.run_due();
    house.now += MINUTE;
    house.credit("bob", 1).unwrap();
    let ToldResult { judged, not_judged, findings, .. } = told(&house.log, vec![received(time - 1, by_alice, bet)]);
    assert_eq!((judged, not_judged, findings), (0, 1, Vec::new()));
}

#[test]
fn a_commitment_that_came_in_time_and_is_in_no_hand_contradicts_the_log() {
    let players = ["alice", "bob", "carol"];
    let mut house = House::poker("holdem", &[], &players);
    house.buy_in_all("t1", &players, 20_000);
    let (round_no, commitment) = (house.table("t1").next_round, house.commitment_for("t1", "alice"));
    let commit = Command::CommitHandSeed { table: table("t1"), round_no, commitment };
    let withdraw = Command::WithdrawHandSeed { table: table("t1"), round_no };
    for who in ["bob", "carol"] {
        house.commit_hand("t1", who).unwrap();
    }
    house.now += 1_000;
    let time = house.now;
    // Alice's commitment for the hand is heard, or not; bob takes his back, which is not heard.
    for heard in [true, false] {
        let mut house = House { now: time, log: house.log.clone(), state: fold(&house.log), ..House::unstarted() };
        house.now += 100;
        if heard {
            house.give(&by("alice"), commit.clone()).unwrap();
        }
        house.now = house.now.max(house.state.next_deadline().unwrap());
        house.run_due();
        let closed =
            entries(&house.log).iter().rposition(|entry| matches!(entry.command, Command::CloseCall { .. })).unwrap();
        house.now += 1;
        house.credit("bob", 1).unwrap();
        let missed = |who: &str, command: &Command| {
            let Finding { check, entry, message, .. } =
                contradicted(&house.log, received(time, by(who), command.clone()));
            assert_eq!((check, entry), (Check::ReceivedIgnored, Some(closed as u64)));
            message
        };
        let message = missed("bob", &withdraw);
        assert!(message.contains("a commitment's return of player:bob"), "{message}");
        if heard {
            agrees(&house.log, received(time, by("alice"), commit.clone()));
            agrees(&house.log, received(time + 100, by("alice"), commit.clone()));
        } else {
            let message = missed("alice", &commit);
            assert!(message.contains("is closed without a seed's commitment of player:alice"), "{message}");
        }
    }
}

#[test]
fn a_commitment_for_a_pile_that_fails_without_it_contradicts_the_log() {
    let mut house = safe::at_pile_like(&[], 7, |_| true);
    let missing = house.awaited("t1").remove(0);
    house.now += 1_000;
    let (time, commit) = (house.now, safe::commit_command(&house, &missing));
    for who in house.awaited("t1").into_iter().filter(|who| *who != missing) {
        safe::commit(&mut house, &who).unwrap();
    }
    house.now = house.state.next_deadline().unwrap();
    house.run_due();
    let failed =
        entries(&house.log).iter().rposition(|entry| names_of(entry).contains(&"pile_failed".to_owned())).unwrap();
    house.now += 1;
    house.run_due();
    let Finding { check, entry, .. } = contradicted(&house.log, received(time, by(&missing), commit));
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(failed as u64)));
}

/// An event for which alice has registered and bob has not; bob's command, and the time at which it came.
fn registering() -> (House, Command, u64) {
    let mut house = House::new();
    for who in ["alice", "bob", "carol"] {
        house.add_player(who, 1_000_000);
    }
    house
        .announce("sunday", &tournament_play::structure("freezeout-6", |terms| terms.unregister_ms = Some(1)))
        .unwrap();
    house.register("sunday", "alice").unwrap();
    house.now += 1_000;
    let commitment = house.seat_commitment("sunday", "bob");
    let pay = fairshoe_house::tournament::Pay::Cash;
    let register = TournamentCommand::Register { event: table("sunday"), commitment, pay };
    let time = house.now;
    house.now += 1_000;
    house.credit("carol", 1).unwrap();
    (house, Command::Tournament(register), time)
}

#[test]
fn an_entry_to_a_tournament_that_came_and_is_not_written_contradicts_the_log() {
    let (mut house, register, time) = registering();
    let note = received(time, by("bob"), register.clone());
    house.now = time + OVERDUE_GRACE_MS;
    house.credit("carol", 1).unwrap();
    agrees(&house.log, note.clone());
    let before = (house.now, house.log.clone());
    house.now += 1;
    house.credit("carol", 1).unwrap();
    let Finding { check, entry, message, .. } = contradicted(&house.log, note.clone());
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(house.log.len() as u64 - 1)));
    assert!(message.contains("an entry of player:bob; at "), "{message}");
    // It is written; a second note, of the same command under the same key of the client's, asks for nothing more.
    let mut house = House { now: before.0, state: fold(&before.1), log: before.1, ..House::unstarted() };
    house.give(&by("bob"), register.clone()).unwrap();
    house.now += 1;
    let again = house.now;
    house.now += 2 * MINUTE;
    house.credit("carol", 1).unwrap();
    agrees(&house.log, note.clone());
    agrees(&house.log, received(again, by("bob"), register));
}

#[test]
fn an_entry_s_return_that_came_before_the_start_contradicts_the_log_that_starts_without_it() {
    let (mut house, _, _) = registering();
    for who in ["bob", "carol"] {
        house.register("sunday", who).unwrap();
    }
    house.now = house.state.next_deadline().unwrap() - 100;
    house.credit("bob", 1).unwrap();
    let unregister = Command::Tournament(TournamentCommand::Unregister { event: table("sunday") });
    let note = received(house.now + 1, by("bob"), unregister);
    house.now += 100;
    house.run_due();
    let started = entries(&house.log)
        .iter()
        .rposition(|entry| matches!(entry.command, Command::Tournament(TournamentCommand::Start { .. })))
        .unwrap() as u64;
    // Where the log ends with the start, and where it goes on.
    let finding = contradicted(&house.log[..=started as usize], note.clone());
    assert_eq!((finding.check, finding.entry), (Check::ReceivedIgnored, Some(started)));
    house.now += 1;
    house.credit("bob", 1).unwrap();
    let Finding { check, entry, message, .. } = contradicted(&house.log, note);
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(started)));
    assert!(message.contains("an entry's return of player:bob can be taken no more"), "{message}");
}

#[test]
fn a_seed_for_a_draw_that_came_in_time_and_without_which_it_is_made_contradicts_the_log() {
    let (mut house, _, _) = registering();
    for who in ["bob", "carol"] {
        house.register("sunday", who).unwrap();
    }
    house.wait(HOUR);
    let open = house.event("sunday").draws.open.clone().expect("a draw of seats");
    let entry_no = *open.awaited.iter().next().unwrap();
    let entry = house.event("sunday").entries.get(&entry_no).cloned().unwrap();
    let (who, seat_use) = (entry.player.to_string(), entry.commitment.unwrap().1);
    let seed = |draw_no: u16| {
        Command::Tournament(TournamentCommand::RevealSeatSeed {
            event: table("sunday"),
            draw_no,
            entry_no,
            seed: tournament_play::seat_seed(&who, seat_use),
            next: None,
        })
    };
    let came = received(house.now + 1, by(&who), seed(house.event("sunday").draws.next));
    house.now = open.reveal_by;
    house.run_due();
    let draws = |entry: &Entry| matches!(entry.command, Command::Tournament(TournamentCommand::DrawSeats { .. }));
    let drawn = entries(&house.log).iter().position(draws).unwrap() as u64;
    let Finding { check, entry, message, .. } = contradicted(&house.log, came);
    assert_eq!((check, entry), (Check::ReceivedIgnored, Some(drawn)));
    assert!(message.contains("is made without the seed of entry"), "{message}");
}
