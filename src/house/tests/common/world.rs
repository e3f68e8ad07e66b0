//! A whole house by chance: tables of random rule sets, players with and without keys, and everything that can happen
//! to an honest house: crashes and stops at any moment, long silences, voids, seeds that stay away, new piles, new
//! keys, tables that close. The house does what is due when it is due. The same seed makes the same log.

use super::crowd::{CROWD, Crowd};
use super::rng::Rng;
use super::rule_sets::some_rules;
use super::shared::rules;
use super::*;
use fairshoe_house::{LimitOf, LimitPeriod, SeenCheckpoint};
use fairshoe_tlog::{Tree, leaf_hash};

/// How much happens in a book: about so many entries, a few more where a crash or a silence brings its own.
const ENTRIES: usize = 160;

pub struct World {
    pub crowd: Crowd,
    /// Of each player the byte that their newest key was made of, and whether the log has it in force.
    pens: BTreeMap<String, u8>,
    /// Every table that was opened, in turn, and whose it is; the operator's are for everyone.
    opened: Vec<(String, Option<&'static str>)>,
    /// One in so many steps is trouble: some houses have little, some much.
    trouble: usize,
    at: Option<String>,
}

impl World {
    /// The book of this seed.
    pub fn book(seed: u64) -> House {
        let mut world = World::new(seed);
        // A game of Safe takes many choices until it comes to its second pile.
        let entries = if seed.is_multiple_of(4) { 2 * ENTRIES } else { ENTRIES };
        while world.house().log.len() < entries {
            world.step();
        }
        if world.rng().one_in(2) {
            world.go_home();
        }
        world.crowd.house
    }

    /// Its tables and players, before anything happens.
    pub fn new(seed: u64) -> World {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed);
        let safe = seed.is_multiple_of(4);
        let trouble = if safe { rng.pick(&[40, 80]) } else { rng.pick(&[4, 8, 15, 40]) };
        let mut world =
            World { crowd: Crowd::at(House::new(), rng), pens: BTreeMap::new(), opened: Vec::new(), trouble, at: None };
        for who in CROWD {
            world.create(who);
        }
        if safe {
            let slow =
                [("bet_time_ms", "120000"), ("turn_time_ms", "120000"), ("reveal_time_ms", "60000"), ("pass", "never")];
            world.house().open_rules("t0", rules("safe", &slow));
        }
        for _ in 0..if safe { 0 } else { 1 + world.rng().below(3) } {
            world.open_table();
        }
        world
    }

    /// The same players in another house.
    pub fn moved(mut self, mut house: House) -> World {
        house.pens = std::mem::take(&mut self.crowd.house.pens);
        self.crowd.house = house;
        self
    }

    pub fn house(&mut self) -> &mut House {
        &mut self.crowd.house
    }

    pub fn rng(&mut self) -> &mut Rng {
        &mut self.crowd.rng
    }

    pub fn somebody(&mut self) -> &'static str {
        self.rng().pick(&CROWD)
    }

    /// A key of a player that nobody else has.
    fn new_key(&mut self, who: &str) -> PlayerKey {
        let first = 10 * (1 + CROWD.iter().position(|name| *name == who).unwrap_or(CROWD.len()) as u8);
        let byte = self.pens.get(who).map_or(first, |byte| first + (byte - first + 1) % 10);
        self.pens.insert(who.into(), byte);
        PlayerKey::from_bytes(SecretKey::from_seed(&[byte; 32]).public_key())
    }

    /// Everybody writes with the pen whose key is in force.
    pub fn take_pens(&mut self) {
        for (who, byte) in self.pens.clone() {
            let Some(key) = self.house().state.key(&player(&who)) else { continue };
            let fits = |byte: u8| PlayerKey::from_bytes(SecretKey::from_seed(&[byte; 32]).public_key()) == key;
            let held = self.house().pens.get(&who).is_some_and(|pen| PlayerKey::from_bytes(pen.public_key()) == key);
            if !held && let Some(byte) = (byte / 10 * 10..byte / 10 * 10 + 10).rev().find(|byte| fits(*byte)) {
                self.house().pen(&who, byte);
            }
        }
    }

    fn create(&mut self, who: &str) {
        let key = if self.rng().one_in(3) { Some(self.new_key(who)) } else { None };
        let amount = self.rng().pick(&[3_000, 50_000, 1_000_000]);
        self.operate(Command::CreatePlayer { player: player(who), key });
        self.operate(Command::Credit {
            player: player(who),
            amount: chips(amount),
            reference: Reference::parse("desk 1"),
        });
    }

    fn operate(&mut self, command: Command) {
        self.crowd.give(&Actor::Operator, command);
    }

    fn open_table(&mut self) {
        let running = self.crowd.tables();
        let closed: Vec<_> = self.opened.iter().filter(|(at, _)| !running.contains(at)).cloned().collect();
        let replaced = if closed.is_empty() || self.rng().one_in(3) {
            None
        } else {
            Some(closed[self.rng().below(closed.len())].clone())
        };
        let owner = match &replaced {
            Some((_, owner)) => *owner,
            None => self.rng().one_in(4).then(|| self.somebody()),
        };
        let rules = some_rules(self.rng(), owner.is_some());
        let id = format!("t{}", self.opened.len() + 1);
        self.take_pens();
        let opener = owner.map_or(Actor::Operator, by);
        let replaces = replaced.map(|(at, _)| table(&at));
        self.crowd.give(&opener, Command::OpenTable { table: table(&id), rules, replaces });
        self.opened.push((id, owner));
        self.house().run_due();
    }

    /// One thing happens, and the house does what is due.
    pub fn step(&mut self) {
        if self.rng().one_in(40) {
            self.note_state();
        }
        self.take_pens();
        let ms = self.rng().pick(&[0, 1, 400, 2_000]);
        self.house().wait(ms);
        let trouble = self.trouble;
        if self.rng().one_in(trouble) {
            self.trip();
        } else {
            self.play();
        }
        self.house().run_due();
    }

    /// They mostly stay at the table where they are.
    fn play(&mut self) {
        let tables = self.crowd.tables();
        if tables.is_empty() {
            return self.open_table();
        }
        let stays = !self.rng().one_in(4);
        let at = match self.at.take().filter(|at| stays && tables.contains(at)) {
            Some(at) => at,
            None => tables[self.rng().below(tables.len())].clone(),
        };
        self.at = Some(at.clone());
        let waits = self.house().table(&at).live_round().is_some() || self.house().table(&at).window().is_some();
        let shuffling = self.house().table(&at).live_round().is_some_and(|round| round.pile.is_some());
        if waits && self.rng().one_in(if shuffling { 3 } else { 30 }) {
            return self.miss_deadline(&at);
        }
        if self.rng().one_in(12) {
            return self.reveal_with_checkpoint(&at);
        }
        if self.rng().one_in(12) {
            return self.wish_for_a_seat(&at);
        }
        self.crowd.play_at(&at);
    }

    /// Nobody does anything until the table's next deadline has passed, nearly or exactly.
    fn miss_deadline(&mut self, at: &str) {
        let Some(deadline) = self.house().table(at).next_deadline() else { return };
        let early = self.rng().pick(&[0, 0, 0, 1]);
        let left = deadline.saturating_sub(self.house().now).saturating_sub(early);
        self.house().wait(left);
    }

    /// A seed, with the checkpoint that its client held.
    fn reveal_with_checkpoint(&mut self, at: &str) {
        let Some(who) = self.house().awaited(at).pop() else { return self.crowd.play_at(at) };
        let size = 1 + {
            let most = self.house().log.len();
            self.rng().below(most)
        };
        let mut tree = Tree::new();
        for bytes in &self.house().log[..size] {
            tree.append(leaf_hash(bytes));
        }
        let saw = SeenCheckpoint { size: size as u64, root: tree.root().to_string() };
        let house = self.house();
        let (round_no, seed) = (house.seed_number(at), house.seed_for(at, &who));
        let by = match house.log.len() % 3 {
            0 => Actor::Anyone,
            1 => Actor::House,
            _ => by(&who),
        };
        self.crowd.give(
            &by,
            Command::Reveal { table: table(at), round_no, player: player(&who), seed, saw: Some(saw), next: None },
        );
    }

    /// The house names the state, whatever is going on.
    fn note_state(&mut self) {
        let state = &self.house().state;
        let command = Command::NoteState { size: state.size(), root: state.root().unwrap() };
        self.crowd.give(&Actor::House, command);
    }

    fn trip(&mut self) {
        match self.rng().below(20) {
            0..=4 => self.restart(),
            5 => {
                let ms = self.rng().pick(&[31_000, 5 * MINUTE, 40 * MINUTE, HOUR, 13 * HOUR, 31 * DAY]);
                self.house().wait(ms);
            }
            6 | 7 => self.void(),
            8 => self.close_or_shuffle(),
            9 | 10 => self.key_work(),
            11 => self.money(),
            12 => self.tables_come_and_go(),
            13 => {
                let known = self.house().state.ledger().player(&player("heidi")).is_some();
                let holder = if known { "player:heidi" } else { "auditor:frank" }.parse().unwrap();
                self.operate(Command::IssueToken { holder, revoke: known });
                if !known {
                    self.create("heidi");
                }
            }
            14 => self.late_seed(),
            15 => self.unseat(),
            19 => self.set_limits(),
            _ => {
                let tables = self.crowd.tables();
                if !tables.is_empty() {
                    let at = tables[self.rng().below(tables.len())].clone();
                    self.miss_deadline(&at);
                }
            }
        }
    }

    /// The process ends, in order or not, and comes back; perhaps it dies again before everything is put in order.
    fn restart(&mut self) {
        loop {
            if self.rng().one_in(3) {
                self.crowd.give(&Actor::House, Command::StopDealer {});
            }
            let down = self.rng().pick(&[0, 0, 3, 5_000, 90_000, HOUR, 26 * HOUR]);
            self.house().now += down;
            self.house().crash();
            if self.rng().one_in(5) {
                let at = self.house().now - down;
                self.crowd.give(
                    &Actor::House,
                    Command::NoteRefusedStart { at, reason: Reference::parse("disk full").unwrap() },
                );
            }
            if !self.rng().one_in(4) {
                return;
            }
            for _ in 0..self.rng().below(4) {
                let now = self.house().now;
                let Some((by, command)) = self.house().state.due(now) else { break };
                self.crowd.give(&by, command);
            }
        }
    }

    fn void(&mut self) {
        let tables = self.crowd.tables();
        let Some(at) = tables.iter().find(|at| self.crowd.house.table(at).live_round().is_some()).or(tables.first())
        else {
            return;
        };
        let number = self
            .crowd
            .house
            .table(at)
            .live_round()
            .map_or(self.crowd.house.table(at).next_round, |round| round.round_no);
        let reason = Reference::parse("table camera failed").unwrap();
        self.operate(Command::VoidRound { table: table(at), round_no: number, reason });
    }

    fn close_or_shuffle(&mut self) {
        for at in self.crowd.tables() {
            let window = self.house().table(&at).window().cloned();
            if let Some(window) = window.filter(|_| self.crowd.rng.one_in(2)) {
                self.operate(Command::CloseBets { table: table(&at), round_no: window.round_no });
            } else if self.rng().one_in(2) {
                self.operate(Command::RetireShoe { table: table(&at), reason: Reference::parse("worn cards") });
            }
        }
    }

    /// A seed comes after the void that its absence brought about.
    fn late_seed(&mut self) {
        let mut awaited = Vec::new();
        for at in self.crowd.tables() {
            let at = self.house().table(&at);
            for voided in &at.voided {
                let missing = voided.missing.iter().filter(|missing| !missing.out);
                awaited.extend(
                    missing.map(|missing| (at.id.clone(), voided.epoch, voided.round_no, missing.player.clone())),
                );
            }
        }
        if awaited.is_empty() {
            return;
        }
        let (table, epoch, round_no, who) = awaited[self.rng().below(awaited.len())].clone();
        let origin = Origin::parse(self.house().origin).unwrap();
        let context = TableContext { origin, table: table.clone(), epoch };
        let seed = self.house().seed_in(&context, who.as_str(), round_no);
        let giver = if self.rng().one_in(2) { Actor::Anyone } else { Actor::Player(who.clone()) };
        self.crowd.give(&giver, Command::LateSeed { table, round_no, player: who, seed });
    }

    /// A player who finds this table full waits for a seat.
    fn wish_for_a_seat(&mut self, at: &str) {
        let without: Vec<&str> =
            CROWD.into_iter().filter(|who| self.crowd.house.table(at).seat_of(&player(who)).is_none()).collect();
        if !without.is_empty() {
            let who = self.rng().pick(&without);
            self.crowd.give(&by(who), Command::WantSeat { table: table(at) });
        }
    }

    fn unseat(&mut self) {
        for at in self.crowd.tables() {
            let seated: Vec<PlayerId> =
                self.house().table(&at).seats.values().map(|seat| seat.player.clone()).collect();
            if !seated.is_empty() {
                let player = seated[self.rng().below(seated.len())].clone();
                self.operate(Command::Unseat {
                    table: table(&at),
                    player,
                    reason: Reference::parse("asleep").unwrap(),
                });
            }
        }
    }

    fn key_work(&mut self) {
        let who = self.somebody();
        let key = if self.rng().one_in(4) { None } else { Some(self.new_key(who)) };
        let operator = self.rng().one_in(3);
        let reason = if operator { Reference::parse("lost key") } else { None };
        let giver = if operator { Actor::Operator } else { by(who) };
        self.take_pens();
        self.crowd.give(&giver, Command::SetKey { player: player(who), key, reason });
    }

    fn money(&mut self) {
        let who = player(self.somebody());
        let amount = chips(1 + self.rng().below(4_000) as u64);
        let reference = Reference::parse("desk 2");
        match self.rng().below(4) {
            0 => self.operate(Command::Withdraw { player: who, amount, reference }),
            1 => self.crowd.give(&Actor::Player(who.clone()), Command::Withdraw { player: who, amount, reference }),
            2 => self.operate(Command::Correct { player: who, amount, reason: Reference::parse("case 17").unwrap() }),
            _ => self.operate(Command::Credit { player: who, amount, reference }),
        }
    }

    /// Somebody allows themselves so much, or nothing for a while.
    fn set_limits(&mut self) {
        let who = self.somebody();
        let giver = if self.rng().one_in(3) { Actor::Operator } else { by(who) };
        self.take_pens();
        if self.rng().one_in(5) {
            let until = self.house().now + self.rng().pick(&[1, 20_000, HOUR, 2 * DAY]);
            return self.crowd.give(&giver, Command::Exclude { player: player(who), until });
        }
        let of = self.rng().pick(&[LimitOf::Deposit, LimitOf::Loss, LimitOf::Loss, LimitOf::PlayTime]);
        let per = self.rng().pick(&[LimitPeriod::Day, LimitPeriod::Week, LimitPeriod::Month]);
        let most = match self.rng().below(4) {
            0 => None,
            1 => Some(self.rng().pick(&[0, 30, 400])),
            _ => Some(self.rng().pick(&[5_000, 60_000, 600_000])),
        };
        self.crowd.give(&giver, Command::SetLimit { player: player(who), of, per, most });
    }

    fn tables_come_and_go(&mut self) {
        let tables = self.crowd.tables();
        if tables.len() > 1 && self.rng().one_in(2) {
            let at = tables[self.rng().below(tables.len())].clone();
            self.operate(Command::CloseTable { table: table(&at) });
        } else if tables.len() < 5 {
            self.open_table();
        }
    }

    /// Everybody leaves, what is open runs out, and time goes by.
    pub fn go_home(&mut self) {
        self.take_pens();
        for at in self.crowd.tables() {
            for who in CROWD {
                self.house().leave(&at, who).ok();
            }
        }
        self.house().wait(2 * HOUR);
        for at in self.crowd.tables() {
            self.operate(Command::CloseTable { table: table(&at) });
        }
    }
}
