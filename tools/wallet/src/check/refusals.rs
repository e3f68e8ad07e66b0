//! Requests refused before any look-up: without the token, or malformed. The wallet stores none of them.

use super::tester::Tester;
use super::{Came, Check};
use crate::client::Client;
use crate::operation::{Call, MOST};
use serde_json::{Value, json};

/// Longer than any wallet has to read: a call's body is less than 1 KiB.
const TOO_LONG: usize = 128 << 10;

pub(super) fn tokens() -> Vec<Check> {
    vec![
        Check::still("ready", "asked for /readyz, without a token", |tester| {
            let reply = tester.send(|| tester.client.with_token("").get("/readyz"))?;
            if reply.status != 200 { Err(reply.shown().into()) } else { Ok("200".to_owned()) }
        }),
        Check::still("token_missing", "sent each call without a token", |tester| {
            unauthorized(tester, &tester.client.with_token(""))
        }),
        Check::still("token_wrong", "sent each call with another token", |tester| {
            unauthorized(tester, &tester.client.with_token("0123456789abcdef0123456789abcdef"))
        }),
    ]
}

fn unauthorized(tester: &Tester, client: &Client) -> Came {
    let mut numbers = Vec::new();
    for call in Call::ALL {
        let asked = tester.mine(1);
        let reply = tester.send(|| client.call(call, &asked))?;
        if reply.status != 401 {
            return Err(format!("{call} was to be 401, and is {}", reply.shown()).into());
        }
        numbers.push(asked.no);
    }
    let reply = tester.send(|| client.get(&format!("/v1/statement?log={}&from=0", tester.log())))?;
    if reply.status != 401 {
        return Err(format!("the statement was to be 401, and is {}", reply.shown()).into());
    }
    tester.absent(&numbers)?;
    Ok("401, and nothing is stored".to_owned())
}

/// One fault in an otherwise correct body.
const WRONG: [(&str, &str); 11] = [
    ("body_is_no_json", "a body that ends in the middle"),
    ("body_is_no_object", "an array for a body"),
    ("body_is_too_long", "a body of 128 KiB"),
    ("amount_is_negative", "an amount of -5"),
    ("amount_is_zero", "an amount of 0"),
    ("amount_is_fractional", "an amount of 1.5"),
    ("amount_is_too_large", "an amount of 2^53"),
    ("amount_is_text", "an amount in quotes"),
    ("amount_is_missing", "no amount"),
    ("player_is_missing", "no player"),
    ("number_is_negative", "an operation's number of -1"),
];

fn body(name: &str, tester: &Tester, no: i64) -> String {
    let right = json!({ "log": tester.log(), "no": no, "player": tester.player, "amount": 5 });
    let with = |field: &str, value: Value| {
        let mut body = right.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.insert(field.to_owned(), value);
        }
        body.to_string()
    };
    let without = |field: &str| {
        let mut body = right.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.remove(field);
        }
        body.to_string()
    };
    match name {
        "body_is_no_json" => right.to_string().trim_end_matches('}').to_owned(),
        "body_is_no_object" => json!([tester.log(), no, tester.player, 5]).to_string(),
        "body_is_too_long" => format!("{}{}", " ".repeat(TOO_LONG), right),
        "amount_is_negative" => with("amount", json!(-5)),
        "amount_is_zero" => with("amount", json!(0)),
        // As text: a JSON library may change the number.
        "amount_is_fractional" => with("amount", json!("A")).replace("\"A\"", "1.5"),
        "amount_is_too_large" => with("amount", json!(MOST.saturating_add(1))),
        "amount_is_text" => with("amount", json!("5")),
        "amount_is_missing" => without("amount"),
        "player_is_missing" => without("player"),
        _ => with("no", json!(-1)),
    }
}

pub(super) fn bodies() -> Vec<Check> {
    let check = |(name, what): (&'static str, &'static str)| {
        Check::new(name, format!("sent each call with {what}"), move |tester| {
            let mut numbers = Vec::new();
            for call in Call::ALL {
                let no = tester.number();
                let body = body(name, tester, no);
                numbers.push(no);
                if name == "body_is_too_long" {
                    // A wallet may also close the connection before it has read the whole body.
                    match tester.client.post(call.path(), body.as_bytes()) {
                        Ok(reply) if ![400, 413].contains(&reply.status) => {
                            return Err(format!("{call} was to be 400 or 413, and is {}", reply.shown()).into());
                        }
                        _ => continue,
                    }
                }
                let reply = tester.send(|| tester.client.post(call.path(), body.as_bytes()))?;
                if reply.status != 400 {
                    return Err(format!("{call} was to be 400, and is {}", reply.shown()).into());
                }
            }
            tester.absent(&numbers)?;
            tester.money()?;
            Ok("refused, and nothing is stored".to_owned())
        })
    };
    WRONG.into_iter().map(check).collect()
}
