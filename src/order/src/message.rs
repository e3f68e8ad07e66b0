//! A message: one append of the store with the tree before and after it, tagged by a node (spec/cluster.md, "A
//! message").

use fairshoe_store::MetaWrite;
use fairshoe_tlog::Hash;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

/// The longest message, in bytes.
pub const MAX_MESSAGE: usize = 1 << 20;

const MAGIC: &[u8] = b"fairshoe-order 1\n";
pub(crate) const TAG: usize = 32;
const MAX_ENTRIES: usize = 256;
const MAX_WRITES: usize = 4096;

/// The key with which the nodes of a shard tag messages. Only these nodes have it.
pub struct OrderKey(Zeroizing<[u8; 32]>);

impl OrderKey {
    /// Derives the key from the seed of the log's key and the name of the stream.
    #[must_use]
    pub fn new(log_seed: &[u8; 32], stream: &str) -> Self {
        OrderKey(Zeroizing::new(tag(log_seed, &[MAGIC, stream.as_bytes()])))
    }

    /// Derives the key for the leases of the same stream.
    #[must_use]
    pub fn of_leases(log_seed: &[u8; 32], stream: &str) -> Self {
        OrderKey(Zeroizing::new(tag(log_seed, &[MAGIC, stream.as_bytes(), b"/lease"])))
    }

    /// `body ‖ tag`.
    pub(crate) fn seal(&self, expected: u64, mut body: Vec<u8>) -> Vec<u8> {
        let tag = tag(&self.0, &[&expected.to_be_bytes(), &body]);
        body.extend(tag);
        body
    }

    /// The body, if the tag is this key's.
    pub(crate) fn unseal<'a>(&self, expected: u64, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG)?)?;
        let mac = mac(&self.0, &[&expected.to_be_bytes(), body])?;
        mac.verify_slice(tag).is_ok().then_some(body)
    }
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    parts.iter().for_each(|part| mac.update(part));
    Some(mac)
}

fn tag(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // A key of any length works.
    mac(key, parts).map(|mac| mac.finalize().into_bytes().into()).unwrap_or_default()
}

/// One append of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Entries of the log before it, and the root of their tree.
    pub size: u64,
    /// See `size`.
    pub root: Hash,
    /// The root after its entries.
    pub root_after: Hash,
    /// The entries, one or more.
    pub entries: Vec<Vec<u8>>,
    /// Metadata written with them.
    pub writes: Vec<MetaWrite>,
}

/// Why bytes are not a message of this shard at this place, or cannot become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// A bound is exceeded.
    #[error("it is too long or too short")]
    Length,
    /// It belongs to another shard or place, or is forged.
    #[error(
        "its tag is not of this shard's key at this place: another shard's, moved here, or forged; or this node's secrets are others"
    )]
    Tag,
    /// The bytes are no message.
    #[error("it is not in the form of a message")]
    Form,
}

impl Message {
    /// The number of entries of the log after it.
    #[must_use]
    pub fn size_after(&self) -> u64 {
        self.size.saturating_add(self.entries.len() as u64)
    }

    /// The bytes for the place after `expected`.
    ///
    /// # Errors
    /// [`MessageError`] if a bound is exceeded.
    pub fn seal(&self, key: &OrderKey, expected: u64) -> Result<Vec<u8>, MessageError> {
        if self.entries.is_empty() || self.entries.len() > MAX_ENTRIES || self.writes.len() > MAX_WRITES {
            return Err(MessageError::Form);
        }
        let short = |length: usize| u16::try_from(length).map(u16::to_be_bytes).map_err(|_| MessageError::Form);
        let mut body = MAGIC.to_vec();
        for (size, root) in [(self.size, self.root), (self.size_after(), self.root_after)] {
            body.extend(size.to_be_bytes());
            body.extend(root.0);
        }
        body.extend(short(self.entries.len())?);
        for entry in &self.entries {
            body.extend(short(entry.len())?);
            body.extend(entry);
        }
        body.extend(short(self.writes.len())?);
        for write in &self.writes {
            let (key, value) = match write {
                MetaWrite::Put { key, value } => (key, Some(value)),
                MetaWrite::Delete { key } => (key, None),
            };
            body.push(u8::try_from(key.len()).map_err(|_| MessageError::Form)?);
            body.extend(key);
            body.push(u8::from(value.is_some()));
            if let Some(value) = value {
                body.extend(short(value.len())?);
                body.extend(value);
            }
        }
        if body.len() + TAG > MAX_MESSAGE {
            return Err(MessageError::Length);
        }
        Ok(key.seal(expected, body))
    }

    /// Reads the bytes stored after `expected`.
    ///
    /// # Errors
    /// [`MessageError`].
    pub fn open(key: &OrderKey, expected: u64, bytes: &[u8]) -> Result<Message, MessageError> {
        if bytes.len() > MAX_MESSAGE || bytes.len() < MAGIC.len() + TAG {
            return Err(MessageError::Length);
        }
        let body = key.unseal(expected, bytes).ok_or(MessageError::Tag)?;
        let mut rest = Cursor(body);
        rest.message().filter(|_| rest.0.is_empty()).ok_or(MessageError::Form)
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(length)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn short(&mut self) -> Option<usize> {
        self.array().map(u16::from_be_bytes).map(usize::from)
    }

    fn tree(&mut self) -> Option<(u64, Hash)> {
        Some((u64::from_be_bytes(self.array()?), Hash(self.array()?)))
    }

    fn message(&mut self) -> Option<Message> {
        if self.take(MAGIC.len())? != MAGIC {
            return None;
        }
        let ((size, root), (size_after, root_after)) = (self.tree()?, self.tree()?);
        let count = self.short().filter(|count| (1..=MAX_ENTRIES).contains(count))?;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let length = self.short()?;
            entries.push(self.take(length)?.to_vec());
        }
        let count = self.short().filter(|count| *count <= MAX_WRITES)?;
        let mut writes = Vec::with_capacity(count);
        for _ in 0..count {
            writes.push(self.write()?);
        }
        let message = Message { size, root, root_after, entries, writes };
        (size.checked_add(message.entries.len() as u64) == Some(size_after)).then_some(message)
    }

    fn write(&mut self) -> Option<MetaWrite> {
        let [length] = self.array()?;
        let key = self.take(usize::from(length)).filter(|key| !key.is_empty())?.to_vec();
        match self.array()? {
            [0] => Some(MetaWrite::Delete { key }),
            [1] => {
                let length = self.short()?;
                Some(MetaWrite::Put { key, value: self.take(length)?.to_vec() })
            }
            _ => None,
        }
    }
}
