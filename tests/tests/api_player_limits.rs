//! Players' own limits (spec/limits.md), over the wire: set, shown, refused, and kept through a kill.

use fairshoe_tests::{Client, Json, Player, Reply, Service, audit, events, policy, verify_receipt};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

const DAY_MS: u64 = 86_400_000;

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

fn set(client: &Client, of: &str, per: &str, most: Option<u64>) -> Reply {
    let mut body = json!({ "of": of, "per": per });
    if let Some(most) = most {
        body["most"] = json!(most);
    }
    client.post("/v1/players/alice/limits", &body)
}

/// The calls of the contract, accepted and refused.
pub fn use_limits(service: &Service) {
    let frieda = service.player("frieda", 100);
    let limits = "/v1/players/frieda/limits";
    for body in [
        json!({ "of": "deposit", "per": "week", "most": 150 }),
        json!({ "of": "deposit", "per": "week", "most": 900 }),
        json!({ "of": "play_time", "per": "day" }),
        json!({ "of": "play_time", "per": "year" }),
    ] {
        frieda.client.post(limits, &body);
    }
    let body = json!({ "amount": 151 });
    service.operator().post_with("/v1/players/frieda/credit", &body, &[("idempotency-key", "too much")]);
    let exclusion = "/v1/players/frieda/exclusion";
    for until in [now_ms() + DAY_MS, now_ms(), 1] {
        frieda.client.post(exclusion, &json!({ "until": until }));
    }
    frieda.client.get("/v1/players/frieda");
    service.operator().post("/v1/players/nobody/limits", &json!({ "of": "loss", "per": "day", "most": 1 }));
    service.operator().post("/v1/players/nobody/exclusion", &json!({ "until": now_ms() + DAY_MS }));
}

#[test]
fn a_player_is_held_to_what_they_allow_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 1_000);
    let bob = service.player("bob", 0);
    let (own, token) = (alice.open_table(), alice.token.clone());
    let credit = |service: &Service, amount: u64| {
        let key = format!("credit-{amount}");
        let body = json!({ "amount": amount });
        service.operator().post_with("/v1/players/alice/credit", &body, &[("idempotency-key", &key)])
    };

    // The callers who may set limits, and invalid limits.
    assert_eq!(set(&bob.client, "loss", "day", Some(5)).problem(403), "not_allowed");
    assert_eq!(set(&service.anyone(), "loss", "day", Some(5)).status, 401);
    for body in [
        json!({}),
        json!({ "of": "loss", "per": "year", "most": 5 }),
        json!({ "of": "loss", "per": "day", "most": -1 }),
        json!({ "of": "loss", "per": "day", "most": 1.5 }),
        json!({ "of": "loss", "per": "day", "most": 9_007_199_254_740_992u64 }),
        json!({ "of": "loss", "per": "day", "most": 5, "until": 7 }),
    ] {
        let reply = alice.client.post("/v1/players/alice/limits", &body);
        assert_eq!(reply.problem(reply.status), "malformed", "{body}");
    }
    assert_eq!(set(&alice.client, "loss", "day", None).problem(409), "nothing_to_do");

    // Deposits: the operator is refused.
    let limited = set(&alice.client, "deposit", "week", Some(300)).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&alice.client), &limited["receipts"][0]);
    assert_eq!(
        events(&entry, "limit_set"),
        [&json!({ "player": "alice", "of": "deposit", "per": "week", "most": 300 })]
    );
    credit(&service, 200).expect_status(200);
    assert_eq!(credit(&service, 101).problem(409), "limit_reached");

    // Losses: a stake that could be lost beyond it.
    set(&alice.client, "loss", "day", Some(20)).expect_status(200);
    let (body, _) = alice.bet_body(&own, 21);
    assert_eq!(alice.client.post(&format!("/v1/tables/{own}/bets"), &body).problem(409), "limit_reached");
    alice.play(&own, 10);
    let view = |service: &Service| service.client(Some(&token)).get("/v1/players/alice").json();
    let seen = view(&service);
    assert_eq!(seen["excluded"], Value::Null);
    let [deposit, loss] = &seen["limits"].list()[..] else { panic!("{seen}") };
    assert_eq!(
        (&deposit["of"], &deposit["per"], &deposit["most"], &deposit["count"]),
        (&json!("deposit"), &json!("week"), &json!(300), &json!(200))
    );
    let lost = 1_200 - seen["balance"].as_i64().unwrap();
    assert_eq!((loss["count"].as_i64(), loss.get("waiting")), (Some(lost), None));

    // A looser limit waits a day, also after a kill.
    let asked = now_ms();
    let waits = set(&service.operator(), "loss", "day", None).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&alice.client), &waits["receipts"][0]);
    let from = events(&entry, "limit_set")[0]["from"].int();
    assert!((asked + DAY_MS..=now_ms() + DAY_MS).contains(&from));
    service.kill();
    service = Service::start(folder.path(), &[]);
    let again = view(&service);
    assert_eq!(again["limits"][1]["waiting"], json!({ "from": from }));
    assert_eq!(again["limits"][0], seen["limits"][0]);

    // Excluded in the middle of a round: it is played to its end and chips can be paid out, but nothing else is
    // possible.
    let alice = Player { client: service.client(Some(&token)), ..alice };
    let placed = alice.bet(&own, 5);
    let until = now_ms() + 3 * DAY_MS;
    let exclude = |client: &Client, until: u64| client.post("/v1/players/alice/exclusion", &json!({ "until": until }));
    assert_eq!(exclude(&alice.client, 1).problem(400), "malformed");
    exclude(&alice.client, until).expect_status(200);
    assert_eq!(exclude(&service.operator(), until - 1).problem(409), "nothing_to_do");
    let dealt = alice.reveal(&placed);
    alice.stand_out(dealt);
    let (body, _) = alice.bet_body(&own, 5);
    assert_eq!(alice.client.post(&format!("/v1/tables/{own}/bets"), &body).problem(409), "excluded");
    assert_eq!(credit(&service, 1).problem(409), "excluded");
    let withdrawn = [("idempotency-key", "withdraw")];
    let body = json!({ "amount": 5 });
    service.operator().post_with("/v1/players/alice/withdraw", &body, &withdrawn).expect_status(200);
    assert_eq!(view(&service)["excluded"], json!(until));
    audit(&alice.client);
    assert_eq!(service.stop(), Some(0));
}
