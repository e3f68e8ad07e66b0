//! A betting table's events, folded in.

use crate::betting::{BettingTable, Window};
use crate::round::OpenRound;
use crate::{Event, LapseCause, Misfit, PlacedBet, RetireCause, Table};
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Chips, Placed};
use std::collections::BTreeSet;

impl Table {
    /// Folds a betting table's own events in.
    pub(crate) fn apply_betting(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::PlayAsked { player } => {
                // A player who sits down while bets are open, on a shoe that they may bet on, is waited for too.
                let is_waited_for = self.may_bet_on_shoe(player);
                let betting = self.betting_mut()?;
                betting.asked.insert(player.clone());
                if let Some(window) = betting.window.as_mut().filter(|_| is_waited_for) {
                    window.expected.insert(player.clone());
                }
            }
            Event::BetsOpened { round_no, shoe_no, closes_at } => {
                self.apply_bets_opened(*round_no, *shoe_no, *closes_at)?
            }
            Event::BetPlaced { bet } => {
                self.rules.check_bets(&bet.bets, Chips::MAX)?;
                self.open_window()?.put(bet.clone());
            }
            Event::BetCancelled { player } => {
                let taken = self.open_window()?.take(player);
                taken.map(drop).ok_or_else(|| Misfit::NoBetInWindow(player.clone()))?;
            }
            Event::BetsLapsed { round_no, cause, announced } => {
                let window = self.betting_mut()?.window.take().filter(|window| window.round_no == *round_no);
                let window = window.ok_or(Misfit::NoBets(*round_no))?;
                match cause {
                    LapseCause::NoBets | LapseCause::TooFewPlayers if !announced => {
                        self.count_misses(&window.bets, false)
                    }
                    LapseCause::Closed => {}
                    // Not the players' doing: whoever was waited for, or had bet, is asked again.
                    _ => {
                        let again = window.bets.into_iter().map(|bet| bet.player).chain(window.expected);
                        let again: Vec<PlayerId> = again.filter(|player| self.sits(player)).collect();
                        self.betting_mut()?.asked.extend(again);
                    }
                }
            }
            Event::BetsClosed { round_no, shoe_no, contributors, reveal_by, announced, .. } => {
                self.apply_bets_closed(*round_no, *shoe_no, contributors, *reveal_by, *announced)?;
            }
            Event::LastHand { .. } => self.betting_mut()?.last_hand = true,
            Event::ShuffleAsked {} => self.betting_mut()?.shuffle_asked = true,
            _ => return Err("this event is not a betting table's".into()),
        }
        Ok(())
    }

    fn apply_bets_opened(&mut self, round_no: u64, shoe_no: u64, closes_at: Option<u64>) -> Result<(), Misfit> {
        let in_use = self.shoe.as_ref().is_some_and(|shoe| shoe.id.shoe_no == shoe_no);
        if round_no != self.next_round
            || !self.is_between_rounds()
            || !in_use
            || closes_at.is_some() != self.is_shared()
        {
            return Err(Misfit::RoundNotNext(round_no, shoe_no));
        }
        // The last round's bettors are waited for on a new shoe too: whose bets would else be shut out by the first
        // newcomer's, where bets close early.
        let mut expected: BTreeSet<PlayerId> = self.regulars().cloned().collect();
        let betting = self.betting_mut()?;
        expected.append(&mut betting.asked);
        betting.goes_on = false;
        betting.window = Some(Window { round_no, shoe_no, closes_at, bets: Vec::new(), expected });
        Ok(())
    }

    fn apply_bets_closed(
        &mut self,
        round_no: u64,
        shoe_no: u64,
        contributors: &[PlacedBet],
        reveal_by: u64,
        announced: bool,
    ) -> Result<(), Misfit> {
        let window = self.betting_mut()?.window.take();
        let window = window.filter(|window| window.round_no == round_no && window.shoe_no == shoe_no);
        let window = window.ok_or(Misfit::NoBetsOnShoe(round_no, shoe_no))?;
        if window.bets != contributors {
            return Err(Misfit::OtherBets(round_no));
        }
        self.next_round = round_no.checked_add(1).ok_or("too many rounds")?;
        let placed: Vec<Placed> = contributors.iter().map(PlacedBet::placed).collect();
        let game = self.rules.open_round(&placed)?;
        self.round = Some(OpenRound::new(round_no, shoe_no, contributors.to_vec(), reveal_by, game));
        self.count_misses(&window.bets, announced);
        let is_shared = self.is_shared();
        let betting = self.betting_mut()?;
        // The shoe has been played: a player who was cut short cannot bet on it any more, and is held to nothing.
        betting.newcomers.clear();
        betting.asked.retain(|player| window.bet_of(player).is_none());
        let bettors: BTreeSet<PlayerId> = window.bets.iter().map(|bet| bet.player.clone()).collect();
        if is_shared {
            betting.last_bettors.clone_from(&bettors);
        }
        betting.bettors = Some(bettors);
        self.charge_opening_stakes()
    }

    /// Seats whose players did not bet in this window come nearer to being lost, and a newcomer has bet or let it pass;
    /// where the operator cut it short, nobody did.
    fn count_misses(&mut self, bets: &[PlacedBet], announced: bool) {
        let has_bet = |player: &PlayerId| bets.iter().any(|bet| bet.player == *player);
        if let Some(betting) = self.kind.betting_mut() {
            betting.newcomers.retain(|player| announced && !has_bet(player));
        }
        for seat in self.seats.values_mut() {
            seat.misses = if has_bet(&seat.player) { 0 } else { seat.misses.saturating_add(u8::from(!announced)) };
        }
    }

    /// A shoe comes out: for whom it was changed.
    pub(crate) fn note_retired(&mut self, cause: Option<RetireCause>) {
        let asking = |betting: &BettingTable| {
            betting.asked.iter().filter(|player| !self.may_bet_on_shoe(player)).cloned().collect()
        };
        let newcomers: BTreeSet<PlayerId> = match (cause, self.betting()) {
            (Some(RetireCause::Newcomer | RetireCause::HouseShuffle), Some(betting)) => asking(betting),
            // The shoe that was changed for them is gone, and not by their doing.
            (Some(RetireCause::Restart), Some(_)) => BTreeSet::new(),
            _ => return,
        };
        if let Some(betting) = self.kind.betting_mut() {
            betting.newcomers = newcomers;
        }
    }

    /// A fresh shoe is put in use between games.
    pub(crate) fn begin_shoe(&mut self) {
        if let Some(betting) = self.kind.betting_mut() {
            (betting.bettors, betting.last_hand, betting.shuffle_asked) = (None, false, false);
        }
    }

    fn open_window(&mut self) -> Result<&mut Window, Misfit> {
        self.betting_mut()?.window.as_mut().ok_or(Misfit::Rule("no bets are open"))
    }

    fn betting_mut(&mut self) -> Result<&mut BettingTable, Misfit> {
        self.kind.betting_mut().ok_or(Misfit::Rule("this event is a betting table's"))
    }
}
