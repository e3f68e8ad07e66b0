//! Entries that were decided, as appends that the store takes.

use fairshoe_store::{MAX_APPEND_ENTRIES, MAX_META_WRITES};

/// Splits a batch so that each part is within the bounds of an append. `cost` says an entry's bytes with its metadata's,
/// and how many writes of metadata it has. *Attack: hundreds of players revoke sixteen tokens each at once; the store
/// refused the append that had all of it, and the process ended.*
pub fn split<T>(batch: Vec<T>, most_bytes: usize, cost: impl Fn(&T) -> (usize, usize)) -> Vec<Vec<T>> {
    let mut parts: Vec<Vec<T>> = Vec::new();
    let (mut bytes, mut writes) = (0, 0);
    for one in batch {
        let (of_bytes, of_writes) = cost(&one);
        (bytes, writes) = (bytes + of_bytes, writes + of_writes);
        match parts.last_mut() {
            Some(part) if part.len() < MAX_APPEND_ENTRIES && bytes <= most_bytes && writes <= MAX_META_WRITES => {
                part.push(one);
            }
            _ => {
                (bytes, writes) = (of_bytes, of_writes);
                parts.push(vec![one]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_append_is_within_the_stores_bounds() {
        let most_bytes = 10_000;
        for cost in [(1, 0), (300, 1), (9_999, 0), (10, 17), (10, MAX_META_WRITES), (2, 16)] {
            let batch: Vec<usize> = (0..1_000).collect();
            let parts = split(batch.clone(), most_bytes, |_| cost);
            for part in &parts {
                let (bytes, writes) = (part.len() * cost.0, part.len() * cost.1);
                assert!(
                    part.len() <= MAX_APPEND_ENTRIES && bytes <= most_bytes && writes <= MAX_META_WRITES,
                    "{cost:?}"
                );
            }
            let fullest = parts.iter().map(Vec::len).max();
            let fits =
                MAX_APPEND_ENTRIES.min(most_bytes / cost.0).min(MAX_META_WRITES.checked_div(cost.1).unwrap_or(1_000));
            assert_eq!(fullest, Some(fits), "{cost:?}");
            assert_eq!(parts.concat(), batch, "in their order");
        }
    }
}
