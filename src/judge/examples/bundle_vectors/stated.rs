//! Bundles that tell two readings of "What a bundle takes as stated" and of "Overdue" apart (spec/audit.md), which pass
//! under both where they are found by chance.

use crate::audit_common::{Archive, resign};
use crate::common::rng::Rng;
use crate::common::shared::{SECOND, rules};
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_fairness::TableId;
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::tournament::{CancelCause, Stage};
use fairshoe_house::{Actor, Command, Lapsed, PlayerKey, Reference, TournamentCommand};
use fairshoe_judge::bundle::Bundle;
use fairshoe_tlog::PublicKey;

/// The greatest amount, which an account can have.
const GREATEST: u64 = (1 << 53) - 1;

/// A bundle with what it is about.
pub type Told = (&'static str, String);

fn words(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

/// The bundle of this round as the service gives it out now.
fn now(house: &House, round: &str) -> Bundle {
    Archive::new(&house.log).bundle_at(&round.parse().unwrap(), house.log.len()).unwrap()
}

fn json(house: &House, round: &str) -> String {
    now(house, round).to_json().unwrap()
}

/// The bundle's entries in order, whether each is of the context, and its text.
fn items(bundle: &Bundle) -> Vec<(bool, String)> {
    let Bundle { context, entries, .. } = bundle.clone();
    let mut all: Vec<_> = [(true, context), (false, entries)]
        .into_iter()
        .flat_map(|(context, items)| items.into_iter().map(move |item| (item.index, context, item.entry)))
        .collect();
    all.sort_unstable_by_key(|(index, ..)| *index);
    all.into_iter().map(|(_, context, text)| (context, text)).collect()
}

/// The bundle with its entries changed, signed again by whoever did it.
pub fn changed(bundle: Bundle, change: impl Fn(bool, &str) -> String) -> String {
    let items = items(&bundle);
    resign(bundle, items.into_iter().map(|(context, text)| (change(context, &text), context)))
}

/// The same with this text, which stands in it once, replaced.
fn replaced(house: &House, round: &str, from: &str, to: &str) -> String {
    let bundle = now(house, round);
    let times: usize = items(&bundle).iter().map(|(_, text)| text.matches(from).count()).sum();
    assert_eq!(times, 1, "{from}");
    changed(bundle, |_, text| text.replace(from, to))
}

pub fn cases() -> Vec<Told> {
    let mut told = Vec::new();
    balances(&mut told);
    at_poker(&mut told);
    offences(&mut told);
    refunds(&mut told);
    told.push(("a hand is live when the house closes the table of an event that is off", called_off()));
    newcomer(&mut told);
    late_seed(&mut told);
    strangers(&mut told);
    waits(&mut told);
    passed_over(&mut told);
    codes(&mut told);
    told
}

/// Entries of which a page says which code comes first.
fn codes(told: &mut Vec<Told>) {
    let mut house = House::new();
    let key = house.pen("alice", 1);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key: Some(key) }).unwrap();
    house.credit("alice", 10_000).unwrap();
    house.add_player("bob", 10_000);
    house.open_rules("t1", rules("roulette", &[("close_early", "off")]));
    house.sit_all("t1", &["alice", "bob"]);
    for who in ["alice", "bob"] {
        house.place_bets("t1", who, &[("red", 100)]).unwrap();
    }
    house.close("t1", &Actor::Operator).unwrap();
    let start = house.start().unwrap();
    let Command::StartDealer { epoch, master_id, .. } = &start.command else { panic!("{start:?}") };
    house.run_due();
    house.show_all("t1");
    house.run_due();
    let once = |word: &str, from: &str, to: &str| {
        let change = |text: &str| if text.contains(word) { text.replacen(from, to, 1) } else { text.to_owned() };
        changed(now(&house, "t1:0"), |_, text| change(text))
    };
    let unusable = (0..u8::MAX).map(|byte| PlayerKey::from_bytes([byte; 32]));
    let unusable = unusable.into_iter().find(|key| PublicKey::from_bytes(key.as_bytes()).is_none()).unwrap();
    let created = once(r#""create_player""#, &key.to_string(), &unusable.to_string());
    told.push(("a player is created with a key that is not usable", created));
    let other = once(&format!(r#""epoch":"{epoch}""#), &master_id.to_string(), &"5a".repeat(32));
    told.push(("a second start, under another master key", other));
    let spot = once(r#""by":"player:bob""#, r#""spot":"red""#, r#""spot":"No bets""#);
    told.push(("a bet on what no spot is called", spot));
    let all = items(&now(&house, "t1:0"));
    let at = all.iter().position(|(_, text)| text.contains(r#""command":{"recover""#)).unwrap();
    let (recover, next) = (&all[at].1, &all[at + 1].1);
    let seq_of = |text: &str| {
        let entry: serde_json::Value = serde_json::from_str(text).unwrap();
        format!(r#""seq":{}"#, entry["at"]["seq"])
    };
    let early = next.replace(&seq_of(next), &seq_of(recover));
    let early = changed(now(&house, "t1:0"), |_, text| if text == recover { early.clone() } else { text.to_owned() });
    told.push(("a command about a table that awaits its recovery", early));
    let [due, late] = [0, 2 * MINUTE].map(|later| format!(r#""time":{}"#, start.time + later));
    let late = once(r#""command":{"recover""#, &due, &late);
    let late = changed(Bundle::parse(late.as_bytes()).unwrap(), |_, text| match text.contains(r#"{"recover""#) {
        true => text.replace(r#""at":{"table":""#, r#""at":{"table":"no"#),
        false => text.to_owned(),
    });
    told.push(("a late recovery whose place is another table's", late));
}

/// The bundle without the last card that an entry shows before its last event, of those after the card of the lowest
/// code was shown: a dealer who made that one up again would break the rules of a game that keeps account.
pub fn one_card_fewer(text: &str) -> Option<String> {
    let bundle = Bundle::parse(text.as_bytes()).unwrap();
    let all = items(&bundle);
    let lowest = all.iter().position(|(_, text)| text.contains(r#""card":"Ac""#))?;
    let dropped = all.iter().enumerate().skip(lowest + 1).rev().find_map(|(at, (_, text))| {
        let shown = |part: &&str| part.starts_with(r#"{"play":{"dealt":"#) && part.contains(r#""card":"#);
        let (head, events) = text.split_once(r#""events":["#)?;
        let parts: Vec<&str> = events.split_inclusive("}}},").collect();
        let nth = parts.iter().take(parts.len() - 1).rposition(shown)?;
        let kept: String = parts.iter().enumerate().filter(|(other, _)| *other != nth).map(|(_, part)| *part).collect();
        Some((at, format!(r#"{head}"events":[{kept}"#)))
    });
    let (at, text) = dropped?;
    let fewer = all.iter().enumerate().map(|(other, item)| if other == at { text.clone() } else { item.1.clone() });
    Some(resign(bundle, fewer.zip(all.iter().map(|(context, _)| *context))))
}

/// The house's account, the rake's.
fn balances(told: &mut Vec<Told>) {
    let mut house = House::with_table(&[], 1_000);
    house.deal("t1", "alice", 10, |values| values[..4] == [1, 9, 10, 10]);
    house.finish("t1", "alice");
    let lost = house.house_balance();
    let beyond =
        replaced(&house, "t1:0", &format!(r#"["house",{lost},{lost}]"#), &format!(r#"["house",{lost},{GREATEST}]"#));
    told.push(("an account had more before than any can have", beyond));

    let mut house = House::new();
    house.add_player("alice", 1_000_000);
    house.open_own("alice", "own", rules("six-deck-solo", &[]));
    let round = twice_paid(&mut house);
    let entries = entries(&house.log);
    let lines = entries.last().unwrap().events.iter().flat_map(lines_of).collect::<Vec<_>>();
    let [(_, after), (amount, last)] = lines[..] else { panic!("{lines:?}") };
    assert_eq!(after + amount, last);
    let line = |last: i64| format!(r#"["house",{amount},{last}]"#);
    let text = |text: &str| match text.rfind(&line(last)) {
        Some(at) if text.matches(r#"["house","#).count() == 2 => {
            format!("{}{}{}", &text[..at], line(last + 1), &text[at + line(last).len()..])
        }
        _ => text.to_owned(),
    };
    told.push(("the house's later line of an entry does not follow", changed(now(&house, &round), |_, was| text(was))));

    // The operator takes something from alice between two rounds of one shoe.
    let mut house = House::new();
    house.add_player("alice", 1_000_000);
    house.open_own("alice", "own", rules("six-deck-solo", &[]));
    house.deal("own", "alice", 100, |_| true);
    house.finish("own", "alice");
    let reason = words("case 17");
    let command = Command::Correct { player: player("alice"), amount: chips(40), reason };
    house.give(&Actor::Operator, command).unwrap();
    house.deal("own", "alice", 100, |_| true);
    house.finish("own", "alice");
    told.push(("the house's account moved elsewhere meanwhile", json(&house, "own:1")));
}

/// What moves the house's account in an event, and where it stands then.
fn lines_of(event: &fairshoe_house::Event) -> Vec<(i64, i64)> {
    let fairshoe_house::Event::Posted { lines } = event else { return Vec::new() };
    lines.iter().filter(|line| line.0 == fairshoe_house::Account::House).map(|line| (line.1, line.2)).collect()
}

/// Rounds at alice's own table until an entry moves the house's account twice: a hand of a split busts, and is settled
/// before the other.
fn twice_paid(house: &mut House) -> String {
    loop {
        let round_no = house.table("own").next_round;
        house.deal("own", "alice", 100, |values| values[0] == values[2] && (6..=9).contains(&values[0]));
        let mut split = false;
        while house.table("own").live_round().is_some() {
            let kinds = house.offered("own");
            let place = house.open_decisions("own")[0].place.to_string();
            let action = if kinds.contains(&ActionKind::Insurance) {
                Action::Insurance { take: false }
            } else if kinds.contains(&ActionKind::Split) && !split {
                Action::Split
            } else if split && place == "1/2" {
                Action::Hit
            } else {
                Action::Stand
            };
            split |= action == Action::Split;
            let entry = house.act("own", "alice", action).unwrap();
            if entry.events.iter().flat_map(lines_of).count() == 2 {
                return format!("own:{round_no}");
            }
        }
        house.run_due();
    }
}

/// At a table of poker: the rake, chips that are asked for in a hand.
fn at_poker(told: &mut Vec<Told>) {
    let players = ["alice", "bob", "carol"];
    let mut house = House::poker("holdem", &[], &players);
    house.buy_in_all("t1", &players, 10_000);
    house.sit_out("carol").unwrap();
    house.deal_hand("t1");
    house.add_chips("carol", 500).unwrap();
    told.push(("chips are asked for in a hand by a player whose balance is not stated", json(&house, "t1:0")));
    while let Some(who) = house.asked("t1").first().cloned() {
        let offered = house.offered("t1");
        let action = if offered.contains(&ActionKind::Check) {
            Action::Check
        } else if offered.contains(&ActionKind::Call) {
            Action::Call
        } else {
            Action::Show
        };
        house.choose("t1", &who, action).unwrap();
    }
    let rake = house.rake();
    let [honest, below] = [rake, rake - 1].map(|after| format!(r#"["rake",{rake},{after}]"#));
    told.push(("the rake's account was below 0 before", replaced(&house, "t1:0", &honest, &below)));
}

/// Bets close, and alice's seed never comes.
fn withhold(house: &mut House, at: &str) {
    house.sit_all(at, &["alice"]);
    house.place_bets(at, "alice", &[("red", 100)]).unwrap();
    house.close(at, &Actor::Operator).unwrap();
    let by = house.table(at).next_deadline().unwrap();
    house.wait(by - house.now);
}

fn offences(told: &mut Vec<Told>) {
    let tables = |names: &[&str]| {
        let mut house = House::new();
        house.add_player("alice", 1_000_000);
        names.iter().for_each(|at| house.open_rules(at, rules("roulette", &[("close_early", "off")])));
        house
    };
    let offence = |count: u64, until: u64| format!(r#""offences":{count},"until":{until}"#);
    let mut house = tables(&["t1"]);
    withhold(&mut house, "t1");
    let first = house.now;
    let longer = replaced(&house, "t1:0", &offence(1, first), &offence(1, first + MINUTE));
    told.push(("a first offence with a cooldown from elsewhere", longer));
    withhold(&mut house, "t1");
    let now = house.now;
    let second = offence(2, now + 5 * MINUTE);
    let fewer = replaced(&house, "t1:1", &second, &offence(1, now));
    told.push(("a second offence of the bundle that is counted as the first", fewer));
    let too_long = replaced(&house, "t1:1", &second, &offence(2, now + HOUR + 1));
    told.push(("a cooldown from elsewhere that is longer than any", too_long));
    let longest = replaced(&house, "t1:1", &second, &offence(2, now + HOUR));
    told.push(("a cooldown from elsewhere that is as long as one can be", longest));

    let mut house = tables(&["t1", "t2"]);
    withhold(&mut house, "t2");
    withhold(&mut house, "t1");
    told.push(("an offence that came after one elsewhere", json(&house, "t1:0")));
}

/// Rounds of alice's own table that she leaves, and is refunded.
fn refunds(told: &mut Vec<Told>) {
    let mut house = House::new();
    house.add_player("alice", 1_000_000);
    house.open_own("alice", "own", rules("rng-blackjack", &[]));
    let refund = |house: &mut House| {
        house.deal("own", "alice", 100, |values| values[..3] == [5, 7, 6]);
        let by = house.table("own").next_deadline().unwrap();
        house.wait(by - house.now);
    };
    let counted = |count: u64| format!(r#""refunds":{count}"#);
    refund(&mut house);
    told.push(("a refund that is the last one within the cap", replaced(&house, "own:0", &counted(1), &counted(2))));
    told.push(("a refund beyond the cap", replaced(&house, "own:0", &counted(1), &counted(3))));
    refund(&mut house);
    let fewer = replaced(&house, "own:1", &counted(2), &counted(1));
    told.push(("a second refund of the bundle that is counted as the first", fewer));
}

/// An event is called off in the middle of a hand: the house closes the table.
fn called_off() -> String {
    let (mut house, rng, event) = (House::new(), &mut Rng(3), "sunday");
    let terms = structure("freezeout-6", |structure| {
        (structure.entry.players_min, structure.late_levels, structure.guarantee) = (2, 0, 0);
    });
    house.announce(event, &terms).unwrap();
    for who in ["alice", "bob"] {
        house.add_player(who, 1_000_000);
        house.register(event, who).unwrap();
    }
    house.wait(HOUR);
    let live = |house: &House| -> Option<(TableId, u64)> {
        let number = *house.event(event).tables.open.first()?;
        let id = house.event(event).table_name(number)?;
        let round = house.state.table(&id)?.live_round()?;
        Some((id.clone(), round.round_no))
    };
    let (at, round_no) = loop {
        house.play_event(event, rng, 0, 0, 1);
        assert_ne!(house.event(event).stage, Stage::Ended);
        if let Some(live) = live(&house) {
            break live;
        }
    };
    let (event, instant, reason) = (table(event), house.now, Some(words("power cut")));
    let command = TournamentCommand::Cancel { event, cause: CancelCause::Operator, instant, reason };
    house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
    house.run_due();
    json(&house, &format!("{at}:{round_no}"))
}

/// Somebody who must bet on the shoe that was changed for them does not, and has a cooldown from another table: this
/// table says nothing of it, and it ends a millisecond later at the earliest.
fn newcomer(told: &mut Vec<Told>) {
    let mut house = House::new();
    for who in ["alice", "bob"] {
        house.add_player(who, 1_000_000);
    }
    let long =
        [("house_shuffle", "on"), ("close_early", "off"), ("bet_time_ms", "250000"), ("reveal_time_ms", "120000")];
    house.open_rules("t1", rules("baccarat", &long));
    house.open_rules("t2", rules("roulette", &[("close_early", "off")]));
    withhold(&mut house, "t2");
    house.sit("t1", "bob", 2).unwrap();
    house.run_due();
    house.place_bets("t1", "bob", &[("player", 100)]).unwrap();
    house.close("t1", &Actor::Operator).unwrap();
    house.sit("t1", "alice", 1).unwrap();
    withhold(&mut house, "t2");
    let until = house.now + 5 * MINUTE;
    let retire = Command::RetireShoe { table: table("t1"), reason: Some(words("worn cards")) };
    house.give(&Actor::Operator, retire).unwrap();
    house.show_all("t1");
    house.run_due();
    house.place_bets("t1", "bob", &[("player", 100)]).unwrap();
    house.now = until - 1;
    house.close("t1", &Actor::House).unwrap();
    house.leave("t1", "alice").unwrap();
    house.now = until;
    house.sit("t1", "alice", 1).unwrap();
    told.push(("a newcomer who did not bet, and was in a cooldown from elsewhere", json(&house, "t1:1")));
    let bundle = now(&house, "t1:1");
    let last = items(&bundle).last().unwrap().1.clone();
    let early = last.replace(&format!(r#""time":{until}"#), &format!(r#""time":{}"#, until - 1));
    assert_ne!(early, last);
    let early = changed(bundle, |_, text| if text == last { early.clone() } else { text.to_owned() });
    told.push(("a newcomer whose cooldown from elsewhere had not ended", early));
}

/// A seed of a round before the bundle's first comes late, once.
fn late_seed(told: &mut Vec<Told>) {
    let mut house = House::new();
    house.add_player("alice", 1_000_000);
    house.open_rules("t1", rules("baccarat", &[("house_shuffle", "on"), ("close_early", "off")]));
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("player", 100)]).unwrap();
    let seed = house.seed_for("t1", "alice");
    house.close("t1", &Actor::Operator).unwrap();
    let until = house.table("t1").next_deadline().unwrap();
    house.wait(until - house.now);
    let retire = Command::RetireShoe { table: table("t1"), reason: Some(words("worn cards")) };
    house.give(&Actor::Operator, retire).unwrap();
    house.run_due();
    house.sit_all("t1", &["alice"]);
    let late = Command::LateSeed { table: table("t1"), round_no: 0, player: player("alice"), seed };
    house.give(&Actor::Anyone, late).unwrap();
    house.place_bets("t1", "alice", &[("player", 100)]).unwrap();
    house.close("t1", &Actor::Operator).unwrap();
    told.push(("the late seed of a round before the bundle's first", json(&house, "t1:1")));
    let bundle = now(&house, "t1:1");
    let mut all = items(&bundle);
    let late = all.iter().find(|(_, text)| text.contains(r#""command":{"late_seed""#)).unwrap().1.clone();
    let seq_of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["at"]["seq"].as_u64().unwrap();
    let time_of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["time"].as_u64().unwrap();
    let last = &all.last().unwrap().1;
    let again = late
        .replace(&format!(r#""seq":{}"#, seq_of(&late)), &format!(r#""seq":{}"#, seq_of(last) + 1))
        .replace(&format!(r#""time":{}"#, time_of(&late)), &format!(r#""time":{}"#, time_of(last)));
    all.push((false, again));
    let twice = resign(bundle, all.into_iter().map(|(context, text)| (text, context)));
    told.push(("the late seed of a round before the bundle's first, twice", twice));
}

/// A window, and a call, that the house closes a minute after its deadline, and later.
fn waits(told: &mut Vec<Told>) {
    for (late, window, call) in [
        (0, "a window that was closed a minute late", "a call that was closed a minute late"),
        (1, "a window that was closed more than a minute late", "a call that was closed more than a minute late"),
    ] {
        let mut house = House::new();
        for who in ["alice", "bob"] {
            house.add_player(who, 1_000_000);
        }
        house.open_rules("t1", rules("roulette", &[("close_early", "off")]));
        house.sit_all("t1", &["alice", "bob"]);
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.now = house.table("t1").next_deadline().unwrap() + MINUTE + late;
        house.give_late(&Actor::House, None, Command::CloseBets { table: table("t1"), round_no: 0 }).unwrap();
        told.push((window, json(&house, "t1:0")));

        let players = ["alice", "bob", "carol"];
        let mut house = House::poker("holdem", &[], &players);
        house.buy_in_all("t1", &players, 20_000);
        for who in ["alice", "bob"] {
            house.commit_hand("t1", who).unwrap();
        }
        house.now = house.table("t1").next_deadline().unwrap() + MINUTE + late;
        house.give_late(&Actor::House, None, Command::CloseCall { table: table("t1"), round_no: 0 }).unwrap();
        told.push((call, json(&house, "t1:0")));
    }
}

/// Carol's commitment for the next hand is passed over, for a cooldown that comes from another table; and she commits
/// again in the same millisecond, in which it holds.
fn passed_over(told: &mut Vec<Told>) {
    let players = ["alice", "bob", "carol"];
    let mut house = House::poker("holdem", &[], &players);
    house.open_rules("t2", rules("roulette", &[]));
    let bet_at_t2 = |house: &mut House| {
        house.sit("t2", "carol", 1).unwrap();
        house.run_due();
        house.place_bets("t2", "carol", &[("red", 100)]).unwrap();
        house.run_due();
        house.table("t2").next_deadline().unwrap()
    };
    house.now = bet_at_t2(&mut house);
    house.run_due();
    let void_at = bet_at_t2(&mut house);
    house.now = void_at - SECOND;
    house.buy_in_all("t1", &players, 20_000);
    house.deal_hand("t1");
    let round_no = house.table("t1").next_round;
    let commitment = house.commitment_of("t1", "carol", round_no);
    house.give(&by("carol"), Command::CommitHandSeed { table: table("t1"), round_no, commitment }).unwrap();
    house.now = void_at;
    house.run_due();
    while let Some(who) = house.asked("t1").first().cloned() {
        house.choose("t1", &who, Action::Fold).unwrap();
    }
    house.run_due();
    for who in ["alice", "bob"] {
        house.commit_hand("t1", who).unwrap();
    }
    house.now += 10 * SECOND;
    house.run_due();
    told.push(("a player whose commitment is passed over, for a cooldown from elsewhere", json(&house, "t1:1")));
    let bundle = now(&house, "t1:1");
    let mut all = items(&bundle);
    let called = all.iter().rposition(|(_, text)| text.contains(r#""command":{"call_hand""#)).unwrap();
    let of = |who: &str| house.commitment_of("t1", who, round_no).to_string();
    let again = all[called + 1].1.replace("alice", "carol").replace(&of("alice"), &of("carol"));
    all.truncate(called + 1);
    all.push((false, again));
    let twice = resign(bundle, all.into_iter().map(|(context, text)| (text, context)));
    told.push(("a player who commits in the millisecond in which they were passed over", twice));
}

/// Whoever asks for a seat: nobody whom the bundle shows before. And what is due meanwhile.
fn strangers(told: &mut Vec<Told>) {
    let full = || {
        let mut house = House::new();
        for who in ["alice", "bob", "carol", "dave"] {
            house.add_player(who, 1_000_000);
        }
        for at in ["t1", "t2"] {
            house.open_rules(at, rules("roulette", &[("seats", "2")]));
        }
        house.sit_all("t1", &["alice", "bob"]);
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.close("t1", &Actor::Operator).unwrap();
        house
    };
    let wish = || Command::WantSeat { table: table("t1") };
    let lapse = || Command::Lapse { table: table("t1"), round_no: 0, lapsed: Lapsed::Reveal };
    let mut house = full();
    house.give(&by("carol"), wish()).unwrap();
    told.push(("a player whom nothing else of the bundle shows", json(&house, "t1:0")));

    // Two tables are put in order after a start, one a while after the other: a minute runs from the later one on.
    let mut house = full();
    house.start().unwrap();
    let start = house.now;
    for (at, ms) in [("t1", 1_000), ("t2", 56_000)] {
        house.now = start + ms;
        house.give(&Actor::House, Command::Recover { table: table(at) }).unwrap();
    }
    house.now = start + 100_000;
    house.give(&by("carol"), wish()).unwrap();
    house.now = start + 110_000;
    house.give(&Actor::House, lapse()).unwrap();
    told.push((
        "a round that lapses late after a start at which another table was put in order later",
        json(&house, "t1:0"),
    ));

    // Entries about other things do not put the minute off.
    let mut house = full();
    let by_then = house.table("t1").next_deadline().unwrap();
    for (who, ms) in [("carol", 50_000), ("dave", 60_001)] {
        house.now = by_then + ms;
        house.give_late(&by(who), None, wish()).unwrap();
    }
    told.push(("a deadline that passed more than a minute ago, with an entry in between", json(&house, "t1:0")));
}
