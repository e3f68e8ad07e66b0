//! Every reason for which a command is refused, each with its stable code (openapi.yaml, `ErrorCode`). A refusal
//! leaves no trace in the state; HTTP is not known here.

use crate::{Actor, LimitOf, LimitPeriod, PlayerKey};
use fairshoe_fairness::{Origin, PlayerId, TableId};
use fairshoe_games::{BetRefusal, Chips, Illegal, RuleSetError};
use fairshoe_tournament::deal::DealError;
use fairshoe_tournament::staking::StakeError;
use thiserror::Error;

/// Why a command is refused. Nothing changes and nothing is logged. Each has a stable [`code`](Refusal::code).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Not this actor's to do.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// No such player.
    #[error("there is no player `{0}`")]
    UnknownPlayer(PlayerId),
    /// The name is taken; names are never reused.
    #[error("the name `{0}` is taken")]
    PlayerExists(PlayerId),
    /// No such table, or it was closed.
    #[error("there is no open table `{0}`")]
    UnknownTable(TableId),
    /// The table was closed, and another came in its place.
    #[error("table `{table}` is closed; `{by}` came in its place")]
    Replaced {
        /// The closed table.
        table: TableId,
        /// The one in its place, which may be closed, too.
        by: TableId,
    },
    /// The name is taken; names are never reused.
    #[error("the table name `{0}` was used before")]
    TableExists(TableId),
    /// A player's own tables are limited.
    #[error("a player may have {0} tables of their own open; close one")]
    TooManyTables(usize),
    /// The rule set does not hold together.
    #[error(transparent)]
    RuleSet(#[from] RuleSetError),
    /// Nothing, or too much to stay in the range of amounts.
    #[error("the amount {0} is out of range")]
    AmountOutOfRange(Chips),
    /// More than the player has.
    #[error("the balance is {balance}, {asked} were asked for")]
    InsufficientBalance {
        /// What the player has, minor units.
        balance: Chips,
        /// What was asked for, minor units.
        asked: Chips,
    },
    /// The operator named no such log, or takes nothing from it any more.
    #[error("the log `{0}` is not known here: the operator says which logs chips go to and come from")]
    UnknownLog(Origin),
    /// A receipt that shows no transfer to this log.
    #[error("the claim does not hold: {0}")]
    ClaimRefused(String),
    /// The chips are here.
    #[error("transfer {no} of {from} was claimed before")]
    AlreadyClaimed {
        /// The log that sent them.
        from: Origin,
        /// Its number there.
        no: u64,
    },
    /// As many operations of the wallet are open as may be.
    #[error("too many operations of the wallet are open: wait until it has answered")]
    TooManyOperations,
    /// There was no such operation of the wallet, or it is over.
    #[error("operation {0} of the wallet is not open")]
    UnknownOperation(u64),
    /// A restart is being dealt with.
    #[error("the table is being recovered; try again")]
    Recovering,
    /// Something is in play, and would be hidden behind the log's end.
    #[error("the log cannot end yet: {0}")]
    LogInPlay(InPlay),
    /// Nothing is done on this log any more.
    #[error("this log has ended; it goes on as `{origin}`, under the key {key}")]
    LogEnded {
        /// The name of the log that goes on from it.
        origin: Origin,
        /// That log's raw public key.
        key: PlayerKey,
    },
    /// No shoe is committed yet.
    #[error("the next shoe is not committed yet; try again")]
    NoShoe,
    /// A round is in progress.
    #[error("round {0} is in progress")]
    RoundInProgress(u64),
    /// The same at a table for one, which somebody else may hold.
    #[error(
        "round {round_no} is in progress, until {until} (UTC milliseconds) at the latest; with `POST /v1/tables` and the rules \
         `{rules}` you open a table of your own"
    )]
    RoundHoldsTable {
        /// The round's number.
        round_no: u64,
        /// When its next deadline ends it, UTC milliseconds.
        until: u64,
        /// The table's rule set.
        rules: String,
    },
    /// Another round number than the table's.
    #[error("round {given} is not the table's next or open round, which is {current}")]
    WrongRound {
        /// What was named.
        given: u64,
        /// The one that is open, or comes next.
        current: u64,
    },
    /// The bet is not acceptable.
    #[error(transparent)]
    Bet(#[from] BetRefusal),
    /// The action is not legal.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The player has no bet in the round.
    #[error("{0} has no bet in this round")]
    NotAContributor(PlayerId),
    /// Seeds are not awaited (any more).
    #[error("the round is open; seeds are no longer awaited")]
    RevealsOver,
    /// The seed is out already.
    #[error("the seed of {0} is revealed already")]
    AlreadyRevealed(PlayerId),
    /// The seed does not hash to the commitment.
    #[error("this seed does not open the commitment that was made to it")]
    SeedDoesNotOpen,
    /// Not every seed is out.
    #[error("the round waits for {0} seed(s); reveal first")]
    AwaitingReveals(usize),
    /// Seeds of rounds that were void without them may still come.
    #[error(
        "{seeds} seed(s) of void rounds may still come late; the table can be closed at {until} (UTC milliseconds), or when they are out"
    )]
    AwaitingLateSeeds {
        /// How many of those seeds are not out.
        seeds: usize,
        /// Until when the table stays open for them, UTC milliseconds.
        until: u64,
    },
    /// Too late.
    #[error("the deadline passed at {0} (UTC milliseconds)")]
    DeadlinePassed(u64),
    /// Too early.
    #[error("the deadline is at {0} (UTC milliseconds)")]
    DeadlineAhead(u64),
    /// What is asked for is so already, or there is nothing of the kind; says which.
    #[error("{0}")]
    NothingToDo(&'static str),
    /// Who takes a seat has one, and plays there or is about to.
    #[error("you have a seat at this table already: another is not needed")]
    SitsAlready,
    /// Who asks to play does already; says which round.
    #[error("{0}")]
    PlaysAlready(&'static str),
    /// Another log, or another master key.
    #[error("{0}")]
    WrongStart(String),
    /// A field is out of its bounds.
    #[error("{0}")]
    Malformed(&'static str),
    /// A solo table has no seats.
    #[error("table `{0}` is a solo table: it has no seats and no betting window")]
    SoloTable(TableId),
    /// No such seat, or it is taken.
    #[error("seat {seat} is {why}")]
    Seat {
        /// The number that was asked for.
        seat: u8,
        /// What stands against it.
        why: &'static str,
    },
    /// One must sit first.
    #[error("{0} has no seat here; take one first")]
    NotSeated(PlayerId),
    /// A seat is for those who have chips for a bet (R004.18).
    #[error("a seat needs chips for the least bet, {least}; the balance is {balance}")]
    ChipsNeeded {
        /// The least bet, minor units.
        least: Chips,
        /// The player's balance, minor units.
        balance: Chips,
    },
    /// A buy-in out of the table's range (R001.12).
    #[error("{given} chips: a stack is bought in from {min} to {max}, in steps of {step}")]
    BuyIn {
        /// What would lie there.
        given: Chips,
        /// The least.
        min: Chips,
        /// The most.
        max: Chips,
        /// What the chips that are brought must be a multiple of.
        step: Chips,
    },
    /// One seat more than a player may hold at once (R001.80).
    #[error("from this kind of client a player holds {0} seats at once; leave one")]
    TooManySeats(u8),
    /// The leave-table ladder (R001.14).
    #[error("no seat at blinds {level} before {until} (UTC milliseconds): you left early {refusals} times in 12 hours")]
    LevelBlocked {
        /// The blinds, as `100/200`.
        level: String,
        /// How often the player left early in the last 12 hours.
        refusals: u32,
        /// UTC milliseconds from which on the player may sit at this level again.
        until: u64,
    },
    /// Not dealt in until they ask to play.
    #[error("{0} sits out; ask to play first")]
    SittingOut(PlayerId),
    /// Not a cash table.
    #[error("table `{0}` is no cash table")]
    NotCash(TableId),
    /// A command of betting tables at a cash table.
    #[error("table `{0}` is a cash table, which deals hands of poker: it takes no bets before them")]
    IsCash(TableId),
    /// No hand is being called.
    #[error("no hand is being called; one who is ready waits for `hand_called`")]
    HandNotCalled,
    /// Only sealed shoes are disclosed.
    #[error("shoe {shoe_no} of table `{table}` is not sealed: {why}")]
    NotSealed {
        /// The table that was named.
        table: TableId,
        /// The number of the shoe that was named.
        shoe_no: u64,
        /// What it is instead.
        why: &'static str,
    },
    /// The cooldown ladder.
    #[error("no seat, no bet and no commitment at a table with others before {until} (UTC milliseconds)")]
    Cooldown {
        /// UTC milliseconds from which on the player may sit and bet again.
        until: u64,
    },
    /// As much as the player allows themselves.
    #[error(
        "this passes the limit of {of} in a {per} that the player set; the count begins anew at {until} (UTC milliseconds)"
    )]
    LimitReached {
        /// What the limit counts.
        of: LimitOf,
        /// In what time.
        per: LimitPeriod,
        /// UTC milliseconds at which the period ends.
        until: u64,
    },
    /// The player is shut out.
    #[error("the player is shut out until {until} (UTC milliseconds): no chips come in, and nothing new is played")]
    Excluded {
        /// UTC milliseconds.
        until: u64,
    },
    /// No betting window.
    #[error("bets are not open; a seated player asks to play and waits for `bets_opened`")]
    BetsNotOpen,
    /// Within a shoe bettors may only leave (C11).
    #[error("who did not bet in this shoe's last round waits for the next shoe; ask to play")]
    NewcomerWaits,
    /// No bets to take back.
    #[error("{0} has no bet in this window")]
    NoBet(PlayerId),
    /// The player has a key, and this command is not signed.
    #[error("{0} has a key: each of their commands must be signed with it")]
    SignatureMissing(PlayerId),
    /// The signature is not of this command, by this player's key, for this log.
    #[error("this is not a signature of this very command, for this log, by the key of {0}")]
    SignatureWrong(PlayerId),
    /// A signed command comes once.
    #[error("nonce {given} is used: the next must be greater than {last}")]
    NonceUsed {
        /// The one that came.
        given: u64,
        /// The player's last.
        last: u64,
    },
    /// A signature that nobody can check.
    #[error("{0} has no key; send no signature")]
    NoKey(Actor),
    /// One change of seat or bets too many without a round.
    #[error(
        "too many changes of seat and bets without a round at this table; the count ends at {until} (UTC milliseconds), or with a round"
    )]
    TooManyChanges {
        /// UTC milliseconds at which the count ends, if no round does it before.
        until: u64,
    },
    /// As many wait for a seat as there are seats.
    #[error("{0} players wait for a seat here already; try again later")]
    TooManyWaiting(usize),
    /// Not a table in whose place another can come.
    #[error("table `{table}` cannot be replaced: {why}")]
    NotReplaceable {
        /// Which.
        table: TableId,
        /// What stands against it.
        why: &'static str,
    },
    /// No such event.
    #[error("there is no tournament `{0}`")]
    UnknownEvent(TableId),
    /// A structure that no event can be played by.
    #[error("the structure is refused: {0}")]
    Structure(String),
    /// Too late for an entry, a rebuy or an add-on.
    #[error("{0}")]
    RegistrationClosed(&'static str),
    /// As many players as the structure allows, or one player as often as anybody may.
    #[error("{0}")]
    FieldFull(&'static str),
    /// No entry that is in play.
    #[error("{0} is not in play in this tournament")]
    NotRegistered(PlayerId),
    /// Another draw, or none.
    #[error("draw {0} is not the one that is open")]
    NoSuchDraw(u16),
    /// Somebody whom the draw does not seat.
    #[error("entry {0} is not one of those whom this draw seats")]
    NotAnEntrant(u64),
    /// That is done between hands.
    #[error("a hand is in progress; try again when it is over")]
    HandInProgress,
    /// A reference instant out of the time that a cancellation may reach (spec/games/refunds.md, 2.1).
    #[error("the instant lies from {first} to {last} (UTC milliseconds)")]
    Instant {
        /// The earliest.
        first: u64,
        /// The latest.
        last: u64,
    },
    /// A part of an entry that cannot be sold.
    #[error(transparent)]
    Stake(#[from] StakeError),
    /// Numbers that are no deal.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// A tournament's table is the event's: players do not come and go there.
    #[error("table `{0}` is a tournament's: the event says who sits there")]
    OfTournament(TableId),
    /// Play chips and credited ones are kept apart.
    #[error("{0}")]
    OtherChips(&'static str),
    /// A key that the signature rule does not take (spec/log.md).
    #[error("this is not a usable Ed25519 public key")]
    KeyRefused,
}

impl Refusal {
    /// How many chips more it would have taken, where chips are what is missing.
    pub fn missing(&self) -> Option<Chips> {
        let (balance, asked) = match self {
            Refusal::InsufficientBalance { balance, asked } => (balance, asked),
            Refusal::ChipsNeeded { least, balance } => (balance, least),
            Refusal::Bet(BetRefusal::InsufficientBalance { balance, stake }) => (balance, stake),
            Refusal::Illegal(Illegal::InsufficientBalance { balance, cost, .. }) => (balance, cost),
            _ => return None,
        };
        asked.minus(*balance).filter(|missing| *missing > Chips::ZERO)
    }

    /// The stable code of the HTTP contract.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NotAllowed(_) => "not_allowed",
            Refusal::UnknownPlayer(_) => "unknown_player",
            Refusal::PlayerExists(_) => "player_exists",
            Refusal::UnknownTable(_) | Refusal::Replaced { .. } => "unknown_table",
            Refusal::TableExists(_) => "table_exists",
            Refusal::TooManyTables(_) => "too_many_tables",
            Refusal::RuleSet(_) => "rule_set_refused",
            Refusal::AmountOutOfRange(_) => "amount_out_of_range",
            Refusal::InsufficientBalance { .. } => "insufficient_balance",
            Refusal::UnknownLog(_) => "unknown_log",
            Refusal::ClaimRefused(_) => "claim_refused",
            Refusal::AlreadyClaimed { .. } => "already_claimed",
            Refusal::TooManyOperations => "too_many_operations",
            Refusal::UnknownOperation(_) => "unknown_operation",
            Refusal::Recovering => "recovering",
            Refusal::LogInPlay(_) => "log_in_play",
            Refusal::LogEnded { .. } => "log_ended",
            Refusal::NoShoe => "no_shoe",
            Refusal::RoundInProgress(_) | Refusal::RoundHoldsTable { .. } => "round_in_progress",
            Refusal::WrongRound { .. } => "wrong_round",
            Refusal::Bet(bet) => bet.code(),
            Refusal::Illegal(illegal) => illegal.code(),
            Refusal::NotAContributor(_) => "not_a_contributor",
            Refusal::RevealsOver => "reveals_over",
            Refusal::AlreadyRevealed(_) => "already_revealed",
            Refusal::SeedDoesNotOpen => "seed_does_not_open",
            Refusal::AwaitingReveals(_) | Refusal::AwaitingLateSeeds { .. } => "awaiting_reveals",
            Refusal::DeadlinePassed(_) => "deadline_passed",
            Refusal::DeadlineAhead(_) => "deadline_ahead",
            Refusal::NothingToDo(_) | Refusal::PlaysAlready(_) => "nothing_to_do",
            Refusal::WrongStart(_) => "wrong_start",
            Refusal::Malformed(_) => "malformed",
            Refusal::SoloTable(_) => "solo_table",
            Refusal::Seat { .. } | Refusal::SitsAlready => "seat_not_free",
            Refusal::NotSeated(_) => "not_seated",
            Refusal::ChipsNeeded { .. } => "chips_needed",
            Refusal::BuyIn { .. } => "buy_in_out_of_range",
            Refusal::TooManySeats(_) => "too_many_seats",
            Refusal::LevelBlocked { .. } => "level_blocked",
            Refusal::SittingOut(_) => "sitting_out",
            Refusal::UnknownEvent(_) => "unknown_tournament",
            Refusal::Structure(_) => "structure_refused",
            Refusal::RegistrationClosed(_) => "registration_closed",
            Refusal::FieldFull(_) => "field_full",
            Refusal::NotRegistered(_) => "not_registered",
            Refusal::NoSuchDraw(_) => "wrong_draw",
            Refusal::NotAnEntrant(_) => "not_an_entrant",
            Refusal::HandInProgress => "hand_in_progress",
            Refusal::Instant { .. } => "instant_out_of_range",
            Refusal::Stake(_) => "stake_refused",
            Refusal::Deal(_) => "deal_refused",
            Refusal::OfTournament(_) => "tournament_table",
            Refusal::OtherChips(_) => "other_chips",
            Refusal::NotCash(_) => "not_a_cash_table",
            Refusal::IsCash(_) => "is_a_cash_table",
            Refusal::HandNotCalled => "hand_not_called",
            Refusal::NotSealed { .. } => "shoe_not_sealed",
            Refusal::Cooldown { .. } => "cooldown",
            Refusal::LimitReached { .. } => "limit_reached",
            Refusal::Excluded { .. } => "excluded",
            Refusal::BetsNotOpen => "bets_not_open",
            Refusal::NewcomerWaits => "newcomer_waits",
            Refusal::NoBet(_) => "no_bet",
            Refusal::SignatureMissing(_) => "signature_missing",
            Refusal::SignatureWrong(_) => "signature_wrong",
            Refusal::NonceUsed { .. } => "nonce_used",
            Refusal::NoKey(_) => "no_key",
            Refusal::KeyRefused => "key_refused",
            Refusal::TooManyChanges { .. } => "too_many_changes",
            Refusal::TooManyWaiting(_) => "too_many_waiting",
            Refusal::NotReplaceable { .. } => "not_replaceable",
        }
    }
}

/// What is in play, so that a log cannot end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InPlay {
    /// A round is live.
    #[error("round {round_no} of table {table} is in play{}", until_words(*until))]
    Round {
        /// At this table.
        table: TableId,
        /// Its number.
        round_no: u64,
        /// When its next deadline passes, UTC milliseconds.
        until: Option<u64>,
    },
    /// A shoe from which a round was played is not out.
    #[error("shoe {shoe_no} of table {table} was played from, and is in use: it comes out at the next start")]
    Shoe {
        /// The table at which it is in use.
        table: TableId,
        /// Its number.
        shoe_no: u64,
    },
    /// Seeds of void rounds may still come.
    #[error("{seeds} seed(s) of void rounds of table {table} may still come late, until {until} (UTC milliseconds)")]
    LateSeeds {
        /// At this table.
        table: TableId,
        /// How many are not out.
        seeds: usize,
        /// Until when they are waited for, UTC milliseconds.
        until: u64,
    },
    /// A tournament is not over.
    #[error("tournament {0} is not over: let it be played to its end, or cancel it")]
    Tournament(TableId),
    /// An operation of the wallet is open.
    #[error("operation {0} of the wallet is open: the wallet has to answer it")]
    Operation(u64),
}

impl InPlay {
    /// The table at which it is, if it is at one.
    pub fn table(&self) -> Option<&TableId> {
        match self {
            InPlay::Round { table, .. } | InPlay::Shoe { table, .. } | InPlay::LateSeeds { table, .. } => Some(table),
            InPlay::Tournament(_) | InPlay::Operation(_) => None,
        }
    }
}

fn until_words(until: Option<u64>) -> String {
    until.map_or_else(String::new, |until| format!(", until {until} (UTC milliseconds) at the latest"))
}
