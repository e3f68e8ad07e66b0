//! Main pot and side pots from what each seat put in, and what goes back uncalled (A001.qq). Decides nothing about who
//! wins them; `showdown.rs` does.

use crate::Chips;

/// What one seat has put into a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// What counts for the layers: bets, calls, blinds, and antes where they make side pots.
    pub layered: Chips,
    /// What goes straight into the first pot: dead blinds, and antes where they do not (rule R001.5).
    pub dead: Chips,
    /// Whether the seat still contests the pots.
    pub in_hand: bool,
}

/// A pot and who contests it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pot {
    /// What lies in it.
    pub amount: Chips,
    /// The seats that contest it, ascending.
    pub seats: Vec<usize>,
}

/// Contributions as pots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The main pot first.
    pub pots: Vec<Pot>,
    /// What nobody called: to which seat it goes back, and how much. It was never in a pot, and is not raked (rule
    /// R001.81).
    pub uncalled: Option<(usize, Chips)>,
}

/// Layers what was put in (rule A001.qq): an all-in player contests only the layers they filled, and the top layer that
/// nobody else filled goes back. Neighbouring layers contested by the same seats are one pot.
///
/// `None` where the sum is above [`Chips::MAX`], or nobody contests.
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
            // Where all who filled a layer have folded, it belongs to those who contest the pot below.
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

/// Takes off what one seat put in above everybody else.
fn take_uncalled(layered: &mut [Chips]) -> Option<(usize, Chips)> {
    let top = (0..layered.len()).max_by_key(|&seat| layered[seat])?;
    let second = (0..layered.len()).filter(|&seat| seat != top).map(|seat| layered[seat]).max().unwrap_or(Chips::ZERO);
    let over = layered[top].minus(second)?;
    layered[top] = second;
    (over > Chips::ZERO).then_some((top, over))
}
