//! temp
#[path = "../tests/desk/mod.rs"]
mod desk;
use desk::Desk;
use fairshoe_games::*;
use fairshoe_house::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use fairshoe_tlog::*;

fn main() {
    // Find a secret/round where insurance isn't offered and the player hits once... we just play until a nice round.
    let mut desk = Desk::new();
    let mut out: BTreeMap<String, Value> = BTreeMap::new();
    let me = desk.player.clone();
    let acc = |desk: &Desk, index: u64, with_round: bool, extra: Value| {
        let mut v = desk.accepted(&[index]);
        if !with_round { v.as_object_mut().unwrap().remove("round"); v.as_object_mut().unwrap().remove("openings"); }
        let o = v.as_object_mut().unwrap();
        if let Some(e) = extra.as_object() { for (k, x) in e { if x.is_null() { o.remove(k); } else { o.insert(k.clone(), x.clone()); } } }
        v
    };
    // setup entries: 0 start 1 create 2 credit 3 table 4 shoe
    out.insert("create_player".into(), acc(&desk, 1, false, json!({"balance": 0, "token": "5f2c1b0e8d7a69543210fedcba98765400112233445566778899aabbccddeeff"})));
    out.insert("credit".into(), acc(&desk, 2, false, json!({"balance": 100000})));
    out.insert("open_table".into(), acc(&desk, 3, false, json!({"balance":100000, "table": "joy-1"})));
    let table_view = |desk: &Desk| {
        let t = desk.state.table(&desk.table).unwrap();
        let shoe = t.shoe.as_ref().map(|s| json!({"shoe_no": s.id.shoe_no, "composition": s.id.composition, "candidates": s.candidates, "undrawn": s.undrawn.len(), "entry": desk.entries.iter().rposition(|e| e.contains("\"shoe_committed\":{")).unwrap()}));
        json!({"table": t.id, "rules": &*t.rules, "digest": t.rules.digest(), "owner": t.owner, "origin": desk.state.origin(), "epoch": desk.state.epoch(), "shoe": shoe, "next_round": t.next_round, "round": t.live_round().map(|r| OpenRound::id(&t.id, r.round_no))})
    };
    out.insert("table".into(), table_view(&desk));
    out.insert("log".into(), json!({"origin": desk::ORIGIN, "vkey": desk.key().to_string(), "checkpoint": desk.checkpoint(), "size": desk.tree.size(), "epoch": desk.state.epoch(), "started_at": 1750000000007u64}));
    out.insert("checkpoint".into(), json!(desk.checkpoint()));
    out.insert("ruleset".into(), json!({"name":"joy","digest":desk.rules.digest(),"rules":&*desk.rules}));
    let shoe_entry = desk.entries.iter().rposition(|e| e.contains("\"shoe_committed\":{")).unwrap() as u64;
    let t = desk.state.table(&desk.table).unwrap();
    let s = t.shoe.clone().unwrap();
    out.insert("table_shoe".into(), json!({"shoe_no": 0, "composition": s.id.composition, "candidates": s.candidates, "epoch": desk.state.epoch(), "receipt": desk.receipt(shoe_entry)}));
    out.insert("receipt_text".into(), desk.receipt(2)["proof"].clone());
    out.insert("entry_text".into(), json!(desk.entries[2]));
    let mut bettor = desk.bettor(7);
    bettor.bets[0].chips = Some([5, 1, 1].map(|n| Chips::new(n).unwrap()).to_vec());
    out.insert("bet_request".into(), json!({"round_no": 0, "bets": bettor.bets, "commitment": bettor.commitment()}));
    out.insert("bet".into(), desk.bet(&bettor));
    let saw = json!({"size": desk.tree.size(), "root": desk.tree.root().to_string()});
    out.insert("reveal_request".into(), json!({"player": me, "seed": bettor.seed, "saw": saw}));
    let (tb, player, seed) = (desk.table.clone(), me.clone(), bettor.seed.clone());
    let index = desk.give(Actor::Player(me.clone()), Command::Reveal { table: tb.clone(), round_no: 0, player, seed, saw: Some(serde_json::from_value(saw).unwrap()) }).unwrap();
    let rev = desk.accepted(&[index]);
    let mut openings = rev["openings"].as_array().unwrap().clone();
    out.insert("reveal".into(), rev.clone());
    let mut decisions = rev["round"]["decisions"].clone();
    out.insert("decisions".into(), json!({"decisions": decisions}));
    out.insert("table_in_round".into(), table_view(&desk));
    let mut last = rev;
    let mut entries = vec![5u64, index];
    let mut n = 0;
    while let Some(d) = decisions.get(0).cloned() {
        let total = last["round"]["game"]["boxes"][0]["hands"][0]["total"].as_u64().unwrap();
        let action = if d["options"][0]["action"] == "insurance" { Action::Insurance { take: false } } else if total < 15 { Action::Hit } else { Action::Stand };
        out.insert(format!("act_request_{n}"), json!({"decision": d["decision"], "action": action}));
        let number = d["decision"].as_u64().unwrap() as u32;
        let i = desk.give(Actor::Player(me.clone()), Command::Act { table: tb.clone(), round_no: 0, decision: number, action }).unwrap();
        last = desk.accepted(&[i]);
        openings.extend(last["openings"].as_array().unwrap().clone());
        entries.push(i);
        decisions = last["round"]["decisions"].clone();
        out.insert(format!("act_{n}"), last.clone());
        n += 1;
    }
    out.insert("round".into(), json!({"round": last["round"], "openings": openings, "entries": entries}));
    let revealed = Entry::decode(desk.entries[*entries.last().unwrap() as usize].as_bytes()).unwrap();
    let seeds: Vec<Value> = revealed.events.iter().filter_map(|e| if let Event::ShoeRevealed { seeds, .. } = e { Some(json!(seeds[0])) } else { None }).collect();
    out.insert("shoe".into(), json!({"shoe_no": 0, "composition": s.id.composition, "candidates": s.candidates, "seeds": seeds, "committed": desk.receipt(shoe_entry), "revealed": desk.receipt(*entries.last().unwrap())}));
    out.insert("list_round_time".into(), json!(Entry::decode(desk.entries[5].as_bytes()).unwrap().time));
    // bundle
    let proven = |i: u64, desk: &Desk| { let r = desk.receipt(i); let p = TlogProof::parse(r["proof"].as_str().unwrap().as_bytes()).unwrap(); json!({"index": i, "entry": r["entry"], "proof": p.path.iter().map(|h| h.to_string()).collect::<Vec<_>>()}) };
    let mut es = vec![shoe_entry]; es.extend(entries.iter().copied());
    out.insert("bundle".into(), json!({"fairshoe_bundle": 1, "round": "joy-1:0", "vkey": desk.key().to_string(), "checkpoint": desk.checkpoint(), "context": [proven(0, &desk), proven(3, &desk)], "entries": es.iter().map(|i| proven(*i, &desk)).collect::<Vec<_>>(), "openings": openings}));
    out.insert("sse".into(), json!(format!("id: {}\nevent: entry\ndata: {}\n\n", shoe_entry, desk.entries[shoe_entry as usize])));
    // token, withdraw, void, close on the same desk
    let holder: Holder = "player:alice".parse().unwrap();
    let i = desk.give(Actor::Operator, Command::IssueToken { holder, revoke: true }).unwrap();
    out.insert("issue_token".into(), acc(&desk, i, false, json!({"token": "0a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff"})));
    let i = desk.give(Actor::Operator, Command::IssueToken { holder: "auditor:gaming-board".parse().unwrap(), revoke: false }).unwrap();
    out.insert("auditor".into(), acc(&desk, i, false, json!({"balance": null, "token": "77665544332211009988aabbccddeeff00112233445566778899aabbccddeeff"})));
    let i = desk.give(Actor::Operator, Command::Withdraw { player: me.clone(), amount: Chips::new(500).unwrap(), reference: Reference::parse("desk 4") }).unwrap();
    out.insert("withdraw".into(), acc(&desk, i, false, json!({})));
    let b = desk.bettor(7);
    desk.bet(&b); desk.reveal(&b);
    let i = desk.give(Actor::Operator, Command::VoidRound { table: tb.clone(), round_no: 1, reason: Reference::parse("shoe 1: lamp broken").or(Reference::parse("lamp broken")).unwrap() }).unwrap();
    out.insert("void".into(), desk.accepted(&[i]));
    let i = desk.give(Actor::Player(me.clone()), Command::CloseTable { table: tb }).unwrap();
    let r = desk.receipt(i);
    out.insert("close".into(), json!({"receipts": [r], "balance": desk.funds()}));
    println!("{}", serde_json::to_string_pretty(&out).unwrap());
}
