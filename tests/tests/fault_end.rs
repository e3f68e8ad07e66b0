//! Keys are changed while the log is whole: the log itself names its successor, and no entry comes after that
//! (spec/recovery.md, "The end of a log").

use crate::fault_restore::{
    OPEN, claim, entries_of, mirror, not_restored, restored, seed_in, size, text, write_mirror,
};
use crate::faults::process::refused;
use crate::faults::{audit, require_sound};
use fairshoe_house::{Actor, Command as HouseCommand, Entry, Event, NextLog, OldLog, PlayerKey};
use fairshoe_tests::{Service, binary};
use fairshoe_tlog::{SecretKey, Signer};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn new_keys(dir: &Path, origin: &str) -> Output {
    Command::new(binary("fairshoe")).arg("new-keys").arg(dir).args(["--origin", origin]).output().unwrap()
}

fn made_keys(dir: &Path, origin: &str) -> String {
    let output = new_keys(dir, origin);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let vkey = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    assert_eq!(fs::read_to_string(dir.join("log.vkey")).unwrap().trim(), vkey);
    vkey
}

fn looked(address: &str, key: &str, state: &Path) -> (Option<i32>, Value) {
    let seen = audit(&["monitor", address, "--once", "--json", "--key", key, "--state", text(state)]);
    let line = seen.out.lines().last().unwrap_or_default();
    (seen.code, serde_json::from_str(line).unwrap_or_else(|_| panic!("{} {}", seen.out, seen.err)))
}

#[test]
fn a_log_ends_and_names_the_one_that_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let [data, keys, others, next, state] = ["data", "keys", "others", "next", "monitor"].map(path);
    let vkey = made_keys(&keys, "localhost/next");
    let other = made_keys(&others, "localhost/other");
    assert!(!new_keys(&keys, "localhost/next").status.success(), "keys are never overwritten");
    assert!(!new_keys(&path("bad"), "no name").status.success());

    refused(&path("nothing"), &["--end-for", &vkey], 1);
    let service = Service::start(&data, OPEN);
    let old_key = fs::read_to_string(data.join("log.vkey")).unwrap().trim().to_owned();
    let alice = service.player("alice", 1_000);
    let table = alice.open_table();
    let bet = alice.bet(&table, 100);
    assert_eq!(bet.reply["balance"], 900);
    assert_eq!(looked(&service.url, &old_key, &state).0, Some(0));
    let stale = path("stale");
    mirror(&service.url, &stale);
    assert_eq!(service.stop(), Some(0));
    // Keys made for an end have no effect before it, or on a copy from before it.
    let with = |name: &'static str, keys: &[&'static str]| [&["--continue-as", name][..], keys].concat();
    let [keys_text, others_text, secrets_text] =
        [&keys, &others, &data].map(|dir| &*Box::leak(text(dir).to_owned().into_boxed_str()));
    let refusal = "the log cannot go on with these keys";
    let made_for_it = with("localhost/next", &["--new-keys", keys_text]);
    not_restored(&data, &next, &made_for_it, refusal);

    // *Attack: a hand that would pay much is ended instead.* While a bet waits for its seed the log does not end, and
    // continues at the next start.
    let own = fs::read_to_string(data.join("log.vkey")).unwrap();
    refused(&data, &["--end-for", own.trim()], 1);
    let said = refused(&data, &["--end-for", &vkey], 1);
    assert!(said.contains(&format!("round 0 of table {table} is in play")), "{said}");
    let service = Service::start(&data, OPEN);
    let alice = fairshoe_tests::Player { client: service.client(Some(&alice.token)), ..alice };
    alice.stand_out(alice.reveal(&bet));
    let has = alice.balance();
    assert_eq!(service.stop(), Some(0));

    // It ends. Every request is told where to go.
    let ended = Service::start(&data, &[OPEN, &["--end-for", &vkey]].concat());
    let says = json!({ "origin": "localhost/next", "vkey": vkey });
    let shown = ended.anyone().get("/v1/log").expect_status(200);
    assert_eq!((&shown["ended"], &shown["guests"]), (&says, &json!(false)));
    let ready = ended.anyone().get("/readyz").expect_status(200);
    assert_eq!((&ready["bets"], &ready["reason"]), (&json!(false), &json!("the log has ended")));
    let alice = fairshoe_tests::Player { client: ended.client(Some(&alice.token)), ..alice };
    let operator = ended.operator();
    for reply in [
        operator.post("/v1/players", &json!({ "player": "bob" })),
        operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), &[("Idempotency-Key", "one")]),
        operator.post("/v1/players/alice/tokens", &json!({})),
        ended.anyone().post("/v1/guests", &json!({})),
        alice.client.post("/v1/tables", &json!({ "rules": "joy-own" })),
        alice.client.post(&format!("/v1/tables/{table}/close"), &json!({})),
    ] {
        let problem = reply.expect_status(410);
        assert_eq!(problem["code"], "log_ended", "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("localhost/next"), "{problem}");
    }
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["balance"], has);
    let report = audit(&["log", &ended.url, "--json"]);
    assert_eq!(report.code, Some(0), "{} {}", report.out, report.err);
    assert_eq!(serde_json::from_str::<Value>(&report.out).unwrap()["book"]["ended"], says);
    let (code, look) = looked(&ended.url, &old_key, &state);
    assert_eq!((code, &look["ended"]), (Some(0), &says), "{look}");
    let (end, whole) = (size(&ended), path("mirror"));
    mirror(&ended.url, &whole);
    let last = Entry::decode(entries_of(&whole).last().unwrap()).unwrap();
    assert!(matches!(&last.events[..], [Event::LogEnded { .. }]) && last.by == Actor::House, "{last:?}");
    ended.kill();

    // A later start writes no entry, and neither does its stop; the log cannot be ended for another successor.
    for _ in 0..2 {
        let again = Service::start(&data, OPEN);
        assert_eq!(size(&again), end);
        assert_eq!(again.stop(), Some(0));
    }
    refused(&data, &["--end-for", &other], 1);
    let again = Service::start(&data, &[OPEN, &["--end-for", &vkey]].concat());
    assert_eq!(size(&again), end);
    assert_eq!(again.stop(), Some(0));

    // It continues only with the keys that it named.
    not_restored(&data, &next, &with("localhost/next", &[]), refusal);
    let from_a_mirror = [&made_for_it[..], &["--keys", secrets_text]].concat();
    not_restored(&stale, &next, &from_a_mirror, refusal);
    not_restored(&data, &next, &with("localhost/other", &["--new-keys", others_text]), refusal);
    not_restored(&data, &next, &with("localhost/next", &["--new-keys", others_text]), refusal);
    let said = restored(&data, &next, &made_for_it);
    assert_eq!(said["key"], vkey);
    // Two logs of one key would be two histories.
    not_restored(&data, &path("again"), &made_for_it, "the keys cannot be used");
    let service = Service::start(&next, OPEN);
    let operator = service.operator();
    assert_eq!(operator.get("/v1/players/alice").expect_status(200)["balance"], has);
    require_sound(&["log", &service.url, "--continues", text(&data), "--json"]);
    require_sound(&["log", &service.url, "--continues", text(&whole), "--json"]);
    // If the new log is served at the old one's address no one is accused, whether they saw the end or not.
    let (code, look) = looked(&service.url, &old_key, &state);
    assert_eq!((code, &look["verdict"]), (Some(2), &json!("not_answering")), "{look}");
    assert!(look["addresses"][0]["problem"].as_str().unwrap().contains(&vkey), "{look}");
    let (code, look) = looked(&service.url, &old_key, &path("late"));
    assert_eq!((code, &look["verdict"]), (Some(2), &json!("not_answering")), "{look}");
    for judge in [&["log", &service.url][..], &["mirror", &service.url, text(&path("wrong"))]] {
        let judged = audit(&[judge, &["--key", &old_key]].concat());
        assert!(judged.code == Some(2) && judged.err.contains("localhost/next"), "{} {}", judged.out, judged.err);
    }
    // A house that changes its keys again, and an unrelated one.
    let third = Service::start(&path("third"), &[OPEN, &["--origin", "localhost/third"]].concat());
    for state in [&state, &path("late"), &path("later")] {
        let (code, look) = looked(&third.url, &old_key, state);
        assert_eq!((code, &look["verdict"]), (Some(2), &json!("not_answering")), "{look}");
    }
    third.kill();
    let (written, honest) = (path("written"), path("honest"));
    mirror(&service.url, &honest);
    assert_eq!(service.stop(), Some(0));

    // A thief of the old key: another log that continues from this one, or more entries after its end.
    let secret = SecretKey::from_seed(&seed_in(&data.join("secrets")));
    let honest: Vec<Entry> = entries_of(&honest).iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let HouseCommand::ContinueLog { origin, key, size, root, .. } = honest[1].command.clone() else {
        panic!("{:?}", honest[1])
    };
    assert_eq!(size, end);
    let thief = SecretKey::from_seed(&[7; 32]);
    let old = OldLog { origin, key, size, root, new_key: PlayerKey::from_bytes(thief.public_key()) };
    let mut stolen = honest.clone();
    claim(&mut stolen, &old, &secret, false);
    let judge = |entries: &[Entry], signer: &Signer, more: &[&str]| {
        drop(fs::remove_dir_all(&written));
        let bytes: Vec<Vec<u8>> = entries.iter().map(|entry| entry.encode().unwrap()).collect();
        write_mirror(&written, &bytes, signer);
        let judged = audit(&[&["log", text(&written), "--json"][..], more].concat());
        let report: Value = serde_json::from_str(&judged.out).unwrap_or_else(|_| panic!("{}", judged.err));
        report["first_failure"].clone()
    };
    let signer = Signer::new("localhost/next", &[7; 32]).unwrap();
    let finding = judge(&stolen, &signer, &["--continues", text(&data)]);
    assert_eq!(finding["check"], "continues", "{finding}");
    assert!(finding["message"].as_str().unwrap().contains("ended, and named localhost/next"), "{finding}");
    let mut more: Vec<Entry> = entries_of(&whole).iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let behind =
        |command: HouseCommand, event: Event| Entry { command, events: vec![event], by: Actor::House, ..last.clone() };
    more.push(behind(HouseCommand::StopDealer {}, Event::DealerStopped {}));
    let signer = Signer::new(old_key.split('+').next().unwrap(), &seed_in(&data.join("secrets"))).unwrap();
    let finding = judge(&more, &signer, &[]);
    assert_eq!((&finding["check"], &finding["entry"]), (&json!("refused"), &json!(end)), "{finding}");
    let again = NextLog { origin: fairshoe_fairness::Origin::parse("localhost/thief").unwrap(), key: old.new_key };
    let (origin, key) = (again.origin, again.key);
    more.pop();
    more.push(behind(HouseCommand::EndLog { origin: origin.clone(), key }, Event::LogEnded { origin, key }));
    assert_eq!(judge(&more, &signer, &[])["check"], "refused");
}

/// A new log with the old master key would have shoes that a thief of that key knows.
#[test]
fn a_new_log_has_another_master_key_whatever_the_environment_holds() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (data, keys, next) = (path("data"), path("keys"), path("next"));
    let old = "ab".repeat(32);
    let run = |args: &[&str]| {
        let mut command = Command::new(binary("fairshoe"));
        command.args(args).env("FAIRSHOE_MASTER_KEY", &old);
        command
    };
    let start = |more: &[&str]| Service::spawn(run(&[]), &data, more).unwrap();
    assert_eq!(start(OPEN).stop(), Some(0));
    let made = run(&["new-keys", text(&keys), "--origin", "localhost/next"]).output().unwrap();
    let vkey = String::from_utf8(made.stdout).unwrap();
    assert!(keys.join("secrets/master.key").is_file());
    assert_eq!(start(&[OPEN, &["--end-for", vkey.trim()]].concat()).stop(), Some(0));
    let args = ["restore", text(&data), "--data", text(&next), "--json", "--continue-as", "localhost/next"];
    let args = [&args[..], &["--new-keys", text(&keys)]].concat();
    let refused = run(&args).output().unwrap();
    let said: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(said["label"], "the log cannot go on under this name", "{said}");
    let made = Command::new(binary("fairshoe")).args(&args).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
}
