//! Power cuts under a running service: `EXT4_IOC_SHUTDOWN` on its own disk, which differs much from a kill.

use crate::faults;

use fairshoe_tests::Service;
use faults::load::Casino;
use faults::loop_disk::LoopDisk;
use faults::process::Process;
use faults::{Dice, samples};
use std::time::Duration;

const DISK: u64 = 512 << 20;
const FEW_SPARE: &[&str] = &["--min-free-mib", "40"];

fn disk() -> Option<LoopDisk> {
    LoopDisk::new(DISK).inspect_err(|why| println!("skipped: {why}")).ok()
}

/// All play; the power fails after `pause`; the machine comes back, and every acknowledged entry must be there.
fn cut_under_load(disk: &mut LoopDisk, service: Service, casino: &mut Casino, pause: Duration) -> Service {
    let url = service.url.clone();
    casino.play_while(&url, || {
        std::thread::sleep(pause);
        disk.cut_power().unwrap();
        // Processes that run on after the cut acknowledge nothing: their writes do not reach the disk.
        std::thread::sleep(Duration::from_millis(20));
        service.kill();
    });
    disk.unmount().unwrap();
    disk.mount().unwrap();
    let service = Service::start(&disk.path().join("data"), FEW_SPARE);
    casino.check(&service);
    service
}

#[test]
fn an_established_service_keeps_every_acknowledged_entry_through_power_cuts() {
    let mut dice = Dice::new();
    let Some(mut disk) = disk() else { return };
    let data = disk.path().join("data");
    let service = Service::start(&data, FEW_SPARE);
    let mut casino = Casino::open(&service, 4, &mut dice);
    assert_eq!(service.stop(), Some(0));
    let mut service = Service::start(&data, FEW_SPARE);
    let cuts = samples(1, 12);
    for cut in 0..cuts {
        let acks = casino.acks();
        let pause = dice.pause(1500);
        service = cut_under_load(&mut disk, service, &mut casino, pause);
        println!("cut {cut} after {pause:?}: {} acknowledged entries kept", casino.acks() - acks);
    }
    println!("{cuts} cuts: {}", casino.summary());
    casino.judge(service);
}

#[test]
fn a_new_service_keeps_every_acknowledged_entry_through_a_power_cut() {
    let mut dice = Dice::new();
    for cut in 0..samples(1, 12) {
        let Some(mut disk) = disk() else { return };
        let service = Service::start(&disk.path().join("data"), FEW_SPARE);
        let mut casino = Casino::open(&service, 2, &mut dice);
        let pause = dice.pause(400);
        let service = cut_under_load(&mut disk, service, &mut casino, pause);
        println!("new service, cut {cut} after {pause:?}: {}", casino.summary());
        casino.judge(service);
    }
}

/// The first entries that a new service acknowledges: the first start's mark must not come back after the cut, or the
/// next start would clear the folder.
#[test]
fn the_first_acknowledged_entry_survives_a_power_cut() {
    for _ in 0..samples(1, 10) {
        let Some(mut disk) = disk() else { return };
        let data = disk.path().join("data");
        let service = Service::start(&data, FEW_SPARE);
        let token = service.operator_token();
        let _player = service.player("first", 0);
        disk.cut_power().unwrap();
        service.kill();
        disk.unmount().unwrap();
        disk.mount().unwrap();
        assert!(!data.join("first-start").exists(), "the first start was over");
        let service = Service::start(&data, FEW_SPARE);
        assert_eq!(service.operator_token(), token, "the folder was begun anew");
        service.operator().get("/v1/players/first").expect_status(200);
    }
}

/// A cut while the very first start makes the folder: no entry was acknowledged, and the next start works.
#[test]
fn a_first_start_that_a_power_cut_ends_is_begun_again() {
    let mut dice = Dice::new();
    for _ in 0..samples(1, 12) {
        let Some(mut disk) = disk() else { return };
        let data = disk.path().join("data");
        let first = Process::serve(&data, FEW_SPARE);
        std::thread::sleep(dice.pause(150));
        disk.cut_power().unwrap();
        first.kill();
        disk.unmount().unwrap();
        disk.mount().unwrap();
        let service = Service::start(&data, FEW_SPARE);
        let player = service.player("after", 100);
        player.play("joy-1", 10);
        assert_eq!(service.stop(), Some(0));
    }
}
