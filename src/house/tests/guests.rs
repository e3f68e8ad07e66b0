//! Guests and play chips (spec/ledger.md, "Play chips"): who may do what, and what is left of one who went.

use crate::common;

use common::shared::rules;
use common::*;
use fairshoe_house::{
    Account, Actor, Command, DecideError, Entry, Event, GUEST_CHIPS, GUEST_IDLE_MS, GUEST_ROOM_MS, GUEST_UNUSED_MS,
    Reference, TournamentCommand,
};

fn open(at: &str, name: &str) -> Command {
    Command::OpenTable { table: table(at), rules: rules(name, &[]), replaces: None }
}

fn code(result: Result<Entry, DecideError>) -> &'static str {
    refusal(result).code()
}

/// A house with alice, who has credited chips, so many guests, and a roulette table for each kind of chips.
fn salon(guests: usize) -> House {
    let mut house = House::new();
    house.add_player("alice", 100_000);
    for at in ["roulette", "play.roulette"] {
        house.give(&Actor::Operator, open(at, "roulette")).unwrap();
        house.run_due();
    }
    for _ in 0..guests {
        house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    }
    house
}

fn of_play(house: &House) -> i64 {
    house.state.ledger().balance(&Account::Play).unwrap()
}

/// Time passes, and what is due is done at its own time.
fn wait_until(house: &mut House, until: u64) {
    while let Some(deadline) = house.state.next_deadline().filter(|deadline| *deadline <= until) {
        house.now = house.now.max(deadline);
        house.run_due();
    }
    house.now = until;
}

fn dismiss(house: &mut House, who: &str) -> Result<Entry, DecideError> {
    house.give(&Actor::House, Command::DismissGuest { player: player(who) })
}

#[test]
fn guests_are_numbered_and_nobody_else_has_their_names() {
    let mut house = salon(2);
    let entry = house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    assert!(matches!(&entry.events[0], Event::GuestAdmitted { player } if player.as_str() == "guest.2"));
    assert_eq!((house.balance("guest.2"), of_play(&house)), (GUEST_CHIPS.units(), -3 * GUEST_CHIPS.signed()));
    for actor in [Actor::Operator, Actor::Anyone, by("alice"), by("guest.0")] {
        assert_eq!(code(house.give(&actor, Command::AdmitGuest {})), "not_allowed");
    }
    for name in ["guest.3", "guest.0", "guest.x", "guest."] {
        let create = Command::CreatePlayer { player: player(name), key: None };
        assert_eq!(code(house.give(&Actor::Operator, create)), "malformed", "{name}");
    }
    assert_eq!((house.state.ledger().total(), house.state.ledger().play_total()), (0, 0));
}

#[test]
fn the_two_kinds_of_chips_are_never_at_one_table() {
    let mut house = salon(1);
    let take = |at: &str| Command::TakeSeat { table: table(at), seat: 1 };
    assert_eq!(code(house.give(&by("guest.0"), take("roulette"))), "other_chips");
    assert_eq!(code(house.give(&by("alice"), take("play.roulette"))), "other_chips");
    assert_eq!(code(house.give(&by("guest.0"), open("own", "joy"))), "other_chips");
    assert_eq!(code(house.give(&by("alice"), open("play.own", "joy"))), "other_chips");
    let want = |at: &str| Command::WantSeat { table: table(at) };
    assert_eq!(code(house.give(&by("guest.0"), want("roulette"))), "other_chips");
    house.give(&Actor::Operator, open("joy", "joy")).unwrap();
    house.give(&Actor::Operator, open("play.joy", "joy")).unwrap();
    house.run_due();
    let seed = house.any_seed("joy");
    assert_eq!(code(house.bet("joy", "guest.0", 5, &seed)), "other_chips");
    assert_eq!(code(house.bet("play.joy", "alice", 5, &seed)), "other_chips");
    house.bet("play.joy", "guest.0", 5, &seed).unwrap();

    let (operator, amount, guest) = (Actor::Operator, chips(5), player("guest.0"));
    let reason = Reference::parse("case 1").unwrap();
    for command in [
        Command::Credit { player: guest.clone(), amount, reference: None },
        Command::Withdraw { player: guest.clone(), amount, reference: None },
        Command::Correct { player: guest.clone(), amount, reason },
    ] {
        assert_eq!(code(house.give(&operator, command)), "other_chips");
    }
}

#[test]
fn play_chips_settle_against_their_own_account_and_money_is_as_if_no_guest_were_there() {
    let mut house = salon(2);
    house.sit("play.roulette", "guest.0", 1).unwrap();
    house.run_due();
    house.sit("play.roulette", "guest.1", 2).unwrap();
    house.run_due();
    for _ in 0..5 {
        house.whole_round_on("play.roulette", &[("guest.0", "red"), ("guest.1", "black")]);
        let out = house.balance("guest.0") + house.balance("guest.1");
        let placed = u64::try_from(house.escrow("play.roulette")).unwrap();
        assert_eq!(of_play(&house), -i64::try_from(out + placed).unwrap());
        let ledger = house.state.ledger();
        assert_eq!((house.house_balance(), ledger.balance(&Account::Cage)), (0, Some(-100_000)));
        assert_eq!((ledger.total(), ledger.play_total(), ledger.players_total()), (0, 0, 100_000));
        assert_eq!((ledger.tables_total(), ledger.seats_total()), (0, 0));
    }
}

#[test]
fn who_holds_nothing_for_a_day_goes_and_leaves_nothing() {
    let mut house = salon(2);
    let admitted = house.now;
    house.sit("play.roulette", "guest.0", 1).unwrap();
    house.run_due();
    house.whole_round_on("play.roulette", &[("guest.0", "red")]);
    let pen = house.pen("guest.1", 7);
    house.give(&by("guest.1"), Command::SetKey { player: player("guest.1"), key: Some(pen), reason: None }).unwrap();
    let used = house.now;
    assert_eq!(code(dismiss(&mut house, "guest.0")), "nothing_to_do", "they sit");
    assert_eq!(code(dismiss(&mut house, "guest.1")), "deadline_ahead");
    assert_eq!(code(dismiss(&mut house, "alice")), "unknown_player");
    assert_eq!(code(dismiss(&mut house, "guest.9")), "unknown_player");
    wait_until(&mut house, used + GUEST_IDLE_MS - 1);
    assert_eq!(house.state.guest_count(), 2, "a command begins the day anew; admitted at {admitted}");
    wait_until(&mut house, used + GUEST_IDLE_MS);
    assert_eq!(house.state.guest_count(), 1);
    assert_eq!(house.state.ledger().player(&player("guest.1")), None);
    assert_eq!(house.state.key(&player("guest.1")), None);
    // The seat is tidied after half an hour or more, and from then on they are idle.
    wait_until(&mut house, used + 2 * GUEST_IDLE_MS);
    assert_eq!((house.state.guest_count(), of_play(&house)), (0, 0));
    let lines = house.state.lines().unwrap();
    assert!(!lines.iter().any(|line| line.contains("player:guest.")), "{lines:?}");
    let entry = house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    assert!(matches!(&entry.events[0], Event::GuestAdmitted { player } if player.as_str() == "guest.2"));
}

/// Attack: strangers who take every place there is and open a table of their own, which held the place for an hour.
#[test]
fn a_guests_own_table_is_closed_after_ten_minutes_and_keeps_no_place() {
    let mut house = salon(1);
    house.give(&by("guest.0"), open("play.guest.0.own", "joy")).unwrap();
    house.run_due();
    let opened = house.now;
    wait_until(&mut house, opened + 599_999);
    assert!(house.state.table(&table("play.guest.0.own")).is_some());
    assert_eq!(code(dismiss(&mut house, "guest.0")), "nothing_to_do");
    wait_until(&mut house, opened + 600_000);
    assert!(house.state.table(&table("play.guest.0.own")).is_none());
    wait_until(&mut house, opened + 600_000 + GUEST_UNUSED_MS);
    // Attack: guests come, open tables and go, and the house remembers every name.
    let remembers =
        |house: &House| (house.state.table_was_used(&table("play.guest.0.own")), house.state.lines().unwrap().len());
    let (was_used, lines) = remembers(&house);
    assert!(was_used);
    dismiss(&mut house, "guest.0").unwrap();
    assert_eq!(remembers(&house), (false, lines - 2), "nothing is left of guest and table");
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    for (who, name) in
        [(Actor::Operator, "play.guest.0.own"), (by("guest.1"), "play.guest.0.own"), (by("guest.1"), "play.own")]
    {
        assert_eq!(code(house.give(&who, open(name, "joy"))), "malformed", "{name}");
    }
    // A player's own table stays for an hour.
    house.give(&by("alice"), open("own", "joy")).unwrap();
    house.run_due();
    let opened = house.now;
    wait_until(&mut house, opened + 3_599_999);
    assert!(house.state.table(&table("own")).is_some());
    wait_until(&mut house, opened + 3_600_000);
    assert!(house.state.table(&table("own")).is_none());
}

/// Attack: guests leave rounds open that wait for a day, and keep every place there is without another command.
#[test]
fn a_guests_open_round_waits_for_ten_minutes_and_keeps_no_place_for_a_day() {
    let mut house = salon(2);
    for (who, at) in [("guest.0", "play.guest.0.seed"), ("guest.1", "play.guest.1.turn"), ("alice", "own")] {
        house.give(&by(who), open(at, "joy-own")).unwrap();
        house.run_due();
    }
    let began = house.now;
    let seed = house.any_seed("play.guest.0.seed");
    house.bet("play.guest.0.seed", "guest.0", 10, &seed).unwrap();
    house.deal("play.guest.1.turn", "guest.1", 10, |cards| cards.iter().take(2).sum::<u16>() < 12);
    house.deal("own", "alice", 10, |cards| cards.iter().take(2).sum::<u16>() < 12);
    let is_open = |house: &House, at: &str| house.state.table(&table(at)).is_some_and(|at| at.live_round().is_some());
    wait_until(&mut house, began + 599_999);
    assert!(["play.guest.0.seed", "play.guest.1.turn", "own"].iter().all(|at| is_open(&house, at)));
    wait_until(&mut house, began + 600_000);
    assert!(!is_open(&house, "play.guest.0.seed") && !is_open(&house, "play.guest.1.turn"));
    assert_eq!(house.balance("guest.0"), GUEST_CHIPS.units(), "their stake is back");
    wait_until(&mut house, began + 1_200_000 + GUEST_ROOM_MS);
    for who in ["guest.0", "guest.1"] {
        dismiss(&mut house, who).unwrap();
    }
    // A player's own table waits as its rule set says.
    wait_until(&mut house, began + 86_399_999);
    assert!(is_open(&house, "own"));
    wait_until(&mut house, began + 86_400_000);
    assert!(!is_open(&house, "own"));
}

/// Attack: strangers who take every place there is in a second, and do nothing. Whoever has played stays for longer than they.
#[test]
fn whoever_lost_nothing_makes_room_after_a_minute_and_whoever_played_after_five() {
    let mut house = salon(3);
    let admitted = house.now;
    let for_room = |house: &House, at: u64| match house.state.dismissal_for_room(at) {
        Some(Command::DismissGuest { player }) => Some(player.as_str().to_owned()),
        other => other.map(|other| format!("{other:?}")),
    };
    assert_eq!(for_room(&house, admitted + GUEST_UNUSED_MS - 1), None);
    assert_eq!(for_room(&house, admitted + GUEST_UNUSED_MS).as_deref(), Some("guest.0"));
    for (who, seat) in [("guest.0", 1), ("guest.1", 2)] {
        house.sit("play.roulette", who, seat).unwrap();
        house.run_due();
    }
    house.whole_round_on("play.roulette", &[("guest.0", "red"), ("guest.1", "black")]);
    house.leave("play.roulette", "guest.1").unwrap();
    house.run_due();
    let left = house.now;
    assert_ne!(house.balance("guest.1"), GUEST_CHIPS.units());
    wait_until(&mut house, left + GUEST_UNUSED_MS);
    assert_eq!(for_room(&house, house.now).as_deref(), Some("guest.2"));
    assert_eq!(code(dismiss(&mut house, "guest.0")), "nothing_to_do", "they sit");
    assert_eq!(code(dismiss(&mut house, "guest.1")), "deadline_ahead", "they played lately");
    dismiss(&mut house, "guest.2").unwrap();
    assert_eq!((for_room(&house, house.now), house.state.guest_count()), (None, 2), "nobody else has to go");
    wait_until(&mut house, left + GUEST_ROOM_MS - GUEST_UNUSED_MS);
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    let late = house.now + GUEST_UNUSED_MS;
    wait_until(&mut house, left + GUEST_ROOM_MS - 1);
    assert_eq!((for_room(&house, house.now), code(dismiss(&mut house, "guest.1"))), (None, "deadline_ahead"));
    assert_eq!(for_room(&house, late - 1).as_deref().unwrap_or("guest.1"), "guest.1");
    assert_eq!(
        for_room(&house, late.max(left + GUEST_ROOM_MS)).as_deref(),
        Some("guest.3"),
        "who lost nothing goes first"
    );
    wait_until(&mut house, late.max(left + GUEST_ROOM_MS));
    dismiss(&mut house, "guest.3").unwrap();
    assert_eq!(for_room(&house, house.now).as_deref(), Some("guest.1"));
    dismiss(&mut house, "guest.1").unwrap();
}

#[test]
fn a_state_with_guests_is_read_from_its_lines_and_goes_on_alike() {
    let mut house = salon(2);
    house.sit("play.roulette", "guest.0", 1).unwrap();
    house.run_due();
    let log = house.log.clone();
    let lines = house.state.lines().unwrap();
    let read = |lines: &[String]| read_lines(&log, lines);
    let state = read(&lines).unwrap();
    assert_eq!(state.root().unwrap(), house.state.root().unwrap());
    assert_eq!(state.next_deadline(), house.state.next_deadline());
    let changed = |from: &str, to: &str| -> Vec<String> {
        let changed: Vec<String> = lines.iter().map(|line| line.replace(from, to)).collect();
        assert_ne!(changed, lines, "{from} is there");
        changed
    };
    let since = |line: &String| {
        line.split("\"idle_since\":").nth(1).map(|rest| rest.split(['}', ',']).next().unwrap().to_owned())
    };
    let since = lines.iter().find_map(since).unwrap();
    for (from, to) in [
        ("\"admitted\":2", "\"admitted\":1"),
        ("\"play\":-200000", "\"play\":-200001"),
        (&*format!("\"idle_since\":{since}"), "\"idle_since\":9000000000000"),
        ("[\"player:alice\",{\"balance\":100000", "[\"player:alice\",{\"balance\":100000,\"idle_since\":5"),
        (&*format!(",\"idle_since\":{since}"), ""),
    ] {
        assert!(read(&changed(from, to)).is_err(), "{from} → {to}");
    }
}

#[test]
fn no_tournament_has_tables_that_are_named_as_those_for_play_chips() {
    let mut house = salon(1);
    let structure = fairshoe_tournament::Structure::shipped("heads-up").unwrap();
    for (name, is_taken) in [("play", true), ("play.x", true), ("playing", false), ("plays.x", false)] {
        let create = TournamentCommand::Create {
            event: table(name),
            structure: Box::new(structure.clone()),
            rules: Box::new(fairshoe_games::RuleSet::shipped(&structure.rules.name).unwrap()),
            starts_at: house.now + HOUR,
            registration_from: house.now,
        };
        let created = house.give(&Actor::Operator, Command::Tournament(create));
        assert_eq!(created.is_err(), is_taken, "{name}");
    }
}

#[test]
fn guests_do_not_come_along_to_another_log() {
    let mut house = salon(2);
    house.sit("play.roulette", "guest.0", 1).unwrap();
    house.run_due();
    house.place_bets("play.roulette", "guest.0", &[("red", 100)]).unwrap();
    let carried = house.state.carried_over().unwrap();
    let names: Vec<&str> = carried.players.iter().map(|one| one.player.as_str()).collect();
    assert_eq!(names, ["alice"]);
    let tables: Vec<&str> = carried.tables.iter().map(|(table, _)| table.as_str()).collect();
    assert_eq!(tables, ["play.roulette", "roulette"]);
}

#[test]
fn a_guest_who_was_not_dismissed_in_time_is_overdue() {
    let mut house = salon(1);
    let due = house.now + GUEST_IDLE_MS;
    let late = due + fairshoe_house::OVERDUE_GRACE_MS;
    let overdue = |house: &House, at: u64| house.state.all_overdue(at).find(|one| one.table.is_none());
    assert!(overdue(&house, late).is_none());
    let found = overdue(&house, late + 1).unwrap();
    assert_eq!((found.command, found.since), (Command::DismissGuest { player: player("guest.0") }, due));
    house.sit("play.roulette", "guest.0", 1).unwrap();
    assert!(overdue(&house, late + 1).is_none(), "who sits is not waited for");
}
