//! Players who sign: what is refused, what survives, and every way in which a signature could be used twice.

use crate::audit_common;
use crate::common;
mod waiting;

use audit_common::edit::*;
use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_fairness::Origin;
use fairshoe_games::{Action, Chips};
use fairshoe_house::{Actor, Command, Entry, Event, Nonce, PlayerKey, Reference, Signed};
use fairshoe_judge::audit::{Book, Check, Limits};
use fairshoe_judge::bundle::{Bundle, Soundness};
use fairshoe_judge::narrate;
use fairshoe_tlog::SecretKey;
use proptest::prelude::*;
use std::sync::OnceLock;

/// An operator's change of key waits so long.
const KEY_DELAY: u64 = 86_400_000;

fn set_key(who: &str, key: Option<PlayerKey>, reason: Option<&str>) -> Command {
    Command::SetKey { player: player(who), key, reason: reason.map(|text| Reference::parse(text).unwrap()) }
}

/// Alice has a key, bob has none; two solo tables.
fn house() -> House {
    let mut house = House::new();
    let key = house.pen("alice", 1);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key: Some(key) }).unwrap();
    house.credit("alice", 10_000).unwrap();
    house.add_player("bob", 10_000);
    for name in ["t1", "t2"] {
        house.open(name, &[]);
    }
    house
}

impl House {
    #[track_caller]
    fn expect(&self, by: &Actor, signed: Option<Signed>, command: &Command, code: &str) {
        let decided = self.state.decide_signed(self.dealer.as_ref(), self.now, by, signed.as_ref(), command);
        assert_eq!(refusal(decided).code(), code, "{command:?}");
    }
}

#[test]
fn who_has_a_key_signs_everything_and_nobody_else_does() {
    let mut house = house();
    let seed = house.wish("t1", "alice", |v| v[..2] == [5, 9] && v[2] == 6);
    let bet = house.bet_command("t1", "alice", 5, &seed);
    house.expect(&by("alice"), None, &bet, "signature_missing");
    let good = house.sign("alice", 1, &bet);
    house.expect(&by("bob"), Some(good), &house.bet_command("t1", "bob", 5, &seed), "no_key");
    house.expect(&Actor::Operator, Some(good), &set_key("alice", None, Some("x")), "no_key");
    house.expect(&Actor::House, Some(good), &Command::StopDealer {}, "no_key");
    house.give_signed(&by("alice"), Some(good), bet).unwrap();
    let reveal = house.reveal_command("t1", "alice", &seed);
    // By her it must be signed; by anyone it never is.
    house.expect(&by("alice"), None, &reveal, "signature_missing");
    house.expect(&Actor::Anyone, Some(house.sign("alice", 2, &reveal)), &reveal, "no_key");
    house.give(&Actor::Anyone, reveal).unwrap();
    for (who, command) in [
        ("alice", Command::IssueToken { holder: "player:alice".parse().unwrap(), revoke: true }),
        ("alice", Command::OpenTable { table: table("own"), rules: joy(&[]), replaces: None }),
        ("alice", Command::CloseTable { table: table("t1") }),
        ("alice", Command::AskToPlay { table: table("t1") }),
        ("alice", Command::LeaveSeat { table: table("t1") }),
        ("alice", Command::TakeSeat { table: table("t1"), seat: 1 }),
        ("alice", Command::CancelBet { table: table("t1"), round_no: 0 }),
        ("alice", house.act_command("t1", Action::Hit)),
        ("alice", set_key("alice", None, None)),
        // Even what is not hers to do: the signature is looked at first.
        ("alice", Command::CreatePlayer { player: player("carol"), key: None }),
    ] {
        house.expect(&by(who), None, &command, "signature_missing");
    }
    assert_eq!(house.state.last_nonce(&player("alice")), 1);
    let words = narrate(&entries(&house.log)[house.log.len() - 2])[0].clone();
    assert!(words.ends_with("alice stakes 5 on 1, signed with their key (nonce 1)"), "{words}");
}

#[test]
fn a_refused_command_uses_no_nonce_up() {
    let mut house = house();
    let early = Command::CancelBet { table: table("t1"), round_no: 0 };
    let signed = house.sign("alice", 5, &early);
    house.expect(&by("alice"), Some(signed), &early, "solo_table");
    let seed = house.any_seed("t1");
    let bet = house.bet_command("t1", "alice", 5, &seed);
    let signed = house.sign("alice", 1, &bet);
    house.give_signed(&by("alice"), Some(signed), bet).unwrap();
}

#[test]
fn a_signed_command_is_good_once_and_nowhere_else() {
    let mut house = house();
    let seed = house.any_seed("t1");
    let bet = house.bet_command("t1", "alice", 5, &seed);
    let signed = house.sign("alice", 3, &bet);
    house.give_signed(&by("alice"), Some(signed), bet.clone()).unwrap();
    house.reveal("t1", "alice", &seed).unwrap();
    house.finish("t1", "alice");
    house.run_due();
    let Command::Bet { round_no, bets, commitment, .. } = bet.clone() else { unreachable!() };
    assert_eq!(round_no, 0);
    let another = |name: &str, round_no| Command::Bet { table: table(name), round_no, bets: bets.clone(), commitment };
    // The same; the next round; another table; under a fresh nonce that was not signed.
    house.expect(&by("alice"), Some(signed), &bet, "nonce_used");
    house.expect(&by("alice"), Some(signed), &another("t1", 1), "nonce_used");
    let fresh = Signed { nonce: Nonce::new(1_000).unwrap(), ..signed };
    for command in [bet.clone(), another("t1", 1), another("t2", 0)] {
        house.expect(&by("alice"), Some(fresh), &command, "signature_wrong");
    }
    // For another log.
    let elsewhere = Origin::parse("fairshoe.example/log2").unwrap();
    let command = another("t1", 1);
    let nonce = Nonce::new(1_000).unwrap();
    let foreign = Signed::make(&house.pens["alice"], &elsewhere, &player("alice"), nonce, &command).unwrap();
    house.expect(&by("alice"), Some(foreign), &command, "signature_wrong");
    // In another's name, though both have the same key.
    let same = PlayerKey::from_bytes(house.pens["alice"].public_key());
    house.give(&by("bob"), set_key("bob", Some(same), None)).unwrap();
    house.expect(&by("bob"), Some(house.sign("alice", 1_000, &command)), &command, "signature_wrong");
    let good = house.sign("alice", 1_000, &command);
    house.give_signed(&by("alice"), Some(good), command).unwrap();
}

#[test]
fn nonces_outlive_keys_and_restarts() {
    let mut house = house();
    let first = house.pens["alice"].public_key();
    let token = Command::IssueToken { holder: "player:alice".parse().unwrap(), revoke: false };
    let before = house.sign("alice", 10, &token);
    house.give_signed(&by("alice"), Some(before), token.clone()).unwrap();
    let second = SecretKey::from_seed(&[2; 32]);
    let change = set_key("alice", Some(PlayerKey::from_bytes(second.public_key())), None);
    // With the new key it is not signed; with the old one it is.
    let origin = Origin::parse(ORIGIN).unwrap();
    let by_new = Signed::make(&second, &origin, &player("alice"), Nonce::new(11).unwrap(), &change).unwrap();
    house.expect(&by("alice"), Some(by_new), &change, "signature_wrong");
    house.give(&by("alice"), change).unwrap();
    house.expect(&by("alice"), Some(house.sign("alice", 12, &token)), &token, "signature_wrong");
    house.crash();
    house.run_due();
    assert_eq!(house.state.last_nonce(&player("alice")), 11);
    assert_eq!(house.fingerprint(), fingerprint(&fold(&house.log)));
    // Back to the first key: what it signed before stays used up.
    let back = set_key("alice", Some(PlayerKey::from_bytes(first)), None);
    let signed = Signed::make(&second, &origin, &player("alice"), Nonce::new(12).unwrap(), &back).unwrap();
    house.give_signed(&by("alice"), Some(signed), back).unwrap();
    house.expect(&by("alice"), Some(before), &token, "nonce_used");
    house.expect(&by("alice"), Some(house.sign("alice", 12, &token)), &token, "nonce_used");
    // Cleared and set again, too.
    house.give(&Actor::Operator, set_key("alice", None, Some("lost"))).unwrap();
    assert_eq!(house.state.key(&player("alice")), Some(PlayerKey::from_bytes(first)));
    house.now += KEY_DELAY;
    assert_eq!(house.state.key_at(&player("alice"), house.now), None);
    house.expect(&by("alice"), Some(house.sign("alice", 13, &token)), &token, "no_key");
    house.give_signed(&by("alice"), None, token.clone()).unwrap();
    house.give_signed(&by("alice"), None, set_key("alice", Some(PlayerKey::from_bytes(first)), None)).unwrap();
    house.expect(&by("alice"), Some(before), &token, "nonce_used");
    house.give(&by("alice"), token).unwrap();
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn keys_are_set_by_their_owner_or_by_the_operator_with_a_reason() {
    let mut house = house();
    let alices = Some(PlayerKey::from_bytes(house.pens["alice"].public_key()));
    let key = Some(house.pen("bob", 3));
    let weak = Some(PlayerKey::from_bytes([0; 32]));
    let operator = Actor::Operator;
    for (who, command, code) in [
        (&by("bob"), set_key("bob", key, Some("why")), "malformed"),
        (&by("bob"), set_key("bob", weak, None), "key_refused"),
        (&by("bob"), set_key("bob", None, None), "nothing_to_do"),
        (&by("bob"), set_key("alice", key, None), "not_allowed"),
        (&by("carol"), set_key("carol", key, None), "not_allowed"),
        (&Actor::Anyone, set_key("bob", key, None), "not_allowed"),
        (&Actor::House, set_key("bob", key, None), "not_allowed"),
        (&operator, set_key("bob", key, None), "malformed"),
        (&operator, set_key("carol", key, Some("why")), "unknown_player"),
        (&operator, set_key("alice", alices, Some("why")), "nothing_to_do"),
        (&operator, set_key("bob", None, Some("why")), "nothing_to_do"),
        (&operator, Command::CreatePlayer { player: player("carol"), key: weak }, "key_refused"),
    ] {
        house.expect(who, None, &command, code);
    }
    house.give(&by("bob"), set_key("bob", key, None)).unwrap();
    assert_eq!(house.state.key(&player("bob")), key);
    // Bob gives it up in person, signed.
    let entry = house.give(&by("bob"), set_key("bob", None, None)).unwrap();
    assert!(entry.signed.is_some() && house.state.key(&player("bob")).is_none());
    assert_eq!(narrate(&entry)[1], "  bob has no key");
    house.give(&operator, set_key("bob", key, Some("asked at the desk"))).unwrap();
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn an_entry_with_a_signature_has_one_encoding() {
    let mut house = house();
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 5, &seed).unwrap();
    let text = String::from_utf8(house.log.last().unwrap().clone()).unwrap();
    let start = text.find(",\"signed\":").unwrap();
    let end = text.find(",\"events\":").unwrap();
    assert!(text[..start].contains("\"command\":{"), "after the command, before the events");
    let signed = &text[start..end];
    assert!(Entry::decode(text.as_bytes()).is_ok());
    let digits = signed.split("\"signature\":\"").nth(1).unwrap().trim_end_matches(['"', '}']);
    for bad in [
        signed
            .to_uppercase()
            .replace("\"SIGNED\"", "\"signed\"")
            .replace("\"NONCE\"", "\"nonce\"")
            .replace("\"SIGNATURE\"", "\"signature\""),
        format!(",\"signed\":{{\"signature\":\"{digits}\",\"nonce\":1}}"),
        format!(",\"signed\":{{\"nonce\":0,\"signature\":\"{digits}\"}}"),
        format!(",\"signed\":{{\"nonce\":9007199254740992,\"signature\":\"{digits}\"}}"),
        format!(",\"signed\":{{\"nonce\":1,\"signature\":\"{}\"}}", &digits[2..]),
        format!(",\"signed\":{{\"nonce\":1,\"signature\":\"{digits}\",\"key\":1}}"),
        ",\"signed\":null".to_owned(),
    ] {
        assert!(Entry::decode(format!("{}{bad}{}", &text[..start], &text[end..]).as_bytes()).is_err(), "{bad}");
    }
}

/// A book of players with and without keys, who change them as they go.
fn signed_book(seed: u64, rounds: usize) -> House {
    let mut house = busy_house();
    let mut rng = Rng(seed);
    for (byte, who) in (1..).zip(["alice", "bob"]) {
        let key = house.pen(who, byte);
        house.give(&by(who), set_key(who, Some(key), None)).unwrap();
    }
    for turn in 0..rounds as u8 {
        play(&mut house, &mut rng, 1, true);
        match rng.below(8) {
            0 => {
                let new = SecretKey::from_seed(&[100 + turn; 32]);
                house
                    .give(&by("alice"), set_key("alice", Some(PlayerKey::from_bytes(new.public_key())), None))
                    .unwrap();
                house.pens.insert("alice".into(), new);
            }
            1 => {
                let (bob, now) = (player("bob"), house.now);
                let last = house.state.waiting_key(&bob, now).map_or(house.state.key_at(&bob, now), |(key, _)| key);
                let key =
                    if last.is_some() { None } else { Some(PlayerKey::from_bytes(house.pens["bob"].public_key())) };
                house.give(&Actor::Operator, set_key("bob", key, Some("desk"))).unwrap();
            }
            _ => {}
        }
    }
    house
}

fn honest() -> Vec<Entry> {
    static BOOK: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    entries(BOOK.get_or_init(|| signed_book(5, 60).log))
}

#[test]
fn an_honest_book_of_signers_is_sound_and_so_is_every_round_of_it() {
    let house = signed_book(7, 50);
    let report = audit(&house.log);
    assert_eq!(report.first_failure, None);
    let all = entries(&house.log);
    let signed = all.iter().filter(|entry| entry.signed.is_some()).count();
    assert!(
        signed > 40 && all.iter().any(|entry| matches!((&entry.by, entry.signed), (Actor::Player(_), None))),
        "{signed}"
    );
    let mut with_keys = 0;
    for name in TABLES {
        for round in 0..house.table(name).next_round {
            let bundle = bundle(&house, &house.log, &format!("{name}:{round}"));
            let verdict = verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
            assert!(verdict.verdict != Soundness::NotSound, "{name}:{round}: {}", verdict.story.join("\n"));
            with_keys += usize::from(bundle.context.iter().any(|proven| proven.entry.contains("\"key_set\"")));
        }
    }
    assert!(with_keys > 10, "{with_keys}");
}

/// What an auditor keeps between two looks at the log holds keys and nonces, too.
#[test]
fn a_kept_book_knows_the_keys_and_the_nonces() {
    let log = signed_book(11, 30).log;
    for stop in (1..log.len()).step_by(7) {
        let mut book = Book::new(Limits::default());
        (0..).zip(&log[..stop]).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        let text = serde_json::to_string(&book.keep().unwrap()).unwrap();
        let mut book = Book::go_on(text.as_bytes(), Limits::default()).unwrap();
        let mut rest = (stop as u64..).zip(&log[stop..]);
        assert!(rest.all(|(index, bytes)| book.feed(index, bytes).is_ok()));
        assert_eq!(book.finish().first_failure, None, "kept before entry {stop}");
        // The last signed command before that, once more under its old nonce.
        let Some(old) = entries(&log[..stop]).into_iter().rev().find(is_signed) else { continue };
        let mut again = old.clone();
        again.time = entries(&log[..stop]).last().unwrap().time;
        let mut book = Book::go_on(text.as_bytes(), Limits::default()).unwrap();
        if let Some(place) = &mut again.at {
            let here =
                entries(&log[..stop]).into_iter().filter_map(|e| e.at).rfind(|at| at.table == place.table).unwrap();
            place.seq = here.seq + 1;
        }
        let finding = book.feed(stop as u64, &again.encode().unwrap()).unwrap_err();
        assert!([Check::Signature, Check::Recovery].contains(&finding.check), "{finding}");
    }
}

fn is_signed(entry: &Entry) -> bool {
    entry.signed.is_some()
}

fn is_signed_bet(entry: &Entry) -> bool {
    is_signed(entry) && matches!(entry.command, Command::Bet { .. })
}

fn is_signed_act(entry: &Entry) -> bool {
    is_signed(entry) && matches!(entry.command, Command::Act { .. })
}

fn is_new_key(entry: &Entry) -> bool {
    is_signed(entry) && matches!(entry.command, Command::SetKey { .. })
}

/// The first signed entry of that player after a place.
fn next_of(book: &[Entry], at: usize, by: &Actor) -> usize {
    at + 1 + book[at + 1..].iter().position(|entry| entry.by == *by && is_signed(entry)).unwrap()
}

const CHEATS: &[(&str, Change)] = &[
    ("strips a signature", |book| edit(book, is_signed_bet, |entry| entry.signed = None)),
    ("strips the signature of an action", |book| edit(book, is_signed_act, |entry| entry.signed = None)),
    ("lets the key change without a signature", |book| edit(book, is_new_key, |entry| entry.signed = None)),
    ("changes the stake that was signed", |book| {
        edit(book, is_signed_bet, |entry| {
            if let Command::Bet { bets, .. } = &mut entry.command {
                bets[0].stake = bets[0].stake.plus(Chips::new(1).unwrap()).unwrap();
            }
        })
    }),
    ("changes the choice that was signed", |book| {
        edit(book, is_signed_act, |entry| {
            if let Command::Act { action, .. } = &mut entry.command {
                *action = if *action == Action::Stand { Action::Hit } else { Action::Stand };
            }
        })
    }),
    ("counts on in the player's name", |book| {
        edit(book, is_signed_act, |entry| {
            let signed = entry.signed.as_mut().unwrap();
            signed.nonce = Nonce::new(signed.nonce.get() + 1).unwrap();
        })
    }),
    ("turns a bit of a signature", |book| {
        edit(book, is_signed_act, |entry| {
            let signed = entry.signed.as_mut().unwrap();
            let mut bytes = *signed.signature.as_bytes();
            bytes[40] ^= 1;
            signed.signature = fairshoe_house::CommandSignature::from_bytes(bytes);
        })
    }),
    ("puts the last command's signature under the next", |book| {
        let first = find(book, is_signed_bet);
        let second = next_of(book, first, &book[first].by.clone());
        book[second].signed = book[first].signed;
        second
    }),
    ("puts the last command's signature under the next, with its own nonce", |book| {
        let first = find(book, is_signed_bet);
        let second = next_of(book, first, &book[first].by.clone());
        let nonce = book[second].signed.unwrap().nonce;
        book[second].signed = book[first].signed.map(|signed| Signed { nonce, ..signed });
        second
    }),
    ("plays an earlier bet of the player again in a later round", |book| {
        let first = find(book, is_signed_bet);
        let later =
            first + 1 + book[first + 1..].iter().position(|e| is_signed_bet(e) && e.by == book[first].by).unwrap();
        (book[later].command, book[later].signed) = (book[first].command.clone(), book[first].signed);
        if let (Command::Bet { table, .. }, Some(at)) = (&book[first].command.clone(), &mut book[later].at) {
            at.table = table.clone();
            let before =
                book[..later].iter().rev().find_map(|e| e.at.as_ref().filter(|at| at.table == *table)).unwrap().seq;
            book[later].at.as_mut().unwrap().seq = before + 1;
        }
        later
    }),
    ("signs with the key that was replaced", |book| {
        let change = find(book, |entry| is_new_key(entry) && entry.by == by("alice"));
        let next = next_of(book, change, &by("alice"));
        let Actor::Player(who) = &book[next].by else { unreachable!() };
        let (nonce, origin) = (book[next].signed.unwrap().nonce, Origin::parse(ORIGIN).unwrap());
        let old = SecretKey::from_seed(&[1; 32]);
        book[next].signed = Some(Signed::make(&old, &origin, who, nonce, &book[next].command).unwrap());
        next
    }),
    ("signs with a key of its own", |book| {
        let at = find(book, is_signed_act);
        let Actor::Player(who) = &book[at].by else { unreachable!() };
        let (nonce, origin) = (book[at].signed.unwrap().nonce, Origin::parse(ORIGIN).unwrap());
        book[at].signed =
            Some(Signed::make(&SecretKey::from_seed(&[99; 32]), &origin, who, nonce, &book[at].command).unwrap());
        at
    }),
    ("adorns a command of one without a key", |book| {
        let any = book[find(book, is_signed_bet)].signed;
        let at = book
            .iter()
            .position(|entry| entry.by == by("carol") && matches!(entry.command, Command::Bet { .. }))
            .unwrap();
        book[at].signed = any;
        at
    }),
    ("adorns a command of its own", |book| {
        let any = book[find(book, is_signed_bet)].signed;
        let at = find(book, |entry| entry.by == Actor::House && entry.at.is_some());
        book[at].signed = any;
        at
    }),
    ("signs in another player's name", |book| {
        let first = find(book, is_signed_bet);
        let other = if book[first].by == by("alice") { by("bob") } else { by("alice") };
        let at = book.iter().position(|entry| entry.by == other && is_signed_bet(entry)).unwrap();
        book[first].signed = book[at].signed;
        first
    }),
];

#[test]
fn every_cheat_with_signatures_is_caught_in_the_book() {
    for (name, change) in CHEATS {
        let mut book = honest();
        let at = change(&mut book);
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = failure(&log);
        assert_eq!((finding.check, finding.entry), (Check::Signature, Some(at as u64)), "{name}: {finding}");
    }
}

#[test]
fn every_cheat_with_signatures_at_a_table_is_caught_in_a_bundle() {
    let mut caught = 0;
    for (name, change) in CHEATS {
        let mut book = honest();
        let at = change(&mut book);
        let Some(place) = book[at].at.clone() else { continue };
        // Each entry stands on its own: what came after does not follow any more, and is left out.
        let log: Vec<Vec<u8>> = book[..=at].iter().map(|entry| entry.encode().unwrap()).collect();
        let round =
            book[..=at].iter().rev().filter(|e| e.at.as_ref().is_some_and(|p| p.table == place.table)).find_map(|e| {
                e.events.iter().find_map(|event| {
                    if let Event::BetsClosed { round_no, .. } = event { Some(*round_no) } else { None }
                })
            });
        let Some(round_no) = round else { continue };
        let house = House::unstarted();
        let mut house = House { state: fold(&log[..at]), ..house };
        house.log = log.clone();
        let bundle = bundle(&house, &log, &format!("{}:{round_no}", place.table));
        if !bundle.entries.iter().any(|proven| proven.index == at as u64) {
            continue;
        }
        let verdict = verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
        assert_eq!(verdict.verdict, Soundness::NotSound, "{name}");
        assert_eq!(verdict.findings[0].check, Check::Signature, "{name}: {}", verdict.story.join("\n"));
        caught += 1;
    }
    assert!(caught >= 11, "{caught}");
}

#[test]
fn a_bundle_shows_the_keys_that_its_entries_were_signed_with() {
    let mut house = house();
    let new = SecretKey::from_seed(&[9; 32]);
    let key = house.pen("bob", 3);
    // Set before the table's history, replaced within it; a key of one who does not play there is not in the bundle.
    house.give(&by("bob"), set_key("bob", Some(key), None)).unwrap();
    house.deal("t1", "alice", 5, |v| v[..2] == [5, 9] && v[2] == 6);
    house.act("t1", "alice", Action::Hit).unwrap();
    house.give(&by("alice"), set_key("alice", Some(PlayerKey::from_bytes(new.public_key())), None)).unwrap();
    house.pens.insert("alice".into(), new);
    house.finish("t1", "alice");
    house.run_due();
    let good = bundle(&house, &house.log, "t1:0");
    let key_entries = |bundle: &Bundle| -> Vec<usize> {
        let held = bundle.context.iter().enumerate().filter(|(_, proven)| proven.entry.contains("\"key_set\""));
        held.map(|(place, _)| place).collect()
    };
    let verdict = |bundle: &Bundle| verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
    let judged = verdict(&good);
    assert_eq!(judged.verdict, Soundness::Sound, "{}", judged.story.join("\n"));
    assert!(judged.story.iter().any(|line| line.contains("signed with their key (nonce 1)")));
    let keys = key_entries(&good);
    assert_eq!(keys.len(), 2);
    // Without the one, nobody could check; without the other, the old key is still in force.
    for place in keys {
        let mut less = good.clone();
        less.context.remove(place);
        assert_eq!(verdict(&less).findings[0].check, Check::Signature);
    }
    // A key set after everything, or an entry that sets none, does not belong there.
    let mut more = house.log.clone();
    house.give(&by("bob"), set_key("bob", None, None)).unwrap();
    more.push(house.log.last().unwrap().clone());
    for stranger in [more.len() as u64 - 1, 2] {
        let mut crowded = bundle(&house, &more, "t1:0");
        crowded.context.extend(prove(&more, &[(stranger, more[stranger as usize].clone())]));
        crowded.context.sort_by_key(|proven| proven.index);
        assert_eq!(verdict(&crowded).findings[0].check, Check::BundleContext);
    }
}

#[test]
fn a_key_entry_of_a_bundle_holds_what_was_asked_for() {
    let house = house();
    let log = &house.log;
    let at = find(&entries(log), |entry| has(entry, |event| matches!(event, Event::KeySet { .. })));
    let other = Some(PlayerKey::from_bytes(SecretKey::from_seed(&[50; 32]).public_key()));
    let changes: [fn(&mut Entry, Option<PlayerKey>); 5] = [
        |entry, other| {
            if let Event::KeySet { key, .. } = &mut entry.events[1] {
                *key = other;
            }
        },
        |entry, _| entry.by = Actor::House,
        |entry, _| entry.before = vec![(player("alice"), chips(0))],
        |entry, other| entry.events.push(Event::KeySet { player: player("bob"), key: other, from: None, old: None }),
        |entry, _| entry.events.reverse(),
    ];
    // The codes that a whole log's entry gets.
    let codes = [Check::EventOrder, Check::Refused, Check::BalanceBefore, Check::EventExtra, Check::EventOrder];
    for (change, code) in changes.into_iter().zip(codes) {
        let mut book = house.log.clone();
        let mut entry = entries(log)[at].clone();
        change(&mut entry, other);
        book[at] = entry.encode().unwrap();
        // The book goes on as if that had been the key.
        let mut cheated = House { state: fold(log), log: book.clone(), ..House::unstarted() };
        cheated.pen("alice", 1);
        cheated.deal("t1", "alice", 5, |_| true);
        let judged =
            verify(bundle(&cheated, &cheated.log, "t1:0").to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
        assert_eq!(judged.verdict, Soundness::NotSound);
        assert_eq!(judged.findings[0].check, code, "{}", judged.findings[0]);
    }
}

/// The verdict's check on the round `t1:0` of a log with one entry changed.
fn bundle_with(house: &House, at: usize, change: impl FnOnce(&mut Entry)) -> Option<Check> {
    let mut log = house.log.clone();
    let mut entry = entries(&log)[at].clone();
    change(&mut entry);
    log[at] = entry.encode().unwrap();
    let judged = verify(bundle(house, &log, "t1:0").to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
    judged.findings.first().map(|finding| finding.check)
}

#[test]
fn in_a_bundle_a_key_with_a_reason_is_the_operator_s_and_no_nonce_of_a_player_comes_again() {
    let other = Some(PlayerKey::from_bytes(SecretKey::from_seed(&[50; 32]).public_key()));
    // The operator's key waits while the round is played.
    let mut house = house();
    house.give(&Actor::Operator, set_key("alice", other, Some("lost"))).unwrap();
    let at = house.log.len() - 1;
    house.deal("t1", "alice", 5, |_| true);
    house.finish("t1", "alice");
    house.run_due();
    assert_eq!(bundle_with(&house, at, |_| {}), None);
    assert_eq!(bundle_with(&house, at, |entry| entry.by = Actor::House), Some(Check::Refused));
    // Her own is set in mid-round, under the nonce that comes after her bet's.
    let mut house = self::house();
    house.deal("t1", "alice", 5, |cards| cards[..2] == [5, 9] && cards[2] == 6);
    let new = SecretKey::from_seed(&[9; 32]);
    house.give(&by("alice"), set_key("alice", Some(PlayerKey::from_bytes(new.public_key())), None)).unwrap();
    house.pens.insert("alice".into(), new);
    let at = house.log.len() - 1;
    house.finish("t1", "alice");
    house.run_due();
    assert_eq!(bundle_with(&house, at, |_| {}), None);
    let again = |entry: &mut Entry| entry.signed.as_mut().unwrap().nonce = Nonce::new(1).unwrap();
    assert_eq!(bundle_with(&house, at, again), Some(Check::Signature));
}

#[test]
fn a_bundle_in_which_a_player_is_created_twice_is_not_sound() {
    let mut house = house();
    let at = find(&entries(&house.log), |entry| has(entry, |event| matches!(event, Event::KeySet { .. })));
    house.deal("t1", "alice", 5, |_| true);
    house.finish("t1", "alice");
    house.run_due();
    let good = bundle(&house, &house.log, "t1:0");
    let create = String::from_utf8(house.log[at].clone()).unwrap();
    let context = good.context.iter().flat_map(|proven| {
        let times = if proven.entry == create { 2 } else { 1 };
        std::iter::repeat_n((proven.entry.clone(), true), times)
    });
    let items: Vec<(String, bool)> =
        context.chain(good.entries.iter().map(|proven| (proven.entry.clone(), false))).collect();
    let judged = verify(resign(good, items.into_iter()).as_bytes(), Some(signer().verifier_key()));
    assert_eq!(judged.findings[0].check, Check::Refused, "{}", judged.findings[0]);
}

/// The bundle holds the opening, which its owner signed for this log, and of the starts only the later one.
#[test]
fn a_player_s_own_table_that_was_opened_before_a_start_is_judged_from_its_bundle() {
    let mut house = house();
    house.give(&by("alice"), Command::OpenTable { table: table("own"), rules: joy(&[]), replaces: None }).unwrap();
    house.crash();
    house.run_due();
    house.deal("own", "alice", 5, |_| true);
    house.finish("own", "alice");
    house.run_due();
    let good = bundle(&house, &house.log, "own:0");
    let opened = good.context.iter().find(|proven| proven.entry.contains("\"open_table\"")).unwrap();
    assert!(opened.entry.contains("\"signed\""));
    let starts = good.context.iter().filter(|proven| proven.entry.contains("\"start_dealer\""));
    assert_eq!(starts.map(|proven| proven.index > opened.index).collect::<Vec<_>>(), [true]);
    let verdict = verify(good.to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
}

#[test]
fn a_bundle_in_which_a_player_is_created_after_what_they_did_is_not_sound() {
    let mut house = House::shared("live-blackjack", &[("seats", "2"), ("boxes", "2")], &["alice", "bob", "dave"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_all("t1", &["alice"], 100);
    house.give(&by("dave"), Command::WantSeat { table: table("t1") }).unwrap();
    let key = house.pen("erin", 1);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("erin"), key: Some(key) }).unwrap();
    let at = house.log.len() - 1;
    house.now += MINUTE;
    house.run_due();
    let good = bundle(&house, &house.log, "t1:0");
    let judged = |who: &str| {
        let created = String::from_utf8(house.log[at].clone()).unwrap().replace("\"erin\"", &format!("\"{who}\""));
        let context = good.context.iter().map(|proven| (proven.index, proven.entry.clone(), true));
        let rest = good.entries.iter().map(|proven| (proven.index, proven.entry.clone(), false));
        let mut items: Vec<(u64, String, bool)> = context.chain(rest).chain([(at as u64, created, true)]).collect();
        items.sort();
        let items = items.into_iter().map(|(_, entry, in_context)| (entry, in_context));
        let judged = verify(resign(good.clone(), items).as_bytes(), Some(signer().verifier_key()));
        judged.findings.first().map(|finding| finding.check)
    };
    assert_eq!((judged("erin"), judged("dave")), (None, Some(Check::Refused)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24 * common::effort() as u32, ..ProptestConfig::default() })]

    /// Whatever single byte of a signed command or its signature changes, the signature does not hold.
    #[test]
    fn no_changed_byte_of_a_signed_entry_passes(place in any::<prop::sample::Index>(), xor in 1u8..=127) {
        let mut house = house();
        let seed = house.any_seed("t1");
        house.bet("t1", "alice", 5, &seed).unwrap();
        let bytes = house.log.pop().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let start = text.find("\"command\":").unwrap();
        let end = text.find(",\"events\":").unwrap();
        let mut changed = bytes.clone();
        changed[start + place.index(end - start)] ^= xor;
        let mut log = house.log.clone();
        log.push(changed);
        prop_assert!(audit(&log).first_failure.is_some());
    }
}
