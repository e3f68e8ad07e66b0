//! Hands of our own tables, exported and read again (spec/hand-histories.md).

use crate::audit_common;
use crate::common;
use crate::foreign;
use crate::served;
use crate::tournament::by_chance;

use audit_common::*;
use common::rng::Rng;
use common::rooms::{PLAYERS, one_hand};
use common::*;
use fairshoe_audit::replay::{read, replay};
use fairshoe_fairness::{Card, Opening};
use fairshoe_games::Chips;
use fairshoe_games::poker::rank::Family;
use fairshoe_games::poker::{BettingRule, EntryChoice};
use fairshoe_house::{Command as HouseCommand, Dealer, DecideError, Event, ShoeId};
use fairshoe_judge::history::{HandHistory, HandStep, Historian, HistoryError, OHH_VERSION, Told};
use serde_json::{Value, json};
use served::Served;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Rooms of all four rule sets, and what a room may have besides.
const ROOMS: [(&str, &[(&str, &str)]); 7] = [
    ("holdem", &[]),
    ("holdem-limit", &[]),
    ("omaha", &[]),
    ("omaha-hi-lo", &[]),
    ("holdem", &[("blinds", r#"{"small":100,"big":200,"ante":25,"straddle":true,"entry_post":"small"}"#)]),
    (
        "holdem-limit",
        &[
            ("blinds", r#"{"small":100,"big":200,"third":200,"ante":10,"straddle":true,"entry_post":"big"}"#),
            ("cash_timeout", "check_if_free"),
            (
                "rake_by_players",
                r#"[{"players":2,"basis_points":250,"cap":100},{"players":3,"basis_points":100,"cap":9000}]"#,
            ),
        ],
    ),
    (
        "omaha-hi-lo",
        &[
            ("blinds", r#"{"small":50,"big":100,"third":200,"ante":0,"straddle":true,"entry_post":"big"}"#),
            (
                "hand",
                r#"{"family":"omaha","hi_lo":true,"betting":{"pot_limit":{"min_bet":200}},"full_blind":false,"ante_layers":false,
                "rake":{"basis_points":333,"cap":5000,"no_flop_no_drop":false}}"#,
            ),
        ],
    ),
];

/// A room where players come and go more than elsewhere, with stacks of all sizes.
pub fn room(rules: &str, options: &[(&str, &str)], seed: u64, hands: usize) -> House {
    let options = [options, &[("stake_min", "200")]].concat();
    let mut house = House::poker(rules, &options, &PLAYERS);
    let mut rng = Rng(seed);
    house.buy_in_all("t1", &PLAYERS[..4], 9_001);
    for hand in 0..hands {
        PLAYERS.iter().for_each(|who| stir(&mut house, &mut rng, who));
        house.run_due();
        one_hand(&mut house, &mut rng, hand % 4 == 0);
    }
    house
}

/// A player without a seat takes one, one without chips gets some, one who sits out comes back, another sits out: each
/// at times.
fn stir(house: &mut House, rng: &mut Rng, who: &str) {
    let at = || table("t1");
    let amount = chips(200 + if rng.one_in(3) { rng.below(15_000) } else { rng.below(600) } as u64);
    let entry = Some(if rng.one_in(4) { EntryChoice::Wait } else { EntryChoice::Post });
    let seat = house.table("t1").cash_seat(&player(who)).map(|(_, seat)| seat.stack);
    let commands = match seat {
        None => vec![HouseCommand::SitDown {
            table: at(),
            seat: 1 + rng.below(6) as u8,
            buy_in: amount,
            client: None,
            entry,
        }],
        Some(stack) if stack < chips(200) => {
            vec![
                HouseCommand::AddChips { table: at(), amount },
                HouseCommand::SitIn { table: at(), entry, straddle: Some(true) },
            ]
        }
        Some(_) if rng.one_in(7) => vec![HouseCommand::SitOut { table: at() }],
        Some(_) if rng.one_in(2) => vec![HouseCommand::SitIn { table: at(), entry, straddle: Some(true) }],
        Some(_) => vec![],
    };
    for command in commands {
        match house.give(&by(who), command) {
            Ok(_) | Err(DecideError::Refused(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// What the hands of a log came to.
fn told(house: &House) -> Vec<Told> {
    let mut historian = Historian::default();
    entries(&house.log).iter().flat_map(|entry| historian.feed(entry).unwrap()).collect()
}

fn settled(told: &[Told]) -> Vec<HandHistory> {
    told.iter()
        .filter_map(|told| if let Told::Settled(history) = told { Some((**history).clone()) } else { None })
        .collect()
}

fn count(house: &House, of: fn(&Event) -> bool) -> usize {
    entries(&house.log).iter().flat_map(|entry| &entry.events).filter(|event| of(event)).count()
}

/// The words of the first difference, or why it cannot be judged; none where the stacks are those recorded.
fn fault(phh: &str) -> Option<String> {
    let mut hands = read(phh).unwrap();
    assert_eq!(hands.len(), 1);
    match hands.remove(0).1.and_then(|history| replay(&history)) {
        Ok(replayed) => replayed.difference,
        Err(why) => Some(why),
    }
}

/// How often a hand had what makes histories hard.
#[derive(Debug, Default)]
struct HandTraits {
    dead: usize,
    entry_posts: usize,
    straddles: usize,
    side_pots: usize,
    mucked: usize,
    lapsed: usize,
    tabled: usize,
    two_players: usize,
    raked: usize,
    uncalled: usize,
    short_blinds: usize,
}

impl HandTraits {
    fn note(&mut self, hand: &HandHistory) {
        let blinds = [Some(hand.positions.small), Some(hand.positions.big), hand.positions.third];
        let any = |of: &dyn Fn(&HandStep) -> bool| usize::from(hand.steps.iter().any(of));
        let seats = |of: &dyn Fn(&fairshoe_judge::history::DealtIn) -> bool| usize::from(hand.seats.iter().any(of));
        self.dead += seats(&|seat| seat.due.dead > chips(0));
        self.entry_posts += seats(&|seat| !seat.due.opens && seat.due.live > chips(0));
        self.straddles += seats(&|seat| seat.due.opens && !blinds.contains(&Some(seat.due.seat)));
        self.short_blinds += seats(&|seat| seat.posted().live < seat.due.live);
        self.side_pots += usize::from(hand.pots.len() > 1);
        self.mucked += any(&|step| matches!(step, HandStep::Mucked { .. }));
        self.lapsed += any(&|step| matches!(step, HandStep::Acted { lapsed: true, .. }));
        let board_after_show = hand.steps.iter().position(|step| matches!(step, HandStep::Shown { .. }));
        let tabled =
            board_after_show.is_some_and(|at| hand.steps[at..].iter().any(|step| matches!(step, HandStep::Board(_))));
        self.tabled += usize::from(tabled);
        self.two_players += usize::from(hand.seats.len() == 2);
        self.raked += usize::from(hand.rake() > chips(0));
        self.uncalled += usize::from(hand.uncalled.is_some());
    }
}

#[test]
fn every_hand_of_every_room_is_replayed_to_the_stacks_of_the_log() {
    let (mut seen, mut hands, mut voids) = (HandTraits::default(), 0, 0);
    for (seed, (rules, options)) in (11..).zip(ROOMS) {
        let house = room(rules, options, seed, 70 * effort() as usize);
        let told = told(&house);
        let histories = settled(&told);
        assert_eq!(histories.len(), count(&house, |event| matches!(event, Event::RoundSettled { .. })));
        assert_eq!(told.len() - histories.len(), count(&house, |event| matches!(event, Event::RoundVoided { .. })));
        for hand in &histories {
            let phh = hand.to_phh().unwrap();
            assert_eq!(fault(&phh), None, "{phh}");
            check_ohh(hand);
            seen.note(hand);
        }
        hands += histories.len();
        voids += told.len() - histories.len();
    }
    println!("{hands} hands, {voids} void; {seen:?}");
    let HandTraits {
        dead,
        entry_posts,
        straddles,
        side_pots,
        mucked,
        lapsed,
        tabled,
        two_players,
        raked,
        uncalled,
        short_blinds,
    } = seen;
    for seen in [
        dead,
        entry_posts,
        straddles,
        side_pots,
        mucked,
        lapsed,
        tabled,
        two_players,
        raked,
        uncalled,
        short_blinds,
        voids,
    ] {
        assert!(seen > 0, "a kind of hand was not among them");
    }
}

#[test]
fn a_changed_history_does_not_replay() {
    let house = room("holdem", ROOMS[4].1, 5, 60);
    let hands = settled(&told(&house));
    let raked = hands.iter().find(|hand| hand.rake() > chips(0)).unwrap().to_phh().unwrap();
    let line =
        |phh: &str, key: &str| phh.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap().to_owned();
    assert_eq!(fault(&raked), None);
    let rake = line(&raked, "_rake");
    assert!(fault(&raked.replace(&rake, "_rake = 0")).unwrap().contains("the rake comes to"));
    let rules = line(&raked, "_hand_rules");
    let tenth = rules.replace("basis_points = 500", "basis_points = 50");
    assert_ne!(rules, tenth);
    assert!(fault(&raked.replace(&rules, &tenth)).unwrap().contains("the history says"));
    assert!(
        fault(&raked.replace(&format!("{rules}\n"), "")).unwrap().contains("the history says"),
        "no rake without our rules"
    );
    let other = rules.replace("family = \"holdem\"", "family = \"omaha\"");
    assert!(fault(&raked.replace(&rules, &other)).unwrap().contains("another game"));
    for garbage in ["_hand_rules = 5", "_hand_rules = { }"] {
        assert!(fault(&raked.replace(&rules, garbage)).unwrap().contains("_hand_rules"));
    }
    assert!(fault(&raked.replace(&rake, "_rake = -1")).unwrap().contains("_rake"));
    // A dead post that is called an ante makes side pots, or is trimmed.
    let with_dead = |seed: u64| {
        let hands = settled(&told(&room("holdem", ROOMS[4].1, seed, 60)));
        hands.into_iter().find(|hand| hand.seats.iter().any(|seat| seat.due.dead > chips(0)))
    };
    let dead = (100..140).find_map(with_dead).expect("a hand with a dead post").to_phh().unwrap();
    assert_eq!(fault(&dead), None);
    assert!(dead.contains("ante_trimming_status = false"));
    let said = line(&dead, "_dead");
    assert!(fault(&dead.replace(&said, "_dead = [1]")).unwrap().contains("one number of players"));
    let more = said.replace("100", "999999");
    assert!(fault(&dead.replace(&said, &more)).unwrap().contains("more than the ante"));
}

/// Required fields of the published format, sums street by street, and every chip.
fn check_ohh(hand: &HandHistory) {
    let text = serde_json::to_string(&hand.to_ohh().unwrap()).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let ohh = &file["ohh"];
    let text_fields = [
        "spec_version",
        "site_name",
        "network_name",
        "internal_version",
        "game_number",
        "start_date_utc",
        "table_name",
    ];
    assert!(text_fields.iter().all(|name| ohh[name].is_string()), "{ohh}");
    assert_eq!(
        (&ohh["spec_version"], &ohh["tournament"], &ohh["currency"]),
        (&json!(OHH_VERSION), &json!(false), &json!("XPM"))
    );
    assert!(["Holdem", "Omaha", "OmahaHiLo"].contains(&ohh["game_type"].as_str().unwrap()));
    assert!(
        ["NL", "PL", "FL"].contains(&ohh["bet_limit"]["bet_type"].as_str().unwrap())
            && ohh["bet_limit"]["bet_cap"] == json!(0)
    );
    let whole = ["table_size", "dealer_seat", "small_blind_amount", "big_blind_amount", "ante_amount"];
    assert!(whole.iter().all(|name| ohh[name].is_u64()), "{ohh}");
    assert_eq!((&ohh["hero_player_id"], &ohh["flags"]), (&Value::Null, &json!(["Observed"])));
    let list = |value: &Value| value.as_array().unwrap().clone();
    let amount = |value: &Value| value.as_u64().unwrap();
    let mut left: Vec<(u64, u64)> = Vec::new();
    for (player, seat) in list(&ohh["players"]).iter().zip(&hand.seats) {
        assert_eq!(player["name"], json!(seat.player));
        assert!(player["id"] == player["seat"] && player["seat"] == json!(seat.due.seat));
        left.push((amount(&player["id"]), amount(&player["starting_stack"])));
    }
    assert_eq!(left.len(), hand.seats.len());
    let (mut put_in, mut number, mut board) = (0, 0, 0);
    let mut names = Vec::new();
    for (id, round) in list(&ohh["rounds"]).iter().enumerate() {
        let street = round["street"].as_str().unwrap().to_owned();
        assert_eq!(round["id"], json!(id));
        let cards = list(&round["cards"]);
        assert_eq!(
            cards.len(),
            match street.as_str() {
                "Flop" => 3,
                "Turn" | "River" => 1,
                _ => 0,
            }
        );
        board += cards.len();
        for action in list(&round["actions"]) {
            assert_eq!(action["action_number"], json!(number), "actions are numbered through the hand");
            number += 1;
            let word = action["action"].as_str().unwrap();
            assert!(!(word == "Bet" && street == "Preflop"), "no bet before the flop in this format");
            assert_eq!(["Shows Cards", "Mucks Cards"].contains(&word), street == "Showdown");
            let pays = [
                "Post Ante",
                "Post Dead",
                "Post SB",
                "Post BB",
                "Post Extra Blind",
                "Straddle",
                "Bet",
                "Raise",
                "Call",
            ];
            let player = left.iter_mut().find(|(id, _)| json!(id) == action["player_id"]).unwrap();
            if pays.contains(&word) {
                player.1 -= amount(&action["amount"]);
                put_in += amount(&action["amount"]);
                assert_eq!(action["is_allin"], json!(player.1 == 0), "{action}");
            } else {
                assert!(["Dealt Cards", "Fold", "Check", "Shows Cards", "Mucks Cards"].contains(&word), "{word}");
                assert!(action["amount"].is_null());
            }
        }
        names.push(street);
    }
    let order = ["Preflop", "Flop", "Turn", "River", "Showdown"];
    let at: Vec<_> = names.iter().map(|name| order.iter().position(|one| one == name).unwrap()).collect();
    assert!(at.windows(2).all(|pair| pair[0] < pair[1]) && board == hand.board.len(), "{names:?}");
    let mut back = hand.uncalled.map_or(0, |back| back.amount.units());
    if let Some(back) = hand.uncalled {
        left.iter_mut().find(|(id, _)| *id == u64::from(back.seat)).unwrap().1 += back.amount.units();
    }
    for (index, pot) in list(&ohh["pots"]).iter().enumerate() {
        assert_eq!(pot["number"], json!(index));
        let mut paid = amount(&pot["rake"]);
        for win in list(&pot["player_wins"]) {
            paid += amount(&win["win_amount"]);
            left.iter_mut().find(|(id, _)| json!(id) == win["player_id"]).unwrap().1 += amount(&win["win_amount"]);
        }
        assert_eq!(paid, amount(&pot["amount"]), "{pot}");
        back += paid;
    }
    assert_eq!(back, put_in, "what was put in is paid, raked or given back");
    let finishing: Vec<u64> = hand.seats.iter().map(|seat| seat.finishing.units()).collect();
    assert_eq!(left.iter().map(|(_, stack)| *stack).collect::<Vec<_>>(), finishing);
}

/// The openings of a player's hole cards, as the house gives them to that player alone.
fn own_openings(house: &House, hand: &HandHistory, place: usize) -> Vec<Opening> {
    let started = entries(&house.log);
    let epoch = started
        .iter()
        .take_while(|entry| entry.time <= hand.started)
        .flat_map(|entry| &entry.events)
        .filter_map(|event| if let Event::DealerStarted { epoch, .. } = event { Some(*epoch) } else { None })
        .last()
        .unwrap();
    let context =
        fairshoe_fairness::TableContext { origin: hand.log.clone().unwrap(), epoch, table: hand.round.table.clone() };
    let shoe = ShoeId { context, shoe_no: hand.shoe_no, composition: hand.composition.clone() };
    hand.seats[place].hole.iter().map(|slot| house.seeds.open(&shoe, hand.pick, *slot).unwrap()).collect()
}

fn words(cards: impl IntoIterator<Item = Card>) -> String {
    cards.into_iter().map(|card| card.to_string()).collect()
}

#[test]
fn hole_cards_are_hidden_but_those_shown_and_ones_own() {
    let house = room("omaha", &[], 21, 40);
    let hands = settled(&told(&house));
    let mut hidden = 0;
    for hand in &hands {
        let public = hand.to_phh().unwrap();
        for place in 0..hand.seats.len() {
            let openings = own_openings(&house, hand, place);
            let cards = words(openings.iter().map(|opening| opening.card().unwrap()));
            let shown = !hand.seats[place].shown.is_empty();
            assert_eq!(public.contains(&cards), shown, "{public}");
            assert!(public.contains(&format!("d dh p{} ????????", place + 1)));
            let salts =
                |text: &str| openings.iter().filter(|opening| text.contains(&hex::encode(opening.salt))).count();
            assert_eq!(salts(&public), if shown { 4 } else { 0 });
            hidden += usize::from(!shown);

            let mut own = hand.clone();
            let turned: Vec<Opening> = openings.iter().rev().cloned().collect();
            own.show_own(&turned).unwrap();
            let (phh, ohh) = (own.to_phh().unwrap(), own.to_ohh().unwrap().to_string());
            assert!(phh.contains(&format!("d dh p{} {cards}\"", place + 1)) && salts(&phh) == 4);
            assert_eq!(fault(&phh), None, "{phh}");
            assert!(ohh.contains(&format!("\"hero_player_id\":{}", own.seats[place].due.seat)));
            assert_eq!(phh.matches("????????").count(), hand.seats.len() - 1);
        }
    }
    assert!(hidden > 20, "{hidden}");
    let mut hand = hands[0].clone();
    let mine = own_openings(&house, &hand, 0);
    let other = own_openings(&house, &hand, 1);
    let untouched = hand.clone();
    for wrong in [&mine[..3], &[], &[&mine[..3], &other[..1]].concat(), &[&mine[..], &other[..1]].concat()] {
        assert_eq!(hand.show_own(wrong), Err(HistoryError::NotOwn { wanted: 4 }));
    }
    let mut forged = mine.clone();
    forged[2].value = (forged[2].value + 1) % 52;
    assert!(matches!(hand.show_own(&forged), Err(HistoryError::Unproven { slot, .. }) if slot == mine[2].slot));
    let mut later = hands[1].clone();
    assert!(later.show_own(&mine).is_err(), "the openings of another hand");
    assert_eq!(hand, untouched);
}

fn audit(args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_command_exports_hands_of_a_bundle_and_of_a_whole_log() {
    let house = room("holdem", &[], 3, 60);
    let told = told(&house);
    let hands = settled(&told);
    let void = told
        .iter()
        .find_map(|told| if let Told::Void { round, .. } = told { Some(round.to_string()) } else { None })
        .unwrap();
    let (hand, key) = (&hands[4], signer().verifier_key().to_string());
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let text = bundle(&house, &house.log, &hand.round.to_string()).to_json().unwrap();
    fs::write(path("hand.json"), &text).unwrap();

    // A hand of a bundle: printed, into a file, into a folder; and it replays.
    let (code, printed, err) = audit(&["history", &path("hand.json"), "--key", &key]);
    assert_eq!((code, printed.trim_end()), (Some(0), hand.to_phh().unwrap().trim_end()), "{err}");
    let file = path("made/hand.phh");
    assert_eq!(audit(&["history", &path("hand.json"), "--out", &file]).0, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), hand.to_phh().unwrap());
    let (code, said, _) = audit(&["replay", &file]);
    assert!(code == Some(0) && said.contains("1 end with the recorded stacks"), "{said}");
    let (code, said, _) =
        audit(&["history", &path("hand.json"), "--format", "ohh", "--out", &path("folder/"), "--json"]);
    assert!(code == Some(0) && said.contains(&format!("t1-{}.ohh", hand.round.round_no)), "{said}");
    let ohh: Value =
        serde_json::from_str(&fs::read_to_string(path(&format!("folder/t1-{}.ohh", hand.round.round_no))).unwrap())
            .unwrap();
    assert_eq!(ohh, hand.to_ohh().unwrap());

    // One's own cards.
    let openings = own_openings(&house, hand, 1);
    fs::write(path("own.json"), json!({ "openings": openings, "player": "x" }).to_string()).unwrap();
    let (code, printed, err) = audit(&["history", &path("hand.json"), "--own", &path("own.json")]);
    assert!(code == Some(0) && printed.contains("_own_openings"), "{err}");
    fs::write(path("own.json"), json!({ "receipts": [], "own": { "openings": openings, "cards": [] } }).to_string())
        .unwrap();
    assert!(audit(&["history", &path("hand.json"), "--own", &path("own.json")]).1.contains("_own_openings"));
    let mut forged = openings.clone();
    forged[0].salt[0] ^= 1;
    fs::write(path("own.json"), json!(forged).to_string()).unwrap();
    let (code, said, _) = audit(&["history", &path("hand.json"), "--own", &path("own.json"), "--out", &path("no.phh")]);
    assert!(code == Some(1) && said.contains("does not hold") && !dir.path().join("no.phh").exists(), "{said}");
    for garbage in ["", "{}", "[1]", "[]"] {
        fs::write(path("own.json"), garbage).unwrap();
        assert_eq!(audit(&["history", &path("hand.json"), "--own", &path("own.json")]).0, Some(2), "{garbage}");
    }

    // A bundle that is not sound, a hand that is void, one that is not there.
    let forged = text.replacen("\\\"rake\\\":", "\\\"rake\\\":1", 1);
    assert_ne!(forged, text);
    fs::write(path("forged.json"), forged).unwrap();
    let (code, said, _) = audit(&["history", &path("forged.json"), "--out", &path("no.phh")]);
    assert!(code == Some(1) && said.contains("NOT SOUND") && !dir.path().join("no.phh").exists(), "{said}");
    fs::write(path("void.json"), bundle(&house, &house.log, &void).to_json().unwrap()).unwrap();
    let (code, _, err) = audit(&["history", &path("void.json")]);
    assert!(code == Some(2) && err.contains("is void") && err.contains("every chip went back"), "{err}");
    assert_eq!(audit(&["history", &path("nothing.json")]).0, Some(2));
    assert_eq!(audit(&["history", &path("hand.json"), "--all"]).0, Some(2), "--all wants --out");
    assert_eq!(audit(&["history", &path("hand.json"), "--all", "--out", &file]).0, Some(2), "a bundle is no log");
    assert_eq!(audit(&["history", &path("hand.json"), "--json"]).0, Some(2));

    // A whole log.
    let service = Served::start(&house.log, &checkpoint(&house.log), &key, None);
    let (code, said, err) = audit(&["history", &service.address, "--all", "--out", &path("all.phhs"), "--json"]);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said} {err}"));
    assert_eq!((code, &report["hands"], &report["skipped"]), (Some(0), &json!(hands.len()), &json!([])));
    assert_eq!(report["void"].as_array().unwrap().len(), told.len() - hands.len());
    let (code, said, _) = audit(&["replay", &path("all.phhs"), "--json"]);
    let replayed: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, &replayed["equal"]), (Some(0), &json!(hands.len())), "{said}");
    let (code, said, _) = audit(&["history", &service.address, "--all", "--format", "ohh", "--out", &path("tables/")]);
    assert!(code == Some(0) && said.contains("tables/t1.ohh"), "{said}");
    let several = fs::read_to_string(path("tables/t1.ohh")).unwrap();
    let objects: Vec<Value> = several.split("\n\n").map(|object| serde_json::from_str(object).unwrap()).collect();
    assert_eq!(objects, hands.iter().map(|hand| hand.to_ohh().unwrap()).collect::<Vec<_>>());

    // Of a log that is not sound nothing is left, though most of its hands are.
    let mut changed = house.log.clone();
    let last = changed.len() - 1;
    let settled = (0..=last).rev().find(|at| String::from_utf8_lossy(&changed[*at]).contains("\"got\":")).unwrap();
    changed[settled] = String::from_utf8_lossy(&changed[settled]).replacen("\"got\":", "\"got\":1", 1).into_bytes();
    let service = Served::start(&changed, &checkpoint(&changed), &key, None);
    let (code, said, _) = audit(&["history", &service.address, "--all", "--out", &path("bad/")]);
    let left = fs::read_dir(path("bad")).map(Iterator::count).unwrap_or_default();
    assert!(code == Some(1) && said.contains("NOT SOUND") && left == 0, "{said} {left}");
}

/// Limit Omaha high and low, and short deck: what PokerKit knows beside [`ROOMS`].
const MORE_ROOMS: [(&str, &[(&str, &str)]); 2] = [
    (
        "omaha-hi-lo",
        &[(
            "hand",
            r#"{"family":"omaha","hi_lo":true,"betting":{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":4}},
                "full_blind":true,"ante_layers":true}"#,
        )],
    ),
    (
        "holdem",
        &[
            ("blinds", r#"{"small":100,"big":200,"ante":50,"straddle":false,"entry_post":"small"}"#),
            (
                "hand",
                r#"{"family":"short_deck","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,
                "ante_layers":true}"#,
            ),
        ],
    ),
];

/// Why PokerKit may refuse a hand, or come to other stacks; none for most.
fn not_its_own(hand: &HandHistory) -> Option<&'static str> {
    let rules = hand.rules.cash().unwrap().hand;
    let limit = matches!(rules.betting, BettingRule::FixedLimit { .. });
    let no_limit = matches!(rules.betting, BettingRule::NoLimit { .. });
    let known = match (rules.family, rules.hi_lo) {
        (Family::Holdem, false) => limit || no_limit,
        (Family::ShortDeck, false) => no_limit,
        (Family::Omaha, false) => !limit && !no_limit,
        (Family::Omaha, true) => limit,
        _ => false,
    };
    let most = |live: &dyn Fn(&fairshoe_judge::history::DealtIn) -> Chips| hand.seats.iter().map(live).max();
    let is_short = |seat: &fairshoe_judge::history::DealtIn| {
        let paid = seat.posted();
        paid.ante < seat.due.ante || paid.dead < seat.due.dead
    };
    if !known {
        Some("a variant that the notation lacks")
    } else if most(&|seat| seat.posted().live) < most(&|seat| seat.due.live) {
        Some("a short blind that is called in full")
    } else if hand.seats.iter().any(|seat| seat.due.dead > chips(0)) && hand.seats.iter().any(is_short) {
        Some("a dead post beside a short ante")
    } else {
        None
    }
}

#[test]
fn pokerkit_comes_to_the_same_stacks() {
    let foreign = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pokerkit");
    let python = match foreign::with_packages(&foreign.join("pokerkit.txt"), &folder, "import pokerkit") {
        Ok(python) => python,
        Err(why) => {
            println!("skipped: PokerKit plays our hands: {}", why.lines().last().unwrap_or_default());
            return;
        }
    };
    // A sample; slowly a thousand hands.
    let (each, events) = if effort() > 1 { (120, 1..9) } else { (12, 3..4) };
    let rooms = (31..).zip(ROOMS.into_iter().chain(MORE_ROOMS));
    let mut hands: Vec<HandHistory> =
        rooms.flat_map(|(seed, (rules, options))| settled(&told(&room(rules, options, seed, each)))).collect();
    for seed in events {
        hands.extend(settled(&told(&by_chance(seed))).into_iter().take(each));
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let text: String = (1..).zip(&hands).map(|(n, hand)| format!("[{n}]\n{}\n", hand.to_phh().unwrap())).collect();
    fs::write(file.path(), text).unwrap();
    let script = foreign.join("play_hands.py");
    let said = foreign::run(&python, &[script.to_str().unwrap(), file.path().to_str().unwrap()]).unwrap();
    let said: Vec<Value> = serde_json::from_str(&said).unwrap();
    assert_eq!(said.len(), hands.len());
    let (mut same, mut split, mut others) = (0, 0, BTreeMap::<&str, usize>::new());
    let mut refused = Vec::new();
    for (hand, said) in hands.iter().zip(&said) {
        let phh = || format!("{said}\n{}", hand.to_phh().unwrap());
        if let Some(why) = not_its_own(hand) {
            *others.entry(why).or_default() += 1;
            continue;
        }
        let Some(stacks) = said.as_array() else {
            refused.push(phh());
            continue;
        };
        // It takes no rake: what it gives more is the house's, at the cost of those who won the raked pots.
        let more: Vec<i64> = stacks
            .iter()
            .zip(&hand.seats)
            .map(|(stack, seat)| stack.as_i64().unwrap() - seat.finishing.signed())
            .collect();
        assert_eq!(more.iter().sum::<i64>(), hand.rake().signed(), "{}", phh());
        if hand.pots.iter().any(|pot| pot.won.len() > 1) {
            // Odd chips go other ways there, and the rake is off before a pot is split.
            split += 1;
            continue;
        }
        for (more, seat) in more.iter().zip(&hand.seats) {
            let of = hand.pots.iter().filter(|pot| pot.won[0].seat == seat.due.seat).map(|pot| pot.rake.signed());
            assert_eq!(*more, of.sum::<i64>(), "{}", phh());
        }
        same += 1;
    }
    println!("PokerKit: {same} hands the same to the chip, {split} with split pots in sum; not its own: {others:?}");
    assert!(refused.is_empty(), "{} refused, the first: {}", refused.len(), refused.join("\n"));
    assert!(same > 60, "{same}");
}
