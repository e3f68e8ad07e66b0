//! A state that the log names is held against what its entries make (spec/state.md, "On the log").

use crate::common::names_of;
use crate::common::world::World;
use fairshoe_house::Entry;
use fairshoe_judge::audit::{Book, Check, Limits};

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
        let text = String::from_utf8(log[at].clone()).unwrap();
        let root = text.split("\"root\":\"").nth(1).unwrap()[..64].to_owned();
        let other = format!("{}{}", if root.starts_with('0') { '1' } else { '0' }, &root[1..]);
        let mut lied = log.clone();
        lied[at] = text.replace(&root, &other).into_bytes();
        let finding = audit(&lied).unwrap_err();
        assert_eq!((finding.check, finding.entry), (Check::StateNoted, Some(at as u64)), "{finding}");
    }
    assert!(named > 10, "{named}");
}
