//! The payments of other instants (spec/games/refunds.md, 6). The instant of a cancellation is a choice worth money:
//! each moment that could have been named is computed by the house's own rule, and compared with the chosen one.

use fairshoe_fairness::PlayerId;
use fairshoe_house::Tournament;
use fairshoe_house::tournament::{CancelCause, Settlement};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// So many choices of an event are worked out.
pub const MOST_CHOICES: usize = 8;

/// So many amounts are kept of one choice, a player's as of an instant each: of a large event fewer instants are.
const MOST_AMOUNTS: usize = 200_000;

/// Cents by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Paid {
    /// The pool's part, to those who are left.
    pub pool: u64,
    /// Fees of entries in play.
    pub fees: u64,
    /// Heads and won totals.
    pub bounties: u64,
    /// Prizes of places that were taken and not paid.
    pub prizes: u64,
    /// Purchases after the instant; in case 1 everything.
    pub bought: u64,
    /// Payments after the instant, to be taken back.
    pub owed: u64,
}

/// One instant, and what a cancellation as of it pays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instant {
    /// UTC milliseconds.
    pub instant: u64,
    /// Which of the four cases.
    pub case: u8,
    /// n: how many are left.
    pub remaining: u64,
    /// P: what is divided.
    pub pool: u64,
    /// The part that is cut off.
    pub residual: u64,
    /// By what for, all players together.
    pub paid: Paid,
    /// The sum that the house keeps: fees that are not refunded, less what it adds to the accounts, and with all that
    /// it may take back.
    pub house: i64,
    /// By player, everything less what is to be taken back; before stakes are divided.
    pub players: BTreeMap<PlayerId, i64>,
}

/// The most and the least that a player would have got, among the instants that were worked out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerRange {
    /// The player.
    pub player: PlayerId,
    /// As of the instant that was chosen.
    pub chosen: i64,
    /// The most, and as of when.
    pub most: (i64, u64),
    /// The least, and as of when.
    pub least: (i64, u64),
}

/// A cancellation, or a moment in which there might have been one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// When it was made, UTC milliseconds.
    pub at: u64,
    /// The instant that was named; absent: the event went on, and the last instant that could have been named stands for
    /// the one chosen.
    pub named: Option<u64>,
    /// The first and the last that could be.
    pub bounds: (u64, u64),
    /// How many moments lie between the bounds at which what somebody held changed.
    pub moments: u64,
    /// Those that were worked out, ascending: all of them, or evenly thinned; the chosen one always.
    pub instants: Vec<Instant>,
    /// Which of them was chosen.
    pub chosen: usize,
    /// Which the house would keep most by.
    pub best_for_house: usize,
    /// Which the house would keep least by.
    pub worst_for_house: usize,
    /// Each player for whom the instant makes a difference, the largest difference first.
    pub players: Vec<PlayerRange>,
}

/// The instants that could be chosen at a time; `None` if no payment is possible as of the chosen one.
pub(super) fn choice(
    event: &Tournament,
    at: u64,
    named: Option<u64>,
    cause: CancelCause,
    most: usize,
) -> Option<Choice> {
    let bounds = event.instants(at);
    let chosen = named.filter(|named| (bounds.0..=bounds.1).contains(named)).or(named.is_none().then_some(bounds.1))?;
    let moments = event.moments(at);
    let most = most.min(MOST_AMOUNTS / event.entrants.iter().count().max(1));
    let mut instants: BTreeSet<u64> = thinned(&moments, most).collect();
    instants.extend([chosen, bounds.1]);
    let instants: Vec<Instant> = instants.into_iter().filter_map(|instant| worked_out(event, instant, cause)).collect();
    let chosen = instants.iter().position(|one| one.instant == chosen)?;
    let by_house = |(_, one): &(usize, &Instant)| one.house;
    let (best, _) = instants.iter().enumerate().rev().max_by_key(by_house)?;
    let (worst, _) = instants.iter().enumerate().min_by_key(by_house)?;
    let players = ranges(&instants, chosen);
    Some(Choice {
        at,
        named,
        bounds,
        moments: u64::try_from(moments.len()).unwrap_or(u64::MAX),
        chosen,
        best_for_house: best,
        worst_for_house: worst,
        players,
        instants,
    })
}

/// At most so many of them, evenly, the first and the last among them.
fn thinned(moments: &[u64], most: usize) -> impl Iterator<Item = u64> + '_ {
    let steps = moments.len().min(most.max(2));
    let last = moments.len().saturating_sub(1);
    (0..steps).filter_map(move |step| {
        let place = step.saturating_mul(last).checked_div(steps.saturating_sub(1)).unwrap_or(0);
        moments.get(place).copied()
    })
}

fn worked_out(event: &Tournament, instant: u64, cause: CancelCause) -> Option<Instant> {
    let Settlement { out, pool, refunds, advance } = event.settlement(instant, cause).ok()?;
    let signed = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
    let (mut paid, mut players, mut fees_out) = (Paid::default(), BTreeMap::new(), 0u64);
    let more = |sum: &mut u64, amount: u64| *sum = sum.saturating_add(amount);
    for (entry_no, refund) in &refunds {
        more(&mut paid.pool, refund.pool);
        more(&mut paid.fees, refund.fee);
        more(&mut paid.bounties, refund.bounty.saturating_add(refund.total));
        more(&mut paid.prizes, refund.prize);
        more(&mut paid.bought, refund.bought.sum());
        more(&mut paid.owed, refund.owed);
        more(&mut fees_out, refund.fee.saturating_add(refund.bought.fees));
        let player = event.entries.get(entry_no).map(|entry| entry.player.clone())?;
        let net = signed(refund.sum()).saturating_sub(signed(refund.owed));
        let sum: &mut i64 = players.entry(player).or_default();
        *sum = sum.saturating_add(net);
    }
    let (_, fees, _, _) = event.money();
    let house = fees
        .saturating_sub(signed(fees_out))
        .saturating_sub(advance.0)
        .saturating_sub(advance.1)
        .saturating_add(signed(paid.owed));
    let remaining = u64::try_from(out.payments.len()).unwrap_or(u64::MAX);
    Some(Instant { instant, case: u8::from(out.case), remaining, pool, residual: out.residual, paid, house, players })
}

fn ranges(instants: &[Instant], chosen: usize) -> Vec<PlayerRange> {
    let all: BTreeSet<&PlayerId> = instants.iter().flat_map(|one| one.players.keys()).collect();
    let of = |one: &Instant, player: &PlayerId| one.players.get(player).copied().unwrap_or_default();
    let range = |player: &PlayerId| {
        let by_amount = || instants.iter().map(|one| (of(one, player), one.instant));
        Some(PlayerRange {
            player: player.clone(),
            chosen: of(instants.get(chosen)?, player),
            // The first of equal ones.
            most: by_amount().rev().max_by_key(|(amount, _)| *amount)?,
            least: by_amount().min_by_key(|(amount, _)| *amount)?,
        })
    };
    let mut ranges: Vec<PlayerRange> = all.into_iter().filter_map(range).collect();
    ranges.retain(|range| range.most.0 != range.least.0);
    let difference = |range: &PlayerRange| {
        let gain = range.most.0.saturating_sub(range.chosen);
        gain.max(range.chosen.saturating_sub(range.least.0))
    };
    ranges.sort_by_key(|range| std::cmp::Reverse(difference(range)));
    ranges
}
