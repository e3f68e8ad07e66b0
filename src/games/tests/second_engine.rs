//! The engines against a second one of each game: that of tools/verifier, written from spec/ alone, on random rounds.
//!
//! tests/second_verifier/rounds.js draws rule sets, bets, cards and choices, and says every event, every option and
//! every refusal; here the engines say them again. Each round is also held against what is true of every round: forged,
//! foreign, missing, repeated and swapped events are refused, a refusal changes nothing, an event reads as it is written,
//! stakes are pending until they are paid, a hidden face is nowhere before it is turned up.
//! 6,000 rounds; FAIRSHOE_SLOW=1: 200,000, others each time.

use crate::common;
use common::{Dice, chips};
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::safe::SafeEvent;
use fairshoe_games::{
    Action, Bet, Chips, Dealing, FaceUnknown, Peek, Placed, Round, RoundEvent, RuleSet, Spin, StepError,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const ROUNDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second_verifier/rounds.js");
const DEADLINE: u64 = 7;

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"))
}

/// Piles of known cards, drawn from their first; slots are counted from a pile's end.
struct Table {
    piles: Vec<Vec<Card>>,
    pile: usize,
    drawn: usize,
    pocket: u8,
    funds: BTreeMap<PlayerId, Chips>,
}

impl Dealing for Table {
    fn next_slot(&self, _: u16) -> Option<Slot> {
        let left = self.piles[self.pile].len().checked_sub(self.drawn + 1)?;
        Some(Slot(u16::try_from(left).unwrap()))
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.earlier_card(u16::try_from(self.pile).unwrap(), slot)
    }
    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.card(slot)?))
    }
    fn funds(&self, player: &PlayerId) -> Chips {
        self.funds[player]
    }
    fn deadline(&self) -> u64 {
        DEADLINE
    }
    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        let pile = self.piles.get(usize::from(pile)).ok_or(FaceUnknown(slot))?;
        pile.iter().rev().nth(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(Some(Spin { slot: Slot(5), value: 3, pocket: self.pocket }))
    }
}

type Seen = BTreeMap<String, u64>;

struct Driver<'d> {
    round: Box<dyn Round>,
    table: Table,
    dice: Dice,
    /// What each player has staked and not got back.
    staked: BTreeMap<PlayerId, u64>,
    /// Pile and slot of every card that lies face-down.
    hidden: BTreeSet<(u16, Slot)>,
    /// No two cards of the first pile are equal.
    is_one_pack: bool,
    is_safe: bool,
    seen: &'d mut Seen,
    events: Vec<RoundEvent>,
}

impl Driver<'_> {
    fn count(&mut self, what: impl Into<String>) {
        *self.seen.entry(what.into()).or_default() += 1;
    }

    /// The events that the table gives; all others are the engine's or a player's.
    fn step(&mut self, step: &Value) {
        let event: RoundEvent = read(&step["event"]);
        assert_eq!(json!(event), step["event"], "as it is written");
        let made = match &event {
            RoundEvent::Acted { decision, default: true, .. } => self.round.default_play(*decision).ok(),
            RoundEvent::Acted { decision, player, action, .. } => {
                self.count(format!("{} taken", action.kind()));
                self.round.accept(player, *decision, action, self.table.funds[player]).ok()
            }
            RoundEvent::Shuffled { .. } | RoundEvent::Absent { .. } => Some(event.clone()),
            _ => self.round.step(&self.table).unwrap(),
        };
        assert_eq!(made.as_ref(), Some(&event), "the second engine's event");
        if self.dice.below(6) == 0 {
            self.forge(&event);
        }
        self.round.apply(&event).unwrap();
        self.follow(&event);
        if self.is_one_pack {
            self.shows_nothing_hidden(&event);
        }
        let mut pending = BTreeMap::new();
        for (player, stake) in self.round.pending_stakes() {
            *pending.entry(player).or_default() += stake.units();
        }
        pending.retain(|_, stake| *stake > 0);
        self.staked.retain(|_, stake| *stake > 0);
        assert_eq!(pending, self.staked, "pending stakes after {event:?}");
        assert_eq!(json!(self.round.ahead()), step["ahead"], "who is ahead after {event:?}");
        self.events.push(event);
    }

    fn shows_nothing_hidden(&self, event: &RoundEvent) {
        let open = self.round.open_decisions();
        let options: Vec<_> = open.iter().map(|one| self.round.options(one.number, Chips::MAX)).collect();
        let view = self.round.view_json().get().to_owned();
        let text = format!("{event:?} {} {view} {open:?} {options:?}", json!(event));
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        for (pile, slot) in &self.hidden {
            let face = self.table.earlier_card(*pile, *slot).unwrap().to_string();
            assert!(!words.contains(face.as_str()), "{face} shows in {text}");
        }
    }

    fn follow(&mut self, event: &RoundEvent) {
        let (funds, staked) = (&mut self.table.funds, &mut self.staked);
        match event {
            RoundEvent::Dealt { slot, card, .. } => {
                self.table.drawn += 1;
                if card.is_none() {
                    self.hidden.insert((self.table.pile as u16, *slot));
                }
            }
            RoundEvent::Turned { pile, slot, card } => {
                let pile = pile.unwrap_or(self.table.pile as u16);
                assert!(self.hidden.remove(&(pile, *slot)));
                assert_eq!(self.table.earlier_card(pile, *slot).unwrap(), *card);
            }
            RoundEvent::Acted { player, cost, .. } => {
                let left = funds[player].minus(*cost).unwrap();
                funds.insert(player.clone(), left);
                *staked.entry(player.clone()).or_default() += cost.units();
            }
            RoundEvent::Paid { lines } => {
                for line in lines {
                    let more = funds[&line.player].plus(line.returned).unwrap();
                    funds.insert(line.player.clone(), more);
                    *staked.get_mut(&line.player).unwrap() -= line.stake.units();
                    *self.seen.entry(format!("{:?} {:?}", line.wager, line.outcome)).or_default() += 1;
                }
            }
            RoundEvent::Shuffled { .. } => {
                self.table.pile += 1;
                self.table.drawn = 0;
                self.count(format!("pile {}", self.table.pile));
            }
            RoundEvent::Safe(SafeEvent::Out { cause, .. }) => self.count(format!("out by {cause:?}")),
            RoundEvent::Safe(SafeEvent::Won { by, .. }) => self.count(format!("won by {by:?}")),
            RoundEvent::Safe(SafeEvent::Opening { why, .. }) => self.count(format!("opened, {why:?}")),
            _ => {}
        }
    }

    /// The event with one change is refused and changes nothing; a field more or less makes it no event. An event from
    /// elsewhere in the round may fit, but if it is refused it changes nothing either.
    fn forge(&mut self, event: &RoundEvent) {
        let (honest, word) = (json!(event), event.word());
        let mut more = honest.clone();
        let inner = if word == "safe" {
            more["safe"].as_object_mut().unwrap().values_mut().next().unwrap()
        } else {
            &mut more[word]
        };
        inner["extra"] = 1.into();
        assert!(serde_json::from_value::<RoundEvent>(more).is_err(), "an unknown field in {honest}");
        for field in
            honest[word].as_object().unwrap().keys().filter(|field| !["card", "pile"].contains(&field.as_str()))
        {
            let mut less = honest.clone();
            less[word].as_object_mut().unwrap().remove(field);
            assert!(serde_json::from_value::<RoundEvent>(less).is_err(), "{honest} without {field}");
        }
        let mut paths = Vec::new();
        leaves(&honest, String::new(), &mut paths);
        let path = paths.swap_remove(self.dice.below(paths.len()));
        let mut forged = honest.clone();
        if word == "turned" && honest[word].get("pile").is_none() && self.dice.below(2) == 0 {
            forged[word]["pile"] = 0.into();
        } else if word == "dealt" && self.dice.below(2) == 0 {
            // The rules say which cards lie face-up.
            forged[word]["card"] = if honest[word]["card"].is_null() { "8c".into() } else { Value::Null };
        } else if FREE.iter().any(|free| path.starts_with(free)) {
            return;
        } else if path.starts_with("/offered/options/") && path.ends_with("/cost") && !path.contains("/0/") {
            // What a double may cost depends on funds that no event tells.
            return;
        } else {
            let others = others(&path, honest.pointer(&path).unwrap());
            *forged.pointer_mut(&path).unwrap() = others[self.dice.below(others.len())].clone();
        }
        if let Ok(forged) = serde_json::from_value::<RoundEvent>(forged)
            && forged != *event
        {
            self.refused(&forged);
            self.count("forged");
        }
        if !self.events.is_empty() {
            let stray = self.events[self.dice.below(self.events.len())].clone();
            let (mut copy, before) = (self.round.boxed_clone(), self.round.view_json().get().to_owned());
            assert!(copy.apply(&stray).is_ok() || copy.view_json().get() == before, "{stray:?}");
        }
    }

    fn refused(&mut self, forged: &RoundEvent) {
        let before = self.round.view_json().get().to_owned();
        assert!(self.round.apply(forged).is_err(), "taken for true: {forged:?}");
        assert_eq!(self.round.view_json().get(), before, "the view after a refusal of {forged:?}");
    }

    /// What is open, what may be chosen, and what becomes of any action that is tried.
    fn decide(&mut self, step: &Value) {
        assert_eq!(self.round.step(&self.table), Ok(None), "a decision is open");
        assert_eq!(self.round.needs_pile(), None);
        // R001.122, A002.r: a face-down card is a slot to everyone.
        assert_eq!(self.round.view_json().get().matches("\"card\":null").count(), self.hidden.len());
        let open = self.round.open_decisions();
        assert!(open.iter().all(|one| one.deadline == DEADLINE));
        let told = open.iter().map(|one| json!({"decision": one.number, "player": one.player, "place": one.place}));
        assert_eq!(Value::from_iter(told), step["open"], "open decisions");
        let options = open.iter().map(|one| json!(self.round.options(one.number, self.table.funds[&one.player])));
        assert_eq!(Value::from_iter(options), step["options"], "options");
        for tried in step["tries"].as_array().unwrap() {
            self.attempt(tried);
        }
        let number: u32 = read(&step["decision"]);
        match self.round.default_play(number) {
            Ok(RoundEvent::Acted { action, cost: Chips::ZERO, default: true, .. }) => {
                assert_eq!(json!(action), step["fallback"], "default play");
            }
            other => panic!("default play is {other:?}"),
        }
        assert_eq!(self.round.default_play(number + 1_000).map_err(|e| e.code()), Err("decision_not_open"));
    }

    fn attempt(&mut self, tried: &Value) {
        let (player, decision): (PlayerId, u32) = (read(&tried[0]), read(&tried[1]));
        // A place that no table has is no action.
        let Ok(action) = serde_json::from_value::<Action>(tried[2].clone()) else {
            return assert_eq!(tried[3], "action_not_offered");
        };
        let acted = |action, cost| RoundEvent::Acted { decision, player: player.clone(), action, cost, default: false };
        let funds = self.table.funds.get(&player).copied().unwrap_or_default();
        let got = self.round.accept(&player, decision, &action, funds);
        match (got, tried[3].as_str()) {
            (Ok(event), None) => {
                assert_eq!(event, acted(read(&tried[3]["action"]), read(&tried[3]["cost"])));
                // A copy of the round takes it, and the round stays as it is.
                let before = self.round.view_json().get().to_owned();
                self.round.boxed_clone().apply(&event).unwrap();
                assert_eq!(self.round.view_json().get(), before);
            }
            (Err(illegal), Some(code)) => {
                assert_eq!(illegal.code(), code, "{tried}");
                // Safe's refusals name their rule.
                assert!(
                    !self.is_safe || code != "action_not_offered" || illegal.to_string().contains("002."),
                    "{illegal}"
                );
                // An event does not tell whether the funds sufficed.
                if code != "insufficient_balance" {
                    let cost = chips(self.dice.below(100) as u64);
                    self.refused(&acted(action, cost));
                }
                self.count(code);
            }
            (got, _) => panic!("{tried}: {got:?} here"),
        }
    }

    fn pile(&mut self, step: &Value) {
        assert_eq!(self.round.step(&self.table), Ok(None), "a pile is due");
        assert!(self.round.open_decisions().is_empty());
        let need = self.round.needs_pile().unwrap();
        let cards: Vec<Card> = need.composition.values().into_iter().filter_map(Card::from_code).collect();
        assert_eq!((json!(cards), json!(need.players)), (step["cards"].clone(), step["players"].clone()));
        assert_eq!(json!(need.pile), step["pile"]);
    }
}

/// What the dealer, the house or a player says: another value may be as good.
const FREE: [&str; 9] = [
    "/dealt/slot",
    "/dealt/card",
    "/turned/card",
    "/peeked/blackjack",
    "/spun",
    "/offered/deadline",
    "/absent/player",
    "/acted/action",
    "/acted/default",
];

/// The paths of all values and lists.
fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| leaves(value, format!("{path}/{key}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| leaves(value, format!("{path}/{n}"), found));
            found.push(path);
        }
        _ => found.push(path),
    }
}

/// Other values for this field.
fn others(path: &str, value: &Value) -> Vec<Value> {
    match value {
        // The next decision may be open too.
        Value::Number(n) if path.ends_with("/decision") => vec![(n.as_u64().unwrap() + 1_000).into()],
        Value::Number(n) => [n.as_u64().unwrap() + 1, n.as_u64().unwrap().wrapping_sub(1), 0].map(Value::from).to_vec(),
        Value::Bool(b) => vec![(!b).into()],
        Value::Array(list) if list.is_empty() => vec![json!(["As"])],
        Value::Array(list) => {
            vec![list[1..].into(), list.iter().rev().cloned().collect(), [&list[..1], list].concat().into()]
        }
        _ => "ann bob fay zoe As 2c Th 1/1 2/1 6/2 0/1 dealer shown discard bust face_down absent advanced out opened \
              chosen no_free_player last_player pile_short last_round last_alive survived last_free_player last_opened \
              hand entry insurance win loss draw blackjack hit pass"
            .split_whitespace()
            .map(Value::from)
            .collect(),
    }
}

/// A round that lacks an event, or has one twice or too early, is none; a settled one takes no more.
fn check_order(driver: &mut Driver<'_>, rules: &RuleSet, placed: &[Placed]) {
    let events = std::mem::take(&mut driver.events);
    let at = driver.dice.below(events.len());
    let is_round = |events: &[RoundEvent]| {
        let mut round = rules.open_round(placed).unwrap();
        events.iter().all(|event| round.apply(event).is_ok()) && round.is_settled()
    };
    let event = &events[at];
    assert!(!is_round(&[&events[..at], &events[at..=at], &events[at..]].concat()), "twice {event:?}");
    // The lane decides which slot a draw takes, so a draw may be missing if the rest still adds up. A box whose player
    // cannot pay the premium is not asked; the house knows whether they could.
    let of_the_house = !driver.is_safe && matches!(event, RoundEvent::Dealt { .. } | RoundEvent::Offered { .. });
    assert!(of_the_house || !is_round(&[&events[..at], &events[at + 1..]].concat()), "without {event:?}");
    // The dealer decides the slot and face of a draw; the engine fixes the rest. Only in Safe one player alone is asked.
    let dealt = |event: &RoundEvent| match event {
        RoundEvent::Dealt { to, card, .. } => Some((*to, card.is_some())),
        _ => None,
    };
    if driver.is_safe && at > 0 && (dealt(event).is_none() || dealt(event) != dealt(&events[at - 1])) {
        let mut swapped = events.clone();
        swapped.swap(at - 1, at);
        assert!(swapped == events || !is_round(&swapped), "swapped {event:?}");
    }
    driver.refused(&events[at]);
    driver.refused(events.last().unwrap());
}

fn one_round(line: &Value, seen: &mut Seen) {
    let mut count = |what: &str| *seen.entry(what.to_owned()).or_default() += 1;
    let rules = RuleSet::from_json(&line["rules"].to_string());
    if line["refused"] == true {
        assert!(rules.is_err(), "the second engine has no such rules");
        return count("rules refused");
    }
    let rules = rules.unwrap();
    if !line["bets"].is_null() {
        let bets: Vec<Bet> = read(&line["bets"]);
        let faults: Vec<String> = read(&line["faults"]);
        let got = rules.check_bets(&bets, read(&line["funds"])).err().map(|refusal| refusal.code());
        assert!(got.map_or(faults.is_empty(), |code| faults.iter().any(|one| one == code)), "{got:?}, not {faults:?}");
        return count(got.unwrap_or("bets taken"));
    }
    count(rules.game.word());
    let placed: Vec<Placed> = read(&line["placed"]);
    let round = rules.open_round(&placed).unwrap();
    assert_eq!(json!(round.lanes()), line["lanes"]);
    let staked = placed.iter().map(|one| (one.player.clone(), one.bets.iter().map(|bet| bet.stake.units()).sum()));
    let table = Table {
        piles: read(&line["piles"]),
        pile: 0,
        drawn: 0,
        pocket: read(&line["pocket"]),
        funds: read(&line["funds"]),
    };
    let is_safe = rules.game.word() == "safe";
    let is_one_pack = table.piles.first().is_some_and(|pile| pile.iter().collect::<BTreeSet<_>>().len() == pile.len());
    let (dice, staked) = (Dice(line["at"].as_u64().unwrap()), staked.collect());
    let (hidden, events) = (BTreeSet::new(), Vec::new());
    let mut driver = Driver { round, table, dice, staked, hidden, is_one_pack, is_safe, seen, events };
    let steps = line["steps"].as_array().unwrap();
    for step in steps {
        match step {
            _ if step["event"].is_object() => driver.step(step),
            _ if step["open"].is_array() => driver.decide(step),
            _ => driver.pile(step),
        }
    }
    if line["short"] == true {
        assert_eq!(driver.round.step(&driver.table), Err(StepError::ShoeExhausted));
        return driver.count("short");
    }
    assert!(driver.round.is_settled() && driver.staked.is_empty());
    assert_eq!(driver.round.step(&driver.table), Ok(None));
    assert!(driver.round.open_decisions().is_empty() && driver.round.needs_pile().is_none());
    check_order(&mut driver, &rules, &placed);
}

#[test]
fn c12_the_second_verifiers_engines_play_random_rounds_alike() {
    let slow = std::env::var_os("FAIRSHOE_SLOW").is_some();
    let (rounds, seed) = if slow { (200_000, std::process::id()) } else { (6_000, 1) };
    let asked = ["-e", "process.exit(process.versions.node.split('.')[0] < 18 ? 1 : 0)"];
    if !Command::new("node").args(asked).status().is_ok_and(|status| status.success()) {
        return println!("skipped: no node here, version 18 or newer");
    }
    let arguments = [ROUNDS.to_owned(), rounds.to_string(), seed.to_string()];
    let mut node = Command::new("node").args(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut seen = Seen::new();
    let mut lines = 0;
    for line in BufReader::new(node.stdout.take().unwrap()).lines().map(Result::unwrap) {
        // Shown if the round fails.
        println!("node rounds.js {} {seed} | tail -1: {line:.600}", lines + 1);
        one_round(&serde_json::from_str(&line).unwrap(), &mut seen);
        lines += 1;
    }
    assert!(node.wait().unwrap().success() && lines == rounds, "{lines} rounds");
    let often = "blackjack|safe|baccarat|roulette|dragon_tiger|sic_bo|rules refused|bets taken|short|forged|hit taken|stand taken|split taken|\
        surrender taken|insurance taken|even_money taken|double taken|face_down taken|change taken|accept taken|\
        reject taken|open taken|discard taken|pass taken|action_not_offered|extra_stake_refused|insufficient_balance|\
        not_your_decision|decision_not_open|bet_count|unknown_spot|spot_twice|below_minimum|above_maximum|off_step|\
        Hand Win|Hand Draw|Hand Loss|Hand Bust|Hand Blackjack|Hand Surrender|Hand EvenMoney|Insurance Win|Insurance Loss|\
        Bet Win|Bet Draw|Bet Loss|Entry Win|out by Bust|out by FaceDown|out by Absent|won by LastAlive|won by Survived|\
        won by LastFreePlayer|won by LastOpened|won by LastRound|opened, PileShort|pile 2";
    for what in often.split('|') {
        assert!(
            seen.get(what).is_some_and(|count| *count >= 2),
            "a run without `{what}` tests nothing of it: {seen:?}"
        );
    }
    println!("{seen:?}");
}
