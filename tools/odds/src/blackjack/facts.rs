//! Small exact numbers of a rule set, from a full shoe: the chance of a blackjack, the value of insurance and of even
//! money.

use crate::{Fraction, UnusableInput};
use fairshoe_games::Chips;
use fairshoe_games::blackjack::{BlackjackRules, EvenMoney};
use serde::Serialize;

/// The value of insurance for a player who has seen only the ace.
#[derive(Clone, Debug, Serialize)]
pub struct InsuranceValue {
    /// The premium in units.
    pub premium: u64,
    /// The return of a success in units.
    pub returns: u64,
    /// The chance of a ten as the hole card.
    pub chance: Fraction,
    /// The average win of the player for each unit of premium, from the side bet alone.
    pub player: Fraction,
}

/// The value of even money against waiting, with the blackjack and the up-card known.
#[derive(Clone, Debug, Serialize)]
pub struct EvenMoneyValue {
    /// The chance that the hole card makes a blackjack.
    pub chance: Fraction,
    /// The average win of waiting for each unit staked; even money wins 1.
    pub waiting: Fraction,
}

/// The exact numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// The chance of a blackjack on two cards.
    pub natural: Fraction,
    /// Insurance, if the rule set has one.
    pub insurance: Option<InsuranceValue>,
    /// Even money, if the rule set has it.
    pub even_money: Option<EvenMoneyValue>,
}

impl Facts {
    /// The numbers of a rule set at a stake.
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
