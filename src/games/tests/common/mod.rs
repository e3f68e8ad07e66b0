//! Tables as tests: one line is one round and its outcome.

pub mod boxes;
pub mod rows;

use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::blackjack::BlackjackRules;
use fairshoe_games::script::{Course, Script, ScriptError};
use fairshoe_games::{
    Action, ActionKind, Bet, Chips, Dealing, FaceUnknown, GameRules, Offer, Peek, Place, Placed, RoundEvent, RuleSet,
    Wager,
};

pub fn joy() -> RuleSet {
    RuleSet::shipped("joy").unwrap()
}

pub fn joy_with(options: &[(&str, &str)]) -> RuleSet {
    joy().with_options(options.iter().copied()).unwrap()
}

/// A shipped rule set with options set.
pub fn rules_with(name: &str, options: &[(&str, &str)]) -> RuleSet {
    RuleSet::shipped(name).unwrap().with_options(options.iter().copied()).unwrap()
}

/// The blackjack options of a rule set.
pub fn options_of(rules: &RuleSet) -> BlackjackRules {
    match &rules.game {
        GameRules::Blackjack(options) => options.clone(),
        other => panic!("{} is no blackjack", other.word()),
    }
}

pub fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

pub fn ann() -> PlayerId {
    "ann".parse().unwrap()
}

pub fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

pub fn actions(text: &str) -> Vec<Action> {
    text.split_whitespace().map(|action| action.parse().unwrap()).collect()
}

pub fn bet(spot: &str, stake: u64) -> Bet {
    Bet { spot: spot.to_owned(), stake: chips(stake), chips: None }
}

pub fn placed(stake: u64) -> Placed {
    Placed { player: ann(), bets: vec![bet("1", stake)] }
}

/// More than the cost of any round here.
pub const RICH: u64 = 1_000_000;

pub fn play_as(rules: &RuleSet, stake: u64, balance: u64, shoe: &str, acts: &str) -> Result<Course, ScriptError> {
    let (cards, actions) = (cards(shoe), actions(acts));
    Script { rules, placed: &[placed(stake)], balance: chips(balance), cards: &cards, actions: &actions }.play()
}

pub fn play(stake: u64, shoe: &str, acts: &str) -> Course {
    play_as(&joy(), stake, RICH, shoe, acts).unwrap()
}

/// Cards that left the shoe.
pub fn drawn(events: &[RoundEvent]) -> usize {
    events.iter().filter(|event| matches!(event, RoundEvent::Dealt { .. })).count()
}

/// The code of the refusal of a script.
pub fn refusal(error: ScriptError) -> String {
    match error {
        ScriptError::Bet(refusal) => refusal.code().to_owned(),
        ScriptError::Illegal { reason, .. } => reason.code().to_owned(),
        ScriptError::ActionsLeft { .. } => "round_over".to_owned(),
        other => panic!("{other}"),
    }
}

/// A round in one line: `1/1+As` dealt, `D+##` face-down, `D=7c` turned, `?1/1:hit,stand` asked, `!hit` or `!double-5`
/// done, `peek:no`, `$1/1:win:10`, `$insurance:loss:0`.
pub fn trace(events: &[RoundEvent]) -> String {
    let place = |place: &Place| if *place == Place::Dealer { "D".to_owned() } else { place.to_string() };
    let words = events.iter().map(|event| match event {
        RoundEvent::Dealt { to, card: Some(card), .. } => format!("{}+{card}", place(to)),
        RoundEvent::Dealt { to, card: None, .. } => format!("{}+##", place(to)),
        RoundEvent::Turned { card, .. } => format!("D={card}"),
        RoundEvent::Peeked { blackjack, .. } => format!("peek:{}", if *blackjack { "yes" } else { "no" }),
        RoundEvent::Offered { place: at, options, .. } => {
            let words: Vec<String> = options.iter().map(|offer| offer.action.to_string()).collect();
            format!("?{}:{}", place(at), words.join(","))
        }
        RoundEvent::Acted { action, cost, .. } if *cost == Chips::ZERO => format!("!{action}"),
        RoundEvent::Acted { action, cost, .. } => format!("!{action}-{cost}"),
        RoundEvent::Paid { lines } => {
            let line = |l: &fairshoe_games::Settlement| {
                let what = if l.wager == Wager::Insurance { "insurance".to_owned() } else { place(&l.place) };
                format!("${what}:{}:{}", format!("{:?}", l.outcome).to_lowercase(), l.returned)
            };
            lines.iter().map(line).collect::<Vec<_>>().join(" ")
        }
        other => panic!("`{}` is no event of blackjack", other.word()),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A table that deals given cards from slot 0 on, for tests that drive a round themselves.
#[derive(Clone)]
pub struct Pile {
    pub cards: Vec<Card>,
    pub drawn: u16,
    pub funds: Chips,
}

impl Pile {
    pub fn follow(&mut self, event: &RoundEvent) {
        match event {
            RoundEvent::Dealt { .. } => self.drawn += 1,
            RoundEvent::Acted { cost, .. } => self.funds = self.funds.minus(*cost).unwrap(),
            RoundEvent::Paid { lines } => {
                let returned = Chips::sum(lines.iter().map(|line| line.returned)).unwrap();
                self.funds = self.funds.plus(returned).unwrap();
            }
            _ => {}
        }
    }
}

impl Dealing for Pile {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        assert_eq!(lane, 0, "a solo round has one lane");
        (usize::from(self.drawn) < self.cards.len()).then_some(Slot(self.drawn))
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.cards.get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.card(slot)?))
    }
    fn funds(&self, _player: &PlayerId) -> Chips {
        self.funds
    }
    fn deadline(&self) -> u64 {
        77
    }
}

/// SplitMix64: small, and the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Takes an offer in one of its forms.
pub fn choice(dice: &mut Dice, offer: Offer) -> Action {
    match offer.action {
        ActionKind::Hit => Action::Hit,
        ActionKind::Stand => Action::Stand,
        ActionKind::Double if dice.below(2) == 0 => Action::Double { amount: Some(offer.cost) },
        ActionKind::Double => Action::Double { amount: None },
        ActionKind::Split => Action::Split,
        ActionKind::Insurance => Action::Insurance { take: dice.below(3) > 0 },
        ActionKind::EvenMoney => Action::EvenMoney { take: dice.below(2) > 0 },
        ActionKind::Surrender => Action::Surrender,
        other => panic!("{other} is no choice in blackjack"),
    }
}
