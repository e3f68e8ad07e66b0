//! A player's actions: sits, bets, holds both proofs, reveals, decides, gets up; and the actions they skip on purpose.

use super::{Player, name_of};
use crate::check::{Flaw, OnLog, Progress, Todo};
use crate::client::Request;
use crate::failure::Failure;
use crate::link::{in_two_lines, parse, problem, refused};
use crate::strategy::{chance, is_shared, place_bets};
use crate::totals::Outcome;
use fairshoe_api::{Accepted, Act, BetRequest, Commit, ErrorCode, Reveal, SeatWish};
use fairshoe_fairness::{ClientSeed, TableContext, derive_client_seed, seed_commitment};
use fairshoe_games::{Bet, Decision, Offer};
use fairshoe_house::{Actor, Command, Event, SeenCheckpoint};
use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The longest time a reply waits for a new entry of the table, in milliseconds.
const WAIT_MS: u64 = 2_000;

/// The time that a player who got up stays away: long enough for a round without them.
const AWAY: Duration = Duration::from_millis(700);

/// A cooldown up to this length, in milliseconds, is waited for under the same name.
const SHORT_COOLDOWN_MS: u64 = 2_000;

/// The time to finish rounds after the time is up.
const GRACE: Duration = Duration::from_secs(120);

/// Asks for the note of a seed or a choice before it is decided.
const FIRST: &str = "?received=first";

/// Refusals caused by the time between reading and asking, by call: the table went on meanwhile.
const RACES: &[(&str, &[ErrorCode])] = &[
    ("seat", &[ErrorCode::SeatNotFree, ErrorCode::Cooldown]),
    (
        "bet",
        &[
            ErrorCode::BetsNotOpen,
            ErrorCode::DeadlinePassed,
            ErrorCode::RoundInProgress,
            ErrorCode::WrongRound,
            ErrorCode::WrongEpoch,
            ErrorCode::NewcomerWaits,
            ErrorCode::NotSeated,
            ErrorCode::Cooldown,
            ErrorCode::SpotTaken,
        ],
    ),
    (
        "commit",
        &[
            ErrorCode::NothingToDo,
            ErrorCode::DeadlinePassed,
            ErrorCode::WrongRound,
            ErrorCode::WrongEpoch,
            ErrorCode::NotAContributor,
        ],
    ),
    (
        "reveal",
        &[
            ErrorCode::RevealsOver,
            ErrorCode::AlreadyRevealed,
            ErrorCode::DeadlinePassed,
            ErrorCode::WrongRound,
            ErrorCode::NothingToDo,
            ErrorCode::NotAContributor,
        ],
    ),
    ("act", &[ErrorCode::DecisionNotOpen, ErrorCode::DeadlinePassed, ErrorCode::WrongRound]),
    ("leave", &[ErrorCode::NotSeated, ErrorCode::DeadlinePassed]),
];

/// A duty that is postponed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PutOff {
    duty: (u64, u32),
    /// It was refused and is tried again after a new entry; otherwise it is neglected on purpose.
    pub until_next: bool,
}

/// The result of a request.
enum Asked {
    /// It is on the log.
    Done,
    /// The table had gone on, or the connection broke; the result was read.
    Overtaken,
}

/// A duty's name: its round, and its decision or a number beyond all decisions.
fn duty(todo: &Todo) -> Option<(u64, u32)> {
    match todo {
        Todo::Wait => None,
        Todo::Bet { round_no } => Some((*round_no, u32::MAX)),
        Todo::Reveal { round_no, .. } => Some((*round_no, u32::MAX - 1)),
        Todo::Commit { round_no } => Some((*round_no, u32::MAX - 2)),
        Todo::Act { round_no, decision, .. } => Some((*round_no, decision.number)),
    }
}

impl Player {
    /// Plays until the time is up, and finishes open rounds.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn play(&mut self) -> Result<(), Failure> {
        loop {
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            let (is_shared, in_play) = (is_shared(&self.rules), self.check.is_in_play());
            if self.shared.is_over() && !self.check.is_in_round() || self.shared.over_for() > GRACE {
                // A bet that is not binding yet comes back with the seat; a binding one is played to its end.
                self.get_up().await?;
                if !self.check.is_in_round() || self.shared.over_for() > GRACE {
                    return Ok(());
                }
                continue;
            }
            let todo = self.check.todo();
            let put_off = duty(&todo).is_some() && duty(&todo) == self.put_off.map(|put_off| put_off.duty);
            match todo {
                _ if is_shared && !in_play && self.check.seat().is_none() => self.sit().await?,
                _ if self.leaves && !in_play => self.leave().await?,
                Todo::Wait => self.follow(self.wait_ms()).await?,
                _ if put_off => self.follow(self.wait_ms()).await?,
                Todo::Bet { round_no } => self.bet(round_no).await?,
                Todo::Reveal { .. } | Todo::Commit { .. } if self.neglects(&todo, self.shared.args.withhold) => {}
                Todo::Act { .. } if self.neglects(&todo, self.shared.args.sleepers) => {}
                Todo::Commit { round_no } => self.commit(round_no).await?,
                Todo::Reveal { round_no, bound_at, shoe_at } => self.reveal(round_no, bound_at, shoe_at).await?,
                Todo::Act { round_no, decision, options } => self.act(round_no, &decision, &options).await?,
            }
        }
    }

    /// The waiting time, limited to the rest of the run.
    fn wait_ms(&self) -> u64 {
        let left = u64::try_from(self.shared.time_left().as_millis()).unwrap_or(WAIT_MS);
        if self.shared.is_over() { WAIT_MS / 2 } else { left.clamp(10, WAIT_MS) }
    }

    /// Whether this duty is neglected on purpose: at shared tables, as often as the command line says.
    fn neglects(&mut self, todo: &Todo, percent: u8) -> bool {
        let neglects = is_shared(&self.rules) && !self.shared.is_over() && chance(percent, &mut self.random);
        if let (true, Some(duty)) = (neglects, duty(todo)) {
            self.put_off = Some(PutOff { duty, until_next: false });
            self.shared.totals().neglected += 1;
        }
        neglects
    }

    async fn sit(&mut self) -> Result<(), Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_millis()).unwrap_or_default();
        let cooldown = self.cooldown.saturating_sub(u64::try_from(now).unwrap_or(u64::MAX));
        if cooldown > SHORT_COOLDOWN_MS {
            return self.reborn().await;
        }
        let away = self.away_until.map(|until| until.saturating_duration_since(Instant::now())).unwrap_or_default();
        let wait = u64::try_from(away.as_millis()).unwrap_or(WAIT_MS).max(cooldown);
        if wait > 0 {
            // A player who is away keeps reading to stay up to date.
            return self.follow(wait.min(WAIT_MS)).await;
        }
        self.credit_if_low().await?;
        let table = self.check.table().clone();
        let free = self.free_seats().await?;
        let Some(seat) = free.get(crate::strategy::one_of(free.len(), &mut self.random)).copied() else {
            return self.follow(WAIT_MS).await;
        };
        let request =
            Request::post(format!("/v1/tables/{table}/seat"), &SeatWish { seat: Some(seat), ..SeatWish::default() })
                .token(&self.token);
        match self.ask("seat", Command::TakeSeat { table, seat }, &request).await? {
            Asked::Done => Ok(()),
            Asked::Overtaken => self.follow(10).await,
        }
    }

    /// The free seats, by the table's view: seats taken before this player came are not known otherwise.
    async fn free_seats(&mut self) -> Result<Vec<u8>, Failure> {
        let view = self.table_view().await?;
        let taken: BTreeSet<u8> = view.seats.iter().map(|seat| seat.seat).collect();
        Ok((1..=self.rules.table.seats)
            .filter(|seat| !taken.contains(seat) && self.check.seated_at(*seat).is_none())
            .collect())
    }

    async fn leave(&mut self) -> Result<(), Failure> {
        self.leaves = false;
        self.away_until = Instant::now().checked_add(AWAY);
        let table = self.check.table().clone();
        let request = Request::delete(format!("/v1/tables/{table}/seat")).token(&self.token);
        match self.ask("leave", Command::LeaveSeat { table }, &request).await? {
            Asked::Done => Ok(()),
            // The bets of a window that is about to close can no longer be taken back.
            Asked::Overtaken => self.follow(WAIT_MS / 10).await,
        }
    }

    /// At the end all players get up, so that no one waits for a player who has gone.
    async fn get_up(&mut self) -> Result<(), Failure> {
        if is_shared(&self.rules) && self.check.seat().is_some() { self.leave().await } else { Ok(()) }
    }

    fn secret_seed(&self, round_no: u64) -> Result<(TableContext, ClientSeed), Failure> {
        let context = self.check.context().ok_or_else(|| self.flawed(Flaw::EpochUnknown))?;
        let seed = derive_client_seed(&self.secret, &context, round_no);
        Ok((context, seed))
    }

    async fn bet(&mut self, round_no: u64) -> Result<(), Failure> {
        self.credit_if_low().await?;
        let (context, seed) = self.secret_seed(round_no)?;
        let commitment = seed_commitment(&context, round_no, &self.name, &seed);
        let placed: BTreeSet<&str> =
            self.check.placed().flat_map(|bet| &bet.bets).map(|bet| bet.spot.as_str()).collect();
        let seated = |spot: &str| spot.parse().ok().is_some_and(|seat| self.check.seated_at(seat).is_some());
        let is_free = |spot: &str| !placed.contains(spot) && (!is_shared(&self.rules) || !seated(spot));
        let (strategy, stake) = (self.shared.args.strategy, self.shared.args.stake);
        let bets: Vec<Bet> = place_bets(&self.rules, strategy, self.check.seat(), stake, is_free, &mut self.random);
        let table = self.check.table().clone();
        let body = BetRequest { round_no, bets: bets.clone(), commitment, epoch: Some(context.epoch) };
        let request = Request::post(format!("/v1/tables/{table}/bets"), &body).token(&self.token);
        self.bet_at = Some(Instant::now());
        self.ask("bet", Command::Bet { table, round_no, bets, commitment }, &request).await.map(drop)
    }

    async fn commit(&mut self, round_no: u64) -> Result<(), Failure> {
        let (context, seed) = self.secret_seed(round_no)?;
        let commitment = seed_commitment(&context, round_no, &self.name, &seed);
        let table = self.check.table().clone();
        let body = Commit { commitment, epoch: Some(context.epoch) };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/commitments"), &body).token(&self.token);
        self.ask("commit", Command::CommitSeed { table, round_no, commitment }, &request).await.map(drop)
    }

    /// A seed is sent only after both proofs have arrived, under one signed checkpoint, which goes with it.
    async fn reveal(&mut self, round_no: u64, bound_at: u64, shoe_at: u64) -> Result<(), Failure> {
        let saw = self.hold_proofs(bound_at, shoe_at).await?;
        let (_, seed) = self.secret_seed(round_no)?;
        let table = self.check.table().clone();
        let body = Reveal { player: self.name.clone(), seed: seed.clone(), saw: Some(saw.clone()), next: None };
        // Sometimes the note is requested before the seed is decided.
        let first = if round_no.is_multiple_of(4) { FIRST } else { "" };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/reveals{first}"), &body).token(&self.token);
        let command = Command::Reveal { table, round_no, player: self.name.clone(), seed, saw: Some(saw), next: None };
        self.ask("reveal", command, &request).await.map(drop)
    }

    async fn hold_proofs(&mut self, bound_at: u64, shoe_at: u64) -> Result<SeenCheckpoint, Failure> {
        let bound = self.bound.clone().filter(|on_log| on_log.index == bound_at);
        let shoe = self.shoe.clone().filter(|on_log| on_log.index == shoe_at);
        let missing = |what| Failure::Usage(format!("{what} of table {} was never proven", self.check.table()));
        let (bound, mut shoe) =
            (bound.ok_or_else(|| missing("bets_closed"))?, shoe.ok_or_else(|| missing("shoe_committed"))?);
        if shoe.checkpoint != bound.checkpoint {
            let shared = self.shared.clone();
            shoe = shared.tiles.prove_entry(&mut self.link, &self.token, &shoe, &bound.checkpoint).await?;
            self.shoe = Some(shoe.clone());
        }
        bound.binds_on(&shoe).map_err(|flaw| self.flawed(flaw))?;
        Ok(SeenCheckpoint { size: bound.checkpoint.size, root: bound.checkpoint.root.to_string() })
    }

    async fn act(&mut self, round_no: u64, decision: &Decision, options: &[Offer]) -> Result<(), Failure> {
        let strategy = self.shared.args.strategy;
        let action = strategy.choose(&self.rules, &self.check.view(), decision, options, &mut self.random);
        let action = action
            .ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move at {}", decision.place)))?;
        let table = self.check.table().clone();
        let body = Act { decision: decision.number, action: action.clone() };
        // As with seeds, sometimes the note is requested first.
        let first = if round_no.is_multiple_of(4) { FIRST } else { "" };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/actions{first}"), &body).token(&self.token);
        self.ask("act", Command::Act { table, round_no, decision: decision.number, action }, &request).await.map(drop)
    }

    /// Asks in the player's name, once. If the connection breaks, the result is read from the table's entries. Bets
    /// from before a restart bind no more, because the epoch has changed.
    async fn ask(&mut self, call: &'static str, command: Command, request: &Request) -> Result<Asked, Failure> {
        let request = &self.promise(command.clone(), request.clone())?;
        let Some(mut answer) = self.link.call_once(request).await? else {
            self.shared.totals().resumed += 1;
            self.follow(0).await?;
            return Ok(Asked::Overtaken);
        };
        let mut note = None;
        if request.path().ends_with(FIRST) {
            (note, answer.reply) = in_two_lines(request, answer.reply)?;
            // Notes for choices are limited to a rate.
            if matches!(command, Command::Reveal { .. }) && answer.reply.is_success() && note.is_none() {
                return Err(self.flawed(Flaw::NoNote));
            }
        }
        if !answer.reply.is_success() {
            let code = problem(&answer.reply).code;
            let races = RACES.iter().find(|(name, _)| *name == call).map(|(_, codes)| *codes).unwrap_or_default();
            // At a player's own table only the dealer can change the state meanwhile, by a restart.
            let may_race = is_shared(&self.rules) || code == ErrorCode::WrongEpoch;
            if !may_race || !races.contains(&code) {
                return Err(refused(request, &answer.reply));
            }
            self.put_off = duty(&self.check.todo()).map(|duty| PutOff { duty, until_next: true });
            *self.shared.totals().refused.entry(code.to_string()).or_default() += 1;
            return Ok(Asked::Overtaken);
        }
        let mut accepted: Accepted = parse(request, &answer.reply)?;
        accepted.name_shoes();
        self.shared.totals().accepted(call, answer.took);
        // A bet's reply brings the shoe's receipt too.
        let expected = if call == "bet" { 2 } else { 1 };
        let on_log = self.receipts(&accepted, expected)?;
        if let (Some(note), Some(own)) = (note, on_log.first()) {
            let by = Actor::Player(self.name.clone());
            self.shared.log.received(&note, &by, &command, own.entry.time).map_err(|flaw| self.flawed(flaw))?;
            self.shared.totals().notes += 1;
        }
        self.shared.totals().openings += u64::try_from(accepted.openings.len()).unwrap_or_default();
        if self.check.reply(&on_log, &accepted).map_err(|flaw| self.flawed(flaw))? {
            on_log.iter().for_each(|on_log| self.heed(on_log));
        }
        self.seen(&on_log).await?;
        Ok(Asked::Done)
    }

    /// Reads on until the call's own entry was replayed, and checks that it is the receipt's entry.
    async fn seen(&mut self, on_log: &[OnLog]) -> Result<(), Failure> {
        let Some(own) = on_log.first() else { return Ok(()) };
        while !self.check.knows(own).map_err(|flaw| self.flawed(flaw))? {
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            self.follow(WAIT_MS).await?;
        }
        Ok(())
    }

    /// An entry's effects on the player outside the game.
    pub(super) fn heed(&mut self, on_log: &OnLog) {
        for event in &on_log.entry.events {
            match event {
                Event::Cooldown { player, until, .. } if *player == self.name => self.cooldown = *until,
                Event::ShoeCommitted { .. } => self.shoe = Some(on_log.clone()),
                Event::BetsClosed { .. } | Event::PileClosed { .. } => self.bound = Some(on_log.clone()),
                _ => {}
            }
        }
        let Some((round_no, progress, mine)) = self.check.last_round() else { return };
        let outcome = match progress {
            Progress::Settled => Outcome::Settled,
            Progress::Voided(cause) => Outcome::Void(cause),
            Progress::AwaitingReveals | Progress::Open => return,
        };
        if self.counted.replace(round_no) == Some(round_no) {
            return;
        }
        let took = self.bet_at.take().filter(|_| mine).map(|begun| begun.elapsed());
        let table = self.check.table().clone();
        self.shared.totals().round_over(&self.seating.game, &table, round_no, outcome, took);
        self.leaves |= mine && is_shared(&self.rules) && chance(self.shared.args.newcomers, &mut self.random);
    }

    /// Comes back under another name, at the same table.
    async fn reborn(&mut self) -> Result<(), Failure> {
        self.life += 1;
        self.name = name_of(&self.shared, self.number, self.life)?;
        self.token = self.shared.operator.clone();
        getrandom::fill(&mut self.secret).map_err(|e| Failure::Usage(format!("no randomness: {e}")))?;
        (self.credits, self.cooldown, self.bet_at, self.put_off, self.away_until) = (0, 0, None, None, None);
        self.check.become_player(self.name.clone());
        self.register().await?;
        self.credit().await?;
        self.shared.totals().newcomers += 1;
        Ok(())
    }
}
