//! Choices that the service signs for before it decides them: a note's content, its recipients, and that the house
//! keeps to it.

use fairshoe_house::{Actor, Command, HouseNote, ReceivedNote};
use fairshoe_tests::company::{Company, quick};
use fairshoe_tests::poker::{passive, patient};
use fairshoe_tests::tournament::{self, Field};
use fairshoe_tests::wire::{Wire, eventually};
use fairshoe_tests::{
    Client, Json, Pen, Player, Reply, Rng, Service, binary, choose_at, events, policy, slow, verify_receipt, whole_log,
};
use fairshoe_tlog::VerifierKey;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FIRST: &str = "?received=first";

fn key_of(client: &Client) -> VerifierKey {
    client.get("/v1/log").expect_status(200)["vkey"].as_str().unwrap().parse().unwrap()
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// The note in a line, as its holder reads it.
fn note(key: &VerifierKey, line: &Value) -> Option<ReceivedNote> {
    let text = line.get("received")?.as_str().unwrap();
    let HouseNote::Received(note) = HouseNote::verify(text.as_bytes(), key).unwrap() else { panic!("{line}") };
    Some(note)
}

/// The lines of a reply.
fn lines(reply: &Reply) -> Vec<Value> {
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")), "{}", reply.text());
    assert_eq!(reply.header("x-accel-buffering"), Some("no"), "a proxy would keep the note until the reply");
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The two lines of a choice that was signed for: its note, the status and the reply.
fn two(key: &VerifierKey, reply: &Reply) -> (ReceivedNote, u64, Value) {
    let lines = lines(reply);
    assert_eq!(lines.len(), 2, "{lines:?}");
    (note(key, &lines[0]).unwrap(), lines[1]["status"].int(), lines[1]["reply"].clone())
}

/// The one line of a choice without a note.
fn one(reply: &Reply) -> (u64, Value) {
    let lines = lines(reply);
    assert!(lines.len() == 1 && lines[0].get("received").is_none(), "{lines:?}");
    (lines[0]["status"].int(), lines[0]["reply"].clone())
}

/// Attack: numbers that no note can hold.
#[test]
fn a_choice_with_a_number_beyond_all_is_refused_and_is_no_failure_of_the_service() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100);
    let (mut body, _) = alice.bet_body("joy-1", 5);
    body["round_no"] = json!(u64::MAX);
    let (status, refused) = one(&alice.client.post(&format!("/v1/tables/joy-1/bets{FIRST}"), &body));
    assert_eq!((status, &refused["code"]), (409, &json!("wrong_round")), "{refused}");
    let body = json!({ "decision": 1, "action": "hit" });
    let (status, refused) = one(&alice.client.post(&format!("/v1/rounds/joy-1:{}/actions{FIRST}", u64::MAX), &body));
    assert!((400..500).contains(&status), "{refused}");
}

/// A round with an open decision that offers a hit, after insurance was declined.
fn asked(player: &Player, table: &str) -> Value {
    loop {
        let placed = player.bet(table, 10);
        let mut round = player.reveal(&placed)["round"].clone();
        if round["decisions"][0]["options"][0]["action"] == "insurance" {
            round = player.act(&round, json!({ "insurance": { "take": false } }))["round"].clone();
        }
        if round["phase"] == "open" {
            return round;
        }
    }
}

fn choice(round: &Value, action: &Value) -> (String, Value) {
    let id = round["id"].as_str().unwrap();
    (format!("/v1/rounds/{id}/actions"), json!({ "decision": round["decisions"][0]["decision"], "action": action }))
}

fn is_act(command: &Command, round: &Value, body: &Value) -> bool {
    matches!(command, Command::Act { table, round_no, decision, action }
        if format!("{table}:{round_no}") == round["id"].as_str().unwrap()
            && json!({ "decision": decision, "action": action }) == *body)
}

fn entry_of(client: &Client, reply: &Value) -> Value {
    verify_receipt(&policy(client), &reply["receipts"][0]).0
}

#[test]
fn a_choice_is_signed_for_before_it_is_decided_where_its_player_asks() {
    let service = Service::fresh(&[]);
    let (alice, bob, key) = (service.player("alice", 10_000), service.player("bob", 10_000), key_of(&service.anyone()));

    // The note is sent first, as its own line; its time is at the latest the entry's.
    let round = asked(&alice, "joy-1");
    let (path, body) = choice(&round, &json!("stand"));
    let text = body.to_string();
    let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
    let head = format!(
        "POST {path}{FIRST} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n",
        alice.token
    );
    let before = now_ms();
    wire.send(format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    assert_eq!(wire.head().unwrap().status, 200);
    let first = note(&key, &serde_json::from_slice(&wire.chunk().unwrap()).unwrap()).unwrap();
    assert!(is_act(&first.command, &round, &body) && first.signed.is_none(), "{first:?}");
    assert_eq!(first.by, Actor::Player(alice.name.clone()));
    let second: Value = serde_json::from_slice(&wire.chunk().unwrap()).unwrap();
    assert_eq!(second["status"], 200);
    let entry = entry_of(&alice.client, &second["reply"]);
    assert!((before..=entry["time"].int()).contains(&first.time), "signed before it was decided");

    // The round is over: a repeat gets its reply, and no more notes are signed.
    let (status, again) = one(&alice.client.post(&format!("{path}{FIRST}"), &body));
    assert_eq!((status, &again["receipts"][0]["entry"]), (200, &second["reply"]["receipts"][0]["entry"]));

    // In a round in progress a repeat gets a new note, and the existing entry.
    let (round, path, body, entry) = loop {
        let round = asked(&alice, "joy-1");
        let (path, body) = choice(&round, &json!("hit"));
        let (_, status, reply) = two(&key, &alice.client.post(&format!("{path}{FIRST}"), &body));
        assert_eq!(status, 200);
        if reply["round"]["phase"] == "open" {
            break (round, path, body, entry_of(&alice.client, &reply));
        }
    };
    let (repeated, status, reply) = two(&key, &alice.client.post(&format!("{path}{FIRST}"), &body));
    assert!(is_act(&repeated.command, &round, &body) && repeated.time >= entry["time"].int());
    assert_eq!((status, entry_of(&alice.client, &reply)), (200, entry));

    // A refused choice also gets a note, and so does its refusal.
    let (received, status, problem) =
        two(&key, &alice.client.post(&format!("{path}{FIRST}"), &json!({ "decision": 77, "action": "hit" })));
    assert_eq!((status, &problem["code"]), (409, &json!("decision_not_open")));
    let refused = HouseNote::verify(problem["refused"].as_str().unwrap().as_bytes(), &key).unwrap();
    assert!(
        matches!(&refused, HouseNote::Refused(_))
            && *refused.command() == received.command
            && refused.time() >= received.time
    );

    // Without the request there is no note; strangers and clients without a token get none.
    let (status, _) = one(&bob.client.post(&format!("{path}{FIRST}"), &body));
    assert_eq!(status, 409);
    assert_eq!(service.anyone().post(&format!("{path}{FIRST}"), &body).problem(401), "unauthorized");
    assert_eq!(alice.client.post(&format!("{path}?received=last"), &body).problem(400), "malformed");
    let open = alice.client.get(&format!("/v1/rounds/{}", round["id"].as_str().unwrap())).expect_status(200);
    let (path, body) = choice(&open["round"], &json!("stand"));
    assert_eq!(alice.client.post(&path, &body).expect_status(200).get("received"), None);
}

/// Bets, commitments for a hand, and entries to a tournament get notes like choices. Requests that the service may
/// refuse by itself get none.
#[test]
fn bets_commitments_and_entries_are_signed_for_where_their_player_asks() {
    let service = Service::fresh(&[]);
    let (alice, key) = (service.player("alice", 10_000), key_of(&service.anyone()));
    let signed_for = |player: &Player, reply: &Reply| {
        let (received, status, reply) = two(&key, reply);
        assert_eq!((status, &received.by), (200, &Actor::Player(player.name.clone())), "{reply}");
        let entry = entry_of(&player.client, &reply);
        let command: Value = serde_json::from_str(&received.command.to_json().unwrap()).unwrap();
        assert_eq!(command, entry["command"]);
        assert!(received.time <= entry["time"].int(), "signed before it was decided");
        command
    };
    let path = format!("/v1/tables/joy-1/bets{FIRST}");
    let (mut bet, _) = alice.bet_body("joy-1", 10);
    bet["epoch"] = json!("11".repeat(32));
    let (status, problem) = one(&alice.client.post(&path, &bet));
    assert_eq!((status, problem["code"].as_str()), (409, Some("wrong_epoch")));
    bet["epoch"] = alice.client.get("/v1/tables/joy-1").expect_status(200)["epoch"].clone();
    assert!(signed_for(&alice, &alice.client.post(&path, &bet)).get("bet").is_some());
    let (status, problem) = one(&service.operator().post(&path, &bet));
    assert_eq!((status, problem["code"].as_str()), (403, Some("not_allowed")));
    assert_eq!(service.anyone().post(&path, &bet).problem(401), "unauthorized");

    let poker = Company::at_cash_table(&service, "room", "holdem", &patient(), &["carol", "dave"]);
    poker.buy_in_all(10_000);
    let [carol, dave] = [0, 1].map(|n| &poker.players[n]);
    eventually("the hand is called", || poker.view()["cash"]["call"]["round_no"] == 0);
    let commit = |player: &Player| json!({ "commitment": player.commitment(&poker.view(), 0) });
    let hand = format!("/v1/rounds/{}/commitments{FIRST}", poker.round_id(0));
    assert!(signed_for(carol, &carol.client.post(&hand, &commit(carol))).get("commit_hand_seed").is_some());
    let back = format!("/v1/tables/{}/bets/0{FIRST}", poker.table);
    assert!(signed_for(carol, &carol.client.delete(&back)).get("withdraw_hand_seed").is_some());
    // They do not sit there: the rules refuse it, which the note does not mention.
    let (_, status, problem) = two(&key, &alice.client.post(&hand, &commit(&alice)));
    assert_eq!((status, problem["code"].as_str()), (409, Some("not_seated")));
    assert!(dave.client.post(&hand, &commit(dave)).text().contains("fairshoe received"));

    let structure = tournament::quick(&service.anyone(), "sit-and-go", |_| {});
    let field = Field::announce(&service, "sit", &structure, &["erin"], 3_600_000);
    let erin = &field.players[0];
    let entry = field.path(&format!("/registration{FIRST}"));
    let registration = field.registration(erin, "cash");
    let register = signed_for(erin, &erin.client.post(&entry, &registration));
    assert!(register["tournament"].get("register").is_some());
    assert!(signed_for(erin, &erin.client.delete(&entry))["tournament"].get("unregister").is_some());
    // The key belongs to another request: it is still decided, because a note was signed for it.
    let headers = [("idempotency-key", "twice")];
    erin.client.post_with(&field.path("/registration"), &field.registration(erin, "cash"), &headers).expect_status(200);
    let (_, status, problem) =
        two(&key, &erin.client.post_with(&field.path(&format!("/rebuy{FIRST}")), &json!({}), &headers));
    assert_ne!((status, problem["code"].as_str()), (409, Some("idempotency_key_reused")), "{problem}");
    assert!(problem["refused"].is_string(), "{problem}");
}

#[test]
fn choices_are_signed_for_up_to_a_rate() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let alice = service.player("alice", 10_000);
    let round = asked(&alice, "joy-1");
    let (path, _) = choice(&round, &json!("stand"));
    let junk = json!({ "decision": 77, "action": "hit" });
    let begun = now_ms();
    let count = (0..150).filter(|_| lines(&alice.client.post(&format!("{path}{FIRST}"), &junk)).len() == 2).count();
    let most = 20 + 20 * usize::try_from((now_ms() - begun) / 1000 + 1).unwrap();
    assert!((10..=most).contains(&count), "{count} of 150 signed, at most {most}");
}

#[test]
fn the_note_of_a_player_with_a_key_holds_their_signature() {
    let service = Service::fresh(&[]);
    let (alice, public) = (service.player("alice", 10_000), service.anyone());
    let key = key_of(&public);
    let round = asked(&alice, "joy-1");
    let pen = Pen::new(public.get("/v1/log").json()["origin"].as_str().unwrap(), "alice", 5);
    alice.client.post("/v1/players/alice/key", &json!({ "key": pen.key() })).expect_status(200);
    let (path, body) = choice(&round, &json!("stand"));
    let (table, round_no, decision) = (round["table"].as_str().unwrap(), &round["round_no"], &body["decision"]);
    let command =
        format!(r#"{{"act":{{"table":"{table}","round_no":{round_no},"decision":{decision},"action":"stand"}}}}"#);

    // Without a signature it is received and refused, and both notes say that there was no signature.
    let (received, status, problem) = two(&key, &alice.client.post(&format!("{path}{FIRST}"), &body));
    assert_eq!((status, problem["code"].as_str(), received.signed), (403, Some("signature_missing"), None));
    let refused = HouseNote::verify(problem["refused"].as_str().unwrap().as_bytes(), &key).unwrap();
    assert_eq!(refused.signed(), None);

    let send = |signature: &str| {
        alice.client.post_with(&format!("{path}{FIRST}"), &body, &[("fairshoe-signature", signature)])
    };
    let (_, status, problem) = two(&key, &send(&pen.with_nonce(3, &command.replace("stand", "hit"))));
    assert_eq!((status, problem["code"].as_str()), (403, Some("signature_wrong")));
    let refused = HouseNote::verify(problem["refused"].as_str().unwrap().as_bytes(), &key).unwrap();
    assert_eq!(refused.signed().map(|signed| signed.nonce.get()), Some(3));
    let (received, status, reply) = two(&key, &send(&pen.with_nonce(4, &command)));
    assert_eq!(status, 200);
    assert_eq!(serde_json::to_value(received.signed).unwrap(), entry_of(&public, &reply)["signed"]);
}

/// A hand of poker and a game of Safe with notes for all choices; a player who kept all notes accuses no one with them.
#[test]
fn every_game_s_choices_are_signed_for_and_the_notes_accuse_no_honest_house() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let key = key_of(&service.anyone());
    let mut kept: Vec<String> = Vec::new();
    let mut decide = |company: &Company, round_no: u64, choose: &mut dyn FnMut(&Value, &Value) -> Value| {
        let round = company.round(round_no)["round"].clone();
        let Some(decision) = round["decisions"].get(0) else { return false };
        let body = json!({ "decision": decision["decision"], "action": choose(&round, decision) });
        let player = company.named(&decision["player"]);
        let reply = player.client.post(&format!("/v1/rounds/{}/actions{FIRST}", company.round_id(round_no)), &body);
        let (received, status, accepted) = two(&key, &reply);
        assert_eq!((status, &received.by), (200, &Actor::Player(player.name.clone())), "{accepted}");
        kept.push(reply.text());
        true
    };

    let poker = Company::at_cash_table(&service, "room", "holdem", &patient(), &["alice", "bob", "carol"]);
    poker.buy_in_all(10_000);
    let hand = poker.deal(false);
    while decide(&poker, hand, &mut passive) {}
    let safe =
        Company::at_new_table(&service, "safe", "safe", &quick(60_000, 60_000, 60_000), &["dave", "erin"], 100_000);
    safe.sit();
    let mut rng = Rng(7);
    let placed = safe.bet(&mut rng);
    let game: u64 = placed[0].round.rsplit_once(':').unwrap().1.parse().unwrap();
    eventually("seeds are awaited", || safe.round(game)["round"]["phase"] == "awaiting_reveals");
    for player in &safe.players {
        safe.reveal(player, game).expect_status(200);
    }
    let mut any = |round: &Value, decision: &Value| choose_at(round, decision, &mut rng);
    for _ in 0..6 {
        if !decide(&safe, game, &mut any) {
            break;
        }
    }
    assert!(kept.len() > 6, "{}", kept.len());

    // Other entries follow, so that every note is judged.
    service.player("frank", 5);
    let mut command = std::process::Command::new(binary("fairshoe-audit"));
    command.current_dir(folder.path()).args(["log", &service.url, "--key", &key.to_string(), "--json"]);
    for (number, reply) in kept.iter().enumerate() {
        let name = format!("kept-{number}.json");
        std::fs::write(folder.path().join(&name), reply).unwrap();
        command.args(["--kept", &name]);
    }
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let judged = &report["kept"];
    assert_eq!((output.status.code(), &judged["finding"]), (Some(0), &Value::Null), "{report}");
    assert_eq!(
        (judged["notes"].as_u64(), judged["notes_judged"].as_u64()),
        (Some(kept.len() as u64), Some(kept.len() as u64)),
        "{judged}"
    );
}

/// Choices near their deadline: a choice with a note from before the deadline is decided as before it. A house that let
/// the turn lapse between its signature and its decision would have signed its own conviction.
#[test]
fn a_choice_signed_for_before_its_deadline_is_never_let_lapse() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0", "--player-entries", "0"]);
    let (operator, key) = (service.operator(), key_of(&service.anyone()));
    let rounds = if slow() { 200 } else { 24 };
    let players: Vec<Player> = (0..rounds).map(|n| service.player(&format!("p-{n}"), 100_000)).collect();
    let options = json!({ "round_time_ms": 1500 });
    let (mut in_time, mut late) = (0, 0);
    for some in players.chunks(8) {
        let decided: Vec<bool> = std::thread::scope(|scope| {
            let each: Vec<_> = (some.iter().zip(0u64..))
                .map(|(player, n)| {
                    let (operator, key, options) = (operator.clone(), &key, &options);
                    scope.spawn(move || {
                        let opened = operator
                            .post("/v1/tables", &json!({ "rules": "joy", "options": options }))
                            .expect_status(201);
                        let table = opened["table"].text();
                        eventually("the shoe", || {
                            player.client.get(&format!("/v1/tables/{table}")).json()["shoe"]["shoe_no"] == 0
                        });
                        let round = asked(player, &table);
                        let deadline = round["settle_by"].int();
                        let (path, body) = choice(&round, &json!("stand"));
                        // The connection exists, and the request is sent some milliseconds before, after or at the
                        // deadline.
                        player.client.get("/healthz");
                        let at = deadline + 5 * n - 30;
                        while now_ms() < at {
                            std::thread::sleep(Duration::from_millis((at - now_ms().min(at)).clamp(1, 100) / 2));
                        }
                        let lines = lines(&player.client.post(&format!("{path}{FIRST}"), &body));
                        let received = lines.iter().find_map(|line| note(key, line)).map(|kept| kept.time);
                        let in_time = lines.last().unwrap()["status"] == 200;
                        assert!(
                            in_time || received.is_none_or(|time| time >= deadline),
                            "due at {deadline}: {lines:?}"
                        );
                        in_time
                    })
                })
                .collect();
            each.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        in_time += decided.iter().filter(|in_time| **in_time).count();
        late += decided.iter().filter(|in_time| !**in_time).count();
    }
    println!("{in_time} in time, {late} late");
    assert!(in_time > 0 && late > 0, "{in_time} in time, {late} late: the test aims beside the deadline");
    let lapses = |text: &String| {
        text.contains("\"lapse\"") && !events(&serde_json::from_str(text).unwrap(), "round_settled").is_empty()
    };
    assert!(whole_log(&service.anyone()).iter().filter(|text| lapses(text)).count() >= late);
}
