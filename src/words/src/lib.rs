//! The words of the log: entries, the commands and events in them, refusals, and the house's signed notes, each with its
//! one encoding and what is known of it by itself (spec/entries.md). No state, and no rule that needs one: whether a
//! command is allowed, and what an event changes, is the house's.

mod account;
mod command;
mod entry;
mod event;
mod facts;
mod limits;
mod noted;
mod notes;
mod refusal;
mod signed;
pub mod tournament;
mod wallet;

pub use account::{Account, GUEST, Line, is_for_play, is_guest, may_open_named, names_play_tables};
pub use command::{Actor, Command, Holder, Lapsed, PlainText, Reference, SeenCheckpoint, Software};
pub use entry::{
    ENTRY_VERSION, Entry, EntryError, LAST_TIME, MAX_ENTRY_BYTES, MOST_NUMBER, TableSeq, has_greater_number,
};
pub use event::{
    Committed, Event, LapseCause, Offence, PlacedBet, PlayerCommitment, RetainedWinnings, RetireCause, RoundResult,
    VoidCause,
};
pub use facts::{Balance, Begins, Change, Counted, Facts, Repeats, TableKind};
pub use limits::{LimitOf, LimitPeriod};
pub use noted::{
    CutOff, EventPlace, NotedBetting, NotedCash, NotedCashSeat, NotedSeat, NotedTable, SitOutCause, is_zero,
};
pub use notes::{HouseNote, HouseNoteError, MAX_CHIPS_LISTED, MAX_HOUSE_NOTE, Receivable, ReceivedNote, RefusedNote};
pub use refusal::{InPlay, Refusal};
pub use signed::{CommandSignature, Nonce, PlayerKey, Signed, StateRoot, signed_text};
pub use tournament::{PaidBy, TournamentCommand, TournamentEvent};
pub use wallet::{WalletAnswer, WalletCall};
