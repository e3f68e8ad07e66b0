//! The operator's wallet (spec/wallet.md): which calls are open, who makes them, and what is put on the log of their
//! answers.
//!
//! Owns: making each call until it is answered, once its entry is durable and signed. Does not own: what an answer
//! causes (the house), nor what a wallet may answer ([`contact`]).

pub mod calls;
mod contact;
mod settings;
mod work;

pub use settings::{Settings, Style};

use crate::cluster::Cluster;
use crate::ops::metrics::{Metrics, WalletCalls};
use crate::ops::startup::{StartError, spawn};
use crate::write::pipeline::{Done, Job, Order, Queue, Rejected, now_ms};
use contact::{Contact, Failure};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, Line, Refusal, State, WalletCall, WalletOperation, is_guest,
};
use std::collections::HashMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracing::{info, warn};
use work::{CALLERS, Work};

/// How long whoever makes a call waits for something to do.
const IDLE: Duration = Duration::from_millis(250);

/// How long the house may take to put an answer on the log before it is handed to it again.
const HOUSE: Duration = Duration::from_secs(20);

/// How often a minute chips come for what one player plays for.
const FUNDINGS: u32 = 60;

const MINUTE: Duration = Duration::from_secs(60);

/// Of so many players it is looked whose minute is over.
const MANY: usize = 4_096;

/// See the module. Where no wallet is named it knows what is open, and calls nobody.
pub struct Desk {
    work: Mutex<Work>,
    changed: Condvar,
    /// Changes with every answer.
    answered: watch::Sender<()>,
}

/// What came of waiting for a wallet's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    Answered,
    TooLong,
}

impl Desk {
    /// With what is open in this state.
    pub fn new(state: &State) -> Desk {
        let now = Instant::now();
        let mut work = Work::default();
        for (no, operation) in state.open_wallet_operations() {
            work.wait_for(no, operation.clone(), now);
        }
        Desk { work: Mutex::new(work), changed: Condvar::new(), answered: watch::Sender::new(()) }
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what players have from now on: what they had before comes from the state.
    pub fn keep_funds(&self, state: &State) {
        let mut work = self.lock();
        work.keeps_funds = true;
        let now = Instant::now();
        let players = state.ledger().players().filter(|player| !is_guest(player));
        let has = players.filter_map(|player| Some((player.clone(), state.ledger().player(player)?)));
        work.funds =
            has.filter(|(_, chips)| *chips > Chips::ZERO).map(|(player, chips)| (player, (now, chips))).collect();
    }

    /// Takes in entries that are durable and signed: only now may the wallet be called.
    pub fn note<'e>(&self, entries: impl Iterator<Item = &'e Entry>) {
        let mut work = self.lock();
        let (now, mut is_new, mut is_answered) = (Instant::now(), false, false);
        for entry in entries {
            if work.keeps_funds {
                note_funds(&mut work.funds, entry, now);
            }
            // The wallet's are filed under no table.
            if entry.at.is_some() {
                continue;
            }
            for event in &entry.events {
                match event {
                    Event::WalletAsked { no, call, player, amount } => {
                        let operation = WalletOperation { call: *call, player: player.clone(), amount: *amount };
                        work.wait_for(*no, operation, now);
                        is_new = true;
                    }
                    Event::WalletAnswered { no, call, answer, .. } => {
                        if *call == WalletCall::Pay && work.keeps_funds {
                            work.note_pay(*no, *answer);
                        }
                        work.forget(*no);
                        is_answered = true;
                    }
                    _ => {}
                }
            }
        }
        drop(work);
        if is_new {
            self.changed.notify_all();
        }
        if is_answered {
            self.answered.send_replace(());
        }
    }

    /// Begins to have chips come for what a player plays for; nothing, where another request of theirs does so now.
    /// *One bet that is sent twenty times at once would ask for twenty deposits.*
    pub fn fund(self: &Arc<Self>, player: &PlayerId) -> Option<Funding> {
        let is_first = self.lock().funded.insert(player.clone());
        is_first.then(|| Funding { desk: self.clone(), player: player.clone() })
    }

    /// Tells of each change from now on: an answer, or the end of somebody's funding.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.answered.subscribe()
    }

    /// How many operations are open.
    pub fn count(&self) -> usize {
        self.lock().open.len()
    }

    /// Counts that chips are to come for what a player plays for; in how many seconds they may again, where that was too
    /// often.
    pub fn allow_funding(&self, player: &PlayerId) -> Result<(), u64> {
        let (now, mut work) = (Instant::now(), self.lock());
        if work.fundings.len() >= MANY {
            work.fundings.retain(|_, (since, _)| now.duration_since(*since) < MINUTE);
        }
        let (since, count) = work.fundings.entry(player.clone()).or_insert((now, 0));
        if now.duration_since(*since) >= MINUTE {
            (*since, *count) = (now, 0);
        }
        if *count >= FUNDINGS {
            return Err((MINUTE - now.duration_since(*since)).as_secs() + 1);
        }
        *count += 1;
        Ok(())
    }

    /// Waits until this call of an operation is answered, on the log, no longer than `most`.
    pub async fn wait(&self, no: u64, call: WalletCall, most: Duration) -> Waited {
        let call_under_way = || {
            let work = self.lock();
            let open = work.open.get(&no).filter(|open| open.operation.call == call)?;
            Some(open.until_answered.subscribe())
        };
        let until = async {
            while let Some(mut under_way) = call_under_way() {
                drop(under_way.changed().await);
            }
        };
        match tokio::time::timeout(most, until).await {
            Ok(()) => Waited::Answered,
            Err(_) => Waited::TooLong,
        }
    }
}

/// Chips come for what a player plays for, by one request at a time.
pub struct Funding {
    desk: Arc<Desk>,
    player: PlayerId,
}

impl Drop for Funding {
    fn drop(&mut self) {
        self.desk.lock().funded.remove(&self.player);
        self.desk.answered.send_replace(());
    }
}

fn note_funds(funds: &mut HashMap<PlayerId, (Instant, Chips)>, entry: &Entry, now: Instant) {
    let postings = entry.events.iter().filter_map(|event| match event {
        Event::Posted { lines } => Some(lines),
        _ => None,
    });
    for Line(account, _, after) in postings.flatten() {
        let Account::Player(player) = account else { continue };
        match u64::try_from(*after).ok().and_then(Chips::new).filter(|chips| *chips > Chips::ZERO) {
            Some(chips) if !is_guest(player) => drop(funds.insert(player.clone(), (now, chips))),
            _ => drop(funds.remove(player)),
        }
    }
}

/// The part that calls the wallet.
#[derive(Clone)]
pub struct Cashier {
    pub desk: Arc<Desk>,
    pub settings: Settings,
    pub origin: Origin,
    pub queue: Queue,
    /// Of a node of a shard: only the leader calls.
    pub cluster: Option<Arc<Cluster>>,
    pub metrics: Arc<Metrics>,
}

impl Cashier {
    /// Starts the threads that call.
    pub fn start(self) -> Result<(), StartError> {
        info!(wallet = %self.settings.url, open = self.desk.count(), "the wallet's calls are made");
        for _ in 0..CALLERS {
            let cashier = self.clone();
            drop(spawn("wallet", move || cashier.run())?);
        }
        if self.settings.style == Style::Rounds {
            drop(spawn("wallet", move || self.sweep())?);
        }
        Ok(())
    }

    fn leads(&self) -> bool {
        self.cluster.as_ref().is_none_or(|cluster| cluster.require_lead(0).is_ok())
    }

    fn run(self) {
        let contact = Contact::new(&self.settings);
        loop {
            let Some((no, operation)) = self.next() else { continue };
            let begun = Instant::now();
            let answer = contact.call(&self.origin, no, &operation);
            self.desk.lock().took(&operation.player, begun.elapsed());
            match answer {
                Ok(answer) => {
                    self.count(&operation, "answered");
                    self.give(Actor::House, answer.command(no, operation.call));
                }
                Err(failure) => {
                    self.count(&operation, failure.kind());
                    self.tell(no, &operation, &failure);
                }
            }
            // Where the answer is on the log another call of the operation waits, or none: nothing is put back then.
            self.desk.lock().put_back(no, &operation, Instant::now());
        }
    }

    /// The next call that is due; waits for one, no longer than a moment.
    fn next(&self) -> Option<(u64, WalletOperation)> {
        let mut work = self.desk.lock();
        let found = if self.leads() { work.take(Instant::now()) } else { None };
        if found.is_none() {
            drop(self.desk.changed.wait_timeout(work, IDLE));
        }
        found
    }

    fn count(&self, operation: &WalletOperation, outcome: &'static str) {
        self.metrics.wallet_calls.get_or_create(&WalletCalls { call: operation.call.name(), outcome }).inc();
    }

    fn tell(&self, no: u64, operation: &WalletOperation, failure: &Failure) {
        let tries = self.desk.lock().open.get(&no).map_or(0, |open| open.tries);
        // The first time, and then less and less often.
        if tries.is_power_of_two() || tries == 0 || failure.is_alarm() {
            warn!(no, call = operation.call.name(), tries, %failure, "the wallet gave no answer; it is asked again");
        }
    }

    /// Has the house decide a command, and waits until that is on the log.
    fn give(&self, by: Actor, command: Command) -> Given {
        let (sender, receiver) = sync_channel::<Result<Done, Rejected>>(1);
        let answer = Box::new(move |answer| drop(sender.send(answer)));
        let time = now_ms();
        let order = Order {
            time,
            signed_for: None,
            by,
            command,
            signed: None,
            repeat: None,
            grant: None,
            epoch: None,
            address: None,
            took: Arc::default(),
            answer,
        };
        if self.queue.submit(Job::Command(Box::new(order))).is_err() {
            return Given::NotNow;
        }
        match receiver.recv_timeout(HOUSE) {
            Ok(Ok(_)) => Given::Done,
            Ok(Err(Rejected::Refused { refusal, .. })) => Given::Refused(refusal),
            Ok(Err(_)) | Err(_) => Given::NotNow,
        }
    }

    /// Sends chips that have not moved for a while back to the wallet.
    fn sweep(self) {
        loop {
            std::thread::sleep(IDLE * 4);
            if !self.leads() {
                continue;
            }
            let now = Instant::now();
            let still = self.desk.lock().still(now);
            for (player, amount) in still {
                let command = Command::WalletWithdraw { player: player.clone(), amount };
                let given = self.give(Actor::Operator, command);
                let mut work = self.desk.lock();
                match given {
                    Given::Done => {}
                    // A player who has a key withdraws for themselves.
                    Given::Refused(Refusal::SignatureMissing(_)) => drop(work.funds.remove(&player)),
                    Given::Refused(_) | Given::NotNow => {
                        // Later: they may have moved, or the wallet does not answer.
                        if let Some((since, _)) = work.funds.get_mut(&player) {
                            *since = now;
                        }
                    }
                }
            }
        }
    }
}

/// What came of a command.
enum Given {
    Done,
    Refused(Refusal),
    /// It is not known, or the house has no time.
    NotNow,
}
