//! Metrics for an operator's monitoring. Numbers only: no name, no card, no seed.

use crate::cluster::Standing;
use crate::read::index::Totals;
use crate::write::durable::LEAST_INODES;
use fairshoe_api::WitnessState;
use fairshoe_store::Space;
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

/// Labels of what is counted for each witness.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Witness {
    pub witness: String,
}

/// Labels of submissions that brought no cosignature.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct WitnessFailure {
    pub witness: String,
    pub kind: &'static str,
}

/// Labels of calls of the wallet.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct WalletCalls {
    pub call: &'static str,
    pub outcome: &'static str,
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
    pub hands: Gauge,
    pub sealed_shoes: Gauge,
    pub disclosures: Gauge,
    pub open_tables: Gauge,
    pub players: Gauge,
    pub streams: Gauge,
    pub names_skipped: Gauge,
    pub connections: Gauge,
    pub most_connections: Gauge,
    pub certificate_ends: Gauge,
    pub held_bytes: Gauge,
    pub withheld: Gauge,
    pub free_bytes: Gauge,
    pub free_inodes: Gauge,
    pub witness_failures: Family<WitnessFailure, Counter>,
    pub wallet_calls: Family<WalletCalls, Counter>,
    pub wallet_open: Gauge,
    cluster_leads: Gauge,
    cluster_reached: Gauge,
    cluster_behind: Gauge,
    cluster_lease_ms: Gauge,
    cluster_takeovers: Gauge,
    unwitnessed: Gauge,
    witnessed_size: Gauge,
    witnessed_age: Gauge,
    witness_size: Family<Witness, Gauge>,
    witness_time: Family<Witness, Gauge>,
    witness_alarm: Family<Witness, Gauge>,
}

impl Metrics {
    /// What the disk lacks, where new rounds are refused for it.
    pub fn low_space_words(&self) -> &'static str {
        match u64::try_from(self.free_inodes.get()) {
            Ok(inodes) if inodes < LEAST_INODES => "too few inodes are free on the disk, for new files: no new bets",
            _ => "too little free space: no new bets",
        }
    }

    /// What may still be written to the data folder's disk.
    pub fn set_space(&self, free: Space) {
        self.free_bytes.set(i64::try_from(free.bytes).unwrap_or(i64::MAX));
        self.free_inodes.set(i64::try_from(free.inodes).unwrap_or(i64::MAX));
    }

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
            hands: Gauge::default(),
            sealed_shoes: Gauge::default(),
            disclosures: Gauge::default(),
            open_tables: Gauge::default(),
            players: Gauge::default(),
            streams: Gauge::default(),
            names_skipped: Gauge::default(),
            connections: Gauge::default(),
            most_connections: Gauge::default(),
            certificate_ends: Gauge::default(),
            held_bytes: Gauge::default(),
            withheld: Gauge::default(),
            free_bytes: Gauge::default(),
            free_inodes: Gauge::default(),
            witness_failures: Family::default(),
            wallet_calls: Family::default(),
            wallet_open: Gauge::default(),
            cluster_leads: Gauge::default(),
            cluster_reached: Gauge::default(),
            cluster_behind: Gauge::default(),
            cluster_lease_ms: Gauge::default(),
            cluster_takeovers: Gauge::default(),
            unwitnessed: Gauge::default(),
            witnessed_size: Gauge::default(),
            witnessed_age: Gauge::default(),
            witness_size: Family::default(),
            witness_time: Family::default(),
            witness_alarm: Family::default(),
        };
        registry.register("http_replies", "HTTP replies by status", metrics.replies.clone());
        registry.register("problems", "Refused or failed requests by stable code", metrics.problems.clone());
        registry.register("entries", "Log entries made durable since the start", metrics.entries.clone());
        registry.register("batch_entries", "Entries made durable together", metrics.batch_entries.clone());
        registry.register("commit_seconds", "Time to make a batch durable and sign it", metrics.commit_seconds.clone());
        registry.register("log_size", "Entries under the latest signed checkpoint", metrics.log_size.clone());
        registry.register("rounds", "Rounds on the log", metrics.rounds.clone());
        registry.register("hands", "Hands of poker on the log that were played to their end", metrics.hands.clone());
        registry.register("sealed_shoes", "Shoes on the log whose seeds stay secret", metrics.sealed_shoes.clone());
        registry.register("disclosures", "Disclosures of sealed shoes on the log", metrics.disclosures.clone());
        registry.register("open_tables", "Tables open now", metrics.open_tables.clone());
        registry.register("players", "Players that exist", metrics.players.clone());
        registry.register("event_streams", "Event streams and waiting requests open now", metrics.streams.clone());
        registry.register(
            "names_skipped",
            "Display names in the operator's file that cannot be shown",
            metrics.names_skipped.clone(),
        );
        registry.register("connections", "Connections open, as counted last", metrics.connections.clone());
        registry.register("max_connections", "Connections that may be open", metrics.most_connections.clone());
        registry.register(
            "certificate_end_seconds",
            "When the certificate that is shown ends, in seconds since 1970; 0 without TLS",
            metrics.certificate_ends.clone(),
        );
        registry.register(
            "held_bytes",
            "Memory held by bodies and replies under way, as counted last",
            metrics.held_bytes.clone(),
        );
        let withheld = "Tables where withheld reveals voided three or more of the last hundred rounds";
        registry.register("withheld_tables", withheld, metrics.withheld.clone());
        registry.register("free_bytes", "Free space of the data folder's disk", metrics.free_bytes.clone());
        let inodes = "Inodes free on the data folder's disk: files that may be made there";
        registry.register("free_inodes", inodes, metrics.free_inodes.clone());
        let unwitnessed =
            "1: no quorum of witnesses cosigned a new checkpoint for too long; 0 also where there are no witnesses";
        registry.register("unwitnessed", unwitnessed, metrics.unwitnessed.clone());
        registry.register(
            "witnessed_size",
            "Entries under the newest checkpoint that met the quorum",
            metrics.witnessed_size.clone(),
        );
        let age = "Seconds since the newest checkpoint that met the quorum was the newest of all; -1: there is none";
        registry.register("witnessed_age_seconds", age, metrics.witnessed_age.clone());
        registry.register("witness_size", "Entries that a witness cosigned last", metrics.witness_size.clone());
        registry.register(
            "witness_time_seconds",
            "When a witness cosigned last, since 1970",
            metrics.witness_time.clone(),
        );
        registry.register(
            "witness_alarm",
            "1: a witness says that the log has a second history",
            metrics.witness_alarm.clone(),
        );
        registry.register(
            "witness_failures",
            "Submissions to a witness that failed, by kind",
            metrics.witness_failures.clone(),
        );
        registry.register("wallet_calls", "Calls of the wallet, by what came of them", metrics.wallet_calls.clone());
        registry.register(
            "wallet_open",
            "Operations of the wallet that wait for an answer",
            metrics.wallet_open.clone(),
        );
        registry.register(
            "cluster_leads",
            "1: this node decides; always of a process alone",
            metrics.cluster_leads.clone(),
        );
        registry.register(
            "cluster_reached",
            "1: the order answered when it was asked last; always of a process alone",
            metrics.cluster_reached.clone(),
        );
        let behind = "Entries by which this node's log is behind what its leader said last";
        registry.register("cluster_behind", behind, metrics.cluster_behind.clone());
        let lease = "Milliseconds for which the last lease of the shard is still good, by this node's clock; negative: it is over";
        registry.register("cluster_lease_milliseconds", lease, metrics.cluster_lease_ms.clone());
        let takeovers = "Times that another process was seen to take the lead, since the start";
        registry.register("cluster_takeovers", takeovers, metrics.cluster_takeovers.clone());
        Metrics { registry, ..metrics }
    }

    /// Sets how a node of a shard stands.
    pub fn set_cluster(&self, leads: bool, standing: &Standing, size: u64, now: u64) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let lease = standing.lease.as_ref();
        self.cluster_leads.set(leads.into());
        self.cluster_reached.set(standing.is_reached.into());
        self.cluster_behind.set(lease.map_or(0, |lease| number(lease.size.saturating_sub(size))));
        self.cluster_lease_ms.set(lease.map_or(0, |lease| number(lease.until).saturating_sub(number(now))));
        self.cluster_takeovers.set(number(standing.takeovers));
    }

    /// Sets what is counted of the log as a whole.
    pub fn count_log(&self, totals: &Totals) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.rounds.set(number(totals.rounds));
        self.hands.set(number(totals.hands));
        self.sealed_shoes.set(number(totals.sealed_shoes));
        self.disclosures.set(number(totals.disclosures));
    }

    /// Sets what is known of the witnesses.
    pub fn set_witnesses(&self, report: &WitnessState) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.unwitnessed.set(report.unwitnessed.into());
        self.witnessed_size.set(number(report.size.unwrap_or(0)));
        self.witnessed_age.set(report.age.map_or(-1, number));
        for member in &report.witnesses {
            let label = Witness { witness: member.name.clone() };
            self.witness_size.get_or_create(&label).set(number(member.cosigned_size.unwrap_or(0)));
            self.witness_time.get_or_create(&label).set(number(member.cosigned_at.unwrap_or(0) / 1000));
            self.witness_alarm.get_or_create(&label).set(member.alarm.into());
        }
    }

    /// The text that a Prometheus server reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
