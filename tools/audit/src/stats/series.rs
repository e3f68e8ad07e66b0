//! Tests of a series of numbers that ought to be independent and even between 0 and 1.
#![allow(clippy::float_arithmetic)] // shares and chances, never money

use crate::chance::{chi_square_at_least, normal_two_sided};

/// Least expected count of a bin: below it the chi-square distribution is a poor stand-in (Cochran's rule).
pub const LEAST_EXPECTED: f64 = 5.0;

/// Least terms of a sum that is taken for normal.
const LEAST_TERMS: u64 = 30;

/// The outcome of one test: the statistic and the chance of one as far out, or further, in a fair deal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The statistic: a chi-square, or a standard normal deviate.
    pub statistic: f64,
    /// Degrees of freedom of a chi-square; absent for a normal deviate.
    pub degrees: Option<u64>,
    /// How likely a fair deal is to come out as far off, or further: 0 to 1.
    pub chance: f64,
}

impl Outcome {
    pub(crate) fn chi_square(statistic: f64, degrees: u64) -> Outcome {
        Outcome { statistic, degrees: Some(degrees), chance: chi_square_at_least(statistic, degrees) }
    }

    pub(crate) fn normal(z: f64) -> Outcome {
        Outcome { statistic: z, degrees: None, chance: normal_two_sided(z) }
    }
}

/// Pearson's chi-square of counts against what is expected; `None` where a bin expects too little.
pub fn goodness_of_fit(observed: &[u64], expected: &[f64]) -> Option<Outcome> {
    let fits = observed.len() == expected.len()
        && expected.len() > 1
        && expected.iter().all(|expected| *expected >= LEAST_EXPECTED);
    let distance = |(seen, expected): (&u64, &f64)| (*seen as f64 - expected).powi(2) / expected;
    fits.then(|| Outcome::chi_square(observed.iter().zip(expected).map(distance).sum(), expected.len() as u64 - 1))
}

/// Counts that are all equally likely, in the finest of the given numbers of bins that is fine enough for the data;
/// each divides the one before it.
fn even(counts: &[u64], bins: &[usize]) -> Option<Outcome> {
    let all: u64 = counts.iter().sum();
    bins.iter().find_map(|&bins| {
        let pooled: Vec<u64> = counts.chunks(counts.len() / bins).map(|chunk| chunk.iter().sum()).collect();
        goodness_of_fit(&pooled, &vec![all as f64 / bins as f64; bins])
    })
}

/// Equally likely counts, every one a bin; `None` where there are too few.
pub fn all_alike(counts: &[u64]) -> Option<Outcome> {
    even(counts, &[counts.len()])
}

/// A sum of terms that are 0 on average whatever came before, and its variance added up along with it: standard normal
/// once there are many, also where the players' choices decide when the series ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drift {
    sum: f64,
    variance: f64,
    terms: u64,
}

impl Drift {
    /// One more term, and the variance it had beforehand.
    pub fn add(&mut self, term: f64, variance: f64) {
        self.add_sum(term, variance, 1);
    }

    /// A sum of so many terms, and the variance it had beforehand.
    pub fn add_sum(&mut self, sum: f64, variance: f64, terms: u64) {
        self.sum += sum;
        self.variance += variance;
        self.terms += terms;
    }

    /// The standard normal deviate of the sum.
    pub fn outcome(&self) -> Option<Outcome> {
        (self.terms >= LEAST_TERMS && self.variance > 0.0).then(|| Outcome::normal(self.sum / self.variance.sqrt()))
    }
}

/// The number of runs of two kinds in a row of `first` and `second` of them, as Wald and Wolfowitz have it: its mean
/// and its variance when every order is as likely as any other.
pub fn runs_expected(first: u64, second: u64) -> (f64, f64) {
    let (a, b) = (first as f64, second as f64);
    let n = a + b;
    if n < 2.0 {
        return (n, 0.0);
    }
    let twice = 2.0 * a * b;
    (1.0 + twice / n, twice * (twice - n) / (n * n * (n - 1.0)))
}

const SPREAD: usize = 20;
const SIDE: usize = 8;

/// Counts of a series, in constant memory.
#[derive(Clone, Debug)]
pub struct Series {
    /// How many numbers.
    pub count: u64,
    spread: [u64; SPREAD],
    pairs: [[u64; SIDE]; SIDE],
    neighbours: Drift,
    turns: Drift,
    /// The last two numbers of the shoe that is being read.
    last: Option<f64>,
    before: Option<f64>,
    /// The first of a pair that waits for its second.
    waiting: Option<usize>,
}

impl Default for Series {
    fn default() -> Self {
        Series {
            count: 0,
            spread: [0; SPREAD],
            pairs: [[0; SIDE]; SIDE],
            neighbours: Drift::default(),
            turns: Drift::default(),
            last: None,
            before: None,
            waiting: None,
        }
    }
}

fn bin(number: f64, bins: usize) -> usize {
    ((number * bins as f64) as usize).min(bins.saturating_sub(1))
}

impl Series {
    /// What follows comes from another shoe: it has no neighbour before it. A number that waits for the second of its
    /// pair still gets one: whether its own shoe went on may have depended on it, and pairs that were kept for that
    /// would be a choice.
    pub fn start(&mut self) {
        (self.last, self.before) = (None, None);
    }

    /// The next number, from 0 to 1.
    pub fn push(&mut self, number: f64) {
        self.count += 1;
        self.spread[bin(number, SPREAD)] += 1;
        match self.waiting.take() {
            None => self.waiting = Some(bin(number, SIDE)),
            Some(first) => self.pairs[first][bin(number, SIDE)] += 1,
        }
        if let Some(last) = self.last {
            let lead = last - 0.5;
            self.neighbours.add(lead * (number - 0.5), lead * lead / 12.0);
            if let Some(before) = self.before {
                // After a rise to `last` the next number turns back with the chance `last`; after a fall, with the
                // rest.
                let (turns, chance) = if last > before { (number < last, last) } else { (number > last, 1.0 - last) };
                self.turns.add(f64::from(u8::from(turns)) - chance, chance * (1.0 - chance));
            }
        }
        self.before = self.last.replace(number);
    }

    /// Whether the numbers are spread evenly: chi-square over up to 20 equal bins.
    pub fn evenness(&self) -> Option<Outcome> {
        even(&self.spread, &[20, 10, 5])
    }

    /// Whether pairs of neighbours, each number in one pair, are spread evenly: chi-square over up to 64 equal squares.
    pub fn pairs(&self) -> Option<Outcome> {
        let quarter = |row: usize, column: usize, by: usize| {
            let rows = &self.pairs[row * by..(row + 1) * by];
            rows.iter().flat_map(|row| &row[column * by..(column + 1) * by]).sum::<u64>()
        };
        [1, 2, 4].into_iter().find_map(|by| {
            let side = SIDE / by;
            let squares: Vec<u64> = (0..side)
                .flat_map(|row| (0..side).map(move |column| (row, column)))
                .map(|(r, c)| quarter(r, c, by))
                .collect();
            all_alike(&squares)
        })
    }

    /// Whether a number has to do with the one before it: correlation of neighbours.
    pub fn neighbours(&self) -> Option<Outcome> {
        self.neighbours.outcome()
    }

    /// Whether runs upwards and downwards are as long as they ought to be: how often the series turns back.
    pub fn turns(&self) -> Option<Outcome> {
        self.turns.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knuth, The Art of Computer Programming 2, 3.3.1: two dice thrown 144 times; V = 7 7/48 with 10 degrees of
    /// freedom.
    #[test]
    fn chi_square_of_knuths_dice() {
        let observed = [2, 4, 10, 12, 22, 29, 21, 15, 14, 9, 6];
        let expected = [4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 20.0, 16.0, 12.0, 8.0, 4.0];
        assert_eq!(goodness_of_fit(&observed, &expected), None, "two bins expect less than five");
        let tenfold: Vec<u64> = observed.iter().map(|count| count * 10).collect();
        let outcome = goodness_of_fit(&tenfold, &expected.map(|count| count * 10.0)).unwrap();
        assert!((outcome.statistic - 10.0 * (7.0 + 7.0 / 48.0)).abs() < 1e-9 && outcome.degrees == Some(10));
    }

    /// Mendel's peas, 315, 108, 101 and 32 against 9 : 3 : 3 : 1: 0.470 with 3 degrees of freedom, a chance of 0.9254.
    #[test]
    fn chi_square_of_mendels_peas() {
        let expected = [9.0, 3.0, 3.0, 1.0].map(|part| part * 556.0 / 16.0);
        let outcome = goodness_of_fit(&[315, 108, 101, 32], &expected).unwrap();
        assert!((outcome.statistic - 0.470).abs() < 5e-4 && (outcome.chance - 0.9254).abs() < 5e-5, "{outcome:?}");
    }

    /// All orders of small rows, counted: the mean and the variance of the number of runs are Wald's and Wolfowitz's.
    #[test]
    fn runs_of_two_kinds_by_counting_every_order() {
        for (a, b) in [(1u32, 1u32), (3, 2), (5, 5), (7, 4)] {
            let n = a + b;
            let orders = (0u32..1 << n).filter(|bits| bits.count_ones() == a);
            let runs: Vec<f64> = orders
                .map(|bits| 1.0 + f64::from(((bits ^ (bits >> 1)) & ((1 << (n - 1)) - 1)).count_ones()))
                .collect();
            let mean = runs.iter().sum::<f64>() / runs.len() as f64;
            let variance = runs.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / runs.len() as f64;
            let (expected, spread) = runs_expected(u64::from(a), u64::from(b));
            assert!((mean - expected).abs() < 1e-9 && (variance - spread).abs() < 1e-9, "{a} {b}: {mean} {variance}");
        }
        assert_eq!(runs_expected(0, 1), (1.0, 0.0));
    }

    fn series(numbers: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        numbers.into_iter().for_each(|number| series.push(number));
        series
    }

    #[test]
    fn a_series_by_hand() {
        let by_hand = series([0.1, 0.7, 0.3]);
        let expected = (-0.4 * 0.2 + 0.2 * -0.2, (0.16 + 0.04) / 12.0);
        assert!(
            (by_hand.neighbours.sum - expected.0).abs() < 1e-12
                && (by_hand.neighbours.variance - expected.1).abs() < 1e-12
        );
        assert!((by_hand.turns.sum - 0.3).abs() < 1e-12 && (by_hand.turns.variance - 0.21).abs() < 1e-12);
        assert_eq!((by_hand.pairs[0][5], by_hand.waiting), (1, Some(2)));
        assert!(
            by_hand.evenness().is_none()
                && by_hand.pairs().is_none()
                && by_hand.neighbours().is_none()
                && by_hand.turns().is_none()
        );
    }

    #[test]
    fn too_regular_and_too_sticky_series_are_found() {
        let saw = series((0..2_000).map(|i| if i % 2 == 0 { 0.2 } else { 0.8 }));
        assert!(saw.neighbours().unwrap().statistic < -20.0 && saw.turns().unwrap().statistic > 10.0);
        let ramp = series((0..2_000).map(|i| f64::from(i) / 2_000.0));
        assert!(ramp.evenness().unwrap().chance > 0.999 && ramp.neighbours().unwrap().statistic > 20.0);
        assert!(ramp.pairs().unwrap().chance < 1e-12 && ramp.turns().unwrap().statistic < -20.0);
    }

    #[test]
    fn shoes_have_no_neighbours_in_other_shoes() {
        let mut split = Series::default();
        for number in [0.9, 0.8, 0.1] {
            split.start();
            split.push(number);
        }
        assert_eq!((split.count, split.neighbours.terms, split.turns.terms), (3, 0, 0));
        assert_eq!((split.pairs[7][6], split.pairs.iter().flatten().sum::<u64>(), split.waiting), (1, 1, Some(0)));
    }
}
