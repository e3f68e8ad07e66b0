//! Times of the log as people read them, UTC milliseconds in RFC 3339, and the one calendar behind them. No library of
//! dates: those known end with the year 9999, and a time of the log need not.

/// UTC milliseconds as RFC 3339, by the proleptic Gregorian calendar.
pub fn utc(ms: u64) -> String {
    const DAY_MS: u64 = 86_400_000;
    let (days, in_day) = (ms / DAY_MS, ms % DAY_MS);
    let (year, month, day) = civil(days);
    let (hours, minutes, seconds, millis) =
        (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60, in_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970-01-01. Years are counted from March, so that the leap day is the
/// last of its year, in eras of 400 years, which all have 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar, if it is one and not before.
pub fn day_of(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // As `civil` counts, from March.
    let (year, months) = if month <= 2 { (year.checked_sub(1)?, month + 9) } else { (year, month - 3) };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * months + 2) / 5 + day - 1;
    let in_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    let days = era.checked_mul(146_097)?.checked_add(in_era)?.checked_sub(719_468)?;
    (civil(days) == (year + u64::from(month <= 2), month, day)).then_some(days)
}
