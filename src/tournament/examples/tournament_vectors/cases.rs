//! The cases of `spec/vectors/tournaments.json`; `vectors/README.md` says what each field holds. Its cases are
//! their own source: a new one is a line of the file with what goes in, and this program adds what comes out.

use fairshoe_fairness::{
    ClientSeed, EventEntropy, Master, RoundEntropy, SeatSeed, TableContext, draw_entropy, seat_seed_commitment,
};
use fairshoe_tournament::bounty::Bounties;
use fairshoe_tournament::clock::{Stop, position, running_time, within_levels};
use fairshoe_tournament::deal::{DealPlayer, by_chips, by_icm};
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::entry::{self, Sold, collected, pool, registration};
use fairshoe_tournament::file::{FileError, cancelled, prizes_of};
use fairshoe_tournament::prize::{PrizeTable, ends_with, places_paid, prizes, shared};
use fairshoe_tournament::rank::{Elimination, ranks};
use fairshoe_tournament::refund::{Event, Held, refund};
use fairshoe_tournament::seating::{Due, Field, Table};
use fairshoe_tournament::staking::{Stake, divide, give_back};
use fairshoe_tournament::{EntryNo, SHIPPED_STRUCTURES, Structure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The file.
pub const FILE: &str = "tournaments.json";

/// Its text: one list for each section, one line for each case.
pub fn text() -> String {
    let mut entropy = EventEntropy::START;
    let sections = [
        ("structures", structures()),
        ("draws", again("draws", |case| draw(case, &mut entropy))),
        ("seating", again("seating", |case| json!({"due": due_of(&read_field(&case["field"]))}))),
        ("clock", again("clock", clock)),
        ("registration", again("registration", closed)),
        ("pools", again("pools", pool_of)),
        ("prizes", again("prizes", prize_table)),
        ("ties", again("ties", tie)),
        ("ranks", again("ranks", ranking)),
        ("bounties", again("bounties", bounties)),
        ("deals", again("deals", deal)),
        ("stakes", again("stakes", division)),
        ("refunds", again("refunds", |case| json!({"out": refund(&of(case, "in")).unwrap()}))),
        ("instants", again("instants", instants)),
        ("no_refunds", again("no_refunds", no_refund)),
        ("refund_files", again("refund_files", |case| file_of(case, cancelled))),
        ("prize_files", again("prize_files", |case| file_of(case, prizes_of))),
    ];
    let mut text = String::from("{");
    for (place, (name, cases)) in sections.into_iter().enumerate() {
        text.push_str(if place > 0 { ",\n" } else { "\n" });
        text.push_str(&format!("\"{name}\": [\n"));
        let lines: Vec<String> = cases.into_iter().map(line).collect();
        text.push_str(&lines.join(",\n"));
        text.push_str("\n]");
    }
    text + "\n}\n"
}

fn line(mut case: Value) -> String {
    case.sort_all_objects();
    case.to_string()
}

fn shipped(name: &str) -> Structure {
    Structure::shipped(name).unwrap()
}

fn structures() -> Vec<Value> {
    SHIPPED_STRUCTURES
        .iter()
        .map(
            |(name, _)| json!({"name": name, "canonical": shipped(name).canonical(), "digest": shipped(name).digest()}),
        )
        .collect()
}

fn field_of(field: &Field) -> Value {
    let tables = field.tables.iter().map(|(number, table)| {
        json!({"table": number, "last_big": table.last_big, "players": table.players.iter().collect::<Vec<_>>()})
    });
    json!({"seats": field.seats, "last_table": field.last_table, "tables": tables.collect::<Vec<_>>()})
}

fn read_field(case: &Value) -> Field {
    let mut field = Field::new(of(case, "seats"), of(case, "last_table"));
    for table in case["tables"].as_array().unwrap() {
        let players = of::<Vec<(u8, EntryNo)>>(table, "players").into_iter().collect();
        field.tables.insert(of(table, "table"), Table { players, last_big: of(table, "last_big"), first_button: None });
    }
    field
}

/// A draw; the entropy before it is that of the event's last draw, which is the case before.
fn draw(case: &Value, last: &mut EventEntropy) -> Value {
    let master = Master::from_bytes([0; 32]);
    let (context, draw_no): (TableContext, u16) = (of(case, "context"), of(case, "draw_no"));
    let start = if draw_no == 0 { EventEntropy::START } else { *last };
    let running = of::<Vec<RoundEntropy>>(case, "hands").iter().fold(start, |running, hand| running.after_hand(hand));
    let link = master.draw_link(&context, draw_no);
    let mut entrants = case["entrants"].as_array().unwrap().clone();
    let mut seeds = Vec::new();
    for entrant in &mut entrants {
        let Some(seed) = of::<Option<ClientSeed>>(entrant, "seed") else { continue };
        let player = of(entrant, "player");
        entrant["commitment"] = json!(seat_seed_commitment(&context, of(entrant, "use"), &player, &seed));
        seeds.push(SeatSeed { entry_no: of(entrant, "entry_no"), player, seed });
    }
    let entropy = draw_entropy(&context, draw_no, &link, &running, &seeds).unwrap();
    let list: Vec<EntryNo> = entrants.iter().map(|entrant| of(entrant, "entry_no")).collect();
    let mut field = read_field(&case["before"]);
    match case["kind"].as_str().unwrap() {
        "first" | "final" => field = first_seats(&entropy, &list, field.seats, field.last_table).unwrap(),
        _ => drop(later_seats(&entropy, &list, &mut field).unwrap()),
    }
    *last = entropy;
    json!({
        "tip": master.draw_tip(&context), "link": link, "running": running, "entrants": entrants, "entropy": entropy,
        "after": field_of(&field),
    })
}

fn due_of(field: &Field) -> Value {
    match field.due() {
        None => Value::Null,
        Some(Due::Break(table)) => json!({"break": table}),
        Some(Due::Move(step)) => {
            json!({"move": {"entry_no": step.entry_no, "from": [step.from.0, u16::from(step.from.1)], "to": [step.to.0, u16::from(step.to.1)]}})
        }
    }
}

/// A section whose cases are their own source: what goes in stays, and what comes out is made again.
fn again(section: &str, mut made: impl FnMut(&Value) -> Value) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/tournaments.json");
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let Value::Array(mut cases) = file[section].take() else { panic!("{section} is not in the file") };
    for case in &mut cases {
        let out = made(case);
        let case = case.as_object_mut().unwrap();
        case.retain(|name, _| name != "out" && name != "refused");
        case.extend(out.as_object().unwrap().clone());
    }
    cases
}

/// The part of a case that has this name.
fn of<T: DeserializeOwned>(case: &Value, name: &str) -> T {
    serde_json::from_value(case[name].clone()).unwrap_or_else(|why| panic!("{name} of {case}: {why}"))
}

fn structure_of(case: &Value) -> Structure {
    shipped(case["structure"].as_str().unwrap())
}

fn stops_of(case: &Value) -> Vec<Stop> {
    of::<Vec<(u64, u64)>>(case, "stops").into_iter().map(|(from, until)| Stop { from, until }).collect()
}

fn clock(case: &Value) -> Value {
    let (structure, now) = (structure_of(case), of(case, "now"));
    let running = running_time(&structure, of(case, "start"), &stops_of(case), now).unwrap();
    let at = position(&structure, running, now);
    json!({
        "running": running, "level": at.level, "in_break": at.in_break, "to_next_level": at.to_next_level,
        "to_break": at.to_break, "late": within_levels(&structure, structure.late_levels, running),
    })
}

fn closed(case: &Value) -> Value {
    let field = entry::Field {
        sold: Sold { entries: of(case, "entries"), ..Sold::default() },
        players: of(case, "players"),
        remaining: of(case, "remaining"),
        running: of(case, "running"),
        was_itm: of(case, "was_itm"),
    };
    json!({"closed": registration(&structure_of(case), &field).unwrap().err()})
}

fn pool_of(case: &Value) -> Value {
    let structure = structure_of(case);
    let sold = Sold {
        entries: of(case, "entries"),
        with_bounty: of(case, "with_bounty"),
        rebuys: of(case, "rebuys"),
        add_ons: of(case, "add_ons"),
    };
    let brought = collected(&structure, &sold).unwrap();
    let pool = pool(brought.pool, structure.guarantee, of(case, "cut_short")).unwrap();
    json!({"collected": brought, "pool": pool.pool, "overlay": pool.overlay})
}

fn prize_table(case: &Value) -> Value {
    let structure = structure_of(case);
    let (entries, players, pool) = (of(case, "entries"), of(case, "players"), of(case, "pool"));
    json!({
        "table": prizes(&structure, entries, players, pool).unwrap(),
        "places": places_paid(&structure, entries, players, pool), "ends_with": ends_with(&structure, players, pool),
    })
}

fn tie(case: &Value) -> Value {
    let table: PrizeTable = of(case, "table");
    let (prize, cut) = shared(&table, of(case, "first"), of(case, "last"), of(case, "seat_value")).unwrap();
    json!({"prize": prize, "cut": cut})
}

fn ranking(case: &Value) -> Value {
    json!({"ranks": ranks(of(case, "remaining"), &of::<Vec<Elimination>>(case, "eliminations"))})
}

fn deal(case: &Value) -> Value {
    let (players, prizes): (Vec<DealPlayer>, Vec<u64>) = (of(case, "players"), of(case, "prizes"));
    let by = if case["method"] == "chips" { by_chips } else { by_icm };
    json!({"shares": by(&players, &prizes).unwrap()})
}

fn division(case: &Value) -> Value {
    let stakes: Vec<Stake> = of(case, "stakes");
    let cash = case["form"] == "cash";
    json!({"division": if cash { divide(of(case, "total"), &stakes).unwrap() } else { give_back(&stakes) }})
}

fn instants(case: &Value) -> Value {
    let (structure, stops, records) = (structure_of(case), stops_of(case), of::<Vec<Held>>(case, "records"));
    let event = Event { structure: &structure, start: of(case, "start"), stops: &stops, records: &records };
    let mut results = Vec::new();
    let each = |at, out| results.push(json!({"instant": at, "out": out}));
    event.other_instants(of(case, "from"), of(case, "until"), each).unwrap();
    json!({"results": results})
}

/// A file of an event, and what comes of it.
fn file_of<T: Serialize>(case: &Value, read: impl Fn(&[u8]) -> Result<T, FileError>) -> Value {
    match read(case["in"].to_string().as_bytes()) {
        Ok(out) => json!({"out": out}),
        Err(error) => json!({"refused": error.code()}),
    }
}

fn no_refund(case: &Value) -> Value {
    assert!(refund(&of(case, "in")).is_err(), "{case}");
    json!({})
}

fn bounties(case: &Value) -> Value {
    let mut bounties = Bounties::new(of(case, "onto_head"));
    of::<Vec<u64>>(case, "heads").iter().zip(0..).for_each(|(&head, no)| bounties.enter(EntryNo(no), head));
    let mut steps = case["steps"].as_array().unwrap().clone();
    for step in &mut steps {
        if *step == "reach_money" {
            bounties.reach_money().unwrap();
        } else if *step == "end_hand" {
            bounties.end_hand().unwrap();
        } else if step["stand"].is_array() {
            step["stand"] = bounties.of.iter().map(|(no, b)| json!([no, b.head, b.won])).collect();
        } else if step["disqualify"].is_u64() {
            bounties.disqualify(of(step, "disqualify")).unwrap();
        } else {
            let winners: Vec<EntryNo> = of(step, "winners");
            bounties.eliminate(of(step, "eliminate"), &winners, of(step, "paid_place")).unwrap();
        }
    }
    bounties.finish().unwrap();
    json!({"steps": steps, "paid": bounties.paid.iter().collect::<Vec<_>>()})
}
