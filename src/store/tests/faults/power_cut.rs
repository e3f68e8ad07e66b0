//! Power cuts. They show failures that a kill cannot: stock sled passes every kill, but lost acknowledged entries at
//! every cut, and a new store opened empty without an error.

use std::time::Duration;

use crate::child::{self, Running};
use crate::loop_disk::LoopDisk;
use crate::{model, samples, seed};

const DISK: u64 = 512 << 20;

fn disk() -> Option<LoopDisk> {
    LoopDisk::new(DISK).inspect_err(|why| println!("skipped: {why}")).ok()
}

/// Runs a writer, cuts the power `delay` after its first acknowledgement, and returns the acknowledged size.
fn cut_under(disk: &mut LoopDisk, role: &str, delay: Duration) -> u64 {
    let dir = disk.path().join("data");
    let mut writer = Running::start(child::command(role, &dir, u64::MAX));
    assert!(writer.wait_for("ACK", Duration::from_secs(60)), "{:?}", writer.said);
    std::thread::sleep(delay);
    disk.cut_power().unwrap();
    let acknowledged = writer.kill().acknowledged();
    disk.unmount().unwrap();
    disk.mount().unwrap();
    acknowledged
}

fn require_all(disk: &LoopDisk, acknowledged: u64, story: &str) {
    let checked = child::run("check", &disk.path().join("data"), 0);
    let size = checked.same().unwrap_or_else(|| panic!("{story}: {checked:?}"));
    assert!(size >= acknowledged, "{story}: {size} of {acknowledged} acknowledged");
    println!("{story}: {acknowledged} acknowledged, {size} found");
}

#[test]
fn a_new_store_keeps_what_it_acknowledged() {
    let seed = seed();
    for cut in 0..samples(1, 12) {
        let Some(mut disk) = disk() else { return };
        let delay = Duration::from_micros(model::mix(seed ^ cut) % 400_000);
        let acknowledged = cut_under(&mut disk, "create", delay);
        require_all(&disk, acknowledged, &format!("new store, cut {cut} after {delay:?}"));
    }
}

#[test]
fn an_established_store_keeps_what_it_acknowledged() {
    let seed = seed();
    let Some(mut disk) = disk() else { return };
    let dir = disk.path().join("data");
    let mut acknowledged = child::run("create", &dir, 500).acknowledged();
    disk.unmount().unwrap();
    disk.mount().unwrap();
    for cut in 0..samples(1, 12) {
        let delay = Duration::from_micros(model::mix(seed ^ cut) % 1_000_000);
        let now = cut_under(&mut disk, "write", delay);
        assert!(now > acknowledged);
        acknowledged = now;
        require_all(&disk, acknowledged, &format!("established store, cut {cut} after {delay:?}"));
    }
    let wrote = child::run("write", &dir, 20);
    assert!(wrote.acknowledged() > acknowledged, "usable after the cuts: {wrote:?}");
    require_all(&disk, wrote.acknowledged(), "established store, written on");
    assert!(child::run("check", &dir, 0).sealed() > 0, "cuts came in the middle of sealing, too");
}

/// A cut while the store is being made: it has acknowledged no entry, so it may be unfinished, but it never passes for
/// more than it is.
#[test]
fn a_store_cut_off_while_it_is_made_is_empty_or_refused() {
    let seed = seed();
    for cut in 0..samples(1, 10) {
        let Some(mut disk) = disk() else { return };
        let dir = disk.path().join("data");
        let maker = Running::start(child::command("create", &dir, 0));
        std::thread::sleep(Duration::from_micros(model::mix(seed ^ cut) % 60_000));
        disk.cut_power().unwrap();
        maker.kill();
        disk.unmount().unwrap();
        disk.mount().unwrap();
        let checked = child::run("check", &dir, 0);
        let refused = ["NotAStore", "Unfinished", "Version", "Missing"];
        let kind = checked.line("ERROR ").and_then(|line| line.split(':').next());
        assert!(checked.same() == Some(0) || kind.is_some_and(|kind| refused.contains(&kind)), "{checked:?}");
    }
}

/// The control: the same cut with plain sled must lose data; otherwise this harness would prove nothing.
#[test]
fn the_harness_sees_stock_sled_lose_data() {
    for _ in 0..3 {
        let Some(mut disk) = disk() else { return };
        let acknowledged = cut_under(&mut disk, "stock-write", Duration::from_millis(300));
        let found = child::run("stock-check", &disk.path().join("data"), 0).same();
        println!("stock sled: {acknowledged} acknowledged, {found:?} found");
        if found.is_none_or(|found| found < acknowledged) {
            return;
        }
    }
    panic!("three power cuts and stock sled lost nothing: the cut is not a cut");
}
