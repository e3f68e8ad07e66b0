//! Accounts and tables by the names that the log has for them, with their balances. Shares no type with the house, so
//! that a fault there is not repeated here.

use super::tournament::{Moves, OWN, Tournament};
use super::wallet::Operation;
use fairshoe_house::{PostingError, Runs};
use std::collections::HashMap;

/// The chips with which every guest comes.
pub(super) const GUEST_CHIPS: i64 = 100_000;

/// Whether a name is that of a guest.
pub(super) fn is_guest(player: &str) -> bool {
    player.starts_with("guest.")
}

/// Whether a table's chips are play chips.
pub(super) fn is_for_play(table: &str) -> bool {
    table.starts_with("play.")
}

/// The largest balance either way, as in the ledger itself.
const LIMIT: i64 = fairshoe_games::MAX_CHIPS as i64;

/// The kind of table, or tournament, of these entries.
pub(super) enum Kind {
    /// A table's, with chips that are money.
    Table,
    /// A tournament's table's, whose chips are none.
    OfEvent,
    /// A tournament's own.
    Event(Box<Tournament>),
}

/// The facts of a table, or a tournament, from its entries so far.
pub(super) struct TableAccount {
    pub name: Box<str>,
    pub kind: Kind,
    pub next_seq: u64,
    pub closed: bool,
    pub balance: i64,
    /// The house's gain from the postings of the round so far.
    pub house: i64,
    /// The house's gain from its paid wagers: stakes less returns.
    pub paid_house: i64,
    pub staked: u64,
    pub returned: u64,
    /// Chips before the seats of a cash table, by number (nobody sits at 0); as many as any posting has named.
    pub seats: Vec<i64>,
}

impl TableAccount {
    /// The round is over; the next one counts from nothing.
    pub fn end_round(&mut self) {
        (self.house, self.paid_house, self.staked, self.returned) = (0, 0, 0, 0);
    }
}

/// Every account by the name the log has for it.
#[derive(Default)]
pub(super) struct Accounts {
    pub cage: i64,
    pub house: i64,
    pub rake: i64,
    pub play: i64,
    /// How many guests were admitted.
    pub admitted: u64,
    players: HashMap<Box<str>, i64>,
    tables: Vec<TableAccount>,
    by_name: HashMap<Box<str>, usize>,
    tickets: i64,
    residual: i64,
    /// The T$ of players who ever had some.
    t_dollars: HashMap<Box<str>, i64>,
    /// Other logs that were ever known, by their names as the log spells them.
    known: HashMap<Box<str>, KnownLog>,
    pub wallet: i64,
    /// How many operations of the wallet there were, and those that wait for an answer, by number.
    pub operations: u64,
    pub waiting: HashMap<u64, Operation>,
    /// The sums that the entry being read has moved so far, if it is a tournament's.
    pub moved: Moves,
}

/// Chips that go to another log and come from it.
#[derive(Default)]
struct KnownLog {
    balance: i64,
    sent: u64,
    claimed: Runs,
}

/// Which account a posting's line is of.
enum Which<'b> {
    Cage,
    House,
    Player(&'b str),
    Table(&'b str),
    Seat(&'b str, usize),
    Rake,
    Play,
    Tickets,
    Residual,
    Transfers(&'b str),
    Wallet,
    TDollars(&'b str),
    /// By its place among a tournament's own.
    Own(usize, &'b str),
}

impl<'b> Which<'b> {
    fn parse(text: &'b str) -> Option<Which<'b>> {
        if let Some(name) = text.strip_prefix("player:") {
            return Some(Which::Player(name));
        }
        if let Some((table, number)) = text.strip_prefix("seat:").and_then(|seat| seat.rsplit_once('/')) {
            // One spelling: 1 to 255 without a leading zero.
            let seat = number.parse::<u8>().ok().filter(|_| !number.starts_with(['0', '+']))?;
            return Some(Which::Seat(table, usize::from(seat)));
        }
        match text.split_once(':') {
            Some(("transfers", name)) => Some(Which::Transfers(name)),
            Some(("table", name)) => Some(Which::Table(name)),
            Some(("tdollars", name)) => Some(Which::TDollars(name)),
            Some((kind, name)) => OWN.iter().position(|own| *own == kind).map(|own| Which::Own(own, name)),
            None if text == "house" => Some(Which::House),
            None if text == "cage" => Some(Which::Cage),
            None if text == "rake" => Some(Which::Rake),
            None if text == "play" => Some(Which::Play),
            None if text == "tickets" => Some(Which::Tickets),
            None if text == "rounding_residual" => Some(Which::Residual),
            None if text == "wallet" => Some(Which::Wallet),
            None => None,
        }
    }
}

/// Whether what an account of this name holds are play chips; `None` for the name of no account.
pub(super) fn is_of_play(account: &str) -> Option<bool> {
    Some(match Which::parse(account)? {
        Which::Play => true,
        Which::Player(name) | Which::TDollars(name) => is_guest(name),
        Which::Table(name) | Which::Seat(name, _) => is_for_play(name),
        _ => false,
    })
}

/// A balance after `amount` has moved.
fn after(balance: i64, amount: i64, may_owe: bool) -> Option<i64> {
    balance.checked_add(amount).filter(|sum| (-LIMIT..=LIMIT).contains(sum) && (may_owe || *sum >= 0))
}

impl Accounts {
    /// `false` if there is such a player.
    pub fn open_player(&mut self, name: &str) -> bool {
        if self.players.contains_key(name) {
            return false;
        }
        self.players.insert(name.into(), 0);
        true
    }

    /// The next guest; `false` if this is not their name.
    pub fn admit(&mut self, name: &str) -> bool {
        let is_next = name.strip_prefix("guest.") == Some(self.admitted.to_string().as_str());
        self.admitted = self.admitted.saturating_add(1);
        is_next && self.open_player(name)
    }

    /// A guest goes, who has nothing left; `false` if there is none, or they have.
    pub fn dismiss(&mut self, name: &str) -> bool {
        is_guest(name) && self.players.remove(name) == Some(0)
    }

    /// Another log is known, by some policy or by none.
    pub fn know(&mut self, log: &str) {
        self.known.entry(log.into()).or_default();
    }

    /// The next transfer to a log; `false` if it has another number.
    pub fn send(&mut self, log: &str, no: u64) -> bool {
        let next = self.known.get_mut(log).filter(|known| known.sent == no);
        next.map(|known| known.sent = known.sent.saturating_add(1)).is_some()
    }

    /// A transfer from a log; `false` if it was claimed before.
    pub fn claim(&mut self, log: &str, no: u64) -> bool {
        self.known.get_mut(log).is_some_and(|known| known.claimed.insert(no))
    }

    /// Chips sent to other logs, less those claimed from them.
    pub fn transfers(&self) -> i128 {
        self.known.values().map(|known| i128::from(known.balance)).sum()
    }

    /// `false` if there is, or was, such a table or tournament.
    pub fn open(&mut self, name: &str, kind: Kind) -> bool {
        if self.by_name.contains_key(name) {
            return false;
        }
        self.by_name.insert(name.into(), self.tables.len());
        self.tables.push(TableAccount {
            name: name.into(),
            kind,
            next_seq: 0,
            closed: false,
            balance: 0,
            house: 0,
            paid_house: 0,
            staked: 0,
            returned: 0,
            seats: Vec::new(),
        });
        true
    }

    /// The place of a table that is open.
    pub fn find_table(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied().filter(|place| self.tables.get(*place).is_some_and(|table| !table.closed))
    }

    pub fn table(&mut self, place: Option<usize>) -> Option<&mut TableAccount> {
        self.tables.get_mut(place?)
    }

    pub fn player(&self, name: &str) -> Option<i64> {
        self.players.get(name).copied()
    }

    pub fn player_count(&self) -> u64 {
        self.players.keys().filter(|name| !is_guest(name)).count() as u64
    }

    pub fn table_count(&self) -> u64 {
        self.tables.iter().filter(|table| !matches!(table.kind, Kind::Event(_))).count() as u64
    }

    /// The tournament whose own entries are filed at a place.
    pub fn event(&mut self, place: Option<usize>) -> Option<&mut Tournament> {
        match &mut self.tables.get_mut(place?)?.kind {
            Kind::Event(event) => Some(event),
            Kind::Table | Kind::OfEvent => None,
        }
    }

    /// The balances of tournaments' accounts, tickets and T$, and of what was cut off.
    pub fn of_tournaments(&self) -> i128 {
        let own = self.tables.iter().filter_map(|table| match &table.kind {
            Kind::Event(event) => Some(event.money.iter()),
            Kind::Table | Kind::OfEvent => None,
        });
        let all = own.flatten().chain(self.t_dollars.values()).chain([&self.tickets, &self.residual]);
        all.map(|balance| i128::from(*balance)).sum()
    }

    /// Everything the players have, everything that lies on tables, and everything that lies before seats: of money, or
    /// of play chips.
    pub fn totals(&self, play: bool) -> (i128, i128, i128) {
        let players = self.players.iter().filter(|(name, _)| is_guest(name) == play);
        let players = players.map(|(_, balance)| i128::from(*balance)).sum();
        let tables = || self.tables.iter().filter(|table| is_for_play(&table.name) == play);
        let seats = tables().flat_map(|table| &table.seats).map(|balance| i128::from(*balance)).sum();
        (players, tables().map(|table| i128::from(table.balance)).sum(), seats)
    }

    /// Moves one line of a posting in an entry of the table at `here`; the balance stated must be the one that results.
    pub fn post(&mut self, here: Option<usize>, account: &str, amount: i64, stated: i64) -> Result<(), String> {
        let which = Which::parse(account).ok_or_else(|| format!("`{account}` is no account"))?;
        self.require_place(here, account, &which)?;
        let may_owe = matches!(which, Which::Cage | Which::House | Which::Play | Which::Wallet | Which::Transfers(_));
        let balance = match which {
            Which::Cage => &mut self.cage,
            Which::House => &mut self.house,
            Which::Player(name) => {
                self.players.get_mut(name).ok_or_else(|| format!("there is no account {account}"))?
            }
            Which::Rake => &mut self.rake,
            Which::Play => &mut self.play,
            Which::Tickets => &mut self.tickets,
            Which::Residual => &mut self.residual,
            Which::Wallet => &mut self.wallet,
            Which::Transfers(log) => {
                let known = self.known.get_mut(log).ok_or_else(|| format!("there is no account {account}"))?;
                &mut known.balance
            }
            Which::TDollars(name) if self.players.contains_key(name) => self.t_dollars.entry(name.into()).or_default(),
            Which::TDollars(_) => return Err(format!("there is no account {account}")),
            Which::Own(own, name) => {
                let table = here.and_then(|place| self.tables.get_mut(place)).filter(|table| *table.name == *name);
                match table.map(|table| &mut table.kind) {
                    Some(Kind::Event(event)) => event.money.get_mut(own),
                    _ => None,
                }
                .ok_or_else(|| format!("{account} moves in an entry that is not the tournament's"))?
            }
            Which::Table(name) | Which::Seat(name, _) => {
                let table = here.and_then(|place| self.tables.get_mut(place)).filter(|table| *table.name == *name);
                let table = table
                    .filter(|table| matches!(table.kind, Kind::Table))
                    .ok_or_else(|| format!("chips of {account} move in an entry that is not the table's"))?;
                match which {
                    Which::Seat(_, seat) => {
                        if table.seats.len() <= seat {
                            table.seats.resize(seat + 1, 0);
                        }
                        &mut table.seats[seat]
                    }
                    _ => &mut table.balance,
                }
            }
        };
        let computed = after(*balance, amount, may_owe).ok_or_else(|| {
            format!("{account} stands at {balance}: moved by {amount:+} it would leave the range it may stand in")
        })?;
        if computed != stated {
            return Err(format!("the log says {account} stands at {stated}, the book says {computed}"));
        }
        *balance = computed;
        if self.event(here).is_some() {
            // Its own accounts by their first word: no other tournament's move here.
            let key = if let Which::Own(own, _) = which { OWN.get(own).copied().unwrap_or(account) } else { account };
            *self.moved.entry(key.to_owned()).or_default() += i128::from(amount);
        }
        Ok(())
    }

    /// Whether an account can move in an entry at this place: no money moves at a tournament's table, and what only
    /// tournaments have moves in a tournament's own entries alone.
    fn require_place(&self, here: Option<usize>, account: &str, which: &Which<'_>) -> Result<(), String> {
        let here = here.and_then(|place| self.tables.get(place)).map(|table| &table.kind);
        let of_tournaments = matches!(which, Which::Tickets | Which::Residual | Which::TDollars(_));
        match here {
            Some(Kind::OfEvent) => Err(format!("{account} moves at a tournament's table, where chips are no money")),
            Some(Kind::Event(_)) => Ok(()),
            _ if of_tournaments => Err(format!("{account} moves in an entry that is no tournament's")),
            _ => Ok(()),
        }
    }
}

/// The message for every posting that does not sum to zero.
pub(super) fn unbalanced(sum: i128) -> String {
    PostingError::Unbalanced(sum).to_string()
}
