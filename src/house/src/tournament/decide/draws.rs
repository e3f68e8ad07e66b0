//! Draws of seats, and moves (spec/games/tournaments.md, 3 and 6). The arithmetic says who sits where.

use super::EventPending;
use crate::decide::DecideError;
use crate::tournament::{DrawKind, TournamentCommand as C, TournamentEvent};
use crate::{Actor, Refusal};
use fairshoe_fairness::{ClientSeed, SeedCommitment};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::seating::Due;

impl EventPending<'_> {
    /// Seats are to be drawn: whose is fixed, and their seeds are awaited.
    pub(super) fn call_draw(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::CallDraw { event: self.event.name().clone() })?;
        let (kind, table) = self.event.due_draw().ok_or(Refusal::NothingToDo("no draw is due"))?;
        let reveal_by = self.time.saturating_add(self.event.structure().clocks.reveal_ms);
        let table = table.filter(|_| matches!(kind, DrawKind::Break | DrawKind::Final));
        self.push(TournamentEvent::DrawCalled { draw_no: self.event.draws.next, kind, table, reveal_by });
        Ok(())
    }

    /// A seed for the draw that is open.
    pub(super) fn reveal_seat_seed(
        &mut self,
        by: &Actor,
        draw_no: u16,
        entry_no: EntryNo,
        seed: &ClientSeed,
        next: Option<&SeedCommitment>,
    ) -> Result<(), DecideError> {
        self.state.require_somebody(by)?;
        let open = self.event.draws.open.as_ref().filter(|_| draw_no == self.event.draws.next);
        let open = open.ok_or(Refusal::NoSuchDraw(draw_no))?;
        let Some(entry) = self.event.entries.get(&entry_no).filter(|_| open.entrants.contains(&entry_no)) else {
            return Err(Refusal::NotAnEntrant(entry_no.0).into());
        };
        if next.is_some() && self.state.is_player(by).as_ref() != Some(&entry.player) {
            return Err(Refusal::NotAllowed("players commit their next seed themselves").into());
        }
        if open.seeds.contains_key(&entry_no) {
            return Err(Refusal::AlreadyRevealed(entry.player.clone()).into());
        }
        if self.event.awaits_seed(draw_no, entry_no, seed).is_none() {
            return Err(Refusal::SeedDoesNotOpen.into());
        }
        if self.time >= open.reveal_by {
            return Err(Refusal::DeadlinePassed(open.reveal_by).into());
        }
        self.push(TournamentEvent::SeatSeedRevealed { draw_no, entry_no, seed: seed.clone(), next: next.copied() });
        Ok(())
    }

    /// The seats of the open draw.
    pub(super) fn draw_seats(&mut self, by: &Actor, draw_no: u16) -> Result<(), DecideError> {
        crate::decide::require(by, &Actor::House, "the house draws seats")?;
        let open = self.event.draws.open.as_ref().filter(|_| draw_no == self.event.draws.next);
        let open = open.ok_or(Refusal::NoSuchDraw(draw_no))?;
        if !open.awaited.is_empty() && self.time < open.reveal_by {
            return Err(Refusal::DeadlineAhead(open.reveal_by).into());
        }
        if self.event.draws.frozen.is_none() || self.event.clock.stands.is_some() {
            return Err(Refusal::NothingToDo("the draw waits for hands of other tables").into());
        }
        let withheld = u64::try_from(open.entrants.len().saturating_sub(open.seeds.len())).unwrap_or(u64::MAX);
        let link = self.dealer.draw_link(&self.event.context, draw_no)?;
        let entropy = self.event.entropy_of_draw(&link).map_err(|e| DecideError::Broken(e.to_string()))?;
        self.push(TournamentEvent::SeatsDrawn { draw_no, link, entropy, withheld });
        Ok(())
    }

    /// The move that balances the tables.
    pub(super) fn move_player(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::MovePlayer { event: self.event.name().clone() })?;
        let Some(Due::Move(moved)) = self.event.seating_due() else {
            return Err(Refusal::NothingToDo("the tables are even").into());
        };
        self.push(TournamentEvent::PlayerMoved { entry_no: moved.entry_no, from: moved.from, to: moved.to });
        Ok(())
    }
}
