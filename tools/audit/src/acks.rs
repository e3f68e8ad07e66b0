//! A file of acknowledged entries, read with bounds and held against the log as it goes by: each must be there,
//! unchanged.

use crate::outcome::UnusableInput;
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_tlog::Hash;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The most acknowledgements a file may hold.
const MAX_ACKS: usize = 50_000_000;

/// The longest line, in bytes: an index, a blank, 64 digits.
const MAX_LINE: u64 = 256;

/// What was acknowledged to somebody: each entry's index and leaf hash, ascending.
#[derive(Default)]
pub struct Acks {
    all: Vec<(u64, Hash)>,
    next: usize,
    wrong: Option<Finding>,
}

impl Acks {
    pub fn read(path: &Path) -> Result<Acks, UnusableInput> {
        let failed = |e: std::io::Error| UnusableInput::new(format!("{}: {e}", path.display()));
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut all = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            if (&mut reader).take(MAX_LINE).read_line(&mut line).map_err(failed)? == 0 {
                break;
            }
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            let bad = || UnusableInput::new(format!("{} line {}: not `INDEX LEAFHASH`", path.display(), all.len() + 1));
            let (index, hash) = text.split_once(' ').ok_or_else(bad)?;
            all.push((index.parse().map_err(|_| bad())?, parse_hash(hash.trim()).ok_or_else(bad)?));
            if all.len() > MAX_ACKS {
                return Err(UnusableInput::new(format!("{}: more than {MAX_ACKS} lines", path.display())));
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(Acks { all, next: 0, wrong: None })
    }

    /// Holds what was acknowledged of this entry against it; entries come in order.
    pub fn check(&mut self, index: u64, leaf: &Hash) {
        while let Some((acknowledged, hash)) =
            self.all.get(self.next).filter(|(acknowledged, _)| *acknowledged <= index)
        {
            if self.wrong.is_none() && (*acknowledged != index || hash != leaf) {
                let what = format!("the entry was acknowledged with leaf hash {hash}, the log has {leaf} there");
                self.wrong = Some(Finding::at(Check::AckDiffers, *acknowledged, None, what));
            }
            self.next += 1;
        }
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// What was wrong first; whatever is left lies beyond the log's end.
    pub fn finish(self) -> Option<Finding> {
        let beyond = self.all.get(self.next).map(|(index, _)| {
            let what = format!(
                "{} acknowledged entries are not on the log, the first is entry {index}",
                self.all.len().saturating_sub(self.next)
            );
            Finding::at(Check::AckMissing, *index, None, what)
        });
        self.wrong.or(beyond)
    }
}

/// 64 hexadecimal digits, or the base64 of 32 bytes.
fn parse_hash(text: &str) -> Option<Hash> {
    if text.len() != 64 {
        return text.parse().ok();
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(Hash(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_come_in_hex_or_base64() {
        let hash = Hash([0xab; 32]);
        assert_eq!(parse_hash(&"ab".repeat(32)), Some(hash));
        assert_eq!(parse_hash(&hash.to_string()), Some(hash));
        for bad in ["", "ab", &"zz".repeat(32), &"+b".repeat(32)] {
            assert_eq!(parse_hash(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_missing_or_changed_is_found() {
        let (one, two) = (Hash([1; 32]), Hash([2; 32]));
        let acks = |all: &[(u64, Hash)]| Acks { all: all.to_vec(), ..Acks::default() };
        let judge = |mut acks: Acks| {
            [one, two].iter().enumerate().for_each(|(index, leaf)| acks.check(index as u64, leaf));
            acks.finish().map(|finding| (finding.check, finding.entry))
        };
        assert_eq!(judge(acks(&[(0, one), (1, two)])), None);
        assert_eq!(judge(acks(&[(0, two)])), Some((Check::AckDiffers, Some(0))));
        assert_eq!(judge(acks(&[(1, two), (2, one)])), Some((Check::AckMissing, Some(2))));
        assert_eq!(judge(acks(&[(1, one), (1, two)])), Some((Check::AckDiffers, Some(1))));
    }
}
