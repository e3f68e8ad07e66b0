//! A player's actions: sits, bets, holds both proofs, reveals, decides, gets up; and the actions they skip on purpose.

use super::Player;
use crate::check::{Flaw, OnLog, Todo};
use crate::client::Request;
use crate::failure::Failure;
use crate::link::{in_two_lines, parse, problem, refused};
use crate::member::Member;
use crate::strategy::{chance, is_shared, place_bets};
use crate::totals::ended_in;
use fairshoe_api::{Accepted, Act, BetRequest, Commit, ErrorCode, Reveal, SeatWish};
use fairshoe_fairness::TableContext;
use fairshoe_games::{Bet, Decision, Offer};
use fairshoe_house::{Actor, Command, Entry, Event};
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
#[rustfmt::skip]
const RACES: &[(&str, &[ErrorCode])] = &[
    ("seat", &[ErrorCode::SeatNotFree, ErrorCode::Cooldown]),
    ("bet", &[
        ErrorCode::BetsNotOpen, ErrorCode::DeadlinePassed, ErrorCode::RoundInProgress, ErrorCode::WrongRound,
        ErrorCode::WrongEpoch, ErrorCode::NewcomerWaits, ErrorCode::NotSeated, ErrorCode::Cooldown,
        ErrorCode::SpotTaken,
    ]),
    ("commit", &[
        ErrorCode::NothingToDo, ErrorCode::DeadlinePassed, ErrorCode::WrongRound, ErrorCode::WrongEpoch,
        ErrorCode::NotAContributor,
    ]),
    ("reveal", &[
        ErrorCode::RevealsOver, ErrorCode::AlreadyRevealed, ErrorCode::DeadlinePassed, ErrorCode::WrongRound,
        ErrorCode::NothingToDo, ErrorCode::NotAContributor,
    ]),
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
        Todo::Reveal { round_no } => Some((*round_no, u32::MAX - 1)),
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
            if self.at.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            let name = &self.member.name;
            let (check, is_shared) = (&self.at.check, is_shared(&self.at.rules));
            let (in_play, in_round) = (check.is_in_play(name), check.is_in_round(name));
            if self.at.shared.is_over() && !in_round || self.at.shared.over_for() > GRACE {
                // A bet that is not binding yet comes back with the seat; a binding one is played to its end.
                self.get_up().await?;
                if !self.at.check.is_in_round(&self.member.name) || self.at.shared.over_for() > GRACE {
                    return Ok(());
                }
                continue;
            }
            let (todo, has_seat) = (check.todo(name), check.seat(name).is_some());
            let put_off = duty(&todo).is_some() && duty(&todo) == self.put_off.map(|put_off| put_off.duty);
            match todo {
                _ if is_shared && !in_play && !has_seat => self.sit().await?,
                _ if self.leaves && !in_play => self.leave().await?,
                Todo::Wait => self.follow(self.wait_ms()).await?,
                _ if put_off => self.follow(self.wait_ms()).await?,
                Todo::Bet { round_no } => self.bet(round_no).await?,
                Todo::Reveal { .. } | Todo::Commit { .. } if self.neglects(&todo, self.at.shared.args.withhold) => {}
                Todo::Act { .. } if self.neglects(&todo, self.at.shared.args.sleepers) => {}
                Todo::Commit { round_no } => self.commit(round_no).await?,
                Todo::Reveal { round_no } => self.reveal(round_no).await?,
                Todo::Act { round_no, decision, options } => self.act(round_no, &decision, &options).await?,
            }
        }
    }

    /// The waiting time, limited to the rest of the run.
    fn wait_ms(&self) -> u64 {
        let left = u64::try_from(self.at.shared.time_left().as_millis()).unwrap_or(WAIT_MS);
        if self.at.shared.is_over() { WAIT_MS / 2 } else { left.clamp(10, WAIT_MS) }
    }

    /// Whether this duty is neglected on purpose: at shared tables, as often as the command line says.
    fn neglects(&mut self, todo: &Todo, percent: u8) -> bool {
        let neglects = is_shared(&self.at.rules) && !self.at.shared.is_over() && chance(percent, &mut self.random);
        if let (true, Some(duty)) = (neglects, duty(todo)) {
            self.put_off = Some(PutOff { duty, until_next: false });
            self.at.shared.totals().counts.neglected += 1;
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
        let table = self.at.check.table().clone();
        if self.at.check.at().is_none() {
            return self.follow(WAIT_MS).await;
        }
        let free: Vec<u8> = (1..=self.at.rules.table.seats).filter(|seat| !self.at.check.is_taken(*seat)).collect();
        let Some(seat) = free.get(crate::strategy::one_of(free.len(), &mut self.random)).copied() else {
            return self.follow(WAIT_MS).await;
        };
        let request =
            Request::post(format!("/v1/tables/{table}/seat"), &SeatWish { seat: Some(seat), ..SeatWish::default() });
        match self.ask("seat", Command::TakeSeat { table, seat }, request).await? {
            Asked::Done => Ok(()),
            Asked::Overtaken => self.follow(10).await,
        }
    }

    async fn leave(&mut self) -> Result<(), Failure> {
        self.leaves = false;
        self.away_until = Instant::now().checked_add(AWAY);
        let table = self.at.check.table().clone();
        let request = Request::delete(format!("/v1/tables/{table}/seat"));
        match self.ask("leave", Command::LeaveSeat { table }, request).await? {
            Asked::Done => Ok(()),
            // The bets of a window that is about to close can no longer be taken back.
            Asked::Overtaken => self.follow(WAIT_MS / 10).await,
        }
    }

    /// At the end all players get up, so that no one waits for a player who has gone.
    async fn get_up(&mut self) -> Result<(), Failure> {
        if is_shared(&self.at.rules) && self.at.check.seat(&self.member.name).is_some() {
            self.leave().await
        } else {
            Ok(())
        }
    }

    fn context(&self) -> Result<TableContext, Failure> {
        self.at.check.context().ok_or_else(|| Failure::Usage("the dealer never started".into()))
    }

    async fn bet(&mut self, round_no: u64) -> Result<(), Failure> {
        self.credit_if_low().await?;
        let context = self.context()?;
        let commitment = self.member.commitment(&context, round_no);
        let (check, rules) = (&self.at.check, &self.at.rules);
        let placed: BTreeSet<&str> = check.placed().flat_map(|bet| &bet.bets).map(|bet| bet.spot.as_str()).collect();
        let seated = |spot: &str| spot.parse().is_ok_and(|seat| check.is_taken(seat));
        let is_free = |spot: &str| !placed.contains(spot) && (!is_shared(rules) || !seated(spot));
        let (strategy, stake) = (self.at.shared.args.strategy, self.at.shared.args.stake);
        let seat = check.seat(&self.member.name);
        let bets: Vec<Bet> = place_bets(rules, strategy, seat, stake, is_free, &mut self.random);
        let table = check.table().clone();
        let body = BetRequest { round_no, bets: bets.clone(), commitment, epoch: Some(context.epoch) };
        let request = Request::post(format!("/v1/tables/{table}/bets"), &body);
        self.bet_at = Some(Instant::now());
        self.ask("bet", Command::Bet { table, round_no, bets, commitment }, request).await.map(drop)
    }

    async fn commit(&mut self, round_no: u64) -> Result<(), Failure> {
        let context = self.context()?;
        let commitment = self.member.commitment(&context, round_no);
        let table = self.at.check.table().clone();
        let body = Commit { commitment, epoch: Some(context.epoch) };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/commitments"), &body);
        self.ask("commit", Command::CommitSeed { table, round_no, commitment }, request).await.map(drop)
    }

    /// A seed is sent only after both proofs have arrived, under one signed checkpoint, which goes with it.
    async fn reveal(&mut self, round_no: u64) -> Result<(), Failure> {
        let saw = Some(self.at.hold_proofs(&self.member.token).await?);
        let seed = self.member.seed(&self.context()?, round_no);
        let (table, player) = (self.at.check.table().clone(), self.member.name.clone());
        let body = Reveal { player: player.clone(), seed: seed.clone(), saw: saw.clone(), next: None };
        // Sometimes the note is requested before the seed is decided.
        let first = if round_no.is_multiple_of(4) { FIRST } else { "" };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/reveals{first}"), &body);
        let command = Command::Reveal { table, round_no, player, seed, saw, next: None };
        self.ask("reveal", command, request).await.map(drop)
    }

    async fn act(&mut self, round_no: u64, decision: &Decision, options: &[Offer]) -> Result<(), Failure> {
        let strategy = self.at.shared.args.strategy;
        let action = strategy.choose(&self.at.rules, &self.at.check.view(), decision, options, &mut self.random);
        let action = action
            .ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move at {}", decision.place)))?;
        let table = self.at.check.table().clone();
        let body = Act { decision: decision.number, action: action.clone() };
        // As with seeds, sometimes the note is requested first.
        let first = if round_no.is_multiple_of(4) { FIRST } else { "" };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/actions{first}"), &body);
        self.ask("act", Command::Act { table, round_no, decision: decision.number, action }, request).await.map(drop)
    }

    /// Asks in the player's name, once. If the connection breaks, the result is read from the table's entries. Bets
    /// from before a restart bind no more, because the epoch has changed.
    async fn ask(&mut self, call: &'static str, command: Command, request: Request) -> Result<Asked, Failure> {
        let request = &self.promise(command.clone(), request)?;
        let Some(mut answer) = self.at.link.call_once(request).await? else {
            self.at.shared.totals().counts.resumed += 1;
            self.follow(0).await?;
            return Ok(Asked::Overtaken);
        };
        let mut note = None;
        if request.path().ends_with(FIRST) {
            (note, answer.reply) = in_two_lines(request, answer.reply)?;
            // Notes for choices are limited to a rate.
            if matches!(command, Command::Reveal { .. }) && answer.reply.is_success() && note.is_none() {
                return Err(self.at.flawed(Flaw::NoNote));
            }
        }
        if !answer.reply.is_success() {
            let code = problem(&answer.reply).code;
            let races = RACES.iter().find(|(name, _)| *name == call).map(|(_, codes)| *codes).unwrap_or_default();
            // At a player's own table only the dealer can change the state meanwhile, by a restart.
            let may_race = is_shared(&self.at.rules) || code == ErrorCode::WrongEpoch;
            if !may_race || !races.contains(&code) {
                return Err(refused(request, &answer.reply));
            }
            self.put_off = duty(&self.at.check.todo(&self.member.name)).map(|duty| PutOff { duty, until_next: true });
            *self.at.shared.totals().counts.refused.entry(code.to_string()).or_default() += 1;
            return Ok(Asked::Overtaken);
        }
        let mut accepted: Accepted = parse(request, &answer.reply)?;
        accepted.name_shoes();
        self.at.shared.totals().accepted(call, answer.took);
        // A bet's reply brings the shoe's receipt too.
        let expected = if call == "bet" { 2 } else { 1 };
        let on_log = self.at.receipts(&accepted, expected)?;
        if let (Some(note), Some(own)) = (note, on_log.first()) {
            let by = Actor::Player(self.member.name.clone());
            let received = self.at.shared.log.received(&note, &by, &command, own.entry.time);
            received.map_err(|flaw| self.at.flawed(flaw))?;
            self.at.shared.totals().notes += 1;
        }
        self.at.shared.totals().openings += u64::try_from(accepted.openings.len()).unwrap_or_default();
        let replied = self.at.check.reply(&self.member.name, &on_log, &accepted);
        if replied.map_err(|flaw| self.at.flawed(flaw))? {
            on_log.iter().for_each(|on_log| self.heed(&on_log.entry));
        }
        self.seen(&on_log).await?;
        Ok(Asked::Done)
    }

    /// Reads on until the call's own entry was replayed, and checks that it is the receipt's entry.
    async fn seen(&mut self, on_log: &[OnLog]) -> Result<(), Failure> {
        let Some(own) = on_log.first() else { return Ok(()) };
        while !self.at.check.knows(own).map_err(|flaw| self.at.flawed(flaw))? {
            if self.at.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            self.follow(WAIT_MS).await?;
        }
        Ok(())
    }

    /// An entry's effects on the player outside the game.
    pub(super) fn heed(&mut self, entry: &Entry) {
        for event in &entry.events {
            if let Event::Cooldown { player, until, .. } = event
                && *player == self.member.name
            {
                self.cooldown = *until;
            }
        }
        for (round_no, outcome, players) in ended_in(entry) {
            if self.counted.replace(round_no) == Some(round_no) {
                continue;
            }
            let mine = players.iter().any(|one| one.player == self.member.name);
            let took = self.bet_at.take().filter(|_| mine).map(|begun| begun.elapsed());
            let (game, table) = (&self.at.game, self.at.check.table());
            self.at.shared.totals().round_over(game, table, round_no, outcome, took);
            self.leaves |= mine && is_shared(&self.at.rules) && chance(self.at.shared.args.newcomers, &mut self.random);
        }
    }

    /// Comes back under another name, at the same table.
    async fn reborn(&mut self) -> Result<(), Failure> {
        self.life += 1;
        self.at.check.forget(&self.member.name);
        self.member = Member::new(&self.at.shared, self.number, self.life)?;
        (self.cooldown, self.bet_at, self.put_off, self.away_until) = (0, None, None, None);
        self.register().await?;
        self.at.shared.totals().counts.newcomers += 1;
        Ok(())
    }
}
