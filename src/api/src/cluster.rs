//! Who leads which shard, as far as a node knows (openapi.yaml, `ClusterView`).

use serde::{Deserialize, Serialize};

/// `GET /v1/cluster`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusterView {
    /// Of which shard the process is a node; none of a process alone.
    pub shard: Option<String>,
    /// What it is called; none of a process alone.
    pub node: Option<String>,
    /// Whether it decides.
    pub leads: bool,
    /// Whether the order answered when it was asked last.
    pub is_reached: bool,
    /// Where the node that decides is reached.
    pub leader: Option<String>,
    /// What the leaders of all shards said of themselves last.
    pub shards: Vec<ShardView>,
}

/// What the node that leads a shard said of itself (openapi.yaml, `ShardView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShardView {
    /// The shard.
    pub shard: String,
    /// The node; none where it gave the lead up.
    pub node: Option<String>,
    /// Where clients reach it.
    pub address: String,
    /// The log's key, as it says.
    pub key: String,
    /// Entries of its log.
    pub size: u64,
    /// Until when it leads unless it says so again; UTC milliseconds of its clock.
    pub until: u64,
    /// The first of its open tables, by name.
    pub tables: Vec<String>,
    /// It has more of them.
    pub has_more_tables: bool,
}
