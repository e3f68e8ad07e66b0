//! Tournaments in the house (spec/games/tournaments.md): whole events, played by chance.

use crate::common::rng::Rng;
use crate::common::*;
use crate::kept::Keeping;
use crate::tournament_play::some_structure;
use fairshoe_house::tournament::Tournament;
use fairshoe_house::{Account, Entry, State, root_of_lines};

/// What holds of an event that has ended.
fn check_end(house: &House, event: &Tournament) {
    let name = event.name().clone();
    for account in [
        Account::Pool(name.clone()),
        Account::Fees(name.clone()),
        Account::Bounties(name.clone()),
        Account::Stakes(name.clone()),
    ] {
        assert_eq!(house.state.ledger().balance(&account), Some(0), "{account}");
    }
    let mut ranks: Vec<(u64, u64)> = event.entries.iter().filter_map(|(_, entry)| entry.rank).collect();
    ranks.sort_unstable();
    let players = event.players;
    assert_eq!(ranks.len() as u64, players, "everybody has a place");
    if event.target().is_none() {
        let mut place = 1;
        for of_rank in ranks.chunk_by(|a, b| a == b) {
            assert_eq!(of_rank[0].0, place, "{ranks:?}");
            assert_eq!(of_rank[0].1, place + of_rank.len() as u64 - 1, "{ranks:?}");
            place += of_rank.len() as u64;
        }
    }
}

/// A state that was read from its lines is the state, and goes on as the log does.
fn check_lines(house: &House, every: usize) {
    let log: Vec<Entry> = entries(&house.log);
    let mut state = State::new();
    for (index, entry) in log.iter().enumerate() {
        state.apply(entry).unwrap();
        if index % every != 0 {
            continue;
        }
        let lines = state.lines().unwrap();
        assert_eq!(state.root().unwrap(), root_of_lines(lines.iter().map(String::as_str)));
        let mut by_index = |index: u64| log.get(index as usize).cloned().ok_or_else(|| "no such entry".to_owned());
        let size = index as u64 + 1;
        let mut read = State::from_lines(size, lines.iter().map(String::as_str), &mut by_index).unwrap();
        assert_eq!(read.due(entry.time), state.due(entry.time), "after {size} entries");
        assert_eq!(read.next_deadline(), state.next_deadline(), "after {size} entries");
        for entry in log.iter().skip(index + 1).take(40) {
            let again = read.decide_signed(&house.seeds, entry.time, &entry.by, None, &entry.command);
            assert_eq!(again.as_ref(), Ok(entry));
            read.apply(entry).unwrap();
        }
    }
}

#[test]
fn events_by_chance_are_played_to_their_ends() {
    let mut rng = Rng(0x70_75_72);
    let mut kinds = std::collections::BTreeMap::new();
    for number in 0..6 * effort() {
        let structure = some_structure(&mut rng);
        let least = structure.entry.players_min as usize;
        let most = structure.entry.players_max.min(26) as usize;
        let players = least + rng.below(most + 1 - least);
        let mut house = House::new();
        house.whole_event("sunday", &structure, players, &mut rng);
        check_end(&house, house.event("sunday"));
        for name in entries(&house.log).iter().flat_map(names_of) {
            *kinds.entry(name).or_insert(0) += 1;
        }
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint(), "{number}");
        check_lines(&house, 97);
    }
    for happens in ["late", "player_moved", "hand_for_hand", "level_begun", "rebuy", "bounty_won", "posts_taken"] {
        let many: i32 = kinds.iter().filter(|(name, _)| name.contains(happens)).map(|(_, many)| many).sum();
        println!("{happens}: {many}");
    }
}

/// The tables of an event that is played differ by one player at most, but while a draw or a move is under way.
fn check_balance(event: &Tournament) {
    let is_under_way = event.draws.open.is_some() || !event.waiting.is_empty() || event.field().due().is_some();
    let sizes = event.field().tables.values().map(|table| table.players.len());
    if let (Some(least), Some(most)) = (sizes.clone().min(), sizes.max())
        && !is_under_way
    {
        assert!(most - least <= 1, "tables of {least} and of {most} players");
    }
}

/// A small event of this seed, looked at after every step.
fn small_event(seed: u64) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut structure = some_structure(&mut rng);
    structure.seats = structure.seats.min(rng.pick(&[2, 3, 4]));
    structure.entry.stack = rng.pick(&[200, 800, 2_000]);
    let least = structure.entry.players_min as usize;
    let most = structure.entry.players_max.min(9) as usize;
    let players = least + rng.below(most.max(least) + 1 - least);
    let mut house = House::new();
    house.dealer = Keeping::dealer();
    house.whole_event_with("sunday", &structure, players, &mut rng, check_balance);
    check_end(&house, house.event("sunday"));
    if seed.is_multiple_of(100) {
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
    }
}

#[test]
fn small_events_by_chance_keep_every_chip_and_every_cent() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (one, slow) = (number("FAIRSHOE_SEED"), std::env::var_os("FAIRSHOE_SLOW").is_some());
    let from = one.or_else(|| number("FAIRSHOE_FROM")).unwrap_or(0);
    let usual = if slow { 100_000 } else { 16 };
    let count = one.map(|_| 1).or_else(|| number("FAIRSHOE_SEEDS")).unwrap_or(usual);
    let next = std::sync::atomic::AtomicU64::new(from);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= from + count {
                        return;
                    }
                    if let Err(failure) = std::panic::catch_unwind(|| small_event(seed)) {
                        println!("FAIRSHOE_SEED={seed} repeats it");
                        std::panic::resume_unwind(failure);
                    }
                    if (seed + 1).is_multiple_of(10_000) {
                        println!("up to seed {seed}");
                    }
                }
            });
        }
    });
}
