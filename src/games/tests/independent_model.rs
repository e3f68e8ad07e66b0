//! A second implementation of spec/games/blackjack.md judges the engine, choice by choice.
//!
//! The model shares no code with the engine and has no state machine. At every decision it plays the whole round again
//! from the cards and the choices so far, straight down the page. 20,000 rounds; FAIRSHOE_SLOW=1: 1,000,000.

use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{Action, Bet, Chips, Dealing, FaceUnknown, Peek, Placed, Round, RoundEvent, RuleSet};
use std::collections::BTreeMap;

// ---- the model: numbers and text only ----

/// The rules that may differ from JOY's.
#[derive(Clone, Debug)]
struct House {
    packs: usize,
    players_cards_first: bool,
    pays: (u64, u64),
    round_up: bool,
    double_split_hands: bool,
    insures: bool,
    most_cards: usize,
    stand_on_21: bool,
}

const JOY: House = House {
    packs: 1,
    players_cards_first: false,
    pays: (3, 2),
    round_up: true,
    double_split_hands: true,
    insures: true,
    most_cards: 5,
    stand_on_21: false,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    Hit,
    Stand,
    Double,
    Split,
    Insure(bool),
}

/// A card is its text.
type Face = &'static str;

const PACK: [Face; 52] = [
    "As", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s", "Ts", "Js", "Qs", "Ks", "Ah", "2h", "3h", "4h", "5h", "6h",
    "7h", "8h", "9h", "Th", "Jh", "Qh", "Kh", "Ad", "2d", "3d", "4d", "5d", "6d", "7d", "8d", "9d", "Td", "Jd", "Qd",
    "Kd", "Ac", "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc",
];

fn is_ace(card: Face) -> bool {
    card.starts_with('A')
}

/// An ace as 11.
fn worth(card: Face) -> u64 {
    match &card[..1] {
        "A" => 11,
        "T" | "J" | "Q" | "K" => 10,
        digit => digit.parse().unwrap(),
    }
}

fn points(hand: &[Face]) -> u64 {
    let mut sum: u64 = hand.iter().map(|card| worth(card)).sum();
    for _ in hand.iter().filter(|card| is_ace(card)) {
        if sum > 21 {
            sum -= 10;
        }
    }
    sum
}

fn is_natural(hand: &[Face]) -> bool {
    hand.len() == 2 && hand.iter().any(|card| is_ace(card)) && hand.iter().any(|card| worth(card) == 10)
}

/// A question: the hand, and each option with its cost, even if it cannot be paid.
#[derive(Debug)]
struct Question {
    hand: u8,
    possible: Vec<(&'static str, u64)>,
}

struct Model<'m> {
    house: &'m House,
    pile: std::slice::Iter<'m, Face>,
    choices: std::slice::Iter<'m, Choice>,
    stake: u64,
    funds: u64,
    staked: u64,
    drawn: Vec<(&'static str, Face)>,
}

impl Model<'_> {
    fn draw(&mut self, to: &'static str) -> Face {
        let card = *self.pile.next().unwrap();
        self.drawn.push((to, card));
        card
    }

    fn ask(&mut self, hand: u8, possible: Vec<(&'static str, u64)>) -> Result<Choice, Question> {
        let choice = self.choices.next().copied().ok_or_else(|| Question { hand, possible: possible.clone() })?;
        let word = match choice {
            Choice::Hit => "hit",
            Choice::Stand => "stand",
            Choice::Double => "double",
            Choice::Split => "split",
            Choice::Insure(_) => "insurance",
        };
        let cost = possible.iter().find(|(name, _)| *name == word).unwrap().1;
        if choice != Choice::Insure(false) {
            self.funds -= cost;
            self.staked += cost;
        }
        Ok(choice)
    }

    /// The whole round: the return, or the question that has no answer yet.
    fn round(&mut self) -> Result<u64, Question> {
        let mut mine = vec![self.draw("1/1")];
        let (up, hole);
        if self.house.players_cards_first {
            mine.push(self.draw("1/1"));
            up = self.draw("dealer");
        } else {
            up = self.draw("dealer");
            mine.push(self.draw("1/1"));
        }
        hole = self.draw("dealer");

        let premium = self.stake / 2 + self.stake % 2;
        if self.house.insures && is_ace(up) && self.funds >= premium {
            let answer = self.ask(1, vec![("insurance", premium)])?;
            if answer == Choice::Insure(true) && worth(hole) == 10 {
                let own = if is_natural(&mine) { self.stake } else { 0 };
                return Ok(premium + self.stake + own);
            }
        }

        let hands = match self.hand(1, "1/1", mine.clone(), false)? {
            Some(single) => vec![single],
            None => {
                let (mut one, mut two) = (vec![mine[0]], vec![mine[1]]);
                one.push(self.draw("1/1"));
                let first = self.hand(1, "1/1", one, true)?;
                two.push(self.draw("1/2"));
                let second = self.hand(2, "1/2", two, true)?;
                vec![first.unwrap(), second.unwrap()]
            }
        };
        let split = hands.len() == 2;

        let mut his = vec![up, hole];
        if hands.iter().any(|(hand, _)| points(hand) <= 21) {
            while points(&his) < 17 && !self.is_full(&his) {
                his.push(self.draw("dealer"));
            }
        }

        let mut back = 0;
        for (hand, stake) in &hands {
            let strength = |cards: &[Face]| (points(cards), !split && is_natural(cards));
            back += match () {
                () if points(hand) > 21 => 0,
                () if points(&his) > 21 || strength(hand) > strength(&his) => {
                    if strength(hand).1 {
                        self.natural_returns(*stake)
                    } else {
                        2 * stake
                    }
                }
                () if strength(hand) == strength(&his) => *stake,
                () => 0,
            };
        }
        Ok(back)
    }

    fn is_full(&self, hand: &[Face]) -> bool {
        self.house.most_cards > 0 && hand.len() >= self.house.most_cards
    }

    fn natural_returns(&self, stake: u64) -> u64 {
        let (n, d) = self.house.pays;
        let exact = stake * n;
        stake + exact / d + u64::from(self.house.round_up && !exact.is_multiple_of(d))
    }

    /// A hand to its end, with its stake; `None` when it was split.
    fn hand(
        &mut self,
        number: u8,
        name: &'static str,
        mut cards: Vec<Face>,
        split: bool,
    ) -> Result<Option<(Vec<Face>, u64)>, Question> {
        loop {
            let stands = self.is_full(&cards) || (self.house.stand_on_21 && points(&cards) == 21);
            if points(&cards) > 21 || stands {
                return Ok(Some((cards, self.stake)));
            }
            let mut possible = vec![("hit", 0), ("stand", 0)];
            if cards.len() == 2 {
                let natural = is_natural(&cards) && !split;
                if !natural && (!split || self.house.double_split_hands) {
                    possible.push(("double", self.stake));
                }
                if !split && worth(cards[0]) == worth(cards[1]) {
                    possible.push(("split", self.stake));
                }
            }
            match self.ask(number, possible)? {
                Choice::Hit => cards.push(self.draw(name)),
                Choice::Double => {
                    cards.push(self.draw(name));
                    return Ok(Some((cards, 2 * self.stake)));
                }
                Choice::Split => return Ok(None),
                _ => return Ok(Some((cards, self.stake))),
            }
        }
    }
}

// ---- the engine, driven beside it ----

struct Dice(u64);

impl Dice {
    /// xorshift64*; `seed` must not be 0.
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n as u64) as usize
    }
}

struct Table<'t> {
    pile: &'t [Face],
    drawn: usize,
    funds: u64,
}

impl Dealing for Table<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        u16::try_from(self.drawn).ok().map(Slot)
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        Ok(self.pile[slot.index()].parse().unwrap())
    }
    fn peek(&self, slot: Slot, _: Peek) -> Result<bool, FaceUnknown> {
        Ok(worth(self.pile[slot.index()]) == 10)
    }
    fn funds(&self, _: &PlayerId) -> Chips {
        Chips::new(self.funds).unwrap()
    }
    fn deadline(&self) -> u64 {
        0
    }
}

fn random_house(dice: &mut Dice) -> House {
    if dice.below(4) > 0 {
        return JOY;
    }
    House {
        packs: 1 + dice.below(8),
        players_cards_first: dice.below(2) == 0,
        pays: [(3, 2), (8, 5), (5, 3), (2, 1), (7, 3)][dice.below(5)],
        round_up: dice.below(2) == 0,
        double_split_hands: dice.below(2) == 0,
        insures: dice.below(2) == 0,
        most_cards: [0, 3, 4, 5, 7][dice.below(5)],
        stand_on_21: dice.below(2) == 0,
    }
}

fn as_rule_set(joy: &RuleSet, house: &House) -> RuleSet {
    let options = [
        ("decks", house.packs.to_string()),
        ("deal_order", if house.players_cards_first { "pp_dd" } else { "interleaved" }.to_owned()),
        ("blackjack_pays", format!("[{},{}]", house.pays.0, house.pays.1)),
        ("blackjack_rounding", if house.round_up { "up" } else { "down" }.to_owned()),
        ("double_after_split", house.double_split_hands.to_string()),
        ("insurance", if house.insures { "stake_back" } else { "none" }.to_owned()),
        ("card_limit", house.most_cards.to_string()),
        ("auto_stand_21", house.stand_on_21.to_string()),
    ];
    joy.with_options(options.iter().map(|(name, value)| (*name, value.as_str()))).unwrap()
}

fn random_pile(dice: &mut Dice, packs: usize) -> Vec<Face> {
    let mut pile: Vec<Face> = (0..packs).flat_map(|_| PACK).collect();
    let (favoured, spread): (&[&str], usize) = match dice.below(5) {
        0 => (&["A", "T", "K"], 2),
        1 => (&["A", "2", "3"], 1),
        _ => (&[], 1),
    };
    let length = pile.len();
    let mut front = 0;
    for at in 0..length {
        if favoured.iter().any(|rank| pile[at].starts_with(rank)) {
            pile.swap(front, at);
            front += 1;
        }
    }
    let mixed = if front == 0 { length } else { (spread * front).min(length) };
    for at in (1..mixed).rev() {
        pile.swap(at, dice.below(at + 1));
    }
    pile
}

fn every_action(dice: &mut Dice, stake: u64) -> Vec<Action> {
    let odd = Chips::new(dice.below(2 * stake as usize + 2) as u64).unwrap();
    vec![
        Action::Hit,
        Action::Stand,
        Action::Double { amount: None },
        Action::Double { amount: Some(odd) },
        Action::Split,
        Action::Insurance { take: true },
        Action::Insurance { take: false },
        Action::EvenMoney { take: true },
        Action::Surrender,
    ]
}

/// The page's answer to an action: its cost and the model's choice, or the code of its refusal.
fn verdict(question: &Question, funds: u64, action: &Action) -> Result<(Choice, u64), &'static str> {
    let (word, choice) = match action {
        Action::Hit => ("hit", Choice::Hit),
        Action::Stand => ("stand", Choice::Stand),
        Action::Double { .. } => ("double", Choice::Double),
        Action::Split => ("split", Choice::Split),
        Action::Insurance { take } => ("insurance", Choice::Insure(*take)),
        _ => return Err("action_not_offered"),
    };
    let (_, cost) = *question.possible.iter().find(|(name, _)| *name == word).ok_or("action_not_offered")?;
    match action {
        Action::Double { amount: Some(amount) } if amount.units() != cost => Err("extra_stake_refused"),
        Action::Insurance { take: false } => Ok((choice, 0)),
        _ if cost > funds => Err("insufficient_balance"),
        _ => Ok((choice, cost)),
    }
}

/// One round, the engine against the model; counts the events in it.
fn one_round(joy: &RuleSet, seed: u64, seen: &mut BTreeMap<&'static str, u64>) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let house = random_house(&mut dice);
    let rules = as_rule_set(joy, &house);
    let pile = random_pile(&mut dice, house.packs);
    let most = [9, 1000][dice.below(2)];
    let stake = 1 + dice.below(most) as u64;
    let funds = if dice.below(2) == 0 { dice.below(3 * stake as usize) as u64 } else { 10 * stake };

    let ann: PlayerId = "ann".parse().unwrap();
    let bet = Bet { spot: "1".into(), stake: Chips::new(stake).unwrap(), chips: None };
    let mut round = rules.open_round(&[Placed { player: ann.clone(), bets: vec![bet] }]).unwrap();
    let mut table = Table { pile: &pile, drawn: 0, funds };
    let (mut staked, mut returned) = (stake, 0);
    let mut dealt: Vec<(String, Option<String>)> = Vec::new();
    let mut choices: Vec<Choice> = Vec::new();

    loop {
        // Automatic events of the engine.
        while let Some(event) = round.step(&table).unwrap() {
            follow(round.as_mut(), &event, &mut table, &mut staked, &mut returned, &mut dealt);
            let counted = match &event {
                RoundEvent::Peeked { blackjack: true, .. } => "insurance won",
                RoundEvent::Peeked { blackjack: false, .. } => "insurance lost",
                _ => continue,
            };
            *seen.entry(counted).or_default() += 1;
        }

        // The page's answer.
        let mut model = Model {
            house: &house,
            pile: pile.iter(),
            choices: choices.iter(),
            stake,
            funds,
            staked: stake,
            drawn: Vec::new(),
        };
        let course = model.round();
        assert_eq!(model.staked, staked, "staked, seed {seed}");
        let want = model.drawn.iter().map(|(to, card)| ((*to).to_owned(), Some((*card).to_owned())));
        let hole_open = course.is_ok();
        let want: Vec<_> = want.enumerate().map(|(n, (to, card))| (to, card.filter(|_| n != 3 || hole_open))).collect();
        assert_eq!(dealt, want, "cards, seed {seed}");

        let question = match course {
            Ok(back) => {
                assert!(round.is_settled(), "the model is done, seed {seed}: {choices:?}");
                assert_eq!(returned, back, "returned, seed {seed}: {choices:?}");
                assert!(round.open_decisions().is_empty());
                count(&choices, &dealt, back, stake, seen);
                return;
            }
            Err(question) => question,
        };
        assert!(!round.is_settled(), "the model asks {question:?}, seed {seed}");
        let open = round.open_decisions().remove(0);
        assert_eq!(open.place.to_string(), format!("1/{}", question.hand), "seed {seed}");
        assert_eq!(open.number as usize, choices.len());
        let offered = round.options(open.number, Chips::new(table.funds).unwrap());
        let offered: Vec<(String, u64)> =
            offered.iter().map(|offer| (offer.action.to_string(), offer.cost.units())).collect();
        let legal = question.possible.iter().filter(|(_, cost)| *cost <= model.funds);
        let legal: Vec<(String, u64)> = legal.map(|(word, cost)| ((*word).to_owned(), *cost)).collect();
        assert_eq!(offered, legal, "options, seed {seed}: {choices:?}");

        // Each action is refused as the page says, or accepted at the page's cost.
        let funds_now = Chips::new(table.funds).unwrap();
        let mut accepted = Vec::new();
        let before = round.view();
        for action in every_action(&mut dice, stake) {
            let want = verdict(&question, table.funds, &action);
            let got = round.accept(&ann, open.number, &action, funds_now);
            match (&want, &got) {
                (Err(code), Err(illegal)) => {
                    assert_eq!(*code, illegal.code(), "{action}, seed {seed}");
                    // As an event, the engine refuses it too and changes no state, except for a lack of funds, which it
                    // does not check.
                    let cost = Chips::new(dice.below(2 * stake as usize) as u64).unwrap();
                    let forced =
                        RoundEvent::Acted { decision: open.number, player: ann.clone(), action, cost, default: false };
                    if *code != "insufficient_balance" {
                        round.apply(&forced).unwrap_err();
                    }
                }
                (Ok((choice, cost)), Ok(event)) => {
                    assert!(
                        matches!(event, RoundEvent::Acted { cost: c, .. } if c.units() == *cost),
                        "{action}, seed {seed}"
                    );
                    accepted.push((*choice, event.clone()));
                }
                _ => panic!("{action}: the page says {want:?}, the engine {got:?}; seed {seed}: {choices:?}"),
            }
        }
        let stranger: PlayerId = "bob".parse().unwrap();
        assert_eq!(
            round.accept(&stranger, open.number, &Action::Stand, funds_now).unwrap_err().code(),
            "not_your_decision"
        );
        assert_eq!(
            round.accept(&ann, open.number + 1, &Action::Stand, funds_now).unwrap_err().code(),
            "decision_not_open"
        );
        assert_eq!(round.view(), before);
        assert_eq!(round.open_decisions().remove(0), open);

        let (choice, event) = match dice.below(12) {
            0 => {
                let choice = if question.possible[0].0 == "insurance" { Choice::Insure(false) } else { Choice::Stand };
                (choice, round.default_play(open.number).unwrap())
            }
            _ => accepted.swap_remove(pick(&mut dice, &accepted)),
        };
        choices.push(choice);
        follow(round.as_mut(), &event, &mut table, &mut staked, &mut returned, &mut dealt);
    }
}

/// Prefers splits and long hands, which are rare.
fn pick(dice: &mut Dice, accepted: &[(Choice, RoundEvent)]) -> usize {
    let favourites: &[Choice] = match dice.below(4) {
        0 => &[],
        1 => &[Choice::Split, Choice::Double, Choice::Insure(true)],
        _ => &[Choice::Split, Choice::Hit],
    };
    let favourite = favourites.iter().find_map(|favourite| accepted.iter().position(|(choice, _)| choice == favourite));
    favourite.unwrap_or_else(|| dice.below(accepted.len()))
}

fn follow(
    round: &mut dyn Round,
    event: &RoundEvent,
    table: &mut Table<'_>,
    staked: &mut u64,
    returned: &mut u64,
    dealt: &mut Vec<(String, Option<String>)>,
) {
    round.apply(event).unwrap();
    match event {
        RoundEvent::Dealt { to, card, slot, .. } => {
            assert_eq!(slot.index(), table.drawn);
            table.drawn += 1;
            dealt.push((to.to_string(), card.map(|card| card.to_string())));
        }
        RoundEvent::Turned { slot, card, .. } => dealt[slot.index()].1 = Some(card.to_string()),
        RoundEvent::Acted { cost, .. } => {
            *staked += cost.units();
            table.funds -= cost.units();
        }
        RoundEvent::Paid { lines } => {
            let sum: u64 = lines.iter().map(|line| line.returned.units()).sum();
            *returned += sum;
            table.funds += sum;
        }
        RoundEvent::Peeked { .. } | RoundEvent::Offered { .. } => {}
        other => panic!("`{}` is no event of blackjack", other.word()),
    }
}

fn count(
    choices: &[Choice],
    dealt: &[(String, Option<String>)],
    back: u64,
    stake: u64,
    seen: &mut BTreeMap<&'static str, u64>,
) {
    let split = choices.contains(&Choice::Split);
    let at = |place: &str| dealt.iter().filter(|(to, _)| to == place).count();
    let facts = [
        ("rounds", true),
        ("split", split),
        ("both split hands of five cards or more", split && at("1/1") >= 5 && at("1/2") >= 5),
        ("double", choices.contains(&Choice::Double)),
        ("double after split", split && choices.contains(&Choice::Double)),
        ("dealer of five cards or more", at("dealer") >= 5),
        ("nothing back", back == 0),
        ("odd blackjack", choices == [Choice::Stand] && back == 2 * stake + stake.div_ceil(2) && stake % 2 == 1),
    ];
    for (fact, _) in facts.iter().filter(|(_, true_here)| *true_here) {
        *seen.entry(fact).or_default() += 1;
    }
}

#[test]
fn the_engine_agrees_with_the_page_on_random_rounds() {
    let slow = std::env::var("FAIRSHOE_SLOW").is_ok_and(|value| value == "1");
    let rounds = if slow { 1_000_000 } else { 20_000 };
    let joy = RuleSet::shipped("joy").unwrap();
    let mut seen = BTreeMap::new();
    for seed in 1..=rounds {
        one_round(&joy, seed, &mut seen);
    }
    println!("{seen:?}");
    // A run must see each of these at least this often, or it has not tested it.
    for (fact, least) in [
        ("split", 1000),
        ("both split hands of five cards or more", 3),
        ("double", 1000),
        ("double after split", 100),
        ("dealer of five cards or more", 500),
        ("insurance won", 100),
        ("insurance lost", 300),
        ("odd blackjack", 50),
        ("nothing back", 1000),
    ] {
        assert!(seen.get(fact).copied().unwrap_or_default() >= least, "{fact}: {seen:?}");
    }
}
