//! The blackjack engine against the pages of documents 001, 003 and 004 (document 000: `independent_model`): random
//! rounds at shared tables with lanes and at solo tables with several boxes, random values for the named options, every
//! illegal action tried at every decision.
//!
//! 8,000 rounds; FAIRSHOE_SLOW=1: 1,000,000. FAIRSHOE_GAME=n plays round n alone. A disagreement prints the whole
//! round.

use crate::models::blackjack;
use crate::models::blackjack_sets;
use crate::models::cards;

use blackjack::{At, Choice, Exhausted, Fact, Line, Opening, Players, Question};
use blackjack_sets::{random_set, random_shoe};
use cards::{Dice, Shoe};
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{
    Action, Bet, Chips, Dealing, FaceUnknown, Illegal, Outcome, Peek, Place, Placed, Round, RoundEvent, RuleSet,
    StepError, Wager,
};
use std::collections::{BTreeMap, HashMap};

const DEADLINE: u64 = 7;

// ---- the table behind the engine ----

struct Table {
    shoe: Shoe,
    names: Vec<PlayerId>,
    funds: Vec<u64>,
}

impl Table {
    fn number(&self, player: &PlayerId) -> usize {
        self.names.iter().position(|name| name == player).unwrap()
    }
}

impl Dealing for Table {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.shoe.next_slot(lane).map(Slot)
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.shoe.face(slot.0).and_then(Card::from_code).ok_or(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.card(slot)?))
    }
    fn funds(&self, player: &PlayerId) -> Chips {
        chips(self.funds[self.number(player)])
    }
    fn deadline(&self) -> u64 {
        DEADLINE
    }
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn place(at: At) -> Place {
    match at {
        At::Hand(spot, hand) => Place::Hand { spot, hand },
        At::Dealer => Place::Dealer,
    }
}

fn at(place: Place) -> At {
    match place {
        Place::Hand { spot, hand } => At::Hand(spot, hand),
        Place::Dealer => At::Dealer,
        Place::Spot(name) => panic!("a blackjack layout has no spot {name}"),
    }
}

// ---- the engine at the model's questions ----

/// Words with their costs.
type Offered = Vec<(String, u64)>;

struct Driver<'d> {
    title: String,
    round: Box<dyn Round>,
    table: Table,
    dice: Dice,
    stake: u64,
    /// The engine's events, and the same events as facts.
    log: Vec<RoundEvent>,
    facts: Vec<Fact>,
    /// The engine's open questions, with the options offered.
    open: Vec<(u32, Question, Offered)>,
    asked: u32,
    /// By player: unsettled stakes.
    pending: Vec<u64>,
    ended: Option<StepError>,
    seen: &'d mut BTreeMap<&'static str, u64>,
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

    fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    /// Plays the engine's automatic events.
    fn advance(&mut self) {
        loop {
            match self.round.step(&self.table) {
                Ok(Some(event)) => self.follow(event),
                Ok(None) => return,
                Err(StepError::ShoeExhausted) => {
                    self.ended = Some(StepError::ShoeExhausted);
                    return;
                }
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
                let next = self.table.shoe.next_slot(lane);
                self.same("slot of the lane", Some(slot.0), next);
                self.table.shoe.draw(lane);
                self.facts.push(Fact::Dealt { lane, slot: slot.0, to: at(to), face: card.map(Card::code) });
            }
            RoundEvent::Turned { pile, slot, card } => {
                self.same("pile", pile, None);
                self.facts.push(Fact::Turned { slot: slot.0, face: card.code() });
            }
            RoundEvent::Peeked { slot, blackjack } => self.facts.push(Fact::Peeked { slot: slot.0, blackjack }),
            RoundEvent::Offered { decision, player, place, options, deadline, .. } => {
                self.same("decision", decision, self.asked);
                self.same("deadline", deadline, DEADLINE);
                self.asked += 1;
                let offered = options.iter().map(|offer| (offer.action.to_string(), offer.cost.units())).collect();
                let question = Question { player: self.table.number(&player), at: at(place), words: vec![] };
                self.open.push((decision, question, offered));
            }
            RoundEvent::Acted { player, cost, .. } => {
                let number = self.table.number(&player);
                self.table.funds[number] -= cost.units();
                self.pending[number] += cost.units();
            }
            RoundEvent::Paid { lines } => {
                let mut paid = Vec::new();
                for line in lines {
                    let player = self.table.number(&line.player);
                    self.table.funds[player] += line.returned.units();
                    if self.pending[player] < line.stake.units() {
                        self.fail("more is paid out of escrow than lies there");
                    }
                    self.pending[player] -= line.stake.units();
                    let wager = match line.wager {
                        Wager::Hand => "hand",
                        Wager::Insurance => "insurance",
                        other => self.fail(&format!("{other:?}")),
                    };
                    let outcome = match line.outcome {
                        Outcome::Blackjack => "blackjack",
                        Outcome::Win => "win",
                        Outcome::Draw => "draw",
                        Outcome::Loss => "loss",
                        Outcome::Bust => "bust",
                        Outcome::Surrender => "surrender",
                        Outcome::EvenMoney => "even_money",
                    };
                    self.count(outcome);
                    let (stake, returned) = (line.stake.units(), line.returned.units());
                    paid.push(Line { player, at: at(line.place), wager, outcome, stake, returned });
                }
                self.facts.push(Fact::Paid(paid));
            }
            other => self.fail(&format!("{other:?} at a blackjack table")),
        }
    }

    /// Checks that the event with one change is refused and changes no state.
    fn forge(&mut self, event: &RoundEvent) {
        if !self.dice.one_in(6) {
            return;
        }
        let mut forged = event.clone();
        match &mut forged {
            RoundEvent::Dealt { lane, to, .. } => match self.dice.below(2) {
                0 => *lane += 1,
                _ => *to = if *to == Place::Dealer { Place::Hand { spot: 1, hand: 1 } } else { Place::Dealer },
            },
            RoundEvent::Offered { decision, place, options, .. } => match self.dice.below(3) {
                0 => *decision += 1,
                1 => *place = Place::Dealer,
                _ => drop(options.remove(0)),
            },
            RoundEvent::Acted { decision, cost, default, .. } => match self.dice.below(2) {
                0 if !*default => *cost = chips(cost.units() + 1),
                _ => *decision = self.asked,
            },
            RoundEvent::Paid { lines } => {
                let line = self.dice.below(lines.len());
                match self.dice.below(4) {
                    0 => lines[line].returned = chips(lines[line].returned.units() + 1),
                    1 => lines[line].stake = chips(lines[line].stake.units() + 1),
                    2 => lines[line].player = "zoe".parse().unwrap(),
                    _ => drop(lines.remove(line)),
                }
            }
            _ => return,
        }
        let before = self.round.view_json().get().to_owned();
        if self.round.apply(&forged).is_ok() {
            self.fail(&format!("taken for true: {forged:?}"));
        }
        self.same("the view after a refusal", self.round.view_json().get(), &before);
    }

    fn compare(&self, facts: &[Fact], funds: &[u64]) {
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
        self.same("funds", &self.table.funds[..], funds);
        let mut staked = vec![0; funds.len()];
        for (player, stake) in self.round.pending_stakes() {
            staked[self.table.number(&player)] += stake.units();
        }
        self.same("pending stakes", &staked, &self.pending);
    }

    /// Each action is accepted or refused as the page says.
    fn try_all(&mut self, number: u32, question: &Question) -> Vec<(Choice, RoundEvent)> {
        let before = self.round.view_json().get().to_owned();
        // R001.122: everyone sees a face-down card only as a slot.
        let down = self.facts.iter().filter(|fact| matches!(fact, Fact::Dealt { face: None, .. })).count();
        let up = self.facts.iter().filter(|fact| matches!(fact, Fact::Turned { .. })).count();
        self.same("cards hidden in the view", before.matches("\"card\":null").count(), down - up);
        let mine = self.table.names[question.player].clone();
        let funds = self.table.funds[question.player];
        let mut taken = Vec::new();
        for action in every_action(&mut self.dice, self.stake) {
            let want = verdict(question, funds, &action);
            let got = self.round.accept(&mine, number, &action, chips(funds));
            match (want, got) {
                (Err(code), Err(illegal)) => {
                    self.same(&format!("{action} with {funds}"), illegal.code(), code);
                    self.count(code);
                    let cost = chips(self.dice.below(2 * self.stake as usize + 1) as u64);
                    // An event does not tell whether the funds sufficed.
                    if code != "insufficient_balance" {
                        let forced =
                            RoundEvent::Acted { decision: number, player: mine.clone(), action, cost, default: false };
                        if self.round.apply(&forced).is_ok() {
                            self.fail(&format!("taken for true: {forced:?}"));
                        }
                    }
                }
                (Ok((choice, cost)), Ok(event)) => {
                    let want = RoundEvent::Acted {
                        decision: number,
                        player: mine.clone(),
                        action,
                        cost: chips(cost),
                        default: false,
                    };
                    self.same("accepted", &event, &want);
                    taken.push((choice, event));
                }
                (want, got) => self.fail(&format!("{action} with {funds}\nengine: {got:?}\npage:   {want:?}")),
            }
        }
        let stranger = if self.table.names.len() > 1 && self.dice.one_in(2) {
            self.table.names[(question.player + 1) % self.table.names.len()].clone()
        } else {
            "zoe".parse().unwrap()
        };
        let code = |result: Result<RoundEvent, Illegal>| result.map_err(|illegal| illegal.code());
        for action in [Action::Stand, Action::Insurance { take: true }] {
            self.same(
                "another's",
                code(self.round.accept(&stranger, number, &action, chips(funds))),
                Err("not_your_decision"),
            );
            let other = if number > 0 && self.dice.one_in(2) { number - 1 } else { self.asked };
            if self.open.iter().all(|(open, ..)| *open != other) {
                self.same(
                    "not open",
                    code(self.round.accept(&mine, other, &action, chips(funds))),
                    Err("decision_not_open"),
                );
                self.same("not open", code(self.round.default_play(other)), Err("decision_not_open"));
            }
        }
        self.same("the view after refusals", self.round.view_json().get(), &before);
        taken
    }
}

fn every_action(dice: &mut Dice, stake: u64) -> Vec<Action> {
    let some = |amount: u64| Some(chips(amount));
    vec![
        Action::Hit,
        Action::Stand,
        Action::Double { amount: None },
        Action::Double { amount: some(dice.below(2 * stake as usize + 2) as u64) },
        Action::Double { amount: some(dice.below(stake as usize + 1) as u64) },
        Action::Double { amount: some(0) },
        Action::Double { amount: some(stake + 1) },
        Action::Split,
        Action::Surrender,
        Action::Insurance { take: true },
        Action::Insurance { take: false },
        Action::EvenMoney { take: true },
        Action::EvenMoney { take: false },
        [Action::FaceDown, Action::Accept, Action::Reject, Action::Pass, Action::Open { hand: None }][dice.below(5)]
            .clone(),
    ]
}

/// The page's answer to an action: the choice and its cost, or the code of its refusal.
fn verdict(question: &Question, funds: u64, action: &Action) -> Result<(Choice, u64), &'static str> {
    let name = action.kind().to_string();
    let word = question.words.iter().find(|word| word.word == name).ok_or("action_not_offered")?;
    let cost = match action {
        Action::Double { amount } => amount.map_or(word.usual, Chips::units),
        Action::Insurance { take: false } => 0,
        _ => word.usual,
    };
    if matches!(action, Action::Double { .. }) && !(word.least..=word.most).contains(&cost) {
        return Err("extra_stake_refused");
    }
    if cost > funds {
        return Err("insufficient_balance");
    }
    let choice = match action {
        Action::Hit => Choice::Hit,
        Action::Stand => Choice::Stand,
        Action::Double { .. } => Choice::Double(cost),
        Action::Split => Choice::Split,
        Action::Surrender => Choice::Surrender,
        Action::Insurance { take } => Choice::Insurance(*take),
        Action::EvenMoney { take } => Choice::EvenMoney(*take),
        _ => return Err("action_not_offered"),
    };
    Ok((choice, cost))
}

impl Players for Driver<'_> {
    fn ask(&mut self, facts: &[Fact], open: &[Question], funds: &[u64]) -> (usize, Choice) {
        self.advance();
        if self.ended.is_some() {
            self.fail("the engine has no cards left, the page asks");
        }
        self.compare(facts, funds);
        let engine: Vec<(usize, At)> =
            self.open.iter().map(|(_, question, _)| (question.player, question.at)).collect();
        let page: Vec<(usize, At)> = open.iter().map(|question| (question.player, question.at)).collect();
        self.same("open decisions", engine, page);
        let mut told: Vec<_> =
            self.round.open_decisions().into_iter().map(|d| (d.number, d.player, d.place, d.deadline)).collect();
        told.sort_by_key(|decision| decision.0);
        let want: Vec<_> = self
            .open
            .iter()
            .map(|(number, q, _)| (*number, self.table.names[q.player].clone(), place(q.at), DEADLINE))
            .collect();
        self.same("open_decisions()", told, want);
        for (at, question) in open.iter().enumerate() {
            let (number, asked, offered) = &self.open[at];
            let funds = funds[question.player];
            let within = |word: &&blackjack::Word| word.least <= funds;
            let cost = |word: &blackjack::Word| (word.word.to_owned(), word.most.min(funds));
            let words: Vec<(String, u64)> = question.words.iter().filter(within).map(cost).collect();
            let now: Vec<_> = self.round.options(*number, chips(funds));
            let now: Vec<(String, u64)> =
                now.iter().map(|offer| (offer.action.to_string(), offer.cost.units())).collect();
            self.same("options", &now, &words);
            // In a window, funds may have gone since the offer.
            if asked.words.is_empty() {
                self.same("offered", offered, &words);
                self.open[at].1 = question.clone();
            }
        }

        let which = self.dice.below(open.len());
        let number = self.open[which].0;
        let taken = self.try_all(number, &open[which]);
        let mut default = None;
        if self.dice.one_in(16) || taken.is_empty() {
            let event = self.round.default_play(number).unwrap();
            let quiet = match open[which].words[0].word {
                "insurance" => (Action::Insurance { take: false }, Choice::Insurance(false)),
                "even_money" => (Action::EvenMoney { take: false }, Choice::EvenMoney(false)),
                _ => (Action::Stand, Choice::Stand),
            };
            let player = self.table.names[open[which].player].clone();
            let want =
                RoundEvent::Acted { decision: number, player, action: quiet.0, cost: Chips::ZERO, default: true };
            self.same("default play", &event, &want);
            default = Some((quiet.1, event));
        }
        let (choice, event) = match default {
            Some(quiet) => quiet,
            None => {
                let pick = pick(&mut self.dice, &taken);
                taken[pick].clone()
            }
        };
        self.count(match choice {
            Choice::Hit => "hit",
            Choice::Stand => "stand",
            Choice::Double(extra) if extra < self.stake => "double for less",
            Choice::Double(_) => "double",
            Choice::Split => "split",
            Choice::Surrender => "give up",
            Choice::Insurance(true) => "insurance",
            Choice::Insurance(false) => "no insurance",
            Choice::EvenMoney(true) => "even money taken",
            Choice::EvenMoney(false) => "even money waited",
        });
        if open.len() > 1 && which > 0 {
            self.count("out of order");
        }
        if let At::Hand(_, hand @ 3..) = open[which].at {
            self.count(if hand > 4 { "a fifth hand" } else { "a third hand" });
        }
        self.open.remove(which);
        self.follow(event);
        (which, choice)
    }
}

/// Prefers splits and long hands, which are rare.
fn pick(dice: &mut Dice, taken: &[(Choice, RoundEvent)]) -> usize {
    let wanted: &[fn(&Choice) -> bool] = match dice.below(5) {
        0 => &[|c| *c == Choice::Split, |c| matches!(c, Choice::Double(_)), |c| *c == Choice::Insurance(true)],
        1 => &[|c| *c == Choice::Split, |c| *c == Choice::Hit],
        2 => &[|c| *c == Choice::Split, |c| *c == Choice::Stand],
        _ => &[],
    };
    let found = wanted.iter().find_map(|wanted| taken.iter().position(|(choice, _)| wanted(choice)));
    found.unwrap_or_else(|| dice.below(taken.len()))
}

// ---- random rounds ----

fn one_round(number: u64, sets: &mut HashMap<String, RuleSet>, seen: &mut BTreeMap<&'static str, u64>) {
    let mut dice = Dice::new(number);
    let set = random_set(&mut dice);
    let key = format!("{} {:?}", set.name, set.options);
    let options = set.options.iter().map(|(name, value)| (*name, value.as_str()));
    let rules =
        sets.entry(key.clone()).or_insert_with(|| RuleSet::shipped(set.name).unwrap().with_options(options).unwrap());

    // The players' seats and funds.
    let most = dice.of(&[3, 20, 1000, 1_000_000]);
    let mut bets = Vec::new();
    let people = if set.lanes { 1 + dice.below(usize::from(set.boxes)) } else { 1 };
    for spot in 1..=set.boxes {
        if set.boxes == 1 || dice.one_in(2) || (bets.is_empty() && spot == set.boxes) {
            bets.push(Opening { spot, player: dice.below(people), stake: 1 + dice.below(most) as u64 });
        }
    }
    // Every player has a bet.
    let mut used: Vec<usize> = bets.iter().map(|bet| bet.player).collect();
    used.sort_unstable();
    used.dedup();
    for bet in &mut bets {
        bet.player = used.binary_search(&bet.player).unwrap();
    }
    let people = used.len();
    let names: Vec<PlayerId> = (0..people).map(|player| format!("p{player}").parse().unwrap()).collect();
    let staked: Vec<u64> =
        (0..people).map(|player| bets.iter().filter(|bet| bet.player == player).map(|bet| bet.stake).sum()).collect();
    let rich = dice.below(3);
    let left =
        |staked: &u64, dice: &mut Dice| if rich > 0 { 200 * staked } else { dice.below(2 * *staked as usize) as u64 };
    let funds: Vec<u64> = staked.iter().map(|staked| left(staked, &mut dice)).collect();

    let placed: Vec<Placed> = (0..people)
        .map(|player| {
            let mine = bets.iter().filter(|bet| bet.player == player);
            let mut mine: Vec<Bet> =
                mine.map(|bet| Bet { spot: bet.spot.to_string(), stake: chips(bet.stake), chips: None }).collect();
            dice.mix(&mut mine);
            Placed { player: names[player].clone(), bets: mine }
        })
        .collect();

    let lanes = if set.lanes { bets.len() + 1 } else { 1 };
    let shoe = random_shoe(&mut dice, set.packs, lanes);
    let round = rules.open_round(&placed).unwrap();
    assert_eq!(usize::from(round.lanes()), lanes, "round {number}");
    let title = format!("round {number}: {key}\n  {bets:?} funds {funds:?}");
    let mut driver = Driver {
        title,
        round,
        table: Table { shoe: shoe.clone(), names, funds: funds.clone() },
        dice,
        stake: bets.iter().map(|bet| bet.stake).max().unwrap(),
        log: vec![],
        facts: vec![],
        open: vec![],
        asked: 0,
        pending: staked,
        ended: None,
        seen,
    };
    driver.count(set.name);
    let (end, facts, funds) = {
        let mut model = blackjack::Round::new(&bets, funds, set.lanes, shoe, &mut driver);
        let end = model.play(&set.page);
        (end, std::mem::take(&mut model.facts), std::mem::take(&mut model.funds))
    };
    driver.advance();
    driver.compare(&facts, &funds);
    match end {
        Err(Exhausted) => {
            driver.same("exhausted", driver.ended.clone(), Some(StepError::ShoeExhausted));
            driver.count("exhausted");
        }
        Ok(()) => {
            driver.same("settled", (driver.round.is_settled(), driver.ended.is_none()), (true, true));
            driver.same("nothing open", (driver.round.open_decisions().len(), driver.open.len()), (0, 0));
            if driver.pending.iter().any(|stake| *stake > 0) {
                driver.fail("something is staked still");
            }
            let again = driver.log[driver.log.len() - 1].clone();
            if driver.round.apply(&again).is_ok() {
                driver.fail("an event after the end");
            }
        }
    }
}

#[test]
fn the_engine_agrees_with_the_pages_on_random_rounds() {
    let (mut sets, mut seen) = (HashMap::new(), BTreeMap::new());
    let numbers = cards::numbers(cards::games(8_000, 1_000_000));
    let alone = numbers.start() == numbers.end();
    for number in numbers.clone() {
        one_round(number, &mut sets, &mut seen);
    }
    println!("rounds {numbers:?}, {} rule sets: {seen:?}", sets.len());
    let names = ["live-blackjack", "rng-blackjack", "six-deck", "six-deck-solo", "study-group", "study-group-solo"];
    let rare = [
        "exhausted",
        "a fifth hand",
        "even money taken",
        "even money waited",
        "out of order",
        "a third hand",
        "double for less",
        "insufficient_balance",
    ];
    let common = [
        "hit",
        "stand",
        "double",
        "split",
        "give up",
        "insurance",
        "no insurance",
        "bust",
        "draw",
        "surrender",
        "blackjack",
        "loss",
        "extra_stake_refused",
    ];
    for (what, least) in
        names.iter().map(|w| (w, 300)).chain(rare.iter().map(|w| (w, 20))).chain(common.iter().map(|w| (w, 300)))
    {
        assert!(
            alone || seen.get(*what).is_some_and(|count| count >= &least),
            "a run without `{what}` tests nothing of it: {seen:?}"
        );
    }
}

/// The pages' objections to bets on boxes 1 to `boxes` (R001.118, R003.2, R004.2, R004.19, C4): the codes of all
/// faults.
fn flaws(bets: &[Bet], boxes: u64, (min, max, step): (u64, u64, u64)) -> Vec<&'static str> {
    let mut flaws = Vec::new();
    if bets.is_empty() || bets.len() as u64 > boxes {
        flaws.push("bet_count");
    }
    for (at, bet) in bets.iter().enumerate() {
        let stake = bet.stake.units();
        let wrong = [
            (!(1..=boxes).any(|spot| spot.to_string() == bet.spot), "unknown_spot"),
            (bets[..at].iter().any(|other| other.spot == bet.spot), "spot_twice"),
            (stake < min, "below_minimum"),
            (stake > max, "above_maximum"),
            (stake % step != 0, "off_step"),
        ];
        flaws.extend(wrong.iter().filter(|(wrong, _)| *wrong).map(|(_, code)| *code));
    }
    flaws
}

#[test]
fn the_pages_take_the_bets_that_the_engine_takes() {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let sets = ["six-deck-solo", "study-group-solo"].map(|name| RuleSet::shipped(name).unwrap());
    for number in cards::numbers(cards::games(5_000, 100_000)) {
        let mut dice = Dice::new(number);
        let (rules, boxes) = if dice.one_in(2) { (&sets[0], 5) } else { (&sets[1], 7) };
        let spot = |dice: &mut Dice| match dice.below(40) {
            0 => ["0", "01", "+1", "a", "", " 1", "1/1", "dealer", "8", "256", "-1"][dice.below(11)].to_owned(),
            1 => (boxes + 1).to_string(),
            _ => (1 + dice.below(boxes as usize)).to_string(),
        };
        let stake = |dice: &mut Dice| match dice.below(20) {
            0 => dice.below(4) as u64,
            1 => 998 + dice.below(6) as u64,
            2 => 3,
            _ => 2 * (1 + dice.below(500) as u64),
        };
        let bet = |dice: &mut Dice| Bet { spot: spot(dice), stake: chips(stake(dice)), chips: None };
        let count = if dice.one_in(30) { 8 * dice.below(2) } else { 1 + dice.below(3) };
        let bets: Vec<Bet> = (0..count).map(|_| bet(&mut dice)).collect();
        let sum: u64 = bets.iter().map(|bet| bet.stake.units()).sum();
        let want = flaws(&bets, boxes, (2, 1000, 2));
        let got = rules.check_bets(&bets, chips(sum)).map_err(|refusal| refusal.code());
        assert!(
            got.map_or_else(|code| want.contains(&code), |()| want.is_empty()),
            "bets {number}: {bets:?}: {got:?}, but {want:?}"
        );
        if want.is_empty() {
            let poor = rules.check_bets(&bets, chips(sum - 1)).map_err(|refusal| refusal.code());
            assert_eq!(poor, Err("insufficient_balance"), "bets {number}");
        }
        *seen.entry(got.err().unwrap_or("taken")).or_default() += 1;
    }
    println!("{seen:?}");
    assert!(seen.values().sum::<u64>() == 1 || seen.len() == 7, "{seen:?}");

    // One box, two players.
    let placed = ["ann", "bob"].map(|name| {
        let bets = vec![Bet { spot: "3".into(), stake: chips(100), chips: None }];
        Placed { player: name.parse().unwrap(), bets }
    });
    for name in ["live-blackjack", "six-deck", "study-group"] {
        let refused = RuleSet::shipped(name).unwrap().open_round(&placed).err().map(|refusal| refusal.code());
        assert_eq!(refused, Some("spot_taken"), "{name}");
    }
}
