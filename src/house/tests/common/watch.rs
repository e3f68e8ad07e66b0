//! Reads the entries of any game as an adversary who knows every seed: each face shown is the true one of a slot that
//! lies face-up, no other face and no secret is in the bytes, no seed comes out while a drawn slot is hidden in play.

use super::*;
use fairshoe_fairness::Slot;
use fairshoe_house::ShoeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

struct Shoe {
    id: ShoeId,
    faces: HouseShoe,
    secrets: Vec<String>,
    drawn: BTreeSet<Slot>,
    /// Drawn and not shown.
    hidden: BTreeSet<Slot>,
}

#[derive(Default)]
struct TableWatch {
    shoes: BTreeMap<u64, Shoe>,
    /// The game's piles, the first deal's first.
    piles: Vec<u64>,
    in_round: bool,
    /// Faces that everyone may know: shown and not shuffled away since.
    public: BTreeSet<Card>,
}

/// One for a whole log, fed entry by entry.
#[derive(Default)]
pub struct Watcher {
    tables: HashMap<String, TableWatch>,
    epoch: Option<fairshoe_fairness::Epoch>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Every card text that stands between quotes somewhere in these bytes.
fn card_tokens(text: &str) -> Vec<Card> {
    let quoted = text.as_bytes().windows(4).filter(|w| w[0] == b'"' && w[3] == b'"');
    quoted.filter_map(|w| std::str::from_utf8(&w[1..3]).ok()?.parse().ok()).collect()
}

impl Watcher {
    pub fn see(&mut self, seeds: &SeedDealer, bytes: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        let entry = Entry::decode(bytes).map_err(|e| e.to_string())?;
        if let Some(Event::DealerStarted { epoch, .. }) = entry.events.first() {
            self.epoch = Some(*epoch);
        }
        let at = entry.at.as_ref().map(|at| at.table.to_string()).unwrap_or_default();
        let mut tokens = card_tokens(text);
        let mut out = Vec::new();
        for event in &entry.events {
            self.follow(seeds, &at, event, &mut tokens, &mut out)?;
        }
        let public = self.tables.get(&at).map(|seen| seen.public.clone()).unwrap_or_default();
        if let Some(card) = tokens.iter().find(|card| !public.contains(card)) {
            return Err(format!("{card} should not be known here: {text}"));
        }
        if text.contains(&hex(&MASTER)) {
            return Err("the master key".into());
        }
        for shoe in self.tables.values().flat_map(|seen| seen.shoes.values()) {
            if let Some(secret) = shoe.secrets.iter().find(|secret| text.contains(*secret)) {
                return Err(format!("the secret {secret} of shoe {}", shoe.id.shoe_no));
            }
        }
        Ok(())
    }

    fn follow(
        &mut self,
        seeds: &SeedDealer,
        at: &str,
        event: &Event,
        tokens: &mut Vec<Card>,
        out: &mut Vec<u64>,
    ) -> Result<(), String> {
        let epoch = self.epoch;
        let seen = self.tables.entry(at.to_owned()).or_default();
        match event {
            Event::ShoeCommitted { shoe_no, composition, .. } => {
                let context =
                    TableContext { origin: Origin::parse(ORIGIN).unwrap(), table: table(at), epoch: epoch.unwrap() };
                let id = ShoeId { context, shoe_no: *shoe_no, composition: composition.clone() };
                let (seed, faces) = seeds.derive(&id, 0);
                let mut secrets =
                    vec![seed.to_string(), hex(&seed.house_key(composition)), hex(&seed.salt_key(composition))];
                secrets.extend((0..composition.len()).map(|slot| hex(&faces.open(Slot(slot)).unwrap().salt)));
                seen.shoes
                    .insert(*shoe_no, Shoe { id, faces, secrets, drawn: BTreeSet::new(), hidden: BTreeSet::new() });
                if !seen.in_round {
                    seen.piles = vec![*shoe_no];
                }
            }
            Event::PileShuffled { .. } => {
                let newest = seen.shoes.keys().last().copied().ok_or("no pile")?;
                seen.piles.push(newest);
                let shoe = &seen.shoes[&newest];
                let back: BTreeSet<Card> =
                    (0..shoe.id.composition.len()).filter_map(|slot| shoe.faces.card(Slot(slot))).collect();
                seen.public.retain(|card| !back.contains(card));
            }
            Event::BetsClosed { .. } => {
                seen.in_round = true;
                seen.public.clear();
            }
            Event::RoundSettled { .. } | Event::RoundVoided { .. } => seen.in_round = false,
            Event::ShoeRevealed { shoe_no, .. } => {
                let shoe = seen.shoes.remove(shoe_no).ok_or("a shoe that is not in use is revealed")?;
                if seen.in_round && !shoe.drawn.is_empty() {
                    return Err(format!(
                        "the seed of shoe {shoe_no} comes out while cards of it are in play ({} hidden)",
                        shoe.hidden.len()
                    ));
                }
                out.push(*shoe_no);
            }
            Event::Play(play) => seen.follow_play(play, tokens)?,
            _ => {}
        }
        Ok(())
    }
}

impl TableWatch {
    fn follow_play(&mut self, play: &RoundEvent, tokens: &mut Vec<Card>) -> Result<(), String> {
        let current = *self.piles.last().ok_or("no shoe")?;
        match play {
            RoundEvent::Dealt { slot, card, .. } => {
                let shoe = self.shoes.get_mut(&current).ok_or("no shoe")?;
                if !shoe.drawn.insert(*slot) {
                    return Err(format!("slot {slot} is dealt twice"));
                }
                match card {
                    Some(card) => self.show(current, *slot, *card, tokens)?,
                    None => drop(shoe.hidden.insert(*slot)),
                }
            }
            RoundEvent::Turned { pile, slot, card } => {
                let number = pile
                    .map_or(Some(current), |pile| self.piles.get(usize::from(pile)).copied())
                    .ok_or("no such pile")?;
                let shoe = self.shoes.get_mut(&number).ok_or("no such shoe")?;
                if !shoe.hidden.remove(slot) {
                    return Err(format!("slot {slot} did not lie face-down"));
                }
                self.show(number, *slot, *card, tokens)?;
            }
            RoundEvent::Spun { slot, value, .. } => {
                let shoe = self.shoes.get_mut(&current).ok_or("no wheel")?;
                if shoe.faces.value(*slot) != Some(*value) || !shoe.drawn.insert(*slot) {
                    return Err(format!("slot {slot} of the wheel does not hold {value}, or was spun before"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn show(&mut self, shoe: u64, slot: Slot, card: Card, tokens: &mut Vec<Card>) -> Result<(), String> {
        if self.shoes[&shoe].faces.card(slot) != Some(card) {
            return Err(format!("slot {slot} of shoe {shoe} is not {card}"));
        }
        let place = tokens.iter().position(|token| *token == card).ok_or("a face that is not in the bytes")?;
        tokens.swap_remove(place);
        self.public.insert(card);
        Ok(())
    }
}

/// The whole log, or the first entry that shows too much.
pub fn watch(house: &House) -> Result<(), String> {
    let mut watcher = Watcher::default();
    house
        .log
        .iter()
        .enumerate()
        .try_for_each(|(index, bytes)| watcher.see(&house.seeds, bytes).map_err(|why| format!("entry {index}: {why}")))
}
