//! Replies whose proofs come later (spec/receipts.md, "Proofs that come later"): their content, that they are as
//! durable as others, and that the proof is available on request.

use fairshoe_tests::{Client, Json, Player, Service, binary, policy, verify_receipt};
use serde_json::{Value, json};
use std::process::Command;

const LATER: &str = "?proofs=later";

/// The receipts of a reply without proofs, with the proofs that the log then gives.
fn proven(client: &Client, reply: &Value) -> Vec<Value> {
    let receipts = reply["receipts"].list();
    assert!(!receipts.is_empty() && receipts.iter().all(|receipt| receipt.get("proof").is_none()), "{reply}");
    receipts
        .iter()
        .map(|receipt| {
            let proof = client.get(&format!("/v1/receipts/{}", receipt["index"])).text();
            let mut whole = receipt.clone();
            whole["proof"] = json!(proof);
            verify_receipt(&policy(client), &whole);
            whole
        })
        .collect()
}

/// All of a reply, except its proofs.
fn without_proofs(reply: &Value) -> Value {
    let mut bare = reply.clone();
    for receipt in bare["receipts"].as_array_mut().unwrap() {
        receipt.as_object_mut().unwrap().remove("proof");
    }
    bare
}

fn body_of(player: &Player, bet: &Value) -> Value {
    let round_no = bet["round"]["round_no"].int();
    json!({ "player": player.name.as_str(), "seed": player.seed("joy-1", round_no).to_string() })
}

#[test]
fn a_reply_without_proofs_says_all_else_and_its_proofs_are_had_later() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &["--address-rate", "0"]);
    let (alice, anyone) = (service.player("alice", 1_000), service.anyone());
    let (path, text) = ("/v1/tables/joy-1/bets", "?proofs=sooner");
    let (bet, _) = alice.bet_body("joy-1", 5);
    for wrong in [text, "?proofs=", "?proofs=later&proofs=later", "?proof=later"] {
        assert_eq!(alice.client.post(&format!("{path}{wrong}"), &bet).problem(400), "malformed", "{wrong}");
    }
    let placed = alice.client.post(&format!("{path}{LATER}"), &bet).expect_status(200);
    assert_eq!(proven(&anyone, &placed).len(), 2, "the bet, and the shoe that was committed before");
    // A repeat with proofs gets the same reply with them, and the other way round.
    let repeated = alice.client.post(path, &bet).expect_status(200);
    repeated["receipts"].items().for_each(|receipt| drop(verify_receipt(&policy(&anyone), receipt)));
    assert_eq!(without_proofs(&repeated), without_proofs(&placed));
    assert_eq!(alice.client.post(&format!("{path}{LATER}"), &bet).expect_status(200), placed);

    let id = placed["round"]["id"].as_str().unwrap();
    let (reveals, seed) = (format!("/v1/rounds/{id}/reveals"), body_of(&alice, &placed));
    let mut reply = alice.client.post(&format!("{reveals}{LATER}"), &seed).expect_status(200);
    proven(&anyone, &reply);
    // A repeat without a token has no balance and no round, and no proof either unless requested.
    let nobodys = anyone.post(&format!("{reveals}{LATER}"), &seed).expect_status(200);
    assert_eq!((&nobodys["receipts"], nobodys.get("balance")), (&reply["receipts"], None));
    // Decisions, with the note first.
    while let Some(first) = reply["round"]["decisions"].get(0) {
        let insurance = first["options"][0]["action"] == "insurance";
        let action = if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
        let choice = json!({ "decision": first["decision"], "action": action });
        let said = alice.client.post(&format!("/v1/rounds/{id}/actions{LATER}&received=first"), &choice);
        let lines: Vec<Value> = said.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((said.status, lines[1]["status"].as_u64()), (200, Some(200)), "{lines:?}");
        assert!(lines[0]["received"].is_string());
        reply = lines[1]["reply"].clone();
        proven(&anyone, &reply);
    }
    assert_eq!(reply["round"]["phase"], "settled");
}

#[test]
fn a_saved_reply_without_proofs_is_no_evidence_and_both_verifiers_say_where_the_proof_is() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let alice = service.player("alice", 1_000);
    let (bet, _) = alice.bet_body("joy-1", 5);
    let placed = alice.client.post(&format!("/v1/tables/joy-1/bets{LATER}"), &bet).expect_status(200);
    let (saved, index) = (folder.path().join("reply.json"), placed["receipts"][0]["index"].int());
    std::fs::write(&saved, placed.to_string()).unwrap();
    let vkey = service.anyone().get("/v1/log").expect_status(200)["vkey"].text();
    let saved = saved.to_str().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/verifier/fairshoe-verify.js");
    let auditor = binary("fairshoe-audit");
    let words = format!(
        "the receipt of entry {index} has no proof: the reply was asked for with proofs=later, and GET /v1/receipts/{index} has it"
    );
    let log = service.url.as_str();
    let judged = [
        Command::new(&auditor).args(["receipt", saved, "--key", &vkey]).output(),
        Command::new(&auditor).args(["log", log, "--key", &vkey, "--kept", saved]).output(),
        Command::new("node").args([script, "receipt", saved, "--key", &vkey]).output(),
    ];
    for output in judged {
        let output = match output {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("skipped: the second verifier, for there is no node");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&words), "{said}");
    }
}
