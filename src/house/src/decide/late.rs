//! Seeds that come after their round was void for want of them: put on the log, with no effect on money
//! (spec/recovery.md, "Voids").

use super::DecideError;
use super::pending_entry::PendingEntry;
use crate::{Event, Refusal};
use fairshoe_fairness::{ClientSeed, PlayerId};

impl PendingEntry<'_> {
    /// A seed of a round that is void for want of it: it changes nothing but what is known (spec/recovery.md, "Voids").
    pub fn late_seed(&mut self, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> Result<(), DecideError> {
        if !self.table.is_on_the_logs_word(round_no) {
            self.require_missing_seed(round_no, player, seed)?;
        } else if self.table.stated_late.contains(&(round_no, player.clone())) {
            return Err(Refusal::AlreadyRevealed(player.clone()).into());
        }
        self.push(Event::SeedLate { round_no, player: player.clone(), seed: seed.clone() })
    }

    fn require_missing_seed(&self, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> Result<(), DecideError> {
        let current = self.table.next_round;
        let voided = self.table.voided_round(round_no).ok_or(Refusal::WrongRound { given: round_no, current })?;
        let missing = voided.missing.iter().find(|missing| missing.player == *player);
        let missing = missing.ok_or_else(|| Refusal::NotAContributor(player.clone()))?;
        if missing.out {
            return Err(Refusal::AlreadyRevealed(player.clone()).into());
        }
        let context = self.state.context(&self.table.id).map_err(|e| DecideError::Broken(e.to_string()))?;
        if voided.is_opened_by(&context, missing, seed) { Ok(()) } else { Err(Refusal::SeedDoesNotOpen.into()) }
    }
}
