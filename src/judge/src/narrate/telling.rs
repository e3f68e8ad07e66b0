//! How words name places and amounts: by boxes or by seats, in the house's smallest unit or in a currency.

use fairshoe_games::{Chips, Place};
use fairshoe_house::Event;

/// How amounts are told: in the house's smallest unit, or in a currency with so many decimals of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Money {
    code: Option<String>,
    decimals: u8,
}

/// More decimals than any currency has; a larger number of them is taken for this one.
const MOST_DECIMALS: u8 = 18;

impl Money {
    /// A currency: 1250 with 2 decimals is 12.50.
    pub fn of(code: &str, decimals: u8) -> Money {
        Money { code: Some(code.to_owned()), decimals: decimals.min(MOST_DECIMALS) }
    }

    /// The currency's code; `None` where amounts are told in the house's smallest unit.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// The digits of an amount of so many units, without the currency: `12.50`.
    pub fn digits(&self, units: i128) -> String {
        let sign = if units < 0 { "-" } else { "" };
        let (one, units) = (10u128.pow(u32::from(self.decimals)), units.unsigned_abs());
        match self.decimals {
            0 => format!("{sign}{units}"),
            decimals => format!("{sign}{}.{:0width$}", units / one, units % one, width = usize::from(decimals)),
        }
    }

    /// The digits with a sign, also before what is not negative: `+12.50`.
    pub fn signed_digits(&self, units: i128) -> String {
        format!("{}{}", if units < 0 { "" } else { "+" }, self.digits(units))
    }

    /// The digits, and the currency behind them: `12.50 EUR`.
    fn named(&self, digits: String) -> String {
        match &self.code {
            Some(code) => format!("{digits} {code}"),
            None => digits,
        }
    }

    /// An amount: `12.50 EUR`.
    pub fn sum(&self, amount: Chips) -> String {
        self.named(self.digits(amount.units().into()))
    }
}

/// How places and amounts are named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Telling {
    /// Whether hands are told by seats, not by boxes.
    pub at_seats: bool,
    /// How amounts are told.
    pub money: Money,
    /// The place of the decision that the next choice answers, if that is known.
    pub asked: Option<Place>,
}

impl Telling {
    /// As these events of an entry show by themselves: who reads one entry alone does not know the table's rules.
    pub fn of(events: &[Event]) -> Telling {
        Telling { at_seats: events.iter().any(is_of_a_hand), ..Telling::default() }
    }

    pub fn place(&self, place: Place) -> String {
        if self.at_seats { place.seat_words() } else { place.words() }
    }

    pub fn sum(&self, amount: Chips) -> String {
        self.money.sum(amount)
    }

    /// An amount that may be negative.
    pub fn units(&self, units: i64) -> String {
        self.money.named(self.money.digits(units.into()))
    }

    /// An amount that comes or goes.
    pub fn signed(&self, units: i64) -> String {
        self.money.named(self.money.signed_digits(units.into()))
    }
}

/// Whether only a hand at table stakes has this.
fn is_of_a_hand(event: &Event) -> bool {
    match event {
        Event::HandBegun { .. } => true,
        Event::Play(play) => play.is_at_table_stakes(),
        _ => false,
    }
}
