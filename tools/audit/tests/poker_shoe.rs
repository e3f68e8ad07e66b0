//! Sealed shoes on the command line: what everybody can check, and what an auditor sees with the seeds.

use crate::audit_common;
use crate::common;

use audit_common::*;
use common::*;
use fairshoe_games::Action;
use serde_json::{Value, json};
use std::process::{Command, Output};

fn audit(args: &[&str]) -> (i32, Value) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).arg("--json").output().unwrap();
    let value = serde_json::from_slice(&stdout).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&stderr)));
    (status.code().unwrap(), value)
}

#[test]
fn a_sealed_shoe_is_read_with_its_disclosed_seeds_alone() {
    let mut house = House::poker("holdem", &[], &["alice", "bob", "carol"]);
    house.buy_in_all("t1", &["alice", "bob", "carol"], 10_000);
    let shoe = house.table("t1").shoe.as_ref().unwrap().id.clone();
    house.deal_hand("t1");
    let pick = house.table("t1").round.as_ref().unwrap().pick;
    let own: Vec<(String, Vec<String>)> = ["alice", "bob", "carol"]
        .iter()
        .map(|who| {
            let slots = house.table("t1").round.as_ref().unwrap().game.table_stakes().unwrap().own_slots(&player(who));
            let cards =
                slots.iter().map(|slot| house.seeds.derive(&shoe, pick).1.card(*slot).unwrap().to_string()).collect();
            ((*who).to_owned(), cards)
        })
        .collect();
    // Two fold: nobody shows anything.
    while let Some((who, _)) = house.offers("t1") {
        house.choose("t1", &who, Action::Fold).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let bundle = put("bundle.json", &bundle(&house, &house.log, "t1:0").to_json().unwrap());
    let (code, report) = audit(&["shoe", &bundle, "t1:0"]);
    assert_eq!((code, &report["verdict"], &report["sealed"]), (0, &json!("sound_so_far"), &json!(true)), "{report}");
    assert_eq!(report["dealt"], json!([]), "without the seeds nobody's cards are known");
    for (who, cards) in &own {
        for card in cards {
            assert!(!report.to_string().contains(&format!("\"{card}\"")), "{card} of {who} is told");
        }
    }

    let seed = |k| house.seeds.derive(&shoe, k).0.to_string();
    let disclosed = put("disclosed.json", &json!({ "seeds": [seed(0), seed(1)], "shoe_no": 0 }).to_string());
    let (code, report) = audit(&["shoe", &bundle, "t1:0", "--disclosed", &disclosed]);
    assert_eq!((code, &report["verdict"]), (0, &json!("sound")), "{report}");
    for (who, cards) in &own {
        let held = report["dealt"].as_array().unwrap().iter().find(|place| place["player"] == json!(who)).unwrap();
        assert_eq!(held["cards"], json!(cards), "{who}");
    }

    let swapped = put("swapped.json", &json!({ "seeds": [seed(1), seed(0)] }).to_string());
    let half = put("one.json", &json!({ "seeds": [seed(0)] }).to_string());
    for (file, why) in [(swapped, "is not this shoe's"), (half, "holds 1 of 2 seeds")] {
        let Output { status, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
            .args(["shoe", &bundle, "t1:0", "--disclosed", &file])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&stderr);
        assert!(status.code() == Some(2) && said.contains(why), "{said}");
    }
}
