//! Times as their reader's clock shows them: what the log says in UTC, at a fixed distance from it (`--zone +02:00`).

use fairshoe_judge::{day_of, utc};
use std::fmt;
use std::str::FromStr;

/// A distance from UTC, in minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zone(i64);

/// `2027-01-15T10:02:54.007Z`, as [`utc`] writes it.
const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";

/// The greatest distance from UTC that there is anywhere, in minutes.
const MOST: i64 = 14 * 60;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: u64 = 86_400_000;

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WANTED: &str = "a zone is its distance from UTC, as in +02:00, -05:30 or Z";
        if text == "Z" || text == "UTC" {
            return Ok(Zone(0));
        }
        let (sign, rest) = match text.split_at_checked(1) {
            Some(("+", rest)) => (1, rest),
            Some(("-", rest)) => (-1, rest),
            _ => return Err(WANTED.into()),
        };
        let (hours, minutes) = rest.split_once(':').ok_or(WANTED)?;
        let two = |digits: &str| {
            let is_plain = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<i64>().ok().filter(|_| is_plain).ok_or(WANTED)
        };
        let (hours, minutes) = (two(hours)?, two(minutes)?);
        let distance = hours * 60 + minutes;
        if minutes > 59 || distance > MOST {
            return Err(WANTED.into());
        }
        Ok(Zone(sign * distance))
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", self.0.abs() / 60, self.0.abs() % 60)
    }
}

impl Zone {
    /// The text with every time of the log in this zone.
    pub fn tell(self, text: &str) -> String {
        if self.0 == 0 {
            return text.to_owned();
        }
        let (mut told, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = next_time(rest) {
            let (before, from) = rest.split_at(at);
            let (time, after) = from.split_at(FORM.len());
            told.push_str(before);
            told.push_str(&self.moved(time).unwrap_or_else(|| time.to_owned()));
            rest = after;
        }
        told + rest
    }

    fn moved(self, time: &str) -> Option<String> {
        let moved = u64::try_from(i64::try_from(of_utc(time)?).ok()? + self.0 * MINUTE_MS).ok()?;
        Some(format!("{}{self}", utc(moved).strip_suffix('Z')?))
    }
}

/// A time that the user names: `2027-01-15`, `2027-01-15T10:02`, `2027-01-15T10:02:54`, with `Z` or a distance from UTC
/// behind it, or without (UTC). In milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub u64);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused =
            || format!("`{text}` is no time as in 2027-01-15, 2027-01-15T10:02:54Z or 2027-01-15T10:02+02:00");
        let (date, rest) = text.split_at_checked(10).ok_or_else(refused)?;
        let (time, zone) = match rest.find(['Z', '+', '-']) {
            Some(at) => rest.split_at(at),
            None => (rest, "Z"),
        };
        let seconds = match time.len() {
            0 => "T00:00:00",
            6 => ":00",
            _ => "",
        };
        let (whole, zone) = (format!("{date}{time}{seconds}"), zone.parse::<Zone>().map_err(|_| refused())?);
        let is_formed = next_time(&format!("{whole}.000Z")) == Some(0) && whole.len() == 19;
        let ms = is_formed.then(|| of_utc(&format!("{whole}.000Z"))).flatten().ok_or_else(refused)?;
        // An hour that there is not comes back as another one.
        if utc(ms) != format!("{whole}.000Z") {
            return Err(refused());
        }
        let there = i64::try_from(ms).ok().and_then(|ms| u64::try_from(ms - zone.0 * MINUTE_MS).ok());
        there.map(Moment).ok_or_else(refused)
    }
}

/// The milliseconds of a time as the log's words have it.
fn of_utc(time: &str) -> Option<u64> {
    let part = |from: usize, to: usize| time.get(from..to)?.parse::<u64>().ok();
    let days = day_of(part(0, 4)?, part(5, 7)?, part(8, 10)?)?;
    let in_day = ((part(11, 13)? * 60 + part(14, 16)?) * 60 + part(17, 19)?) * 1_000 + part(20, 23)?;
    Some(days * DAY_MS + in_day)
}

/// Where the next time begins.
fn next_time(text: &str) -> Option<usize> {
    let fits = |window: &[u8]| {
        window.iter().zip(FORM).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form })
    };
    text.as_bytes().windows(FORM.len()).position(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_named_to_the_day_the_minute_or_the_second() {
        for (text, ms) in [
            ("1970-01-01", 0),
            ("2027-01-15", 1_799_971_200_000),
            ("2027-01-15T10:02", 1_800_007_320_000),
            ("2027-01-15T10:02:54Z", 1_800_007_374_000),
            ("2027-01-15T10:02:54+02:00", 1_800_000_174_000),
            ("2027-01-15T10:02-05:30", 1_800_027_120_000),
            ("2024-02-29", 1_709_164_800_000),
        ] {
            assert_eq!(text.parse(), Ok(Moment(ms)), "{text}");
        }
        for wrong in [
            "",
            "2027",
            "2027-02-29",
            "2027-13-01",
            "2027-01-15T25:00",
            "2027-01-15 10:02",
            "1970-01-01T00:00+02:00",
            "yesterday",
            "2027-01-15T10:02:54.5Z",
            "2027-01-15T1:02",
        ] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_told_in_a_zone() {
        let zone = |text: &str| text.parse::<Zone>().unwrap();
        let said = "bets until 2023-12-31T23:30:00.120Z, seeds until 2024-02-29T00:00:00.000Z; ünder Z";
        assert_eq!(zone("Z").tell(said), said);
        assert_eq!(
            zone("+02:00").tell(said),
            "bets until 2024-01-01T01:30:00.120+02:00, seeds until 2024-02-29T02:00:00.000+02:00; ünder Z"
        );
        assert_eq!(
            zone("-05:30").tell(said),
            "bets until 2023-12-31T18:00:00.120-05:30, seeds until 2024-02-28T18:30:00.000-05:30; ünder Z"
        );
        // Each day comes back as it was, over four centuries and more.
        for ms in (0..20_000_000_000_000_u64).step_by(86_399_123_457) {
            let told = zone("+14:00").tell(&utc(ms));
            assert_eq!(told, utc(ms + 14 * 3_600_000).replace('Z', "+14:00"));
        }
        // Before the first time that there is nothing is moved.
        assert_eq!(zone("-01:00").tell("1970-01-01T00:30:00.000Z"), "1970-01-01T00:30:00.000Z");
        for wrong in ["", "2", "+2:00", "+02", "+02:60", "+15:00", "+-2:00", "Europe/Berlin", "+ 2:00"] {
            assert!(wrong.parse::<Zone>().is_err(), "{wrong}");
        }
    }
}
