//! Events that are off: by the operator, as of earlier instants, before their start, for too few players, after crashes
//! that lasted; and starts of the dealer between the entries that pay the refunds.

use crate::common::rng::Rng;
use crate::common::*;
use fairshoe_house::tournament::{CancelCause, Stage};
use fairshoe_house::{Account, Actor, Command, Reference, TournamentCommand as C};

impl House {
    /// What is due first is done. Whether anything was.
    fn one_due(&mut self) -> bool {
        let Some((by, command)) = self.state.due(self.now) else { return false };
        self.give(&by, command).unwrap();
        true
    }

    fn is_off(&self, name: &str) -> bool {
        self.event(name).stage == Stage::Cancelled
    }

    /// The operator cancels the event, mostly as of a moment at which something was written down.
    pub fn call_off(&mut self, name: &str, cause: CancelCause, rng: &mut Rng) {
        let times: Vec<u64> = entries(&self.log[self.log.len().saturating_sub(400)..]).iter().map(|e| e.time).collect();
        let at = times[times.len() - 1 - rng.below(times.len())];
        let instant = match rng.below(8) {
            0 => self.now,
            1 => at + 1,
            2 => at - 1,
            3 => self.now.saturating_sub(rng.below(2_400_000) as u64),
            4 => self.event(name).clock.started.max(at),
            _ => at,
        };
        let reason = (!rng.one_in(20)).then(|| Reference::parse("power cut").unwrap());
        let command = C::Cancel { event: table(name), cause, instant, reason };
        drop(self.give(&Actor::Operator, Command::Tournament(command)));
        self.wind_up(name, rng);
    }

    /// What follows on a cancellation. Players may go on with their hands until their tables are closed.
    fn wind_up(&mut self, name: &str, rng: &mut Rng) {
        let open: Vec<u16> = self.event(name).tables.open.iter().copied().collect();
        for number in open {
            if !self.is_off(name) || !rng.one_in(3) {
                continue;
            }
            let id = self.event(name).table_name(number).unwrap();
            if let Some((who, action)) = self.some_action(id.as_str(), rng) {
                drop(self.choose(id.as_str(), &who, action));
            }
        }
        let crashes = rng.pick(&[0, 3, 8]);
        while self.is_off(name) {
            self.one_due();
            if crashes > 0 && rng.one_in(crashes) {
                self.now += rng.pick(&[0, 1_000, 7_200_000]);
                self.crash();
            }
        }
        self.run_due();
    }

    /// The dealer is down for a while; sometimes the operator cancels before the clock goes on.
    pub fn down(&mut self, name: &str, rng: &mut Rng) {
        self.now += rng.pick(&[1_000, 1_000, 1_000, 1_000, 60_000, 1_800_000, 7_200_000]);
        self.crash();
        if rng.one_in(4) {
            while matches!(self.state.due(self.now), Some((_, Command::Recover { .. }))) {
                self.one_due();
            }
            self.call_off(name, CancelCause::Operator, rng);
        }
        self.now += rng.pick(&[0, 2_000]);
        if self.is_off(name) { self.wind_up(name, rng) } else { self.run_due_or_wind_up(name, rng) }
    }

    /// What is due after a start; where that cancels the event, with starts in between.
    fn run_due_or_wind_up(&mut self, name: &str, rng: &mut Rng) {
        while !self.is_off(name) && self.one_due() {}
        self.wind_up(name, rng);
    }

    /// Whoever has won takes it away: what was paid after an instant can no longer be taken back whole.
    pub fn take_away(&mut self, who: &str, rng: &mut Rng) {
        let balance = self.state.ledger().balance(&Account::Player(player(who))).unwrap_or_default();
        let amount = u64::try_from(balance).unwrap() / rng.pick(&[1, 1, 2]);
        if amount > 0 {
            drop(self.withdraw(who, amount));
        }
    }
}
