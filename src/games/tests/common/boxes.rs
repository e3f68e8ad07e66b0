//! Several boxes and players: rounds as lines, and a table driven by hand.

use super::{Dice, actions, bet, cards, chips, choice, trace};
use fairshoe_fairness::{Card, Lanes, PlayerId, Slot};
use fairshoe_games::script::{Course, Script, ScriptError};
use fairshoe_games::{
    Action, ActionKind, Bet, Chips, Dealing, FaceUnknown, Illegal, Peek, Place, Placed, Round, RoundEvent, RuleSet,
    StepError,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

pub fn player(name: &str) -> PlayerId {
    name.parse().unwrap()
}

/// `ann 1:10 2:20, bob 3:10`, or a stake alone: ann's stake on box 1.
pub fn bets(text: &str) -> Vec<Placed> {
    if let Ok(stake) = text.parse() {
        return vec![super::placed(stake)];
    }
    let one = |text: &str| {
        let (name, boxes) = text.trim().split_once(' ').unwrap();
        let place_bets = |text: &str| {
            let (spot, stake) = text.split_once(':').unwrap();
            bet(spot, stake.parse().unwrap())
        };
        Placed { player: player(name), bets: boxes.split_whitespace().map(place_bets).collect::<Vec<Bet>>() }
    };
    text.split(',').map(one).collect()
}

/// A round from a line's first three columns: `bets[/balance]`, shoe, actions.
pub fn course(rules: &RuleSet, money: &str, shoe: &str, acts: &str) -> Result<Course, ScriptError> {
    let (money, balance) = money.split_once('/').unwrap_or((money, "1000000"));
    let (placed, cards, actions) = (bets(money), cards(shoe), actions(acts));
    Script { rules, placed: &placed, balance: chips(balance.parse().unwrap()), cards: &cards, actions: &actions }.play()
}

/// The whole course of a round, in one line.
pub fn traced(rules: &RuleSet, money: &str, shoe: &str, acts: &str) -> String {
    trace(&course(rules, money, shoe, acts).unwrap().events)
}

pub fn join<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// The table's own knowledge: where the next card of each lane lies, and each player's funds.
pub struct Table {
    pub cards: Vec<Card>,
    lanes: Lanes,
    pub funds: BTreeMap<PlayerId, Chips>,
    /// The slots whose faces were requested since the last check.
    asked: RefCell<Vec<Slot>>,
}

impl Dealing for Table {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.lanes.next(lane)
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.asked.borrow_mut().push(slot);
        self.cards.get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.cards[slot.index()]))
    }
    fn funds(&self, player: &PlayerId) -> Chips {
        self.funds[player]
    }
    fn deadline(&self) -> u64 {
        77
    }
}

/// A round at a table.
pub struct Play {
    pub round: Box<dyn Round>,
    pub table: Table,
    pub events: Vec<RoundEvent>,
}

impl Play {
    /// Every player has `balance` besides their bets. The order of the shoe's slots is that of `cards`, lane by lane.
    pub fn new(rules: &RuleSet, placed: &[Placed], balance: u64, cards: Vec<Card>) -> Self {
        let round = rules.open_round(placed).unwrap();
        Self::with_round(round, placed, balance, cards)
    }

    pub fn with_round(round: Box<dyn Round>, placed: &[Placed], balance: u64, cards: Vec<Card>) -> Self {
        let order = (0..u16::try_from(cards.len()).unwrap()).map(Slot).collect();
        let lanes = Lanes::new(order, round.lanes());
        let funds = placed.iter().map(|p| (p.player.clone(), chips(balance))).collect();
        Play { round, table: Table { cards, lanes, funds, asked: RefCell::default() }, events: Vec::new() }
    }

    /// `shoe` is in the order in which cards are drawn while boxes are dealt in turn.
    pub fn at(rules: &RuleSet, money: &str, shoe: &str) -> Self {
        let (money, balance) = money.split_once('/').unwrap_or((money, "1000000"));
        let mut play = Play::new(rules, &bets(money), balance.parse().unwrap(), cards(shoe));
        play.run();
        play
    }

    fn record(&mut self, event: RoundEvent) {
        self.round.apply(&event).unwrap();
        match &event {
            RoundEvent::Dealt { lane, slot, .. } => assert_eq!(self.table.lanes.draw(*lane), Some(*slot)),
            RoundEvent::Acted { player, cost, .. } => {
                let funds = self.table.funds.get_mut(player).unwrap();
                *funds = funds.minus(*cost).unwrap();
            }
            RoundEvent::Paid { lines } => {
                for line in lines {
                    let funds = self.table.funds.get_mut(&line.player).unwrap();
                    *funds = funds.plus(line.returned).unwrap();
                }
            }
            _ => {}
        }
        self.events.push(event);
    }

    /// The next automatic event. The table allows only the face of a card that is turned up right then (R001.122).
    pub fn advance(&mut self) -> Result<Option<RoundEvent>, StepError> {
        let Some(event) = self.round.step(&self.table)? else { return Ok(None) };
        let shown = match &event {
            RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { slot, .. } => vec![*slot],
            _ => vec![],
        };
        assert_eq!(self.table.asked.take(), shown, "{event:?}");
        self.record(event.clone());
        Ok(Some(event))
    }

    /// Plays automatic events as far as possible.
    pub fn try_run(&mut self) -> Result<(), StepError> {
        while self.advance()?.is_some() {}
        Ok(())
    }

    pub fn run(&mut self) {
        self.try_run().unwrap();
    }

    /// Takes a decision and goes on.
    pub fn act(&mut self, decision: u32, action: &str) -> Result<(), Illegal> {
        self.choose(decision, &action.parse().unwrap())
    }

    pub fn choose(&mut self, decision: u32, action: &Action) -> Result<(), Illegal> {
        let open = self.round.open_decisions().into_iter().find(|open| open.number == decision);
        let asked = open.map_or_else(super::ann, |open| open.player);
        let event = self.round.accept(&asked, decision, action, self.table.funds[&asked])?;
        self.record(event);
        self.run();
        Ok(())
    }

    /// Default play of a decision.
    pub fn lapse(&mut self, decision: u32) {
        let event = self.round.default_play(decision).unwrap();
        assert!(matches!(event, RoundEvent::Acted { cost: Chips::ZERO, default: true, .. }), "{event:?}");
        self.record(event);
        self.run();
    }

    /// The open decisions: `0@1/1:insurance-5 1@2/1:insurance-5`.
    pub fn open(&self) -> String {
        let one = |open: &fairshoe_games::Decision| {
            let options = self.round.options(open.number, self.table.funds[&open.player]);
            let words: Vec<String> = options.iter().map(|offer| format!("{}-{}", offer.action, offer.cost)).collect();
            format!("{}@{}:{}", open.number, open.place, words.join(","))
        };
        self.round.open_decisions().iter().map(one).collect::<Vec<_>>().join(" ")
    }

    pub fn trace(&self) -> String {
        trace(&self.events)
    }

    /// The faces dealt to a place, in order; the hole card once it is turned.
    pub fn faces(&self, at: impl Fn(&Place) -> bool) -> Vec<Card> {
        let slots = self.events.iter().filter_map(|event| match event {
            RoundEvent::Dealt { slot, to, .. } if at(to) => Some(*slot),
            _ => None,
        });
        slots.map(|slot| self.table.cards[slot.index()]).collect()
    }

    /// Plays to the end. A box's choices depend on its dice alone; `order` picks among open decisions.
    pub fn finish(&mut self, dice: &mut BTreeMap<u8, Dice>, order: &mut Dice) -> Result<(), StepError> {
        self.try_run()?;
        while !self.round.is_settled() {
            let mut open = self.round.open_decisions();
            let asked = open.swap_remove(order.below(open.len()));
            let Place::Hand { spot, .. } = asked.place else { panic!("{asked:?}") };
            let dice = dice.get_mut(&spot).unwrap();
            let funds = self.table.funds[&asked.player];
            let offers = self.round.options(asked.number, funds);
            // An offered premium may have become too dear for its player meanwhile.
            let action = match offers.len() {
                0 => Action::Insurance { take: false },
                count => {
                    let offer = offers[dice.below(count)];
                    choice(dice, offer)
                }
            };
            let action = match (action, offers.iter().find(|offer| offer.action == ActionKind::Double)) {
                (Action::Double { amount: None }, Some(offer)) => Action::Double { amount: Some(offer.cost) },
                (action, _) => action,
            };
            let event = self.round.accept(&asked.player, asked.number, &action, funds).unwrap();
            self.record(event);
            self.try_run()?;
        }
        Ok(())
    }
}

/// A shoe of so many packs in random order; with `rich`, aces, tens and low cards lie in front.
pub fn shuffled(dice: &mut Dice, packs: usize, rich: bool) -> Vec<Card> {
    let mut shoe: Vec<Card> = (0..packs).flat_map(|_| (0..52).map(|code| Card::from_code(code).unwrap())).collect();
    dice.shuffle(&mut shoe);
    if rich {
        shoe.sort_by_key(|card| !matches!(card.rank(), 1 | 2 | 8 | 10 | 13));
        let front = shoe.len() * 5 / 13;
        dice.shuffle(&mut shoe[..front]);
    }
    shoe
}
