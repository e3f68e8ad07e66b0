//! The cases of `spec/vectors/tournaments.json`; `vectors/README.md` says what each field holds.

#[path = "files.rs"]
mod files;

use fairshoe_fairness::{
    ClientSeed, Epoch, EventEntropy, Master, Origin, PlayerId, RoundEntropy, SeatSeed, Stream, TableContext, TableId,
    draw_entropy, seat_seed_commitment,
};
use fairshoe_tournament::bounty::Bounties;
use fairshoe_tournament::clock::{Stop, position, running_time, within_levels};
use fairshoe_tournament::deal::{DealPlayer, by_chips, by_icm};
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::entry::{self, Sold, collected, pool, registration};
use fairshoe_tournament::prize::{ends_with, places_paid, prizes, shared};
use fairshoe_tournament::rank::{Elimination, ranks};
use fairshoe_tournament::refund::{Case, Event, Held, RefundIn, RefundPlayer, refund};
use fairshoe_tournament::seating::{Due, Field};
use fairshoe_tournament::staking::{Stake, divide, give_back};
use fairshoe_tournament::structure::{OntoHead, RefundMethod};
use fairshoe_tournament::{EntryNo, SHIPPED_STRUCTURES, Structure};
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
        ("clock", clock()),
        ("registration", registrations()),
        ("pools", pools()),
        ("prizes", prize_tables()),
        ("ties", ties()),
        ("ranks", rankings()),
        ("bounties", bounties()),
        ("deals", deals()),
        ("stakes", stakes()),
        ("refunds", refunds()),
        ("instants", instants()),
        ("no_refunds", files::no_refunds()),
        ("refund_files", files::cancelled_events()),
        ("prize_files", files::played_events()),
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

fn clock() -> Vec<Value> {
    let mut cases = Vec::new();
    for name in ["freezeout-6", "freezeout-9", "rebuy", "sit-and-go"] {
        let structure = shipped(name);
        // Half past noon, UTC, of a day; and one minute before a break.
        for start in [1_800_000_000_000 / 86_400_000 * 86_400_000 + 45_000_000, 1_800_003_240_000] {
            for (stops, later) in [
                (vec![], 0),
                (vec![], 59_999),
                (vec![], 60_000),
                (vec![], 3_600_000),
                (vec![], 3_599_999),
                (vec![], 5_000_000),
                (vec![(100_000, 400_000)], 4_500_000),
                (vec![(0, 500), (1_600_000, 1_900_000)], 7_777_777),
                (vec![(30_000, 90_000)], 90_000),
                (vec![], 30_000_000),
                (vec![], 400_000_000),
            ] {
                let stops: Vec<Stop> =
                    stops.into_iter().map(|(from, until)| Stop { from: start + from, until: start + until }).collect();
                let now = start + later;
                let running = running_time(&structure, start, &stops, now).unwrap();
                let at = position(&structure, running, now);
                cases.push(json!({
                    "structure": name, "start": start, "stops": stops.iter().map(|s| [s.from, s.until]).collect::<Vec<_>>(),
                    "now": now, "running": running, "level": at.level, "in_break": at.in_break,
                    "to_next_level": at.to_next_level, "to_break": at.to_break,
                    "late": within_levels(&structure, structure.late_levels, running),
                }));
            }
        }
    }
    cases
}

fn registrations() -> Vec<Value> {
    let mut cases = Vec::new();
    for (name, entries, players, remaining, running, was_itm) in [
        ("freezeout-6", 0, 0, 0, None, false),
        ("freezeout-6", 40, 40, 30, Some(3_599_999), false),
        ("freezeout-6", 40, 40, 30, Some(3_600_000), false),
        ("freezeout-6", 30, 30, 6, Some(100), false),
        ("freezeout-6", 30, 30, 5, Some(100), false),
        ("freezeout-6", 30, 30, 4, Some(100), false),
        ("freezeout-6", 31, 31, 6, Some(100), true),
        ("freezeout-6", 10_000, 10_000, 9_000, Some(100), false),
        ("freezeout-9", 12, 12, 12, Some(0), false),
        ("satellite", 40, 30, 4, Some(100), false),
        ("satellite", 40, 30, 5, Some(100), false),
        ("sit-and-go", 6, 6, 2, None, true),
        ("bounty-progressive", 20, 6, 4, Some(100), false),
        ("sit-and-go", 6, 6, 6, None, false),
        ("sit-and-go", 5, 5, 5, None, false),
    ] {
        let structure = shipped(name);
        let field = entry::Field { sold: Sold { entries, ..Sold::default() }, players, remaining, running, was_itm };
        cases.push(json!({
            "structure": name, "entries": entries, "players": players, "remaining": remaining, "running": running,
            "was_itm": was_itm, "closed": registration(&structure, &field).unwrap().err(),
        }));
    }
    cases
}

fn pools() -> Vec<Value> {
    let mut cases = Vec::new();
    for (name, sold, cut_short) in [
        ("freezeout-6", [30, 0, 0, 0], false),
        ("freezeout-6", [30, 0, 0, 0], true),
        ("freezeout-6", [44, 0, 0, 0], false),
        ("freezeout-9", [12, 0, 0, 0], false),
        ("rebuy", [10, 0, 17, 4], false),
        ("bounty-progressive", [10, 10, 0, 0], false),
        ("bounty-progressive", [10, 7, 0, 0], false),
    ] {
        let structure = shipped(name);
        let [entries, with_bounty, rebuys, add_ons] = sold;
        let brought = collected(&structure, &Sold { entries, with_bounty, rebuys, add_ons }).unwrap();
        let pool = pool(brought.pool, structure.guarantee, cut_short).unwrap();
        cases.push(json!({
            "structure": name, "entries": entries, "with_bounty": with_bounty, "rebuys": rebuys, "add_ons": add_ons,
            "cut_short": cut_short, "collected": brought, "pool": pool.pool, "overlay": pool.overlay,
        }));
    }
    cases
}

fn prize_tables() -> Vec<Value> {
    let mut cases = Vec::new();
    for (name, entries, players, pool) in [
        ("freezeout-6", 30, 30, 40_000),
        ("freezeout-6", 2, 2, 1_840),
        ("freezeout-6", 4, 4, 4_001),
        ("freezeout-6", 29, 29, 26_681),
        ("freezeout-6", 100, 3, 92_000),
        ("freezeout-6", 5, 5, 1),
        ("freezeout-9", 12, 12, 100_000),
        ("freezeout-9", 1_234, 1_234, 5_676_403),
        ("satellite", 40, 40, 36_800),
        ("satellite", 10, 10, 10_000),
        ("satellite", 10, 9, 9_200),
        ("satellite", 3, 3, 30_007),
        ("heads-up", 2, 2, 1_840),
    ] {
        let structure = shipped(name);
        let table = prizes(&structure, entries, players, pool).unwrap();
        cases.push(json!({
            "structure": name, "entries": entries, "players": players, "pool": pool, "table": table,
            "places": places_paid(&structure, entries, players, pool), "ends_with": ends_with(&structure, players, pool),
        }));
    }
    cases
}

fn ties() -> Vec<Value> {
    let mut cases = Vec::new();
    for (name, entries, pool, first, last) in [
        ("freezeout-6", 30, 40_000, 4, 5),
        ("freezeout-6", 30, 40_000, 5, 6),
        ("freezeout-6", 30, 40_000, 3, 5),
        ("freezeout-6", 30, 40_000, 6, 7),
        ("satellite", 40, 36_800, 3, 4),
        ("satellite", 40, 36_800, 4, 5),
        ("satellite", 40, 36_800, 2, 3),
    ] {
        let structure = shipped(name);
        let table = prizes(&structure, entries, entries, pool).unwrap();
        let (prize, cut) = shared(&table, first, last, 10_000).unwrap();
        cases.push(json!({
            "table": table, "seat_value": 10_000, "first": first, "last": last, "prize": prize, "cut": cut,
        }));
    }
    cases
}

fn rankings() -> Vec<Value> {
    let out = |entry_no, hand, table, stack, distance| Elimination {
        entry_no: EntryNo(entry_no),
        hand,
        table,
        stack,
        distance,
    };
    let mut cases = vec![
        // One hand, larger stack higher.
        (7, vec![out(3, 1, 1, 500, 2), out(4, 1, 1, 900, 5), out(5, 1, 1, 700, 1)]),
        // One hand, equal stacks: a seat left of the button ranks higher; the button ranks lowest.
        (1, vec![out(3, 1, 1, 500, 6), out(4, 1, 1, 500, 1), out(5, 1, 1, 500, 3)]),
        // By the order of the log.
        (2, vec![out(0, 5, 1, 100, 1), out(1, 6, 2, 50, 4), out(2, 4, 3, 9_000, 2)]),
        // A round of hand-for-hand: stacks decide, equal ones at two tables tie, also where two of them sit at one.
        (9, vec![out(0, 8, 1, 300, 1), out(1, 8, 2, 400, 2)]),
        (9, vec![out(0, 8, 1, 300, 1), out(1, 8, 2, 300, 2), out(2, 8, 1, 200, 3)]),
        (9, vec![out(0, 8, 1, 300, 1), out(1, 8, 1, 300, 2), out(2, 8, 2, 300, 3)]),
    ];
    let mut numbers = Numbers::new(2);
    for _ in 0..12 {
        let outs = (0..numbers.upto(9)).map(|entry_no| {
            let (hand, table, stack) = (numbers.upto(3), numbers.upto(2), 100 * numbers.upto(3));
            // A hand has no seat of a table twice.
            out(entry_no, hand, u16::try_from(table).unwrap(), stack, u8::try_from(entry_no + 1).unwrap())
        });
        let outs: Vec<Elimination> = outs.collect();
        cases.push((numbers.upto(5), outs));
    }
    cases
        .into_iter()
        .map(
            |(remaining, outs)| json!({"remaining": remaining, "eliminations": outs, "ranks": ranks(remaining, &outs)}),
        )
        .collect()
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

fn deals() -> Vec<Value> {
    let mut numbers = Numbers::new(4);
    let mut lists: Vec<(Vec<u64>, Vec<u64>)> = vec![
        (vec![7_000, 3_000], vec![50_000, 30_000]),
        (vec![1, 1, 1], vec![50_000, 30_000, 20_000]),
        (vec![5_000, 3_000, 2_000], vec![50_000, 30_000, 20_000]),
        (vec![41_000, 29_500, 12_250, 7_250], vec![16_000, 10_000, 6_400, 4_400]),
        (vec![10, 20, 30, 40, 50, 60], vec![1_000, 0, 0, 0, 0, 0]),
        (vec![999_999, 1], vec![3, 0]),
        (vec![500, 500, 500], vec![100, 0, 0]),
        (vec![(1 << 40) - 87, (1 << 39) + 7, 12_345_678_901], vec![1_000_000_000_000, 600_000_000_001, 1]),
    ];
    for players in 2..=9u16 {
        let chips = (0..players).map(|_| 25 * numbers.upto(4_000)).collect();
        let mut prizes: Vec<u64> = (0..players).map(|_| numbers.upto(60_000)).collect();
        prizes.sort_unstable_by(|a, b| b.cmp(a));
        lists.push((chips, prizes));
    }
    let mut cases = Vec::new();
    for (chips, prizes) in lists {
        let players: Vec<DealPlayer> =
            chips.into_iter().zip(0..).map(|(chips, no)| DealPlayer { entry_no: EntryNo(no), chips }).collect();
        for (method, shares) in [("chips", by_chips(&players, &prizes)), ("icm", by_icm(&players, &prizes))] {
            cases.push(json!({"method": method, "players": players, "prizes": prizes, "shares": shares.unwrap()}));
        }
    }
    cases
}

fn stakes() -> Vec<Value> {
    let stakes = |parts: &[(u64, u64)]| -> Vec<Stake> {
        parts.iter().map(|&(basis_points, price)| Stake { basis_points, price }).collect()
    };
    let mut cases = Vec::new();
    for (total, parts) in [
        (8_942, stakes(&[(2_500, 1_250), (1_500, 750)])),
        (5_000, stakes(&[(2_500, 1_250), (1_500, 750)])),
        (0, stakes(&[(2_500, 1_250), (1_500, 750)])),
        (1, stakes(&[(10_000, 1_000)])),
        (99_999, stakes(&[(3_333, 333), (3_333, 333), (3_334, 334)])),
        (777, stakes(&[])),
    ] {
        cases
            .push(json!({"form": "cash", "total": total, "stakes": parts, "division": divide(total, &parts).unwrap()}));
    }
    let parts = stakes(&[(2_500, 1_250), (1_500, 750)]);
    cases.push(json!({"form": "ticket", "total": 0, "stakes": parts, "division": give_back(&parts)}));
    cases
}

fn refunds() -> Vec<Value> {
    let mut numbers = Numbers::new(5);
    let left = |list: &[(u64, u64, u64)]| -> Vec<RefundPlayer> {
        list.iter()
            .zip(0..)
            .map(|(&(chips, fee, bounty), no)| RefundPlayer { entry_no: EntryNo(no), chips, fee, bounty })
            .collect()
    };
    let with_fee = |chips: &[u64], fee: u64| left(&chips.iter().map(|&chips| (chips, fee, 0)).collect::<Vec<_>>());
    let of =
        |case, method, pool, prizes: &[u64], players| RefundIn { case, method, pool, prizes: prizes.to_vec(), players };
    let document = RefundMethod::Document;
    let mut cases = vec![
        ("T1", of(Case::NotStarted, document, 0, &[], with_fee(&[0; 7], 1_000))),
        (
            "T2",
            of(
                Case::Unpaid,
                document,
                55_200,
                &[],
                with_fee(&[31_415, 26_535, 20_000, 17_050, 12_500, 8_000, 4_500], 400),
            ),
        ),
        (
            "T3",
            of(
                Case::Paid,
                document,
                36_800,
                &[16_000, 10_000, 6_400, 4_400],
                with_fee(&[41_000, 29_500, 12_250, 7_250], 80),
            ),
        ),
        ("A001.l", of(Case::Unpaid, document, 103, &[], with_fee(&[2, 1], 0))),
        ("the example of case 3", of(Case::Paid, document, 80_000, &[50_000, 30_000], with_fee(&[7_000, 3_000], 0))),
        ("one is left", of(Case::CutShort, document, 999, &[999], left(&[(10, 80, 1_503)]))),
        (
            "bounties and fees",
            of(Case::Unpaid, document, 46_000, &[], left(&[(30_000, 800, 4_600), (9_999, 800, 11_501), (1, 0, 0)])),
        ),
        (
            "by chips",
            of(
                Case::Paid,
                RefundMethod::ChipCount,
                36_800,
                &[16_000, 10_000, 6_400, 4_400],
                with_fee(&[41_000, 29_500, 12_250, 7_250], 80),
            ),
        ),
        ("nothing collected", of(Case::Unpaid, document, 0, &[], with_fee(&[5, 6], 0))),
        ("large", of(Case::Unpaid, document, (1 << 52) - 1, &[], with_fee(&[(1 << 51) - 1, 1 << 50, 3], 0))),
    ];
    let mut many: Vec<u64> = vec![1_000; 99];
    many.push(37_500);
    let rest = 300_000 - many.iter().sum::<u64>();
    many[0] += rest;
    cases.push(("the example of case 2", of(Case::Unpaid, document, 900_000, &[], with_fee(&many, 300))));
    for round in 0..24u16 {
        let count = numbers.upto(9);
        let players: Vec<_> =
            (0..count).map(|_| (numbers.upto(60_000), numbers.upto(900), numbers.upto(5_000) - 1)).collect();
        let mut prizes: Vec<u64> = (0..count).map(|_| numbers.upto(50_000)).collect();
        prizes.sort_unstable_by(|a, b| b.cmp(a));
        let method = if round % 3 == 0 { RefundMethod::ChipCount } else { document };
        let (case, pool) = match round % 2 {
            0 => (Case::Unpaid, numbers.upto(65_000)),
            _ => (Case::Paid, prizes.iter().sum()),
        };
        let prizes = if case == Case::Unpaid { Vec::new() } else { prizes };
        cases.push(("", of(case, method, pool, &prizes, left(&players))));
    }
    cases.into_iter().map(|(name, given)| json!({"name": name, "in": given, "out": refund(&given).unwrap()})).collect()
}

fn instants() -> Vec<Value> {
    let mut numbers = Numbers::new(6);
    let start = 1_800_000_000_000;
    let mut cases = Vec::new();
    for (name, entries, pace) in [
        ("freezeout-6", 8u64, 40),
        ("freezeout-6", 9, 2),
        ("freezeout-9", 12, 40),
        ("bounty-progressive", 7, 40),
        ("satellite", 20, 40),
        ("rebuy", 5, 3),
    ] {
        let structure = shipped(name);
        let terms = structure.entry.clone();
        let held = |at, entry_no, chips, bounty| Held {
            at,
            entry_no: EntryNo(entry_no),
            re_entry: name == "bounty-progressive" && entry_no == 6,
            chips,
            may_rebuy: false,
            bounty,
            fee: terms.fee,
            to_pool: terms.buy_in,
        };
        let mut chips = vec![terms.stack; usize::try_from(entries).unwrap()];
        let mut records: Vec<Held> =
            (0..entries).map(|no| held(start - 1_000 * (entries - no), no, terms.stack, terms.bounty)).collect();
        let mut at = start;
        // Players who are out early may rebuy, and two in three do.
        let mut rebuys = vec![0; chips.len()];
        let rebuy = structure.rebuy.clone();
        let with = |held: Held, times: u64| match &rebuy {
            Some(terms) => {
                Held { fee: held.fee + times * terms.fee, to_pool: held.to_pool + times * terms.price, ..held }
            }
            None => held,
        };
        while chips.iter().filter(|stack| **stack > 0).count() > 2 {
            at += 60_000 * numbers.upto(pace);
            let alive: Vec<usize> = (0..chips.len()).filter(|no| chips[*no] > 0).collect();
            let pick = |n: u64| alive[usize::try_from(n).unwrap() - 1];
            let count = u16::try_from(alive.len()).unwrap();
            let (winner, loser) = (pick(numbers.upto(count)), pick(numbers.upto(count)));
            if winner == loser {
                continue;
            }
            let lost = if numbers.upto(2) == 1 { chips[loser] } else { chips[loser].div_ceil(3) };
            chips[loser] -= lost;
            chips[winner] += lost;
            for no in [loser, winner] {
                let bounty = if chips[no] == 0 { 0 } else { terms.bounty };
                let may_rebuy = chips[no] == 0 && rebuy.is_some() && at < start + 3_000_000;
                let now = with(held(at, u64::try_from(no).unwrap(), chips[no], bounty), rebuys[no]);
                records.push(Held { may_rebuy, ..now });
            }
            if let Some(terms) = rebuy.as_ref().filter(|_| chips[loser] == 0 && at < start + 3_000_000) {
                at += 10_000;
                if numbers.upto(3) > 1 {
                    rebuys[loser] += 1;
                    chips[loser] = terms.chips;
                }
                records.push(with(held(at, u64::try_from(loser).unwrap(), chips[loser], 0), rebuys[loser]));
            }
        }
        let stops = [Stop { from: start + 100_000, until: start + 160_000 }];
        let event = Event { structure: &structure, start, stops: &stops, records: &records };
        let mut results = Vec::new();
        event.other_instants(start - 2_500, at, |at, out| results.push(json!({"instant": at, "out": out}))).unwrap();
        cases.push(json!({
            "structure": name, "start": start, "stops": stops.iter().map(|s| [s.from, s.until]).collect::<Vec<_>>(),
            "records": records, "from": start - 2_500, "until": at, "results": results,
        }));
    }
    cases
}
