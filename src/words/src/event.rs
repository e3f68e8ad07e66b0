//! Events: what a command came to, in the log's words (spec/entries.md, "Events"). What they do to a table is
//! `table.rs`, to the whole state `state.rs`.

use crate::tournament::SetSeat;
use crate::{
    Holder, LimitOf, LimitPeriod, Line, NotedTable, PlainText, PlayerKey, Reference, SitOutCause, StateRoot,
    TournamentEvent, WalletAnswer, WalletCall, is_zero,
};
use fairshoe_fairness::{
    ClientSeed, Composition, Epoch, MasterId, Opening, Origin, PlayerId, RoundEntropy, SeedCommitment, ServerSeed,
    ShoeCommitment, ShoeRoot, TableId,
};
use fairshoe_games::poker::{Blinds, EntryChoice, HandStart, Positions, SeatResult};
use fairshoe_games::{Ahead, Bet, Chips, Placed, RoundEvent, RuleSet, Standing};
use serde::{Deserialize, Serialize};

impl Event {
    /// The players of a round or hand that begins with this event, and what each stakes before its first card.
    pub fn entrants(&self) -> Vec<(&PlayerId, i64)> {
        let staked = |placed: &PlacedBet| placed.bets.iter().map(|bet| bet.stake.signed()).fold(0, i64::saturating_add);
        match self {
            Event::BetsClosed { contributors, .. } => {
                contributors.iter().map(|one| (&one.player, staked(one))).collect()
            }
            Event::HandBegun { contributors, .. } => contributors.iter().map(|one| (&one.player, 0)).collect(),
            _ => Vec::new(),
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What a shoe candidate is committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Committed {
    /// `C_k`: the hash of the server seed.
    pub commitment: ShoeCommitment,
    /// `R_k`: the Merkle root over the salted slots.
    pub root: ShoeRoot,
}

/// A contributor's bets and seed commitment, as `bets_closed` fixes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedBet {
    /// Who.
    pub player: PlayerId,
    /// On what.
    pub bets: Vec<Bet>,
    /// The hash of their seed.
    pub commitment: SeedCommitment,
}

impl PlacedBet {
    /// The sum of the stakes; `None` beyond the range of amounts.
    pub fn staked(&self) -> Option<Chips> {
        Chips::sum(self.bets.iter().map(|bet| bet.stake))
    }

    /// The bets as a game takes them.
    pub fn placed(&self) -> Placed {
        Placed { player: self.player.clone(), bets: self.bets.clone() }
    }
}

/// Why a round is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidCause {
    /// A seed was not revealed in time.
    RevealMissing,
    /// The service crashed, and the table's policy is `rollback`.
    Crash,
    /// The operator declared a malfunction.
    Malfunction,
    /// A draw found no card (C13).
    ShoeExhausted,
    /// The player stayed away past the deadline, and the rule set refunds that (R001.34, A001.oo).
    Abandoned,
}

impl VoidCause {
    /// Whether the house brought the void about.
    pub fn is_by_house(self) -> bool {
        matches!(self, VoidCause::Crash | VoidCause::Malfunction | VoidCause::ShoeExhausted)
    }
}

/// Why a shoe left the table, where it is not the rule that every round has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetireCause {
    /// The rule set's threshold was passed (C11).
    Threshold,
    /// A player who did not bet in the shoe's last round asked to play (C11).
    Newcomer,
    /// The dealer was restarted.
    Restart,
    /// A draw found no card (C13).
    Exhausted,
    /// The operator's discretion, where the rule set has it (R001.120).
    HouseShuffle,
    /// The table was closed.
    Closed,
    /// Its history is as long as it may be (spec/games/shared-tables.md, "Shoes").
    Full,
    /// No round was played from it for too long (the same).
    Idle,
    /// The game went on to a new pile, or ended.
    PileUsed,
    /// A pile's shuffle did not come about (A002.m).
    PileUnused,
}

/// Why a betting window closed without a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LapseCause {
    /// Nobody bet.
    NoBets,
    /// Fewer bet than the game needs.
    TooFewPlayers,
    /// The dealer was restarted: the epoch changed, and with it what the commitments are bound to.
    Restart,
    /// The operator declared a malfunction.
    Malfunction,
    /// The operator closed the table.
    Closed,
    /// Nobody committed a seed for a tournament's hand.
    NoSeeds,
}

/// Why a player serves the cooldown ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offence {
    /// They withheld a seed.
    RevealMissing,
    /// They went away from a hand that had begun before any seed of it was out, and theirs did not come.
    WentAway,
    /// A shoe was changed for them, and they did not bet (C11).
    NoBet,
}

/// What a round that is over was to one of its players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundResult {
    /// Who.
    pub player: PlayerId,
    /// Every debit of theirs; of a hand of poker, what they put in.
    pub staked: Chips,
    /// Every credit of theirs: what they were paid, and what a void returned.
    pub returned: Chips,
}

/// Winnings of a void round that were spent before it was void (C22).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetainedWinnings {
    /// By whom.
    pub player: PlayerId,
    /// How much.
    pub amount: Chips,
}

/// A player's hash of a fresh seed, for a hand of poker or for the shuffle of a new pile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCommitment {
    /// Who.
    pub player: PlayerId,
    /// The hash of their seed.
    pub commitment: SeedCommitment,
}

/// What happened. The state is the fold of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The dealer started, under a new epoch.
    DealerStarted {
        /// The log's name.
        origin: Origin,
        /// 32 fresh random bytes.
        epoch: Epoch,
        /// Names the master key.
        master_id: MasterId,
        /// Milliseconds since the entry before; every 24 h deadline moves by it (C21).
        down_ms: u64,
    },
    /// This log goes on from another.
    LogContinues {
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
    },
    /// This log has ended.
    LogEnded {
        /// The name of the log that goes on from it.
        origin: Origin,
        /// That log's raw public key.
        key: PlayerKey,
    },
    /// How another log's receipts are judged.
    LogKnown {
        /// Its name.
        log: Origin,
        /// The policy that they have to meet, base64; absent: it is not known any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<PlainText>,
    },
    /// Chips went to another log.
    TransferredOut {
        /// Its name.
        to: Origin,
        /// How many transfers went there before.
        no: u64,
        /// Whose they are, here and there.
        player: PlayerId,
        /// How many, minor units.
        amount: Chips,
    },
    /// Chips came from another log.
    TransferredIn {
        /// Its name.
        from: Origin,
        /// The transfer's number on that log.
        no: u64,
        /// The index there of the entry that sent them.
        index: u64,
        /// Whose they are.
        player: PlayerId,
        /// How many, minor units.
        amount: Chips,
    },
    /// A call of the operator's wallet is to be made, until it is answered.
    WalletAsked {
        /// The operation's number.
        no: u64,
        /// What is asked for.
        call: WalletCall,
        /// Whose money it is.
        player: PlayerId,
        /// How much, minor units.
        amount: Chips,
    },
    /// The wallet answered.
    WalletAnswered {
        /// The operation's number.
        no: u64,
        /// What it was asked for.
        call: WalletCall,
        /// What it said.
        answer: WalletAnswer,
        /// Why it refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// A player exists.
    PlayerCreated {
        /// The pseudonym.
        player: PlayerId,
    },
    /// A guest exists, who plays with play chips.
    GuestAdmitted {
        /// Their name, `guest.N`.
        player: PlayerId,
    },
    /// A guest, who held nothing any more, is gone.
    GuestDismissed {
        /// Who.
        player: PlayerId,
    },
    /// A player's commands are signed with this key from now on, or from a time on; without one they are not signed.
    KeySet {
        /// Whose.
        player: PlayerId,
        /// The key; absent: the commands are not signed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<PlayerKey>,
        /// UTC milliseconds from which it is in force, where the operator set it; absent: at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u64>,
        /// With `from`: the key in force until then, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<PlayerKey>,
    },
    /// A player allows themselves so much from now on, or from a time on.
    LimitSet {
        /// Whose.
        player: PlayerId,
        /// What is counted.
        of: LimitOf,
        /// In what time.
        per: LimitPeriod,
        /// As much as there may be, minor units or milliseconds; absent: no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<u64>,
        /// UTC milliseconds from which it is in force, where it loosens; absent: at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u64>,
    },
    /// A player is shut out.
    Excluded {
        /// Who.
        player: PlayerId,
        /// UTC milliseconds until which.
        until: u64,
    },
    /// A token works from now on.
    TokenIssued {
        /// For whom.
        holder: Holder,
        /// Whether the holder's earlier tokens stopped working.
        revoked: bool,
    },
    /// A table exists.
    TableOpened {
        /// The rule set that it is played by until it closes.
        rules: RuleSet,
        /// SHA-256 of their canonical text, lower-case hexadecimal.
        digest: String,
        /// Who alone may bet there; absent: everyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<PlayerId>,
        /// Milliseconds without a round after which it is closed; absent: never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        idle_ms: Option<u64>,
        /// The closed table in whose place it comes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<TableId>,
        /// The tournament whose table it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<TableId>,
    },
    /// The table takes no more rounds.
    TableClosed {},
    /// The next shoe is fixed.
    ShoeCommitted {
        /// Its number at this table, from 0.
        shoe_no: u64,
        /// What it holds.
        composition: Composition,
        /// One for each candidate.
        candidates: Vec<Committed>,
    },
    /// The table as it stands where no round is in progress: a bundle begins with it.
    TableNoted(Box<NotedTable>),
    /// The dealer stopped in good order.
    DealerStopped {},
    /// An earlier start was refused.
    StartRefused {
        /// When, UTC milliseconds.
        at: u64,
        /// Why.
        reason: Reference,
    },
    /// The state after so many entries of the log.
    StateNoted {
        /// How many entries.
        size: u64,
        /// The root of its lines.
        root: StateRoot,
    },
    /// A player sits.
    SeatTaken {
        /// Who.
        player: PlayerId,
        /// Where, from 1.
        seat: u8,
    },
    /// A player waits for a seat.
    SeatWanted {
        /// Who.
        player: PlayerId,
    },
    /// A player does not sit any more.
    SeatLeft {
        /// Who.
        player: PlayerId,
        /// Where.
        seat: u8,
    },
    /// A seated player asks to play the next round; a newcomer thereby asks for a new shoe (C11).
    PlayAsked {
        /// Who.
        player: PlayerId,
    },
    /// A player's standing on the cooldown ladder (spec/fairness.md): no bets at shared tables until then.
    Cooldown {
        /// Who.
        player: PlayerId,
        /// What for.
        offence: Offence,
        /// How many in the last 12 hours, this one included.
        offences: u32,
        /// UTC milliseconds before which they may not sit or bet at a shared table.
        until: u64,
    },
    /// Bets may be placed.
    BetsOpened {
        /// Its round, numbered from 0 at each table; the number is used again if the bets lapse.
        round_no: u64,
        /// The number of the shoe in use.
        shoe_no: u64,
        /// UTC milliseconds at which they close; absent at a solo table, where they close as they are placed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        closes_at: Option<u64>,
    },
    /// A player took their bets back before they closed.
    BetCancelled {
        /// Who.
        player: PlayerId,
    },
    /// The window closed without a round; bets came back, the round's number is still to be used.
    BetsLapsed {
        /// The round that did not come about.
        round_no: u64,
        /// Why.
        cause: LapseCause,
        /// The operator said so before the window's time was up: nobody is held to have let it pass.
        #[serde(default, skip_serializing_if = "is_false")]
        announced: bool,
    },
    /// The operator asks for a shuffle at their discretion: this round is the shoe's last (R001.120).
    ShuffleAsked {},
    /// The cut card appeared: this is the last hand before the shuffle (R001.125).
    LastHand {
        /// The shoe that leaves the table after this hand.
        shoe_no: u64,
    },
    /// The game needs a new pile: each player still in brings the hash of a fresh seed (A002.m).
    PileOpened {
        /// A round number of the shuffle's own.
        round_no: u64,
        /// The pile's shoe.
        shoe_no: u64,
        /// Who is to take part, ascending.
        players: Vec<PlayerId>,
        /// UTC milliseconds by which every commitment must be in.
        commit_by: u64,
    },
    /// A hash of a fresh seed for the new pile.
    SeedCommitted {
        /// Whose.
        player: PlayerId,
        /// The hash.
        commitment: SeedCommitment,
    },
    /// The commitments for the new pile are all in.
    PileClosed {
        /// The shuffle's round number.
        round_no: u64,
        /// The pile's shoe.
        shoe_no: u64,
        /// The commitments, ascending by player.
        contributors: Vec<PlayerCommitment>,
        /// UTC milliseconds by which every seed must be revealed.
        reveal_by: u64,
    },
    /// The new pile's order is fixed.
    PileShuffled {
        /// The shuffle's round number.
        round_no: u64,
        /// `E`.
        entropy: RoundEntropy,
        /// Which candidate is dealt.
        pick: u8,
    },
    /// The new pile's shuffle did not come about; those who are missing are out of the game.
    PileFailed {
        /// The shuffle's round number.
        round_no: u64,
        /// Who did not commit, or did not reveal.
        missing: Vec<PlayerId>,
    },
    /// A player's bets are placed.
    BetPlaced {
        /// The bets and the commitment.
        bet: PlacedBet,
    },
    /// Bets bind.
    BetsClosed {
        /// The number of the round that begins.
        round_no: u64,
        /// The number of the shoe that the round is dealt from.
        shoe_no: u64,
        /// The contributors, ascending.
        contributors: Vec<PlacedBet>,
        /// How many lanes the round draws from.
        lanes: u16,
        /// UTC milliseconds by which every seed must be revealed.
        reveal_by: u64,
        /// The operator said "no more bets" before the window's time was up (R001.140).
        #[serde(default, skip_serializing_if = "is_false")]
        announced: bool,
    },
    /// A hand of a cash table is called: those who are ready commit a seed for it.
    HandCalled {
        /// The hand's round number.
        round_no: u64,
        /// Its deck.
        shoe_no: u64,
        /// UTC milliseconds at which the call is over.
        closes_at: u64,
    },
    /// A player's commitment for the hand that is being called; it takes the place of an earlier one.
    HandSeedCommitted {
        /// Whose.
        player: PlayerId,
        /// The hash of their seed.
        commitment: SeedCommitment,
    },
    /// A player's commitment does not count any more.
    HandSeedWithdrawn {
        /// Whose.
        player: PlayerId,
    },
    /// The call is over without a hand; the hand's number is still to be used.
    CallLapsed {
        /// The hand that did not come about.
        round_no: u64,
        /// Why.
        cause: LapseCause,
        /// The operator ended the call before its time was up: nobody is held to have let it pass.
        #[serde(default, skip_serializing_if = "is_false")]
        announced: bool,
    },
    /// The hand begins.
    HandBegun {
        /// Its round number.
        round_no: u64,
        /// Its deck.
        shoe_no: u64,
        /// The commitments of those who are dealt in, ascending by player.
        contributors: Vec<PlayerCommitment>,
        /// UTC milliseconds by which every seed must be revealed.
        reveal_by: u64,
        /// The operator ended the call before its time was up.
        #[serde(default, skip_serializing_if = "is_false")]
        announced: bool,
        /// Who is dealt in, with how much, and what each posts.
        hand: HandStart,
    },
    /// A seed is out.
    SeedRevealed {
        /// Whose.
        player: PlayerId,
        /// The seed; it opens the player's commitment.
        seed: ClientSeed,
    },
    /// A seed that was missing when its round was voided is out after all.
    SeedLate {
        /// The number of the void round.
        round_no: u64,
        /// Whose.
        player: PlayerId,
        /// The seed; it opens the player's commitment.
        seed: ClientSeed,
    },
    /// All seeds are out: the public shuffle is fixed.
    RoundOpened {
        /// `E`.
        entropy: RoundEntropy,
        /// Which candidate is dealt.
        pick: u8,
        /// The seeds of the other candidates.
        others: Vec<ServerSeed>,
        /// UTC milliseconds by which a solo round must be settled; absent at a shared table, which has a turn clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settle_by: Option<u64>,
    },
    /// The game went on.
    Play(RoundEvent),
    /// Money moved.
    Posted {
        /// The lines; their amounts sum to zero.
        lines: Vec<Line>,
    },
    /// The round is over.
    RoundSettled {
        /// The number of the round that is settled.
        round_no: u64,
        /// Every debit of it.
        staked: Chips,
        /// Every credit of it.
        returned: Chips,
        /// What each contributor staked and got back.
        players: Vec<RoundResult>,
    },
    /// The round counts for nothing; every wager came back.
    RoundVoided {
        /// The number of the round that is void.
        round_no: u64,
        /// Why.
        cause: VoidCause,
        /// Who withheld a seed, if that is why.
        missing: Vec<PlayerId>,
        /// Who was ahead, by public faces.
        ahead: Ahead,
        /// What each contributor had staked, and what stays theirs or came back.
        players: Vec<RoundResult>,
        /// How often an abandoned round was refunded to the player in the last 30 days, this one included; absent where
        /// it does not count (A001.oo).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refunds: Option<u32>,
        /// What the round had paid early and its player no longer has: it stays theirs, at the house's cost.
        #[serde(rename = "kept", default, skip_serializing_if = "Vec::is_empty")]
        retained_winnings: Vec<RetainedWinnings>,
        /// Of a hand of poker: what everybody had in the pot, all of which is theirs again, and who was ahead
        /// (R001.26).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<Standing>,
    },
    /// After a restart the round goes on.
    RoundResumed {
        /// The number of the round that goes on.
        round_no: u64,
        /// The deadline for seeds or, in a pile's shuffle, for commitments, if they are awaited; it restarts in full.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reveal_by: Option<u64>,
        /// The settlement deadline, if cards are dealt; moved by the downtime.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settle_by: Option<u64>,
        /// At a shared table, the time before which no open decision lapses: each gets its full turn again (C21).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn_by: Option<u64>,
    },
    /// A retired shoe's seeds: anyone can derive its order and root.
    ShoeRevealed {
        /// The number of the shoe, retired before.
        shoe_no: u64,
        /// One seed for each candidate.
        seeds: Vec<ServerSeed>,
        /// Why it left the table; absent where every round has its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<RetireCause>,
    },
    /// A retired private shoe: its seed stays secret, the cards that were shown are proven.
    ShoeSealed {
        /// The number of the shoe that is sealed.
        shoe_no: u64,
        /// The openings of every card that lay open, in the order in which they were turned up.
        openings: Vec<Opening>,
    },
    /// An auditor got the seeds of a sealed shoe; of a hand that the house ended, every auditor does.
    ShoeDisclosed {
        /// The shoe's table.
        table: TableId,
        /// The number of the shoe, sealed before.
        shoe_no: u64,
        /// Who got them; absent: every auditor of the house, by duty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auditor: Option<PlayerId>,
    },
    /// Chips lie before a seat of a cash table: a buy-in, or more of them.
    ChipsAdded {
        /// Whose.
        player: PlayerId,
        /// Its number, from 1.
        seat: u8,
        /// How many came, minor units.
        amount: Chips,
        /// How many lie there now.
        stack: Chips,
    },
    /// Chips are to be added as soon as no hand is in progress.
    ChipsAsked {
        /// Whose.
        player: PlayerId,
        /// Its number, from 1.
        seat: u8,
        /// How many; 0: none any more.
        amount: Chips,
    },
    /// A seated player plays from the next hand on.
    SatIn {
        /// Who.
        player: PlayerId,
        /// Where.
        seat: u8,
        /// How they come in while they owe blinds.
        entry: EntryChoice,
        /// Whether they straddle where they may.
        straddle: bool,
    },
    /// A seated player is not dealt in any more.
    SatOut {
        /// Who.
        player: PlayerId,
        /// Where.
        seat: u8,
        /// Why.
        cause: SitOutCause,
    },
    /// A seated player leaves as soon as no hand is in progress.
    LeaveAsked {
        /// Who.
        player: PlayerId,
        /// Where.
        seat: u8,
    },
    /// A player left a cash table early: no seat at this level until then (R001.13, R001.14).
    LeftEarly {
        /// Who.
        player: PlayerId,
        /// The blinds, as `100/200`.
        level: String,
        /// How often in the last 12 hours, this time included.
        refusals: u32,
        /// UTC milliseconds before which they may not sit at this level.
        until: u64,
    },
    /// A commitment for the next hand.
    NextCommitted {
        /// Whose.
        player: PlayerId,
        /// The hash of their seed.
        commitment: SeedCommitment,
    },
    /// A player's time bank ran (R001.84).
    BankUsed {
        /// Whose.
        player: PlayerId,
        /// Where.
        seat: u8,
        /// Milliseconds used.
        used_ms: u64,
        /// Milliseconds left.
        left_ms: u64,
    },
    /// Who sits at a tournament's table from the next hand on, with how much, and for which blinds.
    SetSeats {
        /// The level, from 1.
        level: u16,
        /// Its blinds.
        blinds: Blinds,
        /// The button that was drawn, at a table without a hand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        button: Option<u8>,
        /// How many times what a hand that nobody commits to posts is doubled.
        #[serde(default, skip_serializing_if = "is_zero")]
        doubled: u64,
        /// Milliseconds more for who was cut off, late in the event.
        #[serde(default, skip_serializing_if = "is_zero")]
        late_extra_ms: u64,
        /// The seats that are taken, ascending.
        seats: Vec<SetSeat>,
    },
    /// Nobody committed a seed for a tournament's hand: no card is dealt, and the big blind takes what is posted.
    PostsTaken {
        /// Where button and blinds were.
        positions: Positions,
        /// What it came to, from the left of the button.
        seats: Vec<SeatResult>,
    },
    /// What happened in a tournament.
    Tournament(Box<TournamentEvent>),
}
