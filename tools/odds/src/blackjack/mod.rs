//! Blackjack: an expectation from a full shoe with the play that reaches it, and a simulation with the engine.

mod cards;
mod chart;
mod deal;
mod dealer;
mod evaluate;
mod facts;
mod odds;
mod patterns;
mod report;
mod simulate;
mod split;
mod strategy;

pub use cards::{ByValue, Deck, Hand, Value};
pub use chart::{Row, chart};
pub use deal::{Expectation, expectation, refund_worth};
pub use dealer::{DealerBlackjack, DealerTree, Ends};
pub use facts::{EvenMoneyValue, Facts, InsuranceValue};
pub use odds::{Legal, Odds, Pays};
pub use report::{BlackjackReport, Simulated};
pub use simulate::{BoxPlayer, Simulation, Tally};
pub use strategy::{Choice, Hole, Naive, Plan, Position, Strategy};

use crate::ruleset::chips;
use crate::{BlackjackArgs, Spread, StrategyName, UnusableInput, read_rule_set};
use fairshoe_games::blackjack::BlackjackRules;
use fairshoe_games::{Chips, GameRules, RuleSet};

/// The most hands of one run: weeks of work at some hundred thousand hands a second.
const MOST_HANDS: u64 = 1_000_000_000_000;

/// The blackjack options of a rule set.
pub fn blackjack_rules(rules: &RuleSet) -> Result<&BlackjackRules, UnusableInput> {
    match &rules.game {
        GameRules::Blackjack(blackjack) => Ok(blackjack),
        other => Err(UnusableInput(format!("`{}` is a rule set of {}, not of blackjack", rules.name, other.word()))),
    }
}

/// The least legal stake from 10 on, or the given one, which must be legal.
fn stake(rules: &RuleSet, asked: Option<u64>) -> Result<Chips, UnusableInput> {
    let table = &rules.table;
    let step = table.stake_step.units().max(1);
    let from = table.stake_min.units().max(10.min(table.stake_max.units()));
    let least = from.div_ceil(step).saturating_mul(step);
    let least = if least > table.stake_max.units() { table.stake_max.units() / step * step } else { least };
    let stake = chips(asked.unwrap_or(least))?;
    let bet = fairshoe_games::Bet { spot: "1".into(), stake, chips: None };
    rules.check_bets(&[bet], Chips::MAX).map_err(|e| UnusableInput(e.to_string()))?;
    Ok(stake)
}

/// Computes the rule set's figures.
pub fn run(args: &BlackjackArgs) -> Result<BlackjackReport, UnusableInput> {
    let rule_set = read_rule_set(&args.ruleset, &args.set)?;
    let rules = blackjack_rules(&rule_set)?;
    if !args.exact && !(2..=MOST_HANDS).contains(&args.hands) {
        return Err(UnusableInput(format!("--hands is from 2 to {MOST_HANDS}; --exact simulates none")));
    }
    let stake = stake(&rule_set, args.stake)?;
    let odds = Odds::new(rules, stake)?;
    let naive = match args.strategy {
        StrategyName::Basic => None,
        StrategyName::CopyDealer => Some(Naive::CopyDealer),
        StrategyName::NeverBust => Some(Naive::NeverBust),
    };
    let given = naive.as_ref().map(|naive| naive as &dyn Strategy);
    let found = expectation(&odds, &Deck::packs(rules.decks), given)?;
    let strategy = given.unwrap_or(&found.plan);
    let mut simulated = None;
    if !args.exact {
        let simulation = Simulation { rules: &rule_set, stake, strategy, fresh: args.fresh };
        let tally = simulation.run(args.hands, Spread::new(args.seed, args.threads))?;
        simulated = Some(Simulated::new(&tally, stake, args, found.player));
    }
    let refund = if args.refund { Some(refund_worth(&odds, &Deck::packs(rules.decks))?) } else { None };
    let (insured, insurable) = found.plan.insurances();
    Ok(BlackjackReport {
        ruleset: rule_set.name.clone(),
        set: args.set.clone(),
        digest: rule_set.digest(),
        decks: rules.decks,
        stake: stake.units(),
        strategy: args.strategy.word(),
        facts: Facts::new(rules, stake)?,
        insured,
        insurable,
        edge: report::edge(found.player),
        refund,
        simulation: simulated,
        chart: args.chart.then(|| chart(&odds, strategy)),
    })
}
