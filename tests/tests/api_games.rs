//! The other games over HTTP: baccarat, roulette, Safe with its piles; every face opened against its own shoe's root.

use fairshoe_fairness::{Composition, HouseShoe, Opening, RoundEntropy, ServerSeed, ShoeRoot, pocket, spin};
use fairshoe_tests::company::{Company, quick};
use fairshoe_tests::wire::eventually;
use fairshoe_tests::{Client, Json, Rng, Service, audit, events};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A shoe's root and composition, from its commitment.
fn committed(client: &Client, table: &str, shoe_no: u64) -> (ShoeRoot, Composition) {
    let shoe = client.get(&format!("/v1/shoes/{table}/{shoe_no}")).expect_status(200);
    (
        shoe["candidates"][0]["root"].as_str().unwrap().parse().unwrap(),
        shoe["composition"].as_str().unwrap().parse().unwrap(),
    )
}

/// Verifies openings, each against its own shoe; returns the value of each slot of each shoe.
fn opened(client: &Client, table: &str, plain: u64, openings: &Value) -> BTreeMap<(u64, u16), u8> {
    let mut found = BTreeMap::new();
    for value in openings.as_array().into_iter().flatten() {
        let mut value = value.clone();
        let named = value.as_object_mut().unwrap().remove("shoe_no").map(|shoe| shoe.int());
        let shoe_no = named.unwrap_or(plain);
        assert_ne!(named, Some(plain), "a round's own shoe is not named");
        let opening: Opening = serde_json::from_value(value).unwrap();
        let (root, composition) = committed(client, table, shoe_no);
        opening.verify(&root, &composition).unwrap();
        assert_eq!(found.insert((shoe_no, opening.slot.0), opening.value), None, "a slot is opened once");
    }
    found
}

/// The verdict on a round's bundle.
fn verdict(client: &Client, round: &str) -> String {
    let bundle = client.get(&format!("/v1/rounds/{round}/bundle")).expect_status(200);
    let verdict = client.post("/v1/verify", &bundle).expect_status(200);
    assert_ne!(verdict["verdict"], "not_sound", "{verdict}");
    verdict["verdict"].text()
}

#[test]
fn r001_143_every_spin_is_opened_and_its_pocket_follows_from_the_seeds() {
    let service = Service::fresh(&[]);
    let company =
        Company::at_new_table(&service, "wheel", "roulette", &json!({ "spins": 4 }), &["alice", "bob"], 1_000_000);
    company.sit();
    let mut rng = Rng(21);
    let mut values = BTreeMap::new();
    for spin_no in 0..5u64 {
        let mut last = Value::Null;
        let round_no = company.play(&mut rng, |reply| last = reply.clone());
        let round = &last["round"];
        assert_eq!(
            (&round["phase"], &round["shoe_no"]),
            (&json!("settled"), &json!(spin_no / 4)),
            "four spins a wheel"
        );
        let spun = &round["game"]["spin"];
        assert_eq!(spun["slot"], spin_no % 4, "the next slot, one a round");
        let found = opened(&company.public, "wheel", spin_no / 4, &last["openings"]);
        let slot = spun["slot"].int() as u16;
        assert_eq!(found, BTreeMap::from([((spin_no / 4, slot), spun["value"].int() as u8)]));
        values.extend(found);
        let entropy: RoundEntropy = round["entropy"].as_str().unwrap().parse().unwrap();
        let fell = pocket(spun["value"].int() as u8, spin(&entropy, 1, 37), 37);
        assert_eq!(spun["pocket"], fell);
        for bet in round["game"]["bets"].list() {
            if let Some(number) = bet["spot"].as_str().unwrap().strip_prefix("straight:") {
                let wins = number.parse::<u8>().unwrap() == fell;
                let stake = bet["stake"].int();
                assert_eq!(bet["returned"], if wins { 36 * stake } else { 0 });
            }
        }
        assert_eq!(company.round(round_no)["openings"], last["openings"]);
        verdict(&company.public, &company.round_id(round_no));
    }
    // The first wheel is used up: its published seed gives the same values.
    let shoe = company.public.get("/v1/shoes/wheel/0").expect_status(200);
    assert_eq!(shoe["cause"], "threshold");
    let seed: ServerSeed = shoe["seeds"][0].as_str().unwrap().parse().unwrap();
    let house = HouseShoe::derive(&seed, &Composition::Wheel(4));
    for slot in 0..4u16 {
        assert_eq!(house.value(fairshoe_fairness::Slot(slot)), values.get(&(0, slot)).copied());
    }
    assert_eq!(verdict(&company.public, "wheel:0"), "sound");
    // A player who comes later may bet at once: a wheel's slots are independent.
    let carol = service.player("carol", 10_000);
    company.window();
    carol.client.post(&company.path("/seat"), &json!({})).expect_status(200);
    let placed = carol.place_bets("wheel", &json!([{ "spot": "black", "stake": 100 }]));
    assert_eq!((&placed.reply["round"]["phase"], &placed.reply["round"]["shoe_no"]), (&json!("betting"), &json!(1)));
}

#[test]
fn a_solo_wheel_and_a_solo_baccarat_table_are_players_own() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100_000);
    let nobody = service.anyone();
    for (rules, bets) in [
        ("rng-roulette", json!([{ "spot": "red", "stake": 100 }, { "spot": "straight:0", "stake": 200 }])),
        ("rng-baccarat", json!([{ "spot": "banker", "stake": 100 }, { "spot": "tie", "stake": 300 }])),
    ] {
        let made = alice.client.post("/v1/tables", &json!({ "rules": rules })).expect_status(201);
        let table = made["table"].as_str().unwrap();
        let before = alice.balance();
        let placed = alice.place_bets(table, &bets);
        assert_eq!(placed.reply["round"]["phase"], "awaiting_reveals", "a solo table's bets bind as they are placed");
        let done = alice.reveal(&placed);
        assert_eq!(done["round"]["phase"], "settled");
        assert_eq!(alice.balance(), before - done["round"]["staked"].int() + done["round"]["returned"].int());
        let found = opened(&nobody, table, 0, &done["openings"]);
        let shown = if rules == "rng-roulette" {
            1
        } else {
            done["round"]["game"]["player"]["cards"].list().len()
                + done["round"]["game"]["banker"]["cards"].list().len()
        };
        assert_eq!(found.len(), shown);
        verdict(&nobody, &placed.round);
        // A repeat gets the same reply.
        let again = alice.reveal(&placed);
        assert_eq!((&again["round"], &again["openings"]), (&done["round"], &done["openings"]));
    }
    // Only the operator may open shared tables.
    assert_eq!(alice.client.post("/v1/tables", &json!({ "rules": "baccarat" })).problem(403), "not_allowed");
}

#[test]
fn baccarat_is_dealt_to_a_whole_table_and_every_card_is_opened() {
    let service = Service::fresh(&[]);
    let company =
        Company::at_new_table(&service, "baccarat-2", "baccarat", &json!({}), &["alice", "bob", "carol"], 1_000_000);
    company.sit();
    let mut rng = Rng(22);
    for _ in 0..6 {
        let mut last = Value::Null;
        let round_no = company.play(&mut rng, |reply| last = reply.clone());
        let game = &last["round"]["game"];
        let found = opened(&company.public, "baccarat-2", 0, &last["openings"]);
        let mut points = Vec::new();
        for side in ["player", "banker"] {
            let cards = game[side]["cards"].list();
            for card in cards {
                let code = found[&(0, card["slot"].int() as u16)];
                let name = fairshoe_fairness::Card::from_code(code).unwrap().to_string();
                assert_eq!(card["card"], name.as_str());
            }
            points.push(game[side]["points"].int());
        }
        let outcome = match points[0].cmp(&points[1]) {
            std::cmp::Ordering::Greater => "player",
            std::cmp::Ordering::Less => "banker",
            std::cmp::Ordering::Equal => "tie",
        };
        assert_eq!(game["outcome"], outcome);
        verdict(&company.public, &company.round_id(round_no));
    }
    let total: u64 = company.players.iter().map(|player| player.balance()).sum();
    let log = service.operator().get("/v1/tables/baccarat-2/rounds").expect_status(200);
    let (staked, returned) =
        log["rounds"].items().fold((0, 0), |(s, r), round| (s + round["staked"].int(), r + round["returned"].int()));
    let placed: u64 = company.view()["window"]["bets"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|bet| bet["bets"][0]["stake"].int())
        .sum();
    assert_eq!(total + placed, 3_000_000 - staked + returned);
}

/// Plays Safe so that few players are lost and the pile runs out: stand if allowed, otherwise hit.
fn prudent(decision: &Value) -> Value {
    let offered: Vec<&str> = decision["options"].items().map(|option| option["action"].as_str().unwrap()).collect();
    let word = ["accept", "stand", "hit", "pass"].into_iter().find(|word| offered.contains(word));
    // Only the offer to discard a face-down hand is left, and no player has one here.
    json!(word.unwrap_or_else(|| panic!("{offered:?}")))
}

/// One step of a game; `false` if it is over, or waits for a new pile.
fn prudent_step(company: &Company, round: &Value, rng: &mut Rng) -> bool {
    if round["phase"] == "open" && round["pile"].is_null() {
        let decision = &round["decisions"][0];
        let player = company.players.iter().find(|player| decision["player"] == player.name.as_str()).unwrap();
        let body = json!({ "decision": decision["decision"], "action": prudent(decision) });
        player.client.post(&format!("/v1/rounds/{}/actions", round["id"].as_str().unwrap()), &body).expect_status(200);
        return true;
    }
    round["phase"] == "awaiting_reveals" && company.step(round, rng).is_some()
}

/// Plays games until one needs a new pile; returns its round.
fn until_a_pile(company: &Company, rng: &mut Rng) -> Value {
    for _ in 0..40 {
        let round_no = company.window()["round_no"].int();
        company.bet(rng);
        loop {
            let round = company.round(round_no)["round"].clone();
            if round["pile"].is_object() {
                return round;
            }
            if !prudent_step(company, &round, rng) {
                break;
            }
        }
    }
    panic!("no game of 40 used up its pile");
}

#[test]
fn r002_20_a_new_pile_in_mid_game_is_committed_shuffled_by_fresh_seeds_and_opened_as_its_own_shoe() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let names = ["ann", "bea", "cid", "dan", "eve", "fay"];
    let company = Company::at_new_table(&service, "safe-2", "safe", &json!({}), &names, 1_000_000);
    company.sit();
    let mut rng = Rng(23);
    let round = until_a_pile(&company, &mut rng);
    let id = round["id"].as_str().unwrap();
    let pile = &round["pile"];
    let (number, shoe_no) = (pile["round_no"].int(), pile["shoe_no"].int());
    assert_eq!((pile["awaits"].as_str(), number), (Some("commitments"), round["round_no"].int() + 1));
    assert_eq!(shoe_no, round["shoe_no"].int() + 1);
    let (_, composition) = committed(&company.public, "safe-2", shoe_no);
    assert!(composition.to_string().starts_with("cards:"), "the cards that were collected, by ascending code");
    verdict(&company.public, id);
    // The shuffle's number names the game wherever a round is read.
    let by_shuffle = format!("/v1/rounds/safe-2:{number}");
    assert_eq!(company.public.get(&by_shuffle).expect_status(200)["round"]["id"], round["id"]);
    // A player outside the game has no part; a player in it has one.
    let stranger = service.player("stranger", 0);
    let commit = format!("{by_shuffle}/commitments");
    let commitment = json!({ "commitment": "00".repeat(32) });
    assert_eq!(stranger.client.post(&commit, &commitment).problem(409), "not_a_contributor");
    assert_eq!(company.public.post(&commit, &commitment).problem(401), "unauthorized");
    assert_eq!(stranger.client.post(&format!("/v1/rounds/{id}/commitments"), &commitment).problem(409), "wrong_round");
    let first = company.players.iter().find(|player| pile["players"][0]["player"] == player.name.as_str()).unwrap();
    let early = company.reveal(first, number);
    assert_eq!(early.problem(409), "nothing_to_do", "commitments come first");
    let mut made = Vec::new();
    loop {
        let now = company.round(round["round_no"].int())["round"].clone();
        if now["pile"]["awaits"] != "commitments" {
            break;
        }
        made.push(company.shuffle_step(&now["pile"]));
    }
    assert_eq!(made.len(), pile["players"].list().len());
    let body = json!({ "commitment": first.commitment(&company.view(), number) });
    let again = first.client.post(&commit, &body).expect_status(200);
    assert_eq!(
        (&again["receipts"][0]["entry"], &again["round"]),
        (&made[0]["receipts"][0]["entry"], &made[0]["round"]),
        "a repeat"
    );
    assert_eq!(first.client.post(&commit, &json!({ "commitment": "11".repeat(32) })).problem(409), "nothing_to_do");
    let wrong = json!({ "player": first.name.as_str(), "seed": "00".repeat(32) });
    assert_eq!(company.public.post(&format!("{by_shuffle}/reveals"), &wrong).problem(409), "seed_does_not_open");
    let last = loop {
        let now = company.round(round["round_no"].int())["round"].clone();
        let reply = company.shuffle_step(&now["pile"]);
        if reply["round"]["pile"].is_null() {
            break reply;
        }
    };
    // The deal from the new pile: opened against the new pile's root, which it names.
    assert_eq!(last["round"]["shoes"], json!([round["shoe_no"], shoe_no]));
    let plain = round["shoe_no"].int();
    let fresh = opened(&company.public, "safe-2", plain, &last["openings"]);
    assert!(!fresh.is_empty() && fresh.keys().all(|(shoe, _)| *shoe == shoe_no), "{fresh:?}");
    for player in last["round"]["game"]["players"].items().filter(|player| player["hand"].is_object()) {
        for card in player["hand"]["cards"].list() {
            assert_eq!(card["pile"], 1);
            let code = fresh[&(shoe_no, card["slot"].int() as u16)];
            assert_eq!(card["card"], fairshoe_fairness::Card::from_code(code).unwrap().to_string().as_str());
        }
    }
    verdict(&company.public, id);
    // Played to its end, through more piles if needed: then every pile's seed is published.
    let game = round["round_no"].int();
    loop {
        let now = company.round(game)["round"].clone();
        if now["pile"].is_object() {
            company.shuffle_step(&now["pile"]);
        } else if !prudent_step(&company, &now, &mut rng) {
            break;
        }
    }
    let done = company.round(game);
    assert_eq!(done["round"]["phase"], "settled");
    let all = opened(&company.public, "safe-2", plain, &done["openings"]);
    for shoe in done["round"]["shoes"].list() {
        let shoe = shoe.int();
        let history = company.public.get(&format!("/v1/shoes/safe-2/{shoe}")).expect_status(200);
        let seed: ServerSeed = history["seeds"][0].as_str().unwrap().parse().unwrap();
        let house = HouseShoe::derive(&seed, &history["composition"].as_str().unwrap().parse().unwrap());
        for ((_, slot), value) in all.iter().filter(|((of, _), _)| *of == shoe) {
            assert_eq!(house.value(fairshoe_fairness::Slot(*slot)), Some(*value));
        }
    }
    assert_eq!(verdict(&company.public, id), "sound");
    // The list of rounds has games, not shuffles.
    let listed = company.public.get("/v1/tables/safe-2/rounds").expect_status(200);
    assert!(listed["rounds"].items().all(|one| one["id"] != format!("safe-2:{number}")));
    audit(&company.public);
}

#[test]
fn a002_m_who_takes_no_part_in_a_shuffle_is_out_and_it_is_repeated_without_him() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let names = ["ann", "bea", "cid", "dan", "eve", "fay"];
    let company = Company::at_new_table(&service, "s", "safe", &quick(30_000, 4_000, 30_000), &names, 1_000_000);
    company.sit();
    let mut rng = Rng(24);
    let round = loop {
        let round = until_a_pile(&company, &mut rng);
        if round["pile"]["players"].list().len() > 2 {
            break round;
        }
        // Two are too few to see it repeated: neither takes part, and the game ends with the last of them.
        let game = round["round_no"].int();
        eventually("its end", || company.round(game)["round"]["phase"] != "open");
    };
    let game = round["round_no"].int();
    let pile = round["pile"].clone();
    let first = pile["players"][0]["player"].clone();
    // All but the first commit. The first is out at the deadline, by name; the next shuffle has another number and
    // shoe.
    for part in pile["players"].items().skip(1) {
        let player = company.players.iter().find(|player| part["player"] == player.name.as_str()).unwrap();
        let number = pile["round_no"].int();
        let body = json!({ "commitment": player.commitment(&company.view(), number) });
        player.client.post(&format!("/v1/rounds/s:{number}/commitments"), &body).expect_status(200);
    }
    eventually("the next shuffle", || {
        let now = company.round(game)["round"].clone();
        now["phase"] != "open" || now["pile"]["round_no"] != pile["round_no"]
    });
    let entries = company.public.get("/v1/tables/s/entries?limit=256&from_seq=0").expect_status(200);
    let mut seq = 0;
    let mut failed = None;
    let mut page = entries;
    while failed.is_none() {
        for one in page["entries"].list() {
            let entry: Value = serde_json::from_str(one["entry"].as_str().unwrap()).unwrap();
            // An earlier game of two may have had a failed pile; this game's pile is wanted.
            if let Some(event) =
                events(&entry, "pile_failed").iter().find(|event| event["round_no"] == pile["round_no"])
            {
                failed = Some(((*event).clone(), entry.clone()));
            }
        }
        seq = page["next_seq"].int().max(seq);
        page = company.public.get(&format!("/v1/tables/s/entries?limit=256&from_seq={seq}")).expect_status(200);
        assert!(failed.is_some() || !page["entries"].list().is_empty());
    }
    let (failed, entry) = failed.unwrap();
    assert_eq!((&failed["round_no"], &failed["missing"]), (&pile["round_no"], &json!([first])));
    assert_eq!((&entry["by"], &entry["command"]["lapse"]["lapsed"]), (&json!("house"), &json!("pile")));
    assert_eq!(events(&entry, "absent")[0]["player"], first);
    let unused = company.public.get(&format!("/v1/shoes/s/{}", pile["shoe_no"])).expect_status(200);
    assert_eq!(unused["cause"], "pile_unused", "the pile that was not used is revealed");
    assert!(unused["seeds"].is_array());
    let now = company.round(game)["round"].clone();
    if now["phase"] == "open" && now["pile"].is_object() {
        assert!(now["pile"]["round_no"].as_u64() > pile["round_no"].as_u64());
        assert!(now["pile"]["players"].items().all(|part| part["player"] != first));
    }
    verdict(&company.public, round["id"].as_str().unwrap());
    audit(&company.public);
}
