//! Why an entry, or a line of a state, does not fit.

use crate::{Actor, Nonce, PlayerKey, PostingError, Refusal};
use fairshoe_fairness::{DrawError, NameError, Origin, PlayerId, Slot, TableId};
use fairshoe_games::{BetRefusal, Chips, Inapplicable, RuleSetError};
use fairshoe_tournament::draw::SeatDrawError;
use fairshoe_tournament::refund::RefundError;
use fairshoe_tournament::structure::StructureError;
use fairshoe_tournament::{EntryNo, OutOfRange};
use thiserror::Error;

/// Declares an enum of errors, a line a variant: its facts and its words.
macro_rules! errors {
    ($(#[$about:meta])* $name:ident from { $($cause:ident($from:ty),)* } {
        $($variant:ident($($fact:ty),+) = $words:tt,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Error)]
        pub enum $name {
            $(#[doc = $words] #[error($words)] $variant($($fact),+),)*
            $(#[doc = "Another rule says why."] #[error(transparent)] $cause(#[from] $from),)*
        }
    };
}

errors! {
    /// Why an entry, or a line of a state, does not fit what was before it. Facts are in the order of the words.
    Misfit from {
        Amount(OutOfRange),
        Bet(BetRefusal),
        Draw(DrawError),
        Hand(Inapplicable),
        Name(NameError),
        Refund(RefundError),
        Refused(Refusal),
        Rules(RuleSetError),
        SeatDraw(SeatDrawError),
        Structure(StructureError),
    } {
        Rule(&'static str) = "{0}",
        Text(String) = "{0}",
        Corrupt(Box<Corrupt>) = "{0}",
        InTable(TableId, Box<Misfit>) = "table {0}: {1}",
        InTournament(TableId, Box<Misfit>) = "tournament {0}: {1}",
        Balance(PlayerId, Chips) = "{0} did not have {1} before this entry",
        PlayerExists(PlayerId) = "the player {0} exists",
        NoPlayer(PlayerId) = "there is no player {0}",
        NotSealed(u64, TableId) = "shoe {0} of {1} is not sealed",
        TableNameUsed(TableId) = "the table name {0} was used before",
        NameUsed(TableId) = "the name {0} was used before",
        NoOpenTable(TableId) = "there is no open table {0}",
        StakedElse(TableId) = "table {0} does not hold just what is staked there",
        StackElse(u8, TableId) = "seat {0} of table {1} does not hold just the stack there",
        NoTournament(TableId) = "there is no tournament {0}",
        AccountsElse(TableId) = "the accounts of {0} do not hold just what lies there",
        NoTicket(PlayerId, TableId) = "{0} has no ticket for {1}",
        UnknownLog(Origin) = "the log {0} is not known",
        TransferNotNext(u64, Origin, u64) = "transfer {0} to {1} is not the next, which is {2}",
        TransferClaimed(u64, Origin) = "transfer {0} of {1} was claimed before",
        NoPolicy(Origin) = "the policy of {0} is none",
        NotAnotherLog(Origin) = "{0} is the log itself, or one too many",
        TransfersElse(Origin) = "the balance of {0} is none that was sent and claimed",
        NotNextGuest(PlayerId) = "{0} is not the next guest",
        GuestStays(PlayerId) = "{0} is no guest who can go",
        NoGuest(PlayerId) = "{0} is said to be a guest, and cannot be",
        WalletAsked(u64) = "operation {0} of the wallet is not one that is asked this",
        WalletAnswered(u64) = "operation {0} of the wallet does not wait for this answer",
        WalletOperation(u64, &'static str) = "operation {0} of the wallet {1}",
        Unsigned(Actor) = "an entry by {0} cannot be signed",
        NonceUsed(Nonce, PlayerId, u64) = "nonce {0} of {1} is used, the last was {2}",
        UnusableKey(PlayerKey) = "{0} is no usable key",
        Limits(PlayerId) = "the limits of {0} are none that entries make",
        TDollars(PlayerId) = "the T$ of {0} are below zero",
        NumberTooLarge(u64) = "an integer is at most {0}",
        LineOrder(String) = "{0} does not come after the line before it",
        NoPart(String) = "{0} is the key of no part",
        RulesDigest(String) = "the rule set has the digest {0}",
        OtherTournament(TableId) = "it is of the tournament {0}",
        PlaySum(i128) = "its play chips sum to {0}, not to zero",
        TournamentOfOtherLog(TableId) = "tournament {0} is of another log",
        TournamentName(TableId) = "the name of tournament {0} is not its own",
        OpenTables(TableId) = "the open tables of tournament {0} are others than it says",
        TableElse(TableId) = "table {0} does not stand as the entry states it",
        OtherRound(u64, u64) = "round {0} is not in progress, round {1} is",
        SeatRefused(PlayerId, u8) = "{0} cannot take seat {1}",
        NotAt(PlayerId, u8) = "{0} does not sit at {1}",
        NotAtSeat(PlayerId, u8) = "{0} does not sit at seat {1}",
        NoSeat(PlayerId) = "{0} has no seat here",
        ChipsAdded(Chips, Chips, Chips) = "{0} and {1} do not make {2}",
        Settled(u64, Chips, Chips) = "round {0} is not settled with {1} staked and {2} returned",
        Voided(u64) = "the void of round {0} is not that to its players",
        SeedOut(PlayerId) = "the seed of {0} is out",
        SeedNotMissing(PlayerId, u64) = "no seed of {0} is missing in round {1}",
        ToBeRevealed(u64) = "shoe {0} is to be revealed, not sealed",
        ShuffleNotNext(u64, u64) = "shuffle {0} of pile {1} does not come next",
        ShuffleNotClosing(u64) = "shuffle {0} cannot close now",
        ShuffleCommitments(u64) = "the commitments of shuffle {0} are not those that were sent",
        ShuffleNotDone(u64) = "shuffle {0} cannot be done now",
        NoShuffle(u64) = "shuffle {0} is not going on",
        NotInShuffle(PlayerId) = "{0} takes no part in this shuffle",
        NoBetInRound(PlayerId) = "{0} has no bet in this round",
        NoBetInWindow(PlayerId) = "{0} has no bet in the window",
        CardsHidden(u64) = "round {0} still hides cards of the shoe",
        ShoeNotInUse(u64) = "shoe {0} is not in use",
        ShoeNotNext(u64) = "shoe {0} does not come next",
        ShoeOfOtherRules(u64) = "shoe {0} is not one of this rule set",
        OtherSlot(u16, Slot) = "lane {0} draws another slot than {1}",
        OtherSpin(Slot, u8) = "this spin is not slot {0} moved by {1}",
        NoBets(u64) = "no bets were open for round {0}",
        NoBetsOnShoe(u64, u64) = "no bets were open for round {0} on shoe {1}",
        RoundNotNext(u64, u64) = "round {0} on shoe {1} does not come next",
        OtherBets(u64) = "the bets of round {0} are not those that were placed",
        NoHandSeed(PlayerId) = "{0} has not committed a seed for the hand",
        NoCall(u64) = "hand {0} was not being called",
        HandNotNext(u64, u64) = "hand {0} on deck {1} does not come next",
        HandCommitments(u64) = "the commitments of hand {0} are not those that lay",
        NoEntry(EntryNo) = "there is no entry {0}",
        NothingToDivide(EntryNo) = "entry {0} has nothing to divide",
        TicketWorth(u64) = "no ticket comes back as T$ {0} now",
        SeedNotAwaited(EntryNo) = "no seed of entry {0} is awaited",
        NoPaidPlace(EntryNo) = "entry {0} has no place that is to be paid",
        NotPaid(EntryNo, u64) = "entry {0} is not to be paid {1}",
        EntryNotNext(EntryNo, PlayerId) = "entry {0} of {1} does not come next",
        NotGivenBack(EntryNo) = "entry {0} cannot be given back",
        OtherMove(EntryNo) = "entry {0} does not move so",
        OtherElimination(EntryNo) = "entry {0} is not eliminated so",
        RefundNotNext(EntryNo) = "entry {0} is not the next to be refunded",
        OtherRefund(EntryNo) = "entry {0} is not refunded so",
        SitsElsewhere(EntryNo) = "entry {0} sits elsewhere",
        DoesNotWait(EntryNo) = "entry {0} is to be seated and does not wait",
        CannotBeNoted(EntryNo) = "what is noted of entry {0} cannot be",
        NothingNoted(EntryNo) = "nothing was noted of entry {0}",
        DrawNotNext(u16) = "draw {0} does not come next",
        DrawNumber(u16) = "the number of draw {0} is not the one that was committed",
        DrawEntropy(u16) = "the entropy of draw {0} is not what follows from its seeds",
        Withheld(usize, u16, u64) = "{0} seeds of draw {1} were withheld, not {2}",
        NoTable(TableId) = "{0} is no table of it",
        OthersSeat(PlayerId) = "{0} played on somebody else's seat",
    }
}

/// The log does not fit itself: an entry that no house would have written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Corrupt {
    /// The entry is older than the one before it.
    #[error("the entry's time {time} is before {last}, the time of the entry before it")]
    TimeWentBack {
        /// The entry's time, UTC milliseconds.
        time: u64,
        /// The last entry's, UTC milliseconds.
        last: u64,
    },
    /// A table's entries have a gap or a repetition.
    #[error("the entry is number {given} of table {table}, {expected} comes next")]
    TableSeq {
        /// Which table.
        table: TableId,
        /// The number it has.
        given: u64,
        /// The number it should have.
        expected: u64,
    },
    /// Money does not add up.
    #[error(transparent)]
    Posting(#[from] PostingError),
    /// An event that does not fit the state.
    #[error(transparent)]
    Event(#[from] Misfit),
}

impl From<&'static str> for Misfit {
    fn from(rule: &'static str) -> Self {
        Misfit::Rule(rule)
    }
}

impl From<Corrupt> for Misfit {
    fn from(corrupt: Corrupt) -> Self {
        match corrupt {
            Corrupt::Event(misfit) => misfit,
            corrupt => Misfit::Corrupt(Box::new(corrupt)),
        }
    }
}
