//! A cash table of poker: one task and one connection play all its seats in turn, each with its own token. Every entry
//! of the table is replayed, and each player's private replies are checked.

use crate::check::{CashTodo, Flaw, opens_only, sealed_in};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::following::Following;
use crate::limits::Connected;
use crate::link::{Link, parse, problem, refused};
use crate::member::Member;
use crate::pen::random;
use crate::seating::Seating;
use crate::shared::Shared;
use crate::totals::ended_in;
use fairshoe_api::{Accepted, Act, Commit, ErrorCode, MoreChips, Reveal, RoundRead, SeatWish, ViewPhase};
use fairshoe_fairness::{PlayerId, Stream, TableContext};
use fairshoe_games::{Chips, Decision, Offer};
use fairshoe_house::{Command, Entry, Event, OpenRound};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The longest time a reply waits for a new entry of the table, in milliseconds.
const WAIT_MS: u64 = 2_000;

/// The most requests for entries that explain the end of a hand.
const VOID_LOOKS: usize = 50;

/// A credit is worth so many buy-ins.
const BUY_INS_A_CREDIT: u64 = 50;

/// One in so many hands is judged by the service's own bundle, as a third party does.
const BUNDLE_EVERY: u64 = 20;

/// The time to finish a hand after the time is up.
const GRACE: Duration = Duration::from_secs(120);

/// Refusals caused by a clock that ran out between reading and asking.
#[rustfmt::skip]
const RACES: &[ErrorCode] = &[
    ErrorCode::DeadlinePassed, ErrorCode::WrongRound, ErrorCode::WrongEpoch, ErrorCode::DecisionNotOpen,
    ErrorCode::RevealsOver, ErrorCode::AlreadyRevealed, ErrorCode::NothingToDo, ErrorCode::NotAContributor,
    ErrorCode::SittingOut, ErrorCode::Cooldown,
];

/// The players of a cash table; see the module.
pub struct CashTable {
    members: Vec<Member>,
    at: Following,
    random: Stream,
    called_at: Instant,
    counted: Option<u64>,
    hands: u64,
    /// A hand whose bundle is to be judged.
    judge: Option<u64>,
}

impl CashTable {
    /// Creates these players, credits them, and sits them down at the table with chips.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn sit_down(numbers: Vec<u16>, seating: Seating, shared: Arc<Shared>) -> Result<Self, Failure> {
        let client = Arc::new(Mutex::new(Client::new(&shared.args.url)?));
        let table = seating.table.clone().ok_or_else(|| Failure::Usage(format!("{} has no table", seating.game)))?;
        let seed = random()?;
        let members = numbers.into_iter().map(|number| Member::new(&shared, number, 0)).collect::<Result<_, _>>()?;
        let mut cash_table = CashTable {
            members,
            at: Following::new(shared, client, seating, table),
            random: Stream::new(seed),
            called_at: Instant::now(),
            counted: None,
            hands: 0,
            judge: None,
        };
        cash_table.follow(0).await?;
        for number in 0..cash_table.members.len() {
            let member = member(&mut cash_table.members, number)?;
            cash_table.at.register(member).await?;
            cash_table.credit(number).await?;
        }
        for number in 0..cash_table.members.len() {
            cash_table.take_seat(number, u8::try_from(number + 1).unwrap_or(u8::MAX)).await?;
        }
        Ok(cash_table)
    }

    fn number_of(&self, player: &PlayerId) -> Result<usize, Failure> {
        let number = self.members.iter().position(|member| member.name == *player);
        number.ok_or_else(|| self.at.flawed(Flaw::differs("a player", "one of this run's", player)))
    }

    fn buy_in(&self) -> Chips {
        self.at.rules.table.stake_max
    }

    async fn credit(&mut self, number: usize) -> Result<(), Failure> {
        let amount = self.buy_in().units().checked_mul(BUY_INS_A_CREDIT).and_then(Chips::new);
        let amount = amount.ok_or_else(|| self.at.flawed(Flaw::Overflow))?;
        self.at.credit(member(&mut self.members, number)?, amount).await
    }

    fn context(&self) -> Result<TableContext, Failure> {
        self.at.check.context().ok_or_else(|| Failure::Usage("the dealer never started".into()))
    }

    /// Plays until the time is up, and finishes the hand in progress.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn play(&mut self) -> Result<(), Failure> {
        loop {
            if self.at.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            if self.at.shared.is_over() && self.at.check.is_idle() || self.at.shared.over_for() > GRACE {
                return self.get_up().await;
            }
            // A hand with some commitments takes place, and is played.
            match self.at.check.cash_todo(!self.at.shared.is_over()) {
                CashTodo::Wait if self.at.shared.is_over() => self.follow(WAIT_MS / 4).await?,
                CashTodo::Wait => {
                    let left = u64::try_from(self.at.shared.time_left().as_millis()).unwrap_or(WAIT_MS);
                    self.follow(left.clamp(10, WAIT_MS)).await?;
                }
                CashTodo::Commit(player, round_no) => self.commit(&player, round_no).await?,
                CashTodo::Reveal(player, round_no) => self.reveal(&player, round_no).await?,
                CashTodo::Look(player, round_no) => self.look(&player, round_no).await?,
                CashTodo::Act(round_no, decision, options) => self.act(round_no, &decision, &options).await?,
                CashTodo::Rebuy(player) => self.rebuy(&player).await?,
                CashTodo::SitIn(player) => self.sit_in(&player).await?,
            }
        }
    }

    async fn take_seat(&mut self, number: usize, seat: u8) -> Result<(), Failure> {
        let (table, buy_in) = (self.at.check.table().clone(), self.buy_in());
        let request = Request::post(
            format!("/v1/tables/{table}/seat"),
            &SeatWish { seat: Some(seat), buy_in: Some(buy_in), ..SeatWish::default() },
        );
        let command = Command::SitDown { table, seat, buy_in, client: None, entry: None };
        self.ask(number, "seat", command, request).await
    }

    async fn rebuy(&mut self, player: &PlayerId) -> Result<(), Failure> {
        let (number, amount) = (self.number_of(player)?, self.buy_in());
        if self.at.check.funds(player) < amount {
            self.credit(number).await?;
        }
        let table = self.at.check.table().clone();
        let request = Request::post(format!("/v1/tables/{table}/chips"), &MoreChips { amount });
        self.ask(number, "chips", Command::AddChips { table, amount }, request).await
    }

    async fn sit_in(&mut self, player: &PlayerId) -> Result<(), Failure> {
        let (number, table) = (self.number_of(player)?, self.at.check.table().clone());
        let request = Request::post(format!("/v1/tables/{table}/seat"), &SeatWish::default());
        self.ask(number, "sit_in", Command::SitIn { table, entry: None, straddle: None }, request).await
    }

    /// At the end all players get up, so no one waits for them.
    async fn get_up(&mut self) -> Result<(), Failure> {
        for number in 0..self.members.len() {
            let table = self.at.check.table().clone();
            let request = Request::delete(format!("/v1/tables/{table}/seat"));
            self.ask(number, "leave", Command::LeaveSeat { table }, request).await?;
        }
        Ok(())
    }

    async fn commit(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let (number, table) = (self.number_of(player)?, self.at.check.table().clone());
        let context = self.context()?;
        let commitment = member(&mut self.members, number)?.commitment(&context, round_no);
        let request = Request::post(
            format!("/v1/rounds/{table}:{round_no}/commitments"),
            &Commit { commitment, epoch: Some(context.epoch) },
        );
        self.ask(number, "commit", Command::CommitHandSeed { table, round_no, commitment }, request).await
    }

    /// A seed is sent only after both proofs have arrived, under one signed checkpoint; the hash of the next hand's
    /// seed goes with it.
    async fn reveal(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let (number, context, carries) = (self.number_of(player)?, self.context()?, !self.at.shared.is_over());
        let member = member(&mut self.members, number)?;
        let saw = Some(self.at.hold_proofs(&member.token).await?);
        let seed = member.seed(&context, round_no);
        let next = carries.then(|| member.commitment(&context, round_no + 1));
        let (table, player) = (self.at.check.table().clone(), player.clone());
        let body = Reveal { player: player.clone(), seed: seed.clone(), saw: saw.clone(), next };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/reveals"), &body);
        let command = Command::Reveal { table, round_no, player, seed, saw, next };
        self.ask(number, "reveal", command, request).await
    }

    /// Whether this hand is in play, as far as the table was read.
    fn is_open(&self, round_no: u64) -> bool {
        let round = self.at.check.round().filter(|round| round.round_no == round_no);
        round.is_some_and(|round| round.is_live() && round.entropy.is_some())
    }

    /// A player looks at their cards; the reply must show no others.
    async fn look(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let number = self.number_of(player)?;
        let round = OpenRound::id(self.at.check.table(), round_no);
        let request = Request::get(format!("/v1/rounds/{round}")).token(&member(&mut self.members, number)?.token);
        let answer = self.at.link.call(&request).await?;
        let read: RoundRead = parse(&request, &answer.reply)?;
        let Some(own) = &read.own else {
            // A hand voided by a restart is not dealt any more.
            self.follow(0).await?;
            return match self.is_open(round_no) {
                true => Err(self.at.flawed(Flaw::differs("own cards", "told", player))),
                false => Ok(()),
            };
        };
        let told = read.openings.len() + own.openings.len();
        self.at.shared.totals().openings += u64::try_from(told).unwrap_or_default();
        let told = opens_only(&answer.reply.body, told).and_then(|()| self.at.check.own_cards(player, own));
        let told = told.and_then(|()| self.at.check.nothing_leaked(&read.openings));
        told.map_err(|flaw| self.at.flawed(flaw))?;
        // A restart voided it meanwhile: the table's entries say so and are followed first.
        for _ in 0..VOID_LOOKS {
            if read.round.phase == ViewPhase::Open || !self.is_open(round_no) {
                break;
            }
            self.follow(WAIT_MS / 10).await?;
        }
        match self.at.check.round() {
            Some(round) if round.round_no == round_no => {
                self.at.check.check_view(&read.round).map_err(|flaw| self.at.flawed(flaw))
            }
            // The next hand has begun.
            _ => Ok(()),
        }
    }

    async fn act(&mut self, round_no: u64, decision: &Decision, options: &[Offer]) -> Result<(), Failure> {
        let (number, strategy) = (self.number_of(&decision.player)?, self.at.shared.args.strategy);
        let action = strategy.choose(&self.at.rules, &self.at.check.view(), decision, options, &mut self.random);
        let action = action
            .ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move at {}", decision.place)))?;
        let table = self.at.check.table().clone();
        let body = Act { decision: decision.number, action: action.clone() };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/actions"), &body);
        self.ask(number, "act", Command::Act { table, round_no, decision: decision.number, action }, request).await
    }

    /// Asks in a player's name, once. If the connection breaks, or a clock was faster, the result is read from the
    /// table's entries.
    async fn ask(
        &mut self,
        number: usize,
        call: &'static str,
        command: Command,
        request: Request,
    ) -> Result<(), Failure> {
        let member = member(&mut self.members, number)?;
        let (name, shared) = (member.name.clone(), self.at.shared.clone());
        let (request, signed) = member.sign(&shared, &command, request)?;
        self.at.check.send(&name, command, signed);
        let Some(answer) = self.at.link.call_once(&request).await? else {
            shared.totals().counts.resumed += 1;
            return self.follow(0).await;
        };
        if !answer.reply.is_success() {
            let code = problem(&answer.reply).code;
            if !RACES.contains(&code) {
                return Err(refused(&request, &answer.reply));
            }
            *shared.totals().counts.refused.entry(code.to_string()).or_default() += 1;
            return self.follow(WAIT_MS / 10).await;
        }
        let mut accepted: Accepted = parse(&request, &answer.reply)?;
        accepted.name_shoes();
        shared.totals().accepted(call, answer.took);
        // A commitment comes with the proof of its shoe.
        let on_log = self.at.receipts(&accepted, accepted.receipts.len().clamp(1, 2))?;
        let own = accepted.own.as_ref().map_or(0, |own| own.openings.len());
        let told = accepted.openings.len() + own;
        shared.totals().openings += u64::try_from(told).unwrap_or_default();
        let told = told + on_log.iter().map(sealed_in).sum::<usize>();
        opens_only(&answer.reply.body, told).map_err(|flaw| self.at.flawed(flaw))?;
        let Some(done) = on_log.first() else { return Ok(()) };
        // The house's entries come between.
        while done.entry.at.as_ref().is_some_and(|at| at.seq > self.at.check.next_seq()) {
            self.follow(WAIT_MS).await?;
        }
        if !self.at.check.reply(&name, &on_log, &accepted).map_err(|flaw| self.at.flawed(flaw))? {
            return Err(self.at.flawed(Flaw::differs("the reply's other receipt", "of an entry before", done.index)));
        }
        if let Some(own) = &accepted.own {
            self.at.check.own_cards(&name, own).map_err(|flaw| self.at.flawed(flaw))?;
        }
        self.heed(&done.entry);
        self.over().await
    }

    /// Continues reading the table and replays its entries; waits for a new one if `wait_ms` is not 0.
    async fn follow(&mut self, wait_ms: u64) -> Result<(), Failure> {
        let token = self.members.first().map_or_else(|| self.at.shared.operator.clone(), |member| member.token.clone());
        for on_log in self.at.follow(&token, wait_ms).await? {
            self.heed(&on_log.entry);
        }
        self.over().await
    }

    /// Counts an entry.
    fn heed(&mut self, entry: &Entry) {
        if entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. })) {
            self.called_at = Instant::now();
        }
        for (round_no, outcome, players) in ended_in(entry) {
            if self.counted.replace(round_no) == Some(round_no) {
                continue;
            }
            let took = Some(self.called_at.elapsed());
            let mut totals = self.at.shared.totals();
            for _ in players {
                totals.round_over(&self.at.game, self.at.check.table(), round_no, outcome, took);
            }
            self.hands += 1;
            self.judge = Some(round_no).filter(|_| self.hands.is_multiple_of(BUNDLE_EVERY)).or(self.judge);
        }
    }

    /// From time to time the bundle of the finished hand is judged as a third party does.
    async fn over(&mut self) -> Result<(), Failure> {
        let Some(round_no) = self.judge.take() else { return Ok(()) };
        let judged = self.at.link.judge_bundle(self.at.check.table(), round_no).await?;
        judged.map_err(|flaw| self.at.flawed(flaw))
    }
}

impl Connected for CashTable {
    fn parts(&mut self) -> Option<(Token, &mut Link)> {
        Some((self.members.first()?.token.clone(), &mut self.at.link))
    }
}

fn member(members: &mut [Member], number: usize) -> Result<&mut Member, Failure> {
    members.get_mut(number).ok_or_else(|| Failure::Usage("there is no such player".into()))
}
