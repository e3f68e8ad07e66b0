//! `fairshoe-audit stats` from outside, over whole books of a house that deals every game.

use crate::audit_common;
use crate::common;
use crate::served;

use audit_common::*;
use common::crowd::Crowd;
use fairshoe_audit::stats::report::{LogFacts, StatsReport, Verdict};
use fairshoe_audit::stats::rounds::Rounds;
use fairshoe_audit::stats::shoes::Shoes;
use fairshoe_audit::stats::{page, plots};
use fairshoe_judge::audit::{Check, Finding};
use serde_json::Value;
use served::Served;
use std::fs;
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

fn stats(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).arg("stats").args(args).output().unwrap();
    (status.code().expect("it was killed"), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn serve(log: &[Vec<u8>]) -> Served {
    Served::start(log, &checkpoint(log), &signer().verifier_key().to_string(), None)
}

/// A book of every game, with voids of every kind; always the same one.
fn whole_book() -> &'static Vec<Vec<u8>> {
    static LOG: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    LOG.get_or_init(|| {
        let mut crowd = Crowd::new(11, true);
        crowd.steps(4_000);
        crowd.go_home();
        crowd.house.log
    })
}

#[track_caller]
fn json(source: &str, more: &[&str], code: i32) -> Value {
    let (exit, out, err) = stats(&[&[source, "--json"], more].concat());
    assert_eq!(exit, code, "{out}\n{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn an_honest_book_of_every_game_is_nothing_unusual_and_its_sums_are_the_books() {
    let log = whole_book();
    let served = serve(log);
    let dir = TempDir::new().unwrap();
    let (html, svg) = (dir.path().join("report.html"), dir.path().join("plots"));
    let report = json(&served.address, &["--html", html.to_str().unwrap(), "--svg", svg.to_str().unwrap()], 0);
    println!("{}", stats(&[&served.address]).1);
    assert_eq!(report["verdict"], "nothing_unusual", "{report:#}");
    let book = audit(log);
    assert_eq!((report["entries"].as_u64(), report["first_failure"].is_null()), (Some(book.entries), true));
    let sum = |field: &str| {
        report["rule_sets"].as_array().unwrap().iter().map(|set| set[field].as_i64().unwrap()).sum::<i64>()
    };
    assert_eq!(sum("rounds"), book.settled as i64);
    assert_eq!((book.staked, book.returned), (sum("staked").into(), sum("returned").into()));
    let voids = &report["voids"];
    assert_eq!(
        (voids["voids"]["count"].as_u64(), voids["rounds"].as_u64()),
        (Some(book.voids.total), Some(book.settled + book.voids.total))
    );
    assert!(book.voids.total > 10, "the book has too few voids to be of use");
    let of = |group: &str| ["nobody", "level", "players", "house"].map(|ahead| voids[group][ahead].as_u64().unwrap());
    let by_ahead: u64 = of("by_house").iter().chain(&of("by_absence")).sum();
    assert_eq!(by_ahead, book.voids.total);
    let ended = &voids["default_play"];
    assert_eq!(book.voids.default_play_net, ended["net"].as_i64().unwrap().into());
    let computable = ["players", "house", "level"].map(|who| ended[who].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!(
        (computable, ended["not_computable"].as_u64().unwrap()),
        (book.voids.computable, book.voids.total - book.voids.computable)
    );
    let withholders = report["withholders"].as_array().unwrap();
    let missing = withholders.iter().map(|one| one["withheld"]["count"].as_u64().unwrap()).sum::<u64>();
    // Of one round several seeds may be missing.
    assert!(missing > 0 && missing >= voids["withheld"]["count"].as_u64().unwrap(), "{withholders:?}");
    assert!(withholders.iter().all(|one| one["asked"].as_u64() >= one["withheld"]["count"].as_u64()));
    let repeats = &report["repeats"];
    assert_eq!(repeats["roots"]["counted"].as_u64(), Some(book.shoes));
    assert_eq!(repeats["server_seeds"]["counted"].as_u64(), Some(book.shoes_revealed));
    assert_eq!((&repeats["roots"]["repeated"], &repeats["server_seeds"]["repeated"]), (&0.into(), &0.into()));
    assert_eq!(report["card_shoes"].as_u64().unwrap() + report["wheels"].as_u64().unwrap(), book.shoes_revealed);
    let coups: u64 = report["counts"]["coups"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|c| c.as_array().unwrap())
        .map(|c| c.as_u64().unwrap())
        .sum();
    let of_game = |game: &str| {
        report["rule_sets"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|set| set["game"] == game)
            .map(|set| set["rounds"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(coups, of_game("baccarat"));
    let spins: u64 = report["counts"]["pockets"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(spins, of_game("roulette"));
    let done: Vec<&str> = report["tests"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|test| test["chance"].is_number())
        .map(|test| test["id"].as_str().unwrap())
        .collect();
    for id in ["position", "committed_even", "drawn_even", "to_players", "to_dealer", "pockets", "return"] {
        assert!(done.contains(&id), "{id} was not done");
    }
    self_contained(&fs::read_to_string(&html).unwrap());
    let mut drawn: Vec<String> =
        fs::read_dir(&svg).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    drawn.sort();
    assert_eq!(
        drawn,
        ["chances.svg", "pockets.svg", "positions.svg", "returns.svg", "to-dealer.svg", "to-players.svg"]
    );
    for name in drawn {
        let text = fs::read_to_string(svg.join(&name)).unwrap();
        assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>"), "{name}");
    }
}

#[test]
fn voids_in_mid_hand_are_held_against_how_hands_stood() {
    // Crashes and malfunctions at JOY's tables, without regard to who is ahead.
    let log = book(31, 900).log;
    let report = json(&serve(&log).address, &[], 0);
    assert_eq!(report["verdict"], "nothing_unusual", "{report:#}");
    let find = |id: &str| report["tests"].as_array().unwrap().iter().find(|test| test["id"] == id).unwrap();
    for id in ["voids_of_house_ahead", "naturals", "voids_by_table"] {
        assert!(find(id)["chance"].is_number(), "{id} was not done");
    }
    let book = audit(&log);
    assert_eq!(book.voids.default_play_net, report["voids"]["default_play"]["net"].as_i64().unwrap().into());
    assert!(book.voids.computable > 5 && report["voids"]["by_cause"]["malfunction"].as_u64() > Some(5));
    assert_eq!(
        report["counts"]["to_dealer"]["dealt"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|count| count.as_u64() > Some(20))
            .count(),
        13
    );
}

/// Nothing is fetched, nothing runs, and what opens is closed.
fn self_contained(page: &str) {
    let lower = page.to_lowercase();
    for forbidden in [
        "<script",
        "src=",
        "href=",
        "@import",
        "url(",
        "<link",
        "<iframe",
        "<object",
        "<embed",
        "javascript:",
        " onload",
        " onerror",
    ] {
        assert!(!lower.contains(forbidden), "the page holds {forbidden}");
    }
    let addresses: Vec<&str> =
        page.match_indices("://").map(|(at, _)| &page[at.saturating_sub(5)..(at + 24).min(page.len())]).collect();
    assert!(addresses.iter().all(|text| text.contains("http://www.w3.org/2000/svg")), "{addresses:?}");
    assert!(page.contains("default-src 'none'") && page.contains("<meta name=\"viewport\""));
    for tag in [
        "table", "tr", "td", "section", "details", "summary", "figure", "svg", "div", "main", "dl", "p", "span", "text",
    ] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn a_log_that_does_not_hold_shows_no_number_and_exits_1() {
    let mut log = whole_book().clone();
    let at = log.iter().position(|bytes| bytes.windows(15).any(|window| window == b"\"round_settled\"")).unwrap();
    let text = String::from_utf8(log[at].clone()).unwrap();
    let start = text.find("\"round_settled\"").unwrap();
    log[at] =
        format!("{}{}", &text[..start], text[start..].replacen("\"returned\":", "\"returned\":1", 1)).into_bytes();
    let served = serve(&log);
    let dir = TempDir::new().unwrap();
    let html = dir.path().join("report.html");
    let report = json(&served.address, &["--html", html.to_str().unwrap()], 1);
    assert_eq!((&report["verdict"], &report["first_failure"]["check"]), (&"not_sound".into(), &"settlement".into()));
    assert_eq!(report["first_failure"]["entry"].as_u64(), Some(at as u64));
    assert!(
        report["tests"].as_array().unwrap().iter().all(|test| test["chance"].is_null())
            && report["rule_sets"].as_array().unwrap().is_empty()
    );
    let (code, words, _) = stats(&[&served.address]);
    assert!(code == 1 && words.contains("NOT SOUND") && !words.contains("corrected"), "{words}");
    let page = fs::read_to_string(html).unwrap();
    self_contained(&page);
    assert!(page.contains("NOT SOUND") && !page.contains("<h2>The tests</h2>"));
    // Entries that are sound under a root that is not theirs.
    let other =
        Served::start(whole_book(), &checkpoint(&whole_book()[1..]), &signer().verifier_key().to_string(), None);
    assert_ne!(stats(&[&other.address]).0, 0);
}

#[test]
fn unusable_input_exits_2() {
    for (args, words) in
        [(vec!["/no/such/place"], "no file and no folder of this name"), (vec!["http://127.0.0.1:1"], "127.0.0.1:1")]
    {
        let (code, out, err) = stats(&args);
        assert!(code == 2 && err.contains(words), "{out}{err}");
    }
    let served = serve(whole_book());
    let (code, _, err) = stats(&[&served.address, "--html", "/no/such/folder/report.html"]);
    assert!(code == 2 && err.contains("/no/such/folder/report.html"), "{err}");
    let help = stats(&["--help"]).1;
    assert!(help.contains("--html") && help.contains("unusual: look") && help.contains("Examples"));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "\"><script>alert(1)</script><img/src=x/onerror='x'>&lt;";
    let facts = LogFacts { origin: hostile.into(), root: hostile.into(), key: hostile.into(), ..LogFacts::default() };
    let sound = StatsReport::new(facts.clone(), &Default::default(), None, &Shoes::default(), &Rounds::default());
    let finding = Finding::new(Check::Root, format!("\u{202e}{hostile}"));
    let unsound = StatsReport::new(facts, &Default::default(), Some(finding), &Shoes::default(), &Rounds::default());
    assert_eq!(unsound.verdict, Verdict::NotSound);
    for report in [sound, unsound] {
        let page = page(&report);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("&amp;lt;"));
        assert!(plots(&report).iter().all(|plot| !plot.svg.contains("<script")));
    }
}
