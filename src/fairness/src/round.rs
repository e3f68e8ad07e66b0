//! A round: the players' entropy, the public shuffle of the undrawn slots, the spin.

use std::cmp::Ordering;
use std::num::NonZeroU16;

use crate::bytes::{ClientSeed, RoundEntropy, ShoeRoot};
use crate::card::Slot;
use crate::context::TableContext;
use crate::hash::{hash, lp};
use crate::names::PlayerId;
use crate::stream::Stream;

/// The most candidate shoes: two at private tables, one elsewhere.
pub const MAX_CANDIDATES: u8 = 2;

/// Why a round has no entropy (spec/fairness.md, "Round entropy").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundError {
    /// The number of roots is not one or two.
    #[error("{0} candidate roots: 1 or 2 are allowed")]
    Candidates(usize),
    /// There is no contributor, or there are more than 65,535.
    #[error("{0} contributors: 1 to 65535 are allowed")]
    Contributors(usize),
    /// A contributor is named twice.
    #[error("contributor {0} is named twice")]
    Twice(PlayerId),
    /// Contributors are not in ascending bytes.
    #[error("contributor {0} is out of order")]
    NotAscending(PlayerId),
}

/// `E`: the entropy of a round, from the committed roots and every contributor's revealed seed, in
/// ascending player bytes (spec/fairness.md, "Round entropy").
///
/// The caller checks with `seed_commitment` that each seed opens its commitment.
pub fn round_entropy(
    context: &TableContext,
    shoe_no: u64,
    roots: &[ShoeRoot],
    round_no: u64,
    contributors: &[(PlayerId, ClientSeed)],
) -> Result<RoundEntropy, RoundError> {
    let candidates = u8::try_from(roots.len())
        .ok()
        .filter(|k| (1..=MAX_CANDIDATES).contains(k))
        .ok_or(RoundError::Candidates(roots.len()))?;
    let count = u16::try_from(contributors.len())
        .ok()
        .filter(|&count| count > 0)
        .ok_or(RoundError::Contributors(contributors.len()))?;
    for pair in contributors.windows(2) {
        if let [(before, _), (player, _)] = pair {
            match before.cmp(player) {
                Ordering::Less => {}
                Ordering::Equal => return Err(RoundError::Twice(player.clone())),
                Ordering::Greater => return Err(RoundError::NotAscending(player.clone())),
            }
        }
    }
    let mut roots_bytes = Vec::with_capacity(64);
    for root in roots {
        roots_bytes.extend_from_slice(root.as_bytes());
    }
    let mut records = Vec::with_capacity(contributors.len().saturating_mul(48));
    for (player, seed) in contributors {
        records.extend(lp(player.as_str()));
        records.extend_from_slice(seed.as_bytes());
    }
    Ok(RoundEntropy::from_bytes(hash(
        "round",
        &[
            &context.tctx(),
            &shoe_no.to_be_bytes(),
            &[candidates],
            &roots_bytes,
            &round_no.to_be_bytes(),
            &count.to_be_bytes(),
            &records,
        ],
    )))
}

/// The players' shuffle: which candidate is dealt, and the order of the undrawn slots (spec/fairness.md, "Public
/// shuffle"). Anyone can compute it; it reveals no face.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicShuffle {
    /// The candidate to deal, from 0.
    pub pick: u8,
    /// The undrawn slots, permuted.
    pub order: Vec<Slot>,
}

impl PublicShuffle {
    /// Picks among `candidates`, then permutes the undrawn slots. They are a set: order and repetitions in `undrawn` do
    /// not matter.
    pub fn new(entropy: &RoundEntropy, candidates: u8, undrawn: &[Slot]) -> Self {
        let mut stream = Stream::new(*entropy.as_bytes());
        let pick = pick(&mut stream, candidates);
        let mut order = undrawn.to_vec();
        order.sort_unstable();
        order.dedup();
        stream.shuffle(&mut order);
        Self { pick, order }
    }
}

/// `w`: the public offset of a spin of a wheel with so many pockets, below their number (spec/fairness.md, "Wheel").
pub fn spin(entropy: &RoundEntropy, candidates: u8, pockets: u8) -> u8 {
    let mut stream = Stream::new(*entropy.as_bytes());
    pick(&mut stream, candidates);
    below_u8(&mut stream, pockets)
}

/// The pocket of a spin: the slot's value plus the offset, modulo the pockets (spec/fairness.md, "Wheel").
pub fn pocket(value: u8, offset: u8, pockets: u8) -> u8 {
    let moved = (u16::from(value) + u16::from(offset)).checked_rem(u16::from(pockets));
    moved.and_then(|pocket| u8::try_from(pocket).ok()).unwrap_or(0)
}

/// With one candidate no word is taken from the stream.
fn pick(stream: &mut Stream, candidates: u8) -> u8 {
    if candidates > 1 { below_u8(stream, candidates) } else { 0 }
}

fn below_u8(stream: &mut Stream, m: u8) -> u8 {
    let m = NonZeroU16::new(u16::from(m)).unwrap_or(NonZeroU16::MIN);
    // Below a u8's bound, so it fits.
    u8::try_from(stream.below(m)).unwrap_or(0)
}
