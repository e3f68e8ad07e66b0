//! Rule sets: the options that every table has, read from their canonical text with bounds, and the digest that names
//! them on the log (spec/entries.md, "Rule sets"). A game's own options are in its folder.

use crate::{Bet, BetRefusal, Chips, Edge, GameRules, Lying, Place, Placed, Round, RoundEvent, script};
use fairshoe_fairness::Composition;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The longest rule set text that is read, in bytes.
pub const MAX_RULE_SET_BYTES: usize = 16 * 1024;

/// The most bets of all players in a round: a settlement of this size fits one entry of the log (spec/log.md).
pub const MAX_BETS_PER_ROUND: u32 = 200;

/// The longest pause between two rounds. The house is late after twice this time (spec/audit.md).
pub const MOST_BETWEEN_HANDS_MS: u64 = 30_000;

/// The least time for which a player who is away keeps their seat, even if others wait for it.
pub const LEAST_AWAY_MS: u64 = 30_000;

/// The most time, while another player waits for a seat.
pub const MOST_AWAY_MS: u64 = 300_000;

/// Who may sit at a table (rule C6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One player a round; bets close as soon as they are placed.
    Solo,
    /// Several players: seats, a betting window, a turn clock.
    Shared,
}

/// How the cards of a round leave the shoe (rule C9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealingRule {
    /// One lane: each draw takes the next slot.
    Sequential,
    /// One lane for each occupied box and one for the dealer, so that one player's choices never change another's
    /// cards.
    Lanes,
}

/// The effect of a crash of the service on an open round (rule C20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Crash {
    /// The round goes on from the last durable event, same slots, same order.
    Resume,
    /// The round is void, every chip back where it was.
    Rollback,
}

/// The end of a round whose player stays away (rule C19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abandon {
    /// Default play finishes it at the deadline.
    Finish,
    /// The pending wagers are returned at the deadline, within `abandon_refunds` (R001.34, A001.u, A001.oo).
    Refund,
}

/// When a new shoe comes (rule C11), always after a round and never in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reshuffle {
    /// After every round, void or not.
    EveryRound,
    /// The cut card lies before the last so many cards; the new shoe comes after the round in which one of them was
    /// drawn. The table announces when it appears (R001.41, R001.51, R001.125).
    CutBack(u16),
    /// When at most so many cards are left at a round's end (R003.13).
    LeftAtMost(u16),
    /// When fewer than so many cards are left at a round's end (R004.15).
    LeftBelow(u16),
}

impl Reshuffle {
    /// Whether a shoe with `left` undrawn slots at a round's end is to be changed.
    pub fn is_due(self, left: usize) -> bool {
        match self {
            Reshuffle::EveryRound => true,
            Reshuffle::CutBack(back) => left < usize::from(back),
            Reshuffle::LeftAtMost(most) => left <= usize::from(most),
            Reshuffle::LeftBelow(bound) => left < usize::from(bound),
        }
    }
}

/// A count that may be unlimited. JSON: a number, or `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many.
    AtMost(u32),
    /// Any number.
    Unlimited,
}

impl Limit {
    /// Whether one more is allowed after `count`.
    pub fn allows_more_than(self, count: u32) -> bool {
        match self {
            Limit::AtMost(most) => count < most,
            Limit::Unlimited => true,
        }
    }
}

impl Serialize for Limit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Limit::AtMost(most) => serializer.serialize_u32(*most),
            Limit::Unlimited => serializer.serialize_str("unlimited"),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Number(u32),
            Word(String),
        }
        match Text::deserialize(deserializer)? {
            Text::Number(most) => Ok(Limit::AtMost(most)),
            Text::Word(word) if word == "unlimited" => Ok(Limit::Unlimited),
            Text::Word(_) => Err(serde::de::Error::custom("a limit is a number or `unlimited`")),
        }
    }
}

/// The options that every game's table has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRules {
    /// Solo or shared.
    pub mode: Mode,
    /// Seats, 1 at a solo table.
    pub seats: u8,
    /// How cards leave the shoe.
    pub dealing: DealingRule,
    /// The least opening stake.
    pub stake_min: Chips,
    /// The greatest opening stake on one spot.
    pub stake_max: Chips,
    /// Opening stakes are multiples of it (C4).
    pub stake_step: Chips,
    /// Chip denominations, ascending; empty: any amount.
    pub chips: Vec<Chips>,
    /// The most bets of one player in a round.
    pub bets_per_player: u16,
    /// When a new shoe comes.
    pub reshuffle: Reshuffle,
    /// Whether the operator may change the shoe between rounds at their discretion (R001.120).
    pub house_shuffle: bool,
    /// The effect of a crash on an open round.
    pub crash: Crash,
    /// The end of an abandoned round.
    pub abandon: Abandon,
    /// The most refunds of abandoned rounds to one player in a rolling 30 days, over all tables (A001.oo).
    pub abandon_refunds: Limit,
    /// Milliseconds from `bets_opened` until bets close; 0 at a solo table.
    pub bet_time_ms: u64,
    /// Whether bets close as soon as every player expected in the round has bet.
    pub close_early: bool,
    /// Milliseconds after `bets_closed` until a round with a missing reveal is void.
    pub reveal_time_ms: u64,
    /// Milliseconds for a decision at a shared table (C16); 0 at a solo table.
    pub turn_time_ms: u64,
    /// Milliseconds from `round_opened` within which a solo round must be settled (C17); 0 at a shared table.
    pub round_time_ms: u64,
    /// Milliseconds after a round's end before the next one is called, so that people see how it ended; absent: no
    /// pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_hands_ms: Option<u64>,
    /// Milliseconds after its last use at which an absent player's seat is idle, while another player waits for a seat;
    /// absent: five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_ms: Option<u64>,
}

/// A rule set: data that fixes a table's game completely. Its digest stands in `table_opened`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct RuleSet {
    /// Its name: `[a-z0-9_-][a-z0-9._-]{0,63}`.
    pub name: String,
    /// The options that every table has.
    pub table: TableRules,
    /// The game that is played, with its own options.
    pub game: GameRules,
}

fairshoe_fairness::own_json!(RuleSet);

/// Why a rule set is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleSetError {
    /// Longer than a rule set can be.
    #[error("a rule set is at most {MAX_RULE_SET_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The text is not the JSON of a rule set.
    #[error("not a rule set: {0}")]
    Malformed(String),
    /// Well-formed, but contradicts itself or a bound.
    #[error("the rule set contradicts itself: {0}")]
    Contradiction(String),
    /// `option=value` names an option the rule set does not have.
    #[error("there is no option `{name}`; the options are {valid}")]
    UnknownOption {
        /// The name given.
        name: String,
        /// The valid names.
        valid: String,
    },
}

impl RuleSet {
    /// Parses and validates a rule set.
    pub fn from_json(text: &str) -> Result<RuleSet, RuleSetError> {
        if text.len() > MAX_RULE_SET_BYTES {
            return Err(RuleSetError::TooLong(text.len()));
        }
        let rules = RuleSet::parse_json(text.as_bytes()).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        rules.validate()?;
        Ok(rules)
    }

    /// One of the rule sets that the product ships.
    pub fn shipped(name: &str) -> Option<RuleSet> {
        let (_, text) = crate::SHIPPED_RULE_SETS.iter().find(|(shipped, _)| *shipped == name)?;
        RuleSet::from_json(text).ok()
    }

    /// The same rule set with options set: each `(name, value)`, the value as JSON or as a bare word.
    pub fn with_options<'a>(
        &self,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<RuleSet, RuleSetError> {
        let mut value = serde_json::to_value(self).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        for (name, text) in options {
            match option_slot(&mut value, name) {
                Some(old) => *old = option_value(old, text),
                None => {
                    return Err(RuleSetError::UnknownOption {
                        name: name.to_owned(),
                        valid: option_names(&value).join(", "),
                    });
                }
            }
        }
        let rules: RuleSet = serde_json::from_value(value).map_err(|e| RuleSetError::Malformed(e.to_string()))?;
        rules.validate()?;
        Ok(rules)
    }

    /// Whether the rule set is consistent; the reason if not.
    pub fn validate(&self) -> Result<(), RuleSetError> {
        let refuse = |why: &str| Err(RuleSetError::Contradiction(why.to_owned()));
        let table = &self.table;
        let name_fits = (1..=64).contains(&self.name.len())
            && !self.name.starts_with('.')
            && self.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b));
        if !name_fits {
            return refuse("the name must be [a-z0-9_-][a-z0-9._-]{0,63}");
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
            return refuse(
                "stake_step must be a multiple of the least chip, so that every stake can be placed with chips",
            );
        }
        self.validate_seating()?;
        self.game.game().validate(table).map_err(RuleSetError::Contradiction)?;
        match table.reshuffle {
            Reshuffle::EveryRound => {}
            Reshuffle::CutBack(count) | Reshuffle::LeftAtMost(count) | Reshuffle::LeftBelow(count) => {
                if count >= self.composition().len() {
                    return refuse("the reshuffle rule would change a shoe before its first card");
                }
            }
        }
        let bets = u32::from(table.bets_per_player).saturating_mul(u32::from(table.seats));
        if !(1..=MAX_BETS_PER_ROUND).contains(&bets) {
            return Err(RuleSetError::Contradiction(format!(
                "seats times bets_per_player must be from 1 to {MAX_BETS_PER_ROUND}, so that a round's settlement fits one entry"
            )));
        }
        Ok(())
    }

    /// Seats, clocks and lanes: a solo table has no options that only a shared table needs.
    fn validate_seating(&self) -> Result<(), RuleSetError> {
        let refuse = |why: String| Err(RuleSetError::Contradiction(why));
        let table = &self.table;
        let shared = table.mode == Mode::Shared;
        if !(1..=20).contains(&table.seats) || (table.seats > 1) != shared {
            return refuse("a solo table has 1 seat, a shared one 2 to 20".into());
        }
        if !shared && table.dealing == DealingRule::Lanes {
            return refuse("lanes are for shared tables; a solo table deals sequentially (C9)".into());
        }
        if shared && table.abandon == Abandon::Refund {
            return refuse("an abandoned hand is refunded at solo tables only (C19)".into());
        }
        if !shared && table.close_early {
            return refuse("close_early is for shared tables: at a solo table bets close as they are placed".into());
        }
        let clocks = [
            ("reveal_time_ms", table.reveal_time_ms, true),
            ("round_time_ms", table.round_time_ms, !shared),
            ("bet_time_ms", table.bet_time_ms, shared),
            ("turn_time_ms", table.turn_time_ms, shared),
        ];
        for (what, ms, used) in clocks {
            if used && !(1_000..=604_800_000).contains(&ms) {
                return refuse(format!("{what} must be from 1000 (a second) to 604800000 (a week)"));
            }
            if !used && ms != 0 {
                return refuse(format!(
                    "{what} must be 0 at a {} table, which has no such clock",
                    if shared { "shared" } else { "solo" }
                ));
            }
        }
        if !shared && (table.between_hands_ms.is_some() || table.away_ms.is_some()) {
            return refuse("between_hands_ms and away_ms are for shared tables; leave them out at a solo table".into());
        }
        if table.between_hands_ms.is_some_and(|ms| ms > MOST_BETWEEN_HANDS_MS) {
            return refuse(format!("between_hands_ms must be from 0 to {MOST_BETWEEN_HANDS_MS} (half a minute)"));
        }
        if table.away_ms.is_some_and(|ms| !(LEAST_AWAY_MS..=MOST_AWAY_MS).contains(&ms)) {
            return refuse(format!(
                "away_ms must be from {LEAST_AWAY_MS} (half a minute) to {MOST_AWAY_MS} (five minutes)"
            ));
        }
        Ok(())
    }

    /// The canonical text: JSON, keys sorted, no white space. The digest is over this text.
    pub fn canonical(&self) -> String {
        // A rule set holds only what JSON can hold. The sort is for builds in which another crate switches on
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

    /// Whether this digest is that of the shipped rule set of this name. A name that is not shipped makes no such
    /// promise. *Attack: a rule set of a known name that pays 1:1 everywhere.*
    pub fn is_as_shipped(&self, digest: &str) -> bool {
        RuleSet::shipped(&self.name).is_none_or(|shipped| shipped.digest() == digest)
    }

    /// The shoe's composition.
    pub fn composition(&self) -> Composition {
        self.game.game().composition()
    }

    /// The number of shoe candidates committed: 2 in private games, else 1 (spec/fairness.md).
    pub fn candidates(&self) -> u8 {
        self.game.game().candidates()
    }

    /// Whether cards stay private for ever: a retired shoe is then sealed, not revealed (spec/fairness.md).
    pub fn is_private(&self) -> bool {
        self.candidates() > 1
    }

    /// The fewest players of a round: with fewer bets at the close there is no round.
    pub fn least_players(&self) -> usize {
        self.game.game().least_players()
    }

    /// The names of all spots on which a bet can be placed, in the order of the layout; empty if a round has no bets
    /// before it begins.
    pub fn spots(&self) -> Vec<String> {
        self.game.game().spots(&self.table)
    }

    /// Whether a bet's spot is a seat's number. Then a taken seat's spot belongs to that player alone.
    pub fn spots_are_seats(&self) -> bool {
        self.game.game().spots_are_seats()
    }

    /// The lines of the table's sign (R001.130, R001.117): the game's rules in force, and the limits.
    pub fn sign(&self) -> Vec<String> {
        let mut lines = self.game.game().sign();
        lines.push(match (self.table.stake_min, self.table.stake_max) {
            (min, max) if self.cash().is_some() => format!("buy-in from {min} to {max}"),
            (min, max) if min == max => format!("the stake is {min}"),
            (min, max) => format!("stakes from {min} to {max}, in steps of {}", self.table.stake_step),
        });
        lines
    }

    /// The share of the stakes that the house keeps, as far as it is known.
    pub fn edge(&self) -> Edge<'_> {
        self.game.game().edge()
    }

    /// The most that a unit on this bet can win in a round of so many players.
    pub fn most_won(&self, bet: &Bet, players: usize) -> i64 {
        self.game.game().most_won(bet, players)
    }

    /// Whether a round may go on with a pile collected from its own cards, which is unknown in advance.
    pub fn collects_cards(&self) -> bool {
        self.game.game().collects_cards()
    }

    /// The face-up cards at a place, summed up in words; `None` if the game has no such words.
    pub fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        self.game.game().total_words(place, lying)
    }

    /// An event in words, with what the open cards come to and with amounts written by `sum`; `None` if the cards add
    /// nothing to the event's own words.
    pub fn event_words(&self, event: &RoundEvent, lying: &Lying, sum: &dyn Fn(Chips) -> String) -> Option<String> {
        self.game.game().event_words(event, lying, sum)
    }

    /// How a round of these rules is written down in words.
    pub(crate) fn script(&self) -> script::Form {
        self.game.game().script(&self.table)
    }

    /// Whether high cards left in the shoe favour the players. Then the choice of when to change a shoe can favour a
    /// side.
    pub fn high_cards_favour_players(&self) -> bool {
        self.game.game().high_cards_favour_players()
    }

    /// Checks one player's bets: limits, spots, chips, balance.
    pub fn check_bets(&self, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        let most = usize::from(self.table.bets_per_player);
        if bets.is_empty() || bets.len() > most {
            return Err(BetRefusal::Count { given: bets.len(), most });
        }
        let sum = Chips::sum(bets.iter().map(|bet| bet.stake)).unwrap_or(Chips::MAX);
        self.game.game().check_bets(&self.table, bets, balance)?;
        if sum > balance { Err(BetRefusal::InsufficientBalance { balance, stake: sum }) } else { Ok(()) }
    }

    /// A round with these bets, by players in ascending order of their names, before its first card. It refuses bets
    /// that no balance could allow, so that a log cannot open a round that the rules do not have. The house checks the
    /// balance and the number of players.
    pub fn open_round(&self, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        let most = usize::from(self.table.seats);
        if placed.is_empty() || placed.len() > most {
            return Err(BetRefusal::Players { given: placed.len(), least: 1, most });
        }
        placed.iter().try_for_each(|one| self.check_bets(&one.bets, Chips::MAX))?;
        self.game.game().open_round(&self.table, placed)
    }
}

/// The objects of a rule set that hold options: `table`, and the game's own.
fn option_objects(value: &serde_json::Value) -> impl Iterator<Item = &serde_json::Map<String, serde_json::Value>> {
    let game = value["game"].as_object().and_then(|game| game.values().next());
    [value["table"].as_object(), game.and_then(|rules| rules.as_object())].into_iter().flatten()
}

/// An option's new value: JSON or a bare word; `on` and `off` for a truth value.
fn option_value(old: &serde_json::Value, text: &str) -> serde_json::Value {
    match text {
        "on" | "yes" if old.is_boolean() => true.into(),
        "off" | "no" if old.is_boolean() => false.into(),
        _ => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}

fn option_names(value: &serde_json::Value) -> Vec<String> {
    let named = option_objects(value).flat_map(|object| object.keys().cloned());
    named.chain(RESHUFFLE_COUNTS.map(str::to_owned)).collect()
}

/// The reshuffle rules that are counts; each has an option of its own name.
const RESHUFFLE_COUNTS: [&str; 3] = ["cut_back", "left_at_most", "left_below"];

/// Options of the table that may be absent.
const OPTIONAL: [&str; 2] = ["between_hands_ms", "away_ms"];

fn option_slot<'v>(value: &'v mut serde_json::Value, name: &str) -> Option<&'v mut serde_json::Value> {
    let object = value.as_object_mut()?;
    if RESHUFFLE_COUNTS.contains(&name) {
        let rule = object.get_mut("table")?.get_mut("reshuffle")?;
        *rule = serde_json::json!({ name: null });
        return rule.get_mut(name);
    }
    if OPTIONAL.contains(&name) {
        return Some(object.get_mut("table")?.as_object_mut()?.entry(name).or_insert(serde_json::Value::Null));
    }
    if object.get("table")?.get(name).is_some() {
        return object.get_mut("table")?.get_mut(name);
    }
    object.get_mut("game")?.as_object_mut()?.values_mut().next()?.get_mut(name)
}
