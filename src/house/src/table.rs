use crate::{Committed, Event, PlacedBet, ShoeId, VoidCause};
use fairshoe_fairness::{ClientSeed, Lanes, PlayerId, PublicShuffle, RoundEntropy, Slot, TableId};
use fairshoe_games::{Ahead, Chips, Placed, Round, RoundEvent, RuleSet};
use std::sync::Arc;

/// A committed shoe in use.
#[derive(Clone, Debug)]
pub struct Shoe {
    /// Its full name.
    pub id: ShoeId,
    /// What its candidates are committed to.
    pub candidates: Vec<Committed>,
    /// The slots not drawn yet, ascending.
    pub undrawn: Vec<Slot>,
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Bets bind, seeds are awaited.
    AwaitingReveals {
        /// UTC milliseconds by which every seed must be out.
        reveal_by: u64,
    },
    /// Cards are dealt.
    Open {
        /// UTC milliseconds by which the round must be settled.
        settle_by: u64,
    },
    /// Over.
    Settled,
    /// Void.
    Voided {
        /// Why.
        cause: VoidCause,
        /// Who was ahead.
        ahead: Ahead,
    },
}

/// One contributor of a round.
#[derive(Clone, Debug)]
pub struct Contributor {
    /// Bets and commitment.
    pub placed: PlacedBet,
    /// The seed, once it is out.
    pub seed: Option<ClientSeed>,
    /// Every debit of the round so far.
    pub staked: Chips,
    /// Every credit of the round so far.
    pub ret: Chips,
}

/// A round from `bets_closed` on. It keeps its place at the table until the next bet.
pub struct OpenRound {
    /// Its number at the table.
    pub round_no: u64,
    /// Its shoe's number.
    pub shoe_no: u64,
    /// Who bets, ascending by name.
    pub contributors: Vec<Contributor>,
    /// How far it has come.
    pub phase: Phase,
    /// The public shuffle's entropy, once all seeds are out.
    pub entropy: Option<RoundEntropy>,
    /// The candidate that is dealt.
    pub pick: u8,
    /// Which slot each draw takes.
    pub lanes: Option<Lanes>,
    /// The game.
    pub game: Box<dyn Round>,
}

impl Clone for OpenRound {
    fn clone(&self) -> Self {
        OpenRound {
            round_no: self.round_no,
            shoe_no: self.shoe_no,
            contributors: self.contributors.clone(),
            phase: self.phase,
            entropy: self.entropy,
            pick: self.pick,
            lanes: self.lanes.clone(),
            game: self.game.boxed_clone(),
        }
    }
}

impl OpenRound {
    /// Whether it is neither settled nor void.
    pub fn is_live(&self) -> bool {
        matches!(self.phase, Phase::AwaitingReveals { .. } | Phase::Open { .. })
    }

    /// Every debit of the round.
    pub fn staked(&self) -> Chips {
        Chips::sum(self.contributors.iter().map(|c| c.staked)).unwrap_or_default()
    }

    /// Every credit of the round.
    pub fn ret(&self) -> Chips {
        Chips::sum(self.contributors.iter().map(|c| c.ret)).unwrap_or_default()
    }

    /// What a contributor got back: of a void round every wager (C22), which the void's own posting returns.
    pub fn returned(&self, contributor: &Contributor) -> Chips {
        if matches!(self.phase, Phase::Voided { .. }) { contributor.staked } else { contributor.ret }
    }

    fn contributor(&mut self, player: &PlayerId) -> Result<&mut Contributor, String> {
        self.contributors.iter_mut().find(|c| c.placed.player == *player).ok_or_else(|| format!("{player} has no bet in this round"))
    }
}

/// A table: its rules, its shoe, its round.
#[derive(Clone)]
pub struct Table {
    /// Its name.
    pub id: TableId,
    /// Its rules.
    pub rules: Arc<RuleSet>,
    /// Who alone may bet.
    pub owner: Option<PlayerId>,
    /// Milliseconds without a round after which it is closed.
    pub idle_ms: Option<u64>,
    /// The number its next entry takes.
    pub next_seq: u64,
    /// The number its next shoe takes.
    pub next_shoe: u64,
    /// The number its next round takes.
    pub next_round: u64,
    /// The shoe in use.
    pub shoe: Option<Arc<Shoe>>,
    /// The round in play, or the last one.
    pub round: Option<OpenRound>,
    /// A restart has not been dealt with yet.
    pub needs_recovery: bool,
    /// Milliseconds of downtime that its recovery adds to the settlement deadline (C21).
    pub down_ms: u64,
    /// No more rounds.
    pub closed: bool,
    /// When it was last used, UTC milliseconds.
    pub last_used: u64,
}

impl Table {
    /// A new table without a shoe.
    pub(crate) fn new(id: TableId, rules: RuleSet, owner: Option<PlayerId>, idle_ms: Option<u64>) -> Self {
        Table {
            id,
            rules: Arc::new(rules),
            owner,
            idle_ms,
            next_seq: 0,
            next_shoe: 0,
            next_round: 0,
            shoe: None,
            round: None,
            needs_recovery: false,
            down_ms: 0,
            closed: false,
            last_used: 0,
        }
    }

    /// The round that is neither settled nor void.
    pub fn live_round(&self) -> Option<&OpenRound> {
        self.round.as_ref().filter(|round| round.is_live())
    }

    /// When something is to happen here by itself, UTC milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        match self.live_round().map(|round| round.phase) {
            Some(Phase::AwaitingReveals { reveal_by }) => Some(reveal_by),
            Some(Phase::Open { settle_by }) => Some(settle_by),
            _ if self.closed => None,
            _ => self.idle_ms.map(|idle| self.last_used.saturating_add(idle)),
        }
    }

    fn live(&mut self, round_no: Option<u64>) -> Result<&mut OpenRound, String> {
        let round = self.round.as_mut().filter(|round| round.is_live()).ok_or("no round is in progress")?;
        match round_no {
            Some(given) if given != round.round_no => Err(format!("round {given} is not in progress, round {} is", round.round_no)),
            _ => Ok(round),
        }
    }

    /// Folds one of the table's events in. Money is the ledger's.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::ShoeCommitted { shoe_no, composition, candidates } => {
                let _ = (shoe_no, composition, candidates);
                return Err("a shoe is put in use with its context".into());
            }
            Event::BetsOpened { round_no, shoe_no } => {
                let in_use = self.shoe.as_ref().is_some_and(|shoe| shoe.id.shoe_no == *shoe_no);
                if *round_no != self.next_round || self.live_round().is_some() || !in_use {
                    return Err(format!("round {round_no} on shoe {shoe_no} does not come next"));
                }
                self.next_round = round_no.checked_add(1).ok_or("too many rounds")?;
            }
            Event::BetsClosed { round_no, shoe_no, contributors, reveal_by, .. } => {
                let was_opened = self.next_round.checked_sub(1) == Some(*round_no);
                let is_new = self.round.as_ref().is_none_or(|round| round.round_no < *round_no);
                let in_use = self.shoe.as_ref().is_some_and(|shoe| shoe.id.shoe_no == *shoe_no);
                if !was_opened || !is_new || !in_use {
                    return Err(format!("no bets were open for round {round_no} on shoe {shoe_no}"));
                }
                let placed: Vec<Placed> = contributors.iter().map(|c| Placed { player: c.player.clone(), bets: c.bets.clone() }).collect();
                let game = self.rules.open_round(&placed).map_err(|e| e.to_string())?;
                let contributors = contributors
                    .iter()
                    .map(|placed| Contributor { placed: placed.clone(), seed: None, staked: Chips::ZERO, ret: Chips::ZERO })
                    .collect();
                let phase = Phase::AwaitingReveals { reveal_by: *reveal_by };
                let (round_no, shoe_no) = (*round_no, *shoe_no);
                self.round = Some(OpenRound { round_no, shoe_no, contributors, phase, entropy: None, pick: 0, lanes: None, game });
                self.charge_opening_stakes()?;
            }
            Event::SeedRevealed { player, seed } => self.live(None)?.contributor(player)?.seed = Some(seed.clone()),
            Event::RoundOpened { entropy, pick, settle_by, .. } => {
                let undrawn = self.shoe.as_ref().map(|shoe| shoe.undrawn.clone()).ok_or("there is no shoe")?;
                let candidates = self.rules.candidates();
                let round = self.live(None)?;
                if !matches!(round.phase, Phase::AwaitingReveals { .. }) || round.contributors.iter().any(|c| c.seed.is_none()) {
                    return Err("the round cannot open now".into());
                }
                let shuffle = PublicShuffle::new(entropy, candidates, &undrawn);
                round.lanes = Some(Lanes::new(shuffle.order, round.game.lanes()));
                round.entropy = Some(*entropy);
                round.pick = *pick;
                round.phase = Phase::Open { settle_by: *settle_by };
            }
            Event::Play(play) => self.apply_play(play)?,
            Event::RoundSettled { round_no, staked, ret } => {
                let round = self.live(Some(*round_no))?;
                if !round.game.is_settled() || round.staked() != *staked || round.ret() != *ret {
                    return Err(format!("round {round_no} is not settled with {staked} staked and {ret} returned"));
                }
                round.phase = Phase::Settled;
                self.burn_drawn();
            }
            Event::RoundVoided { round_no, cause, ahead, .. } => {
                self.live(Some(*round_no))?.phase = Phase::Voided { cause: *cause, ahead: *ahead };
                self.burn_drawn();
            }
            Event::RoundResumed { round_no, reveal_by, settle_by } => {
                let round = self.live(Some(*round_no))?;
                round.phase = match (round.phase, reveal_by, settle_by) {
                    (Phase::AwaitingReveals { .. }, Some(reveal_by), None) => Phase::AwaitingReveals { reveal_by: *reveal_by },
                    (Phase::Open { .. }, None, Some(settle_by)) => Phase::Open { settle_by: *settle_by },
                    _ => return Err("the deadline given is not the one the round has".into()),
                };
            }
            Event::ShoeRevealed { shoe_no, .. } => {
                if let Some(round) = self.live_round() {
                    return Err(format!("round {} still hides cards of the shoe", round.round_no));
                }
                let in_use = self.shoe.take().filter(|shoe| shoe.id.shoe_no == *shoe_no);
                in_use.ok_or_else(|| format!("shoe {shoe_no} is not in use"))?;
            }
            Event::TableClosed {} => self.closed = true,
            Event::BetPlaced { .. } | Event::Posted { .. } => {}
            Event::DealerStarted { .. } | Event::PlayerCreated { .. } | Event::TokenIssued { .. } | Event::TableOpened { .. } => {
                return Err("this event is not a table's".into());
            }
        }
        Ok(())
    }

    /// Puts a shoe in use. Its context is the log's and the epoch's, which the event need not repeat.
    pub(crate) fn put_in_use(&mut self, shoe: Shoe) -> Result<(), String> {
        if shoe.id.shoe_no != self.next_shoe || self.shoe.is_some() || self.live_round().is_some() {
            return Err(format!("shoe {} does not come next", shoe.id.shoe_no));
        }
        if shoe.id.composition != self.rules.composition() || shoe.candidates.len() != usize::from(self.rules.candidates()) {
            return Err(format!("shoe {} is not one of this rule set", shoe.id.shoe_no));
        }
        self.next_shoe = shoe.id.shoe_no.checked_add(1).ok_or("too many shoes")?;
        self.shoe = Some(Arc::new(shoe));
        Ok(())
    }

    fn charge_opening_stakes(&mut self) -> Result<(), String> {
        let round = self.live(None)?;
        for contributor in &mut round.contributors {
            contributor.staked = Chips::sum(contributor.placed.bets.iter().map(|bet| bet.stake)).ok_or("the stakes are out of range")?;
        }
        Ok(())
    }

    fn apply_play(&mut self, play: &RoundEvent) -> Result<(), String> {
        let round = self.live(None)?;
        round.game.apply(play).map_err(|e| e.0)?;
        let out_of_range = "an amount is out of range";
        match play {
            RoundEvent::Dealt { lane, slot, .. } => {
                let drawn = round.lanes.as_mut().and_then(|lanes| lanes.draw(*lane));
                if drawn != Some(*slot) {
                    return Err(format!("lane {lane} draws another slot than {slot}"));
                }
            }
            RoundEvent::Acted { player, cost, .. } => {
                let contributor = round.contributor(player)?;
                contributor.staked = contributor.staked.plus(*cost).ok_or(out_of_range)?;
            }
            RoundEvent::Paid { lines } => {
                for line in lines {
                    let contributor = round.contributor(&line.player)?;
                    contributor.ret = contributor.ret.plus(line.ret).ok_or(out_of_range)?;
                }
            }
            RoundEvent::Turned { .. } | RoundEvent::Peeked { .. } | RoundEvent::Offered { .. } => {}
        }
        Ok(())
    }

    /// What the round drew never comes back, void or not (C10, C22).
    fn burn_drawn(&mut self) {
        let left = self.round.as_ref().and_then(|round| round.lanes.as_ref()).map(Lanes::undrawn_ascending);
        if let (Some(shoe), Some(left)) = (&mut self.shoe, left) {
            Arc::make_mut(shoe).undrawn = left;
        }
    }
}
