//! The two encodings that every text format here shares, each with exactly one accepted form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Decimal without sign, blanks or leading zeros: a second spelling of a number would make a second text with the same
/// meaning under another signature.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    let digits = !text.is_empty() && text.len() <= 20 && text.bytes().all(|b| b.is_ascii_digit());
    if canonical && digits { text.parse().ok() } else { None }
}

/// The bytes of a base64 text: RFC 4648 section 4, padded, unused bits zero.
pub fn base64_decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// The base64 text of bytes.
pub fn base64_encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The position of the first control character that a note forbids: all below U+0020 except the newline.
pub(crate) fn forbidden_control(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b < 0x20 && b != b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_has_one_spelling() {
        for (text, value) in [("0", Some(0)), ("10", Some(10)), ("18446744073709551615", Some(u64::MAX))] {
            assert_eq!(decimal(text), value, "{text}");
        }
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "18446744073709551616", "１"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn base64_has_one_spelling() {
        assert_eq!(base64_decode("AAE="), Some(vec![0, 1]));
        for text in ["AAE", "AAF=", "AA E=", "AAE=\n", "AA-_", "AAE=="] {
            assert_eq!(base64_decode(text), None, "{text}");
        }
    }
}
