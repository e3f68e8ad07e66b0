use crate::{Contributor, OpenRound, Phase, VoidCause};
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
    phase: &'static str,
    reveal_by: Option<u64>,
    settle_by: Option<u64>,
    contributors: Vec<ContributorView>,
    entropy: Option<RoundEntropy>,
    pick: u8,
    decisions: Vec<DecisionView>,
    void: Option<VoidView>,
    staked: Chips,
    ret: Chips,
    game: Box<RawValue>,
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
    deadline: u64,
}

#[derive(Debug, Serialize)]
struct VoidView {
    cause: VoidCause,
    ahead: Ahead,
}

impl ContributorView {
    fn new(contributor: &Contributor, ret: Chips) -> Self {
        ContributorView {
            player: contributor.placed.player.clone(),
            bets: contributor.placed.bets.clone(),
            commitment: contributor.placed.commitment,
            seed: contributor.seed.clone(),
            staked: contributor.staked,
            ret,
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
            Phase::Open { settle_by } => ("open", None, Some(settle_by), None),
            Phase::Settled => ("settled", None, None, None),
            Phase::Voided { cause, ahead } => ("voided", None, None, Some(VoidView { cause, ahead })),
        };
        RoundView {
            id: OpenRound::id(table, self.round_no),
            table: table.clone(),
            round_no: self.round_no,
            shoe_no: self.shoe_no,
            phase,
            reveal_by,
            settle_by,
            contributors: self.contributors.iter().map(|c| ContributorView::new(c, self.returned(c))).collect(),
            entropy: self.entropy,
            pick: self.pick,
            decisions: self.decisions(funds),
            void,
            staked: self.staked(),
            ret: Chips::sum(self.contributors.iter().map(|c| self.returned(c))).unwrap_or_default(),
            game: self.game.view_json(),
        }
    }

    /// The open decisions, with options as far as each player's funds go.
    pub fn decisions(&self, funds: impl Fn(&PlayerId) -> Chips) -> Vec<DecisionView> {
        let Phase::Open { settle_by } = self.phase else { return Vec::new() };
        let view = |open: fairshoe_games::Decision| DecisionView {
            decision: open.number,
            options: self.game.options(open.number, funds(&open.player)),
            player: open.player,
            place: open.place,
            deadline: open.deadline.max(settle_by),
        };
        self.game.open_decisions().into_iter().map(view).collect()
    }
}
