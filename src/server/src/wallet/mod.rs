//! The operator's wallet (spec/wallet.md): which calls are open, who makes them, and what is put on the log of their
//! answers.
//!
//! Owns: making each call until it is answered, once its entry is durable and signed. Does not own: what an answer
//! causes (the house), nor what a wallet may answer ([`contact`]).

mod contact;
mod settings;

pub use settings::{Settings, Style};

use crate::cluster::Cluster;
use crate::metrics::{Metrics, WalletCalls};
use crate::pipeline::{Done, Job, Order, Queue, Rejected, now_ms};
use crate::startup::{StartError, spawn};
use contact::{Contact, Failure};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, Line, Refusal, State, WalletAnswer, WalletCall, WalletOperation, is_guest,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracing::{info, warn};

/// Calls that are made at once, each of another player's: *one whose calls the wallet leaves unanswered must not keep the
/// others waiting.*
const CALLERS: usize = 16;

/// The first pause before a call is repeated, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// How long whoever makes a call waits for something to do.
const IDLE: Duration = Duration::from_millis(250);

/// How long the house may take to put an answer on the log before it is handed to it again.
const HOUSE: Duration = Duration::from_secs(20);

/// Chips that have not moved for so long go back to the wallet, where that is the operator's style.
const STILL: Duration = Duration::from_secs(10);

/// The same where the wallet has refused to take them again and again.
const LONGEST_STILL: Duration = Duration::from_secs(3_600);

/// How often a minute chips come for what one player plays for.
const FUNDINGS: u32 = 60;

const MINUTE: Duration = Duration::from_secs(60);

/// Of so many players it is looked whose minute is over.
const MANY: usize = 4_096;

/// An operation that waits for the answer to a call.
struct Open {
    operation: WalletOperation,
    /// How often it was called in vain.
    tries: u32,
    /// When it is called next.
    due: Instant,
    /// Somebody is calling now.
    is_called: bool,
}

#[derive(Default)]
struct Work {
    open: BTreeMap<u64, Open>,
    /// Those that nobody calls: first those that nobody called yet, then by when they are due.
    due: BTreeSet<(bool, Instant, u64)>,
    /// Of whom somebody calls now.
    called: HashSet<PlayerId>,
    /// What players have, and since when: of those who have something, where chips go back by themselves.
    funds: HashMap<PlayerId, (Instant, Chips)>,
    /// How often in a row the wallet refused to take what a player has.
    refused: HashMap<PlayerId, u32>,
    /// Whether funds are kept at all.
    keeps_funds: bool,
    /// How often chips came for what a player plays for, and since when that is counted.
    fundings: HashMap<PlayerId, (Instant, u32)>,
    /// For whom a request has them come now.
    funded: HashSet<PlayerId>,
}

impl Work {
    /// The operation waits for this call from now on.
    fn wait_for(&mut self, no: u64, operation: WalletOperation, now: Instant) {
        self.forget(no);
        self.due.insert((false, now, no));
        self.open.insert(no, Open { operation, tries: 0, due: now, is_called: false });
    }

    fn forget(&mut self, no: u64) {
        if let Some(open) = self.open.remove(&no) {
            self.due.remove(&(open.tries > 0, open.due, no));
            if open.is_called {
                self.called.remove(&open.operation.player);
            }
        }
    }

    /// Takes the next call that is due.
    fn take(&mut self, now: Instant) -> Option<(u64, WalletOperation)> {
        let is_free = |no: &u64| self.open.get(no).is_some_and(|open| !self.called.contains(&open.operation.player));
        let next = *self.due.iter().find(|(_, due, no)| *due <= now && is_free(no))?;
        self.due.remove(&next);
        let (.., no) = next;
        let open = self.open.get_mut(&no)?;
        open.is_called = true;
        self.called.insert(open.operation.player.clone());
        Some((no, open.operation.clone()))
    }

    /// The call was made in vain, or its answer is not on the log: it is made again after a pause.
    fn put_back(&mut self, no: u64, operation: &WalletOperation, now: Instant) {
        let Some(open) = self.open.get_mut(&no).filter(|open| open.operation == *operation && open.is_called) else {
            return;
        };
        self.called.remove(&operation.player);
        let pause = PAUSES.0.saturating_mul(1 << open.tries.min(16)).min(PAUSES.1);
        (open.tries, open.due, open.is_called) = (open.tries.saturating_add(1), now + pause, false);
        self.due.insert((true, open.due, no));
    }

    /// Notes what became of a withdrawal.
    fn note_pay(&mut self, no: u64, answer: WalletAnswer) {
        let Some(player) = self.open.get(&no).map(|open| open.operation.player.clone()) else { return };
        match answer {
            WalletAnswer::Accepted => drop(self.refused.remove(&player)),
            WalletAnswer::Refused => {
                let count = self.refused.entry(player).or_default();
                *count = count.saturating_add(1);
            }
        }
    }

    /// Whose chips have not moved for long enough. *A wallet that takes nothing for a player would make the log grow: each
    /// time that it refuses the pause is doubled, up to an hour.*
    fn still(&self, now: Instant) -> Vec<(PlayerId, Chips)> {
        let is_still = |player: &PlayerId, since: Instant| {
            let refused = self.refused.get(player).copied().unwrap_or_default();
            now.duration_since(since) >= STILL.saturating_mul(1 << refused.min(16)).min(LONGEST_STILL)
        };
        let still = self.funds.iter().filter(|(player, (since, _))| is_still(player, *since));
        still.map(|(player, (_, chips))| (player.clone(), *chips)).collect()
    }
}

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

    /// Whatever changes from now on: an answer, or the end of somebody's funding.
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
        let mut answered = self.answered.subscribe();
        let waits = || self.lock().open.get(&no).is_some_and(|open| open.operation.call == call);
        let until = async {
            while waits() {
                if answered.changed().await.is_err() {
                    return;
                }
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

/// Who calls the wallet.
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
            match contact.call(&self.origin, no, &operation) {
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
        let (time, is_signed_for) = (now_ms(), false);
        let order =
            Order { time, is_signed_for, by, command, signed: None, repeat: None, grant: None, epoch: None, answer };
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
                    // Who has a key withdraws for themselves.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_house::WalletCall::{Commit, Reserve};

    fn operation(call: fairshoe_house::WalletCall) -> WalletOperation {
        WalletOperation { call, player: PlayerId::parse("alice").unwrap(), amount: Chips::new(5).unwrap() }
    }

    #[test]
    fn a_call_is_made_by_one_at_a_time_and_again_after_growing_pauses() {
        let now = Instant::now();
        let mut work = Work::default();
        work.wait_for(7, operation(Reserve), now);
        assert_eq!(work.take(now), Some((7, operation(Reserve))));
        assert_eq!(work.take(now + PAUSES.1), None, "somebody calls");
        let mut at = now;
        for pause in [100, 200, 400, 800] {
            work.put_back(7, &operation(Reserve), at);
            assert_eq!(work.take(at + Duration::from_millis(pause - 1)), None);
            at += Duration::from_millis(pause);
            assert!(work.take(at).is_some());
        }
        for _ in 0..40 {
            work.put_back(7, &operation(Reserve), at);
            at += PAUSES.1;
            assert!(work.take(at).is_some(), "never more than half a minute");
        }
    }

    #[test]
    fn one_whose_calls_are_not_answered_keeps_nobody_waiting() {
        let now = Instant::now();
        let mut work = Work::default();
        for no in 0..8 {
            work.wait_for(no, operation(Reserve), now);
        }
        let other = WalletOperation { player: PlayerId::parse("bob").unwrap(), ..operation(Reserve) };
        work.wait_for(8, other.clone(), now);
        assert_eq!(work.take(now).map(|(no, _)| no), Some(0));
        assert_eq!(work.take(now).map(|(no, _)| no), Some(8), "alice has a call under way");
        assert_eq!(work.take(now), None);
        // What was never called comes before what was called in vain.
        work.put_back(0, &operation(Reserve), now);
        let later = now + PAUSES.1;
        assert_eq!(work.take(later).map(|(no, _)| no), Some(1));
        work.forget(1);
        assert_eq!(work.take(later).map(|(no, _)| no), Some(2), "it is over, and alice is free");
    }

    #[test]
    fn what_a_wallet_takes_from_nobody_is_sent_less_and_less_often() {
        let now = Instant::now();
        let mut work = Work { keeps_funds: true, ..Work::default() };
        let alice = PlayerId::parse("alice").unwrap();
        work.funds.insert(alice.clone(), (now, Chips::new(5).unwrap()));
        let is_still = |work: &Work, seconds| !work.still(now + Duration::from_secs(seconds)).is_empty();
        assert!(!is_still(&work, 9) && is_still(&work, 10));
        for (no, pause) in (0..).zip([20, 40, 80]) {
            work.wait_for(no, operation(WalletCall::Pay), now);
            work.note_pay(no, WalletAnswer::Refused);
            work.forget(no);
            assert!(!is_still(&work, pause - 1) && is_still(&work, pause), "{no}");
        }
        for no in 3..40 {
            work.wait_for(no, operation(WalletCall::Pay), now);
            work.note_pay(no, WalletAnswer::Refused);
        }
        assert!(!is_still(&work, 3_599) && is_still(&work, 3_600));
        work.note_pay(39, WalletAnswer::Accepted);
        assert!(is_still(&work, 10));
    }

    #[test]
    fn what_was_answered_meanwhile_is_not_put_back() {
        let now = Instant::now();
        let mut work = Work::default();
        work.wait_for(7, operation(Reserve), now);
        work.take(now).unwrap();
        // The answer came by another way, and the next call waits.
        work.wait_for(7, operation(Commit), now);
        work.put_back(7, &operation(Reserve), now);
        assert_eq!(work.take(now), Some((7, operation(Commit))), "at once");
        work.forget(7);
        work.put_back(7, &operation(Commit), now);
        assert!(work.take(now + PAUSES.1).is_none() && work.due.is_empty());
    }
}
