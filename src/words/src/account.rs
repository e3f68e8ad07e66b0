//! Accounts and lines of a posting (spec/ledger.md), and which names are of play chips. What a posting may do is the
//! ledger's.

use fairshoe_fairness::{Origin, PlayerId, TableId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What the name of every guest begins with, and of nobody else.
pub const GUEST: &str = "guest.";

/// What the name of every table for play chips begins with, and of no other.
const PLAY: &str = "play.";

/// Whether a player is a guest: their name is `guest.N`.
pub fn is_guest(player: &PlayerId) -> bool {
    player.as_str().starts_with(GUEST)
}

/// Whether the chips of a table are play chips: its name is `play.NAME`.
pub fn is_for_play(table: &TableId) -> bool {
    table.as_str().starts_with(PLAY)
}

/// Whether a table may have this name if this guest opens it, or somebody else: `play.GUEST.NAME` is that guest's alone. So no
/// other can have it, and it need not be remembered once they have gone.
pub fn may_open_named(table: &TableId, guest: Option<&PlayerId>) -> bool {
    let of_play = table.as_str().strip_prefix(PLAY);
    match guest {
        Some(guest) => {
            let rest = of_play.and_then(|rest| rest.strip_prefix(guest.as_str())?.strip_prefix('.'));
            rest.is_some_and(|rest| !rest.is_empty())
        }
        None => of_play.is_none_or(|rest| !rest.starts_with(GUEST)),
    }
}

/// Whether the tables of an event of this name, `NAME.1` and so on, would be taken for tables for play chips.
pub fn names_play_tables(event: &TableId) -> bool {
    is_for_play(event) || PLAY.strip_suffix('.') == Some(event.as_str())
}

/// A named account (spec/ledger.md). Text: `cage`, `house`, `rake`, `play`, `tickets`, `rounding_residual`, `player:NAME`,
/// `table:NAME`, `seat:NAME/NUMBER`, `transfers:ORIGIN`, `wallet`, `tdollars:NAME`, `pool:NAME`, `fees:NAME`,
/// `bounties:NAME`, `stakes:NAME`.
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
    /// The chips before a seat of a cash table; never below zero.
    Seat(TableId, u8),
    /// What the house took out of pots (R001.81).
    Rake,
    /// Minus all play chips that are out: guests' chips come from here and go back, and tables for play chips settle
    /// against it.
    Play,
    /// What tickets are worth that were won and not used; never below zero.
    Tickets,
    /// Cut fractions of prizes and refunds (C3b); never below zero.
    RoundingResidual,
    /// What was sent to another log, less what was claimed from it.
    Transfers(Origin),
    /// Minus what came from the operator's wallet and has not gone back.
    Wallet,
    /// A player's T$; never below zero.
    TDollars(PlayerId),
    /// Of a tournament: what there is for prizes; never below zero.
    Pool(TableId),
    /// Its fees, until it has ended; never below zero.
    Fees(TableId),
    /// Heads and won totals; never below zero.
    Bounties(TableId),
    /// Stake money, and what sellers won; never below zero.
    Stakes(TableId),
}

/// An account of a tournament, or of what tournaments leave, by the first word of its text.
fn tournament_account(kind: &str, name: &str) -> Option<Account> {
    let event = |account: fn(TableId) -> Account| TableId::parse(name).ok().map(account);
    match kind {
        "tdollars" => PlayerId::parse(name).ok().map(Account::TDollars),
        "pool" => event(Account::Pool),
        "fees" => event(Account::Fees),
        "bounties" => event(Account::Bounties),
        "stakes" => event(Account::Stakes),
        _ => None,
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::Cage => f.write_str("cage"),
            Account::House => f.write_str("house"),
            Account::Player(player) => write!(f, "player:{player}"),
            Account::Table(table) => write!(f, "table:{table}"),
            Account::Seat(table, seat) => write!(f, "seat:{table}/{seat}"),
            Account::Rake => f.write_str("rake"),
            Account::Play => f.write_str("play"),
            Account::Tickets => f.write_str("tickets"),
            Account::RoundingResidual => f.write_str("rounding_residual"),
            Account::Transfers(log) => write!(f, "transfers:{log}"),
            Account::Wallet => f.write_str("wallet"),
            Account::TDollars(player) => write!(f, "tdollars:{player}"),
            Account::Pool(event) => write!(f, "pool:{event}"),
            Account::Fees(event) => write!(f, "fees:{event}"),
            Account::Bounties(event) => write!(f, "bounties:{event}"),
            Account::Stakes(event) => write!(f, "stakes:{event}"),
        }
    }
}

impl Account {
    /// Whether what it holds are play chips: as its text alone says.
    pub fn is_of_play(&self) -> bool {
        match self {
            Account::Play => true,
            Account::Player(player) | Account::TDollars(player) => is_guest(player),
            Account::Table(table) | Account::Seat(table, _) => is_for_play(table),
            _ => false,
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
            None if text == "rake" => Ok(Account::Rake),
            None if text == "play" => Ok(Account::Play),
            None if text == "tickets" => Ok(Account::Tickets),
            None if text == "rounding_residual" => Ok(Account::RoundingResidual),
            None if text == "wallet" => Ok(Account::Wallet),
            Some(("player", name)) => PlayerId::parse(name).map(Account::Player).map_err(serde::de::Error::custom),
            Some(("table", name)) => TableId::parse(name).map(Account::Table).map_err(serde::de::Error::custom),
            Some(("transfers", name)) => Origin::parse(name).map(Account::Transfers).map_err(serde::de::Error::custom),
            Some(("seat", name)) => {
                seat_account(name).ok_or_else(|| serde::de::Error::custom("a seat's account is `seat:NAME/NUMBER`"))
            }
            Some((kind, name)) => {
                tournament_account(kind, name).ok_or_else(|| serde::de::Error::custom("there is no such account"))
            }
            _ => Err(serde::de::Error::custom("there is no such account")),
        }
    }
}

/// A seat's account by its name, in its one spelling.
fn seat_account(name: &str) -> Option<Account> {
    let (table, seat) = name.rsplit_once('/')?;
    let number: u8 = seat.parse().ok().filter(|number: &u8| *number > 0 && seat.len() == number.to_string().len())?;
    Some(Account::Seat(TableId::parse(table).ok()?, number))
}

/// One line of a posting: account, amount, balance after. Text: `["player:alice",-7,93]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line(pub Account, pub i64, pub i64);
