//! The house: players, a balanced ledger, tables, rounds, crash policy. Commands become events, events become state.
//!
//! [`State::decide`] (for a signed command [`State::decide_signed`]) answers a command with an [`Entry`] or a
//! [`Refusal`]; [`State::apply`] folds an entry in, and nothing else changes the state. The service, a restart, the
//! auditor and the tests run the same two functions. The code that judges a log (`fairshoe-judge`) runs them too.
//!
//! No I/O, clock, OS randomness or async: time and epochs come in with commands, faces from a [`Dealer`].
//! Implements `spec/entries.md`, `spec/ledger.md`, `spec/recovery.md`.

mod betting;
mod cash;
mod changes;
mod conduct;
mod continues;
mod dealer;
mod decide;
mod due;
mod dues;
mod excerpt;
mod fold;
mod guests;
mod idle_seats;
mod late;
mod ledger;
mod limits;
mod misfit;
mod noted;
mod overdue;
mod parts;
mod pile;
mod round;
mod seating;
mod sharded;
mod shared_rules;
mod shoe_use;
mod signed;
pub mod snapshot_serde;
mod state;
mod table;
mod tables;
pub mod tournament;
mod transfers;
mod wallet;

use fairshoe_words::{Change, GUEST, MAX_CHIPS_LISTED, has_greater_number, is_zero, may_open_named, names_play_tables};

// The words of the log are this crate's, too, for all who use it.
pub use fairshoe_words::{
    Account, Actor, Balance, Begins, Command, CommandSignature, Committed, Counted, CutOff, ENTRY_VERSION, Entry,
    EntryError, Event, EventPlace, Facts, Holder, HouseNote, HouseNoteError, InPlay, LAST_TIME, LapseCause, Lapsed,
    LimitOf, LimitPeriod, Line, MAX_ENTRY_BYTES, MAX_HOUSE_NOTE, MOST_NUMBER, Nonce, NotedBetting, NotedCash,
    NotedCashSeat, NotedSeat, NotedTable, Offence, PlacedBet, PlainText, PlayerCommitment, PlayerKey, Receivable,
    ReceivedNote, Reference, Refusal, RefusedNote, Repeats, RetainedWinnings, RetireCause, RoundResult, SeenCheckpoint,
    Signed, SitOutCause, Software, StateRoot, TableKind, TableSeq, TournamentCommand, TournamentEvent, VoidCause,
    WalletAnswer, WalletCall, is_for_play, is_guest, signed_text,
};

pub use betting::{BettingTable, Window};
pub use cash::{Call, CashSeat, CashTable};
pub use conduct::Conduct;
pub use continues::{CARRIED_OVER, CarriedOver, CarriedPlayer, LOG_CONTINUES, NextLog, OldLog};
pub use dealer::{Dealer, DealerError, SeedDealer, ShoeId};
pub use decide::DecideError;
pub use guests::{GUEST_CHIPS, GUEST_IDLE_MS, GUEST_ROOM_MS, GUEST_UNUSED_MS};
pub use late::{LATE_SEED_MS, MissingSeed, VOIDS_REMEMBERED, VoidedRound};
pub use ledger::{Ledger, PostingError};
pub use limits::{LIMIT_DELAY_MS, MOST_EXCLUDED_MS, PlayerLimit, SITTING_GAP_MS, WaitingLimit};
pub use misfit::{Corrupt, Misfit};
pub use overdue::{OVERDUE_GRACE_MS, Overdue};
pub use parts::{NoState, STATE_INTERVAL, root_of_lines};
pub use pile::{PileContributor, PileShuffle, PileStage};
pub use round::{Contributor, OpenRound, Phase, Wait, waits_ms};
pub use sharded::{Ordered, Sharded};
pub use shoe_use::{SHOE_BYTES, SHOE_ENTRIES, SHOE_IDLE_MS, Shoe, ShoeUse};
pub use signed::KEY_DELAY_MS;
pub use state::{State, TABLES_PER_PLAYER};
pub use table::{Seat, Table};
pub use tournament::Tournament;
pub use transfers::{
    KnownLog, MOST_CLAIM_ENTRY_BYTES, MOST_CLAIM_RECEIPT_BYTES, MOST_KNOWN_LOGS, MOST_POLICY_BYTES, Runs,
};
pub use wallet::{MOST_OPERATIONS, MOST_OPERATIONS_OF_PLAYER, WalletOperation};
