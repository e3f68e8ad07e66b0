//! What a table's sign says of its rules (R001.130, R001.117), worked out from the rule set.

use fairshoe_games::blackjack::{BlackjackRules, EvenMoney, Insurance, InsuranceOdds, Surrender};
use fairshoe_games::poker::{BettingRule, CashTimeout, Family, PokerRules};
use fairshoe_games::{GameRules, RuleSet};

/// The lines of the sign.
pub fn notices(rules: &RuleSet) -> Vec<String> {
    let table = &rules.table;
    let mut lines = match &rules.game {
        GameRules::Blackjack(rules) => blackjack(rules),
        GameRules::Baccarat(rules) => {
            let [numerator, denominator] = rules.commission;
            vec![
                "player pays 1 to 1".to_owned(),
                format!("banker pays 1 to 1 less a commission of {numerator} in {denominator}"),
                format!("tie pays {} to 1; player and banker push on a tie", rules.tie_pays),
                format!("the least bet on banker is {}", rules.banker_min),
            ]
        }
        GameRules::Roulette(rules) => {
            let pays = &rules.pays;
            vec![
                "single zero".to_owned(),
                format!(
                    "straight pays {}, split {}, street {}, corner {}, line {} to 1",
                    pays.straight, pays.split, pays.street, pays.corner, pays.line
                ),
                format!("column pays {}, dozen {}, even chances {} to 1", pays.column, pays.dozen, pays.even_chance),
            ]
        }
        GameRules::Poker(rules) => poker(rules),
        GameRules::Safe(rules) => {
            vec!["the winner takes all entries".to_owned(), format!("the game ends with its round {} at the latest", rules.last_round)]
        }
    };
    lines.push(match (table.stake_min, table.stake_max) {
        (min, max) if rules.cash().is_some() => format!("buy-in from {min} to {max}"),
        (min, max) if min == max => format!("the stake is {min}"),
        (min, max) => format!("stakes from {min} to {max}, in steps of {}", table.stake_step),
    });
    lines
}

/// Blinds, rake and clocks are published (R001.81, R001.83).
fn poker(rules: &PokerRules) -> Vec<String> {
    let family = match (rules.hand.family, rules.hand.hi_lo) {
        (Family::Holdem, _) => "hold'em",
        (Family::ShortDeck, _) => "short-deck hold'em",
        (Family::Omaha, false) => "Omaha",
        (Family::Omaha, true) => "Omaha high-low, eight or better",
    };
    let betting = match rules.hand.betting {
        BettingRule::NoLimit { .. } => "no limit".to_owned(),
        BettingRule::PotLimit { .. } => "pot limit".to_owned(),
        BettingRule::FixedLimit { small_bet, big_bet, cap } => {
            let cap = cap.map_or_else(|| "no cap".to_owned(), |cap| format!("at most {cap} bets a street"));
            format!("limit {small_bet}/{big_bet}, {cap}")
        }
    };
    let ante = if rules.blinds.ante.units() == 0 { String::new() } else { format!(", ante {}", rules.blinds.ante) };
    let rake = match rules.hand.rake {
        None => "no rake".to_owned(),
        Some(rake) => {
            let free = if rake.no_flop_no_drop { ", none without a flop" } else { "" };
            format!("rake {} in 10000 of each pot, at most {} a hand{free}", rake.basis_points, rake.cap)
        }
    };
    let bank = match rules.clocks.bank_ms {
        0 => "no time bank".to_owned(),
        ms => format!("time bank {} s", ms / 1000),
    };
    let lapsed = match rules.cash_timeout {
        CashTimeout::Fold => "a turn that lapses is a fold",
        CashTimeout::CheckIfFree => "a turn that lapses is a check where it is free, else a fold",
    };
    vec![
        format!("{betting} {family}, blinds {}{ante}", rules.blinds.level()),
        rake,
        bank,
        lapsed.to_owned(),
        "folded hands stay private; each hand has two committed decks, of which the players' seeds choose one".to_owned(),
    ]
}

fn blackjack(rules: &BlackjackRules) -> Vec<String> {
    let [numerator, denominator] = rules.blackjack_pays;
    let mut lines = vec!["draw to 16, stand on 17".to_owned(), format!("blackjack pays {numerator} to {denominator}")];
    lines.push(match (rules.insurance, rules.insurance_odds) {
        (Insurance::None, _) => "no insurance".to_owned(),
        (Insurance::StakeBack, _) => "insurance returns the premium and the stake".to_owned(),
        (Insurance::Half, InsuranceOdds::ThreeToOne) => "insurance pays 3 to 1".to_owned(),
        (Insurance::Half, _) => "insurance pays 2 to 1".to_owned(),
    });
    if rules.insurance != Insurance::None {
        lines.push("insurance costs half the stake".to_owned());
    }
    lines.extend(match rules.even_money_upcards {
        EvenMoney::None => None,
        EvenMoney::Ten => Some("even money for a blackjack against a ten-card".to_owned()),
        EvenMoney::Ace => Some("even money for a blackjack against an ace".to_owned()),
    });
    lines.extend(match rules.surrender {
        Surrender::None => None,
        Surrender::Early => Some("a hand may be given up for half its stake before the dealer's hand is known".to_owned()),
        Surrender::Late => Some("a hand may be given up for half its stake once the dealer has no blackjack".to_owned()),
    });
    if rules.card_limit > 0 {
        lines.push(format!("a hand of {} cards stands", rules.card_limit));
    }
    lines
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn r001_130_the_sign_says_the_rules_in_force() {
        let of = |name: &str| notices(&RuleSet::shipped(name).unwrap());
        let live = of("live-blackjack");
        for line in ["draw to 16, stand on 17", "blackjack pays 3 to 2", "insurance pays 2 to 1"] {
            assert!(live.iter().any(|known| known == line), "{line}: {live:?}");
        }
        let better = RuleSet::shipped("live-blackjack").unwrap();
        let better = better.with_options([("blackjack_pays", "[2,1]"), ("insurance_odds", "3:1")]).unwrap();
        let better = notices(&better);
        assert!(better.contains(&"blackjack pays 2 to 1".to_owned()) && better.contains(&"insurance pays 3 to 1".to_owned()));
        assert!(of("study-group").contains(&"no insurance".to_owned()));
        assert!(of("baccarat").contains(&"tie pays 8 to 1; player and banker push on a tie".to_owned()));
        assert!(of("roulette").iter().any(|line| line.contains("straight pays 35")));
    }

    #[test]
    fn r001_117_the_sign_says_the_limits() {
        for (name, _) in fairshoe_games::SHIPPED_RULE_SETS {
            let rules = RuleSet::shipped(name).unwrap();
            let limits = notices(&rules).pop().unwrap();
            assert!(limits.contains(&rules.table.stake_min.to_string()) && limits.contains(&rules.table.stake_max.to_string()), "{limits}");
        }
    }
}
