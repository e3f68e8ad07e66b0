//! The system calls between a request and its reply: a true sync of the store's data and of the anchor.

use crate::faults;

use fairshoe_tests::{Client, Json, binary};
use faults::process::Process;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

#[test]
fn between_each_request_and_its_reply_lie_a_sync_of_the_store_and_one_of_the_anchor() {
    if Command::new("strace").args(["-e", "trace=none", "true"]).output().map_or(true, |out| !out.status.success()) {
        return println!("skipped: no strace that may trace here");
    }
    let folder = tempfile::tempdir().unwrap();
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-yy", "-s", "160", "-o"]).arg(trace.path());
    command
        .args(["-e", "trace=fsync,fdatasync,sync_file_range,write,writev,sendto,sendmsg,recvfrom,recvmsg,read,readv"]);
    command
        .arg(binary("fairshoe"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--data"])
        .arg(folder.path());
    let mut traced = Process::spawn(command);
    let url = traced.url(Duration::from_secs(60)).unwrap_or_else(|| panic!("{}", traced.said()));
    let token = std::fs::read_to_string(folder.path().join("operator.token")).unwrap();
    let asked = ask_one_after_another(&Client::new(&url, Some(token.trim())), &url);

    // strace does not forward signals; the service is its only child.
    let service = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", traced.pid())).unwrap();
    assert!(Command::new("kill").args(["-TERM", service.trim()]).status().unwrap().success());
    let ended = traced.end(Duration::from_secs(30));
    assert_eq!(ended.code, Some(0), "{}", ended.said);

    let calls = calls(&std::fs::read_to_string(trace.path()).unwrap());
    let (mut answered, mut ranges) = (0, 0);
    let mut arrived: Option<(usize, String)> = None;
    for (at, call) in calls.iter().enumerate() {
        match call.name.as_str() {
            "sync_file_range" => {
                ranges += 1;
                assert!(call.result.starts_with("-1 ENOSYS"), "a sync that is none: {call:?}");
            }
            "recvfrom" | "recvmsg" | "read" | "readv" if call.args.contains("\"POST /v1/") => {
                assert!(arrived.is_none(), "the requests come one after another");
                arrived = Some((at, call.args.clone()));
            }
            "sendto" | "sendmsg" | "write" | "writev" if call.args.contains("\"HTTP/1.1 20") => {
                // Replies to GET have no request in this list.
                let Some((since, request)) = arrived.take() else { continue };
                let between = &calls[since..at];
                let begun = calls[since].end;
                let synced = |name: &str, file: &str| {
                    between.iter().any(|c| {
                        c.name == name
                            && c.result == "0"
                            && c.args.contains(file)
                            && c.begin > begun
                            && c.end < call.begin
                    })
                };
                assert!(
                    synced("fsync", "/log/db>") || synced("fdatasync", "/log/db>"),
                    "no sync of the store: {request}"
                );
                assert!(
                    synced("fdatasync", "/anchor>") || synced("fsync", "/anchor>"),
                    "no sync of the anchor: {request}"
                );
                answered += 1;
            }
            _ => {}
        }
    }
    assert_eq!(answered, asked, "the trace shows every request and its reply");
    assert!(ranges >= asked, "sled still tries the call that the filter is for");
    println!(
        "{answered} requests, each with a sync of the store and of the anchor before its reply; {ranges} sync_file_range refused"
    );
}

/// A player, chips, three rounds, an own table. Each request comes after the reply to the one before, and after the
/// house has committed the next shoe, so that another sync cannot pass for the request's own.
fn ask_one_after_another(operator: &Client, url: &str) -> usize {
    let pause = || std::thread::sleep(Duration::from_millis(150));
    let mut asked = 0;
    let mut count = |reply: Value| {
        asked += 1;
        pause();
        reply
    };
    pause();
    let made = count(operator.post("/v1/players", &json!({ "player": "alice" })).expect_status(201));
    let credit =
        operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1000 }), &[("idempotency-key", "one")]);
    count(credit.expect_status(200));
    let token = made["token"].text();
    let client = Client::new(url, Some(&token));
    let alice = fairshoe_tests::Player { name: faults::load::player_id("alice"), client, token };
    count(alice.client.post("/v1/tables", &json!({ "rules": "joy" })).expect_status(201));
    for _ in 0..3 {
        let placed = alice.bet("joy-1", 5);
        count(placed.reply.clone());
        let mut reply = count(alice.reveal(&placed));
        while let Some(decision) = reply["round"]["decisions"].get(0) {
            let insurance = decision["options"][0]["action"] == "insurance";
            let action = if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
            reply = count(alice.act(&reply["round"].clone(), action));
        }
    }
    let withdrawn =
        operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 1 }), &[("idempotency-key", "two")]);
    count(withdrawn.expect_status(200));
    asked
}

/// A call, with the trace lines of its start and return.
#[derive(Debug)]
struct Call {
    name: String,
    args: String,
    result: String,
    begin: usize,
    end: usize,
}

/// The calls of a trace in the order in which they returned.
fn calls(trace: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, (usize, String)> = HashMap::new();
    let mut calls = Vec::new();
    for (line_no, line) in trace.lines().enumerate() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim();
        if let Some(start) = call.strip_suffix("<unfinished ...>") {
            begun.insert(thread, (line_no, start.to_owned()));
            continue;
        }
        let (begin, call) = match call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, rest)) => {
                let (begin, start) = begun.remove(thread).unwrap_or((line_no, String::new()));
                (begin, format!("{start}{rest}"))
            }
            None => (line_no, call.to_owned()),
        };
        let (Some((name, args)), Some((_, result))) = (call.split_once('('), call.rsplit_once(" = ")) else { continue };
        let (name, args, result) = (name.to_owned(), args.to_owned(), result.trim().to_owned());
        calls.push(Call { name, args, result, begin, end: line_no });
    }
    calls
}
