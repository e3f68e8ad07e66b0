//! `statement`: a wallet's operations of a log, all pages, each checked for its form; the file is JSON Lines
//! (spec/wallet.md).

use crate::cli::StatementArgs;
use crate::client::{Client, until_answered};
use crate::operation::{MOST_OF_PAGE, Operation, Page};
use crate::{Unusable, print, say};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// How long the request for a page is repeated.
const PATIENCE: Duration = Duration::from_secs(30);

/// A page of a statement.
///
/// # Errors
/// Why the page could not be fetched, or its fault.
pub fn page(client: &Client, log: &str, from: i64) -> Result<Page, String> {
    let path = format!("/v1/statement?log={}&from={from}", escaped(log));
    let reply = until_answered(PATIENCE, || client.get(&path))?;
    if reply.status != 200 {
        return Err(format!("GET {path}: {}", reply.shown()));
    }
    let page: Page = serde_json::from_slice(&reply.body).map_err(|e| format!("GET {path}: not a page: {e}"))?;
    let wrong = |what: String| Err(format!("GET {path}: {what}"));
    if page.log != log {
        return wrong(format!("the page is of the log {}", page.log));
    }
    if page.operations.len() > MOST_OF_PAGE {
        return wrong(format!("{} operations, and a page has {MOST_OF_PAGE} at most", page.operations.len()));
    }
    let mut least = from;
    for operation in &page.operations {
        if operation.log != log || operation.no < least {
            return wrong(format!(
                "operation {} of {} stands where {least} or more was to come",
                operation.no, operation.log
            ));
        }
        least = operation.no.saturating_add(1);
    }
    match page.next {
        Some(next) if page.operations.is_empty() => wrong(format!("no operations, and `next` is {next}")),
        Some(next) if next != least => wrong(format!("`next` is {next}, and the page ends before {least}")),
        _ => Ok(page),
    }
}

/// Every operation of a log, page by page.
///
/// # Errors
/// Why a page could not be fetched, its fault, or the error of `each`.
pub fn pages(
    client: &Client,
    log: &str,
    mut each: impl FnMut(Vec<Operation>) -> Result<(), String>,
) -> Result<(), String> {
    let mut from = 0;
    loop {
        let Page { operations, next, .. } = page(client, log, from)?;
        each(operations)?;
        let Some(next) = next else { return Ok(()) };
        from = next;
    }
}

/// The text as a part of a query.
fn escaped(text: &str) -> String {
    let mut all = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            all.push(char::from(byte));
        } else {
            let _ = write!(all, "%{byte:02X}");
        }
    }
    all
}

fn lines(operations: &[Operation]) -> Result<String, String> {
    let mut text = String::new();
    for operation in operations {
        text.push_str(&serde_json::to_string(operation).map_err(|e| e.to_string())?);
        text.push('\n');
    }
    Ok(text)
}

/// `statement --log ORIGIN [--out FILE]`
///
/// # Errors
/// If the wallet cannot be asked, or the file cannot be written.
pub fn run(args: &StatementArgs) -> Result<(), Unusable> {
    let client = Client::new(&args.wallet.url, &args.wallet.token_file)?;
    let Some(out) = &args.out else {
        let shown = pages(&client, &args.log, |operations| print(&lines(&operations)?).map_err(|e| e.to_string()));
        return shown.map_err(Unusable::new);
    };
    let count = write(&client, &args.log, out).map_err(Unusable::new)?;
    say(format!("{count} operations of {} in {}", args.log, out.display()));
    Ok(())
}

/// The file has another name until it is complete: half a statement is useless.
fn write(client: &Client, log: &str, out: &Path) -> Result<usize, String> {
    let mut part = out.as_os_str().to_owned();
    part.push(".part");
    let failed = |e: std::io::Error| format!("{}: {e}", out.display());
    let mut file = fs::File::create(&part).map_err(failed)?;
    let mut count = 0_usize;
    let written = pages(client, log, |operations| {
        count = count.saturating_add(operations.len());
        file.write_all(lines(&operations)?.as_bytes()).map_err(failed)
    });
    let kept =
        written.and_then(|()| file.sync_all().map_err(failed)).and_then(|()| fs::rename(&part, out).map_err(failed));
    if kept.is_err() {
        let _ = fs::remove_file(&part);
    }
    kept.map(|()| count)
}
