//! Tables of one rule set have it once in memory.

use crate::common::shared::rules;
use crate::common::*;
use fairshoe_house::{Actor, Command, Event, State};
use std::sync::Arc;

#[test]
fn tables_of_one_rule_set_share_it_and_no_others_do() {
    let mut house = House::new();
    let (joy, other) = (rules("joy", &[]), rules("joy", &[("decks", "8")]));
    let rules_of = |state: &State, name: &str| state.table(&table(name)).unwrap().rules.clone();
    house.open_rules("a", joy.clone());
    house.open_rules("b", joy.clone());
    assert!(Arc::ptr_eq(&rules_of(&house.state, "a"), &rules_of(&house.state, "b")));
    // A log that lies: another rule set under the same digest is still that other rule set.
    let command = Command::OpenTable { table: table("c"), rules: other.clone(), replaces: None };
    let mut entry = house.state.decide(house.dealer.as_ref(), house.now, &Actor::Operator, &command).unwrap();
    for event in &mut entry.events {
        if let Event::TableOpened { digest, .. } = event {
            *digest = joy.digest();
        }
    }
    house.state.apply(&entry).unwrap();
    house.run_due();
    house.open_rules("d", joy.clone());
    assert!(*rules_of(&house.state, "c") == other && *rules_of(&house.state, "d") == joy);
    let saved = serde_json::to_string(&house.state).unwrap();
    let back: State = serde_json::from_str(&saved).unwrap();
    assert!(Arc::ptr_eq(&rules_of(&back, "a"), &rules_of(&back, "b")) && *rules_of(&back, "c") == other);
}
