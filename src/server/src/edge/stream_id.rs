//! The ids of a stream's events, from each of which a reader goes on without a loss or a repetition (openapi.yaml,
//! `streamTable`): an entry has its log index, `80`; its openings are `80.1`, the caller's own cards in it `80.2`.

use crate::edge::number::number;
use crate::edge::problem::Problem;
use actix_web::HttpRequest;
use std::fmt;

/// The parts of an entry that a stream tells, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The entry itself.
    Entry,
    /// Openings of the faces that it shows.
    Openings,
    /// The cards and other things that it gives to the caller alone.
    Own,
}

impl Part {
    /// The event's name.
    pub fn word(self) -> &'static str {
        match self {
            Part::Entry => "entry",
            Part::Openings => "openings",
            Part::Own => "own",
        }
    }
}

/// The id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// The log index of the entry that it is of.
    pub entry: u64,
    /// The part of the entry.
    pub part: Part,
}

impl EventId {
    /// The event that a request goes on behind, if it names one.
    pub fn asked(http: &HttpRequest) -> Result<Option<Self>, Problem> {
        let Some(id) = http.headers().get("last-event-id") else { return Ok(None) };
        EventId::read(id.to_str().unwrap_or_default()).map(Some)
    }

    fn read(text: &str) -> Result<Self, Problem> {
        let (entry, part) = match text.split_once('.') {
            None => (text, Part::Entry),
            Some((entry, "1")) => (entry, Part::Openings),
            Some((entry, "2")) => (entry, Part::Own),
            Some(_) => return Err(Problem::malformed("Last-Event-ID is the id of an event: 80, 80.1 or 80.2")),
        };
        Ok(EventId { entry: number(entry, "Last-Event-ID")?, part })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry)?;
        match self.part {
            Part::Entry => Ok(()),
            Part::Openings => f.write_str(".1"),
            Part::Own => f.write_str(".2"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_nothing_else_is_one() {
        for text in ["0", "80", "80.1", "80.2", "18446744073709551615.2"] {
            assert_eq!(EventId::read(text).unwrap().to_string(), text);
        }
        for text in
            ["", ".1", "80.", "80.0", "80.3", "80.01", "80.1.1", "080", "+8", "-1", " 8", "18446744073709551616"]
        {
            assert!(EventId::read(text).is_err(), "{text}");
        }
        assert!(EventId::read(&"8".repeat(8_000)).is_err());
    }

    #[test]
    fn parts_come_in_the_order_in_which_they_are_told() {
        assert!(Part::Entry < Part::Openings && Part::Openings < Part::Own);
    }
}
