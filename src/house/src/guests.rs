//! Guests and play chips (spec/ledger.md, "Play chips"): who is a guest and which tables are theirs follows from names
//! alone. Owns how guests come and go, and how long one who holds nothing stays; how they play is every player's.

use crate::sharded::{Ordered, Sharded};
use crate::table::Table;
use crate::{GUEST, Misfit, is_for_play, is_guest};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A guest's first balance: play chips, minor units.
pub const GUEST_CHIPS: Chips = match Chips::new(100_000) {
    Some(chips) => chips,
    None => Chips::ZERO,
};

/// How long a guest stays who does nothing and holds no place at any table: a day, in milliseconds.
pub const GUEST_IDLE_MS: u64 = 86_400_000;

/// How long one has to be idle who makes room for another: five minutes, in milliseconds.
pub const GUEST_ROOM_MS: u64 = 300_000;

/// The same of one who has the chips that they came with, and loses nothing: a minute.
pub const GUEST_UNUSED_MS: u64 = 60_000;

/// A guest's own table without a round for so long is closed: ten minutes. While it is open, they keep their place.
pub(crate) const GUEST_TABLE_IDLE_MS: u64 = 600_000;

/// How long a guest of this balance has to be idle to make room for another.
pub(crate) fn room_ms(balance: Chips) -> u64 {
    if balance == GUEST_CHIPS { GUEST_UNUSED_MS } else { GUEST_ROOM_MS }
}

/// A guest's idle time and places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guest {
    /// When they gave their last command, or left their last place, whichever came later; UTC milliseconds.
    pub(crate) idle_since: u64,
    /// At how many tables they have a place.
    pub(crate) places: u32,
}

/// The guests there are, and when each has been idle for too long.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guests {
    /// How many were ever admitted: the next one's number.
    pub(crate) admitted: u64,
    pub(crate) known: Sharded<PlayerId, Guest>,
    /// Deadlines of guests without a place.
    pub(crate) deadlines: Ordered<(u64, PlayerId)>,
    /// The names of the tables that each has opened. No other can have them, and with the guest they are forgotten. *Attack:
    /// guests come, open tables and go, and the state grows with every name.*
    pub(crate) tables: Sharded<PlayerId, Vec<TableId>>,
}

impl Guests {
    /// How many were ever admitted.
    pub fn admitted(&self) -> u64 {
        self.admitted
    }

    /// Since when a guest has been idle; `None` for anybody else.
    pub fn idle_since(&self, player: &PlayerId) -> Option<u64> {
        self.known.get(player).map(|guest| guest.idle_since)
    }

    /// When the first of them is to be dismissed, UTC milliseconds, and who.
    pub fn first_deadline(&self) -> Option<&(u64, PlayerId)> {
        self.deadlines.first()
    }

    /// Those whose time had passed by `now`, the longest idle first.
    pub fn passed(&self, now: u64) -> impl Iterator<Item = &(u64, PlayerId)> {
        self.deadlines.iter().take_while(move |(deadline, _)| *deadline <= now)
    }

    pub(crate) fn next_name(&self) -> Result<PlayerId, Misfit> {
        PlayerId::parse(&format!("{GUEST}{}", self.admitted)).map_err(Misfit::from)
    }

    pub(crate) fn insert(&mut self, player: &PlayerId, guest: Guest) {
        self.remove(player);
        if guest.places == 0 {
            self.deadlines.insert((guest.idle_since.saturating_add(GUEST_IDLE_MS), player.clone()));
        }
        self.known.insert(player.clone(), guest);
    }

    pub(crate) fn remove(&mut self, player: &PlayerId) -> Option<Guest> {
        let guest = self.known.remove(player)?;
        self.deadlines.remove(&(guest.idle_since.saturating_add(GUEST_IDLE_MS), player.clone()));
        Some(guest)
    }

    /// A guest gave a command.
    pub fn note_command(&mut self, player: &PlayerId, time: u64) {
        if let Some(guest) = self.remove(player) {
            self.insert(player, Guest { idle_since: time, ..guest });
        }
    }

    /// Notes who had a place at a table before one of its entries, and who has one after it.
    pub fn note_places(&mut self, before: &BTreeSet<PlayerId>, after: &BTreeSet<PlayerId>, time: u64) {
        for player in after.difference(before) {
            if let Some(guest) = self.remove(player) {
                self.insert(player, Guest { places: guest.places.saturating_add(1), ..guest });
            }
        }
        for player in before.difference(after) {
            if let Some(guest) = self.remove(player) {
                let places = guest.places.saturating_sub(1);
                let idle_since = if places == 0 { time } else { guest.idle_since };
                self.insert(player, Guest { idle_since, places });
            }
        }
    }

    /// Notes a table that a guest opened. The operator's and players' tables are not noted.
    pub fn note_table(&mut self, owner: Option<&PlayerId>, table: &TableId) {
        if let Some(guest) = owner.filter(|owner| is_guest(owner)) {
            self.tables.or_insert(guest, Vec::new()).push(table.clone());
        }
    }

    /// Takes a guest in, as a noted state has them; their places follow with the tables.
    pub fn take(&mut self, player: &PlayerId, idle_since: u64) {
        self.insert(player, Guest { idle_since, places: 0 });
    }

    /// The same of a place that follows from a table of a noted state, which leaves the time as it is said.
    pub fn take_places(&mut self, places: &BTreeSet<PlayerId>) {
        self.note_places(&BTreeSet::new(), places, 0);
    }

    /// Whether a name is that of a guest who came: `guest.N`, N less than how many there were.
    pub fn was_admitted(&self, player: &PlayerId) -> bool {
        let number = player.as_str().strip_prefix(GUEST);
        let number = number.and_then(|text| text.parse::<u64>().ok().filter(|number| number.to_string() == text));
        number.is_some_and(|number| number < self.admitted)
    }

    /// Sets what a noted state says of how many were admitted.
    pub fn set_admitted(&mut self, admitted: u64) {
        self.admitted = admitted;
    }
}

impl Table {
    /// The guests who have a place here: it is their own, they have a seat, a bet, a commitment for a hand, or a part in
    /// the round.
    pub(crate) fn guests(&self) -> BTreeSet<PlayerId> {
        if !is_for_play(&self.id) || self.closed {
            return BTreeSet::new();
        }
        let seated = self.seats.values().map(|seat| &seat.player);
        let placed = self.window().into_iter().flat_map(|window| &window.bets).map(|bet| &bet.player);
        let committed = self.call().into_iter().flat_map(|call| call.seeds.keys());
        let in_round =
            self.live_round().into_iter().flat_map(|round| &round.contributors).map(|one| &one.placed.player);
        let all = self.owner.iter().chain(seated).chain(placed).chain(committed).chain(in_round);
        all.cloned().collect()
    }
}
