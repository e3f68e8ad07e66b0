//! Live baccarat (R001.40 to R001.48), down the page: it takes the cards of a hand and gives the return of each bet.

use super::cards::Face;

/// The result: the cards in the order drawn (`true`: to the player's side), and both totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    pub drawn: Vec<(bool, Face)>,
    pub player: u64,
    pub banker: u64,
}

fn worth(face: Face) -> u64 {
    match face % 13 {
        pip @ 0..=8 => u64::from(pip) + 1,
        _ => 0,
    }
}

fn total(cards: &[Face]) -> u64 {
    cards.iter().map(|card| worth(*card)).sum::<u64>() % 10
}

/// Plays one hand from the cards as they leave the shoe; `None` if they do not suffice.
pub fn hand(mut shoe: impl Iterator<Item = Face>) -> Option<Hand> {
    let (p1, b1, p2, b2) = (shoe.next()?, shoe.next()?, shoe.next()?, shoe.next()?);
    let mut drawn = vec![(true, p1), (false, b1), (true, p2), (false, b2)];
    let (mut player, mut banker) = (vec![p1, p2], vec![b1, b2]);
    if total(&player) >= 8 || total(&banker) >= 8 {
        return Some(Hand { drawn, player: total(&player), banker: total(&banker) });
    }
    let mut third = None;
    if total(&player) <= 5 {
        let card = shoe.next()?;
        player.push(card);
        drawn.push((true, card));
        third = Some(worth(card));
    }
    // R001.46: rows by the banker's total, columns by the points of the player's third card, 0 to 9.
    const DRAWS: [&str; 8] = [
        "++++++++++",
        "++++++++++",
        "++++++++++",
        "++++++++-+",
        "--++++++--",
        "----++++--",
        "------++--",
        "----------",
    ];
    let draws = match third {
        None => total(&banker) <= 5,
        Some(x) => DRAWS[total(&banker) as usize].as_bytes()[x as usize] == b'+',
    };
    if draws {
        let card = shoe.next()?;
        banker.push(card);
        drawn.push((false, card));
    }
    Some(Hand { drawn, player: total(&player), banker: total(&banker) })
}

/// The outcome and the full return of a stake on `player`, `banker` or `tie` (R001.47, A001.y).
pub fn returns(hand: &Hand, spot: &str, stake: u64) -> (&'static str, u64) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (spot, hand.player.cmp(&hand.banker)) {
        ("tie", Equal) => ("win", 9 * stake),
        ("tie", _) => ("loss", 0),
        (_, Equal) => ("draw", stake),
        ("player", Greater) => ("win", 2 * stake),
        // The commission, a twentieth rounded up, is taken from the win.
        ("banker", Less) => ("win", 2 * stake - stake.div_ceil(20)),
        _ => ("loss", 0),
    }
}
