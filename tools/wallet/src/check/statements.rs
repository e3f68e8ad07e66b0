//! The statement: pages of a thousand, each continuing the last; in the end all answered operations are there.

use super::tester::Tester;
use super::{Came, Check};
use crate::operation::{Asked, Call, MOST, MOST_OF_PAGE, Operation, State};
use crate::statement::{page, pages};

/// More than a page holds.
const COUNT: i64 = 1_005;

/// Numbers with gaps between them: a wallet may know only some of a log's operations.
const STEP: i64 = 3;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "statement_pages",
            "cancelled 1,005 unknown names of a log of their own, and read all pages",
            read_pages,
        ),
        Check::still(
            "statement_of_unknown_log",
            "read the statement of a log that the wallet never heard of",
            |tester| {
                let page = page(&tester.client, &format!("{}/nothing", tester.log()), 0)?;
                if page.operations.is_empty() {
                    Ok("no operations".to_owned())
                } else {
                    Err(wrong("there are operations"))
                }
            },
        ),
        Check::new("statement_is_what_was_answered", "held the statement against every answer of this run", compare),
    ]
}

fn wrong(what: &str) -> super::Failed {
    super::Failed::Fails(what.to_owned())
}

fn read_pages(tester: &mut Tester) -> Came {
    let log = format!("{}/pages", tester.log());
    let (tester, log) = (&*tester, log.as_str());
    let cancel = |part: i64| -> Result<(), String> {
        for no in (part..COUNT).step_by(8) {
            let no = no.saturating_mul(STEP);
            let asked = Asked { log: log.to_owned(), no, player: tester.player.clone(), amount: 1 };
            tester.stands(Call::Cancel, &asked, State::Cancelled)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|part| scope.spawn(move || cancel(part))).collect();
        let gone = |_| Err("a thread of this check ended by itself".to_owned());
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(gone))
    })?;
    let mut sizes = Vec::new();
    let mut all: Vec<Operation> = Vec::new();
    pages(&tester.client, log, |operations| {
        sizes.push(operations.len());
        all.extend(operations);
        Ok(())
    })?;
    if all != tester.known_of(log) {
        return Err(format!("{} of {COUNT} operations came, or others than were answered", all.len()).into());
    }
    // The middle of a gap.
    let from = STEP.saturating_mul(COUNT / 2).saturating_add(1);
    let rest = page(&tester.client, log, from)?;
    let wanted: Vec<&Operation> = all.iter().filter(|operation| operation.no >= from).collect();
    if !rest.operations.iter().eq(wanted) || rest.next.is_some() {
        return Err(format!("from {from} on came {} operations", rest.operations.len()).into());
    }
    if !page(&tester.client, log, MOST)?.operations.is_empty() {
        return Err(wrong("there are operations from a number on that none has"));
    }
    Ok(format!("pages of {sizes:?}, {MOST_OF_PAGE} at most"))
}

fn compare(tester: &mut Tester) -> Came {
    let mut told: Vec<Operation> = Vec::new();
    pages(&tester.client, tester.log(), |operations| {
        told.extend(operations);
        Ok(())
    })?;
    let known = tester.known_of(tester.log());
    if let Some(more) = told.iter().find(|told| !known.iter().any(|known| known.no == told.no)) {
        return Err(
            format!("the statement has operation {} as {}, which was never answered", more.no, more.state).into()
        );
    }
    if let Some(other) = known.iter().find(|known| !told.contains(known)) {
        return Err(format!(
            "operation {} was answered as {}, and the statement does not say so",
            other.no, other.state
        )
        .into());
    }
    Ok(format!("{} operations, each as it was answered", told.len()))
}
