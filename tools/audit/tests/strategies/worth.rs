//! What a strategy earned: what its victims lost, as a share of what they staked, beyond what the game costs them
//! anyway.

use crate::common::*;
use fairshoe_games::RoundEvent;
use fairshoe_games::poker::PokerEvent;
use fairshoe_house::Event;
use std::collections::HashMap;

#[derive(Default)]
pub struct Worth {
    /// Rounds in which a victim staked something: stake and net, minor units.
    rounds: Vec<(f64, f64)>,
    /// What the tricks cost the victims, where each one's worth is known; else it is told from what they lost.
    known: Option<f64>,
    /// What the game keeps of a stake, by the way they play: spec/games/odds.md, in per cent.
    honest: f64,
}

impl Worth {
    /// What these players staked and got over a log. Of a void round the stake counts, and nothing was won or lost.
    pub fn of(log: &[Vec<u8>], victims: &[&str], honest: f64) -> Worth {
        let is_victim = |who: &fairshoe_fairness::PlayerId| victims.contains(&who.as_str());
        let mut live: HashMap<String, (f64, f64)> = HashMap::new();
        let mut rounds = Vec::new();
        for entry in entries(log) {
            let Some(at) = entry.at.as_ref().map(|at| at.table.to_string()) else { continue };
            let (stake, net) = live.entry(at).or_default();
            for event in &entry.events {
                match event {
                    Event::BetsClosed { .. } | Event::HandBegun { .. } => {
                        let staked = event
                            .entrants()
                            .into_iter()
                            .filter(|(player, _)| is_victim(player))
                            .map(|(_, staked)| staked as f64);
                        (*stake, *net) = (staked.sum(), 0.0);
                    }
                    Event::Play(RoundEvent::Paid { lines }) => {
                        let own = lines.iter().filter(|line| is_victim(&line.player));
                        *net += own.map(|line| line.returned.signed() as f64 - line.stake.signed() as f64).sum::<f64>();
                    }
                    Event::Play(RoundEvent::Poker(PokerEvent::Settled { seats, .. })) => {
                        for seat in seats.iter().filter(|seat| is_victim(&seat.player)) {
                            *stake += seat.put_in.units() as f64;
                            *net += seat.got.units() as f64 - seat.put_in.units() as f64;
                        }
                    }
                    Event::RoundSettled { .. } => rounds.push((*stake, *net)),
                    Event::RoundVoided { .. } => rounds.push((*stake, 0.0)),
                    _ => {}
                }
            }
        }
        rounds.retain(|(stake, _)| *stake > 0.0);
        Worth { rounds, known: None, honest }
    }

    /// Tournaments, by what the victims paid for their entries.
    pub fn of_events(staked: &[i64]) -> Worth {
        let rounds = staked.iter().map(|stake| (*stake as f64, 0.0)).collect();
        Worth { rounds, ..Worth::default() }
    }

    /// Of one stake, of which so much was taken.
    pub fn of_one(stake: f64, taken: f64) -> Worth {
        Worth { rounds: vec![(stake, -taken)], known: Some(taken), honest: 0.0 }
    }

    /// The same, where it is known what the tricks took from the victims.
    pub fn knowing(self, units: i64) -> Worth {
        Worth { known: Some(units as f64), ..self }
    }

    pub fn count(&self) -> usize {
        self.rounds.len()
    }

    /// Per cent of the stakes; and, where luck has a part in it, the half width of its 95 % interval.
    pub fn earned(&self) -> (f64, Option<f64>) {
        let stakes: f64 = self.rounds.iter().map(|(stake, _)| stake).sum();
        let lost: f64 = -self.rounds.iter().map(|(_, net)| net).sum::<f64>();
        if stakes <= 0.0 {
            return (0.0, None);
        }
        if let Some(known) = self.known {
            return (100.0 * known / stakes, None);
        }
        let share = lost / stakes;
        let squares: f64 = self.rounds.iter().map(|(stake, net)| (-net - share * stake).powi(2)).sum();
        (100.0 * share - self.honest, Some(196.0 * squares.sqrt() / stakes))
    }
}
