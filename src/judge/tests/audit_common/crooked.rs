//! A dealer who cheats from the start: all they write follows from their lie, and only the seed gives it away.

use super::seed_of_round;
use crate::common::*;
use fairshoe_fairness::{Card, HouseShoe, Master, ServerSeed, ShoeRoot, Slot};
use fairshoe_games::{Action, Peek};
use fairshoe_house::{Actor, Command, Committed, Dealer, DealerError, Reference, SeedDealer, ShoeId};
use fairshoe_tlog::{RootAccumulator, leaf_hash};

#[derive(Clone, Copy, PartialEq)]
pub enum Trick {
    /// Four aces of spades too many, for the lowest cards.
    FiveAces,
    /// Each ace is a deuce of its suit: cards that the players would miss.
    NoAces,
    /// Two cards change places as they are shown.
    SwapsAtDeal,
    LiesAboutThePeek,
    /// Publishes a seed that orders another shoe.
    OtherSeed,
    /// Commits to the root of another shoe.
    OtherRoot,
    /// Has one seed for every shoe, which is public after the first.
    OneSeed,
    /// Has one seed for the first shoes of two tables, whose packs differ, and with them their roots.
    OneSeedTwoPacks,
    /// Stops the wheel one pocket further than committed.
    MovesTheWheel,
}

pub struct Crooked {
    honest: SeedDealer,
    trick: Trick,
}

impl Crooked {
    pub fn new(trick: Trick) -> Crooked {
        Crooked { honest: SeedDealer::new(Master::from_bytes(MASTER)), trick }
    }

    fn derive(&self, shoe: &ShoeId) -> (ServerSeed, HouseShoe) {
        let again = self.trick == Trick::OneSeed || self.trick == Trick::OneSeedTwoPacks && shoe.shoe_no == 0;
        if !again {
            return self.honest.derive(shoe, 0);
        }
        let seed = ServerSeed::from_bytes([0x1d; 32]);
        let house = HouseShoe::derive(&seed, &shoe.composition);
        (seed, house)
    }

    /// What the dealer says lies in the slots.
    fn values(&self, shoe: &ShoeId) -> Vec<u8> {
        let house = self.derive(shoe).1;
        let code = |text: &str| text.parse::<Card>().unwrap().code();
        let doctored = |value: u8| match self.trick {
            Trick::FiveAces if value < 4 => code("As"),
            Trick::NoAces if value.is_multiple_of(13) => value + 1,
            // The king and the seven of clubs change places: no card comes twice.
            Trick::SwapsAtDeal if value == code("Kc") => code("7c"),
            Trick::SwapsAtDeal if value == code("7c") => code("Kc"),
            Trick::MovesTheWheel => (value + 1) % 37,
            _ => value,
        };
        (0..house.len()).map(|slot| doctored(house.value(Slot(slot)).unwrap())).collect()
    }

    /// The root over what the dealer says, under the honest salts, which the openings give away.
    fn root(&self, shoe: &ShoeId) -> ShoeRoot {
        let house = self.derive(shoe).1;
        let mut root = RootAccumulator::new();
        for (slot, value) in (0u16..).zip(self.values(shoe)) {
            let mut leaf = house.open(Slot(slot)).unwrap().salt.to_vec();
            leaf.extend_from_slice(&slot.to_be_bytes());
            leaf.push(value);
            root.append(leaf_hash(&leaf));
        }
        ShoeRoot::from_bytes(root.root().0)
    }
}

impl Dealer for Crooked {
    fn commit(&self, shoe: &ShoeId, _: u8) -> Result<Vec<Committed>, DealerError> {
        let (seed, house) = self.derive(shoe);
        let mut committed = SeedDealer::committed(shoe, 0, &seed, &house);
        match self.trick {
            Trick::FiveAces | Trick::NoAces => committed.root = self.root(shoe),
            Trick::OtherRoot => committed.root = ShoeRoot::from_bytes([5; 32]),
            _ => {}
        }
        Ok(vec![committed])
    }

    fn card(&self, shoe: &ShoeId, _: u8, slot: Slot) -> Result<Card, DealerError> {
        Ok(Card::from_code(self.values(shoe)[slot.index()]).unwrap())
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        Ok(question.answer(self.card(shoe, candidate, slot)?) != (self.trick == Trick::LiesAboutThePeek))
    }

    fn wheel_value(&self, shoe: &ShoeId, _: u8, slot: Slot) -> Result<u8, DealerError> {
        Ok(self.values(shoe)[slot.index()])
    }

    fn seed(&self, shoe: &ShoeId, _: u8) -> Result<ServerSeed, DealerError> {
        if self.trick == Trick::OtherSeed { Ok(ServerSeed::from_bytes([6; 32])) } else { Ok(self.derive(shoe).0) }
    }
}

/// Hands at a solo table of a house with such a dealer.
pub fn crooked_book(trick: Trick) -> Vec<Vec<u8>> {
    let mut house = House::unstarted();
    house.dealer = Box::new(Crooked::new(trick));
    house.start().unwrap();
    house.add_player("alice", 100_000);
    house.open("t1", &[]);
    if trick == Trick::LiesAboutThePeek {
        // The card the dealer lied about is never turned up: the engine would not let the lie pass.
        house.deal("t1", "alice", 10, |cards| cards[1] == 1 && cards[3] == 10 && cards[0] == 9);
        house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
        let reason = Reference::parse("no reason").unwrap();
        house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no: 0, reason }).unwrap();
        return house.log;
    }
    if trick == Trick::OneSeedTwoPacks {
        house.open("t2", &[("decks", "2")]);
    }
    for round in 0..40 {
        let at = if trick == Trick::OneSeedTwoPacks && round % 2 == 1 { "t2" } else { "t1" };
        let seed = seed_of_round(&house, at);
        house.bet(at, "alice", 10, &seed).unwrap();
        house.reveal(at, "alice", &seed).unwrap();
        house.finish(at, "alice");
        house.run_due();
    }
    house.log
}
