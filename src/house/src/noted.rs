//! A table between rounds, as the entry that commits a shoe states it (spec/entries.md, "The table as it stands").
//!
//! A bundle begins with that entry. From what it states the table's later entries are decided as in the whole log; that
//! it was true, whoever reads the whole log finds out. Owns: what is stated, what is possible at a table, taking it in.
//! Does not own: balances, cooldowns and refunds, which other tables' entries change (`excerpt.rs`).

use crate::betting::BettingTable;
use crate::cash::{CashSeat, CashTable};
use crate::idle_seats::SEAT_WISH_MS;
use crate::table::{KindState, MISSES_ALLOWED, Seat, Table};
use crate::tournament::at_blinds;
use crate::tournament::duty::MOST_DOUBLED;
use crate::{Ledger, NotedBetting, NotedCash, NotedCashSeat, NotedSeat, NotedTable};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_games::poker::PokerRules;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most that a tournament can give who was cut off, milliseconds.
const MOST_EXTRA_MS: u64 = 3_600_000;

impl CashSeat {
    fn noted(noted: &NotedCashSeat) -> CashSeat {
        CashSeat {
            stack: noted.stack,
            sitting_out: noted.sitting_out,
            owes: noted.owes,
            entry: noted.entry,
            straddle: noted.straddle,
            hands: noted.hands,
            away: noted.away,
            bank_ms: noted.bank_ms,
            leaving: false,
            unseated: false,
            top_up: Chips::ZERO,
            cut_off: noted.cut_off,
        }
    }
}

impl Table {
    /// The table as an entry that commits a shoe states it.
    pub(crate) fn noted(&self) -> NotedTable {
        NotedTable {
            next_round: self.next_round,
            last_used: self.last_used,
            pause_until: self.pauses_until(),
            betting: self.betting().filter(|_| self.is_shared()).map(|betting| self.noted_betting(betting)),
            cash: self.cash().map(|cash| self.noted_cash(cash)),
        }
    }

    fn noted_betting(&self, betting: &BettingTable) -> NotedBetting {
        let used = |seat: &Seat| self.last_use(&seat.player).unwrap_or_default();
        let seat = |(number, seat): (&u8, &Seat)| NotedSeat {
            seat: *number,
            player: seat.player.clone(),
            used: used(seat),
            misses: seat.misses,
        };
        NotedBetting {
            seats: self.seats.iter().map(seat).collect(),
            asked: betting.asked.iter().cloned().collect(),
            newcomers: betting.newcomers.iter().cloned().collect(),
            last: betting.last_bettors.iter().cloned().collect(),
            goes_on: betting.goes_on,
            waiting: self.noted_waiting(),
        }
    }

    fn noted_cash(&self, cash: &CashTable) -> NotedCash {
        let seat = |(number, state): (&u8, &CashSeat)| {
            let player = self.seats.get(number)?.player.clone();
            Some(NotedCashSeat {
                seat: *number,
                used: self.last_use(&player).unwrap_or_default(),
                player,
                stack: state.stack,
                sitting_out: state.sitting_out,
                owes: state.owes,
                entry: state.entry,
                straddle: state.straddle,
                hands: state.hands,
                away: state.away,
                bank_ms: state.bank_ms,
                cut_off: state.cut_off,
            })
        };
        NotedCash {
            seats: cash.seats.iter().filter_map(seat).collect(),
            positions: cash.positions,
            event: cash.event,
            carried: cash.carried.iter().map(|(player, commitment)| (player.clone(), *commitment)).collect(),
            waiting: self.noted_waiting(),
        }
    }

    /// The wishes that stood at the table's last entry: whether a seat is idle is asked as of then.
    fn noted_waiting(&self) -> Vec<(PlayerId, u64)> {
        let stands = |since: u64| self.last_used < since.saturating_add(SEAT_WISH_MS);
        self.waiting
            .iter()
            .filter(|(_, since)| stands(**since))
            .map(|(player, since)| (player.clone(), *since))
            .collect()
    }

    /// Takes in what an entry at this time states of the table, which has had no entry but its opening here.
    ///
    /// # Errors
    /// Why no table of these rules can stand so.
    pub(crate) fn take_noted(&mut self, noted: &NotedTable, time: u64) -> Result<(), &'static str> {
        if noted.betting.is_some() != (self.is_shared() && self.betting().is_some())
            || noted.cash.is_some() != self.cash().is_some()
            || noted.cash.as_ref().is_some_and(|cash| cash.event.is_some()) != self.event.is_some()
        {
            return Err("it states seats of another kind of table");
        }
        if noted.last_used > time {
            return Err("its last entry is after this one");
        }
        self.check_pause(noted)?;
        if noted
            .betting
            .as_ref()
            .is_some_and(|betting| noted.next_round == 0 && (betting.goes_on || !betting.last.is_empty()))
        {
            return Err("it had a last round before its first");
        }
        (self.next_round, self.last_used) = (noted.next_round, noted.last_used);
        self.pause_until = noted.pause_until.unwrap_or_default();
        if let Some(betting) = &noted.betting {
            self.take_noted_betting(betting)?;
        }
        if let Some(place) = noted.cash.as_ref().and_then(|cash| cash.event) {
            self.rules = Arc::new(at_blinds(&self.rules, place.blinds));
        }
        let rules = self.rules.clone();
        if let (Some(cash), Some(rules)) = (&noted.cash, rules.cash()) {
            self.take_noted_cash(cash, rules)?;
        }
        Ok(())
    }

    /// Stands as it is noted, whatever that says: for a state that is known to be the log's.
    pub(crate) fn put_noted(&mut self, noted: &NotedTable) {
        (self.next_round, self.last_used) = (noted.next_round, noted.last_used);
        self.pause_until = noted.pause_until.unwrap_or_default();
        if let Some(betting) = &noted.betting {
            for one in &betting.seats {
                self.seats.insert(one.seat, Seat { player: one.player.clone(), misses: one.misses });
                self.used.insert(one.player.clone(), one.used);
            }
            if let KindState::Betting(here) = &mut self.kind {
                here.asked = betting.asked.iter().cloned().collect();
                here.newcomers = betting.newcomers.iter().cloned().collect();
                (here.last_bettors, here.goes_on) = (betting.last.iter().cloned().collect(), betting.goes_on);
            }
            self.waiting = betting.waiting.iter().cloned().collect();
        }
        if let (Some(noted), KindState::Cash(cash)) = (&noted.cash, &mut self.kind) {
            for one in &noted.seats {
                cash.seats.insert(one.seat, CashSeat::noted(one));
                self.seats.insert(one.seat, Seat { player: one.player.clone(), misses: 0 });
                self.used.insert(one.player.clone(), one.used);
            }
            (cash.positions, cash.carried) = (noted.positions, noted.carried.iter().cloned().collect());
            cash.event = noted.event;
            self.waiting = noted.waiting.iter().cloned().collect();
        }
    }

    /// A table pauses after a round, for no longer than its rule set says.
    ///
    /// # Errors
    /// It does not. *Attack: a table that never has to go on.*
    pub(crate) fn check_pause(&self, noted: &NotedTable) -> Result<(), &'static str> {
        let Some(until) = noted.pause_until else { return Ok(()) };
        let longest = noted.last_used.saturating_add(self.rules.table.between_hands_ms.unwrap_or_default());
        let fits = noted.next_round > 0 && until > noted.last_used && until <= longest;
        if fits { Ok(()) } else { Err("it pauses as its rule set does not say") }
    }

    fn take_noted_betting(&mut self, noted: &NotedBetting) -> Result<(), &'static str> {
        for NotedSeat { seat, player, used, misses } in &noted.seats {
            self.put_down(*seat, player, *used, *misses)?;
        }
        let (asked, newcomers, last) =
            (ascending(&noted.asked)?, ascending(&noted.newcomers)?, ascending(&noted.last)?);
        if !asked.iter().all(|player| self.seat_of(player).is_some()) {
            return Err("somebody who does not sit asks to play");
        }
        if let KindState::Betting(betting) = &mut self.kind {
            (betting.asked, betting.newcomers, betting.last_bettors, betting.goes_on) =
                (asked, newcomers, last, noted.goes_on);
        }
        self.take_noted_waiting(&noted.waiting)
    }

    fn take_noted_cash(&mut self, noted: &NotedCash, rules: &PokerRules) -> Result<(), &'static str> {
        if noted.event.is_some_and(|place| place.doubled > MOST_DOUBLED || place.late_extra_ms > MOST_EXTRA_MS) {
            return Err("what its tournament says of its hands cannot be");
        }
        for one in &noted.seats {
            self.put_down(one.seat, &one.player, one.used, 0)?;
            let state = CashSeat::noted(one);
            // A tournament's player without chips may be about to rebuy.
            let untidy = self.event.is_none() && state.is_untidy(rules);
            let cut_off = self.event.is_none() && state.cut_off.is_some();
            if untidy || cut_off || state.bank_ms > rules.clocks.bank_ms {
                return Err("a seat is as none is when a hand is called");
            }
            if let KindState::Cash(cash) = &mut self.kind {
                cash.seats.insert(one.seat, state);
            }
        }
        let all = Chips::sum(noted.seats.iter().map(|one| one.stack)).and_then(|all| all.plus(all));
        if all.is_none_or(|twice| twice > Ledger::COMFORT) {
            return Err("its stacks are more than a table may hold");
        }
        let here = 1..=self.rules.table.seats;
        let places =
            noted.positions.iter().flat_map(|at| [Some(at.button), Some(at.small), Some(at.big), at.third]).flatten();
        if !places.into_iter().all(|place| here.contains(&place)) {
            return Err("the button or a blind is at no seat of the table");
        }
        let carried: Vec<PlayerId> = noted.carried.iter().map(|(player, _)| player.clone()).collect();
        let plays = |player: &PlayerId| self.cash_seat(player).is_some_and(|(_, seat)| !seat.sitting_out);
        if !ascending(&carried)?.iter().all(plays) {
            return Err("somebody who does not play has committed a seed");
        }
        if let KindState::Cash(cash) = &mut self.kind {
            (cash.positions, cash.carried) =
                (noted.positions, noted.carried.iter().cloned().collect::<BTreeMap<_, _>>());
            cash.event = noted.event;
        }
        self.take_noted_waiting(&noted.waiting)
    }

    fn put_down(&mut self, number: u8, player: &PlayerId, used: u64, misses: u8) -> Result<(), &'static str> {
        let ascends = self.seats.last_key_value().is_none_or(|(last, _)| *last < number);
        if !ascends || !(1..=self.rules.table.seats).contains(&number) || self.seat_of(player).is_some() {
            return Err("its seats do not ascend, are not the table's, or one player has two");
        }
        if used > self.last_used || misses >= MISSES_ALLOWED {
            return Err("a seat was used after the last entry, or should be lost");
        }
        self.seats.insert(number, Seat { player: player.clone(), misses });
        self.used.insert(player.clone(), used);
        Ok(())
    }

    fn take_noted_waiting(&mut self, waiting: &[(PlayerId, u64)]) -> Result<(), &'static str> {
        let players: Vec<PlayerId> = waiting.iter().map(|(player, _)| player.clone()).collect();
        let stands = |since: u64| since <= self.last_used && self.last_used < since.saturating_add(SEAT_WISH_MS);
        if waiting.len() > usize::from(self.rules.table.seats) {
            return Err("more players wait than it has seats");
        }
        if ascending(&players)?.iter().any(|player| self.seat_of(player).is_some())
            || !waiting.iter().all(|(_, since)| stands(*since))
        {
            return Err("somebody waits who sits, or whose wish is over");
        }
        self.waiting = waiting.iter().cloned().collect();
        Ok(())
    }
}

/// The players of a list that ascends.
fn ascending(players: &[PlayerId]) -> Result<BTreeSet<PlayerId>, &'static str> {
    match players.is_sorted_by(|a, b| a < b) {
        true => Ok(players.iter().cloned().collect()),
        false => Err("a list of players does not ascend"),
    }
}
