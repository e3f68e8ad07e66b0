//! The dealer's starts since the run began. A table's entries do not state them; the log does, and the service lists
//! them among its significant events.

use crate::check::{Flaw, LogCheck};
use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::link::Link;
use fairshoe_api::{LogInfo, Receipt, SignificantList};
use fairshoe_fairness::Epoch;
use fairshoe_house::{Command, Entry};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::sleep;

/// The most looks for the start before an entry, and the time by which each waits longer than the one before.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The dealer's starts, for all players.
pub struct Starts {
    /// The epoch in which the run began.
    first: Epoch,
    /// A time before every later start, UTC milliseconds.
    from: u64,
    known: Mutex<Known>,
}

/// Starts with their indices, in the log's order.
type List = Arc<Vec<(u64, Entry)>>;

struct Known {
    /// Every start below this index is known.
    size: u64,
    starts: List,
}

impl Starts {
    /// The log as it describes itself when the run begins.
    pub fn new(info: &LogInfo) -> Self {
        let known = Known { size: info.size, starts: List::default() };
        Starts { first: info.epoch, from: info.started_at, known: Mutex::new(known) }
    }

    /// The epoch in which the run began.
    pub fn first(&self) -> Epoch {
        self.first
    }

    /// The starts since then: at least those before this durable entry.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn before(&self, index: u64, link: &mut Link, operator: &Token, log: &LogCheck) -> Result<List, Failure> {
        let mut known = self.known.lock().await;
        for look in 0..LOOKS {
            if index < known.size {
                break;
            }
            // Of several nodes the one that answers now may be behind the one that showed the entry.
            sleep(PAUSE * look).await;
            let info: LogInfo = link.read(&Request::get("/v1/log").token(operator)).await?;
            let last = known.starts.last().map_or(Some(self.first), |(_, entry)| epoch_of(entry));
            if last != Some(info.epoch) {
                known.starts = self.read(&known.starts, link, operator, log).await?;
            }
            known.size = info.size;
        }
        Ok(known.starts.clone())
    }

    /// Those that are known, and all later ones.
    async fn read(&self, known: &List, link: &mut Link, operator: &Token, log: &LogCheck) -> Result<List, Failure> {
        let from = known.last().map_or(self.from, |(_, entry)| entry.time.saturating_add(1));
        let (mut indices, mut cursor) = (Vec::new(), String::new());
        loop {
            let request = Request::get(format!("/v1/significant?from={from}{cursor}")).token(operator);
            let page: SignificantList = link.read(&request).await?;
            for start in page.events.iter().filter(|event| event.kind == "start") {
                // A node of several may have been there before the run's epoch.
                if start.epoch == Some(self.first) { indices.clear() } else { indices.push(start.index) }
            }
            let Some(next) = page.next else { break };
            cursor = format!("&cursor={next}");
        }
        let mut starts = known.to_vec();
        for index in indices {
            starts.push((index, entry(link, operator, log, index).await?));
        }
        Ok(Arc::new(starts))
    }
}

fn epoch_of(entry: &Entry) -> Option<Epoch> {
    if let Command::StartDealer { epoch, .. } = &entry.command { Some(*epoch) } else { None }
}

/// A start with its proof: the list is not proven.
async fn entry(link: &mut Link, operator: &Token, log: &LogCheck, index: u64) -> Result<Entry, Failure> {
    let request = |path: String| Request::get(path).token(operator);
    let (entry, proof) = (request(format!("/v1/entries/{index}")), request(format!("/v1/receipts/{index}")));
    let receipt = Receipt { index, entry: link.text(&entry).await?, proof: Some(link.text(&proof).await?) };
    let flawed = |flaw| Failure::Flaw(format!("the dealer's start, entry {index}"), flaw);
    let entry = log.receipt(&receipt, &mut 0).map_err(flawed)?.entry;
    if epoch_of(&entry).is_some() {
        return Ok(entry);
    }
    Err(flawed(Flaw::differs("the dealer's start", "one", &entry.command)))
}
