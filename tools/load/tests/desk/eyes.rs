//! What one player sees of a desk, and checks.

use super::Desk;
use fairshoe_fairness::Stream;
use fairshoe_load::check::{Flaw, LogCheck, OnLog, Progress, RoundCheck, ShoeCheck};
use fairshoe_load::strategy::{Situation, Strategy};
use fairshoe_load::wire::Accepted;
use serde_json::Value;

/// One player's eyes on a desk.
pub struct Eyes {
    pub log: LogCheck,
    known: u64,
    random: Stream,
    strategy: Strategy,
}

impl Eyes {
    pub fn on(desk: &Desk, strategy: Strategy) -> Eyes {
        Eyes { log: LogCheck::new(desk.key()), known: 0, random: Stream::new([1; 32]), strategy }
    }

    pub fn read(&mut self, reply: Value) -> Result<(Accepted, Vec<OnLog>), Flaw> {
        let accepted: Accepted = serde_json::from_value(reply).unwrap();
        let on_log = accepted.receipts.iter().map(|receipt| self.log.receipt(receipt, &mut self.known)).collect::<Result<_, _>>()?;
        Ok((accepted, on_log))
    }

    pub fn check(&mut self, check: &mut RoundCheck, reply: Value) -> Result<(), Flaw> {
        let (accepted, on_log) = self.read(reply)?;
        check.apply(&on_log[0], &accepted.openings)?;
        check.check_reply(&accepted.round.unwrap(), &accepted.openings, accepted.balance)
    }

    /// Plays a round; `twist` may change each reply on its way.
    pub fn round(&mut self, desk: &mut Desk, twist: &mut dyn FnMut(&mut Value, &Desk)) -> Result<RoundCheck, Flaw> {
        let bettor = desk.bettor(15);
        let mut reply = desk.bet(&bettor);
        twist(&mut reply, desk);
        let (accepted, on_log) = self.read(reply)?;
        let [bet, shoe] = on_log.as_slice() else { return Err(Flaw::Receipts { expected: 2, found: on_log.len() }) };
        let shoe = ShoeCheck::committed(&shoe.entry, &bettor.context, &bettor.rules)?;
        let mut check = RoundCheck::new(bettor.clone(), shoe)?;
        check.apply(bet, &[])?;
        check.check_reply(&accepted.round.unwrap(), &accepted.openings, accepted.balance)?;
        let mut reply = desk.reveal(&bettor);
        twist(&mut reply, desk);
        self.check(&mut check, reply)?;
        while let Some((decision, options)) = check.decision() {
            let situation = Situation::read(&check.view(), 0, if decision.place.to_string() == "1/2" { 1 } else { 0 }).unwrap();
            let action = self.strategy.choose(situation, &options, &mut self.random).unwrap();
            check.ask(decision.number, action.clone());
            let mut reply = desk.act(&bettor, decision.number, action);
            twist(&mut reply, desk);
            self.check(&mut check, reply)?;
        }
        assert_eq!(check.progress(), Progress::Settled);
        assert_eq!(check.funds(), desk.funds());
        Ok(check)
    }
}

pub fn assert_flaw(name: &str, flaw: &Flaw, words: &str) {
    assert!(flaw.to_string().contains(words), "{name}: expected a flaw about `{words}`, got `{flaw}`");
}
