//! A map and an ordered set that are copied by reference: a copy costs some pointers however much they hold, and a
//! change after it copies the piece that changes, once. So the state can be copied while the house goes on, and written
//! down from the copy.
//!
//! Which piece something is in depends on its key alone, and what is written out is in the order of the keys: two
//! states that hold the same are written alike.

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

/// Pieces of a map. With 100,000 players a piece has 400, which are copied in microseconds.
const SHARDS: usize = 256;

/// A map in pieces; see the module.
#[derive(Clone, Debug)]
pub struct Sharded<K, V> {
    /// None before the first entry.
    shards: Vec<Arc<HashMap<K, V>>>,
}

impl<K, V> Default for Sharded<K, V> {
    fn default() -> Self {
        Sharded { shards: Vec::new() }
    }
}

/// FNV-1a. It says which piece a key is in and nothing more: whoever finds many names of one piece makes copies of it
/// slower, and finds nothing slower, since the pieces are hashed by secrets of their own.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn shard_of<Q: Hash + ?Sized>(key: &Q) -> usize {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    key.hash(&mut hash);
    // The high bits depend on every byte, the low ones less.
    usize::try_from(hash.finish() >> 48).unwrap_or_default() % SHARDS
}

impl<K: Eq + Hash, V> Sharded<K, V> {
    /// The value under a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.shards.get(shard_of(key))?.get(key)
    }

    /// Whether something stands under a key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Everything, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// All values, in no order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.shards.iter().flat_map(|shard| shard.values())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.is_empty())
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Sharded<K, V> {
    /// The piece of a key, this map's own from now on.
    fn own(&mut self, key: &K) -> Option<&mut HashMap<K, V>> {
        self.shards.get_mut(shard_of(key)).map(Arc::make_mut)
    }

    /// The same, to put something in.
    fn own_or_new(&mut self) -> &mut Vec<Arc<HashMap<K, V>>> {
        if self.shards.is_empty() {
            self.shards = vec![Arc::default(); SHARDS];
        }
        &mut self.shards
    }

    /// The value under a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        // A missing key is no reason to copy.
        if self.contains_key(key) { self.own(key)?.get_mut(key) } else { None }
    }

    /// Puts something under a key; what stood there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.own_or_new();
        self.own(&key)?.insert(key, value)
    }

    /// The value under a key. If there is none, puts this one there.
    pub fn or_insert(&mut self, key: &K, value: V) -> &mut V {
        Arc::make_mut(&mut self.own_or_new()[shard_of(key)]).entry(key.clone()).or_insert(value)
    }

    /// Takes away what stands under a key.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        if self.contains_key(key) { self.own(key)?.remove(key) } else { None }
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.shards.iter_mut().filter(|shard| !shard.is_empty()).flat_map(|shard| Arc::make_mut(shard).values_mut())
    }

    /// Takes away all that is not to stay.
    pub fn retain(&mut self, stays: impl Fn(&K, &V) -> bool) {
        for shard in &mut self.shards {
            if !shard.iter().all(|(key, value)| stays(key, value)) {
                Arc::make_mut(shard).retain(|key, value| stays(key, value));
            }
        }
    }
}

impl<K: Eq + Hash + Clone, V: Clone> FromIterator<(K, V)> for Sharded<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Self {
        let mut map = Sharded::default();
        all.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

impl<K: Serialize + Ord + Eq + Hash, V: Serialize> Serialize for Sharded<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        serializer.collect_map(all)
    }
}

impl<'de, K: Deserialize<'de> + Eq + Hash + Clone, V: Deserialize<'de> + Clone> Deserialize<'de> for Sharded<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de> + Eq + Hash + Clone, V: Deserialize<'de> + Clone> Visitor<'de> for All<K, V> {
            type Value = Sharded<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Sharded::default();
                while let Some((key, value)) = map.next_entry()? {
                    all.insert(key, value);
                }
                Ok(all)
            }
        }

        deserializer.deserialize_map(All(PhantomData))
    }
}

/// Elements in a piece of a set, at most.
const PIECE: usize = 128;

/// An ordered set in pieces; see the module.
#[derive(Clone, Debug)]
pub struct Ordered<T> {
    /// In order, as are the elements of each; none is empty.
    pieces: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { pieces: Vec::new() }
    }
}

impl<T: Ord> Ordered<T> {
    /// The least.
    pub fn first(&self) -> Option<&T> {
        self.pieces.first()?.first()
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// The piece that an element is in if it is in any.
    fn place(&self, element: &T) -> usize {
        self.pieces.partition_point(|piece| piece.first().is_some_and(|first| first <= element)).saturating_sub(1)
    }
}

impl<T: Ord + Clone> Ordered<T> {
    /// Puts an element in.
    pub fn insert(&mut self, element: T) {
        let place = self.place(&element);
        let Some(piece) = self.pieces.get_mut(place) else { return self.pieces.push(Arc::new(vec![element])) };
        let Err(at) = piece.binary_search(&element) else { return };
        let piece = Arc::make_mut(piece);
        piece.insert(at, element);
        if piece.len() > PIECE {
            let rest = piece.split_off(PIECE / 2);
            self.pieces.insert(place + 1, Arc::new(rest));
        }
    }

    /// Takes an element out, if it is there.
    pub fn remove(&mut self, element: &T) {
        let place = self.place(element);
        let Some(piece) = self.pieces.get_mut(place) else { return };
        let Ok(at) = piece.binary_search(element) else { return };
        let piece = Arc::make_mut(piece);
        piece.remove(at);
        if piece.is_empty() {
            self.pieces.remove(place);
        }
    }
}

impl<T: Ord + Clone> Extend<T> for Ordered<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.insert(element));
    }
}

impl<T: Serialize + Ord> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Deserialize<'de> + Ord + Clone> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de> + Ord + Clone> Visitor<'de> for All<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut all = Ordered::default();
                while let Some(element) = list.next_element()? {
                    all.insert(element);
                }
                Ok(all)
            }
        }

        deserializer.deserialize_seq(All(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Numbers by chance, the same each time.
    fn dice(count: u64, below: u64) -> impl Iterator<Item = u64> {
        (0..count).map(move |n| (n.wrapping_mul(0xd134_2543_de82_ef95) ^ (n << 7)).rotate_left(23) % below)
    }

    #[test]
    fn a_map_does_what_a_map_does_and_a_copy_stays_as_it_was() {
        let (mut map, mut model) = (Sharded::<String, u64>::default(), BTreeMap::new());
        let mut copies = Vec::new();
        for (step, number) in dice(20_000, 900).enumerate() {
            let key = format!("p{number}");
            match step % 5 {
                0 => assert_eq!(map.remove(&key), model.remove(&key)),
                1 => {
                    assert_eq!(map.get_mut(&key).map(|value| *value += 1), model.get_mut(&key).map(|value| *value += 1))
                }
                2 => *map.or_insert(&key, 7) += 1,
                _ => assert_eq!(map.insert(key.clone(), number), model.insert(key.clone(), number)),
            }
            if step % 5 == 2 {
                *model.entry(key.clone()).or_insert(7) += 1;
            }
            assert_eq!(map.get(&key), model.get(&key));
            if step % 2_000 == 1_000 {
                copies.push((map.clone(), model.clone()));
            }
        }
        map.retain(|_, value| value % 2 == 0);
        model.retain(|_, value| *value % 2 == 0);
        map.values_mut().for_each(|value| *value += 1);
        model.values_mut().for_each(|value| *value += 1);
        copies.push((map, model));
        for (map, model) in copies {
            assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
            assert_eq!(map.iter().collect::<BTreeMap<_, _>>(), model.iter().collect());
            assert_eq!(map.values().sum::<u64>(), model.values().sum::<u64>());
            // Written in the order of its keys, as the model is.
            let text = serde_json::to_string(&map).unwrap();
            assert_eq!(text, serde_json::to_string(&model).unwrap());
            let back: Sharded<String, u64> = serde_json::from_str(&text).unwrap();
            assert_eq!(back.iter().collect::<BTreeMap<_, _>>(), model.iter().collect());
        }
    }

    #[test]
    fn a_change_after_a_copy_copies_one_piece() {
        let mut map: Sharded<String, u64> = (0..10_000).map(|number| (format!("p{number}"), number)).collect();
        let copy = map.clone();
        let shared =
            |map: &Sharded<String, u64>| map.shards.iter().zip(&copy.shards).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(map.remove(&"nobody".to_owned()), None);
        assert_eq!(map.get_mut(&"nobody".to_owned()), None);
        map.retain(|_, _| true);
        assert_eq!(shared(&map), SHARDS, "nothing changed");
        map.insert("p7".to_owned(), 1);
        *map.or_insert(&"p7".to_owned(), 0) += 1;
        assert_eq!(shared(&map), SHARDS - 1);
        assert_eq!((map.get(&"p7".to_owned()), copy.get(&"p7".to_owned())), (Some(&2), Some(&7)));

        let mut set = Ordered::default();
        set.extend(0..10_000u64);
        let copy = set.clone();
        set.remove(&5_000);
        let shared = set.pieces.iter().zip(&copy.pieces).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, copy.pieces.len() - 1);
    }

    #[test]
    fn names_are_spread_over_all_pieces() {
        for kind in ["player-", "t", "joy-own-"] {
            let map: Sharded<String, ()> = (0..10 * SHARDS).map(|number| (format!("{kind}{number}"), ())).collect();
            let longest = map.shards.iter().map(|shard| shard.len()).max();
            assert!(longest.is_some_and(|longest| longest < 40), "{kind}: {longest:?} of {} are in one", 10 * SHARDS);
        }
    }

    #[test]
    fn a_set_does_what_a_set_does_and_a_copy_stays_as_it_was() {
        let (mut set, mut model) = (Ordered::<(u64, u64)>::default(), BTreeSet::new());
        let mut copies = Vec::new();
        for (step, number) in dice(40_000, 3_000).enumerate() {
            let element = (number / 7, number);
            // It grows first, and is nearly emptied then.
            if (step / 10_000 + step) % 4 == 0 || step > 30_000 && step % 3 > 0 {
                set.remove(&element);
                model.remove(&element);
            } else {
                set.insert(element);
                model.insert(element);
            }
            assert_eq!(set.first(), model.first());
            if step % 5_000 == 4_999 {
                copies.push((set.clone(), model.clone()));
            }
        }
        for (set, model) in copies {
            assert!(set.iter().eq(&model));
            assert!(set.pieces.iter().all(|piece| (1..=PIECE).contains(&piece.len())));
            let text = serde_json::to_string(&set).unwrap();
            assert_eq!(text, serde_json::to_string(&model).unwrap());
            let back: Ordered<(u64, u64)> = serde_json::from_str(&text).unwrap();
            assert!(back.iter().eq(&model));
        }
    }
}
