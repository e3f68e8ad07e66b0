//! All courses of the dealer: to 17, soft or hard, or to the card limit (R000.12, R000.13, R001.59).
#![allow(clippy::float_arithmetic)] // chances of the dealer's totals

use super::cards::{Deck, Hand, Value};
use std::collections::BTreeMap;

/// The dealer's best total that is not a blackjack.
const TWENTY_ONE: u16 = 21;

/// The end of the dealer's hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Bust,
    Total(u16),
    Blackjack,
}

/// A draw of the dealer. Draws of the same cards in another order are one path here, with its draws ascending. Its last
/// node holds the number of orders that the rules allow.
#[derive(Clone, Copy, Debug)]
struct Node {
    value: Value,
    /// The number of earlier draws of this value on the path.
    before: u16,
    /// The number of earlier draws.
    depth: usize,
    end: Option<(End, f64)>,
}

/// All the dealer's paths from one up-card, as a tree in preorder.
#[derive(Clone, Debug)]
pub struct DealerTree {
    nodes: Vec<Node>,
    deepest: usize,
}

impl DealerTree {
    /// The tree of an up-card; `card_limit` 0 means no limit.
    pub fn new(up: Value, card_limit: u8) -> DealerTree {
        let mut ways = BTreeMap::new();
        draw_on(Hand::of([up]), &mut Vec::new(), card_limit, &mut ways);
        let mut tree = DealerTree { nodes: Vec::new(), deepest: 0 };
        let mut before: Vec<Value> = Vec::new();
        // Ascending paths in ascending order: each shares its beginning with the path before.
        for (path, (end, orders)) in ways {
            let shared = path.iter().zip(&before).take_while(|(one, other)| one == other).count();
            for (depth, value) in path.iter().enumerate().skip(shared) {
                let before = path.iter().take(depth).filter(|drawn| *drawn == value).count();
                tree.nodes.push(Node {
                    value: *value,
                    before: u16::try_from(before).unwrap_or(u16::MAX),
                    depth,
                    end: None,
                });
            }
            if let Some(last) = tree.nodes.last_mut() {
                last.end = Some((end, f64::from(orders)));
            }
            tree.deepest = tree.deepest.max(path.len());
            before = path;
        }
        tree
    }

    /// The chances of the dealer's ends, with hole card and draws from these cards.
    pub fn ends(&self, deck: &Deck) -> Ends {
        let mut ends = Ends { bust: 0.0, totals: [0.0; 22], blackjack: 0.0 };
        let mut path = vec![1.0; self.deepest + 1];
        for node in &self.nodes {
            let (Some(so_far), depth) = (path.get(node.depth).copied(), u16::try_from(node.depth).unwrap_or(u16::MAX))
            else {
                continue;
            };
            let left = deck.left(node.value).saturating_sub(node.before);
            let of = deck.total().saturating_sub(depth);
            let chance = if left == 0 || of == 0 { 0.0 } else { so_far * f64::from(left) / f64::from(of) };
            if let Some(next) = path.get_mut(node.depth + 1) {
                *next = chance;
            }
            match node.end {
                Some((End::Bust, orders)) => ends.bust += chance * orders,
                Some((End::Blackjack, orders)) => ends.blackjack += chance * orders,
                Some((End::Total(total), orders)) => {
                    if let Some(sum) = ends.totals.get_mut(usize::from(total)) {
                        *sum += chance * orders;
                    }
                }
                None => {}
            }
        }
        ends
    }
}

/// Follows every order of draws and counts, for each set of drawn cards, its orders.
fn draw_on(hand: Hand, drawn: &mut Vec<Value>, card_limit: u8, ways: &mut BTreeMap<Vec<Value>, (End, u32)>) {
    let total = hand.total();
    let full = card_limit != 0 && hand.cards() >= card_limit;
    if hand.cards() >= 2 && (total.points >= 17 || full) {
        let end = match () {
            () if hand.is_natural() => End::Blackjack,
            () if total.is_bust() => End::Bust,
            () => End::Total(total.points),
        };
        let mut sorted = drawn.clone();
        sorted.sort();
        ways.entry(sorted).or_insert((end, 0)).1 += 1;
        return;
    }
    for value in Value::all() {
        drawn.push(value);
        draw_on(hand.with(value), drawn, card_limit, ways);
        drawn.pop();
    }
}

/// The effect of a dealer's blackjack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealerBlackjack {
    /// It beats every hand except a blackjack.
    Wins,
    /// It is a plain 21 against a hand from a split (R000.23).
    Plain,
    /// It is known to be absent: its cases do not count.
    Excluded,
}

/// The chances of the dealer's ends.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    bust: f64,
    totals: [f64; 22],
    blackjack: f64,
}

impl Ends {
    /// The expected win minus loss of a hand of so many points, not bust and no blackjack, for one unit.
    pub fn against(&self, points: u16, blackjack: DealerBlackjack) -> f64 {
        let mut sum = self.bust;
        for (total, chance) in (0u16..).zip(self.totals) {
            sum += chance * sign(points, total);
        }
        sum + match blackjack {
            DealerBlackjack::Wins => -self.blackjack,
            DealerBlackjack::Plain => self.blackjack * sign(points, TWENTY_ONE),
            DealerBlackjack::Excluded => 0.0,
        }
    }

    /// The chance that the dealer busts.
    pub fn bust(&self) -> f64 {
        self.bust
    }

    /// The chance of this total, without a blackjack.
    pub fn total(&self, points: u16) -> f64 {
        self.totals.get(usize::from(points)).copied().unwrap_or(0.0)
    }

    /// The chance of a blackjack.
    pub fn blackjack(&self) -> f64 {
        self.blackjack
    }
}

fn sign(points: u16, dealer: u16) -> f64 {
    match points.cmp(&dealer) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Less => -1.0,
    }
}
