//! A name belongs to one operation: with another player, amount or kind it is refused, and no state changes.

use super::Check;
use super::tester::Tester;
use crate::operation::{Asked, Call, State};

const OTHER: &str = "other_operation";

/// Names in four states (a deposit reserved, committed, cancelled; a withdrawal paid), each with the call that leads
/// there.
fn standing(tester: &Tester) -> Result<Vec<(Asked, Call, State)>, String> {
    let [reserved, committed, cancelled, paid] = [2, 3, 4, 5].map(|amount| tester.mine(amount));
    tester.stands(Call::Reserve, &reserved, State::Reserved)?;
    tester.stands(Call::Reserve, &committed, State::Reserved)?;
    tester.stands(Call::Commit, &committed, State::Committed)?;
    tester.stands(Call::Cancel, &cancelled, State::Cancelled)?;
    tester.stands(Call::Pay, &paid, State::Paid)?;
    Ok(vec![
        (reserved, Call::Reserve, State::Reserved),
        (committed, Call::Reserve, State::Committed),
        (cancelled, Call::Reserve, State::Cancelled),
        (paid, Call::Pay, State::Paid),
    ])
}

/// Each call of the operation's kind, with one other value in it.
fn used_otherwise(tester: &mut Tester, otherwise: impl Fn(&Tester, &Asked) -> Asked) -> Result<String, String> {
    let mut count = 0_u32;
    for (asked, first, state) in standing(tester)? {
        let other = otherwise(tester, &asked);
        for call in Call::ALL.into_iter().filter(|call| call.kind() == first.kind()) {
            tester.conflicts(call, &other, OTHER)?;
            count = count.saturating_add(1);
        }
        tester.stands(first, &asked, state)?;
    }
    tester.money()?;
    Ok(format!("409 {OTHER}, {count} times"))
}

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("other_amount", "used names again with one unit more, and one less", |tester| {
            used_otherwise(tester, |_, asked| Asked { amount: asked.amount.saturating_add(1), ..asked.clone() })?;
            Ok(used_otherwise(tester, |_, asked| Asked { amount: asked.amount.saturating_sub(1), ..asked.clone() })?)
        }),
        Check::new("other_player", "used names again with another player", |tester| {
            Ok(used_otherwise(tester, |tester, asked| Asked { player: tester.stranger.clone(), ..asked.clone() })?)
        }),
        Check::new(
            "other_kind",
            "paid under the names of deposits, and reserved under those of withdrawals",
            |tester| {
                for (asked, first, state) in standing(tester)? {
                    for call in Call::ALL.into_iter().filter(|call| call.kind() != first.kind()) {
                        tester.conflicts(call, &asked, OTHER)?;
                    }
                    tester.stands(first, &asked, state)?;
                }
                tester.money()?;
                Ok(format!("409 {OTHER}"))
            },
        ),
        Check::new("logs_are_apart", "used a number again for another log", |tester| {
            let asked = tester.mine(5);
            let elsewhere = Asked { log: format!("{}/other", tester.log()), amount: 6, ..asked.clone() };
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            tester.stands(Call::Reserve, &elsewhere, State::Reserved)?;
            tester.stands(Call::Cancel, &asked, State::Cancelled)?;
            tester.stands(Call::Reserve, &elsewhere, State::Reserved)?;
            tester.money()?;
            Ok("two operations".to_owned())
        }),
    ]
}
