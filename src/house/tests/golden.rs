//! The worked examples of all games (spec/vectors/play.json), played through the service's own code: commands to a
//! house whose dealer deals the listed cards, real seeds, real lanes, real postings.

use crate::common;

use common::shared::*;
use common::*;
use fairshoe_fairness::{Card, Lanes, PublicShuffle, Slot, round_entropy, spin};
use fairshoe_games::script::{DEFAULT_BALANCE, Words};
use fairshoe_games::{Action, GameRules, Mode, Peek, RoundEvent, RuleSet};
use fairshoe_house::{Actor, Command, Committed, Dealer, DealerError, DecideError, PileStage, SeedDealer, ShoeId};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// What lies in which slot of which shoe, where a test says so.
type PlacedCards = Rc<RefCell<HashMap<(u64, u16), u8>>>;

/// Deals the cards that were laid; commitments and seeds are the honest ones.
struct Stacked(SeedDealer, PlacedCards);

impl Stacked {
    fn placed_cards(&self, shoe: &ShoeId, slot: Slot) -> Option<u8> {
        self.1.borrow().get(&(shoe.shoe_no, slot.0)).copied()
    }
}

impl Dealer for Stacked {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        self.0.commit(shoe, candidates)
    }
    fn card(&self, shoe: &ShoeId, _: u8, slot: Slot) -> Result<Card, DealerError> {
        Ok(Card::from_code(self.placed_cards(shoe, slot).expect("a card that the example does not name")).unwrap())
    }
    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        Ok(question.answer(self.card(shoe, candidate, slot)?))
    }
    fn wheel_value(&self, shoe: &ShoeId, _: u8, slot: Slot) -> Result<u8, DealerError> {
        Ok(self.placed_cards(shoe, slot).expect("a spin that the example does not name"))
    }
    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<fairshoe_fairness::ServerSeed, DealerError> {
        self.0.seed(shoe, candidate)
    }
}

struct Example {
    name: String,
    rules: RuleSet,
    case: Value,
    house: House,
    placed_cards: PlacedCards,
    players: Vec<String>,
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or_default()
}

fn cards(case: &Value) -> Vec<Card> {
    text(case, "cards").split_whitespace().map(|word| word.parse().unwrap()).collect()
}

impl Example {
    fn new(case: &Value, name: &str) -> Example {
        let mut options: Vec<(String, String)> = Vec::new();
        for (option, value) in case["set"].as_object().into_iter().flatten() {
            options.push((option.clone(), value.as_str().unwrap().to_owned()));
        }
        if let Some(entry) = case["entry"].as_u64() {
            options.extend(["stake_min", "stake_max"].map(|option| (option.to_owned(), entry.to_string())));
        }
        let rules = rules(name, &options.iter().map(|(o, v)| (o.as_str(), v.as_str())).collect::<Vec<_>>());
        let players: Vec<String> = match &rules.game {
            GameRules::Safe(_) => text(case, "players").split(',').map(str::to_lowercase).collect(),
            GameRules::Blackjack(_) if rules.table.mode == Mode::Shared => {
                let spots = text(case, "bets")
                    .split_whitespace()
                    .map(|word| word.split_once('=').map_or("1", |(spot, _)| spot));
                spots.map(|spot| format!("seat{spot}")).collect()
            }
            _ => vec!["player".into()],
        };
        let placed_cards = PlacedCards::default();
        let mut house = House::new();
        let honest = SeedDealer::new(fairshoe_fairness::Master::from_bytes(MASTER));
        house.dealer = Box::new(Stacked(honest, placed_cards.clone()));
        for who in &players {
            house.add_player(who, case["balance"].as_u64().unwrap_or(DEFAULT_BALANCE));
        }
        let open = Command::OpenTable { table: table("t1"), rules: rules.clone(), replaces: None };
        let opener = if rules.table.mode == Mode::Solo { by(&players[0]) } else { Actor::Operator };
        house.give(&opener, open).unwrap();
        house.run_due();
        if rules.table.mode == Mode::Shared {
            for (seat, who) in (1..).zip(&players) {
                house.sit("t1", who, seat).unwrap();
            }
            house.run_due();
        }
        Example {
            name: format!("{} at {name}", text(case, "name")),
            rules,
            case: case.clone(),
            house,
            placed_cards,
            players,
        }
    }

    /// The stakes, spots in their one spelling where the words have others.
    fn bets(&self, spots: Option<&[String]>) -> Vec<(String, u64)> {
        let words: Vec<&str> = text(&self.case, "bets").split_whitespace().collect();
        if matches!(self.rules.game, GameRules::Safe(_)) {
            let entry = self.rules.table.stake_min.units();
            return (1..=self.players.len()).map(|seat| (seat.to_string(), entry)).collect();
        }
        let bet = |(n, word): (usize, &&str)| {
            let (spot, stake) = word.rsplit_once('=').unwrap_or(("1", word));
            let spot = spots.map_or_else(|| spot.to_owned(), |spots| spots[n].clone());
            (spot, stake.parse().unwrap())
        };
        words.iter().enumerate().map(bet).collect()
    }

    /// Everyone places their bets; the first refusal's text, if there is one.
    fn place_bets(&mut self, spots: Option<&[String]>) -> Result<(), String> {
        let bets = self.bets(spots);
        let several = self.players.len() > 1;
        for (n, who) in self.players.clone().iter().enumerate() {
            let his: Vec<(&str, u64)> = bets
                .iter()
                .enumerate()
                .filter(|(m, _)| !several || *m == n)
                .map(|(_, (spot, stake))| (spot.as_str(), *stake))
                .collect();
            let command = self.house.place_command("t1", who, &his);
            match self.house.give(&by(who), command) {
                Err(DecideError::Refused(refusal)) => return Err(refusal.to_string()),
                other => drop(other.unwrap()),
            }
        }
        if self.rules.table.mode == Mode::Shared {
            self.house.close("t1", &Actor::Operator).unwrap();
        }
        Ok(())
    }

    /// Lays the listed cards where this round's, or pile's, draws will find them: draw by draw, each from its lane.
    fn stack(&mut self, lanes: u16, draws: &[(u16, Card)]) {
        let at = self.house.table("t1");
        let shoe = at.shoe.clone().unwrap();
        let number = self.house.seed_number("t1");
        let who: Vec<String> = match at.live_round().and_then(|round| round.pile.as_ref()) {
            Some(pile) => pile.contributors.iter().map(|c| c.player.to_string()).collect(),
            None => at.live_round().unwrap().contributors.iter().map(|c| c.placed.player.to_string()).collect(),
        };
        let seeds: Vec<_> = who.iter().map(|who| (player(who), self.house.seed_for("t1", who))).collect();
        let entropy =
            round_entropy(&shoe.id.context, shoe.id.shoe_no, &[shoe.candidates[0].root], number, &seeds).unwrap();
        let mut placed_cards = self.placed_cards.borrow_mut();
        if let Some(pocket) = self.case["pocket"].as_u64() {
            let value = (pocket + 37 - u64::from(spin(&entropy, 1))) % 37;
            placed_cards.insert((shoe.id.shoe_no, shoe.undrawn[0].0), u8::try_from(value).unwrap());
            return;
        }
        let order = PublicShuffle::new(&entropy, 1, &shoe.undrawn).order;
        let mut lanes = Lanes::new(order.clone(), lanes);
        let mut rest: Vec<u8> = shoe.id.composition.values();
        for (lane, card) in draws {
            let slot = lanes.draw(*lane).unwrap();
            placed_cards.insert((shoe.id.shoe_no, slot.0), card.code());
            let place = rest.iter().position(|code| *code == card.code()).expect("not a card of this shoe");
            rest.swap_remove(place);
        }
        // What the example does not name lies somewhere behind it.
        for (slot, code) in lanes.undrawn_ascending().into_iter().zip(rest) {
            placed_cards.insert((shoe.id.shoe_no, slot.0), code);
        }
    }

    /// The example's course, by the script, is the house's; so is its money.
    fn play(mut self) {
        let mut words = Words::new(&self.rules);
        let players = text(&self.case, "players").to_owned();
        (words.cards, words.bets, words.actions) =
            (text(&self.case, "cards"), text(&self.case, "bets"), text(&self.case, "actions"));
        (words.players, words.entry, words.pocket) =
            (&players, self.case["entry"].as_u64(), self.case["pocket"].as_u64());
        words.balance = self.case["balance"].as_u64().unwrap_or(words.balance);
        let played = words.play().unwrap();
        let spots: Vec<String> = played.bets.iter().map(|bet| bet.spot.clone()).collect();
        self.place_bets(Some(&spots)).unwrap();
        // By pile: which lane drew which card.
        let mut drawn: Vec<Vec<(u16, Card)>> = vec![Vec::new()];
        let mut cards = cards(&self.case).into_iter();
        for event in &played.events {
            match event {
                RoundEvent::Dealt { lane, .. } => drawn.last_mut().unwrap().push((*lane, cards.next().unwrap())),
                RoundEvent::Shuffled { .. } => drawn.push(Vec::new()),
                _ => {}
            }
        }
        let lanes = self.house.table("t1").live_round().unwrap().game.lanes();
        self.stack(lanes, &drawn[0]);
        let from = self.house.log.len();
        self.house.show_all("t1");
        let mut pile = 0;
        for event in &played.events {
            match event {
                RoundEvent::Acted { player, action, .. } => {
                    drop(self.house.choose("t1", player.as_str(), action.clone()).unwrap())
                }
                RoundEvent::Shuffled { .. } => {
                    pile += 1;
                    for who in self.house.awaited("t1") {
                        let commitment = self.house.commitment_for("t1", &who);
                        let round_no = self.house.seed_number("t1");
                        self.house
                            .give(&by(&who), Command::CommitSeed { table: table("t1"), round_no, commitment })
                            .unwrap();
                    }
                    assert!(matches!(
                        self.house.table("t1").live_round().unwrap().pile.as_ref().unwrap().stage,
                        PileStage::Seeds(_)
                    ));
                    self.stack(1, &drawn[pile]);
                    self.house.show_all("t1");
                }
                _ => {}
            }
        }
        let want: Vec<RoundEvent> = played.events.iter().map(|event| self.plain(event)).collect();
        let got: Vec<RoundEvent> =
            course(&entries(&self.house.log[from..])).iter().map(|event| self.plain(event)).collect();
        assert!(got.len() >= want.len(), "{}: {} events, {} expected", self.name, got.len(), want.len());
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_eq!(got, want, "{}: event {n}", self.name);
        }
        let (staked, returned) = (self.case["staked"].as_u64().unwrap(), self.case["returned"].as_u64().unwrap());
        let round = self.house.table("t1").round.as_ref().unwrap();
        assert_eq!((round.staked().units(), round.returned().units()), (staked, returned), "{}", self.name);
        let balance = self.case["balance"].as_u64().unwrap_or(DEFAULT_BALANCE);
        for (contributor, who) in round.contributors.iter().zip(&self.players_sorted()) {
            assert_eq!(contributor.placed.player.as_str(), who);
            let (staked, returned) = (contributor.staked.units(), contributor.returned.units());
            assert_eq!(self.house.balance(who), balance - staked + returned, "{}: {who}", self.name);
        }
        for seat in self.case["seats"].as_array().into_iter().flatten().filter(|_| self.players.len() > 1) {
            let number = usize::try_from(seat[0].as_u64().unwrap()).unwrap();
            let who = seat[1].as_str().map_or_else(|| self.players[number - 1].clone(), str::to_lowercase);
            let net = seat[3].as_u64().unwrap() + balance - seat[2].as_u64().unwrap();
            assert_eq!(self.house.balance(&who), net, "{}: {who}", self.name);
        }
        let house_net = i64::try_from(staked).unwrap() - i64::try_from(returned).unwrap();
        if self.house.table("t1").live_round().is_none() {
            let bank = if matches!(self.rules.game, GameRules::Safe(_)) { 0 } else { house_net };
            assert_eq!(self.house.house_balance(), bank, "{}", self.name);
        }
        self.house.assert_conserved();
    }

    fn players_sorted(&self) -> Vec<String> {
        let mut players = self.players.clone();
        players.sort();
        players
    }

    /// An event without what only the house knows: slots, times, and whose will a default was.
    fn plain(&self, event: &RoundEvent) -> RoundEvent {
        let mut event = event.clone();
        match &mut event {
            RoundEvent::Dealt { slot, .. } | RoundEvent::Turned { slot, .. } | RoundEvent::Peeked { slot, .. } => {
                *slot = Slot(0)
            }
            RoundEvent::Offered { deadline, .. } => *deadline = 0,
            RoundEvent::Acted { default, .. } => *default = false,
            RoundEvent::Spun { slot, value, .. } => (*slot, *value) = (Slot(0), 0),
            _ => {}
        }
        event
    }

    /// The bet, or the last action, is refused for the reason given, and nothing changes. Where actions are needed the
    /// table has one lane, so that the cards lie as they are listed.
    fn refuse(mut self) {
        let why = text(&self.case, "refused").to_owned();
        let before = self.house.fingerprint();
        if let Err(refusal) = self.place_bets(None) {
            assert!(refusal.contains(&why), "{}: {refusal}", self.name);
            assert_eq!(self.house.fingerprint(), before, "{}", self.name);
            return;
        }
        let lanes = self.house.table("t1").live_round().unwrap().game.lanes();
        if lanes > 1 {
            return;
        }
        let draws: Vec<(u16, Card)> = cards(&self.case).into_iter().map(|card| (0, card)).collect();
        self.stack(1, &draws);
        self.house.show_all("t1");
        let words: Vec<&str> = text(&self.case, "actions").split_whitespace().collect();
        for (n, word) in words.iter().enumerate() {
            let action: Action = word.rsplit(':').next().unwrap().parse().unwrap();
            let open = self.house.open_decisions("t1")[0].clone();
            let before = self.house.fingerprint();
            let result = self.house.choose("t1", open.player.as_str(), action);
            if n + 1 == words.len() {
                let refusal = refusal(result).to_string();
                assert!(refusal.contains(&why), "{}: {refusal}", self.name);
                assert_eq!(self.house.fingerprint(), before, "{}", self.name);
            } else {
                result.unwrap_or_else(|e| panic!("{}: {word}: {e}", self.name));
            }
        }
    }
}

fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../../spec/vectors/play.json")).unwrap();
    file["cases"].as_array().unwrap().clone()
}

fn check(prefix: &str) {
    let mut seen: BTreeMap<bool, usize> = BTreeMap::new();
    for case in cases().iter().filter(|case| text(case, "name").starts_with(prefix)) {
        for rules in case["rules"].as_array().unwrap() {
            let example = Example::new(case, rules.as_str().unwrap());
            let refused = !case["refused"].is_null();
            if refused {
                example.refuse()
            } else {
                example.play()
            }
            *seen.entry(refused).or_default() += 1;
        }
    }
    assert!(seen.get(&false).is_some_and(|count| *count > 0), "{prefix}: {seen:?}");
}

#[test]
fn g000_joy_through_the_house() {
    check("G000");
}

#[test]
fn g001bj_live_and_rng_blackjack_through_the_house() {
    check("G001BJ");
}

#[test]
fn g003_six_decks_through_the_house() {
    check("G003");
    check("two boxes");
}

#[test]
fn g004_study_group_through_the_house() {
    check("G004");
}

#[test]
fn gba_baccarat_through_the_house() {
    check("GBA");
}

#[test]
fn gro_roulette_through_the_house() {
    check("GRO");
}

#[test]
fn g002_safe_through_the_house() {
    check("G002");
}

#[test]
fn every_example_is_played_through_the_house() {
    let known = ["G000", "G001BJ", "G002", "G003", "G004", "GBA", "GRO", "two boxes"];
    for case in cases() {
        assert!(known.iter().any(|prefix| text(&case, "name").starts_with(prefix)), "{}", text(&case, "name"));
    }
}
