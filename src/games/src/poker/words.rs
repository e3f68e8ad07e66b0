//! Poker's own events in plain English (spec/audit.md, "The story").

use super::called::{Called, called};
use super::{HandRules, PokerEvent, PotPaid, PotShare, SeatResult};
use crate::game::{Lying, face_up};
use crate::{Chips, Place};
use fairshoe_fairness::Card;
use std::collections::BTreeMap;

/// The places of the burnt cards and of the board.
const BURN: &str = "burn";
const BOARD: &str = "board";

impl Place {
    /// The place in plain English, with hands named by seats: `seat 1`, `the board`.
    pub fn seat_words(&self) -> String {
        match self {
            Place::Hand { spot, .. } => format!("seat {spot}"),
            Place::Spot(name) if name.as_str() == BURN => "the burnt cards".into(),
            Place::Spot(name) if name.as_str() == BOARD => "the board".into(),
            other => other.words(),
        }
    }
}

/// A hand whose hole cards all lie open.
pub(super) struct OpenHand {
    /// The hole cards.
    pub hole: Vec<Card>,
    /// Its name, once there is a flop.
    pub called: Option<Called>,
}

/// The hand at a place, if all its hole cards lie open.
pub(super) fn open_hand(rules: &HandRules, place: Place, lying: &Lying) -> Option<OpenHand> {
    let Place::Hand { .. } = place else { return None };
    let hole: Vec<Card> = lying.get(&place)?.iter().copied().collect::<Option<_>>()?;
    let board = Place::spot(BOARD).map(|board| face_up(lying, board)).unwrap_or_default();
    let called = called(rules.family, rules.hi_lo, &hole, &board);
    (hole.len() == rules.family.hole_cards()).then_some(OpenHand { hole, called })
}

fn cards_words(cards: &[Card]) -> String {
    cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

impl PokerEvent {
    /// Whether it says who won: a hand's result does.
    pub(crate) fn decides(&self) -> bool {
        true
    }

    /// The hand's result, in plain English.
    pub(crate) fn words(&self, sum: &dyn Fn(Chips) -> String) -> String {
        self.told(None, sum)
    }

    /// The same, with the names of the open hands, if the cards are known.
    pub(super) fn told(&self, cards: Option<(&HandRules, &Lying)>, sum: &dyn Fn(Chips) -> String) -> String {
        let PokerEvent::Settled { pots, uncalled, seats } = self;
        let open = |seat: u8| {
            let (rules, lying) = cards?;
            Some((seat, open_hand(rules, Place::Hand { spot: seat, hand: 1 }, lying)?))
        };
        let open: BTreeMap<u8, OpenHand> = seats.iter().filter_map(|one| open(one.seat)).collect();
        let who = |seat: u8| match seats.iter().find(|one| one.seat == seat) {
            Some(one) => format!("seat {seat} ({})", one.player),
            None => format!("seat {seat}"),
        };
        let pot = |(number, pot): (usize, &PotPaid)| {
            let name = match (number, pots.len()) {
                (0, 1) => "the pot".to_owned(),
                (0, _) => "the main pot".to_owned(),
                (number, _) => format!("side pot {number}"),
            };
            // A player who alone could win a pot needed no hand for it.
            let hand = |won: &PotShare| {
                let called = open.get(&won.seat).filter(|_| pot.seats.len() > 1)?.called.as_ref()?;
                if won.low { called.low.clone() } else { Some(called.high.clone()) }
            };
            let share = |won: &PotShare| {
                let low = if won.low { " for the low" } else { "" };
                let with = hand(won).map(|hand| format!(" with {hand}")).unwrap_or_default();
                format!("{} to {}{low}{with}", sum(won.amount), who(won.seat))
            };
            let won: Vec<String> = pot.won.iter().map(share).collect();
            let rake = if pot.rake == Chips::ZERO { String::new() } else { format!(", rake {}", sum(pot.rake)) };
            format!("{name} of {}{rake}: {}", sum(pot.amount), won.join(", and "))
        };
        let back =
            uncalled.iter().map(|back| format!("{} that nobody called back to {}", sum(back.amount), who(back.seat)));
        let shown = seats.iter().filter_map(|one| {
            let OpenHand { hole, called } = open.get(&one.seat)?;
            let called = called.as_ref().map(|called| format!(": {} ({})", called.words(), cards_words(&called.five)));
            Some(format!("{} shows {}{}", who(one.seat), cards_words(hole), called.unwrap_or_default()))
        });
        let result = |one: &SeatResult| format!("{} has {}", one.player, sum(one.stack));
        let stacks: Vec<String> = seats.iter().map(result).collect();
        let lines: Vec<String> =
            pots.iter().enumerate().map(pot).chain(back).chain(shown).chain([stacks.join(", ")]).collect();
        lines.join("; ")
    }
}
