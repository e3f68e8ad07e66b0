//! A round replayed by one of its players: its seeds, its game, its sums (spec/entries.md, "A round").

use super::flaw::same;
use super::{Flaw, ShoeCheck};
use fairshoe_fairness::{
    ClientSeed, Lanes, PlayerId, PublicShuffle, RoundEntropy, SeedCommitment, TableContext, round_entropy,
    seed_commitment,
};
use fairshoe_games::{Chips, Decision, Placed, Round, RuleSet};
use fairshoe_house::{PlacedBet, PlayerCommitment, RoundResult, VoidCause, Wait};

/// The phase of a round, as its player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bets are binding, and seeds are awaited.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// The round is over.
    Settled,
    /// The round is void, with the cause.
    Voided(VoidCause),
}

/// One contributor of a round.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Bets and commitment.
    pub placed: PlacedBet,
    /// The seed, once published.
    pub seed: Option<ClientSeed>,
    /// The sum of debits so far.
    pub staked: Chips,
    /// The sum of credits so far.
    pub returned: Chips,
}

/// A round replayed independently, from `bets_closed` on.
pub(super) struct RoundCheck {
    pub round_no: u64,
    pub shoe_no: u64,
    /// The log index of `bets_closed`.
    pub closed_at: u64,
    /// The contributors, ascending by player.
    pub parts: Vec<Part>,
    pub progress: Progress,
    pub reveal_by: u64,
    /// A solo round's deadline.
    pub settle_by: Option<u64>,
    /// After a restart no open decision may lapse before this time.
    pub turn_floor: u64,
    /// The wait (for seeds, a pile's stage or a turn) that the last restart met.
    pub resumed_in: Option<Wait>,
    pub entropy: Option<RoundEntropy>,
    pub pick: u8,
    pub lanes: Option<Lanes>,
    pub game: Box<dyn Round>,
    /// Whether a face was turned up.
    pub exposed: bool,
    /// The parts of a void round that stay with players: paid early and already spent (C22).
    pub retained_winnings: Vec<(PlayerId, Chips)>,
    /// A game's piles before the current one, the first deal's first.
    pub piles: Vec<ShoeCheck>,
    pub pile: Option<PileCheck>,
}

impl RoundCheck {
    /// A round with these bets, before its first card.
    pub fn new(rules: &RuleSet, round_no: u64, shoe_no: u64, closed_at: u64, bets: &[PlacedBet]) -> Result<Self, Flaw> {
        let placed: Vec<Placed> = bets.iter().map(PlacedBet::placed).collect();
        let game =
            rules.open_round(&placed).map_err(|e| Flaw::differs("the bets", "ones the rules take", e.to_string()))?;
        let part = |placed: &PlacedBet| {
            let staked = placed.staked().ok_or(Flaw::Overflow)?;
            Ok(Part { placed: placed.clone(), seed: None, staked, returned: Chips::ZERO })
        };
        Ok(RoundCheck {
            round_no,
            shoe_no,
            closed_at,
            parts: bets.iter().map(part).collect::<Result<_, Flaw>>()?,
            progress: Progress::AwaitingReveals,
            reveal_by: 0,
            settle_by: None,
            turn_floor: 0,
            resumed_in: None,
            entropy: None,
            pick: 0,
            lanes: None,
            game,
            exposed: false,
            retained_winnings: Vec::new(),
            piles: Vec::new(),
            pile: None,
        })
    }

    /// Whether it is neither settled nor void.
    pub fn is_live(&self) -> bool {
        matches!(self.progress, Progress::AwaitingReveals | Progress::Open)
    }

    /// One contributor.
    pub fn part(&self, player: &PlayerId) -> Option<&Part> {
        self.parts.iter().find(|part| part.placed.player == *player)
    }

    /// The same, mutable.
    pub fn part_mut(&mut self, player: &PlayerId) -> Result<&mut Part, Flaw> {
        let part = self.parts.iter_mut().find(|part| part.placed.player == *player);
        part.ok_or_else(|| Flaw::differs("the contributor", "one who bet", player))
    }

    /// The players whose seeds are missing, ascending.
    pub fn missing(&self) -> Vec<PlayerId> {
        self.parts.iter().filter(|part| part.seed.is_none()).map(|part| part.placed.player.clone()).collect()
    }

    /// The sum of all debits.
    pub fn staked(&self) -> Option<Chips> {
        Chips::sum(self.parts.iter().map(|part| part.staked))
    }

    /// The sum of all credits; for a void round the returned amounts.
    pub fn returned(&self) -> Option<Chips> {
        Chips::sum(self.results()?.iter().map(|one| one.returned))
    }

    /// The result for each contributor, or the result so far.
    pub fn results(&self) -> Option<Vec<RoundResult>> {
        let pending = self.game.pending_stakes();
        let of = |part: &Part| match self.progress {
            Progress::Voided(VoidCause::Abandoned) => {
                let own = pending.iter().filter(|(player, _)| *player == part.placed.player).map(|(_, stake)| *stake);
                Chips::sum(own)?.plus(part.returned)
            }
            Progress::Voided(_) => {
                let retained = self
                    .retained_winnings
                    .iter()
                    .find(|(player, _)| *player == part.placed.player)
                    .map(|(_, amount)| *amount);
                part.staked.plus(retained.unwrap_or_default())
            }
            _ => Some(part.returned),
        };
        let result = |part: &Part| {
            Some(RoundResult { player: part.placed.player.clone(), staked: part.staked, returned: of(part)? })
        };
        self.parts.iter().map(result).collect()
    }

    /// The present wait (spec/recovery.md, "Time again, once").
    pub fn wait(&self) -> Wait {
        match (&self.pile, self.progress) {
            (Some(pile), _) => Wait::Pile { round_no: pile.round_no, seeds: pile.closed_at.is_some() },
            (None, Progress::AwaitingReveals) => Wait::Seeds,
            _ => Wait::Turn(self.game.open_decisions().iter().map(|open| open.number).min().unwrap_or_default()),
        }
    }

    /// The time before which a decision may not lapse: the deadline of its offer, or a later time that a restart or a
    /// solo round's settlement sets (C16, C17, C21).
    pub fn deadline_of(&self, decision: &Decision) -> u64 {
        decision.deadline.max(self.turn_floor).max(self.settle_by.unwrap_or_default())
    }

    /// Takes a seed that must open its commitment, for the round or for its new pile.
    pub fn revealed(
        &mut self,
        context: &TableContext,
        round_no: u64,
        player: &PlayerId,
        seed: &ClientSeed,
        time: u64,
    ) -> Result<(), Flaw> {
        let (number, by, part) = match &mut self.pile {
            Some(pile) => (pile.round_no, pile.reveal_by, pile.part_mut(player)?),
            None => (self.round_no, self.reveal_by, self.seed_mut(player)?),
        };
        same("the reveal's round", &number, &round_no)?;
        same("whether the seed was out before", &false, &part.1.is_some())?;
        same("the commitment that the seed opens", &part.0, &Some(seed_commitment(context, number, player, seed)))?;
        *part.1 = Some(seed.clone());
        in_time("the reveal", time, by)
    }

    fn seed_mut(&mut self, player: &PlayerId) -> Result<(Option<SeedCommitment>, &mut Option<ClientSeed>), Flaw> {
        let part = self.part_mut(player)?;
        Ok((Some(part.placed.commitment), &mut part.seed))
    }

    /// The public shuffle, computed anew from the committed roots and all seeds.
    pub fn open(&mut self, shoe: &mut ShoeCheck, entropy: &RoundEntropy, pick: u8) -> Result<(), Flaw> {
        let seed = |part: &Part| Some((part.placed.player.clone(), part.seed.clone()?));
        let seeds: Option<Vec<_>> = self.parts.iter().map(seed).collect();
        let lanes = shuffled(shoe, self.round_no, seeds, entropy, pick, self.game.lanes())?;
        (self.lanes, self.entropy, self.pick) = (Some(lanes), Some(*entropy), pick);
        self.progress = Progress::Open;
        Ok(())
    }

    /// The same for a new pile (A002.m).
    pub fn shuffle_pile(&mut self, shoe: &mut ShoeCheck, entropy: &RoundEntropy, pick: u8) -> Result<(), Flaw> {
        let pile = self.pile.take().ok_or_else(|| Flaw::differs("the pile", "one being shuffled", "none"))?;
        let seed = |part: &PilePart| Some((part.player.clone(), part.seed.clone()?));
        let seeds: Option<Vec<_>> = pile.parts.iter().map(seed).collect();
        self.lanes = Some(shuffled(shoe, pile.round_no, seeds, entropy, pick, self.game.lanes())?);
        self.pick = pick;
        Ok(())
    }
}

/// The order in which a round draws from a shoe, with these seeds.
pub(super) fn shuffled(
    shoe: &mut ShoeCheck,
    round_no: u64,
    seeds: Option<Vec<(PlayerId, ClientSeed)>>,
    entropy: &RoundEntropy,
    pick: u8,
    lanes: u16,
) -> Result<Lanes, Flaw> {
    let seeds = seeds.ok_or_else(|| Flaw::differs("the seeds", "all revealed", "some missing"))?;
    let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
    let computed = round_entropy(&shoe.context, shoe.shoe_no, &roots, round_no, &seeds)
        .map_err(|e| Flaw::differs("the round's entropy", "one that can be computed", e.to_string()))?;
    same("the round's entropy", &computed, entropy)?;
    let candidates = u8::try_from(roots.len()).map_err(|_| Flaw::Overflow)?;
    // A wheel is not shuffled: its next slot is the spin's.
    let undrawn = if shoe.composition.is_wheel() { [].as_slice() } else { &shoe.undrawn };
    let shuffle = PublicShuffle::new(&computed, candidates, undrawn);
    same("the pick", &shuffle.pick, &pick)?;
    shoe.picked(pick);
    Ok(Lanes::new(shuffle.order, lanes))
}

/// One player's part in the shuffle of a new pile.
#[derive(Clone, Debug)]
pub(super) struct PilePart {
    pub player: PlayerId,
    pub commitment: Option<SeedCommitment>,
    pub seed: Option<ClientSeed>,
}

/// The shuffle of a new pile in the middle of a game (A002.m).
#[derive(Clone, Debug)]
pub(super) struct PileCheck {
    pub round_no: u64,
    pub shoe_no: u64,
    pub parts: Vec<PilePart>,
    pub commit_by: u64,
    /// The log index of `pile_closed` and the deadline for seeds, once all commitments have arrived.
    pub closed_at: Option<u64>,
    pub reveal_by: u64,
}

impl PileCheck {
    /// A shuffle that awaits commitments from these players.
    pub fn new(round_no: u64, shoe_no: u64, players: &[PlayerId], commit_by: u64) -> Self {
        let part = |player: &PlayerId| PilePart { player: player.clone(), commitment: None, seed: None };
        PileCheck {
            round_no,
            shoe_no,
            parts: players.iter().map(part).collect(),
            commit_by,
            closed_at: None,
            reveal_by: 0,
        }
    }

    /// One player's part.
    pub fn part(&self, player: &PlayerId) -> Option<&PilePart> {
        self.parts.iter().find(|part| part.player == *player)
    }

    fn part_mut(&mut self, player: &PlayerId) -> Result<(Option<SeedCommitment>, &mut Option<ClientSeed>), Flaw> {
        let closed = self.closed_at.is_some();
        let part = self.parts.iter_mut().find(|part| part.player == *player);
        let part = part
            .filter(|_| closed)
            .ok_or_else(|| Flaw::differs("the seed for the pile", "one that is awaited", player))?;
        Ok((part.commitment, &mut part.seed))
    }

    /// Takes a commitment.
    pub fn committed(
        &mut self,
        round_no: u64,
        player: &PlayerId,
        commitment: &SeedCommitment,
        time: u64,
    ) -> Result<(), Flaw> {
        same("the commitment's round", &self.round_no, &round_no)?;
        let part = self.parts.iter_mut().find(|part| part.player == *player && part.commitment.is_none());
        let part = part.ok_or_else(|| Flaw::differs("the commitment for the pile", "one that is awaited", player))?;
        part.commitment = Some(*commitment);
        in_time("the commitment", time, self.commit_by)
    }

    /// Checks that `pile_closed` lists the commitments that came in, and all of them.
    pub fn closed(&mut self, contributors: &[PlayerCommitment], index: u64, reveal_by: u64) -> Result<(), Flaw> {
        let known =
            |part: &PilePart| Some(PlayerCommitment { player: part.player.clone(), commitment: part.commitment? });
        let known: Option<Vec<_>> = self.parts.iter().map(known).collect();
        same("the contributors of the pile", &known.as_deref(), &Some(contributors))?;
        (self.closed_at, self.reveal_by) = (Some(index), reveal_by);
        Ok(())
    }

    /// The deadline of the present stage.
    pub fn deadline(&self) -> u64 {
        if self.closed_at.is_some() { self.reveal_by } else { self.commit_by }
    }

    /// The players for whom the present stage still waits, ascending.
    pub fn missing(&self) -> Vec<PlayerId> {
        let closed = self.closed_at.is_some();
        let waits = |part: &&PilePart| if closed { part.seed.is_none() } else { part.commitment.is_none() };
        self.parts.iter().filter(waits).map(|part| part.player.clone()).collect()
    }
}

/// C16: checks that the time is before the deadline, not at it.
pub(super) fn in_time(what: &'static str, time: u64, deadline: u64) -> Result<(), Flaw> {
    if time < deadline { Ok(()) } else { Err(Flaw::Late { what, time, deadline }) }
}

/// Checks that the time of a lapse is at the deadline or after it.
pub(super) fn lapsed(what: &'static str, time: u64, deadline: u64) -> Result<(), Flaw> {
    if time >= deadline { Ok(()) } else { Err(Flaw::Early { what, time, deadline }) }
}
