use crate::{Chips, Dealing, FaceUnknown, Peek, RoundEvent};
use fairshoe_fairness::{Card, PlayerId, Slot};

/// A table that knows only what one recorded event claims.
///
/// An engine that steps on it either writes that very event again, or the event is not the one that comes next:
/// so whatever an engine would not write, it does not fold in either. Whether the claims are true (the slot is
/// the lane's next, the face is the committed one, the player had the funds) is for the house and the auditor.
pub(crate) struct Claims<'e>(pub &'e RoundEvent);

impl Dealing for Claims<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        if let RoundEvent::Dealt { slot, .. } = self.0 { Some(*slot) } else { None }
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        match self.0 {
            RoundEvent::Dealt { slot: dealt, card: Some(card), .. } if *dealt == slot => Ok(*card),
            RoundEvent::Turned { slot: turned, card } if *turned == slot => Ok(*card),
            _ => Err(FaceUnknown(slot)),
        }
    }

    fn peek(&self, slot: Slot, _question: Peek) -> Result<bool, FaceUnknown> {
        match self.0 {
            RoundEvent::Peeked { slot: peeked, blackjack } if *peeked == slot => Ok(*blackjack),
            _ => Err(FaceUnknown(slot)),
        }
    }

    /// The least funds with which everything that was offered can be paid.
    fn funds(&self, _player: &PlayerId) -> Chips {
        match self.0 {
            RoundEvent::Offered { options, .. } => options.iter().map(|offer| offer.cost).max().unwrap_or_default(),
            _ => Chips::ZERO,
        }
    }

    fn deadline(&self) -> u64 {
        if let RoundEvent::Offered { deadline, .. } = self.0 { *deadline } else { 0 }
    }
}
