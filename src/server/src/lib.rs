//! The service: its options, threads and signals, HTTP, and the one order of what it decides.
//!
//! What is dealt, decided and proven is in the crates below. A library for the binary, and for the simulator that
//! drives the same house, commits, recoveries and replies.
#![allow(missing_docs, reason = "no interface for others: the binary and the simulator are all that stands on it")]

mod cluster;
mod edge;
mod ops;
mod read;
mod wallet;
mod witness;
mod write;

pub use ops::run::run;

/// The parts that the simulator runs (`tests/sim`) on a store, a clock and a network of its own, that long logs are made
/// with (`examples/write_log.rs`), and that the tests of single files need (`tests/units.rs`).
pub mod parts {
    pub use crate::cluster::Cluster;
    pub use crate::edge::{Problem, network, wide};
    pub use crate::ops::config::ServeArgs;
    pub use crate::ops::keys::{Keys, TokenHash};
    pub use crate::ops::startup::{SETUP_MARK, Stands, StartError, finish_first_start, recover};
    pub use crate::ops::tokens::{Grant, Granted};
    pub use crate::read::archive::Archive;
    pub use crate::read::history::HistoryError;
    pub use crate::read::index::TableIndex;
    pub use crate::write::accepted::{Asked, Proofs};
    pub use crate::write::committed::CommittedAt;
    pub use crate::write::durable::{ReadLog, VisitMeta, WriteLog};
    pub use crate::write::evidence::{Arrival, Arrivals, Evidence};
    pub use crate::write::pipeline::{
        Appended, Committer, Decided, Done, Fatal, House, Job, Jobs, Order, Pending, Rejected, Release, RepeatKey,
        Turn, Work, now_ms,
    };
    pub use crate::write::published::{Published, Tiles};
    pub use crate::write::recovery::{Began, Beginning, Bounds, Folders, Recovered};
    pub use crate::write::sealing::run as seal;
    pub use crate::write::snapshots::{Durable, Snapshots, Unfit};
}

use edge::budget::Budget;
use edge::connections::Connections;
use edge::{Limits, Problem};
use fairshoe_api::Currency;
use fairshoe_house::State;
use ops::startup::Running;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use write::pipeline::{Job, Release, now_ms};

/// What every HTTP handler works with.
pub struct Service {
    running: Arc<Running>,
    limits: Limits,
    tickets: ops::tickets::Tickets,
    /// Memory for bodies and replies under way.
    budget: Arc<Budget>,
    connections: Arc<Connections>,
    shown_rules: write::tables::ShownRules,
    streams: Arc<edge::streams::Streams>,
    admits_guests: bool,
    currency: Option<Currency>,
    cors_origins: Vec<String>,
    /// Where the operator has a file of them.
    display_names: Option<Arc<ops::display_names::DisplayNames>>,
    /// Where connections are under TLS.
    tls: Option<edge::tls::Tls>,
    stopping: watch::Receiver<bool>,
}

impl Service {
    /// Asks the house about its state; the answer is held back until everything it rests on is durable.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.running.ask(question).await
    }
}

/// How often a question that waits looks whether it still may.
const LOOK: Duration = Duration::from_millis(250);

impl Running {
    /// See [`Service::ask`]. It does not wait for an order that settles nothing.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.require_settled()?;
        let (sender, mut receiver) = oneshot::channel();
        let ask = Box::new(move |state: &State| {
            let begun = Instant::now();
            let answer = (question(state), begun.elapsed());
            Box::new(move |_: &_| drop(sender.send(answer))) as Release
        });
        self.write.queue.submit(Job::Query(now_ms(), ask))?;
        let stopping = |_| Problem::unavailable(fairshoe_api::ErrorCode::Stopping, "the service is stopping");
        let (answer, took) = loop {
            match tokio::time::timeout(LOOK, &mut receiver).await {
                Ok(answer) => break answer.map_err(stopping)?,
                Err(_) => self.require_settled()?,
            }
        };
        edge::house_worked(took);
        self.require_fresh()?;
        Ok(answer)
    }
}
