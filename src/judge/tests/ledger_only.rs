//! The ledger alone: sound where the whole audit is, with the same sums; and every cheat with money is caught and
//! named.

use crate::audit_common;
use crate::common;

use audit_common::edit::*;
use audit_common::*;
use common::crowd::Crowd;
use common::rng::Rng;
use common::*;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Account, Command, Entry, Event, Line, PostingError};
use fairshoe_judge::audit::{Book, Check, LedgerBook, LedgerReport, Limits};
use std::path::{Path, PathBuf};

#[track_caller]
pub fn ledger(log: &[Vec<u8>]) -> LedgerReport {
    let mut book = LedgerBook::new(Some(ORIGIN.into()));
    for (index, bytes) in log.iter().enumerate() {
        if book.feed(index as u64, bytes).is_err() {
            break;
        }
    }
    let report = book.finish();
    both_add_up(log, report.first_failure.as_ref());
    report
}

/// Both audits are content and have added up the same.
pub fn agrees(log: &[Vec<u8>], which: &str) {
    let (whole, alone) = (audit(log), ledger(log));
    assert_eq!((&whole.first_failure, &alone.first_failure), (&None, &None), "{which}");
    assert_eq!(whole.ledger, alone.ledger, "{which}");
    assert_eq!(
        (whole.entries, whole.players, whole.tables, whole.last_time),
        (alone.entries, alone.players, alone.tables, alone.last_time)
    );
    assert_eq!((whole.settled, whole.voids.total), (alone.settled, alone.voided), "{which}");
    assert_eq!((whole.staked, whole.returned), (alone.staked, alone.returned), "{which}");
    assert_eq!(alone.entries as usize, log.len());
}

#[test]
fn a_rule_set_with_an_option_that_is_null_is_read() {
    let uncapped = r#"{"family":"holdem","hi_lo":false,"betting":{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":null}},"full_blind":true,"ante_layers":false}"#;
    let house = House::poker("holdem-limit", &[("hand", uncapped)], &["alice"]);
    assert!(house.log.iter().any(|bytes| String::from_utf8_lossy(bytes).contains(":null")));
    agrees(&house.log, "an uncapped limit");
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
    house.add_player("alice", 0);
    let amount = fairshoe_games::MAX_CHIPS / 2;
    for _ in 0..2_060 {
        house.credit("alice", amount).unwrap();
        house.withdraw("alice", amount).unwrap();
    }
    house.credit("alice", 5).unwrap();
    agrees(&house.log, "filled and emptied");
    let credited = i128::from(amount) * 2_060 + 5;
    assert_eq!(audit(&house.log).ledger.credited.value(), credited);
    assert!(credited > i128::from(i64::MAX));
}

/// The entries of a file of the specification's vectors.
fn vectors(path: &Path) -> Vec<String> {
    let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    vectors["entries"].as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().to_owned()).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors")
}

/// Wherever they are cut off, too; with the sums of the whole audit, which say of each account whether it holds
/// something.
#[test]
fn the_logs_of_the_specification_add_up() {
    let mut read = 0;
    for file in std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("entries-") {
            continue;
        }
        let log = vectors(&file);
        let mut whole = Book::new(Limits::default());
        for (index, entry) in (0..).zip(&log) {
            whole.feed(index, entry.as_bytes()).unwrap_or_else(|finding| panic!("{name}: {finding}"));
        }
        let report = whole.finish();
        assert_eq!(fed(&log).ledger, report.ledger, "{name}");
        let of_events = log.iter().any(|entry| entry.contains(r#""events":[{"tournament""#));
        assert_eq!(serde_json::to_value(&report).unwrap().get("events").is_some(), of_events, "{name}");
        for end in (1..=log.len()).step_by(1 + log.len() / 64) {
            let LedgerReport { ledger, first_failure, .. } = fed(&log[..end]);
            assert_eq!(first_failure, None, "{name}, cut off at {end}");
            let (accounts, told) = (ledger.accounts(), serde_json::to_value(&ledger).unwrap());
            assert_eq!(accounts.iter().map(|(_, sum)| sum).sum::<i64>(), 0, "{name}, cut off at {end}: {accounts:?}");
            for (account, sum) in
                [("tournaments", ledger.tournaments), ("transfers", ledger.transfers), ("wallet", ledger.wallet)]
            {
                let listed = accounts.iter().any(|(listed, _)| *listed == account);
                assert_eq!((listed, told.get(account).is_some()), (sum != 0, sum != 0), "{name}: {account}");
            }
            assert_eq!(told.get("play").is_some(), ledger.play != 0, "{name}");
        }
        read += log.len();
    }
    assert!(read > 5_000, "{read}");
}

/// A file of the vectors, its entry, what stands there, what stands there instead, and the check that finds it.
#[rustfmt::skip]
const IN_VECTORS: &[(&str, usize, &str, &str, Check)] = &[
    // Another sum goes to another log than the transfer says; and what is said of a log is what the command asks for.
    ("transfers", 16, r#""no":0,"player":"ann","amount":40"#, r#""no":0,"player":"ann","amount":39"#, Check::Posting),
    ("transfers", 16, r#"{"transferred_out":{"to":"fairshoe.example/a","no":0,"player":"ann","amount":40}}"#, r#"{"log_known":{"log":"fairshoe.example/a"}}"#, Check::State),
    // T$ for a seat are its entry's, or that and its fee.
    ("events", 569, r#""t_dollars":9000}"#, r#""t_dollars":8000}"#, Check::Payout),
];

#[test]
fn every_word_of_the_specifications_logs_that_moves_chips_elsewhere_counts() {
    for (file, at, from, to, check) in IN_VECTORS {
        let mut log = vectors(&folder().join(format!("entries-{file}.json")));
        assert!(log[*at].contains(from), "{from} in {}", log[*at]);
        log[*at] = log[*at].replacen(from, to, 1);
        // With the posting that it asks for.
        log[*at] = log[*at].replacen(r#"9000,9000],["house",1000,4920]"#, r#"8000,8000],["house",2000,5920]"#, 1);
        let finding = fed(&log[..=*at]).first_failure.unwrap_or_else(|| panic!("not caught: {to} for {from}"));
        assert_eq!((finding.check, finding.entry), (*check, Some(*at as u64)), "{to} for {from}: {finding}");
    }
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
    plays(entry).any(|play| matches!(play, RoundEvent::Paid { lines } if lines[0].returned.units() > 0))
}

/// Gives `player` chips in an entry where none may come.
fn from_nothing(entry: &mut Entry, from: &Account, balance_after: i64) {
    let Line(player, _, had) = lines(entry)[0].clone();
    entry
        .events
        .push(Event::Posted { lines: vec![Line(from.clone(), -50, balance_after), Line(player, 50, had + 50)] });
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
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) { lines[0].returned = lines[0].returned.minus(chips(1)).unwrap(); }
        if let Event::RoundSettled { returned, players, .. } = event_mut(entry, |event| matches!(event, Event::RoundSettled { .. })) {
            *returned = returned.minus(chips(1)).unwrap();
            let paid = players.iter_mut().find(|one| one.returned > chips(0)).unwrap();
            paid.returned = paid.returned.minus(chips(1)).unwrap();
        }
    })),
    ("settles for another sum than its wagers", Check::Settlement, |book| edit(book, pays_out, |entry| {
        if let Event::RoundSettled { returned, .. } = event_mut(entry, |event| matches!(event, Event::RoundSettled { .. })) { *returned = returned.plus(chips(1)).unwrap(); }
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
        let report = ledger(&log);
        both_always_add_up(&log, report.first_failure.as_ref());
        let finding = report.first_failure.unwrap_or_else(|| panic!("not caught: the house {name}"));
        assert_eq!((finding.check, finding.entry), (*check, Some(at as u64)), "the house {name}: {finding}");
        assert!(!finding.message.is_empty());
        // Nothing is found here that the whole audit lets pass.
        assert!(!audit(&log).is_sound(), "the whole audit passes: the house {name}");
    }
    both_refused_by(&[Check::LedgerTotal, Check::LedgerCage, Check::LedgerHouse, Check::Settlement]);
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
                assert_eq!(
                    (report.ledger.players, report.ledger.house, report.ledger.cage),
                    (honest.players, honest.house, honest.cage)
                )
            }
        }
    }
    assert!(caught > 500, "{caught}");
}

/// An entry as it is spelt: `at` is its table and its number there.
fn spelt(at: &str, command: &str, events: &str) -> String {
    let place = at
        .split_once(' ')
        .map(|(table, seq)| format!(r#","at":{{"table":"{table}","seq":{seq}}}"#))
        .unwrap_or_default();
    format!(r#"{{"v":1,"time":7,"by":"house"{place},"command":{{{command}}},"events":[{events}]}}"#)
}

/// A log written by hand: two players, a hand of poker with a rake and chips that nobody called, a round at a table
/// with a house, a void after which something stays paid, a correction and a withdrawal. Every sum in it is another
/// number.
fn by_hand() -> Vec<String> {
    let posted = |lines: &str| format!(r#"{{"posted":{{"lines":[{lines}]}}}}"#);
    let created = |name: &str| format!(r#"{{"player_created":{{"player":"{name}"}}}}"#);
    let paid = |stake: u64, returned: u64| {
        format!(
            r#"{{"play":{{"paid":{{"lines":[{{"player":"a","place":"1","wager":"main","outcome":"win","stake":{stake},"returned":{returned}}}]}}}}}}"#
        )
    };
    let hand = concat!(
        r#"{"play":{"poker":{"settled":{"pots":[{"amount":20,"rake":2,"seats":[1,255],"won":[{"seat":1,"amount":11},"#,
        r#"{"seat":255,"amount":7,"low":true}]}],"uncalled":{"seat":1,"amount":10},"seats":[{"seat":1,"player":"a","put_in":20,"got":21,"#,
        r#""stack":51},{"seat":255,"player":"b","put_in":10,"got":7,"stack":47}]}}}},"#,
    );
    let settled = |no: u64, staked: u64, returned: u64| {
        let players = format!(r#"[{{"player":"a","staked":{staked},"returned":{returned}}}]"#);
        format!(
            r#"{{"round_settled":{{"round_no":{no},"staked":{staked},"returned":{returned},"players":{players}}}}}"#
        )
    };
    let voided = r#"{"round_voided":{"round_no":2,"cause":"crash","missing":[],"ahead":"level","players":[{"player":"a","staked":30,"returned":35}],"refunds":1,"kept":[{"player":"a","amount":5}],"standing":[]}}"#;
    vec![
        spelt("", r#""start_dealer":{"origin":"o.example/log","epoch":1}"#, ""),
        spelt("", r#""create_player":{"player":"a"}"#, &created("a")),
        spelt("", r#""create_player":{"player":"b"}"#, &created("b")),
        spelt("", r#""credit":{"player":"a","amount":100}"#, &posted(r#"["cage",-100,-100],["player:a",100,100]"#)),
        spelt(
            "",
            r#""credit":{"player":"b","amount":200,"reference":"x"}"#,
            &posted(r#"["cage",-200,-300],["player:b",200,200]"#),
        ),
        spelt("t 0", r#""open_table":{"table":"t"}"#, r#"{"table_opened":{"digest":"x"}}"#),
        spelt("t 1", r#""sit":{}"#, &posted(r#"["player:a",-50,50],["seat:t/1",50,50]"#)),
        spelt("t 2", r#""sit":{}"#, &posted(r#"["player:b",-50,150],["seat:t/255",50,50]"#)),
        spelt("t 3", r#""post":{}"#, &posted(r#"["seat:t/1",-20,30],["table:t",20,20]"#)),
        spelt("t 4", r#""post":{}"#, &posted(r#"["seat:t/255",-10,40],["table:t",10,30]"#)),
        spelt(
            "t 5",
            r#""act":{}"#,
            &(hand.to_owned()
                + &posted(r#"["table:t",-30,0],["rake",2,2],["seat:t/1",21,51],["seat:t/255",7,47]"#)
                + ","
                + &settled(0, 30, 28)),
        ),
        spelt("t 6", r#""leave":{}"#, &posted(r#"["seat:t/1",-51,0],["player:a",51,101]"#)),
        spelt("t 7", r#""leave":{}"#, &posted(r#"["seat:t/255",-47,0],["player:b",47,197]"#)),
        spelt("t 8", r#""close_table":{}"#, r#"{"table_closed":{}}"#),
        spelt("u 0", r#""open_table":{"table":"u"}"#, r#"{"table_opened":{"digest":"x"}}"#),
        spelt("u 1", r#""bet":{}"#, &posted(r#"["player:a",-10,91],["table:u",10,10]"#)),
        spelt(
            "u 2",
            r#""act":{}"#,
            &(paid(10, 4)
                + ","
                + &posted(r#"["table:u",-10,0],["player:a",4,95],["house",6,6]"#)
                + ","
                + &settled(0, 10, 4)),
        ),
        spelt("u 3", r#""bet":{}"#, &posted(r#"["player:a",-30,65],["table:u",30,30]"#)),
        spelt("u 4", r#""act":{}"#, &(paid(0, 5) + "," + &posted(r#"["player:a",5,70],["house",-5,1]"#))),
        spelt("u 5", r#""void_round":{}"#, &(posted(r#"["table:u",-30,0],["player:a",30,100]"#) + "," + voided)),
        spelt(
            "",
            r#""correct":{"player":"a","amount":3,"reason":"x"}"#,
            &posted(r#"["player:a",-3,97],["house",3,4]"#),
        ),
        spelt("", r#""withdraw":{"player":"b","amount":17}"#, &posted(r#"["player:b",-17,180],["cage",17,-283]"#)),
        spelt("u 6", r#""bet":{}"#, &posted(r#"["player:a",-8,89],["table:u",8,8]"#)).replacen(
            r#","command""#,
            r#","before":[["a",97],["b",180]],"command""#,
            1,
        ),
    ]
}

#[track_caller]
fn fed(log: &[String]) -> LedgerReport {
    let bytes: Vec<Vec<u8>> = log.iter().map(|entry| entry.clone().into_bytes()).collect();
    let mut book = LedgerBook::new(None);
    let _ = (0..).zip(&bytes).try_for_each(|(index, bytes)| book.feed(index, bytes));
    let report = book.finish();
    both_add_up(&bytes, report.first_failure.as_ref());
    report
}

#[test]
fn a_log_written_by_hand_adds_up_to_the_last_chip_after_every_entry() {
    let log = by_hand();
    for end in 0..=log.len() {
        let report = fed(&log[..end]);
        assert_eq!((report.first_failure, report.entries), (None, end as u64), "after {end} entries");
    }
    let LedgerReport { last_time, players, tables, postings, settled, voided, staked, returned, ledger, .. } =
        fed(&log);
    assert_eq!((last_time, players, tables, postings), (7, 2, 2, 17));
    assert_eq!((settled, voided, staked, returned), (2, 1, 40.into(), 32.into()));
    assert_eq!(
        (ledger.players, ledger.tables, ledger.seats, ledger.rake, ledger.house, ledger.cage),
        (269, 8, 0, 2, 4, -283)
    );
    assert_eq!((ledger.credited, ledger.withdrawn, ledger.corrected), (300.into(), 17.into(), 3.into()));
    let in_play = fed(&log[..10]).ledger;
    assert_eq!((in_play.players, in_play.tables, in_play.seats), (200, 30, 70));
}

/// Entry, what stands there, what stands there instead, and the check that finds it at that entry.
#[rustfmt::skip]
const BY_HAND: &[(usize, &str, &str, Check)] = &[
    (0, r#""v":1"#, r#""v":2"#, Check::EntryForm),
    (0, r#""time":7"#, r#""time":4503599627370496"#, Check::EntryForm),
    (1, r#""time":7"#, r#""time":6"#, Check::Time),
    (0, "start_dealer", "stop_dealer", Check::FirstEntry),
    (2, r#""player_created":{"player":"b"}"#, r#""player_created":{"player":"a"}"#, Check::State),
    // One spelling of an account.
    (6, "seat:t/1", "seat:t/01", Check::Posting), (6, "seat:t/1", "seat:t/+1", Check::Posting), (6, "seat:t/1", "seat:t/0", Check::Posting),
    (6, "seat:t/1", "seat:t/256", Check::Posting), (6, "seat:t/1", "seat:t", Check::Posting), (6, "seat:t/1", "seat:u/1", Check::Posting),
    (3, r#""cage",-100"#, r#""Cage",-100"#, Check::Posting), (10, r#""rake",2"#, r#""rakes",2"#, Check::Posting),
    // Only the house and the cage may owe.
    (6, r#"-50,50],["seat:t/1",50,50"#, r#"-101,-1],["seat:t/1",101,101"#, Check::Posting),
    (8, r#"-20,30],["table:t",20,20"#, r#"-51,-1],["table:t",51,51"#, Check::Posting),
    (9, r#"["seat:t/255",-10,40],["table:t",10,30"#, r#"["table:t",-21,-1],["seat:t/255",21,71"#, Check::Posting),
    (10, r#"["rake",2,2],["seat:t/1",21,51]"#, r#"["rake",-1,-1],["seat:t/1",24,54]"#, Check::Posting),
    (3, r#"["cage",-100,-100],["player:a",100,100]"#, r#"["cage",100,100],["player:a",-100,-100]"#, Check::Posting),
    // No balance leaves the range.
    (3, r#"["cage",-100,-100],["player:a",100,100]"#, r#"["house",9007199254740991,9007199254740991],["cage",-9007199254740991,-9007199254740991],["house",1,9007199254740991]"#, Check::Posting),
    // A hand of poker: pots are shares and rake, what was put in lies in pots or went back.
    (10, r#""seat":1,"amount":11"#, r#""seat":1,"amount":12"#, Check::Payout), (10, r#""amount":20,"rake":2"#, r#""amount":20,"rake":1"#, Check::Payout),
    (10, r#""amount":20,"rake":2"#, r#""amount":21,"rake":3"#, Check::Payout), (10, r#""uncalled":{"seat":1,"amount":10"#, r#""uncalled":{"seat":1,"amount":9"#, Check::Payout),
    (10, r#""put_in":20"#, r#""put_in":21"#, Check::Payout), (10, r#""got":21"#, r#""got":22"#, Check::Payout), (10, r#""put_in":10"#, r#""put_in":9"#, Check::Payout),
    (10, r#"["rake",2,2],["seat:t/1",21,51]"#, r#"["rake",1,1],["seat:t/1",22,52]"#, Check::Settlement),
    (10, r#"["table:t",-30,0],["rake",2,2],["seat:t/1",21,51]"#, r#"["table:t",-29,1],["rake",2,2],["seat:t/1",20,50]"#, Check::State),
    (10, r#""staked":30"#, r#""staked":31"#, Check::Settlement), (10, r#""returned":28"#, r#""returned":27"#, Check::Settlement),
    // A table that is closed has no chips, and no more entries.
    (11, r#"{"posted":{"lines":[["seat:t/1",-51,0],["player:a",51,101]]}}"#, r#"{"table_closed":{}}"#, Check::State),
    (9, r#"{"posted":{"lines":[["seat:t/255",-10,40],["table:t",10,30]]}}"#, r#"{"table_closed":{}}"#, Check::State),
    (9, r#"{"posted":{"lines":[["seat:t/255",-10,40],["table:t",10,30]]}}"#, r#"{"bets_lapsed":{}}"#, Check::State),
    (14, r#""table":"u","seq":0"#, r#""table":"t","seq":9"#, Check::State), (15, r#""table":"u","seq":1"#, r#""table":"t","seq":9"#, Check::Posting),
    (13, r#""seq":8"#, r#""seq":9"#, Check::TableSeq), (13, r#""seq":8"#, r#""seq":7"#, Check::TableSeq),
    (14, r#"{"table_opened":{"digest":"x"}}"#, r#"{"table_opened":{"digest":"x"}},{"table_opened":{"digest":"x"}}"#, Check::State),
    (14, r#","at":{"table":"u","seq":0}"#, "", Check::TableSeq),
    // Nothing is paid and nothing ends at no table.
    (16, r#","at":{"table":"u","seq":2}"#, "", Check::State),
    (20, r#"{"posted""#, r#"{"play":{"poker":{"settled":{"pots":[],"seats":[]}}}},{"posted""#, Check::State),
    (20, r#"{"posted""#, r#"{"round_settled":{"round_no":0,"staked":0,"returned":0,"players":[]}},{"posted""#, Check::State),
    (20, r#"{"posted""#, r#"{"round_voided":{"round_no":0,"cause":"crash","missing":[],"ahead":"level","players":[]}},{"posted""#, Check::State),
    // The house gains what the wagers, the void, and the operator's word give it.
    (16, r#"["player:a",4,95],["house",6,6]"#, r#"["player:a",5,96],["house",5,5]"#, Check::LedgerHouse), (16, r#""stake":10,"returned":4"#, r#""stake":9,"returned":4"#, Check::Settlement),
    (18, r#"["player:a",5,70],["house",-5,1]"#, r#"["player:a",4,69],["house",-4,2]"#, Check::LedgerHouse),
    (19, r#""amount":5}"#, r#""amount":4}"#, Check::LedgerHouse), (19, r#","kept":[{"player":"a","amount":5}]"#, "", Check::LedgerHouse),
    (20, r#""amount":3"#, r#""amount":2"#, Check::LedgerHouse), (20, r#""amount":3"#, r#""amount":-3"#, Check::LedgerHouse),
    // What only tournaments have moves in their entries.
    (20, r#"["house",3,4]"#, r#"["tickets",3,3]"#, Check::Posting),
    (21, r#""amount":17"#, r#""amount":16"#, Check::LedgerCage), (4, r#""amount":200"#, r#""amount":201"#, Check::LedgerCage),
    (21, r#"["player:b",-17,180],["cage",17,-283]"#, r#"["player:b",-17,180],["cage",16,-284]"#, Check::LedgerTotal),
    (22, r#"["a",97]"#, r#"["a",98]"#, Check::BalanceBefore), (22, r#"["b",180]"#, r#"["b",179]"#, Check::BalanceBefore), (22, r#"["b",180]"#, r#"["c",0]"#, Check::BalanceBefore),
    // What a round was to its players is what it was.
    (10, r#""player":"a","staked":30"#, r#""player":"a","staked":29"#, Check::Settlement), (16, r#""staked":10,"returned":4}]"#, r#""staked":10,"returned":5}]"#, Check::Settlement),
    (16, r#""returned":4}]"#, r#""returned":4}}]"#, Check::EntryForm), (19, r#""staked":30,"returned":35"#, r#""staked":30,"get":35"#, Check::EntryForm),
    // Its one encoding.
    (20, r#","reason":"x""#, r#","reason":"x","#, Check::EntryForm), (4, r#","reference":"x""#, r#","reference""#, Check::EntryForm), (19, r#""refunds":1"#, r#""refunds":01"#, Check::EntryForm),
];

#[test]
fn every_word_of_a_log_written_by_hand_counts() {
    let honest = by_hand();
    for (at, from, to, check) in BY_HAND {
        let mut log = honest.clone();
        assert!(log[*at].contains(from), "{from} in {}", log[*at]);
        log[*at] = log[*at].replacen(from, to, 1);
        let finding = fed(&log).first_failure.unwrap_or_else(|| panic!("not caught: {to} for {from}"));
        assert_eq!((finding.check, finding.entry), (*check, Some(*at as u64)), "{to} for {from}: {finding}");
    }
}

/// The words of a finding say which way it is wrong.
#[test]
fn a_finding_says_what_is_missing_and_what_is_too_much() {
    let says = |at: usize, from: &str, to: &str| {
        let mut log = by_hand();
        log[at] = log[at].replacen(from, to, 1);
        fed(&log).first_failure.unwrap().message
    };
    for (from, to, words) in [
        (
            r#""seq":8"#,
            r#""seq":9"#,
            "the entry is number 9 of table t, number 8 comes next: entries before it are missing",
        ),
        (
            r#""seq":8"#,
            r#""seq":7"#,
            "the entry is number 7 of table t, number 8 comes next: its place is taken already",
        ),
    ] {
        assert_eq!(says(13, from, to), words);
    }
    let sum = says(3, r#"["cage",-100,-100]"#, r#"["cage",-103,-103]"#);
    assert_eq!(sum, PostingError::Unbalanced(-3).to_string());
}

/// A table that is closed stays closed.
#[test]
fn nothing_more_happens_at_a_table_that_was_closed() {
    let mut log = by_hand();
    log.truncate(14);
    log.push(spelt("t 9", r#""sit":{}"#, ""));
    let finding = fed(&log).first_failure.unwrap();
    assert_eq!(
        (finding.check, finding.entry, finding.message.as_str()),
        (Check::TableSeq, Some(14), "there is no open table t")
    );
}

/// What holds at its very border, on both sides.
#[test]
fn borders_belong_to_what_is_allowed() {
    let start = |by: usize, origin: &str| {
        let text = spelt("", &format!(r#""start_dealer":{{"origin":"{origin}","epoch":1}}"#), "");
        text.replacen(r#""by":"house""#, &format!(r#""by":"{}""#, "x".repeat(by)), 1)
    };
    let room = 65_535 - start(0, "o").len();
    let found = |entry: &str| fed(&[entry.to_owned()]).first_failure.map(|finding| (finding.check, finding.message));
    assert_eq!(found(&start(room, "o")), None);
    let (check, message) = found(&start(room + 1, "o")).unwrap();
    assert_eq!((check, message.as_str()), (Check::EntryForm, "an entry is at most 65535 bytes, not 65536"));
    assert_eq!(found(&start(1, "o").replacen(r#""time":7"#, r#""time":4503599627370495"#, 1)), None);
    let (check, message) = found("{\"v\":1,\"time\":x").unwrap();
    assert_eq!(
        (check, message.as_str()),
        (Check::EntryForm, "not an entry in its one encoding: byte 14 should begin a whole number")
    );
    // A name with a quote and a backslash is escaped in the log, and is the same name.
    let named = |known: &str, origin: &str| {
        LedgerBook::new(Some(known.into())).feed(0, start(1, origin).as_bytes()).map_err(|finding| finding.check)
    };
    assert_eq!(named(r#"o"\x"#, r#"o\"\\x"#), Ok(()));
    assert_eq!((named("ox", r#"o\"x"#), named("o", "p")), (Err(Check::Origin), Err(Check::Origin)));
    // The largest balance there is, on either side of nothing.
    let most = "9007199254740991";
    let mut log = by_hand();
    log.truncate(3);
    log.push(spelt(
        "",
        &format!(r#""credit":{{"player":"a","amount":{most}}}"#),
        &format!(r#"{{"posted":{{"lines":[["cage",-{most},-{most}],["player:a",{most},{most}]]}}}}"#),
    ));
    assert_eq!(fed(&log).first_failure, None);
    log.push(spelt(
        "",
        r#""credit":{"player":"b","amount":1}"#,
        r#"{"posted":{"lines":[["cage",-1,-9007199254740991],["player:b",1,1]]}}"#,
    ));
    assert_eq!(fed(&log).first_failure.map(|finding| finding.check), Some(Check::Posting));
}
