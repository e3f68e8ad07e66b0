//! The dispute bundle, and the judge for people without a tool.

use fairshoe_judge::bundle::{Collector, RoundId, Target};
use fairshoe_tests::company::Company;
use fairshoe_tests::{Client, Json, Player, Rng, Service, whole_log};
use serde_json::{Value, json};

fn bundle(client: &Client, round: &str) -> Value {
    client.get(&format!("/v1/rounds/{round}/bundle")).expect_status(200)
}

fn verdict(client: &Client, bundle: &Value) -> Value {
    let verdict = client.post("/v1/verify", bundle).expect_status(200);
    let findings = verdict["findings"].list();
    assert_eq!(findings.is_empty(), verdict["verdict"] != "not_sound", "{verdict}");
    verdict
}

fn open_round(player: &Player) -> String {
    loop {
        let placed = player.bet("joy-1", 10);
        if player.reveal(&placed)["round"]["phase"] == "open" {
            return placed.round;
        }
    }
}

/// Attack: a name of a megabyte, which whoever refuses it says again.
#[test]
fn what_is_wrong_with_a_body_is_said_in_few_words() {
    let service = Service::fresh(&[]);
    let long = |bytes: usize| json!({ "x".repeat(bytes): 1 });
    let refused = service.anyone().post("/v1/verify", &long(1 << 20));
    assert_eq!(refused.expect_status(200)["verdict"], "not_sound");
    assert!(refused.body.len() < 4096, "{} bytes", refused.body.len());
    for (path, status) in [("/v1/players", 400), ("/v1/tables/joy-1/bets", 400)] {
        let refused = service.operator().post(path, &long(60_000));
        assert!(refused.status == status && refused.body.len() < 4096, "{path}: {} bytes", refused.body.len());
    }
}

#[test]
fn a_bundle_is_sound_at_every_stage_and_nothing_is_kept_of_it() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let nobody = service.anyone();
    let placed = alice.bet("joy-1", 10);
    assert_eq!(verdict(&nobody, &bundle(&nobody, &placed.round))["verdict"], "sound_so_far");
    alice.stand_out(alice.reveal(&placed));
    let open = open_round(&alice);
    let shown = verdict(&nobody, &bundle(&nobody, &open));
    assert_eq!((&shown["verdict"], &shown["key_trusted"]), (&json!("sound_so_far"), &json!(true)), "{shown}");
    service.operator().post(&format!("/v1/rounds/{open}/void"), &json!({ "reason": "x" })).expect_status(200);
    assert_eq!(verdict(&nobody, &bundle(&nobody, &open))["verdict"], "sound");
    let mut rng = Rng(23);
    let size = || nobody.get("/v1/log").expect_status(200)["size"].clone();
    for _ in 0..10 {
        let done = alice.play_randomly("joy-1", 10, &mut rng);
        let before = size();
        let verdict = verdict(&nobody, &bundle(&nobody, done["round"]["id"].as_str().unwrap()));
        assert_eq!(verdict["verdict"], "sound", "{verdict}");
        assert_eq!(
            (&verdict["round"]["players"][0]["staked"], &verdict["round"]["players"][0]["returned"]),
            (&done["round"]["staked"], &done["round"]["returned"])
        );
        assert!(verdict["story"].list().len() > 3);
        assert_eq!(size(), before, "judging makes no entry");
    }
}

#[test]
fn a_bundle_that_was_tampered_with_is_not_sound() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let nobody = service.anyone();
    let done = alice.play("joy-1", 10);
    let good = bundle(&nobody, done["round"]["id"].as_str().unwrap());
    let other = alice.play("joy-1", 10);
    let last = good["entries"].list().len() - 1;
    let edit = |pointer: &str, change: &dyn Fn(&Value) -> Value| {
        let mut bad = good.clone();
        let place = bad.pointer_mut(pointer).unwrap();
        *place = change(place);
        bad
    };
    let text = |value: &Value, from: &str, to: &str| {
        let text = value.as_str().unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        json!(text.replacen(from, to, 1))
    };
    let stale = bundle(&nobody, other["round"]["id"].as_str().unwrap());
    let mutants = [
        ("a result", edit(&format!("/entries/{last}/entry"), &|v| text(v, "\"returned\":", "\"returned\":1"))),
        ("a bet", edit("/entries/1/entry", &|v| text(v, "\"stake\":10", "\"stake\":11"))),
        ("a proof", edit("/entries/1/proof/0", &|_| json!("A".repeat(43) + "="))),
        ("an index", edit("/entries/1/index", &|v| json!(v.int() + 1))),
        ("an entry left out", edit("/entries", &|v| json!(v.list()[1..].to_vec()))),
        ("no context", edit("/context", &|_| json!([]))),
        ("another round", edit("/round", &|_| stale["round"].clone())),
        ("another checkpoint", edit("/checkpoint", &|_| stale["checkpoint"].clone())),
        (
            "the root",
            edit("/checkpoint", &|v| {
                let line = v.as_str().unwrap().lines().nth(2).unwrap().to_owned();
                text(v, &line, &("A".repeat(43) + "="))
            }),
        ),
        (
            "another key",
            edit("/vkey", &|_| json!("example.com/log+a4c3805a+Af0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY")),
        ),
        ("a version", edit("/fairshoe_bundle", &|_| json!(2))),
        ("nothing at all", json!({})),
    ];
    assert_eq!(verdict(&nobody, &good)["verdict"], "sound");
    for (what, bad) in mutants {
        let verdict = verdict(&nobody, &bad);
        assert_eq!(verdict["verdict"], "not_sound", "{what}");
        let finding = &verdict["findings"][0];
        assert!(finding["check"].is_string() && finding["message"].is_string(), "{what}: {finding}");
    }
    let raw = nobody.send("POST", "/v1/verify", Some(b"\xff{"), &[("content-type", "application/json")]).unwrap();
    assert!(raw.status == 400 || raw.expect_status(200)["verdict"] == "not_sound");
    let kind = nobody
        .send("POST", "/v1/verify", Some(good.to_string().as_bytes()), &[("content-type", "text/plain")])
        .unwrap();
    assert_eq!(kind.problem(415), "unsupported_media_type");
}

/// The service picks a bundle's entries by its index, the auditor by reading the log: they are the same entries.
#[test]
fn a_bundle_holds_what_the_auditor_would_pick_from_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let rates = ["--token-rate", "0", "--address-rate", "0"];
    let mut service = Service::start(folder.path(), &rates);
    let mut players: Vec<Player> = ["ann", "bea", "cid"].iter().map(|name| service.player(name, 10_000_000)).collect();
    let tables = ["joy-1", "six-deck-2", "baccarat-2", "roulette-2", "safe-2"];
    Company::open_each(&service, &tables[1..]);
    let mut rng = Rng(24);
    for start in 0..3 {
        for table in tables {
            if table == "joy-1" {
                (0..3).for_each(|_| drop(players[0].play_randomly(table, 10, &mut rng)));
                continue;
            }
            let company = Company { table: table.into(), players: players.clone(), public: service.anyone() };
            // Rounds left in play by the restart are played on.
            if let Some(id) = company.view()["round"].as_str() {
                let round_no = id.rsplit_once(':').unwrap().1.parse().unwrap();
                while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
            }
            company.players.iter().for_each(|player| drop(player.client.post(&company.path("/seat"), &json!({}))));
            for _ in 0..if table == "safe-2" { 4 } else { 2 } {
                company.play(&mut rng, |_| {});
            }
            // Some bets are placed, a round is open or over, when the service is killed.
            if start < 2 {
                let window = company.window();
                company
                    .players
                    .iter()
                    .take(start + 2)
                    .for_each(|player| drop(player.place_bets(table, &company.usual_bets(player, &mut rng))));
                let _ = company.public.get(&format!("/v1/rounds/{table}:{}", window["round_no"]));
            }
        }
        if start < 2 {
            service.kill();
            service = Service::start(folder.path(), &rates);
            for player in &mut players {
                player.client = service.client(Some(&player.token));
            }
        }
    }
    let nobody = service.anyone();
    let log = whole_log(&nobody);
    let mut compared = 0;
    for table in tables {
        let rounds = nobody.get(&format!("/v1/tables/{table}/rounds?limit=50")).expect_status(200);
        for round in rounds["rounds"].list() {
            let id: RoundId = round["id"].as_str().unwrap().parse().unwrap();
            let given = bundle(&nobody, round["id"].as_str().unwrap());
            let size: usize = given["checkpoint"].as_str().unwrap().lines().nth(1).unwrap().parse().unwrap();
            let mut collector = Collector::new(Target::Round { table: id.table.clone(), round_no: id.round_no });
            // The log may have grown since it was read; the bundle is compared only if it had not.
            if size > log.len() {
                continue;
            }
            (0..).zip(&log[..size]).for_each(|(index, text)| collector.feed(index, text.as_bytes()));
            let picked = collector.finish().unwrap();
            let indices = |list: &Value| list.items().map(|one| one["index"].int()).collect::<Vec<_>>();
            let expected = |list: &[(u64, Vec<u8>)]| list.iter().map(|(index, _)| *index).collect::<Vec<_>>();
            assert_eq!(indices(&given["entries"]), expected(&picked.entries), "{}", round["id"]);
            assert_eq!(indices(&given["context"]), expected(&picked.context), "{}", round["id"]);
            assert_ne!(verdict(&nobody, &given)["verdict"], "not_sound", "{}", round["id"]);
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}
