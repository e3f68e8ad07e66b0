//! Answers stand for ever: a repeated call gets the first answer's result, whatever happened to the account since.

use super::Check;
use crate::operation::{Call, State};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("repeats_move_nothing", "sent each call of a deposit and a withdrawal five times", |tester| {
            let (deposit, let_go, withdrawal) = (tester.mine(7), tester.mine(5), tester.mine(3));
            let steps = [
                (Call::Reserve, &deposit, State::Reserved),
                (Call::Commit, &deposit, State::Committed),
                (Call::Reserve, &let_go, State::Reserved),
                (Call::Cancel, &let_go, State::Cancelled),
                (Call::Pay, &withdrawal, State::Paid),
            ];
            for (call, asked, state) in steps {
                for _ in 0..5 {
                    tester.stands(call, asked, state)?;
                }
            }
            tester.money()?;
            Ok("each moved once".to_owned())
        }),
        Check::new("refused_stands", "had one unit too few, got it, and asked again under the same name", |tester| {
            let asked = tester.mine(tester.spendable().saturating_add(1));
            tester.stands(Call::Reserve, &asked, State::Refused)?;
            tester.stands(Call::Pay, &tester.mine(1), State::Paid)?;
            tester.stands(Call::Reserve, &asked, State::Refused)?;
            tester.money()?;
            Ok("refused, though there was enough then".to_owned())
        }),
        Check::new("reserved_stands", "reserved, spent all the rest, and asked again under the same name", |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            tester.stands(Call::Reserve, &tester.mine(tester.spendable()), State::Reserved)?;
            tester.stands(Call::Reserve, &asked, State::Reserved)?;
            tester.stands(Call::Commit, &asked, State::Committed)?;
            tester.money()?;
            Ok("reserved, though there was nothing left".to_owned())
        }),
        Check::new("paid_stands", "paid, spent all that there was, and paid again under the same name", |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Pay, &asked, State::Paid)?;
            tester.stands(Call::Reserve, &tester.mine(tester.spendable()), State::Reserved)?;
            tester.stands(Call::Pay, &asked, State::Paid)?;
            tester.money()?;
            Ok("paid once".to_owned())
        }),
        Check::new("cancelled_stands", "cancelled a name that was unknown, and reserved under it later", |tester| {
            let asked = tester.mine(5);
            tester.stands(Call::Cancel, &asked, State::Cancelled)?;
            tester.stands(Call::Reserve, &asked, State::Cancelled)?;
            tester.conflicts(Call::Commit, &asked, "out_of_order")?;
            tester.money()?;
            Ok("nothing is held under it".to_owned())
        }),
    ]
}
