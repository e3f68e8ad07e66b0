//! `find`: the rounds of a log that somebody asks for, a line for each player in each (spec/audit.md, "To find a
//! round"). The whole log is audited on the way: what is listed is what a sound log says.

use crate::cli::{FindArgs, RoundOutcome};
use crate::cluster::{MemberReport, audited};
use crate::log::Watch;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::parse_key;
use crate::zone::Zone;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Entry, Event, RoundResult, VoidCause};
use fairshoe_judge::audit::Book;
use fairshoe_judge::{utc, void_words};
use serde::Serialize;
use std::collections::BTreeMap;

/// A player's part in a round; sums in minor units, absent while it is in play.
#[derive(Clone, Debug, Serialize)]
struct Part {
    round: String,
    rules: String,
    /// UTC milliseconds.
    begun: u64,
    ended: Option<u64>,
    player: PlayerId,
    outcome: RoundOutcome,
    staked: Option<u64>,
    returned: Option<u64>,
    net: Option<i64>,
    /// Why it is void.
    cause: Option<VoidCause>,
    /// The entries at which it begins and ends.
    first_entry: u64,
    last_entry: Option<u64>,
}

/// A round that is not over.
struct Begun {
    index: u64,
    time: u64,
    players: Vec<PlayerId>,
}

/// How a round ended.
struct Ended<'e> {
    index: u64,
    time: u64,
    cause: Option<VoidCause>,
    players: &'e [RoundResult],
}

/// Writes down the rounds of a log while it is decided again, those alone that are asked for.
struct Rounds {
    wanted: FindArgs,
    rules: BTreeMap<TableId, String>,
    begun: BTreeMap<(TableId, u64), Begun>,
    found: Vec<Part>,
    /// All that are asked for, also those beyond the limit.
    count: u64,
}

impl FindArgs {
    fn wants(&self, table: &TableId, part: &Part) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        is(&self.player, part.player.as_str())
            && is(&self.table, table.as_str())
            && is(&self.rules, &part.rules)
            && self.outcome.is_none_or(|outcome| outcome == part.outcome)
            && self.after.is_none_or(|after| part.ended.unwrap_or(u64::MAX) >= after.0)
            && self.before.is_none_or(|before| part.begun < before.0)
            && self.min_staked.is_none_or(|least| part.staked.is_some_and(|staked| staked >= least))
            && self.min_net.is_none_or(|least| part.net.is_some_and(|net| net >= least))
            && self.max_net.is_none_or(|most| part.net.is_some_and(|net| net <= most))
    }
}

impl Rounds {
    fn asked_for(args: &FindArgs) -> Rounds {
        let (wanted, rules, begun) = (args.clone(), BTreeMap::new(), BTreeMap::new());
        Rounds { wanted, rules, begun, found: Vec::new(), count: 0 }
    }

    fn take(&mut self, table: &TableId, part: Part) {
        if !self.wanted.wants(table, &part) {
            return;
        }
        self.count += 1;
        if self.found.len() < self.wanted.limit {
            self.found.push(part);
        }
    }

    fn rules_of(&self, table: &TableId) -> String {
        self.rules.get(table).cloned().unwrap_or_default()
    }

    fn end(&mut self, table: &TableId, round_no: u64, ended: &Ended<'_>) {
        let begun = self.begun.remove(&(table.clone(), round_no));
        let (first, begun) = begun.map_or((ended.index, ended.time), |begun| (begun.index, begun.time));
        for result in ended.players {
            let (staked, returned) = (result.staked.units(), result.returned.units());
            let net = i64::try_from(i128::from(returned) - i128::from(staked)).unwrap_or(i64::MAX);
            let outcome = match (ended.cause, net.signum()) {
                (Some(_), _) => RoundOutcome::Void,
                (None, 1) => RoundOutcome::Won,
                (None, 0) => RoundOutcome::Even,
                (None, _) => RoundOutcome::Lost,
            };
            let part = Part {
                round: format!("{table}:{round_no}"),
                rules: self.rules_of(table),
                begun,
                ended: Some(ended.time),
                player: result.player.clone(),
                outcome,
                staked: Some(staked),
                returned: Some(returned),
                net: Some(net),
                cause: ended.cause,
                first_entry: first,
                last_entry: Some(ended.index),
            };
            self.take(table, part);
        }
    }

    /// What is in play at the log's end, after all that is over.
    fn finish(&mut self) {
        for ((table, round_no), begun) in std::mem::take(&mut self.begun) {
            for player in begun.players {
                let part = Part {
                    round: format!("{table}:{round_no}"),
                    rules: self.rules_of(&table),
                    begun: begun.time,
                    ended: None,
                    player,
                    outcome: RoundOutcome::InPlay,
                    staked: None,
                    returned: None,
                    net: None,
                    cause: None,
                    first_entry: begun.index,
                    last_entry: None,
                };
                self.take(&table, part);
            }
        }
    }
}

impl Watch for Rounds {
    fn before(&mut self, _: &Book, _: &Entry) -> bool {
        true
    }

    fn after(&mut self, _: &Book, index: u64, entry: &Entry) {
        let Some(table) = entry.at.as_ref().map(|at| &at.table) else { return };
        let time = entry.time;
        for event in &entry.events {
            match event {
                Event::TableOpened { rules, .. } => {
                    self.rules.insert(table.clone(), rules.name.clone());
                }
                Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } => {
                    let players = event.entrants().into_iter().map(|(player, _)| player.clone()).collect();
                    self.begun.insert((table.clone(), *round_no), Begun { index, time, players });
                }
                Event::RoundSettled { round_no, players, .. } => {
                    self.end(table, *round_no, &Ended { index, time, cause: None, players });
                }
                Event::RoundVoided { round_no, cause, players, .. } => {
                    self.end(table, *round_no, &Ended { index, time, cause: Some(*cause), players });
                }
                Event::TableClosed {} => {
                    self.rules.remove(table);
                }
                _ => {}
            }
        }
    }
}

#[derive(Serialize)]
struct FindReport<'r> {
    #[serde(flatten)]
    log: &'r MemberReport,
    /// Those that are asked for, listed or not.
    count: u64,
    rounds: &'r [Part],
}

/// `find SOURCE`
pub fn run(args: &FindArgs) -> Result<Outcome, UnusableInput> {
    let keys = args.common.key.iter().map(|key| parse_key(key)).collect::<Result<Vec<_>, _>>()?;
    let (member, log) = audited(&args.source, &keys, Rounds::asked_for(args))?;
    let Some(member) = member else {
        // What a log says that is not sound is worth nothing.
        if args.common.json {
            say_json(&FindReport { log: &log, count: 0, rounds: &[] })?;
        } else {
            log.say();
        }
        return Ok(Outcome::when(false));
    };
    let mut rounds = member.watched;
    rounds.finish();
    let Rounds { found, count, .. } = rounds;
    if args.common.json {
        say_json(&FindReport { log: &log, count, rounds: &found })?;
    } else if args.csv {
        say_csv(&found, args.zone);
    } else {
        log.say();
        say_words(&found, args.zone);
    }
    if !args.common.json && count > found.len() as u64 {
        eprintln!("{count} fit, and {} are listed: ask for less, or give a greater --limit", found.len());
    }
    Ok(Outcome::when(true))
}

fn time(ms: Option<u64>, zone: Zone) -> String {
    ms.map(|ms| zone.tell(&utc(ms))).unwrap_or_default()
}

fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// By RFC 4180, a header first. Names are labels, which hold no comma, quote or end of a line; one that a spreadsheet would
/// take for a formula or a number is quoted as a text by an apostrophe before it.
fn say_csv(found: &[Part], zone: Zone) {
    say("round,rules,begun,ended,player,outcome,staked,returned,net,cause,first_entry,last_entry\r");
    for part in found {
        let cause = part.cause.map(void_words).unwrap_or_default();
        let fields = [
            as_text(&part.round),
            as_text(&part.rules),
            time(Some(part.begun), zone),
            time(part.ended, zone),
            as_text(part.player.as_str()),
            part.outcome.to_string(),
            number(part.staked),
            number(part.returned),
            number(part.net),
            cause.to_owned(),
            part.first_entry.to_string(),
            number(part.last_entry),
        ];
        say(format!("{}\r", fields.join(",")));
    }
}

fn as_text(name: &str) -> String {
    let is_taken_otherwise = !name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if is_taken_otherwise { format!("'{name}") } else { name.to_owned() }
}

fn say_words(found: &[Part], zone: Zone) {
    for part in found {
        let Part { round, rules, player, outcome, .. } = part;
        let sums = match (part.staked, part.returned, part.net) {
            (Some(staked), Some(returned), Some(net)) => format!(", staked {staked}, got {returned} back ({net:+})"),
            _ => String::new(),
        };
        let cause = part.cause.map(|cause| format!(", since {}", void_words(cause))).unwrap_or_default();
        let at = time(Some(part.ended.unwrap_or(part.begun)), zone);
        say(format!("{at}  {round} ({rules})  {player}: {outcome}{sums}{cause}"));
    }
    if found.is_empty() {
        say("No round of the log is as you ask.");
    }
}
