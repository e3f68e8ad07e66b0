use crate::{Committed, Dealer, DealerError, Event, ShoeId};
use fairshoe_fairness::{Card, ServerSeed, ShoeCommitment, ShoeRoot, Slot};
use fairshoe_games::{Peek, RoundEvent};
use std::cell::RefCell;

/// A face the log showed: candidate, slot, card, and the entry that showed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceClaim {
    pub candidate: u8,
    pub slot: Slot,
    pub card: Card,
    pub entry: u64,
}

/// An answer the log gave about a card that stayed hidden.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeekClaim {
    pub candidate: u8,
    pub slot: Slot,
    pub question: Peek,
    pub answer: bool,
    pub entry: u64,
}

/// What the engine asked for and was told.
#[derive(Default)]
pub(super) struct Asked {
    pub faces: Vec<FaceClaim>,
    pub peeks: Vec<PeekClaim>,
}

/// A dealer who knows nothing but what one entry claims. What the entry does not claim he makes up: then the entry
/// decided differs from the entry logged, at the very event where the log left the rules.
pub(super) struct ClaimsDealer<'e> {
    index: u64,
    events: &'e [Event],
    asked: RefCell<Asked>,
}

impl<'e> ClaimsDealer<'e> {
    pub fn new(index: u64, events: &'e [Event]) -> Self {
        ClaimsDealer { index, events, asked: RefCell::default() }
    }

    pub fn into_asked(self) -> Asked {
        self.asked.into_inner()
    }

    fn plays(&self) -> impl Iterator<Item = &'e RoundEvent> {
        self.events.iter().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
    }
}

/// The lowest card: any would do where the log claims none.
fn made_up_card(shoe: &ShoeId) -> Result<Card, DealerError> {
    Card::from_code(0).ok_or_else(|| shoe.unknown("any card"))
}

impl Dealer for ClaimsDealer<'_> {
    fn commit(&self, _: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        let claimed = self.events.iter().find_map(|event| match event {
            Event::ShoeCommitted { candidates, .. } => Some(candidates),
            _ => None,
        });
        let made_up = || Committed { commitment: ShoeCommitment::from_bytes([0; 32]), root: ShoeRoot::from_bytes([0; 32]) };
        let claimed = claimed.into_iter().flatten().cloned();
        Ok(claimed.chain(std::iter::repeat_with(made_up)).take(usize::from(candidates)).collect())
    }

    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        let claimed = self.plays().find_map(|play| match play {
            RoundEvent::Dealt { slot: shown, card: Some(card), .. } if *shown == slot => Some(*card),
            RoundEvent::Turned { slot: shown, card } if *shown == slot => Some(*card),
            _ => None,
        });
        let Some(card) = claimed else { return made_up_card(shoe) };
        self.asked.borrow_mut().faces.push(FaceClaim { candidate, slot, card, entry: self.index });
        Ok(card)
    }

    fn peek(&self, _: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        let claimed = self.plays().find_map(|play| match play {
            RoundEvent::Peeked { slot: peeked, blackjack } if *peeked == slot => Some(*blackjack),
            _ => None,
        });
        let answer = claimed.unwrap_or_default();
        self.asked.borrow_mut().peeks.push(PeekClaim { candidate, slot, question, answer, entry: self.index });
        Ok(answer)
    }

    fn seed(&self, _: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        let index = usize::from(candidate);
        let revealed = self.events.iter().find_map(|event| match event {
            Event::ShoeRevealed { seeds, .. } => seeds.get(index),
            _ => None,
        });
        let of_others = || {
            self.events.iter().find_map(|event| match event {
                Event::RoundOpened { pick, others, .. } => others.get(if candidate > *pick { index.checked_sub(1)? } else { index }),
                _ => None,
            })
        };
        Ok(revealed.or_else(of_others).cloned().unwrap_or_else(|| ServerSeed::from_bytes([0; 32])))
    }
}
