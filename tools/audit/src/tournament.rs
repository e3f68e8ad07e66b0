//! `tournament`: one event told from its announcement to the last cent (spec/audit.md, "Tournaments"). The log is audited
//! on the way, as `log` does it, and nothing is told of one that does not hold. What is told is the judge's; here it is
//! read and printed.

use crate::acks::Acks;
use crate::cli::TournamentArgs;
use crate::log::{Audited, CheckpointReport, Watch, audit_watched, let_pass, limits, where_overdue};
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::progress::Progress;
use crate::saved_evidence::SavedEvidence;
use crate::source::{Source, trusted};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_fairness::TableId;
use fairshoe_house::tournament::Stage;
use fairshoe_house::{Entry, Overdue};
use fairshoe_judge::audit::{Book, Check, Finding};
use fairshoe_judge::tournament::{
    AccountRow, Accounts, ChipCount, Choice, EntrantAccount, EventReport, Follower, Forms, Instant, Standing,
};
use fairshoe_judge::utc;
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// Rows of a table of instants that are printed; `--json` has all that were worked out.
const MOST_ROWS: usize = 24;

/// Players named for whom another instant would have paid most more, or less.
const MOST_NAMED: usize = 10;

#[derive(Serialize)]
struct TournamentReport {
    verdict: &'static str,
    checkpoint: Option<CheckpointReport>,
    first_failure: Option<Finding>,
    /// What the house has let pass by this machine's clock.
    overdue: Vec<Overdue>,
    /// Only where everything holds.
    tournament: Option<EventReport>,
}

/// Follows the event while the log is decided.
struct Following(Follower, TableId);

impl Watch for Following {
    fn before(&mut self, book: &Book, entry: &Entry) -> bool {
        let is_about = self.0.is_about(entry);
        if is_about {
            self.0.before(entry, book.tournament(&self.1));
        }
        is_about
    }

    fn after(&mut self, book: &Book, index: u64, entry: &Entry) {
        self.0.after(index, entry, book.tournament(&self.1));
    }
}

/// `tournament SOURCE EVENT`
pub fn run(args: &TournamentArgs) -> Result<Outcome, UnusableInput> {
    let name = TableId::parse(&args.event)
        .map_err(|e| UnusableInput::new(format!("{} is no tournament's name: {e}", args.event)))?;
    let key = trusted(args.common.key.as_deref())?;
    let report = match WholeLog::open(Source::parse(&args.source)?, key) {
        Ok(log) => told(&log, name, args)?,
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => not_sound(None, finding, Vec::new()),
    };
    if args.common.json {
        say_json(&report)?;
    } else {
        say_words(&report);
    }
    Ok(Outcome::when(report.first_failure.is_none()))
}

fn not_sound(log: Option<&WholeLog>, finding: Finding, overdue: Vec<Overdue>) -> TournamentReport {
    TournamentReport {
        verdict: "not_sound",
        checkpoint: log.map(CheckpointReport::of),
        first_failure: Some(finding),
        overdue,
        tournament: None,
    }
}

fn told(log: &WholeLog, name: TableId, args: &TournamentArgs) -> Result<TournamentReport, UnusableInput> {
    let follower = Follower::new(name.clone(), args.hands, usize::from(args.instants));
    let mut following = Following(follower, name);
    let fresh = Progress::new(limits(Some(&log.checkpoint.origin)), None);
    let evidence = (&mut Acks::default(), &mut SavedEvidence::default());
    let audited = audit_watched(log, evidence.0, evidence.1, fresh, &AtomicBool::new(false), &mut following)?;
    let Audited { progress, report: book, found } = audited;
    let overdue = progress.book.overdue(log.as_of());
    if let Some(finding) = found.or_else(|| let_pass(log, &overdue)) {
        return Ok(not_sound(Some(log), finding, overdue));
    }
    let Following(follower, name) = following;
    let event = progress.book.tournament(&name);
    let event = event.ok_or_else(|| UnusableInput::new(format!("the log has no tournament {name}")))?;
    let tournament = follower.finish(event, progress.book.last_time());
    // The log holds, and what was counted beside it does not: nothing that rests on either is told.
    let difference = tournament.accounts.difference.as_ref().or(tournament.chips.difference.as_ref());
    if let Some(difference) = difference {
        let finding = Finding::new(Check::Broken, difference.clone()).of_table(&name);
        return Ok(not_sound(Some(log), finding, overdue));
    }
    let verdict = if book.is_complete() && overdue.is_empty() { "sound" } else { "sound_so_far" };
    Ok(TournamentReport {
        verdict,
        checkpoint: Some(CheckpointReport::of(log)),
        first_failure: None,
        overdue,
        tournament: Some(tournament),
    })
}

fn say_words(report: &TournamentReport) {
    if let Some(checkpoint) = &report.checkpoint {
        checkpoint.say();
    }
    if let Some(tournament) = &report.tournament {
        say(format!("tournament  {}, structure {}", tournament.event, tournament.structure));
        for told in &tournament.story {
            let mut lines = told.lines.iter();
            if let Some(first) = lines.next() {
                say(format!("{} [{}] {first}", utc(told.time), told.entry));
            }
            lines.for_each(|line| say(format!("    {line}")));
        }
        say_entrants(&tournament.entrants, tournament.stage);
        say_accounts(&tournament.accounts);
        say_chips(&tournament.chips);
        tournament.choices.iter().for_each(say_choice);
    }
    match &report.first_failure {
        Some(finding) => say(format!("NOT SOUND. {finding}")),
        None if report.verdict == "sound" => say("SOUND. Every entry of the log was decided again."),
        None => {
            say("SOUND SO FAR. Everything shown holds; of the log's tables shoes, rounds or duties are still open.");
            for late in report.overdue.iter().take(MOST_NAMED) {
                say(format!("            {}", where_overdue(late)));
            }
        }
    }
}

/// Rows with their columns as wide as they have to be, the first to the left.
fn say_table(title: &str, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    say(title);
    for row in rows {
        let mut line = String::from(" ");
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let cell = if column == 0 { format!(" {cell:<width$}") } else { format!("  {cell:>width$}") };
            line += &cell;
        }
        say(line.trim_end());
    }
}

fn cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// An amount with its forms, if it is not cash alone.
fn forms(amount: &Forms) -> String {
    let parts = [("T$", amount.t_dollars), ("ticket", amount.ticket)];
    let parts: Vec<String> =
        parts.iter().filter(|(_, part)| *part > 0).map(|(name, part)| format!("{name} {part}")).collect();
    if parts.is_empty() { amount.sum().to_string() } else { format!("{} ({})", amount.sum(), parts.join(", ")) }
}

fn place(entrant: &EntrantAccount, stage: Stage) -> String {
    match (entrant.rank, entrant.standing) {
        (_, Standing::Buyer) => "buyer".into(),
        (_, Standing::GivenBack) => "given back".into(),
        (Some((first, last)), standing) => {
            let place = if first == last { first.to_string() } else { format!("{first}–{last}") };
            if standing == Standing::Disqualified { format!("{place} disq.") } else { place }
        }
        (None, Standing::InPlay) if matches!(stage, Stage::Registering | Stage::Running) => "in play".into(),
        (None, Standing::InPlay | Standing::Refunded) => "was left".into(),
        (None, Standing::Disqualified) => "disq.".into(),
        (None, Standing::Out) => "out".into(),
    }
}

fn say_entrants(entrants: &[EntrantAccount], stage: Stage) {
    let mut rows = vec![cells(&[
        "player", "place", "entries", "rebuys", "add-ons", "chips", "paid in", "back", "prize", "bounty", "refund",
        "stakes", "net",
    ])];
    rows.extend(entrants.iter().map(|one| {
        vec![
            one.player.to_string(),
            place(one, stage),
            one.entries.len().to_string(),
            one.rebuys.to_string(),
            one.add_ons.to_string(),
            one.chips.to_string(),
            forms(&one.paid_in),
            forms(&one.given_back),
            forms(&one.prize),
            one.bounty.to_string(),
            one.refund.to_string(),
            one.stakes.to_string(),
            format!("{:+}", one.net),
        ]
    }));
    say_table(
        "entrants    what each paid and was paid, cents; net = back + prize + bounty + refund + stakes - paid in",
        &rows,
    );
}

fn say_accounts(accounts: &Accounts) {
    let named = accounts.total.named();
    let used = |column: usize| {
        let of = |row: &AccountRow| row.amounts.named().get(column).is_some_and(|(_, amount)| *amount != 0);
        accounts.rows.iter().any(of)
    };
    let columns: Vec<usize> = (0..named.len()).filter(|column| used(*column)).collect();
    let pick = |amounts: [(&str, i128); 10]| -> Vec<String> {
        columns.iter().filter_map(|column| amounts.get(*column)).map(|(_, amount)| amount.to_string()).collect()
    };
    let heads = columns.iter().filter_map(|column| named.get(*column)).map(|(name, _)| (*name).to_owned());
    let mut rows: Vec<Vec<String>> = vec![cells(&["for"]).into_iter().chain(heads).chain(cells(&["sum"])).collect()];
    let mut row = |what: String, amounts: &fairshoe_judge::tournament::Columns| {
        let mut row = vec![what];
        row.extend(pick(amounts.named()));
        row.push(amounts.sum().to_string());
        rows.push(row);
    };
    for one in &accounts.rows {
        let what = serde_json::to_value(one.reason).ok();
        row(what.and_then(|what| what.as_str().map(|what| what.replace('_', " "))).unwrap_or_default(), &one.amounts);
    }
    row("together".into(), &accounts.total);
    say_table("accounts    cents, a row for what they were moved for", &rows);
}

fn say_chips(chips: &ChipCount) {
    say(format!(
        "chips       {} brought = {} in play + {} out of play; all there after each of {} hands ({} of posts alone), {} void",
        chips.brought, chips.in_play, chips.out_of_play, chips.hands, chips.posts_only, chips.void
    ));
}

/// Which of so many instants are printed: those that say most, and others between them.
fn rows_of(choice: &Choice) -> Vec<usize> {
    let of_interest = [choice.chosen, choice.best_for_house, choice.worst_for_house];
    let all = choice.instants.len();
    let others = MOST_ROWS.saturating_sub(of_interest.len());
    let step = all.div_ceil(others.max(1)).max(1);
    let mut rows: Vec<usize> = of_interest.into_iter().chain((0..all).step_by(step)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn say_choice(choice: &Choice) {
    let (first, last) = (utc(choice.bounds.0), utc(choice.bounds.1));
    let what = match choice.named {
        Some(named) => format!("cancelled at {} as of {}", utc(choice.at), utc(named)),
        None => format!("not cancelled at {}, but could have been", utc(choice.at)),
    };
    say(format!(
        "instants    {what}; any from {first} to {last} could be named: {} moments, {} worked out",
        choice.moments,
        choice.instants.len()
    ));
    let mut rows = vec![cells(&[
        "instant",
        "case",
        "left",
        "pool part",
        "fees",
        "bounties",
        "prizes",
        "bought",
        "taken back",
        "residual",
        "house keeps",
        "",
    ])];
    let row = |at: usize| {
        let Instant { instant, case, remaining, residual, paid, house, .. } = choice.instants.get(at)?;
        let mut remarks = Vec::new();
        let chosen = if choice.named.is_some() { "chosen" } else { "the last" };
        for (is, remark) in [
            (at == choice.chosen, chosen),
            (at == choice.best_for_house, "most for the house"),
            (at == choice.worst_for_house, "least for the house"),
        ] {
            remarks.extend(is.then_some(remark));
        }
        let mut row = vec![utc(*instant), case.to_string(), remaining.to_string()];
        let amounts = [paid.pool, paid.fees, paid.bounties, paid.prizes, paid.bought, paid.owed, *residual];
        row.extend(amounts.iter().map(u64::to_string));
        row.extend([house.to_string(), remarks.join(", ")]);
        Some(row)
    };
    rows.extend(rows_of(choice).into_iter().filter_map(row));
    say_table("            what each would have paid, cents", &rows);
    let named: Vec<Vec<String>> = choice
        .players
        .iter()
        .take(MOST_NAMED)
        .map(|one| {
            let of = |(amount, instant): (i64, u64)| {
                format!("{amount} ({:+}) as of {}", amount.saturating_sub(one.chosen), utc(instant))
            };
            vec![one.player.to_string(), one.chosen.to_string(), of(one.most), of(one.least)]
        })
        .collect();
    if !named.is_empty() {
        let head = vec![cells(&["player", "chosen", "at most", "at least"])];
        let rows: Vec<Vec<String>> = head.into_iter().chain(named).collect();
        let title = format!("            to whom it made most of a difference, of {} players", choice.players.len());
        say_table(&title, &rows);
    }
}
