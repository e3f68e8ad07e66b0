//! Whole books to audit, and the bundles a service would make of them.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod crooked;
pub mod edit;

use crate::common::rng::Rng;
use crate::common::*;
use fairshoe_fairness::{Opening, Slot, derive_client_seed};
use fairshoe_games::{Action, ActionKind, RoundEvent};
use fairshoe_house::audit::{Book, Finding, Limits, Report};
use fairshoe_house::bundle::{Bundle, Collector, Proven, RoundId, Target};
use fairshoe_house::{Actor, Command, Entry, Event, Lapsed, Phase, Reference, ShoeId};
use fairshoe_tlog::{NoTiles, Signer, Tree, leaf_hash};
use std::collections::HashMap;
use std::sync::Arc;

pub const TABLES: [&str; 4] = ["resume", "rollback", "short", "own"];
const PLAYERS: [&str; 3] = ["alice", "bob", "carol"];

/// A house with four tables of different policies and three players.
pub fn busy_house() -> House {
    let mut house = House::new();
    for name in PLAYERS {
        house.add_player(name, 1_000_000);
    }
    house.withdraw("bob", 1_000).unwrap();
    house.give(&Actor::Operator, Command::IssueToken { holder: "player:bob".parse().unwrap(), revoke: true }).unwrap();
    house.open("resume", &[("crash", "resume")]);
    house.open("rollback", &[("crash", "rollback"), ("deal_order", "pp_dd")]);
    house.open("short", &[("reveal_time_ms", "60000"), ("round_time_ms", "60000"), ("decks", "2")]);
    house.give(&by("carol"), Command::OpenTable { table: table("own"), rules: joy(&[]), replaces: None }).unwrap();
    house.run_due();
    house
}

pub fn seed_of_round(house: &House, name: &str) -> fairshoe_fairness::ClientSeed {
    let at = house.table(name);
    let round_no = at.live_round().map_or(at.next_round, |round| round.round_no);
    derive_client_seed(&[0x5e; 32], &house.context(name), round_no)
}

/// Plays so many rounds; with `trouble`, seeds stay away, deadlines pass, the operator voids, the service crashes.
pub fn play(house: &mut House, rng: &mut Rng, rounds: usize, trouble: bool) {
    for _ in 0..rounds {
        house.now += 1_000;
        let name: &str = rng.pick(&TABLES);
        if house.table(name).live_round().is_some() {
            go_on(house, rng, name, trouble);
            continue;
        }
        let who = if name == "own" { "carol" } else { rng.pick::<&str>(&PLAYERS) };
        let seed = seed_of_round(house, name);
        house.bet(name, who, 1 + rng.below(200) as u64, &seed).unwrap();
        if trouble && rng.one_in(12) {
            trip(house, rng, name);
            if house.table(name).live_round().is_none() {
                continue;
            }
        }
        house.reveal(name, who, &seed).unwrap();
        go_on(house, rng, name, trouble);
        house.run_due();
    }
    house.run_due();
}

fn go_on(house: &mut House, rng: &mut Rng, name: &str, trouble: bool) {
    while let Some(round) = house.table(name).live_round() {
        let who = round.contributors[0].placed.player.to_string();
        if matches!(round.phase, Phase::AwaitingReveals { .. }) {
            let seed = seed_of_round(house, name);
            house.reveal(name, &who, &seed).unwrap();
            continue;
        }
        if trouble && rng.one_in(25) {
            trip(house, rng, name);
            continue;
        }
        let offered = house.offered(name);
        let action = match rng.pick::<ActionKind>(&offered) {
            ActionKind::Hit => Action::Hit,
            ActionKind::Stand => Action::Stand,
            ActionKind::Double => Action::Double { amount: None },
            ActionKind::Split => Action::Split,
            ActionKind::Insurance => Action::Insurance { take: rng.one_in(2) },
            other => panic!("{other} is no word of JOY"),
        };
        house.act(name, &who, action).unwrap();
    }
    house.run_due();
}

/// Something goes wrong in the middle of a round.
fn trip(house: &mut House, rng: &mut Rng, name: &str) {
    let Some(round) = house.table(name).live_round() else { return };
    let (round_no, phase) = (round.round_no, round.phase);
    match rng.below(4) {
        0 => house.crash(),
        // While the seed is awaited the operator has no say.
        1 if matches!(phase, Phase::Open { .. }) => {
            let reason = Reference::parse("table camera failed").unwrap();
            house.give(&Actor::Operator, Command::VoidRound { table: table(name), round_no, reason }).unwrap();
        }
        2 if name == "short" => {
            house.now += 61_000;
            let lapsed = if matches!(phase, Phase::AwaitingReveals { .. }) { Lapsed::Reveal } else { Lapsed::Round };
            house.give(&Actor::House, Command::Lapse { table: table(name), round_no, lapsed }).unwrap();
        }
        _ => {}
    }
    house.run_due();
}

/// A book of so many rounds with everything that can happen in it.
pub fn book(seed: u64, rounds: usize) -> House {
    let mut house = busy_house();
    play(&mut house, &mut Rng(seed), rounds, true);
    house
}

pub fn audit(log: &[Vec<u8>]) -> Report {
    let mut book = Book::new(Limits { origin: Some(ORIGIN.into()), ..Limits::default() });
    for (index, bytes) in log.iter().enumerate() {
        if book.feed(index as u64, bytes).is_err() {
            break;
        }
    }
    book.finish()
}

#[track_caller]
pub fn failure(log: &[Vec<u8>]) -> Finding {
    audit(log).first_failure.expect("the auditor found nothing")
}

pub fn signer() -> Signer {
    Signer::new(ORIGIN, &[7; 32]).unwrap()
}

/// The tree over a log, and the tiles it completed.
pub fn tree_of(log: &[Vec<u8>]) -> (Tree, HashMap<(u8, u64), Arc<fairshoe_tlog::TileNodes>>) {
    let mut tree = Tree::new();
    let mut tiles = HashMap::new();
    for bytes in log {
        for tile in tree.append(leaf_hash(bytes)) {
            tiles.insert((tile.level, tile.index), tile.nodes);
        }
    }
    let _ = NoTiles;
    (tree, tiles)
}

/// Proves these entries under a checkpoint of the whole log.
pub fn prove(log: &[Vec<u8>], raw: &[(u64, Vec<u8>)]) -> Vec<Proven> {
    let (tree, tiles) = tree_of(log);
    raw.iter()
        .map(|(index, bytes)| Proven::new(*index, bytes, &tree.inclusion_proof(*index, tree.size(), &tiles).unwrap()).unwrap())
        .collect()
}

pub fn checkpoint(log: &[Vec<u8>]) -> String {
    let (tree, _) = tree_of(log);
    signer().sign_checkpoint(tree.size(), tree.root())
}

/// The bundle that a service would give out for a round, with openings while the shoe's seed is not out.
pub fn bundle(house: &House, log: &[Vec<u8>], round: &str) -> Bundle {
    let id: RoundId = round.parse().unwrap();
    let mut collector = Collector::new(Target::Round { table: id.table.clone(), round_no: id.round_no });
    for (index, bytes) in log.iter().enumerate() {
        collector.feed(index as u64, bytes);
    }
    let selection = collector.finish().unwrap_or_else(|| panic!("{round} is not on the log"));
    let openings = openings(house, log, &selection.entries);
    let (context, entries) = (prove(log, &selection.context), prove(log, &selection.entries));
    Bundle::build(id, signer().verifier_key().to_string(), checkpoint(log), context, entries, openings).unwrap()
}

/// Every face shown, opened in the shoe or pile it came from; none once the history's end is out.
fn openings(house: &House, log: &[Vec<u8>], entries: &[(u64, Vec<u8>)]) -> Vec<Opening> {
    let entries: Vec<Entry> = entries.iter().map(|(_, bytes)| Entry::decode(bytes).unwrap()).collect();
    let at = &entries[0].at.as_ref().unwrap().table;
    let live = house.state.table(at).is_some_and(|table| table.live_round().is_some() || table.shoe.is_some());
    let (mut piles, mut shown, mut ended): (Vec<u64>, Vec<(u64, Slot)>, bool) = (Vec::new(), Vec::new(), false);
    let (mut committed, mut epochs) = (std::collections::BTreeMap::new(), epochs_of_shoes(log));
    let (mut in_round, mut pick) = (false, 0);
    for entry in &entries {
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { shoe_no, composition, .. } => {
                    committed.insert(*shoe_no, (composition.clone(), epochs.remove(&(at.to_string(), *shoe_no)).unwrap()));
                    if !in_round {
                        piles = vec![*shoe_no];
                    }
                }
                Event::BetsClosed { .. } => in_round = true,
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => in_round = false,
                Event::PileShuffled { .. } => piles.extend(committed.keys().last()),
                Event::Play(
                    RoundEvent::Dealt { slot, card: Some(_), .. }
                    | RoundEvent::Turned { pile: None, slot, .. }
                    | RoundEvent::Spun { slot, .. },
                ) => {
                    shown.push((*piles.last().unwrap(), *slot));
                }
                Event::Play(RoundEvent::Turned { pile: Some(pile), slot, .. }) => shown.push((piles[usize::from(*pile)], *slot)),
                Event::RoundOpened { pick: dealt, .. } => pick = *dealt,
                Event::ShoeRevealed { .. } | Event::ShoeSealed { .. } if !in_round => ended = true,
                _ => {}
            }
        }
    }
    if ended || !live {
        return Vec::new();
    }
    let open = |(shoe_no, slot): (u64, Slot)| {
        let (composition, epoch) = committed[&shoe_no].clone();
        let context = fairshoe_fairness::TableContext { origin: ORIGIN.parse().unwrap(), table: at.clone(), epoch };
        house.seeds.derive(&ShoeId { context, shoe_no, composition }, pick).1.open(slot).unwrap()
    };
    shown.into_iter().map(open).collect()
}

/// The epoch under which each shoe was committed.
fn epochs_of_shoes(log: &[Vec<u8>]) -> std::collections::BTreeMap<(String, u64), fairshoe_fairness::Epoch> {
    let (mut epoch, mut found) = (None, std::collections::BTreeMap::new());
    for entry in entries(log) {
        for event in &entry.events {
            match event {
                Event::DealerStarted { epoch: new, .. } => epoch = Some(*new),
                Event::ShoeCommitted { shoe_no, .. } => {
                    found.insert((entry.at.as_ref().unwrap().table.to_string(), *shoe_no), epoch.unwrap());
                }
                _ => {}
            }
        }
    }
    found
}
