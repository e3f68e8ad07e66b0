use super::hand::total;
use super::round::{BlackjackRound, Hand, Insured, PlayBox};
use crate::{Ahead, Chips, Inapplicable, Outcome, Place, RoundEvent, Settlement, StepError, Wager};
use std::cmp::Ordering;

/// Strength of a hand that is not bust: a blackjack stands above every other 21 (R000.9).
fn strength(points: u16, blackjack: bool) -> u16 {
    if blackjack { 22 } else { points }
}

impl BlackjackRound {
    /// The insurance that failed: collected at once, the hole card stays face-down (R000.27).
    pub(super) fn pay_lost_insurance(&self) -> RoundEvent {
        RoundEvent::Paid { lines: self.boxes.iter().filter_map(|owner| insurance_line(owner, false)).collect() }
    }

    /// Everything that is still staked, box by box, insurance first (R000.26).
    pub(super) fn pay_all(&self) -> Result<RoundEvent, StepError> {
        let mut lines = Vec::new();
        for owner in &self.boxes {
            lines.extend(insurance_line(owner, self.peeked == Some(true)));
            for (index, hand) in owner.hands.iter().enumerate() {
                lines.push(self.hand_line(owner, index, hand)?);
            }
        }
        Ok(RoundEvent::Paid { lines })
    }

    fn hand_line(&self, owner: &PlayBox, index: usize, hand: &Hand) -> Result<Settlement, StepError> {
        let (outcome, ret) = self.judge(owner, hand)?;
        let hand_number = u8::try_from(index + 1).map_err(|_| StepError::Overflow)?;
        let place = Place::Hand { spot: owner.spot, hand: hand_number };
        Ok(Settlement { player: owner.player.clone(), place, wager: Wager::Hand, outcome, stake: hand.stake, ret })
    }

    /// How a hand ends and what it returns (R000.8, 9, 14, 15, 19, 23).
    fn judge(&self, owner: &PlayBox, hand: &Hand) -> Result<(Outcome, Chips), StepError> {
        let points = hand.total();
        if points.is_bust() {
            return Ok((Outcome::Bust, Chips::ZERO));
        }
        let dealer = total(self.dealer_cards());
        let dealer_blackjack = self.dealer.len() == 2 && dealer.points == 21 && !owner.is_split();
        let versus = match dealer.is_bust() {
            true => Ordering::Greater,
            false => strength(points.points, owner.has_blackjack()).cmp(&strength(dealer.points, dealer_blackjack)),
        };
        let ret = |ret: Option<Chips>| ret.ok_or(StepError::Overflow);
        Ok(match versus {
            Ordering::Less => (Outcome::Loss, Chips::ZERO),
            Ordering::Equal => (Outcome::Draw, hand.stake),
            Ordering::Greater if owner.has_blackjack() => {
                (Outcome::Blackjack, ret(self.rules.blackjack_win(hand.stake).and_then(|win| win.plus(hand.stake)))?)
            }
            Ordering::Greater => (Outcome::Win, ret(hand.stake.plus(hand.stake))?),
        })
    }

    pub(super) fn apply_paid(&mut self, lines: &[Settlement]) -> Result<(), Inapplicable> {
        for line in lines {
            let Place::Hand { spot, hand } = line.place else { return Err(Inapplicable("the dealer is not paid".into())) };
            let owner = self.boxes.iter_mut().find(|b| b.spot == spot && b.player == line.player);
            let owner = owner.ok_or_else(|| Inapplicable(format!("{} has no box {spot}", line.player)))?;
            match line.wager {
                Wager::Insurance => match owner.insured {
                    Insured::Taken(premium) => owner.insured = Insured::Paid { premium, ret: line.ret },
                    _ => return Err(Inapplicable(format!("box {spot} has no open insurance"))),
                },
                Wager::Hand => {
                    let index = usize::from(hand).wrapping_sub(1);
                    let unpaid = owner.hands.get_mut(index).filter(|hand| hand.paid.is_none());
                    unpaid.ok_or_else(|| Inapplicable(format!("hand {spot}/{hand} has nothing to settle")))?.paid = Some(line.clone());
                }
            }
        }
        Ok(())
    }

    /// By public faces alone: a hidden hole card counts as a ten, since that is the likeliest value. Each hand weighs its stake.
    pub(super) fn who_is_ahead(&self) -> Ahead {
        let Some(up) = self.up_card() else { return Ahead::Nobody };
        let shown = total(self.dealer_cards());
        let hole_hidden = self.dealer.len() < 2 || self.dealer.iter().any(|(_, card)| card.is_none());
        let dealer = match (hole_hidden, up.rank()) {
            _ if shown.is_bust() => 0,
            (false, _) => strength(shown.points, self.dealer.len() == 2 && shown.points == 21),
            (true, 1) => strength(21, true),
            (true, _) => shown.points + 10,
        };
        let mut lead: i128 = 0;
        for owner in &self.boxes {
            for hand in owner.hands.iter().filter(|hand| !hand.cards.is_empty()) {
                let points = hand.total();
                let mine = strength(points.points, owner.has_blackjack());
                let stake = i128::from(hand.stake.units());
                lead += match mine.cmp(&dealer) {
                    _ if points.is_bust() => -stake,
                    Ordering::Less => -stake,
                    Ordering::Equal => 0,
                    Ordering::Greater => stake,
                };
            }
        }
        match lead.cmp(&0) {
            Ordering::Less => Ahead::House,
            Ordering::Equal => Ahead::Level,
            Ordering::Greater => Ahead::Players,
        }
    }
}

/// Success returns the premium and exactly the opening stake, failure nothing (R000.26, R000.27).
fn insurance_line(owner: &PlayBox, success: bool) -> Option<Settlement> {
    let Insured::Taken(premium) = owner.insured else { return None };
    let ret = if success { premium.plus(owner.stake)? } else { Chips::ZERO };
    let outcome = if success { Outcome::Win } else { Outcome::Loss };
    let place = Place::Hand { spot: owner.spot, hand: 1 };
    Some(Settlement { player: owner.player.clone(), place, wager: Wager::Insurance, outcome, stake: premium, ret })
}
