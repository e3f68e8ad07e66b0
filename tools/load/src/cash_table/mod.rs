//! A cash table of poker: one task and one connection play all its seats in turn, each with its own token. Every entry
//! of the table is replayed, and each player's private replies are checked.

mod member;

use crate::check::{CashTableCheck, CashTableTodo, Flaw, OnLog, Progress};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::limits::Connected;
use crate::link::{Link, parse, problem, refused};
use crate::seating::Seating;
use crate::shared::Shared;
use crate::totals::Outcome;
use fairshoe_api::{
    Accepted, Act, Commit, ErrorCode, MoreChips, Movement, NewPlayer, NewToken, Reveal, RoundRead, SeatWish,
    ShownOpening, TableEntries, ViewPhase,
};
use fairshoe_fairness::{PlayerId, Stream};
use fairshoe_games::{Chips, Decision, Offer};
use fairshoe_house::{Command, Event, Reference, SeenCheckpoint};
use fairshoe_judge::bundle::{Soundness, verify};
use member::Member;
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
const RACES: &[ErrorCode] = &[
    ErrorCode::DeadlinePassed,
    ErrorCode::WrongRound,
    ErrorCode::WrongEpoch,
    ErrorCode::DecisionNotOpen,
    ErrorCode::RevealsOver,
    ErrorCode::AlreadyRevealed,
    ErrorCode::NothingToDo,
    ErrorCode::NotAContributor,
    ErrorCode::SittingOut,
    ErrorCode::Cooldown,
];

/// The players of a cash table; see the module.
pub struct CashTable {
    shared: Arc<Shared>,
    link: Link,
    game: String,
    rules: Arc<fairshoe_games::RuleSet>,
    members: Vec<Member>,
    check: CashTableCheck,
    random: Stream,
    /// The largest tree size seen.
    known: u64,
    /// Whether the dealer was started since the epoch was read.
    restarted: bool,
    /// The entry that committed the shoe in use, and the entry that closed the commitments.
    shoe: Option<OnLog>,
    bound: Option<OnLog>,
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
        let signers = shared.args.sign.then(|| shared.signers.clone());
        let check = CashTableCheck::new(shared.origin.clone(), table, seating.rules.clone(), signers);
        let check = check.ok_or_else(|| Failure::Usage(format!("{} is no game of poker", seating.game)))?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|e| Failure::Usage(format!("no randomness: {e}")))?;
        let members = numbers.into_iter().map(|number| Member::new(&shared, number)).collect::<Result<_, _>>()?;
        let mut cash_table = CashTable {
            link: Link::new(client, shared.clone()),
            shared,
            game: seating.game,
            rules: seating.rules,
            members,
            check,
            random: Stream::new(seed),
            known: 0,
            restarted: true,
            shoe: None,
            bound: None,
            called_at: Instant::now(),
            counted: None,
            hands: 0,
            judge: None,
        };
        cash_table.follow(0).await?;
        for member in 0..cash_table.members.len() {
            cash_table.register(member).await?;
            cash_table.credit(member).await?;
        }
        for member in 0..cash_table.members.len() {
            cash_table.take_seat(member, u8::try_from(member + 1).unwrap_or(u8::MAX)).await?;
        }
        Ok(cash_table)
    }

    fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw { at: format!("table {}, entry {}", self.check.table(), self.check.next_seq()), flaw }
    }

    fn member(&mut self, number: usize) -> Result<&mut Member, Failure> {
        self.members.get_mut(number).ok_or_else(|| Failure::Usage("there is no such player".into()))
    }

    fn number_of(&self, player: &PlayerId) -> Result<usize, Failure> {
        let number = self.members.iter().position(|member| member.name == *player);
        number.ok_or_else(|| self.flawed(Flaw::differs("a player", "one of this run's", player)))
    }

    async fn register(&mut self, number: usize) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let member = self.member(number)?;
        let name = member.name.clone();
        let mut body = NewPlayer { player: name.clone(), key: None };
        if let Some(pen) = &member.pen {
            let (named, key) = pen.key()?;
            body.key = Some(named);
            shared.signers.name(name.clone(), key);
        }
        let request = Request::post("/v1/players", &body).token(&shared.operator).key(format!("{name}-create"));
        let mut accepted = self.desk(&request).await?;
        if accepted.token.is_none() {
            // A repeated reply never shows the token again.
            let request =
                Request::post(format!("/v1/players/{name}/tokens"), &NewToken::default()).token(&shared.operator);
            accepted = self.desk(&request).await?;
        }
        let token = accepted.token.as_deref().and_then(Token::new);
        self.member(number)?.token =
            token.ok_or_else(|| Failure::Reply { request: request.name(), error: "there is no token in it".into() })?;
        Ok(())
    }

    fn buy_in(&self) -> Chips {
        self.rules.table.stake_max
    }

    async fn credit(&mut self, number: usize) -> Result<(), Failure> {
        let amount = self.buy_in().units().checked_mul(BUY_INS_A_CREDIT).and_then(Chips::new);
        let amount = amount.ok_or_else(|| self.flawed(Flaw::Overflow))?;
        let member = self.member(number)?;
        member.credits += 1;
        let (name, key) = (member.name.clone(), format!("{}-credit-{}", member.name, member.credits));
        let body = Movement { amount, reference: Reference::parse("fairshoe-load") };
        let request = Request::post(format!("/v1/players/{name}/credit"), &body).token(&self.shared.operator).key(key);
        let accepted = self.desk(&request).await?;
        let balance = self.check.balance(&name).plus(amount).ok_or_else(|| self.flawed(Flaw::Overflow))?;
        if accepted.balance != Some(balance) {
            return Err(self.flawed(Flaw::differs("the balance after a credit", Some(balance), accepted.balance)));
        }
        self.check.credited(&name, balance);
        Ok(())
    }

    /// The operator's calls, which make an entry outside the table.
    async fn desk(&mut self, request: &Request) -> Result<Accepted, Failure> {
        let answer = self.link.call(request).await?;
        let accepted: Accepted = parse(request, &answer.reply)?;
        self.receipts(&accepted)?;
        Ok(accepted)
    }

    /// Checks and records the receipts before the next request.
    fn receipts(&mut self, accepted: &Accepted) -> Result<Vec<OnLog>, Failure> {
        let on_log: Result<Vec<_>, _> =
            accepted.receipts.iter().map(|receipt| self.shared.log.receipt(receipt, &mut self.known)).collect();
        let on_log = on_log.map_err(|flaw| self.flawed(flaw))?;
        if on_log.is_empty() {
            return Err(self.flawed(Flaw::Receipts { expected: 1, found: 0 }));
        }
        self.shared.note(&on_log)?;
        Ok(on_log)
    }

    /// Plays until the time is up, and finishes the hand in progress.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn play(&mut self) -> Result<(), Failure> {
        loop {
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            if self.shared.is_over() && self.check.is_idle() || self.shared.over_for() > GRACE {
                return self.get_up().await;
            }
            // A hand with some commitments takes place, and is played.
            match self.check.todo(!self.shared.is_over()) {
                CashTableTodo::Wait if self.shared.is_over() => self.follow(WAIT_MS / 4).await?,
                CashTableTodo::Wait => {
                    let left = u64::try_from(self.shared.time_left().as_millis()).unwrap_or(WAIT_MS);
                    self.follow(left.clamp(10, WAIT_MS)).await?;
                }
                CashTableTodo::Commit(player, round_no) => self.commit(&player, round_no).await?,
                CashTableTodo::Reveal { player, round_no, bound_at, shoe_at } => {
                    self.reveal(&player, round_no, bound_at, shoe_at).await?
                }
                CashTableTodo::Look(player, round_no) => self.look(&player, round_no).await?,
                CashTableTodo::Act(round_no, decision, options) => self.act(round_no, &decision, &options).await?,
                CashTableTodo::Rebuy(player) => self.rebuy(&player).await?,
                CashTableTodo::SitIn(player) => self.sit_in(&player).await?,
            }
        }
    }

    async fn take_seat(&mut self, number: usize, seat: u8) -> Result<(), Failure> {
        let (table, buy_in) = (self.check.table().clone(), self.buy_in());
        let request = Request::post(
            format!("/v1/tables/{table}/seat"),
            &SeatWish { seat: Some(seat), buy_in: Some(buy_in), ..SeatWish::default() },
        );
        let command = Command::SitDown { table, seat, buy_in, client: None, entry: None };
        self.ask(number, "seat", command, request).await
    }

    async fn rebuy(&mut self, player: &PlayerId) -> Result<(), Failure> {
        let (number, amount) = (self.number_of(player)?, self.buy_in());
        if self.check.balance(player) < amount {
            self.credit(number).await?;
        }
        let table = self.check.table().clone();
        let request = Request::post(format!("/v1/tables/{table}/chips"), &MoreChips { amount });
        self.ask(number, "chips", Command::AddChips { table, amount }, request).await
    }

    async fn sit_in(&mut self, player: &PlayerId) -> Result<(), Failure> {
        let (number, table) = (self.number_of(player)?, self.check.table().clone());
        let request = Request::post(format!("/v1/tables/{table}/seat"), &SeatWish::default());
        self.ask(number, "sit_in", Command::SitIn { table, entry: None, straddle: None }, request).await
    }

    /// At the end all players get up, so no one waits for them.
    async fn get_up(&mut self) -> Result<(), Failure> {
        for number in 0..self.members.len() {
            let table = self.check.table().clone();
            let request = Request::delete(format!("/v1/tables/{table}/seat"));
            self.ask(number, "leave", Command::LeaveSeat { table }, request).await?;
        }
        Ok(())
    }

    async fn commit(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let (number, table) = (self.number_of(player)?, self.check.table().clone());
        let context = self.check.context().ok_or_else(|| self.flawed(Flaw::EpochUnknown))?;
        let commitment = self.member(number)?.commitment(&context, round_no);
        let request = Request::post(
            format!("/v1/rounds/{table}:{round_no}/commitments"),
            &Commit { commitment, epoch: Some(context.epoch) },
        );
        self.ask(number, "commit", Command::CommitHandSeed { table, round_no, commitment }, request).await
    }

    /// A seed is sent only after both proofs have arrived, under one signed checkpoint; the hash of the next hand's
    /// seed goes with it.
    async fn reveal(&mut self, player: &PlayerId, round_no: u64, bound_at: u64, shoe_at: u64) -> Result<(), Failure> {
        let number = self.number_of(player)?;
        let saw = self.hold_proofs(number, bound_at, shoe_at).await?;
        let context = self.check.context().ok_or_else(|| self.flawed(Flaw::EpochUnknown))?;
        let carries = !self.shared.is_over();
        let member = self.member(number)?;
        let seed = member.seed(&context, round_no);
        let next = carries.then(|| member.commitment(&context, round_no + 1));
        let table = self.check.table().clone();
        let body = Reveal { player: player.clone(), seed: seed.clone(), saw: Some(saw.clone()), next };
        let request = Request::post(format!("/v1/rounds/{table}:{round_no}/reveals"), &body);
        let command = Command::Reveal { table, round_no, player: player.clone(), seed, saw: Some(saw), next };
        self.ask(number, "reveal", command, request).await
    }

    async fn hold_proofs(&mut self, number: usize, bound_at: u64, shoe_at: u64) -> Result<SeenCheckpoint, Failure> {
        let missing = || {
            Failure::Usage(format!("shoe_committed and bets_closed of table {} were never proven", self.check.table()))
        };
        let bound = self.bound.clone().filter(|on_log| on_log.index == bound_at).ok_or_else(missing)?;
        let mut shoe = self.shoe.clone().filter(|on_log| on_log.index == shoe_at).ok_or_else(missing)?;
        if shoe.checkpoint != bound.checkpoint {
            let (shared, token) = (self.shared.clone(), self.member(number)?.token.clone());
            shoe = shared.tiles.prove_entry(&mut self.link, &token, &shoe, &bound.checkpoint).await?;
            self.shoe = Some(shoe.clone());
        }
        bound.binds_on(&shoe).map_err(|flaw| self.flawed(flaw))?;
        Ok(SeenCheckpoint { size: bound.checkpoint.size, root: bound.checkpoint.root.to_string() })
    }

    /// A player looks at their cards; the reply must show no others.
    async fn look(&mut self, player: &PlayerId, round_no: u64) -> Result<(), Failure> {
        let number = self.number_of(player)?;
        let token = self.member(number)?.token.clone();
        let request = Request::get(format!("/v1/rounds/{}:{round_no}", self.check.table())).token(&token);
        let answer = self.link.call(&request).await?;
        let read: RoundRead = parse(&request, &answer.reply)?;
        let Some(own) = &read.own else {
            // A hand voided by a restart is not dealt any more.
            self.follow(0).await?;
            return if self
                .check
                .last_hand()
                .is_some_and(|(last, progress)| last == round_no && progress == Progress::Open)
            {
                Err(self.flawed(Flaw::differs("own cards", "told", player)))
            } else {
                Ok(())
            };
        };
        let told = read.openings.len() + own.openings.len();
        self.no_more_than(&answer.reply.body, told)?;
        self.shared.totals().openings += u64::try_from(told).unwrap_or_default();
        self.check.own_cards(player, own).map_err(|flaw| self.flawed(flaw))?;
        self.check.nothing_leaked(&read.openings).map_err(|flaw| self.flawed(flaw))?;
        // A restart voided it meanwhile: the table's entries say so and are followed first.
        for _ in 0..VOID_LOOKS {
            if read.round.phase == ViewPhase::Open || self.check.last_hand() != Some((round_no, Progress::Open)) {
                break;
            }
            self.follow(WAIT_MS / 10).await?;
        }
        match self.check.last_hand() {
            Some((last, _)) if last == round_no => self.check.check_view(&read.round).map_err(|flaw| self.flawed(flaw)),
            // The next hand has begun.
            _ => Ok(()),
        }
    }

    /// A reply opens no card outside the checked fields: an opening needs its salt.
    fn no_more_than(&self, body: &[u8], openings: usize) -> Result<(), Failure> {
        // As a field's name, in the reply or in an entry's text within it: the same letters may also occur in a base64
        // hash.
        let salts = body
            .windows(5)
            .filter(|word| word.starts_with(b"salt") && matches!(word.last(), Some(b'"' | b'\\')))
            .count();
        if salts == openings {
            Ok(())
        } else {
            Err(self.flawed(Flaw::differs("how many cards a reply opens", openings, salts)))
        }
    }

    async fn act(&mut self, round_no: u64, decision: &Decision, options: &[Offer]) -> Result<(), Failure> {
        let (number, strategy) = (self.number_of(&decision.player)?, self.shared.args.strategy);
        let action = strategy.choose(&self.rules, &self.check.view(), decision, options, &mut self.random);
        let action = action
            .ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move at {}", decision.place)))?;
        let table = self.check.table().clone();
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
        let shared = self.shared.clone();
        let member = self.member(number)?;
        let name = member.name.clone();
        let (request, signed) = member.sign(&shared, &command, request)?;
        self.check.send(name.clone(), command.clone(), signed);
        let Some(answer) = self.link.call_once(&request).await? else {
            shared.totals().resumed += 1;
            return self.follow(0).await;
        };
        if !answer.reply.is_success() {
            let code = problem(&answer.reply).code;
            if !RACES.contains(&code) {
                return Err(refused(&request, &answer.reply));
            }
            *shared.totals().refused.entry(code.to_string()).or_default() += 1;
            return self.follow(WAIT_MS / 10).await;
        }
        let mut accepted: Accepted = parse(&request, &answer.reply)?;
        accepted.name_shoes();
        shared.totals().accepted(call, answer.took);
        let on_log = self.receipts(&accepted)?;
        let own = accepted.own.as_ref().map_or(0, |own| own.openings.len());
        let sealed: usize = on_log.iter().map(openings_in).sum();
        self.no_more_than(&answer.reply.body, accepted.openings.len() + own + sealed)?;
        shared.totals().openings += u64::try_from(accepted.openings.len() + own).unwrap_or_default();
        let mut others = on_log.iter();
        let Some(done) = others.next() else { return Ok(()) };
        // The house's entries come between.
        while done.entry.at.as_ref().is_some_and(|at| at.seq > self.check.next_seq()) {
            self.follow(WAIT_MS).await?;
        }
        if !self.check.knows(done).map_err(|flaw| self.flawed(flaw))? {
            self.replay(done, &accepted.openings).await?;
            self.check.check_reply(&name, &accepted).map_err(|flaw| self.flawed(flaw))?;
        }
        if let Some(own) = &accepted.own {
            self.check.own_cards(&name, own).map_err(|flaw| self.flawed(flaw))?;
        }
        // A commitment comes with the proof of its shoe.
        for other in others {
            if !self.check.knows(other).map_err(|flaw| self.flawed(flaw))? {
                return Err(self.flawed(Flaw::differs("the reply's other receipt", "of an entry before", other.index)));
            }
        }
        self.over().await
    }

    /// Continues reading the table and replays its entries; waits for a new one if `wait_ms` is not 0.
    async fn follow(&mut self, wait_ms: u64) -> Result<(), Failure> {
        let table = self.check.table().clone();
        let path =
            format!("/v1/tables/{table}/entries?from_seq={}&proofs=true&wait_ms={wait_ms}", self.check.next_seq());
        let token = self.members.first().map_or_else(|| self.shared.operator.clone(), |member| member.token.clone());
        let request = Request::get(path).token(&token);
        let answer = self.link.call(&request).await?;
        let page: TableEntries = parse(&request, &answer.reply)?;
        let checkpoint = self.shared.log.newer(&page.checkpoint, &mut self.known).map_err(|flaw| self.flawed(flaw))?;
        let mut entries = Vec::with_capacity(page.entries.len());
        for entry in page.entries {
            let on_log = self.shared.log.page_entry(&entry, &checkpoint).map_err(|flaw| self.flawed(flaw))?;
            entries.push((on_log, entry.openings));
        }
        self.shared.follows(&table, entries.iter().map(|(on_log, _)| on_log))?;
        let told = entries.iter().map(|(on_log, openings)| openings.len() + openings_in(on_log)).sum();
        self.no_more_than(&answer.reply.body, told)?;
        for (on_log, openings) in &entries {
            self.shared.totals().openings += u64::try_from(openings.len()).unwrap_or_default();
            self.replay(on_log, openings).await?;
            self.check.nothing_leaked(openings).map_err(|flaw| self.flawed(flaw))?;
        }
        self.link.refresh();
        self.over().await
    }

    async fn replay(&mut self, on_log: &OnLog, openings: &[ShownOpening]) -> Result<(), Failure> {
        // After a start each table is put in order before any other entry.
        self.restarted |= matches!(on_log.entry.command, Command::Recover { .. });
        if CashTableCheck::commits_shoe(&on_log.entry) && (self.restarted || self.check.context().is_none()) {
            let token =
                self.members.first().map_or_else(|| self.shared.operator.clone(), |member| member.token.clone());
            let shared = self.shared.clone();
            let epoch = shared.epochs.of(&mut self.link, &token, &shared.log, on_log.index).await?;
            self.check.epoch_is(epoch);
            self.restarted = false;
        }
        self.check.apply(on_log, openings).map_err(|flaw| self.flawed(flaw))?;
        for event in &on_log.entry.events {
            match event {
                Event::ShoeCommitted { .. } => (self.shoe, self.called_at) = (Some(on_log.clone()), Instant::now()),
                Event::HandBegun { .. } => self.bound = Some(on_log.clone()),
                _ => {}
            }
        }
        self.count();
        Ok(())
    }

    fn count(&mut self) {
        let Some((round_no, progress)) = self.check.last_hand() else { return };
        let outcome = match progress {
            Progress::Settled => Outcome::Settled,
            Progress::Voided(cause) => Outcome::Void(cause),
            Progress::AwaitingReveals | Progress::Open => return,
        };
        if self.counted.replace(round_no) == Some(round_no) {
            return;
        }
        let took = self.called_at.elapsed();
        let mut totals = self.shared.totals();
        for _ in 0..self.check.dealt_in() {
            totals.round_over(&self.game, self.check.table(), round_no, outcome, Some(took));
        }
        self.hands += 1;
        self.judge = Some(round_no).filter(|_| self.hands.is_multiple_of(BUNDLE_EVERY)).or(self.judge);
    }

    /// From time to time the bundle of the finished hand is judged as a third party does.
    async fn over(&mut self) -> Result<(), Failure> {
        let Some(round_no) = self.judge.take() else { return Ok(()) };
        let request =
            Request::get(format!("/v1/rounds/{}:{round_no}/bundle", self.check.table())).token(&self.shared.operator);
        let bundle = self.link.text(&request).await?;
        let key = self.shared.log.key().clone();
        let judged = tokio::task::spawn_blocking(move || verify(bundle.as_bytes(), Some(&key))).await;
        let verdict = judged.map_err(|e| Failure::Usage(format!("judging a bundle broke down: {e}")))?;
        if verdict.verdict == Soundness::Sound {
            return Ok(());
        }
        let said = serde_json::to_string(&verdict).unwrap_or_default();
        Err(self.flawed(Flaw::differs("the verdict on the hand's bundle", Soundness::Sound, said)))
    }
}

impl Connected for CashTable {
    fn parts(&mut self) -> Option<(Token, &mut Link)> {
        Some((self.members.first()?.token.clone(), &mut self.link))
    }
}

/// The number of openings in the entry itself: those of a sealed shoe.
fn openings_in(on_log: &OnLog) -> usize {
    let of = |event: &Event| if let Event::ShoeSealed { openings, .. } = event { openings.len() } else { 0 };
    on_log.entry.events.iter().map(of).sum()
}
