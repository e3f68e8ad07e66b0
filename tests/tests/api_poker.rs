//! Cash tables over HTTP: hands with and without a showdown, own cards and their readers, chips, seats, a crash, an
//! auditor.

use fairshoe_fairness::{HouseShoe, ServerSeed};
use fairshoe_judge::bundle::{self, Soundness};
use fairshoe_tests::company::Company;
use fairshoe_tests::poker::{folds, passive, patient, verify_other_deck, verify_own};
use fairshoe_tests::wire::{Events, Frame, broken_off_each_time, eventually};
use fairshoe_tests::{
    Client, Json, Player, Rng, Service, audit, choose_at, events, policy, slow, verify_receipt, whole_log,
};
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

fn entry(reply: &Value) -> Value {
    serde_json::from_str(reply["receipts"][0]["entry"].as_str().unwrap()).unwrap()
}

fn room(service: &Service, names: &[&str]) -> Company {
    let company = Company::at_cash_table(service, "room", "holdem", &patient(), names);
    company.buy_in_all(10_000);
    company
}

fn auditor(service: &Service, name: &str) -> Client {
    let made = service.operator().post("/v1/auditors", &json!({ "name": name })).expect_status(201);
    service.client(made["token"].as_str())
}

/// The event of a round in its entries.
fn event_of(company: &Company, round_no: u64, word: &str) -> Value {
    for index in company.round(round_no)["entries"].list() {
        let entry = company.public.get(&format!("/v1/entries/{index}")).json();
        if let Some(found) = events(&entry, word).first() {
            return (*found).clone();
        }
    }
    panic!("there is no {word} in round {round_no}")
}

/// The sum of the players' chips, the table's chips and the house's rake: chips are neither made nor lost.
fn all_chips(company: &Company) -> u64 {
    let rake: u64 = company.public.get(&company.path("/rounds?limit=50")).expect_status(200)["rounds"]
        .items()
        .filter(|round| round["phase"] == "settled")
        .map(|round| round["staked"].int() - round["returned"].int())
        .sum();
    company.players.iter().map(|player| player.balance() + company.stack(player).unwrap_or(0)).sum::<u64>() + rake
}

fn sound_bundle(service: &Service, round: &str) {
    let bundle = service.anyone().get(&format!("/v1/rounds/{round}/bundle"));
    assert_eq!(bundle.status, 200, "{}", bundle.text());
    let key = service.anyone().get("/v1/log").json()["vkey"].as_str().unwrap().parse().unwrap();
    let verdict = bundle::verify(&bundle.body, Some(&key));
    assert_eq!(verdict.verdict, Soundness::Sound, "{:?}", verdict);
    let judged = service
        .anyone()
        .send("POST", "/v1/verify", Some(&bundle.body), &[("content-type", "application/json")])
        .unwrap();
    assert_eq!(judged.expect_status(200)["verdict"], "sound");
}

#[test]
fn three_players_play_hands_and_each_proves_his_own_cards() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let company = room(&service, &["alice", "bob", "cid"]);
    let carol = auditor(&service, "carol");
    let policy = policy(&company.public);
    let mut rng = Rng(0x70c3);
    let hands = if slow() { 60 } else { 8 };
    for hand in 0..hands {
        let round_no = company.deal(hand % 2 == 1);
        let view = company.view();
        let opened = event_of(&company, round_no, "round_opened");
        let shoe = company.public.get(&format!("/v1/shoes/room/{}", view["shoe"]["shoe_no"])).expect_status(200);
        assert_eq!((&shoe["seeds"], &shoe["sealed"]), (&Value::Null, &Value::Null));
        verify_other_deck(&view, &shoe, &opened);
        // Each player has two cards of the dealt deck, different from all others, and no other reader gets any.
        let mut cards = Vec::new();
        for player in &company.players {
            let own = &company.seen_by(player, round_no)["own"];
            assert_eq!((&own["candidate"], &own["round"]), (&opened["pick"], &json!(format!("room:{round_no}"))));
            cards.extend(verify_own(own, &shoe));
        }
        cards.sort();
        cards.dedup();
        assert_eq!(cards.len(), 6, "{cards:?}");
        for client in [&company.public, &service.operator(), &carol] {
            let round = client.get(&format!("/v1/rounds/room:{round_no}")).expect_status(200);
            assert_eq!((round.get("own"), &round["openings"]), (None, &json!([])));
        }
        let before = all_chips(&company);
        let done = match hand % 3 {
            0 => company.finish(round_no, passive),
            1 => company.finish(round_no, folds),
            _ => company.finish(round_no, |round, decision| choose_at(round, decision, &mut rng)),
        };
        assert_eq!(done["phase"], "settled");
        assert_eq!(all_chips(&company), 300_000, "before the end {before}");
        let settled = event_of(&company, round_no, "poker")["settled"].clone();
        if hand % 3 == 1 {
            // A player who folds shows nothing.
            assert!(done["game"]["seats"].items().flat_map(|seat| seat["hole"].list()).all(|c| c["card"].is_null()));
            assert_eq!(settled["pots"][0]["rake"], 0, "no flop, no drop");
        }
        for result in settled["seats"].list() {
            let player = company.named(&result["player"]);
            assert_eq!(
                player.client.get(&format!("/v1/players/{}", player.name)).json()["cash_seats"][0]["table"],
                "room"
            );
            // Their cards stay visible to them; all open cards are the ones they held.
            let seen = company.seen_by(player, round_no);
            let own = verify_own(&seen["own"], &shoe);
            let seat = done["game"]["seats"].items().find(|seat| seat["player"] == result["player"]).unwrap();
            for (shown, held) in seat["hole"].items().zip(own) {
                assert!(shown["card"].is_null() || shown["card"] == held.as_str());
            }
        }
        let sealed = company.public.get(&format!("/v1/shoes/room/{}", shoe["shoe_no"])).expect_status(200);
        let (sealing, _) = verify_receipt(&policy, &sealed["sealed"]);
        let shown = company.round(round_no)["openings"].list().len();
        assert_eq!(events(&sealing, "shoe_sealed")[0]["openings"].list().len(), shown);
        assert_eq!((&sealed["seeds"], &sealed["revealed"]), (&Value::Null, &Value::Null));
        sound_bundle(&service, &format!("room:{round_no}"));
        let recalled = company.public.get(&format!("/v1/rounds/room:{round_no}/recall")).expect_status(200);
        for wager in recalled["wagers"].list() {
            let own = settled["seats"].items().find(|seat| seat["player"] == wager["player"]).unwrap();
            assert_eq!(
                (&wager["staked"], &wager["returned"], &wager["stack_after"]),
                (&own["put_in"], &own["got"], &own["stack"])
            );
        }
        // A player without chips buys in again.
        for player in &company.players {
            if company.stack(player) == Some(0) {
                player.client.post(&company.path("/chips"), &json!({ "amount": 8_000 })).expect_status(200);
                player.client.post(&company.path("/seat"), &json!({})).expect_status(200);
            }
        }
    }
    audit(&company.public);
    let metrics = company.public.get("/metrics").text();
    for line in
        [format!("fairshoe_hands {hands}"), format!("fairshoe_sealed_shoes {hands}"), "fairshoe_disclosures 0".into()]
    {
        assert!(metrics.lines().any(|known| known == line), "{line}:\n{metrics}");
    }
}

#[test]
fn the_last_seed_deals_and_everybody_learns_his_own_cards_at_once() {
    let service = Service::fresh(&[]);
    let company = room(&service, &["alice", "bob"]);
    let [alice, bob] = &company.players[..] else { panic!() };
    let mut streams: Vec<(Option<&Player>, Events)> = [Some(alice), Some(bob), None]
        .map(|player| {
            (player, Events::open_as(player.map(|player| player.token.as_str()), &service.url, "room", None, PATIENCE))
        })
        .into_iter()
        .collect();
    let operator = service.operator_token();
    streams.push((None, Events::open_as(Some(&operator), &service.url, "room", None, PATIENCE)));

    // A commitment for the called hand comes with proofs of the decks, and a repeat gets the same entry.
    let round_no = company.window()["round_no"].int();
    let committed = company.commit(alice, round_no).expect_status(200);
    assert_eq!(events(&entry(&committed), "hand_seed_committed").len(), 1);
    let shoe: Value = serde_json::from_str(committed["receipts"][1]["entry"].as_str().unwrap()).unwrap();
    assert_eq!(events(&shoe, "shoe_committed")[0]["candidates"].list().len(), 2);
    assert_eq!(company.commit(alice, round_no).expect_status(200), company.commit(alice, round_no).expect_status(200));
    assert_eq!(
        company.commit(alice, round_no).expect_status(200)["receipts"][0]["entry"],
        committed["receipts"][0]["entry"]
    );
    assert_eq!(company.view()["cash"]["committed"], json!(["alice"]));
    company.commit(bob, round_no).expect_status(200);

    let first = company.reveal_carrying(alice, round_no, true).expect_status(200);
    assert_eq!(first.get("own"), None, "not before it is dealt");
    assert_eq!(events(&entry(&first), "next_committed").len(), 1);
    let dealt = company.reveal_carrying(bob, round_no, false).expect_status(200);
    let shoe = company.public.get("/v1/shoes/room/0").expect_status(200);
    let own = verify_own(&dealt["own"], &shoe);
    assert_eq!(company.seen_by(bob, round_no)["own"], dealt["own"]);
    assert_ne!(company.seen_by(alice, round_no)["own"]["cards"], json!(own));
    // A repeat gets the same reply; the first seed's reply still has no cards; a stranger's repeat has none.
    let again = company.reveal_carrying(bob, round_no, false).expect_status(200);
    assert_eq!(
        (&again["own"], &again["round"], &again["balance"]),
        (&dealt["own"], &dealt["round"], &dealt["balance"])
    );
    assert_eq!(company.reveal_carrying(alice, round_no, true).expect_status(200).get("own"), None);
    let body = json!({ "player": "bob", "seed": bob.seed("room", round_no).to_string() });
    for client in [&company.public, &service.operator()] {
        let repeated = client.post(&format!("/v1/rounds/room:{round_no}/reveals"), &body).expect_status(200);
        assert_eq!((repeated.get("own"), &repeated["receipts"][0]["entry"]), (None, &dealt["receipts"][0]["entry"]));
    }
    // The carried commitment counts for the next hand, and only its owner may carry it.
    let done = company.finish(round_no, folds);
    assert_eq!(done["phase"], "settled");
    company.window();
    assert_eq!(company.view()["cash"]["committed"], json!(["alice"]));
    let last = whole_log(&company.public).len();

    for (player, stream) in &mut streams {
        let mut own = Vec::new();
        loop {
            match stream.any().unwrap() {
                Frame::Own { id, data } => own.push((id, data)),
                Frame::Entry { id, .. } if id + 1 == last as u64 => break,
                _ => {}
            }
        }
        let Some(player) = player else {
            assert!(own.is_empty(), "{own:?}");
            continue;
        };
        let [(id, data)] = &own[..] else { panic!("{own:?}") };
        assert_eq!(*id, dealt["receipts"][0]["index"].int());
        let told: Value = serde_json::from_str(data).unwrap();
        assert_eq!(told, company.seen_by(player, round_no)["own"]);
        // They are also not lost if the connection breaks after the entry that deals them, or after any other event.
        let token = Some(player.token.as_str());
        let mut whole = Events::open_as(token, &service.url, "room", Some(0), PATIENCE);
        let mut all = Vec::new();
        while all.last().is_none_or(|frame| !matches!(frame, Frame::Entry { id, .. } if id + 1 == last as u64)) {
            let frame = whole.any().unwrap();
            all.extend(Some(frame).filter(|frame| !matches!(frame, Frame::Comment(_))));
        }
        assert!(all.contains(&Frame::Own { id: *id, data: data.clone() }));
        assert_eq!(broken_off_each_time(token, &service.url, "room", "0", all.len()), all);
    }
    let round_no = company.call();
    let steal = json!({ "player": "bob", "seed": bob.seed("room", round_no).to_string(), "next": "00".repeat(32) });
    assert_eq!(alice.client.post(&format!("/v1/rounds/room:{round_no}/reveals"), &steal).problem(403), "not_allowed");
    audit(&company.public);
}

/// A friend hands in alice's seed before she sends it with her next commitment: she got 200, and was not dealt in.
#[test]
fn a_commitment_that_comes_with_a_seed_on_the_log_is_refused_and_not_passed_over() {
    let service = Service::fresh(&[]);
    let company = room(&service, &["alice", "bob"]);
    let [alice, bob] = &company.players[..] else { panic!() };
    let round_no = company.call();
    let body = json!({ "player": "alice", "seed": alice.seed("room", round_no).to_string() });
    let path = format!("/v1/rounds/room:{round_no}/reveals");
    company.public.post(&path, &body).expect_status(200);
    let late = company.reveal_carrying(alice, round_no, true);
    assert_eq!(late.problem(409), "already_revealed");
    assert!(late.json().get("received").is_none() && late.json().get("refused").is_some());
    assert_eq!(company.view()["cash"]["committed"], json!([]));
    company.reveal_carrying(alice, round_no, false).expect_status(200);
    company.reveal_carrying(bob, round_no, true).expect_status(200);
    assert_eq!(company.view()["cash"]["committed"], json!(["bob"]));
    // The same request again is a repeat, and so is the seed without it; another commitment is not.
    company.reveal_carrying(bob, round_no, true).expect_status(200);
    company.reveal_carrying(bob, round_no, false).expect_status(200);
    let other = json!({ "player": "bob", "seed": bob.seed("room", round_no).to_string(), "next": "11".repeat(32) });
    assert_eq!(bob.client.post(&path, &other).problem(409), "reveals_over");
    company.finish(round_no, folds);
    audit(&company.public);
}

#[test]
fn chips_and_seats_are_as_the_table_says() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let company = Company::at_cash_table(&service, "room", "holdem", &patient(), &["alice", "bob", "cid"]);
    let [alice, bob, cid] = &company.players[..] else { panic!() };
    let (seat, chips, sit_out) = (company.path("/seat"), company.path("/chips"), company.path("/sit_out"));
    assert_eq!(alice.client.post(&chips, &json!({ "amount": 1 })).problem(409), "not_seated");
    assert_eq!(alice.client.post(&sit_out, &json!({})).problem(409), "not_seated");
    assert_eq!(alice.client.post(&seat, &json!({})).problem(400), "malformed");
    for amount in [1, 7_999, 20_001] {
        assert_eq!(company.buy_in(alice, amount).problem(422), "buy_in_out_of_range");
    }
    assert_eq!(alice.client.post(&seat, &json!({ "buy_in": 9_000, "straddle": true })).problem(400), "malformed");
    assert_eq!(
        alice.client.post("/v1/tables/roulette-1/seat", &json!({ "buy_in": 9_000 })).problem(409),
        "not_a_cash_table"
    );
    assert_eq!(alice.client.post("/v1/tables/roulette-1/sit_out", &json!({})).problem(409), "not_a_cash_table");
    assert_eq!(
        alice.client.post("/v1/tables/roulette-1/chips", &json!({ "amount": 5 })).problem(409),
        "not_a_cash_table"
    );

    let wish = json!({ "seat": 4, "buy_in": 9_000, "client": "mobile", "entry": "wait" });
    let key = [("idempotency-key", "sit-1")];
    let sat = alice.client.post_with(&seat, &wish, &key).expect_status(200);
    assert_eq!(sat["balance"], 91_000);
    assert_eq!(alice.client.post_with(&seat, &wish, &key).expect_status(200), sat, "a repeat says the same");
    // After a crash of the client, without the key: they sit, and get the entry that seated them.
    for again in [&wish, &json!({ "buy_in": 9_000, "client": "mobile", "entry": "wait" })] {
        assert_eq!(
            alice.client.post(&seat, again).expect_status(200)["receipts"][0]["entry"],
            sat["receipts"][0]["entry"]
        );
    }
    assert_eq!(alice.client.post(&seat, &json!({})).problem(409), "nothing_to_do", "they play the next hand already");
    for other in [json!({ "seat": 5, "buy_in": 9_000 }), json!({ "buy_in": 20_000 })] {
        assert_eq!(alice.client.post(&seat, &other).problem(409), "seat_not_free", "{other}");
    }
    let own = alice.client.get("/v1/players/alice").expect_status(200);
    assert_eq!(
        (&own["balance"], &own["cash_seats"]),
        (&json!(91_000), &json!([{ "table": "room", "seat": 4, "stack": 9_000 }]))
    );
    let cash = alice.client.get(&company.path("")).expect_status(200)["cash"].clone();
    assert_eq!((&cash["level"], &cash["positions"], &cash["committed"]), (&json!("100/200"), &Value::Null, &json!([])));
    assert_eq!(cash["own"], json!({ "left_early": 0, "blocked_until": null }));
    assert_eq!(company.view()["cash"]["own"], Value::Null);
    let seated = &cash["seats"][0];
    assert_eq!((&seated["seat"], &seated["stack"], &seated["entry"]), (&json!(4), &json!(9_000), &json!("wait")));
    assert_eq!(seated["owes"], json!({ "entry": true, "small": false, "big": false, "third": false }));
    assert_eq!((&seated["bank_ms"], &seated["hands"], &seated["away"]), (&json!(30_000), &json!(0), &json!(0)));

    // Between hands chips arrive at once, within the buy-in.
    let more = alice.client.post(&chips, &json!({ "amount": 1_000 })).expect_status(200);
    assert_eq!((&more["balance"], company.stack(alice)), (&json!(90_000), Some(10_000)));
    assert_eq!(alice.client.post(&chips, &json!({ "amount": 10_001 })).problem(422), "buy_in_out_of_range");
    assert_eq!(alice.client.post(&chips, &json!({ "amount": 0 })).problem(409), "nothing_to_do");
    alice.client.post(&sit_out, &json!({})).expect_status(200);
    assert_eq!(alice.client.post(&sit_out, &json!({})).problem(409), "nothing_to_do");
    let early = json!({ "commitment": "00".repeat(32) });
    assert_eq!(alice.client.post("/v1/rounds/room:0/commitments", &early).problem(409), "sitting_out");
    assert_eq!(alice.client.post(&seat, &wish).problem(409), "seat_not_free", "they sit out");
    alice.client.post(&seat, &json!({})).expect_status(200);
    assert_eq!(
        (company.stack(alice), company.view()["cash"]["seats"][0]["sitting_out"].clone()),
        (Some(10_000), json!(false))
    );
    let again = alice.client.post(&seat, &wish).expect_status(200);
    assert_eq!(again["receipts"][0]["entry"], sat["receipts"][0]["entry"], "they sit as they sat down");
    alice.client.post(&sit_out, &json!({})).expect_status(200);
    alice.client.post(&seat, &json!({ "entry": "post", "straddle": true })).expect_status(200);
    assert_eq!(company.view()["cash"]["seats"][0]["straddle"], true);
    alice.client.post(&seat, &json!({ "straddle": false })).expect_status(200);
    company.buy_in(bob, 10_000).expect_status(200);
    company.buy_in(cid, 8_000).expect_status(200);

    // While a hand is in progress wishes wait for its end.
    let round_no = company.deal(false);
    assert_eq!(bob.client.post(&chips, &json!({ "amount": 500 })).expect_status(200).get("balance"), None);
    let leaving = cid.client.delete(&seat).expect_status(200);
    assert_eq!(events(&entry(&leaving), "leave_asked").len(), 1);
    let view = company.view();
    let of =
        |player: &Player| view["cash"]["seats"].items().find(|s| s["player"] == player.name.as_str()).unwrap().clone();
    assert_eq!((&of(bob)["top_up"], &of(cid)["leaving"]), (&json!(500), &json!(true)));
    // A raise beyond the offer, and an invalid choice.
    let turn = company.round(round_no)["round"]["decisions"][0].clone();
    let act = |action: Value| {
        let body = json!({ "decision": turn["decision"], "action": action });
        company.named(&turn["player"]).client.post(&format!("/v1/rounds/room:{round_no}/actions"), &body)
    };
    assert_eq!(act(json!({ "raise": { "to": 1 } })).problem(422), "raise_out_of_range");
    assert_eq!(act(json!({ "bet": { "to": 400 } })).problem(409), "action_not_offered");
    assert_eq!(act(json!("muck")).problem(409), "action_not_offered");
    let raise = turn["options"].items().find(|option| option["action"] == "raise").unwrap();
    assert_eq!(raise["to"][0], 400);
    assert!(turn["bank_from"].int() < turn["deadline"].int());
    company.finish(round_no, folds);
    eventually("the seats are tidied", || company.stack(cid).is_none());
    assert!(
        [10_300, 10_400, 10_500, 10_600, 10_700].contains(&company.stack(bob).unwrap()),
        "{:?}",
        company.stack(bob)
    );
    // The first early leave is a warning; after the second, cid is barred from the level for a while.
    let standing = |player: &Player| player.client.get(&company.path("")).expect_status(200)["cash"]["own"].clone();
    assert_eq!(standing(cid), json!({ "left_early": 1, "blocked_until": null }));
    company.buy_in(cid, 8_000).expect_status(200);
    let round_no = company.deal(false);
    if company.round(round_no)["round"]["contributors"].items().any(|c| c["player"] == "cid") {
        company.finish(round_no, folds);
        cid.client.delete(&seat).expect_status(200);
        // The next hand is called already: cid is not awaited, and leaves when it is over.
        let next = company.deal(false);
        company.finish(next, folds);
        eventually("he is gone", || company.stack(cid).is_none());
        assert_eq!(standing(cid)["left_early"], 2);
        assert!(standing(cid)["blocked_until"].is_u64());
        let refused = company.buy_in(cid, 8_000);
        assert_eq!(refused.problem(409), "level_blocked");
    } else {
        company.finish(round_no, folds);
    }
    // As many seats as the rules allow.
    let few = json!({ "table": "few", "rules": "holdem", "options": { "most_seats": { "desktop": 1, "mobile": 1, "browser": 1 } } });
    service.operator().post("/v1/tables", &few).expect_status(201);
    assert_eq!(bob.client.post("/v1/tables/few/seat", &json!({ "buy_in": 8_000 })).problem(409), "too_many_seats");
    assert_eq!(all_chips(&company), 300_000);
    audit(&company.public);
}

#[test]
fn a_crash_in_mid_hand_gives_every_stack_back_to_the_chip() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let mut company = room(&service, &["alice", "bob", "cid"]);
    let mut rng = Rng(0x0c4a);
    for crash in 0..if slow() { 20 } else { 3 } {
        let round_no = company.deal(crash % 2 == 0);
        let stacks: Vec<_> = company.players.iter().map(|player| company.stack(player)).collect();
        let own: Vec<Value> =
            company.players.iter().map(|player| company.seen_by(player, round_no)["own"].clone()).collect();
        for _ in 0..rng.below(4) {
            if company.round(round_no)["round"]["decisions"].list().is_empty() {
                break;
            }
            company.choose(round_no, passive);
        }
        service.kill();
        service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
        for player in &mut company.players {
            player.client = service.client(Some(&player.token));
        }
        company.public = service.anyone();
        let round = company.round(round_no)["round"].clone();
        if round["phase"] == "settled" {
            continue;
        }
        assert_eq!((&round["phase"], &round["void"]["cause"]), (&json!("voided"), &json!("crash")));
        assert_eq!(company.players.iter().map(|player| company.stack(player)).collect::<Vec<_>>(), stacks);
        // The deck is never dealt again, and its seed stays secret: folded hands stay private in a void hand, too.
        let shoe = company.public.get(&format!("/v1/shoes/room/{}", round["shoe_no"])).expect_status(200);
        assert!(shoe["sealed"].is_object() && shoe["seeds"].is_null());
        let standing = &event_of(&company, round_no, "round_voided")["standing"];
        assert_eq!(standing["put_in"].list().len(), 3);
        for (player, before) in company.players.iter().zip(own) {
            assert_eq!(company.seen_by(player, round_no)["own"], before, "his cards are his to see");
        }
        sound_bundle(&service, &format!("room:{round_no}"));
    }
    // Play continues.
    let round_no = company.deal(false);
    assert_eq!(company.finish(round_no, passive)["phase"], "settled");
    assert_eq!(all_chips(&company), 300_000);
    audit(&company.public);
}

#[test]
fn a_sealed_hand_is_an_auditors_alone_and_only_with_the_reason_on_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let company = room(&service, &["alice", "bob"]);
    let (carol, dave) = (auditor(&service, "carol"), auditor(&service, "dave"));
    let round_no = company.deal(false);
    let held: Vec<Value> =
        company.players.iter().map(|player| company.seen_by(player, round_no)["own"].clone()).collect();
    let shoe_no = company.view()["shoe"]["shoe_no"].int();
    let path = format!("/v1/shoes/room/{shoe_no}/disclosure");
    let reason = json!({ "reason": "complaint 2026/31" });
    // It is refused during the hand, for a future hand, and for another game's hand.
    for path in
        [path.as_str(), "/v1/shoes/room/7/disclosure", "/v1/shoes/joy-1/0/disclosure", "/v1/shoes/none/0/disclosure"]
    {
        assert_eq!(carol.post(path, &reason).problem(409), "shoe_not_sealed", "{path}");
        assert_eq!(carol.get(path).problem(403), "not_allowed");
    }
    company.finish(round_no, folds);
    let size = whole_log(&company.public).len();
    for client in [&service.operator(), &company.players[0].client, &company.players[1].client] {
        assert_eq!(client.post(&path, &reason).problem(403), "not_allowed");
        assert_eq!(client.get(&path).problem(403), "not_allowed");
    }
    assert_eq!(company.public.post(&path, &reason).problem(401), "unauthorized");
    assert_eq!(carol.get(&path).problem(403), "not_allowed", "not before the log says so");
    assert_eq!(carol.post(&path, &json!({})).problem(400), "malformed");
    assert_eq!(carol.post(&path, &json!({ "reason": "" })).problem(400), "malformed");
    assert_eq!(whole_log(&company.public).len(), size);

    let disclosed = carol.post(&path, &reason);
    assert_eq!(disclosed.header("cache-control"), Some("no-store"));
    let disclosed = disclosed.expect_status(200);
    let (noted, _) = verify_receipt(&policy(&company.public), &disclosed["receipt"]);
    assert_eq!(noted["by"], "auditor:carol");
    assert_eq!(noted["command"]["disclose_shoe"]["reason"], reason["reason"]);
    assert_eq!(
        events(&noted, "shoe_disclosed")[0],
        &json!({ "table": "room", "shoe_no": shoe_no, "auditor": "carol" })
    );
    assert_eq!(disclosed["round"], format!("room:{round_no}"));
    // The seeds give the order of the committed decks and the hands held.
    let shoe = company.public.get(&format!("/v1/shoes/room/{shoe_no}")).expect_status(200);
    let pick = disclosed["pick"].int() as usize;
    for (k, seed) in disclosed["seeds"].items().enumerate() {
        let seed: ServerSeed = seed.as_str().unwrap().parse().unwrap();
        let deck = HouseShoe::derive(&seed, &disclosed["composition"].as_str().unwrap().parse().unwrap());
        assert_eq!(shoe["candidates"][k]["root"], deck.root().to_string());
        for own in held.iter().filter(|_| k == pick) {
            for (card, opening) in own["cards"].items().zip(own["openings"].list()) {
                let slot = fairshoe_fairness::Slot(opening["slot"].int() as u16);
                assert_eq!(deck.card(slot).unwrap().to_string(), card.as_str().unwrap());
            }
        }
    }
    // The same request gets the same entry; another reason makes another one; another auditor must make their own
    // request.
    assert_eq!(carol.post(&path, &reason).expect_status(200)["receipt"]["index"], disclosed["receipt"]["index"]);
    assert_eq!(carol.get(&path).expect_status(200)["seeds"], disclosed["seeds"]);
    let more = carol.post(&path, &json!({ "reason": "second look" })).expect_status(200);
    assert!(more["receipt"]["index"].as_u64() > disclosed["receipt"]["index"].as_u64());
    assert_eq!(dave.get(&path).problem(403), "not_allowed");
    let told = service.operator().get("/v1/significant").expect_status(200);
    let told: Vec<&Value> = told["events"].items().filter(|event| event["kind"] == "shoe_disclosed").collect();
    assert_eq!((told.len(), &told[0]["by"], &told[0]["reason"]), (2, &json!("auditor:carol"), &reason["reason"]));
    assert!(company.public.get("/metrics").text().lines().any(|line| line == "fairshoe_disclosures 2"));
    // A disclosure to an auditor stays after a restart.
    service.kill();
    service = Service::start(folder.path(), &[]);
    let again = |token: &str| service.client(Some(token)).get(&path);
    let carol = carol.token().unwrap();
    assert_eq!(again(&carol).expect_status(200)["seeds"], disclosed["seeds"]);
    assert_eq!(again(&dave.token().unwrap()).problem(403), "not_allowed");
    audit(&service.anyone());
}
