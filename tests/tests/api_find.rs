//! A dispute desk's searches: players, their rounds, the movements of a balance; and the data for showing them.

use fairshoe_tests::company::Company;
use fairshoe_tests::poker::{passive, patient};
use fairshoe_tests::tournament::{self, Field};
use fairshoe_tests::{Client, Json, Pen, Player, Rng, Service, binary, events, whole_log};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::process::Command;

/// A query, and the lines that answer it.
type Question = (&'static str, fn(&Value) -> bool);

/// The lines of a reply of JSON Lines.
fn lines(client: &Client, path: &str) -> Vec<Value> {
    let reply = client.get(path);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")), "{path}");
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows of a CSV reply; the first row holds the column names.
fn rows(client: &Client, path: &str) -> Vec<Vec<String>> {
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{path}");
    assert!(reply.header("content-type").unwrap().starts_with("text/csv"), "{path}");
    let text = reply.text();
    let text = text.strip_suffix("\r\n").unwrap();
    text.split("\r\n").map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

/// Every part in a round by the log's own entries: round, player, end, staked, returned, by the entry that ended it.
fn parts_on_the_log(log: &[String]) -> Vec<(String, String, u64, u64, bool)> {
    let mut parts = Vec::new();
    for entry in log {
        let entry: Value = serde_json::from_str(entry).unwrap();
        for (word, is_void) in [("round_settled", false), ("round_voided", true)] {
            for ended in events(&entry, word) {
                let round = format!("{}:{}", entry["at"]["table"].as_str().unwrap(), ended["round_no"]);
                for player in ended["players"].list() {
                    let sum = |what: &str| player[what].int();
                    let name = player["player"].text();
                    parts.push((round.clone(), name, sum("staked"), sum("returned"), is_void));
                }
            }
        }
    }
    parts.sort();
    parts
}

fn told(lines: &[Value]) -> Vec<(String, String, u64, u64, bool)> {
    let text = |line: &Value, what: &str| line[what].text();
    let over = lines.iter().filter(|line| line["outcome"] != "in_play");
    let mut parts: Vec<_> = over
        .map(|line| {
            let sum = |what: &str| line[what].int();
            let (staked, returned) = (sum("staked"), sum("returned"));
            assert_eq!(line["net"].as_i64().unwrap(), returned as i64 - staked as i64);
            let outcome = match (line["cause"].is_null(), returned.cmp(&staked)) {
                (false, _) => "void",
                (_, std::cmp::Ordering::Greater) => "won",
                (_, std::cmp::Ordering::Equal) => "even",
                (_, std::cmp::Ordering::Less) => "lost",
            };
            assert_eq!(line["outcome"], outcome, "{line}");
            (text(line, "round"), text(line, "player"), staked, returned, outcome == "void")
        })
        .collect();
    parts.sort();
    parts
}

/// A service on which solo, shared and cash tables were played, a round was voided, and one is in play.
fn played(service: &Service) -> (Company, Company) {
    let mut rng = Rng(3);
    let shared = Company {
        table: "six-deck-1".into(),
        players: vec![service.player("alice", 100_000), service.player("bob", 100_000)],
        public: service.anyone(),
    };
    shared.sit();
    for _ in 0..3 {
        shared.play(&mut rng, |_| {});
    }
    let cash = Company::at_cash_table(service, "cash", "holdem", &patient(), &["dan", "eve"]);
    cash.buy_in_all(20_000);
    // No player commits to the next hand, so that none begins during the searches.
    let hand = cash.deal(false);
    cash.finish(hand, passive);
    let alice = &shared.players[0];
    for _ in 0..4 {
        alice.play("joy-1", 20);
    }
    let void = alice.open_round("joy-1", 20);
    let reason = json!({ "reason": "Camera 3 failed: \"no picture\", desk 4" });
    service.operator().post(&format!("/v1/rounds/{}/void", void.round), &reason).expect_status(200);
    alice.bet("joy-9", 5);
    (shared, cash)
}

#[test]
fn rounds_are_found_by_player_table_rules_outcome_time_and_sums_as_the_log_has_them() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let operator = service.operator();
    let own = service.player("rosa", 1000);
    operator.post("/v1/tables", &json!({ "table": "joy-9", "rules": "joy" })).expect_status(201);
    let (shared, _) = played(&service);
    let log = whole_log(&operator);
    let on_log = parts_on_the_log(&log);
    let all = lines(&operator, "/v1/rounds");
    assert_eq!(told(&all), on_log);
    assert!(on_log.iter().any(|part| part.0.starts_with("cash:")), "a hand of poker is among them");
    let in_play: Vec<&Value> = all.iter().filter(|line| line["outcome"] == "in_play").collect();
    assert_eq!(in_play.len(), 1);
    assert_eq!((&in_play[0]["round"], &in_play[0]["staked"]), (&json!("joy-9:0"), &Value::Null));

    // Each query alone, and some together, against all lines.
    let wanted: &[Question] = &[
        ("player=alice", |line| line["player"] == "alice"),
        ("player=alice&table=joy-1", |line| {
            line["player"] == "alice" && line["round"].as_str().unwrap().starts_with("joy-1:")
        }),
        ("table=six-deck-1", |line| line["round"].as_str().unwrap().starts_with("six-deck-1:")),
        ("rules=holdem", |line| line["rules"] == "holdem"),
        ("outcome=void", |line| line["outcome"] == "void"),
        ("outcome=in_play&player=alice", |line| line["outcome"] == "in_play"),
        ("outcome=lost&player=bob", |line| line["outcome"] == "lost" && line["player"] == "bob"),
        ("min_staked=20&player=alice", |line| line["player"] == "alice" && line["staked"].as_u64() >= Some(20)),
        ("min_net=1", |line| line["net"].as_i64() >= Some(1)),
        ("max_net=-1", |line| line["net"].as_i64().is_some_and(|net| net <= -1)),
    ];
    for (question, fits) in wanted {
        let mut found = lines(&operator, &format!("/v1/rounds?{question}"));
        let mut expected: Vec<Value> = all.iter().filter(|line| fits(line)).cloned().collect();
        for list in [&mut found, &mut expected] {
            list.sort_by_key(ToString::to_string);
        }
        assert_eq!(found, expected, "{question}");
    }
    // By the time at which the bets closed; each named entry states it.
    let begun: Vec<u64> = all.iter().map(|line| line["begun"].int()).collect();
    let middle = begun[begun.len() / 2];
    for question in [format!("from={middle}"), format!("to={middle}")] {
        let late = question.starts_with("from");
        let found = lines(&operator, &format!("/v1/rounds?{question}"));
        assert_eq!(found.len(), begun.iter().filter(|time| (**time >= middle) == late).count(), "{question}");
    }
    for line in &all {
        let at =
            |what: &str| line[what].as_u64().map(|index| serde_json::from_str::<Value>(&log[index as usize]).unwrap());
        let first = at("first_entry").unwrap();
        assert!(["bets_closed", "hand_begun"].iter().any(|word| !events(&first, word).is_empty()), "{line}");
        assert_eq!(first["time"], line["begun"]);
        assert_eq!(at("last_entry").map(|last| last["time"].clone()), line["ended"].as_u64().map(|time| json!(time)));
    }
    // The same in the spreadsheet form.
    let table = rows(&operator, "/v1/rounds?format=csv");
    assert_eq!(
        table[0].join(","),
        "round,rules,begun,ended,player,outcome,unit,staked,returned,net,cause,first_entry,last_entry"
    );
    assert_eq!(table.len(), all.len() + 1);
    for (row, line) in table[1..].iter().zip(&all) {
        assert_eq!((&row[0], &row[4], &row[5]), (&text(line, "round"), &text(line, "player"), &text(line, "outcome")));
        assert_eq!(row[6], text(line, "unit"));
        assert_eq!(row[9], line["net"].as_i64().map(|net| net.to_string()).unwrap_or_default());
    }
    // A player's list of rounds has their own sums next to the table's.
    let list = shared.players[1].client.get("/v1/players/bob/rounds").expect_status(200);
    let list = list["rounds"].list();
    assert!(!list.is_empty());
    for round in list {
        let own = on_log.iter().find(|part| part.0 == round["id"].as_str().unwrap() && part.1 == "bob").unwrap();
        assert_eq!(round["own"], json!({ "staked": own.2, "returned": own.3 }), "{round}");
    }
    assert!(list.iter().any(|round| round["own"]["staked"] != round["staked"]), "alice played beside them");
    // Players find only their own rounds.
    let alice = &shared.players[0].client;
    assert_eq!(lines(alice, "/v1/rounds?player=alice"), lines(&operator, "/v1/rounds?player=alice"));
    for question in ["", "?player=bob", "?table=joy-1"] {
        assert_eq!(alice.get(&format!("/v1/rounds{question}")).problem(403), "not_allowed", "{question}");
    }
    assert_eq!(service.anyone().get("/v1/rounds?player=alice").problem(401), "unauthorized");
    assert!(lines(&own.client, "/v1/rounds?player=rosa").is_empty());
    for wrong in ["outcome=none", "min_net=x", "from=x", "from=5&to=4", "format=xml", "unknown=1", "player=UPPER"] {
        assert_eq!(operator.get(&format!("/v1/rounds?{wrong}")).problem(400), "malformed", "{wrong}");
    }
    for (question, code) in [("table=nowhere", "unknown_table"), ("player=nobody-at-all", "unknown_player")] {
        assert_eq!(operator.get(&format!("/v1/rounds?{question}")).problem(404), code);
    }
    assert_eq!(operator.get("/v1/rounds?min_net=2&max_net=1").problem(400), "malformed");
    // The export has every found round, including hands of poker.
    let exported = operator.get("/v1/export").text();
    let exported: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = exported.iter().map(|round| round["id"].as_str().unwrap()).collect();
    assert!(all.iter().all(|line| ids.contains(&line["round"].as_str().unwrap())));
    assert_eq!(service.stop(), Some(0));
}

/// The report of `fairshoe-audit` on this service, as JSON.
fn audited(service: &Service, task: &str, more: &[&str]) -> Value {
    let mut command = Command::new(binary("fairshoe-audit"));
    let output = command.arg(task).arg(&service.url).args(more).arg("--json").output().unwrap();
    assert!(output.status.success(), "{task}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn sums_by_unit_are_the_ledgers_and_the_tournaments_own_account() {
    let free = ["--token-rate", "0", "--address-rate", "0", "--currency", "EUR:2"];
    let service = Service::fresh(&free);
    let mut rng = Rng(7);
    for (table, rules) in [("six-deck-1", "six-deck"), ("safe-7", "safe")] {
        let company = Company::new(&service, table, &[&format!("{rules}-a"), &format!("{rules}-b")], 100_000);
        if rules == "safe" {
            service.operator().post("/v1/tables", &json!({ "table": table, "rules": rules })).expect_status(201);
        }
        company.sit();
        company.play(&mut rng, |_| {});
    }
    let alice = service.player("alice", 100_000);
    for table in ["joy-1", "baccarat-1", "roulette-1"] {
        let rules = format!("rng-{}", table.trim_end_matches("-1"));
        let table = if table == "joy-1" {
            table.to_owned()
        } else {
            let opened = alice.client.post("/v1/tables", &json!({ "rules": rules })).expect_status(201);
            opened["table"].text()
        };
        let spot = match rules.as_str() {
            "rng-joy" => "1",
            "rng-baccarat" => "player",
            _ => "red",
        };
        for _ in 0..3 {
            let placed = alice.place_bets(&table, &json!([{ "spot": spot, "stake": 100 }]));
            alice.stand_out(alice.reveal(&placed));
        }
    }
    let cash = Company::at_cash_table(&service, "cash", "holdem", &patient(), &["dan", "eve"]);
    cash.buy_in_all(20_000);
    let hand = cash.deal(false);
    cash.finish(hand, passive);
    let guest = crate::api_guests::guest(&service);
    for _ in 0..3 {
        guest.play("play.joy-1", 20);
    }
    let structure = tournament::quick(&service.anyone(), "sit-and-go", |structure| {
        structure["seats"] = json!(3);
        structure["entry"]["players_min"] = json!(3);
        structure["entry"]["players_max"] = json!(3);
    });
    let field = Field::announce(&service, "sit", &structure, &["sit-a", "sit-b", "sit-c"], 3_000);
    field.register_all();
    field.play(passive);

    let operator = service.operator();
    let found = audited(&service, "find", &["--currency", "EUR:2"]);
    let all = lines(&operator, "/v1/rounds");
    type Sums = BTreeMap<String, (u64, i64, i64)>;
    let mut sums = Sums::new();
    for line in all.iter().filter(|line| line["outcome"] != "in_play") {
        let sum = sums.entry(text(line, "unit")).or_default();
        *sum = (sum.0 + 1, sum.1 + line["staked"].as_i64().unwrap(), sum.2 + line["returned"].as_i64().unwrap());
    }
    let units: Vec<&str> = sums.keys().map(String::as_str).collect();
    assert_eq!(units, ["EUR:2", "event:sit", "play"]);
    let table = rows(&operator, "/v1/rounds?format=csv");
    let mut of_csv = Sums::new();
    for row in table[1..].iter().filter(|row| row[5] != "in_play") {
        let sum = of_csv.entry(row[6].clone()).or_default();
        *sum = (sum.0 + 1, sum.1 + row[7].parse::<i64>().unwrap(), sum.2 + row[8].parse::<i64>().unwrap());
    }
    assert_eq!(of_csv, sums);
    for (unit, (parts, staked, returned)) in &sums {
        let told = json!({ "parts": parts, "staked": staked, "returned": returned, "net": returned - staked });
        assert_eq!(found["sums"][unit], told, "{unit}");
    }
    let net = |unit: &str| sums[unit].2 - sums[unit].1;
    // Money: credits, the results of rounds and the event's payments add up to the players' money, at tables or not.
    let ledger = audited(&service, "log", &[])["book"]["ledger"].clone();
    let event = audited(&service, "tournament", &["sit"])["tournament"].clone();
    let of_event: i64 = event["entrants"].items().map(|one| one["net"].as_i64().unwrap()).sum();
    let account = |name: &str| ledger[name].as_i64().unwrap();
    let paid_in = account("credited") - account("withdrawn") - account("corrected");
    let held: i64 = account("players") + account("seats") + account("tables");
    assert_eq!(paid_in + net("EUR:2") + of_event, held, "{ledger}");
    // Play chips: the guest began with this amount, and the ledger keeps them separate.
    let play = 100_000 + net("play");
    assert_eq!((account("play"), guest.balance() as i64), (play, play), "{ledger}");
    // Chips of an event go from one entrant to another.
    assert_eq!(net("event:sit"), 0);
    // Statistics: tournaments' chips are in no sum, and their hands are counted separately.
    let stats = audited(&service, "stats", &[]);
    let staked: i64 = stats["rule_sets"].items().map(|set| set["staked"].as_i64().unwrap()).sum();
    assert_eq!(staked, sums["EUR:2"].1);
    let hands = all.iter().filter(|line| line["unit"] == "event:sit").map(|line| text(line, "round"));
    assert_eq!(stats["for_events"], hands.collect::<std::collections::BTreeSet<_>>().len());
}

#[test]
fn a_desk_is_told_which_deck_was_disclosed_that_a_round_is_void_and_who_holds_a_table() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let operator = service.operator();
    let cash = Company::at_cash_table(&service, "cash", "holdem", &patient(), &["dan", "eve"]);
    cash.buy_in_all(20_000);
    let hand = cash.deal(false);
    let reason = json!({ "reason": "camera 3 failed" });
    operator.post(&format!("/v1/rounds/cash:{hand}/void"), &reason).expect_status(200);
    let told = operator.get("/v1/significant").expect_status(200);
    let disclosed = told["events"].items().find(|event| event["kind"] == "shoe_disclosed").unwrap();
    assert_eq!(disclosed["table"], "cash");
    assert!(disclosed["shoe_no"].is_u64(), "by duty, too: {disclosed}");

    let [alice, bob] = ["alice", "bob"].map(|name| service.player(name, 1000));
    let held = alice.open_round("joy-1", 20);
    let refused = bob.client.post("/v1/tables/joy-1/bets", &bob.bet_body("joy-1", 10).0);
    assert_eq!(refused.problem(409), "round_in_progress");
    let detail = refused.json()["detail"].text();
    assert!(detail.contains(" until ") && detail.contains("`POST /v1/tables`"), "{detail}");
    operator.post(&format!("/v1/rounds/{}/void", held.round), &reason).expect_status(200);
    let story = Command::new(binary("fairshoe-audit")).args(["round", &service.url, &held.round]).output().unwrap();
    let story = String::from_utf8(story.stdout).unwrap();
    let last = story.trim_end().lines().last().unwrap();
    assert!(last.starts_with("SOUND. ") && last.contains(" is void, "), "{last}");
}

fn text(line: &Value, what: &str) -> String {
    line[what].text()
}

#[test]
fn the_transactions_of_a_player_are_all_postings_to_their_account() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let operator = service.operator();
    operator.post("/v1/tables", &json!({ "table": "joy-9", "rules": "joy" })).expect_status(201);
    let (shared, cash) = played(&service);
    operator
        .post_with("/v1/players/alice/withdraw", &json!({ "amount": 7 }), &[("idempotency-key", "out")])
        .expect_status(200);
    for player in [&shared.players[0], &shared.players[1], &cash.players[0]] {
        let path = format!("/v1/players/{}/transactions", player.name.as_str());
        let all = lines(&player.client, &path);
        let mut balance = 0;
        for line in &all {
            balance += line["amount"].as_i64().unwrap();
            assert_eq!(line["balance"], balance, "each goes on from the one before: {line}");
        }
        assert_eq!(balance, player.balance() as i64, "and the last is what they have");
        let count: BTreeMap<String, usize> = all.iter().fold(BTreeMap::new(), |mut count, line| {
            *count.entry(text(line, "what")).or_default() += 1;
            count
        });
        assert_eq!(count["credit"], 1);
        assert!(count.len() >= 2, "{count:?}");
        let table = rows(&operator, &format!("{path}?format=csv"));
        assert_eq!(table[0].join(","), "index,time,what,by,table,amount,balance");
        assert_eq!(table.len(), all.len() + 1);
        let middle = all[all.len() / 2]["time"].int();
        let (early, late) = (format!("{path}?to={middle}"), format!("{path}?from={middle}"));
        assert_eq!([lines(&operator, &early), lines(&operator, &late)].concat(), all);
    }
    let alice = &shared.players[0].client;
    let last = lines(alice, "/v1/players/alice/transactions").pop().unwrap();
    assert_eq!((&last["what"], &last["by"], &last["amount"]), (&json!("withdraw"), &json!("operator"), &json!(-7)));
    assert_eq!(alice.get("/v1/players/bob/transactions").problem(403), "not_allowed");
    assert_eq!(alice.get("/v1/players/alice/transactions?limit=1").problem(400), "malformed");
    assert_eq!(operator.get("/v1/players/nobody/transactions").problem(404), "unknown_player");
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn players_are_found_by_what_their_names_hold() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let operator = service.operator();
    for number in 0..60 {
        service.player(&format!("walk-in-{number:02}"), number);
    }
    let alice = service.player("alice", 5);
    let pen = Pen::new(service.anyone().get("/v1/log").expect_status(200)["origin"].as_str().unwrap(), "alice", 9);
    alice.client.post("/v1/players/alice/key", &json!({ "key": pen.key() })).expect_status(200);
    service.anyone().post("/v1/guests", &json!({})).expect_status(201);
    let page = |question: &str| operator.get(&format!("/v1/players?{question}")).expect_status(200);
    let first = page("");
    assert_eq!(first["players"].list().len(), 50);
    let next = first["next"].as_str().unwrap();
    let rest = page(&format!("cursor={next}"));
    assert_eq!((rest["players"].list().len(), &rest["next"]), (12, &Value::Null));
    let found = page("search=lice");
    assert_eq!(found["players"], json!([{ "player": "alice", "balance": 5, "guest": false, "has_key": true }]));
    let guests = page("search=guest");
    assert_eq!(guests["players"][0]["guest"], true);
    let tens = page("search=-4&limit=3");
    assert_eq!(tens["players"][0]["player"], "walk-in-40");
    let more = page(&format!("search=-4&limit=50&cursor={}", tens["next"].as_str().unwrap()));
    assert_eq!((more["players"].list().len(), &more["next"]), (7, &Value::Null));
    assert!(page("search=nobody")["players"].list().is_empty());
    for wrong in ["search=A", "search=%20", "limit=51", "limit=0", "cursor=UPPER", "more=1"] {
        assert_eq!(operator.get(&format!("/v1/players?{wrong}")).problem(400), "malformed", "{wrong}");
    }
    assert_eq!(alice.client.get("/v1/players").problem(403), "not_allowed");
    assert_eq!(service.anyone().get("/v1/players").problem(401), "unauthorized");
    assert_eq!(service.stop(), Some(0));
    // After a start they are all there again.
    let service = Service::start(folder.path(), &[]);
    let again = service.operator().get(&format!("/v1/players?cursor={next}")).expect_status(200);
    assert_eq!(again["players"], rest["players"]);
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_commitment_can_be_tried_before_a_shoe_is_there_and_is_the_one_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--currency", "EUR:2"]);
    let alice = service.player("alice", 100);
    let log = service.anyone().get("/v1/log").expect_status(200);
    assert_eq!(log["currency"], json!({ "code": "EUR", "decimals": 2 }));
    let table = alice.open_table();
    let view = service.anyone().get(&format!("/v1/tables/{table}")).expect_status(200);
    assert_eq!(view["epoch"], log["epoch"], "a table says its epoch from the first moment");
    let seed = alice.seed(&table, 0);
    let body = json!({ "player": "alice", "round_no": 0, "seed": seed.to_string() });
    let tried = service.anyone().post(&format!("/v1/tables/{table}/commitment"), &body).expect_status(200);
    assert_eq!(tried["commitment"], alice.commitment(&view, 0));
    let hashed = hex::decode(tried["hashed"].as_str().unwrap()).unwrap();
    assert_eq!(tried["commitment"], hex::encode(Sha256::digest(&hashed)));
    assert!(hashed.ends_with(seed.as_bytes()));
    let placed = alice.bet(&table, 5);
    assert_eq!(placed.request["commitment"], tried["commitment"]);
    alice.reveal(&placed);
    let nowhere = service.anyone().post("/v1/tables/nowhere/commitment", &body);
    assert_eq!(nowhere.problem(404), "unknown_table");
    let short = json!({ "player": "alice", "round_no": 0, "seed": "00" });
    assert_eq!(service.anyone().post(&format!("/v1/tables/{table}/commitment"), &short).problem(400), "malformed");
    assert_eq!(service.stop(), Some(0));
    for wrong in ["EUR", "eur:2", "EUR:9", "EUR:02", "E:2", "EURO:2:1"] {
        let said = Service::try_start(folder.path(), &["--currency", wrong]).err().unwrap();
        assert!(said.contains("currency"), "{wrong}: {said}");
    }
}

/// Good and bad searches, for the test of replies against the contract.
pub fn use_finds(service: &Service, alice: &Player) {
    for client in [&service.operator(), &alice.client, &service.anyone()] {
        for path in [
            "/v1/rounds",
            "/v1/rounds?player=alice&outcome=won&min_staked=1",
            "/v1/rounds?player=bob&format=csv",
            "/v1/rounds?format=xml",
            "/v1/players/alice/transactions",
            "/v1/players/alice/transactions?from=0&format=csv",
            "/v1/players/bob/transactions?to=x",
            "/v1/players",
            "/v1/players?search=li&limit=2",
            "/v1/players?limit=0",
        ] {
            client.get(path);
        }
        let tried = json!({ "player": "alice", "round_no": 3, "seed": "00".repeat(32) });
        for table in ["joy-1", "nowhere"] {
            client.post(&format!("/v1/tables/{table}/commitment"), &tried);
        }
        client.post("/v1/tables/joy-1/commitment", &json!({ "player": "alice" }));
    }
    let own = alice.open_table();
    let (mut stale, _) = alice.bet_body(&own, 10);
    stale["epoch"] = json!("00".repeat(32));
    assert_eq!(alice.client.post(&format!("/v1/tables/{own}/bets"), &stale).problem(409), "wrong_epoch");
}
