//! Rounds as everyone may see them. Hidden cards are slots.

use crate::{OwnCards, ShownOpening};
use fairshoe_fairness::{ClientSeed, Epoch, Origin, PlayerId, RoundEntropy, SeedCommitment, TableId};
use fairshoe_games::{Ahead, Bet, Chips, Decision, Offer, Place};
use fairshoe_house::{
    Call, Contributor, OpenRound, Phase, PileContributor, PileShuffle, PileStage, PlacedBet, VoidCause, Window,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A round (openapi.yaml, `RoundView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundView {
    /// `TABLE:ROUND_NO`.
    pub id: String,
    /// The table at which it is played.
    pub table: TableId,
    /// Its number at the table, from 0.
    pub round_no: u64,
    /// Its shoe's number at the table, from 0.
    pub shoe_no: u64,
    /// The shoes of the game's piles in their order, if it had several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shoes: Vec<u64>,
    /// The phase of the round.
    pub phase: ViewPhase,
    /// While bets may be placed: the end of that time, UTC milliseconds; null if not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closes_at: Option<u64>,
    /// The end of the time for seeds, UTC milliseconds; null if none are awaited.
    pub reveal_by: Option<u64>,
    /// At a solo table, the latest end of the round, UTC milliseconds; null at other tables, and while no cards are in
    /// play.
    pub settle_by: Option<u64>,
    /// The players who bet or play.
    pub contributors: Vec<ContributorView>,
    /// The public shuffle's entropy, once all seeds are known.
    pub entropy: Option<RoundEntropy>,
    /// The candidate that is dealt, 0 or 1.
    pub pick: u8,
    /// The decisions that are open.
    pub decisions: Vec<DecisionView>,
    /// The shuffle of a new pile, while it runs (A002.m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pile: Option<PileView>,
    /// The void, if the round is void.
    pub void: Option<VoidView>,
    /// The sum of debits so far.
    pub staked: Chips,
    /// The sum of credits so far, including returned stakes.
    pub returned: Chips,
    /// The engine's view; absent before bets are closed.
    pub game: Option<Box<RawValue>>,
}

/// The phase of a round (openapi.yaml, `Phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewPhase {
    /// Bets are placed but not binding yet.
    Betting,
    /// Commitments for a hand have arrived but are not binding yet.
    Called,
    /// Bets are binding, and seeds are awaited.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// The round is over.
    Settled,
    /// The round is void.
    Voided,
}

/// A player's part in a round (openapi.yaml, `Contributor`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContributorView {
    /// The player.
    pub player: PlayerId,
    /// The wagers; empty in a hand of poker.
    pub bets: Vec<Bet>,
    /// The commitment to the seed.
    pub commitment: SeedCommitment,
    /// The seed, once revealed.
    pub seed: Option<ClientSeed>,
    /// Their debits so far.
    pub staked: Chips,
    /// Their credits so far.
    pub returned: Chips,
}

/// An open decision with its options now (openapi.yaml, `Decision`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionView {
    /// Its number in the round, from 0.
    pub decision: u32,
    /// The player who decides.
    pub player: PlayerId,
    /// The hand, in the form of entries: `SPOT/HAND`.
    pub place: Place,
    /// The same in two numbers: the box, or the seat.
    pub spot: u8,
    /// The hand there, from 1.
    pub hand: u8,
    /// The options.
    pub options: Vec<Offer>,
    /// UTC milliseconds from which the player's time bank runs; absent without a time bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_from: Option<u64>,
    /// The deadline in UTC milliseconds, including the time bank; then default play decides.
    pub deadline: u64,
}

/// The shuffle of a new pile (openapi.yaml, `PileView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PileView {
    /// The shuffle's own round number: commitments and seeds are sent under it.
    pub round_no: u64,
    /// The pile's shoe.
    pub shoe_no: u64,
    /// The input it waits for.
    pub awaits: Awaited,
    /// The deadline in UTC milliseconds; players who are missing then are out of the game.
    pub deadline: u64,
    /// The players who take part.
    pub players: Vec<PilePartView>,
}

/// The input that the shuffle of a pile waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    /// Commitments to seeds.
    Commitments,
    /// The seeds that open those commitments.
    Seeds,
}

/// A player's part in the shuffle of a pile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PilePartView {
    /// The player.
    pub player: PlayerId,
    /// The commitment to the seed, once it has arrived.
    pub commitment: Option<SeedCommitment>,
    /// The seed, once revealed.
    pub seed: Option<ClientSeed>,
}

/// The caller's open decisions (openapi.yaml, `DecisionList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecisionList {
    /// The decisions in their order.
    pub decisions: Vec<DecisionView>,
}

/// Why a round is void.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct VoidView {
    /// The cause.
    pub cause: VoidCause,
    /// Which side was ahead at the void.
    pub ahead: Ahead,
}

/// A round with its proofs (openapi.yaml, `RoundRead`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundRead {
    /// The public view.
    pub round: RoundView,
    /// The openings of every open card.
    pub openings: Vec<ShownOpening>,
    /// The log indices of its entries.
    pub entries: Vec<u64>,
    /// The caller's own cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnCards>,
}

impl RoundView {
    /// A round, with options limited by each player's funds.
    pub fn of(round: &OpenRound, table: &TableId, funds: impl Fn(&PlayerId) -> Chips) -> Self {
        let (phase, reveal_by, settle_by, void) = match round.phase {
            Phase::AwaitingReveals { reveal_by } => (ViewPhase::AwaitingReveals, Some(reveal_by), None, None),
            Phase::Open { settle_by } => (ViewPhase::Open, None, settle_by, None),
            Phase::Settled => (ViewPhase::Settled, None, None, None),
            Phase::Voided { cause, ahead } => (ViewPhase::Voided, None, None, Some(VoidView { cause, ahead })),
        };
        RoundView {
            id: OpenRound::id(table, round.round_no),
            table: table.clone(),
            round_no: round.round_no,
            shoe_no: round.shoe_no,
            shoes: if round.shoes.len() > 1 { round.shoes.clone() } else { Vec::new() },
            phase,
            closes_at: None,
            reveal_by,
            settle_by,
            contributors: round.contributors.iter().map(ContributorView::of).collect(),
            entropy: round.entropy,
            pick: round.pick,
            decisions: DecisionView::all_of(round, funds),
            pile: round.pile.as_ref().map(PileView::of),
            void,
            staked: round.staked(),
            returned: round.returned(),
            game: Some(round.game.view_json()),
        }
    }

    /// The engine's view as a JSON value.
    pub fn game(&self) -> Value {
        self.game.as_ref().and_then(|game| serde_json::from_str(game.get()).ok()).unwrap_or_default()
    }

    /// The round of a window's bets, before they are closed.
    pub fn of_window(window: &Window, table: &TableId) -> Self {
        let contributor = |bet: &PlacedBet| ContributorView {
            player: bet.player.clone(),
            bets: bet.bets.clone(),
            commitment: bet.commitment,
            seed: None,
            staked: bet.staked().unwrap_or_default(),
            returned: Chips::ZERO,
        };
        RoundView {
            contributors: window.bets.iter().map(contributor).collect(),
            staked: window.staked().unwrap_or_default(),
            ..RoundView::to_come(table, ViewPhase::Betting, window.round_no, window.shoe_no, window.closes_at)
        }
    }

    /// The hand of a call's commitments, before it begins.
    pub fn of_call(call: &Call, table: &TableId) -> Self {
        let contributor = |(player, commitment): (&PlayerId, &SeedCommitment)| ContributorView {
            player: player.clone(),
            bets: Vec::new(),
            commitment: *commitment,
            seed: None,
            staked: Chips::ZERO,
            returned: Chips::ZERO,
        };
        let contributors = call.seeds.iter().map(contributor).collect();
        RoundView {
            contributors,
            ..RoundView::to_come(table, ViewPhase::Called, call.round_no, call.shoe_no, Some(call.closes_at))
        }
    }

    /// A round with a number and a shoe, but without binding bets.
    fn to_come(table: &TableId, phase: ViewPhase, round_no: u64, shoe_no: u64, closes_at: Option<u64>) -> Self {
        RoundView {
            id: OpenRound::id(table, round_no),
            table: table.clone(),
            round_no,
            shoe_no,
            shoes: Vec::new(),
            phase,
            closes_at,
            reveal_by: None,
            settle_by: None,
            contributors: Vec::new(),
            entropy: None,
            pick: 0,
            decisions: Vec::new(),
            pile: None,
            void: None,
            staked: Chips::ZERO,
            returned: Chips::ZERO,
            game: None,
        }
    }
}

impl ContributorView {
    fn of(contributor: &Contributor) -> Self {
        ContributorView {
            player: contributor.placed.player.clone(),
            bets: contributor.placed.bets.clone(),
            commitment: contributor.placed.commitment,
            seed: contributor.seed.clone(),
            staked: contributor.staked,
            returned: contributor.returned,
        }
    }
}

impl DecisionView {
    /// The open decisions of a round, with options limited by each player's funds.
    pub fn all_of(round: &OpenRound, funds: impl Fn(&PlayerId) -> Chips) -> Vec<DecisionView> {
        if !matches!(round.phase, Phase::Open { .. }) {
            return Vec::new();
        }
        let view = |open: Decision| {
            // Every game asks about a hand.
            let Place::Hand { spot, hand } = open.place else { return None };
            Some(DecisionView {
                deadline: round.deadline_of(&open),
                bank_from: round.bank_from(open.number),
                decision: open.number,
                options: round.game.options(open.number, funds(&open.player)),
                player: open.player,
                place: open.place,
                spot,
                hand,
            })
        };
        round.game.open_decisions().into_iter().filter_map(view).collect()
    }
}

impl PileView {
    fn of(pile: &PileShuffle) -> Self {
        let part = |c: &PileContributor| PilePartView {
            player: c.player.clone(),
            commitment: c.commitment,
            seed: c.seed.clone(),
        };
        PileView {
            round_no: pile.round_no,
            shoe_no: pile.shoe_no,
            awaits: if matches!(pile.stage, PileStage::Commitments(_)) { Awaited::Commitments } else { Awaited::Seeds },
            deadline: pile.stage.deadline(),
            players: pile.contributors.iter().map(part).collect(),
        }
    }
}

/// A commitment as a trial (openapi.yaml, `TrialCommitment`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialCommitment {
    /// The hash of `hashed`.
    pub commitment: SeedCommitment,
    /// The epoch in force at the table.
    pub epoch: Epoch,
    /// The hashed bytes in hexadecimal digits (spec/fairness.md, "Client seed").
    pub hashed: String,
    /// The log's name.
    pub origin: Origin,
    /// The player of the commitment.
    pub player: PlayerId,
    /// The round.
    pub round_no: u64,
    /// The table.
    pub table: TableId,
}
