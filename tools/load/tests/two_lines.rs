//! A reply in two lines.

use fairshoe_api::ErrorCode;
use fairshoe_load::client::{Reply, Request};
use fairshoe_load::link::{in_two_lines, problem};

#[test]
fn the_note_comes_first_and_the_reply_last() {
    let request = Request::get("/");
    let read = |status: u16, text: &'static str| {
        in_two_lines(&request, Reply { status, retry_after: None, body: text.into() })
    };
    let received = r#"{"received":"note"}"#;
    let decided = r#"{"status":409,"reply":{"code":"reveals_over"}}"#;
    let (note, reply) =
        read(200, "{\"received\":\"note\"}\n{\"status\":409,\"reply\":{\"code\":\"reveals_over\"}}\n").unwrap();
    assert_eq!((note.as_deref(), reply.status, problem(&reply).code), (Some("note"), 409, ErrorCode::RevealsOver));
    assert_eq!(read(200, r#"{"status":200,"reply":{}}"#).unwrap().0, None);
    assert_eq!(read(429, "{}").unwrap().1.status, 429);
    for wrong in [
        received.to_owned(),
        format!("{decided}\n{received}"),
        format!("{received}\n{received}\n{decided}"),
        "x".into(),
    ] {
        let reply = Reply { status: 200, retry_after: None, body: wrong.clone().into() };
        assert!(in_two_lines(&request, reply).is_err(), "{wrong}");
    }
}
