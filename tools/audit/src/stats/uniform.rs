//! Cards turned into numbers that any fair deal spreads evenly between 0 and 1, whatever was dealt before.
#![allow(clippy::float_arithmetic)] // shares and chances, never money

use fairshoe_fairness::Card;

const RANKS: usize = 13;
const SUITS: usize = 4;
const FACES: usize = RANKS * SUITS;

/// A stream of numbers between 0 and 1, always the same: it spreads what falls on whole steps evenly over the step, so
/// that tests made for smooth numbers hold exactly. The same log gives the same figures.
#[derive(Clone, Debug)]
pub struct Jitter(u64);

impl Default for Jitter {
    fn default() -> Self {
        Jitter(0x6661_6972_7368_6f65)
    }
}

impl Jitter {
    /// The next number, at least 0 and below 1 (SplitMix64, Steele, Lea and Flood 2014).
    pub fn step(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What is left of a shoe, by face in the order of ranks: all aces, then all twos …
#[derive(Clone, Debug)]
pub struct Left {
    by_face: [u32; FACES],
    by_rank: [u32; RANKS],
    all: u32,
}

/// A card taken out of what was left.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Where it stood among all that were left, sorted by rank, from 0 to 1. In a fair deal every such number is
    /// uniform and independent of all before it, however the players' choices decided that a card was drawn at all.
    pub place: f64,
    /// Its rank, the ace being 0.
    pub rank: usize,
    /// The share of each rank in what was left: the chances that this draw had.
    pub shares: [f64; RANKS],
}

fn face(code: u8) -> Option<(usize, usize)> {
    let card = Card::from_code(code)?;
    let rank = usize::from(card.rank()).checked_sub(1)?;
    Some((rank, rank * SUITS + usize::from(code) / RANKS))
}

impl Left {
    /// Everything in a shoe with these card codes.
    pub fn of(codes: impl IntoIterator<Item = u8>) -> Left {
        let mut left = Left { by_face: [0; FACES], by_rank: [0; RANKS], all: 0 };
        for (rank, face) in codes.into_iter().filter_map(face) {
            left.by_face[face] += 1;
            left.by_rank[rank] += 1;
            left.all += 1;
        }
        left
    }

    /// Takes a card out; nothing if there is none of it left.
    pub fn take(&mut self, code: u8, jitter: &mut Jitter) -> Option<Taken> {
        let (rank, face) = face(code)?;
        let here = self.by_face[face];
        if here == 0 {
            return None;
        }
        let all = f64::from(self.all);
        let below: u32 = self.by_rank[..rank].iter().chain(&self.by_face[rank * SUITS..face]).sum();
        let place = (f64::from(below) + jitter.step() * f64::from(here)) / all;
        let shares = self.by_rank.map(|count| f64::from(count) / all);
        self.by_face[face] -= 1;
        self.by_rank[rank] -= 1;
        self.all -= 1;
        Some(Taken { place, rank, shares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_sorted_rest() {
        let mut jitter = Jitter::default();
        // Ac Ad 2c: the two aces share the lower two thirds, the ace of clubs the lowest third.
        let mut left = Left::of([0, 13, 1]);
        let ad = left.take(13, &mut jitter).unwrap();
        assert!((1.0 / 3.0..2.0 / 3.0).contains(&ad.place) && ad.rank == 0);
        assert!((ad.shares[0] - 2.0 / 3.0).abs() < 1e-12 && (ad.shares[1] - 1.0 / 3.0).abs() < 1e-12);
        let two = left.take(1, &mut jitter).unwrap();
        assert!((0.5..1.0).contains(&two.place) && two.rank == 1);
        assert!(left.take(1, &mut jitter).is_none() && left.take(52, &mut jitter).is_none());
        assert!((0.0..1.0).contains(&left.take(0, &mut jitter).unwrap().place));
        assert!(left.take(0, &mut jitter).is_none());
    }

    #[test]
    fn jitter_is_between_nought_and_one_and_always_the_same() {
        let first: Vec<f64> = (0..1_000).scan(Jitter::default(), |jitter, _| Some(jitter.step())).collect();
        assert!(first.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = first.iter().sum::<f64>() / 1_000.0;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        let mut again = Jitter::default();
        assert!(first.iter().all(|x| *x == again.step()));
    }
}
