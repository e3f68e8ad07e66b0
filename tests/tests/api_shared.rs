//! Shared tables over HTTP: seats, the betting window, "no more bets", seeds of several players, turn clocks.

use fairshoe_fairness::{Opening, ShoeRoot};
use fairshoe_tests::company::{Company, quick};
use fairshoe_tests::wire::eventually;
use fairshoe_tests::{Json, Player, Rng, Service, audit, events, policy, verify_receipt};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn entry(reply: &Value) -> Value {
    serde_json::from_str(reply["receipts"][0]["entry"].as_str().unwrap()).unwrap()
}

/// The commands of a table's entries from a sequence number on, with the entries.
fn commands(company: &Company, from_seq: u64) -> Vec<(String, Value)> {
    let page = company.public.get(&company.path(&format!("/entries?from_seq={from_seq}&limit=256"))).expect_status(200);
    let read = |one: &Value| -> (String, Value) {
        let entry: Value = serde_json::from_str(one["entry"].as_str().unwrap()).unwrap();
        let word = entry["command"].as_object().unwrap().keys().next().unwrap().clone();
        (word, entry)
    };
    page["entries"].items().map(read).collect()
}

fn size(company: &Company) -> u64 {
    company.public.get(&company.path("/entries?limit=256")).expect_status(200)["next_seq"].int()
}

#[test]
fn two_players_play_a_round_from_seat_to_settlement() {
    let service = Service::fresh(&[]);
    let company = Company::new(&service, "live-blackjack-1", &["alice", "bob"], 10_000);
    let [alice, bob] = &company.players[..] else { panic!() };
    let policy = policy(&company.public);

    let sat = alice.client.post(&company.path("/seat"), &json!({ "seat": 3 })).expect_status(200);
    let (sat, _) = verify_receipt(&policy, &sat["receipts"][0]);
    assert_eq!(events(&sat, "seat_taken"), [&json!({ "player": "alice", "seat": 3 })]);
    assert_eq!(events(&sat, "play_asked").len(), 1);
    bob.client.post(&company.path("/seat"), &json!({})).expect_status(200);
    let view = company.view();
    let taken: Vec<_> = view["seats"].items().map(|s| (s["seat"].clone(), s["player"].clone())).collect();
    assert_eq!(taken, [(json!(1), json!("bob")), (json!(3), json!("alice"))], "the first free seat, and the one named");
    let window = company.window();
    assert_eq!(window["expected"], json!(["alice", "bob"]));
    assert_eq!((&window["bets"], &window["round_no"]), (&json!([]), &json!(0)));

    // A placed bet may be repeated, replaced and cancelled; the chips are debited at once and come back at once.
    let placed = alice.place_bets(&company.table, &json!([{ "spot": "3", "stake": 100 }]));
    assert_eq!(placed.reply["round"]["phase"], "betting");
    assert_eq!(placed.reply["round"]["closes_at"], window["closes_at"]);
    assert_eq!(placed.reply["round"]["game"], Value::Null);
    assert_eq!(placed.reply["balance"], 9_900);
    let (bet, under) = verify_receipt(&policy, &placed.reply["receipts"][0]);
    assert_eq!(events(&bet, "bet_placed")[0]["bet"]["commitment"], placed.request["commitment"]);
    let (committed, same) = verify_receipt(&policy, &placed.reply["receipts"][1]);
    assert_eq!(under, same);
    assert_eq!(events(&committed, "shoe_committed")[0]["composition"], "52x8");
    let bets = company.path("/bets");
    let again = alice.client.post(&bets, &placed.request).expect_status(200);
    assert_eq!(again["receipts"][0]["entry"], placed.reply["receipts"][0]["entry"], "the same bet is the same entry");
    assert_eq!((&again["round"], &again["balance"]), (&placed.reply["round"], &placed.reply["balance"]));
    let mut more = placed.request.clone();
    more["bets"][0]["stake"] = json!(300);
    let raised = alice.client.post(&bets, &more).expect_status(200);
    assert_eq!(raised["balance"], 9_700);
    assert_eq!(company.view()["window"]["bets"][0]["bets"], more["bets"]);
    let back = alice.client.delete(&company.path("/bets/0")).expect_status(200);
    assert_eq!((events(&entry(&back), "bet_cancelled").len(), &back["balance"]), (1, &json!(10_000)));
    assert_eq!(
        alice.client.delete(&company.path("/bets/0")).expect_status(200)["receipts"][0]["index"],
        back["receipts"][0]["index"]
    );
    assert_eq!(bob.client.delete(&company.path("/bets/0")).problem(409), "no_bet");
    assert_eq!(bob.client.delete(&company.path("/bets/7")).problem(409), "wrong_round");
    let placed = alice.place_bets(&company.table, &json!([{ "spot": "3", "stake": 200 }]));
    // Another player's seat is only their spot.
    let mut stolen = bob.body_for(&company.table, &json!([{ "spot": "3", "stake": 100 }])).0;
    let refused = bob.client.post(&bets, &stolen);
    assert_eq!(refused.problem(409), "spot_taken");
    let detail = refused.json()["detail"].text();
    let seat = company.seat_of(bob).unwrap();
    assert!(detail.ends_with(&format!(": yours is `{seat}`, the number of your seat")), "{detail}");
    stolen["bets"] = json!([{ "spot": "1", "stake": 101 }]);
    assert_eq!(bob.client.post(&bets, &stolen).problem(422), "off_step");

    // All have bet: bets close at once in the same entry, and no bet is accepted, raised or cancelled after it.
    let before = size(&company);
    let theirs = bob.place_bets(&company.table, &json!([{ "spot": "1", "stake": 100 }]));
    let closing = commands(&company, before);
    assert_eq!(closing.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>(), ["bet", "close_bets"]);
    assert_eq!(closing[0].1["time"], closing[1].1["time"]);
    let closed = events(&closing[1].1, "bets_closed")[0];
    assert_eq!(closed["lanes"], 3, "two boxes and the dealer");
    let bound: Vec<_> = closed["contributors"].items().map(|c| c["commitment"].clone()).collect();
    assert_eq!(bound, [placed.request["commitment"].clone(), theirs.request["commitment"].clone()]);
    assert_eq!(
        alice.client.post(&bets, &more).problem(409),
        "round_in_progress",
        "also bets that were placed once and taken back"
    );
    assert_eq!(alice.client.delete(&company.path("/bets/0")).problem(409), "round_in_progress");
    let repeat = bob.client.post(&bets, &theirs.request).expect_status(200);
    assert_eq!(repeat["receipts"][0]["entry"], theirs.reply["receipts"][0]["entry"], "a repeat, after the close too");

    // A seed proves itself: anyone may send it. A player who withholds nothing but only watches sees no card before all
    // seeds are published.
    let body = json!({ "player": "alice", "seed": alice.seed(&company.table, 0).to_string() });
    let first = company.public.post("/v1/rounds/live-blackjack-1:0/reveals", &body).expect_status(200);
    assert_eq!((&first["round"]["phase"], first.get("openings")), (&json!("awaiting_reveals"), None));
    assert_eq!(first.get("balance"), None);
    let dealt = company.reveal(bob, 0).expect_status(200);
    assert_ne!(dealt["round"]["phase"], "awaiting_reveals");
    assert!(dealt["openings"].list().len() >= 5, "two boxes of two cards, and the up-card");
    let root: ShoeRoot = view["shoe"]["candidates"][0]["root"].as_str().unwrap().parse().unwrap();
    let composition = "52x8".parse().unwrap();
    for opening in dealt["openings"].list() {
        let opening: Opening = serde_json::from_value(opening.clone()).unwrap();
        opening.verify(&root, &composition).unwrap();
    }
    // Only the player of a decision decides.
    if let Some(decision) = dealt["round"]["decisions"].get(0) {
        let other = if decision["player"] == "alice" { bob } else { alice };
        let act = json!({ "decision": decision["decision"], "action": "stand" });
        assert_eq!(other.client.post("/v1/rounds/live-blackjack-1:0/actions", &act).problem(403), "not_your_decision");
    }
    let mut rng = Rng(11);
    while company.step(&company.round(0)["round"], &mut rng).is_some() {}
    let done = company.round(0)["round"].clone();
    assert_eq!(done["phase"], "settled");
    let total: u64 = done["contributors"].items().map(|c| c["returned"].int()).sum();
    assert_eq!(done["returned"], total);
    assert_eq!(alice.balance() + bob.balance(), 20_000 - done["staked"].int() + total);
    // The shoe stays; bets open again by themselves while a bettor sits.
    assert_eq!(company.window()["round_no"], 1);
    assert_eq!(company.view()["shoe"]["shoe_no"], 0);
    let bundle = company.public.get("/v1/rounds/live-blackjack-1:0/bundle").expect_status(200);
    let verdict = company.public.post("/v1/verify", &bundle).expect_status(200);
    assert_eq!(verdict["verdict"], "sound_so_far", "{verdict}");
    audit(&company.public);
}

#[test]
fn r001_54_the_insurance_window_asks_everyone_at_once() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let company = Company::new(&service, "live-blackjack-1", &["alice", "bob"], 1_000_000);
    company.sit();
    let mut rng = Rng(12);
    for _ in 0..300 {
        let round_no = company.window()["round_no"].int();
        company.bet(&mut rng);
        for player in &company.players {
            company.reveal(player, round_no).expect_status(200);
        }
        let round = company.round(round_no)["round"].clone();
        let asked: Vec<_> = round["decisions"].items().filter(|d| d["options"][0]["action"] == "insurance").collect();
        if asked.len() == 2 {
            // Answered in any order; no card is drawn while the window is open.
            let drawn = |round: &Value| {
                round["game"]["boxes"].items().map(|b| b["hands"][0]["cards"].list().len()).sum::<usize>()
            };
            for (at, take) in [(1, true), (0, false)] {
                assert_eq!(drawn(&company.round(round_no)["round"]), 4);
                let player = company.players.iter().find(|p| asked[at]["player"] == p.name.as_str()).unwrap();
                let before = player.balance();
                let act = json!({ "decision": asked[at]["decision"], "action": { "insurance": { "take": take } } });
                let path = format!("/v1/rounds/{}/actions", company.round_id(round_no));
                let reply = player.client.post(&path, &act).expect_status(200);
                let cost = events(&entry(&reply), "acted")[0]["cost"].int();
                assert_eq!(cost, if take { 50 } else { 0 });
                if reply["round"]["phase"] == "open" {
                    assert_eq!(player.balance(), before - cost);
                }
            }
            while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
            return;
        }
        while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
    }
    panic!("no ace and two plain hands in 300 rounds");
}

#[test]
fn c19_at_the_end_of_the_turn_clock_default_play_decides_and_the_house_does_it_itself() {
    let service = Service::fresh(&[]);
    let company =
        Company::at_new_table(&service, "fast", "six-deck", &quick(20_000, 20_000, 2_500), &["alice", "bob"], 10_000);
    company.sit();
    let mut rng = Rng(13);
    for _ in 0..30 {
        let round_no = company.window()["round_no"].int();
        let from = size(&company);
        company.bet(&mut rng);
        for player in &company.players {
            company.reveal(player, round_no).expect_status(200);
        }
        let asked = company.round(round_no)["round"]["decisions"].list().len();
        if asked == 0 {
            continue;
        }
        eventually("default play", || company.round(round_no)["round"]["phase"] == "settled");
        let lapses: Vec<Value> =
            commands(&company, from).into_iter().filter(|(word, _)| word == "lapse").map(|(_, entry)| entry).collect();
        assert!(!lapses.is_empty());
        for lapse in &lapses {
            assert_eq!((&lapse["by"], &lapse["command"]["lapse"]["lapsed"]), (&json!("house"), &json!("turn")));
            assert!(events(lapse, "acted").iter().all(|acted| acted["default"] == true));
        }
        return;
    }
    panic!("30 rounds without a decision");
}

#[test]
fn c15_a_withheld_seed_voids_the_round_by_name_and_the_second_one_is_kept_out() {
    let service = Service::fresh(&[]);
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let company =
        Company::at_new_table(&service, "seven", "live-blackjack", &quick(20_000, 3_000, 3_000), &names, 10_000);
    company.sit();
    let mut rng = Rng(14);
    let last = &company.players[6];
    for offence in 1..=2 {
        let round_no = company.window()["round_no"].int();
        let balances: Vec<u64> = company.players.iter().map(Player::balance).collect();
        let from = size(&company);
        company.bet(&mut rng);
        for player in &company.players[..6] {
            let reply = company.reveal(player, round_no).expect_status(200);
            assert_eq!((&reply["round"]["phase"], reply.get("openings")), (&json!("awaiting_reveals"), None));
        }
        eventually("the void", || company.round(round_no)["round"]["phase"] == "voided");
        let void = commands(&company, from).into_iter().find(|(word, _)| word == "lapse").unwrap().1;
        let voided = events(&void, "round_voided")[0];
        assert_eq!(
            (&voided["cause"], &voided["missing"], &voided["ahead"]),
            (&json!("reveal_missing"), &json!(["g"]), &json!("nobody"))
        );
        let cooldown = events(&void, "cooldown")[0];
        assert_eq!((&cooldown["player"], &cooldown["offences"]), (&json!("g"), &json!(offence)));
        let wait = cooldown["until"].int() - void["time"].int();
        assert_eq!(wait, if offence == 1 { 0 } else { 5 * 60_000 });
        assert_eq!(events(&void, "seat_left"), [&json!({ "player": "g", "seat": 7 })]);
        assert_eq!(company.players.iter().map(Player::balance).collect::<Vec<_>>(), balances, "every bet came back");
        assert_eq!(company.view()["withheld_in_last_100"], offence);
        let late = company.reveal(last, round_no);
        assert_eq!(late.problem(409), "wrong_round", "the seed is of no use any more");
        if offence == 1 {
            // On the first step of the ladder a player may sit down again at once; within the shoe the bettors of its
            // last round may bet.
            last.client.post(&company.path("/seat"), &json!({ "seat": 7 })).expect_status(200);
        }
    }
    assert_eq!(last.client.post(&company.path("/seat"), &json!({})).problem(409), "cooldown");
    assert_eq!(
        last.client.post("/v1/tables/roulette-1/seat", &json!({})).problem(409),
        "cooldown",
        "at every shared table"
    );
    // The others continue without that player, with the same shoe.
    let round_no = company.window()["round_no"].int();
    let refused = last.body_for(&company.table, &json!([{ "spot": "7", "stake": 100 }])).0;
    assert_eq!(last.client.post(&company.path("/bets"), &refused).problem(409), "cooldown");
    assert_eq!(company.view()["shoe"]["shoe_no"], 0);
    for player in &company.players[..6] {
        player.place_bets(&company.table, &company.usual_bets(player, &mut rng));
    }
    assert_eq!(company.round(round_no)["round"]["contributors"].list().len(), 6);
    while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
    assert_eq!(company.round(round_no)["round"]["phase"], "settled");
    audit(&company.public);
}

#[test]
fn c11_a_newcomer_waits_for_a_new_shoe_and_must_bet_then() {
    let service = Service::fresh(&[]);
    let options = quick(4_000, 20_000, 20_000);
    let company = Company::at_new_table(&service, "t", "live-blackjack", &options, &["alice"], 100_000);
    let alice = &company.players[0];
    let bob = service.player("bob", 10_000);
    let mut rng = Rng(15);
    // A player without a seat can only watch.
    assert_eq!(
        bob.client
            .post(&company.path("/bets"), &bob.body_for("t", &json!([{ "spot": "2", "stake": 100 }])).0)
            .problem(409),
        "bets_not_open"
    );
    company.sit();
    company.window();
    assert_eq!(
        bob.client
            .post(&company.path("/bets"), &bob.body_for("t", &json!([{ "spot": "2", "stake": 100 }])).0)
            .problem(409),
        "not_seated"
    );
    company.play(&mut rng, |_| {});
    // Bob sits down while the shoe is in use: for this round bob waits.
    let round_no = company.window()["round_no"].int();
    bob.client.post(&company.path("/seat"), &json!({ "seat": 2 })).expect_status(200);
    let bet = bob.body_for("t", &json!([{ "spot": "2", "stake": 100 }])).0;
    assert_eq!(bob.client.post(&company.path("/bets"), &bet).problem(409), "newcomer_waits");
    let seat = |name: &str| company.view()["seats"].items().find(|seat| seat["player"] == name).cloned();
    assert_eq!(seat("bob").unwrap()["waits_for_shoe"], true);
    assert_eq!(company.view()["shoe"]["shoe_no"], 0);
    let from = size(&company);
    alice.place_bets("t", &company.usual_bets(alice, &mut rng));
    while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
    // The house changes the shoe for bob, by rule and before bets open.
    let next = company.window();
    assert_eq!((&next["shoe_no"], &next["expected"]), (&json!(1), &json!(["alice", "bob"])));
    let changed = commands(&company, from).into_iter().find(|(word, _)| word == "retire_shoe").unwrap().1;
    assert_eq!(events(&changed, "shoe_revealed")[0]["cause"], "newcomer");
    let shoe = company.public.get("/v1/shoes/t/0").expect_status(200);
    assert_eq!(shoe["cause"], "newcomer");
    assert!(shoe["seeds"].is_array());
    // Bob asked for it and does not bet: the window ends with alice's bet alone, and bob gets a cooldown.
    alice.place_bets("t", &company.usual_bets(alice, &mut rng));
    let round_no = next["round_no"].int();
    eventually("the window's end", || company.public.get(&format!("/v1/rounds/t:{round_no}")).status == 200);
    let closed = commands(&company, from).into_iter().rfind(|(word, _)| word == "close_bets").unwrap().1;
    assert_eq!(closed["by"], "house");
    let cooldown = events(&closed, "cooldown");
    assert_eq!((&cooldown[0]["player"], &cooldown[0]["offence"]), (&json!("bob"), &json!("no_bet")));
    assert_eq!(seat("bob").unwrap()["misses"], 2);
    while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
    audit(&company.public);
}

#[test]
fn seats_are_taken_once_left_freely_and_lost_by_staying_away() {
    let service = Service::fresh(&[]);
    let options = quick(2_500, 5_000, 5_000);
    let company = Company::at_new_table(&service, "t", "six-deck", &options, &["a", "b", "c", "d", "e"], 1_000);
    let poor = service.player("poor", 1);
    let sit = |player: &Player, body: Value| player.client.post(&company.path("/seat"), &body);
    let [a, b, c, d, e] = &company.players[..] else { panic!() };
    let seated = sit(a, json!({ "seat": 2 })).expect_status(200);
    assert_eq!(sit(b, json!({ "seat": 2 })).problem(409), "seat_not_free");
    assert_eq!(sit(b, json!({ "seat": 6 })).problem(409), "seat_not_free");
    assert_eq!(sit(b, json!({ "seat": 0 })).problem(409), "seat_not_free");
    assert_eq!(sit(b, json!({ "seat": 256 })).problem(400), "malformed");
    assert_eq!(sit(a, json!({ "seat": 3 })).problem(409), "seat_not_free");
    // After a crash of the client a player asks again, and gets the entry that seated them.
    for again in [json!({}), json!({ "seat": 2 })] {
        let reply = sit(a, again).expect_status(200);
        assert_eq!(reply["receipts"][0]["entry"], seated["receipts"][0]["entry"], "they are expected already");
    }
    // A key belongs to one entry: it must give the same reply after the seat is left, too.
    for again in [json!({}), json!({ "seat": 2 })] {
        let key = [("idempotency-key", "another")];
        assert_eq!(a.client.post_with(&company.path("/seat"), &again, &key).problem(409), "nothing_to_do");
    }
    assert_eq!(sit(&poor, json!({})).problem(409), "chips_needed");
    assert_eq!(poor.client.post("/v1/tables/joy-1/seat", &json!({})).problem(409), "solo_table");
    assert_eq!(poor.client.delete("/v1/tables/joy-1/seat").problem(409), "solo_table");
    assert_eq!(b.client.delete(&company.path("/seat")).problem(409), "not_seated");
    assert_eq!(service.operator().post(&company.path("/seat"), &json!({})).problem(403), "not_allowed");
    assert_eq!(a.client.post("/v1/tables/none/seat", &json!({})).problem(404), "unknown_table");
    // Everyone at once, without a number: four different seats.
    std::thread::scope(|scope| {
        for player in [b, c, d, e] {
            scope.spawn(|| sit(player, json!({})).expect_status(200));
        }
    });
    let taken: BTreeSet<u64> = company.view()["seats"].items().map(|seat| seat["seat"].int()).collect();
    assert_eq!(taken, (1..=5).collect());
    let sixth = service.player("sixth", 100);
    assert_eq!(sit(&sixth, json!({})).problem(409), "seat_not_free");
    // Leaving cancels the placed bet.
    company.window();
    let placed = a.body_for(&company.table, &json!([{ "spot": "2", "stake": 10 }])).0;
    let reply = a.client.post(&company.path("/bets"), &placed);
    if reply.status == 200 {
        let left = a.client.delete(&company.path("/seat"));
        if left.status == 200 {
            assert_eq!(left.json()["balance"], 1_000);
        }
    } else {
        a.client.delete(&company.path("/seat")).expect_status(200);
    }
    // A window without bets lapses and takes no number; no player asks, so the next one is not opened.
    eventually("the lapse", || company.view()["window"].is_null());
    std::thread::sleep(std::time::Duration::from_millis(2_800));
    assert_eq!((&company.view()["window"], &company.view()["next_round"]), (&Value::Null, &json!(0)));
    // One plays on; the others let three windows pass and lose their seats.
    sit(b, json!({})).expect_status(200);
    let mut rng = Rng(18);
    let playing = Company { table: company.table.clone(), players: vec![b.clone()], public: service.anyone() };
    for _ in 0..4 {
        playing.play(&mut rng, |_| {});
    }
    let left: Vec<_> = company.view()["seats"].items().map(|seat| seat["player"].clone()).collect();
    assert_eq!(left, ["b"]);
    // A seat can be asked for again under one key: it is the same entry.
    let key = [("idempotency-key", "seat-1")];
    let first = sixth.client.post_with(&company.path("/seat"), &json!({}), &key).expect_status(200);
    let again = sixth.client.post_with(&company.path("/seat"), &json!({}), &key).expect_status(200);
    assert_eq!(
        (&first["receipts"][0]["entry"], &first["balance"]),
        (&again["receipts"][0]["entry"], &again["balance"])
    );
    // The same holds after the seat is left, when others have all seats.
    sixth.client.delete(&company.path("/seat")).expect_status(200);
    for player in [a, c, d, e] {
        sit(player, json!({})).expect_status(200);
    }
    assert_eq!(sixth.client.post(&company.path("/seat"), &json!({})).problem(409), "seat_not_free");
    let again = sixth.client.post_with(&company.path("/seat"), &json!({}), &key).expect_status(200);
    assert_eq!(again["receipts"][0]["entry"], first["receipts"][0]["entry"]);
    let other = sixth.client.post_with(&company.path("/seat"), &json!({ "seat": 2 }), &key);
    assert_eq!(other.problem(409), "idempotency_key_reused");
}

#[test]
fn changes_of_mind_are_bounded_so_that_nobody_swamps_the_shoes_history() {
    let service = Service::fresh(&[]);
    let company =
        Company::at_new_table(&service, "t", "roulette", &quick(60_000, 20_000, 20_000), &["alice", "bob"], 100_000);
    let [alice, bob] = &company.players[..] else { panic!() };
    company.sit();
    company.window();
    let bodies: Vec<Value> =
        [100, 200].map(|stake| alice.body_for("t", &json!([{ "spot": "red", "stake": stake }])).0).to_vec();
    let mut accepted = 0u64;
    let refused = loop {
        let reply = alice.client.post(&company.path("/bets"), &bodies[accepted as usize % 2]);
        if reply.status != 200 {
            break reply;
        }
        accepted += 1;
        assert!(accepted < 1_000, "there is no bound");
    };
    assert_eq!(refused.problem(429), "too_many_changes");
    assert!(refused.header("retry-after").is_some());
    // Alice's placed bet still counts, a repeat is still answered, and the others are not affected.
    let last = alice.client.post(&company.path("/bets"), &bodies[(accepted as usize + 1) % 2]).expect_status(200);
    assert_eq!(last["round"]["phase"], "betting");
    let placed = bob.place_bets("t", &json!([{ "spot": "black", "stake": 100 }]));
    assert_eq!(company.round(0)["round"]["phase"], "awaiting_reveals", "{}", placed.reply);
    let mut rng = Rng(19);
    while company.step(&company.round(0)["round"], &mut rng).is_some() {}
    // In the next window the time starts again.
    company.window();
    alice.place_bets("t", &json!([{ "spot": "red", "stake": 100 }]));
    let recalled = company.public.get("/v1/rounds/t:0/recall").expect_status(200);
    assert!(recalled["steps"].list().len() as u64 > 3 * accepted);
}

#[test]
fn the_operator_announces_voids_and_shuffles_and_nobody_else() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let company =
        Company::at_new_table(&service, "t", "six-deck", &json!({ "house_shuffle": true }), &["alice", "bob"], 1_000);
    let [alice, bob] = &company.players[..] else { panic!() };
    company.sit();
    let number = |view: &Value| view["round_no"].int();
    // A malfunction while bets are open: they come back, and the same number is opened again.
    let window = company.window();
    alice.place_bets("t", &json!([{ "spot": "1", "stake": 10 }]));
    let void = format!("/v1/rounds/t:{}/void", number(&window));
    assert_eq!(alice.client.post(&void, &json!({ "reason": "x" })).problem(403), "not_allowed");
    let key = [("idempotency-key", "v-1")];
    let voided = operator.post_with(&void, &json!({ "reason": "spilt drink" }), &key).expect_status(200);
    assert_eq!(events(&entry(&voided), "bets_lapsed")[0]["cause"], "malfunction");
    assert_eq!(alice.balance(), 1_000);
    assert_eq!(
        operator.post_with(&void, &json!({ "reason": "spilt drink" }), &key).expect_status(200)["receipts"],
        voided["receipts"]
    );
    let again = company.window();
    assert_eq!(number(&again), number(&window));
    // "No more bets", before the timer and before all have bet.
    alice.place_bets("t", &json!([{ "spot": "1", "stake": 10 }, { "spot": "3", "stake": 20 }]));
    let close = json!({ "round_no": number(&again) });
    assert_eq!(bob.client.post(&company.path("/close_bets"), &close).problem(403), "not_allowed");
    assert_eq!(operator.post(&company.path("/close_bets"), &json!({ "round_no": 9 })).problem(409), "wrong_round");
    let closed = operator.post(&company.path("/close_bets"), &close).expect_status(200);
    assert_eq!(closed["round"]["phase"], "awaiting_reveals");
    assert_eq!(events(&entry(&closed), "bets_closed")[0]["contributors"].list().len(), 1);
    assert_eq!(
        operator.post(&company.path("/close_bets"), &close).expect_status(200)["receipts"][0]["index"],
        closed["receipts"][0]["index"]
    );
    // R001.120: not without a cause, not if the rules exclude it; during a round it is announced for its end.
    let shuffle = json!({ "reason": "worn cards" });
    assert_eq!(operator.post(&company.path("/shuffle"), &json!({})).problem(400), "malformed");
    assert_eq!(operator.post("/v1/tables/six-deck-1/shuffle", &shuffle).problem(403), "not_allowed");
    assert_eq!(alice.client.post(&company.path("/shuffle"), &shuffle).problem(403), "not_allowed");
    let asked = operator.post(&company.path("/shuffle"), &shuffle).expect_status(200);
    assert_eq!(events(&entry(&asked), "shuffle_asked").len(), 1);
    assert_eq!(operator.post(&company.path("/shuffle"), &shuffle).problem(409), "nothing_to_do");
    assert_eq!((&company.view()["last_hand"], &company.view()["shoe"]["shoe_no"]), (&json!(true), &json!(0)));
    let mut rng = Rng(16);
    for player in &company.players {
        player.client.delete(&company.path("/seat")).expect_status(200);
    }
    while company.step(&company.round(number(&again))["round"], &mut rng).is_some() {}
    assert_eq!(company.public.get("/v1/shoes/t/0").expect_status(200)["cause"], "house_shuffle");
    assert_eq!((&company.view()["last_hand"], &company.view()["shoe"]["shoe_no"]), (&json!(false), &json!(1)));
    // Between rounds the shoe leaves at once, and the next one is there at once.
    let shuffled = entry(&operator.post(&company.path("/shuffle"), &shuffle).expect_status(200));
    assert_eq!(events(&shuffled, "shoe_revealed")[0]["cause"], "house_shuffle");
    assert_eq!(shuffled["command"]["retire_shoe"]["reason"], "worn cards");
    assert_eq!(company.view()["shoe"]["shoe_no"], 2);
    audit(&company.public);
}

#[test]
fn a_restart_returns_open_bets_and_resumes_a_shared_round_with_the_same_cards() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut company = Company::new(&service, "study-group-1", &["alice", "bob"], 10_000);
    company.sit();
    let mut rng = Rng(17);
    // An open round; and placed bets at another table.
    let (round_no, shown) = loop {
        let round_no = company.window()["round_no"].int();
        company.bet(&mut rng);
        for player in &company.players {
            company.reveal(player, round_no).expect_status(200);
        }
        let round = company.round(round_no)["round"].clone();
        if round["phase"] == "open" {
            break (round_no, round);
        }
    };
    let carol = service.player("carol", 1_000);
    carol.client.post("/v1/tables/baccarat-1/seat", &json!({})).expect_status(200);
    let other = service.player("other", 1_000);
    other.client.post("/v1/tables/baccarat-1/seat", &json!({})).expect_status(200);
    let placed = carol.place_bets("baccarat-1", &json!([{ "spot": "tie", "stake": 100 }]));
    assert_eq!(placed.reply["round"]["phase"], "betting");
    service.kill();
    service = Service::start(folder.path(), &[]);
    for player in &mut company.players {
        player.client = service.client(Some(&player.token));
    }
    company.public = service.anyone();
    let carol = Player { client: service.client(Some(&carol.token)), ..carol };
    assert_eq!(carol.balance(), 1_000, "bets that did not bind come back: the epoch changed");
    let resumed = company.round(round_no)["round"].clone();
    assert_eq!(resumed["game"], shown["game"], "the same cards");
    assert_eq!(resumed["decisions"][0]["decision"], shown["decisions"][0]["decision"]);
    assert!(
        resumed["decisions"][0]["deadline"].as_u64() > shown["decisions"][0]["deadline"].as_u64(),
        "the turn's time in full (C21)"
    );
    while company.step(&company.round(round_no)["round"], &mut rng).is_some() {}
    assert_eq!(company.round(round_no)["round"]["phase"], "settled");
    // The resumed round's shoe retires when the round is settled; the next shoe has the new epoch.
    assert_eq!(company.public.get("/v1/shoes/study-group-1/0").expect_status(200)["cause"], "restart");
    company.play(&mut rng, |_| {});
    audit(&company.public);
}
