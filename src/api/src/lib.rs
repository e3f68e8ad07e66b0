//! The bodies of the HTTP contract (openapi.yaml), written by the service and read by its clients, declared once.
//!
//! Plain data with serde both ways. A reader ignores unknown fields of a reply, so that a later service may add some; a
//! request with an unknown field is refused. This crate has no rule of the house and no HTTP: the service owns
//! statuses, headers and the current state.
//!
//! Fields are in the order in which they are sent.

mod accepted;
mod cluster;
mod log;
mod part;
mod player;
mod problem;
mod ready;
mod requests;
mod round;
mod significant;
mod table;
mod tournament;
mod wallet;

pub use accepted::{Accepted, OwnCards, Receipt, SeedLine, ShownOpening};
pub use cluster::{ClusterView, ShardView};
pub use log::{ClaimedRun, Currency, KnownLogList, KnownLogView, LogEnded, LogInfo, TableEntries, TableEntry};
pub use part::{PartInRound, PartOutcome, spreadsheet_text, unit_of};
pub use player::{
    DisplayNames, KeyWaits, ListedPlayer, LoginTicket, OwnSeat, OwnSums, PlayerList, PlayerView, RoundList,
    RoundSummary, Transaction,
};
pub use problem::{ErrorCode, Problem};
pub use ready::{Ready, WitnessState, WitnessView};
pub use requests::{
    Act, Announced, Because, BetRequest, Claim, Commit, Correction, KnownLogRequest, LateSeed, MoreChips, Movement,
    NewAuditor, NewExclusion, NewKey, NewLimit, NewPlayer, NewTable, NewTicket, NewToken, NewTransfer, Nothing, Reveal,
    SeatWish, TicketExchange, Trial,
};
pub use round::{
    Awaited, ContributorView, DecisionList, DecisionView, PilePartView, PileView, RoundRead, RoundView,
    TrialCommitment, ViewPhase, VoidView,
};
pub use significant::{Cause, SignificantEvent, SignificantList};
pub use table::{
    CallView, CashSeatView, CashView, ChipsOf, CurrentShoe, Disclosure, RuleSetView, SeatView, ShoeHistory, ShoeView,
    StandingView, TableList, TableView, WindowView,
};
pub use tournament::{
    BountyOf, Cancellation, ClockView, DealAnswer, DealProposal, DealView, DealWish, Disqualification, DrawView,
    EntryAt, EntryView, EventSeatView, EventTableList, EventTableView, NewTournament, NoRebuy, OfTournament,
    OwnStanding, PayoutView, PoolView, Postponement, ProposalView, Registration, RegistrationTimes, RegistrationView,
    SeatReveal, StakeOffer, StakePurchase, Standings, StandsView, StructureView, Substitute, TournamentList,
    TournamentSummary, TournamentView,
};
pub use wallet::{
    PlayerWallet, WalletMovement, WalletOperationKind, WalletOperationState, WalletOperationView, WalletStyle,
};
