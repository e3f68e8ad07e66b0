//! Which cards the public log shows, and that no reply shows another one to anybody but the player whose it is.

use fairshoe_fairness::Card;
use fairshoe_house::{Actor, Entry, Event};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What the log shows of a table.
#[derive(Default)]
struct Table {
    /// Its shoe, as the entries go by. Games with several shoes at once (Safe) count as one.
    shoe_no: u64,
    piles: bool,
    slots: HashSet<(u64, u64)>,
    faces: HashMap<u64, HashSet<String>>,
    revealed: HashSet<u64>,
}

impl Table {
    fn number(&self, shoe_no: u64) -> u64 {
        if self.piles { 0 } else { shoe_no }
    }
}

/// See the module.
#[derive(Default)]
pub struct Shown {
    tables: HashMap<String, Table>,
    /// Whose own cards lie in a slot.
    own: HashMap<(String, u64), String>,
}

/// A face, or a pocket of a wheel.
fn face(object: &serde_json::Map<String, Value>) -> Option<String> {
    let value = object.get("card").or_else(|| object.get("value")).filter(|value| !value.is_null())?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Visits every object in a value that names a slot and a face.
fn faces<'v>(value: &'v Value, visit: &mut impl FnMut(&'v serde_json::Map<String, Value>, u64, String)) {
    match value {
        Value::Object(fields) => {
            if let (Some(slot), Some(face)) = (fields.get("slot").and_then(Value::as_u64), face(fields)) {
                visit(fields, slot, face);
            }
            fields.values().for_each(|value| faces(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| faces(item, visit)),
        _ => {}
    }
}

/// Visits every text that is a card and stands in no object with a slot.
fn loose_cards(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.parse::<Card>().is_ok() => visit(text),
        Value::Object(fields) if fields.contains_key("slot") => {}
        Value::Object(fields) => fields.values().for_each(|value| loose_cards(value, visit)),
        Value::Array(items) => items.iter().for_each(|item| loose_cards(item, visit)),
        _ => {}
    }
}

impl Shown {
    /// The next entry of the log is durable.
    pub fn take_in(&mut self, entry: &Entry) {
        let Some(at) = &entry.at else { return };
        let table = self.tables.entry(at.table.to_string()).or_default();
        for event in &entry.events {
            match event {
                Event::TableOpened { rules, .. } => {
                    table.piles = matches!(rules.game, fairshoe_games::GameRules::Safe(_))
                }
                Event::ShoeCommitted { shoe_no, .. } => table.shoe_no = *shoe_no,
                Event::ShoeRevealed { shoe_no, .. } if !table.piles => drop(table.revealed.insert(*shoe_no)),
                Event::Play(play) => {
                    let shoe_no = table.number(table.shoe_no);
                    let value = serde_json::to_value(play).unwrap();
                    let mut found = Vec::new();
                    faces(&value, &mut |_, slot, face| found.push((slot, face)));
                    for (slot, face) in found {
                        table.slots.insert((shoe_no, slot));
                        table.faces.entry(shoe_no).or_default().insert(face);
                    }
                    let faces = table.faces.entry(shoe_no).or_default();
                    loose_cards(&value, &mut |card| faces.extend([card.to_owned()]));
                }
                _ => {}
            }
        }
    }

    /// A reply about this table (without its receipts) leaves for this actor.
    pub fn check(&mut self, table_id: &str, by: &Actor, rest: &Value) -> Result<(), String> {
        self.check_own(table_id, by, &rest["own"])?;
        let Some(table) = self.tables.get(table_id) else { return Ok(()) };
        let plain = rest["round"]["shoe_no"].as_u64().unwrap_or(table.shoe_no);
        let mut wrong = None;
        for part in [&rest["openings"], &rest["round"]["game"]] {
            faces(part, &mut |fields, slot, face| {
                let shoe_no = fields.get("shoe_no").and_then(Value::as_u64).unwrap_or(plain);
                let number = table.number(shoe_no);
                if !table.slots.contains(&(number, slot)) && !table.revealed.contains(&shoe_no) {
                    wrong = Some(format!(
                        "a reply to {by} shows {face} in slot {slot} of shoe {shoe_no} of {table_id}, the log does not"
                    ));
                }
            });
            loose_cards(part, &mut |card| {
                let is_known = table.faces.get(&table.number(plain)).is_some_and(|faces| faces.contains(card));
                if !is_known && !table.revealed.contains(&plain) {
                    wrong =
                        Some(format!("a reply to {by} shows {card} of shoe {plain} of {table_id}, the log does not"));
                }
            });
        }
        wrong.map_or(Ok(()), Err)
    }

    /// A player's own cards are shown to that player alone, and no slot is two players' own.
    fn check_own(&mut self, table: &str, by: &Actor, own: &Value) -> Result<(), String> {
        if own.is_null() {
            return Ok(());
        }
        let Actor::Player(player) = by else { return Err(format!("{by} is shown a player's own cards")) };
        let round = format!("{table} {} {}", own["round"], own["shoe_no"]);
        let mut slots = Vec::new();
        faces(&own["openings"], &mut |_, slot, _| slots.push(slot));
        for slot in slots {
            let whose = self.own.entry((round.clone(), slot)).or_insert_with(|| player.to_string());
            if whose != player.as_str() {
                return Err(format!("slot {slot} of {round} is shown to {player} as their own, and was to {whose}"));
            }
        }
        Ok(())
    }
}
