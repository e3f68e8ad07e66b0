//! `wallet SOURCE STATEMENT`: a log, and what the operator's wallet says of it (spec/wallet.md, "Reconciliation").
//!
//! Owns: fetching the statement, the words. Does not own: the audit of the log, which is that of `log`, nor the table of
//! what may stand against what, which is the judge's.

use crate::cli::WalletArgs;
use crate::clock::{SECOND, now_ms};
use crate::cluster::{MemberReport, audited};
use crate::http::{Answer, Client, Standing};
use crate::log::{Watch, age};
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{in_query, parse_key, read_file, read_token};
use fairshoe_fairness::Origin;
use fairshoe_house::Entry;
use fairshoe_judge::audit::Book;
use fairshoe_judge::utc;
use fairshoe_judge::wallet::{AtWallet, LogOperations, Pair, Reconciled, Reconciliation, read_statement};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::Path;
use std::time::Duration;

/// Operations under way that are printed; `--json` has all of them.
const MOST_ROWS: usize = 40;

/// A page of a statement, in bytes: a thousand operations.
const MOST_PAGE: u64 = 1 << 20;

/// A statement's file, in bytes.
const MOST_FILE: u64 = 4 << 30;

#[derive(Serialize)]
struct WalletReport {
    log: MemberReport,
    /// Absent where the log is not sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    wallet: Option<Reconciliation>,
}

/// Writes down what is asked of the wallet while a log is decided again.
#[derive(Default)]
struct Operations(LogOperations);

impl Watch for Operations {
    fn before(&mut self, _: &Book, entry: &Entry) -> bool {
        entry.at.is_none()
    }

    fn after(&mut self, _: &Book, _: u64, entry: &Entry) {
        self.0.feed(entry);
    }
}

/// `wallet SOURCE STATEMENT`
pub fn run(args: &WalletArgs) -> Result<Outcome, UnusableInput> {
    let keys = args.common.key.iter().map(|key| parse_key(key)).collect::<Result<Vec<_>, _>>()?;
    let (member, mut alone) = audited(&args.source, &keys, Operations::default())?;
    let wallet = match member {
        Some(member) => {
            let statement = match args.statement.strip_prefix("http") {
                Some(_) => {
                    let operations = member.watched.0.next();
                    fetch(&member.origin, &args.statement, args.token_file.as_deref(), operations)?
                }
                None => read(&member.origin, &args.statement)?,
            };
            let asked = now_ms().saturating_sub(member.log.read_at);
            let mut told = member.watched.0.reconcile(member.origin, &statement, member.shown_to);
            // What the log did not have may have been asked for since: a service that decides has it now, or never.
            match member.log.standing {
                Standing::Decides { at } if !told.later.is_empty() => {
                    std::thread::sleep(CACHED);
                    let (newer, now) = audited(&args.source, &keys, Operations::default())?;
                    alone = now;
                    newer.map(|newer| {
                        if is_later(&newer.log.standing, at.saturating_add(asked)) {
                            told.settle_later(&newer.watched.0);
                        }
                        told
                    })
                }
                _ => Some(told),
            }
        }
        None => None,
    };
    let is_in_order = |wallet: &Reconciliation| matches!(wallet.verdict, Reconciled::Reconciled | Reconciled::UnderWay);
    let agrees = wallet.as_ref().is_some_and(is_in_order);
    let report = WalletReport { log: alone, wallet };
    if args.common.json {
        say_json(&report)?;
    } else {
        say_words(&report);
    }
    Ok(Outcome::when(agrees))
}

/// Longer than a cache may show a checkpoint (spec/log.md, "Caching").
const CACHED: Duration = Duration::from_secs(3);

/// Whether a log's own time is later than this one, both in milliseconds: it counts whole seconds.
fn is_later(standing: &Standing, than: u64) -> bool {
    matches!(standing, Standing::Decides { at } if *at > than.saturating_add(SECOND))
}

fn read(origin: &Origin, file: &str) -> Result<Vec<AtWallet>, UnusableInput> {
    let unusable = |why: String| UnusableInput::new(format!("{file}: {why}"));
    let bytes = read_file(Path::new(file), MOST_FILE)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| unusable(error.to_string()))?;
    read_statement(origin, text).map_err(|error| unusable(error.to_string()))
}

/// A page of a statement, as the wallet gives it.
#[derive(Deserialize)]
struct Page {
    log: Origin,
    operations: Vec<Box<RawValue>>,
    #[serde(default)]
    next: Option<u64>,
}

/// A statement goes on no further beyond the log: *a wallet whose pages never end*.
const MOST_LATER: u64 = 1_000_000;

fn fetch(
    origin: &Origin,
    address: &str,
    token: Option<&Path>,
    operations: u64,
) -> Result<Vec<AtWallet>, UnusableInput> {
    let token = token.ok_or_else(|| UnusableInput::new("a wallet wants a token: name its file with --token"))?;
    let token = read_token(token)?;
    let (client, mut statement, mut from) = (Client::new(address), Vec::<AtWallet>::new(), 0);
    loop {
        let path = format!("v1/statement?log={}&from={from}", in_query(origin.as_str()));
        let page: Page = match client.get_by(&token, &path, MOST_PAGE)? {
            Answer { status: 200, body } => serde_json::from_slice(&body)
                .map_err(|error| UnusableInput::new(format!("{address}: its statement cannot be read: {error}")))?,
            answer => return Err(client.refused(&path, &answer)),
        };
        let wrong = |what: &str| UnusableInput::new(format!("{address}: its statement {what}"));
        for operation in page.operations {
            let operation =
                AtWallet::read_line(operation.get()).map_err(|why| wrong(&format!("cannot be read: {why}")))?;
            if page.log != *origin || operation.log != *origin {
                return Err(wrong("is of another log"));
            }
            if operation.no < from || statement.last().is_some_and(|last| last.no >= operation.no) {
                return Err(wrong("does not ascend"));
            }
            statement.push(operation);
        }
        let next = statement.last().map_or(0, |last| last.no.saturating_add(1));
        from = match page.next {
            None => return Ok(statement),
            Some(said) if said == next && next > from => next,
            Some(_) => return Err(wrong("does not go on where it ended")),
        };
        if next > operations.saturating_add(MOST_LATER) {
            return Err(wrong(&format!(
                "has more than {MOST_LATER} operations that this copy of the log does not have"
            )));
        }
    }
}

fn say_words(report: &WalletReport) {
    report.log.say();
    if let Some(finding) = &report.log.first_failure {
        say(format!("NOT SOUND   {finding}"));
        return;
    }
    let Some(wallet) = &report.wallet else { return };
    say(format!("the log     {}", report.log.verdict.replace('_', " ")));
    say(format!("on the log  {} deposited, {} withdrawn", wallet.on_log.deposits, wallet.on_log.withdrawals));
    say(format!(
        "the wallet  {} handed over, {} taken, {} held",
        wallet.at_wallet.committed, wallet.at_wallet.paid, wallet.at_wallet.reserved
    ));
    say(format!("agree       {} operations that are over", wallet.agree));
    let now = wallet.now;
    let row = |kind: &str, Pair { no, log, wallet, since }: &Pair| {
        let log = log.as_deref().unwrap_or("nothing");
        let at_wallet = wallet.as_deref().unwrap_or("unknown");
        let since = since.map_or_else(String::new, |since| {
            format!("; began {}, {} before the log's end", utc(since), age(now.saturating_sub(since)))
        });
        say(format!("{kind} operation {no}: on the log {log}; at the wallet {at_wallet}{since}"));
    };
    for (kind, pairs) in
        [("under way  ", &wallet.under_way), ("later      ", &wallet.later), ("DIFFERS    ", &wallet.differs)]
    {
        pairs.iter().take(MOST_ROWS).for_each(|pair| row(kind, pair));
        if pairs.len() > MOST_ROWS {
            say(format!("            … and {} more: --json lists them all", pairs.len() - MOST_ROWS));
        }
    }
    say(match wallet.verdict {
        Reconciled::Reconciled => "RECONCILED: every operation is over, and the same on both sides",
        Reconciled::Overdue => "OVERDUE: nothing differs, and what is listed is under way for longer than three days",
        Reconciled::UnderWay => "UNDER WAY: nothing differs, and what is listed is not over yet",
        Reconciled::Differs => "DIFFERS: the log and the wallet do not say the same of the operations above",
    });
}
