//! A strategy as a chart: its choice for each two cards against each up-card.

use super::cards::{Hand, Value};
use super::odds::Odds;
use super::strategy::{Hole, Position, Strategy};
use serde::Serialize;

/// A strategy's choices for one hand of the player against every up-card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The hand, such as `hard 16`, `A7`, `88`.
    pub hand: String,
    /// A word for each up-card from 2 to the ace: S stand, H hit, D double, P split, R give up; several if hands of
    /// that total differ.
    pub against: Vec<String>,
}

/// The up-cards in the order of the columns.
pub fn columns() -> impl Iterator<Item = Value> + Clone {
    Value::all().skip(1).chain([Value::ACE])
}

/// A strategy's rows: hard hands, soft hands, pairs, each against every up-card.
pub fn chart(odds: &Odds, strategy: &dyn Strategy) -> Vec<Row> {
    let mut rows = Vec::new();
    let twos = || {
        Value::all()
            .flat_map(|first| Value::all().filter(move |second| *second > first).map(move |second| [first, second]))
    };
    for points in 5..=19 {
        let hands: Vec<Hand> =
            twos().map(Hand::of).filter(|hand| !hand.total().soft && hand.total().points == points).collect();
        rows.push(row(odds, strategy, format!("hard {points}"), &hands));
    }
    for second in Value::all().filter(|second| *second != Value::ACE && *second != Value::TEN) {
        rows.push(row(odds, strategy, format!("A{}", second.letter()), &[Hand::of([Value::ACE, second])]));
    }
    for value in Value::all() {
        rows.push(row(odds, strategy, format!("{0}{0}", value.letter()), &[Hand::of([value, value])]));
    }
    rows
}

fn row(odds: &Odds, strategy: &dyn Strategy, name: String, hands: &[Hand]) -> Row {
    let against = columns().map(|up| {
        let mut letters = String::new();
        for hand in hands {
            let letter = letter(odds, strategy, up, hand);
            if !letters.contains(letter) {
                letters.push(letter);
            }
        }
        letters
    });
    Row { hand: name, against: against.collect() }
}

fn letter(odds: &Odds, strategy: &dyn Strategy, up: Value, hand: &Hand) -> char {
    let hole = if odds.peeks(up) { Hole::NoBlackjack } else { Hole::under(up) };
    match hand.pair() {
        Some(pair) if strategy.splits(up, hole, pair) => 'P',
        _ => strategy.play(&Position { up, hole, split: None }, hand).map_or('?', super::Choice::letter),
    }
}
