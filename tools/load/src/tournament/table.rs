//! A table of an event: one task and one connection play all its seats in turn, as long as the table lasts. The event
//! decides who sits there. The next action is read from the log as the event's check has folded it.

use super::Players;
use super::asking::Asking;
use super::watch::Watch;
use crate::check::{Faces, Flaw};
use crate::client::Request;
use crate::failure::Failure;
use crate::link::parse;
use crate::pen::random;
use crate::shared::Shared;
use crate::strategy::chance;
use crate::totals::{Outcome, ended_in};
use fairshoe_api::{Act, Commit, Reveal, RoundRead};
use fairshoe_fairness::{PlayerId, Stream, TableContext, TableId};
use fairshoe_games::{Chips, Decision, Offer, RuleSet};
use fairshoe_house::{Command, Entry, Event, Phase, SeenCheckpoint, State};
use fairshoe_tlog::Checkpoint;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest time a reply waits for a new entry of the table, in milliseconds.
const WAIT_MS: u64 = 2_000;

/// The time between two looks for a table that is not open yet, and after a reply that did not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// One in so many hands of a table is judged by the service's own bundle, as a third party does.
const BUNDLE_EVERY: u64 = 50;

/// An action of a player at the table.
enum Todo {
    Commit { player: PlayerId, round_no: u64, context: TableContext },
    Reveal { player: PlayerId, round_no: u64, context: TableContext },
    Act { round_no: u64, decision: Decision, options: Vec<Offer>, view: serde_json::Value, rules: Arc<RuleSet> },
}

/// Actions already tried or neglected on purpose: each only once, with any result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tried {
    Commit(u64, PlayerId),
    Reveal(u64, PlayerId),
    Look(u64, PlayerId),
    Act(u64, u32),
}

/// Facts from the table's entries.
#[derive(Default)]
struct Shown {
    faces: Faces,
    /// The time of the call by the log's clock, UTC milliseconds.
    called_at: Option<u64>,
    ended: Vec<Ended>,
    last: Option<u64>,
}

/// A hand that is over.
struct Ended {
    round_no: u64,
    plays: usize,
    outcome: Outcome,
    took: Option<Duration>,
}

/// The players at a table of an event; see the module.
pub(super) struct AtTable {
    asking: Asking,
    table: TableId,
    game: String,
    players: Arc<Players>,
    random: Stream,
    next: u64,
    checkpoint: Option<Arc<Checkpoint>>,
    tried: BTreeSet<Tried>,
    shown: Shown,
    hands: u64,
}

impl AtTable {
    /// A table that is open, or about to be.
    pub fn new(
        table: TableId,
        game: String,
        players: Arc<Players>,
        shared: &Arc<Shared>,
        watch: &Arc<Watch>,
    ) -> Result<AtTable, Failure> {
        let seed = random()?;
        Ok(AtTable {
            asking: Asking::new(shared, watch)?,
            table,
            game,
            players,
            random: Stream::new(seed),
            next: 0,
            checkpoint: None,
            tried: BTreeSet::new(),
            shown: Shown::default(),
            hands: 0,
        })
    }

    fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw(format!("table {}, before its entry {}", self.table, self.next), flaw)
    }

    /// Plays until the table is closed.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn play(mut self) -> Result<(), Failure> {
        loop {
            if self.asking.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            let todo = self.asking.watch.with(|check| todo(check.state(), &self.table, &self.players, &self.tried));
            if todo.is_empty() {
                if self.follow(WAIT_MS).await? {
                    return Ok(());
                }
                continue;
            }
            for one in todo {
                self.perform(one).await?;
            }
        }
    }

    /// Reads on; returns whether the table is closed.
    async fn follow(&mut self, wait_ms: u64) -> Result<bool, Failure> {
        let begun = Instant::now();
        let shown = &mut self.shown;
        let page = self.asking.follow("tables", &self.table, &mut self.next, wait_ms, |entry, on_log| {
            shown.read(&on_log.entry);
            shown.last = Some(on_log.index);
            shown.faces.read(&on_log.entry, &entry.openings)
        });
        let Some(page) = page.await? else {
            tokio::time::sleep(PAUSE).await;
            return Ok(false);
        };
        self.checkpoint = Some(page.checkpoint);
        if let Some(last) = self.shown.last.take() {
            self.asking.watch.reach(last.saturating_add(1)).await?;
        } else if wait_ms > 0 && begun.elapsed() < PAUSE {
            tokio::time::sleep(PAUSE).await;
        }
        self.count().await?;
        Ok(page.closed && page.new == 0)
    }

    async fn count(&mut self) -> Result<(), Failure> {
        for Ended { round_no, plays, outcome, took } in std::mem::take(&mut self.shown.ended) {
            {
                let mut totals = self.asking.shared.totals();
                for _ in 0..plays.max(1) {
                    totals.round_over(&self.game, &self.table, round_no, outcome, took);
                }
            }
            self.tried.clear();
            self.hands += 1;
            if self.hands.is_multiple_of(BUNDLE_EVERY) {
                let judged = self.asking.link.judge_bundle(&self.table, round_no).await?;
                judged.map_err(|flaw| self.flawed(flaw))?;
            }
        }
        Ok(())
    }

    /// Decides by chance to neglect an action on purpose.
    fn neglects(&mut self) -> bool {
        let neglects = chance(self.asking.shared.args.sleepers, &mut self.random);
        self.asking.shared.totals().counts.neglected += u64::from(neglects);
        neglects
    }

    async fn perform(&mut self, todo: Todo) -> Result<(), Failure> {
        let table = self.table.clone();
        match todo {
            Todo::Commit { player, round_no, context } => {
                self.tried.insert(Tried::Commit(round_no, player.clone()));
                if self.neglects() {
                    return Ok(());
                }
                let commitment = self.players.of(&player)?.commitment(&context, round_no);
                let request = Request::post(
                    format!("/v1/rounds/{table}:{round_no}/commitments"),
                    &Commit { commitment, epoch: Some(context.epoch) },
                );
                let command = Command::CommitHandSeed { table, round_no, commitment };
                self.ask(&player, "commit", command, request).await
            }
            Todo::Reveal { player, round_no, context } => {
                self.tried.insert(Tried::Reveal(round_no, player.clone()));
                let saw = self.saw().await?;
                let carries = !self.neglects();
                let entrant = self.players.of(&player)?;
                let seed = entrant.seed(&context, round_no);
                let next = carries.then(|| entrant.commitment(&context, round_no.saturating_add(1)));
                let body = Reveal { player: player.clone(), seed: seed.clone(), saw: saw.clone(), next };
                let request = Request::post(format!("/v1/rounds/{table}:{round_no}/reveals"), &body);
                let command = Command::Reveal { table, round_no, player: player.clone(), seed, saw, next };
                self.ask(&player, "reveal", command, request).await
            }
            Todo::Act { round_no, decision, options, view, rules } => {
                let player = decision.player.clone();
                if self.tried.insert(Tried::Look(round_no, player.clone())) {
                    self.look(&player, round_no).await?;
                }
                self.tried.insert(Tried::Act(round_no, decision.number));
                if self.neglects() {
                    return Ok(());
                }
                let strategy = self.asking.shared.args.strategy;
                let action = strategy.choose(&rules, &view, &decision, &options, &mut self.random);
                let action = action.ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move")))?;
                let body = Act { decision: decision.number, action: action.clone() };
                let request = Request::post(format!("/v1/rounds/{table}:{round_no}/actions"), &body);
                let command = Command::Act { table, round_no, decision: decision.number, action };
                self.ask(&player, "act", command, request).await
            }
        }
    }

    /// The checkpoint that proves the table's entries. A seed is sent only after all entries under it were read and
    /// give its tree.
    async fn saw(&self) -> Result<Option<SeenCheckpoint>, Failure> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(None) };
        self.asking.watch.reach(checkpoint.size).await?;
        Ok(Some(SeenCheckpoint { size: checkpoint.size, root: checkpoint.root.to_string() }))
    }

    async fn ask(
        &mut self,
        player: &PlayerId,
        call: &'static str,
        command: Command,
        request: Request,
    ) -> Result<(), Failure> {
        let players = self.players.clone();
        let Some(accepted) = self.asking.ask(players.of(player)?, call, command, request).await? else {
            // An action that was not carried out is tried again after the table was read.
            if self.asking.interrupted {
                self.tried.clear();
            }
            return self.follow(0).await.map(drop);
        };
        let watch = self.asking.watch.clone();
        if let Some(last) = accepted.receipts.iter().map(|receipt| receipt.index).max() {
            watch.reach(last.saturating_add(1)).await?;
        }
        if let Some(own) = &accepted.own {
            watch.with(|check| check.own_cards(&self.table, player, own)).map_err(|flaw| self.flawed(flaw))?;
        }
        Ok(())
    }

    /// A player looks at their cards; the reply must show no others.
    async fn look(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let players = self.players.clone();
        let request = Request::get(format!("/v1/rounds/{}:{round_no}", self.table)).token(players.of(player)?.token()?);
        let answer = self.asking.link.call(&request).await?;
        self.asking.link.refresh();
        let read: RoundRead = parse(&request, &answer.reply)?;
        let own = read.own.as_ref().map_or(0, |own| own.openings.len());
        self.asking.no_more_than(&answer.reply.body, read.openings.len() + own)?;
        let held = match &read.own {
            Some(own) => self.asking.watch.with(|check| check.own_cards(&self.table, player, own)),
            // A hand ended by a restart or a clock is not dealt any more.
            None => Ok(false),
        };
        held.map(drop).map_err(|flaw| self.flawed(flaw))
    }
}

impl Shown {
    fn read(&mut self, entry: &Entry) {
        if entry.events.iter().any(|event| matches!(event, Event::HandCalled { .. })) {
            self.called_at = Some(entry.time);
        }
        for (round_no, outcome, players) in ended_in(entry) {
            let took = self.called_at.map(|at| Duration::from_millis(entry.time.saturating_sub(at)));
            self.ended.push(Ended { round_no, plays: players.len(), outcome, took });
        }
    }
}

/// The actions of the run's players at a table now that do not depend on each other.
fn todo(state: &State, table: &TableId, players: &Players, tried: &BTreeSet<Tried>) -> Vec<Todo> {
    let Some(here) = state.table(table) else { return Vec::new() };
    let Some(shoe) = &here.shoe else { return Vec::new() };
    let context = || shoe.id.context.clone();
    if let Some(call) = here.call() {
        let round_no = call.round_no;
        let seated = here.seats.values().map(|seat| &seat.player);
        let has_chips = |player: &PlayerId| here.cash_seat(player).is_some_and(|(_, seat)| seat.stack > Chips::ZERO);
        let waits = |player: &&PlayerId| {
            !call.seeds.contains_key(*player)
                && players.has(player)
                && has_chips(player)
                && !tried.contains(&Tried::Commit(round_no, (*player).clone()))
        };
        let commit = |player: &PlayerId| Todo::Commit { player: player.clone(), round_no, context: context() };
        return seated.filter(waits).map(commit).collect();
    }
    let Some(round) = here.live_round() else { return Vec::new() };
    let round_no = round.round_no;
    // A player who was away comes back with a seed for the next hand, because its call may end at once.
    let next = here.next_round;
    let comes_back = |player: &&PlayerId| {
        let is_away =
            |player| here.cash_seat(player).is_some_and(|(_, seat)| seat.sitting_out && seat.stack > Chips::ZERO);
        players.has(player) && is_away(player) && !tried.contains(&Tried::Commit(next, (*player).clone()))
    };
    let back = here.seats.values().map(|seat| &seat.player).filter(comes_back);
    let mut all: Vec<Todo> =
        back.map(|player| Todo::Commit { player: player.clone(), round_no: next, context: context() }).collect();
    if matches!(round.phase, Phase::AwaitingReveals { .. }) {
        let missing = round.contributors.iter().filter(|one| one.seed.is_none()).map(|one| &one.placed.player);
        let waits =
            |player: &&PlayerId| players.has(player) && !tried.contains(&Tried::Reveal(round_no, (*player).clone()));
        let reveal = |player: &PlayerId| Todo::Reveal { player: player.clone(), round_no, context: context() };
        all.extend(missing.filter(waits).map(reveal));
        return all;
    }
    let open = round
        .game
        .open_decisions()
        .into_iter()
        .find(|open| players.has(&open.player) && !tried.contains(&Tried::Act(round_no, open.number)));
    let act = |decision: Decision| Todo::Act {
        round_no,
        options: round.game.options(decision.number, Chips::ZERO),
        decision,
        view: round.game.view(),
        rules: here.rules.clone(),
    };
    all.extend(open.map(act));
    all
}
