//! Refusals and failures as RFC 9457 problems, from a closed list of codes.

use fairshoe_fairness::TableId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

macro_rules! error_codes {
    ($($name:ident: $text:literal,)+) => {
        /// The error by its stable code (openapi.yaml, `ErrorCode`, gives each meaning).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the contract has their words")]
        pub enum ErrorCode {
            $(#[serde(rename = $text)] $name,)+
            /// A code of a later service; this one never sends it.
            #[default]
            #[serde(other, rename = "unknown")]
            Unknown,
        }

        impl ErrorCode {
            /// All codes that are sent, in the order of the contract.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)+];

            /// The code's text.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $text,)+
                    ErrorCode::Unknown => "unknown",
                }
            }
        }
    };
}

error_codes! {
    Malformed: "malformed",
    Unauthorized: "unauthorized",
    NotAllowed: "not_allowed",
    GuestsNotOffered: "guests_not_offered",
    TicketRefused: "ticket_refused",
    NotYourDecision: "not_your_decision",
    SignatureMissing: "signature_missing",
    SignatureWrong: "signature_wrong",
    NotFound: "not_found",
    UnknownPlayer: "unknown_player",
    UnknownTable: "unknown_table",
    UnknownRound: "unknown_round",
    UnknownShoe: "unknown_shoe",
    UnknownEntry: "unknown_entry",
    NotWitnessed: "not_witnessed",
    UnknownRuleset: "unknown_ruleset",
    UnknownStructure: "unknown_structure",
    UnknownTournament: "unknown_tournament",
    UnknownLog: "unknown_log",
    UnknownOperation: "unknown_operation",
    MethodNotAllowed: "method_not_allowed",
    RequestTimeout: "request_timeout",
    WrongRound: "wrong_round",
    WrongEpoch: "wrong_epoch",
    RoundInProgress: "round_in_progress",
    NoShoe: "no_shoe",
    Recovering: "recovering",
    InsufficientBalance: "insufficient_balance",
    ClaimRefused: "claim_refused",
    AlreadyClaimed: "already_claimed",
    TooManyOperations: "too_many_operations",
    NoWallet: "no_wallet",
    WalletUnavailable: "wallet_unavailable",
    AmountOutOfRange: "amount_out_of_range",
    SpotTaken: "spot_taken",
    PlayerCount: "player_count",
    SoloTable: "solo_table",
    SeatNotFree: "seat_not_free",
    NotSeated: "not_seated",
    ChipsNeeded: "chips_needed",
    Cooldown: "cooldown",
    LimitReached: "limit_reached",
    Excluded: "excluded",
    BetsNotOpen: "bets_not_open",
    NewcomerWaits: "newcomer_waits",
    NoBet: "no_bet",
    NothingToDo: "nothing_to_do",
    PlayerExists: "player_exists",
    NonceUsed: "nonce_used",
    NoKey: "no_key",
    TableExists: "table_exists",
    TooManyTables: "too_many_tables",
    NotReplaceable: "not_replaceable",
    TooManyWaiting: "too_many_waiting",
    TooManyTokens: "too_many_tokens",
    NotAContributor: "not_a_contributor",
    SeedDoesNotOpen: "seed_does_not_open",
    AlreadyRevealed: "already_revealed",
    RevealsOver: "reveals_over",
    SawOther: "saw_other",
    AwaitingReveals: "awaiting_reveals",
    DeadlinePassed: "deadline_passed",
    DecisionNotOpen: "decision_not_open",
    ActionNotOffered: "action_not_offered",
    ExtraStakeRefused: "extra_stake_refused",
    IdempotencyKeyReused: "idempotency_key_reused",
    RegistrationClosed: "registration_closed",
    FieldFull: "field_full",
    NotRegistered: "not_registered",
    WrongDraw: "wrong_draw",
    NotAnEntrant: "not_an_entrant",
    HandInProgress: "hand_in_progress",
    TournamentTable: "tournament_table",
    OtherChips: "other_chips",
    DeadlineAhead: "deadline_ahead",
    TooManySeats: "too_many_seats",
    LevelBlocked: "level_blocked",
    SittingOut: "sitting_out",
    IsACashTable: "is_a_cash_table",
    HandNotCalled: "hand_not_called",
    NotACashTable: "not_a_cash_table",
    ShoeNotSealed: "shoe_not_sealed",
    BundleTooLarge: "bundle_too_large",
    LogEnded: "log_ended",
    BodyTooLarge: "body_too_large",
    UnsupportedMediaType: "unsupported_media_type",
    BetCount: "bet_count",
    UnknownSpot: "unknown_spot",
    SpotTwice: "spot_twice",
    BelowMinimum: "below_minimum",
    AboveMaximum: "above_maximum",
    OffStep: "off_step",
    UnknownChip: "unknown_chip",
    ChipAboveBalance: "chip_above_balance",
    ChipsDiffer: "chips_differ",
    RuleSetRefused: "rule_set_refused",
    StructureRefused: "structure_refused",
    StakeRefused: "stake_refused",
    DealRefused: "deal_refused",
    InstantOutOfRange: "instant_out_of_range",
    BuyInOutOfRange: "buy_in_out_of_range",
    RaiseOutOfRange: "raise_out_of_range",
    KeyRefused: "key_refused",
    TooManyGuests: "too_many_guests",
    RateLimited: "rate_limited",
    TooManyChanges: "too_many_changes",
    HeadTooLarge: "head_too_large",
    NotLeader: "not_leader",
    Internal: "internal",
    Unavailable: "unavailable",
    Busy: "busy",
    Stopping: "stopping",
    DiskFull: "disk_full",
    Unwitnessed: "unwitnessed",
}

impl ErrorCode {
    /// The code of this text; `None` if no sent code has it.
    pub fn parse(text: &str) -> Option<ErrorCode> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The body of an error reply (openapi.yaml, `Problem`). In another party's reply any field may be missing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The error code.
    pub code: ErrorCode,
    /// The error in words, with the wrong values.
    pub detail: String,
    /// The signed note that a command was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The table that replaced the requested one, which is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<TableId>,
    /// The leading node of the shard, if the node that was asked follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader: Option<String>,
    /// The reply's status.
    pub status: u16,
    /// The status in words.
    pub title: Cow<'static, str>,
    /// The string `urn:fairshoe:error:` followed by the code.
    #[serde(rename = "type")]
    pub kind: String,
}

impl Problem {
    /// The problem for a code with its status, in words.
    pub fn new(code: ErrorCode, status: u16, title: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        let kind = format!("urn:fairshoe:error:{code}");
        let (detail, title) = (detail.into(), title.into());
        Problem { code, detail, refused: None, replaced_by: None, leader: None, status, title, kind }
    }
}
