//! Whole books to audit, and the bundles a service would make of them.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod archive;
pub mod crooked;
pub mod edit;
pub mod mutate;
pub mod pieces;
pub mod second;

use crate::common::rng::Rng;
use crate::common::*;
pub use archive::Archive;
use fairshoe_fairness::derive_client_seed;
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::{Actor, Command, Lapsed, Phase, Reference};
use fairshoe_judge::audit::{AuditReport, Book, Finding};
use fairshoe_judge::bundle::{Bundle, Proven};
use fairshoe_tlog::{NoTiles, Signer, Tree, leaf_hash};
pub use second::{both_add_up, both_always_add_up, both_refused_by, verify};
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

/// What an audit of the whole log says, and one in pieces says as well, and the second verifier.
#[track_caller]
pub fn audit(log: &[Vec<u8>]) -> AuditReport {
    let whole = audit_at_once(log);
    pieces::hold_in_pieces(log, &whole);
    second::both_audit(log, &whole);
    whole
}

pub fn audit_at_once(log: &[Vec<u8>]) -> AuditReport {
    read_on(Book::new(pieces::limits()), log, 0)
}

/// What a book says once it has read the log from there on, as far as it can.
pub fn read_on(mut book: Book, log: &[Vec<u8>], from: usize) -> AuditReport {
    for (index, bytes) in log.iter().enumerate().skip(from) {
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
    signer_of(ORIGIN)
}

/// The key of the log of this name; that of a second log is another one.
pub fn signer_of(origin: &str) -> Signer {
    Signer::new(origin, &[log_secret(origin); 32]).unwrap()
}

/// The byte that the key of the log of this name is made of.
pub fn log_secret(origin: &str) -> u8 {
    if origin == ORIGIN { 7 } else { 8 }
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
        .map(|(index, bytes)| {
            Proven::new(*index, bytes, &tree.inclusion_proof(*index, tree.size(), &tiles).unwrap()).unwrap()
        })
        .collect()
}

pub fn checkpoint(log: &[Vec<u8>]) -> String {
    let (tree, _) = tree_of(log);
    signer().sign_checkpoint(tree.size(), tree.root())
}

/// The same with the log's own time, in seconds.
pub fn timed(log: &[Vec<u8>], time: u64) -> String {
    let note = checkpoint(log);
    let text = &note[..=note.rfind("\n\n").unwrap()];
    format!("{note}{}", signer().sign_own_time(text, time))
}

/// The bundle that a service would give out for a round at this log's end, with openings while the shoe's seed is not
/// out.
pub fn bundle(_house: &House, log: &[Vec<u8>], round: &str) -> Bundle {
    let bundle = Archive::new(log).bundle_at(&round.parse().unwrap(), log.len());
    bundle.unwrap_or_else(|| panic!("{round} is not on the log"))
}

/// The bundle with these entries instead of its own, each context or not, in a log of their own: a forger's, signed.
pub fn resign(bundle: Bundle, items: impl Iterator<Item = (String, bool)>) -> String {
    let items: Vec<(String, bool)> = items.collect();
    let log: Vec<Vec<u8>> = items.iter().map(|(text, _)| text.clone().into_bytes()).collect();
    let raw: Vec<(u64, Vec<u8>)> = (0..).zip(log.iter().cloned()).collect();
    let (context, entries): (Vec<_>, Vec<_>) =
        prove(&log, &raw).into_iter().zip(items).partition(|(_, (_, context))| *context);
    let only = |list: Vec<(Proven, (String, bool))>| list.into_iter().map(|(proven, _)| proven).collect();
    Bundle { checkpoint: checkpoint(&log), context: only(context), entries: only(entries), ..bundle }.to_json().unwrap()
}

/// A change of what no signature covers: openings, proofs, the lists, the JSON itself.
pub fn unsigned_change(mut bundle: Bundle, rng: &mut Rng) -> (String, String) {
    let some = |rng: &mut Rng, length: usize| if length == 0 { None } else { Some(rng.below(length)) };
    let what = match rng.below(9) {
        0 => some(rng, bundle.openings.len()).map(|at| {
            bundle.openings.remove(at);
            "an opening dropped"
        }),
        1 => some(rng, bundle.openings.len()).map(|at| {
            bundle.openings.push(bundle.openings[at].clone());
            "an opening twice"
        }),
        2 => some(rng, bundle.openings.len()).map(|at| {
            let value = &mut bundle.openings[at].value;
            *value = if *value == 0 { 1 } else { *value - 1 };
            "another value opened"
        }),
        3 => some(rng, bundle.openings.len()).map(|at| {
            bundle.openings[at].slot.0 ^= 1;
            "another slot opened"
        }),
        4 => some(rng, bundle.context.len()).map(|at| {
            bundle.context.remove(at);
            "an entry of the context dropped"
        }),
        5 => some(rng, bundle.entries.len()).map(|at| {
            bundle.entries.remove(at);
            "an entry dropped"
        }),
        6 => some(rng, bundle.entries.len()).map(|at| {
            bundle.entries.truncate(at + 1);
            "the last entries dropped"
        }),
        7 => some(rng, bundle.entries.len()).map(|at| {
            bundle.entries[at].index += 1;
            "another index"
        }),
        _ => None,
    };
    let text = bundle.to_json().unwrap();
    match what {
        Some(what) => (text, what.into()),
        None => change_form(text, rng),
    }
}

/// A change of the JSON itself: what a reader of bundles must refuse, and what it need not.
fn change_form(text: String, rng: &mut Rng) -> (String, String) {
    let (what, from, to) = rng.pick(&[
        ("another version", "\"fairshoe_bundle\":1", "\"fairshoe_bundle\":2"),
        ("a field twice", "\"fairshoe_bundle\":1", "\"fairshoe_bundle\":1,\"fairshoe_bundle\":1"),
        ("an inner field twice", "{\"index\":0,", "{\"index\":0,\"index\":0,"),
        ("a fraction", "\"index\":0,", "\"index\":0.0,"),
        ("an exponent", "\"index\":1,", "\"index\":1e0,"),
        ("a minus", "\"index\":0,", "\"index\":-0,"),
        ("an unknown field", "\"context\":", "\"more\":1,\"context\":"),
        ("an unknown inner field", "{\"index\":", "{\"more\":1,\"index\":"),
        ("white space", ",\"vkey\"", ", \"vkey\""),
        ("an escaped letter", "\"fairshoe_bundle\"", "\"fairshoe\\u005fbundle\""),
        ("a number as text", "\"index\":0", "\"index\":\"0\""),
        ("null for a list", "\"openings\":[]", "\"openings\":null"),
        ("a missing field", ",\"openings\":[]", ""),
        ("another round", "\"round\":\"t1:", "\"round\":\"t1:9"),
        ("a zero before the round", "\"round\":\"t1:", "\"round\":\"t1:0"),
        ("more after it", "}", "} x"),
    ]);
    if what == "more after it" { (text + " x", what.into()) } else { (text.replacen(from, to, 1), what.into()) }
}
