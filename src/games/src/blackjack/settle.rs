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
    pub(super) fn pay_lost_insurance(&self) -> Result<RoundEvent, StepError> {
        let lines = self.boxes.iter().filter_map(|owner| insurance_line(owner, false).transpose());
        Ok(RoundEvent::Paid { lines: lines.collect::<Result<_, _>>()? })
    }

    /// Everything that is still staked, box by box, insurance first (R000.26).
    pub(super) fn pay_all(&self) -> Result<RoundEvent, StepError> {
        let mut lines = Vec::new();
        for owner in &self.boxes {
            lines.extend(insurance_line(owner, self.peeked == Some(true))?);
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
        let versus = strength(points.points, owner.has_blackjack()).cmp(&self.dealer_strength(owner));
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

    pub(super) fn fold_paid(&mut self, lines: &[Settlement]) -> Result<(), Inapplicable> {
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

    /// Who is ahead by what everyone can see (C22): each hand against the dealer's by [`Self::dealer_strength`], weighed by its stake.
    pub(super) fn who_is_ahead(&self) -> Ahead {
        if self.up_card().is_none() {
            return Ahead::Nobody;
        }
        let mut lead: i128 = 0;
        for owner in &self.boxes {
            let dealer = self.dealer_strength(owner);
            for hand in owner.hands.iter().filter(|hand| !hand.cards.is_empty()) {
                let points = hand.total();
                let stake = i128::from(hand.stake.units());
                lead += match strength(points.points, owner.has_blackjack()).cmp(&dealer) {
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

    /// How strong the dealer's hand is against this box; 0 when bust.
    ///
    /// A hole card that lies hidden or is still to come counts as the highest that it can be by what is public: a ten,
    /// or a nine under an ace once a peek has denied the blackjack.
    fn dealer_strength(&self, owner: &PlayBox) -> u16 {
        let shown = total(self.dealer_cards());
        let hole_hidden = self.dealer.len() < 2 || self.hidden_hole().is_some();
        let points = match (hole_hidden, self.peeked) {
            (false, _) => shown.points,
            (true, Some(false)) => shown.points + 9,
            (true, _) => shown.points + 10,
        };
        if points > 21 {
            return 0;
        }
        strength(points, points == 21 && self.dealer.len() <= 2 && !owner.is_split())
    }
}

/// Success returns the premium and exactly the opening stake, failure nothing (R000.26, R000.27).
fn insurance_line(owner: &PlayBox, success: bool) -> Result<Option<Settlement>, StepError> {
    let Insured::Taken(premium) = owner.insured else { return Ok(None) };
    let (outcome, ret) = match success {
        true => (Outcome::Win, premium.plus(owner.stake).ok_or(StepError::Overflow)?),
        false => (Outcome::Loss, Chips::ZERO),
    };
    let place = Place::Hand { spot: owner.spot, hand: 1 };
    Ok(Some(Settlement { player: owner.player.clone(), place, wager: Wager::Insurance, outcome, stake: premium, ret }))
}
