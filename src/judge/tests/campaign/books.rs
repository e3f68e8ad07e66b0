//! Houses by chance, each with the log that belongs to its seed: tables alone; with wallets, guests and chips that go
//! to another log and come from it; tournaments; and logs that end or are lost, with the one that goes on.

use crate::audit_common::{log_secret, signer_of};
use crate::cases::{self, Case, Cases, texts};
use crate::common::crowd::CROWD;
use crate::common::rng::Rng;
use crate::common::rule_sets::some_rules;
use crate::common::shared::rules;
use crate::common::world::World;
use crate::common::*;
use crate::events::event;
use fairshoe_fairness::Origin;
use fairshoe_house::{
    Actor, Command, DecideError, Entry, OldLog, PlainText, PlayerKey, Reference, WalletAnswer, WalletCall,
};
use fairshoe_tlog::{NoTiles, SecretKey, TlogProof, Tree, base64_encode, leaf_hash};

/// The log that goes on.
pub const NEXT: &str = "fairshoe.example/next";
/// Another log, of a house of the same operator.
const THERE: &str = "fairshoe.example/there";

/// The cases of an honest book; of every fifth one those of the log that goes on from it.
pub fn honest(seed: u64) -> Cases {
    if !seed.is_multiple_of(5) {
        return cases::honest(&some_book(seed / 5 * 4 + seed % 5 - 1).log, seed);
    }
    let Pair { old, new } = pair(seed / 5);
    let mut rng = Rng(seed ^ 0x0c07_7199);
    let mut cases = cases::rounds(&new.log, &mut rng);
    let carried = entries(&new.log).iter().skip(2).take_while(|entry| entry.by == Actor::Operator).count();
    let least = 2 + carried;
    for size in [new.log.len(), least + rng.below(new.log.len() - least + 1)] {
        let case = Case::Continued { old: texts(&old), new: texts(&new.log[..size]) };
        cases.push((format!("log of {size} that goes on from one of {}", old.len()), case));
    }
    cases.push((format!("log of {} that another goes on from", old.len()), Case::Log(texts(&old))));
    cases
}

/// A book's cases with one change each.
pub fn changed(seed: u64) -> Cases {
    cases::changed(&some_book(seed).log, seed)
}

/// A book of one kind or another.
pub fn some_book(seed: u64) -> House {
    match seed % 4 {
        0 | 1 => World::book(seed),
        2 => with_doors(seed),
        _ => event(seed),
    }
}

pub fn tree_over(log: &[Vec<u8>]) -> Tree {
    let mut tree = Tree::new();
    log.iter().for_each(|bytes| drop(tree.append(leaf_hash(bytes))));
    tree
}

/// A house whose chips come and go by every door.
fn with_doors(seed: u64) -> House {
    let mut world = World::new(seed);
    let mut doors = Doors::new(&mut world);
    doors.play(&mut world, 220);
    if world.rng().one_in(2) {
        world.go_home();
    }
    std::mem::replace(world.house(), House::unstarted())
}

/// What is outside of a house: its operator's wallet, guests, and the other log.
struct Doors {
    there: House,
    /// The entries there that sent chips here.
    sent: Vec<usize>,
}

impl Doors {
    fn new(world: &mut World) -> Doors {
        for (at, name) in [("play.wheel", "roulette"), ("play.joy", "joy"), ("play.live", "live-blackjack")] {
            world.house().open_rules(at, rules(name, &[]));
        }
        let other = some_rules(world.rng(), false);
        world.house().open_rules("play.some", other);
        let mut there = House { origin: THERE, now: world.house().now, ..House::unstarted() };
        there.start().unwrap();
        CROWD.iter().for_each(|who| there.add_player(who, 1_000_000));
        know(&mut there, ORIGIN, true).unwrap();
        Doors { there, sent: Vec::new() }
    }

    /// Until the log has so many entries.
    fn play(&mut self, world: &mut World, entries: usize) {
        while world.house().log.len() < entries {
            world.step();
            world.take_pens();
            match world.rng().below(8) {
                0..=2 => self.wallet(world),
                3 => self.guest(world),
                4 => self.transfer(world),
                _ => {}
            }
            world.house().run_due();
        }
    }

    fn wallet(&mut self, world: &mut World) {
        let who = world.somebody();
        let (player, giver) = (player(who), if world.rng().one_in(2) { Actor::Operator } else { by(who) });
        let amount = chips(1 + world.rng().below(5_000) as u64);
        let open = open_operations(world.house());
        if open.is_empty() || world.rng().one_in(3) {
            let withdraws = world.rng().one_in(2);
            let command = if withdraws {
                Command::WalletWithdraw { player, amount }
            } else {
                Command::WalletDeposit { player, amount }
            };
            return world.crowd.give(&giver, command);
        }
        let (no, call) = open[world.rng().below(open.len())];
        if call == WalletCall::Reserve && world.rng().one_in(4) {
            return world.crowd.give(&giver, Command::WalletCancel { no });
        }
        if world.rng().one_in(12) {
            // A wallet that is away for days.
            let days = 1 + world.rng().below(4) as u64;
            world.house().wait(days * DAY);
        }
        answer(world, no, call);
    }

    fn guest(&mut self, world: &mut World) {
        let guests = world.house().state.ledger().players().filter(|who| who.as_str().starts_with("guest.")).count();
        if guests < 4 || world.rng().one_in(4) {
            return world.crowd.give(&Actor::House, Command::AdmitGuest {});
        }
        for _ in 0..4 {
            let at = world.rng().pick(&["play.wheel", "play.joy", "play.live", "play.some"]);
            if world.house().state.table(&table(at)).is_some() {
                world.crowd.play_at(at);
                world.house().run_due();
            }
        }
    }

    fn transfer(&mut self, world: &mut World) {
        let who = world.somebody();
        let amount = chips(1 + world.rng().below(3_000) as u64);
        match world.rng().below(6) {
            0 => {
                let known = world.rng().one_in(4);
                drop(know(world.house(), THERE, !known));
            }
            1 | 2 => {
                let giver = if world.rng().one_in(3) { Actor::Operator } else { by(who) };
                let to = Origin::parse(THERE).unwrap();
                world.crowd.give(&giver, Command::TransferOut { to, player: player(who), amount });
            }
            3 => {
                self.there.now = self.there.now.max(world.house().now);
                let to = Origin::parse(ORIGIN).unwrap();
                let command = Command::TransferOut { to, player: player(who), amount };
                if self.there.give(&Actor::Operator, command).is_ok() {
                    self.sent.push(self.there.log.len() - 1);
                }
            }
            _ if self.sent.is_empty() => {}
            // Some of them twice.
            _ => {
                let index = self.sent[world.rng().below(self.sent.len())];
                let tree = tree_over(&self.there.log);
                let path = tree.inclusion_proof(index as u64, tree.size(), &NoTiles).unwrap();
                let checkpoint_text = signer_of(THERE).sign_checkpoint(tree.size(), tree.root());
                let receipt = TlogProof { extra: None, index: index as u64, path, checkpoint_text };
                let text = |text: String| PlainText::try_from(text).unwrap();
                let claim = Command::TransferIn {
                    from: Origin::parse(THERE).unwrap(),
                    entry: text(String::from_utf8(self.there.log[index].clone()).unwrap()),
                    receipt: text(base64_encode(receipt.format().as_bytes())),
                };
                world.crowd.give(&Actor::Anyone, claim);
            }
        }
    }
}

fn open_operations(house: &House) -> Vec<(u64, WalletCall)> {
    house.state.open_wallet_operations().into_iter().map(|(no, asked)| (no, asked.call)).collect()
}

/// What the wallet says to a call that is open.
fn answer(world: &mut World, no: u64, call: WalletCall) {
    let refuses = matches!(call, WalletCall::Reserve | WalletCall::Pay) && world.rng().one_in(4);
    let said = if refuses { WalletAnswer::Refused } else { WalletAnswer::Accepted };
    let reason = if refuses { Reference::parse("no funds") } else { None };
    world.crowd.give(&Actor::House, Command::WalletAnswer { no, call, answer: said, reason });
}

/// The operator says whether the other log is known, and under which key.
fn know(house: &mut House, log: &str, known: bool) -> Result<Entry, DecideError> {
    let key = signer_of(log).verifier_key().to_string();
    let policy = PlainText::try_from(base64_encode(format!("log {key}\nquorum none\n").as_bytes())).unwrap();
    let command = Command::KnowLog { log: Origin::parse(log).unwrap(), policy: known.then_some(policy) };
    house.give(&Actor::Operator, command)
}

/// An old log, and the one that goes on from it.
pub struct Pair {
    pub old: Vec<Vec<u8>>,
    pub new: House,
}

/// A log that ended, or of which so much is left, and the one that goes on: with tables, with every door, and with
/// tournaments that were played.
pub fn pair(seed: u64) -> Pair {
    if seed.is_multiple_of(3) {
        let mut old = event(seed);
        let mut rng = Rng(seed ^ 0x00e7_e247);
        if rng.one_in(2) {
            let keep = 1 + rng.below(old.log.len());
            old.log.truncate(keep);
            old.state = fold(&old.log);
            old.now = old.state.last_time();
        }
        end_if_it_may(&mut old);
        return Pair { new: going_on(&old, rng.pick(&[0, 1, HOUR, 3 * DAY])), old: old.log };
    }
    let mut world = World::new(seed);
    if seed % 3 == 1 {
        let mut doors = Doors::new(&mut world);
        doors.play(&mut world, 160);
    }
    while world.house().log.len() < 160 {
        world.step();
    }
    if world.rng().one_in(2) {
        world.go_home();
        while let Some((no, call)) = open_operations(world.house()).first() {
            answer(&mut world, *no, *call);
        }
        world.house().wait(2 * HOUR);
        end_if_it_may(world.house());
    }
    let away = world.rng().pick(&[0, 1, HOUR, 3 * DAY]);
    let (new, old) = (going_on(world.house(), away), world.house().log.clone());
    let mut world = world.moved(new);
    let more = 120 + world.rng().below(60);
    while world.house().log.len() < more {
        world.step();
    }
    Pair { old, new: std::mem::replace(world.house(), House::unstarted()) }
}

fn key_of(origin: &str) -> PlayerKey {
    PlayerKey::from_bytes(SecretKey::from_seed(&[log_secret(origin); 32]).public_key())
}

fn end_if_it_may(house: &mut House) {
    house.run_due();
    let command = Command::EndLog { origin: Origin::parse(NEXT).unwrap(), key: key_of(NEXT) };
    match house.give(&Actor::House, command) {
        Ok(_) | Err(DecideError::Refused(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// The house that goes on from this one, with what it carries over.
fn going_on(old: &House, away: u64) -> House {
    let mut new = House { origin: NEXT, now: old.now.max(old.state.last_time()) + away, ..House::unstarted() };
    new.start().unwrap();
    let from = OldLog {
        origin: Origin::parse(old.origin).unwrap(),
        key: key_of(old.origin),
        size: old.log.len() as u64,
        root: tree_over(&old.log).root().to_string(),
        new_key: key_of(NEXT),
    };
    let signature = from.sign(&SecretKey::from_seed(&[log_secret(old.origin); 32]), &Origin::parse(NEXT).unwrap());
    let OldLog { origin, key, size, root, new_key } = from;
    new.give(&Actor::House, Command::ContinueLog { origin, key, size, root, new_key, signature }).unwrap();
    let carried = old.state.carried_over().unwrap();
    let at = new.now;
    for command in carried.commands(at) {
        new.give(&Actor::Operator, command).unwrap();
    }
    new.run_due();
    new
}
