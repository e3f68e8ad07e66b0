//! Which plots a report has.
#![allow(clippy::float_arithmetic)] // shares for the eye

use super::report::{RankCounts, StatsReport};
use super::svg::{Bar, Plot, Row, bars, chances, intervals, squares};

const RANKS: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];

/// Most rule sets in one plot.
const MOST_ROWS: usize = 20;

/// The plots for which there is something to show.
pub fn plots(report: &StatsReport) -> Vec<Plot> {
    if report.first_failure.is_some() {
        return Vec::new();
    }
    let counts = &report.counts;
    [
        of_chances(report),
        of_returns(report),
        of_positions(report),
        of_ranks("to-players", "Cards dealt to the players", &counts.to_players),
        of_ranks("to-dealer", "Cards dealt to the dealer", &counts.to_dealer),
        of_pockets(&counts.pockets),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_chances(report: &StatsReport) -> Option<Plot> {
    let rows: Vec<(&str, f64, f64)> =
        report.tests.iter().filter_map(|test| Some((test.about.what, test.chance?, test.corrected?))).collect();
    let title = "Every test: the chance of as much in an honest book".to_owned();
    let caption = "The large dot is a test's chance, corrected for all tests together, the small grey one the chance by itself; the scale goes down by powers of ten to the left. In an honest book most large dots stand at 1. One in the red field is a reason to look.";
    (!rows.is_empty()).then(|| Plot { name: "chances", svg: chances(&title, &rows, report.bound), title, caption })
}

fn of_returns(report: &StatsReport) -> Option<Plot> {
    let rows: Vec<Row> = report
        .rule_sets
        .iter()
        .filter_map(|set| {
            let edge = set.all.edge?;
            let exact = set.references.iter().map(|one| one.edge).collect();
            Some(Row { label: set.name.clone(), observed: edge.observed, interval: edge.from.zip(edge.to), exact })
        })
        .take(MOST_ROWS)
        .collect();
    let title = "What the house kept of the opening stakes".to_owned();
    let caption = "A dot is what was observed, the bar its 95 % interval. Diamonds are exact figures: where players decide nothing there is one, which binds; at blackjack they are for best play, for copying the dealer and for never risking a bust. What lies beyond half the stakes is drawn at the edge.";
    (!rows.is_empty()).then(|| Plot { name: "returns", svg: intervals(&title, &rows), title, caption })
}

fn of_positions(report: &StatsReport) -> Option<Plot> {
    let residuals = report.counts.position_residuals?;
    let rows: Vec<String> = (1..=13).map(|section| format!("{section}/13")).collect();
    let values: Vec<Vec<f64>> = residuals.iter().map(|row| row.to_vec()).collect();
    let title = "Committed cards by place in the shoe".to_owned();
    let caption = "Rows are thirteenths of the shoe, from its first slots down; columns are ranks. A fair shuffle gives pale squares in no order, about one in twenty beyond two deviations.";
    Some(Plot { name: "positions", svg: squares(&title, &rows, &RANKS.map(str::to_owned), &values), title, caption })
}

const BANDS: &str = "How far each count is from what was due. The grey band is where chance leaves 95 of 100 bars; now and then one stands out of it in an honest book.";

fn of_ranks(name: &'static str, title: &str, ranks: &RankCounts) -> Option<Plot> {
    let each = RANKS.iter().zip(ranks.dealt).zip(ranks.expected);
    let drawn: Vec<Bar> = each.filter_map(|((label, dealt), due)| Bar::new(*label, dealt, due)).collect();
    (!drawn.is_empty()).then(|| Plot { name, svg: bars(title, &drawn), title: title.to_owned(), caption: BANDS })
}

fn of_pockets(pockets: &[u64]) -> Option<Plot> {
    let due = pockets.iter().sum::<u64>() as f64 / pockets.len().max(1) as f64;
    let drawn: Vec<Bar> =
        pockets.iter().enumerate().filter_map(|(pocket, count)| Bar::new(pocket.to_string(), *count, due)).collect();
    let title = "Pockets in which the ball came to rest".to_owned();
    (!drawn.is_empty()).then(|| Plot { name: "pockets", svg: bars(&title, &drawn), title, caption: BANDS })
}
