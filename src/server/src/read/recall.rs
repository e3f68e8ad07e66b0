//! A round recalled in full from the log: every step in its order, every wager, every balance before and after.

use crate::read::Reading;
use crate::read::history::{HistoryError, Placed, index, read};
use crate::read::index::{RoundRef, RoundState};
use fairshoe_api::ViewPhase;
use fairshoe_fairness::{PlayerId, SeedCommitment, TableId};
use fairshoe_games::{Bet, Chips, RoundEvent, RuleSet};
use fairshoe_house::{Account, Actor, Event, Line, OpenRound, PlacedBet, PlayerCommitment, VoidCause};
use fairshoe_judge::{Narrator, utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A player's balance around one posting.
#[derive(Serialize)]
pub struct Moved {
    player: PlayerId,
    before: Chips,
    after: Chips,
}

/// One step: what somebody asked for, or what came of it.
#[derive(Serialize)]
pub struct Step {
    /// Counts the round's steps from 1.
    step: u64,
    /// The log index of the entry that it stands in.
    index: u64,
    /// That entry's number at its table.
    table_seq: u64,
    time: String,
    by: Actor,
    /// `command` or `event`.
    kind: &'static str,
    /// Its word on the log.
    word: String,
    /// Its content, to the byte as the log has it.
    content: Box<RawValue>,
    /// The same in plain English.
    line: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    balances: Vec<Moved>,
}

/// What a player staked in the round and got back.
#[derive(Serialize)]
pub struct Wagered {
    player: PlayerId,
    bets: Vec<Bet>,
    commitment: SeedCommitment,
    staked: Chips,
    returned: Chips,
    balance_before: Chips,
    balance_after: Chips,
    /// At a cash table, the chips before their seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_before: Option<Chips>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_after: Option<Chips>,
}

/// See the module (openapi.yaml, `Recall`).
#[derive(Serialize)]
pub struct Recall {
    id: String,
    table: TableId,
    round_no: u64,
    shoe_no: u64,
    rules: String,
    digest: String,
    phase: ViewPhase,
    cause: Option<VoidCause>,
    bets_closed_at: String,
    ended_at: Option<String>,
    staked: Chips,
    returned: Chips,
    wagers: Vec<Wagered>,
    steps: Vec<Step>,
}

/// The word of openapi.yaml's `Phase`, and why a round is void.
pub fn phase(state: RoundState) -> (ViewPhase, Option<VoidCause>) {
    match state {
        RoundState::AwaitingReveals => (ViewPhase::AwaitingReveals, None),
        RoundState::Open => (ViewPhase::Open, None),
        RoundState::Settled => (ViewPhase::Settled, None),
        RoundState::Voided(cause) => (ViewPhase::Voided, Some(cause)),
    }
}

/// Recalls a round, as far as it has come.
///
/// # Errors
/// [`HistoryError`] if there is no such round, or the log cannot be read.
pub fn recall(reading: &Reading, table: &TableId, round_no: u64) -> Result<Recall, HistoryError> {
    let known = index(reading).table(table)?.ok_or(HistoryError::NoSuchRound)?;
    let round = known.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
    let opening = known.opened().ok_or(HistoryError::NoSuchRound)?;
    let rules = read(reading, opening)?.entry.events.into_iter().find_map(|event| match event {
        Event::TableOpened { rules, digest, .. } => Some((rules, digest)),
        _ => None,
    });
    let (rules, digest) = rules.ok_or_else(|| HistoryError::Broken("a table's first entry does not open it".into()))?;
    let indices = known.indices(known.span_of_round(&round, true))?;
    let entries = indices.into_iter().map(|at| read(reading, at)).collect::<Result<Vec<_>, _>>()?;
    let over = round.last_seq.is_some();
    let steps = steps(&entries, &rules)?;
    let (phase, cause) = phase(round.state);
    Ok(Recall {
        id: OpenRound::id(table, round.round_no),
        table: table.clone(),
        round_no: round.round_no,
        shoe_no: round.shoe_no,
        rules: rules.name,
        digest,
        phase,
        cause,
        bets_closed_at: utc(round.time),
        ended_at: entries.last().filter(|_| over).map(|placed| utc(placed.entry.time)),
        staked: round.staked,
        returned: round.returned,
        wagers: wagers(&entries, &round),
        steps,
    })
}

fn amount(units: i64) -> Chips {
    u64::try_from(units).ok().and_then(Chips::new).unwrap_or_default()
}

fn moved(line: &Line) -> Option<Moved> {
    let Line(Account::Player(player), by, after) = line else { return None };
    Some(Moved { player: player.clone(), before: amount(after.saturating_sub(*by)), after: amount(*after) })
}

fn postings(placed: &Placed) -> impl Iterator<Item = Moved> {
    let lines = placed
        .entry
        .events
        .iter()
        .filter_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None });
    lines.flatten().filter_map(moved)
}

/// What an entry holds, to the byte.
#[derive(Deserialize)]
struct Raw<'e> {
    #[serde(borrow)]
    command: &'e RawValue,
    #[serde(borrow)]
    events: Vec<&'e RawValue>,
}

/// The single property of a command or an event on the log: its word and its content.
fn on_the_log(what: &RawValue) -> Result<(String, Box<RawValue>), HistoryError> {
    let broken = |e: &dyn std::fmt::Display| HistoryError::Broken(e.to_string());
    let object: BTreeMap<String, &RawValue> = serde_json::from_str(what.get()).map_err(|e| broken(&e))?;
    let (word, content) = object.into_iter().next().ok_or_else(|| broken(&"an event has no word"))?;
    // What happens in the game stands one level deeper.
    if word == "play" { on_the_log(content) } else { Ok((word, content.to_owned())) }
}

fn steps(entries: &[Placed], rules: &RuleSet) -> Result<Vec<Step>, HistoryError> {
    let mut narrator = Narrator::of(rules);
    let mut steps: Vec<Step> = Vec::new();
    for placed in entries {
        let entry = &placed.entry;
        let raw: Raw<'_> = serde_json::from_slice(&placed.bytes).map_err(|e| HistoryError::Broken(e.to_string()))?;
        let time = utc(entry.time);
        let mut lines = narrator.entry(entry).into_iter();
        let mut add = |kind, (word, content), line: String, balances| {
            steps.push(Step {
                step: steps.len() as u64 + 1,
                index: placed.index,
                table_seq: entry.at.as_ref().map_or(0, |at| at.seq),
                time: time.clone(),
                by: entry.by.clone(),
                kind,
                word,
                content,
                line: line.strip_prefix(&time).unwrap_or(&line).trim_start().to_owned(),
                balances,
            });
        };
        add("command", on_the_log(raw.command)?, lines.next().unwrap_or_default(), Vec::new());
        for (event, raw) in entry.events.iter().zip(raw.events) {
            let balances =
                if let Event::Posted { lines } = event { lines.iter().filter_map(moved).collect() } else { Vec::new() };
            add("event", on_the_log(raw)?, lines.next().unwrap_or_default(), balances);
        }
    }
    Ok(steps)
}

fn wagers(entries: &[Placed], round: &RoundRef) -> Vec<Wagered> {
    let closed = entries.iter().flat_map(|placed| &placed.entry.events).find_map(|event| match event {
        Event::BetsClosed { contributors, round_no, .. } if *round_no == round.round_no => Some(contributors.clone()),
        Event::HandBegun { contributors, round_no, .. } if *round_no == round.round_no => {
            let without_bets = |one: &PlayerCommitment| PlacedBet {
                player: one.player.clone(),
                bets: Vec::new(),
                commitment: one.commitment,
            };
            Some(contributors.iter().map(without_bets).collect())
        }
        _ => None,
    });
    let wagered = |bet: PlacedBet| {
        let player = &bet.player;
        let mut known = None;
        let mut before = None;
        for placed in entries {
            if let Some((_, stated)) = placed.entry.before.iter().find(|(name, _)| name == player) {
                known = Some(*stated);
            }
            for moved in postings(placed).filter(|moved| moved.player == *player) {
                before = before.or(Some(moved.before));
                known = Some(moved.after);
            }
        }
        let (staked, returned) = stake_and_return(entries, &bet);
        let (stack_before, stack_after) = stacks(entries, player);
        Wagered {
            player: player.clone(),
            bets: bet.bets.clone(),
            commitment: bet.commitment,
            staked,
            returned,
            balance_before: before.or(known).unwrap_or_default(),
            balance_after: known.unwrap_or_default(),
            stack_before,
            stack_after,
        }
    };
    closed.into_iter().flatten().map(wagered).collect()
}

/// A player's chips at a cash table before and after the hand; what was put into a hand that is void is theirs again.
fn stacks(entries: &[Placed], player: &PlayerId) -> (Option<Chips>, Option<Chips>) {
    let (mut before, mut after) = (None, None);
    for event in entries.iter().flat_map(|placed| &placed.entry.events) {
        match event {
            Event::HandBegun { hand, .. } => {
                before = hand.seats.iter().find(|seat| seat.player == *player).map(|seat| seat.stack);
            }
            Event::Play(play) if play.hand_result().is_some() => {
                let mut seats = play.hand_result().into_iter().flat_map(|hand| hand.seats);
                after = seats.find(|seat| seat.player == *player).map(|seat| seat.stack);
            }
            Event::RoundVoided { .. } => after = before,
            _ => {}
        }
    }
    (before, after)
}

/// What a player staked and got back: as the round's end says, or so far.
fn stake_and_return(entries: &[Placed], bet: &PlacedBet) -> (Chips, Chips) {
    let (mut staked, mut paid) = (bet.staked().unwrap_or_default(), Chips::ZERO);
    for event in entries.iter().flat_map(|placed| &placed.entry.events) {
        match event {
            Event::RoundSettled { players, .. } | Event::RoundVoided { players, .. } => {
                let own = players.iter().find(|one| one.player == bet.player);
                return own.map(|own| (own.staked, own.returned)).unwrap_or_default();
            }
            Event::Play(RoundEvent::Acted { player, cost, .. }) if *player == bet.player && !bet.bets.is_empty() => {
                staked = staked.plus(*cost).unwrap_or(Chips::MAX);
            }
            Event::Play(RoundEvent::Paid { lines }) => {
                let own = Chips::sum(lines.iter().filter(|line| line.player == bet.player).map(|line| line.returned));
                paid = own.and_then(|own| paid.plus(own)).unwrap_or(Chips::MAX);
            }
            _ => {}
        }
    }
    (staked, paid)
}
