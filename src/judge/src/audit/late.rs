//! Rounds that were void for want of seeds, kept until the seeds come late or the table forgets them (spec/audit.md,
//! "Voids").

use super::default_play::UnjudgedVoid;
use super::shoe::{ShoeCheck, ShoeClaims};
use fairshoe_fairness::{ClientSeed, Lanes, PlayerId, PublicShuffle, ServerSeed, TableId, round_entropy};
use fairshoe_house::{Entry, Event, Shoe, snapshot_serde};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// One of them: how it stood, its shoe with the slots undrawn then, and the shoe's seeds once they are out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LateVoid {
    voided: UnjudgedVoid,
    #[serde(with = "snapshot_serde::shared")]
    shoe: Arc<Shoe>,
    seeds: Option<Vec<ServerSeed>>,
}

/// The effect of a late seed that is the last of its round.
pub(super) enum Complete {
    /// The shoe's seed is not out yet: the round waits with the shoe's other voids.
    Waits(u64, UnjudgedVoid),
    /// It can be finished now.
    Ready(ShoeCheck),
}

/// As many a table as its state remembers ([`VOIDS_REMEMBERED`](fairshoe_house::VOIDS_REMEMBERED)).
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct LateVoids(HashMap<TableId, Vec<LateVoid>>);

impl LateVoids {
    /// A round that was void before all its seeds were out.
    pub fn remember(&mut self, voided: UnjudgedVoid, shoe: Arc<Shoe>) {
        self.0.entry(voided.table.clone()).or_default().push(LateVoid { voided, shoe, seeds: None });
    }

    /// The seeds of the table's shoes that an entry publishes.
    pub fn shoes_out(&mut self, table: &TableId, entry: &Entry) {
        let Some(late) = self.0.get_mut(table) else { return };
        for event in &entry.events {
            let Event::ShoeRevealed { shoe_no, seeds, .. } = event else { continue };
            for void in late.iter_mut().filter(|void| void.shoe.id.shoe_no == *shoe_no) {
                void.seeds = Some(seeds.clone());
            }
        }
    }

    /// Takes a late seed in, which the entry at this index brings.
    pub fn seed_late(
        &mut self,
        index: u64,
        table: &TableId,
        round_no: u64,
        player: &PlayerId,
        seed: &ClientSeed,
    ) -> Option<Complete> {
        let late = self.0.get_mut(table)?;
        let at = late.iter().position(|void| void.voided.round.round_no == round_no)?;
        let void = late.get_mut(at)?;
        void.voided.round.contributor(player).ok()?.seed = Some(seed.clone());
        if void.voided.round.contributors.iter().any(|c| c.seed.is_none()) {
            return None;
        }
        let LateVoid { mut voided, shoe, seeds } = late.remove(at);
        open(&mut voided, &shoe)?;
        Some(match seeds {
            None => Complete::Waits(shoe.id.shoe_no, voided),
            Some(seeds) => {
                let claims = ShoeClaims::of_void(voided);
                let seeds = (0..=u8::MAX).zip(seeds).collect();
                Complete::Ready(ShoeCheck { entry: index, shoe, seeds, sealed: None, claims, derived_before: true })
            }
        })
    }

    /// Those that the table does not remember any more: their seeds cannot come. `remembered`: the rounds that it does.
    pub fn forgotten(&mut self, id: &TableId, remembered: &[u64]) -> Vec<ShoeCheck> {
        let Some(late) = self.0.get_mut(id) else { return Vec::new() };
        let known = |void: &LateVoid| remembered.contains(&void.voided.round.round_no);
        let forgotten = late.extract_if(.., |void| !known(void));
        let checks = forgotten.map(|void| ShoeCheck::of_unopened(void.voided.entry, void.shoe, void.voided)).collect();
        if late.is_empty() {
            self.0.remove(id);
        }
        checks
    }

    /// Those whose seeds have not come so far.
    pub fn waiting(&self) -> impl Iterator<Item = &UnjudgedVoid> {
        self.0.values().flatten().map(|void| &void.voided)
    }
}

/// The shuffle that the round would have had, had all its seeds come in time.
fn open(voided: &mut UnjudgedVoid, shoe: &Shoe) -> Option<()> {
    let round = &mut voided.round;
    let seeds: Vec<_> =
        round.contributors.iter().filter_map(|c| Some((c.placed.player.clone(), c.seed.clone()?))).collect();
    let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
    let entropy = round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, round.round_no, &seeds).ok()?;
    let is_wheel = shoe.id.composition.is_wheel();
    let candidates = u8::try_from(shoe.candidates.len()).ok()?;
    let shuffle = PublicShuffle::new(&entropy, candidates, if is_wheel { &[] } else { &shoe.undrawn });
    round.pick = shuffle.pick;
    round.lanes = Some(Lanes::new(shuffle.order, round.game.lanes()));
    round.entropy = Some(entropy);
    Some(())
}
