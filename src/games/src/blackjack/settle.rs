//! Which wagers are paid when, and who is ahead.

use super::state::{BlackjackRound, Hand, Insured, PlayBox, Played};
use super::{PeekRule, SettlementOrder, Surrender};
use crate::points::total;
use crate::{Ahead, Chips, Inapplicable, Outcome, Place, RoundEvent, Settlement, StepError, Wager};
use std::cmp::Ordering;

/// A blackjack stands above every other 21 (R000.9, R001.134).
const BLACKJACK: u16 = 22;

/// The strength of a hand that is not bust.
fn strength(points: u16, blackjack: bool) -> u16 {
    if blackjack { BLACKJACK } else { points }
}

impl BlackjackRound {
    /// The outcome that a player's choices or cards have decided before the round's end, if the rules do not wait for
    /// the end: a bust (R003.12, R004.8), a surrender (R003.11, R004.11), even money (R003.6).
    pub(super) fn pay_decided(&self) -> Result<Option<RoundEvent>, StepError> {
        let rules = &self.rules;
        // If the dealer does not look at every blackjack, a late surrender is decided when the hole card is turned
        // (A003.d).
        let surrender_is_final = rules.surrender == Surrender::Early || rules.peek == PeekRule::TenAce;
        let decided = |hand: &Hand| match hand.played {
            Played::EvenMoney => true,
            Played::GivenUp => surrender_is_final,
            _ => hand.total().is_bust(),
        };
        if rules.settle_at_once { self.pay(None, |_, hand| decided(hand)) } else { Ok(None) }
    }

    /// Failed insurance: collected right after the look; the hole card stays face-down (R000.27, R001.54).
    pub(super) fn pay_lost_insurance(&self) -> Result<Option<RoundEvent>, StepError> {
        self.pay(Some(false), |_, _| false)
    }

    /// Blackjacks that no hand can equal any more, if they are not paid at the round's end (R004.6).
    pub(super) fn pay_blackjacks(&self) -> Result<Option<RoundEvent>, StepError> {
        let now = self.rules.pay_blackjack_at_once && self.dealer_blackjack_is_excluded();
        self.pay(None, |owner, _| now && owner.has_blackjack())
    }

    /// Pays all wagers that are still staked (R000.26, R001.116, R003.7, R004.13).
    pub(super) fn pay_all(&self) -> Result<Option<RoundEvent>, StepError> {
        self.pay(Some(self.dealer_shows_blackjack()), |_, _| true)
    }

    /// Settles open hands that are `due`, and open premiums whose success is known. A box's premium stands before its
    /// hands (R000.26).
    fn pay(
        &self,
        insured: Option<bool>,
        due: impl Fn(&PlayBox, &Hand) -> bool,
    ) -> Result<Option<RoundEvent>, StepError> {
        let mut lines = Vec::new();
        let mut boxes: Vec<&PlayBox> = self.boxes.iter().collect();
        let backwards = self.rules.settlement_order == SettlementOrder::RightToLeft;
        if backwards {
            boxes.reverse();
        }
        for owner in boxes {
            if let (Some(success), Insured::Taken(premium)) = (insured, &owner.insured) {
                lines.push(self.insurance_line(owner, *premium, success)?);
            }
            let mut hands: Vec<(usize, &Hand)> = owner.hands.iter().enumerate().collect();
            if backwards {
                hands.reverse();
            }
            for (index, hand) in hands {
                if hand.paid.is_none() && due(owner, hand) {
                    lines.push(self.hand_line(owner, index, hand)?);
                }
            }
        }
        Ok((!lines.is_empty()).then_some(RoundEvent::Paid { lines }))
    }

    fn insurance_line(&self, owner: &PlayBox, premium: Chips, success: bool) -> Result<Settlement, StepError> {
        let (outcome, returned) = match success {
            true => (Outcome::Win, self.rules.insured_return(premium, owner.stake).ok_or(StepError::Overflow)?),
            false => (Outcome::Loss, Chips::ZERO),
        };
        let place = Place::Hand { spot: owner.spot, hand: 1 };
        Ok(Settlement {
            player: owner.player.clone(),
            place,
            wager: Wager::Insurance,
            outcome,
            stake: premium,
            returned,
        })
    }

    fn hand_line(&self, owner: &PlayBox, index: usize, hand: &Hand) -> Result<Settlement, StepError> {
        let (outcome, returned) = self.judge(owner, hand);
        let hand_number = u8::try_from(index + 1).map_err(|_| StepError::Overflow)?;
        let place = Place::Hand { spot: owner.spot, hand: hand_number };
        let returned = returned.ok_or(StepError::Overflow)?;
        Ok(Settlement { player: owner.player.clone(), place, wager: Wager::Hand, outcome, stake: hand.stake, returned })
    }

    /// How a hand ends and the amount it returns (R000.8, 9, 14, 15, 19, 23; R001.53; A003.p; R004.13).
    fn judge(&self, owner: &PlayBox, hand: &Hand) -> (Outcome, Option<Chips>) {
        let dealer = self.dealer_strength(owner);
        let twice = hand.stake.plus(hand.stake);
        let points = hand.total();
        let blackjack = owner.has_blackjack();
        match hand.played {
            Played::EvenMoney => return (Outcome::EvenMoney, twice),
            Played::GivenUp if self.rules.surrender == Surrender::Late && dealer == BLACKJACK => {
                return (Outcome::Loss, Some(Chips::ZERO));
            }
            Played::GivenUp => return (Outcome::Surrender, self.rules.surrender_return(hand.stake)),
            _ if points.is_bust() => return (Outcome::Bust, Some(Chips::ZERO)),
            _ => {}
        }
        match strength(points.points, blackjack).cmp(&dealer) {
            Ordering::Less => (Outcome::Loss, Some(Chips::ZERO)),
            Ordering::Equal => (Outcome::Draw, Some(hand.stake)),
            Ordering::Greater if blackjack => {
                (Outcome::Blackjack, self.rules.blackjack_win(hand.stake).and_then(|win| win.plus(hand.stake)))
            }
            Ordering::Greater => (Outcome::Win, twice),
        }
    }

    pub(super) fn fold_paid(&mut self, lines: &[Settlement]) -> Result<(), Inapplicable> {
        for line in lines {
            let Place::Hand { spot, hand } = line.place else {
                return Err(Inapplicable("the dealer is not paid".into()));
            };
            let owner = self.boxes.iter_mut().find(|b| b.spot == spot && b.player == line.player);
            let owner = owner.ok_or_else(|| Inapplicable(format!("{} has no box {spot}", line.player)))?;
            match line.wager {
                Wager::Bet | Wager::Entry => return Err(Inapplicable("blackjack has no such wager".into())),
                Wager::Insurance => match owner.insured {
                    Insured::Taken(premium) => owner.insured = Insured::Paid { premium, returned: line.returned },
                    _ => return Err(Inapplicable(format!("box {spot} has no open insurance"))),
                },
                Wager::Hand => {
                    let index = usize::from(hand).wrapping_sub(1);
                    let unpaid = owner.hands.get_mut(index).filter(|hand| hand.paid.is_none());
                    unpaid.ok_or_else(|| Inapplicable(format!("hand {spot}/{hand} has nothing to settle")))?.paid =
                        Some(line.clone());
                }
            }
        }
        Ok(())
    }

    /// Who is ahead by public cards (C22): each hand against the dealer's by [`Self::dealer_strength`], weighed by its
    /// stake. A surrendered hand weighs its loss.
    pub(super) fn who_is_ahead(&self) -> Ahead {
        if self.up_card().is_none() {
            return Ahead::Nobody;
        }
        let mut lead: i128 = 0;
        for (_, _, owner, hand) in self.hands().filter(|(.., hand)| !hand.cards.is_empty()) {
            let points = hand.total();
            let stake = i128::from(hand.stake.units());
            let given_up =
                || self.rules.surrender_return(hand.stake).map_or(0, |returned| i128::from(returned.units())) - stake;
            lead += match strength(points.points, owner.has_blackjack()).cmp(&self.dealer_strength(owner)) {
                _ if hand.played == Played::EvenMoney => stake,
                _ if hand.played == Played::GivenUp => given_up(),
                _ if points.is_bust() => -stake,
                Ordering::Less => -stake,
                Ordering::Equal => 0,
                Ordering::Greater => stake,
            };
        }
        match lead.cmp(&0) {
            Ordering::Less => Ahead::House,
            Ordering::Equal => Ahead::Level,
            Ordering::Greater => Ahead::Players,
        }
    }

    /// The strength of the dealer's hand against this box; 0 when bust.
    ///
    /// A hidden or missing hole card counts ten; once a peek has denied the blackjack, it counts nine under an ace.
    fn dealer_strength(&self, owner: &PlayBox) -> u16 {
        let shown = total(self.dealer_cards());
        let hole_hidden = self.dealer.len() < 2 || self.hidden_hole().is_some();
        let under_ace = self.up_card().is_some_and(|up| up.rank() == 1);
        let points = match hole_hidden {
            false => shown.points,
            true if under_ace && self.peeked == Some(false) => shown.points + 9,
            true => shown.points + 10,
        };
        if points > 21 {
            return 0;
        }
        let plain = owner.is_split() && self.rules.split_cancels_dealer_blackjack;
        strength(points, points == 21 && self.dealer.len() <= 2 && !plain)
    }
}
