//! Main pot and side pots from each seat's chips, and the uncalled chips that go back (A001.qq). `showdown.rs` decides
//! who wins the pots.

use crate::Chips;

/// One seat's chips in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The chips that count for the layers: bets, calls, blinds, and antes if they make side pots.
    pub layered: Chips,
    /// The chips that go straight into the first pot: dead blinds, and antes if they make no side pots (rule R001.5).
    pub dead: Chips,
    /// Whether the seat still contests the pots.
    pub in_hand: bool,
}

/// A pot and the seats that contest it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pot {
    /// Its amount.
    pub amount: Chips,
    /// The seats that contest it, ascending.
    pub seats: Vec<usize>,
}

/// Contributions as pots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The main pot first.
    pub pots: Vec<Pot>,
    /// Uncalled chips: the seat that gets them back, and the amount. They were never in a pot and are not raked (rule
    /// R001.81).
    pub uncalled: Option<(usize, Chips)>,
}

/// Splits the chips into layers (rule A001.qq): an all-in player contests only the layers they filled; a top layer that
/// one seat alone filled goes back. Neighbouring layers with the same contestants are one pot.
///
/// `None` if the sum is above [`Chips::MAX`], or no seat contests.
pub fn layer(contributions: &[Contribution]) -> Option<Layers> {
    Chips::sum(contributions.iter().flat_map(|c| [c.layered, c.dead]))?;
    let mut layered: Vec<Chips> = contributions.iter().map(|c| c.layered).collect();
    let uncalled = take_uncalled(&mut layered);
    let contesting = |least: Chips| -> Vec<usize> {
        (0..contributions.len()).filter(|&seat| contributions[seat].in_hand && layered[seat] >= least).collect()
    };
    let everyone = contesting(Chips::ZERO);
    if everyone.is_empty() {
        return None;
    }
    let mut pots = vec![Pot { amount: Chips::sum(contributions.iter().map(|c| c.dead))?, seats: everyone }];
    let mut levels = layered.clone();
    levels.sort_unstable();
    levels.dedup();
    let mut below = Chips::ZERO;
    for level in levels.into_iter().filter(|&level| level > Chips::ZERO) {
        let filled = layered.iter().filter(|&&put_in| put_in >= level).count();
        let amount = level.minus(below)?.fraction_down(u64::try_from(filled).ok()?, 1)?;
        below = level;
        let seats = contesting(level);
        match pots.last_mut() {
            // If all seats that filled a layer have folded, it belongs to the contestants of the pot below.
            Some(last) if seats.is_empty() || last.seats == seats || last.amount == Chips::ZERO => {
                last.amount = last.amount.plus(amount)?;
                if !seats.is_empty() {
                    last.seats = seats;
                }
            }
            _ => pots.push(Pot { amount, seats }),
        }
    }
    pots.retain(|pot| pot.amount > Chips::ZERO);
    Some(Layers { pots, uncalled })
}

/// Removes the chips that one seat put in above all others.
fn take_uncalled(layered: &mut [Chips]) -> Option<(usize, Chips)> {
    let top = (0..layered.len()).max_by_key(|&seat| layered[seat])?;
    let second = (0..layered.len()).filter(|&seat| seat != top).map(|seat| layered[seat]).max().unwrap_or(Chips::ZERO);
    let over = layered[top].minus(second)?;
    layered[top] = second;
    (over > Chips::ZERO).then_some((top, over))
}
