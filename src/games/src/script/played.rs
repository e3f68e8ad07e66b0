//! The result of a scripted round by player, seat and bet: the report that `fairshoe-audit play` prints.

use super::{AMOUNT, Course, ScriptError};
use crate::{Chips, Outcome, Place, Placed, RoundEvent, Wager};
use fairshoe_fairness::PlayerId;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The result of a round played in words: what `fairshoe-audit play --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// Every debit, in minor units.
    pub staked: Chips,
    /// Every credit.
    pub returned: Chips,
    /// `returned − staked`.
    pub net: i64,
    /// In a game with one winner: the winner's name in the script; `None` while it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Option<String>>,
    /// The money by seat: a box, or a player's place in turn; one seat for each player who bets on a layout.
    pub seats: Vec<SeatMoney>,
    /// The money by spot, in the order of the bets.
    pub bets: Vec<BetMoney>,
    /// The events of the round.
    pub events: Vec<RoundEvent>,
    /// The table at the end, as everyone may see it.
    pub view: Value,
}

/// The money of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatMoney {
    /// Its number, from 1.
    pub seat: u8,
    /// The player there, by their name in the script.
    pub player: String,
    /// The stake there, in minor units.
    pub staked: Chips,
    /// The return.
    pub returned: Chips,
    /// `returned − staked`.
    pub net: i64,
}

/// The money of a bet, with all additions to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BetMoney {
    /// The player.
    pub player: PlayerId,
    /// The spot: a box's or seat's number, or its name.
    pub spot: String,
    /// The stake.
    pub staked: Chips,
    /// The return.
    pub returned: Chips,
    /// `returned − staked`.
    pub net: i64,
}

fn net(staked: Chips, returned: Chips) -> i64 {
    returned.signed().saturating_sub(staked.signed())
}

/// The spot of a place.
fn spot_of(place: &Place) -> String {
    match place {
        Place::Hand { spot, .. } => spot.to_string(),
        other => other.to_string(),
    }
}

/// Opening stakes, the cost of actions at the spot that was asked, the return of its wagers.
pub(super) fn bets(placed: &[Placed], events: &[RoundEvent]) -> Result<Vec<BetMoney>, ScriptError> {
    let opening = placed.iter().flat_map(|one| one.bets.iter().map(move |bet| (one, bet)));
    let mut lines: Vec<BetMoney> = opening
        .map(|(one, bet)| BetMoney {
            player: one.player.clone(),
            spot: bet.spot.clone(),
            staked: bet.stake,
            returned: Chips::ZERO,
            net: 0,
        })
        .collect();
    let mut asked: BTreeMap<u32, Place> = BTreeMap::new();
    let mut add = |player: &PlayerId, place: &Place, staked: Chips, returned: Chips| {
        let spot = spot_of(place);
        let line = lines.iter_mut().find(|line| line.player == *player && line.spot == spot)?;
        line.staked = line.staked.plus(staked)?;
        line.returned = line.returned.plus(returned)?;
        Some(())
    };
    for event in events {
        let done = match event {
            RoundEvent::Offered { decision, place, .. } => {
                asked.insert(*decision, *place);
                Some(())
            }
            RoundEvent::Acted { decision, player, cost, .. } if *cost > Chips::ZERO => {
                asked.get(decision).and_then(|place| add(player, place, *cost, Chips::ZERO))
            }
            RoundEvent::Paid { lines } => {
                lines.iter().try_for_each(|line| add(&line.player, &line.place, Chips::ZERO, line.returned))
            }
            _ => Some(()),
        };
        done.ok_or(AMOUNT)?;
    }
    for line in &mut lines {
        line.net = net(line.staked, line.returned);
    }
    Ok(lines)
}

/// Puts the result together; `named` gives a player's name in the script.
pub(super) fn played(
    placed: &[Placed],
    course: Course,
    has_winner: bool,
    named: impl Fn(&PlayerId) -> String,
) -> Result<Played, ScriptError> {
    let bets = bets(placed, &course.events)?;
    let numbered: Option<Vec<u8>> = bets.iter().map(|bet| bet.spot.parse().ok()).collect();
    let mut seats: Vec<SeatMoney> = match numbered {
        Some(numbers) => {
            let seat = |(bet, seat): (&BetMoney, u8)| SeatMoney {
                seat,
                player: named(&bet.player),
                staked: bet.staked,
                returned: bet.returned,
                net: bet.net,
            };
            bets.iter().zip(numbers).map(seat).collect()
        }
        // A player who bets on a layout has one seat for all spots.
        None => (1..)
            .zip(&course.players)
            .map(|(seat, (player, staked, returned))| SeatMoney {
                seat,
                player: named(player),
                staked: *staked,
                returned: *returned,
                net: net(*staked, *returned),
            })
            .collect(),
    };
    seats.sort_by_key(|seat| seat.seat);
    let lines = course
        .events
        .iter()
        .filter_map(|event| if let RoundEvent::Paid { lines } = event { Some(lines) } else { None });
    let won = lines.flatten().find(|line| line.wager == Wager::Entry && line.outcome == Outcome::Win);
    Ok(Played {
        staked: course.staked,
        returned: course.returned,
        net: net(course.staked, course.returned),
        winner: has_winner.then(|| won.map(|line| named(&line.player))),
        seats,
        bets,
        events: course.events,
        view: course.view,
    })
}
