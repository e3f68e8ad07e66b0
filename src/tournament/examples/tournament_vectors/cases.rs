//! The cases of `spec/vectors/tournaments.json`; `vectors/README.md` says what each field holds. Most sections are their
//! own source: a new case is a line of the file with what goes in, and this program adds what comes out.

use fairshoe_fairness::{
    ClientSeed, Epoch, EventEntropy, Master, Origin, PlayerId, RoundEntropy, SeatSeed, Stream, TableContext, TableId,
    draw_entropy, seat_seed_commitment,
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
use fairshoe_tournament::seating::{Due, Field};
use fairshoe_tournament::staking::{Stake, divide, give_back};
use fairshoe_tournament::structure::OntoHead;
use fairshoe_tournament::{EntryNo, SHIPPED_STRUCTURES, Structure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::num::NonZeroU16;

/// The file.
pub const FILE: &str = "tournaments.json";

/// Its text: one list for each section, one line for each case.
pub fn text() -> String {
    let sections = [
        ("structures", structures()),
        ("draws", draws()),
        ("seating", seating()),
        ("clock", again("clock", clock)),
        ("registration", again("registration", closed)),
        ("pools", again("pools", pool_of)),
        ("prizes", again("prizes", prize_table)),
        ("ties", again("ties", tie)),
        ("ranks", again("ranks", ranking)),
        ("bounties", bounties()),
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

/// Random-looking numbers, the same at every run.
struct Numbers(Stream);

impl Numbers {
    fn new(section: u8) -> Numbers {
        Numbers(Stream::new([section; 32]))
    }

    fn upto(&mut self, most: u16) -> u64 {
        u64::from(self.0.below(NonZeroU16::new(most).unwrap())) + 1
    }
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

/// An event's draws; each draw starts from the field that the draw before left.
struct Draws {
    context: TableContext,
    master: Master,
    running: EventEntropy,
    next: u16,
    field: Field,
    cases: Vec<Value>,
}

impl Draws {
    fn player(entry_no: u64) -> PlayerId {
        PlayerId::parse(&format!("p{entry_no}")).unwrap()
    }

    fn seed(&self, entry_no: u64) -> ClientSeed {
        let mut bytes = [u8::try_from(self.next + 1).unwrap(); 32];
        bytes[0] = u8::try_from(entry_no).unwrap();
        ClientSeed::from_bytes(bytes)
    }

    fn hand(&mut self, byte: u8) -> String {
        let entropy = RoundEntropy::from_bytes([byte; 32]);
        self.running = self.running.after_hand(&entropy);
        entropy.to_string()
    }

    fn draw(&mut self, kind: &str, entrants: &[u64], withheld: &[u64], seat_use: u16, hands: &[u8]) {
        let hands: Vec<String> = hands.iter().map(|byte| self.hand(*byte)).collect();
        let (running, before) = (self.running, field_of(&self.field));
        let link = self.master.draw_link(&self.context, self.next);
        let out: Vec<u64> = entrants.iter().copied().filter(|entry_no| !withheld.contains(entry_no)).collect();
        let seeds: Vec<SeatSeed> = out
            .iter()
            .map(|&entry_no| SeatSeed { entry_no, player: Draws::player(entry_no), seed: self.seed(entry_no) })
            .collect();
        let entropy = draw_entropy(&self.context, self.next, &link, &running, &seeds).unwrap();
        let list: Vec<EntryNo> = entrants.iter().copied().map(EntryNo).collect();
        match kind {
            "first" | "final" => {
                self.field = first_seats(&entropy, &list, self.field.seats, self.field.last_table).unwrap();
            }
            _ => drop(later_seats(&entropy, &list, &mut self.field).unwrap()),
        }
        let entrants: Vec<Value> = entrants
            .iter()
            .map(|&entry_no| {
                let (player, seed) = (Draws::player(entry_no), self.seed(entry_no));
                let commitment = seat_seed_commitment(&self.context, seat_use, &player, &seed);
                let mut entrant = json!({
                    "entry_no": entry_no, "player": player, "use": seat_use, "commitment": commitment,
                });
                if !withheld.contains(&entry_no) {
                    entrant["seed"] = json!(seed);
                }
                entrant
            })
            .collect();
        self.cases.push(json!({
            "context": self.context, "tip": self.master.draw_tip(&self.context), "draw_no": self.next, "kind": kind, "link": link,
            "hands": hands, "running": running, "entrants": entrants, "entropy": entropy, "before": before,
            "after": field_of(&self.field),
        }));
        self.running = entropy;
        self.next += 1;
    }
}

fn draws() -> Vec<Value> {
    let mut all = Vec::new();
    for (event, seats, first, late) in [("sunday", 6, 15, 3), ("full", 2, 8, 3), ("heads", 2, 2, 0), ("nine", 9, 40, 2)]
    {
        let context = TableContext {
            origin: Origin::parse("example.com/log").unwrap(),
            table: TableId::parse(event).unwrap(),
            epoch: Epoch::from_bytes(std::array::from_fn(|i| u8::try_from(i).unwrap())),
        };
        let mut draws = Draws {
            context,
            master: Master::from_bytes([0; 32]),
            running: EventEntropy::START,
            next: 0,
            field: Field::new(seats, 0),
            cases: Vec::new(),
        };
        let entrants: Vec<u64> = (0..first).collect();
        draws.draw("first", &entrants, &[1], 0, &[]);
        if late > 0 {
            let entrants: Vec<u64> = (first..first + late).collect();
            draws.draw("late", &entrants, &[], 0, &[7, 9]);
            draws.draw("late", &[first + late], &[first + late], 0, &[]);
            let (&number, _) = draws.field.tables.iter().next_back().unwrap();
            let mut moved: Vec<u64> = draws.field.break_table(number).into_iter().map(|entry_no| entry_no.0).collect();
            moved.sort_unstable();
            // Other players left, so that there is room for these.
            for entry_no in 0..4 {
                draws.field.leave(EntryNo(entry_no));
            }
            moved.retain(|entry_no| *entry_no > 3);
            draws.draw("break", &moved, &moved[..1], 1, &[11]);
            let last: Vec<u64> = (4..4 + u64::from(seats)).collect();
            draws.draw("final", &last, &[], 2, &[]);
        }
        all.extend(draws.cases);
    }
    all
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

fn seating() -> Vec<Value> {
    let mut numbers = Numbers::new(1);
    let mut cases = Vec::new();
    for seats in [2u8, 3, 6, 9, 10] {
        for tables in 1..=4u64 {
            for _ in 0..4 {
                let mut field = Field::new(seats, 0);
                let mut entry_no = 0;
                for _ in 0..tables {
                    let number = field.open_table().unwrap();
                    for seat in 1..=seats {
                        if numbers.upto(10) < 8 {
                            field.sit(number, seat, EntryNo(entry_no));
                            entry_no += 1;
                        }
                    }
                    let last_big = u8::try_from(numbers.upto(u16::from(seats))).unwrap();
                    field.tables.get_mut(&number).unwrap().last_big = last_big;
                }
                cases.push(json!({"field": field_of(&field), "due": due_of(&field)}));
            }
        }
    }
    cases
}

/// A section whose cases are their own source: what goes in stays, and what comes out is made again.
fn again(section: &str, made: impl Fn(&Value) -> Value) -> Vec<Value> {
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

fn bounties() -> Vec<Value> {
    let mut numbers = Numbers::new(3);
    let mut cases = Vec::new();
    for onto_head in [OntoHead::None, OntoHead::Half, OntoHead::All] {
        for players in [2u64, 5, 9] {
            let heads: Vec<u64> = (0..players).map(|no| if no == 3 { 0 } else { 501 }).collect();
            let mut bounties = Bounties::new(onto_head);
            heads.iter().zip(0..).for_each(|(&head, no)| bounties.enter(EntryNo(no), head));
            let (mut steps, paid_places) = (Vec::new(), 3);
            for remaining in (2..=players).rev() {
                let left: Vec<EntryNo> = bounties.of.keys().copied().collect();
                let out = left[usize::try_from(numbers.upto(u16::try_from(left.len()).unwrap())).unwrap() - 1];
                if remaining == 4 && players == 9 {
                    bounties.disqualify(out).unwrap();
                    steps.push(json!({"disqualify": out}));
                } else {
                    let mut winners: Vec<EntryNo> = left.into_iter().filter(|no| *no != out).collect();
                    winners.reverse();
                    winners.truncate(usize::try_from(numbers.upto(3)).unwrap());
                    let paid = remaining <= paid_places;
                    bounties.eliminate(out, &winners, paid).unwrap();
                    steps.push(json!({"eliminate": out, "winners": winners, "paid_place": paid}));
                }
                if remaining == paid_places + 1 || remaining == players && players <= paid_places {
                    bounties.reach_money().unwrap();
                    steps.push(json!("reach_money"));
                }
                bounties.end_hand().unwrap();
                steps.push(json!("end_hand"));
                let of: Vec<_> = bounties.of.iter().map(|(no, b)| json!([no, b.head, b.won])).collect();
                steps.push(json!({"stand": of}));
            }
            bounties.finish().unwrap();
            cases.push(json!({"onto_head": onto_head, "heads": heads, "steps": steps, "paid": bounties.paid.iter().collect::<Vec<_>>()}));
        }
    }
    cases
}
