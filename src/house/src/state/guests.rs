//! How guests come and go (spec/ledger.md, "Play chips").

use crate::guests::*;
use crate::{Account, Actor, Command, Entry, Event, Ledger, Line, Misfit, Refusal, State, is_for_play, is_guest};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;

impl State {
    /// How many guests there are.
    pub fn guest_count(&self) -> usize {
        self.guests.known.len()
    }

    /// Refuses whoever has chips of the other kind than a table's, before they take a place there.
    pub(crate) fn require_same_chips(&self, by: &Actor, table: &TableId, command: &Command) -> Result<(), Refusal> {
        let takes_place = matches!(
            command,
            Command::OpenTable { .. }
                | Command::TakeSeat { .. }
                | Command::WantSeat { .. }
                | Command::SitDown { .. }
                | Command::Bet { .. }
        );
        match by {
            Actor::Player(player) if takes_place && is_guest(player) != is_for_play(table) => {
                Err(Refusal::OtherChips("play chips and credited ones are never at one table"))
            }
            _ => Ok(()),
        }
    }

    /// The next guest: a name that nobody had, and play chips.
    pub(crate) fn decide_admit(&self, by: &Actor) -> Result<Vec<Event>, crate::DecideError> {
        crate::decide::require(by, &Actor::House, "the house admits guests")?;
        let player = self.guests.next_name().map_err(|e| crate::DecideError::Broken(e.to_string()))?;
        let chips = GUEST_CHIPS.signed();
        let lines = self.play_lines(&player, 0, chips).ok_or(Refusal::AmountOutOfRange(GUEST_CHIPS))?;
        Ok(vec![Event::GuestAdmitted { player }, Event::Posted { lines }])
    }

    /// A guest goes who has been idle for some minutes and holds no place; their chips go back where they came from.
    pub(crate) fn decide_dismiss(
        &self,
        time: u64,
        by: &Actor,
        player: &PlayerId,
    ) -> Result<(crate::decide::Before, Vec<Event>), crate::DecideError> {
        crate::decide::require(by, &Actor::House, "the house dismisses guests")?;
        let guest = self.guests.known.get(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        if guest.places > 0 {
            return Err(Refusal::NothingToDo("the guest has a place at a table").into());
        }
        let balance = self.funds(player);
        let earliest = guest.idle_since.saturating_add(room_ms(balance));
        if time < earliest {
            return Err(Refusal::DeadlineAhead(earliest).into());
        }
        let before = balance.signed();
        let lines = self.play_lines(player, before, -before).ok_or(Refusal::AmountOutOfRange(balance))?;
        let posted = (before != 0).then_some(Event::Posted { lines });
        let events = posted.into_iter().chain([Event::GuestDismissed { player: player.clone() }]).collect();
        Ok((vec![(player.clone(), balance)], events))
    }

    /// Play chips to a guest who has so many, or back.
    fn play_lines(&self, player: &PlayerId, balance: i64, amount: i64) -> Option<Vec<Line>> {
        let issued = self.ledger.balance(&Account::Play)?;
        let line = |account: Account, before: i64, amount: i64| {
            Ledger::after(&account, before, amount).ok().map(|after| Line(account, amount, after))
        };
        Some(vec![line(Account::Play, issued, -amount)?, line(Account::Player(player.clone()), balance, amount)?])
    }

    /// Folds in that a guest came.
    pub(crate) fn apply_admitted(&mut self, player: &PlayerId, time: u64) -> Result<(), Misfit> {
        if self.guests.next_name()? != *player || !self.ledger.open_player(player.clone()) {
            return Err(Misfit::NotNextGuest(player.clone()));
        }
        self.guests.admitted = self.guests.admitted.saturating_add(1);
        self.guests.take(player, time);
        Ok(())
    }

    /// Folds in that a guest went: nothing of them stays.
    pub(crate) fn apply_dismissed(&mut self, player: &PlayerId) -> Result<(), Misfit> {
        let goes = self.guests.remove(player).is_some_and(|guest| guest.places == 0);
        if !goes || self.ledger.player(player) != Some(Chips::ZERO) {
            return Err(Misfit::GuestStays(player.clone()));
        }
        self.ledger.close_player(player);
        self.conduct.forget(player);
        self.keyring.forget(player);
        self.owned_tables.remove(player);
        for table in self.guests.tables.remove(player).unwrap_or_default() {
            // A sealed shoe may yet be disclosed.
            if !self.sealed.contains_key(&table) {
                self.used_tables.remove(&table);
            }
        }
        Ok(())
    }

    /// Notes what an entry says of guests, once it is folded in.
    pub(crate) fn note_guest(&mut self, entry: &Entry) {
        if let Actor::Player(player) = &entry.by {
            self.guests.note_command(player, entry.time);
        }
    }

    /// The dismissal that makes room for another guest: of the one who has been idle for longest, if for long enough; those
    /// who have the chips that they came with go before all others.
    pub fn dismissal_for_room(&self, now: u64) -> Option<Command> {
        let idle_for = |ms: u64| self.guests.passed(now.saturating_add(GUEST_IDLE_MS).saturating_sub(ms));
        let unused = idle_for(GUEST_UNUSED_MS).find(|(_, player)| self.funds(player) == GUEST_CHIPS);
        let (_, player) = unused.or_else(|| idle_for(GUEST_ROOM_MS).next())?;
        Some(Command::DismissGuest { player: player.clone() })
    }

    /// The guests who may be dismissed for others, whatever chips they have.
    pub fn guests_who_may_go(&self, now: u64) -> impl Iterator<Item = &PlayerId> {
        let passed = self.guests.passed(now.saturating_add(GUEST_IDLE_MS).saturating_sub(GUEST_ROOM_MS));
        passed.map(|(_, player)| player)
    }

    /// The dismissal that is due first, and since when; tables that wait for their recovery come before it.
    pub(crate) fn dismissal_due(&self, now: u64) -> Option<(Command, u64)> {
        let (deadline, player) = self.guests.first_deadline()?;
        (*deadline <= now).then(|| (Command::DismissGuest { player: player.clone() }, *deadline))
    }
}
