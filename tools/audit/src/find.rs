//! `find`: the rounds of a log that somebody asks for, a line for each player in each (spec/audit.md, "To find a
//! round"). The whole log is audited on the way: what is listed is what a sound log says.

use crate::cli::FindArgs;
use crate::cluster::{MemberReport, audited};
use crate::log::Watch;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::parse_key;
use crate::zone::Zone;
use fairshoe_api::{PartInRound, PartOutcome, unit_of};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Entry, Event, RoundResult, VoidCause};
use fairshoe_judge::audit::{Book, Sum};
use fairshoe_judge::{utc, void_words};
use serde::Serialize;
use std::collections::BTreeMap;

/// A round that is not over.
struct Begun {
    index: u64,
    time: u64,
    players: Vec<PlayerId>,
}

/// Writes down the rounds of a log while it is decided again, those alone that are asked for.
struct Rounds {
    wanted: FindArgs,
    /// Of each table its rules' name, and what its amounts count.
    tables: BTreeMap<TableId, (String, String)>,
    begun: BTreeMap<(TableId, u64), Begun>,
    found: Vec<PartInRound>,
    /// All that are asked for, also those beyond the limit.
    count: u64,
    /// The sums of all of them that are over, by unit.
    sums: BTreeMap<String, Sums>,
}

/// What parts of one unit come to.
#[derive(Clone, Debug, Default, Serialize)]
struct Sums {
    parts: u64,
    staked: Sum,
    returned: Sum,
    net: Sum,
}

impl FindArgs {
    fn wants(&self, table: &TableId, part: &PartInRound) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        is(&self.player, part.player.as_str())
            && is(&self.table, table.as_str())
            && is(&self.rules, &part.rules)
            && self.outcome.is_none_or(|outcome| outcome == part.outcome)
            && self.since.is_none_or(|since| part.ended.unwrap_or(u64::MAX) >= since.0)
            && self.until.is_none_or(|until| part.begun < until.0)
            && self.min_staked.is_none_or(|least| part.staked.is_some_and(|staked| staked >= least))
            && self.min_net.is_none_or(|least| part.net.is_some_and(|net| net >= least))
            && self.max_net.is_none_or(|most| part.net.is_some_and(|net| net <= most))
    }
}

impl Rounds {
    fn asked_for(args: &FindArgs) -> Rounds {
        let (wanted, tables, begun) = (args.clone(), BTreeMap::new(), BTreeMap::new());
        Rounds { wanted, tables, begun, found: Vec::new(), count: 0, sums: BTreeMap::new() }
    }

    fn take(&mut self, table: &TableId, part: PartInRound) {
        if !self.wanted.wants(table, &part) {
            return;
        }
        self.count += 1;
        if let (Some(staked), Some(returned)) = (part.staked, part.returned) {
            let sums = self.sums.entry(part.unit.clone()).or_default();
            sums.parts += 1;
            sums.staked += staked;
            sums.returned += returned;
            sums.net = sums.returned - sums.staked;
        }
        if self.found.len() < self.wanted.limit {
            self.found.push(part);
        }
    }

    fn begun(&self, table: &TableId, round_no: u64, player: &PlayerId, index: u64, time: u64) -> PartInRound {
        let (rules, unit) = self.tables.get(table).cloned().unwrap_or_default();
        PartInRound {
            round: format!("{table}:{round_no}"),
            rules,
            begun: time,
            ended: None,
            player: player.clone(),
            outcome: PartOutcome::InPlay,
            unit,
            staked: None,
            returned: None,
            net: None,
            cause: None,
            first_entry: index,
            last_entry: None,
        }
    }

    fn end(
        &mut self,
        table: &TableId,
        round_no: u64,
        at: (u64, u64),
        cause: Option<VoidCause>,
        players: &[RoundResult],
    ) {
        let (index, time) = at;
        let begun = self.begun.remove(&(table.clone(), round_no));
        let (first, begun) = begun.map_or(at, |begun| (begun.index, begun.time));
        for result in players {
            let part = self.begun(table, round_no, &result.player, first, begun).over(index, time, cause, result);
            self.take(table, part);
        }
    }

    /// What is in play at the log's end, after all that is over.
    fn finish(&mut self) {
        for ((table, round_no), begun) in std::mem::take(&mut self.begun) {
            for player in begun.players {
                let part = self.begun(&table, round_no, &player, begun.index, begun.time);
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
                Event::TableOpened { rules, event, .. } => {
                    let unit = unit_of(table, event.as_ref(), self.wanted.currency.as_ref());
                    self.tables.insert(table.clone(), (rules.name.clone(), unit));
                }
                Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } => {
                    let players = event.entrants().into_iter().map(|(player, _)| player.clone()).collect();
                    self.begun.insert((table.clone(), *round_no), Begun { index, time, players });
                }
                Event::RoundSettled { round_no, players, .. } => {
                    self.end(table, *round_no, (index, time), None, players);
                }
                Event::RoundVoided { round_no, cause, players, .. } => {
                    self.end(table, *round_no, (index, time), Some(*cause), players);
                }
                Event::TableClosed {} => {
                    self.tables.remove(table);
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
    /// Of these, those that are over, by unit.
    sums: &'r BTreeMap<String, Sums>,
    rounds: &'r [PartInRound],
}

/// `find SOURCE`
pub fn run(args: &FindArgs) -> Result<Outcome, UnusableInput> {
    let keys = args.common.key.iter().map(|key| parse_key(key)).collect::<Result<Vec<_>, _>>()?;
    let (member, log) = audited(&args.source, &keys, Rounds::asked_for(args))?;
    let Some(member) = member else {
        // What a log says that is not sound is worth nothing.
        if args.common.json {
            say_json(&FindReport { log: &log, count: 0, sums: &BTreeMap::new(), rounds: &[] })?;
        } else {
            log.say();
        }
        return Ok(Outcome::when(false));
    };
    let mut rounds = member.watched;
    rounds.finish();
    let Rounds { found, count, sums, .. } = rounds;
    if args.common.json {
        say_json(&FindReport { log: &log, count, sums: &sums, rounds: &found })?;
    } else if args.csv {
        say_csv(&found, args.zone);
    } else {
        log.say();
        say_words(&found, args.zone);
        for (unit, Sums { parts, staked, returned, net }) in &sums {
            let net = format!("{}{net}", if net.value() > 0 { "+" } else { "" });
            say(format!("in all, {unit}: {parts} parts, staked {staked}, got {returned} back ({net})"));
        }
    }
    if !args.common.json && count > found.len() as u64 {
        eprintln!("{count} fit, and {} are listed: ask for less, or give a greater --limit", found.len());
    }
    Ok(Outcome::when(true))
}

fn time(ms: Option<u64>, zone: Zone) -> String {
    ms.map(|ms| zone.tell(&utc(ms))).unwrap_or_default()
}

/// By RFC 4180, a header first.
fn say_csv(found: &[PartInRound], zone: Zone) {
    say(format!("{}\r", PartInRound::COLUMNS));
    for part in found {
        let fields = part.row(|ms| time(Some(ms), zone));
        say(format!("{}\r", fields.join(",")));
    }
}

fn say_words(found: &[PartInRound], zone: Zone) {
    for part in found {
        let PartInRound { round, rules, player, .. } = part;
        let outcome = part.outcome.to_string().replace('_', " ");
        let sums = match (part.staked, part.returned, part.net) {
            (Some(staked), Some(returned), Some(net)) => {
                format!(", staked {staked}, got {returned} back ({net:+}) {}", part.unit)
            }
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
