//! `tournament`: whole events told by the program, each cent and chip of what it says held against the log's own text.

use crate::audit_common;
use crate::common;
use crate::served;
use crate::tournament_chance;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_house::tournament::{CancelCause, Stage, TournamentEvent};
use fairshoe_house::{Actor, Command as HouseCommand, Entry, Event, State, TournamentCommand as C};
use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Output};

fn audit_with(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (status.code().expect("it was killed"), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn key() -> String {
    signer().verifier_key().to_string()
}

fn serve(log: &[Vec<u8>]) -> Served {
    Served::start(log, &checkpoint(log), &key(), None)
}

/// What the program says of an event, as JSON.
#[track_caller]
fn told(service: &Served, event: &str) -> Value {
    let (code, out, err) = audit_with(&["tournament", &service.address, event, "--json", "--hands"]);
    assert_eq!(code, 0, "{event}: {}{err}", out.chars().take(2_000).collect::<String>());
    serde_json::from_str(&out).unwrap()
}

/// Events by chance from this seed; those that a seed does not bring to an end are told as far as they come.
pub fn by_chance(seed: u64) -> House {
    let mut house = House::new();
    let _ = catch_unwind(AssertUnwindSafe(|| tournament_chance::play(&mut house, &mut Rng(seed))));
    house
}

fn names(house: &House) -> Vec<String> {
    house.state.tournaments().map(|event| event.name().to_string()).collect()
}

/// The log as text, no type of the house in between.
fn values(log: &[Vec<u8>]) -> Vec<Value> {
    log.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

/// The event of this name in an entry of the event's own.
fn words<'v>(entry: &'v Value, name: &'v str) -> impl Iterator<Item = &'v Value> {
    let events = entry["events"].as_array().unwrap().iter();
    events.filter_map(move |event| event.get("tournament")?.get(name))
}

fn is_own(entry: &Value, event: &str) -> bool {
    entry["at"]["table"] == event && entry["command"].get("tournament").is_some()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// What an event's postings come to, by account; players' and T$ accounts by their names.
fn posted(log: &[Value], event: &str) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for entry in log.iter().filter(|entry| is_own(entry, event)) {
        for lines in entry["events"].as_array().unwrap().iter().filter_map(|event| event.get("posted")) {
            for line in lines["lines"].as_array().unwrap() {
                *sums.entry(line[0].as_str().unwrap().to_owned()).or_default() += number(&line[1]);
            }
        }
    }
    sums
}

/// What tickets of a player came, less those that went.
fn tickets(log: &[Value], event: &str) -> BTreeMap<String, i64> {
    let (mut owners, mut sums) = (BTreeMap::new(), BTreeMap::<String, i64>::new());
    for entry in log.iter().filter(|entry| is_own(entry, event)) {
        for one in words(entry, "registered") {
            let (who, ticket) = (one["player"].as_str().unwrap().to_owned(), number(&one["paid_by"]["ticket"]));
            *sums.entry(who.clone()).or_default() -= ticket;
            owners.insert(number(&one["entry_no"]), (who, ticket));
        }
        for one in words(entry, "unregistered") {
            let (who, ticket) = &owners[&number(&one["entry_no"])];
            *sums.entry(who.clone()).or_default() += ticket;
        }
        for one in words(entry, "prize_paid") {
            let (who, _) = &owners[&number(&one["entry_no"])];
            *sums.entry(who.clone()).or_default() += number(&one["prize"]["ticket"]);
        }
        for one in words(entry, "ticket_returned") {
            *sums.entry(one["player"].as_str().unwrap().to_owned()).or_default() -= number(&one["value"]);
        }
    }
    sums
}

/// Every figure of the tables of an event, worked out from the text of the log.
fn check_tables(house: &House, told: &Value, event: &str) {
    let log = values(&house.log);
    let posted = posted(&log, event);
    let tickets = tickets(&log, event);
    let tournament = &told["tournament"];
    let of = |kind: &str| -> i64 {
        posted.iter().filter(|(name, _)| name.starts_with(kind)).map(|(_, amount)| amount).sum()
    };
    let total = &tournament["accounts"]["total"];
    for (column, kind) in [
        ("players", "player:"),
        ("t_dollars", "tdollars:"),
        ("tickets", "tickets"),
        ("pool", "pool:"),
        ("fees", "fees:"),
        ("bounties", "bounties:"),
        ("stakes", "stakes:"),
        ("house", "house"),
        ("residual", "rounding_residual"),
    ] {
        assert_eq!(number(&total[column]), of(kind), "{event} {column}");
    }
    assert_eq!(posted.values().sum::<i64>(), 0);
    let mut rows: BTreeMap<String, i64> = BTreeMap::new();
    for row in tournament["accounts"]["rows"].as_array().unwrap() {
        let amounts = row["amounts"].as_object().unwrap();
        assert_eq!(amounts.values().map(number).sum::<i64>(), 0, "{row}");
        amounts.iter().for_each(|(name, amount)| *rows.entry(name.clone()).or_default() += number(amount));
    }
    assert!(rows.iter().all(|(name, amount)| number(&total[name]) == *amount));

    let state = house.event(event);
    let is_over = state.stage == Stage::Ended;
    if is_over {
        assert!(["pool", "fees", "bounties", "stakes"].iter().all(|own| number(&total[*own]) == 0), "{total}");
    }
    let entrants = tournament["entrants"].as_array().unwrap();
    let mut players: Vec<&str> = entrants.iter().map(|one| one["player"].as_str().unwrap()).collect();
    players.sort_unstable();
    let mut expected: Vec<&str> =
        posted.keys().filter_map(|name| name.strip_prefix("player:").or(name.strip_prefix("tdollars:"))).collect();
    expected.extend(tickets.keys().map(String::as_str));
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(players, expected, "{event}");
    for one in entrants {
        let who = one["player"].as_str().unwrap();
        let line = |kind: &str| posted.get(&format!("{kind}:{who}")).copied().unwrap_or_default();
        let net = line("player") + line("tdollars") + tickets.get(who).copied().unwrap_or_default();
        assert_eq!(number(&one["net"]), net, "{event} {who}");
        let forms = |name: &str| one[name].as_object().unwrap().values().map(number).sum::<i64>();
        let parts = forms("given_back")
            + forms("prize")
            + number(&one["bounty"])
            + number(&one["refund"])
            + number(&one["stakes"])
            - forms("paid_in");
        assert_eq!(parts, net, "{one}");
        let last = state.entrants.get(&player(who)).and_then(|entrant| entrant.entries.last());
        let last = last.and_then(|entry_no| state.entries.get(entry_no));
        assert_eq!(one["rank"], serde_json::to_value(last.and_then(|entry| entry.rank)).unwrap(), "{who}");
    }
    check_words(&log, tournament, event);
    check_chips(&log, tournament, state.structure(), event);
}

/// Prizes, bounties and refunds are those that the log's words say.
fn check_words(log: &[Value], tournament: &Value, event: &str) {
    let own: Vec<&Value> = log.iter().filter(|entry| is_own(entry, event)).collect();
    let sum = |name: &str, fields: &[&str]| -> i64 {
        let all = own.iter().flat_map(|entry| words(entry, name));
        all.flat_map(|one| fields.iter().map(move |field| number(&one[*field]))).sum()
    };
    let entrants = tournament["entrants"].as_array().unwrap();
    let told = |name: &str| entrants.iter().map(|one| number(&one[name])).sum::<i64>();
    assert_eq!(told("bounty"), sum("bounty_paid", &["amount"]));
    let back = sum("refunded", &["fee", "bounty", "pool", "due", "bought"]) - sum("refunded", &["taken"]);
    assert_eq!(told("refund"), back);
    // Each of its own entries is told, in their order, and each with its words.
    let story: Vec<u64> =
        tournament["story"].as_array().unwrap().iter().map(|one| one["entry"].as_u64().unwrap()).collect();
    assert!(story.is_sorted_by(|one, next| one < next));
    for (index, entry) in log.iter().enumerate().filter(|(_, entry)| is_own(entry, event)) {
        let at = story.binary_search(&(index as u64));
        assert!(at.is_ok(), "entry {index} is not told: {entry}");
    }
}

/// Chips by the log's own words: what was brought lies before the players or is out of play.
fn check_chips(log: &[Value], tournament: &Value, structure: &fairshoe_tournament::Structure, event: &str) {
    let count = |name: &str| {
        let own = log.iter().filter(|entry| is_own(entry, event));
        own.flat_map(|entry| words(entry, name)).count() as u64
    };
    let rebuy = structure.rebuy.as_ref().map_or(0, |terms| terms.chips);
    let add_on = structure.add_on.as_ref().map_or(0, |terms| terms.chips);
    let brought = (count("registered") - count("unregistered")) * structure.entry.stack
        + count("rebought") * rebuy
        + count("added_on") * add_on;
    let chips = &tournament["chips"];
    assert_eq!(chips["brought"].as_u64().unwrap(), brought);
    assert_eq!(chips["in_play"].as_u64().unwrap() + chips["out_of_play"].as_u64().unwrap(), brought);
    let tables = format!("{event}.");
    let hand = format!("hand {event}.");
    let story = tournament["story"].as_array().unwrap().iter().flat_map(|one| one["lines"].as_array().unwrap());
    let with_chips = format!("; {brought} chips in all");
    let told: Vec<&str> = story.filter_map(Value::as_str).filter(|line| line.contains(" chips in all")).collect();
    assert_eq!(told.len() as u64, chips["hands"].as_u64().unwrap());
    // Nobody was disqualified and nobody bought more: then it is the same number after every hand.
    if chips["out_of_play"] == 0 && told.first().is_some_and(|line| line.ends_with(&with_chips)) {
        assert!(told.iter().all(|line| line.ends_with(&with_chips)), "{event}");
    }
    assert!(told.iter().all(|line| line.starts_with(&hand) || line.contains("posts alone")));
    let at_tables = log.iter().filter(|entry| entry["at"]["table"].as_str().is_some_and(|at| at.starts_with(&tables)));
    let ended = at_tables
        .flat_map(|entry| entry["events"].as_array().unwrap())
        .filter(|event| event.get("posts_taken").is_some() || event.get("round_settled").is_some());
    assert_eq!(chips["hands"].as_u64().unwrap(), ended.count() as u64);
}

/// The entry with which an event was cancelled, by its index.
fn cancelled_at(house: &House, event: &str) -> Option<usize> {
    house.log.iter().position(|bytes| {
        let entry = Entry::decode(bytes).unwrap();
        matches!(&entry.command, HouseCommand::Tournament(command) if command.event().as_str() == event)
            && entry.events.iter().any(
                |event| matches!(event, Event::Tournament(of) if matches!(**of, TournamentEvent::Cancelled { .. })),
            )
    })
}

/// What the house itself pays when the same event is cancelled at the same moment as of another instant: by player, all
/// but what is taken back.
fn paid_as_of(house: &House, before: &State, at: u64, event: &str, instant: u64) -> BTreeMap<String, (i64, i64)> {
    let mut state = before.clone();
    let mut time = at;
    let reason = fairshoe_house::Reference::parse("another instant");
    let cancel = C::Cancel { event: table(event), cause: CancelCause::Operator, instant, reason };
    let mut next = Some((Actor::Operator, HouseCommand::Tournament(cancel)));
    let mut paid: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let owed = |state: &State| -> BTreeMap<u64, i64> {
        let refunds = &state.tournament(&table(event)).unwrap().refunds;
        refunds.iter().map(|(entry_no, refund)| (entry_no.0, refund.owed as i64)).collect()
    };
    let mut owes = BTreeMap::new();
    for _ in 0..1_000 {
        let Some((by, command)) = next.take() else { break };
        let entry = state.decide(house.dealer.as_ref(), time, &by, &command).unwrap();
        state.apply(&entry).unwrap();
        for happened in &entry.events {
            let Event::Tournament(happened) = happened else { continue };
            match happened.as_ref() {
                TournamentEvent::Cancelled { .. } => owes = owed(&state),
                TournamentEvent::Refunded { entry_no, fee, bounty, pool, due, bought, .. } => {
                    let who =
                        state.tournament(&table(event)).unwrap().entries.get(entry_no).unwrap().player.to_string();
                    let sum = paid.entry(who).or_default();
                    sum.0 += (fee + bounty + pool + due + bought) as i64;
                    sum.1 += owes[&entry_no.0];
                }
                _ => {}
            }
        }
        if state.tournament(&table(event)).unwrap().stage == Stage::Ended {
            return paid;
        }
        next = state.due(time);
        if next.is_none() {
            time = state.next_deadline().unwrap_or(time).max(time);
            next = state.due(time);
        }
    }
    panic!("the cancelled event does not end");
}

/// The instants of a cancellation, each held against the house's own cancellation as of it.
fn check_instants(house: &House, told: &Value, event: &str) -> usize {
    let Some(at) = cancelled_at(house, event) else { return 0 };
    let entry = Entry::decode(&house.log[at]).unwrap();
    let HouseCommand::Tournament(C::Cancel { instant: named, cause, .. }) = entry.command else { return 0 };
    let before = fold(&house.log[..at]);
    if before.tournament(&table(event)).unwrap().stage != Stage::Running {
        return 0;
    }
    let choices = told["tournament"]["choices"].as_array().unwrap();
    let choice = choices.iter().find(|choice| choice["named"] == named).expect("the cancellation's instants");
    let instants = choice["instants"].as_array().unwrap();
    let chosen = &instants[choice["chosen"].as_u64().unwrap() as usize];
    assert_eq!(chosen["instant"], named);
    let house_keeps: Vec<i64> = instants.iter().map(|one| number(&one["house"])).collect();
    let (most, least) = (choice["best_for_house"].as_u64().unwrap(), choice["worst_for_house"].as_u64().unwrap());
    assert_eq!(Some(&house_keeps[most as usize]), house_keeps.iter().max());
    assert_eq!(Some(&house_keeps[least as usize]), house_keeps.iter().min());
    let step = instants.len().div_ceil(5);
    for one in instants.iter().step_by(step).chain([chosen]) {
        let instant = one["instant"].as_u64().unwrap();
        // The operator, who cancels here again, pays the guarantee; a crash does not (refunds.md, 4.2).
        if cause != CancelCause::Operator && one["case"] == 2 {
            continue;
        }
        let paid = paid_as_of(house, &before, entry.time, event, instant);
        let (all, owed) = paid.values().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        let parts = ["pool", "fees", "bounties", "prizes", "bought"];
        assert_eq!(parts.iter().map(|part| number(&one["paid"][*part])).sum::<i64>(), all, "{event} {instant}");
        assert_eq!(number(&one["paid"]["owed"]), owed);
        let players = one["players"].as_object().unwrap();
        for (who, (all, owed)) in &paid {
            assert_eq!(number(&players[who]), all - owed, "{who} as of {instant}");
        }
        assert_eq!(players.len(), paid.len());
    }
    for range in choice["players"].as_array().unwrap() {
        let of = |one: &Value| number(&one["players"][range["player"].as_str().unwrap()]);
        assert_eq!(number(&range["most"][0]), instants.iter().map(of).max().unwrap());
        assert_eq!(number(&range["least"][0]), instants.iter().map(of).min().unwrap());
        assert_eq!(number(&range["chosen"]), of(chosen));
    }
    instants.len()
}

/// Events in which everything comes to pass: bounties, stakes, deals, substitutes, satellites with their targets, a
/// disqualification, crashes, cancellations before and after the start.
const SEEDS: [u64; 9] = [0, 2, 5, 19, 41, 13, 16, 26, 54];

#[test]
fn whole_events_are_told_to_the_cent_and_to_the_chip() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in SEEDS.into_iter().chain((100..).take(10 * (effort() as usize - 1))) {
        let house = by_chance(seed);
        let service = serve(&house.log);
        for event in names(&house) {
            let told = told(&service, &event);
            check_tables(&house, &told, &event);
            let instants = check_instants(&house, &told, &event);
            let rows = told["tournament"]["accounts"]["rows"].as_array().unwrap();
            let has = |reason: &str| rows.iter().any(|row| row["reason"] == reason);
            let story = told["tournament"]["story"].to_string();
            for (what, is) in [
                ("events", true),
                ("instants", instants > 1),
                ("deal", has("deal")),
                ("stakes", has("stakes_sold")),
                ("bounties", has("bounties")),
                ("prizes", has("prizes")),
                ("refunds", has("refunds")),
                ("disqualified", story.contains("is disqualified")),
                ("substituted", story.contains("which owes the substitute")),
                ("tickets", rows.iter().any(|row| row["amounts"]["tickets"] != 0)),
                ("withheld", story.contains("withheld by entry")),
                ("moved", story.contains("least difference of distances")),
                ("broken", story.contains("the one with the fewest players breaks")),
                ("crash", story.contains("clock stands since")),
            ] {
                *seen.entry(what).or_default() += usize::from(is);
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.values().all(|times| *times > 0), "{seen:?}");
}

/// What is noted in a hand and carried out after it, a ticket that comes back, a satellite, stakes, a crash.
#[test]
fn the_tournaments_of_the_vectors_are_told() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/entries-tournament.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let log: Vec<Vec<u8>> =
        file["entries"].as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().as_bytes().to_vec()).collect();
    let service = serve(&log);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let state = fold(&log);
    for event in state.tournaments() {
        let told = told(&service, event.name().as_str());
        assert_eq!(told["verdict"], "sound", "{}", event.name());
        for row in told["tournament"]["accounts"]["rows"].as_array().unwrap() {
            *reasons.entry(row["reason"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for reason in ["entries", "rebuys", "prizes", "refunds", "stakes_sold", "tickets_returned", "end"] {
        assert!(reasons.contains_key(reason), "{reason}: {reasons:?}");
    }
}

#[test]
fn an_event_is_told_in_words() {
    let house = by_chance(3);
    let service = serve(&house.log);
    let event = &names(&house)[0];
    let (code, out, err) = audit_with(&["tournament", &service.address, event, "--key", &key()]);
    assert_eq!(code, 0, "{out}{err}");
    for words in [
        "announces a tournament with the structure",
        "levels 1: ",
        "to be seated: entry 0 (",
        "seats 1",
        "entrants",
        "accounts",
        "chips ",
    ] {
        assert!(out.contains(words), "`{words}` is not in: {out}");
    }
    assert!(out.trim_end().lines().last().unwrap().starts_with("SOUND"), "{out}");
    let (code, _, err) = audit_with(&["tournament", &service.address, "nowhere"]);
    assert!(code == 2 && err.contains("no tournament nowhere"), "{err}");
    let (code, out, _) = audit_with(&["tournament", "--help"]);
    assert!(code == 0 && out.contains("fairshoe-audit tournament ./mirror sunday"));
}

/// Of an event that is played yet a cancellation now is worked out, and so far everything adds up.
#[test]
fn an_event_that_is_played_is_told_as_far_as_it_came() {
    let whole = by_chance(7);
    let event = names(&whole)[0].clone();
    let started = whole.log.iter().position(|bytes| String::from_utf8_lossy(bytes).contains("\"registration_ended\""));
    let size = started.expect("registration ends") + 30;
    let mut house = House::new();
    house.log = whole.log[..size].to_vec();
    house.state = fold(&house.log);
    assert_eq!(house.event(&event).stage, Stage::Running);
    let service = serve(&house.log);
    let told = told(&service, &event);
    check_tables(&house, &told, &event);
    let choice = told["tournament"]["choices"].as_array().unwrap().last().unwrap();
    assert_eq!(choice["named"], Value::Null);
    let instants = choice["instants"].as_array().unwrap();
    assert_eq!(instants.last().unwrap()["instant"], choice["bounds"][1]);
    assert!(instants.len() > 3);
    // Thinned: the first, the last, and few between them.
    let (_, out, _) = audit_with(&["tournament", &service.address, &event, "--json", "--instants", "3"]);
    let thinned: Value = serde_json::from_str(&out).unwrap();
    let few = thinned["tournament"]["choices"].as_array().unwrap().last().unwrap();
    assert_eq!(few["moments"], choice["moments"]);
    let few = few["instants"].as_array().unwrap();
    assert!(few.len() <= 4 && few.iter().all(|one| instants.contains(one)), "{}", few.len());
}

/// A house that lies is told of, and nothing else is told.
#[test]
fn of_a_log_that_lies_nothing_is_told() {
    [3, 7].into_iter().for_each(check_lie);
}

fn check_lie(seed: u64) {
    let house = by_chance(seed);
    let event = names(&house)[0].clone();
    let mut lied = house.log.clone();
    let at = lied.iter().position(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        text.contains("\"prize_paid\"") || text.contains("\"refunded\"")
    });
    let at = at.expect("somebody is paid");
    let mut entry = Entry::decode(&lied[at]).unwrap();
    for happened in &mut entry.events {
        if let Event::Tournament(happened) = happened {
            match happened.as_mut() {
                TournamentEvent::PrizePaid { prize, .. } => prize.cash += 1,
                TournamentEvent::Refunded { pool, .. } => *pool += 1,
                _ => {}
            }
        }
    }
    lied[at] = entry.encode().unwrap();
    let service = Served::start(&lied, &checkpoint(&lied), &key(), None);
    let (code, out, _) = audit_with(&["tournament", &service.address, &event, "--json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["verdict"], &told["tournament"]), (1, &"not_sound".into(), &Value::Null), "{out}");
    assert_eq!(told["first_failure"]["entry"], at, "{out}");
    let (code, out, _) = audit_with(&["tournament", &service.address, &event]);
    assert!(code == 1 && out.contains("NOT SOUND") && !out.contains("entrants") && !out.contains("registers"), "{out}");
    // As somebody in between would change it.
    let between = Served::start(&lied, &checkpoint(&house.log), &key(), None);
    let (code, out, err) = audit_with(&["tournament", &between.address, &event]);
    assert!(code == 2 && out.is_empty() && err.contains("the partial tiles lead to root"), "{out}{err}");
}

/// A hand of a tournament's table, for one who has no entry of the event.
#[test]
fn hands_of_a_tournament_are_judged_and_written_for_other_programs() {
    assert_eq!(check_hands(&by_chance(3)), 0);
    assert!(check_hands(&by_chance(7)) > 0);
}

/// What its hands are written with; the bounties of the hands together.
fn check_hands(house: &House) -> i64 {
    let event = names(house)[0].clone();
    let dir = tempfile::TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let service = serve(&house.log);
    let (code, out, err) = audit_with(&["mirror", &service.address, &path("mirror")]);
    assert_eq!(code, 0, "{out}{err}");
    // The hands of each table with their levels, by the log's text.
    let mut levels: BTreeMap<String, u64> = BTreeMap::new();
    let (mut hands, mut settled) = (BTreeMap::new(), Vec::new());
    for entry in values(&house.log) {
        let Some(at) = entry["at"]["table"].as_str().filter(|at| at.starts_with(&format!("{event}."))) else {
            continue;
        };
        for happened in entry["events"].as_array().unwrap() {
            if let Some(set) = happened.get("set_seats") {
                levels.insert(at.to_owned(), set["level"].as_u64().unwrap());
            }
            if let Some(begun) = happened.get("hand_begun") {
                hands.insert(format!("{at}:{}", begun["round_no"]), levels[at]);
            }
            if let Some(over) = happened.get("round_settled") {
                settled.push(format!("{at}:{}", over["round_no"]));
            }
        }
    }
    assert!(settled.len() > 5, "{settled:?}");
    for id in [&settled[0], &settled[settled.len() / 2], settled.last().unwrap()] {
        let served = bundle(house, &house.log, id).to_json().unwrap();
        let service = Served::start(&house.log, &checkpoint(&house.log), &key(), Some((id, served)));
        for source in [service.address.as_str(), &path("mirror")] {
            let (code, out, err) = audit_with(&["round", source, id, "--key", &key(), "--json"]);
            assert_eq!(code, 0, "{source} {id}: {out}{err}");
            let (code, phh, err) = audit_with(&["history", source, id]);
            assert_eq!(code, 0, "{phh}{err}");
            assert!(phh.contains(&format!("event = \"{event}\"\nlevel = {}\n", hands[id])), "{id}: {phh}");
            let (code, ohh, err) = audit_with(&["history", source, id, "--format", "ohh"]);
            assert_eq!(code, 0, "{ohh}{err}");
            let ohh: Value = serde_json::from_str(&ohh).unwrap();
            assert_eq!(ohh["ohh"]["tournament"], true);
            assert_eq!(ohh["ohh"]["tournament_info"]["name"], event.as_str());
        }
    }
    let (code, out, err) = audit_with(&["history", &path("mirror"), "--all", "--out", &path("all.phhs")]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, replayed, err) = audit_with(&["replay", &path("all.phhs"), "--json"]);
    let replayed: Value = serde_json::from_str(&replayed).unwrap();
    assert_eq!((code, &replayed["equal"]), (0, &settled.len().into()), "{replayed}{err}");
    let (code, out, err) =
        audit_with(&["history", &path("mirror"), "--all", "--format", "ohh", "--out", &path("all.ohh")]);
    assert_eq!(code, 0, "{out}{err}");
    let all = std::fs::read_to_string(path("all.ohh")).unwrap();
    let terms = house.event(&event).structure().clone();
    let mut bounties = 0;
    for object in all.split("\n\n") {
        let ohh = &serde_json::from_str::<Value>(object).unwrap()["ohh"];
        let info = &ohh["tournament_info"];
        assert_eq!(
            (&info["buyin_amount"], &info["fee_amount"], &info["bounty_fee_amount"], &info["initial_stack"]),
            (
                &terms.entry.buy_in.into(),
                &terms.entry.fee.into(),
                &terms.entry.bounty.into(),
                &terms.entry.stack.into()
            )
        );
        let level = hands[ohh["game_number"].as_str().unwrap()] as usize - 1;
        assert_eq!(ohh["big_blind_amount"], terms.levels[level].big);
        assert_eq!(ohh["ante_amount"], terms.levels[level].ante);
        let won = ohh["tournament_bounties"].as_array().into_iter().flatten();
        bounties += won.map(|won| number(&won["bounty_won"])).sum::<i64>();
    }
    let log = values(&house.log);
    let fell =
        log.iter().flat_map(|entry| words(entry, "bounty_won")).flat_map(|won| won["winners"].as_array().unwrap());
    let fell: i64 = fell.map(|won| number(&won["to_total"]) + number(&won["onto_head"])).sum();
    // A head may fall in a hand without cards.
    assert!(bounties <= fell, "{bounties} {fell}");
    println!("{bounties} of {fell} in bounties");
    bounties
}
