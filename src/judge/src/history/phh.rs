//! The Poker Hand History format (phh.readthedocs.io), a file of TOML.

use super::{DealtIn, HandHistory, HandStep, HistoryError};
use crate::utc;
use fairshoe_fairness::{Card, Slot};
use fairshoe_games::poker::{BettingRule, Family, HandRules};
use fairshoe_games::{Action, Chips};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The variant's code: the format's own, or one made as those are where it has none (`PO/8`), which other programs
/// refuse rather than misread.
fn variant(rules: &HandRules) -> String {
    let betting = match rules.betting {
        BettingRule::NoLimit { .. } => 'N',
        BettingRule::PotLimit { .. } => 'P',
        BettingRule::FixedLimit { .. } => 'F',
    };
    let family = match rules.family {
        Family::Holdem => 'T',
        Family::ShortDeck => 'S',
        Family::Omaha => 'O',
    };
    format!("{betting}{family}{}", if rules.hi_lo { "/8" } else { "" })
}

fn words(cards: &[Card]) -> String {
    cards.iter().map(ToString::to_string).collect()
}

impl HandHistory {
    /// The hand as a `.phh` file (spec/hand-histories.md, "PHH").
    ///
    /// # Errors
    /// [`HistoryError::Broken`] where the table is no poker table.
    pub fn to_phh(&self) -> Result<String, HistoryError> {
        let broken = |what: &str| HistoryError::Broken { round: self.round.clone(), what: what.to_owned() };
        let rules = &self.hand_rules().ok_or_else(|| broken("its table plays no poker"))?;
        let seats = &self.seats;
        // With two players the format writes the button's posts first, though the other's stack is the first.
        let posting = || -> Vec<&DealtIn> {
            if seats.len() == 2 { seats.iter().rev().collect() } else { seats.iter().collect() }
        };
        let dues = |due: fn(&DealtIn) -> Option<i64>| posting().into_iter().map(due).collect::<Option<Vec<i64>>>();
        let too_large = || broken("its amounts are too large");
        // The format has no dead posts. Among the antes they lie in the pot and do not count towards a call, as they
        // should.
        let antes = dues(|seat| seat.due.ante.plus(seat.due.dead).map(Chips::signed)).ok_or_else(too_large)?;
        let dead = dues(|seat| Some(seat.due.dead.signed())).ok_or_else(too_large)?;
        // The post of one who comes in does not open: a negative amount in this format.
        let live = |seat: &DealtIn| {
            if seat.due.opens { Some(seat.due.live.signed()) } else { seat.due.live.signed().checked_neg() }
        };
        let blinds = dues(live).ok_or_else(too_large)?;
        let any_dead = dead.iter().any(|dead| *dead > 0);
        let started = utc(self.started);
        let (date, time) = (started.get(..10).unwrap_or_default(), started.get(11..19).unwrap_or_default());
        let number = |from: usize, to: usize| date.get(from..to).and_then(|digits| digits.parse::<u64>().ok());

        let mut file = Lines::default();
        file.put("variant", json!(variant(rules)));
        // Trimmed are antes, not dead posts: where there are some of these, other programs shall trim nothing.
        file.put("ante_trimming_status", json!(rules.ante_layers && !any_dead));
        file.put("antes", json!(antes));
        file.put("blinds_or_straddles", json!(blinds));
        match rules.betting {
            BettingRule::NoLimit { min_bet } | BettingRule::PotLimit { min_bet } => file.put("min_bet", json!(min_bet)),
            BettingRule::FixedLimit { small_bet, big_bet, .. } => {
                file.put("small_bet", json!(small_bet));
                file.put("big_bet", json!(big_bet));
            }
        }
        file.put("starting_stacks", json!(seats.iter().map(|seat| seat.stack).collect::<Vec<_>>()));
        file.list("actions", &self.actions(rules))?;
        file.put("finishing_stacks", json!(seats.iter().map(|seat| seat.finishing).collect::<Vec<_>>()));
        file.put("players", json!(seats.iter().map(|seat| &seat.player).collect::<Vec<_>>()));
        file.put("seats", json!(seats.iter().map(|seat| seat.due.seat).collect::<Vec<_>>()));
        file.put("seat_count", json!(self.rules.table.seats));
        if let Some(event) = &self.event {
            file.put("event", json!(event.name));
            file.put("level", json!(event.level));
        }
        file.put("table", json!(self.round.table));
        file.put("hand", json!(self.round.round_no));
        for (name, value) in [("year", number(0, 4)), ("month", number(5, 7)), ("day", number(8, 10))] {
            file.put(name, json!(value));
        }
        file.line("time", time);
        file.put("time_zone", json!("UTC"));
        self.user_fields(rules, &mut file, dead)?;
        Ok(file.text)
    }

    fn actions(&self, rules: &HandRules) -> Vec<String> {
        let hidden = "??".repeat(rules.family.hole_cards());
        let player = |place: usize| place.saturating_add(1);
        let mut bets = self.seats.iter().map(|seat| Some(seat.posted().live)).collect::<Vec<_>>();
        let mut lines = Vec::new();
        for place in 0..self.seats.len() {
            let cards = self.dealt_cards(place).map_or_else(|| hidden.clone(), |cards| words(&cards));
            lines.push(format!("d dh p{} {cards}", player(place)));
        }
        for step in &self.steps {
            lines.push(match step {
                HandStep::Board(cards) => {
                    bets.fill(Some(Chips::ZERO));
                    format!("d db {}", words(cards))
                }
                HandStep::Acted { place, action, cost, lapsed, .. } => {
                    if let Some(bet) = bets.get_mut(*place) {
                        *bet = bet.and_then(|bet| bet.plus(*cost));
                    }
                    let bet = bets.get(*place).copied().flatten().unwrap_or_default();
                    let what = match action {
                        Action::Fold => "f".to_owned(),
                        Action::Check | Action::Call => "cc".to_owned(),
                        _ => format!("cbr {bet}"),
                    };
                    format!("p{} {what}{}", player(*place), if *lapsed { " # time ran out" } else { "" })
                }
                HandStep::Shown { place } => {
                    let shown = self.seats.get(*place).map(|seat| words(&seat.shown)).unwrap_or_default();
                    format!("p{} sm {shown}", player(*place))
                }
                HandStep::Mucked { place } => format!("p{} sm", player(*place)),
            });
        }
        lines
    }

    /// The user fields: everything needed to check the cards, and to pay as this house does.
    fn user_fields(&self, rules: &HandRules, file: &mut Lines, dead: Vec<i64>) -> Result<(), HistoryError> {
        let hole: Vec<&Vec<Slot>> = self.seats.iter().map(|seat| &seat.hole).collect();
        let board: Vec<Slot> = self.board.iter().map(|(slot, _)| *slot).collect();
        file.put("_log", json!(self.log));
        file.put("_round_no", json!(self.round.round_no));
        file.put("_shoe_no", json!(self.shoe_no));
        file.put("_rule_set", json!({ "name": self.rules.name, "digest": self.digest }));
        if let Some(announced) = self.event.as_ref().and_then(|event| event.announced.as_ref()) {
            let structure = &announced.structure;
            let terms = &structure.entry;
            file.put("_structure", json!({ "name": structure.name, "digest": structure.digest() }));
            file.put(
                "_entry",
                json!({ "buy_in": terms.buy_in, "fee": terms.fee, "bounty": terms.bounty, "stack": terms.stack }),
            );
            file.put("_started", json!(utc(announced.starts_at)));
        }
        file.put("_hand_rules", json!(rules));
        file.put("_rake", json!(self.rake()));
        file.put("_dead", json!(dead));
        file.put("_positions", json!(self.positions));
        file.put("_candidates", json!(self.candidates));
        file.put("_pick", json!(self.pick));
        file.put("_entropy", json!(self.entropy));
        file.put("_other_seeds", json!(self.others));
        file.put("_slots", json!({ "hole": hole, "board": board, "burnt": self.burnt }));
        file.list("_openings", &self.openings)?;
        if let Some(own) = &self.own {
            file.put("_own_player", json!(self.seats.get(own.place).map(|seat| &seat.player)));
            file.list("_own_openings", &own.openings)?;
        }
        Ok(())
    }
}

/// A file of TOML, a key a line.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn line(&mut self, key: &str, value: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// An empty value is left out: TOML has no null.
    fn put(&mut self, key: &str, value: Value) {
        if let Some(value) = toml(&value) {
            self.line(key, &value);
        }
    }

    /// A list with an element a line.
    fn list(&mut self, key: &str, values: &[impl Serialize]) -> Result<(), HistoryError> {
        let mut list = String::from("[\n");
        for value in values {
            let value = serde_json::to_value(value)
                .map_err(|_| HistoryError::NoWord("an element of the hand cannot be written"))?;
            if let Some(value) = toml(&value) {
                let _ = writeln!(list, "  {value},");
            }
        }
        list.push(']');
        self.line(key, &list);
        Ok(())
    }
}

/// A value in TOML. The strings written here hold no character that the two notations write differently.
fn toml(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(list) => Some(format!("[{}]", list.iter().filter_map(toml).collect::<Vec<_>>().join(", "))),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(key, value)| Some(format!("{key} = {}", toml(value)?)));
            Some(format!("{{ {} }}", fields.collect::<Vec<_>>().join(", ")))
        }
        other => Some(other.to_string()),
    }
}
