//! Where things stand in the log: rebuilt from it at each start, extended with every batch that became durable.

use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::{Chips, RoundEvent};
use fairshoe_house::{Entry, Event, VoidCause};
use std::collections::HashMap;

/// A round's place and result.
#[derive(Clone, Debug)]
pub struct RoundRef {
    pub shoe_no: u64,
    pub time: u64,
    pub staked: Chips,
    pub ret: Chips,
    pub state: RoundState,
}

/// How far a round has come, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundState {
    AwaitingReveals,
    Open,
    Settled,
    Voided(VoidCause),
}

/// A shoe's place.
#[derive(Clone, Debug)]
pub struct ShoeRef {
    pub committed_seq: u64,
    pub revealed_seq: Option<u64>,
}

/// A table's places.
#[derive(Default)]
pub struct TableIndex {
    /// The log index of each of its entries, by table sequence number.
    pub entries: Vec<u64>,
    pub rounds: Vec<RoundRef>,
    pub shoes: Vec<ShoeRef>,
    /// No entry comes after the last one.
    pub closed: bool,
}

/// See the module.
#[derive(Default)]
pub struct Index {
    pub tables: HashMap<TableId, TableIndex>,
    /// Every player's rounds, in order.
    pub players: HashMap<PlayerId, Vec<(TableId, u64)>>,
    /// Log indices of the entries with `dealer_started`.
    pub starts: Vec<u64>,
    pub rounds: u64,
}

impl Index {
    /// Takes a durable entry in.
    pub fn add(&mut self, index: u64, entry: &Entry) {
        let Some(at) = &entry.at else {
            if entry.events.iter().any(|event| matches!(event, Event::DealerStarted { .. })) {
                self.starts.push(index);
            }
            return;
        };
        let table = self.tables.entry(at.table.clone()).or_default();
        table.entries.push(index);
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { .. } => table.shoes.push(ShoeRef { committed_seq: at.seq, revealed_seq: None }),
                Event::ShoeRevealed { .. } => {
                    if let Some(shoe) = table.shoes.last_mut() {
                        shoe.revealed_seq = Some(at.seq);
                    }
                }
                Event::BetsClosed { round_no, shoe_no, contributors, .. } => {
                    let stakes = contributors.iter().flat_map(|c| &c.bets).map(|bet| bet.stake);
                    let staked = Chips::sum(stakes).unwrap_or_default();
                    table.rounds.push(RoundRef {
                        shoe_no: *shoe_no,
                        time: entry.time,
                        staked,
                        ret: Chips::ZERO,
                        state: RoundState::AwaitingReveals,
                    });
                    self.rounds += 1;
                    for contributor in contributors {
                        self.players.entry(contributor.player.clone()).or_default().push((at.table.clone(), *round_no));
                    }
                }
                Event::RoundOpened { .. } => set_state(table, RoundState::Open),
                Event::Play(RoundEvent::Acted { cost, .. }) => {
                    if let Some(round) = table.rounds.last_mut() {
                        round.staked = round.staked.plus(*cost).unwrap_or(Chips::MAX);
                    }
                }
                Event::TableClosed {} => table.closed = true,
                Event::RoundSettled { staked, ret, .. } => {
                    set_state(table, RoundState::Settled);
                    if let Some(round) = table.rounds.last_mut() {
                        (round.staked, round.ret) = (*staked, *ret);
                    }
                }
                Event::RoundVoided { cause, .. } => {
                    set_state(table, RoundState::Voided(*cause));
                    if let Some(round) = table.rounds.last_mut() {
                        round.ret = round.staked;
                    }
                }
                _ => {}
            }
        }
    }
}

fn set_state(table: &mut TableIndex, state: RoundState) {
    if let Some(round) = table.rounds.last_mut() {
        round.state = state;
    }
}
