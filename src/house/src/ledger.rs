//! Accounts that sum to zero, and postings that keep it so (spec/ledger.md). Knows no rule by which money moves; the
//! decisions say what to post.

use crate::sharded::Sharded;
use crate::{Account, Line, is_for_play, is_guest};
use fairshoe_fairness::{Origin, PlayerId, TableId};
use fairshoe_games::Chips;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a posting is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PostingError {
    /// Chips out of nothing, or into nothing.
    #[error("the lines sum to {0}, not to zero")]
    Unbalanced(i128),
    /// Play chips and credited ones in one posting.
    #[error("{0} holds chips of another kind than the accounts before it")]
    Mixed(Account),
    /// An account that cannot owe would.
    #[error("{account} would stand at {balance}")]
    BelowZero {
        /// Which.
        account: Account,
        /// The balance that it would have.
        balance: i64,
    },
    /// No such account.
    #[error("there is no account {0}")]
    Unknown(Account),
    /// A line states a balance that is not the account's.
    #[error("the log says {account} stands at {stated}, the book says {computed}")]
    WrongBalance {
        /// Which.
        account: Account,
        /// As the line has it.
        stated: i64,
        /// As the book has it.
        computed: i64,
    },
    /// Beyond 2^53 − 1.
    #[error("{0} would leave the range of amounts")]
    Overflow(Account),
}

/// The largest balance either way.
const LIMIT: i64 = fairshoe_games::MAX_CHIPS as i64;

/// Every account's balance.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    cage: i64,
    house: i64,
    rake: i64,
    #[serde(default)]
    play: i64,
    players: Sharded<PlayerId, i64>,
    tables: Sharded<TableId, i64>,
    /// By table, the seats' chips from seat 1 on.
    seats: Sharded<TableId, Vec<i64>>,
    /// By the other log's name.
    #[serde(default)]
    transfers: BTreeMap<Origin, i64>,
    #[serde(default)]
    wallet: i64,
    tickets: i64,
    residual: i64,
    t_dollars: Sharded<PlayerId, i64>,
    /// By tournament.
    events: Sharded<TableId, EventMoney>,
}

/// A tournament's own accounts: pool, fees, bounties, stakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventMoney {
    pub pool: i64,
    pub fees: i64,
    pub bounties: i64,
    pub stakes: i64,
}

impl EventMoney {
    fn sum(&self) -> i128 {
        [self.pool, self.fees, self.bounties, self.stakes].into_iter().map(i128::from).sum()
    }
}

impl Ledger {
    /// Half the range. Above it a player takes no more chips in and bets no more, so that no payout of a round in
    /// progress, which cannot be refused any more, leaves the range of amounts (spec/ledger.md).
    pub const COMFORT: Chips = match Chips::new(fairshoe_games::MAX_CHIPS / 2) {
        Some(half) => half,
        None => Chips::ZERO,
    };

    /// The most that all players stake on a round when bets close: 2^42. A round returns at most 1024 times its opening
    /// stakes, whatever the game, so that none can take more than the room above [`Ledger::COMFORT`] (spec/ledger.md).
    pub(crate) const MOST_STAKED: Chips = match Chips::new(1 << 42) {
        Some(most) => most,
        None => Chips::ZERO,
    };

    /// Whether a player with this balance, and the account that a table settles against, can take whatever a new round
    /// pays. In a bundle (`partial`) that account's balance is not known.
    pub(crate) fn can_pay_out(&self, balance: Chips, against: &Account, partial: bool) -> bool {
        let stands = self.balance(against).unwrap_or_default();
        balance <= Self::COMFORT && (partial || stands >= -Self::COMFORT.signed())
    }

    /// An account's balance; `None` for a player or table that does not exist.
    pub fn balance(&self, account: &Account) -> Option<i64> {
        match account {
            Account::Cage => Some(self.cage),
            Account::House => Some(self.house),
            Account::Player(player) => self.players.get(player).copied(),
            Account::Table(table) => self.tables.get(table).copied(),
            Account::Seat(table, seat) => self.seats.get(table)?.get(usize::from(*seat).checked_sub(1)?).copied(),
            Account::Rake => Some(self.rake),
            Account::Play => Some(self.play),
            Account::Tickets => Some(self.tickets),
            Account::RoundingResidual => Some(self.residual),
            Account::Transfers(log) => self.transfers.get(log).copied(),
            Account::Wallet => Some(self.wallet),
            // Everybody with an account of their own can have T$.
            Account::TDollars(player) => {
                let known = self.players.contains_key(player).then_some(0);
                self.t_dollars.get(player).copied().or(known)
            }
            Account::Pool(event) => self.events.get(event).map(|money| money.pool),
            Account::Fees(event) => self.events.get(event).map(|money| money.fees),
            Account::Bounties(event) => self.events.get(event).map(|money| money.bounties),
            Account::Stakes(event) => self.events.get(event).map(|money| money.stakes),
        }
    }

    /// The worth of tickets, and fractions that were cut off.
    pub(crate) fn of_tournaments(&self) -> (i64, i64) {
        (self.tickets, self.residual)
    }

    /// Sets what a noted state says of them.
    pub(crate) fn set_tournaments(&mut self, tickets: i64, residual: i64) {
        (self.tickets, self.residual) = (tickets, residual);
    }

    /// Sets what a noted state says of a player's T$.
    pub(crate) fn set_t_dollars(&mut self, player: &PlayerId, balance: i64) {
        self.set(&Account::TDollars(player.clone()), balance);
    }

    /// Sets what a noted state says of a tournament's accounts.
    pub(crate) fn set_event(&mut self, event: &TableId, money: EventMoney) {
        self.events.insert(event.clone(), money);
    }

    /// Opens the account of another log, if there is none.
    pub(crate) fn open_transfers(&mut self, log: &Origin) {
        self.transfers.entry(log.clone()).or_default();
    }

    /// Sets what a noted state says of it.
    pub(crate) fn set_transfers(&mut self, log: &Origin, balance: i64) {
        self.set(&Account::Transfers(log.clone()), balance);
    }

    /// Sets what a noted state says of the wallet's account.
    pub(crate) fn set_wallet(&mut self, balance: i64) {
        self.wallet = balance;
    }

    /// Minus what came from the operator's wallet and has not gone back.
    pub fn wallet(&self) -> i64 {
        self.wallet
    }

    /// Chips sent to other logs, less those claimed from them.
    pub fn transfers_total(&self) -> i128 {
        self.transfers.values().map(|balance| i128::from(*balance)).sum()
    }

    /// Opens a tournament's accounts.
    pub(crate) fn open_event(&mut self, event: &TableId) {
        self.events.or_insert(event, EventMoney::default());
    }

    /// Closes a tournament's accounts, in which nothing lies.
    pub(crate) fn close_event(&mut self, event: &TableId) {
        self.events.remove(event);
    }

    /// The balances of a tournament's accounts.
    pub(crate) fn of_event(&self, event: &TableId) -> EventMoney {
        self.events.get(event).copied().unwrap_or_default()
    }

    fn set(&mut self, account: &Account, balance: i64) {
        let mut of_event = |event: &TableId, place: fn(&mut EventMoney) -> &mut i64| {
            if let Some(money) = self.events.get_mut(event) {
                *place(money) = balance;
            }
        };
        match account {
            Account::Cage => self.cage = balance,
            Account::House => self.house = balance,
            Account::Player(player) => drop(self.players.insert(player.clone(), balance)),
            Account::Table(table) => drop(self.tables.insert(table.clone(), balance)),
            Account::Seat(table, seat) => self.set_seat(table, *seat, balance),
            Account::Rake => self.rake = balance,
            Account::Play => self.play = balance,
            Account::Tickets => self.tickets = balance,
            Account::RoundingResidual => self.residual = balance,
            Account::Transfers(log) => drop(self.transfers.insert(log.clone(), balance)),
            Account::Wallet => self.wallet = balance,
            Account::TDollars(player) if balance == 0 => drop(self.t_dollars.remove(player)),
            Account::TDollars(player) => drop(self.t_dollars.insert(player.clone(), balance)),
            Account::Pool(event) => of_event(event, |money| &mut money.pool),
            Account::Fees(event) => of_event(event, |money| &mut money.fees),
            Account::Bounties(event) => of_event(event, |money| &mut money.bounties),
            Account::Stakes(event) => of_event(event, |money| &mut money.stakes),
        }
    }

    /// A player's balance.
    pub fn player(&self, player: &PlayerId) -> Option<Chips> {
        self.players.get(player).and_then(|balance| u64::try_from(*balance).ok()).and_then(Chips::new)
    }

    /// Opens a player's account; `false` if they have one.
    pub(crate) fn open_player(&mut self, player: PlayerId) -> bool {
        let is_new = !self.players.contains_key(&player);
        if is_new {
            self.players.insert(player, 0);
        }
        is_new
    }

    /// Closes the account of a guest who is dismissed, in which nothing lies.
    pub(crate) fn close_player(&mut self, player: &PlayerId) {
        self.players.remove(player);
    }

    /// Takes a balance on the log's word, where a bundle shows one table alone.
    pub(crate) fn state_player(&mut self, player: PlayerId, balance: Chips) {
        self.players.insert(player, balance.signed());
    }

    /// Takes a player for one who exists, where a bundle shows one table alone.
    pub(crate) fn assume_player(&mut self, player: &PlayerId) {
        self.players.or_insert(player, 0);
    }

    /// Takes the house's balance on the log's word, for the same reason.
    pub(crate) fn state_house(&mut self, balance: i64) {
        self.house = balance;
    }

    /// The rake's balance on the log's word, too.
    pub(crate) fn state_rake(&mut self, balance: i64) {
        self.rake = balance;
    }

    /// The balance of the play chips' account, too.
    pub(crate) fn state_play(&mut self, balance: i64) {
        self.play = balance;
    }

    /// Sets what a noted state says of the house's own accounts.
    pub(crate) fn set_house(&mut self, cage: i64, house: i64, rake: i64) {
        (self.cage, self.house, self.rake) = (cage, house, rake);
    }

    /// Sets what follows from a noted state of a table's escrow.
    pub(crate) fn set_table(&mut self, table: &TableId, balance: Chips) {
        self.tables.insert(table.clone(), balance.signed());
    }

    /// A seat's chips on the log's word, too.
    pub(crate) fn state_seat(&mut self, table: &TableId, seat: u8, balance: Chips) {
        self.set_seat(table, seat, balance.signed());
    }

    fn set_seat(&mut self, table: &TableId, seat: u8, balance: i64) {
        let of_table = self.seats.get_mut(table);
        if let Some(place) = usize::from(seat).checked_sub(1).and_then(|index| of_table?.get_mut(index)) {
            *place = balance;
        }
    }

    pub(crate) fn open_table(&mut self, table: TableId, cash_seats: u8) {
        if cash_seats > 0 {
            self.seats.insert(table.clone(), vec![0; usize::from(cash_seats)]);
        }
        self.tables.or_insert(&table, 0);
    }

    pub(crate) fn close_table(&mut self, table: &TableId) {
        self.tables.remove(table);
        self.seats.remove(table);
    }

    /// Everything that lies before the seats of cash tables, play chips apart.
    pub fn seats_total(&self) -> i128 {
        let of_money = self.seats.iter().filter(|(table, _)| !is_for_play(table));
        of_money.flat_map(|(_, seats)| seats).map(|balance| i128::from(*balance)).sum()
    }

    /// Everything that is staked and unsettled at tables, or placed there, play chips apart.
    pub fn tables_total(&self) -> i128 {
        let of_money = self.tables.iter().filter(|(table, _)| !is_for_play(table));
        of_money.map(|(_, balance)| i128::from(*balance)).sum()
    }

    /// The sum over all accounts of play chips: zero, always.
    pub fn play_total(&self) -> i128 {
        let guests = self.players.iter().filter(|(player, _)| is_guest(player)).map(|(_, balance)| balance);
        let tables = self.tables.iter().filter(|(table, _)| is_for_play(table)).map(|(_, balance)| balance);
        let seats = self.seats.iter().filter(|(table, _)| is_for_play(table)).flat_map(|(_, seats)| seats);
        guests.chain(tables).chain(seats).chain([&self.play]).map(|balance| i128::from(*balance)).sum()
    }

    /// Everything that lies in tournaments, or that they leave: tickets, T$ and cut fractions.
    pub fn tournaments_total(&self) -> i128 {
        let of_events: i128 = self.events.values().map(EventMoney::sum).sum();
        let t_dollars: i128 = self.t_dollars.values().map(|balance| i128::from(*balance)).sum();
        of_events + t_dollars + i128::from(self.tickets) + i128::from(self.residual)
    }

    /// Every player, in no order.
    pub fn players(&self) -> impl Iterator<Item = &PlayerId> {
        self.players.iter().map(|(player, _)| player)
    }

    /// The cage's, the house's and the rake's balance.
    pub(crate) fn of_the_house(&self) -> (i64, i64, i64) {
        (self.cage, self.house, self.rake)
    }

    /// How many players there are.
    pub fn player_count(&self) -> usize {
        self.players.len()
    }

    /// The sum over all accounts: zero, always.
    pub fn total(&self) -> i128 {
        let all = self.players.values().chain(self.tables.values()).chain(self.seats.values().flatten());
        let all = all.chain([&self.cage, &self.house, &self.rake, &self.play, &self.wallet]);
        let all: i128 = all.map(|balance| i128::from(*balance)).sum();
        all + self.tournaments_total() + self.transfers_total()
    }

    /// Everything the players have, guests apart.
    pub fn players_total(&self) -> i128 {
        let of_money = self.players.iter().filter(|(player, _)| !is_guest(player));
        of_money.map(|(_, balance)| i128::from(*balance)).sum()
    }

    /// An account's balance afterwards; shared by deciding and posting.
    pub(crate) fn after(account: &Account, balance: i64, amount: i64) -> Result<i64, PostingError> {
        let after = balance
            .checked_add(amount)
            .filter(|b| (-LIMIT..=LIMIT).contains(b))
            .ok_or_else(|| PostingError::Overflow(account.clone()))?;
        match account {
            Account::Cage | Account::House | Account::Play | Account::Wallet | Account::Transfers(_) => Ok(after),
            _ if after < 0 => Err(PostingError::BelowZero { account: account.clone(), balance: after }),
            _ => Ok(after),
        }
    }

    /// Posts balanced lines, all or none; each line's balance must be the one that results. In a bundle (`partial`),
    /// where other tables' entries are missing, the shared accounts are taken on the log's word.
    pub(crate) fn post(&mut self, lines: &[Line], partial: bool) -> Result<(), PostingError> {
        let sum: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
        if sum != 0 {
            return Err(PostingError::Unbalanced(sum));
        }
        let is_play = lines.first().is_some_and(|line| line.0.is_of_play());
        if let Some(line) = lines.iter().find(|line| line.0.is_of_play() != is_play) {
            return Err(PostingError::Mixed(line.0.clone()));
        }
        let mut after = Vec::with_capacity(lines.len());
        for (index, Line(account, amount, stated)) in lines.iter().enumerate() {
            let earlier = lines.iter().take(index).rev().find(|line| line.0 == *account).map(|line| line.2);
            let balance =
                earlier.or_else(|| self.balance(account)).ok_or_else(|| PostingError::Unknown(account.clone()))?;
            let computed = Self::after(account, balance, *amount)?;
            let shared = !matches!(account, Account::Player(_) | Account::Table(_) | Account::Seat(..));
            if computed != *stated && !(partial && shared) {
                return Err(PostingError::WrongBalance { account: account.clone(), stated: *stated, computed });
            }
            after.push(*stated);
        }
        for (Line(account, ..), balance) in lines.iter().zip(after) {
            self.set(account, balance);
        }
        Ok(())
    }
}
