//! What a dispute desk looks for: a player's part in rounds, and what moved a balance; as lines of JSON, or as a
//! spreadsheet takes it.

use crate::Service;
use crate::edge::pieces::{PIECE, Piece, Pieces, off_thread, send};
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, address_of, player_id, table_id};
use crate::ops::tokens::Role;
use crate::read::Reading;
use crate::read::history::{self, index, read};
use crate::read::index::{PlayerIndex, RoundRef, TableIndex};
use crate::read::records::{Closed, first_from, times_between};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{Currency, ErrorCode, PartInRound, PartOutcome, Transaction, spreadsheet_text, unit_of};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Account, Event, OpenRound, RoundResult, VoidCause, is_guest};
use fairshoe_judge::utc;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// Entries looked at at once; and rounds of a list, each of which is read.
const AT_ONCE: u64 = 512;
const ROUNDS_AT_ONCE: u64 = 32;
/// So often before others get their turn.
const LOOKS: u32 = 16;

/// Tables whose rules' names are kept while one search lasts.
const TABLES_KEPT: usize = 1024;

/// How lines are written.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Jsonl,
    Csv,
}

impl Format {
    fn media_type(self) -> &'static str {
        match self {
            Format::Jsonl => "application/x-ndjson",
            Format::Csv => "text/csv; charset=utf-8; header=present",
        }
    }
}

/// One line of a list.
trait Line: serde::Serialize {
    /// The columns' names.
    const COLUMNS: &'static str;

    /// The same as CSV's fields.
    fn fields(&self) -> Vec<String>;

    fn write(&self, format: Format, text: &mut String) -> Result<(), Problem> {
        match format {
            Format::Jsonl => {
                text.push_str(&serde_json::to_string(self).map_err(Problem::internal)?);
                text.push('\n');
            }
            Format::Csv => {
                text.push_str(&self.fields().join(","));
                text.push_str("\r\n");
            }
        }
        Ok(())
    }
}

impl Line for PartInRound {
    const COLUMNS: &'static str = PartInRound::COLUMNS;

    fn fields(&self) -> Vec<String> {
        self.row(utc)
    }
}

impl Line for Transaction {
    const COLUMNS: &'static str = "index,time,what,by,table,amount,balance";

    fn fields(&self) -> Vec<String> {
        vec![
            self.index.to_string(),
            utc(self.time),
            self.what.clone(),
            self.by.to_string(),
            self.table.as_ref().map(|table| spreadsheet_text(table.as_str())).unwrap_or_default(),
            self.amount.to_string(),
            self.balance.to_string(),
        ]
    }
}

/// How a round ended, by its last entry.
pub struct Ended {
    index: u64,
    time: u64,
    cause: Option<VoidCause>,
    players: Vec<RoundResult>,
}

impl Ended {
    /// Of a round that is over.
    pub fn of(reading: &Reading, table: &TableIndex, round: &RoundRef) -> Result<Option<Ended>, Problem> {
        let Some(index) = round.last_seq.map_or(Ok(None), |seq| table.entry(seq))? else { return Ok(None) };
        let entry = read(reading, index)?.entry;
        let time = entry.time;
        Ok(entry.events.into_iter().find_map(|event| match event {
            Event::RoundSettled { round_no, players, .. } if round_no == round.round_no => {
                Some(Ended { index, time, cause: None, players })
            }
            Event::RoundVoided { round_no, cause, players, .. } if round_no == round.round_no => {
                Some(Ended { index, time, cause: Some(cause), players })
            }
            _ => None,
        }))
    }

    /// What a player staked and got back.
    pub fn result_of(&self, player: &PlayerId) -> Option<&RoundResult> {
        self.players.iter().find(|result| result.player == *player)
    }
}

/// What of rounds is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    player: Option<String>,
    table: Option<String>,
    rules: Option<String>,
    outcome: Option<PartOutcome>,
    from: Option<String>,
    to: Option<String>,
    min_staked: Option<u64>,
    min_net: Option<i64>,
    max_net: Option<i64>,
    #[serde(default)]
    format: Format,
}

impl Wanted {
    fn wants(&self, part: &PartInRound) -> bool {
        self.player.as_ref().is_none_or(|player| player == part.player.as_str())
            && self.rules.as_ref().is_none_or(|rules| *rules == part.rules)
            && self.outcome.is_none_or(|outcome| outcome == part.outcome)
            && self.min_staked.is_none_or(|least| part.staked.is_some_and(|staked| staked >= least))
            && self.min_net.is_none_or(|least| part.net.is_some_and(|net| net >= least))
            && self.max_net.is_none_or(|most| part.net.is_some_and(|net| net <= most))
    }
}

/// Where the rounds come from: the shortest list that holds all that is asked for.
enum Rounds {
    Player(PlayerIndex, Range<u64>),
    Table(TableIndex, Range<u64>),
    Log(Closed),
}

/// Rounds that are being looked for.
struct Find {
    wanted: Wanted,
    times: Range<u64>,
    table: Option<TableId>,
    rounds: Rounds,
    /// Of each table its rules' name, and what its amounts count.
    known: BTreeMap<TableId, (String, String)>,
    currency: Option<Currency>,
    head: bool,
}

impl Find {
    /// The next rounds to look at, and whether they are the last.
    fn next_rounds(&mut self, reading: &Reading) -> Result<(Vec<(TableId, u64)>, bool), Problem> {
        match &mut self.rounds {
            Rounds::Player(all, left) => {
                let until = left.start.saturating_add(ROUNDS_AT_ONCE).min(left.end);
                let rounds = all.range(left.start..until)?;
                left.start = until;
                Ok((rounds, left.is_empty()))
            }
            Rounds::Table(table, left) => {
                let until = left.start.saturating_add(ROUNDS_AT_ONCE).min(left.end);
                let rounds = table.rounds(left.start..until)?;
                left.start = until;
                let id = self.table.clone().ok_or_else(|| Problem::internal("a table without a name"))?;
                Ok((rounds.into_iter().map(|round| (id.clone(), round.round_no)).collect(), left.is_empty()))
            }
            Rounds::Log(closed) => {
                let found = closed.next(reading)?;
                Ok((found.into_iter().map(|(_, table, round_no)| (table, round_no)).collect(), closed.is_over()))
            }
        }
    }

    fn rules_and_unit(
        &mut self,
        reading: &Reading,
        id: &TableId,
        table: &TableIndex,
    ) -> Result<(String, String), Problem> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let opened = table.opened().map(|at| read(reading, at)).transpose()?;
        let found = opened.and_then(|placed| {
            placed.entry.events.into_iter().find_map(|event| match event {
                Event::TableOpened { rules, event, .. } => Some((rules.name, event)),
                _ => None,
            })
        });
        let (name, event) = found.unwrap_or_default();
        let known = (name, unit_of(id, event.as_ref(), self.currency.as_ref()));
        if self.known.len() >= TABLES_KEPT {
            self.known.clear();
        }
        self.known.insert(id.clone(), known.clone());
        Ok(known)
    }

    /// All parts in a round that are asked for.
    fn parts(&mut self, reading: &Reading, id: &TableId, round_no: u64) -> Result<Vec<PartInRound>, Problem> {
        if self.table.as_ref().is_some_and(|wanted| wanted != id) {
            return Ok(Vec::new());
        }
        let Some(table) = index(reading).table(id)? else { return Ok(Vec::new()) };
        let Some(round) = table.round(round_no)? else { return Ok(Vec::new()) };
        if !self.times.contains(&round.time) {
            return Ok(Vec::new());
        }
        let Some(first_entry) = table.entry(round.closed_seq)? else { return Ok(Vec::new()) };
        let (rules, unit) = self.rules_and_unit(reading, id, &table)?;
        let begun = PartInRound {
            round: OpenRound::id(id, round.round_no),
            rules,
            begun: round.time,
            ended: None,
            player: PlayerId::parse("nobody").map_err(Problem::internal)?,
            outcome: PartOutcome::InPlay,
            unit,
            staked: None,
            returned: None,
            net: None,
            cause: None,
            first_entry,
            last_entry: None,
        };
        let mut parts: Vec<PartInRound> = match Ended::of(reading, &table, &round)? {
            Some(Ended { index, time, cause, players }) => {
                players.iter().map(|result| begun.clone().over(index, time, cause, result)).collect()
            }
            None => {
                let entry = read(reading, first_entry)?.entry;
                let players = entry.events.iter().flat_map(Event::entrants);
                players.map(|(player, _)| begun.clone().of(player.clone())).collect()
            }
        };
        parts.retain(|part| self.wanted.wants(part));
        Ok(parts)
    }
}

impl Pieces for Find {
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let format = self.wanted.format;
        let mut text = head::<PartInRound>(format, std::mem::take(&mut self.head));
        let mut last = false;
        for _ in 0..LOOKS {
            let (rounds, over) = self.next_rounds(reading)?;
            for (table, round_no) in rounds {
                for part in self.parts(reading, &table, round_no)? {
                    part.write(format, &mut text)?;
                }
            }
            last = over;
            if over || text.len() >= PIECE {
                break;
            }
        }
        Ok(Piece { bytes: text.into_bytes(), last })
    }
}

fn head<L: Line>(format: Format, is_first: bool) -> String {
    if is_first && format == Format::Csv { format!("{}\r\n", L::COLUMNS) } else { String::new() }
}

/// That there is a player of this name, or was: guests go. A name that is mistyped is not one
/// to whom nothing happened.
fn require_known(reading: &Reading, player: &PlayerId) -> Result<(), Problem> {
    if is_guest(player) || reading.directory.has(player) || index(reading).player(player)?.len() > 0 {
        return Ok(());
    }
    Err(Problem::not_found(ErrorCode::UnknownPlayer, format!("there is no player `{player}`")))
}

/// `GET /v1/rounds`
pub async fn rounds(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    wanted: web::Query<Wanted>,
) -> Result<HttpResponse, Problem> {
    let wanted = wanted.into_inner();
    let player = wanted.player.as_deref().map(player_id).transpose()?;
    let table = wanted.table.as_deref().map(table_id).transpose()?;
    match (caller.role()?, &player) {
        (Role::Player(_), None) => {
            return Err(Problem::not_allowed("a player finds their own rounds: name them by `player`"));
        }
        (_, Some(player)) => caller.require_reader_of(player)?,
        _ => {}
    }
    let times = times_between(wanted.from.as_deref(), wanted.to.as_deref())?;
    if wanted.min_net.zip(wanted.max_net).is_some_and(|(least, most)| least > most) {
        return Err(Problem::malformed("`min_net` is above `max_net`"));
    }
    let reading = &service.running;
    let all = index(reading);
    player.as_ref().map_or(Ok(()), |player| require_known(reading, player))?;
    let rounds = match (&player, &table) {
        (Some(player), _) => {
            let rounds = all.player(player)?;
            let count = rounds.len();
            Rounds::Player(rounds, 0..count)
        }
        (None, Some(table)) => match all.table(table)? {
            Some(known) => {
                let count = known.round_count();
                Rounds::Table(known, 0..count)
            }
            None => {
                let detail = format!("there never was a table `{table}`");
                return Err(Problem::not_found(ErrorCode::UnknownTable, detail));
            }
        },
        (None, None) => {
            let (size, from) = (reading.current().size(), times.start);
            let first = move |reading: &Reading| first_from(reading, from, size);
            let first = off_thread(reading, &reading.lanes.records, address_of(&http), first).await?;
            Rounds::Log(Closed::between(first..size, times.end))
        }
    };
    let (format, currency) = (wanted.format, service.currency.clone());
    let find = Find { wanted, times, table, rounds, known: BTreeMap::new(), currency, head: true };
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, format.media_type()));
    send(service.clone(), &http, reply, find).await
}

/// Between which times postings are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Between {
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    format: Format,
}

/// Postings to a player's account that are being looked for.
struct Transactions {
    player: PlayerId,
    /// What an entry holds that posts to it.
    mark: Finder<'static>,
    entries: Range<u64>,
    to: u64,
    format: Format,
    head: bool,
}

/// What of an entry a line tells beside its postings.
#[derive(Deserialize)]
struct Named {
    command: BTreeMap<String, IgnoredAny>,
}

impl Transactions {
    fn tell(&self, reading: &Reading, at: u64, text: &mut String) -> Result<(), Problem> {
        let history::Placed { bytes, entry, .. } = read(reading, at)?;
        let named: Named = serde_json::from_slice(&bytes).map_err(Problem::internal)?;
        let what = named.command.into_keys().next().unwrap_or_default();
        let account = Account::Player(self.player.clone());
        let posted = entry.events.iter().filter_map(|event| match event {
            Event::Posted { lines } => Some(lines),
            _ => None,
        });
        for line in posted.flatten().filter(|line| line.0 == account) {
            let told = Transaction {
                index: at,
                time: entry.time,
                what: what.clone(),
                by: entry.by.clone(),
                table: entry.at.as_ref().map(|at| at.table.clone()),
                amount: line.1,
                balance: line.2,
            };
            told.write(self.format, text)?;
        }
        Ok(())
    }
}

impl Pieces for Transactions {
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let mut text = head::<Transaction>(self.format, std::mem::take(&mut self.head));
        for _ in 0..LOOKS {
            if self.entries.is_empty() || text.len() >= PIECE {
                break;
            }
            let until = self.entries.start.saturating_add(AT_ONCE).min(self.entries.end);
            let (mut found, mut over) = (Vec::new(), false);
            let begun = self.entries.start;
            let mut visit = |at: u64, bytes: &[u8]| {
                // Times never go back: to read that of each entry would cost more than to look for the name.
                let is_named = self.mark.find(bytes).is_some();
                over |= (is_named || at == begun) && crate::read::records::time_of(bytes) >= self.to;
                if over {
                    return ControlFlow::Break(());
                }
                if is_named {
                    found.push(at);
                }
                ControlFlow::Continue(())
            };
            reading.reader.read(self.entries.start..until, &mut visit).map_err(Problem::internal)?;
            self.entries.start = if over { self.entries.end } else { until };
            for at in found {
                self.tell(reading, at, &mut text)?;
            }
        }
        Ok(Piece { bytes: text.into_bytes(), last: self.entries.is_empty() })
    }
}

/// `GET /v1/players/{player}/transactions`
pub async fn transactions(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
    asked: web::Query<Between>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    caller.require_reader_of(&player)?;
    let times = times_between(asked.from.as_deref(), asked.to.as_deref())?;
    let reading = &service.running;
    require_known(reading, &player)?;
    let (size, from) = (reading.current().size(), times.start);
    let first = move |reading: &Reading| first_from(reading, from, size);
    let first = off_thread(reading, &reading.lanes.records, address_of(&http), first).await?;
    let mark = Finder::new(&format!("[\"player:{player}\",")).into_owned();
    let (to, format) = (times.end, asked.format);
    let transactions = Transactions { player, mark, entries: first..size, to, format, head: true };
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, format.media_type()));
    send(service.clone(), &http, reply, transactions).await
}
