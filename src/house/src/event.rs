use crate::{Holder, Line};
use fairshoe_fairness::{
    ClientSeed, Composition, Epoch, MasterId, Origin, PlayerId, RoundEntropy, SeedCommitment, ServerSeed, ShoeCommitment, ShoeRoot,
};
use fairshoe_games::{Ahead, Bet, Chips, RoundEvent, RuleSet};
use serde::{Deserialize, Serialize};

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
    /// The hash of his seed.
    pub commitment: SeedCommitment,
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
}

/// What happened. The state is the fold of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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
    /// A player exists.
    PlayerCreated {
        /// The pseudonym.
        player: PlayerId,
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
        /// Its rules.
        rules: RuleSet,
        /// Their digest.
        digest: String,
        /// Who alone may bet there; absent: everyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<PlayerId>,
        /// Milliseconds without a round after which it is closed; absent: never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        idle_ms: Option<u64>,
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
    /// Bets may be laid.
    BetsOpened {
        /// The round.
        round_no: u64,
        /// Its shoe.
        shoe_no: u64,
    },
    /// A player's bets are laid.
    BetPlaced {
        /// The bets and the commitment.
        bet: PlacedBet,
    },
    /// Bets bind.
    BetsClosed {
        /// The round.
        round_no: u64,
        /// Its shoe.
        shoe_no: u64,
        /// The contributors, ascending.
        contributors: Vec<PlacedBet>,
        /// How many lanes the round draws from.
        lanes: u16,
        /// UTC milliseconds by which every seed must be revealed.
        reveal_by: u64,
    },
    /// A seed is out.
    SeedRevealed {
        /// Whose.
        player: PlayerId,
        /// The seed.
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
        /// UTC milliseconds by which the round must be settled.
        settle_by: u64,
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
        /// The round.
        round_no: u64,
        /// Every debit of it.
        staked: Chips,
        /// Every credit of it.
        ret: Chips,
    },
    /// The round counts for nothing; every wager came back.
    RoundVoided {
        /// The round.
        round_no: u64,
        /// Why.
        cause: VoidCause,
        /// Who withheld a seed, if that is why.
        missing: Vec<PlayerId>,
        /// Who was ahead, by public faces.
        ahead: Ahead,
    },
    /// After a restart the round goes on.
    RoundResumed {
        /// The round.
        round_no: u64,
        /// The reveal deadline, if seeds are awaited; the window restarts in full.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reveal_by: Option<u64>,
        /// The settlement deadline, if cards are dealt; moved by the downtime.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settle_by: Option<u64>,
    },
    /// A retired shoe's seeds: anyone can derive its order and root.
    ShoeRevealed {
        /// The shoe.
        shoe_no: u64,
        /// One seed for each candidate.
        seeds: Vec<ServerSeed>,
    },
}
