//! What the run's players can do next at their table, as its entries leave it.

use super::TableCheck;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Chips, Decision, Offer};
use fairshoe_house::{Contributor, OpenRound, Phase, PileStage, PlacedBet, Table};

/// A player's next action at their table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Only wait.
    Wait,
    /// They may bet for this round.
    Bet {
        /// The number of the window's round.
        round_no: u64,
    },
    /// Their bet is binding and their seed is awaited; also for a new pile.
    Reveal {
        /// The number of the round, or of the pile's shuffle.
        round_no: u64,
    },
    /// The hash of a fresh seed for a new pile is awaited.
    Commit {
        /// The number of the shuffle.
        round_no: u64,
    },
    /// A decision of theirs is open.
    Act {
        /// The number of the round in progress.
        round_no: u64,
        /// The decision.
        decision: Decision,
        /// Its options.
        options: Vec<Offer>,
    },
}

/// The next action at a cash table, with its player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CashTodo {
    /// Only read on.
    Wait,
    /// Commit a seed for the called hand.
    Commit(PlayerId, u64),
    /// Reveal a seed of a hand.
    Reveal(PlayerId, u64),
    /// A player must look at their own cards before play goes on.
    Look(PlayerId, u64),
    /// A decision.
    Act(u64, Decision, Vec<Offer>),
    /// A seat without chips gets new ones.
    Rebuy(PlayerId),
    /// A player who sits out sits in again.
    SitIn(PlayerId),
}

fn part<'r>(round: &'r OpenRound, player: &PlayerId) -> Option<&'r Contributor> {
    round.contributors.iter().find(|one| one.placed.player == *player)
}

impl TableCheck {
    /// A player's next action.
    pub fn todo(&self, player: &PlayerId) -> Todo {
        let Some(table) = self.at() else { return Todo::Wait };
        let Some(round) = table.live_round() else { return may_bet(table, player) };
        match (round.phase, &round.pile) {
            (Phase::AwaitingReveals { .. }, _) => match part(round, player) {
                Some(part) if part.seed.is_none() => Todo::Reveal { round_no: round.round_no },
                _ => Todo::Wait,
            },
            (_, Some(pile)) => match (pile.of(player), pile.stage) {
                (Some(part), PileStage::Commitments(_)) if part.commitment.is_none() => {
                    Todo::Commit { round_no: pile.round_no }
                }
                (Some(part), PileStage::Seeds(_)) if part.seed.is_none() => Todo::Reveal { round_no: pile.round_no },
                _ => Todo::Wait,
            },
            _ => match round.game.open_decisions().into_iter().find(|open| open.player == *player) {
                Some(decision) => {
                    let options = round.game.options(decision.number, self.funds(player));
                    Todo::Act { round_no: round.round_no, decision, options }
                }
                None => Todo::Wait,
            },
        }
    }

    /// A player's seat.
    pub fn seat(&self, player: &PlayerId) -> Option<u8> {
        self.at()?.seat_of(player)
    }

    /// Whether somebody is known to sit there.
    pub fn is_taken(&self, seat: u8) -> bool {
        self.at().is_some_and(|table| table.seats.contains_key(&seat))
    }

    /// Whether a player has a placed bet or one in play.
    pub fn is_in_play(&self, player: &PlayerId) -> bool {
        let window = self.at().and_then(Table::window);
        self.is_in_round(player) || window.is_some_and(|window| window.bet_of(player).is_some())
    }

    /// Whether a player has a bet in a round in play.
    pub fn is_in_round(&self, player: &PlayerId) -> bool {
        self.at().and_then(Table::live_round).is_some_and(|round| part(round, player).is_some())
    }

    /// All bets in the window.
    pub fn placed(&self) -> impl Iterator<Item = &PlacedBet> {
        self.at().and_then(Table::window).into_iter().flat_map(|window| &window.bets)
    }

    /// The public view of the game.
    pub fn view(&self) -> serde_json::Value {
        self.round().map(|round| round.game.view()).unwrap_or_default()
    }

    /// The next action at a cash table. If `returns`, a player who sits out comes back first: consecutive hands without
    /// a pause would leave them no time for it.
    pub fn cash_todo(&self, returns: bool) -> CashTodo {
        let Some(table) = self.at() else { return CashTodo::Wait };
        let cools = |player: &PlayerId| self.state().conduct().until(player) > self.state().last_time();
        let seats = table.seats.values().filter_map(|seat| Some((&seat.player, table.cash_seat(&seat.player)?.1)));
        let mut out = seats.filter(|(player, seat)| seat.sitting_out && !seat.leaving && !cools(player));
        match out.next().filter(|_| returns) {
            Some((player, seat)) if seat.stack == Chips::ZERO && seat.top_up == Chips::ZERO => {
                return CashTodo::Rebuy(player.clone());
            }
            Some((player, _)) => return CashTodo::SitIn(player.clone()),
            None => {}
        }
        if let Some(call) = table.call() {
            let waits = table.ready().find(|player| !call.seeds.contains_key(*player));
            return waits.map_or(CashTodo::Wait, |player| CashTodo::Commit(player.clone(), call.round_no));
        }
        let Some(round) = table.live_round() else { return CashTodo::Wait };
        let mut players = round.contributors.iter();
        if matches!(round.phase, Phase::AwaitingReveals { .. }) {
            let missing = players.find(|one| one.seed.is_none());
            return missing.map_or(CashTodo::Wait, |one| CashTodo::Reveal(one.placed.player.clone(), round.round_no));
        }
        if let Some(one) = players.find(|one| !self.knows_own(round, &one.placed.player)) {
            return CashTodo::Look(one.placed.player.clone(), round.round_no);
        }
        let open = round.game.open_decisions().into_iter().next();
        open.map_or(CashTodo::Wait, |open| {
            let options = round.game.options(open.number, Chips::ZERO);
            CashTodo::Act(round.round_no, open, options)
        })
    }

    /// Whether no hand is in progress, and none can begin without another commitment.
    pub fn is_idle(&self) -> bool {
        self.at().is_none_or(|table| {
            let called = table.call().is_some_and(|call| !call.seeds.is_empty());
            table.live_round().is_none() && !called && table.cash().is_none_or(|cash| cash.carried.is_empty())
        })
    }
}

fn may_bet(table: &Table, player: &PlayerId) -> Todo {
    match table.window() {
        Some(window) => {
            let asked = window.bet_of(player).is_none() && table.seat_of(player).is_some();
            match asked && table.may_bet_on_shoe(player) {
                true => Todo::Bet { round_no: window.round_no },
                false => Todo::Wait,
            }
        }
        None if !table.is_shared() => Todo::Bet { round_no: table.next_round },
        None => Todo::Wait,
    }
}
