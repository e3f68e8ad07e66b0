//! What revealed shoes held, in the order that was committed and in the order that was dealt: counters, never lists.
#![allow(clippy::float_arithmetic)] // shares and chances, never money

use super::series::{Drift, LEAST_EXPECTED, Outcome, Series, all_alike, goodness_of_fit, runs_expected};
use super::uniform::{Jitter, Left};
use fairshoe_fairness::{Card, Composition, MAX_DECKS, WHEEL_POCKETS};

const FACES: usize = Card::COUNT as usize;
const RANKS: usize = 13;
const POCKETS: usize = WHEEL_POCKETS as usize;

/// Card by position: 52 sections of the shoe, each as long as the packs are many, against 52 faces.
type Positions = [[u64; FACES]; FACES];

/// How finely positions and cards are told apart, finest first: sections of the shoe, then faces or ranks.
const GRAINS: [(usize, usize); 5] = [(52, FACES), (26, RANKS), (13, RANKS), (4, RANKS), (2, RANKS)];

/// Who was dealt a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A player's hand, or a hand that anybody may bet on.
    Players,
    /// The dealer's own hand.
    Dealer,
}

/// Cards dealt to one kind of receiver, by rank, the ace first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranks {
    /// How many came.
    pub dealt: [u64; RANKS],
    /// How many were to come, by what was left of the shoe at each draw.
    pub expected: [f64; RANKS],
}

impl Ranks {
    /// Chi-square of what came against what was to come; a little on the cautious side, since the chances of one draw
    /// differ from those of another.
    pub fn fit(&self) -> Option<Outcome> {
        goodness_of_fit(&self.dealt, &self.expected)
    }
}

/// Shoes of so many packs, counted by position.
struct Packs {
    shoes: u64,
    positions: Box<Positions>,
}

/// The counters over all revealed shoes.
#[derive(Default)]
pub struct Shoes {
    /// Shoes of cards, every candidate for itself.
    pub card_shoes: u64,
    /// Wheels, which have one committed value.
    pub wheels: u64,
    by_packs: [Option<Packs>; MAX_DECKS as usize],
    colour_runs: Drift,
    /// The committed order of cards.
    pub committed: Series,
    /// The order in which cards were drawn.
    pub drawn: Series,
    players: Ranks,
    dealer: Ranks,
    /// The committed values of wheels.
    pub wheel: WheelValues,
    jitter: Jitter,
}

impl Shoes {
    /// A shoe's committed values by slot, card codes or a wheel's.
    pub fn committed(&mut self, composition: &Composition, values: &[u8]) {
        // Throws of dice are told by their returns alone.
        if matches!(composition, Composition::Dice(_)) {
            return;
        }
        if composition.is_wheel() {
            self.wheels += 1;
            self.wheel.series.start();
            values.iter().for_each(|value| self.wheel.push(*value));
            return;
        }
        self.card_shoes += 1;
        let mut left = Left::of(composition.values());
        self.committed.start();
        for code in values {
            if let Some(taken) = left.take(*code, &mut self.jitter) {
                self.committed.push(taken.place);
            }
        }
        if let Composition::Decks(packs) = composition {
            self.count_positions(*packs, values);
            self.count_colours(values);
        }
    }

    fn count_positions(&mut self, packs: u8, values: &[u8]) {
        let Some(of_packs) = usize::from(packs).checked_sub(1).and_then(|index| self.by_packs.get_mut(index)) else {
            return;
        };
        let of_packs = of_packs.get_or_insert_with(|| Packs { shoes: 0, positions: Box::new([[0; FACES]; FACES]) });
        of_packs.shoes += 1;
        for (section, codes) in of_packs.positions.iter_mut().zip(values.chunks(usize::from(packs))) {
            for code in codes {
                if let Some(count) = section.get_mut(usize::from(*code)) {
                    *count += 1;
                }
            }
        }
    }

    fn count_colours(&mut self, values: &[u8]) {
        // Clubs and spades are black: codes 0 to 12 and 39 to 51.
        let black = |code: &u8| !(13..39).contains(code);
        let blacks = values.iter().filter(|code| black(code)).count() as u64;
        let changes = values.windows(2).filter(|pair| black(&pair[0]) != black(&pair[1])).count();
        let (mean, variance) = runs_expected(blacks, values.len() as u64 - blacks);
        self.colour_runs.add_sum(1.0 + changes as f64 - mean, variance, values.len() as u64);
    }

    /// What was drawn of a shoe, in order: card code and who got it.
    pub fn drawn(&mut self, composition: &Composition, draws: impl IntoIterator<Item = (u8, Receiver)>) {
        let mut left = Left::of(composition.values());
        self.drawn.start();
        for (code, receiver) in draws {
            let Some(taken) = left.take(code, &mut self.jitter) else { continue };
            self.drawn.push(taken.place);
            let ranks = match receiver {
                Receiver::Players => &mut self.players,
                Receiver::Dealer => &mut self.dealer,
            };
            ranks.dealt[taken.rank] += 1;
            for (expected, share) in ranks.expected.iter_mut().zip(taken.shares) {
                *expected += share;
            }
        }
    }

    /// Cards that the receiver was dealt, by rank.
    pub fn ranks(&self, receiver: Receiver) -> &Ranks {
        match receiver {
            Receiver::Players => &self.players,
            Receiver::Dealer => &self.dealer,
        }
    }

    /// Whether each card is as likely at each position: chi-square over sections of the shoe and cards, in the finest
    /// grain that the number of shoes allows. In every shoe each card comes as often as it is listed, so that counts
    /// scatter less or more than free ones would; the factor (n − 1)/n puts that right for a shoe of n cards.
    pub fn position(&self) -> Option<Outcome> {
        let each = self.packs().filter_map(|(packs, counted)| position_of(packs, counted));
        let (statistic, degrees) = each.fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (degrees > 0).then(|| Outcome::chi_square(statistic, degrees))
    }

    fn packs(&self) -> impl Iterator<Item = (u64, &Packs)> {
        (1u64..).zip(&self.by_packs).filter_map(|(packs, counted)| Some((packs, counted.as_ref()?)))
    }

    /// Whether colours change as often as they ought to along the committed orders: Wald's and Wolfowitz's runs.
    pub fn colour_runs(&self) -> Option<Outcome> {
        self.colour_runs.outcome()
    }

    /// How far each rank is from its due in each thirteenth of the shoes of full packs, in standard deviations.
    pub fn position_residuals(&self) -> Option<[[f64; RANKS]; RANKS]> {
        let (mut seen, mut expected, mut variance) = ([[0u64; RANKS]; RANKS], 0.0, 0.0);
        for (packs, counted) in self.packs() {
            for (sum, cells) in
                seen.iter_mut().flatten().zip(grain(&counted.positions, 13, RANKS).into_iter().flatten())
            {
                *sum += cells;
            }
            let n = (packs * FACES as u64) as f64;
            let due = n / (RANKS * RANKS) as f64;
            expected += due * counted.shoes as f64;
            variance += counted.shoes as f64 * due * (1.0 - 1.0 / RANKS as f64).powi(2) * n / (n - 1.0);
        }
        (variance > 0.0).then(|| seen.map(|row| row.map(|count| (count as f64 - expected) / variance.sqrt())))
    }
}

/// Pools 52 sections by 52 faces into fewer.
fn grain(positions: &Positions, sections: usize, cards: usize) -> Vec<Vec<u64>> {
    let per_section = FACES / sections;
    positions
        .chunks(per_section)
        .map(|rows| {
            (0..cards).map(|card| rows.iter().flat_map(|row| row.iter().skip(card).step_by(cards)).sum()).collect()
        })
        .collect()
}

fn position_of(packs: u64, counted: &Packs) -> Option<(f64, u64)> {
    let n = (packs * FACES as u64) as f64;
    let all = n * counted.shoes as f64;
    let (sections, cards) =
        GRAINS.into_iter().find(|(sections, cards)| all / (sections * cards) as f64 >= LEAST_EXPECTED)?;
    let expected = all / (sections * cards) as f64;
    let cells = grain(&counted.positions, sections, cards);
    let distance: f64 = cells.iter().flatten().map(|seen| (*seen as f64 - expected).powi(2) / expected).sum();
    Some((distance * (n - 1.0) / n, ((sections - 1) * (cards - 1)) as u64))
}

/// Values of a wheel from 0 to 36: what was committed, or where the ball came to rest.
#[derive(Clone, Debug)]
pub struct WheelValues {
    /// How often each came.
    pub counts: [u64; POCKETS],
    /// The values in order.
    pub series: Series,
    jitter: Jitter,
}

impl Default for WheelValues {
    fn default() -> Self {
        WheelValues { counts: [0; POCKETS], series: Series::default(), jitter: Jitter::default() }
    }
}

impl WheelValues {
    /// The next value; one above 36 is none.
    pub fn push(&mut self, value: u8) {
        if let Some(count) = self.counts.get_mut(usize::from(value)) {
            *count += 1;
            self.series.push((f64::from(value) + self.jitter.step()) / POCKETS as f64);
        }
    }

    /// Whether every value came equally often.
    pub fn evenness(&self) -> Option<Outcome> {
        all_alike(&self.counts)
    }
}
