//! Cash tables: buy-ins, commitments, hands played by chance.

use super::rng::Rng;
use super::shared::{rules, the};
use super::*;
use fairshoe_fairness::{Opening, ServerSeed, Slot};
use fairshoe_games::poker::{EntryChoice, HandStart, PokerEvent, PotPaid, SeatResult};
use fairshoe_games::{Offer, Peek, SeatChips};
use fairshoe_house::{Committed, DealerError, ShoeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

impl House {
    /// A started house with the cash table `t1` and these players, a million each.
    pub fn poker(name: &str, options: &[(&str, &str)], players: &[&str]) -> House {
        let mut house = House::new();
        for who in players {
            house.add_player(who, 1_000_000);
        }
        house.open_rules("t1", rules(name, options));
        house
    }

    pub fn buy_in(&mut self, at: &str, who: &str, seat: u8, amount: u64) -> Result<Entry, DecideError> {
        let command = Command::SitDown {
            table: table(at),
            seat,
            buy_in: chips(amount),
            client: None,
            entry: Some(EntryChoice::Post),
        };
        self.give(&by(who), command)
    }

    /// These players sit on seats 1, 2 … with this many chips each, and the first hand is called.
    pub fn buy_in_all(&mut self, at: &str, players: &[&str], amount: u64) {
        for (seat, who) in (1..).zip(players) {
            self.buy_in(at, who, seat, amount).unwrap();
        }
        self.run_due();
    }

    pub fn commit_hand(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        let round_no = self.table(at).next_round;
        let commitment = self.commitment_for(at, who);
        self.give(&by(who), Command::CommitHandSeed { table: table(at), round_no, commitment })
    }

    /// Everyone who is awaited commits, the house closes the call, all seeds come out: the hand is dealt.
    pub fn deal_hand(&mut self, at: &str) -> Entry {
        let expected: Vec<String> = self.table(at).call().unwrap().awaited.iter().map(ToString::to_string).collect();
        for who in expected {
            if !self.table(at).call().unwrap().seeds.contains_key(&player(&who)) {
                self.commit_hand(at, &who).unwrap();
            }
        }
        self.run_due();
        self.show_all(at)
    }

    pub fn stack(&self, at: &str, who: &str) -> u64 {
        self.table(at).cash_seat(&player(who)).unwrap().1.stack.units()
    }

    pub fn rake(&self) -> i64 {
        self.state.ledger().balance(&Account::Rake).unwrap()
    }

    /// The offers of the open decision, and whose it is.
    pub fn offers(&self, at: &str) -> Option<(String, Vec<Offer>)> {
        let round = self.table(at).live_round()?;
        let open = round.game.open_decisions().into_iter().next()?;
        Some((open.player.to_string(), round.game.options(open.number, chips(0))))
    }

    /// A legal choice by chance.
    pub fn some_action(&self, at: &str, rng: &mut Rng) -> Option<(String, Action)> {
        let (who, offers) = self.offers(at)?;
        let offer = if rng.one_in(3) { offers[rng.below(offers.len())] } else { offers[offers.len().min(2) - 1] };
        let to = |rng: &mut Rng| {
            let (least, most) = offer.to.unwrap();
            match rng.below(4) {
                0 => most,
                1 | 2 => least,
                _ => chips(least.units() + rng.below((most.units() - least.units() + 1) as usize) as u64),
            }
        };
        let action = match offer.action {
            ActionKind::Fold => Action::Fold,
            ActionKind::Check => Action::Check,
            ActionKind::Call => Action::Call,
            ActionKind::Bet => Action::Bet { to: to(rng) },
            ActionKind::Raise => Action::Raise { to: to(rng) },
            ActionKind::Show => Action::Show,
            ActionKind::Muck => Action::Muck,
            other => panic!("{other} is no action of poker"),
        };
        Some((who, action))
    }
}

/// Cards that lie in the slots of shoes, where a test says so.
type PlacedCards = Rc<RefCell<HashMap<(u64, u16), Card>>>;

/// Deals the cards that were laid; commitments, seeds and openings are the honest ones, so that no auditor believes it.
struct Wished(SeedDealer, PlacedCards);

impl Dealer for Wished {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        self.0.commit(shoe, candidates)
    }
    fn card(&self, shoe: &ShoeId, _: u8, slot: Slot) -> Result<Card, DealerError> {
        Ok(*self.1.borrow().get(&(shoe.shoe_no, slot.0)).expect("a card of a hand that was not wished for"))
    }
    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        self.0.peek(shoe, candidate, slot, question)
    }
    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        self.0.wheel_value(shoe, candidate, slot)
    }
    fn open(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        self.0.open(shoe, candidate, slot)
    }
    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        self.0.seed(shoe, candidate)
    }
}

/// A cash table `t1` where the hands are dealt that a test wishes for.
pub struct Room {
    pub house: House,
    placed_cards: PlacedCards,
}

impl Deref for Room {
    type Target = House;
    fn deref(&self) -> &House {
        &self.house
    }
}

impl DerefMut for Room {
    fn deref_mut(&mut self) -> &mut House {
        &mut self.house
    }
}

/// `Ah Kd` as cards.
pub fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// `raise 600` as an action.
pub fn action(text: &str) -> Action {
    let (word, to) = text.split_once(' ').map_or((text, None), |(word, to)| (word, Some(chips(to.parse().unwrap()))));
    match (word, to) {
        ("fold", None) => Action::Fold,
        ("check", None) => Action::Check,
        ("call", None) => Action::Call,
        ("bet", Some(to)) => Action::Bet { to },
        ("raise", Some(to)) => Action::Raise { to },
        ("show", None) => Action::Show,
        ("muck", None) => Action::Muck,
        _ => panic!("no action: {text}"),
    }
}

/// Stakes 100/200 without a rake and with any buy-in, a second for a turn and no time bank.
pub const PLAIN: [(&str, &str); 4] = [
    (
        "hand",
        r#"{"family":"holdem","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true}"#,
    ),
    ("stake_min", "200"),
    ("stake_max", "1000000"),
    ("clocks", r#"{"street_extra_ms":[0,0,0,0],"bank_ms":0,"bank_refill_ms":0}"#),
];

impl Room {
    /// Seats 1, 2 … with these players and stacks; options beside [`PLAIN`]. The first hand is called.
    pub fn new(options: &[(&str, &str)], players: &[(&str, u64)]) -> Room {
        let mut room = Room::empty(options, &players.iter().map(|(who, _)| *who).collect::<Vec<_>>());
        for (seat, (who, stack)) in (1..).zip(players) {
            room.buy_in("t1", who, seat, *stack).unwrap();
        }
        room.run_due();
        room
    }

    /// A table where nobody sits, and players with 2,000,000 each.
    pub fn empty(options: &[(&str, &str)], players: &[&str]) -> Room {
        let mut house = House::new();
        for who in players {
            house.add_player(who, 2_000_000);
        }
        let placed_cards = PlacedCards::default();
        house.dealer = Box::new(Wished(SeedDealer::new(Master::from_bytes(MASTER)), placed_cards.clone()));
        let options: Vec<_> = PLAIN.iter().chain(options).copied().collect();
        house.open_rules("t1", rules("holdem", &options));
        Room { house, placed_cards }
    }

    /// Everyone awaited commits, and the house closes the call.
    pub fn close_call(&mut self) -> Entry {
        let call = self.table("t1").call().cloned().expect("no hand is being called");
        for who in call.awaited.iter().filter(|who| !call.seeds.contains_key(*who)) {
            self.commit_hand("t1", who.as_str()).unwrap();
        }
        let mut done = self.run_due();
        assert_eq!(done.len(), 1, "the call is not closed");
        done.remove(0)
    }

    /// What the last hand that began was played for.
    pub fn start(&self) -> HandStart {
        let starts = entries(&self.log).into_iter().flat_map(|entry| entry.events);
        let starts = starts.filter_map(some!(Event::HandBegun { hand, .. } => hand));
        starts.last().expect("no hand has begun")
    }

    /// Lays hole cards and board where the hand that was closed will find them; what is not named is anything else.
    pub fn place_cards(&mut self, holes: &[(&str, &str)], board: &str) {
        let at = self.table("t1");
        let (round, shoe) = (at.live_round().unwrap(), at.shoe.clone().unwrap());
        let seeds: Vec<_> = round
            .contributors
            .iter()
            .map(|c| (c.placed.player.clone(), self.seed_for("t1", c.placed.player.as_str())))
            .collect();
        let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
        let entropy = round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, round.round_no, &seeds).unwrap();
        let order = PublicShuffle::new(&entropy, 2, &shoe.undrawn).order;
        let hands: Vec<(String, Vec<Card>)> =
            holes.iter().map(|(who, hand)| ((*who).to_owned(), cards(hand))).collect();
        let board = cards(board);
        let mut rest: Vec<Card> = (0..52).filter_map(Card::from_code).collect();
        rest.retain(|card| !board.contains(card) && hands.iter().all(|(_, hand)| !hand.contains(card)));
        let start = self.start();
        let each = if self.table("t1").rules.name.starts_with("omaha") { 4 } else { 2 };
        let mut draws: Vec<Option<Card>> = Vec::new();
        for nth in 0..each {
            let hand =
                |who: &str| hands.iter().find(|(name, _)| name == who).and_then(|(_, hand)| hand.get(nth).copied());
            draws.extend(start.seats.iter().map(|seat| hand(seat.player.as_str())));
        }
        let card = |n: usize| board.get(n).copied();
        draws.extend([None, card(0), card(1), card(2), None, card(3), None, card(4)]);
        let shoe_no = shoe.id.shoe_no;
        for (slot, card) in order.into_iter().zip(draws) {
            let card = card.unwrap_or_else(|| rest.pop().unwrap());
            self.placed_cards.borrow_mut().insert((shoe_no, slot.0), card);
        }
    }

    /// A hand with these hole cards and this board, up to its first question; the entry that dealt it.
    pub fn deal_wished(&mut self, holes: &[(&str, &str)], board: &str) -> Entry {
        self.close_call();
        self.place_cards(holes, board);
        self.show_all("t1")
    }

    /// A hand with any cards, up to its first question.
    pub fn deal_any(&mut self) -> Entry {
        self.deal_wished(&[], "")
    }

    /// `alice raise 600, bob fold`: choices, each by the player whose turn it must be; the last entry.
    #[track_caller]
    pub fn play(&mut self, script: &str) -> Entry {
        let mut last = None;
        for step in script.split(',').map(str::trim) {
            let (who, what) = step.split_once(' ').unwrap();
            assert_eq!(self.asked("t1"), [who], "{step}");
            last = Some(self.choose("t1", who, action(what)).unwrap_or_else(|e| panic!("{step}: {e}")));
        }
        last.unwrap()
    }

    /// Everybody gives up until the hand is over: quick hands that count.
    pub fn fold_out(&mut self) {
        while let Some(who) = self.asked("t1").first().cloned() {
            self.choose("t1", &who, Action::Fold).unwrap();
        }
        self.run_due();
    }

    /// So many hands that everybody gives up; the next one is called.
    pub fn quick_hands(&mut self, hands: usize) {
        for _ in 0..hands {
            self.deal_any();
            self.fold_out();
        }
    }

    /// The stacks of these players.
    pub fn stacks(&self, players: &[&str]) -> Vec<u64> {
        players.iter().map(|who| self.stack("t1", who)).collect()
    }

    /// Stacks, rake, and everybody's balance: what a void brings back.
    pub fn money(&self) -> Vec<i64> {
        let at = self.table("t1");
        let seats = (1..=at.rules.table.seats)
            .map(|seat| self.state.ledger().balance(&Account::Seat(at.id.clone(), seat)).unwrap());
        let players = at.seats.values().map(|seat| self.balance(seat.player.as_str()) as i64);
        seats.chain(players).chain([self.rake()]).collect()
    }
}

/// The hand's settlement in an entry.
#[track_caller]
pub fn settled(entry: &Entry) -> (Vec<PotPaid>, Option<SeatChips>, Vec<SeatResult>) {
    the(
        entry,
        some!(Event::Play(RoundEvent::Poker(PokerEvent::Settled { pots, uncalled, seats })) => (pots.clone(), *uncalled, seats.clone())),
    )
}

/// What each player came out with, by name.
pub fn net(entry: &Entry) -> Vec<(String, i64)> {
    let mut net: Vec<(String, i64)> = settled(entry)
        .2
        .iter()
        .map(|seat| (seat.player.to_string(), seat.got.signed() - seat.put_in.signed()))
        .collect();
    net.sort();
    net
}

/// The faces that an entry turned up, as text.
pub fn turned(entry: &Entry) -> String {
    let faces = entry.events.iter().filter_map(some!(Event::Play(RoundEvent::Turned { card, .. }) => card.to_string()));
    faces.collect::<Vec<_>>().join(" ")
}

impl House {
    pub fn sit_out(&mut self, who: &str) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::SitOut { table: table("t1") })
    }

    pub fn add_chips(&mut self, who: &str, amount: u64) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::AddChips { table: table("t1"), amount: chips(amount) })
    }
}
