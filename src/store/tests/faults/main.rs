//! The store under kills, power cuts, full disks and damaged bytes. `FAIRSHOE_SLOW=1` runs many more of each.
//! Tests that need root or a tool that is missing print `skipped: …` (see them with `--nocapture`).
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod child;
mod damage;
mod disk_full;
mod kill;
mod loop_disk;
mod model;
mod power_cut;
mod sync;

/// `few` by default, `many` in the slow part of the suite.
fn samples(few: u64, many: u64) -> u64 {
    if std::env::var_os("FAIRSHOE_SLOW").is_some_and(|value| value == "1") { many } else { few }
}

/// A seed for this run, printed so that a failure can be repeated with `FAIRSHOE_SEED`.
fn seed() -> u64 {
    let seed = std::env::var("FAIRSHOE_SEED").map_or_else(
        |_| {
            let now = std::time::SystemTime::now();
            now.duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos().into()
        },
        |text| text.parse().unwrap(),
    );
    println!("FAIRSHOE_SEED={seed}");
    seed
}
