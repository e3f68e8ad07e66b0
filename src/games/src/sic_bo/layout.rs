//! The layout: its fifty spots, and the throws in which each wins (R006.2 to R006.9).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The dice of a pocket, in the order in which they are thrown (R006.1): each from 1 to 6.
pub fn dice(pocket: u8) -> [u8; 3] {
    [pocket / 36, pocket / 6 % 6, pocket % 6].map(|die| die + 1)
}

/// A spot to bet on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// A total of 4 to 10 without a triple.
    Small,
    /// A total of 11 to 17 without a triple.
    Big,
    /// Three of this number.
    Triple(u8),
    /// Three of any number.
    AnyTriple,
    /// At least two of this number.
    Double(u8),
    /// This total, 4 to 17.
    Total(u8),
    /// Both numbers, the lower one first.
    Pair(u8, u8),
    /// At least one of this number.
    Single(u8),
}

impl Spot {
    /// How many times over it wins on these dice: a single number once for each die that shows it, all others once or
    /// not at all.
    pub fn wins(self, dice: [u8; 3]) -> u8 {
        let count = |number: u8| dice.iter().fold(0, |count, die| count + u8::from(*die == number));
        let total: u8 = dice.iter().sum();
        let triple = count(dice[0]) == 3;
        let is_won = match self {
            Spot::Small => !triple && total <= 10,
            Spot::Big => !triple && total > 10,
            Spot::Triple(number) => count(number) == 3,
            Spot::AnyTriple => triple,
            Spot::Double(number) => count(number) >= 2,
            Spot::Total(sum) => total == sum,
            Spot::Pair(low, high) => count(low) > 0 && count(high) > 0,
            Spot::Single(number) => return count(number),
        };
        u8::from(is_won)
    }

    /// Its name on the log: the one spelling.
    pub fn name(self) -> String {
        match self {
            Spot::Small => "small".into(),
            Spot::Big => "big".into(),
            Spot::Triple(number) => format!("triple:{number}"),
            Spot::AnyTriple => "any-triple".into(),
            Spot::Double(number) => format!("double:{number}"),
            Spot::Total(total) => format!("total:{total}"),
            Spot::Pair(low, high) => format!("pair:{low}-{high}"),
            Spot::Single(number) => format!("single:{number}"),
        }
    }

    /// The spot of that name; `None` for every other spelling.
    pub fn parse(name: &str) -> Option<Spot> {
        layout().find(|spot| spot.name() == name)
    }
}

/// All spots, in the order of the page.
pub fn layout() -> impl Iterator<Item = Spot> {
    let pairs = (1..=5).flat_map(|low| (low + 1..=6).map(move |high| Spot::Pair(low, high)));
    [Spot::Small, Spot::Big]
        .into_iter()
        .chain((1..=6).map(Spot::Triple))
        .chain([Spot::AnyTriple])
        .chain((1..=6).map(Spot::Double))
        .chain((4..=17).map(Spot::Total))
        .chain(pairs)
        .chain((1..=6).map(Spot::Single))
}

impl Serialize for Spot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Spot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Spot::parse(&name).ok_or_else(|| serde::de::Error::custom("a spot of the layout of Sic Bo"))
    }
}
