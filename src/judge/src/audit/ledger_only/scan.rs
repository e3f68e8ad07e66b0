//! Reads the one encoding of an entry from the first byte to the last without a copy (spec/entries.md, "Encoding").
//! Knows no field's meaning.

use super::fault::EntryFault;
use fairshoe_house::MOST_NUMBER;
use std::fmt;

/// Objects and lists within each other at most; an entry has nine.
const MAX_DEPTH: u8 = 32;

/// The place where an entry's bytes differ from spec/entries.md ("Encoding"), and what should stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NonCanonical {
    pub at: usize,
    pub wanted: &'static str,
}

impl fmt::Display for NonCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an entry in its one encoding: byte {} should begin {}", self.at, self.wanted)
    }
}

/// Reads an entry's bytes from the first to the last, once, and copies nothing. It knows the one spelling of each value
/// and no other: no blanks, no `null`, no fraction, no leading zero, no escape but `\"` and `\\`.
pub(super) struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Scan<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Scan { bytes, at: 0 }
    }

    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn fail<T>(&self, wanted: &'static str) -> Result<T, NonCanonical> {
        Err(NonCanonical { at: self.at, wanted })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Takes this text if it comes next.
    pub fn takes(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text.as_bytes());
        if found {
            self.at += text.len();
        }
        found
    }

    /// Takes this text, which must come next.
    pub fn take(&mut self, text: &'static str) -> Result<(), NonCanonical> {
        if self.takes(text) { Ok(()) } else { self.fail(text) }
    }

    /// Nothing is left.
    pub fn end(&self) -> Result<(), NonCanonical> {
        if self.at == self.bytes.len() { Ok(()) } else { self.fail("nothing") }
    }

    /// A string; its escapes, which only origins and labels hold, are left in.
    pub fn string(&mut self) -> Result<&'b str, NonCanonical> {
        self.take("\"")?;
        let start = self.at;
        loop {
            self.at += plain(self.rest());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') if matches!(self.bytes.get(self.at + 1), Some(b'"' | b'\\')) => self.at += 2,
                _ => return self.fail("a character of a string, or its end"),
            }
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        self.at += 1;
        // Only ASCII gets here.
        std::str::from_utf8(text).or_else(|_| self.fail("ASCII"))
    }

    /// A number from 0 to 2⁵³ − 1.
    pub fn number(&mut self) -> Result<u64, NonCanonical> {
        let (start, mut value) = (self.at, Some(0u64));
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let leading_zero = self.bytes.get(start) == Some(&b'0') && self.at - start > 1;
        match value {
            Some(value) if self.at > start && !leading_zero && value <= MOST_NUMBER => Ok(value),
            _ => Err(NonCanonical { at: start, wanted: "a whole number" }),
        }
    }

    /// An amount, negative perhaps.
    pub fn amount(&mut self) -> Result<i64, NonCanonical> {
        let start = self.at;
        let negative = self.takes("-");
        let value = i64::try_from(self.number()?).ok().filter(|value| !(negative && *value == 0));
        let value = value.map(|value| if negative { -value } else { value });
        value.ok_or(NonCanonical { at: start, wanted: "an amount" })
    }

    /// Passes over a value of any kind that is spelt as values are.
    pub fn skip(&mut self) -> Result<(), NonCanonical> {
        self.skip_within(MAX_DEPTH)
    }

    fn skip_within(&mut self, depth: u8) -> Result<(), NonCanonical> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.skip_integer(),
            Some(open @ (b'{' | b'[')) => {
                let Some(depth) = depth.checked_sub(1) else { return self.fail("something less deep") };
                self.at += 1;
                self.skip_members(open == b'{', if open == b'{' { b'}' } else { b']' }, depth)
            }
            _ if self.takes("true") || self.takes("false") || self.takes("null") => Ok(()),
            _ => self.fail("a value"),
        }
    }

    fn skip_members(&mut self, named: bool, close: u8, depth: u8) -> Result<(), NonCanonical> {
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            if named {
                self.string()?;
                self.take(":")?;
            }
            self.skip_within(depth)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.fail("`,` or the end of the object or list"),
            }
        }
    }

    /// A number, or an amount below zero.
    fn skip_integer(&mut self) -> Result<(), NonCanonical> {
        if self.peek() == Some(b'-') { self.amount().map(drop) } else { self.number().map(drop) }
    }
}

/// How many of these bytes stand for themselves within a string: up to the first quote, backslash, or what is not
/// printable ASCII. Eight at a time, since strings are most of a log.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The lowest bit set is exact, higher ones may be carried into: the first is all that is asked for.
        let below_blank = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let above = word.wrapping_add(ONES) & HIGHS;
        let special = zero(word ^ (ONES * u64::from(b'"')))
            | zero(word ^ (ONES * u64::from(b'\\')))
            | below_blank
            | above
            | (word & HIGHS);
        if special != 0 {
            return n * 8 + (special.trailing_zeros() / 8) as usize;
        }
    }
    let done = bytes.len() - rest.len();
    done + rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\') || !(0x20..0x7f).contains(byte))
        .unwrap_or(rest.len())
}

/// The elements of a list whose bracket is open, and its end.
pub(super) fn list<'b>(
    scan: &mut Scan<'b>,
    mut element: impl FnMut(&mut Scan<'b>) -> Result<(), EntryFault>,
) -> Result<(), EntryFault> {
    if scan.takes("]") {
        return Ok(());
    }
    loop {
        element(scan)?;
        if !scan.takes(",") {
            return Ok(scan.take("]")?);
        }
    }
}

/// The fields of an object from one on, and its end.
pub(super) fn skip_fields(scan: &mut Scan<'_>) -> Result<(), NonCanonical> {
    loop {
        scan.string()?;
        scan.take(":")?;
        scan.skip()?;
        if !scan.takes(",") {
            return scan.take("}");
        }
    }
}

/// Reads the players' results of a round that is over: all that they staked, and all that they got back.
pub(super) fn read_results(scan: &mut Scan<'_>) -> Result<(u64, u64), EntryFault> {
    let (mut staked, mut returned) = (0u64, 0u64);
    scan.take(",\"players\":[")?;
    list(scan, |scan| {
        scan.take("{\"player\":")?;
        scan.string()?;
        scan.take(",\"staked\":")?;
        staked = staked.saturating_add(scan.number()?);
        scan.take(",\"returned\":")?;
        returned = returned.saturating_add(scan.number()?);
        Ok(scan.take("}")?)
    })?;
    Ok((staked, returned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_stops_where_a_loop_over_the_bytes_does() {
        let slow = |bytes: &[u8]| {
            bytes
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\') || !(0x20..=0x7e).contains(byte))
                .unwrap_or(bytes.len())
        };
        for special in 0..=u8::MAX {
            for length in 0..20 {
                for at in 0..length {
                    for filler in [b' ', b'a', b'!', b'#', b'[', b']', b'~', 0x7e] {
                        let mut bytes = vec![filler; length];
                        bytes[at] = special;
                        assert_eq!(plain(&bytes), slow(&bytes), "{bytes:?}");
                        // A second one behind must not be taken for the first, nor hide it.
                        bytes[length - 1] = special.wrapping_add(1);
                        assert_eq!(plain(&bytes), slow(&bytes), "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_have_one_spelling() {
        let skips = |text: &str| {
            let mut scan = Scan::new(text.as_bytes());
            scan.skip().and_then(|()| scan.end()).is_ok()
        };
        for good in [
            "0",
            "9007199254740991",
            "-7",
            "true",
            "false",
            "null",
            "{}",
            "[]",
            r#""""#,
            r#""a\"\\b""#,
            r#"{"a":[1,{"b":"c"}],"d":-1}"#,
        ] {
            assert!(skips(good), "{good}");
        }
        for bad in [
            "",
            "01",
            "-0",
            "1.0",
            "1e3",
            "+1",
            "-",
            " 1",
            "1 ",
            "{,}",
            "[1,]",
            "[1 ,2]",
            r#"{"a" :1}"#,
            r#"{"a":1,}"#,
            r#"{1:1}"#,
            "{",
            "[",
            "]",
            "[}",
            "[1}",
            "[1;",
            r#"{"a":1]"#,
            r#"{"a"}"#,
            r#""a"#,
            r#""\n""#,
            r#""\u0041""#,
            "\"\n\"",
            "\"\u{e9}\"",
            "\"\u{7f}\"",
            "tru",
            "[1]]",
            "9007199254740992",
            "18446744073709551616",
        ] {
            assert!(!skips(bad), "{bad}");
        }
        assert!(skips(&format!("{}{}", "[".repeat(32), "]".repeat(32))));
        assert!(!skips(&format!("{}{}", "[".repeat(33), "]".repeat(33))));
        assert!(!skips(&"[".repeat(60_000)));
    }
}
