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
mod command;
mod conduct;
mod continues;
mod dealer;
mod decide;
mod due;
mod entry;
mod event;
mod excerpt;
mod facts;
mod fold;
mod guests;
mod idle_seats;
mod late;
mod ledger;
mod limits;
mod noted;
mod notes;
mod overdue;
mod parts;
mod pile;
mod refusal;
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

pub use betting::{BettingTable, Window};
pub use cash::{Call, CashSeat, CashTable, CutOff, EventPlace, SitOutCause};
pub use command::{Actor, Command, Holder, Lapsed, PlainText, Reference, SeenCheckpoint, Software};
pub use conduct::Conduct;
pub use continues::{CARRIED_OVER, CarriedOver, CarriedPlayer, InPlay, LOG_CONTINUES, NextLog, OldLog};
pub use dealer::{Dealer, DealerError, SeedDealer, ShoeId};
pub use decide::DecideError;
pub use entry::{ENTRY_VERSION, Entry, EntryError, LAST_TIME, MAX_ENTRY_BYTES, MOST_NUMBER, TableSeq};
pub use event::{
    Committed, Event, LapseCause, Offence, PlacedBet, PlayerCommitment, RetainedWinnings, RetireCause, RoundResult,
    VoidCause,
};
pub use facts::{Balance, Begins, Counted, Facts, Repeats, TableKind};
pub use guests::{GUEST_CHIPS, GUEST_IDLE_MS, GUEST_ROOM_MS, is_for_play, is_guest};
pub use late::{LATE_SEED_MS, MissingSeed, VOIDS_REMEMBERED, VoidedRound};
pub use ledger::{Account, Ledger, Line, PostingError};
pub use limits::{LIMIT_DELAY_MS, LimitOf, LimitPeriod, MOST_EXCLUDED_MS, PlayerLimit, SITTING_GAP_MS, WaitingLimit};
pub use noted::{NotedBetting, NotedCash, NotedCashSeat, NotedSeat, NotedTable};
pub use notes::{HouseNote, HouseNoteError, MAX_HOUSE_NOTE, Receivable, ReceivedNote, RefusedNote};
pub use overdue::{OVERDUE_GRACE_MS, Overdue};
pub use parts::{NoState, STATE_INTERVAL, StateRoot, root_of_lines};
pub use pile::{PileContributor, PileShuffle, PileStage};
pub use refusal::Refusal;
pub use round::{Contributor, OpenRound, Phase, Wait};
pub use sharded::{Ordered, Sharded};
pub use shoe_use::{SHOE_BYTES, SHOE_ENTRIES, SHOE_IDLE_MS, ShoeUse};
pub use signed::{CommandSignature, KEY_DELAY_MS, Nonce, PlayerKey, Signed, signed_text};
pub use state::{Corrupt, State, TABLES_PER_PLAYER};
pub use table::{Seat, Shoe, Table};
pub use tournament::{Tournament, TournamentCommand, TournamentEvent};
pub use transfers::{
    KnownLog, MOST_CLAIM_ENTRY_BYTES, MOST_CLAIM_RECEIPT_BYTES, MOST_KNOWN_LOGS, MOST_POLICY_BYTES, Runs,
};
pub use wallet::{MOST_OPERATIONS, MOST_OPERATIONS_OF_PLAYER, WalletAnswer, WalletCall, WalletOperation};
