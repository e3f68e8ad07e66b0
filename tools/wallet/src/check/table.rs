//! The table of spec/wallet.md, "The wallet's side", cell by cell: each call in each state of a name.

use super::tester::{Answer, Tester};
use super::{Came, Check, Failed};
use crate::operation::{Asked, Call, State};

/// The state of a name when the call comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Unknown,
    Reserved,
    Committed,
    Cancelled,
    Paid,
    RefusedDeposit,
    RefusedWithdrawal,
}

/// The required result of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// The present state.
    Same,
    /// This state.
    State(State),
    /// 409 `out_of_order`.
    OutOfOrder,
    /// 409 `other_operation`: it is of the other kind, and rule 3 comes before the table.
    Other,
}

use Want::{Other, OutOfOrder, Same};

/// The table: for each state the results of `reserve`, `commit`, `cancel` and `pay`.
const TABLE: [(Before, &str, [Want; 4]); 7] = [
    (
        Before::Unknown,
        "unknown",
        [Want::State(State::Reserved), OutOfOrder, Want::State(State::Cancelled), Want::State(State::Paid)],
    ),
    (Before::Reserved, "reserved", [Same, Want::State(State::Committed), Want::State(State::Cancelled), Other]),
    (Before::Committed, "committed", [Same, Same, OutOfOrder, Other]),
    (Before::Cancelled, "cancelled", [Same, OutOfOrder, Same, Other]),
    (Before::Paid, "paid", [Other, Other, Other, Same]),
    (Before::RefusedDeposit, "refused_deposit", [Same, OutOfOrder, Same, Other]),
    (Before::RefusedWithdrawal, "refused_withdrawal", [Other, Other, Other, Same]),
];

pub(super) fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for (before, word, wants) in TABLE {
        for (call, want) in Call::ALL.into_iter().zip(wants) {
            let did = format!("{call} of a name that is {}, twice", word.replace('_', ", a "));
            checks.push(Check::new(format!("{call}_of_{word}"), did, move |tester| cell(tester, before, call, want)));
        }
    }
    checks
}

/// Brings a name into this state and returns it.
fn bring(tester: &Tester, before: Before) -> Result<(Asked, Option<State>), Failed> {
    let asked = match before {
        Before::RefusedDeposit => tester.mine(tester.spendable().saturating_add(7)),
        Before::RefusedWithdrawal => return Ok((tester.refused_withdrawal()?, Some(State::Refused))),
        _ => tester.mine(5),
    };
    let steps: &[(Call, State)] = match before {
        Before::Unknown | Before::RefusedWithdrawal => &[],
        Before::Reserved => &[(Call::Reserve, State::Reserved)],
        Before::Committed => &[(Call::Reserve, State::Reserved), (Call::Commit, State::Committed)],
        Before::Cancelled => &[(Call::Reserve, State::Reserved), (Call::Cancel, State::Cancelled)],
        Before::Paid => &[(Call::Pay, State::Paid)],
        Before::RefusedDeposit => &[(Call::Reserve, State::Refused)],
    };
    for (call, state) in steps {
        tester.stands(*call, &asked, *state)?;
    }
    Ok((asked, steps.last().map(|(_, state)| *state)))
}

fn cell(tester: &mut Tester, before: Before, call: Call, want: Want) -> Came {
    let (asked, state) = bring(tester, before)?;
    let after = match (want, state) {
        (Want::State(after), _) | (Same, Some(after)) => Some(after),
        (_, state) => state,
    };
    // A repeated call has the same result.
    for _ in 0..2 {
        match (want, after) {
            (OutOfOrder, _) => tester.conflicts(call, &asked, "out_of_order")?,
            (Other, _) => tester.conflicts(call, &asked, "other_operation")?,
            (_, Some(after)) => tester.stands(call, &asked, after)?,
            (_, None) => {}
        }
    }
    // A call refused with 409 changed no state: the operation's own first call returns the old state.
    let first = match before {
        Before::Unknown if matches!(want, Want::State(_)) => Some(call),
        Before::Unknown => None,
        Before::Paid | Before::RefusedWithdrawal => Some(Call::Pay),
        _ => Some(Call::Reserve),
    };
    match (first, after) {
        (Some(first), Some(after)) => tester.stands(first, &asked, after)?,
        _ => tester.absent(&[asked.no])?,
    }
    tester.money()?;
    let came = match (want, after) {
        (OutOfOrder, _) => Answer::Not(409, "out_of_order".to_owned()).shown(),
        (Other, _) => Answer::Not(409, "other_operation".to_owned()).shown(),
        (_, after) => after.map_or_else(String::new, |state| state.name().to_owned()),
    };
    Ok(came)
}
