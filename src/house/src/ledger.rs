use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use thiserror::Error;

/// A named account (spec/ledger.md). Text: `cage`, `house`, `player:NAME`, `table:NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// The operator's cage: minus everything that was paid in and not yet paid out.
    Cage,
    /// What the house has won or lost.
    House,
    /// A player's balance; never below zero.
    Player(PlayerId),
    /// What is staked in a table's open round; never below zero.
    Table(TableId),
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::Cage => f.write_str("cage"),
            Account::House => f.write_str("house"),
            Account::Player(player) => write!(f, "player:{player}"),
            Account::Table(table) => write!(f, "table:{table}"),
        }
    }
}

impl Serialize for Account {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Account {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        match text.split_once(':') {
            None if text == "cage" => Ok(Account::Cage),
            None if text == "house" => Ok(Account::House),
            Some(("player", name)) => PlayerId::parse(name).map(Account::Player).map_err(serde::de::Error::custom),
            Some(("table", name)) => TableId::parse(name).map(Account::Table).map_err(serde::de::Error::custom),
            _ => Err(serde::de::Error::custom("an account is `cage`, `house`, `player:NAME` or `table:NAME`")),
        }
    }
}

/// One line of a posting: account, amount, balance after. Text: `["player:alice",-7,93]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line(pub Account, pub i64, pub i64);

/// Why a posting is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PostingError {
    /// Chips out of nothing, or into nothing.
    #[error("the lines sum to {0}, not to zero")]
    Unbalanced(i128),
    /// An account that cannot owe would.
    #[error("{account} would stand at {balance}")]
    BelowZero {
        /// Which.
        account: Account,
        /// Where it would stand.
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
        /// As it is.
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
    players: HashMap<PlayerId, i64>,
    tables: HashMap<TableId, i64>,
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

    /// Whether a player with this balance, and the house, can take whatever a new round pays.
    pub(crate) fn can_pay_out(&self, balance: Chips) -> bool {
        balance <= Self::COMFORT && self.house >= -Self::COMFORT.signed()
    }

    /// An account's balance; `None` for a player or table that does not exist.
    pub fn balance(&self, account: &Account) -> Option<i64> {
        match account {
            Account::Cage => Some(self.cage),
            Account::House => Some(self.house),
            Account::Player(player) => self.players.get(player).copied(),
            Account::Table(table) => self.tables.get(table).copied(),
        }
    }

    /// What a player has.
    pub fn player(&self, player: &PlayerId) -> Option<Chips> {
        self.players.get(player).and_then(|balance| u64::try_from(*balance).ok()).and_then(Chips::new)
    }

    /// Opens a player's account; `false` if he has one.
    pub(crate) fn open_player(&mut self, player: PlayerId) -> bool {
        match self.players.entry(player) {
            Entry::Occupied(_) => false,
            Entry::Vacant(vacant) => {
                vacant.insert(0);
                true
            }
        }
    }

    /// Takes a balance on the log's word, where a bundle shows one table alone.
    pub(crate) fn state_player(&mut self, player: PlayerId, balance: Chips) {
        self.players.insert(player, balance.signed());
    }

    /// Takes the house's balance on the log's word, for the same reason.
    pub(crate) fn state_house(&mut self, balance: i64) {
        self.house = balance;
    }

    pub(crate) fn open_table(&mut self, table: TableId) {
        self.tables.entry(table).or_insert(0);
    }

    pub(crate) fn close_table(&mut self, table: &TableId) {
        self.tables.remove(table);
    }

    /// How many players there are.
    pub fn player_count(&self) -> usize {
        self.players.len()
    }

    /// The sum over all accounts: zero, always.
    pub fn total(&self) -> i128 {
        let all = self.players.values().chain(self.tables.values()).chain([&self.cage, &self.house]);
        all.map(|balance| i128::from(*balance)).sum()
    }

    /// Everything the players have.
    pub fn players_total(&self) -> i128 {
        self.players.values().map(|balance| i128::from(*balance)).sum()
    }

    /// Where an account would stand; shared by drafting and posting.
    pub(crate) fn after(account: &Account, balance: i64, amount: i64) -> Result<i64, PostingError> {
        let after =
            balance.checked_add(amount).filter(|b| (-LIMIT..=LIMIT).contains(b)).ok_or_else(|| PostingError::Overflow(account.clone()))?;
        match account {
            Account::Player(_) | Account::Table(_) if after < 0 => {
                Err(PostingError::BelowZero { account: account.clone(), balance: after })
            }
            _ => Ok(after),
        }
    }

    /// Posts balanced lines, all or none; each line's balance must be the one that results.
    /// In a bundle (`partial`), where other tables' entries are missing, the shared accounts are taken on the log's word.
    pub(crate) fn post(&mut self, lines: &[Line], partial: bool) -> Result<(), PostingError> {
        let sum: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
        if sum != 0 {
            return Err(PostingError::Unbalanced(sum));
        }
        let mut after = Vec::with_capacity(lines.len());
        for (index, Line(account, amount, stated)) in lines.iter().enumerate() {
            let earlier = lines.iter().take(index).rev().find(|line| line.0 == *account).map(|line| line.2);
            let balance = earlier.or_else(|| self.balance(account)).ok_or_else(|| PostingError::Unknown(account.clone()))?;
            let computed = Self::after(account, balance, *amount)?;
            let shared = matches!(account, Account::Cage | Account::House);
            if computed != *stated && !(partial && shared) {
                return Err(PostingError::WrongBalance { account: account.clone(), stated: *stated, computed });
            }
            after.push(*stated);
        }
        for (Line(account, ..), balance) in lines.iter().zip(after) {
            match account {
                Account::Cage => self.cage = balance,
                Account::House => self.house = balance,
                Account::Player(player) => drop(self.players.insert(player.clone(), balance)),
                Account::Table(table) => drop(self.tables.insert(table.clone(), balance)),
            }
        }
        Ok(())
    }
}
