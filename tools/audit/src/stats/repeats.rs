//! Values that must never come twice: a second use of a seed or of a shoe would let somebody know the cards.

use serde::Serialize;
use std::collections::HashSet;

/// Most values remembered of a kind: about 20 MB. What comes later is still held against these.
const REMEMBERED: usize = 1 << 20;

/// Values of one kind, known by their first eight bytes: of honest random ones, a billion hold two alike with a chance
/// of 3 %.
#[derive(Default)]
struct ValueCounts {
    prints: HashSet<u64>,
    counted: u64,
    repeated: u64,
}

impl ValueCounts {
    fn note(&mut self, value: &[u8; 32]) {
        let print = value.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        self.counted += 1;
        if self.prints.contains(&print) {
            self.repeated += 1;
        } else if self.prints.len() < REMEMBERED {
            self.prints.insert(print);
        }
    }

    fn count(&self) -> Repeated {
        Repeated { counted: self.counted, remembered: self.prints.len() as u64, repeated: self.repeated }
    }
}

/// How many values of a kind there were, and how many of them had come before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repeated {
    /// All of them.
    pub counted: u64,
    /// Different ones that were kept to compare with.
    pub remembered: u64,
    /// Those that had come before.
    pub repeated: u64,
}

/// What is looked for.
#[derive(Default)]
pub struct Repeats {
    roots: ValueCounts,
    server_seeds: ValueCounts,
    client_seeds: ValueCounts,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepeatCounts {
    /// Committed roots: two alike are one shoe dealt twice.
    pub roots: Repeated,
    /// The house's published seeds.
    pub server_seeds: Repeated,
    /// The players' seeds: a repeated one is a weak program of the player's, or a house that "helped" them.
    pub client_seeds: Repeated,
}

impl Repeats {
    /// A shoe's committed root.
    pub fn root(&mut self, root: &[u8; 32]) {
        self.roots.note(root);
    }

    /// A published seed of the house.
    pub fn server_seed(&mut self, seed: &[u8; 32]) {
        self.server_seeds.note(seed);
    }

    /// A revealed seed of a player.
    pub fn client_seed(&mut self, seed: &[u8; 32]) {
        self.client_seeds.note(seed);
    }

    /// How many values of each kind were seen, and how many of them twice.
    pub fn counts(&self) -> RepeatCounts {
        let Repeats { roots, server_seeds, client_seeds } = self;
        RepeatCounts { roots: roots.count(), server_seeds: server_seeds.count(), client_seeds: client_seeds.count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_use_is_counted_and_its_kind_named() {
        let mut repeats = Repeats::default();
        for seed in [1, 2, 1, 3, 1] {
            repeats.server_seed(&[seed; 32]);
            repeats.root(&[seed.wrapping_mul(7).wrapping_add(repeats.roots.counted as u8); 32]);
        }
        repeats.client_seed(&[1; 32]);
        let counts = repeats.counts();
        assert_eq!(counts.server_seeds, Repeated { counted: 5, remembered: 3, repeated: 2 });
        assert_eq!((counts.roots.counted, counts.client_seeds.repeated), (5, 0));
    }
}
