//! Messages, leases, and the result of an append (spec/cluster.md). The order is in memory; it loses requests and
//! answers, and is reached through servers that are behind.
#![allow(clippy::unwrap_used, clippy::panic)]

// The tests in these files need private items.
#[path = "../src/access.rs"]
#[allow(dead_code, reason = "the library uses all of it")]
mod access;
#[path = "../src/refusal.rs"]
mod refusal;

use fairshoe_order::{
    Faults, Lease, Leases, MAX_MESSAGE, MemoryOrder, Message, MessageError, Order, OrderError, OrderKey, Settled,
    place_of, read_next, settle,
};
use fairshoe_store::MetaWrite;
use fairshoe_tlog::{Hash, Tree, leaf_hash};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn key() -> OrderKey {
    OrderKey::new(&[7; 32], "fairshoe-a")
}

/// Makes the message of these entries and updates the tree.
fn message(tree: &mut Tree, entries: &[&str]) -> Message {
    let (size, root) = (tree.size(), tree.root());
    for entry in entries {
        drop(tree.append(leaf_hash(entry.as_bytes())));
    }
    let entries = entries.iter().map(|entry| entry.as_bytes().to_vec()).collect();
    Message { size, root, root_after: tree.root(), entries, writes: Vec::new() }
}

/// An order of so many messages, of one to three entries each; the sizes at which they begin.
fn order_of(count: u64) -> (MemoryOrder, Vec<u64>) {
    let (order, mut tree, mut sizes) = (MemoryOrder::default(), Tree::new(), Vec::new());
    for number in 0..count {
        let entries: Vec<String> = (0..=number % 3).map(|entry| format!("{number} {entry}")).collect();
        sizes.push(tree.size());
        let message = message(&mut tree, &entries.iter().map(String::as_str).collect::<Vec<_>>());
        let bytes = message.seal(&key(), number).unwrap();
        assert_eq!(settle(&order, number, &bytes, &mut || false), Ok(Settled::Accepted));
    }
    sizes.push(tree.size());
    (order, sizes)
}

#[test]
fn a_message_opens_at_its_place_with_its_key_and_nowhere_else() {
    let mut tree = Tree::new();
    drop(message(&mut tree, &["zero"]));
    let mut whole = message(&mut tree, &["one", "", "three"]);
    whole.writes =
        vec![MetaWrite::Put { key: b"k".to_vec(), value: vec![0; 300] }, MetaWrite::Delete { key: b"gone".to_vec() }];
    let bytes = whole.seal(&key(), 41).unwrap();
    assert_eq!(Message::open(&key(), 41, &bytes), Ok(whole.clone()));
    assert_eq!((whole.size, whole.size_after()), (1, 4));
    assert_eq!(Message::open(&key(), 40, &bytes), Err(MessageError::Tag), "moved");
    for other in [OrderKey::new(&[8; 32], "fairshoe-a"), OrderKey::new(&[7; 32], "fairshoe-b")] {
        assert_eq!(Message::open(&other, 41, &bytes), Err(MessageError::Tag));
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(Message::open(&key(), 41, &changed).is_err(), "{at}");
        assert!(Message::open(&key(), 41, &bytes[..at]).is_err(), "{at}");
    }
}

#[test]
fn bounds_of_a_message_are_held_and_their_last_value_passes() {
    let of = |entries: Vec<Vec<u8>>, writes: Vec<MetaWrite>| {
        Message { size: 0, root: Hash([1; 32]), root_after: Hash([2; 32]), entries, writes }.seal(&key(), 0)
    };
    let delete = || MetaWrite::Delete { key: vec![1] };
    assert!(of(vec![vec![]; 256], vec![]).is_ok());
    assert!(of(vec![vec![]; 257], vec![]).is_err());
    assert!(of(vec![], vec![]).is_err(), "of nothing");
    assert!(of(vec![vec![0; 65_535]], vec![]).is_ok());
    assert!(of(vec![vec![0; 65_536]], vec![]).is_err());
    assert!(of(vec![vec![]], vec![delete(); 4096]).is_ok());
    assert!(of(vec![vec![]], vec![delete(); 4097]).is_err());
    let full = |last: usize| of([vec![vec![0; 65_000]; 16], vec![vec![0; last]]].concat(), vec![]);
    let room = MAX_MESSAGE - full(0).unwrap().len();
    assert_eq!(full(room).unwrap().len(), MAX_MESSAGE);
    assert_eq!(full(room + 1), Err(MessageError::Length));
}

/// The content of `spec/vectors/order.json`, whole and damaged; FAIRSHOE_WRITE=1 writes it again.
#[test]
fn vectors_of_messages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/order.json");
    let mut tree = Tree::new();
    let mut cases = Vec::new();
    let seed = [7; 32];
    for (expected, entries, writes) in [
        (0, vec!["first"], vec![]),
        (
            1,
            vec!["second", "", "fourth"],
            vec![MetaWrite::Put { key: b"k/1".to_vec(), value: b"player:alice".to_vec() }],
        ),
        (2, vec!["fifth"], vec![MetaWrite::Delete { key: b"k/1".to_vec() }]),
    ] {
        let mut message = message(&mut tree, &entries);
        message.writes = writes;
        let bytes = message.seal(&key(), expected).unwrap();
        let told = serde_json::json!({
            "about": format!("message {}", expected + 1), "expected": expected, "bytes": hex::encode(&bytes),
            "size": message.size, "root": message.root.to_string(),
            "size_after": message.size_after(), "root_after": message.root_after.to_string(), "entries": entries,
            "writes": message.writes.iter().map(|write| match write {
                MetaWrite::Put { key, value } => serde_json::json!([hex::encode(key), hex::encode(value)]),
                MetaWrite::Delete { key } => serde_json::json!([hex::encode(key), null]),
            }).collect::<Vec<_>>(),
        });
        let mut refused = |about: &str, expected: u64, bytes: &[u8]| {
            cases.push(serde_json::json!({ "about": about, "expected": expected, "bytes": hex::encode(bytes) }));
            assert!(Message::open(&key(), expected, bytes).is_err(), "{about}");
        };
        refused("moved by one place", expected + 1, &bytes);
        refused("a byte is left over", expected, &[&bytes[..], &[0]].concat());
        refused("the last byte is missing", expected, &bytes[..bytes.len() - 1]);
        refused(
            "tagged for another stream",
            expected,
            &message.seal(&OrderKey::new(&seed, "fairshoe-b"), expected).unwrap(),
        );
        cases.push(told);
    }
    let text = serde_json::to_string_pretty(&serde_json::json!({
        "log_seed": hex::encode(seed), "stream": "fairshoe-a", "cases": cases,
    }))
    .unwrap();
    if std::env::var_os("FAIRSHOE_WRITE").is_some() {
        std::fs::write(&path, format!("{text}\n")).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{text}\n"));
}

#[test]
fn a_lease_is_of_its_shard() {
    let key = OrderKey::of_leases(&[7; 32], "fairshoe-a");
    let text = r#"{"v":1,"beat":3,"node":"n1","term":"0123456789abcdef","address":"http://127.0.0.1:1","key":"k","length":2000,"until":7,"size":8,"tables":["t"],"has_more_tables":false}"#;
    let lease: Lease = serde_json::from_str(text).unwrap();
    let bytes = lease.seal(&key);
    assert_eq!(Lease::open(&key, &bytes), Some(lease.clone()));
    assert_eq!(Lease::open(&OrderKey::of_leases(&[7; 32], "fairshoe-b"), &bytes), None);
    assert_eq!(Lease::open(&OrderKey::new(&[7; 32], "fairshoe-a"), &bytes), None, "another use of the same seed");
    assert_eq!(Lease::open(&key, &Lease { v: 2, ..lease.clone() }.seal(&key)), None);
    assert_eq!(Lease::open(&key, b""), None);
    let mut forged = bytes.clone();
    forged[8] ^= 1;
    assert_eq!(Lease::open(&key, &forged), None);
    // A reader without the key can still read it, as a hint.
    assert_eq!(Lease::hint(&bytes), Some(lease.clone()));
    assert_eq!(Lease::hint(b"{}"), None);
}

/// Small random-looking numbers, the same at each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Two nodes that both believe they lead append at the same head, through servers that lose requests, answers and new
/// messages. Each number has one winner, who knows it; the other node learns that it is fenced; no message is there
/// twice.
#[test]
fn one_of_two_is_accepted_and_both_learn_it_whatever_is_lost() {
    for seed in 0..300 {
        let dice = Arc::new(AtomicU64::new(seed));
        let drawn = dice.clone();
        let order = MemoryOrder::with(
            move || {
                let mut dice = Dice(drawn.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed));
                Faults {
                    is_lost: dice.below(4) == 0,
                    is_unanswered: dice.below(4) == 0,
                    behind: if dice.below(4) == 0 { 1 + dice.below(2) } else { 0 },
                }
            },
            || 0,
        );
        let mut won = Vec::new();
        for expected in 0..20 {
            let both = ["one", "two"].map(|who| format!("{who} {expected}").into_bytes());
            let order = &order;
            let settled = std::thread::scope(|scope| {
                both.each_ref()
                    .map(|bytes| scope.spawn(move || settle(order, expected, bytes, &mut || true)))
                    .map(|thread| thread.join().unwrap().unwrap())
            });
            won.push(match settled {
                [Settled::Accepted, Settled::Fenced] => both[0].clone(),
                [Settled::Fenced, Settled::Accepted] => both[1].clone(),
                other => panic!("seed {seed}: {other:?}"),
            });
        }
        assert_eq!(order.messages(), won, "seed {seed}");
    }
}

#[test]
fn who_gives_up_knows_nothing_and_the_next_reads_what_became_of_it() {
    let order = MemoryOrder::with(|| Faults { is_unanswered: true, ..Faults::default() }, || 0);
    let mut tries = 0;
    let gave_up = settle(&order, 0, b"mine", &mut || {
        tries += 1;
        tries < 3
    });
    assert!(matches!(gave_up, Err(OrderError::Silent(_))), "{gave_up:?}");
    assert_eq!(order.messages(), [b"mine"], "it is there all the same, once");
}

#[test]
fn a_node_finds_its_place_and_says_what_is_wrong_with_an_order_that_has_none() {
    let empty = MemoryOrder::default();
    assert_eq!(place_of(&empty, &key(), 0), Ok(1));
    let said = place_of(&empty, &key(), 1).unwrap_err();
    assert!(matches!(said, OrderError::Short(_)), "another node may have more than this one: {said}");
    for count in [1, 2, 7, 50] {
        let (order, sizes) = order_of(count);
        for (number, size) in (1..).zip(&sizes) {
            assert_eq!(place_of(&order, &key(), *size), Ok(number), "{count} messages, a log of {size}");
        }
    }
    let (order, sizes) = order_of(7);
    let said = |size: u64| place_of(&order, &key(), size).unwrap_err().to_string();
    let last = *sizes.last().unwrap();
    assert!(said(last + 1).contains("lost what this node has acknowledged"));
    assert!(said(2).contains("no message begins at a log of 2"), "in the midst of one");
    // An order that begins at an existing log.
    let (later, mut tree) = (MemoryOrder::default(), Tree::new());
    drop(message(&mut tree, &["a", "b"]));
    let bytes = message(&mut tree, &["c"]).seal(&key(), 0).unwrap();
    settle(&later, 0, &bytes, &mut || false).unwrap();
    assert_eq!(place_of(&later, &key(), 2), Ok(1));
    assert!(place_of(&later, &key(), 1).unwrap_err().to_string().contains("a copy of another node's log comes first"));
    // Another shard's key.
    let other = OrderKey::new(&[1; 32], "fairshoe-a");
    assert!(place_of(&later, &other, 2).unwrap_err().to_string().contains("this node's secrets are others"));
}

/// A replica that silently lost a message is not an order.
#[test]
fn a_missing_message_is_damage_and_one_that_is_not_there_yet_is_none() {
    struct Hole(MemoryOrder, u64);
    impl Order for Hole {
        fn append_if(&self, expected: u64, message: &[u8]) -> fairshoe_order::Said {
            self.0.append_if(expected, message)
        }
        fn head(&self) -> Result<u64, OrderError> {
            self.0.head()
        }
        fn read(&self, number: u64) -> Result<Option<Vec<u8>>, OrderError> {
            if number == self.1 { Ok(None) } else { self.0.read(number) }
        }
    }
    let (order, sizes) = order_of(7);
    let order = Hole(order, 4);
    assert!(read_next(&order, 3).unwrap().is_some());
    assert_eq!(read_next(&order, 8), Ok(None));
    let damaged = read_next(&order, 4).unwrap_err();
    assert!(matches!(&damaged, OrderError::Damaged(what) if what.contains("message 4 is missing")), "{damaged}");
    assert!(matches!(place_of(&order, &key(), sizes[3]), Err(OrderError::Damaged(_))));
}

#[test]
fn a_lease_is_replaced_by_whoever_names_the_one_before() {
    let order = MemoryOrder::with(Faults::default, || 99);
    assert_eq!(order.lease(), Ok(None));
    assert_eq!(order.replace(1, b"a"), Ok(None), "there is none");
    assert_eq!(order.replace(0, b"a"), Ok(Some(1)));
    assert_eq!(order.replace(0, b"b"), Ok(None), "another was first");
    let seen = order.lease().unwrap().unwrap();
    assert_eq!((seen.number, seen.bytes.as_slice(), seen.stamped), (1, &b"a"[..], 99));
    assert_eq!(order.replace(1, b"b"), Ok(Some(2)));
}
