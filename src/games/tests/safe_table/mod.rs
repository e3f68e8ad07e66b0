//! A table of Safe for tests: given cards, given choices, and the events in one line.

pub mod scripts;

pub use crate::common::{Dice, cards, chips};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot};
use fairshoe_games::safe::SafeEvent;
use fairshoe_games::{
    Action, Bet, BetRefusal, Chips, Dealing, Decision, FaceUnknown, Illegal, Peek, Place, Placed, Round, RoundEvent,
    RuleSet,
};

/// The names by seat, from 1.
pub const NAMES: [&str; 6] = ["ann", "bob", "cat", "dan", "eve", "fay"];

pub fn safe() -> RuleSet {
    RuleSet::shipped("safe").unwrap()
}

pub fn safe_with(options: &[(&str, &str)]) -> RuleSet {
    safe().with_options(options.iter().copied()).unwrap()
}

pub fn name(text: &str) -> PlayerId {
    text.parse().unwrap()
}

pub fn text<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

pub fn entry(player: &str, seat: &str, stake: u64) -> Placed {
    Placed { player: name(player), bets: vec![Bet { spot: seat.to_owned(), stake: chips(stake), chips: None }] }
}

/// A pile that begins with these cards; the rest of the composition follows in ascending order.
pub fn pile_of(composition: &[Card], first: &[Card]) -> Vec<Card> {
    let mut rest = composition.to_vec();
    for card in first {
        let at = rest.iter().position(|one| one == card).unwrap_or_else(|| panic!("{card} is not in the pile"));
        rest.remove(at);
    }
    first.iter().copied().chain(rest).collect()
}

pub fn pack() -> Vec<Card> {
    (0..52).map(|code| Card::from_code(code).unwrap()).collect()
}

/// The piles of a game, each from slot 0 on in the order in which it is drawn.
#[derive(Clone, Default)]
pub struct Piles {
    pub piles: Vec<Vec<Card>>,
    pub drawn: u16,
}

impl Dealing for Piles {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        assert_eq!(lane, 0, "Safe has one lane (C9)");
        let pile = self.piles.last()?;
        (usize::from(self.drawn) < pile.len()).then_some(Slot(self.drawn))
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.piles.last().and_then(|pile| pile.get(slot.index())).copied().ok_or(FaceUnknown(slot))
    }
    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        assert!(usize::from(pile) + 1 < self.piles.len(), "pile {pile} is not an earlier one");
        self.piles[usize::from(pile)].get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, _question: Peek) -> Result<bool, FaceUnknown> {
        Err(FaceUnknown(slot))
    }
    fn funds(&self, _player: &PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        77
    }
}

/// A game in play.
pub struct Game {
    pub round: Box<dyn Round>,
    pub piles: Piles,
    pub events: Vec<RoundEvent>,
    told: usize,
}

impl Clone for Game {
    fn clone(&self) -> Self {
        Game {
            round: self.round.boxed_clone(),
            piles: self.piles.clone(),
            events: self.events.clone(),
            told: self.told,
        }
    }
}

/// `players` of NAMES at seats 1, 2, … with the pile beginning with these cards.
pub fn game(players: usize, first: &str) -> Game {
    game_as(&safe(), players, first)
}

pub fn game_as(rules: &RuleSet, players: usize, first: &str) -> Game {
    Game::new(rules, players, pile_of(&pack(), &cards(first)))
}

impl Game {
    pub fn new(rules: &RuleSet, players: usize, pile: Vec<Card>) -> Game {
        let stake = rules.table.stake_min.units();
        let placed: Vec<Placed> = (0..players).map(|n| entry(NAMES[n], &(n + 1).to_string(), stake)).collect();
        Game::seated(rules, &placed, pile).unwrap()
    }

    pub fn seated(rules: &RuleSet, placed: &[Placed], pile: Vec<Card>) -> Result<Game, BetRefusal> {
        let round = rules.open_round(placed)?;
        let mut game = Game { round, piles: Piles { piles: vec![pile], drawn: 0 }, events: Vec::new(), told: 0 };
        game.run();
        Ok(game)
    }

    /// A game whose first pile begins with `before`, ends with `tail`, and between them can be played by [`Game::burn`]
    /// in whole rounds of `players` safe hands.
    pub fn staged(rules: &RuleSet, players: usize, before: &str, tail: &str) -> Game {
        let (before, tail) = (cards(before), cards(tail));
        let kept: Vec<Card> = before.iter().chain(&tail).copied().collect();
        let between = pile_of(&pack(), &kept).split_off(kept.len());
        let mut dice = Dice(7);
        loop {
            let mut rest = between.clone();
            dice.shuffle(&mut rest);
            if let Some(order) = whole_rounds(&rest, players) {
                return Game::new(rules, players, [before, order, tail].concat());
            }
        }
    }

    /// Folds an event in, as the house does, and follows the pile.
    pub fn apply(&mut self, event: RoundEvent) {
        self.round.apply(&event).unwrap_or_else(|e| panic!("{event:?}: {e}"));
        self.piles.drawn += u16::from(matches!(event, RoundEvent::Dealt { .. }));
        self.events.push(event);
    }

    /// Plays until the game waits.
    pub fn run(&mut self) {
        while let Some(event) = self.round.step(&self.piles).unwrap() {
            self.apply(event);
        }
        let waits =
            [!self.round.open_decisions().is_empty(), self.round.needs_pile().is_some(), self.round.is_settled()];
        assert_eq!(
            waits.iter().filter(|one| **one).count(),
            1,
            "it waits for one thing: {waits:?} {}",
            self.round.view()
        );
    }

    pub fn open(&self) -> Decision {
        self.round
            .open_decisions()
            .first()
            .cloned()
            .unwrap_or_else(|| panic!("no decision is open: {}", self.tell_all()))
    }

    pub fn try_act(&self, word: &str) -> Result<RoundEvent, Illegal> {
        let open = self.open();
        self.round.accept(&open.player, open.number, &word.parse::<Action>().unwrap(), Chips::ZERO)
    }

    /// The choices of the players who are asked, one after another.
    pub fn act(&mut self, words: &str) -> &mut Self {
        for word in words.split_whitespace() {
            let event = self.try_act(word).unwrap_or_else(|e| panic!("{word}: {e}; {}", self.tell_all()));
            self.apply(event);
            self.run();
        }
        self
    }

    /// The clock decides.
    pub fn time_out(&mut self) -> &mut Self {
        let event = self.round.default_play(self.open().number).unwrap();
        self.apply(event);
        self.run();
        self
    }

    /// The reason why a choice is refused; the game is unchanged.
    pub fn refused(&self, word: &str) -> &'static str {
        match self.try_act(word) {
            Err(Illegal::NotOffered { why, .. }) => why,
            other => panic!("{word}: {other:?}"),
        }
    }

    /// The words offered to the player who is asked, after their name.
    pub fn asked(&self) -> String {
        let open = self.open();
        let words: Vec<String> =
            self.round.options(open.number, Chips::ZERO).iter().map(|o| o.action.to_string()).collect();
        format!("{}: {}", open.player, words.join(" "))
    }

    /// Every hand is played to 17 and stands, until the round is dealt that begins with the tail of [`Game::staged`].
    pub fn burn(&mut self, tail: usize) -> &mut Self {
        while self.left() >= tail {
            let asked = self.asked();
            let may = |word: &str| asked.split(' ').any(|one| one == word);
            let word = ["accept", "stand", "hit", "pass"].into_iter().find(|word| may(word)).unwrap();
            self.act(word);
        }
        self
    }

    /// The house puts the new pile in place; it begins with these cards.
    pub fn shuffle(&mut self, first: &str) -> &mut Self {
        let wanted = self.round.needs_pile().unwrap();
        let Composition::Cards(list) = wanted.composition else { panic!("a later pile is a list") };
        self.piles.piles.push(pile_of(&list, &cards(first)));
        self.piles.drawn = 0;
        self.apply(RoundEvent::Shuffled { pile: wanted.pile });
        self.run();
        self
    }

    /// The house reports a player as missing from the shuffle.
    pub fn absent(&mut self, player: &str) -> &mut Self {
        self.apply(RoundEvent::Absent { player: name(player) });
        self.run();
        self
    }

    pub fn left(&self) -> usize {
        self.round.view()["pile_left"].as_u64().unwrap() as usize
    }

    pub fn player(&self, player: &str) -> serde_json::Value {
        let view = self.round.view();
        view["players"].as_array().unwrap().iter().find(|one| one["player"] == player).unwrap().clone()
    }

    pub fn total(&self, player: &str) -> u64 {
        self.player(player)["hand"]["total"].as_u64().unwrap()
    }

    pub fn is_alive(&self, player: &str) -> bool {
        self.player(player)["alive"].as_bool().unwrap()
    }

    /// The events since the last call.
    pub fn tell(&mut self) -> String {
        let news = trace(&self.events[self.told..]);
        self.told = self.events.len();
        news
    }

    pub fn tell_all(&self) -> String {
        trace(&self.events)
    }

    /// The winner, and the rule.
    pub fn won(&self) -> String {
        let won = self.events.iter().find(|event| matches!(event, RoundEvent::Safe(SafeEvent::Won { .. })));
        trace(won.map(std::slice::from_ref).unwrap_or_default())
    }
}

/// The order in which these cards, each hand drawn to 17, fill whole rounds.
fn whole_rounds(rest: &[Card], players: usize) -> Option<Vec<Card>> {
    let total = |hand: &[Card]| fairshoe_games::blackjack::total(hand.iter().copied()).points;
    let (mut hands, mut hand) = (Vec::new(), Vec::new());
    for card in rest {
        hand.push(*card);
        if hand.len() > 1 && total(&hand) > 16 {
            hands.push(std::mem::take(&mut hand));
        }
    }
    let whole = hand.is_empty() && hands.len().is_multiple_of(players) && hands.iter().all(|hand| total(hand) < 22);
    whole.then(|| {
        let round = |hands: &[Vec<Card>]| {
            let nth = |n: usize| hands.iter().map(move |hand| hand[n]);
            nth(0).chain(nth(1)).chain(hands.iter().flat_map(|hand| hand[2..].to_vec())).collect::<Vec<Card>>()
        };
        hands.chunks(players).flat_map(round).collect()
    })
}

/// Events in one line: `1/1+As` dealt, `1/1+##` face-down, `shown+Kc`, `=5s` turned (`0=5s` from pile 0), `?ann` asked,
/// `!hit` done, `!!hit` by the clock, `open:1/1:last_player`, `drop:1/1:out[Ts 6s]`, `out:ann:bust` (`+` for a holder),
/// `empty:0`, `collected:1:49`, `round:2[ann bob]`, `won:ann:last_alive`, `paid[200 0]`, `pile:1`, `absent:ann`.
pub fn trace(events: &[RoundEvent]) -> String {
    fn word<T: serde::Serialize>(value: &T) -> String {
        serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
    }
    let told = |event: &RoundEvent| match event {
        RoundEvent::Dealt { to, card: Some(card), .. } => format!("{to}+{card}"),
        RoundEvent::Dealt { to, card: None, .. } => format!("{to}+##"),
        RoundEvent::Turned { pile: None, card, .. } => format!("={card}"),
        RoundEvent::Turned { pile: Some(pile), card, .. } => format!("{pile}={card}"),
        RoundEvent::Offered { player, .. } => format!("?{player}"),
        RoundEvent::Acted { action, default, .. } => format!("{}{action}", if *default { "!!" } else { "!" }),
        RoundEvent::Paid { lines } => {
            format!("paid[{}]", text(&lines.iter().map(|line| line.returned).collect::<Vec<_>>()))
        }
        RoundEvent::Shuffled { pile } => format!("pile:{pile}"),
        RoundEvent::Absent { player } => format!("absent:{player}"),
        RoundEvent::Peeked { .. } | RoundEvent::Spun { .. } | RoundEvent::Poker(_) => {
            panic!("no event of Safe: {event:?}")
        }
        RoundEvent::Safe(event) => match event {
            SafeEvent::Opening { place, why, .. } => format!("open:{place}:{}", word(why)),
            SafeEvent::Discarded { place, cards, why, .. } => format!("drop:{place}:{}[{}]", word(why), text(cards)),
            SafeEvent::Out { player, cause, holder } => {
                format!("out:{player}:{}{}", word(cause), if *holder { "+" } else { "" })
            }
            SafeEvent::PileEmpty { pile } => format!("empty:{pile}"),
            SafeEvent::Collected { pile, cards } => format!("collected:{pile}:{}", cards.len()),
            SafeEvent::Advanced { round, players } => format!("round:{round}[{}]", text(players)),
            SafeEvent::Won { player, by } => format!("won:{player}:{}", word(by)),
        },
    };
    events.iter().map(told).collect::<Vec<_>>().join(" ")
}

/// The places of draws, in order.
pub fn dealt_to(events: &[RoundEvent]) -> Vec<Place> {
    events.iter().filter_map(|event| if let RoundEvent::Dealt { to, .. } = event { Some(*to) } else { None }).collect()
}
