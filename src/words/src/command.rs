//! Commands: what somebody asks of the house, and who, in the log's words (spec/entries.md, "Commands"). What is known
//! of each by itself is in `facts.rs`; what it comes to, in `decide/`.

use crate::entry::MOST_NUMBER;
use crate::{
    CommandSignature, LimitOf, LimitPeriod, PlayerKey, StateRoot, TournamentCommand, WalletAnswer, WalletCall,
};
use fairshoe_fairness::{ClientSeed, Epoch, MasterId, Origin, PlayerId, SeedCommitment, TableId};
use fairshoe_games::poker::{ClientKind, EntryChoice};
use fairshoe_games::{Action, Bet, Chips, RuleSet};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Who gave a command. Text: `operator`, `house`, `anyone`, `player:NAME`, `auditor:NAME`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The operator, by token.
    Operator,
    /// The house itself: duties and lapsed deadlines.
    House,
    /// Nobody in particular: a reveal proves itself.
    Anyone,
    /// A player, by token.
    Player(PlayerId),
    /// An auditor, by token.
    Auditor(PlayerId),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Operator => f.write_str("operator"),
            Actor::House => f.write_str("house"),
            Actor::Anyone => f.write_str("anyone"),
            Actor::Player(player) => write!(f, "player:{player}"),
            Actor::Auditor(name) => write!(f, "auditor:{name}"),
        }
    }
}

impl Actor {
    /// The actor of this text.
    ///
    /// # Errors
    /// The reason why it names no actor, in words.
    pub fn parse(text: &str) -> Result<Actor, String> {
        let name = |name| PlayerId::parse(name).map_err(|e| e.to_string());
        match (text, text.split_once(':')) {
            ("operator", _) => Ok(Actor::Operator),
            ("house", _) => Ok(Actor::House),
            ("anyone", _) => Ok(Actor::Anyone),
            (_, Some(("player", player))) => name(player).map(Actor::Player),
            (_, Some(("auditor", auditor))) => name(auditor).map(Actor::Auditor),
            _ => Err("an actor is `operator`, `house`, `anyone`, `player:NAME` or `auditor:NAME`".to_owned()),
        }
    }
}

impl Serialize for Actor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Actor::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A label, which may be a sentence, that goes on the log: 1 to 200 characters of printable ASCII. Never personal data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Reference(String);

impl Reference {
    /// Checks the label.
    pub fn parse(text: &str) -> Option<Reference> {
        let fits = (1..=200).contains(&text.len()) && text.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
        fits.then(|| Reference(text.to_owned()))
    }

    /// The label's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Reference::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("a label is 1 to 200 characters of printable ASCII"))
    }
}

/// Any text of printable ASCII, the space among it: what a string on the log may hold (spec/entries.md, "Encoding").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlainText(String);

impl PlainText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<PlainText> for String {
    fn from(text: PlainText) -> Self {
        text.0
    }
}

impl TryFrom<String> for PlainText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
            true => Ok(PlainText(text)),
            false => Err("a text is printable ASCII"),
        }
    }
}

/// The name and version of the software that started the dealer.
pub type Software = Reference;

/// The checkpoint a client held when it revealed its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "AnyCheckpoint")]
pub struct SeenCheckpoint {
    /// Its tree size.
    pub size: u64,
    /// Its root, base64.
    pub root: String,
}

/// What is written where a checkpoint should stand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyCheckpoint {
    size: u64,
    root: String,
}

impl TryFrom<AnyCheckpoint> for SeenCheckpoint {
    type Error = &'static str;

    fn try_from(AnyCheckpoint { size, root }: AnyCheckpoint) -> Result<Self, Self::Error> {
        Some(SeenCheckpoint { size, root })
            .filter(SeenCheckpoint::is_well_formed)
            .ok_or("not a tree's size and the base64 text of its root")
    }
}

impl SeenCheckpoint {
    /// Whether the size is a number of the log, and the root the one base64 text of a SHA-256.
    pub fn is_well_formed(&self) -> bool {
        self.size <= MOST_NUMBER && self.root.parse::<fairshoe_tlog::Hash>().is_ok()
    }
}

/// Which deadline passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lapsed {
    /// A seed was not revealed in time.
    Reveal,
    /// The round was not settled in time.
    Round,
    /// A decision was not taken within the turn clock.
    Turn,
    /// A commitment or a seed for a new pile did not come in time.
    Pile,
}

/// Whom a token is for. Text: `player:NAME`, `auditor:NAME`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A player: bets, acts, reads their own balance and history.
    Player(PlayerId),
    /// An auditor: reads every balance and history.
    Auditor(PlayerId),
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Player(name) => write!(f, "player:{name}"),
            Holder::Auditor(name) => write!(f, "auditor:{name}"),
        }
    }
}

impl std::str::FromStr for Holder {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (role, name) = text.split_once(':').ok_or("a holder is `player:NAME` or `auditor:NAME`")?;
        let name = PlayerId::parse(name).map_err(|_| "a holder's name is [a-z0-9_-][a-z0-9._-]{0,63}")?;
        match role {
            "player" => Ok(Holder::Player(name)),
            "auditor" => Ok(Holder::Auditor(name)),
            _ => Err("a holder is `player:NAME` or `auditor:NAME`"),
        }
    }
}

impl Serialize for Holder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Holder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What somebody asks of the house. It stands in the entry, so that an auditor can decide it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// The dealer starts: by the house, once a start.
    StartDealer {
        /// The log's name, the same for ever.
        origin: Origin,
        /// 32 fresh random bytes.
        epoch: Epoch,
        /// Names the master key, which is the same for ever.
        master_id: MasterId,
        /// What was started.
        software: Software,
    },
    /// This log goes on from another, whose last entries are lost: by the house, before anything else.
    ContinueLog {
        /// The old log's name.
        origin: Origin,
        /// The raw public key that signed it.
        key: PlayerKey,
        /// How many of its entries there are.
        size: u64,
        /// Their root, base64.
        root: String,
        /// The raw public key of this log.
        new_key: PlayerKey,
        /// Of the old log's key, over its name, size and root, and this log's name and key.
        signature: CommandSignature,
    },
    /// This log ends: by the house, and nothing comes after it.
    EndLog {
        /// The name of the log that goes on from it.
        origin: Origin,
        /// That log's raw public key.
        key: PlayerKey,
    },
    /// A new player: by the operator.
    CreatePlayer {
        /// The pseudonym.
        player: PlayerId,
        /// The key that their commands must be signed with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<PlayerKey>,
    },
    /// The next guest, with play chips: by the house.
    AdmitGuest {},
    /// A guest goes who did nothing for a day: by the house.
    DismissGuest {
        /// Who.
        player: PlayerId,
    },
    /// A player's key, or none: by the player from now on, or by the operator with a reason, a day later.
    SetKey {
        /// Whose.
        player: PlayerId,
        /// The new key; absent: their commands are not signed any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<PlayerKey>,
        /// The operator's reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// How much a player allows themselves: by the player, or the operator.
    SetLimit {
        /// Whose.
        player: PlayerId,
        /// What is counted.
        of: LimitOf,
        /// In what time.
        per: LimitPeriod,
        /// As much as there may be, minor units or milliseconds; absent: no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<u64>,
    },
    /// A player is shut out for a time, which is never shortened: by the player, or the operator.
    Exclude {
        /// Whom.
        player: PlayerId,
        /// UTC milliseconds until which.
        until: u64,
    },
    /// A token, which itself is never on the log: by the operator, or by a player for themselves.
    IssueToken {
        /// For whom.
        holder: Holder,
        /// Whether the holder's earlier tokens stop working.
        revoke: bool,
    },
    /// Chips in: by the operator.
    Credit {
        /// To whom.
        player: PlayerId,
        /// How many, minor units; at least 1.
        amount: Chips,
        /// The operator's own label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Reference>,
    },
    /// Chips out: by the operator, or by a player who has a key.
    Withdraw {
        /// From whom.
        player: PlayerId,
        /// How many, minor units; at least 1 and at most the balance.
        amount: Chips,
        /// The operator's own label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Reference>,
    },
    /// How another log's receipts are judged, to and from which chips go: by the operator.
    KnowLog {
        /// Its name.
        log: Origin,
        /// The policy that its receipts have to meet, base64; absent: it is not known any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<PlainText>,
    },
    /// Chips of a player go to another log: by the player, or by the operator for one who has no key.
    TransferOut {
        /// The other log's name.
        to: Origin,
        /// Whose; they have the same name there.
        player: PlayerId,
        /// How many, minor units; at least 1 and at most the balance.
        amount: Chips,
    },
    /// Chips that another log sent here: by anyone who has the receipt.
    TransferIn {
        /// The other log's name.
        from: Origin,
        /// Its entry that sent them, byte for byte.
        entry: PlainText,
        /// That the entry is on that log, base64.
        receipt: PlainText,
    },
    /// Chips for money that the operator's wallet has of a player: by the player, or the operator.
    WalletDeposit {
        /// Whose.
        player: PlayerId,
        /// How many, minor units; at least 1.
        amount: Chips,
    },
    /// Chips of a player go back to the operator's wallet: by the player, or by the operator for one who has no key.
    WalletWithdraw {
        /// Whose.
        player: PlayerId,
        /// How many, minor units; at least 1 and at most the balance.
        amount: Chips,
    },
    /// A deposit that the wallet has not answered is not wanted any more: by its player, or the operator.
    WalletCancel {
        /// The operation's number.
        no: u64,
    },
    /// What the wallet answered: by the house.
    WalletAnswer {
        /// The operation's number.
        no: u64,
        /// What was asked of it.
        call: WalletCall,
        /// What it said.
        answer: WalletAnswer,
        /// Why it refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// A correction against a player, in favour of the house (R001.89): by the operator.
    Correct {
        /// From whom.
        player: PlayerId,
        /// How much, minor units; at least 1 and at most the balance.
        amount: Chips,
        /// Why.
        reason: Reference,
    },
    /// The dealer stops in good order: by the house.
    StopDealer {},
    /// A start that was refused before this one: by the house.
    NoteRefusedStart {
        /// When, UTC milliseconds.
        at: u64,
        /// Why.
        reason: Reference,
    },
    /// The state after so many entries of the log, by its root: by the house.
    NoteState {
        /// How many entries.
        size: u64,
        /// The root of its lines.
        root: StateRoot,
    },
    /// A new table: by the operator for everyone, or by a player for themselves.
    OpenTable {
        /// Its name, never used before.
        table: TableId,
        /// The rule set that it is played by, from its first round to its closing.
        rules: RuleSet,
        /// The closed table in whose place it comes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<TableId>,
    },
    /// No more rounds: by the operator, the owner, or the house when idle.
    CloseTable {
        /// The table that is to close.
        table: TableId,
    },
    /// The next shoe: by the house.
    CommitShoe {
        /// A betting table.
        table: TableId,
    },
    /// A seat, and with it a place in the next round: by a player.
    TakeSeat {
        /// A shared betting table.
        table: TableId,
        /// Which, from 1.
        seat: u8,
    },
    /// A place in the next round: by a seated player.
    AskToPlay {
        /// A shared betting table.
        table: TableId,
    },
    /// A seat of a cash table, with chips: by a player (R001.1, R001.12).
    SitDown {
        /// A cash table.
        table: TableId,
        /// Which, from 1.
        seat: u8,
        /// The chips that they sit down with.
        buy_in: Chips,
        /// From where they play; absent: at a computer (R001.80).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<ClientKind>,
        /// How they come in; absent: they post (R001.1).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<EntryChoice>,
    },
    /// Back from sitting out, or with other wishes for the next hand: by a player seated at a cash table.
    SitIn {
        /// The table at which they sit.
        table: TableId,
        /// How they come in while they owe blinds; absent: as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<EntryChoice>,
        /// Whether they straddle where they may; absent: as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        straddle: Option<bool>,
    },
    /// No hands until they sit in again: by a player seated at a cash table.
    SitOut {
        /// The table at which they sit.
        table: TableId,
    },
    /// More chips before their seat, between hands: by a player seated at a cash table (R001.12).
    AddChips {
        /// The table at which they sit.
        table: TableId,
        /// How many; 0 takes an earlier wish back.
        amount: Chips,
    },
    /// Between rounds seats that are idle are freed; at a cash table leavers are paid, chips added, absent players
    /// removed: by the house.
    TidySeats {
        /// A shared betting table, or a cash table.
        table: TableId,
    },
    /// The seeds of a sealed shoe, for one named hand: by an auditor, who thereby gets them.
    DiscloseShoe {
        /// The shoe's table, open or closed.
        table: TableId,
        /// Its number at that table, from 0.
        shoe_no: u64,
        /// Why.
        reason: Reference,
    },
    /// A wish for a seat of a full table: by a player.
    WantSeat {
        /// A shared table.
        table: TableId,
    },
    /// A player's seat is freed, as if they had left it: by the operator.
    Unseat {
        /// A shared betting table, or a cash table.
        table: TableId,
        /// Whose seat.
        player: PlayerId,
        /// Why.
        reason: Reference,
    },
    /// No seat any more; bets that are not closed come back: by the player.
    LeaveSeat {
        /// A shared betting table, or a cash table.
        table: TableId,
    },
    /// The betting window opens: by the house.
    OpenBets {
        /// A shared betting table.
        table: TableId,
    },
    /// The next hand of a cash table is called, on a deck of its own: by the house.
    CallHand {
        /// A cash table.
        table: TableId,
    },
    /// The hash of a fresh seed for the hand that is being called, or for the one after the hand in progress: by a
    /// player seated at a cash table.
    CommitHandSeed {
        /// A cash table.
        table: TableId,
        /// The hand's round number.
        round_no: u64,
        /// The hash.
        commitment: SeedCommitment,
    },
    /// That commitment is taken back before the hand begins: by the player.
    WithdrawHandSeed {
        /// The table at which the hand is called.
        table: TableId,
        /// The hand's round number.
        round_no: u64,
    },
    /// The call is over, and the hand begins with those who committed a seed: by the house, or by the operator's
    /// announcement before.
    CloseCall {
        /// A cash table.
        table: TableId,
        /// The hand's round number.
        round_no: u64,
    },
    /// The bets come back before they close: by the player.
    CancelBet {
        /// A shared betting table.
        table: TableId,
        /// The number of the round that the window is for.
        round_no: u64,
    },
    /// No more bets: by the house at the window's end, by the operator's announcement before.
    CloseBets {
        /// A shared betting table.
        table: TableId,
        /// The number of the round that the window is for.
        round_no: u64,
    },
    /// The shoe is changed between rounds: by the house where it is due, by the operator at their discretion.
    RetireShoe {
        /// A betting table.
        table: TableId,
        /// The operator's cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// The hash of a fresh seed for a new pile: by the player.
    CommitSeed {
        /// The table whose pile is to be shuffled.
        table: TableId,
        /// The shuffle's round number.
        round_no: u64,
        /// The hash.
        commitment: SeedCommitment,
    },
    /// A bet, with the commitment to a fresh seed: by the player.
    Bet {
        /// A betting table.
        table: TableId,
        /// The table's next round number.
        round_no: u64,
        /// The wagers; they take the place of those that the player has in the window.
        bets: Vec<Bet>,
        /// The hash of the client seed.
        commitment: SeedCommitment,
    },
    /// A client seed: by anyone, since it proves itself.
    Reveal {
        /// The table of the round, or of the pile, that the seed is for.
        table: TableId,
        /// The number of the live round, or of a pile's shuffle.
        round_no: u64,
        /// Whose seed.
        player: PlayerId,
        /// The seed; refused unless it opens that player's commitment.
        seed: ClientSeed,
        /// The checkpoint the client held.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        saw: Option<SeenCheckpoint>,
        /// At a cash table, by the player themselves: their commitment for the next hand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<SeedCommitment>,
    },
    /// A client seed that was missing when its round was voided: by anyone, since it proves itself.
    LateSeed {
        /// The table of the void round.
        table: TableId,
        /// The number of the void round.
        round_no: u64,
        /// Whose seed.
        player: PlayerId,
        /// The seed; refused unless it opens that player's commitment.
        seed: ClientSeed,
    },
    /// A choice at an open decision: by the player.
    Act {
        /// The table of the round in progress.
        table: TableId,
        /// The number of the live round.
        round_no: u64,
        /// The decision's number in the round, from 0.
        decision: u32,
        /// The choice.
        action: Action,
    },
    /// A deadline passed: by the house.
    Lapse {
        /// The table whose deadline passed.
        table: TableId,
        /// The number of the live round.
        round_no: u64,
        /// Which deadline.
        lapsed: Lapsed,
    },
    /// A malfunction: by the operator.
    VoidRound {
        /// The table of the round that is voided.
        table: TableId,
        /// The number of the live round, or of the one that the open window is for.
        round_no: u64,
        /// What happened.
        reason: Reference,
    },
    /// After a start, what becomes of a table: by the house.
    Recover {
        /// The table that is put in order.
        table: TableId,
    },
    /// What is asked of a tournament.
    Tournament(TournamentCommand),
    /// A table of a tournament, which seats were drawn at: by the house.
    OpenEventTable {
        /// Its name.
        table: TableId,
        /// The rule set that it is played by.
        rules: Box<RuleSet>,
    },
    /// Seats, chips and blinds of a tournament's table as the event has them: by the house, between hands.
    SetSeats {
        /// The table.
        table: TableId,
    },
}
