//! The options of a blackjack rule set: whether they fit together, how many cards a shoe must have left, what each
//! wager pays (spec/games/blackjack.md, "The rule set", "Reserve").

use super::BlackjackRound;
use super::values::{
    DealOrder, DoubleAmount, EvenMoney, Insurance, InsuranceOdds, PeekRule, Rounding, SecondCards, SettlementOrder,
    SplitAces, Surrender, UpCard,
};
use crate::game::{Game, Lying, face_up};
use crate::points::total_words;
use crate::script::Form;
use crate::{
    Bet, BetRefusal, Chips, DealingRule, Edge, Limit, Mode, Place, Placed, Placement, Reshuffle, Round, TableRules,
};
use fairshoe_fairness::{Card, Composition};
use serde::{Deserialize, Serialize};

/// The most boxes of a table (R001.50, A004.k).
pub const MAX_BOXES: u8 = 7;

/// The largest number that `max_hands` may name: eight packs hold 128 ten-cards, so no box can be split further.
pub const MAX_HANDS: u32 = 128;

/// The options of a blackjack rule set (spec/games/blackjack.md, "The rule set").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackjackRules {
    /// The number of packs of 52 in a shoe, 1 to 8.
    pub decks: u8,
    /// The number of boxes on the layout, 1 to 7; at a shared table as many as seats.
    pub boxes: u8,
    /// The dealing order.
    pub deal_order: DealOrder,
    /// How the dealer's first card gets to lie face-up.
    pub up_card: UpCard,
    /// The up-cards under which the dealer looks for a blackjack before the play of hands.
    pub peek: PeekRule,
    /// The win of a blackjack for each unit staked, as [numerator, denominator].
    pub blackjack_pays: [u32; 2],
    /// How this win is rounded (R000.14, A001.ii, A003.k, A004.g).
    pub blackjack_rounding: Rounding,
    /// Whether a blackjack may be hit, which makes it an ordinary hand (A000.d, A003.o).
    pub hit_blackjack: bool,
    /// Whether a hand of 21 stands by itself (A000.d, R001.58, A003.o, A004.m).
    pub auto_stand_21: bool,
    /// A hand of so many cards stands, the dealer's too (R000.11, R000.12); 0: no limit.
    pub card_limit: u8,
    /// The cost of a double (R000.17, R001.56, A003.g, R004.9).
    pub double_amount: DoubleAmount,
    /// Whether a split hand may be doubled (A000.f, A001.dd, A003.h, A004.f).
    pub double_after_split: bool,
    /// Whether a hand may be doubled at every question, not on its first two cards alone (A003.g, A004.f).
    pub double_any_cards: bool,
    /// Whether two cards of one value are a pair, or only two of one rank (R000.20, A004.a).
    pub split_by_value: bool,
    /// The most hands that a box may be split into (A000.g, R001.57, A003.h, A004.b).
    pub max_hands: Limit,
    /// When the second card of a split hand comes (A000.h, R001.136, A003.q, A004.c).
    pub second_cards: SecondCards,
    /// How split aces are played (A000.h, A001.ff, A003.h, A004.d).
    pub split_aces: SplitAces,
    /// Whether the dealer's blackjack is a plain 21 against a box that was split (R000.23).
    pub split_cancels_dealer_blackjack: bool,
    /// Whether a hand may be given up for half its stake (R003.11, R004.11).
    pub surrender: Surrender,
    /// Whether surrender is possible at every question, for split hands too (A004.e).
    pub surrender_any_time: bool,
    /// Whether insurance is offered, for which part of the stake, and its effect.
    pub insurance: Insurance,
    /// The odds of insurance (A003.a).
    pub insurance_odds: InsuranceOdds,
    /// Whether a box with blackjack is asked too (R000.30, A001.ee, R003.7).
    pub insure_blackjack: bool,
    /// Under which up-cards a blackjack may take 1:1 at once (R003.6, A003.b).
    pub even_money_upcards: EvenMoney,
    /// Whether the dealer draws if only blackjacks are left against the dealer (A000.m, A001.gg, A003.n).
    pub draw_against_blackjack: bool,
    /// Whether the dealer draws to 17 even if no hand is left (A004.h).
    pub dealer_always_draws: bool,
    /// Whether a bust, a hand given up and even money are settled at once, or at the round's end.
    pub settle_at_once: bool,
    /// Whether a blackjack is paid as soon as the dealer's is excluded (R004.6), or at the round's end.
    pub pay_blackjack_at_once: bool,
    /// The order of the lines in a settlement (R004.21).
    pub settlement_order: SettlementOrder,
}

impl BlackjackRules {
    /// Whether the options fit together; the reason if not.
    fn validate_options(&self) -> Result<(), &'static str> {
        let [numerator, denominator] = self.blackjack_pays;
        let refused_when: [(bool, &'static str); 16] = [
            (!(1..=8).contains(&self.decks), "decks must be from 1 to 8"),
            (!(1..=MAX_BOXES).contains(&self.boxes), "boxes must be from 1 to 7"),
            (
                denominator == 0
                    || denominator > 100
                    || u64::from(numerator) * 2 < u64::from(denominator) * 3
                    || u64::from(numerator) > 10 * u64::from(denominator),
                "blackjack_pays must be [numerator, denominator], from 3:2 (R001.53) to 10:1, the denominator at most 100",
            ),
            (
                self.card_limit != 0 && !(3..=21).contains(&self.card_limit),
                "card_limit must be 0 (none) or from 3 to 21",
            ),
            (
                matches!(self.max_hands, Limit::AtMost(most) if !(2..=MAX_HANDS).contains(&most)),
                "max_hands must be from 2 to 128, or unlimited",
            ),
            (
                self.double_any_cards && self.card_limit == 3,
                "double_any_cards has nothing to double where card_limit ends a hand at three cards",
            ),
            (
                self.insurance == Insurance::Half && self.insurance_odds == InsuranceOdds::None,
                "insurance_odds must be 2:1 or 3:1 where insurance is half",
            ),
            (
                self.insurance != Insurance::Half && self.insurance_odds != InsuranceOdds::None,
                "insurance_odds belong to insurance half; where it is none or stake_back they must be none",
            ),
            (
                self.insurance != Insurance::None && self.insure_blackjack && self.even_money_upcards == EvenMoney::Ace,
                "a blackjack under an ace is asked about insurance or about even money, not both",
            ),
            (self.surrender == Surrender::None && self.surrender_any_time, "surrender_any_time needs a surrender"),
            (
                self.surrender == Surrender::Early && self.peek != PeekRule::None,
                "an early surrender is one before the dealer looks: it needs peek none",
            ),
            (
                self.surrender == Surrender::Early && self.insurance == Insurance::StakeBack,
                "an early surrender is one before the dealer looks, and insurance stake_back buys a look",
            ),
            (
                self.pay_blackjack_at_once && self.peek != PeekRule::TenAce,
                "pay_blackjack_at_once needs peek ten_ace: without it the dealer may still have one",
            ),
            (self.pay_blackjack_at_once && self.hit_blackjack, "a blackjack that is paid at once cannot be hit"),
            (
                self.pay_blackjack_at_once && self.draw_against_blackjack,
                "the dealer cannot draw against a blackjack that is paid at once",
            ),
            (
                self.peek == PeekRule::TenAce && self.split_cancels_dealer_blackjack,
                "split_cancels_dealer_blackjack is void where peek ten_ace ends the round before a split",
            ),
        ];
        refused_when.iter().find(|(refused, _)| *refused).map_or(Ok(()), |(_, why)| Err(*why))
    }

    /// Whether the options fit the table's options.
    fn validate_table(&self, table: &TableRules) -> Result<(), String> {
        if table.bets_per_player > u16::from(self.boxes) {
            return Err(format!("bets_per_player is at most the number of boxes, {}", self.boxes));
        }
        if table.mode == Mode::Shared && table.seats != self.boxes {
            return Err(format!("a shared table has as many boxes as seats, {} and not {}", table.seats, self.boxes));
        }
        if table.mode == Mode::Shared && table.dealing == DealingRule::Sequential {
            return Err("sequential dealing at a shared table would let a player steer the dealer's cards: it must be lanes (C9)".into());
        }
        let least_left = match table.reshuffle {
            Reshuffle::EveryRound => self.composition().len(),
            Reshuffle::LeftAtMost(count) => count.saturating_add(1),
            Reshuffle::CutBack(count) | Reshuffle::LeftBelow(count) => count,
        };
        let reserve = self.reserve(least_left);
        if least_left < reserve {
            return Err(format!(
                "the reshuffle rule leaves a round {least_left} cards, and a round can take {reserve}"
            ));
        }
        Ok(())
    }

    /// The most cards that a round can take from a shoe with so many left (spec/games/blackjack.md, "Reserve"): every
    /// box splits once, every hand and the dealer's draws as often as the rules allow, from cards in the mix of a whole
    /// pack, the lowest first.
    fn reserve(&self, left: u16) -> u16 {
        let hands = 2 * u16::from(self.boxes);
        // The most points of a player's hand, and of the dealer's, before its last card.
        let mut budget = hands * if self.auto_stand_21 { 20 } else { 21 } + 16;
        let of_each_rank = left.div_ceil(13);
        let mut taken = 0u16;
        for value in 1..=9 {
            let drawn = of_each_rank.min(budget / value);
            taken += drawn;
            budget -= drawn * value;
        }
        let most = taken + budget / 10 + hands + 1;
        if self.card_limit == 0 { most } else { most.min(u16::from(self.card_limit) * (hands + 1)) }
    }

    /// The win of a blackjack on this stake; `None` beyond the range of amounts.
    pub fn blackjack_win(&self, stake: Chips) -> Option<Chips> {
        let [numerator, denominator] = self.blackjack_pays.map(u64::from);
        match self.blackjack_rounding {
            Rounding::Up => stake.fraction_up(numerator, denominator),
            Rounding::Down => stake.fraction_down(numerator, denominator),
        }
    }

    /// The insurance premium on this stake: half of it (R000.24; A001.ee, A003.j); `None` if there is no insurance.
    pub fn premium(&self, stake: Chips) -> Option<Chips> {
        match self.insurance {
            Insurance::None => None,
            Insurance::StakeBack => stake.fraction_up(1, 2),
            Insurance::Half => stake.fraction_down(1, 2),
        }
    }

    /// The full return of a successful insurance; `None` beyond the range of amounts.
    pub fn insured_return(&self, premium: Chips, stake: Chips) -> Option<Chips> {
        match self.insurance_odds {
            InsuranceOdds::None => premium.plus(stake),
            InsuranceOdds::TwoToOne => premium.fraction_down(3, 1),
            InsuranceOdds::ThreeToOne => premium.fraction_down(4, 1),
        }
    }

    /// The return of a surrendered hand: half its stake; the house keeps the fraction (A003.j, A004.g).
    pub fn surrender_return(&self, stake: Chips) -> Option<Chips> {
        stake.fraction_down(1, 2)
    }

    /// Whether these two cards may be split.
    pub(crate) fn is_pair(&self, first: Card, second: Card) -> bool {
        first.rank() == second.rank() || self.split_by_value && super::card_value(first) == super::card_value(second)
    }
}

impl Game for BlackjackRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        self.validate_options()?;
        self.validate_table(table)
    }

    fn composition(&self) -> Composition {
        Composition::Decks(self.decks)
    }

    /// Box numbers from 1, each once (R000.28, R003.2).
    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        for (index, bet) in bets.iter().enumerate() {
            if box_number(&bet.spot).is_none_or(|number| number > self.boxes) {
                let valid = match self.boxes {
                    1 => "the stake goes on the centre spot, `1`".to_owned(),
                    most if table.mode == Mode::Shared => {
                        format!("the boxes are `1` to `{most}`, one to each seat: yours has your seat's number")
                    }
                    most => format!("the boxes are `1` to `{most}`"),
                };
                return Err(BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid });
            }
            if bets.iter().take(index).any(|other| other.spot == bet.spot) {
                return Err(BetRefusal::SpotTwice { spot: bet.spot.clone() });
            }
            Placement::check(table, bet, balance)?;
        }
        Ok(())
    }

    fn open_round(&self, table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        Ok(Box::new(BlackjackRound::new(self.clone(), table.dealing, placed)?))
    }

    fn spots_are_seats(&self) -> bool {
        true
    }

    fn high_cards_favour_players(&self) -> bool {
        true
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        (1..=self.boxes).map(|number| number.to_string()).collect()
    }

    fn sign(&self) -> Vec<String> {
        self.sign_lines()
    }

    /// A doubled hand wins two units.
    fn most_won(&self, _bet: &Bet, _players: usize) -> i64 {
        2
    }

    fn edge(&self) -> Edge<'_> {
        Edge::OfPlay(self)
    }

    fn script(&self, table: &TableRules) -> Form {
        Form::Cards { player_a_spot: table.mode == Mode::Shared }
    }

    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        (!matches!(place, Place::Spot(_))).then(|| total_words(face_up(lying, place)))
    }
}

/// A box's number, in its one spelling.
pub(super) fn box_number(spot: &str) -> Option<u8> {
    spot.parse().ok().filter(|number: &u8| *number > 0 && number.to_string() == spot)
}
