//! The possible ends of the second cards of a split box (`split.rs`).
#![allow(clippy::float_arithmetic)] // expectations

/// One end of a box's second cards: in so many ways, full or not, `done` hands have an unequal second card.
pub struct Pattern {
    pub hands: u32,
    pub done: u32,
    pub ways: f64,
}

/// The number of ways to each end of the second cards.
pub fn patterns(most: u32) -> Vec<Pattern> {
    // By hands in the box: the number of ways in which so many of them are done.
    let mut open = vec![Pattern { hands: 2, done: 0, ways: 1.0 }];
    let mut ends = Vec::new();
    for hands in 2..=most {
        let size = usize::try_from(hands).unwrap_or(0);
        let mut ways = vec![0.0; size + 1];
        for pattern in open.drain(..) {
            if let Some(sum) = usize::try_from(pattern.done).ok().and_then(|done| ways.get_mut(done)) {
                *sum += pattern.ways;
            }
        }
        // A full box is not followed further.
        let mut carried = 0.0;
        for (done, ways) in (0..=hands).zip(ways) {
            let here = if hands == most { ways } else { carried + ways };
            if here == 0.0 {
                continue;
            }
            match hands == most {
                true => ends.push(Pattern { hands, done, ways: here }),
                false if done == hands => ends.push(Pattern { hands, done, ways: here }),
                // The next second card equals the pair, or does not.
                false => {
                    open.push(Pattern { hands: hands + 1, done, ways: here });
                    carried = here;
                }
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a quarter of the second cards equal, independently, the patterns' chances add up to 1.
    #[test]
    fn patterns_are_all_there_is() {
        for most in 2..=10 {
            let equal: f64 = 0.25;
            let chance = |p: &Pattern| p.ways * equal.powi(p.hands as i32 - 2) * (1.0 - equal).powi(p.done as i32);
            let sum: f64 = patterns(most).iter().map(chance).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{most}: {sum}");
        }
    }
}
