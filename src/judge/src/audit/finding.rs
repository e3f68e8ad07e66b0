//! The auditor's checks by name, and what a finding says (spec/audit.md, "Findings"). The checks themselves are in the
//! files beside it.

use fairshoe_fairness::TableId;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// What is checked; each has a stable code, listed in `spec/audit.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Check {
            $($(#[$doc])* $name,)*
        }

        impl Check {
            /// Every check there is.
            pub const ALL: &[Check] = &[$(Check::$name,)*];

            /// The stable code.
            pub const fn code(self) -> &'static str {
                match self { $(Check::$name => $code,)* }
            }
        }
    };
}

checks! {
    /// Entries come in the order of their indices, without a gap.
    EntryOrder = "entry_order",
    /// The bytes are an entry.
    EntryForm = "entry_form",
    /// The bytes are the entry's one encoding.
    CanonicalForm = "canonical_form",
    /// The log begins with the dealer's start.
    FirstEntry = "first_entry",
    /// The log's name is the same everywhere.
    Origin = "origin",
    /// Time does not go back.
    Time = "time",
    /// A table's entries are numbered without gap or repetition.
    TableSeq = "table_seq",
    /// An epoch is used once.
    EpochReused = "epoch_reused",
    /// The rules allow the command, by this actor, at this time.
    Refused = "refused",
    /// A player who has a key signed their command, for this log, once.
    Signature = "signature",
    /// The rules can be carried out at all.
    Broken = "broken",
    /// The balances stated are the book's.
    BalanceBefore = "balance_before",
    /// Every event that the command causes is there.
    EventMissing = "event_missing",
    /// No event is there that the command does not cause.
    EventExtra = "event_extra",
    /// The events come in the order of the rules.
    EventOrder = "event_order",
    /// Each card comes from the slot that the players' shuffle chose.
    DealtSlot = "dealt_slot",
    /// Each card goes where the rules deal it.
    DealtPlace = "dealt_place",
    /// A card that lies face-up is shown.
    FaceMissing = "face_missing",
    /// No hidden face is on the log.
    FaceLeaked = "face_leaked",
    /// One slot, one face.
    FaceChanged = "face_changed",
    /// The dealer's look at the hidden card.
    Peek = "peek",
    /// What is offered to whom, until when.
    Offer = "offer",
    /// What was chosen and what it cost.
    Action = "action",
    /// Each wager returns what the rules say.
    Payout = "payout",
    /// Money moves as the events say, and balances follow.
    Posting = "posting",
    /// The round's totals.
    Settlement = "settlement",
    /// A void names its cause, the missing and who was ahead.
    Void = "void",
    /// The round's entropy, pick and other candidates.
    RoundOpened = "round_opened",
    /// Deadlines are what the rule set gives.
    Deadline = "deadline",
    /// Bets, commitments and lanes are those of the command.
    Bets = "bets",
    /// The seed on the log is the one revealed.
    SeedRevealed = "seed_revealed",
    /// The shoe is the next one, and the rule set's.
    ShoeCommitted = "shoe_committed",
    /// The table stands as the entry that commits a shoe states it.
    TableNoted = "table_noted",
    /// The state after so many entries is the one that the log names.
    StateNoted = "state_noted",
    /// The seeds of the shoe that is retired.
    ShoeRevealed = "shoe_revealed",
    /// The rule set and its digest.
    RuleSet = "rule_set",
    /// A dealer's start.
    Start = "start",
    /// What was claimed from another log that one sent, and its checkpoint is one of that log.
    Claim = "claim",
    /// What is under way between logs is what their accounts say.
    ClusterSum = "cluster_sum",
    /// The log that another goes on from is the one that it names, and has no more than it says.
    Continues = "continues",
    /// What is carried over from it is what stood at its end.
    CarriedOver = "carried_over",
    /// One log goes on from another.
    ContinuedTwice = "continued_twice",
    /// A round that goes on after a restart.
    Resume = "resume",
    /// Who sits where.
    Seat = "seat",
    /// The cooldown ladder.
    Cooldown = "cooldown",
    /// The shuffle of a new pile in mid-game.
    Pile = "pile",
    /// The wheel stops at its committed value, moved by the players' offset.
    Spin = "spin",
    /// After a start every table is put in order before anything else happens (spec/recovery.md).
    Recovery = "recovery",
    /// The house performs what is due (spec/audit.md, "Overdue").
    Overdue = "overdue",
    /// The entry fits the state.
    State = "state",
    /// No card is shown more often than the composition holds it.
    CardTooOften = "card_too_often",
    /// A published seed opens its commitment.
    SeedOpens = "seed_opens",
    /// A seed is used for one candidate of one shoe.
    SeedReused = "seed_reused",
    /// A root is committed for one candidate of one shoe.
    RootReused = "root_reused",
    /// The committed root is that of the proper shoe which the seed orders.
    ShoeRoot = "shoe_root",
    /// Each face shown is the one in the committed slot.
    FaceFalse = "face_false",
    /// Each answer about a hidden card was true.
    PeekFalse = "peek_false",
    /// All accounts together are zero.
    LedgerTotal = "ledger_total",
    /// The cage is what was paid in less what was paid out.
    LedgerCage = "ledger_cage",
    /// The house's result is what the rounds gave it.
    LedgerHouse = "ledger_house",
    /// The log's key is the trusted one.
    Key = "key",
    /// The checkpoint is signed by the log's key.
    Checkpoint = "checkpoint",
    /// Each entry is under the checkpoint, at its index.
    Inclusion = "inclusion",
    /// A bundle is well-formed and within its bounds.
    BundleForm = "bundle_form",
    /// A bundle's entries are those it must hold, in order.
    BundleOrder = "bundle_order",
    /// A bundle's context is there.
    BundleContext = "bundle_context",
    /// The round is the one asked for.
    BundleRound = "bundle_round",
    /// Each opening leads to the committed root.
    Opening = "opening",
    /// Each face shown has an opening while the seed is not out.
    OpeningMissing = "opening_missing",
    /// No slot is opened that was not shown.
    OpeningExtra = "opening_extra",
    /// A receipt holds.
    Receipt = "receipt",
    /// The log's root is that of its entries.
    Root = "root",
    /// The checkpoint that a client saw is this log's.
    SawOther = "saw_other",
    /// The log is as long as its checkpoint says.
    LogSize = "log_size",
    /// An acknowledged entry is on the log.
    AckMissing = "ack_missing",
    /// An acknowledged entry is unchanged.
    AckDiffers = "ack_differs",
    /// A checkpoint that somebody kept is of this log.
    Fork = "fork",
    /// The log has not become shorter than a checkpoint that somebody kept.
    Truncated = "truncated",
    /// Entries were written when they say, as witnesses' times bound it.
    TimeWitnessed = "time_witnessed",
    /// No entry is dated after the time at which it was read.
    TimeAhead = "time_ahead",
    /// A seed that the service says it received is on the log, or its round was not void for want of it.
    ReceivedIgnored = "received_ignored",
    /// What the service refused, the log did not allow.
    RefusedWrongly = "refused_wrongly",
    /// The log's name goes with one key.
    KeyChanged = "key_changed",
    /// The store can be read.
    Store = "store",
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Check {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Check {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let known = Check::ALL.iter().find(|check| check.code() == code).copied();
        known.ok_or_else(|| serde::de::Error::custom(format_args!("there is no check `{code}`")))
    }
}

/// A check that failed, the place, and what was expected (spec/audit.md, "Findings").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Which check failed.
    pub check: Check,
    /// The index of the entry at fault, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<u64>,
    /// The table it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// A message in plain words: what was expected and what is there.
    pub message: String,
}

impl Finding {
    /// A finding about no entry in particular.
    pub fn new(check: Check, message: impl Into<String>) -> Self {
        Finding { check, entry: None, table: None, message: message.into() }
    }

    /// The same about a table.
    #[must_use]
    pub fn of_table(mut self, table: &TableId) -> Self {
        self.table = Some(table.clone());
        self
    }

    /// A finding about the entry at this index.
    pub fn at(check: Check, entry: u64, table: Option<&TableId>, message: impl Into<String>) -> Self {
        Finding { check, entry: Some(entry), table: table.cloned(), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = self.entry {
            write!(f, "entry {entry}")?;
            if let Some(table) = &self.table {
                write!(f, " (table {table})")?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{} [{}]", self.message, self.check)
    }
}
