//! The writer's data, as a function of the entry's index alone: the size determines every byte.

use std::collections::BTreeMap;

use fairshoe_store::MetaWrite;

/// A well-mixed number from `seed` (splitmix64).
pub fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn bytes(seed: u64, len: u64) -> Vec<u8> {
    (0..len).map(|at| mix(seed ^ (at << 32)) as u8).collect()
}

pub fn entry(index: u64) -> Vec<u8> {
    let dice = mix(index);
    let len = if dice.is_multiple_of(300) { 40_000 } else { dice % 600 };
    bytes(index, len)
}

/// Entries in the append that begins at `first`.
fn batch_len(first: u64) -> u64 {
    let dice = mix(first ^ 0xba7c);
    if dice.is_multiple_of(100) { 256 } else { 1 + dice % 20 }
}

pub fn batch(first: u64) -> Vec<Vec<u8>> {
    (first..first + batch_len(first)).map(entry).collect()
}

pub fn meta(first: u64) -> Vec<MetaWrite> {
    let dice = mix(first ^ 0x3e7a);
    let key = |n: u64| format!("key-{}", n % 40).into_bytes();
    let len = if dice.is_multiple_of(50) { 30_000 } else { dice % 500 };
    let put = MetaWrite::Put { key: key(dice >> 20), value: bytes(first ^ 0x77, len) };
    let delete = MetaWrite::Delete { key: key(dice >> 40) };
    match dice % 4 {
        0 => vec![],
        1 => vec![put, delete],
        _ => vec![put],
    }
}

pub fn note(size: u64) -> Vec<u8> {
    format!("checkpoint of {size}").into_bytes()
}

/// All metadata of a log of that size; `None` if no append ends there.
pub fn meta_at(size: u64) -> Option<BTreeMap<Vec<u8>, Vec<u8>>> {
    let mut state = BTreeMap::new();
    let mut first = 0;
    while first < size {
        for write in meta(first) {
            match write {
                MetaWrite::Put { key, value } => state.insert(key, value),
                MetaWrite::Delete { key } => state.remove(&key),
            };
        }
        first += batch_len(first);
    }
    (first == size).then_some(state)
}
