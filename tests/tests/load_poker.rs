//! `fairshoe-load` at cash tables of poker: a real service, every check of a player.

use fairshoe_tests::{Json, Service, audit, binary, slow};
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn load(service: &Service, args: &[&str]) -> Output {
    Command::new(binary("fairshoe-load"))
        .args(["--url", &service.url, "--token-file"])
        .arg(service.data.join("operator.token"))
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn twelve_players_at_three_cash_tables_find_nothing_amiss() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let seconds = if slow() { "60" } else { "3" };
    let acks = folder.path().join("acks.txt");
    let args =
        ["--game", "holdem,omaha-hi-lo,holdem-limit", "--players", "12", "--seconds", seconds, "--json", "--sign"];
    let output = load(&service, &[&args[..], &["--strategy", "random", "--acks", acks.to_str().unwrap()]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["ok"], &report["connections"], &report["voids"]),
        (&Value::Bool(true), &3.into(), &0.into()),
        "{report}"
    );
    let count = |value: &Value| value.int();
    for game in ["holdem", "omaha-hi-lo", "holdem-limit"] {
        let of_game = &report["games"][game];
        assert!(
            count(&of_game["rounds"]) > 0 && count(&of_game["plays"]) >= 2 * count(&of_game["rounds"]),
            "{game}: {report}"
        );
    }
    assert!(count(&report["checked"]["openings"]) > 0 && report["checked"]["consistent"] == true, "{report}");
    // Its counts equal the service's, and the whole log is as sound as each player's part of it.
    let metrics = service.anyone().get("/metrics").text();
    let hands = format!("fairshoe_hands {}", count(&report["rounds"]));
    assert!(metrics.lines().any(|line| line == hands), "{hands}:\n{metrics}");
    assert!(std::fs::read_to_string(acks).unwrap().lines().count() as u64 > count(&report["requests"]));
    audit(&service.anyone());
}

/// A hand voided by a restart is read from the table's entries, like every client must: an honest house is not accused.
#[test]
fn players_follow_hands_that_restarts_void() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--address-rate", "0", "--token-rate", "0"];
    let mut service = Service::start(folder.path(), &options);
    let address = service.url.strip_prefix("http://").unwrap().to_owned();
    let mut load = Command::new(binary("fairshoe-load"));
    load.args(["--url", &service.url, "--token-file"]).arg(service.data.join("operator.token"));
    load.args(["--game", "holdem,omaha-hi-lo", "--players", "12", "--seconds", "8", "--reconnect", "60"]);
    load.args(["--strategy", "random", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut load = load.spawn().unwrap();
    for _ in 0..4 {
        let hands = |service: &Service| {
            let metrics = service.anyone().get("/metrics").text();
            let told = metrics.lines().find_map(|line| line.strip_prefix("fairshoe_hands ")?.parse::<u64>().ok());
            told.unwrap_or_default()
        };
        let before = hands(&service);
        // During play, if it lasts that long.
        while hands(&service) < before + 3 && load.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(50));
        }
        service.kill();
        service = Service::spawn_at(Command::new(binary("fairshoe")), folder.path(), &address, &options).unwrap();
    }
    let output = load.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["checked"]["consistent"], true, "{report}");
    audit(&service.anyone());
}

#[test]
fn what_poker_has_not_is_refused_in_words() {
    let service = Service::fresh(&[]);
    for (args, word) in [
        (&["--game", "holdem,joy"][..], "on their own"),
        (&["--game", "holdem", "--withhold", "5"], "--withhold"),
        (&["--game", "omaha", "--sleepers", "5"], "--sleepers"),
        (&["--game", "holdem", "--connections", "2"], "--connections"),
        (&["--game", "holdem", "--players", "1"], "at least 2"),
    ] {
        let output = load(&service, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(word), "{args:?}: {said}");
    }
}
