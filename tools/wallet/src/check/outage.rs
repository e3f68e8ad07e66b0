//! While the wallet's database is away: a missing answer is no answer, and earlier answers stand.

use super::tester::{Answer, Tester};
use super::{Came, Check, Failed};
use crate::operation::{Asked, Call, State};
use crate::say;
use std::time::{Duration, Instant};

/// The amount reserved meanwhile, one unit for each name.
const MOST_NAMES: i64 = 50;

pub(super) fn check(seconds: u64) -> Check {
    let did = format!("asked for {seconds} s while the wallet's database was stopped and started, and asked again");
    Check::new("outage", did, move |tester| while_away(tester, Duration::from_secs(seconds)))
}

fn while_away(tester: &mut Tester, time: Duration) -> Came {
    say(format!("stop the wallet's database now, and start it again within {} s", time.as_secs()));
    let begun = Instant::now();
    let pause = time / u32::try_from(MOST_NAMES).unwrap_or(1);
    let mut asked: Vec<(Asked, Option<Answer>)> = Vec::new();
    for _ in 0..MOST_NAMES.min(tester.spendable()) {
        if begun.elapsed() >= time {
            break;
        }
        let one = tester.mine(1);
        let came = match tester.client.call(Call::Reserve, &one) {
            Ok(reply) if !reply.is_for_later() => Some(tester.read(Call::Reserve, &one, &reply)?),
            _ => None,
        };
        asked.push((one, came));
        std::thread::sleep(pause);
    }
    std::thread::sleep(time.saturating_sub(begun.elapsed()));
    say("the time is over: the database should be back");
    let mut silent = 0_u32;
    for (one, came) in &asked {
        // The player had enough money for each of them.
        match came {
            Some(Answer::Stands(operation)) if operation.state == State::Reserved => {}
            Some(other) => return Err(format!("reserve of {} came to {} meanwhile", one.no, other.shown()).into()),
            None => silent = silent.saturating_add(1),
        }
        tester.stands(Call::Reserve, one, State::Reserved)?;
    }
    tester.money()?;
    if silent == 0 {
        return Err(Failed::NotTried("the wallet answered all the time: the database was not stopped".to_owned()));
    }
    Ok(format!("{silent} of {} calls were not answered; all are reserved once it was back", asked.len()))
}
