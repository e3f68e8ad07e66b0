//! Ways a house can lean on chance that no single entry shows: voids and lost seeds that come when they suit it
//! (spec/audit.md, "Statistics of a log"). Small probabilities are a reason to ask, never a proof.

use crate::chance::{TwoGroups, holm};
use crate::outcome::say;
use fairshoe_house::audit::{Report, Results, WithheldAt};
use serde::Serialize;

/// What a book's counts say about its house.
#[derive(Default, Serialize)]
pub struct Leaning {
    voids: VoidsLean,
    /// The tables with the most withheld seeds.
    withheld: Vec<WithheldLean>,
}

/// Whether voids that the house brought about fell on rounds that players were winning.
#[derive(Default, Serialize)]
struct VoidsLean {
    /// How they would have ended by default play.
    voided: Results,
    /// How settled rounds ended.
    settled: Results,
    /// The chance that an honest house's voids hit so many of the players' wins, or more (Fisher's exact test, one-sided).
    p: f64,
}

/// Whether seeds stay away at one table more often than elsewhere.
#[derive(Serialize)]
struct WithheldLean {
    #[serde(flatten)]
    at: WithheldAt,
    /// The chance that so many, or more, of all withheld seeds fell to this table (Fisher's exact test, one-sided,
    /// corrected by Holm for having looked at every table).
    p: f64,
}

impl Leaning {
    pub fn of(book: &Report) -> Leaning {
        let marks = |results: Results| [results.players, results.house.saturating_add(results.level)];
        let (voided, settled) = (book.voids.by_house, book.results);
        let voids = VoidsLean { voided, settled, p: TwoGroups { first: marks(voided), second: marks(settled) }.first_has_more() };
        let all = book.withheld.total;
        // Tables that lost no seed are looked at too: each has a chance of 1.
        let mut chances = vec![1.0; usize::try_from(book.withheld.of_tables).unwrap_or(usize::MAX).max(book.withheld.tables.len())];
        for (chance, at) in chances.iter_mut().zip(&book.withheld.tables) {
            let (here, elsewhere) = (at.rounds.saturating_sub(at.withheld), book.rounds.saturating_sub(at.rounds));
            let others = all.saturating_sub(at.withheld);
            *chance = TwoGroups { first: [at.withheld, here], second: [others, elsewhere.saturating_sub(others)] }.first_has_more();
        }
        let withheld = book.withheld.tables.iter().zip(holm(&chances)).map(|(at, p)| WithheldLean { at: at.clone(), p }).collect();
        Leaning { voids, withheld }
    }

    pub fn say(&self) {
        let VoidsLean { voided, settled, p } = &self.voids;
        if voided.total() > 0 {
            say(format!(
                "            of {} by the house's doing players would have won {}; of {} settled rounds they won {}: p {p:.2e}",
                voided.total(),
                voided.players,
                settled.total(),
                settled.players
            ));
        }
        for WithheldLean { at, p } in self.withheld.iter().take(MOST_SAID) {
            say(format!("withheld    table {}: {} of {} rounds void for want of a seed, p {p:.2e}", at.table, at.withheld, at.rounds));
        }
        if voided.total() > 0 || !self.withheld.is_empty() {
            say("            (p: how likely an honest house gets there by chance; small is a reason to ask, not a proof)");
        }
    }
}

/// Tables named in words.
const MOST_SAID: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_house::audit::{Voids, Withheld};

    fn book(voided: Results, withheld: &[(&str, u64, u64)], rounds: u64) -> Report {
        let tables: Vec<WithheldAt> = withheld
            .iter()
            .map(|(name, rounds, withheld)| WithheldAt { table: name.parse().unwrap(), rounds: *rounds, withheld: *withheld })
            .collect();
        let total = tables.iter().map(|at| at.withheld).sum();
        Report {
            rounds,
            results: Results { players: 430, house: 480, level: 90 },
            voids: Voids { by_house: voided, ..Voids::default() },
            withheld: Withheld { total, of_tables: 10, tables },
            ..Report::default()
        }
    }

    #[test]
    fn voids_that_hit_the_players_wins_are_unlikely_and_even_ones_are_not() {
        let lean = |players, house| Leaning::of(&book(Results { players, house, level: 0 }, &[], 1_000)).voids.p;
        assert!(lean(12, 0) < 1e-3, "{}", lean(12, 0));
        assert!(lean(5, 7) > 0.3 && lean(0, 12) > 0.99);
        assert!(lean(0, 0) > 0.999, "no void, no suspicion");
    }

    #[test]
    fn a_table_where_seeds_stay_away_is_named_and_even_ones_are_not() {
        let lean = |tables: &[(&str, u64, u64)]| Leaning::of(&book(Results::default(), tables, 1_000)).withheld;
        let odd = lean(&[("dark", 100, 20), ("light", 100, 2)]);
        assert!(odd[0].p < 1e-6 && odd[1].p > 0.9, "{} {}", odd[0].p, odd[1].p);
        let even = lean(&[("a", 100, 3), ("b", 100, 2)]);
        assert!(even.iter().all(|at| at.p > 0.05), "{} {}", even[0].p, even[1].p);
    }
}
