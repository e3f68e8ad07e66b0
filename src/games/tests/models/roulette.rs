//! The roulette layout of document 001 (R001.71, A001.jj, A001.kk), drawn as a table of three rows and twelve columns.

use std::collections::BTreeSet;

/// A place of the layout: its kind, the numbers it covers, the win of a unit on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayoutBet {
    pub kind: &'static str,
    pub numbers: BTreeSet<u8>,
    pub pays: u64,
}

impl LayoutBet {
    /// The spot's name on the log: the kind, then the numbers it covers; a line by its first and last number, even
    /// chances by the kind alone.
    pub fn name(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(u8::to_string).collect();
        let kind = self.kind;
        match kind {
            "straight" | "split" | "street" | "corner" => format!("{kind}:{}", numbers.join("-")),
            "line" => format!("line:{}-{}", numbers[0], numbers[5]),
            "dozen" => format!("dozen:{}", self.numbers.first().unwrap() / 12 + 1),
            "column" => format!("column:{}", self.numbers.first().unwrap()),
            _ => kind.to_owned(),
        }
    }
}

const RED: [u8; 18] = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];

fn place(kind: &'static str, pays: u64, numbers: impl IntoIterator<Item = u8>) -> LayoutBet {
    LayoutBet { kind, pays, numbers: numbers.into_iter().collect() }
}

/// Every place for a chip.
pub fn layout() -> Vec<LayoutBet> {
    // The grid as it is printed: grid[street][row], street 0 to 11.
    let grid: Vec<[u8; 3]> = (0..12).map(|street| [3 * street + 1, 3 * street + 2, 3 * street + 3]).collect();
    let mut all: Vec<LayoutBet> = (0..=36).map(|number| place("straight", 35, [number])).collect();
    for (at, street) in grid.iter().enumerate() {
        all.push(place("street", 11, *street));
        all.push(place("split", 17, [street[0], street[1]]));
        all.push(place("split", 17, [street[1], street[2]]));
        if let Some(next) = grid.get(at + 1) {
            all.push(place("line", 5, street.iter().chain(next).copied()));
            all.extend((0..3).map(|row| place("split", 17, [street[row], next[row]])));
            all.extend((0..2).map(|row| place("corner", 8, [street[row], street[row + 1], next[row], next[row + 1]])));
        }
    }
    // Around the zero.
    all.extend([1, 2, 3].map(|number| place("split", 17, [0, number])));
    all.push(place("street", 11, [0, 1, 2]));
    all.push(place("street", 11, [0, 2, 3]));
    all.push(place("corner", 8, [0, 1, 2, 3]));
    // Outside.
    let where_ = |test: &dyn Fn(u8) -> bool| (1..=36).filter(|number| test(*number)).collect::<Vec<u8>>();
    for dozen in 0..3 {
        all.push(place("dozen", 2, where_(&|number| (number - 1) / 12 == dozen)));
    }
    for column in 1..=3 {
        all.push(place("column", 2, where_(&|number| number % 3 == column % 3)));
    }
    all.push(place("red", 1, where_(&|number| RED.contains(&number))));
    all.push(place("black", 1, where_(&|number| !RED.contains(&number))));
    all.push(place("even", 1, where_(&|number| number % 2 == 0)));
    all.push(place("odd", 1, where_(&|number| number % 2 == 1)));
    all.push(place("low", 1, where_(&|number| number <= 18)));
    all.push(place("high", 1, where_(&|number| number >= 19)));
    all
}

/// The full return of a stake (R001.71, R001.72, A001.rr).
pub fn returns(place: &LayoutBet, pocket: u8, stake: u64) -> u64 {
    if place.numbers.contains(&pocket) { stake * (1 + place.pays) } else { 0 }
}
