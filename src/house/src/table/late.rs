//! Seeds that come after the void which their absence brought about (spec/recovery.md, "Voids").

use crate::late::MOST_VOIDS_REMEMBERED;
use crate::{LATE_SEED_MS, Misfit, MissingSeed, Table, VOIDS_REMEMBERED, VoidedRound};
use fairshoe_fairness::PlayerId;

impl Table {
    /// Remembers the live round, which an event voids at this time, if seeds of it are missing.
    pub(crate) fn remember_void(&mut self, time: u64) {
        let (Some(round), Some(shoe)) = (self.live_round(), &self.shoe) else { return };
        let of = |c: &crate::Contributor| MissingSeed {
            player: c.placed.player.clone(),
            commitment: c.placed.commitment,
            out: false,
        };
        let missing: Vec<MissingSeed> = round.contributors.iter().filter(|c| c.seed.is_none()).map(of).collect();
        if missing.is_empty() {
            return;
        }
        let voided = VoidedRound { round_no: round.round_no, time, epoch: shoe.id.context.epoch, missing };
        self.voided.push(voided);
        // Else whoever dropped a seed could have it forgotten by rounds of their own that they leave void.
        let fresh = self.voided.iter().filter(|voided| time < voided.time.saturating_add(LATE_SEED_MS)).count();
        let over = self.voided.len().saturating_sub(fresh.clamp(VOIDS_REMEMBERED, MOST_VOIDS_REMEMBERED));
        self.voided.drain(..over);
    }

    /// The time until which the operator cannot close the table, UTC ms, and how many seeds may still come.
    pub fn late_seeds_at(&self, now: u64) -> Option<(usize, u64)> {
        let out = |voided: &&VoidedRound| voided.missing.iter().any(|missing| !missing.out);
        let fresh = self.voided.iter().filter(out).filter(|voided| now < voided.time.saturating_add(LATE_SEED_MS));
        let seeds = fresh.clone().flat_map(|voided| &voided.missing).filter(|missing| !missing.out).count();
        fresh.map(|voided| voided.time.saturating_add(LATE_SEED_MS)).max().map(|until| (seeds, until))
    }

    /// A round of the table that was void for want of seeds, as long as it is remembered.
    pub fn voided_round(&self, round_no: u64) -> Option<&VoidedRound> {
        self.voided.iter().find(|voided| voided.round_no == round_no)
    }

    /// Takes a late seed in.
    pub(crate) fn apply_seed_late(&mut self, round_no: u64, player: &PlayerId) -> Result<(), Misfit> {
        if self.is_on_the_logs_word(round_no) {
            return if self.stated_late.insert((round_no, player.clone())) {
                Ok(())
            } else {
                Err(Misfit::SeedOut(player.clone()))
            };
        }
        let voided = self.voided.iter_mut().find(|voided| voided.round_no == round_no);
        let missing = voided
            .and_then(|voided| voided.missing.iter_mut().find(|missing| missing.player == *player && !missing.out));
        missing.map(|missing| missing.out = true).ok_or_else(|| Misfit::SeedNotMissing(player.clone(), round_no))
    }

    /// Whether the round was before a bundle's first entry.
    pub(crate) fn is_on_the_logs_word(&self, round_no: u64) -> bool {
        round_no < self.stated_rounds
    }
}
