//! The bytes of a segment around its frames: header, rows, footer (spec/store.md, Sealed history). Pure.

use sha2::{Digest as _, Sha256};

use crate::bundle::Seal;

/// The header's length: the first frame begins behind it.
pub(crate) const HEADER: usize = 72;
/// Length of a row of a footer.
pub(crate) const ROW: usize = 20;
/// The length of a footer after its rows.
pub(crate) const TRAILER: usize = 4 + HASH + 8;
/// The most rows of a segment: limits the cost of reading a footer.
pub(crate) const MAX_ROWS: usize = 65_536;

const MAGIC: &[u8; 8] = b"fssegm01";
/// The first bytes of the headers of all versions.
const ANY_VERSION: &[u8; 6] = b"fssegm";
const END: &[u8; 8] = b"fsfoot01";
const HASH: usize = 32;
const DOMAIN: &[u8] = b"fairshoe-store/2 segment\0";

/// The hash of a footer, named by the next segment.
pub(crate) type FooterHash = [u8; HASH];

/// The folder of the segments, below the store's folder.
pub(crate) const SEALED: &str = "sealed";

/// The name of a segment's file below the store's folder.
pub(crate) fn name(number: u64) -> String {
    format!("{SEALED}/{number:08}")
}

/// The number in the name of a file in `sealed/`; `None` for a file that is not ours.
pub(crate) fn number(file: &str) -> Option<u64> {
    let digits = file.len() >= 8
        && file.bytes().all(|byte| byte.is_ascii_digit())
        && (file.len() == 8 || !file.starts_with('0'));
    file.parse().ok().filter(|_| digits)
}

/// A segment's description of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub number: u64,
    /// Its first bundle.
    pub first: u64,
    /// The hash of the footer before it.
    pub before: FooterHash,
}

/// Why bytes are no header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoHeader {
    /// It has another version.
    Version(String),
    /// It is cut short or changed.
    Damaged,
}

impl Header {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.number.to_be_bytes());
        bytes.extend_from_slice(&self.first.to_be_bytes());
        bytes.extend_from_slice(&self.before);
        let seal = Sha256::new().chain_update(DOMAIN).chain_update(&bytes).finalize();
        bytes.extend_from_slice(&seal[..16]);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, NoHeader> {
        if let Some(magic) = bytes.get(..MAGIC.len()).filter(|magic| magic.starts_with(ANY_VERSION) && *magic != MAGIC)
        {
            return Err(NoHeader::Version(String::from_utf8_lossy(magic).into_owned()));
        }
        let parse = || {
            let rest = bytes.strip_prefix(MAGIC)?;
            let (number, rest) = rest.split_first_chunk::<8>()?;
            let (first, rest) = rest.split_first_chunk::<8>()?;
            let (before, _) = rest.split_first_chunk::<HASH>()?;
            let (number, first) = (u64::from_be_bytes(*number), u64::from_be_bytes(*first));
            Some(Self { number, first, before: *before })
        };
        parse().filter(|header| header.encode() == bytes).ok_or(NoHeader::Damaged)
    }
}

/// The place of a frame, and its seal.
pub(crate) type Row = (u32, Seal);

pub(crate) fn decode_row(bytes: &[u8; ROW]) -> Row {
    let mut seal = [0; 16];
    seal.copy_from_slice(&bytes[4..]);
    (u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), seal)
}

fn table(rows: &[Row]) -> Vec<u8> {
    rows.iter().flat_map(|(offset, seal)| offset.to_be_bytes().into_iter().chain(*seal)).collect()
}

fn hash_of(header: &[u8], table: &[u8], rows: [u8; 4]) -> FooterHash {
    Sha256::new().chain_update(header).chain_update(table).chain_update(rows).finalize().into()
}

/// The length of a footer with so many rows.
pub(crate) fn footer_len(rows: usize) -> u64 {
    (rows as u64).saturating_mul(ROW as u64).saturating_add(TRAILER as u64)
}

/// The footer of a segment with this header, and its hash.
pub(crate) fn footer(header: &Header, rows: &[Row]) -> (Vec<u8>, FooterHash) {
    let mut bytes = table(rows);
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX).to_be_bytes();
    let hash = hash_of(&header.encode(), &bytes, count);
    bytes.extend_from_slice(&count);
    bytes.extend_from_slice(&hash);
    bytes.extend_from_slice(END);
    (bytes, hash)
}

/// The number of rows that the end of a file names, if it looks like a footer's.
pub(crate) fn rows_in(trailer: &[u8; TRAILER]) -> Option<usize> {
    let (rows, rest) = trailer.split_first_chunk::<4>()?;
    let rows = usize::try_from(u32::from_be_bytes(*rows)).ok()?;
    (rest.ends_with(END) && (1..=MAX_ROWS).contains(&rows)).then_some(rows)
}

/// The hash and the rows of a footer of a segment with this header; `None` if it is not whole.
pub(crate) fn decode_footer(header: &Header, bytes: &[u8]) -> Option<(FooterHash, Vec<Row>)> {
    let (table, trailer) = bytes.split_last_chunk::<TRAILER>()?;
    let count = rows_in(trailer)?;
    let rows: Vec<Row> = table.as_chunks::<ROW>().0.iter().map(decode_row).collect();
    let (whole, hash) = footer(header, &rows);
    (rows.len() == count && whole == bytes).then_some((hash, rows))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_header_decodes_to_what_was_encoded_and_nothing_else_does() {
        let header = Header { number: 3, first: 700, before: [9; 32] };
        let bytes = header.encode();
        assert_eq!(bytes.len(), HEADER);
        assert_eq!(Header::decode(&bytes), Ok(header));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let version = (6..8).contains(&at);
            assert_eq!(matches!(Header::decode(&damaged), Err(NoHeader::Version(_))), version, "{at}");
            assert!(Header::decode(&damaged).is_err());
            assert_eq!(Header::decode(&bytes[..at]), Err(NoHeader::Damaged));
        }
        assert!(Header::decode(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn a_footer_belongs_to_its_header_and_its_rows() {
        let header = Header { number: 0, first: 0, before: [0; 32] };
        let rows = vec![(72, [1; 16]), (100, [2; 16])];
        let (bytes, hash) = footer(&header, &rows);
        assert_eq!(bytes.len() as u64, footer_len(2));
        assert_eq!(decode_footer(&header, &bytes), Some((hash, rows)));
        assert_eq!(decode_footer(&Header { number: 1, ..header.clone() }, &bytes), None);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(decode_footer(&header, &damaged), None, "{at}");
            assert_eq!(decode_footer(&header, &bytes[at + 1..]), None);
        }
        assert_eq!(decode_footer(&header, &footer(&header, &[]).0), None, "a segment has a frame");
    }

    #[test]
    fn a_segment_has_one_name() {
        for number_of in [0, 7, 99_999_999, 100_000_000, u64::MAX] {
            assert_eq!(number(name(number_of).strip_prefix("sealed/").unwrap()), Some(number_of));
        }
        for none in ["", "0", "0000000", "000000001", "0000000x", "+0000001", "99999999999999999999", "00000000.new"] {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
