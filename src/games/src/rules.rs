use crate::blackjack::{BlackjackRound, BlackjackRules};
use crate::{Bet, BetRefusal, Chips, Placed, Round};
use fairshoe_fairness::Composition;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The longest rule set text that is looked at, in bytes.
pub const MAX_RULE_SET_BYTES: usize = 16 * 1024;

/// Who may sit at a table (rule C6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One player a round; bets close as soon as they are laid.
    Solo,
}

/// What a crash of the service does to an open round (rule C20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Crash {
    /// The round goes on from the last durable event, same slots, same order.
    Resume,
    /// The round is void, every chip back where it was.
    Rollback,
}

/// What becomes of a round whose player stays away (rule C19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abandon {
    /// Default play finishes it at the deadline.
    Finish,
}

/// When a new shoe comes (rule C11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reshuffle {
    /// After every round, void or not.
    EveryRound,
}

/// What every game's table has in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRules {
    /// Solo or shared.
    pub mode: Mode,
    /// The least opening stake.
    pub stake_min: Chips,
    /// The greatest opening stake on one spot.
    pub stake_max: Chips,
    /// Opening stakes are multiples of it (C4).
    pub stake_step: Chips,
    /// Chip denominations, ascending; empty: any amount.
    pub chips: Vec<Chips>,
    /// When a new shoe comes.
    pub reshuffle: Reshuffle,
    /// What a crash does to an open round.
    pub crash: Crash,
    /// What becomes of an abandoned round.
    pub abandon: Abandon,
    /// Milliseconds from `bets_closed` until a round with a missing reveal is void.
    pub reveal_time_ms: u64,
    /// Milliseconds from `round_opened` within which the round must be settled (C17).
    pub round_time_ms: u64,
}

/// The rules of one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GameRules {
    /// Blackjack in any of its forms.
    Blackjack(BlackjackRules),
}

/// A rule set: data that fixes a table's game completely. Its digest stands in `table_opened`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSet {
    /// Its name: `[a-z0-9._-]{1,64}`.
    pub name: String,
    /// What every table has.
    pub table: TableRules,
    /// The game.
    pub game: GameRules,
}

/// Why a rule set is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleSetError {
    /// Longer than a rule set can be.
    #[error("a rule set is at most {MAX_RULE_SET_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// Not the JSON of a rule set.
    #[error("not a rule set: {0}")]
    Malformed(String),
    /// Well-formed, but contradicts itself or a bound.
    #[error("the rule set contradicts itself: {0}")]
    Contradiction(String),
    /// `option=value` names an option the rule set does not have.
    #[error("there is no option `{name}`; the options are {valid}")]
    UnknownOption {
        /// What was named.
        name: String,
        /// What would do.
        valid: String,
    },
}

impl RuleSet {
    /// Parses and validates a rule set.
    pub fn from_json(text: &str) -> Result<RuleSet, RuleSetError> {
        if text.len() > MAX_RULE_SET_BYTES {
            return Err(RuleSetError::TooLong(text.len()));
        }
        let rules: RuleSet = serde_json::from_str(text).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        rules.validate()?;
        Ok(rules)
    }

    /// One of the rule sets that the product ships.
    pub fn shipped(name: &str) -> Option<RuleSet> {
        let (_, text) = crate::SHIPPED_RULE_SETS.iter().find(|(shipped, _)| *shipped == name)?;
        RuleSet::from_json(text).ok()
    }

    /// The same rule set with options set: each `(name, value)`, the value as JSON or as a bare word.
    pub fn with_options<'a>(&self, options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<RuleSet, RuleSetError> {
        let mut value = serde_json::to_value(self).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        for (name, text) in options {
            let new = serde_json::from_str(text).unwrap_or_else(|_| serde_json::Value::String(text.to_owned()));
            match option_slot(&mut value, name) {
                Some(old) => *old = new,
                None => return Err(RuleSetError::UnknownOption { name: name.to_owned(), valid: option_names(&value).join(", ") }),
            }
        }
        let rules: RuleSet = serde_json::from_value(value).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        rules.validate()?;
        Ok(rules)
    }

    /// Whether the rule set holds together; the reason if not.
    pub fn validate(&self) -> Result<(), RuleSetError> {
        let refuse = |why: &str| Err(RuleSetError::Contradiction(why.to_owned()));
        let table = &self.table;
        let name_fits = (1..=64).contains(&self.name.len())
            && self.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b));
        if !name_fits {
            return refuse("the name must be [a-z0-9._-]{1,64}");
        }
        if table.stake_min == Chips::ZERO || table.stake_min > table.stake_max {
            return refuse("stake_min must be at least 1 and at most stake_max");
        }
        if table.stake_max.units() > 1_000_000_000_000 {
            return refuse("stake_max is at most 1000000000000, so that no payout leaves the range of amounts");
        }
        if table.stake_step == Chips::ZERO || table.stake_step > table.stake_max {
            return refuse("stake_step must be at least 1 and at most stake_max");
        }
        let step = table.stake_step.units();
        if table.stake_max.units().checked_div(step).unwrap_or(0).saturating_mul(step) < table.stake_min.units() {
            return refuse("no multiple of stake_step lies between stake_min and stake_max");
        }
        let ascending = table.chips.windows(2).all(|pair| pair[0] < pair[1]);
        if table.chips.len() > 32 || !ascending || table.chips.contains(&Chips::ZERO) {
            return refuse("chips must be at most 32 denominations above 0, ascending");
        }
        if table.chips.first().is_some_and(|least| !step.is_multiple_of(least.units())) {
            return refuse("stake_step must be a multiple of the least chip, so that every stake can be laid with chips");
        }
        for (what, ms) in [("reveal_time_ms", table.reveal_time_ms), ("round_time_ms", table.round_time_ms)] {
            if !(1_000..=604_800_000).contains(&ms) {
                return Err(RuleSetError::Contradiction(format!("{what} must be from 1000 (a second) to 604800000 (a week)")));
            }
        }
        match &self.game {
            GameRules::Blackjack(rules) => rules.validate().map_err(RuleSetError::Contradiction),
        }
    }

    /// The canonical text: JSON, keys sorted, no white space. What the digest is over.
    pub fn canonical(&self) -> String {
        // A rule set holds nothing that JSON cannot. The sort is for builds in which some other crate switches on
        // serde_json's `preserve_order`: the digest must not depend on how the service was built.
        let sorted = serde_json::to_value(self).map(|mut value| {
            value.sort_all_objects();
            value.to_string()
        });
        sorted.unwrap_or_default()
    }

    /// SHA-256 over `fairshoe/v1/rule-set`, a zero byte, and the canonical text; lower-case hex.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"fairshoe/v1/rule-set\0");
        hash.update(self.canonical().as_bytes());
        hex::encode(hash.finalize())
    }

    /// The shoe's composition.
    pub fn composition(&self) -> Composition {
        match &self.game {
            GameRules::Blackjack(rules) => Composition::Decks(rules.decks),
        }
    }

    /// How many shoe candidates are committed: 2 in private games, else 1 (spec/fairness.md).
    pub fn candidates(&self) -> u8 {
        1
    }

    /// Checks one player's bets: limits, spots, chips, balance.
    pub fn check_bets(&self, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        match &self.game {
            GameRules::Blackjack(rules) => rules.check_bets(&self.table, bets, balance),
        }
    }

    /// A round with these bets, before its first card. Bets that no balance would make good are refused here too, so that
    /// a log cannot open a round that the rules do not have; whether the balance sufficed is for the house.
    pub fn open_round(&self, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        let Mode::Solo = self.table.mode;
        if placed.len() != 1 {
            let given = placed.iter().fold(0usize, |sum, one| sum.saturating_add(one.bets.len()));
            return Err(BetRefusal::Count { given, most: 1 });
        }
        placed.iter().try_for_each(|one| self.check_bets(&one.bets, Chips::MAX))?;
        match &self.game {
            GameRules::Blackjack(rules) => Ok(Box::new(BlackjackRound::new(rules.clone(), placed)?)),
        }
    }
}

/// The objects of a rule set that hold options: `table`, and the game's own.
fn option_objects(value: &serde_json::Value) -> impl Iterator<Item = &serde_json::Map<String, serde_json::Value>> {
    let game = value["game"].as_object().and_then(|game| game.values().next());
    [value["table"].as_object(), game.and_then(|rules| rules.as_object())].into_iter().flatten()
}

fn option_names(value: &serde_json::Value) -> Vec<String> {
    option_objects(value).flat_map(|object| object.keys().cloned()).collect()
}

fn option_slot<'v>(value: &'v mut serde_json::Value, name: &str) -> Option<&'v mut serde_json::Value> {
    let object = value.as_object_mut()?;
    if object.get("table")?.get(name).is_some() {
        return object.get_mut("table")?.get_mut(name);
    }
    object.get_mut("game")?.as_object_mut()?.values_mut().next()?.get_mut(name)
}
