//! The layout: its spots and the pockets that each covers (R001.70–72, A001.jj, A001.kk, A001.rr).

use crate::SpotName;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

/// Pockets of the wheel: 0 to 36.
pub const POCKETS: u8 = 37;

/// The red numbers (A001.kk); the other numbers are black, zero is green.
pub const RED: [u8; 18] = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];

/// The longest spelling of a spot that is read, in bytes: the six numbers of a line, written out.
const LONGEST_SPELLING: usize = 64;

/// The kind of bet of a spot; its odds depend on this alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BetKind {
    /// One number, zero included.
    Straight,
    /// Two neighbouring numbers.
    Split,
    /// A row of three, or a trio with zero.
    Street,
    /// Four numbers around a corner, or 0-1-2-3.
    Corner,
    /// Two neighbouring streets.
    Line,
    /// Twelve numbers in a column.
    Column,
    /// Twelve numbers in a row: 1–12, 13–24, 25–36.
    Dozen,
    /// Red, black, odd, even, low, high.
    EvenChance,
}

impl BetKind {
    /// The first word of its spots' names; an even chance has its own name.
    fn prefix(self) -> &'static str {
        match self {
            BetKind::Straight => "straight",
            BetKind::Split => "split",
            BetKind::Street => "street",
            BetKind::Corner => "corner",
            BetKind::Line => "line",
            BetKind::Column => "column",
            BetKind::Dozen => "dozen",
            BetKind::EvenChance => "",
        }
    }
}

/// A spot of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutSpot {
    name: SpotName,
    kind: BetKind,
    covered: u64,
}

impl LayoutSpot {
    /// Its one name on the log.
    pub fn name(&self) -> SpotName {
        self.name
    }

    /// The kind of bet.
    pub fn kind(&self) -> BetKind {
        self.kind
    }

    /// Whether the bet wins when the ball lies in this pocket.
    pub fn covers(&self, pocket: u8) -> bool {
        pocket < POCKETS && self.covered >> pocket & 1 == 1
    }

    /// The pockets in which it wins, ascending.
    pub fn pockets(&self) -> Vec<u8> {
        (0..POCKETS).filter(|pocket| self.covers(*pocket)).collect()
    }
}

impl Serialize for LayoutSpot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for &'static LayoutSpot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = SpotName::deserialize(deserializer)?;
        spot(name.as_str()).ok_or_else(|| serde::de::Error::custom("a spot of the roulette layout"))
    }
}

/// All spots of the layout: 157.
pub fn layout() -> &'static [LayoutSpot] {
    static LAYOUT: LazyLock<Vec<LayoutSpot>> = LazyLock::new(|| spots().into_iter().filter_map(layout_spot).collect());
    &LAYOUT
}

/// The spot of that name; `None` for every other spelling.
pub fn spot(name: &str) -> Option<&'static LayoutSpot> {
    layout().iter().find(|spot| spot.name.as_str() == name)
}

fn layout_spot((name, kind, pockets): (String, BetKind, Vec<u8>)) -> Option<LayoutSpot> {
    let covered = pockets.iter().fold(0, |set, pocket| set | 1u64 << pocket);
    Some(LayoutSpot { name: SpotName::parse(&name)?, kind, covered })
}

/// Names, kinds and pockets, copied from A001.jj.
fn spots() -> Vec<(String, BetKind, Vec<u8>)> {
    use BetKind::{Column, Corner, Dozen, EvenChance, Line, Split, Straight, Street};
    let inside = |kind: BetKind, pockets: Vec<u8>| (listed(kind, &pockets), kind, pockets);
    let numbered = |kind: BetKind, number: u8, pockets: Vec<u8>| (format!("{}:{number}", kind.prefix()), kind, pockets);
    let chance =
        |name: &str, wins: fn(u8) -> bool| (name.to_owned(), EvenChance, (1..POCKETS).filter(|n| wins(*n)).collect());
    let ends_row = |n: u8| n.is_multiple_of(3);
    let mut spots = Vec::with_capacity(157);
    spots.extend((0..POCKETS).map(|n| inside(Straight, vec![n])));
    spots.extend((1..=3).map(|n| inside(Split, vec![0, n])));
    spots.extend((1..36).filter(|n| !ends_row(*n)).map(|n| inside(Split, vec![n, n + 1])));
    spots.extend((1..=33).map(|n| inside(Split, vec![n, n + 3])));
    spots.extend([vec![0, 1, 2], vec![0, 2, 3]].map(|trio| inside(Street, trio)));
    spots.extend((0..12).map(|row| inside(Street, (3 * row + 1..=3 * row + 3).collect())));
    spots.push(inside(Corner, vec![0, 1, 2, 3]));
    spots.extend((1..=32).filter(|n| !ends_row(*n)).map(|n| inside(Corner, vec![n, n + 1, n + 3, n + 4])));
    spots.extend((0..11).map(|row| inside(Line, (3 * row + 1..=3 * row + 6).collect())));
    spots.extend((1..=3).map(|c| numbered(Column, c, (1..POCKETS).filter(|n| n % 3 == c % 3).collect())));
    spots.extend((1..=3).map(|d| numbered(Dozen, d, (12 * d - 11..=12 * d).collect())));
    spots.push(chance("red", |n| RED.contains(&n)));
    spots.push(chance("black", |n| !RED.contains(&n)));
    spots.push(chance("odd", |n| n % 2 == 1));
    spots.push(chance("even", |n| n % 2 == 0));
    spots.push(chance("low", |n| n <= 18));
    spots.push(chance("high", |n| n >= 19));
    spots
}

/// `split:17-20`: the numbers ascending; a line by its first and last, `line:13-18`.
fn listed(kind: BetKind, pockets: &[u8]) -> String {
    let mut name = kind.prefix().to_owned();
    let ends = [pockets.first(), pockets.last()];
    let shown: Vec<&u8> =
        if kind == BetKind::Line { ends.into_iter().flatten().collect() } else { pockets.iter().collect() };
    for (index, number) in shown.into_iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write!(name, "{}{number}", if index == 0 { ':' } else { '-' });
    }
    name
}

/// Words that other tables use for a kind of bet.
const KIND_WORDS: &[(&str, BetKind)] = &[
    ("straight", BetKind::Straight),
    ("number", BetKind::Straight),
    ("split", BetKind::Split),
    ("street", BetKind::Street),
    ("trio", BetKind::Street),
    ("row", BetKind::Street),
    ("corner", BetKind::Corner),
    ("square", BetKind::Corner),
    ("line", BetKind::Line),
    ("sixline", BetKind::Line),
    ("doublestreet", BetKind::Line),
    ("column", BetKind::Column),
    ("dozen", BetKind::Dozen),
];

/// Spots by the print of other tables.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("1-18", "low"),
    ("19-36", "high"),
    ("dozen:1-12", "dozen:1"),
    ("dozen:13-24", "dozen:2"),
    ("dozen:25-36", "dozen:3"),
];

/// Characters that may stand between two numbers.
const BETWEEN: [char; 3] = ['-', '/', '+'];

/// The spot that a spelling means: any case, any order of the numbers, `six-line` for `line`, a line's six numbers
/// written out, a bare number for `straight`. The log takes only names; this is for people. An error gives the reason.
pub fn normalise(spelling: &str) -> Result<&'static LayoutSpot, String> {
    if spelling.len() > LONGEST_SPELLING {
        return Err(format!("a spot's spelling has at most {LONGEST_SPELLING} bytes"));
    }
    let lower = spelling.to_ascii_lowercase();
    if let Some(spot) = spot(&lower) {
        return Ok(spot);
    }
    if let Some((_, name)) = OTHER_WORDS.iter().find(|(other, _)| *other == lower) {
        return spot(name).ok_or_else(|| UNKNOWN.to_owned());
    }
    let starts_with_number = lower.starts_with(|c: char| c.is_ascii_digit());
    let (word, list) =
        lower.split_once(':').unwrap_or(if starts_with_number { ("number", &lower) } else { (&lower, "") });
    let word: String = word.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    if word.starts_with("five") || word == "basket" || word == "topline" || list.split(BETWEEN).count() == 5 {
        return Err(FIVE.to_owned());
    }
    // This wheel has no `00`, so a number has no leading zeros.
    let number = |text: &str| text.parse().ok().filter(|number: &u8| number.to_string() == text);
    let numbers = list.split(BETWEEN).map(number).collect::<Option<Vec<u8>>>().ok_or(UNKNOWN)?;
    let (_, kind) = KIND_WORDS.iter().find(|(known, _)| *known == word).ok_or(UNKNOWN)?;
    let set: BTreeSet<u8> = numbers.iter().copied().collect();
    let is_meant = |spot: &&LayoutSpot| {
        let pockets = spot.pockets();
        let by_ends = [pockets.first(), pockets.last()].into_iter().flatten().eq(set.iter());
        spot.kind == *kind
            && match kind {
                BetKind::Column | BetKind::Dozen => {
                    set.iter().map(|n| format!("{}:{n}", kind.prefix())).eq([spot.name.to_string()])
                }
                BetKind::Line => pockets.iter().eq(set.iter()) || by_ends,
                _ => pockets.iter().eq(set.iter()),
            }
    };
    // A number named twice is a mistake.
    layout().iter().filter(|_| set.len() == numbers.len()).find(is_meant).ok_or_else(|| not_there(*kind))
}

const UNKNOWN: &str = "write straight:17, split:17-20, street:16-17-18, corner:16-17-19-20, line:13-18, column:2, dozen:2, red, black, odd, even, low or high";

const FIVE: &str = "a five-number bet needs a second zero, which this wheel does not have (A001.jj); corner:0-1-2-3 is the bet at the zero";

fn not_there(kind: BetKind) -> String {
    match kind {
        BetKind::Straight => "the numbers are 0 to 36".into(),
        BetKind::Split => "a split joins two neighbours: 17-18, 17-20, or zero with 1, 2 or 3".into(),
        BetKind::Street => "a street is a row such as 16-17-18, or 0-1-2, or 0-2-3".into(),
        BetKind::Corner => "a corner is four numbers that touch, such as 16-17-19-20, or 0-1-2-3".into(),
        BetKind::Line => {
            "a line is two neighbouring streets, named by the first and the last number, such as line:13-18".into()
        }
        BetKind::Column | BetKind::Dozen => "there are three, 1 to 3".into(),
        BetKind::EvenChance => UNKNOWN.into(),
    }
}
