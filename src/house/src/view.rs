use crate::{Call, Contributor, OpenRound, Phase, PileContributor, PileShuffle, PileStage, PlacedBet, VoidCause, Window};
use fairshoe_fairness::{ClientSeed, PlayerId, RoundEntropy, SeedCommitment, TableId};
use fairshoe_games::{Ahead, Bet, Chips, Offer, Place};
use serde::Serialize;
use serde_json::value::RawValue;

/// A round as everyone may see it (openapi.yaml, `RoundView`). Hidden cards are slots.
#[derive(Debug, Serialize)]
pub struct RoundView {
    id: String,
    table: TableId,
    round_no: u64,
    shoe_no: u64,
    /// The shoes of the game's piles in their order, where it has had several (Safe).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shoes: Vec<u64>,
    phase: &'static str,
    /// While bets may be laid.
    #[serde(skip_serializing_if = "Option::is_none")]
    closes_at: Option<u64>,
    reveal_by: Option<u64>,
    settle_by: Option<u64>,
    contributors: Vec<ContributorView>,
    entropy: Option<RoundEntropy>,
    pick: u8,
    decisions: Vec<DecisionView>,
    /// While a new pile is being shuffled (A002.m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pile: Option<PileView>,
    void: Option<VoidView>,
    staked: Chips,
    ret: Chips,
    /// Nothing before bets are closed.
    game: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
struct ContributorView {
    player: PlayerId,
    bets: Vec<Bet>,
    commitment: SeedCommitment,
    seed: Option<ClientSeed>,
    staked: Chips,
    ret: Chips,
}

/// An open decision and what may be chosen at it now.
#[derive(Debug, Serialize)]
pub struct DecisionView {
    decision: u32,
    player: PlayerId,
    place: Place,
    options: Vec<Offer>,
    /// From when on the player's time bank runs; absent where he has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_from: Option<u64>,
    deadline: u64,
}

/// The shuffle of a new pile as everyone may see it.
#[derive(Debug, Serialize)]
struct PileView {
    round_no: u64,
    shoe_no: u64,
    awaits: &'static str,
    deadline: u64,
    players: Vec<PilePartView>,
}

#[derive(Debug, Serialize)]
struct PilePartView {
    player: PlayerId,
    commitment: Option<SeedCommitment>,
    seed: Option<ClientSeed>,
}

#[derive(Debug, Serialize)]
struct VoidView {
    cause: VoidCause,
    ahead: Ahead,
}

impl ContributorView {
    fn new(contributor: &Contributor) -> Self {
        ContributorView {
            player: contributor.placed.player.clone(),
            bets: contributor.placed.bets.clone(),
            commitment: contributor.placed.commitment,
            seed: contributor.seed.clone(),
            staked: contributor.staked,
            ret: contributor.ret,
        }
    }
}

impl PileView {
    fn new(pile: &PileShuffle) -> Self {
        let part = |c: &PileContributor| PilePartView { player: c.player.clone(), commitment: c.commitment, seed: c.seed.clone() };
        PileView {
            round_no: pile.round_no,
            shoe_no: pile.shoe_no,
            awaits: if matches!(pile.stage, PileStage::Commitments(_)) { "commitments" } else { "seeds" },
            deadline: pile.stage.deadline(),
            players: pile.contributors.iter().map(part).collect(),
        }
    }
}

impl Window {
    /// The round that these bets are for, as everyone may see it before they are closed.
    pub fn view(&self, table: &TableId) -> RoundView {
        let contributor = |bet: &PlacedBet| ContributorView {
            player: bet.player.clone(),
            bets: bet.bets.clone(),
            commitment: bet.commitment,
            seed: None,
            staked: bet.staked().unwrap_or_default(),
            ret: Chips::ZERO,
        };
        RoundView {
            contributors: self.bets.iter().map(contributor).collect(),
            staked: self.staked().unwrap_or_default(),
            ..RoundView::to_come(table, "betting", self.round_no, self.shoe_no, self.closes_at)
        }
    }
}

impl Call {
    /// The hand that these commitments are for, as everyone may see it before it begins.
    pub fn view(&self, table: &TableId) -> RoundView {
        let contributor = |(player, commitment): (&PlayerId, &SeedCommitment)| ContributorView {
            player: player.clone(),
            bets: Vec::new(),
            commitment: *commitment,
            seed: None,
            staked: Chips::ZERO,
            ret: Chips::ZERO,
        };
        let contributors = self.seeds.iter().map(contributor).collect();
        RoundView { contributors, ..RoundView::to_come(table, "called", self.round_no, self.shoe_no, Some(self.closes_at)) }
    }
}

impl RoundView {
    /// A round that has a number and a shoe, and no bets that bind.
    fn to_come(table: &TableId, phase: &'static str, round_no: u64, shoe_no: u64, closes_at: Option<u64>) -> Self {
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
            ret: Chips::ZERO,
            game: None,
        }
    }
}

impl OpenRound {
    /// The round's name everywhere outside its table: `TABLE:ROUND_NO`.
    pub fn id(table: &TableId, round_no: u64) -> String {
        format!("{table}:{round_no}")
    }

    /// The round as everyone may see it, with options as far as each player's funds go.
    pub fn view(&self, table: &TableId, funds: impl Fn(&PlayerId) -> Chips) -> RoundView {
        let (phase, reveal_by, settle_by, void) = match self.phase {
            Phase::AwaitingReveals { reveal_by } => ("awaiting_reveals", Some(reveal_by), None, None),
            Phase::Open { settle_by } => ("open", None, settle_by, None),
            Phase::Settled => ("settled", None, None, None),
            Phase::Voided { cause, ahead } => ("voided", None, None, Some(VoidView { cause, ahead })),
        };
        RoundView {
            id: OpenRound::id(table, self.round_no),
            table: table.clone(),
            round_no: self.round_no,
            shoe_no: self.shoe_no,
            shoes: if self.shoes.len() > 1 { self.shoes.clone() } else { Vec::new() },
            phase,
            closes_at: None,
            reveal_by,
            settle_by,
            contributors: self.contributors.iter().map(ContributorView::new).collect(),
            entropy: self.entropy,
            pick: self.pick,
            decisions: self.decisions(funds),
            pile: self.pile.as_ref().map(PileView::new),
            void,
            staked: self.staked(),
            ret: self.ret(),
            game: Some(self.game.view_json()),
        }
    }

    /// The open decisions, with options as far as each player's funds go.
    pub fn decisions(&self, funds: impl Fn(&PlayerId) -> Chips) -> Vec<DecisionView> {
        if !matches!(self.phase, Phase::Open { .. }) {
            return Vec::new();
        }
        let view = |open: fairshoe_games::Decision| DecisionView {
            deadline: self.deadline_of(&open),
            bank_from: self.game.bank_from(open.number),
            decision: open.number,
            options: self.game.options(open.number, funds(&open.player)),
            player: open.player,
            place: open.place,
        };
        self.game.open_decisions().into_iter().map(view).collect()
    }
}
