//! Tests the judge of replies (`fairshoe_tests::contract`) with replies that break the contract.

use fairshoe_tests::contract::Contract;
use fairshoe_tests::{Exchange, Reply};

#[test]
fn a_reply_beside_the_contract_is_found() {
    let contract = Contract::load();
    let reply = |status: u16, kind: &str, body: &str| Reply {
        status,
        headers: vec![("content-type".into(), kind.into())],
        body: body.into(),
    };
    let check = |path: &str, reply: Reply| {
        contract.check(&Exchange { token: None, method: "GET".into(), path: path.into(), reply })
    };
    let problem = r#"{"type":"urn:fairshoe:error:unknown_round","title":"Not Found","status":404,"detail":"x","code":"unknown_round"}"#;
    check("/healthz", reply(200, "text/plain; charset=utf-8", "ok")).unwrap();
    check(
        "/v1/players/a",
        reply(
            200,
            "application/json",
            r#"{"player":"a","balance":1,"key":null,"last_nonce":0,"cash_seats":[],"t_dollars":0,"tickets":[]}"#,
        ),
    )
    .unwrap();
    check("/v1/rounds/a:0", reply(404, "application/problem+json", problem)).unwrap();
    let wrong = [
        check("/healthz", reply(200, "text/plain", "no")),
        check(
            "/v1/players/a",
            reply(
                200,
                "text/plain",
                r#"{"player":"a","balance":1,"key":null,"last_nonce":0,"cash_seats":[],"t_dollars":0,"tickets":[]}"#,
            ),
        ),
        check(
            "/v1/players/a",
            reply(
                200,
                "application/json",
                r#"{"player":"a","balance":1,"key":null,"last_nonce":0,"cash_seats":[],"t_dollars":0,"tickets":[],"more":1}"#,
            ),
        ),
        check(
            "/v1/players/a",
            reply(
                200,
                "application/json",
                r#"{"player":"a","balance":-1,"key":null,"last_nonce":0,"cash_seats":[],"t_dollars":0,"tickets":[]}"#,
            ),
        ),
        check("/v1/players/a", reply(200, "application/json", "{")),
        check("/v1/players/a", reply(302, "application/json", "{}")),
        check("/v1/players/a", reply(404, "application/problem+json", problem)),
        check("/v1/rounds/a:0", reply(404, "application/problem+json", &problem.replace("\"detail\":\"x\",", ""))),
        check(
            "/v1/rounds/a:0",
            reply(404, "application/problem+json", &problem.replace("unknown_round\"}", "new_code\"}")),
        ),
        check("/v9", reply(200, "application/json", "{}")),
    ];
    for (number, verdict) in wrong.iter().enumerate() {
        assert!(verdict.is_err(), "number {number} passed");
    }
}
