//! A log whose players sign, and for each command that a player can give the bytes that they sign; spec/entries.md,
//! "Signed commands". The secret keys are public.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::{Writer, hex};
use crate::common::*;
use fairshoe_fairness::{Origin, SeedCommitment};
use fairshoe_games::{Action, Bet};
use fairshoe_house::{
    Actor, Command, LimitOf, LimitPeriod, Nonce, PlayerKey, Reference, SeenCheckpoint, Signed, signed_text,
};
use fairshoe_tlog::{PublicKey, SecretKey};
use serde_json::{Value, json};

pub const FILE: &str = "player-keys.json";

/// Whose secret key is which byte, 32 times.
const PENS: [(&str, u8); 5] = [("alice", 0xa1), ("alice", 0xa2), ("bob", 0xb1), ("bob", 0xb2), ("carol", 0xc1)];

fn set_key(who: &str, key: Option<PlayerKey>, reason: Option<&str>) -> Command {
    Command::SetKey { player: player(who), key, reason: reason.map(|text| Reference::parse(text).unwrap()) }
}

fn withdraw(who: &str, amount: u64) -> Command {
    Command::Withdraw { player: player(who), amount: chips(amount), reference: None }
}

/// An operator's change of key waits for a day.
const KEY_DELAY: u64 = 24 * 3_600_000;

fn round(w: &mut Writer, who: &str, name: &str) {
    let seed = w.house.any_seed(name);
    w.tick().bet(name, who, 7, &seed).unwrap();
    w.tick().reveal(name, who, &seed).unwrap();
    w.house.finish(name, who);
    w.duties();
}

fn write() -> Writer {
    let mut w = Writer::new();
    let operator = Actor::Operator;
    w.house.start().unwrap();
    let first = w.house.pen("alice", PENS[0].1);
    let weak = PlayerKey::from_bytes([0; 32]);
    w.refuse(&operator, Command::CreatePlayer { player: player("alice"), key: Some(weak) });
    w.tick().give(&operator, Command::CreatePlayer { player: player("alice"), key: Some(first) }).unwrap();
    for who in ["bob", "carol"] {
        w.tick().add_player(who, 0);
    }
    for who in ["alice", "bob", "carol"] {
        w.tick().credit(who, 1_000).unwrap();
    }
    w.tick().give(&operator, Command::OpenTable { table: table("t1"), rules: joy(&[]), replaces: None }).unwrap();
    w.duties();

    // Round 0: alice signs. What is not signed, or not so, is refused; so is a signature of one who has no key.
    let seed = w.house.wish("t1", "alice", |v| v[..2] == [5, 9] && v[2] == 6);
    let bet = w.house.bet_command("t1", "alice", 7, &seed);
    w.refuse(&by("alice"), bet.clone());
    let good = w.house.sign("alice", 2, &bet);
    let Command::Bet { table: at, round_no, commitment, .. } = bet.clone() else { unreachable!() };
    let more = Command::Bet {
        table: at,
        round_no,
        bets: vec![Bet { spot: "1".into(), stake: chips(70), chips: None }],
        commitment,
    };
    w.refuse_signed(&by("alice"), Some(good), more);
    w.refuse_signed(&by("alice"), Some(Signed { nonce: Nonce::new(3).unwrap(), ..good }), bet.clone());
    w.refuse_signed(&operator, Some(good), Command::OpenTable { table: table("t2"), rules: joy(&[]), replaces: None });
    w.house.pen("carol", PENS[4].1);
    let hers = w.house.bet_command("t1", "carol", 7, &seed);
    let unwanted = w.house.sign("carol", 1, &hers);
    w.refuse_signed(&by("carol"), Some(unwanted), hers);
    w.tick().give_signed(&by("alice"), Some(good), bet.clone()).unwrap();
    w.refuse_signed(&by("alice"), Some(good), bet.clone());
    w.tick().reveal("t1", "alice", &seed).unwrap();
    let hit = w.house.act_command("t1", Action::Hit);
    w.refuse(&by("alice"), hit.clone());
    let hits = w.house.sign("alice", 7, &hit);
    w.tick().give_signed(&by("alice"), Some(hits), hit).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
    // Round 1: the signed bet of round 0 again; alice reveals in her own name, and signs what she saw.
    w.refuse_signed(&by("alice"), Some(good), bet);
    let seed = w.house.any_seed("t1");
    w.tick().bet("t1", "alice", 7, &seed).unwrap();
    let Command::Reveal { table: at, round_no, player: who, seed, .. } = w.house.reveal_command("t1", "alice", &seed)
    else {
        unreachable!()
    };
    let saw = Some(SeenCheckpoint { size: w.house.log.len() as u64, root: format!("{}=", "A".repeat(43)) });
    let reveal = Command::Reveal { table: at, round_no, player: who, seed, saw, next: None };
    w.refuse(&by("alice"), reveal.clone());
    w.tick().give(&by("alice"), reveal).unwrap();
    w.house.finish("t1", "alice");
    w.duties();
    // A new key, signed with the old one, which is worth nothing from then on; a token, a table of her own.
    let second = SecretKey::from_seed(&[PENS[1].1; 32]);
    let change = set_key("alice", Some(PlayerKey::from_bytes(second.public_key())), None);
    w.refuse(&by("alice"), change.clone());
    w.refuse(&by("bob"), change.clone());
    w.tick().give(&by("alice"), change).unwrap();
    let next = w.house.state.last_nonce(&player("alice")) + 1;
    let token = Command::IssueToken { holder: "player:alice".parse().unwrap(), revoke: true };
    let old = w.house.sign("alice", next, &token);
    w.refuse_signed(&by("alice"), Some(old), token.clone());
    w.house.pen("alice", PENS[1].1);
    w.tick().give(&by("alice"), token).unwrap();
    w.tick().give(&by("alice"), Command::OpenTable { table: table("own"), rules: joy(&[]), replaces: None }).unwrap();
    w.duties();
    round(&mut w, "alice", "own");
    // Bob sets a key by token; after a restart nonces go on; the operator replaces the key, then clears it.
    let his = w.house.pen("bob", PENS[2].1);
    w.refuse(&by("bob"), set_key("bob", Some(his), Some("why")));
    w.refuse(&by("bob"), set_key("bob", Some(weak), None));
    w.refuse(&by("bob"), set_key("bob", None, None));
    w.tick().give(&by("bob"), set_key("bob", Some(his), None)).unwrap();
    round(&mut w, "bob", "t1");
    w.tick().crash();
    w.duties();
    let seed = w.house.any_seed("t1");
    let bet = w.house.bet_command("t1", "bob", 7, &seed);
    let used = w.house.sign("bob", w.house.state.last_nonce(&player("bob")), &bet);
    w.refuse_signed(&by("bob"), Some(used), bet);
    let his = w.house.pen("bob", PENS[3].1);
    w.refuse(&operator, set_key("bob", Some(his), None));
    w.tick().give(&by("alice"), Command::CloseTable { table: table("own") }).unwrap();
    w.tick().give(&operator, set_key("bob", Some(his), Some("key lost"))).unwrap();
    let changed = w.house.now;
    w.refuse(&operator, set_key("bob", Some(his), Some("key lost")));
    // For a day the key before it is in force, and chips go out by its signature alone.
    w.refuse(&operator, withdraw("bob", 10));
    let seed = w.house.any_seed("t1");
    let bet = w.house.bet_command("t1", "bob", 7, &seed);
    let next = w.house.state.last_nonce(&player("bob")) + 1;
    let early = w.house.sign("bob", next, &bet);
    w.refuse_signed(&by("bob"), Some(early), bet);
    w.house.pen("bob", PENS[2].1);
    round(&mut w, "bob", "t1");
    w.tick().give(&by("bob"), withdraw("bob", 10)).unwrap();
    w.house.now = changed + KEY_DELAY - 1;
    let seed = w.house.any_seed("t1");
    let bet = w.house.bet_command("t1", "bob", 7, &seed);
    let next = w.house.state.last_nonce(&player("bob")) + 1;
    let last = w.house.sign("bob", next, &bet);
    w.house.now = changed + KEY_DELAY;
    w.refuse_signed(&by("bob"), Some(last), bet);
    w.house.pen("bob", PENS[3].1);
    round(&mut w, "bob", "t1");
    // A change that waits is replaced by another of the operator's, which waits anew, and dropped by the player's own.
    w.tick().give(&operator, set_key("bob", None, Some("case 9"))).unwrap();
    w.refuse(&operator, withdraw("bob", 10));
    let again = w.house.pen("bob", PENS[2].1);
    w.tick().give(&operator, set_key("bob", Some(again), Some("case 10"))).unwrap();
    let in_force = w.house.pen("bob", PENS[3].1);
    w.tick().give(&by("bob"), set_key("bob", Some(in_force), None)).unwrap();
    w.refuse(&by("bob"), set_key("bob", Some(in_force), None));
    w.house.now += KEY_DELAY;
    round(&mut w, "bob", "t1");
    w.tick().give(&operator, set_key("bob", None, Some("case 11"))).unwrap();
    w.house.now += KEY_DELAY;
    round(&mut w, "bob", "t1");
    w.tick().give(&operator, withdraw("bob", 10)).unwrap();
    // Carol has none. The operator's waits, and nobody can pay out meanwhile; she says no.
    let hers = w.house.pen("carol", PENS[4].1);
    w.refuse(&by("carol"), withdraw("carol", 10));
    w.tick().give(&operator, set_key("carol", Some(hers), Some("asked"))).unwrap();
    w.refuse(&operator, withdraw("carol", 10));
    w.refuse(&by("carol"), withdraw("carol", 10));
    round(&mut w, "carol", "t1");
    // A change to no key waits like any other.
    w.tick().give(&operator, set_key("carol", None, Some("taken back"))).unwrap();
    w.refuse(&operator, withdraw("carol", 10));
    w.tick().give(&by("carol"), set_key("carol", None, None)).unwrap();
    w.tick().give(&operator, withdraw("carol", 10)).unwrap();
    w.duties();
    w
}

/// Each command that a player can give, with the bytes that they sign.
fn signable() -> Vec<(&'static str, Command)> {
    let at = || table("t1");
    let commitment = SeedCommitment::from_bytes([0xc0; 32]);
    let key = PlayerKey::from_bytes(SecretKey::from_seed(&[PENS[1].1; 32]).public_key());
    let bets = vec![
        Bet { spot: "1".into(), stake: chips(7), chips: Some(vec![chips(5), chips(1), chips(1)]) },
        Bet { spot: "2".into(), stake: chips(10), chips: None },
    ];
    let act = |action| Command::Act { table: at(), round_no: 3, decision: 2, action };
    let (of, per) = (LimitOf::Loss, LimitPeriod::Week);
    let limit = |most| Command::SetLimit { player: player("alice"), of, per, most };
    let reveal = |saw| Command::Reveal {
        table: at(),
        round_no: 3,
        player: player("alice"),
        seed: fairshoe_fairness::ClientSeed::from_bytes([0x5e; 32]),
        saw,
        next: None,
    };
    vec![
        ("a token of her own", Command::IssueToken { holder: "player:alice".parse().unwrap(), revoke: false }),
        ("another key", set_key("alice", Some(key), None)),
        ("no key any more", set_key("alice", None, None)),
        ("a limit", limit(Some(500))),
        ("no limit any more", limit(None)),
        ("shut out", Command::Exclude { player: player("alice"), until: T0 + DAY }),
        ("a table of her own", Command::OpenTable { table: at(), rules: joy(&[]), replaces: None }),
        ("another in its place", Command::OpenTable { table: table("t2"), rules: joy(&[]), replaces: Some(at()) }),
        ("chips out", withdraw("alice", 100)),
        ("that table's end", Command::CloseTable { table: at() }),
        ("a seat", Command::TakeSeat { table: at(), seat: 3 }),
        ("a place in the next round", Command::AskToPlay { table: at() }),
        ("a wish for a seat", Command::WantSeat { table: at() }),
        ("no seat any more", Command::LeaveSeat { table: at() }),
        ("bets", Command::Bet { table: at(), round_no: 3, bets, commitment }),
        ("bets taken back", Command::CancelBet { table: at(), round_no: 3 }),
        ("a seed for a new pile", Command::CommitSeed { table: at(), round_no: 4, commitment }),
        ("a reveal in her own name", reveal(None)),
        ("the same with a checkpoint", reveal(Some(SeenCheckpoint { size: 17, root: format!("{}=", "A".repeat(43)) }))),
        ("stand", act(Action::Stand)),
        ("double", act(Action::Double { amount: None })),
        ("double for a part", act(Action::Double { amount: Some(chips(7)) })),
        ("insurance", act(Action::Insurance { take: true })),
        ("even money", act(Action::EvenMoney { take: false })),
    ]
}

fn example(about: &str, origin: &str, who: &str, nonce: u64, command: &Command) -> Value {
    let (origin, nonce) = (Origin::parse(origin).unwrap(), Nonce::new(nonce).unwrap());
    let secret = SecretKey::from_seed(&[PENS[0].1; 32]);
    let signed = Signed::make(&secret, &origin, &player(who), nonce, command).unwrap();
    json!({
        "about": about,
        "key": hex(&secret.public_key()),
        "origin": origin,
        "by": by(who).to_string(),
        "nonce": nonce,
        "command": serde_json::to_string(command).unwrap(),
        "text": signed_text(&origin, &by(who), nonce, command).unwrap(),
        "signature": signed.signature,
        "holds": true,
    })
}

/// A good signature beside something else than was signed.
fn broken() -> Vec<Value> {
    let stand = Command::Act { table: table("t1"), round_no: 3, decision: 2, action: Action::Stand };
    let good = example("", ORIGIN, "alice", 9, &stand);
    let of = |about: &str, other: Value| {
        let mut case = other;
        case["about"] = json!(about);
        case["signature"] = good["signature"].clone();
        case["holds"] = json!(false);
        case
    };
    let act =
        |name: &str, round_no, decision| Command::Act { table: table(name), round_no, decision, action: Action::Stand };
    let mut cases = vec![
        of("another round", example("", ORIGIN, "alice", 9, &act("t1", 4, 2))),
        of("another decision", example("", ORIGIN, "alice", 9, &act("t1", 3, 3))),
        of("another table", example("", ORIGIN, "alice", 9, &act("t2", 3, 2))),
        of("another log", example("", "fairshoe.example/log2", "alice", 9, &stand)),
        of("another player", example("", ORIGIN, "bob", 9, &stand)),
        of("another nonce", example("", ORIGIN, "alice", 10, &stand)),
    ];
    let mut other_key = of("another key", good.clone());
    other_key["key"] = json!(hex(&SecretKey::from_seed(&[PENS[1].1; 32]).public_key()));
    cases.push(other_key);
    // S + L: another S for the same equation.
    let mut signature = [0u8; 64];
    for (byte, at) in signature.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&good["signature"].as_str().unwrap()[at..at + 2], 16).unwrap();
    }
    let order = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10u8,
    ];
    let mut carry = 0u16;
    for (byte, add) in signature[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        (*byte, carry) = ((sum & 0xff) as u8, sum >> 8);
    }
    let mut second = of("the group order added to S", good.clone());
    second["signature"] = json!(hex(&signature));
    cases.push(second);
    cases
}

/// Public keys, and whether a player may have them.
fn keys() -> Vec<Value> {
    let bytes = |first: u8, middle: u8, last: u8| {
        let mut bytes = [middle; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    };
    let cases = [
        ("a key like any other", SecretKey::from_seed(&[PENS[0].1; 32]).public_key()),
        ("y = 1, the neutral element", bytes(1, 0, 0)),
        ("y = -1, of order 2", bytes(0xec, 0xff, 0x7f)),
        ("y = 0, of order 4", [0; 32]),
        ("y = p, another spelling of 0", bytes(0xed, 0xff, 0x7f)),
        ("y = 2, on no point", bytes(2, 0, 0)),
    ];
    let case = |(about, bytes): (&str, [u8; 32])| json!({"about": about, "key": hex(&bytes), "usable": PublicKey::from_bytes(&bytes).is_some()});
    cases.into_iter().map(case).collect()
}

/// The file's text.
pub fn text() -> String {
    let lines = |cases: Vec<Value>| cases.iter().map(ToString::to_string).collect::<Vec<_>>().join(",\n    ");
    let pens = PENS.iter().map(|(who, byte)| {
        let secret = [*byte; 32];
        json!({"player": who, "secret": hex(&secret), "key": hex(&SecretKey::from_seed(&secret).public_key())})
    });
    let mut examples: Vec<Value> = (1..)
        .zip(signable())
        .map(|(nonce, (about, command))| example(about, ORIGIN, "alice", nonce, &command))
        .collect();
    examples.extend(broken());
    let more = format!(
        "  \"pens\": [\n    {}\n  ],\n  \"keys\": [\n    {}\n  ],\n  \"signatures\": [\n    {}\n  ],\n",
        lines(pens.collect()),
        lines(keys()),
        lines(examples)
    );
    let about = "A whole log of two solo JOY tables whose players sign; spec/entries.md, \"Signed commands\". `entries`, `refused` and the rest as in entries-joy.json. `pens`: whose secret keys are which. `keys`: which public keys a player may have. `signatures`: the text that is signed, for each command that a player can give, and whether the signature of it holds.";
    write().text(FILE, about, &more, &["cage", "house", "player:alice", "player:bob", "player:carol", "table:t1"])
}
