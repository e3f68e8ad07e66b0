//! The event in words, in the log's order: what each of its entries says (`narrate`), by whom, and what follows from it
//! and stands in no entry: who was drawn where, why a table breaks or a player moves, which places are fixed.

use super::terms::{blinds, terms};
use crate::narrate::{Telling, asks, phrase};
use crate::utc;
use fairshoe_house::tournament::{DrawKind, OpenDraw, Whereabouts};
use fairshoe_house::{Actor, Command, Entry, Event, Tournament, TournamentCommand as C, TournamentEvent as E};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::seating::{Field, Move};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The story of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Its index in the log.
    pub entry: u64,
    /// UTC milliseconds.
    pub time: u64,
    /// In words, a line each.
    pub lines: Vec<String>,
}

pub(super) struct Story {
    with_hands: bool,
    told: Vec<Told>,
    /// The player of each entry.
    names: HashMap<EntryNo, String>,
    /// Out, and no place fixed.
    unranked: BTreeSet<EntryNo>,
    /// The draw that was open before the entry that is being told.
    open: Option<OpenDraw>,
    /// Why seats change by it.
    why: Option<String>,
}

impl Story {
    pub fn new(with_hands: bool) -> Story {
        Story { with_hands, told: Vec::new(), names: HashMap::new(), unranked: BTreeSet::new(), open: None, why: None }
    }

    pub fn finish(self) -> Vec<Told> {
        self.told
    }

    /// Tells what only the state before an entry shows.
    pub fn before(&mut self, entry: &Entry, event: &Tournament) {
        (self.open, self.why) = (None, None);
        let Command::Tournament(command) = &entry.command else { return };
        match command {
            C::DrawSeats { .. } => self.open.clone_from(&event.draws.open),
            C::CallDraw { .. } => self.why = break_words(event.field()),
            C::MovePlayer { .. } => self.why = move_words(event.field()),
            _ => {}
        }
    }

    fn tell(&mut self, index: u64, entry: &Entry, lines: Vec<String>) {
        if !lines.is_empty() {
            self.told.push(Told { entry: index, time: entry.time, lines });
        }
    }

    /// The dealer started while the event was played.
    pub fn crashed(&mut self, index: u64, entry: &Entry, event: &Tournament) {
        let Some((since, _)) = event.clock.stands else { return };
        let words = format!("the dealer starts again: the event's clock stands since {}", utc(since));
        self.tell(index, entry, vec![words]);
    }

    /// An entry of the event's own.
    pub fn own(&mut self, index: u64, entry: &Entry, event: &Tournament) {
        let mut lines = Vec::new();
        // The operator's commands have a cause, which no event holds.
        let is_asked = matches!(&entry.command, Command::Tournament(C::Cancel { .. } | C::Create { .. }));
        if is_asked || entry.by == Actor::Operator {
            lines.push(asks(&entry.by, &entry.command, &Telling::default()));
        }
        for happened in &entry.events {
            let Event::Tournament(of_event) = happened else { continue };
            lines.push(self.named(&phrase(happened, &Telling::default())));
            lines.extend(self.more(of_event, event).into_iter().map(|line| format!("  {line}")));
        }
        lines.extend(self.places(event));
        self.tell(index, entry, lines);
    }

    /// Tells the consequences of an event.
    fn more(&mut self, happened: &E, event: &Tournament) -> Vec<String> {
        match happened {
            E::Created { .. } => terms(event),
            E::Registered { entry_no, player, paid_by, .. } => {
                self.names.insert(*entry_no, player.to_string());
                let parts = [("cash", paid_by.cash), ("T$", paid_by.t_dollars), ("a ticket worth", paid_by.ticket)];
                let parts = parts.iter().filter(|(_, amount)| *amount > 0);
                let parts: Vec<String> = parts.map(|(form, amount)| format!("{form} {amount}")).collect();
                vec![format!("paid by {}", if parts.is_empty() { "nothing".into() } else { parts.join(" and ") })]
            }
            E::LevelBegun { level } => {
                let level = usize::from(*level).checked_sub(1).and_then(|at| event.structure().levels.get(at));
                level.map(|level| format!("blinds {}", blinds(level))).into_iter().collect()
            }
            E::DrawCalled { kind, .. } => {
                let mut lines = Vec::new();
                if *kind == DrawKind::Break {
                    lines.extend(self.why.take());
                }
                let entrants = event.draws.open.iter().flat_map(|open| &open.entrants);
                let entrants: Vec<String> = entrants.map(|entry_no| self.name(*entry_no)).collect();
                lines.push(format!("to be seated: {}", entrants.join(", ")));
                lines
            }
            E::SeatsDrawn { .. } => self.drawn(event),
            E::PlayerMoved { .. } => self.why.take().into_iter().collect(),
            E::PlayerEliminated { entry_no, .. } => {
                self.unranked.insert(*entry_no);
                Vec::new()
            }
            E::PlayerDisqualified { entry_no, .. } => {
                // A player who was out by then is ranked by the hand that did it.
                let out = event.entries.get(entry_no).and_then(|entry| entry.out);
                if out.is_none_or(|out| out.stack == 0) {
                    self.unranked.insert(*entry_no);
                }
                vec![
                    "their chips are out of play; head, total and the prize of their place go to all who are left"
                        .into(),
                ]
            }
            E::PrizePaid { entry_no, prize, .. } => {
                let is_out = event.entries.get(entry_no).is_some_and(|entry| entry.at == Whereabouts::Disqualified);
                if prize.substitute > 0 {
                    vec!["to the house, which owes the substitute that the player accepted".into()]
                } else if is_out {
                    vec!["the player being disqualified, to all who are left, in equal parts".into()]
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        }
    }

    /// Seats that a draw gave, table by table; who gave no seed for it.
    fn drawn(&mut self, event: &Tournament) -> Vec<String> {
        let Some(open) = self.open.take() else { return Vec::new() };
        let withheld: Vec<String> = open
            .entrants
            .iter()
            .filter(|entry_no| !open.seeds.contains_key(entry_no))
            .map(|entry_no| self.name(*entry_no))
            .collect();
        let mut lines = Vec::new();
        if !withheld.is_empty() {
            lines.push(format!("withheld by {}: their seeds are left out", withheld.join(", ")));
        }
        let mut tables: BTreeMap<u16, BTreeMap<u8, EntryNo>> = BTreeMap::new();
        for entry_no in &open.entrants {
            if let Some(Whereabouts::Seated(table, seat)) = event.entries.get(entry_no).map(|entry| entry.at) {
                tables.entry(table).or_default().insert(seat, *entry_no);
            }
        }
        for (number, seats) in tables {
            let seats: Vec<String> =
                seats.iter().map(|(seat, entry_no)| format!("{seat} {}", self.name(*entry_no))).collect();
            let button = event.field().tables.get(&number).and_then(|table| table.first_button);
            let button = button.map_or_else(String::new, |button| format!("; the button is drawn to {button}"));
            lines.push(format!("table {number}: seats {}{button}", seats.join(", ")));
        }
        lines
    }

    /// Places that are fixed since.
    fn places(&mut self, event: &Tournament) -> Vec<String> {
        let rank = |entry_no: &EntryNo| event.entries.get(entry_no).and_then(|entry| entry.rank);
        let fixed: Vec<(EntryNo, (u64, u64))> =
            self.unranked.iter().filter_map(|entry_no| Some((*entry_no, rank(entry_no)?))).collect();
        let mut lines = Vec::new();
        for (entry_no, (first, last)) in fixed {
            self.unranked.remove(&entry_no);
            let place =
                if first == last { format!("place {first}") } else { format!("places {first} to {last}, shared") };
            lines.push(format!("  {place}: {}", self.name(entry_no)));
        }
        lines
    }

    /// An entry of one of its tables; `chips`: all that are in play after it.
    pub fn at_table(&mut self, index: u64, entry: &Entry, chips: u64) {
        let Some(table) = entry.command.table() else { return };
        let mut lines = Vec::new();
        for happened in &entry.events {
            match happened {
                Event::TableOpened { .. } => lines.push(format!("table {table} is opened")),
                Event::TableClosed {} => lines.push(format!("table {table} is closed")),
                Event::RoundVoided { round_no, .. } => {
                    lines.push(format!("hand {table}:{round_no}: {}", phrase(happened, &Telling::default())));
                }
                Event::SetSeats { .. } if self.with_hands => {
                    lines.push(format!("table {table}: {}", phrase(happened, &Telling::default())))
                }
                Event::PostsTaken { seats, .. } if self.with_hands => {
                    let results = seats
                        .iter()
                        .map(|one| (one.player.as_str(), one.put_in.units(), one.got.units(), one.stack.units()));
                    lines.push(format!("table {table}, posts alone: {}", hand_words(results, chips)));
                }
                Event::Play(play) if self.with_hands => {
                    let Some(hand) = play.hand_result() else { continue };
                    let results = hand
                        .seats
                        .iter()
                        .map(|one| (one.player.as_str(), one.put_in.units(), one.got.units(), one.stack.units()));
                    lines.push(format!("hand {table}{}: {}", number(entry), hand_words(results, chips)));
                }
                _ => {}
            }
        }
        self.tell(index, entry, lines);
    }

    fn name(&self, entry_no: EntryNo) -> String {
        match self.names.get(&entry_no) {
            Some(name) => format!("entry {entry_no} ({name})"),
            None => format!("entry {entry_no}"),
        }
    }

    /// The same words, each `entry N` with its player's name.
    fn named(&self, words: &str) -> String {
        const WORD: &str = "entry ";
        let mut parts = words.split(WORD);
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            match number.parse() {
                Ok(number) => named += &format!("{}{rest}", self.name(EntryNo(number))),
                Err(_) => named += &format!("{WORD}{part}"),
            }
        }
        named
    }
}

/// The number of the hand that an entry settles, as `:N`.
fn number(entry: &Entry) -> String {
    let settled = |event: &Event| match event {
        Event::RoundSettled { round_no, .. } => Some(format!(":{round_no}")),
        _ => None,
    };
    entry.events.iter().find_map(settled).unwrap_or_default()
}

fn hand_words<'e>(results: impl Iterator<Item = (&'e str, u64, u64, u64)>, chips: u64) -> String {
    let one = |(player, put_in, got, left): (&str, u64, u64, u64)| format!("{player} −{put_in} +{got} = {left}");
    format!("{}; {chips} chips in all", results.map(one).collect::<Vec<_>>().join(", "))
}

/// Why a table breaks (spec/games/tournaments.md, 6.1).
fn break_words(field: &Field) -> Option<String> {
    let players = field.players();
    let needed = players.div_ceil(usize::from(field.seats.max(1)));
    (field.tables.len() > needed.max(1)).then(|| {
        format!(
            "{} tables for {players} players, who need {needed}: the one with the fewest players breaks, of equals the highest number",
            field.tables.len()
        )
    })
}

/// Why a player moves, and why that one to that seat (6.2, 6.4).
fn move_words(field: &Field) -> Option<String> {
    let Some(fairshoe_tournament::seating::Due::Move(Move { from, to, .. })) = field.due() else { return None };
    let (fullest, emptiest) = (field.tables.get(&from.0)?, field.tables.get(&to.0)?);
    Some(format!(
        "table {} has {} players, table {} has {}; of all players and free seats the least difference of distances to the big blind: {} here, {} there",
        from.0,
        fullest.players.len(),
        to.0,
        emptiest.players.len(),
        fullest.distance(from.1),
        emptiest.distance(to.1)
    ))
}
