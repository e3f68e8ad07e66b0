//! SIGKILL: under load at random moments, while a start recovers, and in the middle of a hand.

use crate::faults;

use fairshoe_house::{Event, VoidCause};
use fairshoe_tests::{Json, Player, Service};
use faults::load::Casino;
use faults::process::Process;
use faults::watch::Watch;
use faults::{Dice, samples};
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[test]
fn kills_under_load_and_during_recovery_lose_nothing_that_was_acknowledged() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut casino = Casino::open(&service, 6, &mut dice);
    // A start's time grows with the log; kills are spread over all of it.
    let mut start_ms = 100;
    let (kills, mut in_recovery) = (samples(4, 60), 0);
    for kill in 0..kills {
        let pause = Duration::from_millis(50) + dice.pause(700);
        let url = service.url.clone();
        casino.play_while(&url, || {
            std::thread::sleep(pause);
            if kill % 6 == 5 {
                assert_eq!(service.stop(), Some(0), "a graceful stop under load");
            } else {
                service.kill();
            }
        });
        for _ in 0..3 {
            let start = Process::serve(folder.path(), &[]);
            std::thread::sleep(dice.pause(start_ms * 5 / 4));
            start.kill();
            in_recovery += 1;
        }
        let begun = Instant::now();
        service = Service::start(folder.path(), &[]);
        start_ms = u64::try_from(begun.elapsed().as_millis()).unwrap().max(20);
        casino.check(&service);
    }
    println!("{kills} kills under load, {in_recovery} while starting: {}", casino.summary());
    assert!(casino.watch.crash_voids > 0 && casino.watch.resumed > 0, "no kill hit a round: {}", casino.summary());
    casino.judge(service);
}

/// A player with an open decision at a table, and the reply that offered it.
fn hand_under_way(player: &Player, table: &str) -> (Value, u64) {
    loop {
        let had = player.balance();
        let placed = player.bet(table, 20);
        let dealt = player.reveal(&placed);
        if dealt["round"]["phase"] == "open" {
            return (dealt["round"].clone(), had);
        }
    }
}

fn killed_and_started(service: Service, player: &mut Player) -> Service {
    let data = service.data.clone();
    service.kill();
    started(&data, player)
}

fn started(data: &std::path::Path, player: &mut Player) -> Service {
    let service = Service::start(data, &[]);
    player.client = fairshoe_tests::Client::new(&service.url, Some(&player.token));
    service
}

fn rollback_table(service: &Service) -> String {
    let body = json!({ "table": "careful", "rules": "joy", "options": { "crash": "rollback" } });
    service.operator().post("/v1/tables", &body).expect_status(201)["table"].text()
}

fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn round(player: &Player, id: &Value) -> Value {
    player.client.get(&format!("/v1/rounds/{}", id.as_str().unwrap())).expect_status(200)["round"].clone()
}

#[test]
fn a_rollback_table_gives_the_chips_of_hand_start_back_voids_once_and_reveals_the_shoe() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut player = service.player("alice", 1000);
    let table = rollback_table(&service);
    player.play(&table, 10);
    let (hand, had) = hand_under_way(&player, &table);
    assert_eq!(player.balance(), had - 20);
    let mut watch = Watch::default();
    watch.follow(&service.operator());

    for restart in 0..3 {
        service = killed_and_started(service, &mut player);
        let after = round(&player, &hand["id"]);
        assert_eq!(
            (after["phase"].as_str(), after["void"]["cause"].as_str()),
            (Some("voided"), Some("crash")),
            "{after}"
        );
        assert_eq!(player.balance(), had, "restart {restart}: the chips of hand start");
        let shoe = player.client.get(&format!("/v1/shoes/{table}/{}", hand["shoe_no"])).expect_status(200);
        assert!(shoe["seeds"].is_array(), "{shoe}");
        watch.follow(&service.operator());
        let voids = watch.count(&table, |event| matches!(event, Event::RoundVoided { cause: VoidCause::Crash, .. }));
        assert_eq!(voids, 1, "restart {restart}: a round is voided once");
    }
    let decision = &hand["decisions"][0]["decision"];
    let path = format!("/v1/rounds/{}/actions", hand["id"].as_str().unwrap());
    let late = player.client.post(&path, &json!({ "decision": decision, "action": "stand" }));
    assert_eq!(late.status, 409, "a void round takes no action: {}", late.text());
    // The next round is dealt from another shoe.
    let next = player.play(&table, 10);
    assert!(next["round"]["shoe_no"].as_u64() > hand["shoe_no"].as_u64());
    watch.follow(&service.operator());
}

#[test]
fn a_rollback_table_gives_a_bet_that_waits_for_its_seed_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut player = service.player("alice", 1000);
    let table = rollback_table(&service);
    let placed = player.bet(&table, 30);
    service = killed_and_started(service, &mut player);
    assert_eq!(player.balance(), 1000);
    let body = json!({ "player": "alice", "seed": placed.seed.to_string() });
    let late = player.client.post(&format!("/v1/rounds/{}/reveals", placed.round), &body);
    assert_eq!(late.status, 409, "{}", late.text());
    // The repeated bet is the old one, which came back, and not a new one.
    let again = player.client.post(&format!("/v1/tables/{table}/bets"), &placed.request).expect_status(200);
    assert_eq!(again["receipts"][0]["entry"], placed.reply["receipts"][0]["entry"]);
    assert_eq!(player.balance(), 1000);
    Watch::default().follow(&service.operator());
}

#[test]
fn a_resume_table_goes_on_with_the_same_cards() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut player = service.player("alice", 100_000);
    let mut watch = Watch::default();
    // Until, after a resumed hand, the player has drawn a card, and the dealer too.
    while watch.dealt_on < 4 {
        let (hand, had) = hand_under_way(&player, "joy-1");
        service = killed_and_started(service, &mut player);
        let after = round(&player, &hand["id"]);
        assert_eq!(after["phase"], "open");
        for same in ["entropy", "pick", "shoe_no", "game", "staked"] {
            assert_eq!(after[same], hand[same], "{same}");
        }
        assert_eq!(after["decisions"][0]["decision"], hand["decisions"][0]["decision"]);
        // C21: the settlement deadline moves by the downtime, and never comes nearer.
        assert!(after["settle_by"].as_u64() >= hand["settle_by"].as_u64());
        // A second crash does not change it.
        service = killed_and_started(service, &mut player);
        assert_eq!(round(&player, &hand["id"])["game"], hand["game"]);
        let hit = hand["decisions"][0]["options"].items().any(|option| option["action"] == "hit");
        let mut reply = json!({ "round": after });
        if hit {
            reply = player.act(&reply["round"], json!("hit"));
        }
        let settled = player.stand_out(reply);
        let (staked, returned) = (settled["round"]["staked"].int(), settled["round"]["returned"].int());
        assert_eq!((settled["round"]["phase"].as_str(), player.balance()), (Some("settled"), had - staked + returned));
        watch.follow(&service.operator());
    }
    assert!(watch.resumed >= 2);
}

#[test]
fn a_resume_table_still_takes_the_seed_and_its_window_restarts_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut player = service.player("alice", 1000);
    let placed = player.bet("joy-1", 30);
    let promised = placed.reply["round"]["reveal_by"].int();
    let data = service.data.clone();
    service.kill();
    std::thread::sleep(Duration::from_millis(300));
    let restarted = now_ms();
    service = started(&data, &mut player);
    let after = round(&player, &placed.reply["round"]["id"]);
    let window = after["reveal_by"].int();
    assert!(
        window >= restarted + 120_000 && window > promised,
        "{window}, before {promised}, restarted at {restarted}"
    );
    assert_eq!(player.balance(), 970, "the bet binds");
    let again = player.client.post("/v1/tables/joy-1/bets", &placed.request).expect_status(200);
    assert_eq!(again["receipts"][0]["entry"], placed.reply["receipts"][0]["entry"]);
    let dealt = player.reveal(&placed);
    let repeated = player.reveal(&placed);
    assert_eq!(dealt["receipts"][0]["entry"], repeated["receipts"][0]["entry"]);
    assert_eq!(player.stand_out(dealt)["round"]["phase"], "settled");
    let mut watch = Watch::default();
    watch.follow(&service.operator());
    assert_eq!((watch.resumed, watch.settled), (1, 1));
}

/// The seed of a committed shoe without bets is published after a restart, and that shoe is gone.
#[test]
fn a_shoe_that_waits_for_a_bet_is_revealed_at_a_restart_and_never_dealt() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut player = service.player("alice", 1000);
    let (stale, seed) = player.bet_body("joy-1", 5);
    let before = player.client.get("/v1/tables/joy-1").expect_status(200);
    service = killed_and_started(service, &mut player);
    let after = player.client.get("/v1/tables/joy-1").expect_status(200);
    assert_ne!(before["epoch"], after["epoch"]);
    assert_ne!(before["shoe"]["candidates"], after["shoe"]["candidates"]);
    let shoe = player.client.get(&format!("/v1/shoes/joy-1/{}", before["shoe"]["shoe_no"])).expect_status(200);
    assert!(shoe["seeds"].is_array());
    // A commitment made for the shoe before the crash opens nothing now: no card is dealt on it.
    let bet = player.client.post("/v1/tables/joy-1/bets", &stale).expect_status(200);
    let body = json!({ "player": "alice", "seed": seed.to_string() });
    let reveal = player.client.post(&format!("/v1/rounds/{}/reveals", bet["round"]["id"].as_str().unwrap()), &body);
    assert_eq!(reveal.problem(409), "seed_does_not_open");
    Watch::default().follow(&service.operator());
}
