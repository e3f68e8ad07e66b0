//! Where a head and a body end, so that actix gets the bytes of one request and no more (`wire`).

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

/// Follows a chunked body to its end (RFC 9112, section 7.1), as actix reads it: without trailers.
#[derive(Default)]
pub struct Chunks {
    at: At,
    size: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    #[default]
    Size,
    Extension,
    SizeEnd,
    Data,
    DataEnd,
    DataEndLine,
    Last,
    LastLine,
    /// The body is over, or it is none.
    Over,
    Broken,
}

impl Chunks {
    /// How many of these bytes belong to the body, and whether it ends with them. Bytes that are no chunked body are
    /// handed on as they are: actix refuses them.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut taken = 0;
        while let Some(byte) = bytes.get(taken) {
            match self.at {
                At::Broken => return (bytes.len(), false),
                At::Over => break,
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
                _ => self.at = self.after(*byte),
            }
            taken += 1;
        }
        (taken, self.at == At::Over)
    }

    fn after(&mut self, byte: u8) -> At {
        let digit = char::from(byte).to_digit(16);
        match (self.at, byte) {
            (At::Size, _) if digit.is_some() => {
                self.size = self.size.saturating_mul(16).saturating_add(u64::from(digit.unwrap_or_default()));
                At::Size
            }
            (At::Size | At::Extension, b'\r') => At::SizeEnd,
            (At::Size, b' ' | b'\t' | b';') | (At::Extension, _) => At::Extension,
            (At::SizeEnd, b'\n') if self.size > 0 => At::Data,
            (At::SizeEnd, b'\n') => At::Last,
            (At::DataEnd, b'\r') => At::DataEndLine,
            (At::DataEndLine, b'\n') => At::Size,
            (At::Last, b'\r') => At::LastLine,
            (At::LastLine, b'\n') => At::Over,
            _ => At::Broken,
        }
    }
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
        let body = b"4;a=b\r\nwiki\r\nA\r\n0123456789\r\n0\r\n\r\n";
        let text = [body.as_slice(), b"GET / HTTP/1.1\r\n\r\n"].concat();
        for cut in 0..text.len() {
            let mut chunks = Chunks::default();
            let (first, ended) = chunks.take(&text[..cut]);
            assert_eq!(ended, cut >= body.len());
            let (second, ended) = chunks.take(&text[first..]);
            assert_eq!((first + second, ended), (body.len(), true), "cut at {cut}");
        }
        let broken = b"4\r\nwikiX\r\n0\r\n\r\n";
        assert_eq!(Chunks::default().take(broken), (broken.len(), false));
        assert_eq!(Chunks::default().take(b"ffffffffffffffffffff\r\nabc"), (25, false));
    }
}
