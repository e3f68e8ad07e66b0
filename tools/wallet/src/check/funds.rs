//! The player's money: found before the other checks, and all back after them.

use super::Check;
use crate::operation::{Call, State};
use std::time::Duration;

/// The check that finds the money: without it, checks that move money are not tried.
pub(super) const FIRST: &str = "funds";

/// The money that the player needs, minor units.
const NEEDED: i64 = 100;

/// The amount that stays reserved from here to the end.
const KEPT: i64 = 10;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(FIRST, "reserved and cancelled until it was known what the player can spend", |tester| {
            let found = tester.begin()?;
            if found < NEEDED {
                let why =
                    format!("the player can spend {found}, and {NEEDED} are needed: put money into the account first");
                return Err(why.into());
            }
            Ok(format!("{found} can be spent"))
        }),
        Check::new("cancel_gives_back", "reserved all that there is and cancelled it, three times", |tester| {
            for _ in 0..3 {
                let asked = tester.mine(tester.spendable());
                tester.stands(Call::Reserve, &asked, State::Reserved)?;
                tester.stands(Call::Cancel, &asked, State::Cancelled)?;
            }
            tester.money()?;
            Ok("all could be reserved again".to_owned())
        }),
        Check::new("reserved_is_held", "reserved some, and tried to reserve all that was there before", |tester| {
            let asked = tester.mine(KEPT);
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            tester.kept = Some(asked);
            tester.money()?;
            Ok(format!("{KEPT} less can be spent"))
        }),
        Check::new("insufficient_funds", "reserved one unit more than there is, twice, and then all", |tester| {
            let (all, more) = (tester.mine(tester.spendable()), tester.mine(tester.spendable().saturating_add(1)));
            tester.stands(Call::Reserve, &more, State::Refused)?;
            tester.stands(Call::Reserve, &more, State::Refused)?;
            tester.stands(Call::Reserve, &all, State::Reserved)?;
            Ok("refused, and to the unit".to_owned())
        }),
        Check::new("unknown_player", "reserved of a player whom the wallet does not know", |tester| {
            let asked = tester.of(&tester.stranger, 1);
            tester.stands(Call::Reserve, &asked, State::Refused)?;
            tester.money()?;
            Ok("refused".to_owned())
        }),
    ]
}

/// The checks after all others.
pub(super) fn last(hold: u64) -> Vec<Check> {
    let kept = format!("committed what was reserved since the beginning, after {hold} s more");
    vec![
        Check::new("reserved_is_kept", kept, move |tester| {
            std::thread::sleep(Duration::from_secs(hold));
            let Some(asked) = tester.kept.clone() else {
                return Err("nothing could be reserved at the beginning".to_owned().into());
            };
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            tester.money()?;
            // More than the balance by that much: the answer is the same as before, and the money is the player's
            // again.
            if tester.lost() == asked.amount.saturating_neg() {
                return Err(
                    format!("it is said to be reserved, and the player can spend its {KEPT} all the same").into()
                );
            }
            tester.stands(Call::Commit, &asked, State::Committed)?;
            tester.kept = None;
            tester.money()?;
            Ok("it was still there".to_owned())
        }),
        Check::new(
            "money_is_back",
            "paid back what was committed, and looked at what the player can spend",
            |tester| {
                tester.settle(false);
                tester.money()?;
                match tester.lost() {
                    0 => Ok(format!("{} as before", tester.spendable())),
                    lost => Err(format!("the player has {} now, {lost} less than at first", tester.spendable()).into()),
                }
            },
        ),
    ]
}
