//! Tournaments in the house (spec/games/tournaments.md): whole events, played by chance.

use crate::common::rng::Rng;
use crate::common::*;
use crate::kept::Keeping;
use crate::tournament_play::some_structure;
use fairshoe_house::tournament::{CancelCause, DealMethod, Stage, Tournament};
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, Reference, State, TournamentCommand as C, TournamentEvent as E,
    root_of_lines,
};

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
    // Who is refunded has no place.
    if event.refund_case.is_some() {
        return;
    }
    let residual = house.state.ledger().balance(&Account::RoundingResidual).unwrap();
    assert!(
        (0..=event.players as i64).contains(&residual),
        "a fraction is cut off each prize, and no more: {residual}"
    );
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
fn check_lines_as_it_goes(house: &House, every: usize) {
    let log: Vec<Entry> = entries(&house.log);
    let mut state = State::new();
    for (index, entry) in log.iter().enumerate() {
        state.apply(entry).unwrap();
        if index % every != 0 {
            continue;
        }
        let lines = state.lines().unwrap();
        assert_eq!(state.root().unwrap(), root_of_lines(lines.iter().map(String::as_str)));
        let mut read = read_lines(&house.log[..=index], &lines).unwrap();
        assert_eq!(read.due(entry.time), state.due(entry.time), "after entry {index}");
        assert_eq!(read.next_deadline(), state.next_deadline(), "after entry {index}");
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
        check_lines_as_it_goes(&house, 97);
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

/// Parts of some entries are sold before the start.
fn sell_by_chance(house: &mut House, players: usize, rng: &mut Rng) {
    let event = || table("sunday");
    while house.event("sunday").structure().staking && rng.one_in(2) {
        let (seller, basis_points) = (format!("p{}", rng.below(players)), rng.pick(&[100, 2_500, 5_000, 10_000]));
        let buyer = format!("p{}", rng.below(players));
        house.in_event(&seller, C::OfferStake { event: event(), basis_points }).ok();
        house.in_event(&buyer, C::BuyStake { event: event(), seller: player(&seller), basis_points }).ok();
    }
}

/// Whoever is left talks of a deal; now and then it is made.
fn deal_by_chance(house: &mut House, rng: &mut Rng) {
    let event = || table("sunday");
    let left: Vec<String> = house.event("sunday").left().map(|(_, entry)| entry.player.to_string()).collect();
    for who in &left {
        house.in_event(who, C::WantDeal { event: event(), want: true }).ok();
    }
    house.run_due();
    let method = rng.pick(&[DealMethod::Chips, DealMethod::Icm]);
    let Ok(proposed) = house.in_event(&left[0], C::ProposeDeal { event: event(), method, amounts: None }) else {
        return;
    };
    let digest = proposed.events.iter().find_map(|event| match event {
        Event::Tournament(event) => match event.as_ref() {
            E::DealProposed { digest, .. } => Some(digest.clone()),
            _ => None,
        },
        _ => None,
    });
    let no = rng.below(2 * left.len());
    for (n, who) in left.iter().enumerate() {
        let digest = digest.clone().expect("it was proposed");
        house.in_event(who, C::AnswerDeal { event: event(), digest, accept: n != no }).ok();
    }
}

/// What comes from outside, by chance: the operator, a talk of a deal, a crash.
fn trouble(house: &mut House, players: usize, rng: &mut Rng) {
    let (event, reason) = (table("sunday"), Reference::parse("by chance"));
    let operator = |command| Command::Tournament(command);
    match rng.below(500) {
        0..2 => {
            let player = player(&format!("p{}", rng.below(players)));
            let command = C::Disqualify { event, player, reason: reason.expect("a label") };
            house.give(&Actor::Operator, operator(command)).ok();
        }
        2 => {
            house.now += rng.pick(&[0, 5_000, 600_000, 600_000, 2 * HOUR]);
            // What is folded is held against the state in the end.
            house.start().unwrap();
        }
        3..5 => deal_by_chance(house, rng),
        5 if rng.one_in(8) => {
            let instant = house.now.saturating_sub(rng.pick(&[0, 1, 60_000, 1_200_000]));
            let command = C::Cancel { event, cause: CancelCause::Operator, instant, reason };
            house.give(&Actor::Operator, operator(command)).ok();
        }
        _ => return,
    }
    house.run_due();
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
    house.announce("sunday", &structure).unwrap();
    for n in 0..players {
        house.add_player(&format!("p{n}"), 1_000_000);
        house.register("sunday", &format!("p{n}")).unwrap();
    }
    sell_by_chance(&mut house, players, &mut rng);
    house.wait(HOUR);
    let (withhold, absent) = (rng.pick(&[0, 3, 9]), rng.pick(&[0, 4, 12]));
    let mut steps = 0;
    while house.event("sunday").stage != Stage::Ended {
        assert!(steps < 40_000, "the event does not end: {:?}", house.state.due(house.now));
        steps += 1;
        house.play_event("sunday", &mut rng, withhold, absent, 1);
        if house.event("sunday").stage == Stage::Running {
            house.enter_by_chance("sunday", players, &mut rng);
            trouble(&mut house, players, &mut rng);
        }
        house.check_event("sunday");
        check_balance(house.event("sunday"));
    }
    // Who repeats a seed is told the event's own entries.
    if std::env::var_os("FAIRSHOE_SEED").is_some() {
        let own =
            house.log.iter().filter(|bytes| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(_)));
        own.for_each(|bytes| println!("{}", String::from_utf8_lossy(bytes)));
    }
    check_end(&house, house.event("sunday"));
    // As the log has it, and as its lines have it.
    if seed.is_multiple_of(10) {
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
        check_lines_as_it_goes(&house, house.log.len() / 5 + 1);
    }
}

#[test]
fn small_events_by_chance_keep_every_chip_and_every_cent() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (one, slow) = (number("FAIRSHOE_SEED"), std::env::var_os("FAIRSHOE_SLOW").is_some());
    let from = one.or_else(|| number("FAIRSHOE_FROM")).unwrap_or(0);
    let usual = if slow { 100_000 } else { 200 };
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
