//! How likely it is that chance alone gave what was counted: exact tails for small counts, the usual distributions for
//! large ones, and the correction for having looked at many things at once (spec/audit.md, "Statistics").
//!
//! Owns: probabilities of counts. Does not own what they are counts of, or what a small probability means: never a
//! proof.
#![allow(clippy::float_arithmetic)] // probabilities, never money

use statrs::function::erf::erfc;
use statrs::function::factorial::ln_binomial;
use statrs::function::gamma::checked_gamma_ur;

/// Two outcomes whose chances differ by less than this share count as equally likely, so that rounding in the last
/// digit does not decide whether one of them is as extreme as what was seen.
const TIE: f64 = 1e-7;

/// Terms below this share of the sum so far cannot change it any more.
const NEGLIGIBLE: f64 = 1e-17;

/// A count that can be anything from `least` to `most` and is most likely at `mode`, its chances falling on either
/// side.
struct Count<P: Fn(u64) -> f64> {
    least: u64,
    most: u64,
    mode: u64,
    chance: P,
}

impl<P: Fn(u64) -> f64> Count<P> {
    /// The sum of the chances along `counts`, which lead away from the mode.
    fn sum(&self, counts: impl Iterator<Item = u64>) -> f64 {
        let mut sum = 0.0;
        for count in counts {
            let term = (self.chance)(count);
            sum += term;
            if term <= sum * NEGLIGIBLE {
                break;
            }
        }
        sum
    }

    fn at_least(&self, seen: u64) -> f64 {
        if seen <= self.least {
            return 1.0;
        }
        let tail = if seen > self.mode { self.sum(seen..=self.most) } else { 1.0 - self.sum((self.least..seen).rev()) };
        tail.clamp(0.0, 1.0)
    }

    /// The chance of all outcomes that are no likelier than the one seen.
    fn two_sided(&self, seen: u64) -> f64 {
        let bar = (self.chance)(seen) * (1.0 + TIE);
        if (self.chance)(self.mode) <= bar {
            return 1.0;
        }
        let rare = |count: u64| (self.chance)(count) <= bar;
        // On each side of the mode the chances fall, so the rare ones are found by halving.
        let above = first(self.mode, self.most, rare);
        let below = first(0, self.mode - self.least, |down| rare(self.mode - down));
        let upper = above.map_or(0.0, |from| self.sum(from..=self.most));
        let lower = below.map_or(0.0, |down| self.sum((self.least..=self.mode - down).rev()));
        (upper + lower).clamp(0.0, 1.0)
    }
}

/// The first of `from..=to` for which `holds`, where it holds for all that follow.
fn first(from: u64, to: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    holds(low).then_some(low)
}

fn binomial(trials: u64, chance: f64) -> Count<impl Fn(u64) -> f64> {
    let chance = chance.clamp(0.0, 1.0);
    let of = move |successes: u64| {
        let power = |base: f64, exponent: u64| if exponent == 0 { 0.0 } else { base.ln() * exponent as f64 };
        (ln_binomial(trials, successes) + power(chance, successes) + power(1.0 - chance, trials - successes)).exp()
    };
    let mode = (((trials + 1) as f64 * chance) as u64).min(trials);
    Count { least: 0, most: trials, mode, chance: of }
}

/// The chance of `successes` or more in so many trials, each with this chance. More successes than trials count as all.
pub fn binomial_at_least(successes: u64, trials: u64, chance: f64) -> f64 {
    binomial(trials, chance).at_least(successes.min(trials))
}

/// The chance of a count no likelier than `successes`: the exact two-sided test, as R's `binom.test` has it.
pub fn binomial_two_sided(successes: u64, trials: u64, chance: f64) -> f64 {
    binomial(trials, chance).two_sided(successes.min(trials))
}

/// Two groups, and in each how many had the mark and how many had not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoGroups {
    /// The first group: with the mark, without.
    pub first: [u64; 2],
    /// The second group: with the mark, without.
    pub second: [u64; 2],
}

impl TwoGroups {
    /// How many marks the first group would have, were they dealt out blindly among both.
    fn blind(self) -> Count<impl Fn(u64) -> f64> {
        let [first, second] = [self.first, self.second].map(|group| group[0].saturating_add(group[1]));
        let marks = self.first[0].saturating_add(self.second[0]);
        let all = first.saturating_add(second);
        let of = move |count: u64| {
            (ln_binomial(first, count) + ln_binomial(second, marks.saturating_sub(count)) - ln_binomial(all, marks))
                .exp()
        };
        let (least, most) = (marks.saturating_sub(second), marks.min(first));
        let mode = ((marks + 1) as f64 * (first + 1) as f64 / (all + 2) as f64) as u64;
        Count { least, most, mode: mode.clamp(least, most), chance: of }
    }

    /// The chance that the first group has so many marks or more, did marks not depend on the group (Fisher,
    /// one-sided).
    pub fn first_has_more(self) -> f64 {
        self.blind().at_least(self.first[0])
    }

    /// The least that this chance can be with groups as large and as many marks. It does not look at how the marks
    /// fell: who leaves out those that can show nothing need not correct for them.
    pub fn first_has_more_at_least(self) -> f64 {
        let blind = self.blind();
        blind.at_least(blind.most)
    }

    /// The chance of a table no likelier than this one (Fisher's exact test, two-sided, as R's `fisher.test` has it).
    pub fn differ(self) -> f64 {
        self.blind().two_sided(self.first[0])
    }

    /// The least that this chance can be with groups as large and as many marks, as in
    /// [`Self::first_has_more_at_least`].
    pub fn differ_at_least(self) -> f64 {
        let blind = self.blind();
        blind.two_sided(blind.least).min(blind.two_sided(blind.most))
    }
}

/// The chance that a chi-square variable of so many degrees of freedom is `statistic` or more; 1 where there is none.
pub fn chi_square_at_least(statistic: f64, degrees: u64) -> f64 {
    if degrees == 0 || statistic <= 0.0 {
        return 1.0;
    }
    checked_gamma_ur(degrees as f64 / 2.0, statistic / 2.0).unwrap_or(0.0).clamp(0.0, 1.0)
}

/// The chance that a standard normal variable is as far from 0 as `z`, or further.
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The 95 % quantile of a standard normal variable on both sides.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval of a share: it stays within 0 and 1 and is of use at small counts too.
pub fn share_interval(marked: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (all as f64, marked.min(all) as f64 / all as f64);
    let z2 = Z_95 * Z_95;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Holm's correction: each chance as it stands when all of them are looked at together. With a bound of 0.01 on these,
/// an honest book fails any of them in at most one case of a hundred, whatever they have to do with each other.
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| f64::total_cmp(&chances[*a], &chances[*b]));
    let mut corrected = vec![1.0; chances.len()];
    let mut floor: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        floor = floor.max(chances[index] * (chances.len() - rank) as f64).min(1.0);
        corrected[index] = floor;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() <= expected.abs() * 1e-6 + 1e-300, "{value}, not {expected}");
    }

    #[test]
    fn binomial_tails_are_those_of_pencil_and_paper() {
        near(binomial_at_least(8, 10, 0.5), 56.0 / 1024.0);
        near(binomial_at_least(1, 10, 0.5), 1023.0 / 1024.0);
        near(binomial_at_least(0, 10, 0.5), 1.0);
        near(binomial_at_least(3, 3, 1.0 / 37.0), (1.0f64 / 37.0).powi(3));
        near(binomial_two_sided(8, 10, 0.5), 112.0 / 1024.0);
        near(binomial_two_sided(5, 10, 0.5), 1.0);
        near(binomial_two_sided(0, 20, 0.5), 2.0 / f64::from(1 << 20));
        for edge in [0.0, 1.0] {
            near(binomial_two_sided(if edge == 0.0 { 0 } else { 4 }, 4, edge), 1.0);
            near(binomial_two_sided(2, 4, edge), 0.0);
        }
        near(binomial_two_sided(0, 0, 0.3), 1.0);
    }

    /// Conover's example of 682 successes in 925 trials against 3/4, with which R's `binom.test` is shown: 0.3825.
    #[test]
    fn binomial_published() {
        let p = binomial_two_sided(682, 925, 0.75);
        assert!((p - 0.3825).abs() < 5e-5, "{p}");
    }

    /// A two-sided test adds up what is no likelier than what was seen, done here the slow way.
    #[test]
    fn two_sided_tests_are_the_sums_they_say_they_are() {
        for (n, chance) in [(1u64, 0.5), (7, 0.1), (13, 0.5), (40, 0.73), (61, 0.02)] {
            let count = binomial(n, chance);
            let all: Vec<f64> = (0..=n).map(|k| (count.chance)(k)).collect();
            near(all.iter().sum(), 1.0);
            for k in 0..=n {
                let rare: f64 = all.iter().filter(|p| **p <= all[k as usize] * (1.0 + TIE)).sum();
                near(binomial_two_sided(k, n, chance), rare);
                near(binomial_at_least(k, n, chance), all[k as usize..].iter().sum());
            }
        }
    }

    /// Fisher's lady tasting tea: all four cups right has a chance of 1 in 70; three of four, two-sided, 0.4857.
    #[test]
    fn fisher_published() {
        near(TwoGroups { first: [4, 0], second: [0, 4] }.first_has_more(), 1.0 / 70.0);
        near(TwoGroups { first: [4, 0], second: [0, 4] }.differ(), 2.0 / 70.0);
        near(TwoGroups { first: [3, 1], second: [1, 3] }.first_has_more(), 17.0 / 70.0);
        near(TwoGroups { first: [1, 3], second: [3, 1] }.first_has_more_at_least(), 1.0 / 70.0);
        near(TwoGroups { first: [0, 1], second: [0, 5] }.first_has_more_at_least(), 1.0);
        near(TwoGroups { first: [3, 1], second: [1, 3] }.differ(), 34.0 / 70.0);
        near(TwoGroups { first: [3, 1], second: [1, 3] }.differ_at_least(), 2.0 / 70.0);
        near(TwoGroups { first: [0, 0], second: [5, 3] }.differ_at_least(), 1.0);
        // One of six marked, two of them first: 1 in 3 that it is there, and 2 in 3 that it is not.
        near(TwoGroups { first: [0, 2], second: [1, 3] }.differ_at_least(), 1.0 / 3.0);
        // Convictions of like-sex twins of criminals (Fisher 1962; R's `fisher.test`): 2 of 17 against 10 of 13,
        // 0.0005367.
        let twins = TwoGroups { first: [2, 15], second: [10, 3] };
        assert!((twins.differ() - 0.000_536_7).abs() < 5e-8, "{}", twins.differ());
        near(TwoGroups { first: [0, 0], second: [3, 4] }.differ(), 1.0);
        near(TwoGroups { first: [0, 5], second: [0, 7] }.differ(), 1.0);
    }

    #[test]
    fn fisher_is_the_sum_it_says_it_is() {
        for (a, b, c, d) in [(1, 9, 11, 3), (0, 6, 9, 2), (30, 12, 22, 25), (5, 0, 1, 4)] {
            let groups = TwoGroups { first: [a, b], second: [c, d] };
            let count = groups.blind();
            let all: Vec<f64> = (count.least..=count.most).map(|k| (count.chance)(k)).collect();
            near(all.iter().sum(), 1.0);
            let seen = (count.chance)(a);
            near(groups.differ(), all.iter().filter(|p| **p <= seen * (1.0 + TIE)).sum());
        }
    }

    #[test]
    fn large_counts_are_quick_and_sane() {
        assert!(binomial_two_sided(500_000, 1_000_000, 0.5) > 0.99);
        assert!(binomial_two_sided(502_600, 1_000_000, 0.5) < 3e-7);
        let even = TwoGroups { first: [1_000, 99_000], second: [10_000, 990_000] };
        assert!(even.differ() > 0.9);
        let skewed = TwoGroups { first: [1_200, 98_800], second: [10_000, 990_000] };
        assert!(skewed.differ() < 1e-8 && skewed.first_has_more() < 1e-8);
    }

    /// Points of the tables that every textbook prints.
    #[test]
    fn chi_square_and_normal_published() {
        for (statistic, degrees, tail) in
            [(3.841, 1, 0.05), (6.635, 1, 0.01), (18.307, 10, 0.05), (29.588, 10, 0.001), (124.342, 100, 0.05)]
        {
            let p = chi_square_at_least(statistic, degrees);
            assert!((p - tail).abs() < tail * 1e-3, "{statistic} {degrees}: {p}");
        }
        near(chi_square_at_least(4.0, 2), (-2.0f64).exp());
        near(chi_square_at_least(0.0, 3), 1.0);
        near(chi_square_at_least(5.0, 0), 1.0);
        assert!(chi_square_at_least(1e9, 4) == 0.0);
        assert!((normal_two_sided(1.96) - 0.05).abs() < 1e-4 && (normal_two_sided(-2.5758) - 0.01).abs() < 1e-5);
        near(normal_two_sided(Z_95), 0.05);
    }

    /// Newcombe 1998, table I: 81 of 263 has Wilson's interval 0.2553 to 0.3662; 0 of 20 has 0 to 0.1611.
    #[test]
    fn wilson_published() {
        for (marked, all, low, high) in
            [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (15, 148, 0.0624, 0.1605), (1, 29, 0.0061, 0.1718)]
        {
            let (from, to) = share_interval(marked, all);
            assert!((from - low).abs() < 5e-5 && (to - high).abs() < 5e-5, "{marked}/{all}: {from} {to}");
        }
        assert_eq!(share_interval(0, 0), (0.0, 1.0));
    }

    #[test]
    fn holm_published() {
        // Holm 1979's procedure on 0.01, 0.04, 0.03, 0.005: 0.03, 0.06, 0.06, 0.02 (R's p.adjust).
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in corrected.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            near(value, expected);
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
