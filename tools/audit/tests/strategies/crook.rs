//! A house that can cheat: it knows every card, shows others where it likes, looks ahead before it writes an entry
//! down, and leaves undone what it would have to do. What it writes is decided and encoded by the service's own code,
//! so that no entry is wrong by itself.

use crate::common::rng::Rng;
use crate::common::*;
use fairshoe_fairness::{Card, HouseShoe, Master, Opening, Origin, ServerSeed, ShoeRoot, Slot};
use fairshoe_games::{Action, ActionKind, Decision, Peek, Place};
use fairshoe_house::{
    Actor, Command, Committed, Dealer, DealerError, DecideError, Entry, Event, Lapsed, Phase, PlayerKey, Reference,
    SeedDealer, ShoeId, State, TableKind, VoidCause,
};
use fairshoe_tlog::{RootAccumulator, SecretKey, leaf_hash};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// What lies in a slot, by the lie that is told of it: shoe, candidate, slot, and the true value.
pub type Lie = fn(&ShoeId, u8, u16, u8) -> u8;

/// The seed of a shoe, where it is not the one that follows from the master key.
pub type OtherSeed = fn(&ShoeId, u8) -> Option<ServerSeed>;

pub struct Dealt {
    seed: ServerSeed,
    shoe: HouseShoe,
}

/// A dealer with a lie. Roots and seeds are those of the true shoe, unless `commits_to_lie` is set.
#[derive(Default)]
pub struct Liar {
    pub lie: Option<Lie>,
    pub other_seed: Option<OtherSeed>,
    /// Whether the committed root is over the lie, so that openings hold; the seed then gives it away.
    pub commits_to_lie: bool,
    /// Values that are chosen as they are shown: by table, shoe and slot.
    pub chosen: RefCell<HashMap<(String, u64, u16), u8>>,
    pub dealt: RefCell<HashMap<(ShoeId, u8), Rc<Dealt>>>,
}

impl Liar {
    fn dealt(&self, id: &ShoeId, candidate: u8) -> Rc<Dealt> {
        let mut known = self.dealt.borrow_mut();
        // Games and tables come one after another; what was dealt long ago is derived again if it is asked for.
        if known.len() > 64 {
            known.clear();
        }
        let derive = || {
            let honest = SeedDealer::new(Master::from_bytes(MASTER));
            match self.other_seed.and_then(|other| other(id, candidate)) {
                Some(seed) => Rc::new(Dealt { shoe: HouseShoe::derive(&seed, &id.composition), seed }),
                None => {
                    let (seed, shoe) = honest.derive(id, candidate);
                    Rc::new(Dealt { seed, shoe })
                }
            }
        };
        known.entry((id.clone(), candidate)).or_insert_with(derive).clone()
    }

    /// What the dealer says lies in a slot.
    pub fn value(&self, id: &ShoeId, candidate: u8, slot: Slot) -> u8 {
        let chosen = self.chosen.borrow().get(&(id.context.table.to_string(), id.shoe_no, slot.0)).copied();
        let honest = || self.dealt(id, candidate).shoe.value(slot).unwrap();
        chosen.unwrap_or_else(|| self.lie.map_or_else(honest, |lie| lie(id, candidate, slot.0, honest())))
    }

    fn leaves(&self, id: &ShoeId, candidate: u8) -> Vec<[u8; 32]> {
        let leaf = |slot: u16| {
            let mut data = self.dealt(id, candidate).shoe.open(Slot(slot)).unwrap().salt.to_vec();
            data.extend_from_slice(&slot.to_be_bytes());
            data.push(self.value(id, candidate, Slot(slot)));
            leaf_hash(&data).0
        };
        (0..id.composition.len()).map(leaf).collect()
    }
}

/// The Merkle path of a leaf (RFC 6962).
fn path(leaves: &[[u8; 32]], at: usize) -> Vec<[u8; 32]> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let left = leaves.len().next_power_of_two() / 2;
    let (inside, beside, at) =
        if at < left { (&leaves[..left], &leaves[left..], at) } else { (&leaves[left..], &leaves[..left], at - left) };
    let mut hashes = path(inside, at);
    hashes.push(root(beside));
    hashes
}

fn root(leaves: &[[u8; 32]]) -> [u8; 32] {
    let mut root = RootAccumulator::new();
    leaves.iter().for_each(|leaf| root.append(fairshoe_tlog::Hash(*leaf)));
    root.root().0
}

impl Dealer for Liar {
    fn commit(&self, id: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        let commit = |k| {
            let dealt = self.dealt(id, k);
            let honest = SeedDealer::committed(id, k, &dealt.seed, &dealt.shoe);
            match self.commits_to_lie {
                true => Committed { root: ShoeRoot::from_bytes(root(&self.leaves(id, k))), ..honest },
                false => honest,
            }
        };
        Ok((0..candidates).map(commit).collect())
    }

    fn card(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        Ok(Card::from_code(self.value(id, candidate, slot)).unwrap())
    }

    fn peek(&self, id: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        Ok(question.answer(self.card(id, candidate, slot)?))
    }

    fn wheel_value(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        Ok(self.value(id, candidate, slot))
    }

    fn open(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        let honest = self.dealt(id, candidate).shoe.open(slot).unwrap();
        if !self.commits_to_lie {
            return Ok(honest);
        }
        let path = path(&self.leaves(id, candidate), slot.index());
        Ok(Opening { value: self.value(id, candidate, slot), path, ..honest })
    }

    fn seed(&self, id: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        let bytes = *self.dealt(id, candidate).seed.as_bytes();
        Ok(ServerSeed::from_bytes(bytes))
    }
}

struct Hands(Rc<Liar>);

impl Dealer for Hands {
    fn commit(&self, id: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        self.0.commit(id, candidates)
    }
    fn card(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        self.0.card(id, candidate, slot)
    }
    fn peek(&self, id: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        self.0.peek(id, candidate, slot, question)
    }
    fn wheel_value(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        self.0.wheel_value(id, candidate, slot)
    }
    fn open(&self, id: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        self.0.open(id, candidate, slot)
    }
    fn seed(&self, id: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        self.0.seed(id, candidate)
    }
}

/// A house and what it does not let its players know.
pub struct Crook {
    pub house: House,
    pub liar: Rc<Liar>,
    pub rng: Rng,
    /// Tables that it does not touch any more, whatever is due there.
    pub frozen: BTreeSet<String>,
    /// What its victims would have won, or not lost, but for its tricks: where each trick's worth can be told.
    pub gained: i64,
    /// How many shills it has made up.
    shills: usize,
}

pub const SECOND: u64 = 1_000;

impl Crook {
    /// A house that has started, with these players and so many chips for each.
    pub fn new(liar: Liar, players: &[&str], chips_each: u64) -> Crook {
        let liar = Rc::new(liar);
        let mut house = House::unstarted();
        house.dealer = Box::new(Hands(liar.clone()));
        house.start().unwrap();
        let mut crook = Crook { house, liar, rng: Rng(11), frozen: BTreeSet::new(), gained: 0, shills: 0 };
        players.iter().for_each(|who| crook.add_player(who, chips_each));
        crook
    }

    pub fn honest(players: &[&str], chips_each: u64) -> Crook {
        Crook::new(Liar::default(), players, chips_each)
    }

    /// A table of a shipped rule set, for everyone.
    pub fn open(&mut self, at: &str, rules: &str, options: &[(&str, &str)]) {
        self.open_set(at, serde_json::to_value(shared::rules(rules, options)).unwrap());
    }

    /// A table of any rule set.
    pub fn open_set(&mut self, at: &str, rules: serde_json::Value) {
        let command = serde_json::json!({ "open_table": { "table": at, "rules": rules } });
        self.give(&Actor::Operator, serde_json::from_value(command).unwrap()).unwrap();
        self.work(at);
    }

    /// These players take seats 1, 2 …
    pub fn sit_all(&mut self, at: &str, players: &[&str]) {
        for (seat, who) in (1..).zip(players) {
            self.sit(at, who, seat).unwrap();
        }
        self.work(at);
    }

    /// Time passes, and what is due meanwhile is done, but for the tables that the house leaves lying.
    pub fn pass(&mut self, ms: u64) {
        let until = self.house.now + ms;
        loop {
            let tables = self.house.state.tables().filter(|at| !self.frozen.contains(at.id.as_str()));
            let next = tables.filter_map(|at| Some((at.next_deadline()?, at.id.to_string()))).min();
            let Some((deadline, at)) = next.filter(|(deadline, _)| *deadline <= until) else { break };
            self.house.now = self.house.now.max(deadline);
            let before = self.house.log.len();
            self.work(&at);
            let round_no = self.house.table(&at).live_round().map_or(0, |round| round.round_no);
            for lapsed in [Lapsed::Reveal, Lapsed::Turn, Lapsed::Pile, Lapsed::Round] {
                self.try_give(&Actor::House, Command::Lapse { table: table(&at), round_no, lapsed });
            }
            self.work(&at);
            assert!(self.house.log.len() > before, "what is due at {at} cannot be done");
        }
        self.house.now = self.house.now.max(until);
    }

    /// A command, signed where the player has a key. Nothing else is done before it, whatever is due.
    pub fn give(&mut self, by: &Actor, command: Command) -> Result<Entry, DecideError> {
        give(&mut self.house, by, command)
    }

    /// A player of the house's own under a fresh name, with chips.
    pub fn fresh_shill(&mut self, units: u64) -> String {
        self.shills += 1;
        let name = format!("guest-{}", self.shills);
        self.add_player(&name, units);
        name
    }

    pub fn add_player(&mut self, who: &str, units: u64) {
        self.give(&Actor::Operator, Command::CreatePlayer { player: player(who), key: None }).unwrap();
        if units > 0 {
            self.credit(who, units);
        }
    }

    pub fn credit(&mut self, who: &str, units: u64) {
        let command = Command::Credit { player: player(who), amount: chips(units), reference: None };
        self.give(&Actor::Operator, command).unwrap();
    }

    pub fn sit(&mut self, at: &str, who: &str, seat: u8) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::TakeSeat { table: table(at), seat })
    }

    pub fn ask(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        let command = match self.house.table(at).kind() {
            TableKind::Cash => Command::SitIn { table: table(at), entry: None, straddle: None },
            TableKind::Betting => Command::AskToPlay { table: table(at) },
        };
        self.give(&by(who), command)
    }

    pub fn leave(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::LeaveSeat { table: table(at) })
    }

    pub fn place_bets(&mut self, at: &str, who: &str, bets: &[(&str, u64)]) -> Result<Entry, DecideError> {
        let command = self.house.place_command(at, who, bets);
        self.give(&by(who), command)
    }

    /// The player's seed is handed in.
    pub fn show(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        show(&mut self.house, at, who)
    }

    /// Whether a command was given; a refusal is not.
    pub fn try_give(&mut self, by: &Actor, command: Command) -> bool {
        match self.give(by, command) {
            Ok(_) => true,
            Err(DecideError::Refused(_)) => false,
            Err(other) => panic!("{other}"),
        }
    }

    /// What an entry would say, before it is written.
    pub fn peek(&self, by: &Actor, command: &Command) -> Entry {
        self.house.state.decide(self.house.dealer.as_ref(), self.house.now, by, command).unwrap()
    }

    /// The house as it is now, to try out what would come: nothing of it is written.
    pub fn fork(&self) -> House {
        let state: State = serde_json::from_slice(&serde_json::to_vec(&self.house.state).unwrap()).unwrap();
        House {
            state,
            dealer: Box::new(Hands(self.liar.clone())),
            now: self.house.now,
            starts: self.house.starts,
            secrets: self.house.secrets.clone(),
            ..House::unstarted()
        }
    }

    /// All that the house has to do at a table now, deadlines of a live round left aside.
    pub fn work(&mut self, at: &str) {
        work(&mut self.house, at);
    }

    /// The deadline of the table's live round or window is waited for, and its lapse written.
    pub fn lapse(&mut self, at: &str, lapsed: Lapsed) {
        let until = self.house.table(at).next_deadline().unwrap();
        self.house.now = self.house.now.max(until);
        let round_no = self.house.table(at).live_round().unwrap().round_no;
        self.give(&Actor::House, Command::Lapse { table: table(at), round_no, lapsed }).unwrap();
        self.work(at);
    }

    /// The service dies and starts again. Every table is put in order, as it must be; frozen ones are not touched
    /// further.
    pub fn restart(&mut self) {
        self.house.start().unwrap();
        let mut tables: Vec<String> = self.house.state.tables().map(|at| at.id.to_string()).collect();
        tables.sort();
        for at in &tables {
            self.try_give(&Actor::House, Command::Recover { table: table(at) });
        }
        for at in tables.iter().filter(|at| !self.frozen.contains(*at)).cloned().collect::<Vec<_>>() {
            self.work(&at);
        }
    }

    /// The log ends for another one; written by hand where the house's own code refuses it.
    pub fn end_log(&mut self) {
        let origin = Origin::parse("fairshoe.example/next").unwrap();
        let key = PlayerKey::from_bytes(SecretKey::from_seed(&[4; 32]).public_key());
        let command = Command::EndLog { origin: origin.clone(), key };
        if self.try_give(&Actor::House, command.clone()) {
            return;
        }
        let stop = self.peek(&Actor::House, &Command::StopDealer {});
        let entry = Entry { command, events: vec![Event::LogEnded { origin, key }], ..stop };
        self.house.log.push(entry.encode().unwrap());
    }

    /// The operator declares a malfunction.
    pub fn malfunction(&mut self, at: &str) -> bool {
        let round_no = self.house.table(at).live_round().unwrap().round_no;
        let reason = Reference::parse("table camera failed").unwrap();
        self.try_give(&Actor::Operator, Command::VoidRound { table: table(at), round_no, reason })
    }

    /// A void of a round whose seeds are awaited, written by hand where the house's own code refuses it.
    pub fn void_before_reveal(&mut self, at: &str) {
        if self.malfunction(at) {
            return;
        }
        let round = self.house.table(at).live_round().unwrap();
        let Phase::AwaitingReveals { reveal_by } = round.phase else { panic!("no seed is awaited") };
        let round_no = round.round_no;
        let lapse = Command::Lapse { table: table(at), round_no, lapsed: Lapsed::Reveal };
        let mut entry = self.house.state.decide(self.house.dealer.as_ref(), reveal_by, &Actor::House, &lapse).unwrap();
        entry.events.retain(|event| !matches!(event, Event::Cooldown { .. } | Event::SeatLeft { .. }));
        for event in &mut entry.events {
            if let Event::RoundVoided { cause, missing, .. } = event {
                (*cause, *missing) = (VoidCause::Malfunction, Vec::new());
            }
        }
        let reason = Reference::parse("table camera failed").unwrap();
        let command = Command::VoidRound { table: table(at), round_no, reason };
        let entry = Entry { time: self.house.now, by: Actor::Operator, command, ..entry };
        self.house.state.apply(&entry).unwrap();
        self.house.log.push(entry.encode().unwrap());
    }

    /// Bets are open, and all of these may bet: they sit, ask, and wait for another shoe where they must.
    pub fn ready(&mut self, at: &str, players: &[&str]) {
        let mut last = None;
        for _ in 0..8 {
            self.work(at);
            for who in players {
                let seats = &self.house.table(at).seats;
                if self.house.table(at).seat_of(&player(who)).is_none() {
                    let free = (1..=20).find(|seat| !seats.contains_key(seat)).unwrap();
                    let over = self.house.state.conduct().until(&player(who));
                    self.pass(over.saturating_sub(self.house.now));
                    self.sit(at, who, free).unwrap();
                }
                let expects = |window: &fairshoe_house::Window| window.expected.contains(&player(who));
                if !self.house.table(at).window().is_some_and(expects) {
                    last = self.ask(at, who).err().or(last);
                }
            }
            self.work(at);
            let table = self.house.table(at);
            if table.window().is_some() && players.iter().all(|who| table.may_bet_on_shoe(&player(who))) {
                return;
            }
            let until = table.window().and_then(|window| window.closes_at).unwrap_or(self.house.now);
            self.pass(until.saturating_sub(self.house.now));
        }
        let balances: Vec<u64> = players.iter().map(|who| self.house.balance(who)).collect();
        panic!("bets never open at {at} for {players:?}, who have {balances:?}; the last refusal: {last:?}");
    }

    /// Everyone's bets, one list each, placed in the open window; it is closed as soon as the rules let the house close
    /// it.
    pub fn bets(&mut self, at: &str, bets: &[(&str, &[(&str, u64)])]) {
        for (who, bets) in bets {
            self.pass(300);
            self.place_bets(at, who, bets).unwrap();
        }
        self.work(at);
        if let Some(window) = self.house.table(at).window() {
            self.house.now = self.house.now.max(window.closes_at.unwrap());
            self.work(at);
        }
    }

    /// Each player bets this on the spot of their seat.
    pub fn bets_on_seats(&mut self, at: &str, players: &[&str], stake: u64) {
        let seats: Vec<String> =
            players.iter().map(|who| self.house.table(at).seat_of(&player(who)).unwrap().to_string()).collect();
        let bets: Vec<[(&str, u64); 1]> = seats.iter().map(|seat| [(seat.as_str(), stake)]).collect();
        let bets: Vec<(&str, &[(&str, u64)])> =
            players.iter().zip(&bets).map(|(who, bets)| (*who, bets.as_slice())).collect();
        self.bets(at, &bets);
    }

    /// All seeds come out but that of one player, if one is named.
    pub fn seeds_but(&mut self, at: &str, kept_back: &str) {
        for who in self.house.awaited(at) {
            if who != kept_back {
                self.pass(100);
                self.show(at, &who).unwrap();
            }
        }
    }

    /// The round is played to its end by everybody's way to play.
    pub fn play_out(&mut self, at: &str, way: Way) {
        play_out(&mut self.house, at, way);
        self.work(at);
    }

    /// A whole round at a shared table of blackjack.
    pub fn round(&mut self, at: &str, players: &[&str], stake: u64, way: Way) {
        self.bets_on_seats(at, players, stake);
        self.seeds_but(at, "");
        self.play_out(at, way);
    }

    /// The true count of the shoe in use, in hundredths: high-low tags seen, by packs left.
    pub fn true_count(&self, at: &str) -> i64 {
        let shoe = self.house.table(at).shoe.as_ref().unwrap();
        let tag = |slot: &Slot| match self.liar.value(&shoe.id, 0, *slot) % 13 {
            1..=5 => 1,
            0 | 9..=12 => -1,
            _ => 0,
        };
        let left: i64 = shoe.undrawn.iter().map(tag).sum();
        -left * 5_200 / i64::try_from(shoe.undrawn.len().max(1)).unwrap()
    }
}

/// A command, signed where the player has a key; nothing else is done before it, whatever is due.
pub fn give(house: &mut House, by: &Actor, command: Command) -> Result<Entry, DecideError> {
    let signed = match by {
        Actor::Player(who) if house.state.key(who).is_some() && house.pens.contains_key(who.as_str()) => {
            Some(house.sign(who.as_str(), house.state.last_nonce(who) + 1, &command))
        }
        _ => None,
    };
    let entry = house.state.decide_signed(house.dealer.as_ref(), house.now, by, signed.as_ref(), &command)?;
    house.state.apply(&entry).unwrap();
    house.log.push(entry.encode().unwrap());
    Ok(entry)
}

/// The command that hands in a player's seed.
pub fn reveal_of(house: &House, at: &str, who: &str) -> Command {
    let (round_no, seed) = (house.seed_number(at), house.seed_for(at, who));
    Command::Reveal { table: table(at), round_no, player: player(who), seed, saw: None, next: None }
}

pub fn show(house: &mut House, at: &str, who: &str) -> Result<Entry, DecideError> {
    let command = reveal_of(house, at, who);
    give(house, &Actor::Anyone, command)
}

/// How somebody plays: their choice at a decision.
pub type Way = fn(&House, &str, &Decision) -> Action;

pub fn play_out(house: &mut House, at: &str, way: Way) {
    while let Some(open) = house.open_decisions(at).into_iter().next() {
        house.now += 200;
        let action = way(house, at, &open);
        let round_no = house.table(at).live_round().unwrap().round_no;
        let act = Command::Act { table: table(at), round_no, decision: open.number, action };
        give(house, &Actor::Player(open.player), act).unwrap();
    }
}

/// All that the house has to do at a table now, deadlines of a live round left aside.
pub fn work(house: &mut House, at: &str) {
    let mut again = true;
    while again && house.state.table(&table(at)).is_some() {
        let id = || table(at);
        let round_no = house.table(at).next_round;
        let duties = [
            Command::Recover { table: id() },
            Command::CloseBets { table: id(), round_no },
            Command::CloseCall { table: id(), round_no },
            Command::TidySeats { table: id() },
            Command::CommitShoe { table: id() },
            Command::RetireShoe { table: id(), reason: None },
            Command::OpenBets { table: id() },
            Command::CallHand { table: id() },
        ];
        again = duties.into_iter().any(|command| match give(house, &Actor::House, command) {
            Ok(_) => true,
            Err(DecideError::Refused(_)) => false,
            Err(other) => panic!("{other}"),
        });
    }
}

fn offered(house: &House, at: &str, open: &Decision) -> Vec<ActionKind> {
    let round = house.table(at).live_round().unwrap();
    round.game.options(open.number, house.state.funds(&open.player)).iter().map(|offer| offer.action).collect()
}

/// The points of the hand that is asked, of a round of blackjack.
pub fn points(house: &House, at: &str, open: &Decision) -> u64 {
    let Place::Hand { spot, hand } = open.place else { panic!("{open:?}") };
    let view = house.table(at).live_round().unwrap().game.view();
    let boxes = view["boxes"].as_array().unwrap();
    let own = boxes.iter().find(|own| own["spot"] == spot).unwrap();
    own["hands"][usize::from(hand) - 1]["total"].as_u64().unwrap()
}

/// Hits 16 and less, stands on 17 and more: "copy the dealer" of spec/games/odds.md, where its cost stands.
pub fn copies_dealer(house: &House, at: &str, open: &Decision) -> Action {
    let offered = offered(house, at, open);
    match () {
        () if offered.contains(&ActionKind::Insurance) => Action::Insurance { take: false },
        () if offered.contains(&ActionKind::EvenMoney) => Action::EvenMoney { take: false },
        () if offered.contains(&ActionKind::Hit) && points(house, at, open) <= 16 => Action::Hit,
        () => Action::Stand,
    }
}
