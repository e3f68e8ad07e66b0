//! The stream of a key, and unbiased draws from it.

use std::num::NonZeroU16;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The draw from a word, or `None` if the word must be thrown away (spec/fairness.md, "Draws").
///
/// Words at or above the last whole multiple of `m` below 2^32 would make small results more likely.
pub fn accept_word(word: u32, m: NonZeroU16) -> Option<u16> {
    const WORDS: u64 = 1 << 32;
    let (word, m) = (u64::from(word), u64::from(m.get()));
    if word < WORDS - WORDS % m { u16::try_from(word % m).ok() } else { None }
}

/// The stream of a key: ChaCha20, 64-bit counter from 0, 64-bit nonce 0, as little-endian words
/// (spec/fairness.md, "Stream").
pub struct Stream(ChaCha20Rng);

impl Stream {
    /// The stream of a key, from its start.
    pub fn new(key: [u8; 32]) -> Self {
        Self(ChaCha20Rng::from_seed(key))
    }

    /// The next 32-bit word.
    pub fn next_word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// `below(m)`: a uniform number below `m`, by rejection.
    pub fn below(&mut self, m: NonZeroU16) -> u16 {
        loop {
            if let Some(draw) = accept_word(self.next_word(), m) {
                return draw;
            }
        }
    }

    /// Shuffles by Fisher-Yates, from the last place down; at most 65,535 items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            // Every caller's list is far below the bound of `below`.
            let Some(m) = u16::try_from(last + 1).ok().and_then(NonZeroU16::new) else {
                continue;
            };
            items.swap(last, usize::from(self.below(m)));
        }
    }

    /// The next bytes of the stream; `bytes` is a whole number of words.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key zero, nonce zero: the first block of the original ChaCha20, as published in D. J. Bernstein's submission and
    /// many libraries' tests. It fixes the word order and the counter's start.
    #[test]
    fn is_the_original_chacha20() {
        let mut bytes = [0; 64];
        Stream::new([0; 32]).fill(&mut bytes);
        assert_eq!(
            hex::encode(bytes),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
             da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        );
        assert_eq!(Stream::new([0; 32]).next_word(), 0xade0_b876);
    }

    #[test]
    fn words_past_the_last_whole_multiple_are_refused() {
        let m = |m| NonZeroU16::new(m).unwrap();
        assert_eq!(accept_word(u32::MAX, m(1)), Some(0));
        assert_eq!(accept_word(u32::MAX, m(4096)), Some(4095));
        // 2^32 = 65,535 * 65,537 + 1: exactly one word is refused.
        assert_eq!(accept_word(u32::MAX, m(65_535)), None);
        assert_eq!(accept_word(u32::MAX - 1, m(65_535)), Some(65_534));
        // 2^32 mod 37 = 7.
        assert_eq!(accept_word(0u32.wrapping_sub(7), m(37)), None);
        assert_eq!(accept_word(0u32.wrapping_sub(8), m(37)), Some(36));
    }
}
