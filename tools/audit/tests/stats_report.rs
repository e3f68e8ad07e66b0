//! What the report of `stats` tells apart and counts: rule sets of one name, and whose seeds were missing.

use fairshoe_audit::stats::page;
use fairshoe_audit::stats::report::{LogFacts, StatsReport};
use fairshoe_audit::stats::rounds::Rounds;
use fairshoe_audit::stats::shoes::Shoes;
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment};
use fairshoe_games::{Ahead, Chips, RuleSet};
use fairshoe_house::{Actor, Command, Entry, Event, PlacedBet, PlayerCommitment, VoidCause};
use serde_json::Value;

fn note(rounds: &mut Rounds, table: &str, event: Event) {
    let command = Command::CommitShoe { table: table.parse().unwrap() };
    let (by, before) = (Actor::House, Vec::new());
    rounds.note(&Entry { v: 1, time: 0, by, at: None, before, command, signed: None, events: vec![event] });
}

fn open(rounds: &mut Rounds, table: &str, rules: RuleSet, digest: String) {
    let opened = Event::TableOpened { rules, digest, owner: None, idle_ms: None, replaces: None, event: None };
    note(rounds, table, opened);
}

fn joy() -> RuleSet {
    RuleSet::shipped("joy").unwrap()
}

fn settled(rounds: &mut Rounds, table: &str) {
    let (staked, returned) = (Chips::ZERO, Chips::ZERO);
    note(rounds, table, Event::RoundSettled { round_no: 0, staked, returned, players: Vec::new() });
}

fn voided(rounds: &mut Rounds, table: &str, missing: &[&str]) {
    let void = Event::RoundVoided {
        round_no: 0,
        cause: VoidCause::RevealMissing,
        missing: missing.iter().map(|name| player(name)).collect(),
        ahead: Ahead::Nobody,
        players: Vec::new(),
        refunds: None,
        retained_winnings: Vec::new(),
        standing: None,
    };
    note(rounds, table, void);
}

fn player(name: &str) -> PlayerId {
    name.parse().unwrap()
}

fn asked(rounds: &mut Rounds, table: &str, players: &[&str]) {
    let commitment = SeedCommitment::from_bytes([7; 32]);
    let contributors =
        players.iter().map(|name| PlacedBet { player: player(name), bets: Vec::new(), commitment }).collect();
    let closed = Event::BetsClosed { round_no: 0, shoe_no: 0, contributors, lanes: 1, reveal_by: 0, announced: false };
    note(rounds, table, closed);
}

fn report(rounds: &Rounds) -> StatsReport {
    StatsReport::new(LogFacts::default(), &Default::default(), None, &Shoes::default(), rounds)
}

fn words(report: &StatsReport) -> String {
    report.words().join("\n")
}

/// What the report calls the rule sets of tables `t0`, `t1`, … that opened with these rules and digests.
fn names(sets: &[(RuleSet, &str)]) -> (Vec<String>, StatsReport) {
    let mut rounds = Rounds::default();
    for (no, (rules, digest)) in sets.iter().enumerate() {
        let table = format!("t{no}");
        open(&mut rounds, &table, rules.clone(), (*digest).to_owned());
        settled(&mut rounds, &table);
        asked(&mut rounds, &table, &["alice"]);
        voided(&mut rounds, &table, &["alice"]);
    }
    let report = report(&rounds);
    let mut named: Vec<(String, String)> =
        report.tables.iter().map(|table| (table.table.clone(), table.rule_set.clone())).collect();
    named.sort();
    (named.into_iter().map(|(_, name)| name).collect(), report)
}

#[test]
fn rule_sets_of_one_name_are_told_apart_by_their_digests() {
    let own = RuleSet { name: "ours".into(), ..joy() };
    let alone = RuleSet { name: "mine".into(), ..joy() };
    let shipped = joy().digest();
    let (a, b, c) = ("0123456789abcdef", "0123456789abd000", "ffff456789abcdef");
    let (names, report) = names(&[
        (joy(), &shipped),
        (joy(), a),
        (joy(), b),
        (own.clone(), c),
        (own, "eeee0000eeee0000"),
        (alone, "dddd0000dddd0000"),
    ]);
    assert_eq!(
        names,
        [
            "joy",
            "joy (NOT the shipped one: 0123456789abc…)",
            "joy (NOT the shipped one: 0123456789abd…)",
            "ours (ffff4567…)",
            "ours (eeee0000…)",
            "mine",
        ]
    );
    let (words, page) = (words(&report), page(&report));
    let json = serde_json::to_value(&report).unwrap();
    let in_json: Vec<&str> =
        json["rule_sets"].as_array().unwrap().iter().map(|set| set["name"].as_str().unwrap()).collect();
    for name in &names {
        assert!(words.contains(name.as_str()), "{name}: {words}");
        assert!(page.contains(&format!(">{name}</td>")), "{name}: {page}");
        assert!(in_json.contains(&name.as_str()), "{name}: {in_json:?}");
    }
}

#[test]
fn withheld_seeds_are_counted_by_player() {
    let mut rounds = Rounds::default();
    open(&mut rounds, "t1", joy(), joy().digest());
    open(&mut rounds, "t2", joy(), joy().digest());
    for round in 0..10 {
        asked(&mut rounds, "t1", &["alice", "bob"]);
        match round {
            0..3 => voided(&mut rounds, "t1", &["bob"]),
            3 => voided(&mut rounds, "t1", &["alice", "bob"]),
            _ => settled(&mut rounds, "t1"),
        }
    }
    asked(&mut rounds, "t2", &["carol"]);
    voided(&mut rounds, "t2", &["carol"]);
    let late = Event::SeedLate { round_no: 0, player: player("carol"), seed: ClientSeed::from_bytes([1; 32]) };
    note(&mut rounds, "t2", late);
    let report = report(&rounds);
    let by_player = |of: &StatsReport| -> Vec<(String, u64, u64, u64)> {
        of.withholders.iter().map(|one| (one.player.clone(), one.withheld.count, one.asked, one.late)).collect()
    };
    // Of as many, first those who were asked for fewer.
    let due = [("bob", 4, 10, 0), ("carol", 1, 1, 1), ("alice", 1, 10, 0)];
    assert_eq!(by_player(&report), due.map(|(name, withheld, asked, late)| (name.to_owned(), withheld, asked, late)));
    assert_eq!((report.withholders_total, report.voids.withheld.count), (3, 5));
    let table = |name: &str| report.tables.iter().find(|table| table.table == name).unwrap().withheld.count;
    assert_eq!((table("t1"), table("t2")), (4, 1));
    let words = words(&report);
    assert!(words.contains("withheld by 3 players"), "{words}");
    assert!(words.contains("4 of 10 seeds asked of them withheld (40.000\u{a0}%"), "{words}");
    assert!(
        words.contains("1 of 1 seeds asked of them withheld") && words.contains(", 1 of them came later"),
        "{words}"
    );
    let page = page(&report);
    assert!(page.contains(">bob</td>") && page.contains("data-label=\"Seeds asked\">10</td>"), "{page}");
    let json = serde_json::to_value(&report).unwrap();
    let bob = &json["withholders"][0];
    assert_eq!((&bob["player"], &bob["withheld"]["count"], &bob["asked"]), (&"bob".into(), &4.into(), &10.into()));
}

#[test]
fn a_new_piles_seeds_are_counted_once_their_commitments_are_in() {
    let mut rounds = Rounds::default();
    open(&mut rounds, "t1", joy(), joy().digest());
    let pile_opened = || Event::PileOpened { round_no: 0, shoe_no: 1, players: vec![player("alice")], commit_by: 0 };
    let pile_failed = || Event::PileFailed { round_no: 0, missing: vec![player("alice")] };
    // Who commits to nothing is asked for no seed.
    note(&mut rounds, "t1", pile_opened());
    note(&mut rounds, "t1", pile_failed());
    assert!(report(&rounds).withholders.is_empty());
    note(&mut rounds, "t1", pile_opened());
    let commitment = SeedCommitment::from_bytes([7; 32]);
    let contributors = vec![PlayerCommitment { player: player("alice"), commitment }];
    note(&mut rounds, "t1", Event::PileClosed { round_no: 0, shoe_no: 1, contributors, reveal_by: 0 });
    note(&mut rounds, "t1", pile_failed());
    let report = report(&rounds);
    assert_eq!((report.withholders[0].withheld.count, report.withholders[0].asked), (1, 1));
}

#[test]
fn of_many_who_withheld_the_first_are_shown_and_the_rest_counted() {
    let mut rounds = Rounds::default();
    open(&mut rounds, "t1", joy(), joy().digest());
    for no in 0..1_100 {
        let name = format!("p{no}");
        asked(&mut rounds, "t1", &[&name]);
        voided(&mut rounds, "t1", &[&name]);
    }
    let report = report(&rounds);
    assert_eq!((report.withholders.len(), report.withholders_total), (1_000, 1_100));
    let (words, page) = (words(&report), page(&report));
    assert_eq!(words.matches("seeds asked of them withheld").count(), 40);
    for text in [words, page] {
        assert!(text.contains("and 1\u{202f}060 more"), "{text}");
    }
}

/// A phone shows a test as one line, its name and its chance, and everything else folded; no script unfolds it.
#[test]
fn the_page_is_short_until_it_is_unfolded() {
    let mut rounds = Rounds::default();
    for table in 0..20 {
        let name = format!("t{table}");
        open(&mut rounds, &name, joy(), joy().digest());
        (0..100).for_each(|_| settled(&mut rounds, &name));
        let voids = if table == 13 { 15 } else { 1 };
        (0..voids).for_each(|_| voided(&mut rounds, &name, &["mallory"]));
    }
    let report = report(&rounds);
    let page = page(&report);
    assert_eq!(page.matches("<details class=\"test").count(), report.tests.len());
    assert!(!page.contains("<details open") && !page.contains(" open>"), "{page}");
    let stands_out = page.find("<h2>What stands out</h2>").unwrap();
    let first_fold = page.find("<details").unwrap();
    assert!(page.find("class=\"verdict look\"").unwrap() < stands_out && stands_out < first_fold);
    assert!(page[stands_out..first_fold].contains("t13, 15 of 115"), "{page}");
    // What is in sight without a click: the summaries, and what is in no fold.
    let mut in_sight = String::new();
    for piece in page.split("<details").skip(1) {
        let summary = &piece[piece.find("<summary>").unwrap()..piece.find("</summary>").unwrap()];
        in_sight.push_str(summary);
    }
    assert!(in_sight.contains("withheld seeds by table") && !in_sight.contains("furthest out"), "{in_sight}");
    let json: Value = serde_json::to_value(&report).unwrap();
    for test in json["tests"].as_array().unwrap() {
        let shows = test["shows"].as_str().unwrap().replace('\'', "&#39;");
        assert!(!in_sight.contains(&shows), "{shows}");
    }
}
