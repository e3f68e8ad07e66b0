//! The rule set of an event's tables (spec/games/tournaments.md, 2.3): what the structure says, and the rest of the rule
//! set that it names.

use fairshoe_games::poker::{BettingRule, Blinds, CashTimeout, Clocks, EntryPost, LeavePolicy};
use fairshoe_games::{Chips, Crash, GameRules, RuleSet};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::Level;

/// An amount of a structure, which is far below the bound.
fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap_or(Chips::MAX)
}

/// The blinds of a level.
pub(crate) fn blinds(level: &Level) -> Blinds {
    Blinds {
        small: chips(level.small),
        big: chips(level.big),
        third: level.third.map(chips),
        ante: chips(level.ante),
        straddle: false,
        entry_post: EntryPost::Big,
    }
}

/// The rule set of an event's tables at a level, from 1; `None` where the named one is not poker.
pub(crate) fn table_rules(structure: &Structure, named: &RuleSet, level: u16) -> Option<RuleSet> {
    let GameRules::Poker(poker) = &named.game else { return None };
    let level = structure.levels.get(usize::from(level).checked_sub(1)?)?;
    let blinds = blinds(level);
    let mut poker = poker.clone();
    poker.blinds = blinds;
    poker.hand.rake = None;
    poker.rake_by_players = Vec::new();
    poker.cash_timeout = CashTimeout::CheckIfFree;
    poker.leave_table = LeavePolicy { exempt: true, removal_counts: false, sit_out_hands: u16::MAX };
    let clocks = &structure.clocks;
    poker.clocks = Clocks {
        street_extra_ms: poker.clocks.street_extra_ms,
        bank_ms: clocks.bank_ms,
        bank_refill_ms: clocks.bank_refill_ms,
    };
    let mut rules = RuleSet { name: named.name.clone(), table: named.table.clone(), game: GameRules::Poker(poker) };
    let table = &mut rules.table;
    table.seats = structure.seats;
    table.crash = Crash::Rollback;
    (table.stake_max, table.stake_step) = (chips(1_000_000_000_000), chips(1));
    table.bet_time_ms = clocks.commit_ms;
    table.reveal_time_ms = clocks.reveal_ms;
    table.turn_time_ms = clocks.turn_ms;
    // An event's hands have its own pause, and its seats are held to the end.
    (table.between_hands_ms, table.away_ms) = (clocks.between_hands_ms, None);
    Some(at_blinds(&rules, blinds))
}

/// The same rule set for other blinds, of which the largest is the least bet.
pub fn at_blinds(rules: &RuleSet, blinds: Blinds) -> RuleSet {
    let mut rules = rules.clone();
    let least = blinds.largest();
    if let GameRules::Poker(poker) = &mut rules.game {
        poker.hand.betting = match poker.hand.betting {
            BettingRule::NoLimit { .. } => BettingRule::NoLimit { min_bet: least },
            BettingRule::PotLimit { .. } => BettingRule::PotLimit { min_bet: least },
            BettingRule::FixedLimit { cap, .. } => {
                BettingRule::FixedLimit { small_bet: least, big_bet: chips(least.units().saturating_mul(2)), cap }
            }
        };
        poker.blinds = blinds;
    }
    rules.table.stake_min = least;
    rules
}
