//! Finds where a head and a body end, so that actix gets the bytes of one request and no more (`wire`).

/// The longest head, in bytes.
pub const MOST_HEAD: usize = 32 << 10;

/// Looks for the end of a head: its first empty line. Empty lines before its first line do not end it.
#[derive(Default)]
pub struct Head {
    looked_at: usize,
    began: bool,
    in_line: bool,
}

impl Head {
    /// How long the head is with which these bytes begin, once its end is among them. They are those of the last call,
    /// and more.
    pub fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for byte in bytes.get(self.looked_at..).unwrap_or_default() {
            self.looked_at += 1;
            match byte {
                b'\n' if self.began && !self.in_line => return Some(self.looked_at),
                b'\n' => self.in_line = false,
                b'\r' => {}
                // No method begins so (RFC 9110, section 5.6.2): actix says it at once.
                _ if !self.began && !is_of_token(*byte) => return Some(bytes.len()),
                _ => (self.began, self.in_line) = (true, true),
            }
        }
        None
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Follows a chunked body to its end (RFC 9112, section 7.1), just as actix reads it. *Where the two disagree, the next
/// requests would be handed over as a body, or a body as the next request.*
#[derive(Default)]
pub struct Chunks {
    at: At,
    size: u64,
}

/// The next thing to come.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    #[default]
    Size,
    SizeRest,
    SizeSpace,
    Extension,
    SizeEnd,
    Data,
    DataEnd,
    DataEndLine,
    Last,
    Trailer,
    TrailerEnd,
    LastLine,
    Over,
    Broken,
}

/// Whether a body goes on behind the bytes that were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    GoesOn,
    Over,
    /// They are no chunked body: actix refuses it. Nothing that follows can be read.
    Broken,
}

impl Chunks {
    /// How many of these bytes belong to the body, and whether it ends with them. The last byte of one that is broken is
    /// the one that actix refuses.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Body) {
        let mut taken = 0;
        while let Some(byte) = bytes.get(taken) {
            match self.at {
                At::Over | At::Broken => break,
                At::Data => {
                    let rest = bytes.len().saturating_sub(taken);
                    let more = rest.min(usize::try_from(self.size).unwrap_or(usize::MAX));
                    self.size = self.size.saturating_sub(more as u64);
                    taken = taken.saturating_add(more);
                    if self.size == 0 {
                        self.at = At::DataEnd;
                    }
                    continue;
                }
                _ => self.at = self.after(*byte).unwrap_or(At::Broken),
            }
            taken += 1;
        }
        let body = match self.at {
            At::Over => Body::Over,
            At::Broken => Body::Broken,
            _ => Body::GoesOn,
        };
        (taken, body)
    }

    fn after(&mut self, byte: u8) -> Option<At> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        Some(match (self.at, byte) {
            (At::Size | At::SizeRest, _) if digit.is_some() => {
                self.size = self.size.checked_mul(16)?.checked_add(digit?)?;
                At::SizeRest
            }
            (At::SizeRest | At::SizeSpace, b' ' | b'\t') => At::SizeSpace,
            (At::SizeRest | At::SizeSpace, b';') => At::Extension,
            (At::SizeRest | At::SizeSpace | At::Extension, b'\r') => At::SizeEnd,
            (At::Extension, b'\t' | 0x20..=0x7e | 0x80..) => At::Extension,
            (At::SizeEnd, b'\n') if self.size > 0 => At::Data,
            (At::SizeEnd, b'\n') => At::Last,
            (At::DataEnd, b'\r') => At::DataEndLine,
            (At::DataEndLine, b'\n') => At::Size,
            (At::Last, b'\r') => At::LastLine,
            (At::Trailer, b'\r') => At::TrailerEnd,
            (At::Last | At::Trailer, _) => At::Trailer,
            (At::TrailerEnd, b'\n') => At::Last,
            (At::LastLine, b'\n') => At::Over,
            _ => return None,
        })
    }
}

/// A longer body than any that is sent in play, in bytes.
const LONG_BODY: u64 = 4 << 10;

/// The same of a head's fields. *Thirty KB of them take three times as long to read as a bet.*
const LONG_HEAD: usize = 8 << 10;

/// Whether what a holder sends is as short as play is, head and body, and is no reading: then it waits for nothing.
pub fn is_short(reads: bool, head: usize, body: u64) -> bool {
    !reads && body <= LONG_BODY && head <= LONG_HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_its_first_empty_line_however_it_comes() {
        for (text, length) in [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\nmore", 27),
            ("\r\n\n\r\nGET / HTTP/1.1\nHost: x\n\nmore", 29),
            ("GET / HTTP/1.1\r\n\nmore", 17),
            ("_~ / HTTP/1.1\r\n\r\nmore", 17),
            ("\x16\x03\x01", 3),
        ] {
            for cut in 1..text.len() {
                let mut head = Head::default();
                let first = head.end(&text.as_bytes()[..cut]);
                let end = first.or_else(|| head.end(text.as_bytes()));
                let is_junk = text.starts_with('\x16');
                assert_eq!(end, Some(if is_junk { cut } else { length }), "{text:?} cut at {cut}");
            }
        }
        assert_eq!(Head::default().end(b"GET / HTTP/1.1\r\nHost: x\r\n"), None);
    }

    #[test]
    fn a_chunked_body_ends_where_actix_ends_it_however_it_comes() {
        let follows = b"GET / HTTP/1.1\r\n\r\n";
        for body in [
            b"4;a=b\r\nwiki\r\nA\r\n0123456789\r\n0\r\n\r\n".as_slice(),
            b"4 \t;\xff\r\nwiki\r\n00\r\nX: y\r\n\ngz\r\n\r\n",
        ] {
            let text = [body, follows].concat();
            for cut in 0..text.len() {
                let mut chunks = Chunks::default();
                let (first, ended) = chunks.take(&text[..cut]);
                assert_eq!(ended == Body::Over, cut >= body.len());
                assert_eq!(chunks.take(&text[first..]), (body.len() - first, Body::Over), "cut at {cut}");
            }
        }
        for (broken, at) in [
            (b"4\r\nwikiX\r\n0\r\n\r\n".as_slice(), 8),
            (b"ffffffffffffffffffff\r\nabc", 17),
            (b"\r\n\r\n", 1),
            (b"4 4\r\n", 3),
            (b"4;\x7f", 3),
            (b"4\n", 2),
            (b"0\r\nX: y\r\r", 9),
            (b"0\r\n\r\r", 5),
        ] {
            let mut chunks = Chunks::default();
            assert_eq!(chunks.take(broken), (at, Body::Broken), "{broken:?}");
            assert_eq!(chunks.take(follows), (0, Body::Broken), "nothing is taken behind it");
        }
    }

    #[test]
    fn play_is_short_and_no_reading() {
        assert!(is_short(false, 0, 0) && is_short(false, LONG_HEAD, LONG_BODY));
        assert!(!is_short(true, 0, 0) && !is_short(false, 0, LONG_BODY + 1) && !is_short(false, 0, u64::MAX));
        assert!(!is_short(false, LONG_HEAD + 1, 0));
    }
}
