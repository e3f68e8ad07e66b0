//! The index next to the log: kept, deleted, damaged, older, from another log or after a kill, every list and lookup
//! gives the same result.

use crate::faults;

use fairshoe_tests::{Client, Json, Service};
use faults::load::Casino;
use faults::{Dice, copy_folder, files, replace, samples};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The service's answers by path; `None`: it could not answer.
type Answers = BTreeMap<String, Option<Value>>;

fn get(client: &Client, path: &str, answers: &mut Answers, select: impl FnOnce(Value) -> Value) -> Option<Value> {
    let reply = client.get(path);
    let found = match reply.status {
        200 => Some(reply.json()),
        // A missing item is missing every time.
        404 | 409 => Some(Value::Null),
        500 => None,
        other => panic!("{path}: {other}: {}", reply.text()),
    };
    answers.insert(path.to_owned(), found.clone().map(select));
    found
}

/// The compared parts: the players, this number of the log's first entries, and the rounds that were over then. Others
/// may end meanwhile.
struct Known {
    players: Vec<String>,
    size: u64,
    over: BTreeSet<String>,
}

/// A page of a list, with the final parts of each round.
fn settled(page: &Value, known: &Known) -> Value {
    let rounds = page["rounds"].as_array().into_iter().flatten();
    let rounds = rounds.map(|round| {
        if known.over.contains(round["id"].as_str().unwrap()) { round.clone() } else { round["id"].clone() }
    });
    json!({ "rounds": rounds.collect::<Vec<_>>(), "next": page["next"] })
}

fn is_over(round: &Value) -> bool {
    matches!(round["phase"].as_str(), Some("settled" | "voided"))
}

/// A list in pages, up to its end.
fn pages(client: &Client, path: &str, known: &Known, answers: &mut Answers) -> Vec<Value> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(client, &format!("{path}?limit=7{cursor}"), answers, |page| settled(&page, known));
        let Some(page) = page.filter(|page| !page.is_null()) else { return found };
        found.extend(page["rounds"].items().cloned());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

/// The log indices in a reply, among the first so many.
fn places(list: &Value, size: u64) -> Value {
    let all = list.as_array().into_iter().flatten();
    all.filter(|one| one["index"].as_u64().is_some_and(|index| index < size)).map(|one| one["index"].clone()).collect()
}

/// Requests all results of the index, among the first `size` entries of the log.
fn ask(service: &Service, known: &Known) -> Answers {
    let size = known.size;
    let client = service.operator();
    let mut answers = Answers::new();
    let all = &mut answers;
    for player in &known.players {
        pages(&client, &format!("/v1/players/{player}/rounds"), known, all);
    }
    // It shows the log index of each table's shoe.
    let names =
        |page: Value| page["tables"].as_array().into_iter().flatten().map(|table| table["table"].clone()).collect();
    let Some(tables) = get(&client, "/v1/tables?limit=50", all, names) else { return answers };
    for table in tables["tables"].items().map(|table| table["table"].as_str().unwrap()) {
        let rounds = pages(&client, &format!("/v1/tables/{table}/rounds"), known, all);
        let ids = rounds.iter().filter_map(|round| round["id"].as_str()).filter(|id| known.over.contains(*id));
        for id in ids.step_by(5).take(6) {
            get(&client, &format!("/v1/rounds/{id}/recall"), all, |recall| recall);
            get(&client, &format!("/v1/rounds/{id}/bundle"), all, |bundle| {
                Value::from_iter([places(&bundle["context"], size), places(&bundle["entries"], size)])
            });
        }
        for from in [0, 3, 200] {
            let path = format!("/v1/tables/{table}/entries?from_seq={from}&limit=200");
            get(&client, &path, all, |page| places(&page["entries"], size));
        }
        for shoe_no in 0..4 {
            get(&client, &format!("/v1/shoes/{table}/{shoe_no}"), all, |shoe| {
                let at = |what: &str| shoe[what]["index"].as_u64().filter(|index| *index < size).into();
                Value::from_iter::<[Value; 3]>([at("committed"), at("revealed"), at("sealed")])
            });
        }
    }
    get(&client, "/v1/significant?limit=50", all, |page| places(&page["events"], size));
    answers
}

fn log_size(service: &Service) -> u64 {
    service.anyone().get("/checkpoint").text().lines().nth(1).unwrap().parse().unwrap()
}

/// Starts the service on this folder and asks until it can answer all; every answer meanwhile must be `expected`.
fn expect(dir: &Path, known: &Known, expected: Option<&Answers>, story: &str) -> Answers {
    let service = Service::start(dir, &[]);
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let answers = ask(&service, known);
        for (path, answer) in answers.iter().filter(|(_, answer)| answer.is_some()) {
            if let Some(wanted) = expected.and_then(|expected| expected.get(path)) {
                assert_eq!(Some(answer), Some(wanted), "{story}: {path}");
            }
        }
        let asked_all = expected.is_none_or(|expected| answers.keys().eq(expected.keys()));
        if asked_all && answers.values().all(Option::is_some) {
            assert_eq!(service.stop(), Some(0), "{story}");
            return answers;
        }
        assert!(Instant::now() < until, "{story}: the index is not whole again");
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn whatever_becomes_of_the_index_every_list_says_the_same() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut service = Service::start(&data, &[]);
    let mut casino = Casino::open(&service, 6, &mut dice);
    let older = folder.path().join("older");
    for kill in 0..samples(3, 12) {
        let url = service.url.clone();
        let pause = Duration::from_millis(400) + dice.pause(900);
        casino.play_while(&url, || {
            std::thread::sleep(pause);
            service.kill();
        });
        if kill == 0 {
            copy_folder(&data.join("index"), &older);
        }
        service = Service::start(&data, &[]);
        casino.check(&service);
    }
    let players = (0..6).map(|number| format!("gambler-{number}")).collect();
    let mut known = Known { players, size: log_size(&service), over: BTreeSet::new() };
    let client = service.operator();
    let mut over = BTreeSet::new();
    for player in &known.players {
        let rounds = pages(&client, &format!("/v1/players/{player}/rounds"), &known, &mut Answers::new());
        over.extend(rounds.iter().filter(|round| is_over(round)).map(|round| round["id"].text()));
    }
    known.over = over;
    assert_eq!(service.stop(), Some(0));
    assert!(known.size > 300 && known.over.len() > 50, "{} entries, {} rounds", known.size, known.over.len());

    let again = |name: &str| {
        let dir = folder.path().join(name);
        replace(&data, &dir);
        dir
    };
    let whole = expect(&again("kept"), &known, None, "kept");
    assert!(whole.len() > 100, "{}", whole.len());
    let deleted = again("deleted");
    fs::remove_dir_all(deleted.join("index")).unwrap();
    expect(&deleted, &known, Some(&whole), "deleted");
    let outdated = again("outdated");
    replace(&older, &outdated.join("index"));
    expect(&outdated, &known, Some(&whole), "older");
    let foreign = folder.path().join("foreign");
    let other = Service::start(&foreign, &[]);
    let stranger = other.player("stranger", 1000);
    stranger.play("joy-1", 5);
    assert_eq!(other.stop(), Some(0));
    let swapped = again("swapped");
    replace(&foreign.join("index"), &swapped.join("index"));
    expect(&swapped, &known, Some(&whole), "another log's");
    // The service continues with the rebuilt index.
    expect(&swapped, &known, Some(&whole), "another log's, a second time");

    for _ in 0..samples(8, 200) {
        let damaged = again("damaged");
        let index = damaged.join("index");
        let all = files(&index);
        let path = index.join(&all[dice.below(all.len() as u64) as usize]);
        let mut bytes = fs::read(&path).unwrap();
        let at = dice.below(bytes.len() as u64) as usize;
        let story = format!("{} byte {at}", path.file_name().unwrap().display());
        match dice.below(4) {
            0 => bytes.truncate(at),
            _ => bytes[at] ^= 1 + dice.below(255) as u8,
        }
        fs::write(&path, bytes).unwrap();
        expect(&damaged, &known, Some(&whole), &story);
    }
}
