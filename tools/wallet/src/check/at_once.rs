//! Simultaneous calls have the same result as calls in sequence: money moves once, and no balance falls below zero.

use super::tester::{Answer, Tester};
use super::{Came, Check};
use crate::operation::{Asked, Call, State};
use std::sync::Barrier;

/// The number of simultaneous calls.
const COUNT: usize = 16;

/// Sends these calls at the same time; returns the result of each.
fn at_once(tester: &Tester, calls: &[(Call, Asked)]) -> Result<Vec<Answer>, String> {
    let start = Barrier::new(calls.len());
    let send = |(call, asked): &(Call, Asked)| {
        start.wait();
        tester.ask(*call, asked)
    };
    let send = &send;
    std::thread::scope(|scope| {
        let threads: Vec<_> = calls.iter().map(|one| scope.spawn(move || send(one))).collect();
        let gone = |_| Err("a thread of this check ended by itself".to_owned());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(gone)).collect()
    })
}

/// The same call, sent by all: each must return this state, and the money moves once.
fn same(tester: &mut Tester, call: Call, asked: &Asked, state: State) -> Came {
    let answers = at_once(tester, &vec![(call, asked.clone()); COUNT])?;
    all_are(&answers, |answer| is(answer, state))?;
    tester.money()?;
    Ok(format!("{COUNT} times {state}, and moved once"))
}

fn all_are(answers: &[Answer], is_right: impl Fn(&Answer) -> bool) -> Result<(), String> {
    match answers.iter().find(|answer| !is_right(answer)) {
        Some(answer) => Err(format!("one of them came to {}", answer.shown())),
        None => Ok(()),
    }
}

/// Two calls of one name, half of each kind.
fn in_turn(one: Call, other: Call, asked: &Asked) -> Vec<(Call, Asked)> {
    (0..COUNT).map(|at| (if at % 2 == 0 { one } else { other }, asked.clone())).collect()
}

fn is(answer: &Answer, state: State) -> bool {
    matches!(answer, Answer::Stands(operation) if operation.state == state)
}

fn count(answers: &[Answer], state: State) -> usize {
    answers.iter().filter(|answer| is(answer, state)).count()
}

pub(super) fn checks() -> Vec<Check> {
    let did = |what: &str| format!("sent {COUNT} calls at once: {what}");
    vec![
        Check::new("at_once_reserve", did("the same reserve"), |tester| {
            let asked = tester.mine(5);
            same(tester, Call::Reserve, &asked, State::Reserved)
        }),
        Check::new("at_once_commit", did("the same commit"), |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            same(tester, Call::Commit, &asked, State::Committed)
        }),
        Check::new("at_once_cancel", did("the same cancel"), |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            same(tester, Call::Cancel, &asked, State::Cancelled)
        }),
        Check::new("at_once_pay", did("the same pay"), |tester| {
            let asked = tester.mine(3);
            same(tester, Call::Pay, &asked, State::Paid)
        }),
        Check::new("at_once_reserve_and_cancel", did("reserve and cancel of one name"), |tester| {
            let asked = tester.mine(5);
            let calls = in_turn(Call::Reserve, Call::Cancel, &asked);
            let answers = at_once(tester, &calls)?;
            all_are(&answers, |answer| is(answer, State::Reserved) || is(answer, State::Cancelled))?;
            let cancels: Vec<Answer> = answers.into_iter().skip(1).step_by(2).collect();
            all_are(&cancels, |answer| is(answer, State::Cancelled))?;
            tester.stands(Call::Reserve, &asked, State::Cancelled)?;
            tester.money()?;
            Ok("cancelled, and nothing held".to_owned())
        }),
        Check::new("at_once_commit_and_cancel", did("commit and cancel of one name"), |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            let calls = in_turn(Call::Commit, Call::Cancel, &asked);
            let answers = at_once(tester, &calls)?;
            let (committed, cancelled) = (count(&answers, State::Committed), count(&answers, State::Cancelled));
            let refused = |answer: &Answer| *answer == Answer::Not(409, "out_of_order".to_owned());
            let others = answers.iter().filter(|answer| refused(answer)).count();
            if ![(COUNT / 2, 0), (0, COUNT / 2)].contains(&(committed, cancelled)) || others != COUNT / 2 {
                return Err(format!("{committed} committed, {cancelled} cancelled, {others} out_of_order").into());
            }
            tester.money()?;
            Ok(format!("{}, and the others out_of_order", if committed > 0 { "committed" } else { "cancelled" }))
        }),
        Check::new("at_once_other_amounts", did("reserve of one name, each with another amount"), |tester| {
            let asked = tester.mine(1);
            let calls: Vec<_> =
                (1..).take(COUNT).map(|amount| (Call::Reserve, Asked { amount, ..asked.clone() })).collect();
            let answers = at_once(tester, &calls)?;
            let other = Answer::Not(409, "other_operation".to_owned());
            all_are(&answers, |answer| matches!(answer, Answer::Stands(_)) || *answer == other)?;
            let stand = count(&answers, State::Reserved);
            if stand != 1 {
                return Err(format!("{stand} of them are reserved").into());
            }
            tester.money()?;
            Ok("one amount stands".to_owned())
        }),
        Check::new(
            "at_once_spend",
            did("reserve of more than half of the money, under names of their own"),
            |tester| {
                let half = (tester.spendable() / 2).saturating_add(1);
                let calls: Vec<_> = (0..COUNT).map(|_| (Call::Reserve, tester.mine(half))).collect();
                let answers = at_once(tester, &calls)?;
                let (reserved, refused) = (count(&answers, State::Reserved), count(&answers, State::Refused));
                if (reserved, refused) != (1, COUNT.saturating_sub(1)) {
                    return Err(
                        format!("{reserved} are reserved and {refused} refused, and there was enough for one").into()
                    );
                }
                tester.money()?;
                Ok("one is reserved".to_owned())
            },
        ),
    ]
}
