//! A state that the log names is held against what its entries make (spec/state.md, "On the log").

use crate::audit_common::audit_at_once;
use crate::common::world::World;
use crate::common::*;
use fairshoe_house::{Actor, Command, Entry, STATE_INTERVAL};
use fairshoe_judge::audit::{Book, Check, Limits};

/// The log with another root in this entry.
fn with_another_root(log: &[Vec<u8>], at: usize) -> Vec<Vec<u8>> {
    let text = String::from_utf8(log[at].clone()).unwrap();
    let root = text.split("\"root\":\"").nth(1).unwrap()[..64].to_owned();
    let other = format!("{}{}", if root.starts_with('0') { '1' } else { '0' }, &root[1..]);
    let mut lied = log.to_vec();
    lied[at] = text.replace(&root, &other).into_bytes();
    lied
}

#[test]
fn a_named_state_is_held_against_the_log() {
    let mut named = 0;
    for seed in 0..24 {
        let log = World::book(seed).log;
        let is_named = |bytes: &Vec<u8>| names_of(&Entry::decode(bytes).unwrap()).contains(&"state_noted".to_owned());
        let audit = |log: &[Vec<u8>]| {
            let mut book = Book::new(Limits::default());
            log.iter().enumerate().try_for_each(|(index, bytes)| book.feed(index as u64, bytes))
        };
        assert_eq!(audit(&log), Ok(()));
        let Some(at) = log.iter().position(is_named) else { continue };
        named += 1;
        let finding = audit(&with_another_root(&log, at)).unwrap_err();
        assert_eq!((finding.check, finding.entry), (Check::StateNoted, Some(at as u64)), "{finding}");
    }
    assert!(named > 10, "{named}");
}

#[test]
fn the_state_of_a_whole_interval_is_named_after_it() {
    let mut house = House::new();
    house.add_player("alice", 0);
    while house.state.size() < STATE_INTERVAL {
        house.credit("alice", 1).unwrap();
    }
    let root = house.state.root().unwrap();
    house.credit("alice", 1).unwrap();
    house.give(&Actor::House, Command::NoteState { size: STATE_INTERVAL, root }).unwrap();
    assert_eq!(audit_at_once(&house.log).first_failure, None);
    let at = house.log.len() - 1;
    let finding = audit_at_once(&with_another_root(&house.log, at)).first_failure.unwrap();
    assert_eq!((finding.check, finding.entry), (Check::StateNoted, Some(at as u64)), "{finding}");
}
