//! The engine, fed with the claims of a recorded event: the auditor and every fold check an event this way. Each
//! engine's own `step` and `accept` decide (spec/audit.md, "How an entry is checked").

use crate::{Chips, Dealing, FaceUnknown, Inapplicable, Peek, Round, RoundEvent, Spin, TurnClock};
use fairshoe_fairness::{Card, PlayerId, Slot};

/// A table that knows only what one recorded event claims.
///
/// An engine that steps on it either writes this same event again, or the event does not come next. So a fold takes
/// only events that an engine would write. The house and the auditor check whether the claims are true: the slot is the
/// lane's next, the face is the committed one, the player had the funds.
pub(crate) struct Claims<'e>(pub &'e RoundEvent);

impl Dealing for Claims<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        if let RoundEvent::Dealt { slot, .. } = self.0 { Some(*slot) } else { None }
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        match self.0 {
            RoundEvent::Dealt { slot: dealt, card: Some(card), .. } if *dealt == slot => Ok(*card),
            RoundEvent::Turned { pile: None, slot: turned, card } if *turned == slot => Ok(*card),
            _ => Err(FaceUnknown(slot)),
        }
    }

    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        match self.0 {
            RoundEvent::Turned { pile: Some(from), slot: turned, card } if (*from, *turned) == (pile, slot) => {
                Ok(*card)
            }
            _ => Err(FaceUnknown(slot)),
        }
    }

    /// The house checks that the pocket follows from the value and the round's entropy.
    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(match *self.0 {
            RoundEvent::Spun { slot, value, pocket } => Some(Spin { slot, value, pocket }),
            _ => None,
        })
    }

    fn peek(&self, slot: Slot, _question: Peek) -> Result<bool, FaceUnknown> {
        match self.0 {
            RoundEvent::Peeked { slot: peeked, blackjack } if *peeked == slot => Ok(*blackjack),
            _ => Err(FaceUnknown(slot)),
        }
    }

    /// The least funds that pay for each option offered; zero for a player who was offered none.
    fn funds(&self, asked: &PlayerId) -> Chips {
        match self.0 {
            RoundEvent::Offered { player, options, .. } if player == asked => {
                options.iter().map(|offer| offer.cost).max().unwrap_or_default()
            }
            _ => Chips::ZERO,
        }
    }

    fn deadline(&self) -> u64 {
        if let RoundEvent::Offered { deadline, .. } = self.0 { *deadline } else { 0 }
    }

    fn turn_clock(&self, _player: &PlayerId, _extra_ms: u64) -> TurnClock {
        match *self.0 {
            RoundEvent::Offered { bank_from, deadline, extra_ms, .. } => TurnClock { bank_from, deadline, extra_ms },
            _ => TurnClock { bank_from: None, deadline: 0, extra_ms: 0 },
        }
    }
}

/// Whether this engine, given the event's claims, would have written it here.
pub(crate) fn admit(round: &dyn Round, event: &RoundEvent) -> Result<(), Inapplicable> {
    let word = event.word();
    let expected = match event {
        RoundEvent::Acted { decision, default: true, .. } => {
            round.default_play(*decision).map(Some).map_err(|e| e.to_string())
        }
        RoundEvent::Acted { decision, player, action, cost, .. } => {
            round.accept(player, *decision, action, *cost).map(Some).map_err(|e| e.to_string())
        }
        _ => round.step(&Claims(event)).map_err(|_| format!("`{word}` does not come next")),
    };
    match expected.map_err(Inapplicable)? {
        Some(expected) if expected == *event => Ok(()),
        Some(expected) if expected.word() == word => {
            Err(Inapplicable(format!("this is not the `{word}` that comes next")))
        }
        Some(expected) => Err(Inapplicable(format!("`{}` comes next, not `{word}`", expected.word()))),
        None if round.is_settled() => Err(Inapplicable("the round is settled".into())),
        None => Err(Inapplicable("a decision is open".into())),
    }
}
