//! Safe: the pot goes from player to player, so the house edge is 0; the report counts how often each seat wins.
#![allow(clippy::float_arithmetic)] // shares of games won

use crate::drive::{Chooser, play};
use crate::render::percent;
use crate::shoe::Shoe;
use crate::{SafeArgs, Spread, UnusableInput, read_rule_set};
use fairshoe_fairness::{Card, PlayerId, Stream};
use fairshoe_games::safe::SafeEvent;
use fairshoe_games::{Action, ActionKind, Bet, Decision, GameRules, Offer, Place, Placed, RoundEvent, RuleSet};
use serde::Serialize;
use std::num::NonZeroU16;

/// Games a thread plays before it reports.
const BLOCK: u64 = 500;

/// The result of one strategy.
#[derive(Clone, Debug, Serialize)]
pub struct Play {
    /// The strategy: `cautious` or `random`.
    pub strategy: &'static str,
    /// The games won, by seat in turn order.
    pub wins: Vec<u64>,
    /// Half the width of the 95 % interval of a seat's share, at an even share.
    pub margin: f64,
    /// The average number of rounds in a game.
    pub rounds: f64,
    /// The amount kept by the house, in units: zero, if the pot leaves as it came.
    pub house: i64,
}

/// The result of `safe`.
#[derive(Clone, Debug, Serialize)]
pub struct SafeReport {
    /// The rule set.
    pub ruleset: String,
    /// The number of players at the table.
    pub players: u8,
    /// The number of games simulated with each strategy.
    pub games: u64,
    /// The seed of the piles; the same seed gives the same report.
    pub seed: u64,
    /// The results by strategy.
    pub plays: Vec<Play>,
}

/// The strategy of all players at the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Hit to a safe hand, then stand; take no optional step.
    Cautious,
    /// Choose at random among the options, with equal chances.
    Random,
}

struct Table {
    manner: Manner,
    random: Stream,
    /// The face-up cards of each seat's hand this round.
    hands: Vec<Vec<Card>>,
    /// The card beside a hand until it is accepted or refused, and the hand that was asked last.
    shown: Option<Card>,
    asked: Option<Place>,
    winner: Option<PlayerId>,
    rounds: u64,
}

impl Table {
    fn below(&mut self, m: usize) -> usize {
        u16::try_from(m).ok().and_then(NonZeroU16::new).map_or(0, |m| usize::from(self.random.below(m)))
    }

    fn hand(&mut self, place: Place) -> Option<&mut Vec<Card>> {
        let Place::Hand { spot, .. } = place else { return None };
        self.hands.get_mut(usize::from(spot.checked_sub(1)?))
    }
}

impl Chooser for Table {
    fn see(&mut self, event: &RoundEvent) {
        match event {
            RoundEvent::Dealt { to, card: Some(card), .. } => match self.hand(*to) {
                Some(hand) => hand.push(*card),
                None => self.shown = Some(*card),
            },
            RoundEvent::Offered { place, .. } => self.asked = Some(*place),
            RoundEvent::Acted { action: Action::Accept, .. } => {
                if let (Some(card), Some(place)) = (self.shown.take(), self.asked)
                    && let Some(hand) = self.hand(place)
                {
                    hand.push(card);
                }
            }
            RoundEvent::Safe(SafeEvent::Advanced { .. }) => {
                self.rounds += 1;
                self.hands.iter_mut().for_each(Vec::clear);
            }
            RoundEvent::Safe(SafeEvent::Won { player, .. }) => self.winner = Some(player.clone()),
            _ => {}
        }
    }

    fn choose(&mut self, decision: &Decision, options: &[Offer]) -> Result<Action, UnusableInput> {
        let offered = |kind: ActionKind| options.iter().any(|offer| offer.action == kind);
        let kind = match self.manner {
            Manner::Random => {
                let index = self.below(options.len());
                options.get(index).map(|offer| offer.action)
            }
            Manner::Cautious => [ActionKind::Accept, ActionKind::Stand, ActionKind::Pass, ActionKind::Hit]
                .into_iter()
                .find(|kind| offered(*kind)),
        };
        Ok(match kind.ok_or_else(|| UnusableInput("the engine offers nothing".into()))? {
            ActionKind::Hit => Action::Hit,
            ActionKind::Stand => Action::Stand,
            ActionKind::FaceDown => Action::FaceDown,
            ActionKind::Accept => Action::Accept,
            ActionKind::Reject => Action::Reject,
            ActionKind::Open => Action::Open { hand: None },
            ActionKind::Discard => Action::Discard { hand: None },
            ActionKind::Pass => Action::Pass,
            ActionKind::Change => {
                let count = self.hand(decision.place).map_or(0, |hand| hand.len());
                let index = self.below(count);
                let card =
                    self.hand(decision.place).filter(|hand| index < hand.len()).map(|hand| hand.swap_remove(index));
                Action::Change {
                    card: card.ok_or_else(|| UnusableInput("a hand without cards is asked to change one".into()))?,
                }
            }
            other => return Err(UnusableInput(format!("the engine offers {other} in Safe"))),
        })
    }
}

/// Wins by seat, rounds, and the amount kept by the house.
#[derive(Clone, Default)]
struct Tally {
    wins: Vec<u64>,
    rounds: u64,
    house: i64,
}

fn games(
    rules: &RuleSet,
    players: u8,
    manner: Manner,
    count: u64,
    stream: &mut Stream,
) -> Result<Tally, UnusableInput> {
    let mut placed = Vec::new();
    for seat in 1..=players {
        let player = PlayerId::parse(&format!("seat-{seat}")).map_err(|e| UnusableInput(e.to_string()))?;
        placed.push(Placed {
            player,
            bets: vec![Bet { spot: seat.to_string(), stake: rules.table.stake_min, chips: None }],
        });
    }
    let mut key = [0; 32];
    key.iter_mut().for_each(|byte| *byte = stream.next_word().to_le_bytes()[0]);
    let mut table = Table {
        manner,
        random: Stream::new(key),
        hands: Vec::new(),
        shown: None,
        asked: None,
        winner: None,
        rounds: 0,
    };
    let mut tally = Tally { wins: vec![0; placed.len()], ..Tally::default() };
    let mut shoe = Shoe::new(&rules.composition(), stream);
    for _ in 0..count {
        let mut round = rules.open_round(&placed).map_err(|e| UnusableInput(e.to_string()))?;
        shoe.first_pile(&rules.composition());
        table.hands = vec![Vec::new(); placed.len()];
        table.winner = None;
        tally.house += rules.table.stake_min.signed() * i64::from(players);
        loop {
            tally.house -= play(round.as_mut(), &mut shoe, &mut table)?.returned;
            let Some(pile) = round.needs_pile() else { break };
            shoe.next_pile(&pile.composition);
            let event = RoundEvent::Shuffled { pile: pile.pile };
            round.apply(&event).map_err(|e| UnusableInput(e.to_string()))?;
        }
        tally.rounds += 1;
        let winner = placed.iter().position(|one| table.winner.as_ref() == Some(&one.player));
        if let Some(wins) = winner.and_then(|seat| tally.wins.get_mut(seat)) {
            *wins += 1;
        }
    }
    tally.rounds += table.rounds;
    Ok(tally)
}

/// Plays games and counts the winners.
pub fn run(args: &SafeArgs) -> Result<SafeReport, UnusableInput> {
    let rules = read_rule_set(&args.ruleset, &args.set)?;
    if !matches!(rules.game, GameRules::Safe(_)) {
        return Err(UnusableInput(format!("`{}` is a rule set of {}, not of Safe", rules.name, rules.game.word())));
    }
    if !(2..=rules.table.seats).contains(&args.players) {
        return Err(UnusableInput(format!("--players is from 2 to {}", rules.table.seats)));
    }
    if args.games == 0 {
        return Err(UnusableInput("--games is at least 1".into()));
    }
    let mut plays = Vec::new();
    for (manner, strategy) in [(Manner::Cautious, "cautious"), (Manner::Random, "random")] {
        let spread = Spread::new(args.seed, args.threads);
        let tallies = spread
            .over(args.games, BLOCK, strategy, |quota, stream| games(&rules, args.players, manner, quota, stream))?;
        let mut all = Tally { wins: vec![0; usize::from(args.players)], ..Tally::default() };
        for tally in tallies {
            all.wins.iter_mut().zip(tally.wins).for_each(|(sum, wins)| *sum += wins);
            all.rounds += tally.rounds;
            all.house += tally.house;
        }
        let even = 1.0 / f64::from(args.players);
        let margin = 1.96 * (even * (1.0 - even) / args.games as f64).sqrt();
        plays.push(Play {
            strategy,
            wins: all.wins,
            margin,
            rounds: all.rounds as f64 / args.games as f64,
            house: all.house,
        });
    }
    Ok(SafeReport { ruleset: rules.name, players: args.players, games: args.games, seed: args.seed, plays })
}

impl SafeReport {
    /// The report in words.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{}: {} players, {} games with each way to play, seed {}",
            self.ruleset, self.players, self.games, self.seed
        )];
        for one in &self.plays {
            lines.push(format!(
                "  everyone {}: {:.2} rounds a game; the house kept {}",
                one.strategy, one.rounds, one.house
            ));
            for (seat, wins) in (1..).zip(&one.wins) {
                let share = *wins as f64 / self.games as f64;
                lines.push(format!("    seat {seat} in turn order wins {} ± {}", percent(share), percent(one.margin)));
            }
        }
        lines.join("\n") + "\n"
    }
}
