//! A dealer that keeps what it derived, the same as `SeedDealer`'s: tests of many thousand hands have the same decks and
//! the same chains of draws again and again.

use crate::common::MASTER;
use fairshoe_fairness::{Card, DrawChain, DrawLink, HouseShoe, Master, Opening, ServerSeed, Slot, TableContext};
use fairshoe_games::Peek;
use fairshoe_house::{Committed, Dealer, DealerError, SeedDealer, ShoeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// So many decks are kept, and then all are forgotten.
const KEPT: usize = 8_192;

type Derived = Rc<(ServerSeed, HouseShoe)>;

#[derive(Default)]
struct Known {
    shoes: HashMap<(ShoeId, u8), Derived>,
    chains: HashMap<TableContext, Rc<DrawChain>>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// The dealer of this thread's houses.
pub struct Keeping(SeedDealer);

impl Keeping {
    pub fn dealer() -> Box<dyn Dealer> {
        Box::new(Keeping(SeedDealer::new(Master::from_bytes(MASTER))))
    }

    fn derived(&self, shoe: &ShoeId, candidate: u8) -> Derived {
        KNOWN.with_borrow_mut(|known| {
            if known.shoes.len() > KEPT {
                known.shoes.clear();
            }
            let derive = || Rc::new(self.0.derive(shoe, candidate));
            known.shoes.entry((shoe.clone(), candidate)).or_insert_with(derive).clone()
        })
    }

    fn chain(&self, event: &TableContext) -> Rc<DrawChain> {
        KNOWN.with_borrow_mut(|known| {
            let derive = || Rc::new(self.0.draw_chain(event));
            known.chains.entry(event.clone()).or_insert_with(derive).clone()
        })
    }
}

impl Dealer for Keeping {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        let committed = |candidate| {
            let derived = self.derived(shoe, candidate);
            SeedDealer::committed(shoe, candidate, &derived.0, &derived.1)
        };
        Ok((0..candidates).map(committed).collect())
    }

    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        self.derived(shoe, candidate).1.card(slot).ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        self.card(shoe, candidate, slot).map(|card| question.answer(card))
    }

    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        self.0.wheel_value(shoe, candidate, slot)
    }

    fn open(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        self.derived(shoe, candidate).1.open(slot).ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn draw_tip(&self, event: &TableContext) -> Result<DrawLink, DealerError> {
        self.chain(event).tip().ok_or_else(|| DealerError::unknown_draw(event, "the end of its chain"))
    }

    fn draw_link(&self, event: &TableContext, draw_no: u16) -> Result<DrawLink, DealerError> {
        let unknown = || DealerError::unknown_draw(event, &format!("the number of draw {draw_no}"));
        self.chain(event).link(draw_no).ok_or_else(unknown)
    }

    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        self.0.seed(shoe, candidate)
    }
}
