//! The house's shoe: order, salts and tree, all from one server seed. It is the only type that knows hidden faces, and
//! it prints none.

use std::fmt;
use std::num::NonZeroU16;

use zeroize::Zeroize;

use crate::bytes::{ServerSeed, ShoeRoot};
use crate::card::{Card, Slot};
use crate::composition::Composition;
use crate::merkle::{Tree, leaf_hash};
use crate::opening::Opening;
use crate::stream::Stream;

/// A shoe as the house ordered and committed it (spec/fairness.md, "House order").
///
/// A composition outside its bounds gives a shoe without slots.
pub struct HouseShoe {
    values: Vec<u8>,
    salts: Vec<[u8; 16]>,
    tree: Tree,
    is_wheel: bool,
    value_limit: u8,
}

impl HouseShoe {
    /// Derives order, salts and tree from a server seed. The dealer does so before the commitment, the verifier after
    /// the reveal.
    pub fn derive(seed: &ServerSeed, composition: &Composition) -> Self {
        let values = house_order(seed, composition);
        let salts = salts(seed, composition, values.len());
        let tree = Tree::new(
            (0..composition.len()).zip(&salts).zip(&values).map(|((slot, salt), &value)| leaf_hash(salt, slot, value)),
        );
        Self { values, salts, tree, is_wheel: composition.is_wheel(), value_limit: composition.value_limit() }
    }

    /// `R_k`: the root to commit to.
    pub fn root(&self) -> ShoeRoot {
        ShoeRoot::from_bytes(self.tree.root())
    }

    /// Number of slots.
    pub fn len(&self) -> u16 {
        // Composition bounds it at 4,096.
        u16::try_from(self.values.len()).unwrap_or(0)
    }

    /// Whether the shoe has no slot.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of different values that a slot can hold.
    pub fn value_limit(&self) -> u8 {
        self.value_limit
    }

    /// The value of a slot: a card code or a pocket; `None` past the end.
    pub fn value(&self, slot: Slot) -> Option<u8> {
        self.values.get(slot.index()).copied()
    }

    /// The card of a slot; `None` past the end, and for a wheel.
    pub fn card(&self, slot: Slot) -> Option<Card> {
        if self.is_wheel {
            return None;
        }
        self.value(slot).and_then(Card::from_code)
    }

    /// The opening of a slot; `None` past the end. A caller of this publishes the face.
    pub fn open(&self, slot: Slot) -> Option<Opening> {
        Some(Opening {
            slot,
            value: self.value(slot)?,
            salt: *self.salts.get(slot.index())?,
            path: self.tree.path(slot.index())?,
        })
    }
}

impl fmt::Debug for HouseShoe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HouseShoe({} slots, root {})", self.len(), self.root())
    }
}

impl Drop for HouseShoe {
    fn drop(&mut self) {
        self.values.zeroize();
        self.salts.zeroize();
    }
}

fn house_order(seed: &ServerSeed, composition: &Composition) -> Vec<u8> {
    let pockets = NonZeroU16::new(composition.value_limit().into()).unwrap_or(NonZeroU16::MIN);
    let mut stream = Stream::new(seed.house_key(composition));
    if composition.is_wheel() {
        (0..composition.len()).map(|_| u8::try_from(stream.below(pockets)).unwrap_or(0)).collect()
    } else {
        let mut values = composition.values();
        stream.shuffle(&mut values);
        values
    }
}

fn salts(seed: &ServerSeed, composition: &Composition, slots: usize) -> Vec<[u8; 16]> {
    let mut salts = vec![[0; 16]; slots];
    Stream::new(seed.salt_key(composition)).fill(salts.as_flattened_mut());
    salts
}
