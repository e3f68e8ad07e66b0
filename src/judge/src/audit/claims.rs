//! The log's claims about faces, and the dealer that answers a second decision from these alone (spec/audit.md, "How an
//! entry is checked").

use super::piece::shoes_of;
use fairshoe_fairness::{Card, DrawLink, Opening, ServerSeed, ShoeCommitment, ShoeRoot, Slot, TableContext};
use fairshoe_games::{Peek, Round, RoundEvent};
use fairshoe_house::{Committed, Dealer, DealerError, Event, ShoeId, Table, TournamentEvent};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::fmt;

/// The value in a slot: a card, or a wheel's committed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// A card of a shoe or a deck.
    Card(Card),
    /// A wheel's value, or that of three dice.
    Wheel(u8),
}

impl Face {
    /// The value that the slot's leaf commits to.
    pub fn value(self) -> u8 {
        match self {
            Face::Card(card) => card.code(),
            Face::Wheel(value) => value,
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Face::Card(card) => card.fmt(f),
            Face::Wheel(value) => value.fmt(f),
        }
    }
}

/// A face the log showed: shoe, candidate, slot, face, and the entry that showed it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaceClaim {
    pub shoe_no: u64,
    pub candidate: u8,
    pub slot: Slot,
    pub face: Face,
    pub entry: u64,
}

/// An answer the log gave about a card that stayed hidden.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeekClaim {
    pub shoe_no: u64,
    pub candidate: u8,
    pub slot: Slot,
    pub question: Peek,
    pub answer: bool,
    pub entry: u64,
}

/// The engine's questions and the answers.
#[derive(Default)]
pub(super) struct Asked {
    pub faces: Vec<FaceClaim>,
    pub peeks: Vec<PeekClaim>,
}

/// A dealer that knows only the claims of one entry. It makes up everything else: then the entry decided differs from
/// the entry logged, at the very event where the log left the rules.
pub(super) struct ClaimsDealer<'e> {
    index: u64,
    events: &'e [Event],
    /// The numbers of the shoes in use: a game's piles, the first deal's first; elsewhere the one shoe.
    piles: Vec<u64>,
    /// The game in progress.
    game: Option<&'e dyn Round>,
    /// The one that the game is on.
    current: Option<u64>,
    asked: RefCell<Asked>,
    /// How many openings of a sealed shoe were given out.
    opened: Cell<usize>,
    /// How many cards were turned up.
    turned_up: Cell<usize>,
    /// The cards that were turned up, each with its shoe's number.
    given: RefCell<Vec<(u64, Card)>>,
    /// Whether the entry shows a card that its game has seen before.
    shows_again: Cell<bool>,
}

impl<'e> ClaimsDealer<'e> {
    pub fn new(index: u64, events: &'e [Event], table: Option<&'e Table>) -> Self {
        let piles: Vec<u64> = table.into_iter().flat_map(shoes_of).map(|shoe| shoe.id.shoe_no).collect();
        let game = table.and_then(Table::live_round).map(|round| &*round.game);
        // A pile whose shuffle fails deals no card: the game is still on the one before it.
        let failed = events.iter().any(|event| matches!(event, Event::PileFailed { .. }));
        let current = piles.iter().rev().nth(usize::from(failed)).copied();
        let (asked, opened, turned_up, given, shows_again) = Default::default();
        ClaimsDealer { index, events, piles, game, current, asked, opened, turned_up, given, shows_again }
    }

    fn is_of(&self, shoe: &ShoeId, pile: Option<u16>) -> bool {
        let number = pile.map_or(self.current, |pile| self.piles.get(usize::from(pile)).copied());
        number == Some(shoe.shoe_no)
    }

    pub fn shows_again(&self) -> bool {
        self.shows_again.get()
    }

    pub fn into_asked(self) -> Asked {
        self.asked.into_inner()
    }

    fn plays(&self) -> impl Iterator<Item = &'e RoundEvent> {
        self.events.iter().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
    }
}

impl ClaimsDealer<'_> {
    /// The lowest card that the entry's own answers about the slot allow, that may still come, and that the entry shows
    /// nowhere. With another the rules might not go on to where the entry differs.
    fn made_up_card(&self, shoe: &ShoeId, slot: Slot) -> Result<Card, DealerError> {
        let asked = self.asked.borrow();
        let fits = |card: &Card| {
            let mut of_slot = asked.peeks.iter().filter(|peek| (peek.shoe_no, peek.slot) == (shoe.shoe_no, slot));
            of_slot.all(|peek| peek.question.answer(*card) == peek.answer)
                && self.game.is_none_or(|game| game.may_be(slot, *card))
        };
        let comes = |card: &Card| !self.was_seen(shoe, *card);
        let is_shown = |card: &Card| self.shown().any(|(_, shown)| shown == *card);
        let cards = || (0..Card::COUNT).filter_map(Card::from_code).filter(fits);
        let card = cards().find(|card| comes(card) && !is_shown(card)).or_else(|| cards().find(comes));
        card.or_else(|| cards().next()).ok_or_else(|| shoe.unknown("any card"))
    }

    /// Whether the game keeps account of this shoe's cards, and this one came before.
    fn was_seen(&self, shoe: &ShoeId, card: Card) -> bool {
        let pile = self.piles.iter().position(|number| *number == shoe.shoe_no).and_then(|at| u16::try_from(at).ok());
        let may_come = self.game.zip(pile).and_then(|(game, pile)| game.may_come(pile, card));
        may_come.is_some_and(|may_come| !may_come || self.given.borrow().contains(&(shoe.shoe_no, card)))
    }

    /// The cards that the entry turns up, in their order.
    fn shown(&self) -> impl Iterator<Item = (&RoundEvent, Card)> {
        self.plays().filter_map(|play| match play {
            RoundEvent::Dealt { card, .. } => card.map(|card| (play, card)),
            RoundEvent::Turned { card, .. } => Some((play, *card)),
            _ => None,
        })
    }

    /// The entry's events of a tournament.
    fn tournament(&self) -> impl Iterator<Item = &TournamentEvent> {
        self.events.iter().filter_map(|event| if let Event::Tournament(event) = event { Some(&**event) } else { None })
    }
}

impl Dealer for ClaimsDealer<'_> {
    /// Whether it is the end of the chain shows with each draw, whose number must lead to it.
    fn draw_tip(&self, _: &TableContext) -> Result<DrawLink, DealerError> {
        let claimed = self.tournament().find_map(|event| match event {
            TournamentEvent::Created { tip, .. } => Some(tip.clone()),
            _ => None,
        });
        Ok(claimed.unwrap_or_else(|| DrawLink::from_bytes([0; 32])))
    }

    fn draw_link(&self, _: &TableContext, draw_no: u16) -> Result<DrawLink, DealerError> {
        let claimed = self.tournament().find_map(|event| match event {
            TournamentEvent::SeatsDrawn { draw_no: of, link, .. } if *of == draw_no => Some(link.clone()),
            _ => None,
        });
        Ok(claimed.unwrap_or_else(|| DrawLink::from_bytes([0; 32])))
    }

    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        let claimed = self.events.iter().find_map(|event| match event {
            Event::ShoeCommitted { shoe_no, candidates, .. } if *shoe_no == shoe.shoe_no => Some(candidates),
            _ => None,
        });
        let made_up =
            || Committed { commitment: ShoeCommitment::from_bytes([0; 32]), root: ShoeRoot::from_bytes([0; 32]) };
        let claimed = claimed.into_iter().flatten().cloned();
        Ok(claimed.chain(std::iter::repeat_with(made_up)).take(usize::from(candidates)).collect())
    }

    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        let face = |play: &RoundEvent| match play {
            RoundEvent::Dealt { slot: shown, card: Some(card), .. } if *shown == slot && self.is_of(shoe, None) => {
                Some(*card)
            }
            RoundEvent::Turned { pile, slot: shown, card } if *shown == slot && self.is_of(shoe, *pile) => Some(*card),
            _ => None,
        };
        let nth = self.turned_up.replace(self.turned_up.get().saturating_add(1));
        let in_turn = self.shown().nth(nth);
        let claimed = in_turn.and_then(|(play, _)| face(play)).or_else(|| self.plays().find_map(face));
        // A card that came before cannot come again: the rules go on with another, and the entry differs there.
        let again = claimed.is_some_and(|card| self.was_seen(shoe, card));
        self.shows_again.set(self.shows_again.get() || again);
        let claimed = claimed.filter(|_| !again);
        let card = claimed.map_or_else(|| self.made_up_card(shoe, slot), Ok)?;
        self.given.borrow_mut().push((shoe.shoe_no, card));
        if claimed.is_some() {
            let face = Face::Card(card);
            self.asked.borrow_mut().faces.push(FaceClaim {
                shoe_no: shoe.shoe_no,
                candidate,
                slot,
                face,
                entry: self.index,
            });
        }
        Ok(card)
    }

    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        let claimed = self.plays().find_map(|play| match play {
            RoundEvent::Spun { slot: spun, value, .. } if *spun == slot => Some(*value),
            _ => None,
        });
        let Some(value) = claimed.filter(|value| *value < shoe.composition.value_limit()) else { return Ok(0) };
        let claim = FaceClaim { shoe_no: shoe.shoe_no, candidate, slot, face: Face::Wheel(value), entry: self.index };
        self.asked.borrow_mut().faces.push(claim);
        Ok(value)
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        let claimed = self.plays().find_map(|play| match play {
            RoundEvent::Peeked { slot: peeked, blackjack } if *peeked == slot => Some(*blackjack),
            _ => None,
        });
        let answer = claimed.unwrap_or_default();
        self.asked.borrow_mut().peeks.push(PeekClaim {
            shoe_no: shoe.shoe_no,
            candidate,
            slot,
            question,
            answer,
            entry: self.index,
        });
        Ok(answer)
    }

    fn open(&self, shoe: &ShoeId, _candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        // One after another, whatever they open: that each is of the slot that was shown is checked where the faces
        // are.
        let place = self.opened.replace(self.opened.get().saturating_add(1));
        let claimed = self.events.iter().find_map(|event| match event {
            Event::ShoeSealed { shoe_no, openings } if *shoe_no == shoe.shoe_no => openings.get(place),
            _ => None,
        });
        // A slot that the log does not open gets an empty opening: then the entry decided differs from it.
        Ok(claimed.cloned().unwrap_or(Opening { slot, value: 0, salt: [0; 16], path: Vec::new() }))
    }

    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        let index = usize::from(candidate);
        let revealed = self.events.iter().find_map(|event| match event {
            Event::ShoeRevealed { shoe_no, seeds, .. } if *shoe_no == shoe.shoe_no => seeds.get(index),
            _ => None,
        });
        let of_others = || {
            self.events.iter().find_map(|event| match event {
                Event::RoundOpened { pick, others, .. } => {
                    others.get(if candidate > *pick { index.checked_sub(1)? } else { index })
                }
                _ => None,
            })
        };
        Ok(revealed.or_else(of_others).cloned().unwrap_or_else(|| ServerSeed::from_bytes([0; 32])))
    }
}
