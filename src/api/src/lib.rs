//! The bodies of the HTTP contract (openapi.yaml): what the service writes and its clients read, declared once.
//!
//! Plain data with serde both ways. Whoever reads passes over fields that he does not know, so that a later service may say more. No
//! rule of the house is here, and no HTTP: statuses, headers and what is in force stand with the service.
//!
//! Fields are in the order in which they are sent.

mod accepted;
mod log;
mod player;
mod problem;
mod round;
mod table;

pub use accepted::{Accepted, OwnCards, Receipt, SeedLine, ShownOpening};
pub use log::{LogInfo, TableEntries, TableEntry};
pub use player::{KeyWaits, OwnSeat, PlayerView, RoundList, RoundSummary};
pub use problem::{ErrorCode, Problem};
pub use round::{Awaited, ContributorView, DecisionList, DecisionView, PilePartView, PileView, RoundRead, RoundView, ViewPhase, VoidView};
pub use table::{
    CallView, CashSeatView, CashView, CurrentShoe, Disclosure, RuleSetView, SeatView, ShoeHistory, ShoeView, StandingView, TableList,
    TableView, WindowView,
};
