//! The bytes of the store: sealed values, records and their pieces (spec/store.md, Layout). Pure.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::bundle::{BUNDLE, Seal};

/// Longest entry, in bytes: its length is stored in two bytes.
pub const MAX_ENTRY: usize = 65_535;
/// The most entries in one append; with more, sled's latency grows and its rate does not.
pub const MAX_APPEND_ENTRIES: usize = 256;
/// Most entry bytes in one append.
pub const MAX_APPEND_BYTES: usize = 4 << 20;
/// Longest metadata key, in bytes; the shortest is one byte.
pub const MAX_META_KEY: usize = 255;
/// Longest metadata value, in bytes.
pub const MAX_META_VALUE: usize = MAX_VALUE - SEAL;
/// Most metadata writes in one append.
pub const MAX_META_WRITES: usize = 4096;
/// Most metadata bytes (keys and values) in one append.
pub const MAX_META_BYTES: usize = 4 << 20;

/// The longest value given to sled. Its leaves hold up to 20 values, and sled would write a leaf above a quarter of a
/// segment to a separate file that it never syncs: 31 values of this length still fit.
pub(crate) const MAX_VALUE: usize = 65_536;

/// Bytes of SHA-256 kept before each value.
const SEAL: usize = 16;
const PIECE: usize = MAX_VALUE - SEAL - 2;
const DOMAIN: &[u8] = b"fairshoe-store/1 value\0";

/// A change of metadata that is written together with the entries that cause it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetaWrite {
    /// Sets `key` to `value`.
    Put {
        /// 1 to [`MAX_META_KEY`] bytes.
        key: Vec<u8>,
        /// Up to [`MAX_META_VALUE`] bytes.
        value: Vec<u8>,
    },
    /// Removes `key`; a missing key is no error.
    Delete {
        /// 1 to [`MAX_META_KEY`] bytes.
        key: Vec<u8>,
    },
}

/// The writes of one append, by key; of several writes to one key the last counts.
pub(crate) type MetaChanges = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

pub(crate) const FORMAT_KEY: &[u8] = &[0];
pub(crate) const META_PREFIX: u8 = 1;
pub(crate) const RECORD_PREFIX: u8 = 2;
pub(crate) const MARK_KEY: &[u8] = &[3];

pub(crate) fn meta_key(key: &[u8]) -> Vec<u8> {
    [&[META_PREFIX], key].concat()
}

pub(crate) fn piece_key(first: u64, piece: u16) -> [u8; 11] {
    let mut key = [RECORD_PREFIX; 11];
    key[1..9].copy_from_slice(&first.to_be_bytes());
    key[9..].copy_from_slice(&piece.to_be_bytes());
    key
}

pub(crate) fn parse_piece_key(key: &[u8]) -> Option<(u64, u16)> {
    let (first, piece) = key.strip_prefix(&[RECORD_PREFIX])?.split_first_chunk::<8>()?;
    Some((u64::from_be_bytes(*first), u16::from_be_bytes(piece.try_into().ok()?)))
}

/// The truncated SHA-256 over key and body. It finds damage; the Merkle tree above finds forgery.
fn seal_of(key: &[u8], body: &[u8]) -> [u8; SEAL] {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update((key.len() as u64).to_be_bytes());
    hash.update(key);
    hash.update(body);
    let mut seal = [0; SEAL];
    seal.copy_from_slice(&hash.finalize()[..SEAL]);
    seal
}

/// `body` with its seal before it, in the form given to sled.
pub(crate) fn seal(key: &[u8], body: &[u8]) -> Vec<u8> {
    [&seal_of(key, body), body].concat()
}

/// The body of a value, if its seal is right.
pub(crate) fn unseal<'a>(key: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let (seal, body) = value.split_first_chunk::<SEAL>()?;
    (seal_of(key, body) == *seal).then_some(body)
}

/// The number of sealed bundles recorded in sled, and the seal of the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub bundles: u64,
    pub seal: Seal,
}

/// The body of the mark's value.
pub(crate) fn encode_mark(mark: &Mark) -> Vec<u8> {
    [&mark.bundles.to_be_bytes()[..], &mark.seal].concat()
}

/// Decodes [`encode_mark`]'s output; `None` for other bytes, and for a mark of zero bundles.
pub(crate) fn decode_mark(body: &[u8]) -> Option<Mark> {
    let (bundles, seal) = body.split_first_chunk::<8>()?;
    let bundles = u64::from_be_bytes(*bundles);
    // This also keeps the number of entries within range.
    bundles.checked_mul(BUNDLE).filter(|entries| *entries > 0)?;
    Some(Mark { bundles, seal: seal.try_into().ok()? })
}

/// One metadata value's part of the metadata sum: its seal as a number. Sums do not depend on order, so each append can
/// carry the sum of all live values.
pub(crate) fn weight(sealed: &[u8]) -> u128 {
    sealed.first_chunk::<SEAL>().map_or(0, |seal| u128::from_be_bytes(*seal))
}

/// One append: its entries, and the metadata written with them.
#[derive(Debug)]
pub(crate) struct Record {
    pub first: u64,
    /// Sum of the weights of all metadata once this append is applied.
    pub meta_sum: u128,
    pub changes: MetaChanges,
    bytes: Vec<u8>,
    /// The place of each entry in `bytes`.
    entries: Vec<(u32, u16)>,
}

impl Record {
    pub fn count(&self) -> u64 {
        self.entries.len() as u64
    }

    pub fn stored_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn entry(&self, index: u64) -> Option<&[u8]> {
        let position = usize::try_from(index.checked_sub(self.first)?).ok()?;
        let (start, len) = self.entries.get(position)?;
        let start = usize::try_from(*start).ok()?;
        self.bytes.get(start..start.checked_add(usize::from(*len))?)
    }

    /// Encodes an append. Bounds were checked before; a broken bound is still an error.
    pub fn encode(
        first: u64,
        entries: &[Vec<u8>],
        changes: &MetaChanges,
        meta_sum: u128,
    ) -> Result<Vec<u8>, StoreError> {
        let mut out = Vec::new();
        out.extend_from_slice(&first.to_be_bytes());
        out.extend_from_slice(&narrow::<u32>("entries in an append", entries.len())?.to_be_bytes());
        out.extend_from_slice(&narrow::<u32>("metadata writes", changes.len())?.to_be_bytes());
        out.extend_from_slice(&meta_sum.to_be_bytes());
        for entry in entries {
            out.extend_from_slice(&narrow::<u16>("bytes in an entry", entry.len())?.to_be_bytes());
            out.extend_from_slice(entry);
        }
        for (key, value) in changes {
            out.push(u8::from(value.is_some()));
            out.push(narrow::<u8>("bytes in a metadata key", key.len())?);
            out.extend_from_slice(key);
            if let Some(value) = value {
                let len = narrow::<u32>("bytes in a metadata value", value.len())?;
                out.extend_from_slice(&len.to_be_bytes());
                out.extend_from_slice(value);
            }
        }
        Ok(out)
    }

    /// Decodes [`Record::encode`]'s output; `None` for other bytes.
    pub fn decode(bytes: Vec<u8>) -> Option<Self> {
        let mut rest = Cursor(&bytes);
        let first = u64::from_be_bytes(rest.array()?);
        let count = u32::from_be_bytes(rest.array()?);
        let writes = u32::from_be_bytes(rest.array()?);
        let meta_sum = u128::from_be_bytes(rest.array()?);
        if count == 0 || count as usize > MAX_APPEND_ENTRIES || writes as usize > MAX_META_WRITES {
            return None;
        }
        first.checked_add(u64::from(count))?;
        let mut entries = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let len = u16::from_be_bytes(rest.array()?);
            let start = u32::try_from(bytes.len() - rest.0.len()).ok()?;
            rest.take(usize::from(len))?;
            entries.push((start, len));
        }
        let mut changes = MetaChanges::new();
        for _ in 0..writes {
            let [put, key_len] = rest.array()?;
            let key = rest.take(usize::from(key_len))?.to_vec();
            let value = match put {
                0 => None,
                1 => {
                    let len = usize::try_from(u32::from_be_bytes(rest.array()?)).ok()?;
                    Some(rest.take(len)?.to_vec())
                }
                _ => return None,
            };
            changes.insert(key, value);
        }
        let whole = rest.0.is_empty() && changes.len() == writes as usize;
        whole.then_some(Self { first, meta_sum, changes, bytes, entries })
    }
}

/// A key and its sealed value, in the form given to sled.
pub(crate) type Piece = ([u8; 11], Vec<u8>);

/// Cuts a record into the values for sled, in order.
pub(crate) fn pieces(first: u64, record: &[u8]) -> Result<Vec<Piece>, StoreError> {
    let total = narrow::<u16>("pieces of an append", record.len().div_ceil(PIECE))?;
    let numbered = (0..total).zip(record.chunks(PIECE));
    Ok(numbered
        .map(|(number, chunk)| {
            let key = piece_key(first, number);
            let value = seal(&key, &[&total.to_be_bytes(), chunk].concat());
            (key, value)
        })
        .collect())
}

/// The number of pieces of its record, and the bytes of this one.
pub(crate) fn open_piece<'a>(key: &[u8], value: &'a [u8]) -> Option<(u16, &'a [u8])> {
    let (total, chunk) = unseal(key, value)?.split_first_chunk::<2>()?;
    Some((u16::from_be_bytes(*total), chunk))
}

fn narrow<T: TryFrom<usize>>(what: &'static str, got: usize) -> Result<T, StoreError> {
    T::try_from(got).map_err(|_| StoreError::Limit { what, got: got as u64, max: (1u64 << (8 * size_of::<T>())) - 1 })
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
}

/// Checks an append's bounds before encoding, and folds its metadata writes by key.
pub(crate) fn check_append(entries: &[Vec<u8>], meta: &[MetaWrite]) -> Result<MetaChanges, StoreError> {
    fn at_most(what: &'static str, got: usize, max: usize) -> Result<(), StoreError> {
        if got > max {
            return Err(StoreError::Limit { what, got: got as u64, max: max as u64 });
        }
        Ok(())
    }
    if entries.is_empty() {
        return Err(StoreError::NothingToAppend);
    }
    at_most("entries in an append", entries.len(), MAX_APPEND_ENTRIES)?;
    let mut total = 0;
    for entry in entries {
        at_most("bytes in an entry", entry.len(), MAX_ENTRY)?;
        total += entry.len();
    }
    at_most("entry bytes in an append", total, MAX_APPEND_BYTES)?;

    at_most("metadata writes in an append", meta.len(), MAX_META_WRITES)?;
    let mut changes = MetaChanges::new();
    let mut total = 0;
    for write in meta {
        let (key, value) = match write {
            MetaWrite::Put { key, value } => (key, Some(value)),
            MetaWrite::Delete { key } => (key, None),
        };
        at_most("bytes in a metadata key", key.len(), MAX_META_KEY)?;
        if key.is_empty() {
            return Err(StoreError::Limit { what: "empty metadata keys", got: 1, max: 0 });
        }
        let len = value.map_or(0, Vec::len);
        at_most("bytes in a metadata value", len, MAX_META_VALUE)?;
        total += key.len() + len;
        changes.insert(key.clone(), value.cloned());
    }
    at_most("metadata bytes in an append", total, MAX_META_BYTES)?;
    Ok(changes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let entries = [b"one".to_vec(), Vec::new(), vec![7; MAX_ENTRY]];
        let changes = MetaChanges::from([(b"gone".to_vec(), None), (b"key".to_vec(), Some(b"value".to_vec()))]);
        Record::encode(41, &entries, &changes, 99).unwrap()
    }

    #[test]
    fn a_record_decodes_to_what_was_encoded() {
        let record = Record::decode(sample()).unwrap();
        assert_eq!((record.first, record.count(), record.meta_sum), (41, 3, 99));
        assert_eq!(record.entry(40), None);
        assert_eq!(record.entry(41), Some(&b"one"[..]));
        assert_eq!(record.entry(42), Some(&b""[..]));
        assert_eq!(record.entry(43), Some(&vec![7; MAX_ENTRY][..]));
        assert_eq!(record.entry(44), None);
        assert_eq!(record.changes.len(), 2);
        assert_eq!(record.changes[&b"key".to_vec()], Some(b"value".to_vec()));
    }

    #[test]
    fn a_record_cut_short_or_lengthened_does_not_decode() {
        let whole =
            Record::encode(0, &[b"entry".to_vec()], &MetaChanges::from([(b"k".to_vec(), Some(b"v".to_vec()))]), 1)
                .unwrap();
        for len in 0..whole.len() {
            assert!(Record::decode(whole[..len].to_vec()).is_none(), "{len}");
        }
        assert!(Record::decode([whole, vec![0]].concat()).is_none());
    }

    #[test]
    fn pieces_put_together_are_the_record_and_fit_sled() {
        let record = sample();
        let cut = pieces(41, &record).unwrap();
        assert_eq!(cut.len(), 2);
        let mut joined = Vec::new();
        for (key, value) in &cut {
            assert!(value.len() <= MAX_VALUE);
            let (total, chunk) = open_piece(key, value).unwrap();
            assert_eq!(usize::from(total), cut.len());
            joined.extend_from_slice(chunk);
        }
        assert_eq!(joined, record);
    }

    #[test]
    fn a_seal_holds_for_one_key_and_one_body() {
        let sealed = seal(b"key", b"body");
        assert_eq!(unseal(b"key", &sealed), Some(&b"body"[..]));
        assert_eq!(unseal(b"kez", &sealed), None);
        assert_eq!(unseal(b"ke", &sealed), None);
        assert_eq!(unseal(b"key", &sealed[..SEAL - 1]), None);
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(unseal(b"key", &damaged), None, "{at}");
        }
    }

    #[test]
    fn a_mark_is_of_some_bundles() {
        let mark = Mark { bundles: 3, seal: [7; 16] };
        let bytes = encode_mark(&mark);
        assert_eq!(decode_mark(&bytes), Some(mark));
        assert_eq!(decode_mark(&bytes[..23]), None);
        assert_eq!(decode_mark(&[&bytes[..], &[0]].concat()), None);
        for bundles in [0, u64::MAX, u64::MAX / 256 + 1] {
            assert_eq!(decode_mark(&encode_mark(&Mark { bundles, ..mark })), None);
        }
    }

    #[test]
    fn piece_keys_sort_as_entries_do() {
        let keys = [(0, 0), (0, 1), (1, 0), (255, 0), (256, 0), (u64::MAX, u16::MAX)];
        assert!(keys.map(|(f, p)| piece_key(f, p)).is_sorted());
        for (first, piece) in keys {
            assert_eq!(parse_piece_key(&piece_key(first, piece)), Some((first, piece)));
        }
        assert_eq!(parse_piece_key(&[RECORD_PREFIX; 10]), None);
    }

    #[test]
    fn bounds_are_held_and_their_last_value_passes() {
        let put = |key: usize, value: usize| MetaWrite::Put { key: vec![1; key], value: vec![2; value] };
        let one = [vec![0; 1]];
        for (entries, meta, passes) in [
            (vec![], vec![], false),
            (vec![vec![]; MAX_APPEND_ENTRIES], vec![], true),
            (vec![vec![]; MAX_APPEND_ENTRIES + 1], vec![], false),
            (vec![vec![0; MAX_ENTRY]], vec![], true),
            (vec![vec![0; MAX_ENTRY + 1]], vec![], false),
            (vec![vec![0; 65_000]; 65], vec![], false),
            (one.to_vec(), vec![put(MAX_META_KEY, MAX_META_VALUE)], true),
            (one.to_vec(), vec![put(MAX_META_KEY + 1, 0)], false),
            (one.to_vec(), vec![put(0, 0)], false),
            (one.to_vec(), vec![put(1, MAX_META_VALUE + 1)], false),
            (one.to_vec(), vec![put(1, 0); MAX_META_WRITES + 1], false),
            (one.to_vec(), vec![put(1, 65_000); 65], false),
        ] {
            assert_eq!(
                check_append(&entries, &meta).is_ok(),
                passes,
                "{} entries, {} writes",
                entries.len(),
                meta.len()
            );
        }
    }
}
