//! The dispute bundle, and the judge for those who have no tool at hand.
#![allow(clippy::unwrap_used, clippy::panic)]

use fairshoe_tests::{Client, Player, Rng, Service};
use serde_json::{Value, json};

fn bundle(client: &Client, round: &str) -> Value {
    client.get(&format!("/v1/rounds/{round}/bundle")).expect_status(200)
}

fn verdict(client: &Client, bundle: &Value) -> Value {
    let verdict = client.post("/v1/verify", bundle).expect_status(200);
    let findings = verdict["findings"].as_array().unwrap();
    assert_eq!(findings.is_empty(), verdict["verdict"] != "not_sound", "{verdict}");
    verdict
}

fn open_round(player: &Player) -> String {
    loop {
        let laid = player.bet("joy-1", 10);
        if player.reveal(&laid)["round"]["phase"] == "open" {
            return laid.round;
        }
    }
}

#[test]
fn a_bundle_is_sound_at_every_stage_and_nothing_is_kept_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 10_000);
    let nobody = service.anyone();
    let laid = alice.bet("joy-1", 10);
    assert_eq!(verdict(&nobody, &bundle(&nobody, &laid.round))["verdict"], "sound_so_far");
    alice.stand_out(alice.reveal(&laid));
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
            (&verdict["round"]["players"][0]["staked"], &verdict["round"]["players"][0]["ret"]),
            (&done["round"]["staked"], &done["round"]["ret"])
        );
        assert!(verdict["story"].as_array().unwrap().len() > 3);
        assert_eq!(size(), before, "judging makes no entry");
    }
}

#[test]
fn a_bundle_that_was_tampered_with_is_not_sound() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 1000);
    let nobody = service.anyone();
    let done = alice.play("joy-1", 10);
    let good = bundle(&nobody, done["round"]["id"].as_str().unwrap());
    let other = alice.play("joy-1", 10);
    let last = good["entries"].as_array().unwrap().len() - 1;
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
        ("a result", edit(&format!("/entries/{last}/entry"), &|v| text(v, "\"ret\":", "\"ret\":1"))),
        ("a bet", edit("/entries/1/entry", &|v| text(v, "\"stake\":10", "\"stake\":11"))),
        ("a proof", edit("/entries/1/proof/0", &|_| json!("A".repeat(43) + "="))),
        ("an index", edit("/entries/1/index", &|v| json!(v.as_u64().unwrap() + 1))),
        ("an entry left out", edit("/entries", &|v| json!(v.as_array().unwrap()[1..].to_vec()))),
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
        ("another key", edit("/vkey", &|_| json!("example.com/log+a4c3805a+Af0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY"))),
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
    let kind = nobody.send("POST", "/v1/verify", Some(good.to_string().as_bytes()), &[("content-type", "text/plain")]).unwrap();
    assert_eq!(kind.problem(415), "unsupported_media_type");
}
