use super::flaw::same;
use super::{Flaw, OnLog, ShoeCheck};
use crate::wire::{DecisionView, RoundView, ViewPhase};
use fairshoe_fairness::{
    Card, ClientSeed, Lanes, Opening, PlayerId, PublicShuffle, RoundEntropy, SeedCommitment, Slot, TableContext, round_entropy,
    seed_commitment,
};
use fairshoe_games::{
    Action, Bet, Chips, Dealing, Decision, FaceUnknown, Offer, Peek, Place, Placed, Round, RoundEvent, RuleSet, StepError,
};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Line, PlacedBet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who bets, where and what.
#[derive(Clone, Debug)]
pub struct Bettor {
    /// The player.
    pub player: PlayerId,
    /// The table's rules.
    pub rules: Arc<RuleSet>,
    /// The shoe's log, table and epoch.
    pub context: TableContext,
    /// The round.
    pub round_no: u64,
    /// The wagers.
    pub bets: Vec<Bet>,
    /// The balance before them.
    pub before: Chips,
    /// The seed that is revealed once the bet binds.
    pub seed: ClientSeed,
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The bet is not accepted yet.
    Betting,
    /// The bet binds.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// Over.
    Settled,
    /// Void.
    Voided,
}

/// One solo round replayed beside the house: every event of its entries must be the one that the rules, the public
/// order and the opened cards leave no choice about.
pub struct RoundCheck {
    bettor: Bettor,
    commitment: SeedCommitment,
    shoe: ShoeCheck,
    progress: Progress,
    game: Box<dyn Round>,
    lanes: Option<Lanes>,
    entropy: Option<RoundEntropy>,
    pick: u8,
    settle_by: u64,
    funds: Chips,
    staked: Chips,
    ret: Chips,
    /// What the next posting must bring the player.
    owed: i64,
    asked: Option<(u32, Action)>,
    shoe_is_revealed: bool,
    applied: BTreeSet<u64>,
}

impl RoundCheck {
    /// A round before its bet, on the shoe that was committed for it.
    ///
    /// # Errors
    /// [`Flaw`] if the rules do not take the bet.
    pub fn new(bettor: Bettor, shoe: ShoeCheck) -> Result<Self, Flaw> {
        let placed = Placed { player: bettor.player.clone(), bets: bettor.bets.clone() };
        let game = bettor.rules.open_round(&[placed]).map_err(|e| Flaw::differs("the bet", "one the rules take", e.to_string()))?;
        let commitment = bettor.commitment();
        Ok(RoundCheck {
            commitment,
            shoe,
            progress: Progress::Betting,
            game,
            lanes: None,
            entropy: None,
            pick: 0,
            settle_by: 0,
            funds: bettor.before,
            staked: Chips::ZERO,
            ret: Chips::ZERO,
            owed: 0,
            asked: None,
            shoe_is_revealed: false,
            applied: BTreeSet::new(),
            bettor,
        })
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The player's balance.
    pub fn funds(&self) -> Chips {
        self.funds
    }

    /// The round's name.
    pub fn id(&self) -> String {
        format!("{}:{}", self.bettor.context.table, self.bettor.round_no)
    }

    /// The seed to reveal.
    pub fn seed(&self) -> &ClientSeed {
        &self.bettor.seed
    }

    /// The engine's view, as everyone sees it.
    pub fn view(&self) -> serde_json::Value {
        self.game.view()
    }

    /// The decision that is open, with what may be chosen.
    pub fn decision(&self) -> Option<(Decision, Vec<Offer>)> {
        let decision = self.game.open_decisions().into_iter().next().filter(|_| self.progress == Progress::Open)?;
        let options = self.game.options(decision.number, self.funds);
        Some((decision, options))
    }

    /// Notes what is about to be asked of the house: the only choice of the player it may record.
    pub fn ask(&mut self, decision: u32, action: Action) {
        self.asked = Some((decision, action));
    }

    /// Whether an entry was replayed already.
    pub fn knows(&self, index: u64) -> bool {
        self.applied.contains(&index)
    }

    /// Replays one entry of the round, with the openings that came with it or later.
    ///
    /// # Errors
    /// [`Flaw`] naming the first thing that is not as it must be.
    pub fn apply(&mut self, on_log: &OnLog, openings: &[Opening]) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        same("the entry's table", &Some(&self.bettor.context.table), &entry.at.as_ref().map(|at| &at.table))?;
        self.check_command(entry)?;
        for (index, event) in entry.events.iter().enumerate() {
            if !matches!(event, Event::Posted { .. }) && self.owed != 0 {
                return Err(Flaw::differs("the posting", self.owed, "none"));
            }
            self.check_event(entry, event, entry.events.get(index + 1), openings)?;
        }
        same("what is owed at the end of the entry", &0, &self.owed)?;
        if matches!(entry.command, Command::Act { .. }) {
            same("the choice that was not recorded", &None, &self.asked)?;
        }
        self.check_rest()?;
        self.applied.insert(on_log.index);
        Ok(())
    }

    /// Checks what a reply says beside its entries: openings of shown cards only, the round as it stands, the balance.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn check_reply(&self, view: &RoundView, openings: &[Opening], balance: Option<Chips>) -> Result<(), Flaw> {
        self.shoe.nothing_leaked(openings)?;
        same("the round's name", &self.id(), &view.id)?;
        same("the round's shoe", &self.shoe.number(), &view.shoe_no)?;
        let phase = match self.progress {
            Progress::Betting | Progress::AwaitingReveals => ViewPhase::AwaitingReveals,
            Progress::Open => ViewPhase::Open,
            Progress::Settled => ViewPhase::Settled,
            Progress::Voided => ViewPhase::Voided,
        };
        same("the round's phase", &phase, &view.phase)?;
        same("the round's entropy", &self.entropy, &view.entropy)?;
        same("the cards on view", &self.game.view(), &view.game)?;
        let open = |(decision, options): (Decision, Vec<Offer>)| DecisionView {
            decision: decision.number,
            player: decision.player,
            place: decision.place,
            options,
        };
        same("the decisions offered", &self.decision().into_iter().map(open).collect::<Vec<_>>(), &view.decisions)?;
        same("the sum staked", &self.staked, &view.staked)?;
        same("the sum returned", &self.ret, &view.ret)?;
        balance.map_or(Ok(()), |balance| same("the balance", &self.funds, &balance))
    }

    fn check_command(&self, entry: &Entry) -> Result<(), Flaw> {
        let bettor = &self.bettor;
        let me = Actor::Player(bettor.player.clone());
        let is_mine = |round_no: &u64| same("the command's round", &bettor.round_no, round_no);
        match &entry.command {
            Command::Bet { round_no, bets, commitment, .. } if self.progress == Progress::Betting => {
                is_mine(round_no)?;
                same("the bettor", &me, &entry.by)?;
                same("the bets", &bettor.bets, bets)?;
                same("the commitment", &self.commitment, commitment)
            }
            Command::Reveal { round_no, player, seed, .. } if self.progress == Progress::AwaitingReveals => {
                is_mine(round_no)?;
                same("who reveals", &bettor.player, player)?;
                same("whether the seed is the one sent", &true, &(*seed == bettor.seed))
            }
            Command::Act { round_no, decision, action, .. } if self.progress == Progress::Open => {
                is_mine(round_no)?;
                same("who acts", &me, &entry.by)?;
                same("the choice", &self.asked, &Some((*decision, action.clone())))
            }
            Command::Lapse { round_no, .. } | Command::VoidRound { round_no, .. } if self.is_live() => is_mine(round_no),
            Command::Recover { .. } if self.is_live() => Ok(()),
            other => Err(Flaw::Misplaced { event: format!("the command {}", text(other)) }),
        }
    }

    fn is_live(&self) -> bool {
        matches!(self.progress, Progress::AwaitingReveals | Progress::Open)
    }

    fn check_event(&mut self, entry: &Entry, event: &Event, next: Option<&Event>, openings: &[Opening]) -> Result<(), Flaw> {
        let (round_no, shoe_no) = (self.bettor.round_no, self.shoe.number());
        match (event, self.progress) {
            (Event::BetsOpened { round_no: r, shoe_no: s }, Progress::Betting) => same("bets_opened", &(round_no, shoe_no), &(*r, *s)),
            (Event::BetPlaced { bet }, Progress::Betting) => {
                same("bet_placed", &self.placed(), bet)?;
                self.stake(Chips::sum(self.bettor.bets.iter().map(|bet| bet.stake)).ok_or(Flaw::Overflow)?)
            }
            (Event::BetsClosed { round_no: r, shoe_no: s, contributors, lanes, .. }, Progress::Betting) => {
                same("bets_closed", &(round_no, shoe_no), &(*r, *s))?;
                same("the contributors", &vec![self.placed()], contributors)?;
                same("the lanes", &self.game.lanes(), lanes)?;
                self.progress = Progress::AwaitingReveals;
                Ok(())
            }
            (Event::SeedRevealed { player, .. }, Progress::AwaitingReveals) => same("seed_revealed", &self.bettor.player, player),
            (Event::RoundOpened { entropy, pick, others, settle_by }, Progress::AwaitingReveals) => {
                same("the number of other candidates", &(self.shoe.candidates().len() - 1), &others.len())?;
                self.open(entropy, *pick)?;
                self.settle_by = *settle_by;
                Ok(())
            }
            (Event::Play(play), Progress::Open) => self.check_play(entry, play, openings),
            (Event::Posted { lines }, _) => {
                if matches!(next, Some(Event::RoundVoided { .. })) {
                    // A void brings back every wager and takes back every payout (rule C22).
                    self.owed = self.bettor.before.signed().checked_sub(self.funds.signed()).ok_or(Flaw::Overflow)?;
                }
                self.check_posting(lines)
            }
            (Event::RoundSettled { round_no: r, staked, ret }, Progress::Open) if self.game.is_settled() => {
                same("the settled round", &round_no, r)?;
                same("the sums settled", &(self.staked, self.ret), &(*staked, *ret))?;
                self.progress = Progress::Settled;
                Ok(())
            }
            (Event::RoundVoided { round_no: r, .. }, Progress::AwaitingReveals | Progress::Open) => {
                same("the voided round", &round_no, r)?;
                same("the balance after the void", &self.bettor.before, &self.funds)?;
                self.progress = Progress::Voided;
                Ok(())
            }
            (Event::RoundResumed { round_no: r, settle_by, .. }, Progress::AwaitingReveals | Progress::Open) => {
                same("the resumed round", &round_no, r)?;
                self.settle_by = settle_by.unwrap_or(self.settle_by);
                Ok(())
            }
            (Event::ShoeRevealed { shoe_no, seeds }, Progress::Settled | Progress::Voided) => {
                self.shoe.revealed(*shoe_no, seeds, self.pick)?;
                self.shoe_is_revealed = true;
                Ok(())
            }
            (event, _) => Err(Flaw::Misplaced { event: text(event) }),
        }
    }

    fn placed(&self) -> PlacedBet {
        PlacedBet { player: self.bettor.player.clone(), bets: self.bettor.bets.clone(), commitment: self.commitment }
    }

    /// The public shuffle, computed anew from the committed roots and the seed.
    fn open(&mut self, entropy: &RoundEntropy, pick: u8) -> Result<(), Flaw> {
        let bettor = &self.bettor;
        let roots: Vec<_> = self.shoe.candidates().iter().map(|candidate| candidate.root).collect();
        let seeds = [(bettor.player.clone(), bettor.seed.clone())];
        let computed = round_entropy(&bettor.context, self.shoe.number(), &roots, bettor.round_no, &seeds)
            .map_err(|e| Flaw::differs("the round's entropy", "one that can be computed", e.to_string()))?;
        same("the round's entropy", &computed, entropy)?;
        let candidates = u8::try_from(roots.len()).map_err(|_| Flaw::Overflow)?;
        let shuffle = PublicShuffle::new(&computed, candidates, &self.shoe.slots());
        same("the pick", &shuffle.pick, &pick)?;
        self.lanes = Some(Lanes::new(shuffle.order, self.game.lanes()));
        self.entropy = Some(computed);
        self.pick = pick;
        self.progress = Progress::Open;
        Ok(())
    }

    /// The event must be the one that the engine makes of the same cards and the player's own choice.
    fn check_play(&mut self, entry: &Entry, play: &RoundEvent, openings: &[Opening]) -> Result<(), Flaw> {
        if let RoundEvent::Dealt { lane, slot, .. } = play {
            let next = self.lanes.as_ref().and_then(|lanes| lanes.next(*lane));
            if next != Some(*slot) {
                return Err(Flaw::WrongSlot { expected: next.map_or("none".into(), |slot| slot.to_string()), found: *slot });
            }
        }
        let expected = match play {
            RoundEvent::Acted { decision, default: true, .. } if matches!(entry.command, Command::Lapse { .. }) => {
                self.game.default_play(*decision)?
            }
            RoundEvent::Acted { .. } => {
                let (decision, action) = self.asked.take().ok_or_else(|| Flaw::Misplaced { event: text(play) })?;
                self.game.accept(&self.bettor.player, decision, &action, self.funds)?
            }
            _ => self.step(play, openings)?,
        };
        if expected != *play {
            return Err(Flaw::Differs { what: "the next event", expected: text(&expected), found: text(play) });
        }
        self.follow(play)
    }

    fn step(&mut self, play: &RoundEvent, openings: &[Opening]) -> Result<RoundEvent, Flaw> {
        let claimed = if let RoundEvent::Peeked { blackjack, .. } = play { Some(*blackjack) } else { None };
        let dealing = Watched { check: self, openings, claimed, asked: RefCell::default(), flaw: RefCell::default() };
        let step = self.game.step(&dealing);
        let (asked, flaw) = (dealing.asked.into_inner(), dealing.flaw.into_inner());
        if let Some(flaw) = flaw {
            return Err(flaw);
        }
        if let (Some((slot, question)), Some(answer)) = (asked, claimed) {
            self.shoe.peeked(slot, question, answer);
        }
        step.map_err(Flaw::Step)?.ok_or_else(|| Flaw::Misplaced { event: text(play) })
    }

    fn follow(&mut self, play: &RoundEvent) -> Result<(), Flaw> {
        self.game.apply(play)?;
        match play {
            RoundEvent::Dealt { lane, slot, card, .. } => {
                if let Some(lanes) = &mut self.lanes {
                    lanes.draw(*lane);
                }
                if let Some(card) = card {
                    self.shoe.turned_up(*slot, *card);
                }
                Ok(())
            }
            RoundEvent::Turned { slot, card } => {
                self.shoe.turned_up(*slot, *card);
                Ok(())
            }
            RoundEvent::Acted { cost, .. } => self.stake(*cost),
            RoundEvent::Paid { lines } => {
                let paid = Chips::sum(lines.iter().map(|line| line.ret)).ok_or(Flaw::Overflow)?;
                self.ret = self.ret.plus(paid).ok_or(Flaw::Overflow)?;
                self.owed = paid.signed();
                Ok(())
            }
            RoundEvent::Peeked { .. } | RoundEvent::Offered { .. } => Ok(()),
        }
    }

    fn stake(&mut self, cost: Chips) -> Result<(), Flaw> {
        self.staked = self.staked.plus(cost).ok_or(Flaw::Overflow)?;
        self.owed = -cost.signed();
        Ok(())
    }

    /// A posting sums to zero and moves the player's balance by exactly what is owed.
    fn check_posting(&mut self, lines: &[Line]) -> Result<(), Flaw> {
        let sum: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
        same("the sum of the posting", &0, &sum)?;
        let mine = Account::Player(self.bettor.player.clone());
        let expected = self.funds.signed().checked_add(self.owed).ok_or(Flaw::Overflow)?;
        let own: Vec<&Line> = lines.iter().filter(|line| line.0 == mine).collect();
        let amount: i64 = own.iter().map(|line| line.1).sum();
        same("the amount posted to the player", &self.owed, &amount)?;
        if let Some(line) = own.last() {
            same("the balance posted", &expected, &line.2)?;
        }
        self.funds = u64::try_from(expected).ok().and_then(Chips::new).ok_or(Flaw::Overflow)?;
        self.owed = 0;
        Ok(())
    }

    /// At the end of an entry the round waits for a choice, or is over and its shoe is open.
    fn check_rest(&self) -> Result<(), Flaw> {
        match self.progress {
            Progress::Betting => Err(Flaw::differs("the bet's entry", "one with bets_closed", "without")),
            Progress::AwaitingReveals => Ok(()),
            Progress::Open => {
                let dealing = Watched { check: self, openings: &[], claimed: None, asked: RefCell::default(), flaw: RefCell::default() };
                let waits = matches!(self.game.step(&dealing), Ok(None)) && !self.game.is_settled();
                if waits { Ok(()) } else { Err(Flaw::Stalled) }
            }
            Progress::Settled | Progress::Voided => same("whether the shoe is revealed", &true, &self.shoe_is_revealed),
        }
    }
}

impl Bettor {
    /// The hash that comes with the bet.
    pub fn commitment(&self) -> SeedCommitment {
        seed_commitment(&self.context, self.round_no, &self.player, &self.seed)
    }
}

/// The table as the engine sees it here: faces from openings, answers on the house's word until the seed is out.
struct Watched<'w> {
    check: &'w RoundCheck,
    openings: &'w [Opening],
    claimed: Option<bool>,
    asked: RefCell<Option<(Slot, Peek)>>,
    flaw: RefCell<Option<Flaw>>,
}

impl Dealing for Watched<'_> {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.check.lanes.as_ref().and_then(|lanes| lanes.next(lane))
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.check.shoe.opened(slot, self.check.pick, self.openings).map_err(|flaw| {
            self.flaw.replace(Some(flaw));
            FaceUnknown(slot)
        })
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        self.asked.replace(Some((slot, question)));
        self.claimed.ok_or(FaceUnknown(slot))
    }

    fn funds(&self, _player: &PlayerId) -> Chips {
        self.check.funds
    }

    fn deadline(&self) -> u64 {
        self.check.settle_by
    }
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|e| e.to_string())
}

/// The place of a decision as (box, hand) counted from 0, for a look into the view.
pub(crate) fn hand_of(place: Place) -> Option<(usize, usize)> {
    match place {
        Place::Hand { spot, hand } => Some((usize::from(spot).checked_sub(1)?, usize::from(hand).checked_sub(1)?)),
        Place::Dealer => None,
    }
}

/// The engine's own error, where nothing more precise is known.
impl From<StepError> for Flaw {
    fn from(error: StepError) -> Self {
        Flaw::Step(error)
    }
}
