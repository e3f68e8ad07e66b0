//! Reads a log's raw bytes as an adversary would, and knows the seeds as the house does: no face of a card that lies
//! face-down or undealt, no seed and no salt, may appear before its time.

use super::*;
use fairshoe_fairness::Slot;
use fairshoe_house::ShoeId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

struct Live {
    faces: Vec<Card>,
    /// What must not be in any byte while the shoe is not revealed: seed, salts, keys.
    secrets: Vec<String>,
    shown: HashSet<u16>,
    /// The dealer's cards of the round, in the order in which they were dealt.
    dealer: Vec<u16>,
}

/// The checker: one for a whole log, fed entry by entry.
#[derive(Default)]
pub struct HiddenFaces {
    live: HashMap<String, Live>,
    epoch: String,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Every card text that stands between quotes somewhere in these bytes.
fn card_tokens(text: &str) -> Vec<Card> {
    text.as_bytes()
        .windows(4)
        .filter(|w| w[0] == b'"' && w[3] == b'"')
        .filter_map(|w| std::str::from_utf8(&w[1..3]).ok()?.parse().ok())
        .collect()
}

impl HiddenFaces {
    /// Looks at one entry; the reason if it shows too much.
    pub fn see(&mut self, seeds: &SeedDealer, bytes: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if text.contains(&hex(&MASTER)) {
            return Err("the master key".into());
        }
        let at = value["at"]["table"].as_str().unwrap_or_default().to_owned();
        let events: Vec<(String, Value)> = value["events"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|e| e.as_object().cloned().unwrap_or_default())
            .collect();
        let ends = events.iter().any(|(name, _)| name == "round_settled");
        let (mut expected, mut revealed) = (Vec::new(), false);
        for (name, event) in &events {
            match name.as_str() {
                "dealer_started" => self.epoch = event["epoch"].as_str().unwrap_or_default().to_owned(),
                "shoe_committed" => drop(self.live.insert(at.clone(), Live::new(seeds, &self.epoch, &at, event)?)),
                "shoe_revealed" => revealed = true,
                "play" => {
                    let live = self.live.get_mut(&at).ok_or("a card without a shoe")?;
                    let (kind, play) = event.as_object().and_then(|e| e.iter().next()).ok_or("an empty event")?;
                    let slot = play["slot"].as_u64().and_then(|s| u16::try_from(s).ok());
                    let hole = live.dealer.get(1).copied();
                    match (kind.as_str(), slot) {
                        ("dealt", Some(slot)) => {
                            if play["to"] == "dealer" {
                                live.dealer.push(slot);
                            }
                            let face_down = play["to"] == "dealer" && live.dealer.len() == 2;
                            if face_down != play["card"].is_null() {
                                return Err(format!("slot {slot} lies the wrong way up"));
                            }
                            if !face_down {
                                expected.push(slot);
                            }
                        }
                        ("turned", Some(slot)) if ends && Some(slot) == hole => expected.push(slot),
                        ("turned", _) => return Err("a card is turned up while the round goes on".into()),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        for slot in &expected {
            self.live.get_mut(&at).ok_or("a card without a shoe")?.shown.insert(*slot);
        }
        // Each face on these bytes belongs to a slot that this very entry turned up, once.
        let mut tokens = card_tokens(text);
        if let Some(live) = self.live.get(&at) {
            for slot in expected {
                let face = live.faces[usize::from(slot)];
                let place = tokens
                    .iter()
                    .position(|card| *card == face)
                    .ok_or_else(|| format!("slot {slot} was shown with another face"))?;
                tokens.swap_remove(place);
            }
        }
        if !tokens.is_empty() {
            return Err(format!("{tokens:?} should not be known here"));
        }
        for (table, live) in &self.live {
            let out = revealed && *table == at;
            if let Some(secret) = live.secrets.iter().find(|secret| !out && text.contains(*secret)) {
                return Err(format!("the secret {secret} of the shoe of {table}"));
            }
        }
        if revealed {
            self.live.remove(&at);
        }
        Ok(())
    }
}

impl Live {
    fn new(seeds: &SeedDealer, epoch: &str, at: &str, event: &Value) -> Result<Live, String> {
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let context = TableContext {
            origin: Origin::parse(ORIGIN).unwrap(),
            table: table(at),
            epoch: epoch.parse().map_err(|_| "an epoch that is none")?,
        };
        let composition: fairshoe_fairness::Composition =
            text("composition").parse().map_err(|_| "a composition that is none")?;
        let id = ShoeId { context, shoe_no: event["shoe_no"].as_u64().unwrap_or_default(), composition };
        let (seed, dealt) = seeds.derive(&id, 0);
        let slots = (0..id.composition.len()).map(Slot);
        let mut secrets =
            vec![seed.to_string(), hex(&seed.house_key(&id.composition)), hex(&seed.salt_key(&id.composition))];
        secrets.extend(slots.clone().map(|slot| hex(&dealt.open(slot).unwrap().salt)));
        Ok(Live {
            faces: slots.map(|slot| dealt.card(slot).unwrap()).collect(),
            secrets,
            shown: HashSet::new(),
            dealer: Vec::new(),
        })
    }
}
