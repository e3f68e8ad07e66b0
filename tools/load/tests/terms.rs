//! The structure of a run's event.

use clap::Parser as _;
use fairshoe_load::args::Args;
use fairshoe_load::tournament::{event_name, structure};
use fairshoe_tournament::{SHIPPED_STRUCTURES, Structure};

fn args(of: &[&str]) -> Args {
    Args::parse_from([&["fairshoe-load"], of].concat())
}

#[test]
fn every_structure_can_be_quick() {
    for (name, _) in SHIPPED_STRUCTURES {
        let shipped = Structure::shipped(name).unwrap();
        let players = shipped.entry.players_max.min(100).to_string();
        let args = args(&["--game", &format!("tournament:{name}"), "--players", &players, "--quick"]);
        assert_eq!(event_name(&args), Some(*name));
        let quick = structure(&args, name).unwrap();
        let length = |of: &Structure| of.levels.iter().map(|level| level.ms).sum::<u64>();
        assert!(length(&quick) < length(&shipped) && quick.digest() != shipped.digest(), "{name}");
        assert_eq!(quick.payouts, shipped.payouts);
    }
}

#[test]
fn what_cannot_be_played_is_said_in_words() {
    let say = |of: &[&str], name: &str| structure(&args(of), name).unwrap_err();
    for (of, name, word) in [
        (&[][..], "sunday", "freezeout-9"),
        (&["--players", "7"], "sit-and-go", "6 to 6"),
        (&["--level-ms", "10"], "heads-up", "--level-ms"),
        (&[], "@/nowhere.json", "/nowhere.json"),
    ] {
        let failure = say(of, name);
        assert!(failure.is_usage() && failure.to_string().contains(word), "{name}: {failure}");
    }
}
