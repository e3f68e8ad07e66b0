//! The system calls of the store: opening first drops the system's memory and reads from the disk, every append ends in
//! an `fsync` of sled's file, every anchor in an `fdatasync`.

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use crate::child::{self, Running};

const APPENDS: u64 = 40;

#[test]
fn what_is_opened_is_on_the_disk_and_every_append_and_anchor_is_synced_before_it_returns() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let data = dir.path().join("data");
    child::run("create", &data, 3);

    let child = child::command("write", &data, APPENDS);
    let mut traced = Command::new("strace");
    traced.args([
        "-f",
        "-y",
        "-s",
        "64",
        "-e",
        "trace=write,fsync,fdatasync,sync_file_range,fadvise64,pread64,read",
        "-o",
    ]);
    traced.arg(&trace).arg(child.get_program()).args(child.get_args());
    traced.envs(child.get_envs().filter_map(|(key, value)| Some((key, value?))));
    if Command::new("strace").args(["-e", "trace=none", "true"]).output().map_or(true, |out| !out.status.success()) {
        return println!("skipped: no strace that may trace here");
    }
    let wrote = Running::start(traced).finish(Duration::from_secs(120));
    assert_eq!(wrote.said.iter().filter(|line| line.starts_with("ACK ")).count() as u64, APPENDS, "{wrote:?}");

    let calls = calls(&std::fs::read_to_string(&trace).unwrap());
    for file in ["/log/db>", "/anchor>"] {
        let of_file = calls.iter().filter(|call| call.args.contains(file) && !call.result.starts_with('-'));
        let mut asked = of_file.map(|call| call.name.as_str());
        // All cached bytes of it go to the disk and out of memory, before a byte is read.
        assert_eq!([asked.next(), asked.next()], [Some("fsync"), Some("fadvise64")], "{file}");
    }
    let mut stage = "";
    let (mut stored, mut anchored, mut both) = (0, 0, 0);
    let (mut db_syncs, mut ranges) = (0, 0);
    for Call { name, args, result } in &calls {
        let synced = result == "0";
        match name.as_str() {
            "sync_file_range" => {
                ranges += 1;
                assert!(result.starts_with("-1 ENOSYS"), "a sync that is none: {result}");
            }
            "fsync" if stage == "BEGIN" && args.contains("/log/db>") && synced => {
                stored += 1;
                db_syncs += 1;
            }
            "fdatasync" if stage == "STORED" && args.contains("/anchor>") && synced => anchored += 1,
            "write" if args.contains("\"BEGIN ") => (stage, stored, anchored) = ("BEGIN", 0, 0),
            "write" if args.contains("\"STORED ") => {
                assert!(stored >= 1, "an append returned without an fsync");
                stage = "STORED";
            }
            "write" if args.contains("\"ACK ") => {
                assert!(anchored >= 1, "an anchor returned without an fdatasync");
                both += 1;
                stage = "";
            }
            _ => {}
        }
    }
    assert_eq!(both, APPENDS, "the trace shows every append");
    assert!(ranges >= APPENDS, "sled still tries the call the filter is for");
    // One sync for each append; a second one only if an append crosses into a new segment.
    assert!(db_syncs <= APPENDS + 2, "{db_syncs} syncs for {APPENDS} appends");
    println!("{APPENDS} appends: {db_syncs} fsync of sled's file");
}

struct Call {
    name: String,
    args: String,
    result: String,
}

/// The calls of a trace in the order in which they returned.
fn calls(trace: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, String> = HashMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim();
        if let Some(start) = call.strip_suffix("<unfinished ...>") {
            begun.insert(thread, start.to_owned());
            continue;
        }
        let call = match call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, rest)) => format!("{}{rest}", begun.remove(thread).unwrap_or_default()),
            None => call.to_owned(),
        };
        let (Some((name, args)), Some((_, result))) = (call.split_once('('), call.rsplit_once(" = ")) else {
            continue;
        };
        calls.push(Call { name: name.to_owned(), args: args.to_owned(), result: result.trim().to_owned() });
    }
    calls
}
