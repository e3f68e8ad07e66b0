//! The ledger alone: sound where the whole audit is, with the same sums; and every cheat with money is caught and named.

use crate::audit_common;
use crate::common;

use audit_common::edit::*;
use audit_common::*;
use common::crowd::Crowd;
use common::rng::Rng;
use common::*;
use fairshoe_games::RoundEvent;
use fairshoe_house::audit::{Check, LedgerBook, LedgerReport};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Line};

fn ledger(log: &[Vec<u8>]) -> LedgerReport {
    let mut book = LedgerBook::new(Some(ORIGIN.into()));
    for (index, bytes) in log.iter().enumerate() {
        if book.feed(index as u64, bytes).is_err() {
            break;
        }
    }
    book.finish()
}

/// Both audits are content and have added up the same.
fn agrees(log: &[Vec<u8>], which: &str) {
    let (whole, alone) = (audit(log), ledger(log));
    assert_eq!((&whole.first_failure, &alone.first_failure), (&None, &None), "{which}");
    assert_eq!(whole.ledger, alone.ledger, "{which}");
    assert_eq!(
        (whole.entries, whole.players, whole.tables, whole.last_time),
        (alone.entries, alone.players, alone.tables, alone.last_time)
    );
    assert_eq!((whole.settled, whole.voids.total), (alone.settled, alone.voided), "{which}");
    assert_eq!((whole.staked, whole.ret), (alone.staked as i64, alone.ret as i64), "{which}");
    assert_eq!(alone.entries as usize, log.len());
}

#[test]
fn honest_books_of_every_game_add_up_alike() {
    for seed in 1..=2 * effort() {
        agrees(&book(seed, 150).log, &format!("solo book {seed}"));
        for only in ["", "safe"] {
            let mut crowd = Crowd::new(seed, true);
            crowd.only = only;
            crowd.steps(600);
            agrees(&crowd.house.log, &format!("crowd {seed} {only}"));
            crowd.go_home();
            agrees(&crowd.house.log, &format!("crowd {seed} {only}, gone home"));
        }
    }
}

/// An account that is filled and emptied for years: all that was ever paid in is past the range of a balance.
#[test]
fn totals_beyond_a_balances_range_accuse_nobody() {
    let mut house = House::new();
    let free = fairshoe_games::MAX_CHIPS - house.balance("alice");
    for _ in 0..1_030 {
        let (player, amount) = (player("alice"), chips(free));
        house.give(&Actor::Operator, Command::Credit { player: player.clone(), amount, reference: None }).unwrap();
        house.give(&Actor::Operator, Command::Withdraw { player, amount, reference: None }).unwrap();
    }
    house.give(&Actor::Operator, Command::Credit { player: player("alice"), amount: chips(5), reference: None }).unwrap();
    agrees(&house.log, "filled and emptied");
    assert_eq!(audit(&house.log).ledger.credited, i64::MAX);
}

#[test]
fn the_logs_of_the_specification_add_up() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors");
    let mut read = 0;
    for file in ["entries-joy.json", "entries-shared.json", "entries-wheel.json", "entries-safe.json"] {
        let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join(file)).unwrap()).unwrap();
        let mut book = LedgerBook::new(None);
        for (index, entry) in (0..).zip(vectors["entries"].as_array().unwrap()) {
            book.feed(index, entry.as_str().unwrap().as_bytes()).unwrap_or_else(|finding| panic!("{file}: {finding}"));
            read += 1;
        }
        assert_eq!(book.finish().first_failure, None, "{file}");
    }
    assert!(read > 300, "{read}");
}

#[test]
fn a_log_cut_off_anywhere_adds_up_so_far() {
    let house = book(9, 40);
    for end in 1..house.log.len() {
        assert_eq!(ledger(&house.log[..end]).first_failure, None, "cut off at {end}");
    }
}

fn lines(entry: &mut Entry) -> &mut Vec<Line> {
    match event_mut(entry, |event| matches!(event, Event::Posted { .. })) {
        Event::Posted { lines } => lines,
        _ => unreachable!(),
    }
}

fn line(entry: &mut Entry, of: fn(&Account) -> bool) -> &mut Line {
    lines(entry).iter_mut().find(|line| of(&line.0)).unwrap()
}

fn bets(entry: &Entry) -> bool {
    matches!(entry.command, Command::Bet { .. })
}

fn is_player(account: &Account) -> bool {
    matches!(account, Account::Player(_))
}

fn returns(entry: &Entry) -> bool {
    plays(entry).any(|play| matches!(play, RoundEvent::Paid { lines } if lines[0].ret.units() > 0))
}

/// Gives `player` chips in an entry where none may come.
fn from_nothing(entry: &mut Entry, from: &Account, balance_after: i64) {
    let Line(player, _, had) = lines(entry)[0].clone();
    entry.events.push(Event::Posted { lines: vec![Line(from.clone(), -50, balance_after), Line(player, 50, had + 50)] });
}

#[rustfmt::skip]
const CHEATS: &[(&str, Check, Change)] = &[
    ("posts a sum that is not zero", Check::LedgerTotal, |book| edit(book, bets, |entry| {
        let line = line(entry, is_player);
        (line.1, line.2) = (line.1 + 1, line.2 + 1);
    })),
    ("writes a wrong balance", Check::Posting, |book| edit(book, bets, |entry| line(entry, is_player).2 += 1)),
    ("lets a player owe", Check::Posting, |book| edit(book, bets, |entry| {
        for line in lines(entry) {
            let more = if is_player(&line.0) { -9_000_000 } else { 9_000_000 };
            (line.1, line.2) = (line.1 + more, line.2 + more);
        }
    })),
    ("pays to a player whom nobody made", Check::Posting, |book| edit(book, bets, |entry| {
        line(entry, is_player).0 = Account::Player(player("nobody"));
    })),
    ("takes the chips of another table", Check::Posting, |book| edit(book, bets, |entry| {
        line(entry, |account| matches!(account, Account::Table(_))).0 = Account::Table(table("elsewhere"));
    })),
    ("makes chips from nothing in a round", Check::LedgerCage, |book| {
        let at = find(book, bets);
        let cage = cage_before(book, at);
        from_nothing(&mut book[at], &Account::Cage, cage - 50);
        at
    }),
    ("takes the house's chips for a player", Check::LedgerHouse, |book| {
        let at = (0..book.len()).find(|at| bets(&book[*at])).unwrap();
        from_nothing(&mut book[at], &Account::House, -50);
        at
    }),
    ("credits more than it was told to", Check::LedgerCage, |book| edit(book, |entry| matches!(entry.command, Command::Credit { .. }), |entry| {
        for line in lines(entry) {
            let more = if is_player(&line.0) { 7 } else { -7 };
            (line.1, line.2) = (line.1 + more, line.2 + more);
        }
    })),
    ("logs a credit and moves nothing", Check::LedgerCage, |book| edit(book, |entry| matches!(entry.command, Command::Credit { .. }), |entry| entry.events.clear())),
    ("states another balance before", Check::BalanceBefore, |book| edit(book, |entry| !entry.before.is_empty() && bets(entry), |entry| entry.before[0].1 = chips(5))),
    ("pays one unit more than the wager returned", Check::LedgerHouse, |book| edit(book, returns, |entry| {
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) { lines[0].ret = lines[0].ret.minus(chips(1)).unwrap(); }
        if let Event::RoundSettled { ret, .. } = event_mut(entry, |event| matches!(event, Event::RoundSettled { .. })) { *ret = ret.minus(chips(1)).unwrap(); }
    })),
    ("settles for another sum than its wagers", Check::Settlement, |book| edit(book, pays_out, |entry| {
        if let Event::RoundSettled { ret, .. } = event_mut(entry, |event| matches!(event, Event::RoundSettled { .. })) { *ret = ret.plus(chips(1)).unwrap(); }
    })),
    ("settles twice in one entry", Check::Posting, |book| edit(book, pays_out, |entry| {
        let again: Vec<Event> = entry.events.iter().filter(|event| matches!(event, Event::Posted { .. })).cloned().collect();
        entry.events.extend(again);
    })),
    ("leaves a unit on the table after a void", Check::State, |book| edit(book, |entry| voids(entry) && has(entry, |event| matches!(event, Event::Posted { .. })), |entry| {
        for line in lines(entry) {
            let more = if is_player(&line.0) { -1 } else { 1 };
            (line.1, line.2) = (line.1 + more, line.2 + more);
        }
    })),
    ("drops an entry of a table", Check::BalanceBefore, |book| {
        let at = find(book, bets);
        book.remove(at);
        (at..book.len()).find(|at| !book[*at].before.is_empty()).unwrap()
    }),
    ("drops an entry without money", Check::TableSeq, |book| {
        let at = find(book, |entry| matches!(entry.command, Command::CommitShoe { .. }));
        let table = book[at].at.as_ref().unwrap().table.clone();
        book.remove(at);
        (at..book.len()).find(|at| book[*at].at.as_ref().is_some_and(|at| at.table == table)).unwrap()
    }),
    ("drops a player's beginning", Check::BalanceBefore, |book| {
        let at = find(book, |entry| matches!(entry.command, Command::CreatePlayer { .. }));
        book.remove(at);
        (at..book.len()).find(|at| !book[*at].before.is_empty()).unwrap()
    }),
    ("makes a player again, with nothing", Check::State, |book| {
        let at = find(book, |entry| matches!(entry.command, Command::CreatePlayer { .. }));
        book.push(Entry { time: book.last().unwrap().time, ..book[at].clone() });
        book.len() - 1
    }),
    ("opens a table of a name that was used", Check::State, |book| {
        let at = find(book, |entry| matches!(entry.command, Command::OpenTable { .. }));
        book.push(Entry { time: book.last().unwrap().time, ..book[at].clone() });
        book.len() - 1
    }),
    ("lets time go back", Check::Time, |book| edit(book, deals, |entry| entry.time -= 10_000)),
    ("begins without a start", Check::FirstEntry, |book| { book.remove(0); 0 }),
    ("starts under another log's name", Check::Origin, |book| {
        let at = (1..book.len()).find(|at| matches!(book[*at].command, Command::StartDealer { .. })).unwrap();
        if let Command::StartDealer { origin, .. } = &mut book[at].command { *origin = "other.example/log".parse().unwrap(); }
        at
    }),
    ("files an entry under another table", Check::TableSeq, |book| edit(book, deals, |entry| {
        entry.at.as_mut().unwrap().table = table("elsewhere");
        entry.events.retain(|event| matches!(event, Event::SeedRevealed { .. }));
    })),
];

fn pays_out(entry: &Entry) -> bool {
    returns(entry) && has(entry, |event| matches!(event, Event::RoundSettled { .. }))
}

fn cage_before(book: &[Entry], at: usize) -> i64 {
    let mut lines = book[..at]
        .iter()
        .flat_map(|entry| &entry.events)
        .filter_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None })
        .flatten();
    lines.rfind(|line| line.0 == Account::Cage).unwrap().2
}

fn encoded(book: &[Entry]) -> Vec<Vec<u8>> {
    book.iter().map(|entry| entry.encode().unwrap()).collect()
}

#[test]
fn every_cheat_with_money_is_caught_and_named() {
    let honest = entries(&book(3, 120).log);
    for (name, check, change) in CHEATS {
        let mut book = honest.clone();
        let at = change(&mut book);
        let log = encoded(&book);
        let finding = ledger(&log).first_failure.unwrap_or_else(|| panic!("not caught: the house {name}"));
        assert_eq!((finding.check, finding.entry), (*check, Some(at as u64)), "the house {name}: {finding}");
        assert!(!finding.message.is_empty());
        // Nothing is found here that the whole audit lets pass.
        assert!(!audit(&log).is_sound(), "the whole audit passes: the house {name}");
    }
}

#[test]
fn after_a_finding_the_book_is_closed() {
    let house = book(4, 20);
    let mut book = LedgerBook::new(None);
    book.feed(0, &house.log[0]).unwrap();
    let found = book.feed(2, &house.log[2]).unwrap_err();
    assert_eq!(found.check, Check::EntryOrder);
    assert_eq!(book.feed(1, &house.log[1]).unwrap_err(), found);
    assert_eq!(book.finish().first_failure, Some(found));
}

#[test]
fn another_encoding_of_an_entry_is_refused() {
    let house = book(5, 20);
    let check = |at: usize, bytes: Vec<u8>| {
        let mut log = house.log[..=at].to_vec();
        log[at] = bytes;
        ledger(&log).first_failure.map(|finding| finding.check)
    };
    for (at, entry) in house.log.iter().enumerate().take(60) {
        let text = String::from_utf8(entry.clone()).unwrap();
        assert_eq!(check(at, entry.clone()), None);
        let other = [
            text.replacen(':', ": ", 1),
            text.replacen("{\"v\":1,", "{\"v\":1.0,", 1),
            text.replacen("\"time\":", "\"time\":0", 1),
            format!("{text} "),
            format!("{text}\n"),
            format!("{text}{text}"),
            text.replacen("\"by\"", "\"who\":\"x\",\"by\"", 1),
            text.replacen("{\"v\":1,", "{", 1),
            text.replacen("\"events\":[", "\"events\":[,", 1),
            text.trim_end_matches('}').to_owned(),
            text.replacen("command", "\\u0063ommand", 1),
        ];
        for other in other {
            assert_eq!(check(at, other.clone().into_bytes()), Some(Check::EntryForm), "{other}");
        }
        assert_eq!(check(at, vec![b' '; 65_536]), Some(Check::EntryForm));
    }
}

/// Whatever byte is changed: no panic, and nothing is called sound that another reading of the money would not.
#[test]
fn changed_bytes_never_panic_and_never_move_money_unseen() {
    let house = book(6, 30);
    let mut rng = Rng(17);
    let honest = ledger(&house.log).ledger;
    let mut caught = 0;
    for _ in 0..3_000 * effort() {
        let mut log = house.log.clone();
        let at = rng.below(log.len());
        let place = rng.below(log[at].len());
        log[at][place] ^= 1 << rng.below(8);
        let report = ledger(&log);
        match report.first_failure {
            Some(_) => caught += 1,
            // A changed name of a card, a hash, a deadline: the rules' business, and the tree's.
            None => {
                assert_eq!((report.ledger.players, report.ledger.house, report.ledger.cage), (honest.players, honest.house, honest.cage))
            }
        }
    }
    assert!(caught > 500, "{caught}");
}
