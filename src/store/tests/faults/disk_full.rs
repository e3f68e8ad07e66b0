//! Full disks: a clear error in good time, and all acknowledged entries still there.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::child::{self, Ended, Running};
use crate::loop_disk::{LoopDisk, MemoryDisk};

fn fill(dir: &Path, role: &str) -> Ended {
    let ended = Running::start(child::command(role, dir, u64::MAX)).finish(Duration::from_secs(300));
    require_disk_full(&ended);
    ended
}

fn require_disk_full(ended: &Ended) {
    assert!(ended.status.is_some_and(|status| status.success()), "{:?}", ended.status);
    let error = ended.line("ERROR ").unwrap_or_default();
    assert!(error.starts_with("DiskFull"), "{error}");
}

#[test]
fn a_full_disk_is_refused_and_works_again_with_space() {
    let mut disk = match LoopDisk::new(112 << 20) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![1; 24 << 20]).unwrap();
    let dir = disk.path().join("data");
    let acknowledged = fill(&dir, "create").acknowledged();
    assert!(acknowledged > 0);
    // Still full. Opening needs a little less room than an append: in both cases no entry is lost and the store is not
    // half opened.
    let checked = child::run("check", &dir, 0);
    if checked.same() != Some(acknowledged) {
        require_disk_full(&checked);
    }
    disk.unmount().unwrap();
    disk.mount().unwrap();
    std::fs::remove_file(&filler).unwrap();
    let checked = child::run("check", &dir, 0);
    assert_eq!(checked.same(), Some(acknowledged), "{checked:?}");
    assert!(child::run("write", &dir, 5).acknowledged() > acknowledged);
}

#[test]
fn a_full_memory_disk_is_refused_and_works_again_when_grown() {
    let dir = tempfile::tempdir().unwrap();
    let disk = match MemoryDisk::over(dir.path(), 64 << 20) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let acknowledged = fill(dir.path(), "create").acknowledged();
    disk.grow(256 << 20).unwrap();
    let checked = child::run("check", dir.path(), 0);
    assert_eq!(checked.same(), Some(acknowledged), "{checked:?}");
}

/// The free-space check cannot see a quota or another program's sudden file: here sled's own write fails in the middle,
/// for lack of room. It ends in an error; or, if sled waits for ever on the failed write, the process ends. No entry is
/// lost.
#[test]
fn a_write_that_fails_under_sled_is_an_error_and_loses_nothing() {
    let shell = Command::new("sh").args(["-c", "trap '' XFSZ; ulimit -f 1000"]).status();
    if !shell.is_ok_and(|status| status.success()) {
        return println!("skipped: no shell that limits file sizes");
    }
    let dir = tempfile::tempdir().unwrap();
    child::run("create", dir.path(), 3);
    // In units of 512 or 1,024 bytes, depending on the shell; several sizes, to fail at several places.
    for limit in [3000, 20_000, 20_017, 40_000] {
        let child = child::command("write", dir.path(), u64::MAX);
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"")]);
        limited.arg(child.get_program()).args(child.get_args());
        limited.envs(child.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let wrote = Running::start(limited).finish(Duration::from_secs(120));
        if wrote.stalled() {
            println!("{limit}: sled waited, and the process ended");
        } else {
            require_disk_full(&wrote);
        }
        let checked = child::run("check", dir.path(), 0);
        let size = checked.same().unwrap_or_else(|| panic!("{limit}: {checked:?}"));
        assert!(size >= wrote.acknowledged() && size > 0, "{limit}: {size} of {}", wrote.acknowledged());
    }
}

/// A disk that does not answer: the process says so and ends, and acknowledges no more entries.
#[test]
fn a_write_that_never_ends_ends_the_process_and_loses_nothing() {
    let disk = match LoopDisk::new(256 << 20) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let dir = disk.path().join("data");
    child::run("create", &dir, 3);
    let mut writer = Running::start(child::command("write", &dir, u64::MAX));
    assert!(writer.wait_for("ACK ", Duration::from_secs(30)));
    let frozen = match disk.freeze() {
        Ok(frozen) => frozen,
        Err(why) => return println!("skipped: {why}"),
    };
    assert!(writer.wait_for("STALLED ", child::PATIENCE * 3), "nobody is told");
    // The system releases the process once the disk answers.
    drop(frozen);
    let wrote = writer.finish(Duration::from_secs(30));
    assert!(wrote.stalled(), "{wrote:?}");
    let told = wrote.said.iter().position(|line| line.starts_with("STALLED ")).unwrap();
    assert!(!wrote.said[told..].iter().any(|line| line.starts_with("ACK ")), "{:?}", wrote.said);
    let checked = child::run("check", &dir, 0);
    let size = checked.same().unwrap_or_else(|| panic!("{checked:?}"));
    assert!(size >= wrote.acknowledged() && size > 0, "{size} of {}", wrote.acknowledged());
}
