//! The epochs of entries, as far as they are known.

use fairshoe_fairness::Epoch;

/// The entries from..=to, all written under one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: u64,
    pub to: u64,
    pub epoch: Epoch,
}

/// The epoch of an entry, if known.
pub fn find(spans: &[Span], index: u64) -> Option<Epoch> {
    spans.iter().find(|span| (span.from..=span.to).contains(&index)).map(|span| span.epoch)
}

/// Adds a span. Spans of one epoch are joined: no other epoch can lie between them.
pub fn note(spans: &mut Vec<Span>, new: Span) {
    match spans.iter_mut().find(|span| span.epoch == new.epoch) {
        Some(span) => (span.from, span.to) = (span.from.min(new.from), span.to.max(new.to)),
        None => spans.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_an_epoch_grow_together() {
        let (one, two) = (Epoch::from_bytes([1; 32]), Epoch::from_bytes([2; 32]));
        let mut spans = Vec::new();
        note(&mut spans, Span { from: 10, to: 10, epoch: one });
        note(&mut spans, Span { from: 20, to: 30, epoch: one });
        note(&mut spans, Span { from: 31, to: 40, epoch: two });
        assert_eq!(
            [9, 10, 15, 30, 31, 40, 41].map(|index| find(&spans, index)),
            [None, Some(one), Some(one), Some(one), Some(two), Some(two), None]
        );
    }
}
