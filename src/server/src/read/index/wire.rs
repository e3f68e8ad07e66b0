//! How numbers, names and rows stand in the index's files (spec/index.md, "Records").

use super::IndexError;

/// Appends a number: seven bits a byte, the lowest first, the highest bit set in all but the last.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends how far a number is from the one before it. Numbers of a list mostly ascend, by little.
pub fn put_from(out: &mut Vec<u8>, before: u64, number: u64) {
    let by = number.wrapping_sub(before).cast_signed();
    put(out, ((by << 1) ^ (by >> 63)).cast_unsigned());
}

/// Appends a number that may be missing.
pub fn put_some(out: &mut Vec<u8>, before: u64, number: Option<u64>) {
    out.push(u8::from(number.is_some()));
    if let Some(number) = number {
        put_from(out, before, number);
    }
}

/// Appends a text after its length.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// What is still to be read of a record. Whatever does not fit is damage.
pub struct Input<'b>(pub &'b [u8]);

impl<'b> Input<'b> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], IndexError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(IndexError::Damaged("a record ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, IndexError> {
        self.bytes(1)?.first().copied().ok_or(IndexError::Damaged("a record ends too early"))
    }

    pub fn number(&mut self) -> Result<u64, IndexError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(IndexError::Damaged("a number is too long"))
    }

    pub fn number_from(&mut self, before: u64) -> Result<u64, IndexError> {
        let by = self.number()?;
        Ok(before.wrapping_add((by >> 1) ^ (by & 1).wrapping_neg()))
    }

    pub fn some(&mut self, before: u64) -> Result<Option<u64>, IndexError> {
        match self.byte()? {
            0 => Ok(None),
            _ => self.number_from(before).map(Some),
        }
    }

    pub fn length(&mut self) -> Result<usize, IndexError> {
        usize::try_from(self.number()?).map_err(|_| IndexError::Damaged("a length is too great"))
    }

    pub fn text(&mut self) -> Result<&'b str, IndexError> {
        let length = self.length()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| IndexError::Damaged("a name is not text"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cut_ones_are_damage() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        for number in numbers {
            for before in numbers {
                let mut out = Vec::new();
                put(&mut out, number);
                put_from(&mut out, before, number);
                put_some(&mut out, before, Some(number));
                put_some(&mut out, before, None);
                put_text(&mut out, "joy-1");
                let mut input = Input(&out);
                assert_eq!(input.number().unwrap(), number);
                assert_eq!(input.number_from(before).unwrap(), number);
                assert_eq!(input.some(before).unwrap(), Some(number));
                assert_eq!(input.some(before).unwrap(), None);
                assert_eq!(input.text().unwrap(), "joy-1");
                assert!(input.is_empty() && input.byte().is_err());
            }
        }
        assert!(Input(&[0x80]).number().is_err());
        assert!(Input(&[0xff; 11]).number().is_err());
    }
}
