//! The Safe engine against the page of document 002: random games of two to six players, with new piles and absent
//! players, random values for both options, every illegal action tried at every decision.
//!
//! 1,200 games; FAIRSHOE_SLOW=1: 1,000,000. FAIRSHOE_GAME=n plays game n alone. A disagreement prints the whole game.

use crate::models::cards;
use crate::models::safe;

use cards::{Dice, Face};
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::safe::{OutCause, SafeEvent};
use fairshoe_games::{
    Action, Bet, Chips, Dealing, FaceUnknown, Outcome, Peek, Place, Placed, Round, RoundEvent, RuleSet, Settlement,
    StepError, Wager,
};
use safe::{Choice, Fact, Game, Lies, Moment, Options, Players, Question};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const DEADLINE: u64 = 7;
const ENTRY: u64 = 100;

// ---- the table behind the engine ----

#[derive(Default)]
struct Table {
    /// By pile: slots and faces in the order of drawing.
    piles: Vec<Vec<(u16, Face)>>,
    drawn: usize,
}

impl Table {
    fn face(&self, pile: usize, slot: Slot) -> Result<Card, FaceUnknown> {
        let lies = self.piles.get(pile).and_then(|pile| pile.iter().find(|(at, _)| *at == slot.0));
        lies.and_then(|(_, face)| Card::from_code(*face)).ok_or(FaceUnknown(slot))
    }
}

impl Dealing for Table {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        assert_eq!(lane, 0, "Safe has one lane (C9)");
        self.piles[self.piles.len() - 1].get(self.drawn).map(|(slot, _)| Slot(*slot))
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(self.piles.len() - 1, slot)
    }
    fn peek(&self, _: Slot, _: Peek) -> Result<bool, FaceUnknown> {
        panic!("nobody peeks in Safe")
    }
    fn funds(&self, _: &PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        DEADLINE
    }
    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(usize::from(pile), slot)
    }
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn card(face: Face) -> Card {
    Card::from_code(face).unwrap()
}

// ---- the engine at the model's questions ----

struct Driver<'d> {
    title: String,
    round: Box<dyn Round>,
    table: Table,
    dice: Dice,
    /// In turn order: name and seat.
    people: Vec<(PlayerId, u8)>,
    log: Vec<RoundEvent>,
    facts: Vec<Fact>,
    open: Option<(u32, PlayerId, Place, Vec<String>)>,
    asked: u32,
    number: u8,
    paid: Vec<Settlement>,
    /// The style of this game's players.
    style: usize,
    absent: bool,
    seen: &'d mut BTreeMap<String, u64>,
}

impl Driver<'_> {
    fn fail(&self, why: &str) -> ! {
        let log: Vec<String> = self.log.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        panic!("{}\n  {}\n{why}", self.title, log.join("\n  "));
    }

    fn same<T: PartialEq + std::fmt::Debug>(&self, what: &str, engine: T, page: T) {
        if engine != page {
            self.fail(&format!("{what}\nengine: {engine:?}\npage:   {page:?}"));
        }
    }

    fn count(&mut self, what: impl Into<String>) {
        *self.seen.entry(what.into()).or_default() += 1;
    }

    fn player(&self, name: &PlayerId) -> usize {
        self.people.iter().position(|(mine, _)| mine == name).unwrap_or_else(|| self.fail(&format!("who is {name}?")))
    }

    fn hand(&self, player: usize, round: u8) -> Place {
        Place::Hand { spot: self.people[player].1, hand: round }
    }

    fn advance(&mut self) {
        loop {
            match self.round.step(&self.table) {
                Ok(Some(event)) => self.follow(event),
                Ok(None) => return,
                Err(other) => self.fail(&other.to_string()),
            }
        }
    }

    fn follow(&mut self, event: RoundEvent) {
        self.forge(&event);
        if let Err(why) = self.round.apply(&event) {
            self.fail(&format!("the engine refuses its own {event:?}: {why}"));
        }
        self.log.push(event.clone());
        match event {
            RoundEvent::Dealt { lane, slot, to, card } => {
                self.same("lane", lane, 0);
                let next = self.table.next_slot(0);
                self.same("slot", Some(slot), next);
                self.table.drawn += 1;
                let to = match to {
                    Place::Hand { spot, hand } => {
                        let player = self.people.iter().position(|(_, seat)| *seat == spot);
                        Lies::Hand(player.unwrap_or_else(|| self.fail("a card to an empty seat")), hand)
                    }
                    Place::Spot(name) if name.as_str() == "shown" => Lies::Shown,
                    Place::Spot(name) if name.as_str() == "discard" => Lies::Discards,
                    other => self.fail(&format!("a card to {other}")),
                };
                self.facts.push(Fact::Drawn { to, slot: slot.0, face: card.map(Card::code) });
            }
            RoundEvent::Turned { pile, slot, card } => {
                let current = self.table.piles.len() as u16 - 1;
                let pile = pile.unwrap_or(current);
                if pile < current {
                    self.count("an earlier pile's card turned up");
                }
                self.facts.push(Fact::Turned { pile, slot: slot.0, face: card.code() });
            }
            RoundEvent::Offered { decision, player, place, options, deadline, .. } => {
                self.same("decision", decision, self.asked);
                self.same("deadline", deadline, DEADLINE);
                self.same("one decision at a time", self.open.is_none(), true);
                if options.iter().any(|offer| offer.cost != Chips::ZERO) {
                    self.fail("an operation costs nothing");
                }
                self.asked += 1;
                let mut words: Vec<String> = options.iter().map(|offer| offer.action.to_string()).collect();
                words.sort();
                self.open = Some((decision, player, place, words));
            }
            RoundEvent::Acted { cost, .. } => {
                self.same("cost", cost, Chips::ZERO);
                self.open = None;
            }
            RoundEvent::Paid { lines } => {
                self.same("paid once", self.paid.len(), 0);
                self.paid = lines;
            }
            RoundEvent::Shuffled { pile } => self.facts.push(Fact::Shuffled(pile)),
            RoundEvent::Absent { player } => self.facts.push(Fact::Absent(self.player(&player))),
            RoundEvent::Safe(SafeEvent::Out { player, cause, holder }) => {
                let cause = match cause {
                    OutCause::Bust => "bust",
                    OutCause::FaceDown => "face_down",
                    OutCause::Absent => "absent",
                };
                self.count(format!("out by {cause}"));
                self.facts.push(Fact::Out { player: self.player(&player), cause, holder });
            }
            RoundEvent::Safe(SafeEvent::PileEmpty { .. }) => self.facts.push(Fact::PileEmpty),
            RoundEvent::Safe(SafeEvent::Collected { cards, .. }) => {
                self.facts.push(Fact::Collected(cards.iter().map(|card| card.code()).collect()));
            }
            RoundEvent::Safe(SafeEvent::Advanced { round, players }) => {
                self.number = round;
                let alive = players.iter().map(|name| self.player(name)).collect();
                self.facts.push(Fact::Round { number: round, alive });
            }
            RoundEvent::Safe(SafeEvent::Won { player, by }) => {
                self.count(format!("won by {by:?}"));
                self.facts.push(Fact::Won(self.player(&player)));
            }
            RoundEvent::Safe(SafeEvent::Opening { why, .. }) => self.count(format!("opened, {why:?}")),
            RoundEvent::Safe(SafeEvent::Discarded { why, .. }) => self.count(format!("discarded, {why:?}")),
            other => self.fail(&format!("{other:?} in Safe")),
        }
    }

    /// Checks that the event with one change is refused and changes no state.
    fn forge(&mut self, event: &RoundEvent) {
        if !self.dice.one_in(6) {
            return;
        }
        let mut forged = event.clone();
        match &mut forged {
            RoundEvent::Dealt { lane, to, card, .. } => match self.dice.below(3) {
                0 => *lane += 1,
                1 => *card = if card.is_none() { Card::from_code(7) } else { None },
                _ => *to = if *to == Place::Dealer { Place::Hand { spot: 1, hand: 1 } } else { Place::Dealer },
            },
            RoundEvent::Turned { pile, slot, .. } => match self.dice.below(2) {
                0 => *pile = Some(pile.map_or(0, |pile| pile + 1)),
                _ => *slot = Slot(slot.0 + 1),
            },
            RoundEvent::Offered { decision, options, .. } => match self.dice.below(2) {
                0 => *decision += 1,
                _ => drop(options.remove(0)),
            },
            RoundEvent::Acted { decision, cost, .. } => match self.dice.below(2) {
                0 => *cost = chips(1),
                _ => *decision = self.asked,
            },
            RoundEvent::Paid { lines } => {
                let line = self.dice.below(lines.len());
                match self.dice.below(3) {
                    0 => lines[line].returned = chips(lines[line].returned.units() + 1),
                    1 => lines[line].stake = chips(lines[line].stake.units() + 1),
                    _ => drop(lines.remove(line)),
                }
            }
            RoundEvent::Shuffled { pile } => *pile += 1,
            RoundEvent::Absent { player } => *player = "zoe".parse().unwrap(),
            RoundEvent::Safe(SafeEvent::Out { holder, .. }) => *holder = !*holder,
            RoundEvent::Safe(SafeEvent::Collected { cards, .. }) => drop(cards.pop()),
            RoundEvent::Safe(SafeEvent::Advanced { players, .. }) => players.reverse(),
            RoundEvent::Safe(SafeEvent::Discarded { cards, .. }) => drop(cards.pop()),
            RoundEvent::Safe(SafeEvent::Won { player, .. }) => *player = "zoe".parse().unwrap(),
            RoundEvent::Safe(SafeEvent::Opening { place, .. }) => *place = Place::Dealer,
            RoundEvent::Safe(SafeEvent::PileEmpty { pile }) => *pile += 1,
            _ => return,
        }
        let before = self.round.view_json().get().to_owned();
        if self.round.apply(&forged).is_ok() {
            self.fail(&format!("taken for true: {forged:?}"));
        }
        self.same("the view after a refusal", self.round.view_json().get(), &before);
    }

    fn compare(&self, facts: &[Fact]) {
        if self.facts != facts {
            let differs = self
                .facts
                .iter()
                .zip(facts)
                .position(|(engine, page)| engine != page)
                .unwrap_or(self.facts.len().min(facts.len()));
            self.fail(&format!(
                "fact {differs}\nengine: {:?}\npage:   {:?}",
                self.facts.get(differs),
                facts.get(differs)
            ));
        }
        let staked: u64 = self.round.pending_stakes().iter().map(|(_, stake)| stake.units()).sum();
        self.same("pending stakes", staked, if self.paid.is_empty() { ENTRY * self.people.len() as u64 } else { 0 });
    }

    /// The model's choice in the engine's words.
    fn action(&self, player: usize, choice: Choice) -> Action {
        match choice {
            Choice::Hit => Action::Hit,
            Choice::HitChange | Choice::Reject => Action::Reject,
            Choice::Accept => Action::Accept,
            Choice::Stand => Action::Stand,
            Choice::Change(face) => Action::Change { card: card(face) },
            Choice::FaceDown => Action::FaceDown,
            Choice::Pass => Action::Pass,
            Choice::Open(round) => Action::Open { hand: Some(self.hand(player, round)) },
            Choice::Discard(round) => Action::Discard { hand: Some(self.hand(player, round)) },
        }
    }

    /// Each action is accepted or refused as the page says.
    fn try_all(&mut self, number: u32, question: &Question) {
        let before = self.round.view_json().get().to_owned();
        // A002.r: everyone sees a face-down card only as a slot.
        let down = self.facts.iter().filter(|fact| matches!(fact, Fact::Drawn { face: None, .. })).count();
        let up = self.facts.iter().filter(|fact| matches!(fact, Fact::Turned { .. })).count();
        self.same("cards hidden in the view", before.matches("\"card\":null").count(), down - up);
        let legal: Vec<Action> = question.choices.iter().map(|choice| self.action(question.player, *choice)).collect();
        let mut all = vec![
            Action::Hit,
            Action::Stand,
            Action::FaceDown,
            Action::Accept,
            Action::Reject,
            Action::Pass,
            Action::Open { hand: None },
            Action::Discard { hand: None },
            Action::Split,
            Action::Double { amount: None },
            Action::Insurance { take: true },
        ];
        let some_card = self.dice.below(52) as Face;
        all.push(Action::Change { card: card(some_card) });
        for player in 0..self.people.len() {
            let places =
                [1, self.number, self.number.saturating_sub(1), self.number + 1].map(|round| self.hand(player, round));
            let place = self.dice.of(&places);
            all.push(Action::Open { hand: Some(place) });
            all.push(Action::Discard { hand: Some(place) });
        }
        all.push(Action::Open { hand: Some(Place::Dealer) });
        all.extend(legal.iter().cloned());
        let mine = self.people[question.player].0.clone();
        for action in all {
            let taken = match &action {
                // Without a named hand: the oldest.
                Action::Open { hand: None } => question.choices.iter().any(|choice| matches!(choice, Choice::Open(_))),
                Action::Discard { hand: None } => {
                    question.choices.iter().any(|choice| matches!(choice, Choice::Discard(_)))
                }
                action => legal.contains(action),
            };
            match self.round.accept(&mine, number, &action, Chips::ZERO) {
                Ok(event) if taken => {
                    let want = RoundEvent::Acted {
                        decision: number,
                        player: mine.clone(),
                        action,
                        cost: Chips::ZERO,
                        default: false,
                    };
                    // The event may name a hand that the player left unnamed.
                    if !matches!(
                        &want,
                        RoundEvent::Acted { action: Action::Open { hand: None } | Action::Discard { hand: None }, .. }
                    ) {
                        self.same("accepted", &event, &want);
                    }
                }
                Err(illegal) if !taken => {
                    self.same(&action.to_string(), illegal.code(), "action_not_offered");
                    let forced = RoundEvent::Acted {
                        decision: number,
                        player: mine.clone(),
                        action,
                        cost: Chips::ZERO,
                        default: false,
                    };
                    if self.round.apply(&forced).is_ok() {
                        self.fail(&format!("taken for true: {forced:?}"));
                    }
                }
                got => self.fail(&format!("{action}\nengine: {got:?}\npage:   {:?}", question.choices)),
            }
        }
        let other = self.people[(question.player + 1) % self.people.len()].0.clone();
        for stranger in [other, "zoe".parse().unwrap()] {
            let refused =
                self.round.accept(&stranger, number, &legal[0], Chips::ZERO).map_err(|illegal| illegal.code());
            self.same("another's", refused, Err("not_your_decision"));
        }
        for not_open in [number + 1, number.wrapping_sub(1)] {
            let refused = self.round.accept(&mine, not_open, &legal[0], Chips::ZERO).map_err(|illegal| illegal.code());
            self.same("not open", refused, Err("decision_not_open"));
            self.same(
                "not open",
                self.round.default_play(not_open).map_err(|illegal| illegal.code()),
                Err("decision_not_open"),
            );
        }
        self.same("the view after refusals", self.round.view_json().get(), &before);
    }

    fn choose(&mut self, question: &Question) -> Choice {
        let wishes: &[fn(&Choice) -> bool] = match (self.style, self.dice.below(8)) {
            // This style stays alive.
            (0 | 1, 0..=5) => {
                &[|c| matches!(c, Choice::Stand), |c| matches!(c, Choice::Pass), |c| matches!(c, Choice::Accept)]
            }
            // This style closes hands.
            (1 | 2, 6) => &[|c| matches!(c, Choice::FaceDown), |c| matches!(c, Choice::Pass)],
            (2, 0..=3) => {
                &[|c| matches!(c, Choice::FaceDown), |c| matches!(c, Choice::Pass), |c| matches!(c, Choice::Stand)]
            }
            // This style closes every hand, so the pile grows short.
            (5, 0..=6) => &[|c| matches!(c, Choice::FaceDown), |c| matches!(c, Choice::Pass)],
            // This style draws for 21 and discards.
            (3, 0..=3) => {
                &[|c| matches!(c, Choice::Discard(_)), |c| matches!(c, Choice::Hit), |c| matches!(c, Choice::Accept)]
            }
            (_, 7) => {
                &[|c| matches!(c, Choice::Open(_)), |c| matches!(c, Choice::Change(_)), |c| matches!(c, Choice::Reject)]
            }
            _ => &[],
        };
        let found = wishes.iter().find_map(|wish| question.choices.iter().find(|choice| wish(choice)));
        found.copied().unwrap_or_else(|| self.dice.of(&question.choices))
    }
}

fn word(choice: &Choice) -> &'static str {
    match choice {
        Choice::Hit => "hit",
        Choice::HitChange | Choice::Reject => "reject",
        Choice::Accept => "accept",
        Choice::Stand => "stand",
        Choice::Change(_) => "change",
        Choice::FaceDown => "face_down",
        Choice::Pass => "pass",
        Choice::Open(_) => "open",
        Choice::Discard(_) => "discard",
    }
}

impl Players for Driver<'_> {
    fn ask(&mut self, facts: &[Fact], question: &Question) -> Choice {
        self.advance();
        self.compare(facts);
        let Some((number, player, place, offered)) = self.open.clone() else {
            self.fail(&format!("the page asks {question:?}"))
        };
        self.same("who decides", &player, &self.people[question.player].0);
        let seat = self.people[question.player].1;
        if !matches!(place, Place::Hand { spot, .. } if spot == seat) {
            self.fail(&format!("the decision is about {place}"));
        }
        if question.moment == Moment::Turn {
            self.same("the hand that is played", place, self.hand(question.player, self.number));
        }
        let words: BTreeSet<&str> = question.choices.iter().map(word).collect();
        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        words.sort();
        self.same("options", &offered, &words);
        let mut now: Vec<String> =
            self.round.options(number, Chips::ZERO).iter().map(|offer| offer.action.to_string()).collect();
        now.sort();
        self.same("options now", &now, &words);
        let open = self.round.open_decisions();
        self.same(
            "open",
            open.iter().map(|d| (d.number, &d.player, d.place)).collect(),
            vec![(number, &player, place)],
        );
        self.same("a pile is needed", self.round.needs_pile().is_none(), true);
        self.try_all(number, question);

        let default = self.round.default_play(number).unwrap();
        let RoundEvent::Acted { action, default: true, .. } = &default else { self.fail(&format!("{default:?}")) };
        self.same("default play", action, &self.action(question.player, question.timeout));
        if self.dice.one_in(12) {
            self.follow(default);
            return question.timeout;
        }
        let choice = self.choose(question);
        self.count(format!("{:?} {}", question.moment, word(&choice)));
        let event = self.round.accept(&player, number, &self.action(question.player, choice), Chips::ZERO).unwrap();
        self.follow(event);
        choice
    }

    fn shuffle(&mut self, facts: &[Fact], cards: &[Face], alive: &[usize]) -> Result<Vec<(u16, Face)>, usize> {
        self.advance();
        self.compare(facts);
        let Some(need) = self.round.needs_pile() else { self.fail(&format!("the page shuffles {cards:?}")) };
        self.same("cards", &need.composition.values()[..], cards);
        self.same("pile", usize::from(need.pile), self.table.piles.len());
        let mut names: Vec<PlayerId> = alive.iter().map(|player| self.people[*player].0.clone()).collect();
        names.sort();
        self.same("who shuffles", &need.players, &names);
        self.same("nothing open", self.round.open_decisions().len(), 0);
        self.same("nothing by itself", self.round.step(&self.table), Ok(None));
        for (player, _) in self.people.clone() {
            if !names.contains(&player) && self.round.apply(&RoundEvent::Absent { player }).is_ok() {
                self.fail("one who is out is absent");
            }
        }
        if self.absent && self.dice.one_in(3) {
            let absent = self.dice.of(alive);
            self.follow(RoundEvent::Absent { player: self.people[absent].0.clone() });
            return Err(absent);
        }
        // The slots of the new pile are in random order.
        let mut pile: Vec<Face> = cards.to_vec();
        self.dice.mix(&mut pile);
        let mut slots: Vec<u16> = (0..cards.len() as u16).collect();
        self.dice.mix(&mut slots);
        let pile: Vec<(u16, Face)> = slots.into_iter().zip(pile).collect();
        self.table.piles.push(pile.clone());
        self.table.drawn = 0;
        self.follow(RoundEvent::Shuffled { pile: need.pile });
        self.count(format!("shuffles of a game {}", self.table.piles.len().min(5)));
        Ok(pile)
    }
}

fn one_game(number: u64, sets: &mut HashMap<Vec<(&'static str, String)>, RuleSet>, seen: &mut BTreeMap<String, u64>) {
    let mut dice = Dice::new(number);
    let options = Options {
        never_pass: dice.one_in(3),
        declared: dice.one_in(3),
        last_round: if dice.one_in(8) { 1 + dice.below(4) as u8 } else { 255 },
    };
    let named = vec![
        ("pass", if options.never_pass { "never" } else { "after_operation" }.to_owned()),
        ("hit_change", if options.declared { "declared" } else { "seen" }.to_owned()),
        ("last_round", options.last_round.to_string()),
    ];
    let rules = sets.entry(named).or_insert_with_key(|named| {
        let set = RuleSet::shipped("safe").unwrap();
        set.with_options(named.iter().map(|(name, value)| (*name, value.as_str()))).unwrap()
    });

    let count = 2 + dice.below(5);
    let mut seats: Vec<u8> = (1..=6).collect();
    dice.mix(&mut seats);
    seats.truncate(count);
    seats.sort_unstable();
    let mut names: Vec<usize> = (0..count).collect();
    dice.mix(&mut names);
    let people: Vec<(PlayerId, u8)> = names.iter().map(|name| format!("p{name}").parse().unwrap()).zip(seats).collect();
    let bet = |seat: u8| Bet { spot: seat.to_string(), stake: chips(ENTRY), chips: None };
    let mut placed: Vec<Placed> =
        people.iter().map(|(name, seat)| Placed { player: name.clone(), bets: vec![bet(*seat)] }).collect();
    placed.sort_by(|a, b| a.player.cmp(&b.player));

    let faces = cards::random_pile(&mut dice, 1);
    let mut slots: Vec<u16> = (0..52).collect();
    dice.mix(&mut slots);
    let pile: Vec<(u16, Face)> = slots.into_iter().zip(faces).collect();
    let (style, absent) = (dice.below(6), dice.one_in(3));
    let mut driver = Driver {
        title: format!("game {number}: {options:?}\n  {people:?}"),
        round: rules.open_round(&placed).unwrap(),
        table: Table { piles: vec![pile.clone()], drawn: 0 },
        dice,
        people,
        log: vec![],
        facts: vec![],
        open: None,
        asked: 0,
        number: 1,
        paid: vec![],
        style,
        absent,
        seen,
    };
    assert_eq!(driver.round.lanes(), 1);
    let (winner, facts) = {
        let mut game = Game::new(options, count, pile, &mut driver);
        let winner = game.play();
        (winner, game.facts)
    };
    driver.advance();
    driver.compare(&facts);
    driver.same(
        "settled",
        (driver.round.is_settled(), driver.open.is_none(), driver.round.needs_pile()),
        (true, true, None),
    );
    // A002.w
    let line = |(player, (name, seat)): (usize, &(PlayerId, u8))| Settlement {
        player: name.clone(),
        place: Place::Hand { spot: *seat, hand: 1 },
        wager: Wager::Entry,
        outcome: if player == winner { Outcome::Win } else { Outcome::Loss },
        stake: chips(ENTRY),
        returned: chips(if player == winner { ENTRY * count as u64 } else { 0 }),
    };
    let want: Vec<Settlement> = driver.people.iter().enumerate().map(line).collect();
    driver.same("paid", &driver.paid, &want);
    driver.same("refused after the end", driver.round.step(&driver.table), Ok::<_, StepError>(None));
    let rounds = driver.number;
    driver.count(if rounds > 9 { "rounds 10 and more".into() } else { format!("rounds {rounds}") });
    driver.count(format!("players {count}"));
    driver.count("games");
}

#[test]
fn the_engine_agrees_with_the_page_on_random_games() {
    let (mut sets, mut seen) = (HashMap::new(), BTreeMap::new());
    let numbers = cards::numbers(cards::games(1_200, 1_000_000));
    for number in numbers.clone() {
        one_game(number, &mut sets, &mut seen);
    }
    println!("games {numbers:?}: {seen:?}");
    let often = [
        "out by bust",
        "out by face_down",
        "won by LastAlive",
        "won by Survived",
        "won by LastFreePlayer",
        "Turn change",
        "Turn pass",
    ];
    let rare = [
        "out by absent",
        "won by LastOpened",
        "won by LastRound",
        "opened, PileShort",
        "HighScore discard",
        "shuffles of a game 3",
    ];
    for (what, least) in often.iter().map(|what| (*what, 100)).chain(rare.iter().map(|what| (*what, 2))) {
        assert!(
            numbers.start() == numbers.end() || seen.get(what).is_some_and(|count| *count >= least),
            "a run without `{what}`: {seen:?}"
        );
    }
}
