//! spec/audit.md, "What each command is worth": every command of the log stands there, and nothing else.

use fairshoe_house::{Command, TournamentCommand};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// The commands that a reader takes, as it says itself where it is given none of them.
fn commands<C: DeserializeOwned>() -> Vec<String> {
    let refused = serde_json::from_str::<C>(r#"{"no such command":{}}"#).err().unwrap().to_string();
    let (_, known) = refused.split_once("expected one of ").expect("a reader names the variants that it knows");
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_command_and_no_other_stands_in_the_table_of_what_commands_are_worth() {
    let mut known: Vec<String> = commands::<Command>();
    // The commands of a tournament are rows of their own.
    known.retain(|command| command != "tournament");
    known.extend(commands::<TournamentCommand>());
    assert!(known.len() > 80, "{known:?}");
    let page = include_str!("../../../spec/audit.md");
    let (_, rest) = page.split_once("<!-- commands -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end of commands -->").unwrap();
    let rows = || table.lines().skip(2);
    let told: Vec<&str> = rows().map(|row| row.split('`').nth(1).unwrap()).collect();
    let (known, once): (BTreeSet<&str>, BTreeSet<&str>) =
        (known.iter().map(String::as_str).collect(), told.iter().copied().collect());
    assert_eq!(told.len(), once.len(), "a command has two rows");
    assert_eq!(known.difference(&once).collect::<Vec<_>>(), Vec::<&&str>::new(), "commands without a row");
    assert_eq!(once.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "rows of no command");
    for row in rows() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells.len() == 6 && cells.iter().all(|cell| !cell.is_empty()), "{row}");
    }
}
