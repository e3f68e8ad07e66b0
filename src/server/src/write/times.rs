//! Times as callers write them: UTC milliseconds, or RFC 3339 in UTC.

use fairshoe_judge::day_of;

/// Reads a time: decimal milliseconds since 1970, or `YYYY-MM-DDTHH:MM:SS`, one to nine decimals of a second or none,
/// `Z`. What is finer than a millisecond is cut off.
pub fn parse(text: &str) -> Option<u64> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok().filter(|ms: &u64| ms.to_string() == text);
    }
    let (seconds, fraction) = match text.strip_suffix('Z')?.split_once('.') {
        Some((seconds, fraction)) => (seconds, fraction),
        None => (text.strip_suffix('Z')?, "0"),
    };
    let digits = |text: &str, length: usize| -> Option<u64> {
        let fits = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
        if fits { text.parse().ok() } else { None }
    };
    let (date, time) = seconds.split_once('T')?;
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let mut clock = time.split(':');
    let (hour, minute, second) = (digits(clock.next()?, 2)?, digits(clock.next()?, 2)?, digits(clock.next()?, 2)?);
    let over = parts.next().is_some() || clock.next().is_some() || hour > 23 || minute > 59 || second > 59;
    if over || !(1..=9).contains(&fraction.len()) || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let in_day = (hour * 3600 + minute * 60 + second) * 1000 + millis;
    day_of(year, month, day)?.checked_mul(86_400_000)?.checked_add(in_day)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_judge::utc;

    #[test]
    fn what_is_written_is_read_again() {
        for ms in [
            0,
            1,
            951_782_399_999,
            951_782_400_000,
            951_868_800_000,
            1_700_000_000_123,
            4_107_542_400_000,
            253_402_300_799_999,
        ] {
            assert_eq!(parse(&utc(ms)), Some(ms), "{}", utc(ms));
            assert_eq!(parse(&ms.to_string()), Some(ms));
        }
        // Every day of four centuries.
        for day in 0..146_097u64 {
            assert_eq!(parse(&utc(day * 86_400_000)), Some(day * 86_400_000));
        }
    }

    #[test]
    fn fractions_are_cut_to_milliseconds() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:01.5Z", 1_500),
            ("1970-01-01T00:00:01.2345Z", 1_234),
            ("1970-01-01T00:00:01.123456789Z", 1_123),
        ] {
            assert_eq!(parse(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_time() {
        for text in [
            "",
            "Z",
            "-1",
            "01",
            "1.5",
            "18446744073709551616",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00+00:00",
            "1970-01-01t00:00:00Z",
            "1969-12-31T23:59:59Z",
            "1970-00-01T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "1970-04-31T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.1234567890Z",
            "1970-01-01T00:00:00.é0Z",
            "+970-01-01T00:00:00Z",
            "1970-1-1T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
