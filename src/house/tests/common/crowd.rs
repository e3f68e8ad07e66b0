//! A crowd at every kind of table: sits, bets, withholds, dawdles, leaves, while the house crashes and the operator
//! voids.

use super::play::liked_action;
use super::rng::Rng;
use super::rooms::wish_of;
use super::shared::*;
use super::*;
use fairshoe_games::GameRules;
use fairshoe_house::{PileStage, Window};

pub const CROWD: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];
/// Those who may come to the tables for play chips.
const GUESTS: [&str; 6] = ["guest.0", "guest.1", "guest.2", "guest.3", "guest.4", "guest.5"];

/// The shared tables, with shoes that are soon used up, and two solo ones.
pub fn crowded_house() -> House {
    let mut house = House::new();
    for who in CROWD {
        house.add_player(who, 50_000);
    }
    house.open_rules("live", rules("live-blackjack", &[("reshuffle", r#"{"cut_back":370}"#), ("house_shuffle", "on")]));
    house.open_rules("boxes", rules("six-deck", &[("reshuffle", r#"{"left_at_most":280}"#)]));
    house.open_rules("study", rules("study-group", &[("crash", "rollback"), ("reshuffle", r#"{"left_below":280}"#)]));
    house.open_rules("bac", rules("baccarat", &[("reshuffle", r#"{"cut_back":390}"#)]));
    house.open_rules("wheel", rules("roulette", &[("spins", "5"), ("close_early", "off")]));
    let slow = [("bet_time_ms", "120000"), ("turn_time_ms", "120000"), ("reveal_time_ms", "60000")];
    house.open_rules("safe", rules("safe", &slow));
    let options: Vec<_> =
        slow.into_iter().chain([("crash", "resume"), ("pass", "never"), ("hit_change", "declared")]).collect();
    house.open_rules("safe-on", rules("safe", &options));
    house.open_rules("solo-wheel", rules("rng-roulette", &[("spins", "4")]));
    house
}

pub struct Crowd {
    pub house: House,
    pub rng: Rng,
    pub trouble: bool,
    /// The tables they go to begin so; all, if it is empty.
    pub only: &'static str,
}

impl Crowd {
    pub fn new(seed: u64, trouble: bool) -> Crowd {
        Crowd { house: crowded_house(), rng: Rng(seed), trouble, only: "" }
    }

    /// At a house that others have furnished.
    pub fn at(house: House, rng: Rng) -> Crowd {
        Crowd { house, rng, trouble: false, only: "" }
    }

    /// Gives a command; a refusal is somebody's bad luck, anything else a fault.
    pub fn give(&mut self, by: &Actor, command: Command) {
        if let Err(declined) = self.house.give(by, command.clone()) {
            let DecideError::Refused(_) = declined else { panic!("{command:?}: {declined}") };
        }
    }

    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
            self.house.run_due();
        }
    }

    /// Everybody goes home: what is open is played out or runs out, and no table opens another window.
    pub fn go_home(&mut self) {
        for _ in 0..400 {
            for at in self.tables() {
                for who in CROWD {
                    self.house.leave(&at, who).ok();
                }
            }
            let Some(next) = self.house.state.next_deadline() else { return };
            self.house.now = self.house.now.max(next);
            self.house.run_due();
        }
        panic!("the tables never come to rest");
    }

    /// Somebody who may play there.
    fn somebody(&mut self, at: &str) -> &'static str {
        if at.starts_with("play.") { self.rng.pick(&GUESTS) } else { self.rng.pick(&CROWD) }
    }

    pub fn tables(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.house.state.tables().map(|at| at.id.to_string()).collect();
        ids.sort_unstable();
        ids
    }

    fn step(&mut self) {
        let tables: Vec<String> = self.tables().into_iter().filter(|at| at.starts_with(self.only)).collect();
        let at = self.rng.pick(&tables.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
        self.house.now += self.rng.pick(&[0, 1, 400, 2_000]);
        if self.trouble && self.rng.one_in(60) {
            return self.trip(&at);
        }
        self.play_at(&at);
    }

    /// Somebody does what may be done at this table.
    pub fn play_at(&mut self, at: &str) {
        let table_at = self.house.table(at);
        if table_at.cash().is_some() {
            return self.play_cash(at);
        }
        let (shared, window) = (table_at.is_shared(), table_at.window().cloned());
        match table_at.live_round() {
            Some(_) => self.go_on(at),
            None if !shared => self.bet_alone(at),
            None => match window {
                Some(window) => self.at_window(at, &window),
                None => self.arrive(at),
            },
        }
    }

    /// At a cash table: seats and chips, commitments while a hand is called, seeds, choices.
    fn play_cash(&mut self, at: &str) {
        let awaited = self.house.awaited(at);
        if self.rng.one_in(5) {
            let (who, wish) = (self.somebody(at), wish_of(&self.house, &mut self.rng, at));
            return self.give(&by(who), wish);
        }
        if !awaited.is_empty() {
            let who = self.rng.pick(&awaited.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
            let (round_no, seed) = (self.house.seed_number(at), self.house.seed_for(at, &who));
            let next = self.rng.one_in(2).then(|| self.house.commitment_of(at, &who, round_no + 1));
            let reveal = Command::Reveal { table: table(at), round_no, player: player(&who), seed, saw: None, next };
            return self.give(&by(&who), reveal);
        }
        if let Some((who, action)) = self.house.some_action(at, &mut self.rng) {
            let open = self
                .house
                .open_decisions(at)
                .into_iter()
                .find(|open| open.player == player(&who))
                .expect("somebody is asked");
            let round_no = self.house.table(at).live_round().unwrap().round_no;
            return self.give(&by(&who), Command::Act { table: table(at), round_no, decision: open.number, action });
        }
        let call = self.house.table(at).call().cloned();
        let slow =
            call.as_ref().and_then(|call| call.awaited.iter().find(|who| !call.seeds.contains_key(*who)).cloned());
        match (slow, call) {
            (Some(who), Some(call)) => {
                let commitment = self.house.commitment_for(at, who.as_str());
                self.give(
                    &Actor::Player(who),
                    Command::CommitHandSeed { table: table(at), round_no: call.round_no, commitment },
                );
            }
            (_, Some(call)) if !call.seeds.is_empty() && self.rng.one_in(4) => {
                let who = call.seeds.keys().next().expect("somebody has committed").clone();
                self.give(&Actor::Player(who), Command::WithdrawHandSeed { table: table(at), round_no: call.round_no });
            }
            _ => {
                let (who, wish) = (self.somebody(at), wish_of(&self.house, &mut self.rng, at));
                self.give(&by(who), wish);
            }
        }
    }

    fn arrive(&mut self, at: &str) {
        let who = self.somebody(at);
        let seats = self.house.table(at).rules.table.seats;
        match self.house.table(at).seat_of(&player(who)) {
            Some(_) => self.give(&by(who), Command::AskToPlay { table: table(at) }),
            None => {
                let seat = 1 + self.rng.below(usize::from(seats)) as u8;
                self.give(&by(who), Command::TakeSeat { table: table(at), seat });
            }
        }
    }

    fn at_window(&mut self, at: &str, window: &Window) {
        let who = self.somebody(at);
        match self.rng.below(12) {
            0 => self.arrive(at),
            1 => self.give(&by(who), Command::LeaveSeat { table: table(at) }),
            2 => self.give(&by(who), Command::CancelBet { table: table(at), round_no: window.round_no }),
            3 if window.bets.len() > 1 => {
                self.give(&Actor::Operator, Command::CloseBets { table: table(at), round_no: window.round_no })
            }
            4 if self.rng.one_in(3) => self.house.now += 16_000,
            _ => {
                let who = self
                    .house
                    .table(at)
                    .seats
                    .values()
                    .map(|seat| seat.player.to_string())
                    .nth(self.rng.below(3))
                    .unwrap_or(who.into());
                let bets = self.some_bets(at, &who);
                let bets: Vec<(&str, u64)> = bets.iter().map(|(spot, stake)| (spot.as_str(), *stake)).collect();
                let command = self.house.place_command(at, &who, &bets);
                self.give(&by(&who), command);
            }
        }
    }

    fn some_bets(&mut self, at: &str, who: &str) -> Vec<(String, u64)> {
        let rules = self.house.table(at).rules.clone();
        let seat = self.house.table(at).seat_of(&player(who)).unwrap_or(1).to_string();
        let spots: Vec<String> = match &rules.game {
            GameRules::Blackjack(_) if rules.table.bets_per_player > 1 => {
                vec![seat, (1 + self.rng.below(5)).to_string()]
            }
            GameRules::Blackjack(_) | GameRules::Safe(_) => vec![seat],
            GameRules::Poker(_) => Vec::new(),
            GameRules::Roulette(_) => {
                ["straight:17", "red", "column:2", "corner:0-1-2-3", "split:17-20", "low"].map(String::from).to_vec()
            }
            _ => rules.spots(),
        };
        let most = 1 + self.rng.below(spots.len());
        let mut taken: Vec<String> = spots.into_iter().take(most).collect();
        taken.dedup();
        let stake = if matches!(rules.game, GameRules::Safe(_)) { 100 } else { 100 + 2 * self.rng.below(60) as u64 };
        taken.into_iter().map(|spot| (spot, stake)).collect()
    }

    fn bet_alone(&mut self, at: &str) {
        let owner = self.house.table(at).owner.clone();
        let who = owner.as_ref().map_or_else(|| self.somebody(at), |owner| owner.as_str());
        let bets = self.some_bets(at, who);
        let bets: Vec<(&str, u64)> = bets.iter().map(|(spot, stake)| (spot.as_str(), *stake)).collect();
        if self.house.table(at).shoe.is_some() {
            let command = self.house.place_command(at, who, &bets);
            self.give(&by(who), command);
        }
    }

    fn go_on(&mut self, at: &str) {
        let patient = !self.trouble || !self.rng.one_in(70);
        if !patient {
            self.house.now += 31_000;
            return;
        }
        let awaited = self.house.awaited(at);
        let stage = self.house.table(at).live_round().and_then(|round| round.pile.as_ref()).map(|pile| pile.stage);
        if !awaited.is_empty() {
            let who = self.rng.pick(&awaited.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
            let command = match stage {
                Some(PileStage::Commitments(_)) => {
                    let commitment = self.house.commitment_for(at, &who);
                    Command::CommitSeed { table: table(at), round_no: self.house.seed_number(at), commitment }
                }
                _ => Command::Reveal {
                    table: table(at),
                    round_no: self.house.seed_number(at),
                    player: player(&who),
                    seed: self.house.seed_for(at, &who),
                    saw: None,
                    next: None,
                },
            };
            return self.give(&by(&who), command);
        }
        let open = self.house.open_decisions(at);
        let Some(open) = open.get(self.rng.below(open.len().max(1))).cloned() else { return };
        let funds = self.house.state.funds(&open.player);
        let round = self.house.state.table(&table(at)).unwrap().live_round().unwrap();
        // Careful players keep a game of Safe going over several piles.
        let careful = matches!(self.house.table(at).rules.game, GameRules::Safe(_)) && !self.rng.one_in(9);
        let liked: &[ActionKind] = if careful {
            &[ActionKind::Accept, ActionKind::Stand, ActionKind::FaceDown, ActionKind::Pass]
        } else {
            &[]
        };
        let action = liked_action(&mut self.rng, round.game.as_ref(), &open, funds, liked);
        let act = Command::Act { table: table(at), round_no: round.round_no, decision: open.number, action };
        self.give(&Actor::Player(open.player), act);
    }

    /// Something goes wrong.
    fn trip(&mut self, at: &str) {
        let round_no = self.house.seed_number(at);
        match self.rng.below(6) {
            0 => {
                self.house.now += self.rng.pick(&[0, 5_000, HOUR]);
                self.house.crash();
            }
            1 => {
                self.house.crash();
                self.house.crash();
            }
            2 => {
                let reason = Reference::parse("table camera failed").unwrap();
                let round_no = self.house.table(at).live_round().map_or(round_no, |round| round.round_no);
                self.give(&Actor::Operator, Command::VoidRound { table: table(at), round_no, reason });
            }
            3 => self.give(
                &Actor::Operator,
                Command::RetireShoe { table: table("live"), reason: Reference::parse("worn cards") },
            ),
            4 => self.house.now += 61_000,
            _ => {
                let who = self.rng.pick(&CROWD);
                self.give(
                    &Actor::Operator,
                    Command::Credit { player: player(who), amount: chips(5_000), reference: None },
                );
            }
        }
    }
}
