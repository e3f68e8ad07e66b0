//! What an operator watches. Numbers only: no name, no card, no seed.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Labels of refused requests.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Code {
    pub code: &'static str,
}

/// Labels of HTTP replies.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Status {
    pub status: u16,
}

/// Every metric, and the registry that prints them.
pub struct Metrics {
    registry: Registry,
    pub replies: Family<Status, Counter>,
    pub problems: Family<Code, Counter>,
    pub entries: Counter,
    pub batch_entries: Histogram,
    pub commit_seconds: Histogram,
    pub log_size: Gauge,
    pub rounds: Gauge,
    pub open_tables: Gauge,
    pub players: Gauge,
    pub streams: Gauge,
    pub withheld: Gauge,
    pub free_bytes: Gauge,
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("fairshoe");
        let metrics = Metrics {
            registry: Registry::default(),
            replies: Family::default(),
            problems: Family::default(),
            entries: Counter::default(),
            batch_entries: Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            commit_seconds: Histogram::new(exponential_buckets(0.0001, 2.0, 14)),
            log_size: Gauge::default(),
            rounds: Gauge::default(),
            open_tables: Gauge::default(),
            players: Gauge::default(),
            streams: Gauge::default(),
            withheld: Gauge::default(),
            free_bytes: Gauge::default(),
        };
        registry.register("http_replies", "HTTP replies by status", metrics.replies.clone());
        registry.register("problems", "Refused or failed requests by stable code", metrics.problems.clone());
        registry.register("entries", "Log entries made durable since the start", metrics.entries.clone());
        registry.register("batch_entries", "Entries made durable together", metrics.batch_entries.clone());
        registry.register("commit_seconds", "Time to make a batch durable and sign it", metrics.commit_seconds.clone());
        registry.register("log_size", "Entries under the latest signed checkpoint", metrics.log_size.clone());
        registry.register("rounds", "Rounds on the log", metrics.rounds.clone());
        registry.register("open_tables", "Tables open now", metrics.open_tables.clone());
        registry.register("players", "Players that exist", metrics.players.clone());
        registry.register("event_streams", "Event streams and waiting requests open now", metrics.streams.clone());
        let withheld = "Tables where withheld reveals voided three or more of the last hundred rounds";
        registry.register("withheld_tables", withheld, metrics.withheld.clone());
        registry.register("free_bytes", "Free space of the data folder's disk", metrics.free_bytes.clone());
        Metrics { registry, ..metrics }
    }

    /// The text that a Prometheus server reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
