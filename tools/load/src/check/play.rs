//! Checks the game: the engine must make each event from the same cards and the players' own choices.

use super::answers::answers;
use super::dealing::Watched;
use super::flaw::same;
use super::offered::Offered;
use super::round::{in_time, lapsed};
use super::table::text;
use super::{Flaw, OnLog, Progress, TableCheck};
use fairshoe_api::{Accepted, RoundView, ShownOpening, ViewPhase};
use fairshoe_games::{Chips, Decision, Reshuffle, RoundEvent, StepError};
use fairshoe_house::{Account, Entry, Event};
use std::collections::BTreeMap;

impl TableCheck {
    /// Checks one event of the game.
    pub(super) fn play(&mut self, entry: &Entry, play: &RoundEvent, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let out_of_place = || Flaw::Misplaced { event: text(play) };
        let round = self.live_round().filter(|round| round.progress == Progress::Open).ok_or_else(out_of_place)?;
        let expected = match play {
            RoundEvent::Acted { decision, player, action, default, .. } => {
                if !answers(entry, &Event::Play(play.clone())) {
                    return Err(out_of_place());
                }
                let open = round
                    .game
                    .open_decisions()
                    .into_iter()
                    .find(|open| open.number == *decision)
                    .ok_or_else(out_of_place)?;
                let deadline = round.deadline_of(&open);
                if *default {
                    lapsed("default play", entry.time, deadline)?;
                    round.game.default_play(*decision)?
                } else {
                    same("the round of the choice", &Some(round.round_no), &entry.command.round_no())?;
                    in_time("the choice", entry.time, deadline)?;
                    round.game.accept(player, *decision, action, self.money.of(player))?
                }
            }
            RoundEvent::Shuffled { .. } => {
                // The pile's shuffle is recorded before it; now no shuffle is in progress.
                let needed = round.game.needs_pile().filter(|_| round.pile.is_none() && self.shoe.is_some());
                RoundEvent::Shuffled { pile: needed.ok_or_else(out_of_place)?.pile }
            }
            RoundEvent::Absent { player } => {
                let named = self.absent.iter().position(|absent| absent == player).ok_or_else(out_of_place)?;
                self.absent.remove(named);
                play.clone()
            }
            _ => self.step(entry, play, openings)?,
        };
        if expected != *play {
            return Err(Flaw::Differs { what: "the next event", expected: text(&expected), found: text(play) });
        }
        self.follow(play)
    }

    fn step(&mut self, entry: &Entry, play: &RoundEvent, openings: &[ShownOpening]) -> Result<RoundEvent, Flaw> {
        let out_of_place = || Flaw::Misplaced { event: text(play) };
        let round = self.live_round().ok_or_else(out_of_place)?;
        if let RoundEvent::Dealt { lane, slot, .. } = play {
            let next = round.lanes.as_ref().and_then(|lanes| lanes.next(*lane));
            if next != Some(*slot) {
                return Err(Flaw::WrongSlot {
                    expected: next.map_or("none".into(), |slot| slot.to_string()),
                    found: *slot,
                });
            }
        }
        let mut dealing = Watched::new(round, self.dealt_from(), &self.money);
        dealing.openings = openings;
        dealing.claimed = if let RoundEvent::Peeked { blackjack, .. } = play { Some(*blackjack) } else { None };
        dealing.deadline = round.settle_by.unwrap_or_else(|| entry.time.saturating_add(self.rules.table.turn_time_ms));
        let step = round.game.step(&dealing);
        let (claimed, asked, flaw) = (dealing.claimed, dealing.asked.into_inner(), dealing.flaw.into_inner());
        if let Some(flaw) = flaw {
            return Err(flaw);
        }
        if let (Some((slot, question)), Some(answer), Some(shoe)) = (asked, claimed, &mut self.shoe) {
            shoe.peeked(slot, question, answer);
        }
        step.map_err(Flaw::Step)?.ok_or_else(out_of_place)
    }

    /// Whether the round's next draw finds no slot (C13).
    pub(super) fn is_exhausted(&self) -> bool {
        let Some(round) = self.live_round() else { return false };
        matches!(round.game.step(&Watched::new(round, self.dealt_from(), &self.money)), Err(StepError::ShoeExhausted))
    }

    fn follow(&mut self, play: &RoundEvent) -> Result<(), Flaw> {
        let escrow = self.escrow();
        let out_of_place = || Flaw::Misplaced { event: text(play) };
        let round = self.round.as_mut().ok_or_else(out_of_place)?;
        round.game.apply(play)?;
        match play {
            RoundEvent::Dealt { lane, slot, card, .. } => {
                if let Some(lanes) = &mut round.lanes {
                    lanes.draw(*lane);
                    let left = lanes.order().len().saturating_sub(lanes.drawn().len());
                    let cut =
                        matches!(self.rules.table.reshuffle, Reshuffle::CutBack(back) if left < usize::from(back));
                    self.last_hand_due = cut && !self.last_hand;
                }
                if let Some(card) = card {
                    self.shoe.as_mut().ok_or_else(out_of_place)?.turned_up(*slot, card.code());
                    round.exposed = true;
                }
            }
            RoundEvent::Turned { pile, slot, card } => {
                let from = match pile {
                    Some(pile) => round.piles.get_mut(usize::from(*pile)),
                    None => self.shoe.as_mut().or(round.piles.last_mut()),
                };
                from.ok_or_else(out_of_place)?.turned_up(*slot, card.code());
                round.exposed = true;
            }
            RoundEvent::Spun { slot, value, .. } => {
                self.shoe.as_mut().ok_or_else(out_of_place)?.turned_up(*slot, *value);
                round.exposed = true;
            }
            RoundEvent::Acted { player, cost, .. } => {
                let part = round.part_mut(player)?;
                part.staked = part.staked.plus(*cost).ok_or(Flaw::Overflow)?;
                self.money.owe_stake(player, &escrow, cost.signed())?;
            }
            RoundEvent::Paid { lines } => {
                let (mut staked, mut returned) = (0i64, 0i64);
                for line in lines {
                    let part = round.part_mut(&line.player)?;
                    part.returned = part.returned.plus(line.returned).ok_or(Flaw::Overflow)?;
                    staked = staked.checked_add(line.stake.signed()).ok_or(Flaw::Overflow)?;
                    returned = returned.checked_add(line.returned.signed()).ok_or(Flaw::Overflow)?;
                    self.money.owe(Account::Player(line.player.clone()), line.returned.signed())?;
                }
                self.money.owe(escrow, -staked)?;
                self.money.owe(Account::House, staked - returned)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks openings that came with entries: only of turned-up cards, and only of shoes that are still hidden.
    ///
    /// # Errors
    /// [`Flaw::OpenedEarly`].
    pub fn nothing_leaked(&self, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let piles = self.round.iter().flat_map(|round| &round.piles);
        self.shoe.iter().chain(piles).try_for_each(|shoe| shoe.nothing_leaked(openings))
    }

    /// Checks a reply's view of the round, if no later entry was seen: the round's state and the balance.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn check_reply(&self, view: &RoundView, balance: Option<Chips>) -> Result<(), Flaw> {
        if view.phase == ViewPhase::Betting {
            return self.check_window(view, balance);
        }
        let round = self.round.as_ref().ok_or_else(|| Flaw::differs("the reply's round", "none", &view.id))?;
        same("the round's name", &format!("{}:{}", self.table, round.round_no), &view.id)?;
        same("the round's shoe", &round.shoe_no, &view.shoe_no)?;
        let phase = match round.progress {
            Progress::AwaitingReveals => ViewPhase::AwaitingReveals,
            Progress::Open => ViewPhase::Open,
            Progress::Settled => ViewPhase::Settled,
            Progress::Voided(_) => ViewPhase::Voided,
        };
        same("the round's phase", &phase, &view.phase)?;
        same("the round's entropy", &round.entropy, &view.entropy)?;
        same("the cards on view", &round.game.view(), &view.game())?;
        let mine = |decision: &Decision| decision.player == self.me;
        let open = |decision: Decision| Offered {
            options: round.game.options(decision.number, self.money.funds()),
            player: decision.player,
            place: decision.place,
        };
        let decisions = if round.progress == Progress::Open { round.game.open_decisions() } else { Vec::new() };
        let decisions: BTreeMap<u32, Offered> =
            decisions.into_iter().filter(mine).map(|open_one| (open_one.number, open(open_one))).collect();
        let offered: BTreeMap<u32, Offered> = view
            .decisions
            .iter()
            .filter(|decision| decision.player == self.me)
            .map(|one| (one.decision, one.into()))
            .collect();
        same("the decisions offered", &decisions, &offered)?;
        same("the sum staked", &round.staked(), &Some(view.staked))?;
        same("the sum returned", &round.returned(), &Some(view.returned))?;
        balance.map_or(Ok(()), |balance| same("the balance", &self.money.funds(), &balance))
    }
    fn check_window(&self, view: &RoundView, balance: Option<Chips>) -> Result<(), Flaw> {
        let window =
            self.window.as_ref().ok_or_else(|| Flaw::differs("the round's phase", "not betting", view.phase))?;
        same("the round's name", &format!("{}:{}", self.table, window.round_no), &view.id)?;
        same("the round's shoe", &self.shoe.as_ref().map(|shoe| shoe.shoe_no), &Some(view.shoe_no))?;
        let staked: Option<Vec<Chips>> = window.bets.iter().map(fairshoe_house::PlacedBet::staked).collect();
        same("the sum staked", &staked.and_then(Chips::sum), &Some(view.staked))?;
        balance.map_or(Ok(()), |balance| same("the balance", &self.money.funds(), &balance))
    }

    /// Replays a reply's entries as far as they come next, and checks the rest of the reply. `false` if earlier entries
    /// are still missing.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn reply(&mut self, on_log: &[OnLog], accepted: &Accepted) -> Result<bool, Flaw> {
        let openings = &accepted.openings;
        let mut in_order: Vec<&OnLog> = on_log.iter().collect();
        in_order.sort_by_key(|on_log| on_log.index);
        let mut own_is_last = false;
        for one in in_order {
            if self.knows(one)? {
                continue;
            }
            if one.entry.at.as_ref().map(|at| at.seq) != Some(self.next_seq()) {
                return Ok(false);
            }
            self.apply(one, openings)?;
            own_is_last = on_log.first().is_some_and(|own| own.index == one.index);
        }
        if own_is_last {
            self.nothing_leaked(openings)?;
            match (&accepted.round, accepted.balance) {
                (Some(round), balance) => self.check_reply(round, balance)?,
                (None, Some(balance)) => same("the balance", &self.money.funds(), &balance)?,
                (None, None) => {}
            }
        }
        Ok(true)
    }
}
