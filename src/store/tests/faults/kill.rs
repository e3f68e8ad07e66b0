//! A process that ends without warning, and one that ends normally.

use std::time::Duration;

use crate::child::{self, Running};
use crate::{model, samples, seed};

#[test]
fn a_clean_close_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let wrote = child::run("create", dir.path(), 60);
    assert_eq!(wrote.line("ERROR"), None);
    assert!(wrote.acknowledged() > 60);
    let checked = child::run("check", dir.path(), 0);
    assert_eq!(checked.same(), Some(wrote.acknowledged()), "{checked:?}");
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let seed = seed();
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..samples(6, 60) {
        let role = if round == 0 { "create" } else { "write" };
        let mut writer = Running::start(child::command(role, dir.path(), u64::MAX));
        assert!(writer.wait_for("ACK", Duration::from_secs(30)), "{:?}", writer.said);
        std::thread::sleep(Duration::from_micros(model::mix(seed ^ round) % 300_000));
        let wrote = writer.kill();
        assert!(wrote.acknowledged() > acknowledged, "round {round}");
        acknowledged = wrote.acknowledged();
        let checked = child::run("check", dir.path(), 0);
        let size = checked.same().unwrap_or_else(|| panic!("round {round}: {checked:?}"));
        assert!(size >= acknowledged, "round {round}: {size} of {acknowledged}");
        println!("round {round}: {acknowledged} acknowledged, {size} found, {} sealed", checked.sealed());
    }
    // Some kills came in the middle of sealing, too.
    assert!(child::run("check", dir.path(), 0).sealed() > 0);
}

/// sled rewrites its snapshot when it opens: a process killed there left half a snapshot file, which stock sled took
/// for the newest and refused to open.
#[test]
fn a_kill_while_opening_loses_nothing() {
    let seed = seed();
    let dir = tempfile::tempdir().unwrap();
    let acknowledged = child::run("create", dir.path(), 200).acknowledged();
    for round in 0..samples(6, 60) {
        let opener = Running::start(child::command("check", dir.path(), 0));
        std::thread::sleep(Duration::from_micros(model::mix(seed ^ round) % 60_000));
        opener.kill();
        // The killed child's lock is gone with it; the folder it left must open.
        let checked = child::run("check", dir.path(), 0);
        assert_eq!(checked.same(), Some(acknowledged), "round {round}: {checked:?}");
    }
}

#[test]
fn without_the_filter_no_store_is_made_or_opened() {
    let dir = tempfile::tempdir().unwrap();
    let refused = child::run("unfiltered", dir.path(), 0);
    let errors: Vec<_> = refused.said.iter().filter(|line| line.starts_with("ERROR NoTrueSync")).collect();
    assert_eq!(errors.len(), 2, "{refused:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
