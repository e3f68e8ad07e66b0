//! What a dispute desk does: find a round, tell it alone, put it on paper (spec/audit.md, "To find a round", "A round on
//! paper").

use crate::audit_common;
use crate::common;
use crate::served;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_fairness::Card;
use fairshoe_games::poker::{Family, rank::high};
use fairshoe_games::{Action, ActionKind, Place, RoundEvent};
use fairshoe_house::Event;
use fairshoe_tlog::leaf_hash;
use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (status.code().expect("it was killed"), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// What a player staked and got back in a round, and whether it is void; none while it is in play.
type Sums = Option<(u64, u64, bool)>;

/// By round and player.
type Parts = BTreeMap<(String, String), Sums>;

/// The rounds that ended, and those in play, as the entries say: of each player in each what they staked and got back.
fn told(log: &[Vec<u8>]) -> Parts {
    let mut all = BTreeMap::new();
    for bytes in log {
        let entry: Value = serde_json::from_slice(bytes).unwrap();
        let Some(table) = entry["at"]["table"].as_str() else { continue };
        for event in entry["events"].as_array().unwrap() {
            for word in ["bets_closed", "hand_begun"] {
                for who in event[word]["contributors"].as_array().into_iter().flatten() {
                    let round = format!("{table}:{}", event[word]["round_no"]);
                    all.insert((round, who["player"].as_str().unwrap().to_owned()), None);
                }
            }
            for word in ["round_settled", "round_voided"] {
                for who in event[word]["players"].as_array().into_iter().flatten() {
                    let round = format!("{table}:{}", event[word]["round_no"]);
                    let sums = (who["staked"].as_u64().unwrap(), who["returned"].as_u64().unwrap());
                    let part = Some((sums.0, sums.1, word == "round_voided"));
                    all.insert((round, who["player"].as_str().unwrap().to_owned()), part);
                }
            }
        }
    }
    all
}

#[test]
fn rounds_are_found_by_what_they_were() {
    let log = book(3, 60).log;
    let served = Served::start(&log, &checkpoint(&log), &signer().verifier_key().to_string(), None);
    let key = signer().verifier_key().to_string();
    let find = |more: &[&str]| -> Value {
        let (exit, out, err) = run(&[&["find", &served.address, "--key", &key, "--json"], more].concat());
        assert_eq!(exit, 0, "{out}{err}");
        serde_json::from_str(&out).unwrap()
    };
    let all = told(&log);
    let report = find(&[]);
    let listed: Parts = report["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| {
            let name = |field: &str| part[field].as_str().unwrap().to_owned();
            let sums = part["staked"].as_u64().zip(part["returned"].as_u64());
            (
                (name("round"), name("player")),
                sums.map(|(staked, returned)| (staked, returned, part["outcome"] == "void")),
            )
        })
        .collect();
    assert_eq!(listed, all);
    assert!(all.len() > 30 && report["count"] == all.len());

    let net = |part: &Sums| part.map(|(staked, returned, _)| returned as i64 - staked as i64);
    let wanted = |fits: &dyn Fn(&str, &str, &Sums) -> bool| {
        all.iter().filter(|((round, player), part)| fits(round, player, part)).count()
    };
    let player = all.keys().next().unwrap().1.clone();
    let table = all.keys().last().unwrap().0.split(':').next().unwrap().to_owned();
    let at_table = format!("{table}:");
    for (asked, count) in [
        (vec!["--player", &player], wanted(&|_, who, _| who == player)),
        (vec!["--table", &table], wanted(&|round, _, _| round.starts_with(&at_table))),
        (vec!["--outcome", "void"], wanted(&|_, _, part| part.is_some_and(|(_, _, is_void)| is_void))),
        (vec!["--outcome", "won"], wanted(&|_, _, part| net(part) > Some(0) && part.is_some_and(|part| !part.2))),
        (vec!["--outcome", "in_play"], wanted(&|_, _, part| part.is_none())),
        (vec!["--min-staked", "20"], wanted(&|_, _, part| part.is_some_and(|part| part.0 >= 20))),
        (vec!["--max-net", "-5"], wanted(&|_, _, part| net(part).is_some_and(|net| net <= -5))),
        (vec!["--min-net", "5", "--player", &player], wanted(&|_, who, part| who == player && net(part) >= Some(5))),
        (vec!["--player", "nobody"], 0),
    ] {
        let found = find(&asked);
        assert_eq!(found["count"], count, "{asked:?}");
        assert_eq!(found["rounds"].as_array().unwrap().len(), count, "{asked:?}");
    }
    // By time: what ends before a moment, and what begins at it or later, is all there is but what is in play then.
    let first = report["rounds"][10]["begun"].as_u64().unwrap();
    let at = fairshoe_judge::utc(first / 1_000 * 1_000).replace(".000Z", "Z");
    let (before, after) = (find(&["--until", &at]), find(&["--since", &at]));
    let sum = before["count"].as_u64().unwrap() + after["count"].as_u64().unwrap();
    assert!(before["count"].as_u64() > Some(3) && after["count"].as_u64() > Some(3) && sum >= all.len() as u64);

    let (exit, csv, err) = run(&["find", &served.address, "--key", &key, "--csv", "--limit", "5", "--zone", "+02:00"]);
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert!(
        exit == 0 && lines.len() == 7 && lines[6].is_empty() && lines[0].starts_with("round,rules,begun,"),
        "{csv}"
    );
    assert!(lines[1..6].iter().all(|line| line.split(',').count() == 13 && line.contains("+02:00")), "{csv}");
    assert!(err.contains(&format!("{} fit, and 5 are listed", all.len())), "{err}");
    let (_, words, _) = run(&["find", &served.address, "--key", &key, "--outcome", "void"]);
    assert!(words.contains(": void, staked ") && words.contains(", since "), "{words}");

    // Of a log that is not sound nothing is listed.
    let mut cheated = log.clone();
    let last = cheated.len() - 1;
    cheated.swap(last, last - 1);
    let served = Served::start(&cheated, &checkpoint(&cheated), &key, None);
    let (exit, out, _) = run(&["find", &served.address, "--key", &key, "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert!(exit == 1 && report["rounds"].as_array().unwrap().is_empty() && report["verdict"] == "not_sound", "{out}");
    // Also by what the option was called before.
    for since in ["--since", "--after"] {
        let (exit, _, err) = run(&["find", &served.address, since, "yesterday"]);
        assert!(exit == 2 && err.contains("2027-01-15T10:02:54Z"), "{err}");
    }
}

#[test]
fn a_code_is_told_in_the_words_of_its_page() {
    let (exit, out, err) = run(&["rule", "R002.10", "R001.28", "A001.qq"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.lines().any(|line| line.starts_with("R002.10  spec/games/safe.md, line ")), "{out}");
    for code in ["R001.28", "A001.qq"] {
        assert!(out.lines().any(|line| line.starts_with(&format!("{code}  spec/")) && line.len() > 60), "{out}");
    }
    // A report's check too.
    let (exit, out, err) = run(&["rule", "inclusion"]);
    assert!(exit == 0 && out.starts_with("inclusion  spec/audit.md, line "), "{out}{err}");
    let (exit, _, err) = run(&["rule", "R999.1"]);
    assert!(exit == 2 && err.contains("R999.1"), "{err}");
    // Each code that a refusal or a report says has a page that states it.
    let said = ["src/games/src", "src/tournament/src", "src/words/src", "src/house/src", "tools/audit/src"];
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut codes = std::collections::BTreeSet::new();
    let mut todo: Vec<_> = said.iter().map(|folder| root.join(folder)).collect();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|one| one.unwrap().path()));
        } else if path.extension().is_some_and(|kind| kind == "rs")
            && !path.ends_with("legend.rs")
            && !path.ends_with("rule.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            let said = text.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains('"'));
            for word in said.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))) {
                let is_code = word.len() > 5
                    && matches!(word.as_bytes(), [b'R' | b'A', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'.', ..]);
                codes.extend(is_code.then(|| word.trim_end_matches('.').to_owned()));
            }
        }
    }
    assert!(codes.len() > 20, "{codes:?}");
    let asked: Vec<&str> = std::iter::once("rule").chain(codes.iter().map(String::as_str)).collect();
    let (exit, _, err) = run(&asked);
    assert_eq!(exit, 0, "{err}");
}

/// Programs read `--json`: whatever a command finds, standard output has one JSON object and nothing else, of a monitor
/// one a line; where the input cannot be used it has nothing, and standard error says why.
#[test]
fn every_json_is_json_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let key = signer().verifier_key().to_string();
    let sound = book(3, 60).log;
    let mut cheated = sound.clone();
    let last = cheated.len() - 1;
    cheated.swap(last, last - 1);
    let round = told(&sound).keys().next().unwrap().0.clone();
    let shoe = format!("{}:0", round.split(':').next().unwrap());
    fs::write(at("statement.jsonl"), "").unwrap();
    let help = run(&["--help"]).1;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names =
        list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    let has_json = |name: &&str| *name != "help" && run(&[name, "--help"]).1.contains("--json");
    let there: Vec<String> = names.filter(has_json).map(str::to_owned).collect();
    let mut exits = BTreeMap::new();
    for (name, log) in [("sound", &sound), ("cheated", &cheated)] {
        let served = Served::start(log, &checkpoint(log), &key, None);
        let (address, state, mirrored) = (served.address.as_str(), at(&format!("state-{name}")), at(name));
        let commands: &[&[&str]] = &[
            &["log", address],
            &["find", address],
            &["stats", address],
            &["mirror", address, &mirrored],
            &["round", address, &round],
            &["shoe", address, &shoe],
            &["history", address, &round],
            &["tournament", address, "nothing"],
            &["cluster", address],
            &["wallet", address, &at("statement.jsonl")],
            &["monitor", address, "--once", "--state", &state],
            &["play", "joy", "--bets", "10", "--cards", "As 9d Kh 7c 5s", "--actions", "stand"],
            &["replay", &at("no-such-file")],
            &["receipt", &at("no-such-file")],
            &["evidence", &at("no-such-file")],
        ];
        let asked: std::collections::BTreeSet<&str> = commands.iter().map(|command| command[0]).collect();
        assert_eq!(asked, there.iter().map(String::as_str).collect(), "each command that has --json is asked");
        for command in commands {
            let (exit, out, err) = run(&[command, &["--json"][..]].concat());
            *exits.entry(exit).or_insert(0) += 1;
            if exit == 2 {
                assert!(out.is_empty() && !err.is_empty(), "{command:?}: {out}{err}");
                continue;
            }
            let texts: Vec<&str> = if command[0] == "monitor" { out.lines().collect() } else { vec![&out] };
            assert!(!texts.is_empty(), "{command:?}");
            for text in texts {
                let value: Result<Value, _> = serde_json::from_str(text);
                assert!(value.as_ref().is_ok_and(Value::is_object), "{command:?}: {value:?}: {text}");
            }
        }
    }
    assert!(exits[&0] >= 7 && exits[&1] >= 4, "{exits:?}");
}

/// The page of a round of this house, and its bundle.
fn page(house: &House, round: &str, more: &[&str]) -> (String, fairshoe_judge::bundle::Bundle) {
    let dir = TempDir::new().unwrap();
    let of_round = bundle(house, &house.log, round);
    let (file, html) = (dir.path().join("bundle.json"), dir.path().join("round.html"));
    fs::write(&file, of_round.to_json().unwrap()).unwrap();
    let asked = [&["round", file.to_str().unwrap(), "--html", html.to_str().unwrap()], more].concat();
    let (exit, out, err) = run(&asked);
    assert_eq!(exit, 0, "{out}{err}");
    (fs::read_to_string(&html).unwrap(), of_round)
}

/// The first sheets, without the appendix and the style.
fn in_words(page: &str) -> &str {
    page.split("<body>").nth(1).unwrap().split("class=\"appendix\"").next().unwrap()
}

fn has_long_word(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= 40)
}

#[test]
fn a_round_on_paper_says_who_played_what_was_drawn_and_who_won() {
    let mut house = House::with_table(&[], 1000);
    for _ in 0..2 {
        house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
        house.finish("t1", "alice");
        house.run_due();
    }
    let (page, of_round) = page(&house, "t1:0", &["--key", &signer().verifier_key().to_string(), "--zone", "+02:00"]);
    let words = in_words(&page);
    for part in [
        "<h1>Round t1:0</h1>",
        "SOUND. Everything in this round holds.",
        "<td>alice</td><td class=\"number\">10</td>",
        "<th>dealer</th>",
        "class=\"card ",
        "Who won, and why",
        "+02:00",
        "It was named by whoever made this page.",
    ] {
        assert!(words.contains(part), "`{part}` is not in {words}");
    }
    // Without the key the first words say so, not only the last page.
    let unnamed = self::page(&house, "t1:0", &[]).0;
    assert!(in_words(&unnamed).contains("class=\"verdict so-far\">SOUND, by a key that nobody named."), "{unnamed}");
    assert!(!words.contains("Round t1:1") && !words.contains("round 1 takes bets"), "another round is told: {words}");
    assert!(!has_long_word(words), "a hash is in the running text: {words}");
    assert!(
        !["<script", "http://", "https://", "src=", "url("].iter().any(|word| page.contains(word)),
        "something could be fetched"
    );
    // The appendix has each of its entries in full, and what is needed to check them.
    let appendix = page.split("class=\"appendix\"").nth(1).unwrap();
    let own: Vec<String> = of_round
        .entries
        .iter()
        .filter(|proven| words.contains(&format!("<b>[{}]</b>", proven.index)))
        .map(|proven| leaf_hash(proven.entry.as_bytes()).to_string())
        .collect();
    assert!(own.len() >= 3 && own.iter().all(|leaf| appendix.contains(leaf.as_str())), "{appendix}");
    assert!(appendix.contains(&signer().verifier_key().to_string()));
    // Of base64 `+`, `/` and `=` stand as they are, and lines as they were signed.
    assert!(appendix.contains(&format!("<pre>{}</pre>", of_round.checkpoint.trim_end())), "{appendix}");
}

#[test]
fn a_void_round_is_called_void_and_one_in_play_is_not_over() {
    let mut house = House::with_table(&[], 1000);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    let (in_play, _) = page(&house, "t1:0", &[]);
    assert!(in_words(&in_play).contains("<dd>seeds are awaited</dd>"), "{in_play}");
    assert!(in_words(&in_play).contains("SOUND SO FAR"), "{in_play}");
    let sums = "<td class=\"number\">10</td><td class=\"number\">–</td><td class=\"number\">–</td>";
    assert!(in_words(&in_play).contains(sums), "it is not lost yet: {in_play}");
    house.now += 121_000;
    house.run_due();
    let (void, _) = page(&house, "t1:0", &[]);
    assert!(in_words(&void).contains("<dd>void: a seed was not revealed</dd>"), "{void}");
}

/// What happened in the rounds of these entries.
fn plays(log: &[Vec<u8>]) -> Vec<RoundEvent> {
    let play = |event| if let Event::Play(play) = event { Some(play) } else { None };
    entries(log).into_iter().flat_map(|entry| entry.events).filter_map(play).collect()
}

/// A card as the page draws it, face up.
fn face(card: Card) -> String {
    let text = card.to_string();
    let (rank, suit) = text.split_at(1);
    let (sign, colour) = match suit {
        "s" => ("♠", "black"),
        "h" => ("♥", "red"),
        "d" => ("♦", "red"),
        _ => ("♣", "black"),
    };
    format!("<span class=\"card {colour}\">{}<span>{sign}</span></span>", if rank == "T" { "10" } else { rank })
}

/// The cards that were turned up are drawn face up, and of those dealt face-down as many lie so as were not.
fn assert_turned_up(words: &str, plays: &[RoundEvent]) {
    let (mut down, mut turned) = (0, 0);
    for play in plays {
        match play {
            RoundEvent::Dealt { card: None, .. } => down += 1,
            RoundEvent::Turned { card, .. } => {
                turned += 1;
                assert!(words.contains(&face(*card)), "{card} is turned up, and not drawn so: {words}");
            }
            _ => {}
        }
    }
    assert!(turned > 0);
    assert_eq!(words.matches("class=\"card back\"").count(), down - turned, "{words}");
}

/// A hand in which nobody bets and everybody shows: its number, and what happened in it.
fn shown_hand(house: &mut House) -> (u64, Vec<RoundEvent>) {
    let from = house.log.len();
    house.deal_hand("t1");
    let round_no = house.table("t1").live_round().unwrap().round_no;
    while let Some((who, offers)) = house.offers("t1") {
        let may = |kind| offers.iter().any(|offer| offer.action == kind);
        let action = match (may(ActionKind::Check), may(ActionKind::Call)) {
            (true, _) => Action::Check,
            (_, true) => Action::Call,
            _ => Action::Show,
        };
        house.choose("t1", &who, action).unwrap();
    }
    house.now += 5_000;
    house.run_due();
    (round_no, plays(&house.log[from..]))
}

/// The hole cards that a seat showed, and the board.
fn shown_cards(plays: &[RoundEvent], seat: u8) -> (Vec<Card>, Vec<Card>) {
    let (mut slots, mut hole, mut board) = (Vec::new(), Vec::new(), Vec::new());
    for play in plays {
        match play {
            RoundEvent::Dealt { to: Place::Hand { spot, .. }, slot, .. } if *spot == seat => slots.push(*slot),
            RoundEvent::Dealt { card: Some(card), .. } => board.push(*card),
            RoundEvent::Turned { slot, card, .. } if slots.contains(slot) => hole.push(*card),
            _ => {}
        }
    }
    (hole, board)
}

#[test]
fn a_hand_of_poker_is_told_in_poker_s_words() {
    let mut house = House::poker("holdem", &[("stake_min", "200")], &["alice", "bob", "carol"]);
    house.buy_in_all("t1", &["alice", "bob", "carol"], 9_001);
    let (round_no, plays, seat, hole) = (0..40)
        .find_map(|_| {
            let (round_no, plays) = shown_hand(&mut house);
            let won = plays.iter().find_map(RoundEvent::hand_result).unwrap().pots[0].won.clone();
            let (hole, board) = shown_cards(&plays, won[0].seat);
            let high = high(Family::Holdem, &hole, &board).expect("everybody shows");
            let wanted = won.len() == 1 && high.category() == "two pair";
            wanted.then_some((round_no, plays, won[0].seat, hole))
        })
        .expect("a hand that two pair win");
    let result = plays.iter().find_map(RoundEvent::hand_result).unwrap();
    let pot = &result.pots[0];
    let round = format!("t1:{round_no}");
    let (page_of, _) = page(&house, &round, &[]);
    let words = in_words(&page_of);
    assert_turned_up(words, &plays);
    let drawn: String = hole.iter().copied().map(face).collect();
    let row = format!("<th>seat {seat}</th><td>{drawn}</td><td>two pair, ");
    assert!(words.contains(&row), "`{row}` is not in {words}");
    let outcome = words.split("Who won, and why</h2>").nth(1).unwrap().split("</section>").next().unwrap();
    let won = &pot.won[0];
    let player = &result.seats.iter().find(|one| one.seat == seat).unwrap().player;
    for part in [
        format!(
            "the pot of {}, rake {}: {} to seat {seat} ({player}) with two pair, ",
            pot.amount, pot.rake, won.amount
        ),
        format!("round {round_no} is settled: "),
    ] {
        assert!(outcome.contains(&part), "`{part}` is not in {outcome}");
    }
    for one in result.seats {
        let hole: Vec<String> = shown_cards(&plays, one.seat).0.iter().map(Card::to_string).collect();
        let part = format!("seat {} ({}) shows {}: ", one.seat, one.player, hole.join(" "));
        assert!(outcome.contains(&part), "`{part}` is not in {outcome}");
        let part = format!("seat {} ({}) checks", one.seat, one.player);
        assert!(words.contains(&part), "`{part}` is not in {words}");
    }
    assert!(words.contains("the button is at seat") && words.contains("from slot"), "{words}");
    assert!(!words.contains("box "), "a seat is called a box: {words}");

    // In the house's currency; the log's own chips are cents of it.
    let (page_of, _) = page(&house, &round, &["--currency", "EUR:2"]);
    let words = in_words(&page_of);
    let euros = |units: u64| format!("{}.{:02}", units / 100, units % 100);
    for part in [
        format!("the pot of {} EUR, rake {} EUR: ", euros(pot.amount.units()), euros(pot.rake.units())),
        format!("<td class=\"number\">{}</td>", euros(result.seats[0].put_in.units())),
        "<p class=\"small\">In EUR.</p>".to_owned(),
        " EUR and got back ".to_owned(),
        " call for ".to_owned(),
    ] {
        assert!(words.contains(&part), "`{part}` is not in {words}");
    }
    assert!(!words.contains(&format!("pot of {},", pot.amount)), "{words}");
}

#[test]
fn a_currency_is_of_the_page_and_of_real_money_alone() {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    house.finish("t1", "alice");
    let (page_of, of_round) = page(&house, "t1:0", &["--currency", "JPY:0"]);
    let words = in_words(&page_of);
    assert!(words.contains("In JPY.") && words.contains("alice stakes 10 JPY on 1"), "{words}");
    let dir = TempDir::new().unwrap();
    let (file, html) = (dir.path().join("bundle.json"), dir.path().join("round.html"));
    fs::write(&file, of_round.to_json().unwrap()).unwrap();
    let (file, html) = (file.to_str().unwrap(), html.to_str().unwrap());
    for wrong in ["EUR", "eur:2", "EUR:9", "EUR:2:2", "E:2"] {
        let (exit, _, err) = run(&["round", file, "--html", html, "--currency", wrong]);
        assert!(exit == 2 && err.contains("EUR:2"), "{wrong}: {err}");
    }
    let (exit, _, err) = run(&["round", file, "--currency", "EUR:2"]);
    assert!(exit == 2 && err.contains("--html"), "{err}");
}

#[test]
fn face_down_hands_that_are_opened_lie_face_up_on_paper() {
    let game = |n: u64| {
        let mut house = House::shared("safe", &[], &safe::PLAYERS);
        house.sit_all("t1", &safe::PLAYERS);
        house.deal_all("t1", &safe::PLAYERS, 100);
        safe::finish(&mut house, &mut Rng(n));
        let plays = plays(&house.log);
        let turned = plays.iter().any(|play| matches!(play, RoundEvent::Turned { .. }));
        turned.then_some((house, plays))
    };
    let (house, plays) = (1..40).find_map(game).expect("a game in which a hand is opened");
    let (page_of, _) = page(&house, "t1:0", &[]);
    let words = in_words(&page_of);
    assert_turned_up(words, &plays);
    let outcome = words.split("Who won, and why</h2>").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(outcome.contains(" wins the game: "), "{outcome}");
}

#[test]
fn only_the_round_s_own_entries_are_told_where_that_is_asked_for() {
    // One shoe for all of these.
    let (mut house, two) = (House::new(), ["alice", "bob"]);
    two.iter().for_each(|who| house.add_player(who, 10_000));
    house.open_rules("live", shared::rules("live-blackjack", &[]));
    house.sit_all("live", &two);
    (0..3).for_each(|_| house.whole_round("live", &two, 100));
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("bundle.json");
    fs::write(&file, bundle(&house, &house.log, "live:1").to_json().unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let (all, only) = (run(&["round", file]).1, run(&["round", file, "--only"]).1);
    assert!(only.lines().count() * 3 < all.lines().count() * 2, "{only}");
    assert!(only.lines().all(|line| all.lines().any(|told| told == line)), "{only}");
    assert!(only.contains("Round 1 at live"), "{only}");
    for other in ["round 2 takes", "Round 2 at live", "Round 0 at live"] {
        assert!(all.contains(other), "`{other}` is not in {all}");
        assert!(!only.contains(other), "`{other}` is in {only}");
    }
    assert_eq!(only.lines().last(), all.lines().last(), "the verdict is the same");
}

#[test]
fn what_is_asked_of_the_wrong_command_is_sent_to_the_right_one() {
    let dir = TempDir::new().unwrap();
    let reply = dir.path().join("reply.json");
    fs::write(&reply, r#"{"receipts":[]}"#).unwrap();
    let (exit, _, err) = run(&["round", reply.to_str().unwrap()]);
    assert!(exit == 2 && err.contains("fairshoe-audit receipt"), "{err}");
    let (exit, _, err) = run(&["round", "/no/such/bundle.json"]);
    assert!(exit == 2 && err.contains("no file and no folder of this name"), "{err}");
    let (exit, _, err) = run(&["receipt", reply.to_str().unwrap()]);
    assert!(exit == 2 && err.contains("--key") && err.contains("--policy"), "{err}");
}
