//! The state as lines (spec/state.md): what is read from them goes on as the log does.

use crate::common::world::World;
use crate::common::*;
use fairshoe_house::{Entry, State, root_of_lines};

/// So many entries that follow are decided again from a state that was read.
const FOLLOWED: usize = 60;

#[test]
fn a_state_that_was_read_goes_on_as_the_log_does() {
    let mut live = 0;
    for seed in 0..48 {
        let house = World::book(seed);
        let log: Vec<Entry> = entries(&house.log);
        let mut states = vec![State::new().lines().unwrap()];
        let mut state = State::new();
        for (index, entry) in log.iter().enumerate() {
            state.apply(entry).unwrap();
            let lines = state.lines().unwrap();
            assert_eq!(state.root().unwrap(), root_of_lines(lines.iter().map(String::as_str)));
            let restored = read_lines(&house.log[..=index], &lines).unwrap();
            assert_eq!(restored.lines().unwrap(), lines, "world {seed}, {} entries", index + 1);
            assert_eq!(restored.due(entry.time), state.due(entry.time), "world {seed}, {} entries", index + 1);
            assert_eq!(restored.next_deadline(), state.next_deadline(), "world {seed}, {} entries", index + 1);
            states.push(lines);
        }
        // Every eleventh, another first one each time.
        for size in (1 + seed as usize % 11..log.len()).step_by(11) {
            let mut restored = read_lines(&house.log[..size], &states[size]).unwrap();
            live += usize::from(restored.tables().any(|table| !table.is_between_rounds()));
            for (index, entry) in log.iter().enumerate().skip(size).take(FOLLOWED) {
                let again =
                    restored.decide_signed(&house.seeds, entry.time, &entry.by, entry.signed.as_ref(), &entry.command);
                assert_eq!(again.as_ref(), Ok(entry), "world {seed}, from {size}, entry {index}");
                restored.apply(entry).unwrap();
                assert_eq!(restored.lines().unwrap(), states[index + 1], "world {seed}, from {size}, entry {index}");
            }
        }
    }
    assert!(live > 100, "only {live} states were read in mid-round");
}

#[test]
fn what_is_no_state_is_not_read() {
    let house = World::book(5);
    let log: Vec<Entry> = entries(&house.log).into_iter().take(80).collect();
    let mut state = State::new();
    log.iter().for_each(|entry| state.apply(entry).unwrap());
    let lines = state.lines().unwrap();
    let read = |lines: &[String]| read_lines(&house.log[..80], lines).map(drop);
    assert_eq!(read(&lines), Ok(()));
    let edited = |edit: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        edit(&mut lines);
        lines
    };
    let rules = lines.iter().position(|line| line.starts_with("[\"rules:")).unwrap();
    let log_line = lines.iter().position(|line| line.starts_with("[\"log\"")).unwrap();
    let ready = lines[log_line].split("\"ready\":").nth(1).unwrap().split(&[',', '}']).next().unwrap().to_owned();
    let due = lines.iter().position(|line| line.contains("\"due\":[") && !line.contains("\"due\":[0,0]")).unwrap();
    let due_text = lines[due].split("\"due\":[").nth(1).unwrap().split(']').next().unwrap().to_owned();
    let player = lines.iter().find_map(|line| line.strip_prefix("[\"player:")).unwrap();
    let player = player.split('"').next().unwrap().to_owned();
    let wrong: [(&str, Vec<String>); 11] = [
        (
            "nobody is ready",
            edited(&|lines| lines[log_line] = lines[log_line].replace(&format!("\"ready\":{ready},"), "")),
        ),
        (
            "ready tomorrow",
            edited(&|lines| {
                lines[log_line] = lines[log_line].replace(&format!("\"ready\":{ready}"), &format!("\"ready\":9{ready}"))
            }),
        ),
        (
            "nothing is due",
            edited(&|lines| lines[due] = lines[due].replace(&format!("\"due\":[{due_text}]"), "\"due\":[0,0]")),
        ),
        (
            "a player's changes twice",
            edited(&|lines| {
                lines.push(format!("[\"table:zz\",{{\"changes\":[[\"{player}\",1,1],[\"{player}\",2,1]]}}]"));
                lines.sort();
            }),
        ),
        ("two lines in the other order", edited(&|lines| lines.swap(0, 1))),
        ("a line twice", edited(&|lines| lines.insert(1, lines[1].clone()))),
        ("a space", edited(&|lines| lines[0] = lines[0].replace(',', ", "))),
        ("an unknown field", edited(&|lines| lines[1] = lines[1].replace("{\"balance\"", "{\"bonus\":1,\"balance\""))),
        ("an unknown part", edited(&|lines| lines.push("[\"zero\",{}]".into()))),
        ("no rule set", edited(&|lines| drop(lines.remove(rules)))),
        ("another rule set", edited(&|lines| lines[rules] = lines[rules].replacen("\"seats\":", "\"seats\":1", 1))),
    ];
    for (what, lines) in wrong {
        let why = read(&lines).expect_err(what).to_string();
        let reason = match what {
            "nobody is ready" | "ready tomorrow" => "ready",
            "nothing is due" => "what is due there",
            "a player's changes twice" => "written otherwise",
            _ => "",
        };
        assert!(why.contains(reason), "{what}: {why}");
    }
    assert!(read(&[]).is_err());
}
