//! The table as it stands (spec/entries.md): what an entry that commits a shoe states, what is refused of it, and what
//! a bundle that begins with it shows.

use crate::audit_common;
use crate::common;
use crate::tournament_play::structure;

use audit_common::edit::*;
use audit_common::*;
use common::poker::*;
use common::rng::Rng;
use common::shared::*;
use common::*;
use fairshoe_house::{Actor, Command, Entry, Event, NotedSeat, NotedTable};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::bundle::Soundness;
use serde_json::{Value, json};

fn noted(entry: &Entry) -> &NotedTable {
    the(entry, |event| if let Event::TableNoted(noted) = event { Some(noted.as_ref()) } else { None })
}

fn noted_mut(entry: &mut Entry) -> &mut NotedTable {
    match event_mut(entry, |event| matches!(event, Event::TableNoted(_))) {
        Event::TableNoted(noted) => noted,
        _ => unreachable!(),
    }
}

fn last_noted(house: &House) -> Value {
    let book = entries(&house.log);
    let entry = book.iter().rev().find(|entry| has(entry, |event| matches!(event, Event::TableNoted(_)))).unwrap();
    serde_json::to_value(noted(entry)).unwrap()
}

fn judge(house: &House, log: &[Vec<u8>], round: &str) -> Result<Soundness, Finding> {
    let verdict = verify(bundle(house, log, round).to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
    verdict.findings.first().cloned().map_or(Ok(verdict.verdict), Err)
}

/// The log with a change of what the first shoe's entry states, and where that entry is.
fn with_noted(house: &House, nth: usize, change: impl FnOnce(&mut NotedTable)) -> (Vec<Vec<u8>>, usize) {
    let mut book = entries(&house.log);
    let noting = |entry: &Entry| has(entry, |event| matches!(event, Event::TableNoted(_)));
    let at = book.iter().enumerate().filter(|(_, entry)| noting(entry)).nth(nth).unwrap().0;
    change(noted_mut(&mut book[at]));
    (book.iter().map(|entry| entry.encode().unwrap()).collect(), at)
}

/// Alice and bob play, carol asks in vain, and gets the second shoe.
fn newcomer() -> House {
    let mut house =
        House::shared("live-blackjack", &[("seats", "3"), ("boxes", "3")], &["alice", "bob", "carol", "dave"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.now += SECOND;
    house.sit("t1", "carol", 3).unwrap();
    house.give(&by("dave"), Command::WantSeat { table: table("t1") }).unwrap();
    // The window that is open on the old shoe, in which carol may not bet.
    house.place_all("t1", &["alice"], 100);
    house.now += MINUTE;
    house.run_due();
    house.show_all("t1");
    house.play_out("t1");
    house.now += SECOND;
    house.run_due();
    house
}

#[test]
fn a_table_with_seats_states_who_sits_asks_and_waits() {
    let house = newcomer();
    let stated = last_noted(&house);
    let used = |seat: usize| stated["betting"]["seats"][seat]["used"].clone();
    let want = json!({
        "next_round": 2,
        "last_used": stated["last_used"],
        "betting": {
            "seats": [
                {"seat": 1, "player": "alice", "used": used(0), "misses": 0},
                {"seat": 2, "player": "bob", "used": used(1), "misses": 1},
                {"seat": 3, "player": "carol", "used": used(2), "misses": 1},
            ],
            "asked": ["carol"],
            "newcomers": ["carol"],
            "last": ["alice"],
            "goes_on": true,
            "waiting": [["dave", stated["betting"]["waiting"][0][1]]],
        },
    });
    assert_eq!(stated, want);
    let times = [0, 1, 2].map(|seat| used(seat).as_u64().unwrap());
    assert!(
        times[0] > times[2] && times[2] > times[1] && times[0] <= stated["last_used"].as_u64().unwrap(),
        "{times:?}"
    );
}

#[test]
fn a_solo_table_states_its_numbers_alone() {
    let mut house = House::shared("joy", &[], &["alice"]);
    assert_eq!(last_noted(&house), json!({"next_round": 0, "last_used": house.now}));
    let earlier = house.now;
    house.now += SECOND;
    house.run_due();
    assert_eq!(last_noted(&house)["last_used"], json!(earlier));
}

#[test]
fn a_cash_table_states_stacks_debts_button_and_commitments() {
    let mut room = Room::new(&[], &[("alice", 20_000), ("bob", 20_000), ("carol", 20_000)]);
    let first = last_noted(&room);
    assert_eq!((&first["cash"]["positions"], &first["cash"]["carried"]), (&Value::Null, &json!([])));
    assert_eq!(first["cash"]["seats"][0]["owes"], json!({"entry": true, "small": false, "big": false, "third": false}));
    room.deal_any();
    room.fold_out();
    room.run_due();
    let stated = last_noted(&room);
    assert_eq!(stated["next_round"], json!(1));
    let positions = room.start().positions;
    assert_eq!(stated["cash"]["positions"], serde_json::to_value(positions).unwrap());
    let seats = stated["cash"]["seats"].as_array().unwrap();
    let stacks: Vec<u64> = seats.iter().map(|seat| seat["stack"].as_u64().unwrap()).collect();
    assert_eq!(stacks, room.stacks(&["alice", "bob", "carol"]));
    assert!(seats.iter().all(|seat| seat["hands"] == json!(1) && seat["owes"]["entry"] == json!(false)), "{seats:?}");
}

#[test]
fn a_wish_for_a_seat_is_stated_as_long_as_it_stands() {
    for (after, stands) in [(599_999, true), (600_000, false)] {
        let players = ["alice", "bob", "dave", "erin"];
        let mut house = House::shared("live-blackjack", &[("seats", "2"), ("boxes", "2")], &players);
        house.sit_all("t1", &["alice", "bob"]);
        house.whole_round("t1", &["alice", "bob"], 100);
        house.give(&by("dave"), Command::WantSeat { table: table("t1") }).unwrap();
        house.wait(after);
        // Nobody used a seat for so long: all are free, and the shoe is changed for a newcomer at this moment.
        house.sit("t1", "erin", 1).unwrap();
        house.run_due();
        let stated = last_noted(&house);
        assert_eq!(stated["last_used"], json!(house.now));
        assert_eq!(stated["betting"]["waiting"].as_array().unwrap().len(), usize::from(stands), "{stated}");
    }
}

/// A change of what the entry states.
type Lie = fn(&mut NotedTable);

/// What no table of the rules can be.
const IMPOSSIBLE: &[(&str, Lie)] = &[
    ("no seats", |noted| noted.betting = None),
    ("its last entry after this one", |noted| noted.last_used += 3_600_000),
    ("a seat that it does not have", |noted| noted.betting.as_mut().unwrap().seats[2].seat = 4),
    ("seat 0", |noted| noted.betting.as_mut().unwrap().seats[0].seat = 0),
    ("seats that do not ascend", |noted| noted.betting.as_mut().unwrap().seats.swap(0, 1)),
    ("a seat with two players", |noted| noted.betting.as_mut().unwrap().seats[1].seat = 1),
    ("a player with two seats", |noted| {
        let seats = &mut noted.betting.as_mut().unwrap().seats;
        seats[1].player = seats[0].player.clone();
    }),
    ("a seat used after the last entry", |noted| noted.betting.as_mut().unwrap().seats[0].used = noted.last_used + 1),
    ("a seat that should be lost", |noted| noted.betting.as_mut().unwrap().seats[1].misses = 3),
    ("a wish to play of somebody who does not sit", |noted| {
        noted.betting.as_mut().unwrap().asked = vec![player("dave")]
    }),
    ("newcomers that do not ascend", |noted| {
        noted.betting.as_mut().unwrap().newcomers = vec![player("carol"), player("carol")]
    }),
    ("bettors that do not ascend", |noted| noted.betting.as_mut().unwrap().last = vec![player("bob"), player("alice")]),
    ("somebody who waits and sits", |noted| noted.betting.as_mut().unwrap().waiting[0].0 = player("alice")),
    ("a wish that is over", |noted| noted.betting.as_mut().unwrap().waiting[0].1 = noted.last_used - 600_000),
    ("more who wait than seats", |noted| {
        let since = noted.last_used;
        noted.betting.as_mut().unwrap().waiting = ["w", "x", "y", "z"].map(|who| (player(who), since)).to_vec();
    }),
    ("a last round before the first", |noted| noted.next_round = 0),
    ("bettors of a round before the first", |noted| {
        (noted.next_round, noted.betting.as_mut().unwrap().goes_on) = (0, false);
    }),
    ("a round that ended before the first", |noted| {
        noted.next_round = 0;
        noted.betting.as_mut().unwrap().last.clear();
    }),
    ("more rounds than entries", |noted| noted.next_round = 1_000),
    ("a last entry before its opening", |noted| noted.last_used = T0 - 1),
    ("a seat used before its opening", |noted| noted.betting.as_mut().unwrap().seats[0].used = T0 - 1),
    ("a wish that is to come", |noted| noted.betting.as_mut().unwrap().waiting[0].1 = noted.last_used + 1),
];

/// The same of a cash table.
const IMPOSSIBLE_CASH: &[(&str, Lie)] = &[
    ("seats of another kind of table", |noted| noted.cash = None),
    ("more chips than a table may hold", |noted| noted.cash.as_mut().unwrap().seats[0].stack = chips(1 << 51)),
    ("a stack of nothing that plays", |noted| noted.cash.as_mut().unwrap().seats[0].stack = chips(0)),
    ("somebody away for too long", |noted| noted.cash.as_mut().unwrap().seats[0].away = u16::MAX),
    ("more than the full time bank", |noted| noted.cash.as_mut().unwrap().seats[0].bank_ms += 1),
    ("a button at no seat", |noted| noted.cash.as_mut().unwrap().positions.as_mut().unwrap().button = 11),
    ("a commitment of somebody who does not sit", |noted| {
        noted.cash.as_mut().unwrap().carried = vec![(player("dave"), commitment())]
    }),
    ("a commitment of somebody who sits out", |noted| {
        let cash = noted.cash.as_mut().unwrap();
        cash.seats[2].sitting_out = true;
        cash.carried = vec![(player("carol"), commitment())];
    }),
];

fn commitment() -> fairshoe_fairness::SeedCommitment {
    fairshoe_fairness::SeedCommitment::from_bytes([7; 32])
}

#[test]
fn what_no_table_can_be_is_refused_where_a_bundle_begins_with_it() {
    let mut house = newcomer();
    house.deal_all("t1", &["alice", "bob", "carol"], 100);
    let mut room = Room::new(&[], &[("alice", 20_000), ("bob", 20_000), ("carol", 20_000)]);
    room.deal_any();
    room.fold_out();
    room.deal_any();
    for (house, round, lies) in [(&house, "t1:2", IMPOSSIBLE), (&*room, "t1:1", IMPOSSIBLE_CASH)] {
        assert_eq!(judge(house, &house.log, round), Ok(Soundness::SoundSoFar));
        for (what, lie) in lies {
            let (log, at) = with_noted(house, 1, lie);
            let finding = judge(house, &log, round).expect_err(what);
            assert_eq!((finding.check, finding.entry), (Check::TableNoted, Some(at as u64)), "{what}: {finding}");
            assert_eq!(audit(&log).first_failure.unwrap().entry, Some(at as u64), "{what}");
        }
    }
}

/// The most that a tournament can say of its hands is believed, and one more is not.
#[test]
fn what_a_tournament_says_of_its_hands_has_a_most() {
    let mut house = House::new();
    house.whole_event("sunday", &structure("heads-up", |_| ()), 2, &mut Rng(3));
    let said = |doubled: u64, late_extra_ms: u64| {
        let (log, at) = with_noted(&house, 1, |noted| {
            let place = noted.cash.as_mut().unwrap().event.as_mut().unwrap();
            (place.doubled, place.late_extra_ms) = (doubled, late_extra_ms);
        });
        judge(&house, &log, "sunday.1:1").map_err(|finding| (finding.check, finding.entry == Some(at as u64)))
    };
    assert_eq!(said(53, 3_600_000), Ok(Soundness::Sound));
    for (doubled, late_extra_ms) in [(54, 3_600_000), (53, 3_600_001)] {
        assert_eq!(said(doubled, late_extra_ms), Err((Check::TableNoted, true)), "{doubled} {late_extra_ms}");
    }
}

#[test]
fn a_table_without_an_entry_but_its_opening_is_empty() {
    let mut shared = House::shared("live-blackjack", &[("seats", "3"), ("boxes", "3")], &["alice"]);
    shared.sit_all("t1", &["alice"]);
    shared.deal_all("t1", &["alice"], 100);
    assert_eq!(judge(&shared, &shared.log, "t1:0"), Ok(Soundness::SoundSoFar));
    let lies: [(&str, Lie); 2] = [
        ("a seat", |noted| {
            let (seat, player, used) = (1, player("alice"), noted.last_used);
            noted.betting.as_mut().unwrap().seats = vec![NotedSeat { seat, player, used, misses: 0 }];
        }),
        ("a wish", |noted| noted.betting.as_mut().unwrap().waiting = vec![(player("dave"), noted.last_used)]),
    ];
    for (what, lie) in lies {
        let (log, at) = with_noted(&shared, 0, lie);
        let finding = judge(&shared, &log, "t1:0").expect_err(what);
        assert_eq!((finding.check, finding.entry), (Check::TableNoted, Some(at as u64)), "{what}: {finding}");
    }
    // A hand cannot be called at an empty table: the entry is said to be its first, or the one after.
    let mut room = Room::new(&[], &[("alice", 20_000), ("bob", 20_000)]);
    room.deal_any();
    let said = |seq: u64| {
        let mut book = entries(&room.log);
        let at = find(&book, |entry| has(entry, |event| matches!(event, Event::TableNoted(_))));
        let first = book[at].at.as_ref().unwrap().seq;
        for place in book[at..].iter_mut().filter_map(|entry| entry.at.as_mut()) {
            place.seq = place.seq - first + seq;
        }
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        judge(&room, &log, "t1:0").map_err(|finding| (finding.check, finding.entry == Some(at as u64)))
    };
    assert_eq!((said(1), said(2)), (Err((Check::TableNoted, true)), Ok(Soundness::SoundSoFar)));
}

/// What stands at its very border is believed.
#[test]
fn as_many_may_wait_as_there_are_seats() {
    let mut house = newcomer();
    house.deal_all("t1", &["alice", "bob", "carol"], 100);
    let (log, _) = with_noted(&house, 1, |noted| {
        let since = noted.last_used;
        noted.betting.as_mut().unwrap().waiting = ["w", "x", "y"].map(|who| (player(who), since)).to_vec();
    });
    assert_eq!(judge(&house, &log, "t1:2"), Ok(Soundness::SoundSoFar));
}

/// A pause comes after a round, and lasts as long as the rule set says, or less.
#[test]
fn a_table_pauses_as_its_rule_set_says() {
    let mut room = Room::new(&[("between_hands_ms", "4000")], &[("alice", 20_000), ("bob", 20_000)]);
    room.deal_any();
    room.fold_out();
    room.now += 4 * SECOND;
    room.run_due();
    room.deal_any();
    let said = |round: u64, ms: u64| {
        let pauses = |noted: &mut NotedTable| noted.pause_until = Some(noted.last_used + ms);
        let (log, at) = with_noted(&room, round as usize, pauses);
        let judged = judge(&room, &log, &format!("t1:{round}"));
        judged.map_err(|finding| (finding.check, finding.entry == Some(at as u64)))
    };
    let refused = Err((Check::TableNoted, true));
    assert_eq!([said(0, 0), said(0, 1), said(1, 0), said(1, 4_001)], [(); 4].map(|()| refused));
    for ms in [1, 4_000] {
        assert_ne!(said(1, ms), refused, "{ms}");
    }
}

/// What may be, and was not: the log as a whole shows it at once, a bundle where its entries say otherwise.
#[test]
fn what_a_table_was_not_is_found_in_the_whole_log() {
    let mut house = newcomer();
    house.deal_all("t1", &["alice", "bob", "carol"], 100);
    let lies: &[(&str, Lie)] = &[
        ("another round's number", |noted| noted.next_round += 1),
        ("another time of the last entry", |noted| noted.last_used += 1),
        ("another use of a seat", |noted| noted.betting.as_mut().unwrap().seats[1].used -= 1),
        ("windows that nobody missed", |noted| noted.betting.as_mut().unwrap().seats[0].misses = 1),
        ("nobody who asks", |noted| noted.betting.as_mut().unwrap().asked.clear()),
        ("no newcomer", |noted| noted.betting.as_mut().unwrap().newcomers.clear()),
        ("other bettors", |noted| noted.betting.as_mut().unwrap().last = vec![player("bob")]),
        ("no round that ended", |noted| noted.betting.as_mut().unwrap().goes_on = false),
        ("nobody who waits", |noted| noted.betting.as_mut().unwrap().waiting.clear()),
        ("an empty seat", |noted| drop(noted.betting.as_mut().unwrap().seats.remove(1))),
    ];
    for (what, lie) in lies {
        let (log, at) = with_noted(&house, 1, lie);
        let finding = audit(&log).first_failure.expect(what);
        assert_eq!((finding.check, finding.entry), (Check::TableNoted, Some(at as u64)), "{what}: {finding}");
    }
    // A player who is said not to sit cannot bet; one whose round is another's is not the next.
    for (nth, check) in [(9, Check::Refused), (0, Check::Bets)] {
        let (log, at) = with_noted(&house, 1, lies[nth].1);
        let finding = judge(&house, &log, "t1:2").unwrap_err();
        assert!(finding.check == check && finding.entry > Some(at as u64), "{}: {finding}", lies[nth].0);
    }
}

#[test]
fn an_entry_that_does_not_state_the_table_is_found() {
    let mut house = newcomer();
    house.deal_all("t1", &["alice", "bob", "carol"], 100);
    let mut book = entries(&house.log);
    let at = book.iter().rposition(|entry| has(entry, |event| matches!(event, Event::TableNoted(_)))).unwrap();
    book[at].events.retain(|event| !matches!(event, Event::TableNoted(_)));
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    for finding in [audit(&log).first_failure.unwrap(), judge(&house, &log, "t1:2").unwrap_err()] {
        assert_eq!((finding.check, finding.entry), (Check::EventMissing, Some(at as u64)), "{finding}");
    }
}

/// A newcomer who did not bet climbs the ladder where the operator closes the bets, too: before their time is over nobody is held to have let it pass.
#[test]
fn a_bundle_knows_when_an_operator_s_closing_was_announced() {
    let mut house = newcomer();
    house.run_due();
    house.place_all("t1", &["alice", "bob"], 100);
    let closes_at = house.table("t1").window().unwrap().closes_at.unwrap();
    let mut announced = House { now: house.now, log: house.log.clone(), state: fold(&house.log), ..House::unstarted() };
    assert!(announced.now < closes_at);
    announced.close("t1", &Actor::Operator).unwrap();
    // So carol has no cooldown, and asks at once.
    announced.ask("t1", "carol").unwrap();
    assert_eq!(judge(&announced, &announced.log, "t1:2"), Ok(Soundness::SoundSoFar));
    // At its end the operator closes like the house: a player who is passed over has a cooldown from elsewhere.
    house.now = closes_at;
    let closing = house.close("t1", &Actor::Operator).unwrap();
    assert!(has(&closing, |event| matches!(event, Event::Cooldown { .. })));
    let mut book = entries(&house.log);
    book.last_mut().unwrap().events.retain(|event| !matches!(event, Event::Cooldown { .. }));
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    assert_eq!(judge(&house, &log, "t1:2"), Ok(Soundness::SoundSoFar));
}

/// Lies of a bundle that both verifiers believed while who sat where was the log's word.
#[test]
fn a_withholder_loses_the_seat_that_the_table_states() {
    let mut house = newcomer();
    house.place_all("t1", &["alice", "bob", "carol"], 100);
    house.run_due();
    house.now += MINUTE;
    house.run_due();
    for kept in ["alice", "carol"] {
        let mut book = entries(&house.log);
        let at = book.iter().rposition(|entry| matches!(entry.command, Command::Lapse { .. })).unwrap();
        book[at].events.retain(|event| !matches!(event, Event::SeatLeft { player, .. } if player.as_str() == kept));
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = judge(&house, &log, "t1:2").unwrap_err();
        assert_eq!(finding.entry, Some(at as u64), "{kept}: {finding}");
    }
}

#[test]
fn a_hand_is_dealt_to_the_seats_that_the_table_states() {
    let mut room = Room::new(&[], &[("alice", 20_000), ("bob", 20_000), ("carol", 20_000)]);
    room.deal_any();
    room.fold_out();
    room.deal_any();
    assert_eq!(judge(&room, &room.log, "t1:1"), Ok(Soundness::SoundSoFar));
    type HandLie = fn(&mut fairshoe_games::poker::HandStart);
    let lies: &[(&str, HandLie)] = &[
        ("another stack", |hand| hand.seats[0].stack = chips(30_000)),
        ("another button", |hand| hand.positions.button = hand.positions.big),
        ("two players changed places", |hand| {
            let first = hand.seats[0].player.clone();
            hand.seats[0].player = hand.seats[1].player.clone();
            hand.seats[1].player = first;
        }),
        ("a longer time bank", |hand| hand.seats[1].bank_ms += 1_000),
        ("a dead post that nobody owes", |hand| hand.seats[2].due.dead = chips(100)),
    ];
    for (what, lie) in lies {
        let mut book = entries(&room.log);
        let at = book.iter().rposition(|entry| has(entry, |event| matches!(event, Event::HandBegun { .. }))).unwrap();
        let Event::HandBegun { hand, .. } = event_mut(&mut book[at], |event| matches!(event, Event::HandBegun { .. }))
        else {
            unreachable!()
        };
        lie(hand);
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = judge(&room, &log, "t1:1").expect_err(what);
        assert_eq!((finding.check, finding.entry), (Check::Bets, Some(at as u64)), "{what}: {finding}");
    }
}
