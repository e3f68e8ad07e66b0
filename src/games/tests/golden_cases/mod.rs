//! The cases of spec/vectors/play.json, and the required fields of a result; the auditor's tests read them too.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One case: the words of `fairshoe-audit play`, and their result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub rules: Vec<String>,
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    pub balance: Option<u64>,
    #[serde(default)]
    pub players: String,
    pub entry: Option<u64>,
    pub pocket: Option<u64>,
    #[serde(default)]
    pub cards: String,
    #[serde(default)]
    pub bets: String,
    #[serde(default)]
    pub actions: String,
    pub refused: Option<String>,
    staked: Option<u64>,
    returned: Option<u64>,
    drawn: Option<usize>,
    /// Seat, name (any, where it is null), staked, returned.
    seats: Option<Vec<SeatCase>>,
    spots: Option<BTreeMap<String, u64>>,
    #[serde(default, deserialize_with = "given")]
    winner: Option<Value>,
    collected: Option<usize>,
    alive: Option<Vec<String>>,
    view: Option<Map<String, Value>>,
}

type SeatCase = (u8, Option<String>, u64, u64);

/// Tells a null field from a missing one.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

pub fn cases() -> Vec<Case> {
    let text = include_str!("../../../../spec/vectors/play.json");
    let cases = serde_json::from_str::<File>(text).unwrap().cases;
    for case in &cases {
        let complete = case.refused.is_some() != (case.staked.is_some() && case.returned.is_some());
        assert!(
            complete && !case.rules.is_empty(),
            "{}: either what is staked and returned, or why it is refused",
            case.name
        );
    }
    cases
}

impl Case {
    /// Compares the printed object with the case.
    #[track_caller]
    pub fn check(&self, name: &str, played: &Value) {
        let (staked, returned) = (self.staked.unwrap(), self.returned.unwrap());
        assert_eq!((&played["staked"], &played["returned"]), (&staked.into(), &returned.into()), "{name}");
        assert_eq!(played["net"], i64::try_from(returned).unwrap() - i64::try_from(staked).unwrap(), "{name}");
        let seats = played["seats"].as_array().unwrap();
        let sum = |list: &Value, field: &str| {
            list.as_array().unwrap().iter().map(|one| one[field].as_u64().unwrap()).sum::<u64>()
        };
        for list in ["seats", "bets"] {
            assert_eq!(
                (sum(&played[list], "staked"), sum(&played[list], "returned")),
                (staked, returned),
                "{name}: {list}"
            );
        }
        for (index, (seat, player, staked, returned)) in self.seats.iter().flatten().enumerate() {
            let got = &seats[index];
            assert_eq!(
                (&got["seat"], &got["staked"], &got["returned"]),
                (&(*seat).into(), &(*staked).into(), &(*returned).into()),
                "{name}"
            );
            assert!(player.as_ref().is_none_or(|player| got["player"] == player.as_str()), "{name}: {got}");
        }
        if let Some(spots) = &self.spots {
            let bets = played["bets"].as_array().unwrap();
            let got: BTreeMap<String, u64> = bets
                .iter()
                .map(|bet| (bet["spot"].as_str().unwrap().to_owned(), bet["returned"].as_u64().unwrap()))
                .collect();
            assert_eq!(got, *spots, "{name}");
        }
        assert_eq!(played.get("winner"), self.winner.as_ref(), "{name}");
        let events = played["events"].as_array().unwrap();
        if let Some(drawn) = self.drawn {
            assert_eq!(
                events.iter().filter(|event| event.get("dealt").is_some()).count(),
                drawn,
                "{name}: cards drawn"
            );
        }
        if let Some(collected) = self.collected {
            let sizes: Vec<usize> =
                events.iter().filter_map(|event| Some(event["safe"]["collected"]["cards"].as_array()?.len())).collect();
            assert_eq!(sizes, [collected], "{name}");
        }
        if let Some(alive) = &self.alive {
            let players = played["view"]["players"].as_array().unwrap();
            let got: Vec<String> =
                players.iter().filter(|one| one["alive"] == true).map(|one| one["player"].to_string()).collect();
            let expected: Vec<String> = alive.iter().map(|name| format!("\"{}\"", name.to_lowercase())).collect();
            assert_eq!(got, expected, "{name}");
        }
        for (field, value) in self.view.iter().flatten() {
            assert_eq!(&played["view"][field], value, "{name}: {field}");
        }
    }
}
