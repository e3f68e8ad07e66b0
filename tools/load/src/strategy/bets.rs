//! A program's bets, within a table's limits and on free spots. It chooses at random by a seed, so that a run can be
//! repeated.

use super::{Strategy, one_of};
use fairshoe_fairness::Stream;
use fairshoe_games::{Bet, Chips, Mode, RuleSet};

/// The most bets on a layout that a program places in a round.
const MOST_SPOTS: usize = 5;

/// A larger stake is a multiple of the least, up to this factor.
const MULTIPLES: usize = 4;

/// A player's bets for a round: `stake`, adjusted to the table's limits, on the spots that are theirs at this seat and
/// that `is_free` for them.
pub fn place_bets(
    rules: &RuleSet,
    strategy: Strategy,
    seat: Option<u8>,
    stake: u64,
    is_free: impl Fn(&str) -> bool,
    random: &mut Stream,
) -> Vec<Bet> {
    let base = base_stake(rules, stake);
    let most = usize::from(rules.table.bets_per_player);
    let all = rules.spots();
    let by_seat = rules.spots_are_seats();
    let spots: Vec<String> = if by_seat {
        let own = seat.unwrap_or(1).to_string();
        let others = all.into_iter().filter(|spot| *spot != own && is_free(spot)).collect();
        // Only the random strategy, which looks for rare paths, uses more than its own spot.
        let more = if strategy == Strategy::Random { one_of(most.min(3), random) } else { 0 };
        std::iter::once(own).chain(some(others, more, random)).collect()
    } else {
        let count = 1 + one_of(most.min(all.len()).min(MOST_SPOTS), random);
        some(all, count, random)
    };
    let mut stake_of = || if by_seat { base } else { raised(rules, base, random) };
    spots.into_iter().map(|spot| Bet { stake: stake_of(), spot, chips: None }).collect()
}

/// The stake within the table's limits: a multiple of the step.
pub(crate) fn base_stake(rules: &RuleSet, stake: u64) -> Chips {
    let (min, max, step) =
        (rules.table.stake_min.units(), rules.table.stake_max.units(), rules.table.stake_step.units().max(1));
    let up = stake.clamp(min, max).div_ceil(step).saturating_mul(step);
    let within = if up > max { max / step * step } else { up };
    Chips::new(within).unwrap_or(rules.table.stake_min)
}

fn raised(rules: &RuleSet, base: Chips, random: &mut Stream) -> Chips {
    let times = u64::try_from(1 + one_of(MULTIPLES, random)).unwrap_or(1);
    let raised = base.units().checked_mul(times).and_then(Chips::new);
    raised.filter(|stake| *stake <= rules.table.stake_max).unwrap_or(base)
}

/// `count` of these without repeats, in any order.
fn some(mut all: Vec<String>, count: usize, random: &mut Stream) -> Vec<String> {
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count && !all.is_empty() {
        chosen.push(all.swap_remove(one_of(all.len(), random)));
    }
    chosen
}

/// Whether a program of this game shares a table with others.
pub(crate) fn is_shared(rules: &RuleSet) -> bool {
    rules.table.mode == Mode::Shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_games::{GameRules, SHIPPED_RULE_SETS};
    use std::collections::BTreeSet;

    #[test]
    fn every_games_bets_are_ones_the_rules_take() {
        let plenty = Chips::new(1_000_000_000).unwrap();
        for (name, _) in SHIPPED_RULE_SETS {
            let rules = RuleSet::shipped(name).unwrap();
            let mut random = Stream::new([5; 32]);
            let mut spots = BTreeSet::new();
            for round in 0..600u64 {
                let seat = is_shared(&rules).then(|| 1 + u8::try_from(round).unwrap_or(0) % rules.table.seats);
                let strategy = if round % 2 == 0 { Strategy::Random } else { Strategy::Basic };
                let bets = place_bets(&rules, strategy, seat, round * 7, |spot| spot != "2", &mut random);
                // A cash table takes no bets.
                if rules.cash().is_none() {
                    rules.check_bets(&bets, plenty).unwrap_or_else(|e| panic!("{name}: {e}: {bets:?}"));
                }
                spots.extend(bets.into_iter().map(|bet| bet.spot));
            }
            match &rules.game {
                GameRules::Poker(_) => assert_eq!(spots, BTreeSet::new(), "{name}"),
                GameRules::Blackjack(_) | GameRules::Safe(_) => assert!(spots.contains("1")),
                _ => assert_eq!(spots.len(), rules.spots().len(), "{name}"),
            }
        }
    }

    #[test]
    fn stakes_keep_to_limits_and_steps() {
        let rules = RuleSet::shipped("live-blackjack").unwrap();
        let stakes = [0, 100, 101, 99_999, 100_000, u64::MAX].map(|stake| base_stake(&rules, stake).units());
        assert_eq!(stakes, [100, 100, 102, 100_000, 100_000, 100_000]);
    }
}
