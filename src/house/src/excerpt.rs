//! The state of one table's entries out of a log, as a bundle holds them: what of the house's rules only bundles need.
//!
//! An excerpt takes the facts of other tables' entries (who exists, balances, offences, cooldowns, refunds) on the
//! log's word, from the entry that is decided next; its first entry states how the table stood before (`noted.rs`). A
//! reader of the whole log compares all of it with the entries (spec/audit.md, "The bundle").

use crate::{Account, Actor, Command, Entry, Event, Lapsed, Ledger, Misfit, PlayerKey, State, Table};
use fairshoe_fairness::{Epoch, Origin, PlayerId};
use fairshoe_games::Chips;

impl State {
    /// A state for one table's entries out of a log of this name, if it is known: to decide and to apply them as in the
    /// whole log.
    pub fn partial(origin: Option<Origin>) -> Self {
        State { partial: true, origin, ..State::default() }
    }

    /// Whether it is such a state.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// Takes a player for one who exists, if the entry that created them is not there.
    pub fn assume_player(&mut self, player: &PlayerId) {
        self.ledger.assume_player(player);
    }

    /// Takes an epoch for the one in force, if the start of the dealer is not there.
    pub fn assume_epoch(&mut self, epoch: Epoch) {
        self.epoch = Some(epoch);
    }

    /// Takes a key for the player's, if the entry that set it is not there.
    ///
    /// # Errors
    /// The signature rule refuses the key.
    pub fn assume_key(&mut self, player: &PlayerId, key: &PlayerKey) -> Result<(), Misfit> {
        self.keyring.set(player, Some(key))
    }

    /// Takes from one of the table's entries, before it is decided, what comes from entries that are not there.
    ///
    /// # Errors
    /// Why the log's word cannot be true.
    pub fn take_stated(&mut self, entry: &Entry) -> Result<(), &'static str> {
        self.take_stated_balances(entry)?;
        self.take_stated_history(entry);
        Ok(())
    }

    fn take_stated_balances(&mut self, entry: &Entry) -> Result<(), &'static str> {
        for (player, balance) in &entry.before {
            self.ledger.state_player(player.clone(), *balance);
        }
        if let (Command::OpenTable { .. }, Actor::Player(player)) = (&entry.command, &entry.by) {
            self.ledger.state_player(player.clone(), Chips::ZERO);
        }
        let postings = entry
            .events
            .iter()
            .filter_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None });
        let lines: Vec<_> = postings.flatten().collect();
        for account in [Account::House, Account::Rake, Account::Play] {
            let Some(line) = lines.iter().find(|line| line.0 == account) else { continue };
            let before = line.2.checked_sub(line.1).filter(|before| Ledger::after(&account, *before, 0).is_ok());
            let before =
                before.ok_or("a balance before it, of the house, the rake or the play chips, is out of range")?;
            match account {
                Account::Rake => self.ledger.state_rake(before),
                Account::Play => self.ledger.state_play(before),
                _ => self.ledger.state_house(before),
            }
        }
        Ok(())
    }

    fn take_stated_history(&mut self, entry: &Entry) {
        let time = entry.time;
        for event in &entry.events {
            if let Event::Cooldown { player, offences, until, .. } = event {
                self.conduct.state_offences(player, time, offences.saturating_sub(1), *until);
            }
        }
        for player in self.stated_absent(entry) {
            self.conduct.state_until(&player, time.saturating_add(1));
        }
        let (Command::Lapse { lapsed: Lapsed::Round, .. }, Some(id)) = (&entry.command, entry.command.table()) else {
            return;
        };
        let refunds = entry
            .events
            .iter()
            .find_map(|event| if let Event::RoundVoided { refunds, .. } = event { Some(*refunds) } else { None });
        // Finished by default play: whatever the cap is, it was used up.
        let before = refunds.map_or(u32::MAX, |refunds| refunds.unwrap_or(1).saturating_sub(1));
        let players =
            self.table(id).and_then(Table::live_round).map(|round| round.contributors.clone()).unwrap_or_default();
        for contributor in players {
            self.conduct.state_refunds(&contributor.placed.player, entry.time, before);
        }
    }

    /// Players whom the house passes over in an entry, which it may do only because a cooldown from elsewhere holds: of
    /// those whose commitments are in for the hand that is called, and of newcomers who let their window pass.
    fn stated_absent(&self, entry: &Entry) -> Vec<PlayerId> {
        let Some(table) = entry.command.table().and_then(|id| self.table(id)) else { return Vec::new() };
        let commits = |player: &PlayerId| {
            entry
                .events
                .iter()
                .any(|event| matches!(event, Event::HandSeedCommitted { player: who, .. } if who == player))
        };
        let cools = |player: &PlayerId| {
            entry.events.iter().any(|event| matches!(event, Event::Cooldown { player: who, .. } if who == player))
        };
        match (&entry.command, table.window()) {
            (Command::CallHand { .. }, None) => {
                let carried = table.cash().into_iter().flat_map(|cash| cash.carried.keys());
                carried.filter(|player| !commits(player)).cloned().collect()
            }
            (Command::CloseBets { .. }, Some(window)) => {
                let announced =
                    entry.by == Actor::Operator && window.closes_at.is_some_and(|closes_at| entry.time < closes_at);
                let newcomers = table.betting().into_iter().flat_map(|betting| &betting.newcomers);
                let late = newcomers.filter(|player| !announced && window.bet_of(player).is_none() && !cools(player));
                late.cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Says where a table stands before the first of its entries that a bundle holds, as that entry states it
    /// (spec/entries.md, "The table as it stands").
    ///
    /// # Errors
    /// Why the table cannot stand so.
    pub fn stand_at(&mut self, first: &Entry) -> Result<(), &'static str> {
        self.recovering = 0;
        let Some(at) = &first.at else { return Ok(()) };
        let Some(mut table) = self.tables.remove(&at.table) else { return Ok(()) };
        // Starts before it are dealt with: only later ones count (spec/audit.md, "The bundle").
        (table.next_seq, table.needs_recovery, table.down_since) = (at.seq, false, None);
        let shoe = first.events.iter().find_map(|event| match event {
            Event::ShoeCommitted { shoe_no, .. } => Some(*shoe_no),
            _ => None,
        });
        table.next_shoe = shoe.unwrap_or(table.next_shoe);
        // A second statement is too much, and shows when the entry is decided.
        let noted = first.events.iter().find_map(|event| match event {
            Event::TableNoted(noted) => Some(noted),
            _ => None,
        });
        if let Some(noted) = noted {
            table.take_noted(noted, first.time)?;
            noted.players().for_each(|player| self.ledger.assume_player(player));
        }
        table.stated_rounds = table.next_round;
        for (number, seat) in table.cash().into_iter().flat_map(|cash| &cash.seats) {
            self.ledger.state_seat(&at.table, *number, seat.stack);
        }
        self.tables.insert(at.table.clone(), table);
        Ok(())
    }
}
