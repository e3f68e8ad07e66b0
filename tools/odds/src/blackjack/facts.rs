//! Small exact numbers of a rule set, from a full shoe: how likely a blackjack is, what insurance and even money are
//! worth.

use crate::{Fraction, UnusableInput};
use fairshoe_games::Chips;
use fairshoe_games::blackjack::{BlackjackRules, EvenMoney};
use serde::Serialize;

/// What insurance is worth to one who has seen the ace alone.
#[derive(Clone, Debug, Serialize)]
pub struct InsuranceValue {
    /// The premium, units.
    pub premium: u64,
    /// What a success returns, units.
    pub returns: u64,
    /// The chance of a ten below.
    pub chance: Fraction,
    /// What the player wins on average, for each unit of premium, by the side bet alone.
    pub player: Fraction,
}

/// What even money is worth against waiting, the blackjack and the up-card being seen.
#[derive(Clone, Debug, Serialize)]
pub struct EvenMoneyValue {
    /// The chance that the hole card makes a blackjack.
    pub chance: Fraction,
    /// What waiting wins on average, for each unit staked; even money wins 1.
    pub waiting: Fraction,
}

/// The exact numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// The chance of a blackjack on two cards.
    pub natural: Fraction,
    /// Where there is an insurance.
    pub insurance: Option<InsuranceValue>,
    /// Where there is even money.
    pub even_money: Option<EvenMoneyValue>,
}

impl Facts {
    /// Of a rule set at a stake.
    pub fn new(rules: &BlackjackRules, stake: Chips) -> Result<Facts, UnusableInput> {
        Facts::checked(rules, stake)
            .ok_or_else(|| UnusableInput(format!("a stake of {stake} leaves the range of amounts")))
    }

    fn checked(rules: &BlackjackRules, stake: Chips) -> Option<Facts> {
        let decks = i128::from(rules.decks);
        let (aces, tens, cards) = (4 * decks, 16 * decks, 52 * decks);
        let natural = Fraction::new(2 * aces * tens, cards * (cards - 1))?;
        let mut insurance = None;
        if let Some(premium) = rules.premium(stake).filter(|premium| *premium > Chips::ZERO) {
            let returns = rules.insured_return(premium, stake)?;
            let chance = Fraction::new(tens, cards - 1)?;
            let back = Fraction::new(returns.signed().into(), premium.signed().into())?;
            let player = back.times(chance)?.plus(Fraction::whole(-1))?;
            insurance = Some(InsuranceValue { premium: premium.units(), returns: returns.units(), chance, player });
        }
        let partner = match rules.even_money_upcards {
            EvenMoney::None => None,
            EvenMoney::Ten => Some(aces - 1),
            EvenMoney::Ace => Some(tens - 1),
        };
        let mut even_money = None;
        if let Some(partner) = partner {
            let chance = Fraction::new(partner, cards - 3)?;
            let win = Fraction::new(rules.blackjack_win(stake)?.signed().into(), stake.signed().into())?;
            let waiting = Fraction::whole(1).plus(chance.negated()?)?.times(win)?;
            even_money = Some(EvenMoneyValue { chance, waiting });
        }
        Some(Facts { natural, insurance, even_money })
    }
}
